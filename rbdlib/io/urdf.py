"""URDF in: robots as ROS describes them."""

from collections import defaultdict, namedtuple
from functools import partial
from xml.etree import ElementTree

import numpy as np

from rbdlib.book.ch02_spatial import plucker
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Planar, Prismatic, Revolute
from rbdlib.book.ch04_model import ModelError
from rbdlib.conventions.frames import transform_from_urdf
from rbdlib.io.mechanism import Draft, DraftJoint, JointRecord, Mimic, read
from rbdlib.io.safe_xml import Element, read_xml
from rbdlib.methods.inertia_parameters import spatial_inertia
from rbdlib.numbers.pivots import across

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
#: Of no consequence for the motion, and therefore listed among what is ignored, but not warned of.
SHAPES = ("visual", "collision", "material")


class Rule(namedtuple("Rule", "numbers texts children required many", defaults=({}, (), {}, (), ()))):
    """Content of an element: attributes with numbers {name: how many}, with text; children; and which are required.

    many: the children that may stand there more than once.
    """


def _values(*names, required=()):
    return Rule(dict.fromkeys(names, 1), required=required)


_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_ORIGIN = Rule({"xyz": 3, "rpy": 3})
_LINK_NAME = Rule(texts=("link",), required=("link",))
_INERTIAL = Rule(required=("mass", "inertia"), children={
    "origin": _ORIGIN, "mass": _values("value", required=("value",)),
    "inertia": _values(*_MOMENTS, required=_MOMENTS)})
_JOINT = Rule(texts=("name", "type"), required=("name", "type", "parent", "child"), children={
    "origin": _ORIGIN, "axis": Rule({"xyz": 3}, required=("xyz",)), "parent": _LINK_NAME, "child": _LINK_NAME,
    "limit": _values("lower", "upper", "effort", "velocity", required=("effort", "velocity")),
    "dynamics": _values("damping", "friction"),
    "mimic": Rule({"multiplier": 1, "offset": 1}, ("joint",), required=("joint",))})
_LINK = Rule(texts=("name",), children={"inertial": _INERTIAL}, required=("name",))
ROBOT = Rule(texts=("name",), children={"link": _LINK, "joint": _JOINT}, many=("link", "joint"))


def load_urdf(path, floating_base=False, lump_fixed=False, gravity=(0, 0, -9.81), impossible_inertia="refuse"):
    """The `Model` of the robot in a URDF file; see `read_urdf`, which keeps more.

    Warns (`IgnoredWarning`) of limits, mimic joints and transmissions, which have no effect in it, of the damping and
    friction of joints of several freedoms, and of what `read_urdf` would warn of.
    """
    robot_of = partial(_robot, floating_base, lump_fixed, gravity, impossible_inertia)
    return read(path, robot_of, SHAPES, "read_urdf").model


def read_urdf(path, floating_base=False, lump_fixed=False, gravity=(0, 0, -9.81), impossible_inertia="refuse"):
    """The `Robot` in a URDF file: its model, and what the file says beyond it.

    The root link is the base, or with floating_base=True a body that a FreeMotion joint connects to the base.
    lump_fixed=True makes links that fixed joints connect into one body; otherwise such joints become Fixed ones.
    gravity: acceleration of free fall (m/s²) in base coordinates; the file cannot say it. impossible_inertia: what
    becomes of rotational inertias that no body has, which published files often hold: "refuse" them, "repair" them to
    the nearest possible ones, or "keep" them as they are, in an `EquivalentModel`, as other programs do. At a base that
    stands still they have no influence, and stay. Body frames are the link frames of the file, except that of a planar
    joint, whose z axis is turned to the joint's axis (`Robot.frames`). Damping, friction and limits of joints of one
    freedom are in the model's characters, limits as end stops without stiffness: to give joint i one,
    ``model.replace(characters={i: dataclasses.replace(model.characters[i], stop_stiffness=1e4)})``. In its place,
    restitution=0.5 makes them hard. With friction_speed=0 a joint sticks.

    Raises ModelError naming the file, the line and the element: for anything but one tree of links, an inertia that no
    body has, unknown joint types, numbers that are not finite, names used twice. Warns (`IgnoredWarning`) of elements
    that may matter for the motion and have no place in the result.
    """
    return read(path, partial(_robot, floating_base, lump_fixed, gravity, impossible_inertia), SHAPES)


