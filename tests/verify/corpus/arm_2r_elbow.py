"""The planar elbow arm of the textbooks: centres of mass anywhere along the links, inertias about them."""

from tests.verify.corpus.case import EOM, Revolute, System, chain, named, right, wrong


def model():
    m1, m2, l1, l2, lc1, lc2, I1, I2, g = named("m1 m2 l1 l2 lc1 lc2 I1 I2 g")
    return chain([Revolute("z"), Revolute("z")], [(0, 0, 0), (l1, 0, 0)],
                 [(m1, (lc1, 0, 0), (I1, 0, I1)), (m2, (lc2, 0, 0), (I2, 0, I2))], (0, -g, 0),
                 ["upper_arm", "forearm"], [l2])


D = r"""\begin{aligned}
d_{11} &= m_1 \ell_{c1}^2 + m_2\left(\ell_1^2 + \ell_{c2}^2 + 2\ell_1\ell_{c2}\cos q_2\right) + I_1 + I_2 \\
d_{12} &= d_{21} = m_2\left(\ell_{c2}^2 + \ell_1\ell_{c2}\cos q_2\right) + I_2 \\
d_{22} &= m_2\ell_{c2}^2 + I_2
\end{aligned}"""
D_MATRIX = r"""D(q) = \begin{bmatrix}
m_1 l_{c1}^2 + m_2 (l_1^2 + l_{c2}^2 + 2 l_1 l_{c2} \cos q_2) + I_1 + I_2 & m_2(l_{c2}^2 + l_1 l_{c2} \cos q_2) + I_2 \\
m_2(l_{c2}^2 + l_1 l_{c2} \cos q_2) + I_2 & m_2 l_{c2}^2 + I_2 \end{bmatrix}"""
C_MATRIX = r"""h = -m_2 l_1 l_{c2} \sin q_2
C = \begin{bmatrix} h\dot{q}_2 & h\dot{q}_2 + h\dot{q}_1 \\ -h\dot{q}_1 & 0 \end{bmatrix}"""
GRAVITY = r"""\mathbf{g}(q) = \begin{bmatrix} (m_1 l_{c1} + m_2 l_1) g \cos q_1 + m_2 l_{c2} g \cos(q_1+q_2) \\
m_2 l_{c2} g \cos(q_1 + q_2) \end{bmatrix}"""
MOTION = r"""h = -m_2 \ell_1 \ell_{c2} \sin q_2
d_{11} = m_1 \ell_{c1}^2 + m_2(\ell_1^2 + \ell_{c2}^2 + 2\ell_1\ell_{c2}\cos q_2) + I_1 + I_2
d_{12} = m_2(\ell_{c2}^2 + \ell_1\ell_{c2}\cos q_2) + I_2
d_{22} = m_2\ell_{c2}^2 + I_2
d_{11}\ddot q_1 + d_{12}\ddot q_2 + 2 h \dot q_1 \dot q_2 + h \dot q_2^2 + (m_1\ell_{c1} + m_2\ell_1) g \cos q_1 + m_2\ell_{c2} g \cos(q_1+q_2) = \tau_1
d_{12}\ddot q_1 + d_{22}\ddot q_2 - h \dot q_1^2 + m_2\ell_{c2} g \cos(q_1+q_2) = \tau_2"""  # noqa: E501
K = ("K = 1/2*m1*lc1^2*qd1^2 + 1/2*m2*(l1^2*qd1^2 + lc2^2*(qd1+qd2)^2 + 2*l1*lc2*(qd1^2 + qd1*qd2)*cos(q2))"
     " + 1/2*I1*qd1^2 + 1/2*I2*(qd1+qd2)^2")
REMOTE = "[m1*lc1^2 + m2*l1^2 + I1, m2*l1*lc2*cos(p2-p1); m2*l1*lc2*cos(p2-p1), m2*lc2^2 + I2]"
ABSOLUTE = "p1 = q1; p2 = q1 + q2"


def torques(q, qd, qdd, m1, m2, l1, lc1, lc2, I1, I2, g):
    """The same in Python, by the virtual work of both centres of mass."""
    from math import cos, sin

    first = I1 + m1 * lc1**2 + m2 * l1**2
    second, coupling = I2 + m2 * lc2**2, m2 * l1 * lc2
    both, turning = qdd[0] + qdd[1], qd[0] + qd[1]
    weight = m2 * g * lc2 * cos(q[0] + q[1])
    tau2 = second * both + coupling * (cos(q[1]) * qdd[0] + sin(q[1]) * qd[0] ** 2) + weight
    tau1 = (first * qdd[0] + coupling * (cos(q[1]) * both - sin(q[1]) * turning**2) + (m1 * lc1 + m2 * l1) * g
            * cos(q[0]) + tau2)
    return [tau1, tau2]


def torques_without_velocity(q, qd, qdd, m1, m2, l1, lc1, lc2, I1, I2, g):
    """The velocity terms are forgotten."""
    return torques(q, [0, 0], qdd, m1, m2, l1, lc1, lc2, I1, I2, g)


