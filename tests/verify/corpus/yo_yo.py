"""A yo-yo that unwinds from a string held still: y downwards, the string on a drum of radius r."""

from tests.verify.corpus.case import EOM, Model, RackAndPinion, System, mcI, right, sp, wrong

m, I, r, g = sp.symbols("m I r g", positive=True)
DOWN = "y = r*phi"


def yo_yo():
    """The rack is the string, along which the drum rolls down."""
    return Model([0], [RackAndPinion(r)], [sp.eye(6)],
                 [mcI(m, [0, 0, 0], sp.diag(I, I, I))], gravity=(g, 0, 0), names=["yo_yo"])


MOTION = r"(I + m r^2)\ddot\phi = m g r"
SOLVED = r"\ddot{y} = \frac{g}{1 + \frac{I}{m r^2}}"
ENERGY = r"E = \frac12 m\dot{y}^2 + \frac12 I\frac{\dot{y}^2}{r^2} - m g y"


def _kinetic(q, qd, m, I, r):
    return (m * r**2 + I) * qd[0] ** 2 / 2


SYSTEM = System("yo_yo", "Taylor, Classical Mechanics, problem 7.14", yo_yo, (
    right(EOM, MOTION, DOWN), right(EOM, SOLVED, DOWN), right("E", ENERGY, DOWN), right("T", _kinetic),
    right("H", "I + m*r**2"), right("p", "(I + m*r^2)*phidot"), right("qdd", "(tau1 + m*g*r)/(I + m*r**2)"),
    right("S[yo_yo]", "[0, 0, 1, r*cos(q), -r*sin(q), 0]"),
    wrong(EOM, MOTION.replace("(I + m r^2)", "I"), "missing term|parallel axis missing", given=DOWN),
    wrong(EOM, SOLVED.replace("m r^2", "m r"), "power|lost factor", given=DOWN),
    wrong("E", ENERGY.replace("- m g y", "+ m g y"), "gravity reversed|sign|difference for sum", given=DOWN),
    wrong("H", "I - m*r**2", "sign"), wrong("S[yo_yo]", "[0, 0, 1, r*cos(q), r*sin(q), 0]", "sign"),
    wrong("qdd", "(tau1 - m*g*r)/(I + 2*m*r**2)", "gravity reversed|gravity sign|sign", "factor"),
    wrong("E", ENERGY.replace(r"\frac12 m", "m").replace(r"\frac{\dot{y}^2}{r^2}", r"\frac{\dot{y}^2}{r}"), "factor",
          "power|lost factor", given=DOWN)))
