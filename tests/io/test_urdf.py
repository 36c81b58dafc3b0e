"""URDF files become the mechanisms that they describe, and nothing in them is lost without a word."""

import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import Model, ModelError, aba, rnea
from rbdlib.book.ch02_spatial import X_to_Er, mcI, skew, transform_inertia, xlt
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Planar, Prismatic, Revolute
from rbdlib.book.ch04_kinematics import kinetic_energy
from rbdlib.io import IgnoredWarning, Mimic, load_urdf, read_urdf, save_urdf
from rbdlib.methods.centre_of_mass import centre_of_mass, potential_energy
from rbdlib.methods.inertia_parameters import spatial_inertia
from rbdlib.methods.joint_space import inertia_matrix
from tests.io.helpers import DATA, JOINT, LINK, fixed_axes, link_poses, quietly, urdf, variant, write
from tests.sources.helpers import turn

#: The link b turns on the link a.
TURNS = JOINT.format("j", "continuous", "a", "b", "")


def read(name, **options):
    """The robot of a file of tests/io/data, or of any path."""
    return quietly(read_urdf, DATA / name, **options)


def test_links_stand_where_the_origins_put_them_and_keep_their_names_and_the_arm_is_that_by_hand(tmp_path):
    robot = read("tree.urdf")
    q = np.array([0.3, 0.4, -0.5, 0.6])                                      # slide, wheel, left jaw, right jaw
    slide, wheel, left, right = (robot.model.v_slice(robot.joints[name].body).start
                                 for name in ("slide", "wheel", "left_jaw", "right_jaw"))
    state = np.zeros(4)
    state[[slide, wheel, left, right]] = q
    poses = link_poses(robot, state)

    def after(pose, xyz, rpy=(0, 0, 0), R=None, shift=(0, 0, 0)):
        axes = pose[0] @ fixed_axes(*rpy)
        return axes @ (np.eye(3) if R is None else R), pose[1] + pose[0] @ xyz + axes @ shift

    base = after((np.eye(3), np.zeros(3)), [0.1, -0.2, 0.3], (0.4, -0.5, 0.6))
    carriage = after(base, [0, 0.3, 0], (0.1, 0.2, 0.3), shift=[0, 0, -q[0]])
    camera = after(carriage, [0.2, 0, 0.1], (1.2, 0, -0.7))
    axis = np.array([1, -2, 3]) / np.sqrt(14)
    expected = {
        "world": (np.eye(3), np.zeros(3)), "base": base, "carriage": carriage, "camera": camera,
        "wheel": after(camera, [0, 0.1, 0.1], (0, np.pi / 2, 0.3), turn(axis, q[1])),
        "left": after(carriage, [0.3, 0, 0], R=turn(np.array([0, -1, 0]), q[2])),
        "right": (right_pose := after(carriage, [0.3, 0.1, 0], R=turn(np.array([1, 0, 0]), q[3]))),
        "tip": after(right_pose, [0, 0, 0.2])}
    assert poses.keys() == expected.keys()
    for name, (R, p) in expected.items():
        assert_allclose(poses[name][0], R, atol=1e-14, err_msg=name)
        assert_allclose(poses[name][1], p, atol=1e-14, err_msg=name)
    hand = Model([0, 1], [Revolute("y")] * 2, [np.eye(6), xlt([0.5, 0, 0])],
                 [mcI(2, [0.2, 0, 0], 0.03 * np.eye(3)), mcI(1.5, [0.1, 0, 0], 0.02 * np.eye(3))],
                 gravity=(0, 0, -9.81))
    for q, qd, qdd in np.random.default_rng(1).normal(size=(5, 3, 2)):
        assert_allclose(rnea(read("arm_2r.urdf").model, q, qd, qdd), rnea(hand, q, qd, qdd), rtol=1e-12)
    model = read("tree.urdf").model
    assert model.names == ("base", "base_link", "carriage", "camera", "wheel", "left", "right", "tip")
    assert model.parent == (None, 0, 1, 2, 3, 2, 2, 6)
    kinds = [Fixed, Prismatic, Fixed, Revolute, Revolute, Revolute, Fixed]
    assert [type(joint) for joint in model.joints[1:]] == kinds
    assert model.joints[6] == Revolute("x")                                  # the axis, unless the file names another
    assert_allclose(model.joints[2].direction, [0, 0, -1])
    assert_allclose(model.joints[4].direction, np.array([1, -2, 3]) / np.sqrt(14))
    turned = read(variant(tmp_path, "tree.urdf", 'xyz="0 -1 0"', 'xyz="0 1 0"'))
    robot, rng = read("tree.urdf"), np.random.default_rng(2)
    sign = np.ones(4)
    sign[robot.model.v_slice(robot.joints["left_jaw"].body)] = -1
    q, qd, qdd = rng.normal(size=(3, 4))
    assert_allclose(rnea(turned.model, sign * q, sign * qd, sign * qdd), sign * rnea(robot.model, q, qd, qdd),
                    rtol=1e-12)


