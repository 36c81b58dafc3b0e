"""Potential contacts between shapes: signed distance, normal and its rate, against distances found otherwise."""

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
import sympy
from scipy.optimize import lsq_linear, minimize

from rbdlib import Model
from rbdlib.book.ch02_spatial import X_to_Er, inverse_transform, mcI, plucker, rx, ry, xlt
from rbdlib.book.ch04_joints import FreeMotion, Prismatic, Revolute
from rbdlib.book.ch04_kinematics import body_transforms, body_velocities
from rbdlib.book.ch11_contact import Contact, contact_normal
from rbdlib.compile import c_compiler
from rbdlib.contact import geometry
from rbdlib.contact.geometry import Pair, contacts_of
from rbdlib.contact.sets import footprint, minimal_contact_set, positive_dependence
from rbdlib.contact.shapes import Box, Face, Plane, Point, Polyhedron, Segment, Sphere
from rbdlib.contact.surfaces import ImplicitSurface
from rbdlib.motion.compiled import compiled_once
from tests.sources.helpers import close, random_rotation, random_unit

BODY = mcI(1, np.zeros(3), np.eye(3))
FLYING = Model([0, 0], [FreeMotion(), FreeMotion()], [np.eye(6)] * 2, [BODY] * 2)
TETRAHEDRON = Polyhedron([[0, 0, 0], [1, 0, 0], [0, 1.2, 0], [0.2, 0.1, 0.9]])
PENTAGON = Face([[np.cos(a), np.sin(a), 0.3] for a in 2 * np.pi * np.arange(5) / 5])
TURNED_BOX = Box([0.4, 0.7, 1.1], plucker(random_rotation(np.random.default_rng(4)), [0.1, 0.2, -0.3]))

ELLIPSOID = ImplicitSurface(lambda x: (x[0] / 0.5) ** 2 + (x[1] / 0.7) ** 2 + (x[2] / 0.4) ** 2 - 1, reach=0.5)
EGG = ImplicitSurface(lambda x: x[0] ** 2 + x[1] ** 4 + 2 * x[1] ** 2 + x[2] ** 2 * (2 + x[1]) - 0.3, reach=0.4)
PATCH = ImplicitSurface(lambda x: x[2] - 0.1 * x[0] * x[0] + 0.05 * x[1] * x[1], reach=0.3)
HOLLOW_TUBE = ImplicitSurface(lambda x: 9 - x[0] * x[0] - x[1] * x[1], reach=3)

Z = np.array([0.0, 0, 1])
SLOPE, CORNER, TIP = Plane([0.1, 0, 0.2], [1, 2, 2]), Point([0.2, 0, 0.1]), Point([0.3, 0.1, -0.2])
EDGE, ROD = Segment([0, 0, 0], [1, 0.2, 0]), Segment([0, 0, 0], [1, 0.2, 0], radius=0.1)

