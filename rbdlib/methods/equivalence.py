"""Dynamic equivalence: other inertias that leave the equation of motion as it is (RBDA 9.7).

A family of inertias is a matrix (10 x k) whose columns span their parameters, which stand in the order of
`rbdlib.methods.inertia_parameters`; k of its rows are those of the identity, in some order.
"""

from itertools import combinations

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, dyad
from rbdlib.book.ch03_subspaces import orthogonal_complement
from rbdlib.book.ch04_joints import Euler, Fixed, Joint, Prismatic, Reversed, Revolute, Spherical, Universal, jcalc
from rbdlib.book.ch04_model import Model, ModelError, require_model
from rbdlib.book.ch06_factorisation import inverse
from rbdlib.methods.derivatives import parameters
from rbdlib.methods.inertia_parameters import POSSIBLE, count_zeros, from_parameters, pseudo_inertia, to_parameters
from rbdlib.numbers.linear import solve_linear
from rbdlib.numbers.scalars import as_floats, eye, matrix, vector, zeros


def two_body_equation(I_1, I_2, joint, q, qd, v_1, t=0.0):
    """The coefficients of the equation of motion of two bodies that float and are connected by a joint (RBDA Eq. 9.29).

    I_1, I_2 (6 x 6): inertias in the joint's frames F_p and F_s.  q, qd, t: of the joint.  v_1 (6): velocity of body 1.
    Returns A (6+n x 6+n) and C (6+n) of A [a_1; qdd] + C = [f; tau].
    """
    I_1, I_2, v_1 = matrix(I_1, (6, 6), "I_1"), matrix(I_2, (6, 6), "I_2"), vector(v_1, 6, "v_1")
    X_J, S, v_J, c_J = jcalc(_require_joint(joint), q, qd, t)
    v_2 = X_J @ v_1 + v_J
    p_2 = I_2 @ (c_J + crm(v_2) @ v_J) + crf(v_2) @ I_2 @ v_2
    A = np.block([[I_1 + X_J.T @ I_2 @ X_J, X_J.T @ I_2 @ S],
                  [S.T @ I_2 @ X_J, S.T @ I_2 @ S]])                                    # (9.29)
    C = np.concatenate([crf(v_1) @ I_1 @ v_1 + X_J.T @ p_2, S.T @ p_2])
    return A, C


def conditions(joint, I_delta, q, v_1, t=0.0):
    """Expressions that vanish, for all q, v_1, t, if I_delta may move from body 2 to 1 through the joint (RBDA 9.30).

    Returns I_delta S (6 x n), X_Jᵀ I_delta X_J - I_delta (6 x 6) and Sᵀ (v_1 ×* I_delta v_1) (n). For a joint that
    depends on time the velocity sigma that it imposes stands beside S in the first.
    """
    I_delta, v_1 = matrix(I_delta, (6, 6), "I_delta"), vector(v_1, 6, "v_1")
    q = vector(np.atleast_1d(q), _require_joint(joint).nq, "q")
    X_J, S, sigma = joint.transform(q, t), joint.motion_subspace(q, t), joint.bias_velocity(q, t)
    moved = I_delta @ S
    if np.any(sigma != 0):
        moved = np.column_stack([moved, I_delta @ sigma])
    return moved, X_J.T @ I_delta @ X_J - I_delta, S.T @ crf(v_1) @ I_delta @ v_1       # (9.30)


def _require_joint(joint):
    if not isinstance(joint, Joint):
        raise TypeError(f"joint is {joint!r}; give a joint such as Revolute('z').")
    return joint


