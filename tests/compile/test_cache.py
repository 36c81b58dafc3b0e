"""Compiled functions on disk: found again, never trusted when damaged or foreign, and not needed to work at all."""

import errno
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from rbdlib import aba, crba, load, rnea
from rbdlib.compile import c_compiler, cache
from tests.compile.batches import STATE, works
from tests.sources.helpers import close

needs_compiler = pytest.mark.skipif(c_compiler.find_compiler() is None, reason="there is no C compiler here")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def made(monkeypatch):
    """The number of times that something was compiled, as the length of a list."""
    runs, run = [], c_compiler.compile_library
    monkeypatch.setattr(c_compiler, "compile_library", lambda *args: (runs.append(args[0]), run(*args))[1])
    return runs


def entries(folder):
    return sorted(path for path in folder.iterdir() if len(path.name) == 64)


def one_entry():
    """What makes an entry of the cache."""
    return {"shapes": [[2, 3], []], "structure": {"kind": "constant", "value": 0.5}, "text": "1 + 2"}


@needs_compiler
def test_what_was_compiled_is_found_again_and_never_unpickled_or_not_kept_at_all(folder, made, monkeypatch):
    for backend, chosen in (("auto", "c"), ("numpy", "numpy")):
        assert works(backend, cache=False).backend == chosen
    assert not folder.exists()
    made.clear()
    works("c")
    assert len(made) == len(entries(folder)) == 2               # the algorithm, and the way to it from Python
    works("c")
    assert len(made) == 2
    works("numpy")
    for name in ("load", "loads"):
        monkeypatch.setattr(pickle, name, lambda *_: pytest.fail("a cache entry was unpickled"))
    works("numpy")
    assert len(made) == 2 and len(entries(folder)) == len(list(folder.iterdir())) == 3


def test_every_difference_that_matters_makes_another_entry(monkeypatch):
    model = load("double_pendulum")
    heavier = model.replace(inertia=[2 * I for I in model.inertia[1:]])

    def keys():
        return [cache.cache_key("c", *parts) for parts in (
            (rnea, model, {}), (rnea, heavier, {}), (crba, model, {}), (rnea, model, {"given": ("t",)}),
            *((lambda model, q, factor=factor: factor * crba(model, q), model, {}) for factor in (2.0, 3.0)))]

    first = keys()
    assert keys() == first and len(set(first)) == 6
    for name, changed in (("LAYOUT", -1), ("library_text", lambda: "edited")):
        monkeypatch.setattr(cache, name, changed)
        assert set(keys()).isdisjoint(first)


