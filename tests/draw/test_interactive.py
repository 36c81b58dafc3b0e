"""Controls redraw their picture in place, and nothing random is saved."""

import io
import re
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
from matplotlib import pyplot
from nbclient import NotebookClient
from PIL import Image

from rbdlib import draw
from rbdlib.draw.interactive import Control, Exploration, Picture, slider

ipywidgets = pytest.importorskip("ipywidgets")


def dot(x, color="black"):
    """A dot on a line."""
    ax = draw.axes2d(limits=(0, 10, -1, 1))
    draw.point(ax, (x, 0), color=color)
    return ax


@pytest.fixture
def screen(monkeypatch):
    """Stands in for the notebook: what was displayed, and what replaced it."""
    screen = SimpleNamespace(shown=[], updates=[])
    handle = SimpleNamespace(update=screen.updates.append)
    monkeypatch.setattr("IPython.display.display", lambda thing, **_: screen.shown.append(thing) or handle)
    monkeypatch.setattr("rbdlib.draw.interactive.in_notebook", lambda: True)
    monkeypatch.delenv("RBDLIB_STATIC", raising=False)
    return screen


@pytest.mark.slow
def test_controls_are_shown_above_the_picture_and_replace_it(screen):
    assert draw.explore(dot, x=(0.0, 10.0, 0.5, 3.0), color=["black", "red"]) is None
    controls, picture = screen.shown
    assert "application/vnd.jupyter.widget-view+json" in controls
    assert controls["text/plain"] == "[controls, live when this cell is run: x from 0 to 10; color: black or red]"
    assert repr(picture) == "[picture: A dot on a line; x = 3, color = black]" and not pyplot.get_fignums()
    colors = Control("black", options=("black", "red"))
    shown = Exploration(dot, {"x": slider(0, 10, 0.5, 3, "$x_1$", "m"), "color": colors}, "")
    shown.show()
    shown.widgets["x"].value = 7.5
    shown.widgets["color"].value = "red"
    first, second = screen.updates
    assert repr(first) == "[picture: A dot on a line; x_1 = 7.5 m, color = black]"
    assert repr(second) == "[picture: A dot on a line; x_1 = 7.5 m, color = red]"
    assert len({screen.shown[-1].png, first.png, second.png}) == 3
    assert first.png == draw.picture(dot(7.5), "x").png


def test_an_error_is_reported_under_the_controls_until_a_picture_can_be_drawn_again(screen, monkeypatch):
    monkeypatch.setattr("rbdlib.draw.interactive.picture", lambda drawing, alt: Picture(b"", alt))

    def fragile(x):
        draw.axes2d()
        if x > 5:
            raise ValueError("x <too far>")
        return dot(x)

    shown = Exploration(fragile, {"x": slider(0, 10, 1, 3)}, "")
    shown.show()
    shown.widgets["x"].value = 8
    assert not screen.updates and shown.message.value == "<b>ValueError</b>: x &lt;too far&gt;"
    assert not pyplot.get_fignums()
    shown.widgets["x"].value = 2
    assert len(screen.updates) == 1 and not shown.message.value


@pytest.mark.parametrize("hide", [lambda patch: patch.setenv("RBDLIB_STATIC", "1"),
                                  lambda patch: patch.setitem(sys.modules, "ipywidgets", None)])
def test_without_controls_the_picture_remains_and_outside_a_notebook_it_just_draws(screen, monkeypatch, hide):
    hide(monkeypatch)
    draw.explore(dot, x=(0.0, 10.0, 0.5, 3.0))
    controls, picture = screen.shown
    assert list(controls) == ["text/plain"] and isinstance(picture, Picture)
    monkeypatch.undo()
    calls = []
    draw.explore(lambda x: calls.append(x) or dot(x), x=(0.0, 10.0, 0.5, 3.0))
    assert calls == [3.0] and len(pyplot.get_fignums()) == 1


@pytest.mark.parametrize(("given", "kind", "value"), [
    ((0, 5, 1, 2), "IntSlider", 2), ((0, 5, 0.5, 2), "FloatSlider", 2), (True, "Checkbox", True),
    ([1, 2, 3], "Dropdown", 1)])
def test_the_kind_of_control_follows_from_what_is_given(screen, monkeypatch, given, kind, value):
    made = []
    monkeypatch.setattr("ipywidgets.VBox", lambda children: made.extend(children) or ipywidgets.Box(children))
    draw.explore(lambda x: dot(float(x)), x=given)
    assert (type(made[0]).__name__, made[0].value) == (kind, value)


@pytest.mark.parametrize(("wrong", "error", "message"), [
    (lambda: draw.explore(dot, x="far"), TypeError, "control x is 'far'; expected"),
    (lambda: draw.explore(dot, x=(0, 1, 0.1)), TypeError, "control x is"),
    (lambda: draw.explore(dot, y=(0, 1, 0.1, 0)), TypeError, "dot does not fit its controls y: .*one control for"),
    (lambda: draw.explore(dot, x=(0, 1, 0.1, 2)), ValueError, "value=2; expected"),
    (lambda: draw.slider(1, 0, 0.1, 0.5), ValueError, "expected min < max"),
    (lambda: draw.slider(0, 1, 0, 0.5), ValueError, "a positive step"),
    (lambda: draw.slider(0, np.inf, 1, 0), ValueError, "contains inf"),
    (lambda: draw.explore(lambda x: None, x=True), TypeError, "returned NoneType; expected a figure or axes"),
    (lambda: draw.picture(3, "three"), TypeError, "drawing is 3"),
    (lambda: draw.picture(dot(1), ""), ValueError, "alt is ''"),
    (lambda: draw.animate(dot, 0), ValueError, "n_frames is 0"),
    (lambda: draw.animate(lambda k: k, 3), TypeError, "returned int"),
    (lambda: draw.animate(lambda k: draw.figure((2 + k, 2)), 2), ValueError, "different sizes")])
