"""URDF out: what is written can be read again without loss; what URDF cannot say is refused or named."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import Model, ModelError, load, rnea
from rbdlib.book import ch04_joints as joints
from rbdlib.book.ch02_spatial import mcI, plucker
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Planar, Prismatic, Reversed, Revolute
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.io import IgnoredWarning, load_urdf, read_mjcf, read_urdf, save_urdf
from tests.io.helpers import DATA, JOINT, LINK, fixed_axes, link_poses, mjcf, quietly, urdf, write
from tests.sources.helpers import random_mass_properties, random_pose, random_rotation


def one_body(joint, I=None, X=None, **options):
    I = mcI(2, [0.1, 0.2, 0.3], np.diag([1, 1.2, 0.9])) if I is None else I
    return Model([0], [joint], [np.eye(6) if X is None else X], [I], **options)


def there_and_back(model, folder):
    path = folder / "copy.urdf"
    save_urdf(model, path)
    return quietly(read_urdf, path)


def assert_same_model(mine, theirs, tolerance=1e-14):
    assert theirs.parent == mine.parent and theirs.names == mine.names
    for i in mine.bodies:
        assert type(theirs.joints[i]) is type(mine.joints[i])
        if hasattr(mine.joints[i], "direction"):
            assert_allclose(theirs.joints[i].direction, mine.joints[i].direction, atol=1e-15)
        assert_allclose(theirs.X_tree[i], mine.X_tree[i], atol=tolerance)
        size = np.abs(mine.inertia[i]).max()
        assert_allclose(theirs.inertia[i], mine.inertia[i], atol=tolerance * size)


@pytest.mark.parametrize("lump_fixed", [False, True])
@pytest.mark.parametrize("floating_base", [False, True])
@pytest.mark.parametrize("name", ["arm_2r.urdf", "tree.urdf", "free_joints.urdf"])
def test_a_robot_read_and_written_is_the_same_robot(tmp_path, name, floating_base, lump_fixed):
    robot = quietly(read_urdf, DATA / name, floating_base=floating_base, lump_fixed=lump_fixed)
    again = there_and_back(robot, tmp_path)
    assert_same_model(robot.model, again.model)
    assert again.name == robot.name and again.transmissions == robot.transmissions
    assert_allclose(again.base_inertia, robot.base_inertia, atol=1e-13)
    for record in robot.joints.values():
        if record.body is not None:
            assert again.joints[record.name] == record


def test_a_random_tree_right_angles_reversed_joints_points_rods_rotors_and_nothing_at_all_survive(tmp_path):
    rng = np.random.default_rng(1)
    kinds = [Revolute("y"), Prismatic((1, -2, 3)), Fixed(), FreeMotion(), Planar(), Revolute((-1, 0, 2)), Fixed()]
    poses = [random_pose(rng) for _ in kinds]
    model = Model([0, 1, 1, 2, 3, 5, 3], kinds, [plucker(R.T, p) for R, p in poses],
                  [mcI(*random_mass_properties(rng)) for _ in kinds])
    again = there_and_back(model, tmp_path).model
    q, qd = model.random_state(rng)
    qdd = rng.normal(size=model.nv)
    order = [again.names.index(name) for name in model.names]
    position = np.concatenate([np.arange(model.nq)[model.q_slice(order.index(i))] for i in again.bodies])
    velocity = np.concatenate([np.arange(model.nv)[model.v_slice(order.index(i))] for i in again.bodies])
    assert_allclose(rnea(again, q[position], qd[velocity], qdd[velocity]), rnea(model, q, qd, qdd)[velocity],
                    rtol=1e-10, atol=1e-10)
    for pitch in (np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9, -np.pi / 2 + 1e-12, 0.3):
        model = one_body(Revolute(), X=plucker(fixed_axes(0.4, pitch, -1.3).T, [1, 2, 3]))
        assert_same_model(model, there_and_back(model, tmp_path).model, 4e-15)
    rng = np.random.default_rng(5)
    for joint in (Revolute("x"), Prismatic((1, 2, 2))):
        model, state = one_body(Reversed(joint), X=plucker(random_rotation(rng), [1, 2, 3])), rng.normal(size=(3, 1))
        again = there_and_back(model, tmp_path).model
        assert_allclose(again.joints[1].direction, -joint.direction)
        assert_allclose(rnea(again, *state), rnea(model, *state), rtol=1e-12)
    bodies = [mcI(0.3, [11, -7, 13.1], np.zeros((3, 3))), mcI(2, [0.1, 5, 0], np.diag([0, 1, 1])),
              mcI(0, [0, 0, 0], np.diag([1, 1, 0.5])), np.zeros((6, 6)), mcI(1, [0, 0, 0], np.eye(3))]
    model = Model(range(5), [Revolute()] * 5, [np.eye(6)] * 5, bodies)
    assert_same_model(model, there_and_back(model, tmp_path).model)


def test_the_names_of_the_robot_and_of_its_joints_and_those_from_mjcf_go_to_urdf(tmp_path):
    model = load("double_pendulum").replace(gravity=(0, 0, -9.81))
    again = there_and_back(model, tmp_path)
    assert_same_model(model, again.model)
    assert again.name == "copy" and list(again.joints) == [f"{name}_joint" for name in model.names[1:]]
    save_urdf(model, tmp_path / "x.urdf", name="a <b> & \"c\"")
    assert read_urdf(tmp_path / "x.urdf").name == "a <b> & \"c\""
    text = mjcf('<body name="a" pos="1 0 0" euler="0.3 0 0"><inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/>'
                '<joint name="h" range="0 1" {}/></body>')
    for attribute, damping, friction in (('frictionloss="3"', None, 3), ('damping="2"', 2, None)):
        robot = read_mjcf(write(tmp_path, text.format(attribute), "r.xml"))
        again = there_and_back(robot, tmp_path)
        assert_same_model(robot.model, again.model)
        record = again.joints["h"]
        assert (record.upper, record.damping or None, record.friction or None) == (1, damping, friction)
    assert_allclose(link_poses(again, [0.4])["a"][0], link_poses(robot, [0.4])["a"][0], atol=1e-15)


@pytest.mark.parametrize(("make", "error", "message"), [
    *((lambda joint=joint: one_body(joint), ModelError, r"Joint 1 \(body 1_joint\) is a .* which URDF does not have")
      for joint in (joints.Helical(0.1), joints.Cylindrical(), joints.Spherical(), joints.Euler("zyx"), Planar("F_s"),
                    FreeMotion("F_s"), Reversed(FreeMotion()))),
    (lambda: one_body(Revolute(), loops=[LoopJoint(0, 1, Revolute(), np.eye(6), np.eye(6))]), ModelError,
     "loop joints; URDF describes trees only"),
    (lambda: load("double_pendulum", symbolic=True), ModelError, "has symbols; URDF holds numbers only"),
    (lambda: one_body(Revolute(), names=["a\x00b"]), ModelError, "cannot be written to XML"),
    (lambda: "robot.urdf", TypeError, "give a Model, or the Robot")])
def test_what_urdf_cannot_say(tmp_path, make, error, message):
    with pytest.raises(error, match=message):
        save_urdf(make(), tmp_path / "x.urdf")
    assert not (tmp_path / "x.urdf").exists()


def test_records_that_urdf_has_no_place_for_and_gravity_which_is_named_in_a_warning(tmp_path):
    for attribute, what in (("stiffness='2'", "stiffness 2.0"), ("armature='3'", "armature 3.0"),
                            ("ref='1'", "reference 1.0")):
        text = mjcf(f"<body><inertial pos='0 0 1' mass='1' diaginertia='1 1 1'/><joint name='h' {attribute}/></body>")
        with pytest.raises(ModelError, match=f"Joint 'h' has {what}; URDF has no place for it"):
            save_urdf(read_mjcf(write(tmp_path, text, "r.xml")), tmp_path / "x.urdf")
    for name, kind, options, message in (
            ("a_joint", "continuous", {"floating_base": True}, "Two joints would be called 'a_joint'; rename body 1"),
            ("f", "fixed", {"lump_fixed": True}, "Joint 'm' mimics 'f', which is not a joint of the model")):
        text = urdf(*map(LINK.format, "abc"), JOINT.format(name, kind, "a", "b", ""),
                    JOINT.format("m", "continuous", "b", "c", f'<mimic joint="{name}"/>'))
        with pytest.raises(ModelError, match=message):
            save_urdf(quietly(read_urdf, write(tmp_path, text), **options), tmp_path / "x.urdf")
    model = one_body(Revolute(), gravity=(0, -1.62, 0))
    with pytest.warns(IgnoredWarning, match=r"no place for gravity, which is \[0.0, -1.62, 0.0\]") as caught:
        save_urdf(model, tmp_path / "x.urdf")
    assert caught[0].filename == __file__
    again = load_urdf(tmp_path / "x.urdf", gravity=model.gravity)
    assert_allclose(rnea(again, [1], [1], [1]), rnea(model, [1], [1], [1]), rtol=1e-13)
