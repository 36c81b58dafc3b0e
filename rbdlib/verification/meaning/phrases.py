"""Formulas of a model from statements in words, "theta1 from the vertical", "J about the pivot", and from usual names.

Angles are positive in the sense of the joint. A link's direction is that from its joint to its centre of mass, or else
to the next joint, or that of a slide: "theta2 from the downward vertical" is q1 + q2 for a double pendulum.
"""

import re
import zlib
from fractions import Fraction
from functools import partial

import mpmath
import numpy as np

from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.numbers.scalars import as_floats
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.mechanics.states import DIGITS, draw
from rbdlib.verification.notation.reading import read
from rbdlib.verification.notation.sympy_reading import from_sympy
from rbdlib.verification.trees.dimensions_of_model import dimensions_of
from rbdlib.verification.trees.expression import Number, Symbol, to_text

_NEAR = 1e-9
#: What a constant of the motion is set equal to.
CONSTANT = "const", "constant"
_NAME = r"[^\s,;=]+"
_ANGLES = r"(?:(?:all|both)\s+)?(?:the\s+)?(?:joint\s+|absolute\s+)?angles?"
_SEVERAL = rf"{_NAME}(?:(?:\s*,\s*|\s+and\s+){_NAME})*"
_NAMES = rf"(?P<names>{_ANGLES}|{_SEVERAL})"
_IS = r"(?:\s+(?:is|are|be|=|:))?"
_HOW = r"(?:\s+(?:positive|measured|taken|counted|reckoned|given|defined))*"
_SENSE = r"(?:\s+(?P<sense>(?:anti-?|counter-?)?clockwise))?"
_CENTRE = r"cent(?:re|er)[\s-]of[\s-](?:mass|gravity)|centroid|mass cent(?:re|er)|com|cog|cm|cg|c|g|s"
_BODY = r"(?:\s+of\s+(?:the\s+|link\s+|body\s+)*(?P<body>[\w-]+))?"


def in_words(part, names):
    """The equations [(name, formula), ...], as text, that a phrase states; None if it is no phrase known here.

    part: the phrase; names: the `Names` of the model. Raises ValueError.
    """
    text = " ".join(part.split()).strip(" .")
    found = ((meaning, re.fullmatch(pattern, text, re.I)) for meaning, pattern in _PHRASES)
    return next((meaning(match, names) for meaning, match in found if match), None)


# Angles


def _angles(match, names):
    """The coordinates that a phrase is about: pairs (name as written, place)."""
    written = match["names"] or "angles"
    if re.fullmatch(_ANGLES, written, re.I):
        angles = [(own, k) for k, own in enumerate(names.q) if names.coordinates[k].kind == "angle"]
        return [(names.called.get(own, own), k) for own, k in angles]
    found = [(name, _own(name, names)) for name in re.split(r"\s*,\s*|\s+and\s+", written)]
    for name, own in found:
        if own not in names.q:
            raise ValueError(f"{name} is no coordinate of this model: name one of {', '.join(names.q)} or an alias of "
                             "it, such as theta1.")
    return [(name, names.q.index(own)) for name, own in found]


def _own(name, names):
    """The own name that a name in a phrase stands for, or ""."""
    return names.find(getattr(read(name, names.own).trees[0], "name", ""))[0]


def _force(match, names):
    """The force of the joint that a phrase names by its coordinate, its body, or as that of the only cart."""
    place, moving = match["place"], [x for x in names.coordinates if x.rate]
    own = _own(place, names)
    slides = [x for x in moving if x.kind == "length" and place in ("cart", "block", "slider", "mass")]
    at = [x for x in moving if x.name == own or compact(names.model.names[x.body]) == compact(place)] or slides
    if len(at) != 1:
        raise ValueError(f"'{place}' names no joint. Write which force of the model's is meant: 'F = tau1'.")
    return [(match["name"], f"tau{at[0].rate[2:]}")]


def _direction(match, names):
    line, way, sense = (match.groupdict().get(part) for part in ("line", "way", "sense"))
    if not line.lower().startswith(("vertical", "horizontal", "x")):
        line, way = "vertical", "up" if line.lower().startswith("up") else "down"
    way = {"lower": "down", "upper": "up", "positive": None}.get(str(way).lower(), way)
    formulas = [(name, k, _from_line(names, k, way, line)) for name, k in _angles(match, names)]
    return [(name, f"-({formula})" if sense and _turns_back(sense, names, k) else formula)
            for name, k, formula in formulas]


