"""Where the joint-space inertia is singular, compiled functions say what the readable ones say."""

import warnings
from functools import partial

import numpy as np
import pytest

from rbdlib import Model, aba, crba, forward_dynamics, load, rnea
from rbdlib.book.ch02_spatial import mcI, rotz, xlt
from rbdlib.book.ch04_joints import Cylindrical, Euler, Fixed, FreeMotion, Helical, Prismatic, Revolute
from rbdlib.compile.c_compiler import find_compiler
from rbdlib.compile.compile_for import compile_for
from rbdlib.compile.executer import record, taken_apart
from rbdlib.compile.numpy_source import make
from rbdlib.compile.parameters import with_parameters
from rbdlib.compile.program import Argument, Program, Recorded
from rbdlib.compile.samples import one_where
from rbdlib.compile.simplify import Simplifier
from rbdlib.compile.singular_states import can_be_singular, doubts, excess
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.derivatives import aba_derivatives
from rbdlib.methods.joint_space import composite_inertias
from tests.compile.batches import states
from tests.sources.helpers import close, random_tree

SEED = 11
BACKENDS = [*(["c"] if find_compiler() else []), "numpy"]
NOTHING, POINT = np.zeros((6, 6)), mcI(1.0, [0.7, 0, 0], np.zeros((3, 3)))


def arm(first=NOTHING):
    """Two links of 1 m and 0.7 m in a plane; if the first weighs nothing, the stretched arm has no inertia."""
    return Model([0, 1], [Revolute("z")] * 2, [np.eye(6), xlt([1.0, 0, 0])], [first, POINT], gravity=(0, -9.81, 0))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("function", "more"), [
    (aba, {}), (forward_dynamics, {"method": "crba"}), (aba_derivatives, {})])
def test_a_stretched_arm_of_which_a_link_weighs_nothing(function, more, backend):
    model = arm()
    fast = compile_for(function, model, backend=backend, **more)
    for elbow in (0.0, np.pi, -np.pi, 1e-9):
        for motion in (([0.1, 0.2], [1.0, 2.0]), ([0.0, 0.0], [0.0, 0.0])):
            for computed in (partial(function, model, **more), fast):
                with pytest.raises(ValueError, match="singular"):
                    computed([0.3, elbow], *motion)
            with pytest.raises(ValueError, match="singular") as raised:
                fast([[0.3, 1.0], [0.3, elbow]], *motion)
            assert "state (1,) of the batch" in raised.value.__notes__[0]
    for elbow in (1.0, 1e-3):
        state = [0.3, elbow], [0.1, 0.2], [1.0, 2.0]
        close(fast(*state)[0], function(model, *state, **more)[0], 1e-7)


def test_what_a_joint_does_in_time_stretches_the_arm_too():
    turned = Model([0, 1, 2], [Revolute("z"), Custom(0, lambda q, t: rotz(t)), Revolute("z")],
                   [np.eye(6), xlt([1.0, 0, 0]), np.eye(6)], [NOTHING, NOTHING, POINT])
    fast, state = compile_for(aba, turned, backend="numpy"), ([0.1, 0.2], [1.0, 2.0])
    close(fast([0.3, 0.0], *state, t=0.5), aba(turned, [0.3, 0.0], *state, t=0.5), 1e-9)
    with pytest.raises(ValueError, match="singular"):
        fast([0.3, -0.5], *state, t=0.5)


