"""Two uniform rods in a vertical plane."""

from tests.verify.corpus.case import EOM, System, library, right, wrong

H = r"""\mathbf{M}(\mathbf{q}) = \begin{bmatrix}
\frac13 m_1 l_1^2 + \frac13 m_2 l_2^2 + m_2 l_1^2 + m_2 l_1 l_2 c_2 & \frac13 m_2 l_2^2 + \frac12 m_2 l_1 l_2 c_2 \\
\frac13 m_2 l_2^2 + \frac12 m_2 l_1 l_2 c_2 & \frac13 m_2 l_2^2 \end{bmatrix}"""
HALVES = ("[I1 + m1*a1^2 + I2 + m2*(l1^2 + a2^2 + 2*l1*a2*c2), I2 + m2*(a2^2 + l1*a2*c2);"
          " I2 + m2*(a2^2 + l1*a2*c2), I2 + m2*a2^2]")
GIVEN = "a1 = l1/2; a2 = l2/2; I1 = m1*l1^2/12; I2 = m2*l2^2/12"
C = "[-m2*l1*l2*sin(q2)*(qd1*qd2 + qd2^2/2), m2*l1*l2*sin(q2)*qd1^2/2]"
G = "[m1*g*l1/2*cos(theta1) + m2*g*(l1*cos(theta1) + l2/2*cos(theta1+theta2)), m2*g*l2/2*cos(theta1+theta2)]"
DOWN = "[m1*g*l1/2*sin(phi1) + m2*g*l1*sin(phi1); m2*g*l2/2*sin(phi2)]"
TAU = r"""\tau_1 = \left(\frac{m_1}{3} + m_2\right) l_1^2\ddot q_1 + \frac{m_2 l_2^2}{3}(\ddot q_1 + \ddot q_2) + \frac{m_2 l_1 l_2}{2}\cos q_2\,(2\ddot q_1 + \ddot q_2) - \frac{m_2 l_1 l_2}{2}\sin q_2\,(2\dot q_1\dot q_2 + \dot q_2^2) + \left(\frac{m_1}{2} + m_2\right) g l_1\cos q_1 + \frac12 m_2 g l_2\cos(q_1+q_2)
\tau_2 = \frac{m_2 l_2^2}{3}(\ddot q_1 + \ddot q_2) + \frac{m_2 l_1 l_2}{2}\cos q_2\,\ddot q_1 + \frac{m_2 l_1 l_2}{2}\sin q_2\,\dot q_1^2 + \frac12 m_2 g l_2\cos(q_1+q_2)"""  # noqa: E501
COM = r"""\begin{bmatrix} \frac{(m_1/2 + m_2) l_1 c_1 + \frac12 m_2 l_2 c_{12}}{m_1+m_2} \\
\frac{(m_1/2 + m_2) l_1 s_1 + \frac12 m_2 l_2 s_{12}}{m_1+m_2} \\ 0 \end{bmatrix}"""
E = ("1/6*m1*l1^2*qd1^2 + 1/2*m2*((-l1*s1*qd1 - l2/2*s12*(qd1+qd2))^2 + (l1*c1*qd1 + l2/2*c12*(qd1+qd2))^2)"
     " + 1/24*m2*l2^2*(qd1+qd2)^2 + m1*g*l1/2*s1 + m2*g*(l1*s1 + l2/2*s12)")


def weights(q1, q2, m1, m2, l1, l2, g, degrees=False):
    """The gravity torques, by a function of numbers."""
    from math import cos, pi

    turn = pi / 180 if degrees else 1
    second = m2 * g * l2 / 2 * cos((q1 + q2) * turn)
    return [(m1 / 2 + m2) * g * l1 * cos(q1 * turn) + second, second]


