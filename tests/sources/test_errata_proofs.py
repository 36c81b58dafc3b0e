"""Each erratum of data/errata.csv by a computation in which the printed form fails and the corrected one holds."""

import dataclasses

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp

from rbdlib import Model, aba, load, rnea
from rbdlib.arithmetic.rotations import lt, rotate_general, rotate_symmetric
from rbdlib.arithmetic.transforms import cross_symmetric, lt_cross_matrix, lt_matrix_cross, plx
from rbdlib.book import ch02_spatial as spatial, ch04_joints as kinds
from rbdlib.book.ch02_spatial import crf, crm, mcI, plucker
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.book.ch06_factorisation import expand_parent, solve
from rbdlib.book.ch06_inertia_matrix import crba, differential_inverse_dynamics, expanded_parent
from rbdlib.book.ch08_closed_loops import loop_constraints
from rbdlib.book.ch08_loop_joints import loop_jcalc
from rbdlib.book.ch09_floating_base import floating_crba, floating_equation, floating_joint_space
from rbdlib.loops.coordinates import actuation, inverse_dynamics
from rbdlib.methods.equivalence import best_match, simplify, with_inertias
from rbdlib.methods.floating_base import to_floating_base
from rbdlib.methods.screws import screw_of_motion
from rbdlib.motion.simulate import simulate
from rbdlib.texts.mrn.task_space import euler_integrate, state_rate, task_bias, task_inertia
from tests.sources import helpers
from tests.sources.ch05_systems import JOINT_SETS, Moving
from tests.sources.ch06_systems import mass_matrix
from tests.sources.ch07_systems import articulated_by_projection, forced
from tests.sources.ch08_systems import four_bar
from tests.sources.helpers import close, derivative, far, random_rotation, random_tree, slope
from tests.sources.joints import joint_pose, joint_velocity
from tests.sources.test_mrn import Arm
from tests.sources.test_rbda_appendix_a_arithmetic import articulated, cost, dense, star, transform
from tests.sources.test_rbda_ch08_coordinates import Figure83, compliant, reach
from tests.sources.test_rbda_ch10 import TAU_A, ZIGZAG, planar_mass_matrix

# RBDA 2, and FDSV

@pytest.mark.source("RBDA-S2.5-2")
def test_a_free_vector_passes_the_printed_line_vector_test():
    rng = np.random.default_rng(252)
    translation = np.concatenate([np.zeros(3), rng.normal(size=3)])
    s, s_O = translation[:3], translation[3:]
    assert s @ s_O == 0
    assert np.linalg.matrix_rank(-spatial.skew(s)) < np.linalg.matrix_rank(np.column_stack([-spatial.skew(s), s_O])), \
        "OP × s = s_O would have a solution P, so the printed line would exist"
    assert screw_of_motion(translation).kind == "free"

    s = rng.normal(size=3)
    s_O = np.cross(s, rng.normal(size=3))
    P = np.cross(s, s_O) / (s @ s)
    close(np.cross(P, s), s_O)
    for t in rng.normal(size=3):
        close(spatial.point_velocity(np.concatenate([s, s_O]), P + t * s), np.zeros(3))
    close(spatial.line_motion(s, P), np.concatenate([s, s_O]))


@pytest.mark.source("RBDA-S2.5-5")
def test_plucker_basis_depends_on_orientation_and_not_on_velocity():
    rng = np.random.default_rng(255)
    E, other_E, r = random_rotation(rng), random_rotation(rng), rng.normal(size=3)
    v, other_v = rng.normal(size=(2, 6))

    def basis(t, E, v):
        """Columns d_i, in base coordinates, of a frame that moves with velocity v and has the pose (E, r) at t = 1."""
        return spatial.inverse_transform(spatial.plucker(E, r) @ spatial.motion_exp(-v) @ spatial.motion_exp(t * v))

    for orientation, moving in ((E, v), (E, other_v), (other_E, v)):
        rate = slope(lambda t, orientation=orientation, moving=moving: basis(t, orientation, moving), 1.0)
        close(rate, spatial.crm(moving) @ basis(1, orientation, v), 1e-9)
    close(basis(1, E, v), basis(1, E, other_v))
    close(spatial.X_to_Er(spatial.inverse_transform(basis(1, other_E, v)))[1], r)
    assert np.abs(basis(1, E, v) - basis(1, other_E, v)).max() > 0.1


@pytest.mark.source("RBDA-T2.1")
def test_row_4_of_table_2_1_needs_a_proper_rotation():
    rng = np.random.default_rng(214)
    a, proper = rng.normal(size=3), random_rotation(rng)
    close(spatial.skew(proper @ a), proper @ spatial.skew(a) @ proper.T)
    for improper in (-proper, proper @ np.diag([1, 1, -1])):
        close(improper @ improper.T, np.eye(3))
        assert np.abs(spatial.skew(improper @ a) - improper @ spatial.skew(a) @ improper.T).max() > 0.1
        close(spatial.skew(improper @ a), -improper @ spatial.skew(a) @ improper.T)


