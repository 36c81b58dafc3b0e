"""Mistakes that were planted in right answers are named first, all of them and no others.

`make test` takes of single mistakes the first in each table with a name that none before it had; `make test-long` all.
"""

import pytest

from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.reasons.diagnosis import diagnose
from tests.verify.planted import (
    CLASSES,
    DOUBLE,
    SINGLE,
    diagnosed,
    double_mistakes,
    is_named,
    model,
    pairs_of_mistakes,
    single_mistakes,
)

CASES = [*single_mistakes(SINGLE), *single_mistakes(CLASSES)]
#: Two mistakes that together are one of another name: cos for sin and a sign are the other axis.
MISSED = [("pendulum", "tau", "m*l^2/3*qdd - m*g*l/2*cos(q)")]


def first_of_each_name():
    chosen, seen = [], set()
    for case in CASES:
        if not case[3] <= seen:
            chosen.append(case)
            seen |= case[3]
    return chosen


def check(name, quantity, answer, mistakes):
    found = diagnosed(name, quantity, answer)
    assert is_named(found, mistakes), [finding.kind for finding in found.findings]


@pytest.mark.parametrize("name, quantity, answer, kinds", first_of_each_name())
def test_a_mistake_is_named_first(name, quantity, answer, kinds):
    check(name, quantity, answer, [kinds])


@pytest.mark.long
@pytest.mark.parametrize("name, quantity, answer, kinds", CASES)
def test_every_mistake_is_named_first(name, quantity, answer, kinds):
    check(name, quantity, answer, [kinds])


def test_there_are_many():
    assert len(CASES) >= 100 and len({case[0] for case in CASES}) >= 6


@pytest.mark.parametrize("name, quantity, answer, mistakes",
                         [case for case in double_mistakes()[::2] if case[:3] not in MISSED])
def test_two_mistakes_are_named_first(name, quantity, answer, mistakes):
    check(name, quantity, answer, mistakes)


@pytest.mark.long
def test_nearly_all_pairs_of_mistakes_are_named_first():
    for case in double_mistakes():
        assert is_named(diagnosed(*case[:3]), case[3]) == (case[:3] not in MISSED), case
    cases = pairs_of_mistakes(30)
    missed = [case for case in cases if not is_named(diagnosed(*case[:3]), case[3])]
    assert len(missed) <= 0.25 * len(cases), missed


@pytest.mark.parametrize("name, quantity, right", [*dict.fromkeys(case[:3] for case in SINGLE + DOUBLE)])
def test_the_answers_in_which_mistakes_are_planted_are_right(name, quantity, right):
    decision = verify_numbers(model(name), quantity, right)
    assert decision.ok, (decision.problem, decision.entries)
    assert diagnose(decision).findings == ()
