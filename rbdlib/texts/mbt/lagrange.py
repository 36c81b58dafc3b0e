"""Lagrange's equations, and the equations of motion of a tree by Jacobians (MBT sections 2 to 5 and 7).

The tutorial MBT writes every vector with its linear part first, takes velocities and forces at the centre of mass, and
resolves them in world axes (here: the base's) unless it says "local". R turns a body's coordinates into world or
parent coordinates: it is the transpose of RBDA's E. Lists are indexed by body number, with the base in place 0.
"""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, skew, unskew
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_kinematics import body_transforms, body_velocities
from rbdlib.book.ch04_orientation import rotation_from_euler_angles, turning_axes
from rbdlib.book.ch06_factorisation import solve
from rbdlib.methods.custom_joint import moves_by_itself
from rbdlib.methods.inertia_parameters import mass_properties
from rbdlib.methods.symbolic import EquationsOfMotion, exact, simplified, state_symbols, unit_vectors
from rbdlib.numbers.scalars import blocks, eye, rotation_series, vector, zeros


def particle_equations(r, masses, n, gravity=(0, 0, 0)):
    """The equations of motion of particles from their positions (MBT Eqs 1, 15-17), in symbols.

    r: a function of n generalized coordinates (an array) that returns the positions of the particles, one row each,
    written with sin, cos, sqrt of rbdlib.numbers.scalars. masses: one per particle. gravity: acceleration of free fall
    (m/s²). Returns `rbdlib.methods.symbolic.EquationsOfMotion`, with M = sum of mu Jᵀ J as H.
    """
    import sympy

    q, qd = (sympy.symbols(f"{letter}1:{n + 1}", real=True) for letter in ("q", "qd"))
    positions = sympy.Matrix(np.array(r(np.array(q))).tolist())
    if positions.rows != len(masses):
        raise ValueError(f"r returns {positions.rows} positions, but there are {len(masses)} masses; give one each.")
    J = [positions.row(i).T.jacobian(q) for i in range(positions.rows)]                         # (15)
    M = sum((mu * J_i.T * J_i for mu, J_i in zip(masses, J, strict=True)), sympy.zeros(n))      # (16)
    V = -sum(mu * positions.row(i).dot(list(gravity)) for i, mu in enumerate(masses))
    parts = (M, coriolis_from_mass_matrix(M, q, qd), sympy.Matrix([V]).jacobian(q).T)
    return EquationsOfMotion(*(simplified(part) for part in parts), q, qd, sympy.Symbol("t", real=True))


def coriolis_from_mass_matrix(M, q, qd):
    """C = M' qd - ½ ((dM/dq) qd)ᵀ qd for a SymPy matrix M in the symbols q (MBT Eq. 17).

    Column j of (dM/dq) qd is (dM/dq_j) qd, so that it is not M'.
    """
    import sympy

    rates = sympy.Matrix(list(qd))
    M_dot = sum((M.diff(x) * u for x, u in zip(q, qd, strict=True)), 0 * M)
    dM_dq_qd = sympy.Matrix.hstack(*(M.diff(x) * rates for x in q))
    return M_dot * rates - dM_dq_qd.T * rates / 2


def lagrangian_equations(model, q=None, qd=None):
    """The equations of motion of a model from its kinetic and potential energy alone (MBT Eqs 13-17), in symbols.

    The energies come from the positions of the bodies and their derivatives; no motion subspace and no recursion over
    velocities takes part. Where qd is not the derivative of q (q' = N qd), Lagrange's equations are multiplied by Nᵀ,
    which keeps the displacements that the joints allow (MBT Eq. 12). q, qd: symbols to use, as for
    `rbdlib.methods.symbolic.equations_of_motion`. Returns `rbdlib.methods.symbolic.EquationsOfMotion`.
    """
    import sympy

    q, qd, t = state_symbols(model, q, qd)
    rates = sympy.symbols(f"q_dot1:{model.nq + 1}", real=True, cls=sympy.Dummy) if model.nq else ()
    T, V = _energies(exact(model), q, rates, t)
    q_dot = sympy.Matrix(model.nq, 1, model.qdot(_array(q), _array(qd)).tolist())
    N, along = _jacobian(q_dot, qd), dict(zip(rates, q_dot, strict=True))

    momentum = _jacobian([T], rates).T
    M = _jacobian(momentum, rates)
    N_rate_qd = _jacobian(q_dot, q) * q_dot
    change = _jacobian(momentum, q) * q_dot + momentum.diff(t)
    C = M * N_rate_qd + (change - _jacobian([T], q).T).xreplace(along)                          # (13)
    parts = (N.T * M * N, N.T * C, N.T * _jacobian([V], q).T)
    return EquationsOfMotion(*(simplified(part, unit_vectors(model, q)) for part in parts), q, qd, t, model)


