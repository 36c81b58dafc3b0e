"""Draws docs/aba.png, the film of the README: python tools/readme_picture.py.

The articulated-body algorithm on a chain, with lines of the library that each pass runs; then the chain falls.
"""

import inspect
import textwrap
from pathlib import Path

import numpy as np

from rbdlib import draw
from rbdlib.book.ch02_spatial import X_to_Er
from rbdlib.book.ch07_articulated_body import articulated_bodies
from rbdlib.methods.generators import auto_tree
from rbdlib.motion.simulate import simulate

PATH = Path(__file__).parents[1] / "docs" / "aba.png"
ALT = ("A chain of five rods. Velocities are passed outward, inertias of articulated bodies inward, accelerations "
       "outward, each with its lines of code; then the chain falls")
#: What the front page may load, in bytes.
LARGEST = 600_000
#: The time from a frame to the next (ms), and how many frames show one body of a pass. `draw.animate` takes its colours
#: from four frames evenly spread: with these numbers each pass has one of them.
INTERVAL, STEP = 50, 9
TAPER = 0.9

chain = auto_tree(5, taper=TAPER)
q, qd, tau = np.array([-0.1, -0.9, 0.7, 0.9, -1.1]), np.array([0.6, -0.4, 0.5, -0.8, 0.4]), np.zeros(5)
run = articulated_bodies(chain, q, qd, tau)
flight = simulate(chain, q, qd, np.linspace(0, 2.4, 61))
source = textwrap.dedent(inspect.getsource(articulated_bodies)).splitlines()


def lines(*beginnings):
    """Lines of the library, found by how they begin, each with the number of its equation in RBDA."""
    found = [next(line for line in source if line.strip().startswith(beginning)) for beginning in beginnings]
    return [f"{code.strip():<66}{number}" for code, _, number in (line.partition("# ") for line in found)]


STEPS = (
    ("The articulated-body algorithm, RBDA Table 7.1", ["qdd = aba(chain, q, qd, tau)"]),
    ("Pass 1, outward: velocities", lines("v[i] =", "c[i] =")),
    ("Pass 2, inward: the inertia of all that hangs on a joint", lines("I_a[i] =", "I_A[parent[i]] =")),
    ("Pass 3, outward: accelerations", lines("qdd[i] =", "a[i] = a[i] +")),
    ("The same at every instant: the chain falls", ["motion = simulate(chain, q, qd, t)"]))


def picture(position, step):
    """The chain, with the name of a step above it and the step's lines of code below."""
    fig = draw.figure((7.0, 4.9))
    ax = draw.axes2d(limits=(-4.4, 4.4, -4.2, 1.0), fig=fig)
    ax.set_axis_off()
    ax.set_position((0, 0.15, 1, 0.77))
    fig.set_layout_engine("none")
    draw.model(ax, chain, position, masses=False)
    title, code = STEPS[step]
    fig.text(0.03, 0.93, title, fontsize=15)
    for k, line in enumerate(code):
        fig.text(0.03, 0.1 - 0.065 * k, line, family="monospace", fontsize=10.2)
    return ax


def in_base(i, at_end=False):
    """The turn from body i's coordinates to those of the base, and where its joint is, or its far end."""
    E, r = X_to_Er(run.X_0[i])
    turn = E[:2, :2].T
    return turn, r[:2] + turn @ [TAPER ** (i - 1) * at_end, 0]


def velocity(i):
    """The velocity of body i's far end, in body coordinates."""
    return run.v[i][3:5] + run.v[i][2] * np.array([0, TAPER ** (i - 1)])


def acceleration(i):
    """The acceleration of body i's far end, in body coordinates; run.a also carries gravity."""
    a, omega = run.a[i] - run.X_0[i] @ run.a[0], run.v[i][2]
    return a[3:5] + a[2] * np.array([0, TAPER ** (i - 1)]) + omega * np.array([-velocity(i)[1], velocity(i)[0]])


def draw_pass(ax, step, count):
    """What a pass has found after so many bodies."""
    for i in range(5, 5 - count, -1) if step == 2 else range(1, count + 1):
        turn, place = in_base(i, at_end=step != 2)
        if step == 1:
            draw.arrow(ax, place, 0.6 * turn @ velocity(i))
        elif step == 2:
            draw.ellipsoid(ax, turn @ run.I_A[i][3:5, 3:5] @ turn.T, place, scale=0.4, alpha=0.12, axes=False)
        else:
            draw.arrow(ax, place, 0.07 * turn @ acceleration(i), draw.FORCE)


#: What the frames show: a step and how many bodies it has reached. The first ones show all that is found at once: where
#: films stand still, they are what is seen.
FRAMES = [(0, 5)] * 2 * STEP + [(step, count) for step in (1, 2, 3) for count in range(1, 6) for _ in range(STEP)]


def frame(k):
    if k >= len(FRAMES):
        return picture(flight.q[k - len(FRAMES)], 4)
    step, count = FRAMES[k]
    ax = picture(q, step)
    for number in (1, 2, 3) if step == 0 else (step,):
        draw_pass(ax, number, count)
    return ax


if __name__ == "__main__":
    draw.use_style()
    film = draw.animate(frame, len(FRAMES) + len(flight.q), INTERVAL, alt=ALT)
    if len(film.png) > LARGEST:
        raise SystemExit(f"The film has {len(film.png)} bytes, more than {LARGEST}: draw fewer frames.")
    PATH.write_bytes(film.png)
    print(f"Drawn: {PATH.name}, {len(film.png)} bytes: {film.alt}")
