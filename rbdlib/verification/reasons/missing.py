"""Formulas for what is missing in an answer: of an entry part by part, and within a divisor or an inertia."""

import functools
import itertools
import operator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.mechanics.basics import once_for_each
from rbdlib.verification.reasons import pool
from rbdlib.verification.reasons.components import parts_of
from rbdlib.verification.reasons.edits import SECOND, Edit, edited
from rbdlib.verification.reasons.hypotheses import kind_of, quietly
from rbdlib.verification.trees.calculus import plus
from rbdlib.verification.trees.expression import Function, Number, Operation, Symbol, expanded, postorder, to_text
from rbdlib.verification.trees.nodes import ZERO, Derivative, substitute, symbols, terms

#: Terms, and characters, that a formula of what is missing may have; and parts within which a term may be missing.
MOST_SHOWN, LONGEST_SHOWN, _MOST_INNER = 4, 80, 12
#: Functions of the position of which two may be added up in one part.
_MOST_PAIRED = 40
#: Parts of an entry that are put together in all ways, mistakes that are told at once, ways that are looked at closely.
_MOST_PARTS, MOST_MISTAKES, _MOST_COVERS = 7, 3, 12
#: The cost of a missing term, of each further term in a missing bracket, of one that is there with other sines and
#: cosines, and of one within a divisor or an inertia.
MISSING, MORE, SIMILAR, WITHIN = 1.2, 1.0, 1.7, 1.4
#: The cost of an unusual number, of one factor, of two; and of a number, and of a sign, besides.
UNUSUAL, ONE_FACTOR, TWO_FACTORS, NUMBER, OPPOSITE = 2.9, 1.9, 2.0, 0.15, 0.8
#: In which order factors are written; rates and accelerations come after the sines and cosines.
_ORDER, _MOVING = ("density", "mass", "inertia", "stiffness", "friction", "gravity", "length", "angle", "rate"), 20


def _rank(tree):
    """The place of a factor in a product."""
    if isinstance(tree, Function):
        return _MOVING - 1
    first = min(symbols(tree), key=lambda s: (s.dots, s.name))
    if first.dots or first.name.startswith(("qd", "tau")):
        return _MOVING + first.dots + first.name.startswith("qdd")
    return _ORDER.index(kind_of(first.name))


class Term(NamedTuple):
    """A number times powers, {tree: exponent}, of symbols, and of functions of the position."""

    number: Fraction
    powers: dict

    @property
    def tree(self):
        """The term as a formula."""
        return pool.product(self.number, sorted(self.powers.items(), key=lambda power: _rank(power[0])))

    def with_other(self, symbol, *others):
        """The term with others in the place of a symbol, or without it."""
        return self._replace(powers={new: k for tree, k in self.powers.items()
                                     for new in (others if tree == symbol else (tree,))})


@once_for_each
def terms_of(case, part):
    """The `Term`s of a `components.Part`, one or two; None if none are found."""
    groups = [[*part.powers, *group] for group in pool.of_position(case)]
    rows = case.combine(pool.rows_of(case, groups), -1)
    for k, number in pool.multiples(part.values, rows):
        return [Term(number, dict(groups[k]))]
    pairs = itertools.combinations(range(min(len(groups), _MOST_PAIRED)), 2)
    for places in pairs if len(part.values) > 2 else ():
        two = rows[[*places]]
        found = np.linalg.lstsq(two.T, part.values, rcond=None)[0]
        numbers = [pool.rational(np.array([x])) for x in found]
        if all(numbers) and np.abs(found @ two - part.values).max() <= pool.NEAR * np.abs(part.values).max():
            return [Term(number, dict(groups[k])) for number, k in zip(numbers, places, strict=True)]
    return None


def gathered(case, parts):
    """The `Term`s of some parts with sums put in front, as in (m1 + m2)*l1^2: a list; empty if one is not found."""
    of_parts = [quietly(terms_of, case, part) for part in parts]
    if None in of_parts:
        return []
    alike = {symbol: kind for kind in pool.parameters_of(case).values() for symbol in kind}
    found, left = [], _in_own(case, [term for some in of_parts for term in some])
    while left:
        term = left.pop(0)
        for symbol in (symbol for symbol in alike if term.powers.get(symbol) == 1):
            others = [(other, x) for other in alike[symbol] for x in left if other != symbol
                      and x.powers.get(other) == 1 and x.with_other(other) == term.with_other(symbol)]
            if others:
                left = [x for x in left if not any(x is y for _, y in others)]
                total = sorted((symbol, *(other for other, _ in others)), key=lambda s: s.name)
                term = term.with_other(symbol, plus(*total))
                break
        found.append(term)
    return found


