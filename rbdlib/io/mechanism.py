"""Content of a robot file, before and after it becomes a `Model`: links and joints in, model and records out.

A *link* is a body as the file names it, with its own frame; where fixed joints are lumped, several links make one body.
"""

import warnings
from collections import defaultdict, namedtuple
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rbdlib.book.ch02_spatial import inverse_transform, transform_inertia
from rbdlib.book.ch04_joints import Fixed, FreeMotion
from rbdlib.book.ch04_model import ModelError
from rbdlib.methods.connectivity import build_model
from rbdlib.methods.equivalence import with_inertias
from rbdlib.methods.geared_trees import Gear, GearedTree
from rbdlib.methods.inertia_parameters import mass_properties, spatial_inertia
from rbdlib.methods.joint_character import Character
from rbdlib.numbers.validation import mass, one_of, rigid_body_inertia

MAX_LINKS = 1000
NAMED = 6


class IgnoredWarning(UserWarning):
    """A file says something about the motion that the result of reading it does not hold."""


class Mimic(namedtuple("Mimic", "joint multiplier offset", defaults=(1.0, 0.0))):
    """The joint's q is to be multiplier times that of another joint (by name), plus offset (rad or m)."""


class JointRecord(namedtuple(
        "JointRecord", "name type body lower upper velocity effort damping friction stiffness spring_reference "
        "armature reference mimic", defaults=(None, None, None, None, None, None, None, None, None, None, None, None))):
    """Record of one joint in a file, in SI units; None where the file is silent.

    A `Model` holds body and type and, of a joint of one freedom, its `Character`.

    name, type: as in the file.  body: the number of the joint and its body in the model, None for a lumped one.
    lower, upper: limits of q.  velocity, effort: their largest magnitudes.  damping, friction: force per velocity, and
    dry friction.  stiffness, spring_reference: of a spring at the joint, and the q at which it is at rest.  armature:
    inertia of the motor that adds to the joint's place on the diagonal of H.  reference: the joint's variable in the
    file's own software is q plus this.  mimic: the `Mimic` that ties it to another joint.
    """


#: The parts of a JointRecord that a `Character` holds, by their names there.
IN_A_CHARACTER = {"damping": "damping", "friction": "friction", "stiffness": "stiffness", "rest": "spring_reference",
                  "lower": "lower", "upper": "upper", "armature": "armature"}
#: The parts of a JointRecord that have no effect in a Model, as messages call them.
NOT_IN_A_MODEL = {
    "limits": ("lower", "upper", "velocity", "effort"), "damping": ("damping",), "friction": ("friction",),
    "springs": ("stiffness", "spring_reference"), "armature": ("armature",), "reference positions": ("reference",),
    "mimic": ("mimic",),
}
#: Those that do have an effect where the joint has a `Character`.
WITH_CHARACTER = ("damping", "friction", "springs", "armature")


def character_of(record):
    """The `Character` of the joint of one freedom that a record describes; None where the record is silent of it.

    Limits become end stops without stiffness, which no file says: they have no effect until they are given one.
    """
    said = {name: getattr(record, its) for name, its in IN_A_CHARACTER.items() if getattr(record, its) is not None}
    try:
        return Character(**said) if said else None
    except ModelError as error:
        raise ModelError(f"Joint {record.name!r}: {error}") from None


def with_character(record, character):
    """The record of a joint of one freedom, in which what its character says stands for what was there."""
    character = character or Character()
    said = {its: getattr(character, name) for name, its in IN_A_CHARACTER.items()}
    return record._replace(**{its: value if value or getattr(record, its) is not None else None
                              for its, value in said.items()})


class Frame(namedtuple("Frame", "body X")):
    """Where a link is: X (6 x 6) leads from the coordinates of body number `body` of the model to the link's own."""


