"""The right answers to exercises as the code that a learner would have written, made from their declarations."""

import ast
import re
import textwrap

import numpy as np

from rbdlib.exercises.compare import computed, is_formula
from rbdlib.exercises.grading import grade_exercise
from tools.teaching import functions

#: Numbers of so many digits are tried before all digits are shown.
_DIGITS = (4, 6, 9)


class NoAnswer(ValueError):
    """The declared answer cannot be written as code; the message names the exercise and what to do."""


def answer_code(exercise, name):
    """Lines of Python after which ``name`` is a right answer to the exercise.

    Raises NoAnswer if a function cannot be shown; then it belongs into `tools.teaching.functions`.
    """
    if exercise.kind == "function":
        return _function(exercise, name)
    if exercise.kind == "word":
        word = exercise.reference if isinstance(exercise.reference, str) else exercise.reference[0]
        return f"{name} = {_literal(word)}"
    if is_formula(exercise):
        return f"{name} = {_literal(_formulas(exercise))}"
    return f"{name} = {_literal(_numbers(exercise))}"


def right(exercise, answer):
    """Whether an answer is right."""
    return grade_exercise(exercise, answer).correct


def _numbers(exercise):
    value = np.array(computed(exercise.reference), dtype=float)
    whole = exercise.quantity == "whole numbers" or isinstance(computed(exercise.reference), int)
    if whole:
        return np.round(value).astype(int).tolist()
    value = np.where(np.abs(value) < 1e-12 * np.abs(value).max(), 0, value)
    shown = (np.array([float(f"{x:.{digits}g}") for x in value.flat]).reshape(value.shape) for digits in _DIGITS)
    best = next((candidate for candidate in shown if right(exercise, candidate.tolist())), value)
    return (best + 0.0).tolist()


def _formulas(exercise):
    """The formulas of the right answer as text: one, a list, or a list of rows."""
    from rbdlib.verification.plain import Reference
    from rbdlib.verification.trees.expression import to_text

    entries = Reference(computed(exercise.reference)).entries
    text = _nested(np.vectorize(to_text, otypes=[object])(entries).tolist())
    return text if "1.0*" not in str(text) else _nested(_simplified(computed(exercise.reference)))


def _nested(text):
    return [_nested(item) for item in text] if isinstance(text, list) else text


def _simplified(formula):
    """The same by SymPy, without factors such as 1.0."""
    import sympy

    if isinstance(formula, (list, tuple, np.ndarray, sympy.MatrixBase)):
        return [_simplified(item) for item in formula]
    return str(sympy.expand(sympy.nsimplify(formula)))


def _literal(value):
    """A literal, with whole numbers as such and lines that are not too long."""
    text = re.sub(r"(?<=\d)\.0(?=[,\]]|$)", "", repr(value)).replace("'", '"')
    if len(text) <= 90 or not isinstance(value, list):
        return text
    return "[\n" + "".join(f"    {_literal(item)},\n" for item in value) + "]"


def _function(exercise, name):
    code = _declared(exercise) or _in_solution(exercise, name) or functions.source(exercise.reference)
    if code is None:
        raise NoAnswer(f"The reference of exercise {exercise.id} has variables of another function in it; write its "
                       "answer into tools/teaching/functions.py.")
    tree = ast.parse(code)
    (defined,) = (node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    return re.sub(rf"\b{defined}\b", name, code)


def _declared(exercise):
    function = functions.ANSWERS.get(exercise.id)
    return functions.source(function) if function else None


def _in_solution(exercise, name):
    """A function that the worked solution shows as a block of code."""
    text = textwrap.dedent(exercise.solution)
    for block in re.findall(r"(?:^    .*\n|^\n)+", text, re.MULTILINE):
        code = textwrap.dedent(block).strip()
        if re.match(rf"def {name}\(", code):
            return code
    return None
