"""RBDA A.3 to A.5: compact types against 6 x 6 matrices written from the definitions, and the costs of all operations.
Changes of sign and whatever is exactly 0 are free, as in the book."""

import ast
import inspect
import sys
import textwrap
from collections import Counter

import numpy as np
import pytest

from rbdlib.arithmetic import abi, compact, forces, fv, motions, mv, plx, rbi, rotations, scr, screws, scrx, scry, scrz
from rbdlib.arithmetic.rotations import full, lt, rotate_general, rotate_symmetric, turn_general, turn_symmetric
from rbdlib.arithmetic.transforms import cross_symmetric, lt_double_cross
from rbdlib.numbers.operations import APPLY, Counted
from tests.sources import helpers
from tests.sources.helpers import E_and_r, close, cross_matrix, force_coordinates, random_pose, random_rotation, turn

SEED = 343
SCREWS = {"x": scrx, "y": scry, "z": scrz}
ZERO = np.zeros((3, 3))


# Numbers that count

class Tally(Counted):
    """A number that counts what is done with it; exact zeros stay zeros and cost nothing."""
    def _did(self, operation, *values):
        if any(isinstance(x, int) and x == 0 for x in values):
            return 0 if operation == "*" else Tally(APPLY[operation](*values), self.operations)
        return super()._did(operation, *values)


def tallied(x, done):
    """The typed quantity or array with numbers that count in place of those that are not 0."""
    if isinstance(x, scr):
        made = scr.of(x.k, None, *(tallied(part, done) for part in (x.c, x.s, x.d)))
        _ = made.products
        return made
    if isinstance(x, screws):
        return screws(tallied(factor, done) for factor in x.factors)
    if hasattr(x, "parts"):
        return type(x).of(*(tallied(part, done) for part in x._parts()))
    entries = [0 if value == 0 else Tally(value, done) for value in np.ravel(x).tolist()]
    return np.array([*entries, None], dtype=object)[:-1].reshape(np.shape(x))[()]


def cost(function, *arguments):
    """(multiplications, additions) of function(*arguments); what screws know about their angle is not charged."""
    done = Counter()
    arguments = [tallied(x, done) for x in arguments]
    done.clear()
    function(*arguments)
    return done["m"], done["a"]


def cost_by_statement(function, *arguments):
    """What each statement of a function costs, what it calls included: {statement, as text: (m, a)}; and its variables.
    The variables are those of the function when it returns, with numbers in place of numbers that count."""
    code, done, costs, seen, variables = function.__code__, Counter(), {}, Counter(), {}
    statements = statements_by_line(function)
    arguments, now = [tallied(x, done) for x in arguments], None

    def note():
        m, a = costs.get(now, (0, 0))
        costs[now] = m + done["m"] - seen["m"], a + done["a"] - seen["a"]
        seen.update(Counter(done) - seen)

    def watch(frame, event, _):
        nonlocal now
        if frame.f_code is not code:
            return None
        note()
        now = statements.get(frame.f_lineno)
        if event == "return":
            variables.update(frame.f_locals)
        return watch

    done.clear()
    before = sys.gettrace()
    sys.settrace(watch)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return {text: spent for text, spent in costs.items() if any(spent)}, variables


def statements_by_line(function):
    """{number of a line: text of the statement that it is part of}; of loops and branches, their heads."""
    lines, first = inspect.getsourcelines(function)
    found = {}
    for node in ast.walk(ast.parse(textwrap.dedent("".join(lines)))):
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef):
            head = node.body[0].lineno - 1 if hasattr(node, "body") else node.end_lineno
            for line in range(node.lineno, head + 1):
                found[first + line - 1] = " ".join(ast.unparse(node).splitlines()[0].split())
    return found


def total(costs):
    return tuple(map(sum, zip(*costs, strict=True)))


def measured(costs, *beginnings):
    """(m, a) of the statements that begin like this."""
    chosen = [[spent for text, spent in costs.items() if text.startswith(beginning)] for beginning in beginnings]
    assert all(chosen), (beginnings, costs)
    return total(sum(chosen, []))


def values(x):
    """The array with numbers in place of numbers that count."""
    entries = [getattr(entry, "value", entry) for entry in np.ravel(np.array(x, dtype=object))]
    return np.array(entries, dtype=float).reshape(np.shape(x))


# Matrices from the definitions