class Robot(namedtuple("Robot", "model name joints frames base_inertia q0 transmissions ignored", defaults=((), ()))):
    """A robot file, read: the model, and what the file says beyond it.

    model: the `Model`.  name: the robot's name.  joints: a `JointRecord` for each joint of the file, by name.
    frames: the `Frame` of each link of the file, by name (in the model itself the base is called 'base').
    base_inertia: 6 x 6, of what is fixed to the base, in the base's coordinates; it has no influence on the motion.
    q0: the position (length nq) in which the file shows the robot.  transmissions: those of a URDF file, as XML text.
    ignored: what else the file holds, one phrase for each kind of thing.
    """

    def joint_of(self, i):
        """The `JointRecord` of joint i of the model; None for a floating base that was asked for, not in the file."""
        return next((joint for joint in self.joints.values() if joint.body == i), None)

    def geared(self):
        """The `GearedTree` of the model in which mimic joints move as they are to; their drives are ideal gears.

        A joint that mimics a mimic follows the joint at the end of the chain. Raises ModelError for mimics in a circle
        or of joints that the model has not, or not with one freedom.
        """
        gears = []
        for joint in (joint for joint in self.joints.values() if joint.mimic):
            leader, ratio, offset, met = joint, 1.0, 0.0, set()
            while leader.mimic and leader.name not in met:
                met.add(leader.name)
                ratio, offset = ratio * leader.mimic.multiplier, offset + ratio * leader.mimic.offset
                leader = self.joints.get(leader.mimic.joint, leader)
            ends = joint.body, leader.body
            if leader.name in met or any(i is None or self.model.joints[i].nv != 1 for i in ends):
                raise ModelError(f"Joint {joint.name!r} cannot mimic {joint.mimic.joint!r}: both must be joints of one "
                                 "freedom of the model, and no joint may follow itself.")
            gears.append(Gear(joint.body, {leader.body: ratio}, offset))
        return GearedTree(self.model, gears)

    def not_in_model(self):
        """List of what the records hold and the model does not, or not with effect; a phrase for each kind of thing."""
        found = defaultdict(list)
        for joint in self.joints.values():
            held = WITH_CHARACTER if joint.body is not None and self.model.characters[joint.body] else ()
            for what, names in NOT_IN_A_MODEL.items():
                if what not in held and any(getattr(joint, name) is not None for name in names):
                    found[what].append(joint.name)
        phrases = [phrase(what, names) for what, names in found.items()]
        return phrases + ([f"transmissions ({len(self.transmissions)})"] if self.transmissions else [])


def phrase(what, names):
    """A kind of thing and where it is found: 'damping (elbow, wrist)'."""
    names = [name for name in dict.fromkeys(names) if name]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{what} ({', '.join(names[:NAMED])}{more})" if names else what


def read(path, robot_of, silent, reader=None):
    """The `Robot` that robot_of(path) returns, with its `Draft`; errors name the file.

    Warns of what was ignored, but for the silent kinds of things, and, if reader is given, of what the model does not
    hold.
    """
    file = Path(path).name
    try:
        robot, draft = robot_of(path)
    except (ModelError, ValueError) as error:
        raise ModelError(f"{file}: {error}") from None
    matters = [phrase(what, names) for what, names in draft.ignored.items() if what not in silent]
    lost = robot.not_in_model() if reader else []
    sentences = [f"Ignored: {'; '.join(matters)}."] if matters else []
    sentences += [f"Without effect in the Model, but kept by {reader}: {'; '.join(lost)}."] if lost else []
    if sentences:
        warnings.warn(f"{file}: {' '.join(sentences)}", IgnoredWarning, stacklevel=3)
    return robot


class DraftJoint(namedtuple("DraftJoint", "parent child joint X_P X_S record q0", defaults=(None,))):
    """A joint between two links (names): X_P and X_S lead from their frames to the joint's frames F_p and F_s."""


