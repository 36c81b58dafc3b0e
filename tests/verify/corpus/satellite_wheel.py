"""A satellite that turns about one axis, with a reaction wheel on it."""

from tests.verify.corpus.case import EOM, Model, Revolute, System, mcI, right, sp, wrong

I_s, I_w, m_s, m_w = sp.symbols("I_s I_w m_s m_w", positive=True)
#: theta is the satellite's angle, psi the wheel's relative to the satellite; omega_w is the wheel's absolute velocity.
NAMES = "theta = q1; psi = q2"
MOTOR = NAMES + "; u = tau2; tau_d = tau1"


def satellite():
    """Both bodies turn about z, without gravity."""
    eye = sp.eye(6)
    bodies = [mcI(m, [0, 0, 0], sp.diag(inertia, inertia, inertia)) for m, inertia in ((m_s, I_s), (m_w, I_w))]
    return Model([0, 1], [Revolute("z"), Revolute("z")], [eye] * 2, bodies, gravity=(0, 0, 0),
                 names=["satellite", "wheel"])


KINETIC = r"T = \frac{1}{2} I_s\dot\theta^2 + \frac{1}{2} I_w(\dot\theta + \dot\psi)^2"
MOTION = r"""(I_s + I_w)\ddot\theta + I_w\ddot\psi = \tau_d \\
I_w(\ddot\theta + \ddot\psi) = u"""
SOLVED = r"""\ddot\theta = \frac{\tau_d - u}{I_s}, \quad
\ddot\psi = \frac{u}{I_w} - \frac{\tau_d - u}{I_s}"""
MOMENTUM = "[0, 0, I_s*qd1 + I_w*(qd1 + qd2), 0, 0, 0]"
SYSTEM = System("satellite_wheel", "Hughes, Spacecraft Attitude Dynamics; Sidi, Spacecraft Dynamics and Control",
                satellite, (
    right("T", KINETIC, NAMES), right("T", "1/2*I_s*thetadot^2 + 1/2*I_w*phidot^2", "theta = q1; phi = q1 + q2"),
    right("H", r"\begin{pmatrix} I_s + I_w & I_w \\ I_w & I_w \end{pmatrix}"), right(EOM, MOTION, MOTOR),
    right(EOM, SOLVED, MOTOR), right(EOM, "I_s*thetaddot = -u\nI_w*phiddot = u", "theta = q1; phi = q1 + q2; u = tau2"),
    right("momentum", MOMENTUM), right("p", "[(I_s + I_w)*qd1 + I_w*qd2, I_w*(qd1 + qd2)]"),
    right("impulse", "[(I_s + I_w)*qd1 + I_w*qd2, I_w*(qd1 + qd2)]"),
    wrong("T", KINETIC.replace(r"(\dot\theta + \dot\psi)", r"\dot\psi"), "absolute velocity|velocity", given=NAMES),
    wrong("T", KINETIC.replace(r"(\dot\theta + \dot\psi)^2", r"(\dot\theta^2 + \dot\psi^2)"),
          "cross term|coupling missing", given=NAMES),
    wrong("H", r"\begin{pmatrix} I_s + I_w & 0 \\ 0 & I_w \end{pmatrix}", "coupling missing"),
    wrong(EOM, MOTION.replace("(I_s + I_w)", "I_s"), "missing term|velocity", given=MOTOR),
    wrong("momentum", MOMENTUM.replace("+ I_w", "- I_w"), "sign"),
    wrong(EOM, SOLVED.replace(r"\frac{u}{I_w}", r"\frac{u}{I_s}"), "symbol", given=MOTOR),
    wrong("p", "[I_s*qd1 + I_w*qd2, I_w*(qd1 - qd2)]", "missing term|velocity", "sign"),
    wrong("H", r"\begin{pmatrix} I_s + I_w & -I_w \\ -I_w & I_s \end{pmatrix}", "coupling sign|sign",
          "symbol|wrong link")))
