"""Translations between the texts: round trips, and whole computations done in another text's own formulas."""

import numpy as np
import pytest

from rbdlib import Model, conventions, rnea
from rbdlib.book import ch02_spatial as spatial, ch04_kinematics as kinematics
from rbdlib.book.ch04_joints import Helical, Prismatic, Revolute
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from tests.sources.helpers import random_mass_properties

SEED = 31


def random_chain(rng, n=4, gravity=(0, 0, 0)):
    kinds = [Revolute, Prismatic, lambda axis: Helical(0.3, axis)]
    joints = [kinds[rng.integers(3)](tuple(rng.normal(size=3))) for _ in range(n)]
    X_tree = [spatial.motion_exp(rng.normal(size=6)) for _ in range(n)]
    return Model(range(n), joints, X_tree, [spatial.mcI(*random_mass_properties(rng)) for _ in range(n)], gravity)


@pytest.fixture
def moving_chain(rng):
    """A chain without gravity with q, qd, qdd and, in base coordinates, v, a, I of every body."""
    model = random_chain(rng)
    q, qd, qdd = rng.normal(size=(3, model.nv))
    steps = newton_euler(model, q, qd, qdd)
    to_base = [spatial.inverse_transform(X) for X in steps.X_0]
    v = [X @ v for X, v in zip(to_base, steps.v, strict=True)]
    a = [X @ a for X, a in zip(to_base, steps.a, strict=True)]
    I = [None, *(spatial.transform_inertia(to_base[i], model.inertia[i]) for i in model.bodies)]
    return model, q, qd, qdd, steps, v, a, I


def test_translations_of_accelerations_numbers_and_halves_come_back(rng):
    (v, a), c, X, model = rng.normal(size=(2, 6)), rng.normal(size=3), rng.normal(size=(6, 6)), random_chain(rng)
    V, A = conventions.velocity_to_mbt(v, c), conventions.acceleration_to_mbt(a, v, c)
    np.testing.assert_allclose(conventions.acceleration_from_mbt(A, V, c), a, atol=1e-12)
    for same in (conventions.swap_halves, conventions.spatial_transpose):
        np.testing.assert_allclose(same(same(X)), X, atol=1e-12)
    public = [(name, getattr(conventions, name)) for name in conventions.__all__]
    assert all(thing.__name__ == name for name, thing in public if callable(thing))            # as help() says
    assert [conventions.body_from_fdsv(conventions.body_to_fdsv(i)) for i in (0, 3)] == [0, 3]
    assert [conventions.link_from_soa(conventions.link_to_soa(i, 4), 4) for i in range(1, 5)] == [1, 2, 3, 4]
    T = conventions.joint_vector_to_soa(model, np.arange(model.nv))
    assert conventions.joint_vector_from_soa(model, T).tolist() == [*range(model.nv)]


def test_linear_first_coordinates_obey_the_same_rules(rng):
    """Transforms, cross products and scalar products computed on swapped vectors are the swapped results (RBDA 2.4)."""
    v, m, f = rng.normal(size=(3, 6))
    X, swap = spatial.motion_exp(rng.normal(size=6)), conventions.swap_halves
    np.testing.assert_allclose(swap(X) @ swap(m), swap(X @ m), atol=1e-12)
    np.testing.assert_allclose(swap(spatial.crm(v)) @ swap(m), swap(spatial.crm(v) @ m), atol=1e-12)
    assert swap(m) @ swap(f) == pytest.approx(m @ f)
    assert swap([1, 2, 3, 4, 5, 6]).tolist() == [4, 5, 6, 1, 2, 3]


def test_mbt_newton_euler_of_every_body(moving_chain):
    """MBT's V has the rate of the centre of mass; its Eq. 24 gives the net force on each body, in world axes."""
    model, q, qd, *_, v, a, I = moving_chain

    def centre(q, i):
        E, r = spatial.X_to_Er(kinematics.body_transforms(model, q)[i])
        return r + E.T @ spatial.I_to_mcI(model.inertia[i])[1]

    for i in model.bodies:
        M_c, c = conventions.inertia_to_mbt(I[i])
        V, A = conventions.velocity_to_mbt(v[i], c), conventions.acceleration_to_mbt(a[i], v[i], c)
        F = M_c @ A + np.concatenate([np.zeros(3), np.cross(V[3:], M_c[3:, 3:] @ V[3:])])
        expected = spatial.equation_of_motion(I[i], v[i], a[i])
        np.testing.assert_allclose(conventions.force_from_mbt(F, c), expected, rtol=1e-9, atol=1e-9)
        assert V @ M_c @ V / 2 == pytest.approx(v[i] @ I[i] @ v[i] / 2)
        rate = (centre(q + 1e-6 * qd, i) - centre(q - 1e-6 * qd, i)) / 2e-6
        np.testing.assert_allclose(c, centre(q, i), atol=1e-12)
        np.testing.assert_allclose(V[:3], rate, atol=1e-7)


