"""The exercises of notebook 17, hybrid dynamics (RBDA 9.1, 9.2)."""

from rbdlib.exercises.declare import Exercise, Mistake


def _motor_force(formula):
    """A formula for the force of the trolley's motor, from a function of its symbols."""

    def answer():
        from sympy import cos, sin, symbols

        M, m, l, g = symbols("M m l g", positive=True)
        theta, omega, a = symbols("theta omega a", real=True)
        return formula(M, m, l, g, sin(theta), cos(theta), omega, a)

    return answer


def _of_lengths(formula):
    def answer():
        from sympy import symbols

        return formula(*symbols("l1 l2", positive=True))

    return answer


def _motion(t):
    """Some motion that stands at 1 for t < 0 and starts with a jump: its position, velocity and acceleration."""
    if t < 0:
        return 1.0, 0.0, 0.0
    return 1 + 0.7 * t**2 + 0.5 * t**3, 1.4 * t + 1.5 * t**2, 1.4 + 3 * t


def _motion_inputs(rng):
    """A delay, and a time as likely before it as after it."""
    delay = rng.uniform(0.4, 0.9)
    return _motion, delay, delay * rng.uniform(0.1, 1.9)


def _combined(now, ago):
    def shaped_at(motion, delay, t):
        import numpy as np

        return now * np.array(motion(t)) + ago * np.array(motion(t - delay))

    return shaped_at


def _from_nowhere(motion, delay, t):
    import numpy as np

    return np.array(motion(t)) / 2 + (np.array(motion(t - delay)) / 2 if t >= delay else 0)


def _from_the_start(motion, delay, t):
    import numpy as np

    return (np.array(motion(t)) + np.array(motion(max(t - delay, 0)))) / 2


def _forestalled(motion, delay, t):
    import numpy as np

    return (np.array(motion(t)) + np.array(motion(t + delay))) / 2


def _matrix_inputs(rng):
    import numpy as np

    A = rng.normal(size=(5, 5))
    two = sorted(rng.choice(5, 2, replace=False).tolist())
    one = [k for k in range(5) if k not in two]
    return A @ A.T + 5 * np.eye(5), rng.normal(size=5), one, two, rng.normal(size=3), rng.normal(size=2)


def _blocks(coupling=1, sign=1, own=1, bias=1):
    """The two rows of RBDA 9.2, with factors by which single terms can be left out or reversed."""

    def by_blocks(H, C, one, two, tau_1, qdd_2):
        import numpy as np

        H_11, H_12, H_21, H_22 = H[np.ix_(one, one)], H[np.ix_(one, two)], H[np.ix_(two, one)], H[np.ix_(two, two)]
        qdd_1 = np.linalg.solve(H_11, tau_1 - bias * C[one] - coupling * H_12 @ qdd_2)
        tau_2 = H_21 @ qdd_1 + own * H_22 @ qdd_2 + C[two]
        return np.concatenate([qdd_1, sign * tau_2])

    return by_blocks


