"""A progress bar for runs that last."""

import sys
import threading
import time
from contextlib import suppress

#: A bar is brought up to date after so many seconds, also while a step lasts.
TICK = 0.5


class Progress:
    """A progress bar of tqdm that appears on stderr when a run lasts longer than a few seconds, and closes cleanly.

    show: None for that, and for no bar where stderr is a file; True to show it at once, False never. In a notebook,
    where what is shown is kept and stderr looks like a mistake, a run must last longer, and the bar is on stdout. Use
    it in a `with` statement; where tqdm is missing there is no bar. Where none is wanted tqdm is not asked at all: its
    lock may be held for ever in a process that was copied from one with a bar.
    """

    DELAY = 2.0
    DELAY_IN_NOTEBOOK = 10.0

    def __init__(self, total, unit, show=None, done=0.0):
        if show not in (None, True, False):
            raise ValueError(f"progress is {show!r}; choose True, False, or None for a bar on long runs only.")
        self.bar, in_notebook = None, type(sys.stderr).__module__.startswith("ipykernel")
        if show is False or (show is None and not in_notebook and not getattr(sys.stderr, "isatty", bool)()):
            return                                      # a stream in the place of stderr need not know what it is
        try:
            from tqdm import tqdm
        except ImportError:
            return                                      # a bar is a comfort; the run goes on without it
        count = "{n_fmt}/{total_fmt} " if isinstance(total, int) else "{n:.3g}/{total:.3g} "
        wanted = {"disable": False} if show else {}     # what is not said, tqdm looks up: TQDM_DISABLE
        self.bar = tqdm(total=total, initial=done, unit=unit, file=sys.stdout if in_notebook else sys.stderr, **wanted,
                        delay=0 if show else self.DELAY_IN_NOTEBOOK if in_notebook else self.DELAY,
                        bar_format="{l_bar}{bar}| " + count + unit + " [{elapsed}<{remaining}]")

    def update(self, done):
        """Tell that so much of the total has been done."""
        if self.bar is not None:
            self.bar.update(done - self.bar.n)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.bar is not None:
            self.bar.close()


class Stages(Progress):
    """The progress of a compilation: recording is one step, and each piece that a compiler works on another.

    The bar appears, and goes on, within a long step. Steps may be done in several threads. show: as for `Progress`.
    """

    def __init__(self, show=None):
        self.steps, self.lock, self.over = 0, threading.Lock(), threading.Event()

        def keep_time():
            while not self.over.wait(TICK):
                with self.lock:
                    if self.bar is not None and time.time() > self.bar.start_t + self.bar.delay:
                        self.bar.refresh()

        self.clock = threading.Thread(target=keep_time, daemon=True)
        super().__init__(2, "step", show, 0)                # recording, and what comes of it

    def expect(self, steps):
        """Tell how many steps are still to be done."""
        with self.lock:
            if self.bar is not None:
                self.bar.total = self.steps + steps

    def step(self):
        """Tell that a step has been done."""
        with self.lock:
            self.steps += 1
            self.update(self.steps)

    def __enter__(self):
        if self.bar is not None and not self.bar.disable:
            with suppress(RuntimeError):                    # no threads, as in a browser: it appears between the steps
                self.clock.start()
        return self

    def __exit__(self, *exception):
        self.over.set()
        if self.clock.ident is not None:
            self.clock.join()
        super().__exit__(*exception)
