"""Potential contacts between shapes: signed distance, normal and its rate, against distances found otherwise."""

import numpy as np
import pytest

from rbdlib import Model
from rbdlib.contact.geometry import Pair
from rbdlib.contact.shapes import Box, Disc, Face, Plane, Point, Polyhedron, Segment, Sphere
from rbdlib.contact.surfaces import ImplicitSurface, ParametricSurface
from rbdlib.joints import FreeMotion
from rbdlib.kinematics import body_transforms, body_velocities
from rbdlib.scalars import cos, sin
from rbdlib.spatial import inverse_transform, mcI, plucker
from tests.sources.helpers import random_rotation

BODY = mcI(1, np.zeros(3), np.eye(3))
FLYING = Model([0, 0], [FreeMotion(), FreeMotion()], [np.eye(6)] * 2, [BODY] * 2)
TETRAHEDRON = Polyhedron([[0, 0, 0], [1, 0, 0], [0, 1.2, 0], [0.2, 0.1, 0.9]])
PENTAGON = Face([[np.cos(a), np.sin(a), 0.3] for a in 2 * np.pi * np.arange(5) / 5])
TURNED_BOX = Box([0.4, 0.7, 1.1], plucker(random_rotation(np.random.default_rng(4)), [0.1, 0.2, -0.3]))

ELLIPSOID = ImplicitSurface(lambda x: (x[0] / 0.5) ** 2 + (x[1] / 0.7) ** 2 + (x[2] / 0.4) ** 2 - 1, reach=0.5)
EGG = ImplicitSurface(lambda x: x[0] ** 2 + x[1] ** 4 + 2 * x[1] ** 2 + x[2] ** 2 * (2 + x[1]) - 0.3, reach=0.4)
PATCH = ParametricSurface(lambda u, w: np.array([u, w, 0.1 * u * u - 0.05 * w * w + 0.02 * sin(u * w)]), reach=3)
BALLOON = ParametricSurface(lambda u, w: np.array([0.5 * cos(u) * sin(w), 0.8 * sin(u) * sin(w), -0.6 * cos(w)]),
                            start=(0.1, np.pi / 2), reach=(np.pi, 1.4))
HOLLOW_TUBE = ImplicitSurface(lambda x: 9 - x[0] * x[0] - x[1] * x[1], reach=3)

PAIRS = {
    "point-plane": (Plane([0.1, 0, 0.2], [1, 2, 2]), Point([0.3, 0.1, -0.2])),
    "plane-point": (Point([0.3, 0.1, -0.2]), Plane([0.1, 0, 0.2], [1, 2, 2])),
    "box-plane": (Plane(), TURNED_BOX),
    "sphere-plane": (Plane([0.1, 0, 0.2], [1, 2, 2]), Sphere(0.3, [0.2, 0, 0.1])),
    "sphere-sphere": (Sphere(0.4, [0, 0.1, 0]), Sphere(0.3, [0.2, 0, 0.1])),
    "sphere-point": (Sphere(0.4, [0, 0.1, 0]), Point([0.2, 0, 0.1])),
    "bowl-point": (Sphere(5, [0, 0.1, 0], hollow=True), Point([0.2, 0, 0.1])),
    "bowl-sphere": (Sphere(5, hollow=True), Sphere(0.3, [0.2, 0, 0.1])),
    "bowl-box": (Sphere(5, hollow=True), TURNED_BOX),
    "face-point": (PENTAGON, Point([0.2, 0, 0.1])),
    "face-sphere": (PENTAGON, Sphere(0.3)),
    "box-point": (TURNED_BOX, Point([0.2, 0, 0.1])),
    "box-sphere": (TURNED_BOX, Sphere(0.3)),
    "sphere-box": (Sphere(0.3), TURNED_BOX),
    "box-box": (TURNED_BOX, Box([1, 0.5, 0.6])),
    "tetrahedron-box": (TETRAHEDRON, TURNED_BOX),
    "face-box": (PENTAGON, TURNED_BOX),
    "edge-box": (Segment([0, 0, 0], [1, 0.2, 0]), TURNED_BOX),
    "edge-edge": (Segment([0, 0, 0], [1, 0.2, 0], outward=[0, 0, 1]), Segment([-1, 0.2, 0.4], [0, 0.3, 1])),
    "rods": (Segment([0, 0, 0], [1, 0.2, 0], radius=0.1), Segment([-1, 0.2, 0.4], [0, 0.3, 1], radius=0.05)),
    "rod-sphere": (Segment([0, 0, 0], [1, 0.2, 0], radius=0.1), Sphere(0.2)),
    "plane-edge": (Plane(), Segment([0, 0, 0], [1, 0.2, 0])),
    "implicit-point": (ELLIPSOID, Point([0.2, 0, 0.1])),
    "implicit-sphere": (ELLIPSOID, Sphere(0.3)),
    "sphere-implicit": (Sphere(0.3), EGG),
    "implicit-plane": (ELLIPSOID, Plane()),
    "plane-implicit": (Plane([0.1, 0, 0.2], [1, 2, 2]), EGG),
    "implicit-implicit": (ELLIPSOID, EGG),
    "implicit-tetrahedron": (ELLIPSOID, TETRAHEDRON),
    "tetrahedron-implicit": (TETRAHEDRON, ELLIPSOID),
    "bowl-implicit": (Sphere(9, hollow=True), ELLIPSOID),
    "tube-ball": (HOLLOW_TUBE, Sphere(0.3)),
    "parametric-point": (PATCH, Point()),
    "parametric-sphere": (BALLOON, Sphere(0.2)),
    "parametric-plane": (BALLOON, Plane()),
    "plane-parametric": (Plane(), BALLOON),
    "parametric-implicit": (BALLOON, EGG),
    "coin": (Plane(), Disc(0.5, [0.1, 0, 0], [1, 1, 0])),
}


def moving(model, rng, reach=1.0):
    """A random state and the positions q(t) that lead through it with constant velocity variables."""
    q, qd = model.random_state(rng)
    q[-3:] *= reach / 3
    return q, qd, lambda t: model.integrate(q, qd, t)


def relative_velocity(model, q, qd, p, s):
    X, v = body_transforms(model, q), body_velocities(model, q, qd)
    return inverse_transform(X[s]) @ v[s] - inverse_transform(X[p]) @ v[p]


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("bodies", [(1, 2), (0, 2), (2, 1)])
def test_rates_of_distance_and_normal_are_those_of_the_motion(name, bodies):
    rng = np.random.default_rng(6)
    pair = Pair(bodies[0], PAIRS[name][0], bodies[1], PAIRS[name][1])
    for _ in range(3):
        q, qd, path = moving(FLYING, rng)
        now = pair.contacts(FLYING, q, qd)
        h = 1e-5
        before, after = pair.contacts(FLYING, path(-h), qd), pair.contacts(FLYING, path(h), qd)
        v = relative_velocity(FLYING, q, qd, *bodies)
        for contact, first, last in zip(now, before, after, strict=True):
            size = 1 + np.abs(contact.ndot).max() ** 3
            assert abs((last.phi - first.phi) / (2 * h) - contact.n @ v) < 1e-8 * size
            np.testing.assert_allclose((last.n - first.n) / (2 * h), contact.ndot, rtol=0, atol=1e-7 * size)
