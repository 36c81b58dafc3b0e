"""How far a compilation has come: recording is one step, and each piece that a compiler works on another."""

import threading
import time
from contextlib import suppress

from rbdlib.numbers.progress import Progress

#: A bar is brought up to date after so many seconds, also while a step lasts.
TICK = 0.5


class Stages(Progress):
    """A progress bar as of `rbdlib.numbers.progress.Progress`, which also appears, and goes on, within a long step.

    show: as there. Steps may be done in several threads.
    """

    def __init__(self, show=None):
        self.steps, self.lock, self.over = 0, threading.Lock(), threading.Event()
        self.clock = threading.Thread(target=self._keep_time, daemon=True)
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

    def _keep_time(self):
        while not self.over.wait(TICK):
            with self.lock:
                if self.bar is not None and time.time() > self.bar.start_t + self.bar.delay:
                    self.bar.refresh()

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
