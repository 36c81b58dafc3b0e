"""Right answers are accepted in whatever form, near misses are not, and both without help from a simplifier. Python
functions are answers too; arguments of `verify` that make no sense are refused."""

import math
import re
import time
from types import SimpleNamespace

import numpy as np
import pytest
import sympy

from rbdlib import Model, bias_force, crba, load, rnea, verify as explained, verify_steps
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import Prismatic, Revolute
from rbdlib.book.ch04_kinematics import kinetic_energy
from rbdlib.methods.centre_of_mass import potential_energy
from rbdlib.methods.symbolic import exact, state_symbols
from rbdlib.verification.decision.comparisons import degree, more_digits
from rbdlib.verification.decision.decide import verify_numbers as verify
from rbdlib.verification.notation.reading import read
from rbdlib.verification.reasons.missing import monomials
from rbdlib.verification.reports.report_text import comparison
from tests.verify import TABLES

PENDULUM, DOUBLE, CART, ARM, BAR = (load(name, symbolic=True) for name in (
    "pendulum", "double_pendulum", "cart_pole", "arm_2r", "four_bar"))
ABSOLUTE = "theta2 = q1 + q2"
H_RELATIVE = ("[(m1+m2)*l1^2 + m2*l2^2 + 2*m2*l1*l2*cos(q2), m2*l2^2 + m2*l1*l2*cos(q2);"
              " m2*l2^2 + m2*l1*l2*cos(q2), m2*l2^2]")
H_ABSOLUTE = "[(m1+m2)*l1^2, m2*l1*l2*cos(theta1-theta2); m2*l1*l2*cos(theta1-theta2), m2*l2^2]"
MOTION_ABSOLUTE = (
    "(m1+m2)*l1*theta1'' + m2*l2*theta2''*cos(theta1-theta2) + m2*l2*theta2'^2*sin(theta1-theta2)"
    " + (m1+m2)*g*sin(theta1) = 0\n"
    "l2*theta2'' + l1*theta1''*cos(theta1-theta2) - l1*theta1'^2*sin(theta1-theta2) + g*sin(theta2) = 0")
MOTION_PUSHED = "l1*(" + MOTION_ABSOLUTE.replace(" = 0\n", ") = tau1\n")
MOTION_CART = ("(M+m)*x'' - m*a*theta''*cos(theta) + m*a*theta'^2*sin(theta) = F\n"
               "(I + m*a^2)*theta'' - m*a*x''*cos(theta) - m*g*a*sin(theta) = 0")
CART_GIVEN = {"M": "m_cart", "m": "m_pole", "a": "l/2", "I": "m_pole*l^2/12"}
CLOSURE = "a*cos(q1) + b*cos(q1+q2) = ground + c*cos(q3)\na*sin(q1) + b*sin(q1+q2) = c*sin(q3)"


def gravity(q, m1, m2, l1, l2, g):
    lower = m2 * g * l2 * np.sin(q[0] + q[1])
    return np.array([(m1 + m2) * g * l1 * np.sin(q[0]) + lower, lower])


def arm_held_up(q, m1, m2, l1, l2, g):
    second = m2 * g * l2 / 2 * math.cos(q[0] + q[1])
    return [(m1 / 2 + m2) * g * l1 * math.cos(q[0]) + second, second]


X_21 = [["c2", "s2", 0, 0, 0, 0], ["-s2", "c2", 0, 0, 0, 0], [0, 0, 1, 0, 0, 0],
        [0, 0, "l1*c2", "c2", "s2", 0], [0, 0, "-l1*s2", "-s2", "c2", 0], ["-l1", 0, 0, 0, 0, 1]]
