"""Straight-line programs by NumPy alone: a function over batches of states, and its source for reading (RBDA 10.4)."""

from collections import deque
from math import prod

import numpy as np

from rbdlib.compile.printing import Names, cost, entries, expression, number
from rbdlib.compile.slots import allocate

UFUNC = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.true_divide, "neg": np.negative,
         "sin": np.sin, "cos": np.cos, "sqrt": np.sqrt}

#: States in one call of NumPy: enough to make the calls themselves cheap, fewer where the rows would outgrow MEMORY.
BLOCK, LEAST, MEMORY = 4096, 256, 32 * 2**20


def make(program, block=None):
    """A function kernel(inputs, outputs) that runs the program on many states, one NumPy call for each assignment.

    block: the number of states per call, a power of two; None chooses it. kernel's inputs and outputs are lists of
    C-contiguous float arrays (number of states, size), one for each input and output of the program; the outputs are
    overwritten. Division by zero gives infinity or NaN without a warning, as in machine code.
    Several threads may call it at once. Raises ValueError for a program with a constant that is not finite.
    """
    place, places = allocate(program)
    block = block or _block(places)
    workspaces = {}

    def kernel(inputs, outputs):
        states = next((len(array) for array in (*outputs, *inputs)), 0)
        with np.errstate(all="ignore"):
            for start in range(0, states, block):
                stop = min(start + block, states)
                width = 1 << (stop - start - 1).bit_length()
                free = workspaces.setdefault(width, deque())
                try:
                    workspace = free.pop()
                except IndexError:
                    workspace = _Workspace(program, place, places, width)
                workspace.run(inputs, outputs, start, stop)
                free.append(workspace)

    return kernel


def _block(places):
    fits = MEMORY // (8 * max(places, 1))
    return max(LEAST, min(BLOCK, 1 << max(fits.bit_length() - 1, 0)))


class _Workspace:
    """A row of `width` numbers for every place of a program, and the calls that fill them."""

    def __init__(self, program, place, places, width):
        self.rows = np.empty((places, width))
        self.sizes = [prod(argument.shape) for argument in program.inputs]

        def operand(x):
            return self.rows[place[x]] if isinstance(x, int) else np.array(float(number(x)))

        self.calls = [(UFUNC[done.operation], (*map(operand, done.operands), self.rows[place[program.input_size + k]]))
                      for k, done in enumerate(program.assignments)]
        self.results = [_gathering(result, place) for result in program.outputs]

    def run(self, inputs, outputs, start, stop):
        """Fill outputs[...][start:stop]. Numbers beyond the last state repeat it, so that no junk is computed with."""
        states, first = stop - start, 0
        for array, size in zip(inputs, self.sizes, strict=True):
            rows = self.rows[first : first + size]
            rows[:, :states] = array[start:stop].T
            rows[:, states:] = rows[:, states - 1 : states]
            first += size
        for ufunc, arguments in self.calls:
            ufunc(*arguments)
        for array, (columns, places, constants, values) in zip(outputs, self.results, strict=True):
            array[start:stop, columns] = self.rows[places, :states].T
            array[start:stop, constants] = values


def _gathering(result, place):
    """Which columns of an output come from which places, and which are constants."""
    columns = [k for k, x in enumerate(result.entries) if isinstance(x, int)]
    constants = [k for k, x in enumerate(result.entries) if not isinstance(x, int)]
    places = [place[result.entries[k]] for k in columns]
    values = [float(number(result.entries[k])) for k in constants]
    everything = slice(None) if not constants else np.array(columns, dtype=int)
    return everything, np.array(places, dtype=int), np.array(constants, dtype=int), np.array(values)


# The source


def to_numpy(program, name="computed"):
    """The program as the text of a Python module that needs NumPy alone, with one function of that name.

    The function takes arrays (..., shape of the argument) that broadcast against each other and returns the arrays
    (..., shape of the result), in a tuple if there is not exactly one. Raises ValueError for a constant that is not
    finite.
    """
    names = Names(program, name, ("np", "batch"))
    lines = [f"def {names.function}({', '.join(names.arguments)}):", *_docstring(program, names)]
    if program.inputs:
        lines += [f"    {argument} = np.asarray({argument}, dtype=float)" for argument in names.arguments]
        shapes = [f"{argument}.shape{f'[:-{len(shape)}]' if shape else ''}"
                  for argument, (_, shape) in zip(names.arguments, program.inputs, strict=True)]
        lines.append(f"    batch = np.broadcast_shapes({', '.join(shapes)})")
    else:
        lines.append("    batch = ()")
    lines += _inputs(program, names)
    for k, done in enumerate(program.assignments):
        right = expression(done.operation, [names.operand(x) for x in done.operands], "np.{}({})")
        lines.append(f"    {names.variables[program.input_size + k]} = {right}")
    lines += _outputs(program, names)
    return "\n".join(["import numpy as np", "", "", *lines, ""])


def _docstring(program, names):
    def shapes(texts, arrays):
        return ", ".join(f"{text} (..., {', '.join(map(str, array.shape))})" if array.shape else f"{text} (...)"
                         for text, array in zip(texts, arrays, strict=True)) or "nothing"

    return [f'    """{shapes(names.results, program.outputs)}',
            f"    from {shapes(names.arguments, program.inputs)}.", "",
            f"    For each state: {cost(program)}.", '    """']


def _inputs(program, names):
    lines, variable = [], 0
    for argument, (_, shape) in zip(names.arguments, program.inputs, strict=True):
        for index in entries(shape):
            if shape:
                lines.append(f"    {names.variables[variable]} = {argument}[{', '.join(['...', *map(str, index)])}]")
            variable += 1
    return lines


def _outputs(program, names):
    lines = []
    for result, (_, shape, variables) in zip(names.results, program.outputs, strict=True):
        lines.append(f"    {result} = np.empty(batch + {shape!r})")
        lines += [f"    {result}[{', '.join(['...', *map(str, index)])}] = {names.operand(x)}"
                  for index, x in zip(entries(shape), variables, strict=True)]
    results = ", ".join(names.results)
    return [*lines, f"    return {results if len(names.results) == 1 else f'({results})'}"]