def dense(x):
    """The 6-vector or 6 x 6 matrix for which a compact quantity stands (RBDA Table A.3)."""
    if isinstance(x, mv):
        return np.array([*x.w, *x.v], dtype=float)
    if isinstance(x, fv):
        return np.array([*x.n, *x.f], dtype=float)
    if isinstance(x, rbi):
        h = cross_matrix(x.h)
        return np.block([[symmetric(x.lt_I), h], [-h, x.m * np.eye(3)]])
    if isinstance(x, abi):
        return np.block([[symmetric(x.lt_I), x.H], [x.H.T, symmetric(x.lt_M)]]).astype(float)
    E, r = x.E_r
    return np.block([[E, ZERO], [-E @ cross_matrix(r), E]]).astype(float)


def symmetric(triangle):
    A = np.zeros((3, 3))
    A[np.tril_indices(3)] = triangle
    return A + np.tril(A, -1).T


def star(X):
    """X* of a matrix X, by solving equations."""
    return np.linalg.inv(X).T


def axis_turn(axis, theta):
    """The coordinate transform of a turn about x, y or z."""
    return turn(unit(axis), theta).T


def unit(axis):
    return np.eye(3)["xyz".index(axis)]


def block_diagonal(E):
    return np.kron(np.eye(2), E)


def dense_screw(axis, theta, d):
    """rot times xlt, as matrices."""
    shift = np.block([[np.eye(3), ZERO], [-cross_matrix(d * unit(axis)), np.eye(3)]])
    return block_diagonal(axis_turn(axis, theta)) @ shift


# Random quantities

def motion(rng):
    return mv(*rng.normal(size=(2, 3)))


def force(rng):
    return fv(*rng.normal(size=(2, 3)))


def rigid(rng):
    m, c, I_C = helpers.mass_properties(*helpers.random_cluster(rng))
    return rbi(m, m * c, I_C - m * cross_matrix(c) @ cross_matrix(c))


def articulated(rng):
    A = rng.normal(size=(6, 8))
    return abi.from_matrix(A @ A.T)


def transform(rng):
    return plx(*E_and_r(random_pose(rng), random_pose(rng)))


def beyond_joint(rng, S):
    """I^a = I^A - I^A S (Sᵀ I^A S)⁻¹ Sᵀ I^A, with exact zeros where it has them."""
    A = dense(articulated(rng))
    I_a = A - A @ S @ np.linalg.solve(S.T @ A @ S, S.T @ A)
    rows = np.flatnonzero(S.any(axis=1))
    assert np.abs(I_a @ S).max() < 1e-12
    if len(rows) == S.shape[1]:
        assert np.abs(I_a[rows]).max() < 1e-12
        I_a[rows], I_a[:, rows] = 0, 0
    return abi.from_matrix(I_a)


# Table A.3

@pytest.mark.source("RBDA-TA.3")
def test_the_types_store_what_the_table_says_and_no_more(rng):
    for x, n in ((motion(rng), 6), (force(rng), 6), (transform(rng), 12), (rigid(rng), 10), (articulated(rng), 21)):
        assert x.numbers.shape == (n,)
        close(np.asarray(x), dense(x))
    M, H, I = (articulated(rng).M, rng.normal(size=(3, 3)), articulated(rng).I)
    close(abi(M, H, I).numbers, [*M[np.tril_indices(3)], *H.ravel(), *I[np.tril_indices(3)]])

    masses, positions = helpers.random_cluster(rng)
    m, c, I_C = helpers.mass_properties(masses, positions)
    I = rbi(m, m * c, I_C - m * helpers.cross_matrix(c) @ helpers.cross_matrix(c))
    close(I.matrix, helpers.cluster_inertia(masses, positions))         # of which I is about the origin
    close(I.numbers[:4], [m, *(masses @ positions)])
    for x in (I, articulated(rng)):
        close(type(x).from_matrix(x.matrix).numbers, x.numbers)

    one, two = random_pose(rng), random_pose(rng)
    X, v, f = plx(*E_and_r(one, two)), rng.normal(size=6), rng.normal(size=6)
    close(X.matrix @ helpers.motion_coordinates(v, one), helpers.motion_coordinates(v, two))
    close(star(X.matrix) @ force_coordinates(f, one), force_coordinates(f, two))
    close(plx.from_matrix(X.matrix).numbers, X.numbers)


# Table A.4