def _robot(floating_base, lump_fixed, gravity, impossible_inertia, path):
    root = read_xml(path, "robot")
    if root.attributes.get("version", "1.0") not in ("1.0", "1.1"):
        raise root.error(f"version is {root.attributes['version']!r}; 1.0 and 1.1 are read.")
    ignored = defaultdict(list)
    _check(root, ROBOT, ignored)
    ignored.pop("transmission", None)
    transmissions = tuple(ElementTree.tostring(_plain(element), encoding="unicode")
                          for element in root.all("transmission"))
    lines, named = _lines(root, "link"), _lines(root, "joint")
    links = {name: _link_inertia(element) for name, element in lines.items()}
    joints = [_joint(element, named, ignored) for element in named.values()]
    name = root.attributes.get("name", "robot")
    draft = Draft(name, _root_link(links, joints, named), links, lines, joints, ignored)
    return draft.robot(floating_base, lump_fixed, impossible_inertia, gravity, transmissions), draft


def _check(element, rule, ignored, place=""):
    """Check what the rule knows of the element; everything else is added to ignored[kind]."""
    if element.tag.startswith("xacro:"):
        raise element.error("this is a xacro file. Expand it to plain URDF first, with the xacro program.")
    place = element.attributes.get("name", place)
    missing = [name for name in rule.required if not (element.attributes.get(name) or element.all(name))]
    if missing:
        raise element.error(f"{missing[0]} is missing.")
    for name in element.attributes:
        if name in rule.numbers:
            element.numbers(name, rule.numbers[name])
        elif name == "quat_xyzw":
            raise element.error("orientations as quat_xyzw are not read; write rpy.")
        elif name not in (*rule.texts, "version") and not name.startswith("xmlns"):
            ignored[f"attribute {name} of <{element.tag}>"].append(place)
    for child in element.children:
        if child.tag in rule.children:
            if child.tag not in rule.many and child is not element.all(child.tag)[0]:
                raise child.error(f"{element.label()} has a second <{child.tag}>; remove one of them.")
            _check(child, rule.children[child.tag], ignored, place)
        elif child.tag.startswith("xacro:"):
            _check(child, rule, ignored)
        else:
            ignored[child.tag].append(place or child.attributes.get("name", ""))


def _plain(element: Element):
    """An Element as the standard library has it."""
    copy = ElementTree.Element(element.tag, element.attributes)
    copy.text = element.text.strip()
    copy.extend(_plain(child) for child in element.children)
    return copy


def _lines(root, tag):
    """{name: element} of the links or joints; ModelError if a name stands twice."""
    found = {}
    for element in root.all(tag):
        name = element.attributes["name"]
        if name in found:
            raise element.error(f"the name stands on line {found[name].line} too; give every {tag} its own name.")
        found[name] = element
    return found


def _root_link(links, joints, elements):
    """The one link that is no joint's child; ModelError unless links and joints make a tree."""
    if not links:
        raise ModelError("The file has no links.")
    parent = {}
    for joint in joints:
        element = elements[joint.record.name]
        for end in (joint.parent, joint.child):
            if end not in links:
                raise element.error(f"there is no link {end!r}.")
        if joint.child in parent:
            raise element.error(f"link {joint.child!r} has a parent already, {parent[joint.child]!r}; URDF describes "
                                f"trees only. Close the loop with a LoopJoint of the Model.")
        parent[joint.child] = joint.parent
    roots = [link for link in links if link not in parent]
    if len(roots) > 1:
        raise ModelError(f"The links {', '.join(map(repr, roots[:6]))} are all without a parent; connect them to one "
                         f"root link by joints.")
    reached = list(roots)
    for link in reached:                                        # which grows meanwhile
        reached += [child for child in parent if parent[child] == link]
    if lost := [link for link in links if link not in reached]:
        raise ModelError(f"The links {', '.join(map(repr, lost[:6]))} are connected in a circle, of which no link is "
                         f"connected to a root. Turn one of the joints round, or remove it.")
    return roots[0]


