"""The double pendulum of point masses, both angles from the downward vertical."""

from sympy.physics.vector import dynamicsymbols

from tests.verify.corpus.case import EOM, System, library, right, sp, wrong

ABSOLUTE = "theta2 = q1 + q2"
BOTH = "theta1 = q1; theta2 = q1 + q2"
EQUATIONS = (r"(m_1+m_2)l_1\ddot\theta_1 + m_2 l_2\ddot\theta_2\cos(\theta_1-\theta_2)"
             r" + m_2 l_2\dot\theta_2^2\sin(\theta_1-\theta_2) + (m_1+m_2)g\sin\theta_1 = 0 \\"
             r" m_2 l_2\ddot\theta_2 + m_2 l_1\ddot\theta_1\cos(\theta_1-\theta_2)"
             r" - m_2 l_1\dot\theta_1^2\sin(\theta_1-\theta_2) + m_2 g\sin\theta_2 = 0")
LAGRANGIAN = ("1/2*(m1+m2)*l1^2*theta1'^2 + 1/2*m2*l2^2*theta2'^2 + m2*l1*l2*theta1'*theta2'*cos(theta1-theta2)"
              " + (m1+m2)*g*l1*cos(theta1) + m2*g*l2*cos(theta2)")
SOLVED = ("th1'' = (-g*(2*m1 + m2)*sin(th1) - m2*g*sin(th1 - 2*th2) - 2*sin(th1 - th2)*m2*(th2'^2*L2"
          " + th1'^2*L1*cos(th1 - th2)))/(L1*(2*m1 + m2 - m2*cos(2*th1 - 2*th2)))\n"
          "th2'' = 2*sin(th1 - th2)*(th1'^2*L1*(m1 + m2) + g*(m1 + m2)*cos(th1) + th2'^2*L2*m2*cos(th1 - th2))"
          "/(L2*(2*m1 + m2 - m2*cos(2*th1 - 2*th2)))")
LENGTHS = "th1 = q1; th2 = q1 + q2; L1 = l1; L2 = l2"
m1, m2, l1, l2, g, t = sp.symbols("m1 m2 l1 l2 g t")
theta1, theta2 = dynamicsymbols("theta1 theta2")
v1, v2 = theta1.diff(t), theta2.diff(t)
T_SYMPY = (m1 * (l1 * v1) ** 2 / 2 + m2 * ((l1 * v1) ** 2 + (l2 * v2) ** 2
                                           + 2 * l1 * l2 * v1 * v2 * sp.cos(theta1 - theta2)) / 2)
LAGRANGIAN_SYMPY = T_SYMPY + (m1 + m2) * g * l1 * sp.cos(theta1) + m2 * g * l2 * sp.cos(theta2)
LAGRANGES = [sp.expand(LAGRANGIAN_SYMPY.diff(q.diff(t)).diff(t) - LAGRANGIAN_SYMPY.diff(q)) for q in (theta1, theta2)]
MATRICES = (r"\begin{bmatrix}(m_1+m_2)l_1^2 & m_2l_1l_2\cos(\theta_1-\theta_2)\\ m_2l_1l_2\cos(\theta_1-\theta_2) &"
            r" m_2l_2^2\end{bmatrix}\begin{bmatrix}\ddot\theta_1\\ \ddot\theta_2\end{bmatrix} + \begin{bmatrix} m_2 l_1"
            r" l_2\sin(\theta_1-\theta_2)\dot\theta_2^2 \\ -m_2l_1l_2\sin(\theta_1-\theta_2)\dot\theta_1^2\end{bmatrix}"
            r" + \begin{bmatrix}(m_1+m_2)g l_1\sin\theta_1\\ m_2 g l_2\sin\theta_2\end{bmatrix}"
            r" = \begin{bmatrix}0\\0\end{bmatrix}")
