"""RBDA 9.6 row by row: gears in a tree, motors that drive through them, and the quick and dirty method. The mass
matrix, the bias and the motions of the two-link arm of Figure 9.2 come from geometry."""

import numpy as np
import pytest
import sympy as sp

from rbdlib import Model, bias_force
from rbdlib.analysis.counting import count_operations
from rbdlib.book.ch02_spatial import mcI, roty, rotz, xlt
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Prismatic, Revolute, Universal
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch09_gears import equation_of_motion
from rbdlib.methods import gears
from rbdlib.methods.geared_trees import Gear, GearedTree
from rbdlib.methods.rotors import aba_with_rotors, by_crba_with_rotors, crba_with_rotors, scaled_rotor_inertia
from rbdlib.numbers.scalars import cos, sin
from tests.sources.ch06_systems import accelerated
from tests.sources.ch07_systems import Forced
from tests.sources.helpers import close, far, field, slope

RHO_1, RHO_2 = 40.0, -25.0
#: G of the example, as printed.
PRINTED_G = np.array([[1, 0], [RHO_1, 0], [0, 1], [0, RHO_2]])


def multipliers(H, K, right, k):
    """qdd of H qdd = right + Kᵀ lam, K qdd = k."""
    K = np.array(K)
    M = np.block([[H, -K.T], [K, np.zeros((len(K), len(K)))]])
    return np.linalg.solve(M, np.concatenate([right, k]))[: len(H)]


class GearedArm:
    """The arm of Figure 9.2 with random axes, places and bodies, in a motion that its gears allow."""
    def __init__(self, seed):
        rng = np.random.default_rng([seed, 96])
        joints = [Revolute(tuple(rng.normal(size=3))) for _ in range(4)]
        arm = Forced(rng, joints, [0, 0, 1, 1])
        self.y, self.yd, self.ydd = arm.q[[0, 2]], *(0.1 * rng.normal(size=(2, 2)))
        offsets = arm.q[[1, 3]] - [RHO_1, RHO_2] * self.y
        self.gears = [Gear(2, {1: RHO_1}, offsets[0]), Gear(4, {3: RHO_2}, offsets[1])]
        self.arm = accelerated(arm, PRINTED_G @ self.yd, PRINTED_G @ self.ydd)
        self.arm.bias = self.arm.joint_forces(external=False) - self.arm.H @ self.arm.qdd
        self.geared = GearedTree(arm.model, self.gears)
        self.tau = np.array([0, rng.normal(), 0, rng.normal()])
        self.loads = np.einsum("ijk,ij->k", arm.ways, arm.f_ext)


@pytest.fixture(scope="module")
def system():
    return GearedArm(1)


@pytest.mark.source("RBDA-F9.2")
def test_the_bodies_of_the_arm_are_two_links_and_two_rotors_on_base_and_upper_arm(system):
    """Elements of geometry's mass matrix are zero just between joints of which neither moves the other's body."""
    model, H, zero = system.arm.model, system.arm.H, ([0, 1, 1, 2], [1, 2, 3, 3])
    assert model.parent[1:] == (0, 0, 1, 1)
    close(H[zero], np.zeros(4))
    assert np.all(crba(model, system.arm.q)[zero] == 0)
    assert np.abs(H[[0, 0], [2, 3]]).min() > 1e-6


@pytest.mark.source("RBDA-S9.6-1", "RBDA-S9.6-2")
@pytest.mark.parametrize("radii", [(0.3, 0.02), (0.1, 0.25)])
def test_wheels_roll_on_each_other_when_their_angles_keep_the_gear_ratio(radii):
    """Two meshing wheels on one body turn oppositely, and their teeth have the same velocity where they touch."""
    (large, small), y, yd = radii, np.array([0.4, -1.3]), np.array([0.8, 2.0])
    places, rho_1 = [[0, 0, 0], [large + small, 0, 0], [0.7, 0, 0], [0.7, 0.1, 0]], -large / small
    model = Model([0, 0, 1, 1], [Revolute("z")] * 4, [xlt(p) for p in places], [mcI(1, [0.1, 0, 0], np.eye(3))] * 4)
    geared = GearedTree(model, [Gear(2, {1: rho_1}), Gear(4, {3: RHO_2})])
    close(geared.gamma(y), [y[0], rho_1 * y[0], y[1], RHO_2 * y[1]])
    qd = slope(lambda t: geared.gamma(y + t * yd))
    first, second = (field(np.array([0, 0, w, *np.cross(place, [0, 0, w])]), np.array([[large, 0, 0]]))
                     for w, place in zip(qd[:2], places[:2], strict=True))
    close(first, second, 1e-9)
    far(first, 0 * first)


