"""One place of an answer changed in the ways in which learners go wrong, and which changes make it right."""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rbdlib.verification.reasons.hypotheses import quietly
from rbdlib.verification.trees.calculus import minus, plus, times
from rbdlib.verification.trees.expression import Derivative, Function, Number, Operation, Symbol
from rbdlib.verification.trees.network import linear_parts, replaced
from rbdlib.verification.trees.nodes import ONE, TWO, ZERO, Constant, postorder, symbols, terms

#: Floats that differ by less than this fraction of the largest term agree, until many digits are looked at.
NEAR = 1e-9
#: Changes of one formula that are tried, pairs of them that are compared by cost, and that are looked at closely.
MOST_EDITS, _MOST_CANDIDATES, MOST_PAIRS = 6000, 4000, 60
#: Changes before differentiation, or in definitions, that are tried at most: each is differentiated anew.
_MOST_SOURCES = 500
#: So much likelier is one change before differentiation than one of the terms that differentiation gives.
_BEFORE = 0.5
#: A change that so many others complete tells nothing.
_CROWD = 200
#: The cost that a second mistake adds to an explanation.
SECOND = 0.6
#: Factors by which a term may be wrong (the right one divided by the written one), and what that costs.
FACTORS = {Fraction(2): 1.0, Fraction(1, 2): 1.0, Fraction(4): 1.25, Fraction(1, 4): 1.25, Fraction(3): 1.35,
           Fraction(1, 3): 1.35, Fraction(3, 2): 1.45, Fraction(2, 3): 1.45, Fraction(12): 1.5, Fraction(1, 12): 1.5,
           Fraction(3, 4): 1.5, Fraction(4, 3): 1.5, Fraction(6): 1.6, Fraction(1, 6): 1.6}
#: Numbers in the argument of a sine that are degrees.
DEGREES = (30, 45, 60, 90, 120, 135, 150, 180, 270, 360)


@dataclass(frozen=True, eq=False)
class Edit:
    """One change of one place.

    kind: a key of `sentences.SENTENCES`.  new: what replaces a part, or is added.  cost: the smaller, the likelier.
    term: the term in which it stands.  node: the part of the answer that is changed, or None where something is added
    to the whole.  added: a term that is missing in the part, where that is all that is changed.  whole: the changed
    formula, where it is not the given one with another part.
    """

    kind: str
    new: Any
    cost: float
    term: Any = None
    node: Any = None
    added: Any = None
    whole: Any = None


class Pool(NamedTuple):
    """Everything that may stand in an answer, as `Symbol`s and trees.

    kinds: lists of symbols that may be taken for one another.  angles: the arguments that sine and cosine may have.
    factors: what a term may have lost.  lengths, masses: parameters that are such.  sums: {rate: sum of rates with it}.
    parameters: all of them, by which a term may have to be divided.  defined: what names of the learner's stand for.
    more: a function of a part, of those in which it stands, and of whether that is within a sine or cosine, which gives
    further changes (kind, new part, cost); or None.
    """

    kinds: tuple
    angles: tuple
    factors: tuple
    lengths: tuple
    masses: tuple
    sums: dict
    parameters: tuple = ()
    more: Any = None
    defined: tuple = ()

    def symbols(self):
        """All symbols that occur in it, a set."""
        trees = [*(s for kind in self.kinds for s in kind), *self.angles, *self.factors, *self.sums.values(),
                 *self.defined]
        return set().union(*map(symbols, trees))


def changes_of(network, pool):
    """Pairs (part, list of (kind, new part, cost)) of all changes of one place of the formula of a `Network`."""
    whole = {id(term) for term in terms_within(network.tree)}
    angles = {id(part) for node in network.nodes if _is_wave(node) for part in postorder(node.arguments[0])}
    beside = {id(node) for node in linear_parts(network.tree)} | angles
    inner = {id(part) for node in network.nodes if _is(node, "+") and id(node) not in beside for part in node.operands}
    for node in reversed(network.nodes):
        sorts = (id(node) in places for places in (whole, inner, angles))
        parents = [network.nodes[place] for place in network.parents.get(id(node), ())]
        if changes := list(_changes(node, parents, pool, *sorts)):
            yield node, changes


