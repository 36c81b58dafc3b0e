"""Quantities of one body, of a point of it, or of two bodies: J[2], velocity[com 2], position[tip], R[0,2], I[2].

Spatial vectors are in body coordinates, unless the name says "in base coordinates" (at the base's origin) or "hybrid"
(base axes, at the body's origin, as in most texts' geometric Jacobian). What belongs to a point has base axes.

A point is the origin of the body's frame, its centre of mass, its tip, or is given by coordinates.
"""

import contextlib
import re
from typing import Any

import mpmath
import numpy as np

from rbdlib.book import ch02_spatial as spatial, ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er, crm, homogeneous, inverse_transform, xlt
from rbdlib.book.ch04_joints import Prismatic, Revolute, jcalc
from rbdlib.book.ch07_articulated_body import articulated_bodies
from rbdlib.loops.tolerances import kept_for_model
from rbdlib.methods.joint_space import composite_inertias
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.mechanics.basics import LITTLE, Point, Quantity, framed, inertia, inverse, motion, transforms
from rbdlib.verification.mechanics.declared import HOW, read_declared
from rbdlib.verification.mechanics.states import DIGITS, draw, system_of
from rbdlib.verification.notation.reading import read
from rbdlib.verification.trees.expression import Symbol, evaluate, symbols

TIP = r"(?:the\s+)?(?:tip|end|end[- ]?effector|tcp|hand)"
_COM = r"(?:the\s+)?(?:com|cm|cog|centre of mass|center of mass|centre of gravity|[cg]_?(?=\d))"


class UnknownQuantity(ValueError):
    """A quantity that cannot be verified, or of a body or point that there is not; the message says what there is."""


def find_point(model, text):
    """The `Point` that a text names: "2", "forearm", "com 2", "com of body 2", "c2", "tip", "tip 1", "2: (l2, 0, 0)".

    Raises `UnknownQuantity`, a ValueError.
    """
    text = " ".join(text.split())
    place = re.fullmatch(r"(?P<body>[^:,(]+?)\s*(?::|,|\bat\b|@)?\s*\((?P<where>.+)\)", text)
    if place:
        i = body_number(model, place["body"])
        return Point(i, f"the point ({place['where']}) of body {i}", _by_coordinates(model, place["where"]))
    for pattern, make in ((_COM, com_of), (TIP, tip_of)):
        match = (re.fullmatch(rf"{pattern}(?:\s*(?:of\s+)?(?:the\s+)?(?P<body>.+))?", text, re.I)
                 or re.fullmatch(rf"(?P<body>.+?)\s*[,:]?\s*(?:at\s+)?{pattern}", text, re.I))
        if match and text not in model.names:
            return make(model, body_number(model, match["body"]) if match["body"] else model.N_B)
    i = body_number(model, text)
    return Point(i, "", lambda state: 0 * state.model.inertia[max(i, 1)][0, :3] + 0 * state.tau.sum())


def body_number(model, text):
    """The number of the body called so, by number or name. Raises `UnknownQuantity`, a ValueError."""
    text = re.sub(r"^(?:of\s+)?(?:the\s+)?(?:body|link)\s+", "", text.strip().strip("'\""))
    if text.isdigit() and 0 <= int(text) <= model.N_B:
        return int(text)
    if text in model.names:
        return model.names.index(text)
    raise UnknownQuantity(f"There is no body {text!r}; this model has the bodies "
                          + ", ".join(f"{i} ({name})" for i, name in enumerate(model.names)) + ".")


def com_of(model, i):
    """The centre of mass of body i."""
    return Point(i, f"the centre of mass of body {i}", lambda state: I_to_mcI(state.model.inertia[i])[1])


