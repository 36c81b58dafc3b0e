"""RBDA 2.1-2.8: vectors and duality, velocity and force, Plücker coordinates, screws, rules of use, transforms."""

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp
from scipy.linalg import block_diag, expm

from rbdlib import Model
from rbdlib.arithmetic import fv, mv
from rbdlib.conventions import swap_halves
from rbdlib.inverse_dynamics import newton_euler
from rbdlib.joints import Fixed, Prismatic, Revolute, jcalc
from rbdlib.kinematics import body_accelerations, body_jacobian, body_transforms, body_velocities
from rbdlib.spatial import (
    X_to_Er,
    couple,
    crf,
    crm,
    dyad,
    equation_of_motion,
    force_transform,
    free_motion,
    homogeneous,
    inverse_transform,
    line_force,
    line_motion,
    mcI,
    moment_at,
    momentum,
    motion_exp,
    plucker,
    point_velocity,
    rot,
    rotx,
    roty,
    rotz,
    rx,
    ry,
    rz,
    screw_of_force,
    screw_of_motion,
    skew,
    xlt,
)
from tests.sources.helpers import (
    E_and_r,
    cross_matrix,
    derivative,
    force_coordinates,
    mass_properties,
    motion_coordinates,
    random_cluster,
    random_mass_properties,
    random_pose,
    random_rotation,
    random_tree,
    random_unit,
    second_derivative,
    smooth_motion,
    turn,
    twist_matrix,
    velocity,
)

SEEDS = [1, 2, 3]
TIGHT = 1e-12
O3 = np.zeros((3, 3))

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(params=SEEDS)
def rng(request):
    return np.random.default_rng(request.param)


def close(found, expected, atol=TIGHT):
    assert_allclose(np.asarray(found), np.asarray(expected), rtol=0, atol=atol)


def random_frame(rng):
    """A random pose (R, p) in the world and the transform from the world to it, made by rbdlib."""
    pose = random_pose(rng)
    return pose, plucker(pose[0].T, pose[1])


def symbols(names):
    return np.array(sympy.symbols(names, real=True))


def is_zero(formula):
    """Whether every entry of an array of polynomials in symbols, sines and cosines vanishes identically."""
    return all(sympy.expand(entry) == 0 for entry in np.asarray(formula).flat)


# 2.1 Mathematical preliminaries


@pytest.mark.source("RBDA-S2.1-1")
def test_scalar_product_of_motion_and_force_is_power_and_symmetric(rng):
    """m · f = f · m, the power that a set of point forces delivers to a moving body."""
    omega, v_O = rng.normal(size=(2, 3))
    points, forces = rng.normal(size=(2, 5, 3))
    m = mv(omega, v_O)
    f = fv(np.cross(points, forces).sum(axis=0), forces.sum(axis=0))
    power = sum(force @ (v_O + np.cross(omega, point)) for point, force in zip(points, forces, strict=True))
    close(m.dot(f), power)
    close(f.dot(m), power)
    close(m.array @ f.array, power)


@pytest.mark.source("RBDA-S2.1-1")
def test_scalar_product_is_nondegenerate(rng):
    """For every v ≠ 0 some u has u · v ≠ 0, on both sides; the matrix of products of two bases is regular."""
    motions = [mv(*halves) for halves in np.linalg.qr(rng.normal(size=(6, 6)))[0].reshape(6, 2, 3)]
    forces = [fv(*halves) for halves in np.linalg.qr(rng.normal(size=(6, 6)))[0].reshape(6, 2, 3)]
    products = np.array([[m.dot(f) for f in forces] for m in motions])
    assert np.linalg.svd(products, compute_uv=False).min() > 0.99
    for m in motions:
        assert m.dot(fv(m.w, m.v)) > 0.99


@pytest.mark.source("RBDA-S2.1-1", "RBDA-S2.6-1")
def test_two_motions_or_two_forces_have_no_scalar_product(rng):
    m, f = mv(*rng.normal(size=(2, 3))), fv(*rng.normal(size=(2, 3)))
    for x in (m, f):
        with pytest.raises(TypeError, match="no meaning"):
            x.dot(x)


@pytest.mark.source("RBDA-S2.1-2")
@pytest.mark.parametrize("n", [2, 3, 6])
def test_reciprocal_basis_is_unique_and_that_of_an_orthonormal_basis_is_itself(rng, n):
    """d_i · e_j = δ_ij determines E from D (here column by column), and D from E."""
    D = rng.normal(size=(n, n)) + 2 * np.eye(n)
    E = np.column_stack([np.linalg.solve(D.T, e) for e in np.eye(n)])
    close([[d @ e for e in E.T] for d in D.T], np.eye(n), 1e-10)
    close(E, np.linalg.inv(D).T, 1e-10)
    close(np.linalg.inv(E).T, D, 1e-10)
    assert np.abs(E - D).max() > 1e-2
    Q = np.linalg.qr(D)[0]
    close(np.linalg.inv(Q).T, Q)


@pytest.mark.source("RBDA-S2.1-3")
def test_scalar_product_and_coordinates_in_dual_bases(rng):
    """u · v = u̲ᵀ v̲, u_i = e_i · u, v_i = d_i · v."""
    D = rng.normal(size=(6, 6)) + 3 * np.eye(6)
    E = np.linalg.inv(D).T
    u_coordinates, v_coordinates = rng.normal(size=(2, 6))
    u = sum(x * d for x, d in zip(u_coordinates, D.T, strict=True))
    v = sum(x * e for x, e in zip(v_coordinates, E.T, strict=True))
    close(u @ v, u_coordinates @ v_coordinates, 1e-10)
    close([e @ u for e in E.T], u_coordinates, 1e-10)
    close([d @ v for d in D.T], v_coordinates, 1e-10)


@pytest.mark.source("RBDA-S2.1-4")
def test_dual_coordinates_transform_by_the_inverse_transpose_and_by_nothing_else(rng):
    """u̲ᵀ v̲ = (X u̲)ᵀ (X* v̲) for all u̲, v̲: that is Xᵀ X* = 1, which X* = X⁻ᵀ alone solves."""
    X = rng.normal(size=(6, 6)) + 3 * np.eye(6)
    u, v = rng.normal(size=(2, 6))
    close((X @ u) @ (np.linalg.inv(X).T @ v), u @ v, 1e-10)
    equations = np.kron(X.T, np.eye(6))
    assert np.linalg.matrix_rank(equations) == 36, "the 36 unknown entries of X* have one solution"
    only = np.linalg.solve(equations, np.eye(6).ravel()).reshape(6, 6)
    close(only, np.linalg.inv(X).T, 1e-10)


@pytest.mark.source("RBDA-S2.1-4")
def test_plucker_transforms_of_motion_and_force_are_dual(rng):
    _, X = random_frame(rng)
    products = [[(X @ m) @ (force_transform(X) @ f) for f in np.eye(6)] for m in np.eye(6)]
    close(products, np.eye(6))


@pytest.mark.source("RBDA-S2.1-5")
def test_operators_dot_and_cross_are_matrices(rng):
    """a· is a row, a× a square matrix, v×* the dual of v×: (v × m) · f = −m · (v ×* f)."""
    a, b = rng.normal(size=(2, 3))
    close(a.reshape(1, -1) @ b, [sum(a[i] * b[i] for i in range(3))])
    close(skew(a) @ b, np.cross(a, b))

    omega, v_O, w, m_O, n, f = rng.normal(size=(6, 3))
    v, m, force = (np.concatenate(halves) for halves in ((omega, v_O), (w, m_O), (n, f)))
    close(crm(v) @ m, [*np.cross(omega, w), *(np.cross(omega, m_O) + np.cross(v_O, w))])
    close(crf(v) @ force, [*(np.cross(omega, n) + np.cross(v_O, f)), *np.cross(omega, f)])
    close((crm(v) @ m) @ force, -m @ (crf(v) @ force))


@pytest.mark.source("RBDA-S2.1-6")
@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (6, 6), (4, 2)])
def test_a_dyad_maps_c_to_a_times_b_dot_c(rng, rows, columns):
    """(a b·) c = a (b · c), of rank 1."""
    a, b, c = rng.normal(size=rows), rng.normal(size=columns), rng.normal(size=columns)
    close(dyad(a, b) @ c, sum(b[k] * c[k] for k in range(columns)) * a)
    assert dyad(a, b).shape == (rows, columns)
    assert np.linalg.matrix_rank(dyad(a, b)) == 1


@pytest.mark.source("RBDA-S2.1-7")
@pytest.mark.parametrize(("rows", "columns", "rank"), [(4, 6, 2), (6, 6, 3), (5, 3, 3), (6, 6, 6)])
def test_every_linear_map_is_a_sum_of_as_many_dyads_as_its_rank(rng, rows, columns, rank):
    """L = Σ a_i b_i· with independent a_i and b_i."""
    L = rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, columns))
    U, singular, Vt = np.linalg.svd(L)
    assert (singular[:rank] > 1e-3).all()
    assert (singular[rank:] < 1e-12).all()
    close(sum(dyad(s * u, v) for s, u, v in zip(singular[:rank], U.T, Vt, strict=False)), L)


@pytest.mark.source("RBDA-S2.1-7")
@pytest.mark.parametrize(("rows", "columns", "rank"), [(4, 6, 2), (6, 6, 3), (5, 3, 3), (6, 6, 6)])
def test_a_sum_of_independent_dyads_has_their_number_as_rank(rng, rows, columns, rank):
    a, b = rng.normal(size=(rank, rows)), rng.normal(size=(rank, columns))
    L = sum(dyad(x, y) for x, y in zip(a, b, strict=True))
    assert L.shape == (rows, columns)
    assert np.linalg.matrix_rank(L) == rank
    if rows == columns:
        assert (np.linalg.cond(L) < 1e8) == (rank == rows), "invertible if and only if there are n dyads"
    dependent = sum(dyad(x, y) for x, y in zip([*a[:-1], a[0]], b, strict=True))
    assert np.linalg.matrix_rank(dependent) == rank - (rank > 1), "independence is needed"


