"""Connectivity graphs as pictures, bodies as nodes and joints as labelled arcs (RBDA 4.1), and patterns of matrices."""

from textwrap import fill

import numpy as np
from matplotlib.patches import Rectangle

from rbdlib.book.ch04_model import Model, require_model
from rbdlib.book.ch06_inertia_matrix import sparsity_pattern
from rbdlib.draw.shapes import HALO
from rbdlib.draw.style import FORCE, GREY, HIGHLIGHT, INERTIA, INK, MOTION, axes2d, figure
from rbdlib.methods.connectivity import Connectivity, ConnectivityGraph
from rbdlib.numbers.scalars import as_floats

_BASE, _PALE = "#C9C9C9", "#7CC8B2"


def graph(system, *, tree=None, names=None, kinds=None, title="", ax=None):
    """The connectivity graph of a system: bodies as nodes, joints as arcs with arrows from predecessor to successor.

    system: a Model, a `Connectivity` (numbered) or a `ConnectivityGraph` (not yet numbered). The base stands at the
    bottom and the tree grows upwards; loop joints are dashed. tree: for a ConnectivityGraph, the names of the tree
    joints (see its `spanning_tree`). names: whether to write the bodies' names beside their numbers. kinds: whether
    to write the joints' types, which only a Model knows. Without these both are written where there is room, with at
    most five branches. Returns the axes.
    """
    nodes, arcs, captions = _read(system, tree, names, kinds)
    place = _layout(nodes, [(p, s) for _, p, s, is_tree in arcs if is_tree])
    across, up = np.ptp(list(place.values()), axis=0)
    if ax is None:
        fitting = np.clip(2.2 + 1.5 * across, 4, 7), np.clip(0.8 + 0.65 * up, 2, 9)
        ax = axes2d(title, "", "", equal=False, fig=figure(fitting))
    elif title:
        ax.set_title(title)
    ax.set_axis_off()
    room = 1.0 if len(arcs) >= len(nodes) else 0.75
    ax.set(xlim=(-room, across + room), ylim=(-room / 2, up + room / 2))
    tree_joints = {frozenset((p, s)) for _, p, s, is_tree in arcs if is_tree}
    drawn = []
    for label, p, s, is_tree in sorted(arcs, key=lambda arc: not arc[3]):
        straight = is_tree and frozenset((p, s)) in tree_joints
        ends = np.array([place[p], place[s]], float)
        drawn += _arc(ax, ends, label, is_tree, 0.0 if straight else _bend(ax, ends, [*place.values(), *drawn]))
        tree_joints -= {frozenset((p, s))} if straight else set()
    for name, text in nodes.items():
        x, y = place[name]
        base = name == next(iter(nodes))
        ax.text(x, y, text, ha="center", va="center", zorder=6, fontsize=10, color=INK,
                bbox={"boxstyle": "round,pad=0.3" if base or len(text) > 2 else "circle,pad=0.3",
                      "fc": _BASE if base else "white", "ec": INK, "lw": 1.4})
        if captions.get(name):
            ax.annotate(captions[name], (x, y), (14, 0), textcoords="offset points", va="center", fontsize=9,
                        color=GREY, zorder=5, path_effects=HALO)
    return ax


def _read(system, tree, names, kinds):
    """({node: text}, base first; [(label, predecessor, successor, is tree joint)]; {node: caption})."""
    if isinstance(system, ConnectivityGraph):
        tree = system.spanning_tree() if tree is None else list(tree)
        nodes = {name: str(name) for name in (system.base, *system.bodies)}
        return nodes, [(str(name), *ends, name in tree) for name, ends in system.joints.items()], {}
    if not isinstance(system, (Model, Connectivity)):
        raise TypeError(f"system is {type(system).__name__}; expected a Model, Connectivity or ConnectivityGraph.")
    numbered = Connectivity.of(system) if isinstance(system, Model) else system
    nodes = {0: "0", **{i: str(i) for i in range(1, numbered.N_B + 1)}}
    room = sum(not numbered.mu(i) for i in nodes) <= 5
    bodies = [str(name).replace("_", " ") for name in numbered.bodies]
    captions = {i: fill(bodies[i], 12, break_long_words=False) for i in nodes if names or (names is None and room)}
    captions = {i: name for i, name in captions.items() if name not in (str(i), f"body {i}")}
    labels = {i: str(i) for i in range(1, numbered.N_J + 1)}
    if isinstance(system, Model):
        if kinds or (kinds is None and room):
            kinds = [None, *system.joints[1:], *(loop.joint for loop in system.loops)]
            labels = {i: f"{i}: {kinds[i]}" for i in labels}
    elif any(name != i for i, name in enumerate(numbered.joints[1:], start=1)):
        labels = {i: f"{i}: {numbered.joints[i]}" for i in labels}
    arcs = [(labels[i], numbered.predecessor(i), numbered.successor(i), i <= numbered.N_B) for i in labels]
    return nodes, arcs, captions


