"""Symbols, angles and products of a few symbols that may stand in an answer, and which of them have given values."""

import itertools
import re
from fractions import Fraction

import numpy as np

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.phrases import some_value
from rbdlib.verification.mechanics.basics import once_for_each
from rbdlib.verification.mechanics.quantities import DEPENDS_ON
from rbdlib.verification.reasons.edits import Pool
from rbdlib.verification.reasons.hypotheses import classes, kind_of
from rbdlib.verification.trees.calculus import minus, over, plus, times
from rbdlib.verification.trees.network import values
from rbdlib.verification.trees.nodes import TWO, Function, Number, Operation, Symbol, expanded, substitute, symbols

#: Numbers with larger denominators, or numerators, are not looked for; larger powers of numbers are not carried out.
_LARGEST = 48
NEAR = 1e-8


def pool_of(case):
    """The `edits.Pool` of a `Case`, in the learner's symbols where he has some."""
    coordinates, definitions = case.vocabulary.names.coordinates, case.vocabulary.definitions.values()
    positions = case.vocabulary.coordinates() or [case.symbol(x.name) for x in coordinates]
    angles, distances = ([s for s, x in zip(positions, coordinates, strict=True) if (x.kind == "angle") is turning]
                         for turning in (True, False))
    angles, (rates, *accelerations), alike = angles[:8], rates_of(case), parameters_of(case)
    parameters = (*itertools.chain(*alike.values()), *distances)
    forces = [case.symbol(f"tau{k + 1}") for k in range(case.system.model.nv) if accelerations]
    own = {Symbol(d.name): case.vocabulary.own_symbols([Symbol(d.name)]) for d in definitions if d.by == "given"}
    named = [s for s, names in own.items() if names and all(re.fullmatch(r"qd\d+", x) for x in names)]  # w2 = qd1 + qd2
    kinds = (angles, distances, rates, named, *accelerations, forces, *alike.values())
    arguments = [*angles, *_sums_of(angles)]
    waves = (Function(f, (a,)) for a in arguments for f in ("sin", "cos"))
    alike_rates = [[s for s, x in zip(some, coordinates, strict=False) if x.kind == kind]
                   for some in (rates, *accelerations) for kind in ("angle", "length")]
    sums = {b: plus(*some[: k + 2]) for some in alike_rates for k, b in enumerate(some[1:])}
    factors = (*parameters, *rates, *itertools.chain(*accelerations), *waves)
    return Pool(tuple(tuple(kind) for kind in kinds if len(kind) > 1),
                (*arguments, *(times(TWO, angle) for angle in angles)), factors, (*alike.get("length", ()), *distances),
                tuple(alike.get("mass", ())), sums, parameters, defined=tuple(case.own_definitions.values()))


@once_for_each
def rates_of(case):
    """The symbols for rates and, if the quantity may depend on them, for accelerations: one list or two."""
    new, places = case.vocabulary.coordinates(), range(1, case.system.model.nv + 1)
    accelerations = "qdd" in DEPENDS_ON.get(case.quantity.symbol, ("qdd",))
    return [[Symbol(s.name, dots) for s in new] if new else [case.symbol(f"{letter}{k}") for k in places]
            for letter, dots in [("qd", 1), ("qdd", 2)][: 1 + accelerations]]


@once_for_each
def parameters_of(case):
    """{kind: symbols} of the parameters that may stand in the answer: the model's, and those given by them.

    What is stated to be a number, and does not stand in the answer, tells nothing: that number is a multiple of any.
    """
    definitions, own = case.vocabulary.definitions, case.vocabulary.own_symbols(case.used)
    numbers = {name for name, tree in case.vocabulary.assumptions.items() if not symbols(tree)} - own
    found = {kind: [case.symbol(name) for name in names if not {name, compact(name)} & {*definitions, *numbers}]
             for kind, names in classes(case.system.symbols).items()}
    for definition in definitions.values():
        own, alias = {s.name for s in symbols(definition.tree)}, isinstance(definition.tree, Symbol)
        if definition.by == "given" and not alias and own and own <= {*case.system.symbols}:
            found.setdefault(kind_of(definition.name), []).append(Symbol(definition.name))
        if definition.by == "given" and definition.tree == some_value(definition.name):
            found.setdefault("given", []).append(Symbol(definition.name))
    return found


@once_for_each
def redefined(case):
    """{formula: name} of parameters whose names given uses for something else: I2 - m2*lc2^2 is the model's I2, about
    the centre of mass, where the learner's is about the pivot.
    """
    found = {}
    for own in map(Symbol, case.system.symbols):
        meaning = case.vocabulary.definitions.get(compact(own.name))
        if meaning and meaning.by == "given" and own in symbols(meaning.tree) and meaning.tree != own:
            tree = substitute(meaning.tree, {s: case.symbol(s.name) for s in symbols(meaning.tree) - {own}})
            parts = [(part, own in symbols(part)) for part in expanded(tree) or ()]
            itself, rest = ([part for part, there in parts if there is wanted] for wanted in (True, False))
            number, powers = factored(plus(*itself))
            if dict(powers) == {own: 1}:
                found[product(1 / number, [(plus(Symbol(meaning.name), *map(minus, rest)), 1)])] = own.name
    return found