# 2.2 Spatial velocity


@pytest.mark.source("RBDA-2.1")
def test_velocity_of_a_body_fixed_point(rng):
    """v_P = v_O + ω × OP, compared with a body-fixed point that moves by expm(t [v̂])."""
    v, P = rng.normal(size=6), rng.normal(size=3)
    close(point_velocity(v, P), v[3:] + np.cross(v[:3], P))
    h = 1e-4
    path = [(expm(t * twist_matrix(v)) @ [*P, 1])[:3] for t in (-2 * h, -h, h, 2 * h)]
    close(point_velocity(v, P), (path[0] - 8 * path[1] + 8 * path[2] - path[3]) / (12 * h), 1e-9)


@pytest.mark.source("RBDA-2.1")
def test_velocity_of_a_point_of_a_tumbling_body(rng):
    pose, point = smooth_motion(rng), rng.normal(size=3)

    def path(t):
        R, p = pose(t)
        return p + R @ point

    close(point_velocity(velocity(pose, 0.3), path(0.3)), derivative(path, 0.3))


@pytest.mark.source("RBDA-S2.2-1")
def test_velocity_of_a_point_does_not_depend_on_the_choice_of_the_origin(rng):
    """(O1, v_O1, ω) and (O2, v_O2, ω) give the same v_P."""
    omega, v_O1, O1, O2, P = rng.normal(size=(5, 3))
    v_O2 = v_O1 + np.cross(omega, O2 - O1)
    through_O1 = point_velocity([*omega, *v_O1], P - O1)
    through_O2 = point_velocity([*omega, *v_O2], P - O2)
    close(through_O1, through_O2)
    close(xlt(O2 - O1) @ [*omega, *v_O1], [*omega, *v_O2])
    close(xlt(P - O2) @ xlt(O2 - O1), xlt(P - O1))


@pytest.mark.source("RBDA-F2.1")
def test_plucker_motion_basis_is_three_rotations_and_three_translations():
    """The field of d_Ox is P ↦ i × OP, that of d_x is the constant i."""
    grid = np.stack(np.meshgrid(*3 * [[-1.0, 0.5, 2.0]]), axis=-1).reshape(-1, 3)
    for d, e in zip(np.eye(6)[:3], np.eye(3), strict=True):
        close([point_velocity(d, P) for P in grid], np.cross(e, grid))
        close(line_motion(e, np.zeros(3)), d)
    for d, e in zip(np.eye(6)[3:], np.eye(3), strict=True):
        close([point_velocity(d, P) for P in grid], np.tile(e, (len(grid), 1)))
        close(free_motion(e), d)


@pytest.mark.source("RBDA-S2.2-2")
def test_a_motion_is_three_rotations_about_and_three_translations_along_the_axes(rng):
    """ω = ω_x i + ω_y j + ω_z k and v_O likewise, in any orthonormal frame."""
    R = random_rotation(rng)
    i, j, k = R.T
    omega, v_O = rng.normal(size=(2, 3))
    x = rot(R.T) @ [*omega, *v_O]
    close(x[0] * i + x[1] * j + x[2] * k, omega)
    close(x[3] * i + x[4] * j + x[5] * k, v_O)
    close(x, [i @ omega, j @ omega, k @ omega, i @ v_O, j @ v_O, k @ v_O])
    axes = (i, j, k)
    parts = [line_motion(x[n] * axes[n], np.zeros(3)) for n in range(3)]
    parts += [free_motion(x[3 + n] * axes[n]) for n in range(3)]
    close(sum(parts), [*omega, *v_O])


@pytest.mark.source("RBDA-2.2")
def test_columns_of_the_inverse_transform_are_the_plucker_motion_basis(rng):
    """d_Oi is the unit rotation [i; r × i] about an axis of the frame, d_i the unit translation [0; i]."""
    (R, r), X = random_frame(rng)
    basis = inverse_transform(X).T
    for d, axis in zip(basis[:3], R.T, strict=True):
        close(d, [*axis, *np.cross(r, axis)])
        close(point_velocity(d, r + rng.normal() * axis), np.zeros(3))
        beside = r + np.cross(axis, rng.normal(size=3))
        close(np.linalg.norm(point_velocity(d, beside)), np.linalg.norm(beside - r))
    for d, axis in zip(basis[3:], R.T, strict=True):
        close(d, [0, 0, 0, *axis])


@pytest.mark.source("RBDA-2.3")
def test_a_velocity_is_the_same_sum_over_the_basis_of_every_frame(rng):
    """v̂ = ω_x d_Ox + … + v_Oz d_z, with coordinates and basis from the definitions."""
    v = rng.normal(size=6)
    terms = []
    for _ in range(2):
        (R, r), X = random_frame(rng)
        basis = [np.concatenate([axis, np.cross(r, axis)]) for axis in R.T]
        basis += [np.concatenate([np.zeros(3), axis]) for axis in R.T]
        close(X @ v, motion_coordinates(v, (R, r)))
        terms.append([x * d for x, d in zip(X @ v, basis, strict=True)])
        close(sum(terms[-1]), v)
    assert np.abs(np.array(terms[0]) - terms[1]).max() > 0.1, "the single terms differ"


@pytest.mark.source("RBDA-2.4")
def test_coordinates_of_a_motion_are_angular_first(rng):
    """v̲̂_O = [ω_x ω_y ω_z v_Ox v_Oy v_Oz]."""
    omega, v_O = rng.normal(size=(2, 3))
    assert_array_equal(mv(omega, v_O).array, [*omega, *v_O])
    pose, t = smooth_motion(rng), 0.2
    R, p = pose(t)
    v, spin = velocity(pose, t), derivative(lambda t: pose(t)[0], t) @ R.T
    close(skew(v[:3]), spin)
    close(point_velocity(v, p), derivative(lambda t: pose(t)[1], t))
    close(point_velocity(v, np.zeros(3)), v[3:])


@pytest.mark.source("RBDA-X2.1")
def test_addition_of_velocities_is_addition_of_their_fields(rng):
    """V_sum(P) = V_1(P) + V_2(P) at every P, where V_k(P) = v_k + ω_k × OP."""
    v1, v2 = rng.normal(size=(2, 6))
    for P in np.stack(np.meshgrid(*3 * [[-1.0, 0.0, 2.0]]), axis=-1).reshape(-1, 3):
        fields = [v[3:] + np.cross(v[:3], P) for v in (v1, v2)]
        close(point_velocity(v1 + v2, P), sum(fields))


@pytest.mark.source("RBDA-2.5")
def test_velocity_field_is_invariant_under_a_change_of_origin(rng):
    """V(P) = v_O + ω × OP = v_Q + ω × QP."""
    v, Q, P = rng.normal(size=6), rng.normal(size=3), rng.normal(size=3)
    field = v[3:] + np.cross(v[:3], P)
    close(point_velocity(v, P), field)
    v_Q = np.concatenate([v[:3], v[3:] + np.cross(v[:3], Q)])
    close(xlt(Q) @ v, v_Q)
    close(point_velocity(v_Q, P - Q), field)


@pytest.mark.source("RBDA-X2.2")
def test_spatial_velocity_is_the_same_seen_from_a_point_on_the_x_axis():
    """Example 2.2 in symbols: v_P and d_P at P = (r, 0, 0), put into 2.3, give back v̂."""
    r, w_x, w_y, w_z, v_x, v_y, v_z = symbols("r omega_x omega_y omega_z v_x v_y v_z")
    v = np.array([w_x, w_y, w_z, v_x, v_y, v_z])
    P = np.array([r, 0 * r, 0 * r])
    d_O = np.eye(6, dtype=int)
    basis = [d_O[0], d_O[1] + r * d_O[5], d_O[2] - r * d_O[4], *d_O[3:]]
    for column, d in zip(inverse_transform(xlt(P)).T, basis, strict=True):
        assert is_zero(column - d)
    coordinates = [w_x, w_y, w_z, v_x, v_y + w_z * r, v_z - w_y * r]
    assert is_zero(xlt(P) @ v - coordinates)
    assert is_zero(point_velocity(v, P) - coordinates[3:])
    assert is_zero(sum(x * d for x, d in zip(coordinates, basis, strict=True)) - v)


@pytest.mark.source("RBDA-F2.2")
def test_unit_rotations_about_lines_through_a_point_on_the_x_axis(rng):
    """A turn about Py moves the point at O along +z with speed r, one about Pz along −y."""
    r = rng.uniform(0.5, 2)
    P = np.array([r, 0, 0])
    about_y, about_z = (turn(axis, 1e-8) for axis in np.eye(3)[1:])
    O = np.zeros(3)
    close((P + about_y @ (O - P)) / 1e-8, [0, 0, r], 1e-7)
    close((P + about_z @ (O - P)) / 1e-8, [0, -r, 0], 1e-7)
    d_Oy, d_Oz, d_y, d_z = np.eye(6)[[1, 2, 4, 5]]
    close(line_motion([0, 1, 0], P), d_Oy + r * d_z)
    close(line_motion([0, 0, 1], P), d_Oz - r * d_y)


