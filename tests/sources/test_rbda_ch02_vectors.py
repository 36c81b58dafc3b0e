"""RBDA 2.1-2.8: vectors and duality, velocity and force, Plücker coordinates, screws, rules of use, transforms.

The rotations of Table 2.2 are proved with those of Appendix A.2, in `test_rbda_appendix_a.py`.
"""

import numpy as np
import pytest
import sympy
from numpy.testing import assert_array_equal
from scipy.linalg import block_diag, expm

from rbdlib import Model
from rbdlib.arithmetic import fv, mv
from rbdlib.book import ch02_spatial as spatial
from rbdlib.book.ch02_spatial import dyad, force_transform, inverse_transform, plucker, point_velocity, rot, skew, xlt
from rbdlib.book.ch04_joints import Fixed, Prismatic, Revolute, jcalc
from rbdlib.book.ch04_kinematics import body_jacobian, body_transforms, body_velocities
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.conventions import swap_halves
from rbdlib.methods.screws import screw_of_force, screw_of_motion
from tests.sources import helpers
from tests.sources.helpers import close, cross_matrix, far, force_coordinates, motion_coordinates, random_pose, turn

SEED = 28
O3, ONE = np.zeros((3, 3)), np.eye(3)

pytestmark = pytest.mark.filterwarnings("error")


def random_frame(rng):
    """A random pose (R, p) in the world and the transform from the world to it, made by rbdlib."""
    pose = random_pose(rng)
    return pose, plucker(pose[0].T, pose[1])


def symbols(names):
    return np.array(sympy.symbols(names, real=True))


def wrench(points, forces, about=(0, 0, 0)):
    """[moment about a point; sum] of a set of point forces, from the definition."""
    return np.concatenate([np.cross(points - np.asarray(about), forces).sum(axis=0), forces.sum(axis=0)])


def power_of(v, points, forces):
    """The power of point forces on the body-fixed points where they act."""
    return np.sum(forces * helpers.field(v, points))


# 2.1 Mathematical preliminaries

@pytest.mark.source("RBDA-S2.1-2", "RBDA-S2.1-3")
def test_dual_bases_and_coordinates_in_them(rng):
    """d_i · e_j = δ_ij determines E from D and D from E; then u · v = u̲ᵀ v̲, u_i = e_i · u and v_i = d_i · v."""
    D = rng.normal(size=(6, 6)) + 3 * np.eye(6)
    E = np.column_stack([np.linalg.solve(D.T, e) for e in np.eye(6)])
    close([[d @ e for e in E.T] for d in D.T], np.eye(6))
    close(np.linalg.inv(E).T, D)
    far(E, D)
    orthonormal = helpers.random_rotation(rng)
    close(np.linalg.inv(orthonormal).T, orthonormal)
    close(sum(dyad(d, e) for d, e in zip(D.T, E.T, strict=True)), np.eye(6))

    u_coordinates, v_coordinates = rng.normal(size=(2, 6))
    u, v = D @ u_coordinates, E @ v_coordinates
    close(u @ v, u_coordinates @ v_coordinates)
    close([e @ u for e in E.T], u_coordinates)
    close([d @ v for d in D.T], v_coordinates)


@pytest.mark.source("RBDA-S2.1-5", "RBDA-S2.1-6", "RBDA-S2.1-7")
def test_operators_dot_and_cross_and_dyads_are_matrices_and_every_linear_map_is_a_sum_of_dyads(rng):
    """a· is a row, a× a square matrix; (v × m) · f = −m · (v ×* f); L = Σ a_i b_i· with as many dyads as its rank."""
    (a, b), (v, m, f), c = rng.normal(size=(2, 3)), rng.normal(size=(3, 6)), rng.normal(size=4)
    close(dyad([1], a) @ b, [a @ b])
    close(skew(a) @ b, np.cross(a, b))
    close((spatial.crm(v) @ m) @ f, -m @ (spatial.crf(v) @ f))
    close(dyad(c, a) @ b, c * sum(a * b))
    assert np.linalg.matrix_rank(dyad(c, a)) == 1

    for rows, columns, rank in [(4, 6, 2), (6, 6, 3), (5, 3, 3), (6, 6, 6)]:
        a, b = rng.normal(size=(rank, rows)), rng.normal(size=(rank, columns))
        L = sum(dyad(x, y) for x, y in zip(a, b, strict=True))
        assert L.shape == (rows, columns)
        assert np.linalg.matrix_rank(L) == rank
        U, singular, Vt = np.linalg.svd(L)
        close(sum(dyad(s * u, v) for s, u, v in zip(singular[:rank], U.T, Vt, strict=False)), L)
        assert np.linalg.matrix_rank(sum(dyad(x, y) for x, y in zip([*a[:-1], a[0]], b, strict=True))) == rank - 1


# 2.2 Spatial velocity

