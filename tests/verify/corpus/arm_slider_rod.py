"""A rod on a slide in a vertical plane, both driven (PR)."""

from tests.verify.corpus.case import EOM, Prismatic, Revolute, System, chain, named, right, wrong


def model():
    m1, m2, l, I2, g = named("m1 m2 l I2 g")
    return chain([Prismatic("x"), Revolute("z")], [(0, 0, 0), (0, 0, 0)],
                 [(m1, (0, 0, 0), (0, 0, 0)), (m2, (l / 2, 0, 0), (I2, 0, I2))], (0, -g, 0), ["slide", "rod"])


H = r"""\begin{pmatrix} m_1 + m_2 & -\frac{1}{2} m_2 l \sin\theta_2 \\ -\frac{1}{2} m_2 l\sin\theta_2 & I_2 + \frac14 m_2 l^2
\end{pmatrix}"""  # noqa: E501
MOTION = r"""(m_1+m_2)\ddot d_1 - \frac{m_2 l}{2}\left(\ddot\theta_2\sin\theta_2 + \dot\theta_2^2\cos\theta_2\right) = f_1
\left(I_2 + \frac{m_2 l^2}{4}\right)\ddot\theta_2 - \frac{m_2 l}{2}\ddot d_1 \sin\theta_2 + \frac{m_2 g l}{2}\cos\theta_2 = \tau_2"""  # noqa: E501
UPRIGHT = """(m1+m2)*x'' + m2*l/2*(phi''*cos(phi) - phi'^2*sin(phi)) = F
(I2 + m2*l^2/4)*phi'' + m2*l/2*x''*cos(phi) - m2*g*l/2*sin(phi) = -tau2"""
KINETIC = ("T = m1*x'^2/2 + m2*vx^2/2 + m2*vy^2/2 + I2*theta'^2/2", "vx = x' - l/2*sin(theta)*theta'",
           "vy = l/2*cos(theta)*theta'")
DOT = "[0, 0, theta', x'*cos(theta), -x'*sin(theta), 0]"
SYSTEM = System("arm_slider_rod", "the two-link PR arm, an exercise in many texts", model, (
    right("H", H), right(EOM, MOTION), right(EOM, UPRIGHT, "x = q1; phi = pi/2 - q2"),
    right("T", "\n".join((KINETIC[1], KINETIC[2], KINETIC[0]))), right("V", "m2*g*a*sin(theta)", "a = l/2"),
    right("v[2]", DOT), right("C", "[-m2*l/2*cos(theta2)*theta2'^2; 0]"),
    right("qdd", "[(4*I2 + m2*l^2)*(2*tau1 + m2*l*c*qd2^2) + 4*m2*l*s*(tau2 - m2*g*l*c/2),"
          " 4*m2*l*s*(tau1 + m2*l*c*qd2^2/2) + 8*(m1+m2)*(tau2 - m2*g*l*c/2)]"
          "/(2*((m1+m2)*(4*I2 + m2*l^2) - m2^2*l^2*s^2))", "s = sin(q2); c = cos(q2)"),
    right("C1*qd1 + C2*qd2 == -1/2*m2*l*cos(q2)*qd1*qd2^2", None),
    wrong("H", H.replace("-\\frac{1}{2} m_2 l", "-m_2 l"), "factor|coupling twice"),
    wrong("H", H.replace("I_2 + \\frac14 m_2 l^2", "I_2"), "parallel axis missing|missing term"),
    wrong(EOM, MOTION.replace("+ \\dot\\theta_2^2", "- \\dot\\theta_2^2"), "sign|velocity terms sign|centrifugal sign"),
    wrong(EOM, UPRIGHT.replace("- phi'^2*sin(phi)", ""),
          "missing term|velocity terms missing|centrifugal missing|v x* I v missing", given="x = q1; phi = pi/2 - q2"),
    wrong("V", "m2*g*l*sin(theta)", "half-length|factor"),
    wrong("v[2]", DOT.replace("-x'*sin", "x'*sin"), "sign|rotation transposed"),
    wrong("T", "\n".join((KINETIC[1].replace("sin", "cos"), KINETIC[2], KINETIC[0])), "function"),
    wrong(EOM, MOTION.replace("+ \\frac{m_2 g l}{2}\\cos", "- \\frac{m_2 g l}{2}\\cos").replace("(m_1+m_2)", "m_1"),
          "sign|gravity reversed|gravity sign", "missing term"),
    wrong("H", H.replace("m_1 + m_2", "m_1").replace("\\sin", "\\cos"), "missing term", "function|other axis"),
    wrong("T", "\n".join((KINETIC[1], KINETIC[2], KINETIC[0].replace("I2*theta'^2/2", "I2*theta'^2")
          .replace("m1*x'^2/2", "m1*x'/2"))), "factor", "power|lost factor"),
    wrong("v[2]", DOT.replace("cos(theta)", "sin(theta)").replace("0, 0, theta'", "0, 0, -theta'"), "function", "sign"),
))
