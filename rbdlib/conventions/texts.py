"""How the five texts write the same quantities, and how to go from one to the other.

FDSV  force vectors are [f, n_O]; one transform and one cross product serve motions and forces; inertias map
      motions to that layout; X goes from child to parent; joints are numbered from 0 and the world is -1.
MBT   all vectors are in world axes with the linear part first; velocity is that of the centre of mass, and
      acceleration is classical.
SOA   links are numbered from the tip to the base; acceleration is that of a body-fixed point (classical).
MRN   twists and wrenches are as in RBDA; poses are 4 x 4 matrices T_sb; F_tip is exerted by the robot.
"""

from collections import namedtuple
from operator import index

import numpy as np

from rbdlib.book import ch02_spatial
from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er, inverse_transform, mcI, plucker, skew, xlt
from rbdlib.book.ch04_joints import Helical, Joint, Prismatic, Revolute
from rbdlib.book.ch04_kinematics import body_jacobian, body_transforms
from rbdlib.book.ch04_model import Model, ModelError, require_model
from rbdlib.conventions.frames import swap_halves
from rbdlib.numbers.scalars import as_floats, blocks, eye, floats, matrix, vector
from rbdlib.numbers.validation import rotation, transform

__all__ = [
    "OpenChain", "acceleration_from_mbt", "acceleration_from_soa", "acceleration_to_mbt", "acceleration_to_soa",
    "adjoint_from_mrn", "adjoint_to_mrn", "body_from_fdsv", "body_to_fdsv", "chain_to_mrn", "fdsv_transform",
    "force_from_fdsv", "force_from_mbt", "force_to_fdsv", "force_to_mbt", "inertia_from_fdsv", "inertia_from_mbt",
    "inertia_to_fdsv", "inertia_to_mbt", "joint_vector_from_soa", "joint_vector_to_soa", "link_from_soa", "link_to_soa",
    "model_from_screws", "pose_from_mrn", "pose_to_mrn", "spatial_transpose", "tip_wrench_from_f_ext",
    "tip_wrench_to_f_ext", "transform_from_fdsv", "transform_to_fdsv", "velocity_from_mbt", "velocity_to_mbt",
]

# FDSV: Forward Dynamics with Spatial Vectors


def force_to_fdsv(f):
    """FDSV's [f, n_O] from RBDA's [n_O, f]. Motion vectors are the same in both texts."""
    return swap_halves(vector(f, 6, "f"))


def force_from_fdsv(f):
    """RBDA's [n_O, f] from FDSV's [f, n_O]."""
    return force_to_fdsv(f)


def inertia_to_fdsv(I):
    """FDSV's inertia (Eq. 39), which maps motion to FDSV's force layout: P I."""
    return matrix(I, (6, 6), "I")[[3, 4, 5, 0, 1, 2]]


def inertia_from_fdsv(I):
    """RBDA's inertia from FDSV's."""
    return inertia_to_fdsv(I)


def transform_to_fdsv(X_up):
    """FDSV's transform from child to parent, which serves motions and forces, from RBDA's ⁱX_λ(i) (FDSV Eq. 19)."""
    return inverse_transform(X_up)


def transform_from_fdsv(X):
    """RBDA's ⁱX_λ(i), from parent to child, out of FDSV's transform from child to parent."""
    return inverse_transform(X)


def fdsv_transform(R, t):
    """FDSV's transform [[R, 0], [t* R, R]]: a rotation R followed by a translation t (FDSV Eq. 38).

    R (3 x 3) takes child to parent coordinates; t is the position of the child's origin in parent coordinates.
    """
    R, t = rotation(R, "R"), vector(t, 3, "t")
    return blocks([[R, 0],
                   [skew(t) @ R, R]])


def spatial_transpose(a):
    """FDSV's operator S (Eq. 41): [a, a_O] becomes [a_O, a], and a matrix A becomes P Aᵀ P.

    ``spatial_transpose(a) @ b`` is FDSV's scalar product, the same for any pair of motion and force.
    """
    return swap_halves(np.transpose(a))


def body_to_fdsv(i):
    """FDSV's number of body i: joints start at 0 and the world is -1."""
    return index(i) - 1


def body_from_fdsv(i):
    """The body number of FDSV's link i."""
    return index(i) + 1


# MBT: the Lagrangian tutorial. v, a, f, I are in base coordinates; c is the centre of mass there.


def velocity_to_mbt(v, c):
    """MBT's V = (velocity of the centre of mass; omega) (MBT Eq. 27)."""
    return np.concatenate([ch02_spatial.point_velocity(v, vector(c, 3, "c")), vector(v, 6, "v")[:3]])


def velocity_from_mbt(V, c):
    """The spatial velocity [omega, v_O] from MBT's (v_C; omega)."""
    return xlt(-vector(c, 3, "c")) @ swap_halves(vector(V, 6, "V"))


def acceleration_to_mbt(a, v, c):
    """MBT's (classical acceleration of the centre of mass; omega') from the spatial acceleration a, velocity v."""
    X = xlt(vector(c, 3, "c"))
    return swap_halves(ch02_spatial.classical_acceleration(X @ vector(a, 6, "a"), X @ vector(v, 6, "v")))


