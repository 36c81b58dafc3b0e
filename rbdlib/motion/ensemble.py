"""Many simulations at once: on all cores, or on any executor; interrupted ones go on where they stopped."""

import contextlib
import json
import multiprocessing
import os
import signal
import sys
import threading
import traceback
import warnings
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from pickle import PicklingError, dumps
from zipfile import BadZipFile

import numpy as np

from rbdlib.book.ch04_model import require_model
from rbdlib.compile.c_compiler import CompilerError
from rbdlib.compile.cache import fingerprint
from rbdlib.compile.parameters import free_symbols, with_parameters
from rbdlib.loops.tolerances import error_units
from rbdlib.motion import integrators
from rbdlib.motion.compiled import FINISHED, Runs, equations_for
from rbdlib.motion.controllers import all_ours
from rbdlib.motion.drives import real_forces, real_torque
from rbdlib.motion.embedded_pairs import PAIRS
from rbdlib.motion.integrators import FIXED_STEP, SimulationError, require_method, sample_times
from rbdlib.motion.machine_code import acceleration_method, readable_answer, recordable
from rbdlib.motion.simulate import Readable, Trajectory, made_of_floats, put_back_by, simulate, start_state
from rbdlib.numbers.progress import Progress
from rbdlib.numbers.scalars import as_floats, vector


@dataclass(frozen=True)
class Failure:
    """A run of an ensemble that came to nothing: its number, what was raised, and where.

    t (s), body: when and at which body the motion could not be followed further; None where that is not known.
    """

    index: int
    error: str
    traceback: str = field(default="", repr=False)
    t: float | None = None
    body: int | None = None


class Ensemble(tuple):
    """The results of `ensemble`, in the order of the states: each a `Trajectory`, or a `Failure`."""

    trajectories = property(lambda self: [result for result in self if isinstance(result, Trajectory)],
                            doc="The runs that came to their end.")
    failures = property(lambda self: [result for result in self if isinstance(result, Failure)],
                        doc="The runs that did not.")

    def __repr__(self):
        return f"<Ensemble of {len(self)} runs, {len(self.failures)} failed>"


def ensemble(model, states, t_span, torque=None, f_ext=None, method="DOP853", dt=None, tolerance=1e-9, dynamics=None,
             executor=None, folder=None, progress=None, parameters=None, characters=True):
    """Simulations of a model from many states, at the same time; returns an `Ensemble`, in the order of the states.

    states: pairs (q0, qd0). t_span .. tolerance, dynamics: as for `simulate`, the same for all, but that torque may be
    an array with a row for each run. parameters: numbers for the SymPy symbols in the model, {name: number, or one for
    each run}.
    By default the runs go side by side in machine code, on all cores of this computer; those that cannot (see
    `simulate`), in processes of their own, and in a browser, which has none, one after the other. executor: anything
    with the interface of `concurrent.futures`, such as a Dask cluster's `client.get_executor()`, which is given runs
    by the thousand where they can go side by side, otherwise one by one. To processes functions are sent by name:
    define torque and f_ext at the top level of a module (or take them from `rbdlib.motion.controllers`), and on Windows
    and macOS start a script's work under `if __name__ == "__main__":`. folder: where each finished run is kept. A call
    with the same arguments takes up what it finds there and computes the rest, also after an interrupt or a crash;
    states may have been added at the end. Functions and objects are the same if their `fingerprint` is, which says
    what it does not see. progress: as for `simulate`, counting runs. characters: as for `simulate`.

    A run that fails does not stop the others: it is a `Failure` in the result, a warning tells, and it is tried anew in
    the next call with the same folder. Where a run ends its whole process, the default executor tries the others again;
    an executor of your own may lose every run that it still holds, each a `Failure`. Raises ValueError or TypeError for
    bad arguments, or if the folder belongs to other arguments.
    """
    model = require_model(model) if characters else require_model(model).replace(characters={})
    states = _checked_states(model, states)
    require_method(method, dt, tolerance)
    torque, rows = _torques(model, torque, len(states))
    names, numbers = _parameters(model, parameters, len(states))
    states = [(*state, tau, values) for state, tau, values in zip(states, rows, numbers, strict=True)]
    acceleration_method(model, dynamics)
    if executor is not None and (isinstance(executor, type) or not callable(getattr(executor, "submit", None))):
        example = f"{executor.__name__}()" if isinstance(executor, type) else "ThreadPoolExecutor()"
        raise TypeError(f"executor is {executor!r}; give an executor, such as {example} of concurrent.futures, or None "
                        f"for processes on all cores.")
    arguments = {"t_span": sample_times(t_span)[0],
                 "torque": torque if torque is None or callable(torque) else real_torque(model, torque),
                 "f_ext": f_ext if f_ext is None or callable(f_ext) else real_forces(model, f_ext),
                 "method": method, "dt": dt, "tolerance": tolerance, "dynamics": dynamics,
                 "parameters": names}
    store = _Store(folder, model, arguments, states)
    results = store.finished()
    waiting = [k for k in range(len(states)) if k not in results]
    with (Progress(len(states), "runs", progress, len(results)) as bar,
          contextlib.closing(_run_all(model, states, arguments, executor, waiting)) as runs):
        for k, result in runs:
            if not isinstance(result, Failure):
                store.keep(k, result)
                result = Trajectory(*result[:3], _with_numbers(model, names, states[k]), result[3])
            results[k] = result
            bar.update(len(results))
    ordered = Ensemble(results[k] for k in range(len(states)))
    if failures := ordered.failures:
        warnings.warn(f"{len(failures)} of {len(ordered)} runs failed, the first of them number {failures[0].index}: "
                      f"{failures[0].error} The others are not affected; see the ensemble's failures.", stacklevel=2)
    return ordered