@pytest.mark.source("RBDA-2.1", "RBDA-S2.2-1", "RBDA-2.5", "RBDA-X2.1")
def test_the_velocity_field_of_a_tumbling_body_is_the_same_from_any_origin_and_fields_add_up(rng):
    """V(P) = v_O + ω × OP = v_Q + ω × QP, compared with the path of the body-fixed point."""
    pose, Q, point, other = helpers.smooth_motion(rng), *rng.normal(size=(2, 3)), rng.normal(size=6)

    def path(t):
        R, p = pose(t)
        return p + R @ point

    v, P, P_dot = helpers.velocity(pose, 0.3), path(0.3), helpers.derivative(path, 0.3)
    close(v[3:] + np.cross(v[:3], P), P_dot)
    close(point_velocity(v, P), P_dot)
    v_Q = [*v[:3], *(v[3:] + np.cross(v[:3], Q))]
    close(xlt(Q) @ v, v_Q)
    close(point_velocity(v_Q, P - Q), P_dot)
    close(point_velocity(v + other, P), P_dot + helpers.field(other, P))


@pytest.mark.source("RBDA-2.2", "RBDA-2.3", "RBDA-2.7", "RBDA-2.8", "RBDA-2.11", "RBDA-F2.1", "RBDA-F2.3",
                    "RBDA-Q2.2-2", "RBDA-S2.2-2", "RBDA-S2.3-1")
def test_plucker_bases_of_motion_and_force_are_dual_and_give_back_each_vector_in_every_frame(rng):
    """D fills X⁻¹, E fills (X*)⁻¹ = Xᵀ: rotations about and forces on the axes, translations and couples along them.

    Their scalar products are δ_ij in the listed order: d_Ox ↔ e_x, …, d_x ↔ e_Ox, …
    """
    (m, f), P = rng.normal(size=(2, 6)), rng.normal(size=3)
    for (R, r), X in (random_frame(rng), random_frame(rng), ((ONE, np.zeros(3)), np.eye(6))):
        D, E = inverse_transform(X).T, X
        close(np.linalg.inv(force_transform(X)), X.T)
        for d, e, axis in zip(D[:3], E[3:], R.T, strict=True):
            close(d, [*axis, *np.cross(r, axis)])
            close(e, [*np.cross(r, axis), *axis])
            close(spatial.line_motion(axis, r), d)
            close(spatial.line_force(axis, r), e)
            close(point_velocity(d, P), np.cross(axis, P - r))
            close(spatial.moment_at(e, P), np.cross(r - P, axis))
        for d, e, axis in zip(D[3:], E[:3], R.T, strict=True):
            close(d, [0, 0, 0, *axis])
            close(e, [*axis, 0, 0, 0])
            close(spatial.free_motion(axis), d)
            close(spatial.couple(axis), e)
            close(point_velocity(d, P), axis)
            close(spatial.moment_at(e, P), axis)
        close(D @ E.T, np.eye(6))
        close(X @ m, motion_coordinates(m, (R, r)))
        close(force_transform(X) @ f, force_coordinates(f, (R, r)))
        close(sum(x * d for x, d in zip(X @ m, D, strict=True)), m)
        close(sum(x * e for x, e in zip(force_transform(X) @ f, E, strict=True)), f)


@pytest.mark.source("RBDA-2.4", "RBDA-2.9")
def test_coordinates_of_a_motion_and_of_a_force_are_angular_first(rng):
    """v̲̂_O = [ω_x ω_y ω_z v_Ox v_Oy v_Oz], f̲̂_O = [n_Ox n_Oy n_Oz f_x f_y f_z]."""
    one, other, point = rng.normal(size=(3, 3))
    assert_array_equal(mv(one, other).array, [*one, *other])
    assert_array_equal(fv(one, other).array, [*one, *other])
    close(spatial.line_force(other, point), wrench(point[None], other[None]))
    pose, t = helpers.smooth_motion(rng), 0.2
    (R, p), v = pose(t), helpers.velocity(pose, t)
    close(skew(v[:3]), helpers.derivative(lambda t: pose(t)[0], t) @ R.T)
    close(point_velocity(v, p), helpers.derivative(lambda t: pose(t)[1], t))
    close(point_velocity(v, np.zeros(3)), v[3:])


@pytest.mark.source("RBDA-F2.2", "RBDA-Q2.2-1", "RBDA-X2.2", "RBDA-Q2.2-2")
def test_unit_rotations_about_lines_and_spatial_velocity_seen_from_another_point(rng):
    """Py moves the point at O along +z with speed r, Pz along −y; d_Px = d_Ox + p_z d_y − p_y d_z and so on."""
    r = rng.uniform(0.5, 2)
    P = np.array([r, 0, 0])
    for axis, speed, expected in ((ONE[1], [0, 0, r], np.eye(6)[1] + r * np.eye(6)[5]),
                                  (ONE[2], [0, -r, 0], np.eye(6)[2] - r * np.eye(6)[4])):
        close(helpers.derivative(lambda t, axis=axis: P + turn(axis, t) @ -P), speed)
        close(spatial.line_motion(axis, P), expected)
    p, u, Q = rng.normal(size=3), helpers.random_unit(rng), rng.normal(size=3)
    close(xlt(Q) @ spatial.line_motion(u, p), [*u, *np.cross(p - Q, u)])

    p_x, p_y, p_z = p = symbols("p_x p_y p_z")
    omega, v_O = symbols("omega_x omega_y omega_z"), symbols("v_x v_y v_z")
    d_Ox, d_Oy, d_Oz, d_x, d_y, d_z = np.eye(6, dtype=int)
    basis = [d_Ox + p_z * d_y - p_y * d_z, d_Oy + p_x * d_z - p_z * d_x, d_Oz + p_y * d_x - p_x * d_y, d_x, d_y, d_z]
    assert helpers.identical(inverse_transform(xlt(p)).T, np.array(basis))
    coordinates = [*omega, *(v_O + np.cross(omega, p))]
    assert helpers.identical(xlt(p) @ [*omega, *v_O], coordinates)
    assert helpers.identical(point_velocity([*omega, *v_O], p), coordinates[3:])
    assert helpers.identical(sum(x * d for x, d in zip(coordinates, basis, strict=True)), [*omega, *v_O])