def test_an_impossible_inertia_has_no_say_at_a_base_that_stands_still(tmp_path):
    impossible = LINK.replace('izz="0.9"', 'izz="2.5"')
    path = write(tmp_path, urdf(impossible.format("a"), LINK.format("b"), TURNS))
    assert_allclose(read(path).base_inertia, spatial_inertia(2, np.array([0.1, 0.2, 0.3]), np.diag([1, 1.2, 2.5])))
    with pytest.raises(ModelError, match="link 'a'.*triangle inequality"):
        read_urdf(path, floating_base=True)


def test_an_inertia_is_turned_by_its_origin_and_an_impossible_one_is_refused_or_repaired(tmp_path):
    robot, R = read("tree.urdf"), fixed_axes(-1, 0.5, 2)
    assert_allclose(robot.model.inertia[robot.frames["wheel"].body],
                    mcI(0.7, [0, 0.05, 0], R @ np.diag([0.004, 0.006, 0.005]) @ R.T), atol=1e-16)
    assert not robot.model.inertia[robot.frames["carriage"].body].any()
    point = LINK.replace('ixx="1"', 'ixx="0"').replace('iyy="1.2"', 'iyy="0"').replace('izz="0.9"', 'izz="0"')
    robot = read(write(tmp_path, urdf('<link name="a"/>', TURNS,
                                      point.format("b").replace("0.1 0.2 0.3", "11 -7 13.1"))))
    assert_allclose(inertia_matrix(robot.model, [0]), 2 * (7**2 + 13.1**2), rtol=1e-12)
    rotor = LINK.replace('value="2"', 'value="0"').format("b")
    assert inertia_matrix(read(write(tmp_path, urdf('<link name="a"/>', rotor, TURNS))).model, [0]) == 1
    assert_allclose(read("arm_2r.urdf").base_inertia[5, 5], 7)
    I, R = np.array([[0.3, 0.01, 0.02], [0.01, 0.25, -0.03], [0.02, -0.03, 0.2]]), fixed_axes(0.4, -0.5, 0.6)
    assert_allclose(read("tree.urdf", lump_fixed=True).base_inertia, mcI(5, [0.1, -0.2, 0.3], R @ I @ R.T), atol=1e-14)
    impossible = LINK.replace('izz="0.9"', 'izz="2.5"')
    path = write(tmp_path, urdf('<link name="a"/>', "\n", impossible.format("b"), TURNS))
    with pytest.raises(ModelError, match=r"robot.urdf: line 2: link 'b': .*triangle inequality.*'repair' or 'keep'"):
        read_urdf(path)
    with pytest.warns(IgnoredWarning, match=r"rotational inertias that no body has .* \(b\)"):
        robot = read_urdf(path, impossible_inertia="repair")
    Sigma = np.diag([1.35, 1.15, 0])                                # second moments of mass; Σ_zz was -0.15
    assert_allclose(robot.model.inertia[1], mcI(2, [0.1, 0.2, 0.3], np.trace(Sigma) * np.eye(3) - Sigma), atol=1e-14)
    with pytest.warns(IgnoredWarning, match=r"rotational inertias that no body has \(used: as they are\) \(b\)"):
        kept = read_urdf(path, impossible_inertia="keep").model
    C = skew([0.1, 0.2, 0.3])
    given = np.block([[np.diag([1, 1.2, 2.5]) - 2 * C @ C, 2 * C], [-2 * C, 2 * np.eye(3)]])
    assert_allclose(kept.inertia[1], given, atol=1e-14)
    S = kept.joints[1].motion_subspace(kept.neutral())
    assert_allclose(aba(kept, [0.3], [0], [1]), aba(kept, [0.3], [0], [0]) + 1 / (S.T @ given @ S)[0], rtol=1e-12)
    with pytest.raises(ModelError, match="impossible_inertia is True; choose 'refuse', 'repair', 'keep'"):
        read_urdf(path, impossible_inertia=True)
    path = write(tmp_path, urdf('<link name="a"/>', LINK.format("b").replace('"2"', '"200"'), impossible.format("c"),
                                TURNS, JOINT.format("k", "fixed", "b", "c", '<origin xyz="3 0 0"/>')))
    with pytest.raises(ModelError, match="link 'c'"):
        read_urdf(path)
    assert read_urdf(path, lump_fixed=True).model.inertia[1][5, 5] == 202
    welds = (JOINT.format(*joint, f'<origin xyz="{place}" rpy="{place}"/>') for joint, place in (
        (("i", "fixed", "a", "b"), "0.4 0.5 0.6"), (("j", "fixed", "b", "c"), "-0.6 0.2 0.5")))
    path = write(tmp_path, urdf(*map(LINK.format, "abc"), *welds))
    one, other = (link_poses(read(path, lump_fixed=lump), [])["c"] for lump in (False, True))
    assert_allclose([*other[0], other[1]], [*one[0], one[1]], atol=1e-14)


