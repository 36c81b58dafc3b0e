"""The floating bases and the mechanisms with loops that come with rbdlib, against geometry done by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import forward_dynamics, load
from rbdlib.inertia_matrix import inertia_matrix
from rbdlib.kinematics import body_transforms, centre_of_mass, momentum
from rbdlib.spatial import X_to_Er
from tests.sources.helpers import derivative, slope, turn
from tests.sources.linkage import vex

_, Y, Z = np.eye(3)


def point(model, q, name, P=(0, 0, 0)):
    """The point P (m) of the body ``name`` in base coordinates."""
    E, r = X_to_Er(body_transforms(model, q)[model.names.index(name)])
    return r + E.T @ np.asarray(P, float)


# Floating bases


def lamp_in_space(x, y, angle, arm, head):
    """The position of jumping_lamp.toml that is the one of lamp.toml."""
    return np.array([np.cos(angle / 2), 0, 0, np.sin(angle / 2), x, y, 0, arm, head])


@pytest.mark.parametrize("seed", range(3))
def test_the_jumping_lamp_moves_in_the_plane_as_the_plane_lamp_does(seed):
    """Same inertia, same acceleration; the velocity of the base is seen in its own axes in the one, not in the other.
    """
    rng, plane, space = np.random.default_rng(seed), load("lamp"), load("jumping_lamp")
    q, qd, torques = rng.normal(size=5), rng.normal(size=5), rng.normal(size=2)
    c, s = np.cos(q[2]), np.sin(q[2])
    G = np.zeros((8, 5))
    G[2, 2] = G[6, 3] = G[7, 4] = 1
    G[3:5, :2] = [[c, s], [-s, c]]
    G_dot_qd = np.zeros(8)
    G_dot_qd[3:5] = qd[2] * np.array([[-s, c], [-c, -s]]) @ qd[:2]
    q_space = lamp_in_space(*q)
    assert_allclose(G.T @ inertia_matrix(space, q_space) @ G, inertia_matrix(plane, q), atol=1e-12)
    qdd = forward_dynamics(plane, q, qd, [0, 0, 0, *torques])
    found = forward_dynamics(space, q_space, G @ qd, [*np.zeros(6), *torques])
    assert_allclose(found, G @ qdd + G_dot_qd, atol=1e-9)


def test_the_satellite_reaches_as_far_as_its_arm_is_long():
    satellite = load("satellite_arm")
    p, q = satellite.parameters, satellite.neutral()
    assert_allclose(point(satellite, q, "forearm", [p["l_fore"], 0, 0]),
                    [1.0 + 0.8, 0, 0.4 + 0.1], atol=1e-12)
    q[7:] = np.pi / 2, -np.pi / 2, np.pi / 2     # to the left, upper arm up, forearm out again
    assert_allclose(point(satellite, q, "forearm", [p["l_fore"], 0, 0]), [0, 0.8, 0.4 + 0.1 + 1.0], atol=1e-12)


@pytest.mark.parametrize(("name", "gravity"), [("satellite_arm", 0.0), ("falling_cat", 9.81), ("jumping_lamp", 9.81)])
def test_inner_forces_leave_the_momentum_of_a_floating_system_alone(name, gravity):
    """Only the weight changes it: the rate of momentum is m a_g, acting at the centre of mass."""
    model, rng = load(name), np.random.default_rng(7)
    q, qd = model.random_state(rng)
    qdd = forward_dynamics(model, q, qd, [*np.zeros(6), *rng.normal(size=model.nv - 6)])

    def moved(t):
        return momentum(model, model.integrate(q, qd, t), qd + t * qdd)

    weight = sum(model.inertia[i][5, 5] for i in model.bodies) * model.gravity
    assert np.linalg.norm(model.gravity) == pytest.approx(gravity)
    assert_allclose(slope(moved, h=1e-3), [*np.cross(centre_of_mass(model, q), weight), *weight], atol=1e-8)


def cat_momentum(cat, q, qd):
    """The angular momentum of two cylinders about their common centre of mass, by differentiating where they are."""
    m, l, r = (cat.parameters[name] for name in ("m", "l", "r"))
    I = m * np.diag([r**2 / 2, (3 * r**2 + l**2) / 12, (3 * r**2 + l**2) / 12])
    E, p = X_to_Er(body_transforms(cat, q)[1])
    half = np.array([l / 2, 0, 0])

    def halves(t):
        """(R, centre) of the front and of the rear; the front turns by the small vector t times the first rates."""
        R = E.T @ (np.eye(3) + t * np.cross(qd[:3], np.eye(3)).T)
        waist = p + t * E.T @ qd[3:6] - R @ (2 * half)
        R_2 = R @ turn(Y, q[7] + t * qd[6]) @ turn(Z, q[8] + t * qd[7])
        return (R, waist + R @ half), (R_2, waist - R_2 @ half)

    L, centre = np.zeros(3), sum(np.real(c) for _, c in halves(0)) / 2
    for k, (R, c) in enumerate(halves(0)):
        R_dot, v = (derivative(lambda t, k=k, j=j: halves(t)[k][j]) for j in (0, 1))
        L += m * np.cross(c - centre, v) + R @ I @ R.T @ vex(R_dot @ R.T)
    return L


def without_momentum(cat, q, rates):
    """qd with these rates of bending, and the velocity of the front at which the cat has no momentum."""
    A = np.column_stack([momentum(cat, q, e) for e in np.eye(8)])
    return np.concatenate([-np.linalg.solve(A[:, :6], A[:, 6:] @ rates), rates])


def test_the_cat_turns_over_without_angular_momentum():
    """It bends round and round like a dancer with a hoop, once: that alone turns its back towards the ground."""
    cat, beta, steps = load("falling_cat"), 1.0, 200
    q, h = cat.neutral(), 2 * np.pi / steps

    def bent(phi, pose):
        q = np.array([*pose, beta * np.cos(phi), beta * np.sin(phi)])
        qd = without_momentum(cat, q, beta * np.array([-np.sin(phi), np.cos(phi)]))
        assert_allclose(cat_momentum(cat, q, qd), 0, atol=1e-12)
        return q, qd

    for k in range(steps):                                              # the midpoint rule
        q, qd = bent(h * k, q[:7])
        _, qd = bent(h * (k + 0.5), cat.integrate(q, qd, h / 2)[:7])
        q = cat.integrate(q, qd, h)
    back = X_to_Er(body_transforms(cat, q)[1])[0].T @ Z
    assert back[2] < -0.2
