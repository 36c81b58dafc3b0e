"""The JupyterLite site in Chromium: it opens, its kernel starts, and nothing is asked of anyone but Pyodide's server.

No network is needed: what the browser asks of Pyodide's server is answered from files that npm and PyPI have. NumPy's
WebAssembly build is not among those, so that no notebook can run here beyond its first cell; see docs/browser.md.
"""

import importlib.metadata
import io
import json
import os
import subprocess
import urllib.request
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

from tests.browser.conftest import served
from tests.browser.pyodide_files import pyodide_files
from tools.lite.cells import DESK, LITE_EXTRAS
from tools.lite.wheels import pyodide

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
VERSION = pyodide()["version"]
KINDS = {".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json"}
MINUTE = 60_000
FIRST = ".jp-NotebookPanel .jp-CodeCell"
IDLE = ".jp-NotebookPanel .jp-Notebook-ExecutionIndicator[data-status=idle]"


@pytest.fixture(scope="module")
def folder():
    """The site: RBDLIB_LITE, or build/lite, made anew if it is older than what it is made from."""
    if "RBDLIB_LITE" in os.environ:
        return Path(os.environ["RBDLIB_LITE"])
    python, made = ROOT / ".venv-lite/bin/python", ROOT / "build/lite/jupyter-lite.json"
    sources = (path for part in ("notebooks", "rbdlib", "tools/lite") for path in (ROOT / part).rglob("*.*"))
    newest = max(path.stat().st_mtime for path in sources if path.suffix != ".pyc")
    if not made.exists() or made.stat().st_mtime < newest:
        if not python.exists():
            pytest.skip("The JupyterLite site is not there, or old: `make lite` makes it.")
        subprocess.run([python, "-m", "tools.lite"], cwd=ROOT, check=True, capture_output=True)
    return made.parent


@pytest.fixture(scope="module")
def server(folder):
    """Pyodide's server, as the site's kernel has it."""
    (schema,) = folder.glob("extensions/@jupyterlite/pyodide-kernel-extension/static/schema/kernel.v0.schema.json")
    main = json.loads(schema.read_text(encoding="utf-8"))["properties"]["pyodideUrl"]["default"]
    assert VERSION in main
    return main.removesuffix("pyodide.mjs")


@pytest.fixture(scope="module")
def address(folder):
    with served(folder) as url:
        yield url


@pytest.fixture(scope="module")
def pyodides_files():
    pytest.importorskip("playwright", reason="`make test-browser` fetches Pyodide")
    try:
        return pyodide_files(VERSION)
    except OSError as error:
        pytest.skip(f"Pyodide cannot be fetched: {error}")


@pytest.fixture
def opened(chromium, address, server, pyodides_files):
    """Opens a page of the site; page.asked are the addresses asked for elsewhere, page.said the console's errors."""
    contexts = []

    def answer(route, asked):
        url = route.request.url
        if url.startswith(address):
            return route.continue_()
        asked.append(url)
        file = pyodides_files / url.removeprefix(server).partition("?")[0]
        if not url.startswith(server) or not file.exists():
            return route.abort()
        headers = {"Access-Control-Allow-Origin": "*", "Content-Type": KINDS.get(file.suffix, "application/zip")}
        return route.fulfill(path=file, headers=headers)

    def open_page(place, width=1280, height=900):
        context = chromium.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        page = context.new_page()
        page.asked, page.said = [], []
        context.route("**/*", lambda route: answer(route, page.asked))
        page.on("console", lambda message: page.said.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.goto(f"{address}/{place}")
        return page

    yield open_page
    for context in contexts:
        context.close()


def fetched(address):
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.read()


PROMPT = "document.querySelector('.jp-NotebookPanel .jp-CodeCell .jp-InputPrompt').textContent.trim()"


def output_of(page, code):
    """What a notebook's first cell puts out when it holds this code, run once the kernel has started.

    JupyterLab says idle a moment before it is connected; a cell that is run in that moment stays as it is, and a dialog
    may ask for a kernel.
    """
    page.locator(".jp-KernelName", has_text="Pyodide").wait_for(timeout=6 * MINUTE)
    page.locator(IDLE).wait_for(timeout=6 * MINUTE)
    cell = page.locator(FIRST).first
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(code)
    for _ in range(10):
        page.keyboard.press("Shift+Enter")
        page.wait_for_timeout(2000)
        if page.evaluate(PROMPT) != "[ ]:":
            break
        page.keyboard.press("Escape")
        cell.locator(".cm-content").click()
    page.wait_for_function(f"/^\\[\\d+\\]:$/.test({PROMPT})", timeout=6 * MINUTE)
    return "\n".join(cell.locator(".jp-OutputArea-output").all_text_contents())


@pytest.mark.slow
def test_the_index_of_wheels_serves_that_of_rbdlib(address):
    releases = json.loads(fetched(f"{address}/pypi/all.json"))["rbdlib"]["releases"]
    ((version, (file,)),) = releases.items()
    with zipfile.ZipFile(io.BytesIO(fetched(f"{address}/pypi/{file['url'].removeprefix('./')}"))) as wheel:
        text = wheel.read(f"rbdlib-{version}.dist-info/METADATA").decode()
        names = set(wheel.namelist())
    metadata = HeaderParser().parsestr(text)
    assert (metadata["Name"], metadata["Version"]) == ("rbdlib", version)
    assert {*LITE_EXTRAS} <= {*metadata.get_all("Provides-Extra")}
    assert {"rbdlib/__init__.py", "rbdlib/data/models/double_pendulum.toml"} <= names
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "rbdlib").rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == sources


