"""The exercises of notebook 03, motion and force (RBDA 2.9-2.15)."""

import numpy as np

from rbdlib.exercises.declare import Exercise, Mistake


def _carried_hinge():
    from rbdlib.book.ch02_spatial import crm, free_motion, line_motion

    return crm(free_motion([0, 2, 0])) @ line_motion([0, 0, 1], [1, 0, 0])


def _carried_hinge_factors():
    from rbdlib.book.ch02_spatial import crm, free_motion, line_motion

    return {"v×": crm(free_motion([0, 2, 0])), "m": line_motion([0, 0, 1], [1, 0, 0])}


def _force_rate(v, f):
    omega, v_O, n, force = v[:3], v[3:], f[:3], f[3:]
    return np.concatenate([np.cross(omega, n) + np.cross(v_O, force), np.cross(omega, force)])


def _rate_as_of_a_motion(v, f):
    omega, v_O, n, force = v[:3], v[3:], f[:3], f[3:]
    return np.concatenate([np.cross(omega, n), np.cross(omega, force) + np.cross(v_O, n)])


def _rate_of_turning_only(v, f):
    return np.concatenate([np.cross(v[:3], f[:3]), np.cross(v[:3], f[3:])])


def _rate_with_reversed_lever(v, f):
    omega, v_O, n, force = v[:3], v[3:], f[:3], f[3:]
    return np.concatenate([np.cross(omega, n) - np.cross(v_O, force), np.cross(omega, force)])


def _polar(radial, tangential):
    """An answer to exercise 3.5, from the texts' coefficients of (r'', omega² r) and (omega' r, omega r')."""

    def answer():
        from sympy import symbols

        r, rd, rdd, omega, omegad = symbols("r rd rdd omega omegad")
        return [radial[0] * rdd + radial[1] * omega**2 * r, tangential[0] * omegad * r + tangential[1] * omega * rd, 0]

    return answer


def _rod_at_its_end():
    from rbdlib.book.ch02_spatial import mcI

    return mcI(3, [1, 0, 0], np.diag([0, 1, 1]))


def _wrong_rod(upper_left, c):
    def answer():
        from rbdlib.book.ch02_spatial import skew

        return np.block([[np.diag(upper_left), 3 * skew(c)], [-3 * skew(c), 3 * np.eye(3)]])

    return answer


def _shaft():
    from rbdlib.book.ch02_spatial import mcI

    return np.array([0, 0, 50, 0, 0, 0]), mcI(4, [0.02, 0, 0.1], np.diag([0.03, 0.03, 0.02]))


def _shaft_force():
    from rbdlib.book.ch02_spatial import bias_force

    v, I = _shaft()
    return bias_force(I, v)


def _shaft_force_factors():
    from rbdlib.book.ch02_spatial import crf

    v, I = _shaft()
    return {"v×*": crf(v), "I": I, "v": v}


def _squared_rate(formula):
    """An answer to exercise 3.8, from a function of (I_1, I_2, I_3)."""

    def answer():
        from sympy import symbols

        I_1, I_2, I_3, Omega = symbols("I_1 I_2 I_3 Omega")
        return Omega**2 * formula(I_1, I_2, I_3)

    return answer


