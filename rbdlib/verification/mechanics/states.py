"""Random states at which an answer and the right result are compared: seeded, admissible, in 40 digits.

Admissible means: inertias that some body has, Euler parameters of unit length, loops that are closed and stay closed.
"""

import dataclasses
import functools
import itertools
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mpmath
import numpy as np

from rbdlib.book.ch04_joints import Prismatic
from rbdlib.book.ch04_model import LoopJoint, ModelError, require_model
from rbdlib.book.ch06_factorisation import solve
from rbdlib.compile.parameters import with_numbers
from rbdlib.io.model_file import load, model_names
from rbdlib.loops.closing import LoopsNotClosed, close_loops
from rbdlib.loops.clusters import constraints_to_rank, independent_constraints
from rbdlib.loops.dynamics import by_loop_constraints
from rbdlib.loops.tolerances import kept_for_model
from rbdlib.methods.joint_character import aba_with_characters, armatures, joint_forces
from rbdlib.numbers.validation import rigid_body_inertia, transform

#: Decimal digits in which everything is computed.
DIGITS = 40
#: Parameters are drawn between these numbers.
LEAST, MOST = 0.5, 2.0
#: Where loops must close, parameters are drawn within this factor of those in the model file, if there is one.
SPREAD = 1.15
#: States are drawn from ranges so many times as wide where what a formula does far away is to be seen.
FAR = 60.0
_TRIES, _TRIES_WITH_LOOPS = 100, 5
#: So many draws are kept for a system.
_MOST_KEPT = 100
#: Larger pivots are needed for a row of K to count as independent.
_RANK = 1e-9


class NoState(ValueError):
    """No admissible state was found."""


@dataclass(frozen=True, eq=False)
class State:
    """One state of a system, everything as arrays of mpmath numbers.

    model: the `Model` with numbers for its parameters, or a stand-in.  parameters: {name: value}.  q (nq), qd (nv),
    tau (nv): drawn.  qdd (nv), lam (n_c): the accelerations and loop constraint forces that follow.  t: a time (s), on
    which only motions depend that are prescribed.
    """

    model: Any
    parameters: dict
    q: np.ndarray
    qd: np.ndarray
    tau: np.ndarray
    t: Any = 1

    @cached_property
    def _motion(self):
        with mpmath.workdps(max(mpmath.mp.dps, DIGITS)):    # a report asks for it as well, and it is used again
            model, q, qd = self.model, self.q, self.qd
            if model.loops:
                return by_loop_constraints(model, q, qd, self.tau + joint_forces(model, q, qd), I_rot=armatures(model))
            return aba_with_characters(model, q, qd, self.tau), np.zeros(0, dtype=object)

    #: The accelerations (nv) that the forces tau produce, and the loop constraint forces (n_c).
    qdd = property(lambda self: self._motion[0])
    lam = property(lambda self: self._motion[1])

    @cached_property
    def qdot(self):
        """The rates of change of q (nq), which are not qd where a joint has other velocity variables."""
        with mpmath.workdps(max(mpmath.mp.dps, DIGITS)):
            return self.model.qdot(self.q, self.qd)

    def with_forces(self, tau):
        """This state under other forces tau (nv); made once for each, so that its motion is found once."""
        kept, key = self.__dict__.setdefault("_under", {}), tuple(tau)
        if key not in kept:
            kept[key] = dataclasses.replace(self, tau=tau)
        return kept[key]


class Altered:
    """A state of which some parts are replaced by others, whether or not they fit together.

    before: a `State`.  parts: what is different, such as qdd.
    """

    def __init__(self, state, **parts):
        self.__dict__.update(parts, before=state)

    def __getattr__(self, name):
        return getattr(self.before, name)