PAIRS = {
    "point-plane": (SLOPE, TIP), "plane-point": (TIP, SLOPE), "box-plane": (Plane(), TURNED_BOX),
    "sphere-plane": (SLOPE, Sphere(0.3, [0.2, 0, 0.1])), "sphere-point": (Sphere(0.4, [0, 0.1, 0]), CORNER),
    "sphere-sphere": (Sphere(0.4, [0, 0.1, 0]), Sphere(0.3, [0.2, 0, 0.1])),
    "bowl-point": (Sphere(5, [0, 0.1, 0], hollow=True), CORNER), "bowl-box": (Sphere(5, hollow=True), TURNED_BOX),
    "bowl-sphere": (Sphere(5, hollow=True), Sphere(0.3, [0.2, 0, 0.1])), "face-point": (PENTAGON, CORNER),
    "face-sphere": (PENTAGON, Sphere(0.3)), "box-point": (TURNED_BOX, CORNER), "box-sphere": (TURNED_BOX, Sphere(0.3)),
    "sphere-box": (Sphere(0.3), TURNED_BOX), "box-box": (TURNED_BOX, Box([1, 0.5, 0.6])),
    "tetrahedron-box": (TETRAHEDRON, TURNED_BOX), "face-box": (PENTAGON, TURNED_BOX), "edge-box": (EDGE, TURNED_BOX),
    "edge-edge": (Segment([0, 0, 0], [1, 0.2, 0], outward=[0, 0, 1]), Segment([-1, 0.2, 0.4], [0, 0.3, 1])),
    "rods": (ROD, Segment([-1, 0.2, 0.4], [0, 0.3, 1], radius=0.05)), "rod-sphere": (ROD, Sphere(0.2)),
    "plane-edge": (Plane(), EDGE), "implicit-point": (ELLIPSOID, CORNER), "implicit-sphere": (ELLIPSOID, Sphere(0.3)),
    "sphere-implicit": (Sphere(0.3), EGG), "implicit-plane": (ELLIPSOID, Plane()), "plane-implicit": (SLOPE, EGG),
    "implicit-implicit": (ELLIPSOID, EGG), "implicit-tetrahedron": (ELLIPSOID, TETRAHEDRON),
    "tetrahedron-implicit": (TETRAHEDRON, ELLIPSOID), "bowl-implicit": (Sphere(9, hollow=True), ELLIPSOID),
    "tube-ball": (HOLLOW_TUBE, Sphere(0.3))}


@pytest.mark.parametrize("name", PAIRS)
def test_rates_of_distance_and_normal_are_those_of_the_motion(name):
    """The potential contacts are always as many, with the same names in the same order."""
    rng, h, names = np.random.default_rng(6), 1e-5, []
    for p, s in ((2, 1), (0, 2)):
        pair = Pair(p, PAIRS[name][0], s, PAIRS[name][1], name="pair")
        q, qd = FLYING.random_state(rng)
        q[-3:] /= 3
        before, now, after = (pair.contacts(FLYING, FLYING.integrate(q, qd, t), qd) for t in (-h, 0, h))
        names.append([contact.name for contact in now])
        some = contacts_of(FLYING, [pair], q, qd, own=range(0, len(pair), 2), extended=False)
        close([(*c.n, *c.ndot, c.phi) for c in some], [(*c.n, *c.ndot, c.phi) for c in now[::2]], 1e-9)
        X, v = body_transforms(FLYING, q), body_velocities(FLYING, q, qd)
        past = inverse_transform(X[s]) @ v[s] - inverse_transform(X[p]) @ v[p]
        for contact, first, last in zip(now, before, after, strict=True):
            size = 1 + np.abs(contact.ndot).max() ** 3
            assert abs((last.phi - first.phi) / (2 * h) - contact.n @ past) < 1e-8 * size
            np.testing.assert_allclose((last.n - first.n) / (2 * h), contact.ndot, rtol=0, atol=1e-7 * size)
    assert names[0] == names[1] and len(set(names[0])) == len(pair)


def world(i, q, points):
    """Points of body i of `FLYING`, in base coordinates."""
    E, r = X_to_Er(body_transforms(FLYING, q)[i])
    return r + np.asarray(points) @ E


def turned(i, q, direction):
    """A direction fixed in body i of `FLYING`, in base coordinates."""
    return direction @ X_to_Er(body_transforms(FLYING, q)[i])[0]


def placed(p, s, q):
    return Pair(1, p, 2, s).contacts(FLYING, q)


def states(n, reach=1.0, seed=3):
    rng = np.random.default_rng(seed)
    drawn = [FLYING.random_state(rng)[0] for _ in range(n)]
    for q in drawn:
        q[4:7], q[11:] = 0, reach * rng.normal(size=3)
    return drawn


