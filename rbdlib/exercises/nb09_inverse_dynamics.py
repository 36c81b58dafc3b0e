"""The exercises of notebook 09, inverse dynamics (RBDA chapter 5)."""

from rbdlib.exercises.declare import Exercise, Mistake


def _in_n(formula):
    """An answer to exercise 9.1, from a function of n."""

    def answer():
        from sympy import symbols

        return formula(symbols("n"))

    return answer


def _tree(rng):
    f_net, f_ext = rng.normal(size=(2, 5, 6))
    f_net[0] = f_ext[0] = 0
    return (0, 0, 1, 1, 3), f_net, f_ext


def _joint_forces(parent, f_net, f_ext):
    f = f_net - f_ext
    for i in range(len(f) - 1, 0, -1):
        f[parent[i]] = f[parent[i]] + f[i]
    return f


def _helped_by_the_outside(parent, f_net, f_ext):
    return _joint_forces(parent, f_net, -f_ext)


def _from_the_base_outwards(parent, f_net, f_ext):
    f = f_net - f_ext
    for i in range(1, len(f)):
        f[parent[i]] = f[parent[i]] + f[i]
    return f


def _body_by_body(parent, f_net, f_ext):
    return f_net - f_ext


def _taken_away(parent, f_net, f_ext):
    f = f_net - f_ext
    for i in range(len(f) - 1, 0, -1):
        f[parent[i]] = f[parent[i]] - f[i]
    return f


def _coriolis(formula):
    """An answer to exercise 9.8, from a function of m2 l1 l2 sin q2 and the two rates."""

    def answer():
        from sympy import sin, symbols

        m2, l1, l2, q2, qd1, qd2 = symbols("m2 l1 l2 q2 qd1 qd2")
        return formula(m2 * l1 * l2 * sin(q2), qd1, qd2)

    return answer


