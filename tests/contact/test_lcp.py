"""The linear complementarity problem: three methods against each other, linear programs, and trying every basis."""

import sys
from fractions import Fraction
from itertools import combinations

import mpmath
import numpy as np
import pytest
import sympy
from scipy.optimize import linprog

from rbdlib.contact.lcp import APART, METHODS, OTHER_WAY, _two_contacts, solve_lcp
from tests.sources.ch11_systems import holding_sets

KINDS = ["independent", "dependent", "degenerate", "repeated", "whole numbers", "any d"]
JAM = [[1.0, -1.0], [-1.0, 1.0]]


@pytest.fixture(params=list(METHODS))
def method(request):
    return request.param


def random_lcp(rng, kind):
    """T (m x n) and d of 1 to 12 contacts, M = TᵀT; half the kinds have a solution by their construction."""
    n = rng.integers(1, 13)
    m = n + rng.integers(0, 4) if kind == "independent" else rng.integers(1, max(2, n))
    whole = kind in ("degenerate", "whole numbers")
    T = rng.integers(-2, 3, size=(m, n)).astype(float) if whole else rng.normal(size=(m, n))
    if kind == "repeated":
        T = T[:, rng.integers(0, n, size=n)] * rng.choice([1, 1, -1], size=n)
    if kind in ("independent", "any d"):
        return T, rng.normal(size=n)
    if kind == "whole numbers":
        return T, rng.integers(-2, 3, size=n).astype(float)
    lam = np.maximum(rng.normal(size=n), 0) * (rng.random(n) < 0.6)
    zeta_dot = np.maximum(rng.normal(size=n), 0) * (rng.random(n) < 0.6) * (lam == 0)
    if kind == "degenerate":
        lam, zeta_dot = np.round(2 * lam), np.round(2 * zeta_dot)
    return T, zeta_dot - T.T @ T @ lam


def jams(T, d):
    """Whether there are u >= 0 with T u = 0 and dᵀ u < 0, which is so exactly if no x has Tᵀ x + d >= 0."""
    free = linprog(np.zeros(2 * len(T)), A_ub=np.hstack([-T.T, T.T]), b_ub=d + 1e-9, method="highs-ds")
    return free.status == 2


def has_freedom(T, lam, zeta_dot):
    """Whether lam can change: x != 0 with T x = 0 where zeta_dot = 0, that presses where lam = 0."""
    if not (zeta_dot == 0).any():
        return False
    on, pressed = T[:, zeta_dot == 0], lam[zeta_dot == 0] > 0
    bounds = [(None, None) if free else (0, 1) for free in pressed]
    most = linprog(-(~pressed).astype(float), A_eq=on, b_eq=np.zeros(len(T)), bounds=bounds, method="highs-ds")
    return -most.fun > 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_the_methods_agree_with_each_other_and_with_linear_programs(kind):
    """Whether there is a solution, and whether only one, is asked of another library."""
    rng, seen = np.random.default_rng([6, KINDS.index(kind)]), set()
    for case in range(25):
        T, d = random_lcp(rng, kind)
        M = T.T @ T
        answers = [solve_lcp(M, d, method) for method in METHODS]
        statuses = {answer.status for answer in answers}
        assert len(statuses) == 1, f"case {case} of {kind}: {statuses}"
        seen |= statuses
        assert answers[0].feasible != jams(T, d), f"case {case} of {kind}"
        for answer in answers:
            require_answer(T, M, d, answer, answers[0])
        if answers[0].feasible:
            assert (answers[0].status == "non-unique") == has_freedom(T, answers[0].lam, answers[0].zeta_dot)
    expected = {"independent": {"unique"}, "whole numbers": {"unique", "non-unique", "infeasible"},
                "any d": {"unique", "infeasible"}}
    assert seen == expected.get(kind, {"unique", "non-unique"})


