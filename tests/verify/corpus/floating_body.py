"""A rigid body free in the vertical plane, described by a point of it (x, y) that is not its centre of mass."""

from tests.verify.corpus.case import EOM, Model, Prismatic, Revolute, System, mcI, right, sp, wrong

m, I_C, c, g = sp.symbols("m I_C c g", positive=True)
#: I_O is the moment of inertia about the point (x, y).
NAMES = "x = q1; y = q2; theta = q3; I_O = I_C + m*c^2"
FORCES = NAMES + "; F_x = tau1; F_y = tau2; M = tau3"


def body():
    """The centre of mass lies at the distance c along the body's own x axis; y points up."""
    eye = sp.eye(6)
    none = sp.zeros(6)
    return Model([0, 1, 2], [Prismatic("x"), Prismatic("y"), Revolute("z")], [eye] * 3,
                 [none, none, mcI(m, [c, 0, 0], sp.diag(I_C, I_C, I_C))], gravity=(0, -g, 0),
                 names=["slider_x", "slider_y", "body"])


KINETIC = r"""T = \frac12 m(\dot x^2 + \dot y^2) + m c\dot\theta(-\dot x\sin\theta + \dot y\cos\theta)
+ \frac12 I_O\dot\theta^2"""
MOTION = r"""m\left(\ddot x - c\ddot\theta\sin\theta - c\dot\theta^2\cos\theta\right) = F_x \\
m\left(\ddot y + c\ddot\theta\cos\theta - c\dot\theta^2\sin\theta\right) + m g = F_y \\
(I_C + m c^2)\ddot\theta + m c\left(-\ddot x\sin\theta + \ddot y\cos\theta\right) + m g c\cos\theta = M"""
INERTIA = r"""\begin{bmatrix} m & 0 & -m c\sin\theta \\ 0 & m & m c\cos\theta \\
-m c\sin\theta & m c\cos\theta & I_C + m c^2 \end{bmatrix}"""
CORIOLIS = "[-m*c*cos(theta)*thetadot**2, -m*c*sin(theta)*thetadot**2, 0]"
BIAS = "[-m*c*cos(q3)*qd3**2, -m*c*sin(q3)*qd3**2 + m*g, m*g*c*cos(q3)]"
MOMENTUM = """[0, 0, I_C*qd3 + m*(q1 + c*cos(q3))*(qd2 + c*qd3*cos(q3)) - m*(q2 + c*sin(q3))*(qd1 - c*qd3*sin(q3)),
m*(qd1 - c*qd3*sin(q3)), m*(qd2 + c*qd3*cos(q3)), 0]"""
SYSTEM = System("floating_body", "planar free-floating bodies in Dubowsky and Papadopoulos; RBDA 9.3", body, (
    right("T", KINETIC, NAMES), right("V", "m*g*(y + c*sin(theta))", NAMES), right(EOM, MOTION, FORCES),
    right("H", INERTIA, NAMES), right("C", CORIOLIS, NAMES), right("bias", BIAS),
    right("com", "[q1 + c*cos(q3), q2 + c*sin(q3), 0]"), right("momentum", MOMENTUM),
    right("v[body]", "[0, 0, qd3, qd1*cos(q3) + qd2*sin(q3), -qd1*sin(q3) + qd2*cos(q3), 0]"),
    wrong("T", KINETIC.replace("I_O", "I_C"), "parallel axis missing|symbol|missing term", given=NAMES),
    wrong("H", INERTIA.replace(r"I_C + m c^2", "I_C"), "parallel axis missing|symbol|missing term", given=NAMES),
    wrong(EOM, MOTION.replace(r"- c\dot\theta^2\cos\theta", r"+ c\dot\theta^2\cos\theta"), "sign", given=FORCES),
    wrong("bias", BIAS.replace("+ m*g,", "- m*g,").replace("m*g*c*cos(q3)]", "-m*g*c*cos(q3)]"),
          "gravity reversed|gravity sign"),
    wrong("C", CORIOLIS.replace("**2, 0]", ", 0]"), "power|extra factor", given=NAMES),
    wrong("v[body]", "[0, 0, qd3, qd1*cos(q3) - qd2*sin(q3), qd1*sin(q3) + qd2*cos(q3), 0]",
          "rotation transposed|sign"),
    wrong("H", INERTIA.replace(r"-m c\sin", r"m c\sin").replace("m c^2", "2 m c^2"), "sign",
          "factor|parallel axis twice", given=NAMES),
    wrong("bias", BIAS.replace("+ m*g,", "- m*g,").replace("-m*c*cos(q3)*qd3**2", "-m*c*cos(q3)*qd3"), "sign",
          "power|extra factor")))
