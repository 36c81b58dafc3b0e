"""The constraint K qdd = k by elimination: independent rows, all solutions G ydd + g, blocks (RBDA 8.8, 8.9).

K (n_c x n) may have any rank r. It falls into blocks, one for each cluster of loops that share joints, and what is done
here can be done block by block.
"""

from typing import NamedTuple

import numpy as np

from rbdlib.factorisation import solve
from rbdlib.loop_joints import values_of
from rbdlib.model import require_model
from rbdlib.scalars import eye, matrix, vector, zeros

#: Pivots below this fraction of the largest element of K count as zero.
PIVOT_TOLERANCE = 1e-9


class Elimination(NamedTuple):
    """K in the order in which elimination took its rows and columns, as a product (RBDA Eq. 8.50).

    rows, columns: lists of places in K; those of the pivots come first, and K[rows][:, columns] is [[K_11, K_12],
    [K_21, K_22]].  rank: r.  L (n_c x r): unit lower trapezoidal.  U (r x n): upper trapezoidal. L U is that matrix.
    """

    rows: list
    columns: list
    rank: int
    L: np.ndarray
    U: np.ndarray


def eliminate(K, tolerance=None, independent=()):
    """Gaussian elimination of K with complete pivoting (RBDA 8.8): an `Elimination`.

    tolerance: elements below this fraction of the largest count as zero (default `PIVOT_TOLERANCE`). independent:
    columns that may hold no pivot. Numbers are compared by size; of symbols the first that is not 0 is taken.
    """
    K = matrix(K, np.shape(K), "K")
    n_c, n = K.shape
    rows, columns = list(range(n_c)), [j for j in range(n) if j not in independent] + list(independent)
    A, pivotal, r = zeros(K.shape, K) + K[:, columns], n - len(independent), 0
    smallest = (PIVOT_TOLERANCE if tolerance is None else tolerance) * _sizes(K).max(initial=0)

    while r < min(n_c, pivotal):
        sizes = _sizes(A[r:, r:pivotal])
        i, j = np.unravel_index(np.argmax(sizes), sizes.shape)
        if sizes[i, j] <= smallest:
            break
        _swap(rows, r, r + i)
        _swap(columns, r, r + j)
        A[[r, r + i]] = A[[r + i, r]]
        A[:, [r, r + j]] = A[:, [r + j, r]]
        for i in range(r + 1, n_c):
            A[i, r] = A[i, r] / A[r, r]
            A[i, r + 1 :] = A[i, r + 1 :] - A[i, r] * A[r, r + 1 :]
        r = r + 1

    L, U = zeros((n_c, r), K), zeros((r, n), K)
    for i in range(n_c):
        L[i, : min(i, r)] = A[i, : min(i, r)]
        if i < r:
            L[i, i], U[i, i:] = 1, A[i, i:]
    return Elimination(rows, columns, r, L, U)


def _sizes(A):
    """How large the elements are; where there are symbols, 1 for those that are not 0."""
    values = values_of(A)
    return np.abs(values) if values is not None else np.array([[float(x != 0) for x in row] for row in A])


def _swap(places, i, j):
    places[i], places[j] = places[j], places[i]


def dependence(elimination):
    """B (n_c x r), of which K = B K_1 where K_1 are the independent rows, in the order in which they were taken.

    Below its unit rows it holds the book's Y: K_21 = Y K_11, K_22 = Y K_12 (RBDA 8.8).
    """
    rows, _, r, L, _ = elimination
    B = zeros((len(rows), r), L)
    # B L_1 = L, for the upper r rows L_1 of L
    for place, row in enumerate(rows):
        for j in reversed(range(r)):
            B[row, j] = L[place, j] - B[row, j + 1 :] @ L[j + 1 : r, j]
    return B


def constraint_solution(K, k, tolerance=None, independent=()):
    """G (n x (n - r)) and g (n): all solutions of K x = k are x = G y + g (RBDA Eq. 8.51).

    y is a part of x, in ascending order: those variables that elimination with complete pivoting leaves, or the n - r
    whose places, from 0, `independent` lists. Which ones elimination leaves may change with K. tolerance: as for
    `eliminate`. K x = k is taken to have solutions; of equations that repeat others only one is read. Raises ValueError
    if the variables listed do not determine the others.
    """
    K = matrix(K, np.shape(K), "K")
    return _solution(K, vector(k, len(K), "k"), tolerance, independent)[:2]


