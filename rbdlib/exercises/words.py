"""Exercises that are answered with a word or with the letter of a choice."""

import difflib
import unicodedata

from rbdlib.exercises.answers import short
from rbdlib.exercises.declare import Report
from rbdlib.exercises.naming import listed

_LONGEST = 200


def grade_word(exercise, answer):
    """The report on a word or choice: letters, case, spaces and punctuation around it do not matter."""
    if answer is None or answer is Ellipsis:
        return Report(False, "unanswered", "no answer yet.")
    options = f" Choose one of {listed(exercise.choices)}." if exercise.choices else ""
    if not isinstance(answer, str):
        kind = short(type(answer).__name__, 40)
        return Report(False, "error", f'Answer with text in quotes, as in "a"; this was of type {kind}.{options}')
    if len(answer) > _LONGEST:
        return Report(False, "error", f"That is far too long an answer: a word or two is enough.{options}")
    word = _letter(exercise, answer)
    if not word:
        return Report(False, "unanswered", "no answer yet.")
    right = (exercise.reference,) if isinstance(exercise.reference, str) else exercise.reference
    accepted = [normalised(reference) for reference in right]
    if word in accepted:
        return Report(True, "right", "right.")
    for mistake in exercise.mistakes:
        if word == normalised(mistake.answer):
            return Report(False, mistake.kind, mistake.message)
    return Report(False, "entry", _remark(exercise, word, accepted, options))


def normalised(text):
    """Text in lower case, with single spaces, and without punctuation around it."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(text.split()).strip(" .,;:!?()[]\"'`*_")


def _letter(exercise, answer):
    """The answer normalised; the wording of a choice stands for its letter."""
    word = normalised(answer)
    return next((normalised(letter) for letter, text in exercise.choices.items() if normalised(text) == word), word)


def _remark(exercise, word, accepted, options):
    if options:
        return f'"{short(word, 40)}" is not among the choices.{options}'
    if difflib.get_close_matches(word, accepted, n=1, cutoff=0.75):
        return f'"{short(word, 40)}" is nearly the word: check the spelling.'
    section = f' The word is introduced in the section "{exercise.section}".' if exercise.section else ""
    return f'"{short(word, 40)}" is not the word looked for.{section}'
