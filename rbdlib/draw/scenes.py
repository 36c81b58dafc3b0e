"""A model in three dimensions that the reader can turn, zoom and play, in a notebook, on a page, or in a file.

`scene` needs no server and no kernel: all it shows, three.js included, is within one HTML element of some 300 kB. On
paper, and wherever there is no WebGL, a still picture and a sentence stand in for it.
"""

import base64
import html
import json
from collections import namedtuple
from importlib.resources import files
from pathlib import Path

import numpy as np

from rbdlib.book.ch04_model import Model
from rbdlib.draw import scene_data as viewer
from rbdlib.draw.films import sampled
from rbdlib.draw.interactive import Picture, picture
from rbdlib.draw.models import axes_for, model as draw_model, positions, trail as draw_trail
from rbdlib.draw.posture import link_ends, reach
from rbdlib.draw.style import BODY, FORCE, MOTION, numbers, positive
from rbdlib.motion.simulate import Trajectory

#: A page should load no more than this for one figure (bytes).
LARGEST = 600_000
_MOST_FRAMES = 240
_ASSETS = files("rbdlib.draw") / "assets"
_SHOWN = ("links", "masses", "trails", "forces", "ground")


class Scene(namedtuple("Scene", "data png alt")):
    """A scene ready to be shown; `save` writes a page of its own.

    data: what the viewer reads, as a dictionary. png: the still picture. alt: what is to be seen.
    """

    def __repr__(self):
        return f"[scene: {self.alt}]"

    def page(self):
        """The whole page as HTML; it fetches nothing."""
        def text(name):
            return _ASSETS.joinpath(name).read_text(encoding="utf-8")

        code = base64.b64encode(_ASSETS.joinpath("three.js.gz").read_bytes()).decode("ascii")
        parts = {"alt": html.escape(self.alt), "style": text("scene.css"), "three": code,
                 "data": json.dumps(self.data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/"),
                 "script": text("scene_parts.js") + text("scene.js")}
        pieces = text("scene.html").split("%")
        return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces))

    def html(self):
        """An element for any page: the viewer in a frame.

        The sentence within the frame is seen where frames are taken out, as by JupyterLab before a cell is run.
        """
        page = self.page().replace("&", "&amp;").replace("'", "&#39;")
        return (f'<figure class="rbdlib-scene" style="margin:0"><iframe title="{html.escape(self.alt)}" loading="lazy" '
                f"style=\"width:100%;height:440px;border:0\" srcdoc='{page}'>"
                f"[{html.escape(self.alt)}: run the cell to see it]</iframe></figure>")

    def save(self, path):
        """Write a page that can be opened, sent and put on a server as it is. Returns its path."""
        path = Path(path)
        if path.suffix not in (".html", ".htm"):
            raise ValueError(f"path is {str(path)!r}; expected the name of a page, such as 'arm.html'.")
        path.write_text(self.page(), encoding="utf-8")
        return path

    def _repr_mimebundle_(self, include=None, exclude=None):
        data, about = Picture(self.png, self.alt)._repr_mimebundle_()
        return {"text/html": self.html(), **data, "text/plain": repr(self)}, about


def scene(subject, t=None, q=None, *, alt="", arrows=None, arrow_scale=None, trail=(), ground=None, show=(), tips=None,
          speed=1.0, view=(22, -58)):
    """A model in three dimensions that the reader can turn, zoom, play, stop and look at moment by moment.

    subject: a Model, with the times t (s, length k) and positions q (k x nq) of a motion, with q alone (nq) for a
    still, or alone in its neutral position; or a `Trajectory`, whose contact forces are drawn too. At most 240 moments
    are kept, and the viewer interpolates between them.

    alt: what is to be seen, for those who cannot see it. arrows: {name: (points, vectors)}, (k x n x 3) each, in base
    coordinates: any other forces. arrow_scale: metres drawn for 1 N (without it, the longest arrow takes half the
    model's reach). trail: numbers of bodies whose far ends leave a trail. ground: its height (m, against gravity);
    False for none; without it, the lowest point that the motion reaches. show: names of `LAYERS` that are visible from
    the start, beside links, masses, trails, forces and ground; the reader switches all of them on and off. tips: as for
    `draw.model`. speed: 2 plays twice as fast. view: elevation and azimuth of the eye (degrees).

    Returns a `Scene`. Raises ValueError or TypeError for bad arguments, and if the page would exceed 600 kB.
    """
    model, t, q, kept = _subject(subject, t, q)
    names = [show] if isinstance(show, str) else list(show)
    if unknown := [name for name in names if name not in viewer.LAYERS]:
        raise ValueError(f"show names {unknown[0]!r}; choose among {', '.join(viewer.LAYERS)}.")
    look = {"speed": positive(speed, "speed", ", 1 for the pace of the motion itself"),
            "view": numbers(view, 2, "view"), "show": [name for name in viewer.LAYERS if name in (*_SHOWN, *names)]}
    trail = [int(i) for i in np.ravel(trail)]
    for i in trail:
        if i not in model.bodies:
            raise ValueError(f"trail names body {i}; this model has the bodies 1 to {model.N_B}.")
    given = _forces(subject, t, kept, arrows)
    if len(t) > 1:
        _, times, rows, _ = sampled(model, t, q, look["speed"], max(33, 1000 * (t[-1] - t[0]) / speed / _MOST_FRAMES))
    else:
        times, rows = t, q
    given = {name: [viewer.at_times(times, t, part) for part in pair] for name, pair in given.items()}
    alt = alt or f"A model of {model.N_B} bodies" + (f" moves for {t[-1] - t[0]:.3g} s" if len(t) > 1 else "")
    data = _data(model, times, rows, given, arrow_scale, trail, ground, tips, look)
    made = Scene({"alt": alt, **data}, _still(model, q, trail, tips, alt, view), alt)
    if (size := len(made.html().encode())) > LARGEST:
        raise ValueError(f"The scene takes {size / 1000:.0f} kB; a page should load no more than "
                         f"{LARGEST / 1000:.0f} kB for it. Show a shorter motion, or fewer arrows.")
    return made


