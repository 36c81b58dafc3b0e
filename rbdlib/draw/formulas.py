"""Formulas, tables and code as they appear in the course: `formula`, `table`, `show_code`.

Each returns an object that a notebook shows typeset and everything else prints as plain text. The text contains
nothing random, and rounding noise is shown as 0, because the tests compare it.
"""

import ast
import html
import inspect
import re
import textwrap
from collections import namedtuple

import numpy as np

_GREEK = ("alpha beta gamma delta epsilon theta kappa lambda mu nu xi pi rho sigma tau phi psi omega "
          "Gamma Delta Theta Lambda Phi Psi Omega").split()


class Formula(namedtuple("Formula", "parts digits spatial", defaults=(True,))):
    """Named values to be shown as formulas; see `formula`."""

    def __repr__(self):
        return "\n".join(_plain(name, value, self.digits, self.spatial) for name, value in self.parts)

    def _repr_latex_(self):
        pieces = [_latex_equation(name, value, self.digits, self.spatial) for name, value in self.parts]
        return r"$\displaystyle " + r" \qquad ".join(pieces) + "$"


def formula(*values, digits=4, spatial=True, **named):
    """Show numbers, symbols, vectors and matrices as formulas: ``formula(v_1=v1, H=H)``. Returns a `Formula`.

    A vector is a column; 6-vectors and 6 x 6 matrices have a thin rule between the angular and the linear part, unless
    spatial is False, as for the H of an arm of six joints. Names are the keywords (tau, qdd and v_1 become symbols); a
    name that is no Python word goes in a dictionary of LaTeX: ``formula(**{"{}^{2}X_{1}": X})``. digits: significant
    digits of floats; below 1e-12 of the largest they show as 0.
    """
    if not values and not named:
        raise ValueError("formula was given nothing to show; write formula(v=v).")
    parts = [("", _array(value)) for value in values] + [(name, _array(value)) for name, value in named.items()]
    for name, array in parts:
        if array.ndim > 2:
            raise ValueError(f"{name or 'The value'} has shape {array.shape}; expected a number, a vector or a matrix.")
    return Formula(tuple(parts), digits, spatial)


def _array(value):
    if hasattr(value, "tolist") and not isinstance(value, np.ndarray):
        value = value.tolist()
    return np.array(value, dtype=object)


def _entries(array, show_number, show_other, digits):
    """The entries as texts, in a grid of rows and columns; a vector is one column."""
    grid = array.reshape(array.size, 1) if array.ndim < 2 else array
    noise = 1e-12 * max([1.0, *(abs(float(x)) for x in grid.flat if _is_float(x))])
    return [[_entry(x, noise, digits, show_number, show_other) for x in row] for row in grid]


def _entry(x, noise, digits, show_number, show_other):
    if _is_float(x):
        return show_number("0" if abs(x) <= noise else f"{float(x):.{digits}g}")
    if hasattr(x, "free_symbols"):
        import sympy

        x = x.xreplace({number: sympy.Float(f"{float(number):.{digits}g}") for number in x.atoms(sympy.Float)})
    return show_other(x)


def _is_float(x):
    """True if x is a number to be rounded: a float, or SymPy's or mpmath's kind of float."""
    return isinstance(x, float | np.floating) or type(x).__name__ in ("Float", "mpf")


def _rules(array, spatial):
    """After which row and which column a thin rule goes: 3 where the array is spatial, otherwise 0."""
    rows = 3 if spatial and array.ndim and array.shape[0] == 6 else 0
    return rows, 3 if rows and array.ndim == 2 and array.shape[1] == 6 else 0


def _plain(name, array, digits, spatial):
    rows = _entries(array, str, str, digits)
    after_row, after_column = _rules(array, spatial)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = [[text.rjust(width) for text, width in zip(row, widths, strict=True)] for row in rows]
    if after_column:
        cells = [[*row[:3], "|", *row[3:]] for row in cells]
    lines = ["  ".join(row) for row in cells]
    if after_row:
        lines.insert(3, "-" * len(lines[0]))
    lead = f"{name} = " if name else ""
    if array.ndim == 0:
        return lead + lines[0].strip()
    return "\n".join((lead if k == 0 else " " * len(lead)) + f"[{line}]" for k, line in enumerate(lines))


