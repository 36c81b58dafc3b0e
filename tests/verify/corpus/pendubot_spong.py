"""The pendubot: two links, a motor at the shoulder; angles from the horizontal."""

from tests.verify.corpus.case import EOM, Model, Revolute, System, mcI, right, sp, wrong, xlt

m1, m2, l1, lc1, lc2, I1, I2, g = sp.symbols("m_1 m_2 l_1 l_c1 l_c2 I_1 I_2 g", positive=True)


def model():
    links = [mcI(m1, [lc1, 0, 0], sp.diag(I1, I1, I1)), mcI(m2, [lc2, 0, 0], sp.diag(I2, I2, I2))]
    return Model([0, 1], [Revolute("z"), Revolute("z")], [sp.eye(6), xlt([l1, 0, 0])], links, (0, -g, 0),
                 ["link 1", "link 2"])


PARAMETERS = {r"\theta_1": "m_1*l_c1^2 + m_2*l_1^2 + I_1", r"\theta_2": "m_2*l_c2^2 + I_2", r"\theta_3": "m_2*l_1*l_c2",
              r"\theta_4": "m_1*l_c1 + m_2*l_1", r"\theta_5": "m_2*l_c2"}
INERTIA = (r"D(q) = \begin{bmatrix} \theta_1+\theta_2+2\theta_3\cos q_2 & \theta_2+\theta_3\cos q_2 \\"
           r" \theta_2+\theta_3\cos q_2 & \theta_2 \end{bmatrix}")
GRAVITY = (r"\begin{bmatrix} \theta_4 g\cos q_1 + \theta_5 g\cos(q_1+q_2) \\ \theta_5 g\cos(q_1+q_2) \end{bmatrix}")
CORIOLIS = (r"\begin{bmatrix} -\theta_3\sin(q_2)\dot q_2 & -\theta_3\sin(q_2)\dot q_2 - \theta_3\sin(q_2)\dot q_1 \\"
            r" \theta_3\sin(q_2)\dot q_1 & 0 \end{bmatrix}")
WHOLE = (r"D(q)\ddot q + C(q,\dot q)\dot q + g(q) = \tau \\ " + INERTIA + r"\\ C(q,\dot q) = " + CORIOLIS
         + r"\\ g(q) = " + GRAVITY)
ENTRIES = """D11 = m1*lc1^2 + m2*(l1^2 + lc2^2 + 2*l1*lc2*cos(q2)) + I1 + I2
D22 = m2*lc2^2 + I2
D12 = m2*(lc2^2 + l1*lc2*cos(q2)) + I2"""
EQUATIONS = r"""\begin{aligned}
d_{11}\ddot q_1 + d_{12}\ddot q_2 + h_1 + \phi_1 &= \tau_1 \\
d_{12}\ddot q_1 + d_{22}\ddot q_2 + h_2 + \phi_2 &= 0
\end{aligned}"""
EXPLAINED = {"d11": "m_1*l_c1^2 + m_2*(l_1^2 + l_c2^2 + 2*l_1*l_c2*cos(q2)) + I_1 + I_2", "d22": "m_2*l_c2^2 + I_2",
             "d12": "m_2*(l_c2^2 + l_1*l_c2*cos(q2)) + I_2",
             "h1": "-m_2*l_1*l_c2*sin(q2)*qd2^2 - 2*m_2*l_1*l_c2*sin(q2)*qd2*qd1", "h2": "m_2*l_1*l_c2*sin(q2)*qd1^2",
             "phi1": "(m_1*l_c1 + m_2*l_1)*g*cos(q1) + m_2*l_c2*g*cos(q1 + q2)", "phi2": "m_2*l_c2*g*cos(q1 + q2)"}
WRITTEN_OUT = ("(m1*lc1^2 + m2*(l1^2 + lc2^2 + 2*l1*lc2*cos(q2)) + I1 + I2)*q1'' + (m2*(lc2^2 + l1*lc2*cos(q2))"
               " + I2)*q2'' - m2*l1*lc2*sin(q2)*q2'^2 - 2*m2*l1*lc2*sin(q2)*q2'*q1' + (m1*lc1 + m2*l1)*g*cos(q1)"
               " + m2*lc2*g*cos(q1 + q2) = tau1\n"
               "(m2*(lc2^2 + l1*lc2*cos(q2)) + I2)*q1'' + (m2*lc2^2 + I2)*q2'' + m2*l1*lc2*sin(q2)*q1'^2"
               " + m2*lc2*g*cos(q1 + q2) = 0")
SYSTEM = System("pendubot_spong", "Spong and Block, The Pendubot, 1995; Fantoni, Lozano and Spong, 2000", model, (
    right("H", INERTIA, PARAMETERS), right("C", CORIOLIS, PARAMETERS), right("g", GRAVITY, PARAMETERS),
    right("H", ENTRIES), right(EOM, EQUATIONS, EXPLAINED), right(EOM, WRITTEN_OUT),
    right("V", r"P(q) = \theta_4 g\sin q_1 + \theta_5 g\sin(q_1+q_2)", PARAMETERS),
    right("T", r"\frac12 m_1 l_{c1}^2\dot q_1^2 + \frac12 I_1\dot q_1^2 + \frac12 I_2(\dot q_1+\dot q_2)^2"
          r" + \frac12 m_2\left(l_1^2\dot q_1^2 + l_{c2}^2(\dot q_1+\dot q_2)^2"
          r" + 2 l_1 l_{c2}\cos(q_2)\dot q_1(\dot q_1+\dot q_2)\right)"),
    right(EOM, WHOLE, PARAMETERS), wrong("H", ENTRIES.replace("+ I1 + I2", "+ I1"), "missing term"),
    wrong("H", ENTRIES.replace("D22 = m2*lc2^2 + I2", "D22 = I2"), "missing term|parallel axis missing"),
    wrong("g", GRAVITY.replace(r"\cos", r"\sin"), "function|other axis", given=PARAMETERS),
    wrong(EOM, WRITTEN_OUT.replace("(m1*lc1 + m2*l1)*g", "(m1*lc1 + m1*l1)*g"), "symbol"),
    wrong("C", CORIOLIS.replace(r"\theta_3\sin(q_2)\dot q_1 & 0", r"-\theta_3\sin(q_2)\dot q_1 & 0"), "sign|dT/dq sign",
          given=PARAMETERS),
    wrong(EOM, WRITTEN_OUT.replace("- m2*l1*lc2*sin(q2)*q2'^2", ""), "missing term"),
    wrong(EOM, WRITTEN_OUT.replace("(m1*lc1 + m2*l1)*g*cos(q1)", "(m1*lc1 + m2*l1)*g*sin(q1)"), "function"),
    wrong("H", ENTRIES.replace("+ I1 + I2", "+ I1").replace("2*l1*lc2*cos(q2)", "l1*lc2*cos(q2)"), "missing term",
          "factor"),
    wrong(EOM, WRITTEN_OUT.replace("- 2*m2*l1*lc2*sin(q2)*q2'*q1'", "- m2*l1*lc2*sin(q2)*q2'*q1'")
          .replace("+ m2*l1*lc2*sin(q2)*q1'^2", "- m2*l1*lc2*sin(q2)*q1'^2"), "factor|coriolis counted once", "sign"),
    wrong(EOM, WHOLE.replace(r"\theta_4 g\cos", r"\theta_4 g\sin").replace(r"\theta_3\sin(q_2)\dot q_1 & 0",
          r"-\theta_3\sin(q_2)\dot q_1 & 0"), "function", "sign|dT/dq sign", given=PARAMETERS)))
