"""The exercises of notebook 18, floating bases (RBDA 9.3-9.5)."""

from rbdlib.exercises.declare import Exercise, Mistake


def _formula(names, formula):
    """An answer in symbols, from a function of them."""

    def answer():
        from sympy import symbols

        return formula(*symbols(names, positive=True))

    return answer


def _in_halves(formula):
    """A formula in A, B and the cosine and sine of gamma, with 2 pi in front."""

    def of_gamma(A, B, gamma):
        from sympy import cos, pi, sin

        return 2 * pi * formula(A, B, cos(gamma), sin(gamma))

    return _formula("A B gamma", of_gamma)


def _in_wheel(formula):
    return _formula("I1 I2 alpha", formula)


def _in_step(formula):
    return _formula("omega dt", formula)


def _equation(rng):
    """The coefficients of RBDA Eq. 9.13 for some system with three joints, and tau."""
    import numpy as np

    B = rng.normal(size=(9, 9))
    M = B @ B.T + 3 * np.eye(9)
    return M[:6, :6], M[:6, 6:], M[6:, 6:], rng.normal(size=3), rng.normal(size=6), rng.normal(size=3)


def _joint_space(I_c0, F, H, C, p_c0, tau):
    from numpy.linalg import solve

    return solve(H - F.T @ solve(I_c0, F), tau - C + F.T @ solve(I_c0, p_c0))


def _base_held(I_c0, F, H, C, p_c0, tau):
    from numpy.linalg import solve

    return solve(H, tau - C)


def _bias_kept(I_c0, F, H, C, p_c0, tau):
    from numpy.linalg import solve

    return solve(H - F.T @ solve(I_c0, F), tau - C)


def _wrong_sign(I_c0, F, H, C, p_c0, tau):
    from numpy.linalg import solve

    return solve(H - F.T @ solve(I_c0, F), tau - C - F.T @ solve(I_c0, p_c0))


def _added(I_c0, F, H, C, p_c0, tau):
    from numpy.linalg import solve

    return solve(H + F.T @ solve(I_c0, F), tau - C + F.T @ solve(I_c0, p_c0))


def _tumbling(rng):
    I_c0, F, _, _, _, qd = _equation(rng)
    return I_c0, F, qd, rng.normal(size=6)


def _hull_velocity(I_c0, F, qd, h):
    from numpy.linalg import solve

    return solve(I_c0, h - F @ qd)


def _without_momentum(I_c0, F, qd, h):
    from numpy.linalg import solve

    return -solve(I_c0, F @ qd)


def _joints_at_rest(I_c0, F, qd, h):
    from numpy.linalg import solve

    return solve(I_c0, h)


def _momenta_added(I_c0, F, qd, h):
    from numpy.linalg import solve

    return solve(I_c0, h + F @ qd)


def _half_turn(scale=2):
    """The bend that turns the cat by pi if B = 3A: scale times gamma."""

    def bend():
        from math import acos, sqrt

        return scale * acos((sqrt(7) - 1) / 2)

    return bend