def test_mimics_of_mimics_follow_the_end_of_the_chain_and_none_follows_itself(tmp_path):
    def chain(*leaders):
        mimics = [f'<mimic joint="{leader}" multiplier="2" offset="1"/>' if leader else "" for leader in leaders]
        joints = [JOINT.format(name, "continuous", *ends, mimic)
                  for name, ends, mimic in zip("ijk", ("ab", "bc", "cd"), mimics, strict=True)]
        return quietly(read_urdf, write(tmp_path, urdf(*map(LINK.format, "abcd"), *joints)))

    assert_allclose(chain("j", "k", "").geared().gamma([0.5]), [2 * (2 * 0.5 + 1) + 1, 2 * 0.5 + 1, 0.5])
    assert chain("", "", "").geared().ny == 3
    with pytest.raises(ModelError, match="'i' cannot mimic 'j': .* no joint may follow itself"):
        chain("j", "i", "").geared()


@pytest.mark.parametrize("floating_base", [False, True])
def test_lumping_fixed_joints_changes_no_force_and_no_place_and_gravity_is_the_callers(floating_base):
    kept = read("tree.urdf", floating_base=floating_base)
    lumped = read("tree.urdf", floating_base=floating_base, lump_fixed=True)
    assert kept.model.N_B - lumped.model.N_B == 3 and lumped.model.nv == kept.model.nv
    assert not any(isinstance(joint, Fixed) for joint in lumped.model.joints)
    rng = np.random.default_rng(3)
    q, qd = kept.model.random_state(rng)
    qdd = rng.normal(size=kept.model.nv)
    assert_allclose(rnea(lumped.model, q, qd, qdd), rnea(kept.model, q, qd, qdd), rtol=1e-11, atol=1e-12)
    assert_allclose(kinetic_energy(lumped.model, q, qd), kinetic_energy(kept.model, q, qd), rtol=1e-12)
    poses = link_poses(kept, q)
    for name, (R, p) in link_poses(lumped, q).items():
        assert_allclose(R, poses[name][0], atol=1e-13, err_msg=name)
        assert_allclose(p, poses[name][1], atol=1e-13, err_msg=name)
    robot = read("tree.urdf", lump_fixed=True)
    assert [name for name, joint in robot.joints.items() if joint.body is None] == ["mount", "bracket", "tip"]
    assert robot.joint_of(robot.joints["wheel"].body).name == "wheel"
    assert robot.frames["tip"].body == robot.frames["right"].body
    path = DATA / "arm_2r.urdf"
    assert quietly(load_urdf, path).gravity.tolist() == [0, 0, -9.81]
    assert potential_energy(quietly(load_urdf, path, gravity=(0, 0, 0)), [1, 1]) == 0
    robot = read("arm_2r.urdf", floating_base=True)
    model = robot.model
    assert model.joints[1] == FreeMotion() and model.names[1] == "stand" and (model.nq, model.nv) == (9, 8)
    assert not robot.base_inertia.any() and robot.joint_of(1) is None
    q = np.array([1, 0, 0, 0, 0.3, 0.2, 0.1, 0, 0])
    masses, places = [7, 2, 1.5], [[0.3, 0.2, 0.0], [0.5, 0.2, 0.1], [0.9, 0.2, 0.1]]
    assert_allclose(centre_of_mass(model, q), np.average(places, axis=0, weights=masses), atol=1e-15)


