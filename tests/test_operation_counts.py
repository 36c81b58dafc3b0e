"""Operation counts: the cost formulas refuse what fits no tree, and counts agree with independent counters."""

from collections import Counter

import numpy as np
import pytest

from rbdlib import aba, arithmetic, bias_force, crba, load, rnea
from rbdlib.codegen.counting import compare, count
from rbdlib.codegen.executer import record
from rbdlib.codegen.parameters import free_symbols
from rbdlib.codegen.rewrite import optimise
from rbdlib.complexity import Counted
from rbdlib.generators import auto_tree, binary_tree, gu
from rbdlib.operation_counts import (
    Cost,
    cost_of,
    crba_cost_on_tree,
    dh_children,
    executions,
    figure_10_4,
    figure_10_5,
    forward_dynamics_cost,
    solve_cost,
)

ALGORITHMS = [rnea, bias_force, crba, aba]


def random_parents(rng, n):
    return [int(rng.integers(0, i)) for i in range(1, n + 1)]


# Costs


def test_costs_are_added_multiplied_and_weighed():
    cost = Cost(2, 3) + 2 * Cost(10, 5) * 2
    assert cost == Cost(42, 23)
    assert (cost.total(), cost.total(0.5), str(cost)) == (65, 53.5, "42m + 23a")
    assert cost_of(Counter(m=3, d=2, a=7, sin=4, sqrt=1)) == Cost(5, 7)


@pytest.mark.parametrize(("dh", "complaint"), [
    ({1}, "the base"), ({9}, "dh contains 9"), ({2, 3}, "several children of body 1"), ({0}, "dh contains 0"),
])
def test_bodies_that_cannot_have_a_link_frame_are_refused(dh, complaint):
    with pytest.raises(ValueError, match=complaint):
        executions([0, 1, 1, 2], dh)


@pytest.mark.parametrize("function", [executions, dh_children, crba_cost_on_tree, solve_cost, forward_dynamics_cost])
@pytest.mark.parametrize("parent", [[1], [0, 2], [0, -1], [0, 0.5]])
def test_lists_of_parents_that_are_no_tree_are_refused(function, parent):
    with pytest.raises(ValueError, match="parent"):
        function(parent)


