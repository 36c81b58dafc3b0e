"""Names that texts use and the model has not: M and m for two bodies, l_c1 for half a link, I_C1 for its inertia.

What leaves no choice is taken so, and the report says it; for the others the message on an unknown symbol says what the
model has.
"""

import re
from functools import partial

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.phrases import centre_distance, heavy_bodies, inertia_about_axis, mass
from rbdlib.verification.notation.sympy_reading import from_sympy
from rbdlib.verification.trees.nodes import Symbol, TooLarge
from rbdlib.verification.trees.writing import to_text

_CENTRE = re.compile(r"[lLrd](?:c|cm|com|g|C|G)(?P<body>\d*)")
_ABOUT_CENTRE = re.compile(r"[IJ](?:zz)?(?:c|cm|com|C|CM|G|S|g)(?:zz|z)?(?P<body>\d*)")
_ABOUT_JOINT = re.compile(r"[IJ](?:zz)?(?:o|O|A|P|pivot)(?:zz|z)?(?P<body>\d*)")
_LENGTH, _INERTIA = re.compile(r"[adr](?P<body>\d*)"), re.compile(r"[IJ](?:zz|z|[A-Z])?(?P<body>\d*)")


_about_centre, _about_joint = (partial(inertia_about_axis, at_joint=at_joint) for at_joint in (False, True))
_READINGS = ((_CENTRE, centre_distance, "the distance of the centre of mass of body {} from its joint"),
             (_ABOUT_CENTRE, _about_centre, "the moment of inertia of body {} about its centre of mass"),
             (_ABOUT_JOINT, _about_joint, "the moment of inertia of body {} about its joint"))


def guess(names, name):
    """(tree, sentence) for a name that can mean one thing only; None if there is none, or a choice.

    names: the `Names` of the model. The sentence says how the name was taken.
    """
    for pattern, find, what in _READINGS:
        i = _body(names, name, pattern)
        tree = _formula(find, names, i) if i else None
        if tree is not None:
            return tree, f"{name} was taken for {what.format(i)}, {to_text(tree)}."
    return _masses(names, name)


def suggestion(names, name):
    """A sentence on what the model has for a name that means nothing, or ""."""
    i = _body(names, name, _INERTIA)
    if i:
        both = [_formula(find, names, i) for find in (_about_centre, _about_joint)]
        if all(tree is not None for tree in both):
            return (f"The moment of inertia of body {i} is {to_text(both[0])} about its centre of mass and "
                    f"{to_text(both[1])} about its joint: say which, as in given=\"{name} = {to_text(both[0])}\". ")
    i = _body(names, name, _LENGTH)
    tree = _formula(centre_distance, names, i) if i else None
    return f"The centre of mass of body {i} is {to_text(tree)} from its joint. " if tree is not None else ""


def _body(names, name, pattern):
    """The number of the body that the index of a name of some pattern names; without one, the only body that has a
    mass; None for other names."""
    model, match = names.system.model, pattern.fullmatch(compact(name))
    if match and match["body"]:
        return int(match["body"]) if 1 <= int(match["body"]) <= model.N_B else None
    heavy = heavy_bodies(model) if match else []
    return heavy[0] if len(heavy) == 1 else None


def _formula(find, names, i):
    """The tree of what the model has, if it is made of symbols; else None."""
    try:
        value = find(names.system.model, i)
        return from_sympy(value, frozenset(names.own)) if getattr(value, "free_symbols", None) else None
    except (ValueError, TooLarge):
        return None


def _masses(names, name):
    """M and m where two bodies have the masses m_cart and m_pole: M is that of the first."""
    masses = [own for i in names.system.model.bodies
              for own in names.parameters if str(mass(names.system.model, i)) == own]
    if name not in ("M", "m") or len(masses) != 2 or any(not own.startswith("m_") for own in masses):
        return None
    own = masses[name == "m"]
    return Symbol(own), f"{name} was taken for {own}."
