"""The exercises of notebook 08, pendulums: energy, modes, chaos, balance, and Lagrange's equation term by term."""

import math

from rbdlib.exercises.declare import Exercise, Mistake


def _cart_pole_rate(of):
    """The squared rate of the falling pole, as a formula of the model's symbols."""

    def formula():
        from sympy import symbols

        return of(*symbols("m_cart m_pole l g", positive=True))

    return formula


def _rate_by_linearising():
    """sigma² from the equations of motion of the model file, linearised about upright."""
    from sympy import Matrix, factor, symbols

    from rbdlib.io.model_file import load
    from rbdlib.methods.symbolic import equations_of_motion

    H, _, gravity = equations_of_motion(load("cart_pole", symbolic=True))
    q = symbols("q1 q2", real=True)
    upright = dict.fromkeys(q, 0)
    A = -H.subs(upright).LUsolve(Matrix(gravity).jacobian(q).subs(upright))
    return factor(A[1, 1])


def _tilt(rate, l, g):
    return math.acos(min(1.0, 3 * g / (2 * l * rate**2)))


def _arms(rng):
    l, g = rng.uniform(0.2, 0.5), rng.uniform(5, 12)
    return rng.uniform(0.5, 3) * math.sqrt(1.5 * g / l), l, g


def _first_equation():
    """The four terms from the library's own H, C and gravity, carried over to the angles with the vertical."""
    from sympy import Matrix, cos, expand, sin, symbols

    from rbdlib.io.model_file import load
    from rbdlib.methods.symbolic import equations_of_motion

    th, thd, thdd = (symbols(f"{name}1 {name}2") for name in ("th", "thd", "thdd"))
    N = Matrix([[1, 0], [-1, 1]])
    relative = dict(zip(symbols("q1 q2 qd1 qd2", real=True), [*(N * Matrix(th)), *(N * Matrix(thd))], strict=True))
    H, C, gravity = (part.subs(relative) for part in equations_of_motion(load("double_pendulum", symbolic=True)))
    H, C, gravity = N.T * H * N, N.T * C, N.T * gravity
    apart, bend = symbols("c_apart s_apart")
    short = {cos(th[0] - th[1]): apart, cos(th[1] - th[0]): apart, sin(th[0] - th[1]): bend, sin(th[1] - th[0]): -bend}
    long = {apart: cos(th[0] - th[1]), bend: sin(th[0] - th[1])}
    terms = (H[0, 0] * thdd[0], H[0, 1] * thdd[1], C[0], gravity[0])
    return [expand(term.subs(short)).subs(long) for term in terms]


def _terms(of):
    """A list of four terms in the symbols of the double pendulum with angles from the vertical."""

    def terms():
        from sympy import Matrix, cos, sin, symbols

        names = symbols("m1 m2 l1 l2 g", positive=True) + symbols("th1 th2 thd1 thd2 thdd1 thdd2")
        return list(Matrix(of(*names, sin, cos)))

    return terms


