"""Reports say what was found: the verdict, the place, the numbers; as text, as HTML that cannot be broken, as JSON."""

import html.parser
import json
import re
from math import cos
from types import SimpleNamespace

import pytest

from rbdlib import load
from rbdlib.verification import diagnosis
from rbdlib.verification.html import plain
from rbdlib.verification.report import Report, pointed, report, shown_pair

RIGHT = "[m1*l1^2 + m2*l1^2 + 2*m2*l1*l2*cos(q2) + m2*l2^2, {x}; {x}, m2*l2^2]".format(
    x="m2*l2^2 + m2*l1*l2*cos(q2)")


@pytest.fixture(scope="module")
def model():
    return load("double_pendulum", symbolic=True)


class Balance(html.parser.HTMLParser):
    """Fails if tags are not closed in order; collects the tags, and the text of each text node."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.texts = [], set(), []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_a_right_answer_is_called_right_in_every_form(model):
    found = report(model, "H", RIGHT)
    assert found.ok and found.verdict == "right" and all(entry.ok for entry in found.entries)
    assert str(found).startswith("✓ Right") and "probability" in str(found) and "✗" not in str(found)
    assert json.loads(found.to_json())["ok"] is True
    assert "✗" not in found._repr_html_() and found._repr_html_().count("✓") == 5


def test_a_wrong_entry_is_named_with_the_numbers_of_a_state(model):
    found = report(model, "H", RIGHT.replace("2*m2*l1*l2*cos(q2)", "m2*l1*l2*cos(q2)"))
    text = str(found)
    first, good, bad, *_ = text.splitlines()
    assert first.startswith("✗ Not right yet") and "1 of 4" in first
    assert "row 2, column 2" in good and "row 1, column 1" in bad and "row 1, column 2" not in bad
    data = json.loads(found.to_json())
    state, entry = data["counterexample"], data["entries"][0]
    H11 = (state["m1"] + state["m2"]) * state["l1"] ** 2 + state["m2"] * state["l2"] ** 2
    cross = state["m2"] * state["l1"] * state["l2"] * cos(state["q2"])
    assert entry["ours"] == pytest.approx(H11 + 2 * cross) and entry["yours"] == pytest.approx(H11 + cross)
    assert f"{entry['ours']:.6g}" in text and f"{entry['yours']:.6g}" in text
    assert "qd1" not in text                                        # H does not depend on velocities


def test_the_html_shows_formulas_and_marks_that_need_no_colour(model):
    page = report(model, "g", "[(m1 + m2)*g*l1*sin(q1), m2*g*l2*sin(q1 + q2)]")._repr_html_()
    parsed = Balance(page)
    assert {"table", "tr", "td", "th"} <= parsed.tags
    assert "differs" in page and "agrees" in page and "✓" in page and "✗" in page
    assert r"$m_{2} g l_{2} \sin\left(q_{1} + q_{2}\right)$" in parsed.texts


@pytest.mark.parametrize("answer", [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", r"$\href{javascript:alert(1)}{q1}$",
    "m1 + \"'><b>", "q1 </td></table><h1>RIGHT</h1>", r"\(\class{x}{q_1}\)"])
def test_answers_are_data_in_html(model, answer):
    parsed = Balance(report(model, "V", answer)._repr_html_())
    assert parsed.tags <= {"div", "b", "i", "small", "span", "pre", "table", "thead", "tbody", "tr", "td", "th"}
    for text in parsed.texts:                      # MathJax starts at $...$, \( and \[ within one text node
        assert not re.search(r"\$.*href|\\\(.*class|href.*\$", text)


def test_plain_text_starts_no_mathematics():
    assert Balance(plain(r"a $x$ \(y\) <b>")).texts == ["a ", "$", "x", "$", " ", "\\", "(y", "\\", ") <b>"]


def test_what_is_not_understood_is_no_wrong_answer(model):
    found = report(model, "H", "[[1, 2], [3,")
    assert found.verdict == "not understood" and not found.ok and not found.understood
    assert "^" in str(found) and "Not understood" in str(found)
    unknown = report(model, "V", "m1*g*foo")
    assert unknown.verdict == "not understood" and "foo" in str(unknown)


def test_equations_that_leave_something_open_are_wrong_with_a_reason(model):
    line = "tau2 = m2*l2^2*(qdd1 + qdd2) + m2*l1*l2*(cos(q2)*qdd1 + sin(q2)*qd1^2) + m2*g*l2*sin(q1 + q2)"
    found = report(model, "equations of motion", line)
    assert found.verdict == "wrong" and "do not determine" in str(found)
    assert "equation 1" in str(report(model, "equations of motion", [line.replace("sin(q2)", "cos(q2)"), line]))


def test_findings_point_at_their_place(model):
    answer = "m1*g*l1*cos(q1)"
    decision = report(model, "V", answer).decision
    finding = SimpleNamespace(sentence="Is it <b>sine</b> or cosine?", span=(8, 15), kind="function", entry=())
    found = Report(decision, (finding,), answer)
    lines = str(found).splitlines()
    place = next(i for i, line in enumerate(lines) if "^" in line)
    assert lines[place].strip() == "^" * 7
    assert answer[8:15] == lines[place - 1][lines[place].index("^"):][:7]
    assert "<b>sine</b>" not in found._repr_html_()
    assert json.loads(found.to_json())["findings"][0]["span"] == [8, 15]


def test_long_lines_are_cut_around_the_place():
    source = " + ".join(f"a{i}" for i in range(100))
    for name in ("a0", "a50", "a99"):
        start = source.index(name)
        line, carets = pointed(source, (start, start + len(name)))
        assert len(line) < 100 and line[carets.index("^") :].startswith(name) and carets.count("^") == len(name)


def test_a_failing_search_for_the_reason_leaves_the_verdict(model, monkeypatch):
    monkeypatch.setattr(diagnosis, "diagnose", lambda *arguments: 1 / 0)
    found = report(model, "V", "m1*g*l1")
    assert found.verdict == "wrong" and "ZeroDivisionError" in str(found)


def test_the_reason_is_told_without_the_solution(model):
    found = report(model, "g", "[(m1 + m2)*g*l1*sin(q1) + m2*g*l2*sin(q1 + q2), m2*g*l2*cos(q1 + q2)]")
    text = str(found)
    assert found.explanations and "sine and cosine" in text and "m2*g*l2*sin(q1 + q2), m2" in text
    assert "cos(q1 + q2)" in text and "exactly right but for this" in found._repr_html_()
    data = json.loads(found.to_json())
    assert data["explanations"][0] == data["findings"]
    assert report(model, "V", "m1*g*l1", explain=False).findings == ()


def test_numbers_that_differ_look_different():
    import mpmath

    with mpmath.workdps(40):
        yours, ours = mpmath.mpf("1.2345678901234"), mpmath.mpf("1.2345678901235")
        assert len(set(shown_pair(yours, ours))) == 2
    assert shown_pair(2, 3) == ("2", "3")