def test_a_floating_joint_and_a_slanting_plane_with_the_inertia_of_its_link():
    robot = read("free_joints.urdf")
    model, rng = robot.model, np.random.default_rng(4)
    assert [type(joint) for joint in model.joints[1:]] == [FreeMotion, Planar]
    q, qd = model.random_state(rng)
    hull, plate = (link_poses(robot, q)[name] for name in ("hull", "plate"))
    start = hull[0] @ fixed_axes(0, 0.4, 0)
    normal = start @ np.array([1, 2, 2]) / 3
    assert_allclose((plate[1] - hull[1] - hull[0] @ [0, 0, 0.5]) @ normal, 0, atol=1e-14)
    assert_allclose(plate[0], turn(normal, q[7]) @ start, atol=1e-14)
    assert_allclose(np.linalg.norm(plate[1] - hull[1] - hull[0] @ [0, 0, 0.5]), np.hypot(*q[8:]), rtol=1e-13)
    frame = robot.frames["plate"]
    inertia = mcI(0.8, [0.05, 0, 0.1], np.array([[0.01, 0, 0], [0, 0.012, 0.001], [0, 0.001, 0.011]]))
    assert_allclose(transform_inertia(frame.X, robot.model.inertia[frame.body]), inertia, atol=1e-14)
    assert_allclose(X_to_Er(frame.X)[1], np.zeros(3), atol=1e-15)


