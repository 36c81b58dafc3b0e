"""A point mass on a rod without mass that hangs from a cart."""

import sympy as sp

from rbdlib import Model
from rbdlib.joints import Prismatic, Revolute
from rbdlib.spatial import mcI
from tests.verify.corpus.case import System, right, wrong

m_c, m_p, l, g = sp.symbols("m_c m_p l g", positive=True)


def model():
    return Model([0, 1], [Prismatic("x"), Revolute("z")], [sp.eye(6)] * 2,
                 [mcI(m_c, [0, 0, 0], sp.zeros(3)), mcI(m_p, [0, -l, 0], sp.zeros(3))], (0, -g, 0), ["cart", "pole"])


TEDRAKE = (r"\begin{aligned} (m_c+m_p)\ddot{x} + m_p l\ddot\theta\cos\theta - m_p l\dot\theta^2\sin\theta &= F \\"
           r" m_p l\ddot{x}\cos\theta + m_p l^2\ddot\theta + m_p g l\sin\theta &= 0 \end{aligned}")
SOLVED = (r"\ddot{x} = \frac{1}{m_c + m_p\sin^2\theta}\left[F + m_p(l\dot\theta^2 + g\cos\theta)\sin\theta\right] \\"
          r" \ddot\theta = \frac{1}{l(m_c + m_p\sin^2\theta)}\left[-F\cos\theta - m_p l\dot\theta^2\cos\theta\sin\theta"
          r" - (m_c+m_p)g\sin\theta\right]")
MATRIX = r"\mathbf{M} = \begin{bmatrix} m_c+m_p & m_p l\cos\theta \\ m_p l\cos\theta & m_p l^2 \end{bmatrix}"
UPRIGHT = "theta from the upward vertical; M = m_c; m = m_p"
WIKIPEDIA = ("(M+m)*x'' - m*l*theta''*cos(theta) + m*l*theta'^2*sin(theta) = F\n"
             "l*theta'' - g*sin(theta) = x''*cos(theta)")
LAGRANGIAN = (r"L = \frac12 (M+m)\dot x^2 - m l\dot x\dot\theta\cos\theta + \frac12 m l^2\dot\theta^2"
              r" - m g l\cos\theta")
M, m, x, th = sp.symbols("M m x theta")
xd, thd = sp.symbols("xdot thetadot")

SYSTEM = System(
    "cart_pendulum", "Tedrake, Underactuated Robotics; Wikipedia, Inverted pendulum", model, (
        right("equations of motion", TEDRAKE),
        right("equations of motion", SOLVED),
        right("H", MATRIX),
        right("C", r"C = \begin{bmatrix} 0 & -m_p l\dot\theta\sin\theta \\ 0 & 0 \end{bmatrix}"),
        right("g", "[0, m_p*g*l*sin(theta)]"),
        right("equations of motion", WIKIPEDIA, UPRIGHT),
        right("L", LAGRANGIAN, UPRIGHT),
        right("T", M * xd**2 / 2 + m * ((xd - l * thd * sp.cos(th)) ** 2 + (l * thd * sp.sin(th)) ** 2) / 2, UPRIGHT),
        right("p", "[(m_c+m_p)*xdot + m_p*l*cos(theta)*thetadot, m_p*l*(l*thetadot + xdot*cos(theta))]"),
        right("com", "[x + m_p*l*sin(theta)/(m_c+m_p), -m_p*l*cos(theta)/(m_c+m_p), 0]"),
        right("V", "m*g*l*cos(theta)", UPRIGHT),
        wrong("equations of motion", TEDRAKE.replace(r"- m_p l\dot\theta^2", r"+ m_p l\dot\theta^2"),
              "sign|velocity terms sign|centrifugal sign"),
        wrong("equations of motion", TEDRAKE.replace(r"(m_c+m_p)", r"m_c"), "missing term|extra factor"),
        wrong("equations of motion", TEDRAKE.replace(r"m_p l\ddot{x}\cos\theta + ", ""), "missing term",
              missed="a term that is missing in an equation without forces"),
        wrong("equations of motion", SOLVED.replace(r"m_p\sin^2\theta)}\left[-F", r"m_p\cos^2\theta)}\left[-F"),
              "function"),
        wrong("C", "[-m_p*l*sin(theta)*theta'^2, -m_p*l*sin(theta)*theta'*x']", "dT/dq missing",
              missed="a wrong rate of H in the hypothesis about dT/dq"),
        wrong("H", MATRIX.replace("m_p l^2", "m_p l"), "power|lost factor"),
        wrong("H", MATRIX.replace(r"m_p l\cos\theta", "0"), "coupling missing"),
        wrong("C", r"\begin{bmatrix} -m_p l\dot\theta\sin\theta \\ 0 \end{bmatrix}", "lost factor|power"),
        wrong("equations of motion", WIKIPEDIA.replace("- g*sin", "+ g*sin"), "sign|gravity reversed|gravity sign",
              given=UPRIGHT),
        wrong("L", LAGRANGIAN.replace(r"- m g l", r"+ m g l"), "gravity reversed|sign|sum for difference",
              given=UPRIGHT),
        wrong("T", M * xd**2 / 2 + m * (xd**2 + (l * thd) ** 2) / 2, "missing term|cross term|coupling missing",
              given=UPRIGHT),
        wrong("equations of motion", TEDRAKE.replace(r"- m_p l\dot\theta^2\sin", r"+ m_p l\dot\theta^2\cos"), "sign",
              "function"),
        wrong("equations of motion", TEDRAKE.replace(r"+ m_p g l", r"- m_p g l").replace(
            r"- m_p l\dot\theta^2", r"- m_p l\dot\theta"), "sign|gravity reversed|gravity sign", "power|lost factor"),
        wrong("H", MATRIX.replace("m_c+m_p", "m_c").replace(r"\cos", r"\sin"), "missing term", "function|other axis",
              missed="named once for each entry"),
        wrong("L", LAGRANGIAN.replace(r"- m g l\cos", r"+ m g l\cos").replace(r"- m l\dot x", r"+ m l\dot x"),
              "gravity reversed|sign", "sign", given=UPRIGHT),
    ))
