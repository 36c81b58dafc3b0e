"""Statements in words: "theta1 and theta2 from the vertical", "J about the pivot", "l is half the length".

Each phrase becomes an equation, as text: (name, formula in the model's own symbols).
"""

import re
import zlib
from fractions import Fraction

import numpy as np

from rbdlib.book.ch02_spatial import I_to_mcI
from rbdlib.numbers.scalars import as_floats
from rbdlib.verification.meaning.directions import Refused, absolute, as_formula, downwards, turns_left
from rbdlib.verification.notation.reading import read

_NAME = r"[^\s,;=]+"
_ANGLES = r"(?:(?:all|both)\s+)?(?:the\s+)?(?:joint\s+|absolute\s+)?angles?"
_NAMES = rf"(?P<names>{_ANGLES}|{_NAME}(?:(?:\s*,\s*|\s+and\s+){_NAME})*)"
_IS = r"(?:\s+(?:is|are|be|=|:))?"
_HOW = r"(?:\s+(?:positive|measured|taken|counted|reckoned|given|defined))*"
_SENSE = r"(?:\s+(?P<sense>(?:anti-?|counter-?)?clockwise))?"
_CENTRE = r"cent(?:re|er)[\s-]of[\s-](?:mass|gravity)|centroid|mass cent(?:re|er)|com|cog|cm|cg|c|g|s"
_BODY = r"(?:\s+of\s+(?:the\s+|link\s+|body\s+)*(?P<body>[\w-]+))?"


def in_words(part, names):
    """The equations [(name, formula), ...], as text, that a phrase states; None if it is no phrase known here.

    part: the phrase; names: the `Names` of the model. Raises `Refused`.
    """
    text = " ".join(part.split()).strip(" .")
    for meaning, pattern in _PHRASES:
        match = re.fullmatch(pattern, text, re.I)
        if match:
            return meaning(match, names)
    return None


def _angles(match, names):
    """The coordinates that a phrase is about: pairs (name as written, place)."""
    written = match["names"] or "angles"
    if re.fullmatch(_ANGLES, written, re.I):
        return [(own, k) for k, own in enumerate(names.q) if names.coordinates[k].kind == "angle"]
    return [(name, _place(name, names)) for name in re.split(r"\s*,\s*|\s+and\s+", written)]


def _place(name, names):
    own = _own(name, names)
    if own not in names.q:
        raise Refused(f"{name} is no coordinate of this model: name one of {', '.join(names.q)} or an alias of it, "
                      "such as theta1.")
    return names.q.index(own)


def _own(name, names):
    """The own name that a name in a phrase stands for, or ""."""
    return (names.find(getattr(read(name, names.own).trees[0], "name", "")) or ("",))[0]


def _direction(match, names):
    line, way, sense = (match.groupdict().get(part) for part in ("line", "way", "sense"))
    if not line.lower().startswith(("vertical", "horizontal", "x")):
        line, way = "vertical", "up" if line.lower().startswith("up") else "down"
    way = {"lower": "down", "upper": "up", "positive": None}.get(str(way).lower(), way)
    formulas = [(name, k, as_formula(names, k, way, line)) for name, k in _angles(match, names)]
    return [(name, f"-({formula})" if sense and _turns_back(sense, names, k) else formula)
            for name, k, formula in formulas]


def _turns_back(sense, names, place):
    """True if an angle that is counted clockwise, or counterclockwise, decreases as the joint's increases."""
    return turns_left(names, place) == sense.lower().startswith("clock")


def _absolute(match, names):
    found = [(name, k, absolute(names, k)) for name, k in _angles(match, names)]
    return [(name, formula) for name, k, formula in found if formula != names.q[k]]


def _degrees(match, names):
    return [(name, f"180/pi*{names.q[k]}") for name, k in _angles(match, names)]


def _sense(match, names):
    return [(name, f"-{names.q[k]}") for name, k in _angles(match, names) if _turns_back(match["sense"], names, k)]


def _body(match, names, name):
    """The number of the body that a phrase is about, from its words, the number in the name, or because it is alone."""
    model, words = names.system.model, match.groupdict().get("body")
    if words and words.isdigit():
        bodies = [int(words)]
    elif words:
        bodies = [i for i in model.bodies if words.casefold() in model.names[i].casefold()]
    else:
        number = re.search(r"(\d+)\D*$", name)
        bodies = [int(number[1])] if number else heavy_bodies(model)
    if len(bodies) != 1 or not 1 <= bodies[0] <= model.N_B:
        raise Refused(f"it does not say to which body {name} belongs. Write a formula, such as '{name} = m1*l1^2/12'.")
    return bodies[0]


def mass(model, i):
    """The mass of body i."""
    return model.inertia[i][5, 5]


def heavy_bodies(model):
    """The numbers of the bodies that have a mass."""
    return [i for i in model.bodies if mass(model, i) != 0]


def inertia_about_axis(model, i, at_joint):
    """The moment of inertia of body i about the axis of its joint, through the joint or through the centre of mass."""
    if mass(model, i) == 0:
        raise Refused(f"body {i} has no mass.")
    m, c, I_C = I_to_mcI(model.inertia[i])
    S = model.joints[i].motion_subspace(model.joints[i].neutral())
    turns = [axis for axis in np.asarray(S)[:3].T if np.any(as_floats(axis))]
    if len(turns) != 1:
        raise Refused(f"joint {i} has no axis about which body {i} turns. Write a formula.")
    axis = np.array([int(x) if x == int(x) else x for x in map(float, turns[0])], dtype=object)      # exact if possible
    I = axis @ I_C @ axis
    if at_joint:
        r = np.cross(axis, c)
        I = I + m * (r @ r)
    return I


