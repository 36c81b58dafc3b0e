"""Our Sphinx extension: links within the site, alternative texts of figures, ids and names that lead somewhere."""

import hashlib
import json
import re
import textwrap
from html import escape
from pathlib import Path

from docutils import nodes
from docutils.transforms import Transform
from sphinx import addnodes
from sphinx.util.docutils import SphinxRole
from sphinx.util.osutil import relative_uri

from rbdlib.texts.lookup.references import References
from tools.book.browser import notebook_head
from tools.book.checks import is_remote
from tools.book.ledger_data import OUTCOMES
from tools.book.markup import slug, without_source
from tools.book.places import BUILD
from tools.lite.links import known

INDEX = BUILD / "index.json"
SOURCE = re.compile(r"\(((?:RBDA|FDSV|MBT|SOA|MRN)[^(){}]*)\)")
#: Letters of a paragraph that is too short to describe its page, and of a description; what is said of other pages.
SHORT, LONGEST, SITE = 60, 160, "a page of rbdlib, a book about the dynamics of rigid bodies that runs"
LINK = (nodes.reference, addnodes.pending_xref)
NO_LINKS_IN = (*LINK, nodes.title, nodes.literal, nodes.literal_block, nodes.math, nodes.math_block,
               nodes.raw, nodes.comment, nodes.caption, nodes.image, nodes.rubric)


class Site(SphinxRole):
    """A link to a page given by its path from the site's root: {site}`the lamp <notebooks/01_particle.html#lamp>`."""

    def __init__(self, classes=()):
        super().__init__()
        self.classes = list(classes)

    def run(self):
        match = re.fullmatch(r"(.*?)\s*<([^<>]+)>", self.text, re.DOTALL)
        if not match:
            message = self.inliner.reporter.error(f"site link {self.text!r}; expected the form: text <page.html>")
            return [nodes.problematic(self.rawtext, self.rawtext)], [message]
        return [site_link(self.env, *match.groups(), classes=self.classes)], []


class Bar(SphinxRole):
    """A bar that shares out five counts: checked, text, reasoned, failed, open."""

    def run(self):
        counts = [int(word) for word in self.text.split()]
        said = ", ".join(f"{n} {name}" for n, name in zip(counts, OUTCOMES, strict=True) if n)
        parts = "".join(f'<span class="bar-{name}" style="flex-grow:{n}"></span>'
                        for n, name in zip(counts, OUTCOMES, strict=True) if n)
        html = f'<span class="ledger-bar" role="img" aria-label="{escape(said)}">{parts}</span>'
        return [raw(html)], []


class Swatch(SphinxRole):
    """A piece of a bar, to stand before the words that explain it."""

    def run(self):
        html = f'<span class="ledger-bar" aria-hidden="true"><span class="bar-{escape(self.text)}"></span></span>'
        return [raw(html)], []


def site_link(env, text, path, classes=()):
    """A node that leads to a page of the site, from wherever the present page is."""
    here = env.app.builder.get_target_uri(env.docname)
    page, _, place = path.partition("#")
    uri = relative_uri(here, page) + (f"#{place}" if place else "")
    return nodes.reference("", text, refuri=uri, internal=True, classes=[*classes])


def raw(html):
    """A node that is shown as it is written."""
    return nodes.raw("", html, format="html")


class Index:
    """What the pages of the site can be asked for: rows of the ledger, names of the reference."""

    def __init__(self, path=INDEX):
        index = json.loads(Path(path).read_text(encoding="utf-8"))
        self.page_of, self.names = index["rows"], index["names"]
        self.sections = {tuple(key.split(" ", 1)): place for key, place in index["sections"].items()}
        self.notebooks = index["notebooks"]
        self.references = References(list(self.page_of), self.sections)

    def place_of_row(self, row_id):
        return f"{self.page_of[row_id]}.html#{slug(row_id)}"

    def place(self, mention):
        """Where a mention leads, or None."""
        if mention.ids:
            return self.place_of_row(mention.ids[0])
        return self.sections.get(mention.section)


