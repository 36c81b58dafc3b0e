"""Computed answers about kinematic trees (notebooks 01 and 09 to 14, sheets RBDA 5 to 7, SOA and MRN)."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, force_transform, free_motion, mcI, rotz, xlt
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_kinematics import joints_at
from rbdlib.book.ch04_model import Model
from rbdlib.book.ch05_inverse_dynamics import bias_force, rnea
from rbdlib.book.ch06_factorisation import ltl
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch07_articulated_body import aba
from rbdlib.exercises.computed.articulated import outward
from rbdlib.exercises.computed.draws import chained, mechanism, normal, positive, symbols, weightless
from rbdlib.exercises.declare import Computed
from rbdlib.io.model_file import load
from rbdlib.methods.generators import auto_tree
from rbdlib.texts.mrn.task_space import Task, jacobian


def _tree(rng):
    f_net, f_ext = rng.normal(size=(2, 5, 6))
    f_net[0] = f_ext[0] = 0
    return (0, 0, 1, 1, 3), f_net, f_ext


def _handed_on(parent, f_net, f_ext, *, order=range(4, 0, -1), sign=1):
    """Exercise 9.3: the bodies, in some order, add their forces to their parents' or take them away."""
    f = f_net - f_ext
    for i in order:
        f[parent[i]] = f[parent[i]] + sign * f[i]
    return f


def _moving(rng):
    f_ext = rng.normal(size=(6, 6))
    f_ext[0] = 0
    return mechanism(rng), *rng.normal(size=(3, 5)), f_ext


def _by_calls(model, q, qd, tau, f_ext, *, C=lambda ID, qd: ID(qd, 0 * qd), column=lambda ID, qd, e: ID(qd, e), less=1,
              right=-1, solved=np.linalg.solve, in_C=1, in_H=1):
    """Exercise 1.9: forward dynamics from n + 1 calls of `rnea`.

    less, right: how often C counts in the columns and beside tau; in_C, in_H: how often the forces from outside enter
    the call for C, and those for the columns.
    """
    bias = C(lambda qd, qdd: rnea(model, q, qd, qdd, in_C * f_ext), qd)
    columns = [column(lambda qd, qdd: rnea(model, q, qd, qdd, in_H * f_ext), qd, e) - less * bias
               for e in np.eye(model.nv)]
    return solved(np.column_stack(columns), tau + right * bias)


def _whole_rnea(model, q, qd, qdd, f_ext, *, X_up=np.matmul, bias=(1, 1), crosses=crf, outside=force_transform,
                inward=range(5, 0, -1), across=np.transpose, collect=True):
    """Exercise 9.9: the recursive Newton-Euler algorithm. X_up, bias: as in `outward`."""
    X, S, v, c = outward(model, q, qd, bias=bias, X_up=X_up)
    X_0, a, f, tau = [np.eye(6)], [-free_motion(model.gravity)], [np.zeros(6)], np.zeros(5)
    for i in model.bodies:
        h, I = model.parent[i], model.inertia[i]
        X_0.append(X[i] @ X_0[h])
        a.append(X[i] @ a[h] + S[i] @ qdd[i - 1 : i] + c[i])
        f.append(I @ a[i] + crosses(v[i]) @ I @ v[i] - outside(X_0[i]) @ f_ext[i])
    for i in inward:
        h = model.parent[i]
        if collect:
            f[h] = f[h] + across(X[i]) @ f[i]
        else:
            f[i] = f[i] + X[i] @ f[h]
        tau[i - 1 : i] = S[i].T @ f[i]
    return tau