def _in_own(case, found):
    """Some `Term`s multiplied out, and equal ones added up, where a parameter is made of symbols of the learner's."""
    if pool.redefined(case).keys().isdisjoint(factor for term in found for factor in term.powers):
        return found
    numbers = {}
    for part in expanded(plus(*(term.tree for term in found))) or ():
        number, powers = pool.factored(part)
        key = tuple(sorted(((factor, k) for factor, k in powers if k), key=lambda power: to_text(power[0])))
        numbers[key] = numbers.get(key, 0) + number
    return [Term(number, dict(key)) for key, number in numbers.items() if number]


def residual(case, index):
    """The part that an entry lacks, as a short formula in the learner's symbols, or None.

    What the rate of a formula lacks, of X = const, is nothing that could be added to it.
    """
    if any(isinstance(term, Derivative) for term in terms(case.as_written(index))):
        return None
    together = gathered(case, parts_of(case, index) or ())
    tree = plus(*(term.tree for term in together))
    return tree if 0 < len(together) <= MOST_SHOWN and len(to_text(tree)) <= LONGEST_SHOWN else None


def covers(case, index):
    """Explanations of an entry part by part, this one by a wrong sign, that one by a term left out; not yet confirmed:
    tuples of `Edit`s, first those of what is there; the likeliest tuple first.
    """
    parts = parts_of(case, index)
    if not parts or len(parts) > _MOST_PARTS:
        return
    there, options = monomials(case, case.trees[index]), {}
    for mask in range(1, 2 ** len(parts)):
        chosen = [part for k, part in enumerate(parts) if mask >> k & 1]
        wanted = sum(part.values for part in chosen)
        found = [*case.search(index).single(wanted)[:1], *compound_factors(case, index, wanted)[:1],
                 *_left_out(case, chosen, there)]
        if found:
            options[mask] = min(found, key=lambda option: option.cost)
    all_of_them, ways = 2 ** len(parts) - 1, []
    for masks in itertools.chain.from_iterable(itertools.combinations(options, k + 1) for k in range(MOST_MISTAKES)):
        if sum(masks) == all_of_them == functools.reduce(operator.or_, masks):             # each part once
            way = [options[mask] for mask in sorted(masks, key=lambda mask: mask & -mask)]
            ways.append((sum(option.cost for option in way) + SECOND * (len(way) - 1), way))
    for _, changes in sorted(ways, key=operator.itemgetter(0))[:_MOST_COVERS]:
        kept, missing = ([edit for edit in changes if (edit.node is None) is absent] for absent in (False, True))
        if missing and (any(edit.kind == "extra term" for edit in kept) or len(missing) > (1 if kept else 2)):
            continue                        # something is put in place of something else, or most of it is left out
        rest = edited(case.trees[index], kept) if kept and missing else None        # which must not be zero
        if rest is None or (np.abs(case.combine(case.floats(rest), -1)) > 1e-12).any():
            yield (*kept, *missing)


def _left_out(case, chosen, there):
    """The terms of some parts, if they are one, have a mass in common, or make a bracket. there: the `monomials`."""
    together = gathered(case, chosen)
    if len(together) > 1:
        common = set.intersection(*(set(term.powers) for term in together))
        parameters = {s for alike in pool.parameters_of(case).values() for s in alike}
        beside = {frozenset((t, k) for t, k in term.powers.items() if not symbols(t) <= parameters)
                  for term in together}                         # qd1^2 in (A + B)*qd1^2
        bracket = len(beside) == 1 and any(not isinstance(t, Function) for t, _ in next(iter(beside)))
        if not (bracket or common & set(case.pool.masses)) or len(together) > 4:
            return []
    tree = plus(*(term.tree for term in together))
    absent = monomials(case, tree)
    several = len(together) > 1
    if not absent or (several if there is None else there & absent if several else there >= absent):
        return []                                       # it is there: it is not missing
    bare, other = ({frozenset((t, k) for t, k in m if not isinstance(t, Function)) for m in some or ()}
                   for some in (absent, there))
    return [Edit("missing term", tree, MISSING + MORE * (len(together) - 1) + SIMILAR * bool(bare & other))]


