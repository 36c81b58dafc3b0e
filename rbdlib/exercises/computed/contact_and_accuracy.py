"""Computed answers about contact, accuracy and programs (notebooks 20 to 26, sheet RBDA 11)."""

from dataclasses import astuple
from itertools import product
from math import cos, degrees, pi, sin
from operator import mul, sub, truediv

import numpy as np

from rbdlib.analysis.operation_counts import D_1, crba_cost_on_tree, depths
from rbdlib.exercises.computed.draws import left_out, positive, unchanged
from rbdlib.exercises.declare import Computed


def _legs(rng):
    """Forces, and a ray with entries of both signs."""
    n = int(rng.integers(4, 7))
    return rng.uniform(0.5, 10, n), rng.uniform(0.2, 1, n) * [(-1) ** i for i in range(n)]


def _load_range(lam, ray):
    return [max((-lam / ray)[ray > 0]), min((-lam / ray)[ray < 0])]


def _contacts(rng):
    """M and d of four contacts of a body, with independent normals; now and then all of them part by themselves."""
    M, d = positive(rng, 4, 0.1 * np.eye(4)), rng.normal(size=4)
    return M, abs(d) if rng.random() < 0.25 else d


def _lemke(M, d, *, first=np.argmin, covering=lambda d: np.ones(len(d)), sign=-1, allowed=lambda column: column > 1e-12,
           best=min, partner=lambda leaving, pivots, n: (leaving + n) % (2 * n), others=1, checked=True,
           forces=lambda i, name: name):
    """Exercise 20.10: Lemke's method. forces: which one's value stands in row i of the variable with this name.

    >>> from rbdlib.contact import solve_lcp
    >>> problems = [_contacts(np.random.default_rng(seed)) for seed in range(20)]
    >>> all(np.allclose(_lemke(M, d)[1:], solve_lcp(M, d).lam) for M, d in problems)
    True
    """
    n = len(d)
    if checked and min(d) >= 0:
        return np.zeros(1 + n)
    W = np.column_stack([np.eye(n), sign * M, -covering(d), d])
    basic, entering, row, pivots = list(range(n)), 2 * n, int(first(d)), 0
    while pivots < 40:                                      # some of the wrong ones would go on for ever
        W[row], old = W[row] / W[row, entering], W.copy()
        for i in (i for i in range(n) if i != row):
            W[i] = W[i] - others * old[i, entering] * W[row]
        leaving, basic[row], pivots = basic[row], entering, pivots + 1
        entering = partner(leaving, pivots, n)
        rows = np.flatnonzero(allowed(W[:, entering]))
        if leaving == 2 * n or not len(rows):
            break
        row = int(best(rows, key=lambda i: W[i, -1] / W[i, entering]))
    lam = {forces(i, name): W[i, -1] for i, name in enumerate(basic) if name >= n}
    return np.array([pivots, *(lam.get(n + i, 0) for i in range(n))])


def _blows(rng):
    """H, T, qd and e of an impact: of balls in a row, of which the first comes, or of any body with three contacts."""
    if rng.random() < 0.4:
        H, T = np.diag(rng.uniform(0.5, 3, 4)), np.eye(4)[:, 1:] - np.eye(4)[:, :-1]
        return H, T, np.eye(4)[0], rng.choice([0.0, 0.5, 1.0], 3)
    return positive(rng, 4, 0.2 * np.eye(4)), rng.normal(size=(4, 3)), rng.normal(size=4), rng.uniform(0, 1, 3)


def _lam(M, d):
    from rbdlib.contact import solve_lcp

    return solve_lcp(M, d).lam


def _two_phases(H, T, qd, e, *, lcp=_lam, last=lambda e: 1):
    """Exercise 21.10, by two problems: compression, and what is returned."""
    A = np.linalg.solve(H, T)
    lam = lcp(T.T @ A, T.T @ qd)
    qd = qd + A @ (lam + e * lam)
    return qd + A @ (last(e) * lcp(T.T @ A, T.T @ qd))


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


def _next_speed(omega, rho, kappa, alpha, gamma, *, formula=lambda omega, rho, gain: rho * (omega**2 + gain) ** 0.5):
    """Exercise 21.7. gain: what omega² gains on the slope."""
    return formula(omega, rho, 4 * kappa * sin(gamma) * sin(alpha))


