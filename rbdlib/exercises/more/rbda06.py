"""Additional exercises on RBDA chapter 6: sparsity, composite bodies and the matrix from energies."""

import numpy as np

from rbdlib.exercises.more.declare import Mistake, More


def _arm_entry():
    from sympy import symbols

    from rbdlib.book.ch06_inertia_matrix import crba
    from rbdlib.io.model_file import load

    return crba(load("furuta_pendulum", symbolic=True), symbols("q1 q2"))[0, 0]


def _arm_entry_with(pendulum, arm):
    def answer():
        from sympy import Rational, cos, sin, symbols

        m, l, m_arm, l_arm, q2 = symbols("m l m_arm l_arm q2")
        terms = {"sin": sin(q2) ** 2 / 3, "cos": cos(q2) ** 2 / 3, "quarter": sin(q2) ** 2 / 4, "none": 0}
        return m * l**2 * terms[pendulum] + m * l_arm**2 * arm + Rational(1, 3) * m_arm * l_arm**2

    return answer


def _by_polarisation(T, n):
    e = np.eye(n)
    return np.array([[T(e[i] + e[j]) - T(e[i]) - T(e[j]) for j in range(n)] for i in range(n)])


def _energy(rng):
    A = rng.normal(size=(3, 3))
    H = A @ A.T + np.eye(3)
    return (lambda qd: np.asarray(qd) @ H @ np.asarray(qd) / 2), 3


