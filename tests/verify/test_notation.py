"""Whole answers in the notation of textbooks, papers and programs: right ones are accepted, and with a slip refused."""

import tomllib
from pathlib import Path

import pytest

from rbdlib import load
from rbdlib.verification.decision.decide import verify_numbers

H = r"(m_1+m_2)l_1^2+m_2l_2^2+2m_2l_1l_2\cos q_2 & m_2l_2^2+m_2l_1l_2\cos q_2\\ m_2l_2^2+m_2l_1l_2\cos q_2 & m_2l_2^2"
C = r"-m_2l_1l_2\sin q_2(2\dot q_1\dot q_2+\dot q_2^2)\\ m_2l_1l_2\sin q_2\dot q_1^2"
C_MATRIX = (r"-m_2l_1l_2\sin q_2\,\dot q_2 & -m_2l_1l_2\sin q_2(\dot q_1+\dot q_2)\\ m_2l_1l_2\sin q_2\,\dot q_1 & 0")
G = r"(m_1+m_2)gl_1\sin q_1+m_2gl_2\sin(q_1+q_2)\\ m_2gl_2\sin(q_1+q_2)"
L = (r"\frac12(m_1+m_2)l_1^2\dot q_1^2+\frac12m_2l_2^2(\dot q_1+\dot q_2)^2"
     r"+m_2l_1l_2\cos q_2\dot q_1(\dot q_1+\dot q_2)+(m_1+m_2)gl_1\cos q_1+m_2gl_2\cos(q_1+q_2)")
PLAIN_M = ("M = [(m1+m2)*l1^2+m2*l2^2+2*m2*l1*l2*cos(q2), m2*l2^2+m2*l1*l2*cos(q2); "
           "m2*l2^2+m2*l1*l2*cos(q2), m2*l2^2]\n")
PLAIN_C = "C = [-m2*l1*l2*sin(q2)*qd2, -m2*l1*l2*sin(q2)*(qd1+qd2); m2*l1*l2*sin(q2)*qd1, 0]\n"
PLAIN_G = "G = [(m1+m2)*g*l1*sin(q1)+m2*g*l2*sin(q1+q2); m2*g*l2*sin(q1+q2)]\n"
PLAIN_L = ("L = 1/2*(m1+m2)*l1^2*q1'^2 + 1/2*m2*l2^2*(q1'+q2')^2 + m2*l1*l2*cos(q2)*q1'*(q1'+q2')"
           " + (m1+m2)*g*l1*cos(q1) + m2*g*l2*cos(q1+q2)")
LAGRANGE = "d/dt(dL/dq1') - dL/dq1 = tau1\nd/dt(dL/dq2') - dL/dq2 = tau2"
EOM = "equations of motion"
READ = {name: [tuple(row.values()) for row in rows] for name, rows in tomllib.loads(
    Path(__file__).with_name("notations.toml").read_text(encoding="utf-8")).items()}


def matrix(entries, kind="bmatrix"):
    return rf"\begin{{{kind}}}{entries}\end{{{kind}}}"


