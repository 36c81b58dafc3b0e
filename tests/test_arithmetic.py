"""The typed vectors compute what the 6 x 6 matrices compute, and refuse what has no meaning."""

import copy
import inspect
import pickle
import sys

import numpy as np
import pytest
import sympy

from rbdlib import Model, aba, crba, load, rnea
from rbdlib.arithmetic import abi, compact, fv, motions, mv, plx, rbi, scr, screws, scrx, scry, scrz, typed
from rbdlib.book import ch02_spatial as spatial
from rbdlib.book.ch04_joints import Cylindrical, Helical, Prismatic, Reversed, Revolute
from rbdlib.book.ch05_inverse_dynamics import generalized_gravity, newton_euler
from rbdlib.compile.program import Recorded
from rbdlib.compile.simplify import Simplifier
from rbdlib.methods.generators import gu
from rbdlib.numbers.dual import Dual
from tests.sources.ch03_systems import EVERY_JOINT, random_model, shaken_joint
from tests.sources.helpers import random_mass_properties, random_rotation

SEED = 20
MOTION, FORCE = mv([1, 2, 3], [4, 5, 6]), fv([1, 2, 3], [4, 5, 6])


def draw(rng):
    """A motion, a force and the inertia of a body."""
    I = spatial.mcI(*random_mass_properties(rng))
    return mv(*rng.normal(size=(2, 3))), fv(*rng.normal(size=(2, 3))), rbi.from_matrix(I)


def random_motion(rng):
    return draw(rng)[0]


def assert_close(mine, theirs, tolerance=1e-12):
    """Agreement of a quantity and an array, to the tolerance times the largest number if that is above 1."""
    np.testing.assert_allclose(np.asarray(mine), theirs, rtol=0, atol=tolerance * max(1, np.abs(theirs).max(initial=0)))


def test_symbols_pass_through_and_half_a_turn_about_one_axis_of_symbols_is_none_about_another():
    w, m = sympy.symbols("w m", positive=True)
    momentum = rbi(m, [0, 0, 0], sympy.diag(1, 2, 3) / 2) * mv([0, 0, w], sympy.Matrix([1, 0, 0]))
    assert momentum.array.tolist() == [0, 0, 3 * w / 2, m, 0, 0]
    c, s, a = sympy.symbols("c s a")
    for E in (np.diag([1, -1, -1]), np.array([[c, s, 0], [s, -c, 0], [0, 0, -1]])):
        X = spatial.rot(E) @ spatial.xlt([a, 0, 2 * a])
        error = sympy.Matrix(compact(X).matrix - X)
        assert error.subs({c: sympy.Rational(3, 5), s: sympy.Rational(4, 5)}).is_zero_matrix


