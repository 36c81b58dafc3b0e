"""The exercises of notebook 01, the particle: from weighing with two rails to a lamp that turns in flight."""

from rbdlib.exercises.declare import Exercise, Mistake


def _hinge_in_parent():
    factors = _hinge_factors()
    return factors["X"] @ factors["s"]


def _hinge_factors():
    from math import pi

    from rbdlib.book.ch02_spatial import rz
    from rbdlib.conventions import fdsv_transform

    return {"X": fdsv_transform(rz(pi / 2).T, [0.4, 0.3, 0]), "s": [1, 0, 0, 0, 0, 0]}


def _joint_force(s, f):
    return s[:3] @ f[3:] + s[3:] @ f[:3]


def _axis_and_force(rng):
    return rng.normal(size=6), rng.normal(size=6)


def _turntable():
    """Joint forces of a particle on a turning rail, with what a slip of the pen would change: (Q, its pieces)."""
    from sympy import cos, sin, symbols

    m, g = symbols("m g", positive=True)
    q1, q2, qd1, qd2, qdd1, qdd2 = symbols("q1 q2 qd1 qd2 qdd1 qdd2")
    return {
        "spin": m * q2**2 * qdd1,
        "coriolis": 2 * m * q2 * qd1 * qd2,
        "weight across": m * g * q2 * cos(q1),
        "stretch": m * qdd2,
        "centrifugal": -m * q2 * qd1**2,
        "weight along": m * g * sin(q1),
        "weight with sine": m * g * q2 * sin(q1),
        "weight with cosine": m * g * cos(q1),
    }


def _turning_rail():
    """The particle on the rail as a model."""
    from sympy import symbols

    from rbdlib.book.ch02_spatial import mcI
    from rbdlib.book.ch04_joints import Prismatic, Revolute
    from rbdlib.book.ch04_model import Model
    from rbdlib.numbers.scalars import eye, zeros

    m, g = symbols("m g", positive=True)
    return Model([0, 1], [Revolute("z"), Prismatic("x")], [eye(6), eye(6)],
                 [zeros((6, 6)), mcI(m, [0, 0, 0], zeros((3, 3)))], gravity=(0, -g, 0))


def _turntable_by_rnea():
    from sympy import symbols

    from rbdlib.book.ch05_inverse_dynamics import rnea

    return rnea(_turning_rail(), symbols("q1 q2"), symbols("qd1 qd2"), symbols("qdd1 qdd2"))


def _turntable_with(across, along):
    def answer():
        pieces = _turntable()
        return [sum(factor * pieces[name] for name, factor in terms.items()) for terms in (across, along)]

    return answer


_ACROSS = {"spin": 1, "coriolis": 1, "weight across": 1}
_ALONG = {"stretch": 1, "centrifugal": 1, "weight along": 1}


def _falling_lamp():
    import numpy as np

    from rbdlib.book.ch06_factorisation import solve
    from rbdlib.io.model_file import load
    from rbdlib.methods.joint_space import inertia_matrix

    H = inertia_matrix(load("lamp"), [0, 1, 0, 0.5, -1.2])
    return H, solve(H[:3, :3], -4 * H[:3, 3]), np.array([0, 0, -4 * H[2, 3] / H[2, 2]])


