"""Forward dynamics without a spanning tree: one sparse equation of all bodies and joints (RBDA 8.13).

    [I    P T] [a   ]   [P T_a tau - v ×* I v + f_x]
    [TᵀPᵀ 0  ] [-lam] = [-T_dotᵀ Pᵀ v              ]                                                      (8.64)

Every body and every joint has a block row and a block column; loop joints are joints like the others. Vectors are in
base coordinates. SciPy's sparse factorisation solves it, or, for other numbers, the elimination of blocks.
"""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, free_motion, inverse_transform
from rbdlib.book.ch03_subspaces import active_force_subspace
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.book.ch04_model import external_forces, require_model
from rbdlib.book.ch08_closed_loops import inverse_of
from rbdlib.book.ch08_loop_joints import active_forces, loop_jcalc
from rbdlib.loops.tolerances import error_units, largest_gap
from rbdlib.numbers.linear import solve_linear
from rbdlib.numbers.model_arguments import motor_forces
from rbdlib.numbers.pivots import values_of
from rbdlib.numbers.scalars import eye, number, vector, zeros
from rbdlib.numbers.validation import time_constant

#: Subtracted from the zeros on the diagonal, times the largest inertia, so that constraints may repeat others. The
#: smaller numbers take over where constraints repeat others so nearly that the larger ones hide the difference.
REGULARISATION = (1e-9, 1e-11, 1e-13, 1e-15, 1e-17)
#: In open loops constraints count as the same if they differ by less than so many times the relative gap.
GAPS = 100
#: An equation is solved when no more is left of it than this fraction of its terms.
SOLVED = 1e-15
#: Constraints contradict one another if more than this fraction of k, or of accelerations that count as none, is left.
CONTRADICTION, NO_ACCELERATION = 1e-2, 1e-6


class BlockEquation(namedtuple("BlockEquation", "blocks right gap", defaults=(0.0,))):
    """Eq. 8.64 in blocks. Rows and columns: bodies 1..N_B in places 0..N_B-1, then joints 1..N_J.

    blocks: {(row, column): matrix}, the blocks that are not zero by the connectivity.  right: the right-hand sides of
    the rows.  gap: how far loops are open, in rad and in parts of the loops' size; 0 where there are symbols.
    """


class SparseMotion(namedtuple("SparseMotion", "qdd a lam")):
    """Results of `by_sparse_equation`.

    qdd (nv): accelerations of the tree joints.  a (N_B+1 x 6): accelerations of the bodies in base coordinates, without
    gravity; row 0 is the base.  lam: for each joint 1..N_J its constraint force variables, place 0 empty: the joint
    exerts the force T lam on its body (a tree joint), or on its successor (a loop joint).
    """


def by_sparse_equation(model, q, qd, tau, f_ext=None, T_stab=None, t=0.0, tau_loop=None):
    """Accelerations and constraint forces of any system, tree or with loops, from Eq. 8.64: a `SparseMotion`.

    q (nq), qd (nv): state, which should fulfil the loop constraints; tau (nv): forces at tree joints; f_ext, t: as for
    `rnea`; T_stab: time constant (s) with which open loops close (RBDA 8.3), or None; tau_loop: {k: tau_k} for motors
    at loop joints k = N_B+1..N_J. Constraints that repeat others are welcome among floats: accelerations are those of
    the others, and lam is one of many. Raises ValueError where constraints repeat others and the numbers are of another
    kind, where they contradict others, for a joint in a singular position, and for bad arguments.
    """
    # to base coordinates from those of a parallel frame amid the bodies, where floats lose the fewest digits
    q = vector(q, require_model(model).nq, "q")
    X, near = np.array([inverse_transform(X_0) for X_0 in body_transforms(model, q, t)[1:]]), eye(6, q)
    if X.size and X.dtype == float:
        near[3:, :3] = (X[:, 3:, :3] @ X[:, :3, :3].transpose(0, 2, 1)).mean(axis=0)    # r× of the mean origin
    at = _state(model, q, qd, t, near)
    f_ext = external_forces(model, f_ext) @ near
    equation = _equation(model, at, tau, f_ext, T_stab, t, tau_loop)
    of_floats = all(array.dtype.kind in "iuf" for array in (*equation.blocks.values(), *equation.right))
    unknowns = solve_sparse(equation) if of_floats else _eliminated(equation, model)

    a = zeros((model.N_B + 1, 6), *unknowns)
    a[1:] = unknowns[: model.N_B]
    qdd = zeros(model.nv, a)
    for i in model.bodies:
        a_J = at.X_0[i] @ (a[i] - a[model.parent[i]]) - at.bias[i]
        qdd[model.v_slice(i)] = at.T_a[i].T @ a_J                                   # (3.35), (3.40)
    return SparseMotion(qdd, a @ near.T, [None, *(-x for x in unknowns[model.N_B :])])


