"""Additional exercises on RBDA appendix A: transforms as (E, r), inertias as ten numbers, and their cost."""

import numpy as np

from rbdlib.exercises.more.declare import Mistake, More, formula


def _transformed(E, r, v):
    return np.concatenate([E @ v[:3], E @ (v[3:] - np.cross(r, v[:3]))])


def _frame_and_motion(rng):
    from rbdlib.book.ch02_spatial import rx, rz

    return rx(rng.normal()) @ rz(rng.normal()), rng.normal(size=3), rng.normal(size=6)


EXERCISES = (
    More(
        id="A.51",
        title="A transform without its thirty-six numbers",
        section="Fewer multiplications than a product has",
        level=1,
        kind="function",
        question=r"""
            Write a function `apply(E, r, v)` that returns $X v$ for $X = \mathrm{rot}(E)\,\mathrm{xlt}(r)$ and a motion
            vector `v`, without forming a 6×6 matrix.
        """,
        reference=_transformed,
        inputs=_frame_and_motion,
        mistakes=(
            Mistake(lambda E, r, v: np.concatenate([E @ v[:3], E @ (v[3:] + np.cross(r, v[:3]))]),
                    "The angular part is right. The velocity at the new origin r is v_O + ω × r, which is v_O - r × ω.",
                    "sign"),
            Mistake(lambda E, r, v: np.concatenate([E @ v[:3], E @ v[3:] - np.cross(r, E @ v[:3])]),
                    "The angular part is right. r is written in the old coordinates: shift first, then turn.", "order"),
            Mistake(lambda E, r, v: np.concatenate([E.T @ v[:3], E.T @ (v[3:] - np.cross(r, v[:3]))]),
                    "The order is right. E itself takes coordinates from the old axes to the new ones; its transpose "
                    "takes them back.", "transpose"),
            Mistake(lambda E, r, v: np.concatenate([E @ v[:3], E @ v[3:]]),
                    "You have turned the axes and left the origin where it was.", "entry"),
        ),
        hints=("Shift in the old coordinates, then turn.", "E ω and E (v_O - r × ω)"),
        solution=r"""
            The angular part is $E \omega$ and the linear part $E (v_O - r \times \omega)$:

                def apply(E, r, v):
                    return np.concatenate([E @ v[:3], E @ (v[3:] - np.cross(r, v[:3]))])

            That takes 24 multiplications and 18 additions, where a 6×6 matrix takes 36 and 30.
        """,
    ),
    More(
        id="A.52",
        title="The way back",
        section="A motion plus a force",
        level=1,
        quantity="vector",
        question=r"""
            A transform is stored as $(E, r)$ with $E = \mathrm{rz}(90°) = [0, 1, 0;\; {-1}, 0, 0;\; 0, 0, 1]$ and
            $r = (1, 2, 0)$. Its inverse is stored as $(E^{\mathrm T}, r')$. What is $r'$?
        """,
        reference=(-2, 1, 0),
        mistakes=(
            Mistake((-1, -2, 0),
                    "The old origin is at -r, but its coordinates are wanted along the new axes.", "frame"),
            Mistake((2, -1, 0), "The axes are right. From the new origin the old one lies in the opposite direction.",
                    "sign"),
            Mistake((2, 1, 0), "Check the product E r: its second entry is -1·1.", "sign"),
        ),
        hints=("r' locates the old origin in the new frame.", "r' = -E r"),
        solution=r"""
            Seen from the new origin the old one is at $-r$, in new coordinates $r' = -E r$. With
            $E r = (2, -1, 0)$ this is $(-2, 1, 0)$.
        """,
    ),
    More(
        id="A.53",
        title="An inertia in turned axes, on paper",
        section="One axis at a time",
        level=2,
        names=("I_xx", "I_xy", "I_yy"),
        question=r"""
            *On paper.* In the body's axes the rotational inertia is $\mathrm{diag}(A, B, C)$. The axes are turned by
            $\theta$ about *z*: $I' = E\,I\,E^{\mathrm T}$ with $E = \mathrm{rz}(\theta)$. Give $I'_{xx}$, $I'_{xy}$ and
            $I'_{yy}$ in `A`, `B`, `theta`.
        """,
        where="0 < A, B",
        reference=formula("A*cos(theta)**2 + B*sin(theta)**2", "(B - A)*sin(theta)*cos(theta)",
                          "A*sin(theta)**2 + B*cos(theta)**2"),
        mistakes=(
            Mistake(formula("A*cos(theta)**2 + B*sin(theta)**2", "(A - B)*sin(theta)*cos(theta)",
                            "A*sin(theta)**2 + B*cos(theta)**2"),
                    "The diagonal is right. The product of inertia has the opposite sign: you have Eᵀ I E.",
                    "transpose"),
            Mistake(formula("A*cos(theta) + B*sin(theta)", "0", "B*cos(theta) - A*sin(theta)"),
                    "Inertias do not turn like vectors: E stands on both sides, and every entry gets two factors.",
                    "misconception"),
            Mistake(formula("A*cos(theta)**2 + B*sin(theta)**2", "0", "A*sin(theta)**2 + B*cos(theta)**2"),
                    "The diagonal is right. In axes that are not the principal ones there are products of inertia.",
                    "entry"),
        ),
        hints=("The rows of E are (c, s, 0) and (-s, c, 0).", "I'_xy = (c, s) · diag(A, B) · (-s, c)ᵀ"),
        solution=r"""
            With the rows $(c, s)$ and $(-s, c)$ of $E$: $I'_{xx} = A c^2 + B s^2$, $I'_{xy} = -A c s + B s c = (B - A)
            s c$ and $I'_{yy} = A s^2 + B c^2$. The trace $A + B$ has not changed. With $u = (B - A)\,s$ this takes few
            multiplications: $I'_{xx} = A + u s$, $I'_{xy} = u c$, $I'_{yy} = B - u s$.
        """,
    ),
    More(
        id="A.54",
        title="Momentum from ten numbers",
        section="Ten, twelve, twenty-one",
        level=2,
        quantity="whole numbers",
        names=("multiplications", "additions"),
        question=r"""
            An inertia is stored as $m$, $h = m c$ and $I_O$. Its product with $[\omega, v_O]$ is $[I_O\,\omega + h
            \times v_O,\; m v_O - h \times \omega]$. How many multiplications and how many additions or subtractions are
            that?
        """,
        reference=(24, 18),
        mistakes=(
            Mistake((36, 30), "That is the product with a full 6×6 matrix.", "entry"),
            Mistake((24, 12), "The multiplications are right. The two sums of vectors take 3 additions each.", "entry"),
            Mistake((21, 18), "The additions are right. m v_O takes 3 multiplications.", "entry"),
        ),
        hints=("A 3×3 matrix times a vector: 9m + 6a. A cross product: 6m + 3a.",
               "9 + 6 + 6 + 3 multiplications, and two sums of vectors."),
        solution=r"""
            $I_O\,\omega$: 9m + 6a; two cross products: 12m + 6a; $m v_O$: 3m; two sums: 6a. Together 24m + 18a. That
            the matrix $I_O$ is symmetric saves storage here, and no multiplication.
        """,
    ),
)