@pytest.mark.source("RBDA-Q2.2-1")
def test_unit_rotation_about_a_line_expressed_at_another_origin(rng):
    """A reader's answer [u; (p − Q) × u] is what the translation transform gives."""
    p, u, Q = rng.normal(size=3), random_unit(rng), rng.normal(size=3)
    close(line_motion(u, p), [*u, *np.cross(p, u)])
    answer = np.concatenate([u, np.cross(p - Q, u)])
    close(xlt(Q) @ line_motion(u, p), answer, 1e-9)
    close(point_velocity(answer, p - Q), np.zeros(3), 1e-9)
    assert np.abs(xlt(Q) @ line_motion(u, p) - [*u, *np.cross(p + Q, u)]).max() > 1e-3, "a wrong sign is seen"


@pytest.mark.source("RBDA-Q2.2-2")
def test_spatial_velocity_is_the_same_seen_from_a_general_point():
    """d_Px = d_Ox + p_z d_y − p_y d_z and so on, and 2.3 is unchanged, in symbols."""
    p_x, p_y, p_z = p = symbols("p_x p_y p_z")
    omega, v_O = symbols("omega_x omega_y omega_z"), symbols("v_x v_y v_z")
    d_Ox, d_Oy, d_Oz, d_x, d_y, d_z = np.eye(6, dtype=int)
    basis = [d_Ox + p_z * d_y - p_y * d_z, d_Oy + p_x * d_z - p_z * d_x, d_Oz + p_y * d_x - p_x * d_y, d_x, d_y, d_z]
    columns = inverse_transform(xlt(p)).T
    for column, d, e in zip(columns[:3], basis, np.eye(3, dtype=int), strict=False):
        assert is_zero(column - d)
        assert is_zero(column[3:] - np.cross(p, e))
    v_P = v_O + np.cross(omega, p)
    coordinates = [*omega, *v_P]
    assert is_zero(xlt(p) @ [*omega, *v_O] - coordinates)
    assert is_zero(sum(x * d for x, d in zip(coordinates, basis, strict=True)) - [*omega, *v_O])


@pytest.mark.source("RBDA-Q2.2-2")
def test_spatial_velocity_is_the_same_in_a_frame_of_another_orientation(rng):
    R, v = random_rotation(rng), rng.normal(size=6)
    coordinates = np.concatenate([R.T @ v[:3], R.T @ v[3:]])
    close(rot(R.T) @ v, coordinates)
    basis = [np.concatenate([axis, np.zeros(3)]) for axis in R.T]
    basis += [np.concatenate([np.zeros(3), axis]) for axis in R.T]
    close(inverse_transform(rot(R.T)).T, basis)
    close(sum(x * d for x, d in zip(coordinates, basis, strict=True)), v)


# 2.3 Spatial force


def wrench(points, forces, about=(0, 0, 0)):
    """[moment about a point; sum] of a set of point forces, from the definition."""
    return np.concatenate([np.cross(points - np.asarray(about), forces).sum(axis=0), forces.sum(axis=0)])


@pytest.mark.source("RBDA-2.6")
def test_moment_of_a_set_of_forces_about_another_point(rng):
    """n_P = n_O + f × OP = Σ (r_i − P) × f_i."""
    points, forces = rng.normal(size=(2, 7, 3))
    P = rng.normal(size=3)
    f = wrench(points, forces)
    n_P = wrench(points, forces, P)[:3]
    close(f[:3] + np.cross(f[3:], P), n_P)
    close(moment_at(f, P), n_P)
    close((force_transform(xlt(P)) @ f)[:3], n_P)


@pytest.mark.source("RBDA-2.6")
def test_moment_about_a_point_does_not_depend_on_the_choice_of_the_origin(rng):
    points, forces = rng.normal(size=(2, 7, 3))
    O1, O2, P = rng.normal(size=(3, 3))
    close(moment_at(wrench(points, forces, O1), P - O1), moment_at(wrench(points, forces, O2), P - O2))


@pytest.mark.source("RBDA-F2.3")
def test_plucker_force_basis_is_three_couples_and_three_forces_on_the_axes(rng):
    """The moment of e_x is the same everywhere; that of e_Ox vanishes on the line Ox."""
    origin, P = np.zeros(3), rng.normal(size=3)
    for e, axis in zip(np.eye(6)[:3], np.eye(3), strict=True):
        close(couple(axis), e)
        close(moment_at(e, P), axis)
    for e, axis in zip(np.eye(6)[3:], np.eye(3), strict=True):
        close(line_force(axis, origin), e)
        close(moment_at(e, rng.normal() * axis), origin)
        close(moment_at(e, P), np.cross(origin - P, axis))


@pytest.mark.source("RBDA-S2.3-1")
def test_a_force_is_three_couples_and_three_forces_on_the_axes(rng):
    """n_O = n_Ox i + n_Oy j + n_Oz k and f likewise, in any orthonormal frame."""
    R = random_rotation(rng)
    i, j, k = R.T
    n_O, f = rng.normal(size=(2, 3))
    x = force_transform(rot(R.T)) @ [*n_O, *f]
    close(x[0] * i + x[1] * j + x[2] * k, n_O)
    close(x[3] * i + x[4] * j + x[5] * k, f)
    close(x, [i @ n_O, j @ n_O, k @ n_O, i @ f, j @ f, k @ f])
    axes = (i, j, k)
    parts = [couple(x[n] * axes[n]) for n in range(3)] + [line_force(x[3 + n] * axes[n], np.zeros(3)) for n in range(3)]
    close(sum(parts), [*n_O, *f])


@pytest.mark.source("RBDA-2.7", "RBDA-F2.3")
def test_columns_of_the_transpose_of_x_are_the_plucker_force_basis(rng):
    """e_i is the unit couple [i; 0], e_Oi the unit force [r × i; i] on an axis of the frame; they fill (X*)⁻¹ = Xᵀ."""
    (R, r), X = random_frame(rng)
    close(np.linalg.inv(force_transform(X)), X.T)
    for e, axis in zip(X[:3], R.T, strict=True):
        close(e, [*axis, 0, 0, 0])
    for e, axis in zip(X[3:], R.T, strict=True):
        close(e, [*np.cross(r, axis), *axis])
        close(moment_at(e, r + rng.normal() * axis), np.zeros(3))


@pytest.mark.source("RBDA-2.8")
def test_a_force_is_the_same_sum_over_the_basis_of_every_frame(rng):
    """f̂ = n_Ox e_x + … + f_z e_Oz, with coordinates and basis from the definitions."""
    f = rng.normal(size=6)
    terms = []
    for _ in range(2):
        (R, r), X = random_frame(rng)
        basis = [np.concatenate([axis, np.zeros(3)]) for axis in R.T]
        basis += [np.concatenate([np.cross(r, axis), axis]) for axis in R.T]
        coordinates = force_transform(X) @ f
        close(coordinates, force_coordinates(f, (R, r)))
        terms.append([x * e for x, e in zip(coordinates, basis, strict=True)])
        close(sum(terms[-1]), f)
        close(X.T @ coordinates, f)
    assert np.abs(np.array(terms[0]) - terms[1]).max() > 0.1, "the single terms differ"


@pytest.mark.source("RBDA-2.9")
def test_coordinates_of_a_force_are_moment_first(rng):
    """f̲̂_O = [n_Ox n_Oy n_Oz f_x f_y f_z]."""
    n_O, f = rng.normal(size=(2, 3))
    assert_array_equal(fv(n_O, f).array, [*n_O, *f])
    point, force = rng.normal(size=(2, 3))
    close(line_force(force, point), [*np.cross(point, force), *force])
    close(couple(n_O), [*n_O, 0, 0, 0])


# 2.4 Plücker notation


@pytest.mark.source("RBDA-S2.4-1")
def test_part_that_depends_on_the_origin_is_last_in_motions_and_first_in_forces(rng):
    m, f, r = rng.normal(size=6), rng.normal(size=6), rng.normal(size=3)
    moved_motion, moved_force = xlt(r) @ m, force_transform(xlt(r)) @ f
    close(moved_motion[:3], m[:3], 1e-15)
    close(moved_force[3:], f[3:], 1e-15)
    close(moved_motion[3:], m[3:] + np.cross(m[:3], r))
    close(moved_force[:3], f[:3] + np.cross(f[3:], r))
    assert np.abs(moved_motion[3:] - m[3:]).min() > 1e-3
    assert np.abs(moved_force[:3] - f[:3]).min() > 1e-3


@pytest.mark.source("RBDA-S2.4-2")
def test_linear_first_order_is_the_same_algebra_in_another_order(rng):
    """With P the exchange of the halves, P X P and P v× P act on P m as X and v× act on m."""
    (R, r), X = random_frame(rng)
    m, v = rng.normal(size=(2, 6))
    E, r_cross, w, v_O = R.T, cross_matrix(r), cross_matrix(v[:3]), cross_matrix(v[3:])
    linear_first_X = np.block([[E, -E @ r_cross], [O3, E]])
    linear_first_crm = np.block([[w, v_O], [O3, w]])
    linear_first_m = np.concatenate([m[3:], m[:3]])
    close(swap_halves(m), linear_first_m)
    close(swap_halves(X), linear_first_X)
    close(swap_halves(crm(v)), linear_first_crm)
    close(swap_halves(X @ m), linear_first_X @ linear_first_m)
    close(swap_halves(crm(v) @ m), linear_first_crm @ linear_first_m)
    assert_array_equal(swap_halves(swap_halves(X)), X)


# 2.5 Line vectors and free vectors


def jacobian(function, x, h=1e-6):
    return np.column_stack([(function(x + h * e) - function(x - h * e)) / (2 * h) for e in np.eye(len(x))])


