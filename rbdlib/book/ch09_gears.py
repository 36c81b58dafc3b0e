"""Gears: what they say about the joint variables of a tree, and its equation of motion with them (RBDA 9.6).

A geared tree has the joint variables q of the tree, of which the gears leave free the independent ones y: q = γ(y).
Motors that drive through gears are bodies of the tree, or, by the quick and dirty method, scaled inertias. Gears that
are not linear, and further ways to solve the equation of motion, are in `rbdlib.methods.gears`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, force_transform, free_motion
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_model import external_forces, joined, per_joint, require_model
from rbdlib.book.ch05_inverse_dynamics import bias_force
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba, expanded_parent, sparsity_pattern
from rbdlib.book.ch07_articulated_body import inverse_of_D
from rbdlib.numbers.scalars import as_floats, eye, matrix, number, vector, zeros


@dataclass(frozen=True, eq=False)
class Gear:
    """A gear that makes joint ``joint`` move with others: q_joint = sum of ratio × q_source + offset (RBDA 9.6).

    joint: number of the body whose joint is geared.  ratios: {source: ratio}, such as {1: 100} for a motor that turns
    a hundred times as fast as joint 1; two sources make a differential.  offset: q_joint where the sources are 0.
    """

    joint: int
    ratios: dict
    offset: float = 0

    def __post_init__(self):
        if not isinstance(self.ratios, Mapping) or not self.ratios:
            raise ValueError(f"ratios is {self.ratios!r}; give a dict of joints and gear ratios, such as {{1: 100}}.")
        ratios = {i: _plain(number(ratio, f"ratios[{i}]")) for i, ratio in self.ratios.items()}
        object.__setattr__(self, "ratios", MappingProxyType(ratios))
        object.__setattr__(self, "offset", _plain(number(self.offset, "offset")))

    def __reduce__(self):
        return Gear, (self.joint, dict(self.ratios), self.offset)

    def __repr__(self):
        return f"Gear({self.joint}, {dict(self.ratios)}{f', offset={self.offset}' if self.offset != 0 else ''})"

    @property
    def sources(self):
        """The joints on which q_joint depends."""
        return tuple(self.ratios)

    def value(self, x):
        """q_joint for the variables x of the sources."""
        return sum((ratio * x_i for ratio, x_i in zip(self.ratios.values(), x, strict=True)), self.offset)

    def slopes(self, x):
        """The derivatives of q_joint by each of x, a list."""
        return list(self.ratios.values())

    def curvature(self, x, xd):
        """The part of the second derivative of q_joint that xd alone makes: zero, as the gear is linear."""
        return 0


def _plain(x):
    return x.item() if isinstance(x, np.generic) else x             # which prints without the name of a type


class GearedTree:
    """A tree whose gears make some joint variables functions of the others: q = γ(y) (RBDA 9.6).

    model: the `Model` of the tree without gears, rotors included as bodies.  gears: a gear or several, each a `Gear` or
    a `rbdlib.methods.gears.NonlinearGear`.

    Attributes: model, gears; independent: the numbers of the joints without gear, to which y and yd belong; ny, m: how
    many position and velocity variables these have. y and yd are q and qd without the variables of the geared joints.
    Raises ValueError or TypeError for a gear that does not fit the model.
    """

    def __init__(self, model, gears):
        gears = [gears] if hasattr(gears, "sources") else gears
        if not np.iterable(gears):
            raise TypeError(f"gears is {gears!r}; give a list of gears, such as [Gear(2, {{1: 100}})].")
        self.model, self.gears = require_model(model), tuple(gears)
        if model.loops:
            raise ValueError("The model has loops, and gears are built into trees. Cut the loops with "
                             "model.replace(loops=()), or state the gears among the loop constraints.")
        geared = _geared_joints(model, self.gears)
        self.independent = tuple(i for i in model.bodies if i not in geared)
        self.in_y, self.ny = _places(self.independent, [model.joints[i].nq for i in self.independent])
        self.in_yd, self.m = _places(self.independent, [model.joints[i].nv for i in self.independent])

    def __repr__(self):
        return f"GearedTree({self.model.N_B} bodies, {list(self.gears)})"

    def gamma(self, y):
        """All joint positions q = γ(y) (nq) for the independent ones y (ny)."""
        y, at_q = vector(y, self.ny, "y"), self.model.q_slice
        values = [gear.value(self._sources(gear, y, self.in_y)) for gear in self.gears]
        q = zeros(self.model.nq, y, values)
        for i in self.independent:
            q[at_q(i)] = y[self.in_y[i]]
        for gear, value in zip(self.gears, values, strict=True):
            q[at_q(gear.joint)] = value
        return q

    def rows(self, y):
        """The nv rows of G, each a dict {column: element} of what is not zero for every y (RBDA 9.6)."""
        y, rows = vector(y, self.ny, "y"), [{} for _ in range(self.model.nv)]
        for i in self.independent:
            columns = range(self.m)[self.in_yd[i]]
            for row, column in zip(range(self.model.nv)[self.model.v_slice(i)], columns, strict=True):
                rows[row] = {column: 1}
        for gear in self.gears:
            slopes = gear.slopes(self._sources(gear, y, self.in_y))
            columns = [self.in_yd[i].start for i in gear.sources]
            rows[self.model.v_slice(gear.joint).start] = dict(zip(columns, slopes, strict=True))
        return rows

    def G(self, y):
        """G (nv x m) of qd = G yd, which is ∂γ/∂y where qd is the rate of q."""
        rows = self.rows(y)
        G = zeros((self.model.nv, self.m), [element for row in rows for element in row.values()])
        for i, row in enumerate(rows):
            for j, element in row.items():
                G[i, j] = element
        return G

    def g(self, y, yd):
        """g = dG/dt yd (nv) of qdd = G ydd + g, which is zero but for nonlinear gears."""
        y, yd = vector(y, self.ny, "y"), vector(yd, self.m, "yd")
        values = [gear.curvature(self._sources(gear, y, self.in_y), self._sources(gear, yd, self.in_yd))
                  for gear in self.gears]
        g = zeros(self.model.nv, values)
        for gear, value in zip(self.gears, values, strict=True):
            g[self.model.v_slice(gear.joint)] = value
        return g

    def _sources(self, gear, y, places):
        return [y[places[i].start] for i in gear.sources]


def require_geared(geared):
    """The argument, checked to be a `GearedTree`; TypeError otherwise."""
    if not isinstance(geared, GearedTree):
        raise TypeError(f"geared is {geared!r}; give a GearedTree(model, [Gear(2, {{1: 100}}), ...]).")
    return geared


def _geared_joints(model, gears):
    """The numbers of the joints that have gears, which are checked to fit the model."""
    for gear in gears:
        if not hasattr(gear, "sources"):
            raise TypeError(f"gears contains {gear!r}; give Gear and NonlinearGear objects.")
    geared = [gear.joint for gear in gears]
    for i in [i for gear in gears for i in (gear.joint, *gear.sources)]:
        freedoms = len(range(model.nv)[model.v_slice(i)])
        if freedoms != 1:
            raise ValueError(f"Joint {i} of a gear is a {model.joints[i]} joint with {freedoms} freedoms; gears "
                             "connect joints with one, such as hinges and sliders.")
    if len(set(geared)) < len(geared):
        raise ValueError(f"The gears move the joints {geared}; give each of them one gear.")
    chained = [i for gear in gears for i in gear.sources if i in geared]
    if chained:
        raise ValueError(f"Joint {chained[0]} drives a gear and is itself geared. Give the second gear the source of "
                         "the first, with the product of the ratios.")
    return geared


def _places(joints, sizes):
    """The places of the variables of each joint, one after another: {joint: slice}, and how many they are."""
    ends = np.cumsum([0, *sizes]).tolist()
    return {i: slice(start, stop) for i, start, stop in zip(joints, ends, ends[1:], strict=False)}, ends[-1]


# The equation of motion in y (RBDA Eq. 9.26)
#
# geared: a `GearedTree`; y: independent positions (ny); yd, ydd: velocities and accelerations (m); tau: the forces of
# all joints (nv), those of the motors at the joints they turn; f_ext, t: as for `rnea`.


class GearedEquation(NamedTuple):
    """H_G ydd + C_G = u, with H_G = GᵀHG (m x m), C_G = Gᵀ(C + H g) (m) and u = Gᵀtau (m) (RBDA Eq. 9.26)."""

    H_G: np.ndarray
    C_G: np.ndarray
    u: np.ndarray


def equation_of_motion(geared, y, yd, tau, f_ext=None, t=0.0):
    """The equation of motion of a tree with gears (RBDA Eq. 9.26): a `GearedEquation`, with nothing left out."""
    (q, qd, G, g), model = state(geared, y, yd), geared.model
    tau = vector(tau, model.nv, "tau")
    H, C = crba(model, q, t), bias_force(model, q, qd, f_ext, t)
    return GearedEquation(G.T @ H @ G, G.T @ (C + H @ g), G.T @ tau)                    # (9.26)


def state(geared, y, yd):
    """q = γ(y), qd = G yd, G and g in the state y, yd."""
    G = require_geared(geared).G(y)
    return geared.gamma(y), G @ vector(yd, geared.m, "yd"), G, geared.g(y, yd)


def by_G(geared, y, yd, tau, f_ext=None, t=0.0):
    """The accelerations ydd (m), from the equation of motion with explicit G, all products formed (RBDA Eq. 9.26)."""
    H_G, C_G, u = equation_of_motion(geared, y, yd, tau, f_ext, t)
    return solve(H_G, u - C_G)


def congruence(geared, H, y):
    """GᵀHG (m x m), without the products whose factors are zero or one for every y (RBDA Eq. 9.27).

    H: the joint-space inertia matrix of the tree (nv x nv), symmetric, with the zeros that its branches cause.
    """
    rows, pattern = require_geared(geared).rows(y), sparsity_pattern(geared.model)
    H = matrix(H, pattern.shape, "H")
    H_G = zeros((geared.m, geared.m), H, [element for row in rows for element in row.values()])
    columns = [[(i, row[a]) for i, row in enumerate(rows) if a in row] for a in range(geared.m)]
    for a in range(geared.m):
        for b in range(a + 1):
            terms = []
            for i, G_ia in columns[a]:
                for j, G_jb in columns[b]:
                    if pattern[i, j] and (a != b or j <= i):
                        term = times(G_ia, times(G_jb, H[i, j]))
                        terms += [term, term] if a == b and j < i else [term]
            H_G[a, b] = H_G[b, a] = sum(terms[1:], terms[0]) if terms else 0
    return H_G


def times(factor, x):
    """factor × x, which takes no multiplication if the factor is the whole number 1."""
    return x if isinstance(factor, int) and factor == 1 else factor * x


# The quick and dirty method: the rotors are no bodies, but scaled inertias (RBDA Example 9.5, Eq. 9.28)
#
# q, qd, tau, f_ext, t: as for `aba`, in the tree without rotors; tau is scaled by the gear ratios. I_rot: the scaled
# inertias, a dict {body: inertia} for joints of one freedom, such as {1: 0.5}. The method ignores the smaller inertial
# effects of the rotors and all gyroscopic ones.


def scaled_rotor_inertia(ratio, J):
    """I_rot = ratio² J: the inertia of a rotor, J about its axis, as felt at the joint that it drives (RBDA 9.6).

    ratio: how many times faster the rotor turns.
    """
    ratio = number(ratio, "ratio")
    return ratio * ratio * number(J, "J")


def crba_with_rotors(model, q, I_rot, t=0.0):
    """H of a tree without rotors, with their scaled inertias added to its diagonal (RBDA Example 9.5)."""
    I_rot, H = _rotors(model, I_rot), crba(model, q, t)
    diagonal = zeros(model.nv, list(I_rot.values()))
    for i, I in I_rot.items():
        diagonal[model.v_slice(i)] = I
    return H + np.diag(diagonal)


def by_crba_with_rotors(model, q, qd, tau, I_rot, f_ext=None, t=0.0):
    """The accelerations qdd (nv) from H with the scaled inertias on its diagonal."""
    H, C = crba_with_rotors(model, q, I_rot, t), bias_force(model, q, qd, f_ext, t)
    return solve(H, vector(tau, model.nv, "tau") - C, expanded_parent(model))


def aba_with_rotors(model, q, qd, tau, I_rot, f_ext=None, t=0.0):
    """The accelerations qdd (nv) by Table 7.1 with the scaled rotor inertias in D_i (RBDA Eq. 9.28)."""
    q, qd, tau = per_joint(model, q=q, qd=qd, tau=tau)
    I_rot, f_ext, t = _rotors(model, I_rot), external_forces(model, f_ext), number(t, "t")
    parent, I = model.parent, model.inertia
    X_up, X_0, S, v, c, I_A, p_A, U, D, D_inv, u, a, qdd = ([None] * (model.N_B + 1) for _ in range(13))

    X_0[0], v[0] = eye(6, *q[1:]), zeros(6, *qd[1:])

    for i in model.bodies:
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[i], qd[i], t)                    # (7.32) (7.33)
        X_up[i] = X_J @ model.X_tree[i]
        X_0[i] = X_up[i] @ X_0[parent[i]]
        v[i] = X_up[i] @ v[parent[i]] + v_J                                             # (7.34)
        c[i] = c_J + crm(v[i]) @ v_J                                                    # (7.35)
        I_A[i] = I[i]
        p_A[i] = crf(v[i]) @ I[i] @ v[i] - force_transform(X_0[i]) @ f_ext[i]           # (7.36)

    for i in reversed(model.bodies):
        U[i] = I_A[i] @ S[i]                                                            # (7.43)
        D[i] = S[i].T @ U[i] + I_rot.get(i, 0)                                          # (9.28)
        u[i] = tau[i] - S[i].T @ p_A[i]                                                 # (7.45)
        D_inv[i] = inverse_of_D(D[i], I_A[i], model, i, S[i])
        if parent[i] != 0:
            I_a = I_A[i] - U[i] @ D_inv[i] @ U[i].T                                     # (7.47)
            p_a = p_A[i] + I_a @ c[i] + U[i] @ D_inv[i] @ u[i]                          # (7.48)
            I_A[parent[i]] = I_A[parent[i]] + X_up[i].T @ I_a @ X_up[i]                 # (7.37)
            p_A[parent[i]] = p_A[parent[i]] + X_up[i].T @ p_a                           # (7.38)

    a[0] = free_motion(-model.gravity)

    for i in model.bodies:
        a[i] = X_up[i] @ a[parent[i]] + c[i]                                            # (7.46)
        qdd[i] = D_inv[i] @ (u[i] - U[i].T @ a[i])                                      # (7.49)
        a[i] = a[i] + S[i] @ qdd[i]                                                     # (7.50)

    return joined(qdd)


def _rotors(model, I_rot):
    """I_rot, checked: a dict {body: inertia} for joints of one freedom."""
    if not isinstance(I_rot, dict):
        raise TypeError(f"I_rot is {I_rot!r}; give a dict of bodies and scaled rotor inertias, such as {{1: 0.5}}.")
    for i in I_rot:
        if len(range(require_model(model).nv)[model.v_slice(i)]) != 1:
            raise ValueError(f"I_rot names joint {i}, which is a {model.joints[i]} joint; the method is for joints of "
                             "one freedom. Model its motors as bodies with gears.")
    I_rot = {i: number(I, f"I_rot[{i}]") for i, I in I_rot.items()}
    for i, I in I_rot.items():
        value = as_floats(I)
        if value is not None and value < 0:
            raise ValueError(f"I_rot[{i}] is {I}; no rotor has a negative inertia. Give the square of its gear ratio "
                             "times its inertia, as scaled_rotor_inertia does.")
    return I_rot
