"""The exercises of notebook 13, open chains and the task space (MRN)."""

from rbdlib.exercises.declare import Exercise, Mistake


def _formula(names, formula):
    """An answer in symbols, from a function of them."""

    def answer():
        from sympy import symbols

        return formula(*symbols(names, positive=True))

    return answer


def _in_omega_dt(formula):
    return _formula("omega dt", formula)


def _in_masses(formula):
    def of_sine(m1, m2, q2):
        from sympy import cos, sin

        return formula(m1, m2, sin(q2), cos(q2))

    return _formula("m1 m2 q2", of_sine)


def _inverse_dynamics(rng):
    """Inverse dynamics of some arm in a fixed posture, and its number of joints."""
    import numpy as np

    n = 3
    A, weight, C = rng.normal(size=(n, n)), rng.normal(size=n), rng.normal(size=(n, n, n))
    M = A @ A.T + n * np.eye(n)

    def ID(thd, thdd, gravity):
        thd, thdd = np.asarray(thd, float), np.asarray(thdd, float)
        return M @ thdd + C @ thd @ thd + (weight if gravity else 0)

    return ID, n


def _columns(thd_of, thdd_of, gravity):
    """A way to form a matrix from n calls of ID, by what it gives for the velocity and the acceleration."""

    def mass_matrix(ID, n):
        import numpy as np

        return np.column_stack([ID(thd_of(e), thdd_of(e), gravity) for e in np.eye(n)])

    return mass_matrix


def _task_inputs(rng):
    import numpy as np

    A = rng.normal(size=(3, 3))
    return rng.normal(size=(3, 3)) + 2 * np.eye(3), A @ A.T + np.eye(3), rng.normal(size=3), rng.normal(size=3)


def _torques(J, Lambda, eta, V_dot):
    return J.T @ (Lambda @ V_dot + eta)


def _without_bias(J, Lambda, eta, V_dot):
    return J.T @ (Lambda @ V_dot)


def _bias_as_torque(J, Lambda, eta, V_dot):
    return J.T @ (Lambda @ V_dot) + eta


def _untransposed(J, Lambda, eta, V_dot):
    return J @ (Lambda @ V_dot + eta)


def _by_inverse(J, Lambda, eta, V_dot):
    from numpy.linalg import solve

    return solve(J, Lambda @ V_dot + eta)


