"""Units: those that stand after a number in a text, of formulas of units such as "kg m^2", of SymPy and of pint."""

import re
from fractions import Fraction

from rbdlib.verification.trees.dimensions_of_model import PLAIN, combined
from rbdlib.verification.trees.nodes import Number, Operation, Symbol, Unit, fold

_AFTER_NUMBER = re.compile(
    r"(?:\\[,;:]|~|\s)*(?:\\(?:mathrm|text|textrm|rm|unit|si)\s*\{\s*)?(?P<unit>kg(?:[\s*·]*m(?:\^2|\*\*2|²))?|"
    r"m\s*/\s*s(?:\^2|\*\*2|\^\{2\}|²)|m\s+s\^(?:-2|\{-2\})|rad|Nm|cm|mm)\s*\}?(?![A-Za-z0-9_(\[^'])")
#: Units that the grammar would read otherwise.
SPELLED = {"Nm": "N m", "deg": "degree", "": "1", "-": "1"}


def of_pint(quantity):
    """(dimension, factor to SI) of a unit or quantity of pint; None for anything else, or for units of no mechanics."""
    dimensionality = getattr(quantity, "dimensionality", None)
    if dimensionality is None:
        return None
    exponents = {str(name): Fraction(x).limit_denominator(100) for name, x in dict(dimensionality).items()}
    if set(exponents) - {"[mass]", "[length]", "[time]"}:
        return None
    factor = Fraction(repr(float((1 * quantity).to_base_units().magnitude)))
    return tuple(exponents.get(name, Fraction(0)) for name in ("[mass]", "[length]", "[time]")), factor


def unit_of_tree(tree):
    """(dimension, factor to SI) of a unit read as a formula; None if it is none that is known here."""
    from sympy.physics import units

    def rule(node, parts):
        if isinstance(node, Symbol) and not node.dots:
            return of_quantity(getattr(units, node.name, None))
        if None in parts:
            return None
        match getattr(node, "kind", ""), *parts:
            case ["*", *factors]:
                dimension, size = PLAIN, Fraction(1)
                for part, factor in factors:
                    dimension, size = combined(dimension, part, 1), size * factor
                return dimension, size
            case "/", (above, a), (below, b):
                return combined(above, below, -1), a / b
            case "neg", (dimension, a) if dimension == PLAIN:
                return PLAIN, -a
            case "^", (dimension, a), (exponent, b) if exponent == PLAIN and b.denominator == 1 and abs(b) < 10:
                return combined(PLAIN, dimension, b), a ** int(b)
        return (PLAIN, node.value) if isinstance(node, Number) and not isinstance(node.exact, str) else None

    return fold(tree, rule)


def of_quantity(quantity):
    """(dimension, factor to SI) of a SymPy unit; None if it is none, or none of mechanics."""
    from sympy.physics.units import Quantity
    from sympy.physics.units.systems.si import SI, dimsys_SI

    if not isinstance(quantity, Quantity):
        return None
    found = dimsys_SI.get_dimensional_dependencies(SI.get_quantity_dimension(quantity))
    exponents = {str(getattr(base, "name", base)): Fraction(int(x.p), int(x.q)) if hasattr(x, "q") else Fraction(x)
                 for base, x in found.items()}
    if set(exponents) - {"mass", "length", "time", "angle"}:
        return None
    scale = SI.get_quantity_scale_factor(quantity) / 1000 ** int(exponents.get("mass", 0))   # SymPy counts in grams
    factor = Fraction(int(scale.p), int(scale.q)) if scale.is_Rational else Fraction(str(scale.evalf(30)))
    return tuple(exponents.get(name, Fraction(0)) for name in ("mass", "length", "time")), factor


def unit_after(text, position, names, formula):
    """(unit, end) of a unit that stands after a number in a text: "9.81 m/s^2", "2 kg"; None if there is none.

    names: those that exist; a unit whose letters all exist as names is no unit. formula: the function that reads a
    formula, text -> tree.
    """
    match = _AFTER_NUMBER.match(text, position)
    if match is None or set(re.findall(r"[A-Za-z]+", match["unit"])) <= set(names):
        return None
    plain = re.sub(r"[{}]", "", match["unit"]).replace("²", "^2").replace("·", "*")
    dimension, factor = unit_of_tree(formula(SPELLED.get(plain, plain)))
    return Unit(plain, factor=factor, dimension=dimension, span=match.span("unit")), match.end()


def quantity_tree(quantity):
    """The tree of a quantity of pint: its size in SI units times the unit; None for anything else."""
    found = of_pint(quantity)
    if found is None:
        return None
    size = Number(repr(float(abs(found[1]))))
    unit = Unit(str(quantity.to_base_units().units), dimension=found[0])
    return Operation("*", (Operation("neg", (size,)) if found[1] < 0 else size, unit))
