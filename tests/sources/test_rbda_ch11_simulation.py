"""RBDA section 11.5: Table 11.1 against a simulation that solves the LCP wherever it asks for accelerations. Bodies in
a plane have q = (x, z, theta), their own masses and distances here; nothing of rbdlib is used on that side. Then
interpolating a step: Euler's and Heun's method (RBDA Eqs 11.45-11.51)."""

import math
from functools import cache

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from rbdlib import Model
from rbdlib.analysis.accuracy import convergence_order
from rbdlib.book.ch02_spatial import mcI, rotx, xlt
from rbdlib.book.ch04_joints import Cylindrical, FreeMotion, Planar, Spherical
from rbdlib.contact import Box, Pair, Plane, Point, Segment
from rbdlib.methods.generators import auto_tree
from rbdlib.motion.integrators import BETWEEN, FIXED_STEP
from tests.sources.ch11_systems import G, at, holding_sets, kinds, run
from tests.sources.helpers import close, derivative, second_derivative


def rotation(theta):
    return np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])


class BruteForce:
    """A body in the plane x, z with contacts: at every call all that touch enter an LCP, which trying all sets solves.
    phi(q) -> (n_c); there(q) -> which contacts are within the extents of their faces. calls counts the LCPs."""
    def __init__(self, m, I, phi, there=lambda q: True):
        self.H, self.phi, self.there, self.calls = np.diag([m, m, I]), phi, there, 0

    def qdd(self, q, qd):
        free = np.array([0, -G, 0])
        T = np.array([derivative(lambda t, e=e: self.phi(q + t * e)) for e in np.eye(3)])
        touching = np.flatnonzero((self.phi(q) < 1e-6) & (T.T @ qd < 1e-6) & self.there(q))
        if not len(touching):
            return free
        self.calls += 1
        T = T[:, touching]
        d = T.T @ free + second_derivative(lambda t: self.phi(q + t * qd))[touching]
        M = T.T @ np.linalg.solve(self.H, T)
        return free + np.linalg.solve(self.H, T @ holding_sets(M, d)[0])

    def follow(self, q, qd, times):
        """q, qd at the last of the times."""
        def rate(t, y):
            return np.concatenate([y[3:], self.qdd(y[:3], y[3:])])

        found = solve_ivp(rate, times, np.concatenate([q, qd]), method="RK45", rtol=1e-6, atol=1e-8, max_step=0.02)
        return found.y[:3, -1], found.y[3:, -1]


def block_at_an_edge():
    """A block with the half-sizes a, b on a table that ends at x = 1: its two lower corners and the table's edge."""
    a, b = 0.2, 0.1

    def corners(q):
        return (q[:2, None] + rotation(q[2]) @ np.array([[-a, a], [-b, -b]])).T

    def edge(q):
        return rotation(-q[2]) @ (np.array([1, 0]) - q[:2])

    def phi(q):
        return np.array([*(corner[1] for corner in corners(q)), -b - edge(q)[1]])

    def there(q):
        return np.array([*(corner[0] <= 1 for corner in corners(q)), abs(edge(q)[0]) < a])

    return BruteForce(2.0, 2.0 / 3 * (a * a + b * b), phi, there)


BLOCK = Model([0], [FreeMotion()], [np.eye(6)], [mcI(2.0, [0, 0, 0], 2 / 12 * np.diag([0.13, 0.2, 0.25]))])
RUNNERS = [Segment([-0.2, y, -0.1], [0.2, y, -0.1], outward=[0, 0, -1]) for y in (-0.15, 0.15)]
TOP = Box((2, 2, 0.5), xlt([0, 0, -0.25]))
TABLE = [Pair(0, TOP, 1, runner, name) for runner, name in zip(RUNNERS, "lr", strict=True)]