def _checked_states(model, states):
    if isinstance(states, str) or not np.iterable(states):
        raise TypeError(f"states is {states!r}; give a sequence of pairs (q0, qd0).")
    checked = []
    for k, state in enumerate(states):
        if not np.iterable(state) or len(state) != 2:
            raise ValueError(f"states[{k}] is {state!r}; give a pair (q0, qd0).")
        checked.append((vector(state[0], model.nq, f"q0 of states[{k}]"),
                        vector(state[1], model.nv, f"qd0 of states[{k}]")))
    return checked


def _torques(model, torque, count):
    """The argument torque, None where it has a row for each run; and these rows, empty if it has not."""
    if callable(torque) or np.ndim(torque) != 2:
        return torque, [np.zeros(0)] * count
    if len(torque) != count:
        raise ValueError(f"torque has {len(torque)} rows; give one for each of the {count} states, or forces for all.")
    return None, [real_torque(model, row) for row in torque]


def _parameters(model, parameters, count):
    """The names of the model's symbols, and their numbers in each run (count x names)."""
    names, given = tuple(free_symbols(model)), {} if parameters is None else parameters
    if not isinstance(given, dict):
        raise TypeError(f"parameters is {parameters!r}; give a dict {{name: number, or one for each run}}.")
    given = {str(name): values for name, values in given.items()}
    if set(given) != set(names):
        raise ValueError(f"parameters names {', '.join(sorted(given)) or 'nothing'}; give numbers for the symbols of "
                         f"the model, which are: {', '.join(names) or 'none'}.")
    numbers = np.empty((count, len(names)))
    for column, name in zip(numbers.T, names, strict=True):
        column[:] = vector(np.broadcast_to(given[name], count) if np.ndim(given[name]) == 0 else given[name], count,
                           f"parameters[{name!r}]")
    return names, numbers


def _with_numbers(model, names, state):
    """The model with the numbers of one run in place of its symbols."""
    return with_parameters(model, dict(zip(names, state[3], strict=True))) if names else model


def _run(model, state, arguments, k):
    """Simulation k, in whatever process this happens to be: its arrays, or a `Failure`."""
    q, qd, tau, _ = state
    try:
        options = arguments | ({"torque": tau} if len(tau) else {})
        model = _with_numbers(model, options.pop("parameters"), state)
        motion = simulate(model, q, qd, **options, progress=False)
        return motion.t, motion.q, motion.qd, motion.norm_defect
    except Exception as error:      # whatever a user's function raises must not end the other runs
        known = (error.t, error.body) if isinstance(error, SimulationError) else (None, None)
        return Failure(k, f"{type(error).__name__}: {error}", traceback.format_exc(), *known)


