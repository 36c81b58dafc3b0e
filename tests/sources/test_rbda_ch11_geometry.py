"""RBDA 11.6 row by row: shapes, geometric events, lines and areas of contact."""

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.spatial import ConvexHull, HalfspaceIntersection

from rbdlib.book.ch02_spatial import kinetic_energy, mcI, xlt
from rbdlib.book.ch11_contact import contact_normal
from rbdlib.contact import Box, Face, ImplicitSurface, Pair, Plane, Point, Polyhedron, Sphere
from rbdlib.contact.collisions import collision, contact_frame, sticking_collision
from rbdlib.contact.sets import footprint, minimal_contact_set
from rbdlib.contact.systems import body_contact_equations, contact_dynamics, several_contacts
from rbdlib.numbers.scalars import cos, sin
from tests.sources.ch11_systems import free_body
from tests.sources.helpers import close, far, random_mass_properties

Z = np.array([0.0, 0, 1])


def at(position, angle=0.0):
    """The position variables of a free body turned by an angle about y."""
    return np.array([np.cos(angle / 2), 0, np.sin(angle / 2), 0, *position])


def rolling_on_a_vertex(n, r, omega):
    """The next vertex, which lands, and the spatial velocity of a polygon in the plane y = 0 about its hind vertex.
    Its vertices are at the distance r from its centre, which is at the height r cos(pi/n)."""
    landing = np.array([r * np.sin(np.pi / n), 0, -r * np.cos(np.pi / n)])
    spin = np.array([0, omega, 0])
    return landing, np.concatenate([spin, -np.cross(spin, landing * [-1, 1, 1])])


@pytest.mark.source("RBDA-F11.5", "RBDA-S11.6-1")
def test_a_polygon_that_rolls_loses_speed_at_every_vertex_or_bounces_if_impacts_are_elastic():
    """The loss of energy in a turn falls off as one over the number n of vertices."""
    m, r, I_C, left = 1.3, 0.7, 0.25, []
    I = mcI(m, np.zeros(3), I_C * np.eye(3))
    for n in (6, 24, 96):
        omega, ratio = 1.0, (I_C + m * r**2 * np.cos(2 * np.pi / n)) / (I_C + m * r**2)
        for _ in range(n):
            landing, v = rolling_on_a_vertex(n, r, omega)
            after = sticking_collision(None, I, None, v, contact_frame(landing, Z)).v_2
            close(after[:3], [0, ratio * omega, 0])
            omega = after[1]
        left.append(omega**2)
        close(kinetic_energy(I, after) / kinetic_energy(I, v), ratio**2)
        normal = contact_normal(landing, Z)
        elastic = collision(None, I, None, v, normal, e=1.0).v_2
        close(kinetic_energy(I, elastic), kinetic_energy(I, v))
        close(normal @ elastic, -normal @ v)                        # the vertex struck the ground, and leaves it
        assert normal @ v < 0 < ratio < 1
    assert left[0] < 0.01 and left[-1] > 0.7
    close(-np.log(left[-1]) * 96, 4 * np.pi**2 * m * r**2 / (I_C + m * r**2), 0.01)


@pytest.mark.source("RBDA-S11.6-1", "RBDA-F11.5")
def test_strictly_convex_shapes_roll_without_impacts_and_polygons_do_not():
    """Rolling about the touching point: of a ball and of an egg no other point comes down, of a polygon one does."""
    r, omega, angles = 0.7, 2.0, 2 * np.pi * (np.arange(12) + 0.5) / 12
    model = free_body(mcI(1, np.zeros(3), np.eye(3)))
    ellipsoid = ImplicitSurface(lambda x: x[0] ** 2 / 0.8**2 + x[1] ** 2 / 0.5**2 + x[2] ** 2 / 0.6**2 - 1)
    prism = Polyhedron([[r * np.sin(a), y, -r * np.cos(a)] for a in angles for y in (-0.1, 0.1)])
    for shape, height, strikes in ((Sphere(r), lambda angle: r, False), (prism, None, True),
                                   (ellipsoid, lambda a: np.hypot(0.8 * np.sin(a), 0.6 * np.cos(a)), False)):
        approaching = []
        for angle in np.linspace(0, np.pi / 3, 20):
            contacts = Pair(0, Plane(), 1, shape).contacts(model, at([0, 0, 0], angle))
            lowest = min(contacts, key=lambda contact: contact.phi)
            if height:
                close(lowest.phi, -height(angle))
            v = np.array([0, omega, 0, *-np.cross([0, omega, 0], lowest.point)])
            approaching += [contact.n @ v for contact in contacts if contact.phi - lowest.phi < 0.02]
        assert (min(approaching) < -0.1) == strikes


