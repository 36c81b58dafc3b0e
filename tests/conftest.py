"""The `source` marker and the coverage of the ledger.

`@pytest.mark.source("RBDA-2.14", "RBDA-T2.3")` on a test, a class or a parameter says which rows of data/ledger/ fail
if the test fails. A row the ledger does not have is an error of collection.

A run that holds every marked test writes build/ledger-coverage.csv and turns red when a row of a finished part
(data/ledger/finished.csv) is neither proved nor reasoned. A run of a part of the suite knows nothing about the tests
it left out, so it writes nothing and says why. Under pytest-xdist the workers tell the controller which tests are
marked, and the controller, which sees every result, does the writing.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rbdlib import load
from tests.sources import ledger
from tests.sources.library import uses_library

# Below nbformat, jsonschema would compile the grammars of internationalised addresses, for seconds in every process.
sys.modules.setdefault("rfc3987_syntax", None)

RANK = {"passed": 0, "skipped": 1, "failed": 2}
LISTED = 20


def pytest_addoption(parser):
    parser.addoption("--write-marked", metavar="FILE", help="write the tests that bear a source marker, and their ids")


def pytest_configure(config):
    config.addinivalue_line("markers", "source(*ids): rows of data/ledger/ that this test proves")
    config.stash[LEDGER_RUN] = LedgerRun(config)
    config.pluginmanager.register(config.stash[LEDGER_RUN], "ledger-run")


class LedgerRun:
    """What one process knows about the ledger: the marked tests it collected and the results it has heard of."""
    def __init__(self, config):
        self.config = config
        self.rows = ledger.read_ledger()
        self.marked = {}
        self.of_the_text = []
        self.results = {}
        self.broken = 0
        self.message = []
        self.unproved = []

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector):
        report = yield
        problems = [problem for item in report.result or () if isinstance(item, pytest.Item)
                    for problem in self.wrong_markers(item)]
        if report.passed and problems:
            report.outcome = "failed"
            report.longrepr = "\n".join(problems)
        return report

    def wrong_markers(self, item):
        for mark in item.iter_markers("source"):
            if not mark.args or mark.kwargs:
                yield f"{item.nodeid}: the source marker takes the ids of ledger rows, for example source('RBDA-2.14')"
            if item.get_closest_marker("long"):
                yield f"{item.nodeid}: a row of the ledger cannot rest on a test that only `make test-long` runs"
            for source_id in mark.args:
                if not isinstance(source_id, str):
                    yield f"{item.nodeid}: the source marker takes ids as text, not {source_id!r}"
                elif source_id not in self.rows:
                    yield f"{item.nodeid}: {ledger.unknown_id(source_id, self.rows)}"

    def pytest_collectreport(self, report):
        self.broken += report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items):
        for item in items:
            ids = sorted({source_id for mark in item.iter_markers("source") for source_id in mark.args})
            if ids:
                self.marked[item.nodeid] = ids
                if not uses_library(item):
                    self.of_the_text.append(item.nodeid)
        if self.config.getoption("write_marked"):
            Path(self.config.getoption("write_marked")).write_text(json.dumps(self.marked), encoding="utf-8")

    def pytest_runtest_logreport(self, report):
        if report.failed:
            outcome = "failed"
        elif report.skipped or hasattr(report, "wasxfail"):
            outcome = "skipped"
        elif report.when == "call":
            outcome = "passed"
        else:
            return
        self.results[report.nodeid] = max(outcome, self.results.get(report.nodeid, "passed"), key=RANK.get)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        marked, of_the_text = getattr(node, "workeroutput", {}).get("ledger-marked", ({}, []))
        self.marked.update(marked)
        self.of_the_text += of_the_text

    def pytest_sessionfinish(self, session):
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["ledger-marked"] = self.marked, self.of_the_text
        elif self.marked and not self.config.option.collectonly:
            self.conclude(session)

    def conclude(self, session):
        gap = self.why_partial()
        if gap:
            self.message = [f"This run says nothing about the ledger as a whole, because {gap}; "
                            f"{ledger.COVERAGE.relative_to(ledger.ROOT)} stays as it was."]
            return
        results = {}
        for test, ids in self.marked.items():
            for source_id in ids:
                results.setdefault(source_id, {})[test] = self.results[test]
        verdict = ledger.judge(self.rows, ledger.read_reasons(), results, self.of_the_text)
        ledger.write_coverage(verdict)
        finished = {row.id for row in ledger.finished_rows(self.rows, ledger.read_finished())}
        self.unproved = sorted((f"{source_id}: {outcome} {' '.join(tests)}".rstrip() for source_id, outcome, tests
                                in verdict if source_id in finished and outcome not in ledger.PROVED),
                               key=lambda line: line.endswith("open"))
        proved, text = (sum(outcome in kinds for _, outcome, _ in verdict) for kinds in (ledger.PROVED, ("text",)))
        self.message = [f"{proved} of {len(verdict)} rows are checked or reasoned, {text} of them of the text alone; "
                        f"of the {len(finished)} rows of finished parts {len(self.unproved)} are not.",
                        *self.unproved[:LISTED]]
        if len(self.unproved) > LISTED:
            self.message.append(f"and {len(self.unproved) - LISTED} more; `make ledger ARGS='--open RBDA'` lists them")
        if self.unproved and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def why_partial(self):
        """Why the results at hand are not those of the whole suite, or None."""
        if not self.collects_everything():
            return "it was asked for a part of tests/ only"
        if self.broken:
            return f"the collection failed in {self.broken} place(s)"
        absent = len(self.marked.keys() - self.results.keys())
        return f"{absent} of {len(self.marked)} marked tests did not run" if absent else None

    def collects_everything(self):
        """Whether the arguments of this run lead to every test under tests/ (-k and -m choose only afterwards)."""
        option, start = self.config.option, self.config.invocation_params.dir
        if getattr(option, "lf", False) or option.ignore or option.ignore_glob:
            return False
        asked = [(start / argument).resolve() for argument in self.config.args if "::" not in argument]
        return any(ledger.TESTS.is_relative_to(path) for path in asked)

    def pytest_terminal_summary(self, terminalreporter):
        if self.message:
            terminalreporter.section("ledger", sep="-", red=bool(self.unproved))
            for line in self.message:
                terminalreporter.line(line, red=bool(self.unproved))


LEDGER_RUN = pytest.StashKey[LedgerRun]()


@pytest.fixture(scope="session")
def marked_tests(request, tmp_path_factory):
    """The ids each test of the suite proves, by the test's name without parameters; a copy of the whole suite's list.

    A run of a part of the suite collects the rest in a process of its own.
    """
    run = request.config.stash[LEDGER_RUN]
    marked = run.marked
    if not run.collects_everything():
        file = tmp_path_factory.mktemp("ledger") / "marked.json"
        command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider",
                   f"--write-marked={file}", str(ledger.TESTS)]
        done = subprocess.run(command, cwd=ledger.ROOT, capture_output=True, text=True)
        if not file.exists():
            pytest.fail(f"The suite could not be collected:\n{done.stdout}{done.stderr}")
        marked = json.loads(file.read_text(encoding="utf-8"))
    ids = {}
    for test, its in marked.items():
        ids.setdefault(test.partition("[")[0], set()).update(its)
    return ids


@pytest.fixture(autouse=True)
def _no_picture_outlives_its_test():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def rng(request):
    """A fresh generator for each test, of the seed that the test's module calls SEED (1 where it names none)."""
    return np.random.default_rng(getattr(request.module, "SEED", 1))


@pytest.fixture
def read(tmp_path):
    """Reads a model from the text of a file."""
    def read(text, symbolic=False):
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return load(path, symbolic)

    return read