EXERCISES = (
    Exercise(
        id="1.1",
        title="What the rails push with",
        section="Two rails for something that flies",
        names=("the force along x", "the force along y"),
        reference=(3.0, 15.6),
        remark="Accelerating downwards takes less than the weight of 19.6 N, as in a lift that begins to descend.",
        mistakes=(
            Mistake((3, -4),
                    "That is m times the acceleration, and so the sum of all forces. The weight is one of them and "
                    "acts without anybody's help; wanted is only what the rails must add.", "gravity"),
            Mistake((3, -23.6),
                    "You have added gravity to the acceleration with its own sign. The rails have to make up for "
                    "gravity: it pulls down, so they push up by m g more.", "gravity"),
            Mistake((3, 15.62), "The idea is right; this model, like FDSV, takes g = 9.8 m/s² and not 9.81.",
                                "rounding"),
            Mistake((1.5, 7.8), "These are accelerations (of the particle relative to one in free fall). The force is "
                                "m times as much.", "factor"),
        ),
        hints=(
            "The positions do not matter. Two things do: the acceleration you ask for, and the weight.",
            "With zero acceleration the rails push with (0, m g). Add m times the acceleration.",
            "rnea(particle, [3, 1], [0, 0], [1.5, -2]) gives the same two numbers.",
        ),
        solution=r"""
            $H = m\,1$ and $C = (0, mg)$, so $Q = m\ddot q + (0, mg)$. With $m = 2$ kg, $g = 9.8$ m/s² and
            $\ddot q = (1.5, -2)$ m/s² that is $Q = (2 \cdot 1.5,\; 2 \cdot (-2 + 9.8)) = (3, 15.6)$ N.
        """,
    ),
    Exercise(
        id="1.2",
        title="Spinning steadily takes a torque",
        section="One rigid body, and a trap",
        quantity="vector",
        reference=(0.0, 0.0, -4.0),
        mistakes=(
            Mistake((0, 0, 4), "The factors of the cross product are exchanged: the rate of change of the angular "
                               "momentum Iω, which turns with the body, is ω × (Iω).", "order"),
            Mistake((0, 0, 0), "The angular velocity is constant, but the angular momentum Iω is not: it points in "
                               "another direction than ω, and the body carries it round. Changing it takes a torque.",
                    "misconception"),
            Mistake((4, 4, 0), "This is Iω, the angular momentum. The torque is the rate at which it changes.",
                               "entry"),
        ),
        hints=(
            "In Eq. 2 put the angular acceleration to zero. What is left of the lower line?",
            "First Iω, entry by entry, then its cross product with ω, with ω on the left.",
        ),
        solution=r"""
            With $\dot\omega = 0$ the lower line of Eq. 2 is $\tau = \omega \times I\omega$. Here
            $I\omega = (4 \cdot 1,\; 2 \cdot 2,\; 0) = (4, 4, 0)$ kg m²/s, and
            $\tau = (1, 2, 0) \times (4, 4, 0) = (0, 0, 1 \cdot 4 - 2 \cdot 4) = (0, 0, -4)$ N m.
            Without this torque the direction of $\omega$ would not stay where it is.
        """,
    ),
    Exercise(
        id="1.3",
        title="A mechanism in a sealed box",
        section="One function is enough",
        names=("the first acceleration", "the second acceleration"),
        reference=(0.4, -2.2),
        mistakes=(
            Mistake((1 / 7, -11 / 14),
                    "You have used the two answers as columns of H. They are columns of H plus C: subtract C first "
                    "(Eq. 11).", "bias"),
            Mistake((-0.4, 2.2), "The sign of C is wrong: with Q = 0, Eq. 6 reads H times the acceleration = -C.",
                                 "sign"),
            Mistake((-1 / 3, -2.0),
                    "You have divided each entry of -C by the entry of H on the diagonal. The entries beside the "
                    "diagonal couple the two joints: solve both equations together.", "coupling"),
        ),
        hints=(
            "The first answer of the box is C. What do the other two contain besides a column of H?",
            "H has the columns (4, 5) - C and (2, 6) - C. Then solve H x = 0 - C.",
        ),
        solution=r"""
            $C = (1, 4)$ is the answer to zero accelerations (Eq. 9). The columns of $H$ are (Eq. 11)
            $(4, 5) - (1, 4) = (3, 1)$ and $(2, 6) - (1, 4) = (1, 2)$. With $Q = 0$, Eq. 6 says
            $3\ddot q_1 + \ddot q_2 = -1$ and $\ddot q_1 + 2\ddot q_2 = -4$, and so $\ddot q = (0.4, -2.2)$.
        """,
    ),
    Exercise(
        id="1.4",
        title="A hinge seen by the parent",
        section="What the function does",
        quantity="motion",
        reference=_hinge_in_parent,
        product=_hinge_factors,
        mistakes=(
            Mistake((0, 1, 0, 0, 0, 0.3),
                    "The direction is right. For the lower half you have used plucker(R, t), whose lower left block "
                    "has the opposite sign and the other order: it goes from parent to child. FDSV's X goes from child "
                    "to parent.", "inverse"),
            Mistake((0, 1, 0, 0, 0, -0.3),
                    "You have shifted first and turned afterwards, so that t was turned as well. t is written in the "
                    "parent's coordinates: turn first, then shift.", "order"),
            Mistake((0, -1, 0, 0, 0, -0.4),
                    "Everything has the opposite sign: you have turned the axis by -90°. rz(angle) takes coordinates "
                    "from parent to child; R, from child to parent, is its transpose.", "transpose"),
            Mistake((0, 1, 0, 0, 0, -0.4), "The direction is right. The lower half is t × s, and you have s × t.",
                                           "order"),
            Mistake((0, 1, 0, 0, 0, 0),
                    "The direction is right. But the hinge does not pass through the parent's origin, so the lower "
                    "half, r × s, is not zero.", "entry"),
        ),
        hints=(
            "Which direction of the parent does the child's x axis have after a quarter turn about z?",
            "The hinge passes through t = (0.4, 0.3, 0). Its lower half is t × s with s in the parent's coordinates.",
            "fdsv_transform(rz(pi/2).T, [0.4, 0.3, 0]) @ [1, 0, 0, 0, 0, 0]",
        ),
        solution=r"""
            After a quarter turn about $z$ the child's $x$ axis points along the parent's $y$, so $Rs = (0, 1, 0)$. The
            hinge passes through the child's origin, which is at $t = (0.4, 0.3, 0)$; therefore the lower half is
            $t \times Rs = (0, 0, 0.4)$. Together $[0, 1, 0, 0, 0, 0.4]$, as Eq. 38 gives it.
        """,
    ),
    Exercise(
        id="1.5",
        title="A bead on a turntable",
        section="How does its velocity change?",
        quantity="motion",
        reference=(0, 0, 0, 0, 6, 0),
        remark="The classical acceleration is another: add ω × v_O, and you get (-2, 12, 0), with the centripetal part "
               "and the full Coriolis part.",
        mistakes=(
            Mistake((0, 0, 0, -2, 12, 0),
                    "These are the classical accelerations, centripetal -ω²r and Coriolis 2ωv. The spatial "
                    "acceleration is smaller by ω × v_O, as with the brick.", "classical"),
            Mistake((0, 0, 0, 0, 12, 0),
                    "That is the Coriolis acceleration 2ωv of the elementary course, without the centripetal part. Eq. "
                    "14 gives the spatial acceleration, in which v × s q̇ stands once.", "classical"),
            Mistake((0, 0, 0, 0, 0, 0),
                    "Both rates are constant, but the direction in which the bead slides is not: the table carries the "
                    "rail round. That is the middle term of Eq. 14.", "misconception"),
            Mistake((0, 0, 0, 0, -6, 0), "The factors of the cross product are exchanged: it is v × s q̇, with the "
                                         "velocity of the link on the left.", "order"),
        ),
        hints=(
            "Link 1 turns at a constant rate about an axis that stands still: its acceleration is zero. So only the "
            "middle term of Eq. 14 is left for link 2.",
            "v of link 2 is [0, 0, 2, 3, 1, 0] in its own coordinates, and s q̇ is [0, 0, 0, 3, 0, 0].",
            "In Eq. 40 with b = 0 the upper half vanishes and the lower half is a × b_o = (0, 0, 2) × (3, 0, 0).",
        ),
        solution=r"""
            $\hat a_1 = 0$, because $\hat v_1 \hat\times \hat s_1 \dot q_1 = 0$ and the rate is constant. For the bead,
            $\hat v_2 = [0, 0, 2, 3, 1, 0]$: it turns with the table, slides at 3 m/s and is carried round at
            $2 \cdot 0.5 = 1$ m/s. By Eqs. 14 and 40,
            $\hat a_2 = \hat v_2 \hat\times [0, 0, 0, 3, 0, 0] = [0, 0, 0, (0,0,2) \times (3,0,0)] = [0, 0, 0, 0, 6,
        0]$. """,
    ),
    Exercise(
        id="1.6",
        title="The product of an axis and a force",
        section="What does the motor feel?",
        kind="function",
        reference=_joint_force,
        inputs=_axis_and_force,
        mistakes=(
            Mistake(lambda s, f: s @ f,
                    "This is the ordinary product, and so Eq. 29 as it is printed. It multiplies a rotation with a "
                    "linear force and a translation with a moment; neither is a power. The halves must meet crosswise.",
                    "transpose"),
            Mistake(lambda s, f: s[:3] @ f[3:] - s[3:] @ f[:3],
                    "The halves meet crosswise, as they should. But both products are powers, and powers add up: Eq. "
                    "41 has no minus sign.", "sign"),
            Mistake(lambda s, f: s[:3] @ f[3:],
                    "This is what a hinge through the origin feels. For other axes the translation s[3:] works against "
                    "the linear force f[:3], too.", "entry"),
            Mistake(lambda s, f: s[3:] @ f[:3],
                    "This is what a slider feels. For a hinge the rotation s[:3] works against the moment f[3:], too.",
                    "entry"),
        ),
        hints=(
            "Power is force times velocity plus moment times angular velocity. Where do these stand in s and in f?",
            "s = [rotation, translation] and f = [force, moment]: s[:3] belongs with f[3:].",
        ),
        solution=r"""
            Rotation meets moment and translation meets force:

                def joint_force(s, f):
                    return s[:3] @ f[3:] + s[3:] @ f[:3]

            That is $\hat s^S \hat f$ with Eq. 41. The library writes it `spatial_transpose(s) @ f`.
        """,
    ),
    Exercise(
        id="1.7",
        title="On paper: the same particle on a turning rail",
        section="The particle in symbols",
        model=_turning_rail,
        asks="tau",
        reference=_turntable_by_rnea,
        names=("the torque Q_1 of the hinge", "the force Q_2 of the slider"),
        remark="The term with 2 is the Coriolis torque, and the one with q̇₁² the centrifugal force.",
        mistakes=(
            Mistake(_turntable_with({**_ACROSS, "coriolis": 1 / 2}, _ALONG),
                    "Q_2 is right. In Q_1 the Coriolis term comes twice: once because the slider moves the particle to "
                    "where the rail is faster, and once because the rail turns the velocity of the slider.", "factor"),
            Mistake(_turntable_with({**_ACROSS, "coriolis": 0}, {**_ALONG, "centrifugal": 0}),
                    "The terms with accelerations and with gravity are right, and those with velocities are missing. "
                    "You have left out v × s q̇ in Eq. 14 and v × I v in Eq. 15, or set the rates to zero too early.",
                    "bias"),
            Mistake(_turntable_with(_ACROSS, {**_ALONG, "centrifugal": -1}),
                    "Q_1 is right. In Q_2 the centrifugal term has the wrong sign: the particle wants to move "
                    "outwards, so the slider has to pull it inwards.", "sign"),
            Mistake(_turntable_with({**_ACROSS, "weight across": -1}, {**_ALONG, "weight along": -1}),
                    "Everything is right but the sign of gravity. The joints must make up for the weight: put +g along "
                    "y into the acceleration of the world (Eq. 21), not -g.", "gravity"),
            Mistake(_turntable_with({"spin": 1, "coriolis": 1, "weight with sine": 1},
                                    {"stretch": 1, "centrifugal": 1, "weight with cosine": 1}),
                    "Sine and cosine of the weight are exchanged. Look at q1 = 0: the rail is level, so the slider "
                    "feels no weight and the hinge feels all of it.", "entry"),
            Mistake(_turntable_with({**_ACROSS, "weight across": 0}, {**_ALONG, "weight along": 0}),
                    "The motion is right, but gravity is missing. Start with the acceleration of the world, [0; 0, g, "
                    "0].",
                    "gravity"),
        ),
        hints=(
            "Velocities first: in link 2's coordinates, v_2 = [0, 0, q̇1, q̇2, q2 q̇1, 0]. Check it: the particle "
            "moves outwards at q̇2 and across at q2 q̇1.",
            "The world's acceleration (0, g) has the components g sin q1 along the rail and g cos q1 across it.",
            "The force on the particle is m times its acceleration across (q2 q̈1 + 2 q̇1 q̇2 + g cos q1) and along "
            "(q̈2 - q2 q̇1² + g sin q1). The hinge feels the first with the lever arm q2.",
        ),
        solution=r"""
            In the coordinates of link 2, whose origin is the particle,
            $\hat v_2 = [0, 0, \dot q_1;\; \dot q_2,\; q_2\dot q_1,\; 0]$ (Eq. 13). The world's acceleration becomes
            $(g\sin q_1, g\cos q_1)$ there, and Eq. 14 gives for the linear half of $\hat a_2$
            $(\ddot q_2 + g \sin q_1,\;\; q_2 \ddot q_1 + \dot q_1\dot q_2 + g\cos q_1)$. Equation 15 adds
            $\hat v_2 \hat\times \hat I_2 \hat v_2$, which contributes $m\,\omega \times v = m(-q_2\dot q_1^2,\; \dot
            q_1 \dot q_2)$: half of the Coriolis term comes from each. The slider feels the component along the rail,
            the hinge the moment of the component across it:
            $$Q_1 = m q_2^2 \ddot q_1 + 2 m q_2 \dot q_1 \dot q_2 + m g q_2 \cos q_1, \qquad
              Q_2 = m \ddot q_2 - m q_2 \dot q_1^2 + m g \sin q_1 .$$
            With $q_1$ held at zero the rail is level, and Eq. 30 is back: $Q_2 = m\ddot q_2$.
        """,
    ),
    Exercise(
        id="1.8",
        title="A lamp turns by bending its arm",
        section="The lamp jumps",
        names=("the velocity of the base along x", "the velocity of the base along y",
               "the angular velocity of the base"),
        reference=lambda: _falling_lamp()[1],
        remark="Cats do this when they fall, and so do divers.",
        mistakes=(
            Mistake(lambda: -_falling_lamp()[1],
                    "The sign is wrong: the base must take back the momentum that the arm has been given, so it turns "
                    "the other way.", "sign"),
            Mistake(lambda: _falling_lamp()[2],
                    "You have held the point (x, y) of the base in place and used one equation only. Nothing holds it: "
                    "all three momenta must stay zero together, along x, along y and the angular one.", "coupling"),
            Mistake((0, 0, -4),
                    "You have turned the base back as fast as the arm turns. It has another inertia, and the head "
                    "moves with the arm.", "entry"),
            Mistake((0, 0, 0), "If the base stood still, the arm alone would have momentum. From where?",
                               "misconception"),
        ),
        hints=(
            "H q̇ is the list of the momenta that belong to the five coordinates. Its first three entries are zero "
            "before the jerk. Which forces could change them during the jerk?",
            "Split H q̇ = 0 after the third row: H[:3, :3] times the unknowns plus 4 times H[:3, 3] is zero.",
            "H = inertia_matrix(lamp, q); np.linalg.solve(H[:3, :3], -4 * H[:3, 3])",
        ),
        solution=r"""
            The momenta $p = H\dot q$ belonging to $x$, $y$ and $\theta$ of the base change only through forces on the
            base and through gravity; a motor between two links cannot touch them, and in no time gravity does nothing.
            They were zero and stay zero. With $\dot q = (\dot x, \dot y, \dot\theta, 4, 0)$ the first three rows of
            $H\dot q = 0$ read $H_{1..3,\,1..3}\,(\dot x, \dot y, \dot\theta)^T = -4\,H_{1..3,\,4}$:

                H = inertia_matrix(lamp, [0, 1, 0, 0.5, -1.2])
                np.linalg.solve(H[:3, :3], -4 * H[:3, 3])

            The base turns against the arm, at about 3.5 rad/s, and slides a little as well.
        """,
    ),
)
