"""An answer compared with a plain formula, without a model: the same reading, decision and diagnosis.

    reference = Reference("sqrt(2*h/g)*(1 + e)/(1 - e)")
    print(verify_formula(reference, r"\\sqrt{\\frac{2h}{g}}\\,\\frac{1 - e}{1 + e}"))
"""

import contextlib
import copy
import itertools
import re
import zlib

import mpmath
import numpy as np

from rbdlib.verification.decision.comparisons import Decision
from rbdlib.verification.decision.decide import Trial
from rbdlib.verification.meaning.aliases import Names, UnknownSymbol, compact
from rbdlib.verification.meaning.answer_lines import BadAnswer
from rbdlib.verification.meaning.vocabulary import Vocabulary
from rbdlib.verification.mechanics.basics import once_for_each
from rbdlib.verification.mechanics.quantities import Quantity
from rbdlib.verification.mechanics.states import DIGITS, State
from rbdlib.verification.notation.reading import read
from rbdlib.verification.plain.formula_case import formula_explained
from rbdlib.verification.reports.report import Report, source_of
from rbdlib.verification.trees.expression import Matrix, Symbol, Undefined, evaluate, symbols
from rbdlib.verification.trees.names import spelled

#: Random values of symbols at which an answer is compared.
POINTS = 4
#: Values are drawn between these numbers, at the first point all positive, at the second all negative, then of any sign
#: (those of symbols that are declared to be positive are always so).
LEAST, MOST = 0.4, 1.9
#: Symbols that stand for whole numbers get these: large enough for 2 n and n² to differ, small enough for 2 to the n.
WHOLE = range(3, 11)
#: How many random states are looked at, and how many are drawn to find so many that agree with the conditions.
_TRIES, _DRAWS = 60, 3000


# Conditions of a question on the numbers that its symbols stand for


class Conditions:
    """Conditions on the values of symbols, read from a text.

    They are separated by semicolons. "n, d whole": both count something. "0 < r < R, l < 2": chains with < alone, where
    each number or symbol must be smaller than those after the next <.

    whole, positive: sets of names.  names: all names.  Raises ValueError for a text that cannot be read.
    """

    def __init__(self, text=""):
        parts = [part.strip() for part in text.split(";") if part.strip()]
        self.whole = {name for part in parts if part.endswith(" whole") for name in _terms(part, part[:-6])}
        chains = [[_terms(part, side) for side in part.split("<")] for part in parts if not part.endswith(" whole")]
        self.pairs = [pair for chain in chains for left, right in itertools.pairwise(chain)
                      for pair in itertools.product(left, right)]
        self.positive = self.whole | {name for chain in chains if chain[0] == [0.0] for name in sum(chain[1:], [])}
        self.names = {term for term in {*self.whole, *itertools.chain(*self.pairs)} if isinstance(term, str)}
        self.positive &= self.names

    def hold(self, values):
        """True if values, {name: number}, agree with all inequalities."""
        return all(values.get(x, x) < values.get(y, y) for x, y in self.pairs)


def _terms(part, text):
    """The names and numbers between commas, a list of text and floats."""
    try:
        terms = [term if term.isidentifier() else float(term) for term in map(str.strip, text.split(","))]
    except ValueError:
        terms = []
    if not terms or part == text:
        raise ValueError(f'The condition "{part}" cannot be read. Write it like "n whole" or "0 < b < a".')
    return terms


# The right formula