@pytest.mark.source("RBDA-F11.5")
def test_a_block_strikes_the_edges_of_a_slope_made_of_flat_pieces():
    """At each edge the vertex loses the part cos² of its energy's factor; on the curved slope it strikes nothing."""
    model, R, qd, left = free_body(mcI(2.0, np.zeros(3), 1e-3 * np.eye(3))), 3.0, np.array([0, 0, 0, 1.0, 0, 0]), []
    for pieces in (2, 8, 32):
        c, s = np.cos(0.8 / pieces), np.sin(0.8 / pieces)
        level = Face([[-1, -1, 0], [0, -1, 0], [0, 1, 0], [-1, 1, 0]])
        rising = Face([[0, -1, 0], [c, -1, s], [c, 1, s], [0, 1, 0]])
        first, second = (Pair(0, face, 1, Point()).contacts(model, at([-1e-12, 0, 0]), qd)[0]
                         for face in (level, rising))
        close([first.phi, second.phi, first.n @ qd, second.n @ qd], [0, 0, 0, -s])
        after = collision(None, model.inertia[1], None, qd, second.n).v_2
        close(after[3:] @ after[3:], c**2, 1e-9)
        left.append((after[3:] @ after[3:]) ** pieces)
    assert np.all(np.diff(left) > 0) and left[0] < 0.72 and left[-1] > 0.97
    bowl = Pair(0, Sphere(R, [0, 0, R], hollow=True), 1, Point())
    for angle in np.linspace(-1, 1, 9):
        contact = bowl.contacts(model, at([R * np.sin(angle), 0, R - R * np.cos(angle)]))[0]
        close([contact.phi, contact.n[3:] @ [np.cos(angle), 0, np.sin(angle)]], [0, 0])


@pytest.mark.source("RBDA-S11.6-2")
@pytest.mark.parametrize("curved", [1, -1])
def test_the_rate_of_the_normal_brings_the_curvature_into_d(curved):
    """d of a ball that slides along an arc at speed v without forces: v²/(distance of its centre from the arc's)."""
    R, r, speed = 3.0, 0.4, 1.3
    model = free_body(mcI(1.7, np.zeros(3), 0.1 * np.eye(3)), gravity=(0, 0, 0))
    flat = Face([[-0.5, -1, -R], [0.5, -1, -R], [0.5, 1, -R], [-0.5, 1, -R]])
    place, qd = np.array([0, 0, curved * R + r]), np.array([0, 0.6, 0, speed, 0, 0])
    v, I = np.linalg.solve(xlt(place), qd), xlt(place).T @ model.inertia[1] @ xlt(place)

    def contact_and_d(surface):
        contact = Pair(0, surface, 1, Sphere(r)).contacts(model, at(place), qd)[0]
        return contact, body_contact_equations(I, v, np.zeros(6), contact.n[:, None], contact.ndot @ v)[1]

    contact, d = contact_and_d(Sphere(R, hollow=curved == -1))
    close(contact.n @ v, 0)
    close(d, [curved * speed**2 / (R + curved * r)])
    distance = [abs(np.hypot(speed * t, abs(place[2])) - R) - r for t in (-1e-4, 0, 1e-4)]  # centre on a straight line
    close(d, [np.dot([1, -2, 1], distance) / 1e-8], 1e-6)
    if curved == -1:
        contact, d = contact_and_d(flat)
        close([contact.phi, d[0]], [0, 0])


BLOCK = free_body(mcI(2.0, np.zeros(3), np.diag([0.03, 0.04, 0.05])))
TABLE = Pair(0, Box([2.0, 2.0, 0.5], xlt([0, 0, -0.25])), 1, Box([0.4, 0.3, 0.2]))


def touching(contacts):
    return [contact for contact in contacts if contact.inside and abs(contact.phi) < 1e-9]


@pytest.mark.source("RBDA-F11.6", "RBDA-S11.6-3")
def test_a_corner_that_drops_on_the_table_is_a_contact_gained_and_takes_an_impulse():
    angle, v = 0.4, np.array([0, 0, 0, 0, 0, -1.0])
    lowest = -0.2 * np.sin(angle) - 0.1 * np.cos(angle)
    qd = np.array([0, 0, 0, np.sin(angle), 0, -np.cos(angle)])      # v in body coordinates
    for height in (0.01, -0.01, 0.0):
        contacts = TABLE.contacts(BLOCK, at([0, 0, height - lowest], angle), qd)
        close(min(contact.phi for contact in contacts if contact.inside), height)
    gained = touching(contacts)
    assert len(gained) == 2                                         # both ends of the lowest edge
    close([contact.n @ v for contact in gained], [-1, -1])
    with pytest.raises(ValueError, match="approach"):
        contact_dynamics(BLOCK, at([0, 0, -lowest], angle), qd, np.zeros(6), gained)