def test_the_list_of_pyodides_versions_is_that_of_its_lock_file(pyodides_files):
    lock = json.loads((pyodides_files / "pyodide-lock.json").read_text(encoding="utf-8"))
    assert {name: lock["packages"][name]["version"] for name in pyodide()["packages"]} == pyodide()["packages"]
    assert lock["info"]["python"].startswith(pyodide()["python"])


def test_it_opens_without_errors_lists_the_notebooks_and_fetches_nothing(opened):
    page = opened("index.html")
    page.wait_for_selector(".jp-DirListing-item", timeout=2 * MINUTE)
    page.wait_for_function(f"document.querySelectorAll('.jp-DirListing-item').length > {len(NOTEBOOKS)}")
    assert page.locator(".jp-DirListing-itemName").all_text_contents() == [*NOTEBOOKS, DESK]
    assert page.said == [] and page.asked == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_notebook_can_be_read_before_anything_runs(opened, width):
    page = opened("notebooks/index.html?path=01_particle.ipynb", width=width)
    page.locator("h1", has_text="A particle on two rails").wait_for(timeout=2 * MINUTE)
    assert "piplite.install" in page.locator(FIRST).first.text_content()
    page.wait_for_function("document.querySelectorAll('.jp-OutputArea-output').length > 2", timeout=2 * MINUTE)


def test_the_kernel_starts_and_has_rbdlib_from_the_site(opened, server):
    page = opened("lab/index.html?path=01_particle.ipynb")
    said = output_of(page, "import piplite\nawait piplite.install('rbdlib', deps=False)\n"
                           "import importlib.metadata, importlib.util, sys\n"
                           "print(sys.platform, importlib.metadata.version('rbdlib'), "
                           "importlib.util.find_spec('rbdlib').origin)")
    assert f"emscripten {importlib.metadata.version('rbdlib')} /lib/python" in said and "rbdlib/__init__.py" in said
    assert page.asked and all(url.startswith(server) for url in page.asked)


def test_sympy_calculates_in_the_kernel(opened):
    """A package of Pyodide's that is pure Python, by way of the kernel's own installer."""
    page = opened("lab/index.html?path=01_particle.ipynb")
    said = output_of(page, "import sympy\nx = sympy.Symbol('x')\nprint(sympy.integrate(x**2, (x, 0, 3)))")
    assert said.strip().endswith("9")


def test_the_first_cell_asks_pyodides_server_for_what_rbdlib_needs_and_no_other(opened, address, server):
    page = opened("lab/index.html?path=01_particle.ipynb")
    copy = json.loads(fetched(f"{address}/files/01_particle.ipynb"))
    said = output_of(page, copy["cells"][0]["source"])
    assert all(url.startswith(server) for url in page.asked)
    names = {url.removeprefix(server).partition("-")[0].replace("_", "-") for url in page.asked}
    assert {*pyodide()["packages"]} <= names
    assert not {"rbdlib", "ipywidgets", "comm", "jupyterlab-widgets", "widgetsnbextension"} & names
    assert "No module named 'numpy'" in said            # it is not here; the cell says so, not a later one
