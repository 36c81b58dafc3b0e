"""The C compiler of this machine, shared libraries from C source, and their functions as Python callables."""

import ctypes
import importlib.util
import os
import platform
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import numpy as np

from rbdlib.compile.cache import warn_once

#: The flags for GCC and Clang. Products may be added without rounding in between; no other liberty is taken.
FLAGS = ("-std=gnu99", "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math",
         *([] if sys.platform == "win32" else ["-fPIC"]))
#: Their flags for a library: on macOS Python itself provides what is missing, Windows has no libm apart.
LINKED = {"darwin": ("-lm", "-undefined", "dynamic_lookup"), "win32": ()}.get(sys.platform, ("-lm",))
#: The flag that makes them use all that the processor can do.
NATIVE = {"x86_64": "-march=native", "amd64": "-march=native", "arm64": "-mcpu=native", "aarch64": "-mcpu=native"}
#: Names under which C compilers are found; the environment variable CC comes first.
USUAL = ("cc", "gcc", "clang")
SUFFIX = ".dll" if sys.platform == "win32" else ".so"
#: The longest time (s) that a compiler may take, to tell its version and to compile a piece of a source.
PATIENCE = {"version": 60, "piece": 1800}
REMEDY = ("Install GCC or Clang (Debian and Ubuntu: apt install gcc; macOS: xcode-select --install; conda: conda "
          "install c-compiler; anywhere: pip install ziglang), name yours in the environment variable CC, or choose "
          "another backend.")


class CompilerError(RuntimeError):
    """There is no C compiler, or it fails."""


def find_compiler():
    """The path of the program that `compiler_command` starts, or None."""
    return (compiler_command() or [None])[0]


def compiler_command():
    """The words that start a C compiler, the first a path, or None: those of the environment variable CC, which may be
    a path with spaces or contain options ("gcc -m32"), or a usual name, or Clang as the package ziglang brings it.
    """
    named = os.environ.get("CC", "").strip()
    ways = [[named]] if named else []
    with suppress(ValueError):                              # a quotation that does not end
        ways.append(shlex.split(named, posix=sys.platform != "win32"))
    for words in ways:
        if words and (path := shutil.which(words[0])):
            return [path, *words[1:]]
    usual = next(([path] for path in map(shutil.which, USUAL) if path), None)
    if usual is None and importlib.util.find_spec("ziglang"):
        usual = [sys.executable, "-m", "ziglang", "cc"]
    if named:
        warn_once(f"The environment variable CC is {named!r}, but there is no such program; "
                  f"{usual[0] if usual else 'no C compiler'} is used. Correct CC, or remove it.")
    return usual


def flags():
    """The flags that this machine's compiler is given."""
    native = NATIVE.get(platform.machine().lower())
    return [*FLAGS, *([native] if native else [])]


def identity():
    """Everything that machine code depends on beside its source: the compiler, its flags and the processor."""
    command = _command_or_error()
    changed = [os.stat(path).st_mtime_ns for path in map(shutil.which, command) if path]
    return "\n".join([_version(tuple(command), *changed), " ".join(flags()), _processor()])


def _command_or_error():
    command = compiler_command()
    if command is None:
        raise CompilerError(f"No C compiler was found. {REMEDY}")
    return command


@lru_cache(maxsize=8)
def _version(command, *changed):
    try:
        return f"{command} {changed} {_run(*command, '--version', patience='version', check=False).stdout}"
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _not_started(command, error) from None


def _not_started(command, error):
    return CompilerError(f"The C compiler {' '.join(command)} could not be started: {error}. {REMEDY}")


@lru_cache(maxsize=1)
def _processor():
    """Description of the processor: on Linux all its features, elsewhere its name."""
    known, lines = [sys.platform, platform.machine(), platform.processor()], []
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    wanted = ("model name", "flags", "Features", "CPU part")
    return "\n".join([*known, *sorted({line for line in lines if line.startswith(wanted)})])


