"""Three uniform rods in a vertical plane."""

from tests.verify.corpus.case import System, library, right, wrong

G = r"""\begin{aligned}
g_3 &= \tfrac12 m_3 g l_3 c_{123} \\
g_2 &= \left(\tfrac12 m_2 + m_3\right) g l_2 c_{12} + \tfrac12 m_3 g l_3 c_{123} \\
g_1 &= \left(\tfrac12 m_1 + m_2 + m_3\right) g l_1 c_1 + \left(\tfrac12 m_2 + m_3\right) g l_2 c_{12} + \tfrac12 m_3 g l_3 c_{123}
\end{aligned}"""  # noqa: E501
V = "m1*g*l1/2*sin(q1) + m2*g*(l1*sin(q1) + l2/2*sin(q1+q2)) + m3*g*(l1*sin(q1) + l2*sin(q1+q2) + l3/2*sin(q1+q2+q3))"
ABSOLUTE = "phi1 = q1; phi2 = q1 + q2; phi3 = q1 + q2 + q3"
H = """[(m1/3 + m2 + m3)*l1^2, (m2/2 + m3)*l1*l2*cos(phi1 - phi2), m3*l1*l3/2*cos(phi1 - phi3)]
[(m2/2 + m3)*l1*l2*cos(phi1 - phi2), (m2/3 + m3)*l2^2, m3*l2*l3/2*cos(phi2 - phi3)]
[m3*l1*l3/2*cos(phi1 - phi3), m3*l2*l3/2*cos(phi2 - phi3), m3*l3^2/3]"""
C = """(m2/2 + m3)*l1*l2*sin(phi1 - phi2)*phi2'^2 + m3*l1*l3/2*sin(phi1 - phi3)*phi3'^2
-(m2/2 + m3)*l1*l2*sin(phi1 - phi2)*phi1'^2 + m3*l2*l3/2*sin(phi2 - phi3)*phi3'^2
-m3*l1*l3/2*sin(phi1 - phi3)*phi1'^2 - m3*l2*l3/2*sin(phi2 - phi3)*phi2'^2"""
T = (r"T = \frac{1}{2}\left(\frac{m_1}{3} + m_2 + m_3\right) l_1^2 \dot\varphi_1^2"
     r" + \frac12\left(\frac{m_2}{3}+m_3\right) l_2^2\dot\varphi_2^2 + \frac{1}{6} m_3 l_3^2\dot\varphi_3^2"
     r" + \left(\frac{m_2}{2} + m_3\right) l_1 l_2 \cos(\varphi_1-\varphi_2)\dot\varphi_1\dot\varphi_2"
     r" + \frac{m_3 l_1 l_3}{2}\cos(\varphi_1-\varphi_3)\dot\varphi_1\dot\varphi_3"
     r" + \frac{m_3 l_2 l_3}{2}\cos(\varphi_2-\varphi_3)\dot\varphi_2\dot\varphi_3")