@pytest.mark.source("RBDA-T11.1", "RBDA-A11.1")
@pytest.mark.slow
def test_a_block_that_falls_on_a_table_and_slides_off_goes_through_every_step():
    start, speed, fall, end = 0.7, 0.8, 0.02, 0.7
    landing = math.sqrt(2 * fall / G)
    motion = run(BLOCK, [1, 0, 0, 0, start, 0, 0.1 + fall], [0, 0, 0, speed, 0, 0], (0, end), contacts=TABLE)
    assert kinds(motion) == ["collision", "geometric loss", "dynamic loss", "dynamic loss"]     # steps 4, 5, 6, 6
    fallen, off, tips = motion.events[:3]
    # step 3: where they happened, not where a step of the integrator ended
    close([fallen.t, off.t, tips.t], [landing, (0.8 - start) / speed, (1 - start) / speed], 1e-8)
    assert len(fallen.contacts) == 4 and fallen.current == fallen.contacts
    close([fallen.impulse.sum(), fallen.energy_change], [2.0 * G * landing, -2.0 * G * fall], 1e-8)
    # step 5: those in front are lost, and their load passes on; step 6: those behind let go when the weight is over it
    for event, vertex in ((off, 1), (tips, 0)):
        assert [motion.names[i] for i in event.lost] == [f"{side} vertex {vertex} of successor" for side in "lr"]
        assert not event.impulse.any()

    brute = block_at_an_edge()
    q, qd = brute.follow([start + speed * landing, 0.1, 0.0], [speed, 0.0, 0.0], (landing, end))
    p_0, _, p_y, _, x, _, z = motion.q[-1]                          # it has turned about y only
    close([x, z, -2 * math.atan2(p_y, p_0)], q, 2e-5)
    close([motion.qd[-1, 1]], [-qd[2]], 2e-4)
    assert q[2] < -0.01                                             # it has tipped
    # no LCP but at the start and where something happens
    assert motion.solutions <= len(motion.events) + 1 and 20 * motion.solutions < brute.calls


@pytest.mark.source("RBDA-A11.1", "RBDA-T11.1")
@pytest.mark.slow
def test_a_ladder_against_a_wall_falls_as_the_brute_force_says():
    """The top lets go when its centre is at two thirds of the height it started from; then nothing acts along x."""
    L, m, lean, end = 2.0, 3.0, 1.0, 0.7
    model = Model([0], [Planar()], [rotx(math.pi / 2)], [mcI(m, [0, 0, 0], m * L * L / 12 * np.eye(3))])
    foot = Pair(0, Plane(), 1, Point([-L / 2, 0, 0]), "foot")
    top = Pair(0, Plane([0, 0, 0], [1, 0, 0]), 1, Point([L / 2, 0, 0]), "top")
    q = np.array([math.pi - lean, L / 2 * math.cos(lean), L / 2 * math.sin(lean)])
    motion = run(model, q, np.zeros(3), (0, end), contacts=[foot, top])

    def phi(q):
        along = rotation(q[2]) @ np.array([L / 2, 0])
        return np.array([q[1] - along[1], q[0] + along[0]])

    brute = BruteForce(m, m * L * L / 12, phi)
    found, _ = brute.follow([*q[1:], q[0]], np.zeros(3), (0, end))
    close(motion.q[-1], found[[2, 0, 1]], 2e-5)
    assert motion.solutions == len(motion.events) + 1 and 20 * motion.solutions < brute.calls
    (event,) = motion.events
    assert (event.kind, event.names, event.current) == ("dynamic loss", ("top",), (0,))
    close(math.sin(motion.q[np.argmax(motion.t == event.t), 0]), 2 / 3 * math.sin(lean), 1e-7)
    later = [model.qdot(*state)[1] for t, *state in zip(motion.t, motion.q, motion.qd, strict=True) if t > event.t]
    close(later, np.full(len(later), later[0]), 1e-8)