def _from_line(names, place, way, line):
    """The formula of the angle of a link from a line, as text.

    place: of the coordinate of the link's joint, from 0; way: "down", "up" or None; line: "vertical" or "horizontal".
    """
    down, (at, X, axes, axis), i = _downwards(names), _posture(names, place), names.coordinates[place].body
    along = next((along for along in _directions(at, i) if np.linalg.norm(along) > 1e-6), None)
    if along is None:
        raise ValueError(f"{names.model.names[i]} has no direction: neither its centre of mass nor the next joint lies "
                         "away from its joint. Write a formula, such as 'theta2 = q1 + q2'.")
    link = X[i][:3, :3].T @ along / np.linalg.norm(along)
    if abs(axis @ down) > _NEAR or abs(axis @ link) > _NEAR:
        raise ValueError("the joint does not turn in a vertical plane. Write a formula, such as 'theta2 = q1 + q2'.")
    total = _sum({name: other for name, other in axes.items() if not _parallel(other, down)}, axis)
    if line.lower().startswith("vertical"):             # upwards if the link stands upright, unless it is said
        start = -down if (way.lower().startswith("up") if way else link @ down < -0.5) else down
    else:
        start = np.cross(axis, down)
    quarters = 4 * np.arctan2(axis @ np.cross(start, link), start @ link) / np.pi
    whole = round(quarters)
    if abs(quarters - whole) > _NEAR:
        raise ValueError("the link has no plain direction where the joints are at 0. Write a formula.")
    return total + (f" {'-' if whole < 0 else '+'} {abs(whole)}*pi/4" if whole else "")


def _directions(at, i):
    """Directions of body i, in its coordinates: to its centre of mass, to the next joints, along which these slide."""
    if mass(at, i) != 0:
        yield I_to_mcI(as_floats(at.inertia[i]))[1]
    placed = [(at.joints[j], *X_to_Er(as_floats(at.X_tree[j]))) for j in at.mu(i)]
    yield from (r for _, _, r in placed)
    for joint, E, _ in placed:
        if joint.nv == 1:
            yield E.T @ as_floats(joint.motion_subspace(joint.neutral())[3:, 0])


def _turns_back(sense, names, place):
    """True if an angle that is counted clockwise, or counterclockwise, decreases as the joint's increases.

    The joint is seen as one draws it: x to the right, y or z up, or from above.
    """
    *_, axis = _posture(names, place)
    largest = int(np.argmax(abs(axis)))
    if abs(abs(axis[largest]) - 1) > _NEAR or largest == 0:
        raise ValueError("clockwise has no meaning about its axis. Write a formula, such as 'theta = -q1'.")
    return ((axis[largest] > 0) == (largest == 2)) == sense.lower().startswith("clock")


def _in_numbers(names):
    """The model with some numbers for its parameters."""
    with mpmath.workdps(DIGITS):
        return draw(names.system, 0, 1)[0].model


def _downwards(names):
    """The direction of gravity, a unit vector."""
    gravity = as_floats(_in_numbers(names).gravity)
    if not np.any(gravity):
        raise ValueError("the model has no gravity, and so no up and down.")
    return gravity / np.linalg.norm(gravity)


def _posture(names, place):
    """The model in numbers; its body transforms in the neutral position; {name: axis}, in base coordinates, of the
    joints that turn, from the base to the one of a coordinate; and the axis of that one."""
    coordinate, at = names.coordinates[place], _in_numbers(names)
    if coordinate.kind != "angle":
        raise ValueError(f"{coordinate.name} is no angle.")
    X, axes = [as_floats(X_i) for X_i in body_transforms(at, at.neutral())], {}
    for c in names.coordinates:
        if c.kind == "angle" and c.body in at.kappa(coordinate.body):
            turn = at.joints[c.body].motion_subspace(at.joints[c.body].neutral())[:3, 0]
            axes[c.name] = X[c.body][:3, :3].T @ as_floats(turn)
    return at, X, axes, axes[coordinate.name]


