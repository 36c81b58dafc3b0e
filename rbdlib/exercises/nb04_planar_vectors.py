"""The exercises of notebook 04, planar vectors (RBDA 2.16, Table A.1)."""

import numpy as np

from rbdlib.exercises.declare import Exercise, Mistake


def _ladder():
    omega = 0.6 / 2.4
    return [omega, 0.6, -omega * 0.7]


def _seen_back(E_times_r=(-1, 2), angle=-np.pi / 2):
    return lambda: [*E_times_r, angle]


def _four_parameters(I):
    m, c_x, c_y = I[1, 1], I[0, 2] / I[1, 1], -I[0, 1] / I[1, 1]
    return np.array([m, c_x, c_y, I[0, 0] - m * (c_x**2 + c_y**2)])


def _wrong_parameters(change):
    """A wrong function for exercise 4.3: the right four numbers, changed by a function of (m, c_x, c_y, I_C, I_O)."""
    return lambda I: np.array(change(*_four_parameters(I), I[0, 0]))


def _random_inertia(rng):
    from rbdlib.book.ch02_planar import mcI

    return (mcI(rng.uniform(0.5, 3), rng.uniform(-1, 1, size=2), rng.uniform(0.01, 0.5)),)


def _quarter_turn():
    return np.pi / 2 * np.array([1.0, 1.0, -1.0])


def _throw():
    from rbdlib.book.ch02_planar import Xpln

    c_x = 3.52 / 4.8
    v_C = Xpln([0, 0], np.pi / 2) @ [9, 2, 5]
    return v_C - [0, 0, 9 * c_x]


def _hinge_force():
    return [0, 0, 2.5 * 1.2 * 9.81]


def _double_period(squared=True, degrees=True):
    """The amplitude at which K(k²) = pi; squared=False gives what comes of handing k to ellipk for k²."""

    def answer():
        from mpmath import asin, ellipk, findroot, mp, mpf, pi, sqrt

        with mp.workdps(20):
            parameter = findroot(lambda m: ellipk(m) - pi, (mpf("0.9"), mpf("0.99")), solver="anderson")
            amplitude = 2 * asin(sqrt(parameter) if squared else parameter)
            return float(amplitude * 180 / pi if degrees else amplitude)

    return answer


def _bias_force(change=lambda m, omega, v_x, v_y, c_x, c_y, I_C, p: p):
    """v×* I v in symbols, passed through a change that makes a wrong answer of it."""

    def answer():
        from sympy import symbols

        from rbdlib.book.ch02_planar import crf, mcI

        m, omega, v_x, v_y, c_x, c_y, I_C = names = symbols("m omega v_x v_y c_x c_y I_C")
        v = [omega, v_x, v_y]
        return change(*names, crf(v) @ mcI(m, [c_x, c_y], I_C) @ v)

    return answer


