"""Other rules for which a wrong answer may be right: the transpose, X* for X, the Coriolis term counted once."""

from typing import Any

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
from rbdlib.verification.mechanics.bodies import find_point, parse
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.reasons.hypotheses import stated


def of_rules(model, quantity):
    """All hypotheses about another rule than the right one for a `Quantity` of a model."""
    if quantity.compare in ("exact", "constant"):
        yield ruled("whole", "opposite sign", lambda x, s: -x)
    if quantity.compare in ("exact", "constant", "rows"):
        for factor, words in ((2, "twice"), (0.5, "half of"), (4, "four times"), (0.25, "a quarter of")):
            yield ruled("whole", "factor", lambda x, s, factor=factor: factor * x, words=words)
        for name, rule in _OF_QUANTITY.get(quantity.symbol, {}).items():
            yield ruled(quantity.symbol, name, rule)
    yield from _of_spatial(model, quantity)
    if quantity.symbol in _FROM_PARTS or quantity.symbol == "equations of motion":
        rates, own = all(coordinate.rate for coordinate in coordinates_of(model)), bool(of_joints(model))
        there = {"rate": rates, "recursion": not model.loops, "damping": own, "springs": own}
        yield from (_of_dynamics(quantity, name, counts) for name, counts in _DYNAMICS.items()
                    if all(there.get(part, True) for part in counts))


def ruled(group, name, rule, **names):
    """The `Hypothesis` of `MISTAKES` that a rule, a function of (right values, state), was applied."""
    return stated(group, name, names, target=lambda case, state: rule(case.whole(state), state))


def _scaled(above, below):
    """The rule that the entries of H above its diagonal, and those below, are multiplied by numbers."""
    return lambda H, state: np.diag(np.diag(H)) + above * np.triu(H, 1) + below * np.tril(H, -1)


#: For each quantity {name: the values from the right ones and the state}.
_OF_QUANTITY: dict[str, dict[str, Any]] = {
    "L": {"sum for difference": lambda L, s: right.kinetic(s) + right.potential(s),
          "half forgotten": lambda L, s: L + right.kinetic(s)},
    "E": {"difference for sum": lambda E, s: right.kinetic(s) - right.potential(s),
          "half forgotten": lambda E, s: E + right.kinetic(s)},
    "T": {"half forgotten": lambda T, s: 2 * T},
    "V": {"opposite sign": lambda V, s: -V},
    "H": {"coupling missing": _scaled(0, 0), "upper triangle": _scaled(1, 0), "lower triangle": _scaled(0, 1),
          "coupling twice": _scaled(2, 2), "coupling half": _scaled(0.5, 0.5), "coupling sign": _scaled(-1, -1)},
    "C": {"gravity instead": lambda C, s: right.gravity_forces(s)},
    "bias": {"gravity left out": lambda x, s: right.velocity_terms(s),
             "velocity terms missing": lambda x, s: right.gravity_forces(s)},
    "g": {"bias instead": lambda g, s: g + right.velocity_terms(s)}}


# Dynamics: H qdd + C + g = tau, with one part changed

#: {name: how many times each part is counted}: the velocity terms C, the centrifugal ones among them and the part
#: Hdot qd, all three of which add up; gravity; the entries of H beside its diagonal; dampers and springs; or the
#: arguments of `_recursion`, whose forces are then the velocity terms.
_DYNAMICS: dict[str, dict[str, Any]] = {
    "coriolis counted once": {"C": 0.5, "centrifugal": 0.5}, "coriolis counted twice": {"C": 2, "centrifugal": -1},
    "coriolis missing": {"C": 0, "centrifugal": 1}, "coriolis sign": {"C": -1, "centrifugal": 2},
    "centrifugal missing": {"centrifugal": -1}, "centrifugal sign": {"centrifugal": -2},
    "dT/dq missing": {"C": 0, "rate": 1}, "dT/dq sign": {"C": -1, "rate": 2}, "half forgotten": {"C": 2, "rate": -1},
    "velocity terms missing": {"C": 0}, "velocity terms sign": {"C": -1}, "gravity sign": {"gravity": -1},
    "coupling missing": {"coupling": 0}, "coupling sign": {"coupling": -1},
    "v x for v x*": {"recursion": {"cross": spatial.crm}}, "v x S qd missing": {"recursion": {"turning": 0}},
    "c_J missing": {"recursion": {"own": 0}},
    "v x* I v missing": {"recursion": {"cross": lambda v: 0 * spatial.crf(v)}},
    "damping missing": {"damping": 0}, "damping sign": {"damping": -1},
    "springs missing": {"springs": 0}, "springs sign": {"springs": -1}}
