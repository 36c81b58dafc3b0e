"""Ensembles: the same answers as one by one, on every executor; nothing finished is lost, whatever ends the program."""

import math
import os
import signal
import subprocess
import sys
import threading
import time
import types
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import CubicSpline

from rbdlib import LoopJoint, Model, load
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import Revolute, Spherical
from rbdlib.compile.cache import fingerprint
from rbdlib.compile.parameters import with_parameters
from rbdlib.loops.closing import close_loops
from rbdlib.motion.controllers import gravity_compensation, pd
from rbdlib.motion.ensemble import Ensemble, Failure, _cores, _run, ensemble
from rbdlib.motion.simulate import Trajectory, simulate
from rbdlib.numbers.progress import Progress

PENDULUM = load("pendulum")
STATES = [([angle], [0]) for angle in np.linspace(0.5, 3, 5)]
RUN = {"t_span": (0, 0.2), "method": "rk4", "dt": 0.02}
GAIN = 2.0


def brake(t, q, qd):
    return -GAIN * qd


def sometimes_nan(t, q, qd):
    return [math.nan if q[0] > 2.9 else 0]


def sometimes_deadly(t, q, qd):
    if q[0] > 2.9:
        os._exit(3)
    return [0]


def assert_same_as_one_by_one(results, states=STATES, **arguments):
    assert len(results) == len(states)
    for result, state in zip(results, states, strict=True):
        expected = simulate(PENDULUM, *state, **{**RUN, **arguments})
        assert isinstance(result, Trajectory)
        for name in ("t", "q", "qd", "norm_defect", "energy"):
            assert_allclose(getattr(result, name), getattr(expected, name), rtol=0, atol=1e-12)


# Executors

@pytest.fixture(scope="module")
def spawned():
    """Another process, which inherits nothing; its sets have an order of their own."""
    with pytest.MonkeyPatch.context() as patch, ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        patch.setenv("PYTHONHASHSEED", "5")                # read by the process, which begins with its first task
        yield executor


@pytest.mark.slow
def test_results_are_those_of_single_simulations_also_in_processes_that_inherit_nothing(spawned):
    """Nothing is inherited on Windows and macOS, where every process starts from an empty one."""
    results = ensemble(PENDULUM, STATES, **RUN, torque=brake)
    assert_same_as_one_by_one(results, torque=brake)
    assert isinstance(results, Ensemble) and repr(results) == "<Ensemble of 5 runs, 0 failed>"
    assert results.trajectories == list(results)
    assert results.failures == [] == list(ensemble(PENDULUM, [], **RUN))

    law = pd(PENDULUM, [1], 5, 1) + gravity_compensation(PENDULUM)
    assert_same_as_one_by_one(ensemble(PENDULUM, STATES[:2], **RUN, torque=law, executor=spawned), STATES[:2],
                              torque=law)


def test_threads_need_nothing_sent_and_a_browser_without_them_computes_the_same(monkeypatch):
    def later_first(t, q, qd):
        if t == 0:
            time.sleep(0.05 * (3 - q[0]))
        return [0.1]

    with ThreadPoolExecutor(5) as executor:
        assert_same_as_one_by_one(ensemble(PENDULUM, STATES, **RUN, torque=later_first, executor=executor),
                                  torque=[0.1])

    def refuse(*arguments):
        raise RuntimeError("can't start new thread")

    for known in (7, None):
        monkeypatch.setattr(os, "process_cpu_count", lambda known=known: known, raising=False)
        assert _cores() == (known or 1)
    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert_same_as_one_by_one(ensemble(PENDULUM, STATES, **RUN, torque=brake), torque=brake)
    with ThreadPoolExecutor(2) as executor:
        assert_same_as_one_by_one(ensemble(PENDULUM, STATES, **RUN, executor=executor))


@pytest.mark.long
def test_a_dask_cluster_computes_the_same(tmp_path):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with (distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None,
                                   local_directory=str(tmp_path)) as cluster,
          distributed.Client(cluster) as client):
        results = ensemble(PENDULUM, STATES, **RUN, torque=lambda t, q, qd: [math.nan if q[0] > 3 else 0.1],
                           executor=client.get_executor(), folder=tmp_path / "kept")
    assert_same_as_one_by_one(results, torque=[0.1])
    assert len(list((tmp_path / "kept").glob("run_*.npz"))) == 5


