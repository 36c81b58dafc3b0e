"""Four-bar linkage, as books on the kinematics of machines write it: links r1 to r4, angles from the ground."""

from tests.verify.corpus.case import EOM, System, library, right, wrong

#: Norton's and others' names: r1 the ground, r2 the crank, r3 the coupler, r4 the rocker, all angles from the ground.
ANGLES = "theta_2 = q1; theta_3 = q1 + q2; theta_4 = q3"
NORTON = ANGLES + "; r_1 = ground; r_2 = a; r_3 = b; r_4 = c"
MASSES = ANGLES + "; m_2 = density*a; m_3 = density*b; m_4 = density*c"
CLOSURE = r"""r_2\cos\theta_2 + r_3\cos\theta_3 - r_4\cos\theta_4 - r_1 = 0 \\
r_2\sin\theta_2 + r_3\sin\theta_3 - r_4\sin\theta_4 = 0"""
K = """[[-a*sin(q1) - b*sin(q1 + q2), -b*sin(q1 + q2), c*sin(q3)],
[a*cos(q1) + b*cos(q1 + q2), b*cos(q1 + q2), -c*cos(q3)]]"""
RATES = """[a*cos(q1)*qd1**2 + b*cos(q1 + q2)*(qd1 + qd2)**2 - c*cos(q3)*qd3**2,
a*sin(q1)*qd1**2 + b*sin(q1 + q2)*(qd1 + qd2)**2 - c*sin(q3)*qd3**2]"""
KINETIC = r"""T = \frac{1}{6} m_2 a^2 \dot\theta_2^2
+ \frac12 m_3\left[a^2\dot\theta_2^2 + \frac{b^2}{3}\dot\theta_3^2 + a b\,\dot\theta_2\dot\theta_3
\cos(\theta_2 - \theta_3)\right] + \frac16 m_4 c^2 \dot\theta_4^2"""
POTENTIAL = r"""V = m_2 g \frac{a}{2}\sin\theta_2 + m_3 g\left(a\sin\theta_2 + \frac b2 \sin\theta_3\right)
+ m_4 g \frac{c}{2}\sin\theta_4"""
INERTIA = """H11 = m2*a**2/3 + m3*(a**2 + b**2/3 + a*b*cos(q2))
H12 = m3*(b**2/3 + a*b*cos(q2)/2)
H22 = m3*b**2/3
H13 = 0
H23 = 0
H33 = m4*c**2/3"""
OWN_MASSES = "m2 = density*a; m3 = density*b; m4 = density*c"
MOTION = r"""\begin{aligned}
\left(\tfrac13 m_2 + m_3\right) a^2 \ddot\theta_2 + \tfrac12 m_3 a b \cos(\theta_2-\theta_3)\ddot\theta_3
 + \tfrac12 m_3 a b \sin(\theta_2-\theta_3)\dot\theta_3^2 + \left(\tfrac12 m_2 + m_3\right) g a \cos\theta_2
 &= \tau + a(-\lambda_1 \sin\theta_2 + \lambda_2 \cos\theta_2) \\
\tfrac13 m_3 b^2 \ddot\theta_3 + \tfrac12 m_3 a b \cos(\theta_2-\theta_3)\ddot\theta_2
 - \tfrac12 m_3 a b \sin(\theta_2-\theta_3)\dot\theta_2^2 + \tfrac12 m_3 g b \cos\theta_3
 &= b(-\lambda_1 \sin\theta_3 + \lambda_2 \cos\theta_3) \\
\tfrac13 m_4 c^2 \ddot\theta_4 + \tfrac12 m_4 g c \cos\theta_4 &= c(\lambda_1 \sin\theta_4 - \lambda_2 \cos\theta_4)
\end{aligned}"""
DRIVEN = MASSES + "; tau = tau1"
SYSTEM = System("four_bar", "Norton, Design of Machinery, chapters 4 and 6; RBDA chapter 8", library("four_bar"), (
    right("phi", CLOSURE, NORTON),
    right("phi", "a*cos(q1) + b*cos(q1 + q2) = ground + c*cos(q3)\na*sin(q1) + b*sin(q1 + q2) = c*sin(q3)"),
    right("K", K), right("T", KINETIC, MASSES), right("V", POTENTIAL, MASSES), right("H", INERTIA, OWN_MASSES),
    right(EOM, MOTION, DRIVEN),
    right("omega_3 == omega_2*r_2/r_3*sin(theta_4 - theta_2)/sin(theta_3 - theta_4)", None,
          NORTON + "; omega_2 = qd1; omega_3 = qd1 + qd2"),
    right("omega_4 == omega_2*r_2/r_4*sin(theta_2 - theta_3)/sin(theta_4 - theta_3)", None,
          NORTON + "; omega_2 = qd1; omega_4 = qd3"),
    wrong("omega_4 == omega_2*r_2/r_4*sin(theta_2 - theta_3)/sin(theta_3 - theta_4)", None, "sign",
          given=NORTON + "; omega_2 = qd1; omega_4 = qd3"),
    wrong("phi", CLOSURE.replace(r"r_3\sin\theta_3 -", r"r_3\sin\theta_3 +"), "sign", given=NORTON),
    wrong("phi", "a*cos(q1) + b*cos(q2) = ground + c*cos(q3)\na*sin(q1) + b*sin(q1 + q2) = c*sin(q3)", "argument"),
    wrong("K", K.replace("b*cos(q1 + q2), -c*cos(q3)", "b*cos(q1 + q2), c*cos(q3)"), "sign"),
    wrong("k", RATES.replace("(qd1 + qd2)**2 - c*cos", "(qd1**2 + qd2**2) - c*cos"), "cross term"),
    wrong("T", KINETIC.replace(r"a b\,\dot", r"2 a b\,\dot"), "factor", given=MASSES),
    wrong("V", POTENTIAL.replace(r"\frac b2", "b"), "factor|half-length", given=MASSES),
    wrong("H", INERTIA.replace("H33 = m4*c**2/3", "H33 = m4*c**2/12"), "parallel axis missing|factor",
          given=OWN_MASSES),
    wrong("T", KINETIC.replace(r"\frac16 m_4", r"\frac1{24} m_4").replace(r"\cos(", r"\sin("),
          "parallel axis missing|factor", "function", given=MASSES),
    wrong("V", POTENTIAL.replace(r"\frac{c}{2}\sin", r"c\cos"), "factor|half-length", "function", given=MASSES),
    wrong(EOM, MOTION.replace("c(", "-c("), "sign", given=DRIVEN),
    wrong(EOM, MOTION.replace(r"m_2 + m_3\right) a^2", r"m_2 - m_3\right) a^2"), "sign", given=DRIVEN)))
