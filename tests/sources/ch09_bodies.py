"""Mechanisms in motion whose bodies are exchanged for others, also for impossible ones: for RBDA 9.7.

The motion stays; what changes are momenta and weights, computed from m, c and I_C, of which nobody asks whether some
body has them.
"""

import copy

import numpy as np

from tests.sources.ch06_systems import momentum_matrix
from tests.sources.helpers import cross_matrix, slope

STEP = 3e-3


def mass_properties_of(I):
    """m, c and I_C of a 6 x 6 inertia, by its definition; m may be negative but not zero."""
    m = I[5, 5]
    c = np.array([I[2, 4], I[0, 5], I[1, 3]]) / m
    return m, c, I[:3, :3] + m * cross_matrix(c) @ cross_matrix(c)


def with_bodies(moving, inertias):
    """The same motion of a `ch05_systems.Moving` with other bodies, {body: 6 x 6 inertia}."""
    other = copy.copy(moving)
    other.mechanism = copy.copy(moving.mechanism)
    other.mechanism.bodies = list(moving.mechanism.bodies)
    for i, I in inertias.items():
        other.mechanism.bodies[i - 1] = mass_properties_of(I)
    other.net = slope(other.momenta, h=STEP)
    weights = [np.zeros(6)]
    for (R, p), (m, c, _) in zip(other.poses[1:], other.mechanism.bodies, strict=True):
        weights.append(np.concatenate([np.cross(p + R @ c, m * other.gravity[3:]), m * other.gravity[3:]]))
    other.weights = np.array(weights)
    return other


def inertia_of(moving, i):
    """The inertia of body i in its own coordinates."""
    return momentum_matrix(*moving.mechanism.bodies[i - 1])


def seen_from_parent(moving, i, I):
    """An inertia in the coordinates of the frame where joint i sits, in those of the parent, by its momenta there."""
    R, p = moving.mechanism.places[i - 1]
    columns = []
    for v in np.eye(6):
        inside = np.concatenate([R.T @ v[:3], R.T @ (v[3:] + np.cross(v[:3], p))])
        h = I @ inside
        linear = R @ h[3:]
        columns.append(np.concatenate([R @ h[:3] + np.cross(p, linear), linear]))
    return np.column_stack(columns)
