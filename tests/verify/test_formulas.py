"""An answer against a plain formula, without a model: the decision, the names, and what is said about mistakes."""

import numpy as np
import pytest
import sympy as sp

from rbdlib.verification.notation.parser import formula
from rbdlib.verification.plain import Conditions, FormulaNames, Reference, Symbols, verify_formula
from rbdlib.verification.reasons.edits import _joined, terms_within
from rbdlib.verification.reasons.pool import factored, product, rational
from rbdlib.verification.trees.expression import Symbol, to_text
from rbdlib.verification.trees.network import Network, replaced, values

BOUNCES = Reference("sqrt(2*h/g)*(1 + e)/(1 - e)")
LADDER = Reference("3/4*m*g*cos(theta)*(3*sin(theta) - 2*sin(theta_0))")
FORCES = Reference(["m*(rdd - r*omega^2)", "m*(2*rd*omega + r*omegad)"])


def kinds(report):
    """The kinds of what the likeliest explanation names, in order."""
    return [finding.kind for finding in report.explanations[0]] if report.explanations else []


@pytest.mark.parametrize(("reference", "answer"), [
    (BOUNCES, r"\sqrt{\frac{2h}{g}}\,\frac{1+e}{1-e}"), (BOUNCES, "t0 = sqrt(2*h/g); T = t0 + 2*t0*(e/(1 - e))"),
    (BOUNCES, lambda h, g, e: np.sqrt(2 * h / g) * (1 + e) / (1 - e)),
    (LADDER, r"\frac{9}{8} m g \sin 2\theta - \frac32 m g\cos\theta\sin\theta_0"),
    (FORCES, r"\begin{bmatrix} m(\ddot r - r\omega^2) \\ m(2\dot r\omega + r\dot\omega)\end{bmatrix}"),
    (FORCES, "[m*(r'' - r*omega**2), m*(2*rdot*omega + r*omega_dot)]"),
    (FORCES, "F_1 = m*(rdd - r*omega^2)\nh = r*omega\nF_2 = m*(2*rd*omega + h*omegad/omega)"),
    (LADDER, r"\ddot x = \frac{3}{4} m g \cos\theta\,(3\sin\theta - 2\sin\theta_0)"), (Reference("3/2*g"), "g*150 cm")])
def test_right_answers_in_other_forms_and_notations(reference, answer):
    assert verify_formula(reference, answer).ok, verify_formula(reference, answer)


@pytest.mark.parametrize(("reference", "answer", "wanted"), [
    (BOUNCES, "sqrt(2*h/g)*(1 + e)/(1 + e)", {"sign"}), (BOUNCES, "sqrt(2*h/g)*(1 - e)/(1 + e)", {"inverted", "sign"}),
    (BOUNCES, "sqrt(2*h/g)*(1 + e)^2/(1 - e)", {"power"}),
    *((Reference(f"sqrt(a^{n} + b^2)"), f"sqrt(a^{5 - n} + b^2)", {"power"}) for n in (2, 3)),
    (BOUNCES, "sqrt(h/g)*(1 + e)/(1 - e)", {"factor", "half-length"}),
    (BOUNCES, "2*h/g*((1 + e)/(1 - e))^2", {"square"}),
    (LADDER, "3/4*m*g*sin(theta)*(3*sin(theta) - 2*sin(theta_0))", {"function"}),
    (LADDER, "3/4*m*g*cos(theta)*(3*sin(theta) - 2*sin(theta))", {"symbol", "argument"}),
    (LADDER, "9/4*m*g*cos(theta)*sin(theta)", {"missing term"}),
    (FORCES, "[m*(rdd - r*omega^2), m*(rd*omega + r*omegad)]", {"factor"}),
    (FORCES, "[m*(rdd - r*omega^2), m*(2*rd*omega + r*omegad + r)]", {"extra term"}),
    (Reference("m*g*sin(a)"), "m*g*a", {"small angle"}), (Reference("sin(a + pi/6)"), "sin(a + 30)", {"degrees"})])
def test_one_mistake_is_named(reference, answer, wanted):
    report = verify_formula(reference, answer)
    assert not report.ok and len(kinds(report)) == 1 and set(kinds(report)) <= wanted, report


