"""Straight-line programs as functions of JAX arrays: jit, vmap, grad and other processors (RBDA 10.4)."""

import time
from functools import partial

import numpy as np

from rbdlib.compile.printing import number
from rbdlib.compile.program import cut

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
    try:
        import jax
        from jax import lax, numpy as jnp
    except ImportError:
        raise ImportError('The backend "jax" needs JAX, which is not installed: pip install jax, or choose another '
                          'backend, such as "numpy".') from None
    apply = {"+": lax.add, "-": lax.sub, "*": lax.mul, "/": lax.div, "neg": lax.neg, "sin": lax.sin, "cos": lax.cos,
             "sqrt": lax.sqrt}
    pieces, place, places = cut(program, length)
    for x in (*(x for done in program.assignments for x in done.operands), *program.output_entries):
        number(x)                                           # refuses what is not finite

    def step(piece, waiting):
        """The values in the places after a piece of the program."""
        kind, values = jnp.result_type(float, *waiting), {x: waiting[place[x]] for x in piece.reads}
        for k in range(piece.first, piece.last):
            operation, operands = program.assignments[k]
            operands = [values[x] if isinstance(x, int) else jnp.asarray(x, kind) for x in operands]
            values[program.input_size + k] = apply[operation](*operands)
        now = list(waiting)
        for x in piece.writes:
            now[place[x]] = values[x]
        return tuple(now)

    branches = [partial(step, piece) for piece in pieces]
    # a derivative keeps the places of each piece and computes the rest again, so that it needs little memory
    one_of_many = jax.checkpoint(lambda waiting, k: (lax.switch(k, branches, waiting), None), prevent_cse=False)

    def function(*arguments):
        if len(arguments) != len(program.inputs):
            raise TypeError(f"{len(arguments)} arguments were given; expected {len(program.inputs)}: "
                            f"{', '.join(argument.name for argument in program.inputs)}.")
        arrays = [jnp.asarray(array) for array in arguments]
        for array, (name, shape) in zip(arrays, program.inputs, strict=True):
            if array.shape != shape:
                raise ValueError(f"{name} has shape {array.shape}; expected {shape}. For batches use jax.vmap.")
        kind = jnp.result_type(float, *arrays)
        entries = [x for array in arrays for x in array.astype(kind).ravel()]
        waiting = (*entries, *(jnp.zeros((), kind) for _ in range(places - len(entries))))
        if len(pieces) > 1:
            waiting, _ = lax.scan(one_of_many, waiting, jnp.arange(len(pieces)))
        elif pieces:
            waiting = step(pieces[0], waiting)
        values = [[waiting[place[x]] if isinstance(x, int) else jnp.asarray(x, kind) for x in result.entries]
                  for result in program.outputs]
        results = tuple(jnp.stack(of_one).reshape(shape) if of_one else jnp.zeros(shape, kind)
                        for of_one, (_, shape, _) in zip(values, program.outputs, strict=True))
        return results[0] if len(results) == 1 else results

    return function


def make(program, length=LENGTH):
    """A kernel (see `rbdlib.compile.kernels`) of JAX in double precision; errors as for `to_jax`.

    It is compiled anew for each power of two of the number of states, at the first call that needs it;
    kernel.compile_seconds is the time spent on that.
    """
    function = to_jax(program, length)
    import jax

    batched, compiled = jax.jit(jax.vmap(lambda state, *arguments: function(*arguments))), {}

    def kernel(inputs, outputs):
        states = next((len(array) for array in (*outputs, *inputs)), 0)
        if not states or not outputs:
            return
        width = 1 << (states - 1).bit_length()
        same = np.minimum(np.arange(width), states - 1)                 # what is beyond the last state repeats it
        with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
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
