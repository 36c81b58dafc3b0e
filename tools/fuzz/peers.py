"""Pinocchio beside the compiled functions, where it is installed: `.venv-peers/bin/python -m tools.fuzz`."""

import numpy as np

from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er
from rbdlib.book.ch04_joints import Revolute
from tools.fuzz.properties import moved_by, relative


def _depth_first(model, i=0):
    return [body for child in model.mu(i) for body in (child, *_depth_first(model, child))]


def pinocchio_agrees(case, fast):
    """Inverse and forward dynamics, and the inertia matrix, of trees of hinges and sliders."""
    import pinocchio as pin

    model, theirs, joint = case.model, pin.Model(), {0: 0}
    theirs.gravity.linear = np.asarray(model.gravity, dtype=float)
    bodies = _depth_first(model)
    for i in bodies:
        E, r = X_to_Er(model.X_tree[i])
        kind = pin.JointModelRevoluteUnaligned if isinstance(model.joints[i], Revolute) else (
            pin.JointModelPrismaticUnaligned)
        joint[i] = theirs.addJoint(joint[model.parent[i]], kind(model.joints[i].direction.astype(float)),
                                   pin.SE3(E.T, r), f"joint {i}")
        theirs.appendBodyToJoint(joint[i], pin.Inertia(*I_to_mcI(model.inertia[i])), pin.SE3.Identity())
    data, order = theirs.createData(), np.array(bodies) - 1
    H, tau = fast.crba(case.q), fast.rnea(case.q, case.qd, case.qdd)
    qdd = fast.aba(case.q, case.qd, case.tau)
    bias = fast.bias(case.q, case.qd)
    found = np.zeros((3, *case.q.shape))
    matrices = np.zeros_like(H)
    for k in range(case.size):
        q, qd, a, forces = (x[k][order] for x in (case.q, case.qd, case.qdd, case.tau))
        found[0, k][order] = pin.rnea(theirs, data, q, qd, a)
        found[1, k][order] = pin.aba(theirs, data, q, qd, forces)
        upper = np.triu(pin.crba(theirs, data, q))
        matrices[k][np.ix_(order, order)] = upper + np.triu(upper, 1).T
    size = moved_by(abs(H), abs(case.qdd)), bias
    return np.maximum.reduce([relative(found[0] - tau, *size), relative(matrices - H, H),
                              relative(moved_by(H, found[1] - qdd), moved_by(abs(H), abs(qdd)), bias, case.tau)])
