"""Formulas for what is missing in an answer, found from its parts: numbers, sines and cosines are tried out."""

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.own_formulas import once_for_each
from rbdlib.verification.reasons.components import parts_of
from rbdlib.verification.reasons.edits import Edit
from rbdlib.verification.reasons.hypotheses import classes, kind_of
from rbdlib.verification.reasons.screening import quietly
from rbdlib.verification.trees.calculus import plus
from rbdlib.verification.trees.expression import Function, Number, Operation, expanded, substitute, symbols
from rbdlib.verification.trees.network import values
from rbdlib.verification.trees.nodes import ONE, ZERO

#: Numbers with larger denominators, or numerators, are not looked for.
_LARGEST = 48
_NEAR = 1e-8
#: Terms that what is missing may have in a formula that is shown.
MOST_SHOWN = 4


#: In which order factors are written; rates and accelerations come after the sines and cosines.
_ORDER, _MOVING = ("density", "mass", "inertia", "stiffness", "friction", "gravity", "length", "angle", "rate"), 20


def _rank(tree):
    """The place of a factor in a product."""
    first = min(symbols(tree), key=lambda s: (s.dots, s.name))
    if first.dots or first.name.startswith(("qd", "tau")):
        return _MOVING + first.dots + first.name.startswith("qdd")
    return _ORDER.index(kind_of(first.name))


@dataclass(frozen=True, eq=False)
class Term:
    """A number times powers of symbols, {tree: exponent}, times functions of the position (a tuple of trees)."""

    number: Fraction
    powers: dict
    functions: tuple

    @property
    def tree(self):
        """The term as a formula."""
        factors = [(_rank(tree), as_power(tree, k)) for tree, k in self.powers.items()]
        factors += [(_MOVING - 1, function) for function in self.functions]
        return times(self.number, product([tree for _, tree in sorted(factors, key=lambda pair: pair[0])]))

    def without(self, symbol):
        """The rest of it, to be compared with that of others."""
        return self.number, frozenset((t, k) for t, k in self.powers.items() if t != symbol), self.functions


@once_for_each
def terms_of(case, part):
    """The `Term`s of a `components.Part`, one or two; None if none are found."""
    powers = [as_power(tree, k) for tree, k in part.powers]
    groups = _position_factors(case)
    rows = case.combine_last(rows_of(case, [[*powers, *group] for group in groups]))
    for k, number in multiples(part.values, rows):
        return [Term(number, dict(part.powers), tuple(groups[k]))]
    return quietly(_two_terms, part, groups, rows) if len(part.values) > 2 else None


def _two_terms(part, groups, rows):
    likely = [k for k, group in enumerate(groups) if len(group) < 3][:40]
    for i, j in itertools.combinations(likely, 2):
        found = np.linalg.lstsq(rows[[i, j]].T, part.values, rcond=None)[0]
        if np.abs(found @ rows[[i, j]] - part.values).max() <= _NEAR * np.abs(part.values).max():
            numbers = [rational(np.array([x])) for x in found]
            if all(numbers):
                return [Term(number, dict(part.powers), tuple(groups[k]))
                        for number, k in zip(numbers, (i, j), strict=True)]
    return None


def rows_of(case, groups):
    """The values in all states, as floats, of the product of each list of trees: an array with a row for each."""
    factors = {tree for group in groups for tree in group}
    known = case.floats_of({s for tree in factors for s in symbols(tree)})
    row = {tree: values(tree, known) for tree in factors}
    return np.array([np.prod([np.ones(len(case.states)), *(row[tree] for tree in group)], axis=0) for group in groups])


def multiples(wanted, rows):
    """Pairs (k, number) of the rows of which what is wanted is a multiple by a simple number."""
    ratios = wanted / rows
    near = np.flatnonzero(np.ptp(ratios, axis=1) <= 10 * _NEAR * np.abs(ratios[:, 0]))
    return [(k, number) for k in near if (number := rational(ratios[k]))]


