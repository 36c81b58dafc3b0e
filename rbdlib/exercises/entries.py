"""Entries and parts of an answer: what they are called, which of them are wrong, and how; of a formula, which terms."""

import itertools
import math
import re

import numpy as np

from rbdlib.exercises.catalogue import words
from rbdlib.exercises.declare import Report

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_SIX, _THREE = words("six"), words("three")
_BLOCKS = ("upper left", "upper right", "lower left", "lower right")
_MULTIPLES = {2: "twice", 1 / 2: "half", 3: "three times", 1 / 3: "a third of", 4: "four times", 1 / 4: "a quarter of",
              math.pi: "π times", 2 * math.pi: "2π times", 9.81: "9.81 times", 1 / 9.81: "1/9.81 times",
              10: "ten times", 1 / 10: "a tenth of", 1000: "a thousand times", 1 / 1000: "a thousandth of",
              6: "six times", 1 / 6: "a sixth of", 8: "eight times", 1 / 8: "an eighth of",
              12: "twelve times", 1 / 12: "a twelfth of", 24: "24 times", 1 / 24: "1/24 of"}

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
    total, wrong = case.answer[0].size, case.wrong
    if total == 1:
        kind, text = _about(case, (0,) * len(case.shape), "Your answer")
        return Report(kind, text)
    names = [entry_name(case.exercise, index, case.shape) for index in wrong]
    exchanged = case.answer.copy()
    for index, other in zip(wrong, wrong[::-1], strict=True):
        exchanged[:, *index] = case.answer[:, *other]
    if len(wrong) == 2 and case.setting.tolerance.same(exchanged, case.reference):
        return Report("entry", f"{sentence(names[0])} and {names[1]} are exchanged; everything else is right.")
    kind, text = _about(case, wrong[0])
    if len(wrong) == 1:
        rest = "the other one is right" if total == 2 else f"the other {total - 1} are right"
        return Report(kind, f"{sentence(names[0])} is wrong; {rest}. {text}")
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
        blocks = {_BLOCKS[2 * (i // 3) + j // 3] for i, j in wrong} if case.shape == (6, 6) else ()
        block = f", all in the {min(blocks)} 3×3 block" if len(blocks) == 1 else ""
        right = total - len(wrong)
        start = f"{right} of {total} entries {'is' if right == 1 else 'are'} right. Wrong: {shown}{block}."
    return Report(kind, f"{start} {last}{_asymmetry(case)}")


def _about(case, index, what="It"):
    """The kind of error in an entry, and sentences about it: of a formula, those of `rbdlib.verification`."""
    if not case.formula:
        kind, text = _finding(case, index)
        return kind, f"{what} {text}. {_example(case, index)}".strip()
    what = "It is" if case.shape else "Your formula is"
    return "expression", case.formula.sentences() or (
        f"{what} not equal to the right one. {_example(case, index)} {case.formula.trouble()}".strip())


def _finding(case, index):
    """The kind of error in one entry, and a phrase that continues "It ..."."""
    answer, reference, tolerance = case.answer[:, *index], case.reference[:, *index], case.setting.tolerance
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
    k = int(np.argmin(case.setting.tolerance.near(case.answer, case.reference)[:, *index]))
    where = case.setting.where(k)
    return where and f"{where} it gives {case.answer[k, *index]:.4g}, and should give {case.reference[k, *index]:.4g}."


def _asymmetry(case):
    if len(case.shape) != 2 or case.shape[0] != case.shape[1]:
        return ""
    tolerance, answer, reference = case.setting.tolerance, case.answer, case.reference
    symmetric = tolerance.same(reference, reference.swapaxes(1, 2))
    return " The matrix should be symmetric." if symmetric and not tolerance.same(answer, answer.swapaxes(1, 2)) else ""


def entry_name(exercise, index, shape):
    """The name of the entry at ``index`` (a tuple of zero-based positions) of a vector or matrix of this shape."""
    if len(shape) != 1:
        return " ".join(f"{word} {i + 1}" for word, i in zip(("row", "column", "layer"), index, strict=False))
    (i,), (n,), name = index, shape, ""
    if len(exercise.names) == n:
        name = exercise.names[i]
    elif n == 6 and exercise.quantity in _SIX:
        name = _SIX[exercise.quantity][i // 3].format(_ORDINALS[i % 3])
    elif n == 3 and exercise.quantity in _THREE:
        name = _THREE[exercise.quantity][i]
    return f"{name} (entry {i + 1})" if name else f"entry {i + 1}"


def parts(exercise, shape):
    """The parts into which an answer of this shape falls: a list of (name, index into the array), or an empty list."""
    halves = slice(0, 3), slice(3, 6)
    if shape == (6, 6):
        blocks = zip(_BLOCKS, itertools.product(halves, halves), strict=True)
        return [(f"the {name} 3×3 block", block) for name, block in blocks]
    if shape[:1] == (6,) and exercise.quantity in _SIX:
        force = exercise.quantity == "force"
        names = ("the moment", "the linear force") if force else ("the angular part", "the linear part")
        return [(name, (half,)) for name, half in zip(names, halves, strict=True)]
    if shape == (3,) and exercise.quantity.startswith("planar"):
        return [(_THREE[exercise.quantity][0], (slice(0, 1),)), ("the linear part", (slice(1, None),))]
    return []


def multiple(c):
    """The factor c in words, such as "half" or "minus twice"; None if it is no everyday factor."""
    for value, name in _MULTIPLES.items():
        if abs(abs(c) / value - 1) < 1e-3:
            return f"minus {name}" if c < 0 else name
    return None


def listed(names):
    """Names joined into a phrase: "a, b and c"."""
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def sentence(text):
    """The text with its first letter in upper case, unless a symbol stands there: r, n^c and qdd mean what they are."""
    word = re.match(r"[a-z]{2,}\b", text)
    return text[:1].upper() + text[1:] if word and re.search("[aeiouy]", word[0]) else text


def swap_order(exercise, shape):
    """The permutations that exchange angular and linear parts, as a list of index arrays; empty if there are none."""
    if shape[:1] == (6,) and exercise.quantity not in ("coordinates", "whole numbers"):
        return [np.array([3, 4, 5, 0, 1, 2])]
    if shape[:1] == (3,) and exercise.quantity.startswith("planar"):
        return [np.array([1, 2, 0]), np.array([2, 0, 1])]
    return []
