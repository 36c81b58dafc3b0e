"""Right answers, and mistakes planted in them: (old, new, the names under which the mistake may be reported)."""

import functools
import itertools

from rbdlib import load
from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.reasons.diagnosis import diagnose

#: (model, quantity, right answer, single mistakes)
SINGLE = [
    ("double_pendulum", "H",
     "[(m1+m2)*l1^2 + m2*l2^2 + 2*m2*l1*l2*cos(q2), m2*l2^2 + m2*l1*l2*cos(q2); m2*l2^2 + m2*l1*l2*cos(q2), m2*l2^2]",
     [("2*m2*l1*l2*cos(q2)", "m2*l1*l2*cos(q2)", "factor"),
      ("(m1+m2)*l1^2 + m2*l2^2", "(m1+m2)*l1^2 + m1*l2^2", "symbol"), ("m2*l2^2]", "m2*l2]", "power"),
      ("cos(q2)", "sin(q2)", "function|other axis"), ("2*m2*l1*l2*cos(q2)", "2*m2*l1*l2*cos(q1)", "argument|symbol"),
      ("+ 2*m2*l1*l2*cos(q2)", "- 2*m2*l1*l2*cos(q2)", "sign"),
      ("(m1+m2)*l1^2 + m2*l2^2 +", "(m1+m2)*l1^2 +", "missing term"),
      ("; m2*l2^2 + m2*l1*l2*cos(q2), m2", "; 0, m2", "upper triangle"),
      ("m2*l2^2]", "(m1+m2)*l2^2]", "extra term|factor"), ("(m1+m2)*l1^2 +", "m1*l1^2 +", "missing term")]),
    ("double_pendulum", "C", "[-m2*l1*l2*sin(q2)*(2*qd1*qd2 + qd2^2), m2*l1*l2*sin(q2)*qd1^2]",
     [("2*qd1*qd2", "qd1*qd2", "coriolis counted once|factor"),
      ("[-m2*l1*l2*sin(q2)*(2*qd1*qd2 + qd2^2), m2", "[m2*l1*l2*sin(q2)*(2*qd1*qd2 + qd2^2), -m2",
       "velocity terms sign|opposite sign"),
      ("2*qd1*qd2 + qd2^2), m2*l1*l2*sin(q2)*qd1^2", "2*qd1*qd2 + qd2^2), 0", "dT/dq missing|missing term"),
      (", m2*l1*l2*sin(q2)*qd1^2", ", -m2*l1*l2*sin(q2)*qd1^2", "sign|dT/dq sign"),
      (" + qd2^2)", " + qd1^2)", "symbol"), ("2*qd1*qd2 + qd2^2", "qd2^2", "coriolis missing|missing term"),
      ("sin(q2)*qd1^2", "cos(q2)*qd1^2", "function"), ("sin(q2)*qd1^2", "sin(q2)*qd1*qd2", "symbol")]),
    ("double_pendulum", "g", "[(m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2), m2*g*l2*sin(q1+q2)]",
     [("[(m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2), m2", "[-(m1+m2)*g*l1*sin(q1) - m2*g*l2*sin(q1+q2), -m2",
       "gravity reversed"), ("m2*g*l2*sin(q1+q2)]", "m2*g*l1*sin(q1+q2)]", "symbol"),
      ("sin(q1+q2)", "sin(q2)", "argument"), ("sin(q1+q2)", "sin(q1-q2)", "argument|sign"),
      ("m2*g*l2*sin(q1+q2)]", "m2*l2*sin(q1+q2)]", "lost factor"), ("sin(", "cos(", "function|other axis"),
      ("m2*g*l2*sin(q1+q2)]", "m2*g*l2/2*sin(q1+q2)]", "factor"), ("(m1+m2)*g", "m1*g", "missing term|extra factor")]),
    ("double_pendulum", "T", "1/2*(m1+m2)*l1^2*qd1^2 + 1/2*m2*l2^2*(qd1+qd2)^2 + m2*l1*l2*cos(q2)*qd1*(qd1+qd2)",
     [("(qd1+qd2)", "qd2", "absolute velocity"), ("(qd1+qd2)^2", "(qd1^2+qd2^2)", "cross term"),
      ("1/2*m2*l2^2", "m2*l2^2", "factor"), ("+ m2*l1*l2*cos(q2)", "+ 2*m2*l1*l2*cos(q2)", "factor"),
      ("1/2*(m1+m2)", "(m1+m2)", "factor"), ("+ m2*l1*l2*cos(q2)*qd1*(qd1+qd2)", "", "missing term"),
      ("1/2*m2*l2^2*(qd1+qd2)^2", "1/2*m2*l2^2*qd2^2", "velocity|symbol")]),
    ("double_pendulum", "L", "1/2*(m1+m2)*l1^2*qd1^2 + 1/2*m2*l2^2*(qd1+qd2)^2 + m2*l1*l2*cos(q2)*qd1*(qd1+qd2)"
     " + (m1+m2)*g*l1*cos(q1) + m2*g*l2*cos(q1+q2)",
     [("+ (m1+m2)*g*l1*cos(q1) + m2*g", "- (m1+m2)*g*l1*cos(q1) - m2*g", "sum for difference|gravity reversed"),
      ("+ m2*g*l2*cos(q1+q2)", "- m2*g*l2*cos(q1+q2)", "sign"), ("g*l1*cos(q1)", "g*l1*sin(q1)", "function"),
      ("m2*g*l2*cos(q1+q2)", "m1*g*l2*cos(q1+q2)", "symbol")]),
    ("double_pendulum", "equations of motion",
     "(m1+m2)*l1^2*qdd1 + m2*l2^2*(qdd1+qdd2) + m2*l1*l2*cos(q2)*(2*qdd1+qdd2) - m2*l1*l2*sin(q2)*(2*qd1*qd2+qd2^2)"
     " + (m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2) = tau1\n"
     "m2*l2^2*(qdd1+qdd2) + m2*l1*l2*cos(q2)*qdd1 + m2*l1*l2*sin(q2)*qd1^2 + m2*g*l2*sin(q1+q2) = tau2",
     [("(2*qdd1+qdd2) - m2", "(2*qdd1+qdd2) + m2", "sign"),
      ("+ m2*l1*l2*sin(q2)*qd1^2", "- m2*l1*l2*sin(q2)*qd1^2", "sign"),
      ("+ m2*l1*l2*sin(q2)*qd1^2", "", "missing term"), ("2*qd1*qd2", "qd1*qd2", "factor|coriolis counted once"),
      ("cos(q2)*qdd1 +", "sin(q2)*qdd1 +", "function"), ("= tau2", "= -tau2", "sign"),
      ("+ m2*g*l2*sin(q1+q2) = tau2", "+ m2*g*l2*sin(q2) = tau2", "argument")]),
    ("arm_2r", "H", "[m1*l1^2/3 + m2*l1^2 + m2*l2^2/3 + m2*l1*l2*cos(q2), m2*l2^2/3 + m2*l1*l2*cos(q2)/2;"
     " m2*l2^2/3 + m2*l1*l2*cos(q2)/2, m2*l2^2/3]",
     [("m2*l2^2/3", "m2*l2^2/12", "parallel axis missing"), ("m1*l1^2/3", "m1*l1^2/12", "parallel axis missing|factor"),
      ("m2*l2^2/3", "m2*l2^2/4", "rotational inertia missing"), ("m2*l2^2/3", "7*m2*l2^2/12", "parallel axis twice"),
      ("m1*l1^2/3 + m2*l1^2", "m1*l1^2/3", "missing term"), ("m2*l1*l2*cos(q2)/2", "m2*l1*l2*cos(q2)", "factor"),
      (", m2*l2^2/3 + m2*l1*l2*cos(q2)/2; m2*l2^2/3 + m2*l1*l2*cos(q2)/2,", ", 0; 0,", "coupling missing")]),
    ("pendulum", "tau", "m*l^2/3*qdd + m*g*l/2*sin(q)",
     [("m*l^2/3", "m*l^2/12", "parallel axis missing|factor"), ("+ m*g", "- m*g", "gravity reversed|sign|gravity sign"),
      ("l/2*sin(q)", "l*sin(q)", "half-length|factor"), ("sin(q)", "cos(q)", "function"),
      ("m*l^2/3", "m*l^2/4", "rotational inertia missing|factor"), ("m*g*l/2", "g*l/2", "lost factor|extra factor")])]

