"""Section 10.3 row by row: what the algorithms cost in operations, published and counted. Published formulas are read
from data/reference/operation_counts.csv; trees are taken apart by walking from body to body; how often a line of an
algorithm runs is seen by watching it run."""

import csv
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import sympy
from sympy.parsing.sympy_parser import parse_expr

from rbdlib import aba, crba, forward_dynamics, rnea
from rbdlib.analysis import operation_counts
from rbdlib.analysis.counting import count, count_operations
from rbdlib.analysis.operation_counts import D_0, D_1, D_2, Cost, best_rows, cost_of, crba_cost, crba_cost_on_tree
from rbdlib.arithmetic import fv, mv, plx, rbi, scrx, scry, scrz, typed
from rbdlib.book.ch02_spatial import X_to_Er, mcI, rotx, roty, rotz, xlt
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch06_factorisation import ltdl, solve
from rbdlib.book.ch07_articulated_body import articulated_bodies
from rbdlib.compile.executer import record
from rbdlib.methods.equivalence import simplify
from rbdlib.methods.generators import auto_tree, binary_tree, gu
from tests.sources import ledger
from tests.sources.ch06_systems import ancestors
from tests.sources.helpers import close, far, random_mass_properties, random_tree

SEED = [10, 1]
N = sympy.Symbol("n")


def printed_rows():
    """Table 10.1 as printed: (algorithm, formula of multiplications, formula of additions, sources)."""
    called = {"RNEA": "rnea", "CRBA": "crba", "F&S": "solve", "ABA": "aba"}
    with (ledger.DATA / "reference" / "operation_counts.csv").open(newline="", encoding="utf-8") as stream:
        return [(called[row["algorithm"]], *(parse_expr(row[name], {"n": N}) for name in (
            "multiplications", "additions")), row["published_in"]) for row in csv.DictReader(stream)]


PRINTED = printed_rows()
#: The first row of each algorithm, from which the figures are drawn: {algorithm: multiplications + additions}.
BEST = {name: m + a for name, m, a, _ in reversed(PRINTED)}


def trees(rng, number, largest=9):
    return [[int(rng.integers(0, i)) for i in range(1, int(rng.integers(2, largest + 1)))] for _ in range(number)]


def turning(parent):
    """A model with the given parents whose joints all turn about the z axes of their bodies."""
    return random_tree(np.random.default_rng([10, 3, 0]), len(parent), parent).model(
        joints=[Revolute("z")] * len(parent))


def lines_7_and_13(parent):
    """How often `crba` runs the lines that the book numbers 7 (Eq. 6.17) and 13 (Eq. 6.19)."""
    code, model, ran = crba.__code__, turning(parent), Counter()
    lines = [None, *Path(code.co_filename).read_text(encoding="utf-8").splitlines()]

    def watch(frame, event, _):
        if frame.f_code is not code:
            return None
        if event == "line":
            ran[lines[frame.f_lineno].rpartition("# ")[2]] += 1
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        crba(model, np.full(len(parent), 0.3))
    finally:
        sys.settrace(before)
    return ran["(6.17)"], ran["(6.19)"]


# 10.3 Counts of published algorithms

@pytest.mark.source("RBDA-S10.3-1")
def test_divisions_count_as_multiplications_and_sines_not_at_all():
    """Of each, a joint needs one in RNEA and ABA; in the O(n³) algorithm CRBA takes them over, and F&S needs none."""
    def some(x):
        return np.array([(x[0] * x[1] - x[2]) / x[1] + x[0].sin() * x[1].cos() * x[2].sqrt(), -x[0]])

    operations, _ = count_operations(some, np.array([0.5, 2, 3]))
    assert cost_of(operations) == Cost(2 + 1 + 1, 2)
    for n in (1, 2, 5):
        assert cost_of(count_operations(np.divide, np.ones(n), np.full(n, 2.0))[0]) == Cost(n, 0)
    for function, fixed in ((rnea, {}), (aba, {}), (forward_dynamics, {"method": "crba"})):
        operations = count(function, gu(3), simplified=True, **fixed)
        assert (operations["sin"], operations["cos"]) == (3, 3)
    operations, _ = count_operations(solve, np.eye(3) + 1, np.ones(3))
    assert (operations["sin"], operations["cos"]) == (0, 0)