EXERCISES = (
    Exercise(
        id="17.1",
        title="The force of the motor, on paper",
        section="One of each",
        reference=_motor_force(
            lambda M, m, l, g, s, c, w, a: (M + m * s**2) * a - m * g * s * c - m * l * w**2 * s),
        remark="With the rope hanging straight only M a is left: the motor does not feel the load. At 90° it would "
               "feel all of M + m.",
        mistakes=(
            Mistake(_motor_force(lambda M, m, l, g, s, c, w, a: (M + m) * a - m * l * w**2 * s),
                    "The angular acceleration of the rope is missing from the lower row: H has an element off the "
                    "diagonal, and the load's own acceleration pulls at the trolley through it.", "entry"),
            Mistake(_motor_force(lambda M, m, l, g, s, c, w, a: (M + m * s**2) * a + m * g * s * c + m * l * w**2 * s),
                    "The bracket is right, the other two signs are not. A load that hangs ahead of the trolley pulls "
                    "it along, so the motor has less to do.", "sign"),
            Mistake(_motor_force(lambda M, m, l, g, s, c, w, a: (M + m * s**2) * a - m * g * s * c),
                    "The term with omega² is missing. A swinging load pulls at the rope with its centrifugal force, "
                    "and C has it in the trolley's row.", "entry"),
            Mistake(_motor_force(
                lambda M, m, l, g, s, c, w, a: (M + m * c**2) * a - m * g * s * c - m * l * w**2 * s),
                    "1 - cos² is sin². With your bracket the motor would feel the whole load when the rope hangs "
                    "straight, where it feels none of it.", "factor"),
        ),
        hints=(
            "The lower row: the force is H₂₂ a + H₂₁ θ̈ + C₂, with the elements of H and C that stand above, and 2 for "
            "the trolley.",
            "The trolley's diagonal element is M + m, the mixed one m l cos θ, and the trolley's bias is "
            "-m l ω² sin θ.",
            "Put θ̈ = -(a cos θ + g sin θ)/l in, and use 1 - cos² θ = sin² θ.",
        ),
        solution=r"""
            The row of the trolley says $\tau = (M + m)\,a + m l \cos\theta\,\ddot\theta - m l \omega^2 \sin\theta$.
            With $\ddot\theta = -(a\cos\theta + g\sin\theta)/l$ this is
            $\tau = (M + m - m\cos^2\theta)\,a - m g \sin\theta\cos\theta - m l \omega^2\sin\theta
            = (M + m\sin^2\theta)\,a - m g \sin\theta\cos\theta - m l \omega^2\sin\theta$.
        """,
    ),
    Exercise(
        id="17.2",
        title="A rope that leans",
        section="One of each",
        reference=lambda: -__import__("math").atan(3 / 9.81),
        names=("angle",),
        remark="To somebody who rides on the trolley gravity seems to be tilted, and the rope is a plumb line.",
        mistakes=(
            Mistake(lambda: __import__("math").atan(3 / 9.81),
                    "The size is right. The load stays behind the trolley, and behind is at negative angles when the "
                    "trolley accelerates towards +x.", "sign"),
            Mistake(lambda: -__import__("math").degrees(__import__("math").atan(3 / 9.81)),
                    "That is the angle in degrees; wanted are radians.", "degrees"),
            Mistake(lambda: -__import__("math").atan(9.81 / 3),
                    "You have turned the ratio round: with no acceleration the rope would be horizontal.", "inverse"),
            Mistake(lambda: -2 * __import__("math").atan(3 / 9.81),
                    "That is how far the load swings if it starts from hanging straight. It can stay in the middle of "
                    "this swing.", "factor"),
        ),
        hints=(
            "Where is the angular acceleration of the rope zero?",
            "a cos θ + g sin θ = 0.",
        ),
        solution=r"""
            The rope can stay where $\ddot\theta = 0$, that is, where $a\cos\theta + g\sin\theta = 0$:
            $\theta = -\arctan(a/g) = -\arctan(3/9.81) = -0.297$ rad, about 17° behind the trolley.
        """,
    ),
    Exercise(
        id="17.3",
        title="In time with the load",
        section="The crane arrives",
        reference=lambda: 4 * __import__("math").pi * (2.5 / 9.81) ** 0.5,
        names=("time",),
        rtol=2e-3,
        mistakes=(
            Mistake(lambda: 2 * __import__("math").pi * (2.5 / 9.81) ** 0.5,
                    "After one period of the load the sine squared is 1: this is the worst duration in the whole "
                    "neighbourhood. The load must get through a whole period in each of the two halves.", "factor"),
            Mistake(lambda: 4 * __import__("math").pi * (5 / 9.81) ** 0.5,
                    "That is the time for the crane with 5 m of rope. This one has 2.5 m.", "entry"),
            Mistake(lambda: 2 * (2.5 / 9.81) ** 0.5,
                    "2π is missing: the square root of l/g is the inverse of the angular frequency, not the period.",
                    "factor"),
        ),
        hints=(
            "For which T is the sine of πT/(2T₀) zero?",
            "The smallest is T = 2T₀. What is the period of a pendulum of 2.5 m?",
        ),
        solution=r"""
            $\sin\frac{\pi T}{2T_0} = 0$ first at $T = 2T_0$. The period is
            $T_0 = 2\pi\sqrt{2.5/9.81} = 3.172$ s, and so $T = 6.344$ s. In each half of the journey the load then
            swings exactly once to and fro about its leaning equilibrium, and stands still at the end of it.
        """,
    ),
    Exercise(
        id="17.4",
        title="Half now, half later",
        section="The crane arrives",
        kind="function",
        reference=_combined(0.5, 0.5),
        inputs=_motion_inputs,
        samples=8,
        mistakes=(
            Mistake(_combined(1, 1),
                    "Both commands come in full. The trolley would go twice as far.", "factor"),
            Mistake(_forestalled,
                    "Your second half comes before the first. What happens now with a delay is what the motion "
                    "wanted at t - delay.", "sign"),
            Mistake(_combined(0.5, -0.5),
                    "You have subtracted the halves. It is the load's oscillation that comes back with the opposite "
                    "sign, after half a period; the trolley has to go the same way twice.", "sign"),
            Mistake(_combined(1, 0),
                    "This is the motion as it was. Half of it has to come later.", "entry"),
            Mistake(_combined(0, 1),
                    "This only starts everything later. Half of the command has to come at once.", "entry"),
            Mistake(_from_nowhere,
                    "Before the second half begins you count it as zero. It stands where the motion begins, and that "
                    "need not be at zero: ask the motion itself, it knows what it does at t < 0.", "entry"),
            Mistake(_from_the_start,
                    "Before the second half begins you take what the motion says at its start, the acceleration "
                    "included. But until then it stands: ask it at t - delay, negative or not.", "entry"),
        ),
        hints=(
            "The mean of what the motion says now and of what it said a delay ago, for all three alike.",
            "np.array(motion(t)) makes an array of the three numbers; halves can be added then.",
        ),
        solution="""
            `return (np.array(motion(t)) + np.array(motion(t - delay))) / 2`. Differentiation is linear, so that the
            mean of the velocities is the velocity of the mean.
        """,
    ),
    Exercise(
        id="17.5",
        title="Two rows",
        section="First recipe: the inertia matrix",
        kind="function",
        reference=_blocks(),
        inputs=_matrix_inputs,
        mistakes=(
            Mistake(_blocks(coupling=0),
                    "The first row does not know yet that the prescribed joints accelerate: H₁₂ q̈₂ is missing.",
                    "entry"),
            Mistake(_blocks(own=0),
                    "The free accelerations are right. In the forces the prescribed accelerations themselves are "
                    "missing: H₂₂ q̈₂.", "entry"),
            Mistake(_blocks(own=2),
                    "H₂₂ q̈₂ is in twice. This is the trap of step 4: C' contains it already.", "factor"),
            Mistake(_blocks(sign=-1),
                    "The free accelerations are right, and the forces have the wrong sign. Mind the -1 in the lower "
                    "right block.", "sign"),
            Mistake(_blocks(bias=0),
                    "C₁ is missing from the first row: gravity and the velocities act on the free joints too.",
                    "entry"),
        ),
        hints=(
            "H[np.ix_(one, two)] is the block H₁₂.",
            "First qdd_1 from H₁₁ qdd_1 = tau_1 - C_1 - H₁₂ qdd_2, with np.linalg.solve.",
            "Then tau_2 = H₂₁ qdd_1 + H₂₂ qdd_2 + C_2.",
        ),
        solution="""
            With `H_11 = H[np.ix_(one, one)]` and so on:
            `qdd_1 = np.linalg.solve(H_11, tau_1 - C[one] - H_12 @ qdd_2)`,
            `tau_2 = H_21 @ qdd_1 + H_22 @ qdd_2 + C[two]`, and `return np.concatenate([qdd_1, tau_2])`.
        """,
    ),
    Exercise(
        id="17.6",
        title="Merging bodies",
        section="First recipe: the inertia matrix",
        reference=(0, 1, 2, 1, 1),
        quantity="whole numbers",
        mistakes=(
            Mistake((0, 1, 2, 3, 3),
                    "Those are the old numbers of the parents, with the prescribed joints left out. Body 3 no longer "
                    "exists: it is part of body 1, and the bodies have new numbers.", "entry"),
            Mistake((0, 1, 2, 0, 0),
                    "You have merged body 3 with the base. Its joint connects it with body 1, so it becomes a part of "
                    "that.", "entry"),
            Mistake((0, 1, 2, 2, 2),
                    "You have merged body 3 with body 2. Its joint connects it with body 1, so what hung on it hangs "
                    "on body 1 now.", "entry"),
            Mistake((0, 1, 1, 1, 1),
                    "Body 4 does not hang on body 1 but on body 2, which is still there.", "entry"),
        ),
        hints=(
            "Joint 3 merges body 3 into body 1, joint 5 merges body 5 into body 2. Number the remaining bodies 1, 2, "
            "4, 6, 7 anew.",
            "map = (0, 1, 2, 1, 3, 2, 4, 5). Now take the parents of 1, 2, 4, 6, 7 through map.",
        ),
        solution=r"""
            Bodies 1, 2, 4, 6, 7 remain and are numbered 1 to 5; 3 has become part of 1, and 5 of 2, so that
            $map = (0, 1, 2, 1, 3, 2, 4, 5)$. The old parents of the remaining bodies are 0, 1, 2, 3, 3, and through
            the map $\lambda' = (0, 1, 2, 1, 1)$.
        """,
    ),
    Exercise(
        id="17.7",
        title="What the legs pay",
        section="A swing",
        reference=lambda: 15 * 9 * ((2.5 / 2.2) ** 2 - 1) + 30 * 9.81 * 0.3,
        names=("work",),
        rtol=2e-3,
        mistakes=(
            Mistake(lambda: 30 * 9.81 * 0.3,
                    "That is only the lifting. The rider is faster afterwards: the angular momentum about the pivot "
                    "stays, and the lever has become shorter.", "entry"),
            Mistake(lambda: 15 * 9 * ((2.5 / 2.2) ** 2 - 1),
                    "That is only what the swing gains in speed. The rider has been lifted by 0.3 m as well.", "entry"),
            Mistake(lambda: 15 * 9 * ((2.2 / 2.5) ** 2 - 1) + 30 * 9.81 * 0.3,
                    "You let the rider become slower. m r² θ̇ is conserved, that is r times the speed: a smaller r "
                    "means a larger speed.", "inverse"),
            Mistake(lambda: 15 * 9 * (2.5 / 2.2 - 1) + 30 * 9.81 * 0.3,
                    "The speed grows by 2.5/2.2, the kinetic energy by the square of that.", "factor"),
        ),
        hints=(
            "m r v is conserved while the rider rises. What is the speed afterwards?",
            "The work is the gain in kinetic energy and in height: 0.3 m.",
        ),
        solution=r"""
            $m r v$ is conserved, so that the speed becomes $3 \cdot 2.5/2.2 = 3.409$ m/s and the kinetic energy grows
            from 135 J to 174.3 J. Lifting 30 kg by 0.3 m takes 88.3 J. Together this is 127.6 J.
        """,
    ),
    Exercise(
        id="17.8",
        title="The factor of half a swing, on paper",
        section="A swing",
        where="l2 < l1",
        reference=_of_lengths(lambda l1, l2: (l1 / l2) ** 1.5),
        remark="For 2.5 m and 2.2 m this is 1.21: ten half swings multiply the amplitude by nearly seven.",
        mistakes=(
            Mistake(_of_lengths(lambda l1, l2: (l1 / l2) ** 2),
                    "That is the factor of the angular velocity at the lowest point. The amplitude is this velocity "
                    "divided by the frequency, and the standing rider's frequency is higher.", "factor"),
            Mistake(_of_lengths(lambda l1, l2: (l2 / l1) ** 1.5),
                    "Turned round: with your order the swing decays. It would be right for somebody who crouches at "
                    "the lowest point and rises at the turning points.", "inverse"),
            Mistake(_of_lengths(lambda l1, l2: (l2 / l1) ** 0.5),
                    "You have kept the angular velocity while the rider rises. What is conserved is the angular "
                    "momentum, and the lever enters it twice.", "entry"),
            Mistake(_of_lengths(lambda l1, l2: (l1 / l2) ** 0.5),
                    "You have kept the speed while the rider rises. It grows, because the legs do work; what is "
                    "conserved is the angular momentum.", "entry"),
            Mistake(_of_lengths(lambda l1, l2: (l1 / l2) ** 3),
                    "That is a whole swing, with two rises, or else the energy of half a one. Asked is the amplitude "
                    "from one turning point to the next.", "factor"),
            Mistake(_of_lengths(lambda l1, l2: (l1 / l2) ** 2.5),
                    "You have multiplied by the square root of l1/l2 instead of dividing by it. The shorter pendulum "
                    "is quicker, and goes less far for the same angular velocity.", "inverse"),
        ),
        hints=(
            "The way down has the length l1, the way up l2. For a pendulum of length l the angular velocity at the "
            "lowest point is the amplitude times √(g/l).",
            "In between l² θ̇ is conserved: θ̇ grows by (l1/l2)².",
            "The amplitude afterwards is this θ̇ divided by √(g/l2).",
        ),
        solution=r"""
            On the way down, with the length $l_1$, the amplitude $\theta_1$ makes
            $\dot\theta_1 = \theta_1\sqrt{g/l_1}$ at the lowest point. Rising conserves $m r^2\dot\theta$, so
            $\dot\theta_2 = \dot\theta_1 (l_1/l_2)^2$. On the way up $\theta_2 = \dot\theta_2 / \sqrt{g/l_2}$, so that
            $\theta_2/\theta_1 = (l_1/l_2)^2\sqrt{l_2/l_1} = (l_1/l_2)^{3/2}$. Crouching at the turning point, where
            nothing turns, changes no angle.
        """,
    ),
)
