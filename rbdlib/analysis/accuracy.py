"""How far to trust the numbers: where errors come from, and how large they are (RBDA 10.1, 10.2).

Four causes of large rounding errors are studied here, and the truncation error of the integrators. `rounding` measures
and encloses rounding errors of any algorithm; how much a mechanism makes of errors in the forces is in `sensitivity`.
"""

from collections import namedtuple
from contextlib import contextmanager

import numpy as np

from rbdlib.analysis.rounding import full_digits, in_precision, rounding_errors
from rbdlib.analysis.sensitivity import real_vector, sensitivity
from rbdlib.book import ch02_planar as planar
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_model import LoopJoint, Model, require_model
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch08_elimination import constraint_solution
from rbdlib.dynamics import forward_dynamics
from rbdlib.loops import dynamics as loop_dynamics
from rbdlib.loops.clusters import constraints_to_rank
from rbdlib.methods.generators import auto_tree
from rbdlib.motion import integrators
from rbdlib.numbers.intervals import real_number
from rbdlib.numbers.model_arguments import whole_number
from rbdlib.numbers.scalars import vector
from rbdlib.numbers.validation import one_of

#: Binary digits of what is taken for exact here.
EXACT = 200
#: Lengths (m) of crank, coupler and follower, and the distance of the fixed hinges, of a linkage that can fold.
BARS = (1.0, 2.0, 2.5, 3.5)

# Causes of large rounding errors (RBDA 10.1)


class Study(namedtuple("Study", "x errors condition_numbers")):
    """Rounding errors (k x samples) where a cause of them has the strengths x (k), and condition numbers (k)."""

    @property
    def size(self):
        """The root mean square of the errors at each x (k). Single errors vary: some are zero by chance."""
        return np.sqrt((self.errors**2).mean(axis=1))

    def slope(self, lowest=0.0, highest=np.inf):
        """The power of x with which the errors' size grows between two values of x: 2 if it grows with the square."""
        some = (lowest <= self.x) & (self.x <= highest)
        return _power(self.x[some], self.size[some], f"lowest and highest are {lowest} and {highest}; between them "
                      "must be at least two values of x where there is an error.")


def _power(x, errors, message):
    """The power of x with which errors grow. Raises ValueError unless two of them differ from zero."""
    some = errors > 0
    if some.sum() < 2:
        raise ValueError(message)
    return float(np.polyfit(np.log(x[some]), np.log(errors[some]), 1)[0])


def far_away_origin(distances=None, samples=25, precision="double"):
    """Figure 10.2: the error of the acceleration of a planar body against the distance of the origin: a `Study`.

    The body of Figure 10.1 has mass 1, radius of gyration 1, velocity v_C = [1, 0, 0] and the force f_C = [1, -1, 1] on
    it. distances: lengths of c = OC (m), 10^-3 to 10^6 if left out, each in so many directions. errors: the largest
    entry of a_C - ᶜX_O a_O with the exact a_C and the a_O that a precision (see `in_precision`) makes of Eq. 10.1.
    condition_numbers: of I_O; the direction makes no difference. Where c is so large that rounding takes all of the
    inertia about C away (10^7 m in double precision), ValueError says so.
    """
    r = _strengths(np.logspace(-3, 6, 37) if distances is None else distances, "distances")
    angles = np.random.default_rng(0).uniform(0, 2 * np.pi, (len(r), whole_number(samples, "samples", 1)))
    c, errors = r[:, None, None] * np.stack([np.cos(angles), np.sin(angles)], axis=2), []
    for distance, row in zip(r, c, strict=True):
        with _answerable(f"distances contains {distance:g}", precision, "shorter ones"):
            errors.append([np.abs(planar_body_errors(c_k, precision=precision)).max() for c_k in row])
    return Study(r, np.array(errors), np.array([np.linalg.cond(planar.mcI(1, row[0], 1)) for row in c]))


