"""Answers of the exercises in data/exercises/24_counting.toml that take a computation."""

from rbdlib.exercises.declare import Computed


def _in(names, formula):
    """An answer in the positive symbols of the given names, from a function of these."""

    def answer():
        import sympy

        return formula(*sympy.symbols(names, positive=True))

    return answer


def _limbs(formula):
    return _in("k l", formula)


def _deepest(formula):
    return _in("n d", formula)


def _parents(rng):
    """The parents of a tree, of up to ten bodies and with two of them on the base at least."""
    n = int(rng.integers(4, 11))
    return ([0, *(int(rng.integers(0, i)) for i in range(2, n)), 0],)


def _depths(parent):
    depth = [0]
    for p in parent:
        depth.append(depth[p] + 1)
    return depth[1:]


def _steps(parent):
    return sum(depth - 1 for depth in _depths(parent))


def _with_themselves(parent):
    return sum(_depths(parent))


def _one_step_each(parent):
    return sum(p != 0 for p in parent)


def _as_if_a_chain(parent):
    return len(parent) * (len(parent) - 1) // 2


def _both_triangles(parent):
    return 2 * _steps(parent)


ANSWERS = {
    "24.3": Computed(_steps, inputs=_parents, mistakes={
        "entry": _with_themselves, "entry 2": _one_step_each, "entry 3": _as_if_a_chain, "factor": _both_triangles}),
    "24.4": Computed(_limbs(lambda k, l: k * l * (l + 1) / 2)),
    "24.5": Computed(_deepest(lambda n, d: (d - 1) * (n - d / 2)), mistakes={
        "entry": _deepest(lambda n, d: d * (n - d / 2 + 1 / 2))})}
