"""The exercises of notebook 22, soft contact (RBDA 11.8)."""

from rbdlib.exercises.declare import Exercise, Mistake


def _in_zeta(formula):
    """An answer in zeta, from a function of it and of SymPy."""

    def answer():
        import sympy

        return formula(sympy.symbols("zeta", positive=True), sympy)

    return answer


def _in_coefficients(formula):
    def answer():
        from sympy import symbols

        return formula(*symbols("mu_s mu_k m g k", positive=True))

    return answer


def _touches(rng):
    """p, pdot, K, D, n of a Hunt-Crossley contact: pushed, pulled, or apart."""
    return rng.choice([-0.02, -0.01, 0.01]), rng.choice([-1.5, 0.5, 4.0]), 1e5, 4e4, rng.choice([1.5, 2.0])


def _force(push):
    """A function of (p, pdot, K, D, n) that is 0 above the floor and max(0, push) below."""

    def hunt_crossley(p, pdot, K, D, n):
        return 0.0 if p > 0 else max(0.0, push(abs(p), pdot, K, D, n))

    return hunt_crossley


def _pulling(p, pdot, K, D, n):
    return 0.0 if p > 0 else K * abs(p) ** n - D * abs(p) ** n * pdot


def _without_floor(p, pdot, K, D, n):
    return max(0.0, K * abs(p) ** n - D * abs(p) ** n * pdot)


def _pushes(rng):
    """f_stick, f_n, mu: inside the cone, far outside, and with one large component."""
    angle = rng.uniform(0, 6.28)
    from numpy import array, cos, sin

    return rng.choice([3.0, 9.0, 30.0]) * array([cos(angle), sin(angle)]), 20.0, 0.5


def _friction(f_stick, f_n, mu):
    from numpy import hypot

    size = hypot(*f_stick)
    return f_stick if size <= mu * f_n else mu * f_n / size * f_stick


def _by_components(f_stick, f_n, mu):
    from numpy import clip

    return clip(f_stick, -mu * f_n, mu * f_n)


def _always_at_the_limit(f_stick, f_n, mu):
    from numpy import hypot

    return mu * f_n / hypot(*f_stick) * f_stick


def _reversed(f_stick, f_n, mu):
    return -_friction(f_stick, f_n, mu)


def _without_limit(f_stick, f_n, mu):
    return f_stick