def _run_all(model, states, arguments, executor, waiting):
    """Yield (number, result) as the runs end."""
    if executor is None and waiting and (equations := _equations(model, arguments)):
        yield from _windows(model, equations, states, arguments, waiting)
    elif sys.platform == "emscripten":        # a browser, which has neither processes nor threads: one after the other
        for k in waiting:
            yield k, _run(model, states[k], arguments, k)
    elif executor is not None:
        yield from _on(executor, model, states, arguments, waiting)
    elif waiting:
        _require_sendable(model, arguments)
        yield from _on_all_cores(model, states, arguments, waiting)


def _equations(model, arguments):
    """The compiled equations with which the runs can go side by side; None where Python has to be asked."""
    torque, f_ext, method = (arguments[name] for name in ("torque", "f_ext", "method"))
    dynamics = recordable(model, arguments["dynamics"])             # None is refused by a TypeError
    if method in (*PAIRS, *FIXED_STEP) and not (callable(f_ext) or callable(torque) and not all_ours(torque)):
        with contextlib.suppress(CompilerError, OSError, TypeError, ValueError):
            return equations_for(model, method, dynamics, torque, bool(np.any(f_ext)), progress=False,
                                 closing=bool(model.loops), alone=False)
    return None


def _windows(model, equations, states, arguments, waiting):
    """Yield (number, result) of runs in lanes of the processor, on all cores."""
    over = threading.Event()
    windows = [waiting[k : k + LANES] for k in range(0, len(waiting), LANES)]
    pool = ThreadPoolExecutor(_cores())
    futures = [pool.submit(_window, equations, [states[k] for k in window], arguments, over) for window in windows]
    try:
        for window, future in zip(windows, futures, strict=True):
            for k, arrays in zip(window, future.result(), strict=True):     # one that fails is tried alone: that tells
                yield k, _run(model, states[k], arguments, k) if arrays is None else arrays
    finally:
        over.set()
        pool.shutdown(cancel_futures=True)


#: So many runs go side by side: what they are computed with stays in the processor's first memories.
LANES = 256


def _window(equations, states, arguments, over):
    """The arrays of each run, as `_run` gives them, or None where there is no finite result."""
    def look(t):
        if over.is_set():
            raise RuntimeError("The ensemble was interrupted.")

    model, (times, every_step), method = equations.model, sample_times(arguments["t_span"]), arguments["method"]
    starts, good, models, names = [], [], [], arguments["parameters"]
    free = not model.loops and made_of_floats(model) and not integrators.euler_parameters(model)   # any q is a state
    for k, state in enumerate(states):
        with contextlib.suppress(ValueError):               # said by the run alone
            alone = _with_numbers(model, names, state)
            start = as_floats(np.concatenate(state[:2])) if free else None
            starts.append(np.concatenate(start_state(alone, *state[:2], times[0])) if start is None else start)
            good.append(k)
            models.append(alone)
    if not good:
        return [None] * len(states)
    tau = np.array([states[k][2] for k in good]) if len(states[0][2]) else arguments["torque"]
    numbers = np.array([states[k][3] for k in good])
    runs = Runs(equations, starts, times[0], np.zeros(model.nv) if tau is None or callable(tau) else tau,
                real_forces(model, arguments["f_ext"]), None if every_step else times, arguments["tolerance"],
                parameters=dict(zip(names, numbers.T, strict=True)), units=[*map(error_units, models)],
                answer=_answers(models, [states[k] for k in good], arguments) if model.loops else None)
    if model.loops:
        runs.states = runs.closed(np.arange(len(good)), np.full(len(good), times[0]), runs.states)
    run, t, y, became = (runs.fixed(method, arguments["dt"], times, look) if method in FIXED_STEP
                         else runs.adaptive(method, times[-1], look))
    order = np.argsort(run, kind="stable")
    ends = np.searchsorted(run[order], np.arange(len(good) + 1))
    t, y = t[order], y[order]
    y[:, : model.nq], defects = integrators.unit_rows(model, y[:, : model.nq])
    if model.loops:
        y = runs.closed(run[order], t, y)
    finite = np.logical_and.reduceat(np.isfinite(y).all(axis=1), ends[:-1])
    columns = t, y[:, : model.nq].copy(), y[:, model.nq :].copy(), defects
    results: list = [None] * len(states)
    for k, start, end, came in zip(good, ends[:-1], ends[1:], finite & (became == FINISHED), strict=True):
        if came:
            results[k] = tuple(x[start:end] for x in columns)
    return results


