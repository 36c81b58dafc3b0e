"""Processes that look at answers, one after the other, and outlive none that takes too much time or memory.

A process is this module, started as a program: it reads tasks as lines of JSON, and writes results as such, too; after
those of each answer comes {"status": exit status}. Errors, which may quote an answer, come in the same stream: results
stand behind the task's mark, which no answer can know. Where the system can fork, the process imports everything once,
and each answer then gets a copy of it of its own; where it cannot, it looks at the answers itself and is replaced when
one of them ends it.
"""

import contextlib
import functools
import itertools
import json
import multiprocessing
import os
import re
import secrets
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rbdlib.verification.coursework.files import BadArgument, model_called
from rbdlib.verification.coursework.submissions import answer_in
from rbdlib.verification.meaning.vocabulary import Vocabulary
from rbdlib.verification.reports.report import explained, verify
from rbdlib.verification.reports.report_text import verdict_line

#: Seconds that a process may take to start, and to look at one problem for the first time, besides the answer's time.
START = 60
#: Seconds between two looks at a process.
_LOOK = 0.1
#: Where RLIMIT_AS does what it says.
LIMITS_MEMORY = sys.platform.startswith("linux")
#: Exit status of a process that took too long.
TOO_LONG = 124
_MEBIBYTE = 2**20
#: A name that a line defines.
_DEFINED = re.compile(r"\s*\\?([A-Za-z]\w*)\s*=(?!=)")