def monomials(case, tree):
    """The products of powers of which a formula is made, without their numbers: a set; None if it is too large."""
    definitions, parameters = case.vocabulary.definitions, case.vocabulary.names.parameters
    for _ in range(2):                                  # names that given defines by parameters are put in
        meanings = {s: definitions[compact(s.name)].tree for s in symbols(tree)
                    if not s.dots and compact(s.name) in definitions}
        tree = substitute(tree, {s: meaning for s, meaning in meanings.items() if symbols(meaning) != {s}
                                 and all(x.name in parameters for x in symbols(meaning))})
    parts = expanded(tree)
    return None if parts is None else {
        frozenset((factor, k) for factor, k in pool.factored(part)[1] if k and not isinstance(factor, Number))
        for part in parts if part != ZERO}


def compound_factors(case, index, wanted):
    """`Edit`s of one term each, by the product of two factors and a number, that change an entry by ``wanted``."""
    search, found = case.search(index), []
    groups, rows = pool.compounds(case)
    for term, share in zip(search.terms, search.shares, strict=True):
        if np.abs(share).min() > 1e-12:
            others = share + search.network.change(term, search.network.values[id(term)] * rows)
            for group, number in ((groups[k], number) for k, number in pool.multiples(share + wanted, others)):
                above, below = (any(k * side > 0 for _, k in group) for side in (1, -1))
                kind = "factor" if not group else "lost factor" if above else "extra factor"
                cost = UNUSUAL if above == below else (ONE_FACTOR, TWO_FACTORS)[sum(abs(k) for _, k in group) - 1]
                cost += NUMBER * (abs(number) != 1) + OPPOSITE * (number < 0) + 0.01 * len(group)
                cost += 0.1 * isinstance(term, Symbol)                      # the x'' of x'' = ... is seldom it
                found.append(Edit(kind, pool.product(number, [(term, 1), *group]), cost, term, term))
    return sorted(found, key=lambda edit: edit.cost)[:2]


def inner_missing(case, index, wanted):
    """`Edit`s by a term missing in a divisor or an inertia, so that an entry may change by ``wanted``: what that lacks
    is solved for in each state, and held against products of a few symbols.
    """
    if case.constant:
        return []
    network, found = case.search(index).network, []
    below = {id(node.operands[1]) for node in network.nodes if isinstance(node, Operation) and node.kind == "/"}
    chosen = [node for node in reversed(network.nodes) if symbols(node) and (id(node) in below or (
        isinstance(node, Symbol) and not node.dots and kind_of(node.name) == "inertia"))]
    for node in chosen[:_MOST_INNER]:
        lacking = _solved(network, node, network.whole + wanted)
        found += likely_missing(case, lacking, node) if lacking is not None else []
    return sorted(found, key=lambda edit: len(postorder(edit.added)))[:2]


def likely_missing(case, lacking, node=None):
    """The `Edit` that adds a product of a few symbols, which has the values that are lacking, to a part, or to the
    whole: a list with one at most.
    """
    groups, rows = pool.likely_terms(case)
    for k, number in pool.multiples(lacking, rows)[:1]:
        places = np.unravel_index(k, [len(group) for group in groups])
        term = pool.product(number, [x for group, at in zip(groups, places, strict=True) for x in group[at]])
        return [Edit("missing term", plus(node, term), WITHIN, node=node, added=term) if node else
                Edit("missing term", term, MISSING)]
    return []


def _solved(network, node, target):
    """The amount that a part lacks in each state, so that the whole has the wanted values; None if that cannot be."""
    now = network.values[id(node)]                      # the whole is nearly always f = (a x + b)/(c x + d) of a part x
    step = 0.1 * (1 + np.abs(now))
    at = np.array([now, now + step, now - step])
    whole = np.array([network.change(node, x) + network.whole for x in at])
    rows = np.stack([at, np.ones_like(at), -at * whole, -whole], axis=-1).swapaxes(0, 1)
    if not np.isfinite(rows).all():
        return None
    a, b, c, d = np.linalg.svd(rows)[2][:, -1].T
    lacking = (d * target - b) / (a - c * target) - now
    reached = network.change(node, now + lacking) + network.whole
    good = np.isfinite(lacking).all() and np.abs(lacking).min() > 1e-9
    return lacking if good and np.allclose(reached, target, rtol=1e-8, atol=1e-8) else None