class System:
    """A model whose parameters can be given numbers.

    model: as handed in, or with symbols if rbdlib has that model.  given: the model handed in.  exact: whether its
    numbers are exact, so that results can be compared in all digits.  symbols: names of the parameters that are free.
    reduced: whether its inertias are such as no rigid body has, as where books leave out the moments about other axes.
    drawn: states that were drawn before, for `draw`.
    """

    def __init__(self, model):
        self.given, self.reduced, self.drawn, self._functions = require_model(model), False, {}, {}
        found = next(((_loaded(name, True), dict(_loaded(name, False).parameters)) for name in model_names()
                      if _loaded(name, False).names == model.names
                      and model in (_loaded(name, False), _loaded(name, True))), None)   # it comes with rbdlib
        self.model, self.nominal = found or (model, {})
        entries = []

        def note(x):
            entries.append(x)
            return x

        in_numbers(self.model, note)
        self._numbers = [*entries, *self.model.parameters.values()]
        self.symbols = sorted({str(s) for x in self._numbers for s in getattr(x, "free_symbols", ())})
        self.exact = found is not None or not any(isinstance(x, float) and x != round(x) for x in entries)

    def at(self, parameters, module="mpmath"):
        """The model with numbers for its parameters, a dict {name: value}. Raises `ModelError`.

        module: "mpmath", or "math" for floats, with which it is not checked whether a body can have such inertias.
        """
        model = in_numbers(self.model, self._values(parameters, module).__getitem__)
        try:                                            # numbers were checked when the model was made, symbols were not
            for i in self.model.bodies if module == "mpmath" else ():
                if self.model.X_tree[i].dtype == object:
                    transform(model.X_tree[i].astype(float), f"X_tree of body {i}")
                if self.model.inertia[i].dtype == object and not self.reduced:
                    rigid_body_inertia(model.inertia[i].astype(float), f"inertia of body {i}")
        except ValueError as error:
            raise ModelError(str(error)) from None
        return model

    def named(self, parameters, module="mpmath"):
        """The values of all named parameters, those that are formulas in others included: a dict."""
        values = self._values(parameters, module)
        return {name: values[x] for name, x in self.model.parameters.items()} | parameters

    def _values(self, parameters, module):
        """{entry of the model, or named parameter: its value}."""
        import sympy

        number = float if module == "math" else mpmath.mpf
        if module not in self._functions:
            formulas = [*dict.fromkeys(x for x in self._numbers if hasattr(x, "free_symbols"))]
            symbols = sorted({s for x in formulas for s in x.free_symbols}, key=str)
            known = {x: number(x.item() if isinstance(x, np.generic) else x) for x in self._numbers
                     if not hasattr(x, "free_symbols")}
            function = sympy.lambdify(symbols, formulas, module, dummify=True)
            self._functions[module] = known, formulas, [*map(str, symbols)], function
        known, formulas, names, function = self._functions[module]
        return known | dict(zip(formulas, map(number, function(*map(parameters.get, names))), strict=True))


def unchecked(model, **changes):
    """A copy of a model with other attributes, such as inertias that no body has, as by a learner's mistake."""
    new = object.__new__(type(model))
    new.__dict__.update(model.__dict__, **changes)
    return new


@kept_for_model
def system_of(model):
    """The `System` of a model; it is made once, as long as the model lives."""
    return System(model)


@functools.cache
def _loaded(name, symbolic):
    with warnings.catch_warnings(action="ignore"):
        return load(name, symbolic=symbolic)


def in_floats(system, state, factors):
    """A state with floats for all numbers, its parameters multiplied by factors, a dict {name: float}."""
    free = {name: float(state.parameters[name]) * factors.get(name, 1.0) for name in system.symbols}
    parts = {part: np.array(getattr(state, part), dtype=float) for part in ("q", "qd", "tau")}
    return dataclasses.replace(state, model=system.at(free, "math"), **parts, parameters=system.named(free, "math"))


def in_numbers(model, number):
    """The model with numbers of another kind, each made by a function ``number``; nothing about it is checked."""
    def alone(x):
        return x if x is None or isinstance(x, bool | int | str) or callable(x) else number(x)

    def array(x):
        flat = [number(entry) for entry in np.ravel(x).tolist()]
        return np.array(flat, dtype=float if isinstance(flat[0], float) else object).reshape(np.shape(x))

    def changed(part, **changes):
        return (unchecked if isinstance(part, LoopJoint) else dataclasses.replace)(part, **changes)

    def character(c):                                   # the speed of a friction that is 0 stays as it is
        values = {name: x for name, x in vars(c).items() if name != "friction_speed" or c.friction != 0}
        return dataclasses.replace(c, **{name: number(x) for name, x in values.items() if x is not None})

    return unchecked(with_numbers(unchecked(model, characters=()), alone, array, changed), parameters={},
                     characters=tuple(c and character(c) for c in model.characters))


def require_seed(seed):
    """Raises ValueError unless the seed is a whole number that is not negative."""
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or seed < 0:
        raise ValueError(f"seed is {seed!r}; give a whole number that is not negative, such as 0.")


def draw(system, seed=0, count=3, fixed=None, decimals=None, far=(), where=None):
    """A list of ``count`` states of a `System`, drawn from the seed (a whole number).

    fixed: a function that takes the drawn parameters {name: mpmath number} and returns those that the learner's own
    assumptions leave (m1 = m2). decimals: round what is drawn to so many, for states that are to be shown. far: what
    is drawn from a wider range, some of "parameters", "lengths" (and rates and forces), "angles"; or "near": loops are
    closed near q = 0. where: a function that tells whether a state is wanted. Raises `NoState` (a ValueError) if no
    admissible state is found. Call it, and whatever uses the states, under ``mpmath.workdps(DIGITS)``.
    """
    return [_drawn(system, (seed, i), 1, fixed, decimals, far, where)[0] for i in range(count)]


