"""Compiling C and C++ to shared libraries, and what the machine and its compilers are called."""

import ctypes
import hashlib
import os
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


def at_once(gigabytes):
    """How many compilers may run at the same time that need so many gigabytes each: as memory and cores allow."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, int(available_memory() / gigabytes / 1e9)))


def available_memory(meminfo=Path("/proc/meminfo"), group=Path("/sys/fs/cgroup")):
    """The bytes of memory that this process may still take, as Linux knows them; 0 where that is unknown."""
    try:
        lines = dict(line.split(":") for line in meminfo.read_text(encoding="utf-8").splitlines())
        free = int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return 0
    try:                                                    # in a container
        most, used = ((group / name).read_text(encoding="utf-8") for name in ("memory.max", "memory.current"))
        return min(free, int(most) - int(used))
    except (OSError, ValueError):                           # none, or the limit is the word "max"
        return free


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
