"""From an exercise and an answer to a report: the order in which an answer is looked at."""

import sys

from rbdlib.exercises.answers import read
from rbdlib.exercises.catalogue import find
from rbdlib.exercises.compare import FunctionSetting, ValueSetting, computed, settled
from rbdlib.exercises.declare import Problem, Report
from rbdlib.exercises.diagnose import Case, diagnose
from rbdlib.exercises.formulas import Survey
from rbdlib.exercises.terms import unknown_symbol
from rbdlib.exercises.words import grade_word


def grade(id, answer):
    """The `Report` on an answer to the exercise with this id ("2.3"); nothing is printed or remembered.

    ``kind`` is "right", "unanswered", "error" (the answer cannot be compared), "shape", "sign", "transpose", "inverse",
    "dual" (X for X*, v× for v×*), "swapped" (angular and linear part), "order" (of a product), "degrees", "rounding",
    "factor", "entry", "expression" (a term of a formula), "symbol", or what a declared mistake says.
    Raises ValueError or TypeError if there is no such exercise.
    """
    return grade_exercise(find(id), answer)


def grade_exercise(exercise, answer):
    """The `Report` on an answer to a given `Exercise`."""
    if exercise.kind == "word":
        return grade_word(exercise, answer)
    try:
        return _grade_function(exercise, answer) if exercise.kind == "function" else _grade_value(exercise, answer)
    except Problem as problem:
        return Report(False, problem.kind, problem.message)


def _grade_value(exercise, answer):
    reading = read(_coordinates(exercise, answer))
    Survey(*reading.entries)
    setting = ValueSetting(exercise)
    stranger = unknown_symbol(exercise, setting.symbols, reading)
    stack = settled(setting.stack(reading), setting.reference)
    if not stranger and setting.tolerance.same(stack, setting.reference):
        return Report(True, "right", "right.")
    return (_declared(exercise, setting, stack)
            or (Report(False, "symbol", stranger) if stranger else None)
            or diagnose(Case(exercise, setting, stack, reading)))


def _coordinates(exercise, answer):
    """The coordinates of an answer of a type from rbdlib.arithmetic; any other answer unchanged."""
    types = sys.modules.get("rbdlib.arithmetic")
    if types is None or not isinstance(answer, (types.mv, types.fv, types.rbi)):
        return answer
    if isinstance(answer, types.rbi):
        return answer.matrix
    given = "motion" if isinstance(answer, types.mv) else "force"
    if exercise.quantity in ("motion", "force") and exercise.quantity != given:
        raise Problem("dual", f"You hand in a {given} vector, and a {exercise.quantity} vector is wanted.")
    return answer.array


def _grade_function(exercise, answer):
    if answer is None or answer is Ellipsis:
        return Report(False, "unanswered", "no answer yet.")
    setting = FunctionSetting(exercise)
    stack = settled(setting.stack(answer), setting.reference)
    if setting.tolerance.same(stack, setting.reference):
        return Report(True, "right", "right.")
    return _declared(exercise, setting, stack) or diagnose(Case(exercise, setting, stack))


def _declared(exercise, setting, stack):
    """The report of the declared mistake that gives this very answer, or None."""
    for mistake in exercise.mistakes:
        try:
            wrong = setting.stack(mistake.answer if exercise.kind == "function" else computed(mistake.answer))
        except Problem:
            continue
        if setting.tolerance.same(stack, settled(wrong, setting.reference)):
            return Report(False, mistake.kind, mistake.message)
    return None
