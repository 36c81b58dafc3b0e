"""Linear complementarity problems of contacts, solved by every method (RBDA 11.5)."""

from dataclasses import dataclass, field
from importlib.util import find_spec

import numpy as np

from rbdlib.contact.lcp import solve_lcp


@dataclass
class RandomLCP:
    """So many problems M, d with M = TᵀH⁻¹T; some contacts repeat or oppose others, some d are 0."""

    rng: np.random.Generator
    size: int
    problems: list = field(default_factory=list)

    def __post_init__(self):
        for _ in range(self.size if not self.problems else 0):
            n, m = self.rng.integers(1, 9, 2)
            T = self.rng.normal(size=(m, n)).round(1)
            for k in range(1, n):
                if self.rng.random() < 0.2:
                    T[:, k] = T[:, self.rng.integers(k)] * self.rng.choice([1, -1, 2])
            d = T.T @ self.rng.normal(size=m).round(1) - self.rng.choice([0, 0, 1]) * self.rng.random(n).round(1)
            self.problems.append((T.T @ T, d))

    def only(self, k):
        return RandomLCP(self.rng, 1, [self.problems[k]])


def contact_methods_agree(case, fast=None):
    """Each solution fulfils the conditions, all have the same motion, and if one finds none, none does."""
    methods = ["lemke", "dantzig"] + ["qp"] * bool(find_spec("daqp"))
    found = []
    for M, d in case.problems:
        solutions = [solve_lcp(M, d, method) for method in methods]
        worst = 0.0 if len({solution.status for solution in solutions}) == 1 else np.inf
        for solution in solutions:
            if solution.feasible:
                lam, motion = solution.lam, solution.zeta_dot
                size = 1e-8 * (abs(M) @ abs(lam) + abs(d)).max(initial=1)
                worst = max(worst, *abs(M @ lam + d - motion) / size, *-lam / size, *-motion / size,
                            *abs(lam * motion) / size, *abs(motion - solutions[0].zeta_dot) / size)
            else:
                worst = max(worst, np.inf if solution.ray @ d >= 0 else 0)
        found.append(worst)
    return np.array(found)
