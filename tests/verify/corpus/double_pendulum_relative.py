"""The double pendulum of point masses, the second angle relative to the first rod."""

from tests.verify.corpus.case import EOM, System, library, right, sp, wrong

m1, m2, l1, l2, g, q1, q2, qd1, qd2 = sp.symbols("m1 m2 l1 l2 g q1 q2 qd1 qd2")
INERTIA = r"""\begin{bmatrix}
(m_1+m_2) l_1^2 + m_2 l_2^2 + 2 m_2 l_1 l_2 c_2 & m_2 l_2^2 + m_2 l_1 l_2 c_2 \\
m_2 l_2^2 + m_2 l_1 l_2 c_2 & m_2 l_2^2
\end{bmatrix}"""
VELOCITY = (r"\begin{bmatrix} -m_2 l_1 l_2 s_2 (2\dot q_1\dot q_2 + \dot q_2^2) \\ m_2 l_1 l_2 s_2 \dot q_1^2"
            r" \end{bmatrix}")
GRAVITY = "[(m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2), m2*g*l2*sin(q1+q2)]"
TORQUES = (r"\begin{aligned} \tau_1 &= (m_1+m_2) l_1^2\ddot\theta_1 + m_2 l_2^2(\ddot\theta_1+\ddot\theta_2)"
           r" + m_2 l_1 l_2 c_2(2\ddot\theta_1+\ddot\theta_2) - m_2 l_1 l_2 s_2\dot\theta_2^2"
           r" - 2 m_2 l_1 l_2 s_2\dot\theta_1\dot\theta_2 + m_2 l_2 g s_{12} + (m_1+m_2) l_1 g s_1 \\"
           r" \tau_2 &= m_2 l_1 l_2 c_2\ddot\theta_1 + m_2 l_1 l_2 s_2\dot\theta_1^2 + m_2 l_2 g s_{12}"
           r" + m_2 l_2^2(\ddot\theta_1+\ddot\theta_2) \end{aligned}")


def coriolis(q, qd, m2, l1, l2):
    import math

    h = -m2 * l1 * l2 * math.sin(q[1])
    return [[h * qd[1], h * (qd[0] + qd[1])], [-h * qd[0], 0]]


SYSTEM = System("double_pendulum_relative", "Craig, Murray-Li-Sastry and others; theta1 from the downward vertical",
                library("double_pendulum"), (
    right("H", INERTIA),
    right("H", sp.Matrix([[m1 * l1**2 + m2 * (l1**2 + l2**2 + 2 * l1 * l2 * sp.cos(q2)),
          m2 * l2 * (l2 + l1 * sp.cos(q2))], [m2 * l2 * (l2 + l1 * sp.cos(q2)), m2 * l2**2]])),
    right("C", VELOCITY), right("C", coriolis), right("g", "G1 = g*((m1+m2)*l1*s1 + m2*l2*s12)\nG2 = m2*g*l2*s12"),
    right("tau", TORQUES), right(EOM, TORQUES),
    right("T", "1/2*m1*(l1*q1')^2 + 1/2*m2*(l1^2*q1'^2 + l2^2*(q1'+q2')^2 + 2*l1*l2*q1'*(q1'+q2')*cos(q2))"),
    right("V", r"-m_1 g l_1 \cos\theta_1 - m_2 g \left(l_1\cos\theta_1 + l_2\cos(\theta_1+\theta_2)\right)"),
    right("p", "[(m1+m2)*l1^2*qd1 + m2*l2^2*(qd1+qd2) + m2*l1*l2*cos(q2)*(2*qd1+qd2),"
          " m2*l2*(l2*(qd1+qd2) + l1*cos(q2)*qd1)]"),
    right("bias", "[-m2*l1*l2*sin(q2)*qd2*(2*qd1+qd2) + (m1+m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2),"
          " m2*l1*l2*sin(q2)*qd1^2 + m2*g*l2*sin(q1+q2)]"),
    right("com", r"\left(\frac{(m_1+m_2)l_1 s_1 + m_2 l_2 s_{12}}{m_1+m_2},"
          r" -\frac{(m_1+m_2)l_1 c_1 + m_2 l_2 c_{12}}{m_1+m_2}\right)"),
    wrong("H", INERTIA.replace("+ 2 m_2 l_1 l_2 c_2", "+ m_2 l_1 l_2 c_2"), "factor"),
    wrong("H", INERTIA.replace(r"& m_2 l_2^2 + m_2 l_1 l_2 c_2", r"& m_2 l_1 l_2 c_2")
          .replace(r"m_2 l_2^2 + m_2 l_1 l_2 c_2 &", r"m_2 l_1 l_2 c_2 &"), "missing term"),
    wrong("C", VELOCITY.replace("2\\dot q_1", "\\dot q_1"), "coriolis counted once|factor"),
    wrong("C", "[-m2*l1*l2*sin(q2)*(2*qd1*qd2 + qd2^2), -m2*l1*l2*sin(q2)*qd1*qd2]", "dT/dq missing"),
    wrong("C", "[-m2*l1*l2*sin(q2)*qd2^2, m2*l1*l2*sin(q2)*qd1^2]", "coriolis missing|missing term"),
    wrong("C", GRAVITY, "gravity instead"),
    wrong("g", GRAVITY.replace("sin(q1", "sin(pi/180*q1").replace("q1+q2", "q1+pi/180*q2"), "degrees"),
    wrong("V", "-m2*g*l1*cos(q1) - m1*g*(l1*cos(q1) + l2*cos(q1+q2))", "swapped"),
    wrong("g", GRAVITY.replace("m2*g*l2*sin(q1+q2)", "m2*g*l2*sin(q2)"), "argument|absolute angle"),
    wrong("T", "1/2*m1*l1^2*q1'^2 + 1/2*m2*(l1^2*q1'^2 + l2^2*q2'^2 + 2*l1*l2*q1'*q2'*cos(q2))", "absolute velocity"),
    wrong("tau", TORQUES.replace(r" + (m_1+m_2) l_1 g s_1", r" + m_1 l_1 g s_1"), "missing term|extra factor"),
    wrong(EOM, TORQUES.replace(r" + m_2 l_1 l_2 s_2\dot\theta_1^2", r" - m_2 l_1 l_2 s_2\dot\theta_1^2"), "sign"),
    wrong("H", INERTIA.replace("+ 2 m_2 l_1 l_2 c_2", "- 2 m_2 l_1 l_2 c_2").replace("& m_2 l_2^2\n", "& m_1 l_2^2\n"),
          "sign", "symbol"),
    wrong("C", VELOCITY.replace("2\\dot q_1", "\\dot q_1").replace("m_2 l_1 l_2 s_2 \\dot q_1^2",
          "-m_2 l_1 l_2 s_2 \\dot q_1^2"), "coriolis counted once|factor", "sign|dT/dq sign"),
    wrong("tau", TORQUES.replace(r" - 2 m_2 l_1 l_2 s_2\dot\theta_1", r" + 2 m_2 l_1 l_2 s_2\dot\theta_1").replace(r"+"
          r" m_2 l_2 g s_{12} + (m_1+m_2)", r"+ m_2 l_2 g s_2 + (m_1+m_2)"), "sign|coriolis sign", "argument|symbol")))
