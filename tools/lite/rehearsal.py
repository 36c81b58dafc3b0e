"""Runs notebooks under the limits of a browser, on this computer: `python -m tools.lite.rehearsal [NOTEBOOK ...]`.

Pyodide has no threads, no processes, no C compiler, and not all packages. Here all of these are taken away from an
ordinary Python, and the notebooks run as the browser's kernel would run them: cell by cell in one IPython shell. What
fails here fails there. What differs in Pyodide's own NumPy, or needs more memory than a browser gives, is not seen.
"""

import argparse
import json
import os
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

from tools.lite.places import NOTEBOOKS

#: Packages that pip may have installed here and that Pyodide does not have, or that are not installed in the browser.
ABSENT = ("daqp", "distributed", "jax", "lxml", "numba", "urdf_parser_py", "yaml")
#: Mentioned by cells that show what goes wrong, on purpose.
MAY_RAISE = "raises-exception"


class Without:
    """A finder of modules that does not find some."""

    def __init__(self, finder, absent):
        self.finder, self.absent = finder, absent

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in self.absent else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)


def limit(absent=ABSENT):
    """Takes from this process what Pyodide does not have. There is no way back."""
    import concurrent.futures
    import multiprocessing.process

    def no_thread(thread):
        raise RuntimeError("can't start new thread")

    def no_process(*args, **kwargs):
        raise OSError(138, "emscripten does not support processes.")

    def no_pool(*args, **kwargs):
        raise NotImplementedError("This Python build lacks multiprocessing.synchronize")

    threading.Thread.start = no_thread
    subprocess.Popen.__init__ = no_process
    multiprocessing.process.BaseProcess.start = no_process
    concurrent.futures.ProcessPoolExecutor.__init__ = no_pool
    os.cpu_count = lambda: 1
    os.environ["PATH"] = ""
    sysconfig.get_config_vars()             # while it finds them
    sys.platform = "emscripten"
    sys.meta_path[:] = [Without(finder, absent) for finder in sys.meta_path]


def run(path):
    """Runs the cells of a notebook, those after a failure too; returns [(number of the cell, error)] of failures."""
    from IPython.core.interactiveshell import InteractiveShell

    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    shell = InteractiveShell.instance()
    failures = []
    for k, cell in enumerate(json.loads(Path(path).read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] == "code" and MAY_RAISE not in cell["metadata"].get("tags", ()):
            done = shell.run_cell("".join(cell["source"]), store_history=True)
            if not done.success:
                error = done.error_before_exec or done.error_in_exec
                failures.append((k, f"{type(error).__name__}: {error}".splitlines()[0]))
    return failures


def rehearse(path):
    """Runs a notebook in a process of its own; returns (seconds, what failed or "")."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "tools.lite.rehearsal", "--here", str(path)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    last = done.stdout.strip().splitlines()[-1:] or ["no output"]
    return time.perf_counter() - start, "" if done.returncode == 0 else last[0]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tools.lite.rehearsal", description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="files (all of notebooks/)")
    parser.add_argument("--here", action="store_true", help="run them in this process, which keeps the limits")
    options = parser.parse_args(arguments)
    failed = 0
    if options.here:
        limit()
    for path in options.notebooks or sorted(NOTEBOOKS.glob("*.ipynb")):
        if options.here:
            problem = "; ".join(f"cell {k}: {error}" for k, error in run(path))
        else:
            seconds, problem = rehearse(path)
            print(f"{path.stem:35} {seconds:4.0f} s  {problem or 'runs'}", flush=True)
        failed += bool(problem)
        if options.here and problem:
            print(problem)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