OPERATIONS = {
    "01": (lambda x: x * 2.5, lambda x: 2.5 * x, (6, 0), motion),
    "02": (lambda x: x * 2.5, lambda x: 2.5 * x, (6, 0), force),
    "03": (lambda x: x * 2.5, lambda x: 2.5 * x, (10, 0), rigid),
    "04": (lambda x: x * 2.5, lambda x: 2.5 * x, (21, 0), articulated),
    "05": (lambda x, y: x + y, lambda x, y: x + y, (0, 6), motion, motion),
    "06": (lambda x, y: x + y, lambda x, y: x + y, (0, 6), force, force),
    "07": (lambda x, y: x + y, lambda x, y: x + y, (0, 10), rigid, rigid),
    "08": (lambda x, y: x + y, lambda x, y: x + y, (0, 21), articulated, articulated),
    "09": (lambda x, y: x + y, lambda x, y: x + y, (0, 15), articulated, rigid),
    "10": (lambda v, f: v.dot(f), lambda v, f: v @ f, (6, 5), motion, force),
    "11": (lambda u, v: u.cross(v), lambda u, v: dense_cross(u) @ v, (18, 12), motion, motion),
    "12": (lambda v, f: v.cross(f), lambda v, f: -dense_cross(v).T @ f, (18, 12), motion, force),
    "13": (lambda I, v: I @ v, lambda I, v: I @ v, (24, 18), rigid, motion),
    "14": (lambda I, v: I @ v, lambda I, v: I @ v, (36, 30), articulated, motion),
    "15": (lambda X, Y: X @ Y, lambda X, Y: X @ Y, (33, 24), transform, transform),
    "16": (lambda X: X.inv(), np.linalg.inv, (9, 6), transform),
    "17": (lambda X, v: X @ v, lambda X, v: X @ v, (24, 18), transform, motion),
    "18": (lambda X, v: X.inv_apply(v), lambda X, v: np.linalg.inv(X) @ v, (24, 18), transform, motion),
    "19": (lambda X, f: X.for_forces() @ f, lambda X, f: star(X) @ f, (24, 18), transform, force),
    "20": (lambda X, f: X.T @ f, lambda X, f: X.T @ f, (24, 18), transform, force),
    "21": (lambda X, I: X.apply(I), lambda X, I: star(X) @ I @ star(X).T, (52, 56), transform, rigid),
    "22": (lambda X, I: X.T @ I @ X, lambda X, I: X.T @ I @ X, (52, 56), transform, rigid),
    "23": (lambda X, I: X.apply(I), lambda X, I: star(X) @ I @ star(X).T, (135, 139), transform, articulated),
    "24": (lambda X, I: X.T @ I @ X, lambda X, I: X.T @ I @ X, (135, 139), transform, articulated)}


def dense_cross(v):
    return np.block([[cross_matrix(v[:3]), ZERO], [cross_matrix(v[3:]), cross_matrix(v[:3])]])


def transformed(A, x):
    """The matrix or vector of a quantity after a transform with the matrix A, by the rule for its type."""
    if isinstance(x, mv | fv):
        return (A if isinstance(x, mv) else star(A)) @ dense(x)
    return star(A) @ dense(x) @ star(A).T


@pytest.mark.source("RBDA-SA.0-1")
@pytest.mark.parametrize("row", [pytest.param(row, marks=pytest.mark.source(f"RBDA-TA.4-{row}", "RBDA-TA.4"))
                                 for row in OPERATIONS])
def test_each_operation_has_the_value_of_matrices_and_the_cost_of_the_table(rng, row):
    """The costs of rows 23 and 24 are those of their parts; the printed ones are errata."""
    compact_form, matrix_form, printed, *kinds = OPERATIONS[row]
    operands = [kind(rng) for kind in kinds]
    result, expected = compact_form(*operands), matrix_form(*map(dense, operands))
    if row == "10":
        close(result, expected)
    else:
        close(dense(result), expected)
        assert result.numbers.size == {mv: 6, fv: 6, rbi: 10, abi: 21, plx: 12}[type(result)]
    assert cost(compact_form, *operands) == printed


@pytest.mark.source("RBDA-SA.3-5", "RBDA-SA.3-6", "RBDA-SA.3-1")
def test_the_transform_of_a_rigid_body_step_by_step_at_an_eighth_of_the_cost_of_plain_matrices(rng):
    X, I, one = transform(rng), rigid(rng), np.eye(3)
    E, r, m, h, six = X.E, X.r, I.m, I.h, I.lt_I
    y, r_cross = h - m * r, cross_matrix(r)
    Z = symmetric(six) + r_cross @ cross_matrix(h) + cross_matrix(y) @ r_cross
    close(symmetric(lt_double_cross(r, h) + lt_double_cross(y, r)), Z - symmetric(six))
    shifted = np.block([[one, -r_cross], [ZERO, one]]) @ dense(I) @ np.block([[one, ZERO], [r_cross, one]])
    close(shifted, np.block([[Z, cross_matrix(y)], [-cross_matrix(y), m * one]]))
    result = np.block([[E @ Z @ E.T, cross_matrix(E @ y)], [-cross_matrix(E @ y), m * one]])
    close(block_diagonal(E) @ shifted @ block_diagonal(E).T, result)
    close(transformed(dense(X), I), result)
    close(dense(X.apply(I)), result)

    steps = [cost(lambda h, r, m: h - m * r, h, r, np.array(m)), cost(lt_double_cross, r, h),
             cost(lt_double_cross, y, r), cost(lambda I, A, B: I + A + B, six, rng.normal(size=6), rng.normal(size=6)),
             cost(lambda E, y: E @ y, E, y), cost(rotate_symmetric, E, six)]
    assert steps == [(3, 3), (6, 3), (6, 3), (0, 12), (9, 6), (28, 29)]
    assert total(steps) == (52, 56) == cost(lambda X, I: X.apply(I), X, I)

    done = Counter()
    A, B = (np.array([Tally(x, done) for x in rng.normal(size=36)], dtype=object).reshape(6, 6) for _ in "AB")
    A.T @ B @ A
    assert (done["m"], done["a"]) == (432, 360)
    assert cost(lambda X, I: X.T @ I @ X, transform(rng), rigid(rng)) == (52, 56)


