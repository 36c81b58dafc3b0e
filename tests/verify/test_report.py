"""Reports say what was found: the verdict, the place, the numbers; as text, as HTML that cannot be broken, as JSON. The
live report says what `verify` says, follows what is typed, and survives whatever is typed."""

import asyncio
import html.parser
import json
import re
from dataclasses import replace
from math import cos
from unittest.mock import Mock

import mpmath
import pytest

from rbdlib import load
from rbdlib.verification.notation.reading import read
from rbdlib.verification.reasons import diagnosis
from rbdlib.verification.reasons.sentences import Finding
from rbdlib.verification.reports import live as module
from rbdlib.verification.reports.live import Live, live
from rbdlib.verification.reports.report import SCHEMA, Report, verify as report
from rbdlib.verification.reports.report_text import agreement, places, plain, pointed, shown, shown_pair
from tests.verify import reports
from tests.verify.corpus.rolling_cylinder import VELOCITY, cylinder
from tests.verify.reports import ANSWERS, known, outcome, row_head

RIGHT = "[m1*l1^2 + m2*l1^2 + 2*m2*l1*l2*cos(q2) + m2*l2^2, {x}; {x}, m2*l2^2]".format(x="m2*l2^2 + m2*l1*l2*cos(q2)")
MODEL = load("double_pendulum", symbolic=True)
SINE = "[(m1 + m2)*g*l1*sin(q1) + m2*g*l2*sin(q1 + q2), m2*g*l2*sin(q1 + q2)]"
COSINE = SINE.replace("q2), m2*g*l2*sin", "q2), m2*g*l2*cos")


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


def test_a_right_answer_is_called_right_in_every_form():
    found = report(MODEL, "H", RIGHT)
    assert found.ok and found.verdict == "right" and all(entry.ok for entry in found.entries)
    assert str(found).startswith("✓ Right") and "probability" in str(found) and "✗" not in str(found)
    assert json.loads(found.to_json())["ok"] is True
    assert "✗" not in found._repr_html_() and found._repr_html_().count("✓") == 5


def test_a_wrong_entry_is_named_with_the_numbers_of_a_state():
    found = report(MODEL, "H", RIGHT.replace("2*m2*l1*l2*cos(q2)", "m2*l1*l2*cos(q2)"))
    text = str(found)
    first, good, bad, *_ = text.splitlines()
    assert first.startswith("✗ Not right yet") and "1 of 4" in first
    assert good == "  ✓ Row 1, column 2; row 2, columns 1 and 2 agree." and bad == "  ✗ Row 1, column 1 does not."
    data = json.loads(found.to_json())
    state, entry = data["counterexample"], data["entries"][0]
    H11 = (state["m1"] + state["m2"]) * state["l1"] ** 2 + state["m2"] * state["l2"] ** 2
    cross = state["m2"] * state["l1"] * state["l2"] * cos(state["q2"])
    assert entry["ours"] == pytest.approx(H11 + 2 * cross) and entry["yours"] == pytest.approx(H11 + cross)
    assert f"{entry['ours']:.6g}" in text and f"{entry['yours']:.6g}" in text
    assert "qd1" not in text                                        # H does not depend on velocities
    assert "1 of 6" in str(report(cylinder(), "v[cylinder]", VELOCITY.replace("-R", "R")))      # its joint has a symbol


def test_the_html_has_headings_and_marks_that_need_no_colour_and_plain_text_starts_no_mathematics():
    page = report(MODEL, "g", "[(m1 + m2)*g*l1*sin(q1), m2*g*l2*sin(q1 + q2)]")._repr_html_()
    parsed = Balance(page)
    assert {"table", "tr", "td", "th"} <= parsed.tags and all(mark in page for mark in ("differs", "agrees", "✓", "✗"))
    assert r"$m_{2} g l_{2} \sin\left(q_{1} + q_{2}\right)$" in parsed.texts
    assert Balance(plain(r"a $x$ \(y\) <b>")).texts == ["a ", "$", "x", "$", " ", "\\", "(y", "\\", ") <b>"]
    page = report(MODEL, "g", COSINE)._repr_html_()
    assert "role='heading'" in page and "scope='row'" in page and "scope='col'" in page
    assert all("aria-hidden" in tag for tag in re.findall(r"<b [^>]*>[✓✗?]", page))
    assert len(re.findall("[✓✗]", page)) == len(re.findall(r"<b aria-hidden='true'[^>]*>[✓✗]", page))


@pytest.mark.parametrize("answer", [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", r"$\href{javascript:alert(1)}{q1}$",
    "m1 + \"'><b>", "q1 </td></table><h1>RIGHT</h1>", r"\(\class{x}{q_1}\)"])
