"""The C compiler of this machine: which one it is, and shared libraries from C source."""

import os
import platform
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import lru_cache
from pathlib import Path

#: What is asked of GCC and Clang. Products may be added without rounding in between; no other liberty is taken.
FLAGS = ("-std=gnu99", "-O2", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-fPIC")
#: What makes them use all that the processor can do.
NATIVE = {"x86_64": "-march=native", "amd64": "-march=native", "arm64": "-mcpu=native", "aarch64": "-mcpu=native"}
#: Names under which C compilers are found; the environment variable CC comes first.
USUAL = ("cc", "gcc", "clang")
SUFFIX = ".dll" if sys.platform == "win32" else ".so"
REMEDY = ("Install GCC or Clang (Debian and Ubuntu: apt install gcc; macOS: xcode-select --install; conda: conda "
          "install c-compiler), name yours in the environment variable CC, or choose another backend.")


class CompilerError(RuntimeError):
    """There is no C compiler, or it fails."""


def find_compiler():
    """The path of a C compiler, or None: that of the environment variable CC, or of the first usual name found."""
    named = os.environ.get("CC", "").strip()
    return next((path for path in map(shutil.which, (named, *USUAL) if named else USUAL) if path), None)


def flags():
    """The flags that this machine's compiler is given."""
    native = NATIVE.get(platform.machine().lower())
    return [*FLAGS, *([native] if native else [])]


def identity(compiler):
    """What decides about the machine code that comes of a source: the compiler, its flags and the processor."""
    return "\n".join([_version(compiler, os.stat(compiler).st_mtime_ns), " ".join(flags()), _processor()])


@lru_cache(maxsize=8)
def _version(compiler, changed):
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, errors="replace", check=False)
    return f"{compiler} {changed} {done.stdout}"


@lru_cache(maxsize=1)
def _processor():
    """What is known of the processor: on Linux all that it can do, elsewhere its name."""
    known = [sys.platform, platform.machine(), platform.processor()]
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    wanted = ("model name", "flags", "Features", "CPU part")
    return "\n".join([*known, *sorted({line for line in lines if line.startswith(wanted)})])


def compile_library(source, library, pieces=1, done=lambda: None):
    """Make a shared library (path) from a file of C source.

    pieces: into how many parts the source can be split, by defining ONLY as 0, 1, ...; they are compiled at the same
    time on all processors. done: called after each. Raises CompilerError, with what it said, where there is no compiler
    or it fails.
    """
    compiler = find_compiler()
    if compiler is None:
        raise CompilerError(f"No C compiler was found. {REMEDY}")
    said = ""
    for chosen in (flags(), list(FLAGS)):                   # some compilers do not know the processor they run on
        try:
            _compile(compiler, chosen, Path(source), Path(library), pieces, done)
            return
        except subprocess.CalledProcessError as error:
            said = (error.stderr or "").strip() or f"it ended with {error.returncode}"
        except OSError as error:
            raise CompilerError(f"The C compiler {compiler} could not be started: {error}. {REMEDY}") from None
    raise CompilerError(f"The C compiler {compiler} failed: {said[-2000:]}\n{REMEDY}")


def _compile(compiler, chosen, source, library, pieces, done):
    objects = [source]
    if pieces > 1:
        objects = [library.with_suffix(f".{k}.o") for k in range(pieces)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            runs = [pool.submit(_run, compiler, *chosen, "-c", f"-DONLY={k}", "-o", made, source)
                    for k, made in enumerate(objects)]
            for run in as_completed(runs):
                run.result()
                done()
    link = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []        # what Python itself provides
    _run(compiler, *chosen, "-shared", "-o", library, *objects, "-lm", *link)
    done()
    for path in objects if pieces > 1 else ():
        path.unlink()


def _run(*command):
    subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                   stdin=subprocess.DEVNULL, check=True)
