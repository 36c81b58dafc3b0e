"""Derivations line by line: the first wrong line is found, and lines that follow from it are told from new mistakes.
They may be printed as in texts, with names that are defined on the way and with unknown forces."""

import json
from dataclasses import replace

import pytest
import sympy

from rbdlib.verification.derivations import derivation
from rbdlib.verification.derivations.lines import lines_of
from rbdlib.verification.derivations.steps import Line, Steps
from tests.verify.planted import model


def verify_steps(*arguments, explain=False, **options):
    return derivation.verify_steps(*arguments, explain=explain, **options)


T = ("T = 1/2 m1 l1^2 q1'^2 + 1/2 m2 (l1^2 q1'^2 + l2^2 (q1' + q2')^2 + 2 l1 l2 cos(q2) q1' (q1' + q2'))")
V = "V = -(m1 + m2) g l1 cos(q1) - m2 g l2 cos(q1 + q2)"
LINES = [
    T, V, "L = T - V", "dL/dq2' = m2 l2^2 (q1' + q2') + m2 l1 l2 cos(q2) q1'",
    "d/dt dL/dq2' = m2 l2^2 (q1'' + q2'') + m2 l1 l2 cos(q2) q1'' - m2 l1 l2 sin(q2) q1' q2'",
    "dL/dq2 = -m2 l1 l2 sin(q2) q1' (q1' + q2') - m2 g l2 sin(q1 + q2)", "tau2 = d/dt dL/dq2' - dL/dq2",
    "tau2 = m2 l2^2 (q1'' + q2'') + m2 l1 l2 cos(q2) q1'' + m2 l1 l2 sin(q2) q1'^2 + m2 g l2 sin(q1 + q2)"]
MODEL = model("double_pendulum")


def changed(place, old, new, lines=LINES):
    assert old in lines[place]
    return [line.replace(old, new) if i == place else line for i, line in enumerate(lines)]


def statuses(steps):
    return [line.because or line.status for line in steps.lines]


def test_a_right_derivation_follows_and_what_follows_from_a_wrong_line_is_said_to():
    steps = verify_steps(MODEL, LINES)
    assert steps.ok and steps.first_wrong is None and str(steps).startswith("✓")
    assert verify_steps(MODEL, "\n".join(LINES)).ok
    wrong = [line.replace("- m2 g l2 cos(q1 + q2)", "+ m2 g l2 cos(q1 + q2)") for line in LINES]
    wrong[5] = wrong[5].replace("- m2 g l2 sin", "+ m2 g l2 sin")
    wrong[7] = wrong[7].replace("+ m2 g l2 sin", "- m2 g l2 sin")
    steps = verify_steps(MODEL, wrong)
    assert statuses(steps)[:3] == ["follows", "does not follow", (2,)] and statuses(steps)[5:] == [(2,), (2,), (2,)]
    assert "Follows from line 2, which is wrong" in str(steps)


@pytest.mark.parametrize("place, old, new", [
    (0, "2 l1 l2 cos(q2)", "l1 l2 cos(q2)"), (1, "- m2", "+ m2"), (2, "T - V", "T + V"), (3, "cos(q2)", "sin(q2)"),
    (4, "- m2 l1", "+ m2 l1"), (5, "sin(q1 + q2)", "sin(q1)"), (6, "- dL", "+ dL"), (7, "q1'^2", "q1' q2'")])
def test_the_first_wrong_line_is_found(place, old, new):
    steps = verify_steps(MODEL, changed(place, old, new))
    wrong = steps.first_wrong
    assert not steps.ok and wrong.number == place + 1 and wrong.counterexample and wrong.left != wrong.right
    assert f"Line {place + 1} does not follow" in str(steps).splitlines()[0]


@pytest.mark.slow
def test_the_reason_of_a_wrong_energy_is_told_and_a_wrong_derivative_carried_on():
    steps = verify_steps(MODEL, changed(0, "2 l1 l2 cos(q2)", "2 l1 l2 sin(q2)"), explain=True)
    assert "sine and cosine" in steps.first_wrong.reason
    wrong = changed(4, "- m2 l1", "+ m2 l1")
    wrong[6] = ("m2 l2^2 (q1'' + q2'') + m2 l1 l2 cos(q2) q1'' + m2 l1 l2 sin(q2) q1' q2' + "
                "m2 l1 l2 sin(q2) q1' (q1' + q2') + m2 g l2 sin(q1 + q2) = tau2")
    assert statuses(verify_steps(MODEL, wrong))[4:] == ["does not follow", "follows", (5,), "follows"]
    momentum = changed(3, "cos(q2) q1'", "q1'")
    momentum[4] = "d/dt dL/dq2' = m2 l2^2 (q1'' + q2'') + m2 l1 l2 q1''"       # the rate of the wrong line 4
    assert statuses(verify_steps(MODEL, momentum))[3:5] == ["does not follow", (4,)]


