"""Checks of the projects: `python teaching/projects/check.py swing_up my_file.py` says what works and how many points.

A project's folder has ``checks.py`` with ``CHECKS``, a tuple of (points, statement, function). Each function gets the
module that was handed in and raises an exception if the statement does not hold. The file is imported, and so it is
run: grade the work of others only where it can do no harm.
"""

import importlib.util
import sys
import time
import traceback
from pathlib import Path

import rbdlib

FOLDER = Path(__file__).resolve().parent
PACKAGE = Path(rbdlib.__file__).parent          # not any folder of that name: a clone has it, too
PROJECTS = tuple(sorted(path.parent.name for path in FOLDER.glob("*/checks.py")))


def load(path, name):
    """The module in a file, run under this name. Raises ValueError if there is no such file, or if it stops."""
    if not Path(path).is_file():
        raise ValueError(f"There is no file {path}. Copy the project's starter.py and work in the copy.")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise ValueError(f"{path} cannot be imported, so nothing was checked: {_words(error)}. Run the file by itself "
                         "first; what it does as a program belongs below `if __name__ == \"__main__\":`.") from error
    return module


def run(project, path):
    """The results of all checks of a project on a file: a list of (points, of, statement, message, seconds).

    Raises ValueError if there is no such project or file.
    """
    if project not in PROJECTS:
        raise ValueError(f"There is no project {project!r}; there are {', '.join(PROJECTS)}.")
    if str(FOLDER / project) not in sys.path:
        sys.path.insert(0, str(FOLDER / project))               # for files that belong to the project
    checks = load(FOLDER / project / "checks.py", f"{project}_checks").CHECKS
    work = load(path, f"{project}_work")
    return [_result(points, statement, function, work) for points, statement, function in checks]


def _result(points, statement, function, work):
    start, holds = time.perf_counter(), False
    try:
        function(work)
        holds, message = True, ""
    except NotImplementedError:
        message = "not written yet"
    except (Exception, SystemExit) as error:
        message = _words(error)
    return (points if holds else 0), points, statement, message, time.perf_counter() - start


def _words(error):
    """What went wrong and, unless the words say it already, in which line outside the libraries."""
    text = str(error).strip()
    if isinstance(error, AssertionError) and text:
        return text
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, SyntaxError):
        return said
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_of_a_library(frame.filename)]
    return f"{said} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"


def _is_of_a_library(name):
    parents = Path(name).parents
    return name.startswith("<") or PACKAGE in parents or any(parent.name == "site-packages" for parent in parents)


def main(arguments):
    """Print the results. Returns the exit status: 0 if all checks pass, 1 if not, 2 for bad arguments."""
    if len(arguments) != 2:
        print(f"Usage: python teaching/projects/check.py PROJECT FILE, with one of {', '.join(PROJECTS)}.")
        return 2
    try:
        results = run(*arguments)
    except ValueError as error:
        print(error)
        return 2
    for points, of, statement, message, seconds in results:
        print(f"{'✓' if points else '✗'} {points}/{of}  {statement} ({seconds:.1f} s)")
        if message:
            print(f"       {message}")
    total, most = sum(result[0] for result in results), sum(result[1] for result in results)
    print(f"{total} of {most} points; the report is marked by hand.")
    scoreboard = getattr(sys.modules[f"{arguments[0]}_checks"], "scoreboard", None)
    if scoreboard and total == most:
        for name, value in scoreboard(sys.modules[f"{arguments[0]}_work"]).items():
            print(f"    {name:<20} {value:10.3f} µs for a state")
    return 0 if total == most else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
