"""The corpus: right answers are accepted, wrong ones rejected, and the mistakes planted in them are named first.

`make test` takes a sample: of every third system and of every quantity the first right answer, of the usual quantities
the first answer with two mistakes, and of every name that a mistake may be given the shortest answer with this mistake,
alone if there is such an answer. `make test-long` takes all.
"""

from functools import cache

import pytest

from rbdlib.verification.reports.report import verify
from tests.verify import reports
from tests.verify.corpus import systems
from tests.verify.planted import is_named
from tools import rates

SYSTEMS = {system.name: system for system in systems()}
ALL = [(name, k) for name, system in SYSTEMS.items() for k in range(len(system.answers))]


def answer_of(case):
    name, k = case
    return SYSTEMS[name].answers[k]


@cache
def model(name):
    return SYSTEMS[name].model()


def report_on(case):
    answer = answer_of(case)
    return verify(model(case[0]), answer.quantity, answer.answer, answer.given)


def head_of(case):
    answer = answer_of(case)
    return reports.head(case[0], answer.quantity, answer.answer, answer.given)


def sample():
    """The cases chosen by the rule above, in the order of the corpus, a list."""
    chosen, named = {}, set()
    for case in ALL:
        answer = answer_of(case)
        quantity = answer.quantity.split("[")[0]
        if not answer.mistakes:
            if case[0] in list(SYSTEMS)[::3]:
                chosen.setdefault(case[0], case)
            if "==" not in quantity:
                chosen.setdefault(quantity, case)
        elif len(answer.mistakes) == 2 and quantity in ("H", "g", "T", "V", "tau", "equations of motion"):
            chosen.setdefault((quantity, 2), case)
    for case in sorted(ALL, key=lambda case: (len(answer_of(case).mistakes), len(str(answer_of(case).answer)))):
        names = set().union(*answer_of(case).mistakes)
        if not names <= named:
            chosen[frozenset(names - named)] = case
            named |= names
    return sorted({*chosen.values()}, key=ALL.index)


SAMPLE = sample()


@pytest.mark.parametrize("case", [case if case in SAMPLE else pytest.param(case, marks=pytest.mark.long)
                                  for case in ALL], ids=lambda case: "-".join(map(str, case)))
def test_the_verdict_and_the_mistakes_that_are_named(case):
    answer, report = answer_of(case), report_on(case)
    assert report.problem == "" or report.entries, (answer.answer, report.problem)
    assert report.ok == (not answer.mistakes), (answer, report.entries)
    if answer.mistakes:
        assert is_named(report, answer.mistakes) != bool(answer.missed), (answer, report.findings)
    if case in SAMPLE:
        assert str(report) == reports.known()[head_of(case)], reports.__doc__


def test_nearly_all_mistakes_are_named():
    wrong = [answer for answer in map(answer_of, ALL) if answer.mistakes]
    for count, rate in ((1, 0.9), (2, 0.6)):
        named = [not answer.missed for answer in wrong if len(answer.mistakes) == count]
        assert len(named) >= 20 and sum(named) >= rate * len(named)


def test_slips_of_the_pen_are_put_in_mechanically_and_the_page_has_a_rate_for_each():
    text = "1/2*m1*l1^2*q1' + 2*m2*sin(q2)*r"
    assert dict(rates.slips(text)) == {                 # the last of each kind
        "sign": "1/2*m1*l1^2*q1' - 2*m2*sin(q2)*r", "sine for cosine": "1/2*m1*l1^2*q1' + 2*m2*cos(q2)*r",
        "number": "1/2*m1*l1^2*q1' + m2*sin(q2)*r", "power": "1/2*m1*l1*q1' + 2*m2*sin(q2)*r",
        "index": "1/2*m1*l1^2*q1' + 2*m2*sin(q1)*r", "factor left out": "1/2*m1*l1^2*q1' + 2*m2*sin(q2)"}
    page = rates.PAGE.read_text("utf-8")
    assert all(f"\n| {kind} |" in page for kind in (*rates.WRITTEN, *rates.SLIPS))
