"""The symbolic simplifier: the same results by fewer operations (RBDA 10.4)."""

from rbdlib.codegen.program import APPLY, Assignment, Program, Result
from rbdlib.codegen.record import Recorder


class Simplifier(Recorder):
    """A recorder that writes down only what has not been computed before and cannot be known beforehand.

    It applies the rules of RBDA 10.4 to each operation as it comes: constants are worked out, x·0, x·1, x+0 and their
    like are replaced by what they are equal to, copies vanish. Because operands have been simplified before, no rule
    ever needs a second look. Equal operations share one variable.
    """

    def __init__(self, input_size):
        super().__init__(input_size)
        self.known = {}

    def emit(self, operation, *operands):
        if all(isinstance(x, float) for x in operands):
            return float(APPLY[operation](*operands))                   # rule 4: evaluate constants
        return getattr(self, RULES[operation])(*operands)

    def shared(self, operation, *operands):
        """The variable of this very operation, written down if it is new."""
        key = operation, operands
        if key not in self.known:
            self.known[key] = super().emit(operation, *operands)
        return self.known[key]

    def definition(self, x):
        """The assignment that made the variable x; None for inputs and constants."""
        made = isinstance(x, int) and x >= self.input_size
        return self.assignments[x - self.input_size] if made else None

    def made_by(self, operation, x):
        """The operands of x if it was made by the operation, otherwise None."""
        definition = self.definition(x)
        return definition.operands if definition is not None and definition.operation == operation else None

    # Rule 3, algebra. Signs are moved outwards, where they are absorbed by sums.

    def sum(self, x, y):
        if y == 0.0 and isinstance(y, float):
            return x
        if x == 0.0 and isinstance(x, float):
            return y
        if (minus := self.made_by("neg", y)) is not None:
            return self.difference(x, *minus)
        if (minus := self.made_by("neg", x)) is not None:
            return self.difference(y, *minus)
        return self.shared("+", *ordered(x, y))

    def difference(self, x, y):
        if y == 0.0 and isinstance(y, float):
            return x
        if x == 0.0 and isinstance(x, float):
            return self.negative(y)
        if x == y and isinstance(x, int) and isinstance(y, int):
            return 0.0
        if (minus := self.made_by("neg", y)) is not None:
            return self.sum(x, *minus)
        if (minus := self.made_by("neg", x)) is not None:
            return self.negative(self.sum(*minus, y))
        if ("-", (y, x)) in self.known:
            return self.negative(self.known["-", (y, x)])
        return self.shared("-", x, y)

    def negative(self, x):
        if isinstance(x, float):
            return -x
        if (minus := self.made_by("neg", x)) is not None:
            return minus[0]
        return self.shared("neg", x)

    def product(self, x, y):
        x, y = ordered(x, y)                                            # a constant comes first
        if isinstance(x, float):
            if x == 0.0:
                return 0.0
            if x == 1.0:
                return y
            if x < 0.0:
                return self.negative(self.product(-x, y))
            factors = self.made_by("*", y)
            if factors is not None and isinstance(factors[0], float):
                return self.product(x * factors[0], factors[1])
        for one, other in ((x, y), (y, x)):
            if (minus := self.made_by("neg", one)) is not None:
                return self.negative(self.product(*minus, other))
            if (ratio := self.made_by("/", one)) is not None and ratio[1] == other and isinstance(other, int):
                return ratio[0]
        return self.shared("*", x, y)

    def ratio(self, x, y):
        if isinstance(y, float):
            return self.product(1 / y, x)
        if isinstance(x, float) and x == 0.0:
            return 0.0
        if x == y and isinstance(x, int):
            return 1.0
        if (minus := self.made_by("neg", x)) is not None:
            return self.negative(self.ratio(*minus, y))
        if (minus := self.made_by("neg", y)) is not None:
            return self.negative(self.ratio(x, *minus))
        return self.shared("/", x, y)

    def sine(self, x):
        if (minus := self.made_by("neg", x)) is not None:
            return self.negative(self.sine(*minus))
        return self.shared("sin", x)

    def cosine(self, x):
        if (minus := self.made_by("neg", x)) is not None:
            return self.cosine(*minus)
        return self.shared("cos", x)

    def root(self, x):
        return self.shared("sqrt", x)


RULES = {"+": "sum", "-": "difference", "*": "product", "/": "ratio", "neg": "negative",
         "sin": "sine", "cos": "cosine", "sqrt": "root"}


def ordered(x, y):
    """Two operands that may change places, in a fixed order: constants first, then by number."""
    return (x, y) if (isinstance(x, int), x) <= (isinstance(y, int), y) else (y, x)


def simplify(program):
    """The program with the rules of RBDA 10.4 applied until none changes anything, and equal operations done once."""
    simplifier = Simplifier(program.input_size)
    now = list(range(program.input_size))
    for done in program.assignments:
        now.append(simplifier.emit(done.operation, *(now[x] if isinstance(x, int) else x for x in done.operands)))
    outputs = tuple(Result(name, shape, tuple(now[x] if isinstance(x, int) else x for x in entries))
                    for name, shape, entries in program.outputs)
    names = {now[x]: name for x, name in program.names.items() if isinstance(now[x], int)}
    return without_unused(Program(program.inputs, tuple(simplifier.assignments), outputs, names))


def without_unused(program):
    """The program without the assignments on which no output depends (rule 1), the others numbered anew."""
    first, used = program.input_size, set()
    used.update(x for result in program.outputs for x in result.entries if isinstance(x, int))
    for k in reversed(range(len(program.assignments))):
        if first + k in used:
            used.update(x for x in program.assignments[k].operands if isinstance(x, int))
    kept = [x for x in range(first, first + len(program.assignments)) if x in used]
    now = {x: x for x in range(first)} | {x: first + k for k, x in enumerate(kept)}

    def renumbered(operands):
        return tuple(now[x] if isinstance(x, int) else x for x in operands)

    return Program(
        program.inputs,
        tuple(Assignment(program.assignments[x - first].operation, renumbered(program.assignments[x - first].operands))
              for x in kept),
        tuple(Result(name, shape, renumbered(entries)) for name, shape, entries in program.outputs),
        {now[x]: name for x, name in program.names.items() if x in now})
