"""Model answers to exercises that ask for a function, where the declared reference is not a function to be shown.

Each stands here as a learner would write it in the notebook. `ANSWERS` says to which exercise it belongs.
"""

import inspect
import textwrap

import numpy as np

import rbdlib
from rbdlib import contact
from rbdlib.book import (
    ch02_planar as planar,
    ch02_spatial as spatial,
    ch04_joints as joints,
    ch04_kinematics as kinematics,
    ch04_orientation as orientation,
)
from rbdlib.methods import inertia_parameters as parameters


def carried(E, r, v, f, back):
    """Of exercise 2.9."""
    if back:
        omega, linear = E.T @ v[:3], E.T @ f[3:]
        v_O = E.T @ v[3:] + np.cross(r, omega)
        n_O = E.T @ f[:3] + np.cross(r, linear)
        return np.array([[*omega, *v_O], [*n_O, *linear]])
    v_P = v[3:] - np.cross(r, v[:3])
    n_P = f[:3] - np.cross(r, f[3:])
    return np.array([[*(E @ v[:3]), *(E @ v_P)], [*(E @ n_P), *(E @ f[3:])]])


def force_on(pieces, v, a):
    """Of exercise 3.9."""
    I = sum(spatial.mcI(m, c, E.T @ I_C @ E) for m, c, E, I_C in pieces)
    return I @ a + spatial.crf(v) @ I @ v


def torques_with_strings(parent, place, inertia, q, g, pull):
    """Of exercise 4.9."""
    X, X_0, a, f = [None], [np.eye(3)], [np.array([0, 0, g])], [np.zeros(3)]
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


def forward(model, q, qd, tau, f_ext):
    """Of exercise 1.9."""
    C = rbdlib.rnea(model, q, qd, np.zeros(model.nv), f_ext)
    columns = [rbdlib.rnea(model, q, qd, delta, f_ext) - C for delta in np.eye(model.nv)]
    return np.linalg.solve(np.column_stack(columns), tau - C)


def by_multipliers(I, p, f, T, k):
    """Of exercise 5.9."""
    n_c = T.shape[1]
    M = np.block([[I, T], [T.T, np.zeros((n_c, n_c))]])
    x = np.linalg.solve(M, np.concatenate([f - p, k]))
    return np.concatenate([x[:6], -T @ x[6:]])


def velocities_and_places(model, q, qd):
    """Of exercise 6.9."""
    X_0, v, rows = [np.eye(6)], [np.zeros(6)], []
    for i in model.bodies:
        h = model.parent[i]
        X_J, S, v_J, c_J = joints.jcalc(model.joints[i], q[i - 1], qd[i - 1])
        X_up = X_J @ model.X_tree[i]
        X_0.append(X_up @ X_0[h])
        v.append(X_up @ v[h] + v_J)
        rows.append([*v[i], *spatial.X_to_Er(X_0[i])[1]])
    return np.array(rows)


def coriolis(dM, qd):
    """Of exercise 7.2."""
    return np.tensordot(qd, dM, 1) @ qd - np.array([qd @ slope @ qd for slope in dM]) / 2


def projected(m, I_c, J, J_dot, qd, g):
    """Of exercise 7.9."""
    n = len(qd)
    M, C, Q = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for k in range(len(m)):
        M_c, W = np.zeros((6, 6)), np.zeros((6, 6))
        M_c[:3, :3], M_c[3:, 3:] = m[k] * np.eye(3), I_c[k]
        W[3:, 3:] = spatial.skew(J[k][3:] @ qd)
        M = M + J[k].T @ M_c @ J[k]
        C = C + J[k].T @ (M_c @ J_dot[k] + W @ M_c @ J[k]) @ qd
        Q = Q + J[k][:3].T @ (m[k] * g)
    return np.column_stack([M, C, Q])


def hanging(m, l, g, q, qd):
    """Of exercise 8.9."""
    n, angle = len(m), np.cumsum(q)
    rods = l[:, None] * np.column_stack([np.sin(angle), -np.cos(angle)])
    a = np.cumsum(-np.cumsum(qd)[:, None] ** 2 * rods, axis=0)
    H, bias = np.zeros((n, n)), np.zeros(n)
    for k in range(n):
        J = np.zeros((2, n))
        for i in range(k + 1):
            x, y = sum(rods[i : k + 1])
            J[:, i] = -y, x
        H = H + m[k] * J.T @ J
        bias = bias + m[k] * J.T @ (a[k] + [0, g])
    return np.linalg.solve(H, -bias)