RIGHT = [
    (PENDULUM, "H", "\\tfrac13 m l^2", None), (PENDULUM, "H", "I + m*(l/2)^2", "I = m*l^2/12"),
    (PENDULUM, "H", "0.3333*m*l^2", None), (PENDULUM, "tau", "m*l^2/3*theta'' + 9.81*m*l/2*sin(theta)", None),
    (PENDULUM, "equations of motion", "2*l*theta'' + 3*g*sin(theta) = 6*tau/(m*l)", None),
    (PENDULUM, "V", "m*g*l*sin(theta/2)^2", None),
    (PENDULUM, "V", "-m*g*l/2*cos(q1) + k/2*(q1 + 1.5)^2", "spring k at q1, at rest at -1.5"),
    (DOUBLE, "H", H_RELATIVE, None),
    (DOUBLE, "H", "p = m2*l1*l2*c2\nH11 = (m1+m2)*l1^2 + m2*l2^2 + 2*p\nH12 = m2*l2^2 + p\nH22 = m2*l2^2", None),
    (DOUBLE, "H", H_ABSOLUTE, ABSOLUTE), (DOUBLE, "H", H_RELATIVE.replace("cos(q2)", "cos(theta2 - q1)"), ABSOLUTE),
    (DOUBLE, "H", "[b, b + d; b + d, (m1+m2)*l1^2 + b + 2*d]", "b = m2*l2^2; d = m2*l1*l2*cos(q2); order: q2, q1"),
    (DOUBLE, "H", "[3 + 2*cos(q2), 1 + cos(q2); 1 + cos(q2), 1]*m*l^2", "m1 = m2 = m, l1 = l2 = l"),
    (DOUBLE, "C", "[-m2*l1*l2*s2*(2*qd1*qd2 + qd2^2); m2*l1*l2*s2*qd1^2]", None),
    (DOUBLE, "C", "[-m2*l1*l2*s2*qd2, -m2*l1*l2*s2*(qd1+qd2); m2*l1*l2*s2*qd1, 0]", None),
    (DOUBLE, "C", "[0, m2*l1*l2*sin(q1-theta2)*theta2'; -m2*l1*l2*sin(q1-theta2)*q1', 0]", ABSOLUTE),
    (DOUBLE, "g", "[(m1+m2)*g*l1*sin(theta1); m2*g*l2*sin(theta2)]", ABSOLUTE),
    (DOUBLE, "V", "-(m1+m2)*g*l1*cos(q1) - m2*g*l2*cos(q1+q2) + 7*m1*g*l1", None),
    (DOUBLE, "T", "1/2 (m1+m2) l1^2 theta1'^2 + 1/2 m2 l2^2 theta2'^2 + m2 l1 l2 cos(theta1-theta2) theta1' theta2'",
     "theta2 from the vertical"),
    (DOUBLE, "equations of motion", MOTION_PUSHED, ABSOLUTE),
    (DOUBLE, "equations of motion", MOTION_ABSOLUTE, ABSOLUTE), (DOUBLE, "X[2,1]", X_21, None),
    (DOUBLE, "T + V == E", None, None), (DOUBLE, "qd1*tau1 + qd2*tau2 == d/dt(T + V)", None, None),
    (DOUBLE, "d/dt(H11) == -2*m2*l1*l2*sin(q2)*qd2", None, None),
    (DOUBLE, "com", "[(m1*l1*sin(q1) + m2*(l1*sin(q1) + l2*s12))/(m1+m2); -(m1*l1*c1 + m2*(l1*c1 + l2*c12))/(m1+m2)]",
     None), (DOUBLE, "p", "p_theta1 = (m1+m2)*l1^2*qd1 + m2*l2^2*(qd1+qd2) + m2*l1*l2*c2*(2*qd1+qd2)\n"
             "p_theta2 = m2*l2^2*(qd1+qd2) + m2*l1*l2*c2*qd1", None),
    (PENDULUM, "equations of motion", "theta'' + 3*9.8/(2*l)*sin(theta) = 0", None),
    (DOUBLE, "2*T == H11*qd1^2 + 2*H12*qd1*qd2 + H22*qd2^2", None, None),
    (PENDULUM, "tau", "d/dt(m*l^2/3*theta') + m*g*l/2*sin(theta)", None),
    (DOUBLE, "T", "m1/2*l1^2*q1'^2 + m2/2*((d/dt(l1*sin(q1) + l2*s12))^2 + (d/dt(l1*cos(q1) + l2*c12))^2)", None),
    (CART, "H", "[M+m, -m*a*cos(theta); -m*a*cos(theta), 4/3*m*a^2]", "M = m_cart; m = m_pole; l = 2*a"),
    (CART, "equations of motion", MOTION_CART + " + tau2", CART_GIVEN), (ARM, "g", arm_held_up, None),
    (DOUBLE, "g", gravity, None),
    (BAR, "phi", CLOSURE, None), (BAR, "K", "[-a*s1 - b*s12, -b*s12, c*s3; a*c1 + b*c12, b*c12, -c*c3]", None)]
