"""A planar arm of two weightless links with a point mass at the end of each."""

from tests.verify.corpus.case import EOM, Revolute, System, chain, named, right, wrong


def model():
    m1, m2, l1, l2, g = named("m1 m2 l1 l2 g")
    return chain([Revolute("z"), Revolute("z")], [(0, 0, 0), (l1, 0, 0)],
                 [(m1, (l1, 0, 0), (0, 0, 0)), (m2, (l2, 0, 0), (0, 0, 0))], (0, -g, 0), ["link1", "link2"])


MOTION = r"""\begin{aligned}
\tau_1 &= m_2 l_2^2(\ddot\theta_1+\ddot\theta_2) + m_2 l_1 l_2 c_2 (2\ddot\theta_1+\ddot\theta_2) + (m_1+m_2) l_1^2 \ddot\theta_1 - m_2 l_1 l_2 s_2 \dot\theta_2^2 \\
&\quad - 2 m_2 l_1 l_2 s_2 \dot\theta_1\dot\theta_2 + m_2 l_2 g c_{12} + (m_1+m_2) l_1 g c_1, \\
\tau_2 &= m_2 l_1 l_2 c_2 \ddot\theta_1 + m_2 l_1 l_2 s_2 \dot\theta_1^2 + m_2 l_2 g c_{12} + m_2 l_2^2(\ddot\theta_1+\ddot\theta_2)
\end{aligned}"""  # noqa: E501
M = r"""M(\Theta) = \begin{bmatrix} l_2^2 m_2 + 2 l_1 l_2 m_2 c_2 + l_1^2 (m_1+m_2) & l_2^2 m_2 + l_1 l_2 m_2 c_2 \\
l_2^2 m_2 + l_1 l_2 m_2 c_2 & l_2^2 m_2 \end{bmatrix}"""
V = r"""\begin{bmatrix} -m_2 l_1 l_2 s_2 \dot\theta_2^2 - 2 m_2 l_1 l_2 s_2 \dot\theta_1 \dot\theta_2 \\
m_2 l_1 l_2 s_2 \dot\theta_1^2 \end{bmatrix}"""
G = r"G(\Theta) = \begin{bmatrix} m_2 l_2 g c_{12} + (m_1+m_2) l_1 g c_1 \\ m_2 l_2 g c_{12} \end{bmatrix}"
VELOCITY = r"""\begin{pmatrix} 0 \\ 0 \\ \dot\theta_1 + \dot\theta_2 \\ l_1 s_2 \dot\theta_1 \\ l_1 c_2 \dot\theta_1 \\ 0
\end{pmatrix}"""  # noqa: E501
ACCELERATION = ("[0; 0; qdd1+qdd2; l1*sin(q2)*qdd1 + l1*cos(q2)*qd1*qd2; l1*cos(q2)*qdd1 - l1*sin(q2)*qd1*qd2; 0]")
CLASSICAL = "[0; 0; qdd1+qdd2; l1*sin(q2)*qdd1 - l1*cos(q2)*qd1^2; l1*cos(q2)*qdd1 + l1*sin(q2)*qd1^2; 0]"
X = """[ c2, s2, 0, 0, 0, 0]
[-s2, c2, 0, 0, 0, 0]
[0, 0, 1, 0, 0, 0]
[0, 0, l1*s2, c2, s2, 0]
[0, 0, l1*c2, -s2, c2, 0]
[0, -l1, 0, 0, 0, 1]"""
X_INVERSE = """[c2, -s2, 0, 0, 0, 0]
[s2, c2, 0, 0, 0, 0]
[0, 0, 1, 0, 0, 0]
[0, 0, 0, c2, -s2, 0]
[0, 0, -l1, s2, c2, 0]
[l1*s2, l1*c2, 0, 0, 0, 1]"""
X_FORCE = """[c2, s2, 0, 0, 0, l1*s2]
[-s2, c2, 0, 0, 0, l1*c2]
[0, 0, 1, 0, -l1, 0]
[0, 0, 0, c2, s2, 0]
[0, 0, 0, -s2, c2, 0]
[0, 0, 0, 0, 0, 1]"""
LAGRANGIAN = ("L = 1/2 (m1 + m2) l1^2 theta1'^2 + 1/2 m2 l2^2 (theta1' + theta2')^2 + m2 l1 l2 cos(theta2) theta1'"
              " (theta1' + theta2') - (m1 + m2) g l1 sin(theta1) - m2 g l2 sin(theta1 + theta2)")
