"""Pictures that move by themselves: `animate` for a motion of a model, or for any picture drawn frame by frame."""

import inspect
import io
import os

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

from rbdlib.book.ch04_model import Model
from rbdlib.draw.interactive import Picture
from rbdlib.draw.models import axes_for, model as draw_model, path, plane_of, positions
from rbdlib.draw.style import MOTION, figure_of, numbers, positive, quiet_layout

_LARGEST = 1_500_000
_MOST_FRAMES = 60


def animate(subject, *timing, alt="", **options):
    """An animation that plays in a notebook, on a page without any kernel, and stands still on paper.

    animate(model, t, q, ...): a motion of a model, at the pace of its times t (s, length k) and positions q (k x nq),
    such as those of a `Trajectory`. Options: speed (2 plays twice as fast, 0.5 in slow motion), interval (ms from frame
    to frame; 50, more for long motions), plane (as for `axes_for`), ax (axes to draw in, with what they hold already),
    trail (numbers of bodies whose far ends leave a trail), also (a function of ax, t, q, called for each frame, that
    draws more), and those of `draw.model`.

    animate(draw_frame, n_frames, interval=50): draw_frame is called with 0, 1, ..., n_frames - 1 and returns a figure
    or axes of the same size each time.

    alt: what is to be seen; draw_frame's docstring may say it instead. Returns a `Picture` (an animated PNG). Raises
    ValueError if it would exceed 1.5 MB.
    """
    if isinstance(subject, Model):
        return _animate_model(subject, *timing, alt=alt, **options)
    if not callable(subject):
        raise TypeError(f"animate got {type(subject).__name__}; expected a Model (with t, q) or a function that draws.")
    return _animate_frames(subject, *timing, alt=alt, **options)


def _animate_frames(draw_frame, n_frames, interval=50, *, alt=""):
    if not (isinstance(n_frames, int | np.integer) and n_frames > 0):
        raise ValueError(f"n_frames is {n_frames!r}; expected a positive whole number.")
    name = getattr(draw_frame, "__name__", "draw_frame")
    frames, places = [], []
    for k in _drawn(n_frames):
        fig = figure_of(draw_frame(k), name)
        if len(places) == len(fig.axes) and not (fig.legends or fig.get_suptitle()):
            # a layout of their own takes longer than all else, and they would jump
            fig.set_layout_engine("none")
            for ax, place in zip(fig.axes, places, strict=True):
                ax.set_position(place)
        frames.append(_snapshot(fig))
        places = places or [ax.get_position(original=True) for ax in fig.axes]
        plt.close(fig)
    if len({frame.size for frame in frames}) > 1:
        raise ValueError(f"{name} drew frames of different sizes. Make every figure with the same size.")
    alt = alt or (inspect.getdoc(draw_frame) or name).partition("\n")[0].rstrip(".")
    return _film(_few_colors(frames), n_frames, interval, alt)


def _drawn(n_frames):
    """The numbers of the frames that are drawn: all, or three where the tests only rehearse a notebook."""
    if "RBDLIB_REHEARSAL" in os.environ:
        return np.unique(np.linspace(0, n_frames - 1, 3, dtype=int)).tolist()
    return range(n_frames)


def _animate_model(model, t, q, *, speed=1.0, interval=None, plane=None, ax=None, trail=(), also=None, alt="",
                   title="", **look):
    given, times, rows, interval = sampled(model, t, q, speed, interval)
    plane = plane_of(model) if plane is None else plane
    if ax is None:
        ax = axes_for(model, q, plane=plane, tips=look.get("tips"), inertias=look.get("inertias"), title=title, t=given)
    moments = [*given, *times]
    paths = [path(ax, model, [*q, *rows], i, plane=plane, t=moments) for i in np.ravel(trail).astype(int).tolist()]
    order = np.argsort(moments, kind="stable")
    background, frames = set(ax.get_children()), []
    for k in _drawn(len(times)):
        time, row = times[k], rows[k]
        past = order[: np.searchsorted(np.sort(moments), time, side="right")]
        for points in paths:
            ax.plot(*points[past].T, color=MOTION, lw=1.3, zorder=2)
        draw_model(ax, model, row, plane=plane, t=time, **look)
        if also is not None:
            also(ax, time, row)
        ax.annotate(f"t = {time:.2f} s", (0.02, 0.96), xycoords="axes fraction", va="top")
        frames.append(_snapshot(ax.figure))
        ax.figure.set_layout_engine("none")
        for artist in set(ax.get_children()) - background:
            artist.remove()
    plt.close(ax.figure)
    alt = alt or f"A model of {model.N_B} bodies moves for {times[-1] - times[0]:.3g} s"
    return _film(_few_colors(frames), len(times), interval, alt)


def sampled(model, t, q, speed, interval):
    """The times t, the times and positions of the frames, and the time (ms) from one frame to the next."""
    q, t = np.array(positions(model, q), float), numbers(t, np.size(t), "t")
    if len(t) != len(q) or len(t) < 2 or (np.diff(t) <= 0).any():
        raise ValueError(f"t has {len(t)} times for {len(q)} positions q; expected one increasing time for each of two "
                         f"or more positions.")
    lasts = 1000 * (t[-1] - t[0]) / positive(speed, "speed", ", 1 for the pace of the motion itself")
    interval = max(50, lasts / _MOST_FRAMES) if interval is None else positive(interval, "interval", " of milliseconds")
    times = np.linspace(t[0], t[-1], max(int(round(lasts / interval)), 1) + 1)
    rows = np.column_stack([np.interp(times, t, column) for column in q.T])
    return t, times, [model.normalise(row) for row in rows], interval


def _snapshot(fig):
    with quiet_layout(fig):
        fig.canvas.draw()
    return Image.fromarray(np.asarray(fig.canvas.buffer_rgba())).convert("RGB")


def _few_colors(frames):
    """The frames with the same 250 colours, which a page loads three times as fast."""
    shown = [frames[k] for k in np.unique(np.linspace(0, len(frames) - 1, 4).astype(int))]
    width, height = frames[0].size
    sheet = Image.new("RGB", (width, height * len(shown)))
    for k, frame in enumerate(shown):
        sheet.paste(frame, (0, k * height))
    palette = sheet.quantize(250, dither=Image.Dither.NONE)
    colors = np.reshape(palette.getpalette("RGB") or [], (-1, 3))
    colors[colors.min(axis=1) > 247] = 255                      # an average of nearly white shades is not white
    palette.putpalette(colors.ravel().tolist())
    return [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]


def _film(frames, n_frames, interval, alt):
    buffer = io.BytesIO()
    frames[0].save(buffer, "PNG", save_all=True, append_images=frames[1:], duration=int(interval), loop=0)
    if buffer.tell() > _LARGEST:
        raise ValueError(f"The animation takes {buffer.tell() / 1e6:.1f} MB; a page should load no more than 1.5 MB. "
                         f"Draw fewer frames or a smaller figure.")
    return Picture(buffer.getvalue(), f"{alt}; an animation of {n_frames} frames")