EXERCISES = (
    Exercise(
        id="8.1",
        title="Just to the top",
        section="The map of all its motions",
        reference=2 * math.sqrt(9.81),
        rtol=2e-3,
        remark="On the orange line it takes for ever: the nearer the top, the slower it gets.",
        mistakes=(
            Mistake(math.sqrt(2 * 9.81),
                    "With this kick the rod comes to rest when it is horizontal. The top is 2 l above the bottom, not "
                    "l.", "factor"),
            Mistake(math.sqrt(5 * 9.81),
                    "That is the kick for a weight on a string, which must still be taut at the top. A rod can push: "
                    "at the top it needs no speed at all.", "model"),
            Mistake(2 * 9.81,
                    "Energy contains the square of the speed: take the root.", "factor"),
            Mistake(4 * 9.81,
                    "This is the square of the angular velocity. Take the root.", "factor"),
        ),
        hints=(
            "At the bottom all the energy that it has above its rest is kinetic; at the top, all of it is potential.",
            "½ m l² qd² = m g h. How much higher than the bottom is the top?",
        ),
        solution=r"""
            From the bottom to the top the weight rises by $2 l$, so $\tfrac12 m l^2 \dot q^2 = 2 m g l$ and
            $\dot q = 2\sqrt{g/l} = 6.264$ rad/s. In the picture this is the height of the orange line above $q = 0$.
        """,
    ),
    Exercise(
        id="8.2",
        title="The conical pendulum",
        section="A rod on a cross joint",
        reference=math.sqrt(2 * 9.81),
        rtol=2e-3,
        mistakes=(
            Mistake(math.sqrt(9.81),
                    "That is the rate of small swings. At 60° the circle is wide, and the weight must go round faster.",
                    "special case"),
            Mistake(math.sqrt(9.81 / 2),
                    "The cosine is on the wrong side: the vertical part of the rod's pull, F cos 60°, carries the "
                    "weight, so the pull grows as the cosine falls.", "inverse"),
            Mistake(math.sqrt(9.81 * math.tan(math.pi / 3)),
                    "The acceleration towards the axis is g tan 60°, that is right; but the radius of the circle is "
                    "l sin 60°, not l.", "factor"),
            Mistake(math.sqrt(9.81 / math.sin(math.pi / 3)),
                    "The angle is measured from the vertical: you have exchanged sine and cosine.", "angle"),
        ),
        hints=(
            "Two forces act on the weight, its own and that of the rod. Their sum must point to the axis and be "
            "m times ω² times the radius.",
            "The rod's force F: F cos θ = m g, F sin θ = m ω² l sin θ.",
        ),
        solution=r"""
            The rod pulls along itself with $F$. Upwards, $F\cos\theta = m g$; inwards,
            $F \sin\theta = m\,\omega^2\, l \sin\theta$. Divide: $\omega^2 = g/(l\cos\theta)$, and with
            $\cos 60° = \tfrac12$ this is $\omega = \sqrt{2 \cdot 9.81} = 4.429$ rad/s.
        """,
    ),
    Exercise(
        id="8.3",
        title="The lock in the upper hinge",
        section="Two rods",
        reference=-4.0,
        mistakes=(
            Mistake(4.0,
                    "The size is right, the direction is not. Sketch the upper rod hanging down and the lower one "
                    "pointing to the right: the force that the weight needs points left, to the elbow, and comes from "
                    "the lock. A force to the left, applied below the hinge, turns clockwise.", "sign"),
            Mistake(0.0,
                    "The upper rod is at rest, but it holds the elbow against the weight that goes round it, and the "
                    "pull at the elbow has a lever arm about the upper hinge.", "entry"),
            Mistake(-2.0,
                    "The rate occurs squared.", "factor"),
            Mistake(-8.0,
                    "The factor 2 belongs to the term with both rates, which is zero here because the upper hinge is "
                    "locked.", "factor"),
        ),
        hints=(
            "Put qd1 = 0 in the upper entry of C.",
            "-m2 l1 l2 sin(q2) qd2²: the weight goes round the elbow with 2 rad/s, which takes 4 N towards the elbow.",
        ),
        solution=r"""
            With $\dot q_1 = 0$ the upper entry of $C$ is $-m_2 l_1 l_2 \sin q_2\, \dot q_2^2 = -1\cdot 1 \cdot 4 = -4$
            N m. The sketch, with the upper rod hanging down: the lower weight is to the right of the elbow and circles
            it; the 4 N that it needs point to the left, that is, towards $-x$. This force comes through the elbow, 1 m
            below the hinge, from the lock. A force towards $-x$, applied 1 m below, turns clockwise: negative.
        """,
    ),
    Exercise(
        id="8.4",
        title="The fast mode and the slow",
        section="Small swings: two clocks in one",
        reference=1 + math.sqrt(2),
        rtol=2e-3,
        remark="The ratio is irrational: the sum of the two modes never repeats itself exactly.",
        mistakes=(
            Mistake(3 + 2 * math.sqrt(2),
                    "That is the ratio of the eigenvalues, which are the squares of the frequencies.", "factor"),
            Mistake(math.sqrt(2) - 1,
                    "That is the slow one divided by the fast one.", "inverse"),
            Mistake(math.sqrt(3),
                    "So it is for two equal weights on equal springs in a row. Here the stiffness of the upper rod "
                    "carries both weights: K comes from the gravity of this model.", "model"),
        ),
        hints=(
            "With unit masses and lengths H_0 = [[5, 2], [2, 1]] and K = g [[3, 1], [1, 1]].",
            "det(K - ω² H_0) = 0; write ω² = g x. The equation is (3 - 5x)(1 - x) - (1 - 2x)² = 0.",
            "It is x² - 4x + 2 = 0. The ratio wanted is the root of the ratio of its solutions.",
        ),
        solution=r"""
            $H_0 = \begin{bmatrix} 5 & 2 \\ 2 & 1 \end{bmatrix}$ and
            $K = g\begin{bmatrix} 3 & 1 \\ 1 & 1 \end{bmatrix}$.
            With $\omega^2 = g x$ the determinant is $(3 - 5x)(1 - x) - (1 - 2x)^2 = x^2 - 4x + 2$, so
            $x = 2 \pm \sqrt 2$. The ratio of the frequencies is $\sqrt{(2 + \sqrt 2)/(2 - \sqrt 2)} = 1 + \sqrt 2$.
        """,
    ),
    Exercise(
        id="8.5",
        title="How far can one see?",
        section="How fast is the start forgotten?",
        reference=math.log(1e11) / 1.4,
        rtol=5e-3,
        remark="Each further digit of the start buys another 1.6 s, and no more.",
        mistakes=(
            Mistake(11 / 1.4,
                    "λ belongs to the natural logarithm: e^{λt}, not 10^{λt}.", "factor"),
            Mistake(math.log(1e12) / 1.4,
                    "That is when the error is 1 rad. Asked is 0.1 rad, eleven powers of ten away from the start.",
                    "factor"),
            Mistake(math.log(1e11) * 1.4,
                    "You have multiplied by λ. The faster the growth, the shorter the time.", "inverse"),
            Mistake(math.log(1e11),
                    "This is λt. Divide by λ.", "factor"),
            Mistake(math.log(1e13) / 1.4,
                    "The error grows from 10⁻¹² to 10⁻¹: eleven powers of ten, not thirteen.", "factor"),
        ),
        hints=(
            "0.1 = 10⁻¹² e^{λt}. Solve for t.",
            "The error must grow by the factor 10¹¹, and ln 10 = 2.303.",
        ),
        solution=r"""
            $10^{-1} = 10^{-12} e^{\lambda t}$ gives $t = \ln(10^{11})/\lambda = 11 \cdot 2.303/1.4 = 18.1$ s.
        """,
    ),
    Exercise(
        id="8.6",
        title="How fast does the pole fall?",
        section="A pole on a cart",
        reference=_rate_by_linearising,
        mistakes=(
            Mistake(_cart_pole_rate(lambda m_c, m_p, l, g: 3 * g / (2 * l)),
                    "That is the pole on a clamped cart. Here the cart gives way: eliminate its acceleration with the "
                    "first line of the equation of motion.", "model"),
            Mistake(_cart_pole_rate(lambda m_c, m_p, l, g: -6 * g * (m_c + m_p) / (l * (4 * m_c + m_p))),
                    "The size is right, the sign is that of a pole that hangs. About upright gravity pushes away.",
                    "sign"),
            Mistake(_cart_pole_rate(lambda m_c, m_p, l, g: 6 * g * (m_c + m_p) / (l * (4 * m_c + 7 * m_p))),
                    "The coupling has the wrong sign: H11 H22 minus the square of H12.", "sign"),
            Mistake(_cart_pole_rate(lambda m_c, m_p, l, g: 2 * g * (m_c + m_p) / (l * m_c)),
                    "That is a pole with its mass as a point in its middle, at l/2. A uniform pole has H22 = m l²/3, "
                    "a third more.", "model"),
        ),
        hints=(
            "At q2 = 0: H = [[m_cart + m_pole, -m_pole l/2], [-m_pole l/2, m_pole l²/3]], and gravity is "
            "-m_pole g l/2 · q2 in the second line.",
            "Without force on the cart the first line gives qdd1 = m_pole l/2 · qdd2/(m_cart + m_pole).",
            "Put it into the second line and solve for qdd2 = σ² q2.",
        ),
        solution=r"""
            The first line, $(m_c + m_p)\,\ddot q_1 = \tfrac12 m_p l\, \ddot q_2$, put into the second one, gives
            $\left(\tfrac13 m_p l^2 - \dfrac{m_p^2 l^2/4}{m_c + m_p}\right) \ddot q_2 = \tfrac12 m_p g l\, q_2$, and so
            $\sigma^2 = \dfrac{6 g\,(m_c + m_p)}{l\,(4 m_c + m_p)}$. For $m_c \to \infty$ this is $3g/2l$, for a cart
            without mass it is $6g/l$: a free rod that turns about its centre.
        """,
    ),
    Exercise(
        id="8.7",
        title="Where the rod rests",
        section="A rod on a turning arm",
        kind="function",
        reference=_tilt,
        inputs=_arms,
        samples=12,
        mistakes=(
            Mistake(lambda rate, l, g: math.acos(min(1.0, g / (l * rate**2))),
                    "That is a weight at the end of a rod without mass. This rod is uniform: its gravity acts at l/2, "
                    "and its centrifugal term has the inertia m l²/3.", "model"),
            Mistake(lambda rate, l, g: math.acos(min(1.0, 3 * g / (l * rate**2))),
                    "Nearly: sin 2q = 2 sin q cos q, and that 2 has been lost.", "factor"),
            Mistake(lambda rate, l, g: math.asin(min(1.0, 3 * g / (2 * l * rate**2))),
                    "You have divided by the sine, which leaves the cosine: 3g/(2lΩ²) is cos q and not sin q.",
                    "angle"),
            Mistake(lambda rate, l, g: 0.0,
                    "The rod can hang down at every rate, but above the fork it does not stay there: the valley has "
                    "become a hill.", "special case"),
        ),
        hints=(
            "At rest on the turning arm: ⅙ m l² Ω² sin 2q = ½ m g l sin q.",
            "Either sin q = 0, or you may divide by it: cos q = 3g/(2 l Ω²), as long as this is not more than 1.",
            "np.arccos(np.minimum(1, ...)) takes care of both cases.",
        ),
        solution=r"""
            At rest $\tfrac16 m l^2 \Omega^2 \cdot 2 \sin q \cos q = \tfrac12 m g l \sin q$. Besides $\sin q = 0$ this
            has the solution $\cos q = \dfrac{3g}{2 l \Omega^2}$, which exists for $\Omega^2 \ge 3g/2l$. Then it is the
            valley, and $q = 0$ is the hill between. In Python:
            `return np.arccos(np.minimum(1, 3 * g / (2 * l * rate**2)))`. With the model's $l = 0.3$ m the fork is at
            7.0 rad/s.
        """,
    ),
    Exercise(
        id="8.8",
        title="Lagrange's equation, term by term",
        section="A question for paper",
        reference=_first_equation,
        names=("the term with thdd1", "the term with thdd2", "the term with thd2²", "the gravity term"),
        symbols=("thd1",),
        mistakes=(
            Mistake(_terms(lambda m1, m2, l1, l2, g, a, b, ad, bd, add, bdd, sin, cos: [
                        m1 * l1**2 * add, m2 * l1 * l2 * cos(a - b) * bdd, m2 * l1 * l2 * sin(a - b) * bd**2,
                        m1 * g * l1 * sin(a)]),
                    "The second and third term are right. In the first and the last one the lower weight is missing: "
                    "it hangs on the upper rod, is carried along by it, and weighs on it.", "term"),
            Mistake(_terms(lambda m1, m2, l1, l2, g, a, b, ad, bd, add, bdd, sin, cos: [
                        (m1 + m2) * l1**2 * add, m2 * l1 * l2 * cos(a - b) * bdd, -m2 * l1 * l2 * sin(a - b) * bd**2,
                        (m1 + m2) * g * l1 * sin(a)]),
                    "Three terms are right. The one with thd2² has the wrong sign: differentiating cos(θ1 - θ2) in "
                    "time gives -sin(θ1 - θ2)(θ1' - θ2'), and the part with θ2'² is positive.", "sign"),
            Mistake(_terms(lambda m1, m2, l1, l2, g, a, b, ad, bd, add, bdd, sin, cos: [
                        (m1 + m2) * l1**2 * add, m2 * l1 * l2 * cos(a - b) * bdd,
                        -m2 * l1 * l2 * sin(a - b) * (ad - bd) * bd, (m1 + m2) * g * l1 * sin(a)]),
                    "Three terms are right. In the third you have differentiated ∂T/∂θ1' in time but not taken away "
                    "∂T/∂θ1 = -m2 l1 l2 sin(θ1 - θ2) θ1' θ2'; with it the mixed products cancel.", "term"),
            Mistake(_terms(lambda m1, m2, l1, l2, g, a, b, ad, bd, add, bdd, sin, cos: [
                        (m1 + m2) * l1**2 * add, m2 * l1 * l2 * cos(b) * bdd, m2 * l1 * l2 * sin(-b) * bd**2,
                        (m1 + m2) * g * l1 * sin(a)]),
                    "The first and the last term are right. In the two others you have kept the angle between the "
                    "rods under its old name: q2 is now θ2 - θ1.", "angle"),
            Mistake(_terms(lambda m1, m2, l1, l2, g, a, b, ad, bd, add, bdd, sin, cos: [
                        (m1 + m2) * l1**2 * add, m2 * l1 * l2 * cos(a - b) * bdd, m2 * l1 * l2 * sin(a - b) * bd**2,
                        -(m1 + m2) * g * l1 * sin(a)]),
                    "Three terms are right. Gravity is on the wrong side: V = -(m1 + m2) g l1 cos θ1 - ..., and on the "
                    "left-hand side stands +∂V/∂θ1.", "sign"),
        ),
        hints=(
            "The lower weight is at (l1 sin θ1 + l2 sin θ2, -l1 cos θ1 - l2 cos θ2). Its squared speed is a sum of "
            "three terms; the mixed one has the cosine of the angle between the rods.",
            "T = ½ (m1 + m2) l1² θ1'² + ½ m2 l2² θ2'² + m2 l1 l2 cos(θ1 - θ2) θ1' θ2'.",
            "∂T/∂θ1' = (m1 + m2) l1² θ1' + m2 l1 l2 cos(θ1 - θ2) θ2'. Differentiate it in time, and take away ∂T/∂θ1.",
        ),
        solution=r"""
            $T = \tfrac12 (m_1 + m_2) l_1^2 \dot\theta_1^2 + \tfrac12 m_2 l_2^2 \dot\theta_2^2
            + m_2 l_1 l_2 \cos(\theta_1 - \theta_2)\,\dot\theta_1\dot\theta_2$ and
            $V = -(m_1 + m_2) g l_1 \cos\theta_1 - m_2 g l_2 \cos\theta_2$. The time derivative of
            $\partial T/\partial\dot\theta_1$ is $(m_1 + m_2) l_1^2 \ddot\theta_1
            + m_2 l_1 l_2 \cos(\theta_1 - \theta_2)\,\ddot\theta_2
            - m_2 l_1 l_2 \sin(\theta_1 - \theta_2)(\dot\theta_1 - \dot\theta_2)\,\dot\theta_2$, and
            $-\partial T/\partial\theta_1 = m_2 l_1 l_2 \sin(\theta_1 - \theta_2)\,\dot\theta_1\dot\theta_2$ cancels the
            mixed product. What remains is
            $$(m_1 + m_2) l_1^2\, \ddot\theta_1 + m_2 l_1 l_2 \cos(\theta_1 - \theta_2)\, \ddot\theta_2
            + m_2 l_1 l_2 \sin(\theta_1 - \theta_2)\, \dot\theta_2^2 + (m_1 + m_2) g l_1 \sin\theta_1 = 0.$$
            The four terms are the answer, in this order.
        """,
    ),
)
