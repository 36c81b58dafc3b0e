"""Connectivity graphs, their numbering and the models made from them: choices, names, errors."""

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_array_equal

from rbdlib import ModelError, forward_dynamics
from rbdlib.book.ch02_spatial import inverse_transform, mcI, plucker, xlt
from rbdlib.book.ch04_joints import Prismatic, RackAndPinion, Reversed, Revolute
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.methods import connectivity
from rbdlib.methods.connectivity import Connectivity, ConnectivityGraph, regular_numbering
from rbdlib.methods.joint_space import inertia_matrix
from tests.sources.helpers import E_and_r, close, random_mass_properties, random_pose
from tests.sources.joints import HERE, compose, joint_pose

SEED = 4
FOUR_BAR = {"crank pivot": ("base", "crank"), "elbow": ("crank", "coupler"), "wrist": ("coupler", "rocker"),
            "rocker pivot": ("base", "rocker")}
BODIES = ["rocker", "coupler", "crank"]


@pytest.fixture
def linkage():
    return ConnectivityGraph(BODIES, FOUR_BAR)


def test_the_last_joint_of_a_loop_closes_it_unless_another_is_named(linkage):
    """Bodies get the smallest numbers they can have in the order given; a loop is listed as a walk around it."""
    assert linkage.spanning_tree() == ["crank pivot", "elbow", "wrist"]
    assert linkage.spanning_tree(["wrist"]) == ["crank pivot", "elbow", "rocker pivot"]
    assert regular_numbering(linkage).joints == (None, "crank pivot", "elbow", "wrist", "rocker pivot")
    assert regular_numbering(linkage, ["wrist"]).joints[4] == "wrist"
    assert regular_numbering(linkage).bodies == ("base", "crank", "coupler", "rocker")
    assert regular_numbering(linkage, ["wrist"]).bodies == ("base", "rocker", "crank", "coupler")
    walk = linkage.loops(linkage.spanning_tree(["wrist"]))["wrist"]
    assert walk == ["wrist", "rocker pivot", "crank pivot", "elbow"]


def test_several_joints_between_two_bodies_long_chains_and_the_base_alone_are_graphs():
    door = ConnectivityGraph(["door"], {"upper hinge": ("base", "door"), "lower hinge": ("base", "door")})
    assert door.N_L == 1
    assert door.loops(door.spanning_tree()) == {"lower hinge": ["lower hinge", "upper hinge"]}
    assert len(list(connectivity.regular_numberings(door))) == 2
    assert len(list(connectivity.regular_numberings(ConnectivityGraph(["door"], [("base", "door")] * 3)))) == 3 * 2
    nothing = ConnectivityGraph([], {})
    assert (nothing.N_B, nothing.N_J, nothing.is_tree) == (0, 0, True)
    numbering = regular_numbering(nothing)
    assert (numbering.parent, numbering.nu(0), numbering.kappa(0)) == ((None,), [0], [])
    assert numbering.support_matrix().shape == (0, 0)

    n = 1500
    numbering = regular_numbering(ConnectivityGraph(range(n, 0, -1), [(i, i + 1) for i in range(n)], 0))
    assert numbering.kappa(n) == list(range(1, n + 1))
    assert len(numbering.nu(0)) == n + 1


def test_a_graph_and_a_numbering_cannot_be_changed(linkage):
    with pytest.raises(TypeError):
        linkage.joints["elbow"] = ("base", "crank")
    for thing, name in ((linkage, "bodies"), (regular_numbering(linkage), "p")):
        with pytest.raises(AttributeError):
            setattr(thing, name, ())
    assert regular_numbering(linkage) == regular_numbering(linkage)


@pytest.mark.parametrize(("make", "message"), [
    (lambda: ConnectivityGraph(["a", "a"], [("base", "a")]), "'a' stands there twice"),
    (lambda: Connectivity([0], [1], joints=["hinge"]), "joints has 1 names; give 2, place 0 included"),
    (lambda: ConnectivityGraph([("a",)], []), r"bodies contains \('a',\); give the name of one body"),
    (lambda: ConnectivityGraph(["a"], {"hinge": ("base", "a", "b")}), "Joint 'hinge' connects .*; give a pair"),
    (lambda: ConnectivityGraph(["a"], ["ab"]), "Joint 1 connects 'ab'; give a pair"),
    (lambda: ConnectivityGraph(["a"], {"h": ("base", "a"), "k": ("a", "a")}), "'k' connects 'a' to itself"),
    (lambda: ConnectivityGraph(["a", "b"], {"h": ("base", "a")}), r"lead from the base to 'b'\. Add .* FreeMotion"),
    (lambda: ConnectivityGraph(BODIES, FOUR_BAR).spanning_tree(["elbow", "wrist"]),
     "Without the loop_joints .* nothing connects 'coupler'"),
    (lambda: ConnectivityGraph(BODIES, FOUR_BAR).spanning_tree([]), "form a loop; put one of them into loop_joints"),
    (lambda: ConnectivityGraph(BODIES, FOUR_BAR).spanning_tree(["ankle"]), "loop_joints names 'ankle'; choose from"),
    (lambda: Connectivity([0, 1], [1]), "p has 2 entries, s has 1"),
    (lambda: Connectivity([0, 0], [2, 1]), "not regular: joint 1 does not connect body 1"),
    (lambda: Connectivity([0, 3], [1, 2]), "not regular: joint 2 does not connect body 2"),
    (lambda: Connectivity([0], [2]), "not regular"),
    (lambda: Connectivity([0, -1], [1, 1]), "Joint 2 connects -1 and 1; give the numbers of two bodies"),
    (lambda: Connectivity([0, 1], [1, 1]), "Joint 2 connects 1 and 1"),
    (lambda: Connectivity([0], [1.0]), "Joint 1 connects 0 and 1.0"),
    (lambda: Connectivity([0], [1], ["base"]), "bodies has 1 names; give 2, place 0 included"),
    (lambda: Connectivity([0], [1]).kappa(2), "There is no body 2; the numbers go from 0 to 1"),
    (lambda: Connectivity([0], [1]).is_reversed(0), "There is no tree joint 0; the numbers go from 1 to 1"),
    (lambda: Connectivity([0], [1]).predecessor("x"), "There is no joint 'x'")])