@pytest.mark.source("RBDA-S2.5-1")
@pytest.mark.parametrize("line", [line_motion, line_force])
def test_a_line_vector_takes_five_numbers(rng, line):
    x = rng.normal(size=6)
    singular = np.linalg.svd(jacobian(lambda x: line(x[:3], x[3:]), x), compute_uv=False)
    assert (singular > 1e-6).sum() == 5
    u, p = x[:3], x[3:]
    close(line(u, p + 1.7 * u), line(u, p))
    assert np.abs(line(u, p + random_unit(rng)) - line(u, p)).max() > 1e-3


@pytest.mark.source("RBDA-S2.5-1")
@pytest.mark.parametrize("free", [free_motion, couple])
def test_a_free_vector_takes_three_numbers(rng, free):
    assert np.linalg.matrix_rank(jacobian(free, rng.normal(size=3)), tol=1e-6) == 3


@pytest.mark.source("RBDA-S2.5-2")
def test_line_vectors_are_recognised_and_their_line_is_found(rng):
    """s · s_O = 0 with s ≠ 0: a line vector along s; its points P have OP × s = s_O."""
    u, p = rng.normal(size=(2, 3))
    rotation, force = np.array([*u, *np.cross(p, u)]), np.array([*np.cross(p, u), *u])
    close(u @ np.cross(p, u), 0)
    for screw in (screw_of_motion(rotation), screw_of_force(force)):
        assert screw.kind == "line"
        close(np.cross(screw.direction, u), np.zeros(3))
        close(np.cross(screw.point - p, u), np.zeros(3))
    for P in (p, p + rng.normal() * u):
        close(np.cross(P, u), rotation[3:])
        close(point_velocity(rotation, P), np.zeros(3))
        close(moment_at(force, P), np.zeros(3))


@pytest.mark.source("RBDA-S2.5-2")
def test_free_vectors_and_screws_are_told_from_line_vectors(rng):
    """s = 0 is a free vector, although s · s_O = 0 holds; s · s_O ≠ 0 is neither."""
    t, s = rng.normal(size=(2, 3))
    assert screw_of_motion([0, 0, 0, *t]).kind == "free"
    assert screw_of_force([*t, 0, 0, 0]).kind == "free"
    close(screw_of_motion([0, 0, 0, *t]).direction, t / np.linalg.norm(t))
    for P in rng.normal(size=(3, 3)):
        close(point_velocity([0, 0, 0, *t], P), t)
    assert abs(s @ t) > 1e-3
    assert screw_of_motion([*s, *t]).kind == "screw"
    assert screw_of_force([*t, *s]).kind == "screw"
    assert screw_of_motion(np.zeros(6)).kind == "zero"


@pytest.mark.source("RBDA-S2.5-3")
def test_decomposition_into_a_line_vector_through_a_point_and_a_free_vector_is_unique(rng):
    """The free part is the value s_P of the field at P, because the line part must vanish there."""
    s, s_O, P = rng.normal(size=(3, 3))
    for at_point, spatial, free in ((point_velocity, lambda x: np.array([*s, *x]), free_motion),
                                    (moment_at, lambda x: np.array([*x, *s]), couple)):
        whole = spatial(s_O)
        s_P = s_O + np.cross(s, P)
        line = spatial(np.cross(P, s))
        close(line + free(s_P), whole)
        close(at_point(line, P), np.zeros(3))
        close(at_point(whole, P), s_P)
        offset = at_point(whole, P)
        matrix = np.column_stack([offset - at_point(whole - free(e), P) for e in np.eye(3)])
        close(np.linalg.solve(matrix, offset), s_P)


def canonical_parts(s, s_O):
    """Eq. 2.10: (h, s_O − h s, h s, a point of the axis)."""
    h = s @ s_O / (s @ s)
    return h, s_O - h * s, h * s, np.cross(s, s_O) / (s @ s)


@pytest.mark.source("RBDA-2.10")
def test_every_screw_is_a_line_vector_and_a_parallel_free_vector(rng):
    """[s; s_O] = [s; s_O − h s] + [0; h s], h = (s · s_O)/(s · s), with the axis through (s × s_O)/(s · s)."""
    s, s_O = rng.normal(size=(2, 3))
    h, moment, along, A = canonical_parts(s, s_O)
    close(s @ moment, 0)
    close(np.cross(A, s), moment)
    for screw, parts in (
        (screw_of_motion([*s, *s_O]), lambda d, A, w, h: line_motion(w * d, A) + free_motion(h * w * d)),
        (screw_of_force([*s_O, *s]), lambda d, A, w, h: swap_halves(line_force(w * d, A) + couple(h * w * d))),
    ):
        close(screw.pitch, h)
        close(screw.point, A)
        close(screw.point @ s, 0)
        close(screw.magnitude * screw.direction, s)
        close(parts(screw.direction, screw.point, screw.magnitude, screw.pitch), [*s, *(moment + along)])
        close(parts(screw.direction, screw.point, screw.magnitude, screw.pitch), [*s, *s_O])


@pytest.mark.source("RBDA-2.10")
def test_screw_decomposition_is_unique_and_independent_of_the_frame(rng):
    """Only h makes the line part a line vector; pitch and axis are the same body-fixed things in every frame."""
    s, s_O = rng.normal(size=(2, 3))
    h, _, _, A = canonical_parts(s, s_O)
    for other in (h + 0.1, h - 0.3, -h, 0):
        assert abs(s @ (s_O - other * s)) > 1e-3
    (R, p), X = random_frame(rng)
    for screw in (screw_of_motion(X @ [*s, *s_O]), screw_of_force(force_transform(X) @ [*s_O, *s])):
        close(screw.pitch, h)
        close(R @ screw.direction, s / np.linalg.norm(s))
        close(np.cross(p + R @ screw.point - A, s), np.zeros(3))


@pytest.mark.source("RBDA-S2.5-4")
def test_a_twist_turns_a_body_about_its_screw_axis_and_moves_it_along(rng):
    """In unit time the points of the axis move by pitch times angle along it, and all others turn by |ω| about it."""
    v = np.concatenate([random_unit(rng) * rng.uniform(0.5, 2), rng.normal(size=3)])
    angle = np.linalg.norm(v[:3])
    screw = screw_of_motion(v)
    displacement = expm(twist_matrix(v))
    close(screw.magnitude, angle)
    for k in (-1, 0, 2):
        P = screw.point + k * screw.direction
        close((displacement @ [*P, 1])[:3] - P, screw.pitch * angle * screw.direction)
    close(displacement[:3, :3], turn(screw.direction, angle))


@pytest.mark.source("RBDA-S2.5-4")
def test_a_wrench_is_a_force_on_its_axis_and_a_couple_along_it(rng):
    """Pitch is free magnitude over line magnitude; axis, force and couple give back the wrench."""
    f = rng.normal(size=6)
    screw = screw_of_force(f)
    n_A = f[:3] - np.cross(screw.point, f[3:])
    close(np.cross(n_A, f[3:]), np.zeros(3))
    close(abs(screw.pitch), np.linalg.norm(n_A) / np.linalg.norm(f[3:]))
    close(screw.pitch, f[3:] @ f[:3] / (f[3:] @ f[3:]))
    rebuilt = line_force(screw.magnitude * screw.direction, screw.point)
    close(rebuilt + couple(screw.pitch * screw.magnitude * screw.direction), f)


@pytest.mark.source("RBDA-S2.5-4")
def test_free_vectors_have_infinite_pitch_and_no_axis(rng):
    t = rng.normal(size=3)
    for screw in (screw_of_motion([0, 0, 0, *t]), screw_of_force([*t, 0, 0, 0])):
        assert screw.pitch == np.inf
        assert screw.point is None
    pitches = [screw_of_motion([*(e * t), *t]).pitch for e in (1e-2, 1e-4, 1e-6)]
    assert_allclose(pitches, [1e2, 1e4, 1e6], rtol=1e-9)


@pytest.mark.source("RBDA-S2.5-5")
def test_spatial_vectors_have_magnitudes_in_the_four_special_sets_only(rng):
    """The norm of six numbers changes with the frame; |s| of a line vector and |s_O| of a free one do not."""
    u, p, t = rng.normal(size=(3, 3))
    _, X = random_frame(rng)
    X_star = force_transform(X)
    length = np.linalg.norm
    for vector, transform, part in ((line_motion(u, p), X, slice(0, 3)), (line_force(u, p), X_star, slice(3, 6))):
        assert abs(length(transform @ vector) - length(vector)) > 1e-2
        close(length((transform @ vector)[part]), length(u))
    for vector, transform, part in ((free_motion(t), X, slice(3, 6)), (couple(t), X_star, slice(0, 3))):
        close(length((transform @ vector)[part]), length(t))
    turned = rot(random_rotation(rng)) @ np.array([*u, *t])
    close(length(turned), length([*u, *t]))
    assert abs(length(np.diag([1, 1, 1, 100, 100, 100]) @ turned) - length(turned)) > 1, "metres to centimetres"


# 2.6 Scalar product


@pytest.mark.source("RBDA-S2.6-1")
def test_motion_dot_force_is_the_power_of_the_forces_on_a_body(rng):
    """Σ f_i · V(P_i) = v̂ · f̂, also after X and X*; X for both would change it."""
    v, points, forces = rng.normal(size=6), *rng.normal(size=(2, 6, 3))
    f = wrench(points, forces)
    power = sum(force @ (v[3:] + np.cross(v[:3], P)) for P, force in zip(points, forces, strict=True))
    close(sum(line_force(force, P) for P, force in zip(points, forces, strict=True)), f)
    close(v @ f, power)
    _, X = random_frame(rng)
    close((X @ v) @ (force_transform(X) @ f), power)
    assert abs((X @ v) @ (X @ f) - power) > 1e-3