def _energies(model, q, rates, t):
    """Kinetic and potential energy, as SymPy expressions in q, q' = rates and t, by differentiating positions."""
    import sympy

    units = unit_vectors(model, q)

    def rate(matrix):
        return sum((matrix.diff(x) * u for x, u in zip(q, rates, strict=True)), matrix.diff(t))

    T, V = sympy.Integer(0), sympy.Integer(0)
    for X, I in zip(body_transforms(model, _array(q), t)[1:], model.inertia[1:], strict=True):
        E, r = X_to_Er(X)
        m, c, I_C = mass_properties(I)
        R, x = (simplified(sympy.Matrix(part.tolist()), units) for part in (E.T, r + E.T @ c))
        v, spin = rate(x), R.T * rate(R)
        omega = simplified(sympy.Matrix(unskew(np.array(spin.tolist())).tolist()), units)
        T += m * v.dot(v) / 2 + omega.dot(sympy.Matrix(I_C.tolist()) * omega) / 2               # (26)
        V -= m * x.dot(model.gravity.tolist())
    return T, V


def _jacobian(column, symbols):
    """The derivatives of the entries of a column, as a SymPy matrix that may have no rows or columns."""
    import sympy

    return sympy.Matrix(len(column), len(symbols), lambda i, j: column[i].diff(symbols[j]))


def _array(symbols):
    return np.array([*symbols, 0], dtype=object)[:-1]


# Rotations and their Jacobians: Jh q' is the angular velocity relative to the parent, in parent axes (MBT 5.2)


def exponential_map(q):
    """R = exp([q]): the matrix that turns by |q| about q (rad), by Rodrigues' formula (MBT Eqs 53, 55)."""
    q = vector(q, 3, "q")
    s1, s2, _ = rotation_series(q @ q)
    Q = skew(q)
    return eye(3, q) + s1 * Q + s2 * Q @ Q


def exponential_map_jacobian(q):
    """Jh (3 x 3) of the exponential map: [Jh q'] = R' Rᵀ (MBT Eqs 54, 56). Singular at |q| = 2 pi, 4 pi, ..."""
    q = vector(q, 3, "q")
    _, s2, s3 = rotation_series(q @ q)
    Q = skew(q)
    return eye(3, q) + s2 * Q + s3 * Q @ Q


def euler_angle_jacobian(angles, sequence="xyz"):
    """Jh (3 x 3) of Euler angles: the axes of the successive turns, in parent axes (MBT Eq. 52)."""
    return rotation_from_euler_angles(angles, sequence).T @ turning_axes(angles, sequence)


def quaternion_jacobian(p):
    """Jh (3 x 4) of Euler parameters p = (p0, p1, p2, p3): 2 (-x, p0 1 + [x]), x = (p1, p2, p3) (MBT 5.2)."""
    p = vector(p, 4, "p")
    return 2 * np.column_stack([-p[1:], p[0] * eye(3, p) + skew(p[1:])])


class CartesianState(namedtuple("CartesianState", "x R v w o o_dot")):
    """Where the bodies are and how they move, in world axes and lists indexed by body number (MBT 5.1).

    x[k], v[k]: position and velocity of the centre of mass.  R[k] (3 x 3): from body to world coordinates.  w[k]:
    angular velocity.  o[k], o_dot[k]: position and velocity of the origin of the body's frame, which is at its joint.
    """


def cartesian_state(model, q, qd=None):
    """The `CartesianState` of a model at q, moving with qd (default: at rest) (MBT 5.1).

    Raises ValueError if a joint moves by itself with time, which MBT excludes (Eq. 1).
    """
    q, qd = vector(q, model.nq, "q"), zeros(model.nv, q) if qd is None else vector(qd, model.nv, "qd")
    for k in model.bodies:
        if moves_by_itself(model.joints[k], q[model.q_slice(k)]):
            raise ValueError(f"Joint {k} ({model.joints[k]}) moves by itself with time, which these equations exclude "
                             "(MBT Eq. 1); use rnea and forward_dynamics of rbdlib.")
    state = CartesianState(*([] for _ in range(6)))
    for k, (X, velocity) in enumerate(zip(body_transforms(model, q), body_velocities(model, q, qd), strict=True)):
        E, o = X_to_Er(X)
        x = o + E.T @ mass_properties(model.inertia[k])[1] if k else o
        w, o_dot = E.T @ velocity[:3], E.T @ velocity[3:]
        for values, value in zip(state, (x, E.T, o_dot + skew(w) @ (x - o), w, o, o_dot), strict=True):
            values.append(value)
    return state