# 2.3 Spatial force

@pytest.mark.source("RBDA-2.6", "RBDA-S2.7-4", "RBDA-S2.7-1")
def test_forces_on_one_body_add_up_and_moments_about_three_points_tell_them(rng):
    """n_P = n_O + f × OP = Σ (r_i − P) × f_i, from any origin; three points not on a line tell all six coordinates."""
    (points, forces), (O, P) = rng.normal(size=(2, 7, 3)), rng.normal(size=(2, 3))
    close(sum(spatial.line_force(f, r) for r, f in zip(points, forces, strict=True)), wrench(points, forces))
    f, n_P = wrench(points, forces, O), wrench(points, forces, P)[:3]
    close(f[:3] + np.cross(f[3:], P - O), n_P)
    close(spatial.moment_at(f, P - O), n_P)
    close((force_transform(xlt(P - O)) @ f)[:3], n_P)

    points = rng.normal(size=(3, 3))
    on_a_line = [points[0], points[1], 2 * points[1] - points[0]]
    for at_point in (point_velocity, spatial.moment_at):
        for places, rank in ((points, 6), (on_a_line, 5)):
            seen = np.vstack([np.column_stack([at_point(e, P) for e in np.eye(6)]) for P in places])
            assert np.linalg.matrix_rank(seen) == rank


# 2.4 Plücker notation

@pytest.mark.source("RBDA-S2.4-1", "RBDA-S2.4-2")
def test_part_that_depends_on_the_origin_is_last_in_motions_and_first_in_forces_and_the_other_order_is_as_good(rng):
    """With P the exchange of the halves, P X P and P v× P act on P m as X and v× act on m."""
    (m, f), r = rng.normal(size=(2, 6)), rng.normal(size=3)
    moved_motion, moved_force = xlt(r) @ m, force_transform(xlt(r)) @ f
    close(moved_motion[:3], m[:3], 1e-15)
    close(moved_force[3:], f[3:], 1e-15)
    assert np.abs(moved_motion[3:] - m[3:]).min() > 1e-3
    assert np.abs(moved_force[:3] - f[:3]).min() > 1e-3

    (R, r), X = random_frame(rng)
    m, v = rng.normal(size=(2, 6))
    E, w, v_O = R.T, cross_matrix(v[:3]), cross_matrix(v[3:])
    linear_first_X, linear_first_crm = np.block([[E, -E @ cross_matrix(r)], [O3, E]]), np.block([[w, v_O], [O3, w]])
    linear_first_m = [*m[3:], *m[:3]]
    close(swap_halves(m), linear_first_m)
    close(swap_halves(X), linear_first_X)
    close(swap_halves(spatial.crm(v)), linear_first_crm)
    close(swap_halves(X @ m), linear_first_X @ linear_first_m)
    close(swap_halves(spatial.crm(v) @ m), linear_first_crm @ linear_first_m)


# 2.5 Line vectors and free vectors

@pytest.mark.source("RBDA-S2.5-2", "RBDA-S2.5-1")
def test_line_vectors_are_told_from_free_vectors_and_screws_and_their_line_is_found(rng):
    """s · s_O = 0 with s ≠ 0: a line vector along s, whose points P have OP × s = s_O. s = 0: a free vector."""
    u, p, t = rng.normal(size=(3, 3))
    rotation, force = np.array([*u, *np.cross(p, u)]), np.array([*np.cross(p, u), *u])
    close(u @ rotation[3:], 0)
    for screw in (screw_of_motion(rotation), screw_of_force(force)):
        assert screw.kind == "line"
        assert screw.pitch == 0
        close(screw.direction, u / np.linalg.norm(u))
        close(np.cross(screw.point - p, u), np.zeros(3))
    for P in (p, p + rng.normal() * u):
        close(np.cross(P, u), rotation[3:])
        close(point_velocity(rotation, P), np.zeros(3))
        close(spatial.moment_at(force, P), np.zeros(3))

    for free in (screw_of_motion([0, 0, 0, *t]), screw_of_force([*t, 0, 0, 0])):
        assert free.kind == "free"
        close(free.direction, t / np.linalg.norm(t))
    close(point_velocity([0, 0, 0, *t], p), t)
    far(u @ t, 0)
    assert screw_of_motion([*u, *t]).kind == screw_of_force([*t, *u]).kind == "screw"

    x = rng.normal(size=6)
    for line, free in ((spatial.line_motion, spatial.free_motion), (spatial.line_force, spatial.couple)):
        slopes = [helpers.slope(lambda t, e=e, line=line: line(*np.split(x + t * e, 2))) for e in np.eye(6)]
        assert np.linalg.matrix_rank(slopes, tol=1e-6) == 5
        close(line(x[:3], x[3:] + 1.7 * x[:3]), line(x[:3], x[3:]))
        far(line(x[:3], x[3:] + helpers.random_unit(rng)), line(x[:3], x[3:]))
        assert np.linalg.matrix_rank([free(e) for e in ONE]) == 3


