"""RBDA Example 11.1: the disc in the slot that narrows, where no contact forces can do what the walls demand.

To the left of the line L, x = 0, the walls are straight, y = r and y = -r. To the right each is an arc of the radius R
that is tangent to the straight part at L, so that its centre lies on L, R - r beyond the centre line.
"""

import numpy as np
import pytest
from scipy.optimize import linprog

from rbdlib import Model
from rbdlib.contact import (
    Contact,
    contact_dynamics,
    contact_equations,
    joint_space_normals,
    separation_velocities,
    several_contacts,
    system_impact,
)
from rbdlib.joints import Prismatic, Revolute
from rbdlib.spatial import mcI
from tests.sources.ch11_systems import holding_sets
from tests.sources.helpers import close, derivative, second_derivative

R, r, MASS = 1.5, 0.5, 2.0
METHODS = ["lemke", "dantzig"]


@pytest.fixture
def rng():
    return np.random.default_rng(111)


def gaps(q):
    """phi_1 of the upper and phi_2 of the lower wall, for the centre D = (x, y) of the disc; accepts complex q."""
    x, y = q[:2]
    if np.real(x) < 0:
        return np.array([-y, y])
    return np.array([R - r - np.sqrt(x * x + (y + R - r) ** 2), R - r - np.sqrt(x * x + (y - R + r) ** 2)])


def normals(q):
    """n_1 and n_2, spatial unit forces: out of the walls, towards the centre of the arc or straight across."""
    found = []
    for side in (1, -1):
        out = np.array([0 * q[0], -side + 0 * q[1], 0])
        if np.real(q[0]) >= 0:
            to_centre = np.array([-q[0], -side * (R - r) - q[1], 0])
            out = to_centre / np.sqrt(to_centre @ to_centre)
        found.append(np.concatenate([np.cross(np.array([q[0], q[1], 0]), out), out]))
    return found


def disc():
    """The disc, on joints that let D slide along x and y and let it turn; horizontal, so that gravity does nothing."""
    nothing = np.zeros((6, 6))
    body = mcI(MASS, [0, 0, 0], np.diag([0.125, 0.125, MASS * r * r / 2]))
    return Model([0, 1, 2], [Prismatic("x"), Prismatic("y"), Revolute()], [np.eye(6)] * 3, [nothing, nothing, body])


def walls(q, qd):
    q, qd = np.array(q, dtype=float), np.array(qd, dtype=float)
    rates = [derivative(lambda t, k=k: normals(q + t * qd)[k]) for k in (0, 1)]
    return [Contact(0, 3, n, rate, phi, name) for n, rate, phi, name in
            zip(normals(q), rates, gaps(q), ("upper wall", "lower wall"), strict=True)]


def equations(q, qd, tau):
    return contact_equations(disc(), q, qd, tau, walls(q, qd))


def dynamics(q, qd, tau, **more):
    return contact_dynamics(disc(), q, qd, tau, walls(q, qd), **more)


def keeps_apart(M, d):
    """Whether any lam >= 0 makes zeta_dot >= 0, by linear programming."""
    return linprog(np.zeros(len(d)), A_ub=-M, b_ub=d, bounds=(0, None)).status == 0


@pytest.mark.source("RBDA-F11.3")
def test_the_slot_is_as_wide_as_the_disc_and_narrows_beyond_L():
    for x in (-1.0, -0.2, 0.0):
        close(gaps([x, 0.0]), [0, 0])
        close(normals(np.array([x, 0.0]))[0], -normals(np.array([x, 0.0]))[1])
    close(normals(np.zeros(2))[0], [0, 0, 0, 0, -1, 0])             # n_1, of the upper wall, points down
    for x in (0.05, 0.2):
        for y in np.linspace(-0.1, 0.1, 21):
            assert gaps([x, y]).min() < 0
        n_1, n_2 = normals(np.array([x, 0.0]))
        assert n_1[3] < 0
        assert n_2[3] < 0


def test_the_contacts_of_the_slot_are_the_gradients_of_its_gaps(rng):
    q, qd, qdd = np.array([0.1, 0.02, 0.4]), rng.normal(size=3), rng.normal(size=3)
    T = joint_space_normals(disc(), q, walls(q, qd))
    close(T, [derivative(lambda t, e=e: gaps(q + t * e)) for e in np.eye(3)], 1e-10)
    M, d = equations(q, qd, [MASS * qdd[0], MASS * qdd[1], MASS * r * r / 2 * qdd[2]])
    close(d, second_derivative(lambda t: gaps(q + t * qd + t * t / 2 * qdd)), 1e-8)
    close(M, T.T @ np.diag([1 / MASS, 1 / MASS, 2 / (MASS * r * r)]) @ T, 1e-10)