# Runs that fail

def test_a_run_that_fails_is_reported_with_its_time_and_the_others_are_not_lost(tmp_path):
    """The last: q'' = 2 q³ from q = q' = 1 is q = 1 / (1 - t)."""
    with pytest.warns(UserWarning, match="1 of 5 runs failed, the first of them number 4: SimulationError: At t = 0 s"):
        results = ensemble(PENDULUM, STATES, **RUN, torque=sometimes_nan, folder=tmp_path)
    assert_same_as_one_by_one(results[:4], STATES[:4])
    assert results.failures == [results[4]] and isinstance(results[4], Failure)
    assert "torque at joint 1 (rod) is [nan]" in results[4].error and "in simulate" in results[4].traceback
    assert (results[4].index, results[4].t, results[4].body) == (4, 0, 1)
    assert sorted(file.name for file in tmp_path.glob("run*")) == [f"run_{k:06d}.npz" for k in range(4)]

    with ThreadPoolExecutor(1) as executor, pytest.warns(UserWarning, match="The integration stopped at t = 1 s"):
        lost = ensemble(PENDULUM, [STATES[0], ([1], [1])], (0, 1.5), executor=executor,
                        dynamics=lambda model, q, *_: 2 * q**3)[1]
    assert (lost.t, lost.body) == (pytest.approx(1, abs=1e-6), None)


@pytest.mark.slow
def test_a_run_that_ends_its_process_is_reported_and_the_others_are_not_lost_but_with_a_given_executor():
    states = [STATES[4], *STATES[:3]]
    with pytest.warns(UserWarning, match="1 of 4 runs failed, the first of them number 0: The process ended before"):
        results = ensemble(PENDULUM, states, **RUN, torque=sometimes_deadly)
    assert [isinstance(result, Failure) for result in results] == [True, False, False, False]
    assert_same_as_one_by_one(results[1:], STATES[:3])
    with pytest.raises(RuntimeError, match="No process lives long enough to finish a run"):
        ensemble(PENDULUM, [STATES[4]] * 4, **RUN, torque=sometimes_deadly)
    with (ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor,
          pytest.warns(UserWarning, match="2 of 2 runs failed")):
        results = ensemble(PENDULUM, [STATES[4], STATES[0]], **RUN, torque=sometimes_deadly, executor=executor)
    for failure in results.failures:
        assert "took with it all that were not finished; call again" in failure.error


# Interrupts

