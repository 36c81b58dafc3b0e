"""What gears say about the joint variables of a tree: gears, linear or not, and the geared tree (RBDA 9.6).

A geared tree has the joint variables q of the tree, of which the gears leave free the independent ones y: q = γ(y). How
it moves is in `rbdlib.book.ch09_gears`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from rbdlib.book.ch03_constraints import explicit_constraint
from rbdlib.book.ch04_model import require_model
from rbdlib.numbers import scalars
from rbdlib.numbers.scalars import number, vector, zeros

# What a gear says


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
        return tuple(self.ratios)

    def value(self, x):
        return sum((ratio * x_i for ratio, x_i in zip(self.ratios.values(), x, strict=True)), self.offset)

    def slopes(self, x):
        return list(self.ratios.values())

    def curvature(self, x, xd):
        return 0


def _plain(x):
    """The number x as Python's own, if it is one of NumPy."""
    return x.item() if isinstance(x, np.generic) else x


@dataclass(frozen=True, eq=False)
class NonlinearGear:
    """A gear such as a cam, or a pair of wheels that are not round: q_joint = h(q_source, ...) (RBDA 9.6).

    joint: number of the body whose joint is geared.  sources: numbers of the joints on which it depends.  h: a function
    of their variables, written with + - * / ** and sin, cos, sqrt of `rbdlib.numbers.scalars`; it is differentiated
    exactly. Raises TypeError if h cannot run on SymPy symbols, contains other functions, or returns anything but one
    number.
    """

    joint: int
    sources: tuple
    h: object

    def __post_init__(self):
        import sympy

        if not np.iterable(self.sources) or not list(self.sources) or not callable(self.h):
            raise TypeError("NonlinearGear takes a joint, a list of source joints and a function of their variables.")
        object.__setattr__(self, "sources", tuple(self.sources))
        x, xd = (np.array(sympy.symbols(f"{name}1:{len(self.sources) + 1}")) for name in ("x", "xd"))
        functions = [{name: getattr(scalars, name) for name in ("sin", "cos", "sqrt")}]
        try:
            expression = number(sympy.sympify(self.h(*x), strict=True), "what h returns")
            slopes, curvature = explicit_constraint([expression], x, xd)
            found = {"_value": expression, "_slopes": list(slopes[0]), "_curvature": curvature[0]}
            _require_simple(found.values(), {*x, *xd})
            for name, formula in found.items():
                object.__setattr__(self, name, sympy.lambdify([list(x), list(xd)], formula, functions))
        except Exception as error:
            raise TypeError(f"h cannot run on symbols, or be differentiated ({error}). Let it return one number, made "
                            "of the variables of its sources with + - * / ** and sin, cos, sqrt of "
                            "rbdlib.numbers.scalars.") from error

    def value(self, x):
        """h of x; where h has SymPy's own functions and constants in it, what they are for numbers such as x."""
        value = self.h(*x)
        return self._value(list(x), [0] * len(x)) if hasattr(value, "free_symbols") and not any(
            hasattr(x_k, "free_symbols") for x_k in x) else value

    def slopes(self, x):
        return self._slopes(list(x), [0] * len(x))

    def curvature(self, x, xd):
        return self._curvature(list(x), list(xd))


def _require_simple(formulas, variables):
    """Refuse formulas in which there is more than + - * / ** and sin, cos, sqrt, which suit scalars of every kind."""
    import sympy

    simple = (sympy.Add, sympy.Mul, sympy.Pow, sympy.sin, sympy.cos, sympy.Number, sympy.NumberSymbol, list)
    for formula in formulas:
        for part in sympy.preorder_traversal(formula):
            if not isinstance(part, simple) and part not in variables:
                raise TypeError(f"it, or its derivative, contains {part}")


# The geared tree: y, γ, G, g (RBDA 9.6)


