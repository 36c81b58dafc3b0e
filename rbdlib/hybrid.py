"""Hybrid dynamics: forces known at some joints, accelerations at the others; prescribed motions (RBDA 9.1, 9.2).

The joints whose motion is prescribed are the book's inverse-dynamics joints; all others, whose forces are known, are
its forward-dynamics joints, the set fd. A joint belongs to the one or to the other with all its variables; to prescribe
one of several, as the turn of a cylindrical joint, make the joint of two, with a massless body between them.
"""

import numpy as np

from rbdlib.articulated_body import ArticulatedBodies, _inverse_of_D
from rbdlib.factorisation import expand_parent, solve
from rbdlib.inertia_matrix import crba, differential_inverse_dynamics, joints_at
from rbdlib.integrators import SimulationError
from rbdlib.inverse_dynamics import bias_force, rnea
from rbdlib.joints import jcalc
from rbdlib.model import external_forces, require_model
from rbdlib.scalars import as_floats, eye, number, vector, zeros
from rbdlib.spatial import crf, crm, force_transform, free_motion


def hybrid_dynamics(model, q, qd, qdd, tau, prescribed, f_ext=None, method="articulated_body", t=0.0):
    """The unknown accelerations and forces, where either is known at each joint (RBDA 9.1, 9.2); returns qdd, tau.

    q: positions (nq); qd: velocities (nv); qdd: accelerations (nv), known at the joints of the bodies in prescribed;
    tau: joint forces (nv), N or N m, known at all others. prescribed: body numbers, a list or one number. What qdd and
    tau hold elsewhere is not looked at: it may be NaN or None, and None will do for an argument of which nothing is
    known. f_ext: forces on the bodies in base coordinates, an (N_B+1, 6) array or a dict {body: 6-vector}; t: time
    (s), for joints that depend on it. Joints in model.loops are left open. method: one of the names in `METHODS`.

    Returns new arrays qdd (nv) and tau (nv), complete. With prescribed=[] this is forward dynamics, with all bodies in
    it inverse dynamics. What moves with prescribed joints only needs no inertia. Raises ValueError or TypeError for
    arguments of the wrong length or kind, and ValueError if a joint that is free moves nothing that has inertia.
    """
    _require_method(method, "method")
    return METHODS[method](model, q, qd, qdd, tau, prescribed, f_ext, t)


# Which joints are which (RBDA 9.1)


def forward_joints(model, prescribed):
    """fd, the forward-dynamics joints: a list of all joints but those of the bodies in prescribed, ascending."""
    bodies = set(require_model(model).bodies)
    given = [prescribed] if isinstance(prescribed, (int, np.integer)) else prescribed
    if not np.iterable(given) or isinstance(given, (str, bytes)) or not hasattr(given, "__len__"):
        raise TypeError(f"prescribed is {prescribed!r}; give a list of body numbers, such as [1, 3], or [].")
    for i in given:
        if not isinstance(i, (int, np.integer)) or isinstance(i, bool) or i not in bodies:
            raise ValueError(f"prescribed names body {i!r}; this model has the bodies 1 to {model.N_B}. Give numbers.")
    return sorted(bodies.difference(int(i) for i in given))


def permutation(model, prescribed):
    """Q (nv x nv), which puts the variables of the forward-dynamics joints first: Q qdd = [qdd_1; qdd_2] (RBDA 9.1)."""
    one, two = _variables(model, forward_joints(model, prescribed))
    return np.eye(model.nv, dtype=int)[[*one, *two]]


def supported(parent, fd):
    """nu(fd), the set of the bodies that at least one forward-dynamics joint moves (RBDA 9.1, Eq. 9.5).

    parent: lambda of the tree, N_B numbers; fd: joint numbers. It depends on nothing else, so that it can be kept.
    """
    parent = [None, *parent]
    nu_fd = set(fd)                                                     # (9.5)
    for i in range(1, len(parent)):
        if parent[i] in nu_fd:
            nu_fd = nu_fd | {i}
    return nu_fd


