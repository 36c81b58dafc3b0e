"""Links to Binder and Colab in docs/browser.md, where the project's address is known."""

import os
import re

from tools.book.places import DOCS, NOTEBOOKS, write_if_changed
from tools.lite.links import VARIABLE, repository, table

BLOCK = re.compile(r"<!-- links -->\n.*?<!-- end of links -->", re.DOTALL)


def write(folder):
    """Writes the page anew if RBDLIB_REPOSITORY says where the project is; returns the paths written."""
    address = os.environ.get(VARIABLE)
    if not address:
        return []
    try:
        home = repository(address)
    except ValueError as error:
        raise SystemExit(str(error)) from None
    text = (DOCS / "browser.md").read_text(encoding="utf-8")
    return [write_if_changed(folder / "browser.md", with_links(text, home))]


def with_links(text, home):
    """The page with a table of links in place of the note that there are none."""
    links = table(home, [path.name for path in sorted(NOTEBOOKS.glob("*.ipynb"))])
    if not BLOCK.search(text):
        raise ValueError("docs/browser.md has no place for links; write <!-- links --> and <!-- end of links -->.")
    return BLOCK.sub(lambda _: f"## Links to all notebooks\n\nThe project lives at <{home.address}>.\n\n{links}", text)
