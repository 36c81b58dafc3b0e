"""The O(N) algorithms of other authors, in their own symbols (SOA 5, Table 1).

The text shows that all of these are one algorithm. What they share is written once, in `propagate`: inertias and
forces pass through the joints from tip to base, accelerations come back. What happens at a joint each author derives in
another way, and that is a function of its own. Armstrong alone splits the equations otherwise. This section of the text
has no velocities; where an author's formulas take them, they are here, and else inverse dynamics takes C off first.

Links are numbered from the base, so that link k is body k. Arguments, result and errors: as in `.articulated`.
"""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch02_spatial import classical_acceleration, spatial_acceleration
from rbdlib.book.ch04_joints import Euler, Reversed, Spherical
from rbdlib.numbers.negligible import is_negligible, sizes_by_unit
from rbdlib.numbers.scalars import vector, zeros
from rbdlib.texts.soa.operators import actuated, at_rest, bias_free, joint_vector, require_chain
from rbdlib.texts.soa.order_n.articulated import NO_INERTIA, inverse

#: SOA Table 1: what the authors call one and the same thing, but that "~" marks what is only akin to it: partial
#: velocities in the place of velocities, and Q and L, whose sum is f - z (Eq. 52). Featherstone's hats are left out.
NOTATION = {
    "author": ("Jain", "Vereshchagin", "Featherstone", "Brandl et al.", "Bae and Haug", "Rosenthal"),
    "link": ("n-k+1", "k", "k", "k", "k", ""),
    "joint rate": ("beta(k)", "qd_k", "qd_k", "qd(k)", "qd_(k-1)k", "u_k"),
    "joint map": ("H*(k)", "B_k", "s_k", "phi_k", "B_(k-1)k2", "~lambda_k"),
    "joint force": ("T(k)", "Q_k", "Q_k", "lambda_k", "", "tau_k"),
    "link transformation": ("phi*(k+1,k)", "A_k", "kX_k+1", "C_k+1", "B_(k-1)k1", ""),
    "spatial acceleration": ("alpha(k)", "xdd_k", "a_k", "(alpha_k; a_k^H)", "Yd_k", "(N alpha^k; N a^k)"),
    "spatial force": ("f(k)", "", "f_k", "(tau_k^h; f_k^h)", "~Q(k), see Eq. 50", ""),
    "articulated inertia": ("P(k)", "P_k", "I_k^A", "I_k*", "M_k + K_k", "M"),
    "joint inertia": ("D(k)", "B_k* P_k B_k", "s_k* I_k^A s_k", "M_k", "B_(k-1)k2* (M_k + K_k) B_(k-1)k2", "m_kk"),
    "correction force": ("z(k)", "R_k", "P_k", "beta_k*", "~L(k), see Eq. 52", "X(k)"),
}

#: Where `NOTATION` departs from the print, which lacks the links beyond k (data/errata.csv): what is printed.
MISPRINTS = {("joint inertia", "Bae and Haug"): "B_(k-1)k2* M_k B_(k-1)k2"}

class Links(namedtuple("Links", "parent children A B M V a b Q x_0")):
    """A chain numbered from the base, in lists indexed by body number; vectors have base axes and refer to O_k.

    parent[k], children[k]: the bodies next to k.  A[k]: takes motions from O of the parent to O_k (6 x 6).  B[k]: the
    joint map, whose columns are the motions that joint k allows (6 x r_v).  M[k]: inertia.  V[k]: velocity.  a[k],
    b[k]: acceleration and force that the velocities cause, the latter less the external force.  Q[k]: joint force
    (r_v).  x_0: acceleration of the base, which carries gravity.
    """


def links_from_base(model, q, qd, tau, f_ext=None, t=0.0):
    """The model in a state, with joint forces tau, as `Links`; arguments as for forward dynamics."""
    return _links(model, *actuated(model, q, qd, tau, f_ext, t))


def links_at_rest(model, q, qd, tau, f_ext=None, t=0.0):
    """Links at rest without other forces: Q are the joint forces less C (SOA Eq. 22); a, b, V and x_0 are zero."""
    c, T = actuated(model, q, qd, tau, f_ext, t)
    return _links(model, at_rest(c), bias_free(c, T))                                   # (22)