def test_mistakes_are_named(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_every_joint_stands_where_its_two_frames_say(rng):
    """Whatever tree is chosen, moving along a tree joint from the body's described frame follows F_p, X_J and F_s."""
    kinds = [Revolute(), RackAndPinion(0.3), Prismatic("x"), Revolute("y")]
    places = {name: (random_pose(rng), random_pose(rng)) for name in FOUR_BAR}
    joints = {name: (*ends, kind, *(plucker(R.T, p) for R, p in places[name]))
              for (name, ends), kind in zip(FOUR_BAR.items(), kinds, strict=True)}
    inertia = {name: mcI(*random_mass_properties(rng)) for name in BODIES}
    reversals = set()
    for cut in FOUR_BAR:
        model, numbering, frames = connectivity.build_model(inertia, joints, loop_joints=[cut])
        q, _ = model.random_state(rng)
        X = body_transforms(model, q)
        described = [inverse_transform(frame) @ X_i for frame, X_i in zip(frames, X, strict=True)]
        for i in model.bodies:
            name = numbering.joints[i]
            p, s, joint, *_ = joints[name]
            at_p, at_s = places[name]
            R_s, p_s = at_s
            s_in_p = compose(compose(at_p, joint_pose(joint, q[model.q_slice(i)])), (R_s.T, -R_s.T @ p_s))
            p, s = (described[numbering.bodies.index(end)] for end in (p, s))
            close(s, plucker(*E_and_r(HERE, s_in_p)) @ p, 1e-11)
            assert numbering.is_reversed(i) == isinstance(model.joints[i], Reversed)
            reversals.add(numbering.is_reversed(i))
            close(frames[i].T @ model.inertia[i] @ frames[i], inertia[numbering.bodies[i]], 1e-11)
        assert model.names == ("base", *numbering.bodies[1:])
    assert reversals == {True, False}


def test_a_reversed_joint_in_the_reverse_direction_is_a_forward_one(rng):
    inertia = {"cart": mcI(*random_mass_properties(rng))}
    one = connectivity.build_model(inertia, {"rack": ("base", "cart", RackAndPinion(0.3))}).model
    other = connectivity.build_model(inertia, {"rack": ("cart", "base", Reversed(RackAndPinion(0.3)))}).model
    assert one == other and other.joints[1] == RackAndPinion(0.3)
    assert_array_equal(forward_dynamics(one, [0.3], [0.2], [1]), forward_dynamics(other, [0.3], [0.2], [1]))


def test_symbols_go_through_and_places_default_to_the_bodies_own_frames():
    m, l, q = sp.symbols("m l q", positive=True)
    rod = mcI(m, [l, 0, 0], sp.zeros(3))
    hinge = {"hinge": ("rod", "base", Revolute())}
    model, numbering, frames = connectivity.build_model({"rod": rod}, hinge, gravity=(0, 0, -2))
    assert model.joints[1] == Reversed(Revolute())
    assert not sp.Matrix(model.inertia[1]).has(sp.Float)
    assert sp.simplify(inertia_matrix(model, [q])[0, 0] - m * l**2) == 0
    assert_array_equal(model.X_tree[1], np.eye(6))
    assert_array_equal(frames[1], np.eye(6))
    assert_array_equal(model.gravity, [0, 0, -2])
    assert numbering.joints == (None, "hinge")


@pytest.mark.parametrize(("parts", "message"), [
    (("base", "arm"), "Joint 'hinge' is .*; give .predecessor, successor, joint."),
    (("base", "arm", Revolute(), np.eye(6)), "Joint 'hinge' is"), ("base", "Joint 'hinge' is 'base'"),
    (("base", "arm", "revolute"), "The joint of a loop is 'revolute'"),
    (("base", "leg", Revolute()), "'hinge' connects 'leg'"),
    (("base", "arm", Revolute(), xlt([1, 0, 0]), np.ones((6, 6))), "X_S is not a Plücker")])
def test_mistakes_in_the_parts_are_named(parts, message):
    with pytest.raises(ValueError if "X_S" in message else ModelError, match=message):
        connectivity.build_model({"arm": mcI(1, [0, 0, 0], np.eye(3))}, {"hinge": parts})