@pytest.mark.parametrize(("make", "error", "complaint"), [
    (lambda: mv([1, 2], [1, 2, 3]), ValueError, "w has shape"),
    (lambda: rbi(-1, [0, 0, 0], np.eye(3)), ValueError, "m is -1"),
    (lambda: rbi(1, [0, 0, 0], np.arange(9).reshape(3, 3)), ValueError, "I is not symmetric"),
    (lambda: rbi(1, [0, 0, 0], np.diag([1, 1, -1])), ValueError, "I has the negative eigenvalue -1"),
    (lambda: rbi(1, [0, 0, 0], np.diag([1, 1, 3])), ValueError, "m, h and I violates the triangle inequality"),
    (lambda: rbi(1, [5, 0, 0], np.eye(3)), ValueError, "m, h and I has the negative principal moment"),
    (lambda: abi(np.arange(9).reshape(3, 3), np.eye(3), np.eye(3)), ValueError, "M is not symmetric"),
    (lambda: abi(np.eye(3), np.eye(3), np.tril(1e-9 * np.ones((3, 3)))), ValueError, "I is not symmetric"),
    (lambda: abi(np.diag([1, -1e-3, 1]), np.eye(3), np.eye(3)), ValueError, "M has the negative eigenvalue -0.001"),
    (lambda: abi.from_matrix(np.arange(36).reshape(6, 6)), ValueError, r"I_A\[3:, 3:\] is not symmetric"),
    (lambda: abi.from_matrix(-np.eye(6)), ValueError, "negative eigenvalue"),
    (lambda: abi.from_matrix(np.eye(6) + np.diag([0, 0, 1e-3], 3)[:6, :6]), ValueError, "I_A is not symmetric"),
    (lambda: compact(np.ones((6, 6))), ValueError, "transform"), (lambda: typed("panda"), TypeError, "give a Model"),
    (lambda: setattr(typed(gu(2)), "gravity", 0), AttributeError, "cannot be changed"),
    (lambda: plx.from_matrix(np.eye(6)) @ FORCE, TypeError, r"X.apply\(f\), or force_transform\(X\) @ f"),
    (lambda: MOTION @ MOTION, TypeError, "mv @ mv has no meaning .* which is a motion"),
    (lambda: scrx(0.1, 0.2).apply(scrx(0.3, 0.4)), TypeError, "scr applied to scr has no meaning"),
    (lambda: MOTION.dot(MOTION), TypeError, "mv · mv has no meaning"),
    (lambda: spatial.crf(MOTION) @ MOTION, TypeError, "CrossForce @ mv has no meaning"),
    (lambda: MOTION * plx(np.eye(3), [0, 0, 0]).T, TypeError, r"mv \* TransposedTransform has no meaning"),
    (lambda: MOTION * np.ones(6), TypeError, r"mv \* array of shape \(6,\) has no meaning"),
    (lambda: MOTION / np.ones(6), TypeError, r"mv / array of shape \(6,\) has no meaning"),
    (lambda: np.ones(5) + MOTION, TypeError, r"array of shape \(5,\) \+ mv has no meaning"),
    (lambda: rbi(1, [0, 0, 0], np.eye(3)) / MOTION, TypeError, "rbi / mv has no meaning"),
    (lambda: scrz(0.3, 0.2).T @ rbi(1, [0, 0, 0], np.eye(3)) @ scrz(0.4, 0.2), TypeError, "one and the same")])
def test_what_no_body_has_and_what_has_no_meaning_is_refused(make, error, complaint):
    with pytest.raises(error, match=complaint):
        make()


@pytest.mark.parametrize("length", [1e-6, 1, 1e6])
def test_inertias_of_any_size_are_welcome(length, rng):
    m, c, I_C = random_mass_properties(rng)
    I = rbi.from_matrix(spatial.mcI(m, length * c, length**2 * I_C))
    assert rbi(I.m, I.h, I.I) == I
    I_A = I.as_abi()
    assert abi(I_A.M, I_A.H, I_A.I) == I_A == abi.from_matrix(I_A.matrix)


# Algorithms on typed models

def state(model, rng):
    q, qd = model.random_state(rng)
    return q, qd, *rng.normal(size=(2, model.nv)), rng.normal(size=(model.N_B + 1, 6))


def agree(actual, expected, tolerance=1e-10):
    assert type(actual) is np.ndarray
    assert actual.dtype == expected.dtype
    assert_close(actual, expected, tolerance)


@pytest.mark.slow
def test_every_joint_has_a_typed_form(rng):
    general_and_special_axes = [Revolute("x"), Prismatic((1, 1, 0)), Helical(0.2, (0, 1, 2)), Cylindrical("x")]
    model = random_model(rng, [*EVERY_JOINT, *general_and_special_axes, Reversed(Revolute("z")), shaken_joint()])
    twin = typed(model)
    q, qd, qdd, tau, f_ext = state(model, rng)
    for function, arguments in ((rnea, (qd, qdd, f_ext, 0.7)), (crba, (0.7,)), (aba, (qd, tau, f_ext, 0.7)),
                                (generalized_gravity, (0.7,))):
        agree(function(twin, q, *arguments), function(model, q, *arguments))
    motion, plain = newton_euler(twin, q, qd, qdd, f_ext, 0.7), newton_euler(model, q, qd, qdd, f_ext, 0.7)
    for i in model.bodies:
        for field in ("X_up", "X_0", "S", "v", "a", "f"):
            agree(np.asarray(getattr(motion, field)[i], float), getattr(plain, field)[i])


