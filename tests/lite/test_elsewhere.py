"""Binder, Colab and JupyterLite: their copies of notebooks, packages, versions and the page that tells of them; and
`python -m tools.lite` without JupyterLite: what it refuses, where links lead, and what a finished site must have."""

import ast
import asyncio
import hashlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from contextlib import redirect_stdout
from copy import deepcopy
from itertools import chain
from pathlib import Path

import nbformat
import pytest
import yaml
from IPython.core.inputtransformer2 import TransformerManager
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tools.book import browser
from tools.lite import site
from tools.lite.__main__ import chosen, main, serving
from tools.lite.cells import COLAB_EXTRAS, DESK, DESK_CODE, GO_ON, LIMITS, LITE_EXTRAS, TAG, colab_copy, lite_copy
from tools.lite.links import COPIES, VARIABLE, repository, table
from tools.lite.rehearsal import ABSENT, rehearse
from tools.lite.wheels import OTHERS, metadata_of, pyodide, requirements_of, unmet

ROOT = Path(__file__).resolve().parents[2]
BINDER = ROOT / "binder"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: What `pip install rbdlib[book]` brings and no notebook needs: it checks notebooks.
NOT_FOR_READERS = {"nbval"}


def pins(path):
    lines = yaml.safe_load(path.read_text(encoding="utf-8"))["dependencies"]
    return dict(line.split("=", 1) for line in lines if isinstance(line, str) and "=" in line and ">" not in line)


def needed():
    """Names of all packages that the notebooks need: those of the extra `book`, the extras in it followed."""
    extras, names = PROJECT["optional-dependencies"], set()
    waiting = [*PROJECT["dependencies"], *extras["book"]]
    for requirement in map(Requirement, waiting):
        if requirement.name == PROJECT["name"]:
            waiting += [line for extra in requirement.extras for line in extras[extra]]
        elif requirement.marker is None or requirement.marker.evaluate({"platform_system": "Linux"}):
            names.add(canonicalize_name(requirement.name))
    return names - NOT_FOR_READERS


def test_it_installs_what_the_notebooks_need_in_the_versions_of_environment_yml_on_one_supported_python():
    """An open bound would leave Binder's own Python, whatever that is."""
    here, there = pins(BINDER / "environment.yml"), pins(ROOT / "environment.yml")
    assert {canonicalize_name(name) for name in here} == needed() | {"hatchling", "python"}
    assert SpecifierSet(PROJECT["requires-python"]).contains(here.pop("python"))
    assert {name: there.get(name) for name in here} == here


def test_after_the_build_rbdlib_is_installed_and_nothing_else():
    script = BINDER / "postBuild"
    text = script.read_text(encoding="utf-8")
    assert os.access(script, os.X_OK) and text.startswith("#!/bin/bash\n")
    subprocess.run(["bash", "-n", str(script)], check=True)
    (install,) = [line for line in text.splitlines() if "pip install" in line]
    assert install.endswith("--no-deps --no-build-isolation --editable .")