class GearedTree:
    """A tree whose gears make some joint variables functions of the others: q = γ(y) (RBDA 9.6).

    model: the `Model` of the tree without gears, rotors included as bodies.  gears: `Gear` and `NonlinearGear` objects,
    or one of them.

    Attributes: model, gears; independent: the numbers of the joints without gear, to which y and yd belong; ny, m: how
    many position and velocity variables these have. y and yd are q and qd without the variables of the geared joints.
    Raises ValueError or TypeError for a gear that does not fit the model. Its functions of y raise ValueError where a
    gear, or a derivative of it that they need, has no finite value.
    """

    def __init__(self, model, gears):
        gears = [gears] if isinstance(gears, Gear | NonlinearGear) else gears
        if not np.iterable(gears):
            raise TypeError(f"gears is {gears!r}; give a list of gears, such as [Gear(2, {{1: 100}})].")
        self.model, self.gears = require_model(model), tuple(gears)
        if model.loops:
            raise ValueError("The model has loops, and gears are built into trees. Cut the loops with "
                             "model.replace(loops=()), or state the gears among the loop constraints.")
        geared = _geared_joints(model, self.gears)
        self.independent = tuple(i for i in model.bodies if i not in geared)
        self.in_y, self.ny = _places([(i, model.joints[i].nq) for i in self.independent])
        self.in_yd, self.m = _places([(i, model.joints[i].nv) for i in self.independent])

    def __repr__(self):
        return f"GearedTree({self.model.N_B} bodies, {list(self.gears)})"

    def gamma(self, y):
        """All joint positions q = γ(y) (nq) for the independent ones y (ny)."""
        x = self._sources(vector(y, self.ny, "y"), self.in_y)
        values = [_finite(gear, gear.value, x_k) for gear, x_k in zip(self.gears, x, strict=True)]
        q = zeros(self.model.nq, y, values)
        for i in self.independent:
            q[self.model.q_slice(i)] = y[self.in_y[i]]
        for gear, value in zip(self.gears, values, strict=True):
            q[self.model.q_slice(gear.joint)] = value
        return q

    def rows(self, y):
        """The nv rows of G, each a dict {column: element} of what is not zero for every y (RBDA 9.6)."""
        x, rows = self._sources(vector(y, self.ny, "y"), self.in_y), [{} for _ in range(self.model.nv)]
        for i in self.independent:
            for row, column in zip(indices(self.model.v_slice(i)), indices(self.in_yd[i]), strict=True):
                rows[row] = {column: 1}
        for gear, row, x_k in zip(self.gears, self._geared_rows(), x, strict=True):
            columns = [self.in_yd[i].start for i in gear.sources]
            rows[row] = dict(zip(columns, _finite(gear, gear.slopes, x_k), strict=True))
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
        x = self._sources(vector(y, self.ny, "y"), self.in_y)
        xd = self._sources(vector(yd, self.m, "yd"), self.in_yd)
        values = [_finite(gear, gear.curvature, x_k, xd_k)
                  for gear, x_k, xd_k in zip(self.gears, x, xd, strict=True)]
        g = zeros(self.model.nv, values)
        g[self._geared_rows()] = values
        return g

    def K(self, y):
        """K (gears x nv) of the same constraints in implicit form: K qd = 0, K qdd = k (RBDA Eq. 3.11)."""
        G, rows = self.G(y), self._geared_rows()
        K = zeros((len(rows), self.model.nv), G)
        for i in self.independent:
            K[:, self.model.v_slice(i)] = -G[rows][:, self.in_yd[i]]
        K[range(len(rows)), rows] = 1
        return K

    def k(self, y, yd):
        """k (gears) of K qdd = k."""
        return self.g(y, yd)[self._geared_rows()]

    def independent_part(self, q, qd):
        """y and yd of a state q, qd of the tree: what it says of the geared joints is left out."""
        q, qd = vector(q, self.model.nq, "q"), vector(qd, self.model.nv, "qd")
        y = [q[self.model.q_slice(i)] for i in self.independent]
        return np.concatenate(y or [q[:0]]), np.concatenate(
            [qd[self.model.v_slice(i)] for i in self.independent] or [qd[:0]])

    def _geared_rows(self):
        return [self.model.v_slice(gear.joint).start for gear in self.gears]

    def _sources(self, y, places):
        return [[y[places[i].start] for i in gear.sources] for gear in self.gears]


def require_geared(geared):
    """The argument, checked to be a `GearedTree`; TypeError otherwise."""
    if not isinstance(geared, GearedTree):
        raise TypeError(f"geared is {geared!r}; give a GearedTree(model, [Gear(2, {{1: 100}}), ...]).")
    return geared


def _finite(gear, function, x, *xd):
    """function(x, ...), a number or several; ValueError with the gear and where it is if they are not finite."""
    try:
        with np.errstate(all="ignore"):
            values = function(x, *xd)
        vector(np.ravel(values), np.size(values), "its value, or a derivative,")
    except (ArithmeticError, ValueError):
        where = ", ".join(f"{x_i} of joint {i}" for i, x_i in zip(gear.sources, x, strict=True))
        raise ValueError(f"The gear of joint {gear.joint} is not finite at y = {where}: its value there, or that of a "
                         "derivative, is infinite or does not exist. Keep away from there, or choose a function with "
                         "two finite derivatives.") from None
    return values


def _geared_joints(model, gears):
    """The numbers of the joints that have gears, after a look at whether the gears fit the model."""
    for gear in gears:
        if not isinstance(gear, Gear | NonlinearGear):
            raise TypeError(f"gears contains {gear!r}; give Gear and NonlinearGear objects.")
    geared = [gear.joint for gear in gears]
    for i in [i for gear in gears for i in (gear.joint, *gear.sources)]:
        freedoms = indices(model.v_slice(i))
        if len(freedoms) != 1:
            raise ValueError(f"Joint {i} of a gear is a {model.joints[i]} joint with {len(freedoms)} freedoms; gears "
                             "connect joints with one, such as hinges and sliders.")
    if len(set(geared)) < len(geared):
        raise ValueError(f"The gears move the joints {geared}; give each of them one gear.")
    chained = [i for gear in gears for i in gear.sources if i in geared]
    if chained:
        raise ValueError(f"Joint {chained[0]} drives a gear and is itself geared. Give the second gear the source of "
                         "the first, with the product of the ratios.")
    return geared


def _places(sizes):
    """Where the variables of each joint stand one after another, as {joint: slice}, and how many they are."""
    places, start = {}, 0
    for i, n in sizes:
        places[i] = slice(start, start + n)
        start += n
    return places, start


def indices(where):
    """The numbers that a slice with a start and a stop picks."""
    return range(where.start, where.stop)
