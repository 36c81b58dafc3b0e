"""Symbols mean what a learner means by them: names, aliases, what is stated in given, dimensions and units."""

import math
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import mpmath
import numpy as np
import pytest
import sympy
from sympy.physics.units import centimeter, kilogram, meter, second

from rbdlib import Model, load, verify
from rbdlib.book.ch02_spatial import mcI
from rbdlib.book.ch04_joints import Planar
from rbdlib.io.model_file import model_names
from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.meaning.aliases import Names, UnknownSymbol
from rbdlib.verification.meaning.units import read_unit
from rbdlib.verification.meaning.vocabulary import BadGiven, Vocabulary
from rbdlib.verification.mechanics.basics import inertia
from rbdlib.verification.mechanics.states import DIGITS, draw, system_of
from rbdlib.verification.notation.reading import read
from rbdlib.verification.trees.dimensions_of_model import dimensions_of, in_words
from rbdlib.verification.trees.expression import Symbol, evaluate, symbols
from tests.verify import TABLES

ALIASES = TABLES["aliases"]


def vocabulary_and_state(name, given=None, seed=3):
    model = load(name, symbolic=True)
    vocabulary = Vocabulary(model, given)
    return vocabulary, draw(system_of(model), seed, 1, vocabulary.assumed)[0]


def value(vocabulary, state, text):
    """The value of a formula in a vocabulary, by the reader and evaluator that answers go through."""
    tree = read(text, vocabulary.known_names()).trees[0]
    return evaluate(tree, vocabulary.values(state, symbols(tree)))


@pytest.mark.parametrize(("model", "names", "own", "dots"), ALIASES)
def test_an_alias_has_the_value_of_what_it_stands_for(model, names, own, dots):
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state(model)
        wanted = vocabulary.own_value(own, dots, state)
        for name in names.split():
            assert value(vocabulary, state, name) == wanted, name


@pytest.mark.parametrize("given", ["q1 = w*t", "q2 = a*q1^2", "q1 = w*t; q3 = a*t^2"])
def test_accelerations_are_held_to_a_motion_that_is_given_by_the_least_change(given):
    """Gauss: what is changed does no work in any motion that is left, and what is left obeys what is given."""
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state("arm_3r", given)
        state = vocabulary.driven(state)
        wanted = np.array([mpmath.mpf(x) for x in (3, -2, 5)])
        found, A = vocabulary.bound(state, state, wanted), vocabulary.ways(state)
        assert abs(A.T @ inertia(state) @ (found - wanted)).max() < 1e-30 < abs(found - wanted).max()
        free = [k for k in range(3) if k not in {*vocabulary.prescribed, *vocabulary.tied}]
        assert abs(found - state.qdd - A @ (found - state.qdd)[free]).max() < 1e-30


@pytest.mark.parametrize("name", ["alpha_7", "I_zz", "k", "a", "M", "theta3"])
def test_an_unknown_symbol_is_named_with_what_there_is(name):
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state("double_pendulum")
        with pytest.raises(UnknownSymbol, match="is not one of this model's.* m1, m2.*given=") as caught:
            value(vocabulary, state, name)
    assert caught.value.symbol == read(name).trees[0].name


@pytest.mark.parametrize(("model", "name", "said"), [
    ("arm_2r", "I_1", "about its centre of mass and .* about its joint: say which"),
    ("arm_2r", "a_1", "from its joint")])
def test_a_name_that_may_mean_several_things_is_explained(model, name, said):
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state(model)
        with pytest.raises(UnknownSymbol, match=said):
            value(vocabulary, state, name)


def test_unknown_lengths_ambiguous_angles_and_those_of_which_a_function_is_given_are_not_guessed():
    phi = "[a*cos(q1) + b*cos(q1 + q2) - c*cos(q3) - d; a*sin(q1) + b*sin(q1 + q2) - c*sin(q3)]"
    said = verify_numbers(load("four_bar", symbolic=True), "phi", phi).problem
    assert "Did you mean ground or" in said and 'given="d = ground"' in said
    names = Names(load("furuta_pendulum", symbolic=True))
    assert names.find("theta") == ("", 0) and names.find("theta1") == ("q1", 0)
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state("pendulum", "cos(theta) = sin(q1)")
        with pytest.raises(UnknownSymbol, match="sign"):
            value(vocabulary, state, "sin(theta)")
    model = load("pendulum", symbolic=True)
    assert verify_numbers(model, "V", "-m*g*l/2*cos(theta)", "cos(theta) = cos(q1)").ok
    assert not verify_numbers(model, "V", "-m*g*l/2*cos(theta)", "cos(theta) = sin(q1)").ok