def test_distances_of_balls_planes_and_bowls():
    for q in states(3):
        c_p, c_s = world(1, q, [[0, 0.1, 0]])[0], world(2, q, [[0.2, 0, 0.1]])[0]
        origin, foot = world(1, q, [[0, 0, 0], [0.1, 0, 0.2]])
        d, n_hat = np.linalg.norm(c_s - c_p), turned(1, q, [1 / 3, 2 / 3, 2 / 3])
        for name, phi in (("sphere-sphere", d - 0.7), ("sphere-point", d - 0.4), ("bowl-point", 5 - d),
                          ("bowl-sphere", 4.7 - np.linalg.norm(c_s - origin)),
                          ("sphere-plane", n_hat @ (c_s - foot) - 0.3)):
            (contact,) = placed(*PAIRS[name], q)
            close(contact.phi, phi)
        close(contact.n[3:], n_hat)
        close(contact.point, c_s - (contact.phi + 0.3) * n_hat)
        (contact,) = placed(*PAIRS["sphere-sphere"], q)
        close(contact.n, np.concatenate([np.cross(c_p, c_s - c_p), c_s - c_p]) / d)
        assert not any(getattr(contact, name).flags.writeable for name in ("n", "ndot", "point"))
        heights = (world(2, q, TURNED_BOX.vertices) - origin) @ turned(1, q, Z)
        close([contact.phi for contact in placed(*PAIRS["box-plane"], q)], heights)


def test_distances_of_rods_and_faces_are_those_of_their_nearest_points():
    for q in (*states(3, 2.0), *states(3, 0.5)):        # beside the face and the rods, and above and beneath them
        rods = [world(i, q, [shape.a, shape.b]) for i, shape in zip((1, 2), PAIRS["rods"], strict=True)]
        close(min(contact.phi for contact in placed(*PAIRS["rods"], q) if contact.inside), gap(*rods) - 0.15, 1e-6)
        centre = world(2, q, [[0, 0, 0]])
        (ball,), (rod,) = (placed(shape, Sphere(0.3), q) for shape in (PENTAGON, ROD))
        close(rod.phi, gap(rods[0], centre) - 0.4, 1e-6)
        height = (centre[0] - world(1, q, [[0, 0, 0.3]])[0]) @ turned(1, q, Z)
        distance = gap(world(1, q, PENTAGON.vertices), centre)
        beneath = height < 0 and abs(distance + height) < 1e-9
        close(ball.phi, (height if beneath else distance) - 0.3, 1e-6)


def gap(A, B):
    """The distance of two convex hulls, by least squares with positive weights that sum to one."""
    big = 1e3
    rows = np.vstack([np.hstack([A.T, -B.T]), big * np.hstack([np.ones(len(A)), np.zeros(len(B))]),
                      big * np.hstack([np.zeros(len(A)), np.ones(len(B))])])
    weights = lsq_linear(rows, [0, 0, 0, big, big], (0, np.inf), "bvls", tol=1e-14).x
    a, b = weights[: len(A)], weights[len(A):]
    return np.linalg.norm(a @ A / a.sum() - b @ B / b.sum())


def separation(p, s, A, B, q):
    """The largest gap between the shadows of two convex solids on a line: minus the depth if they overlap."""
    axes = [turned(1, q, side.normal) for side in p.sides] + [turned(2, q, -side.normal) for side in s.sides]
    for (i, j), (k, l) in product(p.edges, s.edges):
        m = np.cross(A[j] - A[i], B[l] - B[k])
        axes += [m / np.linalg.norm(m), -m / np.linalg.norm(m)]
    return max(((B @ axis).min() - (A @ axis).max(), *axis) for axis in axes)


