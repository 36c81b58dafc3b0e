"""What learners write is read as what they mean: texts and LaTeX over a dozen systems, with values found otherwise."""

import math
import zlib
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy

from rbdlib.verification.expression import (
    Equation,
    Function,
    Matrix,
    Number,
    Operation,
    Symbol,
    evaluate,
    from_sympy,
    postorder,
    symbols,
    to_latex,
    to_text,
)
from rbdlib.verification.reading import Unreadable, read

#: Names in the formulas at the right: d and dd before a coordinate are its rates.
COORDINATES = {"q": "q", "q1": "q1", "q2": "q2", "q3": "q3", "th": "theta", "th1": "theta1", "th2": "theta2", "x": "x",
               "y": "y", "ph": "phi", "al": "alpha", "be": "beta", "X1": "x1", "ps": "psi"}
CONSTANTS = {"m": "m", "m1": "m1", "m2": "m2", "m3": "m3", "M": "M", "l": "l", "l1": "l1", "l2": "l2", "L1": "L1",
             "lc1": "l_c1", "lc2": "l_c2", "Lc1": "lc1", "g": "g", "k": "k", "c": "c", "r": "r", "R": "R", "a": "a",
             "b": "b", "I": "I", "I1": "I1", "I2": "I2", "Izz": "I_zz", "Ixx": "I_xx", "J": "J", "J1": "J1", "J2": "J2",
             "F": "F", "tau1": "tau1", "om": "omega", "t": "t", "mc": "m_c", "mp": "m_p", "mcart": "m_cart",
             "s12": "s12", "c2": "c2", "s2": "s2", "h": "h", "p": "p", "w": "w", "lam": "lambda",
             "e": "e"}
FUNCTIONS = {name: getattr(math, name) for name in "sin cos tan sqrt exp log asin atan atan2 pi cosh".split()}

