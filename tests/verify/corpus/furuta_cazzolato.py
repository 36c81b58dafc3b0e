"""The rotary pendulum with general inertias: an arm about the vertical axis, a pendulum at its end."""

from tests.verify.corpus.case import EOM, Model, Revolute, System, mcI, right, sp, wrong, xlt

m1, m2, l1, l2, L1, J1, J2, g = sp.symbols("m1 m2 l1 l2 L1 J1 J2 g", positive=True)


def model():
    arm = mcI(m1, [l1, 0, 0], sp.diag(0, J1, J1))
    pendulum = mcI(m2, [0, 0, -l2], sp.diag(J2, J2, 0))
    return Model([0, 1], [Revolute("z"), Revolute("x")], [sp.eye(6), xlt([L1, 0, 0])], [arm, pendulum], (0, 0, -g),
                 ["arm", "pendulum"])


HATS = {r"\hat{J}_1": "J1 + m1*l1^2", r"\hat{J}_2": "J2 + m2*l2^2", r"\hat{J}_0": "J1 + m1*l1^2 + m2*L1^2"}
NAMES = "Jh2 = J2 + m2*l2^2; Jh0 = J1 + m1*l1^2 + m2*L1^2"
EQUATIONS = (
    r"\ddot\theta_1\left(J_1 + m_1 l_1^2 + m_2 L_1^2 + (J_2 + m_2 l_2^2)\sin^2(\theta_2)\right)"
    r" + \ddot\theta_2 m_2 L_1 l_2\cos(\theta_2) - m_2 L_1 l_2\sin(\theta_2)\dot\theta_2^2"
    r" + \dot\theta_1\dot\theta_2\sin(2\theta_2)\left(J_2 + m_2 l_2^2\right) = \tau_1 \\"
    r" \ddot\theta_1 m_2 L_1 l_2\cos(\theta_2) + \ddot\theta_2\left(J_2 + m_2 l_2^2\right)"
    r" - \frac{1}{2}\dot\theta_1^2\sin(2\theta_2)\left(J_2 + m_2 l_2^2\right) + g m_2 l_2\sin(\theta_2) = \tau_2")
INERTIA = ("[[Jh0 + Jh2*sin(theta2)**2, m2*L1*l2*cos(theta2)], [m2*L1*l2*cos(theta2), Jh2]]")
VELOCITY = ("[Jh2*sin(2*theta2)*theta1'*theta2' - m2*L1*l2*sin(theta2)*theta2'^2, -1/2*Jh2*sin(2*theta2)*theta1'^2]")
KINETIC = (r"E_k = \frac12 J_1\dot\theta_1^2 + \frac12 m_1 l_1^2\dot\theta_1^2 + \frac12 m_2\left(L_1^2\dot\theta_1^2"
           r" + l_2^2\dot\theta_2^2 + l_2^2\sin^2\theta_2\,\dot\theta_1^2"
           r" + 2 L_1 l_2\cos\theta_2\,\dot\theta_1\dot\theta_2\right)"
           r" + \frac12 J_2\left(\dot\theta_2^2 + \dot\theta_1^2\sin^2\theta_2\right)")
SOLVED = ("qdd1 = (Jh2*(tau1 + m2*L1*l2*sin(q2)*qd2^2 - Jh2*sin(2*q2)*qd1*qd2) - m2*L1*l2*cos(q2)*(tau2"
          " + 1/2*Jh2*sin(2*q2)*qd1^2 - g*m2*l2*sin(q2)))/(Jh0*Jh2 + Jh2^2*sin(q2)^2 - m2^2*L1^2*l2^2*cos(q2)^2)\n"
          "qdd2 = ((Jh0 + Jh2*sin(q2)^2)*(tau2 + 1/2*Jh2*sin(2*q2)*qd1^2 - g*m2*l2*sin(q2)) - m2*L1*l2*cos(q2)*(tau1"
          " + m2*L1*l2*sin(q2)*qd2^2 - Jh2*sin(2*q2)*qd1*qd2))/(Jh0*Jh2 + Jh2^2*sin(q2)^2 - m2^2*L1^2*l2^2*cos(q2)^2)")