def large_velocity(speeds=None, samples=25, precision="double"):
    """The error of the angular acceleration, which is 1, of a body that moves at great speed (RBDA 10.1): a `Study`.

    The body of Figure 10.1, with an origin about one radius of gyration away, and v_C = [1, V cos, V sin]. speeds: the
    values of V (m/s), 1 to 10^8 if left out, each in so many directions. precision: as for `far_away_origin`.
    """
    V, rng = _strengths(np.logspace(0, 8, 17) if speeds is None else speeds, "speeds"), np.random.default_rng(0)
    shape, errors = (len(V), whole_number(samples, "samples", 1)), []
    c, angles = rng.normal(size=(*shape, 2)), rng.uniform(0, 2 * np.pi, shape)
    for V_k, *row in zip(V, c, angles, strict=True):
        with _answerable(f"speeds contains {V_k:g}", precision, "lower ones"):
            errors.append([abs(planar_body_errors(c_k, (1, V_k * np.cos(angle), V_k * np.sin(angle)), precision)[0])
                           for c_k, angle in zip(*row, strict=True)])
    return Study(V, np.array(errors), np.array([np.linalg.cond(planar.mcI(1, row[0], 1)) for row in c]))


def planar_body_errors(c, v_C=(1, 0, 0), precision="double"):
    """ᶜX_O a_O - a_C (3) for the body of Figure 10.1: the error of Eq. 10.1 in O coordinates, measured at C.

    c: position of C from O (m).  v_C: velocity of the body in C coordinates.  a_O is calculated in a precision (see
    `in_precision`), from c and v_C rounded to it; the rest, the exact a_C = [1, v_y - 1, 1 - v_x] too, without error.
    """
    c, v_C = (in_precision(vector(x, n, name), precision) for x, n, name in ((c, 2, "c"), (v_C, 3, "v_C")))
    a_O = planar_acceleration(c, v_C)
    c, v_C, a_O = (in_precision(x, EXACT) for x in (c, v_C, a_O))
    I_C = np.array([1, 1, 1])
    a_C = (np.array([1, -1, 1]) - planar.crf(v_C) @ (I_C * v_C)) / I_C
    return (planar.Xpln(c, 0) @ a_O - a_C).astype(float)


def planar_acceleration(c, v_C):
    """a_O of the body of Figure 10.1, from the equation of motion at O (RBDA Eq. 10.1). Any scalars."""
    f_C, X = np.array([1, -1, 1]), planar.Xpln(-c, 0)                       # from C to O coordinates
    v_O, f_O = X @ v_C, planar.force_transform(X) @ f_C
    I_O = planar.mcI(1, c, 1)
    return solve(I_O, f_O - planar.crf(v_O) @ I_O @ v_O)                    # (10.1)


def inertia_ratio(ratios=None, samples=10):
    """The relative error of forward dynamics of a chain whose last body is very heavy, or light (RBDA 10.1): a `Study`.

    The five links are those of RBDA 10.2 but for the inertia of the last, which is multiplied by each of the ratios
    (10^-6 to 10^12 if left out). A heavy body at the end of light ones costs digits; a light one at the end of heavy
    ones costs none, although the condition number does not tell the two apart. Each ratio is tried in so many states
    drawn at random, with forces that give accelerations of the order of 1. condition_numbers: the median of those of H.
    Errors are against 50 digits.
    """
    ratios = _strengths(np.logspace(-6, 12, 10) if ratios is None else ratios, "ratios")
    chain, samples = auto_tree(5, gravity=(0, 0, 0)), whole_number(samples, "samples", 1)
    rng, errors, conditions = np.random.default_rng(0), [], []
    for ratio in ratios:
        model = chain.replace(inertia=[*chain.inertia[1:-1], ratio * chain.inertia[-1]])
        states = [(*model.random_state(rng), rng.normal(size=5)) for _ in range(samples)]
        found = [sensitivity(model, q) for q, _, _ in states]
        errors.append([rounding_errors(forward_dynamics, model, q, qd, here.H @ qdd).relative
                       for (q, qd, qdd), here in zip(states, found, strict=True)])
        conditions.append(np.median([here.condition_number for here in found]))
    return Study(ratios, np.array(errors), np.array(conditions))