def test_answers_are_data_in_html(answer):
    parsed = Balance(report(MODEL, "V", answer)._repr_html_())
    assert parsed.tags <= {"div", "b", "i", "small", "span", "pre", "table", "thead", "tbody", "tr", "td", "th"}
    for text in parsed.texts:                      # MathJax starts at $...$, \( and \[ within one text node
        assert not re.search(r"\$.*href|\\\(.*class|href.*\$", text)


def test_neither_what_is_not_understood_nor_what_is_right_as_something_else_is_a_wrong_answer():
    found, unknown = report(MODEL, "H", "[[1, 2], [3,"), report(MODEL, "V", "m1*g*foo")
    assert found.verdict == unknown.verdict == "not understood" and not found.ok and not found.understood
    assert "^" in str(found) and "Not understood" in str(found) and "foo" in str(unknown)
    assert report(MODEL, "H", "q1").source == ""                # one entry for four: no place in it is wrong

    decision = report(MODEL, "V", "m1*g*foo").decision
    found = Report(decision._replace(problem="What you have is right as the mirror image. Ask for that."))
    assert str(found).startswith("? Right in another convention: the potential energy") and "mirror" in str(found)
    assert "mirror" in found._repr_html_() and "Not understood" not in found._repr_html_()


@pytest.mark.slow
def test_other_constants_of_energies_and_equations_that_leave_something_open_are_told():
    found = report(MODEL, "V", "-m1*g*l1*sin(q1)")
    for text in (str(found), found._repr_html_()):
        assert "A constant may be added; but the difference" in text
    line = "tau2 = m2*l2^2*(qdd1 + qdd2) + m2*l1*l2*(cos(q2)*qdd1 + sin(q2)*qd1^2) + m2*g*l2*sin(q1 + q2)"
    found = report(MODEL, "equations of motion", line)
    assert found.verdict == "incomplete" and "do not determine" in str(found)
    assert "equation 1" in str(report(MODEL, "equations of motion", [line.replace("sin(q2)", "cos(q2)"), line]))


def test_findings_point_at_their_place():
    answer = "m1*g*l1*cos(q1)"
    finding = Finding("function", "Is it <b>sine</b> or cosine?", (8, 15), ())
    found = Report(report(MODEL, "V", answer).decision, (finding,))
    lines = str(found).splitlines()
    place = next(i for i, line in enumerate(lines) if "^" in line)
    assert lines[place].strip() == "^" * 7 and answer[8:15] == lines[place - 1][lines[place].index("^"):][:7]
    assert "<b>sine</b>" not in found._repr_html_()
    assert json.loads(found.to_json())["findings"][0]["span"] == [8, 15] and "you have:" not in str(found)
    same = replace(found, findings=(replace(finding, found="l1", correction="l1"),))
    assert "you have:" not in str(same) and same.to_dict()["findings"][0]["found"] == ""


def test_the_reason_is_told_and_a_failing_search_for_it_leaves_the_verdict(monkeypatch):
    found = report(MODEL, "g", COSINE)
    text = str(found)
    assert found.explanations and "sine and cosine" in text and "m2*g*l2*sin(q1 + q2), m2" in text
    assert "cos(q1 + q2)" in text and "Likely reason" in found._repr_html_()
    assert json.loads(found.to_json())["explanations"][0] == json.loads(found.to_json())["findings"]
    assert report(MODEL, "V", "m1*g*l1", explain=False).findings == ()
    monkeypatch.setattr(diagnosis, "diagnose", lambda *arguments: 1 / 0)
    found = report(MODEL, "V", "m1*g*l1")
    assert found.verdict == "wrong" and "ZeroDivisionError" in str(found)


def test_the_two_terms_stand_side_by_side_unless_the_solution_is_kept():
    found, hidden = report(MODEL, "g", COSINE), report(MODEL, "g", COSINE, reveal=False)
    assert "you have:    cos(q1 + q2)" in str(found) and "right there: sin(q1 + q2)" in str(found)
    page = found._repr_html_()
    heads = page.index("You have"), page.index("Right there")
    terms = [page.index(rf"${x}\left(q_{{1}} + q_{{2}}\right)$", heads[1]) for x in (r"\cos", r"\sin")]
    assert heads[0] < heads[1] < terms[0] < terms[1]
    assert found.to_dict()["findings"][0]["correction"] == "sin(q1 + q2)"
    assert hidden.to_dict()["findings"][0]["correction"] == ""
    one_by_one = str(hidden).replace("sin(q1 + q2), m2", "")                # what the learner wrote himself
    assert "sin(q1 + q2)" not in one_by_one and "Right there" not in hidden._repr_html_()


