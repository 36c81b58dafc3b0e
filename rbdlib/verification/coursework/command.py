"""The command line of `verify`, `problems`, `grade`, `again` and `where`: python -m rbdlib, with --help for each."""

import argparse
import io
import pkgutil
import sys
from pathlib import Path

from rbdlib.verification.coursework.files import MEMORY, TIME, BadArgument, model_called, read_file, text_of

RIGHT, WRONG, NOT_UNDERSTOOD = 0, 1, 2


def main(arguments=None, more=lambda commands: None):
    """Run the command line; returns the exit status.

    arguments: a list of text; None for those of the program. more: adds further commands to argparse's. What a command
    has for ``run`` is a function of its options by name, or "module:function", which is imported once it is run.
    """
    for stream in (sys.stdout, sys.stderr):                # ticks and Greek letters, whatever the terminal's encoding
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    options = vars(_parser(more).parse_args(arguments))
    run = options.pop("run")
    try:
        return (pkgutil.resolve_name(run) if isinstance(run, str) else run)(**options)
    except (BadArgument, ValueError, TypeError, OSError) as error:
        print(f"rbdlib: {error}", file=sys.stderr)
        return NOT_UNDERSTOOD


_VERIFY = """
examples:
  python -m rbdlib verify --model double_pendulum --quantity H answer.txt
  python -m rbdlib verify --model double_pendulum --quantity "equations of motion" --given "theta2 = q1 + q2" answer.txt
  python -m rbdlib verify --model my_robot.toml --quantity "J[2]" --json -
  python -m rbdlib verify --model simple_pendulum --steps derivation.txt

An answer is text as you would write it, "m1*l1^2 + ...", or LaTeX, in UTF-8 or UTF-16; the rows of a matrix stand on
lines of their own or between semicolons. It is read by a grammar and never run.

exit status: 0 right, 1 wrong, 2 not understood, or arguments that cannot be used
"""
_GRADE = """
example:
  python -m rbdlib grade problems/ submissions/ --out grades.csv

submissions/ada.txt               a line "problem: cart_pole_H" above each answer
submissions/ada.ipynb             a notebook, whose cells are tagged cart_pole_H (or problem:cart_pole_H)
submissions/ada/cart_pole_H.txt   a folder for each learner; further tries are cart_pole_H.2.txt, ...

A problem is a TOML file with title, model, quantity and text, and perhaps given, points, chapter, hints, partial,
weights, tries and penalty; its id is the name of the file. Entries and equations that are right are worth their share
of the points, unless the problem says "partial = false". Of several tries the best one counts. Nothing that is handed
in is run, and nothing that is handed in stops the run.

exit status: 0 if every submission was looked at, 2 for arguments that cannot be used
"""
_PROBLEMS = """
example:
  python -m rbdlib problems --templates rbdlib --students roster.txt --seed "a sentence of yours" --out problems/
  python -m rbdlib grade problems/ submissions/

roster.txt                 a student on each line, named as the file or folder that will be handed in
problems/ada/ada.html      the sheet for this student, to be read or printed
problems/ada/NAME.toml     the student's problems, for grade; what is handed in says "problem: NAME", as always

The same seed makes the same problems on every machine: keep it to yourself. Folders that are there already stay as they
are, so students may be added to the roster later.
"""

_AUTOGRADER = """
example:
  python -m rbdlib autograder problems/ --out autograder.zip

Upload the file in Gradescope, "Configure Autograder". Students hand in text files or notebooks, as for grade. Tries are
those within one submission. For otter-grader: python -m rbdlib.exercises.otter --help
"""