EXERCISES = (
    Exercise(
        id="18.1",
        title="Gravity in the axes of a turned base",
        section="Let go",
        quantity="vector",
        reference=(-9.81, 0, 0),
        mistakes=(
            Mistake((9.81, 0, 0),
                    "You have turned gravity along with the base. Gravity stays where it is; the axes in which it is "
                    "written turn, and so its numbers turn the other way.", "inverse"),
            Mistake((0, -9.81, 0),
                    "Those are its numbers in the reference frame. The base's y axis is not vertical any more.",
                    "frame"),
            Mistake((0, 9.81, 0),
                    "That would be a base turned upside down, by 180°, and one that is turned by 90° lies on its "
                    "side.", "angle"),
        ),
        hints=(
            "Where do the base's x and y axes point after the turn, seen from the reference frame?",
            "The base's x axis points to the reference's +y, its y axis to the reference's -x. Gravity points to -y.",
        ),
        solution=r"""
            After the turn the base's $x$ axis points upwards, along the reference's $+y$. Gravity points downwards,
            against this axis, so that ${}^0a_g = (-9.81, 0, 0)$ m/s². In formulas it is $E\,a_g$ with
            $E$ = `rz(np.pi/2)`.
        """,
    ),
    Exercise(
        id="18.2",
        title="The acceleration of a body on which nothing acts",
        section="Let go",
        quantity="motion",
        reference=(0, 0, 0, 0, -6, 0),
        remark="A body on which nothing acts can have a spatial acceleration. It says that at the place where the "
               "origin is now, the body points that stream by get another velocity.",
        mistakes=(
            Mistake((0, 0, 0, 0, 0, 0),
                    "The centre of mass does not accelerate, true, but that is the classical acceleration of a point. "
                    "The spatial one differs from it by -ω × v.", "acceleration"),
            Mistake((0, 0, 0, 0, 6, 0),
                    "That is +ω × v. The classical acceleration is the spatial one plus ω × v, and it is zero here.",
                    "sign"),
            Mistake((0, -6, 0, 0, 0, 0),
                    "The number is right, the place is not: the angular acceleration comes first, and it is zero.",
                    "order"),
        ),
        hints=(
            "The classical acceleration of the origin is the linear part of a_0 plus ω × v (RBDA Eq. 2.48). How large "
            "is it here?",
            "ω × v = (0, 0, 2) × (3, 0, 0) = (0, 6, 0).",
        ),
        solution=r"""
            The centre of mass moves uniformly, so that its classical acceleration $a + \omega \times v$ is zero. With
            $\omega \times v = (0, 0, 2) \times (3, 0, 0) = (0, 6, 0)$ the linear part of $a_0$ is $(0, -6, 0)$, and
            the angular part is zero since a body spinning about $z$ alone with no moment keeps its spin.
        """,
    ),
    Exercise(
        id="18.3",
        title="The equation of the joints alone",
        section="What gives way",
        kind="function",
        reference=_joint_space,
        inputs=_equation,
        mistakes=(
            Mistake(_base_held,
                    "With H and C alone the base is held: a_0 = 0. Nobody holds it, and a_0 follows from the first row "
                    "of 9.13.", "entry"),
            Mistake(_bias_kept,
                    "H_fl is right, but C has been taken instead of C_fl. The bias force of the base makes it "
                    "accelerate, and the joints notice.", "entry"),
            Mistake(_wrong_sign,
                    "In C_fl the term with p_c0 is subtracted from C, so on the other side of the equation, with tau, "
                    "it is added.", "sign"),
            Mistake(_added,
                    "The sign in H_fl is wrong. A base that gives way makes the joints easier to move, so something "
                    "must be subtracted from H.", "sign"),
        ),
        hints=(
            "Solve the first row of 9.13 for a_0 and put it into the second.",
            "a_0 = -solve(I_c0, F @ qdd + p_c0).",
            "H_fl = H - F.T @ solve(I_c0, F), C_fl = C - F.T @ solve(I_c0, p_c0), and H_fl qdd = tau - C_fl.",
        ),
        solution="""
            `H_fl = H - F.T @ np.linalg.solve(I_c0, F)`, `C_fl = C - F.T @ np.linalg.solve(I_c0, p_c0)` and
            `return np.linalg.solve(H_fl, tau - C_fl)`. The first row gives $a_0 = -(I^c_0)^{-1}(F\\ddot q + p^c_0)$,
            and the second row with this $a_0$ is the equation.
        """,
    ),
    Exercise(
        id="18.4",
        title="A flywheel turns a satellite",
        section="A turn without spin",
        reference=_in_wheel(lambda I1, I2, alpha: -I2 * alpha / (I1 + I2)),
        mistakes=(
            Mistake(_in_wheel(lambda I1, I2, alpha: I2 * alpha / (I1 + I2)),
                    "The satellite turns against the wheel. Otherwise both would have momentum in the same direction, "
                    "and the sum could not be zero.", "sign"),
            Mistake(_in_wheel(lambda I1, I2, alpha: -I2 * alpha / I1),
                    "alpha is measured from the satellite, which turns itself. The wheel's own rate is the sum of the "
                    "two, so I1 + I2 belongs in the denominator.", "frame"),
            Mistake(_in_wheel(lambda I1, I2, alpha: -I1 * alpha / (I1 + I2)),
                    "That is how far a wheel would turn if the satellite turned by alpha relative to it. A light wheel "
                    "moves a heavy satellite but a little.", "swapped"),
        ),
        hints=(
            "Let the satellite turn at the rate ω. At which rate does the wheel turn, seen from outside?",
            "I1 ω + I2 (ω + alpha') = 0. The factor between ω and alpha' is constant, so it holds for angles too.",
        ),
        solution=r"""
            The angular momentum is $I_1\omega + I_2(\omega + \dot\alpha) = 0$, hence
            $\omega = -\frac{I_2}{I_1 + I_2}\dot\alpha$. The factor does not depend on the posture, and the satellite
            has turned by $-\frac{I_2}{I_1 + I_2}\alpha$.
        """,
    ),
    Exercise(
        id="18.5",
        title="There and back with one joint",
        section="A turn without spin",
        kind="word",
        reference="a",
        choices={"a": "no", "b": "yes, if it returned at another speed", "c": "yes, if the swing was wide enough"},
        remark="With one joint the base's angle is a function of the joint's. It takes two to enclose an area.",
        mistakes=(
            Mistake("b", "The rate of the base is proportional to the rate of the joint: twice as fast is twice as "
                         "fast for half the time, and the angle is the same.", "speed"),
            Mistake("c", "How far the base has gone depends on where the joint is and on nothing else. On the way back "
                         "every small step is taken back, however many there were.", "path"),
        ),
        hints=(
            "Write the rate of the base's angle for a single moving joint: something that depends on q1, times its "
            "rate.",
            "dθ = A(q1) dq1. What is the integral from a position to the same position?",
        ),
        solution=r"""
            With one joint $d\theta = A(q_1)\,dq_1$, and the integral from a position back to itself is zero, whatever
            the speeds and however wide the swing: the answer is (a).
        """,
    ),
    Exercise(
        id="18.6",
        title="The hull of a tumbling satellite",
        section="A satellite at work",
        kind="function",
        reference=_hull_velocity,
        inputs=_tumbling,
        mistakes=(
            Mistake(_without_momentum,
                    "That is the velocity without momentum. The satellite tumbles, and h must be carried too.",
                    "entry"),
            Mistake(_joints_at_rest,
                    "That would be right for joints at rest. Part of the momentum is in what the joints move: F qd.",
                    "entry"),
            Mistake(_momenta_added,
                    "The momentum F qd is part of h already. What is left for I_c0 v_0 is h minus that.", "sign"),
        ),
        hints=(
            "The momentum of everything is I_c0 v_0 + F qd, and it equals h.",
            "Solve I_c0 v_0 = h - F qd for v_0.",
        ),
        solution="""
            `return np.linalg.solve(I_c0, h - F @ qd)`: the whole momentum is $I^c_0 v_0 + F\\dot q = h$, and it is
            solved for $v_0$.
        """,
    ),
    Exercise(
        id="18.7",
        title="The cat, on paper",
        section="The cat",
        where="gamma < 1.57",
        reference=_in_halves(lambda A, B, c, s: 1 - A * c / (A * c**2 + B * s**2)),
        remark="Only the ratio B/A counts: a slim cat turns further than a stout one with the same bend.",
        mistakes=(
            Mistake(_in_halves(lambda A, B, c, s: A * c / (A * c**2 + B * s**2)),
                    "That is how far the plane of the bend has turned. Each half has rolled by a whole turn relative "
                    "to it, the other way; the cat turns by the sum of the two.", "entry"),
            Mistake(_in_halves(lambda A, B, c, s: -A * c / (A * c**2 + B * s**2)),
                    "The cat ends in this posture, but you have counted a full turn less than it has turned. This is "
                    "how far the plane of the bend has turned. Each half has rolled by a whole turn relative to it, "
                    "and the cat turns by the sum of the two.", "entry"),
            Mistake(_in_halves(lambda A, B, c, s: 1 + A * c / (A * c**2 + B * s**2)),
                    "The plane turns against the roll: Ω is negative for positive σ. A straight cat would not stay "
                    "as it is with your formula.", "sign"),
            Mistake(_in_halves(lambda A, B, c, s: 1 - A / (A * c**2 + B * s**2)),
                    "A cosine is missing. The roll is about the axis of a half, and only its component along e counts "
                    "in the sum.", "factor"),
            Mistake(_in_halves(lambda A, B, c, s: 1 - c),
                    "This is right for halves with A = B, as of balls. The moment of inertia of a half about e is "
                    "A cos² γ + B sin² γ.", "entry"),
            Mistake(_in_halves(lambda A, B, c, s: 1 - A * c / (A * s**2 + B * c**2)),
                    "Sine and cosine are interchanged in the moment of inertia about e. For a straight cat it must "
                    "be A.", "swapped"),
        ),
        hints=(
            "The angular velocity of a half is Ω e + σ a, with a along its own axis and a · e = cos γ. The centres of "
            "mass do not move about e, so only the halves' own angular momenta count.",
            "The moment of inertia of a half about e is A cos² γ + B sin² γ, and A σ a has the component A σ cos γ.",
            "Ω (A cos² γ + B sin² γ) + A σ cos γ = 0. In the time of σ t = 2π the cat turns by 2π + Ω t.",
        ),
        solution=r"""
            A half has the angular velocity $\Omega e + \sigma a$, where $a$ is its axis and $a \cdot e = \cos\gamma$.
            The centres of mass lie on the line along $e$ through that of the cat, because they are at equal
            heights in the bend and the waist joins mirror images; so they have no share in the momentum along $e$.
            What remains, for each half, is
            $\Omega\,(A\cos^2\gamma + B\sin^2\gamma) + \sigma A\cos\gamma = 0$. In the time $2\pi/\sigma$ the cat turns
            by $2\pi + 2\pi\,\Omega/\sigma = 2\pi\left(1 - \frac{A\cos\gamma}{A\cos^2\gamma + B\sin^2\gamma}\right)$.
        """,
    ),
    Exercise(
        id="18.8",
        title="The bend for half a turn",
        section="The cat",
        reference=_half_turn(),
        rtol=2e-3,
        mistakes=(
            Mistake(_half_turn(1),
                    "That is γ, by which each half is inclined. The whole bend is twice that.", "factor"),
            Mistake(69.2, "The answer is wanted in radians.", "degrees"),
            Mistake((7**0.5 - 1) / 2, "That is the cosine of γ. The angle itself, twice, is wanted.", "entry"),
        ),
        hints=(
            "Half a turn means A cos γ / (A cos² γ + B sin² γ) = 1/2.",
            "With B = 3A and c = cos γ this is 2c = c² + 3 (1 - c²), or 2c² + 2c - 3 = 0.",
        ),
        solution=r"""
            The condition is $2\cos\gamma = \cos^2\gamma + 3\sin^2\gamma$, that is $2c^2 + 2c - 3 = 0$ with
            $c = \cos\gamma = (\sqrt7 - 1)/2 = 0.823$. So $\gamma = 0.604$ and the whole bend is 1.208 rad, or 69°.
        """,
    ),
    Exercise(
        id="18.9",
        title="How Euler parameters grow under Euler's method",
        section="Orientation without drift",
        reference=_in_step(lambda w, dt: (1 + (w * dt / 2) ** 2) ** 0.5),
        mistakes=(
            Mistake(_in_step(lambda w, dt: 1 + (w * dt / 2) ** 2),
                    "That is the factor of the squared length. The length goes with its square root.", "factor"),
            Mistake(_in_step(lambda w, dt: (1 + (w * dt) ** 2) ** 0.5),
                    "The rate of p has the length ω/2: Euler parameters turn with half the angle.", "factor"),
            Mistake(_in_step(lambda w, dt: 1 + w * dt / 2),
                    "You have added lengths. The step is perpendicular to p, so the two are the sides of a "
                    "right-angled triangle.", "entry"),
        ),
        hints=(
            "p and the step δt ṗ are perpendicular. How long is their sum?",
            "|p + δt ṗ|² = |p|² + δt² |ṗ|², and |ṗ| = ω |p| / 2.",
        ),
        solution=r"""
            By Pythagoras $|p + \delta t\,\dot p|^2 = |p|^2 + \delta t^2 (\tfrac12\omega|p|)^2$, so that the length is
            multiplied by $\sqrt{1 + (\omega\,\delta t/2)^2}$ in every step, whatever $p$ is.
        """,
    ),
)
