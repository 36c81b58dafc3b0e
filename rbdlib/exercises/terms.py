"""Which term of a formula is wrong: found by changing one term at a time and looking whether the numbers come right."""

import difflib
import math
import sys

import numpy as np

from rbdlib.exercises.answers import short
from rbdlib.exercises.formulas import READABLE, Survey, Undefined
from rbdlib.exercises.naming import listed, multiple

_MOST_TERMS = 60


def unknown_symbol(exercise, known, reading):
    """A sentence about the first symbol of a reading that the exercise does not have, or None if it has them all."""
    allowed = sorted({*known, *exercise.symbols})
    strangers = sorted(set(Survey(*reading.entries).symbols) - set(allowed))
    if not strangers:
        return None
    name = short(strangers[0], 40)
    if not allowed:
        return f"Your answer contains the symbol {name}, but numbers are wanted here: put in the values that are given."
    near = [other for other in allowed if sorted(other) == sorted(name)]
    near = near or difflib.get_close_matches(name, allowed, n=1, cutoff=0.5)
    suggestion = f" Did you mean {near[0]}?" if near else ""
    return (f"Your answer contains the symbol {name}, which this exercise does not have; it has {listed(allowed)}."
            f"{suggestion}")


def explain(case, index):
    """A sentence naming the wrong, superfluous or missing term of one entry of a formula; None if no single term is."""
    if not case.setting.symbolic or case.reading is None:
        return None
    answer, reference = (_expression(reading, index, case.shape) for reading in (case.reading, case.setting.reading))
    if Survey(answer).size > READABLE or Survey(reference).size > READABLE:
        return None
    whole = (slice(None), *index)
    try:
        missing = case.reference[whole] - case.answer[whole]
        return (_own_term(case, answer, missing)
                or _missing_term(case, reference, missing)
                or _missing_symbol(answer, reference))
    except Undefined:
        return None


def _expression(reading, index, shape):
    position = int(np.ravel_multi_index(index, shape)) if shape else 0
    return sys.modules["sympy"].sympify(reading.entries[position])


def _own_term(case, answer, missing):
    """A term of the answer that is wrong: changing it by ``missing`` (K,) would make the whole entry right."""
    tolerance = case.setting.tolerance
    for term in _terms(answer):
        values = case.setting.values(term)
        name = f"the term {short(term)}"
        if tolerance.same(missing, -2 * values):
            return f"There is a sign error: {name} has the opposite sign; the other terms are right."
        if tolerance.same(missing, -values):
            return f"One term is too many: {name} should not be there; the other terms are right."
        if not values.all():
            continue
        c = values / (values + missing) if (values + missing).all() else np.array([0.0])
        if c[0] and tolerance.same(c, np.full_like(c, c[0])):
            return (f"There is a wrong factor: {name} is {multiple(c[0]) or f'{c[0]:.4g} times'} what it should be; "
                    "the other terms are right.")
    return None


def _missing_term(case, reference, missing):
    for term in _terms(reference):
        if case.setting.tolerance.same(missing, case.setting.values(term)):
            symbols = sorted(Survey(term).symbols)
            which = f", one that contains {listed(symbols)}" if symbols else ", a constant"
            return f"A term is missing{which}; what you have is right."
    return None


def _missing_symbol(answer, reference):
    given, wanted = set(Survey(answer).symbols), set(Survey(reference).symbols)
    if wanted - given:
        return f"Your formula does not contain {listed(sorted(wanted - given))}, on which the right one depends."
    if given - wanted:
        return f"Your formula contains {listed(sorted(given - wanted))}, on which the right one does not depend."
    return None


def _terms(expression):
    """The terms of a sum, as it was written and then expanded; nothing for a single term."""
    sympy = sys.modules["sympy"]
    found, forms = {}, [expression]
    if _expanded_size(expression) <= _MOST_TERMS:
        forms.append(sympy.expand(expression, power_base=False, power_exp=False, log=False, basic=False))
    for form in forms:
        terms = sympy.Add.make_args(form)
        if 2 <= len(terms) <= _MOST_TERMS:
            found |= dict.fromkeys(terms)
    return list(found)


def _expanded_size(node):
    """An upper bound for the number of terms when sums are multiplied out, so that nothing explodes."""
    sizes = [_expanded_size(child) for child in node.args]
    if node.is_Add:
        return sum(sizes)
    if node.is_Mul:
        return math.prod(sizes)
    if node.is_Pow and node.exp.is_Integer:
        return sizes[0] ** min(abs(int(node.exp)), _MOST_TERMS)
    return max(sizes, default=1)
