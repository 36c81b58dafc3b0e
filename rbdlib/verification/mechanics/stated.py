"""What a learner states besides about a quantity: frames and order of spatial vectors, and conventions by name.

"world coordinates", "linear first"; "C without gravity", "tau_g acts", "frames = DH classic"; or a text that has these
conventions: "Spong", "Craig", "Tedrake".
"""

import contextlib
import re
from collections import namedtuple

from rbdlib.book.ch02_spatial import X_to_Er, rot, xlt
from rbdlib.book.ch04_joints import Prismatic, Revolute
from rbdlib.verification.mechanics.points import NoPoint, Point, find_point, tip_of

_BASE, _OWN = "world|base|inertial|global|space|ground", "body|own|local|link"
_HOW = re.compile(rf"\b(?:(?P<base>{_BASE})|(?P<hybrid>hybrid)|(?P<body>{_OWN})|(?P<order>linear|angular))\b", re.I)
#: Words that a name may add: "in world coordinates", "in base axes", "hybrid", "linear first", ...
_WAYS = (
    rf"(?:\s*,?\s*(?:and\s+)?(?:(?:in|with|at)\s+)?(?:the\s+|its\s+)?(?:(?:{_BASE}|{_OWN}|hybrid)"
    r"(?:[- ](?:fixed|frame))?(?:\s+(?:coordinates|axes|frame))?|(?:linear|angular)\s+(?:part\s+)?"
    r"(?:first|only|alone)))+")
#: Of texts, by the names of their authors: is gravity part of C, what tau_g stands for, and which frames links have.
TEXTS = {
    "RBDA|Featherstone": "C with gravity, tau_g holds", "Craig": "C without gravity, tau_g holds, DH modified",
    "Spong|Siciliano": "C without gravity, tau_g holds, DH classic",
    "MR|Modern Robotics|Lynch": "C without gravity, tau_g holds",
    "Tedrake|Underactuated(?: Robotics)?": "C without gravity, tau_g acts"}
_DH, _FORM = r"(?:DH|Denavit[- ]Hartenberg)", r"(?:classic(?:al)?|standard|modified)"
_CONVENTION = (
    r"\s*(?:C\s+with(?:out)?\s+(?:the\s+)?gravity(?:\s+terms?)?|tau_g\s+(?:acts|holds)|"
    rf"(?:frames?\s*(?:=|:|are|by)?\s*)?(?:{_DH}[\s,(]*{_FORM}|{_FORM}\s+{_DH})\)?|"
    r"(?:(?:conventions?|notation|symbols|text|book)\s*(?:=|:|of|by)?|(?:as\s+)?in|like|after)?\s*"
    rf"(?:{'|'.join(TEXTS)}))\s*")
HOW = re.compile(_WAYS, re.I)
#: Axes that are nearer to parallel than this, the square of a sine, are parallel.
LITTLE = 1e-20
_STATED = re.compile(rf"(?:^|[;\n,])({_WAYS}|{_CONVENTION})(?=\s*(?:$|[;\n,]))", re.I)

#: What is stated. frame: "body", "base", "hybrid" or "".  order: "linear", "angular" or "".  C: "with" or "without"
#: gravity, or "".  tau_g: "acts", "holds" or "".  classic: True for frames of links at their far ends.
Stated = namedtuple("Stated", "frame order C tau_g classic")


def read_stated(how):
    """The `Stated` that a text says. Where it says two things, the first counts for frame and order, else the last."""
    for authors, says in TEXTS.items():
        how = re.sub(rf"\b(?:{authors})\b", says, how, flags=re.I)
    said = [*_HOW.finditer(how)]
    frame = next((str(match.lastgroup) for match in said if match.lastgroup != "order"), "")
    order = next((match[0].lower() for match in said if match.lastgroup == "order"), "")
    C, tau_g, dh = ((re.findall(pattern, how.lower()) or [""])[-1] for pattern in (
        r"c (with(?:out)?) (?:the )?gravity", r"tau_g (acts|holds)", r"classic|standard|modified"))
    return Stated(frame, order, C, tau_g, dh in ("classic", "standard"))


def stated(given):
    """(how, rest): what a text states so between separators, for `read_stated`, and all else."""
    return " ".join(_STATED.findall(given)), _STATED.sub("", given).strip(" ;,\n")


# Frames of Denavit and Hartenberg in their first form: frame i lies on the axis of joint i + 1


def far_frame(model, i):
    """(function of a state, name): the transform from body i to its classic frame of Denavit and Hartenberg.

    It lies on the axis of the next joint, where that comes nearest to the axis of joint i (at the height of body i's
    origin, if the two are parallel), with the axes of that joint at zero; that of a last body lies at its tip, if that
    is known, else at its origin. Body 0's is the base's own. Raises `NoPoint` where there is no chain of joints that
    turn about z or slide along it.
    """
    if i == 0:
        return (lambda state: xlt(0 * state.model.inertia[1][0, :3])), "the base"
    after = model.mu(i)
    if len(after) > 1 or any(type(model.joints[j]) not in (Revolute, Prismatic)
                             or tuple(model.joints[j].direction) != (0, 0, 1) for j in (i, *after)):
        raise NoPoint(f"Frames of Denavit and Hartenberg are known for chains of joints that turn about z or slide "
                      f"along z, and joint {i} or what follows it is none. Leave the statement about frames out.")
    if not after:
        end = find_point(model, str(i))
        with contextlib.suppress(NoPoint):
            end = tip_of(model, i)
        return (lambda state: xlt(end.at(state))), f"frame {i}"

    def place(state):
        E, r = X_to_Er(state.model.X_tree[after[0]])
        z, crossed = E[2], E[2][0] ** 2 + E[2][1] ** 2                  # how far it is from parallel to joint i's axis
        beyond = (r[0] * z[0] + r[1] * z[1]) / crossed if crossed > LITTLE else r[2] * z[2]
        return rot(E) @ xlt(r - beyond * z)

    return place, f"frame {i}"


def far_origin(model, i):
    """The `Point` where the classic frame i has its origin."""
    place, name = far_frame(model, i)
    return Point(i, f"the origin of {name}", lambda state: X_to_Er(place(state))[1])
