"""Operation counts after simplification against the best published ones (RBDA Table 10.1), for chains GU(n)."""

from benchmarks.table import Row
from rbdlib import aba, crba, rnea
from rbdlib.codegen.counting import count
from rbdlib.generators import gu

#: Multiplications and additions for n bodies; a division counts as a multiplication.
PUBLISHED = {
    "rnea": (rnea, lambda n: (93 * n - 108, 81 * n - 100)),
    "crba": (crba, lambda n: (10 * n * n + 22 * n - 32, 6 * n * n + 37 * n - 43)),
    "aba": (aba, lambda n: (224 * n - 259, 205 * n - 248)),
}
#: Within 10 % in total; at or below.
WANTED = (1 / 1.1, 1)


def rows(sizes):
    """A row for each algorithm and size: the published total, ours, and both parts of each."""
    found = []
    for name, (function, published) in PUBLISHED.items():
        for n in sizes:
            operations = count(function, gu(n), simplified=True, typed=True)
            m, a = operations["m"] + operations["d"], operations["a"]
            theirs = published(n)
            found.append(Row(f"operations of {name}: {m} m + {a} a", f"GU({n})",
                             f"Table 10.1: {theirs[0]} m + {theirs[1]} a", sum(theirs), m + a, "ops", *WANTED))
    return found
