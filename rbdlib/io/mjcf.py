"""MJCF in: robots as MuJoCo describes them."""

from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, inverse_transform, transform_inertia, xlt
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Prismatic, Revolute, Spherical
from rbdlib.io.mechanism import Draft, DraftJoint, JointRecord, read
from rbdlib.io.mjcf_geometry import ORIENTATIONS, geom_inertia, mesh_of, pose, principal_axes
from rbdlib.io.safe_xml import read_xml, with_includes
from rbdlib.methods.inertia_parameters import mass_properties, spatial_inertia
from rbdlib.numbers.orientation import euler_parameters_from_rotation
from rbdlib.numbers.scalars import eye

#: Parts of a file that are of no consequence for the motion of a mechanism in free space.
SILENT = ("asset", "visual", "statistic", "size", "sensor", "custom", "site", "camera", "light")
WORLD = "world"
SECTIONS = ("compiler", "option", "default", "worldbody")
#: Elements that would put bodies, or a whole file, where they stand; leaving them out would give another robot.
REFUSED = ("attach", "replicate", "composite", "flexcomp", "model")
#: The settings of <compiler> that decide what numbers mean, as MuJoCo has them by default.
COMPILER: dict = {
    "eulerseq": "xyz", "autolimits": "true", "inertiafromgeom": "auto", "inertiagrouprange": (0, 5),
    "settotalmass": -1.0, "boundmass": 0.0, "boundinertia": 0.0, "balanceinertia": "false", "assetdir": "",
    "meshdir": None, "strippath": "false"}
#: Actuators, which share their defaults whatever they are called.
ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion")
#: The attributes of <compiler> that are masses and moments of inertia.
MASSES = ("settotalmass", "boundmass", "boundinertia")
JOINT = ("name", "class", "type", "pos", "axis", "range", "limited", "damping", "stiffness", "springref", "ref",
         "armature", "frictionloss")
QUIET = {
    "body": ("name", "childclass", "pos", *ORIENTATIONS, "user", "sleep"),
    "joint": (*JOINT, "group", "user", "margin", "solreflimit", "solimplimit", "solreffriction", "solimpfriction",
              "actuatorfrclimited"),
    "freejoint": ("name", "group"),
    "compiler": (*COMPILER, "angle", "coordinate", "texturedir", "usethread", "discardvisual",
                 "convexhull", "exactmeshinertia", "fitaabb", "saveinertial"),
    "option": ("gravity", "timestep", "iterations", "ls_iterations", "tolerance", "ls_tolerance", "solver", "cone",
               "jacobian", "impratio", "noslip_iterations", "noslip_tolerance", "ccd_iterations", "ccd_tolerance",
               "sdf_iterations", "sdf_initpoints", "integrator", "mpr_iterations", "mpr_tolerance"),
}


def load_mjcf(path, lump_fixed=False, impossible_inertia="refuse"):
    """The `Model` of the bodies in an MJCF file; see `read_mjcf`, which keeps more.

    Warns (`IgnoredWarning`) of limits and reference positions, which have no effect in it, of the damping, friction,
    springs and armatures of joints of several freedoms, and of what `read_mjcf` would warn of.
    """
    return read(path, partial(_robot, lump_fixed, impossible_inertia), SILENT, "read_mjcf").model


def read_mjcf(path, lump_fixed=False, impossible_inertia="refuse"):
    """The `Robot` in an MJCF file: its model, and what the file says beyond it.

    Read are bodies with hinge, slide, ball and free joints, or none (a Fixed joint, or with lump_fixed=True one body
    with the parent); frames; included files; <inertial>, and the inertia that follows from spheres, capsules,
    cylinders, ellipsoids, boxes and meshes (STL or OBJ files, see `rbdlib.io.mesh`); default classes; gravity; the
    compiler's angle, eulerseq, autolimits, inertiafromgeom, and what it does to masses and moments; armature and
    damping of actuators. A body with several joints becomes a chain of massless bodies that ends with it.
    impossible_inertia: as in `read_urdf`.

    The position q is MuJoCo's qpos less the joints' `reference`, with the Euler parameters of a free joint before its
    position, which like MuJoCo's is in world coordinates; velocities of a free joint are in body coordinates, MuJoCo's
    linear ones in world axes. Damping, dry friction (made smooth), springs, limits and armatures of hinges and slides
    are in the model's characters, as for `read_urdf`. `Robot.q0` is the position in which the file shows the robot.

    Raises ModelError naming the file, the line and the element: for what is no MJCF, replicated and attached parts,
    coordinate="global", inertias of shells of simple shapes. Warns (`IgnoredWarning`) of elements
    and attributes that may matter for the motion and have no place in the result, such as tendons, equality
    constraints and actuators.
    """
    return read(path, partial(_robot, lump_fixed, impossible_inertia), SILENT)