def _links(model, c, T):
    tau = c.to_model(T)
    phi, H, M, V, a, b, f = (x[:0:-1] for x in (c.phi, c.H, c.M, c.V, c.a, c.b, c.f_ext))
    bodies = model.bodies
    return Links(list(model.parent), [model.mu(k) for k in range(c.n + 1)], [None, *(phi[k].T for k in bodies)],
                 [None, *(H[k].T for k in bodies)], M, V, a, [None, *(b[k] - f[k] for k in bodies)],
                 [None, *(tau[model.v_slice(k)] for k in bodies)], c.alpha_base)


class Propagated(namedtuple("Propagated", "inertia force joint_inertia acceleration qdd")):
    """Results of `propagate`, in lists indexed by body number; what they mean is the author's affair.

    inertia[k], force[k]: of the articulated body beyond joint k, P(k) and z(k) in the text.  joint_inertia[k]: D(k).
    acceleration[k]: of link k.  qdd: the joint accelerations (N).
    """


def propagate(links, across):
    """The sweep from tip to base and the one back that all these algorithms have in common (SOA 5); a `Propagated`.

    across(k, P, R, links): what the author does at joint k, where P and R are the inertia and force of all beyond it.
    It returns what the inboard link feels of P and R, the joint's inertia, and a function that gives qdd_k for the
    acceleration at O_k of the inboard link.
    """
    A, n = links.A, len(links.A) - 1
    P, R, D, felt, x, qdd = ([None] * (n + 1) for _ in range(6))
    respond: list = [None] * (n + 1)

    for k in reversed(range(1, n + 1)):
        P[k] = sum((A[j].T @ felt[j][0] @ A[j] for j in links.children[k]), links.M[k])
        R[k] = sum((A[j].T @ felt[j][1] for j in links.children[k]), links.b[k])
        *felt[k], D[k], respond[k] = across(k, P[k], R[k], links)

    x[0] = links.x_0
    for k in range(1, n + 1):
        x_plus = A[k] @ x[links.parent[k]]
        qdd[k] = respond[k](x_plus)
        x[k] = x_plus + links.B[k] @ qdd[k] + links.a[k]

    return Propagated(P, R, D, x, np.concatenate([*qdd[1:], 0 * links.x_0[:0]]))


def vereshchagin(model, q, qd, tau, f_ext=None, t=0.0):
    """Vereshchagin's algorithm: the accelerations of least constraint, by dynamic programming (SOA 5).

    What is least is the sum over the links of xdd* M xdd / 2 + xdd* b - qdd* Q. Source for hinges and sliders; the
    formulas are the same for every joint.
    """
    return propagate(links_from_base(model, q, qd, tau, f_ext, t), least_cost).qdd


def least_cost(k, P, R, links):
    """Bellman's step: the cost J(xdd) = xdd* P xdd / 2 + xdd* R of link k and all beyond it, with the best qdd_k.

    xdd = x + B qdd + a is what qdd makes of the acceleration x of the inboard link; it costs J(xdd) - qdd* Q. The best
    qdd = g - F x leaves a cost that is quadratic in x again.
    """
    B, a, Q = links.B[k], links.a[k], links.Q[k]
    B_P_B = B.T @ P @ B
    inverse_of_B_P_B = inverse(B_P_B, k, B, P)
    F = inverse_of_B_P_B @ B.T @ P
    g = inverse_of_B_P_B @ (Q - B.T @ (P @ a + R))
    return P - P @ B @ F, R + P @ (a + B @ g), B_P_B, lambda x: g - F @ x


def featherstone(model, q, qd, tau, f_ext=None, t=0.0):
    """Featherstone's articulated-body algorithm of 1983, with spatial accelerations (SOA 5; RBDA Table 7.1).

    Source for hinges and sliders, whose d is a number; the formulas are the same for every joint.
    """
    return propagate(with_spatial_accelerations(links_from_base(model, q, qd, tau, f_ext, t)), handle).qdd


def with_spatial_accelerations(links):
    """The links with a and b for spatial accelerations, those of a field at O_k and not of the point that is there."""
    rest, a, b = zeros(6, links.x_0), list(links.a), list(links.b)
    for k in range(1, len(links.A)):
        V, V_inboard = links.V[k], links.V[links.parent[k]]
        a[k] = spatial_acceleration(a[k] + links.A[k] @ classical_acceleration(rest, V_inboard), V)
        b[k] = b[k] + links.M[k] @ classical_acceleration(rest, V)                      # V ×* M V - f
    return links._replace(a=a, b=b)


