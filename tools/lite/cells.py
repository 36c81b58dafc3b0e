"""The cell that a copy of a notebook begins with where rbdlib is not installed: in the browser, and on Colab.

The notebooks of the repository have no such cell: who installed the course does not need it, and a first cell that
installs software is a bad first page. So the copies are made when the site is made.
"""

import textwrap
from copy import deepcopy

import nbformat

TAG = "browser-setup"
#: What the notebooks need of rbdlib's extras, and Pyodide has.
LITE_EXTRAS = ("plot", "symbolic")
#: On Colab everything can be installed.
COLAB_EXTRAS = ("fast", "plot", "qp", "symbolic")

#: A page of the JupyterLite site alone, on which a mechanism is put together and an answer checked.
DESK = "check_an_answer.ipynb"
DESK_TEXT = """\
# Check an answer

Run the cell above, then the one below. There, describe your mechanism in the first box, name the quantity that you have
derived, and type your answer, as text or as LaTeX. The picture shows the mechanism that was understood, with each joint
at 0.5; the report says whether the answer is right, and if not, which term is wrong.

Each part of a mechanism hangs on the end of the part before: `cart x, M -> rod theta, l, m, up`. There are carts,
sliders, rods, bobs, links, wheels and pivots, with `spring k` and `damper c` where they have one; if a line cannot be
read, you are told what to write instead. Quantities are for instance `T`, `V`, `L`, `H`, `C`, `g` and `equations of
motion`.
"""
DESK_CODE = """\
from rbdlib.verification.reports.live import live

live("cart x, M -> rod theta, l, m, up", "T", "1/2 M x'^2 + 1/2 m (x' - l cos(theta) theta'/2)^2")
"""

LITE_KERNEL = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}

LITE_CELL = """\
# This copy runs in your browser. Run this cell first: it takes rbdlib from this site, and NumPy,
# SciPy, SymPy and matplotlib from the Pyodide project; the first time, that takes a while.
import sys

if sys.platform == "emscripten":
    import piplite

    await piplite.install("rbdlib[{extras}]")

import rbdlib
"""

COLAB_CELL = """\
# This copy runs on Colab. Run this cell first: it installs rbdlib from its repository.
import importlib.util

if importlib.util.find_spec("rbdlib") is None:
    %pip install -q "rbdlib[{extras}] @ git+{address}"
"""

#: What a browser cannot run: {notebook: (what the cells concerned contain, what the first cell says)}.
LIMITS = {
    "20_contact": ("by_qp(", "Not in a browser: the cells with the quadratic program end with an ImportError, because "
                         "the library daqp cannot be had there. The others do not need them."),
}
#: With this tag, "Run All Cells" goes on after a cell that fails.
GO_ON = "raises-exception"


def lite_copy(notebook, name=""):
    """A copy for JupyterLite of a notebook (an nbformat node); name: as in "20_contact"."""
    word, limit = LIMITS.get(name, (None, ""))
    lines = [f"# {line}" for line in textwrap.wrap(limit, 96)]
    copy = with_first_cell(notebook, "\n".join([LITE_CELL.format(extras=",".join(LITE_EXTRAS)), *lines]))
    copy.metadata["kernelspec"] = dict(LITE_KERNEL)
    for cell in copy.cells[1:]:
        if word and cell.cell_type == "code" and word in cell.source:
            cell.metadata["tags"] = sorted({*cell.metadata.get("tags", ()), GO_ON})
    return copy


def desk():
    """The notebook `DESK`."""
    cells = nbformat.v4.new_markdown_cell(DESK_TEXT, id="desk"), nbformat.v4.new_code_cell(DESK_CODE, id="boxes")
    return nbformat.v4.new_notebook(cells=[*cells])


def colab_copy(notebook, address):
    """A copy for Colab; address: of the repository, as git takes it."""
    return with_first_cell(notebook, COLAB_CELL.format(extras=",".join(COLAB_EXTRAS), address=address))


def with_first_cell(notebook, text):
    """A copy of a notebook that begins with a code cell of this text. Raises ValueError if it has such a cell."""
    if any(TAG in cell.metadata.get("tags", ()) for cell in notebook.cells):
        raise ValueError(f"The notebook has a cell tagged {TAG!r} already: it is a copy. Copy the original.")
    copy = deepcopy(notebook)
    copy.cells.insert(0, nbformat.v4.new_code_cell(text.rstrip("\n"), id=TAG, metadata={"tags": [TAG]}))
    return copy
