"""Output for the learner: printed sentences, worked solutions set as Markdown in a notebook, and the bars of
progress."""

import sys
import textwrap

_WIDTH = 100


def say(text):
    """Print paragraphs, each wrapped to the width of a page; lines that are set out with spaces stay as they are."""
    for paragraph in text.splitlines():
        set_out = paragraph.startswith("    ")
        print(paragraph if set_out else textwrap.fill(paragraph, _WIDTH, break_long_words=False,
                                                      break_on_hyphens=False))


class Page:
    """A text with a title, set as Markdown where that can be shown, and plain everywhere else."""

    def __init__(self, title, body):
        self._title, self._body = title, textwrap.dedent(body).strip()

    def _repr_markdown_(self):
        return f"**{self._title}**\n\n{self._body}"

    def __repr__(self):
        return f"{self._title}\n\n{self._body}"


def show(page):
    """Display a `Page`: rendered in a notebook, printed elsewhere."""
    ipython = sys.modules.get("IPython")
    if ipython is None or getattr(ipython.get_ipython(), "kernel", None) is None:
        print(page)
    else:
        from IPython.display import display

        display(page)


def bar(done, total, width=20):
    """A bar of fixed width; full only if everything is done, and empty only if nothing is."""
    filled = round(width * done / total) if total else 0
    if 0 < done < total:
        filled = min(max(filled, 1), width - 1)
    return "█" * filled + "░" * (width - filled)
