"""Symbols mean what a learner means by them: names, aliases, and what is stated in given."""

import mpmath
import pytest

from rbdlib import load
from rbdlib.verification.aliases import Names, UnknownSymbol
from rbdlib.verification.expression import Symbol
from rbdlib.verification.reading import read
from rbdlib.verification.states import DIGITS, draw, system_of
from rbdlib.verification.vocabulary import BadGiven, Vocabulary

ALIASES = [
    ("double_pendulum", "q1 theta_1 \\theta_1 \\theta_{1} th1 phi1 φ_1", "q1", 0),
    ("double_pendulum", "qd2 q2dot qdot2 q_2_dot dq2 q2' \\dot{q}_2 \\dot\\theta_2 theta2_dot thetadot_2", "qd2", 0),
    ("double_pendulum", "qdd1 q1ddot ddq1 theta_1_ddot \\ddot{\\theta}_1 theta1''", "qdd1", 0),
    ("double_pendulum", "m1 m_1 m_{1} M1", "m1", 0),
    ("double_pendulum", "tau1 τ_1 \\tau_1 Q1 u1", "tau1", 0),
    ("cart_pole", "q1 x x_cart x_c", "q1", 0),
    ("cart_pole", "theta phi theta_pole theta_p \\theta", "q2", 0),
    ("cart_pole", "xddot \\ddot{x} x''", "qdd1", 0),
    ("cart_pole", "F f", "tau1", 0),
    ("cart_pole", "m_cart m_1 m_c m_{cart}", "m_cart", 0),
    ("pendulum", "theta q phi", "q1", 0),
    ("pendulum", "thetadot omega \\dot\\theta", "qd1", 0),
    ("pendulum", "tau u T", "tau1", 0),
    ("crank_slider", "x", "q3", 0),
    ("crank_slider", "theta1", "q1", 0),
    ("falling_cat", "qd7", "qd7", 0),
]


def vocabulary_and_state(name, given=None, seed=3):
    model = load(name, symbolic=True)
    vocabulary = Vocabulary(model, given)
    return vocabulary, draw(system_of(model), seed, 1, vocabulary.assumed)[0]


def value(vocabulary, state, text):
    """The value of a formula in a vocabulary, by the reader and evaluator that answers go through."""
    from rbdlib.verification.expression import evaluate, symbols

    tree = read(text, vocabulary.known_names()).trees[0]
    return evaluate(tree, vocabulary.values(state, symbols(tree)))


@pytest.mark.parametrize(("model", "names", "own", "dots"), ALIASES)
def test_an_alias_has_the_value_of_what_it_stands_for(model, names, own, dots):
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state(model)
        wanted = vocabulary.own_value(own, dots, state)
        for name in names.split():
            assert value(vocabulary, state, name) == wanted, name


@pytest.mark.parametrize("name", ["alpha_7", "I_zz", "k", "a", "M", "theta3"])
def test_an_unknown_symbol_is_named_with_what_there_is(name):
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state("double_pendulum")
        with pytest.raises(UnknownSymbol, match="is not one of this model's.* m1, m2.*given=") as caught:
            value(vocabulary, state, name)
    assert caught.value.symbol == read(name).trees[0].name


def test_ambiguous_angles_are_not_guessed():
    names = Names(load("furuta_pendulum", symbolic=True))
    assert names.find("theta") is None
    assert names.find("theta1") == ("q1", 0)


def test_theta_counts_angles_where_the_first_joint_slides():
    names = Names(load("cart_pole", symbolic=True))
    assert names.find("theta1") == ("q2", 0)
    assert names.find("theta2") == ("q2", 0)


@pytest.mark.parametrize(("given", "answer", "own"), [
    ("theta2 = q1 + q2", "theta2", "q1 + q2"),
    ("theta2 = q1 + q2", "\\dot\\theta_2", "qd1 + qd2"),
    ("theta2 = q1 + q2", "theta2_ddot", "qdd1 + qdd2"),
    ({"theta2": "q1 + q2"}, "theta2''", "qdd1 + qdd2"),
    ("q2 = theta2 - theta1", "theta2'", "qd1 + qd2"),
    ("q1 = a + b; q2 = a - b", "a''", "(qdd1 + qdd2)/2"),
    ("q2 = q1 + q2", "q2*q1", "(q1 + q2)*q1"),
    ({"q1": "q2", "q2": "q1"}, "q1 - 2*qd2", "q2 - 2*qd1"),
    ("l1 = 2*a1, l2 = 2*a2", "a1 + a2", "(l1 + l2)/2"),
    ("a1 = l1/2\na2 = l2/2", "a1 + a2", "(l1 + l2)/2"),
    ("w^2 = g/l1", "w", "sqrt(g/l1)"),
    ("s = l1*sin(q1)", "s''", "l1*cos(q1)*qdd1 - l1*sin(q1)*qd1^2"),
    ("e = p + q1; p = m1*l1", "e", "m1*l1 + q1"),
    (None, "s12 + c1*s_2", "sin(q1 + q2) + cos(q1)*sin(q2)"),
    (None, "theta_{12}", "q1 + q2"),
    ("theta1 = q1 + pi/2", "c1", "-sin(q1)"),
])
def test_what_given_states_is_used(given, answer, own):
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state("double_pendulum", given)
        plain = Vocabulary(load("double_pendulum", symbolic=True))
        assert abs(value(vocabulary, state, answer) - value(plain, state, own)) < 1e-35


