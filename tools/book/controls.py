"""The controls of figures on the site: a sentence in their place, and what a page needs to choose among pictures."""

import json
import re
from html import escape
from typing import NamedTuple

from tools.book.places import TOLD

#: Where the pages of notebooks find the scripts of figures.
SCRIPTS = "../_static/live"

#: How a saved notebook writes them: `rbdlib.draw.explore`.
SAVED = re.compile(r"\[controls, live when this cell is run: (.*)\]", re.DOTALL)
SLIDER = re.compile(r"(?P<label>.*?)(?: \((?P<unit>[^()]*)\))? from (?P<range>\S+ to \S+)")
CHOICE = re.compile(r"(?P<label>.*?)(?: \((?P<unit>[^()]*)\))?: (?P<range>.*)")


class Control(NamedTuple):
    """A control in words: its label, what it can be ("0 to 60", "on or off"), where the picture has it, its unit."""

    label: str
    range: str
    value: str
    unit: str


def controls(saved, alt):
    """The controls of a figure from what a saved notebook says of them and from its picture's alternative text.

    Empty if saved is another text.
    """
    match = SAVED.fullmatch(saved.strip())
    return [_control(said, alt) for said in match[1].split("; ")] if match else []


def _control(said, alt):
    match = SLIDER.fullmatch(said) or CHOICE.fullmatch(said)
    if not match:
        raise ValueError(f"a saved notebook has the control {said!r}; expected 'label (unit) from a to b' or 'label: a "
                         "or b', as rbdlib.draw.explore writes them.")
    label, unit = match["label"], match["unit"] or ""
    value = re.search(rf"[;,] {re.escape(label)} = (.*?){re.escape(' ' + unit) if unit else ''}(?=, |$)", alt)
    return Control(_readable(label), _readable(match["range"]), _readable(value[1]) if value else "", unit)


def _readable(text):
    """What the alternative text of a picture spells out, as it is written on a page."""
    for spelled, written in (("ddot ", "\u0308"), ("dot ", "\u0307")):
        text = re.sub(rf"\b{spelled}(\w)", rf"\1{written}", text)
    return re.sub(r"\b(True|False)\b", lambda match: {"True": "on", "False": "off"}[match[0]], text)


def sentence(found):
    """What the controls do, as text and emphasised labels: [(text, is a label)]."""
    pieces = [("This figure stands still here. In JupyterLab it has controls: ", False)]
    for number, control in enumerate(found):
        unit = f" {control.unit}" if control.unit else ""
        here = f" (here {control.value})" if control.value else ""
        pieces += [(control.label, True), (f", {control.range}{unit}{here}", False),
                   (". " if number == len(found) - 1 else "; ", False)]
    return pieces


# Pictures that were made beforehand: tools/book/positions.py


def drawn_figures(notebook):
    """What `positions` knows of the figures of a notebook, in order; nothing if it has not drawn them."""
    path = TOLD / f"{notebook}.json"
    return json.loads(path.read_text(encoding="utf-8"))["figures"] if path.exists() else []


def told(said, figure):
    """The controls with their values, and the pictures with their alternative texts, for the script of the page."""
    listed = [{**drawn, "label": control.label, "unit": control.unit, "values": [*map(_written, drawn["values"])]}
              for control, drawn in zip(said, figure["controls"], strict=True)]
    return {"controls": listed, "pictures": figure["pictures"]}


def _written(value):
    """A negative number with a real minus sign; other values as they are."""
    return "\N{MINUS SIGN}" + value[1:] if value[0] == "-" and value[1:2].isdigit() else value


def opening(pictures):
    """The beginning of the controls; the sentence for readers without a script stands between it and closing."""
    return (f'<link rel="stylesheet" href="{SCRIPTS}/live.css">\n'
            f'<div class="live positions" data-live="positions" data-pictures="{escape(pictures)}">\n'
            f'<script defer src="{SCRIPTS}/positions.bundle.js"></script>\n<div class="live-still">\n')


def closing(told):
    """The end of the controls, with what the script needs to know."""
    text = json.dumps(told, ensure_ascii=False).replace("<", "\\u003c")
    return f'</div>\n<script type="application/json">{text}</script>\n</div>\n'
