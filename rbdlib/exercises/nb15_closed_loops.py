"""The exercises of notebook 15, closed loops: constraints, their forces, drift and its cures (RBDA 8.1 to 8.10)."""

from math import exp

from rbdlib.exercises.declare import Exercise, Mistake


def _rates(formula):
    """An answer in the lengths a, c and the bars' angles, from a function of these and of sin."""

    def answer():
        from sympy import sin, symbols

        return formula(*symbols("a c", positive=True), *symbols("th1 th2 th3"), sin)

    return answer


def _lengths(formula):
    def answer():
        from sympy import symbols

        return formula(*symbols("a b", positive=True))

    return answer


def _loop(rng):
    """An inertia matrix, a constraint matrix with two rows, and a gap."""
    import numpy as np

    A = rng.normal(size=(3, 3))
    return A @ A.T + np.diag([0.2, 1, 3]), rng.normal(size=(2, 3)), rng.normal(size=2)


def _correction(H, K, delta):
    from numpy.linalg import solve

    return -solve(H, K.T @ solve(K @ solve(H, K.T), delta))


def _wrong_way(H, K, delta):
    return -_correction(H, K, delta)


def _unweighted(H, K, delta):
    from numpy.linalg import pinv

    return -pinv(K) @ delta


def _weighted_by_H(H, K, delta):
    from numpy.linalg import solve

    return -H @ K.T @ solve(K @ H @ K.T, delta)


def _as_force(H, K, delta):
    from numpy.linalg import solve

    return -K.T @ solve(K @ solve(H, K.T), delta)


