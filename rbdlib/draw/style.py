"""The look of the book: colours with a meaning, one style, and the axes that every picture starts from.

The colours are those of Okabe and Ito, which readers with any kind of colour vision can tell apart.
"""

import os
import re
import warnings
from contextlib import contextmanager

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rbdlib.numbers.scalars import floats, vector

__all__ = [
    "AXIS_X", "AXIS_Y", "AXIS_Z", "BODY", "FORCE", "GREY", "HIGHLIGHT", "INERTIA", "INK", "MOMENTUM", "MOTION",
    "axes2d", "axes3d", "figure", "use_style",
]

MOTION = "#0072B2"
FORCE = "#D55E00"
MOMENTUM = INERTIA = "#009E73"
HIGHLIGHT = "#E69F00"
AXIS_X, AXIS_Y, AXIS_Z = "#CC79A7", "#009E73", "#56B4E9"
GREY = "#7F7F7F"
INK = "#262626"
BODY = "#DCE6EE"

_STYLE: dict = {
    "figure.figsize": (7, 4), "figure.dpi": 110, "savefig.dpi": "figure", "figure.constrained_layout.use": True,
    "font.size": 11, "axes.titlesize": 12, "axes.labelsize": 11, "xtick.labelsize": 10, "ytick.labelsize": 10,
    "legend.fontsize": 10, "legend.frameon": False, "axes.spines.top": False, "axes.spines.right": False,
    "axes.edgecolor": GREY, "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": "#E3E3E3", "grid.linewidth": 0.7, "lines.linewidth": 2,
    "axes.prop_cycle": plt.cycler(color=[MOTION, FORCE, MOMENTUM, HIGHLIGHT, AXIS_X, AXIS_Z, INK]),
    "mathtext.fontset": "dejavusans",
}


@contextmanager
def quiet_layout(fig):
    """Leave out Matplotlib's warning that it found no layout, which versions before 3.11 give for rows of scenes.

    Where the tests only rehearse a notebook, nobody looks, and no layout is looked for: it takes longer than to draw.
    """
    if "RBDLIB_REHEARSAL" in os.environ:
        fig.set_layout_engine("none")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="constrained_layout not applied")
        yield


def use_style():
    """Give every later Matplotlib figure of the session the look of the book."""
    plt.rcParams.update(_STYLE)


def figure(size=(7, 4)):
    """An empty figure of the given width and height in inches, for several axes side by side. Returns a Figure."""
    width, height = numbers(size, 2, "size")
    return plt.figure(figsize=(width, height))


def axes2d(title="", x="x (m)", y="y (m)", *, limits=None, equal=True, fig=None, at=(1, 1, 1), size=(7, 4)):
    """Axes for a plane picture, or with ``equal=False`` for a graph. Returns a matplotlib Axes.

    x, y: labels, with units. limits: (x_min, x_max, y_min, y_max). equal: one metre is as long across as up.
    fig, at: place the axes in an existing figure, at (rows, columns, number) of a grid; otherwise a figure is made.
    """
    fig = figure(size) if fig is None else fig
    ax = fig.add_subplot(*at, xlabel=x, ylabel=y)
    ax.set_title(title, y=1)                    # to look for a free place takes as long as to draw the rest
    if limits is not None:
        x_min, x_max, y_min, y_max = numbers(limits, 4, "limits")
        ax.set(xlim=(x_min, x_max), ylim=(y_min, y_max))
    if equal:
        ax.set_aspect("equal", adjustable="box" if limits is not None else "datalim")
    return _quiet(ax)


def axes3d(title="", *, limits=(-1, 1, -1, 1, -1, 1), view=(22, -58), fig=None, at=(1, 1, 1), size=(7, 4.6)):
    """Axes for a picture in space with equal scales. Returns a matplotlib Axes3D.

    limits: (x_min, x_max, y_min, y_max, z_min, z_max) in m. view: elevation and azimuth of the eye in degrees. fig, at:
    as for `axes2d`.
    """
    fig = figure(size) if fig is None else fig
    box = numbers(limits, 6, "limits")
    elevation, azimuth = numbers(view, 2, "view")
    ax = fig.add_subplot(*at, projection="3d", title=title, xlabel="x (m)", ylabel="y (m)", zlabel="z (m)")
    ax.set(xlim=box[:2], ylim=box[2:4], zlim=box[4:])
    lengths = box[1::2] - box[::2]
    ax.set_box_aspect(lengths, zoom=1.2)
    ax.view_init(elevation, azimuth)
    for axis, length in zip((ax.xaxis, ax.yaxis, ax.zaxis), lengths, strict=True):
        axis.set_pane_color((1, 1, 1, 0))
        axis.set_major_locator(plt.MaxNLocator(4 if 4 * length > max(lengths) else 2, steps=[1, 2, 5, 10]))
    return _quiet(ax)


def _quiet(ax):
    """The axes, changed so that a notebook cell may end with them: the picture is shown, but not their name."""
    ax._ipython_display_ = _nothing             # at the top level of a module, so that figures can be pickled
    return ax


def _nothing():
    return None


def numbers(x, n, name):
    """x as an array of n floats; ValueError or TypeError naming the argument if it holds symbols, NaN, text."""
    return floats(vector(x, n, name),
                  f"{name} contains symbols, and a picture needs numbers. Substitute values for them first.")


def positive(x, name, of_what):
    """x as a float; ValueError unless it is a positive number of what it says."""
    if not numbers([x], 1, name)[0] > 0:
        raise ValueError(f"{name} is {x}; expected a positive number{of_what}.")
    return float(x)


def is_3d(ax):
    """True if ax is an Axes3D; TypeError if it is no Axes at all."""
    if not isinstance(ax, Axes):
        raise TypeError(f"ax is {ax!r}; expected matplotlib axes. Make some with draw.axes2d() or draw.axes3d().")
    return ax.name == "3d"


def in_axes(ax, p, name):
    """The 2- or 3-vector p as drawn in ax: three coordinates in space, the first two in a plane picture."""
    n = len(p) if hasattr(p, "__len__") and len(p) in (2, 3) else 3
    return np.append(numbers(p, n, name), 0)[: 3 if is_3d(ax) else 2]


def spoken(label):
    """A label as plain text, without the marks of LaTeX."""
    return re.sub(r"\\mathrm|[$\\{}]", "", label)


def figure_of(drawing, maker=""):
    """The Figure of a Figure or Axes; TypeError if it is neither, naming the function that made it, if known."""
    if isinstance(drawing, Figure):
        return drawing
    if isinstance(drawing, Axes):
        return drawing.figure
    if maker:
        raise TypeError(f"{maker} returned {type(drawing).__name__}; expected a figure or axes. End it: return ax.")
    raise TypeError(f"drawing is {drawing!r}; expected a figure or axes, such as those from draw.axes2d().")
