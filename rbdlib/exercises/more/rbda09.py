"""Additional exercises on RBDA chapter 9: prescribed motion, floating bases, gears and what torques can tell."""

from rbdlib.exercises.more.declare import Mistake, More, formula

EXERCISES = (
    More(
        id="17.51",
        title="A pendulum in an unquiet hand, on paper",
        section="One of each",
        level=2,
        question=r"""
            *On paper.* A point mass hangs on a massless rod of length $l$ from a hand. $q$ is the angle from hanging
            down, positive towards $+x$; *y* points upwards. The hand's acceleration $(a_x, a_y)$ is prescribed, and the
            hinge has no torque. What is $\ddot q$ equal to? Give a formula in `l`, `g`, `q`, `a_x`, `a_y`.
        """,
        reference=formula("-((g + a_y)*sin(q) + a_x*cos(q))/l", positive="l g"),
        mistakes=(
            Mistake(formula("-((g + a_y)*sin(q) - a_x*cos(q))/l", positive="l g"),
                    "Gravity is right. When the hand starts towards +x, the mass stays behind, and q becomes "
                    "negative.", "sign"),
            Mistake(formula("-((g - a_y)*sin(q) + a_x*cos(q))/l", positive="l g"),
                    "In a lift that starts upwards everything becomes heavier.", "gravity"),
            Mistake(formula("-(g*sin(q) + a_x*cos(q))/l", positive="l g"),
                    "You have left out the vertical acceleration. It works like additional gravity.", "entry"),
        ),
        hints=(
            "In the hand's frame the free fall is (-a_x, -g - a_y).",
            "Its component across the rod, in the direction of growing q, (cos q, sin q), divided by l.",
        ),
        solution=r"""
            In the frame of the hand everything falls with $(-a_x, -g - a_y)$. The direction of growing $q$ is $(\cos q,
            \sin q)$, so $l \ddot q = -a_x \cos q - (g + a_y)\sin q$. The hinge's own equation was all that was needed;
            the hand's force would follow from the other ones, which is what hybrid dynamics does.
        """,
    ),
    More(
        id="18.51",
        title="Two discs in space",
        section="What gives way",
        level=1,
        question=r"""
            Two discs in space are joined by a motor along their common axis. Their moments of inertia are 2 kg m² and
            6 kg m². Which moment of inertia (kg m²) does the motor feel for their **relative** angle?
        """,
        reference=1.5,
        mistakes=(
            Mistake(8.0, "Both discs together would turn like that if an outside torque turned them. The motor pushes "
                         "one against the other.", "misconception"),
            Mistake(2.0, "The other disc is not held: it gives way, and the motor has it easier.", "entry"),
            Mistake(6.0, "The first disc is not held: it gives way, and the motor has it easier.", "entry"),
        ),
        hints=("Momentum stays zero: 2 ω1 + 6 ω2 = 0.", "H - Fᵀ I⁻¹ F with H = F = 6 and I = 8."),
        solution=r"""
            With the first disc as floating base $I^c_0 = 8$, $F = 6$ and $H = 6$ kg m², so $H - F^{\mathrm T}
            (I^c_0)^{-1} F = 6 - 36/8 = 1.5$ kg m². It is $\tfrac{2 \cdot 6}{2 + 6}$, as for the reduced mass of two
            stars.
        """,
    ),
    More(
        id="19.51",
        title="A small rotor behind a large ratio",
        section="Which ratio is quickest?",
        level=1,
        names=("the moment of inertia at the joint", "the acceleration of the joint"),
        question=r"""
            A motor whose rotor has $10^{-4}$ kg m² drives a link of 0.5 kg m² through a gear of 100 : 1. Which moment
            of inertia does the joint have together, and how does it accelerate (rad/s²) when the motor gives 0.3 N m?
            There is no gravity and no friction.
        """,
        reference=(1.5, 20),
        mistakes=(
            Mistake((0.51, 0.3 * 100 / 0.51),
                    "The rotor turns 100 times as fast, and its energy is 100² times as large: the ratio enters "
                    "squared.", "square"),
            Mistake((0.5, 60), "The rotor seems to be nothing against the link. Multiply it by the ratio squared.",
                    "entry"),
            Mistake((1.5, 0.2),
                    "The moment of inertia is right. The gear makes the motor's torque 100 times as large at the "
                    "joint.", "factor"),
        ),
        hints=("Kinetic energy of the rotor: ½ J (100 q̇)².", "0.5 + 10⁻⁴·100², and the torque 0.3·100."),
        solution=r"""
            The rotor contributes $100^2 \cdot 10^{-4} = 1$ kg m², twice as much as the link: together 1.5 kg m². At the
            joint the torque is $0.3 \cdot 100 = 30$ N m, and $30/1.5 = 20$ rad/s².
        """,
    ),
    More(
        id="19.52",
        title="What the first torque betrays",
        section="What a robot's motion tells",
        level=2,
        quantity="whole numbers",
        names=("the number for a vertical axis", "the number for a horizontal axis"),
        question=r"""
            One link turns on a hinge that is fixed to the ground. Its inertia has ten parameters. How many independent
            combinations of them can be found from motion and torque, if the axis is vertical, and how many if it is
            horizontal?
        """,
        reference=(1, 3),
        mistakes=(
            Mistake((10, 10),
                    "The link only ever turns about one axis. Most of the ten have no influence on the torque.",
                    "misconception"),
            Mistake((1, 2),
                    "The first number is right. Gravity's torque has a sine and a cosine part, m c_x and m c_y; the"
                    " moment of inertia comes on top.", "entry"),
            Mistake((3, 3), "The second number is right. About a vertical axis the weight has no moment.", "gravity"),
        ),
        hints=("Write down the torque of a pendulum whose centre of mass is anywhere.",
               "τ = I_zz q̈ + g(m c_x cos q - m c_y sin q)"),
        solution=r"""
            About a vertical axis $\tau = I_{zz}\,\ddot q$: one number. About a horizontal axis
            $\tau = I_{zz}\,\ddot q + g\,(m c_x \cos q - m c_y \sin q)$: three. The other seven only load the bearing.
        """,
    ),
)
