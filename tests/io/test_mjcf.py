"""MJCF files become the mechanisms that they describe; numbers worked out by hand or from the definitions."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import rnea
from rbdlib.book.ch02_spatial import I_to_mcI, mcI
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Prismatic, Revolute, Spherical
from rbdlib.book.ch04_model import ModelError
from rbdlib.io import IgnoredWarning, load_mjcf, read_mjcf
from rbdlib.io.mechanism import JointRecord
from rbdlib.methods.joint_space import inertia_matrix
from tests.io.helpers import DATA, link_poses, mjcf, quietly, write, write_meshes
from tests.sources.helpers import random_mass_properties, random_rotation, turn

UNIT = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
X, Y, Z = np.eye(3)
ROD = 1e-4, 2 * (25 / 12 + 1e-4 / 4)                         # of 5 m and 2 kg: the moments along and across it
RANDOM = random_rotation(np.random.default_rng(3))


def read(text, folder, **options):
    return quietly(read_mjcf, write(folder, text, "robot.xml"), **options)


def example(**options):
    return quietly(read_mjcf, DATA / "robot.xml", **options)


def test_the_tree_of_the_example_and_what_classes_give_where_an_element_leaves_it_out(tmp_path):
    model = example().model
    assert model.names == ("base", "torso", "shoulder:lift", "shoulder:turn", "shoulder", "hand", "thumb", "watch",
                           "body 1", "post", "flap")
    kinds = [FreeMotion, Revolute, Revolute, Prismatic, Spherical, Revolute, Fixed, Revolute, Fixed, Revolute]
    assert [type(joint) for joint in model.joints[1:]] == kinds and model.gravity.tolist() == [0.1, -0.2, -9.7]
    weightless = mjcf(f'<body name="base"><freejoint/>{UNIT}</body>',
                      '<option gravity="0 0 -3"><flag gravity="disable"/></option>')
    robot = read(weightless, tmp_path)
    assert robot.model.gravity.tolist() == [0, 0, 0]
    assert robot.model.names == ("base", "base_link") and robot.frames["base"].body == 1
    for lump in (False, True):
        robot = example(lump_fixed=lump)
        assert (robot.joints["watch weld"].body is None) == lump
        assert robot.base_inertia[5, 5] == pytest.approx(1000 * 0.2 * 0.2 * 1 if lump else 0)
    joints = example().joints
    assert joints["hip"].damping == 0.5 and joints["hip"].lower is None       # the outermost class
    assert joints["lift"].damping == 0.3 and joints["lift"].armature == 0.01  # the body's class, and what it inherits
    assert joints["turn"].stiffness == 4 and joints["turn"].friction == 0.2   # a class of its own
    assert_allclose(joints["turn"].spring_reference, np.deg2rad(10))
    assert joints["lift"].friction is None
    assert_allclose(example().model.joints[2].direction, Y)                   # the class's axis
    assert_allclose(example().model.joints[3].direction, [5**-0.5, 0, -2 * 5**-0.5])      # the element's own goes first
    assert joints["root"].damping is None                                     # a freejoint takes no defaults
    head = '<default class="all"><joint damping="3"/><default class="in"><joint armature="2"/></default></default>'
    robot = read(mjcf(f'<body><joint name="j"/><joint name="k" class="in"/>{UNIT}</body>', head), tmp_path)
    assert (robot.joints["j"].damping, robot.joints["j"].armature) == (3, None)
    assert (robot.joints["k"].damping, robot.joints["k"].armature) == (3, 2)


def test_joints_turn_about_their_anchors_follow_one_another_and_count_from_their_reference(tmp_path):
    robot = read(mjcf('<body pos="5 6 7"><joint pos="0 0 2" axis="0 1 0"/><inertial pos="0 0 -1" mass="3" '
                      'diaginertia="1 0.4 1"/></body>'), tmp_path)
    assert_allclose(inertia_matrix(robot.model, [0.3]), 0.4 + 3 * 3**2)
    assert_allclose(rnea(robot.model, [0.3], [0], [0]), 3 * 9.81 * 3 * np.sin(0.3), rtol=1e-13)
    R, p = link_poses(robot, [0.3])["body 1"]
    assert_allclose(R, turn(Y, 0.3), atol=1e-15)
    assert_allclose(p, [5, 6, 9] + R @ [0, 0, -2], atol=1e-14)
    joints = ('<joint name="i" pos="0.1 0 0"/><joint name="j" type="slide" axis="1 1 0"/>'
              '<joint name="k" axis="1 0 0" pos="0 0.2 0.3"/>')
    robot = read(mjcf(f'<body name="b" pos="1 2 3" axisangle="0 1 0 0.3">{UNIT}{joints}</body>'), tmp_path)
    Ry, Rz, Rx, a, c = turn(Y, 0.3), turn(Z, 0.4), turn(X, 0.6), np.array([0.1, 0, 0]), np.array([0, 0.2, 0.3])
    R, p = link_poses(robot, [0.4, 0.5, 0.6])["b"]
    assert_allclose(R, Ry @ Rz @ Rx, atol=1e-15)
    moved = a + Rz @ (0.5 * np.array([1, 1, 0]) / np.sqrt(2) + c - Rx @ c - a)
    assert_allclose(p, [1, 2, 3] + Ry @ moved, atol=1e-15)
    assert [robot.joints[name].body for name in "ijk"] == [1, 2, 3]
    framed = ('<frame pos="1 2 3" axisangle="0 0 1 0.4"><frame pos="0.1 0 0" axisangle="1 0 0 0.6">{}</frame></frame>')
    shape = framed.format('<geom type="box" size="0.1 0.2 0.3" pos="0 0.2 0.3" mass="1"/>')
    robot = read(mjcf(framed.format(f'<body name="b" pos="0 0.2 0.3">{shape}</body>')), tmp_path)
    place, (R, p) = [1, 2, 3] + Rz @ (a + Rx @ c), link_poses(robot, [])["b"]
    assert_allclose([*R, p], [*(Rz @ Rx), place], atol=1e-14)
    welded = f'<body name="c" pos="1 0 0" axisangle="0 0 1 0.7">{UNIT}</body>'
    text = mjcf(f'<body name="b"><joint axis="0 1 0" pos="0.3 0 0.2"/>{UNIT}{welded}</body>')
    one, other = (link_poses(read(text, tmp_path, lump_fixed=lump), [0.5])["c"] for lump in (False, True))
    assert list(read(text, tmp_path).joints) == ["b joint", "c weld"]
    assert_allclose([*other[0], other[1]], [*one[0], one[1]], atol=1e-14)
    hinge = framed.format('<joint axis="0 1 0" pos="0 0.2 0.3"/>')
    R, p = link_poses(read(mjcf(f'<body name="b">{UNIT}{hinge}</body>'), tmp_path), [0.5])["b"]
    assert_allclose([*R, p + R @ place], [*turn(Rz @ Rx @ Y, 0.5), place], atol=1e-14)
    m, centre, I_C = I_to_mcI(robot.model.inertia[1])
    assert_allclose([m, *centre], [1, *place], atol=1e-14)
    assert_allclose(I_C, Rz @ Rx @ np.diag([0.13, 0.10, 0.05]) @ (Rz @ Rx).T / 3, atol=1e-14)
    robot = read(mjcf(f'<body name="b" pos="1 2 3" axisangle="0 0 1 0.8"><freejoint/>{UNIT}</body>'), tmp_path)
    assert_allclose(robot.q0, [np.cos(0.4), 0, 0, np.sin(0.4), 1, 2, 3])
    for q, pose in ((robot.q0, [*turn(Z, 0.8).T, [1, 2, 3]]), (robot.model.neutral(), np.eye(4, 3))):
        R, p = link_poses(robot, q)["b"]
        assert_allclose([*R.T, p], pose, atol=1e-15)
    joint = '<joint name="j" ref="0.25" range="0 1" stiffness="2" springref="0.1"/>'
    record = read(mjcf(f"<body>{joint}{UNIT}</body>"), tmp_path).joints["j"]
    assert (record.reference, record.lower, record.upper, record.stiffness) == (0.25, -0.25, 0.75, 2)
    assert_allclose(record.spring_reference, -0.15)


@pytest.mark.parametrize(("head", "written", "R"), [
    ("", 'euler="20 0 0"', turn(X, np.deg2rad(20))),
    ('<compiler angle="radian"/>', 'euler="0.1 0.2 0.3"', turn(X, 0.1) @ turn(Y, 0.2) @ turn(Z, 0.3)),
    ('<compiler angle="radian" eulerseq="XYZ"/>', 'euler="0.1 0.2 0.3"', turn(Z, 0.3) @ turn(Y, 0.2) @ turn(X, 0.1)),
    ('<compiler angle="radian" eulerseq="zYx"/>', 'euler="0.1 0.2 0.3"', turn(Y, 0.2) @ turn(Z, 0.1) @ turn(X, 0.3)),
    ("", 'axisangle="0 0 5 90"', turn(Z, np.pi / 2)), ("", 'quat="2 0 0 2"', turn(Z, np.pi / 2)),
    ("", 'xyaxes="0 2 0 -1 3 0"', turn(Z, np.pi / 2)), ("", 'zaxis="0 -1 0"', turn(X, np.pi / 2)),
    ("", 'zaxis="0 0 -3"', turn(X, np.pi)), ("", 'zaxis="0 0 2"', np.eye(3)),
    ("", f'xyaxes="{" ".join(map(repr, RANDOM[:, :2].T.ravel().tolist()))}"', RANDOM)])
def test_the_ways_of_writing_an_orientation(tmp_path, head, written, R):
    robot = read(mjcf(f'<body name="b" {written}>{UNIT}</body>', head), tmp_path)
    assert_allclose(link_poses(robot, [])["b"][0], R, atol=1e-15)


@pytest.mark.parametrize(("compiler", "joint", "upper"), [
    ("", 'range="-90 45"', np.pi / 4), ("", 'type="slide" range="-90 45"', 45),
    ('angle="radian"', 'range="-90 45"', 45), ('autolimits="true"', 'range="0 1" limited="false"', None),
    ('angle="radian" autolimits="true"', 'range="0 1"', 1), ('angle="radian" autolimits="false"', 'range="0 1"', None),
    ('angle="radian" autolimits="false"', 'range="0 1" limited="true"', 1)])
def test_what_a_range_means_and_whether_it_limits(tmp_path, compiler, joint, upper):
    text = mjcf(f'<body><joint name="j" {joint}/>{UNIT}</body>', f"<compiler {compiler}/>")
    assert read(text, tmp_path).joints["j"].upper == (upper if upper is None else pytest.approx(upper, rel=1e-15))


@pytest.mark.parametrize(("body", "inertia"), [
    ('<inertial pos="1 0 0" mass="2" diaginertia="1 1.5 2" axisangle="0 0 1 0.3"/>',
     mcI(2, [1, 0, 0], turn(Z, 0.3) @ np.diag([1, 1.5, 2]) @ turn(Z, 0.3).T)),
    ('<geom type="cylinder" size="0.01" fromto="1 0 0 1 3 4" mass="2"/>',
     mcI(2, [1, 1.5, 2], ROD[1] * np.eye(3) + (ROD[0] - ROD[1]) * np.outer([0, 0.6, 0.8], [0, 0.6, 0.8])))])
def test_principal_moments_are_turned_with_their_frame_and_a_shape_lies_between_its_ends(tmp_path, body, inertia):
    model = read(mjcf(f"<body><joint/>{body}</body>"), tmp_path).model
    assert_allclose(model.inertia[1], inertia, atol=1e-13)


@pytest.mark.parametrize(("kind", "size", "reach"), [
    ("sphere", [0.3], [0.3, 0.3, 0.3]), ("box", [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]),
    ("cylinder", [0.2, 0.3], [0.2, 0.2, 0.3]), ("capsule", [0.15, 0.25], [0.15, 0.15, 0.4]),
    ("ellipsoid", [0.1, 0.2, 0.3], [0.1, 0.2, 0.3])])
def test_the_mass_of_a_shape_is_the_sum_over_its_points(tmp_path, kind, size, reach):
    """A lattice of 60³ points around the shape, of which those inside carry the mass, up to its surface's roughness."""
    line = (np.arange(60) + 0.5) / 30 - 1
    points = reach * np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)
    (x, y, z), radii = points.T, size * 3 if kind == "sphere" else size
    inside = {                                                          # from the definitions of the shapes
        "box": lambda: (np.abs(points) <= size).all(axis=1),
        "cylinder": lambda: (x**2 + y**2 <= size[0]**2) & (np.abs(z) <= size[1]),
        "capsule": lambda: x**2 + y**2 + (np.maximum(np.abs(z), size[1]) - size[1])**2 <= size[0]**2,
    }.get(kind, lambda: ((points / radii)**2).sum(axis=1) <= 1)
    points = points[inside()]
    each = 500 * np.prod(reach) / 30**3
    second = each * points.T @ points
    text = " ".join(map(str, size))
    geom = f'<geom type="{kind}" size="{text}" density="500" pos="1 2 3" axisangle="0 1 0 0.7"/>'
    m, c, I_C = I_to_mcI(read(mjcf(f"<body><joint/>{geom}</body>"), tmp_path).model.inertia[1])
    R = turn(Y, 0.7)
    assert_allclose(m, each * len(points), rtol=3e-3)
    assert_allclose(c, [1, 2, 3])
    assert_allclose(R.T @ I_C @ R, np.trace(second) * np.eye(3) - second, atol=3e-3 * np.trace(second))


