"""The command line of `verify` and `grade`.

    python -m rbdlib verify --model double_pendulum --quantity H answer.txt
    python -m rbdlib verify --model pendulum --steps --given "theta = q1" derivation.txt
    python -m rbdlib grade problems/ submissions/ --out grades.csv

The exit status of ``verify`` is 0 if the answer is right, 1 if it is wrong, 2 if it is not understood or if the
arguments are wrong; that of ``grade`` is 0 if every submission was looked at.
"""

import argparse
import io
import sys
from pathlib import Path

from rbdlib.verification.encodings import decoded

RIGHT, WRONG, NOT_UNDERSTOOD = 0, 1, 2
#: Longer files are not read.
MOST_BYTES = 1_000_000


class BadArgument(ValueError):
    """An argument of the command line that cannot be used."""


def main(arguments=None):
    """Run the command line. arguments: a list of text; None for those of the program. Returns the exit status."""
    _in_utf8()
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except (BadArgument, ValueError, TypeError) as error:
        print(f"rbdlib: {error}", file=sys.stderr)
        return NOT_UNDERSTOOD


def _in_utf8():
    """Let ticks and Greek letters through where the terminal has another encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


def _parser():
    parser = argparse.ArgumentParser(prog="python -m rbdlib", description="Verify hand derivations, and grade them.")
    commands = parser.add_subparsers(required=True, metavar="command")
    verify = commands.add_parser("verify", help="is a formula derived by hand right?",
                                 epilog="Exit status: 0 right, 1 wrong, 2 not understood or bad arguments.")
    verify.add_argument("answer", help="a text file with the answer, or - for standard input")
    verify.add_argument("--model", required=True, help="a model of rbdlib, such as double_pendulum, or a TOML file")
    verify.add_argument("--quantity", help="what is verified: H, C, g, tau, qdd, 'equations of motion', T, V, L, ...")
    verify.add_argument("--steps", action="store_true", help="the answer is a derivation: verify it line by line")
    verify.add_argument("--given", action="append", default=[], help="your own names, such as 'theta2 = q1 + q2'")
    verify.add_argument("--seed", type=int, default=0, help="whole number, for the random states")
    verify.add_argument("--json", action="store_true", help="print the report as JSON")
    verify.set_defaults(run=_verify)
    grade = commands.add_parser("grade", help="grade a folder of submissions")
    grade.add_argument("problems", help="a folder of problem files (TOML), or 'rbdlib' for those that come with it")
    grade.add_argument("submissions", help="a folder with text files, notebooks, or a folder for each learner")
    grade.add_argument("--out", default="grades.csv", help="the table of points, a CSV file (grades.csv)")
    grade.add_argument("--log", help="the log, from which every result can be had again (--out with .jsonl)")
    grade.add_argument("--time", type=float, default=20, help="seconds for each answer (20)")
    grade.add_argument("--memory", type=int, default=1024, help="MiB for each answer (1024)")
    grade.add_argument("--jobs", type=int, default=1, help="answers that are looked at side by side (1)")
    grade.add_argument("--seed", type=int, default=0, help="whole number, for the random states")
    grade.add_argument("--quiet", action="store_true", help="no progress bar")
    grade.set_defaults(run=_grade)
    return parser


def _verify(options):
    if options.steps == bool(options.quantity):
        raise BadArgument("name what is verified with --quantity, or say --steps for a derivation; one of the two.")
    if options.seed < 0:
        raise BadArgument(f"--seed is {options.seed}; give a whole number that is not negative.")
    model, answer, given = model_called(options.model), _answer(options.answer), options.given or None
    if options.steps:
        from rbdlib.verification.steps import verify_steps

        found = verify_steps(model, answer, given, options.seed)
        wrong = any(line.status == "does not follow" for line in found.lines)
        status = RIGHT if found.ok else WRONG if wrong else NOT_UNDERSTOOD
    else:
        from rbdlib.verification.report import report

        found = report(model, options.quantity, answer, given, options.seed)
        status = {"right": RIGHT, "wrong": WRONG, "not understood": NOT_UNDERSTOOD}[found.verdict]
    print(found.to_json(indent=2) if options.json else found)
    return status


def _grade(options):
    from rbdlib.verification.grade import grade

    return grade(options.problems, options.submissions, options.out, options.log, options.time, options.memory,
                 options.jobs, options.seed, not options.quiet)


def model_called(name):
    """The model with symbols that has this name in rbdlib, or that stands in this TOML file. Raises ValueError."""
    from rbdlib.model import Model, ModelError
    from rbdlib.model_file import load

    try:
        return Model.load(name, symbolic=True) if name.endswith(".toml") else load(name, symbolic=True)
    except ModelError as error:
        raise BadArgument(f"--model: {error}") from None


def _answer(name):
    if name == "-":
        return _text(sys.stdin.buffer.read(MOST_BYTES + 1), "the standard input")
    return read_file(Path(name))


def read_file(path):
    """The text of a file that is not too long. Raises `BadArgument`, a ValueError."""
    try:
        with path.open("rb") as file:
            return _text(file.read(MOST_BYTES + 1), str(path))
    except OSError as error:
        raise BadArgument(f"{path} cannot be read: {error.strerror}.") from None


def _text(data, name):
    if len(data) > MOST_BYTES:
        raise BadArgument(f"{name} has more than {MOST_BYTES} bytes; an answer is a few lines.")
    try:
        return decoded(data, name)
    except ValueError as error:
        raise BadArgument(str(error)) from None