def _whole_crba(model, q, *, order=range(5, 0, -1), gather=lambda X, I: X.T @ I @ X, across=np.transpose, steps=5,
                mirrored=True, meets=lambda S, i, j: S[j]):
    """Exercise 10.9: the composite-rigid-body algorithm."""
    X_up, S = joints_at(model, q)
    H, I_c = np.zeros((5, 5)), list(model.inertia)
    for i in order:
        h = model.parent[i]
        if h:
            I_c[h] = I_c[h] + gather(X_up[i], I_c[i])
        F, j = I_c[i] @ S[i][:, 0], i
        H[i - 1, i - 1] = S[i][:, 0] @ F
        for _ in range(min(steps, len(model.kappa(i)) - 1)):
            F, j = across(X_up[j]) @ F, model.parent[j]
            H[i - 1, j - 1] = meets(S, i, j)[:, 0] @ F
            if mirrored:
                H[j - 1, i - 1] = H[i - 1, j - 1]
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


def _solve_Lt(parent, L, b, *, order=range(7, 0, -1), divide=True, reach=_ancestors):
    """Exercise 10.6: x of Lᵀ x = b along a tree. reach: the bodies that feel body i, its ancestors."""
    x = b.copy()
    for i in order:
        x[i] = x[i] / L[i, i] if divide else x[i]
        for j in reach(parent, i):
            x[j] = x[j] - L[i, j] * x[i]
    return x


def _factorised(rng):
    """A tree of seven variables, counted from 1, and a matrix that has its zeros; row and column 0 are not used."""
    parent, L, _ = _triangular(rng)
    L = L * _pattern(parent)
    return parent, L.T @ L


def _ltl(parent, H, *, start=np.tril, root=np.sqrt, subtract=True, reach=_ancestors, own=True):
    """Exercise 10.10: the factorisation along a tree."""
    L = start(H)
    for k in range(7, 0, -1):
        L[k, k] = root(L[k, k])
        for i in reach(parent, k):
            L[k, i] = L[k, i] / L[k, k]
        for i in reach(parent, k) if subtract else ():
            for j in ((i, *_ancestors(parent, i)) if own else _ancestors(parent, i)):
                L[i, j] = L[i, j] - L[k, i] * L[k, j]
    return L


def _by_ltl(parent, H):
    return np.pad(ltl(H[1:, 1:], parent[1:]), ((1, 0), (1, 0)))


def _by_polarisation(T, n):
    e = np.eye(n)
    return np.array([[T(e[i] + e[j]) - T(e[i]) - T(e[j]) for j in range(n)] for i in range(n)])


def _energy(rng):
    H = positive(rng, 3)
    return (lambda qd: np.asarray(qd) @ H @ np.asarray(qd) / 2), 3


def _across(I_A, p_A, S, c, tau, *, whole=False, in_c=1, in_u=1, felt=0):
    """Exercise 11.4: the bias force that a joint hands on.

    whole: whether c has I_A before it; in_c, in_u: how often its term and the last one count; felt: how often I_A c
    counts in what the joint feels.
    """
    U = I_A @ S
    U_D = U @ np.linalg.inv(S.T @ U)
    u = tau - S.T @ (p_A + felt * I_A @ c)
    return p_A + in_c * (I_A if whole else I_A - U_D @ U.T) @ c + in_u * U_D @ u


def _passed(I_A, S, *, sign=1):
    """I_A less what the joint does not hand on; sign=-1 adds it."""
    U = I_A @ S
    return I_A - sign * U @ np.linalg.solve(S.T @ U, U.T)


def _chain(rng):
    phi, y = normal(rng, (5, 6, 6), (5, 6))
    phi[0] = y[0] = 0
    return phi, y


def _base_to_tip(phi, y, *, from_y_alone=False):
    x = y + 0
    for k in range(len(y) - 2, 0, -1):
        x[k] = phi[k].T @ (y if from_y_alone else x)[k + 1] + y[k]
    return x


def _tip_to_base(phi, y):
    x = y + 0
    for k in range(2, len(y)):
        x[k] = phi[k - 1] @ x[k - 1] + y[k]
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


def _columns(ID, n, *, thd=0, thdd=1, gravity=False):
    """A way to form a matrix from n calls of ID: how many times e_k the velocity and the acceleration are."""
    return np.column_stack([ID(thd * e, thdd * e, gravity) for e in np.eye(n)])


