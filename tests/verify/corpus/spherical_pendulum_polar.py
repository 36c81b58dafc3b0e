"""The spherical pendulum in the usual angles: theta from the downward vertical, phi around it."""

from tests.verify.corpus.case import EOM, Model, Revolute, System, mcI, right, sp, wrong

m, l, g = sp.symbols("m l g", positive=True)


def model():
    return Model([0, 1], [Revolute("z"), Revolute((0, -1, 0))], [sp.eye(6)] * 2,
                 [sp.zeros(6), mcI(m, [0, 0, -l], sp.zeros(3))], (0, 0, -g), ["yoke", "rod"])


ANGLES = "phi = q1; theta = q2"
LAGRANGIAN = (r"L = \frac{1}{2} m l^2 \left(\dot\theta^2 + \sin^2\theta\,\dot\phi^2\right) + m g l \cos\theta")
EQUATIONS = (r"\ddot\theta = \sin\theta\cos\theta\,\dot\phi^2 - \frac{g}{l}\sin\theta \\"
             r" \ddot\phi\sin\theta = -2\dot\phi\dot\theta\cos\theta")
REDUCED = (r"ml^2\ddot\theta = \frac{p_\phi^2\cos\theta}{ml^2\sin^3\theta} - mgl\sin\theta"
           r" \\ \frac{d p_\phi}{dt} = 0 \\ p_\phi = ml^2\sin^2\theta\,\dot\phi")
FORCES = ("m*l^2*theta'' - m*l^2*sin(theta)*cos(theta)*phi'^2 + m*g*l*sin(theta) = tau2\n"
          "m*l^2*sin(theta)^2*phi'' + 2*m*l^2*sin(theta)*cos(theta)*phi'*theta' = tau1")
SYSTEM = System("spherical_pendulum_polar", "Landau and Lifshitz; Wikipedia, Spherical pendulum", model, (
    right("L", LAGRANGIAN, ANGLES), right("T", "1/2 m l² (θ̇² + φ̇² sin²θ)", ANGLES), right(EOM, EQUATIONS, ANGLES),
    right(EOM, r"\ddot\theta - \dot\phi^2\sin\theta\cos\theta + (g/l)\sin\theta = 0"
          r" \\ \frac{d}{dt}\left(m l^2 \sin^2\theta\,\dot\phi\right) = 0", ANGLES),
    right(EOM, FORCES, ANGLES), right("H", sp.diag(m * l**2 * sp.sin(sp.Symbol("theta")) ** 2, m * l**2), ANGLES),
    right("C", "[m*l^2*sin(2*theta)*theta'*phi', -1/2*m*l^2*sin(2*theta)*phi'^2]", ANGLES),
    right("p", "[m*l^2*sin(theta)^2*phi', m*l^2*theta']", ANGLES),
    right("E", "m*l^2*theta'^2/2 + p_phi^2/(2*m*l^2*sin(theta)^2) - m*g*l*cos(theta)",
          ANGLES + "; p_phi = m*l^2*sin(q2)^2*qd1"),
    right("com", r"\begin{bmatrix} l\sin\theta\cos\phi \\ l\sin\theta\sin\phi \\ -l\cos\theta \end{bmatrix}", ANGLES),
    right("V", "m*g*l*(1 + cos(alpha))", "alpha = pi - q2"),
    right(EOM, r"\ddot\vartheta - \dot\varphi^2\sin\vartheta\cos\vartheta + (g/l)\sin\vartheta"
          r" = 0 \\ \frac{d}{dt}\left(m l^2 \sin^2\vartheta\,\dot\varphi\right) = 0", "varphi = q1; vartheta = q2"),
    right(EOM, r"\ddot\theta = \left(\dot\phi^2\cos\theta - \frac{g}{l}\right)\sin\theta, \quad"
          r" \ddot\phi = -2\dot\phi\dot\theta\cot\theta", ANGLES),
    right(EOM, REDUCED, ANGLES),
    right("L", r"L = \frac12 m l^2(\dot\theta^2 + \sin^2\theta\,\dot\varphi^2) - mgl\cos\theta",
          "theta = pi - q2; varphi = q1"),
    right("H", "[[m*l^2, 0],[0, m*l^2*sin(theta)^2]]", ANGLES + "; order: theta, phi"),
    wrong("L", LAGRANGIAN.replace("+ m g l", "- m g l"), "sum for difference|gravity reversed|sign", given=ANGLES),
    wrong("L", LAGRANGIAN.replace(r"\sin^2\theta", r"\cos^2\theta"), "function", given=ANGLES),
    wrong("T", "1/2 m l² (θ̇² + φ̇² sinθ)", "power|lost factor", given=ANGLES),
    wrong(EOM, EQUATIONS.replace(r"= \sin\theta", r"= -\sin\theta"), "sign|dT/dq sign|centrifugal sign", given=ANGLES),
    wrong(EOM, EQUATIONS.replace(r"-2\dot\phi", r"-\dot\phi"), "factor|coriolis counted once", given=ANGLES),
    wrong(EOM, EQUATIONS.replace(r"\frac{g}{l}\sin", r"\frac{g}{l}\cos"), "function", given=ANGLES),
    wrong(EOM, FORCES.replace("- m*l^2*sin(theta)*cos(theta)*phi'^2 ", ""),
          "dT/dq missing|centrifugal missing|missing term", given=ANGLES),
    wrong("C", "[m*l^2*sin(2*theta)*theta'*phi', -m*l^2*sin(2*theta)*phi'^2]", "factor|half forgotten", given=ANGLES),
    wrong(EOM, EQUATIONS.replace(r"- \frac{g}{l}", r"+ \frac{g}{l}").replace(r"-2\dot\phi", r"-\dot\phi"),
          "sign|gravity reversed|gravity sign", "factor|coriolis counted once", given=ANGLES),
    wrong("T", "1/2 m l² (θ̇² + φ̇² cosθ)", "function", "power|lost factor", given=ANGLES),
    wrong("L", LAGRANGIAN.replace("+ m g l", "- m g l").replace(r"\frac{1}{2} m l^2", "m l^2"),
          "sum for difference|gravity reversed|sign", "half forgotten|factor", given=ANGLES),
    wrong(EOM, r"\ddot\theta - \dot\phi^2\sin\theta\cos\theta + (g/l)\sin\theta = 0"
          r" \\ \frac{d}{dt}\left(m l^2 \cos^2\theta\,\dot\phi\right) = 0", "function", given=ANGLES),
    wrong(EOM, REDUCED.replace(r"\sin^3", r"\sin^2"), "power|lost factor", given=ANGLES),
    wrong(EOM, EQUATIONS.replace(r"= \sin\theta\cos", r"= \cos\theta\cos").replace(r"- \frac{g}{l}", r"+ \frac{g}{l}"),
          "function", "sign|gravity reversed|gravity sign", given=ANGLES)))
