"""Copies of notebooks for the browser and for Colab: one cell more, and nothing less."""

import ast
import asyncio
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager

from tools.lite.cells import COLAB_EXTRAS, GO_ON, LIMITS, LITE_EXTRAS, TAG, colab_copy, lite_copy

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
ADDRESS = "https://github.com/OWNER/NAME"


@pytest.fixture(scope="module")
def original():
    return nbformat.read(NOTEBOOKS[4], as_version=4)


def compiles(text):
    """Whether IPython can run a cell: with its magics, and `await` outside of functions."""
    code = TransformerManager().transform_cell(text)
    return compile(code, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.parametrize("copied", [lite_copy, lambda notebook: colab_copy(notebook, ADDRESS)])
def test_a_copy_has_one_cell_more_and_the_original_is_as_before(original, copied):
    before = deepcopy(original)
    copy = copied(original)
    assert original == before
    assert copy.cells[1:] == original.cells
    assert copy.cells[0].metadata.tags == [TAG] and copy.cells[0].outputs == []
    nbformat.validate(copy)
    assert compiles(copy.cells[0].source)
    assert max(map(len, copy.cells[0].source.splitlines())) <= 100


def test_no_notebook_of_the_repository_has_the_cell_and_a_copy_is_not_copied(original):
    assert [path.name for path in NOTEBOOKS if TAG in path.read_text(encoding="utf-8")] == []
    with pytest.raises(ValueError, match=r"'browser-setup' already: it is a copy\. Copy the original"):
        lite_copy(lite_copy(original))


def test_the_browser_takes_rbdlib_from_its_site_and_colab_from_the_repository(original):
    lite, colab = lite_copy(original), colab_copy(original, ADDRESS)
    assert f'await piplite.install("rbdlib[{",".join(LITE_EXTRAS)}]")' in lite.cells[0].source
    assert f'"rbdlib[{",".join(COLAB_EXTRAS)}] @ git+{ADDRESS}"' in colab.cells[0].source
    assert lite.metadata.kernelspec.name == "python" and colab.metadata == original.metadata


def test_the_first_cell_does_nothing_where_rbdlib_is_installed(original):
    """On a computer of one's own, as when a copy has been downloaded."""
    names = {}
    asyncio.run(eval(compiles(lite_copy(original).cells[0].source), names))
    assert "piplite" not in names and "rbdlib" in names
    exec(compiles(colab_copy(original, ADDRESS).cells[0].source), {"get_ipython": pytest.fail})


@pytest.mark.parametrize("name", LIMITS)
def test_cells_that_a_browser_cannot_run_do_not_stop_the_others(name):
    word, text = LIMITS[name]
    notebook = nbformat.read(next(path for path in NOTEBOOKS if path.stem == name), as_version=4)
    copy = lite_copy(notebook, name)
    assert " ".join(text.split()) in copy.cells[0].source.replace("\n# ", " ")
    code = [cell for cell in copy.cells[1:] if cell.cell_type == "code"]
    marked = [cell for cell in code if GO_ON in cell.metadata.get("tags", ())]
    assert marked and all(word in cell.source for cell in marked)
    assert not any(word in cell.source for cell in code if cell not in marked)
