"""Other rules for which a wrong answer may be right: the transpose, X* for X, the Coriolis term counted once."""

import numpy as np

from rbdlib.book import ch02_spatial as spatial, ch04_kinematics as kinematics
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.book.ch08_closed_loops import by_composite_equation
from rbdlib.loops.clusters import constraints_to_rank, independent_constraints
from rbdlib.methods.joint_character import of_joints
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.meaning.aliases import coordinates_of
from rbdlib.verification.mechanics import quantities as right
from rbdlib.verification.mechanics.basics import kept_with_state, motion
from rbdlib.verification.mechanics.bodies import parse
from rbdlib.verification.mechanics.points import find_point
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.reasons.hypotheses import Hypothesis, if_only


def of_rules(model, quantity):
    """All hypotheses about another rule than the right one for a `Quantity` of a model."""
    if quantity.compare in ("exact", "constant"):
        yield simple(*_OPPOSITE)
    if quantity.compare in ("exact", "constant", "rows"):
        yield from (simple(*row) for row in (*_FACTORS, *_OF_QUANTITY.get(quantity.symbol, ())))
    yield from _of_spatial(model, quantity)
    if quantity.symbol in _FROM_PARTS or quantity.symbol == "equations of motion":
        rates, own = all(coordinate.rate for coordinate in coordinates_of(model)), bool(of_joints(model))
        there = {"rate": rates, "recursion": not model.loops, "damping": own, "springs": own}
        yield from (_of_dynamics(quantity, *row) for row in _DYNAMICS if all(there.get(part, True) for part in row[-1]))


def simple(kind, words, question, cost, rule):
    """The `Hypothesis` that a rule, a function of (right values, state), was applied to the right values."""
    return Hypothesis(kind, words, question, cost, target=lambda case, state: rule(case.whole(state), state))


def _scaled(above, below):
    """The rule that the entries of H above its diagonal, and those below, are multiplied by numbers."""
    return lambda H, state: np.diag(np.diag(H)) + above * np.triu(H, 1) + below * np.tril(H, -1)


_OPPOSITE = ("opposite sign", "Everything has the opposite sign; apart from that your answer is right.",
             "In which direction is it counted as positive?", 1.1, lambda x, s: -x)
_FACTORS = [("factor", f"Your whole answer is {words} the right one.", "Which factor was lost or counted twice?", 1.3,
             lambda x, s, factor=factor: factor * x)
            for factor, words in ((2, "twice"), (0.5, "half of"), (4, "four times"), (0.25, "a quarter of"))]
_COMBINED = "How are T and V combined in the {}?"
_HALF = ("half forgotten", "The potential part is right; the kinetic part is twice what it should be.",
         "Which factor stands in a kinetic energy?", 1.1, lambda x, s: x + right.kinetic(s))
_SYMMETRY = "Which symmetry does H have?"
_SHARED = "In T each product of two velocities comes from two entries of H. How is it shared among them?"
_BIAS = "What does the bias force contain besides the {} terms?"
#: (kind, words, question, cost, the values from the right ones and the state), for each quantity.
_OF_QUANTITY = {
    "L": (("sum for difference", "This is T + V, and the Lagrangian is another combination of T and V.",
           _COMBINED.format("Lagrangian"), 1.0, lambda L, s: right.kinetic(s) + right.potential(s)), _HALF),
    "E": (("difference for sum", "This is T - V, which is the Lagrangian.", _COMBINED.format("energy"), 1.0,
           lambda E, s: right.kinetic(s) - right.potential(s)), _HALF),
    "T": (("half forgotten", "Your kinetic energy is twice what it should be.", _HALF[2], 1.0, lambda T, s: 2 * T),),
    "V": (("opposite sign", "Your potential energy has the opposite sign.",
           "Does the potential energy grow upwards or downwards?", 1.0, lambda V, s: -V),),
    "H": (("coupling missing", "The diagonal of H is right, and everything else is zero in your answer.",
           "Does accelerating one joint need a force at another?", 1.0, _scaled(0, 0)),
          ("upper triangle", "The upper triangle of H is right; below the diagonal there is nothing in your answer.",
           _SYMMETRY, 1.0, _scaled(1, 0)),
          ("lower triangle", "The lower triangle of H is right; above the diagonal there is nothing in your answer.",
           _SYMMETRY, 1.0, _scaled(0, 1)),
          ("coupling twice", "The diagonal of H is right; the entries beside it are twice what they should be.",
           _SHARED, 1.0, _scaled(2, 2)),
          ("coupling half", "The diagonal of H is right; the entries beside it are half of what they should be.",
           _SHARED, 1.0, _scaled(0.5, 0.5)),
          ("coupling sign", "The diagonal of H is right; the entries beside it have the opposite sign.",
           "In which direction does each joint count as positive?", 1.15, _scaled(-1, -1))),
    "C": (("gravity instead", "These are the gravity terms, and the velocity terms are asked for.",
           "Which terms are there without gravity?", 1.2, lambda C, s: right.gravity_forces(s)),),
    "bias": (("gravity left out", "The velocity terms are right; the gravity terms are missing.",
              _BIAS.format("velocity"), 1.0, lambda x, s: right.velocity_terms(s)),
             ("velocity terms missing", "The gravity terms are right; the velocity terms are missing.",
              _BIAS.format("gravity"), 1.0, lambda x, s: right.gravity_forces(s))),
    "g": (("bias instead", "This is the whole bias force, and the gravity terms alone are asked for.",
           "Which terms are left at rest?", 1.0, lambda g, s: g + right.velocity_terms(s)),),
}


