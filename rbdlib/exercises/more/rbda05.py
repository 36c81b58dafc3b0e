"""Additional exercises on RBDA chapter 5: statics, centripetal forces and the recursion itself."""

import numpy as np

from rbdlib.book.ch02_spatial import crm
from rbdlib.exercises.more.declare import Mistake, More


def _two_links(*masses):
    """An arm of two massless links of 0.5 m in a vertical plane with point masses at their ends."""
    from rbdlib.book.ch02_spatial import mcI, xlt
    from rbdlib.book.ch04_joints import Revolute
    from rbdlib.book.ch04_model import Model

    inertia = [mcI(m, [0.5, 0, 0], np.zeros((3, 3))) for m in masses]
    return Model([0, 1], [Revolute("z")] * 2, [xlt([0, 0, 0]), xlt([0.5, 0, 0])], inertia, gravity=(0, -9.81, 0))


def _holding(masses=(2, 1), q=(np.pi / 6, np.pi / 3)):
    def torques():
        from rbdlib.book.ch05_inverse_dynamics import bias_force

        return bias_force(_two_links(*masses), q, [0, 0])

    return torques


def _second_bias():
    from sympy import symbols

    from rbdlib.book.ch05_inverse_dynamics import bias_force
    from rbdlib.io.model_file import load

    return bias_force(load("double_pendulum", symbolic=True), symbols("q1 q2"), symbols("qd1 qd2"))[1]


def _second_bias_with(centrifugal, weight):
    def answer():
        from sympy import sin, symbols

        m2, l1, l2, g, q1, q2, qd1, qd2 = symbols("m2 l1 l2 g q1 q2 qd1 qd2")
        rates = {"qd1": qd1, "qd1 + qd2": qd1 + qd2}
        sign, rate = centrifugal
        angles = {"q1 + q2": q1 + q2, "q2": q2, "none": 0}
        return sign * m2 * l1 * l2 * rates[rate] ** 2 * sin(q2) + m2 * g * l2 * sin(angles[weight])

    return answer


def _acceleration(X, a_parent, S, qd, qdd, v):
    return X @ a_parent + S * qdd + crm(v) @ S * qd


def _one_step(rng):
    from rbdlib.book.ch02_spatial import rotz, xlt

    X = rotz(rng.normal()) @ xlt(rng.normal(size=3))
    return (X, rng.normal(size=6), np.array([0, 0, 1, 0, 0, 0.0]), *rng.normal(size=2), rng.normal(size=6))