@pytest.mark.source("RBDA-SA.3-2", "RBDA-S1.2-3", "RBDA-S2.1-1", "RBDA-S2.6-1")
def test_types_refuse_what_has_no_meaning(rng):
    m, n, f, g, I, X = motion(rng), motion(rng), force(rng), force(rng), rigid(rng), transform(rng)
    nonsense = [lambda: m + f, lambda: f - m, lambda: m.dot(n), lambda: f.dot(g), lambda: f.cross(g),
                lambda: f.cross(m), lambda: I * f, lambda: I + m, lambda: I @ f, lambda: X.for_forces() @ m,
                lambda: X @ f, lambda: X.T @ m, lambda: articulated(rng) @ f, lambda: motions([m]).T @ n,
                lambda: forces([f]).T @ g, lambda: m @ n, lambda: m.cross(I), lambda: m * f, lambda: [1, 2] * m]
    for k, attempt in enumerate(nonsense):
        with pytest.raises(TypeError, match="no meaning" if k < 8 else None):
            attempt()
    with pytest.raises(AttributeError, match="cannot be changed"):
        m.w = f.n                                               # f = m, as far as Python has it
    for sound in (m + n, m.cross(n), X @ m):
        assert isinstance(sound, mv)
    for sound in (f + g, m.cross(f), I @ m, X.for_forces() @ f, X.apply(f)):
        assert isinstance(sound, fv)
    net_force = I * n + m.cross(I * m)                          # reads as it is written: × or ×* by the operand's type
    assert type(net_force) is fv
    close(net_force.array, dense(I) @ dense(n) - dense_cross(dense(m)).T @ dense(I) @ dense(m))


@pytest.mark.source("RBDA-SA.3-3")
@pytest.mark.parametrize("kind", [motion, force, rigid, articulated])
def test_apply_and_its_inverse_choose_the_rule_by_the_type(rng, kind):
    x = kind(rng)
    for X in (transform(rng), screws((scrz(0.3, 0.2), scrx(-0.8, 0.4), scry(1.1, -0.6)))):
        close(dense(X.apply(x)), transformed(dense(X), x))
        close(X.inv_apply(X.apply(x)).numbers, x.numbers, 1e-13)
        close(X.inv().apply(x).numbers, X.inv_apply(x).numbers)
        assert type(X.apply(x)) is type(x)


# A.4: axial screws

@pytest.mark.source("RBDA-ASA.4-scr", "RBDA-SA.4-6", "RBDA-SA.5-4")
def test_what_a_screw_knows_about_its_angle_is_worked_out_once():
    """The inverse, the screw by -theta, needs no more."""
    done = Counter()
    X = scr.of(2, None, Tally(np.cos(0.7), done), Tally(np.sin(0.7), done), Tally(0.2, done))
    X.motion(tallied(mv([1, 2, 3], [4, 5, 6]), done))
    assert done == Counter(m=10, a=6)                           # vectors need c, s and d only
    done.clear()
    products = X.products
    assert done == Counter(m=2, a=3)
    close(values(products), [np.sin(1.4) / 2, np.sin(0.7) ** 2, np.sin(1.4), np.cos(1.4)])
    close(values(X.inv().products), [-np.sin(1.4) / 2, np.sin(0.7) ** 2, -np.sin(1.4), np.cos(1.4)])
    assert X.inv().products[1] is products[1]
    assert (X.products, done) == (products, Counter(m=2, a=3))
    close(scrz(0.9, 0.2).products, [np.sin(1.8) / 2, np.sin(0.9) ** 2, np.sin(1.8), np.cos(1.8)])


TABLE_A5 = {motion: (10, 6), force: (10, 6), rigid: (16, 15), articulated: (38, 40)}