def _answers(models, states, arguments):
    """The argument answer of `Runs` with loops, runs of these models: NaN where the run alone would fail."""
    f_ext, dynamics, method = (arguments[name] for name in ("f_ext", "dynamics", "method"))

    @cache
    def alone(run):
        model, torque = models[run], states[run][2] if len(states[run][2]) else arguments["torque"]
        readable = Readable(model, torque, f_ext, dynamics)
        readable.put_back = put_back_by(model, method)
        return readable

    def answer(run, what, t, q, qd):
        with np.errstate(over="ignore", invalid="ignore"), contextlib.suppress(ValueError):
            return readable_answer(alone(run), what, t, q, qd)
        return np.full(len(q) + len(qd), np.nan)

    return answer


#: So many runs an executor is given at once.
CHUNK = 4096


def _on(executor, model, states, arguments, waiting):
    """Runs on a given executor. Whatever interrupts this cancels those that have not begun."""
    size = min(CHUNK, len(waiting) // 8)
    if size < LANES or _equations(model, arguments) is None:
        size = 1
    chunks = [waiting[k : k + size] for k in range(0, len(waiting), size)]
    futures = {executor.submit(_chunk, model, {k: states[k] for k in chunk}, arguments): chunk for chunk in chunks}
    try:
        for future in as_completed(list(futures)):
            chunk = futures.pop(future)
            try:
                yield from zip(chunk, future.result(), strict=True)
            except Exception as error:      # _chunk raises nothing: it could not be sent, or its process died
                why = f"{type(error).__name__}: {error}"
                if isinstance(error, BrokenExecutor):
                    why += (" A process of the executor died in this run or in another, and took with it all that were "
                            "not finished; call again for those.")
                yield from ((k, Failure(k, why)) for k in chunk)
    finally:
        for future in futures:
            future.cancel()


def _chunk(model, states, arguments):
    """Simulations {k: state} in another process: what `_run` returns of each; side by side where that is possible."""
    equations = _equations(model, arguments) if len(states) > 1 else None
    if equations is None:
        return [_run(model, state, arguments, k) for k, state in states.items()]
    return [result for _, result in _windows(model, equations, states, arguments, list(states))]


def _on_all_cores(model, states, arguments, waiting):
    """Runs in processes of our own. Where one of these dies, the runs it leaves behind are tried one by one."""
    ended, crashed = 0, 0
    while waiting:
        lost = yield from _in_processes(model, states, arguments, waiting)
        ended += len(waiting) - len(lost)
        waiting = []
        while lost:
            k, *rest = sorted(lost)
            if (yield from _in_processes(model, states, arguments, [k])):
                crashed += 1
                if crashed == HOPELESS and not ended:
                    raise RuntimeError(f"No process lives long enough to finish a run. {DEAD}")
                yield k, Failure(k, f"The process ended before the run did. {DEAD}")
                waiting = rest
                break
            ended, lost = ended + 1, rest


#: So many processes may die before the first run ends.
HOPELESS = 3
DEAD = ("Was the memory full? A script must start its work under `if __name__ == \"__main__\":`, and functions must be "
        "defined where a new process finds them.")


def _in_processes(model, states, arguments, waiting):
    """Runs in a pool of processes; returns those that were lost because one of the processes died."""
    pool, futures = ProcessPoolExecutor(min(len(waiting), _cores()), initializer=_end_with_parent), {}
    try:
        with contextlib.suppress(BrokenExecutor):       # a process may die while runs are still being handed in
            for k in waiting:
                futures[pool.submit(_run, model, states[k], arguments, k)] = k
        lost = [k for k in waiting if k not in futures.values()]
        for future in as_completed(list(futures)):
            k = futures.pop(future)
            if isinstance(future.exception(), BrokenExecutor):
                lost.append(k)
            else:
                yield k, future.result()
    except BaseException:                               # end the processes now, whatever they are doing
        processes = list((getattr(pool, "_processes", None) or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        raise
    pool.shutdown()
    return lost


def _cores():
    return getattr(os, "process_cpu_count", os.cpu_count)() or 1


def _end_with_parent():
    """First call in each process: it ends silently when the user interrupts, and when its parent is killed."""
    def watch_parent():
        if parent := multiprocessing.parent_process():
            parent.join()
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=watch_parent, daemon=True).start()


def _require_sendable(model, arguments):
    """Raise ValueError for what cannot be sent to another process, which would otherwise fail there, unexplained."""
    interactive = (multiprocessing.get_start_method() != "fork"
                   and not hasattr(sys.modules.get("__main__"), "__file__"))
    for name, value in {"model": model, **arguments}.items():
        why = "it is defined in this session, which a new process does not know"
        if not (interactive and getattr(value, "__module__", None) == "__main__"):
            try:
                dumps(value)
                continue
            except (PicklingError, AttributeError, TypeError) as error:
                why = str(error)
        raise ValueError(
            f"{name} cannot be sent to other processes ({why}). Define its functions at the top level of a module, or "
            "take them from rbdlib.motion.controllers; executor=concurrent.futures.ThreadPoolExecutor() sends nothing.")


class _Store:
    """The folder in which an ensemble keeps its finished runs, one file each; or nothing, if folder is None."""

    def __init__(self, folder, model, arguments, states):
        self.model, self.states, self.names, self.folder = model, states, arguments["parameters"], None
        if folder is not None:
            self.folder = Path(folder)
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except (FileExistsError, NotADirectoryError):
                raise ValueError(f"folder is {str(folder)!r}, but there is a file of that name, or on the way there. "
                                 f"Choose another folder.") from None
            self._require_same({name: fingerprint(value) for name, value in {"model": model, **arguments}.items()})

    def _require_same(self, now):
        """Compare the arguments with those that the folder was begun with."""
        file, before = self.folder / "ensemble.json", None
        if not file.exists():
            _write(file, lambda stream: stream.write(json.dumps(now).encode()))
            return
        with contextlib.suppress(ValueError):
            before = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(before, dict):
            raise ValueError(f"{file} is no record of an ensemble. Choose another folder.")
        changed = [name for name in now if before.get(name) != now[name]]
        if changed:
            raise ValueError(f"folder {str(self.folder)!r} keeps an ensemble with another {' and '.join(changed)}. "
                             f"Choose another folder, or remove this one to start anew.")

    def file(self, k):
        return self.folder / f"run_{k:06d}.npz"

    def finished(self):
        """The trajectories in the folder, by number."""
        found = {}
        for k in (k for k in range(len(self.states)) if self.folder and self.file(k).exists()):
            try:
                with np.load(self.file(k)) as kept:
                    state, t, q, qd, defect = (kept[name] for name in ("state", "t", "q", "qd", "norm_defect"))
            except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
                warnings.warn(f"{self.file(k)} cannot be read ({error}); the run is computed anew.", stacklevel=3)
                continue
            if not np.array_equal(state, np.concatenate(self.states[k])):
                raise ValueError(f"{self.file(k)} keeps a run from another state than states[{k}]. Choose another "
                                 "folder, or give the states in the old order, new ones at the end.")
            found[k] = Trajectory(t, q, qd, _with_numbers(self.model, self.names, self.states[k]), defect)
        return found

    def keep(self, k, arrays):
        if self.folder:
            named = dict(zip(("t", "q", "qd", "norm_defect"), arrays, strict=True))
            _write(self.file(k), lambda stream: np.savez(stream, state=np.concatenate(self.states[k]), **named))


def _write(file, write):
    """Write a file so that it is there in full or not at all, however the process ends."""
    unfinished = file.with_name(f"{file.name}.{os.getpid()}.tmp")      # another process may be writing it too
    with open(unfinished, "wb") as stream:
        write(stream)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(unfinished, file)
