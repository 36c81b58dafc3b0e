"""The value of a SymPy expression at given numbers, to 30 digits, without `simplify` and without generated code.

Only sums, products, powers, numbers, symbols and the functions of one's first year are understood, and every step is
bounded, so that an expression that would take for ever is refused instead.
"""

import sys
import zlib

import numpy as np

from rbdlib.exercises.answers import short
from rbdlib.exercises.declare import Problem

_DIGITS = 30
_MAX_NODES = 20_000
_MAX_MAGNITUDE = 1000  # bits before the binary point; about 1e300
_MAX_EXPONENT = 1000
_MAX_DEPTH = 60
_FUNCTIONS = {name: name for name in ("sin cos tan sec csc cot asin acos atan atan2 sinh cosh tanh asinh acosh atanh "
                                      "exp log sign").split()} | {"Abs": "fabs"}
#: Terms and suggestions are looked for only in expressions up to this size (nodes of the tree).
READABLE = 2000


class Undefined(Exception):
    """The expression has no finite real value at the given numbers."""


class Survey:
    """What an expression is made of: ``symbols`` (name to symbol) and ``size`` (nodes of its tree).

    Raises `Problem` if it contains something that cannot be evaluated at numbers.
    """

    def __init__(self, *expressions):
        self.symbols, self._sizes = {}, {}
        self.size = sum(self._visit(expression, 0) for expression in expressions if not isinstance(expression, float))

    def _visit(self, node, depth):
        if node in self._sizes:
            return self._sizes[node]
        if depth > _MAX_DEPTH:
            raise Problem("error", "Your expression is nested too deeply. Does a loop make it?")
        if len(self._sizes) > _MAX_NODES:
            raise Problem("error", "Your expression is too large to be looked at. Collect and simplify it first.")
        if node.is_Symbol:
            self.symbols[node.name] = node
        elif not (node.is_Add or node.is_Mul or node.is_Pow or _is_constant(node) or _function(node)):
            _refuse(node)
        elif node.is_Pow and node.exp.is_Rational and abs(node.exp) > _MAX_EXPONENT:
            raise Problem("error", f"The power {short(node.exp, 20)} in your expression is too large to be meant.")
        elif node.is_Rational and max(abs(node.p), node.q).bit_length() > _MAX_MAGNITUDE:
            raise Problem("error", "A number in your expression is too large to be meant.")
        self._sizes[node] = size = min(1 + sum(self._visit(child, depth + 1) for child in node.args), 10 * READABLE)
        return size


def _is_constant(node):
    return node.is_Rational or node.is_Float or node.is_NumberSymbol


def _function(node):
    known = node.is_Function and str(type(node).__module__).startswith("sympy.")
    return _FUNCTIONS.get(node.func.__name__) if known else None


def _refuse(node):
    sympy = sys.modules["sympy"]
    if node in (sympy.nan, sympy.oo, -sympy.oo, sympy.zoo):
        raise Problem("error", "Your expression contains NaN or infinity. Look for a division by zero.")
    if node is sympy.I:
        raise Problem("error", "Your expression contains the imaginary unit I, but a real answer is wanted.")
    name = node.func.__name__
    if name == "Derivative" or isinstance(node, sympy.core.function.AppliedUndef):
        shown = name if name == "Derivative" else short(node, 30)
        raise Problem("error", f"Your expression contains {shown}, a function of time that has no value here. Write "
                               "plain symbols: q1 for the position, qd1 for its rate.")
    raise Problem("error", f"Your expression contains {short(name, 30)}, which cannot be evaluated here. "
                           "Give it with sums, products, powers and functions such as sin and cos.")


class Points:
    """Seeded random values of symbols, the same for every expression of one exercise.

    A symbol is known by its name alone. At the first point all values are positive; at the others they take both signs,
    except those of the names in ``positive``.
    """

    def __init__(self, seed, positive=()):
        import mpmath

        self._context = mpmath.mp.clone()
        self._context.dps = _DIGITS
        self._seed, self._positive = seed, frozenset(positive)

    def number(self, name, k):
        """The value of the symbol called ``name`` at the k-th point (int), a float."""
        rng = np.random.default_rng(zlib.crc32(f"{self._seed}|{name}|{k}".encode()))
        size, negative = rng.uniform(0.4, 1.9), rng.random() < 0.5
        return -size if negative and k > 0 and name not in self._positive else size

    def value(self, expression, k):
        """The expression's value at the k-th point, a float. Raises `Undefined` if there is none."""
        if isinstance(expression, float):
            return expression
        try:
            value = self._evaluate(expression, k, {})
        except (ZeroDivisionError, ValueError, OverflowError, TypeError):
            raise Undefined from None
        return float(value)

    def _evaluate(self, node, k, known):
        if node not in known:
            mp = self._context
            result = mp.mpmathify(self._combine(node, k, known))
            if isinstance(result, mp.mpc):
                if result.imag != 0:
                    raise Undefined
                result = result.real
            if not mp.isfinite(result) or (result != 0 and mp.mag(result) > _MAX_MAGNITUDE):
                raise Undefined
            known[node] = result
        return known[node]

    def _combine(self, node, k, known):
        mp = self._context
        if node.is_Symbol:
            return mp.mpf(self.number(node.name, k))
        if node.is_Rational:
            return mp.mpf(node.p) / node.q
        if node.is_Float or node.is_NumberSymbol:
            return mp.make_mpf(node._as_mpf_val(mp.prec))
        values = [self._evaluate(child, k, known) for child in node.args]
        if node.is_Add:
            return mp.fsum(values)
        if node.is_Mul:
            return mp.fprod(values)
        return mp.power(*values) if node.is_Pow else getattr(mp, _function(node))(*values)
