"""The part that an answer lacks, taken apart by numbers alone: how it grows with every symbol, of which kind it is.

If a parameter or a rate is taken twice as large, a term in which it stands squared is four times as large. So what is
missing is split into parts that are products of powers of symbols, times something that depends on the position only.
"""

import functools
import itertools
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from rbdlib.methods.joint_character import of_joints
from rbdlib.verification.mechanics.basics import LITTLE, once_for_each
from rbdlib.verification.mechanics.quantities import forces, gravity_forces, springs
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.reasons import pool
from rbdlib.verification.reasons.edits import NEAR
from rbdlib.verification.reasons.hypotheses import MISTAKES, own_coordinates, quietly
from rbdlib.verification.trees.calculus import plus
from rbdlib.verification.trees.nodes import symbols

#: Exponents that are looked for, and factors by which symbols are scaled.
_EXPONENTS, _FACTORS = (0, 1, 2, 3, 4, -1, -2), (2.0, 3.0, 0.5, 1.5, 2.5, 4.0)
#: So many products of powers are tried at most, and so many parts are of use.
_MOST_TRIED, MOST_PARTS = 48, 12


@dataclass(frozen=True, eq=False)
class Part:
    """One part of what is missing. powers: pairs (tree, exponent).  values: in the states that are compared."""

    powers: tuple
    values: np.ndarray


@once_for_each
def parts_of(case, index):
    """The `Part`s of what is missing in an entry of a `Case`, as few as possible; None if it cannot be taken apart."""
    tied = case.vocabulary.tied
    if case.quantity.compare in ("identity", "loops", "rows") or case.function or own_coordinates(case) is None or (
            case.equations and case.system.model.loops) or tied and (
            case.vocabulary.prescribed or case.vocabulary.coordinates()):
        return None
    best, lacks = None, (quietly(lines_of, case, index) or ()) if case.equations else [
        lambda states: case.missing((), states)[(slice(None), *index)].astype(float)]
    both, sliding = (False, True), any(x.kind == "length" for x in case.vocabulary.names.coordinates)
    relative = both[: 1 + bool(sliding and case.vocabulary.coordinates())]
    for missing, *way in itertools.product(lacks, both[: 1 if tied else case.system.model.nv], relative):
        found = quietly(_parts, case, missing, *way)
        best = min(filter(None, (best, found)), key=len, default=None)
        if best and len(best) == 1:
            break
    return best


@once_for_each
def _variables(case, grounded, relative):
    """The symbols by which what is missing may be taken apart, {(part of a state or "parameter", place or name): as the
    learner writes it}; and {part of a state: M}, the symbols' values being M times that part.

    grounded: whether the rates are those seen from the ground, qd1 + qd2 of the second body.  relative: whether the
    positions are the model's own, x2 - x1, where the learner has others.
    """
    coordinates, n = case.vocabulary.names.coordinates, case.system.model.nv
    M, own = own_coordinates(case)[0], case.vocabulary.coordinates()
    now = (np.tril(np.ones((n, n))) if grounded else np.eye(n)) @ M
    places, positions = M, own
    if own is None:
        places, positions = np.eye(case.system.model.nq), [case.symbol(x.name) for x in coordinates]
    elif relative:
        places, back = np.eye(n), np.rint(np.linalg.inv(M)).astype(int).tolist()
        positions = [plus(*(pool.product(k, [(s, 1)]) for k, s in zip(row, own, strict=True) if k)) for row in back]
    parameters = {name: tree for tree, name in pool.redefined(case).items()}
    found = {("parameter", name): parameters.get(name) or case.symbol(name) for name in case.system.symbols}
    found |= {("q", k): tree for k, (tree, x) in enumerate(zip(positions, coordinates, strict=True))
              if x.kind == "length"}
    for part, rates in zip(("qd", "qdd"), pool.rates_of(case), strict=False):
        found |= {(part, k): plus(*rates[: k + 1]) if grounded else s for k, s in enumerate(rates)}
    found = {v: tree for v, tree in found.items() if v[1] not in case.vocabulary.tied}
    found |= {("tau", k): case.symbol(f"tau{k + 1}") for k in range(n) if case.equations}
    parts = {"q": places, "qd": now, "qdd": now, "tau": np.linalg.inv(now).T}
    return found, {part: parts[part] for part, _ in found if part in parts}


@once_for_each
def _scaled(case, factors, grounded, relative, count):
    """The first states in floats, with symbols scaled; factors: a frozenset of pairs (variable, number)."""
    factors, states = dict(factors), []
    parameters = {name: x for (part, name), x in factors.items() if part == "parameter"}
    for state in case.in_floats[:count]:
        changed = {}
        for part, M in _variables(case, grounded, relative)[1].items():
            values = M @ getattr(state, part)
            more = [factors.get((part, k), 1.0) - 1 for k in range(len(values))]
            changed[part] = getattr(state, part) + np.linalg.solve(M, more * values)
        states.append(case.vocabulary.held(Altered(case.scaled(state, parameters) if parameters else state, **changed)))
    return tuple(states)


