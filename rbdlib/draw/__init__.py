"""Pictures, formulas and controls for the course, all with one look; needs the extra ``plot``.

Drawing functions take matplotlib axes first and rbdlib's own quantities after them: transforms ᴮX_A, spatial motion and
force vectors, joint positions. `use_style` gives every later Matplotlib figure the look of the book.
"""

try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError('rbdlib.draw needs matplotlib. Install it with: pip install "rbdlib[plot]"') from error

from rbdlib.draw import shapes, style
from rbdlib.draw.fields import ellipsoid, force_line, screw_axis, turn, velocity_field
from rbdlib.draw.figures import lamp, particle, pendulum
from rbdlib.draw.films import animate
from rbdlib.draw.formulas import formula, show_code, table
from rbdlib.draw.graphs import graph, pattern, sparsity
from rbdlib.draw.interactive import explore, picture, slider
from rbdlib.draw.models import axes_for, model, trail, velocities
from rbdlib.draw.scenes import Scene, scene
from rbdlib.draw.shapes import *
from rbdlib.draw.style import *

__all__ = shapes.__all__ + style.__all__ + [
    "Scene", "animate", "axes_for", "ellipsoid", "explore", "force_line", "formula", "graph", "lamp", "model",
    "particle", "pattern", "pendulum", "picture", "scene", "screw_axis", "show_code", "slider", "sparsity", "table",
    "trail", "turn", "velocities", "velocity_field",
]
