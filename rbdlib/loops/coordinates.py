"""Closed loops by independent coordinates: q = gamma(y), and inverse dynamics (RBDA 8.11, 8.12).

The motion of a mechanism with loops is described by as many variables y as it has freedoms: by a loop-closure function
that the user supplies, or by closing the loops numerically for each y. No constraints are left, and no errors grow.
"""

import math
import sys
from collections import namedtuple

import numpy as np

from rbdlib.book.ch04_joints import Joint
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba, differential_inverse_dynamics
from rbdlib.book.ch08_closed_loops import bias_with_loop_forces, loop_constraints
from rbdlib.book.ch08_elimination import constraint_solution, eliminate
from rbdlib.loops.closing import LoopsNotClosed, downhill, floats_of, loop_errors, velocity_places, velocity_units
from rbdlib.loops.clusters import constraints_to_rank
from rbdlib.loops.tolerances import CLOSED, error_units, largest_gap
from rbdlib.methods.derivatives import tangent
from rbdlib.numbers.dual import Dual, partials, seed, values
from rbdlib.numbers.pivots import keep_below, values_of
from rbdlib.numbers.scalars import eye, sqrt, vector, zeros

#: A loop that is open by more than this (rad, parts of its size) is taken for a mistake where it should be closed.
OPEN_LOOP = 1e-6
#: The longest step (rad, parts of the loops' size) in which `solve_closure` follows a branch.
LONGEST_STEP = 0.1


class Coordinates(namedtuple("Coordinates", "q qd G g")):
    """The motion of the tree that goes with independent variables y (m) and their rates yd.

    q (nq), qd (nv): state of the tree.  G (nv x m), g (nv): qd = G yd, qdd = G ydd + g (RBDA Eqs 8.57, 8.59).
    """


def by_closure_function(model, gamma, y, yd):
    """q = gamma(y), qd, G and g of a loop-closure function (RBDA Eqs 8.56 to 8.60): `Coordinates`.

    gamma: a function that takes y (m) to q (nq) and closes all loops, written with ``+ - * /`` and the functions of
    `rbdlib.numbers.scalars` (`atan2` of this module where an angle is found), so that it differentiates itself. y, yd
    (m): the independent variables and their rates. gamma does not depend on time; where joints move by themselves, take
    `by_solving`. Raises ValueError or TypeError if a loop is open at gamma(y), and for bad arguments.
    """
    if not callable(gamma):
        raise TypeError(f"gamma is {gamma!r}; give a function that takes y to q.")
    if np.ndim(y) != 1:
        raise ValueError(f"y has shape {np.shape(y)}; give a list of the independent variables, [y] for a single one.")
    y = vector(y, np.size(y), "y")
    yd, m = vector(yd, len(y), "yd"), len(y)
    along = np.empty(m, dtype=object)
    for i, y_i in enumerate(seed(y, yd[:, None])):              # once along yd, and once by each variable
        along[i] = Dual(y_i, eye(m, y)[i])
    q = vector(gamma(along), require_model(model).nq, "gamma(y)")
    q, slopes = values(q), partials(q, m)

    # the velocities (nv x m) of the rates of change (nq x m): those of joints for which the two differ are solved
    rates = zeros((model.nv, m), q, slopes)
    differ = [i for i in model.bodies if type(model.joints[i]).qdot is not Joint.qdot]
    Q = tangent(model, q) if differ else zeros(0)
    for i in model.bodies:
        at_q, at_v = model.q_slice(i), model.v_slice(i)
        rates[at_v] = slopes[at_q] if i not in differ else \
            solve(Q[at_q, at_v].T @ Q[at_q, at_v], Q[at_q, at_v].T @ slopes[at_q])
    G = values(rates)                                                               # (8.58)
    g = partials(rates, 1)[..., 0] @ yd                                             # (8.60)
    q = values(q)
    delta = loop_errors(model, q, zeros(model.nv, q))[0]
    gap = largest_gap(delta / error_units(model))
    if gap is not None and gap > OPEN_LOOP:
        raise ValueError(f"gamma(y) leaves a loop open by {largest_gap(delta):.2g} (m, rad). Correct gamma, or keep y "
                         "in the set for which it holds.")
    return Coordinates(q, G @ yd, G, g)                                             # (8.56), (8.57)


