"""What a learner declares besides about a quantity: frames and order of spatial vectors, and conventions by name.

"world coordinates", "linear first"; "C without gravity", "tau_g acts", "frames = DH classic"; or a text that has these
conventions: "Spong", "Craig", "Tedrake".
"""

import re
from collections import namedtuple

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
_DECLARED = re.compile(rf"(?:^|[;\n,])({_WAYS}|{_CONVENTION})(?=\s*(?:$|[;\n,]))", re.I)

#: What is declared. frame: "body", "base", "hybrid" or "".  order: "linear", "angular" or "".  C: "with" or "without"
#: gravity, or "".  tau_g: "acts", "holds" or "".  classic: True for frames of links at their far ends.
Declared = namedtuple("Declared", "frame order C tau_g classic")


def read_declared(how):
    """The `Declared` in a text. Where it says two things, the first counts for frame and order, else the last."""
    how = " ".join(how.split())
    for authors, says in TEXTS.items():
        how = re.sub(rf"\b(?:{authors})\b", says, how, flags=re.I)
    said = [*_HOW.finditer(how)]
    frame = next((str(match.lastgroup) for match in said if match.lastgroup != "order"), "")
    order = next((match[0].lower() for match in said if match.lastgroup == "order"), "")
    C, tau_g, dh = ((re.findall(pattern, how.lower()) or [""])[-1] for pattern in (
        r"c (with(?:out)?) (?:the )?gravity", r"tau_g (acts|holds)", r"classic|standard|modified"))
    return Declared(frame, order, C, tau_g, dh in ("classic", "standard"))


def declared(given):
    """(how, rest): what a text declares so between separators, for `read_declared`, and all else."""
    return " ".join(_DECLARED.findall(given)), _DECLARED.sub("", given).strip(" ;,\n")