@pytest.mark.source("RBDA-X11.1", "RBDA-S11.2-7")
@pytest.mark.parametrize("method", METHODS)
def test_a_disc_that_moves_to_the_right_at_L_has_no_contact_forces(method, rng):
    for speed in (0.8, -0.8, 1e-3):
        force = rng.normal(size=3)
        q, qd = np.zeros(3), np.array([speed, 0, 0.7])
        M, d = equations(q, qd, force)
        m = normals(q)[0] @ np.linalg.solve(mcI(MASS, [0, 0, 0], np.eye(3)), normals(q)[0])
        assert m > 0
        close(M, [[m, -m], [-m, m]])
        close(d, [-force[1] / MASS - speed**2 / (R - r), force[1] / MASS - speed**2 / (R - r)], 1e-10)
        lam = rng.uniform(0, 10, 2)
        close((M @ lam + d).sum(), -2 * speed**2 / (R - r), 1e-12)
        result = dynamics(q, qd, force, method=method)
        assert result.status == "infeasible"
        assert result.qdd is result.lam is result.zeta_dot is None
        assert not holding_sets(M, d)
        assert not keeps_apart(M, d)
    assert result.states == ["3", "3"]
    close(result.solution.certificate, [1, 1])
    planar = several_contacts(np.diag([MASS * r * r / 2, MASS, MASS]), [0, 0.8, 0], np.zeros(3),
                              np.array([[0, 0], [0, 0], [-1, 1]]), [-0.64, -0.64], method)
    assert (planar.status, planar.a) == ("infeasible", None)


@pytest.mark.source("RBDA-X11.1")
@pytest.mark.parametrize("method", METHODS)
def test_a_disc_that_rests_on_L_is_not_held_against_a_force_to_the_right(method):
    """The equations have solutions, but the motion they allow is forbidden: both gaps close."""
    force = np.array([3.0, -1.0, 0.0])
    result = dynamics(np.zeros(3), np.zeros(3), force, method=method)
    assert result.status == "non-unique"
    close(result.qdd, [force[0] / MASS, 0, 0], 1e-12)
    for t in (0.01, 0.1):
        assert (gaps(result.qdd * t * t / 2) < 0).all()
    # the instant after it moves, and so nothing can be done any more
    t = 0.01
    M, d = equations(result.qdd * t * t / 2 * [0, 1, 1], result.qdd * t, force)
    assert not keeps_apart(M, d)


@pytest.mark.source("RBDA-X11.1", "RBDA-S11.2-7")
@pytest.mark.parametrize("method", METHODS)
def test_between_straight_walls_forces_may_be_added_to_both(method, rng):
    q, qd, force = np.array([-0.4, 0, 0.1]), np.array([2.0, 0, 1.3]), rng.normal(size=3)
    M, d = equations(q, qd, force)
    close(d[0] + d[1], 0)
    result = dynamics(q, qd, force, method=method)
    assert result.status == "non-unique"
    close(result.qdd, [force[0] / MASS, 0, 2 * force[2] / (MASS * r * r)], 1e-10)
    close(result.lam[1] - result.lam[0], -force[1], 1e-10)
    for more in (0.0, 1.0, 20.0):
        lam = result.lam + more
        close(M @ lam + d, np.zeros(2), 1e-10)


@pytest.mark.source("RBDA-X11.1")
def test_a_little_beyond_L_the_walls_hold_the_disc():
    """The practical remedy: a small overlap turns both normals against the motion."""
    beyond, force = np.array([0.01, 0, 0]), np.array([3.0, -0.1, 0])
    assert -1e-3 < gaps(beyond).max() < 0
    T = joint_space_normals(disc(), beyond, walls(beyond, np.zeros(3)))
    assert (T[0] < 0).all()
    with pytest.raises(ValueError, match="overlap"):
        dynamics(beyond, np.zeros(3), force)
    result = dynamics(beyond, np.zeros(3), force, tolerance=(1e-3, 1e-6))
    assert (result.lam > 0).all()
    close(result.qdd, np.zeros(3), 1e-9)
    close(T @ result.lam, -force, 1e-9)
    # the walls are nearly parallel, and squeeze the disc with fifty times the force that they hold
    assert result.lam.min() > 49 * force[0]
    moving = np.array([0.2, 0, 0])
    contacts = walls(beyond, moving)
    assert (separation_velocities(disc(), beyond, moving, contacts) < 0).all()
    hit = system_impact(disc(), beyond, moving, contacts, tolerance=None)
    assert (hit.lam > 0).all()
    close(hit.qd, np.zeros(3), 1e-10)
    # on L itself no impulse arrests it: the walls do not notice its motion
    unnoticed = system_impact(disc(), np.zeros(3), moving, walls(np.zeros(3), moving))
    close(unnoticed.qd, moving, 1e-12)
