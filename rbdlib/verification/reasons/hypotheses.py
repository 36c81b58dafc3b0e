"""Other systems, and other coordinates, for which a wrong answer may be right: gravity reversed, a mass forgotten.

A `Hypothesis` says what is changed; `rules` has those that change what is done with the system.
"""

import contextlib
import dataclasses
import functools
import itertools
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np

from rbdlib.book.ch02_spatial import I_to_mcI, mcI, skew
from rbdlib.verification.mechanics.basics import once_for_each
from rbdlib.verification.mechanics.quantities import DEPENDS_ON
from rbdlib.verification.mechanics.states import Altered, unchecked

#: The errors where an altered system, or a changed formula, has no value.
_TROUBLE = (ValueError, ArithmeticError, LookupError, TypeError)
#: Added to an inertia that is taken away: a model may have bodies of little inertia, but not of none.
_LITTLE = 1e-80
#: Kinds of changes of an inertia that are changes of a length.
LENGTHS = ("half-length", "length for half-length", "centre of mass at joint")


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
    def of_system(self):
        """True if it changes the system (and not only what is done with it)."""
        return any((self.parameters, self.model, self.state))


def if_only(condition):
    """The words of a hypothesis that a condition holds."""
    return f"Your answer would be right if {condition}."


#: How the names of each kind of parameter begin, in this order; all others are lengths.
_BEGINNINGS = {
    "angle": ("alpha", "beta", "gamma", "delta", "theta", "phi", "psi", "varphi", "vartheta"),
    "rate": ("omega", "Omega"), "friction": ("mu", "nu"), "density": ("rho",), "mass": ("m", "M"),
    "inertia": ("I", "J"), "stiffness": ("k",)}


def has_accelerations(quantity):
    """True if a `Quantity` may depend on accelerations or forces."""
    return "qdd" in DEPENDS_ON.get(quantity.symbol, ("qdd",))


def kind_of(name):
    """The kind of a parameter by its name: "mass", "length", "inertia", "gravity", "angle", ..."""
    if str(name) == "g":
        return "gravity"
    return next((kind for kind, beginnings in _BEGINNINGS.items() if str(name).startswith(beginnings)), "length")


def classes(names):
    """Names sorted into lists of the same kind: m1 with m2 and m_cart, l1 with l2 and r."""
    found = {}
    for name in names:
        found.setdefault(kind_of(name), []).append(name)
    return found


def of_systems(system):
    """All hypotheses about another system than the given one, a list."""
    return [*_ALWAYS, *_of_inertias(system), *of_parameters(classes(system.symbols)), *_of_rates(system.model)]


def pi_for(state):
    """Pi as a number like those of a state."""
    return np.pi if state.q.dtype == float else +mpmath.pi


_ALWAYS = (
    Hypothesis("degrees", if_only("the angles in it were in degrees"),
               "Sine and cosine take radians: does a factor of pi/180 stand in your formula?", 0.9,
               state=lambda state: dataclasses.replace(state, q=state.q * pi_for(state) / 180)),
    Hypothesis("gravity reversed", if_only("gravity acted in the opposite direction"),
               "In which direction does gravity pull here, and is the potential energy larger above or below?", 1.0,
               model=lambda model: unchecked(model, gravity=-model.gravity)),
    Hypothesis("gravity missing", "Your answer would be right for the same system without gravity.",
               "Where does the weight of the bodies enter your derivation?", 1.05,
               model=lambda model: unchecked(model, gravity=0 * model.gravity)))

_WHERE = "Where along {name} is its centre of mass: at the middle or at the end?"
#: (kind, the condition, question, cost, the factors by which m, c and I_C are changed, and how often the parallel-axis
#: term m c×c×ᵀ is counted if not once)
_INERTIAS = (
    ("parallel axis missing", "the rotational inertia of {name} about its centre of mass were used as that about its "
     "joint", "About which point is the rotational inertia that you use for {name}, and about which point does {name} "
     "turn?", 1.1, (1, 1, 1), 0),
    ("parallel axis twice", "the parallel-axis term of {name} were counted twice", "Is the rotational inertia that you "
     "use for {name} the one about its centre of mass, or is the distance to the joint in it already?", 1.15,
     (1, 1, 1), 2),
    ("rotational inertia missing", "{name} were a point mass at its centre of mass",
     "Does {name} only move, or does it turn as well?", 1.1, (1, 1, 0), None),
    ("body missing", "{name} had no mass", "Where do the mass and the inertia of {name} enter your derivation?", 1.2,
     (0, 1, 0), None),
    ("centre of mass at joint", "the centre of mass of {name} lay in its joint",
     "How far is the centre of mass of {name} from its joint?", 1.5, (1, 0, 1), None),
    ("half-length", "the centre of mass of {name} were twice as far from its joint", _WHERE, 1.15, (1, 2, 1), None),
    ("length for half-length", "the centre of mass of {name} were half as far from its joint", _WHERE, 1.2,
     (1, 0.5, 1), None),
    ("half-length", "{name} were a point mass at twice the distance of its centre of mass",
     "Where along {name} is its mass: at the end, or spread over its length?", 1.4, (1, 2, 0), None),
)


