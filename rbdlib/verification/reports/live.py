"""A text box with a report below it that follows what is typed: `live`, for notebooks."""

import asyncio
import os

from rbdlib.verification import verify

#: Seconds without a key being pressed after which the report is made anew.
PAUSE = 0.5


class Live:
    """The contents of `live`: the model, the texts in the boxes, and the report on them."""

    def __init__(self, model, quantity, answer, given, seed):
        self.model, self.seed = model, seed
        self.values = {"quantity": quantity, "given": given, "answer": answer}
        self.boxes, self.handle, self._timer = {}, None, None

    def report(self):
        """The report on what stands in the boxes, or the sentence that says why there is none."""
        texts = {name: box.value for name, box in self.boxes.items()} or self.values
        if not texts["answer"].strip():
            return Sentence("Type or paste your formula into the box.")
        try:
            return verify(self.model, texts["quantity"], texts["answer"], texts["given"] or None, self.seed)
        except (ValueError, TypeError) as error:
            return Sentence(str(error))

    def show(self):
        """Display the boxes and below them the report, which changes in place from then on."""
        from IPython.display import display

        display(self._panel(), raw=True)
        self.handle = display(self.report(), display_id=True)

    def _panel(self):
        """The boxes as a bundle of MIME types; where no kernel is running, a sentence stands in for them."""
        data = {"text/plain": "[a box for your formula, live when this cell is run]"}
        if os.environ.get("RBDLIB_STATIC"):
            return data
        try:
            import ipywidgets
        except ImportError:
            return data
        look = {"style": {"description_width": "5em"}, "layout": {"width": "min(46em, 98%)"}}
        kinds = {"quantity": ipywidgets.Text, "given": ipywidgets.Text, "answer": ipywidgets.Textarea}
        self.boxes = {name: kinds[name](value=text, description=name, **look) for name, text in self.values.items()}
        self.boxes["answer"].rows = 5
        for box in self.boxes.values():
            box.observe(self._typed, names="value")
        return {**ipywidgets.VBox(list(self.boxes.values()))._repr_mimebundle_(), **data}

    def _typed(self, change=None):
        """Make the report anew when nothing has been typed for a moment."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PAUSE, self.refresh)

    def refresh(self):
        """Make the report anew now."""
        if self.handle is not None:
            self.handle.update(self.report())


class Sentence(str):
    """One sentence in place of a report, shown without quotation marks."""

    __repr__ = str.__str__


def live(model, quantity, answer="", given="", seed=0):
    """Boxes for a quantity, for what the learner calls otherwise, and for the formula; below them the live report.

    Arguments as for `rbdlib.verify`, as text. Without ipywidgets, or with RBDLIB_STATIC set, the report alone is shown.
    Raises TypeError if one of the texts is not text.
    """
    for name, text in (("quantity", quantity), ("answer", answer), ("given", given)):
        if not isinstance(text, str):
            raise TypeError(f"{name} is {text!r}; expected text, which the reader can edit in the box.")
    Live(model, quantity, answer, given, seed).show()
