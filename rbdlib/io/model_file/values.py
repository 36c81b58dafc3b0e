"""The values in a model file: numbers, vectors and lists, turned into floats or SymPy expressions."""

import difflib
import keyword
import re

import numpy as np

from rbdlib.book.ch04_model import ModelError
from rbdlib.io.model_file.expressions import FUNCTIONS, LARGEST_NUMBER, evaluate, operations, parse
from rbdlib.methods.joint_character import WORDS
from rbdlib.numbers.scalars import as_floats, floats

PARAMETER_KEYS = ("value", "unit", "meaning", "positive")


class Values:
    """Reads the values of a model file with the parameters at hand; errors (ModelError) begin with ``where``.

    parameters: their values by name; sizes: the number of operations in each that is a formula (see `evaluate`).
    """

    def __init__(self, symbolic):
        self.parameters, self.sizes, self.symbolic = {}, {}, symbolic

    def number(self, value, where):
        if isinstance(value, str):
            return evaluate(value, self.parameters, self.constant, where, self.sizes if self.symbolic else None)
        if value is None:
            raise ModelError(f"{where} is missing; give a number or an expression in quotation marks.")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ModelError(f"{where} is {value!r}; give a number or an expression in quotation marks.")
        if not abs(value) <= LARGEST_NUMBER:
            raise ModelError(f"{where} is {str(value)[:20]}; give a finite number, less than {LARGEST_NUMBER:g}.")
        return self.constant(value)

    def constant(self, value):
        if not self.symbolic:
            return float(value)
        import sympy

        return sympy.Integer(value) if isinstance(value, int) else sympy.Rational(str(value))

    def array(self, values, where):
        if not isinstance(values, list):
            raise ModelError(f"{where} is {values!r}; give a list of numbers.")
        if values and all(isinstance(row, list) for row in values):
            if len({len(row) for row in values}) > 1:
                raise ModelError(f"{where}: the rows have different lengths; give one number per entry.")
            return np.array([self.array(row, where) for row in values])
        return np.array([self.number(value, where) for value in values])

    def vector(self, values, where):
        array = self.array(values, where)
        if array.shape != (3,):
            raise ModelError(f"{where} is {values!r}; give three numbers.")
        return array


def read_parameters(table, symbolic):
    """`Values` with the named parameters, each a number or an expression in those above it; symbols if asked for."""
    if not isinstance(table, dict):
        raise ModelError(f"parameters is {table!r}; write [parameters] and below it lines such as m = 1.5")
    values = Values(symbolic)
    for name, entry in table.items():
        entry = entry if isinstance(entry, dict) else {"value": entry}
        refuse_unknown_keys(entry, PARAMETER_KEYS, f"parameters.{name}")
        require_text(entry, ("unit", "meaning"), f"parameters.{name}: ")
        if not re.fullmatch(r"[A-Za-z]\w*", name) or name in ("pi", *FUNCTIONS) or keyword.iskeyword(name):
            raise ModelError(f"parameters.{name}: choose a name of letters and digits other than pi, sqrt, sin, cos "
                             "and the words of Python, such as lambda.")
        positive = entry.get("positive", entry.get("unit") in ("kg", "kg m^2"))
        if not isinstance(positive, bool):
            raise ModelError(f"parameters.{name}: positive is {positive!r}; write true or false.")
        value = values.number(entry.get("value"), f"parameters.{name}")
        if entry.get("positive") and as_floats(value) is not None and value <= 0:
            raise ModelError(f"parameters.{name} is {value}, although it is said to be positive.")
        if isinstance(entry["value"], str):
            values.sizes[name] = operations(parse(entry["value"], f"parameters.{name}"), values.sizes)
        elif symbolic:
            import sympy

            value = sympy.Symbol(name, positive=True) if positive else sympy.Symbol(name, real=True)
        values.parameters[name] = value
    return values


def shown(value):
    """A value as messages show it: a key that is not there is missing, not None."""
    return "missing" if value is None else repr(value)


def plain(array):
    """Numbers of any kind as the lists of floats, or the float, that a file can hold; ValueError for symbols."""
    return floats(array, "The model contains symbols, but a file holds numbers: save the numerical model.").tolist()


def refuse_unknown_keys(table, known, where):
    for key in table:
        if key not in known:
            meant = WORDS.get(key)
            close = [meant] if meant in known else difflib.get_close_matches(key, known, 1)
            choice = f"choose from {', '.join(known)}." if known else "it takes none."
            raise ModelError(f"{where}: there is no key {key!r}; {f'did you mean {close[0]!r}?' if close else choice}")


def refuse_both(table, key, others, where):
    for other in others:
        if key in table and other in table:
            raise ModelError(f"{where}: {key} and {other} say the same thing; give only one of them.")


def require_text(table, keys, where=""):
    for key in keys:
        if not isinstance(table.get(key, ""), str):
            raise ModelError(f"{where}{key} is {table[key]!r}; write text in quotation marks.")