def acceleration_from_mbt(A, V, c):
    """The spatial acceleration from MBT's (v_C'; omega') and velocity V = (v_C; omega)."""
    A, V = vector(A, 6, "A"), vector(V, 6, "V")
    return xlt(-vector(c, 3, "c")) @ ch02_spatial.spatial_acceleration(swap_halves(A), swap_halves(V))


def force_to_mbt(f, c):
    """MBT's (f; torque about the centre of mass) (MBT Eq. 24)."""
    return np.concatenate([vector(f, 6, "f")[3:], ch02_spatial.moment_at(f, vector(c, 3, "c"))])


def force_from_mbt(F, c):
    """The spatial force [n_O, f] from MBT's (f; torque about the centre of mass)."""
    return xlt(vector(c, 3, "c")).T @ swap_halves(vector(F, 6, "F"))


def inertia_to_mbt(I):
    """MBT's M_c = blockdiag(m 1, I_c) and the centre of mass c: returns (M_c, c) (MBT Eq. 27)."""
    m, c, I_C = I_to_mcI(I)
    return blocks([[m, 0],
                   [0, I_C]]), c


def inertia_from_mbt(M_c, c):
    """The spatial inertia from MBT's M_c and the centre of mass c."""
    M_c = matrix(M_c, (6, 6), "M_c")
    return mcI(M_c[0, 0], c, M_c[3:, 3:])


# SOA: the unified formulation. A chain's links count n..1 from the base to the tip.


def link_to_soa(i, n):
    """SOA's number of body i in a chain of n bodies, n + 1 - i; the base is n + 1. It is its own inverse."""
    if not 0 <= index(i) <= index(n) + 1:
        raise ValueError(f"i is {i}; a chain of {n} bodies has the numbers 0 to {n + 1}.")
    return n + 1 - i


def link_from_soa(i, n):
    """The number of the body that is SOA's link i in a chain of n bodies, n + 1 - i; the base is 0."""
    return link_to_soa(i, n)


def joint_vector_to_soa(model, tau):
    """A vector over the joints (nv), such as tau or qd, in SOA's order: the tip's joint first."""
    return vector(tau, require_model(model).nv, "tau")[_tip_first(model)]


def joint_vector_from_soa(model, T):
    """A vector over the joints in rbdlib's order from one in SOA's order."""
    return vector(T, require_model(model).nv, "T")[np.argsort(_tip_first(model))]


def _tip_first(model):
    return [x for i in reversed(model.bodies) for x in range(model.nv)[model.v_slice(i)]]


def acceleration_to_soa(a, v):
    """SOA's acceleration (omega'; acceleration of the point O_k) from the spatial acceleration: a + (0; omega × v)."""
    return ch02_spatial.classical_acceleration(a, v)


def acceleration_from_soa(alpha, v):
    """The spatial acceleration from SOA's: alpha - (0; omega × v)."""
    return ch02_spatial.spatial_acceleration(alpha, v)


# MRN: open chains and the task space


def pose_to_mrn(X):
    """The 4 x 4 pose T_sb of the frame b that X = ᵇX_s leads to: its axes and origin seen from s."""
    E, r = X_to_Er(X)
    T = eye(4, E)
    T[:3, :3], T[:3, 3] = E.T, r
    return T


def pose_from_mrn(T):
    """The transform ᵇX_s from the pose T_sb."""
    T = matrix(T, (4, 4), "T")
    last = as_floats(T[3])
    if last is not None and not np.array_equal(last, [0, 0, 0, 1]):
        raise ValueError(f"T ends with the row {last.tolist()}; a pose ends with [0, 0, 0, 1]. Is it transposed?")
    return plucker(T[:3, :3].T, T[:3, 3])


def tip_wrench_to_f_ext(F_tip, X=None):
    """The force on the tip body, in base coordinates, when the robot exerts the wrench F_tip on its surroundings.

    F_tip = (moment, force) is in the coordinates of the frame that X = ᵇX_0 leads to (default: base coordinates).
    The sign changes because f_ext acts on the robot (MRN Eq. 1).
    """
    return -(eye(6) if X is None else transform(X, "X")).T @ vector(F_tip, 6, "F_tip")


def tip_wrench_from_f_ext(f, X=None):
    """The wrench F_tip exerted by the robot, in the frame that X = ᵇX_0 leads to, from the force f on its tip body."""
    return -(eye(6) if X is None else inverse_transform(X)).T @ vector(f, 6, "f")


def adjoint_to_mrn(X):
    """[Ad_T] of the pose T_sb: the matrix that takes twists from b to s, from X = ᵇX_s."""
    return inverse_transform(X)


def adjoint_from_mrn(X):
    """ᵇX_s from the matrix [Ad_T] of the pose T_sb."""
    return inverse_transform(X)


