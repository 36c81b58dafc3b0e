"""Additional exercises on SOA: shifting forces, operators with many zeros, and a mass matrix counted from the tip."""

import numpy as np

from rbdlib.exercises.more.declare import Mistake, More, formula


def _blocks_below(rng):
    """A strictly lower block triangular matrix with blocks beside the diagonal only, as E_phi for three links."""
    E = np.zeros((6, 6))
    for k in range(2):
        E[2 * k + 2 : 2 * k + 4, 2 * k : 2 * k + 2] = rng.normal(size=(2, 2))
    return (E,)


EXERCISES = (
    More(
        id="12.51",
        title="A force, one link inwards",
        section="All links at once",
        level=1,
        quantity="force",
        question=r"""
            At $O_{k-1}$ link *k* is pulled with the spatial force $[0, 0, 1,\; 0, 4, 0]$ (moment first, in N m and N).
            The vector from $O_k$ to $O_{k-1}$ is $l(k, k-1) = (0.5, 0, 0)$ m. What is $\phi(k, k-1)$ times this force,
            the same force about $O_k$?
        """,
        reference=(0, 0, 3, 0, 4, 0),
        mistakes=(
            Mistake((0, 0, -1, 0, 4, 0), "The moment is l × F, with l from O_k to the point where the force was "
                                         "given; you have F × l.", "order"),
            Mistake((0, 0, 1, 0, 4, 0), "The linear force is the same at every point, but the moment is not.",
                    "entry"),
            Mistake((0, 0, 1, 0, 4.5, 0), "That is φ*, which shifts velocities: there it is the linear part that "
                                          "changes.", "dual"),
        ),
        hints=("φ(k, k-1) = [1, l×; 0, 1].", "(0.5, 0, 0) × (0, 4, 0) = (0, 0, 2)"),
        solution=r"""
            $\phi(k, k-1) = [1,\; l\times;\; 0,\; 1]$ adds $l \times F = (0.5, 0, 0) \times (0, 4, 0) = (0, 0, 2)$ to
            the moment: $[0, 0, 3, 0, 4, 0]$.
        """,
    ),
    More(
        id="12.52",
        title="How many blocks?",
        section="A matrix that nobody multiplies",
        level=1,
        quantity="whole numbers",
        names=("the blocks of phi", "the blocks of E_phi"),
        question=r"""
            A chain has 7 links. How many of the 49 blocks of $\phi$ differ from zero, and how many of
            $\mathcal{E}_\phi$?
        """,
        reference=(28, 6),
        mistakes=(
            Mistake((28, 7), "The first number is right. 𝓔_φ has one block for each pair of neighbours.", "entry"),
            Mistake((21, 6), "The second number is right. φ has unit blocks on its diagonal, and they count.",
                    "entry"),
            Mistake((49, 6), "The second number is right. Forces are passed on from the tip to the base only, so φ "
                             "is lower triangular.", "entry"),
        ),
        hints=("φ is lower block triangular, with ones on the diagonal.", "7·8/2, and neighbours: 7 - 1."),
        solution=r"""
            $\phi$ is lower block triangular with unit blocks on the diagonal: $7 \cdot 8/2 = 28$ blocks.
            $\mathcal{E}_\phi$ has one block below the diagonal for each of the 6 pairs of neighbours. Both say the
            same, since $\phi = (1 - \mathcal{E}_\phi)^{-1}$; that is why recursions need only the 6.
        """,
    ),
    More(
        id="12.53",
        title="Two trolleys, counted from the tip, on paper",
        section="The mass matrix, three times",
        level=2,
        question=r"""
            *On paper.* A trolley of mass $m_2$ rolls on the ground along *x*; on it a trolley of mass $m_1$ rolls along
            *x*. Joint variables are relative, and as in SOA link 1 is the one at the tip. Give the mass matrix as two
            rows, in `m1`, `m2`.
        """,
        where="0 < m1, m2",
        reference=lambda: [[formula("m1")(), formula("m1")()], [formula("m1")(), formula("m1 + m2")()]],
        mistakes=(
            Mistake(lambda: [[formula("m1 + m2")(), formula("m1")()], [formula("m1")(), formula("m1")()]],
                    "The entries are right, in RBDA's order, from the base. SOA counts from the tip.", "order"),
            Mistake(lambda: [[formula("m1")(), 0], [0, formula("m2")()]],
                    "That would be right for positions over ground. Joint variables are relative: the lower trolley "
                    "carries the upper one along.", "relative"),
            Mistake(lambda: [[formula("m1")(), formula("m2")()], [formula("m2")(), formula("m1 + m2")()]],
                    "The diagonal is right. What moves when either joint moves is the outer trolley.", "coupling"),
        ),
        hints=("Joint 2 moves both trolleys, joint 1 the upper one only.",
               "T = ½ m2 θ̇2² + ½ m1 (θ̇1 + θ̇2)²"),
        solution=r"""
            $T = \tfrac12 m_2 \dot\theta_2^2 + \tfrac12 m_1 (\dot\theta_1 + \dot\theta_2)^2$, so
            $\mathcal M = [m_1,\; m_1;\; m_1,\; m_1 + m_2]$. Its factors in SOA's sense: the joint of link 1 lets it
            slide freely, $D(1) = m_1$, nothing is handed on, and $D(2) = m_2$; the determinant is $m_1 m_2$.
        """,
    ),
    More(
        id="12.54",
        title="From neighbours to all pairs",
        section="A matrix that nobody multiplies",
        level=2,
        kind="function",
        question=r"""
            Write a function `phi(E)` that returns $\phi$ for the matrix $\mathcal{E}_\phi$ of any chain. (Blocks on
            and above the diagonal of `E` are zero.)
        """,
        reference=lambda E: np.linalg.inv(np.eye(len(E)) - E),
        inputs=_blocks_below,
        mistakes=(
            Mistake(lambda E: np.eye(len(E)) + E,
                    "These are the first two terms of the series. They reach the next neighbour, and no further.",
                    "entry"),
            Mistake(lambda E: np.linalg.inv(np.eye(len(E)) + E),
                    "The sign: f = 𝓔 f + y, so (1 - 𝓔) f = y.", "sign"),
            Mistake(lambda E: np.eye(len(E)) - E, "That is the inverse of φ.", "inverse"),
        ),
        hints=("Every link passes on what it gets and adds its own: f = 𝓔 f + y.", "φ = (1 - 𝓔)⁻¹ = 1 + 𝓔 + 𝓔² + ..."),
        solution=r"""
            $f = \mathcal{E} f + y$ has the solution $f = (1 - \mathcal{E})^{-1} y = \phi y$:

                def phi(E):
                    return np.linalg.inv(np.eye(len(E)) - E)

            The series $1 + \mathcal E + \mathcal E^2 + \dots$ ends, because $\mathcal{E}^n = 0$. Nobody forms this
            matrix in earnest.
        """,
    ),
)
