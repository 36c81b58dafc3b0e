"""Answers to all additional exercises, worked out once more on paper, and written otherwise than the solutions are.

Wrong ones that a class would hand in, or that were once judged wrongly, are refused with a sentence that fits, and that
does not give the answer away.
"""

from math import acos, e, sqrt

import numpy as np
import pytest
import sympy

from rbdlib.book.ch02_spatial import crf, crm
from rbdlib.exercises import grade
from rbdlib.exercises.catalogue import find
from rbdlib.exercises.more import all_more


def saddle(H, C, tau, K, k):
    """5.53 by one large system of equations."""
    zero = np.zeros((len(K), len(K)))
    return np.linalg.solve(np.block([[H, -K.T], [K, zero]]), np.concatenate([tau - C, k]))[len(H) :]


def rates(p, w):
    """6.54 written out."""
    return [(-p[1] * w[0] - p[2] * w[1] - p[3] * w[2]) / 2, (p[0] * w[0] - p[3] * w[1] + p[2] * w[2]) / 2,
            (p[3] * w[0] + p[0] * w[1] - p[1] * w[2]) / 2, (-p[2] * w[0] + p[1] * w[1] + p[0] * w[2]) / 2]


def energies(T, n):
    """10.54 with a list, and the diagonal by itself."""
    unit = np.eye(n)
    return [[2 * T(unit[i]) if i == j else T(unit[i] + unit[j]) - T(unit[i]) - T(unit[j]) for j in range(n)]
            for i in range(n)]


def series(E):
    """12.54 by adding powers up."""
    total = power = np.eye(len(E))
    for _ in range(len(E)):
        power = power @ E
        total = total + power
    return total


def null_space(K, independent):
    """16.51 by a null space whose rows are then made a unit matrix."""
    N = np.linalg.svd(K)[2][len(K) :].T
    return N @ np.linalg.inv(N[independent])


