"""Units: those that stand after a number in a text, of formulas of units such as "kg m^2", of SymPy and of pint."""

import contextlib
import functools
import re
from fractions import Fraction

from rbdlib.verification.trees.nodes import ARITHMETIC, Number, Operation, Symbol, Unit, fold

_END = r"(?![A-Za-z0-9_(\[^'])"
_AFTER_NUMBER = re.compile(
    r"(?P<gap>(?:\\[,;:]|~|\s)*)(?:\\(?:mathrm|text|textrm|rm|unit|si)\s*\{(?P<upright>(?:[^{}\n]|\{[^{}\n]{1,5}\}){1,30})\}|"
    r"(?P<unit>kg(?:[\s*·]*m(?:\^2|\*\*2|²))?|"
    rf"m\s*/\s*s(?:\^2|\*\*2|\^\{{2\}}|²)|m\s+s\^(?:-2|\{{-2\}})|rad|Nm|cm|mm)){_END}")
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


@functools.lru_cache(1000)
def unit_of_tree(tree):
    """(dimension, factor to SI) of a unit read as a formula; None if it is none that is known here."""
    from sympy import Rational
    from sympy.physics import units

    def rule(node, parts):
        if isinstance(node, Symbol) and not node.dots:
            unit = getattr(units, node.name, None)
            return unit if isinstance(unit, units.Quantity) else None
        if isinstance(node, Number) and not isinstance(node.exact, str):
            return Rational(node.value)
        if not isinstance(node, Operation) or node.kind == "+" or None in parts:
            return None
        if node.kind == "^" and parts[1] not in range(-9, 10):
            return None
        return ARITHMETIC[node.kind](*parts)

    return of_quantity(fold(tree, rule))


def of_quantity(unit):
    """(dimension, factor to SI) of a product of SymPy's units; None if it is none, or none of mechanics."""
    from sympy import Expr, Mul
    from sympy.physics.units import convert_to, kilogram, meter, radian, second

    if not isinstance(unit, Expr):
        return None
    powers = convert_to(unit, (kilogram, meter, second, radian)).as_powers_dict()
    exponents, _ = [powers.pop(base, 0) for base in (kilogram, meter, second)], powers.pop(radian, 0)
    factor = Mul(*(base**exponent for base, exponent in powers.items()))
    if not (factor.is_number and factor.is_positive):       # it has other units in it, or is 0 or infinite
        return None
    return tuple(map(Fraction, exponents)), Fraction(str(factor if factor.is_Rational else factor.evalf(30)))


def plain_unit(text):
    """A unit in plain text: "N m" for \\mathrm{N\\,m} and for Nm."""
    plain = re.sub(r"\\(?:mathrm|text|rm|unit|si)(?![a-z])|\\[,;: ]|~", " ", text.replace("\\cdot", "*"))
    plain = re.sub(r"[{}]", "", plain).replace("²", "^2").replace("·", "*").strip()
    plain = SPELLED.get(plain, plain)
    return re.sub(r"\b(k?)N(m?)(s?)\b", lambda x: f"{'1000 ' * bool(x[1])}N {x[2]} {x[3]}", plain)


def unit_after(text, position, names, formula):
    """(unit, end) of a unit that stands after a number in a text: "9.81 m/s^2", "2 kg"; None if there is none.

    names: those that exist; a unit whose letters all exist as names is no unit, but for 2\\,\\mathrm{m} at an end.
    formula: the function that reads a formula, text -> tree.
    """
    match = _AFTER_NUMBER.match(text, position)
    if match is None:
        return None
    kind, metres = match.lastgroup or "", match["gap"] and match["upright"] == "m"
    if set(re.findall(r"[A-Za-z]+", match[kind])) <= set(names) and not (
            metres and re.match(r"\s*(?:$|[])},;.\n])", text[match.end() :])):
        return None
    with contextlib.suppress(ValueError):
        if found := unit_of_tree(formula(plain := plain_unit(match[kind]))):
            name = " ".join(plain.split()).replace(" /", "/")
            return Unit(name, factor=found[1], dimension=found[0], span=match.span(kind)), match.end()
    return None


def quantity_tree(quantity):
    """The tree of a quantity of pint: its size in SI units times the unit; None for anything else."""
    found = of_pint(quantity)
    if found is None:
        return None
    size = Number(repr(float(abs(found[1]))))
    unit = Unit(str(quantity.to_base_units().units), dimension=found[0])
    return Operation("*", (Operation("neg", (size,)) if found[1] < 0 else size, unit))