def _least_slope(before_impact=False):
    """The slope on which the wheel with 8 legs and k = 1/4 just passes the top at the speed that it keeps."""
    from scipy.optimize import brentq

    alpha, k = pi / 8, 0.25
    rho = (k + cos(2 * alpha)) / (k + 1)
    kept = 1 if before_impact else rho**2
    return brentq(lambda gamma: kept * 4 * sin(gamma) * sin(alpha) / (1 - rho**2) - 2 * (1 - cos(alpha - gamma)),
                  1e-3, alpha)


def _force(p, pdot, K, D, n, *, least=0.0, tested=True, powers=1):
    """Exercise 22.4: 0 above the floor and not less than 0 below. powers: how many times n the damper's exponent is."""
    return 0.0 if tested and p > 0 else max(least, K * abs(p) ** n - D * abs(p) ** (powers * n) * pdot)


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


def _patch_forces(p, pdot, v, z, x, K_n, D_n, K_t, D_t, mu, *, least=0.0, tested=True, stick=(-1000, -10),
                  limited=_friction, spring_alone=False, rates=lambda zdot, xdot, pdot, v: [zdot, *xdot]):
    """Exercise 22.10, for the stiffness and damping of _patch. stick: what times x and v the force of sticking is."""
    f_n = 0.0 if tested and p > z else max(least, -K_n * p - D_n * pdot)
    f_t = limited(stick[0] * x + stick[1] * v, -K_n * p * (f_n > 0) if spring_alone else f_n, mu)
    zdot, xdot = -(K_n * z + f_n) / D_n, -(K_t * x + f_t) / D_t
    return np.array([f_n, *f_t, *rates(zdot, xdot, pdot, v)])


def _two_intervals(rng):
    """Two intervals, given as pairs; now and then one that lies above 0."""
    pairs = [sorted(rng.uniform(-3, 3, 2).tolist()) for _ in range(2)]
    up = 3.5 if rng.random() < 0.3 else 0
    return tuple(tuple(round(x + up * k, 2) for x in pair) for k, pair in enumerate(pairs))


def _corners(operation, pairs=product, ordered=True):
    """The bounds that an operation on pairs of the ends of two intervals gives; as they come if not ordered."""
    def between(a, b):
        found = [operation(x, y) for x, y in pairs(a, b)]
        return [min(found), max(found)] if ordered else found

    return between


def _crossed(a, b):
    return zip(a, b[::-1], strict=True)


def _product(a, b):
    corners = [x * y for x in a for y in b]
    return [min(corners), max(corners)]


_quotient = _corners(truediv)


def _interval_program(rng):
    """Eight lines on three intervals; what divides lies on one side of zero, and nothing grows large."""
    inputs = np.sort(rng.integers(-3000, 3000, (3, 2)), axis=1) / 1024 + [[0, 0.125], [4, 4.125], [-4, -3.875]]
    lines = [("-", 0, 0), ("*", 0, 0), ("/", 1, 2), ("*", 1, 0)]
    while len(lines) < 8:
        sign, (x, y) = str(rng.choice(["+", "-", "*", "/"])), rng.integers(0, 3 + len(lines), 2).tolist()
        known = _enclosed(lines, inputs.tolist())
        if sign != "/" or known[y, 0] > 0.25 or known[y, 1] < -0.25:
            longer = [*lines, (sign, x, y)]
            lines = longer if abs(_enclosed(longer, inputs.tolist())).max() < 100 else lines
    return lines, inputs.tolist()


def _enclosed(lines, inputs, *, minus=lambda a, b: (a[0] - b[1], a[1] - b[0]), times=_product,
              over=_quotient, rounded=(np.floor, np.ceil), at_the_end=(unchanged, unchanged), alike=None):
    """Exercise 23.10: a program run on intervals. rounded, at_the_end: how low and high ends are, to 1/1024.

    >>> from operator import add
    >>> from rbdlib.numbers.intervals import Interval
    >>> lines, inputs = _interval_program(np.random.default_rng(0))
    >>> values = [Interval(*pair) for pair in inputs]
    >>> for sign, x, y in lines:
    ...     values.append({"+": add, "-": sub, "*": mul, "/": truediv}[sign](values[x], values[y]))
    >>> wide = _enclosed(lines, inputs)
    >>> all(low <= x.low and x.high <= high for (low, high), x in zip(wide, values))
    True
    """
    between = {"+": lambda a, b: (a[0] + b[0], a[1] + b[1]), "-": minus, "*": times, "/": over}
    bounds = [tuple(pair) for pair in inputs]
    for sign, x, y in lines:
        same = alike(sign, *bounds[x]) if alike and x == y else None
        low, high = same or between[sign](bounds[x], bounds[y])
        bounds.append((rounded[0](1024 * low) / 1024, rounded[1](1024 * high) / 1024))
    return np.column_stack([way(1024 * ends) / 1024 for way, ends in zip(at_the_end, np.array(bounds).T, strict=True)])


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