def _falling_arm(rng):
    """Arguments of exercise 12.9, for a chain of three hinges that point anywhere: torques and a push that change."""
    chain = auto_tree(3, seed=int(rng.integers(1000)), joints=[Revolute(axis) for axis in "yxz"], gravity=(1, -9, 3))
    chain, task = chained(chain), Task(frame="hybrid", rows=(3, 4, 5))

    def ID(q, qd, qdd, gravity):
        return rnea(chain if gravity else weightless(chain), q, qd, qdd)

    tau_0, tau_1, F_0, F_1, q, qd = rng.normal(size=(6, 3))
    return (ID, lambda q: jacobian(chain, q, task), q, qd,
            lambda t: tau_0 + 9 * t * tau_1, lambda t: F_0 + 9 * t * F_1, 0.1, 3)


def _euler(ID, J, q, qd, tau, F_tip, dt, N, *, column=lambda ID, q, qd, e: ID(q, 0 * e, e, False),
           bias=lambda ID, q, qd: ID(q, qd, 0 * q, True), push=lambda J: -J.T, less=-1, solved=np.linalg.solve,
           move=lambda q, qd, qdd, dt: q + qd * dt, ahead=0, frozen=False, first=0):
    """Exercise 12.9: forward dynamics by questions and Euler's steps."""
    states, start = [np.concatenate([q, qd])], q
    for k in range(N):
        t = (k + ahead) * dt
        M = np.column_stack([column(ID, start if frozen else q, qd, e) for e in np.eye(len(q))])
        qdd = solved(M, tau(t) + less * bias(ID, q, qd) + push(J(q)) @ F_tip(t))
        q, qd = move(q, qd, qdd, dt), qd + qdd * dt
        states.append(np.concatenate([q, qd]))
    return np.array(states[first:])


def _torques(J, Lambda, eta, V_dot):
    return J.T @ (Lambda @ V_dot + eta)


def _times(x, y):
    return x[0] * y[0], x[1] * y[0] + x[0] * y[1]