def rational(ratios):
    """The simple number that all ratios are, or None."""
    if not np.isfinite(ratios).all() or abs(ratios[0]) > _LARGEST or np.ptp(ratios) > _NEAR * abs(ratios[0]):
        return None
    number = Fraction(float(ratios[0])).limit_denominator(_LARGEST)
    return number if number and abs(float(number) - ratios[0]) <= _NEAR * abs(ratios[0]) else None


def times(number, tree):
    """A number times a tree, without a needless 1."""
    size = abs(number)
    above, below = Number(Fraction(size.numerator)), Number(Fraction(size.denominator))
    new = product([above if size.denominator == 1 else Operation("/", (above, below)), tree])
    return Operation("neg", (new,)) if number < 0 else new


def product(factors):
    """The product of trees; divisors and negative powers stand below one stroke."""
    above, below = [], []
    for factor in factors:
        top, bottom = (factor, ONE) if not _is_quotient(factor) else factor.operands
        below += _factors(bottom)
        for x in _factors(top):
            if isinstance(x, Operation) and x.kind == "^" and getattr(x.operands[1], "kind", "") == "neg":
                power = x.operands[1].operands[0]
                below.append(x.operands[0] if power == ONE else Operation("^", (x.operands[0], power)))
            else:
                above.append(x)
    above, below = ([x for x in part if x != ONE] for part in (above, below))
    if below:
        above = [*above[:-1], Operation("/", (above[-1] if above else ONE, product(below)))]
    return ONE if not above else above[0] if len(above) == 1 else Operation("*", tuple(above))


def _is_quotient(tree):
    """True for a quotient that is more than a fraction of two numbers."""
    return isinstance(tree, Operation) and tree.kind == "/" and not all(isinstance(x, Number) for x in tree.operands)


def _factors(tree):
    return list(tree.operands) if isinstance(tree, Operation) and tree.kind == "*" else [tree]


def as_power(tree, k):
    """A power of a tree, by a whole number."""
    size = Number(Fraction(abs(k)))
    return tree if k == 1 else Operation("^", (tree, Operation("neg", (size,)) if k < 0 else size))


def _position_factors(case):
    """Lists of factors that may depend on the position: none, one, or two sines and cosines."""
    waves = [Function(name, (angle,)) for angle in case.pool.angles for name in ("sin", "cos")]
    twice = [f for f in waves if getattr(f.arguments[0], "kind", "") == "*"]
    single = [f for f in waves if f not in twice]
    pairs = itertools.combinations_with_replacement(single[:24], 2)
    return [[], *([f] for f in single), *([a, b] if a != b else [as_power(a, 2)] for a, b in pairs),
            *([f] for f in twice)]


# Several terms as one


def gathered(case, parts):
    """The `Term`s of some parts with sums put in front, as in (m1 + m2)*l1^2: a list; empty if one is not found."""
    terms = [terms_of(case, part) for part in parts]
    if None in terms:
        return []
    kinds = [[case.symbol(name) for name in names] for names in classes(case.system.symbols).values()]
    alike = {symbol: kind for kind in kinds for symbol in kind}
    found, left = [], [term for some in terms for term in some]
    while left:
        term = left.pop(0)
        for symbol in (symbol for symbol in alike if term.powers.get(symbol) == 1):
            others = [(other, x) for other in alike[symbol] for x in left if other != symbol
                      and x.powers.get(other) == 1 and x.without(other) == term.without(symbol)]
            if others:
                left = [x for x in left if not any(x is y for _, y in others)]
                total = plus(*sorted((symbol, *(other for other, _ in others)), key=lambda s: s.name))
                powers = {total if tree == symbol else tree: k for tree, k in term.powers.items()}
                term = Term(term.number, powers, term.functions)
                break
        found.append(term)
    return found


def residual(case, index):
    """The part that an entry lacks, as a formula of a few terms in the learner's symbols, or None."""
    terms = gathered(case, parts_of(case, index) or ())
    return plus(*(term.tree for term in terms)) if 0 < len(terms) <= MOST_SHOWN else None


