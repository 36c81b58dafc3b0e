"""Quantities of one body, of a point of it, or of two bodies: J[2], velocity[com 2], position[tip], R[0,2], I[2].

Spatial vectors are in body coordinates, unless the name says "in base coordinates" (at the base's origin) or "hybrid"
(base axes, at the body's origin, as in most texts' geometric Jacobian). What belongs to a point has base axes.
"""

import contextlib
import re

import numpy as np

from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er, crm, homogeneous, inverse_transform
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch07_articulated_body import articulated_bodies
from rbdlib.loops.tolerances import kept_for_model
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.mechanics.basics import LITTLE, framed, inertia, inverse, motion
from rbdlib.verification.mechanics.points import NoPoint, body_number, com_of, find_point, tip_of
from rbdlib.verification.mechanics.states import DIGITS, draw, system_of

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
_BASE, _OWN = "world|base|inertial|global|space|ground", "body|own|local|link"
_HOW = re.compile(rf"\b(?:(?P<base>{_BASE})|(?P<hybrid>hybrid)|(?P<body>{_OWN})|(?P<order>linear|angular))\b", re.I)
#: What a name may add: "in world coordinates", "in base axes", "hybrid", "linear first", ...
HOW = re.compile(
    rf"(?:\s*,?\s*(?:and\s+)?(?:(?:in|with|at)\s+)?(?:the\s+|its\s+)?(?:(?:{_BASE}|{_OWN}|hybrid)"
    r"(?:[- ](?:fixed|frame))?(?:\s+(?:coordinates|axes|frame))?|(?:linear|angular)\s+(?:part\s+)?"
    r"(?:first|only|alone)))+", re.I)
_SPATIAL = {"J": "the Jacobian", "Jdot": "the rate of change of the Jacobian", "v": "the spatial velocity",
            "a": "the spatial acceleration, without gravity,"}
_FRAMES = {"body": "in its own coordinates", "base": "in base coordinates (Plücker coordinates at the base's origin)",
           "hybrid": "in base axes"}


def parse(text):
    """(kind, argument, how) of a name such as "J[2] in base coordinates"; None if it names nothing of a body."""
    words = sorted({(word, kind) for kind, ways in KINDS.items() for word in ways}, key=lambda pair: -len(pair[0]))
    for word, kind in words:
        head = re.escape(word)
        match = (re.fullmatch(rf"{head}\s*\[\s*(?P<what>[^\[\]]+?)\s*\](?P<how>.*)", text)
                 or re.fullmatch(rf"{head}\s*\(\s*(?P<what>(?:[^()]|\([^()]*\))+?)\s*\)(?P<how>.*)", text)
                 or re.fullmatch(rf"{head}\s+of\s+(?P<what>.+?)(?P<how>\s*,?\s+(?:in|with|hybrid)\b.*)?", text)
                 or re.fullmatch(rf"{head}_?(?P<what>[cCG]?_?\d\d?|\{{.+?\}})(?P<how>\s+.*)?", text))
        if match:
            how = (match["how"] or "").strip()
            if how and not HOW.fullmatch(" " + how):
                continue
            what = match["what"].strip("{}")
            two = len(_parts(what)) == 2
            if word == "T":
                kind = "A" if two else "T"
            return kind, what, how
    return None


def _parts(what):
    parts = [part for part in re.split(r"[,\s]+", what) if part]
    if len(parts) == 1 and re.fullmatch(r"\d\d", parts[0]):
        parts = list(parts[0])
    return parts


def frame_and_order(how):
    """(frame, order) of what is added to a name: "base", "hybrid", "body" or ""; "linear", "angular" or ""."""
    frame = order = ""
    for match in _HOW.finditer(how):
        frame = frame or next((key for key in ("base", "hybrid", "body") if match[key]), "")
        order = order or (match["order"] or "").lower()
    return frame, order


