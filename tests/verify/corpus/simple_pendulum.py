"""The simple pendulum: a point mass at the end of a rod without mass."""

import math

from sympy.physics.vector import dynamicsymbols

from tests.verify.corpus.case import EOM, System, library, right, sp, wrong

theta = dynamicsymbols("theta")
m, l, g, t = sp.symbols("m l g t")


def acceleration(q, qd, m, l, g, tau):
    return [tau[0] / (m * l**2) - g / l * math.sin(q[0])]


SYSTEM = System("simple_pendulum", "every textbook; theta from the downward vertical unless something else is said",
                library("simple_pendulum"), (
    right(EOM, r"$\ddot\theta + \frac{g}{l}\sin\theta = 0$"), right(EOM, "theta'' = -g/l*sin(theta) + tau/(m*l^2)"),
    right(EOM, sp.Eq(m * l**2 * theta.diff(t, 2), -m * g * l * sp.sin(theta))),
    right(EOM, r"\frac{d^2\theta}{dt^2} - \frac{g}{l}\sin\theta = 0", given="theta from the upward vertical"),
    right(EOM, r"m \ell^2 \ddot\phi - m g \ell \cos\phi = 0", given={"phi": "pi/2 - q1", "ell": "l"}),
    right("L", r"L = \frac{1}{2} m l^2 \dot\theta^2 - m g l (1 - \cos\theta)"), right("V", "2*m*g*l*sin(theta/2)^2"),
    right("E", "½ m l² θ̇² − m g l cos θ"), right("qdd", acceleration), right("p", r"p_\theta = m l^2 \dot\theta"),
    right("E == p1^2/(2*m*l^2) - m*g*l*cos(theta)", None, given="p1 = m*l^2*qd1"),
    right("com", "[l*sin(theta), -l*cos(theta), 0]"), right(EOM, "theta''[t] + g/l Sin[theta[t]] == 0"),
    right(EOM, r"\frac{\mathrm{d}}{\mathrm{d}t}\frac{\partial L}{\partial\dot\theta}"
          r" - \frac{\partial L}{\partial\theta} = m l^2\ddot\theta + m g l\sin\theta = 0"),
    right(EOM, r"\ddot\theta + \omega_0^2\sin\theta = 0, \qquad \omega_0^2 = g/l"),
    right(EOM, r"x = l\sin\theta,\ y = -l\cos\theta \\ m\ddot x\cos\theta + m\ddot y\sin\theta + m g\sin\theta = 0"),
    right(EOM, r"\dot\theta = \omega \\ \dot\omega = -\frac{g}{l}\sin\theta"),
    right("T", r"T = \frac{1}{2}m(\dot x^2+\dot y^2), \quad x = l\sin\theta, \quad y = -l\cos\theta"),
    right("V", r"V = mgh, h = l(1-\cos\theta)"), right(EOM, "m*l^2*diff(theta,t,2) + m*g*l*sin(theta) = 0"),
    right(EOM, r"\ddot\theta + \frac{9.81}{l}\sin\theta = 0"),
    wrong(EOM, r"$\ddot\theta - \frac{g}{l}\sin\theta = 0$", "sign|gravity reversed|gravity sign"),
    wrong(EOM, r"\ddot\theta = -\frac{g}{l}\cos\theta", "function|other axis"),
    wrong(EOM, "m*l*theta'' + m*g*l*sin(theta) = tau", "power|lost factor|extra factor"),
    wrong(EOM, r"m l^2\ddot\theta = m g l \sin\theta + \tau", "sign|gravity reversed|gravity sign"),
    wrong("L", r"L = \tfrac12 m l^2\dot\theta^2 + m g l(1-\cos\theta)", "sum for difference|gravity reversed|sign"),
    wrong(EOM, "m*l^2*theta'' + m*g*l*sin(pi*theta/180) = 0", "degrees"),
    wrong("T", "m*l^2*theta'^2", "half forgotten|factor"),
    wrong("T", r"\frac{1}{2} m l \dot\theta^2", "power|lost factor"),
    wrong("com", "[l*cos(theta), -l*sin(theta), 0]", "other axis"),
    wrong("qdd", "(tau - g*l*sin(theta))/(m*l^2)", "lost factor"),
    wrong("E", r"m l^2\dot\theta^2 + m g l\cos\theta", "half forgotten|factor",
          "gravity reversed|sign|difference for sum"),
    wrong("L", "m*l^2*theta'^2 + m*g*l*sin(theta)", "half forgotten|factor", "function|other axis"),
    wrong(EOM, r"m l \ddot\theta - m g l\sin\theta = \tau", "power|lost factor|extra factor",
          "sign|gravity reversed|gravity sign"),
    wrong(EOM, "theta'' = -g/l*cos(theta) + tau/(m*l)", "function|other axis", "power|lost factor|extra factor"),
    wrong("T", r"T = m(\dot x^2+\dot y^2), \quad x = l\sin\theta, \quad y = -l^2\cos\theta", "half forgotten|factor",
          "power|lost factor|extra factor", missed="in a definition on the way"),
    wrong(EOM, r"\dot\theta = \omega \\ \dot\omega = \frac{g}{l}\sin\theta + \frac{\tau}{m l}",
          "sign|gravity reversed|gravity sign", "power|lost factor|extra factor"),
    wrong("V", r"V = mgh, h = l(1+\cos\theta)", "sign|gravity reversed|opposite sign")))
