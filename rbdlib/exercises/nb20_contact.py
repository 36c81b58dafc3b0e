"""The exercises of notebook 20, contact without friction (RBDA 11.1-11.6)."""

from rbdlib.exercises.declare import Exercise, Mistake


def _formula(names, formula):
    """An answer in symbols, from a function of them."""

    def answer():
        from sympy import symbols

        return formula(*symbols(names, positive=True))

    return answer


def _beam(formula):
    return _formula("m g", formula)


def _feet(formula):
    return _formula("m I_C a", formula)


def _corners(formula):
    """A formula in v, k and the cosine of the angle at each of k corners."""

    def of_angle(v, k):
        from sympy import cos, pi

        return formula(v, k, cos, pi)

    return _formula("v k", of_angle)


def _ladder(formula):
    """A formula in the weight, cos theta, sin theta and sin theta_0."""

    def of_angles(m, g, theta, theta_0):
        from sympy import cos, sin

        return formula(m * g, cos(theta), sin(theta), sin(theta_0))

    return _formula("m g theta theta_0", of_angles)


def _slot(formula):
    return _formula("v R r", formula)


def _legs(rng):
    """Forces, and a ray with entries of both signs."""
    n = int(rng.integers(4, 7))
    return rng.uniform(0.5, 10, n), rng.uniform(0.2, 1, n) * [(-1) ** i for i in range(n)]


def _load_range(lam, ray):
    return [max(-x / r for x, r in zip(lam, ray, strict=True) if r > 0),
            min(-x / r for x, r in zip(lam, ray, strict=True) if r < 0)]


def _signs_ignored(lam, ray):
    most = min(x / abs(r) for x, r in zip(lam, ray, strict=True))
    return [-most, most]


def _only_upwards(lam, ray):
    return [0, _load_range(lam, ray)[1]]


def _wrong_ends(lam, ray):
    return [min(-x / r for x, r in zip(lam, ray, strict=True) if r > 0),
            max(-x / r for x, r in zip(lam, ray, strict=True) if r < 0)]