ANSWERS = {
    "1.9": Computed(aba, inputs=_moving, steps=_by_calls, mistakes={
        "velocity": dict(C=lambda ID, qd: ID(0 * qd, 0 * qd)), "argument": dict(column=lambda ID, qd, e: ID(e, 0 * qd)),
        "coupling": dict(solved=lambda H, b: b / np.diag(H))}),
    "9.3": Computed(_handed_on, inputs=_tree),
    "9.9": Computed(rnea, inputs=_moving, steps=_whole_rnea, mistakes={
        "order 2": dict(X_up=lambda X_J, X_T: X_T @ X_J), "entry 3": dict(crosses=lambda v: 0 * crf(v))}),
    "9.51": Computed(_holding, mistakes={
        "relative": dict(q=(np.pi / 6, np.pi / 6)), "gravity": dict(then=lambda tau: tau / 9.81)}),
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
    "10.6": Computed(_solve_Lt, inputs=_triangular, mistakes={
        "transpose": lambda parent, L, b: np.append(0, np.linalg.solve((L * _pattern(parent))[1:, 1:], b[1:])),
        "entry": dict(reach=lambda parent, i: _ancestors(parent, i)[:1]),
        "entry 2": dict(reach=lambda parent, i: [parent[i]]),
        "entry 3": lambda parent, L, b: np.append(0, np.linalg.solve(np.tril(L)[1:, 1:].T, b[1:])),
        "entry 4": lambda parent, L, b: np.linalg.solve(L.T, b)}),
    "10.9": Computed(crba, inputs=lambda rng: (mechanism(rng), rng.normal(size=5)), steps=_whole_crba, mistakes={
        "frame": dict(gather=lambda X, I: I),
        "dual": dict(gather=lambda X, I: np.linalg.inv(X) @ I @ np.linalg.inv(X).T),
        "transpose": dict(gather=lambda X, I: X @ I @ X.T), "axis": dict(meets=lambda S, i, j: S[i])}),
    "10.10": Computed(_by_ltl, inputs=_factorised, steps=_ltl, mistakes={
        "order": lambda parent, H: np.pad(np.linalg.cholesky(H[1:, 1:]), ((1, 0), (1, 0))),
        "parent": dict(reach=lambda parent, i: _ancestors(parent, i)[:1])}),
    "10.52": Computed(lambda: crba(load("furuta_pendulum", symbolic=True), symbols("q1 q2"))[0, 0]),
    "10.54": Computed(_by_polarisation, inputs=_energy, mistakes={
        "coupling": lambda T, n: np.diag([2 * T(e) for e in np.eye(n)]),
        "entry": lambda T, n: np.array([[T(a + b) for b in np.eye(n)] for a in np.eye(n)])}),
    "11.4": Computed(_across, inputs=lambda rng: (positive(rng, 6), *normal(rng, 6, (6, 1), 6, 1))),
    "11.53": Computed(_passed, inputs=lambda rng: (positive(rng, 6), rng.normal(size=(6, 2))), mistakes={
        "misconception": lambda I_A, S: I_A, "entry": lambda I_A, S: I_A - _passed(I_A, S),
        "inverse": lambda I_A, S: I_A - (I_A @ S) @ (S.T @ I_A @ S) @ (I_A @ S).T}),
    "13.3": Computed(_base_to_tip, inputs=_chain, mistakes={
        "transpose": _tip_to_base, "transpose 2": dict(phi=lambda phi: phi.transpose(0, 2, 1)),
        "entry 2": dict(phi=lambda phi: np.roll(phi, -1, axis=0))}),
    "13.54": Computed(lambda E: np.linalg.inv(np.eye(len(E)) - E), inputs=_blocks_below, mistakes={
        "entry": lambda E: np.eye(len(E)) + E, "inverse": lambda E: np.eye(len(E)) - E}),
    "12.1": Computed(_columns, inputs=_inverse_dynamics),
    "12.8": Computed(
        _torques, mistakes={
            "dual": dict(J=lambda J: np.linalg.inv(J).T),
            "dual 2": lambda J, Lambda, eta, V_dot: J.T @ (Lambda @ V_dot) + eta},
        inputs=lambda rng: (rng.normal(size=(3, 3)) + 2 * np.eye(3), positive(rng, 3), *rng.normal(size=(2, 3)))),
    "12.9": Computed(_euler, inputs=_falling_arm, mistakes={
        "gravity": dict(column=lambda ID, q, qd, e: ID(q, 0 * e, e, True)),
        "velocity": dict(column=lambda ID, q, qd, e: ID(q, qd, e, False)),
        "velocity 2": dict(column=lambda ID, q, qd, e: ID(q, e, 0 * e, False)),
        "gravity 2": dict(bias=lambda ID, q, qd: ID(q, qd, 0 * q, False)),
        "bias": dict(bias=lambda ID, q, qd: ID(q, 0 * q, 0 * q, True)),
        "order": dict(move=lambda q, qd, qdd, dt: q + (qd + qdd * dt) * dt),
        "order 2": dict(move=lambda q, qd, qdd, dt: q + qd * dt + qdd * dt**2 / 2)}),
    "12.53": Computed(
        lambda J, M: np.linalg.inv(J @ np.linalg.solve(M, J.T)),
        inputs=lambda rng: (rng.normal(size=(3, 4)), positive(rng, 4)), mistakes={
            "inverse": lambda J, M: J @ np.linalg.solve(M, J.T), "inverse 2": lambda J, M: J @ M @ J.T,
            "misconception": lambda J, M: np.linalg.pinv(J).T @ M @ np.linalg.pinv(J)}),
    "14.6": Computed(_times, inputs=lambda rng: map(tuple, rng.normal(size=(2, 2))), mistakes={
        "entry": lambda x, y: (x[0] * y[0], x[1] * y[1]), "entry 2": lambda x, y: (x[0] * y[0], x[1] * y[0]),
        "sign": lambda x, y: (x[0] * y[0] - x[1] * y[1], x[1] * y[0] + x[0] * y[1]),
        "sign 2": lambda x, y: (x[0] * y[0], x[1] * y[0] - x[0] * y[1])})}
