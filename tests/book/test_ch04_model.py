"""The model: its connectivity, its states, its immutability, and what it says about descriptions that fit nothing."""

import copy
import math
import pickle
import warnings
from dataclasses import replace

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_array_equal

from rbdlib import Model, ModelError, load, rnea
from rbdlib.book.ch02_spatial import mcI, rotx, skew, xlt
from rbdlib.book.ch04_joints import Fixed, Prismatic, Revolute
from rbdlib.book.ch04_model import LoopJoint, external_forces
from rbdlib.methods.joint_space import inertia_matrix

ARM = mcI(1, [0.5, 0, 0], np.diag([0.01, 0.1, 0.1]))
LOOP = LoopJoint(4, 6, Revolute("x"), xlt([1, 2, 3]), rotx(0.3))


def model_of(parent, joints=None, **options):
    n = len(parent)
    joints = [Revolute("z")] * n if joints is None else joints
    return Model(parent, joints, [xlt([1, 0, 0])] * n, [ARM] * n, **options)


@pytest.fixture
def tree():
    """Bodies 1..6:  base - 1 - 2 - 4, 2 - 5 (fixed), 1 - 3, base - 6."""
    joints = [Revolute("z"), Prismatic("x"), Revolute("y"), Revolute((1, 1, 0)), Fixed(), Prismatic("z")]
    return model_of([0, 1, 1, 2, 2, 0], joints, names=["trunk", "left", "right", "hand", "ring", "other"])


def test_sequences_are_indexed_by_body_number(tree):
    assert (tree.N_B, list(tree.bodies)) == (6, [1, 2, 3, 4, 5, 6])
    assert tree.parent == (None, 0, 1, 1, 2, 2, 0)
    assert (tree.joints[0], tree.joints[2]) == (None, Prismatic("x"))
    assert tree.names == ("base", "trunk", "left", "right", "hand", "ring", "other")
    assert_array_equal(tree.inertia[3], ARM)
    assert_array_equal(tree.X_tree[3], xlt([1, 0, 0]))
    assert tree.nq == tree.nv == 5
    slices = [tree.q_slice(i) for i in tree.bodies]
    assert [list(range(5))[s] for s in slices] == [[0], [1], [2], [3], [], [4]]
    assert slices == [tree.v_slice(i) for i in tree.bodies]
    assert (tree.mu(0), tree.nu(0), tree.kappa(np.int64(4))) == ([1, 6], [*range(7)], [1, 2, 4])


def test_random_states_are_reproducible_and_bodies_that_do_not_exist_refused(tree):
    (q, qd), again = (tree.random_state(np.random.default_rng(3)) for _ in range(2))
    assert_array_equal(again, [q, qd])
    assert q.shape == qd.shape == (5,)
    assert np.abs(q).max() < np.pi
    assert (tree.random_state(np.random.default_rng(4))[0] != q).all()

    for i in (0, 7, -1, 1.0, True, "trunk", None, [1]):
        for question in (tree.kappa, tree.q_slice, tree.v_slice, *([tree.mu, tree.nu] if i != 0 else [])):
            with pytest.raises(ModelError, match=r"There is no body .*; this model has the bodies 1 to 6"):
                question(i)


def test_neutral_position_rates_and_steps(tree):
    assert_array_equal(tree.neutral(), np.zeros(5))
    q, qd = tree.random_state(np.random.default_rng(3))
    assert_array_equal(tree.qdot(q, qd), qd)
    assert_array_equal(tree.integrate(q, qd, 0.5), q + 0.5 * qd)
    assert tree.integrate(q, qd, sp.Symbol("h"))[0] == q[0] + sp.Symbol("h") * qd[0]


