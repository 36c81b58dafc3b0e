"""Makes the site in build/book/html: `make book`, or `python -m tools.book` in an environment that has Sphinx."""

import argparse
import os
import shutil
import sys
import time

from tools.book.assemble import PARTS, assemble
from tools.book.checks import problems
from tools.book.lighter import lighten
from tools.book.places import BUILD, HTML, MADE, SOURCE

#: How many problems of the finished site are printed.
LISTED = 40


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tools.book", description=__doc__)
    parser.add_argument("--pages-only", action="store_true", help="write what Sphinx reads, and stop there")
    parser.add_argument("--fresh", action="store_true", help="forget earlier runs")
    parser.add_argument("--without", metavar="PART", nargs="+", choices=PARTS, default=(),
                        help=f"leave a part out: {', '.join(PARTS)}")
    options = parser.parse_args(arguments)
    if options.fresh:
        for folder in (SOURCE, HTML, BUILD / "doctrees"):
            shutil.rmtree(folder, ignore_errors=True)
    start, begun = time.perf_counter(), time.time()
    assemble(options.without)
    print(f"The pages are put together in {SOURCE} ({time.perf_counter() - start:.0f} s).", flush=True)
    if options.pages_only:
        return 0
    from sphinx.cmd.build import main as sphinx

    status = sphinx(["-W", "--keep-going", "-q", "-b", "html", "-d", str(BUILD / "doctrees"), str(SOURCE), str(HTML)])
    found = []
    if status == 0:
        lighten(HTML)
        found = problems(HTML)
    for problem in found[:LISTED]:
        print(problem)
    if len(found) > LISTED:
        print(f"and {len(found) - LISTED} more of this kind")
    if status == 0 and not found:
        MADE.touch()
        os.utime(MADE, (begun, begun))
        print(f"The book is in {HTML / 'index.html'} ({time.perf_counter() - start:.0f} s).")
    return status or bool(found)


if __name__ == "__main__":
    sys.exit(main())