WRONG = [
    (DOUBLE, "qd1*tau1 + qd2*tau2 == d/dt(T)", None, None),
    (PENDULUM, "equations of motion", "theta'' + 3*9.7/(2*l)*sin(theta) = 0", None),
    (PENDULUM, "H", "0.3343*m*l^2", None), (PENDULUM, "H", "m*l^2/3 + m*(l - l*sqrt(1 + 10^-9))", None),
    (PENDULUM, "equations of motion", "0*theta'' = 0", None), (DOUBLE, "H", H_ABSOLUTE, None),
    (DOUBLE, "H", "[3 + 2*cos(q2), 1 + cos(q2); 1 + cos(q2), 1]*m1*l1^2", None),
    (DOUBLE, "equations of motion", MOTION_ABSOLUTE.replace("- l1*theta1'^2", "+ l1*theta1'^2"), ABSOLUTE),
    (DOUBLE, "equations of motion", MOTION_ABSOLUTE, None),
    (DOUBLE, "equations of motion", MOTION_ABSOLUTE.splitlines()[0], ABSOLUTE),
    (DOUBLE, "equations of motion", "\n".join(2 * MOTION_ABSOLUTE.splitlines()[:1]), ABSOLUTE),
    (DOUBLE, "T - V == E", None, None), (CART, "equations of motion", MOTION_CART, {**CART_GIVEN, "I": "m_pole*l^2/3"}),
    (BAR, "phi", CLOSURE.replace("c*sin", "2*c*sin"), None),
    (BAR, "K", "[-a*s1, -b*s12, c*s3; a*c1, b*c12, -c*c3]", None)]


@pytest.mark.parametrize(("model", "quantity", "answer", "given"), RIGHT)
def test_right_answers_are_accepted(model, quantity, answer, given):
    decision = verify(model, quantity, answer, given)
    assert decision.ok and not decision.problem and decision.certainty, decision
    assert all(entry.ok for entry in decision.entries)


@pytest.mark.parametrize(("model", "quantity", "answer", "given"), WRONG)
def test_wrong_answers_are_rejected_with_a_counterexample(model, quantity, answer, given):
    decision = verify(model, quantity, answer, given)
    assert not decision.ok and not decision.certainty
    if not decision.problem:
        wrong = [entry for entry in decision.entries if not entry.ok]
        assert wrong and decision.counterexample is not None
        assert any(abs(entry.yours - entry.ours) > 1e-12 for entry in wrong)


# Every formula of rbdlib's own is accepted, and with one change in one place rejected

def formulas(name):
    model = exact(load(name, symbolic=True))
    q, qd, _ = state_symbols(model)
    q, qd = np.array([*q, 0])[:-1], np.array([*qd, 0])[:-1]
    qdd = np.array([*sympy.symbols(f"qdd1:{model.nv + 1}"), 0])[:-1]
    return {"H": crba(model, q), "bias": bias_force(model, q, qd), "tau": rnea(model, q, qd, qdd),
            "T": kinetic_energy(model, q, qd), "V": potential_energy(model, q)}


def one_change(formula, rng):
    """The expanded formula with one of its terms multiplied by 2, 1/2 or -1, or with sine and cosine exchanged."""
    terms = list(sympy.Add.make_args(sympy.expand(formula)))
    i = rng.integers(len(terms))
    x = sympy.Wild("x")
    swapped = terms[i].replace(sympy.sin(x), sympy.cos(x)) if terms[i].has(sympy.sin) else None
    changes = [c for c in (2 * terms[i], terms[i] / 2, -terms[i], swapped) if c is not None]
    terms[i] = changes[rng.integers(len(changes))]
    return sympy.Add(*terms)


@pytest.mark.parametrize("name", ["double_pendulum", "furuta_pendulum", "spherical_pendulum"])
def test_rbdlibs_own_formulas_and_changes_in_them(name):
    model, rng = load(name, symbolic=True), np.random.default_rng(8)
    for quantity, formula in formulas(name).items():
        assert verify(model, quantity, formula).ok
        array = np.array(formula, dtype=object)
        places = [place for place in np.ndindex(array.shape) if sympy.expand(array[place]) != 0]
        for place in places[:2]:
            changed = array.copy()
            changed[place] = one_change(array[place], rng)
            decision = verify(model, quantity, changed if changed.shape else changed[()])
            assert not decision.ok, (quantity, changed)
            assert [entry.index for entry in decision.entries if not entry.ok] == [place]


