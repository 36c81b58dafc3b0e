"""From a recording to a kernel: a function kernel(inputs, outputs) that runs a program on B states at once.

inputs, outputs: lists of C-contiguous float64 arrays (B, size), one for each input and output of the program; the
outputs are overwritten. Division by zero gives infinity or NaN without a warning. Several threads may call it at once.
The straight-line program, and for C the machine code, are kept in the cache (`rbdlib.compile.cache`).
"""

import importlib.util
import json
import sys
import time
from collections import namedtuple
from contextlib import suppress
from math import prod
from pathlib import Path

import numpy as np

from rbdlib.compile import c_compiler, c_source, cache
from rbdlib.compile.c_compiler import CKernel, can_be_called_natively, direct_call, load_library
from rbdlib.compile.cheapest import cheapest
from rbdlib.compile.executer import inputs_of
from rbdlib.compile.numpy_source import to_numpy
from rbdlib.compile.program import Argument, Assignment, Program, Result
from rbdlib.numbers.progress import Stages
from rbdlib.numbers.scalars import as_floats, matrix

#: The backends, in the order in which "auto" tries those that it tries.
BACKENDS = ("c", "numba", "numpy", "jax")
#: The name of the function in C and in Python.
NAME = "algorithm"


class Compiled(namedtuple("Compiled", "kernel backend inputs direct making shapes structure text")):
    """A kernel and all that is known of it.

    inputs: a list of `Argument`; direct: the same for one state, or None; making: how long it took (s); shapes: those
    of the outputs; structure: how the result is made of them (see `rbdlib.compile.executer.rebuild`); text: of the
    program.
    """

    seconds = property(lambda self: self.making + getattr(self.kernel, "compile_seconds", 0.0),
                       doc="Time spent on compiling until now (s): some kernels compile at their first calls.")

    def flat(self, arrays, batch):
        """The arguments for the kernel, {name: array}: one state after the other, or one for all if it knows that."""
        found = []
        for name, shape in self.inputs:
            array, states = arrays[name], batch
            if array.size == prod(shape) and getattr(self.kernel, "shares_inputs", False):
                states = (1,)
            elif array.shape != (*batch, *shape):
                array = np.broadcast_to(array, (*batch, *shape))
            found.append(np.ascontiguousarray(array).reshape(prod(states), prod(shape)))
        return found

    def program(self):
        return read_program(self.text)

    def source(self):
        if self.backend == "c":
            return c_source.to_c(self.program(), NAME)
        return to_numpy(self.program(), NAME) if self.backend == "numpy" else None


def compiled(what, backend, use_cache, progress, alone):
    """What, the arguments of `cheapest`, by one of BACKENDS or "auto": a `Compiled`. The rest as for `compile_for`."""
    start = time.perf_counter()
    inputs = inputs_of(**{name: value for name, value in what.items() if name != "sample"})
    with Stages(progress) as stages:
        for name in choices(backend):
            try:
                if name == "c":
                    kernel, direct, entry = _compiled_c(what, inputs, use_cache, stages, alone)
                else:
                    module, key = importlib.import_module(f"rbdlib.compile.{name}_source"), ("program", what, inputs)
                    entry, _, _ = cache.fetch(cache.cache_key(*key), lambda: _recorded(what)[0], use_cache)
                    stages.step()
                    kernel, direct = module.make(read_program(entry["program"])), None
                break
            except (c_compiler.CompilerError, OSError) as error:
                if backend != "auto":
                    raise
                cache.warn(f"The backend {name!r} is left out: {error}")
    return Compiled(kernel, name, inputs, direct, time.perf_counter() - start, list(map(tuple, entry["shapes"])),
                    entry["structure"], entry["program"])


def choices(backend):
    """The backends to try, in order. ImportError or CompilerError where the wanted one cannot be had."""
    if backend == "auto":
        return [*(["c"] if c_compiler.find_compiler() else []), *(["numba"] if _is_installed("numba") else []), "numpy"]
    if backend in ("numba", "jax") and not _is_installed(backend):
        raise ImportError(f"backend={backend!r} needs the package {backend}, which is not installed. Install it with "
                          f"pip install {backend}, or choose backend='auto'.")
    if backend == "c" and c_compiler.find_compiler() is None:
        raise c_compiler.CompilerError(f"backend='c' needs a C compiler, and none was found. {c_compiler.REMEDY}")
    return [backend]


def _is_installed(package):
    return importlib.util.find_spec(package) is not None


def _compiled_c(what, inputs, use_cache, stages, alone):
    """Kernel, builtin function or None, and entry of the cache, by C."""
    def make():
        entry, program = _recorded(what)
        stages.step()
        text = c_source.to_c(program, NAME, alone)
        pieces = c_source.groups_in(text)
        stages.expect(pieces + 1)
        return {**entry, "library": c_compiler.compile_library(text, pieces, stages.step).hex()}

    key = cache.cache_key("c", what, inputs, c_compiler.identity(), alone)
    kernel, entry = loaded(key, make, lambda library: CKernel(library, NAME), use_cache)
    direct = None
    if entry["structure"]["kind"] == "array" and can_be_called_natively(inputs):
        sizes, text = [size for _, (size,) in inputs], Path(__file__).with_name("python_call.c").read_text("utf-8")
        key = cache.cache_key("python_call", text, sys.version, c_compiler.identity())
        with suppress(OSError, c_compiler.CompilerError):   # the way by ctypes is left
            direct, _ = loaded(key, lambda: {"library": c_compiler.compile_library(text).hex()},
                                lambda library: direct_call(library, kernel, sizes, entry["shapes"][0]), use_cache)
    return kernel, direct, entry


