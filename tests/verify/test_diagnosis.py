"""Mistakes that were planted in right answers are named first, all of them and no others; nothing false is claimed.
`make test` takes the first in each table with a name that none before it had, `make test-long` all; two mistakes at
once are in the corpus."""

import math
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
import sympy as sp

from rbdlib import Model
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import Revolute
from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.mechanics.basics import inertia, motion
from rbdlib.verification.mechanics.quantities import bias, forces, velocity_terms
from rbdlib.verification.mechanics.states import DIGITS, Altered, draw, system_of
from rbdlib.verification.reasons import hypotheses
from rbdlib.verification.reasons.case import Case
from rbdlib.verification.reasons.components import _split_forces, kinds_of
from rbdlib.verification.reasons.diagnosis import diagnose
from tests.verify.planted import CLASSES, SINGLE, diagnosed, is_named, model


def cases_of(mistakes):
    """A parameter for each (model, quantity, answer, mistakes), marked as long unless the rule above takes it."""
    seen, cases = set(), []
    for case in mistakes:
        names = set().union(*case[3])
        cases.append(pytest.param(*case, marks=[pytest.mark.long] * (names <= seen)))
        seen |= names
    return cases


def answer_with(right, *mistakes):
    """The answer with mistakes (old, new, names) in it, and the sets of their names."""
    for old, new, _ in mistakes:
        right = right.replace(old, new)
    return right, [frozenset(names.split("|")) for _, _, names in mistakes]


@pytest.mark.parametrize("name, quantity, answer, mistakes", cases_of(
    (name, quantity, *answer_with(right, mistake)) for name, quantity, right, mistakes in SINGLE + CLASSES
    for mistake in mistakes))
def test_a_mistake_is_named_first(name, quantity, answer, mistakes):
    found = diagnosed(name, quantity, answer)
    assert is_named(found, mistakes), found.findings


@pytest.mark.slow
def test_terms_that_lagrange_s_equations_lack_or_have_too_often_are_named():
    """The parts of the equations of a double pendulum, from its T and V by SymPy; wrong mixtures of them as answers."""
    q, qd, qdd = (sp.Matrix(sp.symbols(f"{x}1:3")) for x in ("q", "qd", "qdd"))
    m1, m2, l1, l2, g = sp.symbols("m1 m2 l1 l2 g")
    upper, step = (l * sp.Matrix([sp.sin(x), -sp.cos(x)]) for l, x in ((l1, q[0]), (l2, q[0] + q[1])))
    V = sp.Matrix([m1 * g * upper[1] + m2 * g * (upper + step)[1]])
    v_1, v_2 = (p.jacobian(q) * qd for p in (upper, upper + step))
    T = sp.Matrix([(m1 * v_1.dot(v_1) + m2 * v_2.dot(v_2)) / 2])
    H, G, by_q = sp.hessian(T[0], list(qd)), V.jacobian(q).T, T.jacobian(q).T
    C = T.jacobian(qd).T.jacobian(q) * qd - by_q
    squares, D = sum((C.subs(x, 0) for x in qd), sp.zeros(2, 1)), sp.diag(H[0, 0], H[1, 1])
    for kind, (H_1, C_1, G_1) in {
            "coriolis counted once": (H, (C + squares) / 2, G), "coriolis counted twice": (H, 2 * C - squares, G),
            "coriolis missing": (H, squares, G), "coriolis sign": (H, 2 * squares - C, G),
            "centrifugal missing": (H, C - squares, G), "centrifugal sign": (H, C - 2 * squares, G),
            "dT/dq missing": (H, C + by_q, G), "dT/dq sign": (H, C + 2 * by_q, G), "half forgotten": (H, C - by_q, G),
            "velocity terms missing": (H, 0 * C, G), "velocity terms sign": (H, -C, G), "gravity sign": (H, C, -G),
            "coupling missing": (D, C, G), "coupling sign": (2 * D - H, C, G)}.items():
        quantity, answer = ("bias", C_1 + G_1) if (H_1, G_1) == (H, G) else ("tau", H_1 * qdd + C_1 + G_1)
        found = diagnosed("double_pendulum", quantity, str(list(answer.expand())))
        assert [finding.kind for finding in found.findings] == [kind]


@pytest.mark.parametrize("name, quantity, right", [case[:3] for case in SINGLE])
def test_the_answers_in_which_mistakes_are_planted_are_right(name, quantity, right):
    decision = verify_numbers(model(name), quantity, right)
    assert decision.ok and diagnose(decision).findings == (), (decision.problem, decision.entries)