#: The values of the quantities that are made of H, C, g and the forces D of dampers, from a state and these.
_FROM_PARTS = {
    "H": lambda s, H, C, g, D: H, "C": lambda s, H, C, g, D: C, "g": lambda s, H, C, g, D: g,
    "bias": lambda s, H, C, g, D: C + g + D, "tau": lambda s, H, C, g, D: H @ s.qdd + C + g + D,
    "qdd": lambda s, H, C, g, D: solve_linear(H, s.tau - C - g - D),
    **dict.fromkeys(("p", "impulse"), lambda s, H, C, g, D: H @ s.qd), "T": lambda s, H, C, g, D: s.qd @ H @ s.qd / 2,
    "L": lambda s, H, C, g, D: s.qd @ H @ s.qd / 2 - right.potential(s),
    "E": lambda s, H, C, g, D: s.qd @ H @ s.qd / 2 + right.potential(s)}


def _of_dynamics(quantity, name, counts):
    """The hypothesis that the parts of H, C and g are counted so many times."""
    def target(case, state):
        return case.in_own_coordinates(np.array(_FROM_PARTS[quantity.symbol](state, *_parts(state, **counts))), state)

    return stated("dynamics", name, target=target,
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

_SWAP = [3, 4, 5, 0, 1, 2]


def _displaced(A, R, p):
    """A homogeneous matrix like A, with other parts."""
    new = A.copy()
    new[:3, :3], new[:3, 3] = R, p
    return new


def _X(state, i):
    return kinematics.body_transforms(state.model, state.q)[i]


#: (letters of the quantities, name, the values from the right ones, the state and the number of the body, where it is a
#: vector of a body)
_SPATIAL = (
    (("X",), "transpose", lambda X, s, i: X.T),
    (("R", "A"), "transpose of a rotation", lambda R, s, i: R.T),
    (("X",), "inverse", lambda X, s, i: spatial.inverse_transform(X)),
    (("A",), "inverse", lambda A, s, i: _displaced(A, A[:3, :3].T, -A[:3, :3].T @ A[:3, 3])),
    (("X",), "force transform", lambda X, s, i: spatial.force_transform(X)),
    (("X",), "swapped", lambda X, s, i: X[_SWAP][:, _SWAP]),
    (("X",), "rotation transposed", lambda X, s, i: spatial.plucker(X[:3, :3].T, spatial.X_to_Er(X)[1])),
    (("A",), "rotation transposed", lambda A, s, i: _displaced(A, A[:3, :3].T, A[:3, 3])),
    (("X",), "opposite offset", lambda X, s, i: spatial.plucker(X[:3, :3], -spatial.X_to_Er(X)[1])),
    (("A",), "opposite offset", lambda A, s, i: _displaced(A, A[:3, :3], -A[:3, 3])),
    (("J", "S"), "transpose of columns", lambda J, s, i: J.T),
    (("J", "Jdot", "v", "a", "S", "momentum"), "swapped", lambda x, s, i: x[_SWAP] if len(x) == 6 else x),
    (("J", "v", "a"), "base coordinates", lambda x, s, i: spatial.inverse_transform(_X(s, i)) @ x),
    (("J", "v", "a"), "base and body exchanged",
     lambda x, s, i: spatial.rot(_X(s, i)[:3, :3].T @ _X(s, i)[:3, :3].T) @ x),
    (("a",), "classical acceleration",
     lambda a, s, i: spatial.classical_acceleration(motion(s, "a", i), motion(s, "v", i))),
    (("a",), "v x S qd missing", lambda a, s, i: _recursion(s, turning=0)[0][i]),
    (("a",), "c_J missing", lambda a, s, i: _recursion(s, own=0)[0][i]),
)


def _of_spatial(model, quantity):
    """The hypotheses about another rule for a spatial `Quantity`, or a vector of a body; none for others."""
    parsed = parse(quantity.name)
    letter = parsed[0] if parsed else quantity.symbol
    i = find_point(model, parsed[1]).body if parsed and letter in ("J", "v", "a") else None
    for letters, name, rule in _SPATIAL:
        if letter in letters and (letters != ("a",) or quantity.symbol == "a"):
            yield ruled("spatial", name, lambda x, state, rule=rule: rule(x, state, i))
