"""The symbolic simplifier: the same results by fewer operations (RBDA 10.4).

Every number is taken to be finite, as everywhere in rbdlib, and every divisor to be other than zero: then x·0 is 0, x/x
is 1 and (x/y)·y is x, also where the program as it was would have divided 0 by 0. Results are those of the program as
it was but for rounding, since constants meet before they meet variables and x/c becomes (1/c)·x, which costs much less.
Further ways to save are in `rbdlib.compile.rewrite`.
"""

from math import isfinite
from sys import float_info

from rbdlib.compile.program import Assignment, Recorder
from rbdlib.numbers.operations import APPLY


class BookRules(Recorder):
    """A recorder that applies the rules listed in RBDA 10.4 to each operation as it comes.

    Constants are worked out, x·0, x·1, x+0 and their like are replaced by what they are equal to, and copies vanish.
    Because operands have been simplified before, no rule ever needs a second look. Raises ZeroDivisionError for a
    division by a constant zero and ValueError for a constant that is not finite.
    """

    def emit(self, operation, *operands):
        """The operand that holds the result of an operation, which is written down only if it has to be."""
        constants = [x for x in operands if isinstance(x, float)]
        if constants:
            if not all(map(isfinite, constants)):
                raise ValueError(f"A constant of the program is {constants}; every number must be finite. Find its "
                                 "origin.")
            if operation == "/" and is_constant(operands[1], 0):
                raise ZeroDivisionError("The program divides by a constant that is zero. Look for a mass, inertia or "
                                        "length of the model that must not be zero.")
            if len(constants) == len(operands):
                return evaluated(operation, constants)                  # rule 4
        rule = getattr(self, RULES.get(operation, ""), None)
        return rule(*operands) if rule else self.written(operation, *operands)

    def written(self, operation, *operands):
        """The variable of this operation, written down."""
        return super().emit(operation, *operands)

    # Rule 3, algebra. What returns an operand is rule 2: nothing is written for a copy.

    def sum(self, x, y):
        return x if is_constant(y, 0) else y if is_constant(x, 0) else self.written("+", x, y)

    def difference(self, x, y):
        return x if is_constant(y, 0) else self.negative(y) if is_constant(x, 0) else self.written("-", x, y)

    def negative(self, x):
        return 0.0 - x if isinstance(x, float) else self.written("neg", x)

    def product(self, x, y):
        if is_constant(x, 0) or is_constant(y, 0):
            return 0.0
        return x if is_constant(y, 1) else y if is_constant(x, 1) else self.written("*", x, y)

    def ratio(self, x, y):
        return 0.0 if is_constant(x, 0) else x if is_constant(y, 1) else self.written("/", x, y)


class Simplifier(BookRules):
    """The rules of the book, and: equal operations share one variable, signs move outwards, opposites cancel.

    Signs are absorbed by sums and cost nothing. What cancels: (x+y)-y, (x/y)·y, (x·y)/y, x-x, x/x and their like.
    """

    def __init__(self, input_size):
        super().__init__(input_size)
        self.known = {}

    def written(self, operation, *operands):
        key = _key(operation, operands)
        if key not in self.known:
            self.known[key] = super().written(operation, *operands)
        return self.known[key]

    def made_by(self, operation, x):
        """The operands of x if it is a variable made by the operation, otherwise nothing."""
        if isinstance(x, int) and x >= self.input_size:
            made = self.assignments[x - self.input_size]
            if made.operation == operation:
                return made.operands
        return ()

    def sum(self, x, y):
        x, y = ordered(x, y)
        if is_constant(x, 0):
            return y
        for one, other in ((x, y), (y, x)):
            if minus := self.made_by("neg", one):
                return self.difference(other, *minus)
            if (difference := self.made_by("-", one)) and same(difference[1], other):
                return difference[0]
        if isinstance(x, float) and x < 0.0:
            return self.difference(y, -x)
        return super().sum(x, y)

    def difference(self, x, y):
        if same(x, y):
            return 0.0
        if minus := self.made_by("neg", y):
            return self.sum(x, *minus)
        if minus := self.made_by("neg", x):
            return self.negative(self.sum(*minus, y))
        if isinstance(y, float) and y < 0.0:
            return self.sum(x, -y)
        for k, term in enumerate(self.made_by("+", x)):
            if same(term, y):
                return self.made_by("+", x)[1 - k]
        for k, term in enumerate(self.made_by("+", y)):
            if same(term, x):
                return self.negative(self.made_by("+", y)[1 - k])
        if (part := self.made_by("-", x)) and same(part[0], y):
            return self.negative(part[1])
        if (part := self.made_by("-", y)) and same(part[0], x):
            return part[1]
        opposite = self.known.get(_key("-", (y, x)))
        return super().difference(x, y) if opposite is None else self.negative(opposite)

    def negative(self, x):
        minus = self.made_by("neg", x)
        return minus[0] if minus else super().negative(x)

    def product(self, x, y):
        x, y = ordered(x, y)                                            # a constant comes first
        if isinstance(x, float):
            if x == 0.0 or x == 1.0:                                    # most are: matrices are nearly empty
                return super().product(x, y)
            if x < 0.0:
                return self.negative(self.product(-x, y))
            factors = self.made_by("*", y)
            if factors and isinstance(factors[0], float) and is_normal(x * factors[0]):
                return self.product(x * factors[0], factors[1])
        for one, other in ((x, y), (y, x)):
            if minus := self.made_by("neg", one):
                return self.negative(self.product(*minus, other))
            if (ratio := self.made_by("/", one)) and same(ratio[1], other):
                return ratio[0]
        return super().product(x, y)

    def ratio(self, x, y):
        if same(x, y):
            return 1.0
        if isinstance(y, float) and is_normal(1 / y):
            return self.product(1 / y, x)
        for k, factor in enumerate(self.made_by("*", x)):
            if same(factor, y):
                return self.made_by("*", x)[1 - k]
        if minus := self.made_by("neg", x):
            return self.negative(self.ratio(*minus, y))
        if minus := self.made_by("neg", y):
            return self.negative(self.ratio(x, *minus))
        if (inverse := self.made_by("/", y)) and is_constant(inverse[0], 1):
            return self.product(x, inverse[1])
        if (inverse := self.known.get(_key("/", (1.0, y)))) is not None:
            return self.product(x, inverse)
        return super().ratio(x, y)

    def sine(self, x):
        minus = self.made_by("neg", x)
        return self.negative(self.sine(*minus)) if minus else self.written("sin", x)

    def cosine(self, x):
        return self.written("cos", *(self.made_by("neg", x) or (x,)))