def test_the_place_is_pointed_at_functions_are_diagnosed_and_nothing_is_claimed_where_nothing_fits():
    answer = "[(m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2), m2*g*l1*sin(q1+q2)]"
    finding, = diagnosed("double_pendulum", "g", answer).findings
    assert finding.span == (answer.rindex("l1"), answer.rindex("l1") + 2)
    assert finding.entry == (1,) and (finding.found, finding.correction) == ("l1", "l2")
    assert "l2" not in finding.sentence                             # the answer is not given away

    def gravity(q, m1, m2, l1, l2, g):
        lower = m2 * l2 * math.sin(q[0] + q[1])
        return [-g * ((m1 + m2) * l1 * math.sin(q[0]) + lower), -g * lower]

    decision = verify_numbers(model("double_pendulum"), "g", gravity)
    assert not decision.ok and decision.problem == ""
    assert diagnose(decision, gravity).findings[0].kind == "gravity reversed"
    found = diagnosed("double_pendulum", "bias", "[m1*sin(q1)^3*qd2 + 7, m2*g*l2*sin(q1+q2) + m2*l1*l2*sin(q2)*qd1^2]")
    assert not found.explanations and found.findings[0].kind == "unknown" and found.findings[0].entry == (0,)
    assert "l1" in found.findings[0].sentence


@pytest.mark.parametrize("quantity, answer, kind, entry", [
    ("T[0,2]", "[c12, s12, 0, l1*c1; -s12, c12, 0, l1*s1; 0, 0, 1, 0; 0, 0, 0, 1]", "rotation transposed", None),
    ("T[0,2]", "[c12, -s12, 0, -l1*c1; s12, c12, 0, -l1*s1; 0, 0, 1, 0; 0, 0, 0, 1]", "opposite offset", None),
    ("T[0,2]", "[c12, s12, 0, -l1*c2; -s12, c12, 0, l1*s2; 0, 0, 1, 0; 0, 0, 0, 1]", "inverse", None),
    ("R[0,2]", "[c12, s12, 0; -s12, c12, 0; 0, 0, 1]", "transpose", None),
    ("K", "[-a*s1 - b*s12, -b*s12, c*c3; a*c1 + b*c12, b*c12, -c*c3]", "function", (0, 2)),
    ("K", "[-2*a*s1 - 2*b*s12, -2*b*s12, 2*c*s3; a*c1 + b*c12, b*s12, -c*c3]", "function", (1, 1))])
def test_what_is_said_about_transforms_and_rows_of_constraints(quantity, answer, kind, entry):
    finding, = diagnosed("four_bar" if quantity == "K" else "arm_2r", quantity, answer).findings
    assert (finding.kind, finding.entry) == (kind, entry)


@pytest.mark.parametrize("quantity, answer", [("V", "m1*q1"), ("T == 2*qd1*H11", None), ("E", "7")])
def test_no_answer_is_explained_away(quantity, answer):
    found = diagnosed("double_pendulum", quantity, answer)
    assert not found.explanations and [f.kind for f in found.findings] == ["unknown"]


# Mistakes within d/dt(...), and in definitions

MOMENTA = ("d/dt((m1+m2)*l1^2*qd1 + m2*l2^2*(qd1+qd2) + m2*l1*l2*cos(q2)*(2*qd1+qd2))"
           " + (m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2) = tau1, "
           "d/dt(m2*l2^2*(qd1+qd2) + m2*l1*l2*cos(q2)*qd1) + m2*l1*l2*sin(q2)*qd1*(qd1+qd2)"
           " + m2*g*l2*sin(q1+q2) = tau2")
DEFINED = "h = -m2*l1*l2*s2\nC = [h*qd2, h*(qd1+qd2); -h*qd1, 0]"


def test_the_answers_without_mistakes_are_right():
    assert verify_numbers(model("double_pendulum"), "equations of motion", MOMENTA).ok
    assert verify_numbers(model("double_pendulum"), "C", DEFINED).ok


@pytest.mark.slow
@pytest.mark.parametrize("old, new, kind", [
    pytest.param("cos(q2)*qd1)", "sin(q2)*qd1)", "function", marks=pytest.mark.long),
    ("+ m2*l1*l2*cos(q2)*qd1)", "+ m2*l1*cos(q2)*qd1)", "lost factor")])
def test_what_is_differentiated(old, new, kind):
    finding, = diagnosed("double_pendulum", "equations of motion", MOMENTA.replace(old, new, 1)).findings
    assert finding.kind == kind, (finding.kind, finding.sentence)
    assert finding.found and "qdd" not in finding.found and "''" not in finding.found   # nothing he never wrote
    assert MOMENTA.index(old) - 20 <= finding.span[0] < finding.span[1] <= MOMENTA.index(old) + len(new) + 20


@pytest.mark.parametrize("old, new, kind", [("-m2*l1*l2", "-m2*l2", "lost factor"), ("-m2*l1*l2", "m2*l1*l2", "sign"),
                                            ("s2", "c2", "function"), ("-m2*l1", "-2*m2*l1", "factor")])
def test_a_definition_is_wrong_once(old, new, kind):
    finding, *others = diagnosed("double_pendulum", "C", DEFINED.replace(old, new, 1)).findings
    assert others == [] and finding.entries == ((0,), (1,))
    assert finding.kind in (kind, "velocity terms sign", "opposite sign")


