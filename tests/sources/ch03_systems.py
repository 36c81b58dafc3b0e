"""Systems under constraint that the tests of RBDA chapter 3 share."""

from functools import cache
from types import SimpleNamespace

import numpy as np

from rbdlib import Model
from rbdlib.book import ch04_joints as joint
from rbdlib.book.ch02_spatial import inverse_transform, mcI, plucker, rotx, rotz, xlt
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.methods.custom_joint import Custom
from rbdlib.numbers.scalars import sin
from tests.sources import helpers

#: Joints whose S is the same at every position; then others.
EVERY_JOINT = [
    joint.Revolute((1, 2, 3)), joint.Prismatic("y"), joint.Helical(0.3, "x"), joint.Cylindrical((1, 1, 0)),
    joint.Planar(), joint.Planar("F_s"), joint.Spherical(), joint.FreeMotion(), joint.FreeMotion("F_s"), joint.Fixed(),
    joint.Reversed(joint.Spherical()), joint.Euler("zyx"), joint.Euler("xzx"), joint.Universal("xy"),
    joint.RackAndPinion(0.4), joint.Reversed(joint.Euler("xyz")),
    joint.Reversed(joint.RackAndPinion(0.3)), joint.Reversed(joint.Universal("zx")),
    joint.Reversed(joint.Reversed(joint.Euler("zyz")))]


def shaken(q, t):
    """A hinge whose axis swings to and fro and along which the body is shaken: X_J depends on q and on time."""
    return rotz(q[0]) @ xlt([0, 0.2 * q[0], sin(2 * t)]) @ rotx(0.7 * sin(t))


@cache
def shaken_joint():
    return Custom(1, shaken, name="shaken")


def random_model(rng, joints, **changes):
    """A random tree with the given joints, in a random order of attachment."""
    parent = [int(rng.integers(0, i)) for i in range(1, len(joints) + 1)]
    X_tree = [plucker(helpers.random_rotation(rng), rng.normal(size=3)) for _ in joints]
    inertia = [mcI(*helpers.random_mass_properties(rng)) for _ in joints]
    return Model(**{"parent": parent, "joints": joints, "X_tree": X_tree, "inertia": inertia,
                    "gravity": rng.normal(size=3), **changes})


def every_joint_once(rng):
    """A random tree in which every kind of joint occurs."""
    return random_model(rng, [EVERY_JOINT[k] for k in rng.permutation(len(EVERY_JOINT))])


def transforms(model, q, t=0.0):
    """The transforms from base coordinates to the bodies, composed joint by joint."""
    X = [np.eye(6)]
    for i in model.bodies:
        X.append(model.joints[i].transform(q[model.q_slice(i)], t) @ model.X_tree[i] @ X[model.parent[i]])
    return X


def random_loop(rng, loop_joint, joints=None):
    """A tree of mobile joints with one more joint that closes a loop: (model, q, qd), fulfilling the constraint."""
    return closed_loop(rng, loop_joint, joints)[:3]


def closed_loop(rng, loop_joint, joints=None):
    """(model, q, qd) of `random_loop`, the loop joint's variables at q, and the relative motion (6 x nv) there."""
    model = random_model(rng, joints or [joint.Spherical(), joint.Revolute("x"), joint.Euler("zyx"),
                                         joint.FreeMotion(), joint.Universal()],
                         parent=[0, 1, 2, 0, 4])
    q, _ = model.random_state(rng)
    X, q_loop = transforms(model, q), loop_joint.random_position(rng)
    X_P = plucker(helpers.random_rotation(rng), rng.normal(size=3))
    X_S = loop_joint.transform(q_loop) @ X_P @ X[3] @ inverse_transform(X[5])
    model = model.replace(loops=[LoopJoint(3, 5, loop_joint, X_P, X_S)])
    J = np.column_stack([relative_velocity(model, q, unit) for unit in np.eye(model.nv)])
    K = loop_joint.constraint_subspace(q_loop).T @ J
    return model, q, (np.eye(model.nv) - along_rows(K))[:, len(K):] @ rng.normal(size=model.nv - len(K)), q_loop, J


def along_rows(K):
    """The projection (n x n) onto the space that the independent rows of K span; n - its rank is left to move."""
    return K.T @ np.linalg.solve(K @ K.T, K)


def relative_velocity(model, q, qd):
    """v_s - v_p of the loop joint, in F_s coordinates, when the tree moves with the velocities qd: by differences."""
    (loop,) = model.loops

    def X_J(t):
        X = transforms(model, model.integrate(q, qd, t))
        return loop.X_S @ X[loop.successor] @ inverse_transform(loop.X_P @ X[loop.predecessor])

    W = -helpers.slope(X_J, h=1e-3) @ inverse_transform(X_J(0))
    return np.array([W[2, 1], W[0, 2], W[1, 0], W[5, 1], W[3, 2], W[4, 0]])


def runge_kutta(rate, x, dt, steps, after=lambda x: x):
    """The states of a fixed-step fourth-order integration; after: what to do to the state after each step."""
    states = [x]
    for _ in range(steps):
        k1 = rate(x)
        k2 = rate(x + dt / 2 * k1)
        k3 = rate(x + dt / 2 * k2)
        x = after(x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + dt * k3)))
        states.append(x)
    return np.array(states)


