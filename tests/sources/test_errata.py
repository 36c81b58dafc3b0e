"""Every erratum rests on a test that proves it, and every suspicion of a finished part has been settled."""

import pytest

from tests.sources import ledger

ERRATA = ledger.read_table(ledger.DATA / "errata.csv", ("id", "printed", "corrected", "evidence"))
DISMISSED = {record["id"]: record["reason"]
             for record in ledger.read_table(ledger.DATA / "errata_dismissed.csv", ("id", "reason"))}


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum["id"])
def test_the_evidence_is_a_test_that_declares_the_row(erratum, rows, marked_tests):
    assert erratum["id"] in rows, ledger.unknown_id(erratum["id"], rows)
    assert erratum["evidence"] in marked_tests, f"there is no test {erratum['evidence']} with a source marker"
    assert erratum["id"] in marked_tests[erratum["evidence"]], f"the evidence does not declare {erratum['id']}"
    assert erratum["printed"] != erratum["corrected"]


def test_no_erratum_is_listed_twice_and_what_is_dismissed_is_a_suspicion_and_says_why(rows):
    listed = [erratum["id"] for erratum in ERRATA]
    assert len(listed) == len(set(listed)) and not set(listed) & set(DISMISSED)
    for source_id, reason in DISMISSED.items():
        assert "ERRATUM?" in rows[source_id].notes, f"the notes of {source_id} suspect nothing"
        assert len(reason.split()) >= 8 and reason.endswith("."), f"{source_id}: {reason!r} is not a sentence"


def test_every_suspicion_in_a_finished_part_is_settled(rows):
    settled = {erratum["id"] for erratum in ERRATA} | set(DISMISSED)
    suspected = [row.id for row in ledger.finished_rows(rows, ledger.read_finished()) if "ERRATUM?" in row.notes]
    assert suspected, "the finished parts hold suspicions; not finding any means that the search is broken"
    assert set(suspected) <= settled, f"neither proved nor dismissed: {sorted(set(suspected) - settled)}"