@dataclass
class Draft:
    """Links and joints as a file gives them.

    root: name of the base link.  links: {name: 6 x 6 inertia in the link's frame}.  lines: {name: `Element`}.
    ignored: {kind of thing: [places]}, for everything that does not become part of the result.
    """

    name: str
    root: str
    links: dict
    lines: dict
    joints: list = field(default_factory=list)
    ignored: dict = field(default_factory=lambda: defaultdict(list))

    def robot(self, floating_base, lump_fixed, impossible_inertia, gravity, transmissions=()):
        """The `Robot`: joints depth-first, fixed ones lumped if asked, a free base if asked, inertias possible."""
        one_of(("refuse", "repair", "keep"), impossible_inertia, "impossible_inertia")
        if len(self.links) > MAX_LINKS:
            raise ModelError(f"The file has {len(self.links)} links; at most {MAX_LINKS} are read.")
        joints = self._depth_first()
        hosts, given, kept = _lumped(self, joints, lump_fixed)
        moving = {name: I for name, I in given.items() if floating_base or name != self.root}
        repaired = self._without_impossible_inertias(hosts, moving, impossible_inertia)
        hosts, inertias, joints = _lumped(self, joints, lump_fixed) if repaired else (hosts, given, kept)
        names = _body_names(self.root, [name for name in hosts if hosts[name][0] == name], floating_base)
        tree: dict = {f"joint {k}": (names[j.parent], names[j.child], j.joint, j.X_P, j.X_S)
                      for k, j in enumerate(joints)}
        if floating_base:
            tree = {"floating base": ("base", names[self.root], FreeMotion()), **tree}
        bodies = {names[link]: inertias[link] for link in names if names[link] != "base"}
        characters = {f"joint {k}": character_of(j.record) for k, j in enumerate(joints) if j.joint.nv == 1}
        model, numbering, body_frames = build_model(bodies, tree, "base", gravity, characters=characters)
        number = {name: i for i, name in enumerate(numbering.bodies)}
        if repaired and impossible_inertia == "keep":
            as_given = {number[names[link]]: I for link, I in given.items()}
            model = with_inertias(model, [transform_inertia(body_frames[i], as_given[i]) for i in model.bodies])
        frames = {link: Frame(number[names[host]], X @ inverse_transform(body_frames[number[names[host]]]))
                  for link, (host, X) in hosts.items()}
        placed = {j.record.name: number[names[j.child]] for j in joints}
        records = {j.record.name: j.record._replace(body=placed.get(j.record.name)) for j in self.joints}
        q0 = model.neutral()
        for j in (j for j in joints if j.q0 is not None):
            q0[model.q_slice(number[names[j.child]])] = j.q0
        base_inertia = np.zeros((6, 6)) if floating_base else inertias[self.root]
        ignored = tuple(phrase(what, names) for what, names in self.ignored.items())
        return Robot(model, self.name, records, frames, base_inertia, q0, transmissions, ignored)

    def _without_impossible_inertias(self, hosts, inertias, impossible_inertia):
        """Refuse or repair links that make a body's inertia impossible; true if any was repaired."""
        repaired, used = False, "as they are" if impossible_inertia == "keep" else "the nearest possible ones"
        for body, I in inertias.items():
            for link in (link for link in hosts if hosts[link][0] == body and _impossible(I)):
                if why := _impossible(self.links[link]):
                    if impossible_inertia == "refuse":
                        raise self.lines[link].error(f"{why} Correct the file, or read it with "
                                                     "impossible_inertia='repair' or 'keep'.")
                    self.links[link], repaired = _repaired(self.links[link]), True
                    self.ignored[f"rotational inertias that no body has (used: {used})"].append(link)
        return repaired

    def _depth_first(self):
        """The joints in the order in which they are met, each branch to its end before the next one begins."""
        outward = defaultdict(list)
        for joint in self.joints:
            outward[joint.parent].append(joint)
        met, waiting = [], outward[self.root][::-1]
        while waiting:
            met.append(waiting.pop())
            waiting += outward[met[-1].child][::-1]
        return met


def _lumped(draft, joints, lump):
    """The host (name, X from host to link) of each link, the hosts' inertias, and the joints between hosts."""
    hosts, inertias, kept = {draft.root: (draft.root, np.eye(6))}, {draft.root: draft.links[draft.root]}, []
    for joint in joints:
        host, X = hosts[joint.parent]
        if lump and isinstance(joint.joint, Fixed):
            X = joint.X_P @ X                               # X_S is 1 where a link is fixed to another
            hosts[joint.child] = host, X
            inertias[host] = inertias[host] + transform_inertia(inverse_transform(X), draft.links[joint.child])
        else:
            hosts[joint.child], inertias[joint.child] = (joint.child, np.eye(6)), draft.links[joint.child]
            kept.append(joint._replace(parent=host, X_P=joint.X_P @ X))
    return hosts, inertias, kept


def _body_names(root, links, floating_base):
    """The names in the model of the links that are bodies: 'base' is the base, and no other body may be called so."""
    names = {}
    for link in links:
        name = link
        while name == "base" or (name != link and name in links):
            name += "_link"
        names[link] = name
    if not floating_base:
        names[root] = "base"
    return names


def _impossible(I):
    """Why no rigid body has the spatial inertia I, or None."""
    try:
        rigid_body_inertia(I, "its inertia")
    except ValueError as error:
        return str(error)
    return None


def _repaired(I):
    """I with the nearest I_C for which (tr I_C / 2) 1 - I_C is not negative; ValueError for a negative mass."""
    m, c, I_C = mass_properties(I)
    mass(m, "its mass")
    moments, axes = np.linalg.eigh(np.trace(I_C) / 2 * np.eye(3) - I_C)
    Sigma = axes @ np.diag(np.maximum(moments, 0)) @ axes.T
    return spatial_inertia(m, c, np.trace(Sigma) * np.eye(3) - Sigma)