def tip_of(model, i):
    """The tip of body i: the joint of the next body or, of a last one, the end of its length. Raises `UnknownQuantity`.

    The end is in the direction of the centre of mass, at the distance that the parameter called l2 (or L2, a2, l_name,
    l) gives.
    """
    name = f"the tip of body {i}"
    if model.mu(i):
        return Point(i, name, lambda state: X_to_Er(state.model.X_tree[model.mu(i)[0]])[1])
    names, endings = system_of(model).symbols, (i, f"_{i}", f"_{model.names[i]}", *([""] if model.N_B == 1 else []))
    likely = [f"{letter}{ending}" for letter in ("l", "L", "a", "length") for ending in endings]
    lengths = [name for name in names if name in ("l", "L")]
    length = next((name for name in likely if name in names), lengths[0] if len(lengths) == 1 else None)
    if length is None:
        raise UnknownQuantity(f"The tip of body {i} is not known. Say where it is, in the coordinates of the body: "
                              f"'J[{i}: (l{i}, 0, 0)]', or likewise.")

    def at(state):
        _, c, _ = I_to_mcI(state.model.inertia[i])
        size = (c @ c) ** 0.5
        along = c / size if size else np.array([1, 0, 0]) + 0 * c
        return along * state.parameters[length]

    return Point(i, f"{name}, at the distance {length}", at)


def _by_coordinates(model, text):
    """A function of a state: the numbers that a text such as "l2, 0, 0" means."""
    system = system_of(model)
    names = sorted({*map(str, system.model.parameters), *system.symbols})
    trees = [read(part, names).trees[0] for part in text.split(",")]
    if len(trees) not in (2, 3):
        raise UnknownQuantity(f"The point ({text}) has {len(trees)} coordinates; give three, such as (l2, 0, 0).")
    if unknown := sorted({symbol.name for tree in trees for symbol in symbols(tree)} - {*names}):
        raise UnknownQuantity(f"The point ({text}) contains {unknown[0]}, which is no parameter of this model; they "
                              f"are {', '.join(names)}.")

    def at(state):
        known = {Symbol(name): value for name, value in state.parameters.items()}
        values = [evaluate(tree, known) for tree in trees]
        return np.array([*values, 0 * values[0]][:3], dtype=object)

    return at


# Quantities


#: How the kinds of quantities may be written.
KINDS = {
    "J": ("J", "jacobian", "Jacobian", "body jacobian", "body Jacobian"),
    "geometric J": ("geometric jacobian", "geometric Jacobian", "geometric J", "basic jacobian", "J_g"),
    "Jdot": ("Jdot", "J_dot", "Jd", "dJ/dt"), "v": ("v", "twist", "spatial velocity"),
    "a": ("a", "spatial acceleration"), "velocity": ("velocity", "vel"), "acceleration": ("acceleration", "acc"),
    "omega": ("omega", "w", "angular velocity"), "alpha": ("alpha", "angular acceleration"),
    "position": ("position", "pos", "forward kinematics"), "com": ("com", "centre of mass", "center of mass"),
    "R": ("R", "rotation", "rotation matrix"), "X": ("X",), "A": ("A", "T", "homogeneous", "homogeneous transform"),
    "I": ("I", "spatial inertia"), "Ic": ("Ic", "I_c", "composite inertia"), "IA": ("IA", "I_A", "articulated inertia"),
    "h": ("h", "momentum"), "T": ("T", "kinetic energy"), "V": ("V", "potential energy"), "S": ("S", "motion subspace"),
    "Lambda": ("Lambda", "task-space inertia", "operational-space inertia"),
}
_WORDS = "|".join(sorted((word for ways in KINDS.values() for word in ways), key=len, reverse=True))
_NAMES = [re.compile(rf"(?P<word>{_WORDS}){argument}") for argument in (
    r"\s*\[\s*(?P<what>[^\[\]]+?)\s*\](?P<how>.*)", r"\s*\(\s*(?P<what>(?:[^()]|\([^()]*\))+?)\s*\)(?P<how>.*)",
    r"\s+of\s+(?P<what>.+?)(?P<how>\s*,?\s+(?:in|with|hybrid)\b.*)?",
    r"_?(?P<what>[cCG]?_?\d\d?|\{.+?\})(?P<how>\s+.*)?")]
