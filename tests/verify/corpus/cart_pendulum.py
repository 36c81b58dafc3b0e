"""A point mass on a rod without mass that hangs from a cart."""

from tests.verify.corpus.case import EOM, Model, Prismatic, Revolute, System, mcI, right, sp, wrong

m_c, m_p, l, g = sp.symbols("m_c m_p l g", positive=True)


def model():
    return Model([0, 1], [Prismatic("x"), Revolute("z")], [sp.eye(6)] * 2,
                 [mcI(m_c, [0, 0, 0], sp.zeros(3)), mcI(m_p, [0, -l, 0], sp.zeros(3))], (0, -g, 0), ["cart", "pole"])


TEDRAKE = (r"\begin{aligned} (m_c+m_p)\ddot{x} + m_p l\ddot\theta\cos\theta - m_p l\dot\theta^2\sin\theta &= f_x \\"
           r" m_p l\ddot{x}\cos\theta + m_p l^2\ddot\theta + m_p g l\sin\theta &= 0 \end{aligned}")
SOLVED = (r"\ddot{x} = \frac{1}{m_c + m_p\sin^2\theta}\left[f_x + m_p\sin\theta(l\dot\theta^2 + g\cos\theta)\right] \\"
          r" \ddot\theta = \frac{1}{l(m_c + m_p\sin^2\theta)}\left[-f_x\cos\theta"
          r" - m_p l\dot\theta^2\cos\theta\sin\theta - (m_c+m_p)g\sin\theta\right]")
MATRIX = r"\mathbf{M}(q) = \begin{bmatrix} m_c+m_p & m_p l\cos\theta \\ m_p l\cos\theta & m_p l^2 \end{bmatrix}"
UPRIGHT = "theta from the upward vertical; M = m_c; m = m_p"
WIKIPEDIA = ("(M+m)*x'' - m*l*theta''*cos(theta) + m*l*theta'^2*sin(theta) = F\n"
             "l*theta'' - g*sin(theta) = x''*cos(theta)")
LAGRANGIAN = r"L = \frac12 (M+m)\dot x^2 - m l\dot x\dot\theta\cos\theta + \frac12 m l^2\dot\theta^2 - m g l\cos\theta"
M, m, x, th = sp.symbols("M m x theta")
xd, thd = sp.symbols("xdot thetadot")
SYSTEM = System("cart_pendulum", "Tedrake, Underactuated Robotics; Wikipedia, Inverted pendulum", model, (
    right(EOM, TEDRAKE), right(EOM, SOLVED), right("H", MATRIX),
    right("C", r"C(q,\dot q) = \begin{bmatrix} 0 & -m_p l\dot\theta\sin\theta \\ 0 & 0 \end{bmatrix}"),
    right("g", "[0, m_p*g*l*sin(theta)]"), right(EOM, WIKIPEDIA, UPRIGHT), right("L", LAGRANGIAN, UPRIGHT),
    right("T", M * xd**2 / 2 + m * ((xd - l * thd * sp.cos(th)) ** 2 + (l * thd * sp.sin(th)) ** 2) / 2, UPRIGHT),
    right("p", "[(m_c+m_p)*xdot + m_p*l*cos(theta)*thetadot, m_p*l*(l*thetadot + xdot*cos(theta))]"),
    right("com", "[x + m_p*l*sin(theta)/(m_c+m_p), -m_p*l*cos(theta)/(m_c+m_p), 0]"),
    right("V", "m*g*l*cos(theta)", UPRIGHT),
    right("T", r"T = \tfrac12 m_c\dot{x}_c^2 + \tfrac12 m_p(\dot{x}_p^2+\dot{y}_p^2), \quad x_p = x_c"
          r" + l\sin\theta,\ y_p = -l\cos\theta"),
    right(EOM, "(m_c + m_p) x'' + m_p l (theta'' cos theta - theta'^2 sin theta) = F;"
          " l theta'' + x'' cos theta + g sin theta = 0"),
    right("H", r"\begin{bmatrix} ml^2 & ml\cos\theta \\ ml\cos\theta & M+m\end{bmatrix}",
          "order: theta, x; M = m_c; m = m_p"),
    wrong(EOM, TEDRAKE.replace(r"- m_p l\dot\theta^2", r"+ m_p l\dot\theta^2"),
          "sign|velocity terms sign|centrifugal sign"),
    wrong(EOM, TEDRAKE.replace(r"(m_c+m_p)", r"m_c"), "missing term|extra factor"),
    wrong(EOM, TEDRAKE.replace(r"m_p l\ddot{x}\cos\theta + ", ""), "missing term"),
    wrong(EOM, SOLVED.replace(r"m_p\sin^2\theta)}\left[-f", r"m_p\cos^2\theta)}\left[-f"), "function"),
    wrong("C", "[-m_p*l*sin(theta)*theta'^2, -m_p*l*sin(theta)*theta'*x']", "dT/dq missing"),
    wrong("H", MATRIX.replace("m_p l^2", "m_p l"), "power|lost factor"),
    wrong("H", MATRIX.replace(r"m_p l\cos\theta", "0"), "coupling missing"),
    wrong("C", r"\begin{bmatrix} -m_p l\dot\theta\sin\theta \\ 0 \end{bmatrix}", "lost factor|power"),
    wrong(EOM, WIKIPEDIA.replace("- g*sin", "+ g*sin"), "sign|gravity reversed|gravity sign", given=UPRIGHT),
    wrong("L", LAGRANGIAN.replace(r"- m g l", r"+ m g l"), "gravity reversed|sign|sum for difference", given=UPRIGHT),
    wrong("T", M * xd**2 / 2 + m * (xd**2 + (l * thd) ** 2) / 2, "missing term|cross term|coupling missing",
          given=UPRIGHT),
    wrong(EOM, TEDRAKE.replace(r"- m_p l\dot\theta^2\sin", r"+ m_p l\dot\theta^2\cos"), "sign", "function"),
    wrong(EOM, TEDRAKE.replace(r"+ m_p g l", r"- m_p g l").replace(r"- m_p l\dot\theta^2", r"- m_p l\dot\theta"),
          "sign|gravity reversed|gravity sign", "power|lost factor"),
    wrong("H", MATRIX.replace("m_c+m_p", "m_c").replace(r"\cos", r"\sin"), "missing term", "function|other axis"),
    wrong("L", LAGRANGIAN.replace(r"- m g l\cos", r"+ m g l\cos").replace(r"\frac12 m l^2", r"m l^2"),
          "gravity reversed|sign|sum for difference", "factor", given=UPRIGHT),
    wrong("T", r"T = \tfrac12 m_c\dot{x}_c^2 + m_p(\dot{x}_p^2+\dot{y}_p^2), \quad x_p = x_c + l\cos\theta,\ "
          r"y_p = -l\cos\theta", "factor|half forgotten", "function", missed="in a definition on the way"),
    wrong(EOM, "(m_c + m_p) x'' + m_p l (theta'' cos theta + theta'^2 sin theta) = F; l^2 theta'' + x'' cos theta"
          " + g sin theta = 0", "sign|centrifugal sign|velocity terms sign", "power|lost factor|extra factor")))