EXERCISES = (
    More(
        id="10.51",
        title="How many entries can differ from zero?",
        section="Zeros that no posture can fill",
        level=1,
        quantity="whole numbers",
        question=r"""
            A tree with one-variable joints has `parent = [0, 1, 1, 2, 3]`. How many of the 25 entries of $H$ can differ
            from zero?
        """,
        reference=17,
        mistakes=(
            Mistake(11, "These are the entries on and below the diagonal. Those above count, too.", "entry"),
            Mistake(25, "Bodies 2 and 3 are on different branches: neither carries the other.", "entry"),
            Mistake(13, "You have counted children only. An entry differs from zero whenever one body carries the "
                        "other, also by way of a third.", "entry"),
        ),
        hints=("H_ij can differ from zero if i is an ancestor of j, or j of i, or both are the same.",
               "Body i at depth d, counted from 1, has d - 1 ancestors: 1 + 2(d - 1) entries."),
        solution=r"""
            The depths are 1, 2, 2, 3, 3. A body at depth $d$ shares two entries with each of its $d - 1$ ancestors
            and has one on the diagonal: $1 + 3 + 3 + 5 + 5 = 17$. The eight zeros belong to the pairs (2, 3), (2, 5),
            (3, 4) and (4, 5).
        """,
    ),
    More(
        id="10.52",
        title="What the vertical axis moves, on paper",
        section="What moves is one rigid body",
        level=2,
        model="furuta_pendulum",
        asks="H[1,1]",
        question=r"""
            *On paper.* A horizontal arm, a uniform thin rod of mass `m_arm` and length `l_arm`, turns about a vertical
            axis at its end. At its other end a uniform thin rod of mass `m` and length `l` swings about the arm's own
            direction; `q2` is its angle from hanging straight down. Give $H_{11}$.
        """,
        reference=_arm_entry,
        mistakes=(
            Mistake(_arm_entry_with("cos", 1),
                    "Hanging down, q2 = 0, the pendulum is parallel to the axis and adds nothing beyond its mass times "
                    "l_arm²: sine, not cosine.", "argument"),
            Mistake(_arm_entry_with("quarter", 1),
                    "You have put the pendulum's mass into its middle. It is spread out from 0 to l: the mean "
                    "square is l²/3, not l²/4.", "factor"),
            Mistake(_arm_entry_with("none", 1),
                    "You have put the pendulum's mass into its hinge. When it is lifted, it reaches out sideways.",
                    "entry"),
            Mistake(_arm_entry_with("sin", 0),
                    "The pendulum hangs at the end of the arm: the distance l_arm from the axis counts as well.",
                    "entry"),
        ),
        hints=(
            "Hold joint 2 and turn everything about the vertical axis: H11 is the moment of inertia about it.",
            "A piece of the pendulum at the distance s from its hinge is √(l_arm² + s² sin² q2) from the axis.",
        ),
        solution=r"""
            $H_{11}$ is the moment of inertia about the vertical axis. The arm contributes $m_{arm} l_{arm}^2/3$. A
            piece of the pendulum at the distance $s$ from its hinge has the squared distance $l_{arm}^2 + s^2 \sin^2
            q_2$ from the axis, and the mean of $s^2$ is $l^2/3$: $m\,(l_{arm}^2 + \tfrac13 l^2 \sin^2 q_2)$.
        """,
    ),
    More(
        id="10.53",
        title="Two particles become one body",
        section="What moves is one rigid body",
        level=1,
        names=("the mass", "the x coordinate of the centre of mass", "the y coordinate of the centre of mass",
               "the moment of inertia about the z axis through the origin"),
        question=r"""
            A particle of 1 kg is at (1, 0, 0) m and one of 2 kg at (0, 1, 0) m. Together they are a composite rigid
            body. Give its mass (kg), the *x* and *y* coordinates of its centre of mass (m), and its moment of inertia
            about the **z** axis through the origin (kg m²).
        """,
        reference=(3, 1 / 3, 2 / 3, 3),
        mistakes=(
            Mistake((3, 1 / 3, 2 / 3, 4 / 3),
                    "That is the moment of inertia about the centre of mass. About the origin it is larger by m c².",
                    "frame"),
            Mistake((3, 1 / 2, 1 / 2, 3), "That is the middle of the two places. The heavier particle pulls the centre "
                                          "of mass towards itself.", "entry"),
            Mistake((3, 1, 2, 3), "These are the first moments, m c. Divide by the mass.", "factor"),
        ),
        hints=("Spatial inertias in the same coordinates are added: masses, first moments, second moments.",
               "First moments: 1·(1, 0) + 2·(0, 1). Second: 1·1² + 2·1²."),
        solution=r"""
            Mass $1 + 2 = 3$ kg, first moment $(1, 2)$ kg m, so $c = (1/3, 2/3)$ m; second moment $1 \cdot 1 + 2 \cdot 1
            = 3$ kg m². Adding spatial inertias does the same, because they contain $m$, $m c$ and $I_O$, which are sums
            over the mass.
        """,
    ),
    More(
        id="10.54",
        title="The matrix from energies",
        section="The same matrix, from energy",
        level=3,
        kind="function",
        question=r"""
            A program gives you nothing but the kinetic energy `T(qd)` of a mechanism in one posture, for any velocity.
            Write a function `inertia_matrix(T, n)` that finds $H$ ($n \times n$) by calling `T`, without derivatives.
        """,
        reference=_by_polarisation,
        inputs=_energy,
        mistakes=(
            Mistake(lambda T, n: np.diag([2 * T(e) for e in np.eye(n)]),
                    "The diagonal is right. How do two joints at once differ from the two of them apart?", "coupling"),
            Mistake(lambda T, n: _by_polarisation(T, n) / 2,
                    "Everything is half as large as it should be. With T = ½ q̇ᵀ H q̇ there is no half left in "
                    "T(e_i + e_j) - T(e_i) - T(e_j).", "factor"),
            Mistake(lambda T, n: np.array([[T(a + b) for b in np.eye(n)] for a in np.eye(n)]),
                    "T(e_i + e_j) contains H_ii and H_jj as well. Take them away.", "entry"),
        ),
        hints=("T = ½ q̇ᵀ H q̇. What is T of a unit vector, and of the sum of two?",
               "T(e_i + e_j) = ½ H_ii + ½ H_jj + H_ij"),
        solution=r"""
            With unit vectors $T(e_i) = \tfrac12 H_{ii}$ and $T(e_i + e_j) = \tfrac12 H_{ii} + \tfrac12 H_{jj} +
            H_{ij}$, so $H_{ij} = T(e_i + e_j) - T(e_i) - T(e_j)$; for $i = j$ this gives $4T(e_i) - 2T(e_i) = H_{ii}$
            as well:

                def inertia_matrix(T, n):
                    e = np.eye(n)
                    return np.array([[T(a + b) - T(a) - T(b) for b in e] for a in e])

            This is called polarisation.
        """,
    ),
)
