"""From a recording to a kernel: kernel(inputs, outputs) fills float64 arrays (B, size) for B states.

A kernel and what it was made from are kept in the cache (`rbdlib.compile.cache`), as far as a backend allows: for C the
machine code, for the others the straight-line program.
"""

import importlib.util
import json
import sys
import time
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path

from rbdlib.compile import c_compiler, c_source, cache
from rbdlib.compile.cheapest import cheapest
from rbdlib.compile.executer import inputs_of
from rbdlib.compile.native_call import CKernel, can_be_called_natively, direct_call
from rbdlib.compile.numpy_source import to_numpy
from rbdlib.compile.program import Argument, Assignment, Program, Result
from rbdlib.compile.stages import Stages

#: The backends, in the order in which "auto" tries those that it tries.
BACKENDS = ("c", "numba", "numpy", "jax")
#: The name of the C function, of its source and of its library.
NAME = "algorithm"


@dataclass(frozen=True, eq=False)
class Compiled:
    """A kernel and all that is known of it.

    what: what `cheapest` was called with; folder: where its files are, or None; inputs: a list of `Argument`; shapes:
    those of the outputs; structure: how the result is made of them (see `rbdlib.compile.executer.rebuild`); divides:
    whether one number is divided by another; direct: the same for one state, or None; making: how long it took (s).
    """

    kernel: object
    backend: str
    what: dict
    folder: Path
    inputs: list
    shapes: list
    structure: dict
    divides: bool
    direct: object
    making: float

    @property
    def seconds(self):
        """Time spent on compiling until now (s): some kernels compile at their first calls."""
        return self.making + getattr(self.kernel, "compile_seconds", 0.0)

    def program(self):
        try:
            return read_program(self.folder / "program.json")
        except (OSError, ValueError, TypeError):            # the cache has been cleared, or could not keep it
            return cheapest(**self.what).program

    def source(self):
        if self.backend == "c":
            return c_source.to_c(self.program(), NAME)
        return to_numpy(self.program(), NAME) if self.backend == "numpy" else None


def compiled(what, backend, use_cache=True, progress=None):
    """Function compiled by a backend, as a `Compiled`; what: the arguments of `cheapest`, a dict.

    backend: one of BACKENDS, or "auto". Errors as for `rbdlib.compile_for`.
    """
    start = time.perf_counter()
    inputs = inputs_of(**{name: value for name, value in what.items() if name != "sample"})
    with Stages(progress) as stages:
        for name in choices(backend):
            try:
                make = _compiled_c if name == "c" else partial(_compiled_elsewhere, backend=name)
                made = make(what, inputs, use_cache=use_cache, stages=stages)
                break
            except (c_compiler.CompilerError, OSError) as error:
                if backend != "auto":
                    raise
                cache.warn(f"The backend {name!r} is left out: {error}")
    return Compiled(backend=name, what=what, inputs=inputs, making=time.perf_counter() - start, **made)


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


def _compiled_c(what, inputs, use_cache, stages):
    key = cache.cache_key("c", what, inputs, c_compiler.identity())

    def make(folder):
        recording, notes = _recorded(what, folder)
        stages.step()
        source = folder / f"{NAME}.c"
        text = c_source.to_c(recording.program, NAME)
        source.write_text(text, encoding="utf-8")
        pieces = c_source.groups_in(text)
        stages.expect(pieces + 1)
        c_compiler.compile_library(source, _library(folder, NAME), pieces, stages.step)
        return notes

    folder, notes, kernel = _loaded(key, make, lambda folder: CKernel(_library(folder, NAME), NAME), use_cache)
    facts = _facts(notes, folder)
    return {**facts, "kernel": kernel, "direct": _direct(kernel, inputs, facts, use_cache)}


def _library(folder, name):
    return folder / (name + c_compiler.SUFFIX)


def _loaded(key, make, load, use_cache):
    """The folder and the notes of an entry of the cache, and what load, a function of the folder, makes of it.

    What cannot be loaded is not kept, and made anew if it was not made just now. Raises CompilerError if that fails.
    """
    for _ in range(2):
        folder, notes, made = cache.fetch(key, make, use_cache)
        try:
            return folder, notes, load(folder)
        except OSError as error:
            cache.discard(folder)
            reason = error
        if made:
            break
    raise c_compiler.failure(f"what it made cannot be loaded: {reason}")


def _direct(kernel, inputs, facts, use_cache):
    """The builtin function for one state; None where there can be none."""
    if facts["structure"]["kind"] != "array" or not can_be_called_natively(inputs):
        return None
    text = Path(__file__).with_name("python_call.c").read_text(encoding="utf-8")
    key = cache.cache_key("python_call", text, sys.version, c_compiler.identity())
    sizes, shape = [prod(argument.shape) for argument in inputs], facts["shapes"][0]

    def make(folder):
        (folder / "python_call.c").write_text(text, encoding="utf-8")
        c_compiler.compile_library(folder / "python_call.c", _library(folder, "python_call"))
        return {}

    try:
        return _loaded(key, make, lambda folder: direct_call(_library(folder, "python_call"), kernel, sizes, shape),
                       use_cache)[2]
    except (OSError, c_compiler.CompilerError):             # the way by ctypes is left
        return None


def _compiled_elsewhere(what, inputs, backend, use_cache, stages):
    key, module = cache.cache_key("program", what, inputs), importlib.import_module(f"rbdlib.compile.{backend}_source")
    try:
        folder, notes, _ = cache.fetch(key, lambda folder: _recorded(what, folder)[1], use_cache)
        program = read_program(folder / "program.json")
    except OSError:                                         # nothing can be written, not even to a temporary folder
        recording = cheapest(**what)
        folder, notes, program = None, _notes(recording), recording.program
    stages.step()
    return {**_facts(notes, folder), "kernel": module.make(program), "direct": None}


def _recorded(what, folder):
    """Record, and write the program to the folder. Returns the recording and what is noted about it."""
    recording = cheapest(**what)
    write_program(recording.program, folder / "program.json")
    return recording, _notes(recording)


def _notes(recording):
    return {"structure": recording.structure, "shapes": [result.shape for result in recording.program.outputs],
            "divides": any(operation == "/" for operation, _ in recording.program.assignments)}


def _facts(notes, folder):
    return {**notes, "folder": folder, "shapes": [tuple(shape) for shape in notes["shapes"]]}


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
