"""The exercises of notebook 23, accuracy: rounding, enclosures, truncation, chaos and sensitivity (RBDA 10.1, 10.2)."""

from math import sqrt

from rbdlib.exercises.declare import Exercise, Mistake


def _distance(formula):
    """An answer in the distance c, from a function of it and of a square root."""

    def answer():
        import sympy

        return formula(sympy.symbols("c", positive=True), sympy.sqrt)

    return answer


def _growth(formula):
    """An answer in the rate lam and the sizes d0 and D of a deviation, from a function of these and of SymPy."""

    def answer():
        import sympy

        return formula(*sympy.symbols("lam d0 D", positive=True), sympy)

    return answer


def _two_intervals(rng):
    """Two intervals, given as pairs; now and then one that lies above 0."""
    pairs = [sorted(rng.uniform(-3, 3, 2).tolist()) for _ in range(2)]
    up = 3.5 if rng.random() < 0.3 else 0
    return tuple(tuple(round(x + up * k, 2) for x in pair) for k, pair in enumerate(pairs))


def _product(a, b):
    corners = [x * y for x in a for y in b]
    return [min(corners), max(corners)]


def _ends_only(a, b):
    return [a[0] * b[0], a[1] * b[1]]


def _ends_sorted(a, b):
    return sorted(_ends_only(a, b))


def _all_corners(a, b):
    return [x * y for x in a for y in b]


def _forces(rng):
    """An inertia matrix with a large condition number, forces, and an error of these."""
    import numpy as np

    A = rng.normal(size=(3, 3))
    return A @ A.T + np.diag([0.1, 1, 5]), rng.normal(size=3), 0.01 * rng.normal(size=3)


def _amplification(H, tau, dtau):
    from numpy.linalg import norm, solve

    return norm(solve(H, dtau)) / norm(solve(H, tau)) / (norm(dtau) / norm(tau))


def _multiplied(H, tau, dtau):
    from numpy.linalg import norm

    return norm(H @ dtau) / norm(H @ tau) / (norm(dtau) / norm(tau))


def _absolute(H, tau, dtau):
    from numpy.linalg import norm, solve

    return norm(solve(H, dtau)) / norm(dtau)


def _upside_down(H, tau, dtau):
    return 1 / _amplification(H, tau, dtau)


def _relative_only(H, tau, dtau):
    from numpy.linalg import norm, solve

    return norm(solve(H, dtau)) / norm(solve(H, tau))


def _bound(H, tau, dtau):
    from numpy.linalg import cond

    return cond(H)