def joint_forces(parent, f_net, f_ext):
    """Of exercise 9.3."""
    f = f_net - f_ext
    for i in range(len(f) - 1, 0, -1):
        f[parent[i]] = f[parent[i]] + f[i]
    return f


def inverse_dynamics(model, q, qd, qdd, f_ext):
    """Of exercise 9.9."""
    X_up, X_0, S, v, a, f = ([None] * (model.N_B + 1) for _ in range(6))
    X_0[0], v[0], a[0], f[0] = np.eye(6), np.zeros(6), -spatial.free_motion(model.gravity), np.zeros(6)
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


def solve_Lt(parent, L, b):
    """Of exercise 10.6."""
    x = b.copy()
    for i in range(len(x) - 1, 0, -1):
        x[i] = x[i] / L[i, i]
        j = parent[i]
        while j != 0:
            x[j] = x[j] - L[i, j] * x[i]
            j = parent[j]
    return x


def inertia_matrix(model, q):
    """Of exercise 10.9."""
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


def factor(parent, H):
    """Of exercise 10.10."""
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


def p_a(I_A, p_A, S, c, tau):
    """Of exercise 11.4."""
    U = I_A @ S
    D_inv = np.linalg.inv(S.T @ U)
    I_a = I_A - U @ D_inv @ U.T
    return p_A + I_a @ c + U @ D_inv @ (tau - S.T @ p_A)


def passes_2_and_3(model, X, S, c, p, tau):
    """Of exercise 11.9."""
    I_A, p_A = list(model.inertia), list(p)
    U, D_inv, u, a, qdd = ([None] * (model.N_B + 1) for _ in range(5))
    for i in reversed(model.bodies):
        U[i] = I_A[i] @ S[i]
        D_inv[i] = np.linalg.inv(S[i].T @ U[i])
        u[i] = tau[i - 1] - S[i].T @ p_A[i]
        I_a = I_A[i] - U[i] @ D_inv[i] @ U[i].T
        p_a = p_A[i] + I_a @ c[i] + U[i] @ D_inv[i] @ u[i]
        h = model.parent[i]
        if h != 0:
            I_A[h] = I_A[h] + X[i].T @ I_a @ X[i]
            p_A[h] = p_A[h] + X[i].T @ p_a
    a[0] = np.concatenate([np.zeros(3), -np.array(model.gravity)])
    for i in model.bodies:
        a[i] = X[i] @ a[model.parent[i]] + c[i]
        qdd[i] = D_inv[i] @ (u[i] - U[i].T @ a[i])
        a[i] = a[i] + S[i] @ qdd[i]
    return np.concatenate(qdd[1:])


def mass_matrix(ID, n):
    """Of exercise 12.1."""
    return np.column_stack([ID(np.zeros(n), e, False) for e in np.eye(n)])


def motion(ID, J, q, qd, tau, F_tip, dt, N):
    """Of exercise 12.9."""
    states, rest = [np.concatenate([q, qd])], np.zeros(len(q))
    for k in range(N):
        h = ID(q, qd, rest, True)
        M = np.column_stack([ID(q, rest, e, False) for e in np.eye(len(q))])
        qdd = np.linalg.solve(M, tau(k * dt) - h - J(q).T @ F_tip(k * dt))
        q, qd = q + qd * dt, qd + qdd * dt
        states.append(np.concatenate([q, qd]))
    return np.array(states)


def loop_equations(parent, S, qd, p, s, T):
    """Of exercise 15.9."""
    n = len(parent)
    v, a, K = np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((T.shape[1], n))
    for i in range(1, n):
        v[i] = v[parent[i]] + S[i] * qd[i]
        a[i] = a[parent[i]] + spatial.crm(v[i]) @ S[i] * qd[i]
    i, j = p, s
    while i != j:
        if i > j:
            K[:, i], i = -T.T @ S[i], parent[i]
        else:
            K[:, j], j = T.T @ S[j], parent[j]
    k = -T.T @ (a[s] - a[p] + spatial.crm(v[s]) @ v[p])
    return np.column_stack([K[:, 1:], k])