PLAIN = {
    # one pendulum, mass on a spring
    "m*l**2*thetadd + m*g*l*sin(theta)": "m*l**2*ddth + m*g*l*sin(th)",
    "m l^2 theta'' + m g l sin(theta)": "m*l**2*ddth + m*g*l*sin(th)",
    "m·l²·θ̈ + m·g·l·sin(θ)": "m*l**2*ddth + m*g*l*sin(th)",
    "m × l^2 × theta_ddot + m × g × l × sin theta": "m*l**2*ddth + m*g*l*sin(th)",
    "1/2 m l^2 theta'^2 + m g l (1 - cos theta)": "0.5*m*l**2*dth**2 + m*g*l*(1 - cos(th))",
    "½ m l² θ̇² − m g l cos θ": "0.5*m*l**2*dth**2 - m*g*l*cos(th)",
    "m*l^2*thetaddot": "m*l**2*ddth",
    "(1/3) m l^2 θ̈ + (1/2) m g l sin θ": "m*l**2*ddth/3 + m*g*l*sin(th)/2",
    "1/3*m*l^2": "m*l**2/3",
    "m l^2/12 + m (l/2)^2": "m*l**2/12 + m*l**2/4",
    "-g/l sin(theta)": "-g/l*sin(th)",
    "-(g/l)*sin(th)": "-(g/l)*sin(th_)",
    "-3g/2l": "-3*g/(2*l)",
    "-3g/(2l) sin θ": "-3*g/(2*l)*sin(th)",
    "sqrt(g/l)": "sqrt(g/l)",
    "√(k/m)": "sqrt(k/m)",
    "2*pi*sqrt(l/g)": "2*pi*sqrt(l/g)",
    "2π√(l/g)": "2*pi*sqrt(l/g)",
    "m x_ddot + c x_dot + k x": "m*ddx + c*dx + k*x",
    "m ẍ + c ẋ + k x": "m*ddx + c*dx + k*x",
    "m*xddot + c*xdot + k*x": "m*ddx + c*dx + k*x",
    "m x'' + c x' + k x": "m*ddx + c*dx + k*x",
    "1/2 k x^2": "0.5*k*x**2",
    "1/2k x^2": "0.5*k*x**2",
    "0.5*k*x**2": "0.5*k*x**2",
    ".5 k x^2": "0.5*k*x**2",
    "k x^2 / 2": "k*x**2/2",
    "(k*x^2)/2": "k*x**2/2",
    "F cos ωt": "F*cos(om*t)",
    "F*cos(ω t)": "F*cos(om*t)",
    "x e^(-c t/(2m))": "x*exp(-c*t/(2*m))",
    "x exp(-c*t)": "x*exp(-c*t)",
    # double pendulum
    "m1*l1**2*qdd1 + (m1+m2)*g*l1*sin(q1)": "m1*l1**2*ddq1 + (m1 + m2)*g*l1*sin(q1)",
    "(m_1 + m_2) l_1^2 q1'' + m_2 l_1 l_2 cos(q1 - q2) q2''": "(m1 + m2)*l1**2*ddq1 + m2*l1*l2*cos(q1 - q2)*ddq2",
    "m2 l1 l2 sin(q1-q2) q2'^2": "m2*l1*l2*sin(q1 - q2)*dq2**2",
    "m2*l1*l2*(2*qd1*qd2 + qd2**2)*sin(q2)": "m2*l1*l2*(2*dq1*dq2 + dq2**2)*sin(q2)",
    "-m2 l1 l2 s2 (2 q1dot q2dot + q2dot^2)": "-m2*l1*l2*s2*(2*dq1*dq2 + dq2**2)",
    "m1l1^2 + m2(l1^2 + l2^2 + 2l1l2cos(q2))": "m1*l1**2 + m2*(l1**2 + l2**2 + 2*l1*l2*cos(q2))",
    "m1 l1² + m2 (l1² + l2² + 2 l1 l2 cos q2)": "m1*l1**2 + m2*(l1**2 + l2**2 + 2*l1*l2*cos(q2))",
    "m₁l₁²θ̈₁ + m₂l₁l₂cos(θ₁−θ₂)θ̈₂": "m1*l1**2*ddth1 + m2*l1*l2*cos(th1 - th2)*ddth2",
    "(m1+m2)*g*l1*sin(theta1) + m2*g*l2*sin(theta1+theta2)": "(m1+m2)*g*l1*sin(th1) + m2*g*l2*sin(th1+th2)",
    "-(m1 + m2) g l1 cos theta_1 - m2 g l2 cos theta_2": "-(m1 + m2)*g*l1*cos(th1) - m2*g*l2*cos(th2)",
    "m2*l1*l2*theta1dot*theta2dot*cos(theta1-theta2)": "m2*l1*l2*dth1*dth2*cos(th1 - th2)",
    "m2*l1*l2*dtheta1*dtheta2": "m2*l1*l2*dth1*dth2",
    "m2*l1*l2*theta_dot_1*theta_dot_2": "m2*l1*l2*dth1*dth2",
    "m2*l1*l2*thetadot1*thetadot2": "m2*l1*l2*dth1*dth2",
    "m2*l1*l2*theta1_dot*theta2_ddot": "m2*l1*l2*dth1*ddth2",
    "m2 l1 l2 sin q2 q1' q2'": "m2*l1*l2*sin(q2)*dq1*dq2",
    "m2*l1*l2*sin(q2)*dq1*dq2": "m2*l1*l2*sin(q2)*dq1*dq2",
    "m2*l1*l2*sin(q2)*q1d*q2dd": "m2*l1*l2*sin(q2)*dq1*ddq2",
    "m2*l1*l2*sin(q2(t))*Derivative(q1(t), t)*Derivative(q2(t), (t, 2))": "m2*l1*l2*sin(q2)*dq1*ddq2",
    "m2*g*s12": "m2*g*s12",
    "I1 + m1*lc1**2 + I2": "I1 + m1*Lc1**2 + I2",
    "I_1 + m_1 l_c1^2": "I1 + m1*lc1**2",
    "I_{1} + m_{1} l_{c1}^{2}": "I1 + m1*lc1**2",
    # cart and pendulum
    "(M + m) x'' + m l cos(theta) theta'' - m l sin(theta) theta'^2":
        "(M + m)*ddx + m*l*cos(th)*ddth - m*l*sin(th)*dth**2",
    "(M+m)*ẍ + m*l*θ̈*cos θ - m*l*θ̇²*sin θ": "(M+m)*ddx + m*l*cos(th)*ddth - m*l*sin(th)*dth**2",
    "(m_c+m_p)*xdd": "(mc+mp)*xdd_",
    "m_cart*x_ddot": "mcart*ddx",
    "1/2 (M+m) x'^2 + m l x' theta' cos theta + 1/2 m l^2 theta'^2":
        "(M+m)*dx**2/2 + m*l*dx*dth*cos(th) + m*l**2*dth**2/2",
    "(F + m sin(theta) (l theta'^2 + g cos(theta))) / (M + m sin^2(theta))":
        "(F + m*sin(th)*(l*dth**2 + g*cos(th)))/(M + m*sin(th)**2)",
    "m sin^2 theta": "m*sin(th)**2",
    "m sin(theta)^2": "m*sin(th)**2",
    "m*sin(theta)**2": "m*sin(th)**2",
    "M + m*(1 - cos^2(theta))": "M + m*(1 - cos(th)**2)",
    "m*Sin[theta]*Cos[theta]": "m*sin(th)*cos(th)",
    "m*np.sin(theta)*math.cos(theta)": "m*sin(th)*cos(th)",
    # Furuta, acrobot, spherical pendulum, disc
    "J1 + m2 L1^2 + (J2 + m2 l2^2) sin^2 θ2": "J1 + m2*L1**2 + (J2 + m2*l2**2)*sin(th2)**2",
    "m2 L1 l2 cos(θ2) θ2''": "m2*L1*l2*cos(th2)*ddth2",
    "(J2 + m2 l2^2) sin(2θ2) θ1' θ2'": "(J2 + m2*l2**2)*sin(2*th2)*dth1*dth2",
    "1/2 sin 2θ2 θ1'^2": "0.5*sin(2*th2)*dth1**2",
    "m l² (θ̈ − sin θ cos θ φ̇²) + m g l sin θ": "m*l**2*(ddth - sin(th)*cos(th)*dph**2) + m*g*l*sin(th)",
    "m l^2 (sin^2θ φ̈ + 2 sinθ cosθ θ̇ φ̇)": "m*l**2*(sin(th)**2*ddph + 2*sin(th)*cos(th)*dth*dph)",
    "m*l^2*sinθ*cosθ*φ'^2": "m*l**2*sin(th)*cos(th)*dph**2",
    "m l^2 sin^2(theta) phi'": "m*l**2*sin(th)**2*dph",
    "p^2/(2 m l^2 sin^2(theta))": "p**2/(2*m*l**2*sin(th)**2)",
    "(I_xx + m r^2) psi'": "(Ixx + m*r**2)*dps",
    "3/2 m r^2 phi''": "1.5*m*r**2*ddph",
    "1/2 m r^2 φ̇² + 1/4 m r^2 (α̇² + β̇² sin²α)": "m*r**2*dph**2/2 + m*r**2*(dal**2 + dbe**2*sin(al)**2)/4",
    "I_{zz}": "Izz",
    "I_zz": "Izz",
    # decisions
    "x^-1": "1/x",
    "-x^2": "-x**2",
    "(-x)^2": "x**2",
    "2^3^2": "512",
    "2^-x": "2**-x",
    "2**-2": "0.25",
    "10e-3*x": "0.01*x",
    "1.5e3": "1500",
    "2(3)": "6",
    "(2)(3)x": "6*x",
    "x^(1/2)": "sqrt(x)",
    "x^1/2": "x/2",
    "|x - 3|": "abs(x - 3)",
    "|x||y|": "abs(x)*abs(y)",
    "m|x|": "m*abs(x)",
    "abs(x - 3)": "abs(x - 3)",
    "sin 2x": "sin(2*x)",
    "sin x cos y": "sin(x)*cos(y)",
    "sin a b": "sin(a)*b",
    "sin -x": "sin(-x)",
    "sin x/2": "sin(x)/2",
    "sin(x)/2": "sin(x)/2",
    "sin x^2": "sin(x**2)",
    "sin cos x": "sin(cos(x))",
    "sin2x": "sin(2*x)",
    "sin 2(x+y)": "sin(2*(x + y))",
    "sinx cosy": "sin(x)*cos(y)",
    "sin^-1(x/4)": "asin(x/4)",
    "arctan(x)": "atan(x)",
    "atan2(y, x)": "atan2(y, x)",
    "ln x": "log(x)",
    "log(x)": "log(x)",
    "cosh(x)": "cosh(x)",
    "e^x": "exp(x)",
    "e*x": "e*x",
    "m1l1": "m1*l1",
    "l1cos(q1)": "l1*cos(q1)",
    "m g l1sin(q1)": "m*g*l1*sin(q1)",
    "q1dot^2": "dq1**2",
    "a/b/c": "a/b/c",
    "a/b*c": "a/b*c",
    "a/b c": "a/b*c",
    "a/2b": "a/(2*b)",
    "1/2b": "b/2",
    "a/b(c+r)": "a/b*(c+r)",
    "g/lsin(x)": "g/l*sin(x)",
    "a - -b": "a + b",
    "a*-b": "-a*b",
    "--a": "a",
    "x² y³": "x**2*y**3",
    "x⁻¹": "1/x",
    "x₁": "X1",
    "q1(t)**2": "q1**2",
    "𝑚𝑙²": "m*l**2",
    "theta1’": "dth1",
    "m*l*theta1''  # angular part": "m*l*ddth1",
    "(m1 + m2)\n * g": "(m1 + m2)*g",
    "m1*g +\nm2*g": "m1*g + m2*g",
    "a + (b\n + c)": "a + b + c",
    "lambda*a + λ b": "lam*(a + b)",
}
LATEX = {
    r"$m l^2 \ddot\theta + m g l \sin\theta$": "m*l**2*ddth + m*g*l*sin(th)",
    r"ml^2\ddot{\theta}+mgl\sin\theta": "m*l**2*ddth + m*g*l*sin(th)",
    r"\frac{1}{2}m l^{2}\dot{\theta}^{2}-mgl\cos\theta": "0.5*m*l**2*dth**2 - m*g*l*cos(th)",
    r"\frac12 m v^2" .replace("v", r"\dot x"): "0.5*m*dx**2",
    r"\tfrac12 m \dot x^2 + \dfrac{1}{2} I \dot\theta^2": "0.5*m*dx**2 + 0.5*I*dth**2",
    r"\frac1{2}k x^2": "0.5*k*x**2",
    r"\frac ab": "a/b",
    r"m_1 l_1^2 \ddot{\theta}_1": "m1*l1**2*ddth1",
    r"m_{1}l_{1}^{2}\ddot{\theta}_{1}": "m1*l1**2*ddth1",
    r"m_1l_1^2\ddot{\theta_1}": "m1*l1**2*ddth1",
    r"m_1\,l_1^2\,\ddot\theta_1": "m1*l1**2*ddth1",
    r"\left(m_1+m_2\right)l_1^2\ddot\theta_1+m_2l_1l_2\cos\left(\theta_1-\theta_2\right)\ddot\theta_2":
        "(m1 + m2)*l1**2*ddth1 + m2*l1*l2*cos(th1 - th2)*ddth2",
    r"m_2 l_1 l_2 \sin(\theta_1-\theta_2)\dot{\theta}_2^2": "m2*l1*l2*sin(th1 - th2)*dth2**2",
    r"(m_1+m_2) g l_1 \sin\theta_1": "(m1 + m2)*g*l1*sin(th1)",
    r"-m_2 l_1 l_{2}\sin q_2\left(2\dot q_1\dot q_2+\dot q_2^2\right)": "-m2*l1*l2*sin(q2)*(2*dq1*dq2 + dq2**2)",
    r"m_1 l_{c1}^2 + I_1": "m1*lc1**2 + I1",
    r"m_1 l_{c_1}^2 + I_{1}": "m1*lc1**2 + I1",
    r"I_{zz}\dot{\psi}": "Izz*dps",
    r"\dot{q}_1^2": "dq1**2",
    r"\dot x": "dx",
    r"\dot{x}^2": "dx**2",
    r"(M+m)\ddot x+ml\ddot\theta\cos\theta-ml\dot\theta^2\sin\theta":
        "(M+m)*ddx + m*l*ddth*cos(th) - m*l*dth**2*sin(th)",
    r"m_{\text{cart}}\ddot{x}": "mcart*ddx",
    r"m_\mathrm{cart}\ddot{x}": "mcart*ddx",
    r"\left(J_1+m_2L_1^2+J_2\sin^2\theta_2\right)\ddot\theta_1": "(J1 + m2*L1**2 + J2*sin(th2)**2)*ddth1",
    r"J_2 \sin 2\theta_2 \dot\theta_1\dot\theta_2": "J2*sin(2*th2)*dth1*dth2",
    r"J_2 \sin(2\theta_2)\,\dot{\theta}_1\,\dot{\theta}_2": "J2*sin(2*th2)*dth1*dth2",
    r"m l^2\left(\ddot\theta-\dot\varphi^2\sin\theta\cos\theta\right)": "m*l**2*(ddth - dph**2*sin(th)*cos(th))",
    r"ml^2\sin^2\theta\,\dot\phi": "m*l**2*sin(th)**2*dph",
    r"m l^2 \sin^{2}(\theta) \dot\phi^{2}": "m*l**2*sin(th)**2*dph**2",
    r"\frac{p^2}{2ml^2\sin^2\theta}": "p**2/(2*m*l**2*sin(th)**2)",
    r"-\frac{g}{l}\sin\theta": "-g/l*sin(th)",
    r"-\frac{3g}{2l}\sin\theta": "-3*g/(2*l)*sin(th)",
    r"\sqrt{\frac{g}{l}}": "sqrt(g/l)",
    r"2\pi\sqrt{\frac{l}{g}}": "2*pi*sqrt(l/g)",
    r"\sqrt[3]{x}": "x**(1/3)",
    r"\frac{3}{2}mr^2\ddot\phi": "1.5*m*r**2*ddph",
    r"m \cdot g \times h": "m*g*h",
    r"\mathrm{e}^{x}": "exp(x)",
    r"e^{-\frac{c}{2m}t}": "exp(-c/(2*m)*t)",
    r"\left|x-3\right|": "abs(x - 3)",
    r"\lvert x \rvert": "abs(x)",
    r"\frac{d\theta}{dt}": "dth",
    r"\frac{d^2\theta}{dt^2}": "ddth",
    r"\frac{\mathrm{d}^2 x}{\mathrm{d}t^2}": "ddx",
    r"m\frac{d^2x}{dt^2}": "m*ddx",
    r"q_1^{\prime\prime}": "ddq1",
    r"\theta_1' \theta_2''": "dth1*ddth2",
    r"\theta(t)\dot\theta(t)": "th*dth",
    r"\boldsymbol{\tau}_1": "tau1",
    r"\big(a+b\big)\Big[c+r\Big]": "(a+b)*(c+r)",
    r"\underbrace{m a}_{\text{inertia}} + b": "m*a + b",
    r"{\dot\theta}_1^2": "dth1**2",
    r"\[ m g h \]": "m*g*h",
    r"\( m g h \).": "m*g*h",
    r"\begin{equation} m g h \label{eq:1} \end{equation}": "m*g*h",
    r"\omega t": "om*t",
    r"\sin \omega t": "sin(om*t)",
    r"\arctan x": "atan(x)",
    r"\operatorname{atan2}(y, x)": "atan2(y, x)",
    r"\sin{\theta}\cos{\theta}": "sin(th)*cos(th)",
    r"\sin\theta_1\cos\theta_2": "sin(th1)*cos(th2)",
    r"\sin\dot\theta": "sin(dth)",
    r"\cos\frac{\theta}{2}": "cos(th/2)",
    r"m\ddot{x} % the cart": "m*ddx",
    r"\left[ a + b \right] c": "(a+b)*c",
    r"x^{2}y": "x**2*y",
    r"x_1^2": "X1**2",
    r"sin(\theta) + cos(\theta)": "sin(th) + cos(th)",
}
#: Texts whose right side above names a symbol that is no rate: read as they stand.
ODD = {"th_": "th", "xdd_": "xdd"}


