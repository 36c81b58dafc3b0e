"""RBDA 9.6 and 9.7 row by row: gears in a tree, motors that drive through them, the quick and dirty method; inertias
that may be moved from body to body, what that saves, and augmented bodies. What is expected comes from geometry. Where
bodies are exchanged for others, also for impossible ones, the motion stays; what changes are momenta and weights,
computed from m, c and I_C, whether or not some body has them."""

import copy

import numpy as np
import pytest
import sympy as sp

from rbdlib import Model, aba, bias_force, rnea
from rbdlib.analysis.counting import count_operations
from rbdlib.book import ch04_joints as kinds
from rbdlib.book.ch02_spatial import mcI, roty, rotz, xlt
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Prismatic, Revolute, Spherical
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch09_gears import equation_of_motion
from rbdlib.dynamics import forward_dynamics
from rbdlib.methods import equivalence as eq, gears, inertia_parameters as ip
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.derivatives import regressor
from rbdlib.methods.geared_trees import Gear, GearedTree
from rbdlib.methods.generators import gu
from rbdlib.methods.rotors import aba_with_rotors, by_crba_with_rotors, crba_with_rotors, scaled_rotor_inertia
from rbdlib.numbers.scalars import cos, sin
from tests.sources import helpers
from tests.sources.ch05_systems import Moving
from tests.sources.ch06_systems import accelerated, body_inertia
from tests.sources.ch07_systems import Forced, near
from tests.sources.helpers import close, cross_matrix, far, motion_coordinates, slope
from tests.sources.joints import joint_pose

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
    first, second = (helpers.field(np.array([0, 0, w, *np.cross(place, [0, 0, w])]), np.array([[large, 0, 0]]))
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
    joints = [FreeMotion(), Revolute("y"), Prismatic("x"), Fixed(), kinds.Universal("xy"), Revolute((1, 2, 3))]
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


SEED = [1, 97]
I, M, MC = 0.7, 1.3, -0.4                                           # I, m and m c_z of Table 9.7
REVOLUTE = np.array([[I, 0, 0, 0, -MC, 0], [0, I, 0, MC, 0, 0], [0, 0, 0, 0, 0, 0],
                     [0, MC, 0, M, 0, 0], [-MC, 0, 0, 0, M, 0], [0, 0, 0, 0, 0, M]])
PRISMATIC = np.zeros((6, 6))
PRISMATIC[:3, :3] = [[0.9, 0.2, -0.3], [0.2, 0.5, 0.1], [-0.3, 0.1, 0.8]]
SPHERICAL = np.diag([0, 0, 0, M, M, M])
TABLE = [(Revolute("z"), REVOLUTE), (Prismatic("z"), PRISMATIC), (Spherical(), SPHERICAL)]
KINDS = [joint for joint, _ in TABLE] + [kinds.Cylindrical(), kinds.Universal("xy"), kinds.Helical(0.3), kinds.Planar()]


def joint_matrix(joint, q):
    """X_J, from the pose of the joint: the coordinates in F_s of the unit motions of F_p."""
    return np.column_stack([motion_coordinates(e, joint_pose(joint, q)) for e in np.eye(6)])


def residuals(X_J, S, I_delta, v_1):
    """The printed conditions: what must be zero."""
    h = I_delta @ v_1
    bias = np.concatenate([np.cross(v_1[:3], h[:3]) + np.cross(v_1[3:], h[3:]), np.cross(v_1[:3], h[3:])])
    return I_delta @ S, X_J.T @ I_delta @ X_J - I_delta, S.T @ bias


def mass_properties_of(I):
    """m, c and I_C of a 6 x 6 inertia, by its definition; m may be negative but not zero."""
    m = I[5, 5]
    c = np.array([I[2, 4], I[0, 5], I[1, 3]]) / m
    return m, c, I[:3, :3] + m * cross_matrix(c) @ cross_matrix(c)


def with_bodies(moving, inertias):
    """The same motion of a `ch05_systems.Moving` with other bodies, {body: 6 x 6 inertia}."""
    other = copy.copy(moving)
    other.mechanism = copy.copy(moving.mechanism)
    other.mechanism.bodies = list(moving.mechanism.bodies)
    for i, I in inertias.items():
        other.mechanism.bodies[i - 1] = mass_properties_of(I)
    other.net = slope(other.momenta, h=3e-3)
    g = other.gravity[3:]
    other.weights = np.array([np.zeros(6), *(np.concatenate([np.cross(p + R @ c, m * g), m * g]) for (R, p), (m, c, _)
                                             in zip(other.poses[1:], other.mechanism.bodies, strict=True))])
    return other


def seen_from_parent(moving, i, I):
    """An inertia in the coordinates of the frame where joint i sits, in those of the parent, by its momenta there."""
    R, p = moving.mechanism.places[i - 1]
    inside = np.block([[R.T, np.zeros((3, 3))], [-R.T @ cross_matrix(p), R.T]])        # the coordinates of motions
    return inside.T @ I @ inside


def moved(moving, i, I_delta):
    """The same motion after I_delta (in the frames of joint i) has moved from body i to its parent."""
    parent = moving.parent[i]
    bodies = {i: body_inertia(moving, i) - I_delta}
    if parent:
        bodies[parent] = body_inertia(moving, parent) + seen_from_parent(moving, i, I_delta)
    return with_bodies(moving, bodies)


class Pair:
    """Two bodies that float and are connected by a joint, in motion; all in the joint's frames F_p and F_s."""
    def __init__(self, rng, joint):
        self.moving = pair = Forced(rng, [FreeMotion(), joint], [0, 1])
        R, p = pair.poses[1]
        R_T, p_T = pair.mechanism.places[1]
        self.joint, self.q = joint, pair.q[7:]
        self.qd, self.qdd = pair.qd[6:], pair.qdd[6:]
        self.F_p, self.F_s = (R @ R_T, p + R @ p_T), pair.poses[2]
        self.v_1, self.a_1 = (motion_coordinates(x[1], self.F_p) for x in (pair.v, pair.a))
        Z_p, Z_s = (np.column_stack([helpers.motion_carried(e, frame) for e in np.eye(6)])
                    for frame in (self.F_p, self.F_s))
        self.f, self.tau = Z_p.T @ (pair.net[1] + pair.net[2]), pair.way(2).T @ pair.net[2]
        self.I_1, self.I_2 = Z_p.T @ pair.M[1] @ Z_p, Z_s.T @ pair.M[2] @ Z_s

    def stays(self, I_delta, tolerance):
        """Assert that the equation of motion stays when I_delta moves to the first body."""
        state = self.joint, self.q, self.qd, self.v_1
        after = eq.two_body_equation(self.I_1 + I_delta, self.I_2 - I_delta, *state)
        for mine, expected in zip(after, eq.two_body_equation(self.I_1, self.I_2, *state), strict=True):
            close(mine, expected, tolerance)


@pytest.mark.source("RBDA-F9.3", "RBDA-9.29", "RBDA-S9.7-2")
@pytest.mark.parametrize("joint", KINDS, ids=str)
def test_two_bodies_move_under_a_force_on_the_first_and_one_at_the_joint(joint, rng):
    """The forces are those that change the momenta of the bodies, by geometry; no gravity and no other forces. The
    second body has the velocity of the first and that of the joint."""
    pair = Pair(rng, joint)
    A, C = eq.two_body_equation(pair.I_1, pair.I_2, joint, pair.q, pair.qd, pair.v_1)
    close(A @ np.concatenate([pair.a_1, pair.qdd]) + C, np.concatenate([pair.f, pair.tau]), 1e-7)
    S = pair.joint.motion_subspace(pair.q)
    close(joint_matrix(joint, pair.q) @ pair.v_1 + S @ pair.qd, motion_coordinates(pair.moving.v[2], pair.F_s), 1e-8)


@pytest.mark.source("RBDA-9.30", "RBDA-T9.7")
@pytest.mark.parametrize(("joint", "I_delta"), TABLE, ids=[str(joint) for joint, _ in TABLE])
def test_the_table_fulfils_the_conditions_and_leaves_the_equation_as_it_is(joint, I_delta, rng):
    pair, v_1 = Pair(rng, joint), rng.normal(size=6)
    X_J, S = joint_matrix(joint, pair.q), joint.motion_subspace(pair.q)
    pair.stays(I_delta, 1e-11)
    for I, fulfilled in ((I_delta, True), (REVOLUTE if I_delta is not REVOLUTE else PRISMATIC, False)):
        expected, found = residuals(X_J, S, I, v_1), eq.conditions(joint, I, pair.q, v_1)
        for residual, mine in zip(expected, found, strict=True):
            close(mine, residual)
        size = max(np.abs(residual).max() for residual in expected)
        assert size < 1e-12 if fulfilled else size > 1e-3


@pytest.mark.source("RBDA-9.30", "RBDA-Q9.3")
@pytest.mark.parametrize(("joint", "dimension"), [
    (Revolute("z"), 3), (Prismatic("z"), 6), (Spherical(), 1),
    (kinds.Helical(0.3), 1), (kinds.Cylindrical(), 1), (kinds.Planar(), 1), (FreeMotion(), 0),
    (Custom(3, lambda q, t: xlt(q), name="cartesian"), 6),
    (Custom(2, lambda q, t: xlt([q[0], q[1], 0]), name="table"), 6)], ids=str)
def test_the_conditions_leave_families_of_these_dimensions(joint, dimension):
    """The null space by singular values of the printed conditions, and what lies in it."""
    rng, rows = np.random.default_rng(9), []
    for _ in range(8):
        q, v_1 = joint.random_position(rng), rng.normal(size=6)
        X_J, S = joint.transform(q), joint.motion_subspace(q)
        parts = [residuals(X_J, S, ip.from_parameters(p), v_1) for p in np.eye(10)]
        rows.append(np.column_stack([np.concatenate([np.ravel(x) for x in part]) for part in parts]))
    conditions_matrix = np.concatenate(rows)
    sizes = np.linalg.svd(conditions_matrix, compute_uv=False)
    assert int((sizes < 1e-10 * sizes[0]).sum()) == dimension == eq.null_space(joint).shape[1]
    near(conditions_matrix @ eq.null_space(joint), np.zeros((len(conditions_matrix), dimension)), 1e-9)
    if dimension == 1 and not isinstance(joint, Spherical):
        close(eq.null_space(joint)[:, 0], [0, 0, 0, 0, 1, 0, 1, 0, 0, 0], 1e-9)


@pytest.mark.source("RBDA-S9.7-3")
def test_the_assumption_fails_for_a_universal_joint_and_a_particle_at_its_centre_still_may_move(rng):
    """range(S) is constant in F_s for all joints of the table; for a universal joint it is so in neither frame."""
    def turns(joint, frame):
        """Whether joining the S of two positions, in coordinates of F_p or F_s, adds dimensions."""
        parts = []
        for q in (joint.random_position(rng), joint.random_position(rng)):
            S = joint.motion_subspace(q)
            parts.append(S if frame == "F_s" else np.linalg.solve(joint_matrix(joint, q), S))
        return np.linalg.matrix_rank(np.hstack(parts), 1e-9) > joint.nv

    assert not any(turns(joint, "F_s") for joint, _ in TABLE)
    universal = kinds.Universal("xy")
    assert turns(universal, "F_s") and turns(universal, "F_p")
    Pair(rng, universal).stays(SPHERICAL, 1e-11)
    chain = Moving(rng, [Revolute("x"), universal, Prismatic("z")], [0, 1, 2])
    close(moved(chain, 2, SPHERICAL).joint_forces(), chain.joint_forces(), 1e-7)


@pytest.mark.source("RBDA-S9.7-4")
def test_the_entries_of_the_table_are_particles_on_the_axis_and_at_the_centre(rng):
    """Momenta of particles give the printed matrices; any I, m, m c_z is reached, with negative masses if need be."""
    (m_1, m_2), (z_1, z_2) = rng.normal(size=(2, 2))
    two = helpers.cluster_inertia(np.array([m_1, m_2]), np.array([[0, 0, z_1], [0, 0, z_2]]))
    expected = eq.table_9_7(Revolute("z")) @ [m_1 + m_2, m_1 * z_1 + m_2 * z_2, m_1 * z_1**2 + m_2 * z_2**2]
    close(two, ip.from_parameters(expected))
    heights = np.array([-1.0, 0.5, 2.0])
    masses = np.linalg.solve(np.array([heights**0, heights, heights**2]), [M, MC, I])
    close(helpers.cluster_inertia(masses, np.outer(heights, [0, 0, 1])), REVOLUTE)
    close(helpers.cluster_inertia(np.array([M]), np.zeros((1, 3))), SPHERICAL)
    pairs, arms = rng.uniform(0.5, 2, 3), np.diag([0.3, 0.7, 0.5])
    balanced, positions = [*pairs, *pairs, -2 * pairs.sum()], np.concatenate([arms, -arms, np.zeros((1, 3))])
    inertia, elsewhere = (helpers.cluster_inertia(np.array(balanced), positions + x) for x in (0, rng.normal(size=3)))
    close(elsewhere, inertia)                               # no mass, no first moment: the same everywhere
    close(inertia[3:], np.zeros((3, 6)))
    assert np.linalg.matrix_rank(eq.table_9_7(Prismatic("x"))) == 6 and np.all(eq.table_9_7(Prismatic("x"))[:4] == 0)


@pytest.mark.source("RBDA-S9.7-1", "RBDA-S9.7-5", "RBDA-S9.7-6", "RBDA-T9.7")
def test_moving_inertia_within_a_pair_leaves_the_forces_of_the_whole_tree_as_they_are(rng):
    """By geometry: all momenta of the pair change, and no joint force does; by our algorithms H, C and qdd stay. So the
    forces, linear in the parameters, do not determine them. Bodies of negative mass or inertia may result."""
    joints = [FreeMotion(), Revolute("x"), kinds.Universal("xy"), Revolute("z"), Prismatic("z"), Spherical()]
    tree = Moving(rng, joints, [0, 1, 1, 2, 3, 3])
    q, qd, qdd, tau = tree.q, tree.qd, tree.qdd, tree.joint_forces()
    Y = regressor(tree.model, q, qd, qdd)
    for i, I_delta in ((4, 0.1 * REVOLUTE), (5, 0.1 * PRISMATIC), (6, 0.1 * SPHERICAL), (5, 50 * PRISMATIC),
                       (6, 30 * SPHERICAL)):
        other = moved(tree, i, I_delta)
        far(other.net[i], tree.net[i])
        close(other.joint_forces(), tau, 1e-6)
        close(other.joint_forces(gravity=False, external=False), tree.joint_forces(gravity=False, external=False), 1e-6)

        model = eq.with_inertias(tree.model, [body_inertia(other, k) for k in tree.bodies])
        close(crba(model, q), crba(tree.model, q), 1e-10)
        close(bias_force(model, q, qd), bias_force(tree.model, q, qd), 1e-10)
        close(rnea(model, q, qd, qdd, tree.f_ext), tau, 1e-6)
        close(aba(model, q, qd, tau, tree.f_ext), qdd, 1e-6)
        assert (i in ip.impossible_bodies(model)) or I_delta.max() < 10
        change = np.zeros((6, 10))
        change[i - 1] = -ip.to_parameters(I_delta)
        far(Y @ change.ravel(), np.zeros(len(Y)))
        change[tree.parent[i] - 1] += ip.to_parameters(seen_from_parent(tree, i, I_delta))
        close(Y @ change.ravel(), np.zeros(len(Y)), 1e-8)


@pytest.mark.source("RBDA-A9.u7")
def test_the_best_match_leaves_as_many_zeros_as_the_family_has_members(rng):
    body = mcI(M, [0.1, -0.2, 0.3], [[0.9, 0.2, -0.1], [0.2, 0.8, 0.1], [-0.1, 0.1, 0.7]])
    p = ip.to_parameters(body)                                 # m, h_x, h_y, h_z, I_xx, I_xy, I_yy, ...
    hinge, slider, ball = (p - ip.to_parameters(eq.best_match(joint, body)) for joint, _ in TABLE)
    assert hinge[0] == hinge[3] == 0 and 0 in (hinge[4], hinge[6])
    close(np.abs(hinge[4] - hinge[6]), np.abs(p[4] - p[6]))
    close(hinge[[1, 2, 5, 7, 8, 9]], p[[1, 2, 5, 7, 8, 9]])
    assert np.all(slider[4:] == 0) and np.all(slider[:4] == p[:4])
    assert ball[0] == 0 and np.count_nonzero(ball) == 9
    for joint in (kinds.Cylindrical(), kinds.Universal("xy"), FreeMotion(), kinds.Planar()):
        close(eq.best_match(joint, body, eq.table_9_7), np.zeros((6, 6)))
    for joint, _ in TABLE:
        least = np.count_nonzero(p - ip.to_parameters(eq.best_match(joint, body, eq.table_9_7)))
        for _ in range(50):                         # no other member of the family leaves more zeros
            member = eq.table_9_7(joint) @ rng.normal(size=eq.table_9_7(joint).shape[1])
            assert np.count_nonzero(np.abs(p - member) > 1e-12) >= least


@pytest.mark.source("RBDA-S9.7-7")
def test_inverse_dynamics_gets_cheaper_by_about_15_percent_and_forward_dynamics_by_less():
    """Additions and multiplications on GU(n); the product of an inertia and a motion is where they are saved."""
    def product(model, v):
        body, w, v_O = model.inertia[3], v[:3], v[3:]
        m, h_x, h_y, h_z = body[5, 5], body[2, 4], body[0, 5], body[1, 3]

        def cross(b):
            return np.array([h_y * b[2] - h_z * b[1], h_z * b[0] - h_x * b[2], h_x * b[1] - h_y * b[0]])

        return body[:3, :3] @ w + cross(v_O), m * v_O - cross(w)

    full, rng = gu(12), np.random.default_rng(1)
    few = eq.simplify(full)
    assert ip.operations(product, full, np.ones(6)) == {"m": 24, "a": 18}
    assert ip.operations(product, few, np.ones(6)) == {"m": 16, "a": 10}

    q, qd, x = rng.normal(size=(3, 12))

    def saving(function, *arguments):
        before, after = (ip.operations(function, model, *arguments) for model in (full, few))
        return 1 - (after["m"] + after["a"]) / (before["m"] + before["a"])

    close(rnea(few, q, qd, x), rnea(full, q, qd, x), 1e-10)
    assert 0.12 < saving(rnea, q, qd, x) < 0.18
    assert 0 < saving(aba, q, qd, x) < saving(rnea, q, qd, x) / 2


@pytest.mark.source("RBDA-S9.7-8")
def test_algorithms_that_invert_the_inertia_of_a_body_fail_on_the_simplified_model():
    model, (q, qd, tau) = gu(5), np.random.default_rng(2).normal(size=(3, 5))
    simple, expected = eq.simplify(model), np.linalg.solve(crba(model, q), tau - bias_force(model, q, qd))
    for of, rank in ((model, 6), (simple, 5)):
        assert [np.linalg.matrix_rank(body, 1e-9) for body in of.inertia[1:]] == [rank] * 5
    close(aba(simple, q, qd, tau), expected, 1e-9)
    for method in ("variant_1", "variant_2", "divide_and_conquer"):
        close(forward_dynamics(model, q, qd, tau, method=method), expected, 1e-9)
        with pytest.raises(ValueError, match="singular"):
            forward_dynamics(simple, q, qd, tau, method=method)


@pytest.mark.source("RBDA-A9.u8")
def test_constants_of_augmented_bodies_give_the_kinetic_energy(rng):
    """Balls and hinges about common points: T = sum of w I w / 2 of augmented bodies, and a product for each pair. They
    have the mass of the subtree, or of the system."""
    joints = [Spherical(), kinds.Universal("xy"), Revolute((1, 2, 3)), kinds.Universal("zx"), Spherical()]
    tree = Moving(rng, joints, [0, 1, 1, 3, 4])
    augmented, energy = ip.augmented_bodies(tree.model), 0.0
    spin, mass = [tree.v[i][:3] for i in range(6)], [0, *(m for m, _, _ in tree.mechanism.bodies)]
    for j in tree.bodies:
        R, body, child = tree.poses[j][0], augmented[j], j
        assert ip.augmented_bodies(tree.model, "joints")[j][5, 5] == pytest.approx(sum(mass))
        assert body[5, 5] == pytest.approx(sum(mass[k] for k in tree.subtree(j)))
        energy += spin[j] @ R @ body[:3, :3] @ R.T @ spin[j] / 2
        moment = R @ np.array([body[2, 4], body[0, 5], body[1, 3]])
        while i := tree.parent[child]:
            lever = tree.poses[child][1] - tree.poses[i][1]
            energy += np.cross(spin[i], lever) @ np.cross(spin[j], moment)
            child = i
    assert energy == pytest.approx(tree.kinetic_energy(), rel=1e-7)
