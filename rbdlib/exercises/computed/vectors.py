"""Computed answers about a particle, spatial and planar vectors (notebooks 00 to 05 and A, sheets RBDA 2, 3 and A)."""

import numpy as np

from rbdlib.book import ch02_planar as planar, ch02_spatial as spatial
from rbdlib.book.ch02_spatial import crf, crm, free_motion, line_motion, mcI, plucker, rot, rotz, rx, rz, skew, xlt
from rbdlib.book.ch03_constraints import apply_explicit_constraint
from rbdlib.book.ch03_subspaces import orthogonal_complement
from rbdlib.book.ch04_joints import Cylindrical, Helical, Prismatic, Revolute, Spherical, Universal
from rbdlib.book.ch04_model import Model
from rbdlib.book.ch05_inverse_dynamics import rnea
from rbdlib.book.ch06_factorisation import solve
from rbdlib.conventions import fdsv_transform
from rbdlib.exercises.computed.draws import inertia, normal, positive, rotational_inertia, symbols
from rbdlib.exercises.declare import Computed
from rbdlib.io.model_file import load
from rbdlib.methods.inertia_parameters import from_parameters, to_parameters
from rbdlib.methods.joint_space import inertia_matrix
from rbdlib.methods.screws import screw_of_motion
from rbdlib.numbers.scalars import eye, zeros


def _entry_of_H(row, column):
    """The entry of H as the library computes it from the model file."""
    from sympy import simplify

    return simplify(inertia_matrix(load("double_pendulum", symbolic=True), symbols("q1 q2"))[row, column])


def _hinge_factors():
    return {"X": fdsv_transform(rz(np.pi / 2).T, [0.4, 0.3, 0]), "s": [1, 0, 0, 0, 0, 0]}


def _joint_force(s, f):
    return s[:3] @ f[3:] + s[3:] @ f[:3]


def _turning_rail():
    """The particle on the rail as a model."""
    m, g = symbols("m g", positive=True)
    return Model([0, 1], [Revolute("z"), Prismatic("x")], [eye(6), eye(6)],
                 [zeros((6, 6)), mcI(m, [0, 0, 0], zeros((3, 3)))], gravity=(0, -g, 0))


def _falling_lamp():
    """The velocity of the lamp's base while its arm bends, and that of a base that could only turn."""
    H = inertia_matrix(load("lamp"), [0, 1, 0, 0.5, -1.2])
    return solve(H[:3, :3], -4 * H[:3, 3]), [0, 0, -4 * H[2, 3] / H[2, 2]]


def _frame_and_vectors(rng):
    E = rx(rng.normal()) @ rz(rng.normal()) @ rx(rng.normal())
    return E, *normal(rng, 3, 6, 6), bool(rng.integers(2))


def _there_and_back(E, r, v, f, back):
    X = spatial.inverse_transform(plucker(E, r)) if back else plucker(E, r)
    return np.array([X @ v, spatial.force_transform(X) @ f])


def carried(E, r, v, f, back):
    """Exercise 2.9."""
    if back:
        omega, linear = E.T @ v[:3], E.T @ f[3:]
        v_O = E.T @ v[3:] + np.cross(r, omega)
        n_O = E.T @ f[:3] + np.cross(r, linear)
        return np.array([[*omega, *v_O], [*n_O, *linear]])
    v_P = v[3:] - np.cross(r, v[:3])
    n_P = f[:3] - np.cross(r, f[3:])
    return np.array([[*(E @ v[:3]), *(E @ v_P)], [*(E @ n_P), *(E @ f[3:])]])


def _power_of_a_wrench_on_a_twist():
    omega, F, h_1, h_2, d, alpha = symbols("omega F h_1 h_2 d alpha")
    z = np.array([0, 0, 1])
    u = rx(alpha).T @ z
    m = omega * (line_motion(z, 0 * z) + h_1 * free_motion(z))
    f = F * (spatial.line_force(u, [d, 0, 0]) + h_2 * spatial.couple(u))
    return m @ f


def _force_rate(v, f):
    return np.concatenate([np.cross(v[:3], f[:3]) + np.cross(v[3:], f[3:]), np.cross(v[:3], f[3:])])


def _wrong_rod(upper_left, c):
    return lambda: np.block([[np.diag(upper_left), 3 * skew(c)], [-3 * skew(c), 3 * np.eye(3)]])