@pytest.mark.source("RBDA-2.10", "RBDA-S2.5-3")
def test_every_screw_is_a_line_vector_and_a_parallel_free_vector(rng):
    """[s; s_O] = [s; s_O − h s] + [0; h s], h = (s · s_O)/(s · s), with the axis through (s × s_O)/(s · s).

    No other h makes the first part a line vector; pitch and axis are the same things of the body in every frame.
    """
    s, s_O = rng.normal(size=(2, 3))
    h, A = s @ s_O / (s @ s), np.cross(s, s_O) / (s @ s)
    close(s @ (s_O - h * s), 0)
    close(np.cross(A, s), s_O - h * s)
    for other in (h + 0.1, h - 0.3, -h, 0):
        far(s @ (s_O - other * s), 0)
    for screw, line, free in ((screw_of_motion([*s, *s_O]), spatial.line_motion, spatial.free_motion),
                              (screw_of_force([*s_O, *s]), lambda *x: swap_halves(spatial.line_force(*x)),
                               lambda x: swap_halves(spatial.couple(x)))):
        close(screw.pitch, h)
        close(screw.point, A)
        close(screw.magnitude * screw.direction, s)
        close(line(screw.magnitude * screw.direction, screw.point), [*s, *(s_O - h * s)])
        close(free(screw.pitch * screw.magnitude * screw.direction), [0, 0, 0, *(h * s)])

    (R, p), X = random_frame(rng)
    for screw in (screw_of_motion(X @ [*s, *s_O]), screw_of_force(force_transform(X) @ [*s_O, *s])):
        close(screw.pitch, h)
        close(R @ screw.direction, s / np.linalg.norm(s))
        close(np.cross(p + R @ screw.point - A, s), np.zeros(3))

    s, s_O, P = rng.normal(size=(3, 3))
    for at_point, whole_of, free in ((point_velocity, lambda x: np.array([*s, *x]), spatial.free_motion),
                                     (spatial.moment_at, lambda x: np.array([*x, *s]), spatial.couple)):
        whole, line, s_P = whole_of(s_O), whole_of(np.cross(P, s)), s_O + np.cross(s, P)
        close(line + free(s_P), whole)
        close(at_point(line, P), np.zeros(3))
        close(at_point(whole, P), s_P)
        offset = at_point(whole, P)
        close(np.linalg.solve(np.column_stack([offset - at_point(whole - free(e), P) for e in ONE]), offset), s_P)


@pytest.mark.source("RBDA-S2.5-4")
def test_a_twist_is_a_screw_motion_and_a_wrench_a_force_on_its_axis_and_a_couple_along_it(rng):
    """In unit time the axis moves by pitch times angle along itself; pitch is free magnitude over line magnitude."""
    v = np.concatenate([helpers.random_unit(rng) * rng.uniform(0.5, 2), rng.normal(size=3)])
    screw, displacement = screw_of_motion(v), expm(helpers.twist_matrix(v))
    close(screw.magnitude, np.linalg.norm(v[:3]))
    for k in (-1, 0, 2):
        P = screw.point + k * screw.direction
        close((displacement @ [*P, 1])[:3] - P, screw.pitch * screw.magnitude * screw.direction)
    close(displacement[:3, :3], turn(screw.direction, screw.magnitude))

    f, t = rng.normal(size=6), rng.normal(size=3)
    screw = screw_of_force(f)
    n_A = f[:3] - np.cross(screw.point, f[3:])
    close(np.cross(n_A, f[3:]), np.zeros(3))
    close(abs(screw.pitch), np.linalg.norm(n_A) / np.linalg.norm(f[3:]))
    for free in (screw_of_motion([0, 0, 0, *t]), screw_of_force([*t, 0, 0, 0])):
        assert (free.pitch, free.point) == (np.inf, None)
        close(free.magnitude, np.linalg.norm(t))
    for e in (1e-2, 1e-4, 1e-6):
        close(screw_of_motion([*(e * t), *t]).pitch, 1 / e, 1e-9)


@pytest.mark.source("RBDA-S2.5-5")
def test_spatial_vectors_have_magnitudes_in_the_four_special_sets_only(rng):
    """The norm of six numbers changes with the frame; |s| of a line vector and |s_O| of a free one do not."""
    u, p, t = rng.normal(size=(3, 3))
    _, X = random_frame(rng)
    X_star, length = force_transform(X), np.linalg.norm
    for vector, transform, part in ((spatial.line_motion(u, p), X, slice(0, 3)),
                                    (spatial.line_force(u, p), X_star, slice(3, 6))):
        far(length(transform @ vector), length(vector))
        close(length((transform @ vector)[part]), length(u))
    for vector, transform, part in ((spatial.free_motion(t), X, slice(3, 6)), (spatial.couple(t), X_star, slice(0, 3))):
        close(length((transform @ vector)[part]), length(t))
    far(length([*u, *(100 * t)]), length([*t, *(100 * u)]))     # equal in metres, but not in centimetres