def _robot(lump_fixed, impossible_inertia, path):
    reader = _Reader(with_includes(read_xml(path, "mujoco"), path), Path(path).parent)
    return reader.draft.robot(False, lump_fixed, impossible_inertia, reader.gravity), reader.draft


class _Reader:
    """Walks through a file; `draft` and `gravity` are what it finds."""

    def __init__(self, root, folder):
        self.draft = Draft(root.attributes.get("model", "robot"), WORLD, {WORLD: np.zeros((6, 6))}, {WORLD: root})
        self.ignored = self.draft.ignored
        self.compiler = _compiler(root, self)
        self.gravity = np.array([0, 0, -9.81])
        for option in root.all("option"):
            self.note(option, "option", "")
            self.gravity = option.numbers("gravity", 3, self.gravity)
            for name, value in (item for flag in option.all("flag") for item in flag.attributes.items()):
                if name == "gravity" and value == "disable":
                    self.gravity = np.zeros(3)
                else:
                    self.ignored["flag"].append(name)
        self.defaults, self.joint_names = {"main": {}}, set()
        for element in root.all("default"):
            self._default(element, None)
        directory = self.compiler.assetdir if self.compiler.meshdir is None else self.compiler.meshdir
        self.folder, self.mesh_elements, self.meshes = folder / directory, self._meshes(root), {}
        self.taken = {part.attributes.get("name") for world in root.all("worldbody") for part in world.walk()
                      if part.tag == "body"}
        for section in root.children:
            if section.tag in REFUSED:
                raise section.error("it is not read; write out what it stands for.")
            if section.tag not in SECTIONS:
                self.ignored[section.tag] += [entry.attributes.get("name", "") for entry in section.children]
        for world in root.all("worldbody"):
            self.branches(world, WORLD, eye(6), None)
        self._actuators(root)
        if self.compiler.settotalmass > 0:
            total = sum(I[5, 5] for I in self.draft.links.values())
            for link, I in self.draft.links.items():
                self.draft.links[link] = I * (self.compiler.settotalmass / (total or 1))

    def _meshes(self, root):
        """The <mesh> elements by name, which without a name of their own is that of their file."""
        meshes = {}
        for element in (mesh for asset in root.all("asset") for mesh in asset.all("mesh")):
            self.with_defaults(element)
            file = element.attributes.get("file", "")
            if file and self.compiler.strippath == "true":
                element.attributes["file"] = Path(file).name
            meshes[element.attributes.get("name", Path(file).stem)] = element
        return meshes

    def mesh(self, geom):
        """Volume, centre and second moments of the mesh of a geom."""
        name = geom.attributes["mesh"]
        if name not in self.mesh_elements:
            raise geom.error(f"there is no mesh {name!r} among the assets.")
        if name not in self.meshes:
            self.meshes[name] = mesh_of(self.mesh_elements[name], self.folder)
        return self.meshes[name]

    def _actuators(self, root):
        """Add the rotors and the damping of actuators to their joints; what else actuators do is not read."""
        for element in (actuator for section in root.all("actuator") for actuator in section.children):
            name = self.with_defaults(element, tags=ACTUATORS).attributes.get("joint")
            gear, armature = float(element.numbers("gear", default=(1,))[0]), element.number("armature", 0.0)
            damping = self._damping(element, element.attributes.get("name", name))
            for k, joint in enumerate(self.draft.joints):
                if joint.record.name == name:
                    record = joint.record._replace(
                        damping=(joint.record.damping or 0) + gear**2 * damping or None,
                        armature=(joint.record.armature or 0) + gear**2 * armature or None)
                    self.draft.joints[k] = joint._replace(record=record)

    def _damping(self, element, place):
        """Damping per velocity; further numbers belong to its higher powers."""
        first, *others = element.numbers("damping", default=(0,))
        if any(others):
            self.ignored["damping by higher powers of the velocity"].append(place)
        return float(first)

    def _default(self, element, outer):
        """Store the classes: {class: {tag: attributes}}, each with what the class around it says."""
        name = element.attributes.get("class", "main" if outer is None else None)
        if name is None or (outer is not None and name in self.defaults):
            raise element.error("give every default class a name of its own.")
        settings = {tag: dict(values) for tag, values in self.defaults[outer or "main"].items()}
        self.defaults[name] = settings
        if outer is None:
            self.defaults["main"] = settings
        for child in element.children:
            if child.tag != "default":
                settings[child.tag] = {**settings.get(child.tag, {}), **child.attributes}
        for child in element.all("default"):
            self._default(child, name)

    def note(self, element, kind, place):
        """Remember the attributes of an element that are not understood."""
        for name in element.attributes:
            if name not in QUIET[kind]:
                self.ignored[f"attribute {name} of <{kind}>"].append(place)

    def branches(self, element, parent, X, childclass):
        """The bodies in an element, which is a body, a frame or the world; X leads from the parent's frame to it."""
        childclass = element.attributes.get("childclass", childclass)
        for child in element.children:
            if child.tag in REFUSED:
                raise child.error("it is not read; write out what it stands for.")
            if child.tag == "body":
                self.body(child, parent, pose(child, self.compiler) @ X, childclass)
            elif child.tag == "frame":
                self.branches(child, parent, pose(child, self.compiler) @ X, childclass)
            elif child.tag not in ("joint", "freejoint", "inertial", "geom"):
                self.ignored[child.tag].append(child.attributes.get("name", parent))

    def body(self, element, parent, X, childclass):
        """Add a body, its joints and the bodies that hang on it. X leads from the parent's frame to the body's."""
        free = (f"body {k}" for k in count(1) if f"body {k}" not in self.taken)
        name = element.attributes.get("name") or next(free)
        self.taken.add(name)
        if name in self.draft.links:
            raise element.error("another body has this name; give every body its own.")
        inner = element.attributes.get("childclass", childclass)
        self.note(element, "body", name)
        self.draft.links[name], self.draft.lines[name] = self.bounded(self.inertia(element, inner)), element
        joints = list(self.parts(element, ("joint", "freejoint"), inner))
        if not joints:
            self.draft.joints.append(DraftJoint(parent, name, Fixed(), X, eye(6), JointRecord(f"{name} weld", "weld")))
        for k, (joint, X_joint) in enumerate(joints):
            last = k == len(joints) - 1
            record = self.record(joint, f"{name} joint {k + 1}" if len(joints) > 1 else f"{name} joint")
            link = name if last else f"{name}:{record.name}"
            if not last:
                self.draft.links[link], self.draft.lines[link] = np.zeros((6, 6)), element
            self.joint(joint, record, parent, link, X, X_joint, len(joints))
            parent, X = link, eye(6)
        self.branches(element, name, eye(6), childclass)

    def with_defaults(self, element, childclass=None, tags=()):
        """Complete the element's attributes by those of its class; tags: those that share defaults with it."""
        name = element.attributes.get("class", childclass or "main")
        if name not in self.defaults:
            raise element.error(f"there is no default class {name!r}.")
        for tag in tags or [element.tag]:
            element.attributes = {**self.defaults[name].get(tag, {}), **element.attributes}
        return element

    def parts(self, element, tags, childclass, X=None):
        """The joints or geoms of a body, also in frames, with defaults, and X from body to surrounding frame."""
        X = eye(6) if X is None else X
        for child in element.children:
            if child.tag in tags:
                yield self.with_defaults(child, childclass), X
            elif child.tag == "frame":
                yield from self.parts(child, tags, child.attributes.get("childclass", childclass),
                                      pose(child, self.compiler) @ X)

    def joint(self, element, record, parent, link, X, X_joint, count):
        """Add one joint; X leads from the parent's frame to the body's own, X_joint from the body's to a frame's."""
        E, r = X_to_Er(X_joint)
        X_anchor = xlt(r + E.T @ element.numbers("pos", 3, (0, 0, 0)))
        axis = E.T @ element.numbers("axis", 3, (0, 0, 1))
        if record.type in ("hinge", "slide") and not axis.any():
            raise element.error("axis is zero; it must have a direction.")
        if record.type == "free":
            if parent != WORLD or count > 1:
                raise element.error("a free joint must be the only joint of a body in the world.")
            E, r = X_to_Er(X)
            q0 = np.concatenate([euler_parameters_from_rotation(E), r])
            self.draft.joints.append(DraftJoint(parent, link, FreeMotion(), eye(6), eye(6), record, q0))
            return
        made = Spherical() if record.type == "ball" else {"hinge": Revolute, "slide": Prismatic}[record.type](axis)
        self.draft.joints.append(DraftJoint(parent, link, made, X_anchor @ X, X_anchor, record))

    def record(self, element, default_name):
        """Record of a joint in the file, with angles in radians."""
        kind = "free" if element.tag == "freejoint" else element.choice(
            "type", ("hinge", "slide", "ball", "free"), "hinge")
        name = element.attributes.get("name", default_name)
        if name in self.joint_names:
            raise element.error(f"another joint has the name {name!r}; give every joint its own.")
        self.joint_names.add(name)
        self.note(element, element.tag, name)
        unit = self.compiler.radians if kind in ("hinge", "ball") else 1.0
        said = {key: element.number(attribute) or None for key, attribute in (
            ("stiffness", "stiffness"), ("armature", "armature"), ("friction", "frictionloss"))}
        said["damping"] = self._damping(element, name) or None
        if kind in ("hinge", "slide"):
            ref, rest = (unit * element.number(attribute, 0.0) for attribute in ("ref", "springref"))
            said |= {"reference": ref or None, "spring_reference": rest - ref if said["stiffness"] else None}
        limits, limited = element.numbers("range", 2), element.choice("limited", ("true", "false", "auto"), "auto")
        limited = self.compiler.autolimits if limited == "auto" else limited
        if limited == "true" and limits is not None and kind != "free":
            lower, upper = unit * limits - (said.get("reference") or 0.0)
            said |= {"lower": float(lower), "upper": float(upper)}
        return JointRecord(name, kind, **said)

    def inertia(self, element, childclass):
        """The spatial inertia of a body in its own frame: what <inertial> says, or what its geoms make."""
        own, source, I = element.all("inertial"), self.compiler.inertiafromgeom, np.zeros((6, 6))
        if source == "true" or (source == "auto" and not own):
            for geom, X in self.parts(element, ("geom",), childclass):
                I = I + transform_inertia(inverse_transform(X), geom_inertia(geom, self.compiler, self.mesh))
        if not own or I.any():
            return I
        m, c = own[0].number("mass"), own[0].numbers("pos", 3)
        if m is None or c is None:
            raise own[0].error("give its mass and its pos.")
        R = principal_axes(own[0], self.compiler)
        diagonal, full = own[0].numbers("diaginertia", 3), own[0].numbers("fullinertia", 6)
        if (diagonal is None) == (full is None):
            raise own[0].error("give either diaginertia or fullinertia.")
        if full is None:
            return spatial_inertia(m, c, R @ np.diag(diagonal) @ R.T)
        if any(name in own[0].attributes for name in ORIENTATIONS):
            raise own[0].error("fullinertia is in body axes; remove its orientation.")
        xx, yy, zz, xy, xz, yz = full
        return spatial_inertia(m, c, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))

    def bounded(self, I):
        """An inertia within the compiler's bounds, its principal moments equal where no body has them, if asked."""
        compiler, (m, c, I_C) = self.compiler, mass_properties(I)
        if not compiler.boundmass and not compiler.boundinertia and compiler.balanceinertia != "true":
            return I
        moments, axes = np.linalg.eigh(I_C)
        moments = np.maximum(moments, compiler.boundinertia)
        if compiler.balanceinertia == "true" and moments[0] + moments[1] < moments[2]:
            moments[:] = moments.mean()
        return spatial_inertia(max(m, compiler.boundmass), c, axes @ np.diag(moments) @ axes.T)


