"""The live report says what `verify` says, follows what is typed, and survives whatever is typed."""

import asyncio

import pytest

from rbdlib import load
from rbdlib.verification.reports import live as module
from rbdlib.verification.reports.live import Live, live

MODEL = load("double_pendulum", symbolic=True)


class Handle:
    def __init__(self):
        self.shown = []

    def update(self, report):
        self.shown.append(report)


def shown(quantity, answer, given=""):
    page = Live(MODEL, quantity, answer, given, 0)
    page._panel()
    page.handle = Handle()
    return page


def test_the_report_follows_what_stands_in_the_boxes():
    page = shown("T", "1/2*m1*l1^2*qd1^2 + 1/2*m2*(l1^2*qd1^2)")
    assert not page.report().ok
    page.boxes["quantity"].unobserve_all()
    page.boxes["answer"].unobserve_all()
    page.boxes["quantity"].value, page.boxes["answer"].value = "V", "-(m1+m2)*g*l1*cos(q1) - m2*g*l2*cos(q1+q2)"
    assert page.report().ok


@pytest.mark.parametrize("quantity, answer, given, said", [
    ("T", "  ", "", "into the box"), ("nonsense", "1", "", "quantity"), ("T", "qd1 +", "", ""),
    ("T", "qd1", "theta = ", "ends too early")])
def test_unfinished_text_gives_a_sentence_and_no_error(quantity, answer, given, said):
    assert said in str(shown(quantity, answer, given).report())


def test_fast_typing_makes_one_report(monkeypatch):
    monkeypatch.setattr(module, "PAUSE", 0.05)
    page = shown("g", "0")

    async def typing():
        for text in ("1", "1+", "1+1"):
            page.boxes["answer"].value = text
        await asyncio.sleep(0.3)

    asyncio.run(typing())
    assert len(page.handle.shown) == 1


def test_without_widgets_the_report_alone_is_shown(monkeypatch, capsys):
    monkeypatch.setenv("RBDLIB_STATIC", "1")
    page = Live(MODEL, "T", "0", "", 0)
    assert list(page._panel()) == ["text/plain"] and not page.boxes and not page.report().ok


def test_what_is_no_text_is_refused():
    with pytest.raises(TypeError, match="answer is 3"):
        live(MODEL, "T", 3)
