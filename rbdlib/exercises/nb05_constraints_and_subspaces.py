"""The exercises of notebook 05, constraints and subspaces (RBDA chapter 3)."""

import numpy as np

from rbdlib.exercises.declare import Exercise, Mistake


def _circle(change=lambda x, y, xd, yd: (2 * x, 2 * y, -2 * (xd**2 + yd**2))):
    """K and k of the circle in symbols, or what a change of the formula makes of them."""

    def answer():
        from sympy import symbols

        return list(change(*symbols("x y xdot ydot")))

    return answer


def _turning_wire(change=lambda u, ud, m, g, w, c, s: (w**2 * u - g * s, m * (2 * w * ud + g * c))):
    """The acceleration and the force of a bead on a turning wire, with c = cos wt and s = sin wt."""

    def answer():
        from sympy import cos, sin, symbols

        m, g = symbols("m g_0", positive=True)
        u, ud, w, t = symbols("u udot omega t")
        return list(change(u, ud, m, g, w, cos(w * t), sin(w * t)))

    return answer


def _bottom(parts=(1, 2 * 0.36 / 0.5)):
    return 0.2 * 9.81 * sum(parts)


def _held_nut(factor=1.0):
    return 800 * 0.005 / (2 * np.pi) * factor


def _apparent_inverse_inertia(I, S):
    return S @ np.linalg.solve(S.T @ I @ S, S.T)


def _random_body(rng):
    from rbdlib.book.ch02_spatial import mcI

    B = rng.normal(size=(3, 3))
    I_C = np.trace(B @ B.T) * np.eye(3) - B @ B.T
    return mcI(rng.uniform(1, 3), rng.uniform(-1, 1, size=3), I_C), rng.normal(size=(6, 3))


