"""The exercises of notebook 10, the joint-space inertia matrix (RBDA chapter 6)."""

import numpy as np

from rbdlib.exercises.declare import Exercise, Mistake


def _arm(formula):
    """An answer to exercise 10.3, from a function of sympy and its symbols."""

    def answer():
        import sympy

        return formula(*sympy.symbols("m3 l1 l2 l3"), *(sympy.cos(q) for q in sympy.sympify(("q3", "q2 + q3"))))

    return answer


def _in_d(formula):
    """An answer to exercise 10.8, from a function of d."""

    def answer():
        from sympy import symbols

        return formula(symbols("d"))

    return answer


def _triangular(rng):
    """A tree, a lower triangular L with its pattern and leftovers elsewhere, a vector; place 0 is not used."""
    parent = (0, 0, 1, 1, 2, 2, 3, 6)
    L = rng.uniform(2, 9, (8, 8))
    for k in range(1, 8):
        L[k, _ancestors(parent, k)] = rng.uniform(0.5, 2, len(_ancestors(parent, k)))
        L[k, k] = rng.uniform(1, 2)
    b = rng.uniform(-3, 3, 8)
    b[0] = 0
    return parent, L, b


def _ancestors(parent, k):
    return [parent[k], *_ancestors(parent, parent[k])] if parent[k] else []


def _solve_Lt(parent, L, b):
    x = b.copy()
    for i in range(len(x) - 1, 0, -1):
        x[i] = x[i] / L[i, i]
        j = parent[i]
        while j != 0:
            x[j] = x[j] - L[i, j] * x[i]
            j = parent[j]
    return x


def _solve_L(parent, L, b):
    x = b.copy()
    for i in range(1, len(x)):
        for j in _ancestors(parent, i):
            x[i] = x[i] - L[i, j] * x[j]
        x[i] = x[i] / L[i, i]
    return x


def _from_the_root(parent, L, b):
    x = b.copy()
    for i in range(1, len(x)):
        x[i] = x[i] / L[i, i]
        for j in _ancestors(parent, i):
            x[j] = x[j] - L[i, j] * x[i]
    return x


def _parents_only(parent, L, b):
    x = b.copy()
    for i in range(len(x) - 1, 0, -1):
        x[i] = x[i] / L[i, i]
        x[parent[i]] = x[parent[i]] - L[i, parent[i]] * x[i]
    x[0] = 0
    return x


def _parents_and_base(parent, L, b):
    x = b.copy()
    for i in range(len(x) - 1, 0, -1):
        x[i] = x[i] / L[i, i]
        x[parent[i]] = x[parent[i]] - L[i, parent[i]] * x[i]
    return x


def _without_dividing(parent, L, b):
    x = b.copy()
    for i in range(len(x) - 1, 0, -1):
        for j in _ancestors(parent, i):
            x[j] = x[j] - L[i, j] * x[i]
    return x


def _all_of_L(parent, L, b):
    return np.linalg.solve(L.T, b)


def _every_row(parent, L, b):
    return np.concatenate([[0], np.linalg.solve(np.tril(L)[1:, 1:].T, b[1:])])