@pytest.mark.source("FDSV-29")
def test_plain_transpose_of_eq_29_loses_newtons_second_law():
    """FDSV 3.1: a mass m on two massless carriages that slide along x and y, with y up."""
    m, g, (q, qd, qdd) = 1.7, 9.81, np.random.default_rng(29).normal(size=(3, 2))
    inertia = [np.zeros((6, 6)), spatial.mcI(m, np.zeros(3), np.zeros((3, 3)))]
    model = Model([0, 1], [kinds.Prismatic("x"), kinds.Prismatic("y")], [np.eye(6)] * 2, inertia, gravity=(0, -g, 0))
    motion, newton = newton_euler(model, q, qd, qdd), [m * qdd[0], m * (qdd[1] + g)]
    for i, expected in zip((1, 2), newton, strict=True):
        s, f = motion.S[i][:, 0], np.roll(motion.f[i], 3)
        close(f[:3], [*newton, 0])
        close(np.roll(s, 3) @ f, expected)                      # of the spatial transpose
        assert abs(s @ f - expected) > 0.1


@pytest.mark.source("FDSV-SA-1")
def test_f_i_is_transmitted_through_the_joint_and_is_not_the_sum_of_forces():
    rng = np.random.default_rng(2)
    model = random_tree(rng, 4, range(4)).model(gravity=np.zeros(3))
    q, qd, qdd = rng.normal(size=(3, 4))

    def momenta(t):
        state = newton_euler(model, q + t * qd + t**2 / 2 * qdd, qd + t * qdd, qdd)
        return np.array([state.X_0[i].T @ model.inertia[i] @ state.v[i] for i in model.bodies])

    sum_of_forces, motion = slope(momenta), newton_euler(model, q, qd, qdd)
    f = np.array([motion.X_0[i].T @ motion.f[i] for i in model.bodies])
    close(f[:3] - f[1:], sum_of_forces[:3], 1e-7)
    close(f[3], sum_of_forces[3], 1e-7)
    assert (np.abs(f[:3] - sum_of_forces[:3]).max(axis=1) > 1).all()


# RBDA 3