def _sum(axes, axis):
    """The angles of joints that turn about one direction, with signs, as text."""
    if not all(_parallel(other, axis) for other in axes.values()):
        raise ValueError("the joints before it have other axes. Write a formula, such as 'theta2 = q1 + q2'.")
    return " ".join(("+ " if other @ axis > 0 else "- ") + name for name, other in axes.items()).removeprefix("+ ")


def _parallel(first, second):
    return abs(abs(first @ second) - 1) < _NEAR


# Bodies: masses, inertias, centres of mass


def _of_body(find, match, names):
    """Names stand for what a function finds for the body that words say, or their number, or the only one there is.

    Where no name is said, these are the moments of inertia among the model's parameters.
    """
    model, words, found = names.system.model, match.groupdict().get("body"), []
    inertias = [own for own, dimension in dimensions_of(names).items() if dimension == (1, 2, 0)]
    for name in re.split(r"\s*,\s*|\s+and\s+", match["name"]) if match["name"] else inertias:
        bodies = _numbered(model, "".join(re.findall(r"(\d+)\D*$", name)))
        if words:
            bodies = _numbered(model, words) if words.isdigit() else [
                i for i in model.bodies if words.casefold() in model.names[i].casefold()]
        if len(bodies) != 1:
            raise ValueError(f"it does not say to which body {name} belongs. Write a formula: '{name} = m1*l1^2/12'.")
        found.append((name, find(model, bodies[0])))
    return found


def _numbered(model, number):
    """The bodies that a name with a number in it, or with none (""), may be about, a list."""
    return [i for i in model.bodies if number == str(i) or (not number and mass(model, i) != 0)]


def mass(model, i):
    """The mass of body i."""
    return model.inertia[i][5, 5]


def inertia_about_axis(model, i, at_joint):
    """The moment of inertia of body i about the axis of its joint, through the joint or through the centre of mass."""
    if mass(model, i) == 0:
        raise ValueError(f"body {i} has no mass.")
    m, c, I_C = I_to_mcI(model.inertia[i])
    S = model.joints[i].motion_subspace(model.joints[i].neutral())
    turns = [axis for axis in np.asarray(S)[:3].T if np.any(as_floats(axis))]
    if len(turns) != 1:
        raise ValueError(f"joint {i} has no axis about which body {i} turns. Write a formula.")
    axis = np.array([int(x) if x == int(x) else x for x in map(float, turns[0])], dtype=object)      # exact if possible
    r = np.cross(axis, c)
    return axis @ I_C @ axis + (m * (r @ r) if at_joint else 0)


_about_centre, _about_joint = (partial(inertia_about_axis, at_joint=at_joint) for at_joint in (False, True))


def _half(match, names):
    if match["all"]:
        return [(own, f"{own}/2") for own in names.parameters if own[:1] in "lLabcr"]
    own = _own(match["name"], names)
    lengths = [own] if own in names.parameters else [name for name in names.parameters if name[:1] in "lL"]
    if len(lengths) != 1:
        raise ValueError(f"it does not say of which length. Write a formula, such as '{match['name']} = l1/2'.")
    return [(match["name"], f"{lengths[0]}/2")]


def centre_distance(model, i):
    """The distance of the centre of mass of body i from its joint. Raises ValueError unless it lies on one axis."""
    there = [x for x in I_to_mcI(model.inertia[i])[1] if x != 0] if mass(model, i) != 0 else []
    if len(there) != 1:
        raise ValueError("the centre of mass does not lie on an axis of the body. Write a formula.")
    return -there[0] if getattr(there[0], "could_extract_minus_sign", bool)() else there[0]


def _constant(match, names):
    found = names.find(match["name"])[0]
    known = found in names.parameters and not names.in_capitals(match["name"], found)
    return [] if known else [(match["name"], CONSTANT[0])]


def some_value(name):
    """Some value, a `Number`, for a constant that the model does not have, such as that of a spring.

    It is no simple fraction, so that a name which is missing does not look like a factor such as 33/20.
    """
    tens, last = divmod(zlib.crc32(compact(name).encode()) % 6000, 4)
    return Number(Fraction(5000 + 10 * tens + (1, 3, 7, 9)[last], 10000))


