"""Other link frames and inertias leave the joint-space equation as it is, and make numbers zero."""

import numpy as np
import pytest

from rbdlib import Model, aba, crba, load, rnea
from rbdlib.arithmetic import typed
from rbdlib.book.ch02_spatial import plucker, rotx, rotz, xlt
from rbdlib.book.ch04_joints import Cylindrical, Helical, Prismatic, Revolute
from rbdlib.compile.executer import record
from rbdlib.compile.link_frames import AXIAL, axial_screws, in_joint_space, with_link_frames
from rbdlib.methods.derivatives import parameters
from rbdlib.methods.generators import auto_tree, gu
from tests.sources.ch03_systems import every_joint_once, random_model
from tests.sources.helpers import random_rotation, random_unit


def test_the_joint_space_equation_stays_as_it_is():
    rng = np.random.default_rng(7)
    kinds = [Revolute, Prismatic, Cylindrical, lambda axis: Helical(0.3, axis)]

    def joint():
        return kinds[rng.integers(4)]("xyz"[rng.integers(3)] if rng.random() < 0.5 else tuple(random_unit(rng)))

    for model in (*(random_model(rng, [joint() for _ in range(n)]) for n in (1, 2, 3, 8, 8)), every_joint_once(rng),
                  auto_tree(9, branching=2, seed=4), gu(5), *map(load, ("panda", "solo12", "cart_pole"))):
        other = in_joint_space(model)
        (q, qd), x, f_ext = model.random_state(rng), rng.normal(size=model.nv), rng.normal(size=(model.N_B + 1, 6))
        for mine, theirs in ((crba(other, q), crba(model, q)),
                             (rnea(other, q, qd, x, f_ext), rnea(model, q, qd, x, f_ext)),
                             (aba(other, q, qd, x, f_ext), aba(model, q, qd, x, f_ext))):
            np.testing.assert_allclose(mine, theirs, rtol=0, atol=3e-11 * max(1, np.abs(theirs).max()))


@pytest.mark.parametrize(("length", "mass"), [(1e-7, 1.0), (1e-6, 1e-9), (1e6, 1e3)])
@pytest.mark.parametrize("name", ["panda", "puma560"])
def test_models_of_any_size_keep_all_their_digits(name, length, mass):
    model, rng = load(name), np.random.default_rng(8)
    q, qd = model.random_state(rng)
    qdd = rng.normal(size=model.nv)
    moments = np.array([length] * 3 + [1] * 3)
    small = Model(model.parent[1:], model.joints[1:],
                  [X * np.outer(moments[::-1], 1) ** np.array([1, 1, 1, 0, 0, 0]) for X in model.X_tree[1:]],
                  [mass * I * np.outer(moments, moments) for I in model.inertia[1:]], model.gravity)
    for other in (in_joint_space(small), typed(small), typed(in_joint_space(small))):
        for function, arguments in ((crba, (q,)), (rnea, (q, qd, qdd))):
            right = function(small, *arguments)
            np.testing.assert_allclose(function(other, *arguments), right, rtol=0, atol=1e-13 * np.abs(right).max())
        right = aba(small, q, qd, mass * length**2 * qdd)
        np.testing.assert_allclose(aba(other, q, qd, mass * length**2 * qdd), right, rtol=0,
                                   atol=1e-11 * np.abs(right).max())


@pytest.mark.parametrize("n", [2, 5])
def test_a_chain_gets_the_transforms_and_the_inertias_that_the_book_counts_with(n):
    framed = with_link_frames(gu(n))
    for i in framed.bodies:
        screws = axial_screws(framed.X_tree[i])
        assert abs(np.sin(screws.phi)) < 1e-12 or i == 1
        assert i < n or np.hypot(screws.theta, screws.d) < 1e-12
        np.testing.assert_allclose(product(*screws), framed.X_tree[i], atol=1e-12)
    moved = parameters(in_joint_space(gu(n))).reshape(n, 10)
    assert all((np.abs(row) == 0).sum() >= 3 for row in moved) and not np.any(parameters(gu(n)) == 0)


def product(theta, d, alpha, a, phi, e):
    return rotz(theta) @ xlt([0, 0, d]) @ rotx(alpha) @ xlt([a, 0, 0]) @ rotz(phi) @ xlt([0, 0, e])


def test_the_child_that_carries_most_gets_the_link_frame_and_axial_screws_multiply_to_the_transform():
    rng = np.random.default_rng(5)
    model = random_model(rng, [Revolute("z")] * 6, parent=[0, 1, 1, 3, 4, 1])       # of 2, 3 and 6, 3 carries most
    framed = with_link_frames(model)
    for i, vanish in ((2, False), (3, True), (6, False)):
        screws = axial_screws(framed.X_tree[i])
        for left in (np.sin(screws.phi), screws.e):
            assert abs(left) < 1e-12 if vanish else abs(left) > 1e-3, i
    model = in_joint_space(load("panda"))
    framed = with_link_frames(model)
    masses, moved, bodies = ([I[5, 5] for I in m.inertia[1:]] for m in (model, framed, model.physical))
    np.testing.assert_allclose(moved, masses, atol=1e-12)
    assert not np.allclose(masses, bodies)
    np.testing.assert_allclose([I[5, 5] for I in framed.physical.inertia[1:]], bodies)
    energy = [np.linalg.eigvalsh(crba(m, m.neutral())) for m in (model, framed)]
    np.testing.assert_allclose(*energy, rtol=1e-9)
    rng = np.random.default_rng(3)
    transforms = [plucker(random_rotation(rng), rng.normal(size=3)) for _ in range(20)]
    transforms += [rotz(0.3) @ xlt([0.2, 0.1, 0.5]), rotx(np.pi) @ xlt([0.2, 0.1, 0.5]), np.eye(6), xlt([0, 0, 2.0])]
    for X in transforms:
        np.testing.assert_allclose(product(*axial_screws(X)), X, atol=1e-13)
    assert axial_screws(rotx(1e-6) @ xlt([0.3, 0.2, 0.1])) is None
    assert {joint.axis for joint in with_link_frames(load("g1")).joints[1:] if isinstance(joint, AXIAL)} == {"z"}
    model = load("panda")
    before, after = (sum(record(rnea, m).program.count().values()) for m in (model, in_joint_space(model)))
    assert after < 0.7 * before
    model = load("double_pendulum", symbolic=True)
    assert in_joint_space(model) is model
