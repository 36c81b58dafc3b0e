"""A bead on a hoop that can turn about its vertical diameter."""

from tests.verify.corpus.case import EOM, Model, Revolute, System, mcI, right, sp, wrong

m, R, J, g = sp.symbols("m R J g", positive=True)


def model():
    """q1 turns the hoop, q2 is the bead's angle from the lowest point."""
    return Model([0, 1], [Revolute("z"), Revolute((0, -1, 0))], [sp.eye(6)] * 2,
                 [sp.diag(J, J, J, 0, 0, 0), mcI(m, [0, 0, -R], sp.zeros(3))], (0, 0, -g), ["hoop", "bead"])


ANGLES = "phi = q1; theta = q2"
SPINNING = "theta = q2; omega = qd1"
LAGRANGIAN = (r"L = \tfrac12 J\dot\phi^2 + \tfrac12 m R^2\left(\dot\theta^2 + \dot\phi^2\sin^2\theta\right)"
              r" + m g R\cos\theta")
EQUATIONS = ("theta'' + (g/R - phi'^2*cos(theta))*sin(theta) = 0\n"
             "(J + m*R^2*sin(theta)^2)*phi'' + 2*m*R^2*sin(theta)*cos(theta)*theta'*phi' = tau1")
SYSTEM = System("bead_on_hoop", "Goldstein, chapter 2; Taylor, Classical Mechanics, example 7.6; here the hoop is free",
                model, (
    right("L", LAGRANGIAN, ANGLES), right(EOM, EQUATIONS, ANGLES),
    right(EOM, r"m R^2\ddot\theta = m R^2\omega^2\sin\theta\cos\theta - m g R\sin\theta \\"
          r" \frac{d}{dt}\left[(J + m R^2\sin^2\theta)\,\omega\right] = \tau_1", SPINNING),
    right("T", "J*omega^2/2 + m*(R^2*theta'^2 + R^2*omega^2*sin(theta)^2)/2", SPINNING),
    right("V", "m*g*R*(1 - cos(theta))", ANGLES), right("p", "[(J + m*R^2*sin(theta)^2)*phi', m*R^2*theta']", ANGLES),
    right("H", [[J + m * R**2 * sp.sin(sp.Symbol("q2")) ** 2, 0], [0, m * R**2]]),
    right("E", "1/2*(J + m*R^2*sin(q2)^2)*qd1^2 + m*R^2*qd2^2/2 - m*g*R*cos(q2)"),
    wrong("L", LAGRANGIAN.replace(r"\sin^2\theta", r"\cos^2\theta"), "function", given=ANGLES),
    wrong(EOM, EQUATIONS.replace("- phi'^2", "+ phi'^2"), "sign|dT/dq sign|centrifugal sign", given=ANGLES),
    wrong(EOM, EQUATIONS.replace("2*m*R^2*sin(theta)*cos", "m*R^2*sin(theta)*cos"), "factor|coriolis counted once",
          given=ANGLES),
    wrong(EOM, EQUATIONS.replace("g/R", "g"), "lost factor|power|extra factor", given=ANGLES),
    wrong("V", "m*g*R*(1 - sin(theta))", "function|other axis", given=ANGLES),
    wrong("p", "[(J + m*R*sin(theta)^2)*phi', m*R^2*theta']", "power|lost factor", given=ANGLES),
    wrong("L", LAGRANGIAN.replace("+ m g R", "- m g R").replace(r"\tfrac12 J", "J"),
          "sum for difference|gravity reversed|sign", "factor", given=ANGLES),
    wrong(EOM, EQUATIONS.replace("g/R", "-g/R").replace("2*m*R^2", "m*R^2"), "sign|gravity reversed|gravity sign",
          "factor|coriolis counted once", given=ANGLES)))