MATRICES = (r"\begin{bmatrix} \hat J_0 + \hat J_2\sin^2\theta_2 & m_2L_1l_2\cos\theta_2 \\ m_2L_1l_2\cos\theta_2 & \hat"
            r" J_2\end{bmatrix}\begin{bmatrix}\ddot\theta_1\\ \ddot\theta_2\end{bmatrix} + \begin{bmatrix}"
            r" \frac12\hat J_2\dot\theta_2\sin 2\theta_2 & \frac12\hat J_2\dot\theta_1\sin 2\theta_2"
            r" - m_2L_1l_2\sin\theta_2\dot\theta_2 \\ -\frac12\hat J_2\dot\theta_1\sin 2\theta_2 & 0\end{bmatrix}"
            r"\begin{bmatrix}\dot\theta_1\\ \dot\theta_2\end{bmatrix}"
            r" + \begin{bmatrix}0\\ g m_2 l_2\sin\theta_2\end{bmatrix} = \begin{bmatrix}\tau_1\\ \tau_2\end{bmatrix}")
SYSTEM = System("furuta_cazzolato",
                "Cazzolato and Prime, On the dynamics of the Furuta pendulum, 2011, without friction", model, (
    right(EOM, EQUATIONS),
    right(EOM, EQUATIONS.replace("J_1 + m_1 l_1^2 + m_2 L_1^2", r"\hat{J}_0")
          .replace(r"\left(J_2 + m_2 l_2^2\right)", r"\hat{J}_2").replace("(J_2 + m_2 l_2^2)", r"\hat{J}_2"), HATS),
    right("H", INERTIA, NAMES), right("C", VELOCITY, NAMES), right("T", KINETIC),
    right("V", r"E_p = g m_2 l_2\left(1 - \cos\theta_2\right)"), right("qdd", SOLVED, NAMES),
    right("p", "[(Jh0 + Jh2*sin(q2)^2)*qd1 + m2*L1*l2*cos(q2)*qd2, m2*L1*l2*cos(q2)*qd1 + Jh2*qd2]", NAMES),
    right(EOM, EQUATIONS.replace(r"\theta_1", r"\alpha").replace(r"\theta_2", r"\beta"), "alpha = q1; beta = q2"),
    right(EOM, MATRICES, HATS), wrong(EOM, EQUATIONS.replace(r"\frac{1}{2}\dot", r"\dot"), "factor|half forgotten"),
    wrong(EOM, EQUATIONS.replace("+ m_2 L_1^2", ""), "missing term"),
    wrong(EOM, EQUATIONS.replace(r"- m_2 L_1 l_2\sin", r"+ m_2 L_1 l_2\sin"), "sign|centrifugal sign"),
    wrong("H", INERTIA.replace("sin(", "cos("), "function|other axis", given=NAMES),
    wrong("H", INERTIA, "parallel axis missing|missing term", given="Jh2 = J2; Jh0 = J1 + m1*l1^2 + m2*L1^2"),
    wrong("C", VELOCITY.replace("Jh2*sin(2*theta2)*theta1'*theta2'", "1/2*Jh2*sin(2*theta2)*theta1'*theta2'"),
          "factor|coriolis counted once", given=NAMES),
    wrong("T", KINETIC.replace(r" + 2 L_1 l_2\cos\theta_2\,\dot\theta_1\dot\theta_2", ""),
          "missing term|coupling missing"),
    wrong("T", KINETIC.replace(r"\frac12 J_2", r"J_2"), "factor"),
    wrong(EOM, EQUATIONS.replace("+ g m_2", "- g m_2"), "sign|gravity reversed|gravity sign"),
    wrong(EOM, EQUATIONS.replace("+ g m_2", "- g m_2").replace(r"\frac{1}{2}\dot", r"\dot"),
          "sign|gravity reversed|gravity sign", "factor|half forgotten"),
    wrong("C", VELOCITY.replace("- m2*L1", "+ m2*L1").replace("-1/2*Jh2*sin(2", "-Jh2*sin(2"), "sign",
          "factor|half forgotten", given=NAMES),
    wrong("T", KINETIC.replace(r"2 L_1 l_2\cos", r"L_1 l_2\sin"), "factor", "function"),
    wrong(EOM, MATRICES.replace(r"g m_2 l_2\sin", r"g m_2 L_1\cos"), "symbol|length for half-length|half-length",
          "function", given=HATS),
    wrong(EOM, MATRICES.replace(r"- m_2L_1l_2\sin", r"+ m_2L_1l_2\sin"), "sign|centrifugal sign", given=HATS)))
