"""A Python function as an answer: it is called with numbers, by the names of its arguments, for a limited time.

When its time is over, a second thread has Python raise an exception in it, on every system, before its next step. What
runs inside of compiled code, such as time.sleep, ends by itself first. Only the learner's own functions are called, in
his own process; submissions to coursework are read, never run.
"""

import contextlib
import ctypes
import inspect
import threading

import mpmath
import numpy as np

from rbdlib.verification.meaning.answer_lines import BadAnswer
from rbdlib.verification.notation.matrices import MOST_ENTRIES
from rbdlib.verification.notation.reading import read

#: Seconds that one call of a learner's function may take.
MOST_SECONDS = 5


class _TimeIsOver(BaseException):
    """Stops a learner's function; no Exception, so that it is not caught by accident."""


def called(function, state, vocabulary):
    """The result of a learner's function of numbers in a state, an array of mpmath numbers. Raises `BadAnswer`."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise BadAnswer("The arguments of your function cannot be found out. Write it with def and plain arguments, "
                        "such as q, qd.") from None
    needed = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    named = {p.name: _argument(p.name, state, vocabulary) for p in needed}
    arguments = [named.pop(p.name) for p in needed if p.kind is not p.KEYWORD_ONLY]
    try:
        result = limited(function, arguments, named)
    except _TimeIsOver:
        raise BadAnswer(f"Your function takes more than {MOST_SECONDS} seconds for one state. Does a loop in it "
                        "never end?") from None
    except (Exception, SystemExit) as error:            # a learner's function may raise anything
        raise BadAnswer(f"Your function stopped with {type(error).__name__}: {str(error)[:200]}") from None
    return np.vectorize(mpmath.mpf, otypes=[object])(_floats(result))


def _floats(result):
    """The result of a learner's function as an array of floats. Raises `BadAnswer`."""
    if result is None:
        raise BadAnswer("Your function returns nothing. Does it end with `return ...`?")
    try:
        array = np.asarray(result)
        if array.size > MOST_ENTRIES:
            raise BadAnswer(f"Your function returns {array.size} numbers, far more than any quantity has.")
        if any(isinstance(x, (str, bytes, bool, np.bool_)) or np.iscomplexobj(x) for x in array.flat):
            raise BadAnswer(f"Your function returns {str(result)[:60]}, and real numbers are wanted.")
        array = array.astype(float)
    except BadAnswer:
        raise
    except (TypeError, ValueError, OverflowError):
        raise BadAnswer(f"Your function returns something of type {type(result).__name__} that is not an array of real "
                        "numbers. Return a number, or a list with one number for each entry.") from None
    if not np.isfinite(array).all():
        raise BadAnswer("Your function returns a value that is not finite. Look for a division by zero.")
    return array


def _argument(name, state, vocabulary):
    if name in ("q", "qd", "qdd", "tau", "lam"):
        return np.array(getattr(state, name), dtype=float)
    if name in ("params", "parameters"):
        return {key: float(value) for key, value in state.parameters.items()}
    symbol = read(name).trees[0]
    return float(vocabulary.values(state, [symbol])[symbol])


def limited(function, arguments, named):
    """The result of a function. Raises `_TimeIsOver` where it takes too long."""
    thread, over, fired = threading.get_ident(), threading.Event(), threading.Event()

    def watch():
        wait = float(MOST_SECONDS)
        while not over.wait(wait):                          # again and again, if the function catches everything
            fired.set()
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_TimeIsOver))
            wait = 0.2

    watcher = threading.Thread(target=watch, daemon=True)
    try:
        watcher.start()
    except RuntimeError:                                    # no threads, as in a browser: then there is no limit
        return function(*arguments, **named)
    try:
        result = function(*arguments, **named)
        over.set()
        if fired.is_set():
            raise _TimeIsOver
        return result
    finally:
        over.set()
        watcher.join()
        if fired.is_set():
            with contextlib.suppress(_TimeIsOver):
                for _ in range(1000):                       # what is left to be raised is raised here: taken back, it
                    pass                                    # would leave Python looking for it, and a debugger hanging
