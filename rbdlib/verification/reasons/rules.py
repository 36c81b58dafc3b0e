"""Other rules for which a wrong answer may be right: the transpose, X* for X, the Coriolis term counted once."""

import functools

import numpy as np

from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import crf, crm
from rbdlib.loops.clusters import constraints_to_rank, independent_constraints
from rbdlib.numbers.linear import solve_linear
from rbdlib.numbers.scalars import as_floats
from rbdlib.verification.mechanics.quantities import bias, gravity_forces, inertia, kinetic, potential, velocity_terms
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.reasons.hypotheses import Hypothesis, recursion, simple
from rbdlib.verification.reasons.spatial_rules import of_spatial


def of_rules(model, quantity):
    """All hypotheses about another rule than the right one for a `Quantity` of a model, the likeliest first."""
    found = [*_of_values(model, quantity), *of_spatial(model, quantity)]
    if quantity.symbol in ("H", "C", "g", "bias", "tau", "qdd", "equations of motion", "p", "impulse", "T", "L", "E"):
        found += _of_dynamics(model, quantity)
    if quantity.symbol in ("C", "bias", "tau", "qdd", "equations of motion") and not model.loops:
        found += _of_recursion(model, quantity)
    return sorted(found, key=lambda h: h.cost)


# What is done with the right values


def _of_values(model, quantity):
    if quantity.compare not in ("exact", "constant", "rows"):
        return
    if quantity.compare != "rows":
        yield simple("opposite sign", "Everything has the opposite sign; apart from that your answer is right.",
                      "In which direction is it counted as positive?", 1.1, lambda x, state: -x)
    for factor, words in ((2, "twice"), (0.5, "half of"), (4, "four times"), (0.25, "a quarter of")):
        yield simple("factor", f"Your whole answer is {words} the right one.", "Which factor was lost or counted "
                      "twice?", 1.3, lambda x, state, factor=factor: factor * x)
    yield from _ENERGIES.get(quantity.symbol, ())
    if quantity.symbol == "H":
        yield from _OF_H
    if quantity.symbol in ("C", "bias", "g"):
        yield from _VELOCITY_AND_GRAVITY[quantity.symbol]


def _energy(kind, words, question, cost, rule):
    return Hypothesis(kind, words, question, cost, target=lambda case, state: rule(kinetic(state), potential(state)))


_ENERGIES = {
    "L": (_energy("sum for difference", "This is T + V, and the Lagrangian is another combination of T and V.",
                  "How are T and V combined in the Lagrangian?", 1.0, lambda T, V: T + V),
          _energy("half forgotten", "The potential part is right; the kinetic part is twice what it should be.",
                  "Which factor stands in a kinetic energy?", 1.1, lambda T, V: 2 * T - V),
          _energy("opposite sign", "This is V - T, which is the Lagrangian with the opposite sign.",
                  "Which of T and V is counted as positive in the Lagrangian?", 1.1, lambda T, V: V - T)),
    "E": (_energy("difference for sum", "This is T - V, which is the Lagrangian.",
                  "How are T and V combined in the energy?", 1.0, lambda T, V: T - V),
          _energy("half forgotten", "The potential part is right; the kinetic part is twice what it should be.",
                  "Which factor stands in a kinetic energy?", 1.1, lambda T, V: 2 * T + V)),
    "T": (_energy("half forgotten", "Your kinetic energy is twice what it should be.",
                  "Which factor stands in a kinetic energy?", 1.0, lambda T, V: 2 * T),),
    "V": (_energy("opposite sign", "Your potential energy has the opposite sign.",
                  "Does the potential energy grow upwards or downwards?", 1.0, lambda T, V: -V),),
}


def _kept(keep):
    def rule(H, state):
        return np.array([[x if keep(i, j) else 0 * x for j, x in enumerate(row)] for i, row in enumerate(H)],
                        dtype=object)

    return rule


def _off_diagonal(factor):
    return lambda H, state: np.array([[x if i == j else factor * x for j, x in enumerate(row)]
                                      for i, row in enumerate(H)], dtype=object)


_OF_H = (
    simple("coupling missing", "The diagonal of H is right, and everything else is zero in your answer.",
            "Does accelerating one joint need a force at another?", 1.0, _off_diagonal(0)),
    simple("upper triangle", "The upper triangle of H is right; below the diagonal there is nothing in your answer.",
            "Which symmetry does H have?", 1.0, _kept(lambda i, j: i <= j)),
    simple("lower triangle", "The lower triangle of H is right; above the diagonal there is nothing in your answer.",
            "Which symmetry does H have?", 1.0, _kept(lambda i, j: i >= j)),
    simple("coupling twice", "The diagonal of H is right; the entries beside it are twice what they should be.",
            "In T each of the products qd1*qd2 comes from two entries of H. How is it shared among them?", 1.0,
            _off_diagonal(2)),
    simple("coupling half", "The diagonal of H is right; the entries beside it are half of what they should be.",
            "In T each of the products qd1*qd2 comes from two entries of H. How is it shared among them?", 1.0,
            _off_diagonal(0.5)),
    simple("coupling sign", "The diagonal of H is right; the entries beside it have the opposite sign.",
            "In which direction does each joint count as positive?", 1.15, _off_diagonal(-1)),
)
_VELOCITY_AND_GRAVITY = {
    "C": (simple("gravity instead", "These are the gravity terms, and the velocity terms are asked for.",
                  "Which terms are there without gravity?", 1.2, lambda x, state: gravity_forces(state)),),
    "bias": (simple("gravity left out", "The velocity terms are right; the gravity terms are missing.",
                     "What does the bias force contain besides the velocity terms?", 1.0,
                     lambda x, state: velocity_terms(state)),
             simple("velocity terms missing", "The gravity terms are right; the velocity terms are missing.",
                     "What does the bias force contain besides the gravity terms?", 1.0,
                     lambda x, state: gravity_forces(state))),
    "g": (simple("bias instead", "This is the whole bias force, and the gravity terms alone are asked for.",
                  "Which terms are left at rest?", 1.0, lambda x, state: x + velocity_terms(state)),),
}


