"""A rigid body whose attitude is given by yaw psi, pitch theta and roll phi, its velocity by p, q, r in body axes."""

from tests.verify.corpus.case import EOM, Euler, Model, System, mcI, right, sp, wrong

m, I_x, I_y, I_z = sp.symbols("m I_x I_y I_z", positive=True)
ANGLES = "psi = q1; theta = q2; phi = q3"
RATES = ANGLES + """; p = phidot - psidot*sin(theta); q = thetadot*cos(phi) + psidot*cos(theta)*sin(phi)
r = psidot*cos(theta)*cos(phi) - thetadot*sin(phi)"""


def body():
    """Turns about z, y and x, in this order, about the centre of mass."""
    return Model([0], [Euler("zyx")], [sp.eye(6)],
                 [mcI(m, [0, 0, 0], sp.diag(I_x, I_y, I_z))], gravity=(0, 0, 0), names=["body"])


VELOCITY = r"""\begin{bmatrix} \dot\phi - \dot\psi\sin\theta \\ \dot\theta\cos\phi + \dot\psi\cos\theta\sin\phi \\
-\dot\theta\sin\phi + \dot\psi\cos\theta\cos\phi \\ 0 \\ 0 \\ 0 \end{bmatrix}"""
MATRIX = """[[-sin(theta), 0, 1], [cos(theta)*sin(phi), cos(phi), 0], [cos(theta)*cos(phi), -sin(phi), 0],
[0, 0, 0], [0, 0, 0], [0, 0, 0]]"""
KINETIC = "1/2*(I_x*p^2 + I_y*q^2 + I_z*r^2)"
EULER = """I_x*p' + (I_z - I_y)*q*r = 0
I_y*q' + (I_x - I_z)*r*p = 0
I_z*r' + (I_y - I_x)*p*q = 0"""


def _turns(psi, theta, phi):
    """X of the base from the body, three turns multiplied."""
    c, s = sp.cos, sp.sin
    about_z = sp.Matrix([[c(psi), -s(psi), 0], [s(psi), c(psi), 0], [0, 0, 1]])
    about_y = sp.Matrix([[c(theta), 0, s(theta)], [0, 1, 0], [-s(theta), 0, c(theta)]])
    about_x = sp.Matrix([[1, 0, 0], [0, c(phi), -s(phi)], [0, s(phi), c(phi)]])
    R = about_z * about_y * about_x
    return sp.diag(R, R)


q1, q2, q3 = sp.symbols("q1 q2 q3")
SYSTEM = System("euler_zyx", "Etkin, Dynamics of Flight; Fossen, Guidance and Control of Ocean Vehicles, 2", body, (
    right("v[body]", VELOCITY, ANGLES), right("S[body]", MATRIX, ANGLES), right("J[body]", MATRIX, ANGLES),
    right("T", KINETIC, RATES), right("X[0, body]", _turns(q1, q2, q3)), right(EOM, EULER, RATES),
    wrong("v[body]", VELOCITY.replace(r"- \dot\psi\sin\theta", r"+ \dot\psi\sin\theta"), "sign", given=ANGLES),
    wrong("v[body]", VELOCITY.replace(r"\dot\psi\cos\theta\sin\phi", r"\dot\psi\sin\phi"), "lost factor", given=ANGLES),
    wrong("X[0, body]", _turns(q1, q2, q3).T, "inverse|transpose"),
    wrong("J[body]", MATRIX.replace("cos(theta)*cos(phi)", "cos(theta)*sin(phi)"), "function", given=ANGLES),
    wrong("T", KINETIC.replace("q^2", "r^2").replace("I_z*r^2", "2*I_z*r^2"), "symbol", "factor", given=RATES,
          missed="nothing is found"),
    wrong("v[body]", VELOCITY.replace(r"\dot\theta\cos\phi", r"\dot\theta\sin\phi")
          .replace(r"-\dot\theta\sin\phi", r"\dot\theta\sin\phi"), "function", "sign", given=ANGLES)))
