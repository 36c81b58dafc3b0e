"""A derivation line by line: which line does not follow from those above it?

    verify_steps(model, ["T = 1/2 m l^2 q1'^2", "V = -m g l cos(q1)", "L = T - V", "d/dt dL/dq1' = m l^2 q1''"])

Every line is an equation and is tested at random states. T, V, L, E, H, C, g and their entries are compared with the
right ones; a new name on one side, or its square, defines that name, also where it was used above; forces that nothing
determines are unknowns; anything else must hold with the names as they were defined. `readings` tries whether F is
such a force or that of a joint; names that no line compares with the model are told.
If the learner's own L (or T and V) or an equation of motion is wrong, later lines are compared with the motion that
follows from it, so that a line that follows from a wrong one is told from a line with a mistake of its own.
"""

import contextlib
import functools
import itertools
import re
from dataclasses import replace

import mpmath
import numpy as np

from rbdlib.verification.decision.comparisons import AGREEMENT, AGREEMENT_OF_FLOATS
from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.decision.equations import known_values
from rbdlib.verification.decision.nearly_right import decimals_in, meant
from rbdlib.verification.derivations.beforehand import (
    contains,
    is_solution,
    is_special_state,
    names_in,
    states_since_start,
    vocabulary_with_data,
)
from rbdlib.verification.derivations.consequences import roots_of
from rbdlib.verification.derivations.derivation_motions import from_wrong_lines, moved, own_motions, right_motions
from rbdlib.verification.derivations.derivation_names import ARRAYS, ENERGIES, MOMENTUM, OwnNames, Unknowns
from rbdlib.verification.derivations.line_reasons import (
    SMALL_ANGLES,
    energy_holds_when_small,
    is_right_when_small,
    is_small_angle_form,
    said,
    why,
)
from rbdlib.verification.derivations.lines import formula_of, lines_of
from rbdlib.verification.derivations.readings import judged
from rbdlib.verification.derivations.steps import Line, differs, follows, numbered
from rbdlib.verification.meaning.aliases import UnknownSymbol, compact
from rbdlib.verification.meaning.answer_lines import BadAnswer, symbols_in_order
from rbdlib.verification.meaning.definitions import as_power
from rbdlib.verification.meaning.given import with_springs
from rbdlib.verification.meaning.units import dimension_of
from rbdlib.verification.mechanics.states import DIGITS, draw, require_seed, system_of
from rbdlib.verification.notation.matrices import transposed
from rbdlib.verification.notation.reading import Answer, read
from rbdlib.verification.reports.report import Report, explained
from rbdlib.verification.reports.report_text import counterexample_values, places, shown, shown_pair, state_values
from rbdlib.verification.trees.calculus import difference
from rbdlib.verification.trees.dimensions_of_model import TIME
from rbdlib.verification.trees.expression import Undefined, evaluate, to_text
from rbdlib.verification.trees.nodes import ONE, ZERO, Equation, Function, Matrix, Symbol, substitute, symbols, terms

SMALL_ONLY = "It holds for small angles only."
#: What is small beside all that is drawn.
TINY = 1e-6
_VECTORS = ("H", "M", "D", "C", "G", "q", "qd", "qdd", "tau", "u")
_WHOLE = ("Equations between whole vectors, such as H qdd + C + g = tau, are not tested. Write them entry by entry: "
          "tau1 = H11 qdd1 + H12 qdd2 + C1 + g1.")
_NAME = re.compile(r"(?:^|[,;\n])[\s$]*([A-Za-z][A-Za-z0-9_]*)(?:\^\d|'+)?\s*&?=")
_ENTRY = re.compile(r"(H|M|C|g|G|bias)(\d{1,2})")


