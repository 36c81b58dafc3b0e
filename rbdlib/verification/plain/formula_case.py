"""Why a formula is wrong that is compared with another formula: what there is to try where there is no mechanism."""

import re
from dataclasses import replace
from functools import cached_property

import mpmath
import numpy as np

from rbdlib.verification.mechanics.states import DIGITS
from rbdlib.verification.reasons import diagnosis
from rbdlib.verification.reasons.case import MOST_PARTS, Case
from rbdlib.verification.reasons.edits import Edit, Pool
from rbdlib.verification.reasons.hypotheses import classes, of_parameters, other_values
from rbdlib.verification.reasons.rules import of_rules, simple
from rbdlib.verification.reasons.sentences import SENTENCES, Finding, entry_name
from rbdlib.verification.trees.calculus import minus
from rbdlib.verification.trees.expression import evaluate, expanded, postorder, symbols, terms, to_text
from rbdlib.verification.trees.nodes import ONE, TWO, Constant, Function, Number, Operation, Symbol, written_size

#: Up to so many symbols, each may have been taken for each other one, or exchanged with it.
_FEW = 8
_SQUARE = "Is the quantity asked for, or its square?"
#: Other readings of the answer: (kind, sentence, question, cost, the values from the right ones and the state).
_OF_THE_WHOLE = (
    ("inverse", "Your formula is one divided by the right one.",
     "Which quantity stands above the stroke, and which below?", 1.1, lambda x, state: 1 / x),
    ("square", "Your formula is the square of the right one.", _SQUARE, 1.1, lambda x, state: x**2),
    ("root", "Your formula is the square root of the right one.", _SQUARE, 1.1, lambda x, state: x**0.5))
_ROOT_OF_TWO = Function("sqrt", (TWO,))
#: Factors that get lost besides whole numbers.
_IRRATIONAL = (_ROOT_OF_TWO, Operation("/", (ONE, _ROOT_OF_TWO)), Constant("pi"), Operation("/", (ONE, Constant("pi"))))
#: Functions that are taken for one another.
_MISTAKEN = {"sin": ("cos", "tan"), "cos": ("sin", "tan"), "tan": ("sin", "cos"), "asin": ("acos", "atan"),
             "acos": ("asin", "atan"), "atan": ("asin", "acos"), "sinh": ("cosh", "sin"), "cosh": ("sinh", "cos")}


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

    #: Sentences about a change of one place, by its kind.
    sentences = {
        **SENTENCES,
        "sign": "{part} has the wrong sign in {term}.",
        "factor": "{part} is wrong by a constant factor. How often does it occur, and was a 2 or a half lost?",
        "function": "{part} is the wrong function in {term}. What is its value when the angle is zero?",
        "argument": "{part}: its argument is another one. Between which two lines is the angle measured?",
        "symbol": "{part} is not the right symbol in {term}. To what does it belong?",
        "power": "{part} stands in {term} with a wrong power: is an exponent or a root lost, or one too many?",
        "extra term": "{part} should not be there.",
        "missing term": "Something is missing in {part}, which would have to be added to it.",
        "velocity": "{part} in {term}: relative to what is that velocity measured?",
        "inverted": "{part} is upside down: what stands above the stroke belongs below it, and the reverse.",
        "number": "The number {part} is not right in {term}. Try the smallest case of which you know the result.",
        "numerical factor": "The factor {part} is not right in {term}. How often does the rest of it occur, and was a "
                            "2 or a half lost?",
    }

    def __init__(self, decision, reference, function=None):
        super().__init__(decision, function)
        self.reference = reference

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

    def missing_term(self, index, missing):
        """The term of the right formula that an entry lacks, a tree, or None."""
        right = self.reference.entries[index]
        for term in dict.fromkeys((*terms(right), *(expanded(right, 60) or ()))):
            values = self.combine([evaluate(term, self.known(state, tuple(symbols(term)))) for state in self.states])
            for sign in (1, -1):
                if all(abs(x - sign * y) <= self.tolerance * abs(y) for x, y in zip(missing, values, strict=True)):
                    return term if sign > 0 else Operation("neg", (term,))
        return None


class FormulaSearch(diagnosis.Search):
    """The search for explanations of one case."""

    def __init__(self, case):
        super().__init__(case)
        self.readable = [index for index in self.readable if written_size(case.trees[index]) <= MOST_PARTS]

    def _hypotheses(self):
        names = self.case.system.symbols if len(self.case.system.symbols) <= _FEW else ()
        return [*of_rules(self.case.system.model, self.case.quantity), *(simple(*row) for row in _OF_THE_WHOLE),
                *of_parameters({"length": names}),
                *(other_values("sign", f"{a} had the opposite sign", f"How is {a} counted?", 1.3, {a: (-1, a)})
                  for a in names)]

    def _by_two_hypotheses(self):
        """Not tried: with two symbols taken for others nearly anything can be explained."""

    def _of_entry(self, index):
        """Explanations of one entry: (cost, findings), by one change, by a term that is missing, or by two changes."""
        case, missing = self.case, self.missing[(slice(None), *index)]
        search, wanted = case.search(index), np.array(missing, dtype=float)
        term = case.missing_term(index, missing)
        found = self._right(index, [*search.single(wanted)[:20], *([Edit("missing term", term, 1.2)] if term else [])])
        return sorted(found or self._right(index, search.pairs(wanted), 5), key=lambda pair: pair[0])

    def _finding(self, edit, index):
        """The sentence about one change; of a number, or a term of a sum, with the part in which it stands."""
        network, place, kind = self.case.search(index).network, edit.node, edit.kind
        parent = next((network.nodes[at] for at in network.parents.get(id(place), ())), None)
        if parent and (isinstance(place, Number) or getattr(parent, "kind", "") == "+"):
            edit = replace(edit, term=parent)
        if kind == "factor" and isinstance(place, Number):
            edit = replace(edit, kind="number" if getattr(edit.term, "kind", "") == "+" else "numerical factor")
        found = replace(super()._finding(edit, index), kind=kind)
        sentence = found.sentence if place is None else re.sub(
            rf" in {re.escape(to_text(place))}(?=\.|,| with)", "", found.sentence)
        if len(self.wrong) == 1:
            sentence = sentence.removeprefix(f"In {entry_name(self.case, index)}: ")
        return replace(found, sentence=sentence)

    def _of_nothing(self, index, kinds):
        """Which symbols the right formula has and the answer has not, and the reverse."""
        said, case = "None of the usual mistakes, and no two of them, would explain your formula.", self.case
        if index in case.trees:
            has, right = (case.vocabulary.own_symbols(tuple(symbols(tree)))
                          for tree in (case.trees[index], case.reference.entries[index]))
            if more := sorted(right - has):
                said = f"Your formula does not contain {', '.join(more)}, on which the right one depends."
            elif less := sorted(has - right):
                said = f"Your formula contains {', '.join(less)}, on which the right one does not depend."
        return Finding("unknown", said, None, index)


def formula_explained(report, reference, answer=None):
    """A report with the reason why the answer is wrong, as far as it is found.

    reference: a `formulas.Reference`. answer: the answer itself; needed only if it is a Python function.
    """
    if report.ok or not report.understood:
        return report
    with mpmath.workdps(DIGITS), np.errstate(all="ignore"):
        search = FormulaSearch(FormulaCase(report.decision, reference, answer if callable(answer) else None))
        explanations = search.explanations()
        findings = explanations[0] if explanations else search.partial(())
    return replace(report, findings=tuple(findings), explanations=tuple(explanations))
