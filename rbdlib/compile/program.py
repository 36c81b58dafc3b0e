"""Straight-line programs: what is left of an algorithm once its loops and branches have run on a model (RBDA 10.4)."""

import operator
from collections import Counter
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from rbdlib.numbers import scalars

#: The operations of an assignment, and how they are counted: multiplications and divisions apart, changes of sign free.
COUNTED_AS = {"+": "a", "-": "a", "*": "m", "/": "d", "sin": "sin", "cos": "cos", "sqrt": "sqrt"}

APPLY = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "neg": operator.neg,
         "sin": scalars.sin, "cos": scalars.cos, "sqrt": scalars.sqrt}


class Argument(NamedTuple):
    """An input of a program: its name and the shape of its array, () for a number."""

    name: str
    shape: tuple


class Result(NamedTuple):
    """An output of a program: name, shape, and entries in row order: the number of a variable (int) or a float."""

    name: str
    shape: tuple
    entries: tuple


class Assignment(NamedTuple):
    """One operation. Operands: numbers of variables (int) or constants (float)."""

    operation: str
    operands: tuple


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

    @property
    def input_size(self):
        """The number of input entries, which is that of the first assigned variable."""
        return sum(prod(argument.shape) for argument in self.inputs)

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
