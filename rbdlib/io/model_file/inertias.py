"""Masses and moments of inertia in model files, by shape or by number; read and written."""

import numpy as np

from rbdlib.book.ch02_spatial import I_to_mcI, mcI
from rbdlib.book.ch04_model import ModelError
from rbdlib.io.model_file.values import plain, refuse_both, refuse_unknown_keys, shown
from rbdlib.numbers import validation
from rbdlib.numbers.scalars import as_floats

#: Moments of inertia about the centre of mass per unit mass (twelve is 12 in the arithmetic wanted), and the sizes.
SHAPES = {
    "rod": (lambda twelve, length: (length**2 / twelve, length**2 / twelve, 0), ("length",)),
    "box": (
        lambda twelve, x, y, z: ((y**2 + z**2) / twelve, (x**2 + z**2) / twelve, (x**2 + y**2) / twelve),
        ("x", "y", "z"),
    ),
    "sphere": (lambda twelve, radius: 3 * (24 * radius**2 / (5 * twelve),), ("radius",)),
    "cylinder": (
        lambda twelve, radius, length: 2 * ((3 * radius**2 + length**2) / twelve,) + (6 * radius**2 / twelve,),
        ("radius", "length"),
    ),
}


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
        I_C = _of_numbers(values, given, f"{where}: inertia")
    return mcI(m, com, validation.rotational_inertia(I_C, f"{where}: inertia"))


def _of_numbers(values, given, where):
    moments = values.array(given, where) if isinstance(given, list) else np.empty(0)
    if moments.shape not in ((3,), (3, 3)):
        raise ModelError(f"{where} is {given!r}; give three principal moments, or a 3 x 3 matrix, or a shape.")
    return np.diag(moments) if moments.shape == (3,) else moments


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