def _parser(more):
    parser = argparse.ArgumentParser(
        prog="python -m rbdlib", description="Verify hand derivations, grade them, look things up.",
        epilog="'python -m rbdlib verify --help' says more about a command.")
    commands = parser.add_subparsers(required=True, metavar="command")

    plain = argparse.RawDescriptionHelpFormatter

    def command(run, name, words, epilog):
        made = commands.add_parser(name, help=words, epilog=epilog, formatter_class=plain)
        made.set_defaults(run=run)
        return made.add_argument

    add = command(_verify, "verify", "is a formula derived by hand right, and if not, where is it wrong?", _VERIFY)
    add("answer", help="a text file with the answer, or - for standard input")
    add("--model", required=True, help="a model of rbdlib, such as double_pendulum, or a TOML file")
    add("--quantity", help="what is verified: H, C, g, tau, qdd, 'equations of motion', T, V, L, ...")
    add("--steps", action="store_true", help="the answer is a derivation: verify it line by line")
    add("--given", action="append", default=[], metavar="EQUATION",
        help="your own names, such as 'theta2 = q1 + q2'; may be repeated")
    add("--questions", action="store_true", help="do not show what would be right, only ask")
    add("--seed", type=int, default=0, help="whole number, for the random states (0)")
    add("--json", action="store_true", help="print the report as JSON")
    add = command(f"{__package__}.grade:grade", "grade", "grade a folder of submissions", _GRADE)
    add("problems", help="a folder of problem files (TOML), or 'rbdlib' for those that come with it")
    add("submissions", help="a folder with text files, notebooks, or a folder for each learner")
    add("--out", default="grades.csv", metavar="FILE", help="the table of points (grades.csv)")
    add("--log", metavar="FILE",
        help="the log, from which every result can be had again (--out with the ending .jsonl)")
    add("--report", metavar="FOLDER", help="write a sheet for each learner, totals and a summary")
    add("--gradebook", metavar="FILE",
        help="a CSV file exported from Canvas or Moodle, to be written to the report with points in it")
    add("--column", metavar="NAME", help="of the gradebook, for the points (the folder of problems)")
    add("--jobs", type=int, default=1, help="answers that are looked at side by side (1)")
    add("--quiet", action="store_false", dest="bar", help="no progress bar")
    _add_points(add)
    add = command(f"{__package__}.grade:write_autograder", "autograder",
                  "make a zip file with which Gradescope grades", _AUTOGRADER)
    add("problems", help="a folder of problem files (TOML), or 'rbdlib'")
    add("--out", default="autograder.zip", metavar="FILE", help="the zip file (autograder.zip)")
    _add_points(add)
    add = command(_problems, "problems", "problems from templates, others for each student", _PROBLEMS)
    add("--templates", default="rbdlib", metavar="FOLDER", help="a folder of templates (rbdlib)")
    add("--only", nargs="+", metavar="NAME", help="of these templates (all)")
    add("--difficulty", nargs="+", type=int, default=[1, 2, 3], metavar="N", help="1, 2, 3 (all)")
    add("--students", required=True, metavar="FILE", help="the roster, a text file")
    add("--seed", required=True, metavar="TEXT", help="any text, which the students do not know")
    add("--out", default="problems", metavar="FOLDER", help="is made if need be (problems)")
    add = command(_again, "again", "repeat every result of a log of grade, and say which differ",
                  "exit status: 0 if all are the same, 1 if not")
    add("log", help="the log, such as grades.jsonl")
    add = command(_where, "where", "in which file, test and notebook an equation, a table or a term stands",
                  "exit status: 0 if there is an answer, 1 if there is none")
    add("query", nargs="+", help="such as 'Table 7.1', 7.43, 'MBT 42', crf, articulated-body inertia")
    more(commands)
    return parser


def _add_points(add):
    """The options on which points and results depend."""
    add("--tries", type=int, metavar="N", help="tries that count, where the problem is silent (all)")
    add("--penalty", type=float, default=0.0, metavar="SHARE",
        help="of the points, for each wrong try, where the problem is silent (0)")
    add("--time", type=float, default=TIME, metavar="SECONDS", help=f"for each answer ({TIME})")
    add("--memory", type=int, default=MEMORY, metavar="MIB", help=f"for each answer, in MiB ({MEMORY})")
    add("--seed", type=int, default=0, help="whole number, for the random states (0)")


def _verify(model, answer, quantity, steps, given, questions, seed, json):
    if steps == bool(quantity):
        raise BadArgument("name what is verified with --quantity, or say --steps for a derivation; one of the two.")
    if seed < 0:
        raise BadArgument(f"--seed is {seed}; give a whole number that is not negative.")
    model = model_called(model)
    answer = text_of(sys.stdin.buffer, "the standard input") if answer == "-" else read_file(Path(answer))
    if steps:
        from rbdlib.verification.derivations.derivation import verify_steps

        found = verify_steps(model, answer, given, seed)
        wrong = any(line.status == "does not follow" for line in found.lines)
        status = RIGHT if found.ok else WRONG if wrong else NOT_UNDERSTOOD
    else:
        from rbdlib.verification.reports.report import verify

        found = verify(model, quantity, answer, given, seed, reveal=not questions)
        status = {"right": RIGHT, "not understood": NOT_UNDERSTOOD}.get(found.verdict, WRONG)
    print(found.to_json(indent=2) if json else found)
    return status


def _problems(templates, only, difficulty, students, seed, out):
    from rbdlib.verification.coursework.templates import load_templates, read_roster, write_problems

    templates, students = load_templates(templates), read_roster(students)
    if unknown := set(only or ()) - set(templates):
        raise BadArgument(f"--only: there is no template {', '.join(sorted(unknown))}; choose from "
                          f"{', '.join(templates)}.")
    chosen = [template for name, template in templates.items()
              if name in (only or templates) and template.difficulty in difficulty]
    if not chosen:
        raise BadArgument("--difficulty: there is no such template; choose from 1, 2, 3.")
    written = write_problems(chosen, students, seed, out)
    print(f"{len(chosen)} problems for each of {written} students are in {out}."
          + (f" {len(students) - written} had theirs already." if written < len(students) else ""))
    return RIGHT


def _where(query):
    from rbdlib.texts.lookup.where import where

    found = where(" ".join(query))
    print(found)
    return 0 if found else 1


def _again(log):
    from rbdlib.verification.coursework.grade import again

    same = []
    try:
        for record, result in again(log):
            before, now = record["result"]["verdict"], result["verdict"]
            same.append(before == now)
            if before != now:
                print(f"{record['student']}, {record['problem']}, {record['file']}: was {before}, is now {now}.")
    except OSError as error:
        raise BadArgument(f"{log} cannot be read: {error.strerror}.") from None
    except (KeyError, TypeError, ValueError):
        raise BadArgument(f"{log} is no log of 'python -m rbdlib grade'.") from None
    print(f"{sum(same)} results are the same, {len(same) - sum(same)} differ.")
    return RIGHT if all(same) else WRONG