@pytest.mark.source("RBDA-TA.5", "RBDA-QA.4-4", "RBDA-ASA.4-abi-axial", "RBDA-ASA.4-rbi-axial", "RBDA-SA.3-7")
@pytest.mark.parametrize("kind", TABLE_A5)
def test_screws_transform_all_types_at_the_cost_of_table_a5(rng, kind):
    """A general transform costs more, though it be a screw."""
    x, general = kind(rng), plx.of(random_rotation(rng), rng.normal(size=3))
    for axis in "xyz":
        X, A = SCREWS[axis](0.6, -0.8), dense_screw(axis, 0.6, -0.8)
        close(dense(X.apply(x)), transformed(A, x))
        close(dense(SCREWS[axis](-0.6, 0.8).apply(X.apply(x))), dense(x))
        close(dense(X.inv()), np.linalg.inv(A), 1e-14)
        for operation in (lambda X, x: X.apply(x), lambda X, x: X.inv_apply(x)):
            assert cost(operation, X, x) == TABLE_A5[kind]
    assert (np.array(cost(lambda X, x: X.apply(x), general, x)) > TABLE_A5[kind]).all()


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.source("RBDA-SA.4-3", "RBDA-QA.4-1", "RBDA-SA.4-1")
def test_a_screw_turns_and_shifts_in_either_order_and_acts_on_motions_and_on_forces_at_the_same_cost(axis):
    """What a shift leaves alone is the angular part of a motion and the linear part of a force."""
    theta, d, x = 0.6, -0.8, np.array([1.5, -2, 0.3, 0.7, 1.1, -0.4])
    c, s, X = np.cos(theta), np.sin(theta), SCREWS[axis](theta, d)
    if axis == "z":
        printed = np.array([[c, s, 0, 0, 0, 0], [-s, c, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0],
                            [-s * d, c * d, 0, c, s, 0], [-c * d, -s * d, 0, -s, c, 0], [0, 0, 0, 0, 0, 1]])
        close(X.matrix, printed, 1e-15)
    turned_to_z = np.roll(range(3), 2 - "xyz".index(axis))      # of x, y and z, those with the parts of x, y, z about z
    m, f = mv(x[:3], x[3:]), fv(x[:3], x[3:])
    for result, steady, moved in ((X @ m, ("w", m.w), ("v", m.v)), (X.for_forces() @ f, ("f", f.f), ("n", f.n))):
        (a_x, a_y, a_z), (b_x, b_y, b_z) = steady[1][turned_to_z], moved[1][turned_to_z]
        close(getattr(result, steady[0])[turned_to_z], [c * a_x + s * a_y, c * a_y - s * a_x, a_z])
        close(getattr(result, moved[0])[turned_to_z], [
            c * (b_x + a_y * d) + s * (b_y - a_x * d), c * (b_y - a_x * d) - s * (b_x + a_y * d), b_z])
    close(dense(X @ m), dense_screw(axis, theta, d) @ x)
    close(dense(X.for_forces() @ f), star(dense_screw(axis, theta, d)) @ x)
    assert cost(lambda X, m: X @ m, X, m) == cost(lambda X, f: X.for_forces() @ f, X, f) == (10, 6)

    theta, d = 0.7, -0.4
    X, turn, shift = dense_screw(axis, theta, d), dense_screw(axis, theta, 0), dense_screw(axis, 0, d)
    close(dense(SCREWS[axis](theta, d)), X, 1e-15)
    close(turn @ shift, X, 1e-14)
    close(shift @ turn, X, 1e-14)
    merged = SCREWS[axis](theta, d) @ SCREWS[axis](-1.5, 0.3)
    assert len(merged.factors) == 1
    close(dense(merged), dense_screw(axis, theta - 1.5, d + 0.3), 1e-15)


@pytest.mark.source("RBDA-SA.4-2", "RBDA-TA.5")
def test_three_screws_make_any_transform_and_two_a_transform_between_dh_frames(rng):
    for x, screw, general in ((motion(rng), 16, 42), (rigid(rng), 31, 108), (articulated(rng), 78, 274)):
        assert sum(cost(lambda X, x: X.apply(x), scrz(0.3, 0.2), x)) == screw
        assert sum(cost(lambda X, x: X.apply(x), transform(rng), x)) == general
    assert [round(ratio, 2) for ratio in (16 / 42, 31 / 108, (78 + 5) / 274)] == [0.38, 0.29, 0.30]
    assert (31 + 5) * 3 == 108

    for k in (0, 1, 2):
        X = dense(transform(rng))
        chain = compact(X, k)
        assert [factor.k for factor in chain.factors[:3:2]] == [k, k]
        assert len(chain.factors) == 3
        close(np.linalg.multi_dot([dense_screw("xyz"[f.k], f.theta, f.d) for f in chain.factors]), X, 1e-14)

    alpha, a, theta, d = 0.9, 0.4, -1.2, 0.3                    # from link i - 1: turn and shift along x, then along z
    R_x, R_z = axis_turn("x", alpha).T, axis_turn("z", theta).T
    between = E_and_r((np.eye(3), np.zeros(3)), (R_x @ R_z, a * unit("x") + R_x @ (d * unit("z"))))
    close(dense(scrz(theta, d) @ scrx(alpha, a)), dense(plx(*between)))
    assert [factor.k for factor in compact(dense(scrz(0.0, d) @ scrx(alpha, a)), 2).factors] == [2, 0]


