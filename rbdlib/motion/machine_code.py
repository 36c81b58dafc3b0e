"""One run of `rbdlib.motion.simulate.simulate` carried on in machine code, where that is possible and worth while."""

from copy import copy
from functools import partial
from typing import Any

import numpy as np

from rbdlib.book.ch09_hybrid import METHODS as HYBRID_METHODS
from rbdlib.compile.compile_for import CompiledFunction
from rbdlib.dynamics import METHODS
from rbdlib.loops import dynamics as loop_dynamics
from rbdlib.loops.tolerances import error_units
from rbdlib.methods.gears import GearedDynamics
from rbdlib.methods.joint_character import armatures, driven, with_armatures
from rbdlib.motion.compiled import ACCELERATION, CLOSED, MOVE, TOO_SMALL, Runs, WhenLong, equations_by, equations_for
from rbdlib.motion.drives import METHOD, checked_dynamics, depends_on_time, hybrid_accelerations, require_finite
from rbdlib.motion.embedded_pairs import PAIRS
from rbdlib.motion.integrators import STEPS, SWEEPS, Patient, Rest, SimulationError, momentum_rate
from rbdlib.numbers.validation import one_of, time_constant

#: How often a step asks for the accelerations.
STAGES = {"euler": 1, "semi_implicit_euler": 1, "heun": 2, "rk4": 4, "stormer_verlet": 1 + SWEEPS,
          **{name: len(pair.C) for name, pair in PAIRS.items()}}
#: Pivots of K below this part of the largest count as zero, also while the stages of a step hold loops open.
RANK = 1e-7


