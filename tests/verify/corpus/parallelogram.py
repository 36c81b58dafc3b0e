"""Parallelogram linkage: two cranks of length a, a coupler of length b, angles from the upright position."""

from tests.verify.corpus.case import System, library, right, wrong

#: phi: the first crank from the vertical; psi: the coupler's absolute angle; chi: the other crank's.
NAMES = "phi = q1; psi = q1 + q2; chi = q3"
MASSES = NAMES + "; m_1 = density*a; m_2 = density*b"
TURNED = "alpha = q1 + pi/2; gamma = q3 + pi/2; beta = q1 + q2"
CLOSURE = r"""-a\sin\phi + b\cos\psi = b - a\sin\chi \\ a\cos\phi + b\sin\psi = a\cos\chi"""
STANDARD = "a*cos(alpha) + b*cos(beta) - a*cos(gamma) - b = 0\na*sin(alpha) + b*sin(beta) - a*sin(gamma) = 0"
K = "[[-a*cos(phi) - b*sin(psi), -b*sin(psi), a*cos(chi)], [-a*sin(phi) + b*cos(psi), b*cos(psi), a*sin(chi)]]"
KINETIC = r"""T = \tfrac16 m_1 a^2\dot\phi^2 + \tfrac16 m_1 a^2\dot\chi^2
+ \tfrac12 m_2\left(a^2\dot\phi^2 + \tfrac13 b^2\dot\psi^2 + a b\,\dot\phi\dot\psi\sin(\psi - \phi)\right)"""
POTENTIAL = r"V = m_1 g \frac{a}{2}(\cos\phi + \cos\chi) + m_2 g\left(a\cos\phi + \frac{b}{2}\sin\psi\right)"
INERTIA = """[m_1*a**2/3 + m_2*(a**2 + b**2/3 + a*b*sin(q2)), m_2*(b**2/3 + a*b*sin(q2)/2), 0]
[m_2*(b**2/3 + a*b*sin(q2)/2), m_2*b**2/3, 0]
[0, 0, m_1*a**2/3]"""
SYSTEM = System("parallelogram", "RBDA 8.10; the parallel linkage of Spong, Hutchinson and Vidyasagar, 7",
                library("parallelogram"), (
    right("phi", CLOSURE, NAMES), right("phi", STANDARD, TURNED), right("K", K, NAMES), right("T", KINETIC, MASSES),
    right("V", POTENTIAL, MASSES), right("H", INERTIA, "m_1 = density*a; m_2 = density*b"),
    wrong("phi", CLOSURE.replace(r"a\cos\phi", r"a\sin\phi"), "function", given=NAMES),
    wrong("phi", STANDARD.replace("- a*sin(gamma)", "+ a*sin(gamma)"), "sign", given=TURNED),
    wrong("T", KINETIC.replace(r"\tfrac13 b^2", r"\tfrac1{12} b^2"), "parallel axis missing|factor", given=MASSES),
    wrong("V", POTENTIAL.replace(r"\left(a\cos\phi + ", r"\left("), "missing term", given=MASSES),
    wrong("H", INERTIA.replace("a*b*sin(q2)/2", "a*b*sin(q2)"), "factor", given="m_1 = density*a; m_2 = density*b"),
    wrong("T", KINETIC.replace(r"+ a b\,", r"- a b\,").replace(r"16 m_1 a^2\dot\chi", r"13 m_1 a^2\dot\chi"), "sign",
          "factor", given=MASSES)))