FEET = np.array([[x, y, -0.5] for x in (-1, 1) for y in (-1, 1)])
FOUR_LEGS = [Pair(0, Plane(), 1, Point(foot), f"leg {i}") for i, foot in enumerate(FEET)]
INERTIA = mcI(2.0, [0, 0, 0], np.diag([0.7, 0.7, 1.3]))
TABLE_WITH_LEGS = Model([0], [FreeMotion()], [np.eye(6)], [INERTIA])
T = np.array([[*np.cross(foot, [0, 0, 1]), 0, 0, 1] for foot in FEET]).T


def load(t):
    """A load of 30 N that goes round on the table, and its weight, as a force on the body in its own coordinates."""
    C = np.array([0.7 * math.cos(t), 0.4 * math.sin(t), 0])
    return np.array([*np.cross(C, [0, 0, -30.0]), 0, 0, -30.0]) + [0, 0, 0, 0, 0, -2 * G]


def held_by(active, t):
    """lam of the active legs as equality constraints: equations of motion and constraints in one matrix."""
    T_A, k = T[:, list(active)], len(active)
    KKT = np.block([[INERTIA, -T_A], [T_A.T, np.zeros((k, k))]])
    return np.linalg.solve(KKT, np.concatenate([load(t), np.zeros(k)]))[6:]


def lcp_of_all(force):
    M, d = T.T @ np.linalg.solve(INERTIA, T), T.T @ np.linalg.solve(INERTIA, force)
    return M, d, holding_sets(M, d)


@cache
def round_trip():
    def force(t, q, qd):
        f = load(t) + [0, 0, 0, 0, 0, 2 * G]
        return {1: np.concatenate([f[:3] + np.cross(q[4:], f[3:]), f[3:]])}

    return run(TABLE_WITH_LEGS, at([0, 0, 0.5]), np.zeros(6), (0, 6), contacts=FOUR_LEGS, f_ext=force, tolerance=1e-7)


@pytest.mark.slow
@pytest.mark.source("RBDA-S11.5-5")
def test_the_active_set_is_a_basis_of_the_current_one_and_holds_all_that_press():
    motion = round_trip()
    for k in range(0, len(motion), 4):
        t, lam, current, active = motion.t[k], motion.lam[k], motion.current[k], motion.active[k]
        C, A = T[:, list(current)], T[:, list(active)]
        assert set(np.flatnonzero(lam)) <= set(active) <= set(current)
        assert np.linalg.matrix_rank(A) == len(active) == np.linalg.matrix_rank(C)
        # as equality constraints the active ones do what the LCP of all says, and press, but for the last instant
        equal = np.zeros(4)
        equal[list(active)] = held_by(active, t)
        close(lam, equal, 1e-6)
        M, d, solutions = lcp_of_all(load(t))
        assert lam.min() > -1e-5
        close(T @ lam, T @ solutions[0], 1e-5)
        # zeta_dot = 0 at every current contact, those that are not active included
        close((M @ equal + d)[list(current)], np.zeros(len(current)), 1e-9)


@pytest.mark.slow
@pytest.mark.source("RBDA-S11.5-5")
def test_a_current_contact_found_to_part_is_removed():
    """A foot that is pulled up ever harder: it breaks loose, and the leg across goes on standing."""
    def pull(t, q, qd):
        C, f = q[4:] + FEET[0], np.array([0, 0, 20 * t])
        return {1: np.concatenate([np.cross(C, f), f])}

    motion = run(TABLE_WITH_LEGS, at([0, 0, 0.5]), np.zeros(6), (0, 0.8), contacts=FOUR_LEGS, f_ext=pull)
    event = next(event for event in motion.events if event.lost)
    assert event.kind == "dynamic loss" and 0 in event.lost and 3 in event.current
    f = 20 * (event.t + 1e-3)
    M, d, solutions = lcp_of_all(np.array([*np.cross(FEET[0], [0, 0, f]), 0, 0, f - 2 * G]))
    parts = np.flatnonzero(M @ solutions[0] + d > 1e-9)
    assert set(parts) == set(event.lost) == set(range(4)) - set(event.current)
    assert motion.phi[-1, 0] > 1e-3


