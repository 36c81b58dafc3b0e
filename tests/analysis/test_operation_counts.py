"""Operation counts: the cost formulas refuse what fits no tree, and counts agree with independent counters."""

from collections import Counter

import numpy as np
import pytest

from rbdlib import aba, arithmetic, bias_force, crba, load, rnea
from rbdlib.analysis import operation_counts, operation_counts as counts
from rbdlib.analysis.counting import compare, count, count_operations
from rbdlib.compile.executer import record
from rbdlib.compile.parameters import free_symbols
from rbdlib.compile.rewrite import optimise
from rbdlib.methods.generators import auto_tree, binary_tree, gu
from rbdlib.numbers.operations import Counted

ALGORITHMS = [rnea, bias_force, crba, aba]


# Costs

def test_costs_are_added_multiplied_and_weighed_and_powers_are_multiplications():
    cost = counts.Cost(2, 3) + 2 * counts.Cost(10, 5) * 2
    assert cost == counts.Cost(42, 23)
    assert (cost.total(), cost.total(0.5), str(cost)) == (65, 53.5, "42m + 23a")
    assert counts.cost_of(Counter(m=3, d=2, a=7, sin=4, sqrt=1)) == counts.Cost(5, 7)

    operations = Counter()
    x = Counted(2.0, operations)
    assert [(x**n).value for n in (1, 2, 5)] == [2, 4, 32]
    assert operations == Counter(m=5)
    assert (x**-2).value == 0.25
    assert operations == Counter(m=6, d=1)
    assert x**0 == 1
    taken, (double, more) = count_operations(lambda x, parts: (x + x, parts[1] * 2), [1.0, 2.0], [None, np.ones(3)])
    assert (taken, double.tolist(), more.tolist()) == (Counter(a=2, m=3), [2, 4], [2, 2, 2])


@pytest.mark.parametrize("function", [counts.executions, counts.dh_children, counts.crba_cost_on_tree,
                                      operation_counts.solve_cost, counts.forward_dynamics_cost])
def test_lists_of_parents_that_are_no_tree_are_refused(function):
    for parent in ([1], [0, 2], [0, -1], [0, 0.5]):
        with pytest.raises(ValueError, match="parent"):
            function(parent)


