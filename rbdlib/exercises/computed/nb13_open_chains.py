"""Answers of the exercises in data/exercises/13_open_chains.toml that take a computation."""

from rbdlib.exercises.declare import Computed


def _formula(names, formula):
    """An answer in symbols, from a function of them."""

    def answer():
        from sympy import symbols

        return formula(*symbols(names, positive=True))

    return answer


def _in_omega_dt(formula):
    return _formula("omega dt", formula)


def _in_masses(formula):
    def of_sine(m1, m2, q2):
        from sympy import cos, sin

        return formula(m1, m2, sin(q2), cos(q2))

    return _formula("m1 m2 q2", of_sine)


def _inverse_dynamics(rng):
    """Inverse dynamics of some arm in a fixed posture, and its number of joints."""
    import numpy as np

    n = 3
    A, weight, C = rng.normal(size=(n, n)), rng.normal(size=n), rng.normal(size=(n, n, n))
    M = A @ A.T + n * np.eye(n)

    def ID(thd, thdd, gravity):
        thd, thdd = np.asarray(thd, float), np.asarray(thdd, float)
        return M @ thdd + C @ thd @ thd + (weight if gravity else 0)

    return ID, n


def _columns(thd_of, thdd_of, gravity):
    """A way to form a matrix from n calls of ID, by what it gives for the velocity and the acceleration."""

    def mass_matrix(ID, n):
        import numpy as np

        return np.column_stack([ID(thd_of(e), thdd_of(e), gravity) for e in np.eye(n)])

    return mass_matrix


def _task_inputs(rng):
    import numpy as np

    A = rng.normal(size=(3, 3))
    return rng.normal(size=(3, 3)) + 2 * np.eye(3), A @ A.T + np.eye(3), rng.normal(size=3), rng.normal(size=3)


def _torques(J, Lambda, eta, V_dot):
    return J.T @ (Lambda @ V_dot + eta)


def _without_bias(J, Lambda, eta, V_dot):
    return J.T @ (Lambda @ V_dot)


def _bias_as_torque(J, Lambda, eta, V_dot):
    return J.T @ (Lambda @ V_dot) + eta


def _untransposed(J, Lambda, eta, V_dot):
    return J @ (Lambda @ V_dot + eta)


def _by_inverse(J, Lambda, eta, V_dot):
    from numpy.linalg import solve

    return solve(J, Lambda @ V_dot + eta)


ANSWERS = {
    "13.1": Computed(_columns(lambda e: 0 * e, lambda e: e, False), inputs=_inverse_dynamics, mistakes={
        "entry": _columns(lambda e: 0 * e, lambda e: e, True),
        "swapped": _columns(lambda e: e, lambda e: 0 * e, False),
        "entry 2": _columns(lambda e: e, lambda e: e, False)}),
    "13.3": Computed(_in_omega_dt(lambda w, dt: 1 + w**2 * dt**2), mistakes={
        "factor": _formula("omega dt", lambda w, dt: (1 + w**2 * dt**2) ** 0.5)}),
    "13.6": Computed(_in_masses(lambda m1, m2, s, c: m2 + m1 / s**2)),
    "13.8": Computed(_torques, inputs=_task_inputs, mistakes={
        "entry": _without_bias, "dual": _by_inverse, "transpose": _untransposed, "dual 2": _bias_as_torque})}
