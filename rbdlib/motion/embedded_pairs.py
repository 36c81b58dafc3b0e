"""Runge-Kutta methods that choose their steps: two orders from the same stages tell how far to go (RBDA 11.5).

E. Hairer, S. P. Nørsett and G. Wanner, *Solving Ordinary Differential Equations I*, sections II.4 to II.6 and II.10,
explain them. The coefficients are those of SciPy's integrators of the same names, and so are the steps, but for
rounding. The state y is one array here, and rate(t, y) its rate of change; the functions below are also recorded and
compiled as they stand, for all entries of y alike (see `rbdlib.compile.step_source`).
"""

from collections import namedtuple

from scipy import integrate

from rbdlib.numbers.scalars import sqrt


class Pair(namedtuple("Pair", "A B C E order norm interpolation between")):
    """A method of two orders. A, B, C: its tableau; E: weights of the rates in each estimate of the error.

    order: of the estimate; norm(s, n): one number from the sums s of squares of n scaled errors; interpolation(pair,
    rate, t, y, y_new, k, dt): coefficients within the step; between(y, coefficients, dt, x): the state at t + x dt.
    """


def pair_step(pair, rate, t, y, k1, dt):
    """One step from y with the rate k1: the state at t + dt, and the rates of all stages, the last of them there."""
    k = [k1]
    for a, c in zip(pair.A[1:], pair.C[1:], strict=True):
        k.append(rate(t + c * dt, y + dt * _sum(a, k)))
    y_new = y + dt * _sum(pair.B, k)
    return y_new, [*k, rate(t + dt, y_new)]


def pair_errors(pair, k, dt):
    """Estimates of the error of a step whose stages had the rates k."""
    return [dt * _sum(e, k) for e in pair.E]


def _sum(weights, k):
    return sum(w * rate for w, rate in zip(weights, k, strict=False) if w != 0)


# Dormand and Prince's method of order 8 has errors of orders 5 and 3, and three more stages for an interpolant of 7


def _interpolation_853(pair, rate, t, y, y_new, k, dt):
    first, last, k = k[0], k[-1], list(k)
    for a, c in zip(integrate.DOP853.A_EXTRA, integrate.DOP853.C_EXTRA, strict=True):
        k.append(rate(t + c * dt, y + dt * _sum(a, k)))
    change = y_new - y
    higher = [dt * _sum(d, k) for d in integrate.DOP853.D]
    return [change, dt * first - change, 2 * change - dt * (last + first), *higher]


def _between_853(y, F, dt, x):
    change = F[6]
    for power, f in zip((x, 1 - x, x, 1 - x, x, 1 - x), reversed(F[:6]), strict=True):
        change = f + power * change
    return y + x * change


#: The pairs by the names that SciPy gives them; of RK45 with Shampine's interpolant of order 4.
PAIRS = {
    "RK45": Pair(integrate.RK45.A, integrate.RK45.B, integrate.RK45.C, (integrate.RK45.E,), 4,
                 lambda s, n: sqrt(s[0] / n),
                 lambda pair, rate, t, y, y_new, k, dt: [_sum(p, k) for p in integrate.RK45.P.T],
                 lambda y, Q, dt, x: y + dt * x * (Q[0] + x * (Q[1] + x * (Q[2] + x * Q[3])))),
    "DOP853": Pair(integrate.DOP853.A, integrate.DOP853.B, integrate.DOP853.C,
                   (integrate.DOP853.E5, integrate.DOP853.E3), 7,
                   lambda s, n: s[0] / sqrt((s[0] + 0.01 * s[1]) * n), _interpolation_853, _between_853),
}