DOUBLE = [
    *READ["double"],
    # the learner's own names, before and behind
    ("H", matrix(r"p_1+p_2+2p_3c_2 & p_2+p_3c_2\\ p_2+p_3c_2 & p_2")
     + r" \quad \text{with} \quad p_1=(m_1+m_2)l_1^2, \quad p_2=m_2l_2^2, \quad p_3=m_2l_1l_2, \quad c_2=\cos q_2"),
    # matrices and vectors, and names for them
    (EOM, matrix(H) + "\n" + matrix(r"\ddot q_1\\ \ddot q_2") + "\n+ " + matrix(C) + " +\n" + matrix(G) + " = "
     + matrix(r"\tau_1\\ \tau_2")),
    (EOM, r"D(q)\ddot q + C(q,\dot q)\dot q + g(q) = \tau" f"\nD(q) = {matrix(H)}\nC(q, \\dot q) = {matrix(C_MATRIX)}\n"
     f"g(q) = {matrix(G)}"),
    (EOM, r"M\ddot{q} + C\dot{q} + G = \tau, \quad M = " + matrix(H) + r", \quad C = " + matrix(C_MATRIX)
     + r", \quad G = " + matrix(G)),
    (EOM, PLAIN_M + PLAIN_C + PLAIN_G + "M*[qdd1; qdd2] + C*[qd1; qd2] + G = [tau1; tau2]"),
    ("qdd", PLAIN_M + PLAIN_C + PLAIN_G + "qdd = M^-1*([tau1; tau2] - C*[qd1; qd2] - G)"),
    ("tau", r"M\ddot q + c + g, M = " + matrix(H) + ",\nc = " + matrix(C) + ",\ng = " + matrix(G)),
    ("p", r"\begin{pmatrix} p_1 \\ p_2\end{pmatrix} = " + matrix(H) + matrix(r"\dot q_1\\ \dot q_2")),
    ("T", r"T = \frac12\dot q^T M(q)\dot q, \quad M = " + matrix(H)),
    ("g", matrix(G.replace(r"\\", " & ")) + r"^{\mathsf T}"),
    ("g", r"\left[" + G.replace(r"\\", r" \quad ") + r"\right]^\top"),
    ("g", r"G(\theta)=g" + matrix(r"(m_1+m_2)l_1s\theta_1+m_2l_2s\theta_{12}\\ m_2l_2s\theta_{12}")),
    # Lagrange's equations, with L before or behind
    (EOM, PLAIN_L + "\n" + LAGRANGE),
    (EOM, r"\frac{d}{dt}\frac{\partial L}{\partial \dot q_1} - \frac{\partial L}{\partial q_1} = \tau_1, \quad "
     r"\frac{d}{dt}\frac{\partial L}{\partial \dot q_2} - \frac{\partial L}{\partial q_2} = \tau_2, \quad L = " + L),
    # entries by their names, and headings
    ("p", "[(m1+m2)*l1^2*theta1d + m2*l2^2*(theta1d+theta2d) + m2*l1*l2*cos(q2)*(2*theta1d+theta2d), "
     "m2*l2^2*(q\u03071+q\u03072) + m2*l1*l2*cos(q2)*q\u03071]"),
    ("g", r"\frac{\partial V}{\partial q} = " + matrix(G)),
    # lines that go on
    (EOM, r"\begin{aligned} \tau_1 &= ((m_1+m_2)l_1^2+m_2l_2^2+2m_2l_1l_2\cos q_2)\ddot q_1 + (m_2l_2^2+m_2l_1l_2"
     "\\cos q_2)\\ddot q_2 \\\\\n &\\quad - m_2l_1l_2\\sin q_2(2\\dot q_1\\dot q_2+\\dot q_2^2) \\\\\n" r"&\quad {}"
     r" + (m_1+m_2)gl_1\sin q_1+m_2gl_2\sin(q_1+q_2), \\" "\n" r"\tau_2 &= (m_2l_2^2+m_2l_1l_2\cos q_2)\ddot q_1"
     r" + m_2 l_2^2\ddot q_2 \\" "\n" r"&\quad + m_2l_1l_2\sin q_2\dot q_1^2 + m_2gl_2\sin(q_1+q_2)\end{aligned}"),
    (EOM, r"\left\{\begin{array}{l} \tau_1 = ((m_1+m_2)l_1^2+m_2l_2^2+2m_2l_1l_2\cos q_2)\ddot q_1 + (m_2l_2^2"
     r"+m_2l_1l_2\cos q_2)\ddot q_2 - m_2l_1l_2\sin q_2(2\dot q_1\dot q_2+\dot q_2^2) + (m_1+m_2)gl_1\sin q_1"
     r"+m_2gl_2\sin(q_1+q_2) \\ \tau_2 = (m_2l_2^2+m_2l_1l_2\cos q_2)\ddot q_1 + m_2 l_2^2\ddot q_2 "
     r"+ m_2l_1l_2\sin q_2\dot q_1^2 + m_2gl_2\sin(q_1+q_2)\end{array}\right."),
    # Mathematica, Maxima, Matlab, Python
    ("g", "G = [(m1+m2).*g.*l1*sin(q(1))+m2*g*l2*sin(q(1)+q(2)); m2*g*l2*sin(q(1)+q(2))];")]
PENDULUM = [
    *READ["pendulum"],
    ("T", r"\frac16 m \ell^2 \left(\frac{\mathrm d\theta}{\mathrm dt}\right)^2"), ("T", r"\frac m6 l^2\dot\vartheta^2"),
    ("T", "m l^2 D[theta[t],t]^2/6"), ("T", "m*l^2/6*'diff(theta,t)^2"), ("T", "m*l.^2/6.*thetad.^2"),
    ("tau", "m*l^2*diff(theta,t,2)/3+m*g*l*sin(theta)/2"), (EOM, "F = tau1 - 1/2*m*g*l*sin(q1)\n1/3*m*l^2*qdd1 = F"),
    (EOM, r"\ddot{\theta} + \omega_0^2\sin\theta = 0, \quad \omega_0^2 = \frac{3g}{2l}"),
    (EOM, r"I \ddot{\theta} = -\frac{mgl}{2}\sin\theta \quad\text{with}\quad I=\frac{ml^2}{3}"),
    (EOM, "(1/3) m l^2 alpha = - m g (l/2) sin(theta)"), (EOM, r"\ddot\theta = -\frac{3g}{2l}\sin\theta \quad (2)"),
    ("V", r"-mgl_c\cos\theta"), ("g", "9.81 m/s^2*m*l/2*sin(q)")]
