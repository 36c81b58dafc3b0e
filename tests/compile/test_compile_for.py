"""Compiled functions have the arguments and results of the readable ones, for one state and for batches of any kind."""

import gc
import pickle
import sys
import tracemalloc
from contextlib import nullcontext, suppress
from types import SimpleNamespace

import numpy as np
import pytest

from rbdlib import Model, aba, load, rnea
from rbdlib.book.ch02_spatial import mcI, rotz
from rbdlib.book.ch04_joints import Fixed, Revolute
from rbdlib.compile import kernels
from rbdlib.compile.compile_for import compile_for
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.derivatives import rnea_derivatives
from tests.compile.batches import states
from tests.compile.programs import in_four_threads
from tests.compile.test_executer import tree
from tests.sources.helpers import close

SEED, ASKED = 7, []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "backend"), [("panda", "auto"), ("many", "numpy"), ("arm_2r", "numba"),
                                               ("arm_2r", "jax")])
def test_batches_of_every_shape_and_every_kind_of_joint(name, backend):
    if backend in ("numba", "jax"):
        pytest.importorskip(backend)
    rng = np.random.default_rng(SEED)
    function, model = (aba, tree(name)) if name == "many" else (rnea, load(name))
    fast = compile_for(function, model, backend=backend, cache=False)
    for shape in ((), (1,), (8,), (17,), (2, 3), (0,), (3, 0), (1, 1, 4)):
        arguments = states(model, shape, rng)
        found = fast(*arguments)
        assert found.shape == (*shape, model.nv)
        for k in np.ndindex(shape):
            close(found[k], function(model, *(x[k] for x in arguments)), 1e-11)


def test_a_state_gives_the_same_numbers_alone_in_any_batch_and_in_several_threads():
    model, rng = load("double_pendulum"), np.random.default_rng(SEED)
    fast, arguments = compile_for(aba, model), states(model, (21,), rng)
    batch = fast(*arguments)
    if fast.backend == "c":
        for k in range(21):
            assert (fast(*(x[k] for x in arguments)) == batch[k]).all()
            assert (fast(*(x[k : k + 3] for x in arguments)) == batch[k : k + 3]).all()
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for shape in [(), (3,), (700,), (20_000,)] * 3:            # the last is large enough for its room to be kept
            arguments = [rng.normal(size=(*shape, 2)) for _ in range(3)]
            found = fast(*arguments)
            state = tuple(int(rng.integers(n)) for n in shape)
            wrong.append(not np.allclose(found[state], aba(model, *(x[state] for x in arguments)), rtol=1e-9))

    in_four_threads(work)
    assert len(wrong) == 48 and not any(wrong)


@pytest.mark.slow
def test_a_call_leaves_nothing_behind():
    model, rng = load("double_pendulum"), np.random.default_rng(SEED)
    fast, (q, qd, qdd) = compile_for(rnea, model), states(model, (), rng)
    kinds = {"clean": (q, qd, qdd), "of floats": (q.tolist(), qd, qdd), "NaN": (q * np.nan, qd, qdd),
             "short": (q[:1], qd, qdd), "too few": (q, qd), "text": (q, "text", qdd), "None": (q, qd, None),
             "float": (0.1, qd, qdd)}
    for name, arguments in kinds.items():
        before = [sys.getrefcount(x) for x in (*arguments, NotImplemented, np.empty)]
        assert growth(fast, arguments, 5_000 if name == "clean" else 300) < 20_000, name
        more = np.subtract([sys.getrefcount(x) for x in (*arguments, NotImplemented, np.empty)], before)
        assert not more[:-2].any() and (np.abs(more[-2:]) < 50).all(), name
    assert growth(compile_for(reciprocal, model), (np.array([0.0, 1.0]),), 200) < 20_000


def growth(fast, arguments, times):
    """The memory in bytes that many calls leave behind, once the first have kept what they need."""
    def call_often(times):
        for _ in range(times):
            with suppress(ValueError, TypeError):
                fast(*arguments)

    call_often(50)
    tracemalloc.start()
    start = tracemalloc.get_traced_memory()[0]
    call_often(times)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - start
    tracemalloc.stop()
    return grown


