"""Compiled functions have the arguments and results of the readable ones, for one state and for batches of any kind."""

import numpy as np
import pytest

from rbdlib import Model, aba, bias_force, crba, load, rnea
from rbdlib.codegen.compile_for import compile_for
from rbdlib.joints import (
    Cylindrical,
    Euler,
    FreeMotion,
    Helical,
    Planar,
    Prismatic,
    RackAndPinion,
    Reversed,
    Revolute,
    Spherical,
    Universal,
)
from tests.sources.helpers import close, random_mass_properties, random_pose, random_unit

SEED = 7


@pytest.fixture(autouse=True, scope="module")
def cache_of_its_own(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RBDLIB_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def tree_of_every_joint(rng):
    """A random tree with a joint of each kind, some of them reversed or about slanted axes."""
    from rbdlib.spatial import mcI, plucker

    joints = [FreeMotion(), Revolute("z"), Prismatic("x"), Helical(0.3, "y"), Cylindrical(), Planar(), Spherical(),
              Euler("zyx"), Universal(), RackAndPinion(0.2), Revolute(random_unit(rng)), Reversed(Revolute("x")),
              Prismatic(random_unit(rng))]
    parent = [int(rng.integers(0, i)) for i in range(1, len(joints) + 1)]
    poses = [random_pose(rng) for _ in joints]
    return Model(parent, joints, [plucker(R.T, p) for R, p in poses],
                 [mcI(*random_mass_properties(rng)) for _ in joints], gravity=rng.normal(size=3))


def states(model, shape, rng):
    """Random q, qd and a third array, as batches of the given shape."""
    drawn = [model.random_state(rng) for _ in range(int(np.prod(shape)))]
    q, qd = (np.array([state[k] for state in drawn]).reshape(*shape, n) for k, n in ((0, model.nq), (1, model.nv)))
    return q, qd, rng.normal(size=(*shape, model.nv))


@pytest.mark.parametrize("function", [rnea, aba, crba, bias_force])
def test_a_tree_with_every_kind_of_joint(function):
    rng = np.random.default_rng(SEED)
    model = tree_of_every_joint(rng)
    fast = compile_for(function, model)
    arguments = states(model, (11,), rng)[: {crba: 1, bias_force: 2}.get(function, 3)]
    batch = fast(*arguments)
    for k in range(11):
        one = [x[k] for x in arguments]
        close(batch[k], function(model, *one), 1e-11)
        close(fast(*one), function(model, *one), 1e-11)


@pytest.mark.parametrize("shape", [(), (1,), (5,), (8,), (17,), (2, 3), (0,), (3, 0), (1, 1, 4)])
def test_batches_of_every_shape(shape):
    model = load("panda")
    rng = np.random.default_rng(SEED)
    q, qd, qdd = states(model, shape, rng)
    tau, H = compile_for(rnea, model)(q, qd, qdd), compile_for(crba, model)(q)
    assert tau.shape == (*shape, 7) and H.shape == (*shape, 7, 7)
    for k in np.ndindex(shape):
        close(tau[k], rnea(model, q[k], qd[k], qdd[k]))
        close(H[k], crba(model, q[k]))