# 2.6 Scalar product

@pytest.mark.source("RBDA-S2.1-1", "RBDA-S2.6-1", "RBDA-2.12", "RBDA-2.13", "RBDA-SA.2-1", "RBDA-S2.1-4")
def test_motion_dot_force_is_power_in_every_frame_and_so_determines_the_force_transform(rng):
    """Σ f_i · V(P_i) = m · f = f · m = m̲ᵀ f̲; (X m̲)ᵀ (X* f̲) = m̲ᵀ f̲ are 36 equations for X*, with one solution."""
    v, (points, forces) = rng.normal(size=6), rng.normal(size=(2, 6, 3))
    f, power = wrench(points, forces), power_of(v, points, forces)
    motion, force = mv(*np.split(v, 2)), fv(*np.split(f, 2))
    for product in (v @ f, motion.dot(force), force.dot(motion)):
        close(product, power)
    for _ in range(2):
        pose, X = random_frame(rng)
        close(motion_coordinates(v, pose) @ force_coordinates(f, pose), power)
        close((X @ v) @ (force_transform(X) @ f), power)
        far((X @ v) @ (X @ f), power)
    units = np.eye(6).reshape(6, 2, 3)
    assert np.linalg.matrix_rank([[mv(*one).dot(fv(*other)) for other in units] for one in units]) == 6

    pose, X = random_frame(rng)
    close(X, np.column_stack([motion_coordinates(e, pose) for e in np.eye(6)]))
    equations = np.kron(X.T, np.eye(6))
    assert np.linalg.matrix_rank(equations) == 36
    X_star = np.linalg.solve(equations, np.eye(6).ravel()).reshape(6, 6)
    for found in (force_transform(X), np.column_stack([force_coordinates(e, pose) for e in np.eye(6)])):
        close(found, X_star)
        close(found, np.linalg.inv(X).T)
    far(force_transform(xlt(pose[1])), xlt(pose[1]))


# 2.7 Using spatial vectors

def moving(tree, q, qd, qdd, i):
    """The pose of body i as a function of time, while the joints move with constant accelerations."""
    return lambda t: tree.world_poses(q + t * qd + t * t / 2 * qdd)[i]


def world_velocity(tree, q, qd, i):
    """The velocity of body i in base coordinates, from the derivative of its pose."""
    return helpers.velocity(moving(tree, q, qd, 0 * q, i))


def in_base(model, q, vectors):
    """Motion vectors of the bodies, given in body coordinates, in base coordinates."""
    return [inverse_transform(X) @ v for X, v in zip(body_transforms(model, q), vectors, strict=True)]


@pytest.mark.source("RBDA-S2.7-3")
def test_bodies_connected_rigidly_have_the_same_spatial_velocity(rng):
    """Equal as vectors, although their centres of mass have different velocities."""
    tree = helpers.random_tree(rng, 3, [0, 1, 2])
    (R, p), whole = random_pose(rng), tree.model()
    model = Model([0, 1, 2, 3], [*whole.joints[1:], Fixed()], [*whole.X_tree[1:], plucker(R.T, p)],
                  [*whole.inertia[1:], spatial.mcI(*helpers.random_mass_properties(rng))])
    q, qd = rng.normal(size=(2, 3))
    v = in_base(model, q, body_velocities(model, q, qd))

    def welded(t):
        R_3, p_3 = tree.world_poses(q + t * qd)[3]
        return R_3 @ R, p_3 + R_3 @ p

    close(v[3], helpers.velocity(welded))
    close(v[4], helpers.velocity(welded))
    R_3, p_3 = tree.world_poses(q)[3]
    far(point_velocity(v[3], p_3 + R_3 @ tree.bodies[2][1]), point_velocity(v[4], p_3 + R_3 @ p))


@pytest.mark.source("RBDA-S2.7-4")
def test_joint_forces_obey_action_and_reaction(rng):
    """What joint i gives to body i it takes from the parent: so the momenta of the bodies change, each and in sum."""
    tree = helpers.random_tree(rng, 5, [0, 1, 1, 3, 0])
    q, qd, qdd = rng.normal(size=(3, 5))
    motion = newton_euler(tree.model(), q, qd, qdd)
    f = [X.T @ force for X, force in zip(motion.X_0, motion.f, strict=True)]
    centres = tree.centres(q)

    def net(i):
        """Rate of change of the momentum of body i, about the base's origin, by Newton and Euler."""
        m, _, I_C = tree.bodies[i - 1]
        pose = moving(tree, q, qd, qdd, i)
        a_C = helpers.second_derivative(lambda t: tree.centres(q + t * qd + t * t / 2 * qdd)[i - 1])

        def spin(t):
            R = pose(t)[0]
            return R @ I_C @ R.T @ helpers.velocity(pose, t)[:3]

        return np.concatenate([helpers.slope(spin) + np.cross(centres[i - 1], m * a_C), m * a_C])

    for i in range(1, 6):
        weight = spatial.line_force(tree.bodies[i - 1][0] * tree.gravity, centres[i - 1])
        close(f[i] + sum((-f[j] for j in range(1, 6) if tree.parent[j - 1] == i), np.zeros(6)) + weight, net(i), 1e-8)
    weights = sum(spatial.line_force(m * tree.gravity, c) for (m, _, _), c in zip(tree.bodies, centres, strict=True))
    close(f[1] + f[5] + weights, sum(net(i) for i in range(1, 6)), 1e-8)
    close(f[0], f[1] + f[5])


