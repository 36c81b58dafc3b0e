"""Motions end where an event of the user's own does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ellipk

from rbdlib import load
from rbdlib.loops.closing import close_loops
from rbdlib.methods.geared_trees import Gear, GearedTree
from rbdlib.motion.phases import root
from rbdlib.motion.simulate import simulate
from rbdlib.motion.until import simulate_until

PENDULUM = load("simple_pendulum")


@pytest.mark.parametrize("options", [{}, {"compiled": False}, {"method": "rk4", "dt": 2e-2, "compiled": False}])
def test_a_pendulum_passes_through_its_lowest_point_after_a_quarter_of_its_period(options):
    quarter = ellipk(np.sin(1.0 / 2) ** 2) * np.sqrt(1 / 9.81)
    for t_span in ((0, 1), np.linspace(0, 1, 15)):
        swing = simulate_until(PENDULUM, [1.0], [0], t_span, lambda t, q, qd: q[0], **options)
        assert_allclose(swing.t[-1], quarter, rtol=1e-7)
        assert abs(swing.q[-1, 0]) < 1e-9 and (swing.q[:-1, 0] > 0).all()
        assert_allclose(swing.energy, swing.energy[0], rtol=1e-6)


@pytest.mark.slow
def test_an_event_that_is_zero_at_the_start_must_come_again_and_one_that_never_comes_ends_nothing():
    out_and_back = simulate_until(PENDULUM, [0.0], [1.0], (0, 3), lambda t, q, qd: q[0])
    assert_allclose(out_and_back.t[-1], 2 * ellipk((1 / 9.81) / 4) * np.sqrt(1 / 9.81), rtol=1e-7)
    exactly = simulate_until(PENDULUM, [0.1], [0], [-1, -0.5, 0], lambda t, q, qd: -0.5 - t)
    assert exactly.t.tolist() == [-1, -0.5]
    back_first = simulate_until(PENDULUM, [0.0], [-1.0], (0, 5), lambda t, q, qd: q[0])
    assert_allclose(back_first.t[-1], 2 * out_and_back.t[-1], rtol=1e-7)
    for t in (1, 2):                                    # the next fall, when a motion goes on from the last
        end = simulate_until(PENDULUM, [t], [0], (0, 1), lambda t, q, qd: q[0])
        again = simulate_until(PENDULUM, end.q[-1], end.qd[-1], (0, 3), lambda t, q, qd: q[0], compiled=False)
        assert_allclose(again.t[-1], 4 * end.t[-1], rtol=1e-6)
    whole, same = simulate(PENDULUM, [0.1], [0], (0, 1)), simulate_until(PENDULUM, [0.1], [0], (0, 1), lambda *_: 1)
    assert_allclose(whole.q, same.q)


def test_loops_and_gears_end_at_their_events_too():
    loop = load("four_bar")
    q = close_loops(loop, loop.neutral() + 0.3)
    swing = simulate_until(loop, q, np.zeros(loop.nv), (0, 0.1), lambda t, q, qd: 0.03 - t, compiled=False)
    assert_allclose(swing.t[-1], 0.03)
    assert swing.loop_gaps.max() < 1e-8
    geared = GearedTree(load("double_pendulum"), Gear(2, {1: -1.5}))
    motion = simulate_until(geared, [0.3], [0], (0, 1.5), lambda t, q, qd: q[0] + 0.1, compiled=False)
    assert_allclose(motion.q[-1], [-0.1, 0.15], atol=1e-9)


def test_an_event_must_be_a_function_that_returns_a_number():
    for event, error, message in ((3, TypeError, "event is 3; give a function"),
                                  (lambda t, q, qd: q * [1, 2], ValueError, "event returned .* one finite number"),
                                  (lambda *_: np.nan, ValueError, "event returned nan at t = 0 s"),
                                  (lambda *_: 1j, ValueError, "event returned 1j")):
        with pytest.raises(error, match=message):
            simulate_until(PENDULUM, [0], [0], (0, 1), event)


def test_the_root_of_a_parabola_is_found_at_the_first_look():
    looks = []

    def height(t):
        looks.append(t)
        return 1 - t - 3 * t**2

    exact = (np.sqrt(13) - 1) / 6
    assert root(height, 0.0, 1.0, lambda t: -1 - 6 * t) == pytest.approx(exact, abs=1e-14) and len(looks) <= 4
    assert root(height, 0.0, 1.0) == pytest.approx(exact, abs=1e-14)
    assert root(height, 0.5, 1.0) == 0.5 and root(height, 0.0, 0.2) == 0.2
