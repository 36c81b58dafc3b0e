"""The page of the package index: the README, whose links and pictures lead to the project's repository.

hatchling calls it when it builds a wheel or a source archive (pyproject.toml). The repository's address is that of
RBDLIB_REPOSITORY; without one, words stay and what cannot be reached from the index goes.
"""

import os
import re
import sys
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))                   # hatchling runs this file by its path

from tools.lite.links import VARIABLE, repository  # noqa: E402

#: A link or, with !, a picture, that leads to a file of the repository.
LOCAL = re.compile(r"(!?)\[([^\[\]]*)\]\((?!https?:|#)([^()\s]+)\)")
WITHOUT = ("*The pictures, and the pages that the text below names, are in the project's repository and in its source "
           "archive.*")


def index_page(readme, address=""):
    """The README as the index shows it; address: of the repository, "" if it is not known."""
    home = repository(address) if address else None

    def linked(found):
        picture, words, path = found.groups()
        if home:
            return f"{picture}[{words}]({home.raw(path) if picture else home.page(path)})"
        return "" if picture else words

    text = LOCAL.sub(linked, readme)
    heading, _, rest = text.partition("\n\n")
    return text if home else f"{heading}\n\n{WITHOUT}\n\n{rest}"


class IndexPage(MetadataHookInterface):
    """Hands the page to hatchling."""

    def update(self, metadata):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": index_page(text, os.environ.get(VARIABLE, ""))}