def require_answer(T, M, d, answer, other):
    """A solution, the same motion as in another answer, a basic lam, active contacts, and what the ray says."""
    if not answer.feasible:
        ray = answer.ray
        assert ray.min() >= 0 and d @ ray < 0 and np.abs(T @ ray).max() < 1e-10
        assert answer.lam is None and answer.zeta_dot is None and answer.basis == ()
        return
    lam, zeta_dot = answer.lam, answer.zeta_dot
    assert (lam >= 0).all() and (zeta_dot >= 0).all() and not (lam * zeta_dot).any()
    size = (np.abs(M) @ lam + np.abs(d)).max(initial=0)
    assert np.abs(M @ lam + d - zeta_dot).max(initial=0) <= 1e-11 * size
    length = 1 + np.abs(T).max() * lam.max(initial=0)
    assert np.abs(T @ (lam - other.lam)).max(initial=0) <= 1e-10 * length
    assert np.abs(zeta_dot - other.zeta_dot).max(initial=0) <= 1e-10 * size
    on = np.flatnonzero(zeta_dot == 0)
    assert set(np.flatnonzero(lam > 0)) <= set(answer.basis) <= set(on)
    assert rank(T[:, answer.basis]) == len(answer.basis) == rank(T[:, on])
    if answer.ray is not None:                  # multiples of it make other solutions, until a force would pull
        step = min([1.0, *(force / -x for force, x in zip(lam, answer.ray, strict=True) if x < 0)])
        change = step * answer.ray
        assert step > 0 and np.abs(change).max() > 1e-9 and (lam + change).min() >= -1e-12
        assert np.abs(M @ change).max() <= 1e-10 * np.abs(M).max()


def rank(A):
    return np.linalg.matrix_rank(A, tol=1e-6) if A.size else 0


def every_solution(M, d):
    """The basic solutions, by trying all sets of contacts, in fractions; each as a list."""
    n, found = len(d), []
    for k in range(n + 1):
        for held in map(list, combinations(range(n), k)):
            A = sympy.Matrix(k, k, [M[i][j] for i in held for j in held])
            if k and A.det() == 0:
                continue
            lam, forces = [sympy.Rational(0)] * n, A.LUsolve(sympy.Matrix([-d[i] for i in held])) if k else []
            for i, force in zip(held, forces, strict=True):
                lam[i] = force
            zeta_dot = [sum(M[i][j] * lam[j] for j in range(n)) + d[i] for i in range(n)]
            if min(lam) >= 0 and min(zeta_dot) >= 0:
                found.append(lam)
    return found


@pytest.mark.parametrize("method", ["lemke", "dantzig"])
def test_fractions_are_calculated_with_exactly(method):
    rng, statuses = np.random.default_rng(11), set()
    for _ in range(12):
        T = rng.integers(-2, 3, size=(2, 4))
        M = [[Fraction(int(x), 3) for x in row] for row in T.T @ T]
        d = [Fraction(int(x), 7) for x in rng.integers(-3, 4, size=4)]
        answer, all_of_them = solve_lcp(M, d, method), every_solution(M, d)
        statuses.add(answer.status)
        assert answer.feasible == bool(all_of_them)
        if answer.feasible:
            assert all(isinstance(x, Fraction | int) for x in [*answer.lam, *answer.zeta_dot])
            assert list(answer.lam) in all_of_them and (M @ answer.lam + d == answer.zeta_dot).all()
            assert answer.status == "non-unique" or len({tuple(lam) for lam in all_of_them}) == 1
        if answer.ray is not None:
            assert (np.array(M) @ answer.ray == 0).all() and max(abs(answer.ray)) == 1
    assert statuses == {"unique", "non-unique", "infeasible"}
    mixed = solve_lcp([[sympy.Rational(1, 3), 0], [0, Fraction(1, 7)]], [-1, sympy.Integer(-2)], method)
    assert list(mixed.lam) == [3, 14]


@pytest.mark.parametrize("method", ["lemke", "dantzig"])
def test_more_digits_decide_what_floats_cannot(method):
    """Two normals that differ from opposite ones by an angle of 1e-12: they hold, with a very large force."""
    with mpmath.workdps(60):
        T = np.array([[mpmath.mpf(10) ** -12] * 2, [1, -1]])
        M, d = T.T @ T, [mpmath.mpf(-1), mpmath.mpf("0.5")]
        answer = solve_lcp(M, d, method)
        assert answer.status == "unique" and isinstance(answer.lam[0], mpmath.mpf)
        assert max(abs(M @ answer.lam + np.array(d))) < mpmath.mpf(10) ** -30
        assert solve_lcp(M.astype(float), [-1.0, 0.5], method).status == "infeasible"


