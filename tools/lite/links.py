"""Addresses at which others run the notebooks: Binder and Colab take them from the project's repository.

The project's address is said once, in the environment variable RBDLIB_REPOSITORY or to `python -m tools.lite`.
"""

import re
from dataclasses import dataclass

VARIABLE = "RBDLIB_REPOSITORY"
#: The branch that holds the finished site, and in it the copies for Colab; see docs/browser.md.
PAGES = "gh-pages"
BINDER = "https://mybinder.org/v2"
COLAB = "https://colab.research.google.com/github"
ADDRESS = re.compile(r"https://(github\.com|gitlab\.com)/([\w.-]+)/([\w.-]+?)(?:\.git)?/?")


@dataclass(frozen=True)
class Repository:
    """A public repository: where it is, whose, and its name."""

    host: str
    owner: str
    name: str

    @property
    def address(self):
        return f"https://{self.host}/{self.owner}/{self.name}"

    def binder(self, notebook):
        """The address that has Binder open a notebook; notebook: as in "01_particle.ipynb"."""
        if self.host == "github.com":
            place = f"gh/{self.owner}/{self.name}"
        else:
            place = f"gl/{self.owner}%2F{self.name}"
        return f"{BINDER}/{place}/HEAD?urlpath=lab/tree/notebooks/{notebook}"

    def colab(self, notebook):
        """The address that has Colab open a notebook's copy, or None: Colab reads from GitHub only."""
        if self.host != "github.com":
            return None
        return f"{COLAB}/{self.owner}/{self.name}/blob/{PAGES}/lite/colab/{notebook}"


def repository(address):
    """The `Repository` at an address such as "https://github.com/OWNER/NAME". Raises ValueError for anything else."""
    found = ADDRESS.fullmatch(address.strip())
    if not found:
        raise ValueError(f"The repository's address is {address!r}; give one such as https://github.com/OWNER/NAME or "
                         f"https://gitlab.com/OWNER/NAME, in {VARIABLE} or by --repository.")
    return Repository(*found.groups())


def table(repository, notebooks):
    """A Markdown table of links; notebooks: file names."""
    rows = ["| notebook | Binder | Colab |", "|---|---|---|"]
    for name in notebooks:
        stem, colab = name.removesuffix(".ipynb"), repository.colab(name)
        title = stem.replace("_", " ")
        there = f"[{title} on Colab]({colab})" if colab else "GitHub only"
        rows.append(f"| [{title}](notebooks/{name}) | [{title} on Binder]({repository.binder(name)}) | {there} |")
    return "\n".join(rows)
