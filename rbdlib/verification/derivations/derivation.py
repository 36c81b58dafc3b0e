"""How the lines of a derivation are judged, for `steps.verify_steps`.

Every line is an equation and is tested at random states. T, V, L, E, H, C, g and their entries are compared with the
right ones; a new name on one side, or its square, defines that name; forces that nothing above determines are unknowns;
anything else must hold with the names as they were defined above.
If the learner's own L (or T and V) is wrong, later lines are compared with the motion that follows from it, so that a
line that follows from a wrong one is told from a line with a mistake of its own.
"""

import itertools
import re
from dataclasses import replace

import numpy as np

from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.decision.decision import AGREEMENT, AGREEMENT_OF_FLOATS
from rbdlib.verification.decision.identities import known_values
from rbdlib.verification.derivations.derivation_lines import Line, NotUnderstood, follows, goes_on_with_equals, numbered
from rbdlib.verification.derivations.derivation_names import ENERGIES, OwnNames, as_power
from rbdlib.verification.derivations.line_reasons import SMALL_ANGLES, is_small_angle_form, why
from rbdlib.verification.derivations.motions import Motions
from rbdlib.verification.derivations.unknown_forces import Unknowns
from rbdlib.verification.meaning.aliases import UnknownSymbol, compact
from rbdlib.verification.meaning.answer_lines import difference
from rbdlib.verification.meaning.vocabulary import Vocabulary
from rbdlib.verification.mechanics.states import draw, system_of
from rbdlib.verification.notation.reading import Answer, read
from rbdlib.verification.reports.report import Report, explained
from rbdlib.verification.reports.report_text import counterexample_values, places, shown, shown_pair, state_values
from rbdlib.verification.trees.calculus import minus, plus
from rbdlib.verification.trees.expression import Equation, Function, Matrix, Symbol, Undefined, symbols, terms

#: Names of whole vectors and matrices that are compared, and of their entries.
ARRAYS = {"H": "H", "M": "H", "C": "C", "g": "g", "G": "g", "bias": "bias", "tau": "tau", "qdd": "qdd"}
#: A factor by which angles, velocities and forces are made small.
SMALL = 1e-6
_VECTORS = ("H", "M", "D", "C", "G", "q", "qd", "qdd", "tau", "u")
_WHOLE = ("Equations between whole vectors, such as H qdd + C + g = tau, are not tested. Write them entry by entry: "
          "tau1 = H11 qdd1 + H12 qdd2 + C1 + g1.")
_NAME = re.compile(r"\s*\$?\s*([A-Za-z][A-Za-z0-9_]*)(?:\^\d|'+)?\s*&?=")
_ENTRY = re.compile(r"(H|M|C|g|G|bias)(\d{1,2})")