class OpenChain(namedtuple("OpenChain", "Mlist Glist Slist")):
    """An open chain as Modern Robotics has it: n joints, at q = 0.

    Mlist (n + 1 poses 4 x 4): from each body's centre of mass to the next one's, and to the tip.  Glist (n matrices
    6 x 6): inertias about the centres of mass.  Slist (6 x n): the joints' screw axes in the frame of the base.
    """


def chain_to_mrn(model, X_tip=None):
    """The arguments Mlist, Glist, Slist of Modern Robotics' functions, from a chain of hinges and sliders.

    X_tip: transform from the last body to the tip's frame (default: the last body's own frame).
    """
    require_model(model)
    if any(model.parent[i] != i - 1 or model.joints[i].nv != 1 for i in model.bodies):
        raise ValueError("model is not a chain of joints of one freedom each, as the functions of Modern Robotics "
                         "expect. Give a chain, or translate its parts.")
    X = body_transforms(model, np.zeros(model.nq))
    inertias = [I_to_mcI(model.inertia[i]) for i in model.bodies]
    at_mass = [xlt(c) @ X[i] for i, (_, c, _) in zip(model.bodies, inertias, strict=True)]
    tip = (np.eye(6) if X_tip is None else transform(X_tip, "X_tip")) @ X[model.N_B]
    steps = [np.eye(6), *at_mass, tip]
    Mlist = [pose_to_mrn(b @ inverse_transform(a)) for a, b in zip(steps, steps[1:], strict=False)]
    Glist = [blocks([[I_C, 0], [0, m]]) for m, _, I_C in inertias]
    Slist = inverse_transform(X[model.N_B]) @ body_jacobian(model, np.zeros(model.nq), model.N_B)
    return OpenChain(np.array(Mlist), np.array(Glist), Slist)


def model_from_screws(M, screws, inertia=None, parent=None, gravity=(0, 0, -9.81), names=None):
    """A model from its joint axes, as the product of exponentials describes it (Modern Robotics, chapter 4).

    M: the pose (4 x 4) of the tip's frame in the base at q = 0.  screws (6 x n): as columns the screw axes of the
    joints at q = 0, (omega, v_O) in base coordinates, for 1 rad, or for 1 m of a slider: chain_to_mrn's Slist, or
    [Ad_M] times axes given in the tip's frame.  inertia: n spatial inertias (6 x 6) at q = 0 in base coordinates, such
    as mcI(m, c, I_C); without them the bodies have no mass.  parent: of a tree, each body's parent, whose tip is on the
    last body (default: a chain).

    Returns (model, X_tip): the model has revolute, prismatic and helical joints; at q = 0 the axes of its body frames
    are those of the base, their origins the points of the joint axes nearest to the base's origin (a slider's: its
    parent's origin). X_tip leads from the last body's frame to the tip's. Numbers only. Raises ModelError naming the
    joint whose screw is not of unit length.

    >>> hinges = np.array([[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -1, 0]])        # about z, through (0, 0, 0) and (1, 0, 0)
    >>> arm, X_tip = model_from_screws(pose_to_mrn(xlt([2, 0, 0])), hinges.T, [mcI(1, [1, 0, 0], np.eye(3))] * 2)
    >>> X_to_Er(X_tip @ body_transforms(arm, [np.pi / 2, 0])[2])[1].round(3)
    array([0., 2., 0.])
    """
    screws = floats(matrix(screws, (6, np.shape(screws)[-1] if np.ndim(screws) else 0), "screws"),
                    "screws contains symbols; the kinds of the joints can be told for numbers only.")
    parent = list(range(screws.shape[1]) if parent is None else parent)
    inertia = [np.zeros((6, 6)) for _ in parent] if inertia is None else inertia
    origin = [np.zeros(3)]
    joints: list[Joint] = []
    for i, (screw, h) in enumerate(zip(screws.T, parent, strict=True), start=1):
        omega, v_O = screw[:3], screw[3:]
        turning, sliding, pitch = np.linalg.norm(omega), np.linalg.norm(v_O), omega @ v_O
        if not 0 <= index(h) < i:
            raise ModelError(f"The parent of body {i} is {h}; number the bodies so that parents come first.")
        if abs(turning - 1) < 1e-6:
            joints.append(Revolute(tuple(omega)) if abs(pitch) < 1e-9 else Helical(pitch, tuple(omega)))
            origin.append(np.cross(omega, v_O))
        elif turning < 1e-9 and abs(sliding - 1) < 1e-6:
            joints.append(Prismatic(tuple(v_O)))
            origin.append(origin[h])
        else:
            raise ModelError(f"The screw of joint {i} is {screw.tolist()}; of a hinge or a helical joint, omega must "
                             f"have length 1; of a slider, omega must be 0 and v_O have length 1.")

    X_0 = [xlt(P) for P in origin]                      # at q = 0 all frames are parallel
    X_tree = [X_0[i] @ inverse_transform(X_0[h]) for i, h in enumerate(parent, start=1)]
    bodies = [ch02_spatial.transform_inertia(X, I) for X, I in zip(X_0[1:], inertia, strict=True)]
    return Model(parent, joints, X_tree, bodies, gravity, names), pose_from_mrn(M) @ inverse_transform(X_0[-1])
