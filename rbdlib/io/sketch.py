"""Models in a line: "cart x, m_c -> rod theta, l, m_p, up". For planar mechanisms of which a derivation is checked.

Parts are separated by -> or line ends; each hangs on the end of the part before, or "on" another, by its name.

    cart x, m                 slides along x; a point mass
    slider r, m               slides along the part before, from its beginning; a point mass
    rod theta, l, m           turns; uniform, of length l
    bob theta, l, m           turns; a point mass at distance l
    link theta, l, m, c, I    turns; its centre of mass at distance c, I about it
    wheel phi, r, m           turns about its centre; a uniform disc
    pivot theta               turns; without mass, for a slider to sit on

A bar or pole is a rod, a block a cart, a bead a slider, a disc a wheel, a hinge a pivot. 0 for a number leaves it out:
"cart x, 0" slides without mass, "link phi, l, m, 0, I" turns about its centre. Greek letters may be typed: θ is theta.

Further words: "up", "down" (where a part that turns points at 0, down unless given), "along x", "along -y"; "on x";
"spring k", "spring k at rest at l0", "damper c", "friction f"; gravity acts along -y, unless a line says "no gravity".
Each name is the coordinate of a joint, as which it may stand in answers, and that of its body.
"""

import re
import unicodedata

from rbdlib.book.ch04_model import ModelError
from rbdlib.io.model_file import _build
from rbdlib.methods.joint_character import WORDS

_PARTS = {"cart": "m", "slider": "m", "rod": "lm", "bob": "lm", "link": "lmcI", "wheel": "rm", "pivot": ""}
_ALSO = {"bar": "rod", "pole": "rod", "block": "cart", "bead": "slider", "disc": "wheel", "disk": "wheel",
         "hinge": "pivot"}
_MEANT = {"pendulum": "bob or rod", "mass": "cart, slider or bob", "arm": "rod or link", "beam": "link"}
_DIRECTIONS = {"up": "y", "down": "-y"}
_NAME = re.compile(r"[A-Za-z]\w*")
_ELSE = " (a model file has more: space, loops, other joints; see data/models/README.md)"
_EXAMPLE = 'Write for instance "cart x, m_c -> rod theta, l, m_p, up".'


def sketch(text, symbolic=True):
    """The `Model` of a planar mechanism described in a line (the module says how), with symbols for its parameters.

    symbolic: False gives each the value 1, for a picture, in which each body's name has those of its numbers with it,
    as in "theta (l, m)". Raises ModelError (a ValueError) naming the part that cannot be used, and what to write.

    >>> model = sketch("cart x, M -> bob theta, l, m, spring k")
    >>> model.names[1:], sorted(model.parameters)
    (('x', 'theta'), ['M', 'g', 'k', 'l', 'm'])
    """
    if not isinstance(text, str):
        raise TypeError(f"text is {text!r}; describe the mechanism in words. {_EXAMPLE}")
    parts = [part.strip() for part in re.split(r"->|→|\n|;", _spelled(text)) if part.strip()]
    weight = [part for part in parts if part.lower() != "no gravity"]
    if not weight:
        raise ModelError(f"There is no part in {text!r}. {_EXAMPLE}")
    drawn, parameters, bodies, shown = {}, {}, [], {"base": "base"}
    for words in weight:
        part = _Part(words, [body["name"] for body in bodies])
        bodies.append(part.body(drawn, parameters))
        numbers = ", ".join(name for name in part.numbers.values() if name != "0")
        shown[part.name] = f"{part.name} ({numbers})" if numbers else part.name
    if twice := [body["name"] for body in bodies if body["name"] in parameters]:
        raise ModelError(f"{twice[0]} is the name of a coordinate and of a length, a mass or the like. {_EXAMPLE}")
    if len(weight) == len(parts):
        parameters["g"] = None
    values = {name: {"value": 1.0, "positive": True} for name in parameters}
    if not symbolic:
        bodies = [body | {"name": shown[body["name"]], "parent": shown[body["parent"]]} for body in bodies]
    return _build({"gravity": [0, "-g" if "g" in parameters else 0, 0], "parameters": values, "body": bodies}, symbolic)


def _spelled(text):
    """The text in plain letters: without the marks of LaTeX, with names for Greek letters."""
    def name(letter):
        _, size, *_, word = unicodedata.name(letter[0]).replace("LAMDA", "LAMBDA").split()
        return word.lower() if size == "SMALL" else word.capitalize()

    return re.sub("[Α-Ωα-ω]", name, unicodedata.normalize("NFKC", re.sub(r"[\\{}$]", "", text)))


