"""A wrong answer laid out for finding out why it is wrong: its formulas, the states, the values wanted there."""

import functools
from dataclasses import replace
from functools import cached_property

import numpy as np

from rbdlib.articulated_body import aba
from rbdlib.verification.aliases import UnknownSymbol, compact
from rbdlib.verification.answer_lines import difference, settled
from rbdlib.verification.components import Responses, parts_of
from rbdlib.verification.edits import Search
from rbdlib.verification.equations import known_values
from rbdlib.verification.expression import (
    Derivative,
    Operation,
    Symbol,
    Undefined,
    carried_out,
    children,
    evaluate,
    postorder,
    symbols,
    terms,
    with_children,
    written_size,
)
from rbdlib.verification.hypotheses import altered, of_systems
from rbdlib.verification.missing import monomials, terms_of
from rbdlib.verification.network import Network, values
from rbdlib.verification.other_coordinates import of_coordinates
from rbdlib.verification.pool import pool_of
from rbdlib.verification.quantities import in_coordinates
from rbdlib.verification.rules import of_rules
from rbdlib.verification.sentences import SENTENCES
from rbdlib.verification.states import Altered
from rbdlib.verification.vocabulary import Definition

#: Formulas with more parts are not taken apart.
MOST_PARTS = 6000
#: Names put in for what they stand for, so many times in one another at most.
_ROUNDS = 4


def once_for_each(method):
    """A method of one argument whose result is kept for each value of it."""
    name = f"_kept_{method.__name__}"

    @functools.wraps(method)
    def kept(self, key):
        results = self.__dict__.setdefault(name, {})
        if key not in results:
            results[key] = method(self, key)
        return results[key]

    return kept


