"""Everything about speed in one run and one table: python -m benchmarks.run (see README.md here)."""

import argparse
import os
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from benchmarks.sections import SECTIONS, measured

#: Libraries that would otherwise use several threads.
THREADED = ("OMP", "OPENBLAS", "MKL", "NUMBA")


def main(arguments=None):
    """Measure, print each section when it is done and all of them at the end, and save the table if asked to.

    Returns the exit status: 1 if a figure is missed or could not be measured.
    """
    options = _options(arguments)
    os.environ.update({f"{library}_NUM_THREADS": "1" for library in THREADED})      # before NumPy starts
    from benchmarks.table import as_text

    rows = []
    with tempfile.TemporaryDirectory(prefix="rbdlib-benchmarks-") as temporary:
        folder = Path(options.work or temporary).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["RBDLIB_CACHE"] = str(folder / "cache")
        for section in options.only:
            print(f"{section}: {SECTIONS[section]} ...", file=sys.stderr, flush=True)
            rows += (found := measured(section, folder, options))
            print(as_text(found), end="\n\n", file=sys.stderr, flush=True)
    text = f"{setting()}\n\n{as_text(rows)}\n"
    print(text)
    if options.save:
        Path(options.save).write_text(text, encoding="utf-8")
    return int(any(row.failed or row.verdict == "MISSED" for row in rows))


def _options(arguments):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__,
                                     epilog="; ".join(f"{name}: {what}" for name, what in SECTIONS.items()))
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS), metavar="SECTION",
                        help=f"some of: {', '.join(SECTIONS)}")
    parser.add_argument("--rounds", type=int, default=25, help="how often each program has its turn (default 25)")
    parser.add_argument("--save", metavar="FILE", help="write the table to this file too")
    parser.add_argument("--work", metavar="FOLDER", help="keep what is compiled here, for the next run")
    parser.add_argument("--sizes", type=int, nargs="+", default=range(2, 21), help="n of GU(n) in counts (2 ... 20)")
    parser.add_argument("--chains", type=int, nargs="+", default=(1, 10, 100, 1000),
                        help="how many bodies the compiled chains have (1 10 100 1000)")
    return parser.parse_args(arguments)


def setting():
    """The machine, the compilers and the versions of everything, as lines of text."""
    from benchmarks.compilers import FLAGS, compiler_version, processor
    from rbdlib.compile.c_compiler import find_compiler, flags

    ours = find_compiler()
    installed = ("numpy", "numba", "pin", "cmeel-eigen", "casadi", "adam-robotics", "modern_robotics",
                 "roboticstoolbox-python", "rbdlib")
    return "\n".join([
        f"Processor: {processor()}, one core",
        f"Python {sys.version.split()[0]}; " + ", ".join(map(_version, installed)),
        *(f"peers: {compiler_version(name)} {' '.join(FLAGS)}" for name in ("gcc", "g++")),
        f"rbdlib: {Path(ours).name} {' '.join(flags())}" if ours else "rbdlib: no C compiler",
        "Processor times, medians of alternating turns, per state. ratio: theirs / ours; of best: that of the minima."])


def _version(name):
    try:
        return f"{name} {version(name)}"
    except ImportError:
        return f"{name} not installed"


if __name__ == "__main__":
    sys.exit(main())
