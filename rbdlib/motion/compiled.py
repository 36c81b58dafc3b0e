"""Runs in machine code of what `rbdlib.motion.simulate` describes: the same steps, recorded and compiled.

The equations of motion become one compiled function (see `rbdlib.compile_for`), the steps of `integrators` and
`embedded_pairs` others (`rbdlib.motion.compiled_steps`), and a loop in C calls both. Python is asked only for
forces that are functions of the user's, and where a compiled number is not finite or a loop remains open: then the
readable functions answer, or say what is wrong.
"""

import ctypes
import sys
import threading
import time
from collections import namedtuple
from contextlib import suppress
from functools import partial
from math import prod
from pickle import PicklingError, dumps

import numpy as np

from rbdlib.book.ch04_joints import Joint
from rbdlib.compile.c_compiler import CompilerError, find_compiler
from rbdlib.compile.compile_for import compile_for
from rbdlib.compile.parameters import free_symbols, with_parameters
from rbdlib.loops.closing import correction
from rbdlib.motion.compiled_steps import begun, library
from rbdlib.motion.controllers import all_ours
from rbdlib.motion.drives import depends_on_time
from rbdlib.motion.embedded_pairs import PAIRS
from rbdlib.motion.integrators import STEPS, carried, even_steps, momentum_rate
from rbdlib.numbers.scalars import vector

#: So many arrays of work has a step at most.
WORK = 64
#: How long (s) a call of C may last before Python looks for an interrupt and at the progress bar.
TURN = 0.05
#: So many samples of single steps are taken between two looks: of each run, or of all.
PER_RUN, CAPACITY = 16, 512
DONE, MORE, INTERRUPTED, NO_MEMORY = 0, 1, -1, -2
FINISHED, TOO_SMALL, STOPPED = 1, 2, 3
RATE, ACCELERATION, MOVE, CLOSED = range(4)


def acceleration(model, q, qd, tau, f_ext=None, t=0.0, dynamics=None, torque=None):
    """The accelerations qdd (nv) by a function dynamics; torque: a controller that adds to tau, or None."""
    q = model.normalise(q)
    if torque is not None:
        tau = tau + vector(torque(t, q, qd), model.nv, "torque")
    qdd = dynamics(model, q, qd, tau, f_ext, t=t)
    return qdd[0] if isinstance(qdd, tuple) else qdd


def state_rate(model, q, qd, tau, f_ext=None, t=0.0, dynamics=None, torque=None):
    """The rate of change of [q; qd] (RBDA Eq. 3.8); arguments as for `acceleration`."""
    return np.concatenate([model.qdot(q, qd), acceleration(model, q, qd, tau, f_ext, t, dynamics, torque)])


def mended(model, q, qd):
    """q with Euler parameters of unit length, and its rate of change."""
    q = model.normalise(q)
    return q, model.qdot(q, qd)


def moved(model, q, qd):
    """q moved along qd for unit time."""
    return model.integrate(q, qd, 1.0)


Question = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_size_t, ctypes.c_size_t)
_SIZE, _ARRAY = ctypes.c_size_t, ctypes.c_void_p


class _Run(ctypes.Structure):
    """The struct Run of motion.c."""

    _fields_ = [
        *((name, _SIZE) for name in ("count", "room", "nq", "nv", "n", "one", "clock", "given", "imposing")),
        ("in", _ARRAY), ("step", _ARRAY),
        *((name, _ARRAY) for name in ("kernel", "mover", "mender", "others")), ("more", _SIZE),
        ("corrector", _ARRAY), ("corrected", _ARRAY),
        *((name, _SIZE) for name in ("correcting", "closing", "open")), ("units", _ARRAY), ("drive", Question),
        ("rescue", Question),
        *((name, _ARRAY) for name in ("stage", "now", "answer", "gaps", "when", "work", "y", "k", "y_new",
                                      "rates", "errors", "between", "t", "h", "run", "sample", "taken", "times")),
        *((name, _SIZE) for name in ("samples", "every", "dense")),
        *((name, _ARRAY) for name in ("kept", "kept_t", "kept_run")),
        ("filled", _SIZE), ("capacity", _SIZE), ("state", _ARRAY),
        ("absolute", ctypes.c_double), ("relative", ctypes.c_double)]