def _compiler(root, reader):
    settings = {"radians": np.pi / 180, **COMPILER}             # radians: the size of the file's unit of angle
    for element in root.all("compiler"):
        reader.note(element, "compiler", "")
        element.choice("angle", ("degree", "radian"), "degree")
        element.choice("autolimits", ("true", "false"), "true")
        element.choice("inertiafromgeom", ("true", "false", "auto"), "auto")
        element.choice("balanceinertia", ("true", "false"), "false")
        if element.choice("coordinate", ("local", "global"), "local") == "global":
            raise element.error("coordinate='global' is not read; save the model with local coordinates.")
        sequence = element.attributes.get("eulerseq", "xyz")
        if len(sequence) != 3 or set(sequence.lower()) - set("xyz"):
            raise element.error(f"eulerseq is {sequence!r}; give three of the letters x, y, z, X, Y, Z.")
        settings |= {name: element.attributes[name] for name in COMPILER if name in element.attributes}
        if "angle" in element.attributes:
            settings["radians"] = 1.0 if element.attributes["angle"] == "radian" else np.pi / 180
        if "inertiagrouprange" in element.attributes:
            settings["inertiagrouprange"] = tuple(element.numbers("inertiagrouprange", 2, (0, 5)))
        settings |= {name: element.number(name) for name in MASSES if name in element.attributes}
        for child in element.children:
            reader.ignored[child.tag].append("compiler")
    return SimpleNamespace(**settings)
