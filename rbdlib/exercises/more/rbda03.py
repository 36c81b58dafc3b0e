"""Additional exercises on RBDA chapter 3: constraints, the forces that keep them, and what is unique about them."""

import numpy as np

from rbdlib.exercises.more.declare import Mistake, More, formula


def _multipliers(H, C, tau, K, k):
    return np.linalg.solve(K @ np.linalg.solve(H, K.T), k - K @ np.linalg.solve(H, tau - C))


def _constrained_system(rng):
    A, K = rng.normal(size=(4, 4)), rng.normal(size=(2, 4))
    return A @ A.T + np.eye(4), rng.normal(size=4), rng.normal(size=4), K, rng.normal(size=2)


EXERCISES = (
    More(
        id="5.51",
        title="A bead on a parabola, on paper",
        section="Two ways to describe a wire",
        level=1,
        names=("K_1", "K_2", "k"),
        question=r"""
            *On paper.* A bead at $(x, y)$ slides on the wire $y = a x^2$. Differentiate $\phi = y - a x^2$ twice and
            bring the result into the form $K_1 \ddot x + K_2 \ddot y = k$. Give $K_1$, $K_2$ and $k$ in `a`, `x`,
            `xdot`, as you get them, with the sign of $\phi$ as it is.
        """,
        reference=formula("-2*a*x", "1", "2*a*xdot**2"),
        mistakes=(
            Mistake(formula("-2*a*x", "1", "-2*a*xdot**2"),
                    "K is right. k stands on the other side of the equation, and so changes its sign.", "sign"),
            Mistake(formula("-2*a*x", "1", "0"),
                    "K changes as the bead moves. The second derivative of a x² is 2a(ẋ² + x ẍ).", "bias"),
            Mistake(formula("2*a*x", "-1", "2*a*xdot**2"),
                    "K belongs to -φ and k to φ: if you change the sign of one, change the other.", "sign"),
            Mistake(formula("-2*a*x", "1", "2*a*x*xdot"),
                    "K is right. Differentiate the product x ẋ: it gives ẋ ẋ + x ẍ.", "product rule"),
        ),
        hints=(
            "First derivative: ẏ - 2 a x ẋ. Its coefficients are K.",
            "In the second derivative the product x ẋ gives two terms; the one without ẍ goes to the right.",
        ),
        solution=r"""
            $\dot\phi = \dot y - 2 a x \dot x$, so $K = [-2ax,\; 1]$. Once more:
            $\ddot\phi = \ddot y - 2 a x \ddot x - 2 a \dot x^2 = 0$, hence $K\,(\ddot x, \ddot y) = 2 a \dot x^2$.
        """,
    ),
    More(
        id="5.52",
        title="A slide without friction",
        section="Forces that do no work",
        level=2,
        names=("the x component of the constraint force", "the y component of the constraint force"),
        question="""
            A particle of 2 kg slides without friction on a straight wire in the direction (4, 3)/5 in a vertical
            plane, *y* upwards. Its weight is (0, −20) N. Which force (in N) does the wire exert on it?
        """,
        reference=(-9.6, 12.8),
        mistakes=(
            Mistake((0, 20), "With this force the particle would stay at rest. The wire can push only across itself.",
                    "misconception"),
            Mistake((-4.8, -3.6), "That is the acceleration. Times the mass, and without the weight, it is the force "
                                  "of the wire.", "entry"),
            Mistake((-9.6, -7.2), "That is the sum of all forces, m a. The weight is one of them.", "gravity"),
            Mistake((9.6, -12.8), "That is what the particle does to the wire.", "sign"),
        ),
        hints=(
            "The wire's force is at right angles to (4, 3), and cancels the part of the weight in that direction.",
            "Along the unit vector (-3, 4)/5 the weight has -16 N.",
        ),
        solution=r"""
            The constraint force lies along $t = (-3, 4)/5$. Across the wire nothing accelerates, so it takes away the
            part of the weight along $t$, which is $-20 \cdot 0.8 = -16$ N: $16\,t = (-9.6, 12.8)$ N. In terms of
            chapter 3: $K = t^{\mathrm T}$, $k = 0$, and $K M^{-1} K^{\mathrm T}\lambda = -K M^{-1} f$.
        """,
    ),
    More(
        id="5.53",
        title="The multipliers, by program",
        section="The whole machine in one equation",
        level=2,
        kind="function",
        question=r"""
            Write a function `multipliers(H, C, tau, K, k)` that returns $\lambda$ of the constrained equation of motion
            $H \ddot q + C = \tau + K^{\mathrm T}\lambda$, $K \ddot q = k$, for a matrix `K` of full row rank.
        """,
        reference=_multipliers,
        inputs=_constrained_system,
        mistakes=(
            Mistake(lambda H, C, tau, K, k: -_multipliers(H, C, tau, K, k),
                    "The sign: λ stands on the right-hand side, so K q̈ = K H⁻¹(τ - C) + K H⁻¹Kᵀ λ.", "sign"),
            Mistake(lambda H, C, tau, K, k: np.linalg.solve(K @ np.linalg.solve(H, K.T),
                                                            k - K @ np.linalg.solve(H, tau + C)),
                    "C is subtracted from τ: it stands on the left-hand side of the equation of motion.", "sign"),
            Mistake(lambda H, C, tau, K, k: np.linalg.solve(K @ np.linalg.solve(H, K.T), k),
                    "You have left out the accelerations that there would be without the constraint: k says what is "
                    "wanted, and only the difference has to come from λ.", "entry"),
            Mistake(lambda H, C, tau, K, k: np.linalg.solve(K @ H @ K.T, k - K @ np.linalg.solve(H, tau - C)),
                    "The matrix of the multipliers has the inverse of H in the middle: it says how much the "
                    "constraint accelerates for a unit of λ.", "inverse"),
        ),
        hints=(
            "Solve the first equation for q̈ and put it into the second.",
            "K H⁻¹ Kᵀ λ = k - K H⁻¹ (τ - C)",
        ),
        solution=r"""
            From the first equation $\ddot q = H^{-1}(\tau - C) + H^{-1} K^{\mathrm T} \lambda$, and the second one
            makes of it $K H^{-1} K^{\mathrm T} \lambda = k - K H^{-1} (\tau - C)$:

                def multipliers(H, C, tau, K, k):
                    A = K @ np.linalg.solve(H, K.T)
                    return np.linalg.solve(A, k - K @ np.linalg.solve(H, tau - C))

            The matrix is symmetric and positive definite if `K` has full row rank.
        """,
    ),
    More(
        id="5.54",
        title="One constraint too many",
        section="A loop, and three stresses too many",
        level=1,
        kind="word",
        choices={
            "a": "Neither the accelerations nor the constraint forces are unique.",
            "b": "The accelerations are unique; the multipliers are not.",
            "c": "Both are unique, because the equations agree with each other.",
            "d": "There is no solution.",
        },
        question="""
            A table with four legs stands on rigid ground: the constraints repeat each other, but do not contradict each
            other. What do the equations of motion say? Answer with a letter.

            - **a** Neither the accelerations nor the constraint forces are unique.
            - **b** The accelerations are unique; the multipliers are not.
            - **c** Both are unique, because the equations agree with each other.
            - **d** There is no solution.
        """,
        reference="b",
        mistakes=(
            Mistake("a", "How the table accelerates is decided: it stands. Only how the legs share the weight is not.",
                    "misconception"),
            Mistake("c", "Add 1 N to two opposite legs and take it from the other two: table and floor do not "
                         "notice.", "misconception"),
            Mistake("d", "Constraints that agree can be kept. It would be otherwise if they contradicted each other.",
                    "misconception"),
        ),
        hints=(
            "Does the table move? And could you say how much each leg carries, from statics alone?",
            "If Kᵀλ = 0 for some λ that is not zero, what does adding this λ change?",
        ),
        solution=r"""
            If $K^{\mathrm T}\lambda_0 = 0$ for some $\lambda_0 \ne 0$, then adding $\lambda_0$ to the multipliers
            changes no force on the system and no acceleration. So the accelerations are unique and the multipliers are
            not: **b**. Statically indeterminate, say the engineers; elasticity decides.
        """,
    ),
)
