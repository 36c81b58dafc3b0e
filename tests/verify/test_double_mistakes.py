"""Two mistakes at once are both named."""

from tests.verify.planted import diagnosed, double_mistakes, is_named, pairs_of_mistakes


def _missed(cases):
    found = [(case, diagnosed(*case[:3])) for case in cases]
    return [(case, [f.kind for f in diagnosis.findings]) for case, diagnosis in found
            if not is_named(diagnosis, case[3])]


def test_double_mistakes_are_named_first():
    cases = double_mistakes()
    missed = _missed(cases)
    assert len(missed) <= 0.15 * len(cases), missed


def test_pairs_of_single_mistakes_are_named_first():
    cases = pairs_of_mistakes(30)
    missed = _missed(cases)
    assert len(missed) <= 0.25 * len(cases), missed