def wedge(a):
    """M and d of a body of mass 1 that its weight pulls into a wedge of half-angle a: two normals, nearly opposed."""
    T = np.array([[np.sin(a), np.sin(a)], [np.cos(a), -np.cos(a)]])
    return T.T @ T, -9.81 * T[0]


def test_a_narrow_wedge_holds_with_large_forces_and_one_narrower_than_rounding_is_no_jam(method):
    for a in (1e-4, 3e-6, 1e-6, 5e-7):
        M, d = wedge(a)
        for size in (None, 9.81):
            answer = solve_lcp(M, d, method, size=size)
            assert answer.status == "unique"
            np.testing.assert_allclose(answer.lam, 9.81 / (2 * np.sin(a)), rtol=1e-15 / a**2, err_msg=f"{a} {size}")

    # Its digits of M are lost, and no proof is given of what is not so.
    for a in (1e-7, 1e-8, 1e-10):
        with pytest.raises(ArithmeticError, match="Rounding errors hide the answer"):
            solve_lcp(*wedge(a), method, size=9.81)
        assert solve_lcp(wedge(a)[0], [-1, 0.5], method, size=9.81).status == "infeasible"


def test_the_units_of_measurement_make_no_difference(method):
    rng = np.random.default_rng(5)
    for case in range(24):
        T, d = random_lcp(rng, KINDS[case % len(KINDS)])
        units, unit = 10.0 ** rng.uniform(-5, 5, len(d)), 10.0 ** rng.uniform(-9, 9)
        M, plain = T.T @ T, solve_lcp(T.T @ T, d, method)
        other = solve_lcp(M * units * units[:, None], d * units * unit, method)
        assert other.status == plain.status
        if plain.feasible:
            length = np.abs(T).max() * plain.lam.max(initial=0) + 1
            assert np.abs(T @ (other.lam * units / unit - plain.lam)).max() < 1e-8 * length
            assert np.abs(other.zeta_dot / units / unit - plain.zeta_dot).max() < 1e-8 * length * np.abs(T).max()


def test_neither_light_contacts_nor_rounding_jam(method):
    for ratio in (1e-30, 1e12, 1e22, 1e60):
        np.testing.assert_allclose(solve_lcp(np.diag([1, ratio]), [-1.0, -1.0], method).lam, [1, 1 / ratio], rtol=1e-12)
    for least in (1e-310, 1e-320):                              # of which no float is the inverse
        assert solve_lcp(np.eye(2), [-least, -2 * least], method).lam.tolist() == [least, 2 * least]
    noise = [-1e-15, 1e-16]
    assert solve_lcp(JAM, noise, method).status == "infeasible"
    assert solve_lcp(JAM, noise, method, size=10.0).status == "non-unique"
    assert solve_lcp(JAM, noise, method, size=[10.0, 0.0]).status == "non-unique"
    assert solve_lcp(JAM, [-1e-3, 1e-4], method, size=10.0).status == "infeasible"
    assert solve_lcp([[2.0]], [-1e-12], method, size=10.0).lam == [0]
    # a contact that nothing moves has no unit of its own: rounding at it is measured by the largest
    assert solve_lcp(np.diag([1.0, 1, 0]), [-1, -1e-3, -1e-12], method).status == "non-unique"
    assert solve_lcp(np.diag([1.0, 1, 0]), [-1, -1e-3, -1e-6], method).status == "infeasible"

    # Opposed contacts in three dimensions whose d ought to sum up to zero.
    rng = np.random.default_rng(8)
    for short_by in (1e-16, 1e-14, 1e-13) * 4:
        T = rng.normal(size=(3, 3)) @ np.hstack([np.eye(3), -np.eye(3)])
        d = T.T @ rng.normal(size=3)
        d[:3] -= short_by * np.abs(d).max()
        answer = solve_lcp(T.T @ T, d, method)
        assert answer.status == "non-unique", short_by
        assert np.abs(T.T @ T @ answer.lam + d).max() < 1e-12
    d[:3] -= 1e-6
    assert solve_lcp(T.T @ T, d, method).status == "infeasible"


