"""The part that an answer lacks, taken apart by numbers alone: how it grows with every symbol.

If a parameter or a rate is taken twice as large, a term in which it stands squared is four times as large. So what is
missing is split into parts that are products of powers of symbols, times something that depends on the position only.
"""

import dataclasses
import itertools
from dataclasses import dataclass, field

import numpy as np

from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.reasons.equation_lines import lines_of
from rbdlib.verification.reasons.other_coordinates import own_coordinates
from rbdlib.verification.reasons.screening import TROUBLE, at_floats, in_floats
from rbdlib.verification.trees.expression import Operation, Symbol

#: Exponents that are looked for, and factors by which symbols are scaled.
_EXPONENTS, _FACTORS = (0, 1, 2, 3, 4, -1, -2), (2.0, 3.0, 0.5, 1.5, 2.5, 4.0)
_NEAR = 1e-9
#: So many products of powers are tried at most, and so many parts are of use.
_MOST_TRIED, MOST_PARTS = 48, 12


@dataclass(frozen=True)
class Variable:
    """A symbol that can be scaled.

    kind: "parameter", "position", "rate", "acceleration" or "force".  key: name or place.  tree: as the learner writes
    it.
    """

    kind: str
    key: object
    tree: object = field(compare=False)


@dataclass(frozen=True, eq=False)
class Part:
    """One part of what is missing. powers: pairs (tree, exponent).  values: in the states that are compared."""

    powers: tuple
    values: np.ndarray


class Responses:
    """The part that each entry of a `Case` lacks, as floats, where some symbols are larger than in its states."""

    def __init__(self, case):
        self.case, self.kept = case, {}
        self.states = [in_floats(state) for state in case.states]
        own = own_coordinates(case)
        self.M = None if own is None or case.system.model.loops and case.equations else own[0]

    def bases(self):
        """Lists of `Variable`, by which what is missing may be taken apart: rates as they are, and from the ground."""
        case, names = self.case, self.case.vocabulary.names
        if self.M is None:
            return []
        fixed = [Variable("parameter", name, case.symbol(name)) for name in case.system.symbols]
        fixed += [Variable("position", k, case.symbol(x.name)) for k, x in enumerate(names.coordinates)
                  if x.kind == "length"]
        new, n = case.vocabulary.coordinates(), case.system.model.nv
        kinds = [("rate", "qd", 1), *([("acceleration", "qdd", 2)] if case.has_accelerations else []),
                 *([("force", "tau", 0)] if case.equations else [])]
        for kind, letter, dots in kinds:
            fixed += [Variable(kind, k, Symbol(new[k].name, dots) if new and dots else case.symbol(f"{letter}{k + 1}"))
                      for k in range(n)]
        return [(fixed, np.eye(n)), *([(_summed(fixed), np.tril(np.ones((n, n))))] if n > 1 else [])]

    def at(self, factors, index, W, rows=None):
        """The part that an entry lacks, in the first of what is compared or in all; factors: {Variable: number}."""
        count = len(self.states) if rows is None else rows * (1 + self.case.constant)
        key = (*sorted(((v.kind, v.key, x) for v, x in factors.items() if x != 1), key=str), W.tobytes(), count)
        if self.case.equations:
            key = (index, self.case.lines[index], *key)
        if key not in self.kept:
            states = [self._scaled(state, factors, W) for state in self.states[:count]]
            self.kept[key] = self._missing(states, index)
        found = self.kept[key]
        return found if self.case.equations else found[(slice(None), *index)]

    def depends_on(self, index, name):
        """True if the right value of an entry depends on a parameter."""
        state = self.states[0]
        now, then = (np.array(self.case.right(x), dtype=float)[index]
                     for x in (state, self._with_parameters(state, {name: 2.0})))
        return bool(abs(now - then) > 1e-10 * (1 + abs(now)))

    def _missing(self, states, index):
        case = self.case
        if case.equations:
            return case.lines[index].missing(states)
        ours = np.array([np.array(case.right(state), dtype=float) for state in states])
        yours = [case.floats(case.trees[place], states) for place in case.trees]
        yours = np.array(yours, dtype=float).T.reshape(ours.shape)
        return case.combine(ours - yours)[: 1 if len(states) < len(self.states) else None]

    def _scaled(self, state, factors, W):
        by = {kind: np.array([factors.get(Variable(kind, k, None), 1.0) for k in range(len(state.qd))])
              for kind in ("rate", "acceleration", "force")}
        now = W @ self.M
        back = np.linalg.inv(now)
        lengths = np.array([factors.get(Variable("position", k, None), 1.0) for k in range(len(state.q))])
        parameters = {v.key: x for v, x in factors.items() if v.kind == "parameter" and x != 1}
        changed = {"q": lengths * state.q, "qd": back @ (by["rate"] * (now @ state.qd)),
                   "tau": now.T @ (by["force"] * (back.T @ state.tau))}
        if self.case.has_accelerations:
            changed["qdd"] = back @ (by["acceleration"] * (now @ state.qdd))
        return Altered(self._with_parameters(state, parameters) if parameters else state, **changed)

    def _with_parameters(self, state, factors):
        system = self.case.system
        free = {name: float(state.parameters[name]) * factors.get(name, 1.0) for name in system.symbols}
        named = free if set(state.parameters) <= set(free) else {
            name: float(x) for name, x in system.named(free).items()}
        return dataclasses.replace(state, model=at_floats(system, free), parameters=named)


