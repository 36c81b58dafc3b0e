"""What must hold of the finished site: links lead somewhere, nothing comes from elsewhere, figures have words."""

import posixpath
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tools.book.places import LITE

#: Attributes with which a page asks for another file by itself.
FETCHED = {("script", "src"), ("img", "src"), ("source", "src"), ("iframe", "src"), ("link", "href"), ("video", "src")}
#: <link> elements that only say something about the page.
NOT_FETCHED = {"canonical", "next", "prev", "index", "search", "author", "license", "copyright"}
#: What MathJax, our theme and the pages of source code make or bring along themselves, and what is put there later.
UNCHECKED = ("_static/", LITE)


class Page(HTMLParser):
    """The links, files asked for, names of places and figures of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.fetched, self.places, self.without_words = [], [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = {name: value or "" for name, value in attributes}
        self.places.update(filter(None, (given.get("id"), given.get("name") if tag == "a" else None)))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for name in ("src", "href"):
            is_needed = (tag, name) in FETCHED and not NOT_FETCHED & set(given.get("rel", "").split())
            if is_needed and given.get(name):
                self.fetched.append(given[name])
        if tag == "img" and not given.get("alt", "").strip() and given.get("role") != "presentation":
            self.without_words.append(given.get("src", "?")[:80])


def problems(folder):
    """Everything that is wrong with the site in a folder: a list of sentences."""
    folder = Path(folder)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    pages = {name: Page((folder / name).read_text(encoding="utf-8")) for name in sorted(files)
             if name.endswith(".html") and not name.startswith(UNCHECKED)}
    return [problem for name, page in pages.items() for problem in _of_page(name, page, pages, files)]


def _of_page(name, page, pages, files):
    for address in dict.fromkeys(page.fetched):
        if is_remote(address):
            yield f"{name} fetches {address} from elsewhere"
        elif not address.startswith("data:") and _file(name, address, files) not in files:
            yield f"{name} needs {address}, which is not there"
    for address in dict.fromkeys(page.links):
        if is_remote(address) or address.startswith(("mailto:", "javascript:", "data:")):
            continue
        target, place = _file(name, address, files), unquote(urlsplit(address).fragment)
        if target not in files and not target.startswith(LITE):
            yield f"{name} has a link to {address}, which is not there"
        elif place and target in pages and place not in pages[target].places:
            yield f"{name} has a link to {address}, a page without that place"
    for image in page.without_words:
        yield f"{name} shows {image} without an alternative text"


def is_remote(address):
    return address.startswith(("http:", "https:", "//"))


def _file(name, address, files):
    """The file that an address in a page means, by its path from the site's root."""
    path = unquote(urlsplit(address).path)
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
    return target if target in files else posixpath.join(target, "index.html").removeprefix("./")