def of_bodies(model, text, how=""):
    """The fields of the `Quantity` of bodies that a text asks for, a dict; None if it is no such name.

    how: what is stated besides about frame and order. Raises `NoPoint`, a ValueError.
    """
    found = parse(text)
    if found is None:
        return None
    kind, what, added = found
    frame, order = frame_and_order(f"{added} {how}")
    if kind in _TRANSFORMS:
        return _of_two(model, text, kind, _parts(what))
    point = find_point(model, what)
    if point.body == 0 and kind not in ("v", "a", "position", "velocity"):
        raise NoPoint(f"quantity is {text!r}, but body 0 is the fixed base. Choose 1 to {model.N_B}.")
    if kind in _SPATIAL or kind == "geometric J":
        return _spatial(model, text, kind, point, frame, order)
    return _plain(model, text, kind, point, frame)


#: What the transforms between two bodies are called, what they do from body j to body i, and how they follow from X.
_TRANSFORMS = {
    "X": ("the transform", "the transform X[{i},{j}] from the coordinates of body {j} to those of body {i}",
          lambda X: X),
    "R": ("the rotation matrix", "the rotation matrix that takes vectors from the axes of body {j} to those of body "
                                 "{i}", lambda X: X[:3, :3]),
    "A": ("the homogeneous transform", "the homogeneous transform that takes points from the coordinates of body {j} "
                                       "to those of body {i}", homogeneous)}


def _of_two(model, text, kind, parts):
    words, title, turn = _TRANSFORMS[kind]
    if len(parts) == 1 and kind != "X" and (i := body_number(model, parts[0])):
        parts = [str(model.parent[i]), str(i)]
    if len(parts) != 2:
        raise NoPoint(f"quantity is {text!r}; write {text[:1]}[i,j] for {words} from body j to body i.")
    i, j = (body_number(model, part) for part in parts)
    return {"title": title.format(i=i, j=j), "symbol": kind, "value": lambda state: turn(between(state, i, j))}


def between(state, i, j):
    """The transform from body j to body i."""
    X = kinematics.body_transforms(state.model, state.q)
    return X[i] @ inverse_transform(X[j])


# Jacobians, velocities, accelerations


_ADDED = {"body": "", "hybrid": " hybrid", "base": " in base coordinates"}
#: Ways of writing six rows of which the angular ones come first: (rows, words, only for planar models).
FORMS = (((0, 1, 2, 3, 4, 5), "the angular part first", False), ((3, 4, 5, 0, 1, 2), "the linear part first", False),
         ((2, 3, 4), "as planar vectors [omega, vx, vy]", True), ((3, 4, 2), "as planar vectors [vx, vy, omega]", True),
         ((3, 4), "as planar vectors [vx, vy]", True), ((3, 4, 5), "the linear part alone", False),
         ((0, 1, 2), "the angular part alone", False), ((2,), "omega alone", True))


def _form(letter, point, frame, rows):
    return lambda state: framed(letter, state, point, frame)[list(rows)]


def _spatial(model, text, kind, point, frame, order):
    """Fields of J, Jdot, v, a, in whatever frame, of whatever point."""
    letter = "J" if kind == "geometric J" else kind
    at_point = bool(point.name)
    frame = frame or ("hybrid" if kind == "geometric J" or at_point else "body")
    order = order or ("linear" if kind == "geometric J" else "angular")
    if at_point and frame == "base":
        frame = "hybrid"                                # base axes, where a point is named
    planar = is_planar(model)
    kept = [form for form in FORMS if planar or not form[2]]
    where = f"of {point.name}" if at_point else f"of body {point.body}"
    first = 1 if order == "linear" else 0
    main = 5 if at_point else first
    forms = [FORMS[main], *(form for form in kept if form != FORMS[main])]
    if frame == "body" and not at_point:
        forms = [FORMS[first], *([FORMS[2]] if planar else [])]
    others = [(_form(letter, point, frame, rows), "exact", words[0].upper() + words[1:] + ".")
              for rows, words, _ in forms[1:]]
    if frame == "base":
        others += [(_form(letter, point, "hybrid", rows), "exact", f"In base axes, for the body's origin, {words}.")
                   for rows, words, _ in kept]
    if letter == "Jdot" and frame == "body":
        others.append((lambda state: motion("Jdot", state, point.body)
                       - crm(motion("v", state, point.body)) @ motion("J", state, point.body), "exact",
                       "These are the derivatives of the entries, in the turning coordinates of the body."))
    words = f", {FORMS[main][1]}" if frame != "body" or order == "linear" else ""
    title = f"{_SPATIAL[letter]} {where}, {_FRAMES[frame]}{words}"
    if frame == "body" and not at_point and letter == "J":
        title = f"the body Jacobian of body {point.body}, in its own coordinates{words}"
    elif frame == "body" and letter == "a":
        title = f"the spatial acceleration {where}, in its own coordinates, without gravity{words}"
    plain = frame == "body" and not at_point and order == "angular"
    return {"title": title.replace(",,", ","), "symbol": letter if plain else "",
            "value": _form(letter, point, frame, forms[0][0]), "rule": "columns" if letter == "J" else "",
            "others": tuple(others)}