@pytest.mark.source("RBDA-S10.3-2")
def test_the_benchmark_is_a_general_chain_of_hinges():
    model = gu(7, seed=7)
    assert model.N_B == model.N_J == model.nv == 7 and model.parent[1:] == tuple(range(7))
    assert all(joint == Revolute("z") for joint in model.joints[1:])
    for i in model.bodies:
        E, r = X_to_Er(model.X_tree[i])
        assert np.abs(r).min() > 1e-3 or abs(r[0]) > 1e-3
        assert (np.abs(E) > 1e-3)[1:, 1:].all()                         # turned about x
        assert (np.abs(np.linalg.eigvals(model.inertia[i])) > 0).all()
        assert np.count_nonzero(np.abs(model.inertia[i]) > 1e-6) == 6 * 6 - 6 - 6


@pytest.mark.source("RBDA-T10.1")
def test_the_table_in_the_package_is_the_table_of_the_book():
    """No other row is better than the first, for n of at least 2, where the formulas hold (some are negative at 1)."""
    assert len(operation_counts.TABLE_10_1) == len(PRINTED) == 13
    sources = operation_counts.SOURCES
    for row, (name, m, a, published_in) in zip(operation_counts.TABLE_10_1, PRINTED, strict=True):
        cost = row.cost(N)
        assert row.algorithm == name
        assert sympy.expand(cost.m - m) == sympy.expand(cost.a - a) == 0
        assert "; ".join(sources[k] for k in row.sources) == published_in
        if name != "solve":
            best = best_rows()[name]
            assert min(best.cost(1).m, best.cost(1).a) <= 0
            for n in range(2, 31):
                assert row.cost(n).total() >= best.cost(n).total() or row.sources == (2, 4), (row, n)
                assert min(row.cost(n).m, row.cost(n).a) > 0, (row, n)
    assert {k for row in operation_counts.TABLE_10_1 for k in row.sources} == set(sources) == set(range(1, 15))
    assert {name: row.cost(N).m + row.cost(N).a for name, row in best_rows().items()} == BEST


@pytest.mark.source("RBDA-T10.1", "RBDA-S10.3-3", "RBDA-Q10.2")
def test_factorising_and_solving_costs_what_its_row_says():
    """Counted while H = LᵀDL is factorised and used, without the subtraction of C."""
    _, m, a, _ = next(row for row in PRINTED if row[0] == "solve")
    for n in range(1, 9):
        A = np.random.default_rng(n).normal(size=(n, n))
        H, b = A @ A.T + np.eye(n), np.ones(n)
        factorising, _ = count_operations(ltdl, H)
        both, x = count_operations(solve, H, b)
        close(H @ x, b, 1e-10)
        assert cost_of(both) == Cost(m.subs(N, n), a.subs(N, n)) == operation_counts.solve_cost(range(n)), n
        half, sixth = n * (n - 1) // 2, n * (n - 1) * (n + 1) // 6
        assert (factorising["d"], factorising["m"], factorising["a"]) == (half, sixth, sixth), n
        assert (both["d"], both["m"], both["a"]) == (half + n, sixth + 2 * half, sixth + 2 * half), n


@pytest.mark.slow
@pytest.mark.source("RBDA-Q10.2")
def test_counts_of_the_algorithms_themselves_come_near_the_published_ones():
    """RNEA and ABA take so many operations more for each body, and CRBA is a polynomial of the second degree."""
    sizes = [4, 5, 7, 8]
    for function, degree in ((rnea, 1), (aba, 1), (crba, 2)):
        counts = [cost_of(record(function, typed(gu(n))).program.count()).total() for n in sizes]
        fitted = np.polyfit(sizes[: degree + 1], counts[: degree + 1], degree)
        assert np.polyval(fitted, sizes) == pytest.approx(counts)
        assert fitted[0] == pytest.approx(float(sympy.Poly(BEST[function.__name__], N).LC()), rel=0.05)


def crossing(curve, other, first, last):
    """Where two curves over n cross between first and last, which they do once there."""
    roots = [float(root) for root in sympy.Poly(curve - other, N).nroots() if root.is_real]
    (root,) = (root for root in roots if first <= root <= last)
    return root


