"""A particle on a turning platform, in the coordinates x, y of an observer who turns with it."""

from tests.verify.corpus.case import EOM, Model, Prismatic, Revolute, System, mcI, right, sp, wrong

J, m, M = sp.symbols("J m M", positive=True)
FRAME = "x = q2; y = q3; Omega = qd1"
FORCES = FRAME + "; tau = tau1; F_x = tau2; F_y = tau3"


def turntable():
    """The platform turns about the vertical; the particle's slider along x weighs nothing."""
    eye, none = sp.eye(6), sp.zeros(3)
    bodies = [mcI(M, [0, 0, 0], sp.diag(J, J, J)), sp.zeros(6), mcI(m, [0, 0, 0], none)]
    return Model([0, 1, 2], [Revolute("z"), Prismatic("x"), Prismatic("y")], [eye] * 3, bodies,
                 gravity=(0, 0, -sp.Symbol("g", positive=True)), names=["platform", "slider", "particle"])


KINETIC = r"T = \tfrac12 J\Omega^2 + \tfrac12 m\left[(\dot x - \Omega y)^2 + (\dot y + \Omega x)^2\right]"
MOTION = r"""m(\ddot x - 2\Omega\dot y - \Omega^2 x - \dot\Omega y) = F_x \\
m(\ddot y + 2\Omega\dot x - \Omega^2 y + \dot\Omega x) = F_y \\
\frac{d}{dt}\left[J\Omega + m(x^2 + y^2)\Omega + m(x\dot y - y\dot x)\right] = \tau"""
FREE = """x'' = 2*Omega*y' + Omega^2*x + Omegadot*y
y'' = -2*Omega*x' + Omega^2*y - Omegadot*x
(J + m*(x^2 + y^2))*Omegadot + 2*m*Omega*(x*x' + y*y') + m*(x*y'' - y*x'') = 0"""
INERTIA = "[[J + m*(x**2 + y**2), -m*y, m*x], [-m*y, m, 0], [m*x, 0, m]]"
BIAS = "[2*m*Omega*(x*xdot + y*ydot), -2*m*Omega*ydot - m*Omega**2*x, 2*m*Omega*xdot - m*Omega**2*y]"
VELOCITY = "[0, 0, Omega, xdot - Omega*y, ydot + Omega*x, 0]"
ACCELERATION = "[0, 0, Omegadot, xddot - Omega*ydot - Omegadot*y, yddot + Omega*xdot + Omegadot*x, 0]"
CLASSICAL = """[0, 0, Omegadot, xddot - 2*Omega*ydot - Omegadot*y - Omega**2*x,
yddot + 2*Omega*xdot + Omegadot*x - Omega**2*y, 0]"""
SYSTEM = System("rotating_frame", "Taylor, Classical Mechanics, 9; Landau and Lifshitz, Mechanics, 39", turntable, (
    right("T", KINETIC, FRAME), right(EOM, MOTION, FORCES), right(EOM, FREE, FRAME), right("H", INERTIA, FRAME),
    right("C", BIAS, FRAME), right("v[particle]", VELOCITY, FRAME), right("a[particle]", ACCELERATION, FRAME),
    right("p", "[(J + m*(x^2 + y^2))*Omega + m*(x*y' - y*x'), m*(x' - Omega*y), m*(y' + Omega*x)]", FRAME),
    right("momentum", "[0, 0, (J + m*(q2**2 + q3**2))*qd1 + m*(q2*qd3 - q3*qd2), m*(cos(q1)*(qd2 - qd1*q3)"
          " - sin(q1)*(qd3 + qd1*q2)), m*(sin(q1)*(qd2 - qd1*q3) + cos(q1)*(qd3 + qd1*q2)), 0]"),
    wrong(EOM, MOTION.replace(r"- 2\Omega\dot y", r"- \Omega\dot y"), "factor|coriolis counted once", given=FORCES),
    wrong(EOM, FREE.replace("+ Omega^2*x", "- Omega^2*x"), "sign", given=FRAME),
    wrong(EOM, MOTION.replace(r"- \dot\Omega y", ""), "missing term", given=FORCES),
    wrong("a[particle]", CLASSICAL, "classical acceleration", given=FRAME),
    wrong("T", KINETIC.replace(r"\dot x - \Omega y", r"\dot x + \Omega y"), "sign", given=FRAME),
    wrong("H", INERTIA.replace("-m*y", "0").replace("m*x", "0"), "coupling missing", given=FRAME),
    wrong("C", BIAS.replace("2*m*Omega*xdot", "m*Omega*xdot").replace("m*Omega**2*x", "m*Omega*x"), "factor", "power",
          given=FRAME),
    wrong("v[particle]", VELOCITY.replace("- Omega*y", "+ Omega*y").replace("ydot + Omega*x", "ydot + Omega*y"), "sign",
          "symbol", given=FRAME)))