EXERCISES = (
    Exercise(
        id="9.1",
        title="Counting the cross products",
        section="The sums nobody should write out",
        where="n whole",
        reference=_in_n(lambda n: n * (n**2 - 1) / 6),
        remark="For n = 6 that makes 35 cross products where the recurrence needs 6, and for n = 60 it makes 35990 "
               "where the recurrence needs 60.",
        mistakes=(
            Mistake(_in_n(lambda n: n * (n - 1) / 2),
                    "That is the number for the last body alone, i = n. The sum is written out for every body, from "
                    "the first to the last, so these numbers have to be added.", "entry"),
            Mistake(_in_n(lambda n: n * (n + 1) * (n + 2) / 6),
                    "In the inner sum k runs to j - 1 and not to j: a joint's own rate does not enter a product with "
                    "itself. For n = 1 there is no cross product at all, and your formula gives one.", "entry"),
            Mistake(_in_n(lambda n: n**3),
                    "The order is right, and asked is the number. Neither inner sum runs as far as n: j stops at i, "
                    "and k stops before j.", "factor"),
        ),
        hints=(
            "Fix the body i first. How many pairs (j, k) are there with j = 1 ... i and k = 1 ... j - 1?",
            "For body i there are 0 + 1 + ... + (i - 1) = i(i - 1)/2 pairs. Now add this over i = 1 ... n.",
            "The sum of i(i - 1)/2 over i = 1 ... n is a third-degree polynomial that starts 0, 1, 4, 10, 20.",
        ),
        solution=r"""
            For a fixed $j$ the inner sum has $j - 1$ terms, so body $i$ needs
            $\sum_{j=1}^{i} (j - 1) = \tfrac12 i (i - 1)$ products. Over all bodies,
            $\sum_{i=1}^{n} \tfrac12 i(i - 1) = \tfrac16 n (n + 1)(n - 1) = \tfrac16\, n\,(n^2 - 1)$.
            For $n = 1, 2, 3, 4$ that is 0, 1, 4, 10.
        """,
    ),
    Exercise(
        id="9.2",
        title="The lift",
        section="Weight without a single weight",
        quantity="motion",
        reference=(0, 0, 0, 0, 11.81, 0),
        remark="The arm cannot tell the lift from a heavier planet. That is why one addition at the base is enough.",
        mistakes=(
            Mistake((0, 0, 0, 0, -11.81, 0),
                    "The size is right. But a[0] is an acceleration of the base, and to imitate a pull downwards the "
                    "base has to accelerate upwards.", "sign"),
            Mistake((0, 0, 0, 0, 7.81, 0),
                    "You have subtracted the lift's acceleration. In a lift that accelerates upwards you feel heavier, "
                    "not lighter: the base really accelerates upwards, on top of the fictitious 9.81.", "sign"),
            Mistake((0, 0, 0, 0, 9.81, 0),
                    "That is the arm in a lift that stands still, or travels at a constant speed. What of the two "
                    "metres per second squared?", "entry"),
            Mistake((0, 0, 0, 0, 2, 0),
                    "That is the true acceleration of the base. It moves the arm, and the arm still has its weight.",
                    "entry"),
        ),
        hints=(
            "What is the true acceleration of the base, and what does gravity add to it?",
            "a_0 is the true acceleration of the base minus a_g, and a_g points down.",
            "The linear part along y is 2 - (-9.81).",
        ),
        solution=r"""
            The base truly accelerates by $2\ \mathrm{m/s^2}$ along $+y$, and gravity is carried by
            $-a_g = (0, 9.81, 0)$. Together $a_0 = [0, 0, 0, 0, 11.81, 0]$. Nothing turns, so the angular part is zero.
        """,
    ),
    Exercise(
        id="9.3",
        title="From the leaves to the root",
        section="Inward: who carries whom",
        kind="function",
        reference=_joint_forces,
        inputs=_tree,
        mistakes=(
            Mistake(_helped_by_the_outside,
                    "The external forces have the wrong sign. What the outside already supplies to a body, its joint "
                    "need not supply: f_ext is subtracted.", "sign"),
            Mistake(_from_the_base_outwards,
                    "You go from the base outwards. When you hand f_i on to the parent, the children of i have not yet "
                    "handed theirs to i, and so the grandchildren's share gets lost. Children first.", "order"),
            Mistake(_body_by_body,
                    "That is what each body needs for itself. A joint carries all that hangs behind it: add the joint "
                    "forces of the children.", "entry"),
            Mistake(_taken_away,
                    "The joint forces of the children are subtracted here. By Newton's third law child j pulls at body "
                    "i with -f_j, and joint i has to make up for that: +f_j.", "sign"),
        ),
        hints=(
            "Start with f_net - f_ext for every body, in an array of its own.",
            "Go through the bodies from the last one to 1 and add f[i] to f[parent[i]].",
            "for i in range(len(f) - 1, 0, -1): the parent's number is always smaller, so it is still to come.",
        ),
        solution="""
            `f = f_net - f_ext`, then `for i in range(len(f) - 1, 0, -1): f[parent[i]] = f[parent[i]] + f[i]`, and
            `return f`. When body i has its turn, all its children have had theirs, because their numbers are larger.
            No list of children is needed, and row 0 collects what the base must supply.
        """,
    ),
    Exercise(
        id="9.4",
        title="The hand at the wall",
        section="A push from outside",
        quantity="force",
        reference=(0, 0, 3, -10, 0, 0),
        mistakes=(
            Mistake((0, 0, -3, 10, 0, 0),
                    "That is what the hand does to the wall. f_ext holds the forces that act on the arm's bodies from "
                    "outside: what the wall does to the hand.", "sign"),
            Mistake((0, 0, 0, -10, 0, 0),
                    "The force is right. It does not pass through the base's origin, so it has a moment about it.",
                    "entry"),
            Mistake((0, 0, -3, -10, 0, 0),
                    "The force is right. For the sign of the moment, take P × f: a push towards -x above the origin "
                    "turns anticlockwise.", "sign"),
            Mistake((-10, 0, 0, 0, 0, 3),
                    "The numbers are right, the order is not: the moment comes first, then the force.", "order"),
        ),
        hints=(
            "Which way does the wall push, and at which point?",
            "The linear part is (-10, 0, 0). The angular part is the moment about the base's origin, P × f.",
            "(0.8, 0.3, 0) × (-10, 0, 0) has only a z component: 0.8 · 0 - 0.3 · (-10).",
        ),
        solution=r"""
            The wall pushes back with $f = (-10, 0, 0)$ at $P = (0.8, 0.3, 0)$. Its moment about $O$ is
            $P \times f = (0, 0, 0.8 \cdot 0 - 0.3 \cdot (-10)) = (0, 0, 3)$, so that
            $f^x_3 = [0, 0, 3, -10, 0, 0]$.
        """,
    ),
    Exercise(
        id="9.5",
        title="Twice as fast",
        section="Taking a torque apart",
        reference=44,
        mistakes=(
            Mistake(52, "You have doubled the whole torque. The weight does not know how fast the arm moves, and the "
                        "other two parts do not simply double.", "factor"),
            Mistake(104, "The parts due to the motion do become four times as large. The part that holds the weight, "
                         "however, stays what it is.", "factor"),
            Mistake(32, "You have doubled the parts due to the motion. The velocities double; but what happens to an "
                        "acceleration, and to a product of two velocities?", "factor"),
            Mistake(28, "The Coriolis part is right. In half the time twice the velocity has to be reached, so that "
                        "the accelerations, too, are four times as large.", "factor"),
        ),
        hints=(
            "Which of the three parts depend on the duration at all?",
            "At half the duration all velocities double. What becomes of the accelerations, and of products of two "
            "velocities?",
            "Both parts due to the motion become four times as large: 20 + 4 · (8 - 2).",
        ),
        solution=r"""
            The gravity part, 20 N m, depends on the posture alone and stays. The inertial part is proportional to
            accelerations and the Coriolis part to products of two velocities, and both of these are divided by the
            square of the duration. So $20 + 4 \cdot 8 - 4 \cdot 2 = 44$ N m.
        """,
    ),
    Exercise(
        id="9.6",
        title="From the older notation",
        section="The version of 1980",
        quantity="motion",
        reference=(0, 0, 5, 11, 4, 0),
        mistakes=(
            Mistake((0, 0, 5, 5, 6, 0),
                    "You have only put the two halves together. The linear half of a spatial acceleration is not the "
                    "acceleration of a point.", "entry"),
            Mistake((0, 0, 5, -1, 8, 0),
                    "You have added ω × v. That leads from the spatial to the classical acceleration; asked is the "
                    "way back.", "sign"),
            Mistake((11, 4, 0, 0, 0, 5),
                    "The numbers are right, the order is not: the angular half comes first.", "order"),
        ),
        hints=(
            "Which two places of Table 5.2 differ from Table 5.1, and by what?",
            "The linear half is dv/dt - ω × v.",
            "(0, 0, 2) × (1, 3, 0) = (-6, 2, 0).",
        ),
        solution=r"""
            With $\omega \times v = (0, 0, 2) \times (1, 3, 0) = (-6, 2, 0)$ the linear half is
            $(5, 6, 0) - (-6, 2, 0) = (11, 4, 0)$. The angular half is $\dot\omega$ in both notations, and so
            $a = [0, 0, 5, 11, 4, 0]$.
        """,
    ),
    Exercise(
        id="9.7",
        title="The mass that the controller does not know",
        section="A use for it: letting the model work",
        reference=0.1,
        names=("e",),
        mistakes=(
            Mistake(0.025, "You have divided by K_p alone. The controller asks for the acceleration K_p e, and turns "
                           "it into a torque with the inertia of its model.", "factor"),
            Mistake(-0.1, "The size is right. e is wanted minus actual, and the arm hangs below where it should be.",
                    "sign"),
            Mistake(0.05, "You have used the whole arm, or its whole length twice: the unknown weight is 5 N at a "
                          "lever of 0.5 m, which makes 2.5 N m.", "factor"),
        ),
        hints=(
            "At rest the joint must supply the true weight's torque. Which part of it does the model supply already?",
            "What is missing, 5 N times 0.5 m, has to come from the term with K_p.",
            "H K_p e = 2.5 N m with H = 0.25 kg m² and K_p = 100 per s².",
        ),
        solution=r"""
            At rest the controller's torque is $H K_p e + \tau_{\text{model}}$, and the arm needs
            $\tau_{\text{model}} + 0.5 \cdot 10 \cdot 0.5$. Hence $H K_p e = 2.5$ N m and
            $e = 2.5 / (0.25 \cdot 100) = 0.1$ rad, almost six degrees.
        """,
    ),
    Exercise(
        id="9.8",
        title="Coriolis torque at the shoulder, on paper",
        section="The same function, in symbols",
        model="arm_2r",
        asks="C[1]",
        reference=_coriolis(lambda k, qd1, qd2: -k * (2 * qd1 * qd2 + qd2**2) / 2),
        remark="The first term is the Coriolis torque, with the product of two rates, and the second the centrifugal "
               "pull of the forearm. The square of the shoulder's own rate is absent: H_11 depends on q2 alone.",
        mistakes=(
            Mistake(_coriolis(lambda k, qd1, qd2: k * (2 * qd1 * qd2 + qd2**2) / 2),
                    "The size is right, the sign is not. Bending the elbow brings the forearm closer to the shoulder, "
                    "so H_11 falls as q2 grows from 0: its derivative is negative.", "sign"),
            Mistake(_coriolis(lambda k, qd1, qd2: -k * (qd1 * qd2 + qd2**2) / 2),
                    "The product of the two rates occurs twice in the double sum, as C_112 and as C_121. Your formula "
                    "has it once.", "factor"),
            Mistake(_coriolis(lambda k, qd1, qd2: -k * qd2**2 / 2),
                    "That is the centrifugal pull of the forearm alone. The Coriolis part, with the product of the two "
                    "rates, is missing.", "entry"),
            Mistake(_coriolis(lambda k, qd1, qd2: -k * (2 * qd1 * qd2 + qd2**2)),
                    "You have put the forearm's mass at its far end. The rod is uniform, so its centre of mass is at "
                    "l2/2.", "factor"),
            Mistake(_coriolis(lambda k, qd1, qd2: k * qd1**2 / 2),
                    "That is the velocity torque at the elbow. Asked is the one at the shoulder.", "entry"),
        ),
        hints=(
            "Apply the formula for the coefficients, or go through the recursion with qdd = 0 and no gravity.",
            "Only cos q2 varies in H. dH_11/dq2 = -m2 l1 l2 sin q2 and dH_12/dq2 = -m2 l1 l2 sin q2 / 2.",
            "C_1 = (dH_11/dq2) qd1 qd2 + (dH_12/dq2) qd2²; everything else vanishes.",
        ),
        solution=r"""
            Of $H$ only $H_{11}$ and $H_{12} = H_{21}$ vary, and with $q_2$ alone:
            $\partial H_{11}/\partial q_2 = -m_2 l_1 l_2 \sin q_2$ and
            $\partial H_{12}/\partial q_2 = -\tfrac12 m_2 l_1 l_2 \sin q_2$.
            Differentiating $\sum_j H_{1j} \dot q_j$ in time and subtracting the derivative of the kinetic energy by
            $q_1$, which is zero, leaves
            $C_1 = \dfrac{\partial H_{11}}{\partial q_2} \dot q_1 \dot q_2
            + \dfrac{\partial H_{12}}{\partial q_2} \dot q_2^2
            = -\tfrac12 m_2 l_1 l_2 \sin q_2\, (2 \dot q_1 \dot q_2 + \dot q_2^2)$.
        """,
    ),
)
