"""Proofs of the rows of the ledger, which `rbdlib.texts.lookup.ledger` reads."""

import csv
import difflib
import re
from pathlib import Path

from rbdlib.texts.lookup import ledger
from rbdlib.texts.lookup.ledger import COLUMNS, FINISHED, REASONS, Row, read_table

__all__ = ["COLUMNS", "FINISHED", "REASONS", "Row", "read_table"]
ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
LEDGER = DATA / "ledger"
TESTS = ROOT / "tests"
COVERAGE = ROOT / "build" / "ledger-coverage.csv"
TEXTS = {
    "RBDA": "Featherstone, Rigid Body Dynamics Algorithms (2008)", "FDSV": "Forward Dynamics with Spatial Vectors",
    "MBT": "Liu and Jain, A Quick Tutorial on Multibody Dynamics",
    "SOA": "Jain, Unified Formulation of Dynamics for Serial Rigid Multibody Systems",
    "MRN": "Notes on the forward dynamics of open chains"}

#: "text": by tests that run no code of the library, but NumPy, SymPy and fractions alone.
PROVED = ("checked", "text", "reasoned")


def read_ledger(folder=LEDGER):
    """Every row of the ledger, by id; ValueError when an id stands there twice."""
    return ledger.read_ledger(folder)


def read_reasons(folder=LEDGER):
    """Why no code can check a row, by id."""
    return {record["id"]: record["reason"] for record in read_table(folder / REASONS, ("id", "reason"))}


def read_finished(folder=LEDGER):
    """The parts of the ledger that must be complete, as pairs (file, section); section "*" is the whole file."""
    return [(record["file"], record["section"]) for record in read_table(folder / FINISHED, ("file", "section"))]


def in_part(row, part):
    """Whether a row belongs to the part (file, section), where section 2 includes 2.1 and 2.16 but not 21."""
    file, section = part
    return row.file == file and (section == "*" or re.match(re.escape(section) + r"(?!\w)", row.section) is not None)


def finished_rows(rows, parts):
    return [row for row in rows.values() if any(in_part(row, part) for part in parts)]


def unknown_id(source_id, rows):
    """What to tell the author of a test that names a row the ledger does not have."""
    known = {row_id.casefold(): row_id for row_id in rows}
    near = [known[match] for match in difflib.get_close_matches(source_id.casefold(), known, n=5, cutoff=0.7)]
    return f"the ledger has no row {source_id!r}" + (f"; near matches: {', '.join(near)}" if near else "")


def judge(rows, reasons, results, of_the_text=()):
    """The outcome of each row and the tests it rests on: a list of (id, outcome, tests).

    results maps an id to {test: "passed", "skipped" or "failed"}. A row is checked only if all its tests passed.
    of_the_text: tests that run no code of the library; what rests on them alone is proved of the text, not of the code.
    """
    verdict = []
    for source_id in rows:
        tests = results.get(source_id, {})
        outcomes = set(tests.values())
        if "failed" in outcomes:
            outcome = "failed"
        elif "skipped" in outcomes:
            outcome = "skipped"
        elif outcomes:
            outcome = "text" if tests.keys() <= set(of_the_text) else "checked"
        else:
            outcome = "reasoned" if source_id in reasons else "open"
        verdict.append((source_id, outcome, sorted({test.partition("[")[0] for test in tests})))
    return verdict


def write_coverage(verdict, path=COVERAGE):
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("id", "outcome", "tests"))
        writer.writerows((source_id, outcome, " ".join(tests)) for source_id, outcome, tests in verdict)


def read_coverage(path=COVERAGE):
    """The outcome of each row in the last full run, by id."""
    with path.open(newline="", encoding="utf-8") as stream:
        return {record["id"]: record["outcome"] for record in csv.DictReader(stream)}
