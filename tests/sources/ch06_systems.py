"""Inertias, the mass matrix and the forces of `ch05_systems.Moving`, by 3D geometry, which tests of chapter 6 share.
World motions and forces have their reference point at the world's origin. Nothing here is computed by rbdlib."""

import copy
import functools

import numpy as np

from tests.sources.ch05_systems import JOINT_SETS, STEP, Moving
from tests.sources.helpers import force_carried, force_coordinates, motion_carried, motion_coordinates, slope

#: Every joint type, in trees with branches.
CASES = list(zip(JOINT_SETS, ((0, 1, 1, 3, 3), (0, 1, 2, 2, 0), (0, 0, 1, 2, 3), (0, 1, 1, 2, 4)), strict=True))
#: The tree of seven bodies on which the book counts the first steps of a factorisation.
BINARY = [0, 1, 1, 2, 2, 3, 3]


@functools.cache
def system(name, parent=None):
    """A mechanism in motion, of one of the sets of joints."""
    return Moving(np.random.default_rng([6, len(name), parent is None]), JOINT_SETS[name], parent)


def accelerated(moving, qd, qdd):
    """The same mechanism with other velocities and accelerations."""
    other = copy.copy(moving)
    other.qd, other.qdd = np.asarray(qd, dtype=float), np.asarray(qdd, dtype=float)
    other.v, other.a, other.net = other.velocities(), slope(other.velocities, h=STEP), slope(other.momenta, h=STEP)
    return other


def momentum_matrix(m, c, I_C):
    """The 6 x 6 matrix from velocity to momentum, a column for each unit motion: mass m at c, I_C about c."""
    columns = []
    for v in np.eye(6):
        linear = m * (v[3:] + np.cross(v[:3], c))
        columns.append(np.concatenate([np.cross(c, linear) + I_C @ v[:3], linear]))
    return np.column_stack(columns)


def in_world(moving, i):
    """m, c and I_C of body i in world coordinates."""
    (R, p), (m, c, I_C) = moving.poses[i], moving.mechanism.bodies[i - 1]
    return m, p + R @ c, R @ I_C @ R.T


def inertia(moving, i):
    """The inertia of body i in world coordinates, 6 x 6."""
    return momentum_matrix(*in_world(moving, i))


def as_one_body(moving, bodies):
    """m, c and I_C, in world coordinates, of several bodies that are rigidly connected (parallel axes)."""
    parts = [in_world(moving, k) for k in bodies]
    m = sum(part[0] for part in parts)
    c = sum(part[0] * part[1] for part in parts) / m
    return m, c, sum(I + m_k * ((d := c_k - c) @ d * np.eye(3) - np.outer(d, d)) for m_k, c_k, I in parts)


def mass_matrix(moving):
    """H, from the velocities of the bodies for unit velocity variables and their inertias."""
    return sum(moving.ways[k].T @ inertia(moving, k) @ moving.ways[k] for k in moving.bodies)


def motion_matrix(moving, to, start):
    """The motion transform from the coordinates of one body to those of another, column by column."""
    poses = moving.poses
    return np.column_stack([motion_coordinates(motion_carried(e, poses[start]), poses[to]) for e in np.eye(6)])


def force_matrix(moving, to, start):
    """The force transform from the coordinates of one body to those of another, column by column."""
    poses = moving.poses
    return np.column_stack([force_coordinates(force_carried(e, poses[start]), poses[to]) for e in np.eye(6)])


def body_inertia(moving, i):
    """The inertia of body i in its own coordinates."""
    return momentum_matrix(*moving.mechanism.bodies[i - 1])


def body_axes(moving, i):
    """S_i in the coordinates of body i."""
    columns = [motion_coordinates(s, moving.poses[i]) for s in moving.way(i).T]
    return np.column_stack([np.zeros((6, 0)), *columns])


def ancestors(parent, k):
    """k and what precedes it on the way to the base, for parents counted from 1."""
    path = []
    while k:
        path.append(k)
        k = parent[k - 1]
    return path


def related(parent):
    """Where one of i, j precedes the other or i = j: an array of bool, by looking at every pair."""
    n = len(parent)
    return np.array([[i in ancestors(parent, j) or j in ancestors(parent, i) for j in range(1, n + 1)]
                     for i in range(1, n + 1)])


def random_parents(rng, n):
    return [int(rng.integers(0, k)) for k in range(1, n + 1)]