EXERCISES = (
    Exercise(
        id="13.1",
        title="The mass matrix, column by column",
        section="Nature's direction",
        kind="function",
        reference=_columns(lambda e: 0 * e, lambda e: e, False),
        inputs=_inverse_dynamics,
        remark="The matrix comes out symmetric although nobody has asked for it. That is a test which costs nothing.",
        mistakes=(
            Mistake(_columns(lambda e: 0 * e, lambda e: e, True),
                    "Gravity is still on. Every column now contains the torques that carry the weight, and they have "
                    "nothing to do with inertia.", "entry"),
            Mistake(_columns(lambda e: e, lambda e: 0 * e, False),
                    "You have given the unit vectors as velocities. What comes back are velocity torques; a column of "
                    "M is the answer to a unit acceleration.", "swapped"),
            Mistake(_columns(lambda e: e, lambda e: e, False),
                    "The velocity must be zero in these calls. Yours is a unit vector as well, so each column contains "
                    "velocity torques.", "entry"),
        ),
        hints=(
            "For which thd, thdd and gravity is ID(thd, thdd, gravity) equal to M @ thdd and nothing else?",
            "With thdd = e_i, a vector of zeros with a 1 at place i, M @ e_i is column i of M.",
            "np.column_stack puts a list of vectors side by side, and np.eye(n) is a list of the e_i.",
        ),
        solution="""
            `return np.column_stack([ID(np.zeros(n), e, False) for e in np.eye(n)])`. With no velocity and no gravity
            only $M\\ddot\\theta$ is left, and $M e_i$ is column $i$ of $M$.
        """,
    ),
    Exercise(
        id="13.2",
        title="A child hangs on the arm",
        section="Who pushes whom?",
        quantity="force",
        reference=(0, 0, 0, 0, 50, 0),
        mistakes=(
            Mistake((0, 0, 0, 0, -50, 0),
                    "That is what the child does to the tip. F_tip is what the tip does to its surroundings, and here "
                    "it holds a child up.", "sign"),
            Mistake((0, 50, 0, 0, 0, 0),
                    "The number and the sign are right, the place is not: the first three numbers are the moment, and "
                    "the force comes after it.", "swapped"),
            Mistake((0, 0, 0, 0, 5, 0),
                    "The weight is given as a force already, 50 N. There is nothing to divide by g.", "factor"),
        ),
        hints=(
            "Which force keeps the child from falling, and who exerts it?",
            "The force goes through the tip, and the tip is the point of reference. What is its moment?",
            "The tip pulls the child upwards with 50 N: +y.",
        ),
        solution=r"""
            The child is at rest, so that something must balance its weight: the tip pulls it upwards with 50 N. This
            is a force of the tip on its surroundings, which is what $F_{tip}$ means, and it has no moment about the
            tip. $F_{tip} = [0, 0, 0, 0, 50, 0]$.
        """,
    ),
    Exercise(
        id="13.3",
        title="What one step of Euler's does to an oscillator, on paper",
        section="A second by the recipe",
        reference=_in_omega_dt(lambda w, dt: 1 + w**2 * dt**2),
        remark="In a time t there are t/dt steps, and the energy grows like (1 + ω² dt²) to the power t/dt, which is "
               "nearly exp(ω² dt t): exponentially, and half as fast for half the step.",
        mistakes=(
            Mistake(_in_omega_dt(lambda w, dt: 1 - w**2 * dt**2),
                    "One of the squares has got a wrong sign. The mixed terms cancel, but both of the terms in dt² are "
                    "squares of something and so they are positive.", "sign"),
            Mistake(_in_omega_dt(lambda w, dt: (1 + w**2 * dt**2) ** 2),
                    "That factor has been applied twice. The amplitude grows by the square root of the wanted "
                    "factor, the energy by the factor itself.", "factor"),
            Mistake(_formula("omega dt", lambda w, dt: (1 + w**2 * dt**2) ** 0.5),
                    "That is the factor of the amplitude. The energy goes with its square.", "factor"),
            Mistake(_in_omega_dt(lambda w, dt: 1 - w**2 * dt**2 + w**4 * dt**4),
                    "You have used the new velocity for the position. In MRN-5 the position moves with the old one, "
                    "and then the terms in thd times th cancel.", "order"),
            Mistake(1, "That is what the true motion does, or a step of length zero. Put MRN-5 and MRN-6 into the "
                       "energy and collect the terms in dt².", "entry"),
        ),
        hints=(
            "Write th and thd after the step in terms of those before it, with thdd = -omega² th.",
            "Put th + thd dt and thd - omega² th dt into thd² + omega² th² and multiply out.",
            "The terms with th thd cancel. What remains is omega² th² + thd² and the same again times something.",
        ),
        solution=r"""
            After the step $\theta' = \theta + \dot\theta\,\delta t$ and
            $\dot\theta' = \dot\theta - \omega^2\theta\,\delta t$. Then
            $\dot\theta'^2 + \omega^2\theta'^2 = \dot\theta^2 - 2\omega^2\theta\dot\theta\,\delta t
            + \omega^4\theta^2\delta t^2 + \omega^2\theta^2 + 2\omega^2\theta\dot\theta\,\delta t
            + \omega^2\dot\theta^2\delta t^2 = (1 + \omega^2\delta t^2)(\dot\theta^2 + \omega^2\theta^2)$.
            The factor is $1 + \omega^2\,\delta t^2$, whatever the state.
        """,
    ),
    Exercise(
        id="13.4",
        title="Four digits more",
        section="Repairs",
        reference=0.002,
        names=("dt",),
        remark="Ten times the work buys four digits. An order-1 method would have needed ten thousand times the work.",
        mistakes=(
            Mistake(2e-6, "That is the step for a method of order 1. With order 4 a step divided by s divides the "
                          "error by the fourth power of s.", "factor"),
            Mistake(0.0002, "You have divided the step by 100, as for a method of order 2. That would be too good: the "
                            "error would fall by 100 to the fourth power.", "factor"),
            Mistake(0.005, "A fourth of the step divides the error by 4 to the fourth power, 256. It has to be divided "
                           "by 10 000.", "factor"),
            Mistake(2, "The answer is wanted in seconds, and 20 ms are 0.02 s.", "units"),
        ),
        hints=(
            "By which factor must the error fall?",
            "The error goes with the fourth power of dt, so the step must fall by the fourth root of 10 000.",
        ),
        solution=r"""
            The error must fall by $10^4$. It is proportional to $\delta t^4$, and so the step must be divided by
            $\sqrt[4]{10^4} = 10$: 2 ms, or 0.002 s.
        """,
    ),
    Exercise(
        id="13.5",
        title="From the tip to the space frame",
        section="Three answers to one question",
        quantity="motion",
        reference=(0, 0, 2, 0.6, 0.2, 0),
        mistakes=(
            Mistake((0, 0, 2, 0, 1, 0),
                    "That is the hybrid twist: its linear part is the velocity of the tip. In the space frame it is "
                    "that of the point of the hand which is at the origin of the base.", "frame"),
            Mistake((0, 0, 2, -0.6, 1.8, 0),
                    "The lever has the wrong direction. You want the velocity at O from that at P, so the lever goes "
                    "from P to O: it is -P.", "sign"),
            Mistake((0.6, 0.2, 0, 0, 0, 2),
                    "The numbers are right, the order is not: the angular part comes first.", "order"),
            Mistake((0, 0, 2, 0.6, -0.8, 0),
                    "That is only what the rotation adds on the way from the tip to the origin. The velocity of the "
                    "tip itself is missing.", "entry"),
        ),
        hints=(
            "All points of a rigid body share one rule: v_O = v_P + ω × (O - P).",
            "O - P = (-0.4, -0.3, 0), and (0, 0, 2) × (x, y, 0) = (-2y, 2x, 0).",
        ),
        solution=r"""
            $v_O = v_P + \omega \times (O - P) = (0, 1, 0) + (0, 0, 2) \times (-0.4, -0.3, 0)
            = (0, 1, 0) + (0.6, -0.8, 0) = (0.6, 0.2, 0)$, and so
            $\mathcal V = [0, 0, 2, 0.6, 0.2, 0]$.
        """,
    ),
    Exercise(
        id="13.6",
        title="The mass along the forearm, on paper",
        section="How heavy is a fist?",
        reference=_in_masses(lambda m1, m2, s, c: m2 + m1 / s**2),
        remark="At a right angle the push meets both masses. As the elbow is straightened, m1 alone makes a wall: its "
               "share grows like 1/q2².",
        mistakes=(
            Mistake(_in_masses(lambda m1, m2, s, c: m2 + m1 / s),
                    "One sine too few. It enters twice: once because the elbow, on its circle, must accelerate more "
                    "than the tip, and once because only a part of the forearm's force acts along that circle.",
                    "factor"),
            Mistake(_in_masses(lambda m1, m2, s, c: m1 + m2),
                    "That is right for an elbow at a right angle. Otherwise the elbow cannot move along the forearm: "
                    "it moves on a circle about the shoulder.", "entry"),
            Mistake(_in_masses(lambda m1, m2, s, c: m2 + m1 * s**2),
                    "The two sines must be in the denominator. With your formula a stretched arm would be lightest "
                    "along itself, although that is the direction in which it cannot move.", "inverse"),
            Mistake(_in_masses(lambda m1, m2, s, c: m2 + m1 / c**2),
                    "q2 is zero for the stretched arm. The angle between the forearm and the elbow's circle is 90° "
                    "minus q2, so that its cosine is the sine of q2.", "angle"),
            Mistake(_in_masses(lambda m1, m2, s, c: (m1 + m2) / s**2),
                    "The mass at the tip is free to follow the push: it needs no sine. Only the elbow is led on a "
                    "circle.", "entry"),
        ),
        hints=(
            "Let the tip accelerate by a along the forearm. The forearm keeps its length: what does that say about "
            "the elbow's acceleration along the forearm?",
            "The elbow moves at right angles to the upper arm, along t. Between t and the forearm the cosine is "
            "sin q2. So the elbow's acceleration is a / sin q2.",
            "The forearm pushes the elbow with the force N along itself, of which N sin q2 acts along t and equals "
            "m1 a / sin q2. The push at the tip is m2 a + N.",
        ),
        solution=r"""
            Let the tip accelerate by $a$ along the forearm. From rest, a rod of constant length gives its other end
            the same acceleration along it. The elbow can only move at right angles to the upper arm; between this
            direction and the forearm the cosine is $\sin q_2$, so the elbow accelerates by $a/\sin q_2$. The forearm
            pushes it with a force $N$ along itself, of which $N \sin q_2 = m_1 a / \sin q_2$ is effective. The push
            must supply $m_2 a + N$, and the mass that it meets is $m_2 + m_1 / \sin^2 q_2$.
        """,
    ),
    Exercise(
        id="13.7",
        title="The price of damping",
        section="The wall",
        reference=0.25,
        mistakes=(
            Mistake(0.75, "That is the share that is missed. Asked is the one that the tip gets.", "entry"),
            Mistake(-2, "You have taken d² L itself as the share that is missed. It has to be divided by 1 + d² L, and "
                        "so no more than everything can be missed.", "factor"),
            Mistake(0.0625, "That is what you get with d instead of its square.", "factor"),
            Mistake(4, "You have found 1 + d² L, the factor by which the wish is divided. The share that is left is "
                       "its inverse.", "inverse"),
        ),
        hints=(
            "d² L is a pure number: how large is it?",
            "The share missed is d² L / (1 + d² L) = 3/4. What is left?",
        ),
        solution=r"""
            $d^2 L = 0.04 \cdot 75 = 3$. Missed is the share $3/4$, and the tip gets $1/(1 + d^2 L) = 1/4$ of the
            velocity that was asked for.
        """,
    ),
    Exercise(
        id="13.8",
        title="A wish of the tip, as torques",
        section="Somebody has to hold it",
        kind="function",
        reference=_torques,
        inputs=_task_inputs,
        mistakes=(
            Mistake(_without_bias,
                    "The bias is missing. Without η nobody carries the weight, and an arm that is asked for no "
                    "acceleration falls.", "entry"),
            Mistake(_by_inverse,
                    "You have taken a wrench through the inverse of J, as one does with a twist. Forces go the other "
                    "way: from the tip to the joints by the transpose of J.", "dual"),
            Mistake(_untransposed,
                    "Transpose J. It has a row for each coordinate of the tip; torques need one for each joint.",
                    "transpose"),
            Mistake(_bias_as_torque,
                    "η is a wrench at the tip, not a torque in the joints. It has to go through the transpose of J "
                    "like the rest of F.", "dual"),
        ),
        hints=(
            "First the wrench F of MRN-13, then the torques that are equivalent to it.",
            "F = Lambda @ V_dot + eta, and power is the same at the tip and in the joints: τ = Jᵀ F.",
        ),
        solution=r"""
            `return J.T @ (Lambda @ V_dot + eta)`. The bracket is $\mathcal F$ of MRN-13, and
            $\tau = J^{\mathrm T}\mathcal F$ because $\tau \cdot \dot\theta = \mathcal F \cdot J\dot\theta$ for every
            $\dot\theta$.
        """,
    ),
)
