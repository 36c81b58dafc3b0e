"""The sparse method where constraints repeat others, or nearly: near singular configurations, in open loops."""

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import Model
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.contact.impact import impulse_step
from rbdlib.loops.coordinates import inverse_dynamics
from rbdlib.loops.dynamics import by_loop_constraints
from rbdlib.loops.sparse_method import by_sparse_equation as sparse_dynamics
from tests.sources.ch03_systems import parallelogram


def loaded_cranks(cranks):
    """Equal cranks in the plane, joined by a coupler: they all turn alike, and it does not turn."""
    def rod(m, l):
        return mcI(m, [l / 2, 0, 0], np.diag([1e-3, m * l**2 / 12 + 1e-3, m * l**2 / 12 + 1e-3]))

    places = [2, 1][: cranks - 1]
    return Model([0, 1, *[0] * (cranks - 1)], [Revolute()] * (cranks + 1),
                 [np.eye(6), xlt([1, 0, 0]), *(xlt([x, 0, 0]) for x in places)], [rod(1, 1), rod(2, 2)]
                 + [rod(1, 1)] * (cranks - 1), (0, -9.81, 0),
                 loops=[LoopJoint(2, i, Revolute(), xlt([x, 0, 0]), xlt([1, 0, 0])) for i, x in enumerate(places, 3)])


@pytest.mark.parametrize("cranks", [2, 3])
def test_the_sparse_method_is_right_near_flat_and_loaded(cranks):
    """Where a parallelogram is nearly flat, its constraints nearly repeat others, and its forces are large."""
    model, turn = loaded_cranks(cranks), np.array([1, -1, *[1] * (cranks - 1)])
    inertia = cranks * (1 / 3 + 1e-3) + 2 * 1**2                    # of the cranks about their pins, and the coupler's
    for angle in (1e-3, 1e-4, 2e-5, 1e-5, 1e-6, 1e-7):
        found = sparse_dynamics(model, angle * turn, np.zeros(model.nv), np.eye(model.nv)[0]).qdd
        expected = (1 - 9.81 * np.cos(angle) * (cranks / 2 + 2)) / inertia
        assert_allclose(found, expected * turn, rtol=1e-7, err_msg=str(angle))


@pytest.mark.parametrize("mass", [1e-9, 1e-3, 1e3, 1e6])
@pytest.mark.parametrize("angle", [0.8, 1e-2, 1e-4, 1e-6])
def test_light_and_heavy_bodies_go_together_in_the_sparse_method(mass, angle):
    model = parallelogram()
    model = model.replace(inertia=[mass * model.inertia[1], *model.inertia[2:]])
    q, rest, tau = angle * np.array([1, -1, 1]), np.zeros(3), np.array([1.0, 0, 0])
    expected = by_loop_constraints(model, q, rest, tau, method="coordinates")[0]
    assert_allclose(sparse_dynamics(model, q, rest, tau).qdd, expected, rtol=1e-7)


def test_neither_an_open_loop_locks_the_sparse_method_or_impulses_nor_does_a_structure_move():
    """The third crank opens its loop by the gap, which says nothing about the motion."""
    model, turn = loaded_cranks(3), np.array([1, -1, 1, 1])
    expected = sparse_dynamics(model, 0.8 * turn, turn, np.zeros(4)).qdd
    assert np.abs(expected).max() > 1
    for gap in (1e-9, 1e-7, 1e-5, 1e-4):
        q = 0.8 * turn + gap * np.array([0, 1, 0.5, -1])
        found = sparse_dynamics(model, q, turn, np.zeros(4)).qdd
        assert_allclose(found, expected, atol=1e-9 + 100 * gap * np.abs(expected).max(), err_msg=str(gap))
        if gap <= 1e-7:                                             # more breaks the constraints
            qdd = sparse_dynamics(model, q, turn, np.eye(4)[0]).qdd
            assert_allclose(inverse_dynamics(model, q, turn, qdd, [0]), np.eye(4)[0], atol=1e-4)
        assert_allclose(impulse_step(model, q, np.eye(4)[0]), impulse_step(model, 0.8 * turn, np.eye(4)[0]), atol=0.01)

    still = model.replace(gravity=(0, 0, 0))
    assert not sparse_dynamics(still, 0.8 * turn, np.zeros(4), np.zeros(4)).qdd.any()
    # A bar on two hinges side by side: no acceleration is left, and what rounding leaves contradicts nothing.
    place = xlt([0.1, 0, 0])
    model = Model([0], [Revolute()], [np.eye(6)], [mcI(1, [0.5, 0, 0], 0.1 * np.eye(3))],
                  loops=[LoopJoint(0, 1, Revolute(), place, place)])
    assert_allclose(sparse_dynamics(model, [0], [0], [1.0]).qdd, 0, atol=1e-9)


@pytest.mark.filterwarnings("ignore:Joint .* H is singular")
def test_the_sparse_method_says_why_it_has_no_answer():
    """Of three cranks that are said to turn at different speeds the pins ask for different accelerations."""
    exact = np.array([mpmath.mpf(x) for x in (0.8, -0.8, 0.8)])
    for model, state, message in (
            (loaded_cranks(3), ([0.8, -0.8, 0.8, 0.8], [1.0, -1, 1, 2], np.zeros(4)),
             r"The constraints contradict one another: .* by_loop_constraints"),
            (parallelogram(), (exact, 0 * exact, exact), "The loop constraints repeat others, which the sparse method "
             "can deal with for floats only. Use floats, or by_loop_constraints."),
            (parallelogram().replace(inertia=[np.zeros((6, 6))] * 3), (exact**0, [0, 0, 0], [1, 0, 0]),
             "A motion has no inertia, which the sparse method")):
        with pytest.raises(ValueError, match=message):
            sparse_dynamics(model, *state)