def test_latex_with_positions_of_the_learners_own():
    lines = [r"x_2 = l_1 \sin\theta_1 + l_2 \sin(\theta_1+\theta_2)",
             r"y_2 = -l_1\cos\theta_1 - l_2\cos(\theta_1+\theta_2)",
             r"T = \frac12 m_1 l_1^2 \dot\theta_1^2 + \frac12 m_2(\dot x_2^2+\dot y_2^2)",
             r"U = -m_1 g l_1 \cos\theta_1 + m_2 g y_2",
             r"\dot x_2 = l_1 \cos\theta_1 \dot\theta_1+ l_2\cos(\theta_1+\theta_2)(\dot\theta_1+\dot\theta_2)",
             r"L=T-U",
             r"\frac{d}{dt}\frac{\partial L}{\partial \dot\theta_2} - \frac{\partial L}{\partial \theta_2} = \tau_2"]
    assert verify_steps(MODEL, lines).ok
    steps = verify_steps(MODEL, changed(4, r"(\dot\theta_1+\dot\theta_2)", r"\dot\theta_2", lines))
    assert steps.first_wrong.number == 5 and steps.lines[6].ok


def test_absolute_angles_may_be_given_or_defined_on_the_way():
    lines = ["T = 1/2 (m1 + m2) l1^2 theta1'^2 + 1/2 m2 l2^2 theta2'^2 + m2 l1 l2 cos(theta1-theta2) theta1' theta2'",
             "V = -(m1+m2) g l1 cos(theta1) - m2 g l2 cos(theta2)", "L = T - V",
             "dL/dtheta2 = m2 l1 l2 theta1' theta2' sin(theta1-theta2) - m2 g l2 sin(theta2)",
             "m2 l2^2 theta2'' + m2 l1 l2 theta1'' cos(theta1-theta2) - m2 l1 l2 theta1'^2 sin(theta1-theta2)"
             " + m2 g l2 sin(theta2) = tau2"]
    assert verify_steps(MODEL, lines, given="theta2 = q1 + q2").ok
    steps = verify_steps(MODEL, changed(4, "- m2 l1 l2", "+ m2 l1 l2", lines), given="theta2 = q1 + q2")
    assert steps.first_wrong.number == 5
    assert not verify_steps(MODEL, lines).ok                       # with relative angles T is wrong

    lines = ["theta2 = q1 + q2", "x1 = l1 sin(theta1)", "y1 = -l1 cos(theta1)", "x2 = x1 + l2 sin(theta2)",
             "y2 = y1 - l2 cos(theta2)", "v2^2 = x2'^2 + y2'^2",
             "    = l1^2 theta1'^2 + l2^2 theta2'^2 + 2 l1 l2 theta1' theta2' cos(theta1 - theta2)",
             "T_1 = 1/2 m1 l1^2 theta1'^2", "T_2 = 1/2 m2 v2^2", "T = T_1 + T_2", "V = m1 g y1 + m2 g y2", "L = T - V",
             "dL/dtheta2' = m2 l2^2 theta2' + m2 l1 l2 theta1' cos(theta1 - theta2)",
             "l2 theta2'' + l1 theta1'' cos(theta1-theta2) - l1 theta1'^2 sin(theta1-theta2) + g sin(theta2) = 0"]
    assert verify_steps(MODEL, lines).ok, str(verify_steps(MODEL, lines))
    wrong = verify_steps(MODEL, changed(6, "2 l1", "l1", lines))
    assert wrong.first_wrong.number == 7 and wrong.lines[9].because == (7,)