class Equations(namedtuple("Equations", "model kernel takes mover mender corrector others")):
    """The compiled equations of motion of a model, for methods of fixed step or for those that choose their steps.

    kernel: a `CompiledFunction`, of `acceleration` or of `state_rate`; takes: which of f_ext and t it takes; mover,
    mender: compiled `moved` and `mended`, or None where q is the integral of qd; corrector: compiled `correction` of
    open loops, or None where they are not put back; others: kernels with pivots chosen in other states (see
    `rbdlib.compile.samples`).
    """

    variant = property(lambda self: self.kernel.variant(self.takes))


#: A run is long when its equations of motion have been worked out so often, times the number of bodies: what compiling
#: them takes.
LONG = 2000
#: The compiled functions of the last calls, each with its model and a tuple of all else it was compiled from.
_MADE: list = []
KEPT = 32
#: Arrays of so many places as the loop in C knows at most.
_Places, _Addresses = ctypes.c_size_t * 40, ctypes.c_void_p * 40
#: So many kernels with other pivots are made at most.
OTHERS = 16
#: Held while one is made, as the runs of an ensemble share them.
_CHOOSING = threading.Lock()


class WhenLong:
    """What answers for readable functions once a run is long: make(only_known=...), None where only_known forbids it.

    weight: what a question costs, in bodies. compiled: True makes it at once, and an error of what stands in the way;
    False never makes it.
    """

    def __init__(self, make, weight=1, compiled=None):
        if compiled not in (None, True, False):
            raise ValueError(f"compiled is {compiled!r}; choose True, False, or None for where it pays.")
        self.make, self.weight, self.insists, self.hopeless = make, weight, compiled is True, compiled is False
        self.asked, self.made = np.inf if self.insists else 0, None

    def get(self, only_known=False):
        """It, made if need be; None where that cannot be done."""
        if self.made is None and not self.hopeless:
            try:
                self.made = self.make(only_known=only_known)
            except (CompilerError, OSError, TypeError, ValueError):
                if self.insists:
                    raise
                self.hopeless = True
        return self.made

    def at_once(self):
        """It, if nothing has to be compiled any more, or the user insists; else None."""
        return self.get(only_known=not self.insists)

    def __call__(self, questions=1):
        """It, or None as long as too few questions have been asked, with these, for making it to pay."""
        if self.made is None:
            self.asked += questions
            if self.asked * self.weight >= LONG:
                self.get()
        return self.made


def known_by(things):
    """By what compiled functions know what they were made from: its pickle, or if it has none, that very thing."""
    with suppress(PicklingError, AttributeError, TypeError):
        return dumps(things)
    return things


def compiled_once(function, model, progress=False, key=(), only_known=False, **options):
    """The `CompiledFunction` of a function(model, ...), in C; compiled when it is asked for the first time.

    options: of `compile_for`, which the tuple key stands for. only_known: return None instead of compiling.
    """
    make = partial(compile_for, function, model, backend="c", progress=progress, **options)
    return _kept(model, (function, *key), make, only_known)


def _kept(model, key, make, only_known):
    """All that was compiled for a model and a key by an earlier call, or else by make(); or None if only_known."""
    for known, its_key, made in _MADE:
        if len(key) == len(its_key) and all(x is y or x == y for x, y in zip(key, its_key, strict=True)) and (
                known is model or known == model):
            return made
    if only_known:
        return None
    made = make()
    _MADE.insert(0, (model, key, made))
    del _MADE[KEPT:]
    return made