def solved(equation, unknown):
    left = sympy.expand(equation.lhs)
    return sympy.Eq(unknown, (equation.rhs - left.coeff(unknown, 0)) / left.coeff(unknown))


@pytest.mark.parametrize("arrange", [
    lambda e: e, lambda e: sympy.Eq(e.rhs, e.lhs), lambda e: sympy.Eq(e.lhs - e.rhs, 0),
    lambda e: sympy.Eq(7 * e.lhs / sympy.Symbol("m1"), 7 * e.rhs / sympy.Symbol("m1")),
    lambda e: solved(e, sympy.Symbol("qdd1"))])
def test_equations_of_motion_in_any_arrangement(arrange):
    tau = formulas("double_pendulum")["tau"]
    equations = [sympy.Eq(x, sympy.Symbol(f"tau{i}"), evaluate=False) for i, x in enumerate(tau, start=1)]
    assert verify(DOUBLE, "equations of motion", [arrange(equations[0]), equations[1]]).ok
    assert not verify(DOUBLE, "equations of motion", [arrange(equations[0])]).ok
    forces = verify(DOUBLE, "equations of motion", list(tau), "tau1 = -k*q1; tau2 = 0")
    assert forces.ok and "Formulas without = were taken to be the joint forces tau." in forces.notes
    mixed = sympy.Eq(equations[0].lhs + equations[1].lhs, equations[0].rhs + equations[1].rhs)
    assert verify(DOUBLE, "equations of motion", [arrange(equations[0]), mixed]).ok


@pytest.mark.parametrize("sign", [-3, pytest.param(1, marks=pytest.mark.slow)])
def test_multipliers_may_have_any_name_sign_and_scale(sign):
    tau, q = formulas("four_bar")["tau"], state_symbols(BAR)[0]
    a, b, c, x, y = sympy.symbols("a b c lambda_1 lambda_2")
    place = sympy.Matrix([a * sympy.cos(q[0]) + b * sympy.cos(q[0] + q[1]) - c * sympy.cos(q[2]),
                          a * sympy.sin(q[0]) + b * sympy.sin(q[0] + q[1]) - c * sympy.sin(q[2])])
    K_x, K_y = place.jacobian(q).tolist()
    right = [sympy.Eq(tau[i], sympy.Symbol(f"tau{i + 1}") + sign * (K_x[i] * x + K_y[i] * y)) for i in range(3)]
    assert verify(BAR, "equations of motion", right).ok
    wrong = [right[0], right[1], sympy.Eq(right[2].lhs, right[2].rhs + 2 * K_x[2] * x)]
    assert not verify(BAR, "equations of motion", wrong).ok
    decision = verify(BAR, "equations of motion", right[:2])
    assert not decision.ok and decision.independent == (0, 2) and all(entry.ok for entry in decision.entries)


# What is said about it

@pytest.mark.parametrize(("quantity", "answer", "message"), [*TABLES["incomparable"], ("T", lambda q, zz: 1, "zz"),
    ("T", lambda q: q[7], "IndexError"), ("T", max, "cannot be found out"),
    ("equations of motion", abs, "a Python function"), ("H", lambda q: float("nan"), "not finite")])
def test_what_cannot_be_compared_is_said_in_a_sentence(quantity, answer, message):
    decision = verify(DOUBLE, quantity, answer)
    assert not decision.ok and re.search(message, decision.problem), decision.problem


