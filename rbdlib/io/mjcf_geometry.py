"""Poses and shapes in MJCF: the ways of writing an orientation, and the inertias that geoms give their bodies."""

import numpy as np

from rbdlib.book.ch02_spatial import plucker, rx, ry, rz
from rbdlib.book.ch04_orientation import euler_parameters, rotation_from_euler_parameters
from rbdlib.io.mesh import INERTIAS, mesh_properties, read_mesh
from rbdlib.methods.inertia_parameters import spatial_inertia

ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
MASSLESS = ("plane", "hfield")
SHAPES = ("sphere", "capsule", "ellipsoid", "cylinder", "box")
#: Defaults of a mesh, where neither its element nor its class says otherwise.
MESH = {"inertia": "legacy", "scale": (1, 1, 1), "refpos": (0, 0, 0), "refquat": (1, 0, 0, 0)}
TURN = {"x": rx, "y": ry, "z": rz}


def pose(element, compiler):
    """X from the surrounding frame to that of an element with pos and an orientation."""
    return plucker(principal_axes(element, compiler).T, element.numbers("pos", 3, (0, 0, 0)))


def principal_axes(element, compiler):
    """The matrix whose columns are the element's axes, in the coordinates of the frame around it."""
    given = [name for name in ORIENTATIONS if name in element.attributes]
    if len(given) > 1:
        raise element.error(f"its orientation stands there twice, as {' and '.join(given)}; keep one.")
    if not given:
        return np.eye(3)
    if given[0] == "euler":
        R = np.eye(3)               # small letters turn about moving axes, capitals about fixed ones
        for letter, angle in zip(compiler.eulerseq, compiler.radians * element.numbers("euler", 3), strict=True):
            turn = TURN[letter.lower()](angle).T
            R = R @ turn if letter.islower() else turn @ R
        return R
    if given[0] == "xyaxes":
        values = element.numbers("xyaxes", 6)
        x, y = values[:3], values[3:]
        x = _unit(element, x, "xyaxes")
        y = _unit(element, y - x * (x @ y), "xyaxes")
        return np.array([x, y, np.cross(x, y)]).T
    if given[0] == "zaxis":
        return turned_z(_unit(element, element.numbers("zaxis", 3), "zaxis"))
    values = element.numbers(given[0], 4)
    if given[0] == "axisangle":
        axis = _unit(element, values[:3], "axisangle")
        values = euler_parameters(axis, compiler.radians * values[3])
    return rotation_from_euler_parameters(_unit(element, values, given[0])).T