@pytest.mark.source("RBDA-S2.6-1")
def test_duality_gives_two_transform_rules_and_two_cross_products(rng):
    """m · f stays the same under a displacement of both only if motions and forces follow different rules."""
    v, m, f = rng.normal(size=(3, 6))
    h = 1e-6
    moved_m = inverse_transform(motion_exp(h * v)) @ m
    moved_f = motion_exp(h * v).T @ f
    close((moved_m - m) / h, crm(v) @ m, 1e-4)
    close((moved_f - f) / h, crf(v) @ f, 1e-4)
    close(moved_m @ moved_f, m @ f)
    close((crm(v) @ m) @ f + m @ (crf(v) @ f), 0)
    assert np.abs(crm(v) - crf(v)).max() > 0.1


@pytest.mark.source("RBDA-2.11")
def test_plucker_bases_of_motion_and_force_are_dual(rng):
    """d_i · e_j = δ_ij in the listed order: d_Ox ↔ e_x, …, d_x ↔ e_Ox; the product is the power of e_j on d_i."""
    R, r = random_pose(rng)
    motions = [line_motion(axis, r) for axis in R.T] + [free_motion(axis) for axis in R.T]
    forces = [couple(axis) for axis in R.T] + [line_force(axis, r) for axis in R.T]
    close([[d @ e for e in forces] for d in motions], np.eye(6))
    power = [[e[:3] @ d[:3] + e[3:] @ d[3:] for e in forces] for d in motions]
    close(power, np.eye(6))
    X = plucker(R.T, r)
    close(motions, inverse_transform(X).T)
    close(forces, X)


@pytest.mark.source("RBDA-2.12")
def test_scalar_product_is_the_product_of_coordinates_in_every_frame(rng):
    """m · f = m̲ᵀ f̲, with the coordinates of both from their definitions."""
    v, points, forces = rng.normal(size=6), *rng.normal(size=(2, 6, 3))
    power = sum(force @ (v[3:] + np.cross(v[:3], P)) for P, force in zip(points, forces, strict=True))
    for _ in range(3):
        pose, X = random_frame(rng)
        close(motion_coordinates(v, pose) @ force_coordinates(wrench(points, forces), pose), power)
        close((X @ v) @ (force_transform(X) @ wrench(points, forces)), power)


@pytest.mark.source("RBDA-2.13")
def test_force_transform_is_the_inverse_transpose_of_the_motion_transform(rng):
    """X* = X⁻ᵀ, where X and X* are made from the definitions of coordinates."""
    pose, X = random_frame(rng)
    motion = np.column_stack([motion_coordinates(e, pose) for e in np.eye(6)])
    force = np.column_stack([force_coordinates(e, pose) for e in np.eye(6)])
    close(force, np.linalg.inv(motion).T)
    close(X, motion)
    close(force_transform(X), force)


# 2.7 Using spatial vectors


@pytest.mark.source("RBDA-S2.7-1")
def test_motions_and_motion_vectors_and_wrenches_and_force_vectors_are_one_to_one(rng):
    """Three points that are not on a line tell the six coordinates of a motion, or of a force by its moments."""
    points = rng.normal(size=(3, 3))
    for field in (point_velocity, moment_at):
        three_points = np.vstack([np.column_stack([field(e, P) for e in np.eye(6)]) for P in points])
        assert np.linalg.matrix_rank(three_points) == 6
        on_a_line = [points[0], points[1], 2 * points[1] - points[0]]
        three_points = np.vstack([np.column_stack([field(e, P) for e in np.eye(6)]) for P in on_a_line])
        assert np.linalg.matrix_rank(three_points) == 5


def pose_along(tree, q, qd, i):
    """The pose of body i as a function of time, while the joints move with the constant rates qd."""
    return lambda t: tree.world_poses(q + t * qd)[i]


def world_velocity(tree, q, qd, i):
    """The velocity of body i in base coordinates, from the derivative of its pose."""
    return velocity(pose_along(tree, q, qd, i))


@pytest.mark.source("RBDA-S2.7-2")
def test_relative_velocity_is_the_difference_and_equals_the_joint_velocity(rng):
    """v_rel = v_2 − v_1 is the velocity of B_2 that an observer who moves with B_1 sees."""
    tree = random_tree(rng, 4, [0, 1, 2, 3])
    q, qd = rng.normal(size=(2, 4))
    model = tree.model()
    X = body_transforms(model, q)
    for i in model.bodies:
        predecessor = tree.world_poses(q)[i - 1]

        def seen_from_the_predecessor(t, i=i):
            (R_1, p_1), (R_2, p_2) = (tree.world_poses(q + t * qd)[k] for k in (i - 1, i))
            return R_1.T @ R_2, R_1.T @ (p_2 - p_1)

        v_rel = world_velocity(tree, q, qd, i) - world_velocity(tree, q, qd, i - 1)
        close(velocity(seen_from_the_predecessor), motion_coordinates(v_rel, predecessor))
        _, _, v_J, _ = jcalc(model.joints[i], q[i - 1], qd[i - 1])
        close(X[i] @ v_rel, v_J)


@pytest.mark.source("RBDA-S2.7-3")
def test_bodies_connected_rigidly_have_the_same_spatial_velocity(rng):
    """Equal as vectors, although their centres of mass have different velocities."""
    tree = random_tree(rng, 3, [0, 1, 2])
    R, p = random_pose(rng)
    joints = [*tree.model().joints[1:], Fixed()]
    X_tree = [*tree.model().X_tree[1:], plucker(R.T, p)]
    inertia = [*tree.model().inertia[1:], mcI(*random_mass_properties(rng))]
    model = Model([0, 1, 2, 3], joints, X_tree, inertia)
    q, qd = rng.normal(size=(2, 3))
    X, v = body_transforms(model, q), body_velocities(model, q, qd)

    def welded(t):
        R_3, p_3 = tree.world_poses(q + t * qd)[3]
        return R_3 @ R, p_3 + R_3 @ p

    in_base = [inverse_transform(X[i]) @ v[i] for i in (3, 4)]
    close(in_base[0], velocity(welded))
    close(in_base[1], velocity(welded))
    c3, c4 = p_of(X[3], tree.bodies[2][1]), p_of(X[4], np.zeros(3))
    assert np.linalg.norm(point_velocity(in_base[0], c3) - point_velocity(in_base[1], c4)) > 1e-2


def p_of(X, point):
    """The base coordinates of a point given in the coordinates that X leads to."""
    return (np.linalg.inv(homogeneous(X)) @ [*point, 1])[:3]


@pytest.mark.source("RBDA-S2.7-4")
def test_forces_on_one_body_add_up(rng):
    """The wrench of a set of point forces is the sum of their wrenches, about any point."""
    points, forces = rng.normal(size=(2, 5, 3))
    total = sum(line_force(f, P) for P, f in zip(points, forces, strict=True))
    close(total, wrench(points, forces))
    Q = rng.normal(size=3)
    close(moment_at(total, Q), wrench(points, forces, Q)[:3])


@pytest.mark.source("RBDA-S2.7-4")
def test_joint_forces_obey_action_and_reaction(rng):
    """What joint i gives to body i it takes from the parent: so the momenta of the bodies change, each and in sum."""
    tree = random_tree(rng, 5, [0, 1, 1, 3, 0])
    q, qd, qdd = rng.normal(size=(3, 5))
    motion = newton_euler(tree.model(), q, qd, qdd)
    f = [X.T @ force for X, force in zip(motion.X_0, motion.f, strict=True)]
    centres = tree.centres(q)

    def net(i):
        """Rate of change of the momentum of body i, about the base's origin, by Newton and Euler."""
        m, c, I_C = tree.bodies[i - 1]
        a_C = second_derivative(lambda t: tree.centres(q + t * qd + t * t / 2 * qdd)[i - 1])

        def spin(t):
            omega = velocity(lambda s: tree.world_poses(q + s * qd + s * s / 2 * qdd)[i], t)[:3]
            R = tree.world_poses(q + t * qd + t * t / 2 * qdd)[i][0]
            return R @ I_C @ R.T @ omega

        h = 1e-3
        spin_rate = (spin(-2 * h) - 8 * spin(-h) + 8 * spin(h) - spin(2 * h)) / (12 * h)
        return np.concatenate([spin_rate + np.cross(centres[i - 1], m * a_C), m * a_C])

    for i in range(1, 6):
        weight = line_force(tree.bodies[i - 1][0] * tree.gravity, centres[i - 1])
        from_children = sum((-f[j] for j in range(1, 6) if tree.parent[j - 1] == i), np.zeros(6))
        close(f[i] + from_children + weight, net(i), 1e-6)
    weights = sum(line_force(m * tree.gravity, c) for (m, _, _), c in zip(tree.bodies, centres, strict=True))
    close(f[1] + f[5] + weights, sum(net(i) for i in range(1, 6)), 1e-6)
    close(f[0], f[1] + f[5])


@pytest.mark.source("RBDA-S2.7-5")
def test_power_scales_with_force_and_velocity(rng):
    """Power = f · v, and αf with βv give αβ times the power, at the points where the forces act."""
    v, points, forces = rng.normal(size=6), *rng.normal(size=(2, 4, 3))
    alpha, beta = rng.normal(size=2)
    f, scaled = wrench(points, forces), wrench(points, alpha * forces)
    power = sum(force @ point_velocity(v, P) for P, force in zip(points, forces, strict=True))
    close(f @ v, power)
    close(scaled @ (beta * v), alpha * beta * power)
    scaled_power = sum(alpha * force @ point_velocity(beta * v, P) for P, force in zip(points, forces, strict=True))
    close(scaled_power, alpha * beta * power)


