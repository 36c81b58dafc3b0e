"""Misunderstandings: one function for each that can be recognised from the numbers of an answer.

Every function takes a `Case` and returns a `Report`, or None if it does not recognise the answer. They are tried in the
order of `DIAGNOSES`, the most telling first.
"""

from collections import namedtuple
from functools import cached_property, reduce

import numpy as np

from rbdlib.exercises.catalogue import words
from rbdlib.exercises.declare import Report
from rbdlib.exercises.entries import DEGREES, entries, listed, multiple, parts, ratio, relation, sentence, swap_order
from rbdlib.verification.decision.words import shape_name


class Case(namedtuple("Case", "exercise setting answer formula", defaults=(None,))):
    """A wrong answer and the reference as stacks (K, ...) of the same shape, with the setting they come from.

    ``formula``: for a formula, what `rbdlib.verification` finds out about it, a `verified.Wrong`.
    """

    reference = property(lambda self: self.setting.reference)
    shape = property(lambda self: self.reference.shape[1:])

    @cached_property
    def wrong(self):
        """The zero-based positions of the entries that are wrong in some sample, a list of tuples."""
        near = self.setting.tolerance.near(self.answer, self.reference).all(axis=0)
        return [tuple(map(int, index)) for index in np.argwhere(~near)]

    def same(self, candidate):
        """True if the answer agrees with a stack that some misunderstanding would give."""
        return self.setting.tolerance.same(self.answer, candidate)


def shape(case):
    """The shape is not the reference's: rows for columns, one half of a spatial vector, or just another size."""
    given, wanted = case.answer.shape[1:], case.shape
    if given == wanted:
        return None
    if given == wanted[::-1] or given == (1, *wanted):
        turned = np.moveaxis(case.answer, 1, -1).reshape(case.reference.shape)
        if case.setting.tolerance.same(turned, case.reference):
            return Report("transpose", f"The numbers are right, but rows and columns are exchanged: you gave "
                                       f"{shape_name(given)}, and the answer is {shape_name(wanted)}.")
    start = f"You gave {shape_name(given)}; the answer is {shape_name(wanted)}."
    if wanted == (6,) and given == (3,):
        for name, part in parts(case.exercise, wanted):
            if case.setting.tolerance.same(case.answer, case.reference[(slice(None), *part)]):
                start += f" Your three numbers are {name}, and the other half is missing."
        start += " A spatial vector has three angular coordinates and then three linear ones."
    elif np.prod(given, dtype=int) == np.prod(wanted, dtype=int):
        start += " The number of entries is right: arrange them one list for each row."
    return Report("shape", start)


def product(case):
    """A factor of the product was inverted, transposed or replaced by its dual, or the order was reversed."""
    if case.exercise.product is None:
        return None
    samples = case.setting.products()
    names = list(samples[0])
    if samples[0][names[-1]].ndim == 2 and _matches(case, samples, names[::-1]):
        return Report("order", f"The factors stand in reversed order: you have {' '.join(names[::-1])}, and the "
                               f"product asked for is {' '.join(names)}. The rightmost acts first.")
    for name in names:
        for kind, change in _CHANGES.items():
            if _matches(case, samples, names, name, change):
                return Report("dual" if kind == "cross" else kind, words("factors")[kind].format(name=name))
    return None


#: What becomes of the matrices of a stack.
_CHANGES = {"inverse": np.linalg.inv, "dual": lambda F: np.linalg.inv(F).swapaxes(-1, -2),
            "transpose": lambda F: F.swapaxes(-1, -2), "cross": lambda F: -F.swapaxes(-1, -2)}


def _matches(case, samples, order, changed=None, change=None):
    """True if the answer is the product of the factors in this order, with one of them changed."""
    results = []
    for factors in samples:
        try:
            row = [change(factors[name]) if name == changed and factors[name].ndim == 2 else factors[name]
                   for name in order]
            results.append(reduce(lambda right, left: left @ right, row[::-1]))
        except (ValueError, np.linalg.LinAlgError):
            return False
    stack = np.array(results)
    return stack.size == case.answer.size and case.same(stack.reshape(case.answer.shape))


def sign(case):
    """Everything has the opposite sign."""
    if not case.same(-case.reference):
        return None
    what = "Every entry" if case.shape else "Your answer"
    return Report("sign", f"{what} has the opposite sign; apart from that it is right. In which direction is it "
                          "counted as positive?")