def _subject(subject, t, q):
    """Model, times, positions, and which samples of a `Trajectory` these are (None for others)."""
    if isinstance(subject, Trajectory):
        if t is not None or q is not None:
            raise TypeError("A Trajectory has its own t and q; leave these arguments out.")
        t, q, kept = viewer.increasing(subject)
        return subject.model, t, np.array(positions(subject.model, q), float), kept
    if not isinstance(subject, Model):
        raise TypeError(f"scene got {type(subject).__name__}; expected a Model or a Trajectory, such as "
                        f"rbdlib.load('puma560') or what simulate returns.")
    if t is not None and q is None:
        raise TypeError("scene got times t without positions q; give both, or neither for the neutral position.")
    rows = np.array(positions(subject, subject.neutral() if q is None else q), float)
    if t is None:
        if len(rows) > 1:
            raise TypeError(f"scene got {len(rows)} positions q without their times; give scene(model, t, q).")
        return subject, np.zeros(1), rows, None
    times = numbers(t, np.size(t), "t")
    if len(times) != len(rows):
        raise ValueError(f"t has {len(times)} times for {len(rows)} positions q; expected one time for each position.")
    return subject, times, rows, None


def _forces(subject, t, kept, arrows):
    """All arrows, as {name: (points, vectors)}."""
    given = viewer.checked_arrows({} if arrows is None else arrows, len(t))
    touching = viewer.arrows_of(subject) if kept is not None else None
    if touching is not None:
        given["contact forces"] = tuple(part[kept] for part in touching)
    return given


def _data(model, t, q, arrows, arrow_scale, trail, ground, tips, look):
    """Data of the viewer: shapes in the coordinates of the bodies, and their motion."""
    postures, moved = viewer.poses(model, t, q)
    for pose in postures[:1] if tips else ():
        pose.ends = [[pose.at(i, P) for P in ends] for i, ends in enumerate(link_ends(model, tips))]
    directions = {i: np.asarray(model.joints[i].direction, float) for i in model.bodies
                  if hasattr(model.joints[i], "direction")}
    travel = {i: [(p.r[i] - p.places[i]) @ (d @ p.E[i]) for p in postures] for i, d in directions.items()}
    ends = {i: (min(along), max(along)) for i, along in travel.items()}
    parts = viewer.Recorded(None, postures[0], BODY, ends).parts_of()
    every = np.concatenate([pose.points() for pose in postures])
    low, high = every.min(axis=0), every.max(axis=0)
    g = np.asarray(model.gravity, float)
    up = -g / np.linalg.norm(g) if g.any() else np.array([0.0, 0, 1])
    ground = (every @ up).min() if ground is None or ground is True else ground
    ground = None if ground is False else viewer.rounded(numbers([ground], 1, "ground")[0])
    size = np.linalg.norm(every - (low + high) / 2, axis=1).max() + 0.06 * reach(model)       # bars are thick
    arrows = _drawn(arrows, arrow_scale, reach(model))
    largest = max(np.abs(every).max(), 2 * size, *(np.abs(both).max(initial=0) for both, _ in arrows.values()))
    step = viewer.step_for(largest)
    bodies = [{"name": "base" if i == 0 else str(model.names[i]), "parts": parts[i]} for i in parts]
    ends = link_ends(model, tips)
    return {"bodies": bodies, "times": [float(f"{t[0]:.9g}"), float(f"{t[-1]:.9g}"), len(t)],
            "aside": viewer.ASIDE, "step": step, "turnStep": viewer.TURN_STEP,
            "poses": viewer.packed(moved / ([step] * 3 + [viewer.TURN_STEP] * 4), 1.0),
            "arrows": [{"name": name, "count": both.shape[1], "color": FORCE, "data": viewer.packed(both / step, 1.0),
                        "largest": force} for name, (both, force) in arrows.items()],
            "unit": viewer.rounded(reach(model)),
            "trails": [{"body": i, "point": viewer.rounded(ends[i][-1]), "color": MOTION} for i in trail],
            "up": viewer.rounded(up), "middle": viewer.rounded((low + high) / 2), "size": viewer.rounded(size),
            "ground": ground, "speed": look["speed"], "view": viewer.rounded(look["view"]),
            "layers": viewer.LAYERS, "show": look["show"]}


def _drawn(arrows, scale, unit):
    """{name: (points and vectors side by side, in metres; the largest force in words)}."""
    longest = max((np.linalg.norm(vectors, axis=2).max(initial=0) for _, vectors in arrows.values()), default=0.0)
    scale = unit / (2 * longest or unit) if scale is None else positive(scale, "arrow_scale", " of metres for 1 N")
    return {name: (np.concatenate([points, scale * vectors], axis=2),
                   f"{np.linalg.norm(vectors, axis=2).max(initial=0):.3g} N")
            for name, (points, vectors) in arrows.items()}


def _still(model, q, trail, tips, alt, view):
    """The still picture, of the first position and the trails."""
    few = q[np.unique(np.linspace(0, len(q) - 1, 12).astype(int))]
    ax = axes_for(model, few, plane="space", tips=tips, view=tuple(view))
    draw_model(ax, model, q[0], tips=tips)
    for i in trail if len(q) > 1 else ():
        draw_trail(ax, model, q, i, link_ends(model, tips)[i][-1])       # as the moving scene has it
    return picture(ax, alt).png