@pytest.mark.parametrize(("M", "d", "status", "lam", "zeta_dot"), [
    (np.eye(3), [-1, 0, 2], "unique", [1, 0, 0], [0, 0, 2]),
    ([[1, 1], [1, 1]], [1, 2], "unique", [0, 0], [1, 2]),           # singular, but no contact is touched
    ([[1, 1], [1, 1]], [-1, 2], "unique", [1, 0], [0, 3]),          # singular, but only one of the two can press
    ([[1, 1], [1, 1]], [0, 0], "unique", [0, 0], [0, 0]),           # singular, but forces can only add up
    (JAM, [0, 0], "non-unique", None, [0, 0]),                      # the same with opposite normals: they may squeeze
    (JAM, [1, -1], "non-unique", None, [0, 0]),
    (JAM, [1, -0.5], "unique", [0, 0.5], [0.5, 0]),
    (JAM, [1, -1.5], "infeasible", None, None),
    ([[0]], [1], "unique", [0], [1]),                               # nothing moves: a contact that cannot be helped
    ([[0]], [0], "non-unique", [0], [0]),
    ([[0]], [-1], "infeasible", None, None),
    ([[1, 0], [0, 0]], [-1, 0], "non-unique", [1, 0], [0, 0]),
    (np.zeros((0, 0)), [], "unique", [], [])])
def test_special_cases(M, d, status, lam, zeta_dot, method):
    answer = solve_lcp(M, d, method)
    assert answer.status == status and answer.feasible == (status != "infeasible")
    for found, expected in ((answer.lam, lam), (answer.zeta_dot, zeta_dot)):
        if expected is not None:
            np.testing.assert_allclose(found, expected, atol=1e-15)


def test_a_table_on_a_hundred_legs(method):
    """100 contacts of rank 3, full of ties: the weight is carried, by three legs at most."""
    x, y = np.meshgrid(np.arange(10.0), np.arange(10.0))
    T = np.array([np.ones(100), x.ravel() - 4.5, y.ravel() - 4.5])
    for at in ([0, 0], [3.3, -2.1], [4.5, 4.5], [4.5, 0]):
        load = np.array([1, *at])
        answer = solve_lcp(T.T @ T, -T.T @ load, method)
        np.testing.assert_allclose(T @ answer.lam, load, atol=1e-12)
        assert np.count_nonzero(answer.lam) <= 3 == len(answer.basis) and not answer.zeta_dot.any()
        # nothing can be shifted away from a corner, but much along an edge
        assert answer.status == ("unique" if at == [4.5, 4.5] else "non-unique")
    tipping = solve_lcp(T.T @ T, -T.T @ np.array([1, 6, 0]), method)
    assert tipping.lam @ (T[1] < 4.5) == 0 and tipping.zeta_dot[T[1] < 4.5].min() > 0


def test_lemkes_method_itself_ends_where_ties_decided_by_the_least_row_would_cycle():
    """Found by trying ten thousand small problems of which all d are equal; exact numbers go the same way."""
    T = np.array([[0, 2, 2, 2, -1], [-1, -2, -1, 1, 2], [2, 1, 0, -1, 1], [-2, 0, 1, 1, 0]])
    exact = np.array([[Fraction(int(x)) for x in row] for row in T])
    M, lam = 1.0 * T.T @ T, np.zeros(5)
    basis, ray = METHODS["lemke"](M, -np.ones(5), 1e-11)
    assert ray is None and METHODS["lemke"](exact.T @ exact, np.array([Fraction(-1)] * 5), 0) == (basis, None)
    lam[basis] = np.linalg.solve(M[np.ix_(basis, basis)], np.ones(len(basis)))
    assert lam.min() >= 0 and (M @ lam).min() > 1 - 1e-12 and abs((M @ lam - 1) @ lam) < 1e-12