def loaded(key, make, load, use_cache):
    """The result of load for the library in an entry of the cache, and the entry, made anew, once, where that fails."""
    for _ in range(2):
        entry, folder, made = cache.fetch(key, make, use_cache)
        try:
            return load(load_library(bytes.fromhex(entry["library"]), folder)), entry
        except OSError as error:
            reason = error
            if folder is not None:
                cache.discard(folder / key)
        if made:
            break
    raise c_compiler.failure(f"what it made cannot be loaded: {reason}")


def _recorded(what):
    """An entry of the cache for the cheapest program, and this."""
    recording = cheapest(**what)
    program = recording.program
    return {"structure": recording.structure, "shapes": [result.shape for result in program.outputs],
            "program": json.dumps([program.inputs, program.assignments, program.outputs, list(program.names.items())]),
            }, program


def read_program(text):
    """A program from its text in JSON, in which whole numbers (variables) and floats (constants) lose no digit."""
    inputs, assignments, outputs, names = json.loads(text)
    return Program(tuple(Argument(name, tuple(shape)) for name, shape in inputs),
                   tuple(Assignment(operation, tuple(operands)) for operation, operands in assignments),
                   tuple(Result(name, tuple(shape), tuple(entries)) for name, shape, entries in outputs),
                   {x: name for x, name in names})


# Arguments: whatever holds numbers becomes one float64 array, of one state or many

def as_batch(x, shape, name):
    """x as a float64 array (..., *shape) of finite numbers; not copied if it is one already.

    Raises TypeError (text, symbols, complex numbers) or ValueError (wrong shape, NaN, infinity), naming the argument.
    """
    array = x if type(x) is np.ndarray and x.dtype == np.float64 and np.isfinite(x).all() else _floats(x, name)
    if array.ndim < len(shape) or array.shape[array.ndim - len(shape):] != shape:
        one = f"shape {shape}" if shape else "a single number"
        many = "(" + ", ".join(["...", *map(str, shape)]) + ")" if shape else "an array of any shape"
        column = len(shape) == 1 and array.shape == (*shape, 1)
        remedy = f"; write {name}.ravel() to turn a column into a vector" if column else ""
        raise ValueError(f"{name} has shape {array.shape}; expected {one}, or {many} for a batch of states{remedy}.")
    return array


def _floats(x, name):
    shape = ()
    with suppress(ValueError):                              # ragged, which the door below says
        shape = np.shape(x)
    found = matrix(x, shape, name)
    array = as_floats(found)
    if array is None and found.dtype == object:
        with suppress(TypeError, ValueError):               # Python's fractions and decimal numbers, for example
            array = found.astype(float)
    if array is None:
        what = "complex numbers" if found.dtype.kind == "c" else "symbols"
        raise TypeError(f"{name} contains {what}; a compiled function takes floats. Call the function that was "
                        "compiled, which takes all kinds of numbers.")
    return array


def forces_of_bodies(f_ext, N_B):
    """f_ext as an array (..., N_B+1, 6) or what can become one: a dict {body: (..., 6)} is written out."""
    if not isinstance(f_ext, dict):
        return f_ext
    for body in f_ext:
        if not isinstance(body, (int, np.integer)) or isinstance(body, bool) or not 0 <= body <= N_B:
            raise ValueError(f"f_ext names body {body!r}; this model has the bodies 1 to {N_B}.")
    forces = {body: as_batch(f, (6,), f"f_ext[{body}]") for body, f in f_ext.items()}
    batch = batch_shape({f"f_ext[{body}]": f.shape[:-1] for body, f in forces.items()})
    array = np.zeros((*batch, N_B + 1, 6))
    for body, f in forces.items():
        array[..., body, :] = f
    return array


def batch_shape(shapes):
    """The common shape of batches, {name of the argument: shape of its batch}. Raises ValueError if there is none."""
    if all(shape == () for shape in shapes.values()):
        return ()
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        given = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"The batches do not fit together: {given}. Each must have the same shape as the others, or "
                         "one that broadcasts to it.") from None


class Rooms:
    """Memory for results. That of a large result is used again once nobody holds the result or a view of it any more:
    to get so much memory from the system anew takes longer than to compute what it is for.
    """

    #: The sizes in bytes for which this is done, of each array, until there is a result of another size.
    LEAST, MOST = 2**17, 2**28

    def __init__(self):
        self.kept = {}

    def take(self, key, shape):
        """An array of the shape that nobody else has. key: what for."""
        array = self.kept.pop(key, None)
        if array is None or array.shape != shape or sys.getrefcount(array) != HELD_ONCE:
            array = np.empty(shape)
        if HELD_ONCE is not None and self.LEAST <= array.nbytes <= self.MOST:
            self.kept[key] = array
        return array


def _held_once():
    """Reference count of an object that one variable holds; None where Python does not count so."""
    if not hasattr(sys, "getrefcount") or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return None
    held = object()
    return sys.getrefcount(held)


HELD_ONCE = _held_once()