def table_9_7(joint):
    """The family (10 x k) of a revolute, prismatic or spherical joint, or None for others (RBDA Table 9.7).

    Revolute: pairs of particles on the axis. Prismatic: any rotational inertia. Spherical, with any variables that
    describe turning about a fixed point: a particle there. The axis may point anywhere.
    """
    if isinstance(_require_joint(joint), Reversed):
        return table_9_7(joint.joint)
    if isinstance(joint, Spherical | Euler) and not isinstance(joint, Universal):
        return eye(10)[:, :1]
    if isinstance(joint, Prismatic):
        return eye(10)[:, 4:]
    if not isinstance(joint, Revolute):
        return None
    # m, m c, I of the table for any axis a, each column with a 1 where its largest element is
    a = joint.direction
    across, family = eye(3, a) - dyad(a, a), zeros((10, 3), a)
    family[0, 0], family[1:4, 1] = 1, a
    family[4:, 2] = across[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
    family[:, 1] = family[:, 1] / family[_largest(family[:, 1], [1, 2, 3]), 1]
    family[:, 2] = family[:, 2] / family[_largest(family[:, 2], [6, 4, 9]), 2]
    return family


def _largest(column, rows):
    """Which of the rows holds the largest element, or the first of several; of symbols, the first not zero."""
    values = as_floats(column[rows])
    if values is None:
        return next(row for row in rows if column[row] != 0)
    return rows[int(np.argmax(np.round(np.abs(values), 9)))]


def null_space(joint):
    """The family (10 x k) of any joint, computed: what fulfils Eq. 9.30 in 20 random states (RBDA 9.7).

    Zeros, ones and other whole numbers are cleaned of rounding. Lengths are measured in metres or, where those of the
    joint are larger, such as the pitch of a screw, in a unit as large as they are.
    """
    rng = np.random.default_rng(0)
    states = [(_require_joint(joint).random_position(rng), rng.normal(size=6), rng.normal()) for _ in range(20)]
    unit = max(1.0, *(np.abs(joint.motion_subspace(q, t)[3:]).max(initial=0) for q, _, t in states))
    units, found = unit ** np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2]), []
    for q, v_1, t in states:
        residuals = [conditions(joint, from_parameters(p), q, v_1, t) for p in np.diag(units)]
        found.append(np.column_stack([np.concatenate([np.ravel(part) for part in parts]) for parts in residuals]))
    rows = np.concatenate(found)
    _, sizes, V = np.linalg.svd(rows / np.maximum(1, np.abs(rows).max(axis=1, keepdims=True, initial=0)))
    family = orthogonal_complement(V[: int((sizes > 1e-9 * max(1, sizes[0])).sum())].T)
    family = family * units[:, None] / units[_identity_rows(family)]
    whole = np.rint(family)
    return np.where(np.abs(family - whole) < 1e-9, whole, family) + 0.0      # + 0.0 turns -0.0 into 0.0


def family(joint):
    """The family (10 x k) of inertias that may be moved through a joint: by Table 9.7, or by `null_space`."""
    if isinstance(_require_joint(joint), Fixed):
        return eye(10)
    found = table_9_7(joint)
    return null_space(joint) if found is None else found


def best_match(joint, I, table=family):
    """The I_delta of the joint's family that leaves as many parameters of I - I_delta zero as possible (RBDA 9.7).

    table: a function joint -> (10 x k) such as `family`, or one that returns None where it has no entry, for which the
    result is zero, as `table_9_7` does. Where several choices leave equally many zeros, and for symbols, the parameters
    that disappear depend on the joint alone.
    """
    B, p = table(_require_joint(joint)), to_parameters(I)
    if B is None or B.shape[1] == 0:
        return zeros((6, 6), p)
    usual = _identity_rows(B)
    p_delta = _with_zeros_at(usual, B, p)
    if as_floats(p) is not None and as_floats(B) is not None:
        rows = [row for row in range(10) if np.any(B[row] != 0)]
        for others in combinations(rows, B.shape[1]):
            if abs(np.linalg.det(as_floats(B[list(others)]))) > 1e-6:
                candidate = _with_zeros_at(list(others), B, p)
                if count_zeros(p - candidate, p) > count_zeros(p - p_delta, p):
                    p_delta = candidate
    return from_parameters(p_delta)


def _with_zeros_at(rows, B, p):
    p_delta = B @ solve_linear(B[rows], p[rows])
    p_delta[rows] = p[rows]                     # without rounding, so that the difference is exactly zero
    return p_delta


