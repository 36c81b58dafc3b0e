"""The picture of a pattern has one square for each element that is not zero, in its row and its column."""

import numpy as np
import pytest
import sympy
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from rbdlib import Model, draw, load
from rbdlib.book.ch04_joints import Fixed, Revolute, Spherical
from rbdlib.book.ch06_factorisation import ltl
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.methods.generators import binary_tree


def squares(ax):
    """{(row, column): colour}, counted from 0."""
    found = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert all((patch.get_width(), patch.get_height()) == (1, 1) for patch in found)
    return {(int(patch.get_y()), int(patch.get_x())): to_hex(patch.get_facecolor()).upper() for patch in found}


def numbers(axis):
    return {label.get_text(): position for position, label in
            zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)}


def test_each_element_that_is_not_zero_has_its_square_and_rows_and_blocks_their_numbers():
    matrix = np.array([[2.0, 0, 1e-3], [0, -4, 1e-14]])
    ax = draw.pattern(matrix, title="two rows")
    assert set(squares(ax)) == {(0, 0), (0, 2), (1, 1)}
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 3), (2, 0)), "row 1 is on top"
    assert ax.get_title() == "two rows"
    assert numbers(ax.xaxis) == {"1": 0.5, "2": 1.5, "3": 2.5} and numbers(ax.yaxis) == {"1": 0.5, "2": 1.5}
    x = sympy.Symbol("x")
    assert set(squares(draw.pattern(np.array([[False, True], [True, False]])))) == {(0, 1), (1, 0)}
    assert set(squares(draw.pattern([[x, 0], [x - x, 1]]))) == {(0, 0), (1, 1)}
    ax = draw.axes2d()
    assert draw.pattern(np.zeros((2, 2)), ax=ax) is ax and squares(ax) == {}
    ax = draw.pattern(np.eye(4), blocks=[3, 0, 1])                          # a body without freedom has no number
    assert numbers(ax.xaxis) == numbers(ax.yaxis) == {"1": 1.5, "3": 3.5}
    assert list(numbers(draw.pattern(np.eye(30)).yaxis)) == ["5", "10", "15", "20", "25", "30"]


def test_marked_elements_have_the_colour_for_emphasis_and_sparsity_shows_the_graph_and_the_pattern_of_H():
    H = crba(binary_tree(3), np.linspace(0.2, 1, 7))
    L = np.linalg.cholesky(H)
    fill = (np.abs(L) > 1e-12) & (np.tril(H) == 0)
    found = squares(draw.pattern(L, marked=fill))
    orange = {place for place, color in found.items() if color == draw.HIGHLIGHT}
    assert len(found) == 28 and len(orange) == 11 and orange == {(i, j) for i, j in np.argwhere(fill)}
    assert len(squares(draw.pattern(ltl(H)))) == 17
    model = Model([0, 1, 1, 3], [Spherical(), Revolute("z"), Fixed(), Revolute("x")], [np.eye(6)] * 4, [np.eye(6)] * 4)
    left, right = draw.sparsity(model, title="a tree").axes
    assert [text.get_text() for text in left.texts if text.get_text()].count("4") >= 1
    found = squares(right)
    assert set(found) == {(i, j) for i in range(5) for j in range(5)} - {(3, 4), (4, 3)}
    dark = {place for place, color in found.items() if color == draw.INERTIA}
    assert dark == {(i, j) for i in range(3) for j in range(3)} | {(3, 3), (4, 4)}
    assert right.get_title() == "23 of 25 elements are not zero" and left.get_title() == "a tree"
    assert numbers(right.xaxis) == {"1": 1.5, "2": 3.5, "4": 4.5}
    for name in ("satellite_arm", "particle"):
        model = load(name)
        q, _ = model.random_state(np.random.default_rng(5))
        drawn, H = set(squares(draw.sparsity(model).axes[1])), crba(model, q)
        assert set(zip(*np.nonzero(H), strict=True)) <= drawn == {(j, i) for i, j in drawn}


@pytest.mark.parametrize(("refuse", "error", "message"), [
    (lambda: draw.pattern([1, 2, 3]), ValueError, r"matrix has shape \(3,\); expected rows and columns"),
    (lambda: draw.pattern([[np.nan, 1]]), ValueError, "matrix contains NaN"),
    (lambda: draw.pattern(np.eye(2), marked=np.eye(3)), ValueError, r"marked has shape \(3, 3\); expected \(2, 2\)"),
    (lambda: draw.pattern(np.eye(2), blocks=[1, 2]), ValueError, "blocks adds up to 3, but the matrix has 2"),
    (lambda: draw.sparsity([0, 1]), TypeError, "model")])
def test_bad_input_is_named(refuse, error, message):
    with pytest.raises(error, match=message):
        refuse()
