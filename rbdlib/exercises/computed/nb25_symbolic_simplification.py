"""Answers of the exercises in data/exercises/25_symbolic_simplification.toml that take a computation."""

from rbdlib.exercises.declare import Computed


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


ANSWERS = {
    "25.3": Computed(_needed, inputs=_program, mistakes={
        "entry": lambda operands, output: [int(k in (output, *operands[output])) for k in range(len(operands))],
        "entry 2": lambda operands, output: [
            int(used and k != output) for k, used in enumerate(_needed(operands, output))],
        "inverse": lambda operands, output: [1 - used for used in _needed(operands, output)],
        "entry 3": lambda operands, output: [
            int(k in (output, *sum(operands, []))) for k in range(len(operands))]})}