class Case:
    """What a wrong `Decision` leaves to be explained.

    trees: {index: formula}; those of equations are left minus right sides.  equations: whether they must be zero.
    function: the learner's function, if there is no formula.  Work with it under ``mpmath.workdps(DIGITS)``.
    """

    sentences = SENTENCES

    def __init__(self, decision, function=None):
        self.decision, self.quantity, self.function = decision, decision.quantity, function
        self.states, self.tolerance = decision.states, decision.tolerance
        self.vocabulary = decision.vocabulary
        self.system = self.vocabulary.names.system
        self.equations = bool(decision.equations)
        self.constant = self.quantity.compare == "constant"
        self.trees = {index: self._inlined(tree) for index, tree in self._formulas()}
        self.used = tuple(dict.fromkeys(s for tree in self.trees.values() for s in symbols(tree)))

    # What the learner wrote

    def _formulas(self):
        if self.equations:
            return [((i,), difference(left, right)) for i, (left, right, _) in enumerate(self.decision.equations)]
        array = self.decision.array
        if array is None:
            return []
        shape = np.shape(self.decision.right(self.states[0]))
        if self.quantity.symbol == "C" and array.ndim == 2 and len(shape) == 1 and array.shape == 2 * shape:
            rates = [Symbol(x.rate) for x in self.vocabulary.names.coordinates]
            array = np.array([Operation("+", tuple(Operation("*", pair) for pair in zip(row, rates, strict=True)))
                              if len(rates) > 1 else Operation("*", (row[0], rates[0])) for row in array] + [None],
                             dtype=object)[:-1]
        array = settled(array, shape)
        return [] if array is None else [(place, array[place]) for place in np.ndindex(array.shape)]

    def _inlined(self, tree):
        """The formula with the learner's own definitions and abbreviations such as s12 put in, each time anew."""
        if any(isinstance(node, Derivative) for node in postorder(tree)):
            tree = carried_out(tree, self.vocabulary._moves)
        for _ in range(_ROUNDS):
            new = {}
            for node in postorder(tree):
                meaning = self._definition(node) if isinstance(node, Symbol) else None
                new[id(node)] = _anew(meaning, node.span) if meaning else with_children(
                    node, [new[id(child)] for child in children(node)])
            if new[id(tree)] is tree or written_size(new[id(tree)]) > MOST_PARTS:
                break
            tree = new[id(tree)]
        return tree

    def _definition(self, symbol):
        if symbol.dots:
            return None
        try:
            meaning, _ = self.vocabulary._meaning(symbol, ())
        except UnknownSymbol:
            return None
        return meaning.tree if isinstance(meaning, Definition) and meaning.by == "answer" else None

    # Values

    def known(self, state, wanted=None):
        """{Symbol: value} in a state, of the symbols of the answer or of those wanted."""
        extra = known_values(state) if self.quantity.compare == "identity" else None
        return self.vocabulary.values(self._with_own_forces(state), self.used if wanted is None else wanted, extra)

    def _with_own_forces(self, state):
        """The state, with the forces in the learner's coordinates if the equations were taken to be meant so."""
        new = self.vocabulary.coordinates()
        if not self.equations or not new or not any("belong to your coordinates" in x for x in self.decision.notes):
            return state
        from rbdlib.verification.equations import _B

        return Altered(state, tau=_B(self, new, state).T @ state.tau)

    def right(self, state):
        """The right values in a state, in the learner's coordinates."""
        return np.array(self.decision.right(state), dtype=object)

    def whole(self, state):
        """The right values of the whole quantity, of which only an entry may be asked."""
        if self._asked is self.quantity:
            return self.right(state)
        return self.in_own_coordinates(self._asked.value(state), state)

    @property
    def _asked(self):
        return getattr(self.quantity, "whole", None) or self.quantity

    @property
    def _part(self):
        return getattr(self.quantity, "part", None) or () if self._asked is not self.quantity else ()

    def in_own_coordinates(self, value, state):
        """A value in the model's coordinates, in the learner's."""
        new = self.vocabulary.coordinates()
        if not new or not self._asked.rule:
            return value
        return in_coordinates(self._asked, value, state, *self.vocabulary.jacobian(new, state))

    def combine(self, values):
        """What is compared, from values at all states (the first axis): differences, if a constant does not matter."""
        values = np.array(values)
        return np.array([values[0] - values[1], values[-2] - values[-1]]) if self.constant else values

    def combine_last(self, values):
        """The same for floats, where the last axis is that of the states."""
        if not self.constant:
            return values
        return np.stack([values[..., 0] - values[..., 1], values[..., -2] - values[..., -1]], axis=-1)

    def yours(self, states=None):
        """The answer's values, an array with one row for each of what is compared."""
        return self.combine([self._at(state) for state in states or self.states])

    def _at(self, state):
        if self.function:
            from rbdlib.verification.functions import called

            return settled(called(self.function, state, self.vocabulary), np.shape(self.right(state)))
        known = self.known(state)
        return self._array([evaluate(tree, known) for tree in self.trees.values()])

    def _array(self, flat):
        shape = tuple(1 + max(index[k] for index in self.trees) for k in range(len(next(iter(self.trees)))))
        return np.array([*flat, None], dtype=object)[:-1].reshape(shape)

    def missing(self, hypotheses=(), states=None):
        """What would have to be added to each entry, were the hypotheses so: an array with one row for each state."""
        states = states or self.states
        if self.equations:
            return -self.yours([self.moving(state, hypotheses) for state in states])
        yours = self.as_compared[:1] if len(states) < len(self.states) else self.as_compared
        if any(new is not old for new, old in zip(states, self.states, strict=False)):
            yours = self.yours(states)
        return self.combine([self.wanted(state, hypotheses) for state in states])[: len(yours)] - yours

    @cached_property
    def as_compared(self):
        """The answer's values in its states."""
        return self.yours()

    def wanted(self, state, hypotheses):
        """The values that the hypotheses give in a state."""
        changed = self._altered(state, hypotheses)
        target = next((h.target for h in hypotheses if h.target), None)
        value = np.array(target(self, changed) if target else self.whole(changed), dtype=object)
        for h in hypotheses:
            if h.into is not None and self._asked.rule:
                value = in_coordinates(self._asked, value, changed, h.into, 0 * changed.qd)
        return value[self._part]

    def moving(self, state, hypotheses):
        """The state with the accelerations that the hypotheses give, everything else being what it is."""
        if not hypotheses:
            return state
        changed = self._altered(state, hypotheses)
        motion = next((h.motion for h in hypotheses if h.motion), None)
        back = [h.back for h in hypotheses if h.back is not None]
        if back:
            qdd = (motion or _driven)(changed)
            for matrix in back[::-1]:
                qdd = matrix @ qdd
            return Altered(state, qdd=qdd)
        if motion:
            return Altered(state, qdd=motion(changed))
        return Altered(state, qdd=changed.qdd, q=changed.q, qd=changed.qd, lam=changed.lam) if (
            self.system.model.loops) else Altered(state, qdd=changed.qdd)

    def hypotheses(self):
        """What is tried: a list of `hypotheses.Hypothesis`, the likeliest first."""
        if self.quantity.compare == "identity":
            return []
        if self.quantity.compare == "loops":
            return of_systems(self.system)
        found = [*of_systems(self.system), *of_rules(self.system.model, self._asked), *of_coordinates(self)]
        return sorted(found, key=lambda h: h.cost)

    def _altered(self, state, hypotheses):
        key = (state, *(h for h in hypotheses if h.of_system))
        if key not in self._altered_once:
            self._altered_once[key] = altered(self.system, state, hypotheses)
        return self._altered_once[key]

    @cached_property
    def _altered_once(self):
        return {}

    @cached_property
    def sizes(self):
        """The size against which a difference counts, for each entry and state."""
        if self.equations:
            rows = []
            for state in self.states:
                known = self.known(state)
                rows.append([max(abs(evaluate(term, known)) for term in terms(tree)) or 1
                             for tree in self.trees.values()])
            return np.array(rows, dtype=object)
        ours = self.combine([self.right(state) for state in self.states])
        largest = [max([abs(x) for x in np.ravel(row)], default=0) or 1 for row in ours]
        return np.array(largest, dtype=object).reshape(-1, *([1] * (ours.ndim - 1)))

    def fits(self, missing):
        """For each entry whether nothing is missing in any state, an array of truth values."""
        return np.array(abs(missing) <= self.tolerance * self.sizes, dtype=bool).all(axis=0)

    # Changing the formulas

    @cached_property
    def _written(self):
        """{own name: the learner's symbol for it}."""
        written = {}
        for symbol in self.used:
            found = self.vocabulary.own_symbols([symbol])
            if len(found) == 1 and not self.vocabulary.definitions.get(compact(symbol.name)):
                written.setdefault(next(iter(found)), symbol)
        for definition in self.vocabulary.definitions.values():
            if definition.by == "given" and isinstance(definition.tree, Symbol):
                for own in self.vocabulary.own_symbols([definition.tree]):
                    written.setdefault(own, Symbol(definition.name))
        return written

    def symbol(self, own):
        """The `Symbol` for an own name of the model, as the learner writes it if he does."""
        return self._written.get(own, Symbol(own))

    @cached_property
    def pool(self):
        """The `Pool` of what may stand in the answer, in the learner's symbols where he has some."""
        return pool_of(self)

    @once_for_each
    def search(self, index):
        """The `Search` in one formula; made once."""
        tree = self.trees[index]
        with np.errstate(all="ignore"):
            network = Network(tree, self.floats_of({*symbols(tree), *self.pool.symbols()}), self.combine_last)
        return Search(network, self.pool)

    def with_tree(self, index, tree):
        """Whether the answer's entry would be right with another formula, in all digits; never for 0 = 0."""
        try:
            values = self._values_of(tree, [self._known(k) for k in range(len(self.states))])
            missing = -values if self.equations else self._targets(index) - values
            sizes = self.sizes[(slice(None), *(index if self.equations else (0,) * len(index)))]
            if not np.array(abs(missing) <= self.tolerance * sizes, dtype=bool).all():
                return False
            return not self.equations or self.says_something(tree)
        except (Undefined, KeyError, ZeroDivisionError):
            return False

    def floats(self, tree, states):
        """The values of a formula in states in floats, an array; it has symbols of the answer and of the pool."""
        wanted = tuple(symbols(tree))
        rows = [self.known(state, wanted) for state in states]
        known = {s: np.array([float(row[s]) for row in rows]) for s in wanted}
        return values(tree, known or {Symbol("t"): np.zeros(len(rows))})

    @cached_property
    def responses(self):
        """How what is missing changes with the symbols: `components.Responses`."""
        return Responses(self)

    @cached_property
    def lines(self):
        """{index: the `equation_lines.Line` that an equation is held against}."""
        return {}

    @cached_property
    def movable(self):
        """The symbols of which what is missing may be made: those by which it is taken apart."""
        return {s for basis, _ in self.responses.bases() for v in basis for s in symbols(v.tree)}

    @once_for_each
    def parts(self, index):
        """What is missing in an entry, taken apart: a list of `components.Part`, or None."""
        return parts_of(self, index)

    def depends_on(self, index, name):
        """Whether the right value of an entry depends on a parameter."""
        return self.responses.depends_on(index, name)

    @once_for_each
    def terms(self, part):
        """The `missing.Term`s of one of these parts, or None."""
        return terms_of(self, part)

    @once_for_each
    def monomials(self, index):
        """The products of which the formula of an entry is made: a set; None if it is too large."""
        return monomials(self.trees[index])

    def floats_of(self, wanted):
        """{Symbol: values in all states as floats}."""
        rows = [self._known(k) for k in range(len(self.states))]
        known = {s: np.array([float(row[s]) for row in rows]) for s in wanted}
        return known or {Symbol("t"): np.zeros(len(rows))}

    def _targets(self, index):
        return self.combine([self._right_once[k][index] for k in range(len(self.states))])

    @cached_property
    def _right_once(self):
        return [self.right(state) for state in self.states]

    @once_for_each
    def _known(self, k):
        return self.known(self.states[k], tuple({*self.used, *self.pool.symbols(), *self.movable}))

    def _values_of(self, tree, knowns):
        return self.combine([evaluate(tree, known) for known in knowns])

    def is_something(self, tree):
        """Whether a formula is not zero, or not a constant where constants do not matter."""
        with np.errstate(all="ignore"):
            return bool(np.any(np.abs(self.combine_last(values(tree, self.floats_of(symbols(tree))))) > 1e-12))

    def says_something(self, tree):
        """Whether an equation that holds would not hold for other accelerations and positions, too."""
        state = self.states[0]
        if self.quantity.compare == "identity":
            return any(evaluate(term, self._known(0)) for term in terms(tree))
        other = Altered(state, qdd=state.qdd + 1, q=state.q * 0.9)
        known = self.known(other, tuple({*self.used, *self.pool.symbols()}))
        return abs(evaluate(tree, known)) > 1e-12


def _driven(state):
    return aba(state.model, state.q, state.qd, state.tau)


def _anew(tree, span):
    """A copy of a tree in which each part is an object of its own and has the given place in the text."""
    return replace(with_children(tree, [_anew(child, span) for child in children(tree)]), span=span)
