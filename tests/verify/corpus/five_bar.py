"""Five-bar linkage, a parallel robot in the plane: two arms of lengths a and b hold one tip."""

from tests.verify.corpus.case import System, library, right, sp, wrong

#: theta_1, theta_2: the motors' angles from the x axis; psi_1, psi_2: those of the forearms.
NAMES = ("theta_1 = q1 + pi/2; psi_1 = q1 + q2 + pi/2 - pi/6; theta_2 = q3 + pi/2; psi_2 = q3 + q4 + pi/2 + pi/6; "
         "L_1 = a; L_2 = b; d = b")
MASSES = NAMES + "; m_1 = density*a; m_2 = density*b"
CLOSURE = r"""\begin{aligned}
L_1\cos\theta_1 + L_2\cos\psi_1 &= d + L_1\cos\theta_2 + L_2\cos\psi_2 \\
L_1\sin\theta_1 + L_2\sin\psi_1 &= L_1\sin\theta_2 + L_2\sin\psi_2
\end{aligned}"""
KINETIC = r"""T = \frac12\left(\frac{m_1}{3} + m_2\right) L_1^2 (\dot\theta_1^2 + \dot\theta_2^2)
 + \frac16 m_2 L_2^2 (\dot\psi_1^2 + \dot\psi_2^2)
 + \frac12 m_2 L_1 L_2\left[\cos(\theta_1 - \psi_1)\dot\theta_1\dot\psi_1
 + \cos(\theta_2 - \psi_2)\dot\theta_2\dot\psi_2\right]"""
POTENTIAL = "(m_1/2 + m_2)*g*L_1*(sin(theta_1) + sin(theta_2)) + m_2*g*L_2/2*(sin(psi_1) + sin(psi_2))"


def _jacobian():
    """K as a SymPy matrix, in the model's coordinates."""
    a, b = sp.symbols("a b", positive=True)
    q = sp.symbols("q1:5")
    first, second = q[0] + sp.pi / 2, q[0] + q[1] + sp.pi / 3
    third, fourth = q[2] + sp.pi / 2, q[2] + q[3] + 2 * sp.pi / 3
    x = a * sp.cos(first) + b * sp.cos(second) - a * sp.cos(third) - b * sp.cos(fourth)
    y = a * sp.sin(first) + b * sp.sin(second) - a * sp.sin(third) - b * sp.sin(fourth)
    return sp.Matrix([x, y]).jacobian(q)


SYSTEM = System("five_bar", "the five-bar planar manipulator; RBDA 8.12", library("five_bar"), (
    right("phi", CLOSURE, NAMES), right("K", _jacobian()), right("T", KINETIC, MASSES), right("V", POTENTIAL, MASSES),
    wrong("phi", CLOSURE.replace("= d + ", "= "), "missing term", given=NAMES, missed="nothing is found"),
    wrong("T", KINETIC.replace(r"\cos(\theta_2 - \psi_2)", r"\cos(\theta_2 + \psi_2)"), "argument|sign", given=MASSES),
    wrong("V", POTENTIAL.replace("m_1/2", "m_1"), "factor|half-length", given=MASSES),
    wrong("V", POTENTIAL.replace("sin(psi_1) + sin(psi_2)", "sin(psi_1) + cos(psi_2)").replace("L_2/2", "L_1/2"),
          "function", "symbol", given=MASSES)))
