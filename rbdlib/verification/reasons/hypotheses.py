"""Other systems, coordinates and rules for which a wrong answer may be right: gravity reversed, a transpose, X* for X.

A `Hypothesis` says what is changed. What is said about each stands in mistakes.toml.
"""

import contextlib
import dataclasses
import functools
import itertools
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath
import numpy as np

from rbdlib.book import ch02_spatial as spatial, ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import I_to_mcI, mcI, skew
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.book.ch08_closed_loops import by_composite_equation
from rbdlib.loops.clusters import constraints_to_rank, independent_constraints
from rbdlib.methods.joint_character import character_energies, of_joints
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.meaning.aliases import coordinates_of
from rbdlib.verification.mechanics import quantities as right
from rbdlib.verification.mechanics.basics import kept_with_state, motion, once_for_each
from rbdlib.verification.mechanics.bodies import find_point, parse
from rbdlib.verification.mechanics.states import Altered, unchecked

#: What is said about every mistake: {group: {name: row, or sentence}}.
MISTAKES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text(encoding="utf-8"))
#: The errors where an altered system, or a changed formula, has no value.
_TROUBLE = (ValueError, ArithmeticError, LookupError, TypeError)
#: Added to an inertia that is taken away: a model may have bodies of little inertia, but not of none.
_LITTLE = 1e-80
#: Kinds of changes of an inertia that are changes of a length.
LENGTHS = ("half-length", "length for half-length", "centre of mass at joint")


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """Something that, if it were so, might make the answer right.

    kind: a short name, such as "gravity reversed".  sentence: what was found, and what the learner should look at.
    cost: the smaller, the likelier.
    parameters (dict -> dict), model (Model -> Model), state (State -> State): how the system changes, None if not.
    target: a function of (case, state) that gives the values of a rule, or None: those of the changed system.
    motion: a function of a state that gives the accelerations of a rule, for equations of motion; None if none.
    back: where ``state`` changes the rates: the matrix (nv x nv) that leads from the changed ones to the given ones.
    into: the same, if the values in the changed state are those in other coordinates as well.
    """

    kind: str
    sentence: str
    cost: float
    parameters: Any = None
    model: Any = None
    state: Any = None
    target: Any = None
    motion: Any = None
    back: Any = None
    into: Any = None

    of_system = property(lambda self: any((self.parameters, self.model, self.state)), doc="If it changes the system.")


def stated(group, name, names=None, **what):
    """The `Hypothesis` that a row of `MISTAKES` states. names: {name in braces: text}.  what: what it changes."""
    row = MISTAKES[group][name]
    found = row.get("found") or f"Your answer would be right if {row['if']}."
    return Hypothesis(row.get("kind", name), f"{found} {row['question']}".format(**names or {}), row["cost"], **what)


#: How the names of each kind of parameter begin, in this order; all others are lengths.
_BEGINNINGS = {
    "angle": ("alpha", "beta", "gamma", "delta", "theta", "phi", "psi", "varphi", "vartheta"),
    "rate": ("omega", "Omega"), "friction": ("mu", "nu"), "density": ("rho",), "mass": ("m", "M"),
    "inertia": ("I", "J"), "stiffness": ("k",)}


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
    of_joints = {str(symbol) for character in filter(None, system.model.characters) for value in (
        character.damping, character.friction, character.stiffness) for symbol in getattr(value, "free_symbols", ())}
    rest = classes(name for name in system.symbols if name not in of_joints)        # a damper's c is no length
    alike = rest | {f"{kind} of joints": names for kind, names in classes(sorted(of_joints)).items()}
    return [*_ALWAYS, *_of_inertias(system), *of_parameters(alike), *_of_rates(system.model)]


def pi_for(state):
    """Pi as a number like those of a state."""
    return np.pi if state.q.dtype == float else +mpmath.pi


_ALWAYS = (
    stated("system", "degrees", state=lambda state: dataclasses.replace(state, q=state.q * pi_for(state) / 180)),
    stated("system", "gravity reversed", model=lambda model: unchecked(model, gravity=-model.gravity)),
    stated("system", "gravity missing", model=lambda model: unchecked(model, gravity=0 * model.gravity)))

#: {name: (the factors by which m, c and I_C are changed, and how often the parallel-axis term m c×c×ᵀ is counted if not
#: once)}
_INERTIAS = {
    "parallel axis missing": ((1, 1, 1), 0), "parallel axis twice": ((1, 1, 1), 2),
    "rotational inertia missing": ((1, 1, 0), None), "body missing": ((0, 1, 0), None),
    "centre of mass at joint": ((1, 0, 1), None), "half-length": ((1, 2, 1), None),
    "length for half-length": ((1, 0.5, 1), None), "half-length of a point mass": ((1, 2, 0), None)}


