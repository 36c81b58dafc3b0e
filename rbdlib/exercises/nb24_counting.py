"""The exercises of notebook 24, counting operations (RBDA 10.3)."""

from rbdlib.exercises.declare import Exercise, Mistake


def _in(names, formula):
    """An answer in the positive symbols of the given names, from a function of these."""

    def answer():
        import sympy

        return formula(*sympy.symbols(names, positive=True))

    return answer


def _limbs(formula):
    return _in("k l", formula)


def _deepest(formula):
    return _in("n d", formula)


def _parents(rng):
    """The parents of a tree, of up to ten bodies and with two of them on the base at least."""
    n = int(rng.integers(4, 11))
    return ([0, *(int(rng.integers(0, i)) for i in range(2, n)), 0],)


def _depths(parent):
    depth = [0]
    for p in parent:
        depth.append(depth[p] + 1)
    return depth[1:]


def _steps(parent):
    return sum(depth - 1 for depth in _depths(parent))


def _with_themselves(parent):
    return sum(_depths(parent))


def _one_step_each(parent):
    return sum(p != 0 for p in parent)


def _as_if_a_chain(parent):
    return len(parent) * (len(parent) - 1) // 2


def _both_triangles(parent):
    return 2 * _steps(parent)


EXERCISES = (
    Exercise(
        id="24.1",
        title="Where the parentheses go",
        section="Numbers that keep the books",
        quantity="whole numbers",
        reference=(252, 210, 72, 60),
        names=("m from the left", "a from the left", "m with parentheses", "a with parentheses"),
        remark="The result is the same, at less than a third of the price. Python reads a @ b @ c from the left, and "
               "does not choose the cheaper way by itself: rounding would change.",
        mistakes=(
            Mistake((252, 252, 72, 72), "A sum of six products has five plus signs, so there are fewer additions than "
                                        "multiplications.", "entry"),
            Mistake((72, 60, 252, 210), "The two ways are exchanged. From the left, the two matrices are multiplied "
                                        "first.", "swapped"),
            Mistake((216, 180, 36, 30), "Each way has two products. The second product of each is missing.", "entry"),
            Mistake((432, 360, 72, 60), "From the left there is one product of two matrices; the second is that of a "
                                        "matrix and a vector.", "entry"),
        ),
        hints=(
            "A product of two 6 x 6 matrices has 36 entries, and each of them is a dot product of two 6-vectors.",
            "A dot product of two 6-vectors is 6m + 5a. So a matrix times a matrix is 216m + 180a, and a matrix times "
            "a vector 36m + 30a.",
        ),
        solution=r"""
            From the left: matrix times matrix, $216\,m + 180\,a$, then matrix times vector, $36\,m + 30\,a$; in all
            $252\,m + 210\,a$. With parentheses: twice a matrix times a vector, $72\,m + 60\,a$.
        """,
    ),
    Exercise(
        id="24.2",
        title="Two unknowns, by pencil",
        section="Table 10.1",
        quantity="whole numbers",
        reference=(6, 3),
        names=("m", "a"),
        remark="The row of the table gives the same for n = 2: 8/6 + 6 - 4/3 = 6 and 8/6 + 4 - 7/3 = 3.",
        mistakes=(
            Mistake((3, 3), "You have left out the divisions, which the book counts as multiplications.", "entry"),
            Mistake((6, 5), "These contain the two subtractions of tau - C, which are not in the row.", "entry"),
            Mistake((4, 2), "That is the solution alone, without the factorisation of H.", "entry"),
            Mistake((2, 1), "That is the factorisation alone. The triangular systems are to be solved too.", "entry"),
            Mistake((8, 3), "You have divided by the diagonal elements of L too. In LᵀDL they are 1.", "entry"),
        ),
        hints=(
            "With H = LᵀDL, D_22 is H_22, L_21 = H_21/H_22 and D_11 = H_11 - L_21 H_21.",
            "The factorisation is a division, a multiplication and a subtraction.",
            "The first triangular system is z_1 = b_1 - L_21 z_2 with z_2 = b_2; then come two divisions; the second "
            "triangular system is like the first.",
        ),
        solution=r"""
            Factorise: $L_{21} = H_{21}/H_{22}$, $D_{11} = H_{11} - L_{21} H_{21}$, which is $2\,m + 1\,a$. Solve:
            $z_1 = b_1 - L_{21} b_2$, $y = (z_1/D_{11},\, b_2/D_{22})$, $x_2 = y_2 - L_{21} y_1$, which is
            $4\,m + 2\,a$. Together $6\,m + 3\,a$.
        """,
    ),
    Exercise(
        id="24.3",
        title="Counting the steps down",
        section="Why branches make it cheap",
        kind="function",
        reference=_steps,
        inputs=_parents,
        remark="It is also the number of elements below the diagonal of H that are not zero.",
        samples=10,
        mistakes=(
            Mistake(_with_themselves, "You have counted every body among its own ancestors. For a body on the base "
                                      "line 13 does not run at all.", "entry"),
            Mistake(_one_step_each, "That is D_0. A force is transformed again and again, until it has arrived at a "
                                    "body on the base.", "entry"),
            Mistake(_as_if_a_chain, "That is n(n - 1)/2, which holds for chains. In a tree a body has fewer ancestors "
                                    "than there are bodies before it.", "entry"),
            Mistake(_both_triangles, "H is symmetric, and its upper triangle is a copy. Only the elements below the "
                                     "diagonal are computed.", "factor"),
        ),
        hints=(
            "How many ancestors has body i, itself not counted, if its parent has k of them?",
            "Follow the parents of each body as the while loop of Table 10.2 does, and count the steps until a body "
            "whose parent is 0.",
            "Body j's parent is parent[j - 1].",
        ),
        solution=r"""
            With `depth = [0]`, `for p in parent: depth.append(depth[p] + 1)`, each body has `depth - 1` ancestors
            besides itself: `return sum(k - 1 for k in depth[1:])`.
        """,
    ),
    Exercise(
        id="24.4",
        title="A trunk with limbs, on paper",
        section="Why branches make it cheap",
        where="k, l whole",
        reference=_limbs(lambda k, l: k * l * (l + 1) / 2),
        remark="It grows in proportion to the number of limbs. A chain of as many bodies has kl(kl + 1)/2: for a "
               "spider, with k = 8 and l = 4, that is 528, and your formula gives 80.",
        mistakes=(
            Mistake(_limbs(lambda k, l: k * l * (l - 1) / 2),
                    "That is for limbs that stand on the base. Here the trunk is one more ancestor of each of the "
                    "bodies.", "entry"),
            Mistake(_limbs(lambda k, l: k * l * (k * l + 1) / 2),
                    "That is for a chain of as many bodies. Bodies of different limbs are no ancestors of each other.",
                    "entry"),
            Mistake(_limbs(lambda k, l: l * (l + 1) / 2), "That is one limb. There are k of them.", "factor"),
            Mistake(_limbs(lambda k, l: 1 + k * (l + 1) * (l + 2) / 2),
                    "You have counted every body among its own ancestors.", "entry"),
            Mistake(_limbs(lambda k, l: k * l), "That is D_0, how often inertias are transformed.", "entry"),
        ),
        hints=(
            "How many ancestors has the first body of a limb, itself not counted? The second?",
            "Those of one limb have 1, 2, ..., l ancestors. The trunk has none.",
        ),
        solution=r"""
            Along a limb the bodies have $1, 2, \dots, l$ ancestors besides themselves, the trunk among them. The sum is
            $l(l+1)/2$ for each limb, and $D_1 = \tfrac12 k\,l(l+1)$ for all of them.
        """,
    ),
    Exercise(
        id="24.5",
        title="How sharp the bound is, on paper",
        section="Why branches make it cheap",
        where="n, d whole; d < n",
        reference=_deepest(lambda n, d: (d - 1) * (n - d / 2)),
        remark="At d = n it is n(n - 1)/2, and at d = 1 it is zero, as (10.8) has it. For n much larger than d the "
               "bound n(d - 1) is nearly reached: by a stem with a bunch of leaves at its end.",
        mistakes=(
            Mistake(_deepest(lambda n, d: n * (d - 1)),
                    "That would need every body at depth d. Who would then be their ancestors?", "entry"),
            Mistake(_deepest(lambda n, d: (n - d) * (d - 1)),
                    "These are the leaves. The d bodies of the stem take steps too.", "entry"),
            Mistake(_deepest(lambda n, d: (n - d + 1) * (d - 1)),
                    "One body at each smaller depth is needed, and these have ancestors too.", "entry"),
            Mistake(_deepest(lambda n, d: d * (d - 1) / 2), "That is the stem alone, with n = d.", "entry"),
            Mistake(_deepest(lambda n, d: d * (n - d / 2 + 1 / 2)),
                    "You have counted every body among its own ancestors.", "entry"),
        ),
        hints=(
            "A tree of depth d has at least one body at each of the depths 1, 2, ..., d. Where should all others be?",
            "At depth d as well: n - d leaves, each with d - 1 ancestors besides itself.",
            "Add the stem, 0 + 1 + ... + (d - 1).",
        ),
        solution=r"""
            A stem of $d$ bodies is needed, with $0 + 1 + \dots + (d-1) = \tfrac12 d(d-1)$ steps. The other $n - d$
            bodies take most steps at depth $d$, $d - 1$ each. So
            $D_1 \le \tfrac12 d(d-1) + (n-d)(d-1) = (d-1)\bigl(n - \tfrac d2\bigr)$.
        """,
    ),
    Exercise(
        id="24.6",
        title="A trunk with two arms",
        section="Why branches make it cheap",
        quantity="whole numbers",
        reference=(271, 271),
        names=("m", "a"),
        remark="A chain of five costs 328m + 292a.",
        mistakes=(
            Mistake((248, 244), "You have given both upper arms a Denavit-Hartenberg frame. The trunk's frame can be "
                                "placed for one of them only.", "entry"),
            Mistake((332, 340), "These are general transforms throughout. The two forearms and one of the upper arms "
                                "can have Denavit-Hartenberg frames.", "entry"),
            Mistake((328, 292), "That is (10.3), for a chain of five bodies.", "entry"),
            Mistake((303, 314), "The trunk is a child of the base, and nothing is carried on to the base: lines 7 and "
                                "13 do not run for it.", "entry"),
            Mistake((227, 241), "The transforms of the two upper arms are used twice each by line 13: for the upper "
                                "arm and for the forearm.", "entry"),
        ),
        hints=(
            "Body 1 belongs to neither set. The good frames go to both forearms and one of the upper arms.",
            "D_0: 3 good, 1 general. For D_1 count the bodies that each of these carries: 2, 1, 1 and 2.",
            "3 (32m + 43a) + (47m + 58a) + 4 (20m + 12a) + 2 (24m + 18a).",
        ),
        solution=r"""
            $\pi^{dh} = \{2, 3, 5\}$ and $\pi^{g} = \{4\}$, with $|\nu| = 2, 1, 1$ and $2$. So
            $m = 3 \cdot 32 + 47 + 4 \cdot 20 + 2 \cdot 24 = 271$ and
            $a = 3 \cdot 43 + 58 + 4 \cdot 12 + 2 \cdot 18 = 271$.
        """,
    ),
    Exercise(
        id="24.7",
        title="When does the cube show?",
        section="Figures 10.4 and 10.5",
        quantity="whole numbers",
        reference=19,
        names=("n",),
        remark="Up to eighteen joints the part with the n³ is the cheapest of the three.",
        mistakes=(
            Mistake(45, "At 45 joints solving overtakes crba. rnea, which is cheaper, is overtaken much earlier.",
                    "entry"),
            Mistake(18, "For n = 18 solving costs 2721 operations and rnea 2924.", "entry"),
            Mistake(9, "From n = 9 on the whole way by H costs more than aba. Here one of its parts is compared with "
                       "another.", "entry"),
            Mistake(6, "From n = 6 on crba costs more than rnea. Wanted is the red curve.", "entry"),
        ),
        hints=(
            "figure_10_4 gives both curves: look for the first n at which 'solve' is the larger one.",
            "Solving costs n³/3 + 5n²/2 - 11n/6 in all, rnea 174n - 208.",
        ),
        solution=r"""
            $\tfrac13 n^3 + \tfrac52 n^2 - \tfrac{11}{6} n$ is 2721 at $n = 18$ and 3154 at $n = 19$, and $174 n - 208$
            is 2924 and 3098. So it is from $n = 19$ on.
        """,
    ),
    Exercise(
        id="24.8",
        title="What memory costs",
        section="And the clock?",
        quantity="whole numbers",
        reference=(2660, 3040),
        names=("P", "Q"),
        remark="Q has the smaller count, and is the slower one.",
        mistakes=(
            Mistake((2300, 1600), "These are the counts without memory.", "entry"),
            Mistake((2390, 2950), "You have counted what is written, and left out what is read.", "entry"),
            Mistake((2570, 1690), "You have counted what is read, and left out what is written.", "entry"),
            Mistake((2360, 1840), "Each number that is read or written counts as six operations, not one.", "factor"),
        ),
        hints=(
            "P moves 45 + 15 numbers. Q moves as many as it reads and returns.",
            "2300 + 6 · 60, and 1600 + 6 · 240.",
        ),
        solution=r"""
            P: $2300 + 6\,(45 + 15) = 2660$. Q: $1600 + 6\,(15 + 225) = 3040$.
        """,
    ),
)
