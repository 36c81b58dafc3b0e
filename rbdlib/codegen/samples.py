"""A sample state: what a recorded algorithm chooses by, and what its program is compared at (RBDA 10.4)."""

import numpy as np

from rbdlib.closed_loops import forward_dynamics, loop_constraints
from rbdlib.codegen.parameters import with_parameters
from rbdlib.constraint_solution import eliminate
from rbdlib.gear_trains import GearedTree
from rbdlib.joints import FreeMotion
from rbdlib.loop_closing import assemble
from rbdlib.loop_projection import project

#: How often the parameters of a model that are not given are made up, until its loops can be closed.
ATTEMPTS = 20
#: How far from the neutral position (rad, m) loops are closed to see how many of their constraints are independent.
REACHES, ENOUGH = (0.3, 0.5, 1.0, 2.0, 3.0), 2
#: The inputs that must suit the model and one another; numbers for all others are drawn at random.
STATE = {"q", "qd", "qdd", "tau", "base", "T_stab", "y", "yd"}


class Sample:
    """Numbers for all inputs of a program: those given, and for the others a random state in which loops are closed.

    model, fixed: as for `record`; inputs: those of the program, the last of which are the parameters; given: {name:
    numbers} or None. Nothing is computed before it is asked for.
    """

    def __init__(self, model, inputs, parameters, fixed, given):
        self.model, self.inputs, self.fixed = model, inputs, fixed
        self.parameters, self.given, self.made = list(parameters), dict(given or {}), None
        for name in self.given:
            if name not in [known for known, _ in inputs]:
                raise ValueError(f"sample names {name!r}, which is no input; those are "
                                 f"{', '.join(known for known, _ in inputs)}.")

    def values(self):
        """{name: array} for all inputs."""
        for attempt in range(ATTEMPTS if self.made is None else 0):
            rng = np.random.default_rng(attempt)
            self.made = {name: rng.uniform(0.5, 1.5) for name in self.parameters} | self._given()
            try:
                self.made |= self._state(rng, {name for name, _ in self.inputs} - set(self.made))
                break
            except ValueError as error:
                reason, self.made = error, None
                if set(self.parameters) <= set(self.given):
                    break
        if self.made is None:
            raise TypeError(f"No sample state was found in which all loops are closed: {reason} Give one, "
                            "sample={...}, with a number for each parameter of the model.") from reason
        rng = np.random.default_rng(ATTEMPTS)
        for name, shape in self.inputs:
            self.made.setdefault(name, rng.normal(size=shape))
        return self.made

    def _given(self):
        shapes = dict(self.inputs)
        return {name: np.broadcast_to(np.asarray(x, dtype=float), shapes[name]) for name, x in self.given.items()}

    def entries(self):
        """The numbers of all inputs in order, a list."""
        values = self.values()
        return [x for name, _ in self.inputs for x in np.ravel(values[name]).tolist()]

    def numbers(self):
        """The model with the numbers of the sample in place of its parameters."""
        values = self.values() if self.made is None else self.made
        return with_parameters(self.model, {name: float(values[name]) for name in self.parameters})

    def result(self, function):
        """What the function itself gives; None if it fails for numbers that are not known to make sense."""
        values = self.values()
        arguments = {name: values[name] for name, _ in self.inputs if name not in self.parameters}
        try:
            return function(self.numbers(), **arguments, **self.fixed)
        except (ValueError, ArithmeticError):
            if set(values) - set(self.given) <= KNOWN:
                raise
            return None

    def _state(self, rng, missing):
        """Those of the known inputs that are missing, in keeping with one another and with loops."""
        if not missing & STATE:
            return {}
        model = self.numbers()
        tree = getattr(model, "tree", getattr(model, "model", model))
        q, qd = tree.random_state(rng)
        state = {"q": q, "qd": qd, "qdd": rng.normal(size=tree.nv), "tau": rng.normal(size=tree.nv),
                 "base": FreeMotion().random_position(rng), "T_stab": 0.1}
        if isinstance(model, GearedTree):
            state["y"], state["yd"] = model.independent_part(q, qd)
        elif getattr(model, "loops", ()) and missing & {"q", "qd", "qdd"}:
            state |= self._closed(model, rng, {name: x for name, x in self.made.items() if name in state}, state)
        return {name: x for name, x in state.items() if name in missing}

    def _closed(self, model, rng, given, state):
        t = float(self.made.get("t", self.fixed.get("t", 0.0)))
        q, qd = given.get("q"), given.get("qd", state["qd"])
        q = closed_posture(model, rng, t) if q is None else q
        if "qd" not in given:
            q, qd = project(model, q, qd, t)
        qdd, _ = forward_dynamics(model, q, qd, given.get("tau", state["tau"]), t=t)
        return {"q": q, "qd": qd, "qdd": qdd}


def closed_posture(model, rng, t=0.0):
    """A configuration with closed loops in which as many constraints are independent as anywhere near the neutral one.

    Elsewhere a mechanism may have branches on which it is folded up and has freedoms that it has not got in use.
    """
    found, reasons = [], []
    for reach in REACHES:
        if len(found) == ENOUGH:
            break
        away = reach * rng.uniform(-1, 1, model.nv)
        try:
            q = assemble(model, model.integrate(model.neutral(), away, 1.0), t=t)
        except ValueError as error:
            reasons.append(error)
            continue
        K, _, _ = loop_constraints(model, q, np.zeros(model.nv), t=t)
        found.append((eliminate(K).rank, -reach, q))
    if not found:
        raise reasons[-1]
    return max(found, key=lambda state: state[:2])[2]


#: Inputs whose samples make sense, so that a function which cannot deal with them cannot be recorded.
KNOWN = {"q", "qd", "qdd", "tau", "f_ext", "t", "y", "yd", "ydd", "base", "v_0", "a_g",
         "T_stab"}