class Machine:
    """Carries a run on in machine code.

    readable: the `rbdlib.motion.phases.Motion` that it carries on, and put_back, which closes loops. compiled: the
    argument of simulate; True makes an error of what stands in the way.
    """

    def __init__(self, readable, method, compiled=None, progress=None):
        self.readable, self.model, self.method, self.progress = readable, readable.model, method, progress
        self.runs: Any = None
        self.rest: Any = None
        self.sought = WhenLong(self._equations, self.model.N_B, compiled)

    def takes_over(self, rest):
        """True if the run, a step longer now, is long enough to be carried on from where it stands, a `Rest`."""
        self.rest = None if self.sought(STAGES[self.method]) is None else rest
        return self.rest is not None

    def _equations(self, only_known):
        readable = self.readable
        forced = callable(readable.f_ext) or readable.f_ext_at(0.0, None, None).any()
        dynamics = recordable(self.model, readable.dynamics, readable.T_stab, readable.motions.bodies)
        return equations_for(self.model, self.method, dynamics, None if readable.motions.bodies else readable.torque,
                             forced, self.progress, only_known, bool(self.model.loops and readable.put_back))

    def run(self, times, dt, tolerance, every_step, look):
        """The samples that are left of the run after rest: arrays t, q, qd. look(t): see `Runs.adaptive`."""
        rest, fixed = self.rest, self.method in STEPS
        left = None if every_step else times if fixed else [rest.t, *times[rest.sample :]]
        runs, first = self._runs(rest, left, tolerance), rest.sample if fixed and not every_step else 1

        def started(t):
            self.patient.started = True                     # from now on a shorter step may help
            look(t)

        if fixed:
            _, t, states, _ = runs.fixed(self.method, dt, times, started, rest.sample, rest.done)
        else:
            _, t, states, _ = runs.adaptive(self.method, times[-1], started, rest.h)
            self._require_end(runs)
        return t[first:], states[first:, : self.model.nq], states[first:, self.model.nq :]

    def _require_end(self, runs):
        if runs.counts["state"][0] == TOO_SMALL:
            stopped = runs.array["t"][0]
            raise self.patient.error or SimulationError(f"The integration stopped at t = {stopped:.4g} s: Required "
                                                        "step size is less than spacing between numbers.", stopped)

    def by(self, kernel):
        """A machine for the same run by another kernel, which needs more numbers than this one."""
        other = copy(self)
        other.sought, other.runs = WhenLong(lambda only_known: equations_by(self.model, kernel)), None
        return other

    def single_steps(self, t, state, end, tolerance, max_step, put_back=None, **more):
        """Steps one by one, which end where others want it; yields as `Runs.single_steps` does.

        more: numbers that the kernel needs besides.
        """
        runs = self.runs or self._runs(Rest(t, state), None, tolerance, {name: [more[name]] for name in more})
        for name, values in more.items():
            runs.parameters[name][0] = values
        self.patient.started, self.step = False, None

        def started(t):
            self.patient.started = True

        yield from runs.single_steps(self.method, t, state, end, max_step, started, put_back)
        self._require_end(runs)

    def rate(self, t, state):
        """The rate of change of the state, compiled from when on that is worth while."""
        if self.runs is None:
            if self.sought() is None:
                return self.readable.rate(t, state)
            self._runs(Rest(t, state), [t], 1.0)
        return self.runs.rate(np.array([t]), state[None])[0]

    def _runs(self, rest, times, tolerance, parameters=None):
        torque, tau_at, f_ext_at = self.readable.torque, self.readable.tau_at, self.readable.f_ext_at
        motions = self.readable.motions.bodies
        asked = [bool(motions) or callable(torque) and not self.readable.controller, callable(self.readable.f_ext)]
        self.patient, self.step = Patient(self.readable.rate, self.method in PAIRS), None
        runs = Runs(self.sought.get(), [rest.state], rest.t,
                    np.zeros(self.model.nv) if callable(torque) else tau_at(rest.t, None, None),
                    np.zeros((self.model.N_B + 1, 6)) if asked[1] else f_ext_at(rest.t, None, None), times, tolerance,
                    drive=self._drive if any(asked) else None, answer=self._answer, imposing=bool(motions),
                    parameters=parameters, units=[error_units(self.model)])
        self.runs, self.asked = runs, asked
        return runs

    # Questions of the machine. A row is always the first: there is one run.

    def _drive(self, row, what):
        t, q, qd = self.runs.state(row)
        require_finite(self.model, t, q, qd)
        q, qd, motions = self.model.normalise(q), qd[: self.model.nv], self.readable.motions
        if motions.bodies:
            q, qd = motions.imposed(t, q, qd)
            self.runs.array["stage"][0] = np.concatenate([q, qd])
        if self.asked[0]:
            self.runs.tau[0] = motions.driven(t, self.readable.tau_at(t, q, qd))
        if self.asked[1]:
            self.runs.f_ext[0] = self.readable.f_ext_at(t, q, qd)

    def _answer(self, run, what, t, q, qd):
        if what not in (MOVE, ACCELERATION, CLOSED) and self.step != (step := self.runs.counts["taken"][0] // 2):
            self.step, self.patient.error = step, None
        return readable_answer(self.readable, what, t, q, qd, self.patient)

    def put_back(self, t, q, qd):
        """States at the times t (k), q (k x nq) and qd (k x nv), with closed loops."""
        states = self.runs.closed(np.zeros(len(t), dtype=int), t, np.column_stack([q, qd]))
        return states[:, : self.model.nq], states[:, self.model.nq :]


def readable_answer(readable, what, t, q, qd, rate=None):
    """The answer to a question of `rbdlib.motion.compiled.Runs`. readable: as for `Machine`; rate: in place of its."""
    if what == MOVE:
        return readable.model.integrate(q, qd, 1.0)
    if what == CLOSED:
        return np.concatenate(readable.put_back(t, q, qd))
    if what == ACCELERATION:
        return readable.acceleration(t, q, qd)
    return (rate or readable.rate)(t, np.concatenate([q, qd]))


def recordable(model, dynamics, T_stab=None, prescribed=(), tolerance=RANK):
    """The function (model, q, qd, tau, f_ext, t=...) that the argument dynamics means, in a list with what it is made
    from; None for one of the user's own. prescribed: bodies at whose joints tau holds accelerations. The characters of
    the model's joints count. tolerance: of `by_loop_constraints`.
    """
    if prescribed:
        return [partial(hybrid_accelerations, prescribed=tuple(prescribed), method=dynamics or METHOD), dynamics,
                tuple(prescribed)]
    if isinstance(dynamics, GearedDynamics) or dynamics is momentum_rate:
        function = dynamics
    elif isinstance(dynamics, CompiledFunction):
        function = partial(dynamics.function, **dynamics.fixed)
    elif callable(dynamics):
        return None
    elif model.loops:
        function = partial(loop_dynamics.by_loop_constraints, method=dynamics or "direct", T_stab=T_stab,
                           tolerance=tolerance, I_rot=armatures(model))
    else:
        function = with_armatures(model, METHODS[dynamics or "aba"])
    return [_with_characters(model, function), dynamics, T_stab]


def _with_characters(model, function):
    return partial(driven, dynamics=function) if any(model.characters) else function


def acceleration_method(model, dynamics, prescribed=(), T_stab=None, compiled=False):
    """The function(model, q, qd, tau, f_ext, t) that arguments of `simulate` mean, with the joints' characters.

    prescribed: as for `recordable`. compiled: None if a compiled function is to answer in a long run, True if it is to
    do so from the first call, and what stands in the way is an error.
    """
    own, methods = callable(dynamics), loop_dynamics.METHODS if model.loops else METHODS
    if prescribed:
        one_of(HYBRID_METHODS, dynamics or METHOD, "With prescribed motions dynamics")
    elif armatures(model) and (own or (not model.loops and dynamics not in (None, "aba"))):
        raise ValueError("The model's joints have armatures, which only dynamics=None or 'aba' respects. Leave "
                         "dynamics out, or simulate with characters=False.")
    elif not (own or dynamics is None or isinstance(dynamics, str) and dynamics in methods):
        ignorant = f", which knows nothing of the model's {model.N_L} loop(s)" if model.loops else ""
        raise ValueError(f"dynamics is {dynamics!r}{ignorant}; choose {', '.join(map(repr, methods))}, or give a "
                         f"function.")
    T_stab = None if T_stab is None else time_constant(T_stab)
    readable, *_ = recordable(model, dynamics, T_stab, prescribed, tolerance=None) or [None]
    if readable is None or isinstance(dynamics, CompiledFunction):
        readable = _with_characters(model, checked_dynamics(dynamics, model))
    source, timed = recordable(model, dynamics, T_stab, prescribed), depends_on_time(model)
    sought = WhenLong(partial(equations_for, model, "euler", source, progress=False), model.N_B, compiled)

    def accelerate(model, q, qd, tau, f_ext, t):
        if (quick := sought()) is not None:
            return quick.kernel(q, qd, tau, f_ext=f_ext, **({"t": t} if timed else {}))
        qdd = readable(model, q, qd, tau, f_ext=f_ext, t=t)
        return qdd[0] if isinstance(qdd, tuple) else qdd

    return accelerate
