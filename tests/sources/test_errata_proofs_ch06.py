"""What RBDA 6 prints and what is true instead: each test shows the printed form failing (see data/errata.csv)."""

import dataclasses

import numpy as np
import pytest

from rbdlib.book.ch04_joints import Fixed, Revolute
from rbdlib.book.ch06_factorisation import expand_parent, solve
from rbdlib.book.ch06_inertia_matrix import crba, differential_inverse_dynamics, expanded_parent
from tests.sources.helpers import close, far, random_tree


@pytest.mark.source("RBDA-S6.1-4")
def test_columns_of_H_take_positions_where_the_text_prints_velocities():
    rng = np.random.default_rng(1)
    tree = random_tree(rng, 5)
    q, qd = rng.normal(size=(2, 5))
    printed, corrected = (np.column_stack([differential_inverse_dynamics(tree.model(), x, delta_alpha)
                                           for delta_alpha in np.eye(5)]) for x in (qd, q))
    far(printed, tree.mass_matrix(q))
    close(corrected, tree.mass_matrix(q), 1e-11)


def printed_expansion(parent, freedoms):
    """The three loops of Table 6.4."""
    n, expanded, map, parent = sum(freedoms), {}, [0], [None, *parent]
    for i in range(1, n + 1):
        expanded[i] = i - 1
    for i, n_i in enumerate(freedoms, start=1):
        map.append(map[i - 1] + n_i)
    for i in range(1, len(freedoms) + 1):
        expanded[map[i - 1] + 1] = map[parent[i]]
    return list(expanded.values())


@pytest.mark.source("RBDA-A6.4")
def test_the_printed_expansion_fails_where_a_joint_has_no_freedom():
    """Bodies 1 and 2 hang on the base; body 3 is screwed to body 1 and carries body 4, which joint 1 moves, not 2."""
    parent, freedoms, rng = [0, 0, 1, 3], [1, 1, 0, 1], np.random.default_rng(1)
    assert printed_expansion([0, 1, 1, 2, 2, 3], [1, 3, 1, 1, 1, 1]) == [0, 1, 2, 3, 1, 4, 4, 5]
    assert (printed_expansion([0, 1], [1, 0]), expand_parent([0, 1], [1, 0])[0]) == ([0, 1], [0]), "a last joint"
    printed, corrected = printed_expansion(parent, freedoms), expand_parent(parent, freedoms)[0]
    assert (printed, corrected) == ([0, 0, 2], [0, 0, 1])

    tree = random_tree(rng, 4, parent)
    still = dataclasses.replace(tree, kinds=["revolute", "revolute", "prismatic", "revolute"])
    model = still.model(joints=[*map(Revolute, tree.axes[:2]), Fixed(), Revolute(tree.axes[3])])
    assert expanded_parent(model) == corrected
    q, moving = rng.normal(size=3), [0, 1, 3]
    H, b = still.mass_matrix(np.insert(q, 2, 0.0))[np.ix_(moving, moving)], rng.normal(size=3)
    close(crba(model, q), H, 1e-11)
    assert abs(H[2, 1]) < 1e-12 < 1e-3 < abs(H[2, 0])
    close(solve(H, b, corrected), np.linalg.solve(H, b), 1e-9)
    far(H @ solve(H, b, printed), b)
