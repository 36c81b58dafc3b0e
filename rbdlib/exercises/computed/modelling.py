"""Computed answers about modelling, Lagrange and pendulums (notebooks 06 to 08, sheets RBDA 4 and MBT)."""

import math

import numpy as np

from rbdlib.book import ch02_spatial as spatial, ch04_joints as joints
from rbdlib.book.ch02_spatial import X_to_Er, mcI, rotz, xlt
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_kinematics import body_transforms, body_velocities
from rbdlib.book.ch04_model import Model, path_to_base
from rbdlib.dynamics import forward_dynamics
from rbdlib.exercises.computed.draws import mechanism
from rbdlib.exercises.declare import Computed
from rbdlib.io.model_file import load
from rbdlib.texts.mbt import lagrange


def _support(parent):
    bodies = range(1, len(parent) + 1)
    return np.array([[float(j in path_to_base([0, *parent], i)) for j in bodies] for i in bodies])


def _planet(q):
    return rotz(3 * q) @ xlt([0.3 * np.cos(q), 0.3 * np.sin(q), 0])


def _moving(rng):
    return mechanism(rng), *rng.normal(size=(2, 5))


def _velocities_and_places(model, q, qd):
    X_0, v = body_transforms(model, q), body_velocities(model, q, qd)
    return np.array([[*v[i], *X_to_Er(X_0[i])[1]] for i in model.bodies])


def velocities_and_places(model, q, qd):
    """Exercise 6.9."""
    X_0, v, rows = [np.eye(6)], [np.zeros(6)], []
    for i in model.bodies:
        h = model.parent[i]
        X_J, S, v_J, c_J = joints.jcalc(model.joints[i], q[i - 1], qd[i - 1])
        X_up = X_J @ model.X_tree[i]
        X_0.append(X_up @ X_0[h])
        v.append(X_up @ v[h] + v_J)
        rows.append([*v[i], *spatial.X_to_Er(X_0[i])[1]])
    return np.array(rows)


def coriolis(dM, qd):
    """Exercise 7.2, from the factors of the vectors of MBT Eq. 17: M' qd, and ((dM/dq) qd)ᵀ qd."""
    M_dot_qd, slopes = np.tensordot(qd, dM, 1) @ qd, np.array([qd @ slope @ qd for slope in dM])
    return M_dot_qd - slopes / 2


def _random_slopes(rng):
    slopes = rng.normal(size=(3, 3, 3))
    return slopes + slopes.transpose(0, 2, 1), rng.normal(size=3)


def _links(rng):
    """Masses, inertias, Jacobians and their rates of a mechanism in motion, without those of the base; qd; gravity.

    >>> from rbdlib import crba, rnea
    >>> for seed in range(4):
    ...     (model, q, qd), links = (made(np.random.default_rng(seed)) for made in (_moving, _links))
    ...     M, bias = crba(model, q), rnea(model, q, qd, np.zeros(5))
    ...     found = projected(*links)
    ...     assert np.allclose(found[:, :5], M) and np.allclose(found[:, 5] - found[:, 6], bias)
    """
    model, q, qd = _moving(rng)
    blocks = [lagrange.mass_block(model, lagrange.cartesian_state(model, q).R, k) for k in model.bodies]
    return ([M_c[0, 0] for M_c in blocks], [M_c[3:, 3:] for M_c in blocks], lagrange.link_jacobians(model, q)[1:],
            lagrange.link_jacobian_rates(model, q, qd)[1:], qd, np.array(model.gravity))


def projected(m, I_c, J, J_dot, qd, g):
    """Exercise 7.9."""
    n = len(qd)
    M, C, Q = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for k in range(len(m)):
        M_c, W = np.zeros((6, 6)), np.zeros((6, 6))
        M_c[:3, :3], M_c[3:, 3:] = m[k] * np.eye(3), I_c[k]
        W[3:, 3:] = spatial.skew(J[k][3:] @ qd)
        M = M + J[k].T @ M_c @ J[k]
        C = C + J[k].T @ (M_c @ J_dot[k] + W @ M_c @ J[k]) @ qd
        Q = Q + J[k][:3].T @ (m[k] * g)
    return np.column_stack([M, C, Q])


def _rate_by_linearising():
    """sigma² from the equations of motion of the model file, linearised about upright."""
    from sympy import Matrix, factor, symbols

    from rbdlib.methods.symbolic import equations_of_motion

    H, _, gravity = equations_of_motion(load("cart_pole", symbolic=True))
    q = symbols("q1 q2", real=True)
    upright = dict.fromkeys(q, 0)
    A = -H.subs(upright).LUsolve(Matrix(gravity).jacobian(q).subs(upright))
    return factor(A[1, 1])


def _tilt(rate, l, g):
    return math.acos(min(1.0, 3 * g / (2 * l * rate**2)))


