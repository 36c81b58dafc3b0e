"""Derivations line by line: the first wrong line is found, and lines that follow from it are told from new mistakes."""

import json

import pytest
import sympy

from rbdlib import load
from rbdlib.verification.derivations import steps as stepwise


def verify_steps(*arguments, explain=False, **options):
    return stepwise.verify_steps(*arguments, explain=explain, **options)


T = ("T = 1/2 m1 l1^2 q1'^2 + 1/2 m2 (l1^2 q1'^2 + l2^2 (q1' + q2')^2 + 2 l1 l2 cos(q2) q1' (q1' + q2'))")
V = "V = -(m1 + m2) g l1 cos(q1) - m2 g l2 cos(q1 + q2)"
LINES = [
    T, V, "L = T - V", "dL/dq2' = m2 l2^2 (q1' + q2') + m2 l1 l2 cos(q2) q1'",
    "d/dt dL/dq2' = m2 l2^2 (q1'' + q2'') + m2 l1 l2 cos(q2) q1'' - m2 l1 l2 sin(q2) q1' q2'",
    "dL/dq2 = -m2 l1 l2 sin(q2) q1' (q1' + q2') - m2 g l2 sin(q1 + q2)", "tau2 = d/dt dL/dq2' - dL/dq2",
    "tau2 = m2 l2^2 (q1'' + q2'') + m2 l1 l2 cos(q2) q1'' + m2 l1 l2 sin(q2) q1'^2 + m2 g l2 sin(q1 + q2)"]


@pytest.fixture(scope="module")
def model():
    return load("double_pendulum", symbolic=True)


def changed(place, old, new, lines=LINES):
    assert old in lines[place]
    return [line.replace(old, new) if i == place else line for i, line in enumerate(lines)]


def statuses(steps):
    return [line.because or line.status for line in steps.lines]


@pytest.mark.slow
def test_a_right_derivation_follows_line_by_line(model):
    steps = verify_steps(model, LINES)
    assert steps.ok and steps.first_wrong is None and str(steps).startswith("✓")
    assert verify_steps(model, "\n".join(LINES)).ok


@pytest.mark.parametrize("place, old, new", [
    (0, "2 l1 l2 cos(q2)", "l1 l2 cos(q2)"), (1, "- m2", "+ m2"), (2, "T - V", "T + V"), (3, "cos(q2)", "sin(q2)"),
    (4, "- m2 l1", "+ m2 l1"), (5, "sin(q1 + q2)", "sin(q1)"), (6, "- dL", "+ dL"), (7, "q1'^2", "q1' q2'")])
def test_the_first_wrong_line_is_found(model, place, old, new):
    steps = verify_steps(model, changed(place, old, new))
    assert not steps.ok and steps.first_wrong.number == place + 1
    wrong = steps.first_wrong
    assert wrong.counterexample and wrong.left != wrong.right
    assert f"Line {place + 1} does not follow" in str(steps).splitlines()[0]


def test_what_follows_from_a_wrong_line_is_said_to(model):
    wrong = [line.replace("- m2 g l2 cos(q1 + q2)", "+ m2 g l2 cos(q1 + q2)") for line in LINES]
    wrong[5] = wrong[5].replace("- m2 g l2 sin", "+ m2 g l2 sin")
    wrong[7] = wrong[7].replace("+ m2 g l2 sin", "- m2 g l2 sin")
    steps = verify_steps(model, wrong)
    assert statuses(steps)[:3] == ["follows", "does not follow", (2,)]
    assert statuses(steps)[5:] == [(2,), (2,), (2,)]
    assert "Follows from line 2, which is wrong" in str(steps)


@pytest.mark.slow
def test_the_reason_of_a_wrong_energy_is_told(model):
    steps = verify_steps(model, changed(0, "2 l1 l2 cos(q2)", "2 l1 l2 sin(q2)"), explain=True)
    assert "sine and cosine" in steps.first_wrong.reason


@pytest.mark.slow
def test_a_wrong_derivative_carried_on(model):
    wrong = changed(4, "- m2 l1", "+ m2 l1")
    wrong[6] = ("m2 l2^2 (q1'' + q2'') + m2 l1 l2 cos(q2) q1'' + m2 l1 l2 sin(q2) q1' q2' + "
                "m2 l1 l2 sin(q2) q1' (q1' + q2') + m2 g l2 sin(q1 + q2) = tau2")
    assert statuses(verify_steps(model, wrong))[4:] == ["does not follow", "follows", (5,), "follows"]
    momentum = changed(3, "cos(q2) q1'", "q1'")
    momentum[4] = "d/dt dL/dq2' = m2 l2^2 (q1'' + q2'') + m2 l1 l2 q1''"       # the rate of the wrong line 4
    assert statuses(verify_steps(model, momentum))[3:5] == ["does not follow", (4,)]


@pytest.mark.slow
def test_latex_with_positions_of_the_learners_own(model):
    lines = [r"x_2 = l_1 \sin\theta_1 + l_2 \sin(\theta_1+\theta_2)",
             r"y_2 = -l_1\cos\theta_1 - l_2\cos(\theta_1+\theta_2)",
             r"T = \frac12 m_1 l_1^2 \dot\theta_1^2 + \frac12 m_2(\dot x_2^2+\dot y_2^2)",
             r"U = -m_1 g l_1 \cos\theta_1 + m_2 g y_2",
             r"\dot x_2 = l_1 \cos\theta_1 \dot\theta_1+ l_2\cos(\theta_1+\theta_2)(\dot\theta_1+\dot\theta_2)",
             r"L=T-U",
             r"\frac{d}{dt}\frac{\partial L}{\partial \dot\theta_2} - \frac{\partial L}{\partial \theta_2} = \tau_2"]
    assert verify_steps(model, lines).ok
    steps = verify_steps(model, changed(4, r"(\dot\theta_1+\dot\theta_2)", r"\dot\theta_2", lines))
    assert steps.first_wrong.number == 5 and steps.lines[6].ok