def terms_within(tree):
    """The parts that are terms of sums, and the whole if it is no sum; not the sums, and not what stands in sin()."""
    sums = [node for node in linear_parts(tree) if _is(node, "+")]
    found = [part for node in sums for part in node.operands if not _is(part, "+")]
    return found if _is(tree, "+") else [*found, tree]


def _is(node, *kinds):
    return isinstance(node, Operation) and node.kind in kinds


def _is_wave(node):
    return isinstance(node, Function) and node.name in ("sin", "cos")


def _changes(node, parents, pool, in_whole, inner, in_angle):
    """(kind, new part, cost) of all changes of one part. in_whole, inner: whether it is a term of the whole, or of a
    sum below a division, in a power or a root.  in_angle: whether it stands within sine or cosine.
    """
    if in_whole or inner:
        yield from _of_term(node, pool, not in_whole)
    in_product = any(_is(parent, "*", "/") for parent in parents)
    if in_product and any(isinstance(part, Symbol) for part in postorder(node)):
        yield "power", Operation("^", (node, TWO)), 1.3
        yield "power", Operation("/", (ONE, node)), 1.45
        yield "extra factor", ONE, 1.35
    if node in pool.angles and in_product and not in_angle:
        yield "small angle", Function("sin", (node,)), 1.15
    match node:
        case Number() if in_angle and node.value in DEGREES:
            yield "degrees", Operation("*", (Number(Fraction(node.value, 180)), Constant("pi"))), 1.0
        case Function(name="abs"):
            yield "absolute value", node.arguments[0], 1.0
        case Function(name="sin" | "cos"):
            yield "function", Function("cos" if node.name == "sin" else "sin", node.arguments, span=node.span), 1.05
            yield from (("argument", Function(node.name, (angle,)), 1.2) for angle in pool.angles
                        if angle != node.arguments[0])
        case Symbol():
            for other in (other for kind in pool.kinds if node in kind for other in kind if other != node):
                yield "symbol", other, 1.1
                if node in pool.masses or node in pool.lengths:
                    yield "missing term", Operation("+", (node, other)), 1.25
            yield from [("velocity", pool.sums[node], 1.2)] if node in pool.sums else ()
        case Operation(kind="^", operands=(base, Number(value=power))) if power in (2, 3, 4):
            yield from (("power", Operation("^", (base, Number(meant))), 1.3) for meant in (power - 1, power + 1))
            yield from _of_square(base, pool) if power == 2 and _is(base, "+") else ()
        case Operation(kind="+"):
            yield from _of_sum(node, pool)
            yield from (("lost factor", Operation("*", (node, lost)), 1.4) for lost in pool.factors if parents)
        case Number() if any(_is(parent, "*") for parent in parents) and node.value in range(2, 20):
            yield "factor", ONE, 1.0
    if any(node is tree for tree in pool.defined):
        yield from (("symbol", tree, 1.05) for tree in pool.defined if tree is not node)
    if pool.more:
        yield from pool.more(node, parents, in_angle)
    if _is(node, "+") and not in_whole and parents:             # a bracket
        yield from (("factor", Operation("*", (Number(factor), node)), cost + 0.1) for factor, cost in FACTORS.items())
        yield "sign", Operation("neg", (node,)), 1.3
        yield "power", Operation("^", (node, TWO)), 1.3


def _of_term(node, pool, inner):
    """Changes of a term; inner: of a sum below a division, in a power or a root."""
    bare, less_likely = node.operands[0] if _is(node, "neg") else node, 0.1 * inner
    yield "sign", minus(node), 1.0 + less_likely
    yield "extra term", ZERO, 1.2 + less_likely
    for factor, cost in FACTORS.items():
        yield "factor", Operation("*", (Number(factor), node)), cost + 0.05 * (1 + inner)
    for lost in pool.factors:
        yield "lost factor", Operation("*", (node, lost)), 1.4 + 0.05 * inner
        if not inner:
            yield "lost factor", Operation("*", (node, Operation("^", (lost, TWO)))), 1.45
    for lost in pool.parameters if not inner else ():
        yield "power" if lost in pool.lengths else "lost factor", Operation("/", (node, lost)), 1.5
    square = Operation("^", (bare, TWO))
    yield "power", Operation("neg", (square,)) if bare is not node else square, 1.35 - 0.05 * inner


