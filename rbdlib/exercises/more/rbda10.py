"""Additional exercises on RBDA chapter 10: conditioning, cancellation, and what a run costs."""

from rbdlib.exercises.more.declare import Mistake, More, formula

EXERCISES = (
    More(
        id="23.51",
        title="How much can an error grow?",
        section="Six links in a zigzag",
        level=1,
        names=("the condition number", "the largest relative error"),
        question=r"""
            A mechanism has $H = [2, 1.99;\; 1.99, 2]$. What is the condition number of $H$? And how large can the
            relative error of $\ddot q = H^{-1}\tau$ become if $\tau$ has the relative error $10^{-6}$?
        """,
        reference=(399, 399e-6),
        mistakes=(
            Mistake((3.99, 3.99e-6), "That is the largest eigenvalue. Divide it by the smallest one.", "entry"),
            Mistake((100, 1e-4),
                    "That is one over the smallest eigenvalue, and would change with the units. Multiply by the "
                    "largest one.", "factor"),
            Mistake((1 / 399, 1e-6 / 399), "You have divided the smallest eigenvalue by the largest one.", "inverse"),
            Mistake((399, 1e-6), "The condition number is right: it says by how much a relative error can grow.",
                    "entry"),
            Mistake((399, 1e-6 / 399), "The condition number is right. An error can grow by it; you let it shrink.",
                    "inverse"),
        ),
        hints=("The eigenvectors are (1, 1) and (1, -1).", "Eigenvalues 3.99 and 0.01."),
        solution=r"""
            The eigenvalues are $2 \pm 1.99$, that is 3.99 and 0.01, and the condition number is 399. By this factor a
            relative error can grow: $3.99 \cdot 10^{-4}$. That happens if $\tau$ lies along $(1, 1)$ and its error
            along $(1, -1)$.
        """,
    ),
    More(
        id="23.52",
        title="The price of a difference, on paper",
        section="Four ways to lose digits",
        level=2,
        question=r"""
            *On paper.* Two positive numbers $a > b$ are known with the same relative error bound $\varepsilon$. The
            relative error of $a - b$ is at most a factor times $\varepsilon$. Which factor? Give it in `a`, `b`.
        """,
        where="b < a",
        reference=formula("(a + b)/(a - b)", positive="a b"),
        mistakes=(
            Mistake(formula("a/(a - b)", positive="a b"), "b has an error, too, and in the worst case of the opposite "
                                                          "sign.", "entry"),
            Mistake(formula("1/(a - b)", positive="a b"), "This has a unit. The errors are relative: aε and bε.",
                    "factor"),
            Mistake(formula("a + b", positive="a b"), "That is the absolute error over ε. Divide it by a - b.",
                    "factor"),
        ),
        hints=(
            "The absolute errors are at most aε and bε.",
            "In the worst case they add up, and are divided by a - b.",
        ),
        solution=r"""
            The difference is off by at most $a\varepsilon + b\varepsilon$, relative to $a - b$ that is
            $\dfrac{a + b}{a - b}\,\varepsilon$. For $a = 1.001$ and $b = 1$ the factor is 2001: three digits are gone.
        """,
    ),
    More(
        id="24.51",
        title="Sines in a simulation",
        section="Numbers that keep the books",
        level=1,
        quantity="whole numbers",
        question=r"""
            An arm with six hinges is simulated for 1000 steps of the classical Runge-Kutta method of fourth order;
            every evaluation runs `aba` once. How many sines and cosines are computed, counted together, if each joint's
            transform is made once in each evaluation?
        """,
        reference=48000,
        mistakes=(
            Mistake(12000, "That is Euler's method, with one evaluation in a step. This one has four.", "factor"),
            Mistake(24000, "Each hinge needs a sine and a cosine.", "factor"),
            Mistake(8000, "That is for one hinge.", "factor"),
        ),
        hints=("How often does a step of this method evaluate the accelerations?", "1000 · 4 · 6 · 2"),
        solution=r"""
            $1000$ steps with 4 evaluations of 6 joints, a sine and a cosine each: $1000 \cdot 4 \cdot 6 \cdot 2 =
            48\,000$. A sine costs as much as several multiplications, so this is worth counting, too.
        """,
    ),
    More(
        id="25.51",
        title="Fewer products",
        section="The pipeline",
        level=1,
        quantity="whole numbers",
        names=("as written", "with the common product named", "factored"),
        question=r"""
            `x*x*y + x*x*z + x*x`: how many multiplications does it take as it is written, how many if the common
            product `t = x*x` is computed once, and how many if `t` is then factored out?
        """,
        reference=(5, 3, 2),
        mistakes=(
            Mistake((5, 3, 3), "The first two are right. t*(y + z + 1) has one product besides that of t.", "entry"),
            Mistake((5, 2, 2), "t itself takes a product, t*y and t*z one each.", "entry"),
            Mistake((5, 3, 1), "The first two are right. t itself has to be computed, too.", "entry"),
        ),
        hints=("x*x*y are two multiplications.", "t = x*x; t*y + t*z + t; then t*(y + z + 1)."),
        solution=r"""
            As written $2 + 2 + 1 = 5$; with $t = x x$ it is $1 + 1 + 1 = 3$; and $t\,(y + z + 1)$ takes $1 + 1 = 2$.
            The first saving is safe in floating point; the second one changes the rounding.
        """,
    ),
)
