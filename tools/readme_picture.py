"""Draws docs/lamp.png, the picture of the README: python tools/readme_picture.py."""

from pathlib import Path

import numpy as np

from rbdlib import draw, load
from rbdlib.methods.centre_of_mass import centre_of_mass
from rbdlib.motion.simulate import simulate

lamp = load("lamp")
start, push = [-0.95, 0.25, 0.1, 0.7, -1.5], [2.3, 2.6, -2.0, -3.0, 8.0]
flight = simulate(lamp, start, push, np.linspace(0, 0.62, 121))
centres = np.array([centre_of_mass(lamp, q) for q in flight.q])

t = flight.t[:, None]
parabola = centres[0] + t * (centres[1] - centres[0] + [0, 9.81 * flight.t[1] ** 2 / 2, 0]) / flight.t[1]
parabola = parabola - [0, 9.81 / 2, 0] * t**2
np.testing.assert_allclose(centres, parabola, atol=1e-6)

draw.use_style()
ax = draw.axes2d(
    "The lamp in flight: its parts wobble, its centre of mass follows a parabola",
    limits=(-1.5, 1.15, -0.1, 1.3), size=(8.4, 4.9),
)
ax.plot(*parabola.T[:2], color=draw.HIGHLIGHT, linewidth=2, zorder=5)
for k in range(0, len(flight.t), 24):
    draw.lamp(flight.q[k], labels=False, limits=ax.get_xlim() + ax.get_ylim(), ax=ax)
    draw.point(ax, centres[k], color=draw.INERTIA, size=7)
path = Path(__file__).parents[1] / "docs" / "lamp.png"
ax.figure.savefig(path)
print(f"Drawn: {path.name}")
