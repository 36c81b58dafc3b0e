"""The JupyterLite site: copies of the notebooks, wheels and settings, put together by `jupyter lite build`."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat

from tools.lite.cells import DESK, LITE_EXTRAS, colab_copy, desk, lite_copy
from tools.lite.places import NOTEBOOKS, SITE, SOURCE
from tools.lite.wheels import OF_THE_KERNEL, OTHERS, metadata_of, pyodide, unmet, write_wheels

KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
APPS = ("lab", "notebooks", "tree")
#: Pyodide's own packages are fetched from where Pyodide comes from; nothing may come from anywhere else.
SETTINGS = {
    "jupyter-lite-schema-version": 0,
    "jupyter-config-data": {
        "appName": "The book that runs",
        "defaultKernelName": "python",
        "litePluginSettings": {KERNEL: {"disablePyPIFallback": True}},
    },
}


def make(names=(), repository=None, pyodide_from=None):
    """Makes the site; returns its folder.

    names: of notebooks, all by default. repository: a `tools.lite.links.Repository` for copies for Colab. pyodide_from:
    Pyodide's full distribution, an archive or a folder, to be part of the site. Raises SystemExit where that fails.
    """
    require_pyodide()
    paths = [path for path in sorted(NOTEBOOKS.glob("*.ipynb")) if not names or path.name in names]
    for folder in (SOURCE, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    write_copies(paths, SOURCE / "files")
    wheels = write_wheels(SOURCE / "pypi")
    problems = unmet(wheels, LITE_EXTRAS, {**pyodide()["packages"], **OF_THE_KERNEL})
    if problems:
        raise SystemExit("\n".join([*problems, "Change the bounds in pyproject.toml, or tools/lite/requirements.txt."]))
    (SOURCE / "jupyter-lite.json").write_text(json.dumps(SETTINGS, indent=2), encoding="utf-8")
    build(include_pyodide(pyodide_from))
    if repository:
        write_copies(paths, SITE / "colab", repository)
    found = problems_of(SITE, [DESK, *(path.name for path in paths)])
    if found:
        raise SystemExit("\n".join(found))
    return SITE


def require_pyodide():
    """Raises SystemExit if the kernel that is installed here fetches another Pyodide than pyodide.toml describes."""
    from jupyterlite_pyodide_kernel.constants import PYODIDE_VERSION

    if PYODIDE_VERSION != pyodide()["version"]:
        raise SystemExit(f"jupyterlite-pyodide-kernel fetches Pyodide {PYODIDE_VERSION}, but tools/lite/pyodide.toml "
                         f"describes {pyodide()['version']}: write the versions of Pyodide's lock file there.")


def write_copies(paths, folder, repository=None):
    """Writes copies of notebooks, for Colab where a repository is given, otherwise for JupyterLite."""
    folder.mkdir(parents=True, exist_ok=True)
    originals = {path.name: nbformat.read(path, as_version=4) for path in paths}
    for name, original in originals.items() if repository else {**originals, DESK: desk()}.items():
        copy = colab_copy(original, repository.address) if repository else lite_copy(original, Path(name).stem)
        nbformat.validate(copy)
        # texts in one piece, as JupyterLite takes them from the file: it does not join the lines of outputs
        (folder / name).write_text(json.dumps(copy, ensure_ascii=False, indent=1), encoding="utf-8")


def include_pyodide(place):
    """Options of `jupyter lite build` by which Pyodide becomes part of the site. Raises SystemExit for a bad place."""
    if place is None:
        return []
    place = Path(place).resolve()
    if place.is_dir():
        missing = [name for name in ("pyodide.mjs", "pyodide-lock.json") if not (place / name).exists()]
        if missing:
            raise SystemExit(f"--pyodide {place} has no {' and no '.join(missing)}; give the folder that holds them.")
        shutil.copytree(place, SOURCE / "static" / "pyodide")
        return []
    if not place.name.endswith(".tar.bz2") or not place.exists():
        raise SystemExit(f"--pyodide {place} is neither a folder nor an archive that is there; give Pyodide's full "
                         f"distribution, pyodide-{pyodide()['version']}.tar.bz2, or the folder it was unpacked into.")
    return ["--pyodide", str(place)]


def build(options):
    """Runs `jupyter lite build`; says what it said if it fails."""
    apps = [word for app in APPS for word in ("--apps", app)]
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", str(SOURCE), "--output-dir", str(SITE),
               "--no-sourcemaps", *apps, *options]
    done = subprocess.run(command, cwd=SOURCE, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise SystemExit(f"{done.stdout}\njupyter lite build failed (exit status {done.returncode}); see above.")


def problems_of(site, names):
    """Sentences about what a finished site lacks. names: the notebooks it should have."""
    index = json.loads((site / "pypi" / "all.json").read_text(encoding="utf-8"))
    found = [f"The index of wheels does not list {name}." for name in ("rbdlib", *OTHERS) if name not in index]
    found += [problem for releases in index.values() for version, files in releases["releases"].items()
              for file in files for problem in problems_of_wheel(site / "pypi" / file["filename"], version, file)]
    listed = json.loads((site / "api/contents/all.json").read_text(encoding="utf-8"))["content"]
    missing = {*names} - {entry["name"] for entry in listed}
    found += [f"The list of files has no {name}." for name in sorted(missing)]
    settings = json.loads((site / "jupyter-lite.json").read_text(encoding="utf-8"))["jupyter-config-data"]
    if not settings.get("litePluginSettings", {}).get(KERNEL, {}).get("disablePyPIFallback"):
        found.append("The site would fetch packages from outside: disablePyPIFallback is not set.")
    return found


def problems_of_wheel(wheel, version, listed):
    """Sentences about a wheel that is not what the index lists."""
    if not wheel.exists():
        yield f"The index lists {wheel.name}, which is not there."
    elif hashlib.sha256(wheel.read_bytes()).hexdigest() != listed["digests"]["sha256"]:
        yield f"{wheel.name} is not the file that the index has listed."
    elif metadata_of(wheel)["Version"] != version:
        yield f"{wheel.name} has the version {metadata_of(wheel)['Version']} inside, and {version} in the index."
