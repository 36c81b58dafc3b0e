"""The table of `make ledger` counts what the coverage report says."""

from collections import Counter

import pytest

from tests.sources import ledger, report


def test_each_outcome_is_counted_in_its_own_column_and_the_chapters_add_up_to_the_ledger(rows):
    lines = list(report.table(rows, dict.fromkeys(rows, "checked")))
    totals = [int(line.split()[-1]) for line in lines if line.startswith("  ")]
    assert len(rows) == totals[-1] == sum(totals[:-1])
    assert lines[-1].split()[-6:] == [str(len(rows)), "0", "0", "0", "0", str(len(rows))]
    outcomes = dict(zip([row.id for row in rows.values() if row.text == "FDSV" and row.chapter == "1"],
                        ["checked", "checked", "text", "reasoned", "failed", "skipped"], strict=False))
    chapter = next(line for line in report.table({i: rows[i] for i in outcomes}, outcomes) if line.startswith("  1 "))
    assert chapter.split()[-6:] == ["2", "1", "1", "2", "0", "6"]


def test_a_bar_has_its_width_and_shows_every_outcome_there_is():
    for counts in ({"checked": 7}, {"checked": 999, "open": 1},
                   {"checked": 1, "text": 1, "reasoned": 1, "failed": 1, "open": 900}):
        drawn = report.bar(Counter(counts))
        assert len(drawn) == report.WIDTH and set(drawn) == {report.MARKS[name] for name in counts}


def test_the_unproved_rows_of_a_chapter_are_listed(rows, monkeypatch, tmp_path):
    outcomes = dict.fromkeys(rows, "checked") | {"RBDA-2.14": "skipped", "RBDA-3.1": "open"}
    assert [line.split()[:2] for line in report.unproved(rows, outcomes, "RBDA 2")] == [["RBDA-2.14", "skipped"]]
    assert [line.split()[0] for line in report.unproved(rows, outcomes, "RBDA")] == ["RBDA-2.14", "RBDA-3.1"]
    with pytest.raises(SystemExit, match="no part 'RBDA 99'"):
        list(report.unproved(rows, outcomes, "RBDA 99"))
    monkeypatch.setattr(ledger, "COVERAGE", tmp_path / "none.csv")
    with pytest.raises(SystemExit, match="make test"):
        report.main([])