def test_lines_may_be_entries_vectors_chains_equations_of_sympy_and_pasted_text():
    steps = verify_steps(MODEL, explain=True, lines=[
        "H12 = m2*l2^2 + m2*l1*l2*cos(q2)", "H22 = m2*l2", "C2 = m2*l1*l2*sin(q2)*q1'^2",
        "tau2 = H12*qdd1 + m2*l2^2*qdd2 + C2 + m2*g*l2*sin(q1 + q2)",
        "g = [(m1 + m2)*g*l1*sin(q1) + m2*g*l2*sin(q1 + q2), m2*g*l2*sin(q1 + q2)]",
        "V = -(m1 + m2)*g*l1*cos(q1) - m2*g*l2*cos(q1 + q2) = -m1*g*l1*cos(q1) - m2*g*(l1*cos(q1) + l2*cos(q1 + q2))"])
    wrong = steps.first_wrong
    assert statuses(steps) == ["follows", "does not follow", *4 * ["follows"]] and wrong.left != wrong.right
    assert "row 2, column 2" in wrong.reason and "wrong power" in wrong.reason
    q1, q2 = (sympy.Function(name)(sympy.Symbol("t")) for name in ("q1", "q2"))
    m1, m2, l1, l2, g, U = sympy.symbols("m1 m2 l1 l2 g V")
    height = -(m1 + m2) * g * l1 * sympy.cos(q1) - m2 * g * l2 * sympy.cos(q1 + q2)
    steps = verify_steps(MODEL, [sympy.Eq(U, height), sympy.Eq(sympy.Derivative(U, sympy.Symbol("q2")), m2)])
    assert steps.lines[0].ok and steps.lines[1].status == "does not follow"
    steps = verify_steps(MODEL, "Energies:\n# my own\n\\begin{aligned}\n" + T.replace("+ 1/2", "\n   + 1/2") + " \\\\\n"
                         + V.replace("=", "&=") + "\n\\end{aligned}\nL = T - V")
    assert steps.ok and len(steps.lines) == 3, str(steps)


def test_lines_that_are_not_understood_stop_nothing():
    steps = verify_steps(MODEL, ["foo(", "L = T - V", "q1", "V = 1/0", *LINES[:3], "dL/dq1 = zz + 1/(q1 - q1)"])
    no = "not understood"                                 # L = T - V is understood once T and V are
    assert statuses(steps) == [no, "follows", no, no, *3 * ["follows"], no]
    assert not steps.ok and steps.first_wrong.number == 1


def test_as_html_and_json_without_markup_and_characters_that_cannot_be_seen():
    steps = verify_steps(MODEL, [*changed(1, "- m2", "+ m2"), "<script>alert(1)</script>", "<b> = 1"])
    page = steps._repr_html_()
    assert "<script>" not in page and "✗" in page and "✓" in page and "does not follow" in page
    data = json.loads(steps.to_json())
    assert data["first_wrong"] == 2 and data["lines"][2]["because"] == [2] and data["lines"][0]["ok"]
    steps = verify_steps(MODEL, ["T = \x001", "V = \u202e2"])
    for text in (str(steps), steps._repr_html_()):
        assert "\ufffd" in text and "\x00" not in text and "\u202e" not in text


def test_verdicts_are_told_line_by_line_and_the_first_wrong_one_above():
    right, late, odd, both = Line(1, "a = b", "follows", "So it is."), *(
        Line(k, "x", verdict, because=because) for k, verdict, because in (
            (3, "follows", (2,)), (4, "not understood", ()), (5, "follows", (2, 4))))
    wrong = Line(2, "c  = d", "does not follow", "Why?", (), (("m", "1"), ("l", "2")), "3", "4")
    assert str(Steps((right,))) == "✓ Every line follows.\n  1. ✓ a = b\n       So it is."
    assert str(Steps((right, wrong, late, odd, both))) == """✗ Line 2 does not follow: it is the first that is wrong.
  1. ✓ a = b
       So it is.
  2. ✗ c = d
       Does not follow.
       Why?
       For m = 1, l = 2 the left side is 3, the right side 4.
  3. (✓) x
       Follows from line 2, which is wrong.
  4. ? x
       Not understood.
  5. (✓) x
       Follows from lines 2, 4, which are wrong."""
    assert str(Steps((odd, right))).startswith("? Line 4 is not understood; no line that is understood is wrong.")
    assert "first that is wrong, of those that are understood." in str(Steps((odd, wrong)))
    assert replace(wrong, compared=True).values == "For m = 1, l = 2 yours is 3, and 4 is right."


@pytest.mark.parametrize("text, lines", [
    ("a = b\n# c\n\nd = e\n  + f", ["a = b", "d = e + f"]), ("1. a = b", ["a = b"]), ("(2) a = b", ["a = b"]),
    ("Therefore, a = b,   (3)", ["a = b"]), ("then a = b \\tag{4}", ["a = b"]), ("a\n= b", ["a", "= b"]),
    ("a = b +\n c", ["a = b + c"]), ("a = b \\\\\nc = d", ["a = b", "c = d"]), ("3a = b (1)", ["3a = b (1)"])])
