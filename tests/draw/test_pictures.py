"""Every picture is still the one that was looked at: what it is made of stands in pictures.json.

After a change that is meant, look at the pictures (`python -m tests.draw.test_pictures FOLDER` draws them) and then
renew the file (the same without FOLDER).
"""

import json
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.ticker import FixedLocator

import rbdlib
from rbdlib import Model, draw
from rbdlib.book.ch02_spatial import mcI, rotx, rotz, xlt
from rbdlib.book.ch04_joints import Cylindrical, FreeMotion, Helical, Planar, Prismatic, RackAndPinion, Spherical
from rbdlib.methods.connectivity import ConnectivityGraph
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.joint_character import Character
from tests.draw.drawn import faces_of

KNOWN = Path(__file__).with_name("pictures.json")
#: What tells two pictures of many points apart without keeping all of them.
WAVES = np.cos(np.outer(np.arange(1, 5), np.arange(1, 4000) ** 0.7))


def in_3d(*calls, **options):
    """Axes in space with the drawings in them."""
    ax = draw.axes3d(**options)
    for function, *given in calls:
        function(ax, *given)
    return ax


def in_2d(*calls, **options):
    """Axes in the plane with the drawings in them."""
    ax = draw.axes2d(limits=(-2, 2, -2, 2), **options)
    for function, *given in calls:
        function(ax, *given)
    return ax


def of_model(name, t=0.0, plane=None, options=(), look=(), **more):
    """A model in its axes, with velocities if a motion is given."""
    model = rbdlib.load(name) if isinstance(name, str) else name
    q, qd = model.random_state(np.random.default_rng(4))
    ax = draw.axes_for(model, q, t=t, plane=plane, **dict(options))
    seen = {"t": t, "plane": None if plane == "space" else plane}
    draw.model(ax, model, q, **seen, **dict(look))
    if more:
        draw.velocities(ax, model, q, qd, **seen, **more)
        draw.trail(ax, model, [model.integrate(q, qd, t) for t in np.linspace(0, 0.5, 20)], label="trail", **seen)
    return ax


SPIN, SCREW = [0, 0, 1.5, 0.2, -0.4, 0], [0.3, 0.2, 1, -0.5, 0.4, 0.8]
GRAPH = ConnectivityGraph("abc", {"crank": ("base", "a"), "coupler": ("a", "b"), "rocker": ("base", "c"),
                                  "pin": ("b", "c"), "slide": ("a", "c")})
CART = rbdlib.load("cart_pole").replace(characters=dict.fromkeys((1, 2), Character(stiffness=3, rest=0.2, lower=-1,
                                                                                   upper=1, stop_stiffness=100)))
#: A carrier that moves with time, and on it every kind of joint; bodies without mass, without extent and without bars.
SWUNG, TENSOR = Custom(0, lambda q, t: rotz(t) @ xlt([2 * t, 0, 0]), name="swung"), np.diag([0.1, 0.2, 0.15])
KINDS = Model([0, *[1] * 8, 2], [SWUNG, Prismatic((1, 1, 0)), RackAndPinion(0.3), Helical(0.1), Cylindrical("x"),
                                 Planar(), Spherical(), FreeMotion(), Prismatic("y"), Prismatic("z")],
              [rotx(0.3 * k) @ rotz(0.4 * k) @ xlt([0.2 * k, -0.1 * k, 0.3 * k]) for k in range(10)],
              [mcI(1, [0.1, 0.2, 0], np.eye(3) / 9), np.zeros((6, 6)), mcI(2, [0, 0, 0], TENSOR),
               *[mcI(1, [0.1, 0, 0], TENSOR)] * 2, *[mcI(1, [0, 0, 0], TENSOR)] * 3,
               mcI(4, [0.5, 0.25, 1], np.zeros((3, 3))), np.eye(6)])
