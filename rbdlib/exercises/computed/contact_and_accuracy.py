"""Computed answers about contact, accuracy and programs (notebooks 20 to 26, sheet RBDA 11)."""

from dataclasses import astuple
from math import cos, degrees, pi, sin

import numpy as np

from rbdlib.analysis.operation_counts import crba_cost_on_tree
from rbdlib.exercises.computed.draws import positive
from rbdlib.exercises.declare import Computed


def _legs(rng):
    """Forces, and a ray with entries of both signs."""
    n = int(rng.integers(4, 7))
    return rng.uniform(0.5, 10, n), rng.uniform(0.2, 1, n) * [(-1) ** i for i in range(n)]


def _load_range(lam, ray):
    return [max((-lam / ray)[ray > 0]), min((-lam / ray)[ray < 0])]


def _contacts(rng):
    """M and d of four contacts of a body, with independent normals; now and then all of them part by themselves.

    >>> from rbdlib.contact import solve_lcp
    >>> problems = [_contacts(np.random.default_rng(seed)) for seed in range(20)]
    >>> all(np.allclose(lemke(M, d)[1:], solve_lcp(M, d).lam) for M, d in problems)
    True
    """
    M, d = positive(rng, 4, 0.1 * np.eye(4)), rng.normal(size=4)
    return M, abs(d) if rng.random() < 0.25 else d


def lemke(M, d):
    """Exercise 20.10."""
    n = len(d)
    if min(d) >= 0:
        return np.zeros(1 + n)
    W = np.column_stack([np.eye(n), -M, -np.ones(n), d])
    basic, entering, row, pivots = list(range(n)), 2 * n, int(np.argmin(d)), 0
    while pivots < 40:                                  # where d has ties, the method might go on for ever
        W[row] = W[row] / W[row, entering]
        others = [i for i in range(n) if i != row]
        W[others] = W[others] - np.outer(W[others, entering], W[row])
        leaving, basic[row], pivots = basic[row], entering, pivots + 1
        entering = (leaving + n) % (2 * n)
        rows = np.flatnonzero(W[:, entering] > 1e-12)
        if leaving == 2 * n or not len(rows):
            break
        row = int(min(rows, key=lambda i: W[i, -1] / W[i, entering]))
    return np.array([pivots, *(W[basic.index(n + i), -1] if n + i in basic else 0 for i in range(n))])


def _blows(rng):
    """H, T, qd and e of an impact: of balls in a row, of which the first comes, or of any body with three contacts."""
    if rng.random() < 0.4:
        H, T = np.diag(rng.uniform(0.5, 3, 4)), np.eye(4)[:, 1:] - np.eye(4)[:, :-1]
        return H, T, np.eye(4)[0], rng.choice([0.0, 0.5, 1.0], 3)
    return positive(rng, 4, 0.2 * np.eye(4)), rng.normal(size=(4, 3)), rng.normal(size=4), rng.uniform(0, 1, 3)


def two_phases(H, T, qd, e):
    """Exercise 21.10."""
    from rbdlib import contact

    steps = np.linalg.solve(H, T)
    M = T.T @ steps
    lam = contact.solve_lcp(M, T.T @ qd).lam
    qd = qd + steps @ (lam + e * lam)
    return qd + steps @ contact.solve_lcp(M, T.T @ qd).lam


def _by_rule(rule):
    """Exercise 21.10 by one of the library's rules."""

    def after(H, T, qd, e):
        from rbdlib.contact.impact import Impulses, Response

        A = np.linalg.solve(H, T)
        response = Response(T.T @ A, A, T.T @ qd, np.abs(T).T @ np.abs(qd))
        return qd + A @ Impulses(rule, response, e).lam

    return after


def _wheel(rng):
    """A speed after an impact, and the numbers of some rimless wheel on some slope."""
    return (float(rng.uniform(2, 4)), float(rng.uniform(0.5, 0.95)), float(rng.uniform(20, 60)),
            float(rng.uniform(0.2, 0.5)), float(rng.uniform(0.02, 0.15)))