def _part(element, tag):
    """The child with this tag; one without attributes if there is none."""
    return next(iter(element.all(tag)), Element(tag, {}))


def _pose(element):
    """X from the frame in which the element's origin is given to the frame that it describes, and its position."""
    origin = _part(element, "origin")
    xyz, rpy = (origin.numbers(name, 3, (0, 0, 0)) for name in ("xyz", "rpy"))
    return transform_from_urdf(xyz, rpy), xyz                   # rpy are turns about fixed axes


def _link_inertia(link):
    """The spatial inertia of a link in its own frame; zero if the file gives none."""
    if not link.all("inertial"):
        return np.zeros((6, 6))
    inertial = _part(link, "inertial")
    X, c = _pose(inertial)
    R, (xx, xy, xz, yy, yz, zz) = X[:3, :3].T, map(_part(inertial, "inertia").number, _MOMENTS)
    I_C = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    return spatial_inertia(_part(inertial, "mass").number("value"), c, I_C)


def _joint(element, elements, ignored):
    record = _record(element, elements, ignored)
    axis = _part(element, "axis").numbers("xyz", 3, (1, 0, 0))
    if not axis.any() and record.type in ("revolute", "continuous", "prismatic", "planar"):
        raise element.error("axis is zero; it must have a direction.")
    X_P, X_S, z = _pose(element)[0], np.eye(6), axis / (np.linalg.norm(axis) or 1)
    if record.type == "planar" and not np.array_equal(z, [0, 0, 1]):        # turn z to the joint's axis
        X_S = plucker(np.array([*across(z), z]), np.zeros(3))
        X_P = X_S @ X_P
    kinds = {"revolute": Revolute, "continuous": Revolute, "prismatic": Prismatic}
    made = (kinds[record.type](axis) if record.type in kinds
            else {"fixed": Fixed, "floating": FreeMotion, "planar": Planar}[record.type]())
    return DraftJoint(_part(element, "parent").attributes["link"], _part(element, "child").attributes["link"],
                      made, X_P, X_S, record)


def _record(element, elements, ignored):
    """Record of the joint in the file. A prismatic or revolute joint without lower and upper has them at 0."""
    name, kind = element.attributes["name"], element.choice("type", TYPES, None)
    said = {}
    for limit in element.all("limit"):
        given = [end for end in ("lower", "upper") if end in limit.attributes]
        if given and kind not in ("revolute", "prismatic"):
            ignored[f"{' and '.join(given)} of a {kind} joint"].append(name)
        said = {"velocity": limit.number("velocity"), "effort": limit.number("effort")}
        if kind in ("revolute", "prismatic"):
            lower, upper = (limit.number(end, 0.0) for end in ("lower", "upper"))
            said |= {"lower": lower, "upper": upper}
            if lower > upper:
                raise element.error(f"its lower limit {lower} is above the upper one, {upper}.")
    if kind == "revolute" and not said:
        ignored["the lack of limits, which URDF demands of revolute joints"].append(name)
    for mimic in element.all("mimic"):
        leader = mimic.attributes["joint"]
        if leader not in elements or leader == name:
            ignored[f"mimic of {leader!r}, which is no other joint of the file"].append(name)
        else:
            said["mimic"] = Mimic(leader, mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
    dynamics = _part(element, "dynamics")
    return JointRecord(name, kind, damping=dynamics.number("damping"), friction=dynamics.number("friction"), **said)
