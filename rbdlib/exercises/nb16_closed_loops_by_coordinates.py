"""The exercises of notebook 16, closed loops by independent coordinates (RBDA 8.8 and 8.11 to 8.13)."""

import numpy as np

from rbdlib.exercises.declare import Exercise, Mistake


def _slope(formula):
    """An answer to exercise 16.1, from a function of a, b, phi and SymPy."""

    def answer():
        import sympy

        return formula(*sympy.symbols("a b", positive=True), sympy.Symbol("phi", real=True), sympy)

    return answer


def _rod(a, b, phi, sp):
    return sp.sqrt(b**2 - a**2 * sp.sin(phi) ** 2)


def _mechanism(rng):
    """G of a mechanism with two freedoms, the places of two motors that control both, and tau_ID."""
    return rng.normal(size=(5, 2)), [1, 3], rng.normal(size=5)


EXERCISES = (
    Exercise(
        id="16.1",
        title="The speed of a piston, on paper",
        section="One number for a machine",
        where="a < b",
        reference=_slope(lambda a, b, phi, sp:
                         -a * sp.sin(phi) - a**2 * sp.sin(phi) * sp.cos(phi) / _rod(a, b, phi, sp)),
        remark="The first term is a crank with an endless rod. The second, about -(a²/2b) sin 2φ, is the rod's: it "
               "comes twice in a turn, and engines shake with it.",
        mistakes=(
            Mistake(_slope(lambda a, b, phi, sp: -a * sp.sin(phi)),
                    "That is the speed of the crank pin along x. The rod tilts while the crank turns, and its other "
                    "end comes nearer because of that, too.", "entry"),
            Mistake(_slope(lambda a, b, phi, sp:
                           -a * sp.sin(phi) + a**2 * sp.sin(phi) * sp.cos(phi) / _rod(a, b, phi, sp)),
                    "The rod's term has the wrong sign. In the first quarter the rod tilts more and more, so that its "
                    "shadow on the x axis becomes shorter.", "sign"),
            Mistake(_slope(lambda a, b, phi, sp: -a * sp.sin(phi) - a**2 * sp.sin(phi) / _rod(a, b, phi, sp)),
                    "The chain rule has one more factor: the derivative of sin² φ is 2 sin φ cos φ.", "factor"),
            Mistake(_slope(lambda a, b, phi, sp:
                           -a * sp.sin(phi) - 2 * a**2 * sp.sin(phi) * sp.cos(phi) / _rod(a, b, phi, sp)),
                    "The square root's derivative brings a factor one half, and it cancels the 2 of sin² φ.",
                    "factor"),
        ),
        hints=(
            "Write s as a function of φ alone: the rod is the hypotenuse over a sin φ.",
            "s = a cos φ + sqrt(b² - a² sin² φ).",
            "The derivative of sqrt(f) is f' / (2 sqrt(f)), with f' = -2 a² sin φ cos φ.",
        ),
        solution=r"""
            The triangle gives $s = a\cos\varphi + \sqrt{b^2 - a^2\sin^2\varphi}$, and its derivative is
            $-a\sin\varphi - \dfrac{a^2 \sin\varphi\cos\varphi}{\sqrt{b^2 - a^2\sin^2\varphi}}$. In SymPy:
            `-a*sympy.sin(phi) - a**2*sympy.sin(phi)*sympy.cos(phi)/sympy.sqrt(b**2 - a**2*sympy.sin(phi)**2)`.
        """,
    ),
    Exercise(
        id="16.2",
        title="The turning point",
        section="One number for a machine",
        reference=-5400,
        names=("acceleration (m/s²)",),
        rtol=1e-3,
        remark="550 times the piston's weight, once in every turn of 21 ms: this is why pistons are light.",
        mistakes=(
            Mistake(0, "At the end of its way the piston stands still, and that is when it turns round: its velocity "
                       "is zero, the acceleration is not.", "entry"),
            Mistake(-4050, "That is a ω², the pin of the crank alone. The rod adds a² ω² / b.", "entry"),
            Mistake(-2700, "That is the other end of the way, φ = π, with its sign reversed. At full stretch both "
                           "terms pull the same way.", "sign"),
            Mistake(5400, "The piston has reached the greatest s and comes back, so s̈ is negative.", "sign"),
        ),
        hints=(
            "With constant speed of the crank s̈ is the third entry of g, which is the derivative of the third entry "
            "of G times the square of the speed.",
            "At φ = 0 the derivative of -a sin φ is -a. What is that of -a² sin φ cos φ / sqrt(b² - a² sin² φ)?",
            "-(a + a²/b) ω², with a = 0.045, b = 0.135 and ω = 300.",
        ),
        solution=r"""
            $\ddot y = 0$, so $\ddot s = g_3 = \dfrac{\mathrm d G_3}{\mathrm d\varphi}\,\dot y^2$. Near $\varphi = 0$
            the slope is $G_3 \approx -(a + a^2/b)\,\varphi$, and so
            $\ddot s = -(0.045 + 0.015)\cdot 300^2 = -5400\ \mathrm{m/s^2}$.
        """,
    ),
    Exercise(
        id="16.3",
        title="Elimination by hand",
        section="Without a formula",
        reference=((2, -2, 1), (-1, 4, 0)),
        mistakes=(
            Mistake(((-2, 2, 1), (-1, 4, 0)),
                    "G has the signs of K_11⁻¹ K_12; in Eq. 8.51 it is minus that. Test it: K G must vanish.", "sign"),
            Mistake(((2, -2, 0), (-1, 4, 0)),
                    "y is x_3 itself, so the third entry of G is 1.", "entry"),
            Mistake(((-1, 4, 0), (2, -2, 1)),
                    "The order is G first, then g: K G vanishes, and K g is k.", "order"),
            Mistake(((2, -2, 1), (1, 2, 1)),
                    "Your g solves K g = k, but it is not the one of Eq. 8.51, in which the independent variable is "
                    "zero. You have added G to it.", "entry"),
        ),
        hints=(
            "The third equation is the sum of the first two. Leave it out.",
            "Put x_3 = y. The second equation gives x_2, then the first gives x_1.",
            "x_2 = 4 - 2 y and x_1 = 3 - x_2 = -1 + 2 y.",
        ),
        solution=r"""
            The third row repeats the others. With $x_3 = y$ the second gives $x_2 = 4 - 2y$ and the first
            $x_1 = 3 - x_2 = -1 + 2y$. So $x = G y + g$ with $G = [2, -2, 1]^{\mathrm T}$, $g = [-1, 4, 0]^{\mathrm T}$.
        """,
    ),
    Exercise(
        id="16.4",
        title="Forces for the motors that there are",
        section="Who shall push?",
        kind="function",
        reference=lambda G, places, tau_ID: np.linalg.solve(G[places].T, G.T @ tau_ID),
        inputs=_mechanism,
        mistakes=(
            Mistake(lambda G, places, tau_ID: tau_ID[places],
                    "Those are the entries that the tree would need at these joints. What the joints without a motor "
                    "would have needed must be supplied as well, by way of Gᵀ.", "entry"),
            Mistake(lambda G, places, tau_ID: np.linalg.solve(G[places], G.T @ tau_ID),
                    "In Eq. 8.63 G_u is transposed: it turns velocities into velocities, and forces go the other way.",
                    "transpose"),
            Mistake(lambda G, places, tau_ID: G.T @ tau_ID,
                    "That is the generalized force of y, the right-hand side. The motors are not at y: the equation "
                    "G_uᵀ u = Gᵀ tau_ID must still be solved.", "entry"),
        ),
        hints=(
            "Eq. 8.63: G_uᵀ u = Gᵀ tau_ID. G_u is made of the rows of G that have motors.",
            "G_u = G[places]; it is square and invertible here.",
            "np.linalg.solve(G[places].T, ...)",
        ),
        solution="""
            `return np.linalg.solve(G[places].T, G.T @ tau_ID)`.
        """,
    ),
    Exercise(
        id="16.5",
        title="What the motors spend",
        section="Who shall push?",
        reference=45,
        names=("power (W)",),
        mistakes=(
            Mistake(195, "That is uᵀ ẏ. The first motor does not move with ẏ_1: it sits at joint 3, whose rate is "
                         "0.25 ẏ_1.", "frame"),
            Mistake(55, "The second motor turns against its torque, 5 N m times -1 rad/s: its part is negative.",
                    "sign"),
            Mistake(50, "The second motor works too: at joint 4, -5 W.", "entry"),
            Mistake(795, "You have divided by 0.25. The piston moves with 0.25 m per radian of y_1, more slowly and "
                         "not faster.", "factor"),
        ),
        hints=(
            "Power is force times the rate of the place where the force acts.",
            "q̇_3 = 0.25 · 2 m/s and q̇_4 = -1 rad/s.",
            "100 · 0.5 + 5 · (-1).",
        ),
        solution=r"""
            $P = \tau^{\mathrm T}\dot q = u_1\dot q_3 + u_2\dot q_4 = 100 \cdot 0.25 \cdot 2 + 5 \cdot (-1) = 45$ W. It
            is not $u^{\mathrm T}\dot y = 195$, because $u$ does not act where $\dot y$ is measured.
        """,
    ),
    Exercise(
        id="16.6",
        title="Ball joints at both ends",
        section="Six legs",
        reference=12,
        quantity="whole numbers",
        names=("freedoms",),
        remark="Six of them are the legs' idle turns about themselves. They do no harm, and no motor of the platform "
               "controls them.",
        mistakes=(
            Mistake(6, "The plate has 6. But what can a rod do that ends in a ball joint above and below?", "entry"),
            Mistake(7, "Each of the six legs has a turn of its own, not all together one.", "entry"),
            Mistake(0, "You have subtracted the freedoms that the loops take away once more, or forgotten the plate's "
                       "free-motion joint.", "entry"),
            Mistake(18, "A ball joint in place of a cross joint is one more freedom for each leg, not two.", "factor"),
        ),
        hints=(
            "Count as in Eq. 8.53: the freedoms of all joints, less 6 for each loop.",
            "6 for the plate, and for each leg 3 + 1 + 3.",
            "6 + 6 · 7 - 6 · 6.",
        ),
        solution=r"""
            The joints have $6 + 6\,(3 + 1 + 3) = 48$ freedoms, and six loops take $36$ away: 12. The plate has six of
            them, and each leg can turn about its own line.
        """,
    ),
    Exercise(
        id="16.7",
        title="One row of the Jacobian",
        section="Six legs",
        reference=(0, -0.24, 0.18, 0, 0.6, 0.8),
        quantity="force",
        remark="The row is a force of 1 N along the leg, written as a spatial vector. That is no accident: its "
               "transpose takes the force of the leg to the plate.",
        mistakes=(
            Mistake((0, 0.24, -0.18, 0, 0.6, 0.8),
                    "The moment is P × e. You have formed e × P.", "sign"),
            Mistake((0, 0.6, 0.8, 0, -0.24, 0.18),
                    "The halves are exchanged: the angular velocity comes first, and its factor is the moment.",
                    "order"),
            Mistake((0.3, 0, 0, 0, 0.6, 0.8),
                    "The second half is right. In the first stands the place; wanted is its moment P × e, the change "
                    "of length that a turn of the plate causes.", "entry"),
            Mistake((0, 0, 0, 0, 0.6, 0.8),
                    "If the plate turns, the joint moves although the plate's origin rests.", "entry"),
        ),
        hints=(
            "The joint on the plate moves with v + ω × P. How much of that is along e?",
            "e · (ω × P) = (P × e) · ω.",
            "P × e = (0.3, 0, 0) × (0, 0.6, 0.8) = (0, -0.24, 0.18).",
        ),
        solution=r"""
            The leg's length changes with $e \cdot (v + \omega \times P) = (P \times e)\cdot\omega + e \cdot v$, so the
            row is $[P \times e,\ e] = [0, -0.24, 0.18,\ 0, 0.6, 0.8]$.
        """,
    ),
    Exercise(
        id="16.8",
        title="Blocks to be stored",
        section="Without a tree",
        reference=15,
        quantity="whole numbers",
        names=("blocks",),
        mistakes=(
            Mistake(19, "That is N_B + 4 N_J. The base has no row: the two joints that are fastened to it have one "
                        "block each in P, not two.", "entry"),
            Mistake(9, "You have counted P, but its transpose stands in the matrix too.", "entry"),
            Mistake(12, "You have counted P and its transpose. The inertias of the bodies are on the diagonal.",
                    "entry"),
            Mistake(49, "That is the number of places, 7². Most of them are zero.", "entry"),
        ),
        hints=(
            "Three bodies, four joints. Each body has a block on the diagonal.",
            "Each joint has a block for each body that it touches, and the same again in the transpose.",
            "3 + 2 · (1 + 2 + 1 + 2).",
        ),
        solution=r"""
            Three inertias on the diagonal. The joint of the crank and that of the slider touch one body each, for
            the base has no row; the other two joints touch two. With the transpose these are
            $2\,(1 + 1 + 2 + 2) = 12$ blocks, so that there are 15.
        """,
    ),
)
