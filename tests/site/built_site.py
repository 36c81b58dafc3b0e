"""The site that `make book` has made, for the tests that look at the finished pages."""

import os
from functools import cache
from pathlib import Path

import pytest

from tools.book.places import HTML, MADE, ROOT

#: What the pages are made from, beside what these tests are made of.
SOURCES = ("docs", "notebooks", "rbdlib", "data", "teaching", "tests/sources", "tools/book", "tools/teaching")
#: Pages of every kind, by their paths from the site's root.
PAGES = (
    "index.html", "start.html", "lookup.html", "symbols.html", "terms.html", "glossary.html", "conventions.html",
    "search.html?q=crba", "ledger/index.html", "ledger/sources.html", "ledger/rbda-07.html", "ledger/soa.html",
    "errata/index.html", "errata/rbda-08.html", "api/index.html", "api/rbdlib.html",
    "api/rbdlib.book.ch07_articulated_body.html", "api/rbdlib.book.ch02_spatial.html",
    "source/rbdlib/book/ch07_articulated_body.html", "source/rbdlib/book/ch04_model.html",
    "live/all_figures.html", "live/double_pendulum.html", "live/four_bar.html", "live/tree_sparsity.html",
    "teaching/guide.html", "teaching/mistakes.html", "teaching/exercises.html", "teaching/exercises/rbda07.html",
    "teaching/projects.html", "developers/architecture.html", "developers/add_a_joint.html", "developers/ledger.html",)
NOTEBOOKS = tuple(f"notebooks/{path.stem}.html" for path in sorted((ROOT / "notebooks").glob("*.ipynb")))


@cache
def newest():
    """The newest file below the folders; the README is also part of the first page."""
    return max((ROOT / "README.md", *(path for folder in SOURCES for path in (ROOT / folder).rglob("*")
                if path.is_file() and path.suffix != ".pyc")), key=lambda path: path.stat().st_mtime)


def built_site():
    """The folder of the site: what RBDLIB_SITE names, or, for `make test-browser` alone, build/book/html.
    What lies in build/ decides nothing in `make test`. Skips if there is no site, or an old one."""
    if named := os.environ.get("RBDLIB_SITE"):
        folder = Path(named).resolve()
        if not (folder / "index.html").is_file():
            raise ValueError(f"RBDLIB_SITE is {named!r}, where there is no index.html; it must name the folder of a "
                             "site that `make book` has made, such as build/book/html.")
        return folder
    if os.environ.get("RBDLIB_BROWSER") != "needed":
        pytest.skip("`make test-browser` looks at the site that `make book` has made.")
    if not MADE.exists() or not (HTML / "index.html").exists():
        pytest.skip("There is no site in build/book/html: make book first.")
    if newest().stat().st_mtime > MADE.stat().st_mtime:
        pytest.skip(f"The site is older than {newest().relative_to(ROOT)}: make book first.")
    return HTML
