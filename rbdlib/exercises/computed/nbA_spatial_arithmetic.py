"""Answers of the exercises in data/exercises/A_spatial_arithmetic.toml that take a computation."""

from rbdlib.exercises.declare import Computed


def _random_inertia(rng):
    """A rigid-body inertia about an origin that is not its centre of mass."""
    import numpy as np

    from rbdlib.book.ch02_spatial import mcI

    A = rng.normal(size=(3, 3))
    second_moments = A @ A.T
    I_C = np.trace(second_moments) * np.eye(3) - second_moments
    return (mcI(round(rng.uniform(1, 5), 2), rng.normal(size=3), I_C),)


def _triangle(A):
    return [A[0, 0], A[1, 0], A[1, 1], A[2, 0], A[2, 1], A[2, 2]]


def _ten(I):
    return [I[5, 5], I[2, 4], I[0, 5], I[1, 3], *_triangle(I[:3, :3])]


def _with_centre(I):
    m, *h = _ten(I)[:4]
    return [m, *(x / m for x in h), *_triangle(I[:3, :3])]


def _other_block(I):
    m, x, y, z, *rest = _ten(I)
    return [m, -x, -y, -z, *rest]


def _by_columns(I):
    return [*_ten(I)[:4], I[0, 0], I[1, 0], I[2, 0], I[1, 1], I[2, 1], I[2, 2]]


def _about_centre(I):
    from rbdlib.book.ch02_spatial import I_to_mcI

    return [*_ten(I)[:4], *_triangle(I_to_mcI(I)[2])]


def _of_a_force(formula):
    """An answer in the coordinates of a force and the numbers of a screw, from a function of these."""

    def answer():
        import sympy

        return list(formula(*sympy.symbols("n_x n_y n_z f_x f_y f_z c s d")))

    return answer


def _shifted(shift):
    """The moment in turned coordinates, from a function that gives the moment about the new origin."""

    def formula(n_x, n_y, n_z, f_x, f_y, f_z, c, s, d):
        x, y, z = shift(n_x, n_y, n_z, f_x, f_y, f_z, d)
        return c * x + s * y, c * y - s * x, z

    return formula


def _of_an_inertia(formula):
    """An answer in the shift d, the mass m and the first moment h, from a function of these."""

    def answer():
        import sympy

        return list(formula(*sympy.symbols("d m h_x h_y h_z")))

    return answer


ANSWERS = {
    "A.2": Computed(_ten, inputs=_random_inertia, mistakes={
        "factor": _with_centre, "sign": _other_block, "swapped": _by_columns, "frame": _about_centre}),
    "A.5": Computed(_of_a_force(_shifted(lambda n_x, n_y, n_z, f_x, f_y, f_z, d: (n_x + f_y * d, n_y - f_x * d, n_z)))),
    "A.6": Computed(
        _of_an_inertia(lambda d, m, x, y, z: (0, y * d, -(2 * x - m * d) * d, z * d, 0,
                                              -(2 * x - m * d) * d)))}