def solve_closure(model, independent, y, q_start, t=0.0):
    """The q (nq) that closes the loops for the independent variables y: a loop-closure function by search.

    independent: the places in qd, from 0, of the variables y, of joints whose q is the integral of qd. q_start: a
    closed configuration, from which y is followed in small steps on one branch of configurations (RBDA 8.10).
    Raises LoopsNotClosed (a ValueError) where the branch ends before y is reached.
    """
    places = velocity_places(model, independent, "independent")
    y, integrals = floats_of(vector(y, len(places), "y"), "y"), {}
    for i in model.bodies:
        if type(model.joints[i]).qdot is Joint.qdot:
            integrals.update(zip(range(model.nv)[model.v_slice(i)], range(model.nq)[model.q_slice(i)], strict=True))
    other = [x for x in places if x not in integrals]
    if other:
        raise ValueError(f"independent names place {other[0]}, the velocity of a joint whose q is not its integral. "
                         f"Choose variables of other joints, or write a closure function for by_closure_function.")
    at_q = [integrals[x] for x in places]
    q = model.normalise(floats_of(vector(q_start, model.nq, "q_start"), "q_start"))
    free, start = [x for x in range(model.nv) if x not in places], q[at_q]
    way = (y - start) / velocity_units(model)[places]
    steps = max(1, math.ceil(np.abs(way).max(initial=0) / LONGEST_STEP))
    for k in range(1, steps + 1):
        q[at_q] = start + k / steps * (y - start)
        found = downhill(model, q, free, CLOSED, t)
        if found.gap > CLOSED:
            raise LoopsNotClosed(
                f"The loops cannot be closed at y = {q[at_q]} on this branch: they stay open by {found.open_by:.2g} "
                f"(m, rad). Keep y in the set for which q is a function of y.", found.q, found.open_by)
        q = found.q
    return q


def by_solving(model, independent, y, yd, q_start, t=0.0):
    """q, qd, G and g for independent variables y that are some of the tree's variables: `Coordinates`.

    independent, y, q_start: as for `solve_closure`, which finds q; yd: rates of y. G and g come from the loop
    constraints K qdd = k (RBDA 8.8); they are the derivatives that Eqs 8.58 and 8.60 name. Raises LoopsNotClosed, and
    ValueError where the other variables are not functions of y, as at a dead centre.
    """
    q = solve_closure(model, independent, y, q_start, t)
    places, yd = velocity_places(model, independent, "independent"), vector(yd, np.size(y), "yd")
    K, *_, tolerance = constraints_to_rank(model, q, np.zeros(model.nv), t=t)
    slip = loop_errors(model, q, np.zeros(model.nv), t)[1]
    ascending = sorted(places)
    G, own = constraint_solution(K, -slip, tolerance, tuple(ascending))
    if G.shape[1] != len(places):
        raise ValueError(f"independent names {len(places)} variables, the system has {G.shape[1]} freedoms. Name as "
                         f"many as it has.")
    G = G[:, [ascending.index(x) for x in places]]
    qd = G @ yd + own                                           # own: of joints that move with time
    g = constraint_solution(K, loop_constraints(model, q, qd, t=t)[1], tolerance, tuple(ascending))[1]
    return Coordinates(q, qd, G, g)


def independent_accelerations(model, coordinates, tau, f_ext=None, t=0.0, tau_loop=None):
    """ydd (m): forward dynamics in independent variables (RBDA Eqs 8.45, 8.46).

    coordinates: from `by_closure_function` or `by_solving`. tau (nv): forces at the tree joints; f_ext, t: as for
    `rnea`; tau_loop: as for `rbdlib.book.ch08_closed_loops.bias_with_loop_forces`. Raises ValueError where a motion
    that y describes has no inertia, or G has dependent columns.
    """
    q, qd, G, g = coordinates
    tau, H = vector(tau, require_model(model).nv, "tau"), crba(model, q, t)
    C = bias_with_loop_forces(model, q, qd, f_ext, tau_loop, t)
    return solve(G.T @ H @ G, G.T @ (tau - C - H @ g))                              # (8.46)


def inverse_dynamics(model, q, qd, qdd, actuated=None, f_ext=None, t=0.0, tau_loop=None):
    """Joint forces tau (nv) that give a system with loops the accelerations qdd (RBDA Eqs 8.62, 8.63).

    q (nq), qd, qdd (nv): a motion that fulfils the loop constraints. actuated: the places in tau, from 0, of the
    freedoms that have actuators; tau is zero elsewhere. Without it all freedoms of the tree have one. Of all forces
    that give the motion the shortest are returned, the only ones of a system that is properly actuated (`actuation`).
    f_ext, t: as for `rnea`; tau_loop: known forces at loop joints, as for
    `rbdlib.book.ch08_closed_loops.bias_with_loop_forces`. Raises ValueError if qdd breaks a loop, or if the actuators
    cannot give these accelerations.
    """
    q, qd, qdd = vector(q, require_model(model).nq, "q"), vector(qd, model.nv, "qd"), vector(qdd, model.nv, "qdd")
    powered = velocity_places(model, range(model.nv) if actuated is None else actuated, "actuated")
    K, k, _, tolerance = constraints_to_rank(model, q, qd, t=t)
    # the largest number, in whose proportion results are rounded; symbols are left out
    lengths = map(values_of, (q, *(X for loop in model.loops for X in (loop.X_P, loop.X_S)), *model.X_tree[1:]))
    reach = 1 + max((np.abs(x).max(initial=0) for x in lengths if x is not None), default=0)
    motion, K_2 = qdd @ qdd + (qd @ qd) ** 2, (K * K).sum()
    _require_small(K @ qdd - k, 1e-12 * (k @ k + K_2 * motion) + 1e-24 * (reach**2 + K_2) * (1 + motion), (
        "qdd breaks the loop constraints K qdd = k by {:.2g}, so that no forces give it. Take qdd = G ydd + g, with G "
        "and g from by_closure_function, by_solving or rbdlib.book.ch08_elimination.constraint_solution."))

    G, _ = constraint_solution(K, k, tolerance)
    forces = differential_inverse_dynamics(model, q, qdd, t), bias_with_loop_forces(model, q, qd, f_ext, tau_loop, t)
    weights = sum((np.asarray(I) ** 2).sum() for I in model.inertia[1:]) * (model.gravity @ model.gravity + motion)
    tau = zeros(model.nv, G, *forces)
    tau[powered] = _shortest(G[powered].T, G.T @ (forces[0] + forces[1]),
                             (G * G).sum() * (1e-16 * sum(part @ part for part in forces) + 1e-26 * weights))
    return tau                                                                      # (8.63)


