"""Addresses at which others run the notebooks: Binder and Colab take them from the project's repository.

The project's address is said once, in the environment variable RBDLIB_REPOSITORY or to `python -m tools.lite`. The
pages of the site, the copies for Colab and the page of the package index take it from there.
"""

import os
import re
from dataclasses import dataclass

VARIABLE = "RBDLIB_REPOSITORY"
#: The branch that holds the copies for Colab; .github/workflows/site.yml fills it.
COPIES = "colab"
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

    def page(self, path):
        """The address of a file or a folder, as a page that shows it."""
        return f"{self.address}/blob/HEAD/{path}"

    def raw(self, path):
        """The address of a file itself, such as a picture's."""
        return f"{self.address}/raw/HEAD/{path}"

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
        return f"{COLAB}/{self.owner}/{self.name}/blob/{COPIES}/{notebook}"


def repository(address):
    """The `Repository` at an address such as "https://github.com/OWNER/NAME". Raises ValueError for anything else."""
    found = ADDRESS.fullmatch(address.strip())
    if not found:
        raise ValueError(f"The repository's address is {address!r}; give one such as https://github.com/OWNER/NAME or "
                         f"https://gitlab.com/OWNER/NAME, in {VARIABLE} or by --repository.")
    return Repository(*found.groups())


def known():
    """The `Repository` that RBDLIB_REPOSITORY names, or None. Raises SystemExit if it names something else."""
    try:
        return repository(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None
    except ValueError as error:
        raise SystemExit(str(error)) from None


def table(repository, notebooks):
    """A Markdown table of links; notebooks: file names."""
    rows = ["| notebook | Binder | Colab |", "|---|---|---|"]
    for name in notebooks:
        stem, colab = name.removesuffix(".ipynb"), repository.colab(name)
        title = stem.replace("_", " ")
        there = f"[{title} on Colab]({colab})" if colab else "GitHub only"
        rows.append(f"| [{title}](notebooks/{name}) | [{title} on Binder]({repository.binder(name)}) | {there} |")
    return "\n".join(rows)