#: The velocity and the inertia of the shaft in exercise 3.7.
V, I = np.array([0, 0, 50, 0, 0, 0]), mcI(4, [0.02, 0, 0.1], np.diag([0.03, 0.03, 0.02]))


def _four_parameters(I):
    m, c_x, c_y = I[1, 1], I[0, 2] / I[1, 1], -I[0, 1] / I[1, 1]
    return np.array([m, c_x, c_y, I[0, 0] - m * (c_x**2 + c_y**2)])


def _planar_tree(rng):
    """A planar chain, a bush or another tree of four bodies, and a pull on each of them; entry 0 is the base."""
    parent = rng.choice([(0, 0, 1, 2, 3), (0, 0, 1, 1, 3), (0, 0, 0, 1, 2), (0, 0, 1, 1, 1)]).tolist()
    inertia = [planar.mcI(rng.uniform(0.5, 3), rng.uniform(-1, 1, size=2), rng.uniform(0.01, 0.5)) for _ in parent]
    pull = rng.normal(size=(5, 3))
    pull[0] = 0
    return parent, rng.normal(size=(5, 2)), inertia, rng.normal(size=5), rng.uniform(5, 15), pull


def _held(parent, place, inertia, q, g, pull):
    """The answer to exercise 4.9 by inverse dynamics in space."""
    bodies = [_four_parameters(I) for I in inertia[1:]]
    model = Model(parent[1:], [Revolute("z")] * 4, [xlt([*r, 0]) for r in place[1:]],
                  [mcI(m, [x, y, 0], I_C * np.eye(3)) for m, x, y, I_C in bodies], gravity=(0, -g, 0))
    f_ext = np.array([planar.to_spatial(f) for f in pull])
    return np.append(0, rnea(model, q[1:], np.zeros(4), np.zeros(4), f_ext))


def torques_with_strings(parent, place, inertia, q, g, pull):
    """Exercise 4.9."""
    X, X_0, a, f = [np.eye(3)], [np.eye(3)], [np.array([0, 0, g])], [np.zeros(3)]
    for i in range(1, len(parent)):
        h = parent[i]
        X.append(planar.Xpln(place[i], q[i]))
        X_0.append(X[i] @ X_0[h])
        a.append(X[i] @ a[h])
        f.append(inertia[i] @ a[i] - planar.force_transform(X_0[i]) @ pull[i])
    tau = np.zeros(len(parent))
    for i in reversed(range(1, len(parent))):
        h = parent[i]
        tau[i] = f[i][0]
        f[h] = f[h] + X[i].T @ f[i]
    return tau


def _double_period(squared=True):
    """The amplitude (rad) at which K(k²) = pi; squared=False gives what comes of handing k to ellipk for k²."""
    from scipy.optimize import brentq
    from scipy.special import ellipk

    parameter = brentq(lambda m: ellipk(m) - np.pi, 0.9, 0.99, xtol=1e-15)
    return 2 * np.arcsin(np.sqrt(parameter) if squared else parameter)


def _planar_bias_force():
    """v×* I v in symbols."""
    m, omega, v_x, v_y, c_x, c_y, I_C = symbols("m omega v_x v_y c_x c_y I_C")
    v = [omega, v_x, v_y]
    return planar.crf(v) @ planar.mcI(m, [c_x, c_y], I_C) @ v


def _body_on_joint(rng):
    """I, p, f of a body, T of a joint somewhere on it, and k."""
    joint = (Revolute("x"), Helical(0.3), Cylindrical(), Universal(), Spherical())[rng.integers(5)]
    elsewhere = spatial.force_transform(rotz(rng.normal()) @ xlt(rng.normal(size=3)))
    T = elsewhere @ joint.constraint_subspace(joint.random_position(rng))
    return inertia(rng), *rng.normal(size=(2, 6)), T, rng.normal(size=T.shape[1])


def _by_freedoms(I, p, f, T, k):
    """The answer to exercise 5.9 without multipliers."""
    return _along(orthogonal_complement(T), I, p, f, T @ np.linalg.solve(T.T @ T, k))


def _along(S, I, p, f, some):
    motion = apply_explicit_constraint(I, p, f, S, some)
    return np.concatenate([motion.qdd, motion.tau_c])


def by_multipliers(I, p, f, T, k):
    """Exercise 5.9."""
    W = np.linalg.inv(I)
    lam = np.linalg.solve(T.T @ W @ T, k - T.T @ W @ (f - p))
    return np.concatenate([np.linalg.solve(I, f - p + T @ lam), T @ lam])