def _axis(match, names):
    """"y up" says nothing new where it is so; a coordinate along that axis may be counted the other way."""
    down, letter = _downwards(names), match["letter"].lower()
    k = int(np.argmax(abs(down)))
    if letter != "xyz"[k]:
        raise ValueError(f"in this model {'xyz'[k]} is vertical. Write your formulas in its axes, or state what your "
                         "coordinates are: 'z = q2'.")
    if (down[k] < 0) == match["way"].lower().startswith("up"):
        return []
    if (own := _own(letter, names)) in names.q:
        return [(letter, f"-{own}")]
    raise ValueError(f"in this model {letter} points {'up' if down[k] < 0 else 'down'}. Write your formulas in its "
                     f"axes, or state what your {letter} is: '{letter} = -...'.")


#: Each phrase: the rule that makes its equations of the match and the names, and its pattern.
_PHRASES = (
    (_direction, rf"{_NAMES}{_IS}{_HOW}{_SENSE}\s+(?:from|to|with|against|off|relative\s+to)\s+(?:the\s+)?"
     r"(?:(?P<way>downwards?|down|hanging|upwards?|up|positive|lower|upper)\s+)?"
     r"(?P<line>vertical|horizontal|x[ -]axis|upright|hanging|downwards?|upwards?)"
     r"(?:\s+(?:axis|line|direction|position|equilibrium))?"),
    (_direction, rf"{_NAMES}\s*(?:=|is|are)\s*(?:0|zero)\s+(?:when\s+|if\s+|in\s+|at\s+|is\s+|for\s+)*(?:the\s+)?"
     r"(?P<line>upright|upwards?|hanging|downwards?|down|horizontal|vertical)(?:ly)?(?:\s+(?:down|up|position))?"),
    (lambda match, names: [(name, total) for name, k in _angles(match, names)  # in a plane, the sum
                           if (total := _sum(*_posture(names, k)[2:])) != names.q[k]],
     rf"(?:{_NAMES}{_IS}{_HOW}\s+absolute(?:\s+angles?)?|absolute\s+angles?)"),
    (lambda match, names: [],
     rf"(?:(?:{_NAMES}{_IS}{_HOW}\s+)?(?:relative|in\s+radians)(?:\s+angles?)?|relative\s+angles?)"),
    (lambda match, names: [(name, f"180/pi*{names.q[k]}") for name, k in _angles(match, names)],
     rf"{_NAMES}{_IS}{_HOW}\s+in\s+degrees"),
    (lambda match, names: [(name, f"-{names.q[k]}") for name, k in _angles(match, names)
                           if _turns_back(match["sense"], names, k)],
     rf"{_NAMES}{_IS}{_HOW}\s+(?P<sense>(?:anti-?|counter-?)?clockwise)"),
    (lambda match, names: _of_body(_about_joint if match["centre"] is None else _about_centre, match, names),
     rf"(?:(?:all\s+)?(?:the\s+)?(?:moments\s+of\s+inertia|inertias)|(?P<name>{_SEVERAL}){_IS}(?:\s*(?:=|is|are)?\s*"
     rf"(?:the\s+)?(?:mass\s+)?(?:moments?\s+of\s+)?inertias?{_BODY})?)\s+"
     r"(?:about|around|at|w\.?r\.?t\.?|with\s+respect\s+to)\s+(?:the\s+|its\s+|their\s+)?(?:"
     rf"(?P<centre>{_CENTRE})|(?P<pivot>(?:pivot|joint|hinge|pin|origin|end)s?|ax[ie]s|o|a|p))\b.*"),
    (lambda match, names: [(f"{x}'", "0") for x in names.q],                   # nothing moves
     r"(?:the\s+\w+\s+is\s+|all\s+is\s+)?(?:static|statics|at\s+rest|in\s+(?:static\s+)?equilibrium)"),
    (_half, rf"(?P<name>{_NAME})\s*(?:=|is|:)\s*(?:the\s+|a\s+)?half(?:[\s-]+(?:of\s+)?(?:the\s+)?(?:\w+\s+)?length)?"
     r"(?:\s+of\s+.*)?|(?P<all>half[\s-]+lengths?)"),
    (partial(_of_body, mass),
     rf"(?P<name>{_NAME})\s*(?:=|is|:)\s*(?:the\s+)?mass\s+of\s+(?:the\s+|link\s+|body\s+)*(?P<body>[\w-]+)"),
    (_constant, rf"(?P<name>{_NAME})\s*(?:=|is|:)?\s*(?:a\s+)?const(?:ant)?\.?"),
    (partial(_of_body, centre_distance), rf"(?P<name>{_NAME})\s*(?:=|is|:)\s*(?:the\s+)?distance\s.*?(?:{_CENTRE}).*"),
    (_force, rf"(?P<name>{_NAME})\s*(?:(?:=|is|:)\s*)?(?:(?:the|an?|applied|external|horizontal|vertical|driving)\s+)*"
     r"(?:(?:force|torque)|acts)\s+(?:on|at|along|in)\s+(?:(?:the|joint|body|coordinate|axis)\s+)*(?P<place>\w+)"),
    (_axis, r"(?:the\s+)?(?P<letter>[xyz])(?:[\s-]+axis)?(?:\s+(?:is|points|pointing|positive))*\s+"
     r"(?:vertical(?:ly)?\s+)?(?P<way>up|upwards?|down|downwards?)"),
)


