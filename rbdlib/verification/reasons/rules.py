"""Other rules for which a wrong answer may be right: the transpose, X* for X, the Coriolis term counted once."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm
from rbdlib.book.ch08_closed_loops import by_composite_equation
from rbdlib.loops.clusters import constraints_to_rank, independent_constraints
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.meaning.aliases import coordinates_of
from rbdlib.verification.mechanics.basics import kept_with_state
from rbdlib.verification.mechanics.quantities import (
    bias,
    gravity_forces,
    inertia,
    inertia_rate,
    kinetic,
    potential,
    velocity_terms,
)
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.reasons.hypotheses import Hypothesis, recursion, simple
from rbdlib.verification.reasons.spatial_rules import of_spatial

#: Quantities that are made of H, C and g.
_OF_DYNAMICS = ("H", "C", "g", "bias", "tau", "qdd", "equations of motion", "p", "impulse", "T", "L", "E")


def of_rules(model, quantity):
    """All hypotheses about another rule than the right one for a `Quantity` of a model, the likeliest first."""
    found = [*_of_values(quantity), *of_spatial(model, quantity)]
    if quantity.symbol in _OF_DYNAMICS:
        plain = all(coordinate.rate for coordinate in coordinates_of(model))
        left_out = (*(() if plain else _OF_RATES), *(_OF_TREES if model.loops else ()))
        found += [_of_dynamics(quantity, *row) for row in _DYNAMICS if row[0] not in left_out]
    return sorted(found, key=lambda h: h.cost)


# What is done with the right values


def _of_values(quantity):
    if quantity.compare not in ("exact", "constant", "rows"):
        return
    if quantity.compare != "rows":
        yield simple("opposite sign", "Everything has the opposite sign; apart from that your answer is right.",
                     "In which direction is it counted as positive?", 1.1, lambda x, state: -x)
    for factor, words in ((2, "twice"), (0.5, "half of"), (4, "four times"), (0.25, "a quarter of")):
        yield simple("factor", f"Your whole answer is {words} the right one.", "Which factor was lost or counted "
                     "twice?", 1.3, lambda x, state, factor=factor: factor * x)
    for row in _OF_QUANTITY.get(quantity.symbol, ()):
        yield simple(*row)


def _scaled(above, below):
    """The rule that the entries of H above its diagonal, and those below, are multiplied by numbers."""
    def rule(H, state):
        ones = np.ones(H.shape, dtype=int)
        return H * (np.eye(len(H), dtype=int) + above * np.triu(ones, 1) + below * np.tril(ones, -1))

    return rule


_WHICH_FACTOR = "Which factor stands in a kinetic energy?"
_SHARED = "In T each product of two velocities comes from two entries of H. How is it shared among them?"
#: (kind, words, question, cost, the values from the right ones and the state), for each quantity.
_OF_QUANTITY = {
    "L": (("sum for difference", "This is T + V, and the Lagrangian is another combination of T and V.",
           "How are T and V combined in the Lagrangian?", 1.0, lambda L, s: kinetic(s) + potential(s)),
          ("half forgotten", "The potential part is right; the kinetic part is twice what it should be.",
           _WHICH_FACTOR, 1.1, lambda L, s: L + kinetic(s))),
    "E": (("difference for sum", "This is T - V, which is the Lagrangian.", "How are T and V combined in the energy?",
           1.0, lambda E, s: kinetic(s) - potential(s)),
          ("half forgotten", "The potential part is right; the kinetic part is twice what it should be.",
           _WHICH_FACTOR, 1.1, lambda E, s: E + kinetic(s))),
    "T": (("half forgotten", "Your kinetic energy is twice what it should be.", _WHICH_FACTOR, 1.0,
           lambda T, s: 2 * T),),
    "V": (("opposite sign", "Your potential energy has the opposite sign.",
           "Does the potential energy grow upwards or downwards?", 1.0, lambda V, s: -V),),
    "H": (("coupling missing", "The diagonal of H is right, and everything else is zero in your answer.",
           "Does accelerating one joint need a force at another?", 1.0, _scaled(0, 0)),
          ("upper triangle", "The upper triangle of H is right; below the diagonal there is nothing in your answer.",
           "Which symmetry does H have?", 1.0, _scaled(1, 0)),
          ("lower triangle", "The lower triangle of H is right; above the diagonal there is nothing in your answer.",
           "Which symmetry does H have?", 1.0, _scaled(0, 1)),
          ("coupling twice", "The diagonal of H is right; the entries beside it are twice what they should be.",
           _SHARED, 1.0, _scaled(2, 2)),
          ("coupling half", "The diagonal of H is right; the entries beside it are half of what they should be.",
           _SHARED, 1.0, _scaled(0.5, 0.5)),
          ("coupling sign", "The diagonal of H is right; the entries beside it have the opposite sign.",
           "In which direction does each joint count as positive?", 1.15, _scaled(-1, -1))),
    "C": (("gravity instead", "These are the gravity terms, and the velocity terms are asked for.",
           "Which terms are there without gravity?", 1.2, lambda C, s: gravity_forces(s)),),
    "bias": (("gravity left out", "The velocity terms are right; the gravity terms are missing.",
              "What does the bias force contain besides the velocity terms?", 1.0, lambda x, s: velocity_terms(s)),
             ("velocity terms missing", "The gravity terms are right; the velocity terms are missing.",
              "What does the bias force contain besides the gravity terms?", 1.0, lambda x, s: gravity_forces(s))),
    "g": (("bias instead", "This is the whole bias force, and the gravity terms alone are asked for.",
           "Which terms are left at rest?", 1.0, lambda g, s: g + velocity_terms(s)),),
}


# Dynamics: H qdd + C + g = tau, with one part changed


def _rate_terms(state):
    """Hdot qd, the part of C that stems from d/dt(H qd)."""
    return inertia_rate(state) @ state.qd


@kept_with_state
def _centrifugal(state):
    units = np.eye(len(state.qd), dtype=int)
    return sum(bias(Altered(state, qd=unit * state.qd)) - gravity_forces(state) for unit in units)


def _diagonal(H):
    return H * np.eye(len(H), dtype=int)


def _recursed(state, **parts):
    return recursion(Altered(state, qdd=0 * state.qd), **parts)[1]


_COUPLING = "Does accelerating one joint need a force at another?"
#: (kind, words, question, cost, (H, C, g) from the state and the right H, C, g)
_DYNAMICS = (
    ("coriolis counted once", "The Coriolis terms (products of two velocities) are half of what they should be.",
     "Each such product arises twice, as 12 and as 21. Were both counted?", 1.0,
     lambda s, H, C, g: (H, (C + _centrifugal(s)) / 2, g)),
    ("coriolis counted twice", "The Coriolis terms (products of two velocities) are twice what they should be.",
     "How often does each such product arise?", 1.1, lambda s, H, C, g: (H, 2 * C - _centrifugal(s), g)),
    ("coriolis missing", "The Coriolis terms (products of two velocities) are missing.",
     "Which velocity products arise when you differentiate the velocity of a body that turns on a turning one?", 1.1,
     lambda s, H, C, g: (H, _centrifugal(s), g)),
    ("coriolis sign", "The Coriolis terms (products of two velocities) have the opposite sign.",
     "Which sign has the derivative of the cosine?", 1.2, lambda s, H, C, g: (H, 2 * _centrifugal(s) - C, g)),
    ("centrifugal missing", "The centrifugal terms (qd_i^2) are missing.",
     "What does the square of a velocity contribute when T is differentiated by a position?", 1.1,
     lambda s, H, C, g: (H, C - _centrifugal(s), g)),
    ("centrifugal sign", "The centrifugal terms (qd_i^2) have the opposite sign.",
     "Which sign does dT/dq have in Lagrange's equations?", 1.15, lambda s, H, C, g: (H, C - 2 * _centrifugal(s), g)),
    ("dT/dq missing", "The velocity terms are Hdot qd; the part that stems from dT/dq is missing.",
     "Lagrange's equations contain d/dt dT/dqd and one term more: which?", 0.95,
     lambda s, H, C, g: (H, _rate_terms(s), g)),
    ("dT/dq sign", "The part that stems from dT/dq has the opposite sign.",
     "Which sign does dT/dq have in Lagrange's equations?", 1.1, lambda s, H, C, g: (H, 2 * _rate_terms(s) - C, g)),
    ("half forgotten", "The part that stems from dT/dq is twice what it should be.",
     "Which factor stands in the kinetic energy that you differentiate by q?", 1.2,
     lambda s, H, C, g: (H, 2 * C - _rate_terms(s), g)),
    ("velocity terms missing", "The velocity terms (Coriolis and centrifugal) are missing.",
     "What is left of your forces when the accelerations are zero and gravity is switched off?", 1.0,
     lambda s, H, C, g: (H, 0 * C, g)),
    ("velocity terms sign", "The velocity terms (Coriolis and centrifugal) have the opposite sign.",
     "On which side of the equation of motion do the velocity terms stand?", 1.1, lambda s, H, C, g: (H, -C, g)),
    ("gravity sign", "The gravity terms have the opposite sign.",
     "In which direction does gravity pull here, and on which side of the equation do its terms stand?", 1.05,
     lambda s, H, C, g: (H, C, -g)),
    ("coupling missing", "The accelerations of the other joints are missing: H is taken to be diagonal.", _COUPLING,
     1.0, lambda s, H, C, g: (_diagonal(H), C, g)),
    ("coupling sign", "The accelerations of the other joints have the opposite sign: that of the entries of H beside "
     "its diagonal.", _COUPLING, 1.2, lambda s, H, C, g: (2 * _diagonal(H) - H, C, g)),
    ("v x for v x*", "Your answer would be right if v x were used on the momentum in place of v x*.",
     "Which cross product belongs to force vectors?", 1.3, lambda s, H, C, g: (H, _recursed(s, cross=crm), g)),
    ("v x S qd missing", "Your answer would be right if the terms v x S qd were left out of the accelerations.",
     "What does the axis of a joint do while the body moves that carries it?", 1.3,
     lambda s, H, C, g: (H, _recursed(s, turning=0), g)),
    ("c_J missing", "Your answer would be right if the terms c_J of the joints were left out.",
     "Does the motion subspace of the joint change while it moves?", 1.3,
     lambda s, H, C, g: (H, _recursed(s, own=0), g)),
    ("v x* I v missing", "Your answer would be right if the terms v x* I v were left out.",
     "Is the force on a body the inertia times the acceleration, or the rate of the momentum?", 1.3,
     lambda s, H, C, g: (H, _recursed(s, cross=lambda v: 0 * crf(v)), g)),
)
#: Kinds of rules that mean something only where qd is the rate of q, and that are not tried where there are loops.
_OF_RATES = ("dT/dq missing", "dT/dq sign", "half forgotten")
_OF_TREES = ("v x for v x*", "v x S qd missing", "c_J missing", "v x* I v missing")


def _of_dynamics(quantity, kind, words, question, cost, change):
    """The hypothesis that H, C and g are changed: a function of the state and the right ones."""
    def parts(state):
        g = gravity_forces(state)
        return change(state, inertia(state), bias(state) - g, g)

    return Hypothesis(
        kind, words, question, cost,
        target=lambda case, state: case.in_own_coordinates(_value(quantity, state, *parts(state)), state),
        motion=lambda state: _accelerations(state, *parts(state)))


def _value(quantity, state, H, C, g):
    match quantity.symbol:
        case "H":
            return H
        case "C":
            return C
        case "g":
            return g
        case "bias":
            return C + g
        case "tau":
            return H @ state.qdd + C + g
        case "qdd":
            return solve_linear(H, state.tau - C - g)
        case "p" | "impulse":
            return H @ state.qd
    T, V = state.qd @ (H @ state.qd) / 2, potential(state)
    return np.array({"T": T, "L": T - V, "E": T + V}[quantity.symbol], dtype=object)


def _accelerations(state, H, C, g):
    """qdd with H qdd + C + g = tau, or H qdd + C + g = tau + K.T lam and K qdd = k with loops."""
    forces = state.tau - C - g
    if not state.model.loops:
        return solve_linear(H, forces)
    K, k, *_ = constraints_to_rank(state.model, state.q, state.qd)
    rows = independent_constraints(K, k, 1e-9)
    return by_composite_equation(H, rows.K, forces, rows.k)[0]
