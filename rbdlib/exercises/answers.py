"""Reading numbers: from whatever a learner hands in to a shape and a list of entries, or a sentence on what is wrong.

Answers are data: nothing is evaluated, and what is too large or too strange is refused before any work is done on it.
Where numbers are wanted, text is refused; formulas, in text too, are read by `rbdlib.verification`.
"""

import math
import sys
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction

import numpy as np

from rbdlib.exercises.declare import Problem

#: More entries than this are refused.
MAX_ENTRIES = 10_000
_MAX_DEPTH = 4
_DIGITS = 30


class Reading(namedtuple("Reading", "shape entries")):
    """An answer as data: its shape, and its entries row by row, each a float or the tree of a formula with symbols.

    formulas: the entries with symbols in them.
    """

    formulas = property(lambda self: [entry for entry in self.entries if not isinstance(entry, float)])

    def array(self):
        """The entries, all of them numbers, as an array of floats."""
        return np.array(self.entries, dtype=float).reshape(self.shape)


def read(answer):
    """The answer as a `Reading`. Raises `Problem` if it is empty, text, not finite, too large or not numbers at all."""
    shape, leaves = complete(answer)
    places = [""] if not shape else [f" in row {i // shape[1] + 1}, column {i % shape[1] + 1}" if len(shape) == 2 else
                                     f" at entry {i + 1}" for i in range(len(leaves))]
    return Reading(shape, tuple(map(_entry, leaves, places)))


def complete(answer):
    """The shape of an answer and its entries row by row, as they are. Raises `Problem` if some are not there yet."""
    try:
        shape, leaves = _flatten(answer, 0)
    except Problem:
        raise
    except Exception as error:
        raise Problem("error", f"Your answer, {_kind(answer)}, could not be read ({type(error).__name__}). "
                               "Give a number, a list, a NumPy array or a SymPy expression.") from None
    if any(leaf is None or leaf is Ellipsis or isinstance(leaf, str) and not leaf.strip(" .…") for leaf in leaves):
        raise Problem("unanswered", "no answer yet.")
    if not leaves:
        raise Problem("shape", "Your answer is empty. Give one number per entry, or None where you do not know it yet.")
    return shape, leaves


def short(thing, limit=60):
    """A name or expression as one line of text of limited length, for use in a message."""
    try:
        text = " ".join(str(thing).split())
    except Exception:
        text = f"a {type(thing).__name__}"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def is_sympy(thing):
    """True if the thing is an object of SymPy; decided without importing SymPy."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(thing, sympy.Basic)


def _kind(thing):
    """The name of the thing's type with its article: a list, an object."""
    name = short(type(thing).__name__, 40)
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _flatten(answer, depth):
    if isinstance(answer, np.ndarray) and answer.ndim == 0:
        answer = answer.item()
    children = _children(answer)
    if children is None:
        return (), [answer]
    if depth == _MAX_DEPTH:
        raise Problem("shape", "Your answer is nested too deeply. A vector is a list of numbers, a matrix a list of "
                               "rows.")
    shape, leaves, count = None, [], 0
    for count, child in enumerate(children, start=1):
        inner, more = _flatten(child, depth + 1)
        leaves += more
        _require_size(max(len(leaves), count))
        if shape not in (None, inner):
            before, now = ("×".join(map(str, sizes)) or "a single number" for sizes in (shape, inner))
            raise Problem("shape", f"The rows of your answer differ: entry 1 has shape {before}, "
                                   f"but entry {count} has shape {now}. Every row needs the same length.")
        shape = inner
    return (count, *(shape or ())), leaves


def _children(answer):
    """The rows or entries of a container, or None if the answer is a single leaf."""
    if isinstance(answer, (list, tuple, range)):
        return answer
    sympy, mpmath = sys.modules.get("sympy"), sys.modules.get("mpmath")
    if isinstance(answer, np.ndarray):
        if isinstance(answer, np.ma.MaskedArray):
            raise Problem("error", "Your answer is a masked array, some of whose entries do not count. Give an "
                                   "ordinary array.")
        if answer.dtype.kind not in "biufcOSU":
            raise Problem("error", f"Your answer is an array of {short(answer.dtype, 30)}, which are not numbers.")
        size, answer = answer.size, np.asarray(answer)
    elif sympy is not None and isinstance(answer, (sympy.MatrixBase, sympy.NDimArray)):
        size = math.prod(answer.shape)
    elif mpmath is not None and isinstance(answer, mpmath.matrix):
        size = answer.rows * answer.cols
    else:
        return None
    _require_size(size)
    return answer.tolist()