SYSTEM = System("arm_2r_elbow",
                "Spong, Hutchinson and Vidyasagar, Robot Modeling and Control, planar elbow manipulator", model, (
    right("H", D_MATRIX), right("C", C_MATRIX), right("g", GRAVITY), right(EOM, MOTION), right("T", K),
    right("V", r"P = m_1 g l_{c1} \sin q_1 + m_2 g \left(l_1 \sin q_1 + l_{c2} \sin(q_1+q_2)\right)"),
    right("H", REMOTE, ABSOLUTE), right("C", "[-m2*l1*lc2*sin(p2-p1)*p2'^2; m2*l1*lc2*sin(p2-p1)*p1'^2]", ABSOLUTE),
    right("tau", torques),
    right("g", "[-(m1*lc1 + m2*l1)*g*sin(th1); -m2*g*lc2*sin(th2)]", "th1 = q1 - pi/2; th2 = q1 + q2 - pi/2"),
    wrong("H", D_MATRIX.replace("+ I_1 + I_2", "+ I_1"), "missing term"),
    wrong("H", D_MATRIX.replace("(l_1^2 + l_{c2}^2 +", "(l_1^2 +").replace("m_2(l_{c2}^2 + l_1", "m_2(l_1")
          .replace("m_2 l_{c2}^2 + I_2", "I_2"), "parallel axis missing"),
    wrong("C", C_MATRIX.replace("h = -m", "h = m"), "opposite sign|velocity terms sign|sign"),
    wrong("g", GRAVITY.replace(r"\cos", r"\sin"), "other axis|function"),
    wrong(EOM, MOTION.replace("2 h", "h"), "coriolis counted once|factor"),
    wrong("T", K.replace("I2*(qd1+qd2)^2", "I2*qd2^2"), "velocity|symbol"),
    wrong("H", REMOTE.replace("cos", "sin"), "function", given=ABSOLUTE),
    wrong("tau", torques_without_velocity, "velocity terms missing"),
    wrong("g", GRAVITY.replace(r"l_{c2} g \cos(q_1 + q_2)", r"l_{c2} g \cos q_2"), "argument"),
    wrong(EOM, MOTION.replace(r"+ m_2\ell_{c2} g \cos(q_1+q_2) = \tau_2", r"- m_2\ell_{c2} g \cos(q_1+q_2) = \tau_2")
          .replace("2 h", "h"), "sign", "coriolis counted once|factor"),
    wrong("H", D_MATRIX.replace("2 l_1", "l_1").replace("m_2 l_{c2}^2 + I_2 \\end", "m_1 l_{c2}^2 + I_2 \\end"),
          "factor", "symbol"),
    wrong("T", K.replace("1/2*m1", "m1").replace("cos(q2)", "sin(q2)"), "factor|half forgotten", "function"),
    wrong("V", r"P = -m_1 g l_{c1} \sin q_1 + m_2 g \left(l_1 \sin q_1 + l_{c2} \cos(q_1+q_2)\right)", "sign",
          "function"),
    wrong("H", D_MATRIX.replace("+ I_1 + I_2 &", "+ I_1 &")
          .replace("m_2 l_{c2}^2 + I_2 \\end", "m_2 l_{c2} + I_2 \\end"), "missing term", "power|lost factor"),
    wrong("g", GRAVITY.replace("l_{c1}", "l_1"), "symbol|length for half-length|half-length"),
    wrong("bias", "[-m2*l1*lc2*sin(q2)*(2*qd1*qd2 + qd2^2), m2*l1*lc2*sin(q2)*qd1^2]",
          "gravity left out|gravity missing"),
    wrong("2*T == H11*qd1^2 + H12*qd1*qd2 + H22*qd2^2", None, "factor"), wrong("L == T + V", None, "sign"),
    right("H[1,1]", r"m_1 l_{c1}^2 + m_2(l_1^2 + l_{c2}^2 + 2 l_1 l_{c2} \cos q_2) + I_1 + I_2"),
    right("Christoffel C", C_MATRIX),
    right("velocity[com 2]",
          r"l_1^2\dot q_1^2 + l_{c2}^2(\dot q_1 + \dot q_2)^2 + 2 l_1 l_{c2}(\dot q_1^2 + \dot q_1\dot q_2)\cos q_2"),
    right("J[2: (l2, 0, 0)]",
          "[-l1*sin(q1) - l2*sin(q1+q2), -l2*sin(q1+q2); l1*cos(q1) + l2*cos(q1+q2), l2*cos(q1+q2)]"),
    right("T[2]", "1/2*m2*(l1^2*qd1^2 + lc2^2*(qd1+qd2)^2 + 2*l1*lc2*qd1*(qd1+qd2)*cos(q2)) + 1/2*I2*(qd1+qd2)^2"),
    wrong("Christoffel C", C_MATRIX.replace(r"h\dot{q}_2 + h\dot{q}_1", r"h\dot{q}_2 - h\dot{q}_1"), "sign"),
    wrong("velocity[com 2]", r"l_1^2\dot q_1^2 + l_{c2}^2(\dot q_1 + \dot q_2)^2", "missing term|cross term"),
    wrong("J[2: (l2, 0, 0)]", "[-l1*sin(q1) - l2*sin(q2), -l2*sin(q1+q2); l1*cos(q1) + l2*cos(q1+q2), l2*sin(q1+q2)]",
          "argument", "function"),
    wrong("H[1,1]", r"m_1 l_{c1}^2 + m_2(l_1^2 + l_{c2}^2 + l_1 l_{c2} \cos q_2) + I_1", "factor", "missing term",
          missed="another explanation is found")))
