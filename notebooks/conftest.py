"""When pytest runs the notebooks (nbval), each one starts like a fresh reader's: no exercise has been solved yet.

Each has a kernel of its own. On Linux this is a copy of a process that has made its imports, see
tools/notebook_kernels.py; elsewhere, where copies of processes are not safe or not to be had, it starts from nothing.
"""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

FOLDER = pytest.StashKey[str]()
KERNELS = Path(__file__).parents[1] / "tools/notebook_kernels.py"
#: On a busy computer a bar would appear that was not saved; pictures are not compared, so films have three frames and
#: figures no layout.
FOR_KERNELS = {"TQDM_DISABLE": "1", "RBDLIB_REHEARSAL": "1"}


def pytest_configure(config):
    folder = TemporaryDirectory()
    config.stash[FOLDER] = folder.name
    config.add_cleanup(folder.cleanup)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """The kernel that nbval starts for the first cell of a notebook inherits this environment."""
    if item.config.option.nbval_current_env and sys.platform == "linux" and KERNELS.exists():
        use_copied_kernels(item.config)
    os.environ["RBDLIB_PROGRESS"] = str(Path(item.config.stash[FOLDER]) / f"{item.path.stem}.json")
    os.environ.update(FOR_KERNELS)


def pytest_runtest_teardown():
    for name in FOR_KERNELS:
        os.environ.pop(name, None)


def use_copied_kernels(config):
    """Start the process that kernels are copies of, and tell nbval of them by the name "copied"."""
    folder = config.stash[FOLDER]
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{folder}/socket")
        listener.listen()
        nursery = subprocess.Popen(
            [sys.executable, str(KERNELS), "nursery", str(listener.fileno())], pass_fds=[listener.fileno()],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,     # as nbval does it
            env={**os.environ, "MPLBACKEND": "module://matplotlib_inline.backend_inline"})
    config.add_cleanup(nursery.communicate)         # closes its standard input, and so ends it
    spec = Path(folder, "kernels/copied/kernel.json")
    spec.parent.mkdir(parents=True)
    spec.write_text(json.dumps({
        "argv": [sys.executable, "-S", str(KERNELS), "kernel", f"{folder}/socket", "{connection_file}"],
        "display_name": "a copied kernel", "language": "python"}))
    os.environ["JUPYTER_PATH"] = folder
    config.option.nbval_current_env, config.option.nbval_kernel_name = False, "copied"