# Usual names that a model has not: M and m for two bodies, l_c1 for half a link, I_C1 for its inertia

_LENGTH, _INERTIA = r"[adr](?P<body>\d*)", r"[IJ](?:zz|z|[A-Z])?(?P<body>\d*)"
_READINGS = (
    (r"[lLrd](?:c|cm|com|g|C|G)(?P<body>\d*)", centre_distance,
     "the distance of the centre of mass of body {} from its joint"),
    (r"[IJ](?:zz)?(?:c|cm|com|C|CM|G|S|g)(?:zz|z)?(?P<body>\d*)", _about_centre,
     "the moment of inertia of body {} about its centre of mass"),
    (r"[IJ](?:zz)?(?:o|O|A|P|pivot)(?:zz|z)?(?P<body>\d*)", _about_joint,
     "the moment of inertia of body {} about its joint"))


def guess(names, name):
    """(tree, sentence) for a name that can mean one thing only; None if there is none, or a choice.

    names: the `Names` of the model. The sentence says how the name was taken.
    """
    for pattern, find, what in _READINGS:
        i, tree = _formula(names, name, pattern, find)
        if tree is not None:
            return tree, f"{name} was taken for {what.format(i)}, {to_text(tree)}."
    if name in CONSTANT:
        return some_value(name), f"{name} was taken for a constant."
    masses = [own for i in names.system.model.bodies
              for own in names.parameters if str(mass(names.system.model, i)) == own]
    if name not in ("M", "m") or len(masses) != 2 or any(not own.startswith("m_") for own in masses):
        return None
    own = masses[name == "m"]                           # M is the mass of the first of two bodies
    return Symbol(own), f"{name} was taken for {own}."


def suggestion(names, name):
    """A sentence on what the model has for a name that means nothing, or ""."""
    i, about_centre = _formula(names, name, _INERTIA, _about_centre)
    _, about_joint = _formula(names, name, _INERTIA, _about_joint)
    if about_centre is not None and about_joint is not None:
        centre = to_text(about_centre)
        return (f"The moment of inertia of body {i} is {centre} about its centre of mass and {to_text(about_joint)} "
                f"about its joint: say which, as in given=\"{name} = {centre}\". ")
    i, tree = _formula(names, name, _LENGTH, centre_distance)
    return f"The centre of mass of body {i} is {to_text(tree)} from its joint. " if tree is not None else ""


def _formula(names, name, pattern, find):
    """(i, tree) of what the model has for the body i that a name means; None where there is none made of symbols."""
    model, match = names.system.model, re.fullmatch(pattern, compact(name))
    bodies = _numbered(model, match["body"]) if match else []
    if len(bodies) != 1:
        return None, None
    try:
        value = find(model, bodies[0])
        symbolic = getattr(value, "free_symbols", None)
        return bodies[0], from_sympy(value, frozenset(names.own)) if symbolic else None
    except ValueError:
        return bodies[0], None
