"""Texts name rows of the ledger in several ways, and all of them are understood."""

import pytest

from rbdlib.texts.lookup.references import References
from tests.sources import ledger
from tools.book.markup import without_source


@pytest.fixture(scope="module")
def references():
    rows = ledger.read_ledger()
    return References(list(rows), {(row.text, row.section) for row in rows.values()})


@pytest.mark.parametrize(("text", "ids"), [
    ("RBDA Eq. 7.43 7.44 times", ["RBDA-7.43"]),
    ("RBDA Table 7.1, Eqs 7.36-7.38", ["RBDA-T7.1", "RBDA-7.36", "RBDA-7.37", "RBDA-7.38"]),
    ("RBDA Eqs 8.57, 8.59).", ["RBDA-8.57", "RBDA-8.59"]),
    ("RBDA 11.37 to 11.39", ["RBDA-11.37", "RBDA-11.38", "RBDA-11.39"]), ("FDSV Eqs 9 and 11", ["FDSV-9", "FDSV-11"]),
    ("MRN-A1 and MRN-8 can be", ["MRN-A1", "MRN-8"]), ("SOA Lemmas 6.2-6.3", ["SOA-L6.2", "SOA-L6.3"]),
    ("RBDA 7.3, Example 7.1", ["RBDA-X7.1"]), ("RBDA 7", []), ("RBDA Eq. 99.1 and nothing else", [])])
def test_the_rows_that_a_text_names(references, text, ids):
    assert references.rows(text) == ids


def test_numbers_in_brackets_belong_to_a_chapter_and_mentions_lie_apart_and_outside_formulas(references):
    assert [mention.ids for mention in references.prose("see (RBDA 7.1)")] == [("RBDA-7.1",)]
    assert [mention.section for mention in references.prose("see RBDA 7.1")] == [("RBDA", "7.1")]
    text = "and $u_i$ (7.43–7.45), of 0.5 m (0.5)"
    (mention,) = references.prose(text, chapters=["7"])
    assert mention.ids == ("RBDA-7.43", "RBDA-7.44", "RBDA-7.45")
    assert text[mention.start:mention.end] == "7.43–7.45" and references.prose(text, chapters=["8"]) == []

    for text in ("as in (RBDA 2.37, 2.42, Table 2.1), and", "x RBDA Eqs 7.36-7.38 y", "(MBT 13)"):
        mentions = references.prose(text)
        ends = [0, *(mention.end for mention in mentions)]
        assert mentions and all(end <= mention.start < mention.end <= len(text) and text[mention.end - 1].isalnum()
                                for end, mention in zip(ends, mentions, strict=False))

    for formula, without in ((r"a + b = c \qquad \text{(RBDA 2.1)}", "a + b = c"), ("a + b = c", "a + b = c"),
                             (r"v = \begin{bmatrix} x \end{bmatrix} \quad \text{(FDSV 17)}.",
                              r"v = \begin{bmatrix} x \end{bmatrix}."),
                             (r"\begin{aligned} a \\ b & \text{(RBDA 2.1)} \end{aligned}",) * 2):
        assert without_source(formula) == without
