"""Gears: what they say about the joint variables of a tree, and its equation of motion with them (RBDA 9.6).

A geared tree has the joint variables q of the tree, of which the gears leave free the independent ones y: q = γ(y).
Motors that drive through gears are bodies of the tree. Nonlinear gears and further methods are in
`rbdlib.methods.gears`, scaled inertias in place of motors in `rbdlib.methods.rotors`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch05_inverse_dynamics import bias_force
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.numbers.model_arguments import geared_joints
from rbdlib.numbers.scalars import number, vector, zeros


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
        geared = geared_joints(model, self.gears)
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


def _places(joints, sizes):
    """The places of the variables of each joint, one after another: {joint: slice}, and how many they are."""
    ends = np.cumsum([0, *sizes]).tolist()
    return {i: slice(start, stop) for i, start, stop in zip(joints, ends, ends[1:], strict=False)}, ends[-1]


# The equation of motion in y (RBDA Eq. 9.26)
#
# geared: a `GearedTree`; y: independent positions (ny); yd: velocities (m); tau: the forces of all joints (nv),
# those of the motors at the joints they turn; f_ext, t: as for `rnea`.


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
