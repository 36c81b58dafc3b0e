"""From a recording to a kernel: kernel(inputs, outputs) fills float64 arrays (B, size) for B states.

A kernel and what it was made from are kept in the cache (`rbdlib.codegen.cache`), as far as a backend allows: for C the
machine code, for the others the straight-line program.
"""

import importlib.util
import json
import sys
import time
import warnings
from dataclasses import dataclass
from functools import partial
from itertools import count
from math import prod
from pathlib import Path

from rbdlib.codegen import c_compiler, c_source, cache
from rbdlib.codegen.cheapest import cheapest
from rbdlib.codegen.native_call import CKernel, can_be_called_natively, direct_call
from rbdlib.codegen.numpy_source import to_numpy
from rbdlib.codegen.program import Argument, Assignment, Program, Result
from rbdlib.integrators import Progress

#: The backends, in the order in which "auto" tries those that it tries.
BACKENDS = ("c", "numba", "numpy", "jax")
#: The name of the C function, of its source and of its library.
NAME = "algorithm"


@dataclass(frozen=True, eq=False)
class Compiled:
    """A kernel and all that is known of it.

    what: what `cheapest` was called with; folder: where its files are; inputs: a list of `Argument`; shapes: those of
    the outputs; structure: how the result is made of them (see `rbdlib.codegen.executer.rebuild`); direct: the same for
    one state, or None; seconds: how long it took.
    """

    kernel: object
    backend: str
    what: dict
    folder: Path
    inputs: list
    shapes: list
    structure: dict
    direct: object
    seconds: float

    def program(self):
        try:
            return read_program(self.folder / "program.json")
        except (OSError, ValueError):                       # the cache has been cleared
            return cheapest(**self.what).program

    def source(self):
        if self.backend == "c":
            return c_source.to_c(self.program(), NAME)
        return to_numpy(self.program(), NAME) if self.backend == "numpy" else None


def compiled(what, backend, use_cache=True, progress=None):
    """What `cheapest` is to be called with (a dict of its arguments), as a `Compiled` of the backend.

    backend: one of BACKENDS, or "auto". Errors as for `rbdlib.compile_for`.
    """
    start = time.perf_counter()
    for name in choices(backend):
        try:
            make = _compiled_c if name == "c" else partial(_compiled_elsewhere, backend=name)
            made = make(what, use_cache=use_cache, progress=progress)
            break
        except c_compiler.CompilerError as error:
            if backend != "auto":
                raise
            warnings.warn(f"The backend {name!r} is left out: {error}", stacklevel=5)
    made["seconds"] = time.perf_counter() - start
    return Compiled(backend=name, what=what, **made)


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


def _compiled_c(what, use_cache, progress):
    key = cache.cache_key("c", what, c_compiler.identity(c_compiler.find_compiler()))

    def make(folder):
        recording, notes = _recorded(what, folder)
        source = folder / f"{NAME}.c"
        text = c_source.to_c(recording.program, NAME)
        source.write_text(text, encoding="utf-8")
        pieces, done = c_source.groups_in(text), count(1)
        with Progress(pieces + 1, "part", progress) as bar:
            c_compiler.compile_library(source, folder / (NAME + c_compiler.SUFFIX), pieces,
                                       lambda: bar.update(next(done)))
        return notes

    folder, notes = cache.fetch(key, make, use_cache)
    try:
        kernel = CKernel(folder / (NAME + c_compiler.SUFFIX), NAME)
    except OSError:                                         # kept by another system that looked the same
        folder, notes = cache.fetch(key, make, False)
        kernel = CKernel(folder / (NAME + c_compiler.SUFFIX), NAME)
    facts = _facts(notes, folder)
    return {**facts, "kernel": kernel, "direct": _direct(kernel, facts, use_cache)}


def _direct(kernel, facts, use_cache):
    """The builtin function for one state; None where there can be none."""
    if facts["structure"]["kind"] != "array" or not can_be_called_natively(facts["inputs"]):
        return None
    text = Path(__file__).with_name("python_call.c").read_text(encoding="utf-8")
    key = cache.cache_key("python_call", text, sys.version, c_compiler.identity(c_compiler.find_compiler()))

    def make(folder):
        (folder / "python_call.c").write_text(text, encoding="utf-8")
        c_compiler.compile_library(folder / "python_call.c", folder / ("python_call" + c_compiler.SUFFIX))
        return {}

    try:
        folder, _ = cache.fetch(key, make, use_cache)
        return direct_call(folder / ("python_call" + c_compiler.SUFFIX), kernel,
                           [prod(argument.shape) for argument in facts["inputs"]], facts["shapes"][0])
    except (OSError, c_compiler.CompilerError):             # the way by ctypes is left
        return None


def _compiled_elsewhere(what, backend, use_cache, progress):
    folder, notes = cache.fetch(cache.cache_key("program", what), lambda folder: _recorded(what, folder)[1], use_cache)
    module = importlib.import_module(f"rbdlib.codegen.{backend}_source")
    return {**_facts(notes, folder), "kernel": module.make(read_program(folder / "program.json")), "direct": None}


def _recorded(what, folder):
    """Record, and write the program to the folder. Returns the recording and what is noted about it."""
    recording = cheapest(**what)
    write_program(recording.program, folder / "program.json")
    return recording, {"structure": recording.structure, "inputs": recording.program.inputs,
                       "shapes": [result.shape for result in recording.program.outputs]}


def _facts(notes, folder):
    return {"folder": folder, "structure": notes["structure"], "shapes": [tuple(shape) for shape in notes["shapes"]],
            "inputs": [Argument(name, tuple(shape)) for name, shape in notes["inputs"]]}


# Programs on disk: JSON, in which whole numbers (variables) and floats (constants) stay apart and lose no digit


def write_program(program, path):
    """Write a program to a file that `read_program` reads."""
    names = [[x, name] for x, name in program.names.items()]
    path.write_text(json.dumps([program.inputs, program.assignments, program.outputs, names]), encoding="utf-8")


def read_program(path):
    """The program in a file of `write_program`."""
    inputs, assignments, outputs, names = json.loads(path.read_text(encoding="utf-8"))
    return Program(tuple(Argument(name, tuple(shape)) for name, shape in inputs),
                   tuple(Assignment(operation, tuple(operands)) for operation, operands in assignments),
                   tuple(Result(name, tuple(shape), tuple(entries)) for name, shape, entries in outputs),
                   {x: name for x, name in names})