@pytest.mark.source("RBDA-S2.7-5")
def test_power_and_displacement_scale_with_force_and_velocity(rng):
    """αf with βv give αβ times the power f · v; the displacement in time α with v is that in unit time with αv."""
    v, (points, forces), (alpha, beta) = rng.normal(size=6), rng.normal(size=(2, 4, 3)), rng.normal(size=2)
    scaled = sum(spatial.line_force(alpha * f, P) for P, f in zip(points, forces, strict=True)) @ (beta * v)
    close(scaled, alpha * beta * power_of(v, points, forces))
    close(scaled, sum(alpha * f @ point_velocity(beta * v, P) for P, f in zip(points, forces, strict=True)))

    v, alpha = rng.normal(size=6), rng.uniform(0.5, 2)
    (E, r), (R, p) = spatial.X_to_Er(spatial.motion_exp(alpha * v)), helpers.uniform_motion(v)(alpha)
    close(E, R.T)
    close(r, p)
    w, v_O = cross_matrix(v[:3]), cross_matrix(v[3:])
    close(spatial.motion_exp(alpha * v), expm(-alpha * np.block([[w, O3], [v_O, w]])))


@pytest.mark.source("RBDA-F2.4")
def test_joint_i_of_a_chain_connects_body_i_minus_1_to_body_i(rng):
    """λ(i) = p(i) = i − 1, s(i) = i; moving joint i displaces the bodies i..N about s_i, and no others."""
    tree = helpers.random_tree(rng, 5, range(5))
    model, q = tree.model(), rng.normal(size=5)
    X, S = body_transforms(model, q), newton_euler(model, q, 0 * q, 0 * q).S
    for i in model.bodies:
        assert (model.parent[i], model.mu(i - 1)) == (i - 1, [i])
        assert (model.kappa(i), model.nu(i)) == (list(range(1, i + 1)), list(range(i, 6)))
        s_i = inverse_transform(X[i]) @ S[i][:, 0]
        moved = body_transforms(model, q + 0.3 * np.eye(5)[i - 1])
        for j in range(6):
            displacement = inverse_transform(moved[j]) @ X[j]
            close(displacement, inverse_transform(spatial.motion_exp(0.3 * s_i)) if j >= i else np.eye(6))


@pytest.fixture
def chain(rng):
    """A random chain, its state, and its joint axes s_i in base coordinates by geometry (place 0 is the base)."""
    tree = helpers.random_tree(rng, 6, range(6))
    q, qd = rng.normal(size=(2, 6))
    s = [None]
    for (R, p), kind, axis in zip(tree.world_poses(q)[1:], tree.kinds, tree.axes, strict=True):
        u = R @ axis
        s.append(np.array([*u, *np.cross(p, u)] if kind == "revolute" else [0, 0, 0, *u]))
    return tree, q, qd, s


@pytest.mark.source("RBDA-2.15")
@pytest.mark.parametrize("kind", [Revolute, Prismatic])
def test_velocity_of_a_one_degree_joint(kind):
    """v_J = s q̇ with s a unit rotation or a unit translation; Ẋ_J = −v_J × X_J ties it to the joint's transform."""
    q, qd = 0.7, -1.3
    for k, axis in enumerate("xyz"):
        X_J, S, v_J, c_J = jcalc(kind(axis), q, qd)
        s = np.eye(6)[k if kind is Revolute else k + 3]
        close(S[:, 0], s)
        close(v_J, qd * s)
        close(c_J, np.zeros(6))
        w, v_O = cross_matrix(v_J[:3]), cross_matrix(v_J[3:])
        rate = helpers.slope(lambda t, axis=axis: jcalc(kind(axis), q + t * qd, qd)[0])
        close(rate, -np.block([[w, O3], [v_O, w]]) @ X_J, 1e-10)


