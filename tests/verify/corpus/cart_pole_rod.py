"""A uniform rod that stands on a cart."""

from tests.verify.corpus.case import EOM, System, library, right, wrong

#: theta turns to the right, and l is half the length of the pole.
FLORIAN = {"theta": "-q2", "a": "l/2", "m_c": "m_cart", "m_p": "m_pole", "F": "tau1"}
BARTO = (r"\ddot\theta = \frac{g\sin\theta + \cos\theta\left[\frac{-F - m_p a\dot\theta^2\sin\theta}{m_c+m_p}\right]}"
         r"{a\left[\frac{4}{3} - \frac{m_p\cos^2\theta}{m_c+m_p}\right]} \\"
         r" \ddot{x} = \frac{F + m_p a\left[\dot\theta^2\sin\theta - \ddot\theta\cos\theta\right]}{m_c+m_p}")
GYM = """temp = (force + polemass_length * theta_dot**2 * sin(theta)) / total_mass
thetaacc = (gravity * sin(theta) - cos(theta) * temp) / (length * (4/3 - masspole * cos(theta)**2 / total_mass))
xacc = temp - polemass_length * thetaacc * cos(theta) / total_mass
theta_ddot = thetaacc
x_ddot = xacc"""
GYM_NAMES = {"theta": "-q2", "length": "l/2", "masspole": "m_pole", "total_mass": "m_cart + m_pole", "gravity": "g",
             "polemass_length": "m_pole*l/2", "force": "tau1"}
EQUATIONS = ("(M+m)*x'' - m*a*cos(theta)*theta'' + m*a*sin(theta)*theta'^2 = F\n"
             "(I + m*a^2)*theta'' - m*a*cos(theta)*x'' - m*g*a*sin(theta) = 0")
MICHIGAN = {"M": "m_cart", "m": "m_pole", "a": "l/2", "I": "m_pole*l^2/12", "theta": "q2", "F": "tau1"}
LAGRANGIAN = r"L = \frac12 (M+m)\dot x^2 + m a\dot x\dot\theta\cos\theta + \frac23 m a^2\dot\theta^2 - m g a\cos\theta"
CLOCKWISE = {"M": "m_cart", "m": "m_pole", "a": "l/2", "theta": "-q2"}
SYSTEM = System("cart_pole_rod", "Barto, Sutton and Anderson 1983; Florian 2007; Control Tutorials for Matlab",
                library("cart_pole"), (
    right(EOM, BARTO, FLORIAN), right(EOM, GYM, GYM_NAMES), right(EOM, EQUATIONS, MICHIGAN),
    right("L", LAGRANGIAN, CLOCKWISE), right("H", "[M + m, m*a*cos(theta); m*a*cos(theta), 4/3*m*a^2]", CLOCKWISE),
    right("g", "[0, -1/2*m_pole*g*l*sin(q2)]"),
    right("C", r"\begin{pmatrix} \frac{1}{2} m_{\text{pole}} l \sin(\theta)\dot\theta^2 \\ 0 \end{pmatrix}"),
    right("T", "m_cart*v1^2/2 + m_pole*((v1 - l/2*w*cos(q2))^2 + (l/2*w*sin(q2))^2)/2 + I*w^2/2",
          "v1 = qd1; w = qd2; I = m_pole*l^2/12"),
    right("tau", "[(m_cart+m_pole)*qdd1 - m_pole*l/2*(cos(q2)*qdd2 - sin(q2)*qd2^2),"
          " m_pole*l^2/3*qdd2 - m_pole*l/2*cos(q2)*qdd1 - m_pole*g*l/2*sin(q2)]"),
    wrong(EOM, BARTO.replace(r"\frac{4}{3}", r"\frac{1}{3}"), "factor|parallel axis missing|rotational inertia missing",
          given=FLORIAN),
    wrong(EOM, BARTO.replace(r"F + m_p a\left", r"F - m_p a\left"), "sign", given=FLORIAN),
    wrong(EOM, EQUATIONS.replace("(I + m*a^2)", "I"), "parallel axis missing|missing term", given=MICHIGAN),
    wrong(EOM, EQUATIONS.replace("- m*g*a", "+ m*g*a"), "sign|gravity reversed|gravity sign", given=MICHIGAN),
    wrong("H", "[M + m, m*a*cos(theta); m*a*cos(theta), m*a^2]", "rotational inertia missing|factor", given=CLOCKWISE),
    wrong("L", LAGRANGIAN.replace(r"+ m a\dot x", r"+ 2 m a\dot x"), "factor", given=CLOCKWISE),
    wrong("tau", "[(m_cart+m_pole)*qdd1 - m_pole*l/2*cos(q2)*qdd2, m_pole*l^2/3*qdd2 - m_pole*l/2*cos(q2)*qdd1"
          " - m_pole*g*l/2*sin(q2)]", "velocity terms missing|centrifugal missing|dT/dq missing|missing term"),
    wrong(EOM, EQUATIONS.replace("(I + m*a^2)", "I").replace("- m*g*a", "+ m*g*a"),
          "parallel axis missing|missing term", "sign|gravity reversed|gravity sign", given=MICHIGAN),
    wrong("H", "[M, m*a*cos(theta); m*a*cos(theta), m*a^2]", "missing term", "rotational inertia missing|factor",
          given=CLOCKWISE),
    wrong("L", r"L = \frac12 (M+m)\dot x^2 - m a\dot x\dot\theta\cos\theta + \frac23 m a^2\dot\theta^2"
          r" - m g a\sin\theta", "sign", "function", given=CLOCKWISE)))