EXERCISES = (
    Exercise(
        id="5.1",
        title="A bob on a string",
        section="Two ways to describe a wire",
        names=("K_1", "K_2", "k"),
        reference=_circle(),
        remark="Divided by 2l, k is minus the centripetal acceleration: it points inwards, against the row K.",
        mistakes=(
            Mistake(_circle(lambda x, y, xd, yd: (2 * x, 2 * y, 2 * (xd**2 + yd**2))),
                    "K is right. Differentiating K q̇ = 0 gives K q̈ + K̇ q̇ = 0, and K̇ q̇ goes to the other side: k = "
                    "-K̇ q̇. Think of where a bob at the lowest point is accelerated to.", "sign"),
            Mistake(_circle(lambda x, y, xd, yd: (x, y, -2 * (xd**2 + yd**2))),
                    "K has to belong to the same φ as k. For φ = x² + y² - l² the first derivative is 2x ẋ + 2y ẏ, "
                    "with both factors 2.", "factor"),
            Mistake(_circle(lambda x, y, xd, yd: (2 * x, 2 * y, 0)),
                    "K is right. K q̈ = 0 would be true if K were constant, that is, on a straight wire. Here K changes "
                    "as the bob moves.", "entry"),
            Mistake(_circle(lambda x, y, xd, yd: (2 * x, 2 * y, -2 * (x * xd + y * yd))),
                    "K is right. The second derivative of x² is 2ẋ² + 2xẍ: the velocities stand in k squared, without "
                    "x and y. What you have is -K q̇, which is zero.", "expression"),
        ),
        hints=(
            "K holds the derivatives of φ with respect to x and y. The constant l² disappears.",
            "φ̇ = 2xẋ + 2yẏ. Differentiate once more, with the product rule, and keep what contains ẍ and ÿ on the "
            "left.",
            "2xẍ + 2yÿ + 2ẋ² + 2ẏ² = 0; k is what stands on the right when the accelerations stand on the left.",
        ),
        solution=r"""
            $\dot\phi = 2x\dot x + 2y\dot y$, so that $K = [2x, 2y]$. Once more,
            $\ddot\phi = 2x\ddot x + 2y\ddot y + 2\dot x^2 + 2\dot y^2 = 0$, so that
            $k = -2(\dot x^2 + \dot y^2)$.
        """,
    ),
    Exercise(
        id="5.2",
        title="What the wire must hold",
        section="Forces that do no work",
        reference=_bottom,
        rtol=2e-3,
        remark="Nearly two and a half times the weight.",
        mistakes=(
            Mistake(_bottom((1,)),
                    "That is the weight. The bead also goes round a bend at the bottom, and the wire must bend its "
                    "path.", "entry"),
            Mistake(_bottom((2 * 0.36 / 0.5,)),
                    "That is the force that bends the path, m u̇²/l. The wire carries the weight besides.", "entry"),
            Mistake(lambda: -_bottom(),
                    "The size is right. That is the force of the bead on the wire; asked is the wire's, upwards.",
                    "sign"),
            Mistake(lambda: _bottom((1, 0.36 / 0.5)),
                    "½ m u̇² = m g y gives u̇² = 2 g y. A factor 2 is missing from the centripetal force.", "factor"),
            Mistake(lambda: _bottom((1, 2 * 0.6 / 0.5)),
                    "The bead falls from its height y = x²/(2l) = 0.36 m, not from 0.6 m, which is how far it is to "
                    "the side.", "entry"),
        ),
        hints=(
            "How fast is the bead at the bottom? The wire does no work, so energy tells.",
            "It starts at the height y = 0.6²/(2 · 0.5) = 0.36 m, so that u̇² = 2 g y = 7.06 m²/s².",
            "At the bottom the wire's force is λ = m g + m u̇²/l.",
        ),
        solution=r"""
            The wire does no work, so that $\tfrac12 m \dot u^2 = m g y$ with $y = 0.6^2/(2 \cdot 0.5) = 0.36$ m, and
            $\dot u^2 = 7.063$ m²/s² at the bottom. There $K = [0, 1]$ and the force is
            $\lambda = m (g + \dot u^2/l) = 0.2\,(9.81 + 14.126) = 4.787$ N.
        """,
    ),
    Exercise(
        id="5.3",
        title="The size of a multiplier",
        section="Forces that do no work",
        kind="word",
        reference="b",
        choices={"a": "both are ten times as large", "b": "λ is a tenth, the force is the same",
                 "c": "neither changes", "d": "λ is a tenth, and so is the force"},
        remark="A multiplier by itself has no physical meaning; the products with the rows of K have.",
        mistakes=(
            Mistake("a", "The wire does not know in which units somebody measures the distance from it. Its force "
                         "cannot change.", "force"),
            Mistake("c", "The force Kᵀλ does not change, but K does: its row is ten times as long. So what must λ do?",
                    "multiplier"),
            Mistake("d", "λ is right. But the force is the product Kᵀλ, and K has changed too.", "force"),
        ),
        hints=(
            "What happens to K, the derivative of φ? And to the set of motions with K q̇ = 0?",
            "The motion is the same, so the force τ_c = H q̈ + C - τ is the same. It equals Kᵀ λ.",
        ),
        solution=r"""
            The wire is the same wire, so that motion and force are the same. $10\,\phi$ has the derivative $10 K$; the
            force is $(10 K)^{\mathrm T} \lambda' = K^{\mathrm T}\lambda$. Hence $\lambda' = \lambda/10$: (b).
        """,
    ),
    Exercise(
        id="5.4",
        title="A bead on a turning wire",
        section="The same motion from what is left",
        names=("the acceleration along the wire", "the wire's force"),
        where="0 < u",
        reference=_turning_wire(),
        remark="ω² u is what is called the centrifugal force, 2 m ω u̇ Coriolis'; here both come out of g in Eq. 3.11.",
        mistakes=(
            Mistake(_turning_wire(lambda u, ud, m, g, w, c, s: (-w**2 * u - g * s, m * (2 * w * ud + g * c))),
                    "The force is right. In Eq. 3.20 the bias H g stands with a minus: along the wire g has the part "
                    "-ω² u, so that ü gets +ω² u. A bead on a turning wire flies outwards.", "sign"),
            Mistake(_turning_wire(lambda u, ud, m, g, w, c, s: (w**2 * u - g * s, m * (w * ud + g * c))),
                    "The acceleration is right. The product rule gives the mixed term twice: once the direction "
                    "changes the velocity u̇, once the distance changes the velocity ω u. So 2 ω u̇.", "factor"),
            Mistake(_turning_wire(lambda u, ud, m, g, w, c, s: (w**2 * u - g * s, m * g * c)),
                    "The acceleration is right. The force holds up the weight across the wire, but it must also carry "
                    "the bead sideways, faster and faster as it moves outwards.", "entry"),
            Mistake(_turning_wire(lambda u, ud, m, g, w, c, s: (w**2 * u + g * s, m * (2 * w * ud - g * c))),
                    "The terms with ω are right. The weight is (0, -m g): with C = (0, +m g) on the left side of the "
                    "equation of motion it pulls the bead down the wire.", "sign"),
            Mistake(_turning_wire(lambda u, ud, m, g, w, c, s: (-g * s, m * g * c)),
                    "That is a wire at rest. γ depends on t also directly, and its second derivative has terms with ω.",
                    "entry"),
        ),
        hints=(
            "With e = (cos ωt, sin ωt) and n = (-sin ωt, cos ωt) the position is q = u e, and ė = ω n, ṅ = -ω e.",
            "q̈ = ü e + 2 ω u̇ n - ω² u e. So G = e, and g is the rest.",
            "Multiply m q̈ + (0, m g) = N n by e for the first answer and by n for the second.",
        ),
        solution=r"""
            Let $e = (\cos\omega t, \sin\omega t)$ and $n = (-\sin\omega t, \cos\omega t)$, so that $\dot e = \omega n$
            and $\dot n = -\omega e$. Then $q = u\,e$, $\dot q = \dot u\,e + u\omega\,n$ and
            $\ddot q = \ddot u\,e + 2\omega\dot u\,n - \omega^2 u\,e$; so $G = e$ and
            $g = 2\omega\dot u\,n - \omega^2 u\,e$. With $C = (0, m g_0)$, Eq. 3.20 is
            $m\ddot u = -m g_0 \sin\omega t + m\omega^2 u$. The force is $\tau_c = m\ddot q + C$, and its part along $n$
            is $N = m(2\omega\dot u + g_0\cos\omega t)$. The part along $e$ is zero, as it must be.
        """,
    ),
    Exercise(
        id="5.5",
        title="Where the cue strikes",
        section="Where to strike",
        reference=1.4 * 28.5,
        rtol=2e-3,
        remark="The edge of a billiard cushion, too, is higher than the middle of the ball, and for a like reason.",
        mistakes=(
            Mistake(0.4 * 28.5,
                    "That is the height above the centre of the ball. Above the table it is one radius more.", "entry"),
            Mistake(28.5,
                    "A push at the centre does not turn the ball at all: it would slide. Rolling without friction "
                    "needs a push above the centre.", "entry"),
            Mistake(2 * 28.5,
                    "A push at the very top makes the ball spin too fast for its speed, and the table would have to "
                    "hold it back.", "entry"),
            Mistake(5 / 3 * 28.5,
                    "That would be right for a hollow ball, I_C = 2/3 m r². This one is solid.", "factor"),
            Mistake(4 / 3 * 28.5,
                    "That is two thirds of the ball's height, as on the bat, which was a uniform rod. A ball has its "
                    "mass elsewhere: I_C = 2/5 m r².", "factor"),
        ),
        hints=(
            "The ball turns about its point of contact as the bat turned about the hand. When is f on the line I S?",
            "With the origin at the contact, S = [1, 0, 0] and c = (0, r): I S = [I_C + m r², -m r, 0].",
            "A horizontal push F at the height h is the planar force [-h F, F, 0]. Make it parallel to I S.",
        ),
        solution=r"""
            Put the origin at the point of contact. A rolling ball turns about it, $S = [1, 0, 0]^{\mathrm T}$, and with
            $c = (0, r)$ we have $I S = [I_C + m r^2,\ -m r,\ 0]^{\mathrm T}$, where $I_C + m r^2 = \tfrac75 m r^2$. A
            horizontal push $F$ at the height $h$ is the force $[-hF,\ F,\ 0]^{\mathrm T}$. The two are parallel if
            $h = \tfrac75 m r^2 / (m r) = \tfrac75 r = 39.9$ mm.
        """,
    ),
    Exercise(
        id="5.6",
        title="Holding the nut",
        section="Joints",
        reference=_held_nut,
        rtol=2e-3,
        remark="A hand could hold 80 kg with a small spanner; this is what screws are for.",
        mistakes=(
            Mistake(lambda: _held_nut(2 * np.pi),
                    "5 mm is the advance per turn. S wants the advance per radian, which is 2π times smaller.",
                    "factor"),
            Mistake(lambda: _held_nut(-1),
                    "The size is right. The load drives the nut towards -z, and so would turn it in the negative "
                    "sense. The couple must act against that.", "sign"),
            Mistake(lambda: _held_nut(1000),
                    "The pitch is in metres per radian, please: 5 mm are 0.005 m.", "units"),
            Mistake(lambda: 800 / (0.005 / (2 * np.pi)),
                    "You have divided by the pitch. A finer thread makes holding easier, not harder: multiply.",
                    "factor"),
            Mistake(0,
                    "That holds for a prismatic joint's wall, or a thread with friction. Here the load has power along "
                    "S, and something must take it up.", "entry"),
        ),
        hints=(
            "The nut stays at rest if the two applied forces together lie in S⊥: the thread takes up such a force.",
            "S = [0, 0, 1, 0, 0, h] with h in metres per radian, and f = [0, 0, n, 0, 0, -800].",
            "Sᵀ f = n - 800 h = 0 with h = 0.005/(2π).",
        ),
        solution=r"""
            $S = [0, 0, 1, 0, 0, h]^{\mathrm T}$ with $h = 0.005/(2\pi) = 0.000796$ m per radian. Load and couple
            together are $f = [0, 0, n, 0, 0, -800]^{\mathrm T}$. The thread can answer $f$ alone if $S^{\mathrm T} f
            = n - 800\,h = 0$, hence $n = 0.637$ N m.
        """,
    ),
    Exercise(
        id="5.7",
        title="The apparent inverse inertia",
        section="A door",
        kind="function",
        reference=_apparent_inverse_inertia,
        inputs=_random_body,
        rtol=1e-6,
        mistakes=(
            Mistake(lambda I, S: np.linalg.inv(S.T @ I @ S),
                    "That is the inverse of the generalized inertia, n_f × n_f. It turns τ into q̈; Φ turns a spatial "
                    "force into a spatial acceleration: put S before it and Sᵀ behind.", "shape"),
            Mistake(lambda I, S: S @ S.T @ np.linalg.inv(I) @ S @ S.T,
                    "You have projected the free body's inverse inertia. The joint's reaction changes the answer of "
                    "the body: project the inertia first, invert afterwards."),
            Mistake(lambda I, S: I @ S @ np.linalg.solve(S.T @ I @ S, S.T),
                    "That matrix maps a force to its accelerating part (3.28). It is I Φ; leave out the I in front."),
            Mistake(lambda I, S: S @ (S.T @ I @ S) @ S.T,
                    "S I S with its transposes is there, but the inverse in the middle is missing."),
            Mistake(lambda I, S: np.linalg.inv(I),
                    "That is the answer of a free body. The joint S must come in."),
        ),
        hints=(
            "Follow a force f: which generalized force τ does it have, which q̈ does that cause, which a?",
            "τ = Sᵀ f, then (Sᵀ I S) q̈ = τ, then a = S q̈.",
            "S @ np.linalg.solve(S.T @ I @ S, S.T).",
        ),
        solution=r"""
            A force acts on the body's freedoms as $\tau = S^{\mathrm T} f$; these have the inertia $S^{\mathrm T} I S$;
            and $\ddot q$ makes the acceleration $S \ddot q$. Hence $\Phi = S (S^{\mathrm T} I S)^{-1} S^{\mathrm T}$:

                def Phi(I, S):
                    return S @ np.linalg.solve(S.T @ I @ S, S.T)

            It has the rank $n_f$, whatever the shape of $S$.
        """,
    ),
    Exercise(
        id="5.8",
        title="Five bars",
        section="A loop, and three stresses too many",
        names=("the size", "the rank"),
        reference=(49, 46),
        remark="Every loop in the plane repeats the same three constraints, however many bars it has.",
        mistakes=(
            Mistake((49, 49),
                    "The size is right. But the hinges in a flat loop repeat one another: nothing they say about "
                    "lifting out of the plane is said once only.", "rank"),
            Mistake((49, 47),
                    "The size is right. A linkage of five bars has two freedoms, and 24 accelerations with two "
                    "freedoms take 22 independent constraints.", "rank"),
            Mistake((49, 22),
                    "The size is right. 22 is the number of independent constraints; the rank of the whole matrix "
                    "contains the 24 accelerations as well.", "rank"),
            Mistake((44, 44),
                    "You have left out one hinge: four moving bars in a closed loop are held by five.", "count"),
            Mistake((55, 52),
                    "The fifth bar is the ground, which does not move and has no rows: there are four bodies.",
                    "count"),
            Mistake((22, 22),
                    "That is the count in the plane, with three coordinates for each body and two constraints for "
                    "each hinge. In space there are six and five.", "count"),
        ),
        hints=(
            "Each moving body brings six unknown accelerations, each hinge five multipliers.",
            "How many freedoms does the linkage have? Each freedom is one acceleration that no constraint fixes.",
            "The rank is 6 N_B plus the number of independent constraints, which is 6 N_B less the freedoms, of which "
            "a flat five-bar linkage has 5 - 3 = 2.",
        ),
        solution=r"""
            Four bodies give $6 \cdot 4 = 24$ accelerations and five hinges $5 \cdot 5 = 25$ multipliers: the size is
            $49$. In the plane the linkage has $3 \cdot 4 - 2 \cdot 5 = 2$ freedoms, so that $24 - 2 = 22$ constraints
            are independent, and three are redundant. The rank is $24 + 22 = 46$.
        """,
    ),
)
