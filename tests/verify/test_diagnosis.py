"""The mistake that was planted is named first, and nothing is claimed that does not make the answer right."""

import pytest

from rbdlib import load
from rbdlib.verification.decide import verify_numbers
from rbdlib.verification.diagnosis import diagnose
from tests.verify.planted import DOUBLE, SINGLE

_MODELS = {}


def _model(name):
    if name not in _MODELS:
        _MODELS[name] = load(name, symbolic=True)
    return _MODELS[name]


def _diagnosed(name, quantity, answer):
    decision = verify_numbers(_model(name), quantity, answer)
    assert decision.problem == "" and not decision.ok, (answer, decision.problem)
    return diagnose(decision)


@pytest.mark.parametrize("name, quantity, right", [case[:3] for case in SINGLE])
def test_the_answers_in_which_mistakes_are_planted_are_right(name, quantity, right):
    decision = verify_numbers(_model(name), quantity, right)
    assert decision.ok, (decision.problem, decision.entries)
    assert diagnose(decision).findings == ()


def single_mistakes():
    for name, quantity, right, mistakes in SINGLE:
        for old, new, kinds in mistakes:
            assert old in right, old
            yield name, quantity, right.replace(old, new), kinds.split("|")


def double_mistakes():
    for name, quantity, right, pairs in DOUBLE:
        for first, second in pairs:
            assert first[0] in right, first
            yield name, quantity, right.replace(*first[:2]).replace(*second[:2]), [first[2].split("|"),
                                                                                    second[2].split("|")]


def test_single_mistakes_are_named_first():
    missed, cases = [], list(single_mistakes())
    for name, quantity, answer, kinds in cases:
        diagnosis = _diagnosed(name, quantity, answer)
        if len(diagnosis.explanations[:1]) != 1 or [f.kind in kinds for f in diagnosis.findings] != [True]:
            missed.append((name, quantity, answer, kinds, [f.kind for f in diagnosis.findings]))
    assert len(cases) >= 60 and len({case[0] for case in cases}) >= 6
    assert len(missed) <= 0.1 * len(cases), missed


def test_double_mistakes_are_named_first():
    missed, cases = [], list(double_mistakes())
    for name, quantity, answer, kinds in cases:
        found = [f.kind for f in _diagnosed(name, quantity, answer).findings]
        fits = len(found) == 2 and any(all(a in b for a, b in zip(found, order, strict=True))
                                       for order in (kinds, kinds[::-1]))
        if not fits:
            missed.append((name, quantity, answer, kinds, found))
    assert len(missed) <= 0.4 * len(cases), missed