def equations_for(model, method, dynamics, torque=None, forced=True, progress=None, only_known=False, closing=False,
                  alone=True):
    """The `Equations` for a method of simulate; TypeError where they cannot be recorded, CompilerError without C.

    dynamics: as `rbdlib.motion.machine_code.recordable` gives it; torque: the argument of simulate, controllers being
    compiled, too; forced: whether there are forces from outside; only_known: as for `compiled_once`; closing: whether
    loops are put back; alone: for one run, not for many side by side.
    """
    if dynamics is None:
        raise TypeError("compiled is True, but dynamics is a function of your own. Give one that compile_for has "
                        "compiled, or leave compiled out.")
    controller = torque if all_ours(torque) else None
    takes = (*(["f_ext"] if forced else []), *(["t"] if controller is not None or depends_on_time(model) else []))
    given = (method in STEPS, controller, takes, closing, alone)
    return _kept(model, (*dynamics[1:], *given), partial(_equations, model, dynamics, *given, progress), only_known)


def _equations(model, dynamics, fixed_step, torque, takes, closing, alone, progress):
    function, source = dynamics[:2]
    if not fixed_step and find_compiler() is not None:
        begun(fixed_step)                               # fixed steps may never be asked for
    make = partial(compile_for, backend="c", progress=progress, alone=alone)
    kernel = make(acceleration if fixed_step else state_rate, model, dynamics=function, torque=torque)
    kernel.variant(takes)
    plain = all(type(model.joints[i]).integrate is Joint.integrate for i in model.bodies)
    numbers = with_parameters(model, dict.fromkeys(free_symbols(model), 1.0))       # of which positions know nothing
    mover = (make(carried, model, shapes={"u": (model.nv,), "x": (model.nq,)}) if source is momentum_rate else
             None if plain or not fixed_step else make(moved, numbers))
    corrector = make(correction, model).variant(("t",) if depends_on_time(model) else ()) if closing else None
    return Equations(model, kernel, takes, mover, None if fixed_step else _mender(model, make, closing), corrector, [])


def _mender(model, make, closing=False):
    steady = all(type(model.joints[i]).qdot is Joint.qdot if closing else not model.joints[i].has_euler_parameters
                 for i in model.bodies)
    return None if steady else make(mended, with_parameters(model, dict.fromkeys(free_symbols(model), 1.0)))


def equations_by(model, kernel):
    """The `Equations` of methods that choose their steps, by a kernel which takes what others do not."""
    return Equations(model, kernel, (), None, _mender(model, partial(compiled_once, alone=True)), None, [])


