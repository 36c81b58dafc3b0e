"""The exercises of notebook 12, spatial operators: one equation for a chain, and the mass matrix in factors (SOA)."""

import math

from rbdlib.exercises.declare import Exercise, Mistake


def _in_n(formula):
    """An answer to exercise 12.4, from a function of n."""

    def answer():
        from sympy import symbols

        return formula(symbols("n"))

    return answer


def _elbow(formula):
    """An answer to exercise 12.7, from a function of the two masses, the two lengths and the angle."""

    def answer():
        from sympy import symbols

        return formula(*symbols("m1 m2 l1 l2 q"))

    return answer


def _free(m1, m2, l1, l2, q):
    from sympy import sin

    return m2 * l2**2 + m1 * l2**2 * sin(q) ** 2


def _locked(m1, m2, l1, l2, q):
    from sympy import cos

    return m2 * l2**2 + m1 * (l1**2 + l2**2 + 2 * l1 * l2 * cos(q))


def _along_the_wrong_line(m1, m2, l1, l2, q):
    from sympy import cos

    return m2 * l2**2 + m1 * l2**2 * cos(q) ** 2


def _chain(rng):
    phi, y = rng.normal(size=(5, 6, 6)), rng.normal(size=(5, 6))
    phi[0] = y[0] = 0
    return phi, y


def _base_to_tip(phi, y):
    x = y + 0
    for k in range(len(y) - 2, 0, -1):
        x[k] = phi[k].T @ x[k + 1] + y[k]
    return x


def _tip_to_base(phi, y):
    x = y + 0
    for k in range(2, len(y)):
        x[k] = phi[k - 1] @ x[k - 1] + y[k]
    return x


def _without_the_star(phi, y):
    return _base_to_tip(phi.transpose(0, 2, 1), y)


def _from_y_alone(phi, y):
    x = y + 0
    for k in range(1, len(y) - 1):
        x[k] = phi[k].T @ y[k + 1] + y[k]
    return x


def _one_joint_off(phi, y):
    x = y + 0
    for k in range(len(y) - 2, 0, -1):
        x[k] = phi[k + 1].T @ x[k + 1] + y[k]
    return x


