"""The exercises of notebook A, spatial arithmetic: compact types, axial screws and what they cost (RBDA A.3-A.5)."""

from rbdlib.exercises.declare import Exercise, Mistake


def _random_inertia(rng):
    """A rigid-body inertia about an origin that is not its centre of mass."""
    import numpy as np

    from rbdlib.book.ch02_spatial import mcI

    A = rng.normal(size=(3, 3))
    second_moments = A @ A.T
    I_C = np.trace(second_moments) * np.eye(3) - second_moments
    return (mcI(round(rng.uniform(1, 5), 2), rng.normal(size=3), I_C),)


def _triangle(A):
    return [A[0, 0], A[1, 0], A[1, 1], A[2, 0], A[2, 1], A[2, 2]]


def _ten(I):
    return [I[5, 5], I[2, 4], I[0, 5], I[1, 3], *_triangle(I[:3, :3])]


def _with_centre(I):
    m, *h = _ten(I)[:4]
    return [m, *(x / m for x in h), *_triangle(I[:3, :3])]


def _other_block(I):
    m, x, y, z, *rest = _ten(I)
    return [m, -x, -y, -z, *rest]


def _by_columns(I):
    return [*_ten(I)[:4], I[0, 0], I[1, 0], I[2, 0], I[1, 1], I[2, 1], I[2, 2]]


def _about_centre(I):
    from rbdlib.book.ch02_spatial import I_to_mcI

    return [*_ten(I)[:4], *_triangle(I_to_mcI(I)[2])]


def _of_a_force(formula):
    """An answer in the coordinates of a force and the numbers of a screw, from a function of these."""

    def answer():
        import sympy

        return list(formula(*sympy.symbols("n_x n_y n_z f_x f_y f_z c s d")))

    return answer


def _shifted(shift):
    """The moment in turned coordinates, from a function that gives the moment about the new origin."""

    def formula(n_x, n_y, n_z, f_x, f_y, f_z, c, s, d):
        x, y, z = shift(n_x, n_y, n_z, f_x, f_y, f_z, d)
        return c * x + s * y, c * y - s * x, z

    return formula


def _turned_back(n_x, n_y, n_z, f_x, f_y, f_z, c, s, d):
    x, y = n_x + f_y * d, n_y - f_x * d
    return c * x - s * y, c * y + s * x, n_z


def _of_an_inertia(formula):
    """An answer in the shift d, the mass m and the first moment h, from a function of these."""

    def answer():
        import sympy

        return list(formula(*sympy.symbols("d m h_x h_y h_z")))

    return answer


