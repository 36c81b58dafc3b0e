"""Coursework: every answer of a folder of submissions, each in a process of its own, into a table of points and a log.

No submission stops the run, and none is executed. The log has one JSON object on each line: first the run with its
seed, versions and problems, then every try with its text and result, so that `again` can repeat each of them.
"""

import contextlib
import json
import platform
from collections import defaultdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tqdm import tqdm

from rbdlib.verification.coursework.files import save_table
from rbdlib.verification.coursework.gradebook import read_gradebook
from rbdlib.verification.coursework.points import mark
from rbdlib.verification.coursework.problems import load_problems
from rbdlib.verification.coursework.sheets import total_row, write_report
from rbdlib.verification.coursework.submissions import Unread, read_submissions
from rbdlib.verification.coursework.workers import memory_note, results_of

COLUMNS = ("student", "problem", "title", "tries", "verdict", "points", "of", "message", "hints")
_PACKAGES = ("rbdlib", "numpy", "scipy", "sympy", "mpmath")


def grade(problems, submissions, out="grades.csv", log=None, time=20, memory=1024, jobs=1, seed=0, bar=True, tries=None,
          penalty=0.0, report=None, gradebook=None, column=None):
    """Grade a folder of submissions; returns 0, the exit status.

    problems: a folder of problem files, or "rbdlib". submissions: a folder, see `submissions`. out: the CSV file.
    log: the file of the log; None for that of out with .jsonl. time: seconds, and memory: MiB, for each answer. jobs:
    answers looked at side by side. seed: for the random states. bar: whether to show a progress bar. tries: how many
    count, None for all, and penalty: the share of the points that a wrong one costs, where the problem does not say it.
    report: a folder for sheets and summaries, see `sheets`, or None. gradebook: a file of Canvas or Moodle, which is
    written to that folder with the points in a column, whose name is the folder's of problems by default; or None.
    Raises ValueError for bad problems, folders or limits; nothing that is handed in raises anything.
    """
    require_limits(time, memory, jobs, seed, tries, penalty)
    if gradebook and not report:
        raise ValueError("gradebook needs report, the folder to which it is written with points in it.")
    book = read_gradebook(Path(gradebook)) if gradebook else None
    column = column or Path(problems).resolve().name
    problems, out, most = load_problems(problems), Path(out), tries
    log = Path(log or out.with_suffix(".jsonl"))
    for name, path in (("out", out), ("log", log), ("report", Path(report or "."))):
        if not path.absolute().parent.is_dir():
            raise ValueError(f"{name} is {path}, but there is no such folder. Make it first.")
    handed_in, unread, students = read_submissions(Path(submissions), list(problems))
    tries, tasks, made = [], [], defaultdict(list)
    for attempt in handed_in:
        if problem := problems[attempt.problem].of(attempt.student):
            tries.append(attempt)
            tasks.append(task_of(problem, attempt.text, attempt.kind, time, memory, seed))
        else:
            unread.append(Unread(attempt.student, attempt.file,
                                 "There is no such problem for this name. Is it as on the roster?"))
    if note := memory_note():
        print(note)
    with (log.open("w", encoding="utf-8", errors="backslashreplace") as file,
          contextlib.closing(results_of(tasks, jobs)) as found):
        _write(file, {"event": "run", "versions": versions(), "seed": seed, "time": time, "memory": memory,
                      "problems": {name: problem.as_dict() for name, problem in problems.items()}})
        for lost in unread:
            _write(file, {"event": "unread", **lost._asdict()})
        done = zip(tries, tasks, found, strict=True)
        for attempt, task, result in tqdm(done, total=len(tries), disable=not bar, unit="answer", desc="grading"):
            made[attempt.student, attempt.problem].append((attempt, result))
            _write(file, {"event": "try", **attempt._asdict(), "task": task, "result": result})
    marks = {student: [mark(student, problem.of(student) or problem, made[student, id], most, penalty)
                       for id, problem in problems.items()] for student in students}
    save_table(out, COLUMNS, _rows(marks, unread))
    print(f"{len(tries)} answers of {len(students)} learners: points in {out}, log in {log}."
          + (f" {len(unread)} files or answers could not be used; see there." if unread else ""))
    if report:
        missing = write_report(report, marks, unread)
        print(" ".join(filter(None, [f"Sheets, totals and a summary are in {report}.", missing])))
    if book:
        filled, nowhere = book.filled(column, {student: total_row(student, mine) for student, mine in marks.items()})
        filled.save(Path(report) / "gradebook.csv")
        print(f"The points are in the column {column} of {Path(report) / 'gradebook.csv'}."
              + (f" Of these learners there is no row, or more than one: {', '.join(nowhere)}." if nowhere else ""))
    return 0


def require_limits(time=20, memory=1024, jobs=1, seed=0, tries=None, penalty=0.0):
    """Raise ValueError, which says what is wrong, for limits of `grade` that make no sense."""
    for name, value, least, most in (("time", time, 0.1, 86400), ("memory", memory, 64, 2**20), ("jobs", jobs, 1, 256),
                                     ("seed", seed, 0, 2**63), ("tries", tries or 1, 1, 100),
                                     ("penalty", penalty, 0, 1)):
        if not least <= value <= most:
            raise ValueError(f"{name} is {value}; give a number from {least} to {most}.")


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


def task_of(problem, text, kind="text", time=20, memory=1024, seed=0):
    """The task of looking at an answer, for a process of its own, a dict."""
    return {"model": problem.model, "quantity": problem.quantity, "given": list(problem.given), "text": text,
            "kind": kind, "time": time, "memory": memory, "seed": seed}


def again(log):
    """Repeat every try of a log; yields pairs (record, result) of what was logged and what comes out now."""
    with Path(log).open(encoding="utf-8") as file:
        tries = [record for record in map(json.loads, file) if record["event"] == "try"]
    with contextlib.closing(results_of([record["task"] for record in tries])) as found:
        yield from zip(tries, found, strict=True)


def _rows(marks, unread):
    """The rows of the table: for each learner one for each problem, and one for what could not be read."""
    for student, mine in marks.items():
        for found in mine:
            yield {"student": student, "problem": found.problem.id, "title": found.problem.title,
                   "tries": len(found.tries), "points": found.total, "of": found.problem.points,
                   "verdict": found.verdict, "message": found.message, "hints": " | ".join(found.hints)}
        for lost in unread:
            if lost.student == student:
                yield {"student": student, "problem": lost.file, "verdict": "not read", "message": lost.message}
