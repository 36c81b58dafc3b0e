"""Trees with gears: the joint variables q = γ(y) as functions of the independent ones (RBDA 9.6).

The equation of motion of a `GearedTree` is in `rbdlib.book.ch09_gears`; gears that are not linear, and further ways to
solve it, are in `rbdlib.methods.gears`. Motors that drive through gears are bodies of the tree.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from rbdlib.book.ch04_model import require_model
from rbdlib.numbers.model_arguments import slices_of
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

    #: The joints on which q_joint depends.
    sources = property(lambda self: tuple(self.ratios))

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
        for gear in self.gears:
            if not hasattr(gear, "sources"):
                raise TypeError(f"gears contains {gear!r}; give Gear and NonlinearGear objects.")
        geared = [gear.joint for gear in self.gears]
        for i in [i for gear in self.gears for i in (gear.joint, *gear.sources)]:
            freedoms = len(range(model.nv)[model.v_slice(i)])
            if freedoms != 1:
                raise ValueError(f"Joint {i} of a gear is a {model.joints[i]} joint with {freedoms} freedoms; gears "
                                 "connect joints with one, such as hinges and sliders.")
        if len(set(geared)) < len(geared):
            raise ValueError(f"The gears move the joints {geared}; give each of them one gear.")
        chained = [i for gear in self.gears for i in gear.sources if i in geared]
        if chained:
            raise ValueError(f"Joint {chained[0]} drives a gear and is itself geared. Give the second gear the source "
                             "of the first, with the product of the ratios.")
        self.independent = tuple(i for i in model.bodies if i not in geared)
        in_y, in_yd = (slices_of([getattr(model.joints[i], n) for i in self.independent]) for n in ("nq", "nv"))
        self.in_y: dict[int, slice] = dict(zip(self.independent, in_y[1:], strict=True))
        self.in_yd: dict[int, slice] = dict(zip(self.independent, in_yd[1:], strict=True))
        self.ny, self.m = in_y[-1].stop, in_yd[-1].stop

    def __repr__(self):
        return f"GearedTree({self.model.N_B} bodies, {list(self.gears)})"

    def gamma(self, y):
        """All joint positions q = γ(y) (nq) for the independent ones y (ny)."""
        y = vector(y, self.ny, "y")
        values = {gear.joint: gear.value(self._sources(gear, y, self.in_y)) for gear in self.gears}
        q = zeros(self.model.nq, y, list(values.values()))
        for i in self.model.bodies:
            q[self.model.q_slice(i)] = values[i] if i in values else y[self.in_y[i]]
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
            places = (self.in_yd[i].start for i in gear.sources)
            rows[self.model.v_slice(gear.joint).start] = dict(zip(places, slopes, strict=True))
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