# The Newton-Euler recursion, with parts of it left out


# Dynamics: H qdd + C + g = tau, with one part changed


@functools.lru_cache(256)
def _parts(state):
    g = gravity_forces(state)
    return inertia(state), bias(state) - g, g


@functools.lru_cache(256)
def _rate_terms(state):
    """Hdot qd, the part of C that stems from d/dt(H qd)."""
    total = 0 * state.qd
    for i in state.model.bodies:
        J = kinematics.body_jacobian(state.model, state.q, i)
        I, v = state.model.inertia[i], J @ state.qd
        Jdot = kinematics.body_jacobian_dot(state.model, state.q, state.qd, i) - crm(v) @ J      # of the coordinates
        total = total + Jdot.T @ (I @ v) + J.T @ (I @ (Jdot @ state.qd))
    return total


@functools.lru_cache(256)
def _centrifugal(state):
    units = np.eye(len(state.qd), dtype=int)
    rest = gravity_forces(state)
    return sum(bias(Altered(state, qd=units[i] * state.qd)) - rest for i in range(len(units)))


def _diagonal(H):
    return np.array([[x if i == j else 0 * x for j, x in enumerate(row)] for i, row in enumerate(H)], dtype=object)


_COUPLING = "Does accelerating one joint need a force at another?"
#: (kind, words, question, cost, (H, C, g) from the state and the right H, C, g)
_DYNAMICS = (
    ("coriolis counted once", "The Coriolis terms (qd_i qd_j with i not j) are half of what they should be.",
     "The product qd1*qd2 arises twice, as 12 and as 21. Were both counted?", 1.0,
     lambda s, H, C, g: (H, (C + _centrifugal(s)) / 2, g)),
    ("coriolis counted twice", "The Coriolis terms (qd_i qd_j with i not j) are twice what they should be.",
     "How often does the product qd1*qd2 arise?", 1.1, lambda s, H, C, g: (H, 2 * C - _centrifugal(s), g)),
    ("coriolis missing", "The Coriolis terms (qd_i qd_j with i not j) are missing.",
     "Which velocity products arise when you differentiate the velocity of a body that turns on a turning one?", 1.1,
     lambda s, H, C, g: (H, _centrifugal(s), g)),
    ("coriolis sign", "The Coriolis terms (qd_i qd_j with i not j) have the opposite sign.",
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
)


#: Kinds of rules that mean something only where qd is the rate of q.
_OF_RATES = ("dT/dq missing", "dT/dq sign", "half forgotten")


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


def _of_dynamics(model, quantity):
    plain = _rates_are_plain(model)
    for kind, words, question, cost, change in _DYNAMICS:
        def target(case, state, change=change):
            return case.in_own_coordinates(_value(quantity, state, *change(state, *_parts(state))), state)

        def motion(state, change=change):
            H, C, g = change(state, *_parts(state))
            return _accelerations(state, H, state.tau - C - g)

        if plain or kind not in _OF_RATES:
            yield Hypothesis(kind, words, question, cost, target=target, motion=motion)


def _accelerations(state, H, forces):
    """qdd with H qdd = forces, or H qdd = forces + K.T lam and K qdd = k with loops."""
    if not state.model.loops:
        return solve_linear(H, forces)
    K, k, *_ = constraints_to_rank(state.model, state.q, state.qd)
    rows = independent_constraints(K, k, 1e-9)
    n, m = len(H), len(rows.K)
    both = np.block([[H, rows.K.T], [rows.K, np.zeros((m, m), dtype=int)]])
    return solve_linear(both, np.concatenate([forces, rows.k]))[:n]


def _rates_are_plain(model):
    """True if every velocity variable is the rate of a position variable, so that dT/dq means something."""
    q, qd = model.random_state(np.random.default_rng(0))
    return model.nq == model.nv and np.allclose(as_floats(model.qdot(q, qd)), qd)


def _of_recursion(model, quantity):
    cases = (
        ("v x for v x*", "Your answer would be right if v x were used on the momentum in place of v x*.",
         "Which cross product belongs to force vectors?", {"momentum": crm}),
        ("v x S qd missing", "Your answer would be right if the terms v x S qd were left out of the accelerations.",
         "What does the axis of a joint do while the body moves that carries it?", {"turning": 0}),
        ("c_J missing", "Your answer would be right if the terms c_J of the joints were left out.",
         "Does the motion subspace of the joint change while it moves?", {"own": 0}),
        ("v x* I v missing", "Your answer would be right if the terms v x* I v were left out.",
         "Is the force on a body the inertia times the acceleration, or the rate of the momentum?",
         {"momentum": lambda v: 0 * crf(v)}),
    )
    for kind, words, question, parts in cases:
        def velocity_part(state, parts=parts):
            at_rest = Altered(state, qdd=0 * state.qd)
            return recursion(at_rest, **parts)[1] - gravity_forces(state)

        def target(case, state, C=velocity_part):
            H, _, g = _parts(state)
            return case.in_own_coordinates(_value(quantity, state, H, C(state), g), state)

        def motion(state, C=velocity_part):
            H, _, g = _parts(state)
            return solve_linear(H, state.tau - C(state) - g)

        yield Hypothesis(kind, words, question, 1.3, target=target, motion=motion)
