"""A solid cylinder that rolls down an incline without slipping: one coordinate, theta or x = R theta."""

from tests.verify.corpus.case import EOM, Model, RackAndPinion, System, mcI, right, sp, wrong

M, R, g, alpha = sp.symbols("M R g alpha", positive=True)
#: x is the way down the incline, I the moment of inertia about the axis.
DOWN = "x = R*theta"
WITH_I = DOWN + "; I = M*R**2/2"


def cylinder():
    """x points down the incline, y into it, so that theta is positive when the cylinder rolls down."""
    inertia = mcI(M, [0, 0, 0], sp.diag(M * R**2 / 4, M * R**2 / 4, M * R**2 / 2))
    return Model([0], [RackAndPinion(R)], [sp.eye(6)], [inertia],
                 gravity=(g * sp.sin(alpha), g * sp.cos(alpha), 0), names=["cylinder"])


KINETIC = r"T = \frac{1}{2} M \dot{x}^2 + \frac{1}{2} I \dot{\theta}^2"
MOTION = r"\left(M + \frac{I}{R^2}\right)\ddot{x} = M g \sin\alpha"
FRICTION = r"M\ddot x = M g\sin\alpha - f, \quad I\ddot\theta = f R"
VELOCITY = "[0, 0, qd1, R*qd1*cos(q1), -R*qd1*sin(q1), 0]"
SYSTEM = System("rolling_cylinder", "Goldstein, Classical Mechanics, 2.4; Taylor, Classical Mechanics, 7", cylinder, (
    right("T", KINETIC, WITH_I), right("T", "3/4*M*R**2*theta_dot**2"), right("V", r"U = -M g x \sin\alpha", DOWN),
    right("L", r"L = \tfrac34 M \dot x^2 + M g x \sin\alpha", DOWN),
    right(EOM, r"\ddot{x} = \frac{2}{3} g \sin\alpha", DOWN), right(EOM, MOTION, WITH_I),
    right(EOM, r"\ddot{x} = \frac{g\sin\alpha}{1 + I/(M R^2)}", WITH_I), right("v[cylinder]", VELOCITY),
    right("p", r"p_\theta = \frac{3}{2} M R^2 \dot\theta"),
    wrong("T", KINETIC.replace(r" + \frac{1}{2} I \dot{\theta}^2", ""), "rotational inertia missing|missing term",
          given=WITH_I),
    wrong(EOM, MOTION.replace(r"\left(M + \frac{I}{R^2}\right)", "M"), "rotational inertia missing|missing term",
          given=WITH_I),
    wrong("V", r"U = M g x \sin\alpha", "gravity reversed|opposite sign|sign", given=DOWN),
    wrong(EOM, r"\ddot{x} = \frac{2}{3} g \cos\alpha", "function", given=DOWN),
    wrong("T", KINETIC.replace(r"\frac{1}{2} I", "I"), "factor", given=WITH_I),
    wrong("v[cylinder]", VELOCITY.replace("-R*qd1*sin", "R*qd1*sin"), "sign"),
    wrong("L", r"L = \tfrac12 M \dot x^2 - M g x \sin\alpha", "rotational inertia missing|factor",
          "gravity reversed|sign", given=DOWN),
    wrong(EOM, r"\ddot{x} = \frac{2}{3} M g \cos\alpha", "function", "extra factor", given=DOWN)))
