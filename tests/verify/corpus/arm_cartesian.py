"""Two slides at right angles (PP): the first lifts, the second moves sideways."""

from tests.verify.corpus.case import EOM, Prismatic, System, chain, named, right, wrong


def model():
    m1, m2, g = named("m1 m2 g")
    return chain([Prismatic("z"), Prismatic("x")], [(0, 0, 0), (0, 0, 0)],
                 [(m1, (0, 0, 0), (0, 0, 0)), (m2, (0, 0, 0), (0, 0, 0))], (0, 0, -g), ["lift", "slide"])


D = r"D = \begin{bmatrix} m_1 + m_2 & 0 \\ 0 & m_2 \end{bmatrix}"
MOTION = r"""(m_1+m_2)\ddot q_1 + g(m_1+m_2) = f_1
m_2 \ddot q_2 = f_2"""
SYSTEM = System("arm_cartesian", "Spong, Hutchinson and Vidyasagar, two-link Cartesian manipulator", model, (
    right("H", D), right(EOM, MOTION), right("V", r"P = g(m_1 + m_2) q_1"), right("C", "[0, 0]"),
    right("bias", "[(m1+m2)*g, 0]"), right("momentum", "[0, m1*0 + m2*(q1*qd2 - q2*qd1), 0, m2*qd2, 0, (m1+m2)*qd1]"),
    right("com", "[m2*q2/(m1+m2), 0, q1]"), right("qdd", "[f1/(m1+m2) - g, f2/m2]"),
    right("d/dt(V) == (m1+m2)*g*qd1", None), wrong("H", D.replace("m_1 + m_2", "m_1"), "missing term"),
    wrong(EOM, MOTION.replace("m_2 \\ddot q_2", "(m_1+m_2) \\ddot q_2"), "extra term|symbol|factor"),
    wrong("V", "P = -g(m_1 + m_2) q_1", "opposite sign|gravity reversed|sign"),
    wrong("momentum", "[0, m2*(q2*qd1 - q1*qd2), 0, m2*qd2, 0, (m1+m2)*qd1]", "sign"),
    wrong("com", "[q2, 0, q1]", "lost factor|extra factor|body missing"),
    wrong(EOM, MOTION.replace("+ g(m_1+m_2)", "- g m_1"), "sign|gravity sign|gravity reversed", "missing term")))
