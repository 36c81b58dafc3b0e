"""How long compiling takes, cold and from the cache, each in a Python session of its own."""

import os
import subprocess
import sys
import tempfile

from benchmarks.table import Row

#: Seconds that compiling may take: must, aim.
COLD, CACHED = (10, 2), (0.2, None)
SESSION = """
import time
from rbdlib import aba, load
from rbdlib.compile.compile_for import compile_for
model = load("panda")
start = time.perf_counter()
compile_for(aba, model)
print(time.perf_counter() - start)
"""


def rows(model_name, repeats=3):
    """Two rows: the median time until a compiled `aba` is there, with an empty cache and with one that has it."""
    cold, cached = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(seconds_of(SESSION, folder))
            cached.append(seconds_of(SESSION, folder))
    return [_row("compiling aba, cold", model_name, sorted(cold)[repeats // 2], *COLD),
            _row("compiling aba, cached", model_name, sorted(cached)[repeats // 2], *CACHED)]


def _row(what, model_name, seconds, limit, aim):
    return Row(what, model_name, f"limit of {limit} s", limit, seconds, "s", 1, aim and limit / aim)


def seconds_of(session, cache):
    """The number that a Python session of its own prints, whose cache is a folder."""
    environment = {**os.environ, "RBDLIB_CACHE": str(cache)}
    done = subprocess.run([sys.executable, "-c", session], env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)