def test_absent_forces_are_mentioned_and_numbers_of_a_model_are_compared_as_numbers():
    assert "have no tau2" in " ".join(verify(CART, "equations of motion", MOTION_CART, CART_GIVEN).notes)
    answer, numbers = "[3 + 2*cos(q2), 1 + cos(q2); 1 + cos(q2), 1]", load("double_pendulum")
    decision = verify(numbers, "H", answer)
    assert decision.ok and "numbers of your model" in " ".join(decision.notes)
    assert not verify(DOUBLE, "H", answer).ok
    assert not verify(numbers, "H", H_RELATIVE.replace("m2*l2^2]", "m2*l2]")).ok
    decision = verify(load("arm_2r"), "g[2]", "m2*g*0.4/2*cos(q1 + q2)")
    assert decision.ok and decision.notes[-1] == "Your answer contains numbers of the model; compared for l2 = 0.4."
    rates = "-a*sin(q1)*qd1 - b*sin(q1 + q2)*(qd1 + qd2) + c*sin(q3)*qd3 = 0"
    assert "about velocities, and positions are asked for" in verify(BAR, "phi", rates).problem
    model = load("pendulum").replace(gravity=(0, -1.62, 0), parameters={})
    weight = float(bias_force(model, [math.pi / 2], [0])[0])
    assert verify(model, "g", f"{weight!r}*sin(q1)").ok and not verify(model, "g", f"{weight * 1.001!r}*sin(q1)").ok


def test_the_certainty_is_a_bound_by_degree_from_more_states_where_a_formula_is_not_analytic():
    for text, bound in {
            "m*l^2*cos(2*q1)^3": 1 + 2 + 12, "sin(2*(q1 + q2))": 2 * 2 * 2, "m/l": 2, "m^-3": 3, "m^999": 999,
            "m^1000": None, "sin(-3*q1)": 6, "sin(0*q1)": 2, "sin(999999*q1)": 1999998, "sin(1000000*q1)": None,
            "sin(q1/2)": None, "sin(1.5*q1)": None, "exp(q1)": None, "sqrt(m)": None, "pi*m": 1, "m^x": None}.items():
        assert degree(read(text).trees[0]) == bound, text
    for text, digits in {"m": 0, "10^9": 10, "10^8": 0, "7^-50": 50, "m^9": 9, "m^400": 320, "1000": 0, "1e9": 9,
                         "1e-9": 9, "12345678": 0, "1.2345678901234": 14, "1.23456789012": 0, "exp(m)": 320}.items():
        assert more_digits(read(text).trees) == digits, text
    assert verify(PENDULUM, "H", "m*l^2/3").certainty == (
        "It agrees with the right result in 3 random states, to 30 digits. The probability that a wrong answer passes "
        "is below 1e-39.")
    assert "small chance" in verify(PENDULUM, "H", "0.3333*m*l^2").certainty
    plain, rooted = (verify(PENDULUM, "H", x).certainty for x in ("m*l^2/3", "m*l*sqrt(l^2)/3"))
    assert " 3 random states" in plain and int(re.search(r"in (\d+) random", rooted)[1]) > 30


@pytest.mark.parametrize(("wrong", "right"), [
    ("sqrt(cos(q1)^2) == -cos(q1)", "sqrt(cos(q1)^2) == abs(cos(q1))"), ("abs(sin(q1)) == sin(q1)", None),
    ("sign(qd1)*qd1 == qd1", "sign(qd1)*qd1 == abs(qd1)"), ("sqrt(1 - cos(q1)^2) == sin(q1)", None),
    ("acos(cos(q1)) == q1", "acos(cos(q1)) == abs(q1)")])
def test_identities_that_hold_in_a_part_of_the_states_only(wrong, right):
    assert not any(verify(PENDULUM, wrong, None, seed=seed).ok for seed in range(8))
    if right:
        found = verify(PENDULUM, right, None)
        assert found.ok and "in a tenth of them" in found.certainty


def test_inertias_as_books_reduce_them():
    """The arm's inertia about its own axis only, as in texts on the Furuta pendulum; no rigid body has that."""
    m, l, g, J_r, J_p, r = sympy.symbols("m l g J_r J_p r", positive=True)
    model = Model([0, 1], [Revolute("z"), Revolute("x")], [sympy.eye(6), xlt([0, r, 0])],
                  [mcI(0, [0, 0, 0], sympy.diag(0, 0, J_r)), mcI(m, [0, 0, l], sympy.diag(J_p, 0, 0))], (0, 0, -g))
    T = "1/2*J_r*q1'^2 + 1/2*J_p*q2'^2 + 1/2*m*((r - l*sin(q2))^2*q1'^2 + l^2*q2'^2)"
    for quantity, answer, wrong in (("T", T, T.replace("J_p", "2*J_p")), ("V", "m*g*l*cos(q2)", "m*g*l*sin(q2)")):
        decision = verify(model, quantity, answer)
        assert decision.ok and "No rigid body has the inertias" in " ".join(decision.notes), decision
        assert verify(model, quantity, wrong).entries and not verify(model, quantity, wrong).ok
    negative = Model([0], [Revolute("z")], [sympy.eye(6)], [mcI(m, [0, 0, 0], sympy.diag(-l, l, l))], (0, 0, -g))
    assert "negative principal moment" in verify(negative, "V", "0").problem