def modified_parent(parent, fd):
    """lambda' and map of the tree in which each prescribed joint has merged the bodies it connects (RBDA Fig. 9.1).

    parent: lambda of the tree, N_B numbers; fd: joint numbers. Returns two lists: lambda', one number per joint in fd,
    and map, N_B + 1 numbers from map[0] = 0, the new number of each body.
    """
    parent, map, modified = [None, *parent], [0], [None]
    j = 0
    for i in range(1, len(parent)):
        if i in fd:
            j = j + 1
            map.append(j)
            modified.append(map[parent[i]])
        else:
            map.append(map[parent[i]])
    return modified[1:], map


# By the inertia matrix (RBDA 9.1)


def by_inertia_matrix(model, q, qd, qdd, tau, prescribed, f_ext=None, t=0.0):
    """Hybrid dynamics in four steps, with H_11 alone and its branch-induced sparsity (RBDA 9.1, Table 9.1, Fig. 9.1).

    Arguments, result and errors as for `hybrid_dynamics`.
    """
    fd, qdd, tau = _known(model, qdd, tau, prescribed)
    one, two = _variables(model, fd)

    C = rnea(model, q, qd, qdd, f_ext, t)                               # 1. (9.3), as qdd is zero at fd

    H_11 = modified_crba(model, q, prescribed, t)[np.ix_(one, one)]     # 2.

    parent, _ = modified_parent(model.parent[1:], fd)
    parent, _ = expand_parent(parent, [model.joints[i].nv for i in fd])
    qdd_1 = solve(H_11, tau[one] - C[one], parent)                      # 3. (9.2)

    Qt_qdd_1 = zeros(model.nv, qdd_1)
    Qt_qdd_1[one] = qdd_1
    forces = C + differential_inverse_dynamics(model, q, Qt_qdd_1, t)   # 4.

    qdd, tau = _with_room(qdd, qdd_1), _with_room(tau, forces)
    qdd[one], tau[two] = qdd_1, forces[two]
    return qdd, tau


def modified_crba(model, q, prescribed, t=0.0):
    """The modified composite-rigid-body algorithm: H_11 and no more of the joint-space inertia (RBDA Table 9.1).

    q, t: as for `rbdlib.crba`; prescribed: as for `hybrid_dynamics`. Returns a matrix (nv x nv) in which H_11 stands
    where it stands in H, and zero in the rows and columns of the prescribed joints.
    """
    fd = forward_joints(model, prescribed)
    nu_fd = supported(model.parent[1:], fd)
    X_up, S = joints_at(model, q, t)
    parent, at_v = model.parent, model.v_slice
    H = zeros((model.nv, model.nv), *X_up[1:], *S[1:], *model.inertia[1:])
    I_c = [None] * (model.N_B + 1)

    for i in nu_fd:
        I_c[i] = model.inertia[i]

    for i in reversed(model.bodies):
        if parent[i] in nu_fd:
            I_c[parent[i]] = I_c[parent[i]] + X_up[i].T @ I_c[i] @ X_up[i]
        if i in fd:
            F = I_c[i] @ S[i]
            H[at_v(i), at_v(i)] = S[i].T @ F
            j = i
            while parent[j] in nu_fd:
                F = X_up[j].T @ F
                j = parent[j]
                if j in fd:
                    H[at_v(i), at_v(j)] = F.T @ S[j]
                    H[at_v(j), at_v(i)] = H[at_v(i), at_v(j)].T

    return H


def by_permutation(model, q, qd, qdd, tau, prescribed, f_ext=None, t=0.0):
    """Hybrid dynamics with the whole of H, permuted into four blocks, by the equations of the text (RBDA 9.1).

    Arguments, result and errors as for `hybrid_dynamics`.
    """
    fd, qdd, tau = _known(model, qdd, tau, prescribed)
    Q, n_1 = permutation(model, prescribed), len(_variables(model, fd)[0])
    H, C = Q @ crba(model, q, t) @ Q.T, Q @ bias_force(model, q, qd, f_ext, t)          # (9.1)

    H_11, H_12, H_21, H_22 = H[:n_1, :n_1], H[:n_1, n_1:], H[n_1:, :n_1], H[n_1:, n_1:]
    C_1, C_2 = C[:n_1], C[n_1:]
    tau_1, qdd_2 = (Q @ tau)[:n_1], (Q @ qdd)[n_1:]

    qdd_1 = solve(H_11, tau_1 - H_12 @ qdd_2 - C_1)                     # (9.4), upper row
    tau_2 = H_21 @ qdd_1 + H_22 @ qdd_2 + C_2                           # (9.4), lower row

    return Q.T @ np.concatenate([qdd_1, qdd_2]), Q.T @ np.concatenate([tau_1, tau_2])