def draw_pair(system, seed=0, fixed=None, decimals=None, far=(), where=None):
    """Two states with the same parameters, for what is compared up to a constant. Arguments as for `draw`."""
    return _drawn(system, (seed, 0), 2, fixed, decimals, far, where)


def _drawn(system, seed, count, fixed, decimals, far, where):
    """So many states with the same parameters, a tuple; kept, with what is found out about them, unless special."""
    kept, key = {} if fixed or where else system.drawn, (seed, count, decimals, far, mpmath.mp.dps)
    if key not in kept:
        if len(kept) > _MOST_KEPT:
            kept.clear()
        kept[key] = tuple(itertools.islice(_states(system, [20261121, *seed], fixed, decimals, far, where), count))
    return kept[key]


def _states(system, seed, fixed, decimals, far, where):
    """States without end, all with the same parameters."""
    rng, problem = np.random.default_rng(seed), None
    tries, near, short = (_TRIES_WITH_LOOPS, system.nominal, None) if system.model.loops else (_TRIES, {}, decimals)
    for k in range(tries):
        wide = "parameters" in far and 2 * k < tries
        try:
            values = _exact([near[name] * rng.uniform(1 / SPREAD, SPREAD) if name in near else
                             rng.uniform(LEAST, MOST) * (FAR ** rng.uniform(-1, 1) if wide else 1)
                             for name in system.symbols], short)
            parameters = (fixed or dict)(dict(zip(system.symbols, values, strict=True)))
            model = system.at(parameters)
            q, qd = _configuration(model, rng, decimals, far)
            break
        except (ModelError, LoopsNotClosed, ZeroDivisionError) as error:
            problem = error
    else:
        if system.reduced or "triangle inequality" not in str(problem):
            raise NoState(f"In {tries} random choices of the parameters none gave a mechanism that is possible: "
                          f"{problem}")
        system.reduced = True
        yield from _states(system, seed, fixed, decimals, far, where)
    for k in itertools.count():
        tau = _rates(rng, model.nv, decimals, far)
        state = State(model, system.named(parameters), q, qd, tau, tau.sum() + 1)
        if where is None or where(state):
            yield state
        elif k > _TRIES:
            raise NoState("No state of the kind that is wanted was found.")
        q, qd = _configuration(model, rng, decimals, far)


def _rates(rng, n, decimals, far):
    return _exact(rng.uniform(-2, 2, n), decimals) * (int(FAR) if "lengths" in far else 1)


def _exact(floats, decimals=None):
    numbers = floats if decimals is None else [f"{x:.{decimals}f}" for x in floats]
    return np.array([*map(mpmath.mpf, numbers)], dtype=object)


def _configuration(model, rng, decimals, far=()):
    q, qd = model.random_state(rng)[0], _rates(rng, model.nv, decimals, far)
    if not model.loops:
        q = np.array(q, dtype=float)
        for i in model.bodies:                             # displacements, and angles, from a wider range
            joint, at = model.joints[i], model.q_slice(i)
            if joint.nq == joint.nv and ("lengths" if isinstance(joint, Prismatic) else "angles") in far:
                q[at] = q[at] * FAR
        return model.normalise(_exact(q, decimals)), qd
    if "near" in far:
        q = model.integrate(model.neutral(), rng.uniform(-0.8, 0.8, model.nv), 1.0)
    q, K = _closed(model, _exact(close_loops(in_numbers(model, float), q, tolerance=1e-9)))
    return q, qd - _correction(K, K @ qd)


def _closed(model, q):
    """(q moved by Newton's steps until the loops are closed to the last digit, K there)."""
    for _ in range(10):
        q = model.normalise(q)
        K, _, delta, _ = constraints_to_rank(model, q, np.zeros(model.nv, dtype=object) + 0 * q[0])
        gap = max((abs(x) for x in delta), default=0)
        if gap < 10.0 ** (3 - min(mpmath.mp.dps, 300)):
            return q, K
        q = model.integrate(q, -_correction(K, delta), 1)
    raise LoopsNotClosed("The loops could not be closed.", q, float(gap))


def _correction(K, miss):
    """The shortest x with K x = miss."""
    independent = independent_constraints(K, miss, _RANK)
    K_1 = independent.K
    return K_1.T @ solve(K_1 @ K_1.T, independent.k) if len(K_1) else 0 * K.sum(axis=0)
