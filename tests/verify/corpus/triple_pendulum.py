"""Three point masses on rods without mass that hang from one another."""

from tests.verify.corpus.case import EOM, Model, Revolute, System, mcI, right, sp, wrong, xlt

m1, m2, m3, l1, l2, l3, g = sp.symbols("m1 m2 m3 l1 l2 l3 g", positive=True)


def model():
    inertias = [mcI(m, [0, -l, 0], sp.zeros(3)) for m, l in ((m1, l1), (m2, l2), (m3, l3))]
    return Model([0, 1, 2], [Revolute("z")] * 3, [sp.eye(6), xlt([0, -l1, 0]), xlt([0, -l2, 0])], inertias, (0, -g, 0),
                 ["rod 1", "rod 2", "rod 3"])


ABSOLUTE = "theta1 = q1; theta2 = q1 + q2; theta3 = q1 + q2 + q3"
INERTIA = r"""\begin{bmatrix}
(m_1+m_2+m_3) l_1^2 & (m_2+m_3) l_1 l_2 \cos(\theta_1-\theta_2) & m_3 l_1 l_3 \cos(\theta_1-\theta_3) \\
(m_2+m_3) l_1 l_2 \cos(\theta_1-\theta_2) & (m_2+m_3) l_2^2 & m_3 l_2 l_3 \cos(\theta_2-\theta_3) \\
m_3 l_1 l_3 \cos(\theta_1-\theta_3) & m_3 l_2 l_3 \cos(\theta_2-\theta_3) & m_3 l_3^2
\end{bmatrix}"""
GRAVITY = "[(m1+m2+m3)*g*l1*sin(theta1), (m2+m3)*g*l2*sin(theta2), m3*g*l3*sin(theta3)]"
LAGRANGIAN = (r"\frac12(m_1+m_2+m_3)l_1^2\dot\theta_1^2 + \frac12(m_2+m_3)l_2^2\dot\theta_2^2"
              r" + \frac12 m_3 l_3^2\dot\theta_3^2 + (m_2+m_3)l_1l_2\dot\theta_1\dot\theta_2\cos(\theta_1-\theta_2)"
              r" + m_3l_1l_3\dot\theta_1\dot\theta_3\cos(\theta_1-\theta_3)"
              r" + m_3l_2l_3\dot\theta_2\dot\theta_3\cos(\theta_2-\theta_3)"
              r" + (m_1+m_2+m_3)gl_1\cos\theta_1 + (m_2+m_3)gl_2\cos\theta_2 + m_3gl_3\cos\theta_3")
VELOCITY = ("[(m2+m3)*l1*l2*sin(theta1-theta2)*theta2'^2 + m3*l1*l3*sin(theta1-theta3)*theta3'^2,"
            " -(m2+m3)*l1*l2*sin(theta1-theta2)*theta1'^2 + m3*l2*l3*sin(theta2-theta3)*theta3'^2,"
            " -m3*l1*l3*sin(theta1-theta3)*theta1'^2 - m3*l2*l3*sin(theta2-theta3)*theta2'^2]")
SYSTEM = System("triple_pendulum", "lecture notes on Lagrangian mechanics; angles from the downward vertical", model, (
    right("H", INERTIA, ABSOLUTE), right("g", GRAVITY, ABSOLUTE), right("L", LAGRANGIAN, ABSOLUTE),
    right(EOM, "(m1+m2+m3)*l1*theta1'' + (m2+m3)*l2*(theta2''*cos(theta1-theta2) + theta2'^2*sin(theta1-theta2))"
          " + m3*l3*(theta3''*cos(theta1-theta3) + theta3'^2*sin(theta1-theta3)) + (m1+m2+m3)*g*sin(theta1) = 0\n"
          "(m2+m3)*l2*theta2'' + (m2+m3)*l1*(theta1''*cos(theta1-theta2) - theta1'^2*sin(theta1-theta2))"
          " + m3*l3*(theta3''*cos(theta2-theta3) + theta3'^2*sin(theta2-theta3)) + (m2+m3)*g*sin(theta2) = 0\n"
          "l3*theta3'' + l1*(theta1''*cos(theta1-theta3) - theta1'^2*sin(theta1-theta3))"
          " + l2*(theta2''*cos(theta2-theta3) - theta2'^2*sin(theta2-theta3)) + g*sin(theta3) = 0", ABSOLUTE),
    right("C", VELOCITY, ABSOLUTE),
    right("V", "-m1*g*l1*cos(q1) - m2*g*(l1*cos(q1) + l2*cos(q1+q2))"
          " - m3*g*(l1*cos(q1) + l2*cos(q1+q2) + l3*cos(q1+q2+q3))"),
    right("g", r"\begin{bmatrix} (m_1+m_2+m_3) g l_1 s_1 + (m_2+m_3) g l_2 s_{12} + m_3 g l_3 s_{123} \\"
          r" (m_2+m_3) g l_2 s_{12} + m_3 g l_3 s_{123} \\ m_3 g l_3 s_{123} \end{bmatrix}"),
    wrong("H", INERTIA.replace("(m_2+m_3) l_2^2", "m_2 l_2^2"), "missing term|extra factor", given=ABSOLUTE),
    wrong("H", INERTIA.replace(r"m_3 l_2 l_3 \cos(\theta_2-\theta_3)", r"m_3 l_2 l_3 \sin(\theta_2-\theta_3)"),
          "function", given=ABSOLUTE),
    wrong("g", GRAVITY.replace("(m2+m3)*g*l2", "m2*g*l2"), "missing term|extra factor", given=ABSOLUTE),
    wrong("L", LAGRANGIAN.replace(r"+ m_3gl_3\cos\theta_3", r"- m_3gl_3\cos\theta_3"), "sign", given=ABSOLUTE),
    wrong("C", VELOCITY.replace("-(m2+m3)*l1*l2", "(m2+m3)*l1*l2"), "sign", given=ABSOLUTE),
    wrong("L", LAGRANGIAN.replace(r"m_3l_1l_3\dot\theta_1\dot\theta_3", r"m_3l_1l_3\dot\theta_1\dot\theta_2"), "symbol",
          given=ABSOLUTE),
    wrong("H", INERTIA.replace("(m_2+m_3) l_2^2", "m_2 l_2^2").replace("m_3 l_3^2", "m_3 l_3"),
          "missing term|extra factor", "power|lost factor", given=ABSOLUTE),
    wrong("g", GRAVITY.replace("(m1+m2+m3)", "(m1+m2)").replace("sin(theta3)", "cos(theta3)"),
          "missing term|extra factor", "function", given=ABSOLUTE)))
