"""From an exercise and an answer to a report: the order in which an answer is looked at."""

import difflib
import sys
import unicodedata

from rbdlib.exercises.answers import complete, read, short
from rbdlib.exercises.catalogue import find
from rbdlib.exercises.compare import ValueSetting, declared, function_setting, is_formula, settled
from rbdlib.exercises.declare import Problem, Report
from rbdlib.exercises.diagnose import Case, diagnose
from rbdlib.exercises.entries import listed

_LONGEST_WORD = 200


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
    try:
        if exercise.kind == "value":
            return _grade_value(exercise, answer)
        if answer is None or answer is Ellipsis:
            raise Problem("unanswered", "no answer yet.")
        if exercise.kind == "word":
            return _grade_word(exercise, answer)
        setting = function_setting(exercise)
        return _judged(exercise, setting, setting.stack(answer))
    except Problem as problem:
        return Report(problem.kind, problem.message)


def _judged(exercise, setting, stack):
    stack = settled(stack, setting.reference)
    if setting.tolerance.same(stack, setting.reference):
        return Report("right", "right.")
    return declared(exercise, setting, stack) or diagnose(Case(exercise, setting, stack))


def _grade_value(exercise, answer):
    answer = _coordinates(exercise, answer)
    if not is_formula(exercise):
        reading, setting = read(answer), ValueSetting(exercise)
        if not reading.formulas:
            return _judged(exercise, setting, setting.stack(reading))
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


def _grade_word(exercise, answer):
    """The report on a word or choice: letters, case, spaces and punctuation around it do not matter."""
    options = f" Choose one of {listed(exercise.choices)}." if exercise.choices else ""
    if not isinstance(answer, str):
        kind = short(type(answer).__name__, 40)
        raise Problem("error", f'Answer with text in quotes, as in "a"; this was of type {kind}.{options}')
    if len(answer) > _LONGEST_WORD:
        raise Problem("error", f"That is far too long an answer: a word or two is enough.{options}")
    word = _normalised(answer)
    if not word:
        raise Problem("unanswered", "no answer yet.")
    word = next((_normalised(letter) for letter, text in exercise.choices.items() if _normalised(text) == word), word)
    right = (exercise.reference,) if isinstance(exercise.reference, str) else exercise.reference
    accepted = [_normalised(reference) for reference in right]
    if word in accepted:
        return Report("right", "right.")
    for mistake in exercise.mistakes:
        if word == _normalised(mistake.answer):
            return Report(mistake.kind, mistake.message)
    if options:
        rest = f"among the choices.{options}"
    elif difflib.get_close_matches(word, accepted, n=1, cutoff=0.75):
        return Report("entry", f'"{short(word, 40)}" is nearly the word: check the spelling.')
    else:
        section = f' The word is introduced in the section "{exercise.section}".' if exercise.section else ""
        rest = f"the word looked for.{section}"
    return Report("entry", f'"{short(word, 40)}" is not {rest}')


def _normalised(text):
    """Text in lower case, with single spaces, and without punctuation around it."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(text.split()).strip(" .,;:!?()[]\"'`*_")