@pytest.mark.slow
def test_external_forces_in_every_form_time_several_results_and_none():
    model, rng = load("arm_3r"), np.random.default_rng(SEED)
    fast, (q, qd, tau) = compile_for(aba, model), states(model, (3,), rng)
    forces = rng.normal(size=(3, 4, 6))
    batch = fast(q, qd, tau, forces)
    for k in range(3):
        close(batch[k], aba(model, q[k], qd[k], tau[k], forces[k]))
        close(fast(q[k], qd[k], tau[k], f_ext=forces[k].tolist()), batch[k])
    close(fast(q, qd, tau, f_ext=None), fast(q, qd, tau), 0)
    close(fast(q, qd, tau, f_ext={}), fast(q, qd, tau))
    driven = Model([0, 1], [Custom(1, lambda q, t: rotz(q[0] + 2 * t)), Revolute("y")], [np.eye(6)] * 2,
                   [mcI(1.0, [0.1, 0.2, 0.3], np.eye(3)), mcI(2.0, [0.3, 0.2, 0.1], np.eye(3))])
    fast, state, times = compile_for(rnea, driven), states(driven, (4,), rng), rng.normal(size=4)
    batch = fast(*state, t=times)
    for k in range(4):
        one = [x[k] for x in state]
        close(batch[k], rnea(driven, *one, t=times[k]))
        close(fast(*one, None, times[k]), batch[k])
    close(fast(*one), rnea(driven, *one))
    model, rng = load("arm_3r"), np.random.default_rng(SEED)
    q, qd, qdd = states(model, (2, 3), rng)
    parts = compile_for(rnea_derivatives, model)(q, qd, qdd)
    assert isinstance(parts, tuple) and [part.shape for part in parts] == [(2, 3, 3, 3)] * 3
    for part, right in zip(parts, rnea_derivatives(model, q[1, 0], qd[1, 0], qdd[1, 0]), strict=True):
        close(part[1, 0], right, 1e-11)
    model = Model([0], [Fixed()], [np.eye(6)], [np.eye(6)])
    for backend in ("auto", "numpy"):
        fast = compile_for(rnea, model, backend=backend)
        assert fast([], [], []).shape == (0,) and fast(np.zeros((5, 0)), [], []).shape == (5, 0)


def reciprocal(model, q):
    ASKED[:] = [q]
    if q[0] == 0:
        raise ValueError("q[0] is zero.")
    return 1 / q if q[1] != 0 else 0 * q


def test_what_has_no_finite_answer_is_handed_to_the_readable_function():
    fast = compile_for(reciprocal, load("double_pendulum"), backend="numpy")
    close(fast([[1.0, 2.0], [4.0, 0.0], [4.0, 5.0]]), [[1, 0.5], [0, 0], [0.25, 0.2]])
    close(fast([1.0, 0.0]), [0, 0])
    ASKED.clear()
    assert fast([1.0, 2.0]).tolist() == [1, 0.5] and not ASKED
    for q in ([0.0, 1.0], [[1.0, 2.0], [0.0, 1.0]]):
        with pytest.raises(ValueError, match="q.0. is zero"):
            fast(q)


def test_what_a_compiled_function_tells_and_without_a_compiler_what_is_missing(monkeypatch, tmp_path):
    model = load("arm_3r")
    fast = compile_for(rnea, model)
    assert "rnea(q, qd, qdd, f_ext=None, t=0.0)" in repr(fast) and fast.backend in repr(fast)
    assert 0 < fast.count()["m"] < 300 and fast.count() == fast.program.count()
    assert fast.compile_seconds > 0 and fast.model is model and fast.function is rnea
    assert "Joint forces tau" in fast.__doc__
    if fast.backend == "c":
        assert "int algorithm(size_t n" in fast.source
    state = states(model, (), np.random.default_rng(SEED))
    close(fast.program.evaluate([x for array in state for x in array]), fast(*state))
    close(pickle.loads(pickle.dumps(fast))(*state), fast(*state), 0)
    shown = []
    bar = SimpleNamespace(step=lambda: shown.append("step"), expect=shown.append)
    monkeypatch.setattr(kernels, "Stages", lambda progress: nullcontext(bar))
    compile_for(rnea, model, backend=fast.backend, cache=False)
    compile_for(rnea, model, backend="numpy", cache=False)
    assert shown == ["step", *([2, "step"] if fast.backend == "c" else []), "step"]
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    assert kernels._is_installed("rbdlib") and not kernels._is_installed("no_such_package")
    monkeypatch.setattr(kernels, "_is_installed", lambda package: package == "jax")
    assert kernels.choices("jax") == ["jax"]
    monkeypatch.setattr(kernels, "_is_installed", lambda package: False)
    model, rng = load("double_pendulum"), np.random.default_rng(SEED)
    fast, arguments = compile_for(aba, model), states(model, (5,), rng)
    assert fast.backend == "numpy" and "def algorithm(q, qd, tau):" in fast.source
    q, qd, tau = np.tile(arguments[0], (1000, 1)), arguments[1][3], arguments[2][3]     # more than one call of NumPy
    close(fast(q, qd, tau)[4998], aba(model, q[3], qd, tau))
    for backend, error, text in (("c", RuntimeError, "backend='c' needs a C compiler.*Install GCC or Clang"),
                                 ("numba", ImportError, "needs the package numba"),
                                 ("jax", ImportError, "needs the package jax")):
        with pytest.raises(error, match=text):
            compile_for(aba, model, backend=backend)
