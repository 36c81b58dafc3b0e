"""Where a matrix is zero, as a picture, and why: its pattern, beside the graph of the tree that it belongs to."""

import numpy as np
from matplotlib.patches import Rectangle

from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch06_inertia_matrix import sparsity_pattern
from rbdlib.draw.graphs import graph
from rbdlib.draw.style import GREY, HIGHLIGHT, INERTIA, INK, axes2d, figure
from rbdlib.numbers.scalars import as_floats


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


def sparsity(model, *, title="", names=False, size=None):
    """The graph of a tree beside the pattern of its joint-space inertia matrix (RBDA 6.4). Returns the Figure.

    Diagonal blocks are darker; lines divide the blocks of bodies, which carry the numbers of the graph. names: whether
    the graph shows the names of the bodies.
    """
    pattern_of_H, v = sparsity_pattern(require_model(model)), model.v_slice
    fig = figure((9.5, 4.4) if size is None else size)
    left, right = fig.add_subplot(1, 2, 1, title=title), fig.add_subplot(1, 2, 2)
    graph(model, ax=left, names=names, kinds=False)
    colors = np.full(pattern_of_H.shape, _PALE)
    for i in model.bodies:
        colors[v(i), v(i)] = INERTIA
    count = f"{np.count_nonzero(pattern_of_H)} of {model.nv**2} elements are not zero"
    pattern(pattern_of_H, blocks=[joint.nv for joint in model.joints[1:]], colors=colors, title=count, ax=right)
    return fig


_PALE = "#7CC8B2"


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
