"""What the tests of the corpus have in common; they stand in several files so that two workers can share them."""

from functools import cache
from itertools import permutations

import pytest

from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.reasons.diagnosis import diagnose
from tests.verify.corpus import systems

SYSTEMS = {system.name: system for system in systems()}
ANSWERS = [answer for system in SYSTEMS.values() for answer in system.answers]
PARTS = 4


def part(number):
    """The cases of one part, for a test of (name, k)."""
    cases = [(name, k) for name in list(SYSTEMS)[number::PARTS] for k in range(len(SYSTEMS[name].answers))]
    return pytest.mark.parametrize("name, k", cases, ids=[f"{name}-{k}" for name, k in cases])


@cache
def model(name):
    return SYSTEMS[name].model()


def is_named_first(findings, mistakes):
    """Whether the findings of the first explanation are the planted mistakes, no more and no fewer."""
    kinds = [finding.kind for finding in findings]
    return len(kinds) == len(mistakes) and any(all(kind in names for kind, names in zip(kinds, order, strict=True))
                                               for order in permutations(mistakes))


def check(name, k):
    """Right answers are accepted, wrong ones rejected, and the planted mistakes are named first."""
    case = SYSTEMS[name].answers[k]
    decision = verify_numbers(model(name), case.quantity, case.answer, case.given)
    assert decision.problem == "" or decision.entries, (case.answer, decision.problem)
    assert decision.ok == (not case.mistakes), (case.quantity, case.answer, decision.entries)
    if case.mistakes:
        diagnosis = diagnose(decision, case.answer)
        found = diagnosis.certain and is_named_first(diagnosis.findings, case.mistakes)
        kinds = [finding.kind for finding in diagnosis.findings]
        assert found != bool(case.missed), (case.answer, kinds, case.mistakes, case.missed)
