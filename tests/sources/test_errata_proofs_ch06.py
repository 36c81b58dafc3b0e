"""What RBDA 6 prints and what is true instead: each test shows the printed form failing (see data/errata.csv)."""

import numpy as np
import pytest

from rbdlib import Model
from rbdlib.factorisation import expand_parent, solve
from rbdlib.inertia_matrix import crba, differential_inverse_dynamics, expanded_parent
from rbdlib.joints import Fixed, Revolute
from rbdlib.spatial import mcI, plucker
from tests.sources.helpers import Tree, close, far, random_mass_properties, random_pose, random_tree, random_unit


@pytest.fixture(params=[1, 2], ids="seed {}".format)
def rng(request):
    return np.random.default_rng(request.param)


@pytest.mark.source("RBDA-S6.1-4")
def test_columns_of_H_take_positions_where_the_text_prints_velocities(rng):
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
def test_the_printed_expansion_fails_where_a_joint_has_no_freedom(rng):
    """Bodies 1 and 2 hang on the base; body 3 is screwed to body 1 and carries body 4, which joint 1 moves, not 2."""
    parent, freedoms = [0, 0, 1, 3], [1, 1, 0, 1]
    assert printed_expansion([0, 1, 1, 2, 2, 3], [1, 3, 1, 1, 1, 1]) == [0, 1, 2, 3, 1, 4, 4, 5]
    printed, corrected = printed_expansion(parent, freedoms), expand_parent(parent, freedoms)[0]
    assert (printed, corrected) == ([0, 0, 2], [0, 0, 1])

    axes, poses = [random_unit(rng) for _ in range(4)], [random_pose(rng) for _ in range(4)]
    bodies = [random_mass_properties(rng) for _ in range(4)]
    model = Model(parent, [Revolute(axes[0]), Revolute(axes[1]), Fixed(), Revolute(axes[3])],
                  [plucker(R.T, p) for R, p in poses], [mcI(*body) for body in bodies])
    assert expanded_parent(model) == corrected

    slider_that_stands_still = Tree(parent, ["revolute", "revolute", "prismatic", "revolute"], axes, poses, bodies,
                                    np.zeros(3))
    q, moving = rng.normal(size=3), [0, 1, 3]
    H, b = slider_that_stands_still.mass_matrix(np.insert(q, 2, 0.0))[np.ix_(moving, moving)], rng.normal(size=3)
    close(crba(model, q), H, 1e-11)
    assert abs(H[2, 1]) < 1e-12 < 1e-3 < abs(H[2, 0])
    close(solve(H, b, corrected), np.linalg.solve(H, b), 1e-9)
    far(H @ solve(H, b, printed), b)


@pytest.mark.source("RBDA-A6.4")
def test_the_printed_expansion_makes_a_variable_for_a_last_joint_without_freedom():
    assert printed_expansion([0, 1], [1, 0]) == [0, 1]
    assert expand_parent([0, 1], [1, 0])[0] == [0]
