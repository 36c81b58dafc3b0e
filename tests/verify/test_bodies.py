"""Quantities of bodies and points, in the frames in which texts write them, against formulas worked out by hand."""

import pytest

from rbdlib import load
from rbdlib.verification.decision.decide import verify_numbers as verify
from rbdlib.verification.meaning.stated import stated_frame
from rbdlib.verification.mechanics.bodies import alternatives, parse

ARM = load("arm_2r", symbolic=True)
TIP = "[-l1*s1 - l2*s12, -l2*s12; l1*c1 + l2*c12, l2*c12]"
COM = TIP.replace("l2*", "l2/2*")
HYBRID = "[-l1*s1, 0; l1*c1, 0; 0, 0; 0, 0; 0, 0; 1, 1]"
SPATIAL = "[0, 0; 0, 0; 1, 1; 0, l1*s1; 0, -l1*c1; 0, 0]"
R_02 = "[c12, -s12, 0; s12, c12, 0; 0, 0, 1]"
SPEED = "l1^2*qd1^2 + l2^2/4*(qd1 + qd2)^2 + l1*l2*c2*qd1*(qd1 + qd2)"
RIGHT = [
    ("J of the tip", TIP), ("J[2: (l2, 0, 0)]", TIP), ("J[com 2]", COM),
    ("J[tip]", TIP.replace("]", "; 1, 1]")), ("geometric Jacobian[2]", HYBRID), ("J[2] in base coordinates", SPATIAL),
    ("position[tip]", "[l1*c1 + l2*c12; l1*s1 + l2*s12]"), ("position[2]", "[l1*c1; l1*s1; 0]"),
    ("com[2]", "[l1*c1 + l2/2*c12; l1*s1 + l2/2*s12]"), ("velocity[com 2]", SPEED),
    ("v of com of body 2", "[-l1*s1*qd1 - l2/2*s12*(qd1+qd2); l1*c1*qd1 + l2/2*c12*(qd1+qd2)]"),
    ("acceleration[2]", "[-l1*s1*qdd1 - l1*c1*qd1^2; l1*c1*qdd1 - l1*s1*qd1^2]"),
    ("omega[2]", "qd1 + qd2"), ("alpha[2]", "[0; 0; qdd1 + qdd2]"), ("R[0,2]", R_02),
    ("T[0,2]", "[c12, -s12, 0, l1*c1; s12, c12, 0, l1*s1; 0, 0, 1, 0; 0, 0, 0, 1]"),
    ("A_2", "[c2, -s2, 0, l1; s2, c2, 0, 0; 0, 0, 1, 0; 0, 0, 0, 1]"),
    ("I[2]", "[0, 0, 0; 0, m2*l2^2/12, 0; 0, 0, m2*l2^2/12]"), ("T[2]", f"m2/2*({SPEED}) + m2*l2^2/24*(qd1 + qd2)^2"),
    ("V_2", "m2*g*(l1*s1 + l2/2*s12) + m1"), ("H[1,2]", "m2*l2^2/3 + m2*l1*l2*c2/2"),
    ("M_12", "M12 = m2*l2^2/3 + m2*l1*l2*c2/2"), ("g[2]", "m2*g*l2/2*c12"),
    ("Hdot", "[-m2*l1*l2*s2*qd2, -m2*l1*l2*s2*qd2/2; -m2*l1*l2*s2*qd2/2, 0]"),
    ("Christoffel C", "[-m2*l1*l2/2*s2*qd2, -m2*l1*l2/2*s2*(qd1 + qd2); m2*l1*l2/2*s2*qd1, 0]"),
    ("det H", "(m1/3 + m2)*l1^2*m2*l2^2/3 - m2^2*l1^2*l2^2*c2^2/4"), ("power", "tau1*qd1 + tau2*qd2"),
    ("dT/dq", "[0; -m2*l1*l2*s2/2*qd1*(qd1 + qd2)]"), ("dV/dq", "[(m1/2 + m2)*g*l1*c1 + m2*g*l2/2*c12; m2*g*l2/2*c12]"),
    ("Jdot[2: (0, 0, 0)]", "[-l1*c1*qd1, 0; -l1*s1*qd1, 0]"),
    ("Jdot[2]", "[0,0; 0,0; 0,0; l1*c2*qd2,0; -l1*s2*qd2,0; 0,0]")]
WRONG = [("J[tip]", COM), ("J[2]", HYBRID), ("J[2] in base coordinates", "-" + SPATIAL), ("R[2,0]", R_02),
         ("position[tip]", "[l1*c1 + l2*c2; l1*s1 + l2*s2]"), ("velocity[com 2]", SPEED + "+ l1^2*qd1^2"),
         ("H[1,2]", "m2*l2^2/3 + m2*l1*l2*c2"), ("H inverse", "[1, 0; 0, 1]"), ("Lambda[tip]", "[m2, 0; 0, m2]"),
         ("Christoffel C", "[0, -m2*l1*l2/2*s2*(2*qd1 + qd2); m2*l1*l2/2*s2*qd1, 0]")]


@pytest.mark.parametrize(("quantity", "answer"), RIGHT)
def test_right_answers_about_bodies(quantity, answer):
    decision = verify(ARM, quantity, answer)
    assert decision.ok, decision.problem


@pytest.mark.parametrize(("quantity", "answer"), WRONG)
def test_wrong_answers_about_bodies(quantity, answer):
    assert not verify(ARM, quantity, answer).ok


@pytest.mark.slow
@pytest.mark.parametrize("answer", [HYBRID, SPATIAL])
def test_a_frame_may_be_stated_beforehand(answer):
    assert not verify(ARM, "J[2]", answer).ok
    assert verify(ARM, "J[2]", answer, "world coordinates").ok
    assert verify(ARM, "J[2]", answer.replace("q1", "a"), "a = q1; in world coordinates").ok


@pytest.mark.slow
def test_an_answer_in_another_frame_is_told_what_it_is():
    problem = verify(ARM, "J[2]", TIP).problem
    for elsewhere in (HYBRID, SPATIAL, "[-l1*s1, 0; l1*c1, 0; 1, 1]", "[l1*s2, 0; l1*c2, 0; 1, 1]"):
        assert "is right as" in verify(ARM, "J[2]", elsewhere).problem
    assert "2×2 matrix" in problem and "the tip of body 2" in problem and "'J[tip of body 2]'" in problem
    assert verify(ARM, "J[tip of body 2]", TIP).ok
    for _, _, remedy in alternatives(ARM, "J[2]"):
        assert parse(remedy), remedy


def test_entries_follow_the_coordinates_of_the_learner():
    for answer, words in (("m2*l1*l2*cos(q1 - theta2)/2", "your coordinates q1, theta2"),
                          ("m2*l2^2/3 + m2*l1*l2*cos(q1 - theta2)/2", "the model's coordinates q1, q2")):
        decision = verify(ARM, "H[1,2]", answer, "theta2 = q1 + q2")
        assert decision.ok and words in " ".join(decision.notes)


@pytest.mark.parametrize(("given", "found"), [
    ("world coordinates", ("world coordinates", None)), ("m = m1; hybrid", (" hybrid", "m = m1")),
    ("world = q1", ("", "world = q1")), ({"m": "m1"}, ("", {"m": "m1"}))])
def test_what_is_stated_about_frames_is_taken_out_of_given(given, found):
    assert stated_frame(given) == found
