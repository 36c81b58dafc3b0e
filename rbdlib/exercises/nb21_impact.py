"""The exercises of notebook 21, impact (RBDA 11.7)."""

from rbdlib.exercises.declare import Exercise, Mistake


def _formula(names, formula):
    """An answer in symbols, from a function of them."""

    def answer():
        from sympy import symbols

        return formula(*symbols(names, positive=True))

    return answer


def _bounces(formula):
    """A formula in the time of the first fall and e."""

    def of_time(h, g, e):
        from sympy import sqrt

        return formula(sqrt(2 * h / g), e)

    return _formula("h g e", of_time)


def _corner(formula):
    """A formula in I_C, m r² and the function cos, with the angle beta."""

    def of_angle(I_C, m, r, beta):
        from sympy import cos

        return formula(I_C, m * r**2, beta, cos)

    return _formula("I_C m r beta", of_angle)


def _wheel(rng):
    """A speed after an impact, and the numbers of some rimless wheel on some slope."""
    return (float(rng.uniform(2, 4)), float(rng.uniform(0.5, 0.95)), float(rng.uniform(20, 60)),
            float(rng.uniform(0.2, 0.5)), float(rng.uniform(0.02, 0.15)))


def _gain(kappa, alpha, gamma):
    from math import sin

    return 4 * kappa * sin(gamma) * sin(alpha)


def _next_speed(omega, rho, kappa, alpha, gamma):
    return rho * (omega**2 + _gain(kappa, alpha, gamma)) ** 0.5


def _loss_first(omega, rho, kappa, alpha, gamma):
    return (rho**2 * omega**2 + _gain(kappa, alpha, gamma)) ** 0.5


def _energy_as_speed(omega, rho, kappa, alpha, gamma):
    return rho * (omega + _gain(kappa, alpha, gamma) ** 0.5)


def _level_ground(omega, rho, kappa, alpha, gamma):
    return rho * omega


def _before_the_impact(omega, rho, kappa, alpha, gamma):
    return (omega**2 + _gain(kappa, alpha, gamma)) ** 0.5


def _half_the_gain(omega, rho, kappa, alpha, gamma):
    return rho * (omega**2 + _gain(kappa, alpha, gamma) / 2) ** 0.5


def _square_of_it(omega, rho, kappa, alpha, gamma):
    return rho**2 * (omega**2 + _gain(kappa, alpha, gamma))


def _from_the_top(omega, rho, kappa, alpha, gamma):
    from math import cos

    return rho * (omega**2 + 2 * kappa * (1 - cos(alpha + gamma))) ** 0.5


def _least_slope(before_impact=False, scale=1.0):
    """The slope on which the wheel with 8 legs and k = 1/4 just passes the top at the speed that it keeps."""

    def slope():
        from math import cos, pi, sin

        from scipy.optimize import brentq

        alpha, k = pi / 8, 0.25
        rho = (k + cos(2 * alpha)) / (k + 1)
        kept = 1 if before_impact else rho**2
        return scale * brentq(lambda gamma: kept * 4 * sin(gamma) * sin(alpha) / (1 - rho**2)
                              - 2 * (1 - cos(alpha - gamma)), 1e-3, alpha)

    return slope


