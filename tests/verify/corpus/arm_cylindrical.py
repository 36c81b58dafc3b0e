"""A cylindrical robot: it turns about the vertical, lifts and reaches out."""

from tests.verify.corpus.case import EOM, Prismatic, Revolute, System, chain, named, right, wrong


def model():
    m1, m2, m3, I1, I2, I3, g = named("m1 m2 m3 I1 I2 I3 g")
    return chain([Revolute("z"), Prismatic("z"), Prismatic("x")], [(0, 0, 0)] * 3,
                 [(m1, (0, 0, 0), (I1, I1, I1)), (m2, (0, 0, 0), (I2, I2, I2)), (m3, (0, 0, 0), (I3, I3, I3))],
                 (0, 0, -g), ["column", "lift", "reach"])


M = r"D(q) = \begin{bmatrix} I_1 + I_2 + I_3 + m_3 d_3^2 & 0 & 0 \\ 0 & m_2 + m_3 & 0 \\ 0 & 0 & m_3 \end{bmatrix}"
ROWS = "[I1 + I2 + I3 + m3*d3^2, 0, 0]\n[0, m2 + m3, 0]\n[0, 0, m3]"
MOTION = r"""\left(I_1 + I_2 + I_3 + m_3 d_3^2\right)\ddot\theta_1 + 2 m_3 d_3\dot d_3\dot\theta_1 = \tau_1
(m_2+m_3)(\ddot d_2 + g) = \tau_2
m_3\left(\ddot d_3 - d_3\dot\theta_1^2\right) = \tau_3"""
SOLVED = r"""\ddot{\theta}_1 = \frac{\tau_1 - 2 m_3 d_3 \dot{d}_3\dot\theta_1}{I_1+I_2+I_3+m_3 d_3^2}
\ddot{d}_2 = \frac{\tau_2}{m_2+m_3} - g
\ddot{d}_3 = \frac{\tau_3}{m_3} + d_3\dot{\theta}_1^2"""
T = "1/2*(I1 + I2 + I3)*theta'^2 + 1/2*m2*z'^2 + 1/2*m3*(z'^2 + r'^2 + r^2*theta'^2)"
MOMENTUM = """lz = (I1 + I2 + I3 + m3*r^2)*w
vx = u*cos(a) - r*w*sin(a)
vy = u*sin(a) + r*w*cos(a)
[m3*(r*sin(a)*v - h*vy), m3*(h*vx - r*cos(a)*v), lz, m3*vx, m3*vy, (m2+m3)*v]"""
NAMES = "a = q1; h = q2; r = q3; w = qd1; v = qd2; u = qd3"
SYSTEM = System("arm_cylindrical",
                "the three-link cylindrical robot, Spong, Hutchinson and Vidyasagar, problem of ch. 7", model, (
    right("H", M), right("H", ROWS), right(EOM, MOTION), right(EOM, SOLVED), right("T", T, "r = q3"),
    right("v[reach]", "[0, 0, qd1, qd3, q3*qd1, qd2]"), right("a[3]", "[0; 0; qdd1; qdd3; q3*qdd1 + qd3*qd1; qdd2]"),
    right("momentum", MOMENTUM, NAMES), right("g", "(0, (m2+m3)*g, 0)"), right("C3 == -m3*q3*qd1^2", None),
    wrong("H", ROWS.replace("+ m3*d3^2", "+ m3*d3"), "power|lost factor"),
    wrong(EOM, MOTION.replace("2 m_3", "m_3"), "coriolis counted once|factor"),
    wrong(EOM, SOLVED.replace("+ d_3", "- d_3"), "sign|dT/dq sign|centrifugal sign"),
    wrong("T", T.replace("+ r^2*theta'^2", ""), "missing term", given="r = q3"),
    wrong("v[3]", "[0, 0, qd1, qd3, 0, qd2]", "missing term|centre of mass at joint"),
    wrong("a[3]", "[0; 0; qdd1; qdd3 - q3*qd1^2; q3*qdd1 + 2*qd3*qd1; qdd2]", "classical acceleration"),
    wrong("g", "(0, m2*g, 0)", "missing term|body missing"),
    wrong("H", ROWS.replace("[0, m2 + m3, 0]", "[0, m2, 0]").replace("d3^2", "d3"), "missing term|extra factor",
          "power|lost factor"),
    wrong(EOM, MOTION.replace("- d_3", "+ d_3").replace("\\ddot d_2 + g", "\\ddot d_2 - g"),
          "sign|dT/dq sign|centrifugal sign", "sign|gravity reversed|gravity sign"),
    wrong("momentum", MOMENTUM.replace("h*vy", "h*vx"), "symbol|definition", given=NAMES,
          missed="another explanation is found"),
    right("acceleration[3] in body coordinates", "[r'' - r*theta'^2; r*theta'' + 2*r'*theta'; z'']", "r = q3"),
    wrong("acceleration[3] in body coordinates", "[r'' - r*theta'^2; r*theta'' + r'*theta'; z'']",
          "factor|coriolis counted once", given="r = q3")))
