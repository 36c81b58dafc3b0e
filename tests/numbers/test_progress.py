"""The bar of a compilation counts its steps, and goes on while one of them lasts."""

import io
import sys
import threading
from types import SimpleNamespace

import pytest

from rbdlib.numbers import progress


@pytest.mark.parametrize(("delay", "refreshed"), [(1e12, []), (1.0, [1, 2])])
def test_within_a_step_the_bar_goes_on_as_soon_as_it_is_there(monkeypatch, delay, refreshed):
    pytest.importorskip("tqdm")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    bar, seen, turns = progress.Stages(True), [], iter([False, False, True])
    bar.over = SimpleNamespace(wait=lambda tick: next(turns))
    bar.bar.start_t, bar.bar.delay, bar.bar.refresh = 0, delay, lambda: seen.append(len(seen) + 1)
    bar.clock.run()
    assert seen == refreshed


def test_steps_that_are_still_expected_are_counted_from_those_that_are_done_and_the_clock_stops(monkeypatch):
    pytest.importorskip("tqdm")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    before = threading.active_count()
    with progress.Stages(True) as bar:
        assert threading.active_count() > before
        bar.step()
        bar.expect(3)
        assert (bar.bar.n, bar.bar.total) == (1, 4)
    assert not bar.clock.is_alive() and "1/4 step" in sys.stderr.getvalue()
