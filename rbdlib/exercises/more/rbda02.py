"""Additional exercises on RBDA chapter 2: twists, wrenches, frames, momentum and the plane."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm
from rbdlib.exercises.more.declare import Mistake, More, formula


def _bolt():
    from rbdlib.book.ch02_spatial import xlt

    return xlt([0, -2, 0]) @ [3, 0, 0, 0.3, 0, 0]


def _rate_of_momentum(I, v, a):
    return I @ a + crf(v) @ I @ v


def _body_in_motion(rng):
    from rbdlib.book.ch02_spatial import mcI

    points = rng.normal(size=(3, 3))
    spread = points @ points.T
    I_C = np.trace(spread) * np.eye(3) - spread
    return mcI(1 + rng.random(), rng.normal(size=3), I_C), rng.normal(size=6), rng.normal(size=6)


def _force_in_the_turned_frame():
    from rbdlib.book.ch02_planar import Xpln, force_transform

    return force_transform(Xpln([1, 0], np.pi / 2)) @ [-20, 0, -10]


EXERCISES = (
    More(
        id="2.51",
        title="A bolt that is screwed in",
        section="Six elementary motions",
        level=1,
        quantity="motion",
        question="""
            A bolt turns at 3 rad/s about the line parallel to the *x* axis through the point (0, 2, 0) m, in the
            positive sense about *x*, and advances along *x* by 0.1 m for every radian. What is its spatial velocity
            $[\\omega, v_O]$ at the origin, in rad/s and m/s?
        """,
        reference=_bolt,
        mistakes=(
            Mistake((3, 0, 0, 0.3, 0, 6),
                    "The part from the turning has the opposite sign. The point of the body that is just at O lies "
                    "beside the axis at -r, and it moves with ω × (-r) = r × ω.", "sign"),
            Mistake((3, 0, 0, 0, 0, -6), "You have left out the advance: a bolt does not turn in place.", "entry"),
            Mistake((3, 0, 0, 0.1, 0, -6),
                    "The pitch is an advance for every radian, and the bolt turns by 3 radians in a second.",
                    "factor"),
            Mistake((3, 0, 0, 0.3, 0, 0), "That is the velocity of a point on the axis. O lies 2 m beside it.",
                    "frame"),
        ),
        hints=(
            "Begin with a point on the axis: there the linear velocity is the advance alone.",
            "From the point r of the axis to O: v_O = v_r + r × ω with r = (0, 2, 0).",
        ),
        solution=r"""
            On the axis the velocity is $\omega = (3, 0, 0)$ and $v_r = 0.1\,\omega = (0.3, 0, 0)$. At the origin
            $v_O = v_r + r \times \omega$, and $(0, 2, 0) \times (3, 0, 0) = (0, 0, -6)$, hence
            $[3, 0, 0, 0.3, 0, -6]$.
        """,
    ),
    More(
        id="2.52",
        title="Where is the screw axis? On paper",
        section="Where is the axis?",
        level=2,
        names=("the x coordinate of the axis", "the y coordinate of the axis", "the pitch"),
        question=r"""
            *On paper.* A body has the spatial velocity $[0, 0, \omega, v_x, v_y, v_z]$ with $\omega \ne 0$. Its
            motion is a screw motion about a line parallel to *z*. Give the *x* and *y* coordinates at which this line
            meets the plane $z = 0$, and the pitch (advance per radian), in the symbols `omega`, `v_x`, `v_y`, `v_z`.
        """,
        reference=formula("-v_y/omega", "v_x/omega", "v_z/omega"),
        mistakes=(
            Mistake(formula("v_y/omega", "-v_x/omega", "v_z/omega"),
                    "The axis lies on the other side of O: there you would find the point that moves twice as fast "
                    "as O. Put your point into v_O + ω × p.", "sign"),
            Mistake(formula("v_x/omega", "v_y/omega", "v_z/omega"),
                    "The axis is at right angles to the linear velocity, as the hub of a wheel is to the velocity of "
                    "its rim; you have put it in the direction of the velocity.", "misconception"),
            Mistake(formula("-v_y/omega", "v_x/omega", "v_z"),
                    "The axis is right. The pitch is a length for a radian: divide the advance by ω.", "factor"),
        ),
        hints=(
            "On the axis the velocity has no component across it. At the point p it is v_O + ω × p.",
            "With p = (x, y, 0): ω × p = (-ω y, ω x, 0). Put the first two components of the sum to zero.",
        ),
        solution=r"""
            At $p = (x, y, 0)$ the velocity is $v_O + \omega \times p = (v_x - \omega y,\; v_y + \omega x,\; v_z)$.
            On the axis only $v_z$ is left, so $x = -v_y/\omega$ and $y = v_x/\omega$; the pitch is
            $v_z/\omega$. In general $p = \omega \times v_O / |\omega|^2$ and
            $h = \omega \cdot v_O / |\omega|^2$.
        """,
    ),
    More(
        id="3.51",
        title="The force behind a motion",
        section="The equation of motion",
        level=2,
        kind="function",
        question=r"""
            Write a function `force(I, v, a)` that returns the spatial force which gives a rigid body of spatial
            inertia `I` (6×6) and velocity `v` the acceleration `a`. Use `crm` and `crf` of `rbdlib.book.ch02_spatial`.
        """,
        reference=_rate_of_momentum,
        inputs=_body_in_motion,
        mistakes=(
            Mistake(lambda I, v, a: I @ a,
                    "That is enough for a body at rest. A moving body carries its inertia along: the derivative of "
                    "Iv has a second term.", "bias"),
            Mistake(lambda I, v, a: I @ a + crm(v) @ I @ v,
                    "Iv is a momentum, and momenta are force vectors: they ride along by v×*, not by v×.", "dual"),
            Mistake(lambda I, v, a: I @ a - crf(v) @ I @ v,
                    "The second term is added: a force must supply what the inertia's own motion changes.", "sign"),
        ),
        hints=(
            "The force is the rate of change of the momentum I v.",
            "İ = v×* I - I v×, and v × v = 0.",
        ),
        solution=r"""
            $f = \frac{d}{dt}(I v) = I a + \dot I v$ with $\dot I = v \times^{*} I - I\, v\times$. Because
            $v \times v = 0$, what is left is $f = I a + v \times^{*} I v$ (Eq. 2.68):

                def force(I, v, a):
                    return I @ a + crf(v) @ I @ v

            For a body that spins about its centre of mass the second term is the torque $\omega \times I\omega$ of
            Euler's equation.
        """,
    ),
    More(
        id="4.51",
        title="A weight in a turned frame",
        section="The same motion in another frame",
        level=1,
        quantity="planar force",
        question="""
            A weight of 10 N pulls downwards, in the direction of −*y*, at the point (2, 1) m of a plane. A frame *B*
            has its origin at (1, 0) and is turned by +90°. Give the planar force $[n, f_x, f_y]$ in the coordinates of
            *B*, in N m and N.
        """,
        reference=_force_in_the_turned_frame,
        mistakes=(
            Mistake((-20, -10, 0), "The components are right. The moment is still that about O: shift it to B's "
                                   "origin, 1 m nearer to the weight.", "frame"),
            Mistake((-10, 0, -10), "The moment is right. The force still has its components along the old axes.",
                    "frame"),
            Mistake((-10, 10, 0), "B's axes are turned by +90°, and so the force, seen from B, by -90°. You have "
                                  "turned it the other way.", "transpose"),
            Mistake((10, -10, 0), "The weight hangs to the right of B's origin and pulls down: it turns clockwise, "
                                  "which is negative.", "sign"),
        ),
        hints=(
            "The moment about B's origin is force times arm; how far to the right of it does the weight hang?",
            "B's x axis points upwards, and B's y axis to the left.",
        ),
        solution=r"""
            The weight hangs $2 - 1 = 1$ m to the right of B's origin and turns clockwise, so that
            $n = -10$ N m. B's *x* axis points upwards: the weight has $-10$ N along it and nothing along the other.
            Hence $[-10, -10, 0]$.
        """,
    ),
)
