"""Coursework: every answer of a folder of submissions, each in a process of its own, into a table of points and a log.

No submission stops the run, and none is executed. The log has one JSON object on each line: first the run with its
seed, versions and problems, then every try with its text and result, so that `again` can repeat each of them.
"""

import contextlib
import json
import platform
import zipfile
from collections import defaultdict, namedtuple
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tqdm import tqdm

from rbdlib.io.data import PACKAGE, data_folder
from rbdlib.verification.coursework.files import MEMORY, TIME, save_table
from rbdlib.verification.coursework.problems import load_problems, problem_folder
from rbdlib.verification.coursework.sheets import read_gradebook, total_row, write_report
from rbdlib.verification.coursework.submissions import Unread, read_submissions
from rbdlib.verification.coursework.workers import memory_note, results_of

#: Verdicts on tries that cost nothing, and that are not among the tries of which so many are allowed.
FREE = ("not understood", "not graded")
#: Right values that are smaller than this fraction of the largest are zero.
_ZERO = 1e-12


class Mark(namedtuple("Mark", "student problem tries points counted verdict message remarks", defaults=("", ""))):
    """What a learner gets for a problem.

    student; problem: the `Problem`; tries: pairs (`Try`, result); points: those of each try, None where it does not
    count; counted: the place of the best try, or None.  verdict, message: on that one, for the learner; remarks: what
    the message says about the points.
    """

    total = property(lambda self: 0 if self.counted is None else self.points[self.counted], doc="The points in all.")

    @property
    def hints(self):
        """The hints that the learner has earned, a list of text; none once the answer is right."""
        wrong = sum(result["verdict"] != "right" for _, result in self.tries)
        return [] if self.verdict in ("right", "missing") else [
            text for after, text in self.problem.hints if after <= wrong]


def mark(student, problem, tries, most=None, penalty=0.0):
    """The `Mark` for the tries of a learner, pairs (`Try`, result) in their order.

    The best try counts. most: tries that count, None for all; penalty: the share of the points that each wrong try
    before the best one costs. What the problem says about the two goes before. Tries that were not understood, or could
    not be graded, cost nothing.
    """
    most = problem.tries or most
    penalty = penalty if problem.penalty is None else problem.penalty
    points, looked_at, wrong = [], 0, []
    for _, result in tries:
        worth = round(problem.points * share(problem, result)[0] * max(0, 1 - penalty * sum(wrong)), 2)
        worth = int(worth) if worth == int(worth) else worth
        points.append(worth if most is None or looked_at < most else None)
        looked_at += result["verdict"] not in FREE
        wrong.append(result["verdict"] not in ("right", *FREE))
    places = [place for place, worth in enumerate(points) if worth is not None]
    if not places:
        return Mark(student, problem, tuple(tries), tuple(points), None, "missing")
    best = max(places, key=lambda place: (points[place], tries[place][1]["verdict"] == "right"))
    if not points[best] and tries[best][1]["verdict"] != "right":
        best = places[-1]                                  # none is worth anything: the learner reads about the last
    result = tries[best][1]
    cost = min(penalty * sum(wrong[:best]), 1)
    remarks = " ".join(filter(None, [share(problem, result)[1],
                                     f"Wrong tries before it cost {cost:.0%}." if cost else "",
                                     f"Only the first {most} tries count." if len(places) < len(points) else ""]))
    return Mark(student, problem, tuple(tries), tuple(points), best, result["verdict"],
                f"{result['message']} {remarks}".strip(), remarks)