def _require_size(size):
    if size > MAX_ENTRIES:
        raise Problem("shape", f"Your answer has more than {MAX_ENTRIES} entries, far more than any exercise asks for.")


def _entry(leaf, where):
    mpmath = sys.modules.get("mpmath")
    if isinstance(leaf, (str, bytes, bytearray)):
        raise Problem("error", f"Your answer{where} is text, and numbers are wanted here. Leave out the quotes.")
    if isinstance(leaf, (bool, np.bool_)):
        raise Problem("error", f"Your answer{where} is {bool(leaf)}, which is a truth value. A number is wanted.")
    if is_sympy(leaf):
        return _expression(leaf, where)
    if not isinstance(leaf, (int, float, complex, Fraction, Decimal, np.number)) and not (
            mpmath is not None and isinstance(leaf, (mpmath.mpf, mpmath.mpc))):
        raise Problem("error", _refusal(leaf, where))
    parts: tuple = getattr(leaf, "real", leaf), getattr(leaf, "imag", 0)
    try:
        value, rest = map(float, parts)
    except OverflowError:
        raise Problem("error", f"The number{where} in your answer is too large to be meant.") from None
    except ValueError:
        value, rest = math.nan, 0.0
    if not math.isfinite(value):
        name = "NaN (not a number)" if math.isnan(value) else "infinite"
        raise Problem("error", f"Your answer{where} is {name}. Look for a division by zero or a root of a negative "
                               "number.")
    if abs(rest) > 1e-9 * max(1.0, abs(value)):
        raise Problem("error", f"Your answer{where} has an imaginary part, but a real number is wanted.")
    return value


def _expression(leaf, where):
    """The value of a SymPy expression without symbols, a float; the tree of one that has some."""
    sympy = sys.modules["sympy"]
    if isinstance(leaf, (sympy.Equality, sympy.core.relational.Relational)):
        raise Problem("error", f"Your answer{where} is an equation or inequality. Give its right-hand side alone.")
    if isinstance(leaf, sympy.MatrixExpr):
        raise Problem("error", f"Your answer{where} is an abstract matrix. Give its entries, as in Matrix(...).")
    if not isinstance(leaf, sympy.Expr):
        raise Problem("error", _refusal(leaf, where))
    if any(leaf is value for value in (sympy.nan, sympy.oo, -sympy.oo, sympy.zoo)):
        name = "NaN (not a number)" if leaf is sympy.nan else "infinite"
        raise Problem("error", f"Your answer{where} is {name}. Look for a division by zero.")
    import mpmath

    from rbdlib.verification.notation.sympy_reading import from_sympy
    from rbdlib.verification.trees.expression import Undefined, evaluate, symbols

    try:
        tree = from_sympy(leaf)
        with mpmath.workdps(_DIGITS):
            return tree if symbols(tree) else float(evaluate(tree, {}))
    except Undefined:
        raise Problem("error", f"Your answer{where} has no finite real value. Look for a division by zero or a root of "
                               "a negative number.") from None
    except (ValueError, RecursionError) as error:
        reason = "" if isinstance(error, RecursionError) else f" {error}"
        raise Problem("error", f"Your answer{where} cannot be evaluated.{reason}") from None


def _refusal(leaf, where):
    kind = _kind(leaf)
    if isinstance(leaf, type) or callable(leaf):
        return (f"Your answer{where} is the function {short(getattr(leaf, '__name__', kind), 40)} itself. "
                "Call it, and hand in what it returns.")
    if isinstance(leaf, (set, frozenset)):
        return f"Your answer{where} is a set, which has no order. Use square brackets: [1, 2, 3]."
    if isinstance(leaf, dict):
        return f"Your answer{where} is a dictionary. Give its values in order, in square brackets."
    if hasattr(leaf, "__next__"):
        return f"Your answer{where} is {kind}, whose entries are not there yet. Write them out in square brackets."
    return (f"Your answer{where} is {kind}, which cannot be compared. "
            "Give a number, a list, a NumPy array or a SymPy expression.")
