"""What the tests in a browser share: Chromium, started once, or the sentence why they are skipped.

`make test-browser` runs them. It sets RBDLIB_BROWSER=needed, and then a browser that is not there is a failure.
"""

import os
import shutil
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec

import pytest

PROGRAMS = ("chromium", "google-chrome", "chromium-browser")
#: No sandbox, for root and in containers; drawings in space without a graphics card.
FLAGS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
TO_INSTALL = ("Install it with `apt install chromium` (Debian, Ubuntu), `dnf install chromium` (Fedora) or, for one of "
              "its own, `.venv-browser/bin/python -m playwright install chromium`.")


def pytest_collection_modifyitems(items):
    if find_spec("playwright") is None:
        skip = pytest.mark.skip(reason="Playwright is not installed here; `make test-browser` runs these tests.")
        for item in items:
            if "playwright" in getattr(item, "fixturenames", ()):
                item.add_marker(skip)


def without(reason):
    """Skips, or fails where a browser was promised."""
    (pytest.fail if os.environ.get("RBDLIB_BROWSER") == "needed" else pytest.skip)(reason)


@contextmanager
def served(folder):
    """The address of a folder that Python's own server serves meanwhile, without a slash at its end."""
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def on_path():
    """The first Chromium or Chrome on the PATH; None leaves the choice to Playwright, which may have one of its own."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@pytest.fixture(scope="session")
def playwright():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium(playwright):
    """Chromium without a window."""
    from playwright.sync_api import Error

    program = on_path()
    try:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
    except Error as error:
        said = str(error).splitlines()[0]
        without(f"{program} does not start: {said}" if program else
                f"No Chromium was found: none of {', '.join(PROGRAMS)} is on the PATH, and Playwright has none of its "
                f"own. {TO_INSTALL}")
    yield browser
    browser.close()
