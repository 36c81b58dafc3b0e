"""RBDA Example 11.1: the disc in the slot that narrows, where no contact forces can do what the walls demand. To the
left of the line L, x = 0, the walls are straight, y = r and y = -r. To the right each is an arc of the radius R that is
tangent to the straight part at L, so that its centre lies on L, R - r beyond the centre line."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from rbdlib import Model
from rbdlib.book.ch02_spatial import mcI
from rbdlib.book.ch04_joints import Prismatic, Revolute
from rbdlib.book.ch11_contact import Contact
from rbdlib.contact import accelerations_by_qp, joint_space_normals, separation_velocities, solve_lcp, system_impact
from rbdlib.contact.systems import contact_dynamics, contact_equations
from tests.sources.helpers import close, derivative

R, r, MASS = 1.5, 0.5, 2.0
METHODS = "lemke", "dantzig"


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
    return np.array(found)


#: On joints that let D slide along x and y and let it turn; horizontal, so that gravity does nothing.
DISC = Model([0, 1, 2], [Prismatic("x"), Prismatic("y"), Revolute()], [np.eye(6)] * 3,
             [np.zeros((6, 6)), np.zeros((6, 6)), mcI(MASS, [0, 0, 0], np.diag([0.125, 0.125, MASS * r * r / 2]))])


def walls(q, qd):
    q, qd = np.array(q, dtype=float), np.array(qd, dtype=float)
    given = normals(q), derivative(lambda t: normals(q + t * qd)), gaps(q), ("upper wall", "lower wall")
    return [Contact(0, 3, *each) for each in zip(*given, strict=True)]


def dynamics(q, qd, tau, **more):
    return contact_dynamics(DISC, q, qd, tau, walls(q, qd), **more)


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
        assert max(gaps([x, y]).min() for y in np.linspace(-0.1, 0.1, 21)) < 0
        assert (normals(np.array([x, 0.0]))[:, 3] < 0).all()


@pytest.mark.source("RBDA-X11.1", "RBDA-S11.2-7")
def test_a_disc_that_moves_to_the_right_at_L_has_no_contact_forces():
    rng = np.random.default_rng(111)
    for speed, method in product((0.8, -0.8, 1e-3), METHODS):
        force = rng.normal(size=3)
        q, qd = np.zeros(3), np.array([speed, 0, 0.7])
        M, d = contact_equations(DISC, q, qd, force, walls(q, qd))
        close(M, [[1 / MASS, -1 / MASS], [-1 / MASS, 1 / MASS]])
        close(d, [-force[1] / MASS - speed**2 / (R - r), force[1] / MASS - speed**2 / (R - r)], 1e-10)
        close((M @ rng.uniform(0, 10, 2) + d).sum(), -2 * speed**2 / (R - r), 1e-12)
        result = dynamics(q, qd, force, method=method)
        assert result.status == "infeasible" and not keeps_apart(M, d)
        assert result.qdd is result.lam is result.zeta_dot is accelerations_by_qp(DISC, q, qd, force, walls(q, qd))
        assert result.lam is None
    assert result.states == ["3", "3"]
    close(result.solution.ray, [1, 1])


@pytest.mark.source("RBDA-X11.1")
@pytest.mark.parametrize("method", METHODS)
def test_a_disc_that_rests_on_L_is_not_held_against_a_force_to_the_right(method):
    """The equations have solutions, but the motion they allow is forbidden: both gaps close."""
    force, t = np.array([3.0, -1.0, 0.0]), 0.01
    result = dynamics(np.zeros(3), np.zeros(3), force, method=method)
    assert result.status == "non-unique"
    close(result.qdd, [force[0] / MASS, 0, 0], 1e-12)
    assert (gaps(result.qdd * t * t / 2) < 0).all()
    q, qd = result.qdd * t * t / 2 * [0, 1, 1], result.qdd * t      # the instant after it moves, nothing can be done
    assert not keeps_apart(*contact_equations(DISC, q, qd, force, walls(q, qd)))


@pytest.mark.source("RBDA-X11.1", "RBDA-S11.2-7")
@pytest.mark.parametrize("method", METHODS)
def test_between_straight_walls_forces_may_be_added_to_both(method):
    q, qd, force = np.array([-0.4, 0, 0.1]), np.array([2.0, 0, 1.3]), np.array([0.3, -1.2, 0.7])
    M, d = contact_equations(DISC, q, qd, force, walls(q, qd))
    close(d[0] + d[1], 0)
    result = dynamics(q, qd, force, method=method)
    assert result.status == "non-unique"
    close(result.qdd, [force[0] / MASS, 0, 2 * force[2] / (MASS * r * r)], 1e-10)
    close(result.lam[1] - result.lam[0], -force[1], 1e-10)
    for more in (0.0, 20.0):
        close(M @ (result.lam + more) + d, np.zeros(2), 1e-10)
    opening = solve_lcp(M, d + [0.3, 0.2], method)                  # walls that give way: one lam
    assert opening.status == "unique" and opening.lam.min() == 0 < opening.lam.max()


@pytest.mark.source("RBDA-X11.1")
def test_a_little_beyond_L_the_walls_hold_the_disc():
    """The practical remedy: a small overlap turns both normals against the motion."""
    beyond, force = np.array([0.01, 0, 0]), np.array([3.0, -0.1, 0])
    assert -1e-3 < gaps(beyond).max() < 0
    T = joint_space_normals(DISC, beyond, walls(beyond, np.zeros(3)))
    assert (T[0] < 0).all()
    with pytest.raises(ValueError, match="overlap"):
        dynamics(beyond, np.zeros(3), force)
    result = dynamics(beyond, np.zeros(3), force, tolerance=(1e-3, 1e-6))
    close(result.qdd, np.zeros(3), 1e-9)
    close(T @ result.lam, -force, 1e-9)
    assert result.lam.min() > 49 * force[0]                         # nearly parallel walls squeeze the disc
    moving = np.array([0.2, 0, 0])
    contacts = walls(beyond, moving)
    assert (separation_velocities(DISC, beyond, moving, contacts) < 0).all()
    hit = system_impact(DISC, beyond, moving, contacts, tolerance=None)
    assert (hit.lam > 0).all()
    close(hit.qd, np.zeros(3), 1e-10)
    # on L itself no impulse arrests it: the walls do not notice its motion
    close(system_impact(DISC, np.zeros(3), moving, walls(np.zeros(3), moving)).qd, moving, 1e-12)