# Dynamics: H qdd + C + g = tau, with one part changed

_CORIOLIS, _CENTRIFUGAL = "The Coriolis terms (products of two velocities)", "The centrifugal terms (qd_i^2)"
_VELOCITY, _FROM_T = "The velocity terms (Coriolis and centrifugal)", "The part that stems from dT/dq"
_LAGRANGE, _COUPLING = "Which sign does dT/dq have in Lagrange's equations?", (
    "Does accelerating one joint need a force at another?")
#: (kind, words, question, cost, how many times each part is counted: the velocity terms C, the centrifugal ones among
#: them and the part Hdot qd, all three of which add up; gravity; the entries of H beside its diagonal; dampers and
#: springs; or the arguments of `_recursion`, whose forces are then the velocity terms)
_DYNAMICS = (
    ("coriolis counted once", f"{_CORIOLIS} are half of what they should be.",
     "Each such product arises twice, as 12 and as 21. Were both counted?", 1.0, {"C": 0.5, "centrifugal": 0.5}),
    ("coriolis counted twice", f"{_CORIOLIS} are twice what they should be.", "How often does each such product arise?",
     1.1, {"C": 2, "centrifugal": -1}),
    ("coriolis missing", f"{_CORIOLIS} are missing.", "Which velocity products arise when you differentiate the "
     "velocity of a body that turns on a turning one?", 1.1, {"C": 0, "centrifugal": 1}),
    ("coriolis sign", f"{_CORIOLIS} have the opposite sign.", "Which sign has the derivative of the cosine?", 1.2,
     {"C": -1, "centrifugal": 2}),
    ("centrifugal missing", f"{_CENTRIFUGAL} are missing.", "What does the square of a velocity contribute when T is "
     "differentiated by a position?", 1.1, {"centrifugal": -1}),
    ("centrifugal sign", f"{_CENTRIFUGAL} have the opposite sign.", _LAGRANGE, 1.15, {"centrifugal": -2}),
    ("dT/dq missing", "The velocity terms are Hdot qd; the part that stems from dT/dq is missing.",
     "Lagrange's equations contain d/dt dT/dqd and one term more: which?", 0.95, {"C": 0, "rate": 1}),
    ("dT/dq sign", f"{_FROM_T} has the opposite sign.", _LAGRANGE, 1.1, {"C": -1, "rate": 2}),
    ("half forgotten", f"{_FROM_T} is twice what it should be.",
     "Which factor stands in the kinetic energy that you differentiate by q?", 1.2, {"C": 2, "rate": -1}),
    ("velocity terms missing", f"{_VELOCITY} are missing.", "What is left of your forces when the accelerations are "
     "zero and gravity is switched off?", 1.0, {"C": 0}),
    ("velocity terms sign", f"{_VELOCITY} have the opposite sign.",
     "On which side of the equation of motion do the velocity terms stand?", 1.1, {"C": -1}),
    ("gravity sign", "The gravity terms have the opposite sign.", "In which direction does gravity pull here, and on "
     "which side of the equation do its terms stand?", 1.05, {"gravity": -1}),
    ("coupling missing", "The accelerations of the other joints are missing: H is taken to be diagonal.", _COUPLING,
     1.0, {"coupling": 0}),
    ("coupling sign", "The accelerations of the other joints have the opposite sign: that of the entries of H beside "
     "its diagonal.", _COUPLING, 1.2, {"coupling": -1}),
    ("v x for v x*", if_only("v x were used on the momentum in place of v x*"),
     "Which cross product belongs to force vectors?", 1.3, {"recursion": {"cross": spatial.crm}}),
    ("v x S qd missing", if_only("the terms v x S qd were left out of the accelerations"),
     "What does the axis of a joint do while the body moves that carries it?", 1.3, {"recursion": {"turning": 0}}),
    ("c_J missing", if_only("the terms c_J of the joints were left out"),
     "Does the motion subspace of the joint change while it moves?", 1.3, {"recursion": {"own": 0}}),
    ("v x* I v missing", if_only("the terms v x* I v were left out"), "Is the force on a body the inertia times the "
     "acceleration, or the rate of the momentum?", 1.3, {"recursion": {"cross": lambda v: 0 * spatial.crf(v)}}),
    ("damping missing", "The dampers and the friction of the joints are missing.", "Which forces take energy out of "
     "this system?", 1.0, {"damping": 0}),
    ("damping sign", "The dampers and the friction of the joints have the opposite sign.", "In which direction does a "
     "damper push while the joint moves forwards?", 1.05, {"damping": -1}),
    ("springs missing", "The springs of the joints are missing.", "Where is energy stored, besides in the height of "
     "the bodies?", 1.0, {"springs": 0}),
    ("springs sign", "The springs of the joints have the opposite sign.", "In which direction does a spring pull when "
     "the joint has moved forwards?", 1.05, {"springs": -1}),
)
#: The values of the quantities that are made of H, C, g and the forces D of dampers, from a state and these.
_FROM_PARTS = {
    "H": lambda s, H, C, g, D: H, "C": lambda s, H, C, g, D: C, "g": lambda s, H, C, g, D: g,
    "bias": lambda s, H, C, g, D: C + g + D, "tau": lambda s, H, C, g, D: H @ s.qdd + C + g + D,
    "qdd": lambda s, H, C, g, D: solve_linear(H, s.tau - C - g - D),
    **dict.fromkeys(("p", "impulse"), lambda s, H, C, g, D: H @ s.qd), "T": lambda s, H, C, g, D: s.qd @ H @ s.qd / 2,
    "L": lambda s, H, C, g, D: s.qd @ H @ s.qd / 2 - right.potential(s),
    "E": lambda s, H, C, g, D: s.qd @ H @ s.qd / 2 + right.potential(s)}


