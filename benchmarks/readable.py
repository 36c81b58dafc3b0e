"""The readable `rnea` on NumPy arrays, and the inverse dynamics of three other libraries written in Python."""

from importlib.metadata import version

import modern_robotics as mr
import numpy as np
from adam import Representations
from adam.numpy import KinDynComputations
from roboticstoolbox import Robot
from roboticstoolbox.models.URDF.URDFRobot import URDF_read

from rbdlib import bias_force, rnea
from rbdlib.book.ch02_spatial import X_to_Er


def calls(case):
    """Functions of no arguments, {name: call}, that compute joint forces of the case's first state, an arm's.

    adam has no inverse dynamics with accelerations; its bias force, which is less, stands in for it.
    """
    model, q, qd, qdd = case.model, case.q[0], case.qd[0], case.qdd[0]
    return {"rbdlib": lambda: rnea(model, q, qd, qdd),
            "modern_robotics": _modern_robotics(model, q, qd, qdd),
            "roboticstoolbox": _roboticstoolbox(case, q, qd, qdd),
            "adam": _adam(case, q, qd)}


def largest_error(case):
    """The largest difference between what the libraries and rbdlib find, relative to the largest force."""
    results = {name: np.asarray(call()).ravel() for name, call in calls(case).items()}
    ours = results.pop("rbdlib")
    expected = {"adam": bias_force(case.model, case.q[0], case.qd[0])}
    return max(np.abs(theirs - expected.get(name, ours)).max() for name, theirs in results.items()) / np.abs(ours).max()


def versions():
    """What was compared with."""
    return ", ".join(f"{name} {version(name)}" for name in ("modern_robotics", "roboticstoolbox-python"))


def _modern_robotics(model, q, qd, qdd):
    """Inverse dynamics by link frames at q = 0, screw axes there, and inertias in the link frames."""
    M, S, home = [], [], np.eye(4)
    for i in model.bodies:
        E, r = X_to_Er(model.X_tree[i])
        M.append(np.block([[E.T, r[:, None]], [np.zeros((1, 3)), 1]]))
        home = home @ M[-1]
        S.append(mr.Adjoint(home) @ model.joints[i].motion_subspace(q[:1])[:, 0])
    arguments = (model.gravity, np.zeros(6), np.array([*M, np.eye(4)]), np.array(model.inertia[1:]), np.array(S).T)
    return lambda: mr.InverseDynamics(q, qd, qdd, *arguments)


def _roboticstoolbox(case, q, qd, qdd):
    links, name, *_ = URDF_read(case.urdf)
    robot = Robot(links, name=name)
    gravity = case.model.gravity
    return lambda: robot.rne(q, qd, qdd, gravity=gravity)


def _adam(case, q, qd):
    names = [f"{name}_joint" for name in case.model.names[1:]]
    adam = KinDynComputations(str(case.urdf), names, gravity=np.append(case.model.gravity, np.zeros(3)))
    adam.set_frame_velocity_representation(Representations.BODY_FIXED_REPRESENTATION)
    base, speed = np.eye(4), np.zeros(6)
    return lambda: adam.bias_force(base, q, speed, qd)[6:]