@pytest.mark.source("RBDA-X2.3", "RBDA-2.14", "RBDA-2.16", "RBDA-2.17", "RBDA-2.18", "RBDA-S2.7-2")
def test_velocities_of_a_chain_across_its_joints_and_by_recursion_sum_and_jacobian(chain):
    """v_i = v_{i−1} + s_i q̇_i = Σ_{j ≤ i} s_j q̇_j = [s_1 … s_i 0 … 0] q̇, by geometry, by rbdlib, by moving poses."""
    tree, q, qd, s = chain
    model, poses, recursive = tree.model(), tree.world_poses(q), [np.zeros(6)]
    v = in_base(model, q, body_velocities(model, q, qd))
    v_J = in_base(model, q, [np.zeros(6)] + [jcalc(model.joints[i], q[i - 1], qd[i - 1])[2] for i in model.bodies])
    close(v[0], np.zeros(6))
    for i in model.bodies:
        def seen_from_the_predecessor(t, i=i):
            (R_1, p_1), (R_2, p_2) = (tree.world_poses(q + t * qd)[k] for k in (i - 1, i))
            return R_1.T @ R_2, R_1.T @ (p_2 - p_1)

        expected = world_velocity(tree, q, qd, i)
        v_rel = expected - world_velocity(tree, q, qd, i - 1)
        close(helpers.velocity(seen_from_the_predecessor), motion_coordinates(v_rel, poses[i - 1]))
        close(v_J[i], v_rel)
        close(s[i] * qd[i - 1], v_rel)
        recursive.append(recursive[i - 1] + s[i] * qd[i - 1])
        J_i = np.column_stack(s[1 : i + 1] + [np.zeros(6)] * (6 - i))
        for found in (v[i], v[i - 1] + s[i] * qd[i - 1], recursive[i],
                      sum(s[j] * qd[j - 1] for j in range(1, i + 1)), J_i @ qd):
            close(found, expected)
        J = inverse_transform(body_transforms(model, q)[i]) @ body_jacobian(model, q, i)
        close(J, J_i)
        close(J, np.column_stack([world_velocity(tree, q, e, i) for e in np.eye(6)]))


# 2.8 Coordinate transforms

TABLE_2_1 = {
    "1: a× = −(a×)ᵀ": lambda a, b, k, E: (skew(a), -skew(a).T),
    "2: (λa)× = λ(a×)": lambda a, b, k, E: (skew(k * a), k * skew(a)),
    "3: (a+b)× = a× + b×": lambda a, b, k, E: (skew(a + b), skew(a) + skew(b)),
    "4: (E a)× = E a× E⁻¹": lambda a, b, k, E: (skew(E @ a), E @ skew(a) @ E.T),
    "5: (a×)b = −(b×)a": lambda a, b, k, E: (skew(a) @ b, -skew(b) @ a),
    "6: (a×b)· = a· b×": lambda a, b, k, E: (np.cross(a, b), a @ skew(b)),
    "7: (a×b)× = a× b× − b× a×": lambda a, b, k, E: (skew(np.cross(a, b)), skew(a) @ skew(b) - skew(b) @ skew(a)),
    "8: (a×b)× = b aᵀ − a bᵀ": lambda a, b, k, E: (skew(np.cross(a, b)), dyad(b, a) - dyad(a, b)),
    "9: a× b× = b aᵀ − (a·b) 1": lambda a, b, k, E: (skew(a) @ skew(b), dyad(b, a) - (a @ b) * np.eye(3, dtype=int))}


@pytest.mark.source("RBDA-T2.1", "RBDA-2.23", "RBDA-S2.8-3")
def test_matrix_properties_and_precedence_of_the_euclidean_cross_operator(rng):
    """In symbols, but in numbers with a rotation; a × b × c means a × (b × c), and E a× means E (a×)."""
    a, b, k = symbols("a1 a2 a3"), symbols("b1 b2 b3"), sympy.Symbol("k")
    for row, sides in TABLE_2_1.items():
        if row[0] == "4":
            close(*sides(*rng.normal(size=(2, 3)), None, helpers.random_rotation(rng)))
        else:
            assert helpers.identical(*sides(a, b, k, None)), row

    a, b = rng.normal(size=(2, 3))
    x, y, z = symbols("x y z")
    close(skew(a) @ b, np.cross(a, b), 1e-15)
    close(spatial.cross(a, b), np.cross(a, b), 1e-15)
    assert (skew([x, y, z]) == np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])).all()
    assert helpers.identical(skew([x, y, z]) @ b, np.cross([x, y, z], b))

    a, b, c = rng.normal(size=(3, 3))
    E = helpers.random_rotation(rng)
    close(skew(a) @ skew(b) @ c, np.cross(a, np.cross(b, c)))
    far(skew(a) @ skew(b) @ c, np.cross(np.cross(a, b), c))
    close(a + skew(b) @ c, a + np.cross(b, c))
    far(a + skew(b) @ c, np.cross(a + b, c))
    close(plucker(E, a)[3:, :3] @ c, -E @ np.cross(a, c))
    far(E @ skew(a), skew(E @ a))


@pytest.mark.source("RBDA-2.24", "RBDA-2.25", "RBDA-2.26", "RBDA-2.27", "RBDA-S2.8-1", "RBDA-2.19", "RBDA-2.20",
                    "RBDA-S2.8-2", "RBDA-2.21", "RBDA-2.22", "RBDA-AA.2-xlt", "RBDA-SA.1-1", "RBDA-SA.2-1")
