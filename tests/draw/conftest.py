"""Pictures are drawn without a screen, in the look of the book."""

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _look_of_the_book():
    from matplotlib import pyplot

    from rbdlib import draw

    with pyplot.rc_context():
        draw.use_style()
        yield