def test_a_typed_model_is_a_model_gives_formulas_and_its_joints_that_move_nothing_are_found(rng):
    model, gravity = load("four_bar"), (0, 0, -1.62)
    twin = typed(model)
    assert typed(twin) is twin
    assert str(twin) == str(model)
    assert twin == copy.deepcopy(twin) == pickle.loads(pickle.dumps(twin))
    assert twin != typed(load("panda"))
    for i in range(1, model.N_J + 1):
        assert (twin.predecessor(i), twin.successor(i)) == (model.predecessor(i), model.successor(i))
    q, qd, qdd, *_ = state(model, rng)
    agree(rnea(twin.replace(gravity=gravity), q, qd, qdd), rnea(model.replace(gravity=gravity), q, qd, qdd))
    np.testing.assert_allclose(twin.integrate(q, qd, 0.1), model.integrate(q, qd, 0.1))

    model = load("cart_pole", symbolic=True)
    twin, n = typed(model), model.nv
    q, qd, qdd = (np.array(sympy.symbols(f"{letter}1:{n + 1}")) for letter in ("q", "u", "w"))
    for function, given in ((rnea, (q, qd, qdd)), (crba, (q,)), (aba, (q, qd, qdd))):
        difference = (function(twin, *given) - function(model, *given)).ravel()
        entries = [sympy.sympify(entry) for entry in difference]
        symbols = sorted(set().union(*(entry.free_symbols for entry in entries)), key=str)
        values = {symbol: sympy.Rational(7 + 2 * k, 11) for k, symbol in enumerate(symbols)}
        assert max(abs(sympy.N(entry.subs(values), 30)) for entry in entries) < 1e-25

    with pytest.warns(UserWarning, match="moves nothing"):
        model = Model([0], [Revolute("z")], [np.eye(6)], [np.zeros((6, 6))])
    with pytest.raises(ValueError, match="no inertia"):
        aba(typed(model), [0.1], [0.0], [1.0])


# Parts

def test_columns_act_as_matrices(rng):
    S, (a, f, I), I_A = motions.from_matrix(rng.normal(size=(6, 2))), draw(rng), draw(rng)[2].as_abi()
    W, x, X, U = np.diag([2.0, 3.0]) + 0.5, rng.normal(size=2), scrz(0.3, 0.2), I_A @ S
    two = np.array([[0, 2], [1, -1], [0, 0], [2, 0], [-2, 3], [0, 1]])
    assert (S.shape, U.shape) == ((6, 2), (6, 2))
    for mine, theirs in [
        (S @ x, S.array @ x), (S.T @ f, S.array.T @ f.array), (I @ S, I.matrix @ S.array), (f @ a, f.array @ a.array),
        (S.T @ U, S.array.T @ U.array), (U.T @ a, U.array.T @ a.array), (U.T @ S, U.array.T @ S.array),
        (U @ W, U.array @ W), (U @ W @ x, U.array @ W @ x),
        (U @ W @ U.T, U.array @ W @ U.array.T), (I - U @ W @ U.T, I.matrix - U.array @ W @ U.array.T),
        (I_A - U @ W @ U.T, I_A.matrix - U.array @ W @ U.array.T), (I_A + I, I_A.matrix + I.matrix),
        (I + I_A, I.matrix + I_A.matrix), (I - I, 0 * I.matrix), (spatial.crm(a) @ S, spatial.crm(a.array) @ S.array),
        (U @ S.T, U.array @ S.array.T), (S + 2 * S - S / 2, 2.5 * S.array), (S.T @ I, S.array.T @ I.matrix),
        (-S, -S.array), (X.T @ I @ (X @ a), X.matrix.T @ I.matrix @ X.matrix @ a.array),
        (spatial.inverse_transform(X), np.linalg.inv(X.matrix)), (spatial.crm(a), spatial.crm(a.array)),
        (spatial.crf(a) @ I, spatial.crf(a.array) @ I.matrix), (X.T @ I, X.matrix.T @ I.matrix),
        (spatial.force_transform(X), spatial.force_transform(X.matrix)), (S.T, S.array.T),
        (I @ spatial.crm(a), I.matrix @ spatial.crm(a.array)), (motions.from_matrix(two) @ x, two @ x),
    ]:
        assert_close(mine, theirs)
    for last in (sympy.Symbol("p"), 1, 2):
        assert motions.from_matrix(np.array([[0, 0, 1, 0, 0, last]]).T).unit_rows == ()
    for nonsense in (lambda: S @ S, lambda: S @ np.ones(3), lambda: S + U, lambda: S + motions([a]), lambda: S.T @ a,
                     lambda: U.T @ f):
        with pytest.raises(TypeError):
            nonsense()


