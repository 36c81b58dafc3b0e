"""Computed answers about kinematic trees (notebooks 01 and 09 to 14, sheets RBDA 5 to 7, SOA and MRN)."""

import numpy as np

from rbdlib.book import (
    ch02_spatial as spatial,
    ch04_joints as joints,
    ch04_kinematics as kinematics,
    ch05_inverse_dynamics as dynamics,
)
from rbdlib.book.ch02_spatial import crm, mcI, rotz, xlt
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_model import Model
from rbdlib.book.ch05_inverse_dynamics import bias_force, rnea
from rbdlib.book.ch06_factorisation import ltl
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch07_articulated_body import aba
from rbdlib.exercises.computed.draws import chained, mechanism, normal, positive, symbols, weightless
from rbdlib.exercises.declare import Computed
from rbdlib.io.model_file import load
from rbdlib.methods.generators import auto_tree
from rbdlib.texts.mrn.task_space import Task, jacobian


def _tree(rng):
    f_net, f_ext = rng.normal(size=(2, 5, 6))
    f_net[0] = f_ext[0] = 0
    return (0, 0, 1, 1, 3), f_net, f_ext


def joint_forces(parent, f_net, f_ext):
    """Exercise 9.3."""
    f = f_net - f_ext
    for i in range(len(f) - 1, 0, -1):
        f[parent[i]] = f[parent[i]] + f[i]
    return f


def _moving(rng):
    f_ext = rng.normal(size=(6, 6))
    f_ext[0] = 0
    return mechanism(rng), *rng.normal(size=(3, 5)), f_ext


def forward(model, q, qd, tau, f_ext):
    """Exercise 1.9."""
    C = dynamics.rnea(model, q, qd, np.zeros(model.nv), f_ext)
    columns = [dynamics.rnea(model, q, qd, delta, f_ext) - C for delta in np.eye(model.nv)]
    return np.linalg.solve(np.column_stack(columns), tau - C)


def inverse_dynamics(model, q, qd, qdd, f_ext):
    """Exercise 9.9."""
    X_up, X_0 = np.zeros((2, model.N_B + 1, 6, 6))
    S, v, a, f = np.zeros((4, model.N_B + 1, 6))
    X_0[0], a[0] = np.eye(6), -spatial.free_motion(model.gravity)
    for i in model.bodies:
        h, I = model.parent[i], model.inertia[i]
        X_J, S_i, v_J, c_J = joints.jcalc(model.joints[i], q[i - 1], qd[i - 1])
        X_up[i], S[i] = X_J @ model.X_tree[i], S_i[:, 0]
        X_0[i] = X_up[i] @ X_0[h]
        v[i] = X_up[i] @ v[h] + v_J
        a[i] = X_up[i] @ a[h] + S[i] * qdd[i - 1] + c_J + spatial.crm(v[i]) @ v_J
        f[i] = I @ a[i] + spatial.crf(v[i]) @ I @ v[i] - spatial.force_transform(X_0[i]) @ f_ext[i]
    tau = np.zeros(model.N_B)
    for i in reversed(model.bodies):
        h = model.parent[i]
        tau[i - 1] = S[i] @ f[i]
        f[h] = f[h] + X_up[i].T @ f[i]
    return tau


def inertia_matrix(model, q):
    """Exercise 10.9."""
    X_up, S = kinematics.joints_at(model, q)
    H, I_c = np.zeros((model.N_B, model.N_B)), list(model.inertia)
    for i in reversed(model.bodies):
        h = model.parent[i]
        if h != 0:
            I_c[h] = I_c[h] + X_up[i].T @ I_c[i] @ X_up[i]
        F, j = I_c[i] @ S[i][:, 0], i
        H[i - 1, i - 1] = S[i][:, 0] @ F
        while model.parent[j] != 0:
            F, j = X_up[j].T @ F, model.parent[j]
            H[i - 1, j - 1] = H[j - 1, i - 1] = S[j][:, 0] @ F
    return H


def _holding(masses=(2, 1), q=(np.pi / 6, np.pi / 3)):
    """The torques that hold an arm of two massless links of 0.5 m in a vertical plane with point masses at their ends.
    """
    inertia = [mcI(m, [0.5, 0, 0], np.zeros((3, 3))) for m in masses]
    arm = Model([0, 1], [Revolute("z")] * 2, [xlt([0, 0, 0]), xlt([0.5, 0, 0])], inertia, gravity=(0, -9.81, 0))
    return bias_force(arm, q, [0, 0])