def next_speed(omega, rho, kappa, alpha, gamma):
    """Exercise 21.7."""
    return rho * np.sqrt(omega**2 + 4 * kappa * np.sin(gamma) * np.sin(alpha))


def _least_slope(before_impact=False):
    """The slope on which the wheel with 8 legs and k = 1/4 just passes the top at the speed that it keeps."""
    from scipy.optimize import brentq

    alpha, k = pi / 8, 0.25
    rho = (k + cos(2 * alpha)) / (k + 1)
    kept = 1 if before_impact else rho**2
    return brentq(lambda gamma: kept * 4 * sin(gamma) * sin(alpha) / (1 - rho**2) - 2 * (1 - cos(alpha - gamma)),
                  1e-3, alpha)


def hunt_crossley(p, pdot, K, D, n):
    """Exercise 22.4."""
    return 0.0 if p > 0 else max(0.0, K * abs(p) ** n - D * abs(p) ** n * pdot)


def _pushes(rng):
    """f_stick, f_n, mu: inside the cone, far outside, and with one large component."""
    angle = rng.uniform(0, 6.28)
    return rng.choice([3.0, 9.0, 30.0]) * np.array([np.cos(angle), np.sin(angle)]), 20.0, 0.5


def _friction(f_stick, f_n, mu):
    return min(1, mu * f_n / np.hypot(*f_stick)) * f_stick


def _patch(rng):
    """p, pdot, v, z, x, K_n, D_n, K_t, D_t, mu of a patch that sticks, slips, is let go of, or is not touched."""
    z = float(rng.uniform(-0.012, -0.004))
    p = z if rng.random() < 0.8 else z + 0.003
    v, x = rng.normal(0, 0.2, 2), rng.normal(0, 0.004, 2)
    return p, rng.choice([-0.3, 0.1, 2.0]), v, z, x, 1500.0, 15.0, 1000.0, 10.0, 0.6


def soft_forces(p, pdot, v, z, x, K_n, D_n, K_t, D_t, mu):
    """Exercise 22.10."""
    f_n = 0.0 if p > z else max(0.0, -K_n * p - D_n * pdot)
    f_stick = -K_t * x - D_t * v
    f_t = min(1, mu * f_n / np.linalg.norm(f_stick)) * f_stick
    return np.array([f_n, *f_t, -(K_n * z + f_n) / D_n, *(-(K_t * x + f_t) / D_t)])


def _two_intervals(rng):
    """Two intervals, given as pairs; now and then one that lies above 0."""
    pairs = [sorted(rng.uniform(-3, 3, 2).tolist()) for _ in range(2)]
    up = 3.5 if rng.random() < 0.3 else 0
    return tuple(tuple(round(x + up * k, 2) for x in pair) for k, pair in enumerate(pairs))


def _product(a, b):
    corners = [x * y for x in a for y in b]
    return [min(corners), max(corners)]


def _interval_program(rng):
    """Eight lines on three intervals; what divides lies on one side of zero, and nothing grows large.

    >>> from operator import add, mul, sub, truediv
    >>> from rbdlib.numbers.intervals import Interval
    >>> lines, inputs = _interval_program(np.random.default_rng(0))
    >>> values = [Interval(*pair) for pair in inputs]
    >>> for sign, x, y in lines:
    ...     values.append({"+": add, "-": sub, "*": mul, "/": truediv}[sign](values[x], values[y]))
    >>> wide = enclosed(lines, inputs)
    >>> all(low <= x.low and x.high <= high for (low, high), x in zip(wide, values))
    True
    """
    inputs = np.sort(rng.integers(-3000, 3000, (3, 2)), axis=1) / 1024 + [[0, 0.125], [4, 4.125], [-4, -3.875]]
    lines = [("-", 0, 0), ("*", 0, 0), ("/", 1, 2), ("*", 1, 0)]
    while len(lines) < 8:
        sign, (x, y) = str(rng.choice(["+", "-", "*", "/"])), rng.integers(0, 3 + len(lines), 2).tolist()
        known = enclosed(lines, inputs.tolist())
        if sign != "/" or known[y, 0] > 0.25 or known[y, 1] < -0.25:
            longer = [*lines, (sign, x, y)]
            lines = longer if abs(enclosed(longer, inputs.tolist())).max() < 100 else lines
    return lines, inputs.tolist()