@pytest.mark.source("RBDA-F10.4", "RBDA-S10.3-4", "RBDA-S10.3-5", "RBDA-S10.3-6")
def test_the_n3_algorithm_is_cheaper_up_to_eight_joints_and_dearer_by_far_at_eighteen():
    """Of its parts, CRBA costs most from a few joints up to 44, and F&S least up to 18. What an addition costs matters
    little."""
    sizes = [2, 8, 9, 10, 18, 30]
    plain = operation_counts.figure_10_4(sizes)
    assert crossing(BEST["crba"], BEST["rnea"], 2, 60) < 6
    assert crossing(BEST["solve"], BEST["rnea"], 2, 100) == pytest.approx(18.8, abs=0.01)
    assert plain["n³"][1:3] == [2921, 3539] and plain["aba"][1:3] == [2925, 3354]
    for addition, cheaper_up_to, ratio, crosses in ((1, 8.02, 1.638, 44.5), (0.5, 7.77, 1.678, 47.4),
                                                    (0.25, 7.59, 1.708, 49.8)):
        rows = {name: m + sympy.Rational(addition) * a for name, m, a, _ in reversed(PRINTED)}
        rows["n³"] = rows["rnea"] + rows["crba"] + rows["solve"]
        assert crossing(rows["n³"], rows["aba"], 2, 60) == pytest.approx(cheaper_up_to, abs=0.01)
        assert crossing(rows["solve"], rows["crba"], 2, 100) == pytest.approx(crosses, abs=0.05)
        figure = operation_counts.figure_10_4(sizes, addition)
        assert figure.keys() == rows.keys() and figure["n³"][4] / figure["aba"][4] == pytest.approx(ratio, abs=1e-3)
        for name, curve in figure.items():
            assert curve == pytest.approx([float(rows[name].subs(N, n)) for n in sizes])
            assert np.abs(np.array(curve) / curve[-1] - np.array(plain[name]) / plain[name][-1]).max() < 0.03


@pytest.mark.source("RBDA-S10.3-7")
def test_an_articulated_inertia_has_21_parameters_in_space_and_6_in_the_plane():
    """How many independent matrices there are among many; in the plane with centres of mass anywhere in it."""
    planar = [auto_tree(3).replace(inertia=[mcI(m, [x, y, 0], np.diag([0.1, 0.1, 0.2])) for m, x, y in bodies])
              for bodies in np.random.default_rng(0).uniform(0.5, 2, (20, 3, 3))]
    for models, rows, parameters in (([gu(4, seed) for seed in range(40)], range(6), 21), (planar, [2, 3, 4], 6)):
        found = []
        for model in models:
            q, qd = model.random_state(np.random.default_rng(4))
            I_A = articulated_bodies(model, q, qd, np.zeros(model.nv)).I_A[1][np.ix_(rows, rows)].ravel()
            found.append(I_A / np.linalg.norm(I_A))
        assert np.linalg.matrix_rank(found, tol=1e-9) == parameters


# 10.3.1 What the lines cost

def cost_and_value(function, *arguments):
    """The `Cost` of a function of arrays that returns something typed, and what it returns as an array of floats."""
    def entries(*given):
        result = function(*given)
        return np.asarray(result.matrix if hasattr(result, "matrix") else result.array)

    operations, value = count_operations(entries, *arguments)
    return cost_of(operations), value


def rigid_bodies(rng):
    """m, h and I of a rigid body, and its 6 x 6 inertia."""
    m, c, I_C = random_mass_properties(rng)
    matrix = mcI(m, c, I_C)
    return m, m * c, matrix[:3, :3], matrix


def dense(turn, axis, theta, d):
    """The 6 x 6 matrix of an axial screw, by rotating and shifting."""
    return turn(theta) @ xlt(d * np.eye(3)[axis])


@pytest.mark.source("RBDA-S10.3-8")
@pytest.mark.parametrize(("screw", "turn", "axis"), [(scrx, rotx, 0), (scry, roty, 1), (scrz, rotz, 2)], ids="xyz")
def test_what_an_axial_screw_costs(rng, screw, turn, axis):
    theta, d, (m, h, I, matrix) = *rng.uniform(0.3, 1, 2), rigid_bodies(rng)
    X, v, constant = dense(turn, axis, theta, d), rng.normal(size=6), screw(theta, d)

    def with_an_angle_that_changes(theta, h, I):
        X = screw(theta, d)
        return X.T @ rbi(m, h, I) @ X

    for function, given, expected, result in (
            (lambda w, v: constant @ mv(w, v), (v[:3], v[3:]), Cost(10, 6), X @ v),
            (lambda n, f: constant.T @ fv(n, f), (v[:3], v[3:]), Cost(10, 6), X.T @ v),
            (lambda m, h, I: constant.T @ rbi(m, h, I) @ constant, (m, h, I), Cost(16, 15), X.T @ matrix @ X),
            (lambda h, I: constant.T @ rbi(m, h, I) @ constant, (h, I), Cost(15, 15), X.T @ matrix @ X),  # m d is known
            (with_an_angle_that_changes, (theta, h, I), Cost(15, 15) + Cost(2, 3), X.T @ matrix @ X)):
        cost, value = cost_and_value(function, *given)
        assert cost == expected
        close(value, result)


