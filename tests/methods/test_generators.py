"""Generated systems: the connectivity, sizes and generality that are promised, and the numbers of RBDA 10.2."""

import itertools

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import forward_dynamics, load, rnea
from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er
from rbdlib.book.ch04_joints import FreeMotion, Prismatic, Revolute, Spherical
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.methods.generators import auto_tree, binary_tree, gu
from rbdlib.methods.geometry import dh_parameters
from rbdlib.methods.joint_space import inertia_matrix

ZIGZAG = np.radians([75, -75] * 3)


def test_the_unbranched_tree_is_the_zigzag_chain_and_branching_is_the_average_number_of_children():
    """The printed condition number and joint forces (RBDA 10.2)."""
    H = inertia_matrix(auto_tree(6), ZIGZAG)
    assert_allclose(inertia_matrix(load("zigzag_chain"), ZIGZAG), H, rtol=1e-12, atol=1e-12)
    assert np.linalg.cond(H) == pytest.approx(725, abs=0.5)
    assert_allclose(H @ np.ones(6), [126.4936, 97.4663, 69.9762, 43.7998, 21.9371, 6.1646], atol=1e-4)

    for depth in (0, 1, 4):
        tree = binary_tree(depth)
        assert (tree.N_B, tree.parent[1:]) == (2**depth - 1, tuple(i // 2 for i in tree.bodies))
    for branching in (1, 1.1, 2.5, 1e9):
        tree = auto_tree(60, branching)
        children = [len(tree.mu(i)) for i in tree.bodies]
        inner = [c for c in children if c]
        assert sum(children) == 59 and max(children) <= np.ceil(branching)
        if len(inner) > 1:
            assert np.mean(inner[:-1]) == pytest.approx(branching, abs=1 / (len(inner) - 1) + 1e-9)
    assert auto_tree(8, 1.5).parent[1:] == (0, 1, 2, 2, 3, 4, 4, 5), "one and two children in turn"


def test_taper_shrinks_every_generation_and_skew_is_the_angle_between_successive_axes():
    tree = auto_tree(7, branching=2, taper=0.8)
    for i in tree.bodies:
        s = 0.8 ** (len(tree.kappa(i)) - 1)
        m, c, I_C = I_to_mcI(tree.inertia[i])
        assert m == pytest.approx(s**3)
        assert_allclose(c, [s / 2, 0, 0])
        assert_allclose(np.diag(I_C)[1:], s**5 / 12)
        if tree.parent[i]:
            assert_allclose(X_to_Er(tree.X_tree[i])[1], [s / 0.8, 0, 0])

    for skew in (0.0, 0.3, -1.2):
        for one, next_one in itertools.pairwise(axes(auto_tree(5, skew=skew), np.zeros(5))):
            assert_allclose(np.cross(one, next_one), [np.sin(skew), 0, 0], atol=1e-15)
            assert one @ next_one == pytest.approx(np.cos(skew))
    q, tree = np.random.default_rng(1).normal(size=9), auto_tree(9, branching=1.7)
    assert_allclose(axes(tree, q), np.tile([0, 0, 1], (9, 1)), atol=1e-15, err_msg="without skew it is planar")
    assert_allclose([X_to_Er(X)[1][2] for X in body_transforms(tree, q)], 0, atol=1e-15)


def axes(model, q):
    """The directions of the joints' z axes in base coordinates."""
    return [X_to_Er(X)[0][2] for X in body_transforms(model, q)[1:]]


def test_a_seed_determines_the_model_every_system_has_dynamics_and_is_as_asked():
    for make in (lambda seed: auto_tree(6, 1.4, taper=0.9, seed=seed), lambda seed: gu(6, seed),
                 lambda seed: binary_tree(3, seed)):
        assert make(3) == make(3) != make(4) and make(3).parent == make(4).parent
    # Positive definite H, and forward dynamics undoes inverse dynamics.
    rng, joints = np.random.default_rng(11), [FreeMotion(), Revolute("x"), Prismatic((1, 2, 3)), Spherical()]
    for model in (auto_tree(6, skew=0.4), auto_tree(9, 2.5, 0.3, 0.9), auto_tree(7, 1.5, seed=2), gu(7), binary_tree(3),
                  auto_tree(6, 2, seed=1, joints=joints)):
        q, qd = model.random_state(rng)
        qdd = rng.normal(size=model.nv)
        assert np.linalg.eigvalsh(inertia_matrix(model, q))[0] > 0
        assert_allclose(forward_dynamics(model, q, qd, rnea(model, q, qd, qdd)), qdd, atol=1e-8)

    assert rnea(auto_tree(3), [0, 0, 0], [0, 0, 0], [0, 0, 0]) == pytest.approx([9.81 * x for x in (4.5, 2, 0.5)])
    assert_array_equal(auto_tree(3, gravity=(0, 0, 0)).gravity, [0, 0, 0])
    assert auto_tree(0).N_B == gu(0).N_B == binary_tree(0).N_B == auto_tree(0, seed=1).N_B == 0
    model = auto_tree(5, joints=[Revolute("x"), Prismatic("y")])
    assert model.joints[1:] == (Revolute("x"), Prismatic("y")) * 2 + (Revolute("x"),), "they are used in turn"
    assert auto_tree(2, joints=Spherical()).joints[1:] == (Spherical(),) * 2


def test_gu_is_general_and_consists_of_denavit_hartenberg_frames():
    """Nothing vanishes that could (RBDA 10.3). Lines along its axes give back its parameters."""
    for n in (1, 2, 30):
        model = gu(n, seed=7)
        assert (model.parent[1:], model.joints[1:]) == (tuple(range(n)), (Revolute("z"),) * n)
        for i in model.bodies:
            _, c, I_C = I_to_mcI(model.inertia[i])
            assert np.abs(np.triu(I_C)[np.triu_indices(3)]).min() > 1e-5
            assert np.abs(c).min() > 1e-5
            E, r = X_to_Er(model.X_tree[i])
            assert min(abs(r[0]), abs(E[1, 2])) > 0.05
            assert_allclose(E[0], [1, 0, 0], atol=1e-15)
    model = gu(5, seed=3)
    lines = [(X_to_Er(X)[0][2], X_to_Er(X)[1]) for X in body_transforms(model, np.zeros(5))[1:]]
    lengths = [abs(X_to_Er(X)[1][0]) for X in model.X_tree[1:]]
    assert_allclose([row.a for row in dh_parameters(lines)[1]], lengths, rtol=1e-9)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: auto_tree(-1), "n is -1; give a whole number, 0 or more"),
    (lambda: auto_tree(True), "n is True; give a whole number"), (lambda: gu("3"), "n is '3'; give a whole number"),
    (lambda: binary_tree(None), "depth is None; give a whole number"),
    (lambda: binary_tree(40), "depth is 40, which makes 1099511627775 bodies; give at most 12"),
    (lambda: auto_tree(3, 0.5), "branching is 0.5; give 1 for a chain"),
    (lambda: auto_tree(3, np.nan), "branching contains nan"),
    (lambda: auto_tree(3, taper=0), "taper is 0; give a positive ratio"),
    (lambda: auto_tree(3, skew=np.inf), "skew contains inf"),
    (lambda: auto_tree(400, taper=0.1), "taper is 0.1 in a tree of 400 generations: .* vanish in the range of floats"),
    (lambda: auto_tree(400, taper=0.1, seed=1), "the last link would vanish in the range of floats"),
    (lambda: auto_tree(400, taper=10), "the last link would exceed the range of floats. Give a taper nearer 1"),
    (lambda: auto_tree(3, seed=1.5), "seed is 1.5; give a whole number"),
    (lambda: gu(3, None), "seed is None; give a whole number"),
    (lambda: auto_tree(3, joints=[]), "joints is empty; give one joint or more"),
    (lambda: auto_tree(3, joints=["revolute"]), "The joint of body 1 is 'revolute'; give one such as")])
