"""A bead that slides on a straight rod, which turns in a horizontal plane."""

from tests.verify.corpus.case import EOM, Model, Prismatic, Revolute, System, mcI, right, sp, wrong

m, J = sp.symbols("m J", positive=True)


def model():
    return Model([0, 1], [Revolute("z"), Prismatic("x")], [sp.eye(6)] * 2,
                 [mcI(0, [0, 0, 0], sp.diag(J, J, J)), mcI(m, [0, 0, 0], sp.zeros(3))], (0, 0, 0), ["rod", "bead"])


def inertia(q, m, J):
    return [[J + m * q[1] ** 2, 0], [0, m]]


def velocity_terms(r, rdot, thetadot, m):
    return [2 * m * r * rdot * thetadot, -m * r * thetadot**2]


def velocity_terms_counted_once(r, rdot, thetadot, m):
    return [m * r * rdot * thetadot, -m * r * thetadot**2]


EQUATIONS = r"(J + m r^2)\ddot\theta + 2 m r\dot r\dot\theta = \tau_1 \\ m\ddot r - m r\dot\theta^2 = 0"
SYSTEM = System("bead_on_rod", "Kleppner and Kolenkow, chapter 2; Morin, chapter 6 (there with constant speed)", model,
                (
    right(EOM, EQUATIONS),
    right(EOM, r"\ddot r = r\omega^2 \\ \frac{d}{dt}\left[(J + m r^2)\omega\right] = \tau_1", "omega = qd1"),
    right("H", inertia), right("C", velocity_terms), right("T", "1/2*(J + m*r^2)*thetadot^2 + 1/2*m*rdot^2"),
    right("L", "L = T\nT = (J*omega^2 + m*(v_r^2 + v_t^2))/2\nv_t = r*omega\nv_r = rdot", "omega = qd1"),
    right("momentum", "[0, 0, (J + m*r^2)*thetadot, m*(rdot*cos(theta) - r*thetadot*sin(theta)),"
          " m*(rdot*sin(theta) + r*thetadot*cos(theta)), 0]"),
    right("v[bead]", "[0, 0, thetadot, rdot, r*thetadot, 0]"),
    right("qdd", "[(tau1 - 2*m*r*rdot*thetadot)/(J + m*r^2), r*thetadot^2 + tau2/m]"),
    wrong(EOM, EQUATIONS.replace("+ 2 m", "+ m"), "factor|coriolis counted once"),
    wrong(EOM, EQUATIONS.replace(r"- m r\dot", r"+ m r\dot"), "sign|dT/dq sign|centrifugal sign"),
    wrong("C", velocity_terms_counted_once, "coriolis counted once|factor"),
    wrong("T", "1/2*(J + m*r)*thetadot^2 + 1/2*m*rdot^2", "power|lost factor"),
    wrong("momentum", "[0, 0, (J + m*r^2)*thetadot, m*(rdot*cos(theta) + r*thetadot*sin(theta)),"
          " m*(rdot*sin(theta) + r*thetadot*cos(theta)), 0]", "sign"),
    wrong("v[bead]", "[0, 0, thetadot, rdot, r*rdot, 0]", "symbol"),
    wrong("qdd", "[(tau1 - 2*m*r*rdot*thetadot)/(J + m*r^2), tau2/m]",
          "missing term|dT/dq missing|centrifugal missing"),
    wrong(EOM, EQUATIONS.replace("+ 2 m", "+ m").replace(r"- m r\dot", r"+ m r\dot"), "factor|coriolis counted once",
          "sign|dT/dq sign|centrifugal sign"),
    wrong("T", "1/2*(J + m*r)*thetadot^2 + m*rdot^2", "power|lost factor", "factor")))