@pytest.mark.source("RBDA-S10.3-7", "RBDA-S10.3-8", "RBDA-S10.3-12")
def test_what_the_lines_that_cost_something_cost(rng):
    """ra, vx and rx for the Denavit-Hartenberg transform scrz(theta, d) scrx(alpha, a), and for general ones."""
    (m, h, I, matrix), other, v = rigid_bodies(rng), rigid_bodies(rng), rng.normal(size=6)
    theta, d, alpha, a, beta, e = rng.uniform(0.3, 1, 6)

    cost, value = cost_and_value(lambda *x: rbi(*x[:3]) + rbi(*x[3:]), m, h, I, *other[:3])
    assert cost == operation_counts.RA == Cost(0, 10)
    close(value, matrix + other[3])

    def transforms(theta):
        link = scrz(theta, d) @ scrx(alpha, a)
        return link, link @ scrz(beta, e)

    matrices = [dense(rotz, 2, theta, d) @ dense(rotx, 0, alpha, a)]
    matrices.append(matrices[0] @ dense(rotz, 2, beta, e))
    RX_DH, RX_G, VX_DH, VX_G = (getattr(operation_counts, name) for name in ("RX_DH", "RX_G", "VX_DH", "VX_G"))
    for k, (vector_cost, inertia_cost) in enumerate(((VX_DH, RX_DH), (Cost(30, 18), RX_G))):
        X = transforms(theta)[k]
        cost, value = cost_and_value(lambda n, f, X=X: X.T @ fv(n, f), v[:3], v[3:])
        assert cost == vector_cost == (k + 2) * Cost(10, 6)
        close(value, matrices[k].T @ v)

        def moved(theta, h, I, k=k):
            X = transforms(theta)[k]
            return X.T @ rbi(m, h, I) @ X

        cost, value = cost_and_value(moved, theta, h, I)
        assert cost == inertia_cost == (k + 2) * Cost(15, 15) + Cost(2, 3)
        close(value, matrices[k].T @ matrix @ matrices[k])

    E, r = X_to_Er(matrices[1])
    cost, value = cost_and_value(lambda n, f: plx(E, r).T @ fv(n, f), v[:3], v[3:])
    assert cost == VX_G == Cost(24, 18)
    close(value, matrices[1].T @ v)
    assert (RX_DH, RX_G, VX_DH) == (Cost(32, 33), Cost(47, 48), Cost(20, 12))


@pytest.mark.source("RBDA-S10.3-9", "RBDA-Q10.1")
def test_the_last_transformation_of_F_need_only_give_its_third_element_and_moved_parameters_save_some_more(rng):
    """20m + 12a become 10m + 7a, which a simplifier finds by itself, and CRBA gets cheaper by n - 1 times as much. With
    three parameters of each inertia made zero (RBDA 9.7), H is the same and takes a few operations less."""
    model, F, q = typed(gu(2)), rng.normal(size=6), rng.normal(size=2)

    def transformed(model, q, F, elements):
        X = model.joints[2].transform(q[1:]) @ model.X_tree[2]
        return (X.T @ fv.of(F[:3], F[3:])).array[elements]

    X = gu(2).joints[2].transform(q[1:]) @ gu(2).X_tree[2]
    for elements, cost in ((slice(0, 6), Cost(20, 12)), (slice(2, 3), Cost(10, 7))):
        program = record(transformed, model, shapes={"F": (6,)}, fixed={"elements": elements}).program
        assert cost_of(program.count()) == cost
        close(np.array(program.evaluate([*q, *F])), (X.T @ F)[elements])
    for n in (2, 3, 5):
        cost, printed = cost_of(count(crba, gu(n), simplified=True, typed=True)), best_rows()["crba"].cost(n)
        assert cost.m <= printed.m - 10 * (n - 1)
        assert cost.a <= printed.a - 5 * (n - 1)
    model, q = gu(4), np.linspace(0.2, 1, 4)
    moved = simplify(model)
    close(crba(moved, q), crba(model, q))
    before, after = (cost_of(count(crba, m, simplified=True, typed=True)) for m in (model, moved))
    assert after.m <= before.m
    assert 0.85 * before.total() < after.total() < before.total()


