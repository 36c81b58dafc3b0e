"""The connectivity graph as a picture: bodies as nodes, joints as labelled arcs (RBDA 4.1)."""

import numpy as np

from rbdlib.connectivity import Connectivity, ConnectivityGraph
from rbdlib.draw.shapes import _HALO
from rbdlib.draw.style import GREY, HIGHLIGHT, INK, MOTION, axes2d, figure
from rbdlib.model import Model

_BASE = "#C9C9C9"


def graph(system, *, tree=None, kinds=None, title="", ax=None, size=None):
    """The connectivity graph of a system: bodies as nodes, joints as arcs with arrows from predecessor to successor.

    system: a Model, a `Connectivity` (numbered) or a `ConnectivityGraph` (not yet numbered). The base stands at the
    bottom and the tree grows upwards; loop joints are dashed. tree: for a ConnectivityGraph, the names of the tree
    joints (see its `spanning_tree`). kinds: whether to write the joints' types beside their numbers; without it this
    is done for a Model with few branches. size: of a new figure, in inches. Returns the axes.
    """
    nodes, arcs, captions = _read(system, tree, kinds)
    place = _layout(nodes, [(p, s) for _, p, s, is_tree in arcs if is_tree])
    height = max(y for _, y in place.values())
    width = max(x for x, _ in place.values())
    if ax is None:
        size = (7, float(np.clip(1.0 + 0.75 * height, 2.2, 9))) if size is None else size
        ax = axes2d(title, "", "", equal=False, fig=figure(size))
    ax.set_axis_off()
    ax.set(xlim=(-0.75, max(width, 1) + 0.75), ylim=(-0.5, height + 0.5))
    taken = {}
    for label, p, s, is_tree in arcs:
        again = taken[frozenset((p, s))] = taken.get(frozenset((p, s)), -1) + 1
        _arc(ax, place[p], place[s], label, is_tree, again)
    for name, text in nodes.items():
        x, y = place[name]
        base = name == next(iter(nodes))
        ax.text(x, y, text, ha="center", va="center", zorder=6, fontsize=10, color=INK,
                bbox={"boxstyle": "round,pad=0.3" if base or len(text) > 2 else "circle,pad=0.3",
                      "fc": _BASE if base else "white", "ec": INK, "lw": 1.4})
        if captions.get(name):
            ax.annotate(captions[name], (x, y), (14, 0), textcoords="offset points", va="center", fontsize=9,
                        color=GREY, zorder=5, path_effects=_HALO)
    return ax


def _read(system, tree, kinds):
    """({node: text}, base first; [(label, predecessor, successor, is tree joint)]; {node: caption})."""
    if isinstance(system, ConnectivityGraph):
        tree = system.spanning_tree() if tree is None else list(tree)
        nodes = {name: str(name) for name in (system.base, *system.bodies)}
        return nodes, [(str(name), *ends, name in tree) for name, ends in system.joints.items()], {}
    if not isinstance(system, (Model, Connectivity)):
        raise TypeError(f"system is {type(system).__name__}; expected a Model, Connectivity or ConnectivityGraph.")
    numbered = Connectivity.of(system) if isinstance(system, Model) else system
    nodes = {0: "0", **{i: str(i) for i in range(1, numbered.N_B + 1)}}
    names = numbered.bodies
    captions = {i: str(names[i]) for i in nodes if str(names[i]) not in (str(i), f"body {i}")}
    labels = {i: str(i) for i in range(1, numbered.N_J + 1)}
    if isinstance(system, Model):
        if kinds or kinds is None:
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

    def settle(name, above, y):
        nonlocal leaves
        place[name] = None
        children = [other for other in near[name] if other != above and other not in place]
        for child in children:
            settle(child, name, y + 1)
        if children:
            x = (place[children[0]][0] + place[children[-1]][0]) / 2
        else:
            x, leaves = float(leaves), leaves + 1
        place[name] = (x, float(y))

    settle(base, None, 0)
    return place


def _arc(ax, start, end, label, is_tree, again):
    """An arc with its arrow head; loop joints and second joints between the same bodies are bent."""
    bend = 0.0 if is_tree and not again else 0.28 + 0.2 * again
    color = INK if is_tree else HIGHLIGHT
    ax.annotate("", end, start, zorder=2, arrowprops={
        "arrowstyle": "-|>", "color": color, "lw": 1.6, "ls": "-" if is_tree else (0, (5, 3)), "shrinkA": 13,
        "shrinkB": 13, "mutation_scale": 13, "connectionstyle": f"arc3,rad={bend}"})
    to_inches = ax.transData.transform
    a, b = to_inches(start), to_inches(end)
    middle = (a + b) / 2 + bend / 2 * np.array([b[1] - a[1], a[0] - b[0]])
    x, y = ax.transData.inverted().transform(middle)
    sideways = abs(b[0] - a[0]) < abs(b[1] - a[1])
    ax.annotate(label, (x, y), (4, 0) if sideways else (0, 4), textcoords="offset points", fontsize=9, zorder=4,
                ha="left" if sideways else "center", va="center" if sideways else "bottom",
                color=MOTION if is_tree else color, path_effects=_HALO)