def _of_sum(node, pool):
    """a² + b² for (a + b)²: a cross term 2 a b is missing; and l*sin(q1) + q2, which is how l*sin q1 + q2 was read."""
    squares = [part.operands[0] for part in node.operands if _is(part, "^") and part.operands[1] == TWO]
    for b, a in itertools.combinations(squares, 2):
        yield "cross term", Operation("+", (node, Operation("*", (TWO, a, b)))), 1.2
    for i, (part, angle) in enumerate(itertools.pairwise(node.operands)):
        *factors, wave = part.operands if _is(part, "*") else (part,)
        if _is_wave(wave) and angle in pool.angles:
            term = times(*factors, Function(wave.name, (plus(wave.arguments[0], angle),)))
            yield "brackets", plus(*node.operands[:i], term, *node.operands[i + 2 :]), 1.0


def _of_square(base, pool):
    """(a + b)² for a² + b², of parts at a right angle, or for a² + b² + 2 a b cos(q), of parts at another one."""
    for k in range(1, len(base.operands)):
        a, b = plus(*base.operands[:k]), plus(*base.operands[k:])
        squares = plus(Operation("^", (a, TWO)), Operation("^", (b, TWO)))
        yield "directions", squares, 1.15
        for wave in (part for part in pool.factors if isinstance(part, Function)):
            cross = times(TWO, a, b, wave)
            yield from (("directions", plus(squares, term), 1.25) for term in (cross, minus(cross)))


def edited(tree, edits):
    """The formula with some `Edit`s, of which one may stand within another; None if they exclude each other."""
    if edits[0].whole is not None:
        return edits[0].whole
    there, new = [edit for edit in edits if edit.node is not None], {}
    for edit in sorted(there, key=lambda edit: len(postorder(edit.node))):      # a smaller one may stand in the others
        new[id(edit.node)] = replaced(edit.new, new)
    missing = [part for edit in edits if edit.node is None for part in terms(edit.new)]
    return None if len(new) < len(there) else plus(replaced(tree, new), *missing)


class Changes:
    """All changes of one formula, to be asked which of them, alone or in pairs, bring about a wanted change."""

    def __init__(self, network, pool):
        self.network, self.terms, found, term_of = network, terms_within(network.tree), [], {}
        for term in reversed(self.terms):                       # where terms stand within terms, the first one counts
            term_of |= dict.fromkeys(network.below(term), term)
        for node, changes in changes_of(network, pool):
            parts = np.array([network.value_of(new) for _, new, _ in changes])
            rows = np.broadcast_to(network.change(node, parts), (len(changes), len(network.whole)))
            term = term_of.get(network.place[id(node)])
            found += [(Edit(kind, new, cost, term, node), row) for (kind, new, cost), part, row in zip(
                changes, parts, rows, strict=True) if np.isfinite(row).all() and row.any()
                and (kind != "lost factor" or part.any())]                  # none is lost that is zero
            if len(found) > MOST_EDITS:
                break
        found.sort(key=lambda pair: pair[0].cost)
        self.edits, self.changes = [edit for edit, _ in found], np.array([row for _, row in found])
        self.shares = [-network.change(term, 0 * network.values[id(term)]) for term in self.terms]
        self.sizes = np.abs([network.whole, *self.shares]).max(axis=0)
        self.scale = self.sizes.max() or 1.0

    def single(self, wanted, at=slice(None)):
        """The edits that change what is compared, or some of it, by ``wanted`` (array), the likeliest first."""
        if not self.edits:
            return []
        near = (np.abs(self.changes[:, at] - wanted) <= NEAR * (self.sizes[at].max() or 1.0)).all(axis=1)
        return [self.edits[i] for i in np.flatnonzero(near)]

    def pairs(self, wanted):
        """Pairs of edits in different places that together may change it by ``wanted``, the likeliest first."""
        edits = self.edits
        found = {(i, j) for i, j in _joined(self.changes, wanted, np.add, NEAR * self.scale)
                 if edits[i].term is not edits[j].term}                 # changes of different terms add up,
        for term, share in zip(self.terms, self.shares, strict=True):   # those of factors of one term multiply it
            if edits and np.abs(share).min() > 1e-12:
                places = self.network.below(term)
                inside = [i for i, edit in enumerate(edits) if self.network.place[id(edit.node)] in places]
                ratios = 1 + self.changes[inside] / share
                found |= {(inside[i], inside[j]) for i, j in _joined(ratios, 1 + wanted / share, np.multiply, NEAR)
                          if self._apart(edits[inside[i]], edits[inside[j]], term)}
        ranked = sorted(found, key=lambda pair: (edits[pair[0]].cost + edits[pair[1]].cost, pair))
        return [(edits[i], edits[j]) for i, j in ranked[:MOST_PAIRS]]

    def _apart(self, first, second, term):
        """True if the places of two edits are not within one another; the term itself is beside its factors."""
        if first.node is second.node or first.node is term or second.node is term:
            return first.node is not second.node
        below, place = self.network.below, self.network.place
        return place[id(first.node)] not in below(second.node) and place[id(second.node)] not in below(first.node)