def eliminated(K, k):
    """Of exercise 16.9."""
    A, rows, columns = np.column_stack([K, k]), [], []
    while True:
        left = abs(A[:, :-1])
        left[rows], left[:, columns] = 0, 0
        i, j = np.unravel_index(left.argmax(), left.shape)
        if left[i, j] < 1e-9:
            break
        A[i] = A[i] / A[i, j]
        others = [other for other in range(len(A)) if other != i]
        A[others] = A[others] - np.outer(A[others, j], A[i])
        rows, columns = [*rows, i], [*columns, j]
    free = [j for j in range(K.shape[1]) if j not in columns]
    G, g = np.zeros((K.shape[1], len(free))), np.zeros(K.shape[1])
    G[free], G[columns], g[columns] = np.eye(len(free)), -A[rows][:, free], A[rows, -1]
    return np.column_stack([G, g])


def shaped_at(motion, delay, t):
    """Of exercise 17.4."""
    return (np.array(motion(t)) + np.array(motion(t - delay))) / 2


def by_blocks(H, C, one, two, tau_1, qdd_2):
    """Of exercise 17.5."""
    H_11, H_12, H_21, H_22 = H[np.ix_(one, one)], H[np.ix_(one, two)], H[np.ix_(two, one)], H[np.ix_(two, two)]
    qdd_1 = np.linalg.solve(H_11, tau_1 - C[one] - H_12 @ qdd_2)
    tau_2 = H_21 @ qdd_1 + H_22 @ qdd_2 + C[two]
    return np.concatenate([qdd_1, tau_2])


def hybrid_passes(model, X, S, c, p, fd, qdd, tau):
    """Of exercise 17.9."""
    I_A, p_A, c, qdd, tau = list(model.inertia), list(p), list(c), np.array(qdd), np.array(tau)
    U, D_inv, u, a = ([None] * (model.N_B + 1) for _ in range(4))
    for i in reversed(model.bodies):
        if i in fd:
            U[i] = I_A[i] @ S[i]
            D_inv[i] = np.linalg.inv(S[i].T @ U[i])
            u[i] = tau[i - 1] - S[i].T @ p_A[i]
            I_a = I_A[i] - U[i] @ D_inv[i] @ U[i].T
            p_a = p_A[i] + I_a @ c[i] + U[i] @ D_inv[i] @ u[i]
        else:
            c[i] = c[i] + S[i] @ qdd[i - 1 : i]
            I_a, p_a = I_A[i], p_A[i] + I_A[i] @ c[i]
        h = model.parent[i]
        if h != 0:
            I_A[h] = I_A[h] + X[i].T @ I_a @ X[i]
            p_A[h] = p_A[h] + X[i].T @ p_a
    a[0] = np.concatenate([np.zeros(3), -np.array(model.gravity)])
    for i in model.bodies:
        a[i] = X[i] @ a[model.parent[i]] + c[i]
        if i in fd:
            qdd[i - 1 : i] = D_inv[i] @ (u[i] - U[i].T @ a[i])
            a[i] = a[i] + S[i] @ qdd[i - 1 : i]
        else:
            tau[i - 1 : i] = S[i].T @ (I_A[i] @ a[i] + p_A[i])
    return np.array([qdd, tau])


def accelerations(c, T_bar):
    """Of exercise 13.9."""
    phi = [np.eye(6), *c.phi[1:]]
    D, G, epsilon, beta_dot = ([None] * (c.n + 1) for _ in range(4))
    P_plus, z_plus, alpha = np.zeros((6, 6)), np.zeros(6), np.zeros(6)
    for k in c.links:
        P = phi[k - 1] @ P_plus @ phi[k - 1].T + c.M[k]
        z = phi[k - 1] @ z_plus
        D[k] = c.H[k] @ P @ c.H[k].T
        G[k] = P @ c.H[k].T / D[k]
        P_plus = (np.eye(6) - G[k] @ c.H[k]) @ P
        epsilon[k] = T_bar[k - 1] - c.H[k] @ z
        z_plus = z + G[k] @ epsilon[k]
    for k in reversed(c.links):
        alpha_plus = phi[k].T @ alpha
        beta_dot[k] = epsilon[k] / D[k][0] - G[k].T @ alpha_plus
        alpha = alpha_plus + c.H[k].T @ beta_dot[k]
    return np.concatenate(beta_dot[1:])