SCRIPT = """
import os, signal, sys, time
from pathlib import Path
from rbdlib import load
from rbdlib.motion.ensemble import ensemble

signal.signal(signal.SIGINT, signal.default_int_handler)    # a test run in the background is started without one
HERE = Path(__file__).parent
STATES = [([0.1 * (k + 1)], [0]) for k in range(6)]

def slow(t, q, qd):
    if t == 0:
        with open(HERE / "begun", "a") as log:
            log.write(f"{q[0]:.1f} {os.getpid()}\\n")
    time.sleep(60 if q[0] > 0.35 and "again" not in sys.argv else 0.04)
    return [0.1]

if __name__ == "__main__":
    results = ensemble(load("pendulum"), STATES, (0, 0.5), slow, method="euler", dt=0.1, folder=HERE / "runs")
    print(len(results.trajectories))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="this system has no signals between processes")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT"])
def test_an_ensemble_killed_or_interrupted_loses_no_finished_run_leaves_no_process_and_goes_on_later(tmp_path, name):
    """An interrupt stops it at once with one traceback. Started again it leaves alone what was finished. The later runs
    take so long that a program that waits for them is found out: it does not end in time."""
    script, runs, begun = (tmp_path / file for file in ("script.py", "runs", "begun"))
    script.write_text(SCRIPT, encoding="utf-8")
    where = {"cwd": Path(__file__).parents[2], "env": {**os.environ, "PYTHONPATH": "."}, "text": True}
    process = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **where)
    try:
        for _ in range(6000):
            if len(list(runs.glob("run_*.npz"))) >= 2:
                break
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        process.send_signal(getattr(signal, name))
        process.wait(timeout=30)
    finally:
        process.kill()
        process.wait()
    for line in begun.read_text(encoding="utf-8").splitlines():
        status = Path(f"/proc/{line.split()[1]}/stat")              # a process that nobody asked about yet is a Z
        for _ in range(400):
            if not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z":
                break
            time.sleep(0.05)
        else:
            raise AssertionError(f"process {line} still runs")
    with process.stdout, process.stderr:
        err = process.stderr.read()
    if name == "SIGINT":
        assert err.count("Traceback") == 1 and err.rstrip().endswith("KeyboardInterrupt")
    finished = {file: file.stat().st_mtime_ns for file in runs.glob("run_*.npz")}
    assert 2 <= len(finished) < 6
    if name == "SIGINT":
        return

    done = subprocess.run([sys.executable, script, "again"], capture_output=True, check=True, **where)
    assert done.stdout == "6\n"
    assert {file: file.stat().st_mtime_ns for file in finished} == finished
    angles = [line.split()[0] for line in begun.read_text(encoding="utf-8").splitlines()]
    for k in range(6):
        file = runs / f"run_{k:06d}.npz"
        assert file not in finished or angles.count(f"{0.1 * (k + 1):.1f}") == 1
        with np.load(file) as kept:
            expected = simulate(PENDULUM, [0.1 * (k + 1)], [0], (0, 0.5), [0.1], method="euler", dt=0.1)
            assert_array_equal(kept["q"], expected.q)


# Folders

@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor(2)])
def test_lengths_masses_and_torques_may_differ_from_run_to_run(executor, tmp_path, monkeypatch):
    monkeypatch.setattr("rbdlib.motion.ensemble.LANES", 8)
    rng, model = np.random.default_rng(3), load("pendulum", symbolic=True)
    states, torques = rng.normal(size=(20, 2, 1)), rng.normal(size=(20, 1))
    numbers = {"g": 9.8, **{name: rng.uniform(0.5, 2, 20) for name in ("l", "m")}}

    def runs(count):
        return ensemble(model, states[:count], (0, 0.1, 0.2), torques[:count], executor=executor, folder=tmp_path,
                        parameters={name: x if name == "g" else x[:count] for name, x in numbers.items()})

    kept = runs(3)
    for k, motion in enumerate(runs(20)):
        if k in (0, 1, 12, 19):
            alone = with_parameters(model, {name: x if name == "g" else x[k] for name, x in numbers.items()})
            expected = simulate(alone, *states[k], (0, 0.1, 0.2), torques[k], compiled=False)
            assert_allclose(motion.q, expected.q, atol=1e-12)
            assert_allclose(motion.energy, expected.energy, atol=1e-12)
        if k < 3:
            assert_array_equal(motion.q, kept[k].q)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"tolerance": 1e-3}, {"method": "rk4", "dt": 0.02}])
@pytest.mark.parametrize(("name", "failing"), [("four_bar", [2, 5]), ("balls", [2])])
def test_loops_are_closed_side_by_side_and_runs_that_fail_harm_no_other(name, failing, options, monkeypatch):
    """From two assemblies. The last of the four-bars has no mass."""
    rng, numbers, alone, times = np.random.default_rng(4), {}, [], [0, 0.1, 0.3]
    if name == "four_bar":
        model, guesses = load(name, symbolic=True), [[0.5, 0.5, 1.5], [0.5, -0.5, -1.5]] * 3
        numbers = dict(zip("abc", rng.uniform(0.95, 1.05, (3, 6)) * [[0.15], [0.45], [0.35]], strict=True))
        numbers |= {"g": np.full(6, 9.8), "density": [2, 2, 2, 2, 2, 0], "ground": np.full(6, 0.4)}
    else:
        inertia = [mcI(m, [0, 0, 0.4], 0.02 * np.eye(3)) for m in (1, 2)]
        model = Model([0, 1], [Revolute("x"), Spherical()], [np.eye(6), xlt([0, 0, 0.5])], inertia, loops=[
            LoopJoint(0, 2, Spherical(), xlt([0.6, 0.3, 0]), xlt([0, 0, 0.8]))])
        guesses = [[angle, *Spherical().random_position(rng)] for angle in rng.uniform(-1, 1, 6)]
    models = [with_parameters(model, {part: x[k] for part, x in numbers.items()}) for k in range(6)]
    states = [(close_loops(model, q), np.zeros(model.nv)) for model, q in zip(models, guesses, strict=True)]
    torques = np.linspace(-0.1, 0.1, 6 * model.nv).reshape(6, -1)
    if "dt" in options:
        torques[2] = 1e300
    else:
        states[2][0][0] += 0.1
    monkeypatch.setattr("rbdlib.motion.ensemble._run", lambda *given: alone.append(given[1]) or _run(*given))
    with pytest.warns(UserWarning, match=f"{len(failing)} of 6 runs failed"):
        motions = ensemble(model, states, times, torques, parameters=numbers, **options)
    assert [lost.index for lost in motions.failures] == failing and len(alone) == len(failing)
    for k in {*range(6)}.difference(failing):
        expected = simulate(models[k], *states[k], times, torques[k], compiled=False, **options)
        assert_allclose(np.hstack([motions[k].q, motions[k].qd]), np.hstack([expected.q, expected.qd]), atol=1e-9)
        assert motions[k].loop_gaps.max() < 1e-11
        assert_allclose(motions[k].norm_defect, expected.norm_defect, atol=1e-9)


def test_what_is_finished_is_not_computed_again_and_new_states_are_added(tmp_path, capsys):
    """And a file that cannot be read is computed anew."""
    ensemble(PENDULUM, STATES[:3], **RUN, folder=tmp_path)
    before = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    (tmp_path / "run_000003.npz.tmp").write_bytes(b"half a fi")
    assert_same_as_one_by_one(ensemble(PENDULUM, STATES, **RUN, folder=str(tmp_path), progress=True))
    assert {file: file.stat().st_mtime_ns for file in before} == before
    assert len(list(tmp_path.glob("*.npz"))) == 5
    assert [file.name for file in tmp_path.glob("*.tmp")] == ["run_000003.npz.tmp"]
    err = capsys.readouterr().err
    assert "60%" in err.partition("\r")[2][:10] and "5/5 runs" in err
    file = tmp_path / "run_000001.npz"
    file.write_bytes(file.read_bytes()[:100])
    with pytest.warns(UserWarning, match="run_000001.npz cannot be read .*; the run is computed anew"):
        assert_same_as_one_by_one(ensemble(PENDULUM, STATES, **RUN, folder=tmp_path))
    assert_same_as_one_by_one(ensemble(PENDULUM, STATES, **RUN, folder=tmp_path))


@pytest.mark.parametrize(("changes", "named"), [
    ({"model": PENDULUM.replace(gravity=(0, -1.62, 0))}, "model"), ({"t_span": (0, 0.21)}, "t_span"),
    ({"torque": pd(PENDULUM, [1], 5, 2)}, "torque"), ({"torque": None, "dt": 0.01}, "torque and dt"),
    ({"f_ext": {1: [0, 0, 0, 1, 0, 0]}}, "f_ext"), ({"method": "euler"}, "method"),
    ({"dynamics": "inverse_dynamics"}, "dynamics")])
def test_a_folder_of_other_arguments_is_refused(tmp_path, changes, named):
    arguments = {"model": PENDULUM, "states": STATES[:1], "torque": pd(PENDULUM, [1], 5, 1), "folder": tmp_path, **RUN}
    with ThreadPoolExecutor(1) as executor:
        ensemble(**arguments, executor=executor)
        with pytest.raises(ValueError, match=f"keeps an ensemble with another {named}. Choose another folder"):
            ensemble(**{**arguments, **changes}, executor=executor)
        with pytest.raises(ValueError, match=r"keeps a run from another state than states\[0\]"):
            ensemble(**{**arguments, "states": STATES[1:]}, executor=executor)
        same = {**arguments, "t_span": np.array([0, 0.2]), "torque": pd(PENDULUM, (1.0,), 5.0, 1)}
        assert len(ensemble(**same, executor=executor)) == 1
        for text in ("shopping", "[]", "3"):
            (tmp_path / "ensemble.json").write_text(text, encoding="utf-8")
            with pytest.raises(ValueError, match="is no record of an ensemble"):
                ensemble(**arguments, executor=executor)
        for folder in (tmp_path / "ensemble.json", tmp_path / "ensemble.json" / "runs"):
            with pytest.raises(ValueError, match="ensemble.json.*, but there is a file of that name"):
                ensemble(**{**arguments, "folder": folder}, executor=executor)


def test_the_progress_of_a_long_ensemble_is_shown(capsys, monkeypatch):
    with ThreadPoolExecutor(1) as executor:
        ensemble(PENDULUM, STATES, **RUN, executor=executor, progress=False)
        assert capsys.readouterr() == ("", "")
        monkeypatch.setattr(Progress, "DELAY", -1)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        ensemble(PENDULUM, STATES, **RUN, executor=executor)
        assert "5/5 runs" in capsys.readouterr().err


@pytest.mark.parametrize(("changes", "error", "message"), [
    ({"states": 3}, TypeError, r"states is 3; give a sequence of pairs \(q0, qd0\)"),
    ({"states": [[1]]}, ValueError, r"states\[0\] is \[1\]; give a pair \(q0, qd0\)"),
    ({"states": [*STATES, ([1, 2], [0])]}, ValueError, r"q0 of states\[5\] has shape \(2,\); expected 1 numbers"),
    ({"states": [([1], [math.nan])]}, ValueError, r"qd0 of states\[0\] contains nan"),
    ({"t_span": [1, 0]}, ValueError, "t_span must hold at least two times"),
    ({"method": "rk5"}, ValueError, "method is 'rk5'"), ({"dt": None}, ValueError, "dt is None; method 'rk4'"),
    ({"dynamics": "magic"}, ValueError, "dynamics is 'magic'"),
    ({"torque": [1, 2]}, ValueError, r"torque has shape \(2,\)"),
    ({"torque": [1j]}, ValueError, "torque contains complex numbers or symbols"),
    ({"f_ext": {1: [1j] * 6}}, ValueError, r"f_ext\[1\] contains complex numbers or symbols"),
    ({"dynamics": ["aba"]}, ValueError, r"dynamics is \['aba'\]"),
    ({"t_span": 5}, ValueError, "t_span is 5, a single time"),
    ({"torque": [[1], [2]]}, ValueError, "torque has 2 rows; give one for each of the 5 states"),
    ({"parameters": 3}, TypeError, "parameters is 3; give a dict"),
    ({"parameters": {"m": 1}}, ValueError, "parameters names m; .* symbols of the model, which are: none"),
    ({"model": load("pendulum", symbolic=True)}, ValueError, "parameters names nothing; .* which are: g, l, m\\."),
    ({"executor": 4}, TypeError, r"executor is 4; give an executor, such as ThreadPoolExecutor\(\) of concurrent"),
    ({"executor": ThreadPoolExecutor}, TypeError, r"executor is <class .*; give an executor, such as ThreadPoolEx.*\("),
    ({"model": "pendulum"}, TypeError, "model is 'pendulum'"),
    ({"torque": lambda t, q, qd: [0]}, ValueError, "torque cannot be sent to other processes .* top level of a module"),
])
def test_wrong_arguments_are_named(changes, error, message):
    with pytest.raises(error, match=message):
        ensemble(**{"model": PENDULUM, "states": STATES, **RUN, **changes})


def test_functions_of_a_session_without_a_file_are_not_sent_to_processes_that_begin_empty(monkeypatch):
    monkeypatch.setattr("multiprocessing.get_start_method", lambda: "spawn")
    monkeypatch.setattr(brake, "__module__", "__main__")
    monkeypatch.setattr("__main__.__file__", "script.py", raising=False)
    with pytest.raises(ValueError, match="torque cannot be sent .*pickle"):        # of a script, where it is looked for
        ensemble(PENDULUM, STATES, **RUN, torque=brake)
    monkeypatch.delattr("__main__.__file__")
    with pytest.raises(ValueError, match="torque cannot be sent .* defined in this session"):
        ensemble(PENDULUM, STATES, **RUN, torque=brake)


# Fingerprints

def law_with(gain, places=(1, 2)):
    def law(t, q, qd):
        return [gain * x for x in places]

    return law


@dataclass
class Law:
    gain: object

    def __call__(self, t, q, qd):
        return [self.gain]

    def method(self, t, q, qd):
        return [-self.gain]


def test_fingerprints_tell_values_apart_those_too_that_cannot_be_pickled_and_know_the_same_again(monkeypatch):
    def values():
        return [
            None, True, 2, 2.5, "2", b"2", 1j, [1, 2], np.array([[1, 2]]), np.array([1, 2]), {"a": 1}, {"a": 2}, {1, 2},
            PENDULUM, load("double_pendulum"), PENDULUM.replace(gravity=(0, 0, 0)), pd(PENDULUM, [1], 2, 3),
            pd(PENDULUM, [1], 2, 4), law_with(1), law_with(2), law_with(1, (1, 3)), Law(1), Law(2), Law(1).method,
            Law(2).method, partial(brake, 1), partial(brake, 2), lambda t: t + 1, lambda t: t + 2, lambda t: t - 1,
            lambda t, k=1: k, lambda t, k=2: k, lambda t, *, k=1: k, lambda t, *, k=2: k,
            np.sin, np.cos, math.sin, simulate, Law, np, [[1], 2], [[1, 2]]]

    first, second = ([fingerprint(value) for value in values()] for _ in range(2))
    assert first == second
    assert len(set(first)) == len(first)
    assert fingerprint(2) == fingerprint(2.0) == fingerprint(np.int64(2))
    assert fingerprint(10**400) != fingerprint(10**400 + 1)
    before = fingerprint(brake)
    for gain, same in ((3.0, False), (2.0, True)):
        monkeypatch.setitem(globals(), "GAIN", gain)
        assert (fingerprint(brake) == before) == same

    def law(t, q, qd, lock, steps, spline):
        return spline(t)

    def given(end):
        spline = CubicSpline([0, 1, 2], [0, 1, end])
        return partial(law, lock=threading.Lock(), steps=(k for k in range(3)), spline=spline)

    assert fingerprint(given(0)) == fingerprint(given(0)) != fingerprint(given(1))
    ring = [1]
    ring.append(ring)
    assert fingerprint(ring) == fingerprint(ring) != fingerprint([1, [1]])
    small, large = Slotted(), Slotted()
    small.k, large.k = 1, 2
    assert fingerprint(small) != fingerprint(large) != fingerprint(Slotted())


class Gains:
    K = 2.0
    shaped = staticmethod(lambda x: x)
    doubled = classmethod(lambda cls: 2 * cls.K)
    half = property(lambda self: self.K / 2)


class Inner(Gains):
    def law(self, q):
        return -self.K * q

    def __call__(self, t, q, qd):
        return self.law(q)


class Slotted:
    __slots__ = ("k",)

    def __call__(self, t, q, qd):
        return [Gains.K]


def by_class(t, q, qd):
    return Gains.shaped(q)


settings = types.ModuleType("settings")
settings.K, settings.unused = 3.0, 4.0


def by_module(t, q, qd):
    return settings.K * q


@pytest.mark.parametrize(("holder", "name", "value"), [
    (Gains, "K", 3.0), (Gains, "shaped", staticmethod(lambda x: -x)),
    (Gains, "doubled", classmethod(lambda cls: 3 * cls.K)), (Gains, "half", property(lambda self: self.K / 3)),
    (Inner, "law", lambda self, q: -100 * q), (Inner, "__call__", lambda self, t, q, qd: 0 * q), (settings, "K", 5.0),
], ids=lambda value: value if isinstance(value, str) else "")
def test_a_change_in_what_a_law_is_made_of_changes_its_fingerprint(monkeypatch, holder, name, value):
    """Class attributes, methods of any kind, base classes, classes and modules that a function names, but no more."""
    laws = {Inner: [Inner(), Law(Inner()), Inner().law, partial(Inner().__call__, 0), Inner, lambda: Inner().K],
            Gains: [Inner(), Gains(), by_class, lambda q: by_class(0, q, q), Slotted()],
            settings: [by_module, lambda q: np.sin(q) * settings.K]}[holder]
    before = [fingerprint(law) for law in laws]
    for irrelevant in ((settings, "unused", 7.0), (Inner, "__doc__", "Another text."), (np, "K", 3)):
        monkeypatch.setattr(*irrelevant, raising=False)
    assert [fingerprint(law) for law in laws] == before
    monkeypatch.setattr(holder, name, value)
    assert all(fingerprint(law) != old for law, old in zip(laws, before, strict=True))


def some_fingerprints():
    return [fingerprint(x) for x in (PENDULUM, brake, law_with(1), {"a", "b", "c"}, Law(1), Inner(), Law(Inner()),
                                     by_class, by_module)]


@pytest.mark.slow
def test_fingerprints_are_the_same_in_another_process(spawned):
    assert spawned.submit(some_fingerprints).result() == some_fingerprints()
