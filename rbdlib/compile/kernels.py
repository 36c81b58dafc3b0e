"""From a recording to a kernel: kernel(inputs, outputs) fills float64 arrays (B, size) for B states.

A kernel and what it was made from are kept in the cache (`rbdlib.compile.cache`), as far as a backend allows: for C the
machine code, for the others the straight-line program.
"""

import importlib.util
import json
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
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

    what: what `cheapest` was called with; inputs: a list of `Argument`; folder: where its files are, or None; direct:
    the same for one state, or None; making: how long it took (s); shapes: those of the outputs; structure: how the
    result is made of them (see `rbdlib.compile.executer.rebuild`); divides: whether one number is divided by another.
    """

    kernel: object
    backend: str
    what: dict
    inputs: list
    folder: Path
    direct: object
    making: float
    shapes: list
    structure: dict
    divides: bool

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
                if name == "c":
                    kernel, direct, folder, notes = _compiled_c(what, inputs, use_cache, stages)
                else:
                    kernel, direct, folder, notes = _compiled_elsewhere(name, what, inputs, use_cache, stages)
                break
            except (c_compiler.CompilerError, OSError) as error:
                if backend != "auto":
                    raise
                cache.warn(f"The backend {name!r} is left out: {error}")
    notes["shapes"] = [tuple(shape) for shape in notes["shapes"]]
    return Compiled(kernel, name, what, inputs, folder, direct, time.perf_counter() - start, **notes)


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
    """Kernel, builtin function or None, folder and notes, by C."""
    def make(folder):
        program, notes = _recorded(what, folder)
        stages.step()
        text = c_source.to_c(program, NAME)
        (folder / f"{NAME}.c").write_text(text, encoding="utf-8")
        pieces = c_source.groups_in(text)
        stages.expect(pieces + 1)
        c_compiler.compile_library(folder / f"{NAME}.c", _library(folder, NAME), pieces, stages.step)
        return notes

    key = cache.cache_key("c", what, inputs, c_compiler.identity())
    kernel, folder, notes = _loaded(key, make, lambda folder: CKernel(_library(folder, NAME), NAME), use_cache)
    direct = None
    if notes["structure"]["kind"] == "array" and can_be_called_natively(inputs):
        with suppress(OSError, c_compiler.CompilerError):   # the way by ctypes is left
            direct = _direct(kernel, [size for _, (size,) in inputs], notes["shapes"][0], use_cache)
    return kernel, direct, folder, notes


def _library(folder, name):
    return folder / (name + c_compiler.SUFFIX)


def _loaded(key, make, load, use_cache):
    """What load, a function of a folder, makes of an entry of the cache, its folder and its notes.

    What cannot be loaded is not kept, and made anew if it was not made just now. Raises CompilerError if that fails.
    """
    for _ in range(2):
        folder, notes, made = cache.fetch(key, make, use_cache)
        try:
            return load(folder), folder, notes
        except OSError as error:
            cache.discard(folder)
            reason = error
        if made:
            break
    raise c_compiler.failure(f"what it made cannot be loaded: {reason}")


def _direct(kernel, sizes, shape, use_cache):
    """The builtin function for one state; sizes: of the arguments; shape: of the result. Errors as for `_loaded`."""
    name, text = "python_call", Path(__file__).with_name("python_call.c").read_text(encoding="utf-8")

    def make(folder):
        (folder / f"{name}.c").write_text(text, encoding="utf-8")
        c_compiler.compile_library(folder / f"{name}.c", _library(folder, name))
        return {}

    key = cache.cache_key(name, text, sys.version, c_compiler.identity())
    return _loaded(key, make, lambda folder: direct_call(_library(folder, name), kernel, sizes, shape), use_cache)[0]


def _compiled_elsewhere(backend, what, inputs, use_cache, stages):
    """Kernel, None, folder and notes, by another backend than C."""
    module = importlib.import_module(f"rbdlib.compile.{backend}_source")
    try:
        folder, notes, _ = cache.fetch(cache.cache_key("program", what, inputs),
                                       lambda folder: _recorded(what, folder)[1], use_cache)
        program = read_program(folder / "program.json")
    except OSError:                                         # nothing can be written, not even to a temporary folder
        folder, (program, notes) = None, _recorded(what)
    stages.step()
    return module.make(program), None, folder, notes


def _recorded(what, folder=None):
    """The cheapest program, written to the folder if one is given, and what is noted about it."""
    recording = cheapest(**what)
    program = recording.program
    if folder is not None:
        write_program(program, folder / "program.json")
    return program, {"structure": recording.structure, "shapes": [result.shape for result in program.outputs],
                     "divides": any(operation == "/" for operation, _ in program.assignments)}


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
