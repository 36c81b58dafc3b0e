"""Compiling C and C++ to shared libraries, and what the machine and its compilers are called."""

import ctypes
import hashlib
import platform
import shutil
import subprocess
from pathlib import Path

#: For the processor at hand, as fast as the compiler can.
FLAGS = ("-O3", "-march=native", "-DNDEBUG", "-fPIC", "-shared", "-w")


def shared_library(compiler, sources, folder, *options):
    """Compile the source files to a library in the folder, unless it is there already, and load it.

    Raises RuntimeError with the compiler's message.
    """
    if shutil.which(compiler) is None:
        raise RuntimeError(f"The compiler {compiler} was not found; install it, or leave these rows out with --only.")
    command = [compiler, *FLAGS, *options, *map(str, sources)]
    made_from = [compiler_version(compiler), processor(), *command, *(path.read_text() for path in sources)]
    library = folder / f"{hashlib.sha256(repr(made_from).encode()).hexdigest()[:16]}.so"
    if not library.exists():
        done = subprocess.run([*command, "-o", str(library), "-lm"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{compiler} failed on {sources}:\n{done.stderr[:2000]}")
    return ctypes.CDLL(str(library))


def pointer(array):
    """The address of a C-ordered array, for a C function, which must not keep it; None for None."""
    if array is None:
        return None
    assert array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data)


def compiler_version(compiler):
    """The first line of what the compiler says of itself."""
    if shutil.which(compiler) is None:
        return f"{compiler}: not found"
    return subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False).stdout.splitlines()[0]


def processor():
    """The processor's name, as Linux knows it."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