_SPATIAL = {"J": "the Jacobian", "Jdot": "the rate of change of the Jacobian", "v": "the spatial velocity",
            "a": "the spatial acceleration"}
_FRAMES = {"body": "in its own coordinates", "base": "in base coordinates (Plücker coordinates at the base's origin)",
           "hybrid": "in base axes"}


def parse(text):
    """(kind, argument, how) of a name such as "J[2] in base coordinates"; None if it names nothing of a body."""
    for pattern in _NAMES:
        match = pattern.fullmatch(text)
        how = (match["how"] or "").strip() if match else ""
        if match and (not how or HOW.fullmatch(" " + how)):
            what, word = match["what"].strip("{}"), match["word"]
            kind = next(kind for kind, ways in KINDS.items() if word in ways)
            return ("T" if word == "T" and len(_parts(what)) != 2 else kind), what, how
    return None


def _parts(what):
    parts = [part for part in re.split(r"[,\s]+", what) if part]
    if len(parts) == 1 and re.fullmatch(r"\d\d", parts[0]):
        parts = list(parts[0])
    return parts


def of_bodies(model, text, how=""):
    """The `Quantity` of bodies that a text asks for; None if it is no such name.

    how: what is declared besides, see `declared`. Raises `UnknownQuantity`, a ValueError.
    """
    if determinant := re.fullmatch(r"(?:det|determinant of)\s*\(?\s*J(?:\[([^\[\]]+)\])?\s*\)?", text):
        return _determinant(model, text, _origin(model, determinant[1] or "tip", read_declared(how).classic))
    if (found := parse(text)) is None:
        return None
    kind, what, added = found
    frame, order, *_, classic = read_declared(f"{'body ' * text.lower().startswith('body jac')}{added} {how}")
    if kind in _TRANSFORMS:
        return _of_two(model, text, kind, _parts(what), classic)
    placed = kind in (*_SPATIAL, "geometric J", "position", "velocity", "acceleration")
    point = _origin(model, what, classic and placed)
    if point.body == 0 and kind not in ("v", "a", "position", "velocity"):
        raise UnknownQuantity(f"quantity is {text!r}, but body 0 is the fixed base. Choose 1 to {model.N_B}.")
    if kind == "geometric J":
        kind, frame, order = "J", frame or "hybrid", order or "linear"
    if kind in _SPATIAL:
        return _spatial(model, text, kind, point, frame, order)
    if kind == "Lambda":
        where = frame or ("hybrid" if point.name else "body")
        title = f"the task-space inertia (J H^-1 J^T)^-1 of {point.name or f'body {point.body}'}, {_FRAMES[where]}"
        return Quantity(text, title, kind, lambda state: _task_inertia(state, point, where))
    if kind in _OF_INERTIA:
        title, value, *more = _OF_INERTIA[kind]
        return Quantity(text, title.format(point.body), kind, lambda state: value(state, point),
                        "constant" if kind == "V" else "exact",
                        others=tuple((lambda state, of=of: of(state, point), "exact", note) for of, note in more))
    if kind == "com":
        kind, point = "position", com_of(model, point.body)
    return _vector(text, kind, point, frame, is_planar(model))


#: Transforms between two bodies: what they are, what they do, and how they follow from X.
_TRANSFORMS = {
    "X": ("the transform", " X[{i},{j}] from the coordinates of body {j} to those of body {i}", lambda X: X),
    "R": ("the rotation matrix", " that takes vectors from the axes of body {j} to those of body {i}",
          lambda X: X[:3, :3]),
    "A": ("the homogeneous transform", " that takes points from the coordinates of body {j} to those of body {i}",
          homogeneous)}