def results_of(tasks, count=1):
    """The results of tasks in their order, by so many processes side by side, which are ended afterwards.

    A task: see `grade.task_of`. A result: a dict with at least ``verdict`` and ``message``.
    """
    here, workers = threading.local(), contextlib.ExitStack()

    def start():                                           # each thread has a process of its own
        here.worker = workers.enter_context(contextlib.closing(Worker()))

    with workers, ThreadPoolExecutor(count, initializer=start) as pool:
        yield from pool.map(lambda task: here.worker.run(task), tasks)


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

    _process: Any = None
    _stopped = ""                                          # why the process was stopped during the present task

    def run(self, task):
        """The result of a task, a dict."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        self._stopped, seen = "", threading.Event()
        watcher = threading.Thread(target=self._watch, args=(task, seen), daemon=True)
        watcher.start()
        try:
            status, results, said = self._ask(task)
            return result_of(task, status, results, said, self._stopped)
        finally:
            seen.set()
            watcher.join()

    def _start(self):
        self.close()
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=environment, encoding="utf-8", errors="replace", start_new_session=os.name == "posix")

    def _ask(self, task):
        """(exit status, results, what else was printed)."""
        results, said, mark = [], [], secrets.token_hex()
        with contextlib.suppress(OSError):                 # the process has ended
            print(json.dumps(task | {"mark": mark}), file=self._process.stdin, flush=True)
            for line in self._process.stdout:
                found = None
                with contextlib.suppress(ValueError):      # an error, or a result that was not finished
                    found = json.loads(line.partition(mark)[2])
                if found is None:
                    said.append(line)
                elif "status" in found:
                    return found["status"], results, "".join(said).strip()
                else:
                    results.append(found)
        return self._process.wait(), results, "".join(said).strip()

    def _watch(self, task, seen):
        """Stop the process if it takes too long, or too much memory where that has to be watched, until an event."""
        end, before = time.monotonic() + START + task["time"], self._memory()
        while not seen.wait(_LOOK):
            if time.monotonic() > end:
                self._stop("late")
            elif self._memory() - before > (task["memory"] + 512) * _MEBIBYTE:
                self._stop("memory")

    def _memory(self):
        """The bytes that the process and its copies use, where that has to be watched and can be; otherwise 0."""
        if LIMITS_MEMORY or not (psutil := _psutil()):
            return 0
        with contextlib.suppress(psutil.Error):            # the process has ended
            process = psutil.Process(self._process.pid)
            return sum(p.memory_info().rss for p in (process, *process.children(recursive=True)))
        return 0

    def _stop(self, why=""):
        if self._process.poll() is None:
            self._stopped = why
            if os.name == "posix":
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def close(self):
        """End the process."""
        if self._process is not None:
            with contextlib.suppress(OSError), self._process:          # what was written last has nobody to read it
                self._stop()
            self._process = None


def result_of(task, status, results, said, stopped=""):
    """The last result that a process has written; without one, why there is none.

    said: what else it printed; stopped: "late" or "memory" where it was stopped.
    """
    if found := [result for result in results if result.get("verdict") != "not graded"] or results:
        return found[-1]
    if stopped == "late" or status in (TOO_LONG, -getattr(signal, "SIGXCPU", 0) or TOO_LONG):
        return {"verdict": "not graded", "message": f"This answer took longer than {task['time']:g} s."}
    memory = stopped or status < 0 or "MemoryError" in said
    why = f"it needs more than {task['memory']} MiB of memory, perhaps" if memory else "the program had an error"
    return {"verdict": "not graded", "message": f"This answer could not be graded: {why}. Look at it yourself.",
            **({"error": said[-2000:]} if said else {})}


# In the process


def serve(lines):
    """Look at the answer of each task, which is given as a line of JSON, in a copy of this process if there can be one.

    Before the first answer to a problem, everything is imported and computed once that is needed, so that limits are
    for the answers.
    """
    called = functools.cache(model_called)

    @functools.cache
    def prepared(name, quantity):
        explained(verify(called(name), quantity, "1", explain=False))
        return called(name)

    explained(verify(called("simple_pendulum"), "T", "m*l*q1", explain=False))
    for line in lines:
        task = json.loads(line)
        model = prepared(task["model"], task["quantity"])
        if hasattr(os, "fork"):
            child = multiprocessing.get_context("fork").Process(target=work, args=(model, task))
            child.start()
            child.join()
            status = child.exitcode
        else:
            work(model, task)
            status = 0
        print()                                            # what stands before may be a line that was not finished
        _write(task, {"status": status})


def work(model, task):
    """Write the results of a task, dicts: first the verdict, then, if it is wrong, the same with the reason.

    task: a dict with model, quantity, given, seed, text, kind, time (seconds) and memory (MiB). A result has the keys
    verdict, message, report, shown (its text) and seconds.
    """
    write = functools.partial(_write, task)
    watchdog = threading.Timer(task["time"], os._exit, [TOO_LONG])
    watchdog.start()
    if hasattr(os, "fork"):                                # otherwise the limits would be for all answers together
        limit(task["time"], task["memory"])
    start = time.perf_counter()
    try:
        found = looked_at(model, task["quantity"], answer_in(task["text"], task["kind"]), task["given"], task["seed"])
        write(_result(found, start))
        if found.verdict == "wrong":
            write(_result(explained(found), start))
    except BadArgument as error:
        write({"verdict": "not understood", "message": str(error)})
    except MemoryError:
        write({"verdict": "not graded", "message": f"This answer needs more than {task['memory']} MiB of memory."})
    finally:
        watchdog.cancel()


def _write(task, result):
    print(task.get("mark", "") + json.dumps(result), flush=True)


def looked_at(model, quantity, answer, given, seed=0):
    """The `report.Report` on an answer, without the reason. Lines above it by which the learner defines angles of their
    own, such as theta2 = q1 + q2, are taken for given where the answer is not right as it stands."""
    found = verify(model, quantity, answer, given, seed, explain=False, reveal=False)
    own, rest = own_angles(model, answer, given) if isinstance(answer, str) and not found.ok else ([], "")
    if not own:
        return found
    again = verify(model, quantity, rest, [*given, *own], seed, explain=False, reveal=False)
    return again if again.understood else found


def own_angles(model, answer, given):
    """(the lines at the beginning of an answer that define coordinates of the learner, a list; the lines after them).

    A line counts that begins with another name of a coordinate, and that `Vocabulary` takes for a choice of
    coordinates: one that states a value, such as theta2 = 0, would make the question an easier one.
    """
    lines, names = answer.strip().split("\n"), Vocabulary(model, given).names

    def defines(line):
        name = (_DEFINED.match(line) or ("", ""))[1]
        own, dots = names.find(name)
        return own in names.q and not dots and name not in names.own

    own = list(itertools.takewhile(defines, lines))
    with contextlib.suppress(ValueError):                  # BadGiven: no choice of coordinates
        if own and Vocabulary(model, [*given, *own]).coordinates():
            return own, "\n".join(lines[len(own) :])
    return [], answer


def _result(found, start):
    """A `report.Report` as a dict for the table and the log; start: when the work began."""
    sentences = [line for line in found.problem.splitlines() if not line.startswith(" ")]   # without the answer's text
    message = " ".join(sentences) if found.verdict == "not understood" else verdict_line(found)
    message = " ".join([message, *(finding.sentence for finding in found.findings)])
    return {"verdict": found.verdict, "message": message, "report": found.to_dict(), "shown": str(found),
            "seconds": round(time.perf_counter() - start, 3)}


def limit(seconds, mebibytes):
    """Limit this process to so much more time and memory, where the operating system can do that (not on Windows)."""
    try:
        import resource
    except ImportError:
        return
    size = _MEBIBYTE * 1024                                # of the address space, if the system does not say
    with contextlib.suppress(OSError, ValueError), open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    limits = {"RLIMIT_CPU": int(time.process_time() + seconds) + 2, "RLIMIT_AS": size + mebibytes * _MEBIBYTE,
              "RLIMIT_FSIZE": 0, "RLIMIT_CORE": 0}
    for name, most in limits.items():
        # a stricter limit holds already, or the system knows none
        with contextlib.suppress(AttributeError, ValueError, OSError):
            resource.setrlimit(getattr(resource, name), (most, most))


if __name__ == "__main__":
    serve(sys.stdin)