EXERCISES = (
    Exercise(
        id="20.1",
        title="One support is knocked away",
        section="One point",
        reference=_beam(lambda m, g: m * g / 4),
        remark="Half of the weight a moment before, a quarter now. Forces of contact need no time to change.",
        mistakes=(
            Mistake(_beam(lambda m, g: m * g / 2),
                    "That is what it carried before. The beam is not in balance any more: it accelerates, and the "
                    "support need only prevent that its own end does.", "statics"),
            Mistake(_beam(lambda m, g: m * g),
                    "One support would carry the whole weight if it stood under the centre. At the end of the beam "
                    "the beam turns out of the way, and M is larger than 1/m.", "entry"),
            Mistake(_beam(lambda m, g: m * g / 13),
                    "The lever is half of the length, L/2, and M = 1/m + (L/2)²/I_C. You have taken the whole length.",
                    "factor"),
        ),
        hints=(
            "d is the acceleration of the end if nothing holds it: -g. What is M = n · I⁻¹ n for a line that passes "
            "the centre at the distance L/2?",
            "M = 1/m + (L/2)²/I_C = 1/m + 3/m.",
        ),
        solution=r"""
            Without the contact the end would fall with the rest, $d = -g$. With $\hat n$ at the distance $L/2$ from
            the centre $M = \frac1m + \frac{(L/2)^2}{I_C} = \frac1m + \frac{L^2/4}{mL^2/12} = \frac4m$, and
            $\lambda = -d/M = mg/4$.
        """,
    ),
    Exercise(
        id="20.2",
        title="How one foot knows of the other",
        section="Two points, four cases",
        reference=_feet(lambda m, I_C, a: 1 / m - a**2 / I_C),
        remark="It is zero for I_C = m a²: a push at one foot then leaves the other where it is. It is positive for a "
               "bulky body on narrow feet.",
        mistakes=(
            Mistake(_feet(lambda m, I_C, a: 1 / m + a**2 / I_C),
                    "That is M_11. A push at one foot lifts the centre and turns the body, and the two effects have "
                    "opposite signs at the other foot.", "sign"),
            Mistake(_feet(lambda m, I_C, a: -(a**2) / I_C),
                    "This is the part of the rotation. The centre of mass accelerates too, by 1/m.", "entry"),
            Mistake(_feet(lambda m, I_C, a: a**2 / I_C - 1 / m),
                    "The sign is reversed. A push upwards at foot 1 lifts the centre (+) and lowers foot 2 by the "
                    "rotation (-).", "sign"),
        ),
        hints=(
            "M_12 is the upward acceleration of foot 1 that a unit force upwards at foot 2 causes.",
            "The unit force gives the centre 1/m, and the rotation a/I_C. What does this rotation do at the other "
            "foot, at the distance -a?",
        ),
        solution=r"""
            With $n_{1,2} = [\mp a;\ 0, 1]$ in planar coordinates about the centre and
            $I = \mathrm{diag}(I_C, m, m)$ it is $M_{12} = n_1\cdot I^{-1} n_2 = \frac1m - \frac{a^2}{I_C}$.
        """,
    ),
    Exercise(
        id="20.3",
        title="Two contacts by hand",
        section="Two points, four cases",
        reference=(0.1, 0.3, 0, 0),
        names=("λ_1", "λ_2", "zeta_dot_1", "zeta_dot_2"),
        mistakes=(
            Mistake((0, 0.25, -0.3, 0),
                    "Contact 1 would go in: a negative separation acceleration is forbidden. The push at "
                    "contact 2 brings body and surface together at contact 1.", "complementarity"),
            Mistake((0, 0.25, 0.2, 0),
                    "You have taken d_1 for the separation acceleration of contact 1. The push at contact 2 changes "
                    "it by M_12 λ_2.", "entry"),
            Mistake((0.05, 0.25, 0, 0),
                    "Each contact has been solved by itself, with the diagonal of M. They act on one body and "
                    "know of each other.", "entry"),
            Mistake((0, 0, 0.2, -1),
                    "That is d, with both contacts gone. Contact 2 would go in with it: -1 is not permitted.",
                    "complementarity"),
            Mistake((-0.05, 0.25, 0, 0),
                    "That is each contact by itself, -d_i / M_ii, and one of the two pulls.", "sign"),
        ),
        hints=(
            "Try the four cases one by one. For which sides of the cases are there negative numbers?",
            "If 2 holds alone, λ_2 = 1/4 and zeta_dot_1 = 0.2 - 2/4. So both hold.",
            "Solve 4 λ_1 - 2 λ_2 = -0.2 and -2 λ_1 + 4 λ_2 = 1.",
        ),
        solution=r"""
            Neither holds: $\dot\zeta_2 = -1 < 0$, no. Contact 2 alone: $\lambda_2 = 1/4$ and
            $\dot\zeta_1 = 0.2 - 2/4 < 0$, no. Contact 1 alone: $\lambda_1 = -0.05$, no. Both: $M\lambda = -d$ gives
            $\lambda = (0.1, 0.3)$, and both are positive, although $d_1$ is positive as well.
        """,
    ),
    Exercise(
        id="20.4",
        title="How freely four legs share",
        section="Four legs",
        kind="function",
        reference=_load_range,
        inputs=_legs,
        mistakes=(
            Mistake(_signs_ignored,
                    "A leg whose entry in the ray is positive sets a limit only downwards, one with a negative entry "
                    "only upwards. You have let each set both.", "sign"),
            Mistake(_only_upwards,
                    "s may be negative too, as long as no force is.", "sign"),
            Mistake(_wrong_ends,
                    "Every leg must go on pushing, and so the tightest of the limits counts, not the widest.",
                    "swapped"),
        ),
        hints=(
            "lam_i + s ray_i >= 0 must hold for every leg. What does it say about s if ray_i > 0, and if ray_i < 0?",
            "s >= -lam_i / ray_i for ray_i > 0, and s <= -lam_i / ray_i for ray_i < 0.",
        ),
        solution="""
            `limits = -lam / ray` and `return [limits[ray > 0].max(), limits[ray < 0].min()]`: the legs with a positive
            entry limit $s$ from below, the others from above, and the tightest limit counts.
        """,
    ),
    Exercise(
        id="20.5",
        title="A quarter turn with corners",
        section="Why a polygon is not a curve",
        where="k whole",
        reference=_corners(lambda v, k, cos, pi: v * cos(pi / (2 * k)) ** k),
        remark="For many corners it is about v (1 - π²/(8k)).",
        mistakes=(
            Mistake(_corners(lambda v, k, cos, pi: v * cos(pi / (2 * k))),
                    "That is what one corner leaves. There are k of them.", "entry"),
            Mistake(_corners(lambda v, k, cos, pi: v * cos(pi / (2 * k)) ** (2 * k)),
                    "That is what is left of the energy, as a factor. The speed goes with its square root.", "square"),
            Mistake(_corners(lambda v, k, cos, pi: v * (1 - k * (1 - cos(pi / (2 * k))))),
                    "Each corner takes a part of the speed that is there when it comes, not of that at the entry.",
                    "entry"),
            Mistake(_corners(lambda v, k, cos, pi: v * cos(pi / (2 * (k + 1))) ** k),
                    "There are k + 1 straight pieces, but the wall turns only at the k corners between them, by "
                    "π/(2k) at each.", "count"),
        ),
        hints=(
            "By which angle does the direction change at one corner? What does the wall leave of a velocity that comes "
            "in at this angle?",
            "The part along the new wall is left, v cos(π/(2k)).",
        ),
        solution=r"""
            At each corner the wall turns by $\pi/(2k)$. The velocity along the new normal is removed, that along the
            new wall, a part $\cos\frac{\pi}{2k}$ of it, remains. After $k$ corners it is
            $v\cos^k\frac{\pi}{2k}$.
        """,
    ),
    Exercise(
        id="20.6",
        title="The push of the wall, on paper",
        section="The ladder",
        where="theta < theta_0 < 1.57",
        reference=_ladder(lambda G, c, s, s_0: 3 * G * c * (3 * s - 2 * s_0) / 4),
        remark="It is zero for sin θ = (2/3) sin θ_0, at two thirds of the height, whatever the length and weight.",
        mistakes=(
            Mistake(_ladder(lambda G, c, s, s_0: 3 * G * c * s / 4),
                    "You have left out the centripetal part of the acceleration, or taken the ladder to be at rest. "
                    "This is the push only at the start.", "entry"),
            Mistake(_ladder(lambda G, c, s, s_0: G * c / (2 * s)),
                    "That is the force that would keep the ladder at rest. It is not in balance: it slides, and the "
                    "wall's push is its mass times the acceleration of its centre.", "statics"),
            Mistake(_ladder(lambda G, c, s, s_0: 3 * G * c * (s - s_0) / 2),
                    "Only the part with θ-dot² is there. The angular acceleration moves the centre sideways, too.",
                    "entry"),
            Mistake(_ladder(lambda G, c, s, s_0: -3 * G * c * (3 * s - 2 * s_0) / 4),
                    "The sign is reversed: at the start the wall pushes the ladder away from itself.", "sign"),
            Mistake(_ladder(lambda G, c, s, s_0: G * c * (3 * s - 2 * s_0)),
                    "It looks as if you had left out the ladder's own rotation: kinetic energy is that of the centre "
                    "and that of the turning about it, together (1/6) m L² θ-dot².", "factor"),
        ),
        hints=(
            "Energy: (1/2)(m L²/4 + m L²/12) θ-dot² = m g (L/2)(sin θ_0 - sin θ).",
            "θ-dot² = (3g/L)(sin θ_0 - sin θ), and by differentiation θ-ddot = -(3g/(2L)) cos θ.",
            "The wall's push is m x-ddot with x = (L/2) cos θ, x-ddot = -(L/2)(θ-ddot sin θ + θ-dot² cos θ).",
        ),
        solution=r"""
            The centre moves on a circle of radius $L/2$, so the kinetic energy is
            $\frac12(\frac{mL^2}{4} + \frac{mL^2}{12})\dot\theta^2 = \frac16 mL^2\dot\theta^2$, and
            $\dot\theta^2 = \frac{3g}{L}(\sin\theta_0 - \sin\theta)$, $\ddot\theta = -\frac{3g}{2L}\cos\theta$. With
            $x = \frac L2\cos\theta$ the push is
            $m\ddot x = -\frac{mL}{2}(\ddot\theta\sin\theta + \dot\theta^2\cos\theta)
            = \frac34 mg\cos\theta\,(3\sin\theta - 2\sin\theta_0)$.
        """,
    ),
    Exercise(
        id="20.7",
        title="Two ways to take off",
        section="Over the edge",
        kind="word",
        reference="b",
        choices={"a": "geometric, geometric", "b": "dynamic, geometric", "c": "geometric, dynamic",
                 "d": "dynamic, dynamic"},
        mistakes=(
            Mistake("a", "The hill goes on under the first car. It is the force that comes to zero there, as the hill "
                         "falls away faster than the car can fall.", "loss"),
            Mistake("c", "The other way round: ask in which case the push has fallen to zero before the car takes "
                         "off.", "swapped"),
            Mistake("d", "On the ramp the push is the full weight until the wheel has passed the end. No force has "
                         "announced it.", "loss"),
        ),
        hints=(
            "Which of the two could you find by looking at λ alone?",
            "The hill is still there when the first car takes off. The ramp is not, when the second does.",
        ),
        solution=r"""
            On the hill $\lambda$ decreases to zero while the surface goes on: dynamic. At the end of the ramp
            $\lambda$ is the weight until the ramp ends: geometric. So the answer is (b).
        """,
    ),
    Exercise(
        id="20.8",
        title="How much is missing in the slot",
        section="No solution",
        where="r < R",
        reference=_slot(lambda v, R, r: -2 * v**2 / (R - r)),
        remark="Even the slowest disc jams. Only v = 0 leaves d_1 + d_2 = 0, and a solution.",
        mistakes=(
            Mistake(_slot(lambda v, R, r: -2 * v**2 / R),
                    "It is the centre of the disc that moves on a circle of radius R - r if the disc is to follow the "
                    "arc.", "radius"),
            Mistake(_slot(lambda v, R, r: -2 * v**2 / (R + r)),
                    "The disc is inside the arc: when it touches, its centre is R - r from that of the arc.", "radius"),
            Mistake(_slot(lambda v, R, r: -(v**2) / (R - r)),
                    "That is one of the two walls. Both close in.", "factor"),
            Mistake(_slot(lambda v, R, r: 2 * v**2 / (R - r)),
                    "The walls come nearer: the gaps decrease, so that their second derivative is negative.", "sign"),
        ),
        hints=(
            "The gap at the upper wall is R - r minus the distance of D = (x, y) from the centre of the arc, "
            "(0, -(R - r)).",
            "φ_1 = R - r - sqrt(x² + (y + R - r)²). Expand it for small x with y = 0, or differentiate twice with "
            "x = v t.",
        ),
        solution=r"""
            $\varphi_1 = R - r - \sqrt{x^2 + (y + R - r)^2} \approx -y - \frac{x^2}{2(R - r)}$, so that
            $d_1 = \ddot\varphi_1 = -\ddot y - \frac{v^2}{R - r}$. At the lower wall $y$ has the other sign. In the sum
            $\ddot y$ cancels, and $d_1 + d_2 = -\frac{2v^2}{R - r}$.
        """,
    ),
    Exercise(
        id="20.9",
        title="When chalk begins to hop",
        section="Two solutions, with friction",
        reference=4 / 3,
        rtol=2e-3,
        remark="It needs more friction than most pairs of dry materials have; rubber and chalk manage.",
        mistakes=(
            Mistake(5 / 3, "That is μ for θ = 45°. There is a steeper slope at which less friction is enough.",
                    "minimum"),
            Mistake(2.0, "That is the tangent of the slope, tan θ = 2, at which it happens first. The friction is "
                         "(1 + 3 cos² θ)/(3 sin θ cos θ) there.", "entry"),
            Mistake(3 / 4, "That is the inverse of the answer: M = 0 solved for μ has sin θ cos θ in the denominator.",
                    "inverse"),
            Mistake(1.0, "At μ = 1 the rod cannot do this at any slope: (u² + 4)/(3u) with u = tan θ is larger than "
                         "1 for every u.", "minimum"),
        ),
        hints=(
            "M = 0 means μ = (1 + 3 cos² θ)/(3 sin θ cos θ). Where is it least?",
            "With u = tan θ it is μ = (u² + 4)/(3u).",
        ),
        solution=r"""
            $M < 0$ means $\mu > \frac{1 + 3\cos^2\theta}{3\sin\theta\cos\theta} = \frac{u^2 + 4}{3u}$ with
            $u = \tan\theta$. This is least for $u = 2$, that is at 63°, where it is $4/3$.
        """,
    ),
)