@pytest.mark.source("RBDA-F11.6", "RBDA-S11.6-3")
def test_a_vertex_that_runs_off_the_table_is_lost_by_geometry_and_not_by_dynamics():
    speed = 0.8
    qd = np.array([0, 0, 0, speed, 0, 0])
    on, off, later = (TABLE.contacts(BLOCK, at([x, 0, 0.1]), qd) for x in (0.8 - 1e-7, 0.8 + 1e-7, 0.9))
    leaving = [i for i, (a, b) in enumerate(zip(on, off, strict=True)) if a.inside and a.phi < 1e-9 and not b.inside]
    assert len(leaving) == 2                                        # the two vertices in front
    answer = contact_dynamics(BLOCK, at([0.8 - 1e-7, 0, 0.1]), qd, np.zeros(6), [on[i] for i in leaving] + [
        contact for i, contact in enumerate(touching(on)) if contact.point[0] < 0.7])
    assert (answer.lam >= 0).all()
    close(answer.lam[:2].sum(), 9.81, 1e-5)                         # no sign that the contacts are about to end
    close(answer.qdd, np.zeros(6), 1e-9)
    v = np.linalg.solve(xlt([0.8, 0, 0.1]), qd)
    for i in leaving:                                               # but a step of the separation velocity
        close([on[i].n @ v, off[i].n @ v, later[i].phi], [0, speed, 0.1])
        close([on[i].margin, off[i].margin], [1e-7, -1e-7], 1e-12)


@pytest.mark.source("RBDA-F11.6", "RBDA-S11.6-3")
@pytest.mark.parametrize("pull, leaves", [(0.9, False), (1.1, True)])
def test_a_block_pulled_by_more_than_its_weight_is_a_contact_lost_by_dynamics(pull, leaves):
    """The geometry stays as it is; the equations of motion say that the contact ends."""
    q, weight = at([0.2, 0, 0.1]), 2.0 * 9.81
    force = np.concatenate([np.cross([0.2, 0, 0.1], [0, 0, pull * weight]), [0, 0, pull * weight]])
    contacts = touching(TABLE.contacts(BLOCK, q))
    answer = contact_dynamics(BLOCK, q, np.zeros(6), np.zeros(6), contacts, f_ext={1: force})
    close(answer.qdd, [0, 0, 0, 0, 0, max(0, pull - 1) * 9.81], 1e-9)
    close(answer.lam.sum(), max(0, 1 - pull) * weight, 1e-9)
    assert (min(answer.zeta_dot) > 0.1) == leaves


def upward(points):
    """Normals z through points (n x 2) in the plane z = 0: n = [y, -x, 0, 0, 0, 1]."""
    x, y = np.asarray(points, dtype=float).T
    return np.array([y, -x, 0 * x, 0 * x, 0 * x, 0 * x + 1])


@pytest.mark.source("RBDA-S11.6-4")
def test_a_minimal_set_does_all_that_the_whole_set_does():
    rng = np.random.default_rng(0)
    I, N = mcI(*random_mass_properties(rng)), upward(rng.integers(-3, 4, size=(14, 2)))
    N = np.column_stack([N, *(contact_normal([3, y, 1], [-1, 0, 0]) for y in (0, 1, 0.5))])
    kept = minimal_contact_set(N)
    assert len(kept) < N.shape[1]
    for i in range(N.shape[1]):                                     # by another method: nothing is missing or too much
        others = [j for j in kept if j != i]
        assert (nnls(N[:, others], N[:, i])[1] > 1e-7) == (i in kept)
    for _ in range(5):
        f = rng.normal(size=6) * 10 - N.sum(axis=1) * rng.uniform(0, 4)
        whole, reduced = several_contacts(I, np.zeros(6), f, N), several_contacts(I, np.zeros(6), f, N[:, kept])
        close(reduced.a, whole.a, 1e-9)
        assert (N.T @ reduced.a > -1e-9).all()                      # what was removed is fulfilled
    pressing = -N[:, kept[0]] * 10                                  # without a contact of the minimal set it gives way
    far(several_contacts(I, np.zeros(6), pressing, N[:, kept]).a,
        several_contacts(I, np.zeros(6), pressing, N[:, kept[1:]]).a)


