"""Other systems for which a wrong answer may be right: gravity reversed, a mass forgotten, two lengths exchanged.

A `Hypothesis` says what is changed; `rules` has those that change what is done with the system.
"""

import dataclasses
import functools
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import I_to_mcI, crf, crm, mcI, skew
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.verification.mechanics.states import Altered, unchecked
from rbdlib.verification.reasons.screening import at_floats

#: Added to an inertia that is taken away: a model may have bodies of little inertia, but not of none.
_LITTLE = 1e-80


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """Something that, if it were so, might make the answer right.

    kind: a short name, such as "gravity reversed".  words: a sentence that says what was found.  question: what the
    learner should look at.  cost: the smaller, the likelier.
    parameters (dict -> dict), model (Model -> Model), state (State -> State): how the system changes, None if not.
    target: a function of (case, state) that gives the values of a rule, or None: those of the changed system.
    motion: a function of a state that gives the accelerations of a rule, for equations of motion; None if none.
    back: where ``state`` changes the rates: the matrix (nv x nv) that leads from the changed ones to the given ones.
    into: the same, if the values in the changed state are those in other coordinates as well.
    """

    kind: str
    words: str
    question: str
    cost: float
    parameters: Any = None
    model: Any = None
    state: Any = None
    target: Any = None
    motion: Any = None
    back: Any = None
    into: Any = None

    @property
    def is_kinematic(self):
        """True if it may change positions and velocities; centres of mass have a place."""
        return self.model is None or self.kind in ("half-length", "length for half-length", "centre of mass at joint")

    @property
    def of_system(self):
        """True if it changes the system (and not only what is done with it)."""
        return any((self.parameters, self.model, self.state))


#: Quantities that depend on lengths and positions, but not on what is heavy.
_KINEMATIC = ("J", "Jdot", "v", "a", "S", "X", "R", "A", "omega", "alpha", "position", "velocity", "acceleration")


#: Quantities that do not depend on accelerations or forces.
_OF_MOTION = ("H", "C", "g", "bias", "T", "V", "L", "E", "p", "impulse", "momentum", "com", "J", "Jdot", "v", "S", "X",
              "R", "A", "omega", "position", "velocity", "K", "k", "phi", "I", "Ic")


def has_accelerations(quantity):
    """True if a `Quantity` may depend on accelerations or forces."""
    return quantity.symbol not in _OF_MOTION


def is_kinematic(quantity):
    """True if a `Quantity` does not depend on masses, inertias and gravity."""
    return quantity.symbol in _KINEMATIC or quantity.name.startswith(("J", "Jdot", "v[", "a["))


def altered(system, state, hypotheses):
    """The state of the system that several hypotheses assume. Raises ValueError if there is no such system."""
    parameters, model = None, state.model
    for change in filter(None, (h.parameters for h in hypotheses)):
        parameters = change(parameters or {name: state.parameters[name] for name in system.symbols})
    if parameters:
        model = at_floats(system, parameters) if model.gravity.dtype == float else system.at(parameters)
    for change in filter(None, (h.model for h in hypotheses)):
        model = change(model)
    new = state if model is state.model else dataclasses.replace(state, model=model)
    for change in filter(None, (h.state for h in hypotheses)):
        new = change(new)
    return new


def of_systems(system):
    """All hypotheses about another system than the given one, a list, the likeliest first."""
    found = [*_gravity(), *_inertias(system), *_of_parameters(system), *_velocities(system)]
    return sorted(found, key=lambda h: h.cost)


# Gravity


def _gravity():
    yield Hypothesis(
        "gravity reversed", "Your answer would be right if gravity acted in the opposite direction.",
        "In which direction does gravity pull here, and is the potential energy larger above or below?", 1.0,
        model=lambda model: unchecked(model, gravity=-model.gravity))
    yield Hypothesis(
        "gravity missing", "Your answer would be right for the same system without gravity.",
        "Where does the weight of the bodies enter your derivation?", 1.05,
        model=lambda model: unchecked(model, gravity=0 * model.gravity))


# Inertias of bodies