@pytest.mark.parametrize(("geoms", "mass"), [
    ('<geom size="0.1" mass="3"/>', 3), ('<geom size="0.1" mass="3"/><geom size="0.2" mass="0"/>', 3),
    ('<geom size="0.1" mass="3"/><geom size="0.2" density="0"/>', 3),
    ('<geom size="0.1" mass="3"/><geom type="mesh" mass="0"/>', 3),
    ('<geom size="0.1" mass="3"/><geom size="0.2" group="7"/>', 3),
    ('<geom type="box" size="0.5 0.5 0.5"/>', 1000),
    ('<geom type="capsule" size="0.1" fromto="0 0 0 0 0 1"/>', 1000 * (np.pi * 0.01 + 4 / 3 * np.pi * 0.001)),
    ('<geom type="cylinder" size="0.1" fromto="0 0 0 0 3 4"/>', 1000 * np.pi * 0.01 * 5)])
def test_the_mass_of_a_body_is_that_of_its_shapes(tmp_path, geoms, mass):
    assert_allclose(read(mjcf(f"<body><joint/>{geoms}</body>"), tmp_path).model.inertia[1][5, 5], mass)


def test_options_decide_where_inertia_is_from_and_the_total_mass_and_a_full_matrix_is_written_diagonal_first(tmp_path):
    for source, mass in (("auto", 1), ("true", 1000), ("false", 1)):
        text = mjcf(f'<body><joint/>{UNIT}<geom type="box" size="0.5 0.5 0.5"/></body>',
                    f'<compiler inertiafromgeom="{source}"/>')
        assert_allclose(read(text, tmp_path).model.inertia[1][5, 5], mass, err_msg=source)
    for geom in ("", '<geom size="0.1" group="7"/>'):
        text = mjcf(f"<body><joint/>{UNIT}{geom}</body>", '<compiler inertiafromgeom="true"/>')
        assert_allclose(read(text, tmp_path).model.inertia[1][5, 5], 1, err_msg=geom)
    one = '<body><joint/><inertial pos="1 0 0" mass="{}" diaginertia="1 1 1"/></body>'
    model = read(mjcf(one.format(3) + one.format(1), '<compiler settotalmass="8"/>'), tmp_path).model
    assert_allclose([I[5, 5] for I in model.inertia[1:]], [6, 2])
    assert_allclose(I_to_mcI(model.inertia[1])[2], 2 * np.eye(3), atol=1e-15)
    text = mjcf('<body name="b"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1.2 3" axisangle="2 0 1 0.6"/>'
                '</body>')
    with pytest.warns(IgnoredWarning, match=r"rotational inertias that no body has .* \(b\)"):
        robot = read_mjcf(write(tmp_path, text, "robot.xml"), impossible_inertia="repair")
    R = turn(np.array([2, 0, 1]) / 5**0.5, 0.6)
    assert_allclose(I_to_mcI(robot.model.inertia[1])[2], R @ np.diag([1.4, 1.6, 3]) @ R.T, atol=1e-14)
    m, c, I = random_mass_properties(np.random.default_rng(2))
    centre, numbers = (" ".join(map(repr, x.tolist())) for x in (c, I[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]))
    text = mjcf(f'<body><joint/><inertial pos="{centre}" mass="{m}" fullinertia="{numbers}"/></body>')
    assert_allclose(read(text, tmp_path).model.inertia[1], mcI(m, c, I), rtol=1e-11, atol=1e-12)