EXERCISES = (
    More(
        id="9.51",
        title="Holding still",
        section="Weight without a single weight",
        level=1,
        names=("the torque of the shoulder", "the torque of the elbow"),
        question=r"""
            An arm in a vertical plane has two massless links of 0.5 m. At the end of the first one is a mass of 2 kg,
            at the end of the second one 1 kg. At $q = (30°, 60°)$, measured from the horizontal and relative to link 1,
            which torques (in N m) hold the arm still? $g = 9.81$ m/s².
        """,
        reference=_holding(),
        remark="The forearm points straight up: its mass hangs over the elbow.",
        mistakes=(
            Mistake(_holding(q=(np.pi / 6, np.pi / 6)),
                    "You have taken 60° for the forearm's angle from the horizontal. Joint variables are relative: it "
                    "stands at 90°.", "relative"),
            Mistake(lambda: -_holding()(), "These are the torques of the weights. The motors hold against them.",
                    "sign"),
            Mistake(_holding(masses=(2, 1e-12)), "You have forgotten that the shoulder also carries what hangs on the "
                                             "elbow.", "entry"),
            Mistake(lambda: _holding()() / 9.81, "Masses in kg, but where is g?", "gravity"),
        ),
        hints=("The forearm stands at 30° + 60° from the horizontal.",
               "Shoulder: 3 kg at the horizontal distance 0.5 cos 30°."),
        solution=r"""
            The forearm stands upright, so both masses hang at the horizontal distance $0.5 \cos 30° = 0.433$ m from the
            shoulder: $\tau_1 = 3 \cdot 9.81 \cdot 0.433 = 12.74$ N m. The elbow has no lever: $\tau_2 = 0$.
        """,
    ),
    More(
        id="9.52",
        title="What the lower hinge feels, on paper",
        section="The same function, in symbols",
        level=2,
        model="double_pendulum",
        asks="bias[2]",
        question=r"""
            *On paper.* Two point masses hang on weightless rods; $q_1$ is the upper rod's angle from the downward
            vertical, $q_2$ that of the lower rod relative to the upper one. What is $C_2$, the torque at the lower
            hinge when $\ddot q = 0$, gravity included? Give it in `m2`, `l1`, `l2`, `g`, `q1`, `q2`, `qd1`,
            `qd2`.
        """,
        reference=_second_bias,
        mistakes=(
            Mistake(_second_bias_with((-1, "qd1"), "q1 + q2"),
                    "The weight is right. If the upper rod turns and the lower one is to stay bent, the lower hinge"
                    " must hold against the mass's wish to fly outwards: plus.", "sign"),
            Mistake(_second_bias_with((1, "qd1"), "q2"),
                    "The centrifugal term is right. The weight does not ask for the angle to the other rod, but for "
                    "that to the vertical, q1 + q2.", "relative"),
            Mistake(_second_bias_with((1, "qd1"), "none"),
                    "The centrifugal term is right. Hold the pendulum at rest beside the vertical: does the lower "
                    "hinge feel nothing?", "gravity"),
            Mistake(_second_bias_with((1, "qd1 + qd2"), "q1 + q2"),
                    "The weight is right. How fast the lower rod itself turns about the lower hinge gives no torque at "
                    "this hinge; only the upper rod's rate does.", "misconception"),
        ),
        hints=(
            "Let the second joint stand still and the first one turn: what does the lower mass want to do?",
            "The hinge itself accelerates with l1 q̇1² towards the upper hinge. Project it across the lower rod.",
        ),
        solution=r"""
            The lower hinge accelerates with $l_1 \dot q_1^2$ along the upper rod, towards its hinge. In its frame the
            mass $m_2$ feels $m_2 l_1 \dot q_1^2$ the other way, with the lever $l_2 \sin q_2$: the hinge must supply
            $m_2 l_1 l_2 \dot q_1^2 \sin q_2$. The weight has the lever $l_2 \sin(q_1 + q_2)$. Hence
            $C_2 = m_2 l_2 \big(l_1 \dot q_1^2 \sin q_2 + g \sin(q_1 + q_2)\big)$.
        """,
    ),
    More(
        id="9.53",
        title="One step outward",
        section="Outward: who carries whom along",
        level=1,
        kind="function",
        question=r"""
            Write the step of the recursion that gives $a_i$: a function `acceleration(X, a_parent, S, qd, qdd, v)` of
            ${}^iX_{\lambda(i)}$, the parent's acceleration in its own coordinates, the axis `S` (six numbers, constant
            in body coordinates), its rate, its acceleration, and $v_i$. Use `crm`.
        """,
        reference=_acceleration,
        inputs=_one_step,
        mistakes=(
            Mistake(lambda X, a_parent, S, qd, qdd, v: X @ a_parent + S * qdd,
                    "Something is missing when both the body and the joint move: the axis rides on the body, and "
                    "riding it changes.", "bias"),
            Mistake(lambda X, a_parent, S, qd, qdd, v: a_parent + S * qdd + crm(v) @ S * qd,
                    "The parent's acceleration is in the parent's coordinates. Bring it over before you add.", "frame"),
            Mistake(lambda X, a_parent, S, qd, qdd, v: X @ a_parent + S * qdd - crm(v) @ S * qd,
                    "The rate of change of a vector that is carried along by v is v × it, with v on the left.",
                    "sign"),
        ),
        hints=("Differentiate v_i = v_λ + S q̇ as vectors: three terms.", "Ṡ = v_i × S"),
        solution=r"""
            Differentiating $v_i = v_{\lambda(i)} + S_i \dot q_i$, with $\dot S_i = v_i \times S_i$:

                def acceleration(X, a_parent, S, qd, qdd, v):
                    return X @ a_parent + S * qdd + crm(v) @ S * qd

            It does not matter whether $v_i$ or $v_{\lambda(i)}$ is put into the cross product, because
            $S \times S = 0$.
        """,
    ),
    More(
        id="9.54",
        title="A rod that spins steadily",
        section="Outward: who carries whom along",
        level=2,
        quantity="force",
        question=r"""
            A thin rod of 3 kg and 1 m, without gravity, turns about *z* through its end at the constant rate of 4
            rad/s; it lies along its own *x* axis. Which spatial force $[n_O, f]$ (in N m and N), in the rod's
            coordinates, does the hinge transmit to it?
        """,
        reference=(0, 0, 0, -24, 0, 0),
        mistakes=(
            Mistake((0, 0, 0, 24, 0, 0), "That is what the rod does to the bearing. The bearing pulls it inwards.",
                    "sign"),
            Mistake((0, 0, 0, -48, 0, 0), "What counts is the centre of mass, half-way out.", "factor"),
            Mistake((0, 0, 0, 0, 0, 0), "The rate is constant, and yet the centre of mass accelerates: its velocity "
                                        "changes its direction.", "misconception"),
        ),
        hints=("Which acceleration has the centre of mass?", "ω² c = 16 · 0.5 m/s², towards the hinge."),
        solution=r"""
            The centre of mass goes round at 0.5 m, so it accelerates with $4^2 \cdot 0.5 = 8$ m/s² towards the hinge,
            and the bearing must pull with $3 \cdot 8 = 24$ N in the direction $-x$: $[0, 0, 0, -24, 0, 0]$. In the
            recursion $a = 0$ and $f = v \times^{*} I v$; the force is along the rod and through the hinge, so that
            there is no moment.
        """,
    ),
)
