"""The exercises of notebook 02, spatial vectors (RBDA 2.1-2.8)."""

import numpy as np

from rbdlib.exercises.declare import Exercise, Mistake


def _unit_rotation_about_Py():
    from sympy import eye, symbols

    from rbdlib.book.ch02_spatial import line_motion

    return line_motion(eye(3).row(1), symbols("p_x p_y p_z"))


def _with_lower_half(*entries):
    """A wrong answer to exercise 2.2: the angular part (0, 1, 0) and the given names, "-p_z" for a negative."""
    from sympy import Symbol

    signed = [-Symbol(name[1:]) if name.startswith("-") else Symbol(name) if name else 0 for name in entries]
    return [0, 1, 0, *signed]


def _steering_wheel():
    from rbdlib.book.ch02_spatial import line_force

    return line_force([10, 0, 0], [0, 0.2, 0]) + line_force([-20, 0, 0], [0, -0.2, 0])


def _screw():
    from rbdlib.methods.screws import screw_of_motion

    screw = screw_of_motion([0, 0, 2, 1, -0.4, 0.5])
    return [screw.pitch, *screw.point]


def _force_at(f, r):
    from rbdlib.book.ch02_spatial import moment_at

    return np.concatenate([moment_at(f, r), f[3:]])


def _force_at_factors(f, r):
    from rbdlib.book.ch02_spatial import force_transform, xlt

    return {"X*": force_transform(xlt(r)), "f": f}


def _turned_then_moved():
    from rbdlib.book.ch02_spatial import rotz, xlt

    return rotz(np.pi / 2) @ xlt([-2, 0, 0])


def _turned_then_moved_factors():
    from rbdlib.book.ch02_spatial import rotz, xlt

    return {"xlt": xlt([0, 2, 0]), "rotz": rotz(np.pi / 2)}


def _wrong_transform(angle, r):
    def answer():
        from rbdlib.book.ch02_spatial import rotz, xlt

        return rotz(angle) @ xlt(r)

    return answer


def _power_of_a_wrench_on_a_twist():
    from sympy import eye, symbols

    from rbdlib.book.ch02_spatial import couple, free_motion, line_force, line_motion, rx

    omega, F, h_1, h_2, d, alpha = symbols("omega F h_1 h_2 d alpha")
    z = np.array(eye(3).row(2)).ravel()
    u = rx(alpha).T @ z
    m = omega * (line_motion(z, 0 * z) + h_1 * free_motion(z))
    f = F * (line_force(u, [d, 0, 0]) + h_2 * couple(u))
    return m @ f


def _wrong_power(formula):
    """A wrong answer to exercise 2.8, from a function of (cos alpha, sin alpha, d, h_1, h_2)."""

    def answer():
        from sympy import cos, sin, symbols

        omega, F, h_1, h_2, d, alpha = symbols("omega F h_1 h_2 d alpha")
        return omega * F * formula(cos(alpha), sin(alpha), d, h_1, h_2)

    return answer


