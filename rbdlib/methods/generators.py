"""Systems of any size, for tests and studies: GU(n), binary trees, trees of any branching (RBDA 10.2, 10.3).

Every generator returns a `Model` and takes a seed where it draws at random: the same seed gives the same model.
"""

import math

import numpy as np

from rbdlib.book.ch02_spatial import mcI, plucker, rotx, xlt
from rbdlib.book.ch04_joints import Joint, Revolute
from rbdlib.book.ch04_model import Model
from rbdlib.book.ch04_orientation import rotation_from_euler_parameters
from rbdlib.methods.geometry import DHRow, dh_chain
from rbdlib.numbers.model_arguments import whole_number
from rbdlib.numbers.scalars import number

#: The moment of inertia of a unit link about its own length; a thin rod would have 0, and a joint along it no inertia.
ALONG = 1 / 300


def auto_tree(n, branching=1.0, skew=0.0, taper=1.0, seed=None, joints=None, gravity=(0, -9.81, 0)):
    """A tree of n similar links, from an unbranched chain to a bush (RBDA 10.2; 10.3.2 uses branching 1 and 2).

    branching: children of each body on average (at least 1); body i's parent is (i - 1) / branching, rounded up, so
    that 1 gives a chain and 2 a binary tree. Link 1 lies along the x axis of its own frame and has unit length, unit
    mass, its centre half way and the moment 1/12 about any line across that centre. Each child sits at the end of its
    parent, turned about the parent's x axis by the angle skew (rad; 0 gives a planar system), and is taper times as
    long; masses go with the cube and inertias with the fifth power, and must stay within the range of floats. joints:
    which are used in turn, all revolute about z if left out. seed: a whole number draws a system of the same
    connectivity and sizes, but with joints placed and turned anyhow and with general inertias. gravity: as for `Model`.

    Raises ValueError or TypeError naming the argument.
    """
    n, branching, skew = whole_number(n, "n"), number(branching, "branching"), number(skew, "skew")
    remedy = "give 1 for a chain, 2 for a binary tree, or any number above 1."
    if isinstance(branching, complex) or getattr(branching, "free_symbols", False):
        raise TypeError(f"branching is {branching}, but the connectivity of a tree needs a real number, not a symbol; "
                        + remedy)
    if branching < 1:
        raise ValueError(f"branching is {branching}; {remedy}")
    parent = [int(math.ceil((i - 1) / branching)) for i in range(1, n + 1)]
    size = _sizes(parent, taper)
    if seed is None:
        X_tree = [rotx(skew) @ xlt([size[p - 1], 0, 0]) if p else xlt([0, 0, 0]) for p in parent]
        inertia = [mcI(s**3, [s / 2, 0, 0], s**5 * np.diag([ALONG, 1 / 12, 1 / 12])) for s in size]
    else:
        rng = np.random.default_rng(whole_number(seed, "seed"))
        X_tree = []
        for p in parent:
            turn, reach = rng.normal(size=4), size[p - 1] if p else 1.0
            E = rotation_from_euler_parameters(turn / np.linalg.norm(turn))
            X_tree.append(plucker(E, reach * rng.uniform(-1, 1, 3)))
        inertia = [_random_inertia(rng, s) for s in size]
    joints = [Revolute("z")] if joints is None else [joints] if isinstance(joints, Joint) else list(joints)
    if not joints:
        raise ValueError("joints is empty; give one joint or more, such as [Revolute('z'), Prismatic('x')].")
    return Model(parent, [joints[i % len(joints)] for i in range(n)], X_tree, inertia, gravity)


def binary_tree(depth, seed=None):
    """The complete binary tree with 2**depth - 1 bodies, body i the child of i // 2 (RBDA 10.3.2, Figure 10.5).

    Its links are those of the planar chain of RBDA 10.2; seed: as for `auto_tree`.
    """
    if whole_number(depth, "depth") > 12:
        raise ValueError(f"depth is {depth}, which makes {2**depth - 1} bodies; give at most 12.")
    return auto_tree(2**depth - 1, branching=2, seed=seed)


def gu(n, seed=0):
    """GU(n): an unbranched chain of n bodies with revolute joints, general geometry and inertias (RBDA 10.3).

    The modified Denavit-Hartenberg parameters and the inertias are drawn at random; none of them is zero or special.
    """
    n, rng = whole_number(n, "n"), np.random.default_rng(whole_number(seed, "seed"))
    rows = [DHRow(*rng.choice([-1, 1], 3) * rng.uniform([0.3, 0.3, 0.1], [1.0, 1.3, 0.5])) for _ in range(n)]
    chain = dh_chain(rows)
    return Model(chain.parent, chain.joints, chain.X_tree, [_random_inertia(rng, 1.0) for _ in range(n)])


def _sizes(parent, taper):
    """The length of each link. Raises ValueError if floats cannot hold the inertia of one, which has its 5th power."""
    taper = number(taper, "taper")
    if isinstance(taper, complex) or getattr(taper, "is_positive", True) is None:
        raise TypeError(f"taper is {taper}, which is not known to be positive; give a positive number, or a symbol "
                        "that is declared with positive=True.")
    if taper <= 0:
        raise ValueError(f"taper is {taper}; give a positive ratio of a child's length to its parent's.")
    depth, size = [], []
    for p in parent:
        depth.append(depth[p - 1] + 1 if p else 0)
    if depth and not getattr(taper, "free_symbols", ()):
        digits = 5 * max(depth) * math.log10(taper)
        if not -300 < digits < 300:
            trouble = "vanish in" if digits < 0 else "exceed"
            raise ValueError(f"taper is {taper} in a tree of {max(depth) + 1} generations: the mass and inertia of the "
                             f"last link would {trouble} the range of floats. Give a taper nearer 1, or fewer bodies.")
    for p in parent:
        size.append(taper * size[p - 1] if p else 1.0)
    return size


def _random_inertia(rng, size):
    """The inertia of eight particles placed at random in a cube, of the order of magnitude of a link's."""
    masses, points = size**3 * rng.uniform(0.05, 0.2, 8), size * rng.uniform(-1, 1, (8, 3))
    return sum(mcI(m, point, np.zeros((3, 3))) for m, point in zip(masses, points, strict=True))