def _layout(nodes, tree):
    """{node: (x, y)}: y is the distance from the base in joints, x puts each body above the middle of its subtree."""
    base, near = next(iter(nodes)), {name: [] for name in nodes}
    for p, s in tree:
        near[p].append(s)
        near[s].append(p)
    place, leaves = {}, 0

    def settle(name, y):
        nonlocal leaves
        place[name] = None
        children = [other for other in near[name] if other not in place]
        for child in children:
            settle(child, y + 1)
        if children:
            x = (place[children[0]][0] + place[children[-1]][0]) / 2
        else:
            x, leaves = float(leaves), leaves + 1
        place[name] = (x, float(y))

    settle(base, 0)
    return place


def _bent(ax, ends, bend):
    """Eleven points (pixels) of the arc between the ends, bent as matplotlib's connection style arc3 does it."""
    a, b = ax.transData.transform(ends)
    corner = (a + b) / 2 + bend * np.array([b[1] - a[1], a[0] - b[0]])
    t = np.linspace(0, 1, 11)[:, None]
    return (1 - t) ** 2 * a + 2 * t * (1 - t) * corner + t**2 * b


def _bend(ax, ends, crowd):
    """The bend that keeps an arc away from the crowd: nodes, arcs and labels drawn before (data coordinates)."""
    others = ax.transData.transform([P for P in crowd if not (np.isclose(ends, P).all(axis=1)).any()] or [(9e9, 9e9)])

    def room(bend):
        arc = _bent(ax, ends, bend)[2:-2]
        free = np.linalg.norm(arc[:, None] - others, axis=2).min()
        inside = ax.bbox.contains(*arc[3])
        return min(free, 50) - 20 * abs(bend) - (0 if inside else 1000)

    return max((sign * size for size in (0.25, 0.4, 0.55, 0.75) for sign in (1, -1)), key=room)


def _arc(ax, ends, label, is_tree, bend):
    """An arc with its arrow head and its label beside it; returns points that later arcs should keep away from."""
    ax.annotate("", ends[1], ends[0], zorder=2, arrowprops={
        "arrowstyle": "-|>", "color": INK if is_tree else FORCE, "lw": 1.6, "ls": "-" if is_tree else (0, (4, 2.5)),
        "shrinkA": 13, "shrinkB": 13, "mutation_scale": 13, "connectionstyle": f"arc3,rad={bend}"})
    points = _bent(ax, ends, bend)
    across, up = points[-1] - points[0]
    k = 5 if bend or 1.2 * abs(up) > abs(across) else 8 if up > 0 else 2
    along = points[k + 1] - points[k - 1]
    outward = np.array([along[1], -along[0]]) / np.linalg.norm(along)
    bulge = points[5] - (points[0] + points[-1]) / 2
    if (outward @ bulge if bend else (outward[0] * (1 if ends[1, 0] >= ends[0, 0] else -1))) < 0:
        outward = -outward
    middle = ax.transData.inverted().transform(points[k])
    ax.annotate(label, middle, 5 * outward, textcoords="offset points", fontsize=9, zorder=4,
                ha=_anchor(outward[0], "left", "right"), va=_anchor(outward[1], "bottom", "top"),
                color=MOTION if is_tree else FORCE, path_effects=HALO)
    return list(ax.transData.inverted().transform([points[k] + 25 * outward, *points[3:8]]))


def _anchor(outward, before, behind):
    """Which side of a text stands at its place, so that the text lies outward of it."""
    return before if outward > 0.2 else behind if outward < -0.2 else "center"


# Where a matrix is zero, and why: its pattern, beside the graph of the tree that it belongs to (RBDA 6.4)


