"""URDF out, for what URDF can say."""

import warnings
from pathlib import Path

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Planar, Prismatic, Reversed, Revolute
from rbdlib.book.ch04_model import Model, ModelError
from rbdlib.io.mechanism import IgnoredWarning, JointRecord, Robot, with_character
from rbdlib.methods.inertia_parameters import mass_properties
from rbdlib.numbers.scalars import as_floats

STANDARD_GRAVITY = (0, 0, -9.81)


def save_urdf(robot, path, name=None):
    """Write a `Model`, or a `Robot` with what its records hold, to a URDF file.

    name: the robot's name in the file; that of the Robot, or of the file, unless given. Body 0 becomes the root link,
    and each body of the model a link of the same name. The joints are those that URDF has: revolute and prismatic
    joints (reversed or not), fixed ones, free motion, and planar motion in the x-y plane with the position in F_p.

    Raises ModelError naming the joint or quantity that URDF cannot say: other joints, loops, symbols, springs,
    stiff end stops, armatures. ImportError if the extra `io` is not installed. Warns (`IgnoredWarning`) of a gravity
    that is not the usual one and has no place there.
    """
    kept = isinstance(robot, Robot)
    model = robot.model if kept else robot
    if not isinstance(model, Model):
        raise TypeError(f"robot is {robot!r}; give a Model, or the Robot that read_urdf returns.")
    if model.loops:
        raise ModelError("The model has loop joints; URDF describes trees only.")
    for i in model.bodies:
        if any(as_floats(array) is None for array in (model.X_tree[i], model.inertia[i])):
            raise ModelError(f"Body {i} ({model.names[i]}) has symbols; URDF holds numbers only. Load the model with "
                             "symbolic=False.")
    name = name or (robot.name if kept else Path(path).stem)
    text = _text(model, _records(robot, model), name, robot.transmissions if kept else (),
                 robot.base_inertia if kept else np.zeros((6, 6)))
    Path(path).write_text(text, encoding="utf-8")
    if not np.array_equal(model.gravity, STANDARD_GRAVITY):
        warnings.warn(f"URDF has no place for gravity, which is {model.gravity.tolist()} here; give it to load_urdf.",
                      IgnoredWarning, stacklevel=2)


def _records(robot, model):
    """A JointRecord with a name of its own for each joint, made up where the file had none, with the characters."""
    records = {}
    for i in model.bodies:
        record = robot.joint_of(i) if isinstance(robot, Robot) else None
        record = record or JointRecord(f"{model.names[i]}_joint", "", i)
        records[i] = with_character(record, model.characters[i]) if model.joints[i].nv == 1 else record
    taken = [record.name for record in records.values()]
    for i, record in records.items():
        if taken.count(record.name) > 1:
            raise ModelError(f"Two joints would be called {record.name!r}; rename body {i} ({model.names[i]}).")
        for what in ("stiffness", "armature", "reference"):
            if getattr(record, what):
                raise ModelError(f"Joint {record.name!r} has {what} {getattr(record, what)}; URDF has no place for it.")
        if model.characters[i] and model.characters[i].stops:
            raise ModelError(f"The end stops of joint {record.name!r} push back; URDF has no place for their "
                             "stop_stiffness and stop_damping. Save the model with 0 for both.")
        if record.mimic and record.mimic.joint not in taken:
            raise ModelError(f"Joint {record.name!r} mimics {record.mimic.joint!r}, which is not a joint of the model.")
    return records


def _text(model, records, name, transmissions, base_inertia):
    """The file's text, by the parser library's own writer."""
    try:
        from lxml import etree
        from urdf_parser_py import urdf
    except ImportError:
        raise ImportError("Writing URDF needs a parser library: pip install 'rbdlib[io]'.") from None
    robot = urdf.URDF(name)
    robot.add_link(urdf.Link("base", inertial=_inertial(urdf, base_inertia)))
    for i in model.bodies:
        robot.add_link(urdf.Link(model.names[i], inertial=_inertial(urdf, model.inertia[i])))
    for i in model.bodies:
        robot.add_joint(_joint(urdf, model, i, records[i]))
    try:
        root = robot.to_xml()
        root.extend(etree.fromstring(text) for text in transmissions)
    except (ValueError, etree.XMLSyntaxError) as error:
        raise ModelError(f"A name cannot be written to XML: {error}.") from None
    etree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + etree.tostring(root, encoding="unicode") + "\n"


def _inertial(urdf, I):
    if not np.any(I):
        return None
    m, c, I_C = mass_properties(I)
    moments = I_C[np.triu_indices(3)].tolist()
    return urdf.Inertial(float(m), urdf.Inertia(*moments), urdf.Pose(c.tolist(), [0.0, 0.0, 0.0]))


def _joint(urdf, model, i, record):
    def given(name, default):
        return default if getattr(record, name) is None else getattr(record, name)

    kind, axis = _type_and_axis(model, i, record)
    E, r = X_to_Er(model.X_tree[i])
    limit = dynamics = mimic = None
    if kind in ("revolute", "prismatic") or record.effort is not None:
        ends = {} if kind == "continuous" else {"lower": given("lower", -1e9), "upper": given("upper", 1e9)}
        limit = urdf.JointLimit(given("effort", 1e9), given("velocity", 1e9), **ends)
    if record.damping is not None or record.friction is not None:
        dynamics = urdf.JointDynamics(record.damping, record.friction)
    if record.mimic:
        mimic = urdf.JointMimic(record.mimic.joint, record.mimic.multiplier, record.mimic.offset)
    return urdf.Joint(record.name, model.names[model.parent[i]], model.names[i], kind, axis,
                      urdf.Pose(r.tolist(), _roll_pitch_yaw(E)), limit, dynamics, mimic=mimic)


def _type_and_axis(model, i, record):
    """The URDF type of joint i and its axis in link coordinates, or None; ModelError if URDF has no such joint."""
    joint, sign = model.joints[i], 1.0
    if isinstance(joint, Reversed) and isinstance(joint.joint, (Revolute, Prismatic)):
        joint, sign = joint.joint, -1.0
    if isinstance(joint, Prismatic):
        return "prismatic", (sign * joint.direction).tolist()
    if isinstance(joint, Revolute):
        limited = record.lower is not None or record.upper is not None
        return "revolute" if limited else "continuous", (sign * joint.direction).tolist()
    if isinstance(joint, Fixed):
        return "fixed", None
    if isinstance(joint, FreeMotion) and joint.translation == "F_p":
        return "floating", None
    if isinstance(joint, Planar) and joint.translation == "F_p":
        return "planar", [0.0, 0.0, 1.0]
    raise ModelError(f"Joint {i} ({record.name}) is a {joint} joint, which URDF does not have. It has revolute, "
                     f"prismatic, fixed, free (FreeMotion('F_p')) and planar (Planar('F_p')) joints.")


def _roll_pitch_yaw(E):
    """The angles of turns about the fixed x, y and z axes, in this order, that turn the axes as E says.

    Taking the yaw away first keeps every digit near a pitch of a right angle, where roll and yaw are not unique.
    """
    R = as_floats(E).T
    yaw = np.arctan2(R[1, 0], R[0, 0])
    c, s = np.cos(yaw), np.sin(yaw)
    M = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ R
    return [float(np.arctan2(-M[1, 2], M[1, 1])), float(np.arctan2(-M[2, 0], M[0, 0])), float(yaw)]