def _inertia(match, names):
    i = _body(match, names, match["name"])
    return [(match["name"], inertia_about_axis(names.system.model, i, match["centre"] is None))]


def _half(match, names):
    if match["all"]:
        return [(own, f"{own}/2") for own in names.parameters if own[:1] in "lLabcr"]
    own = _own(match["name"], names)
    lengths = [own] if own in names.parameters else [name for name in names.parameters if name[:1] in "lL"]
    if len(lengths) != 1:
        raise Refused(f"it does not say of which length. Write a formula, such as '{match['name']} = l1/2'.")
    return [(match["name"], f"{lengths[0]}/2")]


def _mass(match, names):
    return [(match["name"], mass(names.system.model, _body(match, names, match["name"])))]


def centre_distance(model, i):
    """The distance of the centre of mass of body i from its joint, if it lies along one axis; else None."""
    there = [x for x in I_to_mcI(model.inertia[i])[1] if x != 0] if mass(model, i) != 0 else []
    if len(there) != 1:
        return None
    return -there[0] if getattr(there[0], "could_extract_minus_sign", bool)() else there[0]


def _centre(match, names):
    distance = centre_distance(names.system.model, _body(match, names, match["name"]))
    if distance is None:
        raise Refused("the centre of mass does not lie on an axis of the body. Write a formula.")
    return [(match["name"], distance)]


def _constant(match, names):
    if names.find(match["name"]):
        raise Refused(f"{match['name']} is a name of this model. Give your constant another one.")
    return [(match["name"], some_value(match["name"]))]


def some_value(name):
    """Some value, a Fraction, for a constant that the model does not have, such as that of a spring."""
    return Fraction(500 + zlib.crc32(name.encode()) % 1500, 1000)


def _axis(match, names):
    """"y up" says nothing new where it is so; a coordinate along that axis may be counted the other way."""
    down, letter = downwards(names), match["letter"].lower()
    k = int(np.argmax(abs(down)))
    if letter != "xyz"[k]:
        raise Refused(f"in this model {'xyz'[k]} is vertical. Write your formulas in its axes, or state what your "
                      "coordinates are: 'z = q2'.")
    if (down[k] < 0) == match["way"].lower().startswith("up"):
        return []
    if (own := _own(letter, names)) in names.q:
        return [(letter, f"-{own}")]
    raise Refused(f"in this model {letter} points {'up' if down[k] < 0 else 'down'}. Write your formulas in its axes, "
                  f"or state what your {letter} is: '{letter} = -...'.")


#: What is made of the match and the names, and the pattern, of each phrase.
_PHRASES = (
    (_direction, rf"{_NAMES}{_IS}{_HOW}{_SENSE}\s+(?:from|to|with|against|off|relative\s+to)\s+(?:the\s+)?"
     r"(?:(?P<way>downwards?|down|hanging|upwards?|up|positive|lower|upper)\s+)?"
     r"(?P<line>vertical|horizontal|x[ -]axis|upright|hanging|downwards?|upwards?)"
     r"(?:\s+(?:axis|line|direction|position|equilibrium))?"),
    (_direction, rf"{_NAMES}\s*(?:=|is|are)\s*(?:0|zero)\s+(?:when\s+|if\s+|in\s+|at\s+|is\s+|for\s+)*(?:the\s+)?"
     r"(?P<line>upright|upwards?|hanging|downwards?|down|horizontal|vertical)(?:ly)?(?:\s+(?:down|up|position))?"),
    (_absolute, rf"(?:{_NAMES}{_IS}{_HOW}\s+absolute(?:\s+angles?)?|absolute\s+angles?)"),
    (lambda match, names: [],
     rf"(?:(?:{_NAMES}{_IS}{_HOW}\s+)?(?:relative|in\s+radians)(?:\s+angles?)?|relative\s+angles?)"),
    (_degrees, rf"{_NAMES}{_IS}{_HOW}\s+in\s+degrees"),
    (_sense, rf"{_NAMES}{_IS}{_HOW}\s+(?P<sense>(?:anti-?|counter-?)?clockwise)"),
    (_inertia,
     rf"(?P<name>{_NAME}){_IS}(?:\s*(?:=|is)?\s*(?:the\s+)?(?:mass\s+)?(?:moment\s+of\s+)?inertia{_BODY})?\s+"
     r"(?:about|around|at|w\.?r\.?t\.?|with\s+respect\s+to)\s+(?:the\s+|its\s+)?(?:"
     rf"(?P<centre>{_CENTRE})|(?P<pivot>pivot|joint|hinge|pin|origin|end|axis|o|a|p))\b.*"),
    (_half, rf"(?P<name>{_NAME})\s*(?:=|is|:)\s*(?:the\s+|a\s+)?half(?:[\s-]+(?:of\s+)?(?:the\s+)?(?:\w+\s+)?length)?"
     r"(?:\s+of\s+.*)?|(?P<all>half[\s-]+lengths?)"),
    (_mass, rf"(?P<name>{_NAME})\s*(?:=|is|:)\s*(?:the\s+)?mass\s+of\s+(?:the\s+|link\s+|body\s+)*(?P<body>[\w-]+)"),
    (_constant, rf"(?P<name>{_NAME})\s*(?:=|is|:)?\s*(?:a\s+)?const(?:ant)?\.?"),
    (_centre, rf"(?P<name>{_NAME})\s*(?:=|is|:)\s*(?:the\s+)?distance\s.*?(?:{_CENTRE}).*"),
    (_axis, r"(?:the\s+)?(?P<letter>[xyz])(?:[\s-]+axis)?(?:\s+(?:is|points|pointing|positive))*\s+"
     r"(?:vertical(?:ly)?\s+)?(?P<way>up|upwards?|down|downwards?)"),
)