def handle(k, I_A, p, links):
    """How link k's handle passes its inertia I_A and bias force p on: h = I_A s, d = s* h, u = Q - h* c - s* p."""
    s, c, Q = links.B[k], links.a[k], links.Q[k]
    h = I_A @ s
    d = s.T @ h
    d_inv = inverse(d, k, s, I_A)
    u = Q - h.T @ c - s.T @ p
    return I_A - h @ d_inv @ h.T, p + I_A @ c + h @ d_inv @ u, d, lambda a: d_inv @ (u - h.T @ a)


def brandl_johanni_otter(model, q, qd, tau, f_ext=None, t=0.0):
    """The algorithm of Brandl, Johanni and Otter, for all joints: elimination in the hinges' equations (SOA 5)."""
    return propagate(links_from_base(model, q, qd, tau, f_ext, t), hinge).qdd


def hinge(k, I, beta, links):
    """Hinge k: qdd from (tau^h; f^h) = I (alpha; a^H) + beta and phi* (tau^h; f^h) = lambda, then the force itself.

    (alpha; a^H) = C (alpha; a^H)_(k-1) + phi qdd + zeta. The link's part is moved through the hinge by the gain N.
    """
    phi, zeta, lam = links.B[k], links.a[k], links.Q[k]
    M = phi.T @ I @ phi
    M_inv = inverse(M, k, phi, I)
    N = I @ phi @ M_inv
    beta_zeta = beta + I @ zeta
    rest = lam - phi.T @ beta_zeta
    return I - N @ phi.T @ I, beta_zeta + N @ rest, M, lambda a: M_inv @ rest - N.T @ a


def rosenthal(model, q, qd, tau, f_ext=None, t=0.0):
    """Rosenthal's order-N algorithm, from Kane's equations: no matrix is inverted, only divided by m_kk (SOA 5).

    Source for joints of one freedom. A joint of several is a row of them with massless links between, one for each of
    its generalized speeds, so that the formulas hold as they are.
    """
    return propagate(links_from_base(model, q, qd, tau, f_ext, t), speed_by_speed).qdd


def speed_by_speed(k, M, X, links):
    """Eliminate the rates of change of the generalized speeds u_k with the partial velocities lambda_k, one by one.

    lambda is a column of the joint map; m = M lambda are the inertia forces that belong to it, m_kk = lambda · m.
    """
    steps, D = [], links.B[k].T @ M @ links.B[k]
    X = X + M @ links.a[k]
    for lam, tau in zip(links.B[k].T, links.Q[k], strict=True):
        m = M @ lam
        m_kk, r = lam @ m, tau - lam @ X
        size = sizes_by_unit(lam[:, None], M)
        if m_kk == 0 or size is not None and is_negligible(m_kk, m_kk, size[0]):
            raise ValueError(NO_INERTIA.format(k))
        M, X = M - m[:, None] * (m / m_kk), X + m * (r / m_kk)
        steps.append((lam, m, m_kk, r))

    def substitute_back(x):
        u_dot = zeros(len(steps), x, D, X)
        for i in reversed(range(len(steps))):
            lam, m, m_kk, r = steps[i]
            u_dot[i] = (r - m @ x) / m_kk
            x = x + lam * u_dot[i]
        return u_dot

    return M, X, D, substitute_back


def bae_haug(model, q, qd, tau, f_ext=None, t=0.0):
    """Bae and Haug's algorithm: virtual work of the applied forces Q on the links, for a chain at rest (SOA 5).

    The joint forces enter as the wrench that each actuator exerts on its link and, reversed, on the inboard link.
    Source for joints of one freedom and cylindrical joints; the formulas are the same for every joint.
    """
    return propagate(with_link_forces(links_at_rest(model, q, qd, tau, f_ext, t)), virtual_work).qdd


def with_link_forces(links):
    """The links with the applied forces Q(k) at O_k, which have the joint forces as components, in the place of b."""
    Q, wrench = list(links.b), list(links.b)
    for k in reversed(range(1, len(links.A))):
        wrench[k] = wrenches(links.B[k], k) @ links.Q[k]
        Q[k] = sum((-links.A[j].T @ wrench[j] for j in links.children[k]), wrench[k])
    return links._replace(b=Q)


def wrenches(B, body):
    """Forces h (6 x r_v) that act along the joint's freedoms alone, B* h = 1: unit forces of the actuators."""
    return B @ inverse(B.T @ B, body)


