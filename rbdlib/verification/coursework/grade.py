"""Coursework: every answer of a folder of submissions, each in a process of its own, into a table of points and a log.

No submission stops the run, and none is executed. The log has one JSON object on each line: first the run with its
seed, versions and problems, then every try with its text and result, so that `again` can repeat each of them.
"""

import contextlib
import csv
import json
import platform
import queue
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tqdm import tqdm

from rbdlib.verification.coursework.problems import load_problems
from rbdlib.verification.coursework.submissions import Unread, read_submissions
from rbdlib.verification.coursework.workers import Worker, memory_note

COLUMNS = ("student", "problem", "title", "tries", "verdict", "points", "of", "message", "hints")
_PACKAGES = ("rbdlib", "numpy", "scipy", "sympy", "mpmath")


def grade(problems, submissions, out="grades.csv", log=None, time=20, memory=1024, jobs=1, seed=0, bar=True):
    """Grade a folder of submissions; returns 0, the exit status.

    problems: a folder of problem files, or "rbdlib". submissions: a folder, see `submissions`. out: the CSV file.
    log: the file of the log; None for that of out with .jsonl. time: seconds, and memory: MiB, for each answer. jobs:
    answers looked at side by side. seed: for the random states. bar: whether to show a progress bar.
    Raises ValueError for bad problems, folders or limits; nothing that is handed in raises anything.
    """
    for name, value, least, most in (("time", time, 0.1, 86400), ("memory", memory, 64, 2**20), ("jobs", jobs, 1, 256),
                                     ("seed", seed, 0, 2**63)):
        if not least <= value <= most:
            raise ValueError(f"{name} is {value}; give a number from {least} to {most}.")
    problems, out = load_problems(problems), Path(out)
    log = Path(log) if log else out.with_suffix(".jsonl")
    for name, path in (("out", out), ("log", log)):
        if not path.absolute().parent.is_dir():
            raise ValueError(f"{name} is {path}, but there is no such folder. Make it first.")
    tries, unread, students = read_submissions(Path(submissions), list(problems))
    own = [problems[attempt.problem].of(attempt.student) for attempt in tries]
    unread += [Unread(attempt.student, attempt.file, "There is no such problem for this name. Is it as on the roster?")
               for attempt, problem in zip(tries, own, strict=True) if problem is None]
    tries = [attempt for attempt, problem in zip(tries, own, strict=True) if problem]
    tasks = [task_of(problem, attempt.text, attempt.kind, time, memory, seed)
             for attempt, problem in zip(tries, filter(None, own), strict=True)]
    results = []
    if note := memory_note():
        print(note)
    with log.open("w", encoding="utf-8", errors="backslashreplace") as file, _workers(jobs) as run, ThreadPoolExecutor(
            jobs) as pool:
        _write(file, {"event": "run", "versions": versions(), "seed": seed, "time": time, "memory": memory,
                      "problems": {name: asdict(problem) for name, problem in problems.items()}})
        for lost in unread:
            _write(file, {"event": "unread", **vars(lost)})
        done = pool.map(run, tasks)
        for attempt, task, result in tqdm(zip(tries, tasks, done, strict=True), total=len(tries), disable=not bar,
                                          unit="answer", desc="grading"):
            results.append(result)
            _write(file, {"event": "try", **vars(attempt), "task": task, "result": result})
    _save(out, _rows(problems, students, tries, results, unread))
    print(f"{len(tries)} answers of {len(students)} learners: points in {out}, log in {log}."
          + (f" {len(unread)} files or answers could not be used; see there." if unread else ""))
    return 0


def versions():
    """The versions of everything on which a result may depend, a dict."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in _PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def _write(file, record):
    file.write(json.dumps(record, ensure_ascii=False) + "\n")
    file.flush()


# One answer


def task_of(problem, text, kind="text", time=20, memory=1024, seed=0):
    """The task of looking at an answer, for a process of its own, a dict."""
    return {"model": problem.model, "quantity": problem.quantity, "given": list(problem.given), "text": text,
            "kind": kind, "time": time, "memory": memory, "seed": seed}


@contextlib.contextmanager
def _workers(count):
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


def again(log):
    """Repeat every try of a log; yields pairs (record, result) of what was logged and what comes out now."""
    with Path(log).open(encoding="utf-8") as file, contextlib.closing(Worker()) as worker:
        for line in file:
            record = json.loads(line)
            if record["event"] == "try":
                yield record, worker.run(record["task"])


# The table


def _rows(problems, students, tries, results, unread):
    """The rows of the table: of a learner and a problem, the first right try counts, and otherwise the last one."""
    rows = []
    for student in students:
        for problem in problems.values():
            mine = [result for attempt, result in zip(tries, results, strict=True)
                    if (attempt.student, attempt.problem) == (student, problem.id)]
            right = next((result for result in mine if result["verdict"] == "right"), None)
            counted = right or (mine[-1] if mine else {"verdict": "missing", "message": ""})
            wrong = sum(result["verdict"] != "right" for result in mine)
            rows.append({"student": student, "problem": problem.id, "title": problem.title, "tries": len(mine),
                         "points": problem.points if right else 0, "of": problem.points,
                         "verdict": counted["verdict"], "message": counted["message"],
                         "hints": "" if right or not mine else " | ".join(problem.hints_after(wrong))})
        rows += [{"student": student, "problem": lost.file, "verdict": "not read", "message": lost.message}
                 for lost in unread if lost.student == student]
    return rows


def _save(path, rows):
    """Write the CSV file in one go, so that there is never half a table."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, restval="")
        table.writeheader()
        table.writerows({name: _harmless(value) for name, value in row.items()} for row in rows)
    part.replace(path)


def _harmless(value):
    """Text that a spreadsheet does not take for a formula, with characters that are not seen spelt out."""
    if not isinstance(value, str):
        return str(value)
    text = "".join(c if c == "\n" or unicodedata.category(c)[0] != "C" else c.encode("unicode_escape").decode()
                   for c in value).strip()
    return "'" + text if text.startswith(("=", "+", "-", "@")) else text
