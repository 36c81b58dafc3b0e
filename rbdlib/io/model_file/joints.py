"""Joints in model files: what is written after ``joint =`` and ``character =``, read and written."""

import difflib

from rbdlib.book.ch04_joints import (
    Cylindrical,
    Euler,
    Fixed,
    FreeMotion,
    Helical,
    Planar,
    Prismatic,
    RackAndPinion,
    Reversed,
    Revolute,
    Spherical,
    Universal,
)
from rbdlib.book.ch04_model import ModelError
from rbdlib.io.model_file.values import plain, refuse_unknown_keys, shown
from rbdlib.methods.joint_character import NAMES, Character

#: The types of joints by their names in a file: the class, and the names of its arguments.
JOINTS = {
    "revolute": (Revolute, ("axis",)),
    "prismatic": (Prismatic, ("axis",)),
    "helical": (Helical, ("pitch", "axis")),
    "cylindrical": (Cylindrical, ("axis",)),
    "planar": (Planar, ("translation",)),
    "spherical": (Spherical, ()),
    "euler": (Euler, ("sequence",)),
    "universal": (Universal, ("sequence",)),
    "free_motion": (FreeMotion, ("translation",)),
    "rack_and_pinion": (RackAndPinion, ("radius",)),
    "fixed": (Fixed, ()),
    "reversed": (Reversed, ("joint",)),
}
NUMBERS = ("pitch", "radius")
NESTING = 9


def read_joint(values, table, where, depth=0):
    """The joint that a table such as {type = "revolute", axis = "z"} describes."""
    kind = table.get("type") if isinstance(table, dict) else None
    if kind not in list(JOINTS) or depth > NESTING:
        close = difflib.get_close_matches(kind, JOINTS, 1) if isinstance(kind, str) else []
        hint = f" Did you mean {close[0]!r}?" if close and depth <= NESTING else ""
        raise ModelError(
            f"{where}: joint is {shown(table)}; write {{type = 'revolute', axis = 'z'}}, or another type of: "
            f"{', '.join(JOINTS)}.{hint}"
        )
    joint, arguments = JOINTS[kind]
    options = {key: value for key, value in table.items() if key != "type"}
    refuse_unknown_keys(options, arguments, f"{where}: joint")
    for key in arguments:
        if key in NUMBERS:
            options[key] = values.number(options.get(key), f"{where}: joint.{key}")
        elif key == "joint":
            options[key] = read_joint(values, options.get(key), f"{where}: reversed joint", depth + 1)
    if isinstance(options.get("axis"), list):
        options["axis"] = values.array(options["axis"], f"{where}: joint.axis")
    try:
        return joint(**options)
    except (ValueError, TypeError) as error:
        raise ModelError(f"{where}: joint: {error}") from None


def joint_table(joint, where):
    """The table that describes a joint; ModelError for one that is made of functions."""
    for kind, (type_of_joint, arguments) in JOINTS.items():
        if type(joint) is type_of_joint:
            return {"type": kind, **{name: _written(getattr(joint, name), where) for name in arguments}}
    raise ModelError(
        f"{where}: its joint, {joint}, is made of functions, which a file cannot hold. Build such a model in Python."
    )


def read_character(values, table, where):
    """The `Character` that a table such as {damping = 0.1, armature = 0.02} describes."""
    if not isinstance(table, dict):
        raise ModelError(f"{where}: character is {table!r}; write {{damping = 0.1}}, or other keys of: "
                         f"{', '.join(NAMES)}.")
    refuse_unknown_keys(table, NAMES, f"{where}: character")
    try:
        return Character(**{name: values.number(x, f"{where}: character.{name}") for name, x in table.items()})
    except ModelError as error:
        raise ModelError(f"{where}: character: {error}" if where not in str(error) else str(error)) from None


def character_table(character):
    """The table that describes a Character, as the entry ``character`` of a body's; empty for None."""
    if character is None:
        return {}
    nothing = Character()
    said = {name: getattr(character, name) for name in NAMES}
    return {"character": {name: plain(x) for name, x in said.items() if x != getattr(nothing, name)}}


def _written(value, where):
    if isinstance(value, str):
        return value
    return joint_table(value, where) if hasattr(value, "motion_subspace") else plain(value)