def test_lines_of_a_text_are_put_together_and_freed_of_numbers(text, lines):
    assert lines_of(text) == lines


@pytest.mark.parametrize("lines, error", [([], ValueError), (5, TypeError), (["a = 1"] * 201, ValueError)])
def test_bad_arguments(lines, error):
    with pytest.raises(error, match="lines"):
        verify_steps(MODEL, lines)


def test_a_joint_without_a_motor():
    lines = ["T = 1/2 (m_cart + m_pole) q1'^2 - 1/2 m_pole l cos(q2) q1' q2' + 1/6 m_pole l^2 q2'^2",
             "V = 1/2 m_pole g l cos(q2)", "L = T - V", "d/dt dL/dq2' - dL/dq2 = 0",
             "l q2'' = 3/2 cos(q2) q1'' + 3/2 g sin(q2)"]
    assert verify_steps(model("cart_pole"), lines).ok
    swinging = [*changed(1, "= 1/2", "= -1/2", lines)[:4], "l q2'' = 3/2 cos(q2) q1'' - 3/2 g sin(q2)"]
    assert statuses(verify_steps(model("cart_pole"), swinging))[1:] == ["does not follow", (2,), (2,), (2,)]
    assert verify_steps(model("cart_pole"), changed(4, "3/2 g", "g", lines)).first_wrong.number == 5


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
GIVEN = "M = m_cart; m = m_pole; x = q1; theta = q2; F = tau1"


def cart(old, new, **options):
    assert old in CART
    return verify_steps(model("cart_pole"), CART.replace(old, new, 1), given=GIVEN, **options)


def test_a_published_derivation_with_names_of_its_own():
    steps = cart("", "")
    assert steps.ok and len(steps.lines) == 16 and "This defines v_c" in str(steps)


@pytest.mark.parametrize("old, new, first, following, words", [
    (r"\dot x_c = \dot x -", r"\dot x_c = \dot x +", 3, {5}, "wrong sign"),
    (r"v_c^2 = \dot x^2 - l", r"v_c^2 = \dot x^2 - 2 l", 6, {8, 10}, "constant factor"),
    (r"\frac{1}{12}", r"\frac{1}{3}", 8, {10}, "line"), (r"V = m g", r"V = 2 m g", 9, {10}, "factor"),
    ("\n    + \\frac12 m l\\dot x\\dot\\theta\\sin\\theta", "", 12, set(), "product rule"),
    (r"\frac{2}{3} l \ddot", r"\frac{2}{3} \ddot", 15, set(), "units")])
def test_the_first_wrong_line_and_why(old, new, first, following, words):
    steps = cart(old, new, explain=True)
    assert steps.first_wrong.number == first and words in steps.first_wrong.reason
    assert {line.number for line in steps.lines if line.because == (first,)} >= following


def test_a_scaled_equation_that_follows_from_a_wrong_one():
    steps = cart(r"\frac12 m g l\sin\theta = 0", r"\frac13 m g l\sin\theta = 0")
    assert steps.first_wrong.number == 14 and steps.lines[14].status == "follows"
    wrong = CART.replace(r"- \frac12 m g l\sin\theta = 0", r"+ \frac12 m g l\sin\theta = 0").replace(
        r"= g\sin", r"= -g\sin").replace(r"+ g\sin", r"- g\sin")
    steps = verify_steps(model("cart_pole"), wrong, given=GIVEN)
    assert statuses(steps)[13:] == ["does not follow", (14,), (14,)]
    steps = verify_steps(model("cart_pole"), wrong.replace(r"= -g\sin", r"= -3 g\sin"), given=GIVEN)
    assert statuses(steps)[13:15] == 2 * ["does not follow"]


def test_a_second_mistake_is_told_from_what_follows_from_the_first():
    wrong = ["m l^2 theta'' + 2 m g l sin(theta) = 0", "l theta'' + theta'^2 = theta'^2 - 2 g sin(theta)"]
    pendulum = model("simple_pendulum")
    assert statuses(verify_steps(pendulum, wrong)) == ["does not follow", (1,)]
    for other in ("- g cos(theta)", "- 3 g sin(theta)", "+ 2 g sin(theta) - theta'^2"):
        steps = verify_steps(pendulum, changed(1, "- 2 g sin(theta)", other, wrong))
        assert statuses(steps) == 2 * ["does not follow"]
    forces = ["m l theta'' = -m g sin(theta) + S", "S - m g cos(theta) = 2 m l theta'^2",
              "S = m g cos(theta) + m l theta'^2"]
    steps = verify_steps(pendulum, ["S - m g cos(theta) = m l theta'^2", *forces])
    assert statuses(steps)[1:3] == 2 * ["does not follow"] and steps.lines[3].ok


