"""From an exercise and an answer to a report: the order in which an answer is looked at."""

import sys

from rbdlib.exercises.answers import complete, read
from rbdlib.exercises.catalogue import find
from rbdlib.exercises.compare import FunctionSetting, ValueSetting, declared, is_formula, settled
from rbdlib.exercises.declare import Problem, Report
from rbdlib.exercises.diagnose import Case, diagnose
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
    answer = _coordinates(exercise, answer)
    if is_formula(exercise):
        return _grade_formula(exercise, answer)
    reading = read(answer)
    setting = ValueSetting(exercise)
    if reading.symbolic:
        return _grade_formula(exercise, answer)
    stack = settled(setting.stack(reading), setting.reference)
    if setting.tolerance.same(stack, setting.reference):
        return Report(True, "right", "right.")
    return declared(exercise, setting, stack) or diagnose(Case(exercise, setting, stack))


def _grade_formula(exercise, answer):
    from rbdlib.exercises.verified import grade_formula

    if not callable(answer):
        complete(answer)
    return grade_formula(exercise, answer)


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
    return declared(exercise, setting, stack) or diagnose(Case(exercise, setting, stack))
