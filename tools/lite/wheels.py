"""The wheels that the site itself holds: rbdlib, and what Pyodide lacks of the packages that it needs."""

import subprocess
import sys
import tomllib
import zipfile
from email.parser import HeaderParser
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.lite.places import ROOT

#: Not in Pyodide; the kernel needs comm, the sliders need all of them. Their versions are those installed here.
OTHERS = ("comm", "ipywidgets", "jupyterlab-widgets")
#: What the kernel's extension brings along.
OF_THE_KERNEL = {"widgetsnbextension": "4.0.999", "ipykernel": "6.9.2"}
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def pyodide():
    """The contents of pyodide.toml."""
    return tomllib.loads((Path(__file__).parent / "pyodide.toml").read_text(encoding="utf-8"))


def write_wheels(folder):
    """Puts the wheels into a folder; returns {name: path}."""
    folder.mkdir(parents=True, exist_ok=True)
    own = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    exact = [f"{name}=={metadata.version(name)}" for name in OTHERS]
    others = ["download", "--no-deps", "--only-binary", ":all:", "--dest", str(folder), *exact]
    for arguments, what in ((own, "build the wheel of rbdlib"), (others, f"download {', '.join(exact)}")):
        done = subprocess.run([*PIP, *arguments], check=False)
        if done.returncode:
            raise SystemExit(f"pip could not {what} (exit status {done.returncode}); the lines above say why. "
                             f"The usual cause is no network.")
    found = {canonicalize_name(path.name.partition("-")[0]): path for path in sorted(folder.glob("*.whl"))}
    _leave_out_the_course(found["rbdlib"])
    return found


def _leave_out_the_course(wheel):
    """Take the notebooks out of the wheel of rbdlib: the site has them already."""
    with zipfile.ZipFile(wheel) as archive:
        kept = {name: archive.read(name) for name in archive.namelist() if not name.startswith("rbdlib/course/")}
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in kept.items():
            if name.endswith(".dist-info/RECORD"):
                content = b"".join(line for line in content.splitlines(True) if not line.startswith(b"rbdlib/course/"))
            archive.writestr(name, content)


def metadata_of(wheel):
    """The METADATA of a wheel, as an email message. Raises ValueError for a file that is none."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
            return HeaderParser().parsestr(archive.read(names[0]).decode("utf-8"))
    except (zipfile.BadZipFile, IndexError):
        raise ValueError(f"{wheel} is not a wheel; give the path of one, such as dist/rbdlib-0.1.0-py3-none-any.whl."
                         ) from None


def requirements_of(wheel, extras=()):
    """What a wheel with these extras needs in the browser."""
    lines = map(Requirement, metadata_of(wheel).get_all("Requires-Dist", []))
    return [line for line in lines if applies(line, extras)]


def applies(requirement, extras):
    """Whether a requirement holds in the browser's Python, with these extras."""
    there = {"python_version": pyodide()["python"], "python_full_version": f"{pyodide()['python']}.0",
             "sys_platform": "emscripten", "platform_system": "Emscripten", "os_name": "posix",
             "platform_machine": "wasm32"}
    return not requirement.marker or any(requirement.marker.evaluate({**there, "extra": extra})
                                         for extra in ("", *extras))


def unmet(wheels, extras, available):
    """Sentences about requirements that nothing in the browser fulfils.

    wheels: {name: path} of the site. extras: of rbdlib. available: {name: version} of all else.
    """
    versions = {**available, **{name: metadata_of(path)["Version"] for name, path in wheels.items()}}
    problems = []
    for name, path in sorted(wheels.items()):
        for requirement in requirements_of(path, extras if name == "rbdlib" else ()):
            version = versions.get(canonicalize_name(requirement.name))
            if version is None:
                problems.append(f"{name} needs {requirement.name}, which neither Pyodide nor the site has.")
            elif not requirement.specifier.contains(version, prereleases=True):
                problems.append(f"{name} needs {requirement}; the browser gets {version}.")
    return problems
