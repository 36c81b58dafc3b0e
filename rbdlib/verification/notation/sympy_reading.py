"""Formulas from SymPy."""

import math
import re
import sys
from fractions import Fraction
from numbers import Rational

from rbdlib.verification.notation.matrices import MOST_ENTRIES
from rbdlib.verification.notation.parser import formula
from rbdlib.verification.notation.unit_names import of_quantity
from rbdlib.verification.trees import nodes
from rbdlib.verification.trees.calculus import times
from rbdlib.verification.trees.names import FUNCTIONS, LONGEST_NAME, beginning, spelled
from rbdlib.verification.trees.nodes import ONE, Function, Number, Operation, Symbol, TooLarge, derivative

MOST_DEPTH, MOST_TERMS = 60, 10_000
_LARGEST = 1000                                         # bits of a whole number


def from_sympy(expression, known=()):
    """The tree of a SymPy expression, equation or matrix.

    Functions of time such as q1(t) become symbols and their time derivatives symbols with dots; symbols named like
    rates (qd1, theta1_ddot) too, unless they are among the names in ``known``.
    Raises ValueError for what has no place in a formula (sums with an index, relations other than =, ...), TooLarge.
    """
    return _FromSympy(known).tree(expression, 0)


class _FromSympy:
    def __init__(self, known):
        self.known, self.made, self.sympy = known, {}, sys.modules["sympy"]

    def tree(self, node, depth):
        if isinstance(node, self.sympy.MatrixBase):
            if node.rows * node.cols > MOST_ENTRIES:
                raise TooLarge(f"The SymPy matrix has more than {MOST_ENTRIES} entries.")
            node = node.as_immutable()
        if len(getattr(node, "args", ())) > MOST_TERMS:
            raise TooLarge(f"A part of the SymPy expression has more than {MOST_TERMS} terms. Simplify it first.")
        if depth > MOST_DEPTH:
            raise TooLarge(f"The SymPy expression is nested more than {MOST_DEPTH} deep. Does a loop make it?")
        if node not in self.made:
            if len(self.made) > nodes.MOST_NODES:
                raise TooLarge(f"The SymPy expression has more than {nodes.MOST_NODES} parts. Collect and simplify it "
                               "first.")
            self.made[node] = self._tree(node, depth + 1)
        return self.made[node]

    def _tree(self, node, depth):
        sympy = self.sympy
        if isinstance(node, sympy.MatrixBase):
            if 0 in node.shape:
                raise ValueError("The SymPy matrix is empty. Give one with entries.")
            return nodes.Matrix(tuple(self._trees(row, depth) for row in node.tolist()))
        if isinstance(node, sympy.Equality):
            return nodes.Equation(*self._trees(node.args, depth))
        if isinstance(node, sympy.Derivative):
            return self._derivative(node, depth)
        if not isinstance(node, sympy.Expr):
            raise ValueError(f"{_shown(node)} is no formula, equation or matrix that can be looked at here."
                             + _remedy(node, sympy))
        if (atom := self._atom(node)) is not None:
            return atom
        if node.is_Add:
            return Operation("+", self._trees(node.args, depth))
        if node.is_Mul:
            return self._product(node, depth)
        if node.is_Pow:
            base, exponent = self._trees((node.base, node.exp), depth)
            if node.base is sympy.E:
                return Function("exp", (exponent,))
            if node.exp == -1:
                return Operation("/", (ONE, base))
            return Function("sqrt", (base,)) if node.exp == sympy.S.Half else Operation("^", (base, exponent))
        name = "abs" if node.func is sympy.Abs else node.func.__name__
        if name in FUNCTIONS and node.is_Function:
            return Function(name, self._trees(node.args, depth))
        raise ValueError(f"The SymPy expression contains {_shown(node)}, which cannot be looked at here."
                         + (_remedy(node, sympy) or " Write it with sums, products, powers and functions such as "
                            "sin, cos and sqrt."))

    def _atom(self, node):
        """The tree of a symbol, a number, a constant or a unit; None for anything else."""
        if node.is_Symbol:
            return _symbol(node.name, self.known)
        if isinstance(node, self.sympy.core.function.AppliedUndef):
            if [str(argument) for argument in node.args] != ["t"]:
                raise ValueError(f"The SymPy expression contains {_shown(node)}, a function that is not known here. "
                                 "Only functions of the time t, such as q1(t), are understood as symbols.")
            return _symbol(node.func.__name__, self.known)
        if node.is_Rational or node.is_Float:
            return number_tree(node)
        if type(node).__module__ == "sympy.physics.units.quantities":
            found = of_quantity(node)
            if found is None:
                raise ValueError(f"The SymPy expression contains {_shown(node)}, which is no unit of mechanics.")
            return nodes.Unit(str(node.abbrev), factor=found[1], dimension=found[0])
        if node is self.sympy.E:
            return Function("exp", (ONE,))
        return nodes.Constant("pi") if node is self.sympy.pi else None

    def _trees(self, parts, depth):
        return tuple(self.tree(part, depth) for part in parts)

    def _product(self, node, depth):
        """Factors with negative whole powers go below a stroke, and a negative number becomes a minus sign."""
        above, below, negative = [], [], False
        for factor in node.args:
            if factor.is_Pow and factor.exp.is_Integer and factor.exp < 0:
                base, power = self.tree(factor.base, depth), -int(factor.exp)
                below.append(base if power == 1 else Operation("^", (base, Number(Fraction(power)))))
            elif factor.is_Rational:
                negative ^= factor < 0
                above += [number_tree(abs(factor.p))] if abs(factor.p) != 1 else []
                below += [number_tree(factor.q)] if factor.q != 1 else []
            else:
                above.append(self.tree(factor, depth))
        tree = Operation("/", (times(*above), times(*below))) if below else times(*above)
        return Operation("neg", (tree,)) if negative else tree

    def _derivative(self, node, depth):
        tree = self.tree(node.expr, depth)
        for by, count in node.variable_count:
            if not count.is_Integer or count > nodes.MOST_DOTS:
                raise ValueError(f"{_shown(node)} is a derivative of an order that cannot be looked at here.")
            tree = derivative(tree, self.tree(by, depth), int(count))
        return tree


