"""Derivatives of the dynamics, and the matrices that controllers and identification need (beyond the texts).

"By q" means along the tangent: column k is the rate of change while velocity variable k is 1, all others 0, and q moves
at the rate `model.qdot(q, e_k)`. Where qd is the derivative of q these are the ordinary partial derivatives; the
columns number nv even where q has more variables.

Two arguments are shared. following=False leaves external forces what they are in base coordinates; following=True lets
the bodies carry them along, as thrusters are. characters=True counts the joints' dampers, springs, friction, end stops
and armatures (`rbdlib.methods.joint_character`), and the armatures in H, too.
"""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, force_transform, skew, xlt
from rbdlib.book.ch04_kinematics import body_transforms, joints_at
from rbdlib.book.ch04_model import external_forces, require_model
from rbdlib.book.ch05_inverse_dynamics import newton_euler, rnea
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba, expanded_parent
from rbdlib.book.ch07_articulated_body import aba
from rbdlib.methods.centre_of_mass import centre_of_mass
from rbdlib.methods.custom_joint import moves_by_itself
from rbdlib.methods.inertia_parameters import to_parameters
from rbdlib.methods.joint_character import aba_with_characters, armatures, rnea_with_characters
from rbdlib.methods.joint_space import composite_inertias
from rbdlib.methods.rotors import crba_with_rotors
from rbdlib.numbers import dual
from rbdlib.numbers.scalars import as_floats, blocks, eye, vector, zeros


def rnea_derivatives(model, q, qd, qdd, f_ext=None, t=0.0, following=False, characters=False):
    """The derivatives of the joint forces tau by q, qd and qdd: `rnea`, run on numbers that differentiate themselves.

    Arguments as for `rbdlib.rnea`, following and characters as above. Returns dtau_dq (along the tangent), dtau_dqd
    and H, each nv x nv, exact to rounding for every type of joint. Raises ValueError or TypeError as `rnea` does.
    """
    H = crba_with_rotors(model, q, armatures(model), t) if characters else crba(model, q, t)
    n, q = model.nv, _normalised(model, q)
    qd, qdd = vector(qd, n, "qd"), vector(qdd, n, "qdd")
    moving = dual.seed(q, np.hstack([tangent(model, q), zeros((model.nq, n), q)]))
    if following and f_ext is not None:
        here, there = body_transforms(model, q, t), body_transforms(model, moving, t)
        f_ext = external_forces(model, f_ext)                                       # in base coordinates
        f_ext = {i: there[i].T @ force_transform(here[i]) @ f_ext[i] for i in model.bodies}
    inverse_dynamics = rnea_with_characters if characters else rnea
    tau = inverse_dynamics(model, moving, dual.seed(qd, np.hstack([zeros((n, n), qd), eye(n, qd)])),
                           dual.seed(qdd, zeros((n, 2 * n), qdd)), f_ext, t)
    slopes = dual.partials(tau, 2 * n)          # along the n tangents of q, then by the n velocity variables
    return slopes[:, :n], slopes[:, n:], H


def aba_derivatives(model, q, qd, tau, f_ext=None, t=0.0, following=False, characters=False):
    """The derivatives of the joint accelerations qdd by q, qd and tau, from those of inverse dynamics.

    Arguments as for `rbdlib.aba`, following and characters as above. In tau = ID(q, qd, FD(q, qd, tau)) the left side
    does not change with q and qd, so that 0 = dID + H dFD. Returns dqdd_dq (along the tangent), dqdd_dqd and H⁻¹, each
    nv x nv.
    """
    qdd = (aba_with_characters if characters else aba)(model, q, qd, tau, f_ext, t)
    dtau_dq, dtau_dqd, H = rnea_derivatives(model, q, qd, qdd, f_ext, t, following, characters)
    H_inverse = solve(H, eye(model.nv, H), expanded_parent(model))
    return -H_inverse @ dtau_dq, -H_inverse @ dtau_dqd, H_inverse


