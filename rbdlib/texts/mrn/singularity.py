"""Where a task in the space of the tip has no solution worth having: what `task_space` refuses, and why.

A task is anything with the attributes rows, frame and damping of `rbdlib.texts.mrn.task_space.Task`.
"""

import numpy as np

from rbdlib.numbers.pivots import principal_axes
from rbdlib.numbers.scalars import as_floats

#: J is refused if its condition number is larger, with the angular and the linear rows each in a unit of their own: 10
#: of 16 digits are left then. Lambda is made of two inverses of J, and its condition number, which M can make still
#: larger, may be the square: 4 digits of its smallest values are left.
LARGEST_CONDITION = 1e6
#: Angular or linear rows that are so much smaller than the others are rounding errors, not a matter of units.
NOTHING = 1e-12


def require_regular(J, task):
    """Refuse a J (rows x nv) that is too nearly singular to be inverted; symbols are believed."""
    m, n = J.shape
    values = as_floats(J)
    if m > n:
        raise ValueError(f"The task has {m} rows and the model only {n} freedoms, so that J, {m} x {n}, has no inverse."
                         f" {remedy(J, task)}")
    condition = 1 if values is None else np.linalg.cond(_in_own_units(values, task.rows))
    if condition > LARGEST_CONDITION:
        _, directions = principal_axes(values @ values.T)
        lost, s = directions[:, 0], np.linalg.svd(values, compute_uv=False)
        hardly = "cannot" if s[-1] <= n * np.finfo(float).eps * s[0] else "can hardly"
        raise ValueError(f"The task is singular in this configuration, or nearly so: the joints {hardly} move the tip "
                         f"along {(np.round(lost, 3) + 0.0).tolist()} (rows {task.rows} in the {task.frame} frame); "
                         f"the condition number of J is {condition:.2g}, the limit {LARGEST_CONDITION:.0g}. Move the "
                         f"arm away from it. {remedy(J, task)}")


def require_definite(A, name, J, task):
    """Refuse a task-space inertia, or its inverse, whose smallest values would be lost among the rounding errors."""
    values = as_floats(A)
    if values is None:
        return
    condition = np.linalg.cond(_in_own_units(_in_own_units(values, task.rows).T, task.rows))
    if condition > LARGEST_CONDITION**2:
        raise ValueError(f"The task is singular in this configuration, or nearly so: along some directions the tip is "
                         f"so much heavier than along others that the condition number of {name} is {condition:.2g}, "
                         f"the limit {LARGEST_CONDITION**2:.0g}. Move the arm away from it. {remedy(J, task)}")


def remedy(J, task):
    """The end of a refusal: which rows are possible, if they are fewer, and damping."""
    values, possible = as_floats(J), []
    for k in sorted(range(len(J)), key=lambda k: task.rows[k] < 3) if values is not None else ():
        some = [*possible, k]
        part = _in_own_units(values, task.rows)[some]
        if len(some) <= values.shape[1] and np.linalg.cond(part) <= LARGEST_CONDITION:
            possible.append(k)
    rows = tuple(sorted(task.rows[k] for k in possible)) if len(possible) < len(task.rows) else ()
    return (f"Take fewer rows{f', such as rows={rows}' if rows else ''}, or accept an approximation with "
            f"Task(..., damping=d), d = 0.1 for example.")


def _in_own_units(A, rows):
    """A with its angular and its linear rows divided by their sizes, so that no unit of length matters."""
    angular = np.array(rows) < 3
    sizes = [np.linalg.norm(A[part]) for part in (angular, ~angular)]
    units = [size if size > NOTHING * max(sizes) else 1.0 for size in sizes]
    return A / np.where(angular, *units)[:, None]
