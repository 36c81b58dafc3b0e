"""Straight-line programs, which are left of an algorithm once its loops and branches have run on a model (RBDA 10.4).

The symbolic executer: the algorithm runs on numbers that write down what is done with them.
"""

from collections import Counter, namedtuple
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import prod
from typing import Any

import numpy as np

from rbdlib.numbers.dual import Dual
from rbdlib.numbers.operations import APPLY, COUNTED_AS, Scalar

#: An input of a program: its name and the shape of its array, () for a number.
Argument = namedtuple("Argument", "name shape")
#: An output of a program: name, shape, and entries in row order: the number of a variable (int) or a float.
Result = namedtuple("Result", "name shape entries")
#: One operation. Operands: numbers of variables (int) or constants (float).
Assignment = namedtuple("Assignment", "operation operands")


@dataclass(frozen=True)
class Program:
    """A list of assignments that computes outputs from inputs, each variable assigned once (RBDA 10.4).

    Variables have numbers: first the entries of the inputs, in their order, then the targets of the assignments: number
    k + (number of input entries) belongs to assignments[k]. names: {number: name} for variables that have one of their
    own, such as those of RBDA Table 10.3.
    """

    inputs: tuple
    assignments: tuple
    outputs: tuple
    names: dict = field(default_factory=dict)

    input_size = property(lambda self: sum(prod(argument.shape) for argument in self.inputs),
                          doc="The number of input entries, which is that of the first assigned variable.")

    @property
    def output_entries(self):
        """The entries of all outputs, in order: numbers of variables (int) and constants (float)."""
        return [x for result in self.outputs for x in result.entries]

    def count(self):
        """Cost of the program: a Counter of "m", "a", "d", "sqrt", "sin" and "cos"."""
        return Counter(COUNTED_AS[done.operation] for done in self.assignments if done.operation in COUNTED_AS)

    def uses(self):
        """How often each variable is read, a Counter; an output counts as a reading."""
        uses = Counter(x for done in self.assignments for x in done.operands if isinstance(x, int))
        uses.update(x for x in self.output_entries if isinstance(x, int))
        return uses

    def last_uses(self):
        """{variable: number of the last assignment that reads it}; an output is read after all of them."""
        last = {}
        for k, done in enumerate(self.assignments):
            last.update((x, k) for x in done.operands if isinstance(x, int))
        return last | {x: len(self.assignments) for x in self.output_entries if isinstance(x, int)}

    def evaluate(self, inputs):
        """The entries of all outputs, in order, for the entries of all inputs: scalars of any kind, or equal arrays."""
        values = list(inputs)
        if len(values) != self.input_size:
            raise ValueError(f"inputs has {len(values)} entries; this program needs {self.input_size}.")
        for done in self.assignments:
            values.append(APPLY[done.operation](*(values[x] if isinstance(x, int) else x for x in done.operands)))
        return [values[x] if isinstance(x, int) else x for x in self.output_entries]

    def with_assignments(self, assignments, now):
        """The program with other assignments; now: {variable: operand that holds its value}. No result is -0.0."""
        outputs = tuple(Result(name, shape, tuple(now[x] if isinstance(x, int) else x + 0.0 for x in entries))
                        for name, shape, entries in self.outputs)
        names: dict = {}
        for x, name in sorted(self.names.items()):
            if isinstance(made := now.get(x), int) and made >= self.input_size:
                names.setdefault(made, name)
        return Program(self.inputs, tuple(assignments), outputs, names)


# Numbers that write down a program

class Recorder:
    """Writes down assignments. Every method takes and gives operands: the number of a variable (int) or a float.

    choices: the `rbdlib.compile.samples.Choices` that note the choices among the numbers, or None.
    """

    def __init__(self, input_size):
        self.assignments, self.input_size = [], input_size
        self.choices: Any = None

    def emit(self, operation, *operands):
        """Note an operation and return the variable that holds its result."""
        self.assignments.append(Assignment(operation, operands))
        return self.input_size + len(self.assignments) - 1


def operand_of(x):
    """The operand of a recorded number, or the float of another one."""
    return x.operand if isinstance(x, Recorded) else float(x)