def _of_dynamics(quantity, kind, words, question, cost, counts):
    """The hypothesis that the parts of H, C and g are counted so many times."""
    def target(case, state):
        return case.in_own_coordinates(np.array(_FROM_PARTS[quantity.symbol](state, *_parts(state, **counts))), state)

    return Hypothesis(kind, words, question, cost, target=target,
                      motion=lambda state: _accelerations(state, *_parts(state, **counts)))


def _parts(state, C=1, centrifugal=0, rate=0, gravity=1, coupling=1, recursion=None, damping=1, springs=1):
    """H, C, g with the springs, and the forces of dampers, as a row of `_DYNAMICS` has them."""
    H, g, dampers, own = right.inertia(state), right.gravity_forces(state), right.damping(state), right.springs(state)
    velocity = C * right.velocity_terms(state)
    if centrifugal:
        velocity = velocity + centrifugal * _centrifugal(state)
    if rate:
        velocity = velocity + rate * (right.inertia_rate(state) @ state.qd)
    if recursion:
        velocity = _recursion(Altered(state, qdd=0 * state.qd), **recursion)[1]
    return _scaled(coupling, coupling)(H, state), velocity, gravity * (g - own) + springs * own, damping * dampers


@kept_with_state("q", "qd")
def _centrifugal(state):
    return sum(right.velocity_terms(Altered(state, qd=unit * state.qd)) for unit in np.eye(len(state.qd), dtype=int))


def _recursion(state, turning=1, own=1, cross=spatial.crf):
    """The accelerations of the bodies and the forces (nv) without gravity, as wrong recursions give them.

    turning, own: how often v x S qd and c_J are counted in the accelerations.  cross: what is used for v x*.
    """
    model, found = state.model, newton_euler(state.model, state.q, state.qd, state.qdd)
    a, tau = [0 * found.v[0]], 0 * state.qd
    for i in model.bodies:
        at, I, v = model.v_slice(i), model.inertia[i], found.v[i]
        _, S, v_J, c_J = jcalc(model.joints[i], state.q[model.q_slice(i)], state.qd[at])
        a.append(found.X_up[i] @ a[model.parent[i]] + S @ state.qdd[at] + own * c_J + turning * spatial.crm(v) @ v_J)
        tau = tau + kinematics.body_jacobian(model, state.q, i).T @ (I @ a[i] + cross(v) @ I @ v)
    return a, tau


def _accelerations(state, H, C, g, D):
    """qdd with H qdd + C + g + D = tau, or H qdd + C + g + D = tau + K.T lam and K qdd = k with loops."""
    forces = state.tau - C - g - D
    if not state.model.loops:
        return solve_linear(H, forces)
    K, k, *_ = constraints_to_rank(state.model, state.q, state.qd)
    rows = independent_constraints(K, k, 1e-9)
    return by_composite_equation(H, rows.K, forces, rows.k)[0]


# Spatial quantities: the inverse, X* for X, another frame, classical for spatial acceleration

