"""Runs the tests as other computers would, and prints a table of what passed: `make test-portable`.

    python -m tools.portability [NAME ...] [--list] [--fast]

NAME: settings from the list, such as Prescott or oldest; all of them if left out. --fast: without the slow tests and
the notebooks. What the processor at hand, or the machine, cannot run is named as left out, with the reason.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/portability"
KERNELS = ("Prescott", "Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX")
#: Kernels made for processors without AVX: NumPy's own loops are then to do without, too.
WITHOUT_AVX = {"Prescott", "Nehalem"}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
#: Packages whose oldest supported versions are tried, all others being pinned as usual.
OLDEST = ("numpy", "scipy", "sympy", "mpmath", "matplotlib", "ipywidgets", "tomli-w", "tqdm", "lxml", "daqp")


#: Tests of the pinned versions themselves, which say nothing of others.
OF_THE_PINS = ("tests/test_environment.py", "tests/test_types.py", "tests/lite")


class LeftOut(Exception):
    """Why a setting cannot be tried here."""


@dataclass
class Setting:
    """One way to run the tests: variables of the environment, and the Python to run with (a function that makes it)."""

    name: str
    what: str
    variables: dict = field(default_factory=dict)
    python: object = lambda: sys.executable
    prepare: object = dict

    def environment(self):
        return os.environ | ONE_THREAD | self.variables | self.prepare()


def dispatched():
    """The features of the processor that NumPy uses where it finds them, such as "AVX2"."""
    code = ("from numpy._core._multiarray_umath import __cpu_dispatch__ as d, __cpu_features__ as f\n"
            "print(' '.join(x for x in d if f.get(x)))")
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def shaken_library():
    """The variable that preloads shaken.c, compiled."""
    library = Path(tempfile.mkdtemp(prefix="shaken-")) / "shaken.so"
    if platform.system() != "Linux" or " " in str(library):
        raise LeftOut("preloading a library is done on Linux only, from a path without spaces")
    command = ["cc", "-O2", "-fno-builtin", "-ffp-contract=off", "-shared", "-fPIC", "-o", str(library),
               str(Path(__file__).with_name("shaken.c")), "-ldl", "-lm"]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise LeftOut(f"there is no C compiler that compiles shaken.c ({error})") from None
    return {"LD_PRELOAD": str(library)}


def environment_of(name, version, requirements):
    """The Python of an environment of that version of Python in build/portability, with the packages asked for."""
    found = next((candidate for candidate in (f"python{version}", sys.executable)
                  if _version_of(candidate) == version), None)
    if found is None:
        raise LeftOut(f"no Python {version} is installed here")
    folder = BUILD / name
    python = folder / "bin/python"
    subprocess.run([found, "-m", "venv", "--clear", str(folder)], check=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*install, *requirements, "--editable", f"{ROOT}[book,test]"], capture_output=True, text=True)
    if done.returncode:
        raise LeftOut(f"pip cannot install it: {done.stderr.strip().splitlines()[-1]}")
    return str(python)


def _version_of(python):
    try:
        done = subprocess.run([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True,
                              text=True)
    except OSError:
        return None
    return done.stdout.strip()


def oldest():
    """What asks pip for the oldest supported versions, as pyproject.toml has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds, extras = {}, project["optional-dependencies"].values()
    for line in (*project["dependencies"], *(line for extra in extras for line in extra)):
        found = re.fullmatch(r"([\w-]+)>=([\d.]+),.*", line)
        if found and found[1] in OLDEST:
            bounds[found[1]] = f"{found[1]}=={found[2]}.*"
    return sorted(bounds.values())


def settings():
    every = [Setting(kernel, f"OpenBLAS's kernels for {kernel}", {"OPENBLAS_CORETYPE": kernel} | (
        {"NPY_DISABLE_CPU_FEATURES": dispatched()} if kernel in WITHOUT_AVX else {})) for kernel in KERNELS]
    every += [Setting("plain", "NumPy without what it finds in this processor",
                      {"NPY_DISABLE_CPU_FEATURES": dispatched()}),
              Setting("threads", "as many threads as there are cores",
                      {"OMP_NUM_THREADS": "", "OPENBLAS_NUM_THREADS": ""})]
    every += [Setting(f"shaken-{seed}", "a processor that exists nowhere: other last digits, other signs of singular "
                      "vectors (shaken.c)", {"RBDLIB_SHAKEN": str(seed)}, prepare=shaken_library) for seed in (1, 2)]
    every += [Setting(f"newest-{version}", f"the newest versions allowed, Python {version}",
                      python=lambda version=version: environment_of(f"newest-{version}", version, []))
              for version in PYTHONS]
    every += [Setting("oldest", "the oldest versions allowed, Python 3.11",
                      python=lambda: environment_of("oldest", "3.11", oldest()))]
    return every


def require_runnable(setting):
    """Raise LeftOut where the processor has no such kernel: OpenBLAS does what it is told, and is killed for it."""
    if "OPENBLAS_CORETYPE" in setting.variables:
        code = "import numpy as np; A = np.linspace(0, 1, 10000).reshape(100, 100); np.linalg.svd(A @ A.T)"
        if subprocess.run([sys.executable, "-c", code], env=setting.environment(), capture_output=True).returncode:
            raise LeftOut("this processor has not the instructions")


def tried(setting, options):
    """One row of the table: what the run under a setting came to. What failed is printed, from pytest's summary on."""
    try:
        require_runnable(setting)
        python, environment = setting.python(), setting.environment()
    except LeftOut as reason:
        return setting.name, setting.what, f"left out: {reason}"
    log = BUILD / f"{setting.name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    what = (["-m", "not slow and not long", "tests"] if options.fast else
            ["-m", "not long", "--nbval", "--nbval-current-env", "tests", "notebooks"])
    left_out = [] if python == sys.executable else [f"--ignore={tests}" for tests in OF_THE_PINS]
    command = [python, "-m", "pytest", "-n", "2", "--dist", "loadfile", "-q", *left_out, *what]
    with log.open("w", encoding="utf-8") as file:
        failed = subprocess.run(command, cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT).returncode
    text = log.read_text(encoding="utf-8").strip()
    if failed:
        print(text[max(text.find("= FAILURES ="), 0):])
    return setting.name, setting.what, text.splitlines()[-1].strip("= ")


def main():
    parser = argparse.ArgumentParser(prog="python -m tools.portability", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="only list the settings")
    parser.add_argument("--fast", action="store_true", help="without the slow tests and the notebooks")
    options = parser.parse_args()
    every = {setting.name: setting for setting in settings()}
    unknown = [name for name in options.names if name not in every]
    if options.list or unknown:
        print(*(f"{name:16} {setting.what}" for name, setting in every.items()), sep="\n")
        return f"There is no setting {unknown[0]!r}." if unknown else 0
    rows = []
    for name in options.names or every:
        rows.append(tried(every[name], options))
        print(*rows[-1], sep=" | ", flush=True)
    (BUILD / "table.md").write_text("".join(f"| {' | '.join(row)} |\n" for row in rows), encoding="utf-8")
    return any(" failed" in result or " error" in result for *_, result in rows)


if __name__ == "__main__":
    sys.exit(main())