def pendulum():
    """A mass that swings on a rod: H, C, tau, G, g; qdd, tau_c, ydd from the weight's torque and the rod's tension."""
    m, l, weight, angle, rate = 1.7, 0.8, 16.7, 0.9, -1.4
    along, across = np.array([np.sin(angle), -np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
    ydd = -weight * np.sin(angle) / (m * l)
    tension = weight * np.cos(angle) + m * l * rate**2
    return (m * np.eye(2), np.array([0, weight]), np.zeros(2), l * across[:, None], -l * rate**2 * along,
            l * (ydd * across - rate**2 * along), -tension * along, np.array([ydd]))


@pytest.mark.source("RBDA-S3.2-4")
def test_first_elimination_step_needs_a_minus_before_the_inverse_inertia():
    H, C, tau, G, g, qdd, tau_c, ydd = pendulum()
    M = np.block([[H, -np.eye(2), np.zeros((2, 1))], [-np.eye(2), np.zeros((2, 2)), G], [np.zeros((1, 2)), G.T, 0]])
    right = np.concatenate([tau - C, -g, [0]])
    unknowns = np.concatenate([qdd, tau_c, ydd])
    close(M @ unknowns, right)

    H_inverse = np.linalg.inv(H)
    M[2:4] += H_inverse @ M[:2]
    right[2:4] += H_inverse @ right[:2]
    printed, corrected = (np.hstack([np.zeros((2, 2)), sign * H_inverse, G]) for sign in (1, -1))
    close(M[2:4], corrected)
    far(M[2:4], printed)
    close(right[2:4], H_inverse @ (tau - C) - g)
    close(corrected @ unknowns, right[2:4])
    far(printed @ unknowns, right[2:4])


@pytest.mark.source("RBDA-3.19", "RBDA-S3.2-5")
def test_the_reduced_system_has_minus_the_constraint_force_among_its_unknowns():
    """Also after the second step of the elimination."""
    H, C, tau, G, g, _, tau_c, ydd = pendulum()
    first = np.linalg.solve(H, tau - C) - g
    for rows, second in (([G.T, np.zeros((1, 1))], [0]), ([np.zeros((1, 2)), -G.T @ H @ G], -G.T @ (tau - C - H @ g))):
        M, right = np.block([[np.linalg.inv(H), G], rows]), np.concatenate([first, second])
        close(M @ [*-tau_c, *ydd], right)
        far(M @ [*tau_c, *ydd], right)
        close(np.linalg.solve(M, right)[2:], ydd)


@pytest.mark.source("RBDA-3.41")
def test_c_J_is_the_rate_of_the_joint_velocity_less_the_part_of_qdd():
    rng = np.random.default_rng(341)
    waves, shifts = rng.normal(size=(3, 6, 3)), rng.normal(size=(6, 3))
    start, rate, second = rng.normal(size=(3, 2))

    def q(t):
        return start + t * rate + t * t / 2 * second

    def both(q, t):
        return np.sin(waves[0] * q[0] + waves[1] * q[1] + waves[2] * t + shifts)

    def v_J(t):
        value = both(q(t), t)
        return value[:, :2] @ (rate + t * second) + value[:, 2]

    in_time, *by_position = (derivative(lambda x, e=e: both(start + x * e[:2], x * e[2])) for e in np.eye(3)[[2, 0, 1]])
    ring = in_time + by_position[0] * rate[0] + by_position[1] * rate[1]
    c_J = ring[:, :2] @ rate + ring[:, 2]
    far(c_J, derivative(v_J))
    close(c_J, derivative(v_J) - both(start, 0)[:, :2] @ second)

    v_s, m = rng.normal(size=6), v_J(0)
    far(c_J, derivative(v_J) + [*np.cross(v_s[:3], m[:3]), *(np.cross(v_s[3:], m[:3]) + np.cross(v_s[:3], m[3:]))])


# RBDA 4

PLANAR_S = np.eye(6)[:, 2:5]


@pytest.mark.source("RBDA-T4.1e")
def test_the_planar_joints_constant_S_does_not_belong_to_the_derivatives_of_its_variables(rng):
    joint, (q, alpha) = kinds.Planar("F_s"), rng.normal(size=(2, 3))
    far(joint_velocity(joint, q, alpha), PLANAR_S @ alpha)
    corrected = np.array([[1, 0, 0], [q[2], 1, 0], [-q[1], 0, 1]]) @ alpha
    close(joint_velocity(joint, q, corrected), PLANAR_S @ alpha, 1e-9)
    close(joint.qdot(q, alpha), corrected)

    S_for_rates = np.array([[0, 0, 1, -q[2], q[1], 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0]]).T
    close(joint_velocity(joint, q, alpha), S_for_rates @ alpha, 1e-9)


@pytest.mark.source("RBDA-T4.1e")
def test_the_printed_planar_joint_bends_the_path_of_a_free_body():
    class Printed(kinds.Planar):
        """Table 4.1 with alpha = q', as the algorithm listings take it."""

        def qdot(self, q, qd):
            return qd

        def integrate(self, q, qd, dt):
            return q + dt * qd

    bends = []
    for joint in (Printed("F_s"), kinds.Planar("F_s")):
        body = Model([0], [joint], [np.eye(6)], [mcI(2.0, [0, 0, 0], np.diag([1, 1, 1.5]))], gravity=(0, 0, 0))
        path = simulate(body, [0.1, 0.5, -0.2], [1.2, 0.4, 0.3], np.linspace(0, 2, 5))
        bends.append(np.abs(np.diff([joint_pose(kinds.Planar("F_s"), q)[1] for q in path.q], 2, axis=0)).max())
    assert bends[0] > 0.1 and bends[1] < 1e-7


@pytest.mark.source("RBDA-T4.1g")
def test_the_6_dof_joints_constant_S_does_not_belong_to_the_derivatives_of_its_translations(rng):
    joint = kinds.FreeMotion("F_s")
    q, alpha = joint.random_position(rng), rng.normal(size=6)
    omega, v = alpha[:3], alpha[3:]
    p_rate = kinds.Spherical().qdot(q[:4], omega)
    close(joint_velocity(joint, q, np.array([*p_rate, *v]))[:3], omega, 1e-9)
    error = joint_velocity(joint, q, np.array([*p_rate, *v]))[3:] - v
    close(error, np.cross(omega, q[4:]), 1e-8)
    far(error, np.zeros(3))
    corrected = np.array([*p_rate, *(v - np.cross(omega, q[4:]))])
    close(joint_velocity(joint, q, corrected), alpha, 1e-9)
    close(joint.qdot(q, alpha), corrected)


@pytest.mark.source("RBDA-X4.5")
def test_the_printed_rates_of_example_4_5_contradict_the_constant_S(rng):
    t = sp.Symbol("t")
    q1, q2, q3 = (sp.Function(f"q{i}")(t) for i in (1, 2, 3))
    c, s = sp.cos(q1), sp.sin(q1)
    in_p = sp.Matrix([[1, 0, 0], [0, c, -s], [0, s, c]]) * sp.Matrix([q1, q2, q3])
    rates = [x.diff(t) for x in (q1, q2, q3)]
    printed = sp.Matrix([[1, 0, 0], [-in_p[2], c, -s], [in_p[1], s, c]]) * sp.Matrix(rates)
    same = helpers.identical(np.array(in_p.diff(t)).ravel(), np.array(printed).ravel())
    assert same, "it is the derivative of the relation"

    joint, (q, alpha) = kinds.Planar("F_p"), rng.normal(size=(2, 3))
    c, s = np.cos(q[0]), np.sin(q[0])
    printed = np.array([[1, 0, 0], [-q[2], c, -s], [q[1], s, c]]) @ alpha
    corrected = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ alpha
    far(joint_velocity(joint, q, printed), PLANAR_S @ alpha)
    close(joint_velocity(joint, q, corrected), PLANAR_S @ alpha, 1e-9)
    close(joint.qdot(q, alpha), corrected)


@pytest.mark.source("RBDA-T4.2")
def test_the_constraint_forces_of_a_reversed_joint_transform_as_forces(rng):
    joint = kinds.RackAndPinion(0.3)
    q = np.array([rng.uniform(0.3, 1)])
    S, T, X = joint.motion_subspace(q), joint.constraint_subspace(q), joint.transform(q)
    pXs = np.linalg.inv(X)
    S_back = -pXs @ S
    far((-pXs @ T).T @ S_back, np.zeros((5, 1)))
    assert_allclose((-np.linalg.inv(pXs).T @ T).T @ S_back, np.zeros((5, 1)), atol=1e-14)
    close(kinds.Reversed(joint).constraint_subspace(q), -X.T @ T)


@pytest.mark.source("RBDA-S4.5-5")
def test_euler_parameters_that_are_too_long_do_not_scale_equation_4_12(rng):
    u, theta = helpers.random_unit(rng), rng.uniform(0.5, 2.5)
    unit, scale = np.array([np.cos(theta / 2), *(np.sin(theta / 2) * u)]), 1.1
    E, p = helpers.turn(u, theta).T, scale * unit

    def symmetric(p):
        return 2 * np.outer(p[1:], p[1:]) - 2 * p[0] * helpers.cross_matrix(p[1:])

    printed = symmetric(p) + (2 * p[0] ** 2 - 1) * np.eye(3)
    homogeneous = symmetric(p) + (p[0] ** 2 - p[1:] @ p[1:]) * np.eye(3)
    close(symmetric(unit) + (2 * unit[0] ** 2 - 1) * np.eye(3), E)
    assert np.ptp(np.diag(printed @ printed.T)) > 1e-3, "the three axes are stretched by different factors"
    close(printed, scale**2 * E + (scale**2 - 1) * np.eye(3))
    close(homogeneous, scale**2 * E)
    close(homogeneous @ homogeneous.T, scale**4 * np.eye(3))


# RBDA 6 to 10

@pytest.mark.source("RBDA-S6.1-4")
def test_columns_of_H_take_positions_where_the_text_prints_velocities():
    rng = np.random.default_rng(1)
    tree = random_tree(rng, 5)
    q, qd = rng.normal(size=(2, 5))
    printed, corrected = (np.column_stack([differential_inverse_dynamics(tree.model(), x, delta_alpha)
                                           for delta_alpha in np.eye(5)]) for x in (qd, q))
    far(printed, tree.mass_matrix(q))
    close(corrected, tree.mass_matrix(q), 1e-11)


def printed_expansion(parent, freedoms):
    """The three loops of Table 6.4."""
    n, expanded, map, parent = sum(freedoms), {}, [0], [None, *parent]
    for i in range(1, n + 1):
        expanded[i] = i - 1
    for i, n_i in enumerate(freedoms, start=1):
        map.append(map[i - 1] + n_i)
    for i in range(1, len(freedoms) + 1):
        expanded[map[i - 1] + 1] = map[parent[i]]
    return list(expanded.values())


@pytest.mark.source("RBDA-A6.4")
def test_the_printed_expansion_fails_where_a_joint_has_no_freedom():
    """Bodies 1 and 2 hang on the base; body 3 is screwed to body 1 and carries body 4, which joint 1 moves, not 2."""
    parent, freedoms, rng = [0, 0, 1, 3], [1, 1, 0, 1], np.random.default_rng(1)
    assert printed_expansion([0, 1, 1, 2, 2, 3], [1, 3, 1, 1, 1, 1]) == [0, 1, 2, 3, 1, 4, 4, 5]
    assert (printed_expansion([0, 1], [1, 0]), expand_parent([0, 1], [1, 0])[0]) == ([0, 1], [0]), "a last joint"
    printed, corrected = printed_expansion(parent, freedoms), expand_parent(parent, freedoms)[0]
    assert (printed, corrected) == ([0, 0, 2], [0, 0, 1])

    tree = random_tree(rng, 4, parent)
    still = dataclasses.replace(tree, kinds=["revolute", "revolute", "prismatic", "revolute"])
    model = still.model(joints=[*map(kinds.Revolute, tree.axes[:2]), kinds.Fixed(), kinds.Revolute(tree.axes[3])])
    assert expanded_parent(model) == corrected
    q, moving = rng.normal(size=3), [0, 1, 3]
    H, b = still.mass_matrix(np.insert(q, 2, 0.0))[np.ix_(moving, moving)], rng.normal(size=3)
    close(crba(model, q), H, 1e-11)
    assert abs(H[2, 1]) < 1e-12 < 1e-3 < abs(H[2, 0])
    close(solve(H, b, corrected), np.linalg.solve(H, b), 1e-9)
    far(H @ solve(H, b, printed), b)


#: The right-hand side of Eq. 7.29 in Python's notation, with the parentheses that are printed. 7.30 and 7.41 end alike.
PRINTED = "inverse(S.T @ I_A @ S) @ (tau - S.T @ I_A @ (a_0 + c) - S.T @ p_A))"
#: The same without the last of them; and with one more to match it, in the only place where the terms in it agree.
CORRECTED = "inverse(S.T @ I_A @ S) @ (tau - S.T @ I_A @ (a_0 + c) - S.T @ p_A)"
OTHER = "inverse(S.T @ I_A @ S) @ (tau - (S.T @ I_A @ (a_0 + c) - S.T @ p_A))"


@pytest.mark.source("RBDA-7.29")
@pytest.mark.parametrize("name", list(JOINT_SETS))
def test_the_acceleration_of_the_first_joint_has_one_parenthesis_too_many(name):
    """The printed formula cannot be read; of the two readings, the one that drops the last is right."""
    moving = forced(name)
    (I_A, p_A), at = articulated_by_projection(moving, 1), moving.model.v_slice(1)
    terms = {"inverse": np.linalg.inv, "S": moving.way(1), "I_A": I_A, "p_A": p_A, "tau": moving.joint_forces()[at],
             "a_0": -moving.gravity, "c": moving.bias_of_joint(1)}

    with pytest.raises(SyntaxError, match="unmatched"):
        compile(PRINTED, "printed", "eval")
    close(eval(CORRECTED, terms), moving.qdd[at], 1e-8)
    far(eval(OTHER, terms), moving.qdd[at])


@pytest.mark.source("RBDA-S9.3-8")
def test_the_dense_matrix_is_smaller_than_the_whole_equation_and_not_than_h():
    """Stars of hinged arms on a floating base: H_fl has the size of H, and outgrows the larger matrix of Eq. 9.13."""
    for n in (5, 14, 15, 24):
        rng = np.random.default_rng(n)
        places = [plucker(R.T, p) for R, p in (helpers.random_pose(rng) for _ in range(n))]
        bodies = [mcI(*helpers.random_mass_properties(rng)) for _ in range(n + 1)]
        joints = [kinds.FreeMotion(), *[kinds.Revolute("z")] * n]
        system = to_floating_base(Model([0, *[1] * n], joints, [np.eye(6), *places], bodies))
        q, qd, v_0 = rng.normal(size=n), rng.normal(size=n), rng.normal(size=6)
        H, _, _ = floating_crba(system, q)
        H_fl, _ = floating_joint_space(system, q, qd, v_0, (0, 0, 0))
        matrix, _ = floating_equation(system, q, qd, v_0, (0, 0, 0))
        nonzeros, large, all_of_H = (int((np.abs(A) > 1e-12).sum()) for A in (H_fl, matrix, H))
        assert nonzeros > all_of_H
        assert not H_fl.size < H.size                                       # as printed: despite being smaller than H
        assert H_fl.size < matrix.size                                      # as corrected
        assert (nonzeros > large) == (n >= 15)


JOINTS = [kinds.Revolute(), kinds.Prismatic("x"), kinds.Spherical(), *map(kinds.Revolute, "xy"), kinds.Prismatic("y")]


def simplified(model, transformed):
    """The book's loop, with I_delta added to the parent as printed or transformed to the parent's coordinates."""
    I, parent = list(model.inertia), model.parent
    for i in range(model.N_B, 0, -1):
        I_delta = best_match(model.joints[i], I[i])
        I[i] = I[i] - I_delta
        if parent[i] != 0:
            X = model.X_tree[i] if transformed else np.eye(6)
            I[parent[i]] = I[parent[i]] + X.T @ I_delta @ X
    return with_inertias(model, I[1:])


@pytest.mark.source("RBDA-A9.u6")
def test_the_moved_inertia_must_be_transformed_to_the_parent():
    """The forces and the mass matrix of geometry; without the transform they would hold where X_T = 1 only."""
    tree = Moving(np.random.default_rng([1, 976]), JOINTS, [0, 1, 1, 2, 3, 4])
    tau, H, args = tree.joint_forces(), mass_matrix(tree), (tree.q, tree.qd, tree.qdd, tree.f_ext)
    printed, corrected = (simplified(tree.model, transformed) for transformed in (False, True))
    far(rnea(printed, *args), tau)
    far(crba(printed, tree.q), H)
    for model in (corrected, simplify(tree.model)):
        close(rnea(model, *args), tau, 1e-6)
        close(crba(model, tree.q), H, 1e-8)
    in_place = tree.model.replace(X_tree=[np.eye(6)] * tree.model.N_B)
    close(crba(simplified(in_place, False), tree.q), crba(in_place, tree.q), 1e-10)


@pytest.mark.source("RBDA-S10.2-3")
def test_the_first_acceleration_of_the_robot_with_rounded_forces_is_0_6592():
    """H is that of the levers of the links; its condition number, 725, leaves 12 digits of its solution right."""
    corrected = [0.6592, 1.3654, 1.3808, 0.5894, 0.9057, 1.0705]
    printed, H = [0.6952, *corrected[1:]], planar_mass_matrix(range(6), ZIGZAG)
    qdd, model = np.linalg.solve(H, TAU_A), load("zigzag_chain")
    assert np.abs(crba(model, ZIGZAG) - H).max() < 1e-13
    assert np.abs(aba(model, ZIGZAG, np.zeros(6), TAU_A) - qdd).max() < 1e-12

    assert np.abs(qdd - corrected).max() < 5e-5                         # all six agree as printed, but for the first
    assert abs(qdd[0] - printed[0]) > 0.03
    # and the forces tell: to three figures, as good as the accelerations are known, only the corrected ones fit
    assert np.abs(H @ corrected - TAU_A).max() < 5e-3
    assert np.abs(H @ printed - TAU_A).max() > 1


@pytest.mark.source("RBDA-8.22")
def test_the_k_stab_of_table_8_4_is_minus_that_of_equation_8_22():
    """An opened four-bar, released at rest: Eq. 8.21 with the k_stab of the table drives it further apart. The error e
    of the loop obeys T^T (a_s - a_p + ...) = K qdd - k, so that at rest its acceleration is K qdd - k."""
    system, T_stab = four_bar(np.random.default_rng(3)), 0.1
    q = system.q + np.array([1e-3, 0, 0])
    K, k, delta = loop_constraints(system.model, q, np.zeros(3))
    equation_8_22 = -delta / T_stab**2
    table_8_4 = delta / T_stab**2                       # 2 alpha T^T (v_s - v_p) + beta^2 delta, as printed there

    def opening(k_stab, dt=2e-3):
        """The change of the error in a short time in which the loop moves as Eq. 8.21 says."""
        qdd = np.linalg.lstsq(K, k + k_stab, rcond=1e-6)[0]
        return loop_constraints(system.model, q + dt * dt / 2 * qdd, dt * qdd)[2] - delta

    assert np.abs(delta).max() > 5e-4
    close(opening(equation_8_22) / 2e-6, equation_8_22, 1e-2)
    assert opening(equation_8_22) @ delta < 0 < opening(table_8_4) @ delta
    far(table_8_4, equation_8_22)
    close(loop_constraints(system.model, q, np.zeros(3), T_stab)[1], k + equation_8_22)      # what it subtracts


@pytest.mark.source("RBDA-X8.1")
def test_the_transform_of_a_cylindrical_joint_has_sines_and_cosines_in_its_lower_block():
    """The moment of a force, and the velocity at another point, by geometry: F_s turned by 0.7 and moved by 0.6. The
    position error that follows, of F_s displaced by d, is the printed one."""
    theta, z, zero = 0.7, 0.6, np.zeros((3, 3))
    c, s, r = np.cos(theta), np.sin(theta), np.array([0, 0, z])
    upper = E = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    printed = np.array([[0, z, 0], [-z, 0, 0], [0, 0, 0]])
    corrected = np.array([[-z * s, z * c, 0], [-z * c, -z * s, 0], [0, 0, 0]])
    X_printed, X_J = (np.block([[upper, zero], [lower, upper]]) for lower in (printed, corrected))
    at_F_s = np.column_stack([np.concatenate([E @ v[:3], E @ (v[3:] + np.cross(v[:3], r))]) for v in np.eye(6)])
    close(X_J, at_F_s)
    far(X_printed, at_F_s)
    far(upper.T @ printed + printed.T @ upper, zero)            # no transform between any two frames
    close(upper.T @ corrected + corrected.T @ upper, zero)
    d1, d2, d4, d5 = d = 1e-5 * np.array([1, -2, 3, 1.5])
    X = (np.eye(6) - crm(np.array([d1, d2, 0, d4, d5, 0]))) @ X_J
    close([X[1, 2], -X[0, 2], X[4, 2], -X[3, 2]], d, 1e-15)
    close(loop_jcalc(kinds.Cylindrical(), X).delta, d, 1e-15)


@pytest.mark.source("RBDA-X8.2")
def test_an_actuator_at_joint_2_or_3_does_not_do_at_a_dead_centre():
    """Beside joint 4, joint 1 always does; joint 2 fails where cos y1 = l2/l1, joint 3 where sin y1 = 0."""
    figure = Figure83(np.random.default_rng(82))
    model, yd, ydd = figure.model(), np.array([0.7, -0.4]), np.array([1.0, 2.0])
    dead = {1: [np.arccos(figure.l2 / figure.l1), -np.arccos(figure.l2 / figure.l1)], 2: [0.0, np.pi], 0: []}
    for joint, angles in dead.items():
        for y_1 in (0.0, np.pi, *dead[1], 0.9, -2.0):
            y = np.array([y_1, 0.5])
            q, qd, qdd = compliant(figure, y, yd, ydd)
            printed, corrected = 2, 1 if y_1 in angles else 2
            G_u = figure.way(y)[0][[joint, 3]]
            assert np.linalg.matrix_rank(G_u, 1e-9) == reach(model, q, qd, [joint, 3]) == corrected
            assert actuation(model, q, [joint, 3]).rank == corrected
            if corrected != printed:
                with pytest.raises(ValueError, match="cannot give these accelerations"):
                    inverse_dynamics(model, q, qd, qdd, [joint, 3])


@pytest.mark.source("RBDA-8.64")
def test_the_bias_force_of_the_sparse_equation_has_the_cross_product_of_forces():
    """The scan has v × I v for v ×* I v: with it f = I a + v × I v would not be the rate of change of momentum."""
    rng = np.random.default_rng(864)
    (masses, positions), pose = helpers.random_cluster(rng), helpers.smooth_motion(rng)

    def inertia(t):
        R, p = pose(t)
        return helpers.cluster_inertia(masses, positions @ R.T + p)

    I, v, a = inertia(0), helpers.velocity(pose), slope(lambda t: helpers.velocity(pose, t))
    force = slope(lambda t: inertia(t) @ helpers.velocity(pose, t))
    close(I @ a + crf(v) @ I @ v, force, 1e-8)
    far(I @ a + crm(v) @ I @ v, force)


# RBDA Table A.4: the costs of the last two operations, counted on their parts and on the whole

PRINTED_COST, CORRECTED_COST = (137, 137), (135, 139)


@pytest.mark.parametrize("operation", [
    pytest.param("articulated", marks=pytest.mark.source("RBDA-TA.4-23")),
    pytest.param("articulated_back", marks=pytest.mark.source("RBDA-TA.4-24"))])
def test_the_stated_parts_do_not_add_up_to_the_printed_cost(operation):
    """The parts that A.3 and A.5 state: 28m + 29a twice, 15m + 9a, 40m + 39a, and sums and products with r."""
    rng = np.random.default_rng(23)
    X, I, E, r, A = transform(rng), articulated(rng), random_rotation(rng), rng.normal(size=3), rng.normal(size=(3, 3))
    parts = [
        cost(rotate_symmetric, E, lt(A)), cost(cross_symmetric, r, lt(A)), cost(lambda A, B: A - B, A, A.T),
        cost(rotate_general, E, A),
        cost(lambda r, A, B, I: I - lt_cross_matrix(r, A) + lt_matrix_cross(B, r), r, A, A.T, lt(A)),
        cost(rotate_symmetric, E, lt(A))]
    assert parts == [(28, 29), (15, 9), (0, 9), (40, 39), (24, 24), (28, 29)]
    assert tuple(map(sum, zip(*parts, strict=True))) == CORRECTED_COST != PRINTED_COST

    function, B = getattr(plx, operation), dense(X)
    expected = star(B) @ dense(I) @ star(B).T if operation == "articulated" else B.T @ dense(I) @ B
    close(dense(function(X, I)), expected)
    close(dense(function(X, I, trace=False)), expected)
    assert cost(function, X, I) == CORRECTED_COST
    assert cost(lambda X, I: function(X, I, trace=False), X, I) == PRINTED_COST   # with 42m + 37a in place of 40m + 39a
    assert sum(CORRECTED_COST) == sum(PRINTED_COST) == 274


@pytest.mark.source("RBDA-TA.4-24")
def test_the_rotated_block_is_that_of_h():
    """With EᵀM E in place of EᵀH E, as the scanned text has it, nothing fits."""
    rng = np.random.default_rng(24)
    X, I = transform(rng), articulated(rng)
    E, r, expected = X.E, X.r, dense(X).T @ dense(I) @ dense(X)
    M = E.T @ I.M @ E
    for H, right in ((E.T @ I.H @ E, True), (M, False)):
        block = H + np.cross(r, M, axisb=0, axisc=0)
        assert np.allclose(block, expected[:3, 3:], rtol=0, atol=1e-11) == right


# The notes on open chains; the arm, its motion and its Lagrange equations are those of `tests.sources.test_mrn`

@pytest.fixture(scope="module")
def arm():
    return Arm(np.random.default_rng(81))


@pytest.mark.source("MRN-S1-2")
def test_the_calls_for_the_mass_matrix_are_no_alternative_to_the_call_for_the_bias(arm):
    """What the n calls return knows nothing of thd and g, on which h depends; accelerations need both."""
    weightless, rest = arm.tree.model(gravity=np.zeros(3)), np.zeros(6)
    M, heavy, moving = (np.column_stack([rnea(model, arm.q, qd, e_i) for e_i in np.eye(6)]) for model, qd in (
        (weightless, rest), (arm.model, rest), (weightless, arm.qd)))
    close(M, arm.M, 1e-10)
    far(heavy, arm.M)
    far(moving, arm.M)
    h = rnea(arm.model, arm.q, arm.qd, rest)
    far(rnea(arm.model, arm.q, 2 * arm.qd, rest), h)
    expected = arm.accelerations(arm.q, arm.qd, arm.tau)
    far(np.linalg.solve(M, arm.tau), expected)
    close(np.linalg.solve(M, arm.tau - h), expected, 1e-8)


@pytest.mark.source("MRN-3")
def test_the_printed_equation_alone_does_not_determine_the_motion(arm):
    """A motion whose q1 stands still fulfils thdd = ForwardDynamics(q1, q2, ...); with q1' = q2 it does not."""
    def corrected(t, state):
        return np.concatenate(state_rate(arm.model, state[:6], state[6:], arm.tau, arm.F, arm.task("body")))

    def newton(t, state):
        q, qd = state[:6], state[6:]
        return np.concatenate([qd, arm.accelerations(q, qd, arm.tau, arm.J("body", q).T @ arm.F)])

    start = np.concatenate([arm.q, arm.qd])
    false, true, exact = (solve_ivp(rate, (0, 0.02), start, rtol=1e-8, atol=1e-9).y[:, -1] for rate in (
        lambda *given: np.concatenate([np.zeros(6), corrected(*given)[6:]]), corrected, newton))
    far(false[:6], exact[:6])
    close(true, exact, 1e-6)
    assert_array_equal(state_rate(arm.model, arm.q, arm.qd, arm.tau)[0], arm.qd)


@pytest.mark.source("MRN-A2")
def test_the_velocity_among_the_inputs_is_that_at_the_start(arm):
    """The path is q + t qd + t²/2 qdd. From its velocity at another time, the listing misses it."""
    t_f = 0.05
    first, other = (euler_integrate(arm.model, arm.q, thd, lambda t: rnea(
        arm.model, arm.at(t), arm.qd + t * arm.qdd, arm.qdd), None, t_f, 10) for thd in (
            arm.qd, arm.qd + t_f * arm.qdd))
    far(other.q[-1], first.q[-1])
    assert np.abs(first.q[-1] - arm.at(t_f)).max() < np.abs(other.q[-1] - arm.at(t_f)).max() / 2
    assert_array_equal(first.qd[0], arm.qd)


@pytest.mark.source("MRN-13")
@pytest.mark.parametrize("frame", ["body", "space"])
def test_task_space_dynamics_have_a_bias_and_the_wrench_is_that_of_the_torques(arm, frame):
    """F = Lambda V' without a bias, or with F = tau, misses by far; F = J⁻ᵀ tau = Lambda V' + eta holds."""
    tau, J = arm.M @ arm.qdd + arm.h, arm.J(frame)
    F = np.linalg.solve(J.T, tau)
    Lambda, V_dot = task_inertia(arm.model, arm.q, arm.task(frame)), arm.V_dot(frame)
    eta = task_bias(arm.model, arm.q, arm.V(frame), arm.task(frame))
    far(Lambda @ V_dot, F)
    far(Lambda @ V_dot + eta, tau)
    close(Lambda @ V_dot + eta, F, 1e-7)
