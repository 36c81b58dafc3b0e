"""The picture of a connectivity graph has one node for each body and one arc for each joint, the right way round."""

import pytest
from matplotlib.text import Annotation

import rbdlib
from rbdlib import draw
from rbdlib.methods.connectivity import Connectivity, ConnectivityGraph, regular_numbering

LOOPED = ConnectivityGraph("ABCDE", {"a": ("base", "A"), "b": ("A", "B"), "c": ("C", "B"), "d": ("base", "C"),
                                     "e": ("B", "D"), "f": ("D", "E"), "g": ("E", "A")})


def read(ax):
    """({place: text} of the nodes, [(start, end, dashed)] of the arcs, all other texts)."""
    nodes, arcs, texts = {}, [], []
    for text in ax.texts:
        if isinstance(text, Annotation) and text.arrow_patch is not None:
            arcs.append((text.xyann, text.xy, text.arrow_patch.get_linestyle() not in ("-", "solid")))
        elif isinstance(text, Annotation):
            texts.append(text.get_text())
        else:
            nodes[text.get_position()] = text.get_text()
    return nodes, arcs, texts


@pytest.mark.parametrize(("tree", "chords"), [(None, "dg"), ("abdef", "cg"), ("abcfg", "de")])
def test_an_unnumbered_graph_is_drawn_by_its_names_with_the_joints_outside_the_tree_dashed(tree, chords):
    nodes, arcs, texts = read(draw.graph(LOOPED, tree=tree))
    assert sorted(nodes.values()) == ["A", "B", "C", "D", "E", "base"] and sorted(texts) == list("abcdefg")
    assert sorted((nodes[tuple(a)], nodes[tuple(b)]) for a, b, _ in arcs) == sorted(LOOPED.joints.values())
    dashed = {(nodes[tuple(a)], nodes[tuple(b)]) for a, b, is_dashed in arcs if is_dashed}
    assert dashed == {LOOPED.joints[name] for name in chords}


def test_each_body_stands_above_its_parent_with_its_joint_and_branches_do_not_overlap():
    numbered, ax = regular_numbering(LOOPED), draw.axes2d()
    assert draw.graph(numbered, ax=ax, title="five bodies") is ax and ax.get_title() == "five bodies"
    nodes, _, texts = read(ax)
    assert {"1: a", "3: c", "7: g", "A", "E"} <= set(texts)
    place = {int(text): P for P, text in nodes.items()}
    assert len(place) == 6 and place[0][1] == 0
    for i in range(1, 6):
        assert place[i][1] == place[numbered.parent[i]][1] + 1
    nodes, arcs, texts = read(draw.graph(rbdlib.load("lamp")))
    assert [nodes[(0.0, float(k))] for k in range(6)] == list("012345")
    assert not any(dashed for *_, dashed in arcs)
    assert {"1: prismatic x", "5: revolute z", "slider x", "head", "base"} <= set(texts)
    assert sorted(read(draw.graph(rbdlib.load("lamp"), names=False, kinds=False))[2]) == list("12345")
    model = rbdlib.load("four_bar")
    nodes, arcs, texts = read(draw.graph(model))
    (loop,) = [(nodes[tuple(a)], nodes[tuple(b)]) for a, b, dashed in arcs if dashed]
    assert loop == (str(model.predecessor(4)), str(model.successor(4))) and "4: revolute z" in texts
    nodes, arcs, _ = read(draw.graph(Connectivity([0, 0], [1, 1])))
    assert [dashed for *_, dashed in arcs] == [False, True]
    ax = draw.graph(ConnectivityGraph("A", {1: ("base", "A"), 2: ("A", "base")}))
    styles = [text.arrowprops["connectionstyle"] for text in ax.texts
              if isinstance(text, Annotation) and text.arrow_patch is not None]
    assert styles[0] == "arc3,rad=0.0" and styles[1] != styles[0]
    model = rbdlib.load("g1")
    ax = draw.graph(model)
    nodes, arcs, _ = read(ax)
    assert len(nodes) == model.N_B + 1 and len(arcs) == model.N_J
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts if not isinstance(text, Annotation)]
    assert not [1 for k, one in enumerate(boxes) for other in boxes[:k] if one.overlaps(other)]
    with pytest.raises(TypeError, match="system is list; expected a Model, Connectivity or ConnectivityGraph"):
        draw.graph([0, 1])
