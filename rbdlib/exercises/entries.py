"""Which entry of an answer is wrong, and how; for a formula, which of its terms."""

import numpy as np

from rbdlib.exercises.declare import Report
from rbdlib.exercises.naming import block_name, entry_name, listed, multiple, sentence

DEGREES = 180 / np.pi
_MOST = 6


def ratio(answer, reference, tolerance):
    """The one factor c, neither 0 nor 1, by which answer = c * reference in every sample and entry, or None."""
    norm = float((reference * reference).sum())
    if norm == 0:
        return None
    c = float((answer * reference).sum()) / norm
    if c == 0 or not np.isfinite(c) or tolerance.same(answer, reference):
        return None
    return c if tolerance.same(answer, c * reference) else None


def relation(answer, reference, tolerance):
    """How a wrong part of an answer comes from the right one, as a kind and a phrase continuing "It ..."; or None."""
    if not answer.any():
        return "entry", "is zero, but should not be"
    if tolerance.same(answer, -reference):
        return "sign", "has the opposite sign"
    c = ratio(answer, reference, tolerance)
    if c is not None and abs(c / DEGREES - 1) < 1e-3:
        return "degrees", "is in degrees; give it in radians"
    if c is not None and (multiple(c) or np.count_nonzero(reference) > 1):
        return "factor", f"is {multiple(c) or f'{c:.4g} times'} what it should be"
    return None


def entries(case):
    """The last diagnosis, which always has something to say: which entries are wrong, and how the first one is."""
    return _single(case) if case.answer[0].size == 1 else _several(case)


def _single(case):
    index = (0,) * len(case.shape)
    if case.formula:
        return Report(False, "expression", _about_formula(case, index))
    kind, text = _finding(case, index)
    return Report(False, kind, f"Your answer {text}. {_example(case, index)}".strip())


def _about_formula(case, index):
    """Why a formula is wrong, as `rbdlib.verification` finds it; if it finds nothing, an example."""
    reason = case.formula.sentences()
    if reason:
        return reason
    what = "It is" if case.shape else "Your formula is"
    return f"{what} not equal to the right one. {_example(case, index)} {case.formula.trouble()}".strip()


def _several(case):
    wrong, total = case.wrong, case.answer[0].size
    names = [entry_name(case.exercise, index, case.shape) for index in wrong]
    if _exchanged(case):
        return Report(False, "entry", f"{sentence(names[0])} and {names[1]} are exchanged; everything else is right.")
    kind, text = _first(case)
    if len(wrong) == 1:
        rest = "the other one is right" if total == 2 else f"the other {total - 1} are right"
        return Report(False, kind, f"{sentence(names[0])} is wrong; {rest}. {text}")
    findings = {_finding(case, index) for index in wrong}
    if case.formula:
        last = text if case.formula.explains_all else f"Begin with {names[0]}. {text}"
    elif len(findings) == 1:
        kind, text = findings.pop()
        last = f"Each of them {text}."
    else:
        kind, last = "entry", f"Begin with {names[0]}. {text}"
    if len(wrong) == total:
        start = f"None of the {total} entries is right yet."
    else:
        shown = listed(names if len(names) <= _MOST else [*names[:_MOST], f"{len(names) - _MOST} more"])
        right = total - len(wrong)
        start = f"{right} of {total} entries {'is' if right == 1 else 'are'} right. Wrong: {shown}{_block(case)}."
    return Report(False, kind, f"{start} {last}{_asymmetry(case)}")


def _first(case):
    """The kind of error in the first wrong entry, and sentences about it."""
    if case.formula:
        return "expression", _about_formula(case, case.wrong[0])
    kind, text = _finding(case, case.wrong[0])
    return kind, f"It {text}. {_example(case, case.wrong[0])}".strip()


def _finding(case, index):
    """The kind of error in one entry, and a phrase that continues "It ..."."""
    whole = (slice(None), *index)
    answer, reference, tolerance = case.answer[whole], case.reference[whole], case.setting.tolerance
    if not reference.any():
        return "entry", "should be zero"
    known = relation(answer, reference, tolerance)
    if known and (known[0] in ("sign", "entry") or case.exercise.quantity != "whole numbers"):
        return known
    if len(reference) > 1:
        return "entry", "is not what it should be"
    if answer[0] * reference[0] < 0:
        return "entry", "has the wrong sign, and its size is wrong too"
    size = "" if reference[0] > 0 else " in size"
    return "entry", f"is too {'large' if abs(answer[0]) > abs(reference[0]) else 'small'}{size}"


def _example(case, index):
    """A sample at which the entry is wrong, in words; empty for plain numbers, which would give the answer away."""
    whole = (slice(None), *index)
    k = int(np.argmin(case.setting.tolerance.near(case.answer, case.reference)[whole]))
    where = case.setting.where(k)
    return where and f"{where} it gives {case.answer[whole][k]:.4g}, and should give {case.reference[whole][k]:.4g}."


def _exchanged(case):
    """True if exactly two entries are wrong, and right once they have changed places."""
    if len(case.wrong) != 2:
        return False
    first, second = ((slice(None), *index) for index in case.wrong)
    mended = case.answer.copy()
    mended[first], mended[second] = case.answer[second], case.answer[first]
    return case.setting.tolerance.same(mended, case.reference)


def _block(case):
    blocks = {block_name(index) for index in case.wrong} if case.shape == (6, 6) else ()
    return f", all in {min(blocks)}" if len(blocks) == 1 else ""


def _asymmetry(case):
    if len(case.shape) != 2 or case.shape[0] != case.shape[1]:
        return ""
    tolerance, answer, reference = case.setting.tolerance, case.answer, case.reference
    symmetric = tolerance.same(reference, reference.swapaxes(1, 2))
    return " The matrix should be symmetric." if symmetric and not tolerance.same(answer, answer.swapaxes(1, 2)) else ""
