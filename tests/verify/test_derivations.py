"""Whole derivations as texts print them: names defined on the way, unknown forces, and why a line does not follow."""

import pytest

from rbdlib import load
from tests.verify.test_steps import LINES, T, V, changed, statuses, verify_steps


@pytest.fixture(scope="module")
def model():
    return load("double_pendulum", symbolic=True)


CART = r"""x_c = x - \frac{l}{2}\sin\theta
y_c = \frac{l}{2}\cos\theta
\dot x_c = \dot x - \frac{l}{2}\dot\theta\cos\theta
\dot y_c = -\frac{l}{2}\dot\theta\sin\theta
v_c^2 = \dot x_c^2 + \dot y_c^2
v_c^2 = \dot x^2 - l\dot x\dot\theta\cos\theta + \frac{l^2}{4}\dot\theta^2
I_c = \frac{1}{12} m l^2
T = \frac12 M\dot x^2 + \frac12 m v_c^2 + \frac12 I_c\dot\theta^2
V = m g y_c
L = T - V
\frac{\partial L}{\partial \dot\theta} = \frac13 m l^2\dot\theta - \frac12 m l\dot x\cos\theta
\frac{d}{dt}\frac{\partial L}{\partial \dot\theta} = \frac13 m l^2\ddot\theta - \frac12 m l\ddot x\cos\theta
    + \frac12 m l\dot x\dot\theta\sin\theta
\frac{\partial L}{\partial\theta} = \frac12 m l \dot x\dot\theta\sin\theta + \frac12 m g l\sin\theta
\frac13 m l^2\ddot\theta - \frac12 m l\ddot x\cos\theta - \frac12 m g l\sin\theta = 0
\frac{2}{3} l \ddot\theta - \ddot x\cos\theta = g\sin\theta
\ddot\theta = \frac{3}{2l}(\ddot x\cos\theta + g\sin\theta)"""


@pytest.fixture(scope="module")
def cart():
    def verified(old="", new="", **options):
        assert old in CART
        given = "M = m_cart; m = m_pole; x = q1; theta = q2; F = tau1"
        return verify_steps(load("cart_pole", symbolic=True), CART.replace(old, new, 1), given=given, **options)

    return verified


def test_a_published_derivation_with_names_of_its_own(cart):
    steps = cart("x_c = x", "x_c = x")
    assert steps.ok and len(steps.lines) == 16 and "This defines v_c" in str(steps)


@pytest.mark.parametrize("old, new, first, following, words", [
    (r"\dot x_c = \dot x -", r"\dot x_c = \dot x +", 3, {5}, "wrong sign"),
    (r"v_c^2 = \dot x^2 - l", r"v_c^2 = \dot x^2 - 2 l", 6, {8, 10}, "constant factor"),
    (r"\frac{1}{12}", r"\frac{1}{3}", 8, {10}, "line"), (r"V = m g", r"V = 2 m g", 9, {10}, "factor"),
    ("\n    + \\frac12 m l\\dot x\\dot\\theta\\sin\\theta", "", 12, set(), "product rule"),
    (r"\frac{2}{3} l \ddot", r"\frac{2}{3} \ddot", 15, set(), "units")])
def test_the_first_wrong_line_and_why(cart, old, new, first, following, words):
    steps = cart(old, new, explain=True)
    assert steps.first_wrong.number == first and words in steps.first_wrong.reason
    assert {line.number for line in steps.lines if line.because == (first,)} >= following


def test_a_scaled_equation_that_follows_from_a_wrong_one(cart):
    steps = cart(r"\frac12 m g l\sin\theta = 0", r"\frac13 m g l\sin\theta = 0")
    assert steps.first_wrong.number == 14 and steps.lines[14].status == "follows"
    wrong = CART.replace(r"- \frac12 m g l\sin\theta = 0", r"+ \frac12 m g l\sin\theta = 0").replace(
        r"= g\sin", r"= -g\sin").replace(r"+ g\sin", r"- g\sin")
    steps = verify_steps(load("cart_pole", symbolic=True), wrong, given="M = m_cart; m = m_pole; x = q1; theta = q2")
    assert statuses(steps)[13:] == ["does not follow", (14,), (14,)]


def test_absolute_angles_defined_on_the_way(model):
    lines = ["theta2 = q1 + q2", "x1 = l1 sin(theta1)", "y1 = -l1 cos(theta1)", "x2 = x1 + l2 sin(theta2)",
             "y2 = y1 - l2 cos(theta2)", "v2^2 = x2'^2 + y2'^2",
             "    = l1^2 theta1'^2 + l2^2 theta2'^2 + 2 l1 l2 theta1' theta2' cos(theta1 - theta2)",
             "T_1 = 1/2 m1 l1^2 theta1'^2", "T_2 = 1/2 m2 v2^2", "T = T_1 + T_2", "V = m1 g y1 + m2 g y2", "L = T - V",
             "dL/dtheta2' = m2 l2^2 theta2' + m2 l1 l2 theta1' cos(theta1 - theta2)",
             "l2 theta2'' + l1 theta1'' cos(theta1-theta2) - l1 theta1'^2 sin(theta1-theta2) + g sin(theta2) = 0"]
    assert verify_steps(model, lines).ok, str(verify_steps(model, lines))
    wrong = verify_steps(model, changed(6, "2 l1", "l1", lines))
    assert wrong.first_wrong.number == 7 and wrong.lines[9].because == (7,)