def test_zeros_are_neutral_but_other_arrays_are_not(rng):
    v, f, _ = draw(rng)
    for zero in (0, np.zeros(6), np.zeros(6, int), np.array([0] * 6, dtype=object)):
        assert v + zero is v
        assert zero + f is f
        assert f - zero is f
    np.testing.assert_array_equal((np.zeros(6) - f).array, -f.array)
    assert sum([v]) is v
    tiny = np.array([0, 0, 0, 0, 0, 1e-300])
    for other in (v + tiny, tiny + f, tiny - v):
        assert type(other) is np.ndarray


def test_with_plain_arrays_they_make_plain_arrays(rng):
    """A quantity and its array can be exchanged in every operation with an array of a suitable shape."""
    (v, f, I), X = draw(rng), scrz(0.3, 0.2) @ scrx(0.4, 0.5)
    S = motions([v, random_motion(rng)])
    vectors, matrices = [v, f], [I, I.as_abi(), X, X.T, spatial.force_transform(X), spatial.crm(v), spatial.crf(v),
                                 X.T @ I, spatial.crf(v) @ I]
    x, A, B = rng.normal(size=6), rng.normal(size=(6, 6)), rng.normal(size=(6, 2))
    pairs = [(m, A @ B) for m in matrices] + [(m, A) for m in matrices] + [(A, m) for m in matrices] + [
        (x, m) for m in matrices] + [(A, u) for u in vectors] + [(x, u) for u in vectors] + [
        (v, A), (f, A), (A, S), (B.T, S), (S.T, x), (S.T, A), (A, I @ S)]
    for one, two in pairs:
        np.testing.assert_allclose(np.asarray(one @ two), np.asarray(one) @ np.asarray(two), rtol=0, atol=1e-12)
        assert isinstance(one @ two, np.ndarray | np.floating)
    for q, array in [(v, x), (f, x), (I, A), (X, A), (X.T, A), (spatial.crm(v), A), (spatial.crf(v) @ I, A), (S, B)]:
        for mine, theirs in ((q + array, q.array + array), (array + q, array + q.array), (q - array, q.array - array),
                             (array - q, array - q.array), (q[:3], q.array[:3]), (-q, -q.array)):
            np.testing.assert_array_equal(np.asarray(mine), theirs)
        assert (len(q), q.shape, q.copy() is q) == (len(array), array.shape, True)
    for nonsense in (lambda: v + 1, lambda: v + A, lambda: A - I[:3], lambda: I + x, lambda: v @ np.ones(5),
                     lambda: np.ones(5) @ X):
        with pytest.raises((TypeError, ValueError)):
            nonsense()