def _triangular(rng):
    """A tree, a lower triangular L with its pattern and leftovers elsewhere, a vector; place 0 is not used."""
    parent = (0, 0, 1, 1, 2, 2, 3, 6)
    L = np.where(_pattern(parent), rng.uniform(0.5, 2, (8, 8)), rng.uniform(2, 9, (8, 8)))
    L[np.diag_indices(8)] = rng.uniform(1, 2, 8)
    return parent, L, np.append(0, rng.uniform(-3, 3, 7))


def _pattern(parent):
    """True where the L of a tree is not zero."""
    return np.array([[k > 0 and j in (k, *_ancestors(parent, k)) for j in range(8)] for k in range(8)])


def _ancestors(parent, k):
    return [parent[k], *_ancestors(parent, parent[k])] if parent[k] else []


def solve_Lt(parent, L, b):
    """Exercise 10.6."""
    x = b.copy()
    for i in range(len(x) - 1, 0, -1):
        x[i] = x[i] / L[i, i]
        j = parent[i]
        while j != 0:
            x[j] = x[j] - L[i, j] * x[i]
            j = parent[j]
    return x


def _factorised(rng):
    """A tree of seven variables, counted from 1, and a matrix that has its zeros; row and column 0 are not used."""
    parent, L, _ = _triangular(rng)
    L = L * _pattern(parent)
    return parent, L.T @ L


def factor(parent, H):
    """Exercise 10.10."""
    L = np.tril(H)
    for k in range(len(H) - 1, 0, -1):
        L[k, k] = np.sqrt(L[k, k])
        i = parent[k]
        while i != 0:
            L[k, i] = L[k, i] / L[k, k]
            i = parent[i]
        i = parent[k]
        while i != 0:
            j = i
            while j != 0:
                L[i, j] = L[i, j] - L[k, i] * L[k, j]
                j = parent[j]
            i = parent[i]
    return L


def _by_ltl(parent, H):
    return np.pad(ltl(H[1:, 1:], parent[1:]), ((1, 0), (1, 0)))


def _by_polarisation(T, n):
    e = np.eye(n)
    return np.array([[T(e[i] + e[j]) - T(e[i]) - T(e[j]) for j in range(n)] for i in range(n)])


def _energy(rng):
    H = positive(rng, 3)
    return (lambda qd: np.asarray(qd) @ H @ np.asarray(qd) / 2), 3


def p_a(I_A, p_A, S, c, tau):
    """Exercise 11.4."""
    U = I_A @ S
    D_inv = np.linalg.inv(S.T @ U)
    I_a = I_A - U @ D_inv @ U.T
    return p_A + I_a @ c + U @ D_inv @ (tau - S.T @ p_A)


def _passed(I_A, S):
    """I_A less what the joint does not hand on."""
    U = I_A @ S
    return I_A - U @ np.linalg.solve(S.T @ U, U.T)


def _chain(rng):
    phi, y = normal(rng, (5, 6, 6), (5, 6))
    phi[0] = y[0] = 0
    return phi, y


def _base_to_tip(phi, y):
    x = y + 0
    for k in range(len(y) - 2, 0, -1):
        x[k] = phi[k].T @ x[k + 1] + y[k]
    return x


def _blocks_below(rng):
    """A strictly lower block triangular matrix with blocks beside the diagonal only, as E_phi for three links."""
    E = np.zeros((6, 6))
    E[2:4, 0:2], E[4:6, 2:4] = rng.normal(size=(2, 2, 2))
    return (E,)


def _inverse_dynamics(rng):
    """Inverse dynamics of some arm in a fixed posture, and its number of joints."""
    n = 3
    M, weight, C = positive(rng, n, n * np.eye(n)), rng.normal(size=n), rng.normal(size=(n, n, n))

    def ID(thd, thdd, gravity):
        thd, thdd = np.asarray(thd, float), np.asarray(thdd, float)
        return M @ thdd + C @ thd @ thd + (weight if gravity else 0)

    return ID, n


def mass_matrix(ID, n):
    """Exercise 12.1."""
    return np.column_stack([ID(np.zeros(n), e, False) for e in np.eye(n)])


def _falling_arm(rng):
    """Arguments of exercise 12.9, for a chain of three hinges that point anywhere: torques and a push that change."""
    chain = auto_tree(3, seed=int(rng.integers(1000)), joints=[Revolute(axis) for axis in "yxz"], gravity=(1, -9, 3))
    chain, task = chained(chain), Task(frame="hybrid", rows=(3, 4, 5))

    def ID(q, qd, qdd, gravity):
        return rnea(chain if gravity else weightless(chain), q, qd, qdd)

    tau_0, tau_1, F_0, F_1, q, qd = rng.normal(size=(6, 3))
    return (ID, lambda q: jacobian(chain, q, task), q, qd,
            lambda t: tau_0 + 9 * t * tau_1, lambda t: F_0 + 9 * t * F_1, 0.1, 3)


