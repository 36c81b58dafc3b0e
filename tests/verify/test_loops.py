"""Equations, matrices and forces of closed loops, in the forms in which texts write them."""

import mpmath
import numpy as np
import pytest

from rbdlib import load
from rbdlib.verification.decision.decide import verify_numbers as verify
from rbdlib.verification.mechanics.loop_quantities import constraints, forces_at_points, multipliers, of_points
from rbdlib.verification.mechanics.states import DIGITS, draw, system_of

BAR, SLIDER = load("four_bar", symbolic=True), load("crank_slider", symbolic=True)
K = (("-a*s1 - b*s12", "-b*s12", "c*s3"), ("a*c1 + b*c12", "b*c12", "-c*c3"))
k = ("a*c1*qd1^2 + b*c12*(qd1+qd2)^2 - c*c3*qd3^2", "a*s1*qd1^2 + b*s12*(qd1+qd2)^2 - c*s3*qd3^2")
VELOCITIES = "\n".join(f"({x})*qd1 + ({y})*qd2 + ({z})*qd3 = 0" for x, y, z in K)
ACCELERATIONS = "\n".join(f"({x})*qdd1 + ({y})*qdd2 + ({z})*qdd3 = {r}" for (x, y, z), r in zip(K, k, strict=True))
AUGMENTED = "[" + "; ".join(", ".join([*row, r]) for row, r in zip(K, k, strict=True)) + "]"


@pytest.mark.parametrize(("quantity", "answer"), [
    ("phidot", VELOCITIES), ("K qdd = k", ACCELERATIONS), ("k", f"[{k[0]}; {k[1]}]"), ("K", AUGMENTED)])
def test_loop_equations_of_every_order(quantity, answer):
    assert verify(BAR, quantity, answer).ok
    assert not verify(BAR, quantity, answer.replace("c*s3", "2*c*s3")).ok
    if "=" in answer:
        assert not verify(BAR, quantity, answer.splitlines()[0]).ok


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "crank_slider"])
def test_forces_at_the_closing_points_do_what_lambda_does(name):
    with mpmath.workdps(DIGITS):
        state = draw(system_of(load(name, symbolic=True)), 3, 1)[0]
        K_1, k_1 = of_points(state)
        K_2, _ = constraints(state)
        assert np.all(abs(K_1 @ state.qdd - k_1) < 1e-30)
        assert np.all(abs(K_1.T @ forces_at_points(state) - K_2.T @ multipliers(state)) < 1e-28)


@pytest.mark.slow
@pytest.mark.parametrize(("quantity", "answer", "wrong"), [
    ("position[3]", "[a*cos(q1) + sqrt(b^2 - a^2*sin(q1)^2); 0; 0]", ("+ sqrt", "- sqrt")),
    pytest.param("q2 == -q1 - asin(a/b*sin(q1))", None, ("asin(", "asin(-"), marks=pytest.mark.long)])
def test_formulas_with_roots_are_those_of_the_models_own_way_of_assembly(quantity, answer, wrong):
    decision = verify(SLIDER, quantity, answer)
    assert decision.ok and "near q = 0" in decision.notes[-1], (decision.problem, decision.notes)
    decision = verify(SLIDER, quantity if answer else quantity.replace(*wrong), answer and answer.replace(*wrong))
    assert not decision.ok and (wrong[1] == "asin(-" or "another way of assembling" in decision.notes[-1])


@pytest.mark.long
def test_where_the_model_prefers_no_way_of_assembly_any_will_do():
    """Freudenstein's formula for the rocker of a four-bar linkage: A cos q3 + B sin q3 + C = 0."""
    A, B = "(-2*c*(a*cos(q1) - ground))", "(-2*c*a*sin(q1))"
    C = "(ground^2 + a^2 + c^2 - b^2 - 2*a*ground*cos(q1))"
    for sign in "+-":
        decision = verify(BAR, f"q3 == 2*atan((-{B} {sign} sqrt({A}^2 + {B}^2 - {C}^2))/({C} - {A}))", None)
        assert decision.ok and "one of the ways" in decision.notes[-1], decision


@pytest.mark.slow
def test_forces_of_unknown_names():
    """Two weights on a rope: the tensions are what the motion determines."""
    from tests.verify.corpus.atwood import SYSTEM

    model, given = SYSTEM.model(), "x_1 = q1; x_2 = q2; theta = q3"
    text = "m_1*x_1'' = T_1 - m_1*g; m_2*x_2'' = T_2 - m_2*g; I*theta'' = R*(T_1 - T_2)".replace("; ", "\n")
    wrong = text.replace("R*(T_1 - T_2)", "R*T_1 - 2*R*T_2")
    assert verify(model, "equations of motion", text, given + "; unknown: T_1, T_2").ok
    assert not verify(model, "equations of motion", wrong, given + "; unknown: T_1, T_2").ok
    assert "unknown: T" in verify(model, "equations of motion", text, given).problem
