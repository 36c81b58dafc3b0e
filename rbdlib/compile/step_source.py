"""C source of an integrator's step, from the readable function: arrays go through it as wholes (RBDA 10.4, 11.5).

The function is recorded with one number in place of each array, because it does the same with all entries. What it asks
of the mechanism, such as the rate of change of the state, becomes a call between two loops over the entries.
"""

from collections import namedtuple

from rbdlib.compile.program import Assignment, Recorded, operand_of
from rbdlib.compile.simplify import BookRules

FORMS = {"+": "({} + {})", "-": "({} - {})", "*": "({} * {})", "/": "({} / {})", "neg": "(-{})", "sqrt": "sqrt({})"}
#: A C function that a step calls: the widths of its arrays, and of its result.
Call = namedtuple("Call", "takes gives")


class Step(namedtuple("Step", "assignments outputs numbers arrays calls")):
    """A recorded step: its assignments, and which variables are its outputs.

    numbers, arrays: names of the inputs, arrays with their widths; calls: {name: `Call`}.
    """

    def first(self):
        """The number of the first assigned variable: inputs come before."""
        return len(self.numbers) + len(self.arrays)


def record_step(function, numbers, arrays, calls):
    """Record function(*calls, *numbers, *arrays), which returns a list of arrays, as the `Step` with these fields."""
    tape = BookRules(len(numbers) + len(arrays))

    def asked(name):
        return lambda *given: Recorded(tape, tape.written(name, *(operand_of(x) for x in given)))

    variables = [Recorded(tape, k) for k in range(tape.input_size)]
    outputs = function(*map(asked, calls), *variables)
    return Step(tape.assignments, [operand_of(x) for x in outputs], tuple(numbers), arrays, calls)


def to_c(step, name):
    """The C function of a step: int name(Run *r, const double *numbers..., double *const in[], double *const out[]).

    Each of the numbers has one value per run; in and out hold arrays of runs x width. It returns 0, or what a call
    returns that is not 0.
    """
    writer = _Writer(step)
    waiting: list = []
    numbers = "".join(f"const double *{number}, " for number in step.numbers)
    lines = [f"static int {name}(Run *r, {numbers}const double *const in[], double *const out[])", "{", "    int stop;"]
    for x, assignment in enumerate(step.assignments, start=step.first()):
        if assignment.operation in step.calls:
            lines += [*writer.loops(waiting), *writer.call(x, assignment)]
            waiting = []
        elif writer.width[x]:
            waiting.append((x, assignment))
    waiting += [(None, Assignment("copy", (x, k))) for k, x in enumerate(step.outputs)
                if writer.place.get(x) != f"out[{k}]"]
    return "\n".join([*lines, *writer.loops(waiting), "    return stop = 0;", "}", ""])


class _Writer:
    """Writes the loops of a step. width: {variable: its width, "" for a number}; place: {variable: its array in C}."""

    def __init__(self, step):
        self.step, n = step, len(step.numbers)
        self.width = dict.fromkeys(range(n), "") | {n + k: width for k, width in enumerate(step.arrays.values())}
        self.place = {n + k: f"in[{k}]" for k in range(len(step.arrays))}
        kept, segment, born = {x for x in step.outputs if isinstance(x, int)}, 0, {}
        for x, (operation, operands) in enumerate(step.assignments, start=step.first()):
            read, called = [y for y in operands if isinstance(y, int)], operation in step.calls
            widths = {self.width[y] for y in read} - {""}
            self.width[x] = step.calls[operation].gives if called else next(iter(widths), "")

            # variables that are outputs, of calls or for calls, or read after a later call, are kept in arrays
            kept |= {y for y in read if y in born and (called or born[y] < segment)}
            segment += called
            born[x] = segment
            if called:
                kept.add(x)
        for k, x in enumerate(step.outputs):
            self.place.setdefault(x, f"out[{k}]")
        work = 0
        for x in sorted(kept):
            if self.width[x] and x not in self.place:
                self.place[x], work = f"(r->work + {work} * r->room)", work + 1

    def call(self, x, assignment):
        """A call: its numbers are worked out for each run, its arrays are where they were kept."""
        takes, arguments = self.step.calls[assignment.operation].takes, []
        lines = []
        for operand, width in zip(assignment.operands, takes, strict=True):
            if width:
                arguments.append(self.place[operand])
            else:
                lines += ["    for (size_t b = 0; b < r->count; b++)", f"        r->when[b] = {self._text(operand)};"]
                arguments.append("r->when")
        return [*lines, f"    if ((stop = {assignment.operation}(r, {', '.join([*arguments, self.place[x]])})) != 0)",
                "        return stop;"]

    def loops(self, assignments):
        """The statements as loops over runs and entries, one for each width."""
        lines = []
        for width in dict.fromkeys(self._width_of(assignment) for _, assignment in assignments):
            self.here = set()
            lines += ["    for (size_t b = 0; b < r->count; b++) {",
                      f"        const size_t first = b * r->{width}, last = first + r->{width};", "        APART",
                      "        for (size_t e = first; e < last; e++) {"]
            for x, assignment in assignments:
                if self._width_of(assignment) == width:
                    lines += [f"            {line}" for line in self._statement(x, assignment)]
            lines += ["        }", "    }"]
        return lines

    def _width_of(self, assignment):
        return next(self.width[x] for x in assignment.operands if isinstance(x, int) and self.width[x])

    def _statement(self, x, assignment):
        if x is None:
            source, k = assignment.operands
            return [f"out[{k}][e] = {self._text(source)};"]
        value = FORMS[assignment.operation].format(*map(self._text, assignment.operands))
        self.here.add(x)
        lines = [f"const double v{x} = {value};"]
        return [*lines, f"{self.place[x]}[e] = v{x};"] if x in self.place else lines

    def _text(self, x):
        """An operand in C: a constant, a number of the run, or an entry of an array."""
        if isinstance(x, float):
            return f"({x!r})"
        if x < len(self.step.numbers):
            return f"{self.step.numbers[x]}[b]"
        if not self.width[x]:
            operation, operands = self.step.assignments[x - self.step.first()]
            return FORMS[operation].format(*map(self._text, operands))
        return f"v{x}" if x in getattr(self, "here", ()) else f"{self.place[x]}[e]"