def test_bad_input_is_named(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong()


@pytest.mark.slow
def test_an_animation_holds_every_frame():
    def roll(k):
        """A dot moves to the right."""
        return dot(k)

    film = draw.animate(roll, 5, interval=40)
    with Image.open(io.BytesIO(film.png)) as image:
        assert (image.n_frames, image.info["duration"], image.info["loop"]) == (5, 40, 0)
        image.seek(4)
        last = np.asarray(image.convert("RGB"), int)
    with Image.open(io.BytesIO(draw.picture(dot(4), "x").png)) as still:
        assert np.abs(last - np.asarray(still.convert("RGB"))).max() < 30        # 250 colours are enough
    assert repr(film) == "[picture: A dot moves to the right; an animation of 5 frames]"
    assert not pyplot.get_fignums()


CELLS = [
    """from rbdlib import draw
import numpy as np
def dot(x):
    '''A dot on a line.'''
    ax = draw.axes2d(limits=(0, 10, -1, 1))
    draw.point(ax, (x, 0))
    return ax
draw.explore(dot, x=draw.slider(0, 10, 0.5, 3, unit="m"))""",
    "draw.particle((2, 1))", "ax = draw.axes3d()\ndraw.frame(ax, label='A')", "draw.picture(dot(4), 'A dot at 4 m')",
    "draw.formula(v=np.array([0, 0, 1.0, 0, 0, 0]))", "draw.table([['x', 1.5]], ['axis', 'length (m)'])",
    "draw.show_code(dot)", "draw.animate(lambda k: dot(k), 2, alt='A dot moves')",
    "from rbdlib import load\nmodel = load('pendulum')\ndraw.graph(model)",
    "draw.model(draw.axes_for(model, [0.4]), model, [0.4])",
    "draw.animate(model, [0, 0.1], [[0], [0.4]])"]
MOVE = """from ipywidgets.widgets.widget import _instances
next(w for w in _instances.values() if type(w).__name__ == 'FloatSlider').value = 6.5"""


@pytest.mark.slow
def test_every_cell_saves_what_it_should_and_nothing_random_and_the_saved_picture_itself_is_replaced():
    """A real kernel runs the cells, the same cells once more, and a cell that moves the first control."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in (*CELLS, *CELLS, MOVE)])
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    outputs = [cell.outputs for cell in notebook.cells]
    kernel = outputs[: len(CELLS)], outputs[len(CELLS) : -1], outputs[-1]
    still = ["image/png", "text/plain"]
    for outputs in kernel[:2]:
        assert [[sorted(output.data) for output in cell] for cell in outputs] == [
            [["application/vnd.jupyter.widget-view+json", "text/plain"], still], [still], [still], [still],
            [["text/latex", "text/plain"]], [["text/html", "text/plain"]], [["text/markdown", "text/plain"]],
            [still], [still], [still], [still]]
    one, other = ([value for outputs in (cells[0][:1], *cells[1:]) for output in outputs
                   for kind, value in output.data.items() if "text" in kind] for cells in kernel[:2])
    assert not [text for text in one if re.search(r"0x[0-9a-f]{4,}| at \w*object", text)] and one == other
    (_, moved), (_, saved) = kernel[0][0], kernel[1][0]
    assert saved.metadata["image/png"]["alt"] == "A dot on a line; x = 3 m"
    assert moved.data["text/plain"] == "[picture: A dot on a line; x = 6.5 m]"
    assert moved.data["image/png"] != saved.data["image/png"] and not kernel[2]


@pytest.mark.slow
def test_drawing_needs_neither_ipywidgets_nor_sympy_but_names_the_remedy_where_matplotlib_lacks():
    lacking, alone = (subprocess.run([sys.executable, "-c", code], capture_output=True, text=True) for code in (
        "import sys; sys.modules['matplotlib'] = None; import rbdlib; import rbdlib.draw",
        "import sys, matplotlib as m; was = dict(m.rcParams); from rbdlib import draw; assert was == m.rcParams; "
        "print({'ipywidgets', 'sympy', 'IPython'} & set(sys.modules))"))
    assert lacking.returncode != 0
    assert 'ImportError: rbdlib.draw needs matplotlib. Install it with: pip install "rbdlib[plot]"' in lacking.stderr
    assert (alone.stdout, alone.returncode) == ("set()\n", 0)
    assert pyplot.rcParams["figure.dpi"] == 110, "the look of the book is asked for, not imposed (conftest.py)"
    texts = ("font.", "axes.label", "axes.title", "xtick.label", "ytick.label", "legend.font")
    assert min(pyplot.rcParams[f"{text}size"] for text in texts) >= 10, "pictures are readable at the width of a page"
