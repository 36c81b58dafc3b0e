"""How many operations the algorithms need: published figures, and what branches change (RBDA 10.3).

Trees are given by their parents, a list of n numbers as in `rbdlib.book.ch06_factorisation`; every joint is revolute,
about the z axis of its body. Sines and cosines are left out, as in the book. `rbdlib.analysis.counting` counts what
this package's own algorithms do.
"""

from collections import Counter, namedtuple
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rbdlib.book.ch04_model import subtree
from rbdlib.numbers.sparse import parents_of


@dataclass(frozen=True)
class Cost:
    """m multiplications and divisions, a additions and subtractions; either may be a formula (RBDA 10.3)."""

    m: Any
    a: Any

    def __add__(self, other):
        return Cost(self.m + other.m, self.a + other.a)

    def __mul__(self, times):
        return Cost(times * self.m, times * self.a)

    __rmul__ = __mul__

    def total(self, addition=1):
        """One number, in multiplications; addition: what an addition costs."""
        return self.m + addition * self.a

    def __str__(self):
        return f"{self.m}m + {self.a}a"


def cost_of(operations):
    """The `Cost` of a counter of operations, such as `rbdlib.analysis.counting.count_operations` returns."""
    return Cost(operations["m"] + operations["d"], operations["a"])


# Factorisation and back-substitution where branches leave zeros (RBDA 6.4, 6.5, Table 6.6)


def depths(parent):
    """d_k, how many variables there are from k to the base, k included, for k = 1..n: a list (RBDA 6.5)."""
    if not np.iterable(parent):
        raise TypeError(f"parent is {parent!r}; give a list: the predecessor of each variable, 0 for none.")
    d = [0]
    for p in parents_of(parent, len(list(parent)))[1:]:
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
    n = len(depths(parent))
    if n == 0:
        raise ValueError("parent is empty: a matrix without elements has no density. Give one number per variable.")
    return (n + 2 * D_1(parent)) / n**2


def costs(parent):
    """Table 6.6 for the given λ: {algorithm: {"LTL": counter, "LTDL": counter}}, with "m", "a", "d" and "sqrt"."""
    n, d_1, d_2 = len(depths(parent)), D_1(parent), D_2(parent)
    below, changed, divisions = Counter(m=d_1, a=d_1), Counter(m=d_2, a=d_2), Counter(d=d_1)
    product = {"LTL": Counter(m=n) + below, "LTDL": +below}
    substitution = {"LTL": Counter(d=n) + below, "LTDL": +below}
    return {
        "factorisation": {"LTL": Counter(sqrt=n) + divisions + changed, "LTDL": divisions + changed},
        "back-substitution": {"LTL": Counter(d=2 * n) + below + below, "LTDL": Counter(d=n) + below + below},
        "L x": product, "Lᵀ x": product, "L⁻¹ x": substitution, "L⁻ᵀ x": substitution,
        "H x": dict.fromkeys(("LTL", "LTDL"), Counter(m=n) + below + below),
    }


# Published figures for GU(n) (RBDA Table 10.1)


class Published(namedtuple("Published", "algorithm m a sources")):
    """A row of Table 10.1: the multiplications and additions of an algorithm on GU(n), and who published them.

    m, a: the coefficients of 1, n, n², ... The formulas are for n of at least 2; some are negative at n = 1.
    """

    def cost(self, n):
        """The `Cost` on GU(n); n may be a symbol."""
        return Cost(*(sum(c * n**k for k, c in enumerate(coefficients)) for coefficients in (self.m, self.a)))