def _of_inertias(system):
    alike = {}
    for i in system.model.bodies:
        name, in_joint = system.model.names[i], all(x == 0 for x in system.model.inertia[i][:3, 3:].flat)
        for kind, (factors, times) in _INERTIAS.items():
            if not in_joint or factors[1] == 1 and times is None:       # else it changes nothing, or is not so
                alike.setdefault(kind, []).append(functools.partial(_with_inertia, i, factors, times))
                yield stated("body", kind, {"name": name}, model=alike[kind][-1])
    for kind, changes in alike.items():
        if len(changes) > 1 and kind != "body missing":
            yield stated("body", kind, {"name": "each body"}, model=lambda model, changes=tuple(changes): (
                functools.reduce(lambda model, change: change(model), changes, model)))


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
            yield of_values("swapped", {a: (1, b), b: (1, a)}, a=a, b=b)
        for a, b in itertools.permutations(names, 2):
            yield of_values("wrong link", {b: (1, a)}, a=a, b=b)
        for a in names if kind == "length" else ():
            yield of_values("half-length", {a: (2, a)}, a=a)
            yield of_values("length for half-length", {a: (0.5, a)}, a=a)


def of_values(name, new, **names):
    """The hypothesis of other parameters, as in `_with_values`."""
    return stated("parameter", name, names, parameters=functools.partial(_with_values, new))


def _with_values(new, parameters):
    """Other parameters, new: {name: (factor, the parameter of whose value it is a multiple)}."""
    return parameters | {name: factor * parameters[other] for name, (factor, other) in new.items()}


def _from_ground(model):
    """The matrix of the coordinates as measured from the ground: each, and those alike on the way to the base."""
    sums = np.eye(model.nv, dtype=int)
    for i in model.bodies:
        at, before = model.v_slice(i), model.v_slice(model.parent[i]) if model.parent[i] else slice(0, 0)
        single = at.stop - at.start == 1 == before.stop - before.start
        if single and type(model.joints[i]) is type(model.joints[model.parent[i]]):
            sums[at] += sums[before]
    return sums


