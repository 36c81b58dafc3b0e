"""The right answers to exercises as the code that a learner would have written, made from their declarations."""

import ast
import inspect
import re
import textwrap

import numpy as np

from rbdlib.exercises.compare import computed, is_formula
from rbdlib.exercises.computed import ANSWERS
from rbdlib.exercises.declare import Computed
from rbdlib.exercises.grading import grade_exercise

#: Numbers of so many digits are tried before all digits are shown.
_DIGITS = (4, 6, 9)


class NoAnswer(ValueError):
    """The declared answer cannot be written as code; the message names the exercise and what to do."""


def answer_code(exercise, name):
    """Lines of Python after which ``name`` is a right answer to the exercise.

    Raises NoAnswer if a function cannot be shown; then its answer belongs into `rbdlib.exercises.computed`.
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
    declared = ANSWERS.get(exercise.id, Computed())
    code = source(declared.answer) or _in_solution(exercise, name) or source(exercise.reference)
    if code is None:
        raise NoAnswer(f"The reference of exercise {exercise.id} has variables of another function in it; write its "
                       "answer into rbdlib/exercises/computed.")
    tree = ast.parse(code)
    (defined,) = (node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    return re.sub(rf"\b{defined}\b", name, code)


def source(function):
    """The code of a function without its docstring, and before it the imports of the modules that it uses.

    None if there is none, or it uses anything else that is not its own.
    """
    if function is None or (needs := inspect.getclosurevars(function)).nonlocals:
        return None
    text = inspect.getsource(function)
    names = {node.id for node in ast.walk(ast.parse(textwrap.dedent(text))) if isinstance(node, ast.Name)}
    others = {name: value for name, value in needs.globals.items() if name in names}     # the rest are attributes
    if not all(map(inspect.ismodule, others.values())):
        return None
    imports = [f"import {module.__name__}" + f" as {name}" * (name != module.__name__)
               for name, module in sorted(others.items())]
    code = "\n".join(line for line in text.rstrip().splitlines() if not line.strip().startswith('"""'))
    return "\n\n\n".join(filter(None, ["\n".join(imports), code]))


def _in_solution(exercise, name):
    """A function that the worked solution shows as a block of code."""
    text = textwrap.dedent(exercise.solution)
    for block in re.findall(r"(?:^    .*\n|^\n)+", text, re.MULTILINE):
        code = textwrap.dedent(block).strip()
        if re.match(rf"def {name}\(", code):
            return code
    return None
