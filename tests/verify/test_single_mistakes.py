"""The one mistake that was planted is named first."""

from tests.verify.planted import diagnosed, single_mistakes


def test_single_mistakes_are_named_first():
    missed, cases = [], list(single_mistakes())
    for name, quantity, answer, kinds in cases:
        diagnosis = diagnosed(name, quantity, answer)
        if len(diagnosis.explanations[:1]) != 1 or [f.kind in kinds for f in diagnosis.findings] != [True]:
            missed.append((name, quantity, answer, kinds, [f.kind for f in diagnosis.findings]))
    assert len(cases) >= 60 and len({case[0] for case in cases}) >= 6
    assert len(missed) <= 0.1 * len(cases), missed