def _of_inertias(system):
    for i in system.model.bodies:
        name, in_joint = system.model.names[i], all(x == 0 for x in system.model.inertia[i][:3, 3:].flat)
        for kind, condition, question, cost, factors, times in _INERTIAS:
            if not in_joint or factors[1] == 1 and times is None:       # else it changes nothing, or is not so
                yield Hypothesis(kind, if_only(condition.format(name=name)), question.format(name=name), cost,
                                 model=functools.partial(_with_inertia, i, factors, times))


def _with_inertia(i, factors, times, model):
    """The model with another inertia of a body, as a row of `_INERTIAS` has it."""
    inertia = list(model.inertia)
    m, c, I_C = (x * factor for x, factor in zip(I_to_mcI(inertia[i]), factors, strict=True))
    new = mcI(m, c, I_C)
    if times is not None:
        new[:3, :3] = I_C + times * m * skew(c) @ skew(c).T
    inertia[i] = new + np.eye(6, dtype=int) * (0 * m + _LITTLE)
    return unchecked(model, inertia=type(model.inertia)(inertia))


def of_parameters(alike):
    """Hypotheses about parameters that were taken for others. alike: {kind: names}, see `classes`."""
    for kind, names in alike.items():
        for a, b in itertools.combinations(names, 2):
            yield other_values("swapped", f"{a} and {b} were exchanged", f"To what does {a} belong, and to what {b}?",
                               1.2, {a: (1, b), b: (1, a)})
        for a, b in itertools.permutations(names, 2):
            yield other_values("wrong link", f"{b} had the value of {a}", f"Where you wrote {a}: which one is meant?",
                               1.4, {b: (1, a)})
        for name, (mistake, words, factor) in itertools.product(names if kind == "length" else (), (
                ("half-length", "taken for half of what it is", 2), ("length for half-length", "half as long", 0.5))):
            yield other_values(mistake, f"{name} were {words}", f"What exactly is {name}, the whole or a half?", 1.3,
                               {name: (factor, name)})


def other_values(kind, condition, question, cost, new):
    """The hypothesis of other parameters, new: {name: (factor, the parameter of whose value it is a multiple)}."""
    return Hypothesis(kind, if_only(condition), question, cost, parameters=lambda p: {
        **p, **{name: factor * p[other] for name, (factor, other) in new.items()}})


def _of_rates(model):
    """Velocities measured otherwise, the coordinates staying what they are."""
    sums = np.eye(model.nv, dtype=int)          # each velocity, and those alike on the way to the base
    for i in model.bodies:
        at, before = model.v_slice(i), model.v_slice(model.parent[i]) if model.parent[i] else slice(0, 0)
        single = at.stop - at.start == 1 == before.stop - before.start
        if single and type(model.joints[i]) is type(model.joints[model.parent[i]]):
            sums[at] += sums[before]
    if model.loops or (sums == np.eye(model.nv)).all():
        return
    differences = _inverse(sums)
    for kind, words, question, cost, now, back in (
            ("velocity added twice", if_only("absolute velocities were used for those relative to the body before"),
             "Is each velocity relative to the body before it, or to the ground?", 1.5, sums, differences),
            ("absolute velocity", "Your answer would be right if the velocities in it were measured relative to the "
             "ground; here each is relative to the body before.",
             "With which velocity does each body turn, seen from the ground?", 1.1, differences, sums)):
        yield Hypothesis(kind, words, question, cost, back=back, state=lambda state, now=now: Altered(
            state, qd=now @ state.qd, qdd=now @ state.qdd))