def share(problem, result):
    """(the share of the points of a `Problem` that an answer is worth by itself, from 0 to 1; a sentence on how much of
    it is right, where that is a part).

    result: that of `workers`. Of a right answer all; of one that is wrong or incomplete the weight of the entries that
    are right, or the equations that hold, each said once, of those that are needed or, if these are more, were given.
    """
    if result["verdict"] == "right":
        return 1.0, ""
    if not problem.partial or result["verdict"] not in ("wrong", "incomplete"):
        return 0.0, ""
    entries, zeros = result["report"]["entries"], ""
    if result["report"]["independent"]:
        sort, (right, of) = "equations", result["report"]["independent"]
        worth = right / of
    else:
        sort, right, of, weights = "entries", sum(e["ok"] for e in entries), len(entries), weights_of(problem, entries)
        worth = sum(weight for weight, e in zip(weights, entries, strict=True) if e["ok"]) / (sum(weights) or 1)
        if right == of:                                    # something is wrong with the answer as a whole
            worth = 0.0
        zeros = " Zeros count for nothing." * (0 in weights)
    return worth, f"{right} of the {of} {sort} {'is' if right == 1 else 'are'} right.{zeros}" if 0 < worth < 1 else ""


def weights_of(problem, entries):
    """The weights of the entries of a report, a list: those that the problem states for entries, or for rows.

    By default they are 1, and 0 for an entry that has to be zero, so that an answer of zeros is worth nothing; if all
    have to be zero, 1.
    """
    right = [abs(entry["ours"] or 0) for entry in entries]
    plain = [float(value > _ZERO * max(right)) for value in right]
    plain = plain if any(plain) else [1.0] * len(entries)
    if not problem.weights:
        return plain
    if isinstance(problem.weights[0], (list, tuple)):
        return [float(problem.weights[entry["index"][0]][entry["index"][1]]) for entry in entries]
    rows = [entry["index"][0] for entry in entries]
    in_row = {row: sum(weight for weight, own in zip(plain, rows, strict=True) if own == row) for row in rows}
    return [problem.weights[row] * weight / (in_row[row] or 1) for weight, row in zip(plain, rows, strict=True)]


# A folder of submissions


COLUMNS = ("student", "problem", "title", "tries", "verdict", "points", "of", "message", "hints")
_PACKAGES = ("rbdlib", "numpy", "scipy", "sympy", "mpmath")


def grade(problems, submissions, out="grades.csv", log=None, time=TIME, memory=MEMORY, jobs=1, seed=0, bar=True,
          tries=None, penalty=0.0, report=None, gradebook=None, column=None):
    """Grade a folder of submissions; returns 0, the exit status.

    problems: a folder of problem files, or "rbdlib". submissions: a folder, see `submissions`. out: the CSV file.
    log: the file of the log; None for that of out with .jsonl. time: seconds, and memory: MiB, for each answer. jobs:
    answers looked at side by side. seed: for the random states. bar: whether to show a progress bar. tries: how many
    count, None for all, and penalty: the share of the points that a wrong one costs, where the problem does not say it.
    report: a folder for sheets and summaries, see `sheets`, or None. gradebook: a file of Canvas or Moodle, which is
    written to that folder with the points in a column, whose name is the folder's of problems by default; or None.
    Raises ValueError for bad problems, folders or limits; nothing that is handed in raises anything.
    """
    require_limits(time, memory, seed, tries, penalty, jobs)
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


