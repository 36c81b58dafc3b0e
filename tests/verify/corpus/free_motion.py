"""A rigid body free in space, its velocity in its own axes: (p, q, r) and (u, v, w) of aircraft and ships."""

from tests.verify.corpus.case import FreeMotion, Model, System, mcI, right, sp, wrong

m, J_x, J_y, J_z = sp.symbols("m J_x J_y J_z", positive=True)
RATES = "p = qd1; q = qd2; r = qd3; u = qd4; v = qd5; w = qd6"
FORCES = RATES + "; L = tau1; M = tau2; N = tau3; X = tau4; Y = tau5; Z = tau6"


def body():
    """The frame is that of the principal axes in the centre of mass; there is no gravity."""
    return Model([0], [FreeMotion()], [sp.eye(6)],
                 [mcI(m, [0, 0, 0], sp.diag(J_x, J_y, J_z))], gravity=(0, 0, 0), names=["body"])


KINETIC = r"T = \tfrac12 m(u^2 + v^2 + w^2) + \tfrac12\left(J_x p^2 + J_y q^2 + J_z r^2\right)"
BIAS = """[(J_z - J_y)*q*r, (J_x - J_z)*r*p, (J_y - J_x)*p*q, m*(q*w - r*v), m*(r*u - p*w), m*(p*v - q*u)]"""
FORCE = """[J_x*qdd1 + (J_z - J_y)*qd2*qd3, J_y*qdd2 + (J_x - J_z)*qd3*qd1, J_z*qdd3 + (J_y - J_x)*qd1*qd2,
m*(qdd4 + qd2*qd6 - qd3*qd5), m*(qdd5 + qd3*qd4 - qd1*qd6), m*(qdd6 + qd1*qd5 - qd2*qd4)]"""
SYSTEM = System("free_motion", "Etkin, Dynamics of Flight; Fossen, Guidance and Control of Ocean Vehicles", body, (
    right("T", KINETIC, RATES), right("C", BIAS, RATES), right("tau", FORCE),
    right("H", sp.diag(J_x, J_y, J_z, m, m, m)), right("p", "[J_x*qd1, J_y*qd2, J_z*qd3, m*qd4, m*qd5, m*qd6]"),
    right("v[1]", "[p, q, r, u, v, w]", RATES), right("a[1]", "[qdd1, qdd2, qdd3, qdd4, qdd5, qdd6]"),
    wrong("T", KINETIC.replace(r"\tfrac12\left(J", r"\left(J"), "factor", given=RATES),
    wrong("tau", FORCE.replace("qdd4 + qd2*qd6 - qd3*qd5", "qdd4 + qd2*qd6 + qd3*qd5"), "sign"),
    wrong("a[1]", "[qdd1, qdd2, qdd3, qdd4 + qd2*qd6 - qd3*qd5, qdd5 + qd3*qd4 - qd1*qd6, qdd6 + qd1*qd5 - qd2*qd4]",
          "classical acceleration"),
    wrong("v[1]", "[u, v, w, p, q, r]", "swapped", given=RATES),
    wrong("C", BIAS.replace("(J_x - J_z)", "(J_z - J_x)").replace("m*(p*v", "m*(r*v"), "sign", "symbol", given=RATES),
    wrong("tau", FORCE.replace("J_y*qdd2", "J_x*qdd2").replace("m*(qdd5", "m*(2*qdd5"), "symbol", "factor")))
