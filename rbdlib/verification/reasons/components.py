"""The part that an answer lacks, taken apart by numbers alone: how it grows with every symbol.

If a parameter or a rate is taken twice as large, a term in which it stands squared is four times as large. So what is
missing is split into parts that are products of powers of symbols, times something that depends on the position only.
"""

import dataclasses
import functools
import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rbdlib.verification.meaning.own_formulas import once_for_each
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.reasons.equation_lines import lines_of
from rbdlib.verification.reasons.hypotheses import has_accelerations
from rbdlib.verification.reasons.other_coordinates import own_coordinates
from rbdlib.verification.reasons.screening import at_floats, quietly, states_in_floats
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
    key: Any
    tree: Any = field(default=None, compare=False)


@dataclass(frozen=True, eq=False)
class Part:
    """One part of what is missing. powers: pairs (tree, exponent).  values: in the states that are compared."""

    powers: tuple
    values: np.ndarray


@once_for_each
def parts_of(case, index):
    """The `Part`s of what is missing in an entry of a `Case`, as few as possible; None if it cannot be taken apart."""
    if case.quantity.compare in ("identity", "loops", "rows") or case.function or own_coordinates(case) is None:
        return None
    if case.equations:
        lacks = quietly(lines_of, case, index) if not case.system.model.loops else None
    else:
        lacks = [lambda states: _of_values(case, states)[(slice(None), *index)]]
    best = None
    for missing, grounded in itertools.product(lacks or (), (False, True)[: case.system.model.nv]):
        found = quietly(_parts, case, missing, grounded)
        if found and (best is None or len(found) < len(best)):
            best = found
        if best and len(best) == 1:
            break
    return best


@once_for_each
def _of_values(case, states):
    """The part that each entry lacks, in some states in floats; the first of what is compared if these are not all."""
    ours = np.array([np.array(case.right(state), dtype=float) for state in states])
    yours = np.array([case.floats(tree, states) for tree in case.trees.values()]).T.reshape(ours.shape)
    return case.combine(ours - yours)[: 1 if len(states) < len(case.states) else None]


# States in which symbols are larger


def _variables(case, grounded):
    """The `Variable`s by which what is missing may be taken apart.

    grounded: whether the rates are those seen from the ground, qd1 + qd2 of the second body.
    """
    names, new, n = case.vocabulary.names, case.vocabulary.coordinates(), case.system.model.nv
    found = [Variable("parameter", name, case.symbol(name)) for name in case.system.symbols]
    found += [Variable("position", k, case.symbol(x.name)) for k, x in enumerate(names.coordinates)
              if x.kind == "length"]
    for kind, letter, dots in (("rate", "qd", 1), ("acceleration", "qdd", 2), ("force", "tau", 0)):
        if case.equations if kind == "force" else dots == 1 or has_accelerations(case.quantity):
            own = [Symbol(new[k].name, dots) if new and dots else case.symbol(f"{letter}{k + 1}") for k in range(n)]
            found += [Variable(kind, k, Operation("+", tuple(own[: k + 1])) if grounded and dots and k else own[k])
                      for k in range(n)]
    return found


@once_for_each
def _scaled(case, factors, grounded, count):
    """The first states in floats, with symbols scaled; factors: a frozenset of pairs (`Variable`, number)."""
    states = states_in_floats(case)[:count]
    return tuple(_scaled_state(case, state, dict(factors), grounded) for state in states)


def _scaled_state(case, state, factors, grounded):
    def of(kind, count):
        return np.array([factors.get(Variable(kind, k), 1.0) for k in range(count)])

    n = len(state.qd)
    now = (np.tril(np.ones((n, n))) if grounded else np.eye(n)) @ own_coordinates(case)[0]
    back = np.linalg.inv(now)
    changed = {"q": of("position", len(state.q)) * state.q, "qd": back @ (of("rate", n) * (now @ state.qd)),
               "tau": now.T @ (of("force", n) * (back.T @ state.tau))}
    if has_accelerations(case.quantity):
        changed["qdd"] = back @ (of("acceleration", n) * (now @ state.qdd))
    parameters = {v.key: x for v, x in factors.items() if v.kind == "parameter"}
    return Altered(_with_parameters(case, state, parameters) if parameters else state, **changed)


def _with_parameters(case, state, factors):
    system = case.system
    free = {name: float(state.parameters[name]) * factors.get(name, 1.0) for name in system.symbols}
    named = free if set(state.parameters) <= set(free) else {name: float(x) for name, x in system.named(free).items()}
    return dataclasses.replace(state, model=at_floats(system, free), parameters=named)


def depends_on(case, index, name):
    """True if the right value of an entry of a `Case` depends on a parameter."""
    state = states_in_floats(case)[0]
    now, then = (np.array(case.right(x), dtype=float)[index]
                 for x in (state, _with_parameters(case, state, {name: 2.0})))
    return bool(abs(now - then) > 1e-10 * (1 + abs(now)))


# Products of powers


def _parts(case, missing, grounded):
    """The `Part`s of what a function of states gives; None if it cannot be taken apart."""
    variables = _variables(case, grounded)

    def at(factors, count=None):
        scaled = frozenset((v, x) for v, x in factors.items() if x != 1)
        return missing(_scaled(case, scaled, grounded, count))

    base = at({})
    if not np.isfinite(base).all() or not base.any():
        return None
    exponents = {}
    for v in variables:
        exponents[v] = _exponents(lambda x, v=v: at({v: x}, 1 + case.constant)[0], base[0])
        if exponents[v] is None:
            return None
    several = [v for v in variables if len(exponents[v]) > 1]
    counts = [len(exponents[v]) for v in several]
    if np.prod(counts, dtype=int) > _MOST_TRIED:
        return None
    grid = np.array([at({v: float(1 + k) for v, k in zip(several, place, strict=True)})
                     for place in np.ndindex(*counts)]).reshape(*counts, -1)
    for axis, v in enumerate(several):
        powers = np.array([[float(1 + k) ** e for e in exponents[v]] for k in range(counts[axis])])
        grid = np.moveaxis(np.tensordot(np.linalg.inv(powers), grid, (1, axis)), 0, axis)
    found, least = [], 1e-8 * np.abs(grid).max()
    for place in np.ndindex(*counts):
        if np.abs(grid[place]).max() > least:
            chosen = {v: exponents[v][0] for v in variables} | {
                v: exponents[v][k] for v, k in zip(several, place, strict=True)}
            found.append(Part(tuple((v.tree, e) for v, e in chosen.items() if e), grid[place]))
    return found if len(found) <= MOST_PARTS else None


def _exponents(at, base):
    """The exponents of x in f(x) = sum of c_k x^k with f(1) = base, a list; None if f is nothing of that kind."""
    f = functools.cache(lambda x: base if x == 1 else at(x))
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