INERTIA = r"""D = \left[\begin{array}{cc} (m_1+m_2) l_1^2 & m_2 l_1 l_2 \cos(\theta_1-\theta_2) \\
m_2 l_1 l_2 \cos(\theta_1-\theta_2) & m_2 l_2^2 \end{array}\right]"""
SYSTEM = System("double_pendulum_absolute", "Landau and Lifshitz; Goldstein; myphysicslab.com",
                library("double_pendulum"), (
    right(EOM, EQUATIONS, ABSOLUTE), right(EOM, SOLVED, LENGTHS),
    right(EOM, "2*theta1'' + theta2''*cos(theta1-theta2) + theta2'^2*sin(theta1-theta2)"
          " + 2*(g/l)*sin(theta1) = 0\ntheta2'' + theta1''*cos(theta1-theta2) - theta1'^2*sin(theta1-theta2)"
          " + (g/l)*sin(theta2) = 0", BOTH + "; m1 = m2; l1 = l2; l = l1"),
    right("L", LAGRANGIAN, ABSOLUTE), right("T", T_SYMPY, BOTH),
    right("V", "-m1*g*l1*cos(phi1) - m2*g*(l1*cos(phi1) + l2*cos(phi2))", "phi1 = q1; phi2 = q1 + q2"),
    right("H", INERTIA, BOTH),
    right("g", r"\begin{pmatrix} (m_1+m_2) g l_1 \sin\theta_1 \\ m_2 g l_2 \sin\theta_2 \end{pmatrix}", BOTH),
    right("C", "[m2*l1*l2*sin(theta1-theta2)*theta2'^2, -m2*l1*l2*sin(theta1-theta2)*theta1'^2]", BOTH),
    right("p", r"p_1 = (m_1+m_2)l_1^2\dot\theta_1 + m_2 l_1 l_2\dot\theta_2\cos(\theta_1-\theta_2) \\"
          r"p_2 = m_2 l_2^2\dot\theta_2 + m_2 l_1 l_2\dot\theta_1\cos(\theta_1-\theta_2)", BOTH),
    right("com", "[(m1*l1*sin(theta1) + m2*(l1*sin(theta1) + l2*sin(theta2)))/(m1+m2),"
          " -(m1*l1*cos(theta1) + m2*(l1*cos(theta1) + l2*cos(theta2)))/(m1+m2), 0]", BOTH),
    right(EOM, LAGRANGES, BOTH), right(EOM, sp.Matrix(LAGRANGES), "theta2 from the vertical"),
    right("T", r"T = \frac12 m_1(\dot x_1^2+\dot y_1^2)+\frac12 m_2(\dot x_2^2+\dot y_2^2) \\  x_1 = l_1\sin\theta_1"
          r" \\ y_1=-l_1\cos\theta_1 \\ x_2 = x_1 + l_2\sin\theta_2 \\ y_2 = y_1 - l_2\cos\theta_2", BOTH),
    right("H", r"M = \begin{pmatrix} (m_1+m_2)\ell_1^2 & m_2\ell_1\ell_2\cos\Delta \\ m_2\ell_1\ell_2\cos\Delta &"
          r" m_2\ell_2^2\end{pmatrix}, \quad \Delta = \theta_1-\theta_2", BOTH),
    right(EOM, MATRICES, BOTH),
    wrong(EOM, EQUATIONS.replace(r"+ m_2 l_2\dot\theta_2^2", r"- m_2 l_2\dot\theta_2^2"), "sign", given=ABSOLUTE),
    wrong(EOM, EQUATIONS.replace(r"(m_1+m_2)g", r"m_1 g"), "missing term|extra factor", given=ABSOLUTE),
    wrong(EOM, SOLVED.replace("- m2*g*sin(th1 - 2*th2)", "+ m2*g*sin(th1 - 2*th2)"), "sign", given=LENGTHS),
    wrong("L", LAGRANGIAN.replace("+ (m1+m2)*g*l1*cos(theta1) + m2*g", "- (m1+m2)*g*l1*cos(theta1) - m2*g"),
          "sum for difference|gravity reversed", given=ABSOLUTE),
    wrong("L", LAGRANGIAN.replace("+ m2*l1*l2*theta1'*theta2'*cos", "+ 2*m2*l1*l2*theta1'*theta2'*cos"), "factor",
          given=ABSOLUTE),
    wrong("T", T_SYMPY.subs(sp.cos(theta1 - theta2), sp.cos(theta1 + theta2)), "argument|sign", given=BOTH),
    wrong("H", INERTIA.replace("& m_2 l_2^2", "& (m_1+m_2) l_2^2"), "extra term|symbol", given=BOTH),
    wrong("V", "-m1*g*l1*cos(phi1) - m2*g*l2*cos(phi2)", "missing term", given="phi1 = q1; phi2 = q1 + q2"),
    wrong("C", "[-m2*l1*l2*sin(theta1-theta2)*theta2'^2, m2*l1*l2*sin(theta1-theta2)*theta1'^2]",
          "velocity terms sign|opposite sign|centrifugal sign", given=BOTH),
    wrong(EOM, EQUATIONS.replace(r"+ m_2 l_2\dot\theta_2^2", r"- m_2 l_2\dot\theta_2^2")
          .replace(r"m_2 g\sin\theta_2", r"m_2 g\cos\theta_2"), "sign", "function", given=ABSOLUTE),
    wrong("L", LAGRANGIAN.replace("1/2*(m1+m2)", "1/2*m1").replace("+ m2*g*l2", "- m2*g*l2"),
          "missing term|extra factor", "sign", given=ABSOLUTE),
    wrong("H", INERTIA.replace("cos", "sin").replace("& m_2 l_2^2", "& m_1 l_2^2"), "function|other axis", "symbol",
          given=BOTH),
    wrong(EOM, [LAGRANGES[0] - 2 * m2 * l2 * g * sp.sin(theta2), LAGRANGES[1]], "extra term", given=BOTH),
    wrong(EOM, MATRICES.replace(r"\\ -m_2l_1l_2\sin", r"\\ m_2l_1l_2\sin"), "sign", given=BOTH),
    wrong(EOM, MATRICES.replace(r"\\ -m_2l_1l_2\sin", r"\\ m_2l_1l_2\sin").replace(r"m_2 g l_2\sin", r"m_1 g l_2\sin"),
          "sign", "symbol", given=BOTH)))
