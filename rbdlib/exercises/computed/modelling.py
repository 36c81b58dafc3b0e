"""Computed answers about modelling, Lagrange and pendulums (notebooks 06 to 08, sheets RBDA 4 and MBT)."""

import math
from functools import partial

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, force_transform, inverse_transform, mcI, rotz, skew, xlt
from rbdlib.book.ch04_joints import Revolute, jcalc
from rbdlib.book.ch04_kinematics import body_transforms, body_velocities
from rbdlib.book.ch04_model import Model, path_to_base
from rbdlib.dynamics import forward_dynamics
from rbdlib.exercises.computed.draws import mechanism, unchanged, unit
from rbdlib.exercises.declare import Computed
from rbdlib.io.model_file import load
from rbdlib.numbers.scalars import block_diagonal
from rbdlib.texts.mbt import lagrange


def _support(parent):
    bodies = range(1, len(parent) + 1)
    return np.array([[float(j in path_to_base([0, *parent], i)) for j in bodies] for i in bodies])


def _parents_only(parent):
    near = np.eye(len(parent) + 1)
    near[range(1, len(near)), parent] = 1
    return near[1:, 1:]


def _planet(q, *, turn=3.0, radius=0.3):
    return rotz(turn * q) @ xlt([radius * np.cos(q), radius * np.sin(q), 0])


def _moving(rng):
    return mechanism(rng), *rng.normal(size=(2, 5))


def _velocities_and_places(model, q, qd, in_base=False):
    X_0, v = body_transforms(model, q), body_velocities(model, q, qd)
    return np.array([[*(inverse_transform(X_0[i]) @ v[i] if in_base else v[i]), *X_to_Er(X_0[i])[1]]
                     for i in model.bodies])


def _kinematics(model, q, qd, *, X=lambda X_J, X_T: X_J @ X_T, follow=lambda X_up, X_0: X_up @ X_0, carry=unchanged,
                own=unit, place=lambda X_up, X_0: X_to_Er(X_0)[1]):
    """Exercise 6.9: forward kinematics. carry, own: what takes the parent's velocity and v_J into the body's axes."""
    X_0, v, rows = [np.eye(6)], [np.zeros(6)], []
    for i in model.bodies:
        h = model.parent[i]
        X_J, _, v_J, _ = jcalc(model.joints[i], q[i - 1], qd[i - 1])
        X_up = X(X_J, model.X_tree[i])
        X_0.append(follow(X_up, X_0[h]))
        v.append(carry(X_up) @ v[h] + own(X_up) @ v_J)
        rows.append([*v[i], *place(X_up, X_0[i])])
    return np.array(rows)


def _coriolis(dM, qd, *, whole=1, bent=-0.5):
    """Exercise 7.2, from the factors of the vectors of MBT Eq. 17: M' qd, and ((dM/dq) qd)ᵀ qd."""
    return whole * np.einsum("k,kab,b->a", qd, dM, qd) + bent * np.einsum("a,jab,b->j", qd, dM, qd)


def _random_slopes(rng):
    slopes = rng.normal(size=(3, 3, 3))
    return slopes + slopes.transpose(0, 2, 1), rng.normal(size=3)


def _links(rng):
    """Masses, inertias, Jacobians and their rates of a mechanism in motion, without those of the base; qd; gravity."""
    model, q, qd = _moving(rng)
    blocks = [lagrange.mass_block(model, lagrange.cartesian_state(model, q).R, k) for k in model.bodies]
    return ([M_c[0, 0] for M_c in blocks], [M_c[3:, 3:] for M_c in blocks], lagrange.link_jacobians(model, q)[1:],
            lagrange.link_jacobian_rates(model, q, qd)[1:], qd, np.array(model.gravity))


def _projected(m, I_c, J, J_dot, qd, g, *, M_c=lambda m, I_c: block_diagonal([m * np.eye(3), I_c]), turning=1,
               bias=lambda M_c, W, J, J_dot: J.T @ M_c @ J_dot + J.T @ W @ J, weight=lambda m, J: m * J[:3].T,
               last=False):
    """Exercise 7.9: the projection of the bodies' equations of motion.

    W: the matrix [omega~] M_c, times ``turning``. last: to forget to add up. As it is, it is what the library computes:

    >>> from rbdlib import crba, rnea
    >>> for seed in range(4):
    ...     (model, q, qd), links = (made(np.random.default_rng(seed)) for made in (_moving, _links))
    ...     M, bias = crba(model, q), rnea(model, q, qd, np.zeros(5))
    ...     found = _projected(*links)
    ...     assert np.allclose(found[:, :5], M) and np.allclose(found[:, 5] - found[:, 6], bias)
    """
    parts = []
    for m_k, I_k, J_k, J_dot_k in zip(m, I_c, J, J_dot, strict=True):
        M_k = M_c(m_k, I_k)
        W = turning * block_diagonal([np.zeros((3, 3)), skew(J_k[3:] @ qd)]) @ M_k
        parts.append(np.column_stack([J_k.T @ M_k @ J_k, bias(M_k, W, J_k, J_dot_k) @ qd, weight(m_k, J_k) @ g]))
    return parts[-1] if last else sum(parts)


def _half_of_the_rate(M_c, W, J, J_dot):
    """Half of the rate of Jᵀ M_c J: the derivative of M_c is that of its lower block, [omega] I_c - I_c [omega]."""
    return (J_dot.T @ M_c @ J + J.T @ M_c @ J_dot + J.T @ (W + W.T) @ J) / 2


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


def _rates(p, omega, *, sign=1):
    """Of Euler parameters; sign=-1 takes omega for that in base coordinates."""
    return np.concatenate([[-p[1:] @ omega], p[0] * omega + sign * np.cross(p[1:], omega)]) / 2


