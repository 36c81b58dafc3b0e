"""Two point masses on rods without mass that hang from a cart."""

from tests.verify.corpus.case import EOM, Model, Prismatic, Revolute, System, mcI, right, sp, wrong, xlt

m0, m1, m2, l1, l2, g = sp.symbols("m0 m1 m2 l1 l2 g", positive=True)


def model():
    inertias = [mcI(m, [0, -l, 0], sp.zeros(3)) for m, l in ((m0, 0), (m1, l1), (m2, l2))]
    return Model([0, 1, 2], [Prismatic("x"), Revolute("z"), Revolute("z")],
                 [sp.eye(6), sp.eye(6), xlt([0, -l1, 0])], inertias, (0, -g, 0), ["cart", "upper rod", "lower rod"])


#: Both angles from the upward vertical, to the right.
UPWARD = "x = q1; theta1 = pi - q2; theta2 = pi - q2 - q3"
DOWNWARD = "x = q1; theta1 = q2; theta2 = q2 + q3"
INERTIA = r"""D(\theta) = \begin{bmatrix}
m_0+m_1+m_2 & (m_1+m_2) l_1\cos\theta_1 & m_2 l_2\cos\theta_2 \\
(m_1+m_2) l_1\cos\theta_1 & (m_1+m_2) l_1^2 & m_2 l_1 l_2\cos(\theta_1-\theta_2) \\
m_2 l_2\cos\theta_2 & m_2 l_1 l_2\cos(\theta_1-\theta_2) & m_2 l_2^2
\end{bmatrix}"""
CORIOLIS = r"""C(\theta,\dot\theta) = \begin{bmatrix}
0 & -(m_1+m_2) l_1\sin(\theta_1)\dot\theta_1 & -m_2 l_2\sin(\theta_2)\dot\theta_2 \\
0 & 0 & m_2 l_1 l_2\sin(\theta_1-\theta_2)\dot\theta_2 \\
0 & -m_2 l_1 l_2\sin(\theta_1-\theta_2)\dot\theta_1 & 0
\end{bmatrix}"""
GRAVITY = r"G(\theta) = \begin{bmatrix} 0 \\ -(m_1+m_2) g l_1\sin\theta_1 \\ -m_2 g l_2\sin\theta_2 \end{bmatrix}"
EQUATIONS = ("(m0+m1+m2)*x'' + (m1+m2)*l1*(cos(theta1)*theta1'' - sin(theta1)*theta1'^2)"
             " + m2*l2*(cos(theta2)*theta2'' - sin(theta2)*theta2'^2) = u\n"
             "(m1+m2)*l1*cos(theta1)*x'' + (m1+m2)*l1^2*theta1'' + m2*l1*l2*cos(theta1-theta2)*theta2''"
             " + m2*l1*l2*sin(theta1-theta2)*theta2'^2 + (m1+m2)*g*l1*sin(theta1) = 0\n"
             "l2*theta2'' + l1*cos(theta1-theta2)*theta1'' - l1*sin(theta1-theta2)*theta1'^2 + cos(theta2)*x''"
             " + g*sin(theta2) = 0")
SYSTEM = System("double_pendulum_on_cart",
                "Bogdanov, Optimal Control of a Double Inverted Pendulum on a Cart (here point masses)", model, (
    right("H", INERTIA, UPWARD), right("C", CORIOLIS, UPWARD), right("g", GRAVITY, UPWARD),
    right(EOM, EQUATIONS, DOWNWARD + "; u = tau1"),
    right("V", "m1*g*l1*cos(theta1) + m2*g*(l1*cos(theta1) + l2*cos(theta2))", UPWARD),
    right("T", "1/2*m0*x'^2 + 1/2*m1*((x' + l1*cos(theta1)*theta1')^2 + (l1*sin(theta1)*theta1')^2)"
          " + 1/2*m2*((x' + l1*cos(theta1)*theta1' + l2*cos(theta2)*theta2')^2"
          " + (l1*sin(theta1)*theta1' + l2*sin(theta2)*theta2')^2)", UPWARD),
    right("g", "[0, (m1+m2)*g*l1*sin(q2) + m2*g*l2*sin(q2+q3), m2*g*l2*sin(q2+q3)]"),
    wrong("H", INERTIA.replace("m_0+m_1+m_2", "m_0+m_1"), "missing term", given=UPWARD),
    wrong("H", INERTIA.replace(r"l_1\cos\theta_1", r"l_1\sin\theta_1"), "function", given=UPWARD),
    wrong("C", CORIOLIS.replace(r"& -(m_1+m_2) l_1", r"& (m_1+m_2) l_1"), "sign", given=UPWARD),
    wrong("g", GRAVITY.replace("-(m_1", "(m_1").replace("-m_2", "m_2"), "gravity reversed|opposite sign|gravity sign",
          given=UPWARD),
    wrong(EOM, EQUATIONS.replace("(m1+m2)*g", "m1*g"), "missing term|extra factor", given=DOWNWARD + "; u = tau1"),
    wrong(EOM, EQUATIONS.replace("- l1*sin(theta1-theta2)", "+ l1*sin(theta1-theta2)"), "sign",
          given=DOWNWARD + "; u = tau1"),
    wrong("H", INERTIA.replace("m_0+m_1+m_2", "m_0+m_1").replace("m_2 l_2^2", "m_1 l_2^2"), "missing term", "symbol",
          given=UPWARD),
    wrong("g", GRAVITY.replace(r"-(m_1+m_2)", "-m_1").replace(r"\sin\theta_2", r"\cos\theta_2"),
          "missing term|extra factor", "function", given=UPWARD),
    wrong(EOM, EQUATIONS.replace("m2*l2*(cos(theta2)*theta2'' - sin", "m2*l2*(cos(theta2)*theta2'' + sin")
          .replace("+ g*sin", "- g*sin"), "sign", "sign|gravity reversed|gravity sign", given=DOWNWARD + "; u = tau1"),
    wrong("V", "m1*g*l1*cos(theta1) + m2*g*(l2*cos(theta1) + l2*sin(theta2))", "symbol", "function", given=UPWARD,
          missed="a body and its term are taken away")))
