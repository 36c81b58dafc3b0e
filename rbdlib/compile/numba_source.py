"""Straight-line programs as machine code by Numba, for those who have no C compiler (RBDA 10.4)."""

import itertools

import numpy as np

from rbdlib.compile.printing import number
from rbdlib.compile.program import cut

#: Assignments in one function: beyond some thousand the compiler's time grows faster than the program.
LENGTH = 1000
#: Products and sums may become one instruction, as in C; nothing else about the arithmetic is loosened.
FLAGS = ("contract",)


def make(program, length=LENGTH):
    """A kernel (see `rbdlib.compile.kernels`) of functions with so many assignments, for several states at a time.

    Raises ImportError where Numba is not installed and ValueError for a constant that is not finite.
    """
    import numba
    from llvmlite import binding

    pieces = cut(program, length)
    entries = program.output_entries
    constants = np.array([float(number(x)) for x in entries if not isinstance(x, int)])
    behind = itertools.count(pieces.places)
    wanted = np.array([pieces.place[x] if isinstance(x, int) else next(behind) for x in entries], dtype=np.int64)
    lanes = 8 if binding.get_host_cpu_features().get("avx512f") else 4      # states that an instruction works on
    run = _compiled(numba, _straight_line(program, pieces, lanes), lanes, max(len(program.inputs), 1),
                    max(len(program.outputs), 1))

    def kernel(inputs, outputs):
        states = next((len(array) for array in (*outputs, *inputs)), 0)
        nothing = (np.empty((states, 0)),)
        run(tuple(inputs) or nothing, tuple(outputs) or nothing, wanted, constants, pieces.places)

    return kernel


def _compiled(numba, steps, lanes, inputs, outputs):
    """The machine code run(inputs, outputs, wanted, constants, places) for so many input and output arrays.

    It copies some states at a time into rows, one for each place, lets `steps` work on the rows and copies the wanted
    ones to the outputs. The constants have rows after those of the places.
    """
    array, tuples = numba.types.Array, numba.types.UniTuple
    kind = numba.void(tuples(array(numba.float64, 2, "C", readonly=True), inputs),
                      tuples(array(numba.float64, 2, "C"), outputs),
                      array(numba.int64, 1, "C"), array(numba.float64, 1, "C"), numba.int64)

    @numba.njit(kind, error_model="numpy", nogil=True)
    def run(inputs, outputs, wanted, constants, places):
        states = len(outputs[0])
        rows = np.empty((places + len(constants), lanes))
        for k in range(len(constants)):
            rows[places + k] = constants[k]
        for start in range(0, states, lanes):
            for lane in range(lanes):
                state, first = min(start + lane, states - 1), 0      # lanes beyond the last state repeat it
                for array in inputs:
                    for k in range(array.shape[1]):
                        rows[first + k, lane] = array[state, k]
                    first += array.shape[1]
            steps(rows)
            for lane in range(min(lanes, states - start)):
                first = 0
                for array in outputs:
                    for k in range(array.shape[1]):
                        array[start + lane, k] = rows[wanted[first + k], lane]
                    first += array.shape[1]

    return run


def _straight_line(program, pieces, lanes):
    """A function steps(rows) for use in Numba code: the assignments as vector instructions on the rows of a matrix.

    The instructions are given to LLVM as they are: Numba's own analysis of as much Python takes ten times as long.
    """
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    vector = ir.VectorType(ir.DoubleType(), lanes)

    def emit_piece(function, piece):
        builder, values = ir.IRBuilder(function.append_basic_block()), {}

        def row(x):
            return builder.gep(function.args[0], [ir.Constant(ir.IntType(64), pieces.place[x])])

        def operand(x):
            return values[x] if isinstance(x, int) else ir.Constant(vector, [float(number(x))] * lanes)

        values.update((x, builder.load(row(x), align=8)) for x in piece.reads)
        binary = {"+": builder.fadd, "-": builder.fsub, "*": builder.fmul, "/": builder.fdiv}
        for k in range(piece.first, piece.last):
            operation, operands = program.assignments[k]
            operands = [operand(x) for x in operands]
            if operation in binary:
                value = binary[operation](*operands, flags=FLAGS)
            elif operation == "neg":
                value = builder.fneg(*operands)
            else:
                called = cgutils.get_or_insert_function(builder.module, ir.FunctionType(vector, [vector]),
                                                        f"llvm.{operation}.v{lanes}f64")
                value = builder.call(called, operands)
            values[program.input_size + k] = value
        for x in piece.writes:
            builder.store(values[x], row(x), align=8)
        builder.ret_void()

    def emit(context, builder, signature, arguments):
        rows = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        start = builder.bitcast(rows, vector.as_pointer())
        for piece in pieces.pieces:
            function = ir.Function(builder.module, ir.FunctionType(ir.VoidType(), [vector.as_pointer()]),
                                   builder.module.get_unique_name("piece"))
            function.linkage = "internal"
            function.attributes.add("noinline")
            emit_piece(function, piece)
            builder.call(function, [start])
        return context.get_dummy_value()

    @intrinsic
    def steps(typing, rows):
        return types.void(rows), emit

    return steps