def require_limits(time, memory, seed, tries, penalty, jobs=1):
    """Raise ValueError, which says what is wrong, for limits of `grade` that make no sense."""
    for name, value, least, most in (("time", time, 0.1, 86400), ("memory", memory, 64, 2**20), ("jobs", jobs, 1, 256),
                                     ("seed", seed, 0, 2**63), ("tries", 1 if tries is None else tries, 1, 100),
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


def task_of(problem, text, kind="text", time=TIME, memory=MEMORY, seed=0):
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


_SETUP = """#!/usr/bin/env bash
# Python 3.11 or newer, and what rbdlib needs, in the versions with which this file was made.
set -e
apt-get update
apt-get install -y python3.11 python3.11-venv || apt-get install -y python3 python3-venv
"$(command -v python3.11 || command -v python3)" -m venv /autograder/venv
/autograder/venv/bin/pip install {packages}
"""
_RUN = """#!/usr/bin/env bash
cd /autograder/source
/autograder/venv/bin/python -c 'from rbdlib.verification.coursework.grade import run_autograder as run; run({options})'
"""


def write_autograder(problems, out="autograder.zip", tries=None, penalty=0.0, time=TIME, memory=MEMORY, seed=0):
    """Write the zip file of an autograder for Gradescope; returns 0, the exit status.

    problems: a folder of problem files, or "rbdlib". out: the file, in which are

        setup.sh          installs Python and the libraries, once
        run_autograder    looks at /autograder/submission, and writes /autograder/results/results.json
        problems/         the problem files, with the models beside them
        rbdlib/           this rbdlib, so that a verdict is the same there as here

    The other arguments are those of `grade`. Raises ValueError for bad problems, folders or limits.
    """
    options = {"tries": tries, "penalty": penalty, "time": time, "memory": memory, "seed": seed}
    require_limits(**options)
    count = len(load_problems(problems))
    if not Path(out).absolute().parent.is_dir():
        raise ValueError(f"out is {out}, but there is no such folder. Make it first.")
    packages = " ".join(f"{name}=={version}" for name, version in versions().items()
                        if name in ("numpy", "scipy", "sympy", "mpmath")) + " tqdm tomli-w"
    scripts = {"setup.sh": _SETUP.format(packages=packages),
               "run_autograder": _RUN.format(options=", ".join(f"{name}={x}" for name, x in options.items()))}
    files = {f"problems/{file.name}": file for file in sorted(problem_folder(problems).glob("*.toml"))}
    files |= {f"rbdlib/{file.relative_to(PACKAGE).as_posix()}": file for file in sorted(PACKAGE.rglob("*"))
              if file.is_file() and "__pycache__" not in file.parts}
    files |= {f"rbdlib/data/{name}/{file.name}": file for name in ("models", "problems")
              for file in sorted(data_folder(name).glob("*.*"))}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**scripts, **files}.items():
            entry = zipfile.ZipInfo(name)                  # with a date that is always the same
            entry.external_attr = (0o755 if name in scripts else 0o644) << 16
            archive.writestr(entry, content if isinstance(content, str) else content.read_bytes(),
                             zipfile.ZIP_DEFLATED)
    print(f"{count} problems are in {out}, for the field 'Autograder zip file' of Gradescope.")
    return 0


def run_autograder(root="/autograder", tries=None, penalty=0.0, time=TIME, memory=MEMORY, seed=0):
    """Grade the submission of one learner, or group, whose it is Gradescope knows, and write the results for it.

    root: the folder in which there are source/problems, submission and results. The other arguments are those of
    `grade`.
    """
    root = Path(root)
    problems = load_problems(root / "source" / "problems")
    attempts, unread, _ = read_submissions(root / "submission", list(problems))
    tasks = [task_of(problems[attempt.problem], attempt.text, attempt.kind, time, memory, seed) for attempt in attempts]
    done = [*zip(attempts, results_of(tasks), strict=True)]
    marks = [mark("", problem, [pair for pair in done if pair[0].problem == id], tries, penalty)
             for id, problem in problems.items()]
    results = {"tests": [{"name": found.problem.title, "score": found.total, "max_score": found.problem.points,
                          "output": _output(found)} for found in marks],
               "output": "\n".join(f"{lost.file} could not be used: {lost.message}" for lost in unread)}
    (root / "results").mkdir(exist_ok=True)
    (root / "results" / "results.json").write_text(json.dumps(results, indent=2), encoding="utf-8")


def _output(found):
    """What a learner reads about a problem: the sentence, the report on the try that counts, and hints."""
    if found.counted is None:
        return "Nothing was handed in for this problem."
    result = found.tries[found.counted][1]
    return "\n\n".join(filter(None, [result.get("shown") or result["message"], found.remarks,
                                     *(f"Hint: {hint}" for hint in found.hints)]))
