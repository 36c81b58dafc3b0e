"""The parts of a body in a model file, read and written: its joint and character, where the joint sits, its inertia."""

import difflib
import re
from dataclasses import fields

import numpy as np

from rbdlib.book import ch04_joints as book
from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er, mcI, plucker
from rbdlib.book.ch04_model import ModelError
from rbdlib.io.model_file.values import plain, refuse_both, refuse_unknown_keys, shown
from rbdlib.methods.geometry import DH_JOINTS, dh_chain
from rbdlib.methods.joint_character import NAMES, Character
from rbdlib.numbers import validation
from rbdlib.numbers.scalars import as_floats

#: The types of joints by their names in a file, such as free_motion; their fields are the other keys there.
JOINTS = {re.sub("(?<=[a-z])(?=[A-Z])", "_", joint.__name__).lower(): joint for joint in (
    book.Revolute, book.Prismatic, book.Helical, book.Cylindrical, book.Planar, book.Spherical, book.Euler,
    book.Universal, book.FreeMotion, book.RackAndPinion, book.Fixed, book.Reversed)}
NUMBERS = ("pitch", "radius")
NESTING = 9
DH_KEYS = ("a", "alpha", "d", "theta")
#: Turns in a list of formulas.
MOST_TURNS = 4
#: Moments of inertia about the centre of mass per unit mass (twelve is 12 in the arithmetic wanted), and the sizes.
SHAPES: dict = {
    "rod": (lambda twelve, length: (length**2 / twelve, length**2 / twelve, 0), ("length",)),
    "box": (lambda twelve, x, y, z: ((y**2 + z**2) / twelve, (x**2 + z**2) / twelve, (x**2 + y**2) / twelve),
            ("x", "y", "z")),
    "sphere": (lambda twelve, radius: 3 * (24 * radius**2 / (5 * twelve),), ("radius",)),
    "cylinder": (lambda twelve, radius, length: 2 * ((3 * radius**2 + length**2) / twelve,) + (6 * radius**2 / twelve,),
                 ("radius", "length")),
}


def read_joint(values, table, where, depth=0):
    """The joint that a table such as {type = "revolute", axis = "z"} describes."""
    kind = table.get("type") if isinstance(table, dict) else None
    if kind not in list(JOINTS) or depth > NESTING:
        close = difflib.get_close_matches(kind, JOINTS, 1) if isinstance(kind, str) else []
        hint = f" Did you mean {close[0]!r}?" if close and depth <= NESTING else ""
        raise ModelError(f"{where}: joint is {shown(table)}; write {{type = 'revolute', axis = 'z'}}, or another type "
                         f"of: {', '.join(JOINTS)}.{hint}")
    arguments = [field.name for field in fields(JOINTS[kind])]
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
        return JOINTS[kind](**options)
    except (ValueError, TypeError) as error:
        raise ModelError(f"{where}: joint: {error}") from None


def joint_table(joint, where):
    """The table that describes a joint; ModelError for one that is made of functions."""
    for kind in (kind for kind, type_of_joint in JOINTS.items() if type(joint) is type_of_joint):
        said = {field.name: getattr(joint, field.name) for field in fields(joint)}
        return {"type": kind, **{name: x if isinstance(x, str) else joint_table(x, where) if name == "joint"
                                 else plain(x) for name, x in said.items()}}
    raise ModelError(f"{where}: its joint, {joint}, is made of functions, which a file cannot hold. Build such a "
                     "model in Python.")


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


def read_placement(values, table, where, matrix):
    """The transform given by position and orientation in a table, or by the 6 x 6 matrix under the key ``matrix``.

    orientation: a matrix E (3 x 3), a turn {axis, angle}, or a list of turns.
    """
    refuse_both(table, matrix, ("position", "orientation"), where)
    if matrix in table:
        return validation.transform(values.array(table[matrix], f"{where}: {matrix}"), f"{where}: {matrix}")
    position = values.vector(table.get("position", [0, 0, 0]), f"{where}: position")
    given, where = table.get("orientation", [[1, 0, 0], [0, 1, 0], [0, 0, 1]]), f"{where}: orientation"
    turns = [given] if isinstance(given, dict) else given
    if not isinstance(turns, list) or not turns or not all(isinstance(turn, dict) for turn in turns):
        return plucker(validation.rotation(values.array(given, where), where), position)
    if values.symbolic and len(turns) > MOST_TURNS:
        raise ModelError(f"{where} is a list of {len(turns)} turns; {MOST_TURNS} are allowed with symbolic=True, "
                         "because formulas double in length with each. Join some of them, or give the matrix.")
    E = _turn(values, turns[0], where)
    for turn in turns[1:]:                      # each about the axes left by those before it
        E = _turn(values, turn, where) @ E
    return plucker(E, position)