EXERCISES = (
    Exercise(
        id="15.1",
        title="Two branches of a loop",
        section="What the pin forbids",
        reference=(0, -1, -1, 1, 1),
        names=("joint 1", "joint 2", "joint 3", "joint 4", "joint 5"),
        remark="Joint 1 carries the whole loop about, and the loop does not notice: its column in K is empty.",
        mistakes=(
            Mistake((1, -1, -1, 1, 1),
                    "Joint 1 moves both ends of the loop joint, and by the same motion. In the difference of their "
                    "velocities it drops out.", "entry"),
            Mistake((-1, -1, -1, 1, 1),
                    "Joint 1 moves both ends of the loop joint, and by the same motion. In the difference of their "
                    "velocities it cancels.", "entry"),
            Mistake((0, 1, 1, -1, -1),
                    "All signs are turned. The velocity across a joint is that of the successor minus that of the "
                    "predecessor, so the branch to the successor is counted positive.", "sign"),
            Mistake((0, 1, 1, 1, 1),
                    "You have marked the joints of the loop. K also needs to know on which of the two branches each "
                    "lies: the velocities at the ends of the two are subtracted.", "sign"),
            Mistake((0, 0, -1, 0, 1),
                    "You have taken only the last joint of each branch. Every joint on the way from the root of the "
                    "loop to an end moves that end.", "entry"),
        ),
        hints=(
            "The two ways from the base: 0, 1, 2, 3 and 0, 1, 4, 5. Which joints are on one of them only?",
            "Those on the way to the successor, 5, count +1; those on the way to the predecessor, 3, count -1; a joint "
            "on both ways counts 0.",
        ),
        solution=r"""
            To body 3 lead the joints 1, 2, 3, to body 5 the joints 1, 4, 5. With $v_5 - v_3$ joint 1 cancels, 4 and 5
            count $+1$, 2 and 3 count $-1$: $\varepsilon_{1j} = (0, -1, -1, 1, 1)$.
        """,
    ),
    Exercise(
        id="15.2",
        title="The rocker's rate, on paper",
        section="What the pin forbids",
        reference=_rates(lambda a, c, th1, th2, th3, sin: a * sin(th2 - th1) / (c * sin(th2 - th3))),
        remark="It is a ratio of two levers. Where th2 = th3 the denominator vanishes: coupler and rocker on one line "
               "can hold the crank fast, and the crank is no good coordinate there.",
        mistakes=(
            Mistake(_rates(lambda a, c, th1, th2, th3, sin: a * sin(th1 - th2) / (c * sin(th2 - th3))),
                    "One of the sines has its angles exchanged, which turns the sign. When crank and rocker are "
                    "parallel and of equal length they must turn alike, with the ratio +1.", "sign"),
            Mistake(_rates(lambda a, c, th1, th2, th3, sin: c * sin(th2 - th3) / (a * sin(th2 - th1))),
                    "That is how fast the crank turns for the rocker's rate 1. The inverse is wanted.", "inverse"),
            Mistake(_rates(lambda a, c, th1, th2, th3, sin: a * sin(th1) / (c * sin(th3))),
                    "That compares the velocities along x only, and leaves the coupler's rotation out. Compare them "
                    "along the coupler: its rotation has no part in that direction.", "frame"),
            Mistake(_rates(lambda a, c, th1, th2, th3, sin: a / c),
                    "The ends of crank and rocker do not have equal speeds in general. Only what they have along the "
                    "coupler must be equal, because the coupler keeps its length.", "entry"),
        ),
        hints=(
            "Differentiate δ: a n(th1) thd1 + b n(th2) thd2 = c n(th3) thd3, where n(th) = (-sin th, cos th).",
            "Take the scalar product with e(th2), the direction of the coupler. n(th2) is at right angles to it, so "
            "that thd2 disappears.",
            "n(th1) · e(th2) = sin(th2 - th1).",
        ),
        solution=r"""
            $\dot\delta = 0$ reads
            $a\,n(\varphi_1)\dot\varphi_1 + b\,n(\varphi_2)\dot\varphi_2 = c\,n(\varphi_3)\dot\varphi_3$. Multiplied by
            $e(\varphi_2)$, with $n(\varphi_i)\cdot e(\varphi_2) = \sin(\varphi_2 - \varphi_i)$, it becomes
            $a \sin(\varphi_2 - \varphi_1)\,\dot\varphi_1 = c \sin(\varphi_2 - \varphi_3)\,\dot\varphi_3$. The ratio is
            $a \sin(\varphi_2 - \varphi_1) / (c \sin(\varphi_2 - \varphi_3))$.
        """,
    ),
    Exercise(
        id="15.3",
        title="The other end of the pin",
        section="The force in the pin",
        quantity="force",
        reference=(0, 0, 2.9, -3, 4, 0),
        mistakes=(
            Mistake((0, 0, -2.9, 3, -4, 0),
                    "That is the force on the successor. The predecessor gets the opposite one, moment included.",
                    "sign"),
            Mistake((0, 0, -2.9, -3, 4, 0),
                    "You have turned the force and left the moment. Both belong to one spatial force, and both change "
                    "their sign.", "sign"),
            Mistake((0, 0, 0, -3, 4, 0),
                    "There is no moment about the pin, but there is one about the base's origin: the force acts with a "
                    "lever.", "entry"),
            Mistake((0, 0, 1.1, -3, 4, 0),
                    "Check the signs in the cross product: its third entry is x f_y - y f_x.", "sign"),
            Mistake((-3, 4, 0, 0, 0, 2.9),
                    "The numbers are right, the order is not: the moment comes first.", "order"),
        ),
        hints=(
            "Action and reaction: on the predecessor the joint exerts the opposite force at the same point.",
            "The moment about the origin is P × f, with P = (0.5, 0.3, 0) and f = (-3, 4, 0).",
        ),
        solution=r"""
            On the predecessor acts $(-3, 4, 0)$ N, at the same point. Its moment about the origin has the third entry
            $0.5 \cdot 4 - 0.3 \cdot (-3) = 2.9$ N m. Together $[0, 0, 2.9, -3, 4, 0]$.
        """,
    ),
    Exercise(
        id="15.4",
        title="Counting a five-bar",
        section="More constraints than needed",
        reference=(4, 5, -1, 2, 3),
        quantity="whole numbers",
        names=("n", "n^c", "expected mobility", "r", "redundant"),
        remark="4 - 2 = 2 freedoms: two motors at the two shoulders can lead the tip anywhere in its reach.",
        mistakes=(
            Mistake((4, 5, -1, 5, 0),
                    "If all five constraints were independent the linkage would have 4 - 5 freedoms. In the plane the "
                    "loop hinge forbids only two motions that are not forbidden already.", "entry"),
            Mistake((5, 5, -1, 2, 3),
                    "n counts the variables of the spanning tree. The fifth hinge closes the loop and is not in the "
                    "tree.", "entry"),
            Mistake((4, 5, -2, 2, 3),
                    "n_tot counts the freedoms of all joints, the loop joint included: five hinges.", "entry"),
            Mistake((4, 2, 2, 2, 0),
                    "That is the count in the plane, and there it is right. In space a hinge has five constraints.",
                    "entry"),
            Mistake((4, 5, 2, 2, 3),
                    "Two is what the mobility really is. By counting, n_tot - 6 N_L, one would expect something else.",
                    "entry"),
        ),
        hints=(
            "Four hinges make the tree, two for each arm, and the fifth closes the loop.",
            "n_tot - 6 N_L = 5 - 6. The tips meet in a plane: how many independent equations is that?",
            "The redundant constraints are n^c - r.",
        ),
        solution=r"""
            The tree has $n = 4$ variables. The loop hinge has $n^c = 5$ constraints, and there are $n_{tot} = 5$
            freedoms in all joints, so that one expects $5 - 6 = -1$. Of the five constraints two are independent, those
            that hold the tips together in the plane: $r = 2$, and $5 - 2 = 3$ are redundant.
        """,
    ),
    Exercise(
        id="15.5",
        title="What is left of an error",
        section="It comes apart",
        reference=4 * exp(-3),
        rtol=5e-3,
        remark="A fifth, after three time constants. A simple exponential would be down to a twentieth.",
        mistakes=(
            Mistake(exp(-3), "That would be an error that falls as a simple exponential. Here the equation is of "
                             "second order, and the error, which starts at rest, takes time to get moving.", "entry"),
            Mistake(3 * exp(-3), "The factor before the exponential is 1 + t/T, so that it is 1 at the start.",
                    "factor"),
            Mistake(400 * exp(-3), "That is in percent. Give a fraction, a number between 0 and 1.", "units"),
            Mistake(1 - 4 * exp(-3), "That is how much of the error is gone. How much is left?", "entry"),
            Mistake(1.3 * exp(-0.3), "You have put t for t/T. In 0.3 s there are three time constants.", "units"),
        ),
        hints=(
            "How many time constants are 0.3 s?",
            "Put t/T = 3 into (1 + t/T) exp(-t/T).",
        ),
        solution=r"""
            $t/T_{stab} = 3$, and so $(1 + 3)\,e^{-3} = 0.199$ of the error is left.
        """,
    ),
    Exercise(
        id="15.6",
        title="Too strong a cure",
        section="It comes apart",
        reference=0.005,
        names=("T",),
        remark="Between T = h/2 and T = h the factor is negative: the error dies away, changing sign in every step. "
               "Methods of higher order have similar limits, a little farther out.",
        mistakes=(
            Mistake(0.01, "At T = h the factor 1 - h/T is zero, which is the best that can happen. When is its size "
                          "larger than 1?", "factor"),
            Mistake(0.02, "Euler's method multiplies by 1 - h/T. For T = 2h this is a half, and the error dies away "
                          "nicely.", "inverse"),
            Mistake(5, "The answer is wanted in seconds, and the steps are 0.01 s long.", "units"),
            Mistake(0, "The differential equation damps for every T above zero; the integrator does not. Ask what one "
                       "step does to exp(-t/T).", "entry"),
        ),
        hints=(
            "Both solutions, exp(-t/T) and t exp(-t/T), belong to the double root -1/T.",
            "For x' = -x/T a step of Euler's gives x (1 - h/T). When does this grow?",
            "|1 - h/T| > 1 means h/T > 2.",
        ),
        solution=r"""
            The characteristic equation $s^2 + 2s/T + 1/T^2 = 0$ has the double root $-1/T$. One step of Euler's method
            multiplies by $1 - h/T$, whose size exceeds 1 when $h/T > 2$. The limit is $T = h/2 = 0.005$ s.
        """,
    ),
    Exercise(
        id="15.7",
        title="The smallest correction",
        section="Putting it back",
        kind="function",
        reference=_correction,
        inputs=_loop,
        remark="H⁻¹Kᵀ turns forces at the cut into motions, and K H⁻¹Kᵀ tells how much of a motion arrives there.",
        mistakes=(
            Mistake(_wrong_way,
                    "Your correction makes the gap twice as large. K times the change must be minus the gap.", "sign"),
            Mistake(_unweighted,
                    "That closes the gap with the smallest change in radians. Measured by H, a heavy bar should move "
                    "less than a light one.", "factor"),
            Mistake(_weighted_by_H,
                    "You have weighted with H where its inverse belongs: yours moves the heavy bars most.", "inverse"),
            Mistake(_as_force,
                    "You have the forces Kᵀλ that would do it, but not yet the motion that they cause. One H⁻¹ is "
                    "missing in front.", "dual"),
        ),
        hints=(
            "Minimise x @ H @ x / 2 under K @ x = -delta. Lagrange: H @ x = K.T @ mu.",
            "x = H⁻¹ Kᵀ mu; put this into K x = -delta to find mu.",
            "mu = -np.linalg.solve(K @ np.linalg.solve(H, K.T), delta).",
        ),
        solution=r"""
            The smallest $x^{\mathrm T} H x$ with $Kx = -\delta$ satisfies $Hx = K^{\mathrm T}\mu$, so that
            $K H^{-1} K^{\mathrm T}\mu = -\delta$. In Python, with `Y = np.linalg.solve(H, K.T)`,
            `return -Y @ np.linalg.solve(K @ Y, delta)`.
        """,
    ),
    Exercise(
        id="15.8",
        title="The other way through, on paper",
        section="Where a mechanism forgets what it is",
        reference=_lengths(lambda a, b: -(b - a) / (b + a)),
        remark="For a = 0.2 m and b = 0.4 m it is -1/3. Were cranks and coupler of equal length, a = b, the follower "
               "would stand still there.",
        mistakes=(
            Mistake(_lengths(lambda a, b: (b - a) / (b + a)),
                    "The size is right. On the crossed branch the cranks turn in opposite senses.", "sign"),
            Mistake(1, "That is the parallelogram, the other root of the quadratic equation.", "entry"),
            Mistake(-1, "Opposite senses, yes, but not at equal rates in this posture. The coupler turns, too, and its "
                        "own acceleration enters the second equation.", "entry"),
            Mistake(_lengths(lambda a, b: -(b + a) / (b - a)),
                    "That is the rate of the first crank for that of the follower. The inverse is wanted.", "inverse"),
            Mistake(_lengths(lambda a, b: -a / b),
                    "The coupler's rate is (a/b)(thd1 - thd3): both cranks move it. You have left one of them out.",
                    "entry"),
        ),
        hints=(
            "There th1 = th3 = π and th2 = 0. First order, across the line: a w1 - b w2 = a w3, with the rates w of "
            "the three bars.",
            "Second order, along the line: no acceleration of the joints appears there, and the centripetal parts must "
            "cancel: a w1² - b w2² - a w3² = 0.",
            "Put w2 = (a/b)(w1 - w3) in and divide by w1 - w3, which is zero on the parallel branch only.",
        ),
        solution=r"""
            In the flat posture $\varphi_1 = \varphi_3 = \pi$ and $\varphi_2 = 0$. Across the line $\dot\delta = 0$ says
            $b\,\dot\varphi_2 = a(\dot\varphi_1 - \dot\varphi_3)$. Along the line $K$ has an empty row, and $k$ must
            vanish too: $a\dot\varphi_1^2 - b\dot\varphi_2^2 - a\dot\varphi_3^2 = 0$. Together
            $(\dot\varphi_1 - \dot\varphi_3)\left[(\dot\varphi_1 + \dot\varphi_3) - \tfrac{a}{b}(\dot\varphi_1 -
            \dot\varphi_3)\right] = 0$. The first factor is the parallelogram; the second gives
            $\dot\varphi_3/\dot\varphi_1 = -(b - a)/(b + a)$.
        """,
    ),
)