@pytest.mark.source("RBDA-AS11.6-minset")
@pytest.mark.parametrize("shift, scale", [(0, 1), (300, 1), (0, 1e-10), (0, 1e6)])
def test_minimal_sets_of_grids_lines_and_polygons(shift, scale):
    rng = np.random.default_rng(5)
    grid = np.array([[x, y] for x in range(4) for y in range(3)])
    corners_of_grid = {i for i, (x, y) in enumerate(grid) if x in (0, 3) and y in (0, 2)}
    assert set(minimal_contact_set(upward(scale * grid + shift))) == corners_of_grid
    line = np.array([[2.0, 1.0]]) * rng.permutation(np.linspace(-1, 1, 9))[:, None]
    ends = {int(line[:, 0].argmin()), int(line[:, 0].argmax())}
    assert set(minimal_contact_set(upward(scale * line + shift))) == ends
    region = rng.normal(size=(30, 2))
    assert set(minimal_contact_set(upward(scale * region + shift))) == set(ConvexHull(region).vertices.tolist())


@pytest.mark.source("RBDA-F11.7")
def test_a_straight_edge_on_a_plane_touches_with_its_two_ends_and_a_disc_with_all_of_its_rim():
    """Figure 11.7 (a), (d): what lies between depends on the ends or the rim, of which nothing can be spared."""
    edge = [[-1, 0.5], [0.0, 0.5], [1, 0.5]]
    rim = np.array([[np.cos(a), np.sin(a)] for a in 2 * np.pi * np.arange(24) / 24])
    inside = 0.95 * np.random.default_rng(3).uniform(0, 1, size=(12, 1)) * rim[::2]
    for points, kept in ((edge, [0, 2]), ([*inside, *rim], list(range(12, 36)))):
        N = upward(points)
        assert minimal_contact_set(N) == kept
        for i in range(len(points)):
            remainder = nnls(N[:, [j for j in kept if j != i]], N[:, i])[1]
            assert remainder > 1e-3 if i in kept else remainder < 1e-9


@pytest.mark.source("RBDA-F11.7")
def test_a_straight_edge_on_a_ruled_surface_needs_every_point():
    """Figure 11.7 (b): z = x tan(y), on which the line x = z = 0 lies; none of its normals depends on the others."""
    surface = ImplicitSurface(lambda x: x[2] * cos(x[1]) - x[0] * sin(x[1]), reach=1)
    places = np.linspace(-1.2, 1.2, 29)
    N = np.array([[y * np.cos(y), 0, y * np.sin(y), -np.sin(y), 0, np.cos(y)] for y in places]).T
    spots = [surface.distance(np.array([0, y, 0.0])) for y in places]
    close(np.array([contact_normal([0, y, 0], spot.n_hat) for y, spot in zip(places, spots, strict=True)]).T, N)
    assert minimal_contact_set(N) == list(range(29))
    for y_0 in places:                      # (y - y0) sin(y - y0) is a linear functional of n(y), zero at y0 alone
        functional = np.array([-np.sin(y_0), 0, np.cos(y_0), y_0 * np.cos(y_0), 0, y_0 * np.sin(y_0)])
        close(functional @ N, (places - y_0) * np.sin(places - y_0))
        assert np.sum(functional @ N < 1e-9) == 1


@pytest.mark.source("RBDA-F11.7")
def test_flat_surfaces_touch_with_the_corners_of_their_common_area():
    """Figure 11.7 (c): two boxes whose common area is a pentagon touch in its five corners; so says the geometry."""
    upper = Polyhedron([[x, y, z] for x in (0, 1.3) for y in (0, 1.3) for z in (0, 1)])
    c, s = np.cos(0.7), np.sin(0.7)
    q = [np.cos(0.35), 0, 0, np.sin(0.35), -0.1, -0.6, 0.5]
    found = footprint(touching(Pair(0, Box([2.0, 2.0, 1.0]), 1, upper).contacts(BLOCK, q)))
    square = [[x, y, -1] for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))]                # a x + b y + c <= 0
    turned = [[x, y, 0.1 * x + 0.6 * y - reach] for x, y, reach in ((c, s, 1.3), (-c, -s, 0), (-s, c, 1.3), (s, -c, 0))]
    area = HalfspaceIntersection(np.array([*square, *turned]), np.array([0.5, 0.3])).intersections
    assert len(area) == len(found) == 5
    assert all(min(np.hypot(*(point[:2] - corner)) for point in found) < 1e-9 for corner in area)
    close(found[:, 2], 0.5 * np.ones(5))