class Runs:
    """Runs of a compiled motion side by side, from states (B x n), in the memory that motion.c works in.

    tau (nv, or B x nv), f_ext (N_B+1 x 6): constant forces; parameters: numbers for the model's symbols, {name: B of
    them}; units (B x n_c): `error_units`, where loops are put back; times: of the samples, or None if every step is
    one, after the start.
    drive(row): called before each evaluation to write the forces and, if imposing, what q and qd are, in the arrays
    stage, now, tau, f_ext. answer(run, what, t, q, qd): what RATE, ACCELERATION, MOVE or CLOSED (the state with closed
    loops) is where compiled functions do not say.
    """

    def __init__(self, equations, states, start, tau, f_ext, times, tolerance=0.0, drive=None, answer=None,
                 imposing=False, parameters=None, units=None):
        model, variant, B = equations.model, equations.variant, len(states)
        nq, nv = (prod(shape) for _, shape in variant.inputs[:2])       # of a soft contact's run, w besides qd
        n = nq + nv
        self.equations, self.error, self.n, self.B, self.every = equations, None, n, B, times is None
        self.answer, self.rescued, self.units = answer, 0, np.zeros((B, 0)) if units is None else np.array(units)
        sizes = {"stage": n, "now": 1, "answer": n, "gaps": 1 + self.units.shape[1], "when": 8 * n,
                 "work": WORK * n, "y": 2 * n, "k": n, "y_new": 2 * n, "rates": 16 * n, "errors": 2 * n,
                 "between": 8 * n, "t": 1, "h": 1}
        rows = max(CAPACITY, PER_RUN * B) if self.every else B * len(times)
        self.raw = raw = _Run()
        self.array = _in_one(raw, float, {name: size * B for name, size in sizes.items()}
                             | {"kept": rows * n, "kept_t": rows, "times": 0 if self.every else len(times)})
        for name in ("stage", "answer", "kept"):
            self.array[name] = self.array[name].reshape(-1, n)
        self.array["times"][:] = () if self.every else times
        self.counts = _in_one(raw, np.uintp, dict.fromkeys(["run", "sample", "taken", "state"], B) | {"kept_run": rows})
        self.counts["run"][:] = range(B)
        self.tau = np.tile(tau, (B, 1)) if drive else np.array(tau, dtype=float)
        self.f_ext = np.tile(f_ext, (B, 1, 1)) if drive else np.array(f_ext, dtype=float)
        self.numbers = {name: np.array(values, dtype=float) for name, values in (parameters or {}).items()}
        self.parameters = {name: values.copy() for name, values in self.numbers.items()}    # rows change places
        given = {"tau": self.tau, "f_ext": self.f_ext, "t": self.array["now"], **self.parameters}
        names = [name for name, _ in variant.inputs]
        self.inputs = _Addresses(0, 0, *(given[name].ctypes.data for name in names[2:]))
        widths = {"tau": model.nv * (self.tau.ndim - 1), "f_ext": 6 * (model.N_B + 1) * bool(drive), "t": 1,
                  **dict.fromkeys(self.parameters, 1)}
        steps = [nq, nv] if equations.kernel.function is acceleration else [n, n]
        self.steps = _Places(*steps, *(widths[name] for name in names[2:]))
        corrector = equations.corrector
        corrected = [names.index(name) for name, _ in corrector.inputs] if corrector else []
        self.corrected = _Places(*corrected)
        self.others = _Addresses()
        self.asked = {name: Question(self._guarded(function) if function else 0)
                      for name, function in (("drive", drive), ("rescue", answer and self._rescue))}
        self._know_others()
        for name, value in {"count": B, "room": B * n, "nq": nq, "nv": nv, "n": n, "one": 1, "given": len(names),
                            "imposing": imposing, "clock": names.index("t") if "t" in names else len(names),
                            "every": self.every, "samples": 0 if self.every else len(times), "capacity": rows,
                            "absolute": tolerance, "relative": max(tolerance, 100 * sys.float_info.epsilon),
                            "step": ctypes.addressof(self.steps), "in": ctypes.addressof(self.inputs),
                            "kernel": _address(variant), "others": ctypes.addressof(self.others),
                            "mover": _address(equations.mover), "mender": _address(equations.mender),
                            "corrector": _address(corrector),
                            "corrected": ctypes.addressof(self.corrected), "correcting": len(corrected),
                            "closing": corrector is not None, "open": self.units.shape[1],
                            "units": self.units.ctypes.data,
                            **self.asked}.items():
            setattr(raw, name, value)
        self.states, self.start = np.array(states, dtype=float), start

    library = property(lambda self: library(self.equations.kernel.function is acceleration))

    def state(self, row):
        """The time t and the state q, qd that motion.c asks about."""
        state, nq = self.array["stage"][row].copy(), self.equations.model.nq
        return float(self.array["now"][row]), state[:nq], state[nq:]

    def _rescue(self, row, what):
        (t, q, qd), run, model = self.state(row), self.counts["run"][row], self.equations.model
        self.rescued += bool(model.loops) and what in (RATE, ACCELERATION)
        if self.rescued * model.N_B >= min(self.B, 8) * LONG // 8 and np.isfinite([*q, *qd]).all():
            self.rescued = 0
            with suppress(ValueError, TypeError), _CHOOSING:        # the readable function says what is wrong
                self._choose_anew({name: values[run] for name, values in self.numbers.items()}, t, q, qd)
        found = self.answer(run, what, t, q, qd)
        self.array["answer"][row, : len(found)] = found

    def _choose_anew(self, numbers, t, q, qd):
        """Compile the equations with pivots chosen in this state, in which no others serve."""
        made = self.equations
        if self.raw.more == len(made.others) < OTHERS:              # no other runs have chosen meanwhile
            sample = numbers | {"q": with_parameters(made.model, numbers).normalise(q), "qd": qd} | (
                {"t": t} if "t" in made.takes else {})
            other = compile_for(made.kernel.function, made.model, backend="c", progress=False, sample=sample,
                                alone=True, **made.kernel.fixed)
            made.others.append(other.variant(made.takes))
        self._know_others()

    def _know_others(self):
        addresses = [*map(_address, self.equations.others)]
        self.others[: len(addresses)], self.raw.more = addresses, len(addresses)

    def _guarded(self, function):
        def question(row, what):
            try:
                function(row, what)
            except BaseException as error:                  # it goes on when C has returned
                self.error = error
                return 1
            return 0

        return question

    def _answer(self, code):
        error, self.error = self.error, None
        if error is not None:
            raise error
        if code == NO_MEMORY:
            raise MemoryError("There is not enough memory for the compiled motion.")
        return code

    def closed(self, run, t, states):
        """States (k x n) of these runs at the times t, with closed loops; before the runs begin or after they end."""
        found = np.empty_like(states)
        y = self.array["y"][: self.B * self.n].reshape(self.B, self.n)
        for first in range(0, len(states), self.B):
            rows = slice(first, first + self.B)
            count = self.raw.count = len(states[rows])
            places = {"y": y, "t": self.array["t"], "run": self.counts["run"]} | self.parameters
            given = {"y": states[rows], "t": t[rows], "run": run[rows]}
            given |= {name: values[run[rows]] for name, values in self.numbers.items()}
            for name, values in given.items():
                places[name][:count] = values
            self._answer(self.library.close_loops(ctypes.byref(self.raw)))
            found[rows] = y[:count]
        return found

    def adaptive(self, method, end, look, h=None):
        """Steps by a pair, to the time end: arrays run, t, state of the samples, and what became of each run.

        look(t): called now and then with the earliest time. h: the length of the first steps, None to choose it.
        """
        number, raw, B, n = list(PAIRS).index(method), self.raw, self.B, self.n
        y, t = self.array["y"][: B * n].reshape(B, n), self.array["t"]
        y[:], t[:] = self.states, self.start
        if h is None:
            self._answer(self.library.begin(ctypes.byref(raw), number, ctypes.c_double(end)))
        else:
            self.array["k"][:], self.array["h"][:] = np.ravel(self.rate(t, y)), h
        taken = []
        self._keep_starts(y)
        rounds = 16
        look(self.start)
        while True:
            began = time.perf_counter()
            code = self._answer(self.library.advance(ctypes.byref(raw), number, ctypes.c_double(end),
                                                  ctypes.c_size_t(rounds)))
            rounds = _more(rounds, time.perf_counter() - began)
            self._take(taken)
            if code == DONE:
                break
            look(t[: raw.count].min() if raw.count else end)
        return (*self._samples(taken), self.counts["state"])

    def single_steps(self, method, t, state, end, max_step, look, put_back=None):
        """Steps of a single run by a pair: yields where each starts and ends, and the function of time between the two.

        They go from a state at the time t to the time end, or until one is too small. max_step (s): the longest one.
        look(t): called when the first one has been chosen. A step is forgotten with the next one. put_back(t, state):
        the state from which the next one starts.
        """
        number, raw, array = list(PAIRS).index(method), self.raw, self.array
        now, y, h = array["t"], array["y"][: self.n], array["h"]
        raw.count, raw.dense, now[0], y[:] = 1, True, t, state
        self.counts["state"][0] = self.counts["taken"][0] = 0
        self._answer(self.library.begin(ctypes.byref(raw), number, ctypes.c_double(end)))
        look(t)

        def between(time):
            if time == stop:
                return y.copy()
            part = ctypes.c_double((time - start) / (stop - start))
            self._answer(self.library.within(ctypes.byref(raw), number, part))
            return array["answer"][0].copy()

        while now[0] < end:
            start, raw.filled, h[0] = float(now[0]), 0, min(h[0], max_step)
            while now[0] == start:
                self._answer(self.library.advance(ctypes.byref(raw), number, ctypes.c_double(end), ctypes.c_size_t(1)))
                if self.counts["state"][0] == TOO_SMALL:
                    return
            stop, raw.count = float(now[0]), 1              # also after the last one, within which there are states too
            yield start, stop, between
            if put_back is not None:
                y[:] = put_back(stop, y.copy())
                array["k"][: self.n] = self.rate(now, y[None])[0]

    def fixed(self, method, dt, times, look, sample=1, done=0):
        """Steps of at most dt that divide the intervals of times evenly; returns as `adaptive` does.

        The next sample has the number given, and so many steps to it are done.
        """
        raw, B, model = self.raw, self.B, self.equations.model
        half, taken = B * self.n, []
        q = self.array["y"][: B * model.nq].reshape(B, -1)
        qd = self.array["y"][half : half + B * model.nv].reshape(B, -1)
        q[:], qd[:] = self.states[:, : model.nq], self.states[:, model.nq :]
        self._keep_starts(self.states)
        rounds = 16
        done = ctypes.c_size_t(done)
        for number, (start, end) in list(enumerate(zip(times[:-1], times[1:], strict=True), start=1))[sample - 1 :]:
            count, h = even_steps(start, end, dt)
            while done.value < count:
                began, before = time.perf_counter(), done.value
                until = min(count, before + rounds)
                self._answer(self.library.march(ctypes.byref(raw), STEPS.index(method), ctypes.c_double(start),
                                             ctypes.c_double(h), ctypes.c_size_t(until), ctypes.byref(done)))
                rounds = _more(rounds, time.perf_counter() - began)
                self._take(taken)
                look(start + done.value * h)
            done.value = 0
            if not self.every:
                self.array["kept"].reshape(B, len(times), self.n)[:, number] = np.concatenate([q, qd], axis=1)
        run, t, states = self._samples(taken)
        if self.every:
            t[t > times[-1] - h / 2] = times[-1]
        return run, t, states, np.full(B, FINISHED)

    def _keep_starts(self, states):
        B, raw = self.B, self.raw
        if self.every:
            self.array["kept"][:B], self.array["kept_t"][:B], self.counts["kept_run"][:B] = states, self.start, range(B)
            raw.filled = B
        else:
            self.array["kept"].reshape(B, -1, self.n)[:, 0] = states
            self.counts["sample"][:] = 1

    def _take(self, taken):
        if self.every:
            filled, self.raw.filled = self.raw.filled, 0
            taken.append((self.counts["kept_run"][:filled].copy(), self.array["kept_t"][:filled].copy(),
                          self.array["kept"][:filled].copy()))

    def _samples(self, taken):
        if self.every:
            return tuple(np.concatenate(column) for column in zip(*taken, strict=True))
        times = self.array["times"]
        return np.repeat(np.arange(self.B), len(times)), np.tile(times, self.B), self.array["kept"]

    def rate(self, t, y):
        """The rate of change of every state."""
        t, y, k = np.ascontiguousarray(t), np.ascontiguousarray(y), np.empty((self.B, self.n))
        addresses = (ctypes.c_void_p(x.ctypes.data) for x in (t, y, k))
        self._answer(self.library.evaluate(ctypes.byref(self.raw), *addresses))
        return k


def _in_one(raw, kind, sizes):
    """Arrays of so many zeros, {name: array}, one after the other in memory, and known to raw by their names."""
    memory, arrays, end = np.zeros(sum(sizes.values()), dtype=kind), {}, 0
    address = memory.ctypes.data
    for name, size in sizes.items():
        setattr(raw, name, address + end * memory.itemsize)
        arrays[name] = memory[end : end + size]
        end += size
    return arrays


def _address(made):
    """The address of a compiled function in C, 0 for None."""
    if made is None:
        return 0
    variant = made if hasattr(made, "kernel") else made.variant()
    return ctypes.cast(variant.kernel.function, ctypes.c_void_p).value


def _more(rounds, seconds):
    """How many rounds the next call may do, to last about a TURN."""
    return int(min(1 << 20, max(1, rounds * min(4.0, TURN / max(seconds, 1e-9)))))