class Reference:
    """The right formula, or an array of them, and the symbols that belong to it.

    formula: text, LaTeX, SymPy, a number, or a (nested) list or array of these.  symbols: names that an answer may
    contain besides those of the formula.  positive: names whose values are positive in every trial; None for all.
    seed: text or a whole number, for the random values.  where: what else the values must agree with, such as
    "n whole; b < a", see `Conditions`.

    entries: an array of trees.  names: all names.  Raises ValueError if the formula or the conditions cannot be read,
    or if the formula has no real value at ordinary values of its symbols.
    """

    def __init__(self, formula, symbols=(), positive=None, seed=0, where=""):
        self.seed, names = seed, names_in(formula)
        self.entries = _array(read(formula, names).trees)
        self.names = tuple(sorted({*(names or map(_written, self._symbols)), *symbols}))
        self.where = Conditions(where)
        self.positive = frozenset(self.names if positive is None else positive) | self.where.positive
        if not self.where.names <= {*self.names}:
            raise ValueError(f'The condition "{where}" is about {", ".join(sorted(self.where.names - {*self.names}))}, '
                             f"but the symbols are {', '.join(self.names)}.")
        self.system = System(self.names)
        self._vocabulary = self.vocabulary()
        with mpmath.workdps(DIGITS):
            self.states(1)

    #: The shape of the formula's array, () for a single formula, and the `Quantity` that is verified.
    shape = property(lambda self: self.entries.shape)
    quantity = property(lambda self: Quantity("answer", "your formula", "", self.value))
    _symbols = property(lambda self: tuple(set().union(*map(symbols, self.entries.flat))))

    def entry(self, index):
        """The `Reference` of one entry, with the symbols and random values of the whole."""
        new = copy.copy(self)
        new.entries = np.array(self.entries[index], dtype=object)
        return new

    def vocabulary(self, given=None):
        """A new `FormulaVocabulary` of the formula's symbols."""
        return FormulaVocabulary(self.system, given)

    def value(self, state):
        """The formula's values in a `FormulaState`, an array of mpmath numbers. Raises `Undefined`."""
        known = self._vocabulary.values(FormulaState.of(state.model.parameters), self._symbols)
        return np.array([evaluate(tree, known) for tree in self.entries.flat], dtype=object).reshape(self.shape)

    def states(self, count=POINTS, seed=0, decimals=None):
        """Random states (values of all symbols) in which the formula has a value, a list."""
        if len(found := list(itertools.islice(self.all_states(seed, decimals), count))) < count:
            raise ValueError(f"The formula has no real value at random values of its symbols {', '.join(self.names)}. "
                             "Say which of them must be positive.")
        return found

    def all_states(self, seed=0, decimals=None):
        """The states one by one, as many as there are."""
        drawn = (self._state(k, seed, decimals) for k in range(_DRAWS))
        for state in itertools.islice((s for s in drawn if self.where.hold(s.model.parameters)), _TRIES):
            try:
                self.value(state)
            except (Undefined, ZeroDivisionError):
                continue
            yield state

    @once_for_each
    def _state(self, k, seed, decimals):
        def number(name):
            whole = name in self.where.whole            # different ones at first: four tell cubic polynomials apart
            at = k // len(WHOLE) if whole else k
            rng = np.random.default_rng(zlib.crc32(f"{self.seed}|{seed}|{name}|{at}".encode()))
            if whole:
                return mpmath.mpf(int(rng.permutation(WHOLE)[k % len(WHOLE)]))
            size, negative = rng.uniform(LEAST, MOST), k == 1 or rng.random() < 0.5
            size = mpmath.mpf(size if decimals is None else f"{size:.{decimals}f}")
            return -size if negative and k > 0 and name not in self.positive else size

        return FormulaState.of({name: number(name) for name in self.names})


def verify_formula(reference, answer):
    """Verify a formula by comparison with the right one, a `Reference`, and say why it is wrong.

    answer: as for `report.verify`. Returns a `report.Report`.
    """
    with mpmath.workdps(DIGITS):
        vocabulary = reference.vocabulary()
        try:
            decision = FormulaTrial(reference, answer, vocabulary).decide()
        except ValueError as error:                     # Unreadable, UnknownSymbol, BadAnswer
            decision = Decision(False, reference.quantity, str(error), vocabulary=vocabulary)
        return formula_explained(Report(decision, (), source_of(answer, decision)), reference, answer)


def _array(trees):
    """The formulas of a reference as an array of trees; a column becomes a vector."""
    if len(trees) != 1:
        raise ValueError(f"The reference has {len(trees)} formulas on lines of their own. Give them as a list.")
    entries = np.array(trees[0].rows if isinstance(trees[0], Matrix) else trees[0], dtype=object)
    return entries[:, 0] if entries.shape[1:] == (1,) else entries


def names_in(formula):
    """The names of the SymPy symbols in a formula, as their author wrote them, a set; empty for text."""
    if isinstance(formula, (list, tuple, np.ndarray)):
        return set().union(*map(names_in, formula))
    return {str(symbol) for symbol in getattr(formula, "free_symbols", ())}


def _written(symbol):
    """The name of a symbol with its dots spelt out: qd1, theta_ddot."""
    if not symbol.dots:
        return symbol.name
    dots = "d" * symbol.dots
    match = re.fullmatch(r"q(\d*)", symbol.name)
    return f"q{dots}{match[1]}" if match else f"{symbol.name}_{dots}ot"


# Stand-ins for a mechanism and its states


class _Numbers:
    """In the place of a model with numbers for its parameters: the numbers alone, and gravity if it is among them."""

    nv, N_B, bodies, loops, names = 0, 0, range(0), (), ()

    def __init__(self, parameters):
        self.parameters = parameters


class System:
    """In the place of a mechanism: symbols that may have any value. symbols: their names."""

    exact, nominal = True, {}

    def __init__(self, names):
        self.symbols, self.model = tuple(names), _Numbers({})
        self.given = self.model

    def at(self, parameters, module=""):
        """The numbers in the place of a model with these parameters, {name: number}."""
        return _Numbers(parameters)

    def named(self, parameters, module=""):
        """All parameters: these."""
        return parameters


