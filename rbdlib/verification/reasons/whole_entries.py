"""Entries that cannot be taken apart, of functions and of very long formulas: a sign or a factor of the whole."""

from fractions import Fraction

from rbdlib.verification.meaning.answer_lines import place_name
from rbdlib.verification.reasons.edits import FACTORS
from rbdlib.verification.reasons.sentences import Finding

_WORDS = {Fraction(2): "half of", Fraction(1, 2): "twice", Fraction(4): "a quarter of", Fraction(1, 4): "four times"}


def whole_entry(case, index):
    """Explanations of one entry, (cost, findings): that it would be right with another sign, or another factor."""
    yours, wanted = (values[(slice(None), *index)] for values in (case.as_compared, case.missing()))
    if case.equations or not all(yours):
        return []
    ratio = (yours + wanted) / yours
    if max(abs(ratio - ratio[0])) > case.tolerance * abs(ratio[0]):
        return []
    place = f"The entry in {place_name(index)}" if index else "Your whole answer"
    if abs(ratio[0] + 1) <= case.tolerance:
        return [(1.0, (Finding("sign", f"{place} has the opposite sign. In which direction is it counted as positive?",
                               entry=index, family="place"),))]
    factor = Fraction(float(ratio[0])).limit_denominator(12)
    if factor not in FACTORS or abs(ratio[0] * factor.denominator - factor.numerator) > 12 * case.tolerance:
        return []
    said = _WORDS.get(factor, f"{1 / factor} times")
    sentence = f"{place} is {said} what it should be. Which factor was lost or counted twice?"
    return [(FACTORS[factor], (Finding("factor", sentence, entry=index, family="place"),))]
