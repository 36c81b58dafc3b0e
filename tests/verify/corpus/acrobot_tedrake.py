"""The acrobot: two links, a motor at the elbow; moments of inertia about the pivots."""

from tests.verify.corpus.case import EOM, Model, Revolute, System, mcI, right, sp, wrong, xlt

m1, m2, l1, lc1, lc2, Ic1, Ic2, g = sp.symbols("m1 m2 l1 lc1 lc2 Ic1 Ic2 g", positive=True)


def model():
    links = [mcI(m1, [0, -lc1, 0], sp.diag(Ic1, Ic1, Ic1)), mcI(m2, [0, -lc2, 0], sp.diag(Ic2, Ic2, Ic2))]
    return Model([0, 1], [Revolute("z"), Revolute("z")], [sp.eye(6), xlt([0, -l1, 0])], links, (0, -g, 0),
                 ["upper link", "lower link"])


PIVOTS = "I1 = Ic1 + m1*lc1^2; I2 = Ic2 + m2*lc2^2"
INERTIA = (r"\mathbf{M} = \begin{bmatrix} I_1 + I_2 + m_2 l_1^2 + 2m_2 l_1 l_{c2} c_2 & I_2 + m_2 l_1 l_{c2} c_2 \\"
           r" I_2 + m_2 l_1 l_{c2} c_2 & I_2 \end{bmatrix}")
CORIOLIS = (r"\mathbf{C} = \begin{bmatrix} -2 m_2 l_1 l_{c2} s_2\dot\theta_2 & -m_2 l_1 l_{c2} s_2\dot\theta_2 \\"
            r" m_2 l_1 l_{c2} s_2\dot\theta_1 & 0 \end{bmatrix}")
EQUATIONS = ("(I1 + I2 + m2*l1^2 + 2*m2*l1*lc2*c2)*q1'' + (I2 + m2*l1*lc2*c2)*q2'' - 2*m2*l1*lc2*s2*q1'*q2'"
             " - m2*l1*lc2*s2*q2'^2 + m1*g*lc1*s1 + m2*g*(l1*s1 + lc2*s12) = 0\n"
             "(I2 + m2*l1*lc2*c2)*q1'' + I2*q2'' + m2*l1*lc2*s2*q1'^2 + m2*g*lc2*s12 = tau2")
KINETIC = (r"T = \frac12 I_1\dot q_1^2 + \frac12\left(m_2 l_1^2 + I_2 + 2m_2 l_1 l_{c2} c_2\right)\dot q_1^2"
           r" + \frac12 I_2\dot q_2^2 + (I_2 + m_2 l_1 l_{c2} c_2)\dot q_1\dot q_2")
POTENTIAL = r"U = -m_1 g l_{c1} c_1 - m_2 g(l_1 c_1 + l_{c2} c_{1+2})"
WHOLE = (r"\mathbf{M}(q)\ddot q + \mathbf{C}(q,\dot q)\dot q = \tau_g(q) + \mathbf{B} u \\ " + INERTIA
         + r"\\ " + CORIOLIS + r"\\ \tau_g = \begin{bmatrix} -m_1 g l_{c1} s_1 - m_2 g (l_1 s_1 + l_{c2} s_{12}) \\"
         r" -m_2 g l_{c2} s_{12} \end{bmatrix} \\ \mathbf{B} = \begin{bmatrix} 0 \\ 1 \end{bmatrix}")
SYSTEM = System("acrobot_tedrake", "Tedrake, Underactuated Robotics, chapter 3; theta1 from the downward vertical",
                model, (
    right("H", INERTIA, PIVOTS), right("C", CORIOLIS),
    right("g", "[m1*g*lc1*s1 + m2*g*(l1*s1 + lc2*s12), m2*g*lc2*s12]"), right(EOM, EQUATIONS, PIVOTS),
    right("T", KINETIC, PIVOTS), right("V", POTENTIAL),
    right("E", "1/2*(I1 + I2 + m2*l1^2 + 2*m2*l1*lc2*cos(q2))*qd1^2 + 1/2*I2*qd2^2"
          " + (I2 + m2*l1*lc2*cos(q2))*qd1*qd2 - m1*g*lc1*cos(q1) - m2*g*(l1*cos(q1) + lc2*cos(q1 + q2))", PIVOTS),
    right("com", "[(m1*lc1*sin(q1) + m2*(l1*sin(q1) + lc2*sin(q1+q2)))/(m1+m2),"
          " -(m1*lc1*cos(q1) + m2*(l1*cos(q1) + lc2*cos(q1+q2)))/(m1+m2), 0]"),
    right("p", "[(I1 + I2 + m2*l1^2 + 2*m2*l1*lc2*cos(q2))*qd1 + (I2 + m2*l1*lc2*cos(q2))*qd2,"
          " I2*(qd1 + qd2) + m2*l1*lc2*cos(q2)*qd1]", PIVOTS),
    right("g", "(m1*lc1 + m2*l1)*g*cos(q1) + m2*lc2*g*cos(q1+q2)\nm2*lc2*g*cos(q1+q2)", "q1 from the horizontal"),
    right(EOM, WHOLE, PIVOTS + "; u = tau2"),
    wrong("H", INERTIA.replace("+ m_2 l_1^2 ", ""), "missing term", given=PIVOTS),
    wrong("H", INERTIA, "parallel axis missing|missing term", given=PIVOTS.replace("Ic2 + m2*lc2^2", "Ic2")),
    wrong("C", CORIOLIS.replace("-2 m_2", "-m_2"), "factor|coriolis counted once"),
    wrong("g", "[m1*g*lc1*s1 + m2*g*(l1*s1 + lc2*s2), m2*g*lc2*s2]", "argument|symbol|absolute angle"),
    wrong("g", "[m1*g*l1*s1 + m2*g*(l1*s1 + lc2*s12), m2*g*lc2*s12]", "symbol|length for half-length|half-length"),
    wrong(EOM, EQUATIONS.replace("+ m2*l1*lc2*s2*q1'^2", "- m2*l1*lc2*s2*q1'^2"), "sign", given=PIVOTS),
    wrong("T", KINETIC.replace(r"\frac12 I_2", "I_2"), "factor", given=PIVOTS),
    wrong("V", POTENTIAL.replace("c_{1+2}", "c_2"), "argument|symbol|absolute angle"),
    wrong("H", INERTIA.replace("+ m_2 l_1^2 ", "").replace("2m_2", "m_2"), "missing term", "factor", given=PIVOTS),
    wrong(EOM, EQUATIONS.replace("- 2*m2", "- m2").replace("+ m2*g*lc2*s12", "- m2*g*lc2*s12"),
          "factor|coriolis counted once", "sign", given=PIVOTS),
    wrong("g", "[m1*g*lc1*s1 + m2*g*(lc1*s1 + lc2*s12), -m2*g*lc2*s12]", "symbol", "sign"),
    wrong("V", POTENTIAL.replace("c_{1+2}", "s_{12}").replace("m_2 g", "2 m_2 g"), "function", "factor")))
