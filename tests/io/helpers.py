"""What the tests of robot files share: the files, variants of them, and poses of links."""

import struct
import warnings
from pathlib import Path

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.io import IgnoredWarning

DATA = Path(__file__).parent / "data"

LINK = ('<link name="{}"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1.2" iyz="0" izz="0.9"/></inertial></link>')
JOINT = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/>{4}</joint>'


def quietly(function, *arguments, **options):
    """The result of a reader whose warnings about ignored things are not what the test is about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredWarning)
        return function(*arguments, **options)


def write(folder, text, name="robot.urdf"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def variant(folder, name, old, new):
    """A file of tests/io/data with one piece of its text replaced."""
    text = (DATA / name).read_text(encoding="utf-8")
    assert old in text, f"the example no longer fits {name}"
    return write(folder, text.replace(old, new, 1), name)


def urdf(*parts):
    return '<robot name="r">' + "".join(parts) + "</robot>"


def mjcf(world, head='<compiler angle="radian"/>'):
    return f"<mujoco>{head}<worldbody>{world}</worldbody></mujoco>"


def link_poses(robot, q):
    """{link: (R, p)}: axes (columns of R) and origin of every link of the file in base coordinates."""
    X = body_transforms(robot.model, q)
    poses = {}
    for name, frame in robot.frames.items():
        E, r = X_to_Er(frame.X @ X[frame.body])
        poses[name] = E.T, r
    return poses


def fixed_axes(roll, pitch, yaw):
    """The matrix that turns by roll about x, then by pitch about y, then by yaw about z, the axes standing still."""
    def about(k, angle):
        i, j = (k + 1) % 3, (k + 2) % 3
        R = np.eye(3)
        R[i, i] = R[j, j] = np.cos(angle)
        R[j, i], R[i, j] = np.sin(angle), -np.sin(angle)
        return R

    return about(2, yaw) @ about(1, pitch) @ about(0, roll)


#: An L, 0.5 m thick: its outline, and the two quadrilaterals into which it can be cut.
OUTLINE, HALVES = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)], [(0, 1, 2, 3), (0, 3, 4, 5)]
FACES = [*(half[::-1] for half in HALVES), *([k + 6 for k in half] for half in HALVES),
         *((k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6) for k in range(6))]
CORNERS = np.array([(x, y, z) for z in (0, 0.5) for x, y in OUTLINE])
TRIANGLES = np.array([CORNERS[[face[0], *pair]] for face in FACES for pair in zip(face[1:], face[2:], strict=False)])


def write_meshes(folder):
    """The L in every format that is read; returns the folder."""
    lines = [f"v {x} {y} {z}\n" for x, y, z in CORNERS]
    lines += [f"f {' '.join(f'{k + 1}/1/{k + 1}' for k in face)}\n" for face in FACES]
    write(folder, "".join(lines), "l.obj")
    backwards = [f"f {' '.join(str(k - 12) for k in face)}\n" for face in FACES]        # from the last vertex so far
    write(folder, "".join(lines[:12] + backwards) + "v 9 9 9\n", "back.obj")
    facets = b"".join(struct.pack("<12fH", 0, 0, 0, *triangle.ravel(), 0) for triangle in TRIANGLES)
    (folder / "l.stl").write_bytes(bytes(80) + struct.pack("<I", len(TRIANGLES)) + facets)
    write(folder, "solid\n" + "\n".join(f" vertex {x} {y} {z}" for x, y, z in TRIANGLES.reshape(-1, 3)), "text.STL")
    return folder
