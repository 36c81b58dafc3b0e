"""The pages of the finished site, read as files: every link leads somewhere, figures and headings have words. Needs the
site: `make book`. RBDLIB_SITE=FOLDER takes the site in another folder."""

import posixpath
import re
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import pytest

from tests.site.built_site import NOTEBOOKS, PAGES, built_site
from tools.book.checks import UNCHECKED, Page
from tools.book.places import LITE
from tools.book.vendor import MATHJAX_PARTS

html = pytest.importorskip("lxml.html")

#: Where text is not prose: code, formulas, scripts.
NOT_PROSE = "script|style|pre|code|mjx-container|svg|noscript|template|textarea"
#: Where MathJax finds formulas when the page is shown, and code.
NOT_PROSE_CLASSES = re.compile(r"(?<![\w-])(math|text_html|highlight|sig)(?![\w-])")
MARKUP = re.compile(r"(?<!\\)\$[^$\n]{1,80}\$|\\begin\{|\]\([\w./#-]+\)|\{[\w-]+\}`|(?<!\w)\*\*[^*\n]+\*\*|:{3,}")
#: On paper the page begins with its title and contents; they stand there a second time, unseen on a screen.
HEADINGS = "//*[re:test(name(), '^h[1-6]$')][not(ancestor::*[contains(@class, 'onlyprint')])]"
REGEXP = {"re": "http://exslt.org/regular-expressions"}
FILE_NAME = re.compile(r"\.(png|svg|jpe?g|gif|webp)\b", re.IGNORECASE)


def text_of(element):
    """The words of an element as a reader sees them."""
    return " ".join(element.text_content().split())


@pytest.fixture(scope="module")
def site():
    return built_site()