@pytest.mark.parametrize(("model", "given", "formula"), [
    ("double_pendulum", "theta2 from the vertical", "q1 + q2"),
    ("double_pendulum", "theta2 measured from the upward vertical", "q1 + q2 - pi"),
    ("double_pendulum", "theta1 from the horizontal", "q1 - pi/2"),
    ("arm_3r", "theta3 from the horizontal", "q1 + q2 + q3"),
    ("arm_2r", "theta1 from the upward vertical", "q1 - pi/2"),
    ("cart_pole", "theta from the vertical", "q2"),
    ("cart_pole", "theta from the downward vertical", "q2 + pi"),
    ("furuta_pendulum", "theta2 from the vertical", "q2"),
])
def test_angles_stated_in_words(model, given, formula):
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state(model, given)
        name = given.split()[0]
        difference = value(vocabulary, state, name) - value(Vocabulary(vocabulary.names.model), state, formula)
        assert abs(mpmath.sin(difference / 2)) < 1e-35


def test_special_cases_hold_in_every_state():
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state("double_pendulum", "m1 = m2 = m; l2 = 3*l1; tau2 = 0")
        assert state.parameters["m1"] == state.parameters["m2"] == value(vocabulary, state, "m")
        assert state.parameters["l2"] == 3 * state.parameters["l1"]
        assert vocabulary.forces(state).tau[1] == 0
        assert vocabulary.forces(state).tau[0] == state.tau[0]


@pytest.mark.parametrize(("given", "message"), [
    ("theta2", "not an equation"),
    ("q2 = 0", "Special cases"),
    ("m1 = a^2 + a", "Solve it for"),
    ("order: q1, q1", "every coordinate once"),
    ({"q1 + q2": "a"}, "no name"),
    ("qd1 = 3*m1", "Special cases"),
    ("m1 from the vertical", "no coordinate"),
])
def test_what_cannot_be_used_is_refused_with_a_remedy(given, message):
    with pytest.raises(BadGiven, match=message):
        Vocabulary(load("double_pendulum", symbolic=True), given)


def test_dots_on_a_quaternion_are_refused():
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state("satellite_arm", "p = q1")
        assert abs(value(vocabulary, state, "p'") - state.qdot[0]) < 1e-35
        with pytest.raises(UnknownSymbol, match="more dots"):
            value(vocabulary, state, "p''")


def test_coordinates_of_the_learner():
    model = load("double_pendulum", symbolic=True)

    def coordinates(given):
        new = Vocabulary(model, given).coordinates()
        return new and [symbol.name for symbol in new]

    assert coordinates(None) is None
    assert coordinates("a1 = l1/2") is None
    assert coordinates("s = l1*sin(q1)") is None
    assert coordinates("theta2 = q1 + q2") == ["q1", "theta2"]
    assert coordinates("alpha = q1 + q2; beta = q1") == ["alpha", "beta"]
    assert coordinates("alpha = q1 + q2") == ["q1", "alpha"]
    assert coordinates("order: q2, q1") == ["q2", "q1"]


def test_the_jacobian_of_new_coordinates():
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state("double_pendulum", "theta2 = q1 + q2^2")
        A, b = vocabulary.jacobian(vocabulary.coordinates(), state)
        velocities = vocabulary.values(state, [Symbol("theta2", 1), Symbol("theta2", 2)])
        assert abs((A @ state.qd)[1] - velocities[Symbol("theta2", 1)]) < 1e-35
        assert abs((A @ state.qdd + b)[1] - velocities[Symbol("theta2", 2)]) < 1e-35
        assert abs(b[1] - 2 * state.qd[1] ** 2) < 1e-35
