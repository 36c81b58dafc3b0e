"""Sphinx: the controls of a notebook's figures. They choose among pictures that `positions` has made beforehand.

Without JavaScript, on paper, and where there are no such pictures, a sentence says what can be moved in JupyterLab.
"""

from docutils import nodes
from docutils.transforms import Transform
from sphinx.util import logging

from tools.book.controls import closing, controls, drawn_figures, opening, sentence, told
from tools.book.extension import raw, site_link
from tools.book.places import TOLD


class FigureControls(Transform):
    """Sets controls, and the sentence that stands in for them, where a saved notebook mentions them."""

    default_priority = 865

    def apply(self):
        self.env = self.document.settings.env
        folder, _, notebook = self.env.docname.rpartition("/")
        if folder != "notebooks":
            return
        self.env.note_dependency(str(TOLD / f"{notebook}.json"))
        drawn, count = drawn_figures(notebook), 0
        found = [*self.document.findall(lambda node: isinstance(node, nodes.literal_block | nodes.image))]
        for node, following in zip(found, [*found[1:], None], strict=True):
            alt = following.get("alt", "") if isinstance(following, nodes.image) else ""
            if isinstance(node, nodes.literal_block) and (said := controls(node.astext(), alt)):
                figure = drawn[count] if count < len(drawn) else {}
                if drawn and figure.get("said") != node.astext().strip():
                    logging.getLogger(__name__).warning(
                        "the pictures for the controls belong to another figure than %s; run `make notebooks`, which "
                        "saves what the cells show, and make the book without POSITIONS=no", said,
                        location=self.env.docname)
                    figure = {}
                node.parent.replace(node, self.with_controls(said, figure, f"../positions/{notebook}/{count}"))
                count += 1

    def with_controls(self, said, figure, pictures):
        if not figure:
            return [self.note(said)]
        return [raw(opening(pictures)), self.note(said), raw(closing(told(said, figure)))]

    def note(self, said):
        paragraph = nodes.paragraph(classes=["still-controls"])
        paragraph += [nodes.emphasis("", text) if is_label else nodes.Text(text) for text, is_label in sentence(said)]
        paragraph += site_link(self.env, "How to run it", "start.html")
        paragraph += nodes.Text(".")
        return paragraph


def setup(app):
    app.add_transform(FigureControls)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
