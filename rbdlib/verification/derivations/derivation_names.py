"""The names that the lines of a derivation define, and what they stand for in the model's symbols."""

import re
from fractions import Fraction

from rbdlib.verification.meaning.aliases import UnknownSymbol, compact
from rbdlib.verification.meaning.answer_lines import LETTERS, symbols_in_order
from rbdlib.verification.meaning.vocabulary import Definition
from rbdlib.verification.trees.expression import (
    Number,
    Operation,
    Symbol,
    carried_out,
    children,
    postorder,
    substitute,
    symbols,
    with_children,
)

#: How energies may be called, and which is compared.
ENERGIES = {compact(letter): key for key in "TVLE" for letter in LETTERS[key] if letter not in ("K", "P")}


class OwnNames:
    """The names that the learner has defined so far.

    formulas: {compact name: tree}, in nothing but the model's symbols and those of given.
    powers: {compact name: (n, tree)} of names of which the n-th power was defined, such as v2^2.
    rates: {Symbol with dots: tree} of rates that the learner wrote down wrongly; they count from there on.
    faults: {compact name, or such a Symbol: numbers of the wrong lines on which its formula rests}.
    places: {compact name: number of the line that defines it}.
    """

    def __init__(self, vocabulary):
        self.vocabulary = vocabulary
        self.formulas, self.powers, self.rates, self.faults, self.places, self._right = {}, {}, {}, {}, {}, {}

    def __contains__(self, name):
        return name in self.formulas or name in self.powers

    def is_energy(self, name):
        """True if a compact name is that of an energy, and nothing else."""
        known = {*map(compact, self.vocabulary.names.parameters), *self.vocabulary.definitions}
        return name in ENERGIES and name not in known

    def all(self):
        """Every compact name that is defined, a set."""
        return {*self.formulas, *self.powers}

    def define(self, name, tree, faults, power=1):
        """Learn what a name, or its power, stands for. faults: the wrong lines on which that rests."""
        into = self.formulas if power == 1 else self.powers
        new, first = self.inlined(tree), self.as_first_defined(tree)
        into[name], self.faults[name] = new if power == 1 else (power, new), frozenset(faults)
        if first is not None:
            self._right[name] = into, first if power == 1 else (power, first)

    def faults_of(self, tree):
        """The wrong lines on which the names in a tree rest."""
        used = symbols(tree)
        return frozenset().union(*(self.faults.get(compact(s.name), ()) for s in used),
                                 *(self.faults.get(s, ()) for s in used))

    def take_over(self, number, left, right):
        """From here on, what the learner wrote wrongly for a name of his own, or for its rate, counts."""
        base, power = as_power(left)
        name = compact(base.name) if power else ""
        if power and name in self.powers and self.powers[name][0] == power:
            self._replace(self.powers, name, (power, self.inlined(right)), number)
        elif isinstance(left, Symbol) and compact(left.name) in self.formulas and left not in symbols(right):
            key, into = (left, self.rates) if left.dots else (compact(left.name), self.formulas)
            self._replace(into, key, self.inlined(right), number)

    def _replace(self, into, key, new, number):
        self._right.setdefault(key, (into, into.get(key)))
        into[key], self.faults[key] = new, frozenset({number})

    def as_first_defined(self, tree):
        """The tree with everything put in as it was before wrong lines were taken over; None if there are no such."""
        if not self._right:
            return None
        wrong = {key: into.get(key) for key, (into, _) in self._right.items()}
        try:
            for key, (into, first) in self._right.items():
                _put(into, key, first)
            return self.inlined(tree)
        finally:
            for key, (into, _) in self._right.items():
                _put(into, key, wrong[key])

    def inlined(self, tree):
        """The tree with what the learner defined put in, and its derivatives carried out."""
        tree = self.with_powers(tree)
        used = in_order(tree)
        names = tuple(symbol.name for symbol in used)
        meanings = {symbol: self.meaning(symbol, names) for symbol in used}
        return carried_out(substitute(tree, meanings), self.vocabulary._moves)

    def with_powers(self, tree):
        """The tree with v2^2 replaced by what it was defined to be."""
        new = {}
        for node in postorder(tree):
            base, power = as_power(node)
            n, formula = self.powers.get(compact(base.name), (0, None)) if power else (0, None)
            changed = with_children(node, [new[id(child)] for child in children(node)])
            if n and power % n == 0:
                changed = formula if power == n else Operation("^", (formula, Number(Fraction(power // n))))
            new[id(node)] = changed
        return new[id(tree)]

    def meaning(self, symbol, names):
        if symbol in self.rates:
            return self.rates[symbol]
        tree = self.formulas.get(compact(symbol.name))
        if compact(symbol.name) in self.powers:
            n, formula = self.powers[compact(symbol.name)]
            tree = Operation("^", (formula, Operation("/", (Number(Fraction(1)), Number(Fraction(n))))))
        if tree is None:
            if self.is_energy(compact(symbol.name)):
                words = {"T": "the kinetic energy", "V": "the potential energy", "L": "the Lagrangian",
                         "E": "the energy"}[ENERGIES[compact(symbol.name)]]
                raise UnknownSymbol(
                    f"This line uses {symbol.name}, which is taken for {words}, and no line above defines it. Write "
                    f"{symbol.name} = ... first. If you mean something else, say so: given=\"{symbol.name} = ...\".",
                    symbol.name)
            found, dots = self.vocabulary._meaning(symbol, names)
            if not isinstance(found, Definition):
                return self._own_symbol(found, dots)
            if found.by == "given":
                return Symbol(found.name, dots)
            tree = self.inlined(found.tree)
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


def _put(into, key, value):
    if value is None:
        into.pop(key, None)
    else:
        into[key] = value


def in_order(tree):
    """The symbols of a tree in the order in which they are written."""
    written = {symbol: place for place, symbol in enumerate(symbols_in_order([tree]))}
    return sorted(symbols(tree), key=lambda s: (written.get(s, len(written)), s.name, s.dots))


def as_power(tree):
    """(symbol, n) of a tree that is a symbol without dots to a whole power above 1; (None, 0) of any other."""
    if isinstance(tree, Operation) and tree.kind == "^" and isinstance(tree.operands[0], Symbol) and isinstance(
            tree.operands[1], Number) and tree.operands[1].value in (2, 3, 4) and not tree.operands[0].dots:
        return tree.operands[0], int(tree.operands[1].value)
    return None, 0
