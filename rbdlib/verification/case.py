"""A wrong answer laid out for finding out why it is wrong: its formulas, the states, the values wanted there."""

import copy
from dataclasses import replace
from functools import cached_property

import numpy as np

from rbdlib.verification.aliases import UnknownSymbol, compact
from rbdlib.verification.answer_lines import difference, settled
from rbdlib.verification.edits import Pool, Search
from rbdlib.verification.equations import known_values
from rbdlib.verification.expression import (
    Derivative,
    Function,
    Number,
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
from rbdlib.verification.given import read_given
from rbdlib.verification.hypotheses import altered, classes
from rbdlib.verification.network import Network
from rbdlib.verification.quantities import in_coordinates
from rbdlib.verification.states import Altered
from rbdlib.verification.vocabulary import Definition

#: Formulas with more parts are not taken apart.
MOST_PARTS = 6000
#: Names put in for what they stand for, so many times in one another at most.
_ROUNDS = 4


class Case:
    """What a wrong `Decision` leaves to be explained.

    trees: {index: formula}; those of equations are left minus right sides.  equations: whether they must be zero.
    function: the learner's function, if there is no formula.  Work with it under ``mpmath.workdps(DIGITS)``.
    """

    def __init__(self, decision, function=None, given=None):
        self.decision, self.quantity, self.function = decision, decision.quantity, function
        self.states, self.tolerance = decision.states, decision.tolerance
        self.vocabulary = _taught(decision.vocabulary, given) if given else decision.vocabulary
        self.taught = bool(given)
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
        if self.taught:
            return self.in_own_coordinates(self.quantity.value(state), state)
        return np.array(self.decision.right(state), dtype=object)

    def in_own_coordinates(self, value, state):
        """A value in the model's coordinates, in the learner's."""
        new = self.vocabulary.coordinates()
        if not new or not self.quantity.rule:
            return value
        return in_coordinates(self.quantity, value, state, *self.vocabulary.jacobian(new, state))

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
        return np.array(target(self, changed) if target else self.right(changed), dtype=object)

    def moving(self, state, hypotheses):
        """The state with the accelerations that the hypotheses give, everything else being what it is."""
        if not hypotheses:
            return state
        changed = self._altered(state, hypotheses)
        motion = next((h.motion for h in hypotheses if h.motion), None)
        return Altered(state, qdd=motion(changed) if motion else changed.qdd)

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
        return written

    def symbol(self, own):
        """The `Symbol` for an own name of the model, as the learner writes it if he does."""
        return self._written.get(own, Symbol(own))

    @cached_property
    def pool(self):
        """The `Pool` of what may stand in the answer, in the learner's symbols where he has some."""
        return _pool(self)

    def search(self, index):
        """The `Search` in one formula; made once."""
        if index not in self._searches:
            tree = self.trees[index]
            wanted = {*symbols(tree), *self.pool.symbols()}
            rows = [self.known(state, tuple(wanted)) for state in self.states]
            known = {s: np.array([float(row[s]) for row in rows]) for s in wanted}
            known = known or {Symbol("t"): np.zeros(len(rows))}
            with np.errstate(all="ignore"):
                network = Network(tree, known, self.combine_last)
            self._searches[index] = Search(network, self.pool)
        return self._searches[index]

    @cached_property
    def _searches(self):
        return {}

    def with_tree(self, index, tree):
        """Whether the answer's entry would be right with another formula, in all digits; never for 0 = 0."""
        try:
            values = self._values_of(tree, [self._known(k) for k in range(len(self.states))])
            missing = -values if self.equations else self._targets(index) - values
            sizes = self.sizes[(slice(None), *(index if self.equations else (0,) * len(index)))]
            if not np.array(abs(missing) <= self.tolerance * sizes, dtype=bool).all():
                return False
            return not self.equations or self._says_something(tree)
        except (Undefined, KeyError, ZeroDivisionError):
            return False

    def _targets(self, index):
        return self.combine([self._right_once[k][index] for k in range(len(self.states))])

    @cached_property
    def _right_once(self):
        return [self.right(state) for state in self.states]

    def _known(self, k):
        if k not in self._known_once:
            self._known_once[k] = self.known(self.states[k], tuple({*self.used, *self.pool.symbols()}))
        return self._known_once[k]

    @cached_property
    def _known_once(self):
        return {}

    def _values_of(self, tree, knowns):
        return self.combine([evaluate(tree, known) for known in knowns])

    def _says_something(self, tree):
        """Whether an equation that holds would not hold for other accelerations and positions, too."""
        state = self.states[0]
        if self.quantity.compare == "identity":
            return any(evaluate(term, self._known(0)) for term in terms(tree))
        other = Altered(state, qdd=state.qdd + 1, q=state.q * 0.9)
        known = self.known(other, tuple({*self.used, *self.pool.symbols()}))
        return abs(evaluate(tree, known)) > 1e-12


def _anew(tree, span):
    """A copy of a tree in which each part is an object of its own and has the given place in the text."""
    return replace(with_children(tree, [_anew(child, span) for child in children(tree)]), span=span)


def _taught(vocabulary, given):
    """A copy of a vocabulary that has learnt something more, stated as in ``given``."""
    new = copy.copy(vocabulary)
    new.definitions, new.assumptions = dict(vocabulary.definitions), dict(vocabulary.assumptions)
    for left, right in read_given(given, new.names).equations:
        new._learn(left, right)
    return new


# What may stand in an answer


def _pool(case):
    vocabulary, names = case.vocabulary, case.vocabulary.names
    symbol = case.symbol
    own_angles = [x for x in names.coordinates if x.kind == "angle"][:8]
    new = vocabulary.coordinates()
    positions = new or [symbol(x.name) for x in names.coordinates]
    angles = [s for s, x in zip(positions, names.coordinates, strict=True) if x in own_angles]
    moving = [x for x in names.coordinates if x.rate]
    rates = [Symbol(s.name, 1) for s in new] if new else [symbol(x.rate) for x in moving]
    accelerations = [Symbol(s.name, 2) for s in new] if new else [symbol(f"qdd{x.rate[2:]}") for x in moving]
    parameters = [symbol(name) for name in case.system.symbols if compact(name) not in vocabulary.definitions]
    alike = [tuple(symbol(n) for n in members) for members in classes(case.system.symbols).values()]
    arguments = [*angles, *_sums_of(angles)]
    kinds = (tuple(angles), tuple(rates), tuple(accelerations), *alike)
    return Pool(
        tuple(kind for kind in kinds if len(kind) > 1), (*arguments, *(_twice(a) for a in angles)),
        (*parameters, *rates, *(Function(f, (a,)) for a in arguments for f in ("sin", "cos"))),
        tuple(p for p in parameters if _is_length(p)), tuple(p for p in parameters if p.name[:1] in "mM"),
        _sums_with(rates) | _sums_with(accelerations))


def _is_length(symbol):
    return symbol.name[:1] not in ("m", "M", "g", "I", "J", "k")


def _twice(angle):
    return Operation("*", (Number(2), angle))


def _sums_of(angles):
    """Sums of neighbouring angles, and differences of two."""
    found = []
    for i in range(len(angles)):
        for j in range(i + 1, len(angles)):
            found.append(Operation("+", tuple(angles[i : j + 1])))
            if j == i + 1 or len(angles) <= 3:
                found.append(Operation("+", (angles[i], Operation("neg", (angles[j],)))))
    return found


def _sums_with(rates):
    return {b: Operation("+", tuple(rates[: k + 2])) for k, b in enumerate(rates[1:])}
