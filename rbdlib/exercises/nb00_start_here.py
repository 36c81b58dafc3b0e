"""The exercises of notebook 00, start here: reading the conventions, and checking a formula derived by hand."""

from rbdlib.exercises.declare import Exercise, Mistake


def _seen_from_B():
    from rbdlib.book.ch02_spatial import xlt

    return xlt([0, 2, 0]) @ [0, 0, 1, 0, 0, 0]


def _factors_of_seen_from_B():
    from rbdlib.book.ch02_spatial import xlt

    return {"X": xlt([0, 2, 0]), "v": [0, 0, 1, 0, 0, 0]}


def _entry_of_H(row, column):
    """The entry of H as the library computes it from the model file."""

    def entry():
        from sympy import simplify, symbols

        from rbdlib.io.model_file import load
        from rbdlib.methods.joint_space import inertia_matrix

        return simplify(inertia_matrix(load("double_pendulum", symbolic=True), symbols("q1 q2"))[row, column])

    return entry


def _formula(of):
    """A formula of the double pendulum's symbols, made when it is needed."""

    def formula():
        from sympy import cos, symbols

        m1, m2, l1, l2 = symbols("m1 m2 l1 l2", positive=True)
        return of(m1, m2, l1, l2, *symbols("q1 q2"), cos)

    return formula


