"""An answer compared with a plain formula, without a mechanism: the same reading, decision, reasons and report.

    reference = Reference("sqrt(2*h/g)*(1 + e)/(1 - e)")
    print(verify_formula(reference, r"\\sqrt{\\frac{2h}{g}}\\,\\frac{1 - e}{1 + e}"))
"""

import contextlib
import itertools
import re
import zlib
from dataclasses import replace
from functools import cached_property

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
from rbdlib.verification.reasons import diagnosis
from rbdlib.verification.reasons.case import MOST_PARTS, Case
from rbdlib.verification.reasons.edits import Edit, Pool
from rbdlib.verification.reasons.hypotheses import MISTAKES, classes, of_parameters, of_rules, of_values, quietly, ruled
from rbdlib.verification.reasons.missing import inner_missing
from rbdlib.verification.reasons.sentences import SENTENCES, Finding, entry_name
from rbdlib.verification.reports.report import Report, explained
from rbdlib.verification.trees.calculus import minus
from rbdlib.verification.trees.expression import Matrix, Undefined, evaluate, expanded, postorder, symbols, to_text
from rbdlib.verification.trees.names import spelled
from rbdlib.verification.trees.nodes import ONE, TWO, Constant, Function, Number, Operation, Symbol, terms, written_size

#: Random values of symbols at which an answer is compared.
POINTS = 4
#: Values are drawn between these numbers, at the first point all positive, at the second all negative, then of any sign
#: (those of symbols that are declared to be positive are always so).
LEAST, MOST = 0.4, 1.9
#: Symbols that stand for whole numbers get these: large enough for 2 n and n² to differ, small enough for 2 to the n.
WHOLE = range(3, 11)
#: How many random states are looked at, and how many are drawn to find so many that agree with the conditions.
_TRIES, _DRAWS = 60, 3000
#: Up to so many symbols, each may have been taken for each other one, or exchanged with it.
_FEW = 8
#: Other readings of the answer, as mistakes.toml says them, from the right values and the state.
_OF_THE_WHOLE = {"inverse": lambda x, state: 1 / x, "square": lambda x, state: x**2, "root": lambda x, state: x**0.5}
_ROOT_OF_TWO = Function("sqrt", (TWO,))
#: Factors that get lost besides whole numbers.
_IRRATIONAL = (_ROOT_OF_TWO, Operation("/", (ONE, _ROOT_OF_TWO)), Constant("pi"), Operation("/", (ONE, Constant("pi"))))
#: Functions that are taken for one another.
_MISTAKEN = {"sin": ("cos", "tan"), "cos": ("sin", "tan"), "tan": ("sin", "cos"), "asin": ("acos", "atan"),
             "acos": ("asin", "atan"), "atan": ("asin", "acos"), "sinh": ("cosh", "sin"), "cosh": ("sinh", "cos")}


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
        self.system = Symbols(self.names)
        self._vocabulary = self.vocabulary()
        with mpmath.workdps(DIGITS):
            self.states(1)

    #: The shape of the formula's array, () for a single formula, and the `Quantity` that is verified.
    shape = property(lambda self: self.entries.shape)
    quantity = property(lambda self: Quantity("answer", "your formula", "", self.value))
    _symbols = property(lambda self: tuple(set().union(*map(symbols, self.entries.flat))))

    def vocabulary(self, given=None):
        """A new `FormulaVocabulary` of the formula's symbols."""
        return FormulaVocabulary(self, given)

    def value(self, state):
        """The formula's values in a `FormulaState`, an array of mpmath numbers. Raises `Undefined`."""
        known = self._vocabulary.values(state, self._symbols)
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
        for state in itertools.islice((s for s in drawn if self.where.hold(s.parameters)), _TRIES):
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

        values, nothing = {name: number(name) for name in self.names}, np.zeros(0, dtype=object)
        return FormulaState(self.system.at(values), values, nothing, nothing, nothing)


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
        return explained(Report(decision), answer)


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


class Symbols:
    """In the place of a `System`, and of its model: symbols that may have any value. parameters: {name: value}."""

    exact, nominal, nv, N_B, bodies, loops, names = True, {}, 0, 0, range(0), (), ()
    model = given = property(lambda self: self)

    def __init__(self, symbols, parameters=()):
        self.symbols, self.parameters = tuple(symbols), dict(parameters)

    def at(self, parameters, module=""):
        """The symbols with values, {name: number}, as a model with numbers has them."""
        return Symbols(self.symbols, parameters)

    def named(self, parameters, module=""):
        """All parameters: these."""
        return parameters