def _of_rates(model):
    """Velocities measured otherwise, the coordinates staying what they are."""
    sums = _from_ground(model)
    if model.loops or (sums == np.eye(model.nv)).all():
        return
    differences = _inverse(sums)
    for kind, now, back in (("velocity added twice", sums, differences), ("absolute velocity", differences, sums)):
        yield stated("coordinate", kind, back=back, state=lambda state, now=now: Altered(
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
            yield _other(own, "other axis", {"name": name, "each": each, "line": line}, A, b)
        if not new and places != angles[:1] and (len(places) == 1 or len(angles) > 2):
            A = np.eye(n, dtype=int)
            A[np.ix_(places, angles)] = np.tri(n, dtype=int)[places][:, angles]     # with the angles before
            yield _other(own, f"absolute angle{'s' * (len(places) > 1)}", {"name": name, "each": each}, A)
    for i, j in itertools.combinations(range(n), 2):
        A = np.eye(n, dtype=int)
        A[[i, j]] = A[[j, i]]
        yield _other(own, "order", {"a": names[i], "b": names[j]}, A)
        if case.equations:
            back, a, b = own[0].T @ A @ _inverse(own[0]).T, *(case.symbol(f"tau{k + 1}").name for k in (i, j))
            yield stated("coordinate", "forces exchanged", {"a": a, "b": b}, state=lambda at, back=back: Altered(
                at, tau=back @ at.tau))


def _other(own, kind, names, A, b=0):
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

    return stated("coordinate", kind, names, state=state, back=back, into=A)


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


# Other rules: the transpose, X* for X, the Coriolis term counted once


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
    if quantity.symbol in ("V", "L", "E") and of_joints(model):
        sign = -1 if quantity.symbol == "L" else 1
        for name, change in _OF_SPRINGS.items():
            yield stated("dynamics", name, target=lambda case, s, by=change: case.whole(s) + sign * by(s))
    if quantity.symbol in _FROM_PARTS or quantity.symbol == "equations of motion":
        rates, own = all(coordinate.rate for coordinate in coordinates_of(model)), bool(of_joints(model))
        there = {"rate": rates, "recursion": not model.loops, "damping": own, "springs": own,
                 "stretched": _has_springs_between_bodies(model)}
        yield from (_of_dynamics(quantity, name, counts) for name, counts in _DYNAMICS.items()
                    if all(there.get(part, True) for part in counts))


def ruled(group, name, rule, **names):
    """The `Hypothesis` of `MISTAKES` that a rule, a function of (right values, state), was applied."""
    return stated(group, name, names, target=lambda case, state: rule(case.whole(state), state))


def _scaled(above, below):
    """The rule that the entries of H above its diagonal, and those below, are multiplied by numbers."""
    return lambda H, state: np.diag(np.diag(H)) + above * np.triu(H, 1) + below * np.tril(H, -1)


def _has_springs_between_bodies(model):
    alone = model.loops or model.nq != model.nv or np.all(_from_ground(model) == np.eye(model.nv))
    return bool(of_joints(model)) and not alone


def _in_springs(state, stretched=False):
    """The energy of the joints' springs. stretched: if coordinates measured from the ground stretch them."""
    q = _from_ground(state.model) @ state.q if stretched and _has_springs_between_bodies(state.model) else state.q
    return character_energies(state.model, q, state.qd)[1]


#: {name: how much the energy of the springs changes, from the state}.
_OF_SPRINGS = {"springs missing": lambda s: -_in_springs(s), "springs sign": lambda s: -2 * _in_springs(s),
               "springs to the ground": lambda s: _in_springs(s, stretched=True) - _in_springs(s)}


#: For each quantity {name: the values from the right ones and the state}.
_OF_QUANTITY: dict[str, dict[str, Any]] = {
    "L": {"sum for difference": lambda L, s: right.kinetic(s) + right.potential(s),
          "half forgotten": lambda L, s: L + right.kinetic(s)},
    "E": {"difference for sum": lambda E, s: right.kinetic(s) - right.potential(s),
          "half forgotten": lambda E, s: E + right.kinetic(s)},
    "T": {"half forgotten": lambda T, s: 2 * T},
    "V": {"opposite sign": lambda V, s: -V},
    "H": {"upper triangle": _scaled(1, 0), "lower triangle": _scaled(0, 1),
          "coupling twice": _scaled(2, 2), "coupling half": _scaled(0.5, 0.5)},
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
    "springs missing": {"springs": 0}, "springs sign": {"springs": -1}, "springs to the ground": {"stretched": True}}
#: The values of the quantities that are made of H, C, g and the forces D of dampers, from a state and these.
_FROM_PARTS = {
    "H": lambda s, H, C, g, D: H, "C": lambda s, H, C, g, D: C, "g": lambda s, H, C, g, D: g,
    "bias": lambda s, H, C, g, D: C + g + D, "tau": lambda s, H, C, g, D: H @ s.qdd + C + g + D,
    "qdd": lambda s, H, C, g, D: solve_linear(H, s.tau - C - g - D),
    **dict.fromkeys(("p", "impulse"), lambda s, H, C, g, D: H @ s.qd), "T": lambda s, H, C, g, D: s.qd @ H @ s.qd / 2,
    "L": lambda s, H, C, g, D: s.qd @ H @ s.qd / 2 - right.potential(s),
    "E": lambda s, H, C, g, D: s.qd @ H @ s.qd / 2 + right.potential(s)}


#: What the entries of H beside its diagonal stand for in some quantities; in others it is accelerations.
_OTHERS = {"entries beside the diagonal": ("H",), "products of two different velocities": ("T", "L", "E"),
           "velocities of the other joints": ("p", "impulse")}


def _of_dynamics(quantity, name, counts):
    """The hypothesis that the parts of H, C and g are counted so many times."""
    def target(case, state):
        value = np.array(_FROM_PARTS[quantity.symbol](state, *_parts(state, **counts)))
        return case.vocabulary.in_own(case.asked, value, state)

    others = next((words for words, symbols in _OTHERS.items() if quantity.symbol in symbols), "accelerations of the "
                  "other joints")
    return stated("dynamics", name, {"others": others}, target=target,
                  motion=lambda state: _accelerations(state, *_parts(state, **counts)))


def _parts(state, C=1, centrifugal=0, rate=0, gravity=1, coupling=1, recursion=None, damping=1, springs=1,
           stretched=False):
    """H, C, g with the springs, and the forces of dampers, as a row of `_DYNAMICS` has them."""
    H, g, dampers, own = right.inertia(state), right.gravity_forces(state), right.damping(state), right.springs(state)
    velocity = C * right.velocity_terms(state)
    if centrifugal:
        velocity = velocity + centrifugal * _centrifugal(state)
    if rate:
        velocity = velocity + rate * (right.inertia_rate(state) @ state.qd)
    sums = _from_ground(state.model)
    now = sums.T @ right.springs(Altered(state, q=sums @ state.q)) if stretched else own
    if recursion:
        velocity = _recursion(Altered(state, qdd=0 * state.qd), **recursion)[1]
    return _scaled(coupling, coupling)(H, state), velocity, gravity * (g - own) + springs * now, damping * dampers


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