@pytest.mark.source("RBDA-S2.7-5")
def test_a_constant_velocity_for_a_time_displaces_as_its_multiple_in_unit_time(rng):
    """The displacement after time α with v equals that after unit time with αv."""
    v, alpha, P = rng.normal(size=6), rng.uniform(0.5, 2), rng.normal(size=3)
    flow = solve_ivp(lambda t, x: v[3:] + np.cross(v[:3], x), (0, alpha), P, "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    displaced = (expm(twist_matrix(alpha * v)) @ [*P, 1])[:3]
    close(displaced, flow, 1e-9)
    E, r = X_to_Er(motion_exp(alpha * v))
    close(r + E.T @ P, displaced)
    close(motion_exp(alpha * v), expm(-alpha * np.block([[cross_matrix(v[:3]), O3],
                                                         [cross_matrix(v[3:]), cross_matrix(v[:3])]])))


@pytest.mark.source("RBDA-S2.7-6")
def test_relative_acceleration_is_the_difference_without_a_coriolis_term(rng):
    """a = d/dt v in a frame at rest, and a_rel = a_2 − a_1 = d/dt (v_2 − v_1)."""
    tree = random_tree(rng, 4, [0, 1, 2, 3])
    q, qd, qdd = rng.normal(size=(3, 4))
    h = 1e-3

    def v(i, t):
        return velocity(lambda s: tree.world_poses(q + s * qd + s * s / 2 * qdd)[i], t)

    def rate(function):
        return (function(-2 * h) - 8 * function(-h) + 8 * function(h) - function(2 * h)) / (12 * h)

    model = tree.model()
    X, a = body_transforms(model, q), body_accelerations(model, q, qd, qdd)
    a = [inverse_transform(X[i]) @ a[i] for i in range(5)]
    for i in model.bodies:
        close(a[i], rate(lambda t, i=i: v(i, t)), 1e-6)
        close(a[i] - a[i - 1], rate(lambda t, i=i: v(i, t) - v(i - 1, t)), 1e-6)


@pytest.mark.source("RBDA-S2.7-7")
def test_inertias_add_momentum_is_linear_and_force_is_its_rate(rng):
    """For two clusters made one body: I = I_1 + I_2, h = I v, f = d/dt (I v) = I a + v ×* I v."""
    (m1, x1), (m2, x2) = random_cluster(rng), random_cluster(rng, 4)
    masses, points = np.concatenate([m1, m2]), np.concatenate([x1, x2])
    pose = smooth_motion(rng)

    def particles(t):
        R, p = pose(t)
        return p + points @ R.T

    x, speed, acceleration = np.real(particles(0)), derivative(particles), second_derivative(particles)
    I = mcI(*mass_properties(m1, x[:6])) + mcI(*mass_properties(m2, x[6:]))
    v, h = velocity(pose), 1e-4
    a = (velocity(pose, h) - velocity(pose, -h)) / (2 * h)
    close(momentum(I, v), wrench(x, masses[:, None] * speed), 1e-11)
    assert_allclose(equation_of_motion(I, v, a), wrench(x, masses[:, None] * acceleration), rtol=1e-6, atol=1e-6)
    assert_allclose(I @ a + crf(v) @ I @ v, wrench(x, masses[:, None] * acceleration), rtol=1e-6, atol=1e-6)


@pytest.mark.source("RBDA-F2.4")
def test_joint_i_of_a_chain_connects_body_i_minus_1_to_body_i(rng):
    """λ(i) = p(i) = i − 1, s(i) = i; moving joint i displaces the bodies i..N about s_i, and no others."""
    tree = random_tree(rng, 5, range(5))
    model, q = tree.model(), rng.normal(size=5)
    for i in model.bodies:
        assert model.parent[i] == i - 1
        assert model.kappa(i) == list(range(1, i + 1))
        assert model.nu(i) == list(range(i, 6))
        assert model.mu(i - 1) == [i]
    X, S = body_transforms(model, q), newton_euler(model, q, 0 * q, 0 * q).S
    for i in model.bodies:
        s_i = inverse_transform(X[i]) @ S[i][:, 0]
        moved = body_transforms(model, q + 0.3 * np.eye(5)[i - 1])
        for j in range(6):
            displacement = inverse_transform(moved[j]) @ X[j]
            close(displacement, inverse_transform(motion_exp(0.3 * s_i)) if j >= i else np.eye(6))


def chain(rng, n=6):
    """A random chain, its state, and its joint axes s_i in base coordinates by 3D geometry (place 0 is the base)."""
    tree = random_tree(rng, n, range(n))
    q, qd = rng.normal(size=(2, n))
    s = [None]
    for (R, p), kind, axis in zip(tree.world_poses(q)[1:], tree.kinds, tree.axes, strict=True):
        u = R @ axis
        s.append(np.array([*u, *np.cross(p, u)] if kind == "revolute" else [0, 0, 0, *u]))
    return tree, q, qd, s


def in_base(model, q, vectors):
    """Motion vectors of the bodies, given in body coordinates, in base coordinates."""
    return [inverse_transform(X) @ v for X, v in zip(body_transforms(model, q), vectors, strict=True)]


@pytest.mark.source("RBDA-X2.3")
def test_three_formulas_give_the_velocities_of_a_chain(rng):
    """Recursion (2.16), sum (2.17) and Jacobian (2.18) agree, and agree with the derivative of the poses."""
    tree, q, qd, s = chain(rng)
    recursive = [np.zeros(6)]
    for i in range(1, 7):
        recursive.append(recursive[i - 1] + s[i] * qd[i - 1])
        by_sum = sum(s[j] * qd[j - 1] for j in range(1, i + 1))
        J_i = np.column_stack(s[1 : i + 1] + [np.zeros(6)] * (6 - i))
        close(recursive[i], by_sum)
        close(recursive[i], J_i @ qd)
        close(recursive[i], world_velocity(tree, q, qd, i))


class Counted:
    """A number that counts the additions and multiplications it takes part in."""

    operations = 0

    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        Counted.operations += 1
        return Counted(self.value + other.value)

    def __mul__(self, other):
        Counted.operations += 1
        return Counted(self.value * other.value)


def operations(function, *arguments):
    Counted.operations = 0
    function(*arguments)
    return Counted.operations


def velocities_by_recursion(s, qd):
    v = [s[0] * qd[0]]
    for i in range(1, len(s)):
        v.append(v[i - 1] + s[i] * qd[i])
    return v


def velocities_by_sums(s, qd):
    v = []
    for i in range(len(s)):
        v_i = s[0] * qd[0]
        for j in range(1, i + 1):
            v_i = v_i + s[j] * qd[j]
        v.append(v_i)
    return v


@pytest.mark.source("RBDA-X2.3")
def test_recursion_is_cheaper_than_the_sum_because_it_reuses_results():
    """The operations for the velocities of all bodies grow as N by recursion and as N² by sums."""
    count = np.vectorize(Counted, otypes=[object])
    costs = {velocities_by_recursion: [], velocities_by_sums: []}
    for n in range(2, 12):
        s, qd = count(np.ones((n, 6))), count(np.ones(n))
        for method, cost in costs.items():
            cost.append(operations(method, s, qd))
    recursion, sums = costs.values()
    assert set(np.diff(recursion)) == {12}, "every further body costs the same"
    assert set(np.diff(sums, 2)) == {12}, "every further body costs more than the one before"
    assert all(r < s for r, s in zip(recursion, sums, strict=True))


@pytest.mark.source("RBDA-2.14")
def test_joint_velocity_is_the_velocity_of_a_body_relative_to_the_one_before(rng):
    """v_Ji = v_i − v_{i−1}; v_J from jcalc, v_i from the derivatives of the poses."""
    tree, q, qd, s = chain(rng)
    model = tree.model()
    v = [world_velocity(tree, q, qd, i) for i in range(7)]
    v_J = in_base(model, q, [np.zeros(6)] + [jcalc(model.joints[i], q[i - 1], qd[i - 1])[2] for i in model.bodies])
    for i in model.bodies:
        close(v_J[i], v[i] - v[i - 1])
        close(s[i] * qd[i - 1], v[i] - v[i - 1])


@pytest.mark.source("RBDA-2.15")
@pytest.mark.parametrize(("joint", "s"), [
    (Revolute("x"), [1, 0, 0, 0, 0, 0]), (Revolute("y"), [0, 1, 0, 0, 0, 0]), (Revolute("z"), [0, 0, 1, 0, 0, 0]),
    (Prismatic("x"), [0, 0, 0, 1, 0, 0]), (Prismatic("y"), [0, 0, 0, 0, 1, 0]), (Prismatic("z"), [0, 0, 0, 0, 0, 1]),
], ids=str)
def test_velocity_of_a_one_degree_joint(joint, s):
    """v_J = s q̇ with s a unit rotation or a unit translation; Ẋ_J = −v_J × X_J ties it to the joint's transform."""
    q, qd, h = 0.7, -1.3, 1e-5
    X_J, S, v_J, c_J = jcalc(joint, q, qd)
    close(S[:, 0], s)
    close(v_J, qd * np.array(s))
    close(c_J, np.zeros(6))
    rate = (jcalc(joint, q + h * qd, qd)[0] - jcalc(joint, q - h * qd, qd)[0]) / (2 * h)
    w, v_O = cross_matrix(v_J[:3]), cross_matrix(v_J[3:])
    close(rate, -np.block([[w, O3], [v_O, w]]) @ X_J, 1e-8)


@pytest.mark.source("RBDA-2.16")
def test_velocities_of_a_chain_by_recursion(rng):
    """v_i = v_{i−1} + s_i q̇_i, v_0 = 0: body_velocities against 3D geometry and against moving poses."""
    tree, q, qd, s = chain(rng)
    v = in_base(tree.model(), q, body_velocities(tree.model(), q, qd))
    close(v[0], np.zeros(6))
    for i in range(1, 7):
        close(v[i], v[i - 1] + s[i] * qd[i - 1])
        close(v[i], world_velocity(tree, q, qd, i))


@pytest.mark.source("RBDA-2.17")
def test_velocity_of_a_body_is_the_sum_of_the_joint_velocities_before_it(rng):
    """v_i = Σ_{j ≤ i} s_j q̇_j."""
    tree, q, qd, s = chain(rng)
    v = in_base(tree.model(), q, body_velocities(tree.model(), q, qd))
    for i in range(1, 7):
        by_sum = sum(s[j] * qd[j - 1] for j in range(1, i + 1))
        close(by_sum, world_velocity(tree, q, qd, i))
        close(by_sum, v[i])


@pytest.mark.source("RBDA-2.18")
def test_body_jacobian_of_a_chain(rng):
    """v_i = [s_1 … s_i 0 … 0] q̇; each column is the velocity of body i when one joint moves at unit rate."""
    tree, q, qd, s = chain(rng)
    model = tree.model()
    X = body_transforms(model, q)
    for i in model.bodies:
        J = inverse_transform(X[i]) @ body_jacobian(model, q, i)
        assert J.shape == (6, 6)
        close(J, np.column_stack(s[1 : i + 1] + [np.zeros(6)] * (6 - i)))
        for column, e in zip(J.T, np.eye(6), strict=True):
            close(column, world_velocity(tree, q, e, i))
        close(J @ qd, world_velocity(tree, q, qd, i))


# 2.8 Coordinate transforms


@pytest.mark.source("RBDA-S2.8-1")
def test_transforms_take_definitions_of_coordinates_in_one_frame_to_another(rng):
    """ᴮX_A m̲_A = m̲_B and ᴮX_A* f̲_A = f̲_B, with the coordinates in both frames from their definitions."""
    A, B = random_pose(rng), random_pose(rng)
    X = plucker(*E_and_r(A, B))
    m, f = rng.normal(size=(2, 6))
    close(X @ motion_coordinates(m, A), motion_coordinates(m, B))
    close(force_transform(X) @ force_coordinates(f, A), force_coordinates(f, B))
    close(force_transform(X), np.linalg.inv(X).T)


@pytest.mark.source("RBDA-S2.8-1")
def test_transforms_depend_on_the_relative_pose_only_and_compose(rng):
    """ᶜX_A = ᶜX_B ᴮX_A; a rigid motion of A and B together leaves ᴮX_A as it is."""
    A, B, C, (R, p) = (random_pose(rng) for _ in range(4))
    X_BA, X_CB, X_CA = (plucker(*E_and_r(*pair)) for pair in ((A, B), (B, C), (A, C)))
    close(X_CB @ X_BA, X_CA)
    close(force_transform(X_CB) @ force_transform(X_BA), force_transform(X_CA))
    moved_A, moved_B = ((R @ R_0, p + R @ p_0) for R_0, p_0 in (A, B))
    close(plucker(*E_and_r(moved_A, moved_B)), X_BA)
    E, r = E_and_r(A, B)
    close(rot(E) @ xlt(r), X_BA)


@pytest.mark.source("RBDA-2.19")
def test_rotation_transform_of_motions(rng):
    """[E 0; 0 E] for two frames with the same origin."""
    A, R = random_pose(rng), random_rotation(rng)
    B = (R, A[1])
    E, _ = E_and_r(A, B)
    close(rot(E), block_diag(E, E))
    m = rng.normal(size=6)
    close(rot(E) @ motion_coordinates(m, A), motion_coordinates(m, B))
    close(rot(E) @ m, [*(E @ m[:3]), *(E @ m[3:])])


@pytest.mark.source("RBDA-2.20")
def test_rotation_transform_of_forces_is_that_of_motions(rng):
    A, R = random_pose(rng), random_rotation(rng)
    B = (R, A[1])
    E, _ = E_and_r(A, B)
    f = rng.normal(size=6)
    close(np.linalg.inv(rot(E)).T, block_diag(E, E))
    close(force_transform(rot(E)), block_diag(E, E))
    close(block_diag(E, E) @ force_coordinates(f, A), force_coordinates(f, B))


@pytest.mark.source("RBDA-S2.8-2")
def test_motion_vector_at_another_point(rng):
    """m̂_P = [m; m_O − r × m], where m_P is the velocity field at P."""
    m, m_O, r = rng.normal(size=(3, 3))
    at_P = np.concatenate([m, m_O - np.cross(r, m)])
    close(at_P[3:], m_O + np.cross(m, r))
    close(at_P, motion_coordinates(np.concatenate([m, m_O]), (np.eye(3), r)))
    close(xlt(r) @ [*m, *m_O], at_P)


@pytest.mark.source("RBDA-2.21")
def test_translation_transform_of_motions(rng):
    """ᴾX_O = [1 0; −r× 1]; translations add up and undo each other."""
    r1, r2 = rng.normal(size=(2, 3))
    close(xlt(r1), np.block([[np.eye(3), O3], [-cross_matrix(r1), np.eye(3)]]))
    close(xlt(r1) @ xlt(r2), xlt(r1 + r2), 1e-15)
    close(np.linalg.inv(xlt(r1)), xlt(-r1), 1e-15)
    R, p = random_pose(rng)
    m = rng.normal(size=6)
    close(xlt(R.T @ r1) @ motion_coordinates(m, (R, p)), motion_coordinates(m, (R, p + r1)))


@pytest.mark.source("RBDA-2.22")
def test_translation_transform_of_forces(rng):
    """ᴾX_O* = [1 −r×; 0 1], which takes [n_O; f] to [n_O − r × f; f]."""
    r, n_O, f = rng.normal(size=(3, 3))
    by_blocks = np.block([[np.eye(3), -cross_matrix(r)], [O3, np.eye(3)]])
    close(np.linalg.inv(xlt(r)).T, by_blocks)
    close(force_transform(xlt(r)), by_blocks)
    close(by_blocks @ [*n_O, *f], [*(n_O - np.cross(r, f)), *f])
    close(by_blocks @ [*n_O, *f], force_coordinates(np.concatenate([n_O, f]), (np.eye(3), r)))


@pytest.mark.source("RBDA-2.23")
def test_cross_product_matrix(rng):
    """[x y z]ᵀ× = [[0, −z, y], [z, 0, −x], [−y, x, 0]], exactly and in symbols."""
    a, b = rng.normal(size=(2, 3))
    close(skew(a) @ b, np.cross(a, b), 1e-15)
    x, y, z = symbols("x y z")
    assert (skew([x, y, z]) == np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])).all()
    u = symbols("u_x u_y u_z")
    by_components = [y * u[2] - z * u[1], z * u[0] - x * u[2], x * u[1] - y * u[0]]
    assert is_zero(skew([x, y, z]) @ u - by_components)