@pytest.mark.parametrize("answer, message", [
    ("[[-a*s1 - b*s12, -b*s12, c*s3]]",
     "1 row for the 2 constraints of the model. Rows that follow from these: 1. Write"),
    ("[[-a*s1, -b*s12, c*s3]]", "1 row for the 2 .* from these: none. Write"),
    ("[[-a*s1 - b*s12, -b*s12, c*s3], [2*a*s1 + 2*b*s12, 2*b*s12, -2*c*s3]]",
     "2 rows for the 2 .* from these: 1, 2. Write")])
def test_rows_that_are_too_few_are_told_apart_from_wrong_ones(answer, message):
    decision = verify(BAR, "K", answer, None)
    assert not decision.ok and re.search(message, decision.problem), decision.problem


def test_a_row_with_another_sign_is_not_called_wrong_and_other_mistakes_are_not_explained():
    decision = verify(BAR, "K", "[a*s1 + b*s12, b*s12, -c*s3; a*c1 - b*c12, b*c12, -c*c3]", None)
    assert {entry.index for entry in decision.entries if not entry.ok} == {(1,)}
    assert not decision.ok and decision.counterexample is not None
    report = explained(DOUBLE, "g", lambda q, m1, m2, l1, l2, g: gravity(q, m1, m2, l1, l2, g) + [0, q[0]])
    assert not report.ok and not report.explanations


@pytest.mark.parametrize("u", ["u", pytest.param("F", marks=pytest.mark.slow)])
def test_names_by_which_given_states_the_forces_are_not_the_forces(u):
    """A quadrotor in a plane."""
    m, J, g = sympy.symbols("m J g", positive=True)
    nothing = mcI(0, [0, 0, 0], np.zeros((3, 3)))
    model = Model([0, 1, 2], [Prismatic("x"), Prismatic("y"), Revolute("z")], [sympy.eye(6)] * 3,
                  [nothing, nothing, mcI(m, [0, 0, 0], J * sympy.eye(3))], (0, -g, 0))
    text = f"m*x'' = -({u}1+{u}2)*sin(theta)\nm*y'' = ({u}1+{u}2)*cos(theta) - m*g\nJ*theta'' = r*({u}1-{u}2)"
    given = (f"x = q1; y = q2; theta = q3; tau1 = -({u}1+{u}2)*sin(q3); tau2 = ({u}1+{u}2)*cos(q3); "
             f"tau3 = r*({u}1-{u}2)")
    assert verify(model, "equations of motion", text, given).ok
    decision = verify(model, "equations of motion", text.replace("r*", "2*r*"), given)
    assert [entry.ok for entry in decision.entries] == [True, True, False]


def test_the_counterexample_shows_as_many_wrong_equations_as_it_can():
    m1, m2 = sympy.symbols("m1 m2", positive=True)
    pair = Model([0, 0], [Prismatic("x"), Prismatic("y")], [sympy.eye(6)] * 2,
                 [mcI(m, [0, 0, 0], sympy.eye(3)) for m in (m1, m2)], (0, 0, 0))
    both = 0
    for seed in range(8):
        decision = verify(pair, "equations of motion", "m1*abs(qdd1) = tau1\nm2*abs(qdd2) = tau2", seed=seed)
        wrong = [entry for entry in decision.entries if not entry.ok]
        assert all(abs(entry.yours) > 1e-12 or comparison(decision, entry).endswith("holds for these numbers, but not "
                                                                                   "for others.") for entry in wrong)
        both += all(abs(entry.yours) > 1e-12 for entry in wrong)
    assert both >= 5                                            # of all random states, a quarter


def test_it_is_quick():
    verify(DOUBLE, "H", H_RELATIVE)
    start = time.process_time()
    verify(DOUBLE, "equations of motion", MOTION_ABSOLUTE, ABSOLUTE)
    assert time.process_time() - start < 3, "it takes less than 0.3 s"