@needs_compiler
@pytest.mark.parametrize("damage", ["removed", "cut off", "a folder", "a full folder"])
def test_whatever_is_damaged_is_made_anew(folder, made, damage):
    works("c")
    for path in entries(folder):
        made.clear()
        start = path.read_bytes()[: path.stat().st_size // 2]
        path.unlink()
        if damage == "cut off":
            path.write_bytes(start)
        elif damage != "removed":
            path.mkdir()
            if damage == "a full folder":
                (path / "entry.json").write_bytes(start)
        for times in (1, 1):
            works("c")
            assert len(made) == times, path.name


def test_no_bit_of_an_entry_can_change_unnoticed(folder):
    key = "0" * 64
    entry, place, made = cache.fetch(key, one_entry)
    assert made and place == folder and cache.fetch(key, one_entry) == (entry, folder, False)
    file = folder / key
    right = file.read_bytes()
    for place in range(len(right)):
        for bit in (0, 1, 4, 7):
            file.write_bytes(right[:place] + bytes([right[place] ^ 1 << bit]) + right[place + 1 :])
            assert cache.sound_entry(file, key) is None, (place, bit)
    for text in ("", "null", "[]", "{}", '{"key": 1, "files": [], "notes": {}}', "\0", "[" * 100000, "\n", "\n{}"):
        file.write_text(text, encoding="utf-8")
        assert cache.sound_entry(file, key) is None, text[:9]
    file.write_bytes(right + b" ")
    assert cache.sound_entry(file, key) is None
    file.write_bytes(right)
    assert cache.sound_entry(file, key) == entry == one_entry()
    assert cache.sound_entry(file, "1" * 64) is None, "it is the entry of another function"


@pytest.mark.parametrize("backend", ["auto", "numpy"])
def test_where_nothing_can_be_kept_a_warning_says_so_once(tmp_path, monkeypatch, folder, backend):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("RBDLIB_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.warns(UserWarning, match="not kept in .*RBDLIB_CACHE"):
        works(backend)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        works(backend, aba)


@pytest.mark.parametrize(("module", "name", "found", "reason"), [
    (os, "access", False, "it cannot be written to.*RBDLIB_CACHE"),
    (cache, "edited", "x.py", "x.py was changed after rbdlib had been imported. Restart Python")])
def test_what_may_not_be_kept_is_not(folder, monkeypatch, module, name, found, reason):
    monkeypatch.setattr(module, name, lambda *_: found)
    with pytest.warns(UserWarning, match=reason):
        assert cache.fetch("0" * 64, one_entry) == (one_entry(), None, True) and not entries(folder)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has other permissions")
@pytest.mark.parametrize(("mode", "owner", "reason"), [
    (0o770, None, "others than you may write to it.*chmod go-w"), (0o1702, None, "others than you may write to it"),
    (0o700, 4321, "belongs to another user")])
def test_a_folder_that_others_might_fill_is_not_trusted(folder, mode, owner, reason):
    if owner and os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    folder.mkdir()
    folder.chmod(mode)
    if owner:
        os.chown(folder, owner, owner)
    with pytest.warns(UserWarning, match=reason):
        works("auto")
    assert not entries(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows finds the home of a user otherwise")
@pytest.mark.parametrize("named", [None, "~nosuchuser/cache"])
def test_without_a_home_nothing_is_kept(monkeypatch, folder, named):
    monkeypatch.setattr(Path, "home", Mock(side_effect=RuntimeError("Could not determine home.")))
    monkeypatch.delenv("RBDLIB_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if named:
        monkeypatch.setenv("RBDLIB_CACHE", named)
    with pytest.warns(UserWarning, match="not kept in a folder of yours: .*RBDLIB_CACHE") as warned:
        works("auto")
        works("auto")
    assert len(warned) == 1


def test_where_the_disk_is_full_no_files_serve_and_the_folder_follows_the_customs(monkeypatch, folder, tmp_path):
    full = Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(UserWarning, match="not kept in .*: .*No space left.*Make room there") as warned:
        works("auto")
        works("auto")
    assert len(warned) == 1 and list(folder.iterdir()) == []
    monkeypatch.setattr(c_compiler, "LOADED", {})
    for name in ("mkstemp", "mkdtemp"):
        monkeypatch.setattr(tempfile, name, full)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fast = works("auto")
    assert fast.backend == "numpy" and fast.count()["m"] > 0
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for name in ("RBDLIB_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for system, place in {"linux": ".cache/rbdlib", "darwin": "Library/Caches/rbdlib",
                          "win32": "AppData/Local/rbdlib"}.items():
        monkeypatch.setattr(sys, "platform", system)
        assert cache.cache_folder() == tmp_path / place
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    assert cache.cache_folder() == tmp_path / "elsewhere/rbdlib"


def test_functions_outlive_the_folder_and_what_is_old_is_removed_from_it(folder, monkeypatch):
    fast = works("auto")
    assert entries(folder)
    shutil.rmtree(folder)
    assert fast.count()["m"] > 0 and fast.source
    close(fast(*STATE), rnea(load("double_pendulum"), *STATE))
    works("auto")
    shutil.rmtree(folder)
    monkeypatch.setattr(cache, "MOST", 3)
    folder.mkdir(mode=0o700)
    for name, age in ((".new-old", 2), (".new-young", 0), (".new-old.dll", 2), ("mine", 2)):
        path = folder / name
        path.mkdir() if "." not in name[1:] else path.write_text("x", encoding="utf-8")
        os.utime(path, (time.time() - age * 86400,) * 2)
    for k in range(3):
        cache.fetch(f"{k:064x}", one_entry)
        os.utime(folder / f"{k:064x}", (1e9 + k, 1e9 + k))
    assert not cache.fetch("0" * 64, one_entry)[2]              # used again, so that 1 is the oldest
    cache.fetch(f"{3:064x}", one_entry)
    assert {path.name for path in entries(folder)} == {f"{k:064x}" for k in (0, 2, 3)}
    assert {path.name for path in folder.iterdir()} - {path.name for path in entries(folder)} == {".new-young", "mine"}


@pytest.mark.slow
def test_many_processes_may_compile_the_same_at_the_same_time(folder):
    code = ("import sys; from rbdlib import compile_for, load, rnea\n"
            "fast = compile_for(rnea, load('double_pendulum'), progress=False)\n"
            "print(fast([0.3, -0.4], [1.0, 2.0], [-1.0, 0.5]).tolist())")
    runs = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             cwd=ROOT) for _ in range(3)]
    said = [run.communicate() for run in runs]
    right = rnea(load("double_pendulum"), *STATE)
    for out, err in said:
        assert not err
        np.testing.assert_allclose(json.loads(out), right, rtol=1e-12)
    assert [path for path in folder.iterdir() if path.name.startswith(".new-")] == []
    for entry in entries(folder):
        assert cache.sound_entry(entry, entry.name) is not None