class Derivation:
    """The lines of a derivation, judged one after the other.

    own: the `OwnNames`, what the learner has defined.
    wrong: pairs (numbers of lines, tree of the left minus the right side) of the lines that do not hold.
    """

    def __init__(self, model, lines, given, seed, unknown=(), explain=True):
        model = with_springs(model, given, lines)
        self.model, self.seed, self.explain, self.system = model, seed, explain, system_of(model)
        self.lines, (self.data, self.vocabulary) = lines, vocabulary_with_data(lines, model, given)
        self.vocabulary.unknowns |= {*unknown}
        self.tolerance = AGREEMENT if self.system.exact else AGREEMENT_OF_FLOATS
        self.own, self.wrong, self.used, self.named, self.left = OwnNames(self.vocabulary), [], set(), set(), None
        self.missing, self.lefts, self.names_of, self.exact, self.near, self._called = {}, {}, {}, False, False, None
        self.told: set[str] = set()
        self.heads: dict = {}                            # {id of an equation: the left side of the chain it is in}
        self.rows: list = []                             # (wrong lines from which it follows, equation of motion)
        self.tests: list = []                            # equations that compare what is in them with the model
        self.resting = False                             # a line says in which state nothing is accelerated
        self.abbreviates = re.search(r"(?<![A-Za-z])C_?\{?\d", " ".join(map(str, lines))) is not None
        fixed = self.vocabulary.fixed
        drawn = [*draw(self.system, seed + 7, 1, fixed, decimals=1), *draw(self.system, seed, 3, fixed)]
        self.own.ahead, self.own.written, used = names_in(lines, self.vocabulary)  # no others have forces: no motor
        self.states = [self.vocabulary.forces(state.with_forces(np.array(
            [x if f"tau{i}" in used else 0 * x for i, x in enumerate(state.tau, start=1)], dtype=object)))
            for state in drawn]
        self.states = states_since_start(lines, self.vocabulary, self.states)
        self.unknowns, self._motions = Unknowns(self), {}

    def _contains(self, tree, *letters):
        """True if a tree has symbols of the model in it whose names begin with some letters."""
        return contains(self.vocabulary, tree, *letters)

    # One line

    def judge(self, number, line):
        """The `Line` about a line."""
        self.number, text, found, because, reasons = number, str(line), follows(), set(), []
        if line in self.data:
            return Line(number, text, "follows", "Taken for what is given.")
        self.left = self.lefts.setdefault(number, self.left)
        self.missing.pop(number, None)
        try:
            trees = self._equations(line)
            if special := [tree for tree in trees if is_special_state(self.vocabulary, self.own, tree, text)]:
                if len(special) < len(trees) or any(
                        getattr(t.left, "dots", 0) > 1 and t.right != ZERO for t in special):
                    where = f"{to_text(special[0].left)} = {to_text(special[0].right)}"
                    raise BadAnswer(f"This line holds only where {where}, but lines are tested in every state. Leave "
                                    "it out.")
                self.resting |= any(getattr(t.left, "dots", 0) > 1 for t in special)
                return Line(number, text, "follows", "Taken for a special state; lines are tested in every state.")
            for found in self._found(trees):
                because |= set(found.because)
                reasons.append(found.reason)
                if found.status != "follows":
                    reason = found.reason if "**" in text else found.reason.replace("**", "^")
                    return replace(found, number=number, text=text, reason=reason)
        except ValueError as error:                     # Unreadable, BadAnswer, TooLarge, NoState, ...
            self.missing[number] = compact(getattr(error, "symbol", ""))
            self.own.lose(text, number)
            whole = isinstance(error, UnknownSymbol) and error.symbol in _VECTORS and self.system.model.nv > 1
            no_value = "This line has no value in general: " * isinstance(error, Undefined)
            return Line(number, text, "not understood", _WHOLE if whole else f"{no_value}{error}")
        return replace(found, number=number, text=text, because=tuple(sorted(because)),
                       reason=" ".join(dict.fromkeys(filter(None, reasons))))

    def judge_all(self):
        """The `Line` about each line, in order; what a line below defines may be used above it."""
        found, tried = [], set()
        for line in self.lines:
            found.append(self.judge(len(found) + 1, line))
            left = self.left
            while again := {item for item in self.missing.items() if item[1] in {
                    *self.own.formulas, *self.own.arrays, *self.vocabulary.definitions}} - tried:
                tried |= again
                for number, _ in sorted(again):
                    found[number - 1] = self.judge(number, self.lines[number - 1])
            self.left = left
        return tuple(found)

    def untested(self):
        """The names that lines define, or take for unknown forces, and that no line compares with the model."""
        forces, tests = self.unknowns.tested()
        tested = forces | self.own.names_below(*self.tests, *tests)
        made = {name: written for name, (_, written) in self.own.places.items()}
        made |= {compact(s.name): s.name for s in self.unknowns.pending()}
        return tuple(written for name, written in made.items() if name not in tested)

    def _found(self, trees):
        """The verdict on each equation of a line, after those of the line that say what the names in it are."""
        waiting, problem, self.heads = list(trees), UnknownSymbol("", ""), {}
        for before, tree in itertools.pairwise(waiting):                    # L in L = T - V = ...
            if before.right is tree.left:
                self.heads[id(tree)] = self.heads.get(id(before), before.left)
        while waiting:
            trees, waiting = waiting, []
            for tree in trees:
                try:
                    found = [self._equation(part) for part in self.own.with_arrays(tree)]
                except UnknownSymbol as error:
                    problem = problem if waiting else error
                    waiting.append(tree)
                    continue
                names = {compact(s.name) for s in symbols(tree)}
                self.used |= names
                self.names_of[self.number] = self.names_of.get(self.number, set()) | names
                yield from found
            if len(waiting) == len(trees):
                raise problem

    def _equations(self, line):
        """The equations of a line; one that begins with = goes on with the left side of the line before.

        A run of letters and digits before the = that is no product of known names is a name.
        """
        text = line.strip().lstrip("$& ").strip() if isinstance(line, str) else ""
        goes_on = text.startswith("=") and not text.startswith(("==", "=>"))
        names = self.vocabulary.known_names() | self.named | set("TVLE")
        line, self.near = formula_of(text[1:] if goes_on else line, names) if isinstance(line, str) else (line, False)
        for name in {*_NAME.findall(line)} - names if isinstance(line, str) else ():
            parts = {s for tree in read(name, names).trees for s in symbols(tree)}
            if "_" in name or not all(self.vocabulary.knows(s) or compact(s.name) in self.own for s in parts):
                self.named.add(name)
        trees = [self.own.renamed(tree) for tree in read(line, names | self.named).trees]
        if goes_on and self.left is not None and trees:
            first, chain = trees[0], isinstance(trees[0], Equation)
            trees[:1] = [Equation(self.left, first.left if chain else first), *([first] if chain else [])]
        if not all(isinstance(tree, Equation) for tree in trees):
            raise BadAnswer("This line is no equation. Write one, such as L = T - V.")
        self.left = trees[0].left if trees else self.left
        if "alpha" not in self.own:
            self.vocabulary.refuse_accelerations_as_angles(trees, self.own.beside)
        return self.vocabulary.without_constants(trees, True)

    def _equation(self, tree):
        if is_solution(self.vocabulary, self.own, tree):
            raise BadAnswer(f"This line says how {tree.left.name} changes with time. Lines are tested in single "
                            "states: the equation of motion that it solves can be tested.")
        if self._is_period(tree):
            tree = replace(tree, left=Symbol("T_period"))
        for left, right in ((tree.left, tree.right), (tree.right, tree.left)):
            name = compact(left.name) if isinstance(left, Symbol) else ""
            power = as_power(left)
            if power and self._defines(power[0], right):
                return self._new_name(power[0], right, power[1])
            if not name or name in self.own:
                continue
            if re.match("det[A-Z]", name):
                raise BadAnswer("Determinants are not tested here; verify(model, 'det H', ...) tests that of H.")
            if isinstance(right, Matrix):
                return self._array(name, left.name, right)
            own = name in self.vocabulary.names.parameters or isinstance(right, Function)
            key = ENERGIES[name] if self.own.is_energy(name) else name.replace("G", "g")
            compared = self.own.is_energy(name) or _ENTRY.fullmatch(name) and not own and (
                key in known_values(self.states[0]))
            if compared and not left.dots:
                return self._named(name, key, right)
            if name == "H" and any(MOMENTUM.match(compact(s.name)) for s in symbols(right)) and (
                    self.own.from_energies("E") is not None and not self.vocabulary.prescribed):
                return self._named(name, "E", right)     # Hamilton's function
            if not compared and self._defines(left, right) and left not in self.unknowns.pending():
                return self._new_name(left, right)
        return self._identity(tree)

    def _is_period(self, tree):
        """True for T = 2*pi*sqrt(l/g), which is no kinetic energy."""
        if tree.left != Symbol("T") or isinstance(tree.right, Matrix) or not self.own.is_energy("T"):
            return False
        inlined = self.own.inlined(tree.right)
        return not self._contains(inlined, "q", "tau") and dimension_of(inlined, self.vocabulary) == TIME

    def _array(self, name, written, matrix):
        """The verdict on H = [...], whose entries are known from then on, or on the definition r = [...]."""
        if name not in ARRAYS:
            if name in {*self.vocabulary.names.compacted, *map(compact, self.vocabulary.names.called.values())}:
                raise BadAnswer(f"{written} is a name of the model's, and no matrix. Give this one another name.")
            self.own.arrays[name] = transposed(matrix) if matrix.shape[0] == 1 else matrix      # (x, x')^T is a column
            return follows(f"This defines {written}.")
        inlined = Matrix(tuple(tuple(map(self.own.inlined, row)) for row in matrix.rows))
        found = self._compared(ARRAYS[name], inlined, matrix)
        if ARRAYS[name] == "H":
            self.own.arrays[name] = matrix
        for i, row in enumerate(matrix.rows, start=1):
            for j, entry in enumerate(row, start=1):
                self.own.define(f"{name}{i}{j if len(row) > 1 else ''}", entry,
                                {self.number} if found.status != "follows" else ())
        return found

    # Names of the learner's own

    def _defines(self, left, right):
        """True if an equation defines the symbol on its left, rather than saying something about the model's."""
        name, names, dots = compact(left.name), self.vocabulary.names, left.dots
        if isinstance(right, Matrix) or self.own.knows(left) or name in self.vocabulary.definitions or name in {
                *map(compact, names.own), *map(compact, names.called.values()),
                *(compact(s.name) for s in symbols(right))}:
            return False
        if dots and (MOMENTUM.match(name) or all(s.dots < dots for s in symbols(right))):
            return False                                # the velocity of a point is made of velocities
        if name in self.own.ahead:
            return dots > 0 or self._contains(left, "q") or not self._contains(self.own.inlined(right), "qdd")
        if not self.vocabulary.knows(left):
            return name not in self.vocabulary.unknowns
        inlined = self.own.inlined(right)
        if name in self.used or not self.vocabulary.own_symbols([left]):
            return False
        if self._contains(left, "tau"):
            return not self._contains(inlined, "qdd")
        return not dots and not self._contains(left, "qdd") and not self.holds(
            difference(self.own.inlined(left), inlined), self.states)

    def _new_name(self, left, right, power=ONE):
        faults, name, inlined = self.own.faults_of(right), compact(left.name), self.own.inlined(right)
        own = self.vocabulary.own_symbols([left]) if self.vocabulary.knows(left) else set()
        made_of = {s.name for s in symbols(inlined)}
        if (power == ONE and own and made_of and own | made_of <= {*self.vocabulary.names.q}
                and self.vocabulary.takes_coordinate(left.name, inlined)):
            self.own.awaits_no_more(name)
        else:
            self.own.define(left if left.dots else name, right, faults, power)
        self._motions.clear()                            # it may be one of the learner's coordinates
        self.own.places[name] = self.number, left.name
        energy, letter = {"K": ("kinetic", "T"), "P": ("potential", "V")}.get(left.name, ("", ""))
        apart = f" It was not compared with the {energy} energy: for that call it {letter}." if energy else ""
        return follows(f"This defines {left.name}.{apart}", faults)

    # Names that are compared with the right values

    def _named(self, name, key, tree):
        """The verdict on T = ..., H11 = ..., C1 = ...; the name is known from then on, right or wrong.

        key: that of the right value in `known_values`.
        """
        if key in "LE" and self.own.is_definition(key, tree):
            return follows()                             # of T and V, which no line has said yet
        faults, inlined = self.own.faults_of(tree), self.own.inlined(tree)
        found = self._compared(key, inlined, tree)
        if found.status == "does not follow":
            own = self.own.from_energies(key)
            if self.near and key in ENERGIES.values() and energy_holds_when_small(
                    self, lambda state: self.value(inlined, state) - known_values(state)[key]):
                found = follows(SMALL_ONLY)
            elif own is not None and self.holds(difference(inlined, own), self.states):
                found = follows(because=self.own.energy_faults())
            elif faults and own is None:
                found = follows(because=faults)
            else:
                off = [self.value(inlined, state) - known_values(state)[key] for state in self.states]
                because = from_wrong_lines(self, off, self.states)
                found = follows(because=because) if because else found
        self.own.define(name, tree, {self.number} if found.status != "follows" else found.because)
        return found

    def _resting_on(self, tree):
        """Which definitions above, tested by no line before, a tree rests on, in a sentence."""
        doubtful = self.own.names_below(tree) - self.own.names_below(*self.tests)
        places = {self.own.places[name][0] for name in doubtful & self.own.places.keys()
                  if not isinstance(getattr(self.own.formulas.get(name), "written", None), Symbol)} - {self.number}
        return f"The mistake may be in a definition that is used here: {numbered(places)}." if places else ""

    def called(self, symbol):
        """The learner's `Symbol` for one of an inlined tree."""
        if self._called is None:
            told, self.vocabulary.guessed = self.vocabulary.guessed, {}         # to ask is not to use
            written = [s for s in self.own.written if not self.own.knows(s)]
            self._called = {(own, 0): s for own, s in self.vocabulary.spellings(written).items()}
            for s in written[::-1]:                      # beside theta, alpha is theta''
                with contextlib.suppress(ValueError):
                    meant = self.own.meaning(s, self.own.beside)
                    if isinstance(meant, Symbol):
                        self._called[self.vocabulary.rated(meant.name, meant.dots)] = s
            self.vocabulary.guessed = told
        return self._called.get(self.vocabulary.rated(symbol.name, symbol.dots), symbol)

    def _compared(self, key, tree, written):
        tree = substitute(tree, {s: self.called(s) for s in symbols(tree)})
        self.vocabulary.guessed = {name: told for name, told in self.vocabulary.guessed.items() if name not in self.own}
        decision = verify_numbers(self.model, key, Answer((tree,)), self.vocabulary, self.seed)
        if decision.ok:
            new = [note for note in decision.notes if note not in self.told]
            self.told.update(new)
            self.tests.append(written)
            return follows(" ".join(new).replace("**", "^"))
        if not decision.entries:
            raise BadAnswer(decision.problem)
        entry = next(entry for entry in decision.entries if not entry.ok)
        place = f" in {places([entry.index])}" if entry.index else ""
        first = explained(Report(decision)).explanations[:1] if self.explain else ()
        reason = " ".join(filter(None, [f"This is not {decision.quantity.title}{place}.", said(first),
                                        self._resting_on(written)]))
        return differs(reason, tuple(counterexample_values(decision)), *shown_pair(entry.yours, entry.ours), True)

    # Everything else must hold

    def _identity(self, tree):
        if any(isinstance(side, Matrix) for side in (tree.left, tree.right)):
            raise BadAnswer("Matrices can be tested as H = ..., C = ..., g = ... only.")
        if self.unknowns.of(tree):
            return self.unknowns.judge(tree)
        left, right = self.own.inlined(tree.left), self.own.inlined(tree.right)
        residual, faults = difference(left, right), self.own.faults_of(tree)
        truly = not faults and self.holds(residual, self.states)
        self.exact |= truly and self._contains(residual, "qdd") and not is_small_angle_form(tree)
        energy_faults = self.own.energy_faults()
        if any(self.holds(residual, states) for states in own_motions(self)):
            if not self.holds(residual, [moved(right_motions(self)[0][0])]) or any(
                    self.own.is_energy(compact(s.name)) for s in symbols(tree)):
                self.tests.append(tree)
            moving = not truly and self._contains(residual, "tau", "qdd")
            because = faults | energy_faults if moving else faults
            self.note(Equation(residual, ZERO), because)
            return follows(because=because)
        named = numbered(faults) if faults else "your own energies"
        first = self.own.as_first_defined() if faults else self.own
        if first is not None and any(self.holds(first.inlined(difference(tree.left, tree.right)), states)
                                     for states in right_motions(self)):
            self.note(tree)
            self.tests.append(tree)
            return follows(f"It is right, though it does not follow from {named}." * bool(faults or energy_faults))
        states = own_motions(self)[0]
        because = from_wrong_lines(self, [self.value(residual, state) for state in states], states)
        if not because and self._holds_rounded(residual, states):
            self.tests.append(tree)
            return follows("It agrees as far as the digits of its numbers go.", faults)
        small = not faults | because and is_right_when_small(self, tree, residual)
        if small and (self.near or self.exact):
            self.exact = True                           # said once, it counts for what comes below
            self.tests.append(tree)
            return follows(SMALL_ONLY)
        because = because or roots_of(self, tree, self.near and is_small_angle_form(tree))
        if not because and self.resting:
            raise BadAnswer("This line does not hold in every state. Whether it holds in the one that is stated above "
                            "is not tested.")
        self.wrong.append((because or {self.number}, residual))
        self.note(Equation(residual, ZERO), because or {self.number})
        found, state = follows(because=because), next(s for s in states if not self.holds(residual, [s]))
        if not because:
            found = differs(self._reason(tree, states, named if faults else "", small), self._at(state, residual),
                            *shown_pair(self.value(left, state), self.value(right, state)))
        self.own.take_over(because or {self.number}, self.heads.get(id(tree), tree.left), tree.right)
        return found

    def _reason(self, tree, states, named, small):
        """Why an equation does not hold, in a sentence. named: the wrong lines that it rests on, in words."""
        if named:
            return f"It was compared with what follows from {named}. That is wrong already: mend it first."
        if small or self.near and is_small_angle_form(tree):
            return SMALL_ANGLES if small else "It does not hold for small angles, either."
        found, resting = (why(self, tree, states), self._resting_on(tree)) if self.explain else ("", "")
        return " ".join(filter(None, [found, resting * (not found or "line " in resting)]))

    def note(self, tree, because=()):
        """Note an equation of motion that holds, or that follows from wrong lines, or is one."""
        if self.unknowns.of(tree) or self._contains(self.own.inlined(tree), "qdd"):
            self.rows.append((frozenset(because), tree))

    def _at(self, state, residual):
        """The values of what a residual consists of, pairs (as the learner calls it, text): what moves comes last."""
        order = {name: place for place, (name, _) in enumerate(state_values(state))}
        made_of = {s: self.vocabulary.own_symbols([s]) & order.keys() for s in symbols_in_order([residual])}
        constant = {"g", *self.vocabulary.names.parameters}
        used = sorted((s for s, own in made_of.items() if not s.dots or not self.vocabulary.own_symbols(
            [Symbol(s.name)]) <= constant), key=lambda s: max((order[name] for name in made_of[s]), default=0))
        return tuple({to_text(self.called(s)): shown(self.value(s, state)) for s in used}.items())

    def _holds_rounded(self, residual, states):
        """True if a residual is zero with numbers of which the decimals in it are rounded ones."""
        if not 0 < len(decimals_in(residual)) < len(states):
            return False
        found = meant([residual], lambda trees: np.array([self.value(trees[0], state) for state in states]))
        return found is not None and self.holds(found[0], states)

    def value(self, tree, state):
        """The value of a formula in a state."""
        return evaluate(tree, self.vocabulary.values(state, symbols_in_order([tree])))

    def holds(self, residual, states):
        values = ([self.value(term, state) for term in terms(residual)] for state in states)
        return all(abs(sum(parts)) <= self.tolerance * max(TINY, *map(abs, parts)) for parts in values)


