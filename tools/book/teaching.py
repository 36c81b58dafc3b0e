"""The pages for teachers, as files that Sphinx reads."""

from tools.book.places import write_if_changed
from tools.teaching.pages import pages


def write(folder):
    """Writes the pages below folder; returns their paths."""
    return [write_if_changed(folder / path, text) for path, text in pages().items()]