@pytest.mark.slow
def test_masses_that_are_given_at_run_time_and_no_pivot_is_lost_beside_a_free_body():
    symbolic = load("double_pendulum", symbolic=True)
    fast, state = compile_for(aba, symbolic), ([0.3, 0.4], [0.1, 0.2], [0.5, 0.6])
    for m1, m2 in ((1.0, 2.0), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (-1.0, 1.0)):
        values = {"g": 9.81, "l1": 1.0, "l2": 1.0, "m1": m1, "m2": m2}
        try:
            right = np.array(aba(with_parameters(symbolic, values), *state), dtype=float)
        except ValueError:
            with pytest.raises(ValueError, match="singular"):
                fast(*state, parameters=values)
        else:
            close(fast(*state, parameters=values), right, 1e-9)
    rng = np.random.default_rng(SEED)
    base = mcI(3.0, [0.1, 0.2, 0], np.eye(3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Model([0, 1, 2], [FreeMotion(), Revolute("z"), Prismatic("x")], [np.eye(6)] * 3, [base, NOTHING, POINT])
    fast, (q, qd, tau) = compile_for(aba, model), states(model, (5,), rng)
    q[2, -1] = -0.7                                                         # the point lies on the axis
    close(fast(q[:2], qd[:2], tau[:2])[1], aba(model, q[1], qd[1], tau[1]), 1e-9)
    with pytest.raises(ValueError, match="singular") as raised:
        fast(q, qd, tau)
    assert "state (2,)" in raised.value.__notes__[0]


def test_where_a_state_may_be_singular_it_is_seen_and_elsewhere_nothing_is_watched():
    point = mcI(1.0, [0, 0, 0.3], np.zeros((3, 3)))                         # on the axis
    for model in (arm(), load("double_pendulum", symbolic=True), Model([0], [Cylindrical()], [np.eye(6)], [point]),
                  Model([0], [Euler("zyx")], [np.eye(6)], [mcI(1.0, [0.1, 0, 0], np.eye(3))])):
        assert can_be_singular(model)
    tree = random_tree(np.random.default_rng(SEED), 6).model()
    for model in (load("panda"), load("solo12"), load("double_pendulum"), tree, arm(1e-6 * POINT)):
        assert not can_be_singular(model)
    for model in (tree, load("panda")):                 # for one freedom a joint, the pivots of H = LᵀDL
        q, _ = model.random_state(np.random.default_rng(SEED))
        close(np.prod(excess(model, q)), np.linalg.det(crba(model, q)), 1e-6)
    with pytest.warns(UserWarning, match="moves nothing"):
        nothing = Model([0, 1], [Prismatic("x")] * 2, [np.eye(6)] * 2, [POINT, NOTHING])
    assert doubts(nothing, np.ones(2), 0.0, None) == []
    for function, model in ((aba, load("double_pendulum")), (rnea, arm()), (crba, arm())):     # two do not divide
        assert record(function, model, watched=model).program.count()["sqrt"] == 0


def test_a_pivot_is_compared_with_what_it_might_be(monkeypatch):
    model = Model([0, 1, 2], [Revolute("x"), Fixed(), Helical(0.5, (1, 2, 2))], [np.eye(6), *[xlt([1, 0, 0])] * 2],
                  [mcI(2.0, [0.1, 0.2, 0.3], np.diag([0.4, 0.5, 0.6]))] * 3)
    I, pivots = composite_inertias(model, [0.3, 0.4]), excess(model, [0.3, 0.4])
    monkeypatch.setattr("rbdlib.compile.singular_states.DOUBTFUL", 1.0)
    turning = [np.trace(I[i][:3, :3]) for i in (1, 3)]
    close(pivots - excess(model, [0.3, 0.4]), [turning[0], turning[1] + 0.5**2 * 3 * 2.0], 1e-9)


@pytest.mark.parametrize("left", [np.nan, -1e-300])
def test_results_are_nan_where_a_pivot_is_no_number_or_too_small(left):
    tape = Simplifier(2)
    outputs, _ = taken_apart(np.array([1.0, 0.0, 2.5]), (), one_where([Recorded(tape, 0), Recorded(tape, 1)]))
    found = np.empty((3, 3))
    make(Program((Argument("left", (2,)),), tuple(tape.assignments), tuple(outputs)))(
        [np.array([[1.0, 2.0], [3.0, left], [0.5, 1e9]])], [found])
    assert found[[0, 2]].tolist() == [[1, 0, 2.5]] * 2 and np.isnan(found[1]).all()
