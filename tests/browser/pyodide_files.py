"""The part of Pyodide that package registries have: its core from npm, and its pure Python packages from PyPI.

NumPy, SciPy and matplotlib are not among them: their WebAssembly builds come only with Pyodide's own distribution.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "pyodide"
#: What the kernel starts with, and what rbdlib needs and is pure Python.
WANTED = ("ipython", "jedi", "micropip", "mpmath", "sympy", "tomli-w", "tqdm", "traitlets")


def pyodide_files(version):
    """A folder with Pyodide as far as it can be had, fetched once. Raises OSError where it cannot."""
    target = FOLDER / version
    if not (target / "ready").exists():
        shutil.rmtree(target, ignore_errors=True)
        core = from_npm(version)
        target.mkdir(parents=True)
        for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"):
            shutil.copy(core / name, target)
        add_pure_packages(target)
        (target / "ready").touch()
    return target


def from_npm(version):
    place = FOLDER / "npm"
    place.mkdir(parents=True, exist_ok=True)
    if shutil.which("npm") is None:
        raise OSError("npm, which fetches Pyodide, is not installed")
    try:
        subprocess.run(["npm", "install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--prefix",
                        str(place), f"pyodide@{version}"], check=True, capture_output=True)
    except subprocess.CalledProcessError as error:
        raise OSError(f"npm could not fetch pyodide@{version}: {error.stderr.decode()[-300:]}") from None
    return place / "node_modules" / "pyodide"


def closure(packages, names):
    """The names of the lock file's packages that these need, with these."""
    found, waiting = [], [*names]
    while waiting:
        name = waiting.pop().replace("_", "-")
        if name not in found:
            found.append(name)
            waiting += packages[name]["depends"]
    return sorted(found)


def add_pure_packages(target):
    """Downloads the packages, and says in the lock file that these are they: the same versions, packed elsewhere."""
    path = target / "pyodide-lock.json"
    lock = json.loads(path.read_text(encoding="utf-8"))
    names = closure(lock["packages"], WANTED)
    exact = [f"{name}=={lock['packages'][name]['version']}" for name in names]
    options = ["--no-deps", "--only-binary", ":all:", "--python-version", "3.14", "--dest", str(target)]
    done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *options, *exact],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"pip could not download {', '.join(exact)}: {done.stderr[-300:]}")
    for wheel in target.glob("*.whl"):
        entry = lock["packages"][wheel.name.partition("-")[0].replace("_", "-").lower()]
        entry.update(file_name=wheel.name, sha256=hashlib.sha256(wheel.read_bytes()).hexdigest())
    path.write_text(json.dumps(lock), encoding="utf-8")