#: Mass, centre and half lengths of the boxes that make the L, for 1000 kg/m³.
BOXES = [(1000, [1, 0.5, 0.25], [1, 0.5, 0.25]), (1000, [0.5, 2, 0.25], [0.5, 1, 0.25])]


def cuboid(m, c, a):
    return mcI(m, c, m / 3 * (np.dot(a, a) * np.eye(3) - np.diag(np.square(a))))


@pytest.fixture
def meshes(tmp_path):
    return write_meshes(tmp_path)


def of_a_mesh(folder, attributes, geom=""):
    return read(mjcf(f'<body><joint/><geom type="mesh" mesh="m" {geom}/></body>',
                     f'<asset><mesh name="m" {attributes}/></asset>'), folder).model.inertia[1]


def test_a_body_has_the_inertia_of_its_mesh(meshes):
    whole = sum(cuboid(*box) for box in BOXES)
    for file in ("l.obj", "back.obj", "l.stl", "text.STL"):
        assert_allclose(of_a_mesh(meshes, f'file="{file}" inertia="exact"'), whole, rtol=1e-12, atol=1e-9)
    exact = 'file="l.obj" inertia="exact" '
    mirrored = [(m / 500, np.multiply(c, [0.1, -0.1, 0.2]), np.multiply(a, [0.1, 0.1, 0.2])) for m, c, a in BOXES]
    found = of_a_mesh(meshes, exact + 'scale="0.1 -0.1 0.2"')
    assert_allclose(found, sum(cuboid(*box) for box in mirrored), rtol=1e-12)
    turned = sum(cuboid(m, [c[1] - 3, 2 - c[0], c[2] - 1], np.take(a, [1, 0, 2])) for m, c, a in BOXES)
    placed = of_a_mesh(meshes, exact + 'refpos="2 3 1" refquat="1 0 0 1"', 'mass="2000"')    # a quarter turn back
    assert_allclose(placed, turned, rtol=1e-12, atol=1e-9)
    placed = of_a_mesh(meshes, exact + 'refpos="2 3 1"', 'quat="1 0 0 -1"')                   # the same by the geom
    assert_allclose(placed, turned, rtol=1e-12, atol=1e-9)
    assert_allclose(of_a_mesh(meshes, 'file="l.obj" inertia="convex"')[5, 5], 2500)           # its outline encloses 5
    m, c, I_C = I_to_mcI(of_a_mesh(meshes, 'file="l.obj"'))                                   # counted twice in part
    assert_allclose([m, *c, np.trace(I_C)], [2080.71811, 0.774362907, 1.24215432, 0.25, 4319.3925], rtol=1e-7)  # MuJoCo
    shell = of_a_mesh(meshes, 'file="l.obj" inertia="shell"', 'density="3"')
    m, c, I_C = I_to_mcI(shell)                 # two Ls of 4 m², and a wall of 10 m by 0.5 m around them
    wall = (2 * 1 + 1 * 2 + 1 * 1.5 + 2 * 1 + 1 * 0.5) / 2, (2 * 0 + 1 * 0.5 + 1 * 1 + 2 * 2 + 1 * 3 + 3 * 1.5) / 2
    assert_allclose([m, *c], [3 * (2 * 4 + 10 / 2), *(np.array(wall) + [2 * 3, 2 * 5]) / 13, 0.25])
    assert_allclose(np.trace(I_C), 101.8173077, rtol=1e-7)                                          # MuJoCo