def verify_steps(model, lines, given=None, seed=0, explain=True):
    """Which lines of a derivation follow, and which is the first that does not.

    Parameters
        model: a `Model`, best with symbols: load("double_pendulum", symbolic=True).
        lines: a list of equations, as text, LaTeX or SymPy; or one text with a line for each, and words around them.
            T, V, L, E, H, C, g and their entries (H11, C1) are compared with the right ones; a new name on one side of
            an equation is defined by it, a vector or matrix, too; whatever else must hold with the names defined in
            other lines. What holds for small angles only follows where the exact equation stands above it, or where
            it is said (≈). "theta(0) = theta_0, theta'(0) = 0" says with which energy one freedom moves.
        given: what the learner calls otherwise, as for `verify`.
        seed: whole number, for the random states.
        explain: whether to search for the reason why an energy, vector or matrix is wrong.
    Returns: `Steps`; its ``first_wrong`` is the first line that does not follow, ``untested`` names that lines define
        and none compares with the model.
    Raises: ValueError or TypeError for a bad model, lines or given. A bad line is "not understood".

    >>> from rbdlib import load
    >>> print(verify_steps(load("simple_pendulum", symbolic=True), ["T = m*l^2*qd1^2/2", "V = -m*g*l*cos(q1)"]))
    ✓ Every line follows.
      1. ✓ T = m*l^2*qd1^2/2
      2. ✓ V = -m*g*l*cos(q1)
    """
    require_seed(seed)
    lines = lines_of(lines)
    with mpmath.workdps(DIGITS):
        return judged(functools.partial(Derivation, model, lines, given, seed), explain)
