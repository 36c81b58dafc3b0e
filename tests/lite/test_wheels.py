"""What the browser installs fits together: rbdlib's bounds, Pyodide's packages, and the wheels of the site."""

import subprocess
import sys
import tomllib
import zipfile
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.lite.cells import LITE_EXTRAS
from tools.lite.rehearsal import ABSENT
from tools.lite.wheels import OTHERS, metadata_of, pyodide, requirements_of, unmet

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REQUIREMENTS = (ROOT / "tools/lite/requirements.txt").read_text(encoding="utf-8")


def in_the_browser():
    extras = (PROJECT["optional-dependencies"][name] for name in LITE_EXTRAS)
    return [Requirement(line) for line in (*PROJECT["dependencies"], *chain(*extras))]


def wheel(folder, name, version, *lines):
    path = folder / f"{name}-{version}-py3-none-any.whl"
    text = "\n".join(["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}", *lines])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}-{version}.dist-info/METADATA", f"{text}\n\nNumpy: not a field\n")
    return path


def test_pyodide_has_every_package_in_a_version_that_rbdlib_takes_and_its_list_has_nothing_superfluous():
    versions, needed = pyodide()["packages"], in_the_browser()
    for requirement in needed:
        if canonicalize_name(requirement.name) not in OTHERS:
            assert requirement.specifier.contains(versions[requirement.name]), requirement
    names = {canonicalize_name(requirement.name) for requirement in needed}
    assert {*versions} == names - {*OTHERS} | {"ipython", "traitlets"}                       # these are the kernel's
    assert not names & {canonicalize_name(name) for name in ABSENT}


def test_the_sliders_have_the_same_bounds_as_everywhere_and_what_decides_the_pyodide_is_exact():
    (ours,) = [line for line in PROJECT["optional-dependencies"]["plot"] if line.startswith("ipywidgets")]
    assert f"\n{ours}\n" in REQUIREMENTS
    assert "jupyterlite-pyodide-kernel==" in REQUIREMENTS and "jupyterlite-core==" in REQUIREMENTS


def test_requirements_depend_on_extras_and_on_where_the_wheel_is_used(tmp_path):
    path = wheel(tmp_path, "rbdlib", "0.1.0", "Requires-Dist: numpy<3,>=2", "Requires-Dist: sympy; extra == 'symbolic'",
                 "Requires-Dist: pywin32; sys_platform == 'win32'", "Requires-Dist: old; python_version < '3.12'")
    assert [r.name for r in requirements_of(path)] == ["numpy"]
    assert [r.name for r in requirements_of(path, ["symbolic"])] == ["numpy", "sympy"]
    assert metadata_of(path)["Version"] == "0.1.0"
    path.write_text("not found")
    with pytest.raises(ValueError, match="is not a wheel; give the path of one"):
        metadata_of(path)


@pytest.mark.parametrize(("available", "problem"), [
    ({"numpy": "2.4.6", "sympy": "1.14.0"}, None),
    ({"numpy": "1.26.4", "sympy": "1.14.0"}, "rbdlib needs numpy<3,>=2.1; the browser gets 1.26.4"),
    ({"numpy": "2.4.6"}, "rbdlib needs sympy, which neither Pyodide nor the site has")])
def test_what_nothing_fulfils_is_said(tmp_path, available, problem):
    wheels = {"rbdlib": wheel(tmp_path, "rbdlib", "0.1.0", "Requires-Dist: numpy<3,>=2.1",
                              "Requires-Dist: comm>=0.2", "Requires-Dist: sympy; extra == 'symbolic'"),
              "comm": wheel(tmp_path, "comm", "0.2.3")}
    found = unmet(wheels, ["symbolic"], available)
    assert len(found) == (problem is not None) and all(problem in text for text in found)


@pytest.mark.slow
def test_every_notebook_imports_where_the_browser_lacks_packages():
    """In a process that has no threads, no processes, no C compiler, and none of `ABSENT`."""
    code = ("import ast, json, pathlib\n"
            "from tools.lite.rehearsal import ABSENT, limit\n"
            "limit()\n"
            "for path in sorted(pathlib.Path('notebooks').glob('*.ipynb')):\n"
            "    cells = json.loads(path.read_text(encoding='utf-8'))['cells']\n"
            "    for text in (''.join(cell['source']) for cell in cells if cell['cell_type'] == 'code'):\n"
            "        for node in ast.parse(text.replace('%', '#') if text.startswith('%') else text).body:\n"
            "            if isinstance(node, ast.Import | ast.ImportFrom):\n"
            "                exec(compile(ast.Module([node], []), path.name, 'exec'))\n"
            "import sys\n"
            "print(len({*ABSENT} & {*sys.modules}), sys.platform)\n")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("0 emscripten\n", 0), done.stderr
