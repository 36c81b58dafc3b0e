"""Computed answers about modelling, Lagrange and pendulums (notebooks 06 to 08, sheets RBDA 4 and MBT)."""

import math

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, mcI, rotz, xlt
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_model import Model, path_to_base
from rbdlib.dynamics import forward_dynamics
from rbdlib.exercises.declare import Computed
from rbdlib.io.model_file import load
from rbdlib.texts.mbt.lagrange import exponential_map_jacobian


def _support(parent):
    bodies = range(1, len(parent) + 1)
    return np.array([[float(j in path_to_base([0, *parent], i)) for j in bodies] for i in bodies])


def _parents_only(parent):
    near = np.eye(len(parent))
    for i, parent_i in enumerate(parent):
        if parent_i:
            near[i, parent_i - 1] = 1
    return near


#: How far the rod slopes down in exercise 6.3 (rad).
SLOPE = np.arcsin(0.10 / 0.26)
#: Rows of Denavit and Hartenberg for exercise 6.4: a, alpha and d of each joint.
CLASSIC = np.array([[0, -np.pi / 2, 0.66], [0.43, 0, 0.15], [-0.02, np.pi / 2, 0]])
MODIFIED = np.column_stack([np.vstack([[0, 0], CLASSIC[:2, :2]]), CLASSIC[:, 2]])


def _quarter_turn_about(u, angle=np.pi / 4):
    return [np.cos(angle), *(np.sin(angle) * np.array(u)).tolist()]


def _planet(turn=3.0, radius=0.3):
    return lambda q: rotz(turn * q) @ xlt([radius * np.cos(q), radius * np.sin(q), 0])


def _coriolis(whole, bent):
    """A function for exercise 7.2, from the factors of the vectors of MBT Eq. 17: M' qd, and ((dM/dq) qd)ᵀ qd."""
    return lambda dM, qd: (whole * np.einsum("k,kab,b->a", qd, dM, qd) + bent * np.einsum("a,jab,b->j", qd, dM, qd))


def _random_slopes(rng):
    slopes = rng.normal(size=(3, 3, 3))
    return slopes + slopes.transpose(0, 2, 1), rng.normal(size=3)


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


def _rates(p, omega, sign=1):
    """Of Euler parameters; sign=-1 takes omega for that in base coordinates."""
    return np.concatenate([[-p[1:] @ omega], p[0] * omega + sign * np.cross(p[1:], omega)]) / 2


def _orientation_and_rate(rng):
    p = rng.normal(size=4)
    return p / np.linalg.norm(p), rng.normal(size=3)


def _weights(rng):
    """Four weights and rods, g, and a state."""
    return (*rng.uniform(0.5, 2, size=(2, 4)), 9.81, *rng.uniform(-2, 2, size=(2, 4)))


def _chain_of_weights(m, l, g, q, qd):
    places = [np.zeros(3), *(np.array([0, -length, 0]) for length in l[:-1])]
    inertia = [mcI(mass, [0, -length, 0], np.zeros((3, 3))) for mass, length in zip(m, l, strict=True)]
    chain = Model(list(range(len(m))), [Revolute("z")] * len(m), [xlt(r) for r in places], inertia, gravity=(0, -g, 0))
    return forward_dynamics(chain, q, qd, np.zeros(len(m)))


def _swing(angles=np.cumsum, rates=np.cumsum, direction=lambda angle: (np.sin(angle), -np.cos(angle)), pull=1, weight=1,
           mass=lambda m: m, matrix=lambda H: H, reach=lambda k: range(k + 1), carried=True,
           lever=lambda rods, k, i: sum(rods[i : k + 1]), solved=np.linalg.solve):
    """A function for exercise 8.9, the equations of hanging weights, of which one step may be another."""

    def hanging(m, l, g, q, qd):
        rods = l[:, None] * np.column_stack(direction(angles(q)))
        own = -rates(qd)[:, None] ** 2 * rods
        a = np.cumsum(own, axis=0) if carried else own
        H, bias = np.zeros((len(m), len(m))), np.zeros(len(m))
        for k in range(len(m)):
            J = np.zeros((2, len(m)))
            for i in reach(k):
                J[:, i] = np.array([[0, -1], [1, 0]]) @ lever(rods, k, i)
            H = H + m[k] * J.T @ J
            bias = bias + mass(m[k]) * J.T @ (pull * a[k] + [0, weight * g])
        return solved(matrix(H), -bias)

    return hanging


#: The cosine of the angle in exercise 7.52.
COSINE = 9.81 / (0.2 * 100)