def enclosed(lines, inputs):
    """Exercise 23.10."""
    bounds = list(inputs)
    for sign, x, y in lines:
        a, b = bounds[x], bounds[y]
        if sign == "+":
            results = [a[0] + b[0], a[1] + b[1]]
        elif sign == "-":
            results = [a[0] - b[1], a[1] - b[0]]
        elif sign == "*":
            results = [s * t for s in a for t in b]
        else:
            results = [s / t for s in a for t in b]
        low, high = min(results), max(results)
        bounds.append((np.floor(1024 * low) / 1024, np.ceil(1024 * high) / 1024))
    return np.array(bounds)


def _one_number(sign, low, high):
    """The true bounds of x - x and so on for one number x that is between two bounds."""
    squares = sorted([low**2, high**2])
    return {"+": (2 * low, 2 * high), "-": (0, 0), "/": (1, 1),
            "*": (0 if low < 0 < high else squares[0], squares[1])}[sign]


def _from_the_middle(a, b):
    """Bounds of a product from midpoints and half widths, which are wider than need be."""
    (x, r), (y, s) = ((np.mean(pair), np.ptp(pair) / 2) for pair in (a, b))
    spread = abs(x) * s + abs(y) * r + r * s
    return x * y - spread, x * y + spread


def _amplification(H, tau, dtau):
    relative = np.linalg.norm(dtau) / np.linalg.norm(tau)
    return np.linalg.norm(np.linalg.solve(H, dtau)) / np.linalg.norm(np.linalg.solve(H, tau)) / relative


def _parents(rng):
    """The parents of a tree, of up to ten bodies and with two of them on the base at least."""
    n = int(rng.integers(4, 11))
    return ([0, *(int(rng.integers(0, i)) for i in range(2, n)), 0],)


def executions_of_line_13(parent):
    """Exercise 24.3."""
    depth = [0]
    for p in parent:
        depth.append(depth[p] + 1)
    return sum(k - 1 for k in depth[1:])


def _branching(rng):
    """The parents of a tree whose trunk has three limbs, the last of them the largest, and of one body beside it."""
    return ([0, 1, 1, 1, 2, 4, 6, *(int(rng.integers(6, i)) for i in range(8, int(rng.integers(9, 13)))), 0],)


def crba_cost(parent):
    """Exercise 24.9."""
    n = len(parent)
    carried = [1] * (n + 1)
    for i in range(n, 0, -1):
        carried[parent[i - 1]] += carried[i]
    m, a = 0, 0
    for h in range(1, n + 1):
        children = [i for i in range(1, n + 1) if parent[i - 1] == h]
        children.sort(key=lambda i: carried[i], reverse=True)
        for i in children:
            if i == children[0]:
                m, a = m + 32 + 20 * carried[i], a + 43 + 12 * carried[i]
            else:
                m, a = m + 47 + 24 * carried[i], a + 58 + 18 * carried[i]
    return [m, a]


def _program(rng):
    """The operands of ten variables, the first three of them inputs, and the number of an output near the end."""
    of_two = [sorted(rng.choice(k, size=2, replace=False).tolist()) for k in range(3, 10)]
    return [[], [], [], *of_two], int(rng.integers(7, 10))


def _needed(operands, output):
    used = [0] * len(operands)
    used[output] = 1
    for k in reversed(range(len(operands))):
        if used[k]:
            for x in operands[k]:
                used[x] = 1
    return used