_FRAME = "Between which two frames does it go, and in which direction?"
_TRANSPOSE, _INVERSE = "This is the transpose of what is asked for.", (
    "This is the inverse of what is asked for: it goes in the opposite direction.")
_SWAPPED = ("swapped", "The angular and the linear part are exchanged: here the angular part comes first.",
            "In which order does your text write spatial vectors?", 1.0)
_TURN = "Does the rotation matrix turn the vector or the axes?"
_TURNED = ("rotation transposed", "Your rotation is transposed; the rest fits.", _TURN, 1.2)
_OFFSET = ("opposite offset", "The vector between the two origins has the opposite sign in your answer.",
           "From which origin to which does the vector point?", 1.2)
_SWAP = [3, 4, 5, 0, 1, 2]


def _displaced(A, R, p):
    """A homogeneous matrix like A, with other parts."""
    new = A.copy()
    new[:3, :3], new[:3, 3] = R, p
    return new


def _X(state, i):
    return kinematics.body_transforms(state.model, state.q)[i]


#: (letters of the quantities, kind, words, question, cost, the values from the right ones, the state and the number of
#: the body, where it is a vector of a body)
_SPATIAL = (
    (("X",), "transpose", _TRANSPOSE, _FRAME, 1.1, lambda X, s, i: X.T),
    (("R", "A"), "transpose", _TRANSPOSE, _FRAME, 0.95, lambda R, s, i: R.T),
    (("X",), "inverse", _INVERSE, _FRAME, 0.95, lambda X, s, i: spatial.inverse_transform(X)),
    (("A",), "inverse", _INVERSE, _FRAME, 0.95, lambda A, s, i: _displaced(A, A[:3, :3].T, -A[:3, :3].T @ A[:3, 3])),
    (("X",), "force transform", "This is X*, which transforms force vectors.",
     "Does X take motion vectors or force vectors?", 1.0, lambda X, s, i: spatial.force_transform(X)),
    (("X",), *_SWAPPED, lambda X, s, i: X[_SWAP][:, _SWAP]),
    (("X",), *_TURNED, lambda X, s, i: spatial.plucker(X[:3, :3].T, spatial.X_to_Er(X)[1])),
    (("A",), *_TURNED, lambda A, s, i: _displaced(A, A[:3, :3].T, A[:3, 3])),
    (("X",), *_OFFSET, lambda X, s, i: spatial.plucker(X[:3, :3], -spatial.X_to_Er(X)[1])),
    (("A",), *_OFFSET, lambda A, s, i: _displaced(A, A[:3, :3], -A[:3, 3])),
    (("J", "S"), "transpose", _TRANSPOSE, "What stands in a column?", 1.2, lambda J, s, i: J.T),
    (("J", "Jdot", "v", "a", "S", "momentum"), *_SWAPPED, lambda x, s, i: x[_SWAP] if len(x) == 6 else x),
    (("J", "v", "a"), "base coordinates",
     "This is right in the coordinates of the base; asked for are those of the body.",
     "In which frame do you write the vector?", 1.1, lambda x, s, i: spatial.inverse_transform(_X(s, i)) @ x),
    (("J", "v", "a"), "rotation transposed",
     "This would be right if the rotation between base and body were transposed.", _TURN, 1.2,
     lambda x, s, i: spatial.rot(_X(s, i)[:3, :3].T @ _X(s, i)[:3, :3].T) @ x),
    (("a",), "classical acceleration", "This is the classical acceleration, and the spatial one is asked for.",
     "Is it the acceleration of a point that moves with the body, or the rate of the spatial velocity?", 1.0,
     lambda a, s, i: spatial.classical_acceleration(motion(s, "a", i), motion(s, "v", i))),
    (("a",), "v x S qd missing", "The terms v x S qd are missing in your accelerations.",
     "What does the axis of a joint do while the body moves that carries it?", 1.0,
     lambda a, s, i: _recursion(s, turning=0)[0][i]),
    (("a",), "c_J missing", "The terms c_J of the joints are missing in your accelerations.",
     "Does the motion subspace of the joint change while it moves?", 1.1, lambda a, s, i: _recursion(s, own=0)[0][i]),
)


def _of_spatial(model, quantity):
    """The hypotheses about another rule for a spatial `Quantity`, or a vector of a body; none for others."""
    parsed = parse(quantity.name)
    letter = parsed[0] if parsed else quantity.symbol
    i = find_point(model, parsed[1]).body if parsed and letter in ("J", "v", "a") else None
    for letters, kind, words, question, cost, rule in _SPATIAL:
        if letter in letters and (letters != ("a",) or quantity.symbol == "a"):
            yield simple(kind, words, question, cost, lambda x, state, rule=rule: rule(x, state, i))
