"""When pytest runs the notebooks (nbval), each one starts like a fresh reader's: no exercise has been solved yet."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

FOLDER = pytest.StashKey[str]()


def pytest_configure(config):
    folder = TemporaryDirectory()
    config.stash[FOLDER] = folder.name
    config.add_cleanup(folder.cleanup)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """The kernel that nbval starts for the first cell of a notebook inherits this environment."""
    os.environ["RBDLIB_PROGRESS"] = str(Path(item.config.stash[FOLDER]) / f"{item.path.stem}.json")
    os.environ["TQDM_DISABLE"] = "1"                # on a busy computer a bar would appear that was not saved


def pytest_runtest_teardown():
    os.environ.pop("TQDM_DISABLE", None)