TABLE_2_1 = {
    "1: a× = −(a×)ᵀ": lambda a, b, k, E: (skew(a), -skew(a).T),
    "2: (λa)× = λ(a×)": lambda a, b, k, E: (skew(k * a), k * skew(a)),
    "3: (a+b)× = a× + b×": lambda a, b, k, E: (skew(a + b), skew(a) + skew(b)),
    "4: (E a)× = E a× E⁻¹": lambda a, b, k, E: (skew(E @ a), E @ skew(a) @ E.T),
    "5: (a×)b = −(b×)a": lambda a, b, k, E: (skew(a) @ b, -skew(b) @ a),
    "6: (a×b)· = a· b×": lambda a, b, k, E: (np.cross(a, b), a @ skew(b)),
    "7: (a×b)× = a× b× − b× a×": lambda a, b, k, E: (skew(np.cross(a, b)), skew(a) @ skew(b) - skew(b) @ skew(a)),
    "8: (a×b)× = b aᵀ − a bᵀ": lambda a, b, k, E: (skew(np.cross(a, b)), dyad(b, a) - dyad(a, b)),
    "9: a× b× = b aᵀ − (a·b) 1": lambda a, b, k, E: (skew(a) @ skew(b), dyad(b, a) - (a @ b) * np.eye(3, dtype=int)),
}


@pytest.mark.source("RBDA-T2.1")
@pytest.mark.parametrize("row", TABLE_2_1)
def test_properties_of_the_euclidean_cross_operator(rng, row):
    a, b = rng.normal(size=(2, 3))
    left, right = TABLE_2_1[row](a, b, rng.normal(), random_rotation(rng))
    close(left, right)


@pytest.mark.source("RBDA-T2.1")
@pytest.mark.parametrize("row", TABLE_2_1)
def test_properties_of_the_euclidean_cross_operator_in_symbols(row):
    """E is a symbolic rotation: a unit quaternion divided out, so that every entry is a rational function."""
    a, b, k = symbols("a1 a2 a3"), symbols("b1 b2 b3"), sympy.Symbol("k")
    w, x, y, z = symbols("w x y z")
    N = w**2 + x**2 + y**2 + z**2
    E = np.array([[w**2 + x**2 - y**2 - z**2, 2 * (x * y - w * z), 2 * (x * z + w * y)],
                  [2 * (x * y + w * z), w**2 - x**2 + y**2 - z**2, 2 * (y * z - w * x)],
                  [2 * (x * z - w * y), 2 * (y * z + w * x), w**2 - x**2 - y**2 + z**2]]) / N
    left, right = TABLE_2_1[row](a, b, k, E)
    difference = np.asarray(left - right)
    assert all(sympy.cancel(sympy.together(entry)) == 0 for entry in difference.flat)