SYSTEM = System("arm_2r_point_masses", "Craig, Introduction to Robotics, chapters 5 and 6", model, (
    right("H", M), right("C", V), right("g", G), right("v[2]", VELOCITY),
    right("J[2]", r"\begin{bmatrix} 0&0\\0&0\\1&1\\l_1 s_2&0\\l_1 c_2&0\\0&0 \end{bmatrix}"),
    right("a[2]", ACCELERATION), right("X[2,1]", X), right("L", LAGRANGIAN),
    right("p", "[((m1+m2)*l1^2 + m2*l2^2 + 2*m2*l1*l2*c2)*qd1 + (m2*l2^2 + m2*l1*l2*c2)*qd2;"
          " (m2*l2^2 + m2*l1*l2*c2)*qd1 + m2*l2^2*qd2]"),
    right("C2 == m2*l1*l2*sin(q2)*qd1^2", None), wrong("a[2]", CLASSICAL, "classical acceleration"),
    wrong("a[2]", "[0; 0; qdd1+qdd2; l1*sin(q2)*qdd1; l1*cos(q2)*qdd1; 0]", "v x S qd missing"),
    wrong("X[2,1]", X_INVERSE, "inverse"), wrong("X[2,1]", X_FORCE, "force transform"),
    wrong("X[2,1]", X.replace("l1*", "-l1*").replace(", -l1,", ", l1,"), "opposite offset"),
    wrong("v[2]", r"\begin{pmatrix} 0 \\ 0 \\ \dot\theta_2 \\ l_1 s_2 \dot\theta_1 \\ l_1 c_2 \dot\theta_1 \\ 0"
          r"\end{pmatrix}", "velocity|missing term|symbol|absolute velocity"),
    wrong(EOM, MOTION.replace("- 2 m_2", "- m_2"), "coriolis counted once|factor"),
    wrong("tau", MOTION.replace("l_1 l_2 s_2 \\dot\\theta_1^2", "l_1 l_2 s_2 \\dot\\theta_2^2"), "symbol"),
    wrong("H", M.replace("l_1^2 (m_1+m_2)", "l_1^2 m_1"), "missing term|extra factor"),
    wrong("g", G.replace("c_{12}", "c_2"), "argument"),
    wrong("C", V.replace("- 2 m_2", "- m_2").replace("s_2 \\dot\\theta_1^2", "c_2 \\dot\\theta_1^2"),
          "coriolis counted once|factor", "function"),
    wrong("g", G.replace("+ (m_1+m_2) l_1 g c_1", "- (m_1+m_2) l_1 g c_1").replace("\\\\ m_2 l_2 g", "\\\\ m_1 l_2 g"),
          "sign", "symbol"),
    wrong("L", LAGRANGIAN.replace("- (m1 + m2) g", "+ (m1 + m2) g").replace("1/2 m2 l2^2", "m2 l2^2"), "sign",
          "factor"),
    wrong("v[2]", VELOCITY.replace("l_1 c_2", "-l_1 c_2").replace(r"\dot\theta_1 + \dot", r"\dot\theta_1 - \dot"),
          "sign", "sign"),
    wrong("X[2,1]", """[c2, -s2, 0, 0, 0, 0]
[s2, c2, 0, 0, 0, 0]
[0, 0, 1, 0, 0, 0]
[0, 0, -l1*s2, c2, -s2, 0]
[0, 0, l1*c2, s2, c2, 0]
[0, -l1, 0, 0, 0, 1]""", "rotation transposed|other axis"),
    wrong("a[2]", ACCELERATION.replace("*qdd1 + l1*cos", "*qdd1 - l1*cos")
          .replace("l1*cos(q2)*qdd1 -", "l1*cos(q2)*qdd2 -"), "sign", "symbol"),
    right("position[2: (l2, 0, 0)]",
          r"\begin{bmatrix} l_1 c_1 + l_2 c_{12} \\ l_1 s_1 + l_2 s_{12} \\ 0 \end{bmatrix}"),
    right("R[0,2]", "[c12, -s12, 0; s12, c12, 0; 0, 0, 1]"),
    wrong("R[0,2]", "[c12, s12, 0; -s12, c12, 0; 0, 0, 1]", "transpose|inverse|rotation transposed"),
    wrong("J[2: (l2, 0, 0)]", r"\begin{bmatrix} -l_1 s_1 - l_2 s_{12} & -l_2 s_{12} \\ l_1 c_1"
          r" + l_2 c_{12} & l_1 c_{12} \end{bmatrix}", "symbol"),
    wrong("position[2: (l2, 0, 0)]", r"\begin{bmatrix} l_1 c_1 + l_2 c_2 \\ l_1 s_1 + l_2 s_2 \\ 0 \end{bmatrix}",
          "argument|absolute angle|function|symbol")))