@pytest.mark.source("RBDA-S9.6-3")
def test_G_is_the_slope_of_gamma_and_g_what_a_nonlinear_pair_adds(system):
    geared, y, yd = system.geared, system.y, system.yd
    close(np.column_stack([slope(lambda t, e=e: geared.gamma(y + t * e)) for e in np.eye(2)]), PRINTED_G, 1e-9)
    close(geared.G(y), PRINTED_G)
    close(geared.g(y, yd), np.zeros(4))
    uneven = GearedTree(system.arm.model, [gears.NonlinearGear(2, [1], lambda x: 3 * x + sin(2 * x)), system.gears[1]])
    close(uneven.G(y)[:, 0], [1, 3 + 2 * np.cos(2 * y[0]), 0, 0])
    close(uneven.g(y, yd), [0, -4 * np.sin(2 * y[0]) * yd[0] ** 2, 0, 0])
    far(uneven.g(y, yd), np.zeros(4))
    rate = slope(lambda t: uneven.G(y + t * yd))
    close(uneven.g(y, yd), rate @ yd, 1e-9)


@pytest.mark.source("RBDA-A9.u5", "RBDA-9.26")
def test_gears_embedded_by_gamma_move_as_constraints_make_them_move(system):
    """Both sides: the method of the book, and multipliers on geometry's equation of motion; also the inverse. For a
    nonlinear pair, a cam, k = h''(q_1) qd_1² stands on the right of the constraint, and g in the equation."""
    args, arm = (system.geared, system.y, system.yd), system.arm
    ydd = gears.geared_forward_dynamics(*args, system.tau, arm.f_ext)
    close(PRINTED_G @ ydd, multipliers(arm.H, [[-RHO_1, 1, 0, 0], [0, 0, -RHO_2, 1]],
                                       system.tau + system.loads - arm.bias, [0, 0]), 1e-7)
    H_G, C_G, u = equation_of_motion(*args, system.tau)
    close(H_G, PRINTED_G.T @ arm.H @ PRINTED_G, 1e-8)
    close(C_G, PRINTED_G.T @ arm.bias, 1e-7)
    close(u, PRINTED_G.T @ system.tau)
    close(gears.geared_inverse_dynamics(*args, system.ydd, f_ext=arm.f_ext), PRINTED_G.T @ arm.joint_forces(), 1e-7)
    y, yd, a = system.y, system.yd * [15, 1], 2.0
    b = arm.q[1] - a * y[0] - np.cos(y[0])
    cam = GearedTree(arm.model, [gears.NonlinearGear(2, [1], lambda x: a * x + cos(x) + b), system.gears[1]])
    moved = accelerated(arm, cam.G(y) @ yd, np.zeros(4))
    K, right = [[-(a - np.sin(y[0])), 1, 0, 0], [0, 0, -RHO_2, 1]], system.tau - moved.joint_forces(external=False)
    expected, without = (multipliers(arm.H, K, right, [k, 0])[[0, 2]] for k in (-np.cos(y[0]) * yd[0] ** 2, 0))
    for method in ("explicit", "sparse", "embedded"):
        close(gears.geared_forward_dynamics(cam, y, yd, system.tau, method=method), expected, 1e-7)
    far(without, expected)


@pytest.mark.source("RBDA-S9.6-4")
def test_motor_torques_are_felt_at_the_arm_times_the_gear_ratios(system):
    """Their power is that of the scaled torques; and scaled down, the weight's torques are held by the motors."""
    geared, tau = system.geared, system.tau
    u = geared.G(system.y).T @ tau
    close(u, [RHO_1 * tau[1], RHO_2 * tau[3]])
    assert u @ system.yd == pytest.approx(tau @ system.arm.qd, rel=1e-12)
    rest = np.zeros(2)
    weights = -np.einsum("ijk,ij->k", system.arm.ways, system.arm.weights)
    held = PRINTED_G.T @ weights / [RHO_1, RHO_2]
    far(gears.geared_forward_dynamics(geared, system.y, rest, np.zeros(4)), rest)
    close(gears.geared_forward_dynamics(geared, system.y, rest, np.array([0, held[0], 0, held[1]])), rest, 1e-9)
    close(gears.geared_inverse_dynamics(geared, system.y, rest, rest, actuated=[2, 4]), [0, held[0], 0, held[1]], 1e-9)