EXERCISES = (
    Exercise(
        id="0.1",
        title="A rotation about a line",
        section="Six numbers for a motion",
        quantity="motion",
        reference=(0, 0, 1, 0, -2, 0),
        mistakes=(
            Mistake((0, 0, 1, 0, 2, 0),
                    "The angular part is right. The linear part has the opposite sign: you have the velocity that the "
                    "point (2, 0, 0) would have if the body turned about the origin. Wanted is the velocity of the "
                    "body-fixed point at the origin while the body turns about the line through (2, 0, 0).", "sign"),
            Mistake((0, 0, 1, 0, 0, 0),
                    "The angular part is right, but this body turns about a line through the origin. Your line passes "
                    "through (2, 0, 0), so the body-fixed point at the origin moves.", "entry"),
            Mistake((0, 0, 1, 2, 0, 0),
                    "The angular part is right. The linear part is a velocity, and you have put the position of the "
                    "line there.", "entry"),
            Mistake((0, -2, 0, 0, 0, 1),
                    "The numbers are right, but this book writes the angular part first: [ω, v].", "swapped"),
        ),
        hints=(
            "The first three numbers are the angular velocity. The last three belong to the body-fixed point that is "
            "at the origin just now.",
            "That point goes round the line in a circle. How large is the circle, and in which direction does the "
            "point move?",
            "Put P = (2, 0, 0) and ω = (0, 0, 1) into v_O = P × ω.",
        ),
        solution=r"""
            The angular velocity is $\omega = (0, 0, 1)$ rad/s. The body-fixed point that is at the origin $O$ lies 2 m
            from the line, so it moves at 2 m/s, and in the direction $-y$: seen from above the body turns
            anticlockwise about $P = (2, 0, 0)$, and $O$ lies to the left of $P$. In a formula,
            $v_O = \omega \times (O - P) = P \times \omega = (0, -2, 0)$.
            With the angular part first, the six coordinates are $[0, 0, 1, 0, -2, 0]$.
        """,
    ),
    Exercise(
        id="0.2",
        title="Finding an entry",
        section="Six numbers for a force",
        reference=5,
        mistakes=(
            Mistake(2, "The second entry is the y component of the moment. A force vector is [n, f]: the moment comes "
                       "first.", "swapped"),
            Mistake(4, "The position is right if one counts from zero, as Python does. In the text, entries are "
                       "counted from one."),
            Mistake(1, "Counted from zero, that is the y component of the moment. A force vector is [n, f], the moment "
                       "comes first, and in the text entries are counted from one.", "swapped"),
        ),
        hints=(
            "Write the force vector with all its letters: first the moment about the origin, then the linear force.",
            "Count along [n_x, n_y, n_z, f_x, f_y, f_z], beginning with one.",
        ),
        solution=r"""
            A force vector is $[n_x, n_y, n_z, f_x, f_y, f_z]$: the moment about the origin comes first, as the angular
            part does in a motion vector. Counted from one, $f_y$ is entry 5.
        """,
    ),
    Exercise(
        id="0.3",
        title="The same motion in other coordinates",
        section="What X does",
        quantity="motion",
        reference=_seen_from_B,
        product=_factors_of_seen_from_B,
        mistakes=(
            Mistake((0, 0, 1, 2, 0, 0),
                    "The angular part is right. The linear part has the opposite sign: that is the view from a frame "
                    "at (0, -2, 0). You have gone from B to A, and wanted is the way from A to B.", "inverse"),
            Mistake((0, 0, 1, 0, 0, 0),
                    "These are the numbers in A. The angular part does not depend on where the origin is, but the "
                    "linear part does: it belongs to the body-fixed point at B's origin, and that point moves.",
                    "entry"),
            Mistake((0, 0, 1, 0, 2, 0),
                    "The angular part is right. The linear part is a velocity, and you have put the position of B "
                    "there.", "entry"),
        ),
        hints=(
            "Turning about a line looks equally fast from everywhere, so three of the six numbers do not change.",
            "The other three are the velocity of the body-fixed point at B's origin. Which way does the point "
            "(0, 2, 0) move when the body turns anticlockwise about z?",
            "Compute ω × r with ω = (0, 0, 1) and r = (0, 2, 0), or let Python do it: xlt([0, 2, 0]) @ v.",
        ),
        solution=r"""
            $X = \mathrm{xlt}(r)$ moves nothing: it writes the same motion in the coordinates of B. The angular
            velocity stays $(0, 0, 1)$. The linear part is now the velocity of the body-fixed point at B's origin,
            $v_O + \omega \times r = (0, 0, 1) \times (0, 2, 0) = (-2, 0, 0)$.
            Together that is $[0, 0, 1, -2, 0, 0]$.
        """,
    ),
    Exercise(
        id="0.4",
        title="A force in the plane",
        section="Six numbers for a force",
        quantity="planar force",
        reference=(5.0, 0.0, 10.0),
        mistakes=(
            Mistake((0, 10, 5),
                    "The numbers are right, but the moment comes first: a planar force vector is [n, fx, fy].",
                    "swapped"),
            Mistake((-5, 0, 10),
                    "The force is right. The moment has the opposite sign: a force along y, applied at a point with "
                    "positive x, turns anticlockwise, and that counts as positive.", "sign"),
            Mistake((0, 0, 10),
                    "The force is right, but its line of action does not pass through the origin, so it has a moment "
                    "about it.", "entry"),
        ),
        hints=(
            "Three numbers: the moment about the origin, then the force along x and along y.",
            "The moment is the force times the distance of its line of action from the origin, positive if it turns "
            "anticlockwise.",
            "With the force (fx, fy) at the point (x, y) the moment is x fy - y fx.",
        ),
        solution=r"""
            The force is $(0, 10)$ N. Its line of action passes the origin at a distance of 0.5 m, and it turns
            anticlockwise, so the moment is $n = x f_y - y f_x = 0.5 \cdot 10 = 5$ N m. The planar force vector is
            $[5, 0, 10]$.
        """,
    ),
    Exercise(
        id="0.5",
        title="What does X do?",
        section="What X does",
        kind="word",
        choices={
            "a": "It moves the body from A to B.",
            "b": "It takes the coordinates of a motion vector in A to those of the same motion vector in B.",
            "c": "It takes the coordinates of a force vector in A to those of the same force vector in B.",
            "d": "It takes the coordinates of a motion vector in B to those of the same motion vector in A.",
        },
        reference="b",
        mistakes=(
            Mistake("a", "Nothing moves. X is a coordinate transform: the motion stays what it is, and only the "
                         "numbers that describe it change."),
            Mistake("c", "Force vectors have a transform of their own, X* (the inverse transpose of X). The plain X is "
                         "for motion vectors.", "dual"),
            Mistake("d", "That is the opposite direction. Read the letters from right to left: the vector on the right "
                         "is in A coordinates, what comes out on the left is in B coordinates.", "inverse"),
        ),
        hints=(
            "Does the body do anything else because we have chosen other axes to describe it?",
            "Read ᴮX_A from right to left, as one reads a product of matrices, and remember that there is also an X*.",
        ),
        solution=r"""
            The answer is b. ${}^{B}X_{A}$ changes coordinates and nothing else: from A (on the right) to B (on the
            left), and for motion vectors. Force vectors take ${}^{B}X_{A}^{*} = ({}^{B}X_{A})^{-T}$.
        """,
    ),
    Exercise(
        id="0.6",
        title="Holding the pendulum out",
        section="The rest of the conventions",
        names=("the torque of the upper hinge", "the torque of the lower hinge"),
        reference=(29.43, 9.81),
        remark="In code: bias_force(pendulum, [np.pi / 2, 0], [0, 0]).",
        mistakes=(
            Mistake((-29.43, -9.81),
                    "These are the torques with which gravity pulls down. Wanted is what the hinges must supply to "
                    "hold against it, and that turns the other way, anticlockwise.", "sign"),
            Mistake((19.62, 9.81),
                    "The lower hinge is right. For the upper hinge, each weight counts with its own distance from that "
                    "hinge: the first hangs 1 m away, the second 2 m.", "entry"),
            Mistake((29.43, 19.62),
                    "The upper hinge is right. The lower hinge holds only what is beyond it, and its lever arm starts "
                    "at that hinge: one weight, 1 m away.", "entry"),
            Mistake((26.3103, 8.7701),
                    "This is the answer for an angle of 90 rad. Angles are in radians here: write np.pi / 2 or "
                    "np.deg2rad(90).", "degrees"),
        ),
        hints=(
            "At rest nothing but weight counts. Which weights does each hinge have to carry, and how far from the "
            "hinge are they, measured horizontally?",
            "A weight of 9.81 N at 1 m needs 9.81 N m. The torque that holds it turns anticlockwise, which is "
            "positive.",
            "The upper hinge carries one weight at 1 m and one at 2 m; the lower hinge carries one at 1 m.",
        ),
        solution=r"""
            Each weight is $1 \cdot 9.81$ N. The lower hinge carries one of them, 1 m to its right, and needs
            $9.81$ N m. The upper hinge carries the first at 1 m and the second at 2 m:
            $9.81 \cdot (1 + 2) = 29.43$ N m.
            Gravity turns the rods clockwise, so what holds them is anticlockwise, positive. The formula for $C$
            with $\dot q = 0$ says the same: $C_1 = g l_1 (m_1 + m_2) \sin q_1 + g l_2 m_2 \sin(q_1 + q_2)$ and
            $C_2 = g l_2 m_2 \sin(q_1 + q_2)$.
        """,
    ),
    Exercise(
        id="0.7",
        title="The torque at one hinge when the other accelerates",
        section="A derivation by hand, and what is wrong with it",
        symbols=("m1", "q1"),
        model="double_pendulum",
        asks="H[1,2]",
        reference=_entry_of_H(0, 1),
        remark="H is symmetric: the same formula is the torque at the lower hinge when the upper one accelerates.",
        mistakes=(
            Mistake(_formula(lambda m1, m2, l1, l2, q1, q2, cos: m2 * l2**2 - m2 * l1 * l2 * cos(q2)),
                    "The term with the cosine has the wrong sign: by this formula a straight pendulum (q2 = 0) with "
                    "rods of equal length would need no torque at all. The angle between the directions of the two "
                    "rods is q2, and not π - q2.", "sign"),
            Mistake(_formula(lambda m1, m2, l1, l2, q1, q2, cos: m2 * l2**2),
                    "This is H_22, the torque at the lower hinge. About the upper hinge the same force has a longer "
                    "lever arm, if the pendulum is straight: the upper rod adds to it.", "entry"),
            Mistake(_formula(lambda m1, m2, l1, l2, q1, q2, cos: m2 * l2 * (l1 + l2)),
                    "That is right for a straight pendulum only. When the elbow is bent by q2, only a part of the "
                    "upper rod adds to the lever arm.", "special case"),
            Mistake(_formula(lambda m1, m2, l1, l2, q1, q2, cos: m2 * l2 * (l2 + l1 * cos(q1 + q2))),
                    "The angle in your cosine is that of the lower rod with the vertical. The lever arm depends on how "
                    "the pendulum is bent and not on how it hangs: the angle between the rods is q2.", "angle"),
        ),
        hints=(
            "The force m2 l2 acts on the lower weight, across the lower rod. How far does its line of action pass from "
            "the upper hinge?",
            "The lever arm is the distance of the lower weight from the upper hinge, measured along the direction of "
            "the lower rod: l2 of it is that rod itself. Which part of the upper rod comes in addition?",
        ),
        solution=r"""
            Only the lower hinge accelerates, by 1 rad/s². The lower weight has the acceleration $l_2$ across its rod,
            and that takes the force $m_2 l_2$. Its lever arm about the upper hinge is measured along the lower rod:
            this rod contributes $l_2$, and the upper rod, whose direction differs from it by $q_2$, contributes
            $l_1 \cos q_2$. So $H_{12} = m_2 l_2 (l_2 + l_1 \cos q_2)$. For a straight pendulum the lever arm is
            $l_1 + l_2$, for one that is folded together, $q_2 = \pi$, it is $l_2 - l_1$.
        """,
    ),
    Exercise(
        id="0.8",
        title="One entry of H, on paper",
        section="A derivation by hand, and what is wrong with it",
        symbols=("q1",),
        model="double_pendulum",
        asks="H[1,1]",
        reference=_entry_of_H(0, 0),
        mistakes=(
            Mistake(_formula(lambda m1, m2, l1, l2, q1, q2, cos: m1 * l1**2 + m2 * (l1**2 + l2**2)),
                    "This holds for rods at right angles. In general the square of the distance from the upper hinge "
                    "to the lower weight has a third part, which depends on q2 (the law of cosines).", "term"),
            Mistake(_formula(lambda m1, m2, l1, l2, q1, q2, cos:
                             m1 * l1**2 + m2 * (l1**2 + l2**2 - 2 * l1 * l2 * cos(q2))),
                    "The law of cosines wants the inner angle of the triangle, which is π - q2. Try q2 = 0: the "
                    "pendulum is straight, and the lower weight is l1 + l2 away and not l1 - l2.", "sign"),
            Mistake(_formula(lambda m1, m2, l1, l2, q1, q2, cos:
                             m1 * l1**2 + m2 * (l1**2 + l2**2 + l1 * l2 * cos(q2))),
                    "Nearly: in the square of a sum the mixed product occurs twice.", "factor"),
            Mistake(_formula(lambda m1, m2, l1, l2, q1, q2, cos: (m1 + m2) * l1**2),
                    "You have put the lower weight into the lower hinge. It is further out, at the end of its own "
                    "rod.", "term"),
            Mistake(_formula(lambda m1, m2, l1, l2, q1, q2, cos: m1 * l1**2 + m2 * (l1 + l2) ** 2),
                    "That is right for a straight pendulum only. When the elbow is bent, the lower weight is nearer to "
                    "the upper hinge.", "special case"),
            Mistake(_formula(lambda m1, m2, l1, l2, q1, q2, cos:
                             m1 * l1**2 + m2 * (l1**2 + l2**2 + 2 * l1 * l2 * cos(q1 - q2))),
                    "In many books the angles of both rods count from the vertical, and then their difference stands "
                    "here. Ours counts from the rod before: the angle between the rods is q2 itself.", "angle"),
        ),
        hints=(
            "With the lower hinge locked there is one rigid body with two weights. A weight at the distance d from the "
            "axis contributes its mass times d².",
            "The first weight has d = l1. For the second, draw the triangle of the two hinges and the weight.",
            "Its sides are l1 and l2, and the inner angle at the elbow is π - q2. Use the law of cosines.",
        ),
        solution=r"""
            Locked in the elbow, the pendulum is one rigid body, and $H_{11}$ is its moment of inertia about the upper
            hinge. The upper weight contributes $m_1 l_1^2$. For the lower one the law of cosines gives
            $d^2 = l_1^2 + l_2^2 - 2 l_1 l_2 \cos(\pi - q_2) = l_1^2 + l_2^2 + 2 l_1 l_2 \cos q_2$. Together,
            $H_{11} = m_1 l_1^2 + m_2 (l_1^2 + l_2^2 + 2 l_1 l_2 \cos q_2)$. With the numbers of this notebook and
            $q_2 = 0.5$ that is $1 + 2 + 2 \cos 0.5 = 4.755$ kg m².
        """,
    ),
)
