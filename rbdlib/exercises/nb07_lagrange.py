"""The exercises of notebook 07, Lagrange (MBT sections 2 to 6)."""

import numpy as np

from rbdlib.exercises.declare import Exercise, Mistake

WEIGHT = 0.2 * 9.81


def _rates(dM, qd):
    """The two vectors of MBT Eq. 17: M' qd, and ((dM/dq) qd)ᵀ qd."""
    dM, qd = np.asarray(dM), np.asarray(qd)
    return np.einsum("k,kab,b->a", qd, dM, qd), np.einsum("a,jab,b->j", qd, dM, qd)


def _coriolis(whole, bent):
    """A function for exercise 7.2, from the factors of the two vectors."""

    def C(dM, qd):
        of_M_dot, of_dM = _rates(dM, qd)
        return whole * of_M_dot + bent * of_dM

    return C


def _random_slopes(rng):
    slopes = rng.normal(size=(3, 3, 3))
    return slopes + slopes.transpose(0, 2, 1), rng.normal(size=3)


def _polar(centrifugal, coriolis):
    """An answer to exercise 7.3, from the factors of m r omega² and m r r' omega."""

    def answer():
        from sympy import symbols

        m, q1, qd1, qd2 = symbols("m q1 qd1 qd2")
        return [centrifugal * m * q1 * qd2**2, coriolis * m * q1 * qd1 * qd2]

    return answer


def _ladder(numerator, denominator, wave="sin"):
    """An answer to exercise 7.5: a fraction times g/l and the sine or cosine of q."""

    def answer():
        import sympy

        q, l, g = sympy.symbols("q l g")
        return sympy.Rational(numerator, denominator) * g / l * getattr(sympy, wave)(q)

    return answer


def _half_turn():
    from rbdlib.texts.mbt.lagrange import exponential_map_jacobian

    return exponential_map_jacobian([0, 0, np.pi]) @ [1, 0, 0]


