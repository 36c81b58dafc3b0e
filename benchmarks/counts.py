"""Operation counts after simplification against the best published ones (RBDA Table 10.1), for chains GU(n)."""

from dataclasses import replace

from benchmarks.table import Row
from rbdlib import aba, crba, rnea
from rbdlib.analysis.counting import count
from rbdlib.methods.generators import gu

#: Multiplications and additions for n bodies; a division counts as a multiplication.
PUBLISHED = {
    "rnea": (rnea, lambda n: (93 * n - 108, 81 * n - 100)),
    "crba": (crba, lambda n: (10 * n * n + 22 * n - 32, 6 * n * n + 37 * n - 43)),
    "aba": (aba, lambda n: (224 * n - 259, 205 * n - 248)),
}
#: Within 10 % in total; at or below.
WANTED = (1 / 1.1, 1)


#: The sizes that are shown; of the others only the one with the smallest ratio.
SHOWN = (2, 7, 20)


def rows(sizes):
    """Rows with the published total and ours, for a few of the sizes and for the one where ours is worst."""
    found = []
    for name in PUBLISHED:
        every = {n: row(name, n) for n in sizes}
        worst = min(every, key=lambda n: every[n].ratio)
        found += [every[n] for n in every if n in SHOWN and n != worst]
        found.append(replace(every[worst], model=f"GU({worst}), worst of {min(sizes)} ... {max(sizes)}"))
    return found


def row(name, n):
    """The operations of one algorithm for GU(n)."""
    function, published = PUBLISHED[name]
    operations, theirs = count(function, gu(n), simplified=True, typed=True), published(n)
    m, a = operations["m"] + operations["d"], operations["a"]
    return Row(f"operations of {name}: {m} m + {a} a", f"GU({n})", f"Table 10.1: {theirs[0]} m + {theirs[1]} a",
               sum(theirs), m + a, "ops", *WANTED)
