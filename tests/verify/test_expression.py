"""Trees: derivatives agree with SymPy and with differences, terms add up, and what is written can be read again."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from mpmath import mp

from rbdlib.verification.notation.reading import read
from rbdlib.verification.notation.sympy_reading import from_sympy
from rbdlib.verification.trees import calculus, expression as expr, nodes
from rbdlib.verification.trees.expression import Function, Number, Operation, Symbol, evaluate, symbols, to_text
from rbdlib.verification.trees.names import FUNCTIONS, beginning, canonical, spelled
from tests.verify import TABLES

NAMES = "a b m1 l_c1 q1 q2 theta2 I_zz".split()


@pytest.fixture(autouse=True)
def in_forty_digits():
    with mp.workdps(40):
        yield


def tree_of(text):
    (tree,) = read(text).trees
    return tree


def random_tree(rng, depth=4):
    """A formula with a value at positive numbers: no roots or logarithms of what may be negative."""
    kind = rng.choice("symbol number + * / neg ^ function".split()[: 8 if depth else 2])
    if kind == "symbol":
        return Symbol(str(rng.choice(NAMES)), int(rng.integers(3)))
    if kind == "number":
        return Number([Fraction(3), Fraction(2), "0.5", "0.125"][rng.integers(4)])
    parts = [random_tree(rng, depth - 1) for _ in range(int(rng.integers(2, 4)))]
    if kind in ("+", "*", "neg"):
        return Operation(kind, tuple(parts[: 1 if kind == "neg" else None]))
    if kind == "/":
        return Operation("/", (parts[0], Operation("+", (Number(Fraction(2)), Function("sin", (parts[1],))))))
    if kind == "^":
        return Operation("^", (parts[0], Number(Fraction(int(rng.integers(2, 4))))))
    return Function(str(rng.choice(["sin", "cos", "atan", "abs", "tanh"])), (parts[0],))


def to_sympy(tree, names=None):
    """A tree as a SymPy expression; names: {Symbol: SymPy expression}, otherwise rates are called such as m1_ddot."""
    def rule(node, parts):
        match node:
            case Number():
                return sympy.Float(node.exact) if isinstance(node.exact, str) else sympy.Rational(node.exact)
            case Symbol():
                dots = f"_{(node.dots - 1) * 'd'}dot" if node.dots else ""
                return names[node] if names else sympy.Symbol(node.name + dots)
            case Function():
                return getattr(sympy, "Abs" if node.name == "abs" else node.name)(*parts)
        return {**nodes.ARITHMETIC, "+": sympy.Add, "*": sympy.Mul}[node.kind](*parts)

    return nodes.fold(tree, rule)


def random_values(rng, tree):
    return {s: mp.mpf(float(rng.uniform(0.5, 1.5))) for s in sorted(symbols(tree), key=str)}


def trees(count, seed=8):
    rng = np.random.default_rng(seed)
    return [(random_tree(rng), rng) for _ in range(count)]


def close(a, b, digits=30):
    return abs(a - b) <= mp.mpf(10) ** -digits * (1 + abs(a) + abs(b))


@pytest.mark.slow
def test_random_trees_survive_being_written_and_read():
    for tree, rng in trees(300):
        assert read(to_text(tree)).trees == (tree,), to_text(tree)
        values = random_values(rng, tree)
        back = read(expr.to_latex(tree)).trees[0]
        assert close(evaluate(back, values), evaluate(tree, values)), expr.to_latex(tree)


    matrix = expr.Matrix(((Symbol("a"),),))
    assert read(to_text(matrix)).trees == read(expr.to_latex(matrix)).trees == (matrix,), "one entry stays a matrix"


@pytest.mark.slow
def test_random_trees_have_the_value_that_sympy_finds_and_keep_it_there_and_back():
    for tree, rng in trees(120):
        values = random_values(rng, tree)
        plain = {s: sympy.Symbol(f"x{i}") for i, s in enumerate(values)}
        function = sympy.lambdify(list(plain.values()), to_sympy(tree, plain), "mpmath")
        assert close(function(*map(mp.mpf, values.values())), evaluate(tree, values), 12)
        back = from_sympy(to_sympy(tree), known=NAMES)
        assert symbols(back) <= symbols(tree) and close(evaluate(back, values), evaluate(tree, values), 12)


def test_derivatives_by_a_symbol_are_the_limits_of_differences():
    step = mp.mpf(10) ** -13
    for tree, rng in trees(120):
        values = random_values(rng, tree)
        for symbol in list(values)[:2]:
            sides = [evaluate(tree, values | {symbol: values[symbol] + d}) for d in (step, -step)]
            slope = (sides[0] - sides[1]) / (2 * step)
            assert close(evaluate(calculus.differentiate(tree, symbol), values), slope, 15), (to_text(tree), symbol)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ("atan2", "sign")])
def test_every_function_has_its_value_and_its_slope(name):
    x = Symbol("x")
    at = mp.mpf("1.3") if name == "acosh" else mp.mpf("0.7")
    tree = Function(name, (x,))
    function = getattr(mp, {"log": "ln", "abs": "fabs"}.get(name, name))
    assert close(evaluate(tree, {x: at}), function(at), 38)
    slope = mp.diff(function, at)
    assert close(evaluate(calculus.differentiate(tree, x), {x: at}), slope, 12)


def test_the_two_argument_arctangent_in_all_four_quadrants_and_powers_with_symbols_in_the_exponent():
    x, tree = Symbol("x"), tree_of("atan2(sin(2*x), cos(2*x))")
    for angle in map(mp.mpf, ("-1.4", "-0.3", "0.2", "1.5")):
        assert close(evaluate(tree, {x: angle}), 2 * angle)
        assert close(evaluate(calculus.differentiate(tree, x), {x: angle}), 2)
    at = mp.mpf("1.7")
    assert close(evaluate(calculus.differentiate(tree_of("x^x"), x), {x: at}), at**at * (mp.log(at) + 1))


def test_time_derivatives_give_dots_and_derivatives_are_carried_out_and_substituted():
    def moves(symbol):
        return symbol.name in ("q1", "q2")

    assert calculus.differentiate(tree_of("d/dt(x^2)*q1"), Symbol("q1")) == Number(Fraction(0)), "x is no function of t"
    for tree, wanted in ((Symbol("q1"), Symbol("q1", 1)), (Symbol("q1", 1), Symbol("q1", 2)),
                         (Symbol("m"), Number(Fraction(0))), (Symbol("t"), Number(Fraction(1)))):
        assert calculus.time_derivative(tree, moves) == wanted
    tree = calculus.time_derivative(tree_of("m*l*cos(q1)*q2' + t^2"), moves)
    wanted = tree_of("m*l*cos(q1)*q2'' - m*l*sin(q1)*q1'*q2' + 2*t")
    values = random_values(np.random.default_rng(3), Operation("+", (tree, wanted)))
    assert close(evaluate(tree, values), evaluate(wanted, values))
    with pytest.raises(expr.TooLarge, match="q1"):
        calculus.time_derivative(Symbol("q1", 4), moves)
    for function in (calculus.differentiate, nodes.derivative):
        with pytest.raises((TypeError, ValueError), match="by a (Symbol|symbol)"):
            function(Symbol("q1"), "q1")

    lagrangian = tree_of("1/2 m l^2 q1'^2 + m g l cos(q1)")
    equation = expr.substitute(tree_of("d/dt(dL/dq1') - dL/dq1"), {Symbol("L"): lagrangian})
    values = {tree_of(name): mp.mpf(x) for name, x in (("m", 2), ("l", 3), ("g", 10), ("q1", "0.4"), ("q1'", 7),
                                                       ("q1''", 5))}
    assert close(evaluate(equation, values), 18 * 5 + 60 * mp.sin(mp.mpf("0.4")))

    T = tree_of("q1'^2")
    tree = expr.substitute(tree_of("dT/dtheta1'"), {Symbol("theta1", 1): Symbol("q1", 1), Symbol("T"): T})
    assert tree == expr.Derivative(T, Symbol("q1", 1))
    assert symbols(tree_of("dL/dq1'")) == {Symbol("L"), Symbol("q1", 1)}


@pytest.mark.parametrize(("text", "wanted"), [
    ("a + b - c", ["a", "b", "-c"]), ("a - (b - c)", ["a", "-b", "c"]), ("-(a + b)", ["-a", "-b"]),
    ("a*(b + c)", ["a*(b + c)"]), ("-a", ["-a"]), ("-(-a)", ["a"]), ("a + (b + (c + d))", ["a", "b", "c", "d"])])
def test_terms_of_a_formula(text, wanted):
    assert [to_text(term) for term in expr.terms(tree_of(text))] == wanted


@pytest.mark.parametrize(("text", "count"), [
    ("(m1 + m2)*g*l1*sin(q1)", 2), ("(a + b)*(c + d)", 4), ("(a + b)^3", 8), ("a*(b - (c + d)*2)/m", 3),
    ("sin(a + b)", 1), ("(a+b)^2/(a+b)", 4)])
def test_a_formula_expands_into_so_many_terms(text, count):
    assert len(expr.expanded(tree_of(text))) == count


def test_terms_and_expanded_terms_of_random_trees_add_up_and_expansion_stops_in_time():
    for tree, rng in trees(150):
        values = random_values(rng, tree)
        for parts in (expr.terms(tree), expr.expanded(tree)):
            assert parts is None or close(sum(evaluate(x, values) for x in parts), evaluate(tree, values))
    assert expr.expanded(tree_of("*".join(["(a + b)"] * 60))) is None
    assert expr.expanded(tree_of("(((((a+b)^8+c)^8+d)^8+m)^8+k)^8")) is None


def test_values_go_to_all_digits_parts_without_value_are_named_and_places_do_not_count():
    assert evaluate(tree_of("1/3"), {}) == mp.mpf(1) / 3
    assert close(evaluate(tree_of("9.81"), {}), mp.mpf("9.81"), 39)
    assert close(evaluate(tree_of("sqrt(2)^2 + sin(pi)"), {}), 2, 38)
    assert evaluate(tree_of("[[1, 2], [3, 4]]"), {}) == [[1, 2], [3, 4]]

    with pytest.raises(expr.Undefined, match=r"log\(a - 3\)") as undefined:
        evaluate(tree_of("b + log(a - 3)"), {Symbol("a"): mp.mpf(1), Symbol("b"): mp.mpf(1)})
    assert to_text(undefined.value.node) == "log(a - 3)"
    for text, error, words in (("b'", KeyError, "b'"), ("a = b", TypeError, "equation")):
        with pytest.raises(error, match=words):
            evaluate(tree_of(text), {Symbol("b"): mp.mpf(1)})
    assert tree_of("a+b") == tree_of("  a  +  b ")
    assert tree_of("a = b + c") == expr.Equation(Symbol("a"), Operation("+", (Symbol("b"), Symbol("c"))))
    assert len(expr.postorder(tree_of("a + a*b"))) == 5


@pytest.mark.slow
def test_derivatives_that_would_explode_are_refused():
    tree = tree_of("*".join(["sin(x*cos(x))/(1 + x*sin(x))"] * 10))
    with pytest.raises(expr.TooLarge):
        for _ in range(12):
            tree = calculus.differentiate(tree, Symbol("x"))


@pytest.mark.parametrize(("word", "name", "dots"), TABLES["words"])
def test_names_and_rates_spelled_out(word, name, dots):
    assert spelled(word) == (name, dots) and canonical(canonical(word)) == canonical(word)


def test_trees_of_too_many_parts_are_refused(monkeypatch):
    monkeypatch.setattr(nodes, "MOST_NODES", 7)
    assert len(nodes.postorder(tree_of("a*b + c*d"))) == 7
    for made, text in ((tree_of, "a*b + c*d + e"), (lambda x: from_sympy(sympy.sympify(x)), "a*b + c*d*e*f*h*k*m")):
        with pytest.raises(ValueError, match="more than 7 parts"):
            nodes.postorder(made(text))


def test_known_names_are_not_taken_for_rates_and_long_texts_are_cut():
    assert [len(beginning("a" * n)) for n in (59, 60, 61)] == [59, 60, 60] and beginning("abcdef", 5) == "ab..."
    assert spelled("dth", known={"dth"}) == ("dth", 0) and spelled("qd1", known={"qd1"}) == ("q1", 1)
