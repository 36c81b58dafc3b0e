"""Sphinx: the live figures in their pages, the code beside them, and the ways between them and the notebooks.

In docs/live:  ```{live-figure} four_bar  with words for readers without JavaScript; then {live-code} and {live-origin}.
In the page of a notebook, a picture with a link stands at the end of each of `Figure.places`.
"""

from pathlib import Path

from docutils import nodes
from docutils.transforms import Transform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from tools.book.extension import raw, site_link
from tools.book.live_figures import FIGURES
from tools.book.live_links import code_of, derived, known, title_of
from tools.book.live_stills import closing, opening


class LiveFigure(SphinxDirective):
    """A live figure; the content is what it shows, in words."""

    required_arguments = 1
    has_content = True

    def run(self):
        name = known(self.arguments[0])
        piece = Path(self.env.srcdir) / "live" / "stills" / f"{name}.html"
        self.env.note_dependency(str(piece))
        still = piece.read_text(encoding="utf-8")
        return [raw(opening(name) + still), *self.parse_content_to_nodes(), raw(closing(name))]


class LiveCode(SphinxDirective):
    """How Python became the JavaScript of a figure; both can be read and taken away."""

    required_arguments = 1

    def run(self):
        name = known(self.arguments[0])
        path = Path(self.env.srcdir) / "_static" / "live" / f"{name}_model.js"
        self.env.note_dependency(str(path))
        return self.parse_text_to_nodes(code_of(name, path.read_text(encoding="utf-8")))


class LiveOrigin(SphinxDirective):
    """Links to what a figure comes from."""

    required_arguments = 1

    def run(self):
        return self.parse_text_to_nodes(derived(known(self.arguments[0])))


class LeadToFigures(Transform):
    """Sets a picture of a live figure, which leads to it, at the end of the sections of notebooks that treat it."""

    default_priority = 875                                     # before Sphinx looks for pictures, at 880

    def apply(self):
        env = self.document.settings.env
        notebook = env.docname.removeprefix("notebooks/")
        for name in (name for name in FIGURES if f"live/{name}" in env.found_docs):
            for where, heading in FIGURES[name]().places:
                if where == notebook:
                    self.lead(env, name, heading)

    def lead(self, env, name, heading):
        for section in self.document.findall(nodes.section):
            if section[0].astext() == heading:
                inner = next((k for k, part in enumerate(section) if isinstance(part, nodes.section)), len(section))
                section.insert(inner, invitation(env, name))
                return
        logging.getLogger(__name__).warning(
            "the live figure %s is to be shown after the heading %r, which is not there; mend places in "
            "tools/book/live_figures.py", name, heading, location=env.docname)


def invitation(env, name):
    """A box with a still picture of a figure and its title; both lead to its page."""
    title, page = title_of(name), f"live/{name}.html"
    box = nodes.container("", classes=["admonition", "live-lead"])
    box += nodes.paragraph("", f"Live figure: {title}", classes=["admonition-title"])
    picture = site_link(env, "", page)
    alt = f"Live figure: {title}"
    picture += nodes.image(uri=f"../_static/live/{name}-1.svg", alt=alt)
    box += nodes.paragraph("", "", picture)
    words = nodes.paragraph("", "The same algorithm runs in a page of this site, with sliders and without Python: ")
    words += site_link(env, title, page)
    box += words
    return box


def setup(app):
    app.add_directive("live-figure", LiveFigure)
    app.add_directive("live-code", LiveCode)
    app.add_directive("live-origin", LiveOrigin)
    app.add_transform(LeadToFigures)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
