"""Makes the JupyterLite site in build/lite: `make lite`, or `python -m tools.lite` where JupyterLite is installed."""

import argparse
import os
import shlex
import sys
import time

from tools.lite.links import VARIABLE, repository
from tools.lite.places import NOTEBOOKS


def parse(arguments):
    parser = argparse.ArgumentParser(prog="python -m tools.lite", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="NN", default=(), help="numbers of notebooks, such as 01 09 A")
    parser.add_argument("--repository", metavar="URL", default=os.environ.get(VARIABLE, ""),
                        help=f"the project's public address, for copies that Colab opens (default: {VARIABLE})")
    parser.add_argument("--pyodide", metavar="PLACE",
                        help="Pyodide's full distribution, an archive or a folder: the site then needs no other")
    return parser.parse_args(arguments)


def chosen(numbers):
    """The file names of notebooks by number. Raises SystemExit for a number that none has."""
    names = {path.name.partition("_")[0]: path.name for path in sorted(NOTEBOOKS.glob("*.ipynb"))}
    unknown = [number for number in numbers if number not in names]
    if unknown:
        raise SystemExit(f"--only {' '.join(unknown)}: there is no such notebook; there are {', '.join(names)}.")
    return [names[number] for number in numbers]


def serving(site):
    """The command that serves the site, ready to be pasted."""
    return shlex.join([sys.executable, "-m", "http.server", "--directory", str(site), "8000"])


def main(arguments=None):
    options = parse(arguments)
    names = chosen(options.only)
    try:
        home = repository(options.repository) if options.repository else None
    except ValueError as error:
        raise SystemExit(str(error)) from None
    try:
        from tools.lite.site import make
    except ModuleNotFoundError as error:
        raise SystemExit(f"{error.name} is missing here; `make lite` installs it in .venv-lite.") from None
    start = time.perf_counter()
    site = make(names, home, options.pyodide)
    print(f"The site is in {site} ({time.perf_counter() - start:.0f} s). Look at it by")
    print("   ", serving(site))
    print("and open http://localhost:8000/lab/index.html?path=00_start_here.ipynb in a browser.")
    if home is None:
        print(f"No copies for Colab: neither --repository nor {VARIABLE} says where the project is.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