def test_what_is_missing_is_shown_as_a_formula():
    found = report(MODEL, "V", "m1*g*l1", explain=False)
    with_residual = replace(found, residuals=(((), read("m2*g*l2").trees[0]),))
    assert "What would have to be added: m2*g*l2" in str(with_residual)
    assert "$m_{2} g l_{2}$" in with_residual._repr_html_()
    assert with_residual.to_dict()["residuals"] == [{"entry": [], "formula": "m2*g*l2"}]
    kept = replace(with_residual, reveal=False)
    assert "be added:" not in str(kept) + kept._repr_html_() and kept.to_dict()["residuals"] == []


@pytest.mark.parametrize("quantity, answer", [("g", SINE), ("g", COSINE), ("H", "[["), ("V", "m1*g*l1"),
                                              ("equations of motion", "tau2 = 0"), ("2*T == H11*qd1^2", None)])
def test_json_follows_its_schema(quantity, answer):
    data = json.loads(report(MODEL, quantity, answer).to_json())
    assert list(data) == list(SCHEMA)
    assert data["verdict"] in ("right", "wrong", "not understood") and data["ok"] is (data["verdict"] == "right")
    for entry in data["entries"]:
        assert set(entry) == {"index", "ok", "yours", "ours"} and all(isinstance(i, int) for i in entry["index"])
    for finding in [*data["findings"], *(f for found in data["explanations"] for f in found)]:
        assert set(finding) == {"sentence", "kind", "span", "entry", "found", "correction"}
    for kind in data["kinds"]:
        assert set(kind) == {"entry", "kind", "ok", "yours", "ours"}
    assert all(isinstance(x, (int, float)) for x in (data["seed"], *(data["counterexample"] or {}).values()))


def test_entries_stand_in_words_numbers_that_differ_look_different_and_long_lines_are_cut():
    assert places([(0,)]) == "entry 1" and places([(2,), (0,), (1,)]) == "entries 1, 2 and 3"
    assert places([(0, 0), (1, 2), (1, 0)]) == "row 1, column 1; row 2, columns 1 and 3"
    assert agreement([(0,)], [(1,)]) == [(True, "Entry 1 agrees."), (False, "Entry 2 does not.")]
    assert agreement([], [(0,), (1,)]) == []
    assert agreement([(i,) for i in range(30)], [(30,)])[0] == (True, "The other 30 entries agree.")
    eight, nine = ([(i,) for i in range(first, last)] for first, last in ((0, 8), (8, 17)))
    assert agreement(eight, nine) == [(True, "Entries 1, 2, 3, 4, 5, 6, 7 and 8 agree."), (
        False, "Entries 9, 10, 11, 12, 13, 14, 15 and 16 and 1 more do not.")]
    assert agreement(nine, eight)[0][1] == "The other 9 entries agree."
    assert agreement(nine, nine)[0][1] == "Entries 9, 10, 11, 12, 13, 14, 15 and 16 and 1 more agree."
    assert agreement([(0,)], [(1,), (2,)], "equation") == [
        (True, "Equation 1 holds."), (False, "Equations 2 and 3 do not.")]

    with mpmath.workdps(40):
        yours, ours = mpmath.mpf("1.2345678901234"), mpmath.mpf("1.2345678901235")
        assert len(set(shown_pair(yours, ours))) == 2
    assert shown_pair(2, 3) == ("2", "3") and shown_pair(mpmath.mpf("1e-40"), 1) == ("0", "1")

    assert [shown(x) for x in (0, 1e-29, 1e-27, 1 / 3)] == ["0", "0", "1.0e-27", "0.333333"]
    assert pointed("ab\nc\td = e", (4, 6)) == ["c d = e", " ^^"] and pointed("ab", (1, 9)) == ["ab", " ^"]
    assert pointed("ab", (2, 2)) == ["ab", "  ^"] and pointed("", (0, 1)) == [] == pointed("a", None)
    digits = "0123456789" * 10
    assert pointed(digits[:92], (0, 1)) == [digits[:92], "^"] and pointed(digits, (30, 32)) == [
        f"...{digits[10:96]}...", " " * 23 + "^^"]
    assert [pointed(digits, (k, k + 5))[0][:3] for k in (20, 21, 99)] == ["   ", "...", "..."]
    assert pointed(digits, (97, 120)) == ["..." + digits[14:], " " * 86 + "^^^"]
    source = " + ".join(f"a{i}" for i in range(100))
    for name in ("a0", "a50", "a99"):
        start = source.index(name)
        line, carets = pointed(source, (start, start + len(name)))
        assert len(line) < 100 and line[carets.index("^") :].startswith(name) and carets.count("^") == len(name)