def change_of_torques(model, q, qd, qdd, dq, dqd):
    """Of exercise 14.9."""
    crm, crf = spatial.crm, spatial.crf
    X, S = kinematics.joints_at(model, q)
    v, a, dv, da, f, df = ([None] * (model.N_B + 1) for _ in range(6))
    v[0] = dv[0] = da[0] = np.zeros(6)
    a[0] = spatial.free_motion(-model.gravity)
    for i in model.bodies:
        h, k, s, I = model.parent[i], i - 1, S[i][:, 0], model.inertia[i]
        turn = dq[k] * crm(s) @ X[i]
        v[i] = X[i] @ v[h] + s * qd[k]
        dv[i] = X[i] @ dv[h] - turn @ v[h] + s * dqd[k]
        a[i] = X[i] @ a[h] + s * qdd[k] + crm(v[i]) @ s * qd[k]
        da[i] = X[i] @ da[h] - turn @ a[h] + crm(dv[i]) @ s * qd[k] + crm(v[i]) @ s * dqd[k]
        f[i] = I @ a[i] + crf(v[i]) @ I @ v[i]
        df[i] = I @ da[i] + crf(dv[i]) @ I @ v[i] + crf(v[i]) @ I @ dv[i]
    dtau = np.zeros(model.N_B)
    for i in reversed(model.bodies):
        h, s = model.parent[i], S[i][:, 0]
        dtau[i - 1] = s @ df[i]
        if h != 0:
            f[h], df[h] = f[h] + X[i].T @ f[i], df[h] + X[i].T @ (df[i] + dq[i - 1] * crf(s) @ f[i])
    return dtau


def joint_space(I_c0, F, H, C, p_c0, tau):
    """Of exercise 18.3."""
    return np.linalg.solve(H - F.T @ np.linalg.solve(I_c0, F), tau - C + F.T @ np.linalg.solve(I_c0, p_c0))


def floating_passes(model, I, X, S, c, p, tau, a_g):
    """Of exercise 18.10."""
    I_A, p_A = list(I), list(p)
    U, D_inv, u, a, qdd = ([None] * (model.N_B + 1) for _ in range(5))
    for i in reversed(model.bodies):
        U[i] = I_A[i] @ S[i]
        D_inv[i] = np.linalg.inv(S[i].T @ U[i])
        u[i] = tau[i - 1] - S[i].T @ p_A[i]
        I_a = I_A[i] - U[i] @ D_inv[i] @ U[i].T
        p_a = p_A[i] + I_a @ c[i] + U[i] @ D_inv[i] @ u[i]
        h = model.parent[i]
        I_A[h] = I_A[h] + X[i].T @ I_a @ X[i]
        p_A[h] = p_A[h] + X[i].T @ p_a
    a[0] = -np.linalg.solve(I_A[0], p_A[0])
    for i in model.bodies:
        a[i] = X[i] @ a[model.parent[i]] + c[i]
        qdd[i] = D_inv[i] @ (u[i] - U[i].T @ a[i])
        a[i] = a[i] + S[i] @ qdd[i]
    return np.concatenate([a[0] + [0, 0, 0, *a_g], *qdd[1:]])


def lemke(M, d):
    """Of exercise 20.10."""
    n = len(d)
    if min(d) >= 0:
        return np.zeros(1 + n)
    W = np.column_stack([np.eye(n), -M, -np.ones(n), d])
    basic, entering, row, pivots = list(range(n)), 2 * n, np.argmin(d), 0
    while 2 * n in basic or pivots == 0:
        W[row] = W[row] / W[row, entering]
        others = [i for i in range(n) if i != row]
        W[others] = W[others] - np.outer(W[others, entering], W[row])
        leaving, basic[row], pivots = basic[row], entering, pivots + 1
        entering = (leaving + n) % (2 * n)
        row = min(range(n), key=lambda i: W[i, -1] / W[i, entering] if W[i, entering] > 1e-12 else np.inf)
    return np.array([pivots, *(W[basic.index(n + i), -1] if n + i in basic else 0 for i in range(n))])


