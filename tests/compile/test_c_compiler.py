"""C compilers of every kind, those that fail in every way, and what is shown while they work."""

import io
import sys
import threading
import time
import warnings
from unittest.mock import Mock

import pytest

from rbdlib import load, rnea
from rbdlib.compile import c_compiler, cache, kernels
from rbdlib.compile.c_compiler import CKernel, can_be_called_natively, direct_call, load_library
from rbdlib.compile.compile_for import compile_for
from rbdlib.numbers import progress
from tests.compile import batches
from tests.compile.batches import STATE, works
from tests.sources.helpers import close

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the compilers here are scripts for sh")
needs_compiler = pytest.mark.skipif(c_compiler.find_compiler() is None, reason="there is no C compiler here")


def script(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return str(path)


#: What writes a text to the file behind -o.
WRITE = """#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" = -o ] && OUT="$2"; shift; done
[ -n "$OUT" ] && {} "$OUT"
exit 0
"""
BROKEN = {"exit code": "#!/bin/sh\necho broken >&2\nexit 1\n", "empty": "", "no interpreter": "#!/nowhere/sh\n",
          "does nothing": "#!/bin/sh\n", "killed": "#!/bin/sh\nkill -9 $$\n", "junk": WRITE.format("echo junk >"),
          "no library": WRITE.format("cp /bin/sh"), "nothing in it": WRITE.format(": >")}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_compiler_that_fails_in_any_way_is_left_out(folder, tmp_path, monkeypatch, kind):
    monkeypatch.setenv("CC", script(tmp_path / "cc", BROKEN[kind]))
    said = {"exit code": "broken", "killed": "it ended with -9", "does nothing": "it made no library"}.get(kind)
    said = f"The C compiler .* failed: {said}" if said else ""
    with pytest.warns(UserWarning, match=f"backend 'c' is left out: {said}") as warned:
        assert works().backend == "numpy"
    assert warned[0].filename == batches.__file__
    with pytest.raises(c_compiler.CompilerError, match=rf"{said}[\s\S]*name yours in the environment variable CC"):
        works("c")
    assert not [path for path in folder.iterdir() if b'"library"' in path.read_bytes() or path.name.startswith(".new-")]


@needs_compiler
def test_a_text_in_pieces_makes_one_library_and_what_is_not_in_it_or_takes_too_long_is_refused(folder, monkeypatch,
                                                                                               tmp_path):
    steps, text = [], "#if ONLY\nint one(void) { return 1; }\n#else\nint full(void) { return -1; }\n#endif"
    made = c_compiler.compile_library(text, 2, lambda: steps.append("done"))
    library = load_library(made, tmp_path)
    assert not list(tmp_path.glob(f".new-*{c_compiler.SUFFIX}"))
    cache.fetch("0" * 64, lambda: {"library": "00"})                            # it cannot be loaded: made anew, once
    found, entry = kernels.loaded("0" * 64, lambda: {"library": made.hex()}, lambda library: library["one"](), True)
    assert (found, entry) == (1, {"library": made.hex()}) == (1, cache.sound_entry(folder / ("0" * 64), "0" * 64))
    one, full = (CKernel(library, name) for name in ("one", "full"))
    assert one([], []) is True and len(steps) == 3
    for refused, error, complaint in ((lambda: full([], []), MemoryError, "not enough memory"),
                                      (lambda: CKernel(library, "two"), OSError, "no function two"),
                                      (lambda: direct_call(library, one, [1], (1,)), OSError, "nothing called method")):
        with pytest.raises(error, match=complaint):
            refused()
    for inputs in ([("q", (2,))] * 17, [], [("t", ())], [("q", (0,))], [("X", (6, 6))]):
        assert not can_be_called_natively(inputs)
    for name, value in (("platform", "win32"), ("gettotalrefcount", int), ("implementation", Mock())):
        with monkeypatch.context() as patch:
            patch.setattr(sys, name, value, raising=False)
            assert not can_be_called_natively([("q", (2,))])
    monkeypatch.setattr(c_compiler, "PATIENCE", {"version": 0.05, "piece": 0.05})
    hangs = script(tmp_path / "hangs", "#!/bin/sh\nexec sleep 60\n")
    for command, call, complaint in ((hangs, lambda: c_compiler.compile_library("int x;"), "took longer than 0.05 s"),
                                     ("/nowhere/cc", lambda: c_compiler.compile_library("int x;"), "not be started"),
                                     (hangs, c_compiler.identity, "could not be started: .*timed out")):
        monkeypatch.setattr(c_compiler, "_command_or_error", lambda command=command: [command])
        with pytest.raises(c_compiler.CompilerError, match=complaint):
            call()


@needs_compiler
def test_clang_as_ziglang_brings_it_is_the_last_resort(monkeypatch):
    monkeypatch.setenv("CC", "")
    monkeypatch.setattr(c_compiler, "USUAL", ())
    for there in (True, None):
        monkeypatch.setattr(c_compiler.importlib.util, "find_spec", lambda name, there=there: there)
        assert c_compiler.compiler_command() == ([sys.executable, "-m", "ziglang", "cc"] if there else None)


@pytest.mark.slow
def test_the_command_may_have_options_and_its_path_spaces(folder, tmp_path, monkeypatch):
    gcc = c_compiler.find_compiler()
    mine, pack = (script(tmp_path / name, text) for name, text in (
        ("my cc", f'#!/bin/sh\nexec {gcc} "$@"\n'), ("pack", '#!/bin/sh\nexec "$@"\n')))
    for command, words in ((f"{gcc} -O1 -DX='a b'", [gcc, "-O1", "-DX=a b"]), (f"{pack} {gcc}", [pack, gcc]),
                           (mine, [mine]), (f"'{mine}' -O1", [mine, "-O1"])):
        monkeypatch.setenv("CC", command)
        assert c_compiler.compiler_command() == words and c_compiler.find_compiler() == words[0]
        assert works("c").backend == "c"
    assert len([path for path in folder.iterdir() if b'"structure"' in path.read_bytes()]) == 4      # each its own


@pytest.mark.parametrize("named", ["/nowhere/cc", "no_such_compiler -O2", "'unbalanced"])
def test_a_compiler_that_is_named_but_not_there_is_mentioned_once(folder, monkeypatch, named):
    monkeypatch.setenv("CC", named)
    with pytest.warns(UserWarning, match="variable CC is .*, but there is no such program; .* is used. Correct CC"):
        found = c_compiler.compiler_command()
    with monkeypatch.context() as patch:
        patch.delenv("CC")
        assert found == c_compiler.compiler_command()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        works()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_steps_are_counted_from_those_that_are_done_and_the_bar_goes_on_while_one_lasts(monkeypatch):
    pytest.importorskip("tqdm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress.Stages(True) as bar:
        assert bar.clock.is_alive()
        bar.step()
        bar.expect(3)
        assert (bar.bar.n, bar.bar.total) == (1, 4)
    assert not bar.clock.is_alive() and "1/4 step" in sys.stderr.getvalue()
    (silent := progress.Stages(True)).bar.disable = True
    with silent:
        assert silent.clock.ident is None
    for delay, refreshed in ((1e12, []), (1.0, [1, 1])):
        bar, seen, turns = progress.Stages(True), [], iter([False, False, True])
        bar.over = Mock(wait=lambda tick, turns=turns: next(turns))
        bar.bar.start_t, bar.bar.delay, bar.bar.refresh = 0, delay, lambda seen=seen: seen.append(1)
        bar.clock.run()
        assert seen == refreshed


@pytest.mark.slow
def test_the_bar_appears_while_recording_lasts_and_without_threads_between_the_steps(folder, monkeypatch):
    pytest.importorskip("tqdm")
    seen, cheapest = [], kernels.cheapest

    def slow(**what):
        time.sleep(0.5)
        seen.append(sys.stderr.getvalue())
        return cheapest(**what)

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "TICK", 0.05)
    monkeypatch.setattr(progress.Stages, "DELAY", 0.1)
    monkeypatch.setattr(kernels, "cheapest", slow)
    model = load("double_pendulum")
    compile_for(rnea, model, cache=False)
    assert "0/2 step" in seen[0] and "step" in sys.stderr.getvalue()[len(seen[0]):]
    sys.stderr.truncate(0)
    compile_for(rnea, model, cache=False, progress=False)
    assert not sys.stderr.getvalue().strip("\0")
    with pytest.raises(ValueError, match="progress is 'yes'"):
        compile_for(rnea, model, progress="yes")
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress.Stages, "DELAY", 0)
    monkeypatch.setattr(kernels, "cheapest", cheapest)
    monkeypatch.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError("can't start new thread")))
    fast = compile_for(rnea, model, backend="numpy", cache=False)
    assert "1/2 step" in sys.stderr.getvalue()
    close(fast(*STATE), rnea(model, *STATE))
