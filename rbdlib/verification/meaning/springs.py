"""Springs, dampers and friction that a learner states: "spring k at x, at rest at l0; damper c at elbow"."""

import re
from dataclasses import replace

from rbdlib.book.ch04_model import ModelError
from rbdlib.methods.joint_character import WORDS, Character
from rbdlib.verification.meaning.aliases import Names, compact
from rbdlib.verification.meaning.given import BadGiven
from rbdlib.verification.mechanics.states import system_of

_NAME = r"\\?[A-Za-z]\w*(?:_?\{\w+\})?"
_STATED = re.compile(
    rf"(?:^|(?<=[;\n,]))\s*(?:(?:a|the|linear|torsion(?:al)?|viscous|dry)\s+)*(spring|damper|friction|rotor)\s+(?:of\s+)?"
    rf"({_NAME})\s+(?:at|in|on)\s+(?:the\s+)?(?:joint\s+)?([\w\\{{}}]+)"
    rf"(?:\s*,?\s*(?:is\s+)?at\s+rest\s+at\s+({_NAME}|-?\d+(?:\.\d+)?))?\s*(?=$|[;\n,])", re.I)


def with_springs(model, given):
    """(model, rest): the model with what ``given`` (text, or a list with texts) states so, and all else that it states.

    Raises `BadGiven`, a ValueError, for a joint that there is not, and for one that cannot have it.
    """
    if isinstance(given, (list, tuple)):
        rest = []
        for part in given:
            model, left = with_springs(model, part)
            rest += [] if left is None else [left]
        return model, rest
    if not isinstance(given, str) or not (stated := _STATED.findall(given)):
        return model, given
    model = system_of(model).model
    characters, parameters = list(model.characters), dict(model.parameters)
    for what, size, where, rest_at in stated:
        i, field = _body(model, where, what), WORDS[what.lower()]
        values = {field: _number(size, parameters), **({"rest": _number(rest_at, parameters)} if rest_at else {})}
        characters[i] = replace(characters[i] or Character(), **values)
    try:
        found = model.replace(characters={i: c for i, c in enumerate(characters) if c}, parameters=parameters)
    except ModelError as error:
        raise BadGiven(f"given states springs or dampers that the model cannot have. {error}") from None
    return found, _STATED.sub("", given).strip(" ;,\n") or None


def _body(model, where, what):
    """The number of the body on whose joint something acts: by its name, its number or that of its coordinate."""
    names = Names(model)
    found = names.find(compact(where))
    bodies = {name: i for i, name in enumerate(model.names)} | {str(i): i for i in model.bodies}
    bodies |= {x.name: x.body for x in names.coordinates}
    if i := bodies.get(where) or bodies.get(found[0] if found else ""):
        return i
    raise BadGiven(f"given states a {what} at {where!r}, which is no joint of this model. Name a body or a coordinate: "
                   f"{', '.join([*model.names[1:], *names.q])}.")


def _number(text, parameters):
    """A number, or the symbol of this name, which becomes a parameter."""
    import sympy

    if text[0] in "-.0123456789":
        return float(text)
    return parameters.setdefault(compact(text), sympy.Symbol(compact(text), positive=True))