def _multipliers(H, C, tau, K, k):
    return np.linalg.solve(K @ np.linalg.solve(H, K.T), k - K @ np.linalg.solve(H, tau - C))


def _ten_numbers(rng):
    E = rx(rng.normal()) @ rz(rng.normal()) @ rx(rng.normal())
    return E, rng.normal(size=3), to_parameters(inertia(rng))


def moved_numbers(E, r, numbers):
    """Exercise A.9."""
    m, h, (I11, I21, I22, I31, I32, I33) = numbers[0], numbers[1:4], numbers[4:]
    I = np.array([[I11, I21, I31], [I21, I22, I32], [I31, I32, I33]])
    y = h - m * r
    R, H, Y = map(spatial.skew, (r, h, y))
    Z = E @ (I + R @ H + Y @ R) @ E.T
    return np.concatenate([[m], E @ y, Z[np.tril_indices(3)]])


def ten_numbers(I):
    """Exercise A.2."""
    return [I[5, 5], I[2, 4], I[0, 5], I[1, 3], I[0, 0], I[1, 0], I[1, 1], I[2, 0], I[2, 1], I[2, 2]]


SCREW = screw_of_motion([0, 0, 2, 1, -0.4, 0.5])


def _pieces_in_motion(rng):
    """Three pieces of a machine part, a velocity and an acceleration."""
    pieces = [(rng.uniform(1, 2), rng.normal(size=3), rz(rng.normal()) @ rx(rng.normal()), rotational_inertia(rng))
              for _ in range(3)]
    return pieces, rng.normal(size=6), rng.normal(size=6)


def force_on(pieces, v, a):
    """Exercise 3.9."""
    I = np.zeros((6, 6))
    for m, c, E, I_C in pieces:
        C = spatial.skew(c)
        I = I + np.block([[E.T @ I_C @ E + m * C @ C.T, m * C],
                          [m * C.T, m * np.eye(3)]])
    return I @ a + spatial.crf(v) @ I @ v