def test_bad_arguments_are_named(call, message, recwarn):
    with pytest.raises(ValueError, match=message):
        call()
    assert not recwarn.list


def test_exact_arguments_will_do_where_what_they_must_be_is_known():
    s = sp.Symbol("s", positive=True)
    assert auto_tree(6, branching=sp.Rational(3, 2)) == auto_tree(6, branching=1.5)
    assert sp.expand(auto_tree(3, taper=s).inertia[3][5, 5] - s**6) == 0
    for branching in (sp.Symbol("b"), s, 1 + 1j):
        with pytest.raises(TypeError, match="branching is .*, but the connectivity of a tree needs a real number"):
            auto_tree(3, branching=branching)
    for taper in (sp.Symbol("s"), sp.Symbol("s", real=True), 1j):
        with pytest.raises(TypeError, match="taper is .*, which is not known to be positive"):
            auto_tree(3, taper=taper)


def test_the_inertias_of_the_deepest_tree_allowed_are_not_lost(recwarn):
    for seed in (None, 1):
        tree = auto_tree(60, taper=0.1, seed=seed)
        assert min(np.linalg.eigvalsh(I_to_mcI(tree.inertia[60])[2])) > np.finfo(float).tiny
        assert not recwarn.list
        with pytest.raises(ValueError, match="taper"):
            auto_tree(62, taper=0.1, seed=seed)
