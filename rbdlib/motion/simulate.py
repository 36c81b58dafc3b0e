"""Motion in time: the equations of motion and an integrator make a trajectory (RBDA 3.1, MRN 1.1)."""

import contextlib
from collections import namedtuple
from dataclasses import astuple, dataclass
from functools import cached_property, partial

import numpy as np

from rbdlib.book import ch02_spatial as ch02
from rbdlib.book.ch04_kinematics import body_transforms, body_velocities, kinetic_energy, momentum
from rbdlib.book.ch04_model import Model, require_model
from rbdlib.book.ch09_gears import state as geared_state
from rbdlib.compile.compile_for import compile_for
from rbdlib.loops import closing
from rbdlib.loops.tolerances import error_is_length, kept_for_model
from rbdlib.methods.centre_of_mass import potential_energy
from rbdlib.methods.geared_trees import GearedTree
from rbdlib.methods.gears import GearedDynamics
from rbdlib.methods.joint_character import character_energies, exact_joints, joint_forces
from rbdlib.methods.whole_system import loop_openings
from rbdlib.motion import integrators
from rbdlib.motion.drives import At, PrescribedMotions, require_finite
from rbdlib.motion.embedded_pairs import PAIRS
from rbdlib.motion.integrators import ADAPTIVE, FIXED_STEP, RESTARTING, STEPS, VARIATIONAL, Rest
from rbdlib.motion.machine_code import Machine
from rbdlib.motion.phases import Motion
from rbdlib.motion.stick_slip import JointRun, smooth_part
from rbdlib.numbers.progress import Progress
from rbdlib.numbers.scalars import as_floats, vector
from rbdlib.numbers.validation import rigid_body_inertia

