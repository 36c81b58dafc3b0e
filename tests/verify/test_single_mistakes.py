"""The one mistake that was planted is named first: slips in a formula."""

import pytest

from tests.verify.planted import SINGLE, diagnosed, is_named, single_mistakes

CASES = single_mistakes(SINGLE)


def test_there_are_many():
    assert len(CASES) >= 60 and len({case[0] for case in CASES}) >= 6


@pytest.mark.parametrize("name, quantity, answer, kinds", CASES[::2])
def test_the_mistake_is_named_first(name, quantity, answer, kinds):
    found = diagnosed(name, quantity, answer)
    assert is_named(found, [kinds]), [f.kind for f in found.findings]
