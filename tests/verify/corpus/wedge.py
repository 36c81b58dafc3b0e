"""A block that slides down a wedge, which slides on the floor: two coordinates, x of the wedge and s on its slope."""

from tests.verify.corpus.case import EOM, Model, Prismatic, System, mcI, right, rot, rz, sp, wrong

M, m, g, alpha = sp.symbols("M m g alpha", positive=True)
NONE = sp.zeros(3)
NAMES = "x = q1; s = q2"


def wedge():
    """x to the right, y up; s is counted down the slope, which falls to the right."""
    return Model([0, 1], [Prismatic("x"), Prismatic("x")], [sp.eye(6), rot(rz(-alpha))],
                 [mcI(M, [0, 0, 0], NONE), mcI(m, [0, 0, 0], NONE)], gravity=(0, -g, 0), names=["wedge", "block"])


KINETIC = r"T = \frac{1}{2} M \dot{x}^2 + \frac12 m\left(\dot x^2 + \dot s^2 + 2\dot x\dot s\cos\alpha\right)"
MOTION = r"""(M + m)\ddot{x} + m\ddot{s}\cos\alpha = 0 \\
\ddot{s} + \ddot{x}\cos\alpha = g\sin\alpha"""
SOLVED = r"""\ddot{x} = -\frac{m g\sin\alpha\cos\alpha}{M + m\sin^2\alpha} \\
\ddot{s} = \frac{(M + m) g \sin\alpha}{M + m\sin^2\alpha}"""
INERTIA = "[[M + m, m*cos(alpha)], [m*cos(alpha), m]]"


def _accelerations(q, qd, tau, M, m, g, alpha):
    """The accelerations as a function of numbers."""
    import mpmath

    a, b, d = M + m, m * mpmath.cos(alpha), m
    f, h = tau[0], tau[1] + m * g * mpmath.sin(alpha)
    return [(d * f - b * h) / (a * d - b * b), (a * h - b * f) / (a * d - b * b)]


SYSTEM = System("wedge", "Landau and Lifshitz, Mechanics, 5; Taylor, Classical Mechanics, example 7.5", wedge, (
    right("T", KINETIC, NAMES), right("V", "-m*g*s*sin(alpha)", NAMES),
    right("L", KINETIC.replace("T =", "L =") + r" + m g s \sin\alpha", NAMES), right(EOM, MOTION, NAMES),
    right(EOM, SOLVED, NAMES), right("H", INERTIA),
    right("p", r"[(M+m)\dot{x} + m\dot{s}\cos\alpha,\; m(\dot{s} + \dot{x}\cos\alpha)]", NAMES),
    right("qdd", _accelerations),
    right("com", "[(M*x + m*(x + s*cos(alpha)))/(M + m), -m*s*sin(alpha)/(M + m), 0]", NAMES),
    wrong("T", KINETIC.replace(r" + 2\dot x\dot s\cos\alpha", ""), "missing term|coupling missing|cross term",
          given=NAMES),
    wrong(EOM, MOTION.replace("(M + m)", "M"), "missing term", given=NAMES),
    wrong(EOM, SOLVED.replace("m g", "M g"), "symbol|wrong link", given=NAMES),
    wrong("V", "-m*g*s*cos(alpha)", "function", given=NAMES),
    wrong("H", INERTIA.replace("m*cos(alpha)", "0"), "coupling missing"),
    wrong(EOM, MOTION.replace(r"= g\sin", r"= -g\sin"), "sign|gravity reversed|gravity sign", given=NAMES),
    wrong("H", "[[M + m, m*sin(alpha)], [m*sin(alpha), M]]", "function", "symbol|wrong link"),
    wrong("L", KINETIC.replace("T =", "L =").replace(r"\frac12 m", "m") + r" - m g s \sin\alpha", "factor",
          "sign|gravity reversed", given=NAMES)))
