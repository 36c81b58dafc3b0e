"""Forward dynamics by the joint-space inertia matrix, and other ways to that matrix (RBDA 6.1, 6.2).

The functions ``by_…`` calculate C, then H, then solve H qdd = tau - C. They take q, qd, f_ext and t as `rnea` does, and
the joint forces tau (nv), and return qdd (nv). Each raises ValueError for a model with loops and where H is singular,
and ValueError or TypeError for arguments of the wrong length or kind.
"""

from rbdlib.book.ch04_kinematics import joints_at
from rbdlib.book.ch04_model import require_model, require_tree
from rbdlib.book.ch05_inverse_dynamics import bias_force, rnea
from rbdlib.book.ch06_factorisation import ltdl, ltl, solve, solve_L, solve_Lt
from rbdlib.book.ch06_inertia_matrix import crba, differential_inverse_dynamics, expanded_parent
from rbdlib.numbers.scalars import eye, vector, zeros


def composite_inertias(model, q, t=0.0):
    """The composite-rigid-body inertias I_c[i] (6 x 6): body i and all it carries, as one rigid body (RBDA Eq. 6.17).

    q, t: as for `crba`. Returns a list indexed by body number, in body coordinates; place 0 is empty.
    """
    X_up, _ = joints_at(model, q, t)
    I_c = [None, *(I.copy() for I in model.inertia[1:])]
    for i in reversed(model.bodies):
        if model.parent[i] != 0:
            I_c[model.parent[i]] = I_c[model.parent[i]] + X_up[i].T @ I_c[i] @ X_up[i]      # (6.17)
    return I_c


def inertia_matrix_by_columns(model, q, t=0.0):
    """H by the steps in which the algorithm was found: a force for each variable, felt by its supports (RBDA 6.3).

    When variable alpha of joint i alone accelerates, what joint i carries moves as one rigid body with s_alpha, and the
    force that this takes passes unchanged through every joint between i and the base. Arguments as for `crba`.
    """
    (X_up, S), I_c, at_v = joints_at(model, q, t), composite_inertias(model, q, t), model.v_slice
    H = zeros((model.nv, model.nv), *X_up[1:], *S[1:], *model.inertia[1:])

    for i in model.bodies:
        for alpha, s_alpha in zip(range(model.nv)[at_v(i)], S[i].T, strict=True):
            f = I_c[i] @ s_alpha                                        # (6.24)
            for j in reversed(model.kappa(i)):
                H[at_v(j), alpha] = S[j].T @ f                          # (6.25)
                H[alpha, at_v(j)] = H[at_v(j), alpha]
                f = X_up[j].T @ f

    return H


def inertia_and_bias(model, q, qd, f_ext=None, t=0.0):
    """H (nv x nv) and C (nv) of tau = H qdd + C, from nv + 1 calls of inverse dynamics (FDSV Eqs 9-11).

    C is in each column of H first and then subtracted: where it is 10^k times as large, H loses k digits; `crba` none.
    """
    C = bias_force(model, q, qd, f_ext, t)                                      # (FDSV 9)

    H = zeros((model.nv, model.nv), C)
    for i in range(model.nv):
        delta_i = eye(model.nv, C)[i]
        H[:, i] = rnea(model, q, qd, delta_i, f_ext, t) - C                     # (FDSV 11)
    return H, C


def inertia_matrix(model, q, qd=None, f_ext=None, t=0.0):
    """The joint-space inertia matrix H (nv x nv), column by column from inverse dynamics (FDSV Eqs 9-11).

    H depends on q (and t) alone; qd and f_ext (as for `rnea`) may be given to see that they cancel. They do so to
    rounding: what velocities and forces add to H and take away again costs it digits, the more the faster the motion.

    >>> from rbdlib import load
    >>> inertia_matrix(load("double_pendulum"), [0, 0])
    array([[5., 2.],
           [2., 1.]])
    """
    qd = zeros(require_model(model).nv, q) if qd is None else qd
    return inertia_and_bias(model, q, qd, f_ext, t)[0]


def by_inverse_dynamics(model, q, qd, tau, f_ext=None, t=0.0):
    """Forward dynamics with H and C from nv + 1 calls of inverse dynamics, and no zeros assumed (FDSV section 2).

    The faster the motion, the fewer digits are right, as `inertia_and_bias` explains; `by_crba` loses none to it.
    """
    tau = vector(tau, require_tree(model).nv, "tau")
    H, C = inertia_and_bias(model, q, qd, f_ext, t)
    return solve(H, tau - C)                                            # (FDSV 6)


def by_differential_inverse_dynamics(model, q, qd, tau, f_ext=None, t=0.0):
    """Forward dynamics with H from nv calls of differential inverse dynamics (RBDA 6.1)."""
    tau = vector(tau, require_tree(model).nv, "tau")
    C = bias_force(model, q, qd, f_ext, t)                              # (6.2)
    H = zeros((model.nv, model.nv), C)
    for alpha in range(model.nv):
        delta_alpha = eye(model.nv, C)[alpha]
        H[:, alpha] = differential_inverse_dynamics(model, q, delta_alpha, t)
    return solve(H, tau - C, expanded_parent(model))


def by_columns(model, q, qd, tau, f_ext=None, t=0.0):
    """Forward dynamics with H from the forces of single variables (RBDA 6.3)."""
    tau = vector(tau, require_tree(model).nv, "tau")
    C = bias_force(model, q, qd, f_ext, t)                              # (6.2)
    return solve(inertia_matrix_by_columns(model, q, t), tau - C, expanded_parent(model))


def by_crba(model, q, qd, tau, f_ext=None, t=0.0):
    """Forward dynamics by the composite-rigid-body algorithm and H = LᵀDL (RBDA 6.2, 6.5)."""
    tau, parent = vector(tau, require_tree(model).nv, "tau"), expanded_parent(model)
    C = bias_force(model, q, qd, f_ext, t)                              # (6.2)
    L, D = ltdl(crba(model, q, t), parent)
    x = solve_Lt(L, tau - C, parent, unit=True) / D
    return solve_L(L, x, parent, unit=True)                             # L⁻¹ D⁻¹ L⁻ᵀ (tau - C)


def by_crba_ltl(model, q, qd, tau, f_ext=None, t=0.0):
    """Forward dynamics by the composite-rigid-body algorithm and H = LᵀL (RBDA 6.2, 6.5)."""
    tau, parent = vector(tau, require_tree(model).nv, "tau"), expanded_parent(model)
    C = bias_force(model, q, qd, f_ext, t)                              # (6.2)
    L = ltl(crba(model, q, t), parent)
    return solve_L(L, solve_Lt(L, tau - C, parent), parent)             # L⁻¹ L⁻ᵀ (tau - C)