@pytest.mark.parametrize(("model", "listed", "near"), [
    ("double_pendulum", "q1, q2; qd1, qd2; qdd1, qdd2; tau1, tau2; g, l1, l2, m1, m2", {
        "l": ["l2", "l1"], "M1": ["m1", "m2", "q1"], "lambda": ["l1", "l2"], "xx": [], "mass": ["m1", "m2"]}),
    ("four_bar", "q1, q2, q3; qd1, qd2, qd3; qdd1, qdd2, qdd3; tau1, tau2, tau3; lam1 to lam5; a, b, c, density, g, "
     "ground", {"d": ["a", "b", "c"], "tau": ["tau3", "tau2", "tau1"], "lamda_1": ["lam1", "lam5", "lam4"]}),
    ("panda", "q1 to q7; qd1 to qd7; qdd1 to qdd7; tau1 to tau7", {"q": ["q7", "q6", "q5"], "theta": []})])
def test_names_are_listed_and_those_that_look_alike_found(model, listed, near):
    names = Names(load(model, symbolic=True))
    assert names.listed() == listed and {name: names.near(name) for name in near} == near
    assert model != "double_pendulum" or names.near("l", ("l2",)) == ["l1", "l2"]


@pytest.mark.parametrize(("used", "own"), [("theta3 theta4", "q3"), ("theta1 theta3", "q5"), ("theta3", "")])
def test_numbers_of_angles_are_those_of_joints_or_of_angles_as_all_of_them_fit(used, own):
    assert Names(load("lamp", symbolic=True)).find("theta3", used.split())[0] == own


def test_a_planar_joint_has_rates_and_forces_along_its_axes():
    names = Names(Model([0], [Planar()], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))]))
    called = "v_x v_y omega w_z omega_x F_x F_y N_3".split()
    assert [names.find(name)[0] for name in called] == ["qd2", "qd3", "qd1", "qd1", "", "tau2", "tau3", "tau1"]


@pytest.mark.parametrize(("given", "answer", "own"), [*TABLES["stated"],
    (None, "s12 + c1*s_2", "sin(q1 + q2) + cos(q1)*sin(q2)"), (None, "theta_{12}", "q1 + q2"),
    (None, "s_{1+2}", "sin(q1 + q2)"), (None, "s_{\\theta_1}", "sin(q1)")])
def test_what_given_states_is_used(given, answer, own):
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state("double_pendulum", given)
        plain = Vocabulary(vocabulary.names.model)
        assert abs(value(vocabulary, state, answer) - value(plain, state, own)) < 1e-35


@pytest.mark.parametrize(("model", "given", "formula"), TABLES["angles_in_words"])
def test_angles_stated_in_words(model, given, formula):
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state(model, given)
        name = given.split()[0].strip(",")
        difference = value(vocabulary, state, name) - value(Vocabulary(vocabulary.names.model), state, formula)
        assert abs(mpmath.sin(difference / 2)) < 1e-35


def test_special_cases_hold_in_every_state_and_constants_that_are_stated_have_a_value():
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state("double_pendulum", "m1 = m2 = m; l2 = 3*l1; tau2 = 0")
        assert state.parameters["m1"] == state.parameters["m2"] == value(vocabulary, state, "m")
        assert state.parameters["l2"] == 3 * state.parameters["l1"]
        assert [*vocabulary.forces(state).tau] == [state.tau[0], 0]

    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state("double_pendulum", "tau2 = -k*q2 - c*qd2")
        forced = vocabulary.forces(state)
        assert abs(forced.tau[1] - value(vocabulary, state, "-k*q2 - c*qd2")) < 1e-35
        assert forced.tau[0] == state.tau[0] and value(vocabulary, state, "k") != value(vocabulary, state, "c")
    model = load("pendulum", symbolic=True)
    assert verify_numbers(model, "V", "m*g*(h - l/2*cos(q))", "h = const").ok
    assert not verify_numbers(model, "V", "m*g*(h - l/2*cos(q))*h", "h = const").ok