@pytest.mark.source("RBDA-SA.4-4", "RBDA-SA.4-5", "RBDA-QA.4-2")
@pytest.mark.parametrize("axis", "xyz")
def test_the_parts_of_a_screw_on_a_rigid_body(rng, axis):
    I, d, r = rigid(rng), -0.8, -0.8 * unit(axis)
    y = I.h - I.m * r
    (h1, h2, h3), (y1, y2, y3) = I.h, y
    printed = symmetric({"x": [0, h2 * d, -(h1 + y1) * d, h3 * d, 0, -(h1 + y1) * d],
                         "y": [-(h2 + y2) * d, h1 * d, 0, 0, h3 * d, -(h2 + y2) * d],
                         "z": [-(h3 + y3) * d, 0, -(h3 + y3) * d, h1 * d, h2 * d, 0]}[axis])
    close(printed, cross_matrix(r) @ cross_matrix(I.h) + cross_matrix(y) @ cross_matrix(r), 1e-14)
    moved = SCREWS[axis](0, d).apply(I)
    close(moved.h, y)
    close(symmetric(moved.lt_I), symmetric(I.lt_I) + printed, 1e-14)

    X = SCREWS[axis](0.5, d)
    parts = [cost(scr.turned, X, y), cost(turned, X, I.lt_I), (1, 1), (3, 5)]
    assert parts[:2] == [(4, 2), (8, 7)]
    assert cost(lambda X, I: X.apply(I), X, I) == total(parts) == (16, 15)


def turned(X, triangle):
    """lt(E A Eᵀ), E being the turn of a screw."""
    return turn_symmetric(X.k, X.c, X.s, *X.products, triangle)


def steps_of_articulated(axis, I):
    """The cost of each step of a screw on an articulated body, checked to compute what the step says.
    The code turns first and shifts then. Because r is not changed by a turn about the axis it lies on, E (H - r× M) Eᵀ
    of the book is H' - r× M' of the code, with the turned H' and M'; the two have their zeros in the same places."""
    X, E, r = SCREWS[axis](0.6, -0.8), axis_turn(axis, 0.6), -0.8 * unit(axis)
    costs, found = cost_by_statement(scr.articulated, X, I)
    H, Y = E @ I.H @ E.T, I.H - cross_matrix(r) @ I.M
    close(symmetric(values(found["M"])), E @ I.M @ E.T)                             # E M Eᵀ
    close(values(found["H"]), H)                                                    # E H Eᵀ
    close(values(found["Y"]), E @ Y @ E.T)                                          # E (H - r× M) Eᵀ
    close(values(found["Y"]), H - cross_matrix(r) @ E @ I.M @ E.T)
    Z = I.I - cross_matrix(r) @ I.H.T + Y @ cross_matrix(r)
    close(symmetric(values(found["Z"])), E @ Z @ E.T)                               # E Z Eᵀ
    steps = {"EMEᵀ": measured(costs, "M ="), "EHEᵀ": measured(costs, "H ="), "Y": measured(costs, "Y, r_M", "Y[i]"),
             "EIEᵀ": measured(costs, "Z ="), "Z": measured(costs, "for", "Z[PLACE")}
    assert total(steps.values()) == cost(lambda X, I: X.apply(I), X, I)
    return steps


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.source("RBDA-SA.4-7", "RBDA-QA.4-3", "RBDA-SA.4-6")
def test_the_steps_of_a_screw_on_an_articulated_body_and_a_shift_along_an_axis(rng, axis):
    A, d = articulated(rng), -0.8
    r, M, H = d * unit(axis), A.M, A.H
    r_M = cross_matrix(r) @ M
    Y = H - r_M
    if axis == "z":
        close(r_M, [-d * M[1], d * M[0], [0, 0, 0]])
    printed = {
        "x": [0, d * H[0, 2], d * (H[1, 2] + Y[1, 2]), -d * H[0, 1], d * (Y[2, 2] - H[1, 1]), -d * (H[2, 1] + Y[2, 1])],
        "y": [-d * (H[0, 2] + Y[0, 2]), -d * H[1, 2], 0, d * (H[0, 0] - Y[2, 2]), d * H[1, 0], d * (H[2, 0] + Y[2, 0])],
        "z": [d * (H[0, 1] + Y[0, 1]), d * (Y[1, 1] - H[0, 0]), -d * (H[1, 0] + Y[1, 0]), d * H[2, 1], -d * H[2, 0], 0],
    }[axis]
    close(symmetric(printed), -cross_matrix(r) @ H.T + Y @ cross_matrix(r), 1e-13)

    moved = SCREWS[axis](0, d).apply(A)
    close(moved.H, Y)
    close(symmetric(moved.lt_I), A.I + symmetric(printed))
    close(dense(moved), transformed(dense_screw(axis, 0, d), A))

    assert steps_of_articulated(axis, articulated(rng)) == {
        "EMEᵀ": (8, 7), "Y": (5, 6), "EHEᵀ": (12, 12), "Z": (5, 8), "EIEᵀ": (8, 7)}
    for operation in (lambda X, I: X.apply(I), lambda X, I: X.T @ I @ X):
        assert cost(operation, SCREWS[axis](0.6, -0.8), articulated(rng)) == (38, 40)