def _solution(K, k, tolerance, independent):
    """G, g, and the places in x of the independent variables y."""
    n, (rows, columns, r, L, U) = K.shape[1], eliminate(K, tolerance, independent)
    if len(independent) not in (0, n - r):
        raise ValueError(f"independent is {list(independent)}: the other variables have rank {r} in K, and there are "
                         f"{n - len(independent)} of them. Name as many as there are freedoms, such as fix the rest.")
    B = zeros((r, n - r + 1), U, k)
    B[:, : n - r], B[:, n - r] = U[:, r:], k[rows[:r]]
    for i in range(r):                                          # L⁻¹ k_1; U holds L⁻¹ K_12 already
        B[i, n - r] = B[i, n - r] - L[i, :i] @ B[:i, n - r]
    for i in reversed(range(r)):                                # K_11⁻¹ K_12 and K_11⁻¹ k_1
        B[i] = (B[i] - U[i, i + 1 : r] @ B[i + 1 :]) / U[i, i]

    G, g, y = zeros((n, n - r), B), zeros(n, B), sorted(columns[r:])
    for j, x in enumerate(columns[r:]):
        G[x, y.index(x)] = 1
        G[columns[:r], y.index(x)] = -B[:, j]                   # (8.51)
    g[columns[:r]] = B[:, n - r]
    return G, g, y


class Independent(NamedTuple):
    """Independent constraints K_1 qdd = k_1 that say what K qdd = k says, with K = L D K_1.

    K (r x n): K_1, rows of the book's U, each divided by its pivot.  k (r): k_1.  L (n_c x r), D (r): see `eliminate`;
    the rows of L are in the order of those of K here, and D holds the pivots.  clusters: those of K_1.
    """

    K: np.ndarray
    k: np.ndarray
    L: np.ndarray
    D: np.ndarray
    clusters: list


def rank_tolerance(delta):
    """Open loops make constraints that repeat others look independent, the more the farther they are open."""
    gap = values_of(delta)
    return PIVOT_TOLERANCE if gap is None else min(1e-5, max(PIVOT_TOLERANCE, 100 * np.abs(gap).max(initial=0)))


def independent_constraints(K, k, tolerance=None, clusters=None):
    """Prune K qdd = k of constraints that repeat others (RBDA 8.5): an `Independent`.

    Elimination also brings constraints that nearly repeat others into a form that is good to calculate with. k_1 meets
    all of k if the constraints agree, and otherwise comes as near as can be (least squares). tolerance: pivots of the
    elimination below this fraction of the largest element of K count as zero (default 1e-9). clusters: the blocks of K,
    as from `loop_clusters`; one, if left out.
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


# Loop clusters (RBDA 8.9)


class Cluster(NamedTuple):
    """Loops that share joints with one another and with no other loop (RBDA 8.9).

    loops: numbers of the loops, 1..N_L.  joints: numbers of the tree joints in them.  rows: their rows of K.
    variables: the columns of these joints. Elsewhere these rows and these columns of K are zero.
    """

    loops: list
    joints: list
    rows: list
    variables: list


def loop_clusters(model):
    """The minimal loop clusters of a model, in the order of their first loops: a list of `Cluster` (RBDA 8.9)."""
    paths = [loop_path(model, l) for l in range(1, require_model(model).N_L + 1)]
    sets = []
    for l, path in enumerate(paths, start=1):
        coupled = [cluster for cluster in sets if cluster[1] & set(path)]
        sets = [cluster for cluster in sets if not cluster[1] & set(path)]
        sets.append(({l}.union(*(loops for loops, _ in coupled)), set(path).union(*(joints for _, joints in coupled))))
    ends = np.cumsum([0, *(6 - loop.joint.nv for loop in model.loops)])
    return [Cluster(sorted(loops), sorted(joints), [row for l in sorted(loops) for row in range(ends[l - 1], ends[l])],
                    [x for j in sorted(joints) for x in range(model.nv)[model.v_slice(j)]])
            for loops, joints in sorted(sets, key=lambda cluster: min(cluster[0]))]


def loop_path(model, l):
    """The tree joints of loop l: those that move one end of its loop joint and not the other (RBDA Eq. 8.18)."""
    loop = model.loops[l - 1]
    ends = [set(model.kappa(i)) if i else set() for i in (loop.predecessor, loop.successor)]
    return sorted(ends[0] ^ ends[1])


class Block(NamedTuple):
    """A diagonal block of G and its part of g: G (n_i x m_i) for the variables (places in qdd), y (places in ydd).

    G is None for variables in no loop: it stands for the unit matrix.
    """

    variables: list
    y: list
    G: np.ndarray | None
    g: np.ndarray


def solution_by_clusters(K, k, clusters, tolerance=None):
    """All solutions of K x = k as `constraint_solution` finds them, cluster by cluster (RBDA 8.9): a list of `Block`.

    K, k, tolerance: as there; clusters: as from `loop_clusters`. With `join` the blocks become G and g.
    """
    found, n = [], K.shape[1]
    for cluster in clusters:
        block = K[np.ix_(cluster.rows, cluster.variables)]
        G, g, own = _solution(block, k[cluster.rows], tolerance, ())
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
