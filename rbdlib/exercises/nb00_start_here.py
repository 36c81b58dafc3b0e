"""The exercises of notebook 00, start here: reading the conventions."""

from rbdlib.exercises.declare import Exercise, Mistake


def _seen_from_B():
    from rbdlib.spatial import xlt

    return xlt([0, 2, 0]) @ [0, 0, 1, 0, 0, 0]


def _factors_of_seen_from_B():
    from rbdlib.spatial import xlt

    return {"X": xlt([0, 2, 0]), "v": [0, 0, 1, 0, 0, 0]}


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
        section="Three numbers in the plane",
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
)