def _arms(rng):
    l, g = rng.uniform(0.2, 0.5), rng.uniform(5, 12)
    return rng.uniform(0.5, 3) * math.sqrt(1.5 * g / l), l, g


def _first_equation():
    """The four terms from the library's own H, C and gravity, carried over to the angles with the vertical."""
    from sympy import Matrix, cos, expand, sin, symbols

    from rbdlib.methods.symbolic import equations_of_motion

    th, thd, thdd = (symbols(f"{name}1 {name}2") for name in ("th", "thd", "thdd"))
    N = Matrix([[1, 0], [-1, 1]])
    relative = dict(zip(symbols("q1 q2 qd1 qd2", real=True), [*(N * Matrix(th)), *(N * Matrix(thd))], strict=True))
    H, C, gravity = (part.subs(relative) for part in equations_of_motion(load("double_pendulum", symbolic=True)))
    H, C, gravity = N.T * H * N, N.T * C, N.T * gravity
    apart, bend = symbols("c_apart s_apart")
    short = {cos(th[0] - th[1]): apart, cos(th[1] - th[0]): apart, sin(th[0] - th[1]): bend, sin(th[1] - th[0]): -bend}
    long = {apart: cos(th[0] - th[1]), bend: sin(th[0] - th[1])}
    terms = (H[0, 0] * thdd[0], H[0, 1] * thdd[1], C[0], gravity[0])
    return [expand(term.subs(short)).subs(long) for term in terms]


def _rates(p, omega):
    """Of Euler parameters."""
    return np.concatenate([[-p[1:] @ omega], p[0] * omega + np.cross(p[1:], omega)]) / 2


def _orientation_and_rate(rng):
    p = rng.normal(size=4)
    return p / np.linalg.norm(p), rng.normal(size=3)


def _chain_of_weights(m, l, g, q, qd):
    places = [np.zeros(3), *(np.array([0, -length, 0]) for length in l[:-1])]
    inertia = [mcI(mass, [0, -length, 0], np.zeros((3, 3))) for mass, length in zip(m, l, strict=True)]
    chain = Model(list(range(len(m))), [Revolute("z")] * len(m), [xlt(r) for r in places], inertia, gravity=(0, -g, 0))
    return forward_dynamics(chain, q, qd, np.zeros(len(m)))


def hanging(m, l, g, q, qd):
    """Exercise 8.9."""
    n, angle = len(m), np.cumsum(q)
    rods = l[:, None] * np.column_stack([np.sin(angle), -np.cos(angle)])
    a = np.cumsum(-np.cumsum(qd)[:, None] ** 2 * rods, axis=0)
    H, bias = np.zeros((n, n)), np.zeros(n)
    for k in range(n):
        J = np.zeros((2, n))
        for i in range(k + 1):
            x, y = sum(rods[i : k + 1])
            J[:, i] = -y, x
        H = H + m[k] * J.T @ J
        bias = bias + m[k] * J.T @ (a[k] + [0, g])
    return np.linalg.solve(H, -bias)


ANSWERS = {
    "6.2": Computed(_support, inputs=lambda rng: ([int(rng.integers(0, i)) for i in range(1, 8)],)),
    "6.8": Computed(
        _planet, inputs=lambda rng: (rng.uniform(-2, 2),),
        product=lambda q: {"rotz(3 q)": rotz(3 * q), "xlt(r)": xlt([0.3 * np.cos(q), 0.3 * np.sin(q), 0])}),
    "6.9": Computed(_velocities_and_places, inputs=_moving, answer=velocities_and_places),
    "6.52": Computed(X_to_Er(xlt([0.3, 0, 0]) @ rotz(np.pi / 3) @ xlt([0.5, 0, 0]) @ rotz(np.pi / 6))[1], mistakes={
        "relative": (0.5 * np.cos(np.pi / 6) + 0.15, 0.25 + 0.3 * np.sin(np.pi / 3), 0),
        "transpose": (0.5 * np.cos(np.pi / 6), -0.55, 0)}),
    "6.54": Computed(_rates, inputs=_orientation_and_rate),
    "7.2": Computed(coriolis, inputs=_random_slopes),
    "7.6": Computed(lambda: lagrange.exponential_map_jacobian([0, 0, np.pi]) @ [1, 0, 0]),
    "7.9": Computed(projected, inputs=_links),
    "8.6": Computed(_rate_by_linearising),
    "8.7": Computed(_tilt, inputs=_arms),
    "8.8": Computed(_first_equation),
    "8.9": Computed(
        _chain_of_weights, answer=hanging,
        inputs=lambda rng: (*rng.uniform(0.5, 2, size=(2, 4)), 9.81, *rng.uniform(-2, 2, size=(2, 4))))}