def linearise(model, q, qd, tau, f_ext=None, t=0.0, following=False, characters=False):
    """The matrices A (2nv x 2nv) and B (2nv x nv) of small deviations from a motion: x' = A x + B (change of tau).

    Arguments as for `rbdlib.aba`, following and characters as above. x holds the deviation xi of the position and that
    of qd. xi (nv) is measured along the tangent: it is the velocity that leads to the deviated q in unit time. Where qd
    is the derivative of q, xi' is the change of qd; a ball that turns with omega adds -omega × xi, because xi is
    measured in the moving frame.
    """
    dqdd_dq, dqdd_dqd, H_inverse = aba_derivatives(model, q, qd, tau, f_ext, t, following, characters)
    q, qd, n = _normalised(model, q), vector(qd, model.nv, "qd"), model.nv
    Q = tangent(model, q)
    slopes = dual.jacobian(lambda q: tangent(model, q), q, Q)       # those of column k along column j are [:, k, j]
    turning = (slopes.swapaxes(1, 2) - slopes) @ qd                 # what motion and deviation fail to commute
    A, B = zeros((2 * n, 2 * n), dqdd_dq, dqdd_dqd, turning), zeros((2 * n, n), H_inverse)
    A[:n, :n] = solve(Q.T @ Q, Q.T @ turning, expanded_parent(model))
    A[:n, n:], A[n:, :n], A[n:, n:], B[n:] = eye(n, q), dqdd_dq, dqdd_dqd, H_inverse
    return A, B


def _normalised(model, q):
    """q with Euler parameters of unit length, where they are numbers."""
    q = vector(q, model.nq, "q")
    return q if as_floats(q) is None else model.normalise(q)


def tangent(model, q):
    """The matrix Q (nq x nv) that takes velocity variables to the rates of change of q (RBDA Eq. 3.6)."""
    q = vector(q, require_model(model).nq, "q")
    Q = zeros((model.nq, model.nv), q)
    for i in model.bodies:
        for k, e in enumerate(eye(model.joints[i].nv, q), start=model.v_slice(i).start):
            Q[model.q_slice(i), k] = model.joints[i].qdot(q[model.q_slice(i)], e)
    return Q


def coriolis_matrix(model, q, qd):
    """The matrix C (nv x nv) for which C qd are the Coriolis and centrifugal forces, and dH/dt - 2 C is skew.

    C qd + `generalized_gravity` = `bias_force`. Both hold for every joint that does not depend on time; dH/dt is the
    rate of change of H while q moves at the rate that belongs to qd. Of the many matrices that have these properties
    this is the one made of the Christoffel symbols (see `christoffel`): with body Jacobians J_i and their rates (RBDA
    Eqs 2.18, 2.57), it is the sum of J_iᵀ (I_i J_i-dot + B_i J_i). ValueError for joints that depend on time.
    """
    q, qd = vector(q, require_model(model).nq, "q"), vector(qd, model.nv, "qd")
    for i in model.bodies:
        if moves_by_itself(model.joints[i], q[model.q_slice(i)]):
            raise ValueError(f"Joint {i} ({model.names[i]}) depends on time and does work, so that no C has the "
                             "property that dH/dt - 2 C is skew. Use bias_force, or hold the joint still.")
    X_up, S = joints_at(model, q)
    C = zeros((model.nv, model.nv), qd, *X_up[1:], *S[1:], *model.inertia[1:])
    J, J_dot = [zeros((6, model.nv), C)], [zeros((6, model.nv), C)]

    for i in model.bodies:
        parent, k, I = model.parent[i], model.v_slice(i), model.inertia[i]
        J.append(X_up[i] @ J[parent])
        J[i][:, k] = S[i]
        v = J[i] @ qd
        J_dot.append(X_up[i] @ J_dot[parent])
        J_dot[i][:, k] = model.joints[i].motion_subspace_rate(q[model.q_slice(i)], qd[k]) + crm(v) @ S[i]
        n, f = map(skew, np.split(I @ v, 2))
        B = (crf(v) @ I - blocks([[n, f], [f, 0]]) - I @ crm(v)) / 2    # B v = v×* I v, and 2 B - dI/dt is skew
        C = C + J[i].T @ (I @ J_dot[i] + B @ J[i])
    return C