def number(name, dots):
    """A value for each symbol, positive, the same in both calculations."""
    return 0.5 + zlib.crc32(f"{name}|{dots}".encode()) % 10_000 / 10_000


def expected(formula):
    names = {py: number(name, 0) for py, name in (COORDINATES | CONSTANTS).items()}
    names |= {"d" * n + py: number(name, n) for py, name in COORDINATES.items() for n in (1, 2)}
    names |= {"th_": number("th", 0), "xdd_": number("xdd", 0)}
    return eval(formula, {"__builtins__": {}, "abs": abs, **FUNCTIONS}, names)          # written in this file


def value(tree):
    return evaluate(tree, {symbol: mpmath.mpf(number(symbol.name, symbol.dots)) for symbol in symbols(tree)})


ALL = {**PLAIN, **LATEX}


def test_the_corpus_is_as_large_as_promised():
    assert len(PLAIN) + len(LATEX) == len(ALL) >= 200


@pytest.mark.parametrize("text", ALL)
def test_a_text_has_the_value_that_is_meant(text):
    (tree,) = read(text).trees
    assert float(value(tree)) == pytest.approx(expected(ALL[text]), rel=1e-13)


@pytest.mark.parametrize("text", ALL)
def test_text_and_latex_of_a_tree_are_read_as_the_same_tree(text):
    (tree,) = read(text).trees
    assert read(to_text(tree)).trees == (tree,)
    (back,) = read(to_latex(tree)).trees
    assert symbols(back) == symbols(tree)
    assert abs(value(back) - value(tree)) <= 1e-13 * abs(value(tree))