def test_what_is_right_there_has_its_numbers_multiplied_but_for_large_powers():
    assert "right there: -1/3*a*b/c" in str(verify_formula(Reference("-a*b/(3*c)"), "a/3/(-c)"))
    assert factored(formula("x*(1/3)^3000000/(-y)"))[0] == -1
    for text, shown in {"2*m*l^2/(r*g)": "2*m*l**2/(r*g)", "-a/3/(-c)": "1/3*a/c", "(a*b)^2/(4*b)": "1/4*a**2*b",
                        "2^3*m": "8*m", "0.5*m": "0.5*m", "1/(m*l^2)": "1/(m*l**2)", "-(-m)": "m", "-m^n": "-m**n",
                        "(a+b)*(a+b)": "(a + b)**2", "2^48/2^48": "1", "-3/m/m": "-3/m**2"}.items():
        assert to_text(product(*factored(formula(text)))) == shown


@np.errstate(all="ignore")                                # as in a search
def test_simple_numbers_are_recognised_and_pairs_with_a_sum_or_a_product_found():
    for ratios, number in (([0.75] * 3, "3/4"), ([-2 / 3, -2 / 3], "-2/3"), ([1 / 48] * 2, "1/48"), ([1 / 49], "None"),
                           ([48.0], "48"), ([49.0], "None"), ([np.nan], "None"), ([0.0], "None"), ([1.0001], "None"),
                           ([0.5, 0.5 + 1e-9], "1/2"), ([0.5, 0.5 + 1e-7], "None")):
        assert str(rational(np.array(ratios))) == number, ratios
    rows = np.random.default_rng(3).integers(-3, 4, (40, 2)).astype(float)
    for combine, wanted in ((np.add, np.array([2.0, -1.0])), (np.multiply, np.array([6.0, -3.0]))):
        pairs = [(i, j) for i in range(40) for j in range(i + 1, 40) if (combine(rows[i], rows[j]) == wanted).all()]
        assert len(pairs) > 3 and _joined(rows, wanted, combine, 1e-9) == pairs


@np.errstate(all="ignore")                                # as in a search
def test_the_whole_changes_with_a_part_as_if_it_were_written_so():
    known = {Symbol(name): np.array([0.3, 1.7, 0.8]) + k for k, name in enumerate("abcx")}
    tree, new = formula("a*sin(b*x + c)^2/(a + x) - b^(1/2)*(-c) + exp(x/2)*cos(b)*pi"), formula("a + 2*c^-2")
    network = Network(tree, known, lambda values: values[..., :2] - values[..., 1:])
    for node in (node for node in network.nodes if node.parts or isinstance(node, Symbol)):     # exponents stay
        change = network.change(node, np.array([network.value_of(new), network.value_of(tree)]))
        changed = network.combine(values(replaced(tree, {id(node): new}), known))
        np.testing.assert_allclose(change[0], changed - network.whole, atol=1e-12)
    assert len(network.below(tree)) == len(network.nodes) and network.value_of(tree) is network.values[id(tree)]
    assert [to_text(x) for x in terms_within(formula("a + b*(c + d) - sin(e + f)/(g + h)"))] == [
        "a", "b*(c + d)", "-sin(e + f)/(g + h)", "c", "d"]


def test_two_mistakes_are_named_together_and_their_place_is_pointed_at():
    report = verify_formula(LADDER, "3/4*m*g*cos(theta)*(3*cos(theta) + 2*sin(theta_0))")
    assert sorted(kinds(report)) == ["function", "sign"], report
    text = "sqrt(2*h/g)*(1 + e)/(1 + e)"
    finding = verify_formula(BOUNCES, text).findings[0]
    assert finding.span[0] > text.index("/(") and "e has the wrong sign" in finding.sentence


@pytest.mark.parametrize("answer", ["sqrt(h)*7", "sin(h + g) - e", "1", "h^g", lambda h: h])
def test_nothing_is_claimed_where_nothing_fits(answer):
    report = verify_formula(BOUNCES, answer)
    assert not report.ok and not report.explanations


@pytest.mark.parametrize(("answer", "words"), [
    ("sqrt(2*h/k)*(1 + e)/(1 - e)", "the symbol k"), ("sqrt(2*h/g*(1 + e)/(1 - e)", "never closed"),
    ("[h, g]", "but your formula is a single number"), ("1/(e - e)", "no value"), ("", "empty")])