def test_wrong_states_are_named(tree):
    for call, error, message in (
        (lambda: tree.qdot([1], [1] * 5), ValueError, r"q has shape \(1,\); expected 5 numbers"),
        (lambda: tree.qdot([1] * 5, [1] * 6), ValueError, r"qd has shape \(6,\); expected 5 numbers"),
        (lambda: tree.integrate([1] * 5, [math.nan] * 5, 1), ValueError, "qd contains nan"),
        (lambda: tree.integrate([1] * 5, [1] * 5, math.nan), ValueError, "dt contains nan"),
        (lambda: tree.integrate([1] * 5, [1] * 5, "1"), TypeError, "dt contains the text '1'"),
        (lambda: tree.integrate([1] * 5, [1] * 5, [1]), ValueError, r"dt has shape \(1,\); expected a single number"),
        (lambda: tree.random_state(3), TypeError, "rng is 3; give a generator"),
        (lambda: rnea(tree, *np.zeros((3, 5)), {1.0: np.zeros(6)}), ValueError, "f_ext names body 1.0"),
        (lambda: tree.replace(loops=3), ValueError, "loops is 3; give a sequence"),
        (lambda: tree.replace(gravity=(0, 0)), ValueError, r"gravity has shape \(2,\); expected 3 numbers"),
        (lambda: tree.replace(gravity=(0, 0, math.inf)), ValueError, "gravity contains inf at index 2"),
        (lambda: tree.replace(gravity="down"), ValueError, "gravity contains the text 'down'"),
        (lambda: tree.replace(parameters=[1]), (TypeError, ValueError), "parameters is"),
    ):
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize(("changes", "message"), [
    ({"parent": [0, 2]}, "The parent of body 2 is 2; give each body a larger number than its parent has"),
    ({"parent": [0, -1]}, "The parent of body 2 is -1"),
    ({"parent": [0, 0.0]}, "The parent of body 2 is 0.0; give the whole number of a body, 0 for the base"),
    ({"parent": ["base", 1]}, "The parent of body 1 is 'base'; give the whole number"),
    ({"parent": [0]}, "joints has 2 entries, parent has 1; give one entry per body"),
    ({"parent": 0}, "parent is 0; give a sequence with one entry per body"),
    ({"joints": Revolute()}, "joints is .*; give a sequence with one entry per body"),
    ({"joints": [Revolute(), "revolute"]}, "The joint of body 2 is 'revolute'; give one such as Revolute"),
    ({"joints": [Revolute(), Revolute]}, "The joint of body 2 is <class .*Revolute'>; give one such as"),
    ({"X_tree": [np.eye(6), np.eye(4)]}, r"X_tree of body 2 has shape \(4, 4\); expected a matrix of shape \(6, 6\)"),
    ({"X_tree": [np.eye(6), 2 * np.eye(6)]}, "The upper left block of X_tree of body 2 is not a rotation"),
    ({"X_tree": [np.eye(6), xlt([1, 2, 3]).T]}, r"X_tree of body 2 is not a Plücker motion transform.*force transform"),
    ({"X_tree": [np.eye(6), np.eye(6) * math.nan]}, r"X_tree of body 2 contains nan at index \(0, 0\)"),
    ({"X_tree": ["a", np.eye(6)]}, "X_tree of body 1 contains the text 'a'"),
    ({"inertia": [ARM, -ARM]}, "The mass in inertia of body 2 is -1"),
    ({"inertia": [ARM, np.eye(6) + 1]}, "inertia of body 2 is not the inertia of a rigid body"),
    ({"inertia": [ARM, np.diag([9, 1, 1, 1, 1, 1.0])]}, "The rotational inertia in inertia of body 2 violates the tri"),
    ({"inertia": [ARM, np.block([[np.zeros((3, 3)), skew([1, 2, 3])], [skew([-1, -2, -3]), np.zeros((3, 3))]])]},
     "its mass is 0"),
    ({"names": ["a"]}, "names has 1 entries, parent has 2"), ({"names": ["a", "base"]}, "names: 'base' is taken"),
    ({"names": ["a", "a"]}, "names: 'a' is taken; give every body a name of its own, other than 'base'"),
    ({"loops": ["loop"]}, "Entry 1 of loops is 'loop'; give a LoopJoint"),
    ({"loops": [replace(LOOP, predecessor=2, successor=1), replace(LOOP, predecessor=0, successor=3)]},
     r"Loop joint 2 names body 3; this model has the bodies 0 \(the base\) to 2\."),
    ({"loops": [replace(LOOP, predecessor=True, successor=2)]}, "Loop joint 1 names body True"),
    ({"loops": [replace(LOOP, predecessor=2, successor=2)]}, "Loop joint 1 connects body 2 to itself; it needs two")])