EXERCISES = (
    Exercise(
        id="7.1",
        title="Wind on the wire",
        section="A bead on a wire",
        reference=3 - WEIGHT * 0.5,
        remark="It is not the force along the wire: Q multiplies a displacement in x, and a step of 1 m in x is a "
               "longer step along the wire.",
        mistakes=(
            Mistake(3.0,
                    "That is the wind alone. The weight also works on a displacement along the wire, because the wire "
                    "rises there.", "term"),
            Mistake((3 - WEIGHT * 0.5) / np.sqrt(1.25),
                    "That is the force along the wire, from a tangent of unit length. The coordinate is x, not the "
                    "length of the wire: take the tangent J = ∂r/∂x as it is.", "factor"),
            Mistake(3 - WEIGHT,
                    "The weight does not push straight against the wind. If x grows by δx, the bead rises by the "
                    "slope, 0.5, times δx.", "slope"),
            Mistake(3 + WEIGHT * 0.5,
                    "The parts are right, the sign of the weight is not: towards +x the wire rises, and the weight "
                    "works against the displacement.", "sign"),
        ),
        hints=(
            "Q = Jᵀ f with J = ∂r/∂x. What is r(x) = (x, y)?",
            "J = (1, a x) = (1, 0.5), and f = (3, -0.2 · 9.81) N.",
        ),
        solution=r"""
            The position is $r = (x,\ a x^2/2)$, so $J = (1,\ a x) = (1,\ 0.5)$. The applied force is
            $f = (3,\ -1.962)$ N; the push of the wire need not be known. $Q = J^{\mathrm T} f = 3 - 0.981 = 2.019$ N.
        """,
    ),
    Exercise(
        id="7.2",
        title="C from the slopes of M",
        section="Two matrices that look alike",
        kind="function",
        reference=_coriolis(1, -0.5),
        inputs=_random_slopes,
        mistakes=(
            Mistake(_coriolis(0.5, 0),
                    "That is half of M' qd. Either the transpose is missing, or (∂M/∂q) qd was taken for M'. Energy "
                    "is conserved with it, and the motion is wrong.", "transpose"),
            Mistake(_coriolis(1, -1),
                    "The factor ½ of the second term is missing. It is the ½ of the kinetic energy; in the first term "
                    "it has gone, because the square was differentiated by qd.", "factor"),
            Mistake(_coriolis(1, 0),
                    "That is M' qd, the rate of the momentum with qdd = 0. Lagrange's equation also takes away the "
                    "slope of the kinetic energy, ∂T/∂q.", "term"),
            Mistake(_coriolis(1, 0.5),
                    "The second term has the wrong sign: it is minus ∂T/∂q.", "sign"),
            Mistake(_coriolis(0, -0.5),
                    "That is -∂T/∂q alone. The momentum M qd changes as well, even when qd does not, because M "
                    "changes with q.", "term"),
        ),
        hints=(
            "Entry j of the second term is ½ qdᵀ (∂M/∂q_j) qd, a number for each j.",
            "M' is the sum of dM[k] * qd[k] over k: np.tensordot(qd, dM, 1), or a loop.",
            "C = M' qd - ½ [qd @ dM[j] @ qd for j ...].",
        ),
        solution=r"""
            $\dot M = \sum_k (\partial M/\partial q_k)\, \dot q_k$, and entry $j$ of
            $\big((\partial M/\partial q)\, \dot q\big)^{\mathrm T} \dot q$ is column $j$ times $\dot q$, that is
            $\dot q^{\mathrm T} (\partial M/\partial q_j)\, \dot q$. In Python:
            `return np.tensordot(qd, dM, 1) @ qd - np.array([qd @ slope @ qd for slope in dM]) / 2`.
        """,
    ),
    Exercise(
        id="7.3",
        title="Polar coordinates, on paper",
        section="Two matrices that look alike",
        names=("the entry for q1, the distance", "the entry for q2, the angle"),
        where="0 < m, q1",
        reference=_polar(-1, 2),
        symbols=("m", "q1", "q2", "qd1", "qd2"),
        remark="The first is the centrifugal term, the second the Coriolis term. They stand on the side of the "
               "accelerations, so the 'force' of school has the opposite sign.",
        mistakes=(
            Mistake(_polar(0, 1),
                    "That is half of M' qd. M depends on q1, so T has a slope in q1, and -∂T/∂q1 belongs into the "
                    "first entry. What it takes from the second is only a matter of the transpose: nothing depends on "
                    "q2.", "transpose"),
            Mistake(_polar(0, 2),
                    "The second entry is right. In the first you have left out -∂T/∂q1: the kinetic energy of the "
                    "turning grows with the distance.", "term"),
            Mistake(_polar(1, 2),
                    "The second entry is right. The first has the wrong sign: without a force C + M qdd = 0, and a "
                    "particle that nobody holds moves away from the origin, qdd1 > 0.", "sign"),
            Mistake(_polar(-2, 2),
                    "The second entry is right. In the first the ½ is missing: ∂T/∂q1 of ½ m q1² qd2² is m q1 qd2².",
                    "factor"),
            Mistake(_polar(-1, 1),
                    "The first entry is right. In the second: the derivative of q1² in time is 2 q1 qd1.", "factor"),
        ),
        hints=(
            "The velocity has the part qd1 outwards and the part q1 qd2 across.",
            "T = ½ m (qd1² + q1² qd2²), so M = diag(m, m q1²).",
            "M' = diag(0, 2 m q1 qd1). The second term of C is the slope of T: ∂T/∂q1 = m q1 qd2², ∂T/∂q2 = 0.",
        ),
        solution=r"""
            With the velocity $\dot q_1$ outwards and $q_1 \dot q_2$ across it,
            $T = \tfrac12 m (\dot q_1^2 + q_1^2 \dot q_2^2)$ and $M = \mathrm{diag}(m,\ m q_1^2)$. Then
            $\dot M \dot q = (0,\ 2 m q_1 \dot q_1 \dot q_2)$ and $\partial T/\partial q = (m q_1 \dot q_2^2,\ 0)$, so
            $C = (-m q_1 \dot q_2^2,\ 2 m q_1 \dot q_1 \dot q_2)$. If nobody pushes, the second equation says that
            $m q_1^2 \dot q_2$, the angular momentum, is constant.
        """,
    ),
    Exercise(
        id="7.4",
        title="A stick askew",
        section="A cloud that holds together",
        quantity="vector",
        reference=(0, -3, 0),
        mistakes=(
            Mistake((0, 0, 0),
                    "ω is constant, so the first term of MBT 23 is zero. The second is not: L is not parallel to ω and "
                    "goes round with the stick, and what changes L is a torque.", "term"),
            Mistake((0, 3, 0),
                    "That is what the dumbbell does to the bearings, or the product in the wrong order. Asked is the "
                    "torque on the dumbbell, ω × L.", "sign"),
            Mistake((-1.5, 0, 1.5),
                    "That is L, the angular momentum. The torque is its rate of change, ω × L.", "momentum"),
            Mistake((0, -1.5, 0),
                    "Nearly: there are two masses on the stick.", "factor"),
            Mistake((0, -6, 0),
                    "Too large by a factor of two: at 45° the upper mass is at 0.5 (sin 45°, 0, cos 45°), and the "
                    "product of sine and cosine is ½.", "factor"),
        ),
        hints=(
            "L is the sum of r × m (ω × r) over the two masses, and τ = ω × L.",
            "r = ±0.5 (0.7071, 0, 0.7071) m. Both masses give the same L.",
            "L = (-1.5, 0, 1.5) kg m²/s.",
        ),
        solution=r"""
            With $r = \tfrac{0.5}{\sqrt 2}(1, 0, 1)$ and $\omega = (0, 0, 2)$ each mass has the velocity
            $\omega \times r = (0,\ 0.7071,\ 0)$ (the lower one the opposite), and
            $L = 2 \cdot 3\; r \times (\omega \times r) = (-1.5,\ 0,\ 1.5)$. Then $\dot\omega = 0$ leaves
            $\tau = \omega \times L = (0, 0, 2) \times (-1.5, 0, 1.5) = (0,\ -3,\ 0)$ N m. Another way to see it: each
            mass needs a centripetal force of $3 \cdot 2^2 \cdot 0.3536 = 4.243$ N, and the two form a couple with the
            arm 0.7071 m.
        """,
    ),
    Exercise(
        id="7.5",
        title="A ladder on ice, on paper",
        section="A cloud that holds together",
        where="0 < q, l, g",
        reference=_ladder(3, 2),
        symbols=("q", "l", "g"),
        mistakes=(
            Mistake(_ladder(6, 1),
                    "You have counted the energy of the turning only. The middle of the ladder moves too, on a circle "
                    "of radius l/2.", "term"),
            Mistake(_ladder(2, 1),
                    "You have counted the energy of the middle only. The ladder also turns, with m l²/12.", "term"),
            Mistake(_ladder(-3, 2),
                    "The size is right. q is counted from the vertical, and the ladder falls: q grows.", "sign"),
            Mistake(_ladder(3, 2, "cos"),
                    "By this formula a vertical ladder would start to fall at once, and one that lies on the floor "
                    "would be at rest. The height of the middle is (l/2) cos q; gravity gives its slope.", "angle"),
            Mistake(_ladder(3, 1),
                    "Too large by a factor of two. The potential energy is that of the middle of the ladder, at half "
                    "of its height.", "factor"),
        ),
        hints=(
            "The top is at (0, l cos q), the foot at (l sin q, 0). Where is the middle, and how fast does it move?",
            "The middle moves at (l/2) qd whatever q is, and the ladder turns at qd.",
            "T = ½ (m l²/4 + m l²/12) qd², V = m g (l/2) cos q. M does not depend on q, so C = 0.",
        ),
        solution=r"""
            The middle is at $\tfrac l2(\sin q, \cos q)$ and moves at $\tfrac l2 \dot q$. With MBT 26
            $T = \tfrac12 \big( m \tfrac{l^2}{4} + m \tfrac{l^2}{12} \big) \dot q^2 = \tfrac16 m l^2 \dot q^2$, and
            $V = m g \tfrac l2 \cos q$. Neither wall nor floor does work on an allowed displacement. Lagrange's equation
            is $\tfrac13 m l^2 \ddot q = \tfrac12 m g l \sin q$, and so $\ddot q = \dfrac{3 g}{2 l} \sin q$.
        """,
    ),
    Exercise(
        id="7.6",
        title="Half a turn, and then",
        section="Coordinates for turning",
        quantity="vector",
        reference=_half_turn,
        remark="At q = 0 the same rate gives (1, 0, 0); after a whole turn, q = (0, 0, 2π), it gives nothing at all.",
        mistakes=(
            Mistake((1, 0, 0),
                    "That would be right at q = 0. Elsewhere the rate of the exponential map's coordinates is not the "
                    "angular velocity: between the two stands the Jacobian, MBT 54.", "jacobian"),
            Mistake((0, -2 / np.pi, 0),
                    "That is the angular velocity in the axes of the body, which have been turned by half a turn, or "
                    "the sign of [q] is wrong. Asked is ω in world axes.", "frame"),
            Mistake(lambda: [1 - np.pi**2 / 6, np.pi / 2, 0],
                    "MBT 56 is meant for small angles, and π is not small. Use MBT 54.", "small angle"),
            Mistake((0, 2, 0),
                    "Nearly: (1 - cos θ)/θ² times [q] is a matrix with the entries ±2/π, since [q] has the entries "
                    "±π.", "factor"),
        ),
        hints=(
            "ω = Ĵ q' with Ĵ of MBT 54, at θ = π.",
            "(1 - cos π)/π² = 2/π² and (π - sin π)/π³ = 1/π². What are [q] (1, 0, 0) and [q]² (1, 0, 0)?",
            "[q] (1, 0, 0) = (0, π, 0), and [q]² (1, 0, 0) = (-π², 0, 0).",
        ),
        solution=r"""
            At $\theta = \pi$ the factors are $2/\pi^2$ and $1/\pi^2$. With $[q]\,(1,0,0) = (0, \pi, 0)$ and
            $[q]^2 (1, 0, 0) = (-\pi^2, 0, 0)$, $\omega = (1, 0, 0) + (0, 2/\pi, 0) + (-1, 0, 0) = (0,\ 2/\pi,\ 0)$:
            about $y$, although only the $x$ coordinate changes. In Python:
            `exponential_map_jacobian([0, 0, np.pi]) @ [1, 0, 0]`.
        """,
    ),
    Exercise(
        id="7.7",
        title="A load at the tip",
        section="Handing over to another simulator",
        names=("at the first hinge", "at the second hinge"),
        reference=(-4, -4),
        remark="They are equal: the second hinge stands right above the first, so that the load hangs equally far "
               "from both.",
        mistakes=(
            Mistake((-2, -2),
                    "That takes the force at the middle of the second rod, as the formula in the text does without its "
                    "prime. The load hangs at the tip.", "point"),
            Mistake((4, 4),
                    "That is what the motors must give to hold the load. Q is what the load does: it turns clockwise.",
                    "sign"),
            Mistake((-10 * np.sqrt(0.41), -4),
                    "At the first hinge you have taken the distance to the tip. The lever arm is the distance to the "
                    "line along which the force acts.", "lever"),
            Mistake((-9, -4),
                    "The first rod is vertical, like the force, and adds nothing to the lever arm.", "lever"),
            Mistake((0, -4),
                    "The load does turn the first rod too: its line of action passes beside the first hinge, 0.4 m to "
                    "the right.", "lever"),
        ),
        hints=(
            "Where is the tip? And how far beside each hinge does the line of action pass?",
            "The tip is at (0.4, 0.5), the hinges are at (0, 0) and (0, 0.5), the force is (0, -10).",
        ),
        solution=r"""
            The line of action passes 0.4 m to the right of both hinges, and the force turns clockwise about each:
            $Q = (-4,\ -4)$ N m. By MBT 67, with the tip at $(0.4,\ 0.5)$, the columns of $J'$ are the velocities of
            the tip for unit rates, $(-0.5,\ 0.4)$ and $(0,\ 0.4)$, and $J'^{\mathrm T} f$ with $f = (0, -10)$ gives the
            same.
        """,
    ),
    Exercise(
        id="7.8",
        title="Three motors in a row",
        section="Handing over to another simulator",
        names=("on link 1", "on link 2", "on link 3"),
        reference=(2, 3, 1),
        remark="The sum, 6 N m, is the torque of the first motor: only this one pushes against the world.",
        mistakes=(
            Mistake((6, 4, 1),
                    "You have forgotten the reactions. Each motor sits on the link before and pushes that one the "
                    "other way.", "reaction"),
            Mistake((6, -2, -3),
                    "You have taken away the torque of the link's own motor from that of the motor after it, or the "
                    "wrong way round: a link loses the reaction of the motor that drives its child.", "order"),
            Mistake((10, 5, 1),
                    "The reaction of the next motor has the opposite sign: subtract it.", "sign"),
            Mistake((11, 5, 1),
                    "You have added up all motors further out. A link feels its own motor and the reaction of the next "
                    "one only.", "sum"),
        ),
        hints=(
            "Which motors touch link 2, and in which sense?",
            "τ'_k is the torque of motor k minus the torque of motor k+1.",
        ),
        solution=r"""
            Link 1 gets 6 from its own motor and $-4$ as the reaction of the second, link 2 gets $4 - 1$, and link 3 has
            no child: $(2,\ 3,\ 1)$ N m. With the matrix $D$ of MBT 64 for a row of three links and $R = 1$ (all axes
            along $z$) this is $D^{\mathrm T} \hat\tau$, MBT 68.
        """,
    ),
)
