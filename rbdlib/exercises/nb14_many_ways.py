"""The exercises of notebook 14, many ways to one acceleration (RBDA 6, 7, 10; SOA 3-6)."""

import math

from rbdlib.exercises.declare import Exercise, Mistake


def _growth(formula):
    """An answer to exercise 14.7, from a function of I_0, k, d and SymPy's square root."""

    def answer():
        from sympy import sqrt, symbols

        return formula(*symbols("I_0 k d", positive=True), sqrt)

    return answer


def _pairs(rng):
    return tuple(rng.normal(size=2)), tuple(rng.normal(size=2))


def _times(x, y):
    return x[0] * y[0], x[1] * y[0] + x[0] * y[1]


def _entry_by_entry(x, y):
    return x[0] * y[0], x[1] * y[1]


def _first_only(x, y):
    return x[0] * y[0], x[1] * y[0]


def _like_complex(x, y):
    return x[0] * y[0] - x[1] * y[1], x[1] * y[0] + x[0] * y[1]


def _like_a_quotient(x, y):
    return x[0] * y[0], x[1] * y[0] - x[0] * y[1]


EXERCISES = (
    Exercise(
        id="14.1",
        title="Let go",
        section="14 · Many ways to one acceleration",
        reference=-12.5,
        names=("qdd",),
        mistakes=(
            Mistake(12.5, "The size is right. The weight pulls the rod back to the vertical, towards smaller q, so the "
                          "acceleration is negative.", "sign"),
            Mistake(-25 / 3, "That is g sin q / l, the acceleration of a point mass at the end of a massless rod. The "
                             "rod's mass is spread over its length.", "factor"),
            Mistake(-50 / 3, "You have put the whole mass at the centre. Its weight acts there, but its moment of "
                             "inertia about the hinge is m l²/3, not m (l/2)².", "factor"),
            Mistake(-50, "The moment of inertia m l²/12 is that about the centre. The rod turns about the hinge at its "
                         "end.", "factor"),
        ),
        hints=(
            "Torque about the hinge, divided by the moment of inertia about the hinge.",
            "The torque is -m g (l/2) sin q, the moment of inertia m l²/3.",
            "-(3/2) (g/l) sin q with g = 10, l = 0.6 and sin 30° = 1/2.",
        ),
        solution=r"""
            About the hinge, $H = \tfrac13 m l^2$ and $C = \tfrac12 m g l \sin q$, so with $\tau = 0$
            $\ddot q = -\tfrac32\, \tfrac{g}{l} \sin q = -\tfrac32 \cdot \tfrac{10}{0.6} \cdot \tfrac12 = -12.5$ rad/s².
            The mass drops out.
        """,
    ),
    Exercise(
        id="14.2",
        title="Where the curves cross",
        section="The bill",
        reference=13,
        names=("n",),
        mistakes=(
            Mistake(12, "For n = 12 method B still takes 4656 operations and method A 4800. The curves cross between "
                        "12 and 13.", "entry"),
            Mistake(35, "You have compared the leading powers alone, n³/3 with 400 n. The term 20 n² makes B expensive "
                        "long before that.", "entry"),
            Mistake(16, "You have left out n³/3. At a dozen joints it is already a fifth of what 20 n² contributes.",
                    "entry"),
        ),
        hints=(
            "Where are both equal? Divide by n first.",
            "n²/3 + 20 n - 300 = 0.",
            "The positive solution is 12.4; and the number of joints is a whole one.",
        ),
        solution=r"""
            Divided by $n$, A is cheaper if $400 < \tfrac13 n^2 + 20 n + 100$, or $n^2 + 60 n - 900 > 0$. The positive
            root is $-30 + \sqrt{1800} \approx 12.43$, so from $n = 13$ on. Check it: B takes 4656 operations for 12
            joints and 5412 for 13, A takes 4800 and 5200.
        """,
    ),
    Exercise(
        id="14.3",
        title="Ill-conditioned, or only badly measured?",
        section="Unequal bars",
        reference=3,
        remark="A factor of three costs half a digit at most. The other eight digits were a matter of units.",
        mistakes=(
            Mistake(1e8, "That is the ratio of the diagonal entries, or about the condition number before scaling. "
                         "After scaling both diagonal entries are 1.", "factor"),
            Mistake(4e8 / 3, "That is the condition number of H as it stands. Divide row and column i by the square "
                             "root of H_ii first.", "factor"),
            Mistake(1.5, "That is the larger eigenvalue of the scaled matrix. The condition number is its ratio to "
                         "the smaller one.", "entry"),
            Mistake(1 / 3, "The ratio is right, but upside down: the condition number is the largest eigenvalue "
                           "divided by the smallest, and never below 1.", "factor"),
            Mistake(1, "The diagonal becomes 1, but the matrix does not become the identity: the entries beside the "
                       "diagonal are scaled too.", "entry"),
        ),
        hints=(
            "Divide row i and column i by the square root of H_ii. What becomes of the entry beside the diagonal?",
            "The entry is 2e-4 / sqrt(4 · 4e-8) = 1/2.",
            "The eigenvalues of [[1, s], [s, 1]] are 1 + s and 1 - s.",
        ),
        solution=r"""
            The entry beside the diagonal becomes
            $2 \cdot 10^{-4} / \sqrt{4 \cdot 4 \cdot 10^{-8}} = 2 \cdot 10^{-4} / (4 \cdot 10^{-4}) = \tfrac12$. The
            eigenvalues of the scaled matrix are $1 \pm \tfrac12$, and their ratio is 3.
        """,
    ),
    Exercise(
        id="14.4",
        title="The crane",
        section="Unequal bars",
        kind="word",
        reference="c",
        choices={"a": "crba_ltl", "b": "aba", "c": "divide_and_conquer", "d": "articulated_body"},
        remark="With a ratio of a thousand the others would lose some three to four digits of sixteen here. Whether "
               "that matters is another question.",
        mistakes=(
            Mistake("a", "Every entry of H contains the load. That the links are light shows only in small differences "
                         "of these entries, and those are rounded.", "mistake"),
            Mistake("b", "What the link before the load feels is a small difference of two large inertias (RBDA 7.39). "
                         "The articulated-body algorithm forms it in floats.", "mistake"),
            Mistake("d", "This forms the same difference of large inertias as aba does, and in addition it takes off a "
                         "C in which the load's weight dominates.", "mistake"),
        ),
        hints=(
            "Light links, a heavy tip: which of the three panels is it?",
            "Which family describes a body by something that is small when the body is heavy?",
        ),
        solution="""
            **c**. It is the case of the heavy tip. The inverse inertia of the load is almost zero and adds almost
            nothing to the inverse inertias of the links, so that no small difference of large numbers arises. The
            other three work with inertias, in which the load drowns the links.
        """,
    ),
    Exercise(
        id="14.5",
        title="How many rounds?",
        section="When is it done?",
        reference=3,
        remark="This is what a preconditioner is after: it cannot make H small, but it can gather the eigenvalues.",
        mistakes=(
            Mistake(12, "That is the bound for twelve different eigenvalues. Equal ones are dealt with in one go.",
                    "entry"),
            Mistake(9, "The size of the eigenvalues sets how fast the error falls from round to round. How many rounds "
                       "there are at most depends on something else.", "entry"),
            Mistake(6, "How often an eigenvalue occurs makes no difference to conjugate gradients.", "entry"),
        ),
        hints=(
            "After k rounds the error is the smallest that a polynomial of degree k in H can leave, with p(0) = 1.",
            "Which polynomial with p(0) = 1 vanishes at every eigenvalue, and what is its degree?",
        ),
        solution=r"""
            After $k$ rounds the error is $p(H)$ times the error at the start, with the best polynomial of degree $k$
            for which $p(0) = 1$. The polynomial $(1 - x)(1 - \tfrac{x}{4})(1 - \tfrac{x}{9})$ vanishes at every
            eigenvalue, so 3 rounds suffice: one for each *different* eigenvalue.
        """,
    ),
    Exercise(
        id="14.6",
        title="A product of dual numbers",
        section="What a derivative adds",
        kind="function",
        reference=_times,
        inputs=_pairs,
        mistakes=(
            Mistake(_entry_by_entry,
                    "The derivative of a product is not the product of the derivatives. Multiply out "
                    "(x + ε x') (y + ε y') and keep what is linear in ε.", "entry"),
            Mistake(_first_only,
                    "You have treated y as a constant. It carries a derivative too.", "entry"),
            Mistake(_like_complex,
                    "These are complex numbers, for which the square of the unit is -1. Here ε² = 0.", "sign"),
            Mistake(_like_a_quotient,
                    "The minus sign belongs to the derivative of a quotient. In a product both terms are added.",
                    "sign"),
        ),
        hints=(
            "Multiply out (x + ε x') (y + ε y') with ε² = 0.",
            "x y + ε (x' y + x y').",
            "return x[0] * y[0], x[1] * y[0] + x[0] * y[1]",
        ),
        solution=r"""
            $(x + \varepsilon x')(y + \varepsilon y') = x y + \varepsilon\,(x' y + x y') + \varepsilon^2 x' y'$, and the
            last term is zero. So `return x[0] * y[0], x[1] * y[0] + x[0] * y[1]`: the product rule.
        """,
    ),
    Exercise(
        id="14.7",
        title="How fast it falls over, on paper",
        section="Which way up?",
        reference=_growth(lambda I_0, k, d, sqrt: (-d + sqrt(d**2 + 4 * I_0 * k)) / (2 * I_0)),
        remark="It is positive for every d: friction slows the fall down, to about k/d if there is much of it, but no "
               "friction holds a bar upright.",
        mistakes=(
            Mistake(_growth(lambda I_0, k, d, sqrt: sqrt(k / I_0)),
                    "That is the rate without friction. With -d qd in the equation λ solves a quadratic equation with "
                    "a linear term.", "entry"),
            Mistake(_growth(lambda I_0, k, d, sqrt: (-d - sqrt(d**2 + 4 * I_0 * k)) / (2 * I_0)),
                    "That is the other solution. It is negative: the one way of being disturbed that leads back to "
                    "the equilibrium.", "sign"),
            Mistake(_growth(lambda I_0, k, d, sqrt: (d + sqrt(d**2 + 4 * I_0 * k)) / (2 * I_0)),
                    "With your sign friction would make the bar fall faster. The torque -d qd stands on the side of "
                    "the forces: I_0 λ² = k - d λ.", "sign"),
            Mistake(_growth(lambda I_0, k, d, sqrt: (-d + sqrt(d**2 + 2 * I_0 * k)) / (2 * I_0)),
                    "The discriminant of I_0 λ² + d λ - k is d² + 4 I_0 k.", "factor"),
        ),
        hints=(
            "Write the equation of motion for a small deviation x from the vertical. Which sign has the weight's "
            "torque, above the hinge?",
            "I_0 times the second derivative of x is k x - d times the first. Put in x = u exp(λ t).",
            "I_0 λ² + d λ - k = 0, and the solution with the plus sign.",
        ),
        solution=r"""
            Above the hinge the weight pulls away from the vertical: $I_0\,\ddot x = k\,x - d\,\dot x$ for a small
            deviation $x$. With $x = u\,e^{\lambda t}$ this gives $I_0 \lambda^2 + d\,\lambda - k = 0$, and the positive
            solution is $\lambda = \dfrac{-d + \sqrt{d^2 + 4 I_0 k}}{2 I_0}$. For $d = 0$ it is $\sqrt{k / I_0}$, as in
            the notebook.
        """,
    ),
    Exercise(
        id="14.8",
        title="What thirty-four digits buy",
        section="How long do two methods agree?",
        reference=17 * math.log(10),
        rtol=0.01,
        remark="Thirty-four digits more, and the computing is hundreds of times slower; for 39 seconds of a pendulum.",
        mistakes=(
            Mistake(17, "You have computed with powers of ten. The growth is a power of e, and 10 = exp(2.303).",
                    "factor"),
            Mistake(34 * math.log(10), "That would be right for a growth as exp(t). Here the exponent is 2 t.",
                    "factor"),
            Mistake(24.5 * math.log(10), "That is the time until the runs with fifty digits differ by 0.1. Asked is "
                                         "how much later that is than with floats.", "entry"),
        ),
        hints=(
            "The difference after t is δ exp(2 t), with δ the first difference. When is it 0.1?",
            "t = ln(0.1/δ) / 2 for both, and the 0.1 drops out of the difference of the two times.",
            "ln(10³⁴) / 2.",
        ),
        solution=r"""
            $\delta\,e^{2t} = 0.1$ at $t = \tfrac12 \ln(0.1/\delta)$. For the two values of $\delta$ the times differ by
            $\tfrac12 \ln(10^{-16}/10^{-50}) = \tfrac12 \cdot 34 \ln 10 = 39.1$ s.
        """,
    ),
)