EXERCISES = (
    Exercise(
        id="A.1",
        title="What seven links store",
        section="Ten, twelve, twenty-one",
        quantity="whole numbers",
        reference=(756, 301),
        names=("numbers in matrices", "numbers in compact types"),
        remark="Two fifths; and what is not stored is not multiplied either.",
        mistakes=(
            Mistake((301, 756), "The two are exchanged: matrices come first, and they hold more.", "swapped"),
            Mistake((108, 43), "That is one link. There are seven.", "factor"),
            Mistake((756, 406), "I_A is a symmetric matrix. What lies above the diagonal of its blocks I and M need "
                                "not be stored.", "entry"),
            Mistake((756, 378), "A rigid body's inertia is symmetric, but it knows more about itself: its block M is "
                                "m times the identity and its block H is h×.", "entry"),
            Mistake((756, 385), "E stands in X twice, and is stored once.", "entry"),
        ),
        hints=(
            "How many numbers has each of the three, for one link?",
            "36 each as matrices; 12, 10 and 21 as plx, rbi and abi.",
        ),
        solution=r"""
            As matrices $7 \cdot 3 \cdot 36 = 756$ numbers, in compact types $7\,(12 + 10 + 21) = 301$.
        """,
    ),
    Exercise(
        id="A.2",
        title="Ten out of thirty-six",
        section="Ten, twelve, twenty-one",
        kind="function",
        reference=_ten,
        inputs=_random_inertia,
        names=("m", "h_x", "h_y", "h_z", "I_11", "I_21", "I_22", "I_31", "I_32", "I_33"),
        remark="That is what rbi.from_matrix does, once it has made sure that the other 26 are as they should be.",
        mistakes=(
            Mistake(_with_centre, "Your h is the centre of mass c. The first moment is h = m c; it stands in the "
                                  "matrix as it is, and no division is needed.", "factor"),
            Mistake(_other_block, "Your h has the opposite sign. The upper right block is h×, the lower left one is "
                                  "its transpose, -h×.", "sign"),
            Mistake(_by_columns, "The numbers are right, and so is the triangle, but you read it by columns. It is "
                                 "read by rows: 11, 21, 22, 31, 32, 33.", "swapped"),
            Mistake(_about_centre, "Your I is about the centre of mass. The one that is stored is about the origin of "
                                   "the frame, and stands in the upper left block as it is.", "frame"),
        ),
        hints=(
            "The blocks are [[I, h×], [-h×, m 1]]. Where in h× do h_x, h_y and h_z stand with a plus sign?",
            "h× has h_x in row 3, column 2; h_y in row 1, column 3; h_z in row 2, column 1. (Python counts from 0, and "
            "the block begins in column 3.)",
            "m is I[5, 5], and h is I[2, 4], I[0, 5], I[1, 3].",
        ),
        solution=r"""
            `return [I[5, 5], I[2, 4], I[0, 5], I[1, 3], I[0, 0], I[1, 0], I[1, 1], I[2, 0], I[2, 1], I[2, 2]]`:
            the mass from the lower right block, $h$ from $h\times$ in the upper right one, and the lower triangle of
            the upper left one.
        """,
    ),
    Exercise(
        id="A.3",
        title="What types do not see",
        section="A motion plus a force",
        kind="word",
        reference="c",
        choices={
            "a": "X @ f",
            "b": "I @ f",
            "c": "v.dot(g)",
            "d": "f.cross(v)",
        },
        remark="A type says what kind of thing a vector is, and not in which coordinates it is given. It is the second "
               "question that names like ᴮX_A are for.",
        mistakes=(
            Mistake("a", "X takes motions from A to B, and f is a force: refused. X.apply(f) is meant, or "
                         "X.for_forces() @ f.", "entry"),
            Mistake("b", "An inertia makes forces of motions. What it is given here is a force: refused.", "entry"),
            Mistake("d", "A motion acts on a force by v ×* f. The other way round there is no such product: refused.",
                    "entry"),
        ),
        hints=(
            "Write beside each letter whether it is a motion or a force. Which line is then a proper product?",
            "Now write beside each letter in which coordinates it is given.",
        ),
        solution=r"""
            **c**. A motion times a force is a power, so the types are content; but $v$ is given in $A$ and $g$ in $B$
            coordinates, and the number means nothing. `X.apply(v).dot(g)` would be the power.
        """,
    ),
    Exercise(
        id="A.4",
        title="Six rotations in a row",
        section="Fewer multiplications than a product has",
        quantity="whole numbers",
        reference=(96, 63),
        names=("multiplications", "additions"),
        remark="By plain products 135m + 90a. The columns that are never computed are the cheapest of all.",
        mistakes=(
            Mistake((135, 90), "That is five plain products of 27m + 18a.", "entry"),
            Mistake((120, 75), "You have completed each of the five products by a cross product. The third columns of "
                               "the four on the way are not needed: the next product uses the first two only.",
                    "entry"),
            Mistake((114, 75), "There are six matrices and five products between them.", "entry"),
            Mistake((90, 60), "That leaves two columns of the result. The third one takes a cross product, 6m + 3a.",
                    "entry"),
        ),
        hints=(
            "Two columns of E = F (the first two columns of G) take 18m + 12a. Which columns does the next factor on "
            "the left need?",
            "Only two columns are carried through all five products; the cross product comes at the very end.",
        ),
        solution=r"""
            Five products of a matrix with two columns, and one cross product at the end:
            $5\,(18m + 12a) + 6m + 3a = 96m + 63a$.
        """,
    ),
    Exercise(
        id="A.5",
        title="A screw on a moment, on paper",
        section="One axis at a time",
        reference=_of_a_force(_shifted(lambda n_x, n_y, n_z, f_x, f_y, f_z, d: (n_x + f_y * d, n_y - f_x * d, n_z))),
        names=("n'_x", "n'_y", "n'_z"),
        remark="Two products for the shift, four for the turn, and four more turn the linear force: 10m + 6a, as for a "
               "motion.",
        mistakes=(
            Mistake(_of_a_force(_shifted(lambda n_x, n_y, n_z, f_x, f_y, f_z, d:
                                         (n_x - f_y * d, n_y + f_x * d, n_z))),
                    "The shift has the wrong sign: you have n + r × f. About an origin that lies at r, the moment is "
                    "n - r × f.", "sign"),
            Mistake(_of_a_force(_shifted(lambda n_x, n_y, n_z, f_x, f_y, f_z, d: (n_x, n_y, n_z))),
                    "You have turned the moment, but not moved its point of reference. So X acts on the angular part "
                    "of a motion; on a force it is X* that acts.", "frame"),
            Mistake(_of_a_force(lambda n_x, n_y, n_z, f_x, f_y, f_z, c, s, d: (n_x + f_y * d, n_y - f_x * d, n_z)),
                    "The moment is about the new origin now, but still along the old axes. It has to be turned as "
                    "well.", "frame"),
            Mistake(_of_a_force(_turned_back),
                    "You have turned the vector instead of the axes: s has the wrong sign in both rows. rz(θ) has c "
                    "and s in its first row.", "sign"),
        ),
        hints=(
            "First move the point of reference to r = (0, 0, d), then turn: X* f has the moment E (n - r × f).",
            "r × f = (-d f_y, d f_x, 0).",
            "E = rz(θ) takes (x, y, z) to (c x + s y, c y - s x, z).",
        ),
        solution=r"""
            $r \times f = (-d f_y,\ d f_x,\ 0)$, so the moment about the new origin is
            $(n_x + f_y d,\ n_y - f_x d,\ n_z)$, and along the new axes
            $$\bigl(c\,(n_x + f_y d) + s\,(n_y - f_x d),\quad c\,(n_y - f_x d) - s\,(n_x + f_y d),\quad n_z\bigr).$$
            The linear force is turned only, as $(c f_x + s f_y,\ c f_y - s f_x,\ f_z)$.
        """,
    ),
    Exercise(
        id="A.6",
        title="A shift along x, on paper",
        section="One axis at a time",
        where="0 < m",
        reference=_of_an_inertia(lambda d, m, x, y, z: (0, y * d, -(2 * x - m * d) * d, z * d, 0,
                                                        -(2 * x - m * d) * d)),
        names=("entry 11", "entry 21", "entry 22", "entry 31", "entry 32", "entry 33"),
        remark="Two numbers stay as they are, two of the changes are equal: three products and a sum instead of twelve "
               "and twelve.",
        mistakes=(
            Mistake(_of_an_inertia(lambda d, m, x, y, z: (0, y * d, -2 * x * d, z * d, 0, -2 * x * d)),
                    "You have taken h for y. By the shift the first moment has become y = h - m r, and the second term "
                    "contains it.", "entry"),
            Mistake(_of_an_inertia(lambda d, m, x, y, z: (0, -y * d, (2 * x - m * d) * d, -z * d, 0,
                                                          (2 * x - m * d) * d)),
                    "All signs are opposite. r× h× is h rᵀ - (r · h) 1: on the diagonal there is a minus sign.",
                    "sign"),
            Mistake(_of_an_inertia(lambda d, m, x, y, z: (-(2 * z - m * d) * d, 0, -(2 * z - m * d) * d, x * d, y * d,
                                                          0)),
                    "That is for r = (0, 0, d). Here the shift is along x.", "frame"),
            Mistake(_of_an_inertia(lambda d, m, x, y, z: (0, y * d, -(2 * x + m * d) * d, z * d, 0,
                                                          -(2 * x + m * d) * d)),
                    "Your y is h + m r. Seen from an origin that has moved by r, everything has moved by -r.", "sign"),
        ),
        hints=(
            "a× b× = b aᵀ - (a · b) 1.",
            "So the sum is h rᵀ + r yᵀ - (r · (h + y)) 1 with y = h - m r. With r = (d, 0, 0), h rᵀ has only its first "
            "column and r yᵀ only its first row.",
            "r · (h + y) = (2 h_x - m d) d.",
        ),
        solution=r"""
            With $a\times b\times = b\,a^{\mathrm T} - (a \cdot b)\,1$ the sum is
            $h\,r^{\mathrm T} + r\,y^{\mathrm T} - (r \cdot (h + y))\,1$. For $r = (d, 0, 0)$ its lower triangle is
            $$\begin{bmatrix} 0 & & \\ h_y d & -(h_x + y_x)\,d & \\ h_z d & 0 & -(h_x + y_x)\,d \end{bmatrix},
            \qquad h_x + y_x = 2 h_x - m d.$$
            In the first place $2 h_x - m d$ comes once from the products and once from the diagonal, and cancels.
        """,
    ),
    Exercise(
        id="A.7",
        title="The bill of one joint",
        section="Two screws, or three",
        quantity="whole numbers",
        reference=(383, 418),
        names=("three screws", "a general transform"),
        remark="Though each vector costs 6 operations more, the inertia costs 40 less, and E is not needed. The zeros "
               "of I_a, of which this bill knows nothing, favour the screws even more.",
        mistakes=(
            Mistake((393, 418), "You have paid 2m + 3a for each of the three screws. Two of the angles are constants, "
                                "for which it was paid when the model was made.", "entry"),
            Mistake((378, 418), "One of the three angles is that of the joint: 2m + 3a are due whenever it changes.",
                    "entry"),
            Mistake((383, 400), "The general transform needs E, the product of the joint's turn with the constant E of "
                                "X_T, and that costs 12m + 6a.", "entry"),
            Mistake((287, 334), "Three vectors cross the joint, not one.", "factor"),
            Mistake((418, 383), "The two are exchanged.", "swapped"),
        ),
        hints=(
            "Three screws: 16 operations for a vector, 78 for I_A, each of them three times; and 5 once.",
            "A general transform: 42 for a vector, 274 for I_A, and 18 for E.",
        ),
        solution=r"""
            Three screws: $3 \cdot 3 \cdot 16 + 3 \cdot 78 + 5 = 144 + 234 + 5 = 383$. A general transform:
            $3 \cdot 42 + 274 + 18 = 418$.
        """,
    ),
    Exercise(
        id="A.8",
        title="A slider",
        section="Which zeros survive",
        kind="word",
        reference="b",
        choices={
            "a": "after a z screw only",
            "b": "after a z screw, and after any shift without a turn",
            "c": "after every axial screw",
            "d": "after none",
        },
        remark="The direction of a slider has no place. To shift the frame changes nothing about it, and to turn the "
               "frame about it neither.",
        mistakes=(
            Mistake("a", "That would be right for a hinge. The motion of a slider is the same at all points of the "
                         "body. What does a shift along x do to it?", "entry"),
            Mistake("c", "A turn about x tilts the direction of the slider: then X S has two linear components, and no "
                         "single row is zero.", "entry"),
            Mistake("d", "A turn about z and a shift along z leave S as it is, and then I_a' S = 0 with the same S.",
                    "entry"),
        ),
        hints=(
            "Row 6 of I_a' is zero if X S is a multiple of the sixth unit vector.",
            "X S = (0, E e_z): the shift r meets only the angular part, which is zero.",
        ),
        solution=r"""
            $X S = (0,\ E\,e_z)$, because the shift multiplies the angular part of $S$, and that is zero. A $z$ screw
            leaves $e_z$ alone, and any shift leaves all of $S$ alone; a turn about $x$ or $y$ does not. The answer is
            b.
        """,
    ),
)
