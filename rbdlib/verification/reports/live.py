"""Text boxes with a report below them that follows what is typed: `live`, for notebooks."""

import asyncio
import os

from rbdlib import draw
from rbdlib.io.sketch import sketch
from rbdlib.verification.reports.report import verify

#: Seconds without a key being pressed after which the report is made anew.
PAUSE = 0.5
#: Where (m or rad) each joint of a mechanism that was described in a line is drawn.
POSITION = 0.5


class Live:
    """The contents of `live`: the model, or the line that describes it, and the texts in the boxes."""

    def __init__(self, model, quantity, answer, given, seed):
        self.model, self.seed = model, seed
        self.values = {"quantity": quantity, "given": given, "answer": answer}
        if isinstance(model, str):
            self.values = {"mechanism": model, **self.values}
        self.boxes, self.handles, self._timer = {}, [], None

    def report(self):
        """The report on what stands in the boxes, or the sentence that says why there is none."""
        self.values |= {name: box.value for name, box in self.boxes.items()}
        texts = self.values
        try:
            model = sketch(texts["mechanism"]) if "mechanism" in texts else self.model
            if not texts["answer"].strip():
                return Sentence("Type or paste your formula into the box.")
            return verify(model, texts["quantity"], texts["answer"], texts["given"], self.seed)
        except (ValueError, TypeError) as error:
            return Sentence(str(error))

    def picture(self):
        """The mechanism that the line describes; nothing where it cannot be read, which the report then says."""
        try:
            drawn = sketch(self.values["mechanism"], symbolic=False)
        except ValueError:
            return Sentence()
        q = [POSITION] * drawn.nq
        where = f"{', '.join(name.partition(' ')[0] for name in drawn.names[1:])} = {POSITION}"
        ax = draw.axes_for(drawn, q, title=where)
        draw.model(ax, drawn, q, labels="names")
        return draw.picture(ax, f"The mechanism at {where}, every length 1")

    def contents(self):
        """All that stands below the boxes, the picture first."""
        report = self.report()
        return [self.picture(), report] if "mechanism" in self.values else [report]

    def show(self):
        """Display the boxes and below them the picture and the report, which change in place from then on."""
        from IPython.display import display

        display(self._panel(), raw=True)
        self.handles = [display(content, display_id=True) for content in self.contents()]

    def _panel(self):
        """The boxes as a bundle of MIME types; where no kernel is running, a sentence stands in for them."""
        data = {"text/plain": "[a box for your formula, live when this cell is run]"}
        if os.environ.get("RBDLIB_STATIC"):
            return data
        try:
            import ipywidgets
        except ImportError:
            return data
        look = {"style": {"description_width": "6.5em"}, "layout": {"width": "min(46em, 98%)"}}
        for name, text in self.values.items():
            kind = ipywidgets.Textarea if name == "answer" else ipywidgets.Text
            self.boxes[name] = kind(value=text, description=name, **look)
            self.boxes[name].observe(self._typed, names="value")
        self.boxes["answer"].rows = 5
        return {**ipywidgets.VBox([*self.boxes.values()])._repr_mimebundle_(), **data}

    def _typed(self, change=None):
        """Make the report anew when nothing has been typed for a moment."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PAUSE, self.refresh)

    def refresh(self):
        """Make all below the boxes anew now."""
        for handle, content in zip(self.handles, self.contents(), strict=True):
            handle.update(content)


class Sentence(str):
    """One sentence in place of a report, shown without quotation marks."""

    __repr__ = str.__str__


def live(model, quantity, answer="", given="", seed=0):
    """Boxes for a quantity, for what the learner calls otherwise, and for the formula; below them the live report.

    Arguments as for `rbdlib.verify`, as text; model may be a line for `rbdlib.io.sketch`, which then has a box of its
    own, and is drawn. Without ipywidgets, or with RBDLIB_STATIC set, there are no boxes. Raises TypeError if one of the
    texts is not text.
    """
    for name, text in (("quantity", quantity), ("answer", answer), ("given", given)):
        if not isinstance(text, str):
            raise TypeError(f"{name} is {text!r}; expected text, which the reader can edit in the box.")
    Live(model, quantity, answer, given, seed).show()