def compile_library(text, pieces=1, done=lambda: None):
    """The shared library made from a text in C, as bytes.

    pieces: into how many parts the text can be split, by defining ONLY as 0, 1, ...; they are compiled at the same time
    on all processors. done: called after each. Raises CompilerError, with what it said, where there is no compiler or
    it fails.
    """
    command, said = _command_or_error(), ""
    with tempfile.TemporaryDirectory(prefix="rbdlib-", ignore_cleanup_errors=True) as folder:
        source, library = Path(folder, "source.c"), Path(folder, f"library{SUFFIX}")
        source.write_text(text, encoding="utf-8")
        objects = [Path(folder, f"{k}.o") for k in range(pieces)] if pieces > 1 else []
        for chosen in (flags(), FLAGS):                     # some compilers do not know the processor they run on
            try:
                with ThreadPoolExecutor(os.cpu_count()) as pool:
                    runs = [pool.submit(_run, *command, *chosen, "-c", f"-DONLY={k}", "-o", made, source)
                            for k, made in enumerate(objects)]
                    for run in as_completed(runs):
                        run.result()
                        done()
                _run(*command, *chosen, "-shared", "-o", library, *(objects or [source]), *LINKED)
                done()
                if library.is_file():
                    return library.read_bytes()
                said = "it made no library"
            except subprocess.CalledProcessError as error:
                said = error.stderr.strip() or f"it ended with {error.returncode}"
            except subprocess.TimeoutExpired as error:
                raise failure(f"it took longer than {error.timeout} s") from None
            except OSError as error:
                raise _not_started(command, error) from None
    raise failure(said[-2000:])


def failure(said):
    """The CompilerError that tells that the compiler fails, because of what it said."""
    return CompilerError(f"The C compiler {' '.join(_command_or_error())} failed: {said}\nIt needs room for files in "
                         f"{tempfile.gettempdir()}. {REMEDY}")


def _run(*command, patience="piece", check=True):
    return subprocess.run([str(word) for word in command], capture_output=True, errors="replace",
                          stdin=subprocess.DEVNULL, check=check, timeout=PATIENCE[patience])


# Compiled functions: for batches by ctypes, for one state by a builtin function of Python

#: The most arguments that `python_call.c` has room for.
MOST = 16
#: The libraries that this process has loaded, by what is in them.
LOADED: dict = {}


def load_library(data, folder=None):
    """A shared library, given as bytes, as ctypes knows it, loaded as long as the process lives, from a copy in the
    folder (None: the usual one of temporary files); OSError if that fails.
    """
    if data not in LOADED:
        number, copy = tempfile.mkstemp(prefix=".new-", suffix=SUFFIX, dir=folder)
        try:
            with open(number, "wb") as file:
                file.write(data)
            LOADED[data] = ctypes.CDLL(copy)
        finally:
            with suppress(OSError):                         # Windows keeps what is loaded; the cache removes it later
                os.unlink(copy)
    return LOADED[data]


class CKernel:
    """A kernel (see `rbdlib.compile.kernels`): a C function of `rbdlib.compile.c_source` from a loaded library, or an
    OSError. All states share an input of shape (1, size). A call returns whether all results are finite.
    """

    shares_inputs = True

    def __init__(self, library, name):
        try:
            self.function = library[name]
        except AttributeError as error:
            raise OSError(f"there is no function {name} in {library}: {error}") from None
        self.function.restype = ctypes.c_int

    def __call__(self, inputs, outputs):
        B = len(outputs[0]) if outputs else 0
        steps = [array.shape[1] if len(array) == B else 0 for array in inputs]
        finite = self.function(ctypes.c_size_t(B), _pointers(inputs), (ctypes.c_size_t * len(steps))(*steps),
                               _pointers(outputs))
        if finite < 0:
            raise MemoryError("There is not enough memory for the compiled function.")
        return bool(finite)


def _pointers(arrays):
    return (ctypes.c_void_p * len(arrays))(*[array.__array_interface__["data"][0] for array in arrays])


def can_be_called_natively(inputs):
    """True if `direct_call` works on this Python and with arguments such as these, which must be vectors."""
    ordinary = (sys.implementation.name == "cpython" and not hasattr(sys, "gettotalrefcount")
                and sys.platform in ("linux", "darwin"))
    return ordinary and 0 < len(inputs) <= MOST and all(len(shape) == 1 and shape[0] > 0 for _, shape in inputs)


def direct_call(library, kernel, sizes, shape):
    """A builtin function of one state: it gives a new array, or NotImplemented for all but clean float64 vectors.

    library: the loaded `python_call.c`; kernel: a `CKernel`; sizes: of the arguments; shape: of the result. Raises
    OSError where the library is another one.
    """
    address = ctypes.cast(kernel.function, ctypes.c_void_p).value
    plan = struct.pack(f"Pn{MOST}n", address, len(sizes), *sizes, *[0] * (MOST - len(sizes)))      # as the struct there
    try:
        method = ctypes.c_char.in_dll(library, "method")
    except ValueError as error:
        raise OSError(f"there is nothing called method in {library}: {error}") from None
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    return make(ctypes.addressof(method), (plan, np.empty, tuple(shape)), None)
