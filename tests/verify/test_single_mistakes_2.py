"""The one mistake that was planted is named first: more slips, other rules, systems and frames."""

import pytest

from tests.verify.planted import CLASSES, SINGLE, diagnosed, is_named, single_mistakes


@pytest.mark.parametrize("name, quantity, answer, kinds", [*single_mistakes(SINGLE)[1::2], *single_mistakes(CLASSES)])
def test_the_mistake_is_named_first(name, quantity, answer, kinds):
    found = diagnosed(name, quantity, answer)
    assert is_named(found, [kinds]), [f.kind for f in found.findings]
