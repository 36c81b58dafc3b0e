"""How the lines of a derivation are judged, for `steps.verify_steps`.

Every line is an equation and is tested at random states. T, V, L, E, H, C, g and their entries are compared with the
right ones; a new name on one side defines that name; anything else must hold with the names as they were defined above.
If the learner's own L (or T and V) is wrong, later lines are compared with the motion that follows from it, so that a
line that follows from a wrong one is told from a line with a mistake of its own.
"""

import re
from dataclasses import dataclass, replace

import numpy as np

from rbdlib.subspaces import solve_linear
from rbdlib.verification.aliases import UnknownSymbol, compact
from rbdlib.verification.answer_lines import LETTERS, difference, symbols_in_order
from rbdlib.verification.calculus import minus, plus
from rbdlib.verification.decide import AGREEMENT, AGREEMENT_OF_FLOATS, verify_numbers
from rbdlib.verification.equations import known_values
from rbdlib.verification.expression import (
    Equation,
    Function,
    Matrix,
    Symbol,
    Undefined,
    carried_out,
    differentiate,
    evaluate,
    substitute,
    symbols,
    terms,
)
from rbdlib.verification.reading import Answer, read
from rbdlib.verification.report import Report, counterexample_values, explained, shown, shown_pair, state_values
from rbdlib.verification.states import Altered, draw, system_of
from rbdlib.verification.vocabulary import Definition, Vocabulary

MOST_LINES = 200
#: How energies may be called, and which is compared.
ENERGIES = {compact(letter): key for key in "TVLE" for letter in LETTERS[key] if letter not in ("K", "P")}
#: Names of whole vectors and matrices that are compared, and of their entries.
ARRAYS = {"H": "H", "M": "H", "C": "C", "g": "g", "G": "g", "bias": "bias", "tau": "tau", "qdd": "qdd"}
_ENTRY = re.compile(r"(H|M|C|g|G|bias)(\d{1,2})")


class NotUnderstood(ValueError):
    """A line that cannot be tested; the message says why."""


@dataclass(frozen=True)
class Line:
    """What was found out about one line.

    number: from 1.  text.  status: "follows", "does not follow" or "not understood".  reason: in words.  because: the
    numbers of the wrong lines from which it follows.  counterexample: pairs (name, text) of a state at which the two
    sides differ, with ``left`` and ``right``, text; all empty if it follows.  compared: whether the line was compared
    with a right value, which then is ``right``, while the learner's is ``left``.
    """

    number: int
    text: str
    status: str
    reason: str = ""
    because: tuple = ()
    counterexample: tuple = ()
    left: str = ""
    right: str = ""
    compared: bool = False

    @property
    def ok(self):
        """Whether the line follows from lines that are right."""
        return self.status == "follows" and not self.because


def lines_of(lines):
    """The lines of a derivation as a list. Raises ValueError or TypeError."""
    if isinstance(lines, str):
        lines = lines.splitlines()
    if not isinstance(lines, (list, tuple)):
        raise TypeError(f"lines is of type {type(lines).__name__}; give a list of equations, or text with one on each "
                        "line.")
    lines = [line for line in lines if not (isinstance(line, str) and not line.strip())]
    if not lines or len(lines) > MOST_LINES:
        raise ValueError(f"lines has {len(lines)} equations; give between 1 and {MOST_LINES}.")
    return lines


