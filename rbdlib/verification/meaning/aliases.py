"""The model's own symbols, and the ways in which texts write them: \theta_1, th1 or phi_pole for a joint's variable.

The model's own symbols are q1.., qd1.., qdd1.., tau1.., lam1.., t and the names of its parameters.
"""

import difflib
import functools
import re
from collections import namedtuple

from rbdlib.book.ch04_joints import Cylindrical, Euler, Helical, Planar, Prismatic, RackAndPinion, Reversed, Revolute
from rbdlib.verification.mechanics.states import system_of
from rbdlib.verification.trees.dimensions_of_model import LENGTH, dimensions_of
from rbdlib.verification.trees.names import GREEK

#: Letters for an angle, and for a length, that stand for a joint's variable.
ANGLES = ("q", "theta", "th", "phi", "varphi", "vartheta", "alpha", "beta", "gamma", "psi", "eta", "varepsilon")
LENGTHS = ("q", "x", "y", "z", "s", "d", "r", "rho")
FORCES = ("tau", "u", "Q", "F", "f", "T", "Gamma", "torque", "force")
MULTIPLIERS = ("lam", "lambda", "lamda", "mu")
_SPELT_OUT = str.maketrans(GREEK)
#: An angle in an abbreviation: minus, letter, digit; or a digit alone.
_ANGLE = rf"(minus)?(?:({'|'.join(sorted(ANGLES, key=len, reverse=True))})(\d?)|(\d))"


def shorthand(name):
    """The long form of a compact name such as s12, c1minus2, stheta1theta2, cphi or theta12.

    Returns ("sin", "cos" or None, angles), each angle a triple (letter or "", digit or "", whether it is subtracted);
    there are no angles in other names.
    """
    match = re.fullmatch(rf"(?P<function>sin|cos|[scSC])?(?P<angles>(?:{_ANGLE})+)", name) if len(name) <= 40 else None
    found = re.findall(_ANGLE, match["angles"]) if match else []
    angles = [(letter, digit or alone, bool(minus)) for minus, letter, digit, alone in found]
    if match and match["function"]:
        return {"s": "sin", "c": "cos"}[match["function"][0].lower()], angles
    if len(angles) < 2 or not angles[0][0] or not all(digit for _, digit, _ in angles):
        return None, []
    return None, [(letter or angles[0][0], digit, minus) for letter, digit, minus in angles]


class UnknownSymbol(ValueError):
    """A symbol of the answer means nothing for this model; ``symbol`` is its name, ``near`` what may be meant."""

    def __init__(self, message, symbol, near=()):
        super().__init__(message)
        self.symbol, self.near = symbol, tuple(near)


class Coordinate(namedtuple("Coordinate", "name rate kind body")):
    """One position variable: its name (q1), that of its rate ("" if no velocity variable is its rate), its kind.

    kind: "angle", "length" or "other" (Euler parameters).  body: number of the body that it moves.
    """


def coordinates_of(model):
    """The `Coordinate` of every position variable of a model, a list."""
    found = []
    for i in model.bodies:
        joint, q, v = _forward(model.joints[i]), model.q_slice(i).start + 1, model.v_slice(i).start + 1
        rated = 1 if isinstance(joint, Planar) else joint.nq if joint.nq == joint.nv else 0
        kinds = ["other"] * min(4, joint.nq)            # Euler parameters
        if isinstance(joint, (Revolute, Helical, RackAndPinion, Euler)):
            kinds = ["angle"] * joint.nq
        elif isinstance(joint, (Prismatic, Cylindrical, Planar)):
            kinds = [] if isinstance(joint, Prismatic) else ["angle"]
        kinds += ["length"] * (joint.nq - len(kinds))
        found += [Coordinate(f"q{q + k}", f"qd{v + k}" if k < rated else "", kind, i) for k, kind in enumerate(kinds)]
    return found


def _forward(joint):
    return _forward(joint.joint) if isinstance(joint, Reversed) else joint


@functools.lru_cache(10_000)
def compact(name):
    """A name as names are compared: Greek letters spelt out, no underscores, braces, backslashes or spaces."""
    return re.sub(r"\\(?:mathrm|text|mathit|rm|operatorname)|[_{}\\\s]", "", str(name).translate(_SPELT_OUT))


def spelled_rates(name):
    """The ways in which a name may be a rate spelt in letters: pairs (name without them, number of dots)."""
    name = compact(name)
    for beginning, ending, dots in (("", "dd", 2), ("dd", "", 2), ("d2", "", 2), ("", "d", 1), ("d", "", 1),
                                    ("", "prime", 1)):
        if name.startswith(beginning) and name.endswith(ending):
            yield name.removeprefix(beginning).removesuffix(ending), dots