EXERCISES = (
    Exercise(
        id="10.1",
        title="Which joints must hold on",
        section="One joint moves, the others hold still",
        reference=(1, 0, 1, 1, 1, 0, 0),
        names=tuple(f"joint {i}" for i in range(1, 8)),
        remark="You have written down where column 3 of H is zero, for any masses, lengths and angles.",
        mistakes=(
            Mistake((1, 0, 1, 0, 0, 0, 0),
                    "You have the joints that carry the force down to the base. The bodies beyond joint 3 accelerate "
                    "too, and their joints have to take them along without giving way.", "entry"),
            Mistake((0, 0, 1, 1, 1, 0, 0),
                    "You have the joints of all that moves. But what moves has to be pushed off from something, and "
                    "the push goes through every joint between body 3 and the base.", "entry"),
            Mistake((0, 0, 1, 0, 0, 0, 0),
                    "Only joint 3 moves, but that does not mean that only joint 3 works: the others would give way if "
                    "nothing held them.", "entry"),
            Mistake((1, 1, 1, 1, 1, 1, 1),
                    "Bodies 2, 6 and 7 do not accelerate, and nothing that does hangs on them. What force should their "
                    "joints have to supply?", "entry"),
        ),
        hints=(
            "Draw the tree. Which bodies accelerate, and through which joints must the force for that come?",
            "A joint works if it carries a body that accelerates (body 3 or one beyond it) or lies on the way from "
            "body 3 to the base.",
            "Beyond joint 3 are bodies 4 and 5; on the way to the base is joint 1.",
        ),
        solution=r"""
            The bodies of $\nu(3) = \{3, 4, 5\}$ accelerate. The force for each of them comes from the base, through
            the joints of $\kappa(3) = \{1, 3\}$, and through 4 and 5 for those two bodies. Joints 2, 6 and 7 carry
            only bodies at rest: 1, 0, 1, 1, 1, 0, 0.
        """,
    ),
    Exercise(
        id="10.2",
        title="Two rods in line",
        section="What moves is one rigid body",
        reference=((8, 2.5), (2.5, 1)),
        remark="For the first column both rods are one rod of twice the length and mass, 6 · 2² / 3 = 8.",
        mistakes=(
            Mistake(((8, 1), (1, 1)),
                    "The diagonal is right. Off it you have the moment about the elbow, and joint 1 feels the same "
                    "force at its own lever: about the shoulder.", "entry"),
            Mistake(((8, 7), (7, 1)),
                    "H_12 = 7 would be right if the second rod turned about the shoulder. It turns about the elbow, "
                    "and only the moment of the force is taken about the shoulder.", "entry"),
            Mistake(((2, 2.5), (2.5, 1)),
                    "For H_11 you have added two moments of inertia about two different joints. Both rods turn about "
                    "the shoulder then.", "entry"),
            Mistake(((8, 2.5), (2.5, 0.25)),
                    "H_22 is the moment of inertia about the elbow, where the joint is, and not about the rod's "
                    "centre.", "entry"),
        ),
        hints=(
            "Column 1: both rods are one rigid body that turns about the shoulder.",
            "Column 2: the second rod turns about its end. The force that this takes is 3 kg times the acceleration "
            "0.5 m/s² of its centre, and there is a moment of 0.25 kg m² about the centre.",
            "About the shoulder, that force has the lever 1.5 m.",
        ),
        solution=r"""
            One rod of 6 kg and 2 m turned about its end: $H_{11} = \tfrac13\, 6 \cdot 2^2 = 8$. The second rod about
            its end: $H_{22} = \tfrac13\, 3 \cdot 1^2 = 1$. For the corner, let the elbow accelerate by
            $1\ \mathrm{rad/s^2}$: the rod needs a moment $\tfrac1{12} 3 \cdot 1^2 = 0.25$ about its centre, and a force
            of $3 \cdot 0.5 = 1.5$ N across the arm at its centre, which is 1.5 m from the shoulder:
            $H_{12} = 0.25 + 1.5 \cdot 1.5 = 2.5\ \mathrm{kg\,m^2}$.
        """,
    ),
    Exercise(
        id="10.3",
        title="What the shoulder feels of the hand, on paper",
        section="What moves is one rigid body",
        model="arm_3r",
        asks="H[1,3]",
        reference=_arm(lambda m, l1, l2, l3, c3, c23: m * l3 * (l3 / 3 + (l2 * c3 + l1 * c23) / 2)),
        symbols=("m1", "m2", "q1", "q2"),
        remark="Neither m1 nor m2 occurs: those rods stand still while joint 3 alone accelerates.",
        mistakes=(
            Mistake(_arm(lambda m, l1, l2, l3, c3, c23: m * l3**2 / 3),
                    "That is H_33, the moment about the hand's own joint. Asked is the moment of the same force about "
                    "the shoulder, and the shoulder is elsewhere.", "entry"),
            Mistake(_arm(lambda m, l1, l2, l3, c3, c23: m * l3 * (l3 / 3 + l2 * c3 / 2)),
                    "That is H_23, the moment about the elbow. The shoulder is one rod further away.", "entry"),
            Mistake(_arm(lambda m, l1, l2, l3, c3, c23: m * l3 * (l3 + l2 * c3 + l1 * c23)),
                    "You have put the hand's mass at its far end. It is a uniform rod, with its centre at l3/2.",
                    "factor"),
            Mistake(_arm(lambda m, l1, l2, l3, c3, c23: m * l3 * (l3 / 4 + (l2 * c3 + l1 * c23) / 2)),
                    "The force at the centre is right. The rod also turns, and that takes a moment m3 l3²/12 even "
                    "about its own centre.", "entry"),
            Mistake(_arm(lambda m, l1, l2, l3, c3, c23: m * l3 * (l3 / 12 + (l2 * c3 + l1 * c23) / 2)),
                    "The hand's own part is m3 l3²/3: a twelfth about its centre, and a quarter because the centre is "
                    "not at the joint.", "factor"),
        ),
        hints=(
            "Freeze joints 1 and 2 and let joint 3 accelerate with 1 rad/s². Which force must act on the hand, and "
            "where?",
            "The centre of the hand accelerates with l3/2 across the hand, and the hand turns: a force m3 l3/2 at the "
            "centre, and a moment m3 l3²/12.",
            "The moment of the force about the shoulder is m3 l3/2 times the distance from the shoulder to the centre, "
            "measured along the hand: l3/2 + l2 cos q3 + l1 cos(q2 + q3).",
        ),
        solution=r"""
            Only the hand moves, so that $f_3 = I_3 s_3$ is a force $\tfrac12 m_3 l_3$ at its centre, across the hand,
            and a moment $\tfrac1{12} m_3 l_3^2$. About the shoulder the force has a lever that is the distance of
            the hand's centre from the shoulder, measured along the hand:
            $\tfrac12 l_3 + l_2 \cos q_3 + l_1 \cos(q_2 + q_3)$. Together
            $H_{13} = m_3 l_3 \left( \tfrac13 l_3 + \tfrac12 l_2 \cos q_3 + \tfrac12 l_1 \cos(q_2 + q_3) \right)$.
        """,
    ),
    Exercise(
        id="10.4",
        title="How dense is an insect?",
        section="Zeros that no posture can fill",
        reference=306,
        remark="That is a density of 0.53. The four-legged robot above has 2/3.",
        mistakes=(
            Mistake(91, "You have counted the trunk as one row. It floats, and its joint has six freedoms, which makes "
                        "six rows.", "entry"),
            Mistake(90, "The trunk supports every leg, and so each of its six rows is full. Only between two legs are "
                        "there zeros.", "entry"),
            Mistake(165, "You have counted the lower triangle only. H is symmetric, and what is not zero below the "
                         "diagonal is not zero above it either.", "factor"),
            Mistake(270, "That is how many are zero.", "entry"),
            Mistake(441, "You have counted each pair of legs once, 15 blocks of zeros. Every pair has two blocks, one "
                         "above and one below the diagonal.", "factor"),
        ),
        hints=(
            "H is 24 x 24. Between which bodies must it be zero?",
            "Count the zeros: there are 6 · 5 ordered pairs of different legs, and a block of 3 x 3 for each.",
            "30 · 9 = 270 of 576 elements are zero.",
        ),
        solution=r"""
            $n = 6 + 6 \cdot 3 = 24$. Zeros stand between two different legs, and only there: $6 \cdot 5$ blocks of
            $3 \times 3$, which makes 270. There remain $576 - 270 = 306$.
        """,
    ),
    Exercise(
        id="10.5",
        title="The shoulder with an idle elbow",
        section="What the pivots say",
        reference=(1.75, 1),
        names=("D_11", "D_22"),
        remark="The outstretched arm starts turning more than four times as easily if the elbow is free. The forearm "
               "stays behind.",
        mistakes=(
            Mistake((8, 1), "That is the diagonal of H, with the other joint frozen. In D_11 the elbow is free.",
                    "entry"),
            Mistake((8, 0.21875),
                    "You have begun with row 1, as for H = LDLᵀ. In H = LᵀDL the last row comes first.", "order"),
            Mistake((5.5, 1), "You have subtracted H_12 / H_22. The elimination takes away H_12² / H_22.", "factor"),
            Mistake((1, 1.75), "The two numbers are right, and in the wrong order.", "order"),
        ),
        hints=(
            "Begin with row 2: D_22 is H_22 as it stands.",
            "Then joint 2 is eliminated: what remains in the corner is H_11 - H_12² / H_22.",
            "8 - 2.5² / 1.",
        ),
        solution=r"""
            $D_{22} = H_{22} = 1$, then $D_{11} = H_{11} - H_{12}^2 / H_{22} = 8 - 6.25 = 1.75\ \mathrm{kg\,m^2}$.
        """,
    ),
    Exercise(
        id="10.6",
        title="Back-substitution along a tree",
        section="Three steps to the accelerations",
        kind="function",
        reference=_solve_Lt,
        inputs=_triangular,
        mistakes=(
            Mistake(_solve_L, "You have solved L x = b. Wanted is Lᵀ x = b: what stands in row i of L belongs to the "
                              "equations of the ancestors of i.", "transpose"),
            Mistake(_from_the_root,
                    "The steps are right and come in the wrong order. x_i is ready only when all that is beyond i has "
                    "been subtracted from it: begin with the last variable.", "order"),
            Mistake(_parents_only,
                    "You have handed x_i on to the parent alone. Row i of L has an element for each ancestor of i, "
                    "down to the base.", "entry"),
            Mistake(_parents_and_base,
                    "You have handed x_i on to the parent alone. Row i of L has an element for each ancestor of i; and "
                    "0, the base, is none.", "entry"),
            Mistake(_without_dividing,
                    "The diagonal of this L is not 1. Divide by L[i, i] before x_i is handed on.", "factor"),
            Mistake(_every_row,
                    "You have used elements that the tree says are zero. In this array leftovers stand there, as they "
                    "may after work in place: visit only the ancestors.", "entry"),
            Mistake(_all_of_L, "You have used every element of L, also those above the diagonal and those that the "
                               "tree says are zero. Leftovers stand there: visit only the ancestors.", "entry"),
        ),
        hints=(
            "Component j of Lᵀ x is the sum of L[i, j] x_i over all i that have j among their ancestors, and over "
            "i = j.",
            "Begin with the last i. Divide by L[i, i]; then x_i is known, and L[i, j] x_i can be subtracted from the "
            "place j of every ancestor j.",
            "j = parent[i]; while j != 0: x[j] = x[j] - L[i, j] * x[i]; j = parent[j].",
        ),
        solution="""
            `x = b.copy()`, then for i from the last to 1: `x[i] = x[i] / L[i, i]`, `j = parent[i]`, and
            `while j != 0: x[j] = x[j] - L[i, j] * x[i]; j = parent[j]`. It is Table 6.5's listing for L⁻ᵀx. Each
            element of L that can differ from zero is visited once, and no other.
        """,
    ),
    Exercise(
        id="10.7",
        title="A tree of variables",
        section="Joints with several variables",
        reference=(0, 1, 2, 2, 4, 5, 6),
        names=tuple(f"λ'({i})" for i in range(1, 8)),
        mistakes=(
            Mistake((0, 1, 1, 1, 4, 5, 3),
                    "You have put in the numbers of bodies. They have to become numbers of variables: the parent is "
                    "the last variable of joint λ(i), which is map(λ(i)).", "entry"),
            Mistake((0, 1, 1, 1, 4, 5, 4),
                    "You have hung the children on the first variable of the joint before. They ride on the body, "
                    "which all variables of its joint move: hang them on the last one.", "entry"),
            Mistake((0, 1, 2, 3, 4, 5, 6),
                    "That is the first loop alone, a chain. Where a new joint begins, the tree decides.", "entry"),
            Mistake((0, 0, 2, 2, 2, 2, 6),
                    "Within a joint you have hung all variables side by side. They become a chain, because their rows "
                    "of H are not zero against each other.", "entry"),
        ),
        hints=(
            "Joint 1 has the variables 1 and 2, joint 2 has 3, joint 3 has 4, 5 and 6, joint 4 has 7.",
            "Within a joint each variable has the one before it as its parent: λ'(2) = 1, λ'(5) = 4, λ'(6) = 5.",
            "The first variable of a joint hangs on the last one of joint λ(i); map = (0, 2, 3, 6, 7).",
        ),
        solution=r"""
            map $= (0, 2, 3, 6, 7)$. The chain inside the joints gives $\lambda'(2) = 1$, $\lambda'(5) = 4$ and
            $\lambda'(6) = 5$. The first variables: $\lambda'(1) = 0$, $\lambda'(3) = \mathrm{map}(1) = 2$,
            $\lambda'(4) = \mathrm{map}(1) = 2$ and $\lambda'(7) = \mathrm{map}(3) = 6$. So
            $\lambda' = (0, 1, 2, 2, 4, 5, 6)$.
        """,
    ),
    Exercise(
        id="10.8",
        title="The binary tree, in general",
        section="What a tree costs",
        where="d whole",
        reference=_in_d(lambda d: (d - 2) * 2**d + 2),
        remark="With n = 2^d - 1 bodies that is about n log2 n, where a chain has n² / 2.",
        mistakes=(
            Mistake(_in_d(lambda d: (d - 1) * 2**d + 1),
                    "You have added the depths d_k. D_1 counts what is below the diagonal, d_k - 1 for each row.",
                    "entry"),
            Mistake(_in_d(lambda d: (2**d - 1) * (2**d - 2) / 2),
                    "That is the chain with as many bodies, Eq. 6.28. In the tree the depth is at most d.", "entry"),
            Mistake(_in_d(lambda d: 2 ** (d - 1) * (d**2 - 3 * d + 4) - 2),
                    "That is D_2, which Eq. 6.27 gives. Asked is D_1.", "entry"),
            Mistake(_in_d(lambda d: (2**d - 1) * (d - 1)),
                    "That is the bound of Eq. 6.29, with every body as deep as the deepest. Half of them are, and the "
                    "others are not.", "entry"),
        ),
        hints=(
            "How many bodies have the depth k, and what does each contribute?",
            "There are 2^(k-1) bodies of depth k, so that D_1 is the sum of 2^(k-1) (k - 1) over k = 1 ... d.",
            "Write the sum S and 2 S one below the other, shifted by one place, and subtract. For d = 3 it is 10.",
        ),
        solution=r"""
            There are $2^{k-1}$ bodies of depth $k$, so $D_1 = \sum_{k=1}^{d} (k - 1)\, 2^{k-1}$. Twice the sum is
            $\sum_{k=2}^{d+1} (k - 2)\, 2^{k-1}$; subtracting the sum from it leaves
            $(d - 1)\, 2^{d} - \sum_{k=2}^{d} 2^{k-1} = (d - 1)\, 2^d - (2^d - 2) = (d - 2)\, 2^d + 2$.
            For $d = 1, 2, 3$ that is 0, 2, 10.
        """,
    ),
)