PICTURES = {
    "particle": lambda: draw.particle((1, 2)),
    "lamp": lambda: draw.lamp((0.1, 0.2, 0.1, 0.5, -1.2), title="lamp", limits=(-0.5, 0.7, -0.12, 0.78)),
    "pendulum": lambda: draw.pendulum((0.6, 0.01, -0.9), (1, 0.7, 0.4)),
    "pendulum without labels": lambda: draw.pendulum((0.6,), labels=False, masses=False, limits=(-1, 1, -2, 1)),
    "pattern": lambda: draw.pattern(np.arange(24).reshape(4, 6) % 5 > 1, marked=np.eye(4, 6, 1, dtype=bool)),
    "large pattern": lambda: draw.pattern(np.eye(24), blocks=[1, 0, 3] * 6, title="blocks"),
    "single rows": lambda: draw.pattern(np.eye(21), title="rows"),
    "sparsity": lambda: draw.sparsity(rbdlib.load("four_link_tree")),
    "graph of a model": lambda: draw.graph(rbdlib.load("five_bar")),
    "graph of a humanoid": lambda: draw.graph(rbdlib.load("g1")),
    "graph without numbers": lambda: draw.graph(GRAPH, tree=["crank", "coupler", "rocker"], title="graph"),
    "plane vectors": lambda: in_2d(
        (draw.velocity_field, SPIN), (draw.screw_axis, SPIN), (draw.force_line, [0, 0, 2, 0.5, 1, 0]),
        (draw.force_line, [0, 0, 2, 0, 0, 0]), (draw.arrow, (0, 0), (0, 0), draw.FORCE, "zero"), title="vectors"),
    "vectors in space": lambda: in_3d(
        (draw.velocity_field, SCREW), (draw.screw_axis, SCREW), (draw.force_line, SCREW), (draw.frame, rotx(0.4)),
        (draw.turn, (0, 0, 1), (1, 2, 2)), (draw.line_through, (0, 0, 0.2), (1, 0, 0)), title="vectors"),
    "ellipses": lambda: in_2d((draw.ellipsoid, [[1, 0.3], [0.3, 0.5]], (0.1, 0.2), draw.INERTIA, "A")),
    "ellipsoids": lambda: in_3d((draw.ellipsoid, np.diag([0.5, 0.8, 0]) + 0.1, (0, 0, 0.1), draw.MOTION, "A")),
    "shapes": lambda: in_2d(
        (draw.body, draw.box(1, 0.4), (0.3, (0.2, 0.1)), draw.BODY, "box"), (draw.body, draw.ellipse(1, 0.4)),
        (draw.body, draw.rod(1, 0.1), (-0.5, (1, 1))), (draw.link, (0, 0), (1, 1)), (draw.carriage, (1, -1), 0.4),
        (draw.ground, (0, -1), 2, 0.2), (draw.angle_arc, (0, 0), 0.3, 2.1, 0.5, "a"), (draw.frame, xlt([1, 0, 0]), "B"),
        (draw.angle_arc, (0, 0), 2.1, 0.3, 0.4), (draw.rail, (-1, 0), (1, 0)), (draw.pin, (0, 1)),
        (draw.line_through, (0, 1), (1, 0.5), draw.GREY, "l")),
    "cuboid": lambda: in_3d((draw.body, draw.cuboid(0.5, 0.3, 0.2), rotx(0.3), draw.BODY, "c")),
    "double pendulum": lambda: of_model("double_pendulum", look={"labels": "names"}, scale=0.01),
    "lamp in space": lambda: of_model("lamp", plane="space", options={"inertias": True},
                                      look={"inertias": True, "axes": True, "frames": True}, scale=0.01),
    "closed loop": lambda: of_model("four_bar", look={"frames": True}, scale=0.02),
    "satellite": lambda: of_model("satellite_arm", look={"labels": "numbers", "axes": True}, scale=0.01),
    "springs and stops": lambda: of_model(CART, scale=0.01),
    "kinds of joint": lambda: of_model(KINDS, 0.4, "yz", look={"inertias": True, "axes": True}, scale=0.01),
    "kinds of joint in space": lambda: of_model(KINDS, 0.4, look={"inertias": True, "axes": True}, scale=0.01),
}