def matrix(case):
    """A square matrix is the transpose, the inverse or the inverse transpose of the right one."""
    if len(case.shape) != 2 or case.shape[0] != case.shape[1]:
        return None
    invertible = case.shape[0] <= 12 and np.all(np.linalg.cond(case.reference) < 1e10)
    for kind in ("transpose", "cross", "inverse", "dual") if invertible else ("transpose", "cross"):
        if case.same(_CHANGES[kind](case.reference)):
            quantity = case.exercise.quantity.removeprefix("planar ")
            text = words("matrices").get(quantity, {}).get(kind) or words("matrices")[""][kind]
            return Report("dual" if kind == "cross" else kind, text)
    return None


def swapped(case):
    """Angular and linear parts are exchanged (motion for force, or another book's order)."""
    for order in swap_order(case.exercise, case.shape):
        candidate = case.reference[:, order]
        if case.shape == (6, 6) and case.exercise.quantity not in ("motion", "force"):
            candidate = candidate[:, :, order]
        if case.same(candidate):
            orders = {"force": "moment first, then force: [n, f]", "motion": "angular part first, then linear: [ω, v]"}
            text = orders.get(case.exercise.quantity.split(" ")[-1],
                              "angular part first, then linear: [ω, v] for motion, [n, f] for force")
            return Report("swapped", f"The numbers are right, but the angular and the linear part are "
                                     f"exchanged. In this book the order is {text}. Several other texts have it "
                                     "the other way.")
    return None


def rounding(case):
    """Numbers that are nearly right."""
    if case.setting.tolerance.relative < 1e-3:
        return None
    scale = np.abs(case.reference).max() or 1.0
    if np.all(np.abs(case.answer - case.reference) <= 0.02 * np.abs(case.reference) + 1e-5 * scale):
        return Report("rounding", "You are within 2 percent, but not right yet. Keep at least four significant "
                                  "digits to the end (and g = 9.81 m/s², where there is gravity).")
    return None


def factor(case):
    """Everything is wrong by one factor."""
    if case.exercise.quantity == "whole numbers":
        return None
    c = ratio(case.answer, case.reference, case.setting.tolerance)
    if c is None:
        return None
    what = "Your answer"
    if abs(c / DEGREES - 1) < 1e-3:
        return Report("degrees", f"{what} is in degrees. Angles and angular velocities are in radians here: "
                                 "multiply by π/180.")
    if abs(c * DEGREES - 1) < 1e-3:
        return Report("degrees", f"{what} is π/180 times the right one: one conversion from degrees too many.")
    times = multiple(c)
    if times is None and np.count_nonzero(case.reference) == 1:
        return None
    return Report("factor", f"{what} is {times or f'{c:.4g} times'} the right one"
                            f"{', in every entry' if case.shape else ''}. Which factor was lost or counted "
                            "twice?")


def halves(case):
    """Parts of the answer (angular and linear, or blocks of a matrix) that are right, negated, absent or multiplied."""
    findings = [(name, *_part(case, (slice(None), *index))) for name, index in parts(case.exercise, case.shape)]
    if not findings or any(kind == "wrong" for _, kind, _ in findings):
        return None
    right = [name for name, kind, _ in findings if kind == "right"]
    texts = [f"{sentence(listed(right))} {'is' if len(right) == 1 else 'are'} right."] if right else []
    texts += [f"{sentence(name)} {text}." for name, kind, text in findings if kind != "right"]
    kinds = {kind for _, kind, _ in findings if kind != "right"}
    return Report(min(kinds), " ".join(texts))


def _part(case, whole):
    tolerance, answer, reference = case.setting.tolerance, case.answer[whole], case.reference[whole]
    near = tolerance.near(case.answer, case.reference)[whole].all(axis=0)
    if near.all():
        return "right", ""
    if not reference.any():
        return ("entry", "should be zero") if np.count_nonzero(~near) > 1 else ("wrong", "")
    if answer.shape[1:] == (3, 3) and not tolerance.same(answer, -reference) \
            and tolerance.same(answer, reference.swapaxes(1, 2)):
        return "transpose", "is transposed"
    return relation(answer, reference, tolerance) or ("wrong", "")


DIAGNOSES = (shape, product, sign, matrix, swapped, rounding, factor, halves, entries)


def diagnose(case):
    """The report on a wrong answer: the first diagnosis that recognises it."""
    found = next(report for report in (find(case) for find in DIAGNOSES) if report is not None)
    return found._replace(verified=case.formula.report) if case.formula else found