EXERCISES = (
    Exercise(
        id="4.1",
        title="The ladder",
        section="Where does it turn?",
        quantity="planar motion",
        reference=_ladder,
        remark="Its pole is at (0.7, 2.4), above the foot and level with the top.",
        mistakes=(
            Mistake((-0.25, 0.6, 0.175),
                    "The foot runs away from the wall, so the line from foot to top tilts to the left, and that is "
                    "anticlockwise, which counts as positive. With ω < 0 the top of the ladder would go through the "
                    "wall.", "sign"),
            Mistake((0.25, 0.6, 0.175),
                    "The first two numbers are right. The body-fixed point at O lies to the left of the foot, which "
                    "stays on the ground, and the ladder turns anticlockwise. Does what is to the left go up or "
                    "down?", "sign"),
            Mistake((0.25, 0.6, 0),
                    "These are ω and the velocity of the foot, but the foot is not at O. The foot has v_y + ω x = 0, "
                    "and its x is 0.7 m.", "entry"),
            Mistake((0.25, 0, -0.175),
                    "These are ω and the velocity of the top, which has no x component. The body-fixed point at O has "
                    "one: it is as high as the foot, and all body-fixed points of one height share their v_x.",
                    "entry"),
            Mistake((0.24, 0.6, -0.168),
                    "You have divided the foot's speed by the ladder's length. That would be right if the foot moved "
                    "at right angles to the ladder; divide by the height of the top instead.", "factor"),
        ),
        hints=(
            "You know two components of velocity: at the foot the vertical one is zero, at the top the horizontal one.",
            "In the plane V(P) = (v_x - ω y, v_y + ω x). Write it for the foot (0.7, 0) and for the top (0, 2.4).",
            "The foot gives v_x = 0.6 and v_y = -0.7 ω; the top gives v_x = 2.4 ω.",
        ),
        solution=r"""
            The ladder's top is at the height $\sqrt{2.5^2 - 0.7^2} = 2.4$ m. A body-fixed point at $(x, y)$ has the
            velocity $(v_{Ox} - \omega y,\ v_{Oy} + \omega x)$. At the foot $(0.7, 0)$ this is $(0.6, 0)$, so that
            $v_{Ox} = 0.6$ and $v_{Oy} = -0.7\,\omega$. At the top $(0, 2.4)$ the $x$ component is zero, so that
            $\omega = 0.6/2.4 = 0.25$ rad/s, and $v_{Oy} = -0.175$ m/s. The answer is $[0.25, 0.6, -0.175]$.
        """,
    ),
    Exercise(
        id="4.2",
        title="The way back",
        section="The same motion in another frame",
        quantity="coordinates",
        names=("x of A's origin", "y of A's origin", "the angle"),
        reference=_seen_back(),
        mistakes=(
            Mistake(_seen_back((-2, -1)),
                    "The angle is right. (-2, -1) is the arrow from B back to A, but in A coordinates. Xpln wants it "
                    "in the coordinates of the frame from which the transform starts, and that is now B.", "frame"),
            Mistake(_seen_back((1, -2)),
                    "The angle is right. (1, -2) = E r is where B is from A, written in B coordinates. You want where "
                    "A is from B: the arrow the other way.", "sign"),
            Mistake(_seen_back((1, -2), np.pi / 2),
                    "B is turned by +90° from A, so that A is turned by -90° from B. For the position, take the arrow "
                    "from B to A.", "sign"),
            Mistake(_seen_back((-1, 2), np.pi / 2),
                    "The position is right. B is turned by +90° from A, so how is A turned from B?", "sign"),
            Mistake(_seen_back((-1, 2), -90),
                    "Right, but angles are in radians.", "degrees"),
        ),
        hints=(
            "Draw both frames on squared paper and stand in B, looking along its x axis. Where is A's origin?",
            "The arrow from B to A is -r = (-2, -1) in A coordinates. B's x axis points along A's y axis, and B's y "
            "axis along -x of A: read off both components.",
            "In B coordinates the arrow is -E r with E = [[0, 1], [-1, 0]], and the angle is the opposite one.",
        ),
        solution=r"""
            The arrow from B's origin to A's is $-r = (-2, -1)$ in A coordinates. B's $x$ axis is $(0, 1)$ and its $y$
            axis is $(-1, 0)$ in A coordinates, so that the arrow's components along them are $-1$ and $2$. A is turned
            by $-\pi/2$ against B. So ${}^{A}X_{B} = \mathrm{Xpln}([-1, 2], -\pi/2)$, in general
            $\mathrm{Xpln}(-E r, -\theta)$, and its product with ${}^{B}X_{A}$ is the unit matrix.
        """,
    ),
    Exercise(
        id="4.3",
        title="Reading an inertia",
        section="Four numbers for a body",
        kind="function",
        quantity="coordinates",
        names=("the mass", "c_x", "c_y", "I_C"),
        reference=_four_parameters,
        inputs=_random_inertia,
        mistakes=(
            Mistake(_wrong_parameters(lambda m, x, y, I_C, I_O: [m, x, y, I_O]),
                    "Mass and centre of mass are right. The entry in the corner is I_O, the rotational inertia about "
                    "the origin; I_C is smaller by m (c_x² + c_y²)."),
            Mistake(_wrong_parameters(lambda m, x, y, I_C, I_O: [m, x, -y, I_C]),
                    "All but the sign of c_y is right. In Eq. 2.78 the entry beside the corner is -m c_y, because a "
                    "point above the origin moves to the left when the body turns anticlockwise.", "sign"),
            Mistake(_wrong_parameters(lambda m, x, y, I_C, I_O: [m, m * x, m * y, I_C]),
                    "The inertia holds the products m c_x and m c_y. Divide them by the mass.", "factor"),
            Mistake(_wrong_parameters(lambda m, x, y, I_C, I_O: [m, -y, x, I_C]),
                    "The two entries beside the corner are -m c_y and m c_x, in this order, not m c_x and m c_y."),
        ),
        hints=(
            "Three of the four are read off Eq. 2.78 directly: the mass stands alone on the diagonal.",
            "c_x = I[0, 2]/m and c_y = -I[0, 1]/m. What remains is the step from I_O to I_C.",
            "I_C = I[0, 0] - m * (c_x**2 + c_y**2).",
        ),
        solution=r"""
            Read Eq. 2.78 backwards. The mass stands on the diagonal, $m c_x$ and $-m c_y$ beside the corner, and in the
            corner $I_O = I_C + m (c_x^2 + c_y^2)$:

                def parameters(I):
                    m, c_x, c_y = I[1, 1], I[0, 2] / I[1, 1], -I[0, 1] / I[1, 1]
                    return [m, c_x, c_y, I[0, 0] - m * (c_x**2 + c_y**2)]

            For the sledgehammer this gives the mass 4.8 kg, the centre of mass at $(0.733, 0)$ m and $I_C = 0.162$
            kg m².
        """,
    ),
    Exercise(
        id="4.4",
        title="A quarter turn in one second",
        section="From a displacement to a velocity",
        quantity="planar motion",
        reference=_quarter_turn,
        remark="The frame goes round the pole (1, 1).",
        mistakes=(
            Mistake((np.pi / 2, 2, 0),
                    "The angle is right. (2, 0) is where B ends up; but a frame that starts with this velocity while "
                    "it turns moves on a circle, and not straight to B.", "entry"),
            Mistake((1, 1, -1),
                    "That is version 2 of XtoV: the direction is right, the length is sin θ where it should be θ. The "
                    "exact velocity turns by π/2 in the second.", "factor"),
            Mistake((1, 0, -2),
                    "That is version 1 of XtoV, which takes r as seen from B. For a quarter turn it is far from "
                    "exact: find the pole.", "entry"),
            Mistake((np.pi / 2, -np.pi / 2, np.pi / 2),
                    "The angle is right, and so is the pole's distance. With the pole at p the velocity is ω [1, p_y, "
                    "-p_x]; you have the signs of a pole at (-1, -1).", "sign"),
            Mistake((90, 90, -90), "The pole is right, but angles are in radians.", "degrees"),
        ),
        hints=(
            "Some point of the plane is where it was: the pole. The quarter turn about it takes the point (0, 0) to "
            "(2, 0). Where is it?",
            "The pole is as far from (0, 0) as from (2, 0), and sees the two at a right angle. There are two such "
            "points; the turn is anticlockwise.",
            "p = (1, 1), and the velocity is ω [1, p_y, -p_x] with ω = π/2.",
        ),
        solution=r"""
            The pole $p$ has the same distance from $(0, 0)$ and $(2, 0)$ and sees them at a right angle, so that it is
            $(1, 1)$ or $(1, -1)$. From $(1, 1)$ the point $(0, 0)$ is to the lower left, and a quarter turn
            anticlockwise brings it to the lower right, to $(2, 0)$. So $p = (1, 1)$, and
            $u = \theta\,[1, p_y, -p_x] = \tfrac{\pi}{2}\,[1, 1, -1] = [1.571, 1.571, -1.571]$.
        """,
    ),
    Exercise(
        id="4.5",
        title="Throwing it upright",
        section="A hammer is thrown",
        quantity="planar motion",
        reference=_throw,
        mistakes=(
            Mistake((9, 5, -2),
                    "That is the velocity of the centre of mass, in body coordinates. Wanted is that of the body's "
                    "origin, the end of the handle, 0.733 m away.", "entry"),
            Mistake((9, 5, 4.6),
                    "The first two numbers are right. The centre of mass has v_y + ω c_x, so that the origin has ω c_x "
                    "less than the centre of mass, not more.", "sign"),
            Mistake((9, 8.6, 5),
                    "These are the right velocities in base coordinates. The body's x axis points up, and the planar "
                    "velocity of a body is kept in the coordinates of the body.", "frame"),
            Mistake((9, 2, -1.6),
                    "That is the throw of the text, where the handle lay along x. Now it points up, and the body's "
                    "axes with it.", "frame"),
            Mistake((9, -5, -4.6),
                    "You have turned (2, 5) the wrong way. The body's x axis points up, so that the upward part 5 m/s "
                    "is along +x of the body.", "transpose"),
        ),
        hints=(
            "First write the velocity of the centre of mass, (2, 5) in base coordinates, in the coordinates of the "
            "body, whose x axis points up and whose y axis points to the left.",
            "In body coordinates the centre of mass has (5, -2). The origin is at rest relative to it but for the "
            "turning: v_C = (v_x, v_y + ω c_x), with c = (c_x, 0).",
            "v_y = -2 - 9 · 3.52/4.8.",
        ),
        solution=r"""
            The body's $x$ axis points up and its $y$ axis to the left, so that the velocity of the centre of mass has
            the body coordinates $(5, -2)$. It equals $(v_{Ox} - \omega c_y,\ v_{Oy} + \omega c_x)$ with $c_y = 0$ and
            $c_x = 3.52/4.8 = 0.7333$ m. So $v_{Ox} = 5$ and $v_{Oy} = -2 - 9 \cdot 0.7333 = -8.6$, and the throw is
            $[9, 5, -8.6]$.
        """,
    ),
    Exercise(
        id="4.6",
        title="What the hinge must hold",
        section="A pendulum, twice",
        quantity="planar force",
        reference=_hinge_force,
        remark="Two and a half times the weight, whatever the rod's mass and length are.",
        mistakes=(
            Mistake((0, 0, 1.2 * 9.81),
                    "That is the weight. The rod's centre of mass goes round in a circle, and something has to pull "
                    "it inwards as well.", "entry"),
            Mistake((0, 0, 1.5 * 1.2 * 9.81),
                    "That is the force that bends the path into a circle. The hinge must carry the weight besides.",
                    "entry"),
            Mistake((0, 0, 3 * 1.2 * 9.81),
                    "That is the answer for all the mass in one point. A rod has ω² = 3g/l at the bottom, from ½ I_O "
                    "ω² = m g l/2 with I_O = m l²/3.", "factor"),
            Mistake((0, 0, -2.5 * 1.2 * 9.81),
                    "The size is right. That is the force of the rod on the hinge; asked is the force on the rod, "
                    "which points up.", "sign"),
        ),
        hints=(
            "How fast does the rod turn at the bottom? Its centre of mass has come down by l/2.",
            "½ I_O ω² = m g l/2 with I_O = m l²/3. The centre of mass then moves on a circle of radius l/2.",
            "Hinge force less weight is m ω² l/2 = 3 m g/2. Is there a moment, or a horizontal force?",
        ),
        solution=r"""
            On its way from horizontal to the bottom the rod's centre of mass falls by $l/2$, so that
            $\tfrac12 \cdot \tfrac{m l^2}{3}\,\omega^2 = m g \tfrac l2$ and $\omega^2 = 3g/l$. At the bottom the centre
            of mass needs $m \omega^2 \tfrac l2 = \tfrac32 m g$ upwards, in addition to the weight: the hinge supplies
            $\tfrac52 m g = 29.43$ N. Gravity has no lever arm there, so that $\ddot q = 0$ and nothing pushes
            sideways; a hinge without friction gives no moment. In body coordinates, which at the bottom are parallel
            to those of the base, the answer is $[0, 0, 29.43]$.
        """,
    ),
    Exercise(
        id="4.7",
        title="Twice as slow",
        section="How long does a swing take?",
        reference=_double_period(),
        rtol=1e-3,
        remark="Only 20 degrees short of upside down: a pendulum is a good clock for longer than one would think.",
        mistakes=(
            Mistake(_double_period(squared=False),
                    "You have found where ellipk(x) = π and taken x for k = sin(q_max/2). SciPy's ellipk wants the "
                    "parameter k², so that sin(q_max/2) is the square root of x."),
            Mistake(_double_period(degrees=False), "That is right in radians, and degrees are asked for.", "degrees"),
            Mistake(lambda: _double_period()() / 2,
                    "That is half the amplitude: k = sin(q_max/2) gives you q_max/2 first.", "factor"),
        ),
        hints=(
            "The period is doubled when K = π. Look at the right-hand figure first: between which two amplitudes must "
            "it be?",
            "Solve ellipk(m) = π for m, for instance with scipy.optimize.brentq between 0.5 and 0.999.",
            "m = 0.9691, and q_max = 2 asin(√m). In degrees, please.",
        ),
        solution=r"""
            $T/T_0 = \tfrac{2}{\pi} K(k^2) = 2$ means $K = \pi$. `brentq(lambda m: ellipk(m) - np.pi, 0.5, 0.999)`
            gives $k^2 = 0.96911$, so that $\sin(q_{max}/2) = 0.98443$ and $q_{max} = 159.75$ degrees.
        """,
    ),
    Exercise(
        id="4.8",
        title="The force of going on as before",
        section="A question for paper",
        quantity="planar force",
        where="0 < m, I_C",
        reference=_bias_force(),
        symbols=("I_C",),
        remark="I_C is not in it: of the four parameters, only the first three matter here.",
        mistakes=(
            Mistake(_bias_force(lambda m, w, v_x, v_y, c_x, c_y, I_C, p: -p),
                    "Every sign is opposite. This is the force that the motion seems to exert, the centrifugal force; "
                    "wanted is the force that must act on the body: v×* I v, with its plus.", "sign"),
            Mistake(_bias_force(lambda m, w, v_x, v_y, c_x, c_y, I_C, p: [0, p[1], p[2]]),
                    "The two forces are right. There is a moment too, because the force acts at the centre of mass, "
                    "and you want it about O.", "entry"),
            Mistake(_bias_force(lambda m, w, v_x, v_y, c_x, c_y, I_C, p: [0, -m * w * v_y, m * w * v_x]),
                    "That would be right with the centre of mass at the origin. Its velocity is not (v_x, v_y) but "
                    "(v_x - ω c_y, v_y + ω c_x).", "entry"),
            Mistake(_bias_force(lambda m, w, v_x, v_y, c_x, c_y, I_C, p: [0, -m * w**2 * c_x, -m * w**2 * c_y]),
                    "That is the centripetal force of a body that turns about O, when O is at rest. Here O moves "
                    "as well.", "expression"),
            Mistake(_bias_force(lambda m, w, v_x, v_y, c_x, c_y, I_C, p: [0, *(m * w * np.array([
                        v_x - w * c_y, v_y + w * c_x]))]),
                    "You have the momentum times ω. The rate at which a turning momentum changes is at right angles "
                    "to it: ω × h, not ω h.", "expression"),
        ),
        hints=(
            "Start with the momentum h = I v. Its linear part is m times the velocity of the centre of mass, (v_x - ω "
            "c_y, v_y + ω c_x).",
            "v×* = -(v×)ᵀ; from Eq. 2.75 its rows are [0, -v_y, v_x], [0, 0, -ω] and [0, ω, 0]. The first column is "
            "zero. What does that say about the moment in h?",
            "p = [-v_y h_x + v_x h_y, -ω h_y, ω h_x]. Put in h_x and h_y; two terms of the moment cancel.",
        ),
        solution=r"""
            The linear momentum is $h_x = m (v_x - \omega c_y)$, $h_y = m (v_y + \omega c_x)$. With the rows of
            $v\times^{*} = -(v\times)^{\mathrm T}$ from Eq. 2.75 the force is
            $p = [\,v_x h_y - v_y h_x,\ -\omega h_y,\ \omega h_x\,]$, that is
            $m\omega\,[\,c_x v_x + c_y v_y,\ -v_y - \omega c_x,\ v_x - \omega c_y\,]$. The first column of
            $v\times^{*}$ is zero, and the moment in $h$ is the only place where $I_C$ stands; so $I_C$ falls out. What
            remains is $m\,\omega \times v_C$ and its moment: turning a momentum takes a force, and in the plane a
            turning angular momentum stays what it is.
        """,
    ),
)
