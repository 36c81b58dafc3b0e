"""A disc on the ground that must roll: x and theta as two coordinates, joined by the constraint x' = R theta'."""

from tests.verify.corpus.case import LoopJoint, Model, Prismatic, RackAndPinion, Revolute, System, mcI, right, sp, wrong

m, I, R, g, beta = sp.symbols("m I R g beta", positive=True)
NAMES = "x = q1; theta = q2"
PULLED = NAMES + "; F = tau1; tau = tau2"


def disc():
    """x points down an incline, y into it, z so that the disc rolls down with positive theta."""
    eye = sp.eye(6)
    bodies = [sp.zeros(6), mcI(m, [0, 0, 0], sp.diag(I, I, I))]
    return Model([0, 1], [Prismatic("x"), Revolute("z")], [eye] * 2, bodies,
                 gravity=(g * sp.sin(beta), g * sp.cos(beta), 0), names=["carriage", "disc"],
                 loops=[LoopJoint(0, 2, RackAndPinion(R), eye, eye)])


KINETIC = r"T = \frac{1}{2} m\dot{x}^2 + \frac{1}{2} I\dot\theta^2"
REDUCED = r"T = \frac12\left(m + \frac{I}{R^2}\right)\dot{x}^2"
MOTION = r"""m\ddot{x} - m g\sin\beta = \lambda + F \\
I\ddot\theta = -\lambda R + \tau"""
FRICTION = r"\lambda = \frac{\tau R - I(F + m g\sin\beta)}{m R^2 + I}"
FREE = r"\ddot{x} = \frac{m g R^2\sin\beta}{m R^2 + I}"
SYSTEM = System("rolling_disc",
                "Goldstein, Classical Mechanics, 2.4: a hoop rolling down an inclined plane, with multiplier", disc, (
    right("T", KINETIC, NAMES), right("T", REDUCED, NAMES), right("V", r"-m g R \theta \sin\beta", NAMES),
    right("L", KINETIC.replace("T =", "L =") + r" - m g (l - x)\sin\beta", NAMES + "; l = R"),
    right("phi", r"x - R\theta = 0", NAMES), right("K", "[[1, -R]]"), right("equations of motion", MOTION, PULLED),
    right("equations of motion", r"(m R^2 + I)\,\ddot\theta = m g R\sin\beta + F R + \tau", PULLED),
    right("equations of motion", FREE, NAMES),
    wrong("phi", r"x = \theta/R", "power|factor", given=NAMES, missed="nothing is found"),
    wrong("equations of motion", FREE.replace(r"m R^2 + I", r"m R^2"), "missing term|rotational inertia missing",
          given=NAMES),
    wrong("T", REDUCED.replace(r"\frac{I}{R^2}", "I R^2"), "power|factor", given=NAMES),
    wrong("V", r"m g R \theta \cos\beta", "sign|gravity reversed", "function", given=NAMES)))
