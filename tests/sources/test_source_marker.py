"""The source marker and the coverage report at work: pytest is run on a small project that has its own ledger."""

import csv
import os
import shutil
import subprocess
import sys

import pytest

from tests.sources import ledger

ROWS = """id,section,kind,title,statement,check,priority,notes
X-1,1,claim,one,s,c,core,
X-2,1,claim,two,s,c,core,
X-3,1,claim,three,s,n/a: prose,prose,
X-4,2,claim,four,s,c,core,
"""
GOOD = """
import pytest

@pytest.mark.source("X-1")
def test_one():
    assert 1 + 1 == 2

@pytest.mark.source("X-2")
class TestTwo:
    @pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.source("X-4"))])
    def test_two(self, n):
        assert n

def test_without_a_marker():
    pass
"""


@pytest.fixture
def project(tmp_path):
    """A folder with the real conftest and ledger module, four rows, section 1 finished, and a way to run pytest."""
    sources = tmp_path / "tests" / "sources"
    sources.mkdir(parents=True)
    for name in ("__init__.py", "conftest.py", "sources/__init__.py", "sources/ledger.py"):
        shutil.copy(ledger.TESTS / name, tmp_path / "tests" / name)
    table = tmp_path / "data" / "ledger"
    table.mkdir(parents=True)
    (table / "x.csv").write_text(ROWS, encoding="utf-8")
    (table / "reasons.csv").write_text("id,reason\nX-3,It is prose.\n", encoding="utf-8")
    (table / "finished.csv").write_text("file,section\nx.csv,1\n", encoding="utf-8")
    (tmp_path / "tests" / "test_good.py").write_text(GOOD, encoding="utf-8")
    return Project(tmp_path)


class Project:
    def __init__(self, folder):
        self.folder = folder

    def add(self, name, content):
        (self.folder / "tests" / name).write_text(content, encoding="utf-8")

    def run(self, *arguments):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "pytest", "--strict-markers", "--rootdir=.", "-p", "xdist", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr

    def coverage(self):
        with (self.folder / "build" / "ledger-coverage.csv").open(encoding="utf-8") as stream:
            return {row["id"]: (row["outcome"], row["tests"]) for row in csv.DictReader(stream)}


WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2", "--dist", "loadfile")], ids=["alone", "xdist"])


@WORKERS
def test_a_full_run_writes_the_outcome_of_every_row(project, workers):
    code, output = project.run("tests", *workers)
    assert code == 0, output
    assert project.coverage() == {
        "X-1": ("checked", "tests/test_good.py::test_one"),
        "X-2": ("checked", "tests/test_good.py::TestTwo::test_two"),
        "X-3": ("reasoned", ""),
        "X-4": ("checked", "tests/test_good.py::TestTwo::test_two"),
    }
    assert "4 of 4 rows are checked or reasoned" in output


@WORKERS
def test_an_unknown_id_is_an_error_of_collection(project, workers):
    project.add("test_typo.py", "import pytest\n\n@pytest.mark.source('X-1', 'X-22')\ndef test_typo():\n    pass\n")
    code, output = project.run("tests", *workers)
    assert code != 0
    assert "tests/test_typo.py::test_typo: the ledger has no row 'X-22'; near matches: X-2" in output
    assert not (project.folder / "build").exists()


@pytest.mark.parametrize("marker", ["pytest.mark.source", "pytest.mark.source()", "pytest.mark.source(214)"])
def test_a_marker_without_an_id_is_an_error_of_collection(project, marker):
    project.add("test_bare.py", f"import pytest\n\n@{marker}\ndef test_bare():\n    pass\n")
    code, output = project.run("tests")
    assert code != 0
    assert "test_bare: the source marker takes" in output


@WORKERS
@pytest.mark.parametrize(("mark", "body", "outcome"), [
    ("usefixtures()", "assert False", "failed"),
    ("usefixtures()", "pytest.skip('later')", "skipped"),
    ("skip", "pass", "skipped"),
    ("xfail", "assert False", "skipped"),
    ("xfail", "pass", "skipped"),
])
def test_a_finished_row_whose_test_did_not_pass_turns_the_run_red(project, workers, mark, body, outcome):
    project.add("test_two.py", f"import pytest\n\n@pytest.mark.{mark}\n@pytest.mark.source('X-2')\n"
                               f"def test_again():\n    {body}\n")
    assert project.run("tests", *workers)[0] == 1
    assert project.coverage()["X-2"][0] == outcome


def test_a_finished_row_without_a_test_turns_the_run_red_and_an_open_row_elsewhere_does_not(project):
    project.add("test_good.py", GOOD.replace('marks=pytest.mark.source("X-4")', ""))
    assert project.run("tests")[0] == 0
    assert project.coverage()["X-4"] == ("open", "")
    project.add("test_good.py", GOOD.replace('@pytest.mark.source("X-1")', ""))
    code, output = project.run("tests")
    assert code == 1
    assert "X-1: open" in output


@pytest.mark.parametrize("arguments", [
    ("tests/test_good.py",), ("tests", "-k", "one"), ("tests", "--deselect", "tests/test_good.py::test_one"),
    ("tests", "--ignore", "tests/test_good.py"), ("tests", "-x"), ("tests", "--lf"),
    ("tests", "-n", "2", "-k", "one"),
])
def test_a_partial_run_leaves_the_report_alone(project, arguments):
    project.run("tests")
    before = project.coverage()
    project.add("test_bad.py", "import pytest\n\n@pytest.mark.source('X-1')\ndef test_bad():\n    assert False\n")
    project.run(*arguments)
    assert project.coverage() == before


def test_the_marked_tests_of_the_whole_suite_are_known_in_a_partial_run(project):
    project.add("test_list.py", "def test_list(marked_tests):\n    assert marked_tests == {\n"
                "        'tests/test_good.py::test_one': {'X-1'},\n"
                "        'tests/test_good.py::TestTwo::test_two': {'X-2', 'X-4'}}\n")
    for arguments in (("tests",), ("tests/test_list.py",), ("tests", "-k", "list")):
        code, output = project.run(*arguments)
        assert code == 0, output