def _summed(variables):
    """The variables with sums of rates: the rate of the second body seen from the ground is qd1 + qd2."""
    found = []
    for v in variables:
        summed = v.kind in ("rate", "acceleration")
        before = [w.tree for w in variables if summed and w.kind == v.kind and w.key < v.key]
        found.append(v if not before else Variable(v.kind, v.key, Operation("+", (*before, v.tree))))
    return found


def parts_of(case, index):
    """The `Part`s of what is missing in an entry of a `Case`, as few as possible; None if it cannot be taken apart."""
    if case.quantity.compare in ("identity", "loops", "rows") or case.function:
        return None
    if not case.equations:
        return _by_bases(case, index)
    best, chosen = None, None
    for line in _quietly(lines_of, case, index) or () if case.responses.M is not None else ():
        case.lines[index] = line
        found = _by_bases(case, index)
        if found and (best is None or len(found) < len(best)):
            best, chosen = found, line
        if best and len(best) == 1:
            break
    case.lines[index] = chosen
    return best


def _by_bases(case, index):
    best = None
    for variables, W in case.responses.bases():
        found = _quietly(_parts, case.responses, index, variables, W)
        if found and (best is None or len(found) < len(best)):
            best = found
        if best and len(best) == 1:
            break
    return best


def _quietly(function, *arguments):
    with np.errstate(all="ignore"):
        try:
            return function(*arguments)
        except TROUBLE:
            return None


def _parts(responses, index, variables, W):
    base = responses.at({}, index, W)
    if not np.isfinite(base).all() or not base.any():
        return None
    exponents = {}
    for variable in variables:
        exponents[variable] = _exponents(lambda x, v=variable: responses.at({v: x}, index, W, 1)[0], base[0])
        if exponents[variable] is None:
            return None
    several = [v for v in variables if len(exponents[v]) > 1]
    counts = [len(exponents[v]) for v in several]
    if np.prod(counts, dtype=int) > _MOST_TRIED:
        return None
    grid = np.empty((*counts, len(base)))
    for place in np.ndindex(*counts):
        grid[place] = responses.at({v: float(1 + k) for v, k in zip(several, place, strict=True)}, index, W)
    for axis, v in enumerate(several):
        powers = np.array([[float(1 + k) ** e for e in exponents[v]] for k in range(counts[axis])])
        grid = np.moveaxis(np.linalg.solve(powers, np.moveaxis(grid, axis, 0).reshape(counts[axis], -1)).reshape(
            np.moveaxis(grid, axis, 0).shape), 0, axis)
    found, least = [], 1e-8 * np.abs(grid).max()
    for place in np.ndindex(*counts):
        if np.abs(grid[place]).max() > least:
            chosen = {v: exponents[v][0] for v in variables} | {
                v: exponents[v][k] for v, k in zip(several, place, strict=True)}
            found.append(Part(tuple((v.tree, e) for v, e in chosen.items() if e), grid[place]))
    return found if len(found) <= MOST_PARTS else None


def _exponents(at, base):
    """The exponents of x in f(x) = sum of c_k x^k with f(1) = base, a list; None if f is nothing of that kind."""
    values_at = {1.0: base}

    def f(x):
        if x not in values_at:
            values_at[x] = at(x)
        return values_at[x]

    size = max(abs(base), abs(f(2.0)))
    if not size:
        return None
    for k in _EXPONENTS:
        if abs(f(2.0) - base * 2.0**k) <= _NEAR * size:
            return [k]
    for count in (2, 3):
        for chosen in itertools.combinations(_EXPONENTS[:5] if count > 2 else _EXPONENTS, count):
            points = (1.0, *_FACTORS[: count - 1])
            coefficients = np.linalg.solve([[x**k for k in chosen] for x in points], [f(x) for x in points])
            checks = _FACTORS[count - 1 : count + 1]
            size = max(abs(f(x)) for x in (*points, *checks))
            if all(abs(sum(c * x**k for c, k in zip(coefficients, chosen, strict=True)) - f(x)) <= _NEAR * size
                   for x in checks):
                return list(chosen)
    return None
