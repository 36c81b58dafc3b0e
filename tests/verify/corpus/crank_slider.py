"""Slider-crank: crank r = a, connecting rod l = b, piston at x, as in books on engines."""

from tests.verify.corpus.case import EOM, System, library, right, sp, wrong

#: beta is the rod's angle with the cylinder's axis, counted downwards, so that r sin(theta) = l sin(beta).
ENGINE = "theta = q1; beta = -(q1 + q2); x = q3; r = a; l = b"
MASSES = ENGINE + "; m_1 = density*a; m_2 = density*b; m_3 = m_slider"
PSI = "theta = q1; psi = q1 + q2; s = q3"
CLOSURE = r"r\cos\theta + l\cos\beta = x, \quad r\sin\theta = l\sin\beta"
LOOP = "a*cos(theta) + b*cos(psi) - s = 0\na*sin(theta) + b*sin(psi) = 0"
K = r"""\begin{bmatrix} -r\sin\theta + l\sin\beta & l \sin\beta & -1 \\
r\cos\theta + l\cos\beta & l \cos\beta & 0 \end{bmatrix}"""
KINETIC = r"""T = \frac{1}{6} m_1 r^2\dot\theta^2 + \frac{1}{6} m_2 l^2 \dot\beta^2
+ \frac12 m_2 \left(r^2\dot\theta^2 - r l \cos(\theta+\beta)\dot\theta\dot\beta\right) + \frac{1}{2} m_3 \dot{x}^2"""
POTENTIAL = "m1*g*r/2*sin(theta) + m2*g*(r*sin(theta) - l/2*sin(beta))"
MOTION = r"""(\tfrac13 m_1 + m_2) r^2 \ddot\theta - \tfrac12 m_2 r l \cos(\theta+\beta)\ddot\beta
 + \tfrac12 m_2 r l \sin(\theta+\beta)\dot\beta^2 + (\tfrac12 m_1 + m_2) g r\cos\theta
 = \tau - \lambda_1 r\sin\theta + \lambda_2 r\cos\theta
\\ \tfrac13 m_2 l^2\ddot\beta - \tfrac12 m_2 r l\cos(\theta+\beta)\ddot\theta
 + \tfrac12 m_2 r l \sin(\theta+\beta)\dot\theta^2 - \tfrac12 m_2 g l\cos\beta
 = -\lambda_1 l\sin\beta - \lambda_2 l\cos\beta
\\ m_3\ddot x = -\lambda_1"""
DRIVEN = MASSES + "; tau = tau1"


def _by_sympy(sign=1, over=12):
    """T in SymPy, from the velocity of the rod's middle and its turning."""
    a, b, density, slider = sp.symbols("a b density m_slider", positive=True)
    q1, q2, qd1, qd2, qd3 = sp.symbols("q1 q2 qd1 qd2 qd3")
    psi, psid = q1 + q2, qd1 + qd2
    vx = -a * sp.sin(q1) * qd1 - b / 2 * sp.sin(psi) * psid
    vy = a * sp.cos(q1) * qd1 + sign * b / 2 * sp.cos(psi) * psid
    return (density * a**3 * qd1**2 / 6 + density * b * (vx**2 + vy**2) / 2 + density * b * b**2 / over * psid**2 / 2
            + slider * qd3**2 / 2)


SYSTEM = System("crank_slider", "engines in Norton, Design of Machinery, chapter 13; RBDA chapter 8",
                library("crank_slider"), (
    right("phi", CLOSURE, ENGINE), right("phi", LOOP, PSI), right("K", K, ENGINE), right("T", KINETIC, MASSES),
    right("T", _by_sympy()), right("V", POTENTIAL, MASSES), right(EOM, MOTION, DRIVEN),
    right("xdot == -r*sin(theta)*thetadot - r*cos(theta)*thetadot*sin(beta)/cos(beta)", None, ENGINE),
    right("omega_b == -omega*r*cos(theta)/(l*cos(beta)) * (-1)", None, ENGINE + "; omega = qd1; omega_b = betadot"),
    wrong("xdot == -r*sin(theta)*thetadot + r*cos(theta)*thetadot*sin(beta)/cos(beta)", None, "sign", given=ENGINE),
    wrong("phi", CLOSURE.replace(r"r\sin\theta = l", r"r\sin\theta = -l"), "sign", given=ENGINE),
    wrong("phi", LOOP.replace("b*cos(psi)", "b*sin(psi)"), "function", given=PSI),
    wrong("T", _by_sympy(over=3), "parallel axis twice|factor"),
    wrong("T", KINETIC.replace(r"\frac{1}{2} m_3 \dot{x}^2", r"m_3 \dot{x}^2"), "factor", given=MASSES),
    wrong("V", POTENTIAL.replace("- l/2", "+ l/2"), "sign", given=MASSES),
    wrong("T", KINETIC.replace(r"- r l \cos(\theta+\beta)", r"+ r l \cos(\theta-\beta)"), "sign", "argument",
          given=MASSES),
    wrong("V", POTENTIAL.replace("m1*g*r/2", "m1*g*r").replace("sin(beta)", "cos(beta)"), "factor|half-length",
          "function", given=MASSES)))
