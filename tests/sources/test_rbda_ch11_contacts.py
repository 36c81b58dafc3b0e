"""RBDA 11.1 to 11.4 row by row: contacts of one body and of systems, and inequality constraints. Distances, normals,
their rates, velocities and inertias come from the geometry of `tests.sources.helpers` and `ch11_systems`."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.optimize import linprog

from rbdlib import Model, aba
from rbdlib.book.ch02_spatial import crf, mcI, plucker
from rbdlib.book.ch04_joints import FreeMotion, Prismatic, Revolute
from rbdlib.book.ch04_kinematics import body_jacobian, body_jacobian_dot
from rbdlib.book.ch05_inverse_dynamics import bias_force
from rbdlib.book.ch11_contact import Contact, constraint_state, contact_normal, joint_space_normals
from rbdlib.contact import contact_normals, separation_accelerations, separation_velocities, systems
from rbdlib.contact.geometry import Pair
from rbdlib.contact.impact import system_impact
from rbdlib.contact.lcp import solve_lcp
from rbdlib.contact.shapes import Plane, Point, Sphere
from rbdlib.contact.systems import contact_dynamics, contact_equations
from tests.sources import helpers
from tests.sources.ch11_systems import Touching, complementary, holding_sets, lift, quaternion
from tests.sources.helpers import close, derivative

SEED = [1, 11]


def random_body(rng, n_c=1):
    """Particles that slide on n_c surfaces: I, v, f, normals N at points C with directions n_hat, and e = Ndotᵀ v."""
    I, C = helpers.cluster_inertia(*helpers.random_cluster(rng)), rng.normal(size=(n_c, 3))
    n_hat = np.array([helpers.random_unit(rng) for _ in range(n_c)])
    N = np.concatenate([np.cross(C, n_hat), n_hat], axis=1).T
    free = null_space(N.T)
    v = free @ rng.normal(size=free.shape[1])
    return SimpleNamespace(I=I, v=v, f=3 * rng.normal(size=6), C=C, n_hat=n_hat, N=N, n=N[:, 0], e=rng.normal(size=n_c),
                           gyroscopic=crf(v) @ I @ v)


def acceleration_under(body, force=0):
    """The acceleration of a body under a force besides f."""
    return np.linalg.solve(body.I, body.f + force - body.gyroscopic)


def solved(body, **changes):
    given = {"I": body.I, "v": body.v, "f": body.f, "n": body.n, "ndot_v": body.e[0]}
    return systems.single_contact(**given | changes)


@pytest.mark.source("RBDA-S11.0-1")
def test_contacts_and_impacts_push_and_never_pull(rng):
    for body in (random_body(rng, n_c) for n_c in (1, 3, 5)):
        result = systems.several_contacts(body.I, body.v, body.f, body.N, body.e)
        assert (result.lam >= 0).all() and (result.zeta_dot >= 0).all()
    ball = Model([0], [FreeMotion("F_s")], [np.eye(6)], [mcI(2, [0.1, 0.2, 0], np.eye(3))])
    floor = [Contact(0, 1, contact_normal(point, [0, 0, 1]), point=point) for point in rng.normal(size=(3, 3))]
    for e in (0.0, 0.6):
        hit = system_impact(ball, ball.neutral(), rng.normal(size=6), floor, e)
        assert (hit.lam >= 0).all()
        assert (separation_velocities(ball, ball.neutral(), hit.qd, floor) > -1e-12).all()


@pytest.mark.source("RBDA-F11.1", "RBDA-S11.1-1", "RBDA-11.2", "RBDA-11.12")
def test_normals_are_unit_forces_and_separation_velocities_those_of_body_fixed_points_along_them(rng):
    (R, C), v, body = helpers.random_pose(rng), rng.normal(size=6), random_body(rng, 4)
    n = contact_normal(C, R[:, 2])
    helpers.close(n, [*np.cross(C, R[:, 2]), *R[:, 2]])
    on_the_surface = mcI(1, C + R[:, 2], np.eye(3))
    assert R[:, 2] @ np.linalg.solve(on_the_surface, n)[3:] > 0     # +n pushes it away
    helpers.close(np.linalg.inv(plucker(R.T, C)).T @ n, np.eye(6)[5])   # in a frame at the contact
    helpers.close(n @ v, helpers.motion_coordinates(v, (R, C))[5])
    along = np.einsum("ij,ij->i", body.n_hat, helpers.field(v, body.C))
    helpers.close(contact_normal(body.C[0], body.n_hat[0]) @ v, along[0])                       # (11.2)
    helpers.close(body.N.T @ v, along)                                                          # (11.12)
    floating = Model([0], [FreeMotion("F_s")], [np.eye(6)], [body.I])
    helpers.close(separation_velocities(floating, floating.neutral(), v, [Contact(0, 1, n) for n in body.N.T]), along)


@pytest.mark.source("RBDA-S11.1-2", "RBDA-Q11.1-1")
def test_finite_forces_leave_the_separation_velocity_at_zero(rng):
    """A particle at height phi(t) = zeta t + zeta_dot t²/2: it is nowhere below the surface only if zeta = 0."""
    t = np.linspace(-0.1, 0.1, 201)
    for zeta, zeta_dot in product((-0.3, 0.0, 0.3), (-1.0, 0.0, 1.0)):
        assert ((zeta * t + zeta_dot * t * t / 2).min() >= 0) == (zeta == 0 and zeta_dot >= 0)
    body = random_body(rng)
    solved(body)
    for speed in (0.1, -0.1):
        with pytest.raises(ValueError, match="approach" if speed < 0 else "part"):
            solved(body, v=body.v + speed * np.concatenate([np.zeros(3), body.n_hat[0]]))


def on_curved_surface(rng):
    """A body in a smooth motion with a vertex P, and an ellipsoid: n(t) along the gradient at P, through P."""
    pose, P, weights = helpers.smooth_motion(rng), rng.normal(size=3), rng.uniform(0.5, 2, 3)

    def n(t):
        R, p = pose(t)
        gradient = weights * (C := p + R @ P)
        n_hat = gradient / np.sqrt(gradient @ gradient)
        return np.concatenate([np.cross(C, n_hat), n_hat])

    return pose, n


@pytest.mark.source("RBDA-11.3", "RBDA-11.13", "RBDA-11.17")
def test_the_separation_accelerations_have_a_part_from_the_turning_normals(rng):
    (pose, *_), normals = zip(*(on_curved_surface(rng) for _ in range(3)), strict=True)
    v, a = helpers.velocity(pose), helpers.acceleration(pose)
    rates = helpers.slope(lambda t: np.array([n(t) for n in normals]) @ helpers.velocity(pose, t), h=1e-3)
    N, Ndot = np.array([n(0.0) for n in normals]).T, np.array([helpers.derivative(n) for n in normals]).T
    helpers.close(N.T @ a + Ndot.T @ v, rates, 1e-7)
    helpers.far(N.T @ a, rates)
    # n and ndot in the library: the body is free, its spatial acceleration is what qdd says
    floating = Model([0], [FreeMotion("F_s")], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))])
    contacts = [Contact(0, 1, n, ndot) for n, ndot in zip(N.T, Ndot.T, strict=True)]
    helpers.close(separation_accelerations(floating, floating.neutral(), v, a, contacts), rates, 1e-7)


@pytest.mark.source("RBDA-11.1", "RBDA-S11.1-3", "RBDA-11.4", "RBDA-11.5", "RBDA-11.6", "RBDA-11.10", "RBDA-11.11",
                    "RBDA-11.15", "RBDA-11.16", "RBDA-11.19", "RBDA-S11.2-3", "RBDA-AS11.1-single", "RBDA-AS11.2-multi")
def test_a_body_obeys_the_equation_of_motion_with_forces_along_its_normals_and_a_contact_breaks_or_persists(rng):
    body, many = random_body(rng), random_body(rng, 5)
    free = body.n @ acceleration_under(body)
    one = [SimpleNamespace(**{**vars(body), "e": np.array([d - free])}) for d in (-1.0, 1.0)]   # pressed, drawn away
    many.f, many.e = many.f - many.N.sum(axis=1), many.e - 1
    results = [*map(solved, one), systems.several_contacts(many.I, many.v, many.f, many.N, many.e)]
    assert [np.max(result.lam) > 0 for result in results] == [True, False, True]
    for body, result in zip((*one, many), results, strict=True):
        pushes = np.reshape(result.lam, (-1, 1)) * body.n_hat
        force = np.concatenate([np.cross(body.C, pushes), pushes], axis=1).sum(axis=0)
        helpers.close(result.f_c, force)
        helpers.close(body.I @ result.a + body.gyroscopic - body.f - force, np.zeros(6), 1e-10)
    for body, result, d in zip(one, results, (-1.0, 1.0), strict=False):
        breaks = result.zeta_dot > 0 and result.lam == 0
        assert breaks != (result.zeta_dot == 0 and result.lam > 0) and breaks == (d > 0)
        helpers.close(result.lam, max(0, -d / (body.n @ np.linalg.solve(body.I, body.n))), 1e-10)
        helpers.close(result.zeta_dot, max(0, d), 1e-10)


@pytest.mark.source("RBDA-11.7", "RBDA-11.8", "RBDA-11.9", "RBDA-11.20", "RBDA-11.21", "RBDA-11.22", "RBDA-S11.1-4",
                    "RBDA-S11.3-7")
def test_the_separation_accelerations_depend_linearly_on_the_forces(rng):
    for n_c in (1, 4, 9):
        body = random_body(rng, n_c)
        M, d = systems.body_contact_equations(body.I, body.v, body.f, body.N, body.e)
        for lam in (np.zeros(n_c), rng.uniform(0, 2, n_c), rng.uniform(0, 2, n_c)):
            helpers.close(M @ lam + d, body.N.T @ acceleration_under(body, body.N @ lam) + body.e, 1e-10)
        helpers.close(M, body.N.T @ np.linalg.solve(body.I, body.N), 1e-10)
        np.testing.assert_array_equal(M, M.T)
        assert rank(M) == min(n_c, 6) and np.linalg.eigvalsh(M).min() > -1e-12 * np.abs(M).max()
    # M is the inverse of the mass that is felt at the contact; here the normal passes the centre of mass at distance c
    m, I_C, c, angle = rng.uniform(0.5, 2, 4)
    n = np.array([-c, np.cos(angle), np.sin(angle)])
    helpers.close(systems.body_contact_equations(np.diag([I_C, m, m]), np.zeros(3), np.zeros(3), n)[0],
                  [[1 / m + c * c / I_C]], 1e-10)


def rank(M):
    return np.linalg.matrix_rank(M, tol=1e-9 * np.abs(M).max())


@pytest.mark.source("RBDA-S11.1-5")
def test_the_acceleration_is_only_piecewise_linear_in_the_force(rng):
    body = random_body(rng)
    push = body.I @ np.concatenate([np.zeros(3), body.n_hat[0]])    # its acceleration is along the normal

    def a(*pushes):
        return solved(body, f=body.gyroscopic + sum(pushes), ndot_v=0.0).a

    for sign in (1, -1):
        helpers.close(a(sign * push) + a(2 * sign * push) - a(), a(3 * sign * push), 1e-10)
    helpers.far(a(push) + a(-2 * push) - a(), a(-push))


@pytest.mark.source("RBDA-F11.2")
def test_a_box_in_a_corner_is_held_by_its_floor_and_its_wall():
    """A planar box with corners on a floor and one corner at a wall; forces by equilibrium of forces and moments."""
    m, g, width, height, push = 2.0, 9.81, 1.0, 0.6, 3.0
    places = ((-width / 2, -height / 2, 0, 1), (width / 2, -height / 2, 0, 1), (width / 2, 0.1, -1, 0))
    N = np.array([[x * ny - y * nx, nx, ny] for x, y, nx, ny in places]).T
    held, tipped = (systems.several_contacts(np.diag([1.0, m, m]), np.zeros(3), np.array(f), N)
                    for f in ([0, push, -m * g], [-0.7 * m * g, 0, -m * g]))
    turning = 0.1 * push / width                                    # of the wall's force about the centre, at the floor
    helpers.close(held.lam, [m * g / 2 + turning, m * g / 2 - turning, push], 1e-10)
    helpers.close(held.a, np.zeros(3), 1e-10)
    assert tipped.zeta_dot[0] > 0 and tipped.lam[0] == 0


@pytest.mark.source("RBDA-S11.2-1")
def test_a_body_that_is_fixed_by_its_contacts_can_still_be_lifted():
    """Six points fix a cube, three below, two behind, one beside it; lifted, it leaves the three and keeps the rest."""
    places = [([0, 0, 0], [0, 0, 1]), ([1, 0, 0], [0, 0, 1]), ([0, 1, 0], [0, 0, 1]),
              ([0.2, 0, 0.5], [0, 1, 0]), ([0.8, 0, 0.5], [0, 1, 0]), ([0, 0.5, 0.5], [1, 0, 0])]
    N = contact_normals([Contact(0, 1, contact_normal(C, n)) for C, n in places])
    assert null_space(N.T).shape[1] == 0
    I = mcI(1.5, [0.5, 0.5, 0.5], 0.25 * np.eye(3))
    rest, lifted = (systems.several_contacts(I, np.zeros(6), np.array([*np.cross([0.5, 0.5, 0.5], f), *f]), N)
                    for f in ([-5, -5, -5], [-5, -5, 7]))
    helpers.close([*rest.a, *rest.zeta_dot], np.zeros(12), 1e-10)
    assert (lifted.zeta_dot[:3] > 1).all()
    helpers.far(lifted.a, np.zeros(6))
    complementary(lifted.zeta_dot, lifted.lam)


@pytest.mark.source("RBDA-11.14", "RBDA-11.18", "RBDA-AS11.2-multi")
def test_the_contacts_that_hold_are_those_that_trying_every_set_finds(rng):
    for n_c in (1, 4, 6):
        body = random_body(rng, n_c)
        f = body.f - rng.uniform(0, 3) * body.N.sum(axis=1)
        result = systems.several_contacts(body.I, body.v, f, body.N, body.e)
        M, d = systems.body_contact_equations(body.I, body.v, f, body.N, body.e)
        (lam,) = holding_sets(M, d)
        helpers.close(result.lam, lam, 1e-8)
        helpers.close(result.zeta_dot, body.N.T @ result.a + body.e, 1e-8)
        complementary(result.zeta_dot, result.lam)
        assert result.status == "unique"


@pytest.fixture
def touching(rng):
    return Touching(rng)


def pressed(touching, lam=(2.0, 0.0, 1.0), zeta_dot=(0.0, 1.0, 0.0)):
    """tau with which contacts press with the forces lam, or break with the accelerations zeta_dot."""
    (H, C), T = touching.H_and_C(touching.qd), touching.T()
    e, M = touching.phi_rate_2(touching.qd, 0 * touching.qd), T.T @ np.linalg.solve(H, T)
    return H @ np.linalg.lstsq(T.T, np.array(zeta_dot) - M @ np.array(lam) - e)[0] + C


@pytest.mark.source("RBDA-11.23", "RBDA-S11.3-1", "RBDA-S11.3-6", "RBDA-AS11.3-system")
def test_the_system_obeys_the_equation_of_motion_whichever_body_is_called_predecessor(touching):
    tau, T, contacts = pressed(touching), touching.T(), touching.contacts(touching.qd)
    swapped = [Contact(c.successor, c.predecessor, -c.n, -c.ndot) for c in contacts]
    H, C = touching.H_and_C(touching.qd)
    for named in (contacts, swapped):
        result = contact_dynamics(touching.model, touching.q, touching.qd, tau, named)
        helpers.close(result.lam, [2, 0, 1], 1e-6)
        helpers.close(result.zeta_dot, [0, 1, 0], 1e-6)
        helpers.close(H @ result.qdd + C, tau + T @ result.lam, 1e-8)
        helpers.close(result.zeta_dot, touching.phi_rate_2(touching.qd, result.qdd), 1e-7)
        helpers.close(joint_space_normals(touching.model, touching.q, named), T, 1e-9)


@pytest.mark.source("RBDA-AS11.3-system", "RBDA-11.35")
def test_a_free_body_moves_as_a_body_alone_and_as_a_system(rng):
    body, gravity = random_body(rng, 4), rng.normal(size=3)
    R, p = pose = helpers.random_pose(rng)
    floating, q = Model([0], [FreeMotion()], [np.eye(6)], [body.I], gravity), np.array([*quaternion(R), *p])
    v = helpers.motion_coordinates(body.v, pose)
    here = np.column_stack([helpers.force_coordinates(n, pose) for n in body.N.T])
    f = helpers.force_coordinates(body.f, pose) - 6 * here.sum(axis=1)
    alone = systems.several_contacts(body.I, v, f + body.I @ np.concatenate([np.zeros(3), R.T @ gravity]), here, body.e)
    contacts = [Contact(0, 1, n, e * body.v / (body.v @ body.v)) for n, e in zip(body.N.T, body.e, strict=True)]
    result = contact_dynamics(floating, q, v, f, contacts)
    assert (result.lam > 0).any()
    for found, expected in ((result.qdd, alone.a), (result.lam, alone.lam), (result.zeta_dot, alone.zeta_dot)):
        helpers.close(found, expected, 1e-9)
    helpers.close(contact_equations(floating, q, v, f, contacts)[0], here.T @ np.linalg.solve(body.I, here), 1e-9)


@pytest.mark.source("RBDA-11.24", "RBDA-11.25", "RBDA-S11.3-3", "RBDA-11.26", "RBDA-11.31", "RBDA-11.32", "RBDA-11.40")
def test_contact_forces_map_to_joint_forces_as_external_forces_do(touching, rng):
    model, q, contacts = touching.model, touching.q, touching.contacts(touching.qd)
    T, lam = joint_space_normals(model, q, contacts), rng.uniform(0, 2, 3)
    forces = np.zeros((3, model.N_B + 1, 6))
    for f, contact, lam_i in zip(forces, contacts, lam, strict=True):
        f[contact.successor], f[contact.predecessor] = contact.n * lam_i, -contact.n * lam_i
    free, *pushed, all_pushed = (bias_force(model, q, touching.any_qd, f) for f in (None, *forces, forces.sum(axis=0)))
    for i, tau in enumerate(pushed):
        helpers.close(free - tau, T[:, i] * lam[i], 1e-10)
    helpers.close(free - all_pushed, T @ lam, 1e-10)
    helpers.close(T, touching.T(), 1e-9)


@pytest.mark.source("RBDA-S11.3-2", "RBDA-S11.3-5")
def test_jacobians_map_velocities_and_forces_and_their_rates_give_velocity_product_accelerations(touching, rng):
    model, q, qd = touching.model, touching.q, touching.any_qd
    for i in model.bodies:
        f, v, a_vp = rng.normal(size=6), touching.v(i, qd), touching.a(i, qd, 0 * qd)
        tau = bias_force(model, q, qd) - bias_force(model, q, qd, {i: f})
        helpers.close(tau @ qd, f @ v, 1e-9)
        pose, J = touching.tree.world_poses(q)[i], body_jacobian(model, q, i)
        helpers.close(J @ qd, helpers.motion_coordinates(v, pose), 1e-9)
        helpers.close(J.T @ helpers.force_coordinates(f, pose), tau, 1e-9)
        rate = helpers.slope(lambda t, i=i: np.column_stack([helpers.velocity(
            lambda s, e=e: touching.tree.world_poses(q + t * qd + s * e)[i]) for e in np.eye(len(q))]))
        helpers.close(rate @ qd, a_vp, 1e-7)
        helpers.close(body_jacobian_dot(model, q, qd, i) @ qd, helpers.motion_coordinates(a_vp, pose), 1e-7)


@pytest.mark.source("RBDA-11.27", "RBDA-S11.3-4", "RBDA-11.28", "RBDA-11.38")
def test_the_separation_velocity_is_the_rate_of_the_distance(touching):
    qd, q = touching.any_qd, touching.q
    zeta = separation_velocities(touching.model, q, qd, touching.contacts(qd))
    helpers.close(zeta, helpers.derivative(lambda t: touching.phi(q + t * qd)), 1e-9)
    helpers.close(touching.T().T @ qd, zeta, 1e-9)
    for (pc, sc), n, C, zeta_i in zip(touching.pairs, touching.n(q), touching.C(q), zeta, strict=True):
        v_s, v_p = touching.v(sc, qd), touching.v(pc, qd)
        helpers.close(n @ (v_s - v_p), zeta_i, 1e-9)
        helpers.close(n[3:] @ (helpers.field(v_s, C[None])[0] - helpers.field(v_p, C[None])[0]), zeta_i, 1e-9)
        J_s, J_p = (np.column_stack([touching.v(i, e) for e in np.eye(len(q))]) for i in (sc, pc))
        helpers.close(n @ (J_s - J_p) @ qd, zeta_i, 1e-9)


@pytest.mark.source("RBDA-11.29", "RBDA-11.30", "RBDA-11.33", "RBDA-11.39")
def test_the_separation_acceleration_is_the_second_derivative_of_the_distance(touching):
    q, qd, qdd = touching.q, touching.any_qd, touching.qdd
    path, contacts, rate = touching.path(qd, qdd), touching.contacts(qd), touching.phi_rate_2(qd, qdd)
    helpers.close(separation_accelerations(touching.model, q, qd, qdd, contacts), rate, 1e-7)

    def gradients(t):
        x = path(t)
        return np.array([helpers.derivative(lambda s, e=e: touching.phi(x + s * e)) for e in np.eye(len(q))])

    helpers.close(touching.T().T @ qdd + helpers.slope(gradients).T @ qd, rate, 1e-7)
    apart = [touching.a(sc, qd, qdd) - touching.a(pc, qd, qdd) for pc, sc in touching.pairs]
    past = [touching.v(sc, qd) - touching.v(pc, qd) for pc, sc in touching.pairs]
    products = np.einsum("ij,ij->i", touching.n(q), apart)
    helpers.close(products + np.einsum("ij,ij->i", touching.ndot(qd), past), rate, 1e-7)
    helpers.far(products, rate)
    still = [Contact(c.predecessor, c.successor, c.n) for c in contacts]
    helpers.far(separation_accelerations(touching.model, q, qd, qdd, still), rate)


@pytest.mark.source("RBDA-11.34", "RBDA-11.35", "RBDA-11.36")
def test_the_equations_of_a_system_hold_for_any_forces(touching, rng):
    contacts, tau, qd = touching.contacts(touching.any_qd), touching.tau, touching.any_qd
    M, d = contact_equations(touching.model, touching.q, qd, tau, contacts)
    (H, C), T = touching.H_and_C(qd), touching.T()
    for lam in (np.zeros(3), rng.uniform(0, 3, 3), rng.uniform(0, 3, 3)):
        qdd = np.linalg.solve(H, T @ lam + tau - C)
        helpers.close(M @ lam + d, touching.phi_rate_2(qd, qdd), 1e-7)
    helpers.close(M, T.T @ np.linalg.solve(H, T), 1e-9)
    helpers.close(d, T.T @ aba(touching.model, touching.q, qd, tau) + touching.phi_rate_2(qd, 0 * qd), 1e-7)
    np.testing.assert_array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0


@pytest.mark.source("RBDA-S11.3-7")
def test_the_rank_of_M_is_as_large_as_it_likes_for_a_system(rng):
    pairs = [(0, 8), (0, 7), (3, 8), (1, 6), (2, 8), (0, 5), (4, 7), (6, 3), (0, 4), (5, 8)]
    many = Touching(rng, 8, pairs, parent=[0, 1, 2, 3, 3, 5, 6, 7])
    assert rank(contact_equations(many.model, many.q, many.any_qd, many.tau, many.contacts(many.any_qd))[0]) == 8


@pytest.mark.source("RBDA-11.37", "RBDA-F11.4")
def test_a_bouncing_ball_passes_through_the_states_of_the_figure():
    """A ball that falls from 1 m above the floor and bounces with e = 1/2; then every kind of phi and its rate."""
    g, e, t = 10.0, 0.5, 0.01
    fall, speed = np.sqrt(2 / g), np.sqrt(2 * g)
    for gap, rate, state in ((1 - g * (0.9 * fall) ** 2 / 2, -0.9 * speed, "1"), (0.0, -speed, "2a"),
                             (0.0, e * speed, "2b"), (e * speed * t - g * t * t / 2, e * speed - g * t, "1")):
        for shape, touching_height in ((Sphere(0.2), 0.2), (Point([0, 0, -0.1]), 0.1)):
            above, below = (Pair(0, Plane(), 1, shape).contacts(lift(), [touching_height + phi], [0.0])[0].phi
                            for phi in (gap, -gap))
            helpers.close([above, below], [gap, -gap])
            assert constraint_state(above, rate) == state
    grid = [constraint_state(phi, phidot) for phi in (0.0, 1.0) for phidot in (-1.0, 0.0, 1.0)]
    assert grid == ["2a", "3", "2b", "1", "1", "1"]
    with pytest.raises(ValueError, match="overlap"):
        constraint_state(-0.1, 0.0)


@pytest.mark.source("RBDA-S11.4-1", "RBDA-S11.4-3")
def test_a_constraint_that_is_apart_or_beyond_its_face_or_separates_changes_nothing(touching):
    model, q, qd, tau = touching.model, touching.q, touching.qd, pressed(touching)
    first, *others = touching.contacts(qd)
    without = contact_dynamics(model, q, qd, tau, others)
    helpers.far(without.qdd, contact_dynamics(model, q, qd, tau, [first, *others]).qdd)
    for how in ({"phi": 0.1}, {"inside": False}):
        apart = Contact(*touching.pairs[0], first.n, first.ndot, **how)
        with_it = contact_dynamics(model, q, qd, tau, [apart, *others])
        helpers.close(with_it.qdd, without.qdd, 1e-9)
        assert with_it.lam[0] == 0 and with_it.states[0] == "1"
        alone = contact_dynamics(model, q, touching.any_qd, tau, [apart])
        helpers.close(alone.qdd, aba(model, q, touching.any_qd, tau), 1e-8)
    leaving = qd + np.linalg.lstsq(touching.T().T, np.array([0.5, 0, 0]))[0]
    first, *others = touching.contacts(leaving)
    parted = contact_dynamics(model, q, leaving, tau, [first, *others])
    assert parted.states == ["2b", "3", "3"] and parted.lam[0] == 0
    helpers.close(parted.qdd, contact_dynamics(model, q, leaving, tau, others).qdd, 1e-9)
    for t in (1e-4, 1e-3):                                          # the next instant it is apart
        assert touching.phi(touching.path(leaving, parted.qdd)(t))[0] > 0


@pytest.mark.source("RBDA-S11.4-4")
def test_a_prolonged_contact_breaks_without_force_or_stays_with_force(touching):
    for pattern in ((1, 1, 1), (0, 0, 0), (1, 0, 1), (0, 1, 0)):
        tau = pressed(touching, 2 * np.array(pattern), 1 - np.array(pattern))
        result = contact_dynamics(touching.model, touching.q, touching.qd, tau, touching.contacts(touching.qd))
        phidotdot = touching.phi_rate_2(touching.qd, result.qdd)
        complementary(phidotdot, result.lam, 1e-6)
        breaks, later = phidotdot > 1e-6, touching.phi(touching.path(touching.qd, result.qdd)(1e-3))
        assert (breaks == (result.lam == 0)).all() and (breaks == (later > 1e-8)).all()
        assert (breaks == np.logical_not(pattern)).all()


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
        by_qp = systems.accelerations_by_qp(DISC, q, qd, force, walls(q, qd))
        assert result.qdd is result.lam is result.zeta_dot is by_qp
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
