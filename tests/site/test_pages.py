"""The generated pages hold every row, erratum, symbol and module, once, and their links lead to pages that are made."""

import re
from collections import Counter

import pytest

import rbdlib
from tools.book import api_pages, assemble, ledger_pages
from tools.book.ledger_data import Book
from tools.book.markup import plain, prose, slug
from tools.book.places import DOCS, NOTEBOOKS
from tools.book.source_pages import render, source_page, sources_shown
from tools.book.symbol_pages import symbols_page
from tools.teaching.pages import pages as teaching_pages

LINK = re.compile(r"\{site[\w-]*\}`[^`<>]+ <([^`<>#]+)(?:#([^`<>]+))?>`")


@pytest.fixture(scope="module")
def book():
    return Book()


@pytest.fixture(scope="module")
def pages(book):
    return assemble.generated(book)


@pytest.mark.slow
def test_every_row_of_the_ledger_stands_on_one_page_and_no_two_have_the_same_address(book, pages):
    text = "\n".join(text for path, text in pages.items() if path.startswith("ledger/"))
    places = Counter(re.findall(r"^\((\S+)\)=$", text, re.MULTILINE))
    assert {slug(row_id) for row_id in book.rows} <= places.keys()
    assert max(places.values()) == 1


@pytest.mark.slow
def test_a_row_says_what_it_states_and_who_derives_codes_and_tests_it(book):
    block = ledger_pages.row_block(book, book.rows["RBDA-7.43"])
    assert plain(book.rows["RBDA-7.43"].statement) in block
    assert "<notebooks/11_articulated_body.html#source-rbda-7-43>" in block
    assert "<source/rbdlib/book/ch07_articulated_body.html#L" in block
    assert re.search(r"- Code: \{site\}`book\.ch07_articulated_body\.", block), "the module of its chapter comes first"
    assert "<source/tests/sources/test_rbda_ch07" in block
    assert "✓ checked" in block


@pytest.mark.slow
def test_the_markers_claim_every_row_and_the_page_of_the_ledger_does_not_count_a_reason_as_a_proof(book):
    """Every row is proved or reasoned, by the markers alone: otherwise reading them here misses some."""
    assert {row_id for row_id in book.rows if book.proofs[row_id] or row_id in book.reasons} == set(book.rows)
    rows, checked, reasoned = map(int, re.search(r"Of these (\d+) rows (\d+) are checked.* check (\d+) others",
                                                 ledger_pages.overview(book), re.DOTALL).groups())
    assert reasoned == len(book.reasons) > 0 and checked <= rows - reasoned


@pytest.mark.slow
def test_beside_each_bar_stands_the_same_in_numbers(book):
    text = ledger_pages.overview(book)
    names = re.search(r"^\| part \| outcomes \| (.*) \| rows \|$", text, re.MULTILINE)[1].split(" | ")
    rows = re.findall(r"^\| \[.*?\{bar\}`([\d ]+)` \| (.*) \| (\d+) \|$", text, re.MULTILINE)
    assert len(rows) == len(book.chapters) and sum(int(total) for *_, total in rows) == len(book.rows)
    for bar, numbers, total in rows:
        counts = {name: int(n) for name, n in zip(ledger_pages.OUTCOMES, bar.split(), strict=True)}
        shown = dict(zip(names, map(int, numbers.split(" | ")), strict=True))
        assert shown.items() <= counts.items() and sum(shown.values()) == sum(counts.values()) == int(total)


@pytest.mark.slow
def test_links_lead_to_pages_that_are_made(book, pages):
    made = {path.removesuffix(".md") + ".html" for path in (*pages, *teaching_pages())}
    made |= {f"notebooks/{name}.html" for name in book.notebooks} | {source_page(file) for file in sources_shown(book)}
    assert {(path, page) for path, text in pages.items() for page, _ in LINK.findall(text) if page not in made} == set()


@pytest.mark.slow
def test_every_erratum_is_shown_with_its_proof(book, pages):
    entries = (DOCS.parent / "data/errata.csv").read_text(encoding="utf-8").count("::test_")
    text = "\n".join(text for path, text in pages.items() if path.startswith("errata/"))
    assert text.count("\nPrinted: ") == text.count("\nCorrect: ") == entries
    assert len(re.findall(r"^def test_", text, re.MULTILINE)) == entries


@pytest.mark.slow
def test_every_public_function_stands_in_the_reference_with_its_signature(book, pages):
    assert "{py:function} rbdlib.book.ch07_articulated_body.aba(model, q, qd, tau, f_ext=None, t=0.0)" in \
        pages["api/rbdlib.book.ch07_articulated_body.md"]
    assert {f"api/{name}.md" for name in book.modules} <= pages.keys()
    names = api_pages.names(book)
    assert names["aba"] == names["rbdlib.aba"]
    assert {f"rbdlib.{name}" for name in rbdlib.__all__} <= names.keys()
    listed = dict(re.findall(r"^- \{site\}`(\w+) <api/[^>]*>` *(.*)$", pages["api/index.md"], re.MULTILINE))
    assert all(listed.get(name) for name in rbdlib.__all__), "the overview explains every name of the package itself"


def test_source_pages_have_addresses_every_notebook_is_in_the_contents_and_empty_contents_are_left_out(tmp_path):
    page = render("rbdlib/some.py", "a = 1\n\n\ndef f():\n    return a\n", "rbdlib.some")
    assert all(f'id="L{line}"' in page for line in range(1, 6))
    assert 'href="../../api/rbdlib.some.html"' in page
    for text, markdown in (("Returns `x_1` and a*b.", r"Returns `x_1` and a\*b\."),
                           ("as ``+ - *`` says", "as `+ - *` says"), ("$5 |x| <b>", r"\$5 \|x\| \<b\>")):
        assert prose(text) == markdown
    text = "One line.\n\nMore of it.\n\n    >>> aba(x)\n    1\n\n- first\n  goes on\n- second"
    assert api_pages.docstring(text) == ("One line\\.\n\nMore of it\\.\n\n```pycon\n    >>> aba(x)\n    1\n```\n\n"
                                         "- first goes on\n- second")

    listed = re.findall(r"^notebooks/(\w+)$", (DOCS / "index.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))
    symbols = (DOCS / "glossary.md").read_text(encoding="utf-8").count("| RBDA-SYM-")
    assert symbols_page().count("\n| ") == symbols + 1

    page = "# Title\n\n```{include} ../README.md\n:start-after: <!-- a -->\n:end-before: <!-- b -->\n```\n\nEnd\n"
    whole = assemble.with_parts_of("Not this\n<!-- a -->\n[x](docs/x.md) [y](notebooks/y.ipynb)\n<!-- b -->\n", page)
    assert whole == "# Title\n\n[x](x.md) [y](notebooks/y.ipynb)\n\nEnd\n"
    with pytest.raises(ValueError, match="no part from <!-- a --> to <!-- b -->"):
        assemble.with_parts_of("<!-- a -->", page)

    (tmp_path / "some").mkdir()
    (tmp_path / "some/page.md").write_text("# Page\n")
    block = "```{toctree}\n:glob:\n:caption: Part\n\n%s\n```\n"
    text = "# Title\n\n" + block % "some/*" + block % "none/*" + block % "none/*\nindex"
    left = assemble.without_empty_parts(text, tmp_path)
    assert "some/*" in left and "none/*" not in left
    assert left.count("{toctree}") == 2
