"""A rigid body on a hinge: its inertia is given about its centre of mass."""

from tests.verify.corpus.case import EOM, Model, Revolute, System, mcI, right, sp, wrong

m, d, I_C, g = sp.symbols("m d I_C g", positive=True)


def model():
    return Model([0], [Revolute("z")], [sp.eye(6)], [mcI(m, [0, -d, 0], sp.diag(I_C, I_C, I_C))], (0, -g, 0), ["body"])


PIVOT = "I = I_C + m*d^2"
SYSTEM = System("physical_pendulum", "physics textbooks (Halliday, Tipler); d from the pivot to the centre of mass,"
                " theta from the downward vertical", model, (
    right(EOM, r"I\ddot\theta = -m g d\sin\theta", given=PIVOT),
    right(EOM, r"(I_C + m d^2)\,\ddot\theta + m g d \sin\theta = \tau"),
    right(EOM, r"\ddot\theta + \frac{m g d}{I_O}\sin\theta = 0", given="I_O = I_C + m*d^2"),
    right(EOM, "theta'' = -g*d*sin(theta)/(k^2 + d^2)", given="k = sqrt(I_C/m)"),
    right(EOM, r"\ddot{\theta} = -\frac{g}{L}\sin\theta", given="L = I_C/(m*d) + d"),
    right("T", r"T = \frac{1}{2}\left(I_C + m d^2\right)\dot{\theta}^2"),
    right("T", "m*v^2/2 + I_C*omega^2/2", given="v = d*qd1; omega = qd1"),
    right("L", r"\mathcal{L} = \frac12 I_O\dot\theta^2 + m g d\cos\theta", given={"I_O": "I_C + m*d**2"}),
    right("H", "[[I_C + m*d**2]]"), right("tau", "I_C*thetadd + m*d**2*thetadd + m*g*d*sin(theta)"),
    right(EOM, "theta'' = -g*d*sin(theta)/(k^2 + d^2)", given="I_C = m*k^2"),
    wrong(EOM, r"I_C\ddot\theta = -m g d\sin\theta", "parallel axis missing|missing term"),
    wrong(EOM, r"I\ddot\theta = -2 m g d\sin\theta", "factor|half-length", given=PIVOT),
    wrong("T", r"\frac12 (I_C + m d)\dot\theta^2", "power|lost factor"),
    wrong("T", "I_C*omega^2/2", "parallel axis missing|missing term", given="omega = qd1"),
    wrong("H", "[[I_C + 2*m*d**2]]", "parallel axis twice|factor"),
    wrong("tau", "m*d**2*thetadd + m*g*d*sin(theta)", "rotational inertia missing|missing term"),
    wrong("tau", "(I_C + m*d**2)*thetadd + m*g*sin(theta)", "lost factor"),
    wrong("L", r"\tfrac12 (I_C + m d^2)\dot\theta^2 - m g d\cos\theta", "sum for difference|gravity reversed|sign"),
    wrong("L", r"\frac12 I_C\dot\theta^2 - m g d\cos\theta", "parallel axis missing|missing term",
          "sum for difference|gravity reversed|sign"),
    wrong("tau", "(I_C + m*d)*thetadd - m*g*d*sin(theta)", "power|lost factor", "sign|gravity reversed|gravity sign"),
    wrong(EOM, r"I_C\ddot\theta + m g d\cos\theta = \tau", "parallel axis missing|missing term", "function|other axis"),
))
