"""The command line of ``make student``: ``python -m tools.teaching [--only NN ...] [--out FOLDER]``."""

import argparse
import sys
from pathlib import Path

import nbformat

from tools.teaching.versions import exercise_in, solution_version, student_version

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = {"student": student_version, "solution": solution_version}


def main(arguments=None):
    """Write both versions of the notebooks. arguments: a list of text. Returns the exit status, 2 for bad arguments."""
    parser = argparse.ArgumentParser(prog="python -m tools.teaching", description="Student and solution versions of "
                                     "the notebooks, for nbgrader or for handing out as they are.")
    parser.add_argument("--only", nargs="+", metavar="NN", default=(), help="numbers of notebooks, such as 01 09 A")
    parser.add_argument("--out", type=Path, default=ROOT / "build/teaching", help="the folder (build/teaching)")
    options = parser.parse_args(arguments)
    paths = sorted((ROOT / "notebooks").glob("*.ipynb"))
    known = [path.name.partition("_")[0] for path in paths]
    unknown = [number for number in options.only if number not in known]
    if unknown:
        print(f"--only {' '.join(unknown)}: there is no such notebook; there are {', '.join(known)}.", file=sys.stderr)
        return 2
    chosen = [path for path, number in zip(paths, known, strict=True) if not options.only or number in options.only]
    count = sum(write_versions(path, options.out) for path in chosen)
    print(f"{len(chosen)} notebooks with {count} exercises, in {options.out}/student and {options.out}/solution.")
    return 0


def write_versions(path, out):
    """Write both versions of the notebook at path into folders of out; returns the number of its exercises."""
    notebook = nbformat.read(path, as_version=4)
    for name, version in VERSIONS.items():
        made = version(notebook)
        nbformat.validate(made)
        folder = Path(out) / name
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(made, folder / path.name)
    return sum(exercise_in(cell) is not None for cell in notebook.cells)


if __name__ == "__main__":
    sys.exit(main())