class Links(Transform):
    """Makes links of the source ids in the text of a page, of names that stand in code, and of numbers of formulas."""

    default_priority = 870

    def apply(self):
        self.env = self.document.settings.env
        self.notebook = self.env.book_index.notebooks.get(self.env.docname.removeprefix("notebooks/"))
        self.marked = set()
        if self.env.docname.startswith("ledger/"):
            self.index_rows()
        if self.env.docname.startswith(("ledger/", "errata/")):
            return
        for node in list(self.document.findall(nodes.math_block)):
            self.number(node)
        for node in list(self.document.findall(nodes.Text)):
            if not any(isinstance(parent, NO_LINKS_IN) for parent in parents(node)):
                self.link_text(node)
        for node in list(self.document.findall(nodes.literal)):
            self.link_name(node)
        if self.notebook and (title := next(self.document.findall(nodes.title), None)):
            names = [f"source-{slug(row_id)}" for row_id in self.notebook["rows"] if row_id not in self.marked]
            title.parent.insert(title.parent.index(title) + 1, [nodes.target("", "", ids=[name]) for name in names])

    def index_rows(self):
        """Makes every row's id an entry that the search knows, as RBDA-7.24 and RBDA 7.24."""
        for row_id, page in self.env.book_index.page_of.items():
            if page == self.env.docname:
                forms = (row_id, row_id.replace("-", " ", 1))
                entries = [("single", form, slug(row_id), "main", None) for form in forms]
                self.document += addnodes.index(entries=entries)

    def number(self, node):
        """Sets the source ids of a formula at the margin, as links, where books have the number.

        A single one that ends the formula is taken out of it.
        """
        formula, prose = node.astext(), self.env.book_index.references.prose
        sources = ["(" + inside + ")" for inside in SOURCE.findall(formula)]
        pieces = [self.pieces(text[1:-1], [m._replace(start=m.start - 1, end=m.end - 1) for m in prose(text)])
                  for text in sources]
        if not pieces:
            return
        if len(sources) == 1:
            formula = without_source(formula)
        fresh = nodes.math_block(formula, formula, **node.attributes)
        links = nodes.paragraph(classes=["formula-source"])
        for number, piece in enumerate(pieces):
            links += [nodes.Text(", ")] * bool(number) + piece
        classes = ["numbered-formula", *["several-sources"] * (len(sources) > 1)]
        node.replace_self(nodes.container("", fresh, links, classes=classes))

    def mark(self, row_id):
        """The name of the place where a notebook first shows a row; None if it was shown before."""
        if not self.notebook or row_id in self.marked:
            return None
        self.marked.add(row_id)
        return f"source-{slug(row_id)}"

    def link_text(self, node):
        chapters = self.notebook["chapters"] if self.notebook else ()
        mentions = self.env.book_index.references.prose(node.astext(), chapters)
        if mentions:
            parent, place = node.parent, node.parent.index(node)
            parent.remove(node)
            parent.insert(place, self.pieces(node.astext(), mentions))

    def pieces(self, text, mentions):
        """The text as nodes, with links where mentions are; each row's first one is a place that links can lead to."""
        found, position = [], 0
        for mention in mentions:
            place = self.env.book_index.place(mention)
            if not place:
                continue
            found.append(nodes.Text(text[position:mention.start]))
            found += [nodes.target("", "", ids=[name]) for name in map(self.mark, mention.ids) if name]
            found.append(site_link(self.env, text[mention.start:mention.end], place, ["source-id"]))
            position = mention.end
        return [*found, nodes.Text(text[position:])]

    def link_name(self, node):
        """A name in code that the reference knows leads there."""
        name = re.sub(r"\(.*\)$|:.*$", "", node.astext())
        place = self.env.book_index.names.get(name) if not self.notebook or name not in self.notebook["own"] else None
        inside = any(isinstance(parent, (*LINK, nodes.title, nodes.rubric)) for parent in parents(node))
        if place and not inside and not place.startswith(f"{self.env.docname}.html#{self.env.docname}"):
            link = site_link(self.env, "", place, ["api-name"])
            node.replace_self(link)
            link += node