EXERCISES = (
    Exercise(
        id="22.1",
        title="A patch that follows, and one that cannot",
        section="A patch without mass",
        reference=(14, -0.1, 0, 0.25),
        names=("f_c for ṗ = -0.1", "ż for ṗ = -0.1", "f_c for ṗ = 0.4", "ż for ṗ = 0.4"),
        mistakes=(
            Mistake((14, -0.1, -6, 0.4),
                    "In the second case your floor pulls with 6 N. It cannot: the force is zero, and the patch does "
                    "not keep up with the body.", "clamp"),
            Mistake((14, -0.1, 0, 0.4),
                    "The force is right, but with f_c = 0 the patch moves as spring and damper let it, and not with "
                    "the body that has left it.", "entry"),
            Mistake((6, -0.1, 26, 0.4),
                    "The damper has the wrong sign. It resists: going down it adds to the force, going up it takes "
                    "from it.", "sign"),
            Mistake((14, -0.1, 0, 0),
                    "Without a force from the body the patch is not at rest. Its spring still pushes it back, and the "
                    "damper sets the pace.", "entry"),
        ),
        hints=(
            "What would -K z - D ṗ be? Is it a push or a pull?",
            "The spring gives 10 N. The damper adds 4 N in the first case and takes 16 N away in the second.",
            "Where the result is negative, f_c = 0, and Eq. 11.73 with f_c = 0 gives ż = -K z/D.",
        ),
        solution=r"""
            For $\dot p = -0.1$ m/s: $f_c = 10 + 4 = 14$ N, a push, so that $\dot z = \dot p = -0.1$ m/s. For
            $\dot p = 0.4$ m/s the contact would take $10 - 16 = -6$ N. A floor does not pull: $f_c = 0$, and
            $\dot z = -Kz/D = 10/40 = 0.25$ m/s, slower than the body.
        """,
    ),
    Exercise(
        id="22.2",
        title="Restitution of a damped spring, on paper",
        section="How high does it bounce?",
        where="zeta < 1",
        reference=_in_zeta(lambda zeta, s: s.exp(-2 * zeta * s.acos(zeta) / s.sqrt(1 - zeta**2))),
        remark="With ζ = cos φ it reads exp(-2 φ cot φ). As ζ tends to 1 it tends to exp(-2).",
        mistakes=(
            Mistake(_in_zeta(lambda zeta, s: s.exp(-s.pi * zeta / s.sqrt(1 - zeta**2))),
                    "That is the ratio after half a period, when the depth is zero. The surface lets go when the force "
                    "is zero, and that is earlier.", "event"),
            Mistake(_in_zeta(lambda zeta, s: s.exp(-zeta * s.acos(zeta) / s.sqrt(1 - zeta**2))),
                    "That is the moment of greatest depth, ω_d t = acos ζ, where the velocity is zero. The force is "
                    "zero at twice this angle.", "factor"),
            Mistake(_in_zeta(lambda zeta, s: s.exp(-2 * zeta * s.asin(zeta) / s.sqrt(1 - zeta**2))),
                    "Sine and cosine are interchanged in the angle. Without damping the contact must last for half a "
                    "period, ω_d t = π.", "swapped"),
            Mistake(_in_zeta(lambda zeta, s: s.exp(-2 * zeta * s.acos(zeta))),
                    "The exponent is ζ ω t, and it is ω_d t that equals 2 acos ζ. A factor ω/ω_d is missing.",
                    "factor"),
        ),
        hints=(
            "Let ζ = cos φ, so that ω_d = ω sin φ. Each derivative of e^(-ζωt) sin(ω_d t) multiplies by -ω and turns "
            "the angle back by φ.",
            "So ṗ goes as e^(-ζωt) sin(ω_d t - φ), and p̈ as e^(-ζωt) sin(ω_d t - 2φ).",
            "p̈ = 0 at ω_d t = 2φ, where sin(ω_d t - φ) = sin φ; at the start it is -sin φ.",
        ),
        solution=r"""
            With $\zeta = \cos\varphi$ the derivative of $e^{-\zeta\omega t}\sin(\omega_d t + c)$ is
            $-\omega\,e^{-\zeta\omega t}\sin(\omega_d t + c - \varphi)$. So $\dot p$ goes as
            $\sin(\omega_d t - \varphi)$ and $\ddot p$ as $\sin(\omega_d t - 2\varphi)$. The force vanishes at
            $\omega_d t = 2\varphi$, and there the sine of the velocity is $\sin\varphi$, at the start $-\sin\varphi$.
            The ratio is therefore
            $e = e^{-\zeta\omega t} = \exp\left(-\frac{2\zeta\arccos\zeta}{\sqrt{1 - \zeta^2}}\right)$.
        """,
    ),
    Exercise(
        id="22.3",
        title="A floor that gives back half the speed",
        section="How high does it bounce?",
        reference=0.2553,
        rtol=4e-3,
        mistakes=(
            Mistake(0.2155, "That is the answer of the dashed curve, on which the surface pulls the ball back at the "
                            "end.", "event"),
            Mistake(0.1185, "That leaves half the energy. Half the speed is a quarter of the energy.", "energy"),
            Mistake(0.2984, "That is the e of ζ = ½. It is e that is given, and ζ is wanted.", "swapped"),
        ),
        hints=(
            "In the figure: at which ζ is the solid curve at 0.5?",
            "brentq(lambda ratio: soft.soft_restitution(1, 1, 2 * ratio) - 0.5, 0.1, 0.9).",
        ),
        solution=r"""
            `brentq(lambda ratio: soft.soft_restitution(1, 1, 2 * ratio) - 0.5, 0.1, 0.9)` gives $\zeta = 0.2553$; with
            $m = K = 1$ the damping is $D = 2\zeta$.
        """,
    ),
    Exercise(
        id="22.4",
        title="A damper that fades",
        section="A better collision",
        kind="function",
        reference=_force(lambda depth, pdot, K, D, n: K * depth**n - D * depth**n * pdot),
        inputs=_touches,
        samples=24,
        mistakes=(
            Mistake(_pulling,
                    "For a body that is pulled out fast your floor pulls back. The force must not be negative.",
                    "clamp"),
            Mistake(_without_floor,
                    "Above the floor, p > 0, your function still gives a force. |p| is the depth only below it.",
                    "entry"),
            Mistake(_force(lambda depth, pdot, K, D, n: K * depth**n + D * depth**n * pdot),
                    "The damper has the wrong sign. A body that goes down, pdot < 0, meets more force.", "sign"),
            Mistake(_force(lambda depth, pdot, K, D, n: K * depth**n - D * pdot),
                    "The damper works at full strength at depth zero, and that is the jump we wanted to get rid of. "
                    "Multiply it by |p|^n, too.", "entry"),
            Mistake(_force(lambda depth, pdot, K, D, n: K * depth - D * depth * pdot),
                    "The exponent is missing: both spring and damper go with |p|^n.", "entry"),
        ),
        hints=(
            "Three cases: above the floor, pushed, and pulled out so fast that the bracket is negative.",
            "abs(p) ** n is common to spring and damper, and max(0, ...) keeps the floor from pulling.",
        ),
        solution="""
            `return 0.0 if p > 0 else max(0.0, abs(p)**n * (K - D * pdot))`.
        """,
    ),
    Exercise(
        id="22.5",
        title="A sole on a mat",
        section="A better collision",
        reference=(0.02, 0.06, 7500),
        names=("depth of the sole", "depth of the mat", "K of both"),
        mistakes=(
            Mistake((0.015, 0.015, 40000),
                    "These are springs side by side, with equal depths and a divided force. Here one stands on the "
                    "other: the force is the same in both, and the depths add up.", "series"),
            Mistake((0.06, 0.02, 7500),
                    "The two are exchanged. The softer one is pressed in further, and that is the mat.", "swapped"),
            Mistake((-0.02, -0.06, 7500),
                    "Right as z, which is negative where the surface is pressed in. Positive numbers were asked for.",
                    "sign"),
            Mistake((0.02, 0.06, 40000),
                    "The depths are right. They add up to 80 mm under 600 N, and that is a spring softer than either.",
                    "series"),
        ),
        hints=(
            "Both surfaces carry the whole 600 N.",
            "600/30000 and 600/10000; the stiffness of both is 600 N over the sum of the two.",
        ),
        solution=r"""
            The force is the same in both: $600/30000 = 0.02$ m and $600/10000 = 0.06$ m. Together they give way by
            0.08 m, so that $K = 600/0.08 = 7500$ N/m, which is $1/(1/K_1 + 1/K_2)$.
        """,
    ),
    Exercise(
        id="22.6",
        title="Friction in the plane",
        section="Friction that can hold",
        kind="function",
        reference=_friction,
        inputs=_pushes,
        samples=24,
        quantity="",
        mistakes=(
            Mistake(_by_components,
                    "You have limited each component by itself. That makes a square of the disc: along its diagonal "
                    "friction would be √2 times too strong.", "disc"),
            Mistake(_always_at_the_limit,
                    "Inside the disc f_stick itself is the answer. Friction is only as large as it needs to be.",
                    "entry"),
            Mistake(_reversed,
                    "f_stick is the force of the patch on the body already; friction has its direction, not the "
                    "opposite one.", "sign"),
            Mistake(_without_limit,
                    "Friction can do no more than mu f_n. Nothing in your function limits it.", "clamp"),
        ),
        hints=(
            "Which point of the disc of radius mu f_n is nearest to f_stick, if f_stick is outside?",
            "Keep the direction, shorten the length: mu * f_n / size * f_stick with size = np.linalg.norm(f_stick).",
        ),
        solution="""
            `size = np.linalg.norm(f_stick)` and
            `return f_stick if size <= mu * f_n else mu * f_n / size * f_stick`: the nearest point of a disc lies on
            the ray from its middle.
        """,
    ),
    Exercise(
        id="22.7",
        title="A block at rest on a board",
        section="A slope",
        reference=(-6.7104, 1.6776e-4),
        rtol=2e-3,
        names=("f_t", "x"),
        mistakes=(
            Mistake((-9.2184, 2.3046e-4),
                    "That is the most that friction could do, µ m g cos α. It does what is needed, m g sin α, because "
                    "tan 20° = 0.36 is less than µ.", "limit"),
            Mistake((6.7104, 1.6776e-4),
                    "Friction on the block holds it back: it points uphill, against x.", "sign"),
            Mistake((-6.7104, -1.6776e-4),
                    "The block drags the patch along downhill, in the direction of x. In balance K_t x + f_t = 0.",
                    "sign"),
            Mistake((-6.7104, 0.16776), "The displacement of the patch is wanted in m; this is in mm.", "units"),
        ),
        hints=(
            "Is 20° within the cone for µ = 0.5? Then f_t is what balances the weight along the board.",
            "f_t = -m g sin α. With the patch at rest Eq. 11.77 says K_t x + f_t = 0.",
        ),
        solution=r"""
            $\tan 20° = 0.36 < \mu$: the block holds, and $f_t = -m g\sin\alpha = -6.71$ N, uphill. The patch at rest
            has $\dot x = 0$, hence $x = -f_t/K_t = 1.68\cdot10^{-4}$ m, a sixth of a millimetre downhill.
        """,
    ),
    Exercise(
        id="22.8",
        title="The jump of a stick-slip block, on paper",
        section="Stick and slip",
        where="mu_k < mu_s",
        reference=_in_coefficients(lambda mu_s, mu_k, m, g, k: 2 * (mu_s - mu_k) * m * g / k),
        remark="The sawtooth in the figure is k times as high, 2 (µ_s - µ_k) m g = 7.8 N, and a little more because "
               "there the spring's end does not stand still during the jump.",
        mistakes=(
            Mistake(_in_coefficients(lambda mu_s, mu_k, m, g, k: (mu_s - mu_k) * m * g / k),
                    "That is how far the middle of the swing is, where spring and friction balance. The block is "
                    "fastest there and goes on, as far again.", "factor"),
            Mistake(_in_coefficients(lambda mu_s, mu_k, m, g, k: mu_s * m * g / k),
                    "That would relax the spring completely without any friction on the way. While it slides, µ_k m g "
                    "holds the block back.", "entry"),
            Mistake(_in_coefficients(lambda mu_s, mu_k, m, g, k: 2 * mu_s * m * g / k),
                    "You have left out the friction during the jump, µ_k m g. The swing is about the place where the "
                    "spring pulls with just that.", "entry"),
            Mistake(_in_coefficients(lambda mu_s, mu_k, m, g, k: 2 * (mu_s - mu_k) * m * g),
                    "That is by how much the force of the spring drops. Divide it by k to get a length.", "units"),
        ),
        hints=(
            "The jump begins where the spring pulls with µ_s m g. Where would the block be in balance while it slides?",
            "In balance the spring pulls with µ_k m g. The block swings about this place, with no velocity at either "
            "end.",
        ),
        solution=r"""
            While the block slides, $m\ddot X = F - \mu_k m g$ with the spring's force $F$, which loses $k$ for each
            metre: a swing about the place where $F = \mu_k m g$. It begins at rest with $F = \mu_s m g$,
            $(\mu_s - \mu_k) m g/k$ before that place, and ends at rest as far behind it. The jump is
            $2(\mu_s - \mu_k) m g/k$.
        """,
    ),
    Exercise(
        id="22.9",
        title="The bill for hard ground",
        section="Soft or hard?",
        kind="word",
        reference="b",
        choices={"a": "as many", "b": "about ten times as many", "c": "about a hundred times as many"},
        remark="The highest frequency in the system sets the step, even after its oscillation has died away.",
        mistakes=(
            Mistake("a", "That is true of a single impact, which becomes shorter as it becomes harder. A ball that "
                         "lies on the floor for a second lies there for the same second, whatever K.", "duration"),
            Mistake("c", "The step goes with the period of the oscillation, and the frequency goes with the square "
                         "root of K.", "root"),
        ),
        hints=(
            "How long is a step, compared with the period of a mass on this spring?",
            "The frequency is √(K/m). A hundred times the stiffness makes it ten times as high.",
        ),
        solution=r"""
            The steps follow $1/\sqrt{K/m}$, so that a hundred times the stiffness takes ten times the steps for
            the same second: the answer is (b).
        """,
    ),
)