@pytest.fixture(scope="module")
def pages(site):
    """{path from the site's root: what the tests ask of the page} for every page."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        if not name.startswith(UNCHECKED):
            found[name] = facts(parsed(path))
    return found


def facts(root):
    return SimpleNamespace(
        title=text_of(root.find("head/title")), places={*root.xpath("//@id"), *root.xpath("//a/@name")},
        links=[(a.get("href"), name_of(a)) for a in root.iter("a") if a.get("href")],
        images=[(image.get("src"), (image.get("alt") or "").strip()) for image in root.iter("img")],
        unsized=[image.get("src") for image in root.iter("img") if not (image.get("width") and image.get("height"))],
        described=root.xpath("string(//meta[@name='description']/@content)"),
        headings=[(int(h.tag[1]), text_of(h)) for h in root.xpath(HEADINGS, namespaces=REGEXP)],
        links_in_links=[a.get("href") for a in root.xpath("//a//a")],
        ids=Counter(root.xpath("//@id")), language=root.get("lang"),
        prose=prose((root.xpath("//article") or [root.find("body")])[0]),)


def name_of(link):
    """What a screen reader says of a link."""
    inside = [image.get("alt") or "" for image in link.iter("img")]
    return " ".join([text_of(link), link.get("aria-label") or "", link.get("title") or "", *inside]).strip()


def prose(element):
    """The text of a page without its code and its formulas."""
    if not isinstance(element.tag, str) or re.fullmatch(NOT_PROSE, element.tag) or \
            NOT_PROSE_CLASSES.search(element.get("class") or ""):
        return " "
    parts = [element.text or ""]
    for child in element:
        parts += [prose(child), child.tail or ""]
    return "".join(parts)


def test_pages_of_every_kind_have_words_and_every_link_leads_to_a_place_that_is_there(site, pages):
    assert {page.partition("?")[0] for page in (*PAGES, *NOTEBOOKS)} <= pages.keys()
    assert [name for name, page in pages.items()
            if len(page.prose.split()) < 10 and not name.startswith(("source/", "search"))] == []
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    wrong = [(name, address) for name, page in pages.items() for address, _ in page.links
             if not urlsplit(address).scheme and not leads_somewhere(name, address, pages, files)]
    assert wrong == []
    assert sum(len(page.links) for page in pages.values()) > 50_000


def leads_somewhere(name, address, pages, files):
    parts = urlsplit(address)
    path = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path))) if parts.path else name
    place = unquote(parts.fragment)
    return path.startswith(LITE) or path in files and (not place or path not in pages or place in pages[path].places)


def test_every_link_has_words_and_no_link_stands_in_another(pages):
    assert {name: page.links_in_links for name, page in pages.items() if page.links_in_links} == {}
    assert [(name, address) for name, page in pages.items() for address, words in page.links if not words] == []


def test_every_figure_has_an_alternative_text_and_formulas_and_markup_have_become_what_they_mean(pages):
    assert [(name, alt) for name, page in pages.items() for _, alt in page.images
            if len(re.findall(r"\w+", alt)) < 4 or FILE_NAME.search(alt) or alt.startswith(("image", "_images"))] == []
    assert sum(len(page.images) for page in pages.values()) > 100
    assert {name: page.unsized for name, page in pages.items() if page.unsized} == {}, "these move what follows them"
    assert [(name, match[0]) for name, page in pages.items() for match in [MARKUP.search(page.prose)] if match] == []


def test_each_page_has_one_main_heading_and_none_is_empty_or_leaves_out_a_level(pages):
    for name, page in pages.items():
        levels = [level for level, _ in page.headings]
        assert levels.count(1) == 1 and all(text for _, text in page.headings), (name, page.headings)
        assert all(after <= before + 1 for before, after in pairwise(levels)), (name, page.headings)


def test_titles_are_different_and_ids_are_used_once(pages):
    titles = Counter(page.title for page in pages.values())
    assert [title for title, count in titles.items() if count > 1] == []
    assert {name: twice for name, page in pages.items()
            if (twice := [place for place, count in page.ids.items() if count > 1])} == {}
    assert {page.language for page in pages.values()} == {"en"}
    assert {name: page.described for name, page in pages.items() if not 20 < len(page.described) <= 160} == {}


def test_the_site_is_light_and_each_page_with_all_that_it_asks_for_before_its_films(site):
    """As the files lie there: a server that compresses them sends a third of it."""
    sizes = {path.relative_to(site).as_posix(): path.stat().st_size for path in site.rglob("*") if path.is_file()}
    typesetting = {f"_static/mathjax/{part}" for part in MATHJAX_PARTS if part.endswith(".js")}
    heavy = {}
    for name in [name for name in sizes if name.endswith(".html") and not name.startswith("_static/")]:
        text = (site / name).read_text(encoding="utf-8")
        later = re.findall(r'<img (?:loading="lazy"|[^>]*; an animation of)[^>]*?src="([^"]+)"', text)
        asked = {posixpath.normpath(posixpath.join(posixpath.dirname(name), urlsplit(address).path))
                 for address in {*Page(text).fetched} - {*later} if not address.startswith("data:")}
        weight = sum(sizes[file] for file in {name, *asked, *(typesetting if asked & typesetting else ())})
        heavy |= {name: weight} if weight > 3e6 else {}
    assert heavy == {} and sum(sizes.values()) < 80e6


def parsed(path):
    return html.parse(str(path), html.HTMLParser(encoding="utf-8")).getroot()


def line(site, address):
    """The text of the line of code that a link from the ledger leads to."""
    path, _, place = address.partition("#")
    (anchor,) = parsed((site / "ledger" / path).resolve()).xpath(f"//*[@id='{place}']")
    return "".join(anchor.xpath("following::text()")[:40]).partition("\n")[0]


def test_a_source_id_leads_to_its_derivation_its_line_of_code_and_its_test(site):
    page = parsed(site / "ledger/rbda-07.html")
    (row,) = page.xpath("//*[contains(@class, 'ledger-row')][.//strong[.='RBDA-7.24']]")
    ways = {text_of(item).partition(":")[0]: [a.get("href") for a in item.iter("a")] for item in row.iter("li")}
    assert set(ways) == {"Derived in", "Code", "Tested by"}
    assert any(address.startswith("../notebooks/11_") for address in ways["Derived in"])
    assert any("def propagate(" in line(site, address) for address in ways["Code"])
    assert any("def test_" in line(site, address) for address in ways["Tested by"])


def test_each_checked_row_leads_to_a_test_and_each_reasoned_row_to_its_reason(site):
    counts = Counter()
    for path in sorted((site / "ledger").glob("*.html")):
        for row in parsed(path).xpath("//div[contains(@class, 'ledger-row ')]"):
            words = {text_of(item).partition(":")[0] for item in row.iter("li")}
            kind = row.get("class").rpartition("ledger-row-")[2].split()[0]
            counts[kind] += 1
            assert {"checked": "Tested by", "reasoned": "Reason"}.get(kind, "") in {*words, ""}, text_of(row)[:80]
    assert counts["checked"] > 1400
