"""Divide and conquer: the order of assembly in trees of any shape, sets of handles, joints that close loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib.methods.divide_and_conquer import ManyHandles, assembly_levels, join, several
from rbdlib.methods.generators import auto_tree, binary_tree
from rbdlib.methods.handles import Connection
from tests.sources.ch07_systems import random_connection, spd
from tests.sources.helpers import random_tree

SEED = [1, 75]


# The order of assembly

def replay(model):
    """Make the joints as the levels say, on sets of bodies: the largest number of handles that a part had."""
    parts = {i: {i} for i in model.bodies} | {-j: {-j} for j in model.mu(0)}
    most = 0
    for level in assembly_levels(model):
        before, used = {name: set(part) for name, part in parts.items()}, set()
        for r, i in level:
            assert not used & {r, i}
            used |= {r, i}
            assert (model.parent[i] or -i) in before[r] and i in before[i]
            parts[r] |= parts.pop(i)
            outside = [j for j in model.bodies if ({j, model.parent[j] or -j} & parts[r])
                       and not {j, model.parent[j] or -j} <= parts[r]]
            most = max(most, len(outside))
    assert sorted(map(min, parts.values())) == sorted(-j for j in model.mu(0))
    return most


def test_every_joint_is_made_once_between_parts_and_handles_are_split_and_stacked(rng):
    for n in (1, 2, 3, 10, 40):
        model = random_tree(rng, n).model()
        levels = assembly_levels(model)
        assert sorted(i for level in levels for _, i in level) == list(model.bodies), model.parent
        replay(model)

    Phi, b, f = spd(rng, 18), rng.normal(size=18), rng.normal(size=(3, 6))
    a = (Phi @ f.ravel() + b).reshape(3, 6)
    A = ManyHandles([4, -7, -2], Phi, b).split([-2, 4], [-7])
    f_1, f_2 = f[[2, 0]].ravel(), f[1]
    assert_allclose(A.Phi_1 @ f_1 + A.Phi_12 @ f_2 + A.b_1, a[[2, 0]].ravel())
    assert_allclose(A.Phi_21 @ f_1 + A.Phi_2 @ f_2 + A.b_2, a[1])


@pytest.mark.parametrize("branching", [1, 1.3, 2, 3])
def test_no_part_has_more_handles_than_some_body_had(branching):
    model = auto_tree(50, branching)
    assert replay(model) <= max(len(model.mu(i)) + 1 for i in model.bodies)


def test_trees_take_logarithmically_many_levels_and_branches_do_not_wait():
    for depth in range(4, 9):
        assert len(assembly_levels(binary_tree(depth))) == 2 * depth - 3
    for seed in range(2):
        model = random_tree(np.random.default_rng(seed), 300).model()
        assert len(assembly_levels(model)) <= 1.5 * np.log2(300)

    # Four branches of 64 bodies at the end of a chain of 64: no more than the levels of the parts, one by one. Ten
    # chains on the base take the levels of one; a hub takes its children one by one.
    def levels(parent):
        return len(assembly_levels(auto_tree(len(parent)).replace(parent=parent)))

    assert levels([*range(64), *(p for k in range(4) for p in [64, *range(65 + 64 * k, 128 + 64 * k)])]) <= 7 + 4 + 1
    assert levels([p for k in range(10) for p in [0, *range(7 * k + 1, 7 * k + 7)]]) == 3
    assert levels([0] + [1] * 8) == 9
    with pytest.raises(TypeError, match="model is"):
        assembly_levels([0, 1, 2])


# Sets of handles

def test_constraints_that_repeat_are_refused_or_left_out_and_those_that_contradict_are_refused(rng):
    """Two parts with two handles each, to be connected at both at once; A_12 has another handle."""
    A_12 = ManyHandles([0, 1, 2], spd(rng, 18), rng.normal(size=18)).split([0], [1, 2])
    A_34 = ManyHandles([1, 2], spd(rng, 12), rng.normal(size=12)).split([1, 2], [])
    first, second = random_connection(rng, 3), random_connection(rng, 2)
    twice = several([first._replace(T=first.T[:, [0, 1, 2, 1]] * [1, 1, 1, 5]), second])
    with pytest.raises(ValueError, match="1 of the 8 constraints repeat others.*repeated=1e-9"):
        join(A_12, A_34, twice)
    for actual, expected in zip(join(A_12, A_34, twice, repeated=1e-9), join(A_12, A_34, several([first, second])),
                                strict=True):
        assert_allclose(actual, expected, rtol=1e-7, atol=1e-7)

    # Both parts can only turn about z, so that no joint makes their origins accelerate apart.
    spin = np.eye(6)[:, [2]]
    A_12, A_34 = (ManyHandles([1], spin @ spin.T, b).split([], [1]) for b in (np.zeros(6), np.eye(6)[4]))
    A_34 = ManyHandles([1], spin @ spin.T, np.eye(6)[4]).split([1], [])
    joint = Connection(spin, np.delete(np.eye(6), 2, axis=1), spin, np.zeros(6), np.zeros(1))
    with pytest.raises(ValueError, match="contradict one another by 1"):
        join(A_12, A_34, joint, repeated=1e-9)
    join(A_12, A_34._replace(b_1=np.zeros(6)), joint, repeated=1e-9)