def number_tree(x):
    """The tree of a real number of Python, mpmath or SymPy. Raises `TooLarge`."""
    if isinstance(x, Rational):
        above, below = abs(int(x.numerator)), int(x.denominator)
        if max(above, below).bit_length() > _LARGEST:
            raise TooLarge("Your answer contains a number of hundreds of digits. Give it in other units.")
        tree: nodes.Node = Number(Fraction(above))
        tree = tree if below == 1 else Operation("/", (tree, Number(Fraction(below))))
    else:
        text = str(abs(x)) if hasattr(x, "_mpf_") else repr(abs(float(x)))
        if not math.isfinite(float(x)):
            raise TooLarge(f"Your answer contains {text[:30]}. Every number must be finite; look for a division by "
                           "zero.")
        mantissa, e, exponent = text.lower().partition("e")
        whole, _, decimals = mantissa.partition(".")        # zeros at its end carry no information
        tree = Number(f"{whole}.{decimals.rstrip('0') or '0'}{e}{exponent}")
    return Operation("neg", (tree,)) if x < 0 else tree


def _symbol(name, known):
    """The Symbol for a name as SymPy users give it, which may be LaTeX."""
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) and len(name) <= LONGEST_NAME:
        return Symbol(*spelled(name, known))
    tree = formula(name, known)
    if not isinstance(tree, Symbol):
        raise ValueError(f"The SymPy symbol is called {name[:LONGEST_NAME]!r}, which names no symbol. Rename it.")
    return tree


def _shown(node):
    return beginning(f"{type(node).__name__}: {node}" if len(getattr(node, "args", ())) < 5 else type(node).__name__)


def _remedy(node, sympy):
    if type(node).__module__.startswith("sympy.physics.vector"):
        return " Give the components of a vector, with .to_matrix(frame)."
    infinite = " It is not finite. Look for a division by zero."
    same = " An equation whose sides are the same becomes True or False in SymPy; give its sides as text instead."
    return {sympy.true: same, sympy.false: same, sympy.nan: infinite, sympy.oo: infinite, -sympy.oo: infinite,
            sympy.zoo: infinite, sympy.I: " That is the imaginary unit, but a real answer is wanted. For a symbol I "
                                          "write Symbol('I')."}.get(node, "")