def local_angular_jacobian(model, q, k):
    """Jh_k (3 x n(k)): Jh_k qd_k is the angular velocity of body k relative to its parent, in parent axes (MBT 5.2)."""
    q, R = vector(q, model.nq, "q"), cartesian_state(model, q).R
    S = model.joints[k].motion_subspace(q[model.q_slice(k)])
    return R[model.parent[k]].T @ R[k] @ S[:3]


def link_jacobians(model, q):
    """The Jacobians J_k = (J_v; J_w) (6 x nv) of all bodies, a list: V_k = (v_k; w_k) = J_k qd (MBT Eqs 51, 57, 58)."""
    q, (x, R, _, _, o, _) = vector(q, model.nq, "q"), cartesian_state(model, q)
    J = [zeros((6, model.nv), *R, *model.X_tree[1:]) for _ in range(model.N_B + 1)]
    for l in model.bodies:
        S = model.joints[l].motion_subspace(q[model.q_slice(l)])
        S_w, S_v = R[l] @ S[:3], R[l] @ S[3:]                           # S_w is R_p(l) Jh_l
        for k in model.nu(l):
            J_k = J[k][:, model.v_slice(l)]
            J_k[:3] = S_v - skew(x[k] - o[l]) @ S_w                                             # (57)
            J_k[3:] = S_w                                                                       # (51)
    return J


def link_jacobian_rates(model, q, qd):
    """The derivatives of the Jacobians J_k while the model moves with qd, a list of 6 x nv matrices (MBT 4, 5.3)."""
    q, qd = vector(q, model.nq, "q"), vector(qd, model.nv, "qd")
    x, R, v, w, o, o_dot = cartesian_state(model, q, qd)
    J_dot = [zeros((6, model.nv), *R, *v, *model.X_tree[1:]) for _ in range(model.N_B + 1)]
    for l in model.bodies:
        joint, q_l, qd_l = model.joints[l], q[model.q_slice(l)], qd[model.v_slice(l)]
        S, S_ring = joint.motion_subspace(q_l), joint.motion_subspace_rate(q_l, qd_l)
        S_w, S_v = R[l] @ S[:3], R[l] @ S[3:]
        S_w_dot, S_v_dot = skew(w[l]) @ S_w + R[l] @ S_ring[:3], skew(w[l]) @ S_v + R[l] @ S_ring[3:]
        for k in model.nu(l):
            J_k_dot = J_dot[k][:, model.v_slice(l)]
            J_k_dot[:3] = S_v_dot - skew(v[k] - o_dot[l]) @ S_w - skew(x[k] - o[l]) @ S_w_dot
            J_k_dot[3:] = S_w_dot
    return J_dot


def mass_matrix_and_coriolis(model, q, qd):
    """M (nv x nv) and C (nv) of M qdd + C = Q, without gravity, which belongs to Q here (MBT Eqs 48, 59)."""
    qd, state = vector(qd, model.nv, "qd"), cartesian_state(model, q, qd)
    J, J_dot = link_jacobians(model, q), link_jacobian_rates(model, q, qd)
    M, C = zeros((model.nv, model.nv), *J_dot, *model.inertia[1:]), zeros(model.nv, *J_dot, *model.inertia[1:])
    for k in model.bodies:
        M_c, w_tilde = mass_block(model, state.R, k), blocks([[0, 0], [0, skew(state.w[k])]])
        M = M + J[k].T @ M_c @ J[k]
        C = C + (J[k].T @ M_c @ J_dot[k] + J[k].T @ w_tilde @ M_c @ J[k]) @ qd
    return M, C


def mass_block(model, R, k):
    """M_c (6 x 6) of body k: blockdiag(m 1, I_c), with I_c = R I_0 Rᵀ in world axes (MBT Eqs 21, 27)."""
    m, _, I_0 = mass_properties(model.inertia[k])
    return blocks([[m, 0],
                   [0, R[k] @ I_0 @ R[k].T]])