SOURCES = {
    1: "Balafoutis et al. (1988), Algorithm 3 in Table II",
    2: "Balafoutis and Patel (1989), Algorithm I in Table II",
    3: "Balafoutis and Patel (1991), Algorithm 5.7 in Tables 5.1 and 5.2",
    4: "Balafoutis and Patel (1991), Algorithm 6.2 in Table 6.2",
    5: "Brandl et al. (1988)",
    6: "Featherstone (1987), Table 8-6",
    7: "Featherstone (2005), Eq. 20",
    8: "Hollerbach (1980), Newton-Euler method in Table I",
    9: "Lilly and Orin (1991), method IV in Table 7",
    10: "Lilly (1993), method IV in Table 3.7",
    11: "McMillan et al. (1995), Table II (fixed base)",
    12: "Walker and Orin (1982), method 3",
    13: "RBDA Table 6.6 with Eq. 6.28",
    14: "RBDA Eq. 10.3",
}

#: Table 10.1, the best row of each algorithm first. "solve" is F&S: factorise H and solve H qdd = tau - C.
TABLE_10_1 = (
    Published("rnea", (-108, 93), (-100, 81), (3,)),
    Published("rnea", (-69, 93), (-66, 81), (1, 3)),
    Published("rnea", (-68, 130), (-56, 101), (6,)),
    Published("rnea", (-48, 150), (-48, 131), (8,)),
    Published("crba", (-32, 22, 10), (-43, 37, 6), (7, 14)),
    Published("crba", (-41, 31, 10), (-46, 40, 6), (6,)),
    Published("crba", (-51, 41, 10), (-58, 52, 6), (9, 10)),
    Published("crba", (-42, 11, 11), (-54, Fraction(65, 2), Fraction(11, 2)), (2, 4)),
    Published("crba", (-27, 56, 12), (-53, 67, 7), (12,)),
    Published("solve", (0, Fraction(-2, 3), Fraction(3, 2), Fraction(1, 6)),
              (0, Fraction(-7, 6), 1, Fraction(1, 6)), (13,)),
    Published("aba", (-259, 224), (-248, 205), (11,)),
    Published("aba", (-222, 250), (-198, 220), (5,)),
    Published("aba", (-267, 300), (-259, 279), (6,)),
)


def best_rows():
    """The rows of Table 10.1 that Figures 10.4 and 10.5 are drawn from: {"rnea", "crba", "solve", "aba": row}."""
    return {row.algorithm: row for row in reversed(TABLE_10_1)}


# Cost of one line of the composite-rigid-body algorithm (RBDA 10.3.1, 10.3.2)

#: ra: the sum of two rigid-body inertias of ten parameters.
RA = Cost(0, 10)
#: vx: a vector through two axial screws (Denavit-Hartenberg), or through a general transform.
VX_DH, VX_G = 2 * Cost(10, 6), Cost(24, 18)
#: rx: a rigid-body inertia through two axial screws, or through three, of which one has an angle that changes.
RX_DH, RX_G = (screws * Cost(15, 15) + Cost(2, 3) for screws in (2, 3))


def crba_cost(D_0, D_1, ra=RA, rx=RX_DH, vx=VX_DH):
    """The composite-rigid-body algorithm if line 7 of Table 10.2 runs D_0 times and line 13 D_1 times (RBDA Eq. 10.6).

    ra, rx, vx: what it costs to add two inertias, to transform one, to transform a vector.
    """
    return D_0 * (ra + rx) + D_1 * vx                                   # (10.6)


def crba_cost_on_chain(n):
    """Cost of CRBA on GU(n): (10n² + 22n - 32)m + (6n² + 37n - 43)a (RBDA Eqs 10.2, 10.3). n may be a symbol."""
    return crba_cost(n - 1, n * (n - 1) * Fraction(1, 2))               # (10.2)


def D_0(parent):
    """How often line 7 of Table 10.2 runs: once for each body that does not hang on the base (RBDA Eq. 10.4)."""
    depths(parent)
    return sum(p != 0 for p in parent)                                  # (10.4)


class Executions(namedtuple("Executions", "D_0_dh D_0_g D_1_dh D_1_g")):
    """How often lines 7 (D_0) and 13 (D_1) of Table 10.2 meet Denavit-Hartenberg (dh) and general transforms (g)."""


