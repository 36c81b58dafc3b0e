"""A planar arm that lies in a horizontal plane, with the abbreviations alpha, beta, delta."""

from tests.verify.corpus.case import EOM, Revolute, System, chain, named, right, sp, wrong


def model():
    m1, m2, l1, l2, r1, r2, I1, I2 = named("m1 m2 l1 l2 r1 r2 I1 I2")
    return chain([Revolute("z"), Revolute("z")], [(0, 0, 0), (l1, 0, 0)],
                 [(m1, (r1, 0, 0), (I1, 0, I1)), (m2, (r2, 0, 0), (I2, 0, I2))], (0, 0, 0), None, [l2])


WHERE = r"""\alpha = I_1 + I_2 + m_1 r_1^2 + m_2(l_1^2 + r_2^2), \quad \beta = m_2 l_1 r_2, \quad
\delta = I_2 + m_2 r_2^2"""
GIVEN = "alpha = I1 + I2 + m1*r1^2 + m2*(l1^2 + r2^2); beta = m2*l1*r2; delta = I2 + m2*r2^2"
M = r"""M(\theta) = \begin{bmatrix} \alpha + 2\beta c_2 & \delta + \beta c_2 \\ \delta + \beta c_2 & \delta
\end{bmatrix}"""
C = r"""C(\theta, \dot\theta) = \begin{bmatrix} -\beta s_2 \dot\theta_2 & -\beta s_2 (\dot\theta_1 + \dot\theta_2) \\
\beta s_2 \dot\theta_1 & 0 \end{bmatrix}"""
MOTION = r"""\begin{bmatrix} \alpha + 2\beta c_2 & \delta + \beta c_2 \\ \delta + \beta c_2 & \delta \end{bmatrix}
\begin{bmatrix} \ddot\theta_1 \\ \ddot\theta_2 \end{bmatrix} +
\begin{bmatrix} -\beta s_2 \dot\theta_2 & -\beta s_2 (\dot\theta_1 + \dot\theta_2) \\ \beta s_2 \dot\theta_1 & 0
\end{bmatrix} \begin{bmatrix} \dot\theta_1 \\ \dot\theta_2 \end{bmatrix} =
\begin{bmatrix} \tau_1 \\ \tau_2 \end{bmatrix}"""
BY_ROWS = r"""(\alpha + 2\beta\cos\theta_2)\ddot\theta_1 + (\delta + \beta\cos\theta_2)\ddot\theta_2 - \beta\sin\theta_2(2\dot\theta_1\dot\theta_2 + \dot\theta_2^2) = \tau_1
(\delta + \beta\cos\theta_2)\ddot\theta_1 + \delta\ddot\theta_2 + \beta\sin\theta_2\,\dot\theta_1^2 = \tau_2"""  # noqa: E501
SOLVED = """a = I1 + m1*r1^2 + m2*l1^2
b = m2*l1*r2
d = I2 + m2*r2^2
f1 = tau1 + b*sin(q2)*(2*qd1*qd2 + qd2^2)
f2 = tau2 - b*sin(q2)*qd1^2
qdd1 = (d*f1 - (d + b*cos(q2))*f2)/(a*d - b^2*cos(q2)^2)
qdd2 = ((a + d + 2*b*cos(q2))*f2 - (d + b*cos(q2))*f1)/(a*d - b^2*cos(q2)^2)"""
T = r"""T = \frac{1}{2} m_1 r_1^2 \dot\theta_1^2 + \frac12 I_1 \dot\theta_1^2 + \frac12 I_2 (\dot\theta_1+\dot\theta_2)^2
+ \frac12 m_2 \left( l_1^2\dot\theta_1^2 + r_2^2 (\dot\theta_1+\dot\theta_2)^2 + 2 l_1 r_2 c_2 \dot\theta_1 (\dot\theta_1
+ \dot\theta_2) \right)"""  # noqa: E501


def in_sympy(both=True, sign=1):
    """H as a SymPy matrix."""
    m1, m2, l1, r1, r2, I1, I2, q2 = sp.symbols("m1 m2 l1 r1 r2 I1 I2 q2")
    beta = sign * m2 * l1 * r2 * sp.cos(q2)
    delta = I2 + m2 * r2**2
    alpha = I1 + I2 + m1 * r1**2 + m2 * (l1**2 + r2**2)
    return sp.Matrix([[alpha + 2 * beta, delta + beta], [delta + beta if both else 0, delta]])


SYSTEM = System("arm_2r_horizontal", "Murray, Li and Sastry, A Mathematical Introduction to Robotic Manipulation, 4.2",
                model, (
    right("H", M, GIVEN), right("H", WHERE + "\n" + M), right("H", in_sympy()), right("C", C, GIVEN),
    right(EOM, MOTION, GIVEN), right(EOM, BY_ROWS, GIVEN), right("qdd", SOLVED), right("T", T),
    right("2*T == (I1 + m1*r1^2 + m2*l1^2)*qd1^2 + (I2 + m2*r2^2)*(qd1+qd2)^2 + 2*m2*l1*r2*cos(q2)*qd1*(qd1+qd2)",
          None),
    right("qd1*tau1 + qd2*tau2 == d/dt(T)", None), wrong("H", in_sympy(both=False), "upper triangle"),
    wrong("H", in_sympy(sign=-1), "sign|other axis"),
    wrong("C", C.replace(r"\beta s_2 \dot\theta_1 & 0", r"-\beta s_2 \dot\theta_1 & 0"), "sign|dT/dq sign",
          given=GIVEN),
    wrong("C", C.replace(r"-\beta s_2 (\dot\theta_1 + \dot\theta_2)", r"-\beta s_2 \dot\theta_2"),
          "missing term|coriolis counted once|symbol|velocity", given=GIVEN),
    wrong(EOM, BY_ROWS.replace(r"2\dot", r"\dot"), "coriolis counted once|factor", given=GIVEN),
    wrong(EOM, BY_ROWS.replace(r"+ \beta\sin\theta_2\,\dot\theta_1^2", ""), "missing term|dT/dq missing", given=GIVEN),
    wrong("T", T.replace(r"I_2 (\dot\theta_1+\dot\theta_2)^2", r"I_2 (\dot\theta_1^2+\dot\theta_2^2)"), "cross term"),
    wrong("T", T.replace(r"\frac12 m_2 \left(", r"m_2 \left("), "factor"),
    wrong("H", M, "parallel axis missing",
          given=GIVEN.replace("delta = I2 + m2*r2^2", "delta = I2").replace("(l1^2 + r2^2)", "l1^2")),
    wrong(EOM, BY_ROWS.replace(r"2\dot", r"\dot").replace(r"\sin\theta_2\,", r"\cos\theta_2\,"),
          "coriolis counted once|factor", "function", given=GIVEN),
    wrong("H", WHERE.replace("m_2 l_1 r_2", "m_2 l_1 r_1").replace("+ I_2 + m_1", "+ m_1") + "\n" + M,
          "symbol|wrong link", "missing term")))