CART = [
    ("T", r"\frac12(M+m)\dot x^2-\frac12 ml\cos\theta\,\dot x\dot\theta+\frac16ml^2\dot\theta^2"),
    ("T", r"\frac12(m_c+m_p)\dot x_c^2-\frac12 m_pl\cos\varphi\,\dot x_c\dot\varphi+\frac16m_pl^2\dot\varphi^2"),
    (EOM, r"f_x = (m_c+m_p)\ddot x - \frac12 m_p l\cos\theta\ddot\theta + \frac12 m_p l\sin\theta\dot\theta^2" "\n"
     r" - \frac12 m_p l\cos\theta\ddot x + \frac13 m_p l^2\ddot\theta - \frac12 m_p g l\sin\theta = 0"),
    (EOM, r"(M+m)\ddot x - \frac12 ml\cos\theta\ddot\theta + \frac12 ml\sin\theta\dot\theta^2 = u \\"
     r" \frac13 l\ddot\theta - \frac12\cos\theta\ddot x - \frac12 g\sin\theta = 0")]
ALL = ([("double_pendulum", *case) for case in DOUBLE] + [("pendulum", *case) for case in PENDULUM]
       + [("cart_pole", *case) for case in CART])


@pytest.mark.parametrize(("model", "quantity", "answer"), ALL, ids=range(len(ALL)))
def test_an_answer_in_its_authors_notation_is_accepted(model, quantity, answer):
    decision = verify_numbers(load(model, symbolic=True), quantity, answer)
    assert decision.ok, (answer, decision.problem)


SLIPS = ((r"\sin", r"\cos"), ("sin", "cos"), ("Sin", "Cos"), (r"\frac16", r"\frac13"), ("1/3", "1/2"), ("1/2 I", "I"),
         (r"\frac{1}{2} I", "I"), ("m l^2/6", "m l^2/3"), ("l^2/6", "l^2/3"), ("l.^2/6", "l.^2/3"), ("⅙", "⅓"),
         ("s_{1+2}", "c_{1+2}"), (r"s\theta_1", r"c\theta_1"), (r"s_{\theta_1}", r"c_{\theta_1}"), ("cos", "sin"),
         (r"\cos", r"\sin"), ("m l^2 D", "m l^2/2 D"), (r"\frac m6", r"\frac m3"), ("l^2/3", "l^2/2"))


@pytest.mark.parametrize(("model", "quantity", "answer"), ALL[::3], ids=range(0, len(ALL), 3))
def test_the_same_answer_with_a_slip_is_refused_though_understood(model, quantity, answer):
    slip = next((old, new) for old, new in SLIPS if old in answer)
    decision = verify_numbers(load(model, symbolic=True), quantity, answer.replace(*slip))
    assert not decision.ok and decision.entries, (slip, decision.problem)


@pytest.mark.parametrize(("answer", "said"), [
    (LAGRANGE, "does not say what L is"), ("q(q1) + sin(x_3)*foo", "The symbol"),
    ("G + [a, b]\nG = [1; 2; 3]", "same shape"), ("[q[1], q[1]] + the", "Text between formulas"),
    ("sin(q[1]); q[1]", "counts from 0 or from 1")])
def test_what_cannot_be_combined_is_said(answer, said):
    model = load("arm_3r" if "q[1]" in answer else "double_pendulum", symbolic=True)
    decision = verify_numbers(model, EOM if answer == LAGRANGE else "g", answer)
    assert not decision.ok and said in decision.problem


def test_guesses_are_told():
    decision = verify_numbers(load("cart_pole", symbolic=True), "T", CART[0][1])
    assert {"M was taken for m_cart.", "m was taken for m_pole."} <= set(decision.notes)
    decision = verify_numbers(load("pendulum", symbolic=True), "V", r"-mgl_c\cos\theta")
    assert any("distance of the centre of mass" in note for note in decision.notes)
    decision = verify_numbers(load("cart_pole", symbolic=True), EOM, CART[-1][1])
    assert decision.ok and "u was taken for tau1." in decision.notes, "a force without a number is tried at each joint"