def _branching(rng):
    """The parents of a tree whose trunk has three limbs, the last of them the largest, and of one body beside it."""
    return ([0, 1, 1, 1, 2, 4, 6, *(int(rng.integers(6, i)) for i in range(8, int(rng.integers(9, 13)))), 0],)


def _crba_cost(parent, *, with_screws=lambda children, carried: [max(children, key=lambda i: carried[i])], first=1,
               inward=reversed, uses=lambda i, carried, depth: carried[i], line_7=((47, 58), (32, 43)),
               line_13=((24, 18), (20, 12)), transforms=lambda i, carried: 1, chain=False):
    """Exercise 24.9: the cost of the composite-rigid-body algorithm."""
    bodies, parent = range(1, len(parent) + 1), [None, *(range(len(parent)) if chain else parent)]
    carried, cost, depth = [1] * len(parent), np.zeros(2, dtype=int), [0, *depths(parent[1:])]
    for i in inward(bodies):
        carried[parent[i]] += carried[i]
    for h in range(first, len(parent)):
        children = [i for i in bodies if parent[i] == h]
        chosen = with_screws(children, carried) if children else []
        for i in children:
            cost += transforms(i, carried) * np.array(line_7[i in chosen])
            cost += uses(i, carried, depth) * np.array(line_13[i in chosen])
    return cost.tolist()


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
            equal = _shared(3, lines)
            sign, *repeated = lines[rng.integers(k)]
            alike = [[z for z in range(3 + k) if equal[z] == equal[x]] for x in repeated]
            operands = rng.permutation([rng.choice(variables) for variables in alike])
        lines.append((str(sign), *operands.tolist()))
    return 3, lines


def _shared(n, lines, *, replaced=True, exchanged="+*", signed=True, latest=False, inputs=True):
    """Exercise 25.9: equal operations have one number."""
    equal, known = list(range(n)), {}
    for k, (sign, x, y) in enumerate(lines):
        if replaced:
            x, y = equal[x], equal[y]
        if sign in exchanged:
            x, y = sorted([x, y])
        operation, own = (sign if signed else "", x, y), n + k if inputs else k
        equal.append(known.get(operation, own))
        if latest or operation not in known:
            known[operation] = own
    return equal


def _two_arrays(rng):
    right = rng.uniform(-3, 3, 6)
    return right + rng.normal(0, 0.2, 6), right


def _relative_error(yours, right):
    return np.abs(yours - right).max() / np.abs(right).max()


def _terms_and_right_values(rng):
    """Values of five terms in four states, and right ones: by a factor on one term, on two terms, or the same.

    In the first state the difference is also twice the first term.
    """
    terms, number, kind = rng.choice([-1, 1], (4, 5)) * rng.uniform(0.5, 3, (4, 5)), rng.integers(1, 5), rng.random()
    ratio = rng.choice([-2.0, -1.0, -0.5, 1.0])
    missing = ratio * terms[:, number] + (kind > 0.8) * rng.normal(size=4)
    if kind > 0.15:
        terms[0, 0] = missing[0] / 2
    return terms, terms.sum(axis=1) + (kind > 0.15) * missing


def _culprit(terms, right, *, measured=lambda terms, right: (right - terms.sum(axis=1))[:, None] / terms,
             agree=lambda ratios: np.ptp(ratios) < 1e-9, factor=lambda ratio: 1 + ratio, first=0, checked=True,
             otherwise=lambda ratios: [-1, 0]):
    """Exercise 26.9: the term that a factor makes right.

    >>> terms = np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 1.0]])
    >>> for factors in ([1, 1, 2], [1, 1, 1], [2, 1, 3]):
    ...     print(*map(float, _culprit(terms, terms @ factors)))
    2.0 2.0
    -1.0 1.0
    -1.0 0.0
    """
    if checked and np.allclose(terms.sum(axis=1), right):
        return [-1, 1]
    ratios = measured(terms, right)
    for k, column in enumerate(ratios.T):
        if agree(column):
            return [first + k, factor(column[0])]
    return otherwise(ratios)


def _least_spread(ratios):
    k = np.ptp(ratios, axis=0).argmin()
    return [k, 1 + ratios[:, k].mean()]


