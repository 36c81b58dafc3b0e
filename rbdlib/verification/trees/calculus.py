"""Derivatives of formulas, on the tree: by one symbol, and by time."""

from rbdlib.verification.trees import nodes
from rbdlib.verification.trees.nodes import ONE, TIME, TWO, ZERO, Function, Number, Operation, Symbol, TooLarge


def differentiate(tree, symbol):
    """The partial derivative of a formula by a Symbol: symbols with other dots are independent of it.

    Nothing is simplified except factors 1 and terms 0. Raises TypeError (no Symbol), TooLarge.
    """
    if not isinstance(symbol, Symbol):
        raise TypeError(f"symbol is {symbol!r}; a formula is differentiated by a Symbol, such as Symbol('q1').")
    return _derivative(carried_out(tree, lambda symbol: False), lambda leaf: ONE if leaf == symbol else ZERO)


def time_derivative(tree, moving):
    """The derivative of a formula by time: each moving symbol gets one more dot, and t has the derivative 1.

    moving: a function that says of a Symbol whether it changes. All others are constants. Raises TooLarge.
    """
    def rate(symbol):
        if symbol == TIME:
            return ONE
        if not moving(symbol):
            return ZERO
        if symbol.dots == nodes.MOST_DOTS:
            raise TooLarge(f"The symbol {symbol.name} would get more than {nodes.MOST_DOTS} time derivatives.")
        return Symbol(symbol.name, symbol.dots + 1)

    return _derivative(carried_out(tree, moving), rate)


def carried_out(tree, moving, before=None):
    """The tree with every `Derivative` in it carried out. moving: as in `time_derivative`.

    before: a dict that learns {id(changed part): (changed part, the part as it was)}, so that what was written can be
    found again.
    """
    if not any(isinstance(node, nodes.Derivative) for node in nodes.postorder(tree)):
        return tree

    def rule(node, parts):
        changed = nodes.with_children(node, parts)
        if isinstance(node, nodes.Derivative):
            changed = time_derivative(changed.of, moving) if node.by == "t" else differentiate(changed.of, node.by)
        if before is not None and changed is not node:
            before[id(changed)] = changed, node
        return changed

    return nodes.fold(tree, rule)


def _derivative(tree, leaf):
    """The derivative of a tree without derivatives in it, given the function that differentiates a Symbol."""
    def rule(node, rates):
        if isinstance(node, (nodes.Matrix, nodes.Equation)):
            return nodes.with_children(node, rates)
        if isinstance(node, Symbol):
            return leaf(node)
        if all(rate is ZERO for rate in rates):
            return ZERO
        match node:
            case Function(name="atan2", arguments=(y, x)):
                return over(plus(times(x, rates[0]), minus(times(y, rates[1]))), plus(_square(y), _square(x)))
            case Function():
                return times(_SLOPES[node.name](*node.arguments), rates[0])
            case Operation(kind="+"):
                return plus(*rates)
            case Operation(kind="neg"):
                return minus(rates[0])
            case Operation(kind="*", operands=operands):
                return plus(*(times(*operands[:i], rate, *operands[i + 1 :]) for i, rate in enumerate(rates)))
            case Operation(kind="/", operands=(a, b)):
                return plus(over(rates[0], b), minus(over(times(a, rates[1]), power(b, TWO))))
        base, exponent = node.operands
        if rates[1] is not ZERO:
            return times(node, plus(times(rates[1], Function("log", (base,))), over(times(exponent, rates[0]), base)))
        known = isinstance(exponent, Number) and exponent.value >= 1
        less = Number(exponent.value - 1) if known else Operation("+", (exponent, Operation("neg", (ONE,))))
        return times(exponent, power(base, less), rates[0])

    found = nodes.fold(tree, rule)
    nodes.postorder(found)                                 # raises TooLarge
    return found


# Sums, products, ... in which zeros and ones leave no trace


def _joined(kind, parts, nothing):
    parts = tuple(part for part in parts if part != nothing)
    return nothing if not parts else parts[0] if len(parts) == 1 else Operation(kind, parts)


def plus(*parts):
    """The sum of trees; zeros are left out."""
    return _joined("+", parts, ZERO)


def times(*parts):
    """The product of trees; ones are left out, and a zero makes it zero."""
    return ZERO if ZERO in parts else _joined("*", parts, ONE)


def minus(part):
    """The negative of a tree."""
    if part == ZERO:
        return ZERO
    return part.operands[0] if isinstance(part, Operation) and part.kind == "neg" else Operation("neg", (part,))


def difference(left, right):
    """left - right as a tree; left alone if there is no right side."""
    return left if right is None else Operation("+", (left, Operation("neg", (right,))))


def over(above, below):
    """The quotient of two trees."""
    return ZERO if above == ZERO else above if below == ONE else Operation("/", (above, below))


def power(base, exponent):
    """The power of a tree; exponents 0 and 1 are carried out."""
    if exponent == ONE:
        return base
    return ONE if exponent == ZERO else Operation("^", (base, exponent))


def _square(x):
    return power(x, TWO)


def _f(name):
    return lambda x: Function(name, (x,))


_sin, _cos, _tanh, _sqrt = map(_f, ("sin", "cos", "tanh", "sqrt"))
_SLOPES = {
    "sin": _cos, "sinh": _f("cosh"), "cosh": _f("sinh"), "exp": _f("exp"), "abs": _f("sign"),
    "cos": lambda x: minus(_sin(x)), "tan": lambda x: over(ONE, _square(_cos(x))),
    "cot": lambda x: minus(over(ONE, _square(_sin(x)))), "sec": lambda x: over(_sin(x), _square(_cos(x))),
    "csc": lambda x: minus(over(_cos(x), _square(_sin(x)))),
    "asin": lambda x: over(ONE, _sqrt(plus(minus(_square(x)), ONE))),
    "acos": lambda x: minus(over(ONE, _sqrt(plus(minus(_square(x)), ONE)))),
    "atan": lambda x: over(ONE, plus(ONE, _square(x))), "tanh": lambda x: plus(ONE, minus(_square(_tanh(x)))),
    "asinh": lambda x: over(ONE, _sqrt(plus(_square(x), ONE))),
    "acosh": lambda x: over(ONE, _sqrt(plus(_square(x), minus(ONE)))),
    "atanh": lambda x: over(ONE, plus(ONE, minus(_square(x)))), "log": lambda x: over(ONE, x),
    "sqrt": lambda x: over(ONE, times(TWO, _sqrt(x))), "sign": lambda x: ZERO}
