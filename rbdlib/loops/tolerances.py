"""Small numbers in mechanisms with loops: short lengths, gaps of loops, constraints that repeat another.

Results do not depend on the unit of length: lengths are compared with the size of the loops.
"""

import functools
import weakref

import numpy as np

from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.book.ch04_model import require_model
from rbdlib.numbers.pivots import PIVOT_TOLERANCE, keep_below, values_of

#: The error that may be left at a loop joint that is closed, in rad and in parts of the loops' size.
CLOSED = 1e-11
#: In open loops pivots below so many times the relative gap do, but none above the second number; see `rank_tolerance`.
PIVOTS_OF_A_GAP, LARGEST_TOLERANCE = 10, 1e-2
#: Up to this relative gap an algorithm recorded in a closed loop (RBDA 10.4) is taken to choose the right pivots.
LARGEST_GAP_ON_RECORD = 1e-6


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


def error_units(model):
    """Units of the errors delta (n_c) of the loops: 1 for angles (rad), `loop_size` for lengths (m)."""
    return _error_units(model).copy()


@kept_for_model
def _error_units(model):
    return np.where(np.concatenate([[], *error_is_length(model)]), loop_size(model), 1.0)


@kept_for_model
def error_is_length(model):
    """For each loop, which of its errors delta are lengths (m): an array of True, and False for angles (rad)."""
    T = [values_of(loop.joint.constraint_subspace(loop.joint.neutral())) for loop in model.loops]
    return [np.zeros(6 - loop.joint.nv, dtype=bool) if T_k is None else (T_k[3:] != 0).any(axis=0)
            for loop, T_k in zip(model.loops, T, strict=True)]


@kept_for_model
def loop_size(model):
    """The largest distance (m) between two joints of one loop in the neutral position; 1 if all are in one place."""
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


def loop_path(model, l):
    """The tree joints of loop l: those that move one end of its loop joint and not the other (RBDA Eq. 8.18)."""
    loop = model.loops[l - 1]
    ends = [set(model.kappa(i)) if i else set() for i in (loop.predecessor, loop.successor)]
    return sorted(ends[0] ^ ends[1])
