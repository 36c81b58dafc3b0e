"""A planar arm of two rods with the rotors of its motors as bodies of their own; q2 and q4 are the rotors' angles."""

from tests.verify.corpus.case import EOM, System, library, right, wrong

GIVEN = "J = m_rotor*r_rotor^2/2; M = m_rotor"
H = r"""\begin{bmatrix}
(\frac13 m_1 + m_2 + M) l_1^2 + \frac13 m_2 l_2^2 + m_2 l_1 l_2 c_3 + J & 0 & \frac13 m_2 l_2^2 + \frac12 m_2 l_1 l_2 c_3 & J \\
0 & J & 0 & 0 \\ \frac13 m_2 l_2^2 + \frac12 m_2 l_1 l_2 c_3 & 0 & \frac13 m_2 l_2^2 & 0 \\ J & 0 & 0 & J
\end{bmatrix}"""  # noqa: E501
G = """(m1/2 + m2 + M)*g*l1*cos(q1) + m2*g*l2/2*cos(q1+q3)
0
m2*g*l2/2*cos(q1+q3)
0"""
T = ("1/6*m1*l1^2*q1'^2 + 1/2*J*q2'^2 + 1/2*M*l1^2*q1'^2 + 1/2*J*(q1'+q4')^2"
     " + 1/2*m2*(l1^2*q1'^2 + l2^2/3*(q1'+q3')^2 + l1*l2*cos(q3)*q1'*(q1'+q3'))")
C = "[-m2*l1*l2*s3*(qd1*qd3 + qd3^2/2), 0, m2*l1*l2*s3*qd1^2/2, 0]"
LINES = """tau2 = J*qdd2
tau4 = J*(qdd1 + qdd4)
tau3 = m2*l2^2/3*(qdd1+qdd3) + m2*l1*l2/2*(cos(q3)*qdd1 + sin(q3)*qd1^2) + m2*g*l2/2*cos(q1+q3)
tau1 = (m1/3 + m2 + M)*l1^2*qdd1 + tau3 + tau4 + m2*l1*l2/2*(cos(q3)*(qdd1 + qdd3) - sin(q3)*(qd1 + qd3)^2) + (m1/2 + m2 + M)*g*l1*cos(q1)"""  # noqa: E501
SYSTEM = System("geared_arm", "after Siciliano and others, Robotics, 7.3.2, with the rotors' angles as coordinates",
                library("geared_arm"), (
    right("H", H, GIVEN), right("g", G, GIVEN), right("T", T, GIVEN), right("C", C), right(EOM, LINES, GIVEN),
    right("v[rotor_2]", "[0, 0, qd1+qd4, l1*sin(q4)*qd1, l1*cos(q4)*qd1, 0]"),
    wrong("H", H.replace("m_2 + M)", "m_2)"), "missing term|body missing", given=GIVEN),
    wrong("H", H.replace("c_3 + J &", "c_3 &"), "missing term|rotational inertia missing", given=GIVEN),
    wrong("g", G.replace("m2 + M", "m2"), "missing term|body missing", given=GIVEN),
    wrong("T", T.replace("J*(q1'+q4')^2", "J*q4'^2"), "velocity|symbol|missing term|absolute velocity", given=GIVEN),
    wrong(EOM, LINES.replace("J*(qdd1 + qdd4)", "J*qdd4").replace("sin(q3)*qd1^2", "sin(q3)*qd3^2"), "missing term",
          "symbol", given=GIVEN),
    wrong("C", C.replace("qd1*qd3 +", "qd1*qd3/2 +").replace("qd1^2/2", "qd1^2"), "coriolis counted once|factor",
          "factor"),
    wrong("H", H.replace(r"0 & J & 0 & 0", r"0 & J/2 & 0 & 0").replace("m_2 l_1 l_2 c_3 + J", "m_2 l_1 l_2 s_3 + J"),
          "factor", "function", given=GIVEN),
    wrong("v[rotor_2]", "[0, 0, qd4, l1*sin(q4)*qd1, -l1*cos(q4)*qd1, 0]",
          "missing term|absolute velocity|velocity|symbol", "sign"),
    right("M_14", "m_rotor*r_rotor^2/2"), right("position[rotor_2]", "[l1*cos(q1), l1*sin(q1), 0]")))