class FormulaState(State):
    """Values of symbols. parameters: {name: mpmath number}; there are no coordinates."""

    _motion = property(lambda self: (self.q, self.q))


class FormulaNames(Names):
    """The names of a formula's symbols, and other ways of writing them."""

    def __init__(self, system):
        self.model = self.system = system
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
        """(own name, dots) that a name stands for, or ("", 0)."""
        if name in self.own:
            return name, 0
        plain = _plain(name)
        alike = [self._plain[plain]] if plain in self._plain else [
            own for own in self.own if _plain(own).casefold() == plain.casefold()]
        return (alike[0] if len(alike) == 1 else "", 0)

    def rated(self, symbol):
        """The own name of a symbol with dots, such as qd1 for q1 with one dot; None if there is none."""
        return self.rates.get((_plain(self.find(symbol.name)[0] or symbol.name), symbol.dots))


def _plain(name):
    """A name as names are compared here: theta1, th_1 and \\theta_1 are one."""
    return re.sub(r"^(theta|vartheta)(?![a-z])", "th", re.sub(r"^(lambda|lamda)(?![a-z])", "lam", compact(name)))


class FormulaVocabulary(Vocabulary):
    """The meaning of the symbols of an answer that is compared with a formula."""

    names_of = FormulaNames
    names: FormulaNames
    searched_by = property(lambda self: FormulaSearch)

    def __init__(self, reference, given=None):
        self.reference = reference
        super().__init__(reference.system, given)

    def _meaning(self, symbol, used, by="answer", active=(), literal=True):
        if compact(symbol.name) not in self.definitions:
            own = self.names.rated(symbol) if symbol.dots else self.names.find(symbol.name)[0]
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
        return state.model.parameters[name]

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


# Mistakes at one place of a plain formula, besides what `edits` tries in formulas of mechanics


def _changes(node, parents, in_angle):
    """(kind, new part, cost) of changes of a part of a plain formula. parents: the parts in which it stands.
    in_angle: whether it stands within sine or cosine.
    """
    match node:
        case Operation(kind="+"):
            yield "power", Function("sqrt", (node,)), 1.35
        case Operation(kind="/"):
            yield "inverted", Operation("/", node.operands[::-1], span=node.span), 1.15
            yield "power", Function("sqrt", (node,)), 1.35
        case Function(name="sqrt"):
            yield "power", node.arguments[0], 1.25
        case Function() if node.name in _MISTAKEN:
            for name in _MISTAKEN[node.name]:
                yield "function", Function(name, node.arguments, span=node.span), 1.05 + 0.1 * (name == "tan")
        case Operation(kind="^", operands=(base, exponent)):
            yield "power", base, 1.3
            yield "power", Operation("^", (base, Operation("*", (TWO, exponent)))), 1.35
            yield "power", Operation("^", (base, Operation("neg", (exponent,)))), 1.35
        case Number() if node.value.denominator == 1 and any(isinstance(parent, Operation) for parent in parents):
            yield from (("number", Number(node.value + step), 1.4) for step in (1, -1) if node.value + step >= 0)
    if any(getattr(parent, "kind", "") == "+" for parent in parents):
        yield from (("factor", Operation("*", (factor, node)), 1.45) for factor in _IRRATIONAL)
        yield from [("sign", minus(node), 1.0)] * in_angle


# Explanations