def test_quantities_are_halved_and_compared_by_type_and_parts(rng):
    (v, f, I), X = draw(rng), scrz(0.3, 0.2) @ scrx(0.4, 0.5)
    for x in (v, f, I, I.as_abi(), motions([v])):
        assert type(x / 4) is type(x)
        np.testing.assert_array_equal((x / 4).array, x.array / 4)
    for x in (v, f, I, I.as_abi(), X, plx.of(*X.E_r), scrz(0.3, 0.2), motions([v])):
        assert x == copy.deepcopy(x)
    assert repr(MOTION) == "mv(w=[1, 2, 3], v=[4, 5, 6])" and repr(motions([MOTION])) == f"motions(columns=({MOTION},))"
    for one, other in ((v, fv(v.w, v.v)), (v, v + v), (I, I.as_abi()), (X, plx.of(*X.E_r)), (v, v.array), (v, None)):
        assert one != other


@pytest.mark.parametrize("k", [0, 1, 2])
def test_transforms_are_factored_without_loss(k, rng):
    small = [0, *(10.0 ** -np.arange(1, 18))]
    rotations = [random_rotation(rng) for _ in range(5)]
    rotations += [spatial.rx(t) @ spatial.rz(0.7) for t in small] + [spatial.ry(np.pi - t) for t in small]
    rotations += [np.round(spatial.ry(np.pi / 2) @ spatial.rx(np.pi / 2)), -np.eye(3) + 2 * np.diag([0, 0, 1])]
    for E in rotations:
        X = spatial.plucker(E, rng.normal(size=3) * 10.0 ** rng.integers(-6, 6))
        chain = compact(X, k)
        assert isinstance(chain, screws)
        assert_close(chain.matrix, X, 1e-14)
    slightly_off = X + np.kron(np.eye(2), np.full((3, 3), 1e-8))
    assert isinstance(compact(slightly_off, k), plx)            # no turns give this; its numbers stay as they are


def test_turns_are_few_when_factored_shifts_are_measured_by_shifts_and_of_symbols_what_shows_is_used(rng):
    X = spatial.rotx(np.pi / 2) @ spatial.xlt([0.3, 0, 0])
    (screw,) = compact(X).factors
    assert (screw.k, screw.c, screw.s, screw.d) == (0, 0, 1, 0.3)
    assert type(screw.c) is int
    noisy = spatial.rx(0.3) @ spatial.rx(-0.8) @ spatial.rx(0.9) + 4e-16 * np.outer([1, 0, 0], [1, 1, 1])
    two = spatial.rz(0.4) @ spatial.rx(-0.9)
    for X, axes in ((np.eye(6), []), (spatial.xlt([0.3, 0, 0.2]), [2, 0]),
                    (spatial.plucker(noisy, [0.2, 0, 0]), [0]), (spatial.plucker(two, [0.3, 0, 0]), [2, 0])):
        assert [factor.k for factor in compact(X).factors] == axes

    for length in (1e-13, 1e-6, 1e6):
        for E in (np.eye(3), random_rotation(np.random.default_rng(17)), spatial.rotx(0.4)[:3, :3]):
            shift = length * np.array([1, -0.03, 0.002])
            _, r = spatial.X_to_Er(compact(spatial.plucker(E, shift)).matrix)
            np.testing.assert_allclose(r, shift, rtol=0, atol=1e-14 * length)

    a, b, angle = sympy.symbols("a b alpha")
    X = spatial.rotx(angle) @ spatial.xlt([a, 2 * a, b])
    chain = compact(X)
    assert [(factor.k, factor.d) for factor in chain.factors][1:] == [(1, 2 * a), (2, b)]
    assert (chain.factors[0].k, chain.factors[0].c, chain.factors[0].s) == (0, sympy.cos(angle), sympy.sin(angle))
    assert all(sympy.simplify(entry) == 0 for entry in (chain.matrix - X).ravel())
    first = compact(spatial.plucker(spatial.rx(1e-9), [a, 0, b])).factors[0]
    assert (first.k, first.theta) == (0, None)                      # though its cosine is 1
    (shift,) = compact(spatial.xlt([0, a, 0])).factors
    assert (shift.k, shift.c, shift.s, shift.d) == (1, 1, 0, a)
    assert isinstance(compact(spatial.rotz(b) @ X), plx)

    # Two long shifts that nearly cancel would do for a short one across: fewer, but at the cost of digits.
    for angle in 10 ** rng.uniform(-3, -1.1, 60):
        E = spatial.rz(0.4) @ spatial.rx(angle) @ spatial.rz(-0.9)
        X = spatial.plucker(E, spatial.rz(-0.9).T @ [0, 0.5, 0.2])
        chain = compact(X)
        assert [factor.k for factor in chain.factors][:3] == [2, 0, 2]
        assert max(abs(factor.d) for factor in chain.factors) < 6
        assert_close(chain.matrix, X, 4e-15)