@pytest.mark.slow
def test_absolute_angles(model):
    lines = ["T = 1/2 (m1 + m2) l1^2 theta1'^2 + 1/2 m2 l2^2 theta2'^2 + m2 l1 l2 cos(theta1-theta2) theta1' theta2'",
             "V = -(m1+m2) g l1 cos(theta1) - m2 g l2 cos(theta2)", "L = T - V",
             "dL/dtheta2 = m2 l1 l2 theta1' theta2' sin(theta1-theta2) - m2 g l2 sin(theta2)",
             "m2 l2^2 theta2'' + m2 l1 l2 theta1'' cos(theta1-theta2) - m2 l1 l2 theta1'^2 sin(theta1-theta2)"
             " + m2 g l2 sin(theta2) = tau2"]
    assert verify_steps(model, lines, given="theta2 = q1 + q2").ok
    steps = verify_steps(model, changed(4, "- m2 l1 l2", "+ m2 l1 l2", lines), given="theta2 = q1 + q2")
    assert steps.first_wrong.number == 5
    assert not verify_steps(model, lines).ok                       # with relative angles T is wrong


def test_entries_vectors_and_chains(model):
    steps = verify_steps(model, [
        "H12 = m2*l2^2 + m2*l1*l2*cos(q2)", "H11 = m1*l1^2", "C2 = m2*l1*l2*sin(q2)*q1'^2",
        "tau2 = H12*qdd1 + m2*l2^2*qdd2 + C2 + m2*g*l2*sin(q1 + q2)",
        "g = [(m1 + m2)*g*l1*sin(q1) + m2*g*l2*sin(q1 + q2), m2*g*l2*sin(q1 + q2)]",
        "V = -(m1 + m2)*g*l1*cos(q1) - m2*g*l2*cos(q1 + q2) = -m1*g*l1*cos(q1) - m2*g*(l1*cos(q1) + l2*cos(q1 + q2))"])
    assert statuses(steps) == ["follows", "does not follow", *4 * ["follows"]]
    assert "H11 is not right" in str(steps)


def test_sympy_equations(model):
    t = sympy.Symbol("t")
    q1, q2 = (sympy.Function(name)(t) for name in ("q1", "q2"))
    m1, m2, l1, l2, g = sympy.symbols("m1 m2 l1 l2 g")
    height = -(m1 + m2) * g * l1 * sympy.cos(q1) - m2 * g * l2 * sympy.cos(q1 + q2)
    steps = verify_steps(model, [sympy.Eq(sympy.Symbol("V"), height),
                                 sympy.Eq(sympy.Derivative(sympy.Symbol("V"), sympy.Symbol("q2")), m2)])
    assert steps.lines[0].ok and steps.lines[1].status == "does not follow"


def test_lines_that_are_not_understood_stop_nothing(model):
    steps = verify_steps(model, ["foo(", "L = T - V", "q1", "V = 1/0", *LINES[:3], "dL/dq1 = zz + 1/(q1 - q1)"])
    assert statuses(steps) == [*4 * ["not understood"], *3 * ["follows"], "not understood"]
    assert "no line above defines" in steps.lines[1].reason and not steps.ok
    assert steps.first_wrong.number == 1


def test_as_html_and_json(model):
    steps = verify_steps(model, [*changed(1, "- m2", "+ m2"), "<script>alert(1)</script>", "<b> = 1"])
    page = steps._repr_html_()
    assert "<script>" not in page and "✗" in page and "✓" in page and "does not follow" in page
    data = json.loads(steps.to_json())
    assert data["first_wrong"] == 2 and data["lines"][2]["because"] == [2] and data["lines"][0]["ok"]


@pytest.mark.parametrize("lines, error", [([], ValueError), (5, TypeError), (["a = 1"] * 300, ValueError)])
def test_bad_arguments(model, lines, error):
    with pytest.raises(error, match="lines"):
        verify_steps(model, lines)


@pytest.mark.slow
def test_a_joint_without_a_motor():
    lines = ["T = 1/2 (m_cart + m_pole) q1'^2 - 1/2 m_pole l cos(q2) q1' q2' + 1/6 m_pole l^2 q2'^2",
             "V = 1/2 m_pole g l cos(q2)", "L = T - V", "d/dt dL/dq2' - dL/dq2 = 0",
             "l q2'' = 3/2 cos(q2) q1'' + 3/2 g sin(q2)"]
    model = load("cart_pole", symbolic=True)
    assert verify_steps(model, lines).ok
    swinging = [*changed(1, "= 1/2", "= -1/2", lines)[:4], "l q2'' = 3/2 cos(q2) q1'' - 3/2 g sin(q2)"]
    assert statuses(verify_steps(model, swinging))[1:] == ["does not follow", (2,), (2,), (2,)]
    assert verify_steps(model, changed(4, "3/2 g", "g", lines)).first_wrong.number == 5


def test_characters_that_cannot_be_seen_are_shown_as_marks(model):
    steps = verify_steps(model, ["T = \x001", "V = \u202e2"])
    for text in (str(steps), steps._repr_html_()):
        assert "\ufffd" in text and "\x00" not in text and "\u202e" not in text