SYSTEM = System("arm_2r_rods", "the 2R arm of uniform links, as in lecture notes", library("arm_2r"), (
    right("H", H), right("H", HALVES, GIVEN),
    right("H", "[4/3*m1*a^2 + 4*m2*a^2 + 4/3*m2*b^2 + 4*m2*a*b*cos(q2), 4/3*m2*b^2 + 2*m2*a*b*cos(q2); 4/3*m2*b^2"
          " + 2*m2*a*b*cos(q2), 4/3*m2*b^2]", "l1 = 2*a; l2 = 2*b"),
    right("C", C), right("g", G), right("g", DOWN, "phi1 from the downward vertical; phi2 from the downward vertical"),
    right("tau", TAU), right(EOM, TAU), right("com", COM), right("E", E), right("g", weights),
    right("H11 == H22 + (m1/3 + m2)*l1^2 + m2*l1*l2*cos(q2)", None),
    right("qd1*C1 + qd2*C2 == -m2*l1*l2*sin(q2)*qd2*(qd1^2 + qd1*qd2)/2", None),
    wrong("H", H.replace(r"\frac13 m_2 l_2^2", r"\frac1{12} m_2 l_2^2"), "parallel axis missing"),
    wrong("H", H.replace("m_2 l_1^2 +", "m_2 l_2^2 +"), "symbol"),
    wrong("H", HALVES, "half-length", given=GIVEN.replace("a2 = l2/2", "a2 = l2")),
    wrong("C", C.replace("qd1*qd2 +", "qd1*qd2/2 +"), "coriolis counted once|factor"),
    wrong("g", G.replace("m1*g*l1/2", "m1*g*l1"), "half-length|factor"),
    wrong("g", lambda q1, q2, m1, m2, l1, l2, g: weights(q1, q2, m1, m2, l1, l2, g, True), "degrees"),
    wrong("tau", TAU.replace("+ \\left(\\frac{m_1}{2}", "- \\left(\\frac{m_1}{2}")
          .replace("+ \\frac12 m_2 g", "- \\frac12 m_2 g"), "gravity reversed|gravity sign"),
    wrong(EOM, TAU.replace(r"\cos q_2\,\ddot q_1", r"\cos q_2\,\ddot q_2"), "symbol"),
    wrong("com", COM.replace("m_2) l_1 s_1", "m_1) l_1 s_1"), "symbol"),
    wrong("E", E.replace("+ m1*g*l1/2*s1 + m2*g*(", "- m1*g*l1/2*s1 - m2*g*("),
          "difference for sum|gravity reversed|opposite sign"),
    wrong("g", G.replace("l2/2", "l2").replace("cos", "sin"), "half-length", "function|other axis"),
    wrong("H", H.replace(r"\frac13 m_1", r"\frac1{12} m_1").replace("+ m_2 l_1 l_2 c_2 &", "- m_2 l_1 l_2 c_2 &"),
          "parallel axis missing|factor", "sign"),
    wrong("tau", TAU.replace(r"2\dot q_1", r"\dot q_1").replace(r"+ \frac12 m_2 g l_2\cos(q_1+q_2)" + "\n", "\n"),
          "coriolis counted once|factor", "missing term"),
    wrong("C", "[-m2*l1*l2*s2*(qd1*qd2 + qd2^2/2), -m2*l1*l2*s2*qd1*qd2/2]", "dT/dq missing"),
    wrong("H", "[m1*l1^2/3 + m2*l1^2 + m2*l2^2/3 + m2*l1*l2*c2, 0; 0, m2*l2^2/3]", "coupling missing"),
    wrong("H", "[m1*l1^2/3 + m2*l1^2 + m2*l2^2/3 + m2*l1*l2*c2, m2*l2^2/3 + m2*l1*l2*c2/2; 0, m2*l2^2/3]",
          "upper triangle"),
    wrong("C", C.replace("qd1*qd2 +", "qd1*qd2/2 +").replace(", m2*l1*l2*sin(q2)*qd1^2", ", -m2*l1*l2*sin(q2)*qd1^2"),
          "coriolis counted once|factor", "sign|dT/dq sign"),
    wrong("g", "m1*g*l1/2*c1 + m2*g*(l1*c1 + l2/2*c12) - m2*l1*l2*s2*(qd1*qd2 + qd2^2/2)\n"
          "m2*g*l2/2*c12 + m2*l1*l2*s2*qd1^2/2", "bias instead"),
    wrong("com", COM.replace(r"\frac12 m_2 l_2 c_{12}", r"m_2 l_2 c_{12}").replace("m_2) l_1 s_1", "m_2) l_1 c_1"),
          "factor|half-length", "function")))