@pytest.mark.slow
def test_long_chains_need_no_recursion(rng):
    """A chain of more bodies than calls may be nested here."""
    model = gu(250)
    twin, q, zero = typed(model), model.random_state(rng)[0], np.zeros(250)
    f_ext, limit = {250: [0, 0, 0, 0, 0, 1]}, sys.getrecursionlimit()
    expected = rnea(model, q, zero, zero, f_ext)
    sys.setrecursionlimit(len(inspect.stack(0)) + 150)
    try:
        found = rnea(twin, q, zero, zero, f_ext)
    finally:
        sys.setrecursionlimit(limit)
    agree(found, expected)


# What motions are known to be never changes a result

@pytest.mark.parametrize("X", [scrz(0.3, 0.5), scrz(0.3, 0.5) @ scrx(0.2, -0.4), plx.from_matrix(spatial.roty(0.3))],
                         ids=["screw", "chain", "general"])
@pytest.mark.parametrize("v_J", [mv([0, 0, 0.7], [0, 0, 0]), mv([0.7, 0, 0], [0, 0, 0]), mv([0, 0, 0], [0, 0.3, 0]),
                                 mv([0, 0, 0.7], [0.4, 0, 0.6]), mv([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])],
                         ids=["z", "x", "slide", "turn and slide", "any"])
def test_forces_from_classical_accelerations_are_forces(rng, X, v_J):
    I, v_p, u, other = draw(rng)[2], *(random_motion(rng) for _ in range(3))
    I_A, more = I.as_abi(), draw(rng)[2]
    a_p = random_motion(rng) + spatial.crm(v_p) @ random_motion(rng)    # known as the acceleration of a body with v_p
    v, w, z, moved = X @ v_p + v_J, X @ u + v_J, scrz(0.3, 0.5) @ v_p + v_J, X @ v_p
    a = X @ a_p + random_motion(rng) + spatial.crm(v) @ v_J
    for velocity, acceleration in [
        *((x, X @ a_p + spatial.crm(x) @ v_J) for x in (v, w, z, moved)), (v, a), (u, a), (v_p, a_p),
        (v, X @ a_p + spatial.crm(u) @ v_J), (v, X @ a_p + spatial.crm(v) @ other),
        (v, X @ other + spatial.crm(v) @ v_J), (v, X @ a_p + 2 * v_J + spatial.crm(v) @ v_J),
        (X @ u + v_J, X @ a_p + spatial.crm(X @ u + v_J) @ v_J),
    ]:
        expected = I.matrix @ acceleration.array + spatial.crf(velocity.array) @ I.matrix @ velocity.array
        for f in (I.net_force(velocity, acceleration), I_A.net_force(velocity, acceleration),
                  I @ acceleration + spatial.crf(velocity) @ I @ velocity,
                  spatial.crf(velocity) @ I @ velocity + I @ acceleration,
                  I_A @ acceleration + spatial.crf(velocity) @ I_A @ velocity):
            assert_close(f, expected, 1e-11)
    for mixed_up, J, y in ((I @ a + spatial.crf(v) @ I @ u, I, u), (more @ a + spatial.crf(v) @ I @ v, more, v)):
        assert_close(mixed_up, J.matrix @ a.array + spatial.crf(v.array) @ I.matrix @ y.array, 1e-11)
    assert_close(I @ a + I @ v, I.matrix @ (a + v).array, 1e-11)


