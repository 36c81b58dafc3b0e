"""A body on a wrist whose three axes meet, turned by the Euler angles z, y, z."""

from tests.verify.corpus.case import EOM, Euler, System, chain, named, right, wrong

GIVEN = "phi = q1; theta = q2; psi = q3"


def model():
    Ix, Iy, Iz, m = named("Ix Iy Iz m")
    return chain([Euler("zyz")], [(0, 0, 0)], [(m, (0, 0, 0), (Ix, Iy, Iz))], (0, 0, 0), ["hand"])


OMEGA = r"""\begin{bmatrix} -\dot\varphi\sin\vartheta\cos\psi + \dot\vartheta\sin\psi \\
\dot\varphi\sin\vartheta\sin\psi + \dot\vartheta\cos\psi \\ \dot\varphi\cos\vartheta + \dot\psi \\ 0 \\ 0 \\ 0
\end{bmatrix}"""
S = """[-sin(theta)*cos(psi), sin(psi), 0]
[sin(theta)*sin(psi), cos(psi), 0]
[cos(theta), 0, 1]
[0, 0, 0]
[0, 0, 0]
[0, 0, 0]"""
S_SPACE = """[0, -sin(phi), cos(phi)*sin(theta)]
[0, cos(phi), sin(phi)*sin(theta)]
[1, 0, cos(theta)]
[0, 0, 0]
[0, 0, 0]
[0, 0, 0]"""
T = ("1/2*Ix*(phi'*sin(theta)*cos(psi) - theta'*sin(psi))^2 + 1/2*Iy*(phi'*sin(theta)*sin(psi) + theta'*cos(psi))^2"
     " + 1/2*Iz*(phi'*cos(theta) + psi')^2")
TOP = r"\frac12 I_x(\dot\phi^2\sin^2\theta + \dot\theta^2) + \frac12 I_z(\dot\psi + \dot\phi\cos\theta)^2"
TOP_GIVEN = GIVEN + "; Iy = Ix"
MOMENTUM = r"""\begin{bmatrix} (I_x\sin^2\theta + I_z\cos^2\theta)\dot\phi + I_z\cos\theta\,\dot\psi \\ I_x\dot\theta \\
I_z(\dot\psi + \dot\phi\cos\theta) \end{bmatrix}"""
MOTION = r"""\frac{d}{dt}\left[I_x\sin^2\theta\,\dot\phi + I_z(\dot\psi + \dot\phi\cos\theta)\cos\theta\right] = \tau_1
I_x\ddot\theta - I_x\dot\phi^2\sin\theta\cos\theta + I_z(\dot\psi + \dot\phi\cos\theta)\dot\phi\sin\theta = \tau_2
I_z\frac{d}{dt}(\dot\psi + \dot\phi\cos\theta) = \tau_3"""
X = """cf = cos(phi)
sf = sin(phi)
ct = cos(theta)
st = sin(theta)
cp = cos(psi)
sp = sin(psi)
X = [cf*ct*cp - sf*sp, sf*ct*cp + cf*sp, -st*cp, 0, 0, 0; -cf*ct*sp - sf*cp, -sf*ct*sp + cf*cp, st*sp, 0, 0, 0; cf*st, sf*st, ct, 0, 0, 0; 0, 0, 0, cf*ct*cp - sf*sp, sf*ct*cp + cf*sp, -st*cp; 0, 0, 0, -cf*ct*sp - sf*cp, -sf*ct*sp + cf*cp, st*sp; 0, 0, 0, cf*st, sf*st, ct]"""  # noqa: E501
ACCELERATION = "[sin(q3)*qdd2 - sin(q2)*cos(q3)*qdd1; cos(q3)*qdd2 + sin(q2)*sin(q3)*qdd1; cos(q2)*qdd1 + qdd3; 0; 0; 0]"  # noqa: E501
ROTATION = r"""\begin{bmatrix} c_\phi c_\theta c_\psi - s_\phi s_\psi & -c_\phi c_\theta s_\psi - s_\phi c_\psi & c_\phi s_\theta \\
s_\phi c_\theta c_\psi + c_\phi s_\psi & -s_\phi c_\theta s_\psi + c_\phi c_\psi & s_\phi s_\theta \\
-s_\theta c_\psi & s_\theta s_\psi & c_\theta \end{bmatrix}"""  # noqa: E501
SPACE = r"""\begin{bmatrix} -\dot\theta\sin\phi + \dot\psi\cos\phi\sin\theta \\ \dot\theta\cos\phi + \dot\psi\sin\phi\sin\theta \\
\dot\phi + \dot\psi\cos\theta \end{bmatrix}"""  # noqa: E501
SYSTEM = System("wrist_zyz", "Siciliano and others, Robotics, ZYZ angles and the spherical wrist", model, (
    right("v[1]", OMEGA, GIVEN), right("S[1]", S, GIVEN), right("T", T, GIVEN), right("T", TOP, TOP_GIVEN),
    right("p", MOMENTUM, TOP_GIVEN), right(EOM, MOTION, TOP_GIVEN), right("X[1,0]", X, GIVEN), right("H33 == Iz", None),
    wrong("S[1]", S_SPACE, "base coordinates", given=GIVEN, missed="nothing is found"),
    wrong("T", T.replace("phi'*cos(theta) + psi'", "phi'*sin(theta) + psi'"), "function", given=GIVEN),
    wrong("T", TOP.replace(r"(\dot\psi + \dot\phi\cos\theta)^2", r"(\dot\psi^2 + \dot\phi^2\cos^2\theta)"),
          "cross term|coupling missing", given=TOP_GIVEN),
    wrong("a[1]", ACCELERATION, "c_J missing"),
    wrong(EOM, MOTION.replace("I_x\\ddot\\theta - I_x", "I_x\\ddot\\theta + I_x"), "sign", given=TOP_GIVEN),
    wrong("p", MOMENTUM.replace("(I_x\\sin^2\\theta", "(I_x\\sin\\theta")
          .replace("\\ I_x\\dot\\theta", "\\ I_z\\dot\\theta"), "power|lost factor", "symbol", given=TOP_GIVEN),
    wrong("X[1,0]", X.replace("-st*cp", "st*cp"), "sign", given=GIVEN),
    wrong("v[1]", OMEGA.replace("+ \\dot\\psi \\\\ 0", "\\\\ 0")
          .replace("\\dot\\vartheta\\sin\\psi", "\\dot\\vartheta\\cos\\psi"), "missing term", "function", given=GIVEN),
    wrong("T", T.replace("1/2*Iz", "Iz").replace("phi'*sin(theta)*sin(psi) +", "phi'*sin(theta)*sin(psi) -"), "factor",
          "sign", given=GIVEN),
    right("R[0,1]", ROTATION, GIVEN), right("omega[1] in base coordinates", SPACE, GIVEN),
    wrong("omega[1] in base coordinates", SPACE.replace(r"\dot\psi\cos\theta", r"\dot\psi\sin\theta"), "function",
          given=GIVEN),
    wrong("R[0,1]", ROTATION.replace(r"c_\phi c_\theta c_\psi - s_\phi s_\psi", r"c_\phi c_\theta c_\psi"
          r" + s_\phi s_\psi"), "sign", given=GIVEN),
    wrong("omega[1] in base coordinates", SPACE.replace(r"-\dot\theta\sin\phi", r"\dot\theta\sin\phi")
          .replace(r"\dot\psi\cos\theta", r"\dot\psi"), "sign", "lost factor", given=GIVEN)))