def turned_z(z):
    """The matrix of the smallest turn that takes the z axis to the unit vector z; a half turn is about x."""
    axis = np.cross([0, 0, 1], z)
    sine = np.linalg.norm(axis)
    if sine < 1e-10:
        return np.eye(3) if z[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return rotation_from_euler_parameters(euler_parameters(axis / sine, float(np.arctan2(sine, z[2])))).T


def _unit(element, v, name):
    length = np.linalg.norm(v)
    if length < 1e-14:
        raise element.error(f"{name} has no direction: a vector in it is zero, or two are parallel.")
    return v / length


def mesh_of(element, folder):
    """Volume, centre and second moments of an asset <mesh>, scaled and placed as it says; folder: where files are."""
    if "vertex" in element.attributes:
        raise element.error("vertices in the file itself are not read; save the mesh as STL or OBJ.")
    if "file" not in element.attributes:
        raise element.error("it has no file; give the path of an STL or OBJ file.")
    R = rotation_from_euler_parameters(_unit(element, element.numbers("refquat", 4, MESH["refquat"]), "refquat"))
    refpos, scale = element.numbers("refpos", 3, MESH["refpos"]), element.numbers("scale", 3, MESH["scale"])
    try:
        triangles = (read_mesh(folder / element.attributes["file"]) - refpos) @ R.T * scale
        if np.prod(scale) < 0:
            triangles = triangles[:, ::-1]                      # a mirror turns triangles round
        return mesh_properties(triangles, element.choice("inertia", INERTIAS, MESH["inertia"]))
    except ValueError as error:
        raise element.error(str(error)) from None


def geom_inertia(geom, compiler, meshes):
    """The spatial inertia (6 x 6) of a geom in the frame around it; zero for what has no mass in MuJoCo either.

    meshes: function(geom) that finds volume, centre and second moments of the geom's mesh.
    """
    kind = geom.attributes.get("type", "sphere")
    low, high = compiler.inertiagrouprange
    given = geom.number("mass")
    outside = not low <= geom.number("group", 0) <= high
    if outside or kind in MASSLESS or given == 0 or (given is None and geom.number("density") == 0):
        return np.zeros((6, 6))
    shell, has_mesh = geom.choice("shellinertia", ("true", "false"), "false") == "true", "mesh" in geom.attributes
    if kind == "mesh" and has_mesh and not shell:
        (volume, centre, second), R = meshes(geom), principal_axes(geom, compiler)
        density = geom.number("density", 1000.0) if given is None else given / volume
        I_C = density * R @ (np.trace(second) * np.eye(3) - second) @ R.T
        return spatial_inertia(density * volume, geom.numbers("pos", 3, (0, 0, 0)) + R @ centre, I_C)
    if kind not in SHAPES or has_mesh or shell:
        what = " shell" if shell else " that is fitted to a mesh" if has_mesh else ""
        remedy = "say inertia='shell' in its <mesh>" if kind == "mesh" and shell else "give the body an <inertial>"
        raise geom.error(f"the inertia of a {kind} geom{what} is not worked out. Instead, {remedy}, or give the geom "
                         "mass='0'.")
    size = geom.numbers("size")
    needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}[kind]
    centre, R = geom.numbers("pos", 3, (0, 0, 0)), None
    if "fromto" in geom.attributes:
        if kind == "sphere":
            raise geom.error("a sphere has no fromto.")
        ends = geom.numbers("fromto", 6)
        axis = ends[:3] - ends[3:]
        centre, R, half = (ends[:3] + ends[3:]) / 2, turned_z(_unit(geom, axis, "fromto")), np.linalg.norm(axis) / 2
        width = [] if size is None else list(size[:1])
        size = np.array([*width, half] if needed == 2 else [*width, *width, half])
    if size is None or len(size) < needed or np.any(size[:needed] <= 0):
        raise geom.error(f"size must hold {needed} positive numbers for a {kind}.")
    volume, per_mass = _shape(kind, *size[:needed])
    m = geom.number("density", 1000.0) * volume if given is None else given
    R = principal_axes(geom, compiler) if R is None else R
    return spatial_inertia(m, centre, R @ np.diag(m * np.array(per_mass)) @ R.T)


def _shape(kind, a, b=0.0, c=0.0):
    """Volume, and principal moments of inertia per unit mass; sizes are radii and half lengths, as in MuJoCo."""
    if kind == "sphere":
        return 4 / 3 * np.pi * a**3, 3 * [2 / 5 * a**2]
    if kind == "ellipsoid":
        return 4 / 3 * np.pi * a * b * c, [(b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5]
    if kind == "box":
        return 8 * a * b * c, [(b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3]
    if kind == "cylinder":
        return 2 * np.pi * a * a * b, [a * a / 4 + b * b / 3, a * a / 4 + b * b / 3, a * a / 2]
    tube, ball = 2 * np.pi * a * a * b, 4 / 3 * np.pi * a**3
    across = tube * (a * a / 4 + b * b / 3) + ball * (2 / 5 * a * a + b * b + 3 / 4 * a * b)
    along = tube * a * a / 2 + ball * 2 / 5 * a * a
    return tube + ball, [across / (tube + ball), across / (tube + ball), along / (tube + ball)]