ANSWERS = {
    "0.3": Computed(lambda: xlt([0, 2, 0]) @ [0, 0, 1, 0, 0, 0],
                    product=lambda: {"X": xlt([0, 2, 0]), "v": [0, 0, 1, 0, 0, 0]}),
    "0.7": Computed(lambda: _entry_of_H(0, 1)),
    "0.8": Computed(lambda: _entry_of_H(0, 0)),
    "1.4": Computed(lambda: _hinge_factors()["X"] @ _hinge_factors()["s"], product=_hinge_factors),
    "1.6": Computed(_joint_force, inputs=lambda rng: rng.normal(size=(2, 6))),
    "1.7": Computed(lambda: rnea(_turning_rail(), symbols("q1 q2"), symbols("qd1 qd2"), symbols("qdd1 qdd2")),
                    model=_turning_rail),
    "1.8": Computed(lambda: _falling_lamp()[0], mistakes={"coupling": lambda: _falling_lamp()[1]}),
    "2.2": Computed(lambda: line_motion([0, 1, 0], symbols("p_x p_y p_z"))),
    "2.3": Computed(lambda: sum(spatial.line_force([f, 0, 0], [0, y, 0]) for f, y in ((10, 0.2), (-20, -0.2)))),
    "2.4": Computed(lambda: [SCREW.pitch, *SCREW.point]),
    "2.6": Computed(
        lambda f, r: np.concatenate([spatial.moment_at(f, r), f[3:]]),
        inputs=lambda rng: (rng.normal(size=6), rng.normal(size=3)),
        product=lambda f, r: {"X*": spatial.force_transform(xlt(r)), "f": f}, mistakes={
            "dual": lambda f, r: np.concatenate([f[:3], f[3:] - np.cross(r, f[:3])]),
            "entry": lambda f, r: np.concatenate([np.cross(f[3:], r), f[3:]])}),
    "2.7": Computed(
        lambda: rotz(np.pi / 2) @ xlt([-2, 0, 0]), product=lambda: {"xlt": xlt([0, 2, 0]), "rotz": rotz(np.pi / 2)},
        mistakes={
            "frame": lambda: rotz(np.pi / 2) @ xlt([0, 2, 0]), "transpose": lambda: rotz(-np.pi / 2) @ xlt([-2, 0, 0]),
            "sign": lambda: rotz(np.pi / 2) @ xlt([2, 0, 0])}),
    "2.8": Computed(_power_of_a_wrench_on_a_twist),
    "2.9": Computed(_there_and_back, inputs=_frame_and_vectors, answer=carried),
    "3.1": Computed(lambda: crm(free_motion([0, 2, 0])) @ line_motion([0, 0, 1], [1, 0, 0]),
                    product=lambda: {"v×": crm(free_motion([0, 2, 0])), "m": line_motion([0, 0, 1], [1, 0, 0])}),
    "3.2": Computed(_force_rate, inputs=lambda rng: rng.normal(size=(2, 6))),
    "3.6": Computed(lambda: mcI(3, [1, 0, 0], np.diag([0, 1, 1])), mistakes={
        "frame": _wrong_rod((0, 1, 1), (1, 0, 0)), "transpose": _wrong_rod((0, 4, 4), (-1, 0, 0)),
        "frame 2": _wrong_rod((0, 4, 4), (0, 0, 0)), "sign": _wrong_rod((0, -2, -2), (1, 0, 0)),
        "factor": _wrong_rod((0, 13, 13), (2, 0, 0))}),
    "3.7": Computed(spatial.bias_force(I, V), product=lambda: {"v×*": crf(V), "I": I, "v": V}),
    "3.9": Computed(force_on, inputs=_pieces_in_motion),
    "4.3": Computed(_four_parameters,
        inputs=lambda rng: (planar.mcI(rng.uniform(0.5, 3), rng.uniform(-1, 1, size=2), rng.uniform(0.01, 0.5)),)),
    "4.5": Computed(lambda: planar.Xpln([0, 0], np.pi / 2) @ [9, 2, 5] - [0, 0, 9 * 3.52 / 4.8]),
    "4.7": Computed(lambda: np.degrees(_double_period()), mistakes={
        "mistake": lambda: np.degrees(_double_period(squared=False)), "degrees": _double_period}),
    "4.8": Computed(_planar_bias_force),
    "4.9": Computed(_held, inputs=_planar_tree, answer=torques_with_strings),
    "5.7": Computed(
        lambda I, S: S @ np.linalg.solve(S.T @ I @ S, S.T), inputs=lambda rng: (inertia(rng), rng.normal(size=(6, 3))),
        mistakes={
            "shape": lambda I, S: np.linalg.inv(S.T @ I @ S),
            "mistake": lambda I, S: S @ S.T @ np.linalg.inv(I) @ S @ S.T,
            "mistake 2": lambda I, S: I @ S @ np.linalg.solve(S.T @ I @ S, S.T),
            "mistake 3": lambda I, S: S @ (S.T @ I @ S) @ S.T, "mistake 4": lambda I, S: np.linalg.inv(I)}),
    "5.9": Computed(_by_freedoms, inputs=_body_on_joint, answer=by_multipliers, mistakes={
        "subspace": lambda I, p, f, T, k: _along(T, I, p, f, 0 * f)}),
    "2.51": Computed(lambda: xlt([0, -2, 0]) @ [3, 0, 0, 0.3, 0, 0]),
    "3.51": Computed(
        lambda I, v, a: I @ a + crf(v) @ I @ v, inputs=lambda rng: (inertia(rng), *rng.normal(size=(2, 6))), mistakes={
            "bias": lambda I, v, a: I @ a, "dual": lambda I, v, a: I @ a + crm(v) @ I @ v,
            "sign": lambda I, v, a: I @ a - crf(v) @ I @ v}),
    "4.51": Computed(lambda: planar.force_transform(planar.Xpln([1, 0], np.pi / 2)) @ [-20, 0, -10]),
    "5.53": Computed(_multipliers, inputs=lambda rng: (positive(rng, 4), *normal(rng, 4, 4, (2, 4), 2))),
    "A.2": Computed(ten_numbers, inputs=lambda rng: (inertia(rng),)),
    "A.9": Computed(
        lambda E, r, numbers: to_parameters(spatial.transform_inertia(plucker(E, r), from_parameters(numbers))),
        inputs=_ten_numbers, answer=moved_numbers),
    "A.51": Computed(
        lambda E, r, v: rot(E) @ xlt(r) @ v,
        inputs=lambda rng: (rx(rng.normal()) @ rz(rng.normal()), rng.normal(size=3), rng.normal(size=6)), mistakes={
            "order": lambda E, r, v: xlt(r) @ rot(E) @ v})}