#: One or more right answers to each exercise.
RIGHT = {
    "1.51": ["n^2 + n", r"n\,(n+1)"], "1.52": [(0, 0, 5, 10, -5, 0)],
    "1.53": [[r"m(\ddot q_1 + \ddot q_2\cos\alpha)", r"m\left(\ddot{q}_2 + \ddot q_1\cos\alpha + g\sin\alpha\right)"],
             "[m*qdd1 + m*qdd2*sin(pi/2 - alpha), m*(qdd2 + qdd1*cos(alpha)) + m*g*sin(alpha)]"],
    "1.54": ["b", " (B) "], "2.51": [[3, 0, 0, 0.3, 0, -6]],
    "2.52": [[r"-\frac{v_y}{\omega}", r"\frac{v_x}{\omega}", "v_z/omega"]],
    "3.51": [lambda I, v, a: I @ a - crm(v).T @ (I @ v), lambda I, v, a: I @ a + crf(v) @ I @ v - I @ crm(v) @ v],
    "4.51": [[-10, -10, 0]], "5.51": [["-2*a*x", 1, r"2a\dot x^2"]], "5.52": [[-9.6, 12.8]], "5.53": [saddle],
    "5.54": ["b"], "6.51": [[6, 2, 3, 1, 1, 1]], "6.52": [[sqrt(3) / 4, 0.55, 0], [0.433, 0.55, 0]],
    "6.53": [[r"-\dot q_1\sin q_2", r"\dot q_2", r"\dot q_1\cos q_2"]], "6.54": [rates],
    "7.51": [r"\sin q\,(\omega^2\cos q - \frac{g}{R})", "omega^2*sin(2*q)/2 - g*sin(q)/R"],
    "7.52": [[7.004, 1.058], [sqrt(9.81 / 0.2), acos(9.81 / 20)]], "7.53": [4 / 3, 1.333],
    "8.51": [r"\sqrt{\frac{I_C}{m}}", "sqrt(m*I_C)/m", "(I_C/m)^(1/2)"], "9.51": [[12.74, 0]],
    "9.52": ["m2*l1*l2*qd1^2*sin(q2) + m2*g*l2*(sin(q1)*cos(q2) + cos(q1)*sin(q2))",
             r"m_2 l_2\left(l_1\dot q_1^2\sin q_2 + g\sin(q_1 + q_2)\right)"],
    "9.53": [lambda X, a_parent, S, qd, qdd, v: X @ a_parent + S * qdd + crm(v - S * qd) @ (S * qd)],
    "9.54": [[0, 0, 0, -24, 0, 0]], "10.51": [17],
    "10.52": ["m_arm*l_arm^2/3 + m*l_arm^2 + m*l^2*(1 - cos(2*q2))/6",
              r"\frac{1}{3}m_{\text{arm}}l_{\text{arm}}^2 + m l_{\mathrm{arm}}^2 + \frac{1}{3}ml^2\sin^2(q_2)"],
    "10.53": [[3, 0.3333, 0.6667, 3]], "10.54": [energies], "11.51": ["M + m - m*cos(alpha)^2", r"M + m\sin^2\alpha"],
    "11.52": [1 / (1 / 5 + 0.36 / (8 / 15)), 1.143],
    "11.53": [lambda I_A, S: I_A - I_A @ S @ np.linalg.inv(S.T @ I_A @ S) @ S.T @ I_A], "11.54": ["b"],
    "13.51": [[0, 0, 3, 0, 4, 0]], "13.52": [[28, 6]],
    "13.53": [r"\begin{pmatrix} m_1 & m_1\\ m_1 & m_1 + m_2\end{pmatrix}"], "13.54": [series], "12.51": [[5, -5]],
    "12.52": [r"\frac{2d}{k}"], "12.53": [lambda J, M: np.linalg.inv(J @ np.linalg.inv(M) @ J.T)],
    "12.54": [[20, 2 / e], [20, 0.7358]], "15.51": [[2, 1]],
    "15.52": [r"\begin{bmatrix} r\cos q_1 + l\cos(q_1 + q_2) & l\cos(q_1 + q_2)\end{bmatrix}"], "15.53": [-0.06],
    "16.51": [null_space], "17.51": [r"-\frac{(g + a_y)\sin q + a_x\cos q}{l}"], "18.51": [1 / (1 / 2 + 1 / 6)],
    "19.51": [[1e-4 * 100**2 + 0.5, 100 * 0.3 / 1.5]], "19.52": [[1, 3]], "20.51": [[1.5, 0]],
    "14.51": [[4.1396, 2.7812]], "20.52": [9.81 * 3 / (35 / 6 + 3.2)], "21.52": [sqrt(2 / 9.81) * 1.8 / 0.2],
    "26.51": [r"\frac12 m_1 l_1^2\omega_1^2 + \frac12 m_2(l_1^2\omega_1^2 + l_2^2\omega_2^2"
              r" + 2 l_1 l_2\omega_1\omega_2\cos(\theta_2 - \theta_1))"],
    "21.51": [["(m*v + m*v*e)/4", r"\frac{3v(1 + e)}{2l}"]], "22.51": [0.00987], "22.52": [5],
    "23.51": [[3.99 / 0.01, 399e-6]], "23.52": ["1 + 2*b/(a - b)"], "24.51": [48000], "25.51": [[5, 3, 2]],
    "A.51": [lambda E, r, v: np.concatenate([E @ v[:3], E @ (v[3:] + np.cross(v[:3], r))])], "A.52": [[-2, 1, 0]],
    "A.53": [["A*cos(theta)^2 + B*sin(theta)^2", "(B - A)*sin(2*theta)/2", "A + B - A*cos(theta)^2 - B*sin(theta)^2"]],
    "A.54": [[24, 18]]}