def random_constraint(rng, n=6, n_c=3):
    """A random constrained equation of motion, with the same constraint in implicit and in explicit form."""
    A, K, q, R = rng.normal(size=(n, n)), rng.normal(size=(n_c, n)), rng.normal(size=n), rng.normal(size=(n, n - n_c))
    G = R - along_rows(K) @ R
    return SimpleNamespace(H=A @ A.T + np.eye(n), C=rng.normal(size=n), tau=rng.normal(size=n), K=K, k=K @ q, G=G,
                           g=q + G @ rng.normal(size=n - n_c))


def parallelogram(l=0.7, m=1.3, m_coupler=2.0):
    """Two equal cranks (rods of length l) and a coupler of length 1 m, as a tree of three hinges and one loop joint."""
    crank = mcI(m, [l / 2, 0, 0], np.diag([0.001, m * l * l / 12, m * l * l / 12]))
    coupler = mcI(m_coupler, [0.5, 0, 0], np.diag([0.001, 0.1, 0.1]))
    return Model([0, 1, 0], [joint.Revolute()] * 3, [np.eye(6), xlt([l, 0, 0]), xlt([1, 0, 0])],
                 [crank, coupler, crank],
                 gravity=(0, -9.81, 0), loops=[LoopJoint(2, 3, joint.Revolute(), xlt([1, 0, 0]), xlt([l, 0, 0]))])


def parallelogram_acceleration(angle, torque, l=0.7, m=1.3, m_coupler=2.0):
    """The acceleration of its cranks, from the energy: the coupler moves on a circle of radius l without turning."""
    return (torque - 9.81 * np.cos(angle) * (m + m_coupler) * l) / (2 * m * l * l / 3 + m_coupler * l * l)


@cache
def body_on_chain(n_f):
    """One rigid body on n_f joints in series whose links have no mass, from geometry and Lagrange's equations.
    In base coordinates: subspace(t) (6 x n_f) and pose(t) of the body along q + t qd + t²/2 qdd; S, S_dot, I, p, f, v,
    a at t = 0; and the accelerations qdd that Lagrange's equations give for the spatial force f on the body."""
    rng = np.random.default_rng(360 + n_f)
    nothing, body = (0.0, np.zeros(3), np.zeros((3, 3))), helpers.random_mass_properties(rng)
    kinds = ["revolute", "prismatic", "revolute", "revolute", "prismatic", "revolute"][:n_f]
    tree = helpers.Tree(list(range(n_f)), kinds, [helpers.random_unit(rng) for _ in kinds],
                        [helpers.random_pose(rng) for _ in kinds],
                [*[nothing] * (n_f - 1), body][:n_f], rng.normal(size=3))
    q, qd, f = rng.normal(size=n_f), rng.normal(size=n_f), rng.normal(size=6)

    def subspace(q):
        columns = []
        for kind, axis, (R, p) in zip(kinds, tree.axes, tree.world_poses(q)[1:], strict=True):
            direction = R @ axis
            columns.append([*direction, *np.cross(p, direction)] if kind == "revolute" else [0, 0, 0, *direction])
        return np.array(columns).T.reshape(6, n_f)

    tau = subspace(q).T @ f
    qdd = np.linalg.solve(tree.mass_matrix(q), tau - tree.lagrangian_bias(q, qd)) if n_f else np.zeros(0)

    def pose(t):
        return tree.world_poses(q + t * qd + t * t / 2 * qdd)[n_f]

    m, c, I_C = body
    (R, r), v = pose(0), helpers.velocity(pose) if n_f else np.zeros(6)
    centre = helpers.cross_matrix(r + R @ c)
    I = np.block([[R @ I_C @ R.T + m * centre @ centre.T, m * centre], [m * centre.T, m * np.eye(3)]])
    h = I @ v
    gyroscopic = [*(np.cross(v[:3], h[:3]) + np.cross(v[3:], h[3:])), *np.cross(v[:3], h[3:])]
    p = np.array(gyroscopic) - weight(body, pose(0), tree.gravity)
    S_dot = helpers.derivative(lambda t: subspace(q + t * qd)) if n_f else np.zeros((6, 0))
    a = helpers.acceleration(pose) if n_f else np.zeros(6)
    return SimpleNamespace(n_f=n_f, tree=tree, body=body, q=q, qd=qd, qdd=qdd, f=f, I=I, p=p, v=v, a=a, pose=pose,
                           subspace=lambda t: subspace(q + t * qd + t * t / 2 * qdd), S=subspace(q), S_dot=S_dot)


def momentum(body, pose, t=0.0):
    """The momentum in world coordinates of a body (m, c, I_C) with a moving pose, from the motion of its centre."""
    (m, c, I_C), (R, r), v = body, pose(t), helpers.velocity(pose, t)
    centre = r + R @ c
    linear = m * (v[3:] + np.cross(v[:3], centre))
    return np.concatenate([R @ I_C @ R.T @ v[:3] + np.cross(centre, linear), linear])


def weight(body, pose, gravity):
    """The force of gravity on a body (m, c, I_C) in world coordinates."""
    (m, c, _), (R, r) = body, pose
    return np.concatenate([np.cross(r + R @ c, m * gravity), m * gravity])


def net_force(body, pose, gravity):
    """The force on a moving body (m, c, I_C) besides gravity: the rate of its momentum less its weight."""
    return helpers.slope(lambda t: momentum(body, pose, t)) - weight(body, pose(0), gravity)