# By articulated bodies (RBDA 9.2)


def by_articulated_bodies(model, q, qd, qdd, tau, prescribed, f_ext=None, t=0.0):
    """Hybrid dynamics by the articulated-body algorithm, at a cost of O(N_B) (RBDA Tables 9.2, 9.3).

    Arguments, result and errors as for `hybrid_dynamics`.
    """
    bodies, tau = hybrid_articulated_bodies(model, q, qd, qdd, tau, prescribed, f_ext, t)
    return bodies.qdd, tau


def hybrid_articulated_bodies(model, q, qd, qdd, tau, prescribed, f_ext=None, t=0.0):
    """The articulated-body hybrid-dynamics algorithm with all its intermediate quantities (RBDA Tables 9.2, 9.3).

    Arguments and errors as for `hybrid_dynamics`. Returns an `ArticulatedBodies` and tau (nv), complete. At prescribed
    joints its c contains S qdd too, and its U, D and u are None.
    """
    fd, qdd, tau = _known(model, qdd, tau, prescribed)
    q, qd = vector(q, model.nq, "q"), vector(qd, model.nv, "qd")
    f_ext, t = external_forces(model, f_ext), number(t, "t")
    kinds = q, qd, qdd, tau, f_ext, model.gravity, *model.X_tree[1:], *model.inertia[1:]
    qdd, tau = _with_room(qdd, *kinds), _with_room(tau, *kinds)

    X_up, X_0, S, v, c, p = pass_1(model, fd, q, qd, qdd, f_ext, t)
    I_A, p_A, U, D, D_inv, u, I_a, p_a = pass_2(model, fd, X_up, S, c, p, tau)
    a = pass_3(model, fd, X_up, S, c, I_A, p_A, U, D_inv, u, qdd, tau)

    return ArticulatedBodies(X_up, X_0, S, v, c, p, I_A, p_A, U, D, u, I_a, p_a, a, qdd), tau


def pass_1(model, fd, q, qd, qdd, f_ext, t):
    """The first loop of Table 9.3: from the base outwards, all that needs no forces."""
    parent, I, at_q, at_v = model.parent, model.inertia, model.q_slice, model.v_slice
    X_up, X_0, S, v, c, p = ([None] * (model.N_B + 1) for _ in range(6))

    X_0[0], v[0] = eye(6, q), zeros(6, qd)

    for i in model.bodies:
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[at_q(i)], qd[at_v(i)], t)
        X_up[i] = X_J @ model.X_tree[i]
        X_0[i] = X_up[i] @ X_0[parent[i]]
        v[i] = X_up[i] @ v[parent[i]] + v_J
        if i in fd:
            c[i] = c_J + crm(v[i]) @ v_J
        else:
            c[i] = c_J + crm(v[i]) @ v_J + S[i] @ qdd[at_v(i)]
        p[i] = crf(v[i]) @ I[i] @ v[i] - force_transform(X_0[i]) @ f_ext[i]

    return X_up, X_0, S, v, c, p


def pass_2(model, fd, X_up, S, c, p, tau):
    """The second loop of Table 9.3: from the leaves inwards, the articulated bodies."""
    parent, at_v, I_A, p_A = model.parent, model.v_slice, list(model.inertia), list(p)
    U, D, D_inv, u, I_a, p_a = ([None] * (model.N_B + 1) for _ in range(6))

    for i in reversed(model.bodies):
        if i in fd:
            U[i] = I_A[i] @ S[i]
            D[i] = S[i].T @ U[i]
            u[i] = tau[at_v(i)] - S[i].T @ p_A[i]
            D_inv[i] = _inverse_of_D(D[i], I_A[i], model, i, S[i])
            if parent[i] != 0:
                I_a[i] = I_A[i] - U[i] @ D_inv[i] @ U[i].T
                p_a[i] = p_A[i] + I_a[i] @ c[i] + U[i] @ D_inv[i] @ u[i]
                I_A[parent[i]] = I_A[parent[i]] + X_up[i].T @ I_a[i] @ X_up[i]
                p_A[parent[i]] = p_A[parent[i]] + X_up[i].T @ p_a[i]
        else:
            if parent[i] != 0:
                I_a[i] = I_A[i]                                                         # (9.9)
                p_a[i] = p_A[i] + I_a[i] @ c[i]                                         # (9.10)
                I_A[parent[i]] = I_A[parent[i]] + X_up[i].T @ I_a[i] @ X_up[i]
                p_A[parent[i]] = p_A[parent[i]] + X_up[i].T @ p_a[i]

    return I_A, p_A, U, D, D_inv, u, I_a, p_a


