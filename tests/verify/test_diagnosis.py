"""The mistake that was planted is named first, where the learner made it, and once; nothing false is claimed.

The corpus has hundreds of planted mistakes; here stand the properties that it cannot show.
"""

import functools
import math

import pytest
import sympy as sp

from rbdlib import Model, load
from rbdlib.joints import Revolute
from rbdlib.spatial import mcI, xlt
from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.reasons.diagnosis import diagnose

model = functools.cache(functools.partial(load, symbolic=True))


def diagnosed(name, quantity, answer):
    decision = verify_numbers(model(name), quantity, answer)
    assert decision.problem == "" and not decision.ok, (answer, decision.problem)
    return diagnose(decision)


def test_the_place_in_the_text_is_pointed_at():
    answer = "[(m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2), m2*g*l1*sin(q1+q2)]"
    finding, = diagnosed("double_pendulum", "g", answer).findings
    assert finding.span == (answer.rindex("l1"), answer.rindex("l1") + 2)
    assert finding.entry == (1,) and (finding.found, finding.correction) == ("l1", "l2")
    assert "l2" not in finding.sentence                             # the answer is not given away


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


# Mistakes within d/dt(...), and in definitions

MOMENTA = ("d/dt((m1+m2)*l1^2*qd1 + m2*l2^2*(qd1+qd2) + m2*l1*l2*cos(q2)*(2*qd1+qd2))"
           " + (m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2) = tau1, "
           "d/dt(m2*l2^2*(qd1+qd2) + m2*l1*l2*cos(q2)*qd1) + m2*l1*l2*sin(q2)*qd1*(qd1+qd2)"
           " + m2*g*l2*sin(q1+q2) = tau2")
DEFINED = "h = -m2*l1*l2*s2\nC = [h*qd2, h*(qd1+qd2); -h*qd1, 0]"


@pytest.mark.parametrize("quantity, right", [("equations of motion", MOMENTA), ("C", DEFINED)])
def test_the_answers_without_mistakes_are_right(quantity, right):
    assert verify_numbers(model("double_pendulum"), quantity, right).ok


@pytest.mark.parametrize("right, old, new, kinds", [
    (MOMENTA, "cos(q2)*qd1)", "sin(q2)*qd1)", "function"),
    (MOMENTA, "+ m2*l1*l2*cos(q2)*qd1)", "+ m2*l1*cos(q2)*qd1)", "lost factor"),
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
