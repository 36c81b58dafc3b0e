"""An arm that turns and slides in a vertical plane (RP)."""

from tests.verify.corpus.case import EOM, Prismatic, Revolute, System, chain, named, right, sp, wrong


def model():
    m1, m2, l1, I1, I2, g = named("m1 m2 l1 I1 I2 g")
    return chain([Revolute("z"), Prismatic("x")], [(0, 0, 0), (0, 0, 0)],
                 [(m1, (l1, 0, 0), (I1, 0, I1)), (m2, (0, 0, 0), (I2, 0, I2))], (0, -g, 0), ["turret", "slide"])


MOTION = r"""\tau_1 = (m_1 l_1^2 + I_1 + I_2 + m_2 d_2^2)\ddot\theta_1 + 2 m_2 d_2 \dot\theta_1 \dot d_2 + (m_1 l_1 + m_2 d_2) g \cos(\theta_1)
\tau_2 = m_2\ddot d_2 - m_2 d_2\dot\theta_1^2 + m_2 g \sin(\theta_1)"""  # noqa: E501
PLAIN = """(m1*l1^2 + I1 + I2 + m2*r^2)*theta'' + 2*m2*r*r'*theta' + (m1*l1 + m2*r)*g*cos(theta) = tau
r'' - r*theta'^2 + g*sin(theta) = F/m2"""
M = r"\begin{bmatrix} m_1 l_1^2 + I_1 + I_2 + m_2 d_2^2 & 0 \\ 0 & m_2 \end{bmatrix}"
C = r"\begin{bmatrix} 2 m_2 d_2\dot\theta_1\dot d_2 \\ -m_2 d_2 \dot\theta_1^2 \end{bmatrix}"
T = r"\frac12 (m_1 l_1^2 + I_1 + I_2)\dot\theta_1^2 + \frac12 m_2 (\dot d_2^2 + d_2^2\dot\theta_1^2)"
L = "1/2*(m1*l1^2 + I1 + I2 + m2*d2^2)*th1dot^2 + 1/2*m2*d2dot^2 - m1*g*l1*sin(th1) - m2*g*d2*sin(th1)"
TURNED = "1/2*(m1*l1^2 + I1 + I2 + m2*r^2)*phi'^2 + 1/2*m2*r'^2 + (m1*l1 + m2*r)*g*cos(phi)"


def symbols():
    return sp.symbols("m1 m2 l1 I1 I2 g q1 q2 qd1 qd2 tau1 tau2")


def accelerations(lost=False):
    """qdd in SymPy."""
    m1, m2, l1, I1, I2, g, q1, q2, qd1, qd2, tau1, tau2 = symbols()
    inertia = m1 * l1**2 + I1 + I2 + (0 if lost else m2 * q2**2)
    first = (tau1 - 2 * m2 * q2 * qd1 * qd2 - (m1 * l1 + m2 * q2) * g * sp.cos(q1)) / inertia
    return sp.Matrix([first, tau2 / m2 + q2 * qd1**2 - g * sp.sin(q1)])


SYSTEM = System("arm_polar", "Craig, Introduction to Robotics, the RP manipulator", model, (
    right(EOM, MOTION), right(EOM, PLAIN), right("H", M), right("C", C),
    right("C", "[m2*q2*qd2, m2*q2*qd1; -m2*q2*qd1, 0]"), right("T", T), right("L", L),
    right("L", TURNED, "phi = q1 + pi/2; r = q2"), right("qdd", accelerations()),
    right("v[2]", "[0; 0; qd1; qd2; q2*qd1; 0]"), right("S[2]", "[0,0,0,1,0,0]"),
    right("a[2]", "[0; 0; theta1''; d2'' ; d2*theta1'' + theta1'*d2'; 0]"),
    right("qd1*tau1 + qd2*tau2 == qd1*(H11*qdd1 + H12*qdd2 + C1 + g1) + qd2*(H12*qdd1 + H22*qdd2 + C2 + g2)", None),
    wrong(EOM, MOTION.replace("2 m_2 d_2", "m_2 d_2"), "coriolis counted once|factor"),
    wrong(EOM, MOTION.replace("- m_2 d_2\\dot", "+ m_2 d_2\\dot"), "sign|dT/dq sign|centrifugal sign"),
    wrong(EOM, PLAIN.replace("- r*theta'^2 ", ""), "missing term|dT/dq missing|centrifugal missing"),
    wrong("H", M.replace("+ m_2 d_2^2", ""), "missing term|centre of mass at joint"),
    wrong("L", L.replace("m2*g*d2*sin(th1)", "m2*g*d2*cos(th1)"), "function"),
    wrong("qdd", accelerations(lost=True), "missing term"),
    wrong("C", C.replace("2 m_2", "m_2").replace("d_2 \\dot\\theta_1^2", "\\dot\\theta_1^2"),
          "coriolis counted once|factor", "lost factor|power"),
    wrong(EOM, MOTION.replace("+ (m_1 l_1 + m_2 d_2) g", "- (m_1 l_1 + m_2 d_2) g")
          .replace("2 m_2 d_2 \\dot\\theta_1", "m_2 d_2 \\dot\\theta_1"), "sign", "coriolis counted once|factor"),
    wrong("T", T.replace("+ I_2)", ")").replace("\\dot d_2^2 + d_2^2", "\\dot d_2^2 + d_2"),
          "missing term|rotational inertia missing", "power|lost factor"),
    wrong("v[2]", "[0; 0; qd1; qd2; 0; 0]", "missing term"), right("velocity[2]", "d2dot^2 + d2^2*th1dot^2"),
    right("J[com 2]", "[-d2*s1, c1; d2*c1, s1]"),
    wrong("velocity[2]", "d2dot^2 + th1dot^2", "lost factor|missing term"),
    wrong("J[com 2]", "[d2*s1, c1; d2*c1, c1]", "sign", "function")))