EXERCISES = (
    Exercise(
        id="12.1",
        title="From the other end",
        section="Counting from the other end",
        reference=(5, 6, 8),
        names=("the link of body 3", "its inboard link", "the base"),
        mistakes=(
            Mistake((4, 5, 7),
                    "You have subtracted from 7. But body 7, at the tip, is link 1 and not link 0: the number is "
                    "n + 1 - i.", "entry"),
            Mistake((3, 2, 0),
                    "Those are RBDA's numbers, from the base. Now the tip is 1 and the numbers grow towards the base.",
                    "order"),
            Mistake((5, 4, 8),
                    "Body and base are right. Inboard means towards the base, and towards the base the numbers grow.",
                    "order"),
            Mistake((5, 6, 0),
                    "The links are right. The base is the one after the last link, n + 1; in this numbering 0 would be "
                    "something beyond the tip.", "entry"),
        ),
        hints=(
            "Which number does body 7 get, and which body 1?",
            "Link k is body n + 1 - k, with n = 7.",
            "The inboard neighbour of link k is link k + 1, and the base is n + 1.",
        ),
        solution=r"""
            Body $i$ is link $n + 1 - i$: body 3 of seven is link 5. Towards the base the numbers grow, so its inboard
            link is 6, and the base follows the last link, 7, as number 8.
        """,
    ),
    Exercise(
        id="12.2",
        title="A force two joints away",
        section="All links at once",
        quantity="force",
        reference=(0, 0, 6, 5, 10, 0),
        remark="You had no need to multiply two matrices: the vectors add, because φ(l) φ(m) = φ(l + m).",
        mistakes=(
            Mistake((0, 0, -6, 5, 10, 0),
                    "The size is right. The moment about O_4 is l × F with l from O_4 to O_2; you have the vector "
                    "pointing back.", "sign"),
            Mistake((0, 0, 5, 5, 10, 0),
                    "That takes the force from O_3 to O_4 only. It sits at O_2: the way has two pieces.", "entry"),
            Mistake((0, 0, 1, 5, 10, 0),
                    "That takes the force from O_2 to O_3 only. One piece of the way is still missing.", "entry"),
            Mistake((0, 0, 8, 5, 10, 0),
                    "The lever of the force along y is right. The force along x has a lever too, 0.4 m, and turns the "
                    "other way.", "entry"),
            Mistake((0, 0, 0, 5, 10, 0),
                    "A force that is moved gets a moment. You have used φ*, which takes motions outward and leaves "
                    "this vector as it is.", "dual"),
        ),
        hints=(
            "φ(4,2) = φ(4,3) φ(3,2), and two shifts one after the other are one shift.",
            "φ(l) adds the moment l × F; l from O_4 to O_2 is (0.8, 0.4, 0).",
            "The z component of (0.8, 0.4, 0) × (5, 10, 0) is 0.8 · 10 - 0.4 · 5.",
        ),
        solution=r"""
            The shifts add up to $l(4,2) = l(4,3) + l(3,2) = (0.8, 0.4, 0)$, and
            $\phi(4,2)\,f = (l \times F;\ F)$. Only the z component of the moment is not zero,
            $0.8 \cdot 10 - 0.4 \cdot 5 = 6$, so the answer is $(0, 0, 6, 5, 10, 0)$.
        """,
    ),
    Exercise(
        id="12.3",
        title="The star turns the loop around",
        section="A matrix that nobody multiplies",
        kind="function",
        reference=_base_to_tip,
        inputs=_chain,
        mistakes=(
            Mistake(_tip_to_base,
                    "That is φ y, from the tip to the base. The star reverses the order of the links as well: link k "
                    "gets its share from k + 1.", "transpose"),
            Mistake(_without_the_star,
                    "The loop runs the right way. What it passes on is not transposed: the block is φ*(k+1,k).",
                    "transpose"),
            Mistake(_from_y_alone,
                    "Each link has heard from its neighbour's y only. What the neighbour has heard itself must travel "
                    "on: use x[k + 1].", "entry"),
            Mistake(_one_joint_off,
                    "You go from link k + 1 to k, so you cross joint k: the matrix is phi[k] and not phi[k + 1].",
                    "entry"),
        ),
        hints=(
            "Multiply x = φ* y by (1 - E_φ*): x = E_φ* x + y. Which block does row k of E_φ* contain?",
            "x(k) = φ*(k+1,k) x(k+1) + y(k), and x(n) = y(n), because there is no link beyond n.",
            "x = y.copy(); for k in range(n - 1, 0, -1): x[k] = phi[k].T @ x[k + 1] + y[k].",
        ),
        solution="""
            `x = y + 0`, then `for k in range(len(y) - 2, 0, -1): x[k] = phi[k].T @ x[k + 1] + y[k]`, and `return x`.
            Row $k$ of $x = E_\\phi^* x + y$ has the one block $\\phi^*(k+1,k)$, so the loop starts at the base, where
            $x(n) = y(n)$, and runs outward.
        """,
    ),
    Exercise(
        id="12.4",
        title="Links that need no visit",
        section="The mass matrix, three times",
        where="n whole",
        reference=_in_n(lambda n: n * (n + 1)),
        remark="The direct method pays 2n². The ratio of the two tends to one half.",
        mistakes=(
            Mistake(_in_n(lambda n: 2 * n**2),
                    "That is the direct method, in which every column visits all links twice. For column k the links "
                    "inboard of joint k stand still.", "factor"),
            Mistake(_in_n(lambda n: n * (n + 1) / 2),
                    "You have counted one of the two loops. Each link is visited once on the way out, for its "
                    "acceleration, and once on the way back, for its force.", "factor"),
            Mistake(_in_n(lambda n: n * (n - 1)),
                    "Link k itself moves too when joint k accelerates. For n = 1 there is one link and it is visited "
                    "twice; your formula gives zero.", "entry"),
            Mistake(_in_n(lambda n: n**2),
                    "Half of the direct method is what it tends to for large n. Asked is the exact number; try n = 1.",
                    "entry"),
        ),
        hints=(
            "Which links move at all if only joint k accelerates and everything is at rest?",
            "Links k, k-1, ..., 1: that makes k visits on the way out and k on the way back.",
            "Add 2k over k = 1 ... n.",
        ),
        solution=r"""
            Column $k$ concerns the links $k, \dots, 1$ only, each of which is visited twice. The sum is
            $\sum_{k=1}^{n} 2 k = n (n + 1)$, against $2 n^2$ for the direct method.
        """,
    ),
    Exercise(
        id="12.5",
        title="The second direction",
        section="Solving without the matrix",
        reference=(0, 1.25),
        names=("the first component of p_2", "the second component of p_2"),
        remark="Indeed p_1 · M p_2 = (3, 0) · (0, 1.25) = 0.",
        mistakes=(
            Mistake((-0.1875, 1.0625),
                    "That is what the printed γ gives, (z · z)/(r · r). Test it: p_1 · M p_2 is not zero.", "factor"),
            Mistake((-0.25, 1),
                    "That is z_1 alone. The share γ_2 p_1, which makes the new direction conjugate to the old one, is "
                    "missing.", "entry"),
            Mistake((-0.75, 1.25),
                    "γ_2 is right. But the new direction starts from z_1, the solution of Λ z_1 = r_1, and not from "
                    "r_1.", "entry"),
        ),
        hints=(
            "z_0 = (1, 1), and z_1 solves diag(4, 1) z_1 = (-1, 1).",
            "z_1 = (-0.25, 1), so z_1 · r_1 = 1.25, and z_0 · r_0 = 5.",
            "γ_2 = 1.25/5 = 0.25, and p_2 = z_1 + 0.25 p_1.",
        ),
        solution=r"""
            $z_0 = (1, 1)$ and $z_1 = (-\tfrac14, 1)$, hence
            $\gamma_2 = \dfrac{z_1 \cdot r_1}{z_0 \cdot r_0} = \dfrac{1.25}{5} = \tfrac14$ and
            $p_2 = z_1 + \tfrac14 (1, 1) = (0, \tfrac54)$. The check: $M p_1 = (3, 0)$ is perpendicular to $p_2$.
        """,
    ),
    Exercise(
        id="12.6",
        title="Factors by hand",
        section="The mass matrix, taken apart",
        reference=(0.5, 2, 2.5),
        names=("the multiplier W_21", "D(1)", "D(2)"),
        mistakes=(
            Mistake((1 / 3, 3, 5 / 3),
                    "You have eliminated from the base. That gives factors too, but not these: D(1) has to be what the "
                    "tip's joint feels, M_11.", "order"),
            Mistake((0.5, 2, 3),
                    "M_22 = 3 is what joint 2 feels with joint 1 locked. With joint 1 free a part of it is gone: "
                    "subtract W_21 D(1) W_21.", "entry"),
            Mistake((0.5, 2, 3.5),
                    "The size of the correction is right. Freeing a joint can only take inertia away.", "sign"),
            Mistake((math.sqrt(0.5), math.sqrt(2), math.sqrt(2.5)),
                    "Those are the entries of Cholesky's factor. Here the roots stay undrawn: ones on the diagonal of "
                    "W, and D between the two factors.", "factor"),
        ),
        hints=(
            "Multiply out W D W* for W = [[1, 0], [w, 1]] and D = diag(d1, d2).",
            "The product is [[d1, w d1], [w d1, d2 + w² d1]]. Compare with M.",
            "d1 = 2, w = 1/2, and d2 = 3 - 1/4 · 2.",
        ),
        solution=r"""
            The product is $\begin{pmatrix} d_1 & w d_1 \\ w d_1 & d_2 + w^2 d_1 \end{pmatrix}$. So $d_1 = 2$,
            $w = \tfrac12$ and $d_2 = 3 - \tfrac14 \cdot 2 = \tfrac52$.
        """,
    ),
    Exercise(
        id="12.7",
        title="The shoulder of a floppy arm, on paper",
        section="The mass matrix, taken apart",
        where="0 < l2, m1, m2",
        reference=_elbow(_free),
        remark="With the arm straight, D(2) = m2 l2²: the shoulder does not feel the outer mass at all. It could jerk "
               "the elbow sideways, and for an instant the outer mass would stay where it is.",
        mistakes=(
            Mistake(_elbow(_locked),
                    "That is M_22, the inertia with the elbow locked. With the elbow free the outer rod can only be "
                    "pushed or pulled along its length.", "entry"),
            Mistake(_elbow(_along_the_wrong_line),
                    "The idea is right, the angle is not. The elbow moves across link 2, and q = 0 is the straight "
                    "arm: then this motion is across the outer rod too, and is not felt.", "entry"),
            Mistake(_elbow(lambda m1, m2, l1, l2, q: (m1 + m2) * l2**2),
                    "You have put the outer mass into the elbow. It is there only for motions along the outer rod; "
                    "across the rod it slips away.", "entry"),
            Mistake(_elbow(lambda m1, m2, l1, l2, q: m2 * l2**2),
                    "A free hinge passes on no moment, but it does pass on forces along the outer rod. For a bent arm "
                    "they have a lever about the shoulder.", "entry"),
        ),
        hints=(
            "Either reduce M: D(2) = M_22 - M_12²/M_11. Or ask what a point mass on a massless rod with a free hinge "
            "does to the hinge.",
            "Such a rod transmits force along itself only. The hinge feels the mass m1 in that one direction.",
            "The elbow moves across link 2; the part of this motion along the outer rod is l2 sin q for unit speed.",
        ),
        solution=r"""
            With $M_{11} = m_1 l_1^2$, $M_{12} = m_1 l_1 (l_1 + l_2 \cos q)$ and
            $M_{22} = m_2 l_2^2 + m_1 (l_1^2 + l_2^2 + 2 l_1 l_2 \cos q)$ we get
            $D(2) = M_{22} - M_{12}^2 / M_{11} = m_2 l_2^2 + m_1 l_2^2 (1 - \cos^2 q)$, that is
            $D(2) = m_2 l_2^2 + m_1 l_2^2 \sin^2 q$. Mechanically: through the free elbow only the force along the
            outer rod is felt, and the elbow's motion has the component $l_2 \sin q$ in that direction.
        """,
    ),
    Exercise(
        id="12.8",
        title="Locked and free",
        section="The same matrix as a covariance",
        kind="word",
        choices={
            "a": "D(k) is at most M_kk, whatever the posture",
            "b": "D(k) is at least M_kk, whatever the posture",
            "c": "either may be the larger one; it depends on the posture",
            "d": "they are equal, because W has ones on its diagonal",
        },
        reference="a",
        remark="In mechanics: freeing the outboard joints takes inertia away. In statistics: what is known already "
               "cannot make a forecast worse.",
        mistakes=(
            Mistake("b", "Turn it round. M_kk is the variance of y(k), and D(k) is what is left of it once y(1), ..., "
                         "y(k-1) are known.", "order"),
            Mistake("c", "The posture decides how large the difference is, but not its sign. Write M_kk as a sum of "
                         "squares with the factors.", "entry"),
            Mistake("d", "They are equal for k = 1 only. The ones on the diagonal of W give D(k); the other entries of "
                         "row k add their squares.", "entry"),
        ),
        hints=(
            "M = W D W*. What is the diagonal entry kk of this product?",
            "M_kk = D(k) plus a sum of W_kj² D(j) over j < k, for joints of one freedom.",
        ),
        solution=r"""
            The answer is a. For joints of one freedom $\mathcal M_{kk} = D(k) + \sum_{j<k} W_{kj}^2\, D(j)$, and no
            term of the sum is negative. Equality means that nothing outboard is correlated with joint $k$.
        """,
    ),
)