def test_wrong_descriptions_are_explained(changes, message):
    right = {"parent": [0, 1], "joints": [Revolute(), Revolute()], "X_tree": [np.eye(6)] * 2, "inertia": [ARM] * 2}
    Model(**right)
    with pytest.raises(ModelError, match=message) as refusal:
        Model(**{**right, **changes})
    assert isinstance(refusal.value, ValueError)


def test_joints_that_move_no_mass_and_hinges_on_one_line_are_announced():
    with pytest.warns(UserWarning, match=r"Joint 2 \(tip\) moves nothing that has mass.*Give body 2 or one beyond it"):
        Model([0, 1], [Revolute()] * 2, [np.eye(6)] * 2, [ARM, np.zeros((6, 6))], names=["arm", "tip"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Model([0, 1], [Revolute()] * 2, [np.eye(6), xlt([1, 0, 0])], [np.zeros((6, 6)), ARM])
        Model([0, 1], [Revolute(), Fixed()], [np.eye(6)] * 2, [ARM, np.zeros((6, 6))])

    # The massless body between them can spin freely, so that H is singular although both joints move mass.
    with pytest.warns(UserWarning, match=r"Joint 1 \(body 1\) can move something that has no inertia"):
        model = Model([0, 1], [Revolute()] * 2, [np.eye(6)] * 2, [np.zeros((6, 6)), ARM])
    assert np.linalg.matrix_rank(inertia_matrix(model, [0.3, 0.4])) == 1
    exactly = np.vectorize(mpmath.mpf, otypes=[object])
    with pytest.warns(UserWarning, match="Joint 1"):
        model.replace(X_tree=[exactly(X) for X in model.X_tree[1:]], inertia=[exactly(I) for I in model.inertia[1:]])


def test_a_model_cannot_be_changed_keeps_copies_and_equals_its_copies_and_pickles(tree):
    with pytest.raises(AttributeError, match=r"A Model cannot be changed; use model.replace\(gravity=...\)"):
        tree.gravity = (0, 0, 0)
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del tree.gravity
    with pytest.raises(TypeError):
        tree.parameters["g"] = 1
    for sequence in (tree.parent, tree.joints, tree.names, tree.X_tree, tree.inertia):
        assert isinstance(sequence, tuple)
    for array in (tree.gravity, tree.X_tree[1], tree.inertia[2], LOOP.X_P, LOOP.X_S):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5

    parent, X, I, gravity = [0], np.eye(6), ARM.copy(), np.array([0, 0, -1.0])
    model = Model(parent, [Revolute()], [X], [I], gravity)
    parent[0], X[3, 4], I[:], gravity[:] = 5, 7, 0, 0
    assert model == Model([0], [Revolute()], [np.eye(6)], [ARM], (0, 0, -1))
    assert I.flags.writeable and X.flags.writeable

    for model in (tree, load("lamp"), load("particle", symbolic=True)):
        for twin in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            assert twin == model
            assert not twin.inertia[1].flags.writeable
            with pytest.raises(TypeError):
                twin.parameters["g"] = 1
        assert copy.copy(model).joints[1] is model.joints[1] is not copy.deepcopy(model).joints[1]


def test_replace_makes_a_changed_copy(tree):
    moon = tree.replace(gravity=(0, 0, -1.62))
    assert_array_equal(moon.gravity, [0, 0, -1.62])
    assert_array_equal(tree.gravity, [0, 0, -9.81])
    assert moon.replace(gravity=tree.gravity) == tree == tree.replace()
    assert tree.replace(names=list("abcdef")).names[1:] == tuple("abcdef")
    lamp = load("lamp")
    assert lamp.replace(gravity=(0, 0, 0)).parameters == lamp.parameters
    with pytest.raises(TypeError, match="replace has no argument 'gravitation'; choose from parent, joints, X_tree"):
        tree.replace(gravitation=1)
    with pytest.raises(ModelError, match="The parent of body 1 is 3"):
        tree.replace(parent=[3] * 6)


def test_models_are_equal_when_nothing_differs(tree):
    tree = tree.replace(loops=[LOOP])
    assert tree == tree.replace(loops=[replace(LOOP, X_P=LOOP.X_P.copy())])
    for change in (
        {"parent": [0, 1, 1, 2, 1, 0]}, {"gravity": (0, 0, -9.8)}, {"names": list("abcdef")},
        {"joints": [Revolute("z")] * 6}, {"X_tree": [np.eye(6)] * 6}, {"inertia": [2 * ARM] * 6},
        {"parameters": {"a": 1}}, {"loops": ()}, {"loops": [LOOP, LOOP]},
        *({"loops": [replace(LOOP, **{part: value})]} for part, value in (
            ("predecessor", 3), ("successor", 0), ("joint", Revolute("y")), ("X_P", xlt([1, 2, 3.5])),
            ("X_S", rotx(0.4)))),
    ):
        assert tree != tree.replace(**change), change
    assert tree != "tree" and tree != model_of([0]) != Model([], [], [], [])
    with pytest.raises(TypeError, match="unhashable"):
        hash(tree)


def test_printing_draws_the_tree(tree):
    assert str(tree).splitlines() == [
        "base",
        "├─ 1 trunk   revolute z   m = 1 kg",
        "│  ├─ 2 left   prismatic x   m = 1 kg",
        "│  │  ├─ 4 hand   revolute (0.7071, 0.7071, 0)   m = 1 kg",
        "│  │  └─ 5 ring   fixed   m = 1 kg",
        "│  └─ 3 right   revolute y   m = 1 kg",
        "└─ 6 other   prismatic z   m = 1 kg"]
    assert repr(tree) == "<Model of 6 bodies, nq=5, nv=5>"
    looped = tree.replace(loops=[LOOP, LoopJoint(0, 3, Fixed(), np.eye(6), np.eye(6))])
    assert str(looped).splitlines() == [*str(tree).splitlines(), "loop 7: 4 hand - 6 other   revolute x",
                                        "loop 8: base - 3 right   fixed"]


def test_printing_massless_and_symbolic_bodies_no_bodies_and_long_chains():
    assert str(load("particle")).splitlines()[1:] == ["└─ 1 slider_x   prismatic x   (massless)",
                                                      "   └─ 2 particle   prismatic y   m = 2 kg"]
    assert str(load("particle", symbolic=True)).endswith("prismatic y   m = m")
    assert model_of([0, 1]).names == ("base", "body 1", "body 2")
    empty = Model([], [], [], [])
    assert (empty.N_B, empty.nq, empty.nv, str(empty), rnea(empty, [], [], []).shape) == (0, 0, 0, "base", (0,))
    assert len(str(Model(range(1200), [Revolute()] * 1200, [np.eye(6)] * 1200, [ARM] * 1200)).splitlines()) == 1201


def test_external_forces_of_every_form_and_wrong_ones(tree):
    f, expected = np.arange(6.0), np.zeros((7, 6))
    assert_array_equal(external_forces(tree, None), expected)
    expected[3] = f
    for given in ({3: f}, {np.int64(3): f.tolist()}, expected, expected.tolist()):
        assert_array_equal(external_forces(tree, given), expected)
    assert external_forces(tree, {1: [sp.Symbol("f")] * 6}).dtype == object
    for f_ext, error, message in (
        (5, TypeError, r"f_ext is 5; give an \(7, 6\) array or a dict"),
        (np.zeros((6, 6)), ValueError, "f_ext has 6 rows; expected 7, one for the base and each body"),
        (np.zeros((7, 5)), ValueError, r"f_ext\[0\] has shape \(5,\); expected 6 numbers"),
        ({7: np.zeros(6)}, ValueError, "f_ext names body 7; this model has the bodies 1 to 6"),
        ({"hand": np.zeros(6)}, ValueError, "f_ext names body 'hand'"),
        ({-1: np.zeros(6)}, ValueError, "f_ext names body -1"),
        ({2: np.zeros(5)}, ValueError, r"f_ext\[2\] has shape \(5,\)"),
        ({2: [0, 0, 0, 0, 0, math.nan]}, ValueError, r"f_ext\[2\] contains nan at index 5"),
        ({2: "push"}, TypeError, r"f_ext\[2\] contains the text 'push'"),
    ):
        with pytest.raises(error, match=message):
            rnea(tree, *np.zeros((3, 5)), f_ext)
