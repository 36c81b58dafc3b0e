"""Ways to run notebooks elsewhere: buttons on their pages and links in docs/browser.md, if the address is known."""

import re

from tools.book.places import DOCS, LITE, NOTEBOOKS, write_if_changed
from tools.lite.cells import DESK
from tools.lite.links import known, table

BLOCK = re.compile(r"<!-- links -->\n.*?<!-- end of links -->", re.DOTALL)


def write(folder):
    """Writes the page anew if RBDLIB_REPOSITORY says where the project is; returns the paths written."""
    home = known()
    if home is None:
        return []
    text = (DOCS / "browser.md").read_text(encoding="utf-8")
    return [write_if_changed(folder / "browser.md", with_links(text, home))]


def with_links(text, home):
    """The page with a table of links in place of the note that there are none."""
    links = table(home, [path.name for path in sorted(NOTEBOOKS.glob("*.ipynb"))])
    desk = f"{{site}}`Check an answer <{LITE}notebooks/index.html?path={DESK}>`, a page of JupyterLite."
    if not BLOCK.search(text):
        raise ValueError("docs/browser.md has no place for links; write <!-- links --> and <!-- end of links -->.")
    parts = "## Links to all notebooks", f"The project lives at <{home.address}>.", desk, links
    return BLOCK.sub(lambda _: "\n\n".join(parts), text)


def notebook_head(file, home):
    """What stands under a notebook's heading: triples of text, address or "", and classes for its look.

    file: such as "01_particle.ipynb". home: the project's `Repository`, or None if its address is not known.
    """
    yield f"Download {file}", f"_sources/notebooks/{file}", ()
    yield " to work in it: here you read what it computed, there you change it. ", "", ()
    if home is None:
        yield ("This copy of the site does not know where the project lives, so it has no buttons for Binder, Colab "
               "and JupyterLite: "), "", ()
        yield "run it without installing anything", "browser.html", ()
        yield ".", "", ()
        return
    for name, address in (("Binder", home.binder(file)), ("Colab", home.colab(file)),
                          ("JupyterLite", f"{LITE}lab/index.html?path={file}")):
        if address:
            yield f"Open in {name}", address, ("launch-button",)
            yield " ", "", ()
    yield "how they differ", "browser.html", ()
