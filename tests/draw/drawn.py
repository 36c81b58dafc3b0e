"""What was drawn, read back from the axes."""

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.patches import FancyArrowPatch


def dots(ax):
    """The places of all pins and points in a plane picture."""
    return np.array([line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o"])


def faces_of(collection):
    """The corners of a Poly3DCollection (k, n, 3), wherever the version of Matplotlib keeps them."""
    if hasattr(collection, "_faces"):
        return np.asarray(collection._faces)
    return np.array([collection._vec[:3, part].T for part in collection._segslices])


def solids(ax):
    """The corners of all faces in a picture in space, an array (k, 4, 3) for each group of solids."""
    return [faces_of(artist) for artist in ax.get_children() if isinstance(artist, PolyCollection)]


def arrows(ax):
    """Start and vector of every straight arrow, in the order of drawing."""
    drawn = [artist for artist in ax.get_children() if isinstance(artist, FancyArrowPatch)]
    curves = [np.asarray(getattr(artist, "points", artist._path_original.vertices)) for artist in drawn]
    return [(points[0], points[-1] - points[0]) for points in curves if len(points) == 2]


def is_near(places, P):
    """Whether one of the places is the point P."""
    return np.abs(np.asarray(places) - P).sum(axis=1).min() < 1e-8