EXERCISES = (
    Exercise(
        id="21.1",
        title="Two balls, one on top of the other",
        section="An instant in which nothing moves",
        names=("the lower ball", "the upper ball"),
        reference=(0, 2),
        remark="The lower ball stays on the floor with nothing left, and the upper one rises to four times the height "
               "of the fall.",
        mistakes=(
            Mistake((1, 1),
                    "That is each ball bouncing by itself. When the lower one comes up with 1, the upper one is still "
                    "coming down with 1, and they meet.", "mistake"),
            Mistake((-1, 1),
                    "Exchanging velocities is what balls of equal mass do. The lower one is three times as heavy.",
                    "mass"),
            Mistake((1, 3),
                    "That would be a lower ball so heavy that it does not notice the upper one. Here momentum passes "
                    "from it: 3 · 1 - 1 · 1 must be what there is afterwards.", "mass"),
            Mistake((0, 4),
                    "4 is how high the upper one flies, with the height of the fall as the unit. Its velocity goes "
                    "with the square root.", "power"),
            Mistake((0.5, 0.5),
                    "That is their common velocity after a plastic impact. In an elastic one the impulse is twice as "
                    "large.", "restitution"),
        ),
        hints=(
            "First the lower ball meets the floor, then the balls meet each other. With which velocities?",
            "Before they meet they have 1 and -1. In Eq. 11.65 the separation velocity is -2, and n · (I_1⁻¹ + I_2⁻¹) "
            "n is 1/3 + 1.",
            "The impulse is 2 · 2 / (4/3) = 3.",
        ),
        solution=r"""
            The floor turns the lower ball round, so that the two meet with $+1$ and $-1$: $\zeta = -2$. With the
            masses 3 and 1, Eq. 11.65 gives $\lambda = \frac{2 \cdot 2}{\frac13 + 1} = 3$. The lower ball has
            $1 - \frac33 = 0$ afterwards, the upper one $-1 + 3 = 2$. Momentum is $2$ before and after, and the energy,
            in halves, $3 + 1 = 4 = 0 + 4$.
        """,
    ),
    Exercise(
        id="21.2",
        title="How long a ball bounces",
        section="Infinitely often, and then never again",
        where="e < 1",
        reference=_bounces(lambda fall, e: fall * (1 + e) / (1 - e)),
        remark="For e = 0 it is the time of the fall, for e = 1 it is infinite, and in between it is finite.",
        mistakes=(
            Mistake(_bounces(lambda fall, e: fall / (1 - e)),
                    "Only the first flight is a mere fall. All others go up and down again, and take twice as long.",
                    "factor"),
            Mistake(_bounces(lambda fall, e: 2 * fall / (1 - e)),
                    "The first flight is counted twice: the ball is dropped and has no way up before it.", "factor"),
            Mistake(_bounces(lambda fall, e: fall * (1 + e**2) / (1 - e**2)),
                    "e² is the ratio of the heights. The times of flight are proportional to the speeds, and their "
                    "ratio is e.", "power"),
            Mistake(_bounces(lambda fall, e: 2 * fall * e / (1 - e)),
                    "That is the time from the first impact on. The fall before it belongs to the total.", "entry"),
        ),
        hints=(
            "With which speed does the ball leave after impact n, and how long is it in the air then?",
            "It leaves with eⁿ √(2 g h) and is in the air for 2 eⁿ √(2 h / g).",
            "The sum of e + e² + e³ + ... is e / (1 - e).",
        ),
        solution=r"""
            The fall takes $t_1 = \sqrt{2h/g}$ and ends with the speed $g t_1$. After impact $n$ the ball leaves with
            $e^n g t_1$ and is in the air for $2 e^n t_1$. The sum is
            $t_1 (1 + 2e + 2e^2 + \dots) = t_1\left(1 + \frac{2e}{1 - e}\right) = \sqrt{2h/g}\;\frac{1+e}{1-e}$.
        """,
    ),
    Exercise(
        id="21.3",
        title="Two balls swing in",
        section="Five balls in a row",
        names=("ball 1", "ball 2", "ball 3", "ball 4", "ball 5"),
        reference=(-0.2, -0.2, 0.8, 0.8, 0.8),
        mistakes=(
            Mistake((0, 0, 0, 1, 1),
                    "That is what the toy does, and what impacts in sequence give. The simultaneous rule asks for the "
                    "fewest things: the pair that approaches separates, all others may stay together.", "rule"),
            Mistake((0.4, 0.4, 0.4, 0.4, 0.4),
                    "That is the plastic impact, e = 0, where all balls have the velocity of the centre of mass. For "
                    "e = 1 every impulse is twice as large.", "restitution"),
            Mistake((-0.6, -0.6, 0.4, 0.4, 0.4),
                    "The differences of velocity are right, and momentum is not: it was 2.", "momentum"),
            Mistake((0, 0, 2 / 3, 2 / 3, 2 / 3),
                    "Momentum is right, and a third of the energy is gone. With e = 1 the contact that approached with "
                    "1 separates with 1.", "energy"),
            Mistake((-0.6, 0.4, 0.4, 0.4, 0.4),
                    "That is the outcome for a single ball. Now two of them swing in.", "entry"),
        ),
        hints=(
            "The two balls stay together, and so do the three: of the four contacts only one approaches.",
            "So a body of mass 2 meets a body of mass 3, elastically.",
            "The centre of mass moves with 2/5, and relative to it both bodies turn round.",
        ),
        solution=r"""
            Only the contact between balls 2 and 3 approaches, with $-1$; it shall separate with $1$. The other contacts
            need not separate, and they press, so that balls 1 and 2 stay together, and 3, 4 and 5 too. A body of mass
            2 meets one of mass 3. The centre of mass has $\frac25$, and elastic bodies leave it as fast as they came:
            $2 \cdot \frac25 - 1 = -0.2$ and $2 \cdot \frac25 - 0 = 0.8$.
        """,
    ),
    Exercise(
        id="21.4",
        title="Lead before rubber",
        section="What restitution means",
        names=("ball 1", "ball 2", "ball 3"),
        reference=(1 / 6, 1 / 6, 2 / 3),
        mistakes=(
            Mistake((1 / 3, 1 / 3, 1 / 3),
                    "That is Newton's rule: contact 2-3 did not approach, so that it need not separate. Poisson's rule "
                    "looks at the impulse that has gone through it.", "rule"),
            Mistake((1 / 3, 0, 2 / 3),
                    "The restitution of 2-3 is right. But look at balls 1 and 2: they approach with 1/3 then, and need "
                    "a further impulse that stops this.", "entry"),
            Mistake((0.25, 0.25, 0.5),
                    "That is one impact after the other. Poisson's rule first ends the approach everywhere at once.",
                    "rule"),
            Mistake((0, 0, 1),
                    "This is the elastic toy. Between balls 1 and 2 there is lead: they stay together.", "restitution"),
        ),
        hints=(
            "Compression: all three have a common velocity at its end. Which impulses went through the two contacts?",
            "The common velocity is 1/3; ball 3 has got 1/3, through contact 2-3, and this impulse is given once more.",
            "Then ball 2 has 0 and ball 1 has 1/3. A plastic impact of these two is left.",
        ),
        solution=r"""
            At the end of compression all three have $\frac13$, and through contact 2-3 went the impulse $\frac13$, all
            that ball 3 has. Restitution gives it once more: ball 3 has $\frac23$, ball 2 has $0$. At contact 1-2
            nothing is given back, but ball 1 with $\frac13$ would run into ball 2. The impulse that stops this leaves
            both with $\frac16$.
        """,
    ),
    Exercise(
        id="21.5",
        title="What a corner costs, on paper",
        section="A wheel with corners",
        reference=_corner(lambda I_C, mr2, beta, cos: (I_C + mr2 * cos(beta)) / (I_C + mr2)),
        remark="The impulse acts at the new corner, so that the angular momentum about that point is the same before "
               "and after.",
        mistakes=(
            Mistake(_corner(lambda I_C, mr2, beta, cos: cos(beta)),
                    "That is right for a wheel with all its mass at the centre. The rotation about C has an angular "
                    "momentum of its own, I_C ω, which the corner does not touch.", "entry"),
            Mistake(_corner(lambda I_C, mr2, beta, cos: (I_C + mr2 * cos(beta / 2)) / (I_C + mr2)),
                    "The angle between the old and the new direction of C's velocity is that between the two corners "
                    "seen from C, all of beta.", "factor"),
            Mistake(_corner(lambda I_C, mr2, beta, cos: ((I_C + mr2 * cos(beta)) / (I_C + mr2)) ** 2),
                    "That is the ratio of the kinetic energies. The ratio of the speeds is asked for.", "power"),
            Mistake(_corner(lambda I_C, mr2, beta, cos: (I_C + mr2) / (I_C + mr2 * cos(beta))),
                    "That is ω/ω', upside down: a wheel that lands does not become faster.", "inverse"),
            Mistake(_corner(lambda I_C, mr2, beta, cos: (I_C - mr2 * cos(beta)) / (I_C + mr2)),
                    "The sign of the cosine is wrong: without any corner, beta = 0, nothing may be lost.", "sign"),
        ),
        hints=(
            "The impulse goes through the new corner. About which point is the angular momentum the same before and "
            "after?",
            "About the new corner: I_C ω plus the moment of m v_C. Before, v_C is perpendicular to the way from the "
            "old corner, and afterwards to that from the new one; between these ways is the angle beta.",
            "Before: I_C ω + m r² ω cos(beta). Afterwards: (I_C + m r²) ω'.",
        ),
        solution=r"""
            The impulse goes through the new corner $P$ and has no moment about it. Before the impact the wheel turns
            about the old corner, and $C$ has the velocity $\omega r$ at right angles to the way from there to $C$.
            About $P$ this has the moment $m r \cdot \omega r \cos\beta$, to which $I_C\,\omega$ comes. Afterwards the
            wheel turns about $P$ with the angular momentum $(I_C + m r^2)\,\omega'$. Hence
            $\frac{\omega'}{\omega} = \frac{I_C + m r^2 \cos\beta}{I_C + m r^2}$.
        """,
    ),
    Exercise(
        id="21.6",
        title="The triangle",
        section="A wheel with corners",
        reference=0.5,
        remark="Even a thin triangular frame has exactly this much, and a plate has half of it: neither rolls on.",
        mistakes=(
            Mistake(0.25,
                    "That is what a uniform plate has. Which value would make the ratio of Exercise 21.5 zero?",
                    "entry"),
            Mistake(-0.5,
                    "cos 120° is -1/2, so that I_C / (m r²) must make up for it with the opposite sign.", "sign"),
            Mistake(1, "With 1, as of three masses at the corners, the ratio is 1/4, and it rolls on. Less is enough.",
                    "entry"),
        ),
        hints=(
            "A ratio below zero would mean that the triangle turns back, into the ground.",
            "For three corners beta = 120°, and the cosine is -1/2.",
        ),
        solution=r"""
            For $n = 3$ the ratio is $(I_C - \frac12 m r^2)/(I_C + m r^2)$. It is positive for
            $I_C > 0.5\,m r^2$. The uniform plate has $I_C = 0.25\,m r^2$: both corners get an impulse, and it stops
            dead. Look at `.remarks` of that impact, too: friction with a coefficient of 1 could not hold the rear
            corner in place.
        """,
    ),
    Exercise(
        id="21.7",
        title="From one step to the next",
        section="A wheel without a rim",
        kind="function",
        reference=_next_speed,
        inputs=_wheel,
        mistakes=(
            Mistake(_loss_first,
                    "The order is exchanged: the speed omega is that after an impact. First comes the way down, then "
                    "the next impact takes its part of everything.", "swapped"),
            Mistake(_energy_as_speed,
                    "Energies add, and speeds do not: the way down adds to omega squared.", "power"),
            Mistake(_level_ground, "That is level ground. On a slope the wheel is lower after each step.", "entry"),
            Mistake(_before_the_impact,
                    "That is the speed just before the next impact. The one just after it is asked for.", "entry"),
            Mistake(_square_of_it, "That is the square of the speed: take the root at the end.", "power"),
            Mistake(_from_the_top,
                    "The swing starts where the spoke lands, not upright: take the drop between these two places, "
                    "not that from the top.", "entry"),
            Mistake(_half_the_gain,
                    "Half of the gain is missing. The energy is half the moment of inertia times omega squared: with "
                    "it in units of omega squared, twice the drop of the potential counts.", "factor"),
        ),
        hints=(
            "Where is the centre of mass at the two ends of a swing, measured along gravity?",
            "omega² grows by 2 kappa (cos(gamma - alpha) - cos(gamma + alpha)), which is 4 kappa sin(gamma) "
            "sin(alpha).",
            "Then the impact multiplies the speed by rho.",
        ),
        solution="""
            `return rho * np.sqrt(omega**2 + 4 * kappa * np.sin(gamma) * np.sin(alpha))`: the swing begins at the lean
            $\\gamma - \\alpha$ from the vertical and ends at $\\gamma + \\alpha$; the energy gained makes $\\omega^2$
            grow by $2\\kappa\\,(\\cos(\\gamma-\\alpha) - \\cos(\\gamma+\\alpha)) = 4\\kappa\\sin\\gamma\\sin\\alpha$.
            The impact multiplies the speed by $\\rho$.
        """,
    ),
    Exercise(
        id="21.8",
        title="The gentlest slope",
        section="A wheel without a rim",
        reference=_least_slope(),
        rtol=5e-3,
        mistakes=(
            Mistake(_least_slope(scale=57.29577951308232), "The answer is wanted in radians.", "degrees"),
            Mistake(_least_slope(before_impact=True),
                    "You have compared the speed just before an impact. What must carry the wheel over the top is the "
                    "speed just after it.", "entry"),
            Mistake(0.39269908169872414,
                    "That is alpha, the slope on which the wheel starts by itself. With a push it rolls on gentler "
                    "ones, too.", "entry"),
        ),
        hints=(
            "On the gentlest slope the speed of the limit cycle is just the speed that is needed to pass the top.",
            "Set rho² · 4 sin(gamma) sin(alpha) / (1 - rho²) equal to 2 (1 - cos(alpha - gamma)); kappa cancels.",
            "scipy.optimize.brentq finds the gamma between 0.001 and alpha.",
        ),
        solution=r"""
            The limit cycle has $\omega_*^2 = \frac{\rho^2}{1-\rho^2}\,4\kappa\sin\gamma\sin\alpha$ after each impact;
            to pass the top it needs $\omega_*^2 > 2\kappa\,(1 - \cos(\alpha - \gamma))$. With $\alpha = \pi/8$ and
            $\rho = (\frac14 + \cos\frac\pi4)/\frac54$ the two are equal at $\gamma = 0.0528$ rad, about 3.02°.
        """,
    ),
    Exercise(
        id="21.9",
        title="Below which restitution no rod gains",
        section="Energy from nowhere",
        reference=0.8,
        rtol=2e-3,
        mistakes=(
            Mistake(0.36, "That is the square of the coupling, which has to be taken from 1. Its square root is then "
                          "e.", "entry"),
            Mistake(0.64, "That is e². The square root is missing.", "power"),
            Mistake(0.6, "That is the coupling itself, the sine; e is the cosine that belongs to it.", "entry"),
        ),
        hints=(
            "The quadratic form of the last equation has positive values for some sliding speed if its discriminant is "
            "positive: A_xz² > A_xx A_zz (1 - e²).",
            "A_xz² / (A_xx A_zz) is the same for M and for its inverse A: 1.5² / (2.5 · 2.5).",
        ),
        solution=r"""
            As a function of $\zeta_x$ the gain is a parabola that opens downwards; it has positive values if
            $A_{xz}^2 > A_{xx} A_{zz} (1 - e^2)$. For a symmetric $2 \times 2$ matrix the ratio
            $A_{xz}^2/(A_{xx}A_{zz})$ is that of its inverse, here $1.5^2/2.5^2 = 0.36$. Hence $e^2 > 0.64$, and
            below $e = 0.8$ there is no gain.
        """,
    ),
)
