"""A spherical (polar) arm: it turns about the vertical, tilts, and slides out (RRP)."""

from tests.verify.corpus.case import EOM, Prismatic, Revolute, System, chain, named, right, wrong


def model():
    m1, m2, m3, I1, I2, g = named("m1 m2 m3 I1 I2 g")
    return chain([Revolute("z"), Revolute((0, -1, 0)), Prismatic("x")], [(0, 0, 0)] * 3,
                 [(m1, (0, 0, 0), (I1, I1, I1)), (m2, (0, 0, 0), (I2, I2, I2)), (m3, (0, 0, 0), (0, 0, 0))],
                 (0, 0, -g), ["base_column", "shoulder", "slide"])


T = "1/2*I1*theta1'^2 + 1/2*I2*(theta1'^2 + theta2'^2) + 1/2*m3*(d3'^2 + d3^2*theta2'^2 + d3^2*cos(theta2)^2*theta1'^2)"
FROM_POSITION = """x = d3 cos(theta2) cos(theta1)
y = d3 cos(theta2) sin(theta1)
z = d3 sin(theta2)
T = 1/2 m3 ((d/dt(x))^2 + (d/dt(y))^2 + (d/dt(z))^2) + 1/2 I1 theta1'^2 + 1/2 I2 (theta1'^2 + theta2'^2)"""
M = r"""\begin{bmatrix} I_1 + I_2 + m_3 d_3^2\cos^2\theta_2 & 0 & 0 \\ 0 & I_2 + m_3d_3^2 & 0 \\ 0 & 0 & m_3 \end{bmatrix}"""  # noqa: E501
MOTION = r"""\left(I_1+I_2+m_3d_3^2\cos^2\theta_2\right)\ddot\theta_1 - m_3d_3^2\sin(2\theta_2)\,\dot\theta_1\dot\theta_2 + 2m_3d_3\cos^2\theta_2\,\dot\theta_1\dot d_3 = \tau_1
\left(I_2+m_3d_3^2\right)\ddot\theta_2 + 2m_3d_3\dot\theta_2\dot d_3 + m_3d_3^2\sin\theta_2\cos\theta_2\,\dot\theta_1^2 + m_3gd_3\cos\theta_2 = \tau_2
m_3\ddot d_3 - m_3d_3\dot\theta_2^2 - m_3d_3\cos^2\theta_2\,\dot\theta_1^2 + m_3g\sin\theta_2 = \tau_3"""  # noqa: E501
POLAR = ("1/2*(I1 + I2)*phi'^2 + 1/2*I2*theta'^2 + 1/2*m3*(r'^2 + r^2*theta'^2 + r^2*sin(theta)^2*phi'^2)"
         " - m3*g*r*cos(theta)")
POLAR_GIVEN = "phi = q1; theta = pi/2 - q2; r = q3"
VELOCITY = "[sin(q2)*qd1; -qd2; cos(q2)*qd1; qd3; q3*cos(q2)*qd1; q3*qd2]"
TIP = """[-d3*cos(theta2)*sin(theta1), -d3*sin(theta2)*cos(theta1), cos(theta2)*cos(theta1)]
[d3*cos(theta2)*cos(theta1), -d3*sin(theta2)*sin(theta1), cos(theta2)*sin(theta1)]
[0, d3*cos(theta2), sin(theta2)]"""
SYSTEM = System("arm_spherical", "the spherical manipulator of textbooks, its load in spherical coordinates", model, (
    right("T", T), right("T", FROM_POSITION), right("H", M), right(EOM, MOTION), right("L", POLAR, POLAR_GIVEN),
    right("v[3]", VELOCITY), right("p", "[(I1+I2+m3*d3^2*cos(th2)^2)*th1dot; (I2+m3*d3^2)*th2dot; m3*d3dot]"),
    right("com", "m3*d3/(m1+m2+m3)*[c1*c2, s1*c2, s2]"),
    right("tau3 == m3*(qdd3 - q3*qd2^2 - q3*cos(q2)^2*qd1^2 + g*sin(q2))", None),
    wrong("T", T.replace("cos(theta2)^2", "sin(theta2)^2"), "function"),
    wrong("T", T.replace("cos(theta2)^2*theta1'^2", "cos(theta2)*theta1'^2"), "power|lost factor"),
    wrong(EOM, MOTION.replace("2m_3d_3\\dot\\theta_2\\dot d_3", "m_3d_3\\dot\\theta_2\\dot d_3"),
          "factor|coriolis counted once"),
    wrong(EOM, MOTION.replace("+ m_3d_3^2\\sin\\theta_2", "- m_3d_3^2\\sin\\theta_2"), "sign"),
    wrong("L", POLAR.replace("- m3*g", "+ m3*g"), "sign|gravity reversed|sum for difference", given=POLAR_GIVEN),
    wrong("H", M.replace(r"\cos^2\theta_2", ""), "lost factor|extra factor"),
    wrong("v[3]", VELOCITY.replace("q3*cos(q2)*qd1", "q3*qd1"), "lost factor"),
    wrong(EOM, MOTION.replace("- m_3d_3\\cos^2\\theta_2\\,\\dot\\theta_1^2", "").replace("+ m_3g\\sin", "+ m_3g\\cos"),
          "missing term", "function"),
    wrong("com", "m3*d3/(m1+m2+m3)*[c1*c2, s1*s2, s2]", "function"),
    wrong("T", T.replace("1/2*m3", "m3").replace("1/2*I2*(theta1'^2 + theta2'^2)", "1/2*I2*theta2'^2"),
          "factor|half forgotten", "missing term", missed="nothing is found"),
    wrong("p", "[(I1+I2+m3*d3^2*sin(th2)^2)*th1dot; (I2+m3*d3)*th2dot; m3*d3dot]", "function", "power|lost factor"),
    wrong("L", POLAR.replace("sin(theta)^2", "cos(theta)^2").replace("m3*g*r", "m3*g"), "function", "lost factor|power",
          given=POLAR_GIVEN),
    right("position[slide]", r"\begin{bmatrix} d_3 \cos\theta_2\cos\theta_1 \\ d_3\cos\theta_2\sin\theta_1"
          r" \\ d_3\sin\theta_2 \end{bmatrix}"),
    right("J[com 3]", TIP), right("velocity[3]", "d3'^2 + d3^2*theta2'^2 + d3^2*theta1'^2*cos(theta2)^2"),
    wrong("J[com 3]", TIP.replace("[0, d3*cos(theta2)", "[0, d3*sin(theta2)"), "function"),
    wrong("J[com 3]", TIP.replace("[-d3", "[d3")
          .replace("d3*cos(theta2)*cos(theta1), -d3", "cos(theta2)*cos(theta1), -d3"), "sign", "lost factor")))
