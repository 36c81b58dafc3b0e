"""The process that looks at answers, started as a module, with tasks as JSON on the lines of stdin.

Results are written as lines of JSON, too; after those of each answer comes {"status": exit status}. See `workers`.
"""

import contextlib
import itertools
import json
import os
import re
import sys
import threading
import time
import traceback

from rbdlib.verification.coursework.files import BadArgument, model_called
from rbdlib.verification.coursework.submissions import answer_in
from rbdlib.verification.meaning.vocabulary import Vocabulary
from rbdlib.verification.reports.report import explained, report
from rbdlib.verification.reports.report_text import verdict_line

#: A name that a line defines.
_DEFINED = re.compile(r"\s*\\?([A-Za-z]\w*)\s*=(?!=)")
#: Exit status of a process that took too long.
TOO_LONG = 124
_MEBIBYTE = 2**20


def serve(lines):
    """Look at the answer of each task, which is given as a line of JSON, in a copy of this process if there can be one.

    Before the first answer to a problem, everything is imported and computed once that is needed, so that limits are
    for the answers.
    """
    models, ready = {}, set()
    for line in lines:
        task = json.loads(line)
        name, quantity = task["model"], task["quantity"]
        if not models:
            explained(report(model_called("simple_pendulum"), "T", "m*l*q1", explain=False))
        if name not in models:
            models[name] = model_called(name)
        if (name, quantity) not in ready:
            explained(report(models[name], quantity, "1", explain=False))
            ready.add((name, quantity))
        status = _in_a_copy(models[name], task) if hasattr(os, "fork") else _write(models[name], task)
        print(json.dumps({"status": status}), flush=True)


def _in_a_copy(model, task):
    """The exit status of a copy of this process that looks at one answer."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 1
    try:
        status = _write(model, task)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _write(model, task):
    for result in work(model, task):
        print(json.dumps(result), flush=True)
    return 0


def work(model, task):
    """The results of a task, dicts: first the verdict, then, if it is wrong, the same with the reason.

    task: a dict with model, quantity, given, seed, text, kind, time (seconds) and memory (MiB). A result has the keys
    verdict, message, report, shown (its text) and seconds.
    """
    watchdog = threading.Timer(task["time"], os._exit, [TOO_LONG])
    watchdog.daemon = True
    watchdog.start()
    if hasattr(os, "fork"):                                # otherwise the limits would be for all answers together
        limit(task["time"], task["memory"])
    start = time.perf_counter()
    try:
        found = looked_at(model, task["quantity"], answer_in(task["text"], task["kind"]), task["given"], task["seed"])
        yield _result(found, start)
        if found.verdict == "wrong":
            yield _result(explained(found), start)
    except BadArgument as error:
        yield {"verdict": "not understood", "message": str(error)}
    except MemoryError:
        yield {"verdict": "not graded", "message": f"This answer needs more than {task['memory']} MiB of memory."}
    finally:
        watchdog.cancel()


def looked_at(model, quantity, answer, given, seed=0):
    """The `report.Report` on an answer, without the reason. Lines above it by which the learner defines angles of their
    own, such as theta2 = q1 + q2, are taken for given where the answer is not right as it stands."""
    found = report(model, quantity, answer, given or None, seed, explain=False, reveal=False)
    own, rest = own_angles(model, answer, given) if isinstance(answer, str) and not found.ok else ([], "")
    if not own:
        return found
    again = report(model, quantity, rest, [*given, *own], seed, explain=False, reveal=False)
    return again if again.understood else found


def own_angles(model, answer, given):
    """(the lines at the beginning of an answer that define coordinates of the learner, a list; the lines after them).

    A line counts that begins with another name of a coordinate, and that `Vocabulary` takes for a choice of
    coordinates: one that states a value, such as theta2 = 0, would make the question an easier one.
    """
    lines, names = answer.strip().split("\n"), Vocabulary(model, given or None).names

    def defines(line):
        name = (_DEFINED.match(line) or ("", ""))[1]
        own, dots = names.find(name) or ("", 0)
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
