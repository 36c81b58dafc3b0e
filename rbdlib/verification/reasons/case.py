"""A wrong answer laid out for finding out why it is wrong: its formulas, the states, the values wanted there."""

import dataclasses
import functools
import itertools
from functools import cached_property

import numpy as np

from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.decision.equations import are_energies, has_own_forces, known_values
from rbdlib.verification.decision.functions import called
from rbdlib.verification.decision.nearly_right import as_fractions
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.answer_lines import is_multiplier, settled, symbols_in_order
from rbdlib.verification.meaning.vocabulary import Definition
from rbdlib.verification.mechanics.basics import once_for_each
from rbdlib.verification.mechanics.quantities import bias, in_coordinates, inertia
from rbdlib.verification.mechanics.states import Altered, in_floats
from rbdlib.verification.reasons import sentences as said
from rbdlib.verification.reasons.edits import Changes
from rbdlib.verification.reasons.hypotheses import quietly
from rbdlib.verification.reasons.pool import pool_of
from rbdlib.verification.trees.calculus import carried_out, difference, plus, times
from rbdlib.verification.trees.expression import Symbol, evaluate, symbols
from rbdlib.verification.trees.network import Network, values
from rbdlib.verification.trees.nodes import derivative, fold, terms, with_children, written_size

#: Ways of choosing Lagrange multipliers with which a single change is looked for.
_MOST_TRIED = 4
#: Ways in which the values of Lagrange multipliers may be chosen that are compared.
_MOST = 400
#: Formulas with more parts are not taken apart.
MOST_PARTS = 6000
#: Definitions of names by other names, one after the other, that are put in.
_DEEPEST = 80