@pytest.mark.source("RBDA-9.27", "RBDA-S9.6-5")
def test_the_product_of_G_and_H_is_the_printed_one_and_costs_what_the_book_counts(system):
    """Dense: 44 multiplications and 33 additions; with the zeros and ones of G and the zeros of H: 5 and 3."""
    H11, H13, H14, H22, H33, H44, rho_1, rho_2 = sp.symbols("H11 H13 H14 H22 H33 H44 rho_1 rho_2")
    H = sp.Matrix([[H11, 0, H13, H14], [0, H22, 0, 0], [H13, 0, H33, 0], [H14, 0, 0, H44]])
    G = sp.Matrix([[1, 0], [rho_1, 0], [0, 1], [0, rho_2]])
    printed = sp.Matrix([[H11 + rho_1**2 * H22, H13 + rho_2 * H14], [H13 + rho_2 * H14, H33 + rho_2**2 * H44]])
    assert (G.T * H * G - printed).expand() == sp.zeros(2)

    values = {f"H{i + 1}{j + 1}": system.arm.H[i, j] for i in range(4) for j in range(4)}
    numbers = np.array(printed.subs({**values, "rho_1": RHO_1, "rho_2": RHO_2}), float)

    def dense(G, H):
        HG = H @ G
        return np.array([[G[:, 0] @ HG[:, 0], G[:, 0] @ HG[:, 1]], [0, G[:, 1] @ HG[:, 1]]], dtype=object)

    def sparse(H, ratios):
        geared = GearedTree(system.arm.model, [Gear(2, {1: ratios[0]}), Gear(4, {3: ratios[1]})])
        return gears.congruence(geared, H, np.ones(2))

    H = crba(system.arm.model, system.arm.q)
    full, _ = count_operations(dense, PRINTED_G, H)
    few, product = count_operations(sparse, H, [RHO_1, RHO_2])
    assert (full["m"], full["a"]) == (44, 33) and few == {"m": 5, "a": 3}
    close(product, numbers, 1e-8)
    close(gears.congruence(system.geared, H, system.y), numbers, 1e-8)


J, RATIO, M_ROTOR = 1e-4, 100.0, 0.2
L_1, C_1, C_2, M_1, M_2, I_1, I_2, R_2 = 1.0, 0.4, 0.3, 5.0, 3.0, 0.6, 0.4, 0.1


def planar_arm():
    """Two links in the plane; rotor 1 on the base, rotor 2 on the upper arm at the distance R_2 from the shoulder."""
    rotor = mcI(M_ROTOR, np.zeros(3), J * np.diag([0.5, 0.5, 1]))
    links = [mcI(M_1, [C_1, 0, 0], I_1 * np.diag([0.1, 1, 1])), mcI(M_2, [C_2, 0, 0], I_2 * np.diag([0.1, 1, 1]))]
    model = Model([0, 0, 1, 1], [Revolute("z")] * 4, [xlt([0, 0, 0]), xlt([0, 0.1, 0]), xlt([L_1, 0, 0]),
                  xlt([R_2, 0, 0])], [links[0], rotor, links[1], rotor], (0, -9.81, 0))
    return GearedTree(model, [Gear(2, {1: RATIO}), Gear(4, {3: RATIO})])


def textbook_inertia(elbow, rotor_mass):
    """H of the two links, with the mass of rotor 2 on the upper arm, from the textbook."""
    coupled = M_2 * L_1 * C_2 * np.cos(elbow)
    outer = I_2 + M_2 * C_2**2
    return np.array([[I_1 + M_1 * C_1**2 + rotor_mass * R_2**2 + M_2 * L_1**2 + outer + 2 * coupled, outer + coupled],
                     [outer + coupled, outer]])


@pytest.mark.source("RBDA-X9.5", "RBDA-S9.6-6")
def test_the_quick_method_gets_the_large_inertias_right_and_leaves_small_ones_out():
    """The fictitious motor has more torque, less speed and the same energy and power."""
    geared, y, rest = planar_arm(), np.array([0.3, 1.1]), np.zeros(2)
    exact = equation_of_motion(geared, y, rest, np.zeros(4)).H_G
    links = textbook_inertia(y[1], M_ROTOR)
    # by hand: the energy of rotor 2 is J (qd_1 + RATIO qd_2)² / 2
    close(exact, links + np.diag([RATIO**2 * J, 0]) + J * np.outer([1, RATIO], [1, RATIO]))

    quick = gears.quick_model(geared, "mass")
    H = crba_with_rotors(quick.model, y, quick.I_rot)
    close(H, links + RATIO**2 * J * np.eye(2))
    close(exact - H, J * np.array([[1, RATIO], [RATIO, 0]]), 1e-10)
    assert np.abs(exact - H).max() < 0.02 * np.abs(exact - links).max()
    close(crba(gears.quick_model(geared, "nothing").model, y), textbook_inertia(y[1], 0))

    speed, torque = 0.7, 2.5                                        # of the joint, and of the real motor
    assert scaled_rotor_inertia(RATIO, J) == scaled_rotor_inertia(-RATIO, J) == pytest.approx(1.0)
    assert scaled_rotor_inertia(RATIO, J) * speed**2 == pytest.approx(J * (RATIO * speed) ** 2)
    fictitious, motors = (gears.geared_inverse_dynamics(geared, rest, rest, rest, actuated=motors)
                          for motors in (None, [2, 4]))
    close(fictitious, RATIO * motors[[1, 3]])
    tau = np.array([0, torque, 0, 0])
    quick, exact = (gears.geared_forward_dynamics(geared, rest, rest, tau, method=m) for m in ("quick", "explicit"))
    scaled = np.linalg.solve(textbook_inertia(0.0, M_ROTOR) + np.eye(2) + np.diag([J, 0]),
                             np.array([RATIO * torque, 0]) - fictitious)
    close(quick, scaled, 1e-9)
    assert 0 < np.abs(quick - exact).max() < 0.02 * np.abs(exact).max()