def test_what_cannot_be_compared_is_said(answer, words):
    report = verify_formula(BOUNCES, answer)
    assert report.verdict == "not understood" and words in report.problem


def test_values_in_some_states_only_are_wrong_and_shared_parts_of_sympy_are_changed_one_by_one():
    report = verify_formula(Reference("sqrt(a^2 + b^2)"), "sqrt(a^2 - b^2)")
    assert not report.ok and kinds(report) == ["sign"]
    a, b, c = sp.symbols("a b c")
    for answer, kind in ((a * b - c * a, "sign"), (a * b + c * a + a, "extra term")):
        assert kinds(verify_formula(Reference(a * b + c * a), answer)) == [kind]


def test_values_agree_with_the_conditions_and_what_is_right_under_them_only_is_right():
    """Also the rounded ones, which are shown, and those of any seed."""
    reference = Reference("n*(a - b)/(1 - e) + x", positive=(), where="n whole; 0 < b < a; 0 < e < 1")
    for seed in range(5):
        for decimals in (None, 1):
            states = [state.parameters for state in reference.states(20, seed, decimals)]
            assert all(0 < s["b"] < s["a"] and 0 < s["e"] < 1 and s["n"] > 0 and s["n"] % 1 == 0 for s in states)
            assert {s["x"] > 0 for s in states} == {True, False}
    found = Conditions("n, d whole; 0 < r < R, l < 2; 1 < x")
    assert (found.whole, found.positive, found.names) == ({*"nd"}, {*"ndrRl"}, {*"ndrRlx"}) and found.pairs == [
        (0, "r"), ("r", "R"), ("r", "l"), ("R", 2), ("l", 2), (1, "x")]
    right = {"r": 1, "R": 1.5, "l": 1.2, "x": 2}
    assert found.hold(right) and not any(found.hold(right | other) for other in ({"l": 0.9}, {"R": 2}, {"x": 1}))
    few = {state.parameters["n"] for state in Reference("n", where="n whole").states()}
    assert len(few) == 4                                        # enough to tell cubic polynomials apart

    assert verify_formula(Reference("x"), "sqrt(x^2)").ok
    assert not verify_formula(Reference("x", positive=()), "sqrt(x^2)").ok, "both signs count"
    assert verify_formula(Reference("n", where="n whole"), "n*cos(2*pi*n)").ok
    assert verify_formula(Reference("a - b", where="b < a"), "sqrt((a - b)^2)").ok
    assert not verify_formula(Reference("a - b"), "sqrt((a - b)^2)").ok


@pytest.mark.parametrize(("where", "words"), [
    ("n", "\"n\" cannot be read"), ("b > a", "cannot be read"), ("a <", "cannot be read"), ("a whole b", "cannot be"),
    ("z < a", "is about z, but the symbols are a, b"), ("a < b < a", "no real value")])
def test_conditions_that_cannot_be_met_are_refused(where, words):
    with pytest.raises(ValueError, match=words):
        Reference("a + b", where=where)
    for formulas, said in (("sqrt(-x^2)", "must be positive"), ("a\nb", "2 formulas on lines of their own")):
        with pytest.raises(ValueError, match=said):
            Reference(formulas)


def test_names_of_a_formula_are_found_however_they_are_written():
    names = FormulaNames(Symbols(["theta_1", "omega", "omegad", "q1", "qd1", "lambda", "A_b", "m", "M"]))
    assert [names.find(name)[0] for name in "th1 vartheta_1 lamda ab Omega M mm q_1 x".split()] == [
        "theta_1", "theta_1", "lambda", "A_b", "omega", "M", "", "q1", ""]
    rated = {("omega", 1): "omegad", ("omega", 2): None, ("q_1", 1): "qd1", ("theta_1", 1): None}
    assert {key: names.rated(Symbol(*key)) for key in rated} == rated


def test_a_power_whose_rounded_exponent_is_sought_far_away_is_judged():
    report = verify_formula(Reference("(l1/l2)^1.5", where="l2 < l1"), "-l1**1.5*l2**(-1.5)")
    assert report.understood and kinds(report) == ["sign"]
