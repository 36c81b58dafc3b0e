"""Independent constraints and all solutions of K x = k, block by block, one for each cluster of loops (RBDA 8.9)."""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch08_closed_loops import loop_constraints
from rbdlib.book.ch08_elimination import eliminate, solution_of
from rbdlib.loops.tolerances import error_units, kept_for_model, loop_path, rank_tolerance
from rbdlib.numbers.pivots import PIVOT_TOLERANCE
from rbdlib.numbers.scalars import eye, zeros
from rbdlib.numbers.validation import require_tolerance

#: Elements of K below this, in the units of their row, are rounding errors.
ROUNDED = 1e-13


def constraints_to_rank(model, q, qd, T_stab=None, t=0.0, tree=None, tolerance=None):
    """K, k and delta of `loop_constraints`, and the tolerance with which the rank of K is found.

    tolerance: that of `rank_tolerance`, if it is not given. Other arguments as for `loop_constraints`. K is 0 where a
    loop constrains nothing: what rounding leaves there would count as a constraint. Its elements are compared with 1,
    or the loop's size where they are lengths; numbers other than floats stay as they are.
    """
    tolerance = None if tolerance is None else require_tolerance(tolerance, PIVOT_TOLERANCE)
    K, k, delta = loop_constraints(model, q, qd, T_stab, t, tree)
    units = error_units(model)
    K = np.where(abs(K) < ROUNDED * units[:, None], 0.0, K) if K.dtype == float else K
    return K, k, delta, rank_tolerance(delta / units) if tolerance is None else tolerance


class Cluster(namedtuple("Cluster", "loops joints rows variables")):
    """Loops that share joints with one another and with no other loop (RBDA 8.9).

    loops: numbers of the loops, 1..N_L.  joints: numbers of the tree joints in them.  rows: their rows of K.
    variables: the columns of these joints. Elsewhere these rows and these columns of K are zero.
    """


def loop_clusters(model):
    """The minimal loop clusters of a model, in the order of their first loops: a list of `Cluster` (RBDA 8.9)."""
    return [Cluster(*map(list, cluster)) for cluster in _loop_clusters(model)]


@kept_for_model
def _loop_clusters(model):
    paths = [loop_path(model, l) for l in range(1, model.N_L + 1)]
    sets = []
    for l, path in enumerate(paths, start=1):
        coupled = [cluster for cluster in sets if cluster[1] & set(path)]
        sets = [cluster for cluster in sets if not cluster[1] & set(path)]
        sets.append(({l}.union(*(loops for loops, _ in coupled)), set(path).union(*(joints for _, joints in coupled))))
    ends = np.cumsum([0, *(6 - loop.joint.nv for loop in model.loops)])
    return [Cluster(sorted(loops), sorted(joints), [row for l in sorted(loops) for row in range(ends[l - 1], ends[l])],
                    [x for j in sorted(joints) for x in range(model.nv)[model.v_slice(j)]])
            for loops, joints in sorted(sets, key=lambda cluster: min(cluster[0]))]


class Independent(namedtuple("Independent", "K k L D clusters")):
    """Independent constraints K_1 qdd = k_1 that say what K qdd = k says, with K = L D K_1.

    K (r x n): K_1, rows of the book's U, each divided by its pivot.  k (r): k_1.  L (n_c x r), D (r): see `eliminate`;
    the rows of L are in the order of those of K here, and D holds the pivots.  clusters: those of K_1.
    """


def independent_constraints(K, k, tolerance=None, clusters=None):
    """Prune K qdd = k of constraints that repeat others (RBDA 8.5): an `Independent`.

    Elimination also brings constraints that nearly repeat others into a form that is good to calculate with. k_1 meets
    all of k if the constraints agree, and otherwise comes as near as can be (least squares). tolerance: pivots of the
    elimination below this fraction of the largest element of K count as zero (default 1e-9). clusters: the blocks of
    K, as from `loop_clusters`; one, if left out.
    """
    clusters = [Cluster([], [], list(range(len(K))), list(range(K.shape[1])))] if clusters is None else clusters
    found = [eliminate(K[np.ix_(cluster.rows, cluster.variables)], tolerance) for cluster in clusters]
    r, ends = sum(part.rank for part in found), np.cumsum([0, *(part.rank for part in found)]).tolist()
    K_1, L, D, own = zeros((r, K.shape[1]), K), zeros((len(K), r), K), zeros(r, K), []
    for cluster, part, start in zip(clusters, found, ends, strict=False):
        rows, columns = [cluster.rows[i] for i in part.rows], [cluster.variables[j] for j in part.columns]
        L[rows, start : start + part.rank] = part.L
        for i in range(part.rank):
            D[start + i] = part.U[i, i]
            K_1[start + i, columns] = part.U[i] / part.U[i, i]
        own.append(cluster._replace(rows=list(range(start, start + part.rank))))
    return Independent(K_1, solve(L.T @ L, L.T @ k) / D, L, D, own)


def shortest_multipliers(independent, lam_1):
    """Of all lam with the same effect Kᵀ lam = K_1ᵀ lam_1 the shortest (n_c)."""
    L, D = independent.L, independent.D
    return L @ solve(L.T @ L, lam_1 / D)


class Block(namedtuple("Block", "variables y G g")):
    """A diagonal block of G and its part of g: G (n_i x m_i) for the variables (places in qdd), y (places in ydd).

    G is None for variables in no loop: it stands for the unit matrix.
    """


def solution_by_clusters(K, k, clusters, tolerance=None):
    """All solutions of K x = k as `constraint_solution` finds them, cluster by cluster (RBDA 8.9): a list of `Block`.

    K, k, tolerance: as for `eliminate`; clusters: as from `loop_clusters`. With `join` the blocks become G and g.
    """
    found, n = [], K.shape[1]
    for cluster in clusters:
        G, g, own = solution_of(eliminate(K[np.ix_(cluster.rows, cluster.variables)], tolerance), k[cluster.rows])
        found.append((cluster.variables, [cluster.variables[x] for x in own], G, g))
    free = sorted(set(range(n)).difference(*(variables for variables, *_ in found)))
    found.append((free, free, None, zeros(len(free), K)))
    y = sorted(x for _, own, *_ in found for x in own)
    return [Block(variables, [y.index(x) for x in own], G, g) for variables, own, G, g in found if variables]


def join(blocks, like):
    """G (n x m) and g (n) from the blocks of `solution_by_clusters`; like: numbers of the kinds that occur."""
    n, m = (sum(len(block[place]) for block in blocks) for place in (0, 1))
    G, g = zeros((n, m), like), zeros(n, like)
    for block in blocks:
        G[np.ix_(block.variables, block.y)] = eye(len(block.y), like) if block.G is None else block.G
        g[block.variables] = block.g
    return G, g
