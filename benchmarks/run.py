"""Everything about speed in one run and one table: python -m benchmarks.run (see README.md here)."""

import argparse
import os
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

# One thread each, and this must be settled before NumPy starts.
for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

SECTIONS = ("arm", "humanoid", "calls", "numpy", "readable", "counts", "scaling", "compile")
MEANING = """arm, humanoid: batches against Pinocchio and CasADi; calls: one state at a time from Python against
Pinocchio; numpy: the NumPy backend against NumPy by hand; readable: rnea against other libraries in Python; counts:
operations against RBDA Table 10.1; scaling: chains of up to 1000 bodies; compile: how long compiling takes"""


def main(arguments=None):
    """Measure, print, and save the table if asked to. Returns the exit status: 1 if a figure is missed."""
    options = _options(arguments)
    rows = []
    with tempfile.TemporaryDirectory(prefix="rbdlib-benchmarks-") as temporary:
        folder = Path(options.work or temporary).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for section in options.only:
            print(f"{section} ...", file=sys.stderr, flush=True)
            rows += measure(section, folder, options)
    from benchmarks.table import as_text

    text = f"{setting()}\n\n{as_text(rows)}\n"
    print(text)
    if options.save:
        Path(options.save).write_text(text, encoding="utf-8")
    return any(row.verdict == "MISSED" for row in rows)


def _options(arguments):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__, epilog=MEANING)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, metavar="SECTION",
                        help=f"some of: {', '.join(SECTIONS)}")
    parser.add_argument("--rounds", type=int, default=25, help="how often each program has its turn (default 25)")
    parser.add_argument("--save", metavar="FILE", help="write the table to this file too")
    parser.add_argument("--work", metavar="FOLDER", help="keep the compiled peers here, for the next run")
    parser.add_argument("--sizes", type=int, nargs="+", default=range(2, 21), help="n of GU(n) in counts (2 ... 20)")
    parser.add_argument("--chains", type=int, nargs="+", default=(1, 10, 100, 1000),
                        help="how many bodies the compiled chains have (1 10 100 1000)")
    return parser.parse_args(arguments)


def measure(section, folder, options):
    """The rows of one section. Imports here keep a section from asking for the programs of another."""
    from benchmarks import models

    rounds = options.rounds
    if section in ("arm", "humanoid"):
        from benchmarks import batches, peers_pinocchio

        case = getattr(models, section)(folder)
        return [*batches.against_pinocchio(case, peers_pinocchio.load_loops(folder), rounds),
                *batches.against_casadi(case, folder, rounds)]
    if section == "calls":
        from benchmarks import single_calls

        return single_calls.against_pinocchio(models.arm(folder), rounds)
    if section == "numpy":
        from benchmarks import batches

        return batches.against_numpy(models.arm(folder), rounds)
    if section == "readable":
        from benchmarks import single_calls

        return single_calls.of_readable(models.arm(folder), rounds)
    return _without_peers(section, folder, options)


def _without_peers(section, folder, options):
    from benchmarks import compile_time, counts, models, scaling

    if section == "counts":
        return counts.rows(options.sizes)
    if section == "scaling":
        return scaling.rows(options.chains, options.rounds)
    return compile_time.rows(models.arm(folder).name)


def setting():
    """The machine, the compilers and the versions of everything, as lines of text."""
    from benchmarks.compilers import FLAGS, compiler_version, processor
    from rbdlib.codegen.c_compiler import find_compiler, flags

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