PAGE = (ROOT / "docs/browser.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
ADDRESS = "https://github.com/OWNER/NAME"


def test_its_version_of_pyodide_is_the_one_that_is_fetched():
    named = re.findall(r"(?:Pyodide |pyodide-)(\d+\.\d+\.\d+)", PAGE)
    assert len(named) >= 3 and {*named} == {pyodide()["version"]}
    assert f"Python {pyodide()['python']}" in PAGE


def test_the_workflow_makes_both_sites_knows_the_address_and_fills_the_branch_that_colab_reads():
    (job,) = yaml.safe_load((ROOT / ".github/workflows/site.yml").read_text(encoding="utf-8"))["jobs"].values()
    assert re.fullmatch(r"https://github\.com/\$\{\{ github\.repository \}\}", job["env"][VARIABLE])
    steps, runs = job["steps"], [step.get("run", "") for step in job["steps"]]
    assert runs.index("make lite") < runs.index("make book") < runs.index("cp -r build/lite build/book/html/lite")
    (filling,) = [step for step in steps if "git push" in step.get("run", "")]
    assert filling["working-directory"] == "build/lite/colab" and filling["run"].rstrip().endswith(f" {COPIES}")


def test_a_notebook_has_buttons_where_the_address_is_known_and_a_sentence_where_not():
    file = NOTEBOOKS[1].name
    targets = {"Binder": "https://mybinder.org/v2/gh/OWNER/NAME/HEAD?urlpath=lab/tree/notebooks/01_particle.ipynb",
               "Colab": "https://colab.research.google.com/github/OWNER/NAME/blob/colab/01_particle.ipynb",
               "JupyterLite": "lite/lab/index.html?path=01_particle.ipynb"}
    head = browser.notebook_head(file, repository(ADDRESS))
    assert {text: address for text, address, classes in head if "launch-button" in classes} == {
        f"Open in {name}": address for name, address in targets.items()}
    without = [*browser.notebook_head(file, None)]
    assert "does not know where the project lives" in "".join(text for text, *_ in without)
    assert [address for _, address, _ in without if address] == [f"_sources/notebooks/{file}", "browser.html"]
    elsewhere = browser.notebook_head(file, repository("https://gitlab.com/OWNER/NAME"))
    assert not any("Colab" in text for text, *_ in elsewhere), "it reads from GitHub only"


def test_every_notebook_with_limits_is_in_the_table_and_none_needs_what_the_page_says_none_does():
    table = PAGE.partition("### What does not work there")[2].partition("###")[0]
    assert all(re.search(rf"^\| .*\b{name[:2]}\b", table, re.MULTILINE) for name in LIMITS)
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        code = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
        assert not re.search(r"rbdlib\.io(?!\.(mesh|sketch))|rbdlib import io", code), path.name   # they read no XML


def test_with_an_address_the_page_has_links_and_without_it_says_why_not(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert browser.write(tmp_path) == [] and VARIABLE in browser.BLOCK.search(PAGE)[0]
    monkeypatch.setenv(VARIABLE, ADDRESS)
    (page,) = browser.write(tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "there are no links" not in text
    assert text.count(repository(ADDRESS).colab("")) == len([*(ROOT / "notebooks").glob("*.ipynb")])
    assert text.replace("\n", "").endswith(PAGE.partition("<!-- end of links -->")[2].replace("\n", ""))
    monkeypatch.setenv(VARIABLE, "https://example.org/x")
    with pytest.raises(SystemExit, match=f"in {VARIABLE} or by --repository"):
        browser.write(tmp_path)
    with pytest.raises(ValueError, match="has no place for links"):
        browser.with_links("# A page\n", repository(ADDRESS))


NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def original():
    return nbformat.read(NOTEBOOKS[4], as_version=4)


def compiles(text):
    """Whether IPython can run a cell: with its magics, and `await` outside of functions."""
    code = TransformerManager().transform_cell(text)
    return compile(code, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.parametrize("copied", [lite_copy, lambda notebook: colab_copy(notebook, ADDRESS)])
def test_a_copy_has_one_cell_more_and_the_original_is_as_before(original, copied):
    before = deepcopy(original)
    copy = copied(original)
    assert original == before
    assert copy.cells[1:] == original.cells
    assert copy.cells[0].metadata.tags == [TAG] and copy.cells[0].outputs == []
    nbformat.validate(copy)
    assert compiles(copy.cells[0].source)
    assert max(map(len, copy.cells[0].source.splitlines())) <= 100


def test_no_notebook_has_the_cell_which_does_nothing_where_rbdlib_is_installed(original):
    assert [path.name for path in NOTEBOOKS if TAG in path.read_text(encoding="utf-8")] == []
    with pytest.raises(ValueError, match=r"'browser-setup' already: it is a copy\. Copy the original"):
        lite_copy(lite_copy(original))
    # On a computer of one's own, as when a copy has been downloaded.
    names = {}
    asyncio.run(eval(compiles(lite_copy(original).cells[0].source), names))
    assert "piplite" not in names and "rbdlib" in names
    exec(compiles(colab_copy(original, ADDRESS).cells[0].source), {"get_ipython": pytest.fail})


def test_the_browser_takes_rbdlib_from_its_site_and_colab_from_the_repository(original):
    lite, colab = lite_copy(original), colab_copy(original, ADDRESS)
    assert f'await piplite.install("rbdlib[{",".join(LITE_EXTRAS)}]")' in lite.cells[0].source
    assert f'"rbdlib[{",".join(COLAB_EXTRAS)}] @ git+{ADDRESS}"' in colab.cells[0].source
    assert lite.metadata.kernelspec.name == "python" and colab.metadata == original.metadata


@pytest.mark.parametrize("name", LIMITS)
def test_cells_that_a_browser_cannot_run_do_not_stop_the_others(name):
    word, text = LIMITS[name]
    notebook = nbformat.read(next(path for path in NOTEBOOKS if path.stem == name), as_version=4)
    copy = lite_copy(notebook, name)
    assert " ".join(text.split()) in copy.cells[0].source.replace("\n# ", " ")
    code = [cell for cell in copy.cells[1:] if cell.cell_type == "code"]
    marked = [cell for cell in code if GO_ON in cell.metadata.get("tags", ())]
    assert marked and all(word in cell.source for cell in marked)
    assert not any(word in cell.source for cell in code if cell not in marked)


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


NAMES = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))


# Links

def test_links_are_made_from_one_address():
    for written in ("https://github.com/OWNER/NA.ME.git", " https://github.com/OWNER/NA.ME/\n"):
        home = repository(written)
        assert home.address == "https://github.com/OWNER/NA.ME"
    assert home.binder("01_particle.ipynb") == (
        "https://mybinder.org/v2/gh/OWNER/NA.ME/HEAD?urlpath=lab/tree/notebooks/01_particle.ipynb")
    assert home.colab("01_particle.ipynb") == (
        "https://colab.research.google.com/github/OWNER/NA.ME/blob/colab/01_particle.ipynb")


def test_colab_reads_from_github_only_and_the_table_has_every_notebook_once():
    home = repository("https://gitlab.com/OWNER/NAME")
    assert home.colab("01_particle.ipynb") is None
    assert "/v2/gl/OWNER%2FNAME/HEAD?" in home.binder("01_particle.ipynb")
    assert "colab.research" not in table(home, NAMES)
    rows = table(repository("https://github.com/OWNER/NAME"), NAMES).splitlines()[2:]
    for name, row in zip(NAMES, rows, strict=True):
        assert f"](notebooks/{name})" in row and row.count(f"/{name}") == 3


@pytest.mark.parametrize("address", [
    "", "github.com/OWNER/NAME", "http://github.com/OWNER/NAME", "https://github.com/A",
    "https://example.org/OWNER/NAME", "https://github.com/OWNER/NAME/tree/main"])
def test_another_address_is_refused_with_an_example(address):
    with pytest.raises(ValueError, match=f"(?s){VARIABLE}.*") as caught:
        repository(address)
    assert repr(address) in str(caught.value) and "https://github.com/OWNER/NAME" in str(caught.value)


# The command

def test_numbers_choose_notebooks_the_command_survives_spaces_in_folders_and_what_leads_nowhere_is_refused(tmp_path):
    assert chosen(["01", "A"]) == ["01_particle.ipynb", "A_spatial_arithmetic.ipynb"]
    assert shlex.split(serving(Path("my course") / "lite"))[-2:] == [str(Path("my course") / "lite"), "8000"]
    for refuse, message in (
            (lambda: chosen(["01", "99"]), "--only 99: there is no such notebook; there are 00, 01"),
            (lambda: main(["--repository", "here"]), "give one such as https://github.com/OWNER/NAME"),
            (lambda: site.include_pyodide(tmp_path), r"has no pyodide\.mjs and no pyodide-lock\.json; give the folder"),
            (lambda: site.include_pyodide(tmp_path / "pyodide.tar.bz2"),
             r"neither a folder nor an archive that is there; .*full distribution")):
        with pytest.raises(SystemExit, match=message):
            refuse()


# A finished site

@pytest.fixture
def made(tmp_path):
    """A small site as `jupyter lite build` makes it."""
    index = {}
    (tmp_path / "pypi").mkdir()
    for name in ("rbdlib", *OTHERS):
        wheel = tmp_path / "pypi" / f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\n")
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        index[name] = {"releases": {"1.0": [{"filename": wheel.name, "digests": {"sha256": digest}}]}}
    write(tmp_path / "pypi/all.json", index)
    write(tmp_path / "api/contents/all.json", {"content": [{"name": "01_particle.ipynb"}]})
    write(tmp_path / "jupyter-lite.json", site.SETTINGS)
    return tmp_path


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")


def test_a_good_site_has_no_problems_and_what_is_missing_is_found(made):
    assert site.problems_of(made, ["01_particle.ipynb"]) == []
    assert site.problems_of(made, NAMES[:2]) == ["The list of files has no 00_start_here.ipynb."]
    write(made / "jupyter-lite.json", {"jupyter-config-data": {}})
    assert site.problems_of(made, []) == ["The site would fetch packages from outside: disablePyPIFallback is not set."]


def test_wheels_that_are_not_those_of_the_index_are_found(made):
    (made / "pypi/comm-1.0-py3-none-any.whl").unlink()
    (made / "pypi/rbdlib-1.0-py3-none-any.whl").write_bytes(b"another")
    index = json.loads((made / "pypi/all.json").read_text())
    index["ipywidgets"]["releases"]["2.0"] = index["ipywidgets"]["releases"].pop("1.0")
    del index["jupyterlab-widgets"]
    write(made / "pypi/all.json", index)
    assert site.problems_of(made, []) == [
        "The index of wheels does not list jupyterlab-widgets.",
        "rbdlib-1.0-py3-none-any.whl is not the file that the index has listed.",
        "The index lists comm-1.0-py3-none-any.whl, which is not there.",
        "ipywidgets-1.0-py3-none-any.whl has the version 1.0 inside, and 2.0 in the index."]


def test_copies_keep_their_texts_in_one_piece_and_beside_them_lies_the_page_that_checks_answers(tmp_path):
    """JupyterLite shows an output whose lines are a list as nothing."""
    source = ROOT / "notebooks/01_particle.ipynb"
    site.write_copies([source], tmp_path)
    desk = json.loads((tmp_path / DESK).read_text(encoding="utf-8"))
    assert "piplite" in desk["cells"][0]["source"] and desk["cells"][2]["source"].strip() == DESK_CODE.strip()
    with redirect_stdout(io.StringIO()) as said:
        exec(DESK_CODE, {})
    assert "The mechanism at x, theta = 0.5" in said.getvalue() and "Not right yet" in said.getvalue()
    copy = json.loads((tmp_path / source.name).read_text(encoding="utf-8"))
    texts = [cell["source"] for cell in copy["cells"]]
    texts += [value for cell in copy["cells"] for output in cell.get("outputs", ())
              for kind, value in output.get("data", {}).items() if kind.startswith("text/")]
    assert all(isinstance(text, str) for text in texts)
    assert [cell["source"] for cell in nbformat.read(source, as_version=4).cells] == texts[1:len(copy["cells"])]


# The rehearsal

@pytest.mark.slow
@pytest.mark.parametrize(("lines", "expected"), [
    ("import rbdlib; rbdlib.load('pendulum')", ""),
    ("import threading; threading.Thread(target=print).start()", "cell 0: RuntimeError: can't start new thread"),
    ("import numba", "cell 0: ModuleNotFoundError: No module named 'numba'"),
    ("import subprocess, sys; subprocess.run([sys.executable])", "emscripten does not support processes.")])
def test_a_rehearsal_fails_where_a_browser_would(tmp_path, lines, expected):
    path = tmp_path / "small.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(lines)]), path)
    found = rehearse(path)[1]
    assert expected in found and bool(found) == bool(expected)


def test_where_jupyterlite_is_missing_the_command_says_what_installs_it():
    done = subprocess.run([sys.executable, "-c", "import sys; sys.modules['nbformat'] = None\n"
                           "from tools.lite.__main__ import main; main([])"], cwd=ROOT, capture_output=True, text=True)
    assert "`make lite` installs it in .venv-lite" in done.stderr and "Traceback" not in done.stderr
