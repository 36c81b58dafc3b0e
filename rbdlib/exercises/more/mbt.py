"""Additional exercises on MBT: Lagrange's equations for a hoop, conserved momenta, and pendulums."""

import math

from rbdlib.exercises.more.declare import Mistake, More, formula

EXERCISES = (
    More(
        id="7.51",
        title="A bead on a turning hoop, on paper",
        section="A bead on a wire",
        level=2,
        question=r"""
            *On paper.* A circular wire of radius $R$ stands upright and is turned about its vertical diameter at the
            constant rate $\omega$. A bead of mass $m$ slides on it without friction; $q$ is its angle from the lowest
            point. Derive by Lagrange what $\ddot q$ is equal to: a formula in `R`, `g`, `omega`, `q`.
        """,
        reference=formula("omega**2*sin(q)*cos(q) - g/R*sin(q)", positive="R g"),
        mistakes=(
            Mistake(formula("-omega**2*sin(q)*cos(q) - g/R*sin(q)", positive="R g"),
                    "Gravity is right. Turning drives the bead outwards, away from the axis: ∂T/∂q stands in "
                    "Lagrange's equation with a minus sign on the side of the accelerations.", "sign"),
            Mistake(formula("omega**2*sin(q) - g/R*sin(q)", positive="R g"),
                    "The centrifugal force m ω² R sin q is horizontal. Only its component along the wire, with the "
                    "factor cos q, moves the bead.", "factor"),
            Mistake(formula("omega**2*sin(q)*cos(q) - g*sin(q)", positive="R g"),
                    "The units of the second term differ from those of the first: divide the equation by m R².",
                    "factor"),
        ),
        hints=(
            "The bead has two velocities at right angles: R q̇ along the wire and ω R sin q across it.",
            "T = m R² (q̇² + ω² sin² q)/2 and V = -m g R cos q.",
        ),
        solution=r"""
            $T = \tfrac12 m R^2 (\dot q^2 + \omega^2 \sin^2 q)$ and $V = -m g R \cos q$. Lagrange's equation is
            $m R^2 \ddot q - m R^2 \omega^2 \sin q \cos q + m g R \sin q = 0$, hence
            $\ddot q = \omega^2 \sin q \cos q - (g/R) \sin q$.
        """,
    ),
    More(
        id="7.52",
        title="When the bead leaves the bottom",
        section="A bead on a wire",
        level=2,
        names=("the critical rate", "the angle at 10 rad/s"),
        question=r"""
            The hoop of the exercise before has $R = 0.2$ m, and $g = 9.81$ m/s². Above which rate (rad/s) can the bead
            no longer stay at the bottom? And at which angle $q > 0$ (rad) does it rest when $\omega = 10$ rad/s?
        """,
        reference=lambda: (math.sqrt(9.81 / 0.2), math.acos(9.81 / (0.2 * 100))),
        mistakes=(
            Mistake(lambda: (9.81 / 0.2, math.acos(9.81 / (0.2 * 100))),
                    "The angle is right. g/R is the square of the critical rate.", "square"),
            Mistake(lambda: (math.sqrt(9.81 / 0.2), math.degrees(math.acos(9.81 / (0.2 * 100)))),
                    "The rate is right, and the angle is in degrees. Give it in radians.", "degrees"),
            Mistake(lambda: (math.sqrt(9.81 / 0.2), math.asin(9.81 / (0.2 * 100))),
                    "The rate is right. At rest it is the cosine of the angle that equals g/(R ω²).", "argument"),
        ),
        hints=("Where is q̈ = 0? There are two kinds of places.",
               "sin q = 0, or cos q = g/(R ω²), which needs ω² > g/R."),
        solution=r"""
            $\ddot q = \sin q\,(\omega^2 \cos q - g/R)$ vanishes at the bottom and where $\cos q = g/(R\omega^2)$. The
            second place exists for $\omega > \sqrt{g/R} = 7.004$ rad/s, and from there on the bottom is unstable. At
            10 rad/s $\cos q = 0.4905$ and $q = 1.058$ rad.
        """,
    ),
    More(
        id="7.53",
        title="A coordinate that does not occur",
        section="Coordinates for turning",
        level=2,
        question=r"""
            A spherical pendulum swings at the angle $\theta$ from the downward vertical while it goes round with
            $\dot\varphi$. When $\theta = 30°$, $\dot\varphi = 4$ rad/s. Later $\theta = 60°$. What is $\dot\varphi$
            then, in rad/s?
        """,
        reference=4 / 3,
        mistakes=(
            Mistake(4.0, "φ does not occur in the Lagrangian, so its momentum is conserved, and not its rate.",
                    "misconception"),
            Mistake(lambda: 4 / math.sqrt(3), "The distance from the axis enters squared, as in every moment of "
                                              "inertia.", "square"),
            Mistake(12.0, "The other way round: farther from the axis it goes round more slowly.", "inverse"),
        ),
        hints=("Which coordinate does not occur in T - V? What is its momentum?",
               "m l² sin² θ φ̇ stays the same."),
        solution=r"""
            $T - V$ does not contain $\varphi$, therefore $\partial T/\partial\dot\varphi = m l^2
            \sin^2\theta\,\dot\varphi$ is constant. $\sin^2$ grows from 1/4 to 3/4, so $\dot\varphi$ falls from 4 to
            $4/3$ rad/s.
        """,
    ),
    More(
        id="8.51",
        title="The quickest pendulum, on paper",
        section="Three ways to one line",
        level=2,
        question=r"""
            *On paper.* A rigid body of mass $m$ and moment of inertia $I_C$ about its centre of mass swings about a
            hinge at the distance $c$ from the centre of mass. For which $c$ are small swings quickest? Give the formula
            in `m`, `I_C`.
        """,
        reference=formula("sqrt(I_C/m)", positive="I_C m"),
        mistakes=(
            Mistake(formula("I_C/m", positive="I_C m"), "Look at the units: this is the square of a length.",
                    "square"),
            Mistake(formula("sqrt(m/I_C)", positive="I_C m"), "The fraction is upside down: this has the unit 1/m.",
                    "inverse"),
            Mistake(formula("sqrt(I_C/(2*m))", positive="I_C m"),
                    "The derivative of the denominator I_C + m c² is 2 m c, and c 2 m c is twice m c²: one m c² is "
                    "left over.", "factor"),
        ),
        hints=(
            "The square of the frequency is m g c / (I_C + m c²).",
            "It is largest where I_C + m c² - c · 2 m c = 0.",
        ),
        solution=r"""
            $\omega^2 = \dfrac{m g c}{I_C + m c^2}$, whose derivative vanishes where $I_C + m c^2 = 2 m c^2$, that is
            $c = \sqrt{I_C/m}$: the radius of gyration. A uniform rod of length $l$ swings quickest when it hangs
            at $l/\sqrt{12} = 0.289\, l$ off its middle.
        """,
    ),
)
