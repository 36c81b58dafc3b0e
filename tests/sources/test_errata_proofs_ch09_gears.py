"""The erratum of RBDA 9.7: the printed form fails against geometry and the corrected one holds."""

import numpy as np
import pytest

from rbdlib import rnea
from rbdlib.book.ch04_joints import Prismatic, Revolute, Spherical
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.methods.equivalence import best_match, simplify, with_inertias
from tests.sources.ch05_systems import Moving
from tests.sources.ch06_systems import mass_matrix
from tests.sources.helpers import close, far

JOINTS = [Revolute("z"), Prismatic("x"), Spherical(), Revolute("x"), Revolute("y"), Prismatic("y")]


def simplified(model, transformed):
    """The book's loop, with I_delta added to the parent as printed or transformed to the parent's coordinates."""
    I, parent = list(model.inertia), model.parent
    for i in range(model.N_B, 0, -1):
        I_delta = best_match(model.joints[i], I[i])
        I[i] = I[i] - I_delta
        if parent[i] != 0:
            X = model.X_tree[i] if transformed else np.eye(6)
            I[parent[i]] = I[parent[i]] + X.T @ I_delta @ X
    return with_inertias(model, I[1:])


@pytest.mark.source("RBDA-A9.u6")
def test_the_moved_inertia_must_be_transformed_to_the_parent():
    """The forces and the mass matrix of geometry; without the transform they would hold where X_T = 1 only."""
    tree = Moving(np.random.default_rng([1, 976]), JOINTS, [0, 1, 1, 2, 3, 4])
    tau, H, args = tree.joint_forces(), mass_matrix(tree), (tree.q, tree.qd, tree.qdd, tree.f_ext)
    printed, corrected = (simplified(tree.model, transformed) for transformed in (False, True))
    far(rnea(printed, *args), tau)
    far(crba(printed, tree.q), H)
    for model in (corrected, simplify(tree.model)):
        close(rnea(model, *args), tau, 1e-6)
        close(crba(model, tree.q), H, 1e-8)
    in_place = tree.model.replace(X_tree=[np.eye(6)] * tree.model.N_B)
    close(crba(simplified(in_place, False), tree.q), crba(in_place, tree.q), 1e-10)
