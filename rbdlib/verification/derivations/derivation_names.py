"""The names that the lines of a derivation define, and the forces that they introduce and do not determine at once."""

import copy
import re
from collections import namedtuple
from dataclasses import replace

import numpy as np

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.verification.derivations.derivation_motions import own_motions
from rbdlib.verification.derivations.line_reasons import why_contradictory
from rbdlib.verification.derivations.steps import FORCE, differs, follows, numbered
from rbdlib.verification.meaning.aliases import UnknownSymbol, compact
from rbdlib.verification.meaning.answer_lines import LETTERS, BadAnswer, symbols_in_order
from rbdlib.verification.meaning.definitions import Definition, as_power, root, with_matrices
from rbdlib.verification.reports.report_text import listed
from rbdlib.verification.trees.calculus import carried_out, difference, differentiate, minus, plus, power
from rbdlib.verification.trees.expression import Derivative, Equation, Number, Operation, Symbol, evaluate, terms
from rbdlib.verification.trees.nodes import ONE, TWO, ZERO, Matrix, derivative, fold, substitute, symbols, with_children

#: A line that says what a name is.
_LEFT = re.compile(r"[\s$]*\\?([A-Za-z][A-Za-z0-9]*(?:_\{?\w+\}?)?)\s*&?=")
#: How momenta are called.
MOMENTUM = re.compile("p(?!hi|si|ow)")
_RANK = 1e-20
#: Names of whole vectors and matrices that are compared, and of their entries.
ARRAYS = {"H": "H", "M": "H", "D": "H", "C": "C", "g": "g", "G": "g", "bias": "bias", "tau": "tau", "qdd": "qdd",
          "taug": "tau_g"}
ENTRY = re.compile(r"[HMD]\d\d|(?:C|g|G|bias|tau|qdd)\d")
#: How energies may be called, and which is compared.
ENERGIES = {compact(letter): key for key in "TVLE" for letter in LETTERS[key] if letter not in ("K", "P")}


_LOOK = "Look at the directions of the forces, and at which line each acts on which body."


class Own(namedtuple("Own", "power tree faults written", defaults=(None,))):
    """A name of the learner's own: to a power, in most cases 1, it is a tree in the symbols of the model and of given.

    faults: numbers of the wrong lines on which that rests.  written: the tree as the learner wrote it.
    """