#: Wrong answers, and words of the sentence that each of them gets.
WRONG = [
    ("1.52", [0, 0, 5, 2, -1, 0], "n_x (entry 4)"),
    ("2.52", ["v_y/omega", "-v_x/omega", "v_z/omega"], "on the other side of O"),
    ("5.53", lambda H, C, tau, K, k: np.linalg.solve(K @ np.linalg.solve(H, K.T), k), "without the constraint"),
    ("8.51", "I_C/m", "the square of a length."), ("9.52", "m2*l1*l2*sin(q2)*qd1^2", "at rest beside the vertical"),
    ("9.52", "m2*l1*l2*sin(q2)*qd1^2 - m2*g*l2*sin(q1 + q2)", "gravity acted in the opposite direction"),
    ("11.53", lambda I_A, S: I_A + I_A @ S @ np.linalg.inv(S.T @ I_A @ S) @ S.T @ I_A, "easier to move"),
    ("15.52", ["-r*sin(q1) - l*sin(q1 + q2)", "-l*sin(q1 + q2)"], "What is forbidden is y"),
    ("23.51", [399, 1e-6], "The condition number is right"), ("23.51", [399, 1e-6 / 399], "you let it shrink"),
    ("A.51", lambda E, r, v: np.concatenate([E.T @ v[:3], E.T @ (v[3:] - np.cross(r, v[:3]))]), "its transpose"),
    ("0.8", "m1*l1^2 + m2*(l1^2 + l2^2 + 2*l1*l2*sin(q2))", "sine and cosine are exchanged"),
    ("10.3", "m3*l3*(l3/3 + (l2*cos(q3) + l1*cos(q1 + q2))/2)", "q1"),
    ("9.8", r"-\frac12 m_2 l_1 l_2 \sin q_2 (2\dot q_1\dot q_2 - \dot q_2^2)", "wrong sign"),
    ("1.7", ["m*q2^2*q1'' + 2*m*q2*q1'*q2' + m*g*q2*cos(q1)", "m*q2'' - m*q2*q1'^2 - m*g*sin(q1)"], "wrong sign"),
    ("21.2", "sqrt(2*h/g)*(1 - e)/(1 + e)", "upside down"),
    ("16.1", "-a*sin(phi) - a^2*sin(phi)*cos(phi)/(b^2 - a^2*sin(phi)^2)", "a root lost"),
    ("11.3", "m*I_C/(I_C + m*c)", "c stands in"),
    ("10.52", "m*l^2*sin(q2)^2/4 + m*l_arm^2 + m_arm*l_arm^2/3", "into its middle"),
    ("17.4", lambda motion, delay, t: 0.5 * np.array(motion(t)) + (t >= delay) * 0.5 * np.array(motion(t - delay)),
     "you count it as zero"),
    ("2.8", "omega*F*((h_1 + h_2)*cos(alpha) - d*sin(alpha)", "never closed"),
    ("2.8", "omega*F*((h_1 + h_3)*cos(alpha) - d*sin(alpha))", "the symbol h3"),
    ("19.4", "[J rho^2, J rho; J rho, J rho^2]", "rho stands in"),
    # a declared mistake keeps its own sentence in any notation
    ("0.8", r"m_1 l_1^2 + m_2\left(l_1^2 + l_2^2 + l_1 l_2\cos q_2\right)",
     "square of a sum the mixed product occurs twice"),
    ("9.52", "m2*l2*(l1*qd1^2*cos(q2) + g*sin(q1 + q2))", "sine and cosine are exchanged")]
#: Numbers with a unit are asked for in it.
UNITS = {"1.52": "N and N m", "2.51": "rad/s and m/s", "4.51": "N m and N", "5.52": "(in N)", "6.52": "in m",
         "7.53": "rad/s", "9.51": "(in N m)", "9.54": "(in N m and N)", "10.53": "(kg m²)", "13.51": "in N m and N",
         "12.51": "(in N m)", "15.53": "(m/s²)", "18.51": "(kg m²)", "19.51": "(rad/s²)", "20.52": "in rad/s²",
         "22.51": "in metres"}


