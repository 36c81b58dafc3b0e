"""A particle in a vertical plane: Cartesian coordinates, with weight."""

from tests.verify.corpus.case import EOM, System, library, right, sp, wrong

NAMES = "x = q1; y = q2"
FORCES = NAMES + "; F_x = tau1; F_y = tau2"
MOTION = r"m\ddot{x} = F_x, \quad m\ddot{y} = F_y - m g"


def _lagrangian(sign=-1):
    m, g, t = sp.symbols("m g t")
    x, y = (sp.Function(name)(t) for name in "xy")
    return m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 + sign * m * g * y


SYSTEM = System("particle", "FDSV 3.1; every book on mechanics", library("particle"), (
    right("L", _lagrangian(), NAMES),
    right("T", r"T = \frac{p_x^2 + p_y^2}{2 m}", NAMES + "; p_x = m*xdot; p_y = m*ydot"), right(EOM, MOTION, FORCES),
    right(EOM, "s'' = -g/sqrt(2)\nn'' = -g/sqrt(2)", "s = (q1 + q2)/sqrt(2); n = (q2 - q1)/sqrt(2)"),
    right("E", "1/2 m (x'^2 + y'^2) + m g y", NAMES), right("H", "[m, 0; 0, m]"),
    right("qdd", r"\left(\frac{F_x}{m}, \frac{F_y}{m} - g\right)", FORCES),
    wrong("L", _lagrangian(1), "gravity reversed|sign|sum for difference", given=NAMES),
    wrong(EOM, MOTION.replace("- m g", "+ m g"), "sign|gravity reversed|gravity sign", given=FORCES),
    wrong("qdd", r"\left(\frac{F_x}{m}, F_y - g\right)", "lost factor|extra factor|power", given=FORCES),
    wrong("E", "1/2 m (x'^2 + y'^2) + m y", "lost factor", given=NAMES),
    wrong("E", "m (x'^2 + y'^2) - m g y", "half forgotten|factor", "gravity reversed|sign|difference for sum",
          given=NAMES)))