def test_known_names_tell_a_product_from_a_name():
    mgl = Operation("*", (Symbol("m"), Symbol("g"), Symbol("l")))
    assert read("mgl").trees == (Symbol("mgl"),)
    assert read("mgl", names=["m", "g", "l"]).trees == (mgl,)
    assert read("mgl", names=["m", "g", "l", "mgl"]).trees == (Symbol("mgl"),)
    assert to_text(read("mglsin(q1)", names=["m", "g", "l"]).trees[0]) == "m*g*l*sin(q1)"
    assert to_text(read("a/bc", names="abc").trees[0]) == "a/(b*c)"
    assert to_text(read("m1gl1", names=["m1", "g", "l1"]).trees[0]) == "m1*g*l1"
    assert to_text(read("m_1gl_1", names=["m1", "g", "l1"]).trees[0]) == "m1*g*l1"
    assert to_text(read("qd1*qdd2", names=["q1", "qd1", "qdd2"]).trees[0]) == "qd1*qdd2"


@pytest.mark.parametrize(("text", "said"), {
    "a/2b": "one denominator", "sin a b": "one factor", "f(x)": "product", "sin^-1 x": "inverse", "x^1/2": "power ends",
    "g/lsin(x)": "directly after the stroke", r"\alpha x^12": "exponent was read as 12",
}.items())
def test_a_note_says_how_an_ambiguous_text_was_read(text, said):
    notes = read(text).notes
    assert any(said in sentence for _, sentence in notes), notes
    assert not read("m*l**2*qdd1 + m*g*l*sin(q1)/2").notes