def test_every_exercise_was_worked_out():
    assert sorted(RIGHT) == sorted(exercise.id for exercise in all_more())


@pytest.mark.parametrize("id", RIGHT)
def test_a_right_answer_in_another_form_is_accepted(id):
    for answer in RIGHT[id]:
        report = grade(id, answer)
        assert report.correct, f"{answer!r}: {report.message}"


@pytest.mark.parametrize(("id", "answer", "words"), WRONG, ids=[f"{id}-{words}" for id, _, words in WRONG])
def test_a_wrong_answer_gets_a_sentence_that_fits(id, answer, words):
    report = grade(id, answer)
    assert not report.correct and words in report.message


def test_forces_before_moments_are_not_called_angular():
    """Exercise 1.52 asks for FDSV's order, in which the first half is the linear one."""
    messages = [grade("1.52", answer).message for answer in ([0, 0, 5, 2, -1, 0], [1, 0, 5, 10, -5, 0])]
    assert not any("angular" in message or "linear part" in message for message in messages)


@pytest.mark.parametrize("id", UNITS)
def test_the_unit_is_asked_for(id):
    (question,) = (exercise.question for exercise in all_more() if exercise.id == id)
    assert UNITS[id] in " ".join(question.split())


def halves(motion, t, delay):
    return (np.array(motion(t)) + np.array(motion(t - delay))) / 2


@pytest.mark.parametrize(("at_first", "later"), [
    (lambda motion, delay, t: np.array([99.0, 0, 0]), None), (None, lambda motion, delay, t: np.array([99.0, 0, 0])),
    (lambda motion, delay, t: np.array(motion(t)) / 2, None), (lambda motion, delay, t: np.array(motion(t)), None)])
def test_the_shaped_motion_is_tried_before_and_after_its_second_half_begins(at_first, later):
    """Absurd at first, absurd afterwards, at a stand at zero, not shaped at first."""
    def right(motion, delay, t):
        return halves(motion, t, delay)

    assert grade("17.4", right).correct
    assert not grade("17.4", lambda motion, delay, t: ((later if t >= delay else at_first) or right)(
        motion, delay, t)).correct


def test_the_motion_to_be_shaped_starts_with_a_jump_of_its_acceleration_alone():
    motion, *_ = find("17.4").inputs(np.random.default_rng(0))
    before, after = np.array(motion(-1e-9)), np.array(motion(0.0))
    assert np.allclose(before[:2], after[:2], atol=1e-6) and before[2] == 0 and after[2] != 0


@pytest.mark.parametrize(("id", "answer", "words"), [
    ("17.6", [0, 1, 2, 2, 2], "with body 1"), ("17.6", [0, 2, 4, 2, 2], "1 of 5 entries is right"),
    ("19.5", 4, "is too large"), ("19.6", 18, "is too small."), ("16.6", 24, "is too large."),
    ("15.4", [4, 5, -1, 3, 2], "r (entry 4) and redundant (entry 5) are exchanged"), ("15.5", 19.9, "fraction"),
    ("15.5", 20, "fraction")])
def test_what_an_answer_is_told(id, answer, words):
    report = grade(id, answer)
    assert not report.correct and words in report.message
    assert not any(misleading in report.message for misleading in ("twice", "times", "in size"))


def test_a_cat_in_the_right_posture_has_still_made_its_whole_turn():
    A, B, gamma = sympy.symbols("A B gamma", positive=True)
    plane = -2 * sympy.pi * A * sympy.cos(gamma) / (A * sympy.cos(gamma) ** 2 + B * sympy.sin(gamma) ** 2)
    assert grade("18.7", 2 * sympy.pi + plane).correct
    report = grade("18.7", plane)
    assert not report.correct and "full turn less" in report.message
