"""The constraint K qdd = k by elimination: independent rows, all solutions G ydd + g, blocks (RBDA 8.8, 8.9).

K (n_c x n) may have any rank r. It falls into blocks, one for each cluster of loops that share joints, and what is done
here can be done block by block.
"""

import functools
import weakref
from typing import NamedTuple

import numpy as np

from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch06_factorisation import solve
from rbdlib.numbers.pivots import keep_below, pivot_place, sizes_of, values_of
from rbdlib.numbers.scalars import as_floats, eye, matrix, number, vector, zeros

#: Pivots below this fraction of the largest element of K count as zero.
PIVOT_TOLERANCE = 1e-9
#: In open loops pivots below so many times the relative gap do, but none above the second number; see `rank_tolerance`.
PIVOTS_OF_A_GAP, LARGEST_TOLERANCE = 10, 1e-2
#: Up to this relative gap an algorithm recorded in a closed loop (RBDA 10.4) is taken to choose the right pivots.
LARGEST_GAP_ON_RECORD = 1e-6


def kept_for_model(function):
    """A function(model) whose answer is found once and kept as long as the model lives: a model never changes."""
    answers = {}

    @functools.wraps(function)
    def of_model(model):
        if id(require_model(model)) not in answers:
            answers[id(model)] = function(model)
            weakref.finalize(model, answers.pop, id(model)).atexit = False
        return answers[id(model)]

    return of_model


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
    K, independent = _matrix(K), list(independent)
    n_c, n = K.shape
    rows, columns = list(range(n_c)), [j for j in range(n) if j not in independent] + independent
    A, pivotal, r = zeros(K.shape, K) + K[:, columns], n - len(independent), 0
    smallest = (PIVOT_TOLERANCE if tolerance is None else tolerance) * sizes_of(K).max(initial=0)

    while r < min(n_c, pivotal):
        place = pivot_place(A[r:, r:pivotal], smallest)
        if place is None:
            break
        i, j = place
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


def _matrix(K):
    if np.ndim(K) != 2:
        raise ValueError(f"K has shape {np.shape(K)}; expected a matrix, one row for each constraint.")
    return matrix(K, np.shape(K), "K")


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
    if the variables listed do not determine the others, and for bad arguments.
    """
    K, tolerance = _matrix(K), None if tolerance is None else require_tolerance(tolerance, PIVOT_TOLERANCE)
    independent = places_in(independent, K.shape[1], "independent")
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
    """Pivots of K below this fraction of its largest element count as zero, when loops are open by delta (n_c).

    In an open loop, constraints that repeat others do so only nearly, and elimination finds a pivot too many. It is
    about as large as the relative gap, seldom larger: the joints stand amiss by that angle, and the elements of K are
    wrong by that fraction. Ten times this is therefore zero, up to 1e-2 (and 1e-9 where loops are closed). A mechanism
    near a singular configuration, where a pivot eps is small in truth, keeps it while the gap is below eps/10, long
    after it has ceased to say which way the loop would close, which takes a gap below eps². delta: relative errors, as
    loop_constraints(...)[2] / error_units(model).
    """
    gap = largest_gap(delta)
    keep_below(delta, LARGEST_GAP_ON_RECORD)
    return PIVOT_TOLERANCE if gap is None else min(LARGEST_TOLERANCE, max(PIVOT_TOLERANCE, PIVOTS_OF_A_GAP * gap))


def largest_gap(delta):
    """The largest of the errors delta by size, as a float; None if there are symbols among them."""
    gap = values_of(delta)
    return None if gap is None else float(np.abs(gap).max(initial=0))


def error_units(model):
    """What to divide the errors delta (n_c) of the loops by: 1 for angles (rad), `loop_size` for lengths (m)."""
    return _error_units(model).copy()


@kept_for_model
def _error_units(model):
    T = [values_of(loop.joint.constraint_subspace(loop.joint.neutral())) for loop in model.loops]
    lengths = [np.zeros(6 - loop.joint.nv, dtype=bool) if T_k is None else (T_k[3:] != 0).any(axis=0)
               for loop, T_k in zip(model.loops, T, strict=True)]
    return np.where(np.concatenate([[], *lengths]), loop_size(model), 1.0)


@kept_for_model
def loop_size(model):
    """The largest distance (m) between two joints of one loop in the neutral position; 1 if all are in one place.

    What is a small length in this mechanism, and what a large one, so that results do not depend on the unit of length.
    """
    X_0, sizes, reach = body_transforms(model, model.neutral()), [0.0], 0.0
    for l, loop in enumerate(model.loops, start=1):
        X = values_of(np.array([*(X_0[i] for i in loop_path(model, l)), loop.X_P @ X_0[loop.predecessor],
                                loop.X_S @ X_0[loop.successor]]))
        if X is None:
            return 1.0
        r_cross = -X[:, :3, :3].transpose(0, 2, 1) @ X[:, 3:, :3]
        r = r_cross[:, [2, 0, 1], [1, 2, 0]]
        sizes.append(np.linalg.norm(r[:, None] - r, axis=2).max())
        reach = max(reach, np.abs(r).max())
    return float(max(sizes)) if max(sizes) > 1e-9 * reach else 1.0


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


# Arguments


def require_tolerance(tolerance, example):
    """tolerance as a float above 0 and below 1; TypeError or ValueError otherwise. example: what would do."""
    value = as_floats([number(tolerance, "tolerance")])
    if value is None or isinstance(tolerance, bool | np.bool_) or not 0 < value[0] < 1:
        raise ValueError(f"tolerance is {tolerance!r}; give a number above 0 and below 1, such as {example}.")
    return float(value[0])


def places_in(places, n, name, of="the columns of K", more=""):
    """places as a list of different whole numbers 0..n-1; ValueError naming the argument otherwise."""
    given = [] if places is None else list(places) if np.iterable(places) else [places]
    for k, x in enumerate(given):
        if isinstance(x, bool) or not isinstance(x, int | np.integer) or not 0 <= x < n or x in given[:k]:
            raise ValueError(f"{name} is {places!r}; give places in {of}, whole numbers 0 to {n - 1}, each once.{more}")
    return [int(x) for x in given]
