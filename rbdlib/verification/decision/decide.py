"""Is an answer right? Decided by evaluating it, and the right result, at random states in 40 digits.

Two formulas that agree at random states to 30 digits are the same formula, but for a chance that can be bounded; see
`certainty`. Nothing is simplified, so the form in which an answer is written does not matter.
"""

import contextlib
import functools
import re
from collections import namedtuple
from typing import Any

import mpmath
import numpy as np

from rbdlib.verification.decision import comparisons
from rbdlib.verification.decision.comparisons import Decision, Entry, certainty, is_smooth, likeliest
from rbdlib.verification.decision.equations import are_energies, decide_equations, decide_identity, known_values
from rbdlib.verification.decision.functions import called
from rbdlib.verification.decision.nearly_right import in_one_assembly, with_decimals, with_the_same_motion
from rbdlib.verification.decision.words import rows_in_words, shape_name
from rbdlib.verification.meaning.aliases import UnknownSymbol, compact
from rbdlib.verification.meaning.answer_lines import (
    LETTERS,
    BadAnswer,
    place_name,
    settled,
    sort_lines,
    symbols_in_order,
)
from rbdlib.verification.meaning.given import with_springs
from rbdlib.verification.meaning.phrases import some_value
from rbdlib.verification.meaning.vocabulary import Vocabulary
from rbdlib.verification.mechanics.bodies import alternatives
from rbdlib.verification.mechanics.declared import read_declared
from rbdlib.verification.mechanics.quantities import (
    DEPENDS_ON,
    DRIVEN,
    WITH_ENTRIES,
    WITHOUT_GRAVITY,
    find_quantity,
    other_conventions,
)
from rbdlib.verification.mechanics.states import DIGITS, Altered, NoState, draw, draw_pair, in_floats
from rbdlib.verification.notation.matrices import BY_SYMMETRY
from rbdlib.verification.notation.reading import read
from rbdlib.verification.trees.expression import Number, Undefined, evaluate, postorder, to_text

#: States at which an answer is compared.
STATES = 3
#: Times that so many more states are drawn where a formula is not analytic: near, and far away in some respect.
FURTHER = (*[()] * 16, *[("lengths",)] * 2, *[("lengths", "parameters")] * 3, ("lengths", "angles"))
FURTHER_WITH_LOOPS = ((), (), (), (), ("lengths",))         # each takes longer
#: Numbers that authors put in for the acceleration of free fall (m/s^2).
FREE_FALL = ("9.81", "9.8", "9.80665", "9.82", "10")
#: What is handed in by mistake for something of another shape.
_OTHERS = ("H", "C", "g", "bias", "tau", "p", "T", "V", "E", "H inverse")
_REDUCED = ("No rigid body has the inertias of your model: a principal moment is greater than the sum of the other "
            "two. It was compared all the same.")
_NOT_SYMMETRIC = ("R", "X", "A", "J", "Jdot", "S", "K", "C", "Christoffel C", "v", "a")
#: One way of understanding what is asked. right: function of a state; compare: see `Quantity`; note: in words; own:
#: whether in the learner's coordinates.
Reading = namedtuple("Reading", "right compare note own", defaults=("", False))