@pytest.mark.slow
def test_some_contact_of_two_solids_has_the_distance_or_the_depth():
    """Apart, the least phi is the distance; if they overlap by little, it is the depth, and the contact is inside."""
    rng, seen = np.random.default_rng(11), []
    for k, q in enumerate(states(24, 0.8, seed=8)):
        p, s = (Polyhedron([0.6 * random_unit(rng) for _ in range(9)]) for _ in range(2))
        if k % 3:
            p = Box(rng.uniform(0.3, 1.5, 3))
            s = Box(rng.uniform(0.3, 1.5, 3), plucker(random_rotation(rng), [0.1, 0, 0]))
        A, B = world(1, q, p.vertices), world(2, q, s.vertices)
        depth, *axis = separation(p, s, A, B, q)
        if k % 2:                                                   # brought together until they overlap a little
            q[11:] -= (depth + 0.03) * np.array(axis)
            B = world(2, q, s.vertices)
            depth, *axis = separation(p, s, A, B, q)
        contacts = placed(p, s, q)
        inside = [contact.phi for contact in contacts if contact.inside]
        if depth > 0:
            vertices = [contact.phi for contact in contacts[: len(A) + len(B)]]
            close(min(vertices + inside), gap(A, B), 1e-5)
            assert min(inside, default=1) > 0
        elif depth > -0.1:
            assert 2 * depth - 1e-9 < min(inside) < 0
            assert min(abs(phi - depth) for phi in inside) < 1e-9
        seen.append(depth)
    assert sum(np.array(seen) > 0) > 5 and sum(np.abs(np.array(seen) + 0.05) < 0.05) > 3


def ellipsoid(axes):
    return ImplicitSurface(lambda x: sum((x[i] / axes[i]) ** 2 for i in range(3)) - 1, reach=max(axes))


@pytest.mark.parametrize("reach", [0.4, 1.5])
def test_ellipsoids_are_as_far_apart_as_the_planes_between_them_or_as_deep_in_one_another(reach):
    """The distance, or minus the depth, is the largest gap between their shadows on a line."""
    axes_1, axes_2, found = np.array([0.5, 0.7, 0.4]), np.array([0.3, 0.35, 0.5]), []
    for q in states(4, reach, seed=2):
        (E_1, r_1), (E_2, r_2) = (X_to_Er(X) for X in body_transforms(FLYING, q)[1:])

        def overlap(n, E_1=E_1, E_2=E_2, apart=r_2 - r_1):
            n = n / np.linalg.norm(n)
            return np.linalg.norm(axes_1 * (E_1 @ n)) + np.linalg.norm(axes_2 * (E_2 @ n)) - n @ apart

        starts = (r_2 - r_1, *np.eye(3), *-np.eye(3))
        found.append(-min(minimize(overlap, n, method="BFGS", options={"gtol": 1e-10}).fun for n in starts))
        close(placed(ellipsoid(axes_1), ellipsoid(axes_2), q)[0].phi, found[-1], 1e-7)
    assert (min(found) < -0.1) == (reach < 1) and (max(found) > 0.1) == (reach > 1)


def test_ellipsoids_reach_as_far_as_their_axes_and_balls_may_be_given_as_smooth_surfaces():
    axes = (0.5, 0.8, 0.6)
    for q in states(2):
        (E_1, r_1), (E_2, r_2) = (X_to_Er(X) for X in body_transforms(FLYING, q)[1:])
        n_hat = E_1.T @ Z
        expected = n_hat @ (r_2 - r_1) - np.linalg.norm(axes * (E_2 @ n_hat))
        swapped = q[[*range(7, 14), *range(7)]]
        shape = ellipsoid(axes)
        for (contact,), sign in ((placed(Plane(), shape, q), 1), (placed(shape, Plane(), swapped), -1)):
            close(contact.phi, expected, 1e-9)
            close(contact.n[3:], sign * n_hat)

    ball = ImplicitSurface(lambda x: x @ x - 0.16, reach=0.4)
    bowl = ImplicitSurface(lambda x: 25 - x @ x, reach=5)
    globe = ImplicitSurface(lambda x: x @ x - 0.09, reach=0.3)
    hollow, small, (_, qd) = Sphere(5, hollow=True), Sphere(0.3), FLYING.random_state(np.random.default_rng(0))
    for q in states(2):
        for p, s, p_ball in ((ball, globe, Sphere(0.4)), (ball, small, Sphere(0.4)), (bowl, small, hollow),
                             (bowl, globe, hollow)):
            (surface,), (expected,) = (Pair(1, first, 2, second).contacts(FLYING, q, qd)
                                       for first, second in ((p, s), (p_ball, small)))
            for name in ("phi", "n", "ndot", "point"):
                close(getattr(surface, name), getattr(expected, name), 1e-8)



