"""Straight-line programs as functions of JAX arrays: jit, vmap, grad and other processors (RBDA 10.4)."""

import time

import numpy as np

from rbdlib.compile.printing import number
from rbdlib.compile.slots import cut

#: Assignments that XLA sees at once. It merges operations that follow each other, and for one long list of them works
#: for minutes, so that longer programs become a loop over their pieces.
LENGTH = 200


def to_jax(program, length=LENGTH):
    """A pure function of JAX arrays that computes the program: its results as one array, or a tuple if not just one.

    It takes one state: an array of its shape for each input. `jax.vmap` makes it take batches, `jax.jit` compiles it
    for the processor at hand, `jax.grad`, `jax.jacfwd` and `jax.jacrev` differentiate it. JAX computes in single
    precision unless `jax.config.update("jax_enable_x64", True)` is said first. length: how many assignments XLA sees at
    once. Raises ImportError where JAX is not installed and ValueError for a constant that is not finite.
    """
    jnp = _jax().numpy
    for x in _constants(program):
        number(x)
    run = _straight_line(program) if len(program.assignments) <= length else _in_pieces(program, length)

    def function(*arguments):
        if len(arguments) != len(program.inputs):
            raise TypeError(f"{len(arguments)} arguments were given; expected {len(program.inputs)}: "
                            f"{', '.join(argument.name for argument in program.inputs)}.")
        arrays = [jnp.asarray(array) for array in arguments]
        for array, (name, shape) in zip(arrays, program.inputs, strict=True):
            if array.shape != shape:
                raise ValueError(f"{name} has shape {array.shape}; expected {shape}. For batches use jax.vmap.")
        kind = jnp.result_type(float, *arrays)
        value = run([x for array in arrays for x in array.astype(kind).ravel()], kind)
        results = tuple(jnp.stack([value(x) for x in entries]).reshape(shape) if entries else jnp.zeros(shape, kind)
                        for _, shape, entries in program.outputs)
        return results[0] if len(results) == 1 else results

    return function


def _jax():
    try:
        import jax
    except ImportError:
        raise ImportError('The backend "jax" needs JAX, which is not installed: pip install jax, or choose another '
                          'backend, such as "numpy".') from None
    return jax


def _constants(program):
    operands = [x for done in program.assignments for x in done.operands]
    return [x for x in (*operands, *(x for result in program.outputs for x in result.entries)) if isinstance(x, float)]


def _operations():
    lax = _jax().lax
    return {"+": lax.add, "-": lax.sub, "*": lax.mul, "/": lax.div, "neg": lax.neg, "sin": lax.sin, "cos": lax.cos,
            "sqrt": lax.sqrt}


def _compute(program, first, last, values, kind):
    """Add the targets of the assignments first, ..., last - 1 to values, {variable: JAX number}."""
    jnp, apply = _jax().numpy, _operations()
    for k in range(first, last):
        operation, operands = program.assignments[k]
        operands = [values[x] if isinstance(x, int) else jnp.asarray(x, kind) for x in operands]
        values[program.input_size + k] = apply[operation](*operands)


def _straight_line(program):
    """run(input entries, dtype) -> value(operand), all assignments at once."""
    jnp = _jax().numpy

    def run(inputs, kind):
        values = dict(enumerate(inputs))
        _compute(program, 0, len(program.assignments), values, kind)
        return lambda x: values[x] if isinstance(x, int) else jnp.asarray(x, kind)

    return run


def _in_pieces(program, length):
    """run(input entries, dtype) -> value(operand), as a loop that does one piece at a time.

    What pieces hand on to each other waits in few places. A derivative keeps the places of each piece and computes the
    rest again, so that it needs little memory.
    """
    jax = _jax()
    jnp, lax = jax.numpy, jax.lax
    pieces, slot, slots = cut(program, length)
    place = {**{x: x for x in range(program.input_size)}, **{x: program.input_size + k for x, k in slot.items()}}

    def run(inputs, kind):
        def done(piece, waiting):
            values = {x: waiting[place[x]] for x in piece.reads}
            _compute(program, piece.first, piece.last, values, kind)
            now = list(waiting)
            for x in piece.writes:
                now[place[x]] = values[x]
            return tuple(now)

        branches = [lambda waiting, piece=piece: done(piece, waiting) for piece in pieces]
        step = jax.checkpoint(lambda waiting, k: (lax.switch(k, branches, waiting), None), prevent_cse=False)
        start = (*inputs, *(jnp.zeros((), kind) for _ in range(slots)))
        waiting, _ = lax.scan(step, start, jnp.arange(len(pieces)))
        return lambda x: waiting[place[x]] if isinstance(x, int) else jnp.asarray(x, kind)

    return run


def make(program, length=LENGTH):
    """A function kernel(inputs, outputs) that runs the program on many states by JAX, in double precision.

    kernel's inputs and outputs are lists of C-contiguous float arrays (number of states, size), one for each input and
    output of the program; the outputs are overwritten. It is compiled anew for each power of two of the number of
    states, at the first call that needs it; kernel.compile_seconds is the time spent on that. Raises
    ImportError where JAX is not installed and ValueError for a constant that is not finite.
    """
    jax = _jax()
    function = to_jax(program, length)
    batched, compiled = jax.jit(jax.vmap(lambda state, *arguments: function(*arguments))), {}

    def kernel(inputs, outputs):
        states = next((len(array) for array in (*outputs, *inputs)), 0)
        if not states or not outputs:
            return
        width = 1 << (states - 1).bit_length()
        same = np.minimum(np.arange(width), states - 1)                 # what is beyond the last state repeats it
        with _double_precision(jax):
            arguments = [array[same].reshape(width, *shape)
                         for array, (_, shape) in zip(inputs, program.inputs, strict=True)]
            if width not in compiled:
                start = time.perf_counter()
                compiled[width] = batched.lower(same, *arguments).compile()
                kernel.compile_seconds += time.perf_counter() - start
            results = compiled[width](same, *arguments)
            for array, result in zip(outputs, results if len(outputs) > 1 else (results,), strict=True):
                array[:] = np.asarray(result).reshape(width, -1)[:states] if array.size else array

    kernel.compile_seconds = 0.0
    return kernel


def _double_precision(jax):
    return jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64()