def alternatives(model, text):
    """Quantities that a learner may hand in in place of J, Jdot, v or a of a body: triples (value, words, remedy).

    value: function of a state. words: a phrase, such as "the Jacobian of the tip of body 2, in base axes, the linear
    part alone". remedy: the name under which it is right. text: the name of what is asked. Empty for other names.
    """
    found = parse(text)
    if found is None or found[0] not in ("J", "Jdot", "v", "a"):
        return []
    letter, what, how = found
    point, planar = find_point(model, what), is_planar(model)
    points = [point]
    if not point.name:
        points.append(com_of(model, point.body))
        with contextlib.suppress(NoPoint):
            points.append(tip_of(model, point.body))
    frames = [(p, frame) for p in points for frame in ("body", "hybrid")] + [(point, "base")]
    found = []
    for p, frame in frames:
        where = p.name or f"body {p.body}"
        remedy = f"{letter}[{p.body}]" + _ADDED[frame]
        if p.name:
            name = p.name.partition(",")[0].replace("the ", "").replace("centre of mass", "com")
            remedy = f"{letter}[{name}]" + (" in body coordinates" if frame == "body" else "")
        for rows, words, flat in FORMS:
            if planar or not flat:
                phrase = f"{_SPATIAL[letter]} of {where}, {_FRAMES[frame]}, {words}"
                order = ", linear part first" if "linear part first" in words else ""
                found.append((_form(letter, p, frame, rows), phrase.replace(",,", ","), remedy + order))
    return found


# Other quantities of one body


def _plain(model, text, kind, point, frame):
    i, at = point.body, f" of {point.name}" if point.name else f" of the origin of body {point.body}"
    axes = "in the axes of the body" if frame == "body" else "in base axes"
    if kind in ("position", "com"):
        point = com_of(model, i) if kind == "com" else point
        return _vector("position", f"the position of {point.name or f'the origin of body {i}'}, in base coordinates",
                       lambda state: _position(state, point), is_planar(model))
    if kind in ("velocity", "acceleration"):
        def value(state):
            vector = framed(kind[0], state, point, "hybrid")[3:]
            E, _ = X_to_Er(kinematics.body_transforms(state.model, state.q)[i])
            return E @ vector if frame == "body" else vector

        square = ((lambda state: np.array(value(state) @ value(state), dtype=object), "exact",
                   "Your one formula was taken for the square of its size."),)
        return _vector(kind, f"the {kind}{at}, {axes}", value, is_planar(model), square)
    if kind in ("omega", "alpha"):
        return _angular(kind, point, frame, is_planar(model))
    return _of_inertia(kind, i, point)


def _vector(symbol, title, value, planar, others=()):
    if planar:
        others = ((lambda state: value(state)[:2], "exact", "The z coordinate is zero."), *others)
    return {"title": title, "symbol": symbol, "value": value, "others": tuple(others)}


def _position(state, point):
    E, r = X_to_Er(kinematics.body_transforms(state.model, state.q)[point.body])
    return r + E.T @ point.at(state)


def _angular(kind, point, frame, planar):
    letter = "v" if kind == "omega" else "a"
    words = "angular velocity" if kind == "omega" else "angular acceleration"
    frame = "hybrid" if frame in ("base", "hybrid") else "body"
    others = ((lambda state: motion(letter, state, point.body)[2], "exact", "About the z axis."),) if planar else ()
    return {"title": f"the {words} of body {point.body}, in {'base' if frame == 'hybrid' else 'its own'} axes",
            "symbol": kind, "value": lambda state: framed(letter, state, point, frame)[:3], "others": others}


