"""The value of a formula at numbers, in as many digits as wanted; every step is bounded."""

from rbdlib.verification.trees.calculus import carried_out
from rbdlib.verification.trees.nodes import (
    Constant,
    Derivative,
    Equation,
    Function,
    Matrix,
    Number,
    Symbol,
    Unit,
    children,
    postorder,
)

#: The size of a value, in bits before the binary point, above which it has no meaning here: about 1e300.
LARGEST = 1000
_MPMATH = {"log": "log", "abs": "fabs"}


class Undefined(ValueError):
    """A formula has no finite real value at the given numbers. ``node`` is the smallest part that has none."""

    def __init__(self, message, node):
        super().__init__(message)
        self.node = node


def evaluate(tree, values, context=None):
    """The value of a formula at numbers.

    Parameters: the tree; values, a dict from Symbol to a number; an mpmath context, which says to how many digits
    (mpmath.mp if None). Derivatives in the tree are carried out first: by time, a symbol varies if its next rate is
    among the values.
    Returns: an mpmath number; a list of rows of them for a Matrix.
    Raises `Undefined` if there is no finite real value, KeyError for a symbol without value, TypeError for an Equation,
    TooLarge if derivatives in it cannot be carried out.
    """
    if context is None:
        from mpmath import mp as context
    if isinstance(tree, Equation):
        raise TypeError("An equation has no value. Evaluate its left and its right side.")
    nodes = postorder(tree)
    if any(isinstance(node, Derivative) for node in nodes):
        tree = carried_out(tree, lambda symbol: Symbol(symbol.name, symbol.dots + 1) in values)
        nodes = postorder(tree)
    known = {}
    for node in nodes:
        known[id(node)] = _value(node, [known[id(child)] for child in children(node)], values, context)
    return known[id(tree)]


def _value(node, parts, values, context):
    if isinstance(node, Matrix):
        width = node.shape[1]
        return [parts[i : i + width] for i in range(0, len(parts), width)]
    try:
        result = context.mpmathify(_combined(node, parts, values, context))
    except (ZeroDivisionError, ArithmeticError, ValueError, TypeError):
        raise Undefined(f"{_named(node)} has no value. {_remedy(node)}", node) from None
    if isinstance(result, context.mpc):
        if result.imag != 0:
            raise Undefined(f"{_named(node)} has no real value. Look for the root of a negative number.", node)
        result = result.real
    if not context.isfinite(result) or (result != 0 and context.mag(result) > LARGEST):
        raise Undefined(f"{_named(node)} is infinite or too large. {_remedy(node)}", node)
    return result


def _combined(node, parts, values, context):
    match node:
        case Number():
            return context.mpf(node.value.numerator) / node.value.denominator
        case Unit():
            return context.mpf(node.factor.numerator) / node.factor.denominator
        case Constant():
            return +context.pi
        case Symbol():
            return _given(node, values)
        case Function(name="sign"):
            return context.sign(parts[0])
        case Function():
            return getattr(context, _MPMATH.get(node.name, node.name))(*parts)
    match node.kind:
        case "+":
            return context.fsum(parts)
        case "*":
            return context.fprod(parts)
        case "neg":
            return -parts[0]
        case "/":
            return parts[0] / parts[1]
    return context.power(*parts)


def _given(symbol, values):
    if symbol not in values:
        raise KeyError(f"There is no value for the symbol {symbol.name + symbol.dots * chr(39)}.")
    return values[symbol]


def _remedy(node):
    kind = getattr(node, "kind", getattr(node, "name", ""))
    if kind in ("^", "exp"):
        return "Look at the exponent."
    return "Look for a division by zero." if kind in ("/", "log", "tan", "cot", "sec", "csc") else "Look at its parts."


def _named(node):
    from rbdlib.verification.trees.writing import to_text

    text = to_text(node)
    return text if len(text) <= 60 else text[:57] + "..."
