"""What decides whether a compiled function is found again: all that it was made from, and nothing else."""

import cmath
import importlib
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rbdlib import load
from rbdlib.compile import cache
from rbdlib.compile.compile_for import compile_for
from tests.sources.helpers import close

ROOT = Path(__file__).resolve().parents[2]


def compiled(function, model, *state):
    return compile_for(function, model, backend="numpy")(*state)


def test_names_of_arguments_and_of_bodies_and_types_of_constants_are_part_of_what_was_compiled():
    def first(model, q, qd):
        return q * 2.0

    def with_the_names_exchanged(model, qd, q):
        return qd * 2.0                             # the same place, so that Python's code is the same

    def of_hand(model, q):
        return q[model.names.index("hand") - 1 : model.names.index("hand")]

    model, state = load("double_pendulum"), ([1.0, 2.0], [10.0, 20.0])
    for function in (first, with_the_names_exchanged, first):
        close(compiled(function, model, *state), function(model, *map(np.array, state)))
    assert cache.fingerprint(first) != cache.fingerprint(with_the_names_exchanged)
    assert cache.fingerprint(math.sin) != cache.fingerprint(cmath.sin)
    names = {"__name__": "made up"}                 # of each pair of functions each calls both of the pair before
    exec("a0 = b0 = abs\n" + "\n".join(f"def {x}{k}(y): return a{k - 1}(y) + b{k - 1}(y)"
                                        for k in range(1, 60) for x in "ab"), names)
    assert cache.fingerprint(names["a59"]) != cache.fingerprint(names["a58"])
    functions = (lambda model, q, tau: q, lambda model, q, qd: q, lambda model, q, qd, t=1: q,
                 lambda model, tau, *, q: q)
    assert len(set(map(cache.fingerprint, functions))) == 4
    results = [compiled(function, model, [1.0, 2.0])[1] for function in (
        lambda model, q: (q, (1, 2)), lambda model, q: (q, (1.0, 2.0)), lambda model, q: (q, True),
        lambda model, q: (q, 1))]
    assert [repr(result) for result in results] == ["(1, 2)", "(np.float64(1.0), np.float64(2.0))", "True",
                                                    "np.float64(1.0)"]
    for names in (["arm", "hand"], ["hand", "arm"]):
        named = model.replace(names=names)
        close(compiled(of_hand, named, [3.0, 4.0]), of_hand(named, [3.0, 4.0]))


def test_a_function_of_a_package_is_another_when_the_package_is(tmp_path, monkeypatch):
    """Here the package is imported anew, as another process would."""
    def by_its_module(module):
        return lambda model, q: module.scaled(model, q)

    package = tmp_path / "site-packages" / "package_of_somebody"
    package.mkdir(parents=True)
    monkeypatch.syspath_prepend(str(package.parent))
    (package / "__init__.py").write_text("from package_of_somebody.inner import scaled\n", encoding="utf-8")
    for factor in (2.0, 3.0, 25.0):
        (package / "inner.py").write_text(f"def scaled(model, q):\n    return {factor} * q\n", encoding="utf-8")
        os.utime(package / "inner.py", (1e9 + factor, 1e9 + factor))
        for name in ("package_of_somebody", "package_of_somebody.inner"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        cache._edition.cache_clear()
        module = importlib.import_module("package_of_somebody")
        for function in (module.scaled, by_its_module(module)):
            close(compiled(function, load("double_pendulum"), [1.0, 2.0]), [factor, 2 * factor])
    before = cache.fingerprint(module.scaled)
    (package / "bytes").mkdir()                                         # what Python compiles does not matter
    (package / "bytes/inner.pyc").touch()
    cache._edition.cache_clear()
    assert cache.fingerprint(module.scaled) == before


STORY = """
import importlib, sys
from pathlib import Path
import numpy as np
import rbdlib.book.ch05_inverse_dynamics as module
from rbdlib import Model
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch02_spatial import mcI

def forces():
    from rbdlib import compile_for
    return compile_for(module.rnea, model, backend="numpy")([0.3], [0.0], [0.0])

def edit():
    file = Path(module.__file__)
    file.write_text(file.read_text().replace("return newton_euler(", "return 2 * newton_euler(", 1))

model = Model([0], [Revolute("z")], [np.eye(6)], [mcI(1.0, [0.5, 0, 0], np.eye(3))], gravity=(0, 1, 0))
for do in sys.argv[1:]:
    {"edit": edit, "reload": lambda: importlib.reload(module), "compile": forces}[do]()
found, right = forces(), module.rnea(model, [0.3], [0.0], [0.0])
assert np.allclose(found, right), (found, right)
"""


@pytest.mark.slow
@pytest.mark.parametrize("story", [["edit"], ["compile", "edit", "reload"]], ids=" and ".join)
def test_what_is_edited_while_it_runs_is_kept_under_no_name(tmp_path, story):
    shutil.copytree(ROOT / "rbdlib", tmp_path / "rbdlib", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "RBDLIB_CACHE": str(tmp_path / "cache")}
    for words, warned in ((story, True), ([], False)):
        done = subprocess.run([sys.executable, "-c", STORY, *words], env=environment, cwd=tmp_path, text=True,
                              stderr=subprocess.PIPE)
        assert done.returncode == 0, done.stderr
        assert ("inverse_dynamics.py was changed after rbdlib had been imported" in done.stderr) == warned, done.stderr
