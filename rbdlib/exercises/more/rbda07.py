"""Additional exercises on RBDA chapter 7: what a handle feels, and what is handed on across a joint."""

import numpy as np

from rbdlib.exercises.more.declare import Mistake, More, formula


def _handed_on(I_A, S):
    U = I_A @ S
    return I_A - U @ np.linalg.solve(S.T @ U, U.T)


def _body_and_joint(rng):
    A = rng.normal(size=(6, 6))
    return A @ A.T + np.eye(6), rng.normal(size=(6, 2))


EXERCISES = (
    More(
        id="11.51",
        title="A slider inside a box, on paper",
        section="One joint, on paper",
        level=2,
        question=r"""
            *On paper.* A box of mass $M$ contains a slider of mass $m$ on a frictionless rail, which makes the angle
            $\alpha$ with the *x* axis. The box is pushed along *x* and guided so that it can neither turn nor move
            sideways. Which mass does the hand feel? Give the formula in `M`, `m`, `alpha`.
        """,
        reference=formula("M + m*sin(alpha)**2", positive="M m"),
        mistakes=(
            Mistake(formula("M + m*cos(alpha)**2", positive="M m"),
                    "If the rail lies along x, α = 0, the slider stays where it is and is not felt at all. Yours is "
                    "felt in full.", "argument"),
            Mistake(formula("M + m", positive="M m"), "That is the locked slider. It is free, and gives way along the "
                                                      "rail.", "misconception"),
            Mistake(formula("M + m*sin(alpha)", positive="M m"),
                    "The slider takes over the component of the box's acceleration across the rail; its force on "
                    "the box has again only a component along x. Two sines.", "square"),
        ),
        hints=(
            "Which component of the box's acceleration can the rail pass on to the slider?",
            "The rail pushes with m a sin α across itself; along x that is m a sin² α.",
        ),
        solution=r"""
            The rail can push the slider only across itself. The box's acceleration $a$ has the component $a \sin\alpha$
            across the rail, so the rail pushes with $m a \sin\alpha$, of which $m a \sin^2\alpha$ is along *x*. The
            hand feels $M + m \sin^2\alpha$. In the book's terms: $I^a = m\,1 - U D^{-1} U^{\mathrm T}$ with $S =
            (\cos\alpha, \sin\alpha)$.
        """,
    ),
    More(
        id="11.52",
        title="Two rods in a row",
        section="Unlocking a chain",
        level=3,
        question=r"""
            Two uniform rods, each of 4 kg and 1 m, lie in a line on ice and are joined by a frictionless hinge. You
            pull the free end of the first one sideways. Which mass (kg) do you feel at the first moment? (One rod alone
            would be felt with a quarter of its mass.)
        """,
        reference=8 / 7,
        mistakes=(
            Mistake(8.0, "That is the mass of both rods, as if they did not turn and the hinge were locked.",
                    "misconception"),
            Mistake(2.0, "That is a quarter of both masses. The hinge and the turning do not simply multiply.",
                    "factor"),
            Mistake(1.0, "That is the first rod alone. The second one hangs on its other end and makes it harder to "
                         "turn.", "entry"),
        ),
        hints=(
            "Begin at the far end: at the hinge the second rod is felt, sideways, like a particle of 1 kg.",
            "So the first rod has a particle of 1 kg at its far end. Where is its centre of mass, and what is I_C?",
            "m = 5, c = 0.6, I_C = 8/15; the end feels m I_C/(I_C + m c²).",
        ),
        solution=r"""
            The second rod is felt at the hinge like a particle of $4/4 = 1$ kg (sideways only). The first one with this
            particle at its far end has 5 kg, its centre of mass at $(4 \cdot 0.5 + 1 \cdot 1)/5 = 0.6$ m, and
            $I_C = \tfrac13 + 4 \cdot 0.1^2 + 1 \cdot 0.4^2 = 8/15$. At the end that is
            $\dfrac{m I_C}{I_C + m c^2} = \dfrac{8/3}{7/3} = \dfrac87$ kg. For longer chains it tends to
            $4/(2\sqrt 3) = 1.155$ kg.
        """,
    ),
    More(
        id="11.53",
        title="What is handed on",
        section="One joint, on paper",
        level=2,
        kind="function",
        question=r"""
            Write a function `handed_on(I_A, S)` that returns $I^a$, the articulated-body inertia that a body with
            $I^A$ passes on across a joint with the motion subspace `S` (6×n), still in the body's coordinates.
        """,
        reference=_handed_on,
        inputs=_body_and_joint,
        mistakes=(
            Mistake(lambda I_A, S: I_A, "That is the rigidly attached body: the joint does not give way.",
                    "misconception"),
            Mistake(lambda I_A, S: (I_A @ S) @ np.linalg.solve(S.T @ I_A @ S, (I_A @ S).T),
                    "That is the part that the joint swallows. Subtract it from I_A.", "entry"),
            Mistake(lambda I_A, S: I_A + (I_A @ S) @ np.linalg.solve(S.T @ I_A @ S, (I_A @ S).T),
                    "A joint that gives way makes the body easier to move, not harder: look at the sign.", "sign"),
            Mistake(lambda I_A, S: I_A - (I_A @ S) @ (S.T @ I_A @ S) @ (I_A @ S).T,
                    "D = Sᵀ I_A S must be inverted: as it is, the units do not match.", "inverse"),
        ),
        hints=("U = I_A S and D = Sᵀ U.", "I_a = I_A - U D⁻¹ Uᵀ"),
        solution=r"""
            With $U = I^A S$ and $D = S^{\mathrm T} U$ it is $I^a = I^A - U D^{-1} U^{\mathrm T}$ (Table 7.1):

                def handed_on(I_A, S):
                    U = I_A @ S
                    return I_A - U @ np.linalg.solve(S.T @ U, U.T)

            Test it: $I^a S = 0$.
        """,
    ),
    More(
        id="11.54",
        title="Motions that meet no resistance",
        section="One joint, on paper",
        level=1,
        kind="word",
        choices={
            "a": "I^a is zero.",
            "b": "I^a S is zero: along the joint nothing is felt.",
            "c": "Sᵀ I^a S equals Sᵀ I^A S: along the joint everything is felt.",
            "d": "I^a is the inverse of I^A in the directions of S.",
        },
        question=r"""
            A body hangs on a frictionless joint without a motor. What is true of the inertia $I^a$ that it passes on to
            its parent? Answer with a letter.

            - **a** $I^a$ is zero.
            - **b** $I^a S$ is zero: along the joint nothing is felt.
            - **c** $S^{\mathrm T} I^a S$ equals $S^{\mathrm T} I^A S$: along the joint everything is felt.
            - **d** $I^a$ is the inverse of $I^A$ in the directions of $S$.
        """,
        reference="b",
        mistakes=(
            Mistake("a", "The joint gives way in its own directions only. In all others the body is still felt.",
                    "misconception"),
            Mistake("c", "Move the parent along the joint's own direction: does the body follow?", "misconception"),
            Mistake("d", "I^a is an inertia like I^A, with the joint's directions projected out, and nothing in it is "
                         "inverted but D.", "entry"),
        ),
        hints=("Imagine a wheel on its axle, and turn the axle.", "Multiply I^A - U D⁻¹ Uᵀ by S."),
        solution=r"""
            $I^a S = I^A S - U D^{-1} (U^{\mathrm T} S) = U - U = 0$, because $U^{\mathrm T} S = D$: **b**. If the
            parent accelerates along the joint, the body stays behind and is not felt.
        """,
    ),
)