def _sums_of(angles):
    """Sums of neighbouring angles, and differences of two."""
    found = []
    for (i, a), (j, b) in itertools.combinations(enumerate(angles), 2):
        found.append(plus(*angles[i : j + 1]))
        pairs = [(a, b)] if j == i + 1 or len(angles) <= 3 else []
        pairs += [(a, times(TWO, b)), (times(TWO, a), b), (times(TWO, a), times(TWO, b))] if len(angles) <= 2 else []
        found += [plus(x, minus(y)) for x, y in pairs]
    return found


def product(number, powers):
    """A number times powers, pairs (tree, whole exponent), as a formula: divisors below one stroke, no needless 1."""
    above, below = ([tree if abs(k) == 1 else Operation("^", (tree, Number(Fraction(abs(k)))))
                     for tree, k in powers if k * side > 0] for side in (1, -1))
    if abs(number) != 1 or not above:
        above.insert(0, over(*(Number(Fraction(x)) for x in abs(number).as_integer_ratio())))
    new = times(*above[:-1], over(above[-1], times(*below)))
    return minus(new) if number < 0 else new


def factored(tree):
    """(number, pairs (factor, exponent)) of a product, with its whole powers taken apart; for `product`."""
    number, found, waiting = Fraction(1), {}, [(tree, 1)]
    while waiting:
        node, k = waiting.pop()
        match node:
            case Number(digits=None) if node.value and abs(k) <= _LARGEST:
                number *= node.value**k
            case Operation(kind="neg"):
                number *= -1 if k % 2 else 1
                waiting.append((node.operands[0], k))
            case Operation(kind="*"):
                waiting += [(factor, k) for factor in node.operands[::-1]]
            case Operation(kind="/", operands=(above, below)):
                waiting += [(below, -k), (above, k)]
            case Operation(kind="^", operands=(base, Number(value=power))) if power.denominator == 1:
                waiting.append((base, k * int(power)))
            case _:
                found[node] = found.get(node, 0) + k
    return number, found.items()


def rows_of(case, groups):
    """The values in all states, as floats, of products, each of pairs (tree, exponent): an array, a row for each."""
    factors = {tree for group in groups for tree, _ in group}
    known = case.floats_of({s for tree in factors for s in symbols(tree)})
    row = {tree: values(tree, known) for tree in factors}
    one = np.ones(len(case.states))
    return np.array([np.prod([one, *(row[tree] ** float(k) for tree, k in group)], axis=0) for group in groups])


def multiples(wanted, rows):
    """Pairs (k, number) of the rows of which what is wanted is a multiple by a simple number."""
    ratios = wanted / rows
    near = np.flatnonzero(np.ptp(ratios, axis=1) <= 10 * NEAR * np.abs(ratios[:, 0]))
    return [(k, number) for k in near if (number := rational(ratios[k]))]


def rational(ratios):
    """The simple number that all ratios are, or None."""
    if not np.isfinite(ratios).all() or abs(ratios[0]) > _LARGEST or np.ptp(ratios) > NEAR * abs(ratios[0]):
        return None
    number = Fraction(float(ratios[0])).limit_denominator(_LARGEST)
    return number if number and abs(float(number) - ratios[0]) <= NEAR * abs(ratios[0]) else None


def _two_at_most(powers):
    """Products of two of some powers, pairs (tree, exponent), at most: lists of such pairs, the shorter first."""
    pairs = itertools.combinations_with_replacement(powers, 2)
    return [[], *([p] for p in powers), *([p, q] if p != q else [(p[0], 2 * p[1])] for p, q in pairs
                                          if p[0] != q[0] or p == q)]


@once_for_each
def of_position(case):
    """Products, lists of pairs (tree, exponent), that may depend on the position: of two sines and cosines at most."""
    waves = [(Function(name, (angle,)), 1) for angle in case.pool.angles for name in ("sin", "cos")]
    twice = [(f, k) for f, k in waves if getattr(f.arguments[0], "kind", "") == "*"]
    single = [power for power in waves if power not in twice]
    return [*_two_at_most(single[:24]), *([power] for power in (*single[24:], *twice))]


@once_for_each
def compounds(case):
    """(groups, rows): products of two factors or divisors at most, and their values in all states."""
    factors = list(dict.fromkeys(case.pool.factors))[:40]
    groups = _two_at_most([(tree, sign) for tree in factors for sign in (1, -1)[: 2 - isinstance(tree, Function)]])
    return groups, rows_of(case, groups)


@once_for_each
def likely_terms(case):
    """(groups, rows): lists of products, one of each of which makes a term of a divisor or an inertia, and the values
    of all these terms: a mass or an inertia, two lengths at most, two sines and cosines at most.
    """
    alike, turning = parameters_of(case), dict.fromkeys(f for f in case.pool.factors if isinstance(f, Function))
    heavy = [[], *([(s, 1)] for kind in ("mass", "inertia") for s in alike.get(kind, ()))]
    groups = [heavy, *(_two_at_most([(tree, 1) for tree in some])
                       for some in (case.pool.lengths[:8], list(turning)[:12]))]
    rows = np.ones((1, len(case.states)))
    for group in groups:
        rows = (rows[:, None, :] * rows_of(case, group)[None, :, :]).reshape(-1, len(case.states))
    return groups, rows
