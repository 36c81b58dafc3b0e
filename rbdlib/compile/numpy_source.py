"""Straight-line programs by NumPy alone: a function over batches of states, and its source for reading (RBDA 10.4)."""

from collections import deque

import numpy as np

from rbdlib.compile.printing import Names, cost, expression, number
from rbdlib.compile.program import allocate

UFUNC = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.true_divide, "neg": np.negative,
         "sin": np.sin, "cos": np.cos, "sqrt": np.sqrt}

#: States in one call of NumPy: enough to make the calls themselves cheap, fewer where the rows would outgrow MEMORY.
BLOCK, LEAST, MEMORY = 4096, 256, 32 * 2**20


def make(program, block=None):
    """A kernel (see `rbdlib.compile.kernels`) that makes one NumPy call for each assignment.

    block: the number of states per call, a power of two; None chooses it. Raises ValueError for non-finite constants.
    """
    place, places = allocate(program)
    results = []
    for _, _, entries in program.outputs:
        columns = [k for k, x in enumerate(entries) if isinstance(x, int)]
        fixed = np.array([0.0 if isinstance(x, int) else float(number(x)) for x in entries])
        results.append((slice(None) if len(columns) == len(entries) else columns,
                        np.array([place[entries[k]] for k in columns], dtype=int), fixed))
    if block is None:
        fits = MEMORY // (8 * max(places, 1))
        block = max(LEAST, min(BLOCK, 1 << max(fits.bit_length() - 1, 0)))
    workspaces = {}

    def workspace(width):
        """Rows of `width` numbers for the places, and the calls that fill them."""
        rows = np.empty((places, width))

        def operand(x):
            return rows[place[x]] if isinstance(x, int) else np.array(float(number(x)))

        calls = [(UFUNC[operation], (*map(operand, operands), rows[place[x]]))
                 for x, (operation, operands) in enumerate(program.assignments, start=program.input_size)]
        return rows, calls

    def run(rows, calls, inputs, outputs, states):
        first = 0
        for array in inputs:
            entries = rows[first : first + array.shape[1]]
            entries[:, :states] = array.T
            entries[:, states:] = entries[:, states - 1 : states]      # numbers beyond the last state repeat it
            first += array.shape[1]
        for ufunc, arguments in calls:
            ufunc(*arguments)
        for array, (columns, chosen, fixed) in zip(outputs, results, strict=True):
            array[:] = fixed
            array[:, columns] = rows[chosen, :states].T

    def kernel(inputs, outputs):
        states = next((len(array) for array in (*outputs, *inputs)), 0)
        with np.errstate(all="ignore"):
            for start in range(0, states, block):
                part = slice(start, min(start + block, states))
                width = 1 << (part.stop - start - 1).bit_length()
                free = workspaces.setdefault(width, deque())
                try:
                    rows, calls = free.pop()
                except IndexError:                          # the first call, or another thread has the others
                    rows, calls = workspace(width)
                run(rows, calls, [array[part] for array in inputs], [array[part] for array in outputs],
                    part.stop - start)
                free.append((rows, calls))

    return kernel


def to_numpy(program, name="computed"):
    """The program as the text of a Python module that needs NumPy alone, with one function of that name.

    The function takes arrays (..., shape of the argument) that broadcast against each other and returns the arrays
    (..., shape of the result), in a tuple if there is not exactly one. Raises ValueError for non-finite constants.
    """
    def shaped(texts, arrays):
        return ", ".join(f"{text} (..., {', '.join(map(str, array.shape))})" if array.shape else f"{text} (...)"
                         for text, array in zip(texts, arrays, strict=True)) or "nothing"

    def entries(text, shape):
        return [f"{text}[{', '.join(['...', *map(str, index)])}]" for index in np.ndindex(shape)]

    names = Names(program, name, ("np", "batch"))
    lines = [f'"""{shaped(names.results, program.outputs)}', f"from {shaped(names.arguments, program.inputs)}.", "",
             f"For each state: {cost(program)}.", '"""',
             *(f"{argument} = np.asarray({argument}, dtype=float)" for argument in names.arguments)]
    inputs = list(zip(names.arguments, (shape for _, shape in program.inputs), strict=True))
    shapes = [f"{argument}.shape{f'[:-{len(shape)}]' if shape else ''}" for argument, shape in inputs]
    lines.append(f"batch = np.broadcast_shapes({', '.join(shapes)})" if inputs else "batch = ()")
    read = [text for argument, shape in inputs for text in (entries(argument, shape) if shape else [argument])]
    lines += [f"{variable} = {text}" for variable, text in zip(names.variables, read, strict=False) if variable != text]
    for x, (operation, operands) in enumerate(program.assignments, start=program.input_size):
        lines.append(f"{names.variables[x]} = {expression(operation, map(names.operand, operands), 'np.{}({})')}")
    for result, (_, shape, variables) in zip(names.results, program.outputs, strict=True):
        lines.append(f"{result} = np.empty(batch + {shape!r})")
        lines += [f"{entry} = {names.operand(x)}" for entry, x in zip(entries(result, shape), variables, strict=True)]
    results = ", ".join(names.results)
    lines.append(f"return {results if len(names.results) == 1 else f'({results})'}")
    return "\n".join(["import numpy as np", "", "", f"def {names.function}({', '.join(names.arguments)}):",
                      *(f"    {line}" if line else "" for line in lines), ""])