def test_what_was_given_stays_the_answer_is_put_into_words_and_the_tolerance_can_be_chosen(method):
    M, d = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-1.0, -1.0])
    kept = M.copy(), d.copy()
    answer = solve_lcp(M, d, method)
    answer.lam[:], answer.zeta_dot[:] = 9, 9
    assert (M == kept[0]).all() and (d == kept[1]).all()
    for d, words in (([-1, 1], ("infinitely many", "0, 1")), ([-1, 0.5], ("no solution", "0, 1", "jammed")),
                     ([1, 1], ("one solution",))):
        assert all(word in solve_lcp(JAM, d, method).text for word in words)
    for tolerance in (0, 1e-14, 1e-6):
        np.testing.assert_allclose(solve_lcp([[2, 1], [1, 2]], [-3, -3], method, tolerance).lam, [1, 1], rtol=1e-12)
        tilted = np.array([[1e-4, 1e-4], [1, -1]])
        jam = solve_lcp(tilted.T @ tilted, [-1, 0.5], method, tolerance)
        assert jam.status == ("infeasible" if tolerance == 1e-6 else "unique"), tolerance


@pytest.mark.parametrize(("arguments", "error", "message"), [
    (([[1, 0.5], [0, 1]], [1, 1]), ValueError, "M is not symmetric"),
    (([[1, 2], [2, 1]], [1, 1]), ValueError, "M is not positive semidefinite"),
    (([[1, 0], [0, -1e-3]], [1, 1]), ValueError, "M is not positive semidefinite"),
    (([[Fraction(1), Fraction(2)], [Fraction(2), Fraction(1)]], [1, 1]), ValueError, "not positive semidefinite"),
    (([[1, 0], [0, 1]], [1]), ValueError, "M has shape"), (([[1]], [[1]]), ValueError, "d has shape"),
    (([[np.nan]], [1]), ValueError, "M contains nan"), (([[1]], [np.inf]), ValueError, "d contains inf"),
    (([[1]], ["1"]), TypeError, "d contains the text"), (([[sympy.Symbol("m")]], [1]), TypeError, "symbols"),
    (([[1]], [1j]), TypeError, "complex"), (([[1]], [1], "simplex"), ValueError, "method is 'simplex'"),
    (([[1]], [1], "lemke", -1), ValueError, "tolerance is -1"),
    (([[1]], [1], "lemke", 1), ValueError, "tolerance is 1"), (([[1]], [1], "lemke", None, [1, 2]), ValueError, "size"),
    (([[1]], [1], "lemke", None, np.nan), ValueError, "size contains nan"),
    (([[Fraction(1)]], [Fraction(1)], "qp"), TypeError, "calculates with floats")])
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        solve_lcp(*arguments)


def test_two_contacts_have_a_way_of_their_own_and_what_rounding_hides_from_one_method_another_finds(monkeypatch):
    rng, seen = np.random.default_rng(12), set()
    for a, c, k, x, y in rng.uniform([0.1, 0.1, -1, -1, -1], [9, 9, 1, 1, 1], (30, 5)):
        M, d = np.array([[a, k * np.sqrt(a * c)], [k * np.sqrt(a * c), c]]), np.array([x, y])
        if k * k < APART:
            found, (lam,) = _two_contacts(M, d, 1e-11, np.zeros(2)), holding_sets(M, d)
            np.testing.assert_allclose([found.lam, found.zeta_dot], [lam, M @ lam + d], atol=1e-9)
            seen.add(found.basis)
    assert seen == {(), (0,), (1,), (0, 1)}

    def defeated(*_):
        raise ArithmeticError

    for method in OTHER_WAY:
        monkeypatch.setitem(METHODS, method, defeated)
        np.testing.assert_allclose(solve_lcp(np.diag([1, 2, 4]), [-1, -1, 1], method).lam, [1, 0.5, 0])


def test_a_missing_library_is_named_and_one_that_gives_up_is_no_answer(monkeypatch):
    daqp = pytest.importorskip("daqp")
    monkeypatch.setattr(daqp, "solve", lambda *given, **options: (None, None, -4, {}))
    with pytest.raises(ArithmeticError, match="daqp ended with the flag -4"):
        solve_lcp(np.diag([1, 2, 4]), [-1, -1, 1], "qp")
    monkeypatch.setitem(sys.modules, "daqp", None)
    with pytest.raises(ImportError, match=r"rbdlib\[qp\]"):
        solve_lcp([[1]], [-1], "qp")
    assert solve_lcp([[1]], [-1]).lam == [1]