@pytest.mark.parametrize(("text", "lines"), [
    ("T = 1/2 m v^2\nV = m g h", ["T = 1/2*m*v**2", "V = m*g*h"]),
    ("T = a = b", ["T = a", "a = b"]),
    ("T = a,\n\nV = b.", ["T = a", "V = b"]),
    ("x = 1, y = 2; z = 3", ["x = 1", "y = 2", "z = 3"]),
    ("T = a\n  + b\n  = c", ["T = a + b", "a + b = c"]),
    ("tau1 = a\n- b", ["tau1 = a - b"]),
    ("a\n-b", ["a", "-b"]),
    ("a\n  - b", ["a - b"]),
    ("m*qdd1 == F", ["m*qdd1 = F"]),
    (r"\begin{align} T &= a \\ &\quad + b \\ V &= c - \\ & d \end{align}", ["T = a + b", "V = c - d"]),
    (r"\begin{aligned} x &= a \\[2pt] y &= b \end{aligned}", ["x = a", "y = b"]),
    (r"\left\{\begin{aligned} x &= a \\ y &= b \end{aligned}\right.", ["x = a", "y = b"]),
    ("The energy is $T = a$ and the potential $V = b$.", ["T = a", "V = b"]),
    ("d/dt dL/dq1' - dL/dq1 = tau1", ["d/dt(d/dqd1(L)) - d/dq1(L) = tau1"]),
    (r"\frac{d}{dt}\left(\frac{\partial L}{\partial\dot q_1}\right)-\frac{\partial L}{\partial q_1}=\tau_1",
     ["d/dt(d/dqd1(L)) - d/dq1(L) = tau1"]),
    ("∂L/∂q1' = m q1'", ["d/dqd1(L) = m*qd1"]),
    ("p = d(m x')/dt", ["p = d/dt(m*x')"]),
    (r"\implies x = 2", ["x = 2"]),
])
def test_lines_and_chains_become_equations(text, lines):
    assert [to_text(tree) for tree in read(text).trees] == lines