@pytest.mark.source("RBDA-X9.5", "RBDA-S9.6-6", "RBDA-9.28")
def test_scaled_inertias_in_D_give_the_accelerations_of_H_with_them_on_its_diagonal():
    """A branched tree that floats; H and C from geometry, solved by NumPy. At joints of one freedom only."""
    joints = [FreeMotion(), Revolute("y"), Prismatic("x"), Fixed(), Universal("xy"), Revolute((1, 2, 3))]
    tree, I_rot = Forced(np.random.default_rng([1, 97]), joints), {2: 0.7, 3: 0.2, 6: 1.1}
    model, tau, H = tree.model, np.random.default_rng(1).normal(size=tree.model.nv), tree.H.copy()
    for i, I in I_rot.items():
        H[model.v_slice(i), model.v_slice(i)] += I
    expected = np.linalg.solve(H, tau + np.einsum("ijk,ij->k", tree.ways, tree.f_ext) - tree.bias)
    close(crba_with_rotors(model, tree.q, I_rot), H, 1e-8)
    for function in (aba_with_rotors, by_crba_with_rotors):
        close(function(model, tree.q, tree.qd, tau, I_rot, tree.f_ext), expected, 1e-7)
    far(aba_with_rotors(model, tree.q, tree.qd, tau, {}, tree.f_ext), expected)
    for function, rest in ((crba_with_rotors, ()), (aba_with_rotors, (tree.qd, tau))):
        with pytest.raises(ValueError, match="one freedom"):
            function(model, tree.q, *rest, {5: 0.1})


def wrist(ratio):
    """A column that turns about z, a link that nods about y, and on it a tool about x with its motor parallel to it."""
    rotor = mcI(M_ROTOR, np.zeros(3), J * np.diag([1, 0.5, 0.5]))
    links = [mcI(2.0, [0.1, 0, 0.2], np.diag([0.2, 0.3, 0.25])), mcI(1.5, [0.3, 0, 0.1], np.diag([0.05, 0.1, 0.1])),
             mcI(0.5, [0.1, 0.02, 0], np.diag([0.02, 0.03, 0.03]))]
    model = Model([0, 1, 2, 2], [Revolute("z"), Revolute("y"), Revolute("x"), Revolute("x")],
                  [rotz(0.0), xlt([0.2, 0, 0.5]) @ roty(0.0), xlt([0.5, 0, 0]), xlt([0.1, 0.05, 0])], [*links, rotor])
    return GearedTree(model, [Gear(4, {3: ratio})])


@pytest.mark.source("RBDA-Q9.4", "RBDA-X9.5")
def test_the_quick_method_misses_the_gyroscopic_torques_of_the_rotor():
    """By hand: the rotor's energy has the term J RATIO qd_3 w_x, where its link has w_x = -sin(q_2) qd_1."""
    geared = wrist(RATIO)
    y, yd = np.array([0.2, 0.6, -0.4]), np.array([1.5, -2.0, 6.0])
    quick, spin = gears.quick_model(geared), RATIO * J * np.cos(y[1])
    missing = spin * np.array([-yd[1] * yd[2], yd[0] * yd[2], -yd[0] * yd[1]])
    C = equation_of_motion(geared, y, yd, np.zeros(4)).C_G
    close(C - bias_force(quick.model, y, yd), missing, 1e-10)
    assert np.abs(missing).max() > 0.05
    coupled = -RATIO * J * np.sin(y[1])
    H = equation_of_motion(geared, y, yd, np.zeros(4)).H_G
    close(H - crba_with_rotors(quick.model, y, quick.I_rot), [[0, 0, coupled], [0, 0, 0], [coupled, 0, 0]], 1e-10)