def test_soa_recursion_gives_the_same_joint_forces(moving_chain):
    """SOA's recursive Newton-Euler algorithm (SOA 13-17), tip to base, in world axes, with classical accelerations."""
    model, q, qd, qdd, steps, v, a, I = moving_chain
    n, V, alpha, H, h = model.N_B, {}, {}, {}, 1e-4

    def origins(t):
        transforms = kinematics.body_transforms(model, q + t * qd + t * t / 2 * qdd)
        return np.array([spatial.X_to_Er(X)[1] for X in transforms])

    origin, second_differences = origins(0), (origins(h) - 2 * origins(0) + origins(-h)) / h**2
    for i in range(n + 1):
        k, X = conventions.link_to_soa(i, n), spatial.xlt(origin[i])
        V[k], alpha[k] = X @ v[i], conventions.acceleration_to_soa(X @ a[i], X @ v[i])
        H[k] = (X @ spatial.inverse_transform(steps.X_0[i]) @ steps.S[i]).T if i else None
        np.testing.assert_allclose(alpha[k][3:], second_differences[i], atol=1e-5)
    f, T = np.zeros(6), []
    for k in range(1, n + 1):
        i = conventions.link_to_soa(k, n)
        m, p, J_C = spatial.I_to_mcI(spatial.transform_inertia(spatial.xlt(origin[i]), I[i]))
        M, omega = spatial.mcI(m, p, J_C), V[k][:3]
        b = np.concatenate([np.cross(omega, M[:3, :3] @ omega), m * np.cross(omega, np.cross(omega, p))])  # (SOA 16)
        l = origin[i + 1] - origin[i] if k > 1 else np.zeros(3)
        f = spatial.xlt(l).T @ f + M @ alpha[k] + b                                                      # (SOA 15)
        T.extend(H[k] @ f)
    np.testing.assert_allclose(conventions.joint_vector_from_soa(model, T), steps.tau, rtol=1e-9, atol=1e-9)


def test_mrn_tip_wrench_enters_with_the_opposite_sign_and_its_pose_carries_points(rng):
    """tau = M qdd + h + J^T F_tip (MRN Eq. 1): what the robot exerts on its surroundings costs torque."""
    model = random_chain(rng, gravity=(0, 0, -9.81))
    q, qd, qdd = rng.normal(size=(3, model.nv))
    F_tip, tip, p = rng.normal(size=6), model.N_B, rng.normal(size=3)
    X = kinematics.body_transforms(model, q)[tip]
    tau = rnea(model, q, qd, qdd, {tip: conventions.tip_wrench_to_f_ext(F_tip, X)})
    J = kinematics.body_jacobian(model, q, tip)
    np.testing.assert_allclose(tau, rnea(model, q, qd, qdd) + J.T @ F_tip, rtol=1e-10, atol=1e-10)
    (E, r), T = spatial.X_to_Er(X), conventions.pose_to_mrn(X)
    np.testing.assert_allclose(T @ [*p, 1], [*(E.T @ p + r), 1], atol=1e-12)
    np.testing.assert_allclose(T @ spatial.homogeneous(X), np.eye(4), atol=1e-12)


def test_a_tree_made_again_from_its_screws_moves_alike_and_needs_the_same_forces(rng):
    model = random_chain(rng, gravity=(1, 2, 3)).replace(parent=[0, 1, 1, 2])
    X = kinematics.body_transforms(model, np.zeros(4))
    screws, bodies = np.zeros((6, 4)), [X[i].T @ model.inertia[i] @ X[i] for i in model.bodies]
    for i in model.bodies:
        screws[:, i - 1] = spatial.inverse_transform(X[i]) @ model.joints[i].motion_subspace([0])[:, 0]
    again, X_tip = conventions.model_from_screws(conventions.pose_to_mrn(X[4]), screws, bodies, [0, 1, 1, 2], (1, 2, 3))
    q, qd, qdd = rng.normal(size=(3, 4))
    np.testing.assert_allclose(rnea(again, q, qd, qdd), rnea(model, q, qd, qdd), rtol=1e-9, atol=1e-9)
    X_again, X = (kinematics.body_transforms(one, q)[4] for one in (again, model))
    np.testing.assert_allclose(X_tip @ X_again, X, atol=1e-12)