TWO_BY_TWO = "[[a, b], [c, d + 1]]"


@pytest.mark.parametrize("text", [
    "[[a, b], [c, d + 1]]", "a, b; c, d + 1", "a, b\nc, d + 1", "[a, b]\n[c, d+1]", "[a, b; c, d+1]", "{{a,b},{c,d+1}}",
    "Matrix([[a, b], [c, d + 1]])", "np.array([[a, b], [c, d + 1]])", "[[a, b]\n [c, d+1]]", "((a, b), (c, d + 1))",
    r"\begin{bmatrix} a & b \\ c & d+1 \end{bmatrix}", r"\begin{pmatrix} a & b \\ c & d+1 \\ \end{pmatrix}",
    r"\left[\begin{array}{cc} a & b \\ c & d+1 \end{array}\right]", r"\begin{matrix}a&c\\b&d+1\end{matrix}^T",
    "[[a, c], [b, d + 1]]^T", r"a & b \\ c & d + 1", "[[a, b], [c, d]] + [[0, 0], [0, 1]]",
])
def test_matrices_are_read_in_every_notation(text):
    (tree,) = read(text).trees
    assert tree.shape == (2, 2)
    wanted = read(TWO_BY_TWO).trees[0]
    for mine, entry in zip(postorder_entries(tree), postorder_entries(wanted), strict=True):
        assert value(mine) == pytest.approx(float(value(entry)), rel=1e-15)


