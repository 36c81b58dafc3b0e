"""Processes that look at answers, one after the other, and outlive none that takes too much time or memory.

Where the system can fork, a process imports everything once, and each answer then gets a copy of it of its own; where
it cannot, the process looks at the answers itself and is replaced when one of them ends it.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from typing import Any

from rbdlib.verification.coursework.worker import TOO_LONG

#: Seconds that a process may take to start, and to look at one problem for the first time, besides the answer's time.
START = 60
#: Seconds between two looks at a process's memory.
_LOOK = 0.1
#: Where RLIMIT_AS does what it says.
LIMITS_MEMORY = sys.platform.startswith("linux")


def memory_note():
    """A sentence for systems on which memory cannot be limited, or ""."""
    return "" if LIMITS_MEMORY or _psutil() else (
        "This system cannot limit the memory of a process, and psutil is not installed, with which it could be "
        "watched: only the time of each answer is limited.")


def _psutil():
    try:
        import psutil
    except ImportError:
        return None
    return psutil


class Worker:
    """A process that looks at answers, as the module says."""

    def __init__(self):
        self._process: Any = None
        self._errors: Any = None
        self._stopped = ""                                 # why the process was stopped during the present task

    def run(self, task):
        """The result of a task (see `grade.task_of`), a dict with at least ``verdict`` and ``message``."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        self._stopped, seen = "", threading.Event()
        timer = threading.Timer(START + task["time"], self._stop, ["late"])
        timer.daemon = True
        timer.start()
        if not LIMITS_MEMORY and (psutil := _psutil()):
            threading.Thread(target=self._watch, args=(psutil, task["memory"], seen), daemon=True).start()
        try:
            status, results, error = self._ask(task)
            return result_of(task, status, results, error, self._stopped == "late", self._stopped == "memory")
        finally:
            timer.cancel()
            seen.set()

    def _start(self):
        self.close()
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "rbdlib.verification.coursework.worker"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self._errors, env=environment, start_new_session=os.name == "posix")

    def _ask(self, task):
        """(exit status, lines of results, what was said about errors)."""
        lines, status, error = [], None, b""
        with contextlib.suppress(OSError):                 # the process has ended
            self._process.stdin.write(json.dumps(task).encode() + b"\n")
            self._process.stdin.flush()
            for line in iter(self._process.stdout.readline, b""):
                found: Any = None
                with contextlib.suppress(ValueError):      # a line that was not finished
                    found = json.loads(line)
                if isinstance(found, dict) and "status" in found:
                    status = found["status"]
                    break
                lines += [found] if isinstance(found, dict) else []
        ended = status is None
        if ended:
            status = self._process.wait()
        if status or ended:
            size = self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(0, size - 2000))
            error = self._errors.read()
        if ended:
            self.close()
        return status, lines, error

    def _watch(self, psutil, mebibytes, seen):
        """Stop the process because of its memory, where only that is possible, until the event is set."""
        with contextlib.suppress(psutil.Error):            # the process has ended
            process = psutil.Process(self._process.pid)
            before = process.memory_info().rss
            while not seen.wait(_LOOK):
                used = sum(p.memory_info().rss for p in (process, *process.children(recursive=True)))
                if used - before > (mebibytes + 512) * 2**20:
                    self._stop("memory")
                    return

    def _stop(self, why=""):
        self._stopped = why or self._stopped
        if self._process is None or self._process.poll() is not None:
            return
        if os.name == "posix":
            os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def close(self):
        """End the process."""
        if self._process is None:
            return
        self._stop()
        self._process.wait()
        for file in (self._process.stdin, self._process.stdout, self._errors):
            with contextlib.suppress(OSError):             # what was written last has nobody to read it
                file.close()
        self._process = None


def result_of(task, status, results, error, late, too_much=False):
    """The last result that a process has written; without one, why there is none."""
    found = [result for result in results if result.get("verdict") != "not graded"] or results
    if found:
        return found[-1]
    if late or status in (TOO_LONG, -getattr(signal, "SIGXCPU", 0) or TOO_LONG):
        return {"verdict": "not graded", "message": f"This answer took longer than {task['time']:g} s."}
    memory = too_much or status < 0 or b"MemoryError" in error
    why = f"it needs more than {task['memory']} MiB of memory, perhaps" if memory else "the program had an error"
    return {"verdict": "not graded", "message": f"This answer could not be graded: {why}. Look at it yourself.",
            **({"error": error.decode(errors="replace")} if error else {})}


@contextlib.contextmanager
def shared_workers(count):
    """A function that has one of so many workers, which are ended afterwards, find the result of a task."""
    free, workers = queue.SimpleQueue(), [Worker() for _ in range(count)]
    for worker in workers:
        free.put(worker)

    def run(task):
        worker = free.get()
        try:
            return worker.run(task)
        finally:
            free.put(worker)

    try:
        yield run
    finally:
        for worker in workers:
            worker.close()