def christoffel(model, q):
    """The Christoffel symbols of the first kind of H, Gamma (nv x nv x nv): C_ij = sum over k of Gamma[i, j, k] qd_k.

    Where qd is the derivative of q, Gamma[i, j, k] = (dH_ij/dq_k + dH_ik/dq_j - dH_jk/dq_i) / 2, symmetric in j and k.
    For balls, planar and free joints the velocity variables are no derivatives. Then these are the coefficients of the
    same (Levi-Civita) connection for those variables: Gamma[i, j, k] + Gamma[j, i, k] is still dH_ij/dq_k, along the
    tangent, but Gamma[i, j, k] differs from Gamma[i, k, j] by what the motions j and k fail to commute. Raises
    ValueError for joints that depend on time.
    """
    n = require_model(model).nv
    columns = [coriolis_matrix(model, q, e) for e in eye(n)]
    return np.stack(columns, axis=2) if columns else np.zeros((0, 0, 0))


def centroidal_momentum_matrix(model, q, t=0.0):
    """The matrix A_G (6 x nv) that takes qd to the spatial momentum about the centre of mass, h_G = A_G qd.

    The axes are those of the base: rows 0-2 give the moment of momentum, rows 3-5 the momentum, of which the mass is
    the factor of the velocity of `rbdlib.methods.centre_of_mass.centre_of_mass`. (A joint that depends on time adds
    momentum that is not due to qd.) The columns are those of composite bodies, as in `crba`. ZeroDivisionError if
    nothing has mass.
    """
    (X_up, S), X_0, I_c = joints_at(model, q, t), body_transforms(model, q, t), composite_inertias(model, q, t)
    A_O = zeros((6, model.nv), *X_up[1:], *S[1:], *model.inertia[1:])
    for i in model.bodies:
        A_O[:, model.v_slice(i)] = X_0[i].T @ I_c[i] @ S[i]
    return force_transform(xlt(centre_of_mass(model, q, t))) @ A_O


def regressor(model, q, qd, qdd, t=0.0):
    """The matrix Y (nv x 10 N_B) with which joint forces are linear in the inertial parameters: tau = Y pi.

    Arguments as for `rnea`; tau without external forces, gravity included. pi: the ten parameters of each body, in the
    order of `parameters`. Columns 10 (i-1) to 10 i - 1 belong to body i; the inertias of the model play no part.
    """
    X_up, _, S, v, a, _, tau = newton_euler(model, q, qd, qdd, t=t)
    Y = zeros((model.nv, 10 * model.N_B), tau)
    for i in model.bodies:
        F = _by_parameters(a[i]) + crf(v[i]) @ _by_parameters(v[i])         # the force on body i is F pi_i
        j = i
        while j != 0:
            Y[model.v_slice(j), 10 * (i - 1) : 10 * i] = S[j].T @ F
            F = X_up[j].T @ F
            j = model.parent[j]
    return Y


def parameters(model):
    """The inertial parameters pi (10 N_B) of a model: m, m c_x, m c_y, m c_z, Ixx, Ixy, Iyy, Ixz, Iyz, Izz per body.

    They are mass (kg), first moment (kg m) and rotational inertia (kg m²) about the origin of the body's coordinates,
    in which all are expressed; Ixy, Ixz, Iyz are entries of the matrix. The order is that of Pinocchio too.
    """
    return np.array([to_parameters(I) for I in require_model(model).inertia[1:]]).ravel()


def _by_parameters(u):
    """The matrix (6 x 10) that takes the parameters of an inertia I to I u, for a motion vector u."""
    (x, y, z), linear = u[:3], u[3:]
    F = zeros((6, 10), u)
    F[:3, 1:4] = -skew(linear)
    F[:3, 4:] = [[x, y, 0, z, 0, 0],
                 [0, x, y, 0, z, 0],
                 [0, 0, 0, x, y, z]]
    F[3:, 0] = linear
    F[3:, 1:4] = skew(u[:3])
    return F
