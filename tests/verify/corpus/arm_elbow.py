"""A three-joint elbow arm: a turning trunk and two links, its links along y at rest, angles positive downwards."""

from tests.verify.corpus.case import Revolute, System, chain, named, right, wrong


def model():
    m1, m2, m3, l1, r1, r2, g = named("m1 m2 m3 l1 r1 r2 g")
    Iz1, Ix2, Iy2, Iz2, Ix3, Iy3, Iz3 = named("Iz1 Ix2 Iy2 Iz2 Ix3 Iy3 Iz3")
    return chain([Revolute("z"), Revolute((-1, 0, 0)), Revolute((-1, 0, 0))], [(0, 0, 0), (0, 0, 0), (0, l1, 0)],
                 [(m1, (0, 0, 0), (Iz1, Iz1, Iz1)), (m2, (0, r1, 0), (Ix2, Iy2, Iz2)),
                  (m3, (0, r2, 0), (Ix3, Iy3, Iz3))], (0, 0, -g), ["trunk", "upper_arm", "forearm"])


M = r"""\begin{aligned}
M_{11} &= I_{y2}s_2^2 + I_{y3}s_{23}^2 + I_{z1} + I_{z2}c_2^2 + I_{z3}c_{23}^2 + m_2 r_1^2 c_2^2 + m_3(l_1c_2 + r_2c_{23})^2 \\
M_{12} &= 0 \\ M_{13} &= 0 \\ M_{21} &= 0 \\
M_{22} &= I_{x2} + I_{x3} + m_3l_1^2 + m_2r_1^2 + m_3r_2^2 + 2m_3l_1r_2c_3 \\
M_{23} &= I_{x3} + m_3r_2^2 + m_3l_1r_2c_3 \\ M_{31} &= 0 \\
M_{32} &= I_{x3} + m_3r_2^2 + m_3l_1r_2c_3 \\ M_{33} &= I_{x3} + m_3r_2^2
\end{aligned}"""  # noqa: E501
SHORT = """[Iz1 + Iy2*s2^2 + (Iz2 + m2*r1^2)*c2^2 + Iy3*s23^2 + Iz3*c23^2 + m3*(l1*c2 + r2*c23)^2, 0, 0]
[0, Ix2 + m2*r1^2 + Ix3 + m3*(l1^2 + r2^2 + 2*l1*r2*c3), Ix3 + m3*(r2^2 + l1*r2*c3)]
[0, Ix3 + m3*(r2^2 + l1*r2*c3), Ix3 + m3*r2^2]"""
GAMMA = r"""G_1 = (I_{y2} - I_{z2} - m_2r_1^2)c_2s_2 + (I_{y3} - I_{z3})c_{23}s_{23} - m_3(l_1c_2 + r_2c_{23})(l_1s_2 + r_2s_{23})
G_2 = (I_{y3} - I_{z3})c_{23}s_{23} - m_3r_2s_{23}(l_1c_2 + r_2c_{23})
G_3 = -l_1m_3r_2s_3
"""  # noqa: E501
C = GAMMA + r"""C = \begin{bmatrix} G_1\dot\theta_2 + G_2\dot\theta_3 & G_1\dot\theta_1 & G_2\dot\theta_1 \\
-G_1\dot\theta_1 & G_3\dot\theta_3 & G_3(\dot\theta_2 + \dot\theta_3) \\
-G_2\dot\theta_1 & -G_3\dot\theta_2 & 0 \end{bmatrix}"""
C_VECTOR = GAMMA + r"""\begin{bmatrix} 2G_1\dot\theta_1\dot\theta_2 + 2G_2\dot\theta_1\dot\theta_3 \\
-G_1\dot\theta_1^2 + 2G_3\dot\theta_2\dot\theta_3 + G_3\dot\theta_3^2 \\
-G_2\dot\theta_1^2 - G_3\dot\theta_2^2 \end{bmatrix}"""
N = r"""\begin{bmatrix} 0 \\ -(m_2gr_1 + m_3gl_1)\cos\theta_2 - m_3r_2g\cos(\theta_2 + \theta_3) \\
-m_3gr_2\cos(\theta_2 + \theta_3) \end{bmatrix}"""
V = "V = -m_2 g r_1 sin(theta_2) - m_3 g (l_1 sin(theta_2) + r_2 sin(theta_2 + theta_3))"
J = """[0, -1, -1]
[-s23, 0, 0]
[c23, 0, 0]
[-l1*c2, 0, 0]
[0, l1*s3, 0]
[0, -l1*c3, 0]"""
VELOCITY = r"""\begin{bmatrix} -\dot\theta_2 - \dot\theta_3 \\ -s_{23}\dot\theta_1 \\ c_{23}\dot\theta_1 \\ -l_1c_2\dot\theta_1 \\
l_1s_3\dot\theta_2 \\ -l_1c_3\dot\theta_2 \end{bmatrix}"""  # noqa: E501
UP = "[0, (m2*r1 + m3*l1)*g*cos(a2) + m3*r2*g*cos(a2 + a3), m3*g*r2*cos(a2 + a3)]"
SYSTEM = System("arm_elbow", "Murray, Li and Sastry, A Mathematical Introduction to Robotic Manipulation, example 4.3",
                model, (
    right("H", M), right("H", SHORT), right("C", C), right("C", C_VECTOR), right("g", N), right("V", V),
    right("g", UP, "a2 = -q2; a3 = -q3"), right("J[3]", J), right("v[forearm]", VELOCITY),
    right("T == 1/2*(H11*qd1^2 + H22*qd2^2 + 2*H23*qd2*qd3 + H33*qd3^2)", None),
    wrong("H", M.replace("+ I_{x3} + m_3l_1^2", "+ m_3l_1^2"), "missing term"),
    wrong("H", SHORT.replace("+ 2*l1*r2*c3)", "+ l1*r2*c3)"), "factor"),
    wrong("H", SHORT.replace("(l1*c2 + r2*c23)^2", "(l1^2*c2^2 + r2^2*c23^2)"), "cross term|missing term"),
    wrong("C", C_VECTOR.replace(r"2G_3\dot", r"G_3\dot"), "coriolis counted once|factor"),
    wrong("g", N.replace(r"g\cos(\theta_2 + \theta_3) \\", r"g\cos\theta_3 \\"), "argument"),
    wrong("g", UP, "gravity reversed|opposite sign|gravity sign", given="a2 = q2; a3 = q3"),
    wrong("J[3]", J.replace("-l1*c2", "0"), "missing term"),
    wrong("v[3]", VELOCITY.replace(r"-\dot\theta_2 - \dot\theta_3", r"-\dot\theta_3"),
          "missing term|absolute velocity|velocity|symbol"),
    wrong("V", V.replace("l_1 sin(theta_2) +", "l_1 cos(theta_2) +"), "function"),
    wrong("H", SHORT.replace("Iy3*s23^2 + Iz3*c23^2", "Iy3*c23^2 + Iz3*s23^2"), "swapped"),
    wrong("g", N.replace("m_3gl_1", "m_2gl_1").replace(r"-m_3gr_2\cos", r"m_3gr_2\cos"), "symbol", "sign"),
    wrong("V", V.replace("- m_3 g (", "+ m_3 g (").replace("r_2 sin(theta_2 + theta_3)", "r_2 sin(theta_3)"), "sign",
          "argument"),
    wrong("J[3]", J.replace("l1*s3", "-l1*s3").replace("[c23, 0", "[c2, 0"), "sign", "argument|symbol|function"),
    wrong("C", C_VECTOR.replace(r"+ G_3\dot\theta_3^2", r"- G_3\dot\theta_3^2").replace(r"2G_2\dot", r"G_2\dot"),
          "sign", "factor"),
    right("position[3: (0, r2, 0)]", r"\begin{bmatrix} -s_1(l_1 c_2 + r_2 c_{23}) \\ c_1(l_1 c_2"
          r" + r_2 c_{23}) \\ -l_1 s_2 - r_2 s_{23} \end{bmatrix}"),
    right("R[0,2]", "[cos(q1), -sin(q1)*cos(q2), -sin(q1)*sin(q2); sin(q1), cos(q1)*cos(q2), cos(q1)*sin(q2); 0,"
          " -sin(q2), cos(q2)]"),
    right("velocity[com 3]", r"(l_1 c_2 + r_2 c_{23})^2\dot\theta_1^2 + l_1^2\dot\theta_2^2"
          r" + r_2^2(\dot\theta_2+\dot\theta_3)^2 + 2 l_1 r_2 c_3\dot\theta_2(\dot\theta_2+\dot\theta_3)"),
    wrong("velocity[com 3]", r"(l_1 c_2 + r_2 c_{23})^2\dot\theta_1^2 + l_1^2\dot\theta_2^2"
          r" + r_2^2(\dot\theta_2+\dot\theta_3)^2 + l_1 r_2 c_3\dot\theta_2(\dot\theta_2+\dot\theta_3)", "factor"),
    wrong("R[0,2]", "[cos(q1), -sin(q1)*cos(q2), sin(q1)*sin(q2); sin(q1), cos(q1)*cos(q2),"
          " -cos(q1)*sin(q2); 0, sin(q2), cos(q2)]", "other axis"),
    wrong("position[3: (0, r2, 0)]", r"\begin{bmatrix} s_1(l_1 c_2 + r_2 c_{23}) \\ c_1(l_1 c_2"
          r" + r_2 c_{23}) \\ -l_1 s_2 - r_2 s_3 \end{bmatrix}", "sign", "argument|symbol|function")))