def test_names_are_not_defined_anew_and_those_that_are_not_understood_say_what_to_write():
    lines = ["V = -(m1 + m2) g l1 cos(theta1) - m2 g l2 cos(theta1 + theta2)", "theta2 = 2*theta1"]
    assert statuses(verify_steps(MODEL, lines)) == ["follows", "does not follow"]
    assert statuses(verify_steps(MODEL, ["F1 = m1*l1^2*q1''"])) == ["does not follow"]
    steps = verify_steps(MODEL, ["V = -m1 g L cos(q1)", "H qdd + C + g = tau"])
    assert "taken for the Lagrangian" in steps.lines[0].reason and "given" in steps.lines[0].reason
    for line, words in (("[q1, q2] = [1, 2, 3]", "tested as H = ..."), ("m1*q1'' = N*N", "not linear in the unknown")):
        assert words in verify_steps(MODEL, [line]).lines[0].reason
    assert "entry by entry" in steps.lines[1].reason
    assert verify_steps(model("simple_pendulum"), ["V = -m g L cos(q1)"], given="L = l").ok


NEWTON = ["a_x = l theta'' cos(theta) - l theta'^2 sin(theta)", "a_y = l theta'' sin(theta) + l theta'^2 cos(theta)",
          "m a_x = -S sin(theta)", "m a_y = S cos(theta) - m g", "theta'' = -g/l sin(theta)"]


def test_unknown_forces_are_eliminated_also_those_between_a_cart_and_its_pole():
    pendulum = model("simple_pendulum")
    assert verify_steps(pendulum, NEWTON).ok and "unknown force" in str(verify_steps(pendulum, NEWTON))
    wrong = verify_steps(pendulum, changed(3, "- m g", "+ m g", NEWTON))
    assert statuses(wrong)[3] == "does not follow" and "contradicts line 3" in wrong.first_wrong.reason
    assert verify_steps(pendulum, ["m l theta'' = -lenght g"]).lines[0].status == "not understood"

    lines = [r"M \ddot x = F - N", r"N = m \frac{d^2}{dt^2}\left(x - \frac{l}{2}\sin\theta\right)",
             r"P - m g = m \frac{d^2}{dt^2}\left(\frac{l}{2}\cos\theta\right)",
             r"\frac{1}{12} m l^2\ddot\theta = P\frac{l}{2}\sin\theta + N \frac{l}{2}\cos\theta"]
    assert verify_steps(model("cart_pole"), lines, given=GIVEN).ok
    steps = verify_steps(model("cart_pole"), changed(1, "x -", "x +", lines), given=GIVEN)
    assert statuses(steps)[1] == "does not follow"


def test_lines_for_small_angles_follow_where_it_is_clear_that_they_are_meant():
    pendulum, linear = model("simple_pendulum"), "theta'' + g/l theta = 0"
    lines = ["theta'' = -g/l sin(theta)", "sin(theta) ≈ theta", linear, "omega = sqrt(g/l)"]
    steps = verify_steps(pendulum, lines)
    assert steps.ok and steps.lines[2].reason == "It holds for small angles only."
    assert verify_steps(pendulum, f"For small angles: {linear}").ok
    wrong = verify_steps(pendulum, linear).first_wrong
    assert wrong and "If you meant to linearise" in wrong.reason
    assert not verify_steps(pendulum, [lines[0], "theta'' + 2 g/l theta = 0"]).ok
    assert "small angles" not in str(verify_steps(pendulum, ["theta'' - g/l theta = 0"]))


def test_the_reason_may_be_a_definition_or_a_sign_between_derivatives():
    lines = ["x2 = l1 cos(q1) + l2 cos(q1 + q2)", "vx2 = -l1 sin(q1) q1' + l2 sin(q1 + q2) (q1' + q2')", "vx2 = dx2/dt"]
    wrong = verify_steps(MODEL, lines, explain=True).first_wrong
    assert wrong.number == 3 and "lines 1, 2" in wrong.reason
    wrong = verify_steps(MODEL, [*LINES[:3], "d/dt dL/dq2' + dL/dq2 = tau2"], explain=True).first_wrong
    assert wrong.number == 4 and "dL/dq2 has the wrong sign" in wrong.reason
    wrong = verify_steps(model("pendulum"), "m l^2/4 q'' + m g l/2 sin(q) = tau", explain=True).first_wrong
    assert "if rod were a point mass" in wrong.reason