def executions(parent, dh=None):
    """The `Executions` on a tree of n revolute joints (RBDA Eq. 10.11).

    dh: the bodies whose transform from the parent has Denavit-Hartenberg form, the book's set pi_dh; `dh_children` if
    left out. Raises ValueError if dh holds a child of the base, or two children of one body.
    """
    depths(parent)
    lists, dh = [None, *parent], dh_children(parent) if dh is None else set(dh)
    wrong = next((i for i in sorted(dh) if i not in range(1, len(lists)) or lists[i] == 0), None)
    if wrong is not None:
        raise ValueError(f"dh contains {wrong}; give bodies whose parent is another body, not the base.")
    twice = next((p for p, n in Counter(lists[i] for i in sorted(dh)).items() if n > 1), None)
    if twice is not None:
        raise ValueError(f"dh contains several children of body {twice}; only one child of a body can have a "
                         "Denavit-Hartenberg frame.")
    general = [i for i in range(1, len(lists)) if lists[i] != 0 and i not in dh]

    def uses(bodies):
        return sum(len(subtree(lists, i)) for i in bodies)

    return Executions(len(dh), len(general), uses(dh), uses(general))   # (10.11)


def dh_children(parent):
    """For each body that has children, the one that carries most: {numbers} (RBDA 10.3.2).

    Only one child of a body can have a Denavit-Hartenberg frame, and this choice is the cheapest.
    """
    depths(parent)
    lists = [None, *parent]
    children = ([i for i in range(1, len(lists)) if lists[i] == p] for p in sorted({*parent} - {0}))
    return {max(numbers, key=lambda i: len(subtree(lists, i))) for numbers in children}


def crba_cost_on_tree(parent, dh=None):
    """The composite-rigid-body algorithm on a tree of revolute joints; dh: see `executions` (RBDA Eqs 10.10, 10.12)."""
    D = executions(parent, dh)
    return (D_0(parent) * RA + D.D_0_dh * RX_DH + D.D_0_g * RX_G        # (10.10)
            + D.D_1_dh * VX_DH + D.D_1_g * VX_G)


def solve_cost(parent):
    """Factorising H = LᵀDL and solving H qdd = tau - C for qdd (RBDA Table 6.6), without the subtraction of C."""
    table = costs(parent)
    return cost_of(table["factorisation"]["LTDL"] + table["back-substitution"]["LTDL"])


def forward_dynamics_cost(parent):
    """Forward dynamics by the O(nd²) algorithm: RNEA, CRBA, factorise and solve, by the best figures (RBDA 10.3.2).

    RNEA, which branches hardly affect, is taken to cost what it does on GU(n).
    """
    return best_rows()["rnea"].cost(len(parent)) + crba_cost_on_tree(parent) + solve_cost(parent)


# The curves of Figures 10.4 and 10.5


def figure_10_4(sizes, addition=1):
    """Total costs on GU(n) for each n of sizes: {curve: list of numbers} (RBDA Figure 10.4).

    "rnea", "crba", "solve" and their sum "n³"; "aba". addition: what an addition costs in multiplications.
    """
    curves = {name: [float(row.cost(n).total(addition)) for n in sizes] for name, row in best_rows().items()}
    parts = (curves[name] for name in ("rnea", "crba", "solve"))
    return {**curves, "n³": [sum(part) for part in zip(*parts, strict=True)]}


def figure_10_5(sizes, addition=1):
    """Total costs for each n of sizes: {curve: list of numbers} (RBDA Figure 10.5).

    "aba" and "chain", the O(nd²) algorithm on GU(n); "binary tree": the same where body i is the child of body i // 2.
    """
    curves = figure_10_4(sizes, addition)
    trees = ([i // 2 for i in range(1, n + 1)] for n in sizes)
    return {"aba": curves["aba"], "chain": curves["n³"],
            "binary tree": [float(forward_dynamics_cost(tree).total(addition)) for tree in trees]}