def _nearest_in_size(ratios):
    k = abs(abs(ratios) - 1).sum(axis=0).argmin()
    return [k, 1 + ratios[0, k]]


ANSWERS = {
    "20.4": Computed(_load_range, inputs=_legs, mistakes={
        "sign": lambda lam, ray: np.array([-1, 1]) * min(lam / abs(ray)),
        "sign 2": lambda lam, ray: [0, _load_range(lam, ray)[1]],
        "swapped": lambda lam, ray: [min((-lam / ray)[ray > 0]), max((-lam / ray)[ray < 0])]}),
    "20.10": Computed(_lemke, inputs=_contacts, mistakes={
        "row": dict(first=lambda d: np.flatnonzero(d < 0)[0]), "ratio": dict(best=max),
        "ratio 2": dict(allowed=lambda column: abs(column) > 1e-12),
        "partner": dict(partner=lambda leaving, pivots, n: n + (pivots - 1) % n),
        "entry 2": dict(covering=lambda d: np.eye(len(d))[np.argmin(d)]), "order": dict(forces=lambda i, name: 4 + i),
        "count": dict(then=lambda found: found - np.eye(5)[0] * (found[0] > 0)),
        "complementarity": lambda M, d: [len(d), *-np.linalg.solve(M, d)],
        "complementarity 2": lambda M, d: [len(d), *np.maximum(0, -np.linalg.solve(M, d))],
        "entry 4": lambda M, d: [len(d), *np.maximum(0, -d / M.diagonal())]}),
    "21.7": Computed(_next_speed, inputs=_wheel, mistakes={
        "swapped": dict(formula=lambda omega, rho, gain: (rho**2 * omega**2 + gain) ** 0.5),
        "power": dict(formula=lambda omega, rho, gain: rho * (omega + gain**0.5)),
        "entry 3": lambda omega, rho, kappa, alpha, gamma: (
            rho * (omega**2 + 2 * kappa * (1 - cos(alpha + gamma))) ** 0.5)}),
    "21.8": Computed(_least_slope, mistakes={
        "degrees": lambda: degrees(_least_slope()), "entry": lambda: _least_slope(before_impact=True)}),
    "21.10": Computed(_by_rule("poisson"), inputs=_blows, steps=_two_phases, mistakes={
        "rule": _by_rule("newton"), "rule 2": _by_rule("sequential"), "restitution 2": dict(e=lambda e: 1 + e),
        "restitution 3": dict(e=lambda e: e - 1, last=left_out), "restitution 4": dict(last=lambda e: 1 + e),
        "restitution 5": dict(e=max), "sign": dict(lcp=lambda M, d: _lam(M, -d)),
        "complementarity": dict(lcp=lambda M, d: -np.linalg.solve(M, d)),
        "complementarity 2": dict(lcp=lambda M, d: np.maximum(0, -np.linalg.solve(M, d))),
        "coupling": dict(lcp=lambda M, d: np.maximum(0, -d / M.diagonal()))}),
    "22.4": Computed(_force, inputs=lambda rng: (
        rng.choice([-0.02, -0.01, 0.01]), rng.choice([-1.5, 0.5, 4.0]), 1e5, 4e4, rng.choice([1.5, 2.0]))),
    "22.6": Computed(_friction, inputs=_pushes, mistakes={
        "disc": lambda f_stick, f_n, mu: np.clip(f_stick, -mu * f_n, mu * f_n),
        "entry": lambda f_stick, f_n, mu: mu * f_n / np.hypot(*f_stick) * f_stick,
        "clamp": lambda f_stick, f_n, mu: f_stick}),
    "22.10": Computed(_patch_forces, inputs=_patch, mistakes={
        "disc": dict(limited=lambda f_stick, f_n, mu: np.clip(f_stick, -mu * f_n, mu * f_n)),
        "clamp 2": dict(limited=lambda f_stick, f_n, mu: f_stick),
        "sign": dict(limited=lambda f_stick, f_n, mu: -_friction(f_stick, f_n, mu)),
        "entry 2": dict(rates=lambda zdot, xdot, pdot, v: [zdot, *v]),
        "entry 3": dict(rates=lambda zdot, xdot, pdot, v: [pdot, *xdot]),
        "entry 4": dict(rates=lambda zdot, xdot, pdot, v: [zdot, *(v if np.allclose(xdot, v) else 0 * v)])}),
    "23.4": Computed(_product, inputs=_two_intervals, mistakes={
        "sign": _corners(mul, zip, ordered=False), "entry": _corners(mul, zip),
        "entry 2": lambda a, b: [x * y for x in a for y in b]}),
    "23.8": Computed(
        _amplification,
        inputs=lambda rng: (positive(rng, 3, np.diag([0.1, 1, 5])), rng.normal(size=3), 0.01 * rng.normal(size=3)),
        mistakes={
            "factor": lambda H, tau, dtau: np.linalg.norm(np.linalg.solve(H, dtau)) / np.linalg.norm(dtau),
            "entry": lambda H, tau, dtau: _amplification(H, tau, dtau) * np.linalg.norm(dtau) / np.linalg.norm(tau),
            "entry 2": lambda H, tau, dtau: np.linalg.cond(H)}),
    "23.10": Computed(_enclosed, inputs=_interval_program, mistakes={
        "sign": dict(minus=_corners(sub, zip, ordered=False)), "sign 2": dict(minus=_corners(sub, zip)),
        "entry": dict(times=_corners(mul, zip, ordered=False)), "entry 2": dict(times=_corners(mul, zip)),
        "entry 3": dict(over=_corners(truediv, _crossed, ordered=False)),
        "entry 4": dict(over=_corners(truediv, _crossed)), "wide": dict(times=_from_the_middle),
        "rounding 2": dict(rounded=(np.round, np.round)), "rounding 3": dict(rounded=(np.floor, np.floor)),
        "rounding 4": dict(rounded=(np.ceil, np.floor)),
        "rounding 5": dict(rounded=(unchanged, unchanged), at_the_end=(np.floor, np.ceil)),
        "dependency": dict(alike=_one_number)}),
    "24.3": Computed(lambda parent: D_1(parent), inputs=_parents, mistakes={
        "entry": lambda parent: sum(depths(parent)), "entry 2": lambda parent: sum(p != 0 for p in parent),
        "entry 3": lambda parent: len(parent) * (len(parent) - 1) // 2}),
    "24.9": Computed(lambda parent: astuple(crba_cost_on_tree(parent)), inputs=_branching, steps=_crba_cost, mistakes={
        "frame": dict(with_screws=lambda children, carried: children),
        "frame 2": dict(with_screws=lambda children, carried: children[:1]),
        "frame 3": dict(with_screws=lambda children, carried: [min(children, key=lambda i: carried[i])]),
        "frame 4": dict(with_screws=lambda children, carried: []), "order": dict(inward=iter),
        "entry": dict(uses=lambda i, carried, depth: carried[i] - 1), "entry 2": dict(uses=lambda i, carried, depth: 1),
        "entry 3": dict(uses=lambda i, carried, depth: depth[i] - 1),
        "entry 4": dict(transforms=lambda i, carried: carried[i])}),
    "25.3": Computed(_needed, inputs=_program, mistakes={
        "entry": lambda operands, output: [int(k in (output, *operands[output])) for k in range(len(operands))],
        "entry 2": lambda operands, output: [x and int(k != output) for k, x in enumerate(_needed(operands, output))],
        "inverse": dict(then=lambda used: 1 - np.array(used)),
        "entry 3": lambda operands, output: [int(k in (output, *sum(operands, []))) for k in range(len(operands))]}),
    "25.9": Computed(_shared, inputs=_repetitive),
    "26.4": Computed(_relative_error, inputs=_two_arrays, mistakes={
        "mistake": lambda yours, right: abs((yours - right) / right).max(),
        "mistake 2": lambda yours, right: (yours - right).max() / right.max(),
        "mistake 3": lambda yours, right: abs(yours - right).max(),
        "mistake 4": lambda yours, right: abs(yours - right).max() / abs(yours).max()}),
    "26.9": Computed(_culprit, inputs=_terms_and_right_values, mistakes={
        "entry": dict(agree=lambda ratios: abs(2 * ratios[0] - round(2 * ratios[0])) < 1e-9),
        "factor": dict(factor=lambda ratio: ratio), "factor 2": dict(factor=lambda ratio: 2 + ratio),
        "sign": dict(factor=lambda ratio: 1 - ratio),
        "sign 2": dict(measured=lambda terms, right: abs((right - terms.sum(axis=1))[:, None] / terms)),
        "inverse": dict(factor=lambda ratio: 0 if abs(1 + ratio) < 1e-9 else 1 / (1 + ratio)),
        "rounding": dict(agree=lambda ratios: False), "entry 3": dict(otherwise=_least_spread),
        "entry 4": dict(agree=lambda ratios: False, otherwise=_nearest_in_size)})}