def _inertias(system):
    for i in system.model.bodies:
        name = system.model.names[i]
        at_origin = all(x == 0 for x in system.model.inertia[i][:3, 3:].flat)
        for kind, words, question, cost, change in _CHANGES:
            if not (at_origin and kind in _OF_THE_CENTRE):
                yield Hypothesis(kind, words.format(name=name), question.format(name=name), cost,
                                 model=functools.partial(_with_inertia, i, change))


def _with_inertia(i, change, model):
    inertia = list(model.inertia)
    m, c, I_C = I_to_mcI(inertia[i])
    inertia[i] = change(m, c, I_C) + np.eye(6, dtype=int) * (0 * m + _LITTLE)
    return unchecked(model, inertia=type(model.inertia)(inertia))


def _about_joint(m, c, I_C, times):
    """The spatial inertia in which the parallel-axis term m c×c×ᵀ is counted so many times."""
    I = mcI(m, c, I_C)
    I[:3, :3] = I_C + times * m * skew(c) @ skew(c).T
    return I


#: Kinds that change nothing, or say what is not so, where the centre of mass lies in the joint.
_OF_THE_CENTRE = ("parallel axis missing", "parallel axis twice", "centre of mass at joint", "half-length",
                  "length for half-length")
#: (kind, words, question, cost, the changed spatial inertia from m, c, I_C)
_CHANGES = (
    ("parallel axis missing",
     "Your answer would be right if the rotational inertia of {name} about its centre of mass were used as that about "
     "its joint.", "About which point is the rotational inertia that you use for {name}, and about which point does "
     "{name} turn?", 1.1, lambda m, c, I_C: _about_joint(m, c, I_C, 0)),
    ("parallel axis twice",
     "Your answer would be right if the parallel-axis term of {name} were counted twice.",
     "Is the rotational inertia that you use for {name} the one about its centre of mass, or is the distance to the "
     "joint in it already?", 1.15, lambda m, c, I_C: _about_joint(m, c, I_C, 2)),
    ("rotational inertia missing",
     "Your answer would be right if {name} were a point mass at its centre of mass.",
     "Does {name} only move, or does it turn as well?", 1.1, lambda m, c, I_C: mcI(m, c, 0 * I_C)),
    ("body missing", "Your answer would be right if {name} had no mass.",
     "Where do the mass and the inertia of {name} enter your derivation?", 1.2,
     lambda m, c, I_C: mcI(0 * m, c, 0 * I_C)),
    ("centre of mass at joint", "Your answer would be right if the centre of mass of {name} lay in its joint.",
     "How far is the centre of mass of {name} from its joint?", 1.5, lambda m, c, I_C: mcI(m, 0 * c, I_C)),
    ("half-length", "Your answer would be right if the centre of mass of {name} were twice as far from its joint.",
     "Where along {name} is its centre of mass: at the middle or at the end?", 1.15,
     lambda m, c, I_C: mcI(m, 2 * c, I_C)),
    ("length for half-length",
     "Your answer would be right if the centre of mass of {name} were half as far from its joint.",
     "Where along {name} is its centre of mass: at the middle or at the end?", 1.2,
     lambda m, c, I_C: mcI(m, c / 2, I_C)),
    ("half-length",
     "Your answer would be right if {name} were a point mass at twice the distance of its centre of mass.",
     "Where along {name} is its mass: at the end, or spread over its length?", 1.4,
     lambda m, c, I_C: mcI(m, 2 * c, 0 * I_C)),
)


# Parameters


_ANGLES = ("alpha", "beta", "gamma", "delta", "theta", "phi", "psi", "varphi", "vartheta")
#: How the names of each kind of parameter begin, in this order; all others are lengths.
_BEGINNINGS = (("angle", _ANGLES), ("rate", ("omega", "Omega")), ("friction", ("mu", "nu")), ("density", ("rho",)),
               ("mass", ("m", "M")), ("inertia", ("I", "J")), ("stiffness", ("k",)))


def kind_of(name):
    """The kind of a parameter by its name: "mass", "length", "inertia", "gravity", "angle", ..."""
    if str(name) == "g":
        return "gravity"
    return next((kind for kind, beginnings in _BEGINNINGS if str(name).startswith(beginnings)), "length")


def classes(names):
    """Names sorted into lists of the same kind: m1 with m2 and m_cart, l1 with l2 and r."""
    found = {}
    for name in names:
        found.setdefault(kind_of(name), []).append(name)
    return found


