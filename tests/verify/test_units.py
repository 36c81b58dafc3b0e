"""What may be added to what: dimensions of the model's symbols, units that are stated or written into an answer."""

import time

import pytest

from rbdlib import load, verify
from rbdlib.model_file import model_names
from rbdlib.verification.meaning.units import inconsistencies
from rbdlib.verification.meaning.vocabulary import Vocabulary
from rbdlib.verification.notation.reading import read
from rbdlib.verification.notation.unit_names import read_unit
from rbdlib.verification.trees.dimensions_of_model import dimensions_of, in_words


def found(model, text, given=None):
    vocabulary = Vocabulary(load(model, symbolic=True), given)
    vocabulary.define("p", read("m1*l1").trees[0])
    return [x for tree in read(text, vocabulary.known_names()).trees for x in inconsistencies(tree, vocabulary)]


@pytest.mark.parametrize("name", sorted(model_names()))
def test_the_dimensions_found_from_a_model_are_those_in_its_file(name):
    import tomllib
    from pathlib import Path

    table = tomllib.loads((Path(__file__).parents[2] / f"data/models/{name}.toml").read_text(encoding="utf-8"))
    own = dimensions_of(Vocabulary(load(name, symbolic=True)).names)
    for parameter, entry in table.get("parameters", {}).items():
        if isinstance(entry, dict) and entry.get("unit") and parameter in own:
            assert in_words(own[parameter]) == in_words(read_unit(entry["unit"])[0]), parameter


@pytest.mark.parametrize(("text", "place", "words"), [
    ("m1*l1^2*qdd1 + m2*l2*qdd2", "m1*l1^2*qdd1 + m2*l2*qdd2", ("kg m^2/s^2", "kg m/s^2")),
    ("(m1 + m2)*l1^2 + (m1 + l1)*3", "m1 + l1", ("kg", "m")),
    ("m1*l1^2*qdd1 = tau1/l1", "m1*l1^2*qdd1 = tau1/l1", ("kg m^2/s^2", "kg m/s^2")),
    ("sin(m1*q1)", "sin(m1*q1)", ("kg", "a plain number")), ("q1 + qd1", "q1 + qd1", ("a plain number", "1/s")),
    ("sqrt(l1^2 + l2^2) + g", "sqrt(l1^2 + l2^2) + g", ("m", "m/s^2")),
    ("p*q1 + p*l1", "p*q1 + p*l1", ("kg m", "kg m^2")), ("[m1*l1, l2 + m1]", "l2 + m1", ("m", "kg"))])
def test_the_first_sum_that_does_not_fit_is_named(text, place, words):
    first = found("double_pendulum", text)[0]
    assert text[slice(*first.span)] == place
    assert first.dimensions == words and all(word in first.sentence for word in words)


@pytest.mark.parametrize("text", [
    "m1*l1^2*qdd1 + (m1 + m2)*g*l1*sin(q1) = tau1", "1 + cos(q1)", "m1*9.81*l1 + m2*g*l2", "q1 + pi/2", "0 = tau1",
    "m1*l1^2 + 0", "unknown + l1", "l1*(s12 + c1)", "2^q1 + 1", "atan2(l1, l2) + q2",
    "d/dt(m1*l1^2*qd1) - tau1", "l_c1 + l1"])
def test_what_fits_is_left_alone(text):
    assert found("double_pendulum", text) == []


def test_where_parameters_are_numbers_nothing_is_said():
    assert found("double_pendulum", "m1*l1^2 + l2", "m1 = 1") == []


@pytest.mark.parametrize(("unit", "words"), [("kg", "kg"), ("N*m/rad", "kg m^2/s^2"), ("Nm", "kg m^2/s^2"), ("cm", "m"),
                                             ("m s^-2", "m/s^2"), ("deg", "a plain number"), ("Hz", "1/s")])
def test_units_as_text(unit, words):
    assert in_words(read_unit(unit)[0]) == words


@pytest.mark.parametrize("unit", ["furlong", "V", "kg +", "", "kg^99", "2^kg", "exp(m)"])
def test_what_is_no_unit_is_refused(unit):
    if unit:
        with pytest.raises(ValueError):
            read_unit(unit)


@pytest.mark.slow
def test_units_in_an_answer_are_checked():
    import sympy
    from sympy.physics.units import centimeter, kilogram, meter, second

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


def test_quantities_of_pint():
    pint = pytest.importorskip("pint")
    registry = pint.UnitRegistry()
    answer = [9.81 * registry.centimeter]
    (tree,) = read(answer).trees
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
    assert verify(load("pendulum", symbolic=True), "g", lambda q, m, g, l: [m * g * l / 2 * __import__("math").sin(
        q[0])]).ok