class Names:
    """The model's own symbols and their usual aliases.

    shifted: q and qd have different lengths, so that qd5 need not be the rate of q5.  own: every own name.
    coordinates: see `coordinates_of`.  parameters: names of the model's parameters.
    """

    def __init__(self, model):
        self.model, self.system = model, system_of(model)
        self.coordinates = coordinates_of(model)
        self.parameters = sorted({*map(str, self.system.model.parameters), *self.system.symbols})
        self._n_c = sum(6 - loop.joint.nv for loop in model.loops)
        self.q, self.shifted = [x.name for x in self.coordinates], model.nq != model.nv
        self.own = {*self.q, *self.parameters, "t", "g"}
        self.own |= {f"{letter}{i}" for letter in ("qd", "qdd", "tau") for i in range(1, model.nv + 1)}
        self.own |= {f"lam{i}" for i in range(1, self._n_c + 1)}

    def find(self, name, used=()):
        """(own name, dots) that a name stands for, or ("", 0). used: the other names of the answer, which tell more."""
        if name in self.own:
            return name, 0
        same = [own for own in self.own if compact(own) == compact(name)]
        if len(same) == 1:
            return same[0], 0
        if name == "alpha" and len(self.coordinates) == 1 and self.coordinates[0].kind == "angle":
            if {compact(x).rstrip("0123456789") for x in used} & {*ANGLES, "omega", "w"} - {"alpha"}:
                return "q1", 2                          # beside theta or omega, the acceleration of the only joint
        rules = self._coordinate, self._dotted, self._velocity, self._force, self._likely_parameter
        return next(filter(None, (rule(name, used) for rule in rules)), ("", 0))

    def _likely_parameter(self, name, used):
        """A parameter that differs in capitals, or by the number or first letters of a body instead of its name."""
        wanted = compact(name).casefold()
        same = [own for own in self.parameters if compact(own).casefold() == wanted]
        match = re.fullmatch(r"([A-Za-z]+)(?:_([A-Za-z]+)|_?(\d+))", name.replace("{", "").replace("}", ""))
        if not same and match:
            endings, number = {own.partition("_")[2] for own in self.parameters}, int(match[3] or 0)
            bodies = self.model.names[1:][number - 1 : number] if match[3] else [
                ending for ending in endings if ending.startswith(match[2])]
            same = [own for body in bodies if (own := f"{match[1]}_{body}") in self.parameters and len(bodies) == 1]
        return (same[0], 0) if len(same) == 1 else None

    def in_capitals(self, name, own):
        """True if a name differs from the parameter for which it would be taken in capitals: M and m."""
        return own in self.parameters and compact(own) != compact(name) and (
            compact(own).casefold() == compact(name).casefold())

    @functools.cached_property
    def compacted(self):
        """The own names as names are compared, a set."""
        return {compact(own) for own in self.own}

    # Coordinates and their rates

    @functools.cached_property
    def called(self):
        """{q1: x} of a model whose bodies have the names of coordinates, as those of a sketch; otherwise {}."""
        found = {x.name: self.model.names[x.body] for x in self.coordinates if x.rate}
        letters = {re.sub(r"_?\d*$", "", name) for name in found.values()}
        usual = letters & {*ANGLES, *LENGTHS} or all(map(re.compile("[a-z]").fullmatch, letters))
        return found if usual and len({*found.values()}) == len(found) else {}

    def _velocity(self, name, used):
        """omega_1, omega_x, w1 of the only ball joint or free body; v_x of the only free or planar one; N_1, F_x."""
        match = re.fullmatch(r"(omega|w|v)([123xyz]?)|([NMFf])([123xyz])", compact(name))
        joints = [i for i in self.model.bodies if self.model.joints[i].nq != self.model.joints[i].nv
                  or isinstance(_forward(self.model.joints[i]), Planar)]
        if not match or len(joints) != 1:
            return None
        letter, index = match[1] or match[3], match[2] or match[4] or ""
        joint, linear, axis = self.model.joints[joints[0]], letter in "vFf", "123xyz".find(index) % 3
        if isinstance(_forward(joint), Planar):
            place = {"v0": 1, "v1": 2, "w": 0, "w2": 0}.get(f"{'v' if linear else 'w'}{axis if index else ''}")
        else:
            place = axis + 3 * linear if index and (joint.nv == 6 or not linear) else None
        own = "tau" if match[3] else "qd"
        return None if place is None else (f"{own}{self.model.v_slice(joints[0]).start + place + 1}", 0)

    def _coordinate(self, name, used):
        after = [x.name for x in self.coordinates if compact(self.model.names[x.body]) == compact(name) and x.rate]
        if len(after) == 1:                             # a joint is often called as the body that it moves
            return after[0], 0
        match = re.fullmatch(r"([A-Za-z]+?)(\d*)", compact(name))
        if match and match[1] in (*ANGLES, *LENGTHS):
            own = self._numbered(match[1], int(match[2]), used) if match[2] else self._only(match[1], used)
            return (own, 0) if own else None
        letter, _, body = str(name).replace("{", "").replace("}", "").partition("_")
        named = [] if not body or body.isdigit() else self._of_body(body, self._of_kind(compact(letter)))
        return (named[0].name, 0) if len(named) == 1 else None

    def _of_body(self, name, coordinates):
        """Those of some coordinates that move a body whose name begins so."""
        return [x for x in coordinates if self.model.names[x.body].casefold().startswith(name.casefold())]

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
            numbers = [int(match[1]) for x in used if (match := re.fullmatch(rf"{letter}(\d+)", compact(x)))]
            all_by_place = all(f"q{n}" in fitting for n in numbers)
            all_by_count = all(1 <= n <= len(fitting) for n in numbers)
            if all_by_place == all_by_count:
                return None
            return by_place if all_by_place else by_count
        return by_place or by_count

    def _only(self, letter, used=()):
        """theta, x: the only coordinate there is, or the only one of its kind, or the one along that axis."""
        axes = [(x, getattr(_forward(self.model.joints[x.body]), "axis", "")) for x in self._of_kind(letter)]
        if letter in "xyz" and len(axes) > 1:
            axes = [(x, axis) for x, axis in axes if axis == letter]
        elif letter in LENGTHS and letter != "q" and len(axes) > 1:              # r beside z: the one that is left
            axes = [(x, axis) for x, axis in axes if axis not in used]
        alone = len(axes) == 1 and (letter != "q" or len(self.coordinates) == 1)
        return axes[0][0].name if alone else None

    def _dotted(self, name, used):
        """xdd, ds, omega: the rate of a coordinate."""
        for base, dots in spelled_rates(name):
            if found := self._coordinate(base, used):
                return found[0], dots
        if name in ("omega", "w") and len(self.coordinates) == 1 and self.coordinates[0].kind == "angle":
            return "q1", 1
        return None

    # Forces

    def _force(self, name, used):
        """tau1, u, lam1; F_x, u_cart, tau_theta: the force of the joint whose coordinate or body the index names."""
        match = re.fullmatch(r"([A-Za-z]+?)(\d*)", compact(name))
        letter, number = match.groups() if match else ("", "")
        if "_" in name and letter and not number:
            letter, index = map(compact, name.split("_", 1))
            found = self._coordinate(index, used)
            fitting = [x for x in self.coordinates if found and x.name == found[0]]
            fitting = fitting or ([] if found else self._of_body(index, self.coordinates))
            own = f"tau{fitting[0].rate[2:]}" if letter in FORCES and len(fitting) == 1 and fitting[0].rate else ""
        elif letter in MULTIPLIERS and self._n_c:
            own = f"lam{number or ('1' if self._n_c == 1 else '')}"
        elif number or self.model.nv == 1:
            own = f"tau{number or 1}" if letter in FORCES else ""
        else:
            kind = {"F": "length", "f": "length", "force": "length", "u": ""}.get(letter, "angle")
            rates = [x.rate for x in self.coordinates if x.rate and x.kind == kind]
            own = f"tau{rates[0][2:]}" if letter in FORCES and len(rates) == 1 else ""
        return (own, 0) if own in self.own else None

    # The names there are

    def near(self, name, used=()):
        """Own names that look like a name that means nothing, the likeliest first: not one that is used beside it."""
        multiplier, angle = compact(name).casefold().startswith(("lam", "mu")), compact(name).startswith(ANGLES)
        unlike = ("lam",) * (not multiplier) + ("tau",) * angle
        known = {compact(own).casefold(): own for own in sorted(self.own)
                 if own in self.parameters or not own.startswith(unlike)}
        close = [known[x] for x in difflib.get_close_matches(compact(name).casefold(), list(known), 3, 0.5)]
        dimensions = dimensions_of(self) if compact(name)[:1] in "lLabcdrRhs" and not multiplier else {}
        if lengths := [own for own in self.parameters if dimensions.get(own) == LENGTH]:
            close = difflib.get_close_matches(compact(name), lengths, 3, 0.5)
            return sorted([*close, *(own for own in lengths if own not in close)], key=lambda own: own in used)[:3]
        letter = compact(name)[:1].casefold()
        same_letter = [own for own in self.parameters if own[:1].casefold() == letter and own not in close]
        return sorted([*close, *same_letter], key=lambda own: (own in used, own[:1].casefold() != letter))[:3]

    def listed(self):
        """All own names as a phrase, such as "q1, q2, qd1, qd2, ..., m1, m2"."""
        counts = {"q": len(self.q), "qd": self.model.nv, "qdd": self.model.nv, "tau": self.model.nv, "lam": self._n_c}
        parts = [f"{letter}1 to {letter}{n}" if n > 3 else ", ".join(f"{letter}{i}" for i in range(1, n + 1))
                 for letter, n in counts.items()]
        if self.called:
            parts[:3] = [", ".join(name + dots for name in self.called.values()) for dots in ("", "'", "''")]
        return "; ".join(filter(None, [*parts, ", ".join(self.parameters)]))
