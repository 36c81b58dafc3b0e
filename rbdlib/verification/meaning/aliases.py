"""The model's own symbols, and the ways in which texts write them: \theta_1, th1 or phi_pole for a joint's variable.

The model's own symbols are q1.., qd1.., qdd1.., tau1.., lam1.., t and the names of its parameters.
"""

import difflib
import functools
import re
from dataclasses import dataclass

from rbdlib.book.ch04_joints import Cylindrical, Euler, Helical, Planar, Prismatic, RackAndPinion, Reversed, Revolute
from rbdlib.verification.mechanics.states import system_of
from rbdlib.verification.trees.names import GREEK
from rbdlib.verification.trees.nodes import Symbol, substitute, symbols

#: Letters for an angle, and for a length, that stand for a joint's variable.
ANGLES = ("q", "theta", "th", "phi", "varphi", "vartheta", "alpha", "beta", "gamma", "psi", "eta", "varepsilon")
LENGTHS = ("q", "x", "y", "z", "s", "d", "r", "rho")
FORCES = ("tau", "u", "Q", "F", "f", "T", "Gamma", "torque", "force")
MULTIPLIERS = ("lam", "lambda", "lamda", "mu")
_SPELT_OUT = str.maketrans(GREEK)
#: An angle in an abbreviation: minus, letter, digit; or a digit alone.
_ANGLE = rf"(minus)?(?:({'|'.join(sorted(ANGLES, key=len, reverse=True))})(\d?)|(\d))"


def shorthand(name, names):
    """The long form of a compact name such as s12, c1minus2, stheta1theta2, cphi or theta12, else None.

    Returns ("sin", "cos" or None, angles), each angle a triple (letter or "", digit or "", whether it is subtracted).
    names: the `Names` of the model: digits must be those of joints that turn.
    """
    match = re.fullmatch(rf"(?P<function>sin|cos|[scSC])?(?P<angles>(?:{_ANGLE})+)", name) if len(name) <= 40 else None
    if match is None:
        return None
    angles = [(letter, digit or alone, bool(minus))
              for minus, letter, digit, alone in re.findall(_ANGLE, match["angles"])]
    first = angles[0][0]
    if not match["function"]:
        if len(angles) < 2 or not first or not all(digit for _, digit, _ in angles):
            return None
        angles = [(letter or first, digit, minus) for letter, digit, minus in angles]
    function = match["function"] and {"s": "sin", "c": "cos"}[match["function"][0].lower()]
    return (function, angles) if all(names.turns(letter, digit) for letter, digit, _ in angles) else None


class UnknownSymbol(ValueError):
    """A symbol of the answer means nothing for this model; ``symbol`` is its name, ``near`` what may be meant."""

    def __init__(self, message, symbol, near=()):
        super().__init__(message)
        self.symbol, self.near = symbol, tuple(near)


@dataclass(frozen=True)
class Coordinate:
    """One position variable: its name (q1), that of its rate ("" if no velocity variable is its rate), its kind.

    kind: "angle", "length" or "other" (Euler parameters).  body: number of the body that it moves.
    """

    name: str
    rate: str
    kind: str
    body: int


def coordinates_of(model):
    """The `Coordinate` of every position variable of a model, a list."""
    found = []
    for i in model.bodies:
        joint, q, v = model.joints[i], model.q_slice(i).start + 1, model.v_slice(i).start + 1
        rated = joint.nq if joint.nq == joint.nv else 0
        if isinstance(_forward(joint), Planar):
            rated = 1
        found += [Coordinate(f"q{q + k}", f"qd{v + k}" if k < rated else "", kind, i)
                  for k, kind in enumerate(_kinds(joint))]
    return found


def _forward(joint):
    return _forward(joint.joint) if isinstance(joint, Reversed) else joint