@pytest.mark.slow
@pytest.mark.source("RBDA-S11.5-6")
def test_a_negative_force_changes_the_active_set_and_not_always_the_current_one():
    motion = round_trip()
    active = motion.active[0]
    assert [active, *(event.active for event in motion.events)] == [(1, 2, 3), (0, 1, 2), (1, 2, 3)]
    for event in motion.events:
        assert event.kind == "active set" and event.current == (0, 1, 2, 3) and not event.lost
        assert event.active != active
        # the force of the old active contact was about to become negative, and does if it is held on
        (i,) = event.contacts
        assert abs(held_by(active, event.t)[active.index(i)]) < 1e-4
        assert held_by(active, event.t + 0.05)[active.index(i)] < -1e-3
        M, d, solutions = lcp_of_all(load(event.t + 0.05))
        close(M @ solutions[0] + d, np.zeros(4), 1e-9)              # and yet no leg is lifted
        assert held_by(event.active, event.t + 0.05).min() > 0
        active = event.active
    close(motion.q, np.tile(motion.q[0], (len(motion), 1)), 1e-9)


@pytest.mark.slow
@pytest.mark.source("RBDA-S11.5-6")
def test_a_negative_force_that_no_other_contact_makes_up_for_changes_both_sets():
    """A table lifted ever harder leaves the floor when the force is its weight, and rises as the cube of time."""
    def pull(t, q, qd):
        f = np.array([0, 0, 10 * t])
        return {1: np.concatenate([np.cross(q[4:], f), f])}

    motion = run(TABLE_WITH_LEGS, at([0, 0, 0.5]), np.zeros(6), (0, 2.2), contacts=FOUR_LEGS, f_ext=pull)
    event, leaves = motion.events[-1], 2 * G / 10
    assert event.kind == "dynamic loss" and event.current == event.active == () and event.lost == (0, 1, 2, 3)
    assert event.energy_change == 0
    close(event.t, leaves, 1e-6)
    close(motion.q[-1, 6], 0.5 + 10 / 2 / 6 * (2.2 - leaves) ** 3, 1e-8)


#: ẏ = A y + b t with y = [q; qd]: a forced and damped spring, of which everything is known in closed form.
A, b = np.array([[0, 1], [-2.0, -0.3]]), np.array([0, 0.7])
METHODS = [("euler", 1), ("heun", 2)]
START = np.array([0.35, 0.82]), -0.71, 0.48         # y, t, h


def f(y, t):
    return A @ y + b * t


def acceleration(t, q, qd):
    return A[1, :1] @ q[None, :] + A[1, 1:] @ qd[None, :] + b[1:] * t


def stepped(method, y, t, h):
    """A step of the library's integrator, as the vector y."""
    return np.concatenate(FIXED_STEP[method](lambda q, u: q + u, acceleration, t, y[:1], y[1:], h))


def within(method, y, t, h):
    """The library's function of delta, as the vector y."""
    states = BETWEEN[method](lambda q, u: q + u, acceleration, t, y[:1], y[1:], h)
    return lambda delta: np.concatenate(states(delta))


def exact(y, t, h):
    """y(t + h): the particular solution c + d t and a matrix exponential of what starts from y."""
    d = np.linalg.solve(A, -b)
    c = np.linalg.solve(A, d)
    return expm(A * h) @ (y - c - d * t) + c + d * (t + h)


def polynomials(method, y_0, t_0, h):
    """p(t), one polynomial for each entry of y: a constant k, or a line through k_1 at t_0 and k_2 at t_0 + 2/3 h."""
    k_1 = f(y_0, t_0)
    if method == "euler":
        return [Polynomial([k]) for k in k_1]
    k_2 = f(y_0 + 2 / 3 * h * k_1, t_0 + 2 / 3 * h)
    return [Polynomial.fit([t_0, t_0 + 2 / 3 * h], pair, 1) for pair in zip(k_1, k_2, strict=True)]


