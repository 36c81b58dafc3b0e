"""Pictures, formulas and controls for the course, all with one look; needs the extra ``plot``.

Drawing functions take matplotlib axes first and rbdlib's own quantities after them: transforms ᴮX_A, spatial motion and
force vectors, joint positions. `use_style` gives every later Matplotlib figure the look of the book.
"""

try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError('rbdlib.draw needs matplotlib. Install it with: pip install "rbdlib[plot]"') from error

from rbdlib.draw.fields import ellipsoid, force_line, screw_axis, turn, velocity_field
from rbdlib.draw.figures import lamp, particle, pendulum
from rbdlib.draw.films import animate
from rbdlib.draw.formulas import formula, show_code, table
from rbdlib.draw.graphs import graph, pattern, sparsity
from rbdlib.draw.interactive import explore, picture, slider
from rbdlib.draw.models import axes_for, forces, model, trail, velocities
from rbdlib.draw.scenes import Scene, scene
from rbdlib.draw.shapes import (
    angle_arc,
    arrow,
    body,
    box,
    carriage,
    cuboid,
    curve,
    ellipse,
    frame,
    ground,
    line_through,
    link,
    pin,
    point,
    rail,
    rod,
    write,
)
from rbdlib.draw.style import (
    AXIS_X,
    AXIS_Y,
    AXIS_Z,
    BODY,
    FORCE,
    GREY,
    HIGHLIGHT,
    INERTIA,
    INK,
    MOMENTUM,
    MOTION,
    axes2d,
    axes3d,
    figure,
    use_style,
)

__all__ = [
    "AXIS_X", "AXIS_Y", "AXIS_Z", "BODY", "FORCE", "GREY", "HIGHLIGHT", "INERTIA", "INK", "MOMENTUM", "MOTION", "Scene",
    "angle_arc", "animate", "arrow", "axes2d", "axes3d", "axes_for", "body", "box", "carriage", "cuboid", "curve",
    "ellipse", "ellipsoid", "explore", "figure", "force_line", "forces", "formula", "frame", "graph", "ground",
    "lamp", "line_through", "link", "model", "particle", "pattern", "pendulum", "picture", "pin", "point", "rail",
    "rod", "scene", "screw_axis", "show_code", "slider", "sparsity", "table", "trail", "turn", "use_style",
    "velocities", "velocity_field", "write",
]