def parents(node):
    while node := node.parent:
        yield node


class NotebookHead(Transform):
    """Sets the ways to get a notebook, and to run it elsewhere, under its heading."""

    default_priority = 880

    def apply(self):
        env = self.document.settings.env
        if env.docname.startswith("notebooks/") and (title := next(self.document.findall(nodes.title), None)):
            line = nodes.paragraph(classes=["notebook-head"])
            for text, address, classes in notebook_head(env.docname.rpartition("/")[2] + ".ipynb", known()):
                if not address:
                    line += nodes.Text(text)
                elif is_remote(address):
                    line += nodes.reference("", text, refuri=address, internal=False, classes=[*classes])
                else:
                    line += site_link(env, text, address, classes)
            title.parent.insert(title.parent.index(title) + 1, line)


def with_alternative_texts(render_image):
    """MyST-NB's way to show a picture, with the alternative text that rbdlib.draw stores beside it."""

    def render(self, data):
        images = render_image(self, data)
        for image in images:
            alt = data.output_metadata.get(data.mime_type, {}).get("alt")
            if alt:
                image["alt"] = alt
        return images

    return render


def describe(app, pagename, templatename, context, doctree):
    """Says in the head of a page what it is about, by its first paragraph without formulas: searches show that."""
    texts = [" ".join(paragraph.astext().split()) for paragraph in (doctree.findall(nodes.paragraph) if doctree else ())
             if "notebook-head" not in paragraph["classes"] and not any(paragraph.findall(nodes.math))]
    text = next((text for text in texts if len(text) > SHORT), f"{context.get('title', 'Search')}: {SITE}")
    said = escape(textwrap.shorten(text, LONGEST, placeholder=" …"))
    context["metatags"] = f'{context.get("metatags", "")}\n<meta name="description" content="{said}" />'


def load_index(app, env, docnames):
    env.book_index = Index()


def without_index(app, env):
    """The index does not go into the pickled environment: it is read anew for every run."""
    env.__dict__.pop("book_index", None)


def setup(app):
    from myst_nb.core.render import NbElementRenderer

    NbElementRenderer.render_image = with_alternative_texts(NbElementRenderer.render_image)
    app.add_role("site", Site())
    for name in ("shown", "coded", "shown-coded"):
        app.add_role(f"site-{name}", Site([f"id-{part}" for part in name.split("-")]))
    app.add_role("bar", Bar())
    app.add_role("swatch", Swatch())
    for name in ("kind", *OUTCOMES):
        app.add_generic_role(f"ledger-{name}", label(f"ledger-{name}"))
    app.add_transform(Links)
    app.add_transform(NotebookHead)
    app.connect("html-page-context", describe)
    app.connect("env-before-read-docs", load_index)
    app.connect("env-updated", without_index)
    # Where this changes, Sphinx reads all pages anew: their links are made from it.
    app.add_config_value("book_links", links_digest(), "env")
    return {"parallel_read_safe": False, "parallel_write_safe": True}


def links_digest():
    makers = ("browser.py", "controls.py", "extension.py", "figure_controls.py", "references.py")
    files = [INDEX, *(Path(__file__).with_name(name) for name in makers)]
    texts = [*(path.read_bytes() for path in files if path.exists()), repr(known()).encode()]
    return hashlib.sha256(b"".join(texts)).hexdigest()


def label(name):
    """A kind of node for a word with a class."""

    def make(rawsource, text, **attributes):
        return nodes.inline(rawsource, text, classes=["ledger-label", name])

    return make