#: The methods that know rules for an operation, in those recorders that have any.
RULES = {"+": "sum", "-": "difference", "*": "product", "/": "ratio", "neg": "negative", "sin": "sine", "cos": "cosine"}


def evaluated(operation, constants):
    """The float that an operation gives for floats. ValueError if it is not finite, or does not exist."""
    try:
        value = float(APPLY[operation](*constants))
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise ValueError(f"The constants {constants} give {value} by {operation!r}; every number must be finite. "
                         "Choose units in which the numbers of the model are of ordinary size.")
    return value + 0.0                                                  # no -0.0


def is_constant(x, value):
    """True if the operand is the constant of this value."""
    return isinstance(x, float) and x == value


def is_normal(x):
    """True if a float is neither so small nor so large that it has lost digits."""
    return float_info.min <= abs(x) <= float_info.max


def same(x, y):
    """True if both operands are the same variable."""
    return isinstance(x, int) and isinstance(y, int) and x == y


def ordered(x, y):
    """Two operands that may change places, in a fixed order: constants first, then by number."""
    return (x, y) if (isinstance(x, int), x) <= (isinstance(y, int), y) else (y, x)


def _key(operation, operands):
    """Key of an operation, different from all others'; with types, because the constant 2.0 is not the variable 2."""
    return operation, operands, *map(type, operands)


def simplify(program, book_rules_only=False):
    """The program with the rules of RBDA 10.4 applied until none changes anything, and equal operations done once.

    book_rules_only: leave the sharing and all that the book does not list. The time it takes is proportional to the
    length of the program. Errors as for `BookRules`.
    """
    recorder = (BookRules if book_rules_only else Simplifier)(program.input_size)
    now = dict(enumerate(range(program.input_size)))
    for x, (operation, operands) in enumerate(program.assignments, start=program.input_size):
        now[x] = recorder.emit(operation, *(now[y] if isinstance(y, int) else y for y in operands))
    return without_unused(program.with_assignments(recorder.assignments, now))


def without_unused(program):
    """The program without the assignments on which no output depends (rule 1), the others numbered anew."""
    first, used = program.input_size, {x for x in program.output_entries if isinstance(x, int)}
    for x, done in reversed([*enumerate(program.assignments, start=first)]):
        if x in used:
            used.update(y for y in done.operands if isinstance(y, int))
    kept = [x for x in range(first, first + len(program.assignments)) if x in used]
    now = {x: x for x in range(first)} | {x: k for k, x in enumerate(kept, start=first)}
    assignments = (program.assignments[x - first] for x in kept)
    return program.with_assignments([Assignment(operation, tuple(now[x] if isinstance(x, int) else x for x in operands))
                                     for operation, operands in assignments], now)