def _eliminated(equation, model):
    """The unknowns by `eliminate_blocks`, which needs constraints that are independent.

    Each body is taken with the joint to its parent: its own inertia may be singular then, like that of a thin rod.
    """
    n, right, blocks = model.N_B, equation.right, {}
    pairs = [[i, n + i] for i in range(n)] + [[row] for row in range(2 * n, len(right))]
    for p, rows in enumerate(pairs):
        for c, columns in enumerate(pairs):
            if any((i, j) in equation.blocks for i in rows for j in columns):
                blocks[p, c] = np.block([[equation.blocks.get((i, j), np.zeros((len(right[i]), len(right[j]))))
                                          for j in columns] for i in rows])
    merged = BlockEquation(blocks, [np.concatenate([right[row] for row in rows]) for rows in pairs])
    try:
        x = eliminate_blocks(merged, [*reversed(range(n)), *range(n, len(pairs))])[0]
    except SingularBlock as error:
        reason = "A motion has no inertia" if error.row < model.N_B else "The loop constraints repeat others"
        raise ValueError(f"{reason}, which the sparse method can deal with for floats only. Use floats, or "
                         "by_loop_constraints.") from error
    return [*(x[i][:6] for i in range(n)), *(x[i][6:] for i in range(n)), *x[n:]]


def block_equation(model, q, qd, tau, f_ext=None, T_stab=None, t=0.0, tau_loop=None):
    """Eq. 8.64 as a `BlockEquation`; arguments as for `by_sparse_equation`."""
    return _equation(model, _state(model, q, qd, t), tau, f_ext, T_stab, t, tau_loop)


class _State(namedtuple("_State", "X_0 v T T_a bias")):
    """Lists by body number, in body coordinates but for v, which is in base coordinates; bias = c_J + v × v_J."""


def _state(model, q, qd, t, X_base=None):
    q, qd, t = vector(q, require_model(model).nq, "q"), vector(qd, model.nv, "qd"), number(t, "t")
    X_0, v, T, T_a, bias = at = _State(*([None] * (model.N_B + 1) for _ in range(5)))
    X_0[0], v[0] = eye(6, q) if X_base is None else X_base, zeros(6, qd)
    for i in model.bodies:
        joint, q_i = model.joints[i], q[model.q_slice(i)]
        X_J, S, v_J, c_J = jcalc(joint, q_i, qd[model.v_slice(i)], t)
        X_0[i] = X_J @ model.X_tree[i] @ X_0[model.parent[i]]
        v[i] = v[model.parent[i]] + inverse_transform(X_0[i]) @ v_J
        T[i], T_a[i] = joint.constraint_subspace(q_i, t), active_force_subspace(S) if joint.nv else zeros((6, 0), S)
        bias[i] = c_J + crm(X_0[i] @ v[i]) @ v_J                                    # (3.40)
    return at