def parts_of(artist):
    """(kind and look, numbers) of an artist; None where its place is Matplotlib's own affair."""
    kind = type(artist).__name__.strip("_")
    arrow = getattr(artist, "arrow_patch", None)
    if isinstance(artist, matplotlib.text.Text) and (artist.get_text() or arrow):
        place = artist.get_position_3d() if hasattr(artist, "get_position_3d") else artist.get_position()
        look = [artist.get_text(), to_hex(artist.get_color()), artist.get_ha(), artist.get_va()]
        if box := artist.get_bbox_patch():
            look += [type(box.get_boxstyle()).__name__, to_hex(box.get_facecolor())]
        drawn = [arrow.get_lw(), arrow.get_mutation_scale(), arrow.shrinkA, arrow.shrinkB] if arrow else []
        return [kind, *look], [*place, *getattr(artist, "xy", ()), artist.get_fontsize(), artist.zorder, *drawn]
    if isinstance(artist, matplotlib.lines.Line2D):
        xyz = artist.get_data_3d() if hasattr(artist, "get_data_3d") else artist.get_data()
        look = [to_hex(artist.get_color()), str(artist.get_linestyle()), str(artist.get_marker())]
        return [kind, *look], [artist.get_lw(), artist.get_markersize(), artist.zorder, *np.ravel(xyz)]
    if isinstance(artist, matplotlib.patches.Patch) and kind != "Spine":
        path = getattr(artist, "_path_original", None)
        points = getattr(artist, "points", path.vertices if path is not None else
                         artist.get_patch_transform().transform(artist.get_path().vertices))
        look = [to_hex(artist.get_facecolor(), True), to_hex(artist.get_edgecolor(), True)]
        return [kind, *look], [artist.get_lw(), artist.zorder, *np.ravel(points)]
    if isinstance(artist, matplotlib.collections.PolyCollection) and hasattr(artist, "do_3d_projection"):
        colors = artist.get_facecolor().sum(axis=0), artist.get_edgecolor().sum(axis=0)
        return [kind], [*np.ravel(colors), *artist.get_linewidth(), *np.ravel(faces_of(artist))]
    if isinstance(artist, matplotlib.quiver.Quiver):
        return [kind, artist.pivot], [artist.scale, artist.width, artist.zorder, *artist.X, *artist.Y, *artist.U,
                                      *artist.V]
    if isinstance(artist, matplotlib.collections.LineCollection):
        points = getattr(artist, "_segments3d", None)
        numbers = np.ravel(artist.get_segments() if points is None else points)
        return [kind, to_hex(artist.get_color()[0])], [*artist.get_linewidth(), artist.zorder, *numbers]
    return None


def described(drawn):
    """What a picture is made of: a list of [kind and look, numbers] for its axes and all that stands in them."""
    figure, found = getattr(drawn, "figure", drawn), []
    for ax in figure.axes:
        limits = [*ax.get_xlim(), *ax.get_ylim(), *((*ax.get_zlim(), ax.elev, ax.azim) if ax.name == "3d" else ())]
        words = [ax.get_title(), ax.get_xlabel(), ax.get_ylabel(),
                 *(to_hex(spine.get_edgecolor()) for spine in ax.spines.values() if spine.get_visible())]
        for axis in (ax.xaxis, ax.yaxis):
            if isinstance(axis.get_major_locator(), FixedLocator):
                limits += [*axis.get_majorticklocs(), axis.get_ticklabels()[0].get_fontsize()]
                words += [label.get_text() for label in axis.get_ticklabels()]
        found += [[["axes", *words], limits], *filter(None, map(parts_of, ax.get_children()))]
    return [[words, *shortened(numbers)] for words, numbers in found]


def shortened(numbers):
    """How many numbers, and each of them to five digits, or where they are many what a few waves make of them."""
    x = np.asarray(numbers, float)
    x = x if len(x) <= 16 else WAVES[:, : len(x)] @ x[: WAVES.shape[1]]
    return len(numbers), [float(f"{value:.5g}") for value in x]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_made_of_what_it_was_made_of_when_it_was_looked_at(name):
    found, known = described(PICTURES[name]()), json.loads(KNOWN.read_text(encoding="utf-8"))[name]
    assert [part[:2] for part in found] == [part[:2] for part in known]
    for (words, _, is_now), (*_, was) in zip(found, known, strict=True):
        assert np.allclose(is_now, was, rtol=1e-4, atol=1e-4 * np.abs(was).max(initial=1)), words


if __name__ == "__main__":
    matplotlib.use("Agg")
    draw.use_style()
    if sys.argv[1:]:
        for name, make in PICTURES.items():
            drawn = make()
            getattr(drawn, "figure", drawn).savefig(Path(sys.argv[1], f"{name}.png"))
    else:
        lines = [f"{json.dumps(name)}: [\n" + ",\n".join(map(json.dumps, described(make()))) + "]"
                 for name, make in PICTURES.items()]
        KNOWN.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
