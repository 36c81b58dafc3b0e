"""Computed answers about rolling (notebook 33): a wheel with a tyre, and slips that learners make."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, mcI, skew
from rbdlib.book.ch04_orientation import euler_parameters, rotation_from_euler_parameters
from rbdlib.exercises.computed.draws import rotational_inertia
from rbdlib.exercises.declare import Computed

RIM = np.diag([1.0, 0, 1])


def _wheel(I, r, rho, g, E, v, *, row=lambda x: -skew(x), k=-1, tyre=1, travel=1, length=1, bias=1, weight=1,
           up=lambda E: E[:, 2], gravity=lambda E: E[:, 2], force=-1):
    """Exercise 33.4: a wheel with a tyre that rolls."""
    u = -up(E)
    u_rate = -skew(v[:3]) @ u
    w, w_rate = RIM @ u, RIM @ u_rate
    s = np.sqrt(w @ w)
    x = r * w / s + tyre * rho * u
    x_rate = r * (w_rate / s - length * w * (w @ w_rate) / s**3) + travel * rho * u_rate
    M = np.zeros((9, 9))
    M[:6, :6], M[6:, :6] = I, np.hstack([row(x), np.eye(3)])
    M[:6, 6:] = M[6:, :6].T
    f = weight * I @ [0, 0, 0, *(-g * gravity(E))] - bias * crf(v) @ I @ v
    a = np.linalg.solve(M, np.concatenate([f, k * skew(v[:3]) @ x_rate]))
    return np.concatenate([a[:6], force * a[6:]])


def _on_the_road(rng):
    """Inertia, rim, tyre, gravity, orientation and velocity of a wheel of any shape."""
    I = mcI(rng.uniform(1, 3), rng.normal(size=3) / 10, rotational_inertia(rng))
    E = rotation_from_euler_parameters(euler_parameters(rng.normal(size=3), rng.uniform(0.5, 2.5)))
    return I, rng.uniform(0.2, 0.5), rng.uniform(0.02, 0.1), 9.81, E, rng.normal(size=6)


ANSWERS = {
    "33.4": Computed(_wheel, inputs=_on_the_road, mistakes={
        "sign": dict(row=skew), "point": dict(k=0), "sign 2": dict(k=1), "term": dict(travel=0),
        "model": dict(tyre=0, travel=0), "term 2": dict(length=0), "bias": dict(bias=0), "gravity": dict(weight=0),
        "frame": dict(gravity=lambda E: np.eye(3)[2]), "sign 3": dict(force=1),
        "frame 2": dict(up=lambda E: E[2], gravity=lambda E: E[2])})}