def test_a_ball_deep_in_a_box_or_in_a_ball_and_corners_at_a_rim_are_pushed_out_the_shortest_way():
    for x, phi, side in ((0.3, -0.45, 1), (0.7, -0.05, 1), (-0.4, -0.35, -1)):
        (contact,) = placed(Box([1, 4, 2]), Sphere(0.25), [*FLYING.neutral()[:-3], x, 0.1, -0.2])
        close([contact.phi, *contact.n[3:]], [phi, side, 0, 0])
    for p in (Sphere(1), Sphere(1, hollow=True), ImplicitSurface(lambda x: x @ x - 1)):
        (contact,) = Pair(1, p, 2, Sphere(0.5)).contacts(FLYING, FLYING.neutral(), np.ones(12))
        assert np.isfinite([contact.phi, *contact.n, *contact.ndot]).all()
        close(contact.phi, 0.5 if getattr(p, "hollow", False) else -1.5)
    # Of the faces that can carry a corner the one with the nearest plane may be far from the way out.
    pair = Pair(0, Box((1, 1, 0.5), xlt([0, 0, -0.25])), 1, Box((0.2, 0.2, 0.1)))
    q = [0.97251778, 0.0246104218, 0.121407022, 0.197139114, 0.563824835, 0, 0.0353953329, *FLYING.neutral()[7:]]
    assert max(-contact.phi for contact in pair.contacts(FLYING, q) if contact.inside) < 1e-8
    placement, spokes = geometry.Placement(np.eye(3), np.zeros(3), np.zeros(6)), np.vstack([np.eye(3), -np.eye(3)])
    for extended in (False, True):
        touch = geometry.vertex_on(TURNED_BOX, np.array([0.1, 0.2, 3.0]), spokes, placement, extended)
        assert touch.margin == -np.inf and not touch.inside


def test_a_point_is_inside_the_outline_of_a_face_or_beyond_it():
    for x, margin in ((0.2, 0.3), (0.5, 0), (0.6, -0.1)):
        q = [*FLYING.neutral()[:-3], x, 0, 0.01]
        (on_face,) = placed(Face([[-0.5, -2, 0], [0.5, -2, 0], [0.5, 2, 0], [-0.5, 2, 0]]), Point(), q)
        (on_box,) = placed(Box([1, 4, 2], xlt([0, 0, -1])), Point(), q)
        close([on_face.margin, on_face.phi, on_box.phi], [margin, *[np.hypot(max(0, -margin), 0.01)] * 2])
        assert on_face.inside == (margin >= 0)
        assert margin == 0 or on_box.inside == (margin > 0)


def test_positive_dependence_gives_the_multiples_and_what_is_left_of_fractions_exactly():
    V = np.array([[1.0, 0, 1], [0, 1, 1]])
    a, rest = positive_dependence([2, 3], V)
    close(V @ a + rest, [2, 3])
    assert (a >= 0).all() and not rest.any()
    a, rest = positive_dependence([-1, 2], V)
    close([*a, *rest], [0, 2, 0, -1, 0])
    V = [[Fraction(1), Fraction(0), Fraction(3)], [Fraction(1), Fraction(1), Fraction(1, 7)]]
    a, rest = positive_dependence([Fraction(2), Fraction(5, 3)], V)
    assert min(a) >= 0 and not rest.any()
    assert (np.array(V) @ a == [2, Fraction(5, 3)]).all()
    assert list(positive_dependence([Fraction(0), Fraction(-1)], V)[1]) == [0, -1]