def virtual_work(k, M_K, Q_L, links):
    """The joint's share in the virtual work of M_k + K_k and of Q_k + L_k; the rest is passed on to the parent."""
    B = links.B[k]
    D = B.T @ M_K @ B
    D_inv = inverse(D, k, B, M_K)
    G = M_K @ B @ D_inv
    return M_K - G @ B.T @ M_K, Q_L - G @ (B.T @ Q_L), D, lambda Yd: D_inv @ B.T @ Q_L - G.T @ Yd


class Armstrong(namedtuple("Armstrong", "Gamma Lambda Omega_w Upsilon_w Omega_F Upsilon_F N wd vd beta_dot")):
    """The coefficients of Armstrong's linear forms and their solution, in lists indexed by link (SOA Eqs 47, 48).

    wd(k) = Omega_w(k) vd(k) + Upsilon_w(k), F(k) = Omega_F(k) vd(k) + Upsilon_F(k).  Gamma[k], Lambda[k]: 3 x 3, on the
    way there; Lambda is the text's script L.  N[k]: moments in the joints.  wd[k], vd[k]: angular acceleration of link
    k, and acceleration of O_k; wd[n+1] = 0.  beta_dot: the joint accelerations (N), in the chain's order.
    """


def armstrong(model, q, qd, tau, f_ext=None, t=0.0):
    """Armstrong's algorithm for spherical joints: angular accelerations and forces as linear forms (SOA Eqs 47, 48).

    For chains and trees at rest, after inverse dynamics has taken C off. The joints may be Spherical or Euler, and
    these Reversed; ValueError for others, such as Universal, which cannot turn in all directions.
    """
    c, T = actuated(model, q, qd, tau, f_ext, t)
    require_balls(model)
    return c.to_model(armstrong_recursion(c, bias_free(c, T)).beta_dot)                      # (22)


def require_balls(model):
    """Refuse, with ValueError, a model with a joint that does not turn about a fixed point in all directions."""
    for k in model.bodies:
        joint = model.joints[k]
        while isinstance(joint, Reversed):
            joint = joint.joint
        if not isinstance(joint, Spherical | Euler) or joint.nv != 3:
            raise ValueError(f"Joint {k} is a {model.joints[k]} joint; Armstrong's formulas are for spherical joints "
                             "only. Use articulated_body, which does the same for every joint.")


def armstrong_recursion(c, T_bar):
    """Armstrong's recursion for the coefficients and back-substitution for a chain at rest (SOA Eq. 48); `Armstrong`.

    Upsilon_F(k) = Upsilon_F(k-1) - L* Upsilon_w(k): the first of the two forms in the text lacks the first term.
    """
    T_bar = vector(T_bar, require_chain(c).N, "T_bar")
    Gamma, L, Omega_w, Upsilon_w, Omega_F, Upsilon_F, N, h = ([None] * (c.n + 1) for _ in range(8))
    beta_dot, wd, vd = [None] * (c.n + 1), [None] * (c.n + 2), [None] * (c.n + 2)

    for k in c.links:
        J, mp, m1 = c.M[k][:3, :3], c.M[k][:3, 3:], c.M[k][3:, 3:]
        l = {j: c.phi[j][:3, 3:] for j in c.outboard[k]}
        h[k] = wrenches(c.H[k].T, c.n + 1 - k)[:3]
        N[k] = h[k] @ T_bar[c.at(k)]
        J_A = sum((-l[j] @ Omega_F[j] @ l[j] for j in l), J)
        Gamma[k] = inverse(J_A, c.n + 1 - k)
        L[k] = -sum((l[j] @ Omega_F[j] for j in l), mp)
        Omega_w[k] = Gamma[k] @ L[k]
        Upsilon_w[k] = Gamma[k] @ sum((-l[j] @ Upsilon_F[j] - N[j] for j in l), N[k])
        Omega_F[k] = sum((Omega_F[j] for j in l), m1) - L[k].T @ Gamma[k] @ L[k]
        Upsilon_F[k] = sum((Upsilon_F[j] for j in l), -L[k].T @ Upsilon_w[k])

    wd[c.n + 1] = vd[c.n + 1] = zeros(3, T_bar)
    for k in reversed(c.links):
        i = c.inboard[k]
        vd[k] = vd[i] - c.phi[k][:3, 3:] @ wd[i]
        wd[k] = Omega_w[k] @ vd[k] + Upsilon_w[k]                                       # (47)
        beta_dot[k] = h[k].T @ (wd[k] - wd[i])

    return Armstrong(Gamma, L, Omega_w, Upsilon_w, Omega_F, Upsilon_F, N, wd, vd, joint_vector(c, beta_dot))