def pass_3(model, fd, X_up, S, c, I_A, p_A, U, D_inv, u, qdd, tau):
    """The third loop of Table 9.3: outwards again. It fills in what is unknown of qdd and tau, and returns a."""
    parent, at_v, a = model.parent, model.v_slice, [None] * (model.N_B + 1)

    a[0] = free_motion(-model.gravity)

    for i in model.bodies:
        if i in fd:
            a[i] = X_up[i] @ a[parent[i]] + c[i]
            qdd[at_v(i)] = D_inv[i] @ (u[i] - U[i].T @ a[i])
            a[i] = a[i] + S[i] @ qdd[at_v(i)]                                           # (9.8)
        else:
            a[i] = X_up[i] @ a[parent[i]] + c[i]                                        # (9.8)
            tau[at_v(i)] = S[i].T @ (I_A[i] @ a[i] + p_A[i])                            # (9.6)

    return a


#: The functions (model, q, qd, qdd, tau, prescribed, f_ext=None, t=0.0) -> qdd, tau, by name.
METHODS = {
    "articulated_body": by_articulated_bodies,
    "inertia_matrix": by_inertia_matrix,
    "permutation": by_permutation,
}


def _require_method(method, name):
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"{name} is {method!r}; choose {', '.join(map(repr, METHODS))}.")


# Arguments


def _variables(model, fd):
    """The places in qdd and tau of the forward-dynamics joints' variables, and those of the others: two lists."""
    one = [k for i in fd for k in range(model.nv)[model.v_slice(i)]]
    return one, [k for k in range(model.nv) if k not in one]


def _known(model, qdd, tau, prescribed):
    """fd, and qdd and tau (nv), checked where they are known and zero where they are not."""
    fd = forward_joints(model, prescribed)
    one, two = _variables(model, fd)
    return fd, _zero_at(one, qdd, model.nv, "qdd"), _zero_at(two, tau, model.nv, "tau")


def _zero_at(unknown, x, n, name):
    if x is None and len(unknown) == n:
        return zeros(n)
    if np.iterable(x) and not isinstance(x, (str, bytes)) and len(x := list(x)) == n:
        x = [0 if k in unknown else entry for k, entry in enumerate(x)]
    return vector(x, n, name)


def _with_room(x, *like):
    """A copy of x that can hold numbers of the kinds found in ``like`` too."""
    copy = zeros(len(x), x, *like)
    copy[:] = x
    return copy


# Motions that are functions of time