@pytest.mark.parametrize(("model", "given", "message"), [
    *(("double_pendulum", *row) for row in (*TABLES["unusable"], ({"q1 + q2": "a"}, "no name"), (
        {"theta1": lambda q: q}, "contains a function"), (lambda q: q, "contains a function"))),
    ("furuta_pendulum", "theta1 from the vertical", "does not turn in a vertical plane"),
    ("furuta_pendulum", "theta2 clockwise", "clockwise has no meaning"), ("satellite_arm", "y up", "no gravity"),
    ("furuta_pendulum", "theta2 is absolute", "have other axes"), ("cart_pole", "x from the vertical", "is no angle"),
    ("cart_pole", "J1 about the pivot", "has no axis about which body 1"),
    ("puma560", "J1 about the pivot", "body 1 has no mass"),
    ("arm_6r", "theta3 from the vertical", "no plain direction"),
    ("arm_6r", "theta1 from the vertical", "neither its centre of mass nor the next joint")])
def test_what_cannot_be_used_is_refused_with_a_remedy(model, given, message):
    with pytest.raises(BadGiven, match=message):
        Vocabulary(load(model, symbolic=True), given)


def test_dots_on_a_quaternion_are_refused_and_new_coordinates_have_a_jacobian():
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state("satellite_arm", "p = q1")
        assert abs(value(vocabulary, state, "p'") - state.qdot[0]) < 1e-35
        with pytest.raises(UnknownSymbol, match="more dots"):
            value(vocabulary, state, "p''")

    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state("double_pendulum", "theta2 = q1 + q2^2")
        A, b = vocabulary.jacobian(vocabulary.coordinates(), state)
        velocities = vocabulary.values(state, [Symbol("theta2", 1), Symbol("theta2", 2)])
        assert abs((A @ state.qd)[1] - velocities[Symbol("theta2", 1)]) < 1e-35
        assert abs((A @ state.qdd + b)[1] - velocities[Symbol("theta2", 2)]) < 1e-35
        assert abs(b[1] - 2 * state.qd[1] ** 2) < 1e-35


@pytest.mark.parametrize(("model", "given", "order"), [*TABLES["coordinates"],
    ("double_pendulum", "s = sin(q2); c = cos(q2)", None), ("double_pendulum", "s = sin(q2)", None),
    ("double_pendulum", None, None), ("double_pendulum", "a1 = l1/2", None),
    ("double_pendulum", "s = l1*sin(q1)", None)])
def test_the_order_and_the_choice_of_coordinates(model, given, order):
    new = Vocabulary(load(model, symbolic=True), given).coordinates()
    assert (new and [symbol.name for symbol in new]) == order


@pytest.mark.parametrize(("name", "formula"), [
    ("l_c1", "l1/2"), ("lc2", "l2/2"), ("I_{C1}", "m1*l1^2/12"), ("I_{zzc2}", "m2*l2^2/12"), ("I_{O1}", "m1*l1^2/3")])
def test_a_name_that_can_mean_one_thing_only_is_taken_so_and_told(name, formula):
    with mpmath.workdps(DIGITS):
        vocabulary, state = vocabulary_and_state("arm_2r")
        plain = Vocabulary(vocabulary.names.model)
        assert abs(value(vocabulary, state, name) - value(plain, state, formula)) < 1e-35
        assert len(vocabulary.remarks()) == 1 and not plain.remarks()


@pytest.mark.parametrize("name", sorted(model_names()))
def test_the_dimensions_found_from_a_model_are_those_in_its_file(name):
    table = tomllib.loads((Path(__file__).parents[2] / f"data/models/{name}.toml").read_text(encoding="utf-8"))
    own = dimensions_of(Vocabulary(load(name, symbolic=True)).names)
    for parameter, entry in table.get("parameters", {}).items():
        if isinstance(entry, dict) and entry.get("unit") and parameter in own:
            assert in_words(own[parameter]) == in_words(read_unit(entry["unit"])[0]), parameter