#: So many samples, times bodies, are looked at by compiled functions: compiling takes as long as these would.
MANY = 5000
#: A loop that is open by more than this at the start of a motion is taken for a mistake.
OPEN_LOOP = 1e-6


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A motion sampled at the times t (s, length k): positions q (k x nq) and velocities qd (k x nv) of a model.

    norm_defect (k): how far the Euler parameters had left unit length when they were scaled back, 0 without any. They
    are scaled back after every step; under LSODA and BDF, whose steps build on one another, only in the samples.
    The rest is worked out when it is asked for, and kept: kinetic, potential, energy (k, J), those of the joints'
    characters among them (of rotors; of springs and end stops); momentum (k x 6, [h_O, h] of the bodies, in base
    coordinates); loop_gaps, loop_slips (k x N_L: by how much each loop joint is open, in position and in velocity);
    residual (k: the largest of norm_defect and loop_gaps, 0 where every constraint holds).
    """

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    model: Model
    norm_defect: np.ndarray

    def __repr__(self):
        return f"<Trajectory of {self.model!r}: {len(self.t)} samples, t = {self.t[0]:.6g} to {self.t[-1]:.6g} s>"

    def __len__(self):
        return len(self.t)

    kinetic = property(lambda self: self._sums[0])
    potential = property(lambda self: self._sums[1])
    energy = property(lambda self: self.kinetic + self.potential)
    momentum = property(lambda self: self._sums[2])

    @cached_property
    def _sums(self):
        """Kinetic and potential energy and momentum of all samples; of many by one compiled function."""
        states = self.q, self.qd, self.t
        if len(self) * self.model.N_B >= MANY:
            with contextlib.suppress(TypeError):            # a joint of the user's own that cannot be recorded
                return compile_for(energies_and_momentum, self.model, progress=False)(*states)
        found = [energies_and_momentum(self.model, *state) for state in zip(*states, strict=True)]
        return tuple(map(np.array, zip(*found, strict=True)))

    loop_gaps = property(lambda self: self._loops[..., 0])
    loop_slips = property(lambda self: self._loops[..., 1])
    residual = property(lambda self: np.column_stack([self.norm_defect, self.loop_gaps]).max(axis=1))

    @cached_property
    def _loops(self):
        if not self.model.loops:
            return np.zeros((len(self.t), 0, 2))
        if len(self) * self.model.N_B >= MANY:
            with contextlib.suppress(TypeError):
                return _largest_errors(self.model, self.q, self.qd, self.t)
        return np.array([[(loop.gap, loop.slip) for loop in _openings(self.model, *state)]
                         for state in zip(self.q, self.qd, self.t, strict=True)])


@dataclass(frozen=True, eq=False, repr=False)
class JointTrajectory(Trajectory):
    """A `Trajectory` of joints that stick, or have hard stops.

    holding (k x nv, N or N m): the forces of exact friction and hard stops.  held (k x nv): True where they keep a
    joint at rest. At an impact there may be two samples at one time, before and after it.  events: a tuple of
    `rbdlib.motion.stick_slip.JointEvent`.
    """

    holding: np.ndarray
    held: np.ndarray
    events: tuple


class BodyMotion(namedtuple("BodyMotion", "t E r v")):
    """The motion of one free body at the times t (s): E (k x 3 x 3), r (k x 3) and v (k x 6).

    E takes base to body coordinates, r is the position of the body's origin in base coordinates, v is the spatial
    velocity in body coordinates.
    """


def energies_and_momentum(model, q, qd, t=0.0):
    """Kinetic energy, potential energy (J) and momentum (6), as of the functions of these names.

    The energies are with those of rotors, springs and end stops that are joints' characters.
    """
    rotors, springs = character_energies(model, q, qd)
    return kinetic_energy(model, q, qd, t) + rotors, potential_energy(model, q, t) + springs, momentum(model, q, qd, t)


def simulate(model, q0, qd0, t_span, torque=None, f_ext=None, method="DOP853", dt=None, tolerance=1e-9, progress=None,
             dynamics=None, prescribed=None, T_stab=None, project=None, compiled=None, characters=True):
    """The motion of a model from the state q0 (nq), qd0 (nv); returns a `Trajectory` (RBDA Eq. 3.8, MRN-3, MRN-A2).

    model: a `Model`; or a `GearedTree`, of which q0 and qd0 are the independent variables y (ny) and yd (m), and the
    result is the motion of all its joints.
    t_span: (start, end) in s for samples at the steps taken; three or more increasing times for samples at just those,
    interpolated by methods that choose their steps: what is conserved then varies by some ten times more than from
    step to step, and a smaller tolerance helps.
    torque: joint forces (nv), a function torque(t, q, qd) that returns them (`rbdlib.motion.controllers` has some), or
    None.
    f_ext: forces on the bodies as for `rnea`, constant in base coordinates, or a function f_ext(t, q, qd).
    method: "euler", "semi_implicit_euler", "heun", "rk4" or, for trees whose qd is the rate of change of q,
    "stormer_verlet", which keeps the energy for millions of periods, with steps of dt (s), a little less where dt does
    not divide the time between two samples; or one of SciPy's, "RK45", "DOP853", "Radau", "LSODA", "BDF", which choose
    their steps so that each misses the truth by no more than tolerance, relative and absolute. Radau, LSODA and BDF are
    for stiff motions, such as those of light bodies with strong damping, on which the others crawl.
    dynamics: the name of a method of `forward_dynamics` for such a model; or a function(model, q, qd, tau, f_ext, t)
    that returns qdd, such as one that calls `by_loop_constraints` with a tolerance; or a compiled function, such as
    ``compile_for(aba, model)``.
    compiled: whether the motion runs in machine code, made from the same equations and steps, a thousand times as
    quickly. True: from the first step; what stands in the way is an error. False: not at all. None: where a C compiler
    is at hand, from where the run has shown that it is long (`rbdlib.motion.compiled.LONG`), or from the first step
    if its equations have been compiled in this session. What either computes differs by rounding, which the motion may
    amplify. Functions of the user's are called as often as without; controllers of `rbdlib.motion.controllers` are
    compiled, too. Nothing is compiled with a dynamics of the user's own.
    T_stab, project: how loops are kept closed. T_stab: by forces at the loop joints, within about this time (s; RBDA
    8.3). project=True: by putting the state back after each step (`rbdlib.loops.closing.project`), which LSODA and
    BDF do not allow. By default it is put back, where that is allowed and T_stab is not given; with project=False alone
    loops are closed in acceleration only, so that errors build up: look at loop_gaps.
    Where a motion branches, as a parallelogram's does when it is flat, it may go on along either branch: which one,
    rounding decides.
    prescribed: motions that are given as functions of time, {body: function}, where function(t) returns the q, qd and
    qdd of the body's joint (RBDA 9.1); for trees only. What q0, qd0 and torque say about these joints is not looked at
    and may be NaN or None; `forces_along` finds the forces that their drives must supply. dynamics is then the name of
    a method of `hybrid_dynamics`.
    characters: whether the joints' characters count: damping, friction, springs, end stops and armatures that the model
    has (`rbdlib.methods.joint_character.Character`). Where joints have armatures, dynamics is None or "aba", or, with
    loops or prescribed motions, a name; functions of the user's are then refused. Joints with exact friction or hard
    stops make the result a `JointTrajectory`, with the moments at which joints stick, slip and hit their stops as
    events; that is for trees, and for methods that can start anew after each. What is prescribed heeds neither.
    A motion that is to end at an event: `rbdlib.motion.until.simulate_until`.
    progress: True or False for a progress bar on stderr or none; by default, on runs longer than two seconds.
    Raises ValueError or TypeError for bad arguments; SimulationError (a ValueError and a RuntimeError) with the time
    and the body where a number is no longer finite, or with the time where the integrator gives up.

    >>> from rbdlib import load
    >>> simulate(load("double_pendulum"), [0.1, 0], [0, 0], [0, 0.5, 1]).q.round(3)
    array([[ 0.1  ,  0.   ],
           [ 0.017,  0.047],
           [-0.05 , -0.057]])
    """
    if isinstance(model, GearedTree):
        geared, model, (q0, qd0, *_) = model, model.model, geared_state(model, q0, qd0)
        dynamics = GearedDynamics(geared, "explicit" if dynamics is None else dynamics)
    times, every_step = samples = integrators.sample_times(t_span)
    integrators.require_method(method, dt, tolerance)
    model = model if characters else require_model(model).replace(characters={})
    if method in VARIATIONAL:
        integrators.require_variational(model, method, dynamics, prescribed)
        dynamics = integrators.momentum_rate
    motions = PrescribedMotions(model, {} if prescribed is None else prescribed)
    motions.require_motion(times[0], times[-1])
    q, qd = motions.imposed(times[0], *start_state(model, *motions.start(times[0], q0, qd0), times[0]))
    readable = Readable(model, torque, f_ext, dynamics, T_stab, motions)
    put_back = readable.put_back = put_back_by(model, method, T_stab, project)
    if put_back is not None:
        q, qd = put_back(times[0], q, qd)
    if (smooth := smooth_part(model)) is not None:
        return _stick_slip(smooth, (q, qd), samples, readable, (method, dt, tolerance, np.inf), compiled, progress)
    machine, found, run = Machine(readable, method, compiled, progress), [], [(times[0], (q, qd))]
    machine.sought.at_once()
    if method in ADAPTIVE and method not in PAIRS or not machine.takes_over(Rest(times[0], np.concatenate([q, qd]))):
        run = readable.steps(q, qd, samples, method, dt, tolerance, machine)
    with np.errstate(over="ignore", invalid="ignore"), Progress(times[-1] - times[0], "s", progress) as bar:
        def look(t):
            bar.update(t - times[0])

        for t, state in run:
            found.append((t, *motions.imposed(t, *state)))
            look(t)
        t, q, qd = _columns(found)
        if machine.rest:
            left = machine.run(times, dt, tolerance, every_step, look)
            if motions.bodies:
                left = _columns([(t, *motions.imposed(t, q, qd)) for t, q, qd in zip(*left, strict=True)])
            t, q, qd = map(np.concatenate, zip((t, q, qd), left, strict=True))
        require_finite(model, t[-1], q[-1], qd[-1])
    q, defects = integrators.unit_rows(model, q)
    if put_back is not None:
        q, qd = machine.put_back(t, q, qd) if machine.runs else _columns(map(put_back, t, q, qd))
    return Trajectory(t, q, qd, model, defects)


def _stick_slip(smooth, state, samples, readable, integrator, compiled, progress):
    """The `JointTrajectory` of a model with a smooth part, from a state; arguments as `simulate` has checked them."""
    model, dynamics = readable.model, readable.dynamics
    if model.loops or isinstance(dynamics, GearedDynamics):
        raise ValueError("Exact friction and hard stops (friction_speed = 0, or a restitution) are for trees without "
                         "loops and gears. Give a friction_speed, and stop_stiffness in place of restitution.")
    integrators.require_method(*integrator, ("exact friction or hard stops", "event"))
    run = JointRun(exact_joints(model), lambda *state: float(sum(energies_and_momentum(model, *state)[:2])), integrator,
                   smooth, readable.torque, readable.f_ext, dynamics, None, readable.motions, compiled)
    t, q, qd, defects, holding, held = run.motion(*state, samples, progress)
    return JointTrajectory(t, q, qd, model, defects, np.array(holding), np.array(held), tuple(run.events))


def forces_along(motion, prescribed, torque=None, f_ext=None):
    """The accelerations and joint forces along a `Trajectory` with prescribed motions: qdd and tau (k x nv).

    prescribed, torque, f_ext: what the motion was simulated with. At prescribed joints tau is the force, or the torque,
    that the drive supplies (RBDA 9.1); elsewhere it is that of torque.
    """
    if not isinstance(motion, Trajectory):
        raise TypeError(f"motion is {motion!r}; give the Trajectory that simulate returned.")
    model, motions, found = motion.model, PrescribedMotions(motion.model, prescribed), []
    given = Motion(model, torque, f_ext, motions=motions)
    for t, q, qd in zip(motion.t, motion.q, motion.qd, strict=True):
        motions.require_state(t, q, qd)
        own = joint_forces(model, q, qd)
        qdd, tau = motions.dynamics(q, qd, given.tau_at(t, q, qd) + own, given.f_ext_at(t, q, qd), t)
        found.append((qdd, tau - own))
    return tuple(np.array(part) for part in zip(*found, strict=True))


def simulate_rigid_body(I, v, t, X=None, gravity=(0, 0, 0), tolerance=1e-10):
    """The flight of one rigid body under gravity alone; returns a `BodyMotion` (RBDA Eq. 2.72).

    I: inertia, v: spatial velocity at the first of the times t (s), both in body coordinates. X: transform from base to
    body coordinates at that time (default: they coincide). gravity: acceleration of free fall in base coordinates.
    """
    I, v, gravity = rigid_body_inertia(I, "I"), vector(v, 6, "v"), vector(gravity, 3, "gravity")
    E, r = ch02.X_to_Er(np.eye(6) if X is None else X)
    inverse = ch02.inverse_inertia(*ch02.I_to_mcI(I))
    times, _ = integrators.sample_times(t, "t")
    integrators.require_method("DOP853", None, tolerance)

    def rate(t, state):
        E, v = state[:9].reshape(3, 3), state[12:]
        weight = I @ ch02.free_motion(E @ gravity)
        acceleration = inverse @ (weight - ch02.bias_force(I, v))                       # (2.72)
        return np.concatenate([(-ch02.skew(v[:3]) @ E).ravel(), E.T @ v[3:], acceleration])

    start = np.concatenate([E.ravel(), r, v])
    states = np.array([state for _, state in integrators.adaptive_steps("DOP853", rate, start, times, tolerance)])
    return BodyMotion(times, states[:, :9].reshape(-1, 3, 3), states[:, 9:12], states[:, 12:])


def start_state(model, q0, qd0, t):
    """q0 (nq) and qd0 (nv) as floats, checked: finite numbers, unit Euler parameters, closed loops."""
    require_model(model)
    q, qd = vector(q0, model.nq, "q0"), vector(qd0, model.nv, "qd0")
    if not made_of_floats(model) or any(as_floats(x) is None for x in (q, qd)):
        raise ValueError("The model or the state contains complex numbers or symbols; simulate the model with real "
                         "numbers in their place.")
    normalise = integrators.normalisation(model)
    if normalise is not np.copy:
        body_transforms(model, q, t)                    # refuses Euler parameters that are far from a unit vector
    q, qd = normalise(q.astype(float)), qd.astype(float)
    for k, loop in enumerate(_openings(model, q, qd, t), start=model.N_B + 1):
        if loop.gap > OPEN_LOOP or loop.slip > OPEN_LOOP:
            raise ValueError(
                f"Loop joint {k} is open at the start: its two frames miss one another by {loop.gap:.2g}, their "
                f"velocities by {loop.slip:.2g}. Choose q0 and qd0 so that the loop is closed.")
    return q, qd


def _largest_errors(model, q, qd, t):
    """By how much each loop is open, and how fast it opens, of many states (k x N_L x 2), by a compiled function."""
    lengths = error_is_length(model)
    ends, found = np.cumsum([len(of_loop) for of_loop in lengths])[:-1], np.zeros((len(t), model.N_L, 2))
    for kind, errors in enumerate(compile_for(closing.loop_errors, model, progress=False)(q, qd, t)):
        for l, part in enumerate(np.split(errors, ends, axis=1)):
            found[:, l, kind] = np.maximum(np.linalg.norm(part[:, lengths[l]], axis=1),
                                           np.linalg.norm(part[:, ~lengths[l]], axis=1))
    return found


@kept_for_model
def made_of_floats(model):
    """False if there are complex numbers or symbols in a model."""
    fields = [x for character in model.characters if character for x in astuple(character) if x is not None]
    return all(as_floats(x) is not None for x in (model.gravity, *model.X_tree[1:], *model.inertia[1:], fields))


def _openings(model, q, qd, t):
    if not model.loops:
        return []
    X_0 = body_transforms(model, q, t)
    v = [ch02.inverse_transform(X) @ v_i for X, v_i in zip(X_0, body_velocities(model, q, qd, t), strict=True)]
    return loop_openings(model, X_0, v, t)


def put_back_by(model, method, T_stab=None, project=None):
    """The function t, q, qd -> q, qd with closed loops that the arguments of `simulate` ask for, or None."""
    if project not in (None, True, False):
        raise ValueError(f"project is {project!r}; choose True, False, or None for what suits the other arguments.")
    allowed = method in RESTARTING
    if project and not allowed:
        raise ValueError(f"project is True, but {method!r} builds on earlier steps, which must not be changed. Choose "
                         f"one of {', '.join(map(repr, RESTARTING))}, or T_stab=0.1 instead.")
    if not model.loops or not (allowed and T_stab is None if project is None else project):
        return None

    def put_back(t, q, qd):
        require_finite(model, t, q, qd)
        with At(model, t, remedy=" project=False leaves the loops alone."):
            return closing.project(model, q, qd, t)

    return put_back


class Readable(Motion):
    """The motion of `simulate` in readable steps."""

    def acceleration(self, t, q, qd):
        """The accelerations qdd (nv)."""
        require_finite(self.model, t, q, qd)
        q, qd = self.motions.imposed(t, q, qd)
        return self.qdd(t, q, qd, self.motions.driven(t, self.tau_at(t, q, qd)), self.f_ext_at(t, q, qd))

    def repair(self, t, state, rate):
        """A state and its rate with unit Euler parameters and loops closed."""
        q, qd = self.normalise(state[: self.model.nq]), state[self.model.nq :]
        if self.put_back is not None:
            q, qd = self.put_back(t, q, qd)
        return np.concatenate([q, qd]), np.concatenate([self.q_rate(q, qd), rate[self.model.nq :]])

    def steps(self, q, qd, samples, method, dt, tolerance, machine):
        """The steps as the book has them, from q and qd on, until a `Machine` takes over: yields t, (q, qd)."""
        times, every_step = samples
        if method in STEPS:
            move = partial(integrators.carried, self.model) if method in VARIATIONAL else self.move
            return integrators.fixed_steps((FIXED_STEP | VARIATIONAL)[method], move, self.acceleration, q, qd, times,
                                           dt, every_step, machine.takes_over, self.put_back)
        rate, enough = (self.rate, machine.takes_over) if method in PAIRS else (machine.rate, None)
        repair = None if self.put_back is None and self.normalise is np.copy else self.repair
        steps = integrators.adaptive_steps(method, rate, np.concatenate([q, qd]), times, tolerance, every_step, repair,
                                           enough)
        return ((t, (state[: self.model.nq], state[self.model.nq :])) for t, state in steps)


def _columns(samples):
    """The times, positions and velocities of samples (t, q, qd) as three arrays."""
    return [np.array(column) for column in zip(*samples, strict=True)]
