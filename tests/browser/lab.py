"""A student at JupyterLab: starts it by `make lab`, runs a notebook by the menu, drags sliders, types into cells.

What is done is done by mouse and keyboard, and what is checked is what the page shows. Only for finding a cell (cells
out of view are not in the page) and for asking whether it has been run does `Notebook` look into JupyterLab.
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "build" / "browser"
TOKEN = "student"
#: Milliseconds: for what the page does by itself, and for what a kernel computes on a busy machine.
SOON, LATE = 60_000, 600_000
CELLS = """() => {
    const { cells } = jupyterapp.shell.currentWidget.content.model;
    return Array.from({ length: cells.length }, (_, k) => cells.get(k)).map((cell, k) => ({
        k, type: cell.type, source: cell.sharedModel.getSource(), count: cell.executionCount ?? null,
        busy: cell.type === "code" && cell.executionState !== "idle",
        outputs: (cell.type === "code" ? cell.outputs.toJSON() : []).map(({ output_type: kind, data, ename, evalue }) =>
            ({ kind, error: kind === "error" ? `${ename}: ${evalue}` : "", picture: Boolean(data?.["image/png"]),
               said: [data?.["text/plain"] ?? ""].flat().join("") })) }));
}"""
CONNECTED = """() => {
    const context = jupyterapp.shell.currentWidget?.sessionContext, kernel = context?.session?.kernel;
    return context?.isReady && kernel?.connectionStatus === "connected" && kernel.status === "idle";
}"""
FINISHED = f"""() => {{
    const code = ({CELLS})().filter(cell => cell.type === "code" && cell.source.trim());
    return code.some(cell => cell.outputs.some(output => output.error))
        || code.every(cell => cell.count !== null && !cell.busy);
}}"""
DRAWN = f"""([k, words, before]) => {{
    const said = ({CELLS})()[k].outputs.findLast(output => output.picture).said;
    const seen = document.querySelectorAll(`.jp-Cell[data-windowed-list-index="${{k}}"] .jp-OutputArea-output img`);
    const are_said = words.every(word => [" ", ",", "]"].some(end => said.includes(word + end)));
    return are_said && seen.length > 0 && seen[seen.length - 1].src !== before;
}}"""


# The server

def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def surroundings(home):
    """The environment of a student whose home folder is `home`: nothing of Jupyter's or of make's own settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "MAKE", "MFLAGS"))
            and name not in ("RBDLIB_STATIC", "RBDLIB_PROGRESS", "IPYTHONDIR", "VIRTUAL_ENV")}
    return {**kept, "HOME": str(home), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@contextlib.contextmanager
def make_lab(course, home):
    """JupyterLab as `make lab` starts it, with the folder `course` in place of this one; yields its address."""
    port, log = free_port(), home / "lab.log"
    options = (f"--no-browser --port {port} --ServerApp.port_retries=0 --ServerApp.root_dir={course} "
               f"--IdentityProvider.token={TOKEN} --LabApp.expose_app_in_browser=True")
    with open(log, "w", encoding="utf-8") as said:
        server = subprocess.Popen(["make", "lab", f"ARGS={options}"], cwd=ROOT, env=surroundings(home), stdout=said,
                                  stderr=subprocess.STDOUT, start_new_session=True)
    try:
        yield answered(f"http://localhost:{port}", server, log)
    finally:
        stop(server)


def answered(url, server, log, seconds=300):
    """The address, as soon as JupyterLab answers there."""
    for _ in range(2 * seconds):
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/api/status?token={TOKEN}", timeout=5):
            return url
        assert server.poll() is None, f"`make lab` ended by itself:\n{log.read_text(encoding='utf-8')}"
        time.sleep(0.5)
    raise AssertionError(f"JupyterLab does not answer at {url}:\n{log.read_text(encoding='utf-8')}")


def stop(server):
    """Ends the server, which ends its kernels."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)


# The page

def whole(text):
    """Matches a text that is this and nothing more."""
    return re.compile(f"^{re.escape(text)}$")


class Notebook:
    """An open notebook. ``page`` is Playwright's; cells are found by a part of their text."""
    def __init__(self, page, name):
        self.page, self.name = page, name
        page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=LATE)
        page.wait_for_function(CONNECTED, timeout=LATE)
        self.until_idle()

    def menu(self, *path):
        """Chooses an entry of the menu with the mouse: menu("Run", "Run All Cells")."""
        self.page.locator(".lm-MenuBar-itemLabel", has_text=whole(path[0])).click()
        for name in path[1:]:
            self.page.locator(".lm-Menu-itemLabel", has_text=whole(name)).last.click()

    def until_idle(self):
        self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook-ExecutionIndicator[data-status=idle]"
                          ).wait_for(timeout=LATE)

    def cells(self):
        return self.page.evaluate(CELLS)

    def run_all(self):
        """Run > Run All Cells; returns when all have been run, or one has failed."""
        self.menu("Run", "Run All Cells")
        self.page.wait_for_function(FINISHED, timeout=LATE, polling=200)
        if not self.errors():
            self.until_idle()

    def errors(self):
        """What cells raised: (text of the cell, error)."""
        return [(cell["source"], output["error"]) for cell in self.cells() for output in cell["outputs"]
                if output["error"]]

    def find(self, text):
        """The number of the one code cell that has this text."""
        found = [cell["k"] for cell in self.cells() if cell["type"] == "code" and text in cell["source"]]
        assert len(found) == 1, f"{len(found)} code cells of {self.name} contain {text!r}"
        return found[0]

    def show(self, k):
        """Scrolls to cell k and returns it as the page has it."""
        cell = self.page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{k}']")
        for _ in range(20):                                     # heights of cells not seen before are guessed at first
            self.page.evaluate("k => jupyterapp.shell.currentWidget.content.scrollToItem(k, 'start')", k)
            with contextlib.suppress(Exception):
                cell.wait_for(timeout=2000)
                return cell
        raise AssertionError(f"Cell {k} of {self.name} cannot be scrolled into view.")

    def replace(self, k, text):
        """Types another text into cell k, as a student would."""
        editor = self.show(k).locator(".cm-content")
        editor.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)
        assert self.cells()[k]["source"] == text

    def run(self, k):
        """Runs cell k, whose text has the cursor, with Shift+Enter; returns the text that it shows below."""
        before = self.cells()[k]["count"]
        self.page.keyboard.press("Shift+Enter")
        self.page.wait_for_function(f"([k, before]) => {{ const cell = ({CELLS})()[k];"
                                    " return cell.count !== null && cell.count !== before && !cell.busy; }",
                                    arg=[k, before], timeout=LATE)
        return self.output(k)

    def output(self, k):
        """The text of what cell k shows below itself, spaces and line breaks made even."""
        outputs = self.show(k).locator(".jp-OutputArea-output")
        outputs.first.wait_for(timeout=SOON)
        return " ".join(" ".join(outputs.all_inner_texts()).split())

    def picture(self, k):
        """The last picture below cell k, once it is loaded."""
        image = self.show(k).locator(".jp-OutputArea-output img").last
        image.wait_for(timeout=SOON)
        return image

    def drag(self, slider):
        """Drags the handle of a slider to the other side of its middle with the mouse."""
        handle, track = slider.locator(".noUi-handle"), slider.locator(".noUi-target")
        handle.hover()
        box, knob = track.bounding_box(), handle.bounding_box()
        x, y = knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2
        part = 0.3 if x > box["x"] + box["width"] / 2 else 0.7
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + part * box["width"], y + 3, steps=4)
        self.page.mouse.up()

    def type_value(self, slider, value):
        """Types a value into the number beside a slider; again, if a late message of the kernel wiped it out."""
        readout = slider.locator(".widget-readout")
        for _ in range(10):
            readout.click()
            self.page.keyboard.press("Control+a")
            self.page.keyboard.type(value, delay=50)
            self.page.keyboard.press("Enter")
            if readout.inner_text().replace("\N{MINUS SIGN}", "-") == value:
                return
            self.page.wait_for_timeout(1000)
        raise AssertionError(f"{value} was typed ten times, and the slider shows {readout.inner_text()}.")

    def until_drawn(self, k, words, before):
        """Waits until the picture below cell k is another one and its description has these words; returns its data."""
        self.show(k)
        self.page.wait_for_function(DRAWN, arg=[k, words, before], timeout=2 * SOON)
        return self.picture(k).get_attribute("src")

    def photograph(self, what, end=None):
        """Saves what the window shows in build/browser/; end: an element whose lower end is to be seen."""
        if end is not None:
            end.evaluate("element => element.scrollIntoView({ block: 'end' })")
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=PICTURES / f"{self.name[:2]}_{re.sub('[^a-z0-9]+', '_', what.lower())}.png")
