"""A gyroscope in gimbals: an outer ring about the vertical, an inner ring, and the rotor, three hinges in one point."""

from tests.verify.corpus.case import EOM, Model, Revolute, System, mcI, right, sp, wrong

A, C, K, m = sp.symbols("A C K m", positive=True)
#: phi: outer ring; theta: inner ring; psi: rotor. K: moment of the outer ring; A, A, C: those of the rotor.
NAMES = "phi = q1; theta = q2; psi = q3"
SPIN = NAMES + "; n = psidot + phidot*cos(theta)"


def gyroscope():
    """Without weight; the inner ring has no inertia."""
    bodies = [mcI(m, [0, 0, 0], sp.diag(K, K, K)), sp.zeros(6), mcI(m, [0, 0, 0], sp.diag(A, A, C))]
    return Model([0, 1, 2], [Revolute("z"), Revolute("x"), Revolute("z")], [sp.eye(6)] * 3, bodies, gravity=(0, 0, 0),
                 names=["outer", "inner", "rotor"])


KINETIC = r"T = \frac12 K\dot\phi^2 + \frac12 A(\dot\theta^2 + \dot\phi^2\sin^2\theta) + \frac12 C n^2"
MOTION = r"""A\ddot\theta - A\dot\phi^2\sin\theta\cos\theta + C n\dot\phi\sin\theta = \tau_2 \\
\frac{d}{dt}\left(K\dot\phi + A\dot\phi\sin^2\theta + C n\cos\theta\right) = \tau_1 \\ C\dot n = \tau_3"""
INERTIA = r"""\left(\begin{array}{ccc} K + A\sin^2\theta + C\cos^2\theta & 0 & C\cos\theta \\ 0 & A & 0 \\
C\cos\theta & 0 & C \end{array}\right)"""
MOMENTA = r"\begin{pmatrix} K\dot\phi + A\dot\phi\sin^2\theta + C n\cos\theta \\ A\dot\theta \\ C n \end{pmatrix}"
SPEED = "[phidot*sin(theta)*sin(psi) + thetadot*cos(psi), phidot*sin(theta)*cos(psi) - thetadot*sin(psi), n, 0, 0, 0]"
VELOCITY_TERMS = """[2*(A - C)*sin(theta)*cos(theta)*phidot*thetadot - C*sin(theta)*thetadot*psidot,
-(A - C)*sin(theta)*cos(theta)*phidot**2 + C*sin(theta)*phidot*psidot, -C*sin(theta)*phidot*thetadot]"""
SYSTEM = System("gimbal_gyroscope",
                "Arnold, Mathematical Methods of Classical Mechanics, 30; gyroscopes in Magnus, Kreisel", gyroscope, (
    right("T", KINETIC, SPIN), right(EOM, MOTION, SPIN), right("H", INERTIA, NAMES), right("v[rotor]", SPEED, SPIN),
    right("C", VELOCITY_TERMS, NAMES), right("p", MOMENTA, SPIN),
    wrong("T", KINETIC.replace(r"\sin^2\theta", r"\sin\theta"), "power|lost factor", given=SPIN),
    wrong(EOM, MOTION.replace(r"+ C n\dot\phi", r"- C n\dot\phi"), "sign", given=SPIN),
    wrong(EOM, MOTION.replace(r"C\dot n", r"A\dot n"), "symbol", given=SPIN),
    wrong("H", INERTIA.replace(r"K + ", ""), "missing term|body missing|rotational inertia missing", given=NAMES),
    wrong("C", VELOCITY_TERMS.replace("[2*(A", "[(A")
          .replace("- C*sin(theta)*thetadot*psidot", "+ C*sin(theta)*thetadot*psidot"), "factor", "sign", given=NAMES),
    wrong("v[rotor]", SPEED.replace("- thetadot*sin", "+ thetadot*sin").replace("cos(psi), phidot", "sin(psi), phidot"),
          "sign", "function", given=SPIN)))
