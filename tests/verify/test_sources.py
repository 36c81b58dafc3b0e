"""A mistake within d/dt(...), or in a definition, is found where the learner wrote it, and once."""

import pytest
import sympy as sp

from rbdlib import Model
from rbdlib.joints import Revolute
from rbdlib.spatial import mcI, xlt
from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.reasons.diagnosis import diagnose
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
    (MOMENTA, "cos(q2)*qd1)", "sin(q2)*qd1)", "function"),
    (MOMENTA, "+ m2*l1*l2*cos(q2)*qd1)", "+ m2*l1*cos(q2)*qd1)", "lost factor"),
    pytest.param(MOMENTA, "l1^2*qd1 + m2*l2^2", "l1^2*qd1 - m2*l2^2", "sign", marks=pytest.mark.long),
    pytest.param(MOMENTA, "cos(q2)*(2*qd1+qd2)", "sin(q2)*(2*qd1+qd2)", "function", marks=pytest.mark.long),
    pytest.param(MOMENTA, "2*qd1+qd2", "qd1+qd2", "factor", marks=pytest.mark.long),
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


def test_a_bracket_times_a_rate_is_missing_once():
    m, r, l, J, J_p, g = sp.symbols("M r l J J_p g", positive=True)
    furuta = Model([0, 1], [Revolute("z"), Revolute("x")], [sp.eye(6), xlt([r, 0, 0])],
                   [mcI(0, [0, 0, 0], sp.diag(J, J, J)), mcI(m, [0, 0, l], sp.diag(J_p, J_p, 0))], (0, 0, -g))
    right = ("(J_p + M*l^2)*(theta'' - phi'^2*sin(theta)*cos(theta)) + M*r*l*phi''*cos(theta) - M*g*l*sin(theta) = 0, "
             "(J + M*r^2 + (J_p + M*l^2)*sin(theta)^2)*phi'' + 2*(J_p + M*l^2)*sin(theta)*cos(theta)*theta'*phi'"
             " + M*r*l*cos(theta)*theta'' - M*r*l*sin(theta)*theta'^2 = u")
    given = "phi = q1; theta = -q2; u = tau1"
    assert verify_numbers(furuta, "equations of motion", right, given).ok
    wrong = right.replace(" - phi'^2*sin(theta)*cos(theta)", "")
    decision = verify_numbers(furuta, "equations of motion", wrong, given)
    finding, = diagnose(decision).findings
    assert finding.kind == "missing term" and finding.entry == (0,)
    assert all(name in finding.sentence for name in ("J_p", "M", "l", "theta", "phi'"))