def _equation(model, at, tau, f_ext, T_stab, t, tau_loop):
    tau, f_ext, N_B = vector(tau, model.nv, "tau"), external_forces(model, f_ext), model.N_B
    tau_loop = motor_forces(model, tau_loop)
    alpha = 0 if T_stab is None else 1 / time_constant(T_stab)
    X_0, v, a_g, blocks, right, delta = at.X_0, at.v, free_motion(model.gravity), {}, [], []

    for i in model.bodies:
        I = X_0[i].T @ model.inertia[i] @ X_0[i]
        blocks[i - 1, i - 1] = I
        right.append(f_ext[i] + I @ a_g - crf(v[i]) @ I @ v[i])

    for i in model.bodies:
        T, bias = X_0[i].T @ at.T[i], inverse_transform(X_0[i]) @ at.bias[i]
        f_a = X_0[i].T @ at.T_a[i] @ tau[model.v_slice(i)]
        _connect(blocks, right, N_B + i - 1, model.parent[i], i, T, f_a)
        right.append(T.T @ bias)

    for k, loop in enumerate(model.loops, start=N_B + 1):
        p, s = loop.predecessor, loop.successor
        X_s = loop.X_S @ X_0[s]
        X, from_s = X_s @ inverse_of(loop.X_P @ X_0[p]), inverse_of(X_s)
        joint = loop_jcalc(loop.joint, X, X_s @ (v[s] - v[p]), t)
        T, bias, f_a = X_s.T @ joint.T, from_s @ joint.c_J + crm(v[s]) @ (v[s] - v[p]), zeros(6, X_s)
        k_stab = 2 * alpha * T.T @ (v[s] - v[p] - from_s @ joint.sigma) + alpha**2 * joint.delta    # (8.22)
        if k in tau_loop:
            f_a = X_s.T @ active_forces(loop.joint, X, t) @ tau_loop[k]
        _connect(blocks, right, N_B + k - 1, p, s, T, f_a)
        right.append(T.T @ bias - k_stab)
        delta.extend(joint.delta)

    delta = values_of(delta)
    return BlockEquation(blocks, right, 0.0 if delta is None else largest_gap(delta / error_units(model)))


def _connect(blocks, right, row, p, s, T, f_a):
    """The blocks of P T and its transpose, and the active force, of a joint from body p to body s."""
    for sign, body in ((1, s), (-1, p)):
        if body != 0:
            blocks[body - 1, row], blocks[row, body - 1] = sign * T, sign * T.T
            right[body - 1] = right[body - 1] + sign * f_a


def sparse_matrix(equation):
    """The matrix of a `BlockEquation` as a SciPy sparse matrix (compressed columns), and its right-hand side."""
    from scipy.sparse import coo_array

    starts = np.cumsum([0, *(len(part) for part in equation.right)])
    places, entries = [], []
    for (row, column), block in equation.blocks.items():
        i, j = np.indices(block.shape)
        places.append((starts[row] + i.ravel(), starts[column] + j.ravel()))
        entries.append(block.ravel().astype(float))
    rows, columns = (np.concatenate(part) for part in zip(*places, strict=True))
    shape = (int(starts[-1]),) * 2
    return coo_array((np.concatenate(entries), (rows, columns)), shape).tocsc(), \
        np.concatenate(equation.right).astype(float)


def solve_sparse(equation):
    """The unknowns of a `BlockEquation` of floats, one vector for each block row: a_i and -lam_j.

    The zeros on the diagonal are made slightly negative, without which constraints that repeat others would make the
    matrix singular, and what this falsifies is put right by repeating the substitution, until what is left is rounding.
    Raises ValueError if constraints contradict one another, or if a motion has no inertia.
    """
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import splu

    (M, b), bodies = sparse_matrix(equation), sum(1 for row, column in equation.blocks if row == column)
    is_joint = np.arange(len(b)) >= 6 * bodies
    inertia = max((np.abs(equation.blocks[i, i]).max() for i in range(bodies)), default=0.0)
    least = (GAPS * equation.gap) ** 2                          # of a constraint, this sees the square
    none = NO_ACCELERATION * np.abs(b[~is_joint]).max(initial=0) / (inertia or 1.0)
    x, error = np.zeros(len(b)), np.inf
    for part in sorted({max(part, least) for part in REGULARISATION}, reverse=True):
        if error > SOLVED:
            try:
                factors = splu((M - diags_array(is_joint * (part / (inertia or 1.0)))).tocsc(), permc_spec="COLAMD")
            except RuntimeError:                                # singular: this part is lost in rounding
                continue
            x, error = _refined(M, b, x, error, factors, is_joint, none)
    if error == np.inf:
        raise ValueError("The equation is singular: a motion has no inertia, or the inertias differ too much. Give the "
                         "bodies without mass one, or use by_loop_constraints.")
    if np.abs((M @ x - b)[is_joint]).max(initial=0) > CONTRADICTION * max(np.abs(b[is_joint]).max(initial=0), none):
        raise ValueError("The constraints contradict one another: no motion fulfils them all. See whether q and qd "
                         "close the loops (close_loops, project), or use by_loop_constraints, which meets the "
                         "constraints as nearly as can be.")
    return np.split(x, np.cumsum([len(part) for part in equation.right])[:-1])