def _joined(rows, wanted, combine, tolerance):
    """Pairs (i, j), i < j, of rows whose sum (combine = np.add) or product is wanted."""
    if not len(rows):
        return []
    rows = np.where(np.isfinite(rows), rows, 1e300)
    first, order = rows[:, 0], np.argsort(rows[:, 0])
    target = wanted[0] - first if combine is np.add else wanted[0] / first
    target = np.where(np.isfinite(target), target, 1e300)
    room = tolerance * (1 if combine is np.add else 1 + np.abs(target))
    low, high = (np.searchsorted(first[order], bound) for bound in (target - room, target + room))
    pairs = np.array([(i, j) for i in np.flatnonzero((high > low) & (high - low < _CROWD))
                      for j in order[low[i] : high[i]] if i < j], dtype=int).reshape(-1, 2)
    off = np.abs(combine(rows[pairs[:, 0]], rows[pairs[:, 1]]) - wanted)
    good = (off <= 2 * tolerance * (1 + np.abs(wanted))).all(axis=1)
    return sorted(map(tuple, pairs[good].tolist()))[:_MOST_CANDIDATES]


# Changes in definitions, and before differentiation. x2 = l1*sin(th1) + ..., T = 1/2*m2*x2'^2: a wrong sign in x2 shows
# in its rate, in which it stands in other places.


def source_edits(case, index, wanted):
    """`Edit`s with the changed formula as ``whole`` that change what is compared by ``wanted``, the likeliest first."""
    found, search, raw = [], case.search(index), case.as_written(index)
    combine, target = search.network.combine, search.network.whole + wanted
    own, written = case.own_definitions.values(), postorder(raw)
    parts = {id(node.of): node.of for node in written if isinstance(node, Derivative)}
    parts |= {id(node): node for node in written if any(node is tree for tree in own)}
    changes = ((part, source, node, *change) for part in parts.values()
               for source in [case.vocabulary.carried_out(part)]
               for node, some in changes_of(case.network(source), case.pool) for change in some)
    for part, source, node, kind, new, cost in itertools.islice(changes, _MOST_SOURCES):
        place = {id(node): new}
        tree = quietly(case.inlined, replaced(raw, {id(part): replaced(source, place)} | place))
        now = None if tree is None else quietly(case.floats, tree)
        if now is not None and (np.abs(combine(now) - target) <= NEAR * search.scale).all():
            bonus = 0 if any(part is tree for tree in own) else _BEFORE
            term = next((t for t in terms_within(source) if any(part is node for part in postorder(t))), None)
            found.append(Edit(kind, new, cost - bonus, term, node, whole=tree))
    return sorted(found, key=lambda edit: edit.cost)
