"""RBDA 11.2 and 11.5 row by row: the linear complementarity problem, its quadratic programs, and its solutions.
Problems come from the contacts of random trees, whose T, H and C are found by geometry and Lagrange's equations; their
solutions are checked by trying every set of contacts, by SciPy's optimisers, and by linear programs."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.optimize import linprog, lsq_linear, minimize

from rbdlib import forward_dynamics
from rbdlib.contact.lcp import METHODS, solve_lcp
from tests.sources.helpers import close, derivative, far, points_carried, random_tree, random_unit, second_derivative

SEED = 115


def touching_tree(rng, n, n_c, repeated=False):
    """A tree with n joints and n_c pairs of points of its bodies and the base that just touch, as geometry has it.
    The normals are independent if there are no more than n, unless repeated: then every second contact repeats, or
    opposes, one of those before it."""
    tree, q, qd, tau = random_tree(rng, n), rng.normal(size=n), rng.normal(size=n), 3 * rng.normal(size=n)
    pairs, gradients = [], []
    while len(pairs) < n_c:
        p, s = sorted(rng.choice(n + 1, 2, replace=False).tolist())
        pair = p, s, rng.normal(size=3), random_unit(rng)
        slope = np.array([derivative(lambda t, e=e, pair=pair: gap(tree, q, pair)(q + t * e)) for e in np.eye(n)])
        if not repeated and len(pairs) < n and np.linalg.svd([*gradients, slope])[1][-1] < 0.1:
            continue
        pairs, gradients = [*pairs, pair], [*gradients, slope]
        if repeated and len(pairs) < n_c:
            k, sign = rng.integers(len(pairs)), rng.choice([1, -1])
            p, s, C, n_hat = pairs[k]
            pairs.append((p, s, C, n_hat) if sign == 1 else (s, p, C, n_hat))
            gradients.append(sign * gradients[k])
    T = np.array(gradients).T
    bend = np.array([second_derivative(lambda t, pair=pair: gap(tree, q, pair)(q + t * qd)) for pair in pairs])
    H, C = tree.mass_matrix(q), tree.lagrangian_bias(q, qd)
    free, M = np.linalg.solve(H, tau - C), T.T @ np.linalg.solve(H, T)
    return SimpleNamespace(tree=tree, q=q, qd=qd, tau=tau, pairs=pairs, T=T, H=H, C=C, bend=bend, free=free, M=M,
                           d=T.T @ free + bend)


def gap(tree, q, pair):
    """The distance along n_hat of the points of two bodies that are both at C when the tree is at q: a function."""
    p, s, C, n_hat = pair
    at_p, at_s = (R.T @ (C - origin) for R, origin in (tree.world_poses(q)[i] for i in (p, s)))

    def distance(q):
        poses = tree.world_poses(q)
        return n_hat @ (points_carried([at_s], poses[s])[0] - points_carried([at_p], poses[p])[0])

    return distance


def with_solution(rng, system, lam=None):
    """The same system with velocity products for which some lam is a solution: half of the contacts press."""
    n_c = len(system.d)
    lam = np.where(rng.random(n_c) < 0.5, rng.uniform(0.1, 2, n_c), 0) if lam is None else lam
    zeta_dot = np.where((lam == 0) & (rng.random(n_c) < 0.7), rng.uniform(0.1, 2, n_c), 0)
    d = zeta_dot - system.M @ lam
    return SimpleNamespace(**{**vars(system), "d": d, "bend": d - system.T.T @ system.free})


def accelerations(system, lam):
    return np.linalg.solve(system.H, system.tau - system.C + system.T @ lam)


def basic_solutions(M, d, T):
    """Every solution of which the normals of the contacts that press are independent, by trying all sets."""
    found = []
    for k in range(len(d) + 1):
        for held in map(list, combinations(range(len(d)), k)):
            if np.linalg.matrix_rank(T[:, held], tol=1e-7) < k:
                continue
            lam = np.zeros(len(d))
            lam[held] = np.linalg.solve(M[np.ix_(held, held)], -d[held])
            zeta_dot = M @ lam + d
            new = not any(np.abs(lam - other).max() < 1e-7 for other in found)
            if lam.min() > -1e-9 and zeta_dot.min() > -1e-9 and new:
                found.append(lam)
    return found


def residuals(M, d, lam):
    """How far lam is from a solution: the largest violation of the four conditions."""
    zeta_dot = M @ lam + d
    return max(-zeta_dot.min(), -lam.min(), np.abs(zeta_dot * lam).max(), 0)


def can_be_kept_apart(T, d):
    """Whether some change x of the accelerations has Tᵀ x + d >= 0."""
    return linprog(np.zeros(2 * len(T)), A_ub=np.hstack([-T.T, T.T]), b_ub=d + 1e-9, method="highs-ds").status == 0


@pytest.mark.source("RBDA-S11.2-2", "RBDA-S11.2-4")
def test_what_has_no_negative_entries_excludes_each_other_entry_by_entry_and_bodies_that_separate_need_no_force(rng):
    for a, b in rng.uniform(0, 1, (200, 2, 6)) * (rng.random((200, 2, 6)) < 0.4):
        assert (a @ b == 0) == (not (a * b).any())
    a, b = np.array([1.0, 1.0]), np.array([1.0, -1.0])
    assert a @ b == 0 and (a * b).all()                             # with signs it says nothing
    for n_c in (3, 8):                                              # M is positive definite, and singular
        M, d = touching_tree(rng, 4, n_c).M, rng.uniform(0, 2, n_c) * (rng.random(n_c) < 0.7)
        assert residuals(M, d, np.zeros(n_c)) == 0
        for answer in (solve_lcp(M, d, method) for method in METHODS):
            assert answer.lam @ answer.zeta_dot == 0 and not (answer.lam * answer.zeta_dot).any()
            close(answer.zeta_dot, d, 1e-9)
            close(M @ answer.lam, np.zeros(n_c), 1e-9)


@pytest.mark.source("RBDA-S11.2-5", "RBDA-S11.5-1", "RBDA-11.42", "RBDA-AS11.5-lcp")
@pytest.mark.parametrize("independent", [True, False])
def test_independent_normals_make_one_solution_and_dependent_ones_none_one_or_infinitely_many(rng, independent):
    seen = set()
    for case in range(9):
        problem = touching_tree(rng, 6, (1, 5, 6)[case % 3]) if independent else touching_tree(rng, 4, 7, repeated=True)
        n_c = len(problem.d)
        if independent:
            problem.d = (problem.d, 5 * rng.normal(size=n_c), np.zeros(n_c))[case // 3]
        elif case % 3:
            problem = with_solution(rng, problem, np.zeros(7) if case % 3 == 1 else None)
        else:                                                       # surfaces that close in on the body
            problem.d = 3 * rng.normal(size=7)
        M, d, T = problem.M, problem.d, problem.T
        close(M, M.T, 1e-12)
        values, rank = np.linalg.eigvalsh(M), np.linalg.matrix_rank(T, tol=1e-7)
        assert (rank == n_c and values[0] > 1e-9) if independent else (rank < 7 and abs(values[0]) < 1e-9 * values[-1])
        found = basic_solutions(M, d, T)
        assert bool(found) == can_be_kept_apart(T, d)
        for answer in (solve_lcp(M, d, method) for method in METHODS):
            seen.add(answer.status)
            assert answer.feasible == bool(found)
            if answer.feasible:
                (lam, zeta_dot), first = (answer.lam, answer.zeta_dot), M @ found[0] + d
                assert min(np.abs(lam - other).max() for other in found) < 1e-7
                assert residuals(M, d, lam) < 1e-8 * max(1, lam.max())
                close(zeta_dot, first, 1e-7)
                assert (answer.status == "non-unique") == (len(found) > 1 or squeezes(T, first))
            if answer.status == "non-unique":
                shrinking = answer.ray < 0
                step = min(answer.lam[shrinking] / -answer.ray[shrinking], default=1.0)
                other = answer.lam + step * answer.ray
                assert step > 1e-6 and residuals(M, d, other) < 1e-8 * max(1, other.max())
    assert seen == ({"unique"} if independent else {"unique", "non-unique", "infeasible"})


def squeezes(T, zeta_dot):
    """Whether forces that are in balance can be added to the only basic solution at contacts that stay."""
    on = np.abs(zeta_dot) < 1e-8
    if not on.any():
        return False
    most = linprog(-np.ones(on.sum()), A_eq=T[:, on], b_eq=np.zeros(len(T)), bounds=(0, 1), method="highs-ds")
    return -most.fun > 1e-6


@pytest.mark.source("RBDA-S11.2-6", "RBDA-S11.5-2")
def test_all_solutions_make_the_same_motion(rng):
    spread = 0
    for _ in range(3):
        problem = with_solution(rng, touching_tree(rng, 3, 7, repeated=True))
        M, d, T = problem.M, problem.d, problem.T
        found = basic_solutions(M, d, T)
        found += [rng.dirichlet(np.ones(len(found))) @ np.array(found), *(solve_lcp(M, d, m).lam for m in METHODS)]
        null = null_space(T, rcond=1e-9)
        for lam in found:
            assert residuals(M, d, lam) < 1e-7
            for image in (T, M):
                close(image @ lam, image @ found[0], 1e-7)
            close(accelerations(problem, lam), accelerations(problem, found[0]), 1e-7)
            close(null @ null.T @ (lam - found[0]), lam - found[0], 1e-6)
            spread = max(spread, np.abs(lam - found[0]).max())
    assert spread > 0.1


@pytest.mark.source("RBDA-11.41")
def test_joint_and_contact_forces_make_the_accelerations(rng):
    """Contact forces as forces on the bodies, against their image T lam in the equation of motion."""
    problem = touching_tree(rng, 6, 5)
    for lam in (rng.uniform(0, 3, 5), solve_lcp(problem.M, problem.d).lam):
        f_ext = np.zeros((7, 6))
        for (p, s, C, n_hat), force in zip(problem.pairs, lam, strict=True):
            pushed = force * np.concatenate([np.cross(C, n_hat), n_hat])
            f_ext[s], f_ext[p] = f_ext[s] + pushed, f_ext[p] - pushed
        qdd = forward_dynamics(problem.tree.model(), problem.q, problem.qd, problem.tau, f_ext)
        close(problem.H @ qdd + problem.C, problem.tau + problem.T @ lam, 1e-9)
    assert lam.max() > 0
    # and the gaps follow: their second derivative along this motion is zeta_dot
    q, qd = problem.q, problem.qd
    follow = np.array([second_derivative(lambda t, pair=pair: gap(problem.tree, q, pair)(q + t * qd + t * t / 2 * qdd))
                       for pair in problem.pairs])
    close(follow, problem.M @ lam + problem.d, 1e-5)
    assert follow.min() > -1e-5


@pytest.mark.source("RBDA-11.43", "RBDA-S11.5-3", "RBDA-AS11.5-lcp")
def test_the_least_value_of_the_quadratic_function_is_at_the_solution(rng):
    for n, n_c, repeated in ((6, 5, False), (3, 6, True)):
        problem = with_solution(rng, touching_tree(rng, n, n_c, repeated))
        M, d, T = problem.M, problem.d, problem.T

        def objective(lam, M=M, d=d):
            return lam @ M @ lam / 2 + lam @ d

        least = minimize(objective, np.ones(n_c), jac=lambda lam, M=M, d=d: M @ lam + d, bounds=[(0, None)] * n_c,
                         method="L-BFGS-B", options={"ftol": 1e-16, "gtol": 1e-10, "maxiter": 10000})
        for answer in (solve_lcp(M, d, method) for method in METHODS):
            at, zeta_dot = answer.lam, answer.zeta_dot
            close(T @ least.x, T @ at, 1e-4)
            close(M @ least.x + d, zeta_dot, 1e-4)
            assert objective(at) <= least.fun + 1e-9 * abs(least.fun)
            # the Kuhn-Tucker conditions: zeta_dot is the gradient, which is to say the multiplier of lam >= 0
            slopes = np.array([derivative(lambda t, e=e, at=at: objective(at + t * e)) for e in np.eye(n_c)])
            close(slopes, zeta_dot, 1e-9)
            assert slopes.min() > -1e-9 and np.abs(slopes * at).max() < 1e-9


def least_constraint(problem, start):
    """The accelerations of (11.44), by sequential quadratic programming."""
    def distance(qdd):
        return (qdd - problem.free) @ problem.H @ (qdd - problem.free) / 2

    limits = {"type": "ineq", "fun": lambda qdd: problem.T.T @ qdd + problem.bend, "jac": lambda qdd: problem.T.T}
    return minimize(distance, start, jac=lambda qdd: problem.H @ (qdd - problem.free), constraints=[limits],
                    method="SLSQP", options={"ftol": 1e-15, "maxiter": 500})


@pytest.mark.source("RBDA-11.44", "RBDA-Q11.5-1", "RBDA-S11.5-4")
def test_the_accelerations_are_the_nearest_that_keep_the_bodies_apart_and_give_the_forces_back(rng):
    """From wherever they are sought they are the same, also where each contact is there twice and lam is not unique."""
    once, twice = with_solution(rng, touching_tree(rng, 5, 4)), touching_tree(rng, 4, 4)
    twice.T = np.column_stack([twice.T, twice.T])
    twice.M, twice.d = twice.T.T @ np.linalg.solve(twice.H, twice.T), np.append(twice.d, twice.d)
    twice.d[[0, 4]] = -np.abs(twice.d[0]) - 1
    twice.bend = twice.d - twice.T.T @ twice.free
    for problem, status in ((once, "unique"), (twice, "non-unique")):
        T, bend, free, answer = problem.T, problem.bend, problem.free, solve_lcp(problem.M, problem.d)
        assert answer.status == status and answer.lam.max() > 0.1
        for start in (*(free + rng.normal(size=(2, len(free)))), free):
            least = least_constraint(problem, start)
            close(least.x, accelerations(problem, answer.lam), 1e-5)
        qdd, on = least.x, np.flatnonzero(np.abs(T.T @ least.x + bend) < 1e-5)
        assert (T.T @ qdd + bend).min() > -1e-5
        far(qdd, free)
        # forces where nothing separates, and nowhere else, that make up what the equation of motion lacks
        wanted, lam = problem.H @ qdd + problem.C - problem.tau, np.zeros(len(bend))
        lam[on] = lsq_linear(T[:, on], wanted, (0, np.inf), method="bvls", tol=1e-14).x
        close(T @ lam, wanted, 1e-4)
        close(T @ lam, T @ answer.lam, 1e-4)
        assert set(np.flatnonzero(answer.zeta_dot == 0)) == set(on)
        # equality constraints in place of the inequalities: Gauss' own principle
        equal = np.linalg.pinv(problem.M[np.ix_(on, on)], rcond=1e-9) @ problem.d[on]
        close(free - np.linalg.solve(problem.H, T[:, on]) @ equal, qdd, 1e-5)


@pytest.mark.source("RBDA-S11.5-7")
def test_the_contacts_that_press_have_independent_normals(rng):
    supplemented = 0
    for case in range(9):
        lam = np.zeros(7) if case % 5 == 0 else None                # contacts that touch and do not press
        problem = with_solution(rng, touching_tree(rng, 3, 7, repeated=True), lam)
        T, answer = problem.T, solve_lcp(problem.M, problem.d, list(METHODS)[case % 3])
        current, pressing, active = answer.zeta_dot == 0, answer.lam > 0, list(answer.basis)
        assert np.linalg.matrix_rank(T[:, pressing], tol=1e-7) == pressing.sum()
        # the current set, from the motion; the active set is a basis of it that holds all that press
        close(current, np.abs(T.T @ accelerations(problem, answer.lam) + problem.bend) < 1e-8)
        rank = np.linalg.matrix_rank(T[:, current], tol=1e-7)
        assert np.linalg.matrix_rank(T[:, active], tol=1e-7) == len(active) == rank
        assert set(np.flatnonzero(pressing)) <= set(active) <= set(np.flatnonzero(current))
        extra = sorted(set(active) - set(np.flatnonzero(pressing)))
        assert not answer.lam[extra].any() and not answer.zeta_dot[extra].any()
        supplemented += bool(extra)
    assert 0 < supplemented < 9