@pytest.mark.parametrize("turn, corners", [(0, 4), (np.pi / 4, 8), (0.3, 8)])
def test_equal_boxes_on_top_of_each_other_press_upwards_only(turn, corners):
    q = FLYING.neutral()
    q[7:11], q[-1] = [np.cos(turn / 2), 0, 0, np.sin(turn / 2)], 1 - 1e-10
    contacts = [c for c in placed(Box([1, 1, 1]), Box([1, 1, 1]), q) if c.inside and c.phi < 1e-6]
    close([contact.phi for contact in contacts], -1e-10 * np.ones(len(contacts)), 1e-12)
    close([contact.n[3:] for contact in contacts], [Z] * len(contacts))
    assert len(minimal_contact_set(contacts)) == len(footprint(contacts)) == corners


def test_a_corner_that_is_as_good_as_on_an_edge_is_none():
    points = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, -1e-4, 0]]
    contacts = [Contact(0, 1, contact_normal(point, Z), point=point) for point in points]
    assert [len(footprint(contacts, tolerance)) for tolerance in (1e-9, 1e-2)] == [5, 4]
    a, b, c = footprint(contacts[2::-1])
    assert np.cross(b - a, c - b) @ Z > 0                                  # anticlockwise


@pytest.mark.parametrize("lift", [1e-3, -1e-3])
def test_two_crossed_edges_touch_where_they_cross(lift):
    """Two boxes on edge, one across the other, and two bare edges in their place."""
    standing = [Box(sizes, plucker(E, [0, 0, 0]))
                for sizes, E in (([1, 0.2, 0.2], rx(np.pi / 4)), ([0.2, 1, 0.2], ry(np.pi / 4)))]
    ridge = 0.1 * np.sqrt(2)
    bare = [Segment([-0.5, 0, ridge], [0.5, 0, ridge], outward=Z), Segment([0, -0.5, -ridge], [0, 0.5, -ridge])]
    q = FLYING.neutral()
    q[-3:] = [0.2, 0.1, 2 * ridge + lift]
    for pair in (standing, bare):
        (contact,) = (c for c in placed(*pair, q) if c.inside and abs(c.phi) < 2e-3)
        close([contact.phi, contact.margin], [lift, 0.3])
        close([*contact.n, *contact.point], [0, -0.2, 0, 0, 0, 1, 0.2, 0, ridge])
    q[-3] = 0.6
    assert not any(c.inside and c.phi < 2e-3 for pair in (standing, bare) for c in placed(*pair, q))


@pytest.mark.slow
def test_formulas_and_many_digits_of_a_ball_a_box_and_an_ellipsoid_on_a_plane():
    x, z, theta, w, r = sympy.symbols("x z theta w r", positive=True)
    model = Model([0, 1, 2], [Prismatic("x"), Prismatic("z"), Revolute("y")], [np.eye(6)] * 3, [BODY] * 3)
    q, qd = [x, z, theta], list(sympy.symbols("x' z' theta'"))
    (ball,) = Pair(0, Plane(), 3, Sphere(r, [w, 0, 0])).contacts(model, q, qd)
    assert sympy.simplify(ball.phi - (z - w * sympy.sin(theta) - r)) == 0
    for contact in Pair(0, Plane(), 3, Box([w, w, w])).contacts(model, q, qd):
        rates = [sum(sympy.diff(n, a) * b for a, b in zip(q, qd, strict=True)) for n in contact.n]
        assert all(sympy.simplify(rate - ndot) == 0 for rate, ndot in zip(rates, contact.ndot, strict=True))

    with mpmath.workdps(40):
        axes = [mpmath.mpf(1) / 2, mpmath.mpf(7) / 10, mpmath.mpf(4) / 10]
        model = Model([0, 1], [Prismatic("z"), Revolute("y")], [np.eye(6)] * 2, [BODY] * 2)
        theta = mpmath.mpf(3) / 10
        (contact,) = Pair(0, Plane(), 2, ellipsoid(axes)).contacts(model, [mpmath.mpf(1) / 3, theta], [1, 2])
        reach = mpmath.sqrt((axes[0] * mpmath.sin(theta)) ** 2 + (axes[2] * mpmath.cos(theta)) ** 2)
        assert abs(contact.phi - (mpmath.mpf(1) / 3 - reach)) < mpmath.mpf(10) ** -36


