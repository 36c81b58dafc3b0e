"""The trees of docs/_static/live/tree_sparsity.js as rbdlib's models."""

import numpy as np

from rbdlib import Model, crba
from rbdlib.factorisation import D_1, D_2, ltl
from rbdlib.inertia_matrix import expanded_parent, sparsity_pattern
from rbdlib.joints import Revolute
from rbdlib.spatial import xlt
from tools.book.live_functions import rod


def ends_of(parent):
    """Where the page draws the bodies (N_B + 1, 2): a level above their parents, the leaves side by side."""
    n = len(parent)
    children = [[i for i in range(1, n + 1) if parent[i - 1] == body] for body in range(n + 1)]
    places, leaves = np.zeros((n + 1, 2)), iter(range(n + 1))

    def put(body, level):
        own = [put(child, level + 1) for child in children[body]]
        places[body] = (own[0] + own[-1]) / 2 if own else next(leaves), level
        return places[body, 0]

    put(0, 0)
    return (places - [places[0, 0], 0]) * [0.6, 0.7]


def tree_model(parent):
    """The rods that the page draws, as a model in the x-y plane."""
    ends = ends_of(parent)
    starts = [ends[up] for up in parent]
    origin = [np.zeros(2), *starts]
    X_tree = [xlt([*(starts[k] - origin[up]), 0]) for k, up in enumerate(parent)]
    inertia = [rod(np.zeros(2), ends[k + 1] - starts[k]) for k in range(len(parent))]
    return Model(parent, [Revolute("z")] * len(parent), X_tree, inertia)


def tree_numbers(parent):
    """Places, H by crba, its factors by Table 6.3 and by NumPy, and the costs."""
    model = tree_model(parent)
    H, expanded = crba(model, np.zeros(model.nv)), expanded_parent(model)
    return [ends_of(parent), H, ltl(H, expanded), np.linalg.cholesky(H), np.count_nonzero(sparsity_pattern(model)),
            D_1(expanded), D_2(expanded)]
