"""Additional exercises on RBDA chapter 11: two contacts, a falling rod, a soft floor, and a bowling ball."""

from rbdlib.exercises.more.declare import Mistake, More, formula

EXERCISES = (
    More(
        id="20.51",
        title="Which contact lets go?",
        section="Two points, four cases",
        level=1,
        names=("λ_1", "λ_2"),
        question=r"""
            Two contacts have the separation accelerations $a = [2, 1;\; 1, 2]\,\lambda + (-3, -1)$, with $a \ge 0$,
            $\lambda \ge 0$ and $a \cdot \lambda = 0$. Find $\lambda$.
        """,
        reference=(1.5, 0),
        mistakes=(
            Mistake((5 / 3, -1 / 3), "You have let both contacts push. The second one would have to pull: it lets go.",
                    "misconception"),
            Mistake((1.5, 0.5),
                    "Each of them alone would need that. When the first one pushes with 1.5, the second one is "
                    "lifted already.", "coupling"),
            Mistake((0, 0), "Without forces both accelerations would be negative: the bodies would sink in.", "entry"),
        ),
        hints=("There are four cases. Try that in which both push.", "Then that in which only the first one pushes."),
        solution=r"""
            Both pushing gives $\lambda = (5/3, -1/3)$, and a contact does not pull. With the first one alone
            $2\lambda_1 = 3$, $\lambda_1 = 1.5$, and the second one has $a_2 = 1.5 - 1 = 0.5 > 0$: it lets go. The
            matrix is positive definite, so this is the only solution.
        """,
    ),
    More(
        id="21.51",
        title="A rod hits an edge with its end, on paper",
        section="What restitution means",
        level=3,
        names=("the impulse", "the angular velocity"),
        question=r"""
            *On paper.* A uniform thin rod of mass $m$ and length $l$ falls level, without turning, at the speed $v$.
            Its left end hits an edge with restitution $e$. Give the impulse of the edge and the size of the rod's
            angular velocity afterwards, in `m`, `l`, `v`, `e`.
        """,
        where="0 < e < 1",
        reference=formula("m*v*(1 + e)/4", "3*v*(1 + e)/(2*l)", positive="m l v"),
        mistakes=(
            Mistake(formula("m*v*(1 + e)", "6*v*(1 + e)/l", positive="m l v"),
                    "The end is felt with less than the whole mass, because the rod gives way by turning.", "factor"),
            Mistake(formula("m*v*(1 - e)/4", "3*v*(1 - e)/(2*l)", positive="m l v"),
                    "The end leaves at e v upwards after coming down at v: it changes by (1 + e) v.", "sign"),
            Mistake(formula("m*v*(1 + e)/4", "3*v*(1 + e)/(4*l)", positive="m l v"),
                    "The impulse is right. Its lever about the centre of mass is l/2, and I_C = m l²/12.", "factor"),
        ),
        hints=(
            "With which mass is the end of a rod felt? 1/m + (l/2)²/I_C is its inverse.",
            "It is m/4. The end's velocity changes by (1 + e) v.",
        ),
        solution=r"""
            At its end the rod is felt with $\big(\tfrac1m + \tfrac{(l/2)^2}{m l^2/12}\big)^{-1} = m/4$. The end's
            velocity changes by $(1 + e)v$, so the impulse is $\tfrac14 m v (1 + e)$, and the angular velocity
            $\dfrac{l}{2} \cdot \dfrac{m v (1+e)}{4} \cdot \dfrac{12}{m l^2} = \dfrac{3 v (1 + e)}{2 l}$.
        """,
    ),
    More(
        id="22.51",
        title="How deep does it sink?",
        section="A better collision",
        level=1,
        question=r"""
            A body of 2 kg rests on a floor that pushes with $f = K p^{3/2}$ at the depth $p$, with
            $K = 20\,000\ \mathrm{N/m^{3/2}}$ and $g = 9.81$ m/s². How deep does it sink in, in metres?
        """,
        reference=(2 * 9.81 / 20000) ** (2 / 3),
        mistakes=(
            Mistake(2 * 9.81 / 20000, "That is a linear spring. Here the depth has the exponent 3/2.", "factor"),
            Mistake((2 * 9.81 / 20000) ** 1.5, "Raise both sides to the power 2/3, not 3/2.", "inverse"),
            Mistake((2 / 20000) ** (2 / 3), "The weight is m g, not m.", "gravity"),
        ),
        hints=("At rest the floor carries the weight.", "p = (m g/K)^(2/3)"),
        solution=r"""
            $K p^{3/2} = m g$, so $p = (19.62/20000)^{2/3} = 0.00987$ m. A linear spring of the same number would give
            1 mm: the rounder the contact, the softer it begins.
        """,
    ),
    More(
        id="22.52",
        title="From sliding to rolling",
        section="Friction that can hold",
        level=2,
        question=r"""
            A bowling ball, a uniform solid sphere, is set down at 7 m/s without spin and slides until it rolls. How
            fast is it then, in m/s? The coefficient of friction is constant.
        """,
        reference=5.0,
        remark="The coefficient of friction decides how long it takes, and not how much is left.",
        mistakes=(
            Mistake(3.5, "Half is left of a hoop, whose mass is all at its rim. A solid sphere has I = 2/5 m r².",
                    "factor"),
            Mistake(14 / 3, "That is a solid disc or cylinder, I = m r²/2. A sphere has 2/5 m r².", "factor"),
            Mistake(7.0, "Friction slows it down while it slides: it has to spin up the ball.", "misconception"),
        ),
        hints=(
            "About a point of the ground friction has no moment: which momentum is conserved?",
            "m r v0 = m r v + I v/r",
        ),
        solution=r"""
            About a fixed point of the ground the friction has no moment, so $m r v_0 = m r v + \tfrac25 m r^2 \cdot
            v/r$ and $v = \tfrac57 v_0 = 5$ m/s. Two sevenths of the energy are lost: $1 -
            \tfrac{7}{5}\cdot\tfrac{25}{49} = \tfrac27$.
        """,
    ),
)