@pytest.mark.source("RBDA-SA.4-8", "RBDA-SA.4-9", "RBDA-SA.4-10")
def test_what_lies_beyond_a_joint_has_zeros_where_the_joint_moves_and_crosses_dh_frames_for_less_than_half(rng):
    """A turn about z keeps those of row 3."""
    for rows in ((2,), (2, 3, 4), (4,), (0, 1, 2)):
        beyond_joint(rng, np.eye(6)[:, rows])                   # asserts it
    I_a = dense(beyond_joint(rng, np.array([[0, 0], [0, 0], [1, 0], [0, 1], [0.3, 0.5], [0, 0]])))
    assert np.abs(I_a[[2, 3, 4]]).max() > 1e-2                  # three rows that are not zero, but two freedoms
    beyond_hinge = beyond_joint(rng, np.eye(6)[:, [2]])
    largest = [np.abs(dense(screw(0.5, 0.3).apply(beyond_hinge))[2]).max() for screw in (scrx, scry, scrz)]
    assert min(largest[:2]) > 1e-2
    assert largest[2] == 0

    I_a, X = beyond_joint(rng, np.eye(6)[:, [2]]), scrz(0.6, 0.2) @ scrx(0.8, 0.5)
    close(dense(X.T @ I_a @ X), dense(X).T @ dense(I_a) @ dense(X))
    m, a = cost(lambda X, I: X.T @ I @ X, X, I_a)
    assert (m + 2, a + 3) == (62, 65)                           # with s², cs, 2 cs, 1 - 2 s² of the joint's angle
    assert 62 + 65 < (137 + 137) / 2


@pytest.mark.source("RBDA-TA.5", "RBDA-SA.4-11", "RBDA-ASA.4-Ia-z", "RBDA-ASA.4-Ia-xy")
@pytest.mark.parametrize(("axis", "printed"), [("z", (28, 34)), ("x", (32, 28)), ("y", (32, 28))])
def test_zeros_make_screws_cheaper(rng, axis, printed):
    I_a, X, A = beyond_joint(rng, np.eye(6)[:, [2]]), SCREWS[axis](0.6, -0.8), dense_screw(axis, 0.6, -0.8)
    close(dense(X.apply(I_a)), transformed(A, I_a))
    close(dense(X.inv_apply(I_a)), A.T @ dense(I_a) @ A)
    for operation in (lambda X, I: X.apply(I), lambda X, I: X.inv_apply(I)):
        assert cost(operation, X, I_a) == printed
    cheaper = ({"EHEᵀ": (8, 10), "Z": (3, 6), "EIEᵀ": (4, 5)} if axis == "z" else
               {"EHEᵀ": (10, 6), "Z": (5, 8), "EIEᵀ": (4, 1)})
    assert steps_of_articulated(axis, I_a) == {"EMEᵀ": (8, 7), "Y": (5, 6), **cheaper}
    assert cost(lambda X, H: turn_general(X.k, X.c, X.s, *X.products[:2], H), X, I_a.H) == cheaper["EHEᵀ"]
    assert cost(turned, X, I_a.lt_I) == cheaper["EIEᵀ"]


# A.5: products with rotations

def split_by_the_book(A):
    """L and v of A = L + D + v×, D being A33 times the identity (RBDA A.5)."""
    L, v = np.zeros((3, 3)), np.array([-A[1, 2], A[0, 2], 0])
    L[:, :2] = [[A[0, 0] - A[2, 2], A[0, 1]], [A[1, 0], A[1, 1] - A[2, 2]], [A[2, 0] + A[0, 2], A[2, 1] + A[1, 2]]]
    close(L + A[2, 2] * np.eye(3) + cross_matrix(v), A)
    return L, v


