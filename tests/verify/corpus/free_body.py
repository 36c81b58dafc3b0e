"""A rigid body that turns freely about its centre of mass: Euler's equations in its principal axes."""

from tests.verify.corpus.case import EOM, Model, Spherical, System, mcI, right, sp, wrong

I_1, I_2, I_3 = sp.symbols("I_1 I_2 I_3", positive=True)
RATES = "omega_1 = qd1; omega_2 = qd2; omega_3 = qd3"
TORQUES = RATES + "; M_1 = tau1; M_2 = tau2; M_3 = tau3"


def body():
    """The velocities are the components of omega in the principal axes."""
    inertia = mcI(sp.Symbol("m", positive=True), [0, 0, 0], sp.diag(I_1, I_2, I_3))
    return Model([0], [Spherical()], [sp.eye(6)], [inertia], gravity=(0, 0, 0), names=["body"])


EULER = r"""I_1\dot\omega_1 - (I_2 - I_3)\omega_2\omega_3 = M_1 \\
I_2\dot\omega_2 - (I_3 - I_1)\omega_3\omega_1 = M_2 \\
I_3\dot\omega_3 - (I_1 - I_2)\omega_1\omega_2 = M_3"""
FREE = """I_1*w1dot = (I_2 - I_3)*w2*w3
I_2*w2dot = (I_3 - I_1)*w3*w1
I_3*w3dot = (I_1 - I_2)*w1*w2"""
SPINS = "w1 = qd1; w2 = qd2; w3 = qd3"
VECTOR = r"""\begin{bmatrix} I_1 & 0 & 0 \\ 0 & I_2 & 0 \\ 0 & 0 & I_3 \end{bmatrix}
\begin{bmatrix} \dot\omega_1 \\ \dot\omega_2 \\ \dot\omega_3 \end{bmatrix}
+ \begin{bmatrix} 0 & -\omega_3 & \omega_2 \\ \omega_3 & 0 & -\omega_1 \\ -\omega_2 & \omega_1 & 0 \end{bmatrix}
\begin{bmatrix} I_1\omega_1 \\ I_2\omega_2 \\ I_3\omega_3 \end{bmatrix}
= \begin{bmatrix} M_1 \\ M_2 \\ M_3 \end{bmatrix}"""
CROSS = "[(I_3 - I_2)*qd2*qd3, (I_1 - I_3)*qd3*qd1, (I_2 - I_1)*qd1*qd2]"
MOMENTUM = """[2*(q2*q3 - q1*q4)*I_2*qd2 + (q1^2 + q2^2 - q3^2 - q4^2)*I_1*qd1 + 2*(q2*q4 + q1*q3)*I_3*qd3,
2*(q2*q3 + q1*q4)*I_1*qd1 + (q1^2 - q2^2 + q3^2 - q4^2)*I_2*qd2 + 2*(q3*q4 - q1*q2)*I_3*qd3,
2*(q2*q4 - q1*q3)*I_1*qd1 + 2*(q3*q4 + q1*q2)*I_2*qd2 + (q1^2 - q2^2 - q3^2 + q4^2)*I_3*qd3, 0, 0, 0]"""
KINETIC = r"T = \frac{1}{2}\left(I_1\omega_1^2 + I_2\omega_2^2 + I_3\omega_3^2\right)"
SOLVED = r"""\dot\omega_1 = \frac{I_2 - I_3}{I_1}\omega_2\omega_3 + \frac{M_1}{I_1} \\
\dot\omega_2 = \frac{I_3 - I_1}{I_2}\omega_3\omega_1 + \frac{M_2}{I_2} \\
\dot\omega_3 = \frac{I_1 - I_2}{I_3}\omega_1\omega_2 + \frac{M_3}{I_3}"""
SYSTEM = System("free_body", "Goldstein, Classical Mechanics, 5.5; Landau and Lifshitz, Mechanics, 36", body, (
    right(EOM, EULER, TORQUES), right(EOM, FREE, SPINS), right(EOM, SOLVED, TORQUES), right(EOM, VECTOR, TORQUES),
    right("C", CROSS), right("T", KINETIC, RATES),
    right("T", r"T = \frac{L_1^2}{2 I_1} + \frac{L_2^2}{2 I_2} + \frac{L_3^2}{2 I_3}",
          "L_1 = I_1*qd1; L_2 = I_2*qd2; L_3 = I_3*qd3"),
    right("momentum", MOMENTUM), right("H", sp.diag(I_1, I_2, I_3)),
    right("p", "[I_1*omega_1, I_2*omega_2, I_3*omega_3]", RATES),
    right("v[body]", [sp.Symbol("qd1"), sp.Symbol("qd2"), sp.Symbol("qd3"), 0, 0, 0]),
    wrong(EOM, EULER.replace("- (I_2", "+ (I_2"), "sign", given=TORQUES),
    wrong(EOM, FREE.replace("w3*w1", "w3*w2"), "symbol", given=SPINS),
    wrong(EOM, "I_1*w1dot = 0\nI_2*w2dot = 0\nI_3*w3dot = 0", "velocity terms missing|v* I v missing", given=SPINS),
    wrong("momentum", MOMENTUM.replace("(q2*q3 - q1*q4)", "(q2*q3 + q1*q4)"), "sign"),
    wrong("C", CROSS.replace("(I_1 - I_3)", "(I_3 - I_1)"), "sign"),
    wrong("T", KINETIC.replace(r"\frac{1}{2}\left(", "(").replace(r"\right)", ")"), "half forgotten|factor",
          given=RATES),
    wrong("C", "[(I_2 - I_3)*qd2*qd3, (I_3 - I_1)*qd3*qd1, (I_1 - I_2)*qd1*qd2]",
          "opposite sign|velocity terms sign|coriolis sign|v x for v x*"),
    wrong("T", r"T = \frac{1}{2}\left(I_1\omega_1^2 + I_2\omega_3^2\right) + I_3\omega_3^2", "symbol", "factor",
          given=RATES),
    wrong(EOM, EULER.replace("(I_3 - I_1)", "(I_3 + I_1)").replace("= M_3", "= -M_3"), "sign", "sign", given=TORQUES)))
