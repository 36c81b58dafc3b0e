"""Expressions such as "m1 * l1 / 2" in model files: read by a small grammar, never evaluated as Python.

Allowed are numbers, parameter names, + - * / **, parentheses, pi, sqrt, sin and cos.
"""

import ast
import math
import operator
from importlib import import_module

from rbdlib.book.ch04_model import ModelError
from rbdlib.numbers import scalars

LONGEST_EXPRESSION = 200
LARGEST_NUMBER = 1e300
MOST_OPERATIONS = 1000
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
FUNCTIONS = {"sqrt": scalars.sqrt, "sin": scalars.sin, "cos": scalars.cos}


def evaluate(text, parameters, constant, where, sizes=None, functions=FUNCTIONS):
    """The value of an expression in a model file. ``constant`` makes a number of the arithmetic wanted.

    sizes: for formulas, the number of operations in each parameter (see `operations`), so that a formula that would
    grow without end is refused before it is made. functions: {name: function of a number} that may be called.

    Raises ModelError for anything but numbers, parameters, + - * / ** (with a whole exponent up to 9), parentheses, pi,
    sqrt, sin, cos.
    """
    tree = parse(text, where)
    if sizes is not None and operations(tree, sizes) > MOST_OPERATIONS:
        raise ModelError(f"{where}: {text!r} is a formula of {operations(tree, sizes)} operations once the parameters "
                         f"in it are written out; {MOST_OPERATIONS} are allowed. Give one of these parameters as a "
                         "number, so that it becomes a symbol, or load the model without symbolic=True.")
    try:
        value = _value(tree, parameters, constant, where, functions)
        if getattr(value, "is_real", True) is False:
            raise ArithmeticError
        scalars.number(value, where)
        return _of_moderate_size(value, where)
    except RecursionError:
        raise ModelError(f"{where} is nested too deeply.") from None
    except ZeroDivisionError:
        raise ModelError(f"{where}: {text!r} divides by zero.") from None
    except (ValueError, ArithmeticError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{where}: {text!r} has no finite real value.") from None


def parse(text, where):
    """The syntax tree of an expression in a model file; ModelError if it is none, or is too long."""
    if len(text) > LONGEST_EXPRESSION:
        raise ModelError(f"{where} is an expression of {len(text)} characters; {LONGEST_EXPRESSION} are allowed.")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise ModelError(f"{where}: {text!r} is not an expression of numbers and parameters.") from None
    except (RecursionError, MemoryError):
        raise ModelError(f"{where} is nested too deeply.") from None


def operations(tree, sizes):
    """The number of operations in a syntax tree, those inside its parameters (``sizes``, by name) included."""
    nodes = list(ast.walk(tree))
    inside = sum(sizes.get(node.id, 0) for node in nodes if isinstance(node, ast.Name))
    return inside + sum(isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Call)) for node in nodes)


def _value(node, parameters, constant, where, functions):
    def value(part):
        return _value(part, parameters, constant, where, functions)

    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            if abs(number) > LARGEST_NUMBER:
                raise OverflowError
            return constant(number)
        case ast.Name(id=name) if name in parameters:
            return parameters[name]
        case ast.Name(id="pi"):
            return math.pi if isinstance(constant(1), float) else import_module("sympy").pi
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return -value(part)
        case ast.UnaryOp(op=ast.UAdd(), operand=part):
            return value(part)
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() as power)) if 0 <= power <= 9:
            if isinstance(power, bool):
                raise ModelError(f"{where}: the exponent {power} is not a whole number.")
            return _of_moderate_size(value(base), where) ** power
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
            first, second = value(left), value(right)
            if isinstance(sign, ast.Div) and second == 0:
                raise ZeroDivisionError
            return OPERATORS[type(sign)](first, second)
        case ast.Call(func=ast.Name(id=name), args=[part], keywords=[]) if name in functions:
            return functions[name](value(part))
        case ast.Name(id=name):
            known = ", ".join(parameters) or "none so far"
            raise ModelError(f"{where}: there is no parameter {name!r} here. Parameters: {known}.")
    raise ModelError(f"{where}: use only numbers, parameters, + - * / ** ( ), pi, sqrt, sin and cos.")


def _of_moderate_size(value, where):
    """The value, refused if it holds a SymPy number so long that powers of its powers would fill the memory."""
    rationals = [x for x in value.atoms() if x.is_Rational] if hasattr(value, "atoms") else []
    if any(max(abs(x.p), x.q).bit_length() > 1000 for x in rationals):
        raise ModelError(f"{where} leads to numbers of hundreds of digits. Give it in other units.")
    return value