def verify_numbers(model, quantity, answer, given=None, seed=0):
    """A `Decision` about an answer.

    model: a `Model` with symbols or numbers. quantity: see `find_quantity`. answer: see `reading.read`. given: see
    `Vocabulary`; or a Vocabulary. seed: a whole number, for the random states. Raises ValueError or TypeError for a bad
    model, quantity or given; what is wrong with an answer stands in the Decision's ``problem``.
    """
    model = with_springs(model, given, answer)
    with mpmath.workdps(DIGITS):
        vocabulary = given if isinstance(given, Vocabulary) else Vocabulary(model, given)
        asked = find_quantity(model, quantity, vocabulary.how)
        try:
            trial = Trial(model, asked, answer, vocabulary, seed)
            if re.fullmatch(r"C\b.*", asked.name) and not read_declared(vocabulary.how).C:
                own = vocabulary.own_symbols(symbols_in_order(trial.trees))
                if "g" in own and any(re.fullmatch(r"qd\d+", name) for name in own):
                    trial.quantity = asked = find_quantity(model, f"bias{asked.name[1:]}")
                    trial.notes.append("Your answer contains g: taken for RBDA's C, the bias force with gravity.")
            lefts = " ".join(getattr(getattr(tree, "left", ""), "name", "") for tree in trial.trees)
            if asked.symbol == "V" and not re.search(r"\b[VUP]_?g\b", lefts):        # who forgets the springs says V
                trial.quantity = asked = asked._replace(others=())
            if asked.symbol in ("g", "tau_g") and re.search(r"\btau_?g(?!amma)", lefts):   # a name with its own sign
                place = "".join(f"[{i + 1}]" for i in asked.part)
                trial.quantity = asked = find_quantity(model, f"tau_g{place}", vocabulary.how)
            decision, forces = trial.decided(), "qdd" in DEPENDS_ON.get(asked.symbol, ("qdd",))
            return decision.noted(*vocabulary.remarks(forces), *[_REDUCED] * trial.system.reduced)
        except ValueError as error:                     # Unreadable, UnknownSymbol, BadAnswer, NoState
            return Decision(False, asked, str(error), vocabulary=vocabulary)


