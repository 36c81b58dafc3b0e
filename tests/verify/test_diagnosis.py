"""The mistake that was planted is named first, and nothing is claimed that does not make the answer right."""

import math

import pytest

from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.reasons.diagnosis import diagnose
from tests.verify.planted import diagnosed, model


def test_the_place_in_the_text_is_pointed_at():
    answer = "[(m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2), m2*g*l1*sin(q1+q2)]"
    finding, = diagnosed("double_pendulum", "g", answer).findings
    assert finding.span == (answer.rindex("l1"), answer.rindex("l1") + 2)
    assert finding.entry == (1,) and (finding.found, finding.correction) == ("l1", "l2")
    assert "l2" not in finding.sentence                             # the answer is not given away


def test_latex_and_own_coordinates():
    answer = (r"\frac12 (m_1+m_2) l_1^2 \dot\theta_1^2 + \frac12 m_2 l_2^2 \dot\theta_2^2"
              r" + m_2 l_1 l_2 \dot\theta_1 \dot\theta_2 \sin(\theta_1-\theta_2)")
    decision = verify_numbers(model("double_pendulum"), "T", answer, "theta2 = q1 + q2")
    assert not decision.ok and decision.problem == ""
    assert [f.kind for f in diagnose(decision).findings] == ["function"]


def test_absolute_angles_are_recognised():
    answer = ("1/2*(m1+m2)*l1^2*qd1^2 + 1/2*m2*l2^2*qd2^2 + m2*l1*l2*cos(q1-q2)*qd1*qd2")
    assert [f.kind for f in diagnosed("double_pendulum", "T", answer).findings] == ["absolute angle"]


SPATIAL = [
    ("X[1,0]", "[c1,-s1,0,0,0,0;s1,c1,0,0,0,0;0,0,1,0,0,0;0,0,0,c1,-s1,0;0,0,0,s1,c1,0;0,0,0,0,0,1]", "inverse"),
    ("v[2]", "[0,0,qd1+qd2,0,l1*qd1,0]", ""),
    ("J[2]", "[0,0;0,0;1,1;l1*sin(q2),0;l1*cos(q2),0;0,0]", ""),
]


@pytest.mark.parametrize("quantity, answer, kind", SPATIAL)
def test_spatial_quantities(quantity, answer, kind):
    decision = verify_numbers(model("arm_2r"), quantity, answer)
    assert decision.problem == ""
    found = diagnose(decision)
    assert not kind or (not decision.ok and found.findings[0].kind == kind)
    assert decision.ok or all(f.sentence for f in found.findings)


def test_classical_for_spatial_acceleration():
    answer = "[0,0,qdd1+qdd2, {}, {}, 0]".format(
        "l1*sin(q2)*qdd1 - l1*cos(q2)*qd1^2", "l1*cos(q2)*qdd1 + l1*sin(q2)*qd1^2")
    assert diagnosed("arm_2r", "a[2]", answer).findings[0].kind == "classical acceleration"


def test_functions_are_diagnosed_by_hypothesis():
    def gravity(q, m1, m2, l1, l2, g):
        lower = m2 * l2 * math.sin(q[0] + q[1])
        return [-g * ((m1 + m2) * l1 * math.sin(q[0]) + lower), -g * lower]

    decision = verify_numbers(model("double_pendulum"), "g", gravity)
    assert not decision.ok and decision.problem == ""
    assert diagnose(decision, gravity).findings[0].kind == "gravity reversed"


def test_nothing_is_claimed_where_nothing_fits():
    found = diagnosed("double_pendulum", "bias", "[m1*sin(q1)^3*qd2 + 7, m2*g*l2*sin(q1+q2) + m2*l1*l2*sin(q2)*qd1^2]")
    assert not found.certain and found.findings[0].kind == "unknown" and found.findings[0].entry == (0,)
    assert "l1" in found.findings[0].sentence


@pytest.mark.parametrize("quantity, answer", [("V", "m1*q1"), ("T == 2*qd1*H11", None), ("E", "7")])
def test_no_answer_is_explained_away(quantity, answer):
    found = diagnosed("double_pendulum", quantity, answer)
    assert not found.certain and [f.kind for f in found.findings] == ["unknown"]
