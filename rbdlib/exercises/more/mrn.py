"""Additional exercises on MRN: wrenches and torques, step sizes, the inertia at the tip, and computed torque."""

import numpy as np

from rbdlib.exercises.more.declare import Mistake, More, formula


def _task_inertia(J, M):
    return np.linalg.inv(J @ np.linalg.solve(M, J.T))


def _arm(rng):
    A = rng.normal(size=(4, 4))
    return rng.normal(size=(3, 4)), A @ A.T + np.eye(4)


EXERCISES = (
    More(
        id="13.51",
        title="Pushing a box",
        section="Who pushes whom?",
        level=1,
        names=("the torque of joint 1", "the torque of joint 2"),
        question=r"""
            A planar arm has two links of 1 m and stands at $q = (0, 90°)$: the upper arm along *x*, the forearm along
            *y*. Its tip pushes a box with the force (5, 10) N. Which torques (in N m) does that take, without gravity?
        """,
        reference=(5, -5),
        mistakes=(
            Mistake((-5, 5), "These torques push the other way: they would hold against a force (5, 10) that acts on "
                             "the tip.", "sign"),
            Mistake((-15, 5),
                    "You have multiplied by J and not by its transpose: forces go from the tip to the joints, by "
                    "Jᵀ.", "transpose"),
            Mistake((15, 5), "Moments are x·F_y - y·F_x. The x component turns the arm clockwise.", "sign"),
        ),
        hints=("The moment of the force about joint 1: the tip is at (1, 1).",
               "About joint 2 the tip is at (0, 1): 0·10 - 1·5."),
        solution=r"""
            The tip is at (1, 1) m from joint 1 and at (0, 1) m from joint 2. Each torque is the moment
            $x F_y - y F_x$ of the push about the joint: $1 \cdot 10 - 1 \cdot 5 = 5$ and $0 - 5 = -5$ N m. With
            $J = [-1, -1;\; 1, 0]$ that is $J^{\mathrm T} F$.
        """,
    ),
    More(
        id="13.52",
        title="The longest step, on paper",
        section="A second by the recipe",
        level=2,
        question=r"""
            *On paper.* A door with a spring $k$ and a strong damper $d$ creeps shut: $d\,\dot x = -k\,x$. You follow it
            by Euler's method with the step $\Delta t$. Above which $\Delta t$ does the computed $x$ grow instead of
            dying away? Give the formula in `k`, `d`.
        """,
        reference=formula("2*d/k", positive="k d"),
        mistakes=(
            Mistake(formula("d/k", positive="k d"),
                    "From there on x changes its sign at every step, but it still dies away. It grows when the factor "
                    "is less than -1.", "factor"),
            Mistake(formula("2*k/d", positive="k d"), "Upside down: this is a rate, not a time.", "inverse"),
            Mistake(formula("d/(2*k)", positive="k d"), "With 1 - kΔt/d = ½ x dies away without a fuss. The factor "
                                                        "must reach -1.", "factor"),
        ),
        hints=("One step multiplies x by 1 - k Δt/d.", "When does this factor leave the interval from -1 to 1?"),
        solution=r"""
            $x_{n+1} = x_n + \Delta t\,(-k x_n/d) = (1 - k\Delta t/d)\, x_n$. The factor is less than $-1$ as soon as
            $\Delta t > 2d/k$. The door's own time constant is $d/k$: a stiff spring forces small steps even where
            nothing moves fast.
        """,
    ),
    More(
        id="13.53",
        title="The inertia at the tip",
        section="How heavy is a fist?",
        level=2,
        kind="function",
        question=r"""
            Write a function `tip_inertia(J, M)` that returns the task-space inertia $\Lambda$ of an arm with the mass
            matrix `M` and the Jacobian `J`, which may have more columns than rows.
        """,
        reference=_task_inertia,
        inputs=_arm,
        mistakes=(
            Mistake(lambda J, M: J @ np.linalg.solve(M, J.T), "That is the inverse of Λ: how much a push accelerates "
                                                              "the tip.", "inverse"),
            Mistake(lambda J, M: J @ M @ J.T, "Inertias do not add up along the Jacobian; mobilities do. Invert M "
                                              "first.", "inverse"),
            Mistake(lambda J, M: np.linalg.pinv(J).T @ M @ np.linalg.pinv(J),
                    "That is right for a square J. With more joints than task coordinates the pseudoinverse chooses "
                    "some joint motion, and a push chooses another, which depends on M.", "misconception"),
        ),
        hints=("A force F at the tip gives the joint torques Jᵀ F.", "Then q̈ = M⁻¹ Jᵀ F and the tip has J q̈."),
        solution=r"""
            A push $F$ makes the joint accelerations $M^{-1} J^{\mathrm T} F$ and the tip acceleration
            $J M^{-1} J^{\mathrm T} F$. This matrix inverted is the inertia:

                def tip_inertia(J, M):
                    return np.linalg.inv(J @ np.linalg.solve(M, J.T))

            For a square regular $J$ it is $J^{-\mathrm T} M J^{-1}$.
        """,
    ),
    More(
        id="13.54",
        title="Neither sluggish nor springy",
        section="Somebody has to hold it",
        level=1,
        names=("the gain K_d", "the error after 0.1 s"),
        question=r"""
            A computed-torque controller leaves the error equation $\ddot e + K_d \dot e + K_p e = 0$ with
            $K_p = 100\ \mathrm{s^{-2}}$. Which $K_d$ (in 1/s) damps critically? And what is then left of an error of 1,
            at rest at first, after 0.1 s?
        """,
        reference=lambda: (20, 2 * np.exp(-1)),
        mistakes=(
            Mistake(lambda: (10, 2 * np.exp(-1)),
                    "The error is right. λ² + K_d λ + 100 has a double root when K_d² = 4·100.", "factor"),
            Mistake(lambda: (20, np.exp(-1)),
                    "The gain is right. With a double root there is a second solution, t e^(-10 t), and it is "
                    "needed for ė(0) = 0.", "entry"),
            Mistake(lambda: (200, 2 * np.exp(-1)),
                    "The error is right. It is twice the square root of K_p.", "square"),
        ),
        hints=("A double root of λ² + K_d λ + K_p.", "e(t) = (1 + 10 t) e^(-10 t)"),
        solution=r"""
            $K_d = 2\sqrt{K_p} = 20$ 1/s makes $-10$ a double root, and $e(t) = (1 + 10 t)\,e^{-10 t}$ has $e(0) = 1$,
            $\dot e(0) = 0$. After 0.1 s it is $2/\mathrm e = 0.7358$.
        """,
    ),
)
