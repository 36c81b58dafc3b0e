"""The frame of the benchmark: what fails, what is limited, what is printed. The figures are for `make benchmarks`."""

import os
import sys

import numpy as np
import pytest

from benchmarks import compilers, run, scaling, sections
from benchmarks.table import Row
from rbdlib import rnea


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """What the run sets is set back afterwards."""
    monkeypatch.setenv("RBDLIB_CACHE", os.environ.get("RBDLIB_CACHE", ""))
    for library in run.THREADED:
        monkeypatch.setenv(f"{library}_NUM_THREADS", "1")


def reached(what, ours=1.0):
    return Row(what, "a model", "a limit", 2.0, ours, "s", 1, 1.5)


def fake(monkeypatch, parts):
    """Sections with these parts, {section: {what: part}}."""
    monkeypatch.setattr(sections, "parts", lambda section, folder, options: parts[section])


def test_an_error_in_one_part_is_a_row_and_the_others_go_on(monkeypatch, capsys, tmp_path):
    def broken():
        raise RuntimeError("no compiler |\nfor this")

    fake(monkeypatch, {"arm": {"first": broken, "second": lambda: [reached("swift")]},
                       "counts": {"third": lambda: [reached("few")]}})
    status = run.main(["--only", "arm", "counts", "--save", str(tmp_path / "table.md")])
    printed = capsys.readouterr()
    assert status == 1
    for text in (printed.out, (tmp_path / "table.md").read_text(encoding="utf-8")):
        rows = {line.split("|")[1].strip(): line for line in text.splitlines() if line.startswith("| ")}
        assert "not measured: RuntimeError: no compiler / for this" in rows["first"] and "| aim" in rows["swift"]
        assert len({line.count("|") for line in rows.values()}) == 1
        assert "few" in rows


def test_a_section_is_printed_when_it_is_done_and_a_figure_that_is_missed_ends_in_an_error(monkeypatch, capsys):
    seen = []

    def second():
        seen.append(capsys.readouterr().err)
        return [reached("second")]

    fake(monkeypatch, {"arm": {"a": lambda: [reached("swift")]}, "counts": {"b": second}})
    assert run.main(["--only", "arm", "counts"]) == 0
    assert "| swift" in seen[0]
    fake(monkeypatch, {"arm": {"a": lambda: [reached("slow", ours=2.5)]}})
    assert run.main(["--only", "arm"]) == 1 and "MISSED" in capsys.readouterr().out


def test_a_program_that_is_not_installed_costs_only_its_own_rows(monkeypatch, capsys):
    for name in ("pinocchio", "casadi"):
        monkeypatch.setitem(sys.modules, name, None)
        monkeypatch.delitem(sys.modules, f"benchmarks.peers_{name}", raising=False)
    assert run.main(["--only", "arm", "counts", "--sizes", "2"]) == 1
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert sum("not measured: ModuleNotFoundError" in line for line in rows) == 2
    assert sum("operations of" in line and "not measured" not in line for line in rows) == 3


def test_every_section_has_parts(tmp_path):
    options = run._options([])
    assert options.only == list(sections.SECTIONS)
    assert all(sections.parts(section, tmp_path, options) for section in sections.SECTIONS)


def test_compilers_run_at_once_as_memory_and_cores_allow(monkeypatch):
    for gigabytes, cores, jobs in ((23, 2, 2), (5, 16, 1), (12.5, 16, 4), (0, 8, 1)):
        monkeypatch.setattr(compilers, "available_memory", lambda gigabytes=gigabytes: gigabytes * 1e9)
        monkeypatch.setattr(compilers.os, "sched_getaffinity", lambda _, cores=cores: set(range(cores)), raising=False)
        assert compilers.at_once(3) == jobs


def test_available_memory_is_that_of_the_machine_or_of_the_container(tmp_path):
    meminfo, group = tmp_path / "meminfo", tmp_path / "group"
    assert compilers.available_memory(meminfo, group) == 0
    meminfo.write_text("MemTotal:       24000000 kB\nMemAvailable:   20000000 kB\n", encoding="utf-8")
    assert compilers.available_memory(meminfo, group) == 20_480_000_000
    group.mkdir()
    (group / "memory.current").write_text("1000000000\n", encoding="utf-8")
    for limit, available in (("max", 20_480_000_000), ("4000000000", 3_000_000_000)):
        (group / "memory.max").write_text(f"{limit}\n", encoding="utf-8")
        assert compilers.available_memory(meminfo, group) == available


@pytest.mark.slow
def test_linear_means_a_power_of_at_most_one_point_one_five(monkeypatch):
    for power, verdict in ((1.0, "must"), (1.14, "must"), (1.16, "MISSED"), (2.0, "MISSED")):
        assert scaling._row("x", (10, 100), [10.0**power, 100.0**power]).verdict == verdict
    monkeypatch.setattr(scaling, "SIZES", (2, 4))
    monkeypatch.setattr(scaling, "STATES", 8)
    rows = scaling.rows(rnea, (2, 4), rounds=1)
    assert len(rows) == 5 and all(row.theirs == 1.15 and row.must == 1 and np.isfinite(row.ours) for row in rows)