EXERCISES = (
    Exercise(
        id="23.1",
        title="A tool far from the origin",
        section="A body with a far-away origin",
        quantity="whole numbers",
        reference=6,
        remark="What counts is the distance in radii of gyration. A planet may well have its origin a thousand "
               "kilometres from its centre.",
        mistakes=(
            Mistake(3, "The ratio is 1000, but the error grows with its square.", "factor"),
            Mistake(12, "The condition number grows with the fourth power, and it is a bound. The error itself, in "
                        "Figure 10.2, grows with the square.", "factor"),
            Mistake(10**6, "By this factor the error grows. How many decimal digits are a factor of a million?", "log"),
            Mistake(4, "That takes 100 m alone. What counts is the distance in units of the radius of gyration.",
                    "factor"),
        ),
        hints=(
            "How many radii of gyration are 100 m?",
            "In Figure 10.2 the radius of gyration is 1, and the error is multiplied by |c|².",
        ),
        solution=r"""
            The distance is $100 / 0.1 = 1000$ radii of gyration. The error is multiplied by $1000^2 = 10^6$, so 6
            digits go.
        """,
    ),
    Exercise(
        id="23.2",
        title="The condition number, on paper",
        section="A body with a far-away origin",
        reference=_distance(lambda c, sqrt: ((2 + c**2 + sqrt((2 + c**2) ** 2 - 4)) / 2) ** 2),
        remark="For small c it is 1 + 2c, for large c it is c⁴; with c² = 10100 it gives the 1.02·10⁸ of the text.",
        mistakes=(
            Mistake(_distance(lambda c, sqrt: (2 + c**2 + sqrt((2 + c**2) ** 2 - 4)) / 2),
                    "That is the largest eigenvalue. The condition number divides it by the smallest one, which is its "
                    "reciprocal and not 1.", "factor"),
            Mistake(_distance(lambda c, sqrt: c**4),
                    "That is what it becomes for large c. At c = 0 the matrix is the identity, and its condition "
                    "number is 1.", "entry"),
            Mistake(_distance(lambda c, sqrt: 1 + c**2),
                    "1 + c² is an entry of the matrix, its moment of inertia about O, and not an eigenvalue.", "entry"),
            Mistake(_distance(lambda c, sqrt: ((2 + c**2 - sqrt((2 + c**2) ** 2 - 4)) / 2) ** 2),
                    "You have divided the smallest eigenvalue by the largest one.", "inverse"),
        ),
        hints=(
            "Turn the axes so that c lies along x. Then the middle row and column are (0, 1, 0): one eigenvalue is 1.",
            "What is left is [[1 + c², c], [c, 1]]. Its determinant is 1, so its eigenvalues are s and 1/s.",
            "s + 1/s is the trace, 2 + c². The condition number is s divided by 1/s.",
        ),
        solution=r"""
            With $c$ along $x$ one eigenvalue is 1, and the others are those of
            $\begin{bmatrix} 1 + c^2 & c \\ c & 1 \end{bmatrix}$, whose determinant is 1 and whose trace is $2 + c^2$.
            They are $s$ and $1/s$ with $s = \tfrac12\bigl(2 + c^2 + \sqrt{(2 + c^2)^2 - 4}\bigr)$, and the condition
            number is $s^2$.
        """,
    ),
    Exercise(
        id="23.3",
        title="A docking spacecraft",
        section="Four ways to lose digits",
        kind="word",
        reference="b",
        choices={
            "a": "take smaller time steps",
            "b": "take a reference frame that moves with constant velocity, close to that of both craft",
            "c": "let each body's coordinates have their origin at its centre of mass",
            "d": "measure in kilometres and kilometres per second",
        },
        remark="An inertial frame may move, and Newton's laws do not notice. The computer does.",
        mistakes=(
            Mistake("a", "Smaller steps reduce the truncation error. The digits are lost within each single evaluation "
                         "of the accelerations, by rounding.", "entry"),
            Mistake("c", "That cures far-away origins. The velocity of a body is equally large at its centre of mass.",
                    "entry"),
            Mistake("d", "Other units multiply all numbers alike. What is lost depends on their ratio: 7500 m/s to a "
                    "few centimetres per second.", "entry"),
        ),
        hints=(
            "Which two velocities are to be compared, and which of them do the docking forces depend on?",
            "Galileo: seen from a frame that moves at constant velocity all accelerations are the same.",
        ),
        solution=r"""
            Rounding is relative to the largest numbers in the sum, those with the square of the speed of the orbit. In
            a frame that moves along, the speeds are the small relative ones and the accelerations are the same. The
            answer is b.
        """,
    ),
    Exercise(
        id="23.4",
        title="A product that is sure",
        section="Bounds instead of digits",
        kind="function",
        reference=_product,
        inputs=_two_intervals,
        names=("lower", "upper"),
        remark="The product is monotonic in each factor, so that its extremes lie at corners. In a computer the lower "
               "bound must then be rounded down and the upper one up.",
        samples=12,
        mistakes=(
            Mistake(_ends_only, "Low times low need not be the lowest product: think of [-2, 1] times [-3, 1].",
                    "sign"),
            Mistake(_ends_sorted, "You take two of the four corners. With [-2, 1] times [-3, 5] the extremes are -10 "
                                  "and 6, and the lowest is -2 times 5.", "entry"),
            Mistake(_all_corners, "These are the right candidates. Wanted are the smallest and the largest of them.",
                    "entry"),
        ),
        hints=(
            "Where on a rectangle can x y be largest, if it is monotonic along each side?",
            "Form all four products of an end of a and an end of b.",
            "corners = [x * y for x in a for y in b]",
        ),
        solution=r"""
            Held at one $y$, the product is a straight line in $x$, with its extremes at the ends, and the other way
            round. So the extremes lie at the four corners: with `corners = [x * y for x in a for y in b]`, the answer
            is `[min(corners), max(corners)]`.
        """,
    ),
    Exercise(
        id="23.5",
        title="The same number twice",
        section="Bounds instead of digits",
        reference=(0.16, 0.36, 0.24, 0.25),
        names=("lower by intervals", "upper by intervals", "true lower", "true upper"),
        remark="The bounds are right, and twenty times as wide as they need be. Written as 1/4 - (x - 1/2)², where x "
               "occurs once, the same function gets bounds that are hardly too wide.",
        mistakes=(
            Mistake((0.24, 0.24, 0.24, 0.25),
                    "You have multiplied each end by its own partner. The interval of 1 - x is [0.4, 0.6], and "
                    "intervals do not remember which x belongs to which.", "entry"),
            Mistake((0.16, 0.36, 0.24, 0.24),
                    "At both ends x(1 - x) is 0.24, but in between it is larger. Where is its summit?", "entry"),
            Mistake((0.24, 0.25, 0.16, 0.36),
                    "The two pairs are exchanged. The bounds that intervals give are the wide ones, and they come "
                    "first.", "swapped"),
            Mistake((0.16, 0.36, 0.16, 0.36),
                    "The second pair is what x(1 - x) really can be. For it to be 0.36, x and 1 - x would both have to "
                    "be 0.6.", "entry"),
        ),
        hints=(
            "1 - [0.4, 0.6] is [0.4, 0.6] again. Multiply the two as if they had nothing to do with each other.",
            "Then draw the parabola x(1 - x) between 0.4 and 0.6; its summit is at 1/2.",
        ),
        solution=r"""
            By intervals, $[0.4, 0.6] \cdot [0.4, 0.6] = [0.16, 0.36]$. The parabola is 0.24 at both ends and has its
            summit $0.25$ at $x = 1/2$. In order: 0.16, 0.36, 0.24, 0.25.
        """,
    ),
    Exercise(
        id="23.6",
        title="What a digit costs",
        section="Steps",
        reference=10000,
        rtol=0.02,
        remark="Two digits for each factor of ten. With rk4 it would be four.",
        mistakes=(
            Mistake(200, "By this factor the steps become shorter. There were 50 of them before.", "factor"),
            Mistake(40000, "By this factor the error must shrink. It goes with the square of the step.", "factor"),
            Mistake(2000000, "That is the price under Euler's method. Heun's error goes with the square of the step.",
                    "factor"),
            Mistake(50 * 40000 ** (1 / 3), "The third power holds for a single step. Over the whole second there are "
                                           "more steps when they are shorter, which costs one power.", "factor"),
            Mistake(50 * 40000 ** (1 / 4), "That is for a method of order 4.", "factor"),
            Mistake(50 / sqrt(40000), "Fewer steps make the error larger.", "inverse"),
        ),
        hints=(
            "By which factor must the error shrink?",
            "By 40 000. It goes with the square of dt, so dt must shrink by the root of that.",
        ),
        solution=r"""
            The error must become $4\cdot10^{-3}/10^{-7} = 40\,000$ times smaller. It goes with $dt^2$, so the step
            becomes $\sqrt{40\,000} = 200$ times shorter, and that makes $50 \cdot 200 = 10\,000$ steps.
        """,
    ),
    Exercise(
        id="23.7",
        title="The horizon, on paper",
        section="The horizon",
        where="d0 < D",
        reference=_growth(lambda lam, d0, D, s: s.log(D / d0) / lam),
        remark="Only the logarithm of what you know counts: each further digit adds ln(10)/lam to the horizon, a "
               "constant.",
        mistakes=(
            Mistake(_growth(lambda lam, d0, D, s: s.log(d0 / D) / lam),
                    "This is negative, as d0 is less than D. When was the deviation D, if it was d0 at t = 0 and "
                    "grows?", "sign"),
            Mistake(_growth(lambda lam, d0, D, s: lam * s.log(D / d0)),
                    "The faster a deviation grows, the nearer the horizon. lam belongs in the denominator.", "inverse"),
            Mistake(_growth(lambda lam, d0, D, s: (D / d0) / lam),
                    "That would be the time if the deviation grew evenly, by lam d0 each second. It grows by a factor "
                    "each second.", "entry"),
            Mistake(_growth(lambda lam, d0, D, s: s.log(D / d0) / s.log(10) / lam),
                    "That counts decimal digits and divides by a rate that belongs to e. Use the natural logarithm.",
                    "factor"),
        ),
        hints=(
            "A deviation that grows at the rate lam in proportion to itself: d' = lam d.",
            "Then d(t) = d0 exp(lam t). Set it to D.",
        ),
        solution=r"""
            From $\dot d = \lambda d$ follows $d = d_0\,e^{\lambda t}$. It reaches $D$ at
            $t = \frac{1}{\lambda}\ln\frac{D}{d_0}$.
        """,
    ),
    Exercise(
        id="23.8",
        title="Amplification",
        section="Six links in a zigzag",
        kind="function",
        reference=_amplification,
        inputs=_forces,
        remark="It is never more than the condition number of H, and never less than its reciprocal.",
        mistakes=(
            Mistake(_multiplied, "Accelerations are the forces multiplied by the inverse of H. You have found forces "
                                 "from accelerations.", "inverse"),
            Mistake(_absolute, "Both errors are to be taken relative to the quantity itself. Yours has a unit, 1/(kg "
                               "m²).", "factor"),
            Mistake(_upside_down, "You have divided the error that goes in by the one that comes out.", "inverse"),
            Mistake(_relative_only, "That is the relative error of the accelerations. How large was that of the "
                                    "forces?", "entry"),
            Mistake(_bound, "The condition number bounds it for all forces and all errors. These particular ones are "
                            "amplified less.", "entry"),
        ),
        hints=(
            "Find the accelerations that tau causes, and the change that dtau adds to them.",
            "Divide lengths: |change| / |acceleration| is the relative error that comes out, |dtau| / |tau| the one "
            "that went in.",
            "np.linalg.norm(np.linalg.solve(H, dtau)) / np.linalg.norm(np.linalg.solve(H, tau)) and so on.",
        ),
        solution=r"""
            With `n = np.linalg.norm` and `s = np.linalg.solve`:
            `return (n(s(H, dtau)) / n(s(H, tau))) / (n(dtau) / n(tau))`.
        """,
    ),
    Exercise(
        id="23.9",
        title="Where seven digits end",
        section="Longer chains",
        reference=(10.0**7 / 4) ** 0.25,
        rtol=0.03,
        remark="Forty links. A hair that is modelled by forty straight pieces is such a chain.",
        mistakes=(
            Mistake(10 ** (7 / 4), "You have left out the factor 4.", "factor"),
            Mistake(sqrt(10.0**7 / 4), "You have taken the second root; the condition number goes with the fourth "
                                       "power.", "factor"),
            Mistake(4 * 7.0**4, "That is the condition number of a straight chain of seven links. Seven is here the "
                                "number of digits.", "inverse"),
        ),
        hints=(
            "Relative errors of 1e-7 become as large as the accelerations themselves if they are multiplied by 1e7.",
            "Solve 4 N⁴ = 1e7.",
        ),
        solution=r"""
            $4N^4 = 10^7$ gives $N = (2.5\cdot10^6)^{1/4} \approx 39.8$, so with 40 links nothing is sure.
        """,
    ),
)