EXERCISES = (
    Exercise(
        id="3.1",
        title="A hinge that is carried along",
        section="Vectors that ride",
        quantity="motion",
        reference=_carried_hinge,
        product=_carried_hinge_factors,
        mistakes=(
            Mistake((0, 0, 0, 0, 0, 0),
                    "The hinge keeps its direction, but a rotation about a line is not described by its direction "
                    "alone. The line moves away, and the velocity that the rotation gives to the point at O changes.",
                    "entry"),
            Mistake((0, 0, 0, -2, 0, 0),
                    "The size and the place are right, the sign is not: that is m × v. The vector that does the "
                    "carrying stands on the left, v × m.", "sign"),
            Mistake((0, 0, 0, 0, 2, 0),
                    "That is the velocity of the body that carries the hinge. Asked is how fast the six coordinates "
                    "of the rotation about the hinge line change.", "entry"),
            Mistake((0, 0, 1, 0, -1, 0),
                    "That is the unit rotation about the hinge itself, at this instant. Asked is its rate of change.",
                    "entry"),
        ),
        hints=(
            "After the time t the hinge stands at (1, 2t, 0). Write down the unit rotation about it, and compare.",
            "The unit rotation about the line through P along z is [k; P × k]. Only P depends on time.",
            "Or by the table: the carrying motion is 2 d_y. In its row, look under d_Oz; under d_y there is nothing.",
        ),
        solution=r"""
            The hinge line passes through $P = (1, 2t, 0)$, so the unit rotation about it is
            $m = [k;\ P \times k] = [0, 0, 1, 2t, -1, 0]$, and its derivative is $[0, 0, 0, 2, 0, 0]$: a translation.
            The table says the same. With $v = 2 d_y$ and $m = d_{Oz} - d_y$, the row $d_y$ gives
            $2 d_y \times d_{Oz} = 2 d_x$ and $d_y \times d_y = 0$.
        """,
    ),
    Exercise(
        id="3.2",
        title="A force that is carried along",
        section="The two matrices",
        kind="function",
        quantity="force",
        reference=_force_rate,
        inputs=lambda rng: (rng.normal(size=6), rng.normal(size=6)),
        mistakes=(
            Mistake(_rate_as_of_a_motion,
                    "That is v × f, the rule for motion vectors. A force has its moment on top: it is the moment that "
                    "changes when the line of action moves away, so the extra term belongs into the upper half.",
                    "dual"),
            Mistake(_rate_of_turning_only,
                    "You have turned both halves with ω, which is right for a body that turns about O. If the body "
                    "also travels, the line of action is carried away from O, and the moment changes by v_O × f.",
                    "entry"),
            Mistake(_rate_with_reversed_lever,
                    "The lower half is right. In the upper half the second term has the wrong sign: after a short "
                    "time δt the lever arm has grown by v_O δt, so the moment r × f has grown by v_O δt × f.", "sign"),
        ),
        hints=(
            "Write v = [ω; v_O] and f = [n; force], and ask for the two halves one after the other.",
            "The linear force simply turns with the body: ω × force. The moment turns as well, and what else?",
            "Upper half: ω × n + v_O × force; lower half: ω × force. np.concatenate puts them together.",
        ),
        solution=r"""
            By Eq. 2.34 the halves are $\omega \times n + v_O \times f$ and $\omega \times f$. In Python, with
            `w, v_O, n, force = v[:3], v[3:], f[:3], f[3:]`, the function returns
            `np.concatenate([np.cross(w, n) + np.cross(v_O, force), np.cross(w, force)])`. The same is
            `crf(v) @ f`, and also `-crm(v).T @ f`.
        """,
    ),
    Exercise(
        id="3.3",
        title="Constant, says the instrument",
        section="What the carousel sees",
        quantity="motion",
        reference=(0, 0, 0, 0, 6, 0),
        mistakes=(
            Mistake((0, 0, 0, 0, 0, 0),
                    "That is the ring, the rate of change of the numbers. The axes along which they are measured turn, "
                    "so a bird whose numbers stay the same flies in a circle.", "entry"),
            Mistake((0, 0, 0, 0, -6, 0),
                    "The size is right. For the sign, look from above: the turntable turns anticlockwise, and carries "
                    "an arrow that points along x towards +y.", "sign"),
            Mistake((0, 0, 0, -12, 0, 0),
                    "That is v_A × (v_A × m), one cross product too many. The first derivative needs only one.",
                    "entry"),
            Mistake((0, 0, 0, 3, 6, 0),
                    "You have added the vector itself. The sum in Eq. 2.41 is that of its apparent rate of change, "
                    "which is zero here, and v_A × m.", "entry"),
        ),
        hints=(
            "Which of the two derivatives does the instrument see, the dot or the ring?",
            "The ring is zero. What remains of Eq. 2.41 is v_A × m with v_A = [0, 0, 2, 0, 0, 0].",
            "By Eq. 2.33 the lower half is ω × m_O + v_O × m, and here v_O and m are zero: (0, 0, 2) × (3, 0, 0).",
        ),
        solution=r"""
            The instrument sees the componentwise derivative, ${}^{A}\mathring m = 0$. The true derivative is
            ${}^{A}\dot m = {}^{A}\mathring m + {}^{A}v_A \times {}^{A}m$ with ${}^{A}v_A = [0, 0, 2, 0, 0, 0]$ and
            ${}^{A}m = [0, 0, 0, 3, 0, 0]$. The lower half of the product is
            $(0, 0, 2) \times (3, 0, 0) = (0, 6, 0)$, so ${}^{A}\dot m = [0, 0, 0, 0, 6, 0]$: the velocity keeps its
            size, 3 m/s, and turns at 2 rad/s.
        """,
    ),
    Exercise(
        id="3.4",
        title="The wheel that rolls on",
        section="The disc that does not accelerate",
        quantity="motion",
        reference=(0, 0, 0, 0, 4.8, 0),
        remark="At this instant the rim touches the ground at O and is at rest there, so that ω × v_O is zero: just "
               "now, the classical acceleration of the rim at O is the same six numbers.",
        mistakes=(
            Mistake((0, 0, 0, 0, 0, 0),
                    "The centre of the wheel does not accelerate and ω is constant. But spatial acceleration is the "
                    "rate of change of the spatial velocity, and the line about which the wheel turns moves along the "
                    "ground.", "entry"),
            Mistake((0, 0, 0, 0, -4.8, 0),
                    "The size is right. When the contact has moved on towards +x, O lies to the left of it, and the "
                    "wheel turns clockwise. Does what lies to the left go up or down?", "sign"),
            Mistake((0, 0, 0, 4.8, 0, 0),
                    "The size is right. What changes is the velocity with which the wheel flows past O, and that "
                    "velocity is vertical: O lies on the ground beside the contact.", "entry"),
            Mistake((0, 0, 0, 0, 1.2, 0),
                    "1.2 m/s is the velocity of the centre. Write v_O as a function of time, P(t) × ω, and take its "
                    "derivative.", "entry"),
        ),
        hints=(
            "The wheel turns about its contact with the ground, which stands at P = (1.2 t, 0, 0).",
            "Notebook 02: a rotation about a line through P has v_O = P × ω. Here ω = (0, 0, -4).",
            "v_O(t) = (1.2 t, 0, 0) × (0, 0, -4) = (0, 4.8 t, 0). What is the derivative?",
        ),
        solution=r"""
            At the time $t$ the wheel turns about its contact $P = (1.2\,t, 0, 0)$ with $\omega = (0, 0, -1.2/0.3) =
            (0, 0, -4)$. The point of the wheel at $O$ therefore has $v_O = P \times \omega = (0, 4.8\,t, 0)$, and
            $a = [\dot\omega;\ \dot v_O] = [0, 0, 0, 0, 4.8, 0]$. A wheel that rolls at constant speed has a spatial
            acceleration, because its motion is a rotation about a line that moves: at every instant it is a different
            rotation. In letters the entry is $V^2/R$.
        """,
    ),
    Exercise(
        id="3.5",
        title="Where the two in Coriolis' term comes from",
        section="Accelerations along a chain",
        names=("the radial component", "the tangential component", "the component along z"),
        where="0 < r",
        reference=_polar((1, -1), (1, 2)),
        remark="Half of the Coriolis term comes from the turning of the slider's axis, the other half from the step "
               "from spatial to classical acceleration.",
        mistakes=(
            Mistake(_polar((1, 0), (1, 1)),
                    "That is the linear part of the spatial acceleration at the bead. The bead is a point, and asked "
                    "is its classical acceleration: add ω × v, with its velocity (rd, ω r, 0).", "classical"),
            Mistake(_polar((1, -1), (1, 1)),
                    "One half of the Coriolis term is missing. The axis of the slider turns with the arm, so that "
                    "the second joint contributes v_2 × s_2 rd as well as s_2 rdd.", "entry"),
            Mistake(_polar((1, 1), (1, 2)),
                    "The tangential part is right. The centripetal acceleration points towards the hinge.", "sign"),
            Mistake(_polar((1, -1), (0, 2)),
                    "The radial part is right. If the turntable itself speeds up, the bead is dragged along with "
                    "omegad r.", "entry"),
        ),
        hints=(
            "Put the origin at the bead. There the hinge line passes through (-r, 0, 0), and s_1 = [0, 0, 1, 0, r, 0], "
            "s_2 = [0, 0, 0, 1, 0, 0].",
            "v_1 = s_1 ω and v_2 = [0, 0, ω, rd, ω r, 0]. Eq. 2.55 twice: a_1 = s_1 omegad, since v_1 × s_1 = 0, and "
            "a_2 = a_1 + s_2 rdd + v_2 × s_2 rd.",
            "That gives the linear part (rdd, omegad r + ω rd, 0). It is spatial: to get the acceleration of the bead, "
            "add ω × (rd, ω r, 0).",
        ),
        solution=r"""
            With the origin at the place of the bead, $s_1 = [0, 0, 1, 0, r, 0]$ (a hinge through $(-r, 0, 0)$) and
            $s_2 = [0, 0, 0, 1, 0, 0]$, so that $v_2 = s_1 \omega + s_2 \dot r = [0, 0, \omega, \dot r, \omega r, 0]$.
            Eq. 2.55 gives $a_1 = s_1 \dot\omega$, because $s_1 \times s_1 = 0$, and then
            $a_2 = s_1 \dot\omega + s_2 \ddot r + v_2 \times s_2\, \dot r$. The last term is
            $[0;\ \omega \times (\dot r, 0, 0)] = [0, 0, 0, 0, \omega \dot r, 0]$. The linear part of $a_2$ is
            therefore $(\ddot r,\ \dot\omega r + \omega \dot r,\ 0)$. The bead is a point of body 2 at the origin, so
            its classical acceleration is this plus $\omega \times v = (-\omega^2 r,\ \omega \dot r,\ 0)$, in sum
            $(\ddot r - \omega^2 r,\ \ \dot\omega r + 2 \omega \dot r,\ \ 0)$.
        """,
    ),
    Exercise(
        id="3.6",
        title="A rod, seen from its end",
        section="Inertia",
        quantity="inertia",
        reference=_rod_at_its_end,
        mistakes=(
            Mistake(_wrong_rod((0, 1, 1), (1, 0, 0)),
                    "The upper left block is the rotational inertia about the centre of mass. Wanted is the one about "
                    "O, and this is larger by m c× (c×)ᵀ: parallel axes.", "frame"),
            Mistake(_wrong_rod((0, 4, 4), (-1, 0, 0)),
                    "The two blocks off the diagonal are exchanged. The upper right one is m c×, with c from O to the "
                    "centre of mass; the lower left one is its transpose.", "transpose"),
            Mistake(_wrong_rod((0, 4, 4), (0, 0, 0)),
                    "The blocks on the diagonal are right. The blocks off the diagonal vanish only at the centre of "
                    "mass; here a rotation about O moves the centre of mass, and so gives linear momentum.", "frame"),
            Mistake(_wrong_rod((0, -2, -2), (1, 0, 0)),
                    "c× c× is negative: the parallel-axis term is m c× (c×)ᵀ, with a transpose, and makes the "
                    "rotational inertia larger.", "sign"),
            Mistake(_wrong_rod((0, 13, 13), (2, 0, 0)),
                    "You have taken c at the far end of the rod. The centre of mass is in the middle, at (1, 0, 0).",
                    "factor"),
        ),
        hints=(
            "Ten numbers first: m = 3, c = (1, 0, 0), and the rotational inertia about the centre of mass. About its "
            "own line a thin rod has none.",
            "About a transverse axis through the middle it is m l²/12 = 1, so I_C = diag(0, 1, 1). Then Eq. 2.63.",
            "You may build it with mcI(3, [1, 0, 0], np.diag([0, 1, 1])); but predict the upper left block first: "
            "m l²/3.",
        ),
        solution=r"""
            The ten numbers are $m = 3$, $c = (1, 0, 0)$, $\bar I_C = \mathrm{diag}(0, 1, 1)$ with $m l^2/12 = 1$. By
            Eq. 2.63 the upper left block is $\bar I_C + m\, c\times (c\times)^{\mathrm T} = \mathrm{diag}(0, 4, 4)$,
            which is the $m l^2/3$ of the tables; the upper right one is
            $m\, c\times = \begin{bmatrix} 0 & 0 & 0 \\ 0 & 0 & -3 \\ 0 & 3 & 0 \end{bmatrix}$, the lower left one its
            transpose, and the lower right one $3 \cdot 1$. In Python: `mcI(3, [1, 0, 0], np.diag([0, 1, 1]))`.
        """,
    ),
    Exercise(
        id="3.7",
        title="A shaft out of balance",
        section="The equation of motion",
        quantity="force",
        reference=_shaft_force,
        product=_shaft_force_factors,
        mistakes=(
            Mistake((0, 0, 0, 0, 0, 0),
                    "The spatial acceleration is zero, but the force is not: with a = 0 the equation of motion leaves "
                    "f = v ×* I v. The momentum of the rotor goes round with it, and that takes a force.", "entry"),
            Mistake((0, 20, 0, 200, 0, 0),
                    "That is what the rotor does to the bearings. Asked is the force on the rotor, which pulls the "
                    "centre of mass towards the axis.", "sign"),
            Mistake((0, 0, 0, -200, 0, 0),
                    "The linear force is right. It acts on the centre of mass, which is 0.1 m above O, so it has a "
                    "moment about O.", "entry"),
            Mistake((0, 20, 0, -200, 0, 0),
                    "The linear force is right. The moment is c × f, in this order.", "sign"),
        ),
        hints=(
            "The shaft turns at a constant rate about a fixed line. What is its spatial acceleration, and what is left "
            "of Eq. 2.68?",
            "f = v ×* I v. You can let Python multiply: bias_force(mcI(4, c, I_C), v).",
            "On paper: the linear force is m ω × (ω × c) = -4 · 50² · 0.02 along x, and the moment about O is c × f; "
            "ω × I_C ω is zero, because ω is along a principal axis.",
        ),
        solution=r"""
            The motion is a constant rotation about a fixed line, so $a = 0$ and $f = v \times^* I v$. The linear part
            is $m\, \omega \times (\omega \times c) = (-4 \cdot 2500 \cdot 0.02, 0, 0) = (-200, 0, 0)$ N, the
            centripetal force. The moment about $O$ is $c \times f + \omega \times \bar I_C \omega$, and the second
            term vanishes, because $z$ is a principal axis; $(0.02, 0, 0.1) \times (-200, 0, 0) = (0, -20, 0)$. Together
            $[0, -20, 0, -200, 0, 0]$. It goes round with the shaft and shakes the machine eight times a second.
        """,
    ),
    Exercise(
        id="3.8",
        title="How fast does it fall over?",
        section="The bat in the air",
        where="0 < I_1 < I_2 < I_3",
        reference=_squared_rate(lambda a, b, c: (b - a) * (c - b) / (a * c)),
        remark="The formula also covers the other two axes: put the axis of the spin in the middle of the letters, and "
               "the sign of σ² says whether it is stable.",
        mistakes=(
            Mistake(_squared_rate(lambda a, b, c: (a - b) * (c - b) / (a * c)),
                    "The size is right, the sign is not. With I_1 < I_2 < I_3 your σ² is negative, which would be an "
                    "oscillation. Check the differences in Euler's equations: I_1 ω_1' = (I_2 - I_3) ω_2 ω_3 and "
                    "cyclically.", "sign"),
            Mistake(_squared_rate(lambda a, b, c: (b - a) * (c - b) / b**2),
                    "The numerator is right. The two small components are driven against the inertias of their own "
                    "axes, 1 and 3; the inertia of the spin axis does not divide anything.", "expression"),
            Mistake(_squared_rate(lambda a, b, c: (c - a) * (b - a) / (b * c)),
                    "That is the formula for a spin about the first axis, without its sign. Here the spin is about "
                    "axis 2, and ω_1 and ω_3 are small.", "entry"),
            Mistake(_squared_rate(lambda a, b, c: (b - a) * (c - b)),
                    "You have left out the inertias on the left-hand sides of Euler's equations.", "factor"),
        ),
        hints=(
            "Write Euler's equation with n_C = 0 in its three components. Put ω_2 = Ω + something small, and drop "
            "every product of two small quantities.",
            "I_1 ω_1' = (I_2 - I_3) Ω ω_3 and I_3 ω_3' = (I_1 - I_2) Ω ω_1. Differentiate the first and put in the "
            "second.",
            "ω_1'' = σ² ω_1, with σ² the product of the two coefficients, (I_2 - I_3)(I_1 - I_2) Ω²/(I_1 I_3).",
        ),
        solution=r"""
            In principal axes $\bar I_C \dot\omega + \omega \times \bar I_C \omega = 0$ reads
            $I_1 \dot\omega_1 = (I_2 - I_3)\,\omega_2 \omega_3$ and cyclically. With $\omega_2 \approx \Omega$ and small
            $\omega_1$, $\omega_3$ the second equation says that $\Omega$ stays constant (to first order), and the other
            two are $I_1 \dot\omega_1 = (I_2 - I_3)\,\Omega\,\omega_3$ and
            $I_3 \dot\omega_3 = (I_1 - I_2)\,\Omega\,\omega_1$. Differentiate the first and put in the second:
            $\ddot\omega_1 = \sigma^2 \omega_1$ with
            $\sigma^2 = \Omega^2\, \dfrac{(I_2 - I_1)(I_3 - I_2)}{I_1 I_3}$.
            For $I_1 < I_2 < I_3$ it is positive, and so one of the two solutions $e^{\pm\sigma t}$ grows.
        """,
    ),
)
