"""Where joints sit, in model files: position and orientation, transforms, Denavit-Hartenberg rows; read and written."""

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, plucker
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_model import ModelError
from rbdlib.io.model_file.values import plain, refuse_both, refuse_unknown_keys, shown
from rbdlib.methods.geometry import DH_FORMS, DH_JOINTS, DHRow, dh_chain
from rbdlib.numbers import validation

DH_KEYS = ("a", "alpha", "d", "theta")
#: Turns in a list of formulas.
MOST_TURNS = 4


def read_placement(values, table, where, matrix):
    """The transform given by position and orientation in a table, or by the 6 x 6 matrix under the key ``matrix``."""
    refuse_both(table, matrix, ("position", "orientation"), where)
    if matrix in table:
        return validation.transform(values.array(table[matrix], f"{where}: {matrix}"), f"{where}: {matrix}")
    position = values.vector(table.get("position", [0, 0, 0]), f"{where}: position")
    return plucker(read_orientation(values, table, f"{where}: orientation"), position)


def read_orientation(values, table, where):
    """E (3 x 3): a matrix, a turn {axis, angle}, or a list of turns, each about the axes left by those before it."""
    given = table.get("orientation", [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    if isinstance(given, dict):
        return _turn(values, given, where)
    if isinstance(given, list) and given and all(isinstance(turn, dict) for turn in given):
        if values.symbolic and len(given) > MOST_TURNS:
            raise ModelError(
                f"{where} is a list of {len(given)} turns; {MOST_TURNS} are allowed with symbolic=True, because "
                f"formulas double in length with each. Join some of them, or give the matrix."
            )
        E = _turn(values, given[0], where)
        for turn in given[1:]:
            E = _turn(values, turn, where) @ E
        return E
    return validation.rotation(values.array(given, where), where)


def _turn(values, turn, where):
    refuse_unknown_keys(turn, ("axis", "angle"), where)
    axis = turn.get("axis")
    if isinstance(axis, list):
        axis = values.vector(axis, f"{where}.axis")
    elif axis not in ("x", "y", "z"):
        raise ModelError(f"{where}.axis is {shown(axis)}; choose x, y or z, or give three numbers.")
    angle = values.number(turn.get("angle"), f"{where}.angle")
    try:
        return Revolute(axis).transform([angle])[:3, :3]
    except ValueError as error:
        raise ModelError(f"{where}: {error}") from None


def placement_table(X, matrix):
    """Position and orientation of a transform if they give back every digit of it, otherwise the matrix itself."""
    X = np.array(plain(X))
    E, r = X_to_Er(X)
    if not np.array_equal(plucker(E, r), X):
        return {matrix: X.tolist()}
    return {"position": r.tolist(), **({} if np.array_equal(E, np.eye(3)) else {"orientation": E.tolist()})}


# Denavit-Hartenberg rows


def read_dh_form(description):
    """The form of the file's rows: "modified" (RBDA 4.3) or "classic"."""
    form = description.get("dh_form", "modified")
    if form not in DH_FORMS:
        raise ModelError(f"dh_form is {form!r}; choose from {', '.join(DH_FORMS)}.")
    return form


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
        raise ModelError(
            f"{where}: a row of Denavit-Hartenberg parameters places the z axis of a joint of one of the types "
            f"{', '.join(DH_JOINTS)}; here the joint is {joint}. Leave its axis out, or give a position."
        )
    zero = values.constant(0)
    chain = dh_chain([DHRow(*numbers, kind, getattr(joint, "pitch", zero))], form, base=(zero, zero))
    return chain.X_tree[0], chain.X_link[0] if form == "classic" else None