@pytest.mark.parametrize(("unit", "words"), [("kg", "kg"), ("N*m/rad", "kg m^2/s^2"), ("Nm", "kg m^2/s^2"), ("cm", "m"),
                                             ("m s^-2", "m/s^2"), ("deg", "a plain number"), ("Hz", "1/s")])
def test_units_as_text(unit, words):
    assert in_words(read_unit(unit)[0]) == words


@pytest.mark.parametrize("unit", ["furlong", "V", "kg +", "kg^99", "2^kg", "exp(m)", "kg/0", "m + m"])
def test_what_is_no_unit_is_refused(unit):
    with pytest.raises(ValueError):
        read_unit(unit)


def test_units_in_an_answer_are_checked():
    model = load("pendulum", symbolic=True)
    m, l, q1 = sympy.symbols("m l q1")
    rest = m * l / 2 * sympy.sin(q1)
    assert verify(model, "g", 9.81 * meter / second**2 * rest).ok
    assert verify(model, "g", 981 * centimeter / second**2 * rest).ok
    assert not verify(model, "g", 981 * meter / second**2 * rest).ok
    assert "do not fit" in verify(model, "g", 9.81 * kilogram * rest).problem
    assert verify(model, "g", r"9.81\,\mathrm{m/s^2}\, m\frac{l}{2}\sin\theta").ok
    assert "do not fit" in verify(model, "g", "9.81 kg*m*l/2*sin(q)").problem
    assert verify(model, "T", "1/6*m*l^2*qd1^2", units={"m": "kg", "l": meter}).ok
    with pytest.raises(ValueError, match="whose unit is kg"):
        verify(model, "T", "1/6*m*l^2*qd1^2", units={"m": "m"})


@pytest.mark.parametrize(("quantity", "answer", "said"), TABLES["units"])
def test_units_of_parts_and_of_the_whole_must_fit(quantity, answer, said):
    problem = verify_numbers(load("double_pendulum", symbolic=True), quantity, answer).problem
    assert said in problem and bool(said) == bool(problem)


def test_units_of_one_entry_are_its_own():
    """The pole is held by a torque, the cart, in the first equation, by a force."""
    assert verify_numbers(load("cart_pole", symbolic=True), "g[2]", "-m_pole*9.81 m/s^2*l/2*sin(q2)").ok


def test_quantities_of_pint():
    pint = pytest.importorskip("pint")
    registry = pint.UnitRegistry()
    (tree,) = read([9.81 * registry.centimeter]).trees
    assert in_words(tree.rows[0][0].operands[1].dimension) == "m"
    with pytest.raises(ValueError, match="whose unit is kg"):
        Vocabulary(load("pendulum", symbolic=True), {"units": {"m": registry.meter}})


@pytest.mark.slow
def test_a_function_without_end_is_stopped(monkeypatch):
    from rbdlib.verification.decision import functions

    monkeypatch.setattr(functions, "MOST_SECONDS", 0.3)

    def endless(q):
        while True:
            pass

    def stubborn(q):
        for _ in range(3):
            try:
                endless(q)
            except BaseException:
                continue
        return [0.0]

    for function in (endless, stubborn, lambda q: time.sleep(0.5) or [0.0]):
        started = time.process_time()
        report = verify(load("pendulum", symbolic=True), "g", function)
        assert "seconds for one state" in report.problem
        assert time.process_time() - started < 15, "it takes less than 1.5 s"
    assert verify(load("pendulum", symbolic=True), "g", lambda q, m, g, l: [m * g * l / 2 * math.sin(q[0])]).ok


@pytest.mark.slow
def test_a_function_that_was_stopped_leaves_python_as_it_was():
    """An exception for another thread that is taken back leaves CPython 3.11 looking for it; then debuggers hang."""
    code = """if True:
        import sys
        from rbdlib import load, verify
        from rbdlib.verification.decision import functions
        functions.MOST_SECONDS = 0.1
        def endless(q):
            while True:
                pass
        def traced():
            return 1
        assert "seconds for one state" in verify(load("pendulum", symbolic=True), "g", endless).problem
        events = []
        def watch(frame, event, _):
            events.append(event)
            return watch
        sys.settrace(watch)
        traced()
        sys.settrace(None)
        print(*events)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["call", "line", "return"], done.stderr
