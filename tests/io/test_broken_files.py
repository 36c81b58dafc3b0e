"""Broken and hostile files are refused with the file, the line and the remedy; none of them does harm."""

from itertools import product

import pytest

from rbdlib import ModelError
from rbdlib.io import read_mjcf, read_urdf
from rbdlib.io.mesh import read_mesh
from rbdlib.io.safe_xml import MAX_DEPTH
from tests.io.helpers import JOINT, LINK, mjcf, quietly, urdf, variant, write

AB = LINK.format("a") + LINK.format("b")
CHAIN = JOINT.format("j", "continuous", "a", "b", "")


@pytest.mark.slow
def test_what_is_nested_and_connected_as_deep_as_is_allowed_is_read(tmp_path):
    body = '<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint/>'
    depth = MAX_DEPTH - 3
    assert read_mjcf(write(tmp_path, mjcf(body * depth + "</body>" * depth))).model.nv == depth
    text = urdf(*(f'<link name="l{k}"/>' for k in range(1000)),
                *(JOINT.format(f"j{k}", "fixed", "l0", f"l{k}", "") for k in range(1, 1000)))
    assert len(read_urdf(write(tmp_path, text)).frames) == 1000


def test_the_limits_of_size_and_nesting_and_no_entity_bombs_and_no_files_brought_in(tmp_path, monkeypatch):
    def limit(module, **limits):
        for name, value in limits.items():
            monkeypatch.setattr(f"rbdlib.io.{module}.MAX_{name}", value)

    def is_read_but_not(message, read, text, more, name="robot.urdf"):
        """The one is within the limits, and the other is not."""
        quietly(read, write(tmp_path, text, name))
        with pytest.raises(ModelError, match=f"^({name}: )?{message}"):
            read(write(tmp_path, more, name))

    limit("mechanism", LINKS=3)
    three = AB, LINK.format("c"), CHAIN, JOINT.format("k", "fixed", "b", "c", "")
    is_read_but_not("The file has 4 links; at most 3", read_urdf, urdf(*three), urdf(
        *three, LINK.format("d"), JOINT.format("l", "fixed", "a", "d", "")))
    for name in "xyz":
        write(tmp_path, "<x><body><site/></body></x>", f"{name}.xml")
    limit("safe_xml", FILES=3)
    x, y, z = (f'<include file="{name}.xml"/>' for name in "xyz")
    is_read_but_not("line 1: <include>: at most 3 files are read", read_mjcf, mjcf(x + y), mjcf(x + y + z), "r.xml")
    limit("safe_xml", ELEMENTS=5, DEPTH=4)
    for text, more in (("<light/>" + x, "<light/><light/>" + x), (x, f"<frame>{x}</frame>")):
        is_read_but_not("x.xml, line 1: <site>: at most", read_mjcf, mjcf(text, ""), mjcf(more, ""), "r.xml")
    is_read_but_not("line 1: .*nested at most", read_urdf, urdf("<link name='a'><b><c/></b></link>"),
                    urdf("<link name='a'><b><c><d/></c></b></link>"))
    is_read_but_not("line 1: .*elements", read_urdf, urdf("<link name='a'/><b/><c/><d/>"), urdf("<b/>" * 5))
    text = urdf("<link name='a'/>")
    limit("safe_xml", BYTES=len(text))
    is_read_but_not(f"the file has more than {len(text)} bytes", read_urdf, text, text + " ")
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    limit("mesh", BYTES=len(text))
    is_read_but_not("the mesh .m.obj. cannot be read: it has more than", read_mesh, text, text + " ", "m.obj")
    monkeypatch.undo()
    levels = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 30))
    bomb = f'<?xml version="1.0"?><!DOCTYPE robot [<!ENTITY e0 "ha">{levels}]><robot name="r">&e29;</robot>'
    with pytest.raises(ModelError, match="^robot.urdf: line 1: a document type declaration"):    # 10^29 words else
        read_urdf(write(tmp_path, bomb))
    secret = write(tmp_path, "secret", "secret.txt")
    for text, expected in (
            (f'<!DOCTYPE mujoco [<!ENTITY x SYSTEM "file://{secret}">]><mujoco model="&x;"/>', "type declaration"),
            (mjcf('<include file="secret.txt"/>'), "secret.txt: this is not an XML file")):
        with pytest.raises(ModelError, match=expected):
            read_mjcf(write(tmp_path, text))