@pytest.mark.source("RBDA-ASA.5-rotgen", "RBDA-SA.5-2", "RBDA-ASA.5-rotprod", "RBDA-SA.5-1", "RBDA-ASA.5-rotsym",
                    "RBDA-SA.5-3", "RBDA-SA.3-4")
def test_products_of_rotations_and_rotation_of_general_and_symmetric_matrices(rng):
    E, A = random_rotation(rng), rng.normal(size=(3, 3))
    for trace, printed in ((True, (40, 39)), (False, (42, 37))):
        close(rotate_general(E, A, trace), E @ A @ E.T, 1e-13)
        assert cost(lambda E, A, trace=trace: rotate_general(E, A, trace), E, A) == printed
    costs, found = cost_by_statement(rotate_general, E, A)
    L, v = split_by_the_book(A)
    close(values(found["L"]), L[:, :2])
    close(values(found["Y"]), (E @ L)[:, :2], 1e-14)
    close(values(found["Z"]), E @ L @ E.T, 1e-13)
    close(values([found[x] for x in "abc"]), E @ v)
    parts = {"L, v =": (0, 4), "Y =": (18, 12), "Z[i, j]": (16, 8), "Z[0, 0]": (0, 3), "a, b, c =": (6, 3),
             "return": (0, 9)}
    assert {beginning: measured(costs, beginning) for beginning in parts} == parts
    assert len(costs) == len(parts)
    one = cost(lambda X, A: turn_general(X.k, X.c, X.s, *X.products[:2], A), scrz(0.4, 0.1), A)
    assert one == (12, 12)
    assert 40 + 39 > 3 * sum(one)
    assert cost(lambda E, A: E @ A @ E.T, E, A) == (54, 36)

    for n in (1, 2, 3, 4):
        factors = [random_rotation(rng) for _ in range(n + 1)]
        close(rotations.rotation_product(*factors), np.linalg.multi_dot(factors), 1e-14)
        assert cost(rotations.rotation_product, *factors) == (18 * n + 6, 12 * n + 3)

    E, A, r = random_rotation(rng), articulated(rng).M, rng.normal(size=3)
    close(cross_symmetric(r, lt(A)), cross_matrix(r) @ A)
    assert cost(cross_symmetric, r, lt(A)) == (15, 9)
    close(symmetric(rotate_symmetric(E, lt(A))), E @ A @ E.T, 1e-13)
    assert cost(rotate_symmetric, E, lt(A)) == (28, 29)
    costs, found = cost_by_statement(rotate_symmetric, E, lt(A))
    L, v = split_by_the_book(A)
    close(values(found["L"]), L[:, :2])
    close(values(found["Y"]), (E @ L)[1:, :2], 1e-14)
    for i, j in ((1, 1), (2, 2), (3, 1), (3, 2), (3, 3)):
        close(values(found[f"Z{i}{j}"]), (E @ L @ E.T)[i - 1, j - 1], 1e-13)
    close(values([found[x] for x in "abc"]), E @ v)
    parts = {("L, v =",): (0, 4), ("Y =",): (12, 8), ("Z21, Z22 =", "Z31, Z32"): (10, 5), ("Z11 =",): (0, 3),
             ("a, b, c =",): (6, 3), ("return",): (0, 6)}
    assert {beginnings: measured(costs, *beginnings) for beginnings in parts} == parts
    assert len(costs) == len(parts) + 1
    about_axis, plain = cost(turned, scrz(0.4, 0.1), lt(A)), cost(lambda E, A: E @ A @ E.T, E, A)
    assert 3 * sum(about_axis) < 28 + 29 < sum(plain)


@pytest.mark.source("RBDA-ASA.5-axgen", "RBDA-ASA.5-axsym")
@pytest.mark.parametrize("axis", "xyz")
def test_rotation_about_a_coordinate_axis(rng, axis):
    k, theta, A = "xyz".index(axis), 0.6, rng.normal(size=(3, 3))
    E, c, s = axis_turn(axis, theta), np.cos(theta), np.sin(theta)
    close(turn_general(k, c, s, c * s, s * s, A), E @ A @ E.T, 1e-13)
    B = A + A.T
    arguments = (c, s, c * s, s * s, 2 * c * s, 1 - 2 * s * s)
    close(symmetric(turn_symmetric(k, *arguments, lt(B))), E @ B @ E.T, 1e-13)
    close(full(lt(B)), B)
    assert cost(lambda A, *x: turn_general(k, *x, A), A, *arguments[:4]) == (12, 12)
    assert cost(lambda A, *x: turn_symmetric(k, *x, A), lt(B), *arguments) == (8, 7)