def _of_two(model, text, kind, parts, classic):
    words, does, turn = _TRANSFORMS[kind]
    if len(parts) == 1 and kind != "X" and (i := body_number(model, parts[0])):
        parts = [str(model.parent[i]), str(i)]
    if len(parts) != 2:
        raise UnknownQuantity(f"quantity is {text!r}; write {text[:1]}[i,j] for {words} from body j to body i.")
    if kind == "A" and re.fullmatch(TIP, parts[1], re.I):      # from a frame at the tip, with the axes of its body
        i, tip = body_number(model, parts[0]), tip_of(model, model.N_B)
        return Quantity(text, f"the homogeneous transform to body {i} from a frame at {tip.name}", "A",
                        lambda state: homogeneous(between(state, i, tip.body) @ xlt(-tip.at(state))))
    i, j = (body_number(model, part) for part in parts)
    if classic:
        (at_i, _), (at_j, _) = (far_frame(model, k) for k in (i, j))
        return Quantity(text, f"{words}{does.format(i=i, j=j)}".replace("body", "frame"), kind, lambda state: turn(
            at_i(state) @ between(state, i, j) @ inverse_transform(at_j(state))))
    return Quantity(text, words + does.format(i=i, j=j), kind, lambda state: turn(between(state, i, j)))


def between(state, i, j):
    """The transform from body j to body i."""
    X = transforms(state)
    return X[i] @ inverse_transform(X[j])


_ADDED = {"body": "", "hybrid": " hybrid", "base": " in base coordinates"}
#: Ways of writing six rows of which the angular ones come first: (rows, words, only for planar models).
FORMS = (((0, 1, 2, 3, 4, 5), "the angular part first", False), ((3, 4, 5, 0, 1, 2), "the linear part first", False),
         ((2, 3, 4), "as planar vectors [omega, vx, vy]", True), ((3, 4, 2), "as planar vectors [vx, vy, omega]", True),
         ((3, 4), "as planar vectors [vx, vy]", True), ((3, 4, 5), "the linear part alone", False),
         ((0, 1, 2), "the angular part alone", False), ((2,), "omega alone", True))


def _forms(model):
    """The `FORMS` in which vectors of a model may be written."""
    return [form for form in FORMS if is_planar(model) or not form[2]]


def _form(letter, point, frame, rows):
    return lambda state: framed(state, letter, point, frame)[list(rows)]


def _called(letter, point, frame):
    """The words for J, Jdot, v, a: "the Jacobian of body 2, in base axes"."""
    gravity = ", without gravity" if letter == "a" else ""
    return f"{_SPATIAL[letter]} of {point.name or f'body {point.body}'}, {_FRAMES[frame]}{gravity}"


def _spatial(model, text, letter, point, frame, order):
    """J, Jdot, v or a, in whatever frame, of whatever point."""
    if point.name and frame != "body":
        frame = "hybrid"                                # base axes, where a point is named
    frame = frame or "body"
    own, forms = frame == "body" and not point.name, _forms(model)
    main = FORMS[5 if point.name else 1 if order == "linear" else 0]
    others = [(_form(letter, point, frame, form[0]), "exact", form[1][0].upper() + form[1][1:] + ".")
              for form in forms if form != main and (not own or form == FORMS[2])]
    if frame == "base":
        others += [(_form(letter, point, "hybrid", rows), "exact", f"In base axes, for the body's origin, {words}.")
                   for rows, words, _ in forms]
    if letter == "Jdot" and frame == "body":
        others.append((lambda state: motion(state, "Jdot", point.body)
                       - crm(motion(state, "v", point.body)) @ motion(state, "J", point.body), "exact",
                       "These are the derivatives of the entries, in the turning coordinates of the body."))
    words = f", {main[1]}" if len(main[0]) == 6 and (frame != "body" or order == "linear") else ""
    return Quantity(text, _called(letter, point, frame) + words, letter if own and order != "linear" else "",
                    _form(letter, point, frame, main[0]), rule="columns" if letter == "J" else "", others=tuple(others))


def _determinant(model, text, point):
    """det J, of the rows with which J is square: the velocity of a point, in the plane also with omega, or all six."""
    planar = is_planar(model)
    rows = next((rows for rows, _, flat in [FORMS[k] for k in (4, 2, 5, 0)]
                 if len(rows) == model.nv and (planar or not flat)), None)
    if rows is None:
        raise UnknownQuantity(f"quantity is {text!r}, but with {model.nv} coordinates this Jacobian is not square.")
    frame = "hybrid" if point.name else "body"

    def value(state):
        J = framed(state, "J", point, frame)[list(rows)]
        return np.array(mpmath.det(mpmath.matrix(J.tolist())), dtype=object)

    return Quantity(text, f"the determinant of {_called('J', point, frame)}", "det J", value)


