"""Atwood's machine: two masses on a rope over a pulley with inertia; the rope is two racks on the pulley's rim."""

from tests.verify.corpus.case import LoopJoint, Model, Prismatic, RackAndPinion, Revolute, System, mcI, right, sp, wrong

m_1, m_2, I, R, g, m_p = sp.symbols("m_1 m_2 I R g m_p", positive=True)
#: x_1 and x_2 are heights; theta turns so that the second mass rises.
NAMES = "x_1 = q1; x_2 = q2; theta = q3"


def machine():
    """x points up; the pulley's axis lies at x = 0."""
    eye, none = sp.eye(6), sp.zeros(3)
    bodies = [mcI(m_1, [0, 0, 0], none), mcI(m_2, [0, 0, 0], none), mcI(m_p, [0, 0, 0], sp.diag(I, I, I))]
    ropes = [LoopJoint(1, 3, RackAndPinion(R), eye, eye), LoopJoint(2, 3, RackAndPinion(-R), eye, eye)]
    return Model([0, 0, 0], [Prismatic("x"), Prismatic("x"), Revolute("z")], [eye] * 3, bodies, gravity=(-g, 0, 0),
                 names=["first", "second", "pulley"], loops=ropes)


KINETIC = r"T = \tfrac12 m_1\dot x_1^2 + \tfrac12 m_2\dot x_2^2 + \tfrac12 I\dot\theta^2"
ONE = r"T = \tfrac12\left(m_1 + m_2 + \frac{I}{R^2}\right)\dot x_1^2"
MOTION = r"""m_1\ddot x_1 = \lambda_1 - m_1 g \\ m_2\ddot x_2 = \lambda_2 - m_2 g \\
I\ddot\theta = R(\lambda_1 - \lambda_2)"""
TENSIONS = r"""m_1\ddot x_1 = T_1 - m_1 g \\ m_2\ddot x_2 = T_2 - m_2 g \\ I\ddot\theta = (T_1 - T_2) R"""
REDUCED = r"\left(m_1 + m_2 + \frac{I}{R^2}\right)\ddot x_1 = (m_2 - m_1) g"
SOLVED = r"\ddot{x}_1 = g\,\frac{m_2 - m_1}{m_1 + m_2 + I/R^2}"
ROPES = "x_1 + x_2 = 0\nx_2 = R*theta"
SYSTEM = System("atwood", "Goldstein, Classical Mechanics, 1.6; Taylor, Classical Mechanics, example 7.3", machine, (
    right("T", KINETIC, NAMES), right("T", ONE, NAMES), right("V", "m_1*g*x_1 + m_2*g*x_2", NAMES),
    right("V", "(m_1 - m_2)*g*x_1", NAMES), right("phi", ROPES, NAMES), right("K", "[[1, 1, 0], [0, 1, -R]]"),
    right("equations of motion", REDUCED, NAMES), right("equations of motion", SOLVED, NAMES),
    right("equations of motion", MOTION, NAMES), wrong("V", "(m_1 + m_2)*g*x_1", "sign", given=NAMES),
    wrong("phi", ROPES.replace("x_1 + x_2", "x_1 - x_2"), "sign", given=NAMES, missed="nothing is found"),
    wrong("T", ONE.replace(r" + \frac{I}{R^2}", ""), "missing term|rotational inertia missing|body missing",
          given=NAMES),
    wrong("equations of motion", REDUCED.replace("R^2", "R"), "power", given=NAMES),
    wrong("equations of motion", SOLVED.replace("m_2 - m_1", "m_1 - m_2"),
          "gravity reversed|gravity sign|sign|opposite sign", given=NAMES),
    wrong("T", KINETIC.replace(r"\tfrac12 I", "I").replace(r"m_2\dot x_2^2", r"m_2\dot x_2"), "factor", "power",
          given=NAMES)))
