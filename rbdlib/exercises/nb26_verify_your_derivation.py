"""The exercises of notebook 26: whether a derivation is right, how sure that is, and what is wrong with it (MBT 13)."""

import numpy as np

from rbdlib.exercises.declare import Exercise, Mistake


def _rods(formula):
    """An answer to exercise 26.2, from a function of m1, m2, l1, l2, the two speeds and cos q2."""

    def answer():
        import sympy

        m1, m2, l1, l2, q2, qd1, qd2 = sympy.symbols("m1 m2 l1 l2 q2 qd1 qd2")
        return formula(m1, m2, l1, l2, qd1, qd2, sympy.cos(q2))

    return answer


def _cart(formula):
    """An answer to exercise 26.7, from a function of the masses, l, g, the two speeds and cos theta."""

    def answer():
        import sympy

        m_cart, m_pole, l, g, q2, qd1, qd2 = sympy.symbols("m_cart m_pole l g q2 qd1 qd2")
        return formula(m_cart, m_pole, l, g, qd1, qd2, sympy.cos(q2))

    return answer


def _two_arrays(rng):
    right = rng.uniform(-3, 3, 6)
    return right + rng.normal(0, 0.2, 6), right


EXERCISES = (
    Exercise(
        id="26.1",
        title="What an energy balance can see",
        section="What a simulation would have shown",
        kind="word",
        reference="c",
        choices={"a": "the wrong mass in T", "b": "sine for cosine in V", "c": "a wrong sign in the equation of motion",
                 "d": "another length in T and V"},
        remark="The energies belong to the right system then, and the equations do not follow from them any more.",
        mistakes=(
            Mistake("a", "With another mass in T this is another system. Its equations, derived correctly, conserve "
                         "its own energy."),
            Mistake("b", "A V with sine for cosine belongs to a system whose gravity points sideways. It conserves its "
                         "own energy."),
            Mistake("d", "Then both energies are those of a pendulum with another length, and it conserves their sum."),
        ),
        hints=(
            "In which of the four cases are the equations still the ones that follow from this T and this V?",
            "The balance is kept wherever the way from T and V to the equations is right.",
        ),
        solution="""
            In (a), (b) and (d) the mistake is in T or V, and what is derived from them correctly conserves them. Only
            in (c) the equations do not follow from the energies, so the answer is c.
        """,
    ),
    Exercise(
        id="26.2",
        title="Two rods, on paper",
        section="What a simulation would have shown",
        model="arm_2r",
        asks="T",
        reference=_rods(lambda m1, m2, l1, l2, a, b, c: m1 * l1**2 * a**2 / 6 + m2 / 2 * (
            l1**2 * a**2 + l2**2 * (a + b) ** 2 / 3 + l1 * l2 * a * (a + b) * c)),
        remark="For the second rod: half the mass times the squared velocity of its middle, plus its turning there.",
        mistakes=(
            Mistake(_rods(lambda m1, m2, l1, l2, a, b, c: m1 * l1**2 * a**2 / 6 + m2 / 2 * (
                l1**2 * a**2 + l2**2 * b**2 / 3 + l1 * l2 * a * b * c)),
                "The second rod turns with qd2 in your formula. Seen from the ground it turns with qd1 + qd2.",
                "frame"),
            Mistake(_rods(lambda m1, m2, l1, l2, a, b, c: m1 * l1**2 * a**2 / 8 + m2 / 2 * (
                l1**2 * a**2 + l2**2 * (a + b) ** 2 / 4 + l1 * l2 * a * (a + b) * c)),
                "This is the energy of the two centres of mass. The rods also turn about them, with m l^2/12 each.",
                "entry"),
            Mistake(_rods(lambda m1, m2, l1, l2, a, b, c: m1 * l1**2 * a**2 / 2 + m2 / 2 * (
                l1**2 * a**2 + l2**2 * (a + b) ** 2 + 2 * l1 * l2 * a * (a + b) * c)),
                "These are point masses at the ends of the rods. The masses are spread over the lengths here.",
                "entry"),
        ),
        hints=(
            "Each rod: half its mass times the squared velocity of its middle, plus half of m l^2/12 times the square "
            "of the rate at which it turns.",
            "The middle of the second rod moves with l1 qd1 and l2/2 (qd1 + qd2), and q2 is the angle between the two. "
            "The first rod turns about its end, so that m1 l1^2/3 is its inertia.",
        ),
        solution=r"""
            The first rod turns about its end: $\tfrac12 \cdot \tfrac13 m_1 l_1^2 \dot q_1^2$. The middle of the second
            one has the squared velocity $l_1^2 \dot q_1^2 + \tfrac14 l_2^2 (\dot q_1 + \dot q_2)^2 + l_1 l_2 \dot q_1
            (\dot q_1 + \dot q_2) \cos q_2$, and it turns about it with $\dot q_1 + \dot q_2$ and the inertia
            $m_2 l_2^2/12$. Together $T = \tfrac16 m_1 l_1^2 \dot q_1^2 + \tfrac12 m_2 \big( l_1^2 \dot q_1^2 + \tfrac13
            l_2^2 (\dot q_1 + \dot q_2)^2 + l_1 l_2 \dot q_1 (\dot q_1 + \dot q_2) \cos q_2 \big)$.
        """,
    ),
    Exercise(
        id="26.3",
        title="How many states",
        section="How the decision is made",
        quantity="whole numbers",
        reference=5,
        names=("states",),
        remark="(12/1000)^5 is 2.5e-10. With 2^50 values, three states are plenty.",
        mistakes=(
            Mistake(4, "(12/1000)^4 is 2.1e-8, which is not yet below 1e-9.", "entry"),
            Mistake(3, "(12/1000)^3 is 1.7e-6. Three states are enough with 2^50 values, not with a thousand.",
                    "entry"),
            Mistake(1, "One state lets a wrong formula pass with a probability of up to 12/1000.", "entry"),
        ),
        hints=(
            "For one state the probability is at most D/N. What is it for n independent ones?",
            "The smallest n with (12/1000)^n < 1e-9 is wanted.",
        ),
        solution="""
            One state lets a wrong formula pass with a probability of at most 12/1000, n independent ones with at most
            (12/1000)^n. For n = 4 that is 2.1e-8, and for n = 5 it is 2.5e-10: 5 states.
        """,
    ),
    Exercise(
        id="26.4",
        title="The size of a difference",
        section="How the decision is made",
        kind="function",
        reference=lambda yours, right: np.abs(yours - right).max() / np.abs(right).max(),
        inputs=_two_arrays,
        remark="Divided by the largest value, so that a right value near zero does not make a small error look large.",
        mistakes=(
            Mistake(lambda yours, right: np.abs((yours - right) / right).max(),
                    "Here each difference is divided by its own value, and where that is near zero the quotient is "
                    "large. Divide by the largest value instead."),
            Mistake(lambda yours, right: (yours - right).max() / right.max(),
                    "A large negative difference is overlooked. Take absolute values, below and above."),
            Mistake(lambda yours, right: np.abs(yours - right).max(),
                    "This is the largest difference itself. For forces of a thousand newtons and for one of a "
                    "millinewton it means different things: divide it by the largest of the right values."),
            Mistake(lambda yours, right: np.abs(yours - right).max() / np.abs(yours).max(),
                    "You have divided by the largest of your values. Measure by the right ones."),
        ),
        hints=(
            "np.abs(x).max() is the largest value without regard to sign.",
            "Two of these, divided: that of yours - right, and that of right.",
        ),
        solution="The function returns `np.abs(yours - right).max() / np.abs(right).max()`, and nothing else.",
    ),
    Exercise(
        id="26.5",
        title="A term forgotten",
        section="How a reason is found",
        reference=4,
        remark="m l^2/12 about the middle, m l^2/3 about the end.",
        mistakes=(
            Mistake(0.25, "That leads from the right H to theirs. Asked is the way back.", "entry"),
            Mistake(3, "The missing term m l^2/4 is three times what they have. It is to be added to that.", "entry"),
            Mistake(12, "12 is the number in m l^2/12, the inertia about the middle. By what does m l^2/3 differ from "
                        "it?", "entry"),
        ),
        hints=(
            "What is the inertia of a slender rod about its middle, and what about its end?",
            "m l^2/12 and m l^2/12 + m (l/2)^2.",
        ),
        solution=r"""
            Without the parallel-axis term $m (l/2)^2$ what remains is $m l^2/12$. Right is $m l^2/12 + m l^2/4 =
            m l^2/3$, which is 4 times as much.
        """,
    ),
    Exercise(
        id="26.6",
        title="The first wrong line",
        section="Line by line",
        quantity="whole numbers",
        reference=3,
        names=("line",),
        remark="The pole is a rod and also turns about its middle. Lines 4 and 5 follow from line 3 and inherit this.",
        mistakes=(
            Mistake(1, "Line 1 is right: a positive angle moves the pole towards -x, so its middle is at x - l/2 sin.",
                    "entry"),
            Mistake(2, "Line 2 is right: the squares of sine and cosine add up to l^2/4 times the squared rate.",
                    "entry"),
            Mistake(4, "Line 4 is what follows from line 3. It is wrong, but the mistake is not made here.", "entry"),
            Mistake(5, "Line 5 is what follows from line 4. It is wrong, but the mistake is not made here.", "entry"),
        ),
        hints=(
            "Is all of the pole's kinetic energy in that of a mass at its middle?",
            "A rod also turns about its middle, with the inertia m l^2/12. In which line should that appear first?",
        ),
        solution=r"""
            Lines 1 and 2 are geometry, and true. The kinetic energy of the rod also contains
            $\tfrac12 \cdot \tfrac1{12} m_p l^2 \dot\theta^2$, so that the last term of $T$ is
            $\tfrac16 m_p l^2\dot\theta^2$. It is missing in line 3.
        """,
    ),
    Exercise(
        id="26.7",
        title="A pendulum on a cart, on paper",
        section="Your own derivation",
        model="cart_pole",
        asks="L",
        given="m_c = m_cart; m_p = m_pole",
        reference=_cart(lambda M, m, l, g, a, b, c: (M + m) * a**2 / 2 - m * l * a * b * c / 2 + m * l**2 * b**2 / 6
                        - m * g * l * c / 2),
        remark="The pole stands up at theta = 0, so that its potential energy is largest there.",
        mistakes=(
            Mistake(_cart(lambda M, m, l, g, a, b, c: (M + m) * a**2 / 2 - m * l * a * b * c / 2 + m * l**2 * b**2 / 6
                          + m * g * l * c / 2),
                    "The sign of the potential energy is wrong: L = T - V, and V is largest where the pole stands up.",
                    "sign"),
            Mistake(_cart(lambda M, m, l, g, a, b, c: (M + m) * a**2 / 2 - m * l * a * b * c / 2 + m * l**2 * b**2 / 8
                          - m * g * l * c / 2),
                    "The rod's turning about its own middle is missing: this is line 3 of exercise 26.6.", "entry"),
            Mistake(_cart(lambda M, m, l, g, a, b, c: (M + m) * a**2 / 2 + m * l * a * b * c / 2 + m * l**2 * b**2 / 6
                          - m * g * l * c / 2),
                    "The product of the two velocities has the wrong sign: a positive angle moves the pole towards "
                    "-x.", "sign"),
        ),
        hints=(
            "L = T - V. To line 3 of exercise 26.6 the rod's turning about its middle is to be added.",
            "1/8 + 1/24 = 1/6, and V = m_pole g l/2 cos(theta).",
        ),
        solution=r"""
            $T = \tfrac12 (m_c + m_p)\,\dot x^2 - \tfrac12 m_p l\, \dot x \dot\theta\cos\theta + \tfrac16 m_p l^2
            \dot\theta^2$, and the middle of the pole is $\tfrac{l}{2} \cos\theta$ high, so
            $L = T - \tfrac12 m_p g l \cos\theta$.
        """,
    ),
    Exercise(
        id="26.8",
        title="How sure is sure?",
        section="A box for your own formula",
        kind="word",
        reference="b",
        choices={"a": "one random state is a proof", "b": "a bounded, arbitrarily small probability",
                 "c": "only simplify can decide"},
        remark="Each further state multiplies the bound by D/N once more.",
        mistakes=(
            Mistake("a", "A state at which they differ is a proof that they differ. Agreement at one state could be "
                         "chance, with a probability of at most D/N."),
            Mistake("c", "simplify knows some of the ways between two forms, and where it finds none nothing is known. "
                         "Random states give a bound."),
        ),
        hints=(
            "What did the picture with the three lines show?",
            "For one state the probability is at most D/N, for three independent ones its third power.",
        ),
        solution="""
            A wrong formula may agree at a random state by chance, with a probability of at most D/N, and at n of them
            with at most its n-th power. That is never zero, and soon smaller than any other reason for doubt: b.
        """,
    ),
)