def _of_inertia(kind, i, point):
    def own(state):
        return state.model.inertia[i]

    about = "The rotational inertia about the {}."
    rotational = ((lambda state: I_to_mcI(own(state))[2], "exact", about.format("centre of mass")),
                  (lambda state: own(state)[:3, :3], "exact", about.format("body's origin")))
    title, value, compare, others = {
        "I": ("the spatial inertia of body {}, in its own coordinates", own, "exact", rotational),
        "Ic": ("the composite inertia of the subtree of body {}, in the coordinates of that body",
               lambda state: _composite(state, i), "exact", ()),
        "IA": ("the articulated-body inertia of body {}, in its own coordinates",
               lambda state: articulated_bodies(state.model, state.q, state.qd, state.tau).I_A[i], "exact", ()),
        "h": ("the spatial momentum of body {}, in its own coordinates",
              lambda state: own(state) @ motion("v", state, i), "exact", ()),
        "T": ("the kinetic energy of body {}", lambda state: _kinetic(state, i), "exact", ()),
        "V": ("the potential energy of body {}", lambda state: _potential(state, i), "constant", ()),
        "S": ("the motion subspace of joint {}", lambda state: _subspace(state, i), "exact",
              ((lambda state: _subspace(state, i)[:, 0], "exact", ""),)),
        "Lambda": ("the task-space inertia (J H^-1 J^T)^-1 of body {}", lambda state: _task_inertia(state, point),
                   "exact", ()),
    }[kind]
    return {"title": title.format(i), "symbol": kind, "value": value, "compare": compare, "others": others}


def _composite(state, i):
    total = 0 * state.model.inertia[i]
    for j in state.model.nu(i):
        X = between(state, j, i)
        total = total + X.T @ state.model.inertia[j] @ X
    return total


def _kinetic(state, i):
    v = motion("v", state, i)
    return np.array(v @ state.model.inertia[i] @ v / 2, dtype=object)


def _potential(state, i):
    weight = I_to_mcI(state.model.inertia[i])[0] * state.model.gravity
    return np.array(-weight @ _position(state, com_of(state.model, i)), dtype=object)


def _subspace(state, i):
    return jcalc(state.model.joints[i], state.q[state.model.q_slice(i)], state.qd[state.model.v_slice(i)])[1]


def _task_inertia(state, point):
    J = framed("J", state, point, "hybrid" if point.name else "body")[3 if point.name else 0 :]
    J = J[(abs(J) > LITTLE).any(axis=1)]
    return inverse(J @ solve_linear(inertia(state), J.T))


@kept_for_model
def is_planar(model):
    """True if all bodies move in the x-y plane of their own coordinates."""
    import mpmath

    with mpmath.workdps(DIGITS):
        state = draw(system_of(model), 0, 1)[0]
        velocities = kinematics.body_velocities(state.model, state.q, state.qd)
    return all(abs(x) < 1e-9 for v in velocities for x in (v[0], v[1], v[5]))


# Frame and order as given states them


def stated_frame(given):
    """(how, rest): what ``given`` states about the frame and order of spatial vectors, and all else.

    given: text, in which "world coordinates", "hybrid", "linear first" may stand between separators; a list; or others.
    """
    if isinstance(given, (list, tuple)):
        parts = [stated_frame(part) for part in given]
        return " ".join(how for how, _ in parts if how), [rest for _, rest in parts if rest not in (None, "")]
    if not isinstance(given, str):
        return "", given
    parts = [part for part in re.split(r"[;\n,]", given) if 0 < len(part.strip()) < 60]
    found = [part for part in parts if HOW.fullmatch(" " + part.strip())]
    for part in found:
        given = given.replace(part, "", 1)
    given = re.sub(r"^[\s;,]+|[\s;,]+$", "", re.sub(r"([;,])\s*(?=[;,])", "", given)) if found else given
    return " ".join(found), given or None
