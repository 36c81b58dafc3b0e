"""The symmetric top with one point fixed, in Euler's angles phi, theta, psi (turns about z, x, z)."""

from tests.verify.corpus.case import EOM, Euler, Model, System, mcI, right, sp, wrong

M, l, g, I_C, I_3 = sp.symbols("M l g I_C I_3", positive=True)
#: I_1 is the moment of inertia about an axis across the top through the fixed point, I_C that through its centre.
ANGLES = "phi = q1; theta = q2; psi = q3; I_1 = I_C + M*l**2"


def top():
    """The centre of mass is at the height l cos(theta)."""
    inertia = mcI(M, [0, 0, l], sp.diag(I_C, I_C, I_3))
    return Model([0], [Euler("zxz")], [sp.eye(6)], [inertia], gravity=(0, 0, -g), names=["top"])


KINETIC = r"""T = \frac{I_1}{2}\left(\dot\theta^2 + \dot\phi^2\sin^2\theta\right)
+ \frac{I_3}{2}\left(\dot\psi + \dot\phi\cos\theta\right)^2"""
MOMENTA = r"""p_\phi = (I_1\sin^2\theta + I_3\cos^2\theta)\dot\phi + I_3\dot\psi\cos\theta, \;
p_\theta = I_1\dot\theta, \; p_\psi = I_3(\dot\psi + \dot\phi\cos\theta)"""
MOMENTA_LISTED = """[(I_1*sin(theta)**2 + I_3*cos(theta)**2)*phidot + I_3*cos(theta)*psidot,
 I_1*thetadot, I_3*(psidot + phidot*cos(theta))]"""
MOTION = r"""I_1\ddot\theta = I_1\dot\phi^2\sin\theta\cos\theta - I_3(\dot\psi + \dot\phi\cos\theta)\dot\phi\sin\theta
 + M g l\sin\theta \\
\frac{d}{dt}\left[I_1\dot\phi\sin^2\theta + I_3(\dot\psi + \dot\phi\cos\theta)\cos\theta\right] = 0 \\
\frac{d}{dt}\left[I_3(\dot\psi + \dot\phi\cos\theta)\right] = 0"""
INERTIA = """[I_1*sin(theta)^2 + I_3*cos(theta)^2, 0, I_3*cos(theta)]
[0, I_1, 0]
[I_3*cos(theta), 0, I_3]"""
ENERGY = r"E = \tfrac12 I_1(\dot\theta^2 + \dot\phi^2\sin^2\theta) + \tfrac12 I_3\omega_3^2 + M g l\cos\theta"
WITH_SPIN = ANGLES + "; omega_3 = psidot + phidot*cos(theta)"
SYSTEM = System("heavy_top", "Goldstein, Classical Mechanics, 5.7; Landau and Lifshitz, Mechanics, 35", top, (
    right("T", KINETIC, ANGLES), right("V", r"V = M g l \cos\theta", ANGLES),
    right("L", KINETIC.replace("T =", "L =") + r" - M g l\cos\theta", ANGLES), right("p", MOMENTA_LISTED, ANGLES),
    right(EOM, MOTION, ANGLES), right("H", INERTIA, ANGLES), right("E", ENERGY, WITH_SPIN),
    right("com", r"\left(l\sin\theta\sin\phi,\; -l\sin\theta\cos\phi,\; l\cos\theta\right)", ANGLES),
    wrong("T", KINETIC.replace(r"\sin^2\theta", r"\cos^2\theta"), "function", given=ANGLES),
    wrong("T", KINETIC.replace(r"\dot\phi\cos\theta", r"\dot\phi"), "lost factor|power", given=ANGLES),
    wrong("V", r"V = M g l \sin\theta", "function", given=ANGLES),
    wrong(EOM, MOTION.replace(r"- I_3(\dot\psi + \dot\phi\cos\theta)\dot\phi", r"+ I_3(\dot\psi"
          r" + \dot\phi\cos\theta)\dot\phi"), "sign", given=ANGLES),
    wrong("H", INERTIA.replace("I_3*cos(theta)]", "0]").replace("[I_3*cos(theta)", "[0"), "coupling missing",
          given=ANGLES),
    wrong("E", ENERGY.replace("+ M g", "- M g"), "gravity reversed|sign|difference for sum", given=WITH_SPIN),
    wrong("L", KINETIC.replace("T =", "L =").replace(r"\frac{I_1}{2}", "I_1") + r" + M g l\cos\theta", "factor",
          "gravity reversed|sign", given=ANGLES),
    wrong("p", MOMENTA_LISTED.replace("I_1*thetadot", "I_3*thetadot")
          .replace("+ phidot*cos(theta))]", "- phidot*cos(theta))]"), "symbol", "sign", given=ANGLES)))