class Derivation:
    """The lines of a derivation, judged one after the other.

    formulas: {compact name: tree} of what the learner defined, in nothing but the model's symbols and those of given.
    faults: {compact name: numbers of the wrong lines on which its formula rests}.
    wrong: pairs (numbers of lines, tree of the left minus the right side) of the lines that do not hold.
    """

    def __init__(self, model, lines, given, seed, explain):
        self.model, self.seed, self.explain = model, seed, explain
        self.system, self.vocabulary = system_of(model), Vocabulary(model, given)
        self.tolerance = AGREEMENT if self.system.exact else AGREEMENT_OF_FLOATS
        self.formulas, self.faults, self.wrong, self._motions = {}, {}, [], {}
        self.y = self.vocabulary.coordinates() or [Symbol(name) for name in self.vocabulary.names.q]
        drawn = [self._drawn(1, 1, seed + 7), self._drawn(3, None, seed)]
        self.states = [self.vocabulary.forces(state) for states in drawn for state in states]
        self.states = [self._without_absent_forces(state, lines) for state in self.states]

    def _drawn(self, count, decimals, seed):
        return draw(self.system, seed, count, self.vocabulary.assumed, decimals)

    def _without_absent_forces(self, state, lines):
        """The state with zero for the forces that no line and no given mentions, as on a joint without a motor."""
        used = set()
        for line in lines:
            try:
                used |= {s for tree in read(line, self.vocabulary.known_names()).trees for s in symbols(tree)
                         if compact(s.name) not in ENERGIES}
            except ValueError:
                continue
        own = self.vocabulary.own_symbols(used) | set(self.vocabulary.assumptions)
        tau = state.tau.copy()
        for i in range(len(tau)):
            tau[i] = tau[i] if f"tau{i + 1}" in own else 0 * tau[i]
        return state.with_forces(tau)

    # One line

    def judge(self, number, line):
        """The `Line` about a line."""
        text = line if isinstance(line, str) else str(line)
        found, because, reasons = None, set(), []
        try:
            trees = read(line, self.vocabulary.known_names() | set(self.formulas) | set("TVLE")).trees
            for tree in trees:
                if not isinstance(tree, Equation):
                    raise NotUnderstood("This line is no equation. Write one, such as L = T - V.")
            for tree in trees:
                found = self._equation(number, tree)
                because |= set(found.because)
                reasons += [found.reason] if found.reason else []
                if found.status != "follows":
                    break
        except Undefined as error:
            found = Line(number, text, "not understood", f"This line has no value in general: {error}")
        except ValueError as error:                     # Unreadable, UnknownSymbol, NotUnderstood, TooLarge, NoState
            found = Line(number, text, "not understood", str(error))
        if found.status != "follows":
            return replace(found, text=text, because=())
        return replace(found, text=text, because=tuple(sorted(because)), reason=" ".join(reasons))

    def _equation(self, number, tree):
        for left, right in ((tree.left, tree.right), (tree.right, tree.left)):
            name = compact(left.name) if isinstance(left, Symbol) and not left.dots else ""
            if not name or name in self.formulas:
                continue
            if isinstance(right, Matrix):
                return self._array(number, name, right)
            if name in ENERGIES and name not in self.vocabulary.names.parameters:
                return self._energy(number, name, right)
            if self._is_entry(name, right):
                return self._entry(number, name, right)
            if left not in symbols(right) and not self.vocabulary.knows(left):
                self._define(name, right, self._faults(right))
                return Line(number, "", "follows", f"This defines {left.name}.", tuple(sorted(self.faults[name])))
        return self._identity(number, tree)

    def _define(self, name, tree, faults):
        self.formulas[name], self.faults[name] = self._inlined(tree), frozenset(faults)

    def _faults(self, tree):
        """The wrong lines on which the names in a tree rest."""
        used = symbols(tree)
        return frozenset().union(*(self.faults.get(compact(s.name), ()) for s in used))

    # Names that are compared with the right values

    def _array(self, number, name, tree):
        if name not in ARRAYS:
            raise NotUnderstood(f"Vectors and matrices can be tested for {', '.join(ARRAYS)} only. Write the entries "
                                "of others as equations of their own.")
        flat = [self._inlined(entry) for row in tree.rows for entry in row]
        width = tree.shape[1]
        inlined = Matrix(tuple(tuple(flat[i : i + width]) for i in range(0, len(flat), width)))
        return self._compared(number, name, ARRAYS[name], inlined, self._faults(tree))

    def _energy(self, number, name, tree):
        faults, key = self._faults(tree), ENERGIES[name]
        found = self._compared(number, name, key, self._inlined(tree), faults)
        if found.status == "does not follow":
            own = self._from_own(key)
            if own is not None and self._holds(difference(self._inlined(tree), own), self.states):
                found = Line(number, "", "follows", because=tuple(sorted(self._energy_faults())))
            elif faults and own is None:
                found = Line(number, "", "follows", because=tuple(sorted(faults)))
        if found.status != "not understood":
            self._define(name, tree, {number} if found.status != "follows" else found.because)
        return found

    def _compared(self, number, name, key, tree, faults):
        decision = verify_numbers(self.model, key, Answer((tree,)), self.vocabulary, self.seed)
        if decision.ok:
            return Line(number, "", "follows", " ".join(decision.notes))
        if not decision.entries:
            return Line(number, "", "not understood", decision.problem)
        entry = next(entry for entry in decision.entries if not entry.ok)
        place = f" ({', '.join(str(i + 1) for i in entry.index)})" if entry.index else ""
        left, right = shown_pair(entry.yours, entry.ours)
        why = explained(Report(decision)).explanations if self.explain else ()
        sentences = [finding.sentence for finding in why[0]] if why else []
        reason = " ".join([f"{name}{place} is not the right value of {decision.quantity.title}.", *sentences])
        at = tuple(counterexample_values(decision))
        return Line(number, "", "does not follow", reason, (), at, left, right, True)

    def _from_own(self, key):
        """L or E as the learner's own T and V give it, or None."""
        T, V = self._own("T"), self._own("V")
        if key not in "LE" or T is None or V is None:
            return None
        return plus(T, minus(V)) if key == "L" else plus(T, V)

    def _own(self, key):
        """The learner's formula for an energy, or None."""
        return next((tree for name, tree in self.formulas.items() if ENERGIES.get(name) == key), None)

    def _energy_faults(self):
        return frozenset().union(*(lines for name, lines in self.faults.items() if name in ENERGIES))

    def _is_entry(self, name, right):
        match = _ENTRY.fullmatch(name)
        n, abbreviation = self.system.model.nv, isinstance(right, Function)
        return (match is not None and name not in self.vocabulary.names.parameters and not abbreviation
                and len(match[2]) == 1 + (match[1] in "HM") and all(1 <= int(d) <= n for d in match[2]))

    def _entry(self, number, name, tree):
        """H11 = ..., C1 = ...: compared with the right value of that entry."""
        match, inlined = _ENTRY.fullmatch(name), self._inlined(tree)
        key = ARRAYS[match[1]] + match[2]
        keys = (key, f"bias{match[2]}") if match[1] == "C" else (key,)
        for state in self.states:
            values, yours = known_values(state), self._value(inlined, state)
            keys = [k for k in keys if self._near(yours, values[k])] if state is not self.states[0] else keys
        faults = self._faults(tree)
        if keys and self._near(self._value(inlined, self.states[0]), known_values(self.states[0])[keys[0]]):
            found = Line(number, "", "follows")
        elif faults:
            found = Line(number, "", "follows", because=tuple(sorted(faults)))
        else:
            left, right = shown_pair(self._value(inlined, self.states[0]), known_values(self.states[0])[key])
            at = tuple((n, shown(x)) for n, x in state_values(self.states[0], ("q", "qd")))
            found = Line(number, "", "does not follow", f"{name} is not right.", (), at, left, right, True)
        self._define(name, tree, {number} if found.status != "follows" else found.because)
        return found

    def _near(self, a, b):
        return abs(a - b) <= self.tolerance * max(abs(a), abs(b), 1)

    # Everything else must hold

    def _identity(self, number, tree):
        left, right = self._inlined(tree.left), self._inlined(tree.right)
        residual, faults = difference(left, right), self._faults(tree)
        if any(isinstance(side, Matrix) for side in (left, right)):
            raise NotUnderstood("Matrices can be tested as H = ..., C = ..., g = ... only.")
        truly = not faults and self._holds(residual, self.states)
        for states in self._own_motions():
            if self._holds(residual, states):
                motion = frozenset() if truly else self._motion_faults(residual)
                return Line(number, "", "follows", because=tuple(sorted(faults | motion)))
        if truly or any(not faults and self._holds(residual, states) for states in self._true_motions()):
            rest = "" if not self._energy_faults() else "It is right, though it does not follow from your own energies."
            return Line(number, "", "follows", rest)
        because = self._from_wrong_lines(residual)
        self.wrong.append((because or {number}, residual))
        if because:
            return Line(number, "", "follows", because=tuple(sorted(because)))
        return self._counterexample(number, left, right, faults)

    def _motion_faults(self, residual):
        """All wrong lines, if a residual depends on forces or accelerations, which rest on the energies."""
        moved = any(s.startswith(("tau", "qdd")) for s in self.vocabulary.own_symbols(symbols(residual)))
        return self._energy_faults() if moved else frozenset()

    def _counterexample(self, number, left, right, faults):
        states = next(iter(self._own_motions()))
        residual = difference(left, right)
        state = next(s for s in states if not self._holds(residual, [s]))
        a, b = shown_pair(self._value(left, state), self._value(right, state))
        used = self.vocabulary.own_symbols(symbols(residual))
        at = tuple((name, shown(x)) for name, x in state_values(state) if name in used)
        rests = ", ".join(map(str, sorted(faults)))
        reason = f"It was compared with what follows from line {rests}. That is wrong already: mend it first."
        return Line(number, "", "does not follow", reason if faults else "", (), at, a, b)

    def _from_wrong_lines(self, residual):
        """The wrong lines of which this one is a consequence: its residual is the sum or difference of theirs."""
        states = next(iter(self._own_motions()))
        mine = [self._value(residual, state) for state in states]
        basis = []
        for roots, tree in self.wrong:
            highest = max((symbol.dots for symbol in symbols(tree)), default=0)
            parts = (tree, self.vocabulary.rate(tree)) if highest < 2 else (tree,)
            basis += [(roots, [self._value(part, state) for state in states]) for part in parts]
        basis = [(roots, signed) for roots, values in basis for signed in (values, [-x for x in values])]
        for i, (roots, values) in enumerate(basis):
            if all(map(self._near, mine, values)):
                return frozenset(roots)
            for others, more in basis[i + 1 :]:
                if all(self._near(x, y + z) for x, y, z in zip(mine, values, more, strict=True)):
                    return frozenset(roots) | frozenset(others)
        return frozenset()

    # States in which forces and accelerations fit together

    def _own_motions(self):
        """Lists of states whose motion follows from the learner's own L, if there is one; tau in either coordinates."""
        L = self._own("L") or self._from_own("L")
        if L is None or self.system.model.loops:
            yield from self._true_motions()
            return
        if id(L) not in self._motions:
            rates = [self._lagrange(L, y) for y in self.y]
            self._motions[id(L)] = L, [[self._moved(rates, state, own) for state in self.states]
                                       for own in self._conventions()]
        yield from self._motions[id(L)][1]

    def _true_motions(self):
        for own in self._conventions():
            yield [Altered(state, tau=self._in_y(state)) if own else state for state in self.states]

    def _conventions(self):
        return (True, False) if self.vocabulary.coordinates() else (False,)

    def _in_y(self, state):
        """The forces of a state in the learner's coordinates."""
        A, _ = self.vocabulary.jacobian(self.y, state)
        return solve_linear(A.T, state.tau)

    def _lagrange(self, L, y):
        rate = replace(y, dots=1)
        return plus(self.vocabulary.rate(differentiate(L, rate)), minus(differentiate(L, y)))

    def _moved(self, rates, state, own):
        """The state with the accelerations that the learner's L gives; if there are none, with its forces."""
        tau = self._in_y(state) if self.vocabulary.coordinates() else state.tau

        def forces(qdd):
            return np.array([self._value(rate, Altered(state, qdd=qdd)) for rate in rates], dtype=object)

        at_rest = forces(0 * state.qdd)
        H = np.array([forces(unit + 0 * state.qdd) - at_rest for unit in np.eye(len(state.qdd), dtype=object)]).T
        try:
            qdd = solve_linear(H, tau - at_rest)
        except (ValueError, ArithmeticError):
            qdd, tau = state.qdd, forces(state.qdd)
        return Altered(state, qdd=qdd, tau=tau if own or not self.vocabulary.coordinates() else state.tau)

    # Formulas

    def _holds(self, residual, states):
        return all(self._vanishes(residual, state) for state in states)

    def _vanishes(self, residual, state):
        parts = [self._value(term, state) for term in terms(residual)]
        return abs(sum(parts)) <= self.tolerance * max(map(abs, parts))

    def _value(self, tree, state):
        return evaluate(tree, self.vocabulary.values(state, symbols_in_order([tree])))

    def _inlined(self, tree):
        """The tree with what the learner defined put in, and its derivatives carried out."""
        used = symbols(tree)
        names = tuple(symbol.name for symbol in used)
        meanings = {symbol: self._meaning(symbol, names) for symbol in used}
        return carried_out(substitute(tree, meanings), self.vocabulary._moves)

    def _meaning(self, symbol, names):
        tree = self.formulas.get(compact(symbol.name))
        if tree is None:
            if compact(symbol.name) in ENERGIES and symbol.name not in self.vocabulary.names.parameters:
                raise UnknownSymbol(f"This line uses {symbol.name}, which no line above defines. Write {symbol.name} = "
                                    "... first.", symbol.name)
            found, dots = self.vocabulary._meaning(symbol, names)
            if not isinstance(found, Definition):
                return self._own_symbol(found, dots)
            if found.by == "given":
                return Symbol(found.name, dots)
            tree = self._inlined(found.tree)
        else:
            dots = symbol.dots
        for _ in range(dots):
            tree = self.vocabulary.rate(tree)
        return tree

    def _own_symbol(self, name, dots):
        """One spelling for each of the model's symbols: the rate of q1 is Symbol("q1", 1), not Symbol("qd1")."""
        match = re.fullmatch(r"q(d{1,2})(\d+)", name)
        if match and not self.vocabulary.names.shifted and name not in self.vocabulary.names.parameters:
            return Symbol(f"q{match[2]}", dots + len(match[1]))
        return Symbol(name, dots)