def test_zeros_beyond_a_joint_are_exact_numeric_or_recorded_and_a_dual_zero_is_not_nothing(rng):
    slopes = np.array([Dual(0.0, np.ones(1))] * 6)
    assert all(isinstance(entry, Dual) for entry in mv([1, 2, 3], [4, 5, 6]) + slopes)
    # Whatever the axis: rows and columns k of I^a vanish in the recording, not only in its results.
    for k in range(6):
        recorder = Simplifier(21)
        numbers = np.array([Recorded(recorder, i) for i in range(21)], dtype=object)
        I_A, S = abi.of(numbers[:6], numbers[6:15].reshape(3, 3), numbers[15:]), motions.from_matrix(np.eye(6)[:, [k]])
        U = I_A @ S
        I_a = np.asarray(I_A - U @ (1 / (S.T @ U)) @ U.T)
        assert all(type(entry) is not Recorded and entry == 0 for entry in (*I_a[k], *I_a[:, k]))
        assert sum(type(entry) is Recorded for entry in I_a.ravel()) == 25

    # D D⁻¹ is not always 1 in floats, but what is left of row and column k must be zeros that a recorder drops.
    for k in (*range(6), *[2] * 60):
        I, S = draw(rng)[2], motions.from_matrix(np.eye(6)[:, [k]])
        U = I @ S
        D_inv = 1 / np.asarray(S.T @ U)
        I_a, lost = np.asarray(I - U @ D_inv @ U.T), np.outer(I.matrix[:, k], I.matrix[k]) * D_inv
        assert not np.any(I_a[k]) and not np.any(I_a[:, k])
        tolerance = 1e-13 * np.abs(I.matrix).max()
        np.testing.assert_allclose(I_a, I.matrix - lost, rtol=0, atol=tolerance)
        half = np.asarray(U @ (0.5 * D_inv) @ U.T)                  # any other factor stays as it is
        np.testing.assert_allclose(half, lost / 2, rtol=0, atol=tolerance)


def test_products_of_chains(rng):
    five, other = (screws([(scrx, scry, scrz)[i % 3](*rng.normal(size=2)) for i in range(5)]) for _ in range(2))
    long = (five @ other) @ (other @ five)
    assert not isinstance(long, screws)
    assert_close(long.matrix, np.linalg.multi_dot([X.matrix for X in (five, other, other, five)]))
    assert_close(long.inv().matrix @ long.matrix, np.eye(6))

    right_angle = compact(spatial.rotz(np.pi / 2))
    unnamed = scr.of(2, None, np.cos(0.8), np.sin(0.8), 0.1)    # of which no angle is known
    for X, theta, d in ((scrz(0.4, 0.3) @ right_angle @ scrz(0.2, 0.1), 0.6 + np.pi / 2, 0.4),
                        (right_angle @ right_angle @ scrz(0.4, 0.3), 0.4 + np.pi, 0.3),
                        (scrz(0.4, 0.3) @ unnamed, 1.2, 0.4),
                        (unnamed @ right_angle @ scrz(0.4, 0.3), 1.2 + np.pi / 2, 0.4)):
        assert len(X.factors) == 1
        assert_close(X.matrix, scrz(theta, d).matrix, 1e-14)
