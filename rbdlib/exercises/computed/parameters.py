"""Computed answers about inertial parameters (notebook 30)."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, free_motion
from rbdlib.book.ch04_joints import Helical, Prismatic, Revolute, jcalc
from rbdlib.book.ch05_inverse_dynamics import rnea
from rbdlib.exercises.declare import Computed
from rbdlib.methods.derivatives import regressor
from rbdlib.methods.generators import auto_tree
from rbdlib.methods.inertia_parameters import from_parameters

#: A chain, two trees at one base, and two trees with branches.
TREES = [(0, 1, 2, 3), (0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 1, 3)]
UNIT = tuple(from_parameters(e) for e in np.eye(10))
#: The six moments in the order xx, xy, xz, yy, yz, zz.
BY_ROWS = tuple(UNIT[k] for k in (0, 1, 2, 3, 4, 5, 7, 6, 8, 9))


def moving(rng):
    """Arguments of exercise 30.5: a tree of four joints of one freedom, q, qd and qdd."""
    joints = [Revolute("y"), Prismatic("x"), Helical(0.3), Revolute("z")]
    model = auto_tree(4, seed=int(rng.integers(1000)), joints=joints, gravity=(1.0, -9.0, 3.0))
    return model.replace(parent=TREES[rng.integers(len(TREES))]), *rng.normal(size=(3, 4))


def whole_regressor(model, q, qd, qdd, *, parent=lambda model, i: model.parent[i], a_0=lambda a_g: -a_g,
                    back=lambda X: X.T, steps=4, bias=lambda c_J, v, v_J: c_J + crm(v) @ v_J,
                    net=lambda E, v, a: E @ a + crf(v) @ E @ v, units=UNIT):
    """Exercise 30.5: the regressor of a tree.

    >>> states = [moving(np.random.default_rng(seed)) for seed in range(8)]
    >>> all(np.allclose(whole_regressor(*state), regressor(*state)) for state in states)
    True
    """
    X, S, v, a = [None], [None], [np.zeros(6)], [a_0(free_motion(model.gravity))]
    Y = np.zeros((4, 40))
    for i in model.bodies:
        h = parent(model, i)
        X_J, S_i, v_J, c_J = jcalc(model.joints[i], q[i - 1], qd[i - 1])
        X.append(X_J @ model.X_tree[i])
        S.append(S_i[:, 0])
        v.append(X[i] @ v[h] + v_J)
        a.append(X[i] @ a[h] + S[i] * qdd[i - 1] + bias(c_J, v[i], v_J))
        F, j = np.column_stack([net(E, v[i], a[i]) for E in units]), i
        for _ in range(steps):
            if j == 0:
                break
            Y[j - 1, 10 * (i - 1) : 10 * i] = S[j] @ F
            F, j = back(X[j]) @ F, parent(model, j)
    return Y


def _added(model, q, qd, qdd):
    """Each unit is added to the model's own inertias, whose torques are not taken away again."""
    return regressor(model, q, qd, qdd) + rnea(model, q, qd, qdd)[:, None]


ANSWERS = {
    "30.5": Computed(regressor, inputs=moving, steps=whole_regressor, mistakes={
        "gravity": dict(a_0=lambda a_g: 0 * a_g), "sign": dict(a_0=lambda a_g: a_g),
        "bias": dict(net=lambda E, v, a: E @ a), "bias 2": dict(bias=lambda c_J, v, v_J: c_J),
        "dual": dict(net=lambda E, v, a: E @ a + crm(v) @ E @ v), "entry": dict(steps=1), "entry 2": _added,
        "frame": dict(back=lambda X: np.eye(6)), "transpose": dict(back=lambda X: X),
        "dual 2": dict(back=np.linalg.inv), "parent": dict(parent=lambda model, i: i - 1),
        "order": dict(units=BY_ROWS)})}