def _turn(values, turn, where):
    refuse_unknown_keys(turn, ("axis", "angle"), where)
    axis = turn.get("axis")
    if isinstance(axis, list):
        axis = values.vector(axis, f"{where}.axis")
    elif axis not in ("x", "y", "z"):
        raise ModelError(f"{where}.axis is {shown(axis)}; choose x, y or z, or give three numbers.")
    angle = values.number(turn.get("angle"), f"{where}.angle")
    try:
        return book.Revolute(axis).transform([angle])[:3, :3]
    except ValueError as error:
        raise ModelError(f"{where}: {error}") from None


def placement_table(X, matrix):
    """Position and orientation of a transform if they give back every digit of it, otherwise the matrix itself."""
    X = np.array(plain(X))
    E, r = X_to_Er(X)
    if not np.array_equal(plucker(E, r), X):
        return {matrix: X.tolist()}
    return {"position": r.tolist(), **({} if np.array_equal(E, np.eye(3)) else {"orientation": E.tolist()})}


def read_dh(values, body, joint, form, where):
    """(X_tree, X_link) of a body with a row ``dh``; X_link leads from the model's body frame to the link's.

    X_tree starts from the frame of the link before, as the file's other placements do.
    """
    refuse_both(body, "dh", ("position", "orientation", "X_tree"), where)
    row = body["dh"]
    if not isinstance(row, dict):
        raise ModelError(f"{where}: dh is {row!r}; write {{a = 0, alpha = 0, d = 0, theta = 0}}.")
    refuse_unknown_keys(row, DH_KEYS, f"{where}: dh")
    numbers = [values.number(row.get(key, 0), f"{where}: dh.{key}") for key in DH_KEYS]
    kind = type(joint).__name__.lower()
    if kind not in DH_JOINTS or joint.axis != "z":
        raise ModelError(f"{where}: a row of Denavit-Hartenberg parameters places the z axis of a joint of one of the "
                         f"types {', '.join(DH_JOINTS)}; here the joint is {joint}. Leave its axis out, or give a "
                         "position.")
    zero = values.constant(0)
    chain = dh_chain([(*numbers, kind, getattr(joint, "pitch", zero))], form, base=(zero, zero))
    return chain.X_tree[0], chain.X_link[0] if form == "classic" else None


def read_inertia(values, body, where):
    """The spatial inertia (6 x 6) of a body."""
    refuse_both(body, "spatial_inertia", ("mass", "com", "inertia"), where)
    if "mass" not in body and ("com" in body or "inertia" in body):
        raise ModelError(f"{where}: it has a com or an inertia, but no mass; write mass = 0 if that is meant.")
    if "spatial_inertia" in body:
        name = f"{where}: spatial_inertia"
        return validation.rigid_body_inertia(values.array(body["spatial_inertia"], name), name)
    m = validation.mass(values.number(body.get("mass", 0), f"{where}: mass"), f"{where}: mass")
    com = values.vector(body.get("com", [0, 0, 0]), f"{where}: com")
    given = body.get("inertia", [0, 0, 0])
    if isinstance(given, dict):
        I_C = _of_shape(values, given, m, f"{where}: inertia")
    else:
        moments = values.array(given, f"{where}: inertia") if isinstance(given, list) else np.empty(0)
        if moments.shape not in ((3,), (3, 3)):
            raise ModelError(f"{where}: inertia is {given!r}; give three principal moments, or a 3 x 3 matrix, or a "
                             "shape.")
        I_C = np.diag(moments) if moments.shape == (3,) else moments
    return mcI(m, com, validation.rotational_inertia(I_C, f"{where}: inertia"))


def _of_shape(values, given, m, where):
    if given.get("shape") not in list(SHAPES):
        raise ModelError(f"{where}: shape is {shown(given.get('shape'))}; choose from {', '.join(SHAPES)}.")
    moments, sizes = SHAPES[given["shape"]]
    axial = given["shape"] in ("rod", "cylinder")
    refuse_unknown_keys(given, ("shape", *sizes, *(("axis",) if axial else ())), where)
    lengths = [values.number(given.get(size), f"{where}: {size}") for size in sizes]
    for size, length in zip(sizes, lengths, strict=True):
        if as_floats(length) is not None and length < 0:
            raise ModelError(f"{where}: {size} is {length}; a size cannot be negative.")
    diagonal = [values.constant(0) + m * moment for moment in moments(values.constant(12), *lengths)]
    if axial:
        axis = given.get("axis", "z")
        if axis not in ("x", "y", "z"):
            raise ModelError(f"{where}: axis is {axis!r}; choose x, y or z.")
        across, along = diagonal[0], diagonal[2]
        diagonal = [along if axis == name else across for name in "xyz"]
    return np.diag(diagonal)


def inertia_table(I):
    """Mass, com and inertia of a body if they give back every digit of I, otherwise the matrix itself."""
    I = np.array(plain(I))
    if not I.any():
        return {}
    if I[5, 5] > 0:
        m, c, I_C = I_to_mcI(I)
        try:
            exact = np.array_equal(mcI(m, c, I_C), I)
        except ValueError:  # I_C is nothing but rounding: a point mass
            exact = False
        if exact:
            return {"mass": float(m), "com": c.tolist(), "inertia": I_C.tolist()}
    return {"spatial_inertia": I.tolist()}