@pytest.mark.source("RBDA-S2.8-3")
def test_precedence_of_the_cross_operator(rng):
    """a × b × c means a × (b × c), and E a× means E (a×)."""
    a, b, c = rng.normal(size=(3, 3))
    E = random_rotation(rng)
    close(skew(a) @ skew(b) @ c, np.cross(a, np.cross(b, c)))
    assert np.abs(skew(a) @ skew(b) @ c - np.cross(np.cross(a, b), c)).max() > 1e-3
    close(a + skew(b) @ c, a + np.cross(b, c))
    assert np.abs(a + skew(b) @ c - np.cross(a + b, c)).max() > 1e-3
    close(plucker(E, a)[3:, :3] @ c, -E @ np.cross(a, c))
    assert np.abs(E @ skew(a) - skew(E @ a)).max() > 1e-3


@pytest.mark.source("RBDA-2.24")
def test_general_transform_of_motions(rng):
    """[E 0; 0 E] [1 0; −r× 1] = [E 0; −E r× E], which takes [ω; v_O] to [E ω; E (v_O + ω × r)]."""
    A, B = random_pose(rng), random_pose(rng)
    E, r = E_and_r(A, B)
    r_cross = cross_matrix(r)
    X = np.block([[E, O3], [-E @ r_cross, E]])
    close(block_diag(E, E) @ np.block([[np.eye(3), O3], [-r_cross, np.eye(3)]]), X)
    close(plucker(E, r), X)
    close(rot(E) @ xlt(r), X)
    v = rng.normal(size=6)
    close(X @ motion_coordinates(v, A), motion_coordinates(v, B))
    omega, v_O = rng.normal(size=(2, 3))
    close(X @ [*omega, *v_O], [*(E @ omega), *(E @ (v_O + np.cross(omega, r)))])


@pytest.mark.source("RBDA-2.25")
def test_general_transform_of_forces(rng):
    """[E 0; 0 E] [1 −r×; 0 1] = [E −E r×; 0 E], which takes [n; f] to [E (n − r × f); E f]."""
    A, B = random_pose(rng), random_pose(rng)
    E, r = E_and_r(A, B)
    r_cross = cross_matrix(r)
    X_star = np.block([[E, -E @ r_cross], [O3, E]])
    close(block_diag(E, E) @ np.block([[np.eye(3), -r_cross], [O3, np.eye(3)]]), X_star)
    close(np.linalg.inv(plucker(E, r)).T, X_star)
    close(force_transform(plucker(E, r)), X_star)
    f = rng.normal(size=6)
    close(X_star @ force_coordinates(f, A), force_coordinates(f, B))
    n, force = rng.normal(size=(2, 3))
    close(X_star @ [*n, *force], [*(E @ (n - np.cross(r, force))), *(E @ force)])


@pytest.mark.source("RBDA-2.26")
def test_inverse_transform_of_motions(rng):
    """ᴬX_B = [1 0; r× 1] [Eᵀ 0; 0 Eᵀ] = [Eᵀ 0; r×Eᵀ Eᵀ]."""
    A, B = random_pose(rng), random_pose(rng)
    E, r = E_and_r(A, B)
    r_cross = cross_matrix(r)
    X_inverse = np.block([[E.T, O3], [r_cross @ E.T, E.T]])
    close(np.block([[np.eye(3), O3], [r_cross, np.eye(3)]]) @ block_diag(E.T, E.T), X_inverse)
    close(np.linalg.inv(plucker(E, r)), X_inverse)
    close(inverse_transform(plucker(E, r)), X_inverse)
    v = rng.normal(size=6)
    close(X_inverse @ motion_coordinates(v, B), motion_coordinates(v, A))


@pytest.mark.source("RBDA-2.27")
def test_inverse_transform_of_forces_is_the_transpose_of_the_transform_of_motions(rng):
    """ᴬX_B* = [1 r×; 0 1] [Eᵀ 0; 0 Eᵀ] = [Eᵀ r×Eᵀ; 0 Eᵀ] = (ᴮX_A)ᵀ."""
    A, B = random_pose(rng), random_pose(rng)
    E, r = E_and_r(A, B)
    r_cross = cross_matrix(r)
    by_blocks = np.block([[E.T, r_cross @ E.T], [O3, E.T]])
    close(np.block([[np.eye(3), r_cross], [O3, np.eye(3)]]) @ block_diag(E.T, E.T), by_blocks)
    X = plucker(E, r)
    close(np.linalg.inv(force_transform(X)), by_blocks)
    close(force_transform(inverse_transform(X)), by_blocks)
    close(X.T, by_blocks)
    f = rng.normal(size=6)
    close(X.T @ force_coordinates(f, B), force_coordinates(f, A))


@pytest.mark.source("RBDA-2.28")
def test_homogeneous_transform_of_points(rng):
    """ᴮT_A = [E −E r; 0 1] takes the coordinates of a point from A to B."""
    A, B, C = (random_pose(rng) for _ in range(3))
    E, r = E_and_r(A, B)
    T = homogeneous(plucker(E, r))
    close(T, np.block([[E, (-E @ r)[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]]))
    P = rng.normal(size=3)
    in_A, in_B = (R.T @ (P - p) for R, p in (A, B))
    close(T @ [*in_A, 1], [*in_B, 1])
    T_CB, T_CA = (homogeneous(plucker(*E_and_r(*pair))) for pair in ((B, C), (A, C)))
    close(T_CB @ T, T_CA)
    close(X_to_Er(plucker(E, r))[0], T[:3, :3])
    close(-T[:3, :3].T @ T[:3, 3], X_to_Er(plucker(E, r))[1])


AXES = {"x": (rx, rotx), "y": (ry, roty), "z": (rz, rotz)}


@pytest.mark.source("RBDA-T2.2")
def test_functions_of_table_2_2_are_as_printed():
    """Entry by entry, in symbols."""
    theta, r_x, r_y, r_z = symbols("theta r_x r_y r_z")
    c, s = sympy.cos(theta), sympy.sin(theta)
    printed = {"x": [[1, 0, 0], [0, c, s], [0, -s, c]],
               "y": [[c, 0, -s], [0, 1, 0], [s, 0, c]],
               "z": [[c, s, 0], [-s, c, 0], [0, 0, 1]]}
    zero = np.zeros((3, 3), dtype=int)
    for name, (turn_frame, plucker_turn) in AXES.items():
        E = np.array(printed[name])
        assert (turn_frame(theta) == E).all()
        assert (plucker_turn(theta) == np.block([[E, zero], [zero, E]])).all()
        assert (rot(E) == np.block([[E, zero], [zero, E]])).all()
    minus_r_cross = np.array([[0, r_z, -r_y], [-r_z, 0, r_x], [r_y, -r_x, 0]])
    one = np.eye(3, dtype=int)
    assert (xlt([r_x, r_y, r_z]) == np.block([[one, zero], [minus_r_cross, one]])).all()


@pytest.mark.source("RBDA-T2.2")
@pytest.mark.parametrize("name", AXES)
def test_rotation_functions_turn_the_frame_and_not_the_vector(rng, name):
    """rx(θ) = expm(−θ e_x×): it takes the turned frame's own axes, given in A coordinates, to the unit vectors."""
    turn_frame, plucker_turn = AXES[name]
    axis = np.eye(3)["xyz".index(name)]
    theta, other = rng.uniform(-3, 3, 2)
    E = turn_frame(theta)
    close(E, expm(-theta * cross_matrix(axis)))
    close(E @ turn(axis, theta), np.eye(3))
    close(np.linalg.det(E), 1)
    close(turn_frame(theta) @ turn_frame(other), turn_frame(theta + other))
    close(plucker_turn(theta), block_diag(E, E))


@pytest.mark.source("RBDA-T2.2")
def test_rotation_about_x_takes_the_turned_y_axis_to_the_unit_vector(rng):
    theta = rng.uniform(-3, 3)
    close(rx(theta) @ [0, np.cos(theta), np.sin(theta)], [0, 1, 0])
    close(ry(theta) @ [np.sin(theta), 0, np.cos(theta)], [0, 0, 1])
    close(rz(theta) @ [np.cos(theta), np.sin(theta), 0], [1, 0, 0])


@pytest.mark.source("RBDA-S2.8-4")
@pytest.mark.parametrize("name", AXES)
def test_a_transform_reads_as_the_way_frame_a_is_moved_onto_frame_b(rng, name):
    """rotx(θ) xlt(r): first displace A by r in its own axes, then turn it by +θ about its new x axis."""
    _, plucker_turn = AXES[name]
    axis = np.eye(3)["xyz".index(name)]
    theta, r, m = rng.uniform(-3, 3), rng.normal(size=3), rng.normal(size=6)
    A = random_pose(rng)
    displaced = (A[0], A[1] + A[0] @ r)
    turned = (displaced[0] @ turn(axis, theta), displaced[1])
    X = plucker_turn(theta) @ xlt(r)
    close(xlt(r) @ motion_coordinates(m, A), motion_coordinates(m, displaced))
    close(plucker_turn(theta) @ motion_coordinates(m, displaced), motion_coordinates(m, turned))
    close(X @ motion_coordinates(m, A), motion_coordinates(m, turned))
    P = rng.normal(size=3)
    in_A, in_B = (R.T @ (P - p) for R, p in (A, turned))
    close((homogeneous(X) @ [*in_A, 1])[:3], in_B)