@pytest.mark.parametrize(("text", "expected"), [
    ("", "not an XML file"), ("just words", "not an XML file"), ("<robot name='r'>", "not an XML file"),
    ("<robot name='r'></robot><robot/>", "not an XML file"), ("<robot name='a' name='b'/>", "not an XML file"),
    (f"<{'r' * 60}/>", f"starts with <{'r' * 60}>; expected"), (f"<{'r' * 61}/>", f"<{'r' * 57}\\.\\.\\.>; expected"),
    ("<robot>&nobody;</robot>", "not an XML file"), ("<mujoco/>", "expected <robot>"),
    ("<robot name='r'/>", "The file has no links"), ("<robot name='r' version='7.0'/>", "version is '7.0'"),
    ("<?xml version='1.0' encoding='no-such'?><robot/>", "not an XML file"),
    (urdf(AB, JOINT.format("j", "fixed", "a", "b", '<mimic joint="j" offset="half"/>')), "offset is 'half'")])
def test_what_is_no_robot_file(tmp_path, text, expected):
    with pytest.raises(ModelError, match=f"robot.urdf: .*{expected}"):
        read_urdf(write(tmp_path, text))
    for path, why in ((tmp_path / "no.urdf", "No such file"), (urdf(AB), ""), (tmp_path, ""), ("\0", "embedded null")):
        with pytest.raises(ModelError, match=f"the file cannot be read: {why}.*Give the path of a file, not its text"):
            read_urdf(path)


def test_a_negative_mass_and_files_in_other_encodings(tmp_path):
    path = write(tmp_path, urdf(LINK.format("a"), LINK.format("b").replace('"2"', '"-2"'), CHAIN))
    for floating_base, treated in product((False, True), ("refuse", "repair", "keep")):
        with pytest.raises(ModelError, match="-2.*negative"):
            read_urdf(path, floating_base, impossible_inertia=treated)
    for encoding in ("utf-8", "utf-16", "latin-1"):
        text = f'<?xml version="1.0" encoding="{encoding}"?>' + urdf('<link name="größe"/>')
        path.write_bytes(text.encode(encoding))
        assert list(read_urdf(path).frames) == ["größe"], encoding


@pytest.mark.parametrize(("text", "expected"), [
    (urdf(AB), r"'a', 'b' are all without a parent"),
    (urdf(AB, JOINT.format("j", "continuous", "a", "c", "")), "joint 'j': there is no link 'c'"),
    (urdf(AB, JOINT.format("j", "continuous", "c", "a", "")), "joint 'j': there is no link 'c'"),
    (urdf(AB, CHAIN, JOINT.format("k", "continuous", "b", "a", "")), "connected in a circle"),
    (urdf(AB, LINK.format("c"), JOINT.format("j", "fixed", "b", "a", ""), JOINT.format("k", "fixed", "a", "b", "")),
     "'a', 'b' are connected in a circle"),
    (urdf(AB, JOINT.format("j", "continuous", "a", "a", ""), JOINT.format("k", "fixed", "a", "b", "")), "circle"),
    (urdf(AB, LINK.format("c"), CHAIN, JOINT.format("k", "fixed", "c", "b", "")), "'b' has a parent already, 'a'"),
    (urdf(AB, LINK.format("a"), CHAIN), "link 'a': the name stands on line 1 too"),
    (urdf(AB, LINK.format("c"), CHAIN, JOINT.format("j", "fixed", "a", "c", "")), "joint 'j': the name stands on"),
    (urdf(AB, JOINT.format("j", "screw", "a", "b", "")), "type is 'screw'; choose from revolute, continuous"),
    (urdf(AB, JOINT.format("j", "unknown", "a", "b", "")), "type is 'unknown'"),
    (urdf(AB, JOINT.format("j", "prismatic", "a", "b", '<axis xyz="0 0 0"/>')), "axis is zero"),
    (urdf(AB, JOINT.format("j", "planar", "a", "b", '<axis xyz="0 0 0"/>')), "axis is zero"),
    (urdf(AB, CHAIN.replace('<child link="b"/>', "")), "joint 'j': child is missing"),
    (urdf(AB, CHAIN.replace(' type="continuous"', "")), "joint 'j': type is missing"),
    (urdf(AB, CHAIN.replace(' name="j"', "")), "<joint>: name is missing"),
    (urdf("<link/>"), "<link>: name is missing"), (urdf('<link name=""/>'), "link '': name is missing"),
    (urdf(AB, CHAIN.replace("<child", "<parent link='b'/><child")), "has a second <parent>"),
    ('<robot name="r" xmlns:xacro="x"><xacro:macro name="m"/></robot>', "xacro file")])
