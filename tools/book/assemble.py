"""Puts together what Sphinx reads: docs/, the notebooks, and the pages that are made from the ledger and the code."""

import importlib
import importlib.util
import json
import re
import shutil

from tools.book.api_pages import api_pages, names_of
from tools.book.errata_pages import errata_pages
from tools.book.ledger_data import Book
from tools.book.ledger_pages import ledger_pages, section_target
from tools.book.places import BUILD, DOCS, EXTRA, NOTEBOOKS, ROOT, SOURCE, remove_others, write_if_changed
from tools.book.reading_pages import reading_page
from tools.book.source_pages import source_page, write_sources
from tools.book.symbol_pages import symbols_page
from tools.book.vendor import write_mathjax

#: Modules of this package that add files of their own, if they are there: each has write(folder) -> paths written.
PARTS = ("browser", "live", "teaching")
#: The places of docs/index.md where a part of the README is to stand.
INCLUDED = re.compile(r"^```\{include\} \.\./README\.md\n:start-after: (.*)\n:end-before: (.*)\n```$", re.MULTILINE)


def assemble(without=()):
    """Writes build/book/source and build/book/extra; files that did not change keep their times.

    without: names of `PARTS` to leave out.
    """
    book = Book()
    written = [copy(path, SOURCE / path.relative_to(DOCS)) for path in _sources_of(DOCS)
               if path != DOCS / "index.md" and path.relative_to(DOCS).parts[0] not in without]
    written += [write_if_changed(SOURCE / "notebooks" / path.name, for_the_site(path.read_text("utf-8")))
                for path in sorted(NOTEBOOKS.glob("*.ipynb"))]
    written.append(write_index(without))
    for path, text in generated(book).items():
        written.append(write_if_changed(SOURCE / path, text))
    for name in sorted({*PARTS} - {*without}):
        if importlib.util.find_spec(f"tools.book.{name}"):
            written += importlib.import_module(f"tools.book.{name}").write(SOURCE)
    remove_others(SOURCE, written)
    write_if_changed(BUILD / "index.json", json.dumps(index(book), indent=0, sort_keys=False))
    write_sources(book)
    write_if_changed(EXTRA / "_static/source.css", source_style())
    write_mathjax()
    return book


def _sources_of(folder):
    return [path for path in sorted(folder.rglob("*"))
            if path.is_file() and not any(part.startswith(".") or part == "__pycache__" for part in path.parts)]


def copy(path, target):
    """Copies a file, unless the copy is there already; returns the copy."""
    if not target.exists() or target.stat().st_mtime != path.stat().st_mtime:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    return target


def for_the_site(text):
    """A notebook whose links lead to pages of the site, and whose folded cells bear the title of their first line."""
    for file, page in (("../data/errata.csv", "../errata/index.md"),
                       ("../data/errata_dismissed.csv", "../errata/index.md#dismissed"), ("../docs/", "../")):
        text = text.replace(f"]({file}", f"]({page}")
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        first = cell["source"][0] if cell["cell_type"] == "code" and cell["source"] else ""
        if first.startswith("# @title "):
            title = first.removeprefix("# @title ").strip()
            cell["metadata"]["mystnb"] = {"code_prompt_show": title, "code_prompt_hide": title}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def write_index(without=()):
    text = with_parts_of((ROOT / "README.md").read_text("utf-8"), (DOCS / "index.md").read_text("utf-8"))
    return write_if_changed(SOURCE / "index.md", without_empty_parts(text, DOCS, without))


def with_parts_of(readme, page):
    """The first page with the parts of the README that it names, whose links lead to pages of the site."""

    def part(found):
        _, begins, rest = readme.partition(found[1])
        text, ends, _ = rest.partition(found[2])
        if not (begins and ends):
            raise ValueError(f"README.md has no part from {found[1]} to {found[2]}; docs/index.md includes it.")
        return text.strip().replace("](docs/", "](")

    return INCLUDED.sub(part, page)


def without_empty_parts(text, folder, without=()):
    """A page without the entries of its tables of contents that match no page: a part may be still to be written."""

    def has_page(entry):
        return entry.partition("/")[0] not in without and any(folder.glob(f"{entry}.md"))

    def kept(block):
        lines = [line for line in block[0].splitlines() if "*" not in line or has_page(line)]
        return "\n".join(lines) if any(line and line[0] not in ":`" for line in lines) else ""

    return re.sub(r"^```\{toctree\}\n.*?^```$", kept, text, flags=re.MULTILINE | re.DOTALL)


def generated(book):
    """{path: Markdown} of all generated pages."""
    return ledger_pages(book) | errata_pages(book) | api_pages(book) | {"symbols.md": symbols_page(),
                                                                        "reading.md": reading_page()}


def index(book):
    """Where rows, sections and names are to be found: what our Sphinx extension makes links from."""
    sections = {}
    for chapter in book.chapters:
        for row in chapter.rows:
            place = f"{chapter.page}.html#{section_target(row.text, row.section)}"
            for part in (row.section, row.section.split(" ")[0]):
                sections.setdefault(f"{row.text} {part}", place)
        for row in chapter.rows:
            sections.setdefault(f"{row.text} {row.chapter}", f"{chapter.page}.html")
    sources = {module.file: source_page(module.file) for module in book.modules.values()}
    notebooks = {name: {"chapters": book.chapters_of(notebook), "rows": book.rows_of_notebook(notebook),
                        "own": book.own_names(notebook)}
                 for name, notebook in book.notebooks.items()}
    places = names_of(book) | sources | {name: f"notebooks/{name}.html" for name in book.notebooks}
    return {"rows": book.page_of, "notebooks": notebooks, "sections": sections, "names": places}


def source_style():
    """The look of the pages of source code, in the light and in the dark."""
    from pygments.formatters import HtmlFormatter

    light = HtmlFormatter(style="a11y-high-contrast-light").get_style_defs(".code")
    dark = HtmlFormatter(style="a11y-high-contrast-dark").get_style_defs(".code")
    own = (DOCS / "_static/source_page.css").read_text(encoding="utf-8")
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n{own}"