def depends_on(case, index, name):
    """True if the right value of an entry of a `Case` depends on a parameter."""
    state = case.in_floats[0]
    now, then = (np.array(case.right(x), dtype=float)[index] for x in (state, case.scaled(state, {name: 2.0})))
    return bool(abs(now - then) > 1e-10 * (1 + abs(now)))


def _parts(case, missing, grounded, relative):
    """The `Part`s of what a function of states gives; None if it cannot be taken apart."""
    variables, _ = _variables(case, grounded, relative)

    def at(factors, count=None):
        scaled = frozenset((v, x) for v, x in factors.items() if x != 1)
        return missing(_scaled(case, scaled, grounded, relative, count))

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
    found, chosen = [], {v: exponents[v][0] for v in variables}
    for place in np.ndindex(*counts):
        if np.abs(grid[place]).max() > 1e-8 * np.abs(grid).max():
            chosen |= {v: exponents[v][k] for v, k in zip(several, place, strict=True)}
            found.append(Part(tuple((variables[v], e) for v, e in chosen.items() if e), grid[place]))
    return found if len(found) <= MOST_PARTS else None


def _exponents(at, base):
    """The exponents of x in f(x) = sum of c_k x^k with f(1) = base, a list; None if f is nothing of that kind."""
    f = functools.cache(lambda x: base if x == 1 else at(x))
    if base == f(2.0) == 0:
        return None
    for count in (1, 2, 3):
        points, checks = (1.0, *_FACTORS[: count - 1]), _FACTORS[count - 1 : count + (count > 1)]
        for chosen in itertools.combinations(_EXPONENTS[:5] if count > 2 else _EXPONENTS, count):
            coefficients = np.linalg.solve([[x**k for k in chosen] for x in points], [f(x) for x in points])
            size = max(abs(f(x)) for x in (*points, *checks))
            if all(abs(sum(c * x**k for c, k in zip(coefficients, chosen, strict=True)) - f(x)) <= NEAR * size
                   for x in checks):
                return list(chosen)
    return None


def lines_of(case, index):
    """The parts that an equation lacks if it is held against the likeliest of the right ones: functions of states in
    floats, in any motion that is possible. The right ones are the rows of H qdd + C + g = tau in the learner's
    coordinates, or in those that are free, each multiplied so that a term agrees.
    """
    back, terms, found = np.linalg.inv(own_coordinates(case)[0]), _terms(case), []

    def mine(states):
        return case.floats(case.trees[index], states)

    def right(states):
        ways = [case.vocabulary.ways(state).astype(float) if case.vocabulary.tied else back for state in states]
        return np.array([(forces(state) - state.tau) @ way for state, way in zip(states, ways, strict=True)])

    def lacking(place, k, states):
        """The part that an equation lacks in states, the right one being multiplied so that the k-th term agrees."""
        scale = _term(case, mine, states, *terms[k]) / _term(case, right, states, *terms[k])[:, place]
        return scale * right(states)[:, place] - mine(states)

    first = case.in_floats[:1]
    yours, ours = (np.array([_term(case, line, first, *term)[0] for term in terms]) for line in (mine, right))
    for place, row in enumerate(ours.T):
        yours_felt, ours_felt = np.abs(yours) > 1e-12, np.abs(row) > 1e-12
        both = np.flatnonzero(yours_felt & ours_felt)
        if len(both):
            scaled = np.outer(yours[both] / row[both], row)
            agree = np.abs(yours - scaled) <= NEAR * (np.abs(yours) + np.abs(scaled))
            off = ((yours_felt | ours_felt) & ~agree).sum(axis=1)
            found.append((off.min(), place != index[0], place, functools.partial(lacking, place, both[off.argmin()])))
    return [function for *_, function in sorted(found)[:3]]


def _terms(case):
    """The terms of an equation that are compared: each a pair of changes of a state at rest, in the first of which it
    is there, and in the second of which all else is; None for nothing.
    """
    tau = case.in_floats[0].tau
    one, n = np.eye(len(tau)), [i for i in range(len(tau)) if i not in case.vocabulary.tied]
    pairs = [({"qd": one[i]}, {}) if i == j else ({"qd": one[i] + one[j]}, {"qd": one[i] - one[j]})
             for i in n for j in n if i <= j] if len(n) <= 4 else []
    return [*(({"tau": one[i]}, {}) for i, x in enumerate(tau) if x), *(({"qdd": one[i]}, {}) for i in n),
            ({}, None), *pairs]                                                 # gravity is all that is left at rest


def _term(case, function, states, there, beside):
    """The size of one of the `_terms` of a function of states in each of some states."""
    rest = dict.fromkeys(("qd", "qdd", "tau"), 0 * states[0].qd)

    def value(parts):
        return function(tuple(case.vocabulary.held(Altered(state, **(rest | parts))) for state in states))

    return value(there) if beside is None else value(there) - value(beside)