def pattern(matrix, *, marked=None, blocks=None, colors=None, title="", ax=None, **options):
    """The pattern of a matrix: a coloured square for each element that is not zero. Returns the axes.

    matrix: numbers, symbols or bools (m x n); floats below 1e-12 of the largest count as zero. marked: bools (m x n),
    the elements to be shown in the colour for emphasis. colors: the colours of the others (m x n). blocks: how many
    rows and columns each block has, for a square matrix whose rows belong to bodies; the blocks are then numbered and
    divided by lines, instead of single rows. options: further ones of `axes2d`, such as fig= and at=.
    Raises ValueError if the shapes do not fit.
    """
    filled = _nonzero(matrix)
    m, n = filled.shape
    marked = np.zeros_like(filled) if marked is None else _of_shape(marked, filled.shape, "marked").astype(bool)
    colors = np.full(filled.shape, INERTIA) if colors is None else _of_shape(colors, filled.shape, "colors")
    ax = axes2d(title, "", "", limits=(0, n, m, 0), **options) if ax is None else ax
    ax.set(xlim=(0, n), ylim=(m, 0), aspect="equal")
    ax.set_title(title, pad=20)                 # above the numbers of the columns
    for i, j in zip(*np.nonzero(filled), strict=True):
        ax.add_patch(Rectangle((j, i), 1, 1, fc=HIGHLIGHT if marked[i, j] else colors[i, j], ec="white", lw=0.8))
    rows, columns = (_edges(blocks, size) for size in (m, n))
    _number(ax.yaxis, rows)
    _number(ax.xaxis, columns)
    ax.xaxis.tick_top()
    ax.grid(False)
    for edges, draw_line in ((rows, ax.axhline), (columns, ax.axvline)):
        for edge in edges[1:-1]:
            draw_line(edge, color=GREY, lw=0.5, alpha=0.6, zorder=3)
    ax.spines[["top", "right", "bottom", "left"]].set(visible=True, color=INK)
    return ax


def sparsity(model, *, title=""):
    """The graph of a tree beside the pattern of its joint-space inertia matrix (RBDA 6.4). Returns the Figure.

    Diagonal blocks are darker; lines divide the blocks of bodies, which carry the numbers of the graph.
    """
    pattern_of_H, v = sparsity_pattern(require_model(model)), model.v_slice
    fig = figure((9.5, 4.4))
    left, right = fig.add_subplot(1, 2, 1, title=title), fig.add_subplot(1, 2, 2)
    graph(model, ax=left, names=False, kinds=False)
    colors = np.full(pattern_of_H.shape, _PALE)
    for i in model.bodies:
        colors[v(i), v(i)] = INERTIA
    count = f"{np.count_nonzero(pattern_of_H)} of {model.nv**2} elements are not zero"
    pattern(pattern_of_H, blocks=[joint.nv for joint in model.joints[1:]], colors=colors, title=count, ax=right)
    return fig


def _nonzero(matrix):
    entries = np.asarray(matrix)
    if entries.ndim != 2:
        raise ValueError(f"matrix has shape {entries.shape}; expected rows and columns.")
    if entries.dtype == bool:
        return entries
    values = as_floats(entries.ravel())
    if values is None:
        return np.array([x != 0 for x in entries.ravel()], dtype=bool).reshape(entries.shape)
    if not np.isfinite(values).all():
        raise ValueError("matrix contains NaN or infinity; a pattern needs elements that are zero or not.")
    return (np.abs(values) > 1e-12 * np.abs(values).max(initial=0)).reshape(entries.shape)


def _of_shape(given, shape, name):
    if np.shape(given) != shape:
        raise ValueError(f"{name} has shape {np.shape(given)}; expected {shape}, that of the matrix.")
    return np.asarray(given)


def _edges(blocks, size):
    """Where the blocks begin, and where the last one ends."""
    edges = np.concatenate([[0], np.cumsum([1] * size if blocks is None else list(blocks))])
    if edges[-1] != size:
        raise ValueError(f"blocks adds up to {edges[-1]}, but the matrix has {size} rows or columns.")
    return edges


def _number(axis, edges):
    """Numbers in the middle of the blocks, and of an empty one none; every fifth where there are many."""
    shown = [k for k in range(1, len(edges)) if edges[k] > edges[k - 1] and (len(edges) < 22 or k % 5 == 0)]
    axis.set_ticks([(edges[k] + edges[k - 1]) / 2 for k in shown], labels=[str(k) for k in shown])
    axis.set_tick_params(length=0, labelsize="medium" if len(shown) < 10 else "x-small")