def _identity_rows(B):
    """For each column of B the last row that is 1 there and 0 elsewhere."""
    return [next(row for row in reversed(range(len(B))) if all(B[row] == unit)) for unit in eye(B.shape[1]).astype(int)]


def simplify(model, table=family):
    """A dynamically equivalent model, as many of whose inertial parameters are zero as the joints allow (RBDA 9.7).

    table: as for `best_match`. Returns a Model, or an `EquivalentModel` if the new inertias are impossible for bodies.
    The book prints the sum I_lambda(i) + I_delta without the transform, which body coordinates need where X_T is not 1.
    """
    I, parent, X_T = [None, *map(_symmetric, require_model(model).inertia[1:])], model.parent, model.X_tree

    for i in reversed(model.bodies):
        I_delta = best_match(model.joints[i], I[i], table)
        I[i] = I[i] - I_delta
        if parent[i] != 0:
            I[parent[i]] = _symmetric(I[parent[i]] + X_T[i].T @ I_delta @ X_T[i])

    return with_inertias(model, I[1:])


def _symmetric(I, name="I"):
    """The inertia I, so symmetric that subtracting a parameter leaves exactly zero everywhere."""
    return from_parameters(to_parameters(I, name))


class EquivalentModel(Model):
    """A model whose inertias need not be those of bodies: it moves as ``physical`` does, an ordinary Model.

    Algorithms that invert the inertia of a single body fail on it; those of RBDA 5-7 do not.
    """

    physical: Model

    def __init__(self, physical, inertia):
        super().__init__(**physical._arguments({}))
        inertia = [_symmetric(I, f"inertia of body {i}") for i, I in enumerate(inertia, start=1)]
        if len(inertia) != physical.N_B:
            raise ModelError(f"inertia has {len(inertia)} entries; give one for each of the {physical.N_B} bodies.")
        for I in inertia:
            I.flags.writeable = False
        object.__setattr__(self, "physical", physical)
        object.__setattr__(self, "inertia", (None, *inertia))

    def __reduce__(self):
        return EquivalentModel, (self.physical, self.inertia[1:])

    def replace(self, **changes):
        """A copy with some constructor arguments changed; an `EquivalentModel` unless ``inertia`` is one of them."""
        changed = self.physical.replace(**changes)
        return changed if "inertia" in changes else EquivalentModel(changed, self.inertia[1:])


def with_inertias(model, inertia):
    """The model with other inertias (one 6 x 6 matrix per body 1..N_B): a Model, or an `EquivalentModel` if need be.

    The ten parameters of each may be any numbers; ValueError for a matrix that is not made of such parameters.
    """
    physical = getattr(require_model(model), "physical", model)
    inertia = [_symmetric(I, f"inertia of body {i}") for i, I in enumerate(inertia, start=1)]
    try:
        return physical.replace(inertia=inertia)
    except ModelError:
        return EquivalentModel(physical, inertia)


def moves(model):
    """N (10 N_B x k): the changes of all inertial parameters that leave the equation of motion as it is (RBDA 9.7).

    One column for each member of each joint's family, taken from the joint's body and added to the parent; what the
    fixed base receives disappears. Fixed bases allow more changes, of what never shows in their forces; the whole space
    of them is the null space of `rbdlib.methods.derivatives.regressor` over many motions.
    """
    columns = []
    for i in require_model(model).bodies:
        for p in family(model.joints[i]).T:
            column, parent = zeros(10 * model.N_B, p, *model.X_tree[1:]), model.parent[i]
            column[10 * (i - 1) : 10 * i] = -p
            if parent != 0:
                X = model.X_tree[i]
                column[10 * (parent - 1) : 10 * parent] = to_parameters(X.T @ from_parameters(p) @ X)
            columns.append(column)
    return np.column_stack(columns) if columns else zeros((10 * model.N_B, 0))