class PrescribedMotions:
    """The motions of joints as functions of time, for `rbdlib.simulate.simulate`.

    motions: {body: function}, where function(t) returns the joint's q, qd and qdd at the time t (s): arrays (nq, nv, nv
    of that joint), or three numbers if it has one variable. bodies: the body numbers, sorted.
    Raises ValueError, SimulationError (a ValueError) or TypeError, naming the body, for what is no such function.
    """

    def __init__(self, model, motions):
        if not isinstance(motions, dict):
            raise TypeError(f"prescribed is {motions!r}; give a dict {{body: function(t) -> (q, qd, qdd)}}.")
        forward_joints(model, list(motions))
        for body, function in motions.items():
            if not callable(function):
                raise TypeError(f"prescribed[{body}] is {function!r}; give a function of t that returns q, qd, qdd.")
        self.model, self.motions, self.bodies = model, motions, sorted(motions)
        if self.bodies:
            self._require_tree()

    def _require_tree(self):
        if self.model.loops:
            raise ValueError(f"prescribed motions need a tree, but the model has {self.model.N_L} loop(s). Replace the "
                             "joint by a Custom joint without variables that depends on t, or cut the loops with "
                             "model.replace(loops=()).")

    def at(self, body, t):
        """q, qd and qdd of the joint of one body at the time t, checked."""
        joint, given, values = self.model.joints[body], self.motions[body](float(t)), []
        where = f"prescribed[{body}], called at t = {t:.6g} s"
        if isinstance(given, (str, dict)) or not np.iterable(given) or len(given := list(given)) != 3:
            raise SimulationError(f"{where}, returned {given!r}; it must return q, qd and qdd of the joint.", t, body)
        for x, n, name in zip(given, (joint.nq, joint.nv, joint.nv), ("q", "qd", "qdd"), strict=True):
            try:
                values.append(as_floats(vector(np.atleast_1d(x), n, f"{where}: {name}")))
            except ValueError as error:
                raise SimulationError(str(error), t, body) from error
            if values[-1] is None:
                raise TypeError(f"{where}: {name} contains complex numbers or symbols; give real numbers.")
        return joint.normalise(values[0]), values[1], values[2]

    def imposed(self, t, q, qd):
        """q (nq) and qd (nv) with the parts of the prescribed joints replaced by what they are at the time t."""
        if self.bodies:
            q, qd = q.copy(), qd.copy()
        for i in self.bodies:
            q[self.model.q_slice(i)], qd[self.model.v_slice(i)], _ = self.at(i, t)
        return q, qd

    def dynamics(self, q, qd, tau, f_ext, t, method="articulated_body"):
        """`hybrid_dynamics` with the accelerations that are prescribed at the time t: qdd and tau (nv)."""
        self._require_tree()
        qdd = np.full(self.model.nv, np.nan)
        for i in self.bodies:
            qdd[self.model.v_slice(i)] = self.at(i, t)[2]
        return hybrid_dynamics(self.model, q, qd, qdd, tau, self.bodies, f_ext, method, t)

    def accelerations_by(self, method=None):
        """The function (model, q, qd, tau, f_ext, t) -> qdd by one of the `METHODS`."""
        method = "articulated_body" if method is None else method
        _require_method(method, "With prescribed motions dynamics")
        return lambda model, q, qd, tau, f_ext, t: self.dynamics(q, qd, tau, f_ext, t, method)[0]

    def require_state(self, t, q, qd):
        """Raise ValueError unless q (nq) and qd (nv) are what is prescribed at the time t."""
        for name, mine, its in zip(("q", "qd"), self.imposed(t, q, qd), (q, qd), strict=True):
            if np.abs(mine - its).max(initial=0) > 1e-9 * np.abs(mine).max(initial=1):
                raise ValueError(f"At t = {t:.6g} s {name} is not what prescribed says. Give the functions with which "
                                 "the motion was simulated.")

    def require_motion(self, start, end):
        """Raise SimulationError if qd is not the rate of q, or qdd not that of qd, at places between two times."""
        span = end - start
        h = 1e-6 * span
        places = (0.1273, 0.4571, 0.8619)               # no round parts of the span, where motions like to have kinks
        for i, t in ((i, start + place * span) for i in self.bodies for place in places):
            (q, qd, qdd), (q_next, qd_next, qdd_next) = self.at(i, t), self.at(i, t + h)
            moved = self.model.joints[i].integrate(q, h / 2 * (qd + qd_next), 1.0)
            sped_up = qd + h / 2 * (qdd + qdd_next)
            for names, x, y, expected in (("q", "qd"), q, q_next, moved), (("qd", "qdd"), qd, qd_next, sped_up):
                found, meant = np.abs(y - x).max(initial=0), np.abs(expected - x).max(initial=0)
                rounding = 1e-14 * np.abs(x).max(initial=1)
                if np.abs(y - expected).max(initial=0) > 1e-3 * max(found, meant) + rounding:
                    raise SimulationError(
                        f"prescribed[{i}]: at t = {t:.6g} s {names[0]} changes by {found / h:.4g} per second, but "
                        f"{names[1]} says {meant / h:.4g}. Return q, qd and qdd of one and the same motion.", t, i)