def _refined(M, b, x, error, factors, is_joint, none):
    """x and its relative error after substitutions until that gains no more; accelerations below none are none."""
    sizes, start, best = abs(M), (x, error), (x, np.inf)
    for _ in range(60):
        x = x + factors.solve(b - M @ x)
        miss, terms = np.abs(M @ x - b), sizes @ np.abs(x) + np.abs(b)
        # apart, because near singular configurations forces are large, and accelerations must not drown in them
        parts = (is_joint, max(none, terms[is_joint].max(initial=0))), (~is_joint, terms[~is_joint].max(initial=0))
        error = max(miss[rows].max(initial=0) / (size or 1.0) for rows, size in parts)
        if not error < 0.9 * best[1]:
            break
        best = x, error
    return best if best[1] < start[1] / 2 else start


class SingularBlock(ValueError):
    """The diagonal block of a row is singular when its turn comes."""

    def __init__(self, row):
        super().__init__(f"The block in row {row} is singular when its turn comes. Choose another order, or make the "
                         "constraints independent.")
        self.row = row


def eliminate_blocks(equation, order):
    """The unknowns of a `BlockEquation` by Gaussian elimination of whole blocks in the given order, for any scalars.

    order: all block rows, each once. Every block must have a regular diagonal block when its turn comes, as in
    `elimination_order`; SingularBlock (a ValueError) otherwise. Returns the unknowns of each block row, the number of
    products of blocks that were subtracted, and how many blocks were zero before it (fill-in).
    """
    A, b, n, products = dict(equation.blocks), list(equation.right), len(equation.right), 0
    order = [row for row in order if len(b[row])]
    A = {place: block for place, block in A.items() if block.size}
    before, steps = len([1 for row, column in A if row != column]), []
    for turn, p in enumerate(order):
        rest = [r for r in order[turn + 1 :] if (r, p) in A]
        pivot = A.get((p, p), zeros((len(b[p]),) * 2, b[p]))
        for r in rest:
            factor = _solve_block(p, pivot.T, A[r, p].T).T
            for c in rest:
                A[r, c] = A.get((r, c), 0) - factor @ A[p, c]
                products += 1
            b[r] = b[r] - factor @ b[p]
        steps.append((p, pivot, rest))
    x = [zeros(len(b[row]), b[row]) for row in range(n)]
    for p, pivot, rest in reversed(steps):
        x[p] = _solve_block(p, pivot, b[p] - sum((A[p, c] @ x[c] for c in rest), zeros(len(b[p]), b[p])))
    return x, products, len([1 for row, column in A if row != column]) - before


def _solve_block(row, pivot, right):
    try:
        return solve_linear(pivot, right)
    except ValueError:
        raise SingularBlock(row) from None


def block_pattern(model):
    """Where Eq. 8.64 may have blocks that are not zero: an array of bool, (N_B + N_J) square (RBDA 8.13)."""
    pattern = np.zeros((require_model(model).N_B + model.N_J,) * 2, dtype=bool)
    pattern[range(model.N_B), range(model.N_B)] = True
    for j in range(1, model.N_J + 1):
        for body in (model.predecessor(j), model.successor(j)):
            if body != 0:
                pattern[body - 1, model.N_B + j - 1] = pattern[model.N_B + j - 1, body - 1] = True
    return pattern


def elimination_order(model):
    """Block rows without fill-in in a tree: each body, then its joint, children first; loop joints last (RBDA 8.13)."""
    tree = [place for i in reversed(require_model(model).bodies) for place in (i - 1, model.N_B + i - 1)]
    return tree + [model.N_B + k - 1 for k in range(model.N_B + 1, model.N_J + 1)]
