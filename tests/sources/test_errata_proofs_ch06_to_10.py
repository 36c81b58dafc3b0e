"""The errata of RBDA 6 to 10: the printed forms fail and the corrected ones hold (see data/errata.csv)."""

import dataclasses

import numpy as np
import pytest

from rbdlib import Model, aba, load, rnea
from rbdlib.book.ch02_spatial import crf, crm, mcI, plucker
from rbdlib.book.ch04_joints import Cylindrical, Fixed, FreeMotion, Prismatic, Revolute, Spherical
from rbdlib.book.ch06_factorisation import expand_parent, solve
from rbdlib.book.ch06_inertia_matrix import crba, differential_inverse_dynamics, expanded_parent
from rbdlib.book.ch08_closed_loops import loop_constraints
from rbdlib.book.ch08_loop_joints import loop_jcalc
from rbdlib.book.ch09_floating_base import floating_crba, floating_equation, floating_joint_space
from rbdlib.loops.coordinates import actuation, inverse_dynamics
from rbdlib.methods.equivalence import best_match, simplify, with_inertias
from rbdlib.methods.floating_base import to_floating_base
from tests.sources import helpers
from tests.sources.ch05_systems import JOINT_SETS, Moving
from tests.sources.ch06_systems import mass_matrix
from tests.sources.ch07_systems import articulated_by_projection, forced
from tests.sources.ch08_systems import four_bar
from tests.sources.helpers import close, far, random_tree, slope, smooth_motion, velocity
from tests.sources.test_rbda_ch08_coordinates import Figure83, compliant, reach
from tests.sources.test_rbda_ch10 import TAU_A, ZIGZAG, planar_mass_matrix


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
    model = still.model(joints=[*map(Revolute, tree.axes[:2]), Fixed(), Revolute(tree.axes[3])])
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
        joints = [FreeMotion(), *[Revolute("z")] * n]
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


JOINTS = [Revolute("z"), Prismatic("x"), Spherical(), Revolute("x"), Revolute("y"), Prismatic("y")]


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
    close(loop_jcalc(Cylindrical(), X).delta, d, 1e-15)


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
    (masses, positions), pose = helpers.random_cluster(rng), smooth_motion(rng)

    def inertia(t):
        R, p = pose(t)
        return helpers.cluster_inertia(masses, positions @ R.T + p)

    I, v, a = inertia(0), velocity(pose), slope(lambda t: velocity(pose, t))
    force = slope(lambda t: inertia(t) @ velocity(pose, t))
    close(I @ a + crf(v) @ I @ v, force, 1e-8)
    far(I @ a + crm(v) @ I @ v, force)