#: The sense in which an angle is measured, and from where, in quarters of a turn.
_TURNS = {(-1, 1): "the other axis, in the opposite sense", (1, 1): "an axis turned by a right angle",
          (1, -1): "an axis turned by a right angle", (1, 2): "the opposite direction",
          (-1, 0): "the same axis, but in the opposite sense", (-1, -1): "the other axis, in the opposite sense"}


def of_coordinates(case):
    """Hypotheses about the learner's coordinates; none where no coordinates can be exchanged for others."""
    coordinates, n, new = case.vocabulary.names.coordinates, case.system.model.nv, case.vocabulary.coordinates()
    if case.system.model.loops or len(coordinates) != n or not all(x.rate for x in coordinates):
        return
    own = own_coordinates(case)
    if own is None:
        return
    names = [s.name for s in new or map(case.symbol, case.vocabulary.names.q)]
    angles = [k for k, x in enumerate(coordinates) if x.kind == "angle"]
    for places in [*([k] for k in angles), *([angles] if len(angles) > 1 else [])]:
        name, each = ("all angles", "each angle") if len(places) > 1 else (names[places[0]],) * 2
        for (sign, quarters), line in _TURNS.items():
            A, b = np.eye(n, dtype=int), np.zeros(n, dtype=int)
            A[places, places] = sign
            b[places if new else places[:1]] = quarters         # those behind turn along with the first
            yield _other(own, "other axis", f"{name} were measured from {line}",
                         f"From which line, and in which sense, is {each} measured in your sketch?", 1.3, A, b)
        if not new and places != angles[:1] and (len(places) == 1 or len(angles) > 2):
            A = np.eye(n, dtype=int)
            A[np.ix_(places, angles)] = np.tri(n, dtype=int)[places][:, angles]     # with the angles before
            line, cost = ("one fixed direction", 1.25) if len(places) > 1 else (
                "a fixed direction instead of from the body before", 1.2)
            question = f"From what is {each} measured: from the ground or from the body before?"
            yield _other(own, "absolute angle", f"{name} were measured from {line}", question, cost, A)
    for i, j in itertools.combinations(range(n), 2):
        A = np.eye(n, dtype=int)
        A[[i, j]] = A[[j, i]]
        yield _other(own, "order", f"{names[i]} and {names[j]} were exchanged",
                     f"Which coordinate is {names[i]}, and which is {names[j]}?", 1.6, A)


def _other(own, kind, condition, question, cost, A, b=0):
    """The hypothesis that what should be y is A y + b for the learner. A, b: whole numbers, b in quarters of a turn.

    own: (M, c) of the learner's coordinates y = M q + c, as whole numbers likewise. His formulas are then right in
    another position than he says, and his forces and inertias are those in other coordinates.
    """
    M, c = own
    A_inverse, M_inverse = _inverse(A), _inverse(M)
    rates, back = M_inverse @ A_inverse @ M, M_inverse @ A @ M

    def state(at):
        quarter = pi_for(at) / 2
        return Altered(at, q=M_inverse @ (A_inverse @ (M @ at.q + (c - b) * quarter) - c * quarter),
                       qd=rates @ at.qd, qdd=rates @ at.qdd, tau=back.T @ at.tau)

    return Hypothesis(kind, if_only(condition), question, cost, state=state, back=back, into=A)


def _inverse(whole):
    return np.rint(np.linalg.inv(whole)).astype(int)


@once_for_each
def own_coordinates(case):
    """(M, c) of the learner's coordinates y = M q + c, whole numbers, c in quarters of a turn; None if they are not."""
    new, state, n = case.vocabulary.coordinates(), case.states[0], case.system.model.nv
    if new is None:
        return np.eye(n, dtype=int), np.zeros(n, dtype=int)
    M, values = np.array(case.vocabulary.slopes(new, state), dtype=float), case.vocabulary.values(state, new)
    c = (np.array([float(values[s]) for s in new]) - M @ np.array(state.q, dtype=float)) / (np.pi / 2)
    whole = [np.rint(x).astype(int) for x in (M, c)]
    near = all(abs(x - y).max() < 1e-9 for x, y in zip((M, c), whole, strict=True))
    return tuple(whole) if near and abs(abs(np.linalg.det(M)) - 1) < 1e-9 else None


def quietly(function, *arguments):
    """The result of a function; None where an altered system, or a changed formula, has none."""
    with np.errstate(all="ignore"), contextlib.suppress(*_TROUBLE):
        return function(*arguments)
