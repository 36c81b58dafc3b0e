"""Expressions such as "m1 * l1 / 2" in model files: read by a small grammar, never evaluated as Python.

Allowed are numbers, parameter names, + - * / **, parentheses, pi, sqrt, sin and cos.
"""

import ast
import math
import operator

from rbdlib import scalars
from rbdlib.model import ModelError

LONGEST_EXPRESSION = 200
LARGEST_NUMBER = 1e300
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
FUNCTIONS = {"sqrt": scalars.sqrt, "sin": scalars.sin, "cos": scalars.cos}


def evaluate(text, parameters, constant, where):
    """The value of an expression in a model file. ``constant`` makes a number of the arithmetic wanted.

    Raises ModelError for anything but numbers, parameters, + - * / ** (with a whole exponent up to 9), parentheses, pi,
    sqrt, sin, cos.
    """
    if len(text) > LONGEST_EXPRESSION:
        raise ModelError(f"{where} is an expression of {len(text)} characters; {LONGEST_EXPRESSION} are allowed.")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise ModelError(f"{where}: {text!r} is not an expression of numbers and parameters.") from None
    except (RecursionError, MemoryError):
        raise ModelError(f"{where} is nested too deeply.") from None
    try:
        value = _value(tree, parameters, constant, where)
        if getattr(value, "is_real", True) is False:
            raise ArithmeticError
        scalars.number(value, where)
        return value
    except RecursionError:
        raise ModelError(f"{where} is nested too deeply.") from None
    except ZeroDivisionError:
        raise ModelError(f"{where}: {text!r} divides by zero.") from None
    except (ValueError, ArithmeticError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{where}: {text!r} has no finite real value.") from None


def _value(node, parameters, constant, where):
    def value(part):
        return _value(part, parameters, constant, where)

    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            if abs(number) > LARGEST_NUMBER:
                raise OverflowError
            return constant(number)
        case ast.Name(id=name) if name in parameters:
            return parameters[name]
        case ast.Name(id="pi"):
            return _pi(constant)
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return -value(part)
        case ast.UnaryOp(op=ast.UAdd(), operand=part):
            return value(part)
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() as power)) if 0 <= power <= 9:
            if isinstance(power, bool):
                raise ModelError(f"{where}: the exponent {power} is not a whole number.")
            return _of_moderate_size(value(base), where) ** power
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
            return OPERATORS[type(sign)](value(left), value(right))
        case ast.Call(func=ast.Name(id=name), args=[part], keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](value(part))
        case ast.Name(id=name):
            known = ", ".join(parameters) or "none so far"
            raise ModelError(f"{where}: there is no parameter {name!r} here. Parameters: {known}.")
    raise ModelError(f"{where}: use only numbers, parameters, + - * / ** ( ), pi, sqrt, sin and cos.")


def _of_moderate_size(base, where):
    """The base of a power, refused if it is a SymPy number so long that powers of its powers would fill the memory."""
    rationals = [] if isinstance(base, float) else [x for x in base.atoms() if x.is_Rational]
    if any(max(abs(x.p), x.q).bit_length() > 1000 for x in rationals):
        raise ModelError(f"{where}: the powers in it lead to numbers of hundreds of digits. Give it in other units.")
    return base


def _pi(constant):
    if isinstance(constant(1), float):
        return math.pi
    import sympy

    return sympy.pi