def _kinds(joint):
    joint = _forward(joint)
    if isinstance(joint, (Revolute, Helical, RackAndPinion, Euler)):
        return ["angle"] * joint.nq
    if isinstance(joint, Prismatic):
        return ["length"] * joint.nq
    if isinstance(joint, (Cylindrical, Planar)):
        return ["angle"] + ["length"] * (joint.nq - 1)
    return ["other"] * min(4, joint.nq) + ["length"] * (joint.nq - 4)


@functools.lru_cache(10_000)
def compact(name):
    """A name as names are compared: Greek letters spelt out, no underscores, braces, backslashes or spaces."""
    return re.sub(r"\\(?:mathrm|text|mathit|rm|operatorname)|[_{}\\\s]", "", str(name).translate(_SPELT_OUT))


def spelled_rates(name):
    """The ways in which a name may be a rate spelt in letters: pairs (name without them, number of dots)."""
    name = compact(name)
    for ending, beginning, dots in (("dd", "dd", 2), (None, "d2", 2), ("d", "d", 1), ("prime", None, 1)):
        if ending and name.endswith(ending):
            yield name.removesuffix(ending), dots
        if beginning and name.startswith(beginning):
            yield name.removeprefix(beginning), dots


class Names:
    """The model's own symbols and their usual aliases.

    shifted: whether q and qd have different lengths, so that qd5 need not be the rate of q5.  own: every own name.
     coordinates: see `coordinates_of`.  parameters: names of the model's parameters.
    """

    def __init__(self, model):
        self.model, self.system = model, system_of(model)
        self.coordinates = coordinates_of(model)
        self.parameters = sorted({*map(str, self.system.model.parameters), *self.system.symbols})
        n_c = sum(6 - loop.joint.nv for loop in model.loops)
        self.q = [x.name for x in self.coordinates]
        self.own = {*self.q, *self.parameters, "t", "g"}
        self.own |= {f"{letter}{i}" for letter in ("qd", "qdd", "tau") for i in range(1, model.nv + 1)}
        self.own |= {f"lam{i}" for i in range(1, n_c + 1)}
        self._n_c, self.shifted = n_c, model.nq != model.nv

    def find(self, name, used=()):
        """(own name, dots) that a name stands for, or None. used: the other names of the answer, which tell more."""
        if name in self.own:
            return name, 0
        for rule in (self._parameter, self._second_letter, self._coordinate, self._dotted, self._velocity, self._force,
                     self._likely_parameter):
            found = rule(name, used)
            if found:
                return found
        return None

    # Parameters

    def _parameter(self, name, used):
        same = [own for own in self.own if compact(own) == compact(name)]
        return (same[0], 0) if len(same) == 1 else None

    def _likely_parameter(self, name, used):
        """A parameter that differs in capitals, or by the number or first letters of a body instead of its name."""
        wanted = compact(name).casefold()
        same = [own for own in self.parameters if compact(own).casefold() == wanted]
        match = re.fullmatch(r"([A-Za-z]+)(?:_([A-Za-z]+)|_?(\d+))", name.replace("{", "").replace("}", ""))
        if not same and match:
            letter, suffix = match[1], match[2] or match[3]
            same = [own for own in self.parameters if own.partition("_")[0] == letter and own.partition("_")[2]
                    and self._is_body(own.partition("_")[2], suffix)]
        return (same[0], 0) if len(same) == 1 else None

    def _is_body(self, ending, suffix):
        if suffix.isdigit():
            return 1 <= int(suffix) <= self.model.N_B and self.model.names[int(suffix)] == ending
        endings = {own.partition("_")[2] for own in self.parameters}
        return [e for e in endings if e.startswith(suffix)] == [ending]

    # Coordinates and their rates

    def turns(self, letter, digit):
        """True if an angle in an abbreviation, such as the 1 of s1, may be one: no joint of that number slides."""
        if letter or not digit:
            return True
        return any(x.name == f"q{digit}" and x.kind == "angle" for x in self.coordinates)

    def with_velocities(self, tree):
        """A tree in which qd1, which is read as the rate of q1, is the velocity variable of that name."""
        velocities = {s: Symbol(f"qd{s.name[1:]}", s.dots - 1) for s in symbols(tree)
                      if s.dots and re.fullmatch(r"q\d+", s.name)}
        return substitute(tree, velocities)

    def _velocity(self, name, used):
        """omega_1, omega_x, w1 of the only ball joint or free body; v_x of the only free or planar one."""
        match = re.fullmatch(r"(omega|w|v)([123xyz]?)", compact(name))
        joints = [i for i in self.model.bodies if self.model.joints[i].nq != self.model.joints[i].nv
                  or isinstance(_forward(self.model.joints[i]), Planar)]
        if not match or len(joints) != 1:
            return None
        nv, axis = self.model.joints[joints[0]].nv, "123xyz".find(match[2] or "?") % 3 if match[2] else None
        if isinstance(_forward(self.model.joints[joints[0]]), Planar):
            place = {("v", 0): 1, ("v", 1): 2, ("omega", None): 0, ("w", None): 0, ("omega", 2): 0, ("w", 2): 0}.get(
                (match[1], axis))
        else:
            place = None if axis is None or (match[1] == "v" and nv != 6) else axis + 3 * (match[1] == "v")
        return None if place is None else (f"qd{self.model.v_slice(joints[0]).start + place + 1}", 0)

    def _coordinate(self, name, used):
        match = re.fullmatch(r"([A-Za-z]+?)(\d*)", compact(name))
        if match and match[1] in (*ANGLES, *LENGTHS):
            own = self._numbered(match[1], int(match[2]), used) if match[2] else self._only(match[1], used)
            return (own, 0) if own else None
        letter, _, body = str(name).replace("{", "").replace("}", "").partition("_")
        letter = compact(letter)
        if body and not body.isdigit() and letter in (*ANGLES, *LENGTHS):
            named = [x for x in self._of_kind(letter)
                     if self.model.names[x.body].casefold().startswith(body.casefold())]
            return (named[0].name, 0) if len(named) == 1 else None
        return None

    def _of_kind(self, letter):
        kinds = {kind for kind, letters in (("angle", ANGLES), ("length", LENGTHS)) if letter in letters}
        return [x for x in self.coordinates if x.kind in kinds]

    def _numbered(self, letter, number, used):
        """theta2: the second coordinate if it is an angle and none is numbered otherwise; or else the second angle."""
        fitting = [x.name for x in self._of_kind(letter)]
        by_place = f"q{number}" if f"q{number}" in fitting else None
        by_count = fitting[number - 1] if 1 <= number <= len(fitting) else None
        if letter == "d" and by_place:                     # d2 belongs to joint 2, as in all texts on robots
            return by_place
        if by_place and by_count and by_place != by_count:
            matches = [re.fullmatch(rf"{letter}(\d+)", compact(x)) for x in used]
            numbers = [int(match[1]) for match in matches if match]
            all_by_place = all(f"q{n}" in fitting for n in numbers)
            all_by_count = all(1 <= n <= len(fitting) for n in numbers)
            if all_by_place == all_by_count:
                return None
            return by_place if all_by_place else by_count
        return by_place or by_count

    def _second_letter(self, name, used):
        """alpha beside theta or omega, for the only joint: its acceleration."""
        if name != "alpha" or len(self.coordinates) > 1 or self.coordinates[0].kind != "angle":
            return None
        others = {compact(x).rstrip("0123456789") for x in used} & {*ANGLES, "omega", "w"} - {"alpha"}
        return ("q1", 2) if others else None

    def _only(self, letter, used=()):
        """theta, x: the only coordinate there is, or the only one of its kind, or the one along that axis."""
        fitting = self._of_kind(letter)
        if letter in "xyz" and len(fitting) > 1:
            fitting = [x for x in fitting if getattr(_forward(self.model.joints[x.body]), "axis", "") == letter]
        if letter in LENGTHS and letter not in "xyzq" and len(fitting) > 1:         # r beside z: the one that is left
            fitting = [x for x in fitting if getattr(_forward(self.model.joints[x.body]), "axis", "") not in used]
        if letter == "q" and len(self.coordinates) > 1:
            return None
        return fitting[0].name if len(fitting) == 1 else None

    def _dotted(self, name, used):
        """xdd, ds, omega: the rate of a coordinate."""
        for base, dots in spelled_rates(name):
            found = self._coordinate(base, used)
            if found:
                return found[0], dots
        if name in ("omega", "w") and len(self.coordinates) == 1 and self.coordinates[0].kind == "angle":
            return "q1", 1
        return None

    # Forces

    def _force(self, name, used):
        match = re.fullmatch(r"([A-Za-z]+?)(\d*)", compact(name))
        if not match:
            return None
        letter, number = match.groups()
        if "_" in name and not number:
            return self._force_of(*map(compact, name.split("_", 1)), used)
        if letter in MULTIPLIERS and self._n_c:
            number = number or ("1" if self._n_c == 1 else "")
            return (f"lam{number}", 0) if f"lam{number}" in self.own else None
        if letter not in FORCES:
            return None
        if number:
            return (f"tau{number}", 0) if f"tau{number}" in self.own else None
        kind = {"F": "length", "f": "length", "force": "length", "u": ""}.get(letter, "angle")
        rates = [x.rate for x in self.coordinates if x.rate and (x.kind == kind or not kind)]
        if self.model.nv == 1:
            return "tau1", 0
        return (f"tau{rates[0][2:]}", 0) if kind and len(rates) == 1 else None

    def _force_of(self, letter, index, used):
        """F_x, u_cart, tau_theta, tau_theta1: the force of the joint whose coordinate or body the index names."""
        if letter not in FORCES:
            return None
        found = self._coordinate(index, used)
        if not found:
            bodies = [x.name for x in self.coordinates
                      if self.model.names[x.body].casefold().startswith(index.casefold())]
            found = (bodies[0], 0) if len(bodies) == 1 else None
        rate = next((x.rate for x in self.coordinates if found and x.name == found[0]), "")
        return (f"tau{rate[2:]}", 0) if rate else None

    # What is there

    def near(self, name, used=()):
        """Own names that look like a name that means nothing, the likeliest first: not one that is used beside it."""
        multiplier = compact(name).casefold().startswith(("lam", "mu"))
        known = {compact(own).casefold(): own for own in sorted(self.own)
                 if multiplier or own in self.parameters or not own.startswith("lam")}
        close = [known[x] for x in difflib.get_close_matches(compact(name).casefold(), list(known), 3, 0.5)]
        if compact(name)[:1] in "lLabcdrRhs" and (lengths := self._lengths()):
            close = difflib.get_close_matches(compact(name), lengths, 3, 0.5)
            return sorted([*close, *(own for own in lengths if own not in close)], key=lambda own: own in used)[:3]
        letter = compact(name)[:1].casefold()
        same_letter = [own for own in self.parameters if own[:1].casefold() == letter and own not in close]
        return sorted([*close, *same_letter], key=lambda own: (own in used, own[:1].casefold() != letter))[:3]

    def _lengths(self):
        """The parameters that are lengths."""
        from rbdlib.verification.trees.dimensions_of_model import LENGTH, dimensions_of

        own = dimensions_of(self)
        return [name for name in self.parameters if own.get(name) == LENGTH]

    def listed(self):
        """All own names as a phrase, such as "q1, q2, qd1, qd2, ..., m1, m2"."""
        parts = [_span("q", len(self.q)), _span("qd", self.model.nv), _span("qdd", self.model.nv),
                 _span("tau", self.model.nv), _span("lam", self._n_c), ", ".join(self.parameters)]
        return "; ".join(part for part in parts if part)


def _span(letter, n):
    if n > 3:
        return f"{letter}1 to {letter}{n}"
    return ", ".join(f"{letter}{i}" for i in range(1, n + 1))
