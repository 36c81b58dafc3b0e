"""The exercises of notebook 06, modelling (RBDA chapter 4)."""

import numpy as np

from rbdlib.exercises.declare import Exercise, Mistake


def _support(parent):
    rows = [np.zeros(len(parent))]
    for i, parent_i in enumerate(parent, start=1):
        rows.append(rows[parent_i] + np.eye(len(parent))[i - 1])
    return np.array(rows[1:])


def _wrong_support(change):
    """A wrong function for exercise 6.2: the right matrix and the list of parents, changed."""
    return lambda parent: change(_support(parent), parent)


def _parents_only(epsilon, parent):
    near = np.eye(len(parent))
    for i, parent_i in enumerate(parent):
        if parent_i:
            near[i, parent_i - 1] = 1
    return near


def _random_tree(rng):
    return ([int(rng.integers(0, i)) for i in range(1, 8)],)


def _crank_at_right_angle(rod=lambda slope: -np.pi / 2 - slope, piston=0.24):
    return lambda: [rod(np.arcsin(0.10 / 0.26)), piston]


def _classic_rows():
    return np.array([[0, -np.pi / 2, 0.66], [0.43, 0, 0.15], [-0.02, np.pi / 2, 0]])


def _modified_rows():
    rows = _classic_rows()
    return np.column_stack([np.vstack([[0, 0], rows[:2, :2]]), rows[:, 2]])


def _rows_with(change):
    def answer():
        return change(_modified_rows(), _classic_rows())

    return answer


def _everything_down(modified, classic):
    return np.vstack([[0, 0, 0], classic[:2]])


def _up(modified, classic):
    return np.column_stack([np.vstack([classic[1:, :2], [0, 0]]), classic[:, 2]])


def _in_degrees(modified, classic):
    return modified * [1, 180 / np.pi, 1]


def _planar_bias(entries):
    """A vector of six with the linear part (x, y) that the function makes of q2, q3, qd1, qd2, qd3."""

    def answer():
        from sympy import symbols

        x, y = entries(*symbols("q2 q3 qd1 qd2 qd3"))
        return [0, 0, 0, x, y, 0]

    return answer


def _quarter_turn_about(u, half=True, scalar_first=True):
    angle = np.pi / 4 if half else np.pi / 2
    s = (np.sin(angle) * np.array(u)).tolist()
    return [np.cos(angle), *s] if scalar_first else [*s, np.cos(angle)]


def _planet(turn=3.0, radius=0.3):
    def X_J(q):
        from rbdlib.book.ch02_spatial import rotz, xlt

        return rotz(turn * q) @ xlt([radius * np.cos(q), radius * np.sin(q), 0])

    return X_J


def _planet_in_turned_axes(q):
    from rbdlib.book.ch02_spatial import rotz, xlt

    return rotz(3 * q) @ xlt([0.3, 0, 0])


def _planet_factors(q):
    from rbdlib.book.ch02_spatial import rotz, xlt

    return {"rotz(3 q)": rotz(3 * q), "xlt(r)": xlt([0.3 * np.cos(q), 0.3 * np.sin(q), 0])}