def test_kinds_of_terms_are_said_once_for_all_entries():
    assert "trouble" not in str(report(MODEL, "g", SINE, explain=False))
    bias = ("[-m2*l1*l2*sin(q2)*(2*qd1*qd2 + qd2^2) + (m1 + m2)*g*l1*cos(q1) + m2*g*l2*cos(q1 + q2), "
            "m2*l1*l2*sin(q2)*qd1^2 + m2*g*l2*cos(q1 + q2)]")
    text = " ".join(str(report(MODEL, "bias", bias)).split())
    assert "both entries differ" in text and ("In entries 1 and 2: the trouble is in the gravity terms; the "
                                              "centrifugal and Coriolis terms are right.") in text


def test_identities_have_two_sides_of_many_wrong_entries_some_are_told_and_functions_are_not_shown():
    assert "the left side is 2.14319, the right side -1.39109." in str(report(MODEL, "T == 2*V", explain=False))
    found = report(MODEL, "X[2,1]", [[7] * 6] * 6, explain=False)
    assert str(found).count("you have 7; right is") == 12 and "    ... and 24 more." in str(found)
    found = report(MODEL, "g", lambda q: q, explain=False)
    assert "function" in found._repr_html_() and "... and" not in str(found)


@pytest.mark.parametrize("power", ["^", "**"])
def test_powers_are_shown_as_the_learner_writes_them(power):
    text = str(report(load("pendulum", symbolic=True), "tau", f"m*l{power}2/3*qdd + m*g*l{power}2/2*sin(q)"))
    assert f"l{power}2" in text.partition("you have")[2] and f"l{'**' if power == '^' else '^'}2" not in text


def live_page(quantity, answer, given="", model=MODEL):
    page = Live(model, quantity, answer, given, 0)
    page._panel()
    page.handles = [Mock() for _ in page.contents()]
    return page


def test_the_report_follows_what_stands_in_the_boxes():
    page = live_page("T", "1/2*m1*l1^2*qd1^2 + 1/2*m2*(l1^2*qd1^2)")
    assert not page.report().ok
    for name, text in (("quantity", "V"), ("answer", "-(m1+m2)*g*l1*cos(q1) - m2*g*l2*cos(q1+q2)")):
        page.boxes[name].unobserve_all()
        page.boxes[name].value = text
    assert page.report().ok


def test_a_mechanism_in_a_line_is_drawn_and_its_answer_checked():
    page = live_page("T", "1/2 M x'^2", model="cart x, M")
    assert page.report().ok and "The mechanism at x = 0.5" in repr(page.picture())
    for line, drawn, said in (("cart x, M -> bob phi, l, m", "x, phi = 0.5", "Not right"), ("cat x", "", "cart")):
        page.boxes["mechanism"].unobserve_all()
        page.boxes["mechanism"].value = line
        page.refresh()
        picture, report = (handle.update.call_args.args[0] for handle in page.handles)
        assert drawn in repr(picture) and said in str(report) and not getattr(report, "ok", False)


@pytest.mark.parametrize("quantity, answer, given, said", [
    ("T", "  ", "", "into the box"), ("nonsense", "1", "", "quantity"), ("T", "qd1 +", "", ""),
    ("T", "qd1", "theta = ", "ends too early")])
def test_unfinished_text_gives_a_sentence_and_no_error(quantity, answer, given, said):
    assert said in str(live_page(quantity, answer, given).report())
    with pytest.raises(TypeError, match="answer is 3"):
        live(MODEL, "T", 3)


def test_fast_typing_makes_one_report_which_alone_is_shown_without_widgets(monkeypatch, capsys):
    monkeypatch.setattr(module, "PAUSE", 0.05)
    page = live_page("g", "0")

    async def typing():
        for text in ("1", "1+", "1+1"):
            page.boxes["answer"].value = text
        await asyncio.sleep(0.3)

    asyncio.run(typing())
    assert page.handles[0].update.call_count == 1
    monkeypatch.setenv("RBDLIB_STATIC", "1")
    page = Live(MODEL, "T", "0", "", 0)
    assert list(page._panel()) == ["text/plain"] and not page.boxes and not page.report().ok


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row['quantity']}: {row['answer'][:20]}") for row in ANSWERS])
def test_the_verdict_on_whole_answers(row):
    verdict, text, html = outcome(row)
    assert text.strip() == known()[row_head(row)], reports.__doc__
    text = " ".join(text.split())
    assert verdict == row["verdict"], text
    assert row.get("words", "") in text and row.get("html", "") in html
    assert "without" not in row or row["without"] not in text