def singular_loop(distances=None, method="direct", samples=10, precision="double"):
    """The relative error of the accelerations of a four-bar linkage that is about to fold (RBDA 10.1): a `Study`.

    Bars of 1, 2 and 2.5 m on hinges 3.5 m apart, all on one line when the crank has turned by pi: K has a rank less
    there. distances: angles (rad) that are missing to that, 10^-5 to 1 if left out; the crank turns at 1 rad/s. errors:
    those of the accelerations found by a method of `rbdlib.loops.dynamics.by_loop_constraints` in a precision (see
    `in_precision`) from the state rounded to that precision, against those of the exact state; each sample is another
    set of joint forces. condition_numbers: of K, without the constraints that repeat others.
    """
    one_of(loop_dynamics.METHODS, method, "method")
    distances = _strengths(np.logspace(-5, 0, 11) if distances is None else distances, "distances")
    taus, linkage = np.random.default_rng(0).normal(size=(whole_number(samples, "samples", 1), 3)), _linkage()
    errors, conditions = [], []
    for distance in distances:
        with _answerable(f"distances contains {distance:g}", precision, "greater ones"):
            q, qd = _linkage_state(in_precision(linkage, EXACT), in_precision(float(distance), EXACT))
            K = constraints_to_rank(linkage, *_floats(q, qd))[0]
            singular_values = np.linalg.svd(K, compute_uv=False)
            conditions.append(singular_values[0] / singular_values[1])  # two constraints close a loop in the plane
            for tau in taus:
                exact, found = (loop_dynamics.by_loop_constraints(*in_kind, None, method)[0] for in_kind in (
                    [in_precision(x, kind) for x in (linkage, q, qd, tau)] for kind in (EXACT, precision)))
                error, exact = _floats(exact - in_precision(found, EXACT), exact)
                errors.append(np.abs(error).max() / np.abs(exact).max())
    return Study(distances, np.array(errors).reshape(-1, len(taus)), np.array(conditions))


@contextmanager
def _answerable(given, precision, remedy):
    """Says what the caller gave where rounding leaves a calculation without an answer."""
    full_digits(precision)
    try:
        with np.errstate(all="ignore"):
            yield
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        raise ValueError(f"{given}, where {precision} precision leaves no answer at all. Give {remedy}, or more digits "
                         "if those are too few.") from error


def _floats(*arrays):
    return [in_precision(x, "double") for x in arrays]


def _linkage():
    """The linkage of `singular_loop`: a crank, the coupler on it, and a follower, with its loop open in q = 0."""
    inertia = [mcI(l, [l / 2, 0, 0], np.diag([0, l**3 / 12, l**3 / 12])) for l in BARS[:3]]
    a, b, c, d = BARS
    loop = LoopJoint(2, 3, Revolute(), xlt([b, 0, 0]), xlt([c, 0, 0]))
    return Model([0, 1, 0], [Revolute()] * 3, [xlt([0, 0, 0]), xlt([a, 0, 0]), xlt([d, 0, 0])], inertia,
                 gravity=(0, -9.81, 0), loops=[loop])


def _linkage_state(linkage, distance):
    """q and qd of the linkage, by trigonometry, when the crank still lacks this angle to pi and turns at 1 rad/s."""
    mp, (a, b, c, d) = distance.context, BARS
    crank = mp.pi - distance
    x, y = d - a * mp.cos(crank), -a * mp.sin(crank)                    # from the crank's end to the other hinge
    diagonal = mp.sqrt(x * x + y * y)
    coupler = mp.atan2(y, x) + mp.acos((b * b + diagonal * diagonal - c * c) / (2 * b * diagonal))
    follower = mp.atan2(b * mp.sin(coupler) - y, b * mp.cos(coupler) - x)
    q = np.array([crank, coupler - crank, follower])
    K, k, *_ = constraints_to_rank(linkage, q, np.zeros(3))
    G, _ = constraint_solution(K, 0 * k, independent=[0])
    return q, G[:, 0]