JACOBIAN = r"""\begin{bmatrix} 0 & 0 & 0 \\ 0 & 0 & 0 \\ 1 & 1 & 1 \\
l_1 s_{23} + l_2 s_3 & l_2 s_3 & 0 \\ l_1 c_{23} + l_2 c_3 & l_2 c_3 & 0 \\ 0 & 0 & 0 \end{bmatrix}"""
VELOCITY = "[qd1+qd2+qd3; l1*s23*qd1 + l2*s3*(qd1+qd2); l1*c23*qd1 + l2*c3*(qd1+qd2)]"
X = """[c23, s23, 0, 0, 0, 0]
[-s23, c23, 0, 0, 0, 0]
[0, 0, 1, 0, 0, 0]
[0, 0, l1*s23 + l2*s3, c23, s23, 0]
[0, 0, l1*c23 + l2*c3, -s23, c23, 0]
[l2*s2, -l1 - l2*c2, 0, 0, 0, 1]"""
COM = r"""\frac{1}{m_1+m_2+m_3}\begin{bmatrix}
(\frac12 m_1 + m_2 + m_3) l_1 c_1 + (\frac12 m_2 + m_3) l_2 c_{12} + \frac12 m_3 l_3 c_{123} \\
(\frac12 m_1 + m_2 + m_3) l_1 s_1 + (\frac12 m_2 + m_3) l_2 s_{12} + \frac12 m_3 l_3 s_{123} \\ 0 \end{bmatrix}"""
TIP = r"""\begin{bmatrix} -l_1 s_1 - l_2 s_{12} - l_3 s_{123} & -l_2 s_{12} - l_3 s_{123} & -l_3 s_{123} \\
l_1 c_1 + l_2 c_{12} + l_3 c_{123} & l_2 c_{12} + l_3 c_{123} & l_3 c_{123} \\ 1 & 1 & 1 \end{bmatrix}"""
SYSTEM = System("arm_3r_rods", "the planar 3R arm of Craig and of Spong, its links uniform rods", library("arm_3r"), (
    right("g", G), right("V", V), right("H", H, ABSOLUTE), right("C", C, ABSOLUTE), right("T", T, ABSOLUTE),
    right("J[3]", JACOBIAN), right("v[hand]", VELOCITY), right("X[3,1]", X), right("com", COM),
    right("H33 == m3*l3^2/3", None), right("g1 - g2 == (m1/2 + m2 + m3)*g*l1*cos(q1)", None),
    wrong("g", G.replace("c_{123}", "s_{123}"), "function"),
    wrong("g", G.replace(r"(\tfrac12 m_2 + m_3\right) g l_2", r"(\tfrac12 m_2\right) g l_2"),
          "missing term|body missing"),
    wrong("V", V.replace("l2*sin(q1+q2) +", "l2*sin(q2) +"), "argument"),
    wrong("H", H.replace("m3*l3^2/3", "m3*l3^2/12"), "parallel axis missing|factor", given=ABSOLUTE),
    wrong("T", T.replace(r"\frac{m_3 l_1 l_3}{2}\cos", r"\frac{m_3 l_1 l_3}{2}\sin"), "function", given=ABSOLUTE),
    wrong("J[3]", JACOBIAN.replace("l_1 s_{23} + l_2 s_3 & l_2 s_3", "l_1 s_2 + l_2 s_3 & l_2 s_3"),
          "argument|function|symbol"),
    wrong("v[hand]", VELOCITY.replace("l2*s3*(qd1+qd2)", "l2*s3*qd2").replace("l2*c3*(qd1+qd2)", "l2*c3*qd2"),
          "velocity|symbol|missing term"),
    wrong("X[3,1]", X.replace("[l2*s2, -l1 - l2*c2, 0", "[-l2*s2, l1 + l2*c2, 0").replace("l1*s23 + l2*s3", "-l1*s23"
          " - l2*s3").replace("l1*c23 + l2*c3", "-l1*c23 - l2*c3"), "opposite offset"),
    wrong("C", C.replace("-(m2/2 + m3)", "(m2/2 + m3)").replace("+ m3*l2*l3/2*sin(phi2 - phi3)*phi3'^2",
          "+ m3*l2*l3/2*sin(phi2 - phi3)*phi2'^2"), "sign", "symbol", given=ABSOLUTE),
    wrong("com", COM.replace("+ m_2 + m_3) l_1 c_1", "+ m_2) l_1 c_1").replace("l_3 s_{123}", "l_2 s_{123}"),
          "missing term", "symbol"),
    wrong("H", H.replace("(m1/3 + m2 + m3)", "(m1/12 + m2 + m3)").replace("(m2/3 + m3)", "(m2/12 + m3)"),
          "parallel axis missing|factor", "parallel axis missing|factor", given=ABSOLUTE),
    wrong("V", V.replace("l2/2*sin(q1+q2)", "l2*sin(q1+q2)").replace("l3/2*sin(q1+q2+q3)", "l3/2*sin(q2+q3)"),
          "factor|half-length", "argument"),
    wrong("J[3]", JACOBIAN.replace("l_1 c_{23} + l_2 c_3 & l_2 c_3", "l_1 c_{23} - l_2 c_3 & l_2 s_3"), "sign",
          "function"),
    right("position[3: (l3, 0, 0)]",
          r"x = l_1 c_1 + l_2 c_{12} + l_3 c_{123}, \quad y = l_1 s_1 + l_2 s_{12} + l_3 s_{123}"),
    right("J[3: (l3, 0, 0)]", TIP), right("omega[hand]", "qd1 + qd2 + qd3"),
    wrong("J[3: (l3, 0, 0)]", TIP.replace("l_1 c_1 + l_2 c_{12} + l_3 c_{123}", "l_2 c_{12} + l_3 c_{123}"),
          "missing term"),
    wrong("J[3: (l3, 0, 0)]", TIP.replace("-l_1 s_1 - l_2", "l_1 s_1 - l_2").replace("1 & 1 & 1", "0 & 0 & 1"), "sign",
          "missing term", missed="nothing is found"),
    wrong("omega[hand]", "qd3", "missing term|absolute velocity|velocity")))