@pytest.mark.parametrize("make, error, words", [
    (lambda: Sphere(-1), ValueError, "radius"), (lambda: Plane(normal=[0, 0, 0]), ValueError, "normal"),
    (lambda: Plane([0, 0]), ValueError, "point"), (lambda: Segment([0, 0, 1], [0, 0, 1]), ValueError, "b - a"),
    (lambda: Box([1, 0, 1]), ValueError, r"sizes\[1\]"), (lambda: Face([[0, 0, 0], [1, 0, 0]]), ValueError, "vertices"),
    (lambda: Face([[0, 0, 0], [1, 0, 0], [1, 1, 0.1], [0, 1, 0]]), ValueError, "flat convex"),
    (lambda: Face(1e-6 * np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0.1], [0, 1, 0]])), ValueError, "flat convex"),
    (lambda: Polyhedron(np.eye(3)), ValueError, "vertices"),
    (lambda: Polyhedron([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), ValueError, "one plane"),
    (lambda: ImplicitSurface(lambda x: x @ x + 1), ValueError, "start"),
    (lambda: ImplicitSurface(1.0), TypeError, "f is"), (lambda: Pair(0, Plane(), 0, Point()), ValueError, "body 0"),
    (lambda: Pair(0, Plane(), 1, Plane()), TypeError, "Plane"),
    (lambda: Pair(0, "floor", 1, Point()), TypeError, "floor"),
    (lambda: Pair(0, Segment([0, 0, 0], [1, 0, 0]), 1, Segment([0, 0, 0], [1, 0, 0])), ValueError, "outward"),
    (lambda: Pair(0, Plane(), 3, Point()).contacts(FLYING, FLYING.neutral()), ValueError, "body 3"),
    (lambda: Pair(0, Plane(), 1, Point()).contacts("model", []), TypeError, "model"),
    (lambda: Pair(0, PATCH, 1, PATCH).contacts(FLYING, FLYING.neutral()), ValueError, "two surfaces face each other"),
    (lambda: Pair(0, Plane(), 1, Point()).contacts(FLYING, np.zeros(3)), ValueError, "q has shape"),
    (lambda: contacts_of(FLYING, ["pair"], FLYING.neutral()), TypeError, "pairs"),
    (lambda: minimal_contact_set(sympy.Matrix(np.eye(6)) * sympy.Symbol("x")), ValueError, "N"),
    (lambda: footprint([]), ValueError, "empty"), (lambda: footprint(5), TypeError, "contacts is 5"),
    (lambda: minimal_contact_set(5), TypeError, "N is 5"),
    (lambda: minimal_contact_set([1, 2]), ValueError, "N has shape"),
    (lambda: minimal_contact_set(np.zeros((6, 2))), ValueError, r"N\[:, 0\] is .* no direction"),
    (lambda: minimal_contact_set(np.eye(6)[:, 3:], -1), ValueError, "tolerance is -1"),
    (lambda: positive_dependence([1j, 1], np.eye(2)), TypeError, "v contains complex numbers"),
    (lambda: positive_dependence([1, 1], 1j * np.eye(2)), TypeError, "V contains complex numbers")])
def test_what_makes_no_sense_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_motions_of_bodies_that_are_asked_for_often_are_those_of_the_readable_functions(monkeypatch):
    rng, model, made = np.random.default_rng(1), FLYING.replace(gravity=(0, 0, -1)), []
    monkeypatch.setattr(geometry, "compiled_once", lambda *given: made.append(given) or compiled_once(*given))
    monkeypatch.setattr("rbdlib.motion.compiled.LONG", 8)
    for k in range(6):
        q, qd = model.random_state(rng)
        X, v = geometry.body_motions(model, q, qd)
        close(X, body_transforms(model, q), 1e-13)
        close(v, body_velocities(model, q, qd), 1e-12)
        assert geometry.body_motions(model, q, qd) is geometry.body_motions(model, q.copy(), qd)
        assert len(made) == max(0, k - 2) or c_compiler.find_compiler() is None
