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
from pathlib import Path

from rbdlib.compile import c_compiler, c_source, cache
from rbdlib.compile.c_compiler import CKernel, can_be_called_natively, direct_call, load_library
from rbdlib.compile.cheapest import cheapest
from rbdlib.compile.executer import inputs_of
from rbdlib.compile.numpy_source import to_numpy
from rbdlib.compile.program import Argument, Assignment, Program, Result
from rbdlib.numbers.progress import Stages

#: The backends, in the order in which "auto" tries those that it tries.
BACKENDS = ("c", "numba", "numpy", "jax")
#: The name of the function in C and in Python.
NAME = "algorithm"


class Compiled(namedtuple("Compiled", "kernel backend what inputs direct making shapes structure divides text")):
    """A kernel and all that is known of it.

    what: what `cheapest` was called with; inputs: a list of `Argument`; direct: the same for one state, or None;
    making: how long it took (s); shapes: those of the outputs; structure: how the result is made of them (see
    `rbdlib.compile.executer.rebuild`); divides: whether one number is divided by another; text: of `program`.
    """

    seconds = property(lambda self: self.making + getattr(self.kernel, "compile_seconds", 0.0),
                       doc="Time spent on compiling until now (s): some kernels compile at their first calls.")

    def program(self):
        return read_program(self.text)

    def source(self):
        if self.backend == "c":
            return c_source.to_c(self.program(), NAME)
        return to_numpy(self.program(), NAME) if self.backend == "numpy" else None


def compiled(what, backend, use_cache=True, progress=None, alone=False):
    """Function compiled by a backend, as a `Compiled`; what: the arguments of `cheapest`, a dict.

    backend: one of BACKENDS, or "auto". alone, errors: as for `rbdlib.compile_for`.
    """
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
    return Compiled(kernel, name, what, inputs, direct, time.perf_counter() - start, list(map(tuple, entry["shapes"])),
                    entry["structure"], entry["divides"], entry["program"])


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
    return package in sys.modules or importlib.util.find_spec(package) is not None


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
            "divides": any(operation == "/" for operation, _ in program.assignments),
            "program": json.dumps([program.inputs, program.assignments, program.outputs, list(program.names.items())]),
            }, program


def read_program(text):
    """A program from its text in JSON, in which whole numbers (variables) and floats (constants) lose no digit."""
    inputs, assignments, outputs, names = json.loads(text)
    return Program(tuple(Argument(name, tuple(shape)) for name, shape in inputs),
                   tuple(Assignment(operation, tuple(operands)) for operation, operands in assignments),
                   tuple(Result(name, tuple(shape), tuple(entries)) for name, shape, entries in outputs),
                   {x: name for x, name in names})