@pytest.mark.source("RBDA-T10.2", "RBDA-A10.2")
def test_the_other_lines_of_the_composite_rigid_body_algorithm_cost_nothing(rng):
    """With S = [0 0 1 0 0 0]ᵀ: F is column 3 of I_c and H_ij is element 3 of F; the result is H, by geometry."""
    tree = random_tree(rng, 7, [0, 1, 1, 3, 2, 0, 6])
    tree.kinds[:], tree.axes[:] = ["revolute"] * 7, [np.array([0, 0, 1.0])] * 7
    model, q = tree.model(), rng.normal(size=7)
    H, I_c, X = np.zeros((7, 7)), list(model.inertia), [None]
    X += [model.joints[i].transform(q[i - 1 : i]) @ model.X_tree[i] for i in model.bodies]
    for i in reversed(model.bodies):
        p = model.parent[i]
        if p != 0:
            I_c[p] = I_c[p] + X[i].T @ I_c[i] @ X[i]
        F, j = I_c[i][:, 2], i
        H[i - 1, i - 1] = F[2]
        while model.parent[j] != 0:
            F, j = X[j].T @ F, model.parent[j]
            H[i - 1, j - 1] = H[j - 1, i - 1] = F[2]
    close(H, tree.mass_matrix(q))
    close(crba(model, q), H)