def postorder_entries(matrix):
    return [entry for row in matrix.rows for entry in row]


def test_a_factor_before_a_matrix_goes_to_each_entry_and_products_are_carried_out():
    (tree,) = read("m [[1, 2], [3, 4]] [a, b]").trees
    assert tree.shape == (2, 1)
    m, a, b = (number(name, 0) for name in "mab")
    assert [float(value(entry)) for entry in postorder_entries(tree)] == pytest.approx(
        [m * (a + 2 * b), m * (3 * a + 4 * b)])


def test_a_vector_is_a_column():
    for given in ("[a, b]", "a, b", "a; b", ["a", "b"], ("a", "b"), sympy.Matrix(sympy.symbols("a b"))):
        assert read(given).trees == (Matrix(((Symbol("a"),), (Symbol("b"),))),)
    assert read("a\nb").trees == (Symbol("a"), Symbol("b"))


def test_places_in_the_text_are_kept():
    for source in ("T = 1/2 m v^2 + m1*g*cos(q1)", r"\frac12 m \dot{x}^2 + M g", ["a + b", "c*sin(x)"]):
        answer = read(source)
        for tree in answer.trees:
            for node in postorder(tree):
                if isinstance(node, Symbol) and node.dots == 0:
                    assert answer.source[slice(*node.span)] == node.name
    answer = read("V = m1*g*l1 - m2*g*cos(q1)")
    second = answer.trees[0].right.operands[1]
    assert answer.source[slice(*second.span)] == "- m2*g*cos(q1)"


