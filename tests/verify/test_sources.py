"""A mistake within d/dt(...), or in a definition, is found where the learner wrote it, and once."""

import pytest

from rbdlib.verification.decide import verify_numbers
from tests.verify.planted import diagnosed, model

MOMENTA = ("d/dt((m1+m2)*l1^2*qd1 + m2*l2^2*(qd1+qd2) + m2*l1*l2*cos(q2)*(2*qd1+qd2))"
           " + (m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2) = tau1, "
           "d/dt(m2*l2^2*(qd1+qd2) + m2*l1*l2*cos(q2)*qd1) + m2*l1*l2*sin(q2)*qd1*(qd1+qd2)"
           " + m2*g*l2*sin(q1+q2) = tau2")
LAGRANGE = ("L = 1/2*m1*l1^2*qd1^2 + 1/2*m2*(l1^2*qd1^2 + l2^2*(qd1+qd2)^2 + 2*l1*l2*cos(q2)*qd1*(qd1+qd2))"
            " + (m1+m2)*g*l1*cos(q1) + m2*g*l2*cos(q1+q2)\n"
            "d/dt(dL/dqd1) - dL/dq1 = tau1\nd/dt(dL/dqd2) - dL/dq2 = tau2")
DEFINED = "h = -m2*l1*l2*s2\nC = [h*qd2, h*(qd1+qd2); -h*qd1, 0]"


@pytest.mark.parametrize("quantity, right", [("equations of motion", MOMENTA), ("equations of motion", LAGRANGE),
                                             ("C", DEFINED)])
def test_the_answers_without_mistakes_are_right(quantity, right):
    assert verify_numbers(model("double_pendulum"), quantity, right).ok


@pytest.mark.parametrize("right, old, new, kinds", [
    (MOMENTA, "cos(q2)*(2*qd1+qd2)", "sin(q2)*(2*qd1+qd2)", "function"),
    (MOMENTA, "cos(q2)*qd1)", "sin(q2)*qd1)", "function"),
    (MOMENTA, "l1^2*qd1 + m2*l2^2", "l1^2*qd1 - m2*l2^2", "sign"),
    (MOMENTA, "+ m2*l1*l2*cos(q2)*qd1)", "+ m2*l1*cos(q2)*qd1)", "lost factor"),
    (MOMENTA, "2*qd1+qd2", "qd1+qd2", "factor"),
])
def test_what_is_differentiated(right, old, new, kinds):
    answer = right.replace(old, new, 1)
    finding, = diagnosed("double_pendulum", "equations of motion", answer).findings
    assert finding.kind in kinds.split("|"), (finding.kind, finding.sentence)
    assert finding.found and "qdd" not in finding.found and "''" not in finding.found   # nothing he never wrote
    start, end = finding.span
    place = right.index(old)
    assert place - 20 <= start < end <= place + len(new) + 20


@pytest.mark.parametrize("old, new, kind", [("-m2*l1*l2", "-m2*l2", "lost factor"), ("-m2*l1*l2", "m2*l1*l2", "sign"),
                                            ("s2", "c2", "function"), ("-m2*l1", "-2*m2*l1", "factor")])
def test_a_definition_is_wrong_once(old, new, kind):
    finding, *others = diagnosed("double_pendulum", "C", DEFINED.replace(old, new, 1)).findings
    assert others == [] and finding.entries == ((0,), (1,))
    assert finding.kind in (kind, "velocity terms sign", "opposite sign")
