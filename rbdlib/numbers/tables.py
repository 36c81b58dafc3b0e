"""Tables as text."""

from math import floor, log10

import numpy as np

from rbdlib.numbers.scalars import as_floats


def column_texts(numbers):
    """The entries of a matrix as texts, rounded to five digits of the largest; formulas are written out."""
    values = as_floats(numbers)
    if values is None:
        return [[str(x) for x in row] for row in numbers]
    largest = np.abs(values).max(initial=0)
    decimals = min(max(4 - floor(log10(largest)), 0), 15) if largest > 0 else 0
    return [[f"{round(x, decimals) + 0.0:.{decimals}f}" for x in row] for row in values]


def text_table(header, rows):
    """A table as text: the first column to the left, the others to the right."""
    lines = [tuple(header), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join("  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
                     for line in lines)
