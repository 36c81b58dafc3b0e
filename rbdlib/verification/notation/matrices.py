"""Sums and products that contain matrices, carried out entry by entry where they are read."""

import functools

from rbdlib.verification.trees.nodes import MOST_NODES, ONE, TWO, Function, Matrix, Operation, Symbol, written_size

MOST_ENTRIES = 2500
#: The name of an entry that is given by symmetry.
SYMMETRIC = "symmetric_entry"
#: The note for entries of which only a sign says that they are given by symmetry.
BY_SYMMETRY = "Entries that are only a sign were taken to be those across the diagonal."
MINUS_ONE = Operation("neg", (ONE,))
_LARGEST_INVERSE = 3


class DoesNotFit(ValueError):
    """Matrices of these shapes cannot be combined so; the message is a sentence."""


def operation(kind, operands, span=None):
    """An `Operation`, or a `Matrix` if an operand is one. Raises `DoesNotFit`."""
    if not any(isinstance(operand, Matrix) for operand in operands):
        return Operation(kind, tuple(operands), span=span)
    match kind, *operands:
        case "+", *_:
            shapes = {operand.shape if isinstance(operand, Matrix) else None for operand in operands}
            if len(shapes) > 1:
                texts = sorted("a matrix of {} x {}".format(*s) if s else "a single formula" for s in shapes)
                raise DoesNotFit(f"A sum has {' and '.join(texts)}. Its parts must have the same shape.")
            return _entrywise("+", operands, span)
        case "*", *_:
            return functools.reduce(lambda a, b: _product(a, b, span), operands)
        case "neg" | "/", *_ if not isinstance(operands[-1], Matrix) or kind == "neg":
            return _entrywise(kind, operands, span)
        case "^", matrix, exponent if exponent == MINUS_ONE:
            return inverse(matrix)
        case "^", vector, exponent if exponent == TWO and 1 in vector.shape:            # v^2 is v·v
            return _product(vector, vector, span)
    raise DoesNotFit("A matrix cannot stand below a division or be raised to a power here. Give the entries of the "
                     "result; only the transpose, as in [a, b]^T, is understood.")


def function(name, arguments, span=None):
    """A `Function` of scalars, or for "abs" the length of a vector. Raises `DoesNotFit`."""
    if name == "abs" and isinstance(arguments[0], Matrix) and 1 in arguments[0].shape:
        return Function("sqrt", (_product(arguments[0], arguments[0], span),), span=span)
    if any(isinstance(argument, Matrix) for argument in arguments):
        raise DoesNotFit(f"The function {name} has a matrix or a list as its argument. Give it one formula.")
    return Function(name, tuple(arguments), span=span)


def transposed(matrix):
    """The transpose of a `Matrix`."""
    return Matrix(tuple(zip(*matrix.rows, strict=True)), span=matrix.span)


def inverse(matrix):
    """The inverse of a small `Matrix`, by its cofactors. Raises `DoesNotFit`."""
    n, columns = matrix.shape
    if n != columns or n > _LARGEST_INVERSE:
        raise DoesNotFit(f"Only a square matrix of at most {_LARGEST_INVERSE} rows can be inverted here. Give the "
                         "entries of the result.")
    below = _determinant(matrix.rows)
    return Matrix(tuple(tuple(Operation("/", (_cofactor(matrix.rows, j, i), below), span=matrix.span)
                              for j in range(n)) for i in range(n)), span=matrix.span)


def _cofactor(rows, i, j):
    minor = tuple(row[:j] + row[j + 1 :] for k, row in enumerate(rows) if k != i)
    value = _determinant(minor) if minor else ONE
    return Operation("neg", (value,)) if (i + j) % 2 else value


def _determinant(rows):
    if len(rows) == 1:
        return rows[0][0]
    return Operation("+", tuple(Operation("*", (rows[0][j], _cofactor(rows, 0, j))) for j in range(len(rows))))


def from_rows(rows, span=None):
    """A `Matrix` from rows of scalars. Raises `DoesNotFit`: ragged, too large, or matrices inside."""
    if any(isinstance(entry, Matrix) for row in rows for entry in row):
        raise DoesNotFit("A matrix has matrices among its entries. Write out all rows, as in [[a, b], [c, d]].")
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1:
        raise DoesNotFit(f"The rows of the matrix have different lengths ({lengths[0]} and {lengths[-1]}). Give one "
                         "formula for each entry.")
    if len(rows) * lengths[0] > MOST_ENTRIES:
        raise DoesNotFit(f"The matrix has more than {MOST_ENTRIES} entries.")
    mirrored = [[rows[j][i] if entry == Symbol(SYMMETRIC) and i < len(rows) == len(row) else entry
                 for j, entry in enumerate(row)] for i, row in enumerate(rows)]
    return Matrix(tuple(map(tuple, mirrored)), span=span)


def _entrywise(kind, operands, span):
    """The operation in each entry; a scalar stands in all of them."""
    def entry(i, j):
        parts = tuple(operand.rows[i][j] if isinstance(operand, Matrix) else operand for operand in operands)
        return Operation(kind, parts, span=span if kind == "+" else matrix.rows[i][j].span)

    matrix = next(operand for operand in operands if isinstance(operand, Matrix))
    rows, columns = map(range, matrix.shape)
    return Matrix(tuple(tuple(entry(i, j) for j in columns) for i in rows), span=span)


def _product(a, b, span):
    """The product of two operands; of two columns, or rows, the scalar product."""
    if not isinstance(a, Matrix) and not isinstance(b, Matrix):
        return Operation("*", (a, b), span=span)
    if not isinstance(a, Matrix) or not isinstance(b, Matrix):
        return _entrywise("*", (a, b), span)
    if a.shape == b.shape and 1 in a.shape:
        squares = tuple(Operation("*", pair, span=span) for pair in zip(a.parts, b.parts, strict=True))
        return squares[0] if len(squares) == 1 else Operation("+", squares, span=span)
    if a.shape[1] != b.shape[0]:
        raise DoesNotFit("A matrix of {} x {} is multiplied by one of {} x {}".format(*a.shape, *b.shape)
                         + "; the columns of the first must be as many as the rows of the second.")
    if written_size(a) * b.shape[1] + written_size(b) * a.shape[0] > MOST_NODES:
        raise DoesNotFit("The product of these matrices is too large to be multiplied out.")
    products = [[tuple(Operation("*", pair, span=span) for pair in zip(row, column, strict=True))
                 for column in zip(*b.rows, strict=True)] for row in a.rows]
    return Matrix(tuple(tuple(terms[0] if len(terms) == 1 else Operation("+", terms, span=span) for terms in row)
                        for row in products), span=span)
