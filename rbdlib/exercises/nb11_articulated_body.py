"""The exercises of notebook 11, articulated-body inertia and the articulated-body algorithm (RBDA chapter 7)."""

import numpy as np

from rbdlib.exercises.declare import Exercise, Mistake


def _at_the_hinge(formula):
    """An answer to exercise 11.3, from a function of m, c and I_C."""

    def answer():
        from sympy import symbols

        return formula(*symbols("m c I_C", positive=True))

    return answer


def _joint(rng):
    B = rng.normal(size=(6, 6))
    S, p_A, c = rng.normal(size=(6, 1)), rng.normal(size=6), rng.normal(size=6)
    return B @ B.T + np.eye(6), p_A, S, c, rng.normal(size=1)


def _across(bias):
    """An answer to exercise 11.4, from a function of I_A, p_A, I_a, U D⁻¹, Sᵀ, c and tau."""

    def p_a(I_A, p_A, S, c, tau):
        U = I_A @ S
        U_D = U @ np.linalg.inv(S.T @ U)
        return bias(I_A, p_A, I_A - U_D @ U.T, U_D, S.T, c, tau)

    return p_a


EXERCISES = (
    Exercise(
        id="11.1",
        title="A push and a twist",
        section="Six pushes",
        quantity="motion",
        reference=(2, 0, 0, 1, 2, 0),
        remark="The push points towards (2, 1) and the box sets off towards (1, 2): along the slot it has little to "
               "move.",
        mistakes=(
            Mistake((0.5, 0, 0, 1, 0.5, 0),
                    "That is the acceleration of box and cylinder as one rigid piece. The cylinder takes part only in "
                    "motions for which the slot can push it.", "entry"),
            Mistake((2, 0, 0, 4, 2, 0),
                    "That is the box alone. The slot's walls push the cylinder along whenever the box moves along x.",
                    "entry"),
            Mistake((0.5, 0, 0, 4, 0.5, 0),
                    "You have the freedoms the wrong way round: the cylinder takes no part in a rotation about x and a "
                    "translation along y, and in all the others it does.", "order"),
            Mistake((1, 2, 0, 2, 0, 0),
                    "The numbers are right, the order is not: the angular half comes first.", "order"),
        ),
        hints=(
            "The matrix is diagonal, so each component of the force has to do with one component of the acceleration.",
            "About x only the box turns, 0.5 kg m². Along x both bodies move, 4 kg; along y the box alone, 1 kg.",
            "1 / 0.5, then 4 / 4 and 2 / 1.",
        ),
        solution=r"""
            With $I^A = \mathrm{diag}(0.5, 2, 2, 4, 1, 4)$ and no bias force, $a = (I^A)^{-1} f$ is
            $[1/0.5,\ 0,\ 0,\ 4/4,\ 2/1,\ 0] = [2, 0, 0, 1, 2, 0]$.
        """,
    ),
    Exercise(
        id="11.2",
        title="One joint more",
        section="Unlocking a chain",
        kind="word",
        choices={
            "a": "It becomes smaller, whatever the acceleration.",
            "b": "It becomes smaller or stays the same.",
            "c": "It becomes smaller for some accelerations and larger for others.",
        },
        reference="b",
        remark="RBDA 7.19 says it in one term: what is taken away is a positive semidefinite matrix, and those "
               "accelerations keep their price for which the freed joint has no wish to move.",
        mistakes=(
            Mistake("a", "Take a straight chain and pull it along its length. Does freeing a hinge make any difference "
                         "to that?", "choice"),
            Mistake("c", "A freed joint can always go on doing what it did when it was locked. If it does something "
                         "else, it is because that is easier. So can anything become harder?", "choice"),
        ),
        hints=(
            "Look at two ellipses that differ by one joint. Do they ever cross?",
            "Do they touch? Put the bend to zero and look along the chain.",
            "The term that is subtracted is U D⁻¹ Uᵀ. It cannot be negative; it can be zero.",
        ),
        solution=r"""
            b. Unlocking subtracts $U D^{-1} U^{\mathrm T}$ from the inertia, and
            $a^{\mathrm T} U D^{-1} U^{\mathrm T} a = (U^{\mathrm T} a)^2 / D \ge 0$. It is zero for every acceleration
            with $U^{\mathrm T} a = 0$, that is, if the joint would not move even if it could: a straight chain pulled
            along its length is an example.
        """,
    ),
    Exercise(
        id="11.3",
        title="A body on a hinge, on paper",
        section="One joint, on paper",
        reference=_at_the_hinge(lambda m, c, I_C: m * I_C / (I_C + m * c**2)),
        remark="A uniform rod has I_C = m l²/12 and c = l/2, which makes m/4. And a body hinged at its centre of mass, "
               "c = 0, keeps its whole mass, whatever its shape.",
        mistakes=(
            Mistake(_at_the_hinge(lambda m, c, I_C: m),
                    "That is what you feel if the hinge is locked, and across the hinge's axis as well as along the "
                    "body. A free hinge lets the body turn away.", "entry"),
            Mistake(_at_the_hinge(lambda m, c, I_C: m**2 * c**2 / (I_C + m * c**2)),
                    "That is the part that the hinge takes away, U D⁻¹ Uᵀ. Asked is what remains of m.", "entry"),
            Mistake(_at_the_hinge(lambda m, c, I_C: (I_C + m * c**2) / c**2),
                    "That is the mass felt at the centre of mass if the hinge were held at rest. Here the hinge itself "
                    "is pushed, and nothing else is held.", "frame"),
            Mistake(_at_the_hinge(lambda m, c, I_C: m - m**2 * c**2 / I_C),
                    "D is the inertia about the hinge. You have taken the one about the centre of mass, and so a long "
                    "body gets a negative mass.", "factor"),
        ),
        hints=(
            "In planar coordinates [ω; v_x, v_y] at the hinge, with the body along x, I has the rows "
            "[I_C + m c², 0, m c], [0, m, 0] and [m c, 0, m].",
            "S = [1, 0, 0]. What are U = I S and D = Sᵀ U?",
            "The lower right entry of I - U D⁻¹ Uᵀ is m - (m c)² / (I_C + m c²).",
        ),
        solution=r"""
            $S$ picks the first column: $U = [I_C + m c^2,\ 0,\ m c]^{\mathrm T}$ and $D = I_C + m c^2$. Of
            $I - U D^{-1} U^{\mathrm T}$ the first row and column vanish, along the body the mass stays $m$, and across
            it $m - \dfrac{m^2 c^2}{I_C + m c^2} = \dfrac{m\, I_C}{I_C + m c^2}$.
        """,
    ),
    Exercise(
        id="11.4",
        title="The bias force across a joint",
        section="One joint, on paper",
        kind="function",
        reference=_across(lambda I_A, p_A, I_a, U_D, S_T, c, tau: p_A + I_a @ c + U_D @ (tau - S_T @ p_A)),
        inputs=_joint,
        mistakes=(
            Mistake(_across(lambda I_A, p_A, I_a, U_D, S_T, c, tau: p_A + I_A @ c + U_D @ (tau - S_T @ p_A)),
                    "You have mixed Eqs 7.20 and 7.24. With I_A c in front, the bracket must contain I_A c as well; "
                    "without it in the bracket, the factor in front is I_a. At rest, c = 0, you would never notice.",
                    "entry"),
            Mistake(_across(lambda I_A, p_A, I_a, U_D, S_T, c, tau:
                            p_A + I_a @ c + U_D @ (tau - S_T @ (I_A @ c + p_A))),
                    "The term with c in the bracket is already inside I_a c. You subtract it twice.", "entry"),
            Mistake(_across(lambda I_A, p_A, I_a, U_D, S_T, c, tau: p_A + I_a @ c - U_D @ (tau - S_T @ p_A)),
                    "The last term has the wrong sign. A motor that pushes the child forward makes a_2 larger, and "
                    "with it the force I_A a_2 + p_A that the parent has to supply.", "sign"),
            Mistake(_across(lambda I_A, p_A, I_a, U_D, S_T, c, tau: p_A + U_D @ (tau - S_T @ p_A)),
                    "The velocity term c is missing: the child accelerates by c relative to the parent even if "
                    "the joint's own acceleration is zero.", "entry"),
        ),
        hints=(
            "It is the part of Eq. 7.20 that comes from body 2. Or use Eq. 7.24, which needs I_a.",
            "U = I_A @ S, D = S.T @ U, I_a = I_A - U @ np.linalg.inv(D) @ U.T.",
            "p_A + I_a @ c + U @ np.linalg.inv(D) @ (tau - S.T @ p_A)",
        ),
        solution="""
            `U = I_A @ S`, `D_inv = np.linalg.inv(S.T @ U)`, `I_a = I_A - U @ D_inv @ U.T`, and
            `return p_A + I_a @ c + U @ D_inv @ (tau - S.T @ p_A)`. With Eq. 7.20 it is
            `p_A + I_A @ c + U @ D_inv @ (tau - S.T @ (I_A @ c + p_A))`, which is the same.
        """,
    ),
    Exercise(
        id="11.5",
        title="What the shoulder's motor feels",
        section="The whole algorithm, watched",
        reference=4,
        names=("D_1",),
        mistakes=(
            Mistake(5, "That is H_11, the moment of inertia with the elbow locked. Here the elbow is free.", "entry"),
            Mistake(0.25, "That is the acceleration that 1 N m causes. Its inverse is the moment of inertia.",
                    "factor"),
            Mistake(6, "The free elbow makes the shoulder's work lighter: H_12²/H_22 is subtracted.", "sign"),
            Mistake(3, "You have subtracted H_12 itself. What the elbow saves is H_12²/H_22.", "factor"),
        ),
        hints=(
            "Put 1 N m on the shoulder and 0 on the elbow. Which acceleration of the shoulder comes out?",
            "The second equation, 2 qdd_1 + 4 qdd_2 = 0, gives qdd_2 = -qdd_1 / 2. Put it into the first.",
            "5 qdd_1 + 2 (-qdd_1 / 2) = 4 qdd_1.",
        ),
        solution=r"""
            The elbow is free, $2 \ddot q_1 + 4 \ddot q_2 = 0$, and so $\ddot q_2 = -\ddot q_1 / 2$. Then
            $\tau_1 = 5 \ddot q_1 + 2 \ddot q_2 = 4 \ddot q_1$, so that
            $D_1 = H_{11} - H_{12}^2 / H_{22} = 4\ \mathrm{kg\,m^2}$, which is $1/(H^{-1})_{11}$.
        """,
    ),
    Exercise(
        id="11.6",
        title="Holding the box",
        section="Where the weight went",
        quantity="force",
        reference=(0, 0, 0, 0, 10, 0),
        remark="The other 30 N appear when the cylinder arrives at the slot's end.",
        mistakes=(
            Mistake((0, 0, 0, 0, 40, 0),
                    "That is the weight of both bodies. Who carries the cylinder while it slides down the slot?",
                    "entry"),
            Mistake((0, 0, 0, 0, -10, 0),
                    "The size is right. You hold the box up, so your force points up.", "sign"),
            Mistake((0, 0, 0, 0, 0, 0),
                    "The box does not accelerate, but gravity pulls at it: in the algorithm's accelerations a box at "
                    "rest has a = -a_g, which is not zero.", "entry"),
            Mistake((0, 10, 0, 0, 0, 0),
                    "The number is right, and it stands among the moments. The angular half comes first: the force "
                    "along y is the fifth entry.", "order"),
        ),
        hints=(
            "A box at rest has a = 0 - a_g in the algorithm's accelerations. What is f = I^A a + p^A?",
            "At rest and without joint forces p^A = 0. The acceleration is (0, 0, 0, 0, 10, 0).",
            "Along y the box has the apparent mass 1 kg.",
        ),
        solution=r"""
            $f = I^A (a - a_g) + p^A$ with $a = 0$, $p^A = 0$ and $-a_g = [0, 0, 0, 0, 10, 0]$. The fifth entry of
            the diagonal is $m_1 = 1$ kg, and so $f = [0, 0, 0, 0, 10, 0]$: in the first moment the cylinder falls
            freely, and you carry the box alone.
        """,
    ),
    Exercise(
        id="11.7",
        title="The stretched arm",
        section="A handle that cannot go everywhere",
        reference=2,
        names=("rank",),
        mistakes=(
            Mistake(3, "That is the rank in a bent posture. Stretch the arm: are the three axes still independent?",
                    "entry"),
            Mistake(1, "The hand can move across the arm, and it can also turn while one of its points rests. That "
                       "makes two.", "entry"),
            Mistake(6, "The matrix is 6 x 6, but the hand cannot leave the plane, whatever the posture.", "entry"),
        ),
        hints=(
            "The rank is that of J, whose columns are the axes of the three hinges.",
            "In base coordinates a hinge about z through (x, y) has the column (0, 0, 1, y, -x, 0). Let the arm lie "
            "along x.",
            "With y = 0 for all three, the columns are (0, 0, 1, 0, -x, 0) for three values of x.",
        ),
        solution=r"""
            Let the arm lie along $x$. The three columns of $J$ are $(0, 0, 1, 0, -x_i, 0)$, all in a space of two
            dimensions, and two of them are independent. So the rank is 2, and a pull along the arm is one more force
            that moves nothing.
        """,
    ),
    Exercise(
        id="11.8",
        title="A hundred bodies",
        section="Two by two",
        reference=7,
        names=("levels",),
        mistakes=(
            Mistake(100, "That is what the articulated-body algorithm needs, one joint after the other. Here half of "
                         "the joints are made at once.", "order"),
            Mistake(6, "After six levels 64 pieces at most have become one. The chain has more than 64.", "entry"),
            Mistake(50, "In the first level about 50 joints are made at once, and that is one level. How many "
                        "levels follow?", "entry"),
        ),
        hints=(
            "The base is a piece too, so there are 101 pieces in the beginning.",
            "Each level leaves half of the pieces, or one more than that if their number is odd.",
            "101, 51, 26, 13, 7, 4, 2, 1.",
        ),
        solution=r"""
            With the base there are 101 pieces. Each level leaves half of them, rounded up: 51, 26, 13, 7, 4, 2, 1.
            These are 7 levels, $\lceil \log_2 101 \rceil$.
        """,
    ),
)