def _of_parameters(system):
    for kind, names in classes(system.symbols).items():
        for a, b in itertools.combinations(names, 2):
            yield Hypothesis("swapped", f"Your answer would be right if {a} and {b} were exchanged.",
                             f"Which body does {a} belong to, and which {b}?", 1.2,
                             parameters=lambda p, a=a, b=b: {**p, a: p[b], b: p[a]})
        for a, b in itertools.permutations(names, 2):
            yield Hypothesis("wrong link", f"Your answer would be right if {b} had the value of {a}.",
                             f"Where you wrote {a}: which body is meant?", 1.4,
                             parameters=lambda p, a=a, b=b: {**p, b: p[a]})
        for name in names if kind == "length" else ():
            for mistake, words, factor in (("half-length", "taken for half of what it is", 2),
                                           ("length for half-length", "half as long", 0.5)):
                yield Hypothesis(mistake, f"Your answer would be right if {name} were {words}.",
                                 f"Is {name} the whole length or a half?", 1.3,
                                 parameters=lambda p, name=name, factor=factor: {**p, name: factor * p[name]})


# Velocities and angles, the coordinates staying what they are


def _velocities(system):
    yield Hypothesis("degrees", "Your answer would be right if the angles in it were in degrees.",
                     "Sine and cosine take radians: does a factor of pi/180 stand in your formula?", 0.9,
                     state=lambda state: dataclasses.replace(state, q=state.q * pi_for(state) / 180))
    chains = _chains(system.model)
    if system.model.loops or all(len(chain) == 1 for chain in chains):
        return
    sums = np.array([[int(k in chain) for k in range(len(chains))] for chain in chains])
    differences = np.rint(np.linalg.inv(sums)).astype(int)
    yield Hypothesis(
        "velocity added twice",
        "Your answer would be right if absolute velocities were used for those relative to the body before.",
        "Is each velocity relative to the body before it, or to the ground?", 1.5,
        state=_with_rates(sums), back=differences)
    yield Hypothesis(
        "absolute velocity", "Your answer would be right if the velocities in it were measured relative to the ground; "
        "here each is relative to the body before.",
        "With which velocity does each body turn, seen from the ground?", 1.1,
        state=_with_rates(differences), back=sums)


def _with_rates(matrix):
    return lambda state: Altered(state, qd=matrix @ state.qd, qdd=matrix @ state.qdd)


def pi_for(state):
    import mpmath

    return np.pi if state.q.dtype == float else +mpmath.pi


def _chains(model):
    """For each velocity variable, the places of those of one variable each on the way to the base, itself last."""
    chains = [None] * model.nv
    for i in model.bodies:
        at, before = model.v_slice(i), model.v_slice(model.parent[i]) if model.parent[i] else slice(0, 0)
        for k in range(at.start, at.stop):
            single = at.stop - at.start == 1 == before.stop - before.start
            alike = single and type(model.joints[i]) is type(model.joints[model.parent[i]])
            chains[k] = [*chains[before.start], k] if alike else [k]
    return chains


# Rules by which right values are changed


def simple(kind, words, question, cost, rule):
    """The `Hypothesis` that a rule, a function of (right values, state), was applied to the right values."""
    return Hypothesis(kind, words, question, cost, target=lambda case, state: rule(case.whole(state), state))


def recursion(state, turning=1, own=1, cross=crf):
    """The accelerations of the bodies and the forces (nv) without gravity, as wrong recursions give them.

    turning, own: how often v x S qd and c_J are counted in the accelerations.  cross: what is used for v x*.
    """
    model, right = state.model, newton_euler(state.model, state.q, state.qd, state.qdd)
    a, tau = [0 * right.v[0]], 0 * state.qd
    for i in model.bodies:
        at, I, v = model.v_slice(i), model.inertia[i], right.v[i]
        _, S, v_J, c_J = jcalc(model.joints[i], state.q[model.q_slice(i)], state.qd[at])
        a.append(right.X_up[i] @ a[model.parent[i]] + S @ state.qdd[at] + own * c_J + turning * crm(v) @ v_J)
        tau = tau + kinematics.body_jacobian(model, state.q, i).T @ (I @ a[i] + cross(v) @ I @ v)
    return a, tau
