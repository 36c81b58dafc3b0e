"""The contents of brackets: a formula, a vector or a matrix, for the grammar in `parser`."""

from dataclasses import replace

from rbdlib.verification.notation import matrices
from rbdlib.verification.trees.nodes import Matrix

_UPRIGHT = ("mathrm", "text", "textrm", "mathsf", "mathit", "rm", "mathtt")


def bracket(parser):
    """A formula in brackets, or a vector or matrix if there are commas, semicolons or brackets inside."""
    first, opening = parser.at, parser.next.text
    inside = parser.tokens[first + 1]
    frame = inside.kind == "begin" and parser.partner[first + 1] + 1 == parser.partner[first]
    rows = entries(parser)
    if len(rows) == 1 and len(rows[0]) == 1 and (opening != "[" or frame or not isinstance(rows[0][0], Matrix)):
        return rows[0][0]
    return rows_to_matrix(parser, rows, first)


def entries(parser):
    """The entries between the next bracket and its partner: a list of rows, each a tuple of trees."""
    closing, outside = parser.tokens[parser.partner[parser.at]].text, parser.bars
    parser.bars, in_list = 0, parser.take().text in "[{"
    rows = [[]]
    while True:
        rows[-1].append(parser.sum())
        if parser.sees(","):
            if not in_list:
                refuse_decimal_comma(parser)
            parser.take()
            if parser.sees(closing):
                break
        elif parser.sees(";"):
            parser.take()
            rows.append([])
        else:
            break
    if not parser.sees(closing):
        parser.unexpected()
    parser.take()
    parser.bars = outside
    return [tuple(row) for row in rows]


def refuse_decimal_comma(parser, comma=None):
    """Refuses a comma between two numbers without space. comma: its index, if it is not the next token."""
    comma = parser.at if comma is None else comma
    before, sign, after = parser.tokens[max(comma - 1, 0)], parser.tokens[comma], parser.tokens[comma + 1]
    if before.kind == after.kind == "number" and not after.spaced and not sign.spaced:
        parser.refuse("Is this a decimal comma? Write numbers with a point, as in 1.5; between entries put a space "
                      "after the comma.", comma)


def rows_to_matrix(parser, rows, first):
    """Rows of trees as a `Matrix`: one row of scalars is a vector (a column); columns inside are its rows."""
    if len(rows) == 1:
        rows = [[x for (x,) in entry.rows] if isinstance(entry, Matrix) and entry.shape[1] == 1 else [entry]
                for entry in rows[0]]
    return parser.fitted(first, matrices.from_rows, rows, parser.span(first))


def as_matrix(parser, first):
    """Matrix([[a, b], [c, d]]): the matrix in the bracket that comes next."""
    rows = entries(parser)
    if len(rows) == 1 and isinstance(rows[0][0], Matrix):
        return replace(rows[0][0], span=parser.span(first))
    return rows_to_matrix(parser, rows, first)


def power_of_matrix(parser, matrix):
    """The transpose or the inverse of a matrix, whose sign comes next: T, \\top, \\mathsf{T}, {-1}, ..."""
    first, opened = parser.at, 0
    while parser.sees("{") or (parser.next.kind == "command" and parser.next.text in _UPRIGHT):
        opened += parser.take().text == "{"
    if parser.sees("-") and parser.tokens[parser.at + 1].text == "1":
        parser.at += 2
        made = parser.fitted(first, matrices.inverse, matrix)
    elif parser.sees("⊤", "'") or (parser.next.kind == "word" and parser.next.text == "T"):
        parser.take()
        made = matrices.transposed(matrix)
    else:
        parser.refuse("A matrix cannot be raised to a power here; only its transpose ^T and its inverse ^-1 are "
                      "understood. Give the entries of the result.")
    for _ in range(opened):
        parser.expect("}")
    return made
