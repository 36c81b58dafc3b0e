"""A progress bar for runs that last."""

import sys
import time


class Progress:
    """A progress bar that appears on stderr when a run lasts longer than a few seconds, and closes cleanly.

    show: None for that, and for no bar where stderr is a file; True to show it at once, False never. tqdm draws it, and
    is imported only then; it obeys the environment variable TQDM_DISABLE=1. In a notebook, where what is shown is kept
    and stderr looks like a mistake, a run must last longer, and the bar is on stdout. Use it in a `with` statement.
    """

    DELAY = 2.0
    DELAY_IN_NOTEBOOK = 10.0

    def __init__(self, total, unit, show=None, done=0.0):
        if show not in (None, True, False):
            raise ValueError(f"progress is {show!r}; choose True, False, or None for a bar on long runs only.")
        in_notebook = type(sys.stderr).__module__.startswith("ipykernel")
        seen = in_notebook or sys.stderr is not None and sys.stderr.isatty()
        self.total, self.unit, self.show, self.done = total, unit, show if seen or show else False, done
        self.bar, self.start = None, time.monotonic()
        self.delay, self.file = (self.DELAY_IN_NOTEBOOK, sys.stdout) if in_notebook else (self.DELAY, sys.stderr)
        if show:
            self._open()

    def update(self, done):
        """Tell that so much of the total has been done."""
        if self.bar is not None:
            self.bar.update(done - self.bar.n)
        elif self.show is None and time.monotonic() - self.start > self.delay:
            self._open(done)

    def _open(self, done=None):
        self.show = True
        try:
            from tqdm import tqdm
        except ImportError:
            return                                      # a bar is a comfort; the run goes on without it
        count = "{n_fmt}/{total_fmt} " if isinstance(self.total, int) else "{n:.3g}/{total:.3g} "
        self.bar = tqdm(total=self.total, initial=self.done, unit=self.unit, file=self.file,
                        bar_format="{l_bar}{bar}| " + count + self.unit + " [{elapsed}<{remaining}]")
        if self.bar.disable:
            return
        self.bar.start_t -= time.monotonic() - self.start
        if done is not None:
            self.bar.update(done - self.bar.n)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.bar is not None:
            self.bar.close()