EXERCISES = (
    Exercise(
        id="6.1",
        title="Two arms",
        section="Numbers with a rule",
        reference=6,
        mistakes=(
            Mistake(24, "4! = 24 would be right if the four bodies of the arms could come in any order. But each "
                        "forearm must come after its own upper arm.", "factor"),
            Mistake(120, "5! = 120 counts all orders. The torso must come first, and each forearm after its own upper "
                         "arm.", "factor"),
            Mistake(2, "You number one arm completely before the other. The rule does not ask for that: upper arm, "
                       "upper arm, forearm, forearm is as regular.", "entry"),
            Mistake(1, "Only a chain has a single numbering. After the torso you may go on with either arm.", "entry"),
            Mistake(4, "Two choices after the torso and two after that make four beginnings. But if you have numbered "
                       "both upper arms, you may still choose which forearm comes first, and if not, the rest is "
                       "fixed or nearly so. Count the orders one by one.", "entry"),
        ),
        hints=(
            "The torso is body 1. Call the other four U, F (one arm) and u, f (the other), and write down orders.",
            "Once you know which two of the places 2 to 5 belong to the left arm, everything is fixed, because U "
            "comes before F and u before f.",
            "In how many ways can two places be chosen out of four?",
        ),
        solution=r"""
            The torso is body 1. Of the numbers 2 to 5, two belong to the left arm, and which of its two bodies gets
            the smaller one is not free. The same holds for the right arm. So the numbering is fixed once two of four
            numbers are chosen: $\binom{4}{2} = 6$ ways.
        """,
    ),
    Exercise(
        id="6.2",
        title="Who carries whom",
        section="Looking up and looking down",
        kind="function",
        reference=_support,
        inputs=_random_tree,
        mistakes=(
            Mistake(_wrong_support(lambda epsilon, parent: epsilon.T),
                    "This is the transpose. Row i tells by which joints body i is carried, so that all ticks lie on "
                    "or below the diagonal.", "transpose"),
            Mistake(_wrong_support(lambda epsilon, parent: epsilon - np.eye(len(parent))),
                    "The diagonal is missing. Joint i carries body i too: i is in κ(i).", "entry"),
            Mistake(_wrong_support(_parents_only),
                    "You have ticked each body and its parent, but not the parent's parent. The way goes on down to "
                    "the base.", "entry"),
            Mistake(_wrong_support(lambda epsilon, parent: _parents_only(epsilon, parent) - np.eye(len(parent))),
                    "This says who is whose parent. κ(i) holds all joints between body i and the base, with joint i "
                    "itself.", "entry"),
        ),
        hints=(
            "κ(i) is κ of the parent, and i besides. The rows say the same: row i is the parent's row with one more "
            "tick.",
            "Start with a row of zeros for the base. Because parents have smaller numbers, the parent's row is there "
            "when you need it.",
            "rows = [zeros]; for i, p in enumerate(parent, start=1): rows.append(rows[p] + unit vector of i); leave "
            "out the base's row at the end.",
        ),
        solution="""
            Body i is carried by whatever carries its parent, and by joint i:

                def support(parent):
                    rows = [np.zeros(len(parent))]
                    for i, parent_i in enumerate(parent, start=1):
                        rows.append(rows[parent_i] + np.eye(len(parent))[i - 1])
                    return np.array(rows[1:])

            One pass is enough, thanks to the regular numbering.
        """,
    ),
    Exercise(
        id="6.3",
        title="The crank at a right angle",
        section="Where the joints sit",
        quantity="coordinates",
        names=("the angle of the rod against the crank", "the place of the piston"),
        reference=_crank_at_right_angle(),
        rtol=1e-3,
        mistakes=(
            Mistake(_crank_at_right_angle(lambda slope: -slope),
                    "The piston is right, and -0.395 rad is the direction of the rod in the housing. The joint "
                    "variable is the angle against the crank, which points straight up.", "frame"),
            Mistake(_crank_at_right_angle(lambda slope: np.pi / 2 + slope),
                    "The piston is right. To come from the direction of the crank to that of the rod you turn "
                    "clockwise, and that counts as negative.", "sign"),
            Mistake(_crank_at_right_angle(lambda slope: -np.pi / 2 + slope),
                    "The piston is right. From the crank's end the rod leads downwards, by more than a quarter turn "
                    "from the crank.", "sign"),
            Mistake(_crank_at_right_angle(lambda slope: np.degrees(-np.pi / 2 - slope)),
                    "Right, but the angle should be in radians.", "degrees"),
            Mistake(_crank_at_right_angle(piston=0.34),
                    "The angle is right. The crank stands across, so that it adds nothing to how far the piston is "
                    "out.", "entry"),
        ),
        hints=(
            "Draw the triangle of crank, rod and the line on which the piston runs. It has a right angle at the "
            "crank's bearing.",
            "0.10, 0.24, 0.26: five, twelve, thirteen. That is the piston. The rod slopes down by asin(5/13).",
            "The crank points up, at 90°. The rod points at -asin(5/13). Their difference is q2.",
        ),
        solution=r"""
            The bearing, the crank's pin at $(0, 0.10)$ and the piston make a right-angled triangle with the hypotenuse
            0.26, so the piston is at $\sqrt{0.26^2 - 0.10^2} = 0.24$ m. In the housing the rod points in the direction
            $-\arcsin(0.10/0.26) = -0.395$ rad. The crank points in the direction $\pi/2$, and $q_2$ is the rod's
            direction less the crank's: $-0.395 - 1.571 = -1.966$ rad. `closed(np.pi / 2)` says the same.
        """,
    ),
    Exercise(
        id="6.4",
        title="From one form to the other",
        section="Four numbers for a joint",
        reference=_modified_rows,
        rtol=1e-3,
        remark="a = -0.02 and α = π/2 of the last row now place the hand.",
        mistakes=(
            Mistake(_rows_with(lambda modified, classic: classic),
                    "That is the table as it was. In the classic form a and α of a row belong to the link after the "
                    "joint, in the modified form to the link before it.", "entry"),
            Mistake(_rows_with(_everything_down),
                    "You have moved all three columns down. d belongs to joint i in both forms and stays where it "
                    "is; only a and α move.", "entry"),
            Mistake(_rows_with(_up),
                    "You have moved a and α up. The link that the classic form books with joint 1 lies between the "
                    "joints 1 and 2, and the modified form books it with joint 2.", "entry"),
            Mistake(_rows_with(_in_degrees), "Right, but α should be in radians.", "degrees"),
        ),
        hints=(
            "d and θ belong to a joint, in both forms. a and α belong to the link between two joints.",
            "The link between the joints 1 and 2 stands in row 1 of the classic table and in row 2 of the modified "
            "one.",
            "Move the columns a and α down by one row, put zeros at the top, and leave d alone.",
        ),
        solution=r"""
            $d_i$ stays. $a$ and $\alpha$ move down by one row, with zeros in the first:

            (1) $a = 0$, $\alpha = 0$, $d = 0.66$; (2) $a = 0$, $\alpha = -\pi/2$, $d = 0.15$; (3) $a = 0.43$,
            $\alpha = 0$, $d = 0$. The last pair, $a = -0.02$ and $\alpha = \pi/2$, places the hand behind joint 3. Its
            $a$ is a distance and yet negative; that only means that $x$ has been taken the other way round, and does
            no harm.
        """,
    ),
    Exercise(
        id="6.5",
        title="If S must bend",
        section="A line in the table that does not hold",
        reference=_planar_bias(lambda q2, q3, qd1, qd2, qd3: (-qd1 * qd3, qd1 * qd2)),
        symbols=("q1", "q2", "q3", "qd1", "qd2", "qd3"),
        remark="The positions have dropped out. This is ω × (the rate at which the disc moves in its own axes).",
        mistakes=(
            Mistake(_planar_bias(lambda q2, q3, qd1, qd2, qd3: (qd1 * qd3, -qd1 * qd2)),
                    "Both terms have the opposite sign. The first column of S contains -q3 and q2; differentiate "
                    "these.", "sign"),
            Mistake(_planar_bias(lambda q2, q3, qd1, qd2, qd3: (-qd3, qd2)),
                    "That is the derivative of the first column of S. c_J is this derivative times the velocity "
                    "variable that belongs to the column.", "factor"),
            Mistake(_planar_bias(lambda q2, q3, qd1, qd2, qd3: (-2 * qd1 * qd3, 2 * qd1 * qd2)),
                    "Twice too much. You may be thinking of the Coriolis term of a turning frame; here only the part "
                    "in F_s axes is wanted, S-ring times qd.", "factor"),
            Mistake(_planar_bias(lambda q2, q3, qd1, qd2, qd3: (-q3 * qd1, q2 * qd1)),
                    "That is S q̇ without its last two columns, a velocity. Wanted is an acceleration: differentiate "
                    "S, then multiply by q̇.", "expression"),
        ),
        hints=(
            "c_J = S-ring q̇, where S-ring is the derivative of each entry of S, as S is given in F_s coordinates. "
            "Which entries change?",
            "Only -q3 and q2 change, both in the first column. Their derivatives are -qd3 and qd2.",
            "The first column is multiplied by qd1.",
        ),
        solution=r"""
            Only the first column of $S$ depends on $q$. Its derivative is
            $[0, 0, 0, -\dot q_3, \dot q_2, 0]^{\mathrm T}$, and it is multiplied by the first velocity variable:
            $c_{\mathrm J} = [0, 0, 0, -\dot q_1 \dot q_3, \dot q_1 \dot q_2, 0]^{\mathrm T}$. Such a joint is
            consistent, too. But its $S$ must be computed anew at every step, which is what the constant one was to
            avoid.
        """,
    ),
    Exercise(
        id="6.6",
        title="A gripper",
        section="Three angles, or four numbers",
        names=("p0", "p1", "p2", "p3"),
        reference=lambda: _quarter_turn_about([0, 0.6, 0.8]),
        rtol=1e-3,
        mistakes=(
            Mistake(lambda: _quarter_turn_about([0, 0.6, 0.8], half=False),
                    "You have put in the whole angle. Euler parameters contain half of it, so that a whole turn leads "
                    "from p to -p.", "factor"),
            Mistake(lambda: _quarter_turn_about([0, 3, 4]),
                    "The axis must be given by a unit vector. (0, 3, 4) has the length 5.", "factor"),
            Mistake(lambda: _quarter_turn_about([0, 0.6, 0.8], scalar_first=False),
                    "The numbers are right, but the scalar comes first here. Some programs put it last: always ask.",
                    "order"),
            Mistake(lambda: [-x for x in _quarter_turn_about([0, 0.6, 0.8])],
                    "That is the same orientation: p and -p describe one and the same. Of the two, the one with a "
                    "positive scalar is asked for here.", "sign"),
        ),
        hints=(
            "Eq. 4.10 wants the angle and a unit vector. What is the length of (0, 3, 4)?",
            "u = (0, 0.6, 0.8), and half of the angle is 45°.",
            "p0 = cos 45°, and the other three are sin 45° times u.",
        ),
        solution=r"""
            The unit vector along the axis is $(0, 0.6, 0.8)$ and half of the angle is 45°. So
            $p = (0.7071,\ 0,\ 0.4243,\ 0.5657)$; the squares add up to 1. `euler_parameters([0, 3, 4], np.pi / 2)`
            computes it. The negative of all four numbers is the same orientation.
        """,
    ),
    Exercise(
        id="6.7",
        title="A satellite",
        section="Three angles, or four numbers",
        names=("n_q", "n_v"),
        reference=(10, 9),
        mistakes=(
            Mistake((9, 9), "The number of freedoms is right. But the orientation of the satellite is described by "
                            "four numbers, not three.", "entry"),
            Mistake((10, 10), "The number of position variables is right. One of them is redundant: four Euler "
                              "parameters change with three components of ω.", "entry"),
            Mistake((3, 3), "These are the joints between the parts. The satellite itself flies, and needs a joint to "
                            "the base that allows everything.", "entry"),
            Mistake((8, 7), "A universal joint has two axes.", "entry"),
            Mistake((11, 9), "A universal joint does not need Euler parameters: its two variables are two angles.",
                    "entry"),
            Mistake((9, 10), "The numbers are right but exchanged. There are never more velocities than positions.",
                    "order"),
        ),
        hints=(
            "Three joints: one from the base to the satellite, and one each to the dish and the flywheel.",
            "FreeMotion has 7 position variables and 6 velocity variables.",
            "Add 2 for the universal joint and 1 for the hinge, to both.",
        ),
        solution=r"""
            `FreeMotion` has 7 position and 6 velocity variables, the universal joint 2 and 2, the hinge 1 and 1:
            $n_q = 10$, $n_v = 9$.
        """,
    ),
    Exercise(
        id="6.8",
        title="A planet gear",
        section="A joint of your own",
        kind="function",
        quantity="transform",
        reference=_planet(),
        inputs=lambda rng: (rng.uniform(-2, 2),),
        product=_planet_factors,
        remark="After one round the planet has turned three times: twice because its circumference fits twice round "
               "the sun, and once because it has been carried round.",
        mistakes=(
            Mistake(_planet(turn=2.0),
                    "The position is right. The planet unrolls the arc 0.2 q, which turns it by 2 q *against the line "
                    "of centres*; but that line has itself turned by q.", "factor"),
            Mistake(_planet(turn=1.0),
                    "The position is right. With the turn q the planet would be fixed to the line of centres, like "
                    "the moon, and it would slide over the sun, not roll.", "factor"),
            Mistake(_planet(turn=-2.0),
                    "The position is right. Outside on the sun a planet turns in the sense in which it goes round, as "
                    "a wheel on the ground does; and the line of centres turns as well.", "sign"),
            Mistake(_planet(turn=0.0),
                    "The position is right, but your planet does not turn at all: it slides round the sun.", "entry"),
            Mistake(_planet_in_turned_axes,
                    "The turn is right. In xlt the position of the planet's centre is wanted in F_p coordinates, and "
                    "it goes round: (0.3 cos q, 0.3 sin q, 0).", "frame"),
            Mistake(_planet(radius=0.2),
                    "The turn is right. The centres are 0.2 + 0.1 m apart.", "factor"),
        ),
        hints=(
            "Two steps: first the shift to the planet's centre, then the turn about it. The first one stands on the "
            "right.",
            "The centre is at (0.3 cos q, 0.3 sin q, 0). For the turn use that the contact point of the planet is at "
            "rest: the centre moves at 0.3 qd, and the contact point is 0.1 m from it.",
            "So the planet turns at 0.3 qd / 0.1, three times as fast as the line of centres.",
        ),
        solution=r"""
            The centre is at the distance $0.2 + 0.1$ m and moves at $0.3\,\dot q$. The point that touches the sun is
            at rest, 0.1 m from the centre; so the planet turns at $0.3\,\dot q / 0.1 = 3 \dot q$, anticlockwise as it
            goes round anticlockwise. With the shift on the right and the turn on the left:

                def planet(q):
                    return rotz(3 * q) @ xlt([0.3 * np.cos(q), 0.3 * np.sin(q), 0])

            When it comes round it has turned by $6\pi$. `Custom(1, X_J=...)`, with the sine and cosine of
            `rbdlib.numbers.scalars`, makes a joint of it.
        """,
    ),
)