def test_link_frames_go_where_they_save_most():
    """No other choice of one child for each body costs less, in any weight of additions."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        parent = random_parents(rng, 9)
        best = crba_cost_on_tree(parent)
        for _ in range(40):
            chosen = {p: i for i, p in rng.permutation(list(enumerate(parent, start=1))).tolist() if p}
            other = crba_cost_on_tree(parent, set(chosen.values()))
            assert best.m <= other.m
            assert best.a <= other.a
        assert crba_cost_on_tree(parent, ()).total() >= best.total()


def test_the_curves_are_the_sums_of_their_parts():
    sizes = [2, 9, 30]
    chains, trees = figure_10_4(sizes, addition=0.5), figure_10_5(sizes, addition=0.5)
    assert trees["chain"] == chains["n³"]
    assert trees["aba"] == chains["aba"]
    for k, n in enumerate(sizes):
        assert chains["n³"][k] == pytest.approx(forward_dynamics_cost(range(n)).total(0.5))
        assert trees["binary tree"][k] < trees["chain"][k] or n == 2


# Counting


@pytest.mark.parametrize("function", ALGORITHMS)
@pytest.mark.parametrize("name", ["gu", "tree", "furuta_pendulum"])
def test_counts_before_simplification_agree_with_those_of_a_recording(function, name):
    """Two counters that share nothing: numbers that count themselves, and the length of a list of assignments."""
    model = {"gu": gu(3), "tree": binary_tree(3, seed=2)}.get(name) or load(name)
    recorded = record(function, model, simplified=False).program.count()
    assert count(function, model) == recorded
    assert recorded["m"] > 0


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("function", ALGORITHMS)
def test_a_simplified_count_is_what_running_the_program_takes(function, typed):
    model = auto_tree(4, 1.5, seed=5)
    program = optimise(record(function, arithmetic.typed(model) if typed else model).program)
    operations = Counter()
    program.evaluate([Counted(x, operations) for x in np.random.default_rng(1).uniform(0.5, 1, program.input_size)])
    counted = count(function, model, simplified=True, typed=typed)
    assert counted == operations
    assert cost_of(counted).total() < cost_of(count(function, model, typed=typed)).total()


def test_further_unknown_arguments_cost_more_and_fixed_ones_less():
    model = gu(3)
    plain = cost_of(count(rnea, model, simplified=True)).total()
    assert cost_of(count(rnea, model, simplified=True, given=("f_ext",))).total() > plain
    assert cost_of(count(rnea, model, simplified=True, qd=np.zeros(3))).total() < plain
    assert cost_of(count(rnea, model, given=("f_ext",))).total() > cost_of(count(rnea, model)).total()


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="no argument 'speed'"):
        count(rnea, gu(2), speed=1)
    with pytest.raises(ValueError, match="no argument 'speed'"):
        count(rnea, gu(2), simplified=True, given=("speed",))


@pytest.mark.parametrize(("attempt", "complaint"), [
    (lambda: count(3, gu(2)), "function is 3; give a function"),
    (lambda: count(rnea, 3), "model is 3; give a Model"),
    (lambda: count(rnea, gu(2), given="f_ext"), r"given is the text 'f_ext'; give a list of names, such as \['f_ext'"),
    (lambda: count(rnea, gu(2), parameters="m_1"), "parameters is the text"),
    (lambda: count(lambda model, q: q * (1 if q[0] > 0 else 2), gu(2)), "chooses by the value of a number"),
    (lambda: count(lambda model, q: q if q[0] else 2 * q, gu(2)), "chooses by the value of a number"),
    (lambda: count(lambda model, q: q * (1 if q[0] > 0 else 2), gu(2), simplified=True), "chooses by the value"),
])
def test_what_cannot_be_counted_is_refused(attempt, complaint):
    with pytest.raises(TypeError, match=complaint):
        attempt()


def test_powers_are_multiplications():
    operations = Counter()
    x = Counted(2.0, operations)
    assert [(x**n).value for n in (1, 2, 5)] == [2, 4, 32]
    assert operations == Counter(m=5)
    assert (x**-2).value == 0.25
    assert operations == Counter(m=6, d=1)
    assert x**0 == 1
    with pytest.raises(TypeError, match="whole powers"):
        x**0.5


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("function", ALGORITHMS)
def test_symbols_of_the_model_are_unknown_numbers(function, typed):
    symbolic, numeric = (load("double_pendulum", symbolic=choice) for choice in (True, False))
    unknown = count(function, symbolic, simplified=True, typed=typed).total()
    assert unknown > count(function, numeric, simplified=True, typed=typed).total()
    assert unknown == count(function, symbolic, simplified=True, typed=typed, parameters=free_symbols(symbolic)).total()
    assert count(function, symbolic, typed=typed).total() >= unknown
    with pytest.raises(ValueError, match="contains the symbol"):
        count(function, symbolic, simplified=True, typed=typed, parameters=free_symbols(symbolic)[1:])


# Beside the published figures


@pytest.mark.parametrize(("n", "moved"), [(2, False), (3, False), (6, False), (20, False), (2, True), (4, True),
                                          (9, True)])
def test_every_algorithm_takes_no_more_than_the_best_published_one(n, moved):
    """On GU(n) with its Denavit-Hartenberg frames; the printed formulas are written out here once more."""
    printed = {"rnea": (93 * n - 108, 81 * n - 100), "aba": (224 * n - 259, 205 * n - 248),
               "crba": (10 * n**2 + 22 * n - 32, 6 * n**2 + 37 * n - 43)}
    algorithms = compare(gu(n), in_joint_space=moved).algorithms
    for name, (m, a) in printed.items():
        published, counted = algorithms[name]
        assert published == Cost(m, a)
        assert 0 < counted.total() <= m + a
    published, counted = algorithms["solve"]
    assert published == counted
    assert algorithms["n³"].counted.total() == sum(algorithms[name].counted.total() for name in
                                                   ("rnea", "crba", "solve"))


@pytest.mark.parametrize(("function", "degree", "sizes"), [
    (rnea, 1, range(4, 12)), (crba, 2, range(4, 12)), (aba, 1, [4, 5, 7, 8])])
def test_counts_by_the_rules_of_the_book_are_polynomials_of_n(function, degree, sizes):
    """Fitted to the smallest chains, the polynomial holds for the others and for GU(20), exactly."""
    sizes = [*sizes, 20]
    costs = [cost_of(record(function, arithmetic.typed(gu(n))).program.count()) for n in sizes]
    for column in ([cost.m for cost in costs], [cost.a for cost in costs]):
        fitted = np.polyfit(sizes[: degree + 1], column[: degree + 1], degree)
        assert np.polyval(fitted, sizes) == pytest.approx(column, abs=1e-6)


def test_link_frames_and_moved_inertias_pay_on_trees_and_arms():
    for model in (binary_tree(3, seed=1), load("puma560")):
        plain, moved = (compare(model, in_joint_space=choice).algorithms for choice in (False, True))
        for name in ("rnea", "crba", "aba"):
            assert moved[name].counted.total() <= plain[name].counted.total()
            assert moved[name].published.total() > moved[name].counted.total()
        assert plain["crba"].published == crba_cost_on_tree(model.parent[1:])


def test_a_comparison_prints_as_a_table():
    lines = repr(compare(gu(2))).splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["rnea", "crba", "solve", "aba", "n³"]
    assert "78m + 62a" in lines[2]


@pytest.mark.parametrize("model", [load("cart_pole"), gu(1)], ids=["cart pole", "one body"])
def test_only_trees_of_hinges_are_compared(model):
    with pytest.raises(ValueError, match="revolute joints only"):
        compare(model)