class Derivation:
    """The lines of a derivation, judged one after the other.

    own: the `OwnNames`, what the learner has defined.
    wrong: pairs (numbers of lines, tree of the left minus the right side) of the lines that do not hold.
    """

    def __init__(self, model, lines, given, seed, explain):
        self.model, self.seed, self.explain = model, seed, explain
        self.system, self.vocabulary = system_of(model), Vocabulary(model, given)
        self.tolerance = AGREEMENT if self.system.exact else AGREEMENT_OF_FLOATS
        self.own, self.wrong, self.used, self.named, self.left = OwnNames(self.vocabulary), [], set(), set(), None
        self.abbreviates = re.search(r"(?<![A-Za-z])C_?\{?\d", " ".join(map(str, lines))) is not None
        fixed = self.vocabulary.fixed
        drawn = [*draw(self.system, seed + 7, 1, fixed, decimals=1), *draw(self.system, seed, 3, fixed)]
        states = [self.vocabulary.forces(state) for state in drawn]
        if not self.system.model.loops:                  # one with the parameters of another: to see scaled equations
            states.append(replace(states[1], q=states[2].q, qd=states[2].qd, tau=states[2].tau))
        absent = self._absent_forces(lines)
        self.states = [state.with_forces(np.array([0 * x if i in absent else x for i, x in enumerate(state.tau)],
                                                  dtype=object)) for state in states]
        self.unknowns = Unknowns(self)
        self._in_coordinates()

    def _in_coordinates(self):
        """Note the learner's coordinates, which a line may define."""
        self.y = self.vocabulary.coordinates() or [Symbol(name) for name in self.vocabulary.names.q]
        self.motions = Motions(self.vocabulary, self.states, self.y)

    def _absent_forces(self, lines):
        """The places of the forces that no line and no given mentions, as of a joint without a motor."""
        used, defined = set(), set()
        for line in lines:
            try:
                trees = read(line, self.vocabulary.known_names()).trees
            except ValueError:
                continue
            used |= {s for tree in trees for s in symbols(tree) if compact(s.name) not in ENERGIES}
            defined |= {tree.left for tree in trees if isinstance(tree, Equation) and isinstance(tree.left, Symbol)
                        and tree.left.name not in self.vocabulary.names.own and not self._contains(tree.right, "qdd")}
        used -= defined
        own = self.vocabulary.own_symbols(used) | set(self.vocabulary.assumptions)
        return {i for i in range(self.system.model.nv) if f"tau{i + 1}" not in own}

    def _contains(self, tree, *letters):
        """True if a tree has symbols of the model in it whose names begin with some letters."""
        return any(name.startswith(letters) for name in self.vocabulary.own_symbols(symbols(tree)))

    # One line

    def judge(self, number, line):
        """The `Line` about a line."""
        text = line if isinstance(line, str) else str(line)
        self.number, found, because, reasons = number, Line(number, text, "follows"), set(), []
        try:
            for tree in self._equations(line):
                found = self._equation(tree)
                self.used |= {compact(s.name) for s in symbols(tree)}
                because |= set(found.because)
                reasons += [found.reason] if found.reason else []
                if found.status != "follows":
                    return replace(found, number=number, text=text, because=())
        except ValueError as error:                     # Unreadable, NotUnderstood, TooLarge, NoState, ...
            reason = str(error)
            if isinstance(error, Undefined):
                reason = f"This line has no value in general: {error}"
            elif isinstance(error, UnknownSymbol) and error.symbol in _VECTORS and self.system.model.nv > 1:
                reason = _WHOLE
            return Line(number, text, "not understood", reason)
        return replace(found, number=number, text=text, because=tuple(sorted(because)),
                       reason=" ".join(dict.fromkeys(reasons)))

    def _equations(self, line):
        """The equations of a line; one that begins with = goes on with the left side of the line before.

        A run of letters and digits before the = that is no product of known names is a name.
        """
        rest = goes_on_with_equals(line)
        line = line if rest is None else rest
        names = self.vocabulary.known_names() | self.named | set("TVLE")
        match = _NAME.match(line) if isinstance(line, str) else None
        if match and match[1] not in names:
            parts = {s for tree in read(match[1], names).trees for s in symbols(tree)}
            if not all(self.vocabulary.knows(s) or compact(s.name) in self.own for s in parts):
                self.named.add(match[1])
        trees = list(read(line, names | self.named).trees)
        if rest is not None and self.left is not None and trees:
            first = trees[0]
            trees[0] = Equation(self.left, first.left if isinstance(first, Equation) else first)
            trees[1:1] = [first] if isinstance(first, Equation) else []
        if not all(isinstance(tree, Equation) for tree in trees):
            raise NotUnderstood("This line is no equation. Write one, such as L = T - V.")
        self.left = trees[0].left if trees else self.left
        return trees

    def _equation(self, tree):
        for left, right in ((tree.left, tree.right), (tree.right, tree.left)):
            name = compact(left.name) if isinstance(left, Symbol) and not left.dots else ""
            base, power = as_power(left)
            if power and self._defines(base, right):
                return self._new_name(base, right, power)
            if not name or name in self.own:
                continue
            if isinstance(right, Matrix):
                if name not in ARRAYS:
                    raise NotUnderstood(f"Vectors and matrices can be tested for {', '.join(ARRAYS)} only. Write the "
                                        "entries of others as equations of their own.")
                inlined = Matrix(tuple(tuple(map(self.own.inlined, row)) for row in right.rows))
                return self._compared(ARRAYS[name], inlined, right)
            if self.own.is_energy(name):
                return self._energy(name, right)
            if entry := self._named_entry(name, right):
                return self._entry(name, entry, right)
            if self._defines(left, right) and name not in self.unknowns.pending():
                return self._new_name(left, right)
        return self._identity(tree)

    # Names of the learner's own

    def _defines(self, left, right):
        """True if an equation defines the symbol on its left, rather than saying something about the model's."""
        name, names = compact(left.name), self.vocabulary.names
        if (name in self.own or name in self.vocabulary.definitions
                or name in {compact(own) for own in names.own} or name in {compact(s.name) for s in symbols(right)}):
            return False
        if isinstance(right, Matrix) or not self.vocabulary.knows(left):
            return not isinstance(right, Matrix)
        inlined = self.own.inlined(right)
        if name in self.used or self._contains(left, "qdd") or not self.vocabulary.own_symbols([left]):
            return False
        if self._contains(left, "tau"):
            return not self._contains(inlined, "qdd")
        return not self._holds(difference(self.own.inlined(left), inlined), self.states)

    def _new_name(self, left, right, power=1):
        faults = self.own.faults_of(right)
        name, own = compact(left.name), self.vocabulary.own_symbols([left]) if self.vocabulary.knows(left) else set()
        positions, used = set(self.vocabulary.names.q), symbols(right)
        if power == 1 and own and used and own | self.vocabulary.own_symbols(used) <= positions:
            self.vocabulary.define(left.name, right, "given")
            self._in_coordinates()
        else:
            self.own.define(name, right, faults, power)
        self.own.places[name] = self.number
        return follows(f"This defines {left.name}.", faults)

    # Names that are compared with the right values

    def _energy(self, name, tree):
        faults, key, inlined = self.own.faults_of(tree), ENERGIES[name], self.own.inlined(tree)
        found = self._compared(key, inlined, tree)
        if found.status == "does not follow":
            own = self._from_own(key)
            if own is not None and self._holds(difference(inlined, own), self.states):
                found = follows(because=self._energy_faults())
            elif faults and own is None:
                found = follows(because=faults)
            else:
                off = [self._value(inlined, state) - known_values(state)[key] for state in self.states]
                because = self._from_wrong_lines(off, self.states)
                found = follows(because=because) if because else found
        if found.status != "not understood":
            self.own.define(name, tree, {self.number} if found.status != "follows" else found.because)
        return found

    def _resting_on(self, tree):
        """Which definitions above a tree rests on, in a sentence."""
        own = {name: self.own.places[name] for s in symbols(tree) if (name := compact(s.name)) in self.own.places}
        if not own:
            return ""
        return f"The mistake may be in a definition that is used here: {numbered(set(own.values()))}."

    def _compared(self, key, tree, written):
        decision = verify_numbers(self.model, key, Answer((tree,)), self.vocabulary, self.seed)
        if decision.ok:
            return follows(" ".join(decision.notes))
        if not decision.entries:
            return Line(self.number, "", "not understood", decision.problem)
        entry = next(entry for entry in decision.entries if not entry.ok)
        place = f" in {places([entry.index])}" if entry.index else ""
        left, right = shown_pair(entry.yours, entry.ours)
        why = explained(Report(decision)).explanations if self.explain else ()
        sentences = [finding.sentence for finding in why[0]] if why else []
        reason = " ".join([f"This is not {decision.quantity.title}{place}.", *sentences, self._resting_on(written)])
        at = tuple(counterexample_values(decision))
        return Line(self.number, "", "does not follow", reason, (), at, left, right, True)

    def _from_own(self, key):
        """L or E as the learner's own T and V give it, or None."""
        T, V = (self._own(letter) for letter in "TV")
        return None if key not in "LE" or T is None or V is None else plus(T, minus(V) if key == "L" else V)

    def _own(self, key):
        """The learner's formula for an energy, or None."""
        return next((tree for name, (power, tree) in self.own.formulas.items()
                     if ENERGIES.get(name) == key and power == 1), None)

    def _energy_faults(self):
        return frozenset().union(*(lines for name, lines in self.own.faults.items() if name in ENERGIES))

    def _named_entry(self, name, right):
        """(letter, digits) of a name such as H11 or C1 for an entry; None for any other, and for abbreviations."""
        match, n = _ENTRY.fullmatch(name), self.system.model.nv
        if not match or name in self.vocabulary.names.parameters or isinstance(right, Function):
            return None
        letter, digits = match.groups()
        return match.groups() if len(digits) == 1 + (letter in "HM") and all(1 <= int(d) <= n for d in digits) else None

    def _entry(self, name, entry, tree):
        """H11 = ..., C1 = ...: compared with the right value of that entry."""
        (letter, digits), inlined = entry, self.own.inlined(tree)
        key, faults = ARRAYS[letter] + digits, self.own.faults_of(tree)
        keys = (key, f"bias{digits}") if letter == "C" else (key,)
        yours, ours = ([self._value(inlined, state) for state in self.states], [*map(known_values, self.states)])
        if any(all(self._near(x, values[k]) for x, values in zip(yours, ours, strict=True)) for k in keys):
            found = follows()
        elif faults:
            found = follows(because=faults)
        else:
            left, right = shown_pair(yours[0], ours[0][key])
            at = tuple((n, shown(x)) for n, x in state_values(self.states[0], ("q", "qd")))
            found = Line(self.number, "", "does not follow", f"{name} is not right.", (), at, left, right, True)
        self.own.define(name, tree, {self.number} if found.status != "follows" else found.because)
        return found

    def _near(self, a, b):
        return abs(a - b) <= self.tolerance * max(abs(a), abs(b), 1)

    # Everything else must hold

    def _identity(self, tree):
        if any(isinstance(side, Matrix) for side in (tree.left, tree.right)):
            raise NotUnderstood("Matrices can be tested as H = ..., C = ..., g = ... only.")
        if self.unknowns.of(tree):
            return self.unknowns.judge(tree)
        left, right = self.own.inlined(tree.left), self.own.inlined(tree.right)
        residual, faults = difference(left, right), self.own.faults_of(tree)
        truly = not faults and self._holds(residual, self.states)
        for states in self._own_motions():
            if self._holds(residual, states):
                moved = not truly and self._contains(residual, "tau", "qdd")
                motion = self._energy_faults() if moved else frozenset()
                return follows(because=faults | motion)
        if truly or any(not faults and self._holds(residual, states) for states in self.motions.true()):
            rest = "" if not self._energy_faults() else "It is right, though it does not follow from your own energies."
            return follows(rest)
        first = self.own.as_first_defined(difference(tree.left, tree.right)) if faults else None
        if first is not None and any(self._holds(first, states) for states in (self.states, *self.motions.true())):
            return follows("It is right, though it does not follow from line "
                           f"{', '.join(map(str, sorted(faults)))}.")
        states = next(iter(self._own_motions()))
        because = self._from_wrong_lines([self._value(residual, state) for state in states], states)
        self.wrong.append((because or {self.number}, residual))
        if because:
            return follows(because=because)
        found = self._counterexample(tree, left, right, faults)
        self.own.take_over(self.number, tree.left, tree.right)
        return found

    def _counterexample(self, tree, left, right, faults):
        states = next(iter(self._own_motions()))
        residual, reason = difference(left, right), ""
        state = next(s for s in states if not self._holds(residual, [s]))
        a, b = shown_pair(self._value(left, state), self._value(right, state))
        used = self.vocabulary.own_symbols(symbols(residual))
        at = tuple((name, shown(x)) for name, x in state_values(state) if name in used)
        if faults:
            reason = (f"It was compared with what follows from line {', '.join(map(str, sorted(faults)))}. That is "
                      "wrong already: mend it first.")
        elif is_small_angle_form(tree) and self._for_small_angles(residual):
            reason = SMALL_ANGLES
        elif self.explain:
            reason = why(self, tree, states) or self._resting_on(tree)
        return Line(self.number, "", "does not follow", reason, (), at, a, b)

    def _for_small_angles(self, residual):
        state = self.motions.nearly_at_rest(SMALL)
        if state is None:
            return False
        parts = [self._value(term, state) for term in terms(residual)]
        return 0 < max(map(abs, parts)) and abs(sum(parts)) < 100 * SMALL * max(map(abs, parts))

    def _from_wrong_lines(self, mine, states):
        """The wrong lines of which one is a consequence, given by the values of left minus right side in some states.

        Its residual is the sum or difference of two of theirs, or one of theirs scaled by parameters.
        """
        basis = []
        for roots, tree in self.wrong:
            highest = max((symbol.dots for symbol in symbols(tree)), default=0)
            parts = (tree, self.vocabulary.rate(tree)) if highest < 2 else (tree,)
            basis += [(roots, [self._value(part, state) for state in states]) for part in parts]
        for roots, values in basis:
            if self._is_scaled(mine, values):
                return frozenset(roots)
        basis = [(roots, signed) for roots, values in basis for signed in (values, [-x for x in values])]
        for (roots, values), (others, more) in itertools.combinations(basis, 2):
            if all(self._near(x, y + z) for x, y, z in zip(mine, values, more, strict=True)):
                return frozenset(roots) | frozenset(others)
        return frozenset()

    def _is_scaled(self, mine, values):
        """True if one residual is the other, or a multiple of it that does not depend on the motion."""
        if any(all(map(self._near, mine, signed)) for signed in (values, [-x for x in values])):
            return True
        if self.system.model.loops or not all(mine) or not all(values):
            return False
        ratios = [x / y for x, y in zip(mine, values, strict=True)]
        return self._near(ratios[1], ratios[-1])         # the last state has the parameters of that one

    def _own_motions(self):
        """Lists of states whose motion follows from the learner's own L, if there is one; tau in either coordinates."""
        L = self._own("L") or self._from_own("L")
        yield from self.motions.true() if L is None or self.system.model.loops else self.motions.of(L)

    # Formulas

    def _holds(self, residual, states):
        values = ([self._value(term, state) for term in terms(residual)] for state in states)
        return all(abs(sum(parts)) <= self.tolerance * max(map(abs, parts)) for parts in values)

    def _value(self, tree, state):
        return self.motions.value(tree, state)
