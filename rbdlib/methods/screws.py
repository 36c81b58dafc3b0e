"""Screws: the axis, pitch and magnitude of motions and forces, and the screw motion between two frames (RBDA 2.5)."""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, skew, unskew
from rbdlib.numbers.scalars import TOLERANCE, as_floats, floats, rotation_series, sqrt, vector


class Screw(namedtuple("Screw", "kind pitch direction point magnitude")):
    """A spatial vector as a directed line and two magnitudes (RBDA 2.5).

    kind: "zero", "line" (pure rotation or linear force), "free" (translation or couple) or "screw".
    pitch: metres per radian, 0 for a line vector, inf for a free vector.  direction: unit 3-vector, None for zero.
    point: the point of the axis nearest the origin; None where there is no axis.
    magnitude: of the line part, or of the free part if there is no line part.
    """


def screw_of_motion(m):
    """Axis, pitch and magnitude of a motion vector (RBDA Eq. 2.10); numbers only. Returns a `Screw`."""
    m = vector(m, 6, "m")
    return _screw(m[:3], m[3:])


def screw_of_force(f):
    """Axis, pitch and magnitude of a force vector (RBDA Eq. 2.10); numbers only. Returns a `Screw`."""
    f = vector(f, 6, "f")
    return _screw(f[3:], f[:3])


def _screw(s, s_O):
    if as_floats(s) is None or as_floats(s_O) is None:
        raise ValueError("The vector contains symbols or complex numbers; its kind can be told for real numbers.")
    length, moment = sqrt(s @ s), sqrt(s_O @ s_O)
    if length == 0:
        kind = "zero" if moment == 0 else "free"
        direction = None if moment == 0 else s_O / moment
        return Screw(kind, float("nan") if moment == 0 else float("inf"), direction, None, moment)
    h = (s @ s_O) / (s @ s)
    kind = "line" if abs(s @ s_O) <= 1e-9 * length * moment else "screw"
    return Screw(kind, 0 * h if kind == "line" else h, s / length, skew(s) @ s_O / (s @ s), length)


def motion_log(X):
    """The velocity that carries frame A onto frame B in unit time, for X = ᴮX_A: the inverse of `motion_exp`.

    Among all such velocities it has the smallest angle. ValueError for a half turn (two are as good) and symbols.
    """
    E, r = (floats(part, "X contains symbols or complex numbers; the smallest turn can be found for real numbers.")
            for part in X_to_Er(X))
    sine_axis = -unskew(E)
    sine, cosine = np.linalg.norm(sine_axis), (np.trace(E) - 1) / 2
    if cosine < 0 and sine < TOLERANCE:
        raise ValueError("X turns by half a turn (180 degrees), either way round. Go there in two smaller steps.")
    w = skew(sine_axis * (np.arctan2(sine, cosine) / sine if sine > 0 else 1))
    _, s2, s3 = rotation_series(unskew(w) @ unskew(w))
    return np.concatenate([unskew(w), np.linalg.solve(np.eye(3) + s2 * w + s3 * (w @ w), r)])
