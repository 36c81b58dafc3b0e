"""A cylinder of radius r that rolls inside a fixed one of radius R: a pendulum with more inertia than a point mass."""

from tests.verify.corpus.case import EOM, Model, Revolute, System, mcI, right, sp, wrong

m, R, r, g = sp.symbols("m R r g", positive=True)
#: theta is the angle of the line of centres from the downward vertical, omega the cylinder's own velocity of turning.
NAMES = "theta = q1; omega = (R - r)*thetadot/r; I = m*r**2/2"


def cylinder():
    """One joint that is equivalent: a turn by theta changes the energy as rolling does, m r^2/2 omega^2/2 included."""
    d = R - r
    inertia = mcI(m, [0, -d, 0], sp.diag(m * d**2 / 2, m * d**2 / 2, m * d**2 / 2))
    return Model([0], [Revolute("z")], [sp.eye(6)], [inertia], gravity=(0, -g, 0), names=["cylinder"])


KINETIC = r"T = \frac12 m (R-r)^2\dot\theta^2 + \frac12 I\omega^2"
MOTION = r"\ddot\theta + \frac{2 g}{3(R - r)}\sin\theta = 0"
LAGRANGIAN = "L = 3/4*m*(R - r)**2*thetadot**2 + m*g*(R - r)*cos(theta)"
SYSTEM = System("disc_on_disc", "Landau and Lifshitz, Mechanics, 32, problem 6; Taylor, Classical Mechanics", cylinder,
                (
    right("T", KINETIC, NAMES), right("T", "3/4*m*(R - r)^2*qd1^2"), right("V", "-m*g*(R - r)*cos(theta)"),
    right("L", LAGRANGIAN), right(EOM, MOTION), right(EOM, r"\tfrac32 m (R-r)^2\ddot\theta = -m g (R-r)\sin\theta"),
    right("g", "m*g*(R - r)*sin(theta)"),
    wrong("T", KINETIC.replace(r" + \frac12 I\omega^2", ""), "missing term|rotational inertia missing", given=NAMES),
    wrong(EOM, MOTION.replace(r"\frac{2 g}{3(R", r"\frac{g}{(R"), "factor|rotational inertia missing"),
    wrong("L", LAGRANGIAN.replace("+ m*g", "- m*g"), "gravity reversed|sign|sum for difference"),
    wrong("V", "-m*g*(R + r)*cos(theta)", "sign"),
    wrong(EOM, MOTION.replace("R - r", "R + r").replace("sin", "cos"), "sign", "function"),
    wrong("L", LAGRANGIAN.replace("3/4", "3/2").replace("cos(theta)", "sin(theta)"), "factor|half forgotten",
          "function")))