def closest(model, target, possible=False):
    """The dynamically equivalent model whose inertias are nearest to those of a target (RBDA 9.7).

    target: a Model of as many bodies, such as a CAD model, or its parameters (10 N_B).  possible: whether every body
    must be one that can exist; the model itself must then be so. The distance is the sum over the bodies of the squared
    elements of the difference of their `pseudo_inertia`, which does not depend on the directions of axes; 1 kg counts
    as much as 1 kg m². Returns a Model, or an `EquivalentModel`, of which `impossible_bodies` tells which bodies cannot
    exist. The cost is that of inverting one matrix with a row for each of the `moves`; possible=True adds some thousand
    products with a matrix (10 N_B x 10 N_B) and as many times N_B eigenvalue problems (4 x 4): seconds for a humanoid.
    """
    p_0, N = parameters(model), moves(model)
    p_T = parameters(target) if isinstance(target, Model) else vector(target, 10 * model.N_B, "target")
    if len(p_T) != len(p_0):
        raise ValueError(f"target has {len(p_T) // 10} bodies, the model {model.N_B}; give one with the same bodies.")
    # W (10 N_B x 10 N_B): from parameters to elements of pseudo-inertias, those off the diagonal times √2
    W = np.kron(np.eye(model.N_B), np.column_stack([_stacked(pseudo_inertia(from_parameters(p))) for p in eye(10)]))
    N_W, x_0, x = W @ N, W @ p_0, W @ p_T
    among_moves = inverse(N_W.T @ N_W, "The columns of moves(model) are not independent.") @ N_W.T
    if possible:
        onto_equivalent = N_W @ among_moves
        x = _nearest_possible(lambda x: x_0 + onto_equivalent @ (x - x_0), x, x_0)
    p = p_0 + N @ (among_moves @ (x - x_0))
    return with_inertias(model, [from_parameters(p_i) for p_i in p.reshape(-1, 10)])


_ROWS, _COLUMNS = np.triu_indices(4)
_WEIGHTS = np.where(_ROWS == _COLUMNS, 1, np.sqrt(2))


def _stacked(J):
    """The elements of a matrix (4 x 4), or of several (N_B x 4 x 4) one after the other, ten for each."""
    return (J[..., _ROWS, _COLUMNS] * _WEIGHTS).ravel()


def _unstacked(x):
    """The matrices (N_B x 4 x 4) whose elements stand in x, ten for each."""
    J = np.zeros((len(x) // 10, 4, 4))
    J[:, _ROWS, _COLUMNS] = J[:, _COLUMNS, _ROWS] = x.reshape(-1, 10) / _WEIGHTS
    return J


def _nearest_possible(project, target, start):
    """The possible x nearest to target that ``project`` leaves alone (Dykstra), or a little towards start."""
    smallest = _smallest(start)
    if smallest.min() < -POSSIBLE:
        raise ValueError("The model has bodies that cannot exist, so that no nearest possible one is known to exist. "
                         "Start from a model of bodies, or leave out possible=True.")
    limit = np.where(smallest > POSSIBLE, POSSIBLE, -POSSIBLE)      # thin and massless bodies are on the very edge
    x, correction = project(target), 0 * target
    for _ in range(2000):
        sizes, V = np.linalg.eigh(_unstacked(x + correction))
        y = _stacked(V * np.maximum(sizes, 0)[:, None, :] @ V.transpose(0, 2, 1))
        correction, x, last = x + correction - y, project(y), x
        if np.abs(x - last).max() <= 1e-13 * np.abs(x).max():
            break
    low, high = 0.0, 2.0
    for _ in range(60):
        middle = (low + high) / 2
        enough = all(_smallest(start + min(middle, 1) * (x - start)) >= limit)
        low, high = (middle, high) if enough else (low, middle)
    return start + min(low, 1) * (x - start)


def _smallest(x):
    """The smallest eigenvalue of each body's pseudo-inertia, beside its largest element; 0 for a body without mass."""
    J = _unstacked(x)
    largest = np.abs(J).max(axis=(1, 2))
    return np.linalg.eigvalsh(J)[:, 0] / np.where(largest > 0, largest, 1)
