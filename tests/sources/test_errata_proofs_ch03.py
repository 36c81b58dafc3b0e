"""The errata of RBDA chapter 3: computations in which the printed form fails and the corrected one holds."""

import numpy as np
import pytest

from tests.sources.helpers import close, derivative, far


def pendulum():
    """A mass that swings on a rod: H, C, tau, G, g; qdd, tau_c, ydd from the weight's torque and the rod's tension."""
    m, l, weight, angle, rate = 1.7, 0.8, 16.7, 0.9, -1.4
    along, across = np.array([np.sin(angle), -np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
    ydd = -weight * np.sin(angle) / (m * l)
    tension = weight * np.cos(angle) + m * l * rate**2
    return (m * np.eye(2), np.array([0, weight]), np.zeros(2), l * across[:, None], -l * rate**2 * along,
            l * (ydd * across - rate**2 * along), -tension * along, np.array([ydd]))


@pytest.mark.source("RBDA-S3.2-4")
def test_first_elimination_step_needs_a_minus_before_the_inverse_inertia():
    H, C, tau, G, g, qdd, tau_c, ydd = pendulum()
    M = np.block([[H, -np.eye(2), np.zeros((2, 1))], [-np.eye(2), np.zeros((2, 2)), G], [np.zeros((1, 2)), G.T, 0]])
    right = np.concatenate([tau - C, -g, [0]])
    unknowns = np.concatenate([qdd, tau_c, ydd])
    close(M @ unknowns, right)

    H_inverse = np.linalg.inv(H)
    M[2:4] += H_inverse @ M[:2]
    right[2:4] += H_inverse @ right[:2]
    printed, corrected = (np.hstack([np.zeros((2, 2)), sign * H_inverse, G]) for sign in (1, -1))
    close(M[2:4], corrected)
    far(M[2:4], printed)
    close(right[2:4], H_inverse @ (tau - C) - g)
    close(corrected @ unknowns, right[2:4])
    far(printed @ unknowns, right[2:4])


@pytest.mark.source("RBDA-3.19", "RBDA-S3.2-5")
def test_the_reduced_system_has_minus_the_constraint_force_among_its_unknowns():
    """Also after the second step of the elimination."""
    H, C, tau, G, g, _, tau_c, ydd = pendulum()
    first = np.linalg.solve(H, tau - C) - g
    for rows, second in (([G.T, np.zeros((1, 1))], [0]), ([np.zeros((1, 2)), -G.T @ H @ G], -G.T @ (tau - C - H @ g))):
        M, right = np.block([[np.linalg.inv(H), G], rows]), np.concatenate([first, second])
        close(M @ [*-tau_c, *ydd], right)
        far(M @ [*tau_c, *ydd], right)
        close(np.linalg.solve(M, right)[2:], ydd)


@pytest.mark.source("RBDA-3.41")
def test_c_J_is_the_rate_of_the_joint_velocity_less_the_part_of_qdd():
    rng = np.random.default_rng(341)
    waves, shifts = rng.normal(size=(3, 6, 3)), rng.normal(size=(6, 3))
    start, rate, second = rng.normal(size=(3, 2))

    def q(t):
        return start + t * rate + t * t / 2 * second

    def both(q, t):
        return np.sin(waves[0] * q[0] + waves[1] * q[1] + waves[2] * t + shifts)

    def v_J(t):
        value = both(q(t), t)
        return value[:, :2] @ (rate + t * second) + value[:, 2]

    in_time, *by_position = (derivative(lambda x, e=e: both(start + x * e[:2], x * e[2])) for e in np.eye(3)[[2, 0, 1]])
    ring = in_time + by_position[0] * rate[0] + by_position[1] * rate[1]
    c_J = ring[:, :2] @ rate + ring[:, 2]
    far(c_J, derivative(v_J))
    close(c_J, derivative(v_J) - both(start, 0)[:, :2] @ second)

    v_s, m = rng.normal(size=6), v_J(0)
    far(c_J, derivative(v_J) + [*np.cross(v_s[:3], m[:3]), *(np.cross(v_s[3:], m[:3]) + np.cross(v_s[:3], m[3:]))])
