"""The source marker and the coverage report at work: pytest is run on a small project that has its own ledger."""

import csv
import os
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
from rbdlib import load

def helper():
    return load("pendulum").nv

@pytest.mark.source("X-1")
def test_one():
    assert 1 + 1 == 2

@pytest.mark.source("X-2")
class TestTwo:
    @pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.source("X-4"))])
    def test_two(self, n):
        assert n and helper() == 1

def test_without_a_marker():
    pass
"""
#: Tests of the row X-2 that do not pass, and what becomes of the row.
BAD = {"assert": ("", "assert False", "failed"), "skip": ("", "pytest.skip('later')", "skipped"),
       "mark": ("@pytest.mark.skip", "pass", "skipped"), "xfail": ("@pytest.mark.xfail", "assert False", "skipped"),
       "xpass": ("@pytest.mark.xfail", "pass", "skipped")}
#: How to ask for a part of the tests.
PARTS = [("tests/test_good.py",), ("tests", "-k", "one"), ("tests", "--deselect", "tests/test_good.py::test_one"),
         ("tests", "--ignore", "tests/test_good.py"), ("tests", "-x"), ("tests", "--lf"),
         ("tests", "-n", "2", "-k", "one")]


class Project:
    """A folder with the real conftest and ledger module, four rows, section 1 finished, and a way to run pytest."""
    def __init__(self, folder):
        self.folder = folder
        for name in ("__init__.py", "conftest.py", "sources/__init__.py", "sources/ledger.py", "sources/library.py"):
            self.write(f"tests/{name}", (ledger.TESTS / name).read_text(encoding="utf-8"))
        self.write("data/ledger/x.csv", ROWS)
        self.write("data/ledger/reasons.csv", "id,reason\nX-3,It is prose.\n")
        self.write("data/ledger/finished.csv", "file,section\nx.csv,1\n")
        self.write("tests/test_good.py", GOOD)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    def run(self, *arguments):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "pytest", "--strict-markers", "--rootdir=.", "-p", "xdist",
                   "-o", "markers=long: later", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr

    def coverage(self):
        with (self.folder / "build" / "ledger-coverage.csv").open(encoding="utf-8") as stream:
            return {row["id"]: (row["outcome"], row["tests"]) for row in csv.DictReader(stream)}


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


XDIST = pytest.param(("-n", "2", "--dist", "loadfile"), marks=pytest.mark.long)
WORKERS = pytest.mark.parametrize("workers", [(), XDIST], ids=["alone", "xdist"])


@pytest.mark.slow
@WORKERS
def test_a_full_run_writes_the_outcome_of_every_row(project, workers):
    code, output = project.run("tests", *workers)
    assert code == 0, output
    assert project.coverage() == {
        "X-1": ("text", "tests/test_good.py::test_one"), "X-2": ("checked", "tests/test_good.py::TestTwo::test_two"),
        "X-3": ("reasoned", ""), "X-4": ("checked", "tests/test_good.py::TestTwo::test_two")}
    assert "4 of 4 rows are checked or reasoned, 1 of them of the text alone" in output


@pytest.mark.slow
@WORKERS
def test_markers_that_say_nothing_are_errors_of_collection(project, workers):
    """An id that the ledger lacks, none, one that is no text; and a test that only `make test-long` runs."""
    for name, mark in (("typo", "source('X-1', 'X-22')"), ("bare", "source"), ("empty", "source()"),
                       ("number", "source(214)"), ("long", "long\n@pytest.mark.source('X-1')")):
        project.write(f"tests/test_{name}.py", f"import pytest\n\n@pytest.mark.{mark}\ndef test_{name}():\n    pass\n")
    code, output = project.run("tests", *workers)
    assert code != 0
    assert "tests/test_typo.py::test_typo: the ledger has no row 'X-22'; near matches: X-2" in output
    for name in ("bare", "empty", "number"):
        assert f"test_{name}: the source marker takes" in output
    assert "test_long: a row of the ledger cannot rest on a test that only `make test-long` runs" in output
    assert not (project.folder / "build").exists()


@pytest.mark.slow
@WORKERS
def test_a_finished_row_whose_test_did_not_pass_turns_the_run_red(project, workers):
    """Each kind of test that does not pass belongs to a row of its own, beside one that does."""
    project.write("data/ledger/x.csv", ROWS + "".join(f"X-{name},1,claim,t,s,c,core,\n" for name in BAD))
    for name, (mark, body, _) in BAD.items():
        source = f"@pytest.mark.source('X-{name}')"
        project.write(f"tests/test_{name}.py", f"import pytest\n\n{mark}\n{source}\ndef test_again():\n    {body}\n\n"
                                               f"{source}\ndef test_good():\n    pass\n")
    code, output = project.run("tests", *workers)
    assert code == 1 and "of the 8 rows of finished parts 5 are not" in output
    found = project.coverage()
    assert {name: found[f"X-{name}"][0] for name in BAD} == {name: what for name, (*_, what) in BAD.items()}
    project.write("tests/test_assert.py", GOOD.replace("X-1", "X-assert"))
    assert project.run("tests", *workers)[0] == 1               # the others, too, though no test fails


@pytest.mark.slow
def test_a_finished_row_without_a_test_turns_the_run_red_and_an_open_row_elsewhere_does_not(project):
    project.write("tests/test_good.py", GOOD.replace('marks=pytest.mark.source("X-4")', ""))
    assert project.run("tests")[0] == 0
    assert project.coverage()["X-4"] == ("open", "")
    project.write("tests/test_good.py", GOOD.replace('@pytest.mark.source("X-1")', ""))
    code, output = project.run("tests")
    assert code == 1
    assert "X-1: open" in output


@pytest.mark.long
def test_a_partial_run_leaves_the_report_alone(project):
    project.run("tests")
    before = project.coverage()
    project.write("tests/test_bad.py", GOOD.replace("1 + 1 == 2", "False"))
    for arguments in PARTS:
        project.run(*arguments)
        assert project.coverage() == before, arguments


@pytest.mark.long
def test_the_marked_tests_of_the_whole_suite_are_known_in_a_partial_run(project):
    project.write("tests/test_list.py", "def test_list(marked_tests):\n    assert marked_tests == {\n"
                  "        'tests/test_good.py::test_one': {'X-1'},\n"
                  "        'tests/test_good.py::TestTwo::test_two': {'X-2', 'X-4'}}\n")
    for arguments in (("tests",), ("tests/test_list.py",), ("tests", "-n", "2")):
        code, output = project.run(*arguments)
        assert code == 0, output