def motor_torques(model, gears, y, yd, ydd):
    """Of exercise 19.9."""
    joints = [i for i in model.bodies if i not in gears]
    G, ratios = np.zeros((model.N_B, len(joints))), np.zeros(len(joints))
    for k, i in enumerate(joints):
        G[i - 1, k] = 1
    for r, (i, ratio) in gears.items():
        G[r - 1, joints.index(i)] = ratios[joints.index(i)] = ratio
    return G.T @ rbdlib.rnea(model, G @ y, G @ yd, G @ ydd) / ratios


def two_phases(H, T, qd, e):
    """Of exercise 21.10."""
    steps = np.linalg.solve(H, T)
    lam = contact.solve_lcp(T.T @ steps, T.T @ qd).lam
    qd = qd + steps @ (lam + e * lam)
    return qd + steps @ contact.solve_lcp(T.T @ steps, T.T @ qd).lam


def next_speed(omega, rho, kappa, alpha, gamma):
    """Of exercise 21.7."""
    return rho * np.sqrt(omega**2 + 4 * kappa * np.sin(gamma) * np.sin(alpha))


def hunt_crossley(p, pdot, K, D, n):
    """Of exercise 22.4."""
    return 0.0 if p > 0 else max(0.0, abs(p) ** n * (K - D * pdot))


def soft_forces(p, pdot, v, z, x, K_n, D_n, K_t, D_t, mu):
    """Of exercise 22.10."""
    f_n = 0.0 if p > z else max(0.0, -K_n * p - D_n * pdot)
    f_stick = -K_t * x - D_t * v
    f_t = min(1, mu * f_n / np.linalg.norm(f_stick)) * f_stick
    return np.array([f_n, *f_t, -(K_n * z + f_n) / D_n, *(-(K_t * x + f_t) / D_t)])


def enclosed(lines, inputs):
    """Of exercise 23.10."""
    bounds = list(inputs)
    for sign, x, y in lines:
        a, b = bounds[x], bounds[y]
        if sign == "+":
            results = [a[0] + b[0], a[1] + b[1]]
        elif sign == "-":
            results = [a[0] - b[1], a[1] - b[0]]
        else:
            results = [s * t if sign == "*" else s / t for s in a for t in b]
        bounds.append((np.floor(1024 * min(results)) / 1024, np.ceil(1024 * max(results)) / 1024))
    return np.array(bounds)




def executions_of_line_13(parent):
    """Of exercise 24.3."""
    depth = [0]
    for p in parent:
        depth.append(depth[p] + 1)
    return sum(k - 1 for k in depth[1:])


def crba_cost(parent):
    """Of exercise 24.9."""
    n = len(parent)
    carried = [1] * (n + 1)
    for i in range(n, 0, -1):
        carried[parent[i - 1]] += carried[i]
    m, a = 0, 0
    for h in range(1, n + 1):
        children = [i for i in range(1, n + 1) if parent[i - 1] == h]
        children.sort(key=lambda i: carried[i], reverse=True)
        for i in children:
            if i == children[0]:
                m, a = m + 32 + 20 * carried[i], a + 43 + 12 * carried[i]
            else:
                m, a = m + 47 + 24 * carried[i], a + 58 + 18 * carried[i]
    return [m, a]


def shared(n, lines):
    """Of exercise 25.9."""
    equal, known = list(range(n)), {}
    for sign, x, y in lines:
        x, y = equal[x], equal[y]
        if sign != "-":
            x, y = sorted([x, y])
        equal.append(known.setdefault((sign, x, y), len(equal)))
    return equal


def culprit(terms, right):
    """Of exercise 26.9."""
    missing = right - terms.sum(axis=1)
    if np.allclose(missing, 0):
        return [-1, 1]
    for k in range(terms.shape[1]):
        ratios = missing / terms[:, k]
        if np.allclose(ratios, ratios[0]):
            return [k, 1 + ratios[0]]
    return [-1, 0]


def coriolis_matrix(H, q, qd):
    """Of exercise 29.2."""
    dH = np.array([H(q + 1e-20j * e).imag / 1e-20 for e in np.eye(len(q))])
    H_dot, B = np.tensordot(qd, dH, 1), dH @ qd
    return (H_dot + B.T - B) / 2


