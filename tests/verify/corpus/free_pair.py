"""Two bodies with one hinge, free in the plane without gravity: what their momentum and energy are."""

from tests.verify.corpus.case import Model, Prismatic, Revolute, System, mcI, right, sp, wrong, xlt

m_1, m_2, I_1, I_2, a, b = sp.symbols("m_1 m_2 I_1 I_2 a b", positive=True)
#: (x, y): centre of mass of the first body; a, b: from the hinge to the two centres; phi_2: absolute.
NAMES = "x = q1; y = q2; phi_1 = q3; phi_2 = q3 + q4"
RELATIVE = "x = q1; y = q2; theta = q3; psi = q4"


def pair():
    """The first body's centre is its origin; the hinge is at the distance a on its x axis."""
    eye, none = sp.eye(6), sp.zeros(6)
    bodies = [none, none, mcI(m_1, [0, 0, 0], sp.diag(I_1, I_1, I_1)), mcI(m_2, [b, 0, 0], sp.diag(I_2, I_2, I_2))]
    return Model([0, 1, 2, 3], [Prismatic("x"), Prismatic("y"), Revolute("z"), Revolute("z")],
                 [eye, eye, eye, xlt([a, 0, 0])], bodies, gravity=(0, 0, 0), names=["x", "y", "base_body", "arm"])


KINETIC = r"""T = \tfrac12 m_1(\dot x^2 + \dot y^2) + \tfrac12 I_1\dot\phi_1^2 + \tfrac12 I_2\dot\phi_2^2
+ \tfrac12 m_2\left[(\dot x - a\dot\phi_1\sin\phi_1 - b\dot\phi_2\sin\phi_2)^2
+ (\dot y + a\dot\phi_1\cos\phi_1 + b\dot\phi_2\cos\phi_2)^2\right]"""
LINEAR = """px = m_1*xdot + m_2*(xdot - a*phidot_1*sin(phi_1) - b*phidot_2*sin(phi_2))
py = m_1*ydot + m_2*(ydot + a*phidot_1*cos(phi_1) + b*phidot_2*cos(phi_2))
X = x + a*cos(phi_1) + b*cos(phi_2)
Y = y + a*sin(phi_1) + b*sin(phi_2)
h = I_1*phidot_1 + I_2*phidot_2 + m_1*(x*ydot - y*xdot) + m_2*(X*Ydot - Y*Xdot)
[0, 0, h, px, py, 0]"""
CENTRE = r"""\frac{1}{m_1 + m_2}\begin{bmatrix} m_1 x + m_2(x + a\cos\phi_1 + b\cos\phi_2) \\
m_1 y + m_2(y + a\sin\phi_1 + b\sin\phi_2) \\ 0 \end{bmatrix}"""
VELOCITY = """[0, 0, thetadot + psidot,
(xdot*cos(theta) + ydot*sin(theta))*cos(psi) + (ydot*cos(theta) - xdot*sin(theta) + a*thetadot)*sin(psi),
(ydot*cos(theta) - xdot*sin(theta) + a*thetadot)*cos(psi) - (xdot*cos(theta) + ydot*sin(theta))*sin(psi), 0]"""
SYSTEM = System("free_pair",
                "Dubowsky and Papadopoulos, The kinematics, dynamics and control of free-flying space robots", pair, (
    right("T", KINETIC, NAMES), right("com", CENTRE, NAMES), right("v[arm]", VELOCITY, RELATIVE),
    right("X[arm, base_body]", "[c4, s4, 0, 0, 0, 0]\n[-s4, c4, 0, 0, 0, 0]\n[0, 0, 1, 0, 0, 0]\n"
          "[0, 0, a*s4, c4, s4, 0]\n[0, 0, a*c4, -s4, c4, 0]\n[0, -a, 0, 0, 0, 1]"),
    wrong("T", KINETIC.replace(r"b\dot\phi_2\cos\phi_2", r"b\dot\phi_1\cos\phi_2"), "symbol", given=NAMES),
    wrong("com", CENTRE.replace(r"m_2(x + a", r"m_1(x + a"), "symbol", given=NAMES),
    wrong("v[arm]", VELOCITY.replace("thetadot + psidot", "psidot"), "missing term|absolute velocity|velocity",
          given=RELATIVE),
    wrong("T", KINETIC.replace(r"\tfrac12 I_2", "I_2").replace(r"+ a\dot\phi_1\cos", r"- a\dot\phi_1\cos"), "factor",
          "sign", given=NAMES)))