ONE_TURN = "It is right for angles between -pi and pi, and not beyond."


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("quantity", "answer"), [*TABLES["near_misses"],
    ("H", lambda m, l: m * l * l / 3 * (1 + 1e-9)), ("H", lambda q, m, l: m * l * l / 3 if q[0] > -3 else 0),
    ("C", lambda q: 1e-9), ("V", lambda m: 1e15 * m)])
def test_near_misses_are_not_accepted_at_any_seed(quantity, answer, seed):
    decision = verify(PENDULUM, quantity, answer, seed=seed)
    assert not decision.ok and ONE_TURN not in decision.notes


@pytest.mark.parametrize(("quantity", "answer"), [*TABLES["right_all_the_same"], ("H", lambda m, l: m * l * l / 3),
    ("g", lambda q, m, params: m * params["g"] * params["l"] / 2 * math.sin(q[0]))])
def test_right_answers_with_roots_branches_and_large_numbers_are_accepted(quantity, answer):
    decision = verify(PENDULUM, quantity, answer, seed=1)
    assert decision.ok and (ONE_TURN in decision.notes) == ("atan2" in str(answer))


@pytest.mark.parametrize("change, said", [
    (lambda right: right + 1j, "real numbers are wanted"), (lambda right: right + 0j, "real numbers are wanted"),
    (lambda right: None, "Does it end with"), (lambda right: [str(x) for x in right], "real numbers are wanted"),
    (lambda right: np.zeros((3000, 3000)), "far more than any quantity has"),
    (lambda right: {"g": right}, "is not an array of real numbers"),
    (lambda right: [True, False], "real numbers are wanted"), (lambda right: right / 0 * 0, "not finite"),
    (lambda right: exit(3), "stopped with SystemExit")])
def test_what_is_no_array_of_real_numbers_is_refused(change, said):
    with np.errstate(all="ignore"):
        report = explained(DOUBLE, "g", lambda q, m1, m2, l1, l2, g: change(gravity(q, m1, m2, l1, l2, g)))
    assert not report.ok and said in report.problem


@pytest.mark.parametrize("seed", [-1, 1.5, "a", None, True])
def test_a_seed_that_is_none_is_refused(seed):
    for function, arguments in ((explained, ("T", "0")), (verify_steps, (["T = 0"],))):
        with pytest.raises(ValueError, match="seed is"):
            function(DOUBLE, *arguments, seed=seed)


def test_names_of_quantities_that_cannot_be_and_functions_that_change_or_are_lines_are_refused():
    for quantity, said in (("T == V == 0", "one =="), ("J[" + "1" * 5000 + "]", "characters")):
        with pytest.raises(ValueError, match=said):
            explained(DOUBLE, quantity, "0")
    with pytest.raises(TypeError, match="contains a function"):
        verify_steps(DOUBLE, [gravity])
    with pytest.raises(ValueError, match="springs or dampers that the model cannot have"):
        explained(load("falling_cat", symbolic=True), "T", "0", "spring k at 1")
    calls = iter(range(10**6))
    decision = verify(PENDULUM, "H", lambda m, l: m * l * l / 3 if next(calls) < 3 else 0.0)
    assert not decision.ok and "always return the same" in decision.problem


@pytest.mark.parametrize("factors, kind, said", [
    ((2, 1), "factor", "twice"), ((1, 1 / 3), "factor", "1/3 times"), ((1, -1), "sign", "opposite sign")])
def test_a_wrong_factor_of_one_entry_is_named(factors, kind, said):
    report = explained(DOUBLE, "g", lambda q, m1, m2, l1, l2, g: np.array(factors) * gravity(q, m1, m2, l1, l2, g))
    (finding,) = report.explanations[0]
    assert finding.kind == kind and said in finding.sentence and finding.entry == (factors.index(1) ^ 1,)


def test_what_stands_below_a_division_has_a_negative_exponent():
    case = SimpleNamespace(vocabulary=SimpleNamespace(definitions={}, names=SimpleNamespace(parameters=())))
    (product,) = monomials(case, read("2*m*l^2/(r*g)").trees[0])
    assert {symbol.name: power for symbol, power in product} == {"m": 1, "l": 2, "r": -1, "g": -1}
