"""An autograder for Gradescope: a zip file with problems and rbdlib in it, and what it does with a submission there.

    setup.sh          installs Python and the libraries, once
    run_autograder    looks at what lies in /autograder/submission, and writes /autograder/results/results.json
    problems/         the problem files, with the models beside them
    rbdlib/           this rbdlib, so that a verdict is the same there as here

Every file of a submission is read as `submissions` says; whose it is, Gradescope knows.
"""

import json
import zipfile
from pathlib import Path

from rbdlib.io.data import PACKAGE, data_folder
from rbdlib.verification.coursework.grade import require_limits, task_of, versions
from rbdlib.verification.coursework.points import mark
from rbdlib.verification.coursework.problems import load_problems, problem_folder
from rbdlib.verification.coursework.submissions import read_submissions
from rbdlib.verification.coursework.workers import results_of

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
/autograder/venv/bin/python -c 'from rbdlib.verification.coursework.autograder import run; run({options})'
"""
_MISSING = "Nothing was handed in for this problem."


def write_autograder(problems, out="autograder.zip", tries=None, penalty=0.0, time=20, memory=1024, seed=0):
    """Write the zip file of an autograder; returns 0, the exit status.

    problems: a folder of problem files, or "rbdlib". out: the file. The other arguments are those of `grade.grade`.
    Raises ValueError for bad problems, folders or limits.
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


def run(root="/autograder", tries=None, penalty=0.0, time=20, memory=1024, seed=0):
    """Grade the submission of one learner, or group, and write the results as Gradescope reads them.

    root: the folder in which there are source/problems, submission and results. The other arguments are those of
    `grade.grade`.
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
        return _MISSING
    result = found.tries[found.counted][1]
    return "\n\n".join(filter(None, [result.get("shown") or result["message"], found.remarks,
                                     *(f"Hint: {hint}" for hint in found.hints)]))