@pytest.mark.slow
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
    finding, = diagnose(verify_numbers(furuta, "equations of motion", wrong, given)).findings
    assert finding.kind == "missing term" and finding.entry == (0,)
    assert all(name in finding.sentence for name in ("J_p", "M", "l", "theta", "phi'"))


# Rules and systems with nothing changed are the right ones, and changed coordinates are those of the learner

@pytest.mark.parametrize("name", ["cart_pole", "spherical_pendulum", "satellite_arm", "four_bar"])
def test_what_hypotheses_change_is_right_where_nothing_is_changed(name):
    with mpmath.workdps(DIGITS):
        state = draw(system_of(model(name)), 4, 1)[0]
        H, C, g, D = hypotheses._parts(state)
        resting = Altered(state, qdd=0 * state.qd)
        pairs = [(H, inertia(state)), (C, velocity_terms(state)), (C + g + D, bias(state)),
                 (hypotheses._accelerations(state, H, C, g, D), state.qdd),
                 (hypotheses._recursion(resting)[1], velocity_terms(state)),
                 *((a, motion(state, "a", i)) for i, a in enumerate(hypotheses._recursion(state)[0]) if i),
                 *((hypotheses._with_inertia(i, (1, 1, 1), times, state.model).inertia[i], state.model.inertia[i])
                   for i in state.model.bodies for times in (1, None))]
        split = _split_forces(forces, state)
        pairs += [(split["inertial"], H @ state.qdd), (split["centrifugal"] + split["Coriolis"], C),
                  (split["gravity"] + split["damping"], g + D), (split["centrifugal"], hypotheses._centrifugal(state))]
        assert all(np.all(abs(np.array(x - y, dtype=object)) < 1e-25) for x, y in pairs)


def test_other_coordinates_stand_for_the_same_motion_and_power():
    M, A = np.array([[1, 0, 0], [1, 1, 0], [2, 1, 1]]), np.array([[0, 1, 0], [1, 0, 0], [0, -1, 1]])
    c, b = (np.array(turns) * np.pi / 2 for turns in ([1, 0, 2], [0, 1, -1]))
    q, qd, qdd, tau = np.random.default_rng(2).random((4, 3))
    found = hypotheses._other((M, 2 * c / np.pi), "order", {"a": "a", "b": "b"}, A, 2 * b / np.pi)
    state = found.state(SimpleNamespace(q=q, qd=qd, qdd=qdd, tau=tau))
    for yours, ours in ((A @ (M @ state.q + c) + b, M @ q + c), (A @ M @ state.qd, M @ qd), (found.back @ state.qd, qd),
                        (A @ M @ state.qdd, M @ qdd), (state.tau @ state.qd, tau @ qd)):
        np.testing.assert_allclose(yours, ours, atol=1e-12)


# Which kind of term is off is found by numbers alone, however the answer is written

INERTIAL = "(m1+m2)*l1^2*qdd1 + m2*l2^2*(qdd1+qdd2) + m2*l1*l2*cos(q2)*(2*qdd1+qdd2)"
CORIOLIS, CENTRIFUGAL = "2*m2*l1*l2*sin(q2)*qd1*qd2", "m2*l1*l2*sin(q2)*qd2^2"
GRAVITY = "(m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2)"
SECOND = "m2*l2^2*(qdd1+qdd2) + m2*l1*l2*cos(q2)*qdd1 + m2*l1*l2*sin(q2)*qd1^2 + m2*g*l2*sin(q1+q2)"
BREAKAGES = [("2*m2*l1*l2*sin", "m2*l1*l2*sin", "Coriolis"), ("sin(q2)*qd2^2", "cos(q2)*qd2^2", "centrifugal"),
             ("m2*g*l2", "m1*g*l2", "gravity"), ("*sin(q1) ", "*abs(sin(q1)) ", "gravity"),
             ("*sin(q1) ", "*(-abs(sin(q1))) ", "gravity"), ("m2*l2^2*(", "m2*l2*(", "inertial")]


def _kinds(quantity, answer):
    decision = verify_numbers(model("double_pendulum"), quantity, answer)
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


def test_the_counterexample_is_a_number_of_that_kind_alone_and_energies_are_told_apart():
    answer = f"[{INERTIAL} - {CORIOLIS} - {CENTRIFUGAL} - ({GRAVITY}), {SECOND}]"
    off, = (report for report in _kinds("tau", answer) if not report.ok)
    assert off.kind == "gravity" and abs(off.yours + off.ours) < 1e-30 and off.yours
    answer = "1/2*(m1+m2)*l1^2*qd1^2 + (m1+m2)*g*l1*cos(q1) + m2*g*l2*cos(q1+q2)"
    assert [(report.kind, report.ok) for report in _kinds("L", answer)] == [("kinetic", False), ("potential", True)]
