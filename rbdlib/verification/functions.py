"""A Python function as an answer: it is called with numbers, by the names of its arguments."""

import inspect

import numpy as np

from rbdlib.verification.answer_lines import BadAnswer
from rbdlib.verification.reading import read


def called(function, state, vocabulary):
    """What a learner's function of numbers returns in a state, an array of mpmath numbers. Raises `BadAnswer`."""
    import mpmath

    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise BadAnswer("The arguments of your function cannot be found out. Write it with def and plain arguments, "
                        "such as q, qd.") from None
    arguments = [_argument(p.name, state, vocabulary) for p in parameters
                 if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    named = {p.name: _argument(p.name, state, vocabulary) for p in parameters
             if p.default is p.empty and p.kind is p.KEYWORD_ONLY}
    try:
        result = np.array(function(*arguments, **named), dtype=float)
    except Exception as error:                          # a learner's function may raise anything
        raise BadAnswer(f"Your function stopped with {type(error).__name__}: {str(error)[:200]}") from None
    if not np.isfinite(result).all():
        raise BadAnswer("Your function returns a value that is not finite. Look for a division by zero.")
    return np.vectorize(mpmath.mpf, otypes=[object])(result)


def _argument(name, state, vocabulary):
    if name in ("q", "qd", "qdd", "tau", "lam"):
        return np.array(getattr(state, name), dtype=float)
    if name in ("params", "parameters"):
        return {key: float(value) for key, value in state.parameters.items()}
    tree = read(name).trees[0]
    return float(vocabulary.values(state, [tree])[tree])
