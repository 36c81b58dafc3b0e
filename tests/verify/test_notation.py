"""Whole answers in the notation of textbooks, papers and programs: right ones are accepted, and with a slip refused."""

import tomllib
from pathlib import Path

import pytest

from rbdlib import load
from rbdlib.verification.decision.decide import verify_numbers

LAGRANGE = "d/dt(dL/dq1') - dL/dq1 = tau1\nd/dt(dL/dq2') - dL/dq2 = tau2"
EOM = "equations of motion"
READ = {name: [tuple(row.values()) for row in rows] for name, rows in tomllib.loads(
    Path(__file__).with_name("notations.toml").read_text(encoding="utf-8")).items()}
CART = READ["cart"]
MODELS = {"double_pendulum": "double", "pendulum": "pendulum", "cart_pole": "cart"}
ALL = [(model, *case) for model, name in MODELS.items() for case in READ[name]]


@pytest.mark.parametrize(("model", "quantity", "answer"), ALL, ids=range(len(ALL)))
def test_an_answer_in_its_authors_notation_is_accepted(model, quantity, answer):
    decision = verify_numbers(load(model, symbolic=True), quantity, answer)
    assert decision.ok, (answer, decision.problem)


SLIPS = ((r"\sin", r"\cos"), ("sin", "cos"), ("Sin", "Cos"), (r"\frac16", r"\frac13"), ("1/3", "1/2"), ("1/2 I", "I"),
         (r"\frac{1}{2} I", "I"), ("m l^2/6", "m l^2/3"), ("l^2/6", "l^2/3"), ("l.^2/6", "l.^2/3"), ("⅙", "⅓"),
         ("s_{1+2}", "c_{1+2}"), (r"s\theta_1", r"c\theta_1"), (r"s_{\theta_1}", r"c_{\theta_1}"), ("cos", "sin"),
         (r"\cos", r"\sin"), ("m l^2 D", "m l^2/2 D"), (r"\frac m6", r"\frac m3"), ("l^2/3", "l^2/2"))


@pytest.mark.parametrize(("model", "quantity", "answer"), ALL[::3], ids=range(0, len(ALL), 3))
def test_the_same_answer_with_a_slip_is_refused_though_understood(model, quantity, answer):
    slip = next((old, new) for old, new in SLIPS if old in answer)
    decision = verify_numbers(load(model, symbolic=True), quantity, answer.replace(*slip))
    assert not decision.ok and decision.entries, (slip, decision.problem)


@pytest.mark.parametrize(("answer", "said"), [
    (LAGRANGE, "does not say what L is"), ("q(q1) + sin(x_3)*foo", "The symbol"),
    ("G + [a, b]\nG = [1; 2; 3]", "same shape"),
    ("sin(q[1]); q[1]", "counts from 0 or from 1")])
def test_what_cannot_be_combined_is_said(answer, said):
    model = load("arm_3r" if "q[1]" in answer else "double_pendulum", symbolic=True)
    decision = verify_numbers(model, EOM if answer == LAGRANGE else "g", answer)
    assert not decision.ok and said in decision.problem


def test_guesses_are_told():
    decision = verify_numbers(load("cart_pole", symbolic=True), "T", CART[0][1])
    assert {"M was taken for m_cart.", "m was taken for m_pole."} <= set(decision.notes)
    decision = verify_numbers(load("pendulum", symbolic=True), "V", r"-mgl_c\cos\theta")
    assert any("distance of the centre of mass" in note for note in decision.notes)
    decision = verify_numbers(load("cart_pole", symbolic=True), EOM, CART[-1][1])
    assert decision.ok and "u was taken for tau1." in decision.notes, "a force without a number is tried at each joint"
