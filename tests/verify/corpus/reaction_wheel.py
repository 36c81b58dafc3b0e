"""The reaction wheel pendulum: a pendulum whose end carries a motor-driven disk."""

from tests.verify.corpus.case import EOM, Model, Revolute, System, mcI, right, sp, wrong, xlt

m1, m2, l1, lc1, I1, I2, g = sp.symbols("m1 m2 l1 lc1 I1 I2 g", positive=True)


def model():
    """q1 from the upward vertical, q2 the disk's angle relative to the pendulum."""
    pendulum = mcI(m1, [0, lc1, 0], sp.diag(I1, I1, I1))
    return Model([0, 1], [Revolute("z"), Revolute("z")], [sp.eye(6), xlt([0, l1, 0])],
                 [pendulum, mcI(m2, [0, 0, 0], sp.diag(I2, I2, I2))], (0, -g, 0), ["pendulum", "disk"])


SPONG = (r"d_{11}\ddot q_1 + d_{12}\ddot q_2 - \bar m g\sin(q_1) = 0 \\ d_{21}\ddot q_1 + d_{22}\ddot q_2 = \tau_2")
BAR = {r"\bar{m}": "m1*lc1 + m2*l1", "d11": "m1*lc1^2 + m2*l1^2 + I1 + I2", "d12": "I2", "d21": "I2", "d22": "I2"}
#: theta: the pendulum; theta_r: the disk seen from the ground.
ABSOLUTE = "theta = q1; theta_r = q1 + q2; J = m1*lc1^2 + m2*l1^2 + I1; J_r = I2; m0 = (m1*lc1 + m2*l1); u = tau2"
LAGRANGIAN = r"L = \frac12 J\dot\theta^2 + \frac12 J_r\dot\theta_r^2 - m_0 g\cos\theta"
EQUATIONS = r"\begin{align} J\ddot\theta - m_0 g\sin\theta &= -u \\ J_r\ddot\theta_r &= u \end{align}"
SYSTEM = System("reaction_wheel", "Spong, Corke and Lozano 2001; Block, Astrom and Spong 2007", model, (
    right(EOM, SPONG, BAR), right(EOM, EQUATIONS, ABSOLUTE), right("L", LAGRANGIAN, ABSOLUTE),
    right("H", "[m1*lc1^2 + m2*l1^2 + I1 + I2, I2; I2, I2]"),
    right("qdd", r"\ddot q_1 = \frac{(m_1 l_{c1} + m_2 l_1) g\sin q_1 + \tau_1 - \tau_2}"
          r"{m_1 l_{c1}^2 + m_2 l_1^2 + I_1} \\ \ddot q_2 = \frac{\tau_2}{I_2}"
          r" - \frac{(m_1 l_{c1} + m_2 l_1) g\sin q_1 + \tau_1 - \tau_2}{m_1 l_{c1}^2 + m_2 l_1^2 + I_1}"),
    right("T", "1/2*m1*(lc1*q1dot)^2 + 1/2*I1*q1dot^2 + 1/2*m2*(l1*q1dot)^2 + 1/2*I2*(q1dot + q2dot)^2"),
    right("g", "[-(m1*lc1 + m2*l1)*g*sin(q1), 0]"),
    right("V", r"V = m_1 g l_{c1}\cos\theta + m_2 g l_1\cos\theta", "theta = q1"), right("C", "[0, 0]"),
    right("C", "[[0, 0], [0, 0]]"),
    wrong(EOM, SPONG.replace(r"- \bar m", r"+ \bar m"), "sign|gravity reversed|gravity sign", given=BAR),
    wrong(EOM, EQUATIONS.replace("= -u", "= u"), "sign", given=ABSOLUTE,
          missed="forces in other coordinates are taken to be meant"),
    wrong("L", LAGRANGIAN.replace(r"- m_0", r"+ m_0"), "sum for difference|gravity reversed|sign", given=ABSOLUTE),
    wrong("H", "[m1*lc1^2 + m2*l1^2 + I1, I2; I2, I2]", "missing term"),
    wrong("H", "[m1*lc1^2 + m2*l1^2 + I1 + I2, 0; 0, I2]", "coupling missing|absolute velocity"),
    wrong("T", "1/2*m1*(lc1*q1dot)^2 + 1/2*I1*q1dot^2 + 1/2*m2*(l1*q1dot)^2 + 1/2*I2*q2dot^2",
          "absolute velocity|velocity|missing term"),
    wrong("g", "[-(m1*lc1 + m2*l1)*g*cos(q1), 0]", "function|other axis"),
    wrong("H", "[m1*lc1^2 + m2*l1 + I1 + I2, -I2; -I2, I2]", "power|lost factor", "coupling sign|sign"),
    wrong("T", "1/2*m1*(lc1*q1dot)^2 + I1*q1dot^2 + 1/2*m2*(l1*q1dot)^2 + 1/2*I2*q2dot^2", "factor",
          "absolute velocity|velocity|missing term")))
