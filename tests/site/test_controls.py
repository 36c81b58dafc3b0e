"""On the site a figure with controls says what can be moved, between which limits, and where it stands."""

from itertools import pairwise

import nbformat
import pytest

from tools.book.controls import Control, controls, sentence
from tools.book.places import NOTEBOOKS

SAVED = "[controls, live when this cell is run: q at the start (rad) from -3.1 to 3.1; both: False or True]"
ALT = "A pendulum, seen from the front; q at the start = -2 rad, both = True"


def test_a_control_is_given_by_its_label_range_value_and_unit_and_refused_in_another_form():
    assert controls(SAVED, ALT) == [Control("q at the start", "-3.1 to 3.1", "-2", "rad"),
                                    Control("both", "off or on", "on", "")]
    text = "".join(text for text, _ in sentence(controls(SAVED, ALT)))
    assert text.endswith("q at the start, -3.1 to 3.1 rad (here -2); both, off or on (here on). ")
    assert controls("42.0", ALT) == []
    with pytest.raises(ValueError, match="has the control 'mass'; expected 'label"):
        controls("[controls, live when this cell is run: mass]", "")


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_each_control_of_a_notebook_is_found_with_its_value(path):
    outputs = [output for cell in nbformat.read(path, 4).cells for output in cell.get("outputs", [])]
    explored = 0
    for output, picture in pairwise(outputs):
        saved = output.get("data", {}).get("text/plain", "")
        if saved.startswith("[controls"):
            alt = picture.metadata["image/png"]["alt"]
            found = controls(saved, alt)
            assert found and all(control.value for control in found), alt
            explored += 1
    assert explored
