"""Costs of factorisation and back-substitution where branches leave zeros (RBDA 6.4, 6.5, Table 6.6)."""

from collections import Counter

import numpy as np

from rbdlib.numbers.sparse import parents_of


def depths(parent):
    """d_k, how many variables there are from k to the base, k included, for k = 1..n: a list (RBDA 6.5)."""
    d = [0]
    for p in parents_of(parent, size_of(parent))[1:]:
        d.append(d[p] + 1)
    return d[1:]


def D_1(parent):
    """D_1, how many elements of H below the diagonal are not zero for all q (RBDA Eq. 6.26)."""
    return sum(d_k - 1 for d_k in depths(parent))                       # (6.26)


def D_2(parent):
    """D_2, how many elements the factorisation changes, counted each time it does so (RBDA Eq. 6.27)."""
    return sum(d_k * (d_k - 1) // 2 for d_k in depths(parent))          # (6.27)


def density(parent):
    """rho, the part of the elements of H that are not zero for all q: (n + 2 D_1) / n² (RBDA 6.4)."""
    n = size_of(parent)
    if n == 0:
        raise ValueError("parent is empty: a matrix without elements has no density. Give one number per variable.")
    return (n + 2 * D_1(parent)) / n**2


def costs(parent):
    """Table 6.6 for the given λ: {algorithm: {"LTL": operations, "LTDL": operations}}.

    The operations are counters of "m", "a", "d" and "sqrt", as `rbdlib.analysis.complexity.count_operations` gives.
    """
    n, below, changed = size_of(parent), Counter(m=D_1(parent), a=D_1(parent)), Counter(m=D_2(parent), a=D_2(parent))
    divisions = Counter(d=D_1(parent))
    product = {"LTL": Counter(m=n) + below, "LTDL": +below}
    substitution = {"LTL": Counter(d=n) + below, "LTDL": +below}
    return {
        "factorisation": {"LTL": Counter(sqrt=n) + divisions + changed, "LTDL": divisions + changed},
        "back-substitution": {"LTL": Counter(d=2 * n) + below + below, "LTDL": Counter(d=n) + below + below},
        "L x": product, "Lᵀ x": product, "L⁻¹ x": substitution, "L⁻ᵀ x": substitution,
        "H x": dict.fromkeys(("LTL", "LTDL"), Counter(m=n) + below + below),
    }


def size_of(parent):
    """The n of the matrix that a parent array is about; TypeError if it is no array."""
    if not np.iterable(parent):
        raise TypeError(f"parent is {parent!r}; give a list: the predecessor of each variable, 0 for none.")
    return len(list(parent))