def alternatives(model, text):
    """Quantities that a learner may hand in in place of a body's Jacobian or motion: triples (value, words, remedy).

    value: function of a state. words: a phrase, such as "the Jacobian of the tip of body 2, in base axes, the linear
    part alone". remedy: the name under which it is right. text: the name of what is asked. Empty for other names.
    """
    letter, what, _ = parse(text) or ("", "", "")
    if letter not in (*_SPATIAL, *_VECTORS):
        return []
    point = find_point(model, what)
    points, found = [point], []
    if letter in _VECTORS:
        ways = {frame: _vector(text, letter, point, frame, is_planar(model)) for frame in ("base", "body")}
        return [(value, way.title, f"{letter}[{what}] in {frame} axes") for frame, way in ways.items()
                for value in (way.value, *(other for other, *_ in way.others))]
    if not point.name:
        points.append(com_of(model, point.body))
        with contextlib.suppress(UnknownQuantity):
            points.append(tip_of(model, point.body))
    for p, frame in [*((p, frame) for p in points for frame in ("body", "hybrid")), (point, "base")]:
        name = p.name.partition(",")[0].replace("the ", "").replace("centre of mass", "com")
        added = " in body coordinates" if p.name and frame == "body" else "" if p.name else _ADDED[frame]
        for rows, words, _ in _forms(model):
            order = ", linear part first" if words == FORMS[1][1] else ""
            found.append((_form(letter, p, frame, rows), f"{_called(letter, p, frame)}, {words}",
                          f"{letter}[{name or p.body}]{added}{order}"))
    return found


#: Vectors of three entries: names, the spatial vectors of which they are rows, these rows, and what is left in the
#: plane.
_VECTORS = {"position": ("position", "", slice(3, 6), slice(2)), "velocity": ("velocity", "v", slice(3, 6), slice(2)),
            "acceleration": ("acceleration", "a", slice(3, 6), slice(2)),
            "omega": ("angular velocity", "v", slice(3), 2), "alpha": ("angular acceleration", "a", slice(3), 2)}


def _vector(text, kind, point, frame, planar):
    """The place or motion of a point, or the turning of its body."""
    words, letter, rows, flat = _VECTORS[kind]
    angular, place = flat == 2, kind == "position"
    own = not place and (frame == "body" or angular and not frame)
    name = f"body {point.body}" if angular else point.name or f"the origin of body {point.body}"
    axes = "in base coordinates" if place else "in the axes of the body" if own else "in base axes"

    def value(state):
        vector = _position(state, point) if place else framed(state, letter, point, "hybrid")[rows]
        return X_to_Er(transforms(state)[point.body])[0] @ vector if own else vector

    others = [(lambda state: value(state)[flat], "exact",
               "About the z axis." if angular else "The z coordinate is zero.")] * planar
    if not angular and not place:
        others.append((lambda state: np.array(value(state) @ value(state), dtype=object), "exact",
                       "Your one formula was taken for the square of its size."))
    return Quantity(text, f"the {words} of {name}, {axes}", kind, value, others=tuple(others))


def _position(state, point):
    E, r = X_to_Er(transforms(state)[point.body])
    return r + E.T @ point.at(state)


def _inertia(state, point):
    return state.model.inertia[point.body]


def _potential(state, point):
    weight = I_to_mcI(_inertia(state, point))[0] * state.model.gravity
    return np.array(-weight @ _position(state, com_of(state.model, point.body)), dtype=object)


def _subspace(state, point):
    model, i = state.model, point.body
    return jcalc(model.joints[i], state.q[model.q_slice(i)], state.qd[model.v_slice(i)])[1]


