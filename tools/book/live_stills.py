"""A live figure as it is without JavaScript and on paper: its pictures, its legend and its numbers.

They are made by the figure's own code, which Node runs without a browser (live_still.js).
"""

import json
import subprocess
import tempfile
from functools import cache
from html import escape
from pathlib import Path

from tools.book.live_figures import FIGURES
from tools.book.places import DOCS, write_if_changed

PROGRAM = Path(__file__).with_name("live_still.js")
#: Where the pictures are, seen from the site's root and from a page of a live figure.
PLACE, FROM_PAGE = Path("_static/live"), "../_static/live"


@cache
def still_of(name, bundle):
    """What a figure shows after its `Figure.seconds`: name, pictures, legend, numbers, as live_still.js prints them.

    bundle: the text of its script. Raises SystemExit if there is no Node, and RuntimeError if the figure fails.
    """
    seconds = FIGURES[name]().seconds
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / f"{name}.bundle.js"
        script.write_text(bundle, encoding="utf-8")
        try:
            done = subprocess.run(["node", PROGRAM, script, str(seconds)], capture_output=True, encoding="utf-8")
        except FileNotFoundError:
            raise SystemExit("The still pictures of the live figures are drawn by Node, which is not here: install "
                             "Node.js 18 or newer (on Debian or Ubuntu: sudo apt install nodejs).") from None
    if done.returncode:
        raise RuntimeError(f"The live figure {name} cannot be drawn after {seconds} s: {done.stderr}")
    return json.loads(done.stdout)


def write(folder, name, bundle):
    """Writes the pictures of a figure and the piece of HTML that shows them; returns the paths."""
    still = still_of(name, bundle)
    written = [write_if_changed(folder / PLACE / f"{name}-{k}.svg", picture["svg"])
               for k, picture in enumerate(still["pictures"], 1)]
    return [*written, write_if_changed(folder / "live" / "stills" / f"{name}.html", as_html(name, still))]


def as_html(name, still):
    """Pictures, legend and numbers, in the dress of the figure itself."""
    pictures = "\n".join(image(name, k, picture) for k, picture in enumerate(still["pictures"], 1))
    legend = "\n".join(f'<span class="live-legend-entry"><span class="live-swatch live-swatch-{kind}" '
                       f'style="--swatch:{colour}"></span>{escape(words)}</span>'
                       for colour, words, kind in still["legend"])
    numbers = "\n".join(f"<div><dt>{escape(label)}</dt><dd>{escape(value)}</dd></div>"
                        for label, value in still["numbers"])
    return (f'<div class="live-pictures">\n{pictures}\n</div>\n<p class="live-legend">\n{legend}\n</p>\n'
            f'<dl class="live-numbers">\n{numbers}\n</dl>\n')


def image(name, k, picture):
    width, height = picture["size"]
    alt = escape(picture["words"] + moment(name))
    return (f'<img class="{picture["kind"].strip()}" style="--shape:{picture["shape"]}" width="{width}" '
            f'height="{height}" src="{FROM_PAGE}/{name}-{k}.svg" alt="{alt}">')


def moment(name):
    """The moment of a still, as the end of a sentence; nothing for a figure that does not move by itself."""
    seconds = FIGURES[name]().seconds
    return f", after {seconds:g} seconds" if seconds else ""


# The figure in its page


def opening(name):
    """The beginning of a figure; closing, the words about it and the still stand between. A script takes over."""
    return (f'<link rel="stylesheet" href="{FROM_PAGE}/live.css">\n<div class="live" data-live="{name}">\n'
            f'<script defer src="{FROM_PAGE}/{name}.bundle.js"></script>\n<div class="live-still">\n')


def closing(name):
    """The end of a figure; says of which moment the still is."""
    seconds = FIGURES[name]().seconds
    when = f"after {seconds:g} seconds" if seconds else "at the beginning"
    return (f'<p class="live-note">This is the figure {when}. On a screen, and with JavaScript, it obeys sliders.</p>\n'
            "</div>\n</div>\n")


def words_of(name, docs=DOCS):
    """The words about a figure that its page has for it."""
    text = (docs / "live" / f"{name}.md").read_text(encoding="utf-8")
    opened = f"```{{live-figure}} {name}\n"
    if opened not in text:
        raise ValueError(f"docs/live/{name}.md has no directive {{live-figure}} {name}; write one, with some words "
                         "about the figure as its content.")
    return text.partition(opened)[2].partition("\n```")[0].strip()