def gravity_force(model, q):
    """The generalized force of the weights, the sum of J_vᵀ m g over the bodies (MBT Eq. 48)."""
    J = link_jacobians(model, q)
    return sum((J[k][:3].T @ (model.inertia[k][5, 5] * model.gravity) for k in model.bodies),
               zeros(model.nv, *J, *model.inertia[1:]))


def forward_dynamics(model, q, qd, tau):
    """The accelerations qdd that joint forces tau (nv) and gravity cause: M qdd = Q - C (MBT Eqs 14, 59)."""
    M, C = mass_matrix_and_coriolis(model, q, qd)
    return solve(M, vector(tau, model.nv, "tau") + gravity_force(model, q) - C)


class TwoPasses(namedtuple("TwoPasses", "v w wd a f tau Q")):
    """The vectors of MBT's recursive inverse dynamics, in lists indexed by body number, in body axes.

    v[k]: velocity of the centre of mass.  w[k], wd[k]: angular velocity and acceleration.  a[k]: acceleration of the
    centre of mass, minus that of free fall.  f[k], tau[k]: force and torque (about the joint, the body's origin) that
    body k receives from its parent.  Q: the joint forces (nv).
    """


def recursive_inverse_dynamics(model, q, qd, qdd, t=0.0):
    """Joint forces for given accelerations by MBT's two passes in local frames (MBT section 7); returns `TwoPasses`.

    Written for a joint that may turn and slide: one that turns has d' = d'' = 0 (Eqs 76-80), one that slides has wh = 0
    (Eqs 83, 84). The world is number 0, with a[0] = -g; MBT starts at the root (Eqs 81, 85). Arguments as for `rnea`.
    """
    q, qd, qdd = vector(q, model.nq, "q"), vector(qd, model.nv, "qd"), vector(qdd, model.nv, "qdd")
    at_rest = zeros(3, q, qd, qdd)
    R, d, c, S, v, w, wd, a, f, tau = ([at_rest] * (model.N_B + 1) for _ in range(10))
    a[0] = -model.gravity
    for k in model.bodies:
        p, c[k] = model.parent[k], mass_properties(model.inertia[k])[1]
        R[k], d[k], S[k], (wh, wh_dot), (d_dot, d_ddot) = _joint_motion(model, k, q, qd, qdd, t)
        arm = d[k] - c[p]
        w[k] = R[k].T @ (w[p] + wh)                                                             # (78)
        wd[k] = R[k].T @ (wd[p] + wh_dot + skew(w[p]) @ wh)                                     # (80)
        v[k] = R[k].T @ (v[p] + skew(w[p]) @ arm + d_dot) + skew(w[k]) @ c[k]                   # (76), (83)
        a[k] = (R[k].T @ (a[p] + skew(wd[p]) @ arm + skew(w[p]) @ skew(w[p]) @ arm
                          + 2 * skew(w[p]) @ d_dot + d_ddot)
                + skew(w[k]) @ skew(w[k]) @ c[k] + skew(wd[k]) @ c[k])                          # (79), (84)

    Q = zeros(model.nv, *a, *model.inertia[1:])
    for k in reversed(model.bodies):
        (m, _, I_c), children = mass_properties(model.inertia[k]), model.mu(k)
        f[k] = m * a[k] + sum(R[i] @ f[i] for i in children)                                    # (72)
        tau[k] = (I_c @ wd[k] + skew(w[k]) @ I_c @ w[k] + skew(c[k]) @ f[k]
                  + sum(R[i] @ tau[i] + skew(d[i] - c[k]) @ R[i] @ f[i] for i in children))     # (73)
        Q[model.v_slice(k)] = S[k][:3].T @ tau[k] + S[k][3:].T @ f[k]                           # (69), in body axes
    return TwoPasses(v, w, wd, a, f, tau, Q)


def _joint_motion(model, k, q, qd, qdd, t):
    """R_k, d_k, S_k, and in parent axes two rates of body k in its parent's frame: of its turn and of its origin."""
    X_J, S, v_J, c_J = jcalc(model.joints[k], q[model.q_slice(k)], qd[model.v_slice(k)], t)
    a_J = S @ qdd[model.v_slice(k)] + c_J if model.joints[k].nv else c_J
    E, d = X_to_Er(X_J @ model.X_tree[k])
    sliding = E.T @ v_J[3:], E.T @ (a_J[3:] + skew(v_J[:3]) @ v_J[3:])
    return E.T, d, S, (E.T @ v_J[:3], E.T @ a_J[:3]), sliding