@pytest.mark.source("RBDA-10.4", "RBDA-10.5", "RBDA-10.6", "RBDA-T10.2", "RBDA-A10.2", "RBDA-10.2", "RBDA-10.3")
def test_how_often_the_lines_that_cost_something_run_on_a_tree(rng):
    """Line 13 runs as often as H has elements below the diagonal."""
    for parent in trees(rng, 8):
        n = len(parent)
        line_7, line_13 = lines_7_and_13(parent)
        assert line_7 == D_0(parent) == n - parent.count(0)                                          # (10.4)
        assert line_13 == D_1(parent) == sum(len(ancestors(parent, i)) - 1 for i in range(1, n + 1))  # (10.5)
        ra, rx, vx = Cost(2, 3), Cost(5, 7), Cost(11, 13)
        assert crba_cost(D_0(parent), D_1(parent), ra, rx, vx) == line_7 * ra + line_7 * rx + line_13 * vx
        H = random_tree(rng, n, parent).mass_matrix(rng.normal(size=n))
        assert np.count_nonzero(np.abs(np.tril(H, -1)) > 1e-12) == D_1(parent)
    for n in (1, 2, 6):                                                                     # chains
        assert lines_7_and_13(list(range(n))) == (n - 1, n * (n - 1) // 2)                  # (10.2)
        m, a = 10 * n**2 + 22 * n - 32, 6 * n**2 + 37 * n - 43                              # (10.3)
        assert crba_cost(n - 1, n * (n - 1) // 2) == crba_cost_on_tree(range(n)) == Cost(m, a)
        assert operation_counts.crba_cost_on_chain(n) == Cost(m, a)


@pytest.mark.source("RBDA-10.7", "RBDA-10.8", "RBDA-10.9")
def test_bounds_on_the_numbers_of_executions(rng):
    met = Counter()
    for parent in [*trees(rng, 300, 13), *(list(range(n)) for n in range(1, 8)), *([0] * n for n in range(1, 8))]:
        n, d = len(parent), max(len(ancestors(parent, i)) for i in range(1, len(parent) + 1))
        assert 0 <= D_0(parent) <= n - 1                                                    # (10.7)
        assert 0 <= D_1(parent) <= n * (n - 1) // 2                                         # (10.8)
        assert D_1(parent) <= n * (d - 1)                                                   # (10.9)
        assert D_2(parent) <= n * d * (d - 1) // 2
        chain, star = parent == list(range(n)), parent == [0] * n
        assert (D_1(parent) == n * (n - 1) // 2) == chain
        assert (D_0(parent) == 0) == (D_1(parent) == 0) == star
        assert (D_0(parent) == n - 1) == (parent.count(0) == 1)
        met.update(chain=chain, star=star, between=not chain and not star)
    assert min(met.values()) > 5


@pytest.mark.source("RBDA-S10.3-11")
def test_bodies_on_the_base_make_H_a_constant_that_costs_nothing(rng):
    star = turning([0] * 5)
    H = crba(star, rng.normal(size=5))
    close(H, np.diag(H.diagonal()))
    close(crba(star, rng.normal(size=5)), H)
    close(H.diagonal(), [I[2, 2] for I in star.inertia[1:]])
    assert count(crba, star, simplified=True) == Counter()
    assert crba_cost_on_tree([0] * 5) == Cost(0, 0)
    far(crba(turning([0, 1]), np.zeros(2)), crba(turning([0, 1]), np.ones(2)))


@pytest.mark.source("RBDA-S10.3-10")
def test_with_bounded_depth_the_costs_grow_like_n_and_in_chains_faster():
    """Counted: CRBA is O(n d) and factorising O(n d²); RNEA and ABA cost the same with and without branches."""
    def counts(function, trees):
        return np.array([cost_of(count(function, turning(tree))).total() for tree in trees])

    def factorising(trees):
        matrices = [crba(turning(tree), np.full(len(tree), 0.3)) for tree in trees]
        return np.array([cost_of(count_operations(lambda H, tree=tree: ltdl(H, tree), H)[0]).total()
                         for H, tree in zip(matrices, trees, strict=True)])

    shallow = [[0, 1, 2], [0, 1, 2, 0, 4, 5], [0, 1, 2, 0, 4, 5, 0, 7, 8]]
    chains = [list(range(n)) for n in range(3, 16, 3)]
    for counted, order in ((lambda trees: counts(crba, trees), 2), (factorising, 3)):
        on_shallow, on_chains = counted(shallow), counted(chains)
        assert (np.diff(on_shallow, n=2) == 0).all()
        assert (np.diff(on_chains, n=order + 1) == 0).all()
        assert (np.diff(on_chains, n=order) > 0).all()
    binary, chain = [i // 2 for i in range(1, 8)], list(range(7))
    ratios = [np.divide(*counts(function, [binary, chain])) for function in (rnea, aba, crba)]
    assert ratios[:2] == pytest.approx([1, 1], rel=0.1)
    assert ratios[2] < 0.9


@pytest.mark.source("RBDA-10.10", "RBDA-10.11", "RBDA-10.12")
def test_costs_on_a_tree_are_those_of_every_single_transform(rng):
    """Body by body along each path: which transform is used, and what it costs."""
    for parent in trees(rng, 30, 12):
        n = len(parent)
        inner = [i for i in range(1, n + 1) if parent[i - 1]]
        chosen = {parent[i - 1]: i for i in rng.permutation(inner).tolist() if rng.random() < 0.8}
        dh = set(chosen.values())
        D, total = operation_counts.executions(parent, dh), Cost(0, 0)
        for i in inner:
            total += Cost(0, 10) + (Cost(32, 33) if i in dh else Cost(47, 48))
        uses = Counter(j for i in range(1, n + 1) for j in ancestors(parent, i) if parent[j - 1])
        for j, times in uses.items():
            total += times * (Cost(20, 12) if j in dh else Cost(24, 18))
        assert crba_cost_on_tree(parent, dh) == total                                       # (10.10)
        assert (D.D_0_dh, D.D_0_g) == (len(dh), len(set(inner) - dh))                        # (10.11)
        assert D.D_1_dh == sum(uses[i] for i in dh)
        assert D.D_1_g == sum(uses[i] for i in inner if i not in dh)
        assert D.D_0_dh + D.D_0_g == D_0(parent)
        assert D.D_1_dh + D.D_1_g == D_1(parent)
        printed = zip(D, (Cost(32, 43), Cost(47, 58), Cost(20, 12), Cost(24, 18)), strict=True)
        assert sum((times * cost for times, cost in printed), Cost(0, 0)) == total          # (10.12)


@pytest.mark.source("RBDA-F10.5")
def test_on_a_binary_tree_the_nd2_algorithm_costs_about_as_much_as_the_articulated_body_algorithm():
    assert operation_counts.figure_10_5([7, 15, 31]) == {
        "binary tree": [2005, 5229, 12477], "aba": [2496, 5928, 12792], "chain": [2356, 8472, 34592]}
    for n in range(20, 41):
        tree = operation_counts.forward_dynamics_cost([i // 2 for i in range(1, n + 1)]).total()
        assert 0.9 < tree / BEST["aba"].subs(N, n) < 1.05
    for depth, total in ((3, 2005), (4, 5229)):
        assert operation_counts.forward_dynamics_cost(list(binary_tree(depth).parent[1:])).total() == total
