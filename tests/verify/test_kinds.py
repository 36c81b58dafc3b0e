"""Which kind of term is off is found by numbers alone, however the answer is written."""

import mpmath
import pytest

from rbdlib import load
from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.mechanics.states import DIGITS
from rbdlib.verification.reasons.case import Case
from rbdlib.verification.reasons.kinds import kinds_of

INERTIAL = "(m1+m2)*l1^2*qdd1 + m2*l2^2*(qdd1+qdd2) + m2*l1*l2*cos(q2)*(2*qdd1+qdd2)"
CORIOLIS, CENTRIFUGAL = "2*m2*l1*l2*sin(q2)*qd1*qd2", "m2*l1*l2*sin(q2)*qd2^2"
GRAVITY = "(m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2)"
SECOND = "m2*l2^2*(qdd1+qdd2) + m2*l1*l2*cos(q2)*qdd1 + m2*l1*l2*sin(q2)*qd1^2 + m2*g*l2*sin(q1+q2)"
BREAKAGES = [("2*m2*l1*l2*sin", "m2*l1*l2*sin", "Coriolis"), ("sin(q2)*qd2^2", "cos(q2)*qd2^2", "centrifugal"),
             ("m2*g*l2", "m1*g*l2", "gravity"), ("m2*l2^2*(", "m2*l2*(", "inertial")]


def _kinds(quantity, answer):
    decision = verify_numbers(load("double_pendulum", symbolic=True), quantity, answer)
    assert not decision.ok and decision.problem == ""
    with mpmath.workdps(DIGITS):
        return kinds_of(Case(decision))


@pytest.mark.parametrize("old, new, kind", BREAKAGES)
def test_the_kind_that_was_broken_is_off_and_no_other(old, new, kind):
    first = f"{INERTIAL} - {CORIOLIS} - {CENTRIFUGAL} + {GRAVITY}".replace(old, new)
    for quantity, answer in (("tau", f"[{first}, {SECOND}]"),
                             ("equations of motion", f"3*({first}) = 3*tau1\n-({SECOND}) + tau2 = 0")):
        off = [(report.entry, report.kind) for report in _kinds(quantity, answer) if not report.ok]
        assert off == [((0,), kind)]


def test_the_counterexample_is_a_number_of_that_kind_alone():
    answer = f"[{INERTIAL} - {CORIOLIS} - {CENTRIFUGAL} - ({GRAVITY}), {SECOND}]"
    off, = (report for report in _kinds("tau", answer) if not report.ok)
    assert off.kind == "gravity" and abs(off.yours + off.ours) < 1e-30 and off.yours
    assert "gravity" in off.sentence


def test_kinetic_and_potential_energy_are_told_apart():
    answer = "1/2*(m1+m2)*l1^2*qd1^2 + (m1+m2)*g*l1*cos(q1) + m2*g*l2*cos(q1+q2)"
    assert [(report.kind, report.ok) for report in _kinds("L", answer)] == [("kinetic", False), ("potential", True)]
