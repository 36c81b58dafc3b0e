"""Additional exercises on RBDA chapter 4: trees, frames, Euler angles and Euler parameters."""

import numpy as np

from rbdlib.exercises.more.declare import Mistake, More, formula


def _tip_of_two_links():
    from rbdlib.book.ch02_spatial import X_to_Er, rotz, xlt

    return X_to_Er(xlt([0.3, 0, 0]) @ rotz(np.pi / 3) @ xlt([0.5, 0, 0]) @ rotz(np.pi / 6))[1]


def _rates(p, omega):
    return np.concatenate([[-p[1:] @ omega], p[0] * omega + np.cross(p[1:], omega)]) / 2


def _orientation_and_rate(rng):
    p = rng.normal(size=4)
    return p / np.linalg.norm(p), rng.normal(size=3)


EXERCISES = (
    More(
        id="6.51",
        title="How many bodies does each joint carry?",
        section="Looking up and looking down",
        level=1,
        quantity="whole numbers",
        question=r"""
            A tree has `parent = [0, 1, 1, 3, 3, 2]` for its bodies 1 to 6. How many bodies are in each of the
            subtrees $\nu(1), \dots, \nu(6)$, the bodies that joint *i* carries? Give six numbers.
        """,
        reference=(6, 2, 3, 1, 1, 1),
        mistakes=(
            Mistake((5, 1, 2, 0, 0, 0), "A body belongs to its own subtree: joint 4 carries body 4.", "entry"),
            Mistake((2, 1, 2, 0, 0, 0), "These are the children, |μ(i)|. Their children, and the body itself, are "
                                        "carried as well.", "entry"),
            Mistake((1, 2, 2, 3, 3, 3), "These count the joints on the way to the base, |κ(i)|: who carries body i. "
                                        "The question is whom joint i carries.", "inverse"),
        ),
        hints=("Draw the tree.", "Begin with the leaves, 4, 5 and 6: each of them carries itself."),
        solution=r"""
            $\nu(6) = \{6\}$, $\nu(5) = \{5\}$, $\nu(4) = \{4\}$, $\nu(3) = \{3, 4, 5\}$, $\nu(2) = \{2, 6\}$ and
            $\nu(1)$ is the whole tree: $(6, 2, 3, 1, 1, 1)$. From the last body to the first, each adds its number to
            that of its parent.
        """,
    ),
    More(
        id="6.52",
        title="Where is the tip?",
        section="Where the joints sit",
        level=1,
        quantity="vector",
        question=r"""
            An arm has two hinges about *z*. The first one sits at the origin, the second one at (0.5, 0, 0) m of link
            1, and the tip is at (0.3, 0, 0) m of link 2. Where is the tip in base coordinates at $q = (30°, 60°)$?
            Give three coordinates in m.
        """,
        reference=_tip_of_two_links,
        mistakes=(
            Mistake(lambda: (0.5 * np.cos(np.pi / 6) + 0.15, 0.25 + 0.3 * np.sin(np.pi / 3), 0),
                    "Joint variables are relative: link 2 is turned by 60° against link 1, and so by 90° against the "
                    "base.", "relative"),
            Mistake(lambda: (0.5 * np.cos(np.pi / 6), -0.55, 0),
                    "y has the wrong sign: rz(q) takes coordinates from the base to the link, and the way back takes "
                    "its transpose.", "transpose"),
            Mistake((0.8, 0, 0), "That is the tip at q = 0.", "entry"),
        ),
        hints=(
            "By which angle is link 2 turned against the base?",
            "0.5 (cos 30°, sin 30°) + 0.3 (cos 90°, sin 90°)",
        ),
        solution=r"""
            Link 2 is turned by 30° + 60° = 90° against the base. So the tip is at
            $(0.5 \cos 30°,\; 0.5 \sin 30° + 0.3,\; 0) = (0.433,\; 0.55,\; 0)$ m.
        """,
    ),
    More(
        id="6.53",
        title="A joint with two angles, on paper",
        section="Three angles, or four numbers",
        level=2,
        names=("ω_x", "ω_y", "ω_z"),
        question=r"""
            *On paper.* A camera on a tripod turns first about the vertical *z* axis by $q_1$, then about its own
            turned *y* axis by $q_2$. Give its angular velocity in the camera's own coordinates, in `q1`, `q2`, `qd1`,
            `qd2`. (An elementary coordinate transform about *y* is
            $\mathrm{ry}(\theta) = [c\;0\;{-s};\; 0\;1\;0;\; s\;0\;c]$.)
        """,
        reference=formula("-sin(q2)*qd1", "qd2", "cos(q2)*qd1"),
        mistakes=(
            Mistake(formula("sin(q2)*qd1", "qd2", "cos(q2)*qd1"),
                    "The camera that looks up by q2 < 0 and one that looks down see the vertical on different sides. "
                    "You have used the transpose of ry.", "transpose"),
            Mistake(formula("0", "qd2", "qd1"),
                    "These are components along axes that belong to different frames: the vertical does not turn with "
                    "the camera's second joint. Bring it into the camera's coordinates.", "frame"),
            Mistake(formula("-sin(q1)*qd2", "cos(q1)*qd2", "qd1"),
                    "That is the angular velocity in base coordinates. Asked for are the camera's own.", "frame"),
        ),
        hints=(
            "The second axis is the camera's own y axis: nothing to be done there.",
            "The first axis is (0, 0, 1) before the second turn. Multiply it by ry(q2).",
        ),
        solution=r"""
            $\omega = \mathrm{ry}(q_2)\,(0, 0, \dot q_1) + (0, \dot q_2, 0)
            = (-\sin q_2\, \dot q_1,\; \dot q_2,\; \cos q_2\, \dot q_1)$. The columns beside $\dot q_1$ and $\dot q_2$
            are the angular part of the joint's $S$, and the first of them depends on $q_2$.
        """,
    ),
    More(
        id="6.54",
        title="How Euler parameters change",
        section="Three angles, or four numbers",
        level=3,
        kind="function",
        question=r"""
            Write a function `rates(p, omega)` that returns $(\dot p_0, \dot p_1, \dot p_2, \dot p_3)$ for Euler
            parameters `p` (scalar first) of a body whose angular velocity `omega` is given in **body** coordinates.
        """,
        reference=_rates,
        inputs=_orientation_and_rate,
        mistakes=(
            Mistake(lambda p, omega: np.concatenate([[-p[1:] @ omega], p[0] * omega - np.cross(p[1:], omega)]) / 2,
                    "That is right for ω in base coordinates. In body coordinates the cross product has the other "
                    "sign.", "frame"),
            Mistake(lambda p, omega: 2 * _rates(p, omega),
                    "Euler parameters contain half the angle, so their rates are half as large.", "factor"),
            Mistake(lambda p, omega: np.concatenate([[p[1:] @ omega], p[0] * omega + np.cross(p[1:], omega)]) / 2,
                    "p0 is the cosine of half the angle and becomes smaller as the body turns further: the sign of its "
                    "rate is wrong. With yours the length of p would grow.", "sign"),
        ),
        hints=(
            "Test with p = (1, 0, 0, 0): the rate must be (0, ω/2).",
            "ṗ0 = -p·ω/2, and (ṗ1, ṗ2, ṗ3) = (p0 ω + p × ω)/2 with p = (p1, p2, p3).",
        ),
        solution=r"""
            The product of the quaternions $p$ and $(0, \omega)$, halved (Eq. 4.13): with $\mathbf p = (p_1, p_2, p_3)$,

                def rates(p, omega):
                    return np.concatenate([[-p[1:] @ omega], p[0] * omega + np.cross(p[1:], omega)]) / 2

            The rate is at right angles to $p$, and so $|p| = 1$ is kept.
        """,
    ),
)