def test_rotations_translations_and_general_transforms_of_motions_and_forces_and_their_inverses(rng):
    """Each as a product, as blocks, by rbdlib, and by the definitions of coordinates in both frames."""
    A, B, x = random_pose(rng), random_pose(rng), rng.normal(size=6)
    E, r = helpers.E_and_r(A, B)
    X, r_cross = plucker(E, r), cross_matrix(r)
    turn, back = block_diag(E, E), block_diag(E.T, E.T)
    low, minus_low = (np.block([[ONE, O3], [x, ONE]]) for x in (r_cross, -r_cross))
    high, minus_high = (np.block([[ONE, x], [O3, ONE]]) for x in (r_cross, -r_cross))
    for found, product, blocks, coordinates, start, end in (
        (X, turn @ minus_low, [[E, O3], [-E @ r_cross, E]], motion_coordinates, A, B),
        (force_transform(X), turn @ minus_high, [[E, -E @ r_cross], [O3, E]], force_coordinates, A, B),
        (inverse_transform(X), low @ back, [[E.T, O3], [r_cross @ E.T, E.T]], motion_coordinates, B, A),
        (X.T, high @ back, [[E.T, r_cross @ E.T], [O3, E.T]], force_coordinates, B, A),
    ):
        close(product, np.block(blocks))
        close(found, np.block(blocks))
        close(found @ coordinates(x, start), coordinates(x, end))
    close(rot(E) @ xlt(r), X)
    close(force_transform(inverse_transform(X)), X.T)

    A, B, C, (R, p) = (random_pose(rng) for _ in range(4))
    X_BA, X_CB, X_CA = (plucker(*helpers.E_and_r(*pair)) for pair in ((A, B), (B, C), (A, C)))
    close(X_CB @ X_BA, X_CA)
    close(force_transform(X_CB) @ force_transform(X_BA), force_transform(X_CA))
    moved_A, moved_B = ((R @ R_0, p + R @ p_0) for R_0, p_0 in (A, B))
    close(plucker(*helpers.E_and_r(moved_A, moved_B)), X_BA)
    close(force_transform(X_BA), np.linalg.inv(X_BA).T)

    (R, p), (m, f) = random_pose(rng), rng.normal(size=(2, 6))
    A, B = (R, p), (helpers.random_rotation(rng), p)
    E, _ = helpers.E_and_r(A, B)
    close(rot(E), block_diag(E, E))
    close(force_transform(rot(E)), block_diag(E, E))
    close(np.linalg.inv(rot(E)).T, block_diag(E, E))
    close(block_diag(E, E) @ motion_coordinates(m, A), motion_coordinates(m, B))
    close(block_diag(E, E) @ force_coordinates(f, A), force_coordinates(f, B))

    (R, p), (r, r2), m, f = random_pose(rng), rng.normal(size=(2, 3)), rng.normal(size=6), rng.normal(size=6)
    r_cross, there = cross_matrix(r), (ONE, r)
    close(xlt(r), np.block([[ONE, O3], [-r_cross, ONE]]))
    close(xlt(r) @ m, [*m[:3], *(m[3:] - np.cross(r, m[:3]))])
    close(xlt(r) @ m, motion_coordinates(m, there))
    close(xlt(R.T @ r) @ motion_coordinates(m, (R, p)), motion_coordinates(m, (R, p + r)))
    close(xlt(r) @ xlt(r2), xlt(r + r2), 1e-15)
    close(np.linalg.inv(xlt(r)), xlt(-r), 1e-15)
    close(force_transform(xlt(r)), np.block([[ONE, -r_cross], [O3, ONE]]))
    close(force_transform(xlt(r)) @ f, [*(f[:3] - np.cross(r, f[3:])), *f[3:]])
    close(force_transform(xlt(r)) @ f, force_coordinates(f, there))


@pytest.mark.source("RBDA-2.28", "RBDA-S2.8-4", "RBDA-SA.1-1")
def test_homogeneous_transform_of_points_and_how_a_transform_reads(rng):
    """[E −E r; 0 1] takes points from A to B; rotx(θ) xlt(r) displaces A by r, then turns it about its new x axis."""
    A, B, C, P = random_pose(rng), random_pose(rng), random_pose(rng), rng.normal(size=3)
    E, r = helpers.E_and_r(A, B)
    T = spatial.homogeneous(plucker(E, r))
    close(T, np.block([[E, (-E @ r)[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]]))
    in_A, in_B = (R.T @ (P - p) for R, p in (A, B))
    close(T @ [*in_A, 1], [*in_B, 1])
    T_CB, T_CA = (spatial.homogeneous(plucker(*helpers.E_and_r(*pair))) for pair in ((B, C), (A, C)))
    close(T_CB @ T, T_CA)
    close(spatial.X_to_Er(plucker(E, r))[0], E)
    close(spatial.X_to_Er(plucker(E, r))[1], r)

    for axis, plucker_turn in zip(ONE, (spatial.rotx, spatial.roty, spatial.rotz), strict=True):
        theta, m, A = rng.normal(), rng.normal(size=6), random_pose(rng)
        r, P = rng.normal(size=(2, 3))
        displaced = (A[0], A[1] + A[0] @ r)
        turned = (displaced[0] @ turn(axis, theta), displaced[1])
        X = plucker_turn(theta) @ xlt(r)
        close(xlt(r) @ motion_coordinates(m, A), motion_coordinates(m, displaced))
        close(plucker_turn(theta) @ motion_coordinates(m, displaced), motion_coordinates(m, turned))
        close(X @ motion_coordinates(m, A), motion_coordinates(m, turned))
        in_A, in_B = (R.T @ (P - p) for R, p in (A, turned))
        close((spatial.homogeneous(X) @ [*in_A, 1])[:3], in_B)