def _latex_equation(name, array, digits, spatial):
    rows = _entries(array, _latex_number, _latex_expression, digits)
    lead = f"{_latex_name(name)} = " if name else ""
    if array.ndim == 0:
        return lead + rows[0][0]
    after_row, after_column = _rules(array, spatial)
    columns = "ccc|ccc" if after_column else "c" * len(rows[0])
    lines = [" & ".join(row) for row in rows]
    if after_row:
        lines[3] = r"\hline " + lines[3]
    return lead + rf"\left[\begin{{array}}{{{columns}}}" + r" \\ ".join(lines) + r"\end{array}\right]"


def _latex_number(text):
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else text


def _latex_name(name):
    """A Python name as a symbol: tau, q_1, qdd, v_J2; anything with a brace or backslash is LaTeX already."""
    if re.search(r"[{}\\^]", name):
        return name
    base, _, index = name.partition("_")
    if not index and (match := re.fullmatch(r"([A-Za-z]+?)(\d+)", base)):
        base, index = match.groups()
    dots = {"qd": r"\dot{q}", "qdd": r"\ddot{q}"}
    base = dots.get(base) or ("\\" + base if base in _GREEK else base if len(base) == 1 else rf"\mathrm{{{base}}}")
    return base + (rf"_{{{index}}}" if index else "")


def _latex_expression(x):
    if not type(x).__module__.startswith("sympy"):
        return str(x) if isinstance(x, int | np.integer) else rf"\mathtt{{{x}}}"
    import sympy

    rates = {s: _latex_name(s.name) for s in getattr(x, "free_symbols", ()) if re.fullmatch(r"qdd?_?\d*", s.name)}
    return sympy.latex(x, symbol_names=rates)


class Table(namedtuple("Table", "rows header")):
    """Rows of texts under a header; see `table`."""

    def __repr__(self):
        lines = [self.header, *self.rows]
        widths = [max(len(line[k]) for line in lines) for k in range(len(self.header))]
        lines.insert(1, ["-" * width for width in widths])
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)

    def _repr_html_(self):
        def line(texts, tag):
            return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>"

        body = "".join(line(row, "td") for row in self.rows)
        return f"<table><thead>{line(self.header, 'th')}</thead><tbody>{body}</tbody></table>"


def table(rows, header, *, digits=4):
    """A small table. rows: lists of numbers and texts. header: one text per column, with its unit. Returns a `Table`.

    Floats are rounded to the given number of significant digits; rounding noise below 1e-12 shows as 0.
    """
    rows = [list(row) for row in rows]
    for k, row in enumerate(rows, 1):
        if len(row) != len(header):
            raise ValueError(f"Row {k} has {len(row)} entries, but the header has {len(header)}. Give one a column.")
    texts = tuple(tuple(_entry(x, 1e-12, digits, str, str) for x in row) for row in rows)
    return Table(texts, tuple(map(str, header)))


class Code(namedtuple("Code", "source place")):
    """Source text; see `show_code`."""

    def __repr__(self):
        return self.source

    def _repr_markdown_(self):
        return f"`{self.place}`\n```python\n{self.source}\n```"


def show_code(*functions):
    """The source of functions or classes without their docstrings, to be read beside their equations. Returns a `Code`.

    Raises TypeError for what has no Python source.
    """
    if not functions:
        raise TypeError("show_code was given nothing to show; write show_code(rbdlib.rnea).")
    place = ", ".join(dict.fromkeys(str(getattr(f, "__module__", "")) for f in functions))
    return Code("\n\n\n".join(_source(f) for f in functions), place)


def _source(function):
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (TypeError, OSError):
        raise TypeError(f"{function!r} has no Python source to show. Give a function or class in Python.") from None
    lines = source.splitlines()
    definitions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    for node in sorted(definitions, key=lambda node: -node.lineno):
        if ast.get_docstring(node) is not None and len(node.body) > 1:
            first = node.body[0].lineno - 1
            del lines[first : node.body[0].end_lineno]
            while not lines[first].strip():
                del lines[first]
    return "\n".join(re.sub(r"(?<=\S) {2,}#", "  #", line) for line in lines)     # so that a page's width is enough
