"""A uniform rod on a hinge."""

from tests.verify.corpus.case import EOM, System, library, right, wrong

SYSTEM = System("rod_pendulum", "Marion and Thornton; Meriam and Kraige; theta from the downward vertical",
                library("pendulum"), (
    right(EOM, r"\frac{1}{3} m l^2 \ddot{\theta} + \frac{1}{2} m g l \sin\theta = 0"),
    right(EOM, r"\ddot\theta = -\frac{3g}{2l}\sin\theta"),
    right(EOM, "I_O*theta'' = -m*g*(l/2)*sin(theta)", given="I_O = m*l^2/12 + m*(l/2)^2"),
    right(EOM, "4/3*m*a^2*theta'' + m*g*a*sin(theta) = 0", given="a = l/2"),
    right(EOM, r"\frac13 m L^2\ddot\theta + \frac12 m g L\cos\theta = \tau", given="theta from the horizontal; L = l"),
    right("L", r"L = \frac{1}{6} m l^2 \dot\theta^2 + \frac{1}{2} m g l \cos\theta"),
    right("E", "m*l^2*theta_dot^2/6 + m*g*l/2*(1 - cos(theta))"),
    right("tau", "m*l**2*(1/12 + 1/4)*qdd1 + 0.5*m*g*l*sin(q1)"), right("qdd", "(6*tau1 - 3*m*g*l*sin(q1))/(2*m*l**2)"),
    wrong(EOM, r"\frac{1}{12} m l^2 \ddot{\theta} + \frac{1}{2} m g l \sin\theta = 0", "parallel axis missing|factor"),
    wrong(EOM, r"\frac{1}{3} m l^2 \ddot{\theta} + m g l \sin\theta = 0", "half-length|factor"),
    wrong(EOM, r"\ddot\theta = \frac{3g}{2l}\sin\theta", "sign|gravity reversed|gravity sign"),
    wrong(EOM, "m*(l/2)^2*theta'' + m*g*l/2*sin(theta) = 0", "rotational inertia missing|missing term|factor"),
    wrong("L", r"\frac{1}{6} m l^2 \dot\theta^2 + \frac{1}{2} m g l \sin\theta", "function|other axis"),
    wrong("T", "m*l^2*theta'^2/3", "half forgotten|factor"),
    wrong(EOM, r"\frac{1}{12} m l^2 \ddot{\theta} + m g l \sin\theta = 0", "parallel axis missing|factor",
          "half-length|factor"),
    wrong("tau", "m*l^2/12*qdd1 - m*g*l/2*sin(q1)", "parallel axis missing|factor",
          "sign|gravity reversed|gravity sign"),
    wrong("L", r"\tfrac{1}{24} m l^2\dot\theta^2 - \tfrac12 m g l\cos\theta", "parallel axis missing|factor",
          "sum for difference|gravity reversed|sign")))