def test_sympy_and_numbers_and_lists_are_read():
    q, t, m, l = sympy.Function("q1"), *sympy.symbols("t m l")
    tree = read(m * l**2 * q(t).diff(t, 2) / 2 - sympy.sqrt(2) * sympy.sin(q(t))).trees[0]
    assert symbols(tree) == {Symbol("m"), Symbol("l"), Symbol("q1", 2), Symbol("q1")}
    assert read(sympy.Eq(m, l)).trees == (Equation(Symbol("m"), Symbol("l")),)
    assert read(sympy.Symbol(r"\dot{\theta}_1")).trees == (Symbol("theta1", 1),)
    assert read(sympy.Symbol("qd1")).trees == (Symbol("q1", 1),)
    assert read(3).trees == (Number(Fraction(3)),)
    assert read(0.1).trees == (Number("0.1"),)
    assert read(np.float64(2.5)).trees[0].value == Fraction(5, 2)
    assert read(mpmath.mpf(1) / 4).trees[0].value == Fraction(1, 4)
    assert read(-2).trees == (Operation("neg", (Number(Fraction(2)),)),)
    assert read(np.eye(2)).trees[0].shape == (2, 2)
    assert read([["a", m], [1, "b*c"]]).trees[0].shape == (2, 2)
    assert read(["T = a", "V = b"]).trees == read("T = a\nV = b").trees
    assert read({"T": "a", "V": m}).trees == (Equation(Symbol("T"), Symbol("a")), Equation(Symbol("V"), Symbol("m")))
    assert read(math.sin).function is math.sin and read(math.sin).trees == ()
    from sympy.physics.mechanics import dynamicsymbols
    x = dynamicsymbols("x")
    assert read(m * x.diff()).trees == (Operation("*", (Symbol("m"), Symbol("x", 1))),)


def test_digits_of_a_decimal_number_are_those_written():
    assert [read(text).trees[0].digits for text in ("9.81", "0.0050", "3", "1.5e3", "10e-3")] == [3, 2, None, 2, 2]


def test_sympy_keeps_its_value_when_read():
    rng = np.random.default_rng(8)
    a, b, x = sympy.symbols("a b x")
    for _ in range(40):
        n = [int(k) for k in rng.integers(-3, 4, 4)]
        expression = (n[0] * a**n[1] * sympy.sin(b * x) ** 2 / 3 - b**n[2] / (a + x) + sympy.sqrt(x) * n[3]
                      + sympy.exp(-x) * sympy.Rational(3, 7) + sympy.pi * 0.25)
        tree = from_sympy(expression)
        wanted = expression.subs({s: number(s.name, 0) for s in (a, b, x)})
        assert float(value(tree)) == pytest.approx(float(wanted), rel=1e-13)


def test_functions_are_called_by_all_their_names():
    for text in ("sin(x)", "Sin(x)", "SIN(x)", "sen(x)", r"\sin x", r"\mathrm{sin}(x)", "np.sin(x)", "sympy.sin(x)"):
        assert read(text).trees == (Function("sin", (Symbol("x"),)),)


@pytest.mark.parametrize("nothing", ["", "  \n ", "$$", "# only a comment", [], "..."])
def test_an_empty_answer_is_named_so(nothing):
    with pytest.raises(Unreadable, match="empty|no formula"):
        read(nothing)