def adaptive(Y, q, qd, wanted, guess, Lambda, K, P):
    """Of exercise 29.5."""
    q_d, qd_d, qdd_d = wanted
    qd_r, qdd_r = qd_d + Lambda * (q_d - q), qdd_d + Lambda * (qd_d - qd)
    s, Y_r = qd - qd_r, Y(q, qd, qd_r, qdd_r)
    return np.concatenate([Y_r @ guess - K * s, -P * Y_r.T @ s])


def friction_lcp(H, v, N, D, phi, h, mu):
    """Of exercise 32.5."""
    n = len(phi)
    T, E = np.hstack([N, D, -D]), np.vstack([np.eye(n), np.eye(n)])
    A = np.block([[T.T @ np.linalg.solve(H, T), np.vstack([np.zeros((n, n)), E])],
                  [mu * np.eye(n), -E.T, np.zeros((n, n))]])
    return np.column_stack([A, np.concatenate([N.T @ v + phi / h, D.T @ v, -D.T @ v, np.zeros(n)])])


def zmp_of_masses(m, r, a, g):
    """Of exercise 34.3."""
    lift = m * (g + a[:, 2])
    moments = lift @ r[:, :2] - (m * r[:, 2]) @ a[:, :2]
    return moments / lift.sum()


def rolling_wheel(I, r, rho, g, E, v):
    """Of exercise 33.4."""
    u, rim = -E[:, 2], np.array([1, 0, 1])
    u_rate = -np.cross(v[:3], u)
    w, w_rate = rim * u, rim * u_rate
    s = np.sqrt(w @ w)
    x = r * w / s + rho * u
    x_rate = r * (w_rate / s - w * (w @ w_rate) / s**3) + rho * u_rate
    K = np.hstack([-spatial.skew(x), np.eye(3)])
    f = I @ np.array([0, 0, 0, *(-g * E[:, 2])]) - spatial.crf(v) @ I @ v
    M = np.block([[I, K.T], [K, np.zeros((3, 3))]])
    a = np.linalg.solve(M, np.concatenate([f, -np.cross(v[:3], x_rate)]))
    return np.concatenate([a[:6], -a[6:]])




def rotation_log(R):
    """Of exercise 27.3."""
    a = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    sine, cosine = np.linalg.norm(a), (np.trace(R) - 1) / 2
    theta = np.arctan2(sine, cosine)
    if cosine > 0:
        return a if sine == 0 else theta / sine * a
    B = ((R + R.T) / 2 - cosine * np.eye(3)) / (1 - cosine)
    k = np.argmax(np.diag(B))
    u = B[k] / np.sqrt(B[k, k])
    if (a @ u if a.any() else u[u != 0][0]) < 0:
        u = -u
    return theta * u


def space_jacobian(screws, q):
    """Of exercise 27.8."""
    carried, columns = np.eye(6), []
    for s, q_i in zip(screws.T, q, strict=True):
        columns.append(carried @ s)
        carried = carried @ spatial.inverse_transform(spatial.motion_exp(s * q_i))
    return np.array(columns).T


def top_rates(m, c, I_C, g, p, omega):
    """Of exercise 28.7."""
    E, C = orientation.rotation_from_euler_parameters(p), spatial.skew(c)
    I = I_C + m * C @ C.T
    n = np.cross(c, E @ [0, 0, -m * g])
    omega_rate = np.linalg.solve(I, n - np.cross(omega, I @ omega))
    return np.concatenate([orientation.euler_parameter_rates(p, omega), omega_rate])


def tree_regressor(model, q, qd, qdd):
    """Of exercise 30.5."""
    X, S, v, a = ([None] * (model.N_B + 1) for _ in range(4))
    v[0], a[0] = np.zeros(6), -spatial.free_motion(model.gravity)
    units = list(map(parameters.from_parameters, np.eye(10)))
    Y = np.zeros((model.N_B, 10 * model.N_B))
    for i in model.bodies:
        h = model.parent[i]
        X_J, S_i, v_J, c_J = joints.jcalc(model.joints[i], q[i - 1], qd[i - 1])
        X[i], S[i] = X_J @ model.X_tree[i], S_i[:, 0]
        v[i] = X[i] @ v[h] + v_J
        a[i] = X[i] @ a[h] + S[i] * qdd[i - 1] + c_J + spatial.crm(v[i]) @ v_J
        F = np.column_stack([E @ a[i] + spatial.crf(v[i]) @ E @ v[i] for E in units])
        j = i
        while j != 0:
            Y[j - 1, 10 * (i - 1) : 10 * i] = S[j] @ F
            F, j = X[j].T @ F, model.parent[j]
    return Y