class Trial:
    """All that is needed to decide about one answer.

    array: its formulas; None for a function, and for equations. energies: whether these are energies, such as T - V.
    """

    array: Any
    used: Any

    def __init__(self, model, quantity, answer, vocabulary, seed):
        self.system, self.quantity = vocabulary.names.system, quantity
        self.vocabulary, self.seed = vocabulary, seed
        read_answer = read(quantity.name.replace("==", "=") if quantity.compare == "identity" else answer,
                           vocabulary.known_names())
        self.function, self.source = read_answer.function, read_answer.source * (quantity.compare != "identity")
        trees = vocabulary.without_values(read_answer.trees, (quantity.symbol, *LETTERS.get(quantity.symbol, ())))
        self.trees = vocabulary.without_constants(trees, quantity.compare == "equations")
        self.integrated = self.trees != trees
        self.tolerance = comparisons.AGREEMENT if self.system.exact else comparisons.AGREEMENT_OF_FLOATS
        self._returned, self.assembly, self.earlier = None, None, []
        self.unknowns, self.absent, self.energies = vocabulary.unknowns, [], False
        self.notes = [sentence for _, sentence in read_answer.notes]
        if BY_SYMMETRY in self.notes and self.quantity.symbol in _NOT_SYMMETRIC:
            raise BadAnswer(f"A sign in your answer stands for symmetry, but {self.quantity.title} is not symmetric."
                            " Write every entry.")

    def decided(self):
        """The `Decision`, made with as many digits as the numbers in the answer demand. Raises ValueError."""
        more = comparisons.more_digits(self.trees) if self.system.exact and not self.function else 0
        if not more:
            return in_one_assembly(self, self.decide())
        with mpmath.workdps(DIGITS + 2 * more):
            self.tolerance = mpmath.mpf(10) ** -(30 + more)
            return self.decide()._replace(tolerance=comparisons.AGREEMENT)

    def decide(self):
        """The `Decision`. Raises ValueError where the answer cannot be compared."""
        if self.quantity.compare == "identity":
            return decide_identity(self)
        if self.quantity.compare in ("equations", "loops"):
            if self.function:
                raise BadAnswer("Equations cannot be handed in as a Python function. Write them as text, such as "
                                "'m*l^2*qdd1 = tau1', or with SymPy.")
            decision = decide_equations(self)
            return decision if decision.ok or not self.integrated else decision.noted(
                "What your equations call constant was differentiated by time; its terms are shown so.")
        if self.vocabulary.tied and (self.quantity.whole or self.quantity).rule:
            raise BadAnswer("With the constraint that given states, hand in T, V, L or the equations of motion. What "
                            "belongs to single coordinates is not compared.")
        states = self.states()
        self.prepare(np.shape(self.quantity.value(states[0])))
        if self.absent:
            states = self.states()
        decision = self._of_value(states)
        if decision.ok:
            return self._with_chain(decision, states)
        decision = likeliest([decision, *(() if self.function else with_decimals(self))])
        decision = not (decision.ok or self.function) and with_the_same_motion(self) or decision
        return decision if decision.ok else self._with_counterexample(decision)._replace(problem=self._right_as(states))

    def _of_value(self, states):
        """The decision about a value; a name without meaning may be that of the constant in V, if all is right then."""
        def decide():
            return self.in_some_case(lambda values: self._best(self.states(values) if values else states, values))

        try:
            return decide()
        except UnknownSymbol:
            new = [symbol.name for symbol in self.used if not self.vocabulary.knows(symbol)]
            if self.quantity.compare == "constant" and len(new) == 1:
                self.vocabulary.define(new[0], some_value(new[0]), "given")
                with contextlib.suppress(UnknownSymbol):
                    if (found := decide()).ok:
                        return found.noted(f"{new[0]} was taken for a constant.")
                self.vocabulary.forget(compact(new[0]))
            raise

    def _with_chain(self, decision, states):
        """The decision that the last member of a chain T = a = b is right; or the one about the first that is not.

        Members of energies alone, such as T - V, are; others with names that are not explained, such as m*g*h, show
        the way there and are not compared.
        """
        last, told = self.array, {compact(symbol.name) for symbol in self.used}
        for member, array in self.earlier:
            self.array, self.used = array, symbols_in_order(array.flat)
            self.energies = are_energies(self.quantity, self.vocabulary, self.used)
            if not self.energies and not all(
                    compact(symbol.name) in told or self.vocabulary.explains(symbol) for symbol in self.used):
                continue
            with contextlib.suppress(ValueError):
                found = self._of_value(states)
                if not found.ok and not found.problem:
                    return self._with_counterexample(found).noted(
                        f"The last member of your chain is right; {to_text(member)[:80]} is not.")
        self.array, self.used, self.energies = last, symbols_in_order(last.flat) if last is not None else (), False
        return decision

    def in_some_case(self, decide):
        """The decision in general, or in one of the special cases that the answer may take for granted.

        decide: function of the values that parameters have there, for a `Decision`.
        """
        best = decide(None)
        if best.ok or best.problem:
            return best
        for values, note in self.special_cases():
            if (found := decide(values)).ok:
                return found.noted(note)
        return best

    # Quantities that have a value

    def prepare(self, shape):
        """Sort the lines of the answer, and refuse what makes no sense. Raises ValueError."""
        if self.function:
            self.tolerance, self.array, self.used = comparisons.AGREEMENT_OF_FUNCTIONS, None, ()
            return
        self.array, self.earlier = sort_lines(self.trees, self.quantity, self.vocabulary, shape)
        for place in np.ndindex(self.array.shape):
            if self.array[place] is None:
                raise BadAnswer(f"Your answer says nothing about {place_name(place)} of {self.quantity.title}. "
                                "Write every entry.")
        self.used = symbols_in_order(self.array.flat)
        for name in sorted(self.vocabulary.own_symbols(self.used) - {*self.vocabulary.names.parameters}):
            if name.rstrip("0123456789") in self.quantity.circular:
                raise BadAnswer(f"Your answer contains {name}, which is asked for. Solve for it; or verify your "
                                "equations as 'equations of motion'.")
        absent = self.vocabulary.absent_forces(self.used) if self.quantity.symbol in DRIVEN else []
        if absent and (len(absent) == self.system.model.nv or not self.vocabulary.coordinates()):
            self.absent, names = absent, ", ".join(f"tau{i + 1}" for i in absent)
            self.notes.append(f"Your answer has no {names}: taken to be zero.")

    def states(self, values=None, count=STATES, decimals=None, seed=None, far=()):
        """Random states, with the special cases that given states; values: {parameter: number}, further ones.

        count, decimals, far: as for `states.draw`.
        """
        def fixed(parameters):
            return self.vocabulary.assumed({**parameters, **(values or {})})

        seed = self.seed if seed is None else seed
        assembled = ((*far, "near"), None) if self.assembly == "near" else (far, self.assembly)
        how = fixed if values or self.vocabulary.assumptions else None, decimals, *assembled
        states = draw(self.system, seed, count, *how)
        if self.quantity.compare == "constant":
            states = [*draw_pair(self.system, seed, *how), *states[1:], *draw_pair(self.system, seed + 1, *how)]
        return [self.vocabulary.without_forces(self.absent, self.vocabulary.forces(state)) for state in states]

    def readings(self):
        """The ways in which the answer may be meant, a list of `Reading`."""
        quantity, new = self.quantity, self.vocabulary.coordinates()
        found = [Reading(quantity.value, quantity.compare), *(Reading(*other) for other in quantity.others)]
        if not new or not quantity.rule:
            return found

        names = ", ".join(symbol.name for symbol in new)
        found[0] = found[0]._replace(note=f"Compared in the model's coordinates {', '.join(self.vocabulary.names.q)}.")
        return [Reading(lambda state: self.vocabulary.in_own(quantity, quantity.value(state), state), quantity.compare,
                        f"Compared in your coordinates {names}.", True), *found]

    def _best(self, states, values=None):
        """The decision by the reading that fits best: one with which all agrees, or else the most entries."""
        best = likeliest((self.confirmed(functools.partial(self.by, reading), states, values)
                          for reading in self.readings()), self._strangeness)
        if best is None:
            shape, yours = np.shape(self.quantity.value(states[0])), np.shape(self.values(states[0]))
            asked = re.split(r", (?![^(]*\))", self.quantity.title)[0]
            meant = self._right_as(states) or self._is_other(states) or rows_in_words(
                self.quantity.symbol, self.quantity.name)
            if yours == () and self.quantity.symbol in WITH_ENTRIES and not self.quantity.part and not meant:
                meant = f"For one entry ask for '{self.quantity.name}[{','.join('1' * len(shape))}]' or another one."
            raise BadAnswer(f"Your answer is {shape_name(yours)}, but {asked} is {shape_name(shape)}. {meant}".strip())
        return best.noted(*self.notes)

    def _strangeness(self, decision):
        """How many parameters and coordinates stand in the answer only, or only in what it was compared with; and how
        far apart the two are.
        """
        if self.vocabulary.coordinates():               # what is stated comes first
            return 0
        own = self.vocabulary.own_symbols(self.used)
        state, names = in_floats(self.system, decision.states[0], {}), self.vocabulary.names
        changed = {name: Altered(in_floats(self.system, state, {name: 2.0}), qdd=state.qdd)
                   for name in self.system.symbols}
        if len(state.q) == len(state.qd):
            changed |= {x.name: Altered(state, q=state.q + place)
                        for x, place in zip(names.coordinates, np.eye(len(state.q)), strict=True)}
        was = np.array(decision.right(state), dtype=float)
        yours = settled(self.values(decision.states[0]), was.shape)
        return (sum((abs(np.array(decision.right(at), dtype=float) - was).max() > 1e-9) != (name in own)
                    for name, at in changed.items()), 0 if yours is None else np.sum(abs(yours - was)))

    def _right_as(self, states):
        """A sentence that says as what else an answer about a body is right; "" if it is not."""
        others = other_conventions(self.quantity) + [
            (value, f"{words}. If that is what you mean, ask for '{remedy}'.")
            for value, words, remedy in alternatives(self.system.model, self.quantity.name)]
        return self._said_of(others, states, "What you have is right as {}")

    def _is_other(self, states):
        """A sentence that says which other quantity an answer of another shape is; "" if it is none."""
        names = _OTHERS if self.quantity.symbol else ()         # a plain formula has none
        others = [find_quantity(self.system.model, name) for name in names]
        return self._said_of([(other.value, f"{other.title}: for that, ask for '{other.name}'.") for other in others],
                             states, "It is {}")

    def _said_of(self, others, states, sentence):
        """The sentence on the first of some pairs (value, words) with which the answer agrees; "" if there is none."""
        agree = ((self.by(Reading(value, "exact"), states), words) for value, words in others)
        return next((sentence.format(words) for found, words in agree if found and found.ok), "")

    def by(self, reading, states):
        """The decision by one reading; None if the shapes do not fit."""
        pairs, notes = [], [reading.note] if reading.note else []
        for state in states:
            ours = np.array(reading.right(state), dtype=object)
            yours, note = self.comparable(self.values(state), ours, reading, state)
            if yours is None:
                return None
            notes += [note] if note else []
            pairs.append((yours, ours))
        ok, more = comparisons.COMPARED[reading.compare](pairs, self.tolerance)
        entries = tuple(Entry(place, bool(ok[place])) for place in np.ndindex(ok.shape))
        independent = comparisons.independent_rows(*pairs[0]) if reading.compare == "rows" and not ok.all() else ()
        return self.decision(ok.all(), states, notes=(*dict.fromkeys(notes), *more), entries=entries, array=self.array,
                             right=reading.right, independent=independent)

    def decision(self, ok, states, trees=(), **more):
        """A `Decision`, with how sure it is. trees: the formulas, if they do not stand in ``array``."""
        return Decision(bool(ok), self.quantity, source=self.source, states=tuple(states), vocabulary=self.vocabulary,
                        tolerance=self.tolerance, certainty=certainty(self, len(states), trees) if ok else "", **more)

    def comparable(self, yours, ours, reading, state):
        """The answer's values in the shape of the right ones, or None; and a note."""
        note = ""
        if self.quantity.symbol == "C" and ours.ndim == 1 and yours.shape == 2 * ours.shape and ours.size > 1:
            new = self.vocabulary.coordinates() if reading.own else None
            yours = yours @ (self.vocabulary.slopes(new, state) @ state.qd if new else state.qd)
            note = ("Your matrix times the velocities was compared with the velocity terms: of the many Coriolis "
                    "matrices any one will do.")
        if reading.compare == "rows":
            yours = yours.reshape(1, -1) if yours.ndim == 1 else yours
            return (yours if yours.ndim == 2 and yours.shape[1] == ours.shape[1] else None), note
        return settled(yours, ours.shape), note

    def confirmed(self, decide, states, values=None):
        """The decision in some states, or the one that the answer is not right, after a look at more states.

        Where an answer is analytic a few states are enough. decide: function of a list of states, for a `Decision`, or
        None; values: as for `states`.
        """
        decision = decide(states)
        if not decision or not decision.ok or self.is_smooth():
            return decision
        seen, near = decision.states, self.tolerance
        further = FURTHER_WITH_LOOPS if self.system.model.loops else FURTHER
        for k, far in enumerate(further, start=1):
            try:
                states = self.states(values, seed=self.seed + 100 * k, far=far)
                self.tolerance = comparisons.AGREEMENT_FAR_AWAY if self.function and far else near
                again = decide(states)
            except (BadAnswer, NoState):                # far away there need not be a real value
                if far:
                    continue
                raise
            finally:
                self.tolerance = near
            if not again.ok and "angles" in far:
                return decision.noted("It is right for angles between -pi and pi, and not beyond.")
            seen = (*again.states, *seen)
            if not again.ok:
                return again._replace(states=seen)
        return decision._replace(certainty=certainty(self, len(seen)))

    def formulas(self):
        """All formulas of which the answer is made, the learner's definitions included."""
        return [*self.trees, *(definition.tree for definition in self.vocabulary.definitions.values())]

    def is_smooth(self):
        """True if the answer is made of analytic formulas."""
        return not self.function and all(map(is_smooth, self.formulas()))

    def values(self, state):
        """The answer's values in a state, an array of mpmath numbers. Raises ValueError where it has none."""
        if self.function:
            values = called(self.function, state, self.vocabulary)
            self._returned = self._returned or (state, values)
            first, was = self._returned                 # the first call, once more: it must return the same again
            again = called(self.function, first, self.vocabulary)
            if np.shape(again) != np.shape(was) or np.any(abs(again - was) > 1e-14 * comparisons.scale_of(was)):
                raise BadAnswer("Your function does not always return the same for the same numbers. Leave out what is "
                                "random, or remembered from one call to the next.")
            return np.array(values, dtype=object)
        known = self.vocabulary.values(state, self.used, known_values(state) if self.energies else None)
        try:
            return np.vectorize(lambda tree: evaluate(tree, known), otypes=[object])(self.array)
        except Undefined as error:
            raise BadAnswer(f"Your answer cannot be evaluated: {error}") from None

    def special_cases(self):
        """Values of parameters that the answer may take for granted: pairs ({name: number}, note)."""
        own = self.vocabulary.own_symbols(self.used)
        numbers = [node for tree in self.trees for node in postorder(tree) if isinstance(node, Number)]
        may_be_g = any(isinstance(node.exact, str) or node.value >= 5 for node in numbers)      # or have it as a factor
        if (may_be_g and "g" in self.system.symbols and "g" not in own and not self.function
                and self.quantity.symbol not in WITHOUT_GRAVITY):
            yield from (({"g": mpmath.mpf(x)}, f"Compared for g = {x}, which is not in your answer.")
                        for x in FREE_FALL)
        nominal = {name: mpmath.mpf(repr(value)) for name, value in self.system.nominal.items()
                   if name in self.system.symbols}
        absent = {name: value for name, value in nominal.items() if name not in own}
        numeric = all(isinstance(value, (int, float)) for value in self.system.given.parameters.values())
        if len(absent) == len(nominal) and numeric:
            yield nominal, "Compared with the numbers of your model for its parameters."
        written = {name: value for name, value in absent.items() if value != int(value)
                   and any(abs(float(node.value) / float(value) - 1) < 1e-12 for node in numbers)}
        if written:
            stated = ", ".join(f"{name} = {float(value):g}" for name, value in written.items())
            yield written, f"Your answer contains numbers of the model; compared for {stated}."

    def _with_counterexample(self, decision):
        """The decision with a state, of few decimals if possible, at which the answer differs, and both values."""
        wrong = [entry.index for entry in decision.entries if not entry.ok]
        for state in (*self.states(count=1, decimals=1, seed=self.seed + 7), *decision.states):
            try:
                yours, ours = self.values(state), np.array(decision.right(state), dtype=object)
            except (ValueError, ZeroDivisionError):
                continue
            if decision.quantity.compare == "rows":                         # what each constraint makes of velocities
                yours = np.reshape(yours, (len(decision.entries), -1))[:, : len(state.qd)] @ state.qd
                ours = 0 * yours
            shown = settled(yours, ours.shape)
            if shown is None and yours.ndim == 2:
                shown = yours @ state.qd
            if shown is not None and all(abs(shown[i] - ours[i]) > self.tolerance * (1 + abs(ours[i])) for i in wrong):
                break
        entries = tuple(e._replace(yours=shown[e.index], ours=ours[e.index]) for e in decision.entries)
        return decision._replace(entries=entries, counterexample=state)
