"""What the tests of generated code share."""

import hashlib

import pytest

from rbdlib.compile import c_compiler, cache, kernels


@pytest.fixture(autouse=True, scope="session")
def cache_of_its_own(tmp_path_factory):
    """Compiled functions are kept in a folder of this run, and no C source is compiled twice in it."""
    libraries, compile_anew = tmp_path_factory.mktemp("libraries"), c_compiler.compile_library

    def compile_library(text, pieces=1, done=lambda: None):
        command = [*(c_compiler.compiler_command() or []), *c_compiler.flags()]
        known = libraries / hashlib.sha256("\n".join([text, *command]).encode()).hexdigest()
        if known.exists():
            for _ in range(pieces if pieces == 1 else pieces + 1):
                done()
        else:
            known.write_bytes(compile_anew(text, pieces, done))
        return known.read_bytes()

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RBDLIB_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(c_compiler, "compile_library", compile_library)
        yield


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache for this test alone; without Numba, which would take seconds to start."""
    monkeypatch.setenv("RBDLIB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "edited", lambda: None)          # who works on the library runs tests meanwhile
    monkeypatch.setattr(kernels, "_is_installed", lambda package: False)
    cache.warn_once.cache_clear()
    return tmp_path / "cache"