def test_what_is_no_tree_of_links(tmp_path, text, expected):
    with pytest.raises(ModelError, match=f"robot.urdf: .*({expected})"):
        read_urdf(write(tmp_path, text))


@pytest.mark.parametrize(("old", "new", "expected"), [
    ('xyz="0.2 0 0"', 'xyz="nan 0 0"', "line 13: <origin>: xyz is 'nan 0 0'; give finite numbers"),
    ('xyz="0.2 0 0"', 'xyz="0.2 0"', "line 13: <origin>: xyz has 2 numbers; give 3"),
    ('xyz="0.2 0 0"', 'xyz=""', "xyz has 0 numbers"), ('xyz="0.2 0 0"', 'rpy="0 inf 0"', "rpy is"),
    ('xyz="0.2 0 0"', 'xyz="0.2 0 0" quat_xyzw="0 0 0 1"', "quat_xyzw"),
    ('mass value="2"', 'mass value="1e999"', "line 14: <mass>: value is '1e999'"),
    ('mass value="2"', 'mass value="1_0"', "value is '1_0'"), ('mass value="2"', 'mass value="two"', "value is 'two'"),
    ('mass value="2"', 'mass value="2 3"', "value has 2 numbers; give 1"),
    ('mass value="2"', "mass", "<mass>: value is missing"), ('<mass value="2"/>', "", "<inertial>: mass is missing"),
    ('ixy="0" ', "", "<inertia>: ixy is missing"),
    ("</inertial>", '<mass value="3"/></inertial>', "<inertial> has a second <mass>"),
    ("</inertial>", "</inertial><inertial/>", "has a second <inertial>"),
    ('lower="-2"', 'lower="3"', "joint 'shoulder': its lower limit 3.0 is above"),
    (' effort="30"', "", "<limit>: effort is missing"), ('damping="0.7"', 'damping="NaN"', "damping is 'NaN'")])
def test_numbers_and_parts_that_are_wrong(tmp_path, old, new, expected):
    with pytest.raises(ModelError, match=f"arm_2r.urdf: .*{expected}"):
        read_urdf(variant(tmp_path, "arm_2r.urdf", old, new))


BODY = '<body name="b">{}<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'