@once_for_each
def monomials(case, index):
    """The products of which the formula of an entry is made, like those of `monomials_of`."""
    return monomials_of(case, case.trees[index])


def monomials_of(case, tree):
    """The products of powers of which a formula is made, without their numbers: a set; None if it is too large.

    Names that given defines by parameters are put in.
    """
    definitions, parameters = case.vocabulary.definitions, case.vocabulary.names.parameters
    for _ in range(2):
        meanings = {s: definitions[compact(s.name)].tree for s in symbols(tree)
                    if not s.dots and compact(s.name) in definitions}
        tree = substitute(tree, {s: meaning for s, meaning in meanings.items() if symbols(meaning) != {s}
                                 and all(x.name in parameters for x in symbols(meaning))})
    parts = expanded(tree)
    return None if parts is None else {frozenset(_monomial(part).items()) for part in parts if part != ZERO}


def _monomial(part):
    """{symbol or function: exponent} of a product."""
    found, waiting = {}, [(part, Fraction(1))]
    while waiting:
        node, power = waiting.pop()
        kind = node.kind if isinstance(node, Operation) else ""
        exponent = node.operands[1].value if kind == "^" and isinstance(node.operands[1], Number) else None
        if kind in ("*", "neg"):
            waiting += [(factor, power) for factor in node.operands]
        elif kind == "/":
            waiting += [(node.operands[0], power), (node.operands[1], -power)]
        elif exponent is not None:
            waiting.append((node.operands[0], power * exponent))
        elif not isinstance(node, Number):
            found[node] = found.get(node, 0) + power
    return {node: power for node, power in found.items() if power}


# Factors of several symbols


#: What an unusual number costs, a factor and a number, two factors; what a number and a sign besides add.
UNUSUAL, ONE_FACTOR, TWO_FACTORS, NUMBER, OPPOSITE = 2.9, 1.9, 2.0, 0.15, 0.8
#: Factors that are tried.
_MOST = 40


def compound_factors(case, index, wanted):
    """`Edit`s of one term each, by the product of two factors and a number, that change an entry by ``wanted``."""
    search, found = case.search(index), []
    groups, rows = _compounds(case)
    for term, share in zip(search.terms, search.shares, strict=True):
        if np.abs(share).min() > 1e-12:
            values_of_term = search.network.values[id(term)]
            others = share + search.network.change(term, values_of_term * rows)
            found += [_edit(term, groups[k], number, wanted) for k, number in multiples(share + wanted, others)]
    return sorted(found, key=lambda edit: edit.cost)[:2]


def _edit(term, group, number, wanted):
    above = [tree for tree, sign in group if sign > 0]
    below = [tree for tree, sign in group if sign < 0]
    new = times(abs(number), product([term, *above]))
    new = Operation("/", (new, product(below))) if below else new
    new = new if number > 0 else Operation("neg", (new,))
    kind = "factor" if not group else "lost factor" if above else "extra factor"
    cost = UNUSUAL if not group or above and below else (ONE_FACTOR, TWO_FACTORS)[len(group) - 1]
    cost += NUMBER * (abs(number) != 1) + OPPOSITE * (number < 0)
    return Edit(kind, new, cost, wanted, term, term)


@once_for_each
def _compounds(case):
    """(groups, rows): lists of pairs (factor, 1 or -1), two at most, and their values in all states."""
    factors = list(dict.fromkeys(case.pool.factors))[:_MOST]
    single = [(tree, sign) for tree in factors for sign in ((1,) if isinstance(tree, Function) else (1, -1))]
    groups = [[], *([x] for x in single), *([x, y] for i, x in enumerate(single) for y in single[: i + 1]
                                            if x[0] != y[0] or x[1] == y[1])]
    return groups, rows_of(case, [[as_power(tree, sign) for tree, sign in group] for group in groups])