class FormulaState(State):
    """Values of symbols. parameters: {name: mpmath number}; there are no coordinates."""

    _motion = property(lambda self: (self.q, self.q))

    @classmethod
    def of(cls, parameters):
        """The state in which symbols have these values, {name: number}."""
        nothing = np.zeros(0, dtype=object)
        return cls(_Numbers(parameters), parameters, nothing, nothing, nothing)


class FormulaNames(Names):
    """The names of a formula's symbols, and other ways of writing them."""

    def __init__(self, system):
        self.model, self.system = system.model, system
        self.parameters = list(system.symbols)
        self.own = set(system.symbols)
        self.coordinates, self.q, self._n_c, self.shifted, self.rates = [], [], 0, False, {}
        self._plain = {_plain(name): name for name in system.symbols}
        for name in system.symbols:
            base, dots = spelled(name, ())
            match = re.fullmatch(r"([A-Za-z]+?)(d{1,2})(_?\d*)", name)
            if not dots and match and _plain(match[1] + match[3]) in self._plain:
                base, dots = match[1] + match[3], len(match[2])
            if dots:
                self.rates[_plain(base), dots] = name

    def find(self, name, used=()):
        """(own name, dots) that a name stands for, or None."""
        if name in self.own:
            return name, 0
        plain = _plain(name)
        alike = [self._plain[plain]] if plain in self._plain else [
            own for own in self.own if _plain(own).casefold() == plain.casefold()]
        return (alike[0], 0) if len(alike) == 1 else None

    def rated(self, symbol):
        """The own name of a symbol with dots, such as qd1 for q1 with one dot; None if there is none."""
        base = self.find(symbol.name)
        return self.rates.get((_plain(base[0] if base else symbol.name), symbol.dots))


def _plain(name):
    """A name as names are compared here: theta1, th_1 and \\theta_1 are one."""
    return re.sub(r"^(theta|vartheta)(?![a-z])", "th", re.sub(r"^(lambda|lamda)(?![a-z])", "lam", compact(name)))


class FormulaVocabulary(Vocabulary):
    """The meaning of the symbols of an answer that is compared with a formula."""

    names_of = FormulaNames
    names: FormulaNames

    def _meaning(self, symbol, used, by="answer", active=(), literal=True):
        if compact(symbol.name) not in self.definitions:
            own = self.names.rated(symbol) if symbol.dots else (self.names.find(symbol.name) or ("",))[0]
            if own:
                return own, 0
        meaning, dots = super()._meaning(symbol, used, by, active, literal)
        if dots and not hasattr(meaning, "tree"):
            raise self._unknown(symbol, used)
        return meaning, dots

    def _unknown(self, symbol, used):
        name, near = _written(symbol), self.names.near(_written(symbol), used)
        hint = f" Did you mean {near[0]}?" if near else ""
        what = (f"which is not among those of this formula; they are {self.names.listed()}.{hint}" if self.names.own
                else "but numbers are wanted here: put in what is given.")
        return UnknownSymbol(f"Your answer contains the symbol {name}, {what}", name, near)

    def own_value(self, name, dots, state):
        """The value of an own name in a `FormulaState`."""
        return state.parameters[name]

    def coordinates(self):
        """There are no coordinates: None."""

    def _moves(self, symbol):
        return self.names.rated(Symbol(symbol.name, symbol.dots + 1)) is not None


# Deciding


class FormulaTrial(Trial):
    """Decides about one answer by the values of the reference.

    everywhere: False once the answer was found to have no value in some states in which the reference has one.
    """

    everywhere, array = True, None

    def __init__(self, reference, answer, vocabulary):
        self.reference = reference
        super().__init__(reference.system.model, reference.quantity, answer, vocabulary, 0)

    def decide(self):
        """The `Decision`. Raises ValueError where the answer cannot be compared."""
        try:
            return super().decide()
        except BadAnswer:
            if self.array is None or len(self._defined()) < POINTS:
                raise
            self.everywhere = False                     # it is wrong, and where it has values one can see why
            decision = super().decide()
            if decision.ok:
                raise
            return decision

    def prepare(self, shape):
        """Sort the lines of the answer; once, since the definitions in it count from then on."""
        if self.array is None:
            super().prepare(shape)

    def states(self, values=None, count=POINTS, decimals=None, seed=None, far=()):
        """Random states in which the reference has a value; arguments as for `Trial.states`, as far as they matter."""
        return (self.reference.states if self.everywhere else self._defined)(count, seed or 0, decimals)

    def _defined(self, count=POINTS, seed=0, decimals=None):
        """States in which the answer has a value, too: a list, which may be too short."""
        found = []
        for state in self.reference.all_states(seed, decimals):
            with contextlib.suppress(ValueError):
                self.values(state)
                found.append(state)
        return found[:count]
