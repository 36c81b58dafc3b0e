"""Other systems for which a wrong answer may be right: gravity reversed, a mass forgotten, two lengths exchanged.

A `Hypothesis` says what is changed; `rules` has those that change what is done with the system.
"""

import dataclasses
import itertools
import re
from dataclasses import dataclass

import numpy as np

from rbdlib.spatial import I_to_mcI, mcI, skew

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
    """

    kind: str
    words: str
    question: str
    cost: float
    parameters: object = None
    model: object = None
    state: object = None
    target: object = None
    motion: object = None

    @property
    def of_system(self):
        """Whether it changes the system (and not only what is done with it)."""
        return any((self.parameters, self.model, self.state))


def altered(system, state, hypotheses):
    """The state of the system that several hypotheses assume. Raises ValueError if there is no such system."""
    from rbdlib.verification.screening import at_floats, is_in_floats

    parameters, model = None, state.model
    for change in filter(None, (h.parameters for h in hypotheses)):
        parameters = change(parameters or {name: state.parameters[name] for name in system.symbols})
    if parameters:
        model = at_floats(system, parameters) if is_in_floats(model) else system.at(parameters)
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
        "gravity reversed", "Your answer is right if gravity acts in the opposite direction.",
        "In which direction does gravity pull here, and is the potential energy larger above or below?", 1.0,
        model=lambda model: unchecked(model, gravity=-model.gravity))
    yield Hypothesis(
        "gravity missing", "Your answer is right for the same system without gravity.",
        "Where does the weight of the bodies enter your derivation?", 1.05,
        model=lambda model: unchecked(model, gravity=0 * model.gravity))


def unchecked(model, **changes):
    """A copy of a model with other inertias or gravity, which no body need have: a learner's mistake may be like that.
    """
    new = object.__new__(type(model))
    new.__dict__.update(model.__dict__, **changes)
    return new


# Inertias of bodies


def _inertias(system):
    for i in system.model.bodies:
        name = system.model.names[i]
        for kind, words, question, cost, change in _CHANGES:
            yield Hypothesis(kind, words.format(name=name), question.format(name=name), cost,
                             model=_with_inertia(i, change))


def _with_inertia(i, change):
    def changed(model):
        inertia = list(model.inertia)
        m, c, I_C = I_to_mcI(inertia[i])
        inertia[i] = change(m, c, I_C, inertia[i]) + np.eye(6, dtype=int) * _little(m)
        return unchecked(model, inertia=type(model.inertia)(inertia))

    return changed


def _little(m):
    return (0 * m + 1) * _LITTLE


def _about_joint(m, c, I_C, times):
    """The spatial inertia in which the parallel-axis term m c×c×ᵀ is counted so many times."""
    I = mcI(m, c, I_C)
    I[:3, :3] = I_C + times * m * skew(c) @ skew(c).T
    return I


#: (kind, words, question, cost, the changed spatial inertia from m, c, I_C, I)
_CHANGES = (
    ("parallel axis missing",
     "Your answer is right if the rotational inertia of {name} about its centre of mass is used as that about its "
     "joint.", "About which point is the rotational inertia that you use for {name}, and about which point does {name} "
     "turn?", 1.1, lambda m, c, I_C, I: _about_joint(m, c, I_C, 0)),
    ("parallel axis twice",
     "Your answer is right if the parallel-axis term of {name} is counted twice.",
     "Is the rotational inertia that you use for {name} the one about its centre of mass, or is the distance to the "
     "joint in it already?", 1.15, lambda m, c, I_C, I: _about_joint(m, c, I_C, 2)),
    ("rotational inertia missing",
     "Your answer is right if {name} is a point mass at its centre of mass.",
     "Does {name} only move, or does it turn as well?", 1.1, lambda m, c, I_C, I: mcI(m, c, 0 * I_C)),
    ("body missing", "Your answer is right if {name} has no mass.",
     "Where do the mass and the inertia of {name} enter your derivation?", 1.2, lambda m, c, I_C, I: 0 * I),
    ("centre of mass at joint", "Your answer is right if the centre of mass of {name} lies in its joint.",
     "How far is the centre of mass of {name} from its joint?", 1.5, lambda m, c, I_C, I: mcI(m, 0 * c, I_C)),
    ("half-length", "Your answer is right if the centre of mass of {name} is twice as far from its joint.",
     "Where along {name} is its centre of mass: at the middle or at the end?", 1.15,
     lambda m, c, I_C, I: mcI(m, 2 * c, I_C)),
    ("length for half-length", "Your answer is right if the centre of mass of {name} is half as far from its joint.",
     "Where along {name} is its centre of mass: at the middle or at the end?", 1.2,
     lambda m, c, I_C, I: mcI(m, c / 2, I_C)),
    ("half-length", "Your answer is right if {name} is a point mass at twice the distance of its centre of mass.",
     "Where along {name} is its mass: at the end, or spread over its length?", 1.4,
     lambda m, c, I_C, I: mcI(m, 2 * c, 0 * I_C)),
)


# Parameters


def letter_of(name):
    """The letter of a parameter without the number or name of its body: "m" for m1 and m_cart."""
    return re.sub(r"\d+$", "", str(name).partition("_")[0])


def classes(names):
    """Names sorted into lists of the same kind: m1 with m2, l1 with l2."""
    found = {}
    for name in names:
        found.setdefault(letter_of(name), []).append(name)
    return found


def _of_parameters(system):
    if system.model.loops:                  # a loop of other lengths is closed in other positions
        return
    for letter, names in classes(system.symbols).items():
        for a, b in itertools.combinations(names, 2):
            yield Hypothesis("swapped", f"Your answer is right if {a} and {b} are exchanged.",
                             f"Which body does {a} belong to, and which {b}?", 1.2,
                             parameters=lambda p, a=a, b=b: {**p, a: p[b], b: p[a]})
        for a, b in itertools.permutations(names, 2):
            yield Hypothesis("wrong link", f"Your answer is right if {b} has the value of {a}.",
                             f"Where you wrote {a}: which body is meant?", 1.4,
                             parameters=lambda p, a=a, b=b: {**p, b: p[a]})
        for name in names if letter not in ("m", "M", "g", "I", "J", "k") else ():
            yield Hypothesis("half-length", f"Your answer is right if {name} is taken for half of what it is.",
                             f"Is {name} the whole length or a half?", 1.3,
                             parameters=lambda p, name=name: {**p, name: 2 * p[name]})
            yield Hypothesis("length for half-length", f"Your answer is right if {name} is half as long.",
                             f"Is {name} the whole length or a half?", 1.3,
                             parameters=lambda p, name=name: {**p, name: p[name] / 2})


# Velocities and angles, the coordinates staying what they are


def _velocities(system):
    yield Hypothesis("degrees", "Your answer is right if the angles in it are in degrees.",
                     "Sine and cosine take radians: does a factor of pi/180 stand in your formula?", 2.0,
                     state=lambda state: dataclasses.replace(state, q=state.q * _pi() / 180))
    chains = _chains(system.model)
    if any(len(chain) > 1 for chain in chains):
        yield Hypothesis(
            "velocity added twice", "Your answer is right if absolute velocities are used where those relative to the "
            "body before are meant.", "Is each velocity relative to the body before it, or to the ground?", 1.5,
            state=lambda state: _with_rates(state, _sums(chains, state.qd), _sums(chains, state.qdd)))
        yield Hypothesis(
            "absolute velocity", "Your answer is right if the velocities in it are measured relative to the ground; "
            "here each is relative to the body before.", "With which velocity does each body turn, seen from the "
            "ground?", 1.1,
            state=lambda state: _with_rates(state, _differences(chains, state.qd), _differences(chains, state.qdd)))


def _with_rates(state, qd, qdd):
    from rbdlib.verification.states import Altered

    return Altered(state, qd=qd, qdd=qdd)


def _pi():
    import mpmath

    return +mpmath.pi


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


def _sums(chains, rates):
    return np.array([sum(rates[k] for k in chain) for chain in chains], dtype=object)


def _differences(chains, rates):
    return np.array([rates[chain[-1]] - (rates[chain[-2]] if len(chain) > 1 else 0) for chain in chains], dtype=object)


# Other coordinates, stated as in ``given``


def of_coordinates(names):
    """Hypotheses about the learner's coordinates: (kind, words, question, cost, given), from `Names` of a model."""
    angles = [x.name for x in names.coordinates if x.kind == "angle" and x.rate]
    found = []
    for name in angles:
        for formula, axis in ((f"pi/2 - {name}", "the other axis, in the opposite sense"),
                              (f"{name} + pi/2", "an axis turned by a right angle"),
                              (f"{name} - pi/2", "an axis turned by a right angle"),
                              (f"{name} + pi", "the opposite direction"), (f"-{name}", "the same axis, but in the "
                                                                                      "opposite sense")):
            found.append(("other axis", f"Your answer is right if {name} is measured from {axis}.",
                          f"From which line, and in which sense, is {name} measured in your sketch?", 1.3,
                          f"{name} = {formula}"))
    for b in angles[1:]:
        found.append(("absolute angle", f"Your answer is right if {b} is measured from a fixed direction instead of "
                      "from the body before.", f"From what is {b} measured: from the ground or from the body before?",
                      1.2, f"{b} = {' + '.join(angles[: angles.index(b) + 1])}"))
    if len(angles) > 2:
        sums = "; ".join(f"{b} = {' + '.join(angles[:k])}" for k, b in enumerate(angles, start=1) if k > 1)
        found.append(("absolute angle", "Your answer is right if all angles are measured from one fixed direction.",
                      "From what is each angle measured: from the ground or from the body before?", 1.25, sums))
    for a, b in itertools.combinations([x.name for x in names.coordinates if x.rate], 2):
        found.append(("order", f"Your answer is right if {a} and {b} are exchanged.",
                      f"Which coordinate is {a}, and which is {b}?", 1.6, f"{a} = {b}; {b} = {a}"))
    return found