def _task_inertia(state, point, frame):
    J = framed(state, "J", point, frame)[3 if point.name else 0 :]
    J = J[(abs(J) > LITTLE).any(axis=1)]
    return inverse(J @ solve_linear(inertia(state), J.T))


#: Quantities of a body and its joint, by kind: (title, value), and further pairs (value, note) that an answer may be
#: compared with.
_OF_INERTIA: dict[str, tuple[Any, ...]] = {
    "I": ("the spatial inertia of body {}, in its own coordinates", _inertia,
          (lambda state, point: I_to_mcI(_inertia(state, point))[2],
           "The rotational inertia about the centre of mass."),
          (lambda state, point: _inertia(state, point)[:3, :3], "The rotational inertia about the body's origin.")),
    "Ic": ("the composite inertia of the subtree of body {}, in the coordinates of that body",
           lambda state, point: composite_inertias(state.model, state.q)[point.body]),
    "IA": ("the articulated-body inertia of body {}, in its own coordinates", lambda state, point: articulated_bodies(
        state.model, state.q, state.qd, state.tau).I_A[point.body]),
    "h": ("the spatial momentum of body {}, in its own coordinates",
          lambda state, point: spatial.momentum(_inertia(state, point), motion(state, "v", point.body))),
    "T": ("the kinetic energy of body {}", lambda state, point: np.array(
        spatial.kinetic_energy(_inertia(state, point), motion(state, "v", point.body)), dtype=object)),
    "V": ("the potential energy of body {}", _potential),
    "S": ("the motion subspace of joint {}", _subspace, (lambda state, point: _subspace(state, point)[:, 0], ""))}


@kept_for_model
def is_planar(model):
    """True if all bodies move in the x-y plane of their own coordinates."""
    with mpmath.workdps(DIGITS):
        state = draw(system_of(model), 0, 1)[0]
        velocities = kinematics.body_velocities(state.model, state.q, state.qd)
    return all(abs(x) < 1e-9 for v in velocities for x in (v[0], v[1], v[5]))


# Frames of Denavit and Hartenberg in their first form: frame i lies on the axis of joint i + 1


def far_frame(model, i):
    """(function of a state, name): the transform from body i to its classic frame of Denavit and Hartenberg.

    It lies on the axis of the next joint, where that comes nearest to the axis of joint i (at the height of body i's
    origin, if the two are parallel), with the axes of that joint at zero; that of a last body lies at its tip, if that
    is known, else at its origin. Body 0's is the base's own. Raises `UnknownQuantity` where there is no chain of
    joints that turn about z or slide along it.
    """
    if i == 0:
        return (lambda state: xlt(0 * state.model.inertia[1][0, :3])), "the base"
    after = model.mu(i)
    if len(after) > 1 or any(type(model.joints[j]) not in (Revolute, Prismatic)
                             or tuple(model.joints[j].direction) != (0, 0, 1) for j in (i, *after)):
        raise UnknownQuantity("Frames of Denavit and Hartenberg are known for chains of joints that turn about z or "
                              f"slide along z, and joint {i} or what follows it is none. Leave the statement about "
                              "frames out.")
    if not after:
        end = find_point(model, str(i))
        with contextlib.suppress(UnknownQuantity):
            end = tip_of(model, i)
        return (lambda state: xlt(end.at(state))), f"frame {i}"

    def place(state):
        E, r = X_to_Er(state.model.X_tree[after[0]])
        z, crossed = E[2], E[2][0] ** 2 + E[2][1] ** 2                  # how far it is from parallel to joint i's axis
        beyond = (r[0] * z[0] + r[1] * z[1]) / crossed if crossed > LITTLE else r[2] * z[2]
        return spatial.rot(E) @ xlt(r - beyond * z)

    return place, f"frame {i}"


def _origin(model, what, classic):
    """The `Point` that a text names; of a body alone, if frames are classic, the origin of the frame of its number."""
    point = find_point(model, what)
    if not classic or point.name:
        return point
    place, name = far_frame(model, point.body)
    return Point(point.body, f"the origin of {name}", lambda state: X_to_Er(place(state))[1])