def _orientation_and_rate(rng):
    p = rng.normal(size=4)
    return p / np.linalg.norm(p), rng.normal(size=3)


def _chain_of_weights(m, l, g, q, qd):
    places = [np.zeros(3), *(np.array([0, -length, 0]) for length in l[:-1])]
    inertia = [mcI(mass, [0, -length, 0], np.zeros((3, 3))) for mass, length in zip(m, l, strict=True)]
    chain = Model(list(range(len(m))), [Revolute("z")] * len(m), [xlt(r) for r in places], inertia, gravity=(0, -g, 0))
    return forward_dynamics(chain, q, qd, np.zeros(len(m)))


def _swing(m, l, g, q, qd, *, angles=np.cumsum, rates=np.cumsum,
           direction=lambda angle: (np.sin(angle), -np.cos(angle)), pull=1, mass=unchanged, matrix=unchanged,
           reach=lambda k: range(k + 1), carried=True, lever=lambda rods, k, i: sum(rods[i : k + 1]),
           solved=np.linalg.solve):
    """Exercise 8.9: the equations of hanging weights."""
    rods = l[:, None] * np.column_stack(direction(angles(q)))
    own = -rates(qd)[:, None] ** 2 * rods
    a = np.cumsum(own, axis=0) if carried else own
    H, bias = np.zeros((len(m), len(m))), np.zeros(len(m))
    for k in range(len(m)):
        J = np.zeros((2, len(m)))
        for i in reach(k):
            J[:, i] = np.array([[0, -1], [1, 0]]) @ lever(rods, k, i)
        H = H + m[k] * J.T @ J
        bias = bias + mass(m[k]) * J.T @ (pull * a[k] + [0, g])
    return solved(matrix(H), -bias)


ANSWERS = {
    "6.2": Computed(_support, inputs=lambda rng: ([int(rng.integers(0, i)) for i in range(1, 8)],), mistakes={
        "entry": dict(then=lambda A: A - np.eye(7)), "entry 2": _parents_only,
        "entry 3": lambda parent: _parents_only(parent) - np.eye(7)}),
    "6.8": Computed(
        _planet, inputs=lambda rng: (rng.uniform(-2, 2),),
        product=lambda q: {"rotz(3 q)": rotz(3 * q), "xlt(r)": xlt([0.3 * np.cos(q), 0.3 * np.sin(q), 0])}, mistakes={
            "frame": lambda q: rotz(3 * q) @ xlt([0.3, 0, 0])}),
    "6.9": Computed(_velocities_and_places, inputs=_moving, steps=_kinematics, mistakes={
        "order": dict(X=lambda X_J, X_T: X_T @ X_J), "order 2": dict(follow=lambda X_up, X_0: X_0 @ X_up),
        "entry": dict(X=lambda X_J, X_T: X_J), "entry 2": dict(X=lambda X_J, X_T: X_T),
        "frame 3": partial(_velocities_and_places, in_base=True), "inverse": dict(carry=inverse_transform),
        "dual": dict(carry=force_transform), "relative": dict(place=lambda X_up, X_0: X_to_Er(X_up)[1]),
        "frame 4": dict(place=lambda X_up, X_0: X_to_Er(X_0)[0] @ X_to_Er(X_0)[1])}),
    "6.52": Computed(X_to_Er(xlt([0.3, 0, 0]) @ rotz(np.pi / 3) @ xlt([0.5, 0, 0]) @ rotz(np.pi / 6))[1], mistakes={
        "relative": (0.5 * np.cos(np.pi / 6) + 0.15, 0.25 + 0.3 * np.sin(np.pi / 3), 0),
        "transpose": (0.5 * np.cos(np.pi / 6), -0.55, 0)}),
    "6.54": Computed(_rates, inputs=_orientation_and_rate, mistakes={
        "sign": dict(then=lambda rates: rates * [-1, 1, 1, 1])}),
    "7.2": Computed(_coriolis, inputs=_random_slopes),
    "7.6": Computed(lambda: lagrange.exponential_map_jacobian([0, 0, np.pi]) @ [1, 0, 0]),
    "7.9": Computed(_projected, inputs=_links, mistakes={
        "bias": dict(bias=lambda M_c, W, J, J_dot: J.T @ W @ J), "factor": dict(bias=_half_of_the_rate),
        "transpose": dict(bias=lambda M_c, W, J, J_dot: J_dot.T @ M_c @ J + J.T @ W @ J),
        "inertia": dict(I_c=lambda I_c: [0 * I for I in I_c]),
        "order": dict(M_c=lambda m, I_c: block_diagonal([I_c, m * np.eye(3)])),
        "mass": dict(weight=lambda m, J: J[:3].T), "frame": dict(weight=lambda m, J: m * J[3:].T)}),
    "8.6": Computed(_rate_by_linearising),
    "8.7": Computed(_tilt, inputs=_arms, mistakes={
        "model": dict(g=lambda g: 2 / 3 * g), "angle": dict(then=lambda angle: math.pi / 2 - angle)}),
    "8.8": Computed(_first_equation),
    "8.9": Computed(
        _chain_of_weights,
        inputs=lambda rng: (*rng.uniform(0.5, 2, size=(2, 4)), 9.81, *rng.uniform(-2, 2, size=(2, 4))), steps=_swing,
        mistakes={
            "coupling": dict(matrix=lambda H: np.diag(np.diag(H))), "entry": dict(reach=lambda k: [k]),
            "lever": dict(lever=lambda rods, k, i: rods[i]),
            "angle": dict(direction=lambda angle: (np.cos(angle), np.sin(angle)))})}
