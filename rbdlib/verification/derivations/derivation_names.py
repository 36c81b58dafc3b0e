"""The names that the lines of a derivation define, and what they stand for in the model's symbols."""

import copy
import re
from fractions import Fraction

from rbdlib.verification.meaning.aliases import UnknownSymbol, compact
from rbdlib.verification.meaning.answer_lines import LETTERS, symbols_in_order
from rbdlib.verification.meaning.vocabulary import Definition
from rbdlib.verification.trees.calculus import carried_out, over
from rbdlib.verification.trees.nodes import ONE, Number, Operation, Symbol, fold, substitute, symbols, with_children

#: How energies may be called, and which is compared.
ENERGIES = {compact(letter): key for key in "TVLE" for letter in LETTERS[key] if letter not in ("K", "P")}


class OwnNames:
    """The names that the learner has defined so far.

    formulas: {compact name: (n, tree)}: the n-th power of the name, in most cases the first, is the tree, in nothing
    but the model's symbols and those of given; {Symbol with dots: (1, tree)} of rates that the learner wrote down
    wrongly; they count from there on.
    faults: {key of formulas: numbers of the wrong lines on which the formula rests}.
    places: {compact name: number of the line that defines it}.
    """

    def __init__(self, vocabulary):
        self.vocabulary = vocabulary
        self.formulas, self.faults, self.places, self._right = {}, {}, {}, {}

    def __contains__(self, name):
        return name in self.formulas

    def is_energy(self, name):
        """True if a compact name is that of an energy, and nothing else."""
        known = {*map(compact, self.vocabulary.names.parameters), *self.vocabulary.definitions}
        return name in ENERGIES and name not in known

    def define(self, name, tree, faults, power=1):
        """Learn what a name, or its power, stands for. faults: the wrong lines on which that rests."""
        new, first = self.inlined(tree), self.as_first_defined(tree)
        self.formulas[name], self.faults[name] = (power, new), frozenset(faults)
        if first is not None:
            self._right[name] = power, first

    def faults_of(self, tree):
        """The wrong lines on which the names in a tree rest."""
        return frozenset().union(*(self.faults.get(key, ()) for s in symbols(tree) for key in (compact(s.name), s)))

    def take_over(self, number, left, right):
        """From here on, what the learner wrote wrongly for a name of his own, or for its rate, counts."""
        base, power = (left, 1) if isinstance(left, Symbol) else as_power(left)
        name = compact(base.name) if power else ""
        if name in self and self.formulas[name][0] == power and left not in symbols(right):
            key = left if base.dots else name
            new = self.inlined(right)
            self._right.setdefault(key, self.formulas.get(key))
            self.formulas[key], self.faults[key] = (power, new), frozenset({number})

    def as_first_defined(self, tree):
        """The tree with everything put in as it was before wrong lines were taken over; None if there are no such."""
        if not self._right:
            return None
        first = copy.copy(self)
        first.formulas = {key: known for key, known in (self.formulas | self._right).items() if known}
        return first.inlined(tree)

    def inlined(self, tree):
        """The tree with what the learner defined put in, and its derivatives carried out."""
        tree = self.with_powers(tree)
        used = dict.fromkeys([*symbols_in_order([tree]), *sorted(symbols(tree), key=lambda s: (s.name, s.dots))])
        names = tuple(symbol.name for symbol in used)
        return carried_out(substitute(tree, {s: self.meaning(s, names) for s in used}), self.vocabulary._moves)

    def with_powers(self, tree):
        """The tree with v2^2 replaced by what it was defined to be."""
        def rule(node, parts):
            base, power = as_power(node)
            n, formula = self.formulas.get(compact(base.name), (1, None)) if power else (1, None)
            if n > 1 and power % n == 0:
                return formula if power == n else Operation("^", (formula, Number(Fraction(power // n))))
            return with_children(node, parts)

        return fold(tree, rule)

    def meaning(self, symbol, names):
        """The tree for which a symbol stands; names: those of the formula. Raises `UnknownSymbol`."""
        if symbol in self.formulas:
            return self.formulas[symbol][1]
        name, dots = compact(symbol.name), symbol.dots
        if name in self:
            n, tree = self.formulas[name]
            if n > 1:
                tree = Operation("^", (tree, over(ONE, Number(Fraction(n)))))
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
                match = re.fullmatch(r"q(d{1,2})(\d+)", found)
                if match and not self.vocabulary.names.shifted and found not in self.vocabulary.names.parameters:
                    found, dots = f"q{match[2]}", dots + len(match[1])
                return Symbol(found, dots)
            if found.by == "given":
                return Symbol(found.name, dots)
            tree = self.inlined(found.tree)
        for _ in range(dots):
            tree = self.vocabulary.rate(tree)
        return tree


def as_power(tree):
    """(symbol, n) of a tree that is a symbol without dots to a whole power above 1; (None, 0) of any other."""
    match tree:
        case Operation(kind="^", operands=(Symbol(dots=0) as base, Number(value=n))) if n in (2, 3, 4):
            return base, int(n)
    return None, 0