# Which kind of term is off: inertial, centrifugal, Coriolis, gravity, ...

#: Quantities that are sums of terms of several kinds, and which kinds each may have.
_FORCES, _ENERGIES = ("inertial", "centrifugal", "Coriolis", "damping", "gravity"), ("kinetic", "potential")
KINDS = {"tau": _FORCES, "bias": _FORCES[1:], "C": _FORCES[1:4], "L": _ENERGIES, "E": _ENERGIES,
         "equations of motion": (*_FORCES, "applied force")}
#: What each kind is called.
WORDS = MISTAKES["terms"]


#: One kind of term in one entry. entry: place, from 0.  kind: see `WORDS`.  yours, ours: in the counterexample.
KindReport = namedtuple("KindReport", "entry kind ok yours ours")


def kinds_of(case):
    """A list of `KindReport` for the entries of a `Case`; empty where the quantity has one kind of terms only.

    Every equation is held against that of the right ones, scaled so that one kind agrees, with which most kinds agree.
    Where motions are prescribed, or forces by a law, the kinds cannot be told apart.
    """
    kinds = KINDS.get(case.quantity.symbol)
    bound = case.vocabulary.prescribed or case.vocabulary.tied or any(  # time, or the forces there, move all of them
        name.startswith("tau") and symbols(tree) for name, tree in case.vocabulary.assumptions.items())
    if not kinds or (case.equations and not case.trees) or bound:
        return []
    states = [case.decision.counterexample or case.states[0], case.states[0]]
    split = _split_energy if "kinetic" in kinds else _split_forces

    def right(state):
        """The right values; of equations, H qdd + C + g - tau in the learner's coordinates."""
        if not case.equations:
            return case.right(state)
        return case.vocabulary.own_forces(case.vocabulary.coordinates(), state, forces(state) - state.tau)

    yours, ours = (np.array([[np.ravel(parts[kind]) for kind in kinds] for parts in (
        split(value, state) for state in states)], dtype=object) for value in (case._at, right))
    places, found = [*np.ndindex(case.as_compared.shape[1:])], []

    def reports(entry, row, scaling=None):
        """The reports of an entry, a row of ours being scaled so that one kind agrees; none if that cannot be."""
        mine, theirs = yours[..., entry], ours[..., row]
        if scaling is not None:
            if not (mine[:, scaling].all() and theirs[:, scaling].all()):
                return []
            theirs = theirs * (mine[:, scaling] / theirs[:, scaling])[:, None]
        size = abs(mine) + abs(theirs)
        ok = (abs(mine - theirs) <= case.tolerance * (size + 1)).all(axis=0)
        return [KindReport(places[entry], kind, bool(ok[k]), mine[0, k], theirs[0, k]) for k, kind in enumerate(kinds)
                if scaling is None and kind != "damping" or (size[:, k] > case.tolerance).any()]    # else it has none

    for entry in range(len(places)):
        ways = itertools.product(range(ours.shape[-1]), range(len(kinds))) if case.equations else [(entry,)]
        both = ((reports(entry, *way), way[0] == entry) for way in ways)
        best, _ = max(both, key=lambda pair: (sum(report.ok for report in pair[0]), pair[1]))
        agree = sum(report.ok for report in best)
        other_rows = ours.shape[-1] > 1 and len(best) - agree > 1       # may be in it, where several kinds do not agree
        if not case.equations or agree > 1 and not other_rows:          # one kind agrees by the choice of the scale
            found += best
    sprung = any(character.stiffness != 0 or character.stops for _, character in of_joints(case.system.model))
    heavy = (abs(gravity_forces(states[0]) - springs(states[0])) > LITTLE).any()
    kind = "gravity and spring" if sprung and heavy else "spring" if sprung else "gravity"
    return [report._replace(kind=kind) if report.kind == "gravity" else report for report in found]


def _split_forces(function, state):
    """{kind: values} of a function of states that is a sum of such terms."""
    rest = {"qd": 0 * state.qd, "qdd": 0 * state.qd, "tau": 0 * state.tau}
    gravity = function(Altered(state, **rest))

    def without_gravity(**parts):
        return function(Altered(state, **{**rest, **parts})) - gravity

    def even(qd):
        return (without_gravity(qd=qd) + without_gravity(qd=-qd)) / 2

    centrifugal = sum(even(unit * state.qd) for unit in np.eye(len(state.qd), dtype=object))
    whole = even(state.qd)
    return {"gravity": gravity, "inertial": without_gravity(qdd=state.qdd), "centrifugal": centrifugal,
            "Coriolis": whole - centrifugal, "damping": without_gravity(qd=state.qd) - whole,
            "applied force": without_gravity(tau=state.tau)}


def _split_energy(function, state):
    """The potential part is compared with that in another position, since a constant does not matter."""
    rest = function(Altered(state, qd=0 * state.qd))
    return {"kinetic": function(state) - rest, "potential": rest - function(Altered(
        Altered(state, q=state.q / 2), qd=0 * state.qd))}