class FormulaCase(Case):
    """A wrong answer laid out for finding out why it is wrong, where there is no mechanism but a right formula."""

    sentences = SENTENCES | MISTAKES["place in a formula"]
    reference = property(lambda self: self.vocabulary.reference)

    @cached_property
    def pool(self):
        """The `edits.Pool` of what may stand in the answer."""
        trees = [tree for tree in self.trees.values() if written_size(tree) <= MOST_PARTS]      # shared parts each time
        arguments = [node.arguments[0] for tree in (*self.reference.entries.flat, *trees) for node in postorder(tree)
                     if isinstance(node, Function) and node.name in ("sin", "cos")]
        inside = [part for tree in arguments for part in postorder(tree) if isinstance(part, Symbol)]
        names, angles = [*map(self.symbol, self.system.symbols)], list(dict.fromkeys([*arguments, *inside]))
        by_name = {symbol.name: symbol for symbol in names}
        plain = [symbol for symbol in names if symbol not in angles]
        alike = [tuple(by_name[name] for name in members) for members in classes(by_name).values()]
        kinds = [kind for kind in alike if len(kind) > 1]
        waves = [Function(name, (angle,)) for angle in angles for name in ("sin", "cos")]
        masses = tuple(symbol for kind in kinds for symbol in kind if symbol in plain)
        return Pool((*kinds, *([tuple(names)] if len(names) <= _FEW else [])), tuple(angles), (*names, *waves),
                    tuple(plain), masses, {}, more=_changes)

    def missing_terms(self, index, missing):
        """The term of the right formula that an entry lacks, an `Edit` in a list, or none."""
        right = self.reference.entries[index]
        for term in dict.fromkeys((*terms(right), *(expanded(right, 60) or ()))):
            values = self.combine([evaluate(term, self.known(state, tuple(symbols(term)))) for state in self.states])
            for sign in (1, -1):
                if all(abs(x - sign * y) <= self.tolerance * abs(y) for x, y in zip(missing, values, strict=True)):
                    return [Edit("missing term", term if sign > 0 else Operation("neg", (term,)), 1.2)]
        return []

    def of_edit(self, edit, index):
        """The sentence about one change; of a number, or a term of a sum, with the part in which it stands."""
        network, place, kind = self.search(index).network, edit.node, edit.kind
        parent = next((network.nodes[at] for at in network.parents.get(id(place), ())), None)
        if parent and (isinstance(place, Number) or getattr(parent, "kind", "") == "+"):
            edit = replace(edit, term=parent)
        if kind == "factor" and isinstance(place, Number):
            edit = replace(edit, kind="number" if getattr(edit.term, "kind", "") == "+" else "numerical factor")
        found = replace(super().of_edit(edit, index), kind=kind)
        sentence = found.sentence if place is None else re.sub(
            rf" in {re.escape(to_text(place))}(?=\.|,| with)", "", found.sentence)
        if np.sum(~self.fits(self.missing())) == 1:
            sentence = sentence.removeprefix(f"In {entry_name(self, index)}: ")
        return replace(found, sentence=sentence)

    def of_nothing(self, kinds, index):
        """Which symbols the right formula has and the answer has not, and the reverse."""
        said = "None of the usual mistakes, and no two of them, would explain your formula."
        if index in self.trees:
            has, right = (self.vocabulary.own_symbols(tuple(symbols(tree)))
                          for tree in (self.trees[index], self.reference.entries[index]))
            if more := sorted(right - has):
                said = f"Your formula does not contain {', '.join(more)}, on which the right one depends."
            elif less := sorted(has - right):
                said = f"Your formula contains {', '.join(less)}, on which the right one does not depend."
        return Finding("unknown", said, None, index)



class FormulaSearch(diagnosis.Search):
    """The search for explanations of one case."""

    case: FormulaCase
    case_of = FormulaCase

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.readable = [index for index in self.readable if written_size(self.case.trees[index]) <= MOST_PARTS]

    def _hypotheses(self):
        system = self.case.system
        names = system.symbols if len(system.symbols) <= _FEW else ()
        return [*of_rules(system, self.case.quantity), *(ruled("formula", *row) for row in _OF_THE_WHOLE.items()),
                *of_parameters({"length": names}),
                *(of_values("sign", {a: (-1, a)}, a=a) for a in names)]

    def _by_two_hypotheses(self):
        """Not tried: with two symbols taken for others nearly anything can be explained."""

    def _of_entry(self, index):
        """Explanations of one entry: (cost, findings), by one change, by a term that is missing, or by two changes; or
        else by a term that is missing in a divisor.
        """
        missing = self.missing[(slice(None), *index)]
        case, wanted = self.case, np.array(missing, dtype=float)
        search = case.search(index)
        found = self._right(index, [*search.single(wanted)[:20], *case.missing_terms(index, missing)])
        found = found or self._right(index, search.pairs(wanted), 5) or self._right(
            index, quietly(inner_missing, case, index, wanted) or ())
        return sorted(found, key=lambda pair: pair[0])