EXERCISES = (
    Exercise(
        id="2.1",
        title="A rolling wheel",
        section="A field, not an arrow",
        quantity="motion",
        reference=(0, 0, -4, 0, 2, 0),
        mistakes=(
            Mistake((0, 0, -4, 1.2, 0, 0),
                    "The angular part is right. The linear part is the velocity of the wheel's centre, but the centre "
                    "is not at the origin. Wanted is the velocity of the wheel-fixed point that is at O, even if no "
                    "rubber is there: imagine the wheel larger.", "entry"),
            Mistake((0, 0, 4, 0, -2, 0),
                    "A wheel that rolls towards +x turns clockwise, seen with x to the right and y up. About z, which "
                    "points at you, that is negative.", "sign"),
            Mistake((0, 0, 4, 0, 2, 0),
                    "The linear part is right, but the wheel turns clockwise, seen with x to the right and y up. About "
                    "z, which points at you, that is negative.", "sign"),
            Mistake((0, 0, -4, 0, -2, 0),
                    "The angular part is right. The linear part has the opposite sign: the wheel turns clockwise about "
                    "the contact point, and O lies to the left of it. Does what is to the left go up or down?", "sign"),
            Mistake((0, 0, -4, 2.4, 0, 0),
                    "The angular part is right. 2.4 m/s is the velocity at the top of the wheel; wanted is the "
                    "velocity at O, on the ground.", "entry"),
        ),
        hints=(
            "How far does the wheel turn while it travels one circumference? That gives ω. Then look for the point of "
            "the wheel that stands still.",
            "The wheel does not slip, so its point on the ground is at rest: at this instant the whole wheel turns "
            "about the line through (0.5, 0, 0) along z.",
            "With ω = (0, 0, -1.2/0.3) and the resting point P = (0.5, 0, 0), put the place O into V(P) + ω × PO.",
        ),
        solution=r"""
            The wheel turns clockwise at $1.2/0.3 = 4$ rad/s, so $\omega = (0, 0, -4)$. It does not slip, so the point
            of the wheel that touches the ground, $P = (0.5, 0, 0)$, is at rest. Eq. 2.1, read from $P$ to $O$, gives
            $v_O = v_P + \omega \times \overrightarrow{PO} = (0, 0, -4) \times (-0.5, 0, 0) = (0, 2, 0)$: what lies to
            the left of the contact goes up. Together that is $[0, 0, -4, 0, 2, 0]$. The centre's velocity 1.2 m/s
            is nowhere to be seen, but it is in there: put $(0.5, 0.3, 0)$ into Eq. 2.1 and it comes out.
        """,
    ),
    Exercise(
        id="2.2",
        title="A basis vector at a general point",
        section="Six elementary motions",
        quantity="motion",
        reference=_unit_rotation_about_Py,
        mistakes=(
            Mistake(lambda: _with_lower_half("p_z", "", "-p_x"),
                    "The angular part is right. The linear part has the opposite sign. You have the velocity of the "
                    "body-fixed point at P when the body turns about a line through O; here it turns about a line "
                    "through P, and the velocity at O is wanted.", "sign"),
            Mistake(lambda: _with_lower_half("p_x", "p_y", "p_z"),
                    "The angular part is right. The linear part is a velocity, and you have put the position of P "
                    "there.", "entry"),
            Mistake(lambda: _with_lower_half("", "", "p_x"),
                    "That is right for a point on the x axis, as in Example 2.2. A general P also has a height p_z, "
                    "and a rotation about a line along y, high above O, moves O sideways.", "entry"),
            Mistake((0, 1, 0, 0, 0, 0),
                    "These are the coordinates of the unit rotation about Oy. The line Py passes O at a distance, so "
                    "the body-fixed point at O moves.", "entry"),
        ),
        hints=(
            "The body turns at 1 rad/s about a line along y through P, so P stands still. What does Eq. 2.1 say about "
            "the point at O?",
            "v_O = v_P + ω × PO, and PO = -OP = -(p_x, p_y, p_z).",
            "So v_O = (p_x, p_y, p_z) × (0, 1, 0). Work out the three components of that cross product.",
        ),
        solution=r"""
            The line is along $y$, so $\omega = j = (0, 1, 0)$. The point at $P$ is at rest, and Eq. 2.1, read from $P$
            to $O$, gives $v_O = j \times \overrightarrow{PO} = \overrightarrow{OP} \times j = (-p_z, 0, p_x)$. So
            $d_{Py} = d_{Oy} + p_x\, d_z - p_z\, d_x$, with the coordinates $[0, 1, 0, -p_z, 0, p_x]$. For
            $P = (r, 0, 0)$ that is Example 2.2. The component $p_y$ does not occur, because moving $P$ along its own
            line does not change the line.
        """,
    ),
    Exercise(
        id="2.3",
        title="Two hands on a steering wheel",
        section="Forces are told the same way",
        quantity="force",
        reference=_steering_wheel,
        remark="Its line of action passes through (0, -0.6, 0), outside the wheel: no single hand on the rim could do "
               "the same.",
        mistakes=(
            Mistake((0, 0, 6, -10, 0, 0),
                    "The linear force is right. The moment has the opposite sign: at (0, 0.2, 0) a pull towards +x "
                    "turns clockwise, seen with x to the right and y up, and about z that is negative.", "sign"),
            Mistake((0, 0, -2, -10, 0, 0),
                    "The linear force is right. In the moment you have taken the difference of the two, as if both "
                    "hands turned the wheel opposite ways; the lower hand pulls the other way on the other side of the "
                    "centre, so both turn it the same way.", "sign"),
            Mistake((0, 0, 0, -10, 0, 0),
                    "The linear force is right, but the two hands do not pull along one line through O, so there is a "
                    "moment about O.", "entry"),
            Mistake((0, 0, -6, 0, 0, 0),
                    "The moment is right. The forces would cancel if they were equally large; 10 N and 20 N do not.",
                    "entry"),
        ),
        hints=(
            "Write down one force vector for each hand, and add them.",
            "A force f applied at r has the moment r × f about O. Of r = (0, y, 0) and f = (f_x, 0, 0) that is "
            "(0, 0, -y f_x).",
            "The two moments are -0.2 · 10 and -(-0.2) · (-20). Moment first, then force.",
        ),
        solution=r"""
            The moments of the two forces about $O$ are $(0, 0.2, 0) \times (10, 0, 0) = (0, 0, -2)$ and
            $(0, -0.2, 0) \times (-20, 0, 0) = (0, 0, -4)$: both turn the wheel clockwise. The forces add up to
            $(-10, 0, 0)$. Forces on one body may be added as spatial vectors, so the hands together exert
            $[0, 0, -6, -10, 0, 0]$.
        """,
    ),
    Exercise(
        id="2.4",
        title="The screw in six numbers",
        section="Where is the axis?",
        names=("the pitch", "the x coordinate of the point", "the y coordinate of the point",
               "the z coordinate of the point"),
        quantity="coordinates",
        reference=_screw,
        mistakes=(
            Mistake((0.25, -0.2, -0.5, 0),
                    "The pitch is right. The point is on the wrong side of O: it is s × s_O over s · s, in this order. "
                    "Test it: OP × s must be s_O less the part along s.", "sign"),
            Mistake((0.25, 0.4, 1.0, 0),
                    "The pitch is right. The direction from O to the point is right too, but it is too far out: "
                    "divide by s · s = 4, not by the length of s.", "factor"),
            Mistake((0.5, 0.2, 0.5, 0),
                    "The point is right. The pitch is metres per radian: the sliding, 0.5 m/s, divided by the turning, "
                    "2 rad/s. You have the sliding itself, or s · s_O divided by the length of s once.", "factor"),
            Mistake((1, 0.2, 0.5, 0),
                    "The point is right. s · s_O = 1 is not yet the pitch: divide it by s · s.", "factor"),
        ),
        hints=(
            "Which part of s_O points along s? That part is the sliding; all the rest of s_O comes from the axis not "
            "passing through O.",
            "Pitch: h = (s · s_O)/(s · s). What remains, s_O - h s, must be OP × s.",
            "The point nearest to O is (s × s_O)/(s · s). Here s = (0, 0, 2).",
        ),
        solution=r"""
            With $s = (0, 0, 2)$ and $s_O = (1, -0.4, 0.5)$ the pitch is $h = (s \cdot s_O)/(s \cdot s) = 1/4 = 0.25$ m
            per rad. The point is $P = (s \times s_O)/(s \cdot s) = (0.8, 2, 0)/4 = (0.2, 0.5, 0)$. Test:
            $\overrightarrow{OP} \times s = (1, -0.4, 0)$, which is $s_O - h s$. So the answer is
            $[0.25, 0.2, 0.5, 0]$.
        """,
    ),
    Exercise(
        id="2.5",
        title="A jack without friction",
        section="Power, or why there are two kinds",
        reference=5000.0,
        mistakes=(
            Mistake(0.02, "You have multiplied the moment by the pitch. The total power is zero: 10 ω - W h ω = 0. The "
                          "small pitch makes the load large.", "factor"),
            Mistake(-5000.0, "The size is right. -5000 N is the force that the load exerts on the screw; asked is the "
                             "weight, as a positive number.", "sign"),
            Mistake(10 / (0.002 * 2 * np.pi),
                    "You have taken the jack to advance 2π times 2 mm for each radian. The pitch is the advance in one "
                    "radian already, and the power counts radians too, so no 2π is needed.", "factor"),
            Mistake(10 * 2 * np.pi / 0.002,
                    "That would be right if the screw advanced 2 mm in a whole turn. It does so in every radian, so no "
                    "2π is needed.", "factor"),
            Mistake(5.0, "The pitch is 2 mm per radian, and you have counted in millimetres. In SI units it is "
                         "0.002 m.", "factor"),
        ),
        hints=(
            "Write down the velocity of the screw when it turns at ω, and the force on it: your moment and the load.",
            "v = ω [0, 0, 1, 0, 0, h] and f = [0, 0, 10, 0, 0, -W]. Without friction nothing else delivers power.",
            "v · f = 0 says 10 ω = W h ω.",
        ),
        solution=r"""
            The screw moves with $v = \omega\,[0, 0, 1, 0, 0, h]$, and on it acts $f = [0, 0, 10, 0, 0, -W]$. Turning
            steadily and without friction it takes up no power, so $v \cdot f = \omega\,(10 - h W) = 0$ and
            $W = 10/0.002 = 5000$ N. The thread exerts forces too, along many directions, but none of them
            delivers power, which is why we need not know them.
        """,
    ),
    Exercise(
        id="2.6",
        title="A force seen from elsewhere",
        section="Moving the origin",
        kind="function",
        quantity="force",
        reference=_force_at,
        inputs=lambda rng: (rng.normal(size=6), rng.normal(size=3)),
        product=_force_at_factors,
        mistakes=(
            Mistake(lambda f, r: np.concatenate([f[:3], f[3:] - np.cross(r, f[:3])]),
                    "That is the rule for motion vectors, whose second half depends on the origin. In a force vector "
                    "[n, f] it is the first half, the moment.", "dual"),
            Mistake(lambda f, r: np.concatenate([f[:3] + np.cross(r, f[3:]), f[3:]]),
                    "The linear force is right. The moment goes the other way: you have n_O + r × f, which brings a "
                    "force from P back to O. Wanted is n_P = n_O + f × r.", "sign"),
            Mistake(lambda f, r: np.concatenate([np.cross(f[3:], r), f[3:]]),
                    "The linear force is right. In the moment you have forgotten the couple that is there already, "
                    "n_O.", "entry"),
        ),
        hints=(
            "Which half of a force vector depends on the origin, and which is the same everywhere?",
            "Eq. 2.6 gives the moment about the new origin: n_P = n_O + f × OP, and OP is r.",
            "return np.concatenate([f[:3] + np.cross(f[3:], r), f[3:]])",
        ),
        solution=r"""
            The linear force is the same at every origin; the moment becomes $n_P = n_O + f \times r$ (Eq. 2.6):

                def force_at(f, r):
                    return np.concatenate([f[:3] + np.cross(f[3:], r), f[3:]])

            As a matrix this is $[1, -r\times;\ 0, 1]$, that is $\mathrm{xlt}(r)^{-T}$, Eq. 2.22.
        """,
    ),
    Exercise(
        id="2.7",
        title="Turn first, then move",
        section="Turning and moving",
        quantity="transform",
        reference=_turned_then_moved,
        product=_turned_then_moved_factors,
        mistakes=(
            Mistake(_wrong_transform(np.pi / 2, [0, 2, 0]),
                    "This puts B's origin 2 m along A's y axis. In rot(E) xlt(r) the position r is in A coordinates, "
                    "but the 2 m go along B's own y axis, which points elsewhere in A.", "frame"),
            Mistake(_wrong_transform(-np.pi / 2, [-2, 0, 0]),
                    "The position is right, but B is turned the wrong way. rotz(θ) is the coordinate transform to a "
                    "frame turned by +θ; you need no minus to make it one.", "transpose"),
            Mistake(_wrong_transform(np.pi / 2, [2, 0, 0]),
                    "The turn is right, but B's origin is on the wrong side of A: after a quarter turn anticlockwise "
                    "about z, B's y axis points along -x of A.", "sign"),
        ),
        hints=(
            "Draw A, and B after the quarter turn. In which direction, seen from A, does B's y axis point?",
            "Either find r in A coordinates and write rotz(...) @ xlt(r); or move along B's own axes after the turn, "
            "and remember that the rightmost factor acts first.",
            "r = (-2, 0, 0) in A coordinates; along B's own axes it is (0, 2, 0).",
        ),
        solution=r"""
            After a quarter turn about $z$ the $y$ axis of B points along $-x$ of A, so that $r = (-2, 0, 0)$ in A
            coordinates and ${}^{B}X_{A} = \mathrm{rotz}(\pi/2)\,\mathrm{xlt}([-2, 0, 0])$. The same matrix results if
            we turn first and move then along the turned axes: $\mathrm{xlt}([0, 2, 0])\,\mathrm{rotz}(\pi/2)$.
        """,
    ),
    Exercise(
        id="2.8",
        title="A wrench works on a twist",
        section="A question for paper",
        where="0 < d",
        reference=_power_of_a_wrench_on_a_twist,
        remark="For h_1 = h_2 = 0 it is the power of a force on a rotation: -ω F d sin α, zero when the two lines meet "
               "or are parallel.",
        mistakes=(
            Mistake(_wrong_power(lambda c, s, d, h_1, h_2: (h_1 + h_2) * c + d * s),
                    "Nearly: the term with the distance has the wrong sign. Turning z by a positive α about x makes it "
                    "(0, -sin α, cos α); the usual rotation is rx(α) transposed.", "transpose"),
            Mistake(_wrong_power(lambda c, s, d, h_1, h_2: (h_1 + h_2) * c),
                    "The term with the pitches is right, but it holds only when the two axes meet. The force's moment "
                    "about O has a part from the lever arm d, and it works on the rotation.", "expression"),
            Mistake(_wrong_power(lambda c, s, d, h_1, h_2: h_1 * h_2 * c - d * s),
                    "The term with the distance is right. The pitches must not be multiplied: the force works on the "
                    "sliding (h_1), the couple on the turning (h_2), and the two powers add up.", "expression"),
            Mistake(_wrong_power(lambda c, s, d, h_1, h_2: (h_1 + h_2) * s - d * c),
                    "Sine and cosine are exchanged. With α = 0 the axes are parallel, and the couple works on the "
                    "rotation in full.", "expression"),
            Mistake(_wrong_power(lambda c, s, d, h_1, h_2: (1 + h_1 * h_2) * c),
                    "That multiplies like with like: rotation with force, sliding with couple. Motion and force are "
                    "of different kinds, and their product pairs rotation with moment, sliding with force.", "dual"),
        ),
        hints=(
            "Put the origin on the twist's axis: m = ω [z; h_1 z]. Then write the wrench as f = F [p × u + h_2 u; u].",
            "p = (d, 0, 0), and u is z turned by α about x: u = (0, -sin α, cos α).",
            "The power is ω F (z · (p × u) + h_2 z · u + h_1 z · u). Only the z components are needed.",
        ),
        solution=r"""
            With the origin on the twist's axis and $z$ along it, $m = \omega\,[z;\ h_1 z]$. The wrench is
            $f = F\,[p \times u + h_2 u;\ u]$ with $p = (d, 0, 0)$ and $u = (0, -\sin\alpha, \cos\alpha)$. Then
            $z \cdot u = \cos\alpha$, $p \times u = (0, -d\cos\alpha, -d\sin\alpha)$, and
            $m \cdot f = \omega F\,\big((h_1 + h_2)\cos\alpha - d\sin\alpha\big)$.
            No origin is left in it: it speaks of two axes, of how they lie to one another, and of two pitches.
            Where it is zero, the wrench can do no work on that twist; the two are then called reciprocal.
        """,
    ),
)
