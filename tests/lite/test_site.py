"""`python -m tools.lite` without JupyterLite: what it refuses, where links lead, and what a finished site must have."""

import hashlib
import io
import json
import shlex
import subprocess
import sys
import zipfile
from contextlib import redirect_stdout
from pathlib import Path

import nbformat
import pytest

from tools.lite import site
from tools.lite.__main__ import chosen, main, serving
from tools.lite.cells import DESK, DESK_CODE
from tools.lite.links import VARIABLE, repository, table
from tools.lite.rehearsal import rehearse
from tools.lite.wheels import OTHERS

ROOT = Path(__file__).resolve().parents[2]
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