def defects(f, x, u, h):
    """Of exercise 35.3."""
    F = f(x, u)
    return x[1:] - x[:-1] - h / 2 * (F[:-1] + F[1:])


def defect_jacobian(A, B, h):
    """Of exercise 35.4."""
    K, n, m = B.shape
    J, size = np.zeros(((K - 1) * n, K * (n + m))), n + m
    for k in range(K - 1):
        rows, here, there = slice(k * n, (k + 1) * n), k * size, (k + 1) * size
        J[rows, here : here + n] = -np.eye(n) - h / 2 * A[k]
        J[rows, here + n : here + size] = -h / 2 * B[k]
        J[rows, there : there + n] = np.eye(n) - h / 2 * A[k + 1]
        J[rows, there + n : there + size] = -h / 2 * B[k + 1]
    return J


def ten_numbers(I):
    """Of exercise A.2."""
    return [I[5, 5], I[2, 4], I[0, 5], I[1, 3], I[0, 0], I[1, 0], I[1, 1], I[2, 0], I[2, 1], I[2, 2]]


def moved_numbers(E, r, numbers):
    """Of exercise A.9."""
    m, h, (I11, I21, I22, I31, I32, I33) = numbers[0], numbers[1:4], numbers[4:]
    I = np.array([[I11, I21, I31], [I21, I22, I32], [I31, I32, I33]])
    y = h - m * r
    Z = E @ (I + spatial.skew(r) @ spatial.skew(h) + spatial.skew(y) @ spatial.skew(r)) @ E.T
    return np.concatenate([[m], E @ y, Z[np.tril_indices(3)]])


ANSWERS = {
    "1.9": forward,
    "2.9": carried,
    "3.9": force_on,
    "4.9": torques_with_strings,
    "5.9": by_multipliers,
    "6.9": velocities_and_places,
    "7.2": coriolis,
    "7.9": projected,
    "8.9": hanging,
    "9.3": joint_forces,
    "9.9": inverse_dynamics,
    "10.6": solve_Lt,
    "10.9": inertia_matrix,
    "10.10": factor,
    "11.4": p_a,
    "11.9": passes_2_and_3,
    "12.1": mass_matrix,
    "12.9": motion,
    "13.9": accelerations,
    "14.9": change_of_torques,
    "15.9": loop_equations,
    "16.9": eliminated,
    "17.4": shaped_at,
    "17.5": by_blocks,
    "17.9": hybrid_passes,
    "18.3": joint_space,
    "18.10": floating_passes,
    "19.9": motor_torques,
    "20.10": lemke,
    "21.7": next_speed,
    "21.10": two_phases,
    "22.4": hunt_crossley,
    "22.10": soft_forces,
    "23.10": enclosed,
    "24.3": executions_of_line_13,
    "24.9": crba_cost,
    "25.9": shared,
    "26.9": culprit,
    "27.3": rotation_log,
    "27.8": space_jacobian,
    "28.7": top_rates,
    "29.2": coriolis_matrix,
    "29.5": adaptive,
    "30.5": tree_regressor,
    "32.5": friction_lcp,
    "33.4": rolling_wheel,
    "34.3": zmp_of_masses,
    "35.3": defects,
    "35.4": defect_jacobian,
    "A.2": ten_numbers,
    "A.9": moved_numbers,
}


def source(function):
    """The code of a function without its docstring, and before it the imports of the modules that it uses.

    None if it uses anything else that is not its own.
    """
    needs = inspect.getclosurevars(function)
    if needs.nonlocals or not all(map(inspect.ismodule, needs.globals.values())):
        return None
    lines = textwrap.dedent(inspect.getsource(function)).rstrip().splitlines()
    imports = [f"import {module.__name__}" + f" as {name}" * (name != module.__name__)
               for name, module in sorted(needs.globals.items())]
    code = "\n".join(line for line in lines if not line.strip().startswith('"""'))
    return "\n\n\n".join(filter(None, ["\n".join(imports), code]))