@pytest.mark.parametrize(("text", "expected"), [
    ("<robot/>", "expected <mujoco>"),
    (mjcf("", '<compiler angle="gradian"/>'), "angle is 'gradian'; choose from degree, radian"),
    *((mjcf("", f'<compiler {name}="yes"/>'), f"{name} is 'yes'; choose from true, false")
      for name in ("autolimits", "inertiafromgeom", "balanceinertia")),
    (mjcf("", '<compiler coordinate="global"/>'), "coordinate='global' is not read"),
    (mjcf("", '<compiler eulerseq="xyw"/>'), "eulerseq is 'xyw'"),
    (mjcf("", '<compiler eulerseq="xyzx"/>'), "eulerseq is 'xyzx'"),
    (mjcf("", '<option gravity="0 0"/>'), "gravity has 2 numbers"),
    (mjcf("", '<default><default><joint/></default></default>'), "default class"),
    (mjcf("", '<default><default class="a"/><default class="a"/></default>'), "default class"),
    (mjcf(BODY.format('<joint class="nobody"/>')), "no default class 'nobody'"),
    (mjcf('<body childclass="nobody"><joint/></body>'), "no default class 'nobody'"),
    (mjcf(BODY.format('<joint type="screw"/>')), "type is 'screw'; choose from hinge, slide, ball, free"),
    (mjcf(BODY.format('<joint axis="0 0 0"/>')), "axis is zero"),
    (mjcf(BODY.format('<joint axis="0 nan 0"/>')), "axis is '0 nan 0'"),
    (mjcf(BODY.format('<joint name="j"/><joint name="j"/>')), "another joint has the name 'j'"),
    (mjcf(BODY.format("") * 2), "another body has this name"),
    (mjcf(BODY.format("<freejoint/><joint/>")), "a free joint must be the only joint"),
    (mjcf(f"<body>{BODY.format('<freejoint/>')}</body>"), "a free joint must be .* in the world"),
    (mjcf('<body quat="1 0 0 0" euler="0 0 0"/>'), "orientation stands there twice, as quat and euler"),
    (mjcf('<body quat="0 0 0 0"/>'), "quat has no direction"),
    (mjcf('<body xyaxes="1 0 0 2 0 0"/>'), "xyaxes has no direction"),
    (mjcf('<body><inertial pos="0 0 0" diaginertia="1 1 1"/></body>'), "give its mass and its pos"),
    (mjcf('<body><inertial mass="1" diaginertia="1 1 1"/></body>'), "give its mass and its pos"),
    (mjcf('<body><inertial pos="0 0 0" mass="1"/></body>'), "either diaginertia or fullinertia"),
    (mjcf('<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body>'), "triangle inequality"),
    (mjcf('<body><inertial pos="0 0 0" mass="1" euler="1 0 0" fullinertia="1 1 1 0 0 0"/></body>'), "in body axes"),
    (mjcf('<body><geom type="mesh" mesh="m"/></body>'), "there is no mesh 'm' among the assets"),
    (mjcf('<body><geom size="1" shellinertia="true"/></body>'), "sphere geom shell"),
    (mjcf('<body><geom type="mesh" mesh="m" shellinertia="true"/></body>'), "mesh geom shell .* inertia='shell'"),
    (mjcf('<body><geom type="box" mesh="m"/></body>'), "box geom that is fitted to a mesh is not worked out"),
    (mjcf('<body><geom type="mesh" mesh="m"/></body>', '<compiler strippath="true"/><asset><mesh name="m"/></asset>'),
     "mesh 'm': it has no file"),
    (mjcf('<body><geom size="0"/></body>'), "size must hold 1 positive"),
    (mjcf('<body><geom type="box" size="1 1"/></body>'), "size must hold 3 positive"),
    (mjcf('<body><geom fromto="0 0 0 0 0 1" size="1"/></body>'), "sphere has no fromto"),
    (mjcf('<body><geom type="capsule" fromto="0 0 1 0 0 1" size="1"/></body>'), "fromto has no direction"),
    (mjcf('<replicate count="3"><body/></replicate>'), "<replicate>: it is not read"),
    (mjcf("<body><composite/></body>"), "<composite>: it is not read"),
    (mjcf("", "<model/>"), "<model>: it is not read")])
def test_broken_mjcf(tmp_path, text, expected):
    with pytest.raises(ModelError, match=f"robot.xml: line 1: .*{expected}"):
        read_mjcf(write(tmp_path, text, "robot.xml"))