ANSWERS = {
    "6.2": Computed(_support, inputs=lambda rng: ([int(rng.integers(0, i)) for i in range(1, 8)],), mistakes={
        "transpose": lambda parent: _support(parent).T, "entry": lambda parent: _support(parent) - np.eye(len(parent)),
        "entry 2": _parents_only, "entry 3": lambda parent: _parents_only(parent) - np.eye(len(parent))}),
    "6.3": Computed((-np.pi / 2 - SLOPE, 0.24), mistakes={
        "frame": (-SLOPE, 0.24), "sign": (np.pi / 2 + SLOPE, 0.24), "sign 2": (-np.pi / 2 + SLOPE, 0.24),
        "degrees": (np.degrees(-np.pi / 2 - SLOPE), 0.24), "entry": (-np.pi / 2 - SLOPE, 0.34)}),
    "6.4": Computed(MODIFIED, mistakes={
        "entry": CLASSIC, "entry 2": np.vstack([[0, 0, 0], CLASSIC[:2]]),
        "entry 3": np.column_stack([np.vstack([CLASSIC[1:, :2], [0, 0]]), CLASSIC[:, 2]]),
        "degrees": MODIFIED * [1, 180 / np.pi, 1]}),
    "6.6": Computed(_quarter_turn_about([0, 0.6, 0.8]), mistakes={
        "factor": _quarter_turn_about([0, 0.6, 0.8], np.pi / 2), "factor 2": _quarter_turn_about([0, 3, 4]),
        "order": np.roll(_quarter_turn_about([0, 0.6, 0.8]), -1),
        "sign": [-x for x in _quarter_turn_about([0, 0.6, 0.8])]}),
    "6.8": Computed(
        _planet(),
        inputs=lambda rng: (rng.uniform(-2, 2),),
        product=lambda q: {"rotz(3 q)": rotz(3 * q), "xlt(r)": xlt([0.3 * np.cos(q), 0.3 * np.sin(q), 0])},
        mistakes={
            "factor": _planet(turn=2.0), "factor 2": _planet(turn=1.0), "sign": _planet(turn=-2.0),
            "entry": _planet(turn=0.0), "frame": lambda q: rotz(3 * q) @ xlt([0.3, 0, 0]),
            "factor 3": _planet(radius=0.2)}),
    "6.52": Computed(X_to_Er(xlt([0.3, 0, 0]) @ rotz(np.pi / 3) @ xlt([0.5, 0, 0]) @ rotz(np.pi / 6))[1], mistakes={
        "relative": (0.5 * np.cos(np.pi / 6) + 0.15, 0.25 + 0.3 * np.sin(np.pi / 3), 0),
        "transpose": (0.5 * np.cos(np.pi / 6), -0.55, 0)}),
    "6.54": Computed(lambda p, omega: _rates(p, omega), inputs=_orientation_and_rate, mistakes={
        "frame": lambda p, omega: _rates(p, omega, -1), "factor": lambda p, omega: 2 * _rates(p, omega),
        "sign": lambda p, omega: _rates(p, omega) * [-1, 1, 1, 1]}),
    "7.2": Computed(_coriolis(1, -0.5), inputs=_random_slopes, mistakes={
        "transpose": _coriolis(0.5, 0), "factor": _coriolis(1, -1), "term": _coriolis(1, 0),
        "sign": _coriolis(1, 0.5), "term 2": _coriolis(0, -0.5)}),
    "7.6": Computed(lambda: exponential_map_jacobian([0, 0, np.pi]) @ [1, 0, 0]),
    "7.52": Computed((math.sqrt(9.81 / 0.2), math.acos(COSINE)), mistakes={
        "square": (9.81 / 0.2, math.acos(COSINE)), "degrees": (math.sqrt(9.81 / 0.2), math.degrees(math.acos(COSINE))),
        "argument": (math.sqrt(9.81 / 0.2), math.asin(COSINE))}),
    "8.5": Computed(math.log(1e11) / 1.4, mistakes={
        "factor": 11 / 1.4, "factor 2": math.log(1e12) / 1.4, "inverse": math.log(1e11) * 1.4,
        "factor 3": math.log(1e11), "factor 4": math.log(1e13) / 1.4}),
    "8.6": Computed(_rate_by_linearising),
    "8.7": Computed(_tilt, inputs=_arms, mistakes={
        "model": lambda rate, l, g: _tilt(rate, l, 2 / 3 * g), "factor": lambda rate, l, g: _tilt(rate, l, 2 * g),
        "angle": lambda rate, l, g: math.asin(min(1.0, 3 * g / (2 * l * rate**2))),
        "special case": lambda rate, l, g: 0.0}),
    "8.8": Computed(_first_equation),
    "8.9": Computed(_chain_of_weights, inputs=_weights, mistakes={
        "relative": _swing(angles=np.copy, rates=np.copy), "velocity": _swing(rates=np.copy),
        "velocity 2": _swing(carried=False), "bias": _swing(pull=0), "sign": _swing(weight=-1),
        "sign 2": _swing(pull=-1), "gravity": _swing(weight=0), "mass": _swing(mass=lambda m: 1),
        "coupling": _swing(matrix=lambda H: np.diag(np.diag(H))), "entry": _swing(reach=lambda k: [k]),
        "lever": _swing(lever=lambda rods, k, i: rods[i]),
        "angle": _swing(direction=lambda angle: (np.cos(angle), np.sin(angle))),
        "inverse": _swing(solved=lambda H, b: H @ b)})}