def _shortest(A, b, negligible):
    """The shortest u with A u = b; ValueError if what is left has a larger square than is negligible."""
    elimination = eliminate(A)
    A_1, B = A[elimination.rows[: elimination.rank]], dependence(elimination)       # A = B A_1
    u = A_1.T @ solve(A_1 @ A_1.T, solve(B.T @ B, B.T @ b))
    _require_small(A @ u - b, negligible, (
        f"The actuators cannot give these accelerations: G_u has rank {len(A_1)}, the system {len(A)} freedoms, and a "
        "force {:.3g} is left over. Name more places in actuated, or see actuation(...)."))
    return u


def _require_small(x, square, message):
    """Refuse numbers x (n) whose square is larger, with a message about their length; of recorded ones it is noted."""
    keep_below(x, sqrt(square))
    values, most = values_of(x), values_of([square])
    if values is not None and most is not None and values @ values > most[0]:
        raise ValueError(message.format(np.linalg.norm(values)))


class Actuation(namedtuple("Actuation", "actuated rank mobility")):
    """Effect of a set of actuators on a system with loops (RBDA 8.12); prints as a sentence.

    actuated: their places in tau.  rank: that of G_u, the number of freedoms that they control.  mobility: n - r, the
    number that there are. underactuated and redundant may both be true; proper means neither.
    """

    underactuated = property(lambda self: self.rank < self.mobility)
    redundant = property(lambda self: len(self.actuated) > self.rank)
    proper = property(lambda self: not self.underactuated and not self.redundant)

    def __str__(self):
        cases = ["underactuated"] * self.underactuated + ["redundantly actuated"] * self.redundant
        verdict = " and ".join(cases) or "properly actuated"
        number, freedoms = len(self.actuated), "freedom" if self.mobility == 1 else "freedoms"
        actuators = "1 actuator controls" if number == 1 else f"{number} actuators control"
        return f"{verdict}: {actuators} {self.rank} of {self.mobility} {freedoms}"


def actuation(model, q, actuated=None, t=0.0):
    """Control of all freedoms by actuators at the places actuated of tau, in the configuration q: an `Actuation`.

    Which places will do depends on q: at a dead centre a joint moves nothing, and an actuator there is of no use
    (RBDA 8.12 and Example 8.2).
    """
    K, k, _, of_K = constraints_to_rank(model, q, np.zeros(model.nv), t=t)
    G, _ = constraint_solution(K, k, of_K)
    places = velocity_places(model, range(model.nv) if actuated is None else actuated, "actuated")
    return Actuation(tuple(places), eliminate(G[places]).rank if places else 0, G.shape[1])


def atan2(y, x):
    """The angle (rad, -pi to pi) of the point (x, y): the four-quadrant arctangent, of any scalars and their duals."""
    duals = [z for z in (y, x) if isinstance(z, Dual)]
    if duals:
        y, x = (z if isinstance(z, Dual) else Dual(z, 0 * duals[0].partials) for z in (y, x))
        square = x.value * x.value + y.value * y.value
        return Dual(atan2(y.value, x.value), (y.partials * x.value - x.partials * y.value) / square)
    for z in (y, x):
        library = (type(z).__module__ or "").partition(".")[0]
        if library in ("sympy", "mpmath"):
            return sys.modules[library].atan2(y, x)
    return y.atan2(x) if hasattr(y, "atan2") else math.atan2(y, x)


def dependence(elimination):
    """B (n_c x r), K = B K_1 for independent rows K_1, as taken; below unit rows it has the book's Y (RBDA 8.8)."""
    rows, _, r, L, _ = elimination
    B = zeros((len(rows), r), L)
    # B L_1 = L, for the upper r rows L_1 of L
    for place, row in enumerate(rows):
        for j in reversed(range(r)):
            B[row, j] = L[place, j] - B[row, j + 1 :] @ L[j + 1 : r, j]
    return B