@pytest.mark.parametrize(("compiler", "file"), [
    ('meshdir="parts"', "l.stl"), ('assetdir="parts"', "l.stl"), ('assetdir="no" meshdir="parts"', "l.stl"),
    ('meshdir="parts" strippath="true"', "elsewhere/l.stl")])
def test_meshes_are_found_where_the_compiler_says(tmp_path, compiler, file):
    (tmp_path / "parts").mkdir()
    write_meshes(tmp_path / "parts")
    text = mjcf('<body><joint/><geom type="mesh" mesh="l"/></body>',
                f'<compiler {compiler}/><default><mesh inertia="exact"/></default><asset><mesh file="{file}"/></asset>')
    assert_allclose(read(text, tmp_path).model.inertia[1], sum(cuboid(*box) for box in BOXES), rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize(("attributes", "message"), [
    ('file="nobody.stl"', "'nobody.stl' cannot be read: No such file"), ('file="a.msh"', "convert it to STL or OBJ"),
    ("", "it has no file"), ('vertex="0 0 0"', "save the mesh as STL or OBJ"),
    ('file="l.obj" scale="1 1 0" inertia="convex"', "flat"), ('file="l.obj" scale="1 1 0"', "volume of the mesh is 0"),
    ('file="open.obj"', "a face has a corner that is none of the 1 vertices"), ('file="a.obj"', "holds no triangles"),
    ('file="l.obj" inertia="thin"', "choose from legacy, exact, convex, shell"),
    ('file="inside.obj" inertia="exact"', "clockwise")])
def test_meshes_without_inertia_are_refused(meshes, attributes, message):
    for name, text in (("a.msh", ""), ("open.obj", "v 0 0 0\nf 1 2 9"), ("a.obj", "v 0 0 0"),
                       ("inside.obj", (meshes / "l.obj").read_text().replace("v ", "v -"))):
        write(meshes, text, name)
    with pytest.raises(ModelError, match=f"line 1: mesh 'm': .*{message}"):
        of_a_mesh(meshes, attributes)


def test_files_may_include_files_once(tmp_path):
    (tmp_path / "parts").mkdir()
    write(tmp_path, f'<x><body name="b">{UNIT}<include file="parts/arm.xml"/></body></x>', "b.xml")
    write(tmp_path, f'<mujoco><body name="c"><joint/>{UNIT}</body></mujoco>', "parts/arm.xml")
    write(tmp_path, '<x><default><joint axis="1 0 0"/></default></x>', "classes.xml")
    robot = read(mjcf('<include file="b.xml"/>', '<include file="classes.xml"/>'), tmp_path)
    assert robot.model.names == ("base", "b", "c") and robot.model.parent == (None, 0, 1)
    assert_allclose(robot.model.joints[2].direction, X)
    for world, message in (
            ('<include file="b.xml"/>' * 2, "'b.xml' is included twice"), ("<include/>", "give the file"),
            ('<include file="no.xml"/>', "no.xml: the file cannot"), ('<include file="r.xml"/>', "included twice"),
            ('<include file="b.xml"/><include file="./b.xml"/>', "'./b.xml' is included twice"),
            ('<include file="deep0.xml"/>', "deep2.xml, line 1: <body>: at most .* nested at most 200 deep"),
            ('<include file="bad.xml"/>', "bad.xml, line 2: <joint>: axis is 'up'")):
        write(tmp_path, f'<x><body>\n<joint axis="up"/>{UNIT}</body></x>', "bad.xml")
        for k in range(3):
            deep = "<body>" * 90 + f'<include file="deep{k + 1}.xml"/>' + "</body>" * 90
            write(tmp_path, f"<x>{deep}</x>", f"deep{k}.xml")
        with pytest.raises(ModelError, match=f"^r.xml: .*{message}"):
            read_mjcf(write(tmp_path, mjcf(world), "r.xml"))


def test_settings_masses_rotors_and_damping_are_those_of_the_compiler_and_actuators(tmp_path):
    write(tmp_path, '<x><compiler boundmass="5" settotalmass="8" inertiagrouprange="1 1"/></x>', "settings.xml")
    geoms = '<geom size="0.1" group="1"/><geom size="0.1"/>'
    head = '<include file="settings.xml"/><compiler angle="radian"/>'
    text = mjcf(f"<body><joint/>{geoms}</body><body>{UNIT}</body>", head)
    masses = [I[5, 5] for I in read(text, tmp_path).model.inertia[1:]]
    assert_allclose(masses, [4, 4])                                                 # both are lifted to 5 kg first

    bodies = '<body><joint/><inertial pos="1 0 0" mass="1" diaginertia="0.1 1 0.6" axisangle="0 1 0 30"/></body>'
    R = turn(Y, np.pi / 6)
    for attributes, m, moments in (('boundmass="2" balanceinertia="true"', 2, [1.7 / 3] * 3),
                                   ('boundinertia="0.5"', 1, [0.5, 1, 0.6])):
        found = I_to_mcI(read(mjcf(bodies, f"<compiler {attributes}/>"), tmp_path).model.inertia[1])
        for actual, expected in zip(found, (m, [1, 0, 0], R @ np.diag(moments) @ R.T), strict=True):
            assert_allclose(actual, expected, atol=1e-15)

    for head, gear in (("", 'gear="3"'), ('<default><general gear="3"/></default>', "")):       # for all actuators
        text = mjcf(f'<body><joint name="j" damping="1" armature="2"/>{UNIT}</body>', head).replace(
            "</mujoco>", f'<actuator><motor joint="j" {gear} armature="0.5" damping="0.7 0 0"/></actuator></mujoco>')
        record = read(text, tmp_path).joints["j"]
        assert_allclose([record.damping, record.armature], [1 + 9 * 0.7, 2 + 9 * 0.5])
        assert type(record.damping) is type(record.armature) is float
    zeros = '<joint name="j" stiffness="0" armature="0" frictionloss="0" damping="0" ref="0"/>'
    for motor in ("", '<actuator><motor joint="j"/></actuator>'):
        text = mjcf(f"<body>{zeros}{UNIT}</body>").replace("</mujoco>", f"{motor}</mujoco>")
        record = read(text, tmp_path).joints["j"]
        assert record == JointRecord("j", "hinge", record.body)


def test_the_model_alone_comes_with_one_warning_and_what_cannot_matter_is_listed_without(tmp_path):
    with pytest.warns(IgnoredWarning) as caught:
        turn = load_mjcf(DATA / "robot.xml").characters[3]
    assert (turn.stiffness, turn.friction, turn.armature) == (4, 0.2, 0.01)
    assert_allclose([turn.rest, turn.lower, turn.upper], np.deg2rad([10, -90, 120]))
    (text,) = (str(warning.message) for warning in caught)
    assert caught[0].filename == __file__ and text.startswith("robot.xml: ")
    for phrase in ("actuator (lifter)", "limits (lift, turn, extend, wrist, thumb)", "damping (wrist)",
                   "reference positions (lift)", "armature (wrist)", "kept by read_mjcf"):
        assert phrase in text
    text = mjcf(f'<light/><body name="b">{UNIT}<site name="s"/></body>', '<asset><mesh name="m"/></asset><visual/>')
    path = write(tmp_path, text, "robot.xml")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_mjcf(path).ignored == ("asset (m)", "visual", "light (world)", "site (s)")


@pytest.mark.parametrize(("world", "head", "expected"), [
    (f'<body gravcomp="1">{UNIT}</body>', "", "attribute gravcomp of <body> (body 1)"),
    (f'<body mocap="true">{UNIT}</body>', "", "attribute mocap of <body> (body 1)"),
    (f'<body><joint name="j" springdamper="1 1"/>{UNIT}</body>', "", "attribute springdamper of <joint> (j)"),
    (f'<body><joint name="j" actuatorgravcomp="true"/>{UNIT}</body>', "", "attribute actuatorgravcomp of <joint> (j)"),
    (f'<body>{UNIT}<plugin/></body>', "", "plugin (body 1)"),
    ("", '<equality><connect name="c"/></equality>', "equality (c)"),
    ("", '<tendon><fixed name="t"/></tendon>', "tendon (t)"),
    ("", '<contact><pair name="p"/></contact>', "contact (p)"), ("", "<keyframe><key/></keyframe>", "keyframe"),
    ("", '<option wind="1 0 0"/>', "attribute wind of <option>"),
    (f'<body><joint name="j" damping="1 0 3"/>{UNIT}</body>', "", "damping by higher powers of the velocity (j)"),
    ("", '<option><flag contact="disable"/></option>', "flag (contact)"),
    ("", "<compiler><lengthrange/></compiler>", "lengthrange (compiler)")])
def test_what_may_matter_is_named(tmp_path, world, head, expected):
    path = write(tmp_path, mjcf(world, head), "robot.xml")
    with pytest.warns(IgnoredWarning) as caught:
        robot = read_mjcf(path)
    assert expected in str(caught[0].message) and expected in robot.ignored
