"""Additional exercises on RBDA chapter 8: counting freedoms, closing a loop, holding it together, going round it."""

import numpy as np

from rbdlib.exercises.more.declare import Mistake, More, formula


def _explicit(K, independent):
    n = K.shape[1]
    dependent = [j for j in range(n) if j not in independent]
    G = np.zeros((n, len(independent)))
    G[independent] = np.eye(len(independent))
    G[dependent] = -np.linalg.solve(K[:, dependent], K[:, independent])
    return G


def _wrong_sign(K, independent):
    G = -_explicit(K, independent)
    G[independent] = np.eye(len(independent))
    return G


def _only_dependent(K, independent):
    G = _explicit(K, independent)
    return G[[j for j in range(len(G)) if j not in independent]]


def _loop(rng):
    return rng.normal(size=(2, 4)), [0, 2]


EXERCISES = (
    More(
        id="15.51",
        title="Counting a six-bar",
        section="More constraints than needed",
        level=1,
        quantity="whole numbers",
        names=("the number of independent loops", "the mobility"),
        question=r"""
            A planar mechanism has five moving bars and a fixed one, joined by seven hinges. How many independent
            kinematic loops does it have, and what is its mobility, if no constraint repeats another?
        """,
        reference=(2, 1),
        mistakes=(
            Mistake((7, 1), "The mobility is right. Five hinges make a tree of five bars; only the others close "
                            "loops.", "entry"),
            Mistake((2, 3), "The loops are right. The tree has five freedoms, and each of the two loop hinges takes "
                            "two.", "entry"),
            Mistake((2, 15), "The loops are right. Five free bars would have 15 freedoms; each hinge takes two.",
                    "entry"),
        ),
        hints=("Spanning tree: as many joints as moving bodies. The rest are loop joints.",
               "5 tree hinges give 5 freedoms, and each of the 2 loop hinges takes 2."),
        solution=r"""
            Five of the seven hinges connect the five bars to a tree with five freedoms; $7 - 5 = 2$ close loops, and
            each takes two freedoms: $5 - 4 = 1$. Or $3 \cdot 5 - 2 \cdot 7 = 1$.
        """,
    ),
    More(
        id="15.52",
        title="A crank and a rod, on paper",
        section="What the pin forbids",
        level=2,
        names=("K_1", "K_2"),
        question=r"""
            *On paper.* A crank of length $r$ turns about the origin by $q_1$ from the *x* axis; a rod of length $l$
            hangs on its end, turned by $q_2$ relative to the crank. The rod's far end must stay on the *x* axis: $\phi
            = y = 0$. Give the row $K = [K_1, K_2]$ with $\dot\phi = K \dot q$, in `r`, `l`, `q1`, `q2`.
        """,
        where="0 < r, l",
        reference=formula("r*cos(q1) + l*cos(q1 + q2)", "l*cos(q1 + q2)"),
        mistakes=(
            Mistake(formula("r*cos(q1)", "l*cos(q1 + q2)"),
                    "When the crank turns it takes the rod along, because q2 is relative: K_1 contains the rod as "
                    "well.", "relative"),
            Mistake(formula("r*cos(q1)", "l*cos(q2)"),
                    "q2 is the angle between rod and crank; the rod's angle from x is q1 + q2.", "relative"),
            Mistake(formula("r*sin(q1) + l*sin(q1 + q2)", "l*sin(q1 + q2)"),
                    "The first entry is φ itself. K is its derivative.", "derivative"),
            Mistake(formula("-r*sin(q1) - l*sin(q1 + q2)", "-l*sin(q1 + q2)"),
                    "That is how the far end moves along x, where it is free. What is forbidden is y.", "axis"),
        ),
        hints=("y = r sin q1 + l sin(q1 + q2)", "Differentiate with respect to q1, then with respect to q2."),
        solution=r"""
            $\phi = r \sin q_1 + l \sin(q_1 + q_2)$ and
            $\dot\phi = \big(r \cos q_1 + l\cos(q_1 + q_2)\big)\dot q_1 + l \cos(q_1 + q_2)\,\dot q_2$. Where the rod is
            upright, $\cos(q_1 + q_2) = 0$, the second entry vanishes, and $q_2$ cannot be computed from $q_1$.
        """,
    ),
    More(
        id="15.53",
        title="Pulling the pin back",
        section="It comes apart",
        level=1,
        question=r"""
            A loop has come apart by $\delta = 10^{-3}$ m and is closing at $\dot\delta = -2 \cdot 10^{-3}$ m/s. With
            stabilisation at the time constant $T_{stab} = 0.1$ s (critically damped), which $\ddot\delta$ (m/s²) is
            asked for?
        """,
        reference=-0.06,
        mistakes=(
            Mistake(-0.14, "The damping works against the velocity: the loop is already closing, so less is asked "
                           "for.", "sign"),
            Mistake(0.06, "The sign is wrong: this would drive the loop open.", "sign"),
            Mistake(-0.08, "The damping is 2/T, not 1/T, if it is to be critical.", "factor"),
            Mistake(-0.1, "That is the spring alone. The velocity counts, too.", "entry"),
        ),
        hints=("δ̈ = -(2/T) δ̇ - (1/T²) δ", "-(20)(-0.002) - (100)(0.001)"),
        solution=r"""
            $\ddot\delta = -\tfrac{2}{T}\dot\delta - \tfrac{1}{T^2}\delta = 0.04 - 0.1 = -0.06$ m/s². Kept
            up, this closes the gap within a few multiples of $T$, without swinging through.
        """,
    ),
    More(
        id="16.51",
        title="From forbidden to free",
        section="Without a formula",
        level=3,
        kind="function",
        question=r"""
            Write a function `free_motions(K, independent)` that returns the matrix $G$ with $\dot q = G \dot y$ for
            constraints $K \dot q = 0$; $y$ are the variables whose zero-based numbers are in the list `independent`.
            The columns of `K` that belong to the other variables form a regular square matrix.
        """,
        reference=_explicit,
        inputs=_loop,
        mistakes=(
            Mistake(_wrong_sign, "The dependent rows have the wrong sign: K_d q̇_d = -K_y ẏ.", "sign"),
            Mistake(_only_dependent,
                    "These are the rows of the dependent variables. G has a row for every variable; those of the "
                    "independent ones make a unit matrix.", "entry"),
            Mistake(lambda K, independent: np.linalg.svd(K)[2][len(K):].T,
                    "These columns span the right space, K G = 0. But with them y would be other coordinates: the "
                    "rows of the independent variables must be a unit matrix.", "entry"),
        ),
        hints=("Split the columns of K: K_y ẏ + K_d q̇_d = 0.",
               "Rows of the independent variables: unit matrix; the others: -K_d⁻¹ K_y."),
        solution=r"""
            From $K_y \dot y + K_d \dot q_d = 0$ follows $\dot q_d = -K_d^{-1} K_y\, \dot y$:

                def free_motions(K, independent):
                    n = K.shape[1]
                    dependent = [j for j in range(n) if j not in independent]
                    G = np.zeros((n, len(independent)))
                    G[independent] = np.eye(len(independent))
                    G[dependent] = -np.linalg.solve(K[:, dependent], K[:, independent])
                    return G

            Where $K_d$ is singular, choose other independent variables.
        """,
    ),
)