@pytest.mark.source("RBDA-11.45", "RBDA-11.46", "RBDA-11.47", "RBDA-11.48", "RBDA-11.49", "RBDA-11.50", "RBDA-11.51")
def test_a_step_integrates_a_polynomial_and_can_be_cut_short_anywhere():
    y_0, t_0, h = START
    k_1 = f(y_0, t_0)
    k_2 = f(y_0 + 2 / 3 * h * k_1, t_0 + 2 / 3 * h)
    assert_allclose(stepped("euler", *START), y_0 + h * k_1, rtol=1e-14)                            # (11.47)
    assert_allclose(stepped("heun", *START), y_0 + h * (k_1 / 4 + 3 / 4 * k_2), rtol=1e-14)         # (11.50)
    for delta in (0, 0.2, 0.4, 2 / 3, 0.9, 1):
        t = t_0 + delta * h
        euler, heun = (within(method, *START)(delta) for method in ("euler", "heun"))
        assert_allclose(euler, y_0 + (t - t_0) * k_1, rtol=1e-13)                                   # (11.48)
        assert_allclose(euler, y_0 + h * k_1 * delta, rtol=1e-14)                                   # (11.49)
        printed = y_0 + h * ((delta - 3 / 4 * delta**2) * k_1 + 3 / 4 * delta**2 * k_2)
        assert_allclose(heun, printed, rtol=1e-13)                                                  # (11.51)
        for method, now in (("euler", euler), ("heun", heun)):
            p, y = polynomials(method, *START), within(method, *START)
            assert_allclose(now, y_0 + [p_k.integ(lbnd=t_0)(t) for p_k in p], rtol=1e-13)   # (11.45), (11.46)
            slope = (y(delta + 1e-4) - y(delta - 1e-4)) / (2e-4 * h)
            assert_allclose(slope, [p_k(t) for p_k in p], rtol=1e-8)                                # ẏ = p


@pytest.mark.source("RBDA-S11.5-8", "RBDA-11.47", "RBDA-11.50")
@pytest.mark.parametrize(("method", "order"), METHODS)
def test_the_degree_of_p_is_one_less_than_the_order_of_errors_within_a_step(method, order):
    y_0, t_0, _ = START
    assert max(p_k.trim(1e-9).degree() for p_k in polynomials(method, y_0, t_0, 0.1)) == order - 1
    for deltas in (np.linspace(0, 1, 11), (1,)):                        # on the way, and at the end of the step
        errors = [max(np.abs(within(method, y_0, t_0, h)(delta) - exact(y_0, t_0, delta * h)).max()
                      for delta in deltas) for h in (0.02, 0.01)]
        assert errors[0] / errors[1] == pytest.approx(2 ** (order + 1), rel=0.1)


@pytest.mark.slow
@pytest.mark.source("RBDA-S11.5-8")
@pytest.mark.parametrize(("method", "order"), METHODS)
def test_orders_on_curved_spaces(method, order):
    model = auto_tree(3, seed=5, joints=[FreeMotion(), Spherical(), Cylindrical()])
    q, qd = model.random_state(np.random.default_rng(1))
    steps = (10, 20, 40)
    assert convergence_order(method, model, q, qd, 0.1, steps, local=True).order == pytest.approx(order + 1, abs=0.1)
    assert convergence_order(method, model, q, qd, 0.1, steps).order == pytest.approx(order, abs=0.1)
    arguments = lambda q, u: model.integrate(q, u, 1.0), lambda t, q, qd: -qd, 0.0, q, qd, 0.1
    y = BETWEEN[method](*arguments)
    for part, whole in zip(y(1), FIXED_STEP[method](*arguments), strict=True):
        assert_allclose(part, whole, rtol=1e-12)
    assert_allclose(np.linalg.norm(y(0.37)[0][:4]), 1, rtol=1e-14)                      # still a unit quaternion