def test_an_alias_that_is_used_already_is_not_defined_anew(model):
    lines = ["V = -(m1 + m2) g l1 cos(theta1) - m2 g l2 cos(theta1 + theta2)", "theta2 = 2*theta1"]
    assert statuses(verify_steps(model, lines)) == ["follows", "does not follow"]
    assert statuses(verify_steps(model, ["F1 = m1*l1^2*q1''"])) == ["does not follow"]


NEWTON = ["a_x = l theta'' cos(theta) - l theta'^2 sin(theta)", "a_y = l theta'' sin(theta) + l theta'^2 cos(theta)",
          "m a_x = -S sin(theta)", "m a_y = S cos(theta) - m g", "theta'' = -g/l sin(theta)"]


def test_unknown_forces_are_eliminated():
    pendulum = load("simple_pendulum", symbolic=True)
    assert verify_steps(pendulum, NEWTON).ok and "unknown force" in str(verify_steps(pendulum, NEWTON))
    wrong = verify_steps(pendulum, changed(3, "- m g", "+ m g", NEWTON))
    assert statuses(wrong)[3] == "does not follow" and "contradicts line 3" in wrong.first_wrong.reason
    assert verify_steps(pendulum, ["m l theta'' = -lenght g"]).lines[0].status == "not understood"


def test_lines_for_small_angles_are_refused_kindly():
    pendulum = load("simple_pendulum", symbolic=True)
    lines = ["theta'' = -g/l sin(theta)", "sin(theta) = theta", "theta'' + g/l theta = 0", "omega = sqrt(g/l)"]
    steps = verify_steps(pendulum, lines)
    assert statuses(steps) == ["follows", "does not follow", (2,), "follows"]
    assert "small angles" in steps.first_wrong.reason
    assert "small angles" not in str(verify_steps(pendulum, ["theta'' - g/l theta = 0"]))


def test_pasted_text_has_comments_headings_and_long_lines(model):
    text = ("Energies:\n# my own\n\\begin{aligned}\n" + T.replace("+ 1/2", "\n   + 1/2") + " \\\\\n"
            + V.replace("=", "&=") + "\n\\end{aligned}\nL = T - V")
    steps = verify_steps(model, text)
    assert steps.ok and len(steps.lines) == 3, str(steps)


def test_forces_between_a_cart_and_its_pole():
    given = "M = m_cart; m = m_pole; x = q1; theta = q2; F = tau1"
    lines = [r"M \ddot x = F - N", r"N = m \frac{d^2}{dt^2}\left(x - \frac{l}{2}\sin\theta\right)",
             r"P - m g = m \frac{d^2}{dt^2}\left(\frac{l}{2}\cos\theta\right)",
             r"\frac{1}{12} m l^2\ddot\theta = P\frac{l}{2}\sin\theta + N \frac{l}{2}\cos\theta"]
    model = load("cart_pole", symbolic=True)
    assert verify_steps(model, lines, given=given).ok
    assert statuses(verify_steps(model, changed(1, "x -", "x +", lines), given=given))[1] == "does not follow"


def test_the_reason_may_be_a_definition_or_a_sign_between_derivatives(model):
    lines = ["x2 = l1 cos(q1) + l2 cos(q1 + q2)", "vx2 = -l1 sin(q1) q1' + l2 sin(q1 + q2) (q1' + q2')", "vx2 = dx2/dt"]
    wrong = verify_steps(model, lines, explain=True).first_wrong
    assert wrong.number == 3 and "lines 1, 2" in wrong.reason
    wrong = verify_steps(model, [*LINES[:3], "d/dt dL/dq2' + dL/dq2 = tau2"], explain=True).first_wrong
    assert wrong.number == 4 and "dL/dq2 has the wrong sign" in wrong.reason


def test_names_of_energies_and_whole_vectors_that_are_not_understood_say_what_to_write(model):
    steps = verify_steps(model, ["V = -m1 g L cos(q1)", "H qdd + C + g = tau"])
    assert "taken for the Lagrangian" in steps.lines[0].reason and "given" in steps.lines[0].reason
    assert "entry by entry" in steps.lines[1].reason
    pendulum = load("simple_pendulum", symbolic=True)
    assert verify_steps(pendulum, ["V = -m g L cos(q1)"], given="L = l").ok
