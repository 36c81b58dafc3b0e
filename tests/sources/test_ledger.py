"""The ledger is sound: its tables are well formed, every row of a finished part has a test or a reason, every erratum
rests on a test that proves it, every suspicion of a finished part has been settled, and `make ledger` counts right."""

from collections import Counter

import pytest

from tests.sources import ledger, report

KINDS = {"equation", "table", "figure", "example", "algorithm", "exercise", "claim"}
ERRATA = ledger.read_table(ledger.DATA / "errata.csv", ("id", "printed", "corrected", "evidence"))
DISMISSED = {record["id"]: record["reason"]
             for record in ledger.read_table(ledger.DATA / "errata_dismissed.csv", ("id", "reason"))}
PRIORITIES = {"core", "identity", "illustration", "prose"}


def sentence(text):
    """Whether a text is at least one full sentence."""
    return len(text.split()) >= 8 and text[0].isupper() and text.endswith(".")


def test_rows_use_the_known_texts_kinds_and_priorities(rows):
    assert {row.text for row in rows.values()} == set(ledger.TEXTS)
    assert {row.kind for row in rows.values()} <= KINDS
    assert {row.priority for row in rows.values()} <= PRIORITIES


def test_reasons_are_sentences_about_rows_that_no_code_can_check(rows):
    for source_id, reason in ledger.read_reasons().items():
        assert source_id in rows, ledger.unknown_id(source_id, rows)
        assert sentence(reason), f"{source_id}: the reason must be a full sentence: {reason!r}"
        assert rows[source_id].check.startswith("n/a"), f"{source_id} has a check that can run: {rows[source_id].check}"


def test_no_row_has_both_a_reason_and_a_test(marked_tests):
    reasons = ledger.read_reasons()
    both = {source_id: test for test, ids in marked_tests.items() for source_id in ids if source_id in reasons}
    assert not both, f"take these out of reasons.csv, or the marker off the test: {both}"


def test_every_row_of_a_finished_part_has_a_test_or_a_reason(rows, marked_tests):
    for part in ledger.read_finished():
        assert any(ledger.in_part(row, part) for row in rows.values()), f"no row belongs to the finished part {part}"
    settled = set(ledger.read_reasons()).union(*marked_tests.values())
    missing = missing_rows(rows, ledger.read_finished(), settled)
    assert not missing, "\n".join([f"{len(missing)} rows of finished parts have neither test nor reason:", *missing])


def missing_rows(rows, parts, settled):
    return [f"{row.id} ({row.section}, {row.title})" for row in ledger.finished_rows(rows, parts)
            if row.id not in settled]


@pytest.mark.parametrize(("change", "full"), [
    (str, True), (lambda text: "Not applicable.", False), (str.lower, False), (lambda text: text[:-1], False)])
def test_a_reason_shorter_than_a_sentence_is_refused(change, full):
    assert sentence(change("No program can measure how much a person writes by hand.")) == full


def a_row(source_id, section="2.1", file="rbda.csv"):
    return ledger.Row(source_id, section, "claim", "title", "statement", "check", "core", "", file)


def test_a_part_holds_its_own_sections_and_knows_its_chapters():
    inside, outside = ["2", "2.1", "2.16"], ["21", "20.1", "1.2", "A.2"]
    assert [s for s in inside + outside if ledger.in_part(a_row("X-1", s), ("rbda.csv", "2"))] == inside
    assert not ledger.in_part(a_row("X-1", "2", "fdsv.csv"), ("rbda.csv", "2"))
    assert ledger.in_part(a_row("X-1", "App. A", "fdsv.csv"), ("fdsv.csv", "*"))
    assert not ledger.in_part(a_row("X-1", "A.11"), ("rbda.csv", "A.1"))
    rows = {row.id: row for row in (a_row("X-1"), a_row("X-2"), a_row("X-3", "3.1"))}
    assert missing_rows(rows, [("rbda.csv", "2")], {"X-1"}) == ["X-2 (2.1, title)"]

    for section, chapter in (("2.16", "2"), ("11 (intro)", "11"), ("A.1", "A"), ("A (intro)", "A"),
                             ("7.2.2 / 7.3", "7"), ("App. A", "App. A"), ("1 Forward Dynamics of Open Chains", "1"),
                             ("Symbols", "Symbols")):
        assert a_row("X-1", section).chapter == chapter


def test_a_row_is_checked_only_if_all_its_tests_passed():
    rows = {"X-1": a_row("X-1")}
    for results, outcome in (({"a": "passed", "b": "passed"}, "checked"), ({"a": "passed", "b": "skipped"}, "skipped"),
                             ({"a": "failed", "b": "skipped"}, "failed"), ({}, "open")):
        assert ledger.judge(rows, {}, {"X-1": results}) == [("X-1", outcome, sorted(results))]
    assert ledger.judge(rows, {"X-1": "why"}, {})[0][1] == "reasoned"


def test_an_unknown_id_is_answered_with_near_matches(rows):
    assert "RBDA-T2.3" in ledger.unknown_id("RBDA-T2-3", rows)
    assert "near matches: RBDA-T2.3," in ledger.unknown_id("rbda-t2.3", rows)
    assert ledger.unknown_id("nothing like it", rows) == "the ledger has no row 'nothing like it'"


HEADER = "id,section,kind,title,statement,check,priority,notes\n"


@pytest.mark.parametrize(("files", "complaint"), [
    ({"a.csv": HEADER + "X-1,2,claim,t,s,c,core,\n", "b.csv": HEADER + "X-1,2,claim,t,s,c,core,\n"},
     "X-1 stands in a.csv and again in b.csv"),
    ({"a.csv": "id,section\nX-1,2\n"}, "a.csv has the columns"),
    ({"a.csv": HEADER + "X-1,2,claim,t,s\n"}, "does not have 8 fields"),
    ({"a.csv": HEADER + "X-1,2,claim,t,one, two,c,core,\n"}, "does not have 8 fields"),
    ({"a.csv": HEADER + "X-1,2,claim,t,s,,core,\n"}, "check is empty"),
    ({"a.csv": HEADER + " X-1,2,claim,t,s,c,core,\n"}, "spaces around it")])
def test_a_damaged_ledger_is_refused(tmp_path, files, complaint):
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=complaint):
        ledger.read_ledger(tmp_path)


# Errata

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


# The table of `make ledger`

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