def motion(ID, J, q, qd, tau, F_tip, dt, N):
    """Exercise 12.9."""
    states, rest = [np.concatenate([q, qd])], np.zeros(len(q))
    for k in range(N):
        h = ID(q, qd, rest, True)
        M = np.column_stack([ID(q, rest, e, False) for e in np.eye(len(q))])
        qdd = np.linalg.solve(M, tau(k * dt) - h - J(q).T @ F_tip(k * dt))
        q, qd = q + qd * dt, qd + qdd * dt
        states.append(np.concatenate([q, qd]))
    return np.array(states)


def _torques(J, Lambda, eta, V_dot):
    return J.T @ (Lambda @ V_dot + eta)


def _times(x, y):
    return x[0] * y[0], x[1] * y[0] + x[0] * y[1]


ANSWERS = {
    "1.9": Computed(aba, inputs=_moving, answer=forward),
    "9.3": Computed(joint_forces, inputs=_tree),
    "9.9": Computed(rnea, inputs=_moving, answer=inverse_dynamics),
    "9.51": Computed(_holding, mistakes={
        "relative": lambda: _holding(q=(np.pi / 6, np.pi / 6)), "gravity": lambda: _holding() / 9.81,
        "entry": lambda: _holding(masses=(2, 1e-12))}),
    "9.52": Computed(
        lambda: bias_force(load("double_pendulum", symbolic=True), symbols("q1 q2"), symbols("qd1 qd2"))[1]),
    "9.53": Computed(
        lambda X, a_p, S, qd, qdd, v: X @ a_p + S * qdd + crm(v) @ S * qd, inputs=lambda rng: (
            rotz(rng.normal()) @ xlt(rng.normal(size=3)), rng.normal(size=6), np.array([0, 0, 1, 0, 0, 0.0]),
            *rng.normal(size=2), rng.normal(size=6)),
        mistakes={
            "bias": lambda X, a_p, S, qd, qdd, v: X @ a_p + S * qdd,
            "frame": lambda X, a_p, S, qd, qdd, v: a_p + S * qdd + crm(v) @ S * qd,
            "sign": lambda X, a_p, S, qd, qdd, v: X @ a_p + S * qdd - crm(v) @ S * qd}),
    "10.6": Computed(solve_Lt, inputs=_triangular),
    "10.9": Computed(crba, inputs=lambda rng: (mechanism(rng), rng.normal(size=5)), answer=inertia_matrix),
    "10.10": Computed(_by_ltl, inputs=_factorised, answer=factor),
    "10.52": Computed(lambda: crba(load("furuta_pendulum", symbolic=True), symbols("q1 q2"))[0, 0]),
    "10.54": Computed(_by_polarisation, inputs=_energy),
    "11.4": Computed(p_a, inputs=lambda rng: (positive(rng, 6), *normal(rng, 6, (6, 1), 6, 1))),
    "11.53": Computed(_passed, inputs=lambda rng: (positive(rng, 6), rng.normal(size=(6, 2)))),
    "13.3": Computed(_base_to_tip, inputs=_chain),
    "13.54": Computed(lambda E: np.linalg.inv(np.eye(len(E)) - E), inputs=_blocks_below, mistakes={
        "entry": lambda E: np.eye(len(E)) + E, "inverse": lambda E: np.eye(len(E)) - E}),
    "12.1": Computed(mass_matrix, inputs=_inverse_dynamics),
    "12.8": Computed(_torques,
        inputs=lambda rng: (rng.normal(size=(3, 3)) + 2 * np.eye(3), positive(rng, 3), *rng.normal(size=(2, 3)))),
    "12.9": Computed(motion, inputs=_falling_arm),
    "12.53": Computed(
        lambda J, M: np.linalg.inv(J @ np.linalg.solve(M, J.T)),
        inputs=lambda rng: (rng.normal(size=(3, 4)), positive(rng, 4)), mistakes={
            "inverse": lambda J, M: J @ np.linalg.solve(M, J.T), "inverse 2": lambda J, M: J @ M @ J.T,
            "misconception": lambda J, M: np.linalg.pinv(J).T @ M @ np.linalg.pinv(J)}),
    "14.6": Computed(_times, inputs=lambda rng: map(tuple, rng.normal(size=(2, 2))))}