def test_a_robot_keeps_limits_damping_friction_mimic_and_transmissions_and_warnings_name_the_rest(tmp_path):
    joints = read("arm_2r.urdf").joints
    shoulder = joints["shoulder"]
    assert (shoulder.lower, shoulder.upper, shoulder.effort, shoulder.velocity) == (-2, 2.5, 30, 4)
    assert (shoulder.damping, shoulder.friction, shoulder.type, shoulder.body) == (0.7, 0.1, "revolute", 1)
    assert joints["elbow"].lower is None and joints["elbow"].damping is None
    robot = read("tree.urdf")
    joints, (text,) = robot.joints, robot.transmissions
    assert "<mechanicalReduction>50</mechanicalReduction>" in text and 'name="drive"' in text
    assert joints["left_jaw"].mimic == Mimic("right_jaw", -1, 0.1) and joints["right_jaw"].mimic is None
    assert joints["wheel"].damping == 0.2 and joints["wheel"].friction is None
    geared = robot.geared()
    left, right = (robot.model.q_slice(joints[name].body) for name in ("left_jaw", "right_jaw"))
    q = geared.gamma(np.full(geared.ny, 0.3))
    assert (geared.ny, q[left], q[right]) == (robot.model.nq - 1, -1 * 0.3 + 0.1, 0.3)
    path = variant(tmp_path, "tree.urdf", ' multiplier="-1" offset="0.1"', "")
    assert read(path).joints["left_jaw"].mimic == Mimic("right_jaw", 1, 0)
    with pytest.warns(IgnoredWarning) as caught:
        model = load_urdf(DATA / "tree.urdf")
    assert isinstance(model, Model) and len(caught) == 1
    text = str(caught[0].message)
    assert text.startswith("tree.urdf: ") and caught[0].filename == __file__
    for phrase in ("limits (slide, left_jaw, right_jaw)", "mimic (left_jaw)", "transmissions (1)",
                   "gazebo", "kept by read_urdf"):
        assert phrase in text
    assert "damping" not in text and model.characters[robot.joints["wheel"].body].damping == 0.2
    with pytest.warns(IgnoredWarning, match=r"tree.urdf: Ignored: gazebo \(tree\)\.$") as caught:
        robot = read_urdf(DATA / "tree.urdf")
    assert len(caught) == 1 and caught[0].filename == __file__
    assert "visual (tip)" in robot.ignored and "gazebo (tree)" in robot.ignored
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_urdf(DATA / "arm_2r.urdf")
        load_urdf(DATA / "free_joints.urdf")


@pytest.mark.parametrize(("old", "new", "expected"), [
    ("<limit lower", '<safety_controller k_velocity="1"/><limit lower', "safety_controller (shoulder)"),
    ("<limit lower", '<calibration rising="0"/><limit lower', "calibration (shoulder)"),
    ('damping="0.7"', 'damping="0.7" spring_stiffness="3"', "attribute spring_stiffness of <dynamics> (shoulder)"),
    ('<limit lower="-2" upper="2.5" effort="30" velocity="4"/>', "", "revolute joints (shoulder)"),
    ("<limit lower", '<mimic joint="nobody"/><limit lower', "mimic of 'nobody', which is no other joint"),
    ("<limit lower", '<mimic joint="shoulder"/><limit lower', "mimic of 'shoulder', which is no other joint"),
    ("</robot>", "<sensor name='eye'/></robot>", "sensor (arm_2r)"),
    ('type="revolute"', 'type="continuous"', "lower and upper of a continuous joint (shoulder)")])
def test_what_is_not_kept_is_named(tmp_path, old, new, expected):
    path = variant(tmp_path, "arm_2r.urdf", old, new)
    with pytest.warns(IgnoredWarning) as caught:
        read_urdf(path)
    assert expected in str(caught[0].message)


def test_a_link_called_base_gets_another_name_and_without_the_writer_the_remedy_is_named(tmp_path, monkeypatch):
    parts = [LINK.format(name) for name in ("root", "base", "base_link")]
    robot = read(write(tmp_path, urdf(*parts, JOINT.format("i", "continuous", "root", "base", ""),
                                      JOINT.format("j", "continuous", "base", "base_link", ""))))
    assert robot.model.names == ("base", "base_link_link", "base_link")
    assert robot.frames["base"].body == 1 and robot.frames["root"].body == 0
    text = urdf(LINK.format("base"), LINK.format("b"), JOINT.format("j", "continuous", "base", "b", ""))
    path = write(tmp_path, text)
    assert read(path).model.names == ("base", "b")
    assert read(path, floating_base=True).model.names == ("base", "base_link", "b")
    robot = read(write(tmp_path, "<robot><link name='a'/><sensor name='eye'/></robot>"))
    assert (robot.name, robot.ignored) == ("robot", ("sensor (eye)",))
    alone = urdf(LINK.format("alone"))
    assert [read(write(tmp_path, alone), floating_base=kind).model.nv for kind in (False, True)] == [0, 6]
    monkeypatch.setitem(sys.modules, "urdf_parser_py", None)
    with pytest.raises(ImportError, match=r"pip install 'rbdlib\[io\]'"):
        save_urdf(read("arm_2r.urdf"), tmp_path / "copy.urdf")