#: The same for whole classes of mistakes: other rules, other systems, other frames, loops.
CLASSES = [
    ("double_pendulum", "C", SINGLE[1][2],
     [("m2*l1*l2*sin(q2)*qd1^2", "-m2*l1*l2*sin(q2)*qd1*qd2", "dT/dq missing"),
      ("m2*l1*l2*sin(q2)*qd1^2", "-m2*l1*l2*sin(q2)*(2*qd1*qd2 + qd1^2)", "dT/dq sign"),
      ("[-m2*l1*l2*sin(q2)*(2*qd1*qd2 + qd2^2), m2*l1*l2*sin(q2)*qd1^2]",
       "[(m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2), m2*g*l2*sin(q1+q2)]", "gravity instead")]),
    ("double_pendulum", "H", SINGLE[0][2],
     [("m2*l2^2 + m2*l1*l2*cos(q2);", "2*(m2*l2^2 + m2*l1*l2*cos(q2));", "factor"),
      (SINGLE[0][2], SINGLE[0][2].replace("m2", "m3").replace("m1", "m2").replace("m3", "m1"), "swapped"),
      (SINGLE[0][2], SINGLE[0][2].replace("l2", "l3").replace("l1", "l2").replace("l3", "l1"), "swapped")]),
    ("double_pendulum", "g", SINGLE[2][2],
     [(SINGLE[2][2], SINGLE[2][2].replace("sin(q1", "sin(pi/180*(q1").replace("(q1)", "(q1))")
       .replace("(q1+q2)", "(q1+q2))"), "degrees")]),
    ("double_pendulum", "bias", "[-m2*l1*l2*sin(q2)*(2*qd1*qd2 + qd2^2) + (m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2),"
     " m2*l1*l2*sin(q2)*qd1^2 + m2*g*l2*sin(q1+q2)]",
     [(" + (m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2), m2*l1*l2*sin(q2)*qd1^2 + m2*g*l2*sin(q1+q2)",
       ", m2*l1*l2*sin(q2)*qd1^2", "gravity left out|gravity missing"),
      ("-m2*l1*l2*sin(q2)*(2*qd1*qd2 + qd2^2) + (m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2), m2*l1*l2*sin(q2)*qd1^2 +",
       "(m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2),", "velocity terms missing")]),
    ("double_pendulum", "H[1,1]", "(m1+m2)*l1^2 + m2*l2^2 + 2*m2*l1*l2*cos(q2)",
     [("2*m2*l1", "m2*l1", "factor"), ("(m1+m2)*l1^2 + ", "", "missing term")]),
    ("arm_2r", "a[2]",
     "[0, 0, qdd1+qdd2, l1*sin(q2)*qdd1 + l1*cos(q2)*qd1*qd2, l1*cos(q2)*qdd1 - l1*sin(q2)*qd1*qd2, 0]",
     [(" + l1*cos(q2)*qd1*qd2, l1*cos(q2)*qdd1 - l1*sin(q2)*qd1*qd2", ", l1*cos(q2)*qdd1", "v x S qd missing"),
      ("+ l1*cos(q2)*qd1*qd2, l1*cos(q2)*qdd1 - l1*sin(q2)*qd1*qd2",
       "- l1*cos(q2)*qd1^2, l1*cos(q2)*qdd1 + l1*sin(q2)*qd1^2", "classical acceleration")]),
    ("arm_2r", "X[1,0]", "[c1,s1,0,0,0,0;-s1,c1,0,0,0,0;0,0,1,0,0,0;0,0,0,c1,s1,0;0,0,0,-s1,c1,0;0,0,0,0,0,1]",
     [("[c1,s1,0,0,0,0;-s1,c1,0,0,0,0;0,0,1,0,0,0;0,0,0,c1,s1,0;0,0,0,-s1,c1",
       "[c1,-s1,0,0,0,0;s1,c1,0,0,0,0;0,0,1,0,0,0;0,0,0,c1,-s1,0;0,0,0,s1,c1", "inverse")]),
    ("arm_2r", "R[0,2]", "[c12,-s12,0;s12,c12,0;0,0,1]", [("-s12,0;s12", "s12,0;-s12", "transpose")]),
    ("arm_2r", "J[2]", "[0,0;0,0;1,1;l1*sin(q2),0;l1*cos(q2),0;0,0]",
     [("l1*sin(q2),0", "l1*cos(q2),0", "function"), ("1,1;", "1,0;", "missing term"),
      ("l1*sin(q2),0", "-l1*sin(q2),0", "sign")])]

model = functools.cache(functools.partial(load, symbolic=True))


def diagnosed(name, quantity, answer):
    decision = verify_numbers(model(name), quantity, answer)
    assert decision.problem == "" and not decision.ok, (answer, decision.problem)
    return diagnose(decision)


def is_named(diagnosis, mistakes):
    """Whether the first explanation names the mistakes, sets of names for each, no more and no fewer."""
    kinds = [finding.kind for finding in diagnosis.findings]
    return diagnosis.certain and len(kinds) == len(mistakes) and any(
        all(kind in names for kind, names in zip(kinds, order, strict=True))
        for order in itertools.permutations(mistakes))
