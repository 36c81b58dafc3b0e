"""Answers of the exercises in data/exercises/09_inverse_dynamics.toml that take a computation."""

from rbdlib.exercises.declare import Computed


def _in_n(formula):
    """An answer to exercise 9.1, from a function of n."""

    def answer():
        from sympy import symbols

        return formula(symbols("n"))

    return answer


def _tree(rng):
    f_net, f_ext = rng.normal(size=(2, 5, 6))
    f_net[0] = f_ext[0] = 0
    return (0, 0, 1, 1, 3), f_net, f_ext


def _joint_forces(parent, f_net, f_ext):
    f = f_net - f_ext
    for i in range(len(f) - 1, 0, -1):
        f[parent[i]] = f[parent[i]] + f[i]
    return f


def _helped_by_the_outside(parent, f_net, f_ext):
    return _joint_forces(parent, f_net, -f_ext)


def _from_the_base_outwards(parent, f_net, f_ext):
    f = f_net - f_ext
    for i in range(1, len(f)):
        f[parent[i]] = f[parent[i]] + f[i]
    return f


def _body_by_body(parent, f_net, f_ext):
    return f_net - f_ext


def _taken_away(parent, f_net, f_ext):
    f = f_net - f_ext
    for i in range(len(f) - 1, 0, -1):
        f[parent[i]] = f[parent[i]] - f[i]
    return f


def _coriolis(formula):
    """An answer to exercise 9.8, from a function of m2 l1 l2 sin q2 and the two rates."""

    def answer():
        from sympy import sin, symbols

        m2, l1, l2, q2, qd1, qd2 = symbols("m2 l1 l2 q2 qd1 qd2")
        return formula(m2 * l1 * l2 * sin(q2), qd1, qd2)

    return answer


ANSWERS = {
    "9.1": Computed(_in_n(lambda n: n * (n**2 - 1) / 6)),
    "9.3": Computed(_joint_forces, inputs=_tree, mistakes={
        "sign": _helped_by_the_outside, "order": _from_the_base_outwards, "entry": _body_by_body,
        "sign 2": _taken_away}),
    "9.8": Computed(_coriolis(lambda k, qd1, qd2: -k * (2 * qd1 * qd2 + qd2**2) / 2))}