class Case:
    """A wrong `Decision` that is to be explained. Work with it under ``mpmath.workdps(DIGITS)``.

    trees: {index: formula}; those of equations are left minus right sides.  written: before names were put in.
    equations: whether they must be zero.  function: the learner's function, if there is no formula.  way: which of the
    ways of choosing Lagrange multipliers is taken, of those with which as many equations hold.
    """

    #: Sentences about changes of one place, and what is found, which others may replace.
    sentences, of_edit, of_nothing = said.SENTENCES, said.of_edit, said.of_nothing

    def __init__(self, decision, function=None, way=0):
        self.decision, self.quantity, self.function, self._way = decision, decision.quantity, function, way
        self.states, self.tolerance, self.vocabulary = decision.states, decision.tolerance, decision.vocabulary
        self.system, self._active = self.vocabulary.names.system, set()
        self.asked = self.quantity.whole or self.quantity
        self.equations, self.constant = bool(decision.equations), self.quantity.compare == "constant"
        self.written = {index: as_fractions(tree) for index, tree in self._formulas()}
        self.trees = {index: self.inlined(tree) for index, tree in self.written.items()}
        self.used = symbols_in_order(self.trees.values())
        self.vocabulary.solve_constraints_for(self.vocabulary.own_symbols(self.used))
        self.energies = are_energies(self.quantity, self.vocabulary, self.used)

    # The formulas of the answer, with the learner's own names put in

    def _formulas(self):
        array = self.decision.array
        if self.equations:
            return [((i,), difference(left, right)) for i, (left, right, _) in enumerate(self.decision.equations)]
        if array is None:
            return []
        shape = np.shape(self.decision.right(self.states[0]))
        if self.quantity.symbol == "C" and array.ndim == 2 and len(shape) == 1 and array.shape == 2 * shape:
            rates = [Symbol(s.name, 1) for s in self.vocabulary.coordinates() or ()] or [
                Symbol(x.rate) for x in self.vocabulary.names.coordinates]
            array = np.array([plus(*map(times, row, rates)) for row in array], dtype=object)
        array = settled(array, shape)
        return [] if array is None else [(place, array[place]) for place in np.ndindex(array.shape)]

    @once_for_each
    def as_written(self, index):
        """The formula of an entry as written: definitions are put in, and no derivative is carried out."""
        before = self.vocabulary.before
        if not self.equations:
            return self._put_in(before(self.written[index]), rates=True)
        left, right, _ = self.decision.equations[index[0]]
        return self._put_in(difference(before(left), right and before(right)), rates=True)

    def inlined(self, tree):
        """The formula with the learner's own definitions and abbreviations such as s12 put in.

        Each part is an object of its own, but for definitions: a mistake in one of these shows wherever it is used.
        """
        tree = carried_out(tree, self.vocabulary._moves)
        if written_size(tree) <= MOST_PARTS:
            tree = anew(tree)
        new = self._put_in(tree)
        return new if written_size(new) <= MOST_PARTS else tree

    def _put_in(self, tree, rates=False):
        """The tree with definitions in the place of their names; rates: as derivatives for the rates of these, too."""
        def rule(node, parts):
            own = isinstance(node, Symbol) and (rates or not node.dots) and self.definition(node)
            return derivative(own, times=node.dots) if own else with_children(node, parts)

        return fold(tree, rule)

    def definition(self, symbol):
        """The meaning of a symbol of the answer, without its dots, or None."""
        meaning, _ = self.vocabulary.meaning(dataclasses.replace(symbol, dots=0))
        if not isinstance(meaning, Definition):
            return None
        name, own = compact(symbol.name), self.vocabulary.definitions
        short = meaning.by == "given" and getattr(meaning.tree, "name", "") in ("sin", "cos", "tan") and not any(
            compact(s.name) in own for s in symbols(meaning.tree))                      # c2 = cos(q2)
        if short or meaning.by == "answer" and name not in own:
            return self._put_in(anew(meaning.tree, symbol.span))
        return self._own_definition(name) if meaning.by == "answer" else None

    @once_for_each
    def _own_definition(self, name):
        """The meaning of a name, with other definitions put in, so that it is the same object wherever it is used."""
        if name in self._active or len(self._active) > _DEEPEST:
            return None
        self._active.add(name)
        tree = self._put_in(anew(self.vocabulary.definitions[name].tree))
        self._active.discard(name)
        return tree

    @cached_property
    def own_definitions(self):
        """{name: its meaning} of what the answer defines."""
        names = [name for name, _, by in self.vocabulary.definitions.values() if by == "answer"]
        return {name: tree for name in names if (tree := self.definition(Symbol(name))) is not None}

    @cached_property
    def _written(self):
        """{own name: the learner's symbol for it}, as he wrote it himself if he did."""
        return self.vocabulary.spellings(symbols_in_order([*self.written.values(), *self.trees.values()]))

    def symbol(self, own):
        """The `Symbol` for an own name of the model, as the learner writes it if he does."""
        return self._written.get(own, Symbol(own))

    @cached_property
    def pool(self):
        """The `Pool` of what may stand in the answer, in the learner's symbols where he has some."""
        return pool_of(self)

    def known(self, state, wanted=None, multipliers=None):
        """{Symbol: value} in a state, of the answer's symbols or of those wanted; multipliers: values for these."""
        free, new = self.multipliers, self.vocabulary.coordinates()
        if multipliers is None:
            multipliers = self._solved(self.ways[self._way], state) if free and self.ways else [0] * len(free)
        if self.equations and new and has_own_forces(self.decision):        # tau was taken to be meant so
            state = Altered(state, tau=self.vocabulary.own_forces(new, state, state.tau))
        wanted = tuple(s for s in (self.used if wanted is None else wanted) if s not in free)
        named = known_values(state) if self.quantity.compare == "identity" or self.energies else None
        return self.vocabulary.values(state, wanted, named) | dict(zip(free, multipliers, strict=True))

    def floats_of(self, wanted, states=None):
        """{Symbol: values as floats} in some states, or in all of the case: for `network.values`, never empty."""
        kept = self._floats if states is None else {}
        states, new = states or self.states, tuple(s for s in wanted if s not in kept)
        knowns = [self.known(state, new) for state in states] if new else []
        found = {s: kept[s] if s in kept else np.array([float(known[s]) for known in knowns]) for s in wanted}
        return found or {Symbol("t"): np.zeros(len(states))}

    @cached_property
    def _floats(self):
        """What `floats_of` gives of all that may stand in the answer."""
        return self.floats_of({*self.used, *self.pool.symbols()}, self.states)

    # The values of the answer

    def combine(self, values, axis=0):
        """The numbers compared, from values at all states (an axis): differences, if a constant does not matter."""
        return np.take(values, [0, -2], axis) - np.take(values, [1, -1], axis) if self.constant else np.asarray(values)

    @once_for_each
    def _at(self, state):
        """The answer's values in a state."""
        if self.function:
            return settled(called(self.function, state, self.vocabulary), np.shape(self.right(state)))
        known = self.known(state)
        found = np.empty([1 + max(places) for places in zip(*self.trees, strict=True)], dtype=object)
        for index, tree in self.trees.items():
            found[index] = evaluate(tree, known)
        return found

    @cached_property
    def as_compared(self):
        """The answer's values, an array with one row for each of what is compared."""
        return self.combine([self._at(state) for state in self.states])

    @cached_property
    def in_floats(self):
        """The states with floats for all numbers, a tuple."""
        return tuple(self.scaled(state, {}) for state in self.states)

    def scaled(self, state, factors):
        """The state with floats for all numbers, its parameters multiplied by factors, a dict {name: float}."""
        return in_floats(self.system, state, factors)

    def floats(self, tree, states=None):
        """The values of a formula in states in floats, or in those of the case, an array."""
        return values(tree, self.floats_of(symbols(tree), states))

    # The values that are wanted

    @once_for_each
    def right(self, state):
        """The right values in a state, in the learner's coordinates."""
        return np.array(self.decision.right(state), dtype=object)

    def whole(self, state):
        """The right values of the whole quantity, of which only an entry may be asked."""
        whole = self.quantity.whole
        return self.vocabulary.in_own(whole, whole.value(state), state) if whole else self.right(state)

    @once_for_each
    def missing(self, hypotheses=(), states=None):
        """What each entry lacks, were the hypotheses so: rows for what is compared. states: others, a tuple."""
        states = states or self.states
        if self.equations:
            return -np.array([self._at(self.moving(state, hypotheses)) for state in states])
        return self.combine([self.wanted(state, hypotheses) for state in states]) - self.combine(
            [self._at(state) for state in states])

    def wanted(self, state, hypotheses):
        """The values that the hypotheses give in a state."""
        changed = self._altered(state, tuple(h for h in hypotheses if h.of_system))
        if self.quantity.symbol == "qdd" and changed is not state and not self.system.model.loops:
            changed = Altered(changed, qdd=_driven(changed))            # as the same forces would have it
        target = next((h.target for h in hypotheses if h.target), None)
        value = np.array(target(self, changed) if target else self.whole(changed), dtype=object)
        for h in hypotheses:
            if h.into is not None and self.asked.rule:
                value = in_coordinates(self.asked, value, changed, h.into, 0 * changed.qd)
        return np.array(value[self.quantity.part], dtype=object)

    def moving(self, state, hypotheses):
        """The state with the accelerations that the hypotheses give, everything else being what it is."""
        if not hypotheses:
            return state
        changed = self._altered(state, tuple(h for h in hypotheses if h.of_system))
        motion = next((h.motion for h in hypotheses if h.motion), None)
        back = [h.back for h in hypotheses if h.back is not None]
        if self.system.model.loops and not (back or motion):
            return Altered(state, qdd=changed.qdd, q=changed.q, qd=changed.qd, lam=changed.lam)
        qdd = changed.qdd if changed is state and not motion else (motion or _driven)(changed)
        qdd = functools.reduce(lambda qdd, matrix: matrix @ qdd, back[::-1], qdd)
        return Altered(state, qdd=self.vocabulary.bound(state, state if back else changed, qdd))

    @once_for_each
    def _altered(self, state, hypotheses):
        """The state of the system that several hypotheses assume. Raises ValueError if there is no such system."""
        def changed(part, before):
            changes = filter(None, (getattr(h, part) for h in hypotheses))
            return functools.reduce(lambda value, change: change(value), changes, before)

        model, given = state.model, {name: x for name, x in state.parameters.items() if name in self.system.symbols}
        parameters = changed("parameters", given)
        if parameters is not given:
            model = self.system.at(parameters, "math" if state.q.dtype == float else "mpmath")
        model = changed("model", model)
        return changed("state", state if model is state.model else dataclasses.replace(state, model=model))

    @cached_property
    def sizes(self):
        """The size against which a difference counts, for each entry and state."""
        if self.equations:
            found = []
            for state in self.states:           # the largest term; of a single one, what it is in another motion
                known, other = self.known(state), self.known(Altered(state, qdd=state.qdd + 1, qd=state.qd + 1))
                parts = [(tree, [evaluate(term, known) for term in terms(tree)]) for tree in self.trees.values()]
                found.append([max(max(map(abs, some)) if len(some) > 1 else 0, abs(evaluate(tree, other) - sum(some)))
                              or 1 for tree, some in parts])
            return np.array(found, dtype=object)
        ours = self.combine([self.right(state) for state in self.states])
        largest = [max([abs(x) for x in np.ravel(row)], default=0) or 1 for row in ours]
        return np.array(largest, dtype=object).reshape(-1, *([1] * (ours.ndim - 1)))

    def fits(self, missing):
        """For each entry whether nothing is missing in any state, an array of truth values."""
        return np.array(abs(missing) <= self.tolerance * self.sizes, dtype=bool).all(axis=0)

    @once_for_each
    def search(self, index, states=None):
        """The `Changes` of one formula in the states of the case, or in others (a tuple); made once."""
        return Changes(self.network(self.trees[index], states), self.pool)

    def network(self, tree, states=None):
        """The `Network` of a formula in the states of the case, or in others, with what may stand in the answer."""
        known = self.floats_of({*symbols(tree), *self.pool.symbols()}, states)
        return Network(tree, known, functools.partial(self.combine, axis=-1))

    def with_tree(self, index, tree, hypotheses=(), targets=None):
        """True if an entry would be right with another formula, in all digits, under hypotheses or with other targets;
        never for 0 = 0.
        """
        if targets is None:
            targets = 0 if self.equations else (self.as_compared + self.missing(hypotheses))[(slice(None), *index)]
        sizes = self.sizes[(slice(None), *(index if self.equations else (0,) * len(index)))]
        states, wanted = [self.moving(x, hypotheses if self.equations else ()) for x in self.states], symbols(tree)
        found = self.combine([evaluate(tree, self.known(state, wanted)) for state in states])
        fits, state = bool((abs(found - targets) <= self.tolerance * sizes).all()), self.states[0]
        if not fits or not self.equations:              # which must not hold for other accelerations and positions, too
            return fits
        if self.quantity.compare == "identity":
            return any(evaluate(term, self.known(state, wanted)) for term in terms(tree))
        return abs(evaluate(tree, self.known(Altered(state, qdd=state.qdd + 1, q=state.q * 0.9), wanted))) > 1e-12

    @cached_property
    def multipliers(self):
        """The symbols of the unknowns in equations of motion, whose signs and units are the learner's, a tuple."""
        vocabulary = self.vocabulary
        if self.quantity.compare != "equations" or not self.equations:
            return ()
        return tuple(s for s in self.used if compact(s.name) in vocabulary.unknowns or not vocabulary.knows(s)
                     or is_multiplier(s) and s.name not in vocabulary.names.parameters)

    @once_for_each
    def _residuals(self, state):
        """The residuals without multipliers (n), and how they change with each (n x number of multipliers)."""
        def at(values):
            known = self.known(state, multipliers=values)
            return np.array([evaluate(tree, known) for tree in self.trees.values()], dtype=object)

        units = np.eye(len(self.multipliers), dtype=int)
        rest = at(0 * units[0])
        return rest, np.array([at(unit) - rest for unit in units.tolist()], dtype=object).T

    def _solved(self, rows, state):
        """The multipliers in a state for which some equations hold."""
        rest, slopes = self._residuals(state)
        return solve_linear(slopes[rows], -rest[rows])

    @cached_property
    def ways(self):
        """Lists of the equations that choose the multipliers: those with which most of all equations hold.

        If one of four equations with two multipliers is wrong, the others still say what these are.
        """
        (rest, slopes), held = self._residuals(self.states[0]), {}
        choices = itertools.combinations(range(len(self.trees)), len(self.multipliers))
        for rows in itertools.islice(choices, _MOST):
            found = quietly(self._solved, [*rows], self.states[0])
            if found is not None:
                held[rows] = int((abs(rest + slopes @ found) <= 1e-20 * (1 + abs(rest))).sum())
        return [[*rows] for rows, count in held.items() if count == max(held.values())][:_MOST_TRIED]


def _driven(state):
    """The accelerations of a system that need not be possible: its inertia matrix may be indefinite."""
    return solve_linear(inertia(state), state.tau - bias(state))


def anew(tree, span=None):
    """A copy of a tree in which each part is an object of its own, to be changed alone. span: their place in the text.
    """
    new = with_children(tree, [anew(child, span) for child in tree.parts])
    return dataclasses.replace(new, span=span or new.span)