class OwnNames:
    """The names that the learner has defined so far.

    formulas: {compact name, or `Symbol` with dots of a rate that the learner wrote down wrongly: `Own`}.
    places: {compact name: number of the line that defines it}.
    """

    def __init__(self, vocabulary):
        self.vocabulary, self.formulas, self.places, self._right = vocabulary, {}, {}, {}
        self.ahead, self.written, self._lost, self.arrays, self._called = set(), (), {}, {}, {}
        for name, known in [*vocabulary.definitions.items()]:       # given: k = T; D = H
            meant = known.tree.name if isinstance(known.tree, Symbol) else ""
            if known.by == "given" and meant not in vocabulary.names.own and (
                    compact(meant) in {*ENERGIES, *ARRAYS} or ENTRY.fullmatch(compact(meant))):
                self._called[name] = meant
                vocabulary.forget(name)

    beside = property(lambda self: tuple(s.name for s in self.written), doc="The names of the symbols written.")

    def __contains__(self, name):
        return name in self.formulas

    def knows(self, symbol):
        """True if a line says what a `Symbol` is, or that of which it is a rate."""
        return any(key in self.formulas for key in _keys(symbol))

    def lose(self, text, number):
        """Note that a line that is not understood would say what a name is."""
        match, names = _LEFT.match(text), self.vocabulary.names
        name = compact(match[1]) if match else ""
        if name and name not in self.formulas and names.find(name)[0] not in {*names.q, name}:
            self._lost[name] = number

    def awaits_no_more(self, name):
        """Note that a compact name is one of the learner's coordinates from here on."""
        self.ahead.discard(name)
        self._lost.pop(name, None)

    def awaits(self, name):
        """True if a line says what a compact name is, but was not understood or comes further below."""
        return name in self.ahead or name in self._lost

    def renamed(self, tree):
        """The tree with the usual letters for the energies and matrices that given calls otherwise."""
        def rule(node, parts):
            name = compact(node.name) if isinstance(node, Symbol) else ""
            letter = name.rstrip("0123456789")
            usual = self._called.get(name) or self._called.get(letter, self._called.get(letter.upper(), "")) + name[
                len(letter):]
            known = name and (usual in ENERGIES or usual in ARRAYS or ENTRY.fullmatch(usual))
            return replace(node, name=usual) if known else with_children(node, parts)

        return fold(tree, rule) if self._called else tree

    def with_arrays(self, tree):
        """The equations that an equation is once names of vectors and matrices are replaced by these."""
        known = {s: derivative(self.arrays[compact(s.name)], times=s.dots) if s.dots else self.arrays[compact(s.name)]
                 for s in symbols(tree) if compact(s.name) in self.arrays}
        tree = with_matrices(tree, known) if known else tree
        left, right = tree.parts
        if isinstance(left, Matrix) and (right == ZERO or getattr(right, "shape", None) == left.shape):
            parts = right.parts if isinstance(right, Matrix) else len(left.parts) * [ZERO]
            return [Equation(a, b) for a, b in zip(left.parts, parts, strict=True)]
        return [tree]

    def is_energy(self, name):
        """True if a compact name is that of an energy, and nothing else."""
        known = {*map(compact, self.vocabulary.names.parameters), *self.vocabulary.definitions,
                 *self.vocabulary.unknowns}
        return name in ENERGIES and name not in known

    def energy(self, key):
        """The learner's formula for an energy, or None."""
        return next((own.tree for name, own in self.formulas.items()
                     if ENERGIES.get(name) == key and own.power == ONE), None)

    def from_energies(self, key):
        """L or E as the learner's own T and V give it, or None."""
        T, V = (self.energy(letter) for letter in "TV")
        return None if key not in ("L", "E") or T is None or V is None else plus(T, minus(V) if key == "L" else V)

    def energy_faults(self):
        """The wrong lines on which the learner's energies rest."""
        return frozenset().union(*(own.faults for name, own in self.formulas.items() if name in ENERGIES))

    def is_definition(self, key, tree):
        """True for T - V as L, or T + V as E, where no line has said yet what T or V is."""
        names = {s: ENERGIES[compact(s.name)] for s in symbols(tree) if self.is_energy(compact(s.name))}
        if {*names} != symbols(tree) or {*names.values()} != {*"TV"} or all(map(self.energy, "TV")):
            return False
        return evaluate(tree, {s: {"T": 7, "V": 3}[letter] for s, letter in names.items()}) == (4 if key == "L" else 10)

    def define(self, name, tree, faults, power=ONE):
        """Learn what a name, or its power, stands for. faults: the wrong lines on which that rests."""
        new, first = self.inlined(tree), self.as_first_defined(tree)
        self.formulas[name] = Own(power, new, frozenset(faults), tree)
        if first is not None:
            self._right[name] = Own(power, first, frozenset())

    def faults_of(self, tree):
        """The wrong lines on which the names in a tree rest."""
        names = {compact(s.name) for s in symbols(tree)} - self.formulas.keys()
        return frozenset().union(*(self.formulas[key].faults for s in symbols(tree) for key in _keys(s)
                                   if key in self.formulas), *(self.energy_faults() for _ in names & {*ENERGIES}))

    def take_over(self, number, left, right):
        """From here on, what the learner wrote wrongly for a name of his own, or for its rate, counts."""
        base, power = (left, ONE) if isinstance(left, Symbol) else as_power(left) or (None, ONE)
        known = self.formulas.get(compact(base.name)) if base else None
        if base and known and known.power == power and left not in symbols(right):
            key = left if base.dots else compact(base.name)
            self._right.setdefault(key, self.formulas.get(key))
            self.formulas[key] = Own(power, self.inlined(right), frozenset({number}), known.written)

    def as_first_defined(self, tree):
        """The tree with everything put in as it was before wrong lines were taken over; None if there are no such."""
        first = copy.copy(self)
        first.formulas = {key: known for key, known in (self.formulas | self._right).items() if known}
        return first.inlined(tree) if self._right else None

    def inlined(self, tree):
        """The tree with what the learner defined put in, and its derivatives carried out."""
        tree = self.with_powers(self._by_momenta(tree))
        used = dict.fromkeys([*symbols_in_order([tree]), *sorted(symbols(tree), key=lambda s: (s.name, s.dots))])
        names = (*(symbol.name for symbol in used), *self.beside)
        return carried_out(substitute(tree, {s: self.meaning(s, names) for s in used}), self.vocabulary._moves)

    def _by_momenta(self, tree):
        """The tree with partial derivatives carried out in which momenta, p_theta = ..., are variables of their own."""
        momenta = {name for name, own in self.formulas.items()
                   if isinstance(name, str) and MOMENTUM.match(name) and any(s.dots for s in symbols(own.tree))}

        def rule(node, parts):
            changed = with_children(node, parts)
            if not isinstance(node, Derivative) or not isinstance(node.by, Symbol):
                return changed
            if isinstance(node.of, Symbol) and not node.by.dots and (path := self._along(node.of, node.by)):
                return path
            of = changed.of
            for _ in range(8 if momenta else 0):                          # names, and the names in what they stand for
                of = substitute(of, {s: self.formulas[name].written for s in symbols(of) if not s.dots
                                     and (name := compact(s.name)) in self.formulas and name not in momenta})
            return differentiate(of, node.by) if momenta & {compact(s.name) for s in symbols(of)} else changed

        return fold(tree, rule)

    def _along(self, rate, coordinate):
        """theta''/theta' for d omega/d theta, where omega is theta'; None for other derivatives."""
        q = self.meaning(coordinate, self.beside)
        moved = isinstance(q, Symbol) and self.meaning(rate, self.beside) == Symbol(q.name, 1)
        return Operation("/", (Symbol(q.name, 2), Symbol(q.name, 1))) if moved else None

    def with_powers(self, tree):
        """The tree with v2^2 replaced by what it was defined to be."""
        def rule(node, parts):
            base, exponent = as_power(node) or (None, ONE)
            own = self.formulas.get(compact(base.name)) if base else None
            if own and own.power != ONE and exponent.value % own.power.value == 0:
                return power(own.tree, Number(exponent.value / own.power.value))
            return with_children(node, parts)

        return fold(tree, rule)

    def meaning(self, symbol, names):
        """The tree for which a symbol stands; names: those of the formula. Raises `UnknownSymbol`."""
        if symbol in self.formulas:
            return self.formulas[symbol].tree
        name, dots = compact(symbol.name), symbol.dots
        rates = [key for key in _keys(symbol)[1:] if key in self.formulas]
        if own := self.formulas.get(name):
            tree = own.tree if own.power == ONE else root(own.tree, own.power)
        elif rates:                                     # the velocity of a point that has no position
            tree, dots = self.formulas[rates[-1]].tree, dots - rates[-1].dots
        elif name in self._lost:
            raise UnknownSymbol(f"This line uses {symbol.name}, and line {self._lost[name]}, which says what that is, "
                                "is not understood.", symbol.name)
        elif name in self.ahead:
            raise UnknownSymbol(f"This line uses {symbol.name}. Write above it what {symbol.name} is.", symbol.name)
        elif self.is_energy(name) and (found := self.from_energies(ENERGIES[name])) is not None:
            tree = found
        elif self.is_energy(name):
            words = dict(T="the kinetic energy", V="the potential energy", L="the Lagrangian", E="the energy")[
                ENERGIES[name]]
            raise UnknownSymbol(
                f"This line uses {symbol.name}, which is taken for {words}, and no line above defines it. Write "
                f"{symbol.name} = ... first. If you mean something else, say so: given=\"{symbol.name} = ...\".",
                symbol.name)
        else:
            found, dots = self.vocabulary._meaning(symbol, names)
            if not isinstance(found, Definition):        # one spelling: the rate of q1 is Symbol("q1", 1), not qd1
                return Symbol(*self.vocabulary.dotted(found, dots))
            if found.by == "given":
                return Symbol(found.name, dots)
            tree = self.inlined(found.tree)
        for _ in range(dots):
            tree = self.vocabulary.rate(tree)
        return tree