class Recorded(Scalar):
    """A number of which only the operand is known: the number of a variable, or the float of a constant."""

    __slots__ = ("recorder", "operand")
    holders = (np.ndarray, Dual)

    def __init__(self, recorder, operand):
        self.recorder, self.operand = recorder, operand

    choices = property(lambda self: self.recorder.choices,
                       doc="The notes of choices among recorded numbers, for `rbdlib.numbers.pivots.choices_of`.")

    def _did(self, operation, *operands):
        result = self.recorder.emit(operation, *operands)
        return Recorded(self.recorder, result) if isinstance(result, int) else result

    _operand = staticmethod(operand_of)

    def __eq__(self, other):
        """True if both are the same variable or constant: as for symbols, formulas are not worked out to decide it.

        So q[0] == 0 is False, also in states in which q[0] will be 0; `rbdlib.compile.executer.require_agreement` looks
        at such states to see whether that matters.
        """
        if isinstance(other, np.ndarray):
            return NotImplemented
        x, y = self.operand, operand_of(other)
        return x == y and type(x) is type(y)

    def _undecided(self, other=None):
        raise TypeError("The algorithm chooses by the value of a number that is known at run time only, so that it "
                        "cannot be recorded as a list of assignments. Use its other methods, or call it directly.")

    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __abs__ = _undecided

    def __float__(self):
        raise TypeError("A number that is known at run time only cannot become a float. Allocate the arrays that hold "
                        "it with rbdlib.numbers.scalars.zeros(n, q), and take sin, cos and sqrt from "
                        "rbdlib.numbers.scalars, not from math.")

    def __format__(self, how):
        return repr(self)

    def __repr__(self):
        return f"Recorded({self.operand!r})"


# Few places for many variables, and long programs cut into pieces

#: Consecutive assignments of a program, those numbered first, ..., last - 1. reads: the variables made before, inputs
#: included, that they use; writes: those they make that are used afterwards.
Piece = namedtuple("Piece", "first last reads writes")
#: A program in pieces. place: {variable: place} for the inputs, which have the first places in their order, and for
#: what one piece makes and another, or an output, reads; places: how many places that takes. A piece must load its
#: reads before it stores its writes, which may share places.
Pieces = namedtuple("Pieces", "pieces place places")


def allocate(program):
    """A place for every variable, used again when its value is no longer needed: ({variable: place}, places).

    The inputs take the first places, in their order. The result of an assignment never takes the place of one of its
    operands: NumPy is a third slower where an array is read and written by the same call.
    """
    last, first = program.last_uses(), program.input_size
    lives = [(x, -1, last.get(x, -1) + 1) for x in range(first)]
    lives += [(first + k, k, last.get(first + k, k) + 1) for k in range(len(program.assignments))]
    return share(lives)


def share(lives):
    """Places for (variable, birth, death), in the order of birth: a place is free from the death of its variable on.

    Returns ({variable: place}, places). The place that became free last is taken first: it is still in the cache.
    """
    free, busy, place, places = [], [], {}, 0
    for variable, birth, death in lives:
        while busy and busy[0][0] <= birth:
            free.append(heappop(busy)[1])
        if not free:
            free.append(places)
            places += 1
        place[variable] = free.pop()
        heappush(busy, (death, place[variable]))
    return place, places


def cut(program, length):
    """The program in pieces of at most `length` assignments each, the outputs being read after all of them."""
    if length < 1:
        raise ValueError(f"length is {length}; a piece holds at least one assignment.")
    first, count = program.input_size, len(program.assignments)
    last = program.last_uses()
    pieces, lives, outputs = [], [], -(-count // length)
    for k, start in enumerate(range(0, count, length)):
        stop = min(start + length, count)
        used = {x for done in program.assignments[start:stop] for x in done.operands if isinstance(x, int)}
        writes = [x for x in range(first + start, first + stop) if last.get(x, -1) >= stop]
        pieces.append(Piece(start, stop, tuple(sorted(x for x in used if x < first + start)), tuple(writes)))
        lives += [(x, k, outputs if last[x] == count else last[x] // length) for x in writes]
    place, places = share(lives)
    behind = {x: first + shared for x, shared in place.items()}
    return Pieces(tuple(pieces), {x: x for x in range(first)} | behind, first + places)
