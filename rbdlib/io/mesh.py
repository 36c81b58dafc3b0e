"""Meshes of triangles: STL and OBJ files, and the mass, centre and inertia of what they enclose."""

import re
from pathlib import Path

import numpy as np

from rbdlib.book.ch04_model import ModelError
from rbdlib.numbers.validation import one_of

MAX_BYTES = 64 * 2**20
INERTIAS = ("legacy", "exact", "convex", "shell")
#: One triangle of a binary STL file: its normal, its corners, and two bytes that mean nothing.
FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])


def read_mesh(path):
    """The triangles (k x 3 x 3: triangle, corner, coordinates) of an STL or OBJ file, in the file's own unit of length.

    Faces of OBJ files with more than three corners are cut into triangles that share the first. Raises ModelError
    (a ValueError) naming the file, for what cannot be read, for other formats, and for files of more than 64 MiB.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES} bytes, which are not read")
        if path.suffix.lower() not in (".stl", ".obj"):
            raise ValueError("its format is not read; convert it to STL or OBJ, or give the body an inertia")
        triangles = _obj(data) if path.suffix.lower() == ".obj" else _stl(data)
    except (OSError, ValueError, IndexError) as error:
        why = getattr(error, "strerror", None) or error
        raise ModelError(f"the mesh {path.name!r} cannot be read: {why}.") from None
    if not len(triangles) or not np.isfinite(triangles).all():
        raise ModelError(f"the mesh {path.name!r} holds no triangles, or coordinates that are not finite.")
    return triangles


def _stl(data):
    count = int.from_bytes(data[80:84], "little")
    if len(data) == 84 + FACET.itemsize * count:
        return np.frombuffer(data, FACET, count, 84)["corners"].astype(float)
    corners = re.findall(rb"^\s*vertex\s+(\S+)\s+(\S+)\s+(\S+)", data, re.MULTILINE)
    return np.array(corners, dtype=float).reshape(-1, 3, 3)


def _obj(data):
    vertices: list = []
    triangles: list = []
    for words in (line.split() for line in data.decode("utf-8", "replace").splitlines()):
        if words[:1] == ["v"]:
            vertices.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            numbers = [int(word.split("/")[0]) for word in words[1:]]                   # -1 is the last vertex so far
            a, *others = (k - 1 if k > 0 else len(vertices) + k for k in numbers)
            triangles += [(a, b, c) for b, c in zip(others, others[1:], strict=False)]
    corners = np.array(triangles, dtype=int).reshape(-1, 3)
    if corners.size and not 0 <= corners.min() <= corners.max() < len(vertices):
        raise ValueError(f"a face has a corner that is none of the {len(vertices)} vertices")
    return np.array(vertices, dtype=float).reshape(-1, 3)[corners]


def mesh_properties(triangles, inertia="exact"):
    """Volume, centre (3) and second moments S (3 x 3) of what a mesh encloses, in the mesh's coordinates.

    triangles (k x 3 x 3): corners, counter-clockwise seen from outside. S is the sum of x xᵀ over the volume, x being
    seen from the centre: a body of density rho has the rotational inertia rho (tr(S) 1 - S) about it. inertia:
        "exact"    tetrahedra between a point and the triangles, counted with their signs; for closed surfaces.
        "legacy"   the same without signs, as MuJoCo does by default: too much where the mesh is not convex.
        "convex"   the convex hull of the corners.
        "shell"    triangles of unit mass per area; volume is then the area.
    Raises ValueError for another shape or inertia, and where the volume, or the area of a shell, is not positive.
    """
    triangles = np.asarray(triangles, dtype=float)
    if triangles.ndim != 3 or triangles.shape[1:] != (3, 3):
        raise ValueError(f"triangles has shape {triangles.shape}; give (k, 3, 3), such as `read_mesh` returns.")
    one_of(INERTIAS, inertia, "inertia")
    if inertia == "convex":
        from scipy.spatial import ConvexHull, QhullError  # rbdlib starts without SciPy
        try:
            hull = ConvexHull(triangles.reshape(-1, 3))
        except QhullError:
            raise ValueError("The mesh is flat, so that its convex hull has no volume.") from None
        triangles = hull.points[hull.simplices]
    areas = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1) / 2
    middle = areas @ triangles.mean(axis=1) / (areas.sum() or 1)
    corners = triangles - middle
    if inertia == "shell":
        area, _, second = _moments(corners, areas, 3)
        return area, middle, second
    if inertia == "exact":
        volume, offset, second = _moments(corners, _volumes(corners))
        return volume, middle + offset, second - volume * np.outer(offset, offset)
    centre = middle + _moments(corners, np.abs(_volumes(corners)))[1]
    volume, _, second = _moments(triangles - centre, np.abs(_volumes(triangles - centre)))
    return volume, centre, second


def _volumes(triangles):
    """The volumes of the tetrahedra from the origin to triangles, negative where it is in front of the triangle."""
    return np.linalg.det(triangles) / 6


def _moments(triangles, sizes, n=4):
    """Size, centre and second moments about the origin of tetrahedra from there (n = 4), or of the triangles (n = 3).

    Over a simplex of n corners x_i with the sum s the mean of x is s / n, that of x xᵀ
    (sum of x_i x_iᵀ + s sᵀ) / n (n + 1).
    """
    size, s = sizes.sum(), triangles.sum(axis=1)
    if not size > 0:
        raise ValueError("The triangles of the mesh have no area." if n == 3 else
                         f"The volume of the mesh is {size:.3g}: its surface is not closed, or its triangles are "
                         "clockwise seen from outside. inertia='convex' takes its convex hull.")
    second = np.einsum("k,kia,kib->ab", sizes, triangles, triangles) + np.einsum("k,ka,kb->ab", sizes, s, s)
    return size, sizes @ s / (n * size), second / (n * (n + 1))