def _keys(symbol):
    """The keys in `OwnNames.formulas` of what may say what a `Symbol` is: its name, and rates up to its own."""
    return [compact(symbol.name), *(Symbol(symbol.name, dots) for dots in range(1, symbol.dots + 1))]


class Unknowns:
    """The lines with unknown forces in them, which together must have a solution in every state."""

    def __init__(self, derivation):
        self.derivation, self.lines = derivation, []

    def of(self, *trees):
        """The unknown forces of equations, `Symbol`s in the order of their names."""
        return sorted({s for tree in trees for s in symbols(tree) if self._is_unknown(s)}, key=lambda s: s.name)

    def pending(self):
        """The unknown forces of the lines so far."""
        return self.of(*(tree for _, tree in self.lines))

    def _is_unknown(self, symbol):
        name, own, vocabulary = compact(symbol.name), self.derivation.own, self.derivation.vocabulary
        if symbol.dots or name in own:
            return False
        if name in vocabulary.unknowns or (name not in vocabulary.names.own
                                           and vocabulary.names.find(symbol.name)[0].startswith("lam")):
            return True
        if not FORCE.fullmatch(name):
            return False
        if re.fullmatch(r"S\d", name):
            return not self.derivation.abbreviates       # S1 is the sine of q1 only where there is a C1, too
        try:
            own.meaning(symbol, ())
        except UnknownSymbol:
            return not own.is_energy(name) and not own.awaits(name)
        return False

    def judge(self, tree):
        """The `Line` about an equation with unknown forces."""
        mine, before, everything = self.of(tree), self.pending(), [*self.lines, (self.derivation.number, tree)]
        unknown = self.of(*(t for _, t in everything))
        for state in own_motions(self.derivation)[0]:
            A, b = self._system([t for _, t in everything], unknown, state)
            if eliminate(np.column_stack([A, b]), _RANK).rank != eliminate(A, _RANK).rank:
                others, common = [k for k, t in self.lines if set(self.of(t)) & set(mine)], listed(s.name for s in mine)
                reason = (f"It contradicts {numbered(others)}, with which it has {common} in common." if others else
                          f"No value of {common} makes it hold.")
                found = why_contradictory(self.derivation, everything, unknown)
                return differs(f"{reason} {found or _LOOK}")
        new, faults = [s.name for s in mine if s not in before], self.derivation.own.faults_of(tree)
        self.lines = everything
        if not new:
            return follows(f"It fits the lines above that contain {', '.join(s.name for s in mine)}.", faults)
        meant = "is taken for an unknown force" if len(new) == 1 else "are taken for unknown forces"
        return follows(f"{listed(new)} {meant}, which your lines together must determine.", faults)

    def _system(self, equations, unknown, state):
        """A and b of equations, as A x + b = 0 in the unknowns, scaled. Raises BadAnswer if they are not linear."""
        def parts(tree, values):
            inlined = self.derivation.own.inlined(substitute(tree, {s: values.get(s, ZERO) for s in unknown}))
            return [self.derivation.value(term, state) for term in terms(inlined)]

        rows = []
        for equation in equations:
            tree = difference(equation.left, equation.right)
            at_zero = parts(tree, {})
            rest, row = sum(at_zero), [sum(parts(tree, {s: ONE})) - sum(at_zero) for s in unknown]
            if any(abs(sum(parts(tree, {s: TWO})) - rest - 2 * x) > 1e-25 * (1 + abs(x))
                   for s, x in zip(unknown, row, strict=True)):
                raise BadAnswer("This line is not linear in the unknown forces; solve it for one of them first.")
            size = max(map(abs, (*row, *at_zero))) or 1
            rows.append([x / size for x in (*row, rest)])
        found = np.array(rows, dtype=object)
        return found[:, :-1], found[:, -1:]