def _strengths(x, name):
    if np.ndim(x) != 1:
        raise ValueError(f"{name} is {x!r}; give a list of one or more positive numbers.")
    x = real_vector(x, len(x), name)
    if len(x) == 0 or (x <= 0).any():
        raise ValueError(f"{name} is {x.tolist()}; give one or more positive numbers.")
    return x


# Truncation errors of the integrators (RBDA 10.1, 11.5)


class Convergence(namedtuple("Convergence", "method dt errors")):
    """The errors (k) of an integrator with steps of the lengths dt (k, s)."""

    @property
    def order(self):
        """The power of dt with which the errors shrink. Raises ValueError unless two of them differ from zero."""
        return _power(self.dt, self.errors, f"errors is {self.errors.tolist()}: nothing shrinks with dt. Try a motion "
                      "that is not so simple that the method makes no error of it, such as rest.")

    def __repr__(self):
        errors = ", ".join(f"{error:.2g}" for error in self.errors)
        power = f", which go with dt to the power {self.order:.2f}" if (self.errors > 0).sum() > 1 else ""
        return f"<Convergence of {self.method!r}: errors {errors}{power}>"


def convergence_order(method, model, q0, qd0, duration, steps=(50, 100, 200, 400), local=False):
    """How the truncation error of an integrator of fixed step depends on the length of its steps: a `Convergence`.

    method: one of `rbdlib.motion.integrators.FIXED_STEP`. The motion from q0 (nq), qd0 (nv), under gravity alone, lasts
    for a duration (s), in each of these numbers of steps, two or more. The error is the largest of those of q and qd at
    the end, against the exact motion to some 12 digits; with local=True the largest within the first step (RBDA Eqs
    11.48, 11.51), which shrinks with one power more than the order; for that the method must be one of
    `integrators.BETWEEN`. Loops are held closed in acceleration only. Errors below 1e-11 are not to be trusted.
    """
    known = integrators.BETWEEN if local else integrators.FIXED_STEP
    one_of(known, method, "method")
    q, qd = real_vector(q0, require_model(model).nq, "q0"), real_vector(qd0, model.nv, "qd0")
    if not isinstance(steps, list | tuple | np.ndarray | range) or len(set(np.ravel(steps).tolist())) < 2:
        raise ValueError(f"steps is {steps!r}; give two or more different numbers of steps, such as (50, 100).")
    steps = [whole_number(n, f"steps[{k}]", 1) for k, n in enumerate(steps)]
    duration = float(real_number(duration, "duration"))
    if not duration > 0:
        raise ValueError(f"duration is {duration}; give a time > 0 (s).")
    move, tau = integrators.movement(model), np.zeros(model.nv)

    def acceleration(t, q, qd):
        return forward_dynamics(model, q, qd, tau, t=t)

    dt = duration / np.array(steps, dtype=float)
    exact = _exact_motion(model, acceleration, np.concatenate([q, qd]))
    if local:
        delta = np.linspace(0.125, 1, 8)
        found = [[np.concatenate(y(d)) - exact(d * h) for d in delta] for h in dt
                 for y in (known[method](move, acceleration, 0.0, q, qd, h),)]
    else:
        times, end = np.array([0.0, duration]), exact(duration)
        motions = (integrators.fixed_steps(known[method], move, acceleration, q, qd, times, h) for h in dt)
        found = [np.concatenate(list(motion)[-1][1]) - end for motion in motions]
    return Convergence(method, dt, np.array([np.abs(errors).max() for errors in found]))


def _exact_motion(model, acceleration, start):
    """The function of t that gives the state [q; qd], by an integrator of high order with very small errors."""
    nq, normalise, q_rate = model.nq, integrators.normalisation(model), integrators.position_rate(model)

    def rate(t, state):
        q, qd = normalise(state[:nq]), state[nq:]
        return np.concatenate([q_rate(q, qd), acceleration(t, q, qd)])

    def state(t):
        *_, (_, end) = integrators.adaptive_steps("DOP853", rate, start, np.array([0.0, t]), 1e-13, every_step=True)
        return np.concatenate([normalise(end[:nq]), end[nq:]])

    return state
