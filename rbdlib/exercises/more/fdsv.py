"""Additional exercises on FDSV: calls of inverse dynamics, forces in its order, two rails, and gravity."""

from rbdlib.exercises.more.declare import Mistake, More, formula

EXERCISES = (
    More(
        id="1.51",
        title="How many links are visited?",
        section="One function is enough",
        level=1,
        question=r"""
            A chain of $n$ links has no faster program than inverse dynamics. You find $C$ and all columns of $H$ by
            calling it, and each call visits every link once on the way out and once on the way in; count such a
            pair as one visit. How many visits are that altogether? Give a formula in `n`.
        """,
        where="n whole",
        reference=formula("n*(n + 1)"),
        mistakes=(
            Mistake(formula("n**2"), "You have the columns of H. One more call, with zero accelerations, gives C.",
                    "entry"),
            Mistake(formula("n + 1"), "That is the number of calls. Each of them visits n links.", "factor"),
            Mistake(formula("n*(n + 1)/2"), "Every call visits all links. Halves are saved by the symmetry of H, and "
                                            "only by another algorithm.", "factor"),
        ),
        hints=("How many calls does Eq. 11 need for H, and how many does Eq. 9 need for C?",
               "One call for C, n for the columns of H; n visits each."),
        solution=r"""
            One call gives $C$, and $n$ calls give the columns of $H$: $n + 1$ calls with $n$ visits each, together
            $n(n + 1)$. Solving $H \ddot q = Q - C$ then costs a multiple of $n^3$, so that for long chains the calls
            are not what takes the time.
        """,
    ),
    More(
        id="1.52",
        title="A push in FDSV's order",
        section="What must each joint transmit?",
        level=1,
        quantity="coordinates",
        names=("f_x", "f_y", "f_z", "n_x", "n_y", "n_z"),
        question="""
            A force of 5 N in the direction +*z* acts at the point (1, 2, 0) m. Write it as a spatial force at the
            origin in the order of FDSV, [force, moment], in N and N m.
        """,
        reference=(0, 0, 5, 10, -5, 0),
        mistakes=(
            Mistake((10, -5, 0, 0, 0, 5), "The numbers are right, in RBDA's order. FDSV puts the linear force first "
                                          "and the moment last.", "swapped"),
            Mistake((0, 0, 5, -10, 5, 0), "The moment about the origin is r × f; you have f × r.", "order"),
            Mistake((0, 0, 5, 0, 0, 0), "The force does not pass through the origin, so it has a moment about it.",
                    "entry"),
        ),
        hints=("The moment about the origin is r × f.", "(1, 2, 0) × (0, 0, 5) = (2·5 - 0, 0 - 1·5, 0)"),
        solution=r"""
            $n = r \times f = (1, 2, 0) \times (0, 0, 5) = (10, -5, 0)$ N m, so the spatial force is
            $[0, 0, 5, 10, -5, 0]$ in FDSV's order, and $[10, -5, 0, 0, 0, 5]$ in RBDA's.
        """,
    ),
    More(
        id="1.53",
        title="Two rails that are not square, on paper",
        section="The particle in symbols",
        level=2,
        names=("the force Q_1 of the first slider", "the force Q_2 of the second slider"),
        question=r"""
            *On paper.* A massless sledge slides along a level rail, $q_1$ along *x*. It carries a second rail, which
            rises at the angle $\alpha$ from *x*; on it slides a particle of mass $m$, $q_2$ along this rail. Gravity
            pulls along −*y*. Find $Q_1$ and $Q_2$ in `m`, `g`, `alpha`, `qdd1`, `qdd2`.
        """,
        where="0 < m, g",
        reference=formula("m*(qdd1 + qdd2*cos(alpha))", "m*(qdd2 + qdd1*cos(alpha) + g*sin(alpha))"),
        mistakes=(
            Mistake(formula("m*qdd1", "m*(qdd2 + g*sin(alpha))"),
                    "That would be right for rails at right angles. Oblique ones feel each other: the particle's "
                    "acceleration along one has a component along the other.", "coupling"),
            Mistake(formula("m*(qdd1 + qdd2*cos(alpha))", "m*(qdd2 + qdd1*cos(alpha) - g*sin(alpha))"),
                    "The inertia is right. The second slider has to hold the particle up, so +g belongs into the "
                    "acceleration of the world.", "gravity"),
            Mistake(formula("m*(qdd1 + qdd2*cos(alpha))", "m*(qdd2 + qdd1*cos(alpha) + g*cos(alpha))"),
                    "What pulls the particle down the slope is the weight's component along the rail, and that "
                    "vanishes for a level rail.", "argument"),
        ),
        hints=(
            "The particle's acceleration is qdd1 (1, 0) + qdd2 (cos α, sin α). Add g upwards, times m: the force.",
            "Q_1 and Q_2 are this force's components along the two rails.",
        ),
        solution=r"""
            Seen from free fall the particle accelerates with
            $a = (\ddot q_1 + \ddot q_2 \cos\alpha,\; \ddot q_2 \sin\alpha + g)$, and $f = m a$. Along the rails this is
            $Q_1 = m(\ddot q_1 + \ddot q_2\cos\alpha)$ and
            $Q_2 = f_x \cos\alpha + f_y \sin\alpha = m(\ddot q_2 + \ddot q_1 \cos\alpha + g \sin\alpha)$. So
            $H = m\,[1, \cos\alpha;\; \cos\alpha, 1]$, which is singular when the rails are parallel.
        """,
    ),
    More(
        id="1.54",
        title="Where gravity comes in",
        section="The whole function",
        level=1,
        kind="word",
        choices={
            "a": "Each link's weight is added to the force that its joint transmits, in a separate loop.",
            "b": "The world gets the acceleration g upwards, and every link inherits it.",
            "c": "The world gets the acceleration g downwards, and every link inherits it.",
            "d": "The weight of the whole chain is added to Q at the end.",
        },
        question="""
            With which trick does FDSV's inverse dynamics take account of gravity? Answer with a letter.

            - **a** Each link's weight is added to the force that its joint transmits, in a separate loop.
            - **b** The world gets the acceleration g upwards, and every link inherits it.
            - **c** The world gets the acceleration g downwards, and every link inherits it.
            - **d** The weight of the whole chain is added to Q at the end.
        """,
        reference="b",
        mistakes=(
            Mistake("a", "That gives the same numbers, with more work. There is a way that needs one line.", "entry"),
            Mistake("c", "In a lift that accelerates upwards you feel heavier. To feel a weight on a world without "
                         "gravity, let it accelerate upwards.", "gravity"),
            Mistake("d", "The weight of a link works with another lever at each joint; Q is a torque for each joint, "
                         "and no single number fits.", "misconception"),
        ),
        hints=("Who sits in a closed box cannot tell gravity from ...", "In which direction must the box accelerate?"),
        solution=r"""
            Standing in gravity feels like being accelerated upwards with $g$ where there is none. So the recursion
            begins with the acceleration $g$ upwards for the world, and every link inherits it: **b**, Eq. 21.
        """,
    ),
)