def _repetitive(rng):
    """Three inputs and twelve lines, many of which repeat an earlier one with equal operands, in either order."""
    lines = []
    for k in range(12):
        sign, operands = rng.choice(["+", "-", "*"]), rng.choice(3 + k, 2)
        if k > 2 and rng.random() < 0.6:
            equal = shared(3, lines)
            sign, *repeated = lines[rng.integers(k)]
            alike = [[z for z in range(3 + k) if equal[z] == equal[x]] for x in repeated]
            operands = rng.permutation([rng.choice(variables) for variables in alike])
        lines.append((str(sign), *operands.tolist()))
    return 3, lines


def shared(n, lines):
    """Exercise 25.9."""
    equal, known = list(range(n)), {}
    for sign, x, y in lines:
        x, y = equal[x], equal[y]
        if sign != "-":
            x, y = sorted([x, y])
        equal.append(known.setdefault((sign, x, y), len(equal)))
    return equal


def _two_arrays(rng):
    right = rng.uniform(-3, 3, 6)
    return right + rng.normal(0, 0.2, 6), right


def _relative_error(yours, right):
    return np.abs(yours - right).max() / np.abs(right).max()


def _terms_and_right_values(rng):
    """Values of five terms in four states, and right ones: by a factor on one term, on two terms, or the same.

    In the first state the difference is also twice the first term.

    >>> terms = np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 1.0]])
    >>> [list(map(float, culprit(terms, terms @ factors))) for factors in ([1, 1, 2], [1, 1, 1], [2, 1, 3])]
    [[2.0, 2.0], [-1.0, 1.0], [-1.0, 0.0]]
    """
    terms, number, kind = rng.choice([-1, 1], (4, 5)) * rng.uniform(0.5, 3, (4, 5)), rng.integers(1, 5), rng.random()
    ratio = rng.choice([-2.0, -1.0, -0.5, 1.0])
    missing = ratio * terms[:, number] + (kind > 0.8) * rng.normal(size=4)
    if kind > 0.15:
        terms[0, 0] = missing[0] / 2
    return terms, terms.sum(axis=1) + (kind > 0.15) * missing


def culprit(terms, right):
    """Exercise 26.9."""
    missing = right - terms.sum(axis=1)
    if np.allclose(missing, 0):
        return [-1, 1]
    for k in range(terms.shape[1]):
        ratios = missing / terms[:, k]
        if np.ptp(ratios) < 1e-9:
            return [k, 1 + ratios[0]]
    return [-1, 0]


ANSWERS = {
    "20.4": Computed(_load_range, inputs=_legs),
    "20.10": Computed(lemke, inputs=_contacts),
    "21.7": Computed(next_speed, inputs=_wheel),
    "21.8": Computed(_least_slope, mistakes={
        "degrees": lambda: degrees(_least_slope()), "entry": lambda: _least_slope(before_impact=True)}),
    "21.10": Computed(_by_rule("poisson"), inputs=_blows, answer=two_phases, mistakes={
        "rule": _by_rule("newton"), "rule 2": _by_rule("sequential")}),
    "22.4": Computed(hunt_crossley, inputs=lambda rng: (
        rng.choice([-0.02, -0.01, 0.01]), rng.choice([-1.5, 0.5, 4.0]), 1e5, 4e4, rng.choice([1.5, 2.0]))),
    "22.6": Computed(_friction, inputs=_pushes),
    "22.10": Computed(soft_forces, inputs=_patch),
    "23.4": Computed(_product, inputs=_two_intervals),
    "23.8": Computed(_amplification,
        inputs=lambda rng: (positive(rng, 3, np.diag([0.1, 1, 5])), rng.normal(size=3), 0.01 * rng.normal(size=3))),
    "23.10": Computed(enclosed, inputs=_interval_program),
    "24.3": Computed(executions_of_line_13, inputs=_parents),
    "24.9": Computed(lambda parent: astuple(crba_cost_on_tree(parent)), inputs=_branching, answer=crba_cost),
    "25.3": Computed(_needed, inputs=_program),
    "25.9": Computed(shared, inputs=_repetitive),
    "26.4": Computed(_relative_error, inputs=_two_arrays),
    "26.9": Computed(culprit, inputs=_terms_and_right_values)}