class _Part:
    """One part: its kind, name, numbers, and what is said about it."""

    def __init__(self, text, before):
        first, *words = map(str.strip, text.split(","))
        self.text, (self.kind, _, name) = text, first.partition(" ")
        self.name, self.kind = name.strip(), _ALSO.get(self.kind.lower(), self.kind.lower())
        needed = _PARTS.get(self.kind)
        if needed is None:
            raise self._wrong(f"begins with {self.kind!r}; begin with "
                              f"{_MEANT.get(self.kind, ', '.join(_PARTS) + _ELSE)}")
        if not _NAME.fullmatch(self.name) or self.name in (*before, "base", "g", "t"):
            raise self._wrong(f"needs a coordinate of its own after {self.kind}, then a comma, and not {self.name!r}")
        if (taken := re.fullmatch(r"(q|qd|qdd|tau|lam)_?(\d+)", self.name)) and taken.groups() != (
                "q", str(len(before) + 1)):
            raise self._wrong(f"has the coordinate {self.name}, which is another part's in answers: write "
                              f"q{len(before) + 1} or a letter of its own")
        self.numbers, words = dict(zip(needed, words, strict=False)), words[len(needed):]
        given = [*self.numbers.values()]
        if len(given) < len(needed) or not all(_NAME.fullmatch(x) or x == "0" for x in given):
            raise self._wrong(f"needs after its coordinate names for {', '.join(needed)}, and has "
                              f"{', '.join(given) or 'none'}")
        if re.match(r"[mM]\w* [lLrR]", " ".join(given)):
            raise self._wrong(f"gives {given[0]} as the length or radius and {given[1]} as the mass; write them the "
                              "other way round")
        self.parent, self.direction, self.character = before[-1] if before else "base", None, {}
        for word in words:
            self._read(word, before)

    def _wrong(self, why):
        return ModelError(f"The part {self.text!r} {why}. {_EXAMPLE}")

    def _read(self, word, before):
        along, on = re.fullmatch(r"along (-?[xy])", word), re.fullmatch(r"on (\w+)", word)
        force = re.fullmatch(r"(spring|damper|friction) ([A-Za-z]\w*)(?: at rest at ([A-Za-z]\w*))?", word)
        if word in _DIRECTIONS or along:
            self.direction = along[1] if along else _DIRECTIONS[word]
        elif on and on[1] in (*before, "base"):
            self.parent = on[1]
        elif force:
            self.character |= {WORDS[force[1]]: force[2], **({"rest": force[3]} if force[3] else {})}
        else:
            raise self._wrong(f"says {word!r}; write up, down, along x, on {before[-1] if before else 'base'}, "
                              f"spring k, damper c, friction f{_ELSE}")

    def body(self, drawn, parameters):
        """The body's table, as a model file has it. drawn: {name: (direction, length)} of the parts before."""
        l, (toward, length) = self.numbers.get("l"), drawn.get(self.parent, ("x", None))
        along = self.direction or (toward if self.kind == "slider" else "x" if self.kind == "cart" else "-y")
        parameters |= dict.fromkeys(x for x in [*self.numbers.values(), *self.character.values()] if x != "0")
        table = {"name": self.name, "parent": self.parent}
        if "m" in self.numbers:
            table["mass"] = self.numbers["m"]
        if self.kind in ("cart", "slider"):
            table["joint"] = {"type": "prismatic", "axis": _vector(along, 1)}
        else:
            table["joint"] = {"type": "revolute", "axis": "z"}
            centre = {"rod": f"{l}/2", "bob": l, "link": self.numbers.get("c")}.get(self.kind, 0)
            shape = {"rod": {"shape": "rod", "length": l, "axis": along[-1]}, "wheel": {
                "shape": "cylinder", "radius": self.numbers.get("r"), "length": 0, "axis": "z"},
                "link": [self.numbers.get("I")] * 3}
            table |= {"com": _vector(along, centre)} if self.kind != "pivot" else {}
            table |= {"inertia": shape[self.kind]} if self.kind in shape else {}
        if length is not None and self.kind != "slider":
            table["position"] = _vector(toward, length)
        drawn[self.name] = along, l
        return table | ({"character": self.character} if self.character else {})


def _vector(direction, size):
    """A vector of this size along x, -x, y or -y."""
    size = f"-({size})" if direction[0] == "-" else size
    return [size, 0, 0] if direction[-1] == "x" else [0, size, 0]
