"""A particle in the vertical plane in polar coordinates, the angle from the downward vertical."""

from tests.verify.corpus.case import EOM, Model, Prismatic, Revolute, System, mcI, right, sp, wrong

m, g = sp.symbols("m g", positive=True)


def model():
    return Model([0, 1], [Revolute("z"), Prismatic((0, -1, 0))], [sp.eye(6)] * 2,
                 [sp.zeros(6), mcI(m, [0, 0, 0], sp.zeros(3))], (0, -g, 0), ["arm", "particle"])


FORCES = (r"\begin{aligned} m(\ddot r - r\dot\theta^2) - m g\cos\theta &= F_r \\"
          r" m(r^2\ddot\theta + 2 r\dot r\dot\theta) + m g r\sin\theta &= \tau_1 \end{aligned}")
RADIAL = "F_r = tau2"
FREE = r"\ddot r = r\dot\theta^2 + g\cos\theta \\ r\ddot\theta = -2\dot r\dot\theta - g\sin\theta"
LAGRANGIAN = r"L = \frac{m}{2}\left(\dot r^2 + r^2\dot\theta^2\right) + m g r\cos\theta"
SYSTEM = System("particle_polar", "Taylor, Classical Mechanics, chapters 1 and 7; Marion and Thornton", model, (
    right(EOM, FORCES, RADIAL), right(EOM, FREE),
    right(EOM, r"\frac{d}{dt}(m r^2\dot\theta) = -m g r\sin\theta \\ m\ddot r = m r\dot\theta^2 + m g\cos\theta"),
    right("L", LAGRANGIAN), right("T", "m*rdot^2/2 + m*r^2*thetadot^2/2"),
    right("V", "-m*g*y", given={"y": "q2*cos(q1)"}),
    right("E", "m*rdot^2/2 + ell^2/(2*m*r^2) - m*g*r*cos(theta)", given="ell = m*q2^2*qd1"),
    right("H", "[m*r^2, 0; 0, m]"), right("C", "[2*m*r*rdot*thetadot, -m*r*thetadot^2]"),
    right("com", "[r*sin(theta), -r*cos(theta), 0]"), right("p", "[m*r^2*thetadot, m*rdot]"),
    right(EOM, r"m(\ddot r - r\dot\theta^2) = mg\cos\theta - k(r-l_0) \\"
          r" m(r\ddot\theta+2\dot r\dot\theta) = -mg\sin\theta", "tau2 = -k*(q2-l_0)"),
    wrong(EOM, FORCES.replace("+ 2 r", "+ r"), "factor|coriolis counted once", given=RADIAL),
    wrong(EOM, FORCES.replace(r"- r\dot\theta^2", r"+ r\dot\theta^2"), "sign|dT/dq sign|centrifugal sign",
          given=RADIAL),
    wrong(EOM, FORCES.replace(r"- r\dot\theta^2", r""), "missing term|dT/dq missing|centrifugal missing", given=RADIAL),
    wrong(EOM, FREE.replace(r"r\ddot\theta", r"r^2\ddot\theta"), "power|lost factor|extra factor"),
    wrong("L", LAGRANGIAN.replace(r"r^2\dot\theta^2", r"r\dot\theta^2"), "power|lost factor"),
    wrong("L", LAGRANGIAN.replace(r"\frac{m}{2}", "m"), "half forgotten|factor"),
    wrong("C", "[m*r*rdot*thetadot, -m*r*thetadot^2]", "coriolis counted once|factor"),
    wrong("C", "[2*m*r*rdot*thetadot, 0]", "dT/dq missing|centrifugal missing|missing term"),
    wrong("p", "[m*r*thetadot, m*rdot]", "power|lost factor"),
    wrong(EOM, FORCES.replace("+ 2 r", "+ r").replace(r"+ m g r", r"- m g r"), "factor|coriolis counted once", "sign",
          given=RADIAL),
    wrong("C", "[m*r*rdot*thetadot, m*r*thetadot^2]", "coriolis counted once|factor",
          "sign|dT/dq sign|centrifugal sign"),
    wrong("L", LAGRANGIAN.replace(r"r^2\dot\theta^2", r"r\dot\theta^2").replace("+ m g r", "- m g r"),
          "power|lost factor", "gravity reversed|sign|sum for difference")))
