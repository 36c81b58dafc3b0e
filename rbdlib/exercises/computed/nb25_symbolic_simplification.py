"""Answers of the exercises in data/exercises/25_symbolic_simplification.toml that take a computation."""

from rbdlib.exercises.declare import Computed


def _component(formula):
    """An answer to exercise 25.2, from a function of a, b, d, v1, v2."""

    def answer():
        import sympy

        return formula(*sympy.symbols("a b d v1 v2"))

    return answer


def _border(formula):
    """An answer to exercise 25.8, from a function of both angles and of the cosine."""

    def answer():
        import sympy

        return formula(*sympy.symbols("th1 th2"), sympy.cos)

    return answer


def _program(rng):
    """The operands of ten variables, the first three of them inputs, and the number of an output near the end."""
    operands = [[], [], []]
    for k in range(3, 10):
        operands.append(sorted(rng.choice(k, size=2, replace=False).tolist()))
    return operands, int(rng.integers(7, 10))


def _needed(operands, output):
    used = [0] * len(operands)
    used[output] = 1
    for k in reversed(range(len(operands))):
        if used[k]:
            for x in operands[k]:
                used[x] = 1
    return used


def _only_direct(operands, output):
    return [int(k == output or k in operands[output]) for k in range(len(operands))]


def _without_itself(operands, output):
    return [int(used and k != output) for k, used in enumerate(_needed(operands, output))]


def _unused(operands, output):
    return [1 - used for used in _needed(operands, output)]


def _read_somewhere(operands, output):
    read = {x for k in range(len(operands)) for x in operands[k]}
    return [int(k == output or k in read) for k in range(len(operands))]


ANSWERS = {
    "25.2": Computed(_component(lambda a, b, d, v1, v2: d * (v1**2 - v2**2) + (b - a) * v1 * v2)),
    "25.3": Computed(_needed, inputs=_program, mistakes={
        "entry": _only_direct, "entry 2": _without_itself, "inverse": _unused, "entry 3": _read_somewhere}),
    "25.7": Computed(2 / (0.2e-3 - 1e-6)),
    "25.8": Computed(_border(lambda th1, th2, cos: 2 * cos(th1) + cos(th2)))}