def test_link_frames_go_where_they_save_most_and_curves_are_the_sums_of_their_parts():
    """No other choice of one child for each body costs less, in any weight of additions."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        parent = [int(rng.integers(0, i)) for i in range(1, 10)]
        best = counts.crba_cost_on_tree(parent)
        for _ in range(40):
            chosen = {p: i for i, p in rng.permutation(list(enumerate(parent, start=1))).tolist() if p}
            other = counts.crba_cost_on_tree(parent, set(chosen.values()))
            assert (best.m <= other.m, best.a <= other.a) == (True, True), (parent, chosen)
        assert counts.crba_cost_on_tree(parent, ()).total() >= best.total()

    sizes = [2, 9, 30]
    chains, trees = operation_counts.figure_10_4(sizes, addition=0.5), operation_counts.figure_10_5(sizes, addition=0.5)
    assert trees["chain"] == chains["n³"]
    assert trees["aba"] == chains["aba"]
    for k, n in enumerate(sizes):
        assert chains["n³"][k] == pytest.approx(counts.forward_dynamics_cost(range(n)).total(0.5))
        assert trees["binary tree"][k] < trees["chain"][k] or n == 2


# Counting

@pytest.mark.parametrize("function", ALGORITHMS)
def test_counts_before_simplification_agree_with_those_of_a_recording(function):
    """Two counters that share nothing: numbers that count themselves, and the length of a list of assignments."""
    for model in (gu(3), binary_tree(3, seed=2), load("furuta_pendulum")):
        recorded = record(function, model, simplified=False).program.count()
        assert count(function, model) == recorded
        assert recorded["m"] > 0


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("function", ALGORITHMS)
def test_a_simplified_count_is_what_running_the_program_takes(function, typed):
    model = auto_tree(3, 1.5, seed=5)
    program = optimise(record(function, arithmetic.typed(model) if typed else model).program)
    operations = Counter()
    program.evaluate([Counted(x, operations) for x in np.random.default_rng(1).uniform(0.5, 1, program.input_size)])
    counted = count(function, model, simplified=True, typed=typed)
    assert counted == operations
    assert counts.cost_of(counted).total() < counts.cost_of(count(function, model, typed=typed)).total()


def test_further_unknown_arguments_cost_more_and_fixed_ones_less():
    def total(**given):
        return counts.cost_of(count(rnea, gu(3), **given)).total()

    assert total(simplified=True, qd=np.zeros(3)) < total(simplified=True) < total(simplified=True, given=("f_ext",))
    assert total() < total(given=("f_ext",))


@pytest.mark.parametrize(("attempt", "error", "complaint"), [
    (lambda: counts.executions([0, 1, 1, 2], {1}), ValueError, "the base"),
    (lambda: counts.executions([0, 1, 1, 2], {9}), ValueError, "dh contains 9"),
    (lambda: counts.executions([0, 1, 1, 2], {2, 3}), ValueError, "several children of body 1"),
    (lambda: counts.executions([0, 1, 1, 2], {0}), ValueError, "dh contains 0"),
    (lambda: count(rnea, gu(2), speed=1), ValueError, "no argument 'speed'"),
    (lambda: count(rnea, gu(2), simplified=True, given=("speed",)), ValueError, "no argument 'speed'"),
    (lambda: compare(load("cart_pole")), ValueError, "revolute joints only"),
    (lambda: compare(gu(1)), ValueError, "revolute joints only"),
    (lambda: count(3, gu(2)), TypeError, "function is 3; give a function"),
    (lambda: count(rnea, 3), TypeError, "model is 3; give a Model"),
    (lambda: count(rnea, gu(2), given="f_ext"), TypeError,
     r"given is the text 'f_ext'; give a list of names, such as \['f_ext'"),
    (lambda: count(rnea, gu(2), parameters="m_1"), TypeError, "parameters is the text"),
    (lambda: count(lambda model, q: q * (1 if q[0] > 0 else 2), gu(2)), TypeError, "chooses by the value of a number"),
    (lambda: count(lambda model, q: q if q[0] else 2 * q, gu(2)), TypeError, "chooses by the value of a number"),
    (lambda: count(lambda model, q: q * (1 if q[0] > 0 else 2), gu(2), simplified=True), TypeError,
     "chooses by the value"),
    (lambda: Counted(2.0, Counter()) ** 0.5, TypeError, "whole powers")])
def test_what_cannot_be_counted_or_compared_is_refused(attempt, error, complaint):
    with pytest.raises(error, match=complaint):
        attempt()


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("function", ALGORITHMS)
def test_symbols_of_the_model_are_unknown_numbers(function, typed):
    symbolic, numeric = (load("double_pendulum", symbolic=choice) for choice in (True, False))
    symbols = free_symbols(symbolic)

    def total(model, **given):
        return count(function, model, typed=typed, **given).total()

    unknown = total(symbolic, simplified=True)
    assert unknown > total(numeric, simplified=True)
    assert unknown == total(symbolic, simplified=True, parameters=symbols)
    assert total(symbolic) >= unknown
    with pytest.raises(ValueError, match="contains the symbol"):
        total(symbolic, simplified=True, parameters=symbols[1:])


# Beside the published figures

@pytest.mark.parametrize(("n", "moved"), [(2, False), (3, False), (6, False), (2, True), (4, True),
                                          pytest.param(9, True, marks=pytest.mark.long),
                                          pytest.param(20, False, marks=pytest.mark.long)])
def test_every_algorithm_takes_no_more_than_the_best_published_one(n, moved):
    """On GU(n) with its Denavit-Hartenberg frames; the printed formulas are written out here once more."""
    printed = {"rnea": (93 * n - 108, 81 * n - 100), "aba": (224 * n - 259, 205 * n - 248),
               "crba": (10 * n**2 + 22 * n - 32, 6 * n**2 + 37 * n - 43)}
    algorithms = compare(gu(n), in_joint_space=moved).algorithms
    for name, (m, a) in printed.items():
        published, counted = algorithms[name]
        assert published == counts.Cost(m, a)
        assert 0 < counted.total() <= m + a
    published, counted = algorithms["solve"]
    assert published == counted
    assert algorithms["n³"].counted.total() == sum(algorithms[name].counted.total() for name in
                                                   ("rnea", "crba", "solve"))


@pytest.mark.parametrize(("function", "degree", "sizes"), [
    (rnea, 1, [4, 5, 7, 14]), (crba, 2, [4, 5, 6, 9, 14]), (aba, 1, [4, 5, 7, 14])])
def test_counts_by_the_rules_of_the_book_are_polynomials_of_n(function, degree, sizes):
    """Fitted to the smallest chains, the polynomial holds for the others and for GU(14), exactly."""
    costs = [counts.cost_of(record(function, arithmetic.typed(gu(n))).program.count()) for n in sizes]
    for column in ([cost.m for cost in costs], [cost.a for cost in costs]):
        fitted = np.polyfit(sizes[: degree + 1], column[: degree + 1], degree)
        assert np.polyval(fitted, sizes) == pytest.approx(column, abs=1e-6)


@pytest.mark.slow
def test_link_frames_and_moved_inertias_pay_on_trees_and_arms():
    for model in (auto_tree(5, 2, seed=1), load("puma560")):
        plain, moved = (compare(model, in_joint_space=choice).algorithms for choice in (False, True))
        for name in ("rnea", "crba", "aba"):
            assert moved[name].counted.total() <= plain[name].counted.total()
            assert moved[name].published.total() > moved[name].counted.total()
        assert plain["crba"].published == counts.crba_cost_on_tree(model.parent[1:])


def test_a_comparison_prints_as_a_table():
    lines = repr(compare(gu(2))).splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["rnea", "crba", "solve", "aba", "n³"]
    assert "78m + 62a" in lines[2]
