"""The controls of the notebooks' figures in pages: which positions are drawn, that they show what they say, and how."""

import json
import os
import shutil
import subprocess
import sys

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from PIL import Image

from rbdlib.draw.interactive import Control, Exploration, slider
from tools.book import live, positions
from tools.book.controls import closing, controls, drawn_figures, opening, told
from tools.book.places import NOTEBOOKS, ROOT

NODE = shutil.which("node")


# Which positions

@pytest.mark.parametrize("given", [(-3.1, 3.1, 0.1, -2.0), (1, 8, 1, 6), (0.15, 0.4, 0.01, 0.32), (0, 6.2, 0.1, 1.0)])
@pytest.mark.parametrize("most", [5, 21])
def test_positions_of_a_slider_are_places_of_it_from_end_to_end_and_its_start(given, most):
    low, high, step, start = given
    found = positions.positions(slider(*given), most)
    assert start in found and found == sorted(set(found)) and len(found) == min(most, round((high - low) / step) + 1)
    assert (found[0], found[-1]) == pytest.approx((low, high))
    assert np.allclose([round((x - low) / step) * step + low for x in found], found, atol=1e-9)
    assert np.diff(found).max() <= 2.01 * (high - low) / (len(found) - 1)
    assert all(isinstance(x, int) == isinstance(start, int) for x in found)


def test_few_combinations_are_all_drawn_and_of_many_those_with_one_slider_off_its_start():
    alone = slider(0.0, 1.0, 0.01, 0.2)
    for given, counts in (([alone], [15]), ([alone, slider(0, 90, 5, 45)], [5, 5]),
                          ([alone, Control("a", options=("a", "b", "c"))], [10, 3])):
        values, combinations = positions.plan(given)
        assert [len(one) for one in values] == counts and len(set(combinations)) == np.prod(counts), counts
    assert values[1] == ["a", "b", "c"]
    assert positions.plan([Control(False, options=(False, True))]) == ([[False, True]], [(0,), (1,)])

    sliders = [slider(0.0, 1.0, 0.01, 0.2), slider(0, 90, 5, 45), slider(1, 4, 1, 2)]
    given = [*sliders, Control(False, options=(False, True))]
    values, combinations = positions.plan(given)
    start = tuple(one.index(control.value) for one, control in zip(values, given, strict=True))
    one_by_one = sum(len(one) - 1 for one in values[:3]) + 1
    assert start in combinations and len(set(combinations)) == len(combinations) == 2 * one_by_one
    assert all(sum(i != j for i, j in zip(places[:3], start, strict=False)) <= 1 for places in combinations)


# The pictures

def grey(level, inverted):
    """A grey picture."""
    if level > 0.9:
        raise ValueError("too bright")
    return plt.figure(figsize=(1, 1), facecolor=str(1 - level if inverted else level))


def test_each_picture_is_drawn_with_its_values_and_says_them(tmp_path):
    given = {"level": Control(0.4, (0.0, 1.0, 0.1), label="brightness", unit="%"),
             "inverted": Control(False, options=(False, True))}
    found = positions.film(Exploration(grey, given, ""), tmp_path / "0")
    levels = [float(value) for value in found["controls"][0]["values"]]
    assert [control["kind"] for control in found["controls"]] == ["slider", "tick"]
    assert levels[found["controls"][0]["start"]] == 0.4 and len(found["pictures"]) == 2 * len(levels)
    for name, picture in found["pictures"].items():
        i, inverted = map(int, name.split("-"))
        if levels[i] > 0.9:
            assert picture == {"error": "ValueError: too bright"} and not (tmp_path / f"0/{name}.webp").exists()
            continue
        assert picture["alt"] == f"A grey picture; brightness = {levels[i]:g} %, inverted = {bool(inverted)}"
        shade = np.asarray(Image.open(tmp_path / f"0/{name}.webp"))[5, 5, 0] / 255
        assert shade == pytest.approx(1 - levels[i] if inverted else levels[i], abs=0.03)
    assert controls(found["said"], found["pictures"]["0-0"]["alt"])[0].value == "0"


NOTEBOOK = ("import matplotlib.pyplot as plt\nfrom rbdlib import draw\ndef bars(n):\n    'Bars.'\n"
            "    fig, ax = plt.subplots()\n    ax.bar(range(n), factor)\n    return ax\nfactor = 1",
            "draw.explore(bars, n=(1, 3, 1, 2))", "factor = 2", "print('words')\ndraw.explore(bars, n=(2, 4, 1, 2))")


RECORD = """import json, sys
from pathlib import Path
from tools.book.positions import record
print(json.dumps(record(Path(sys.argv[1]) / "bars.ipynb", Path(sys.argv[1]))))
try:
    record(Path(sys.argv[1]) / "fails.ipynb", Path(sys.argv[1]) / "fails")
except RuntimeError as error:
    print(error)"""


@pytest.mark.slow
def test_a_notebook_is_run_each_of_its_figures_drawn_when_its_cell_is_reached_and_a_cell_that_fails_named(tmp_path):
    """In a process of its own."""
    for name, cells in (("bars", NOTEBOOK), ("fails", [*NOTEBOOK[:2], "1 / 0"])):
        made = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, cells)])
        nbformat.write(made, tmp_path / f"{name}.ipynb")
    done = subprocess.run([sys.executable, "-c", RECORD, tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    found, failure = done.stdout.splitlines()
    first, second = json.loads(found)
    assert [*first["pictures"]] == [*second["pictures"]] == ["0", "1", "2"]
    assert first["controls"][0]["values"] == ["1", "2", "3"] and second["controls"][0]["values"] == ["2", "3", "4"]
    two = [np.asarray(Image.open(tmp_path / name), float).mean() for name in ("0/1.webp", "1/0.webp")]
    assert two[0] == pytest.approx(two[1], rel=0.05)              # two bars, of heights 1 and 2: the axes differ
    assert (tmp_path / "0/1.webp").read_bytes() != (tmp_path / "1/0.webp").read_bytes()
    assert failure.startswith("fails.ipynb: cell 2 fails with ZeroDivisionError: division by zero.")


def test_pictures_depend_on_the_code_of_a_notebook_and_not_on_its_words_or_outputs(tmp_path):
    path, keys = tmp_path / "x.ipynb", []
    for source, words in (("a = 1", "Why"), ("a = 1", "Because"), ("a = 2", "Why")):
        cells = [nbformat.v4.new_code_cell(source), nbformat.v4.new_markdown_cell(words)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
        keys.append(positions.key(path))
    assert keys[0] == keys[1] != keys[2]
    with pytest.raises(SystemExit, match="There is no notebook 99_x; there are 00_start_here, 01_particle"):
        positions.main(["99_x"])


# The page

def test_the_page_has_labels_units_and_values_and_no_text_can_end_the_script():
    said = controls("[controls, live when this cell is run: tilt (°) from -5 to 5; both: False or True]", "")
    figure = {"controls": [{"kind": "slider", "values": ["-5", "5"], "start": 1},
                           {"kind": "choice", "values": ["</script>", "-"], "start": 0}],
              "pictures": {"1-0": {"alt": "x"}}}
    known = told(said, figure)
    assert known["controls"][0] == {"kind": "slider", "values": ["−5", "5"], "start": 1, "label": "tilt", "unit": "°"}
    html = opening("../positions/x/0") + closing(known)
    assert html.count("</script>") == 2 and 'data-pictures="../positions/x/0"' in html
    assert json.loads(html.partition('json">')[2].partition("</script>")[0]) == known


@pytest.mark.skipif(NODE is None, reason="Node runs the JavaScript, and it is not installed here")
def test_where_there_is_no_picture_of_a_combination_the_other_sliders_go_back(tmp_path):
    shutil.copytree(live.SOURCES, tmp_path / "live")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    told = {"controls": [{"kind": "slider", "start": 1}, {"kind": "slider", "start": 0}, {"kind": "tick", "start": 0}],
            "pictures": {f"{places}-{tick}": {} for places in ("1-0", "0-0", "2-0", "1-1") for tick in (0, 1)}}
    moves = [[2, 0, 0], 0], [[2, 1, 0], 1], [[0, 1, 1], 0], [[2, 0, 1], 2]
    (tmp_path / "script.mjs").write_text(
        f'import {{ nearest }} from "./live/positions.js";\nconst told = {json.dumps(told)};\n'
        f"const found = {json.dumps(moves)}.map(([wanted, moved]) => nearest(told, wanted, moved).places);\n"
        "console.log(JSON.stringify(found));")
    done = subprocess.run([NODE, tmp_path / "script.mjs"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [[2, 0, 0], [1, 1, 0], [0, 0, 1], [2, 0, 1]]


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_where_pictures_were_made_they_belong_to_the_figures_that_the_notebook_shows(path):
    if os.environ.get("RBDLIB_BROWSER") != "needed" or not positions.are_there(path):
        pytest.skip("`make test-browser` looks at the pictures that `make book` has drawn for this notebook as it is.")
    outputs = [output.get("data", {}).get("text/plain", "") for cell in nbformat.read(path, 4).cells
               for output in cell.get("outputs", [])]
    shown = [text for text in outputs if text.startswith("[controls")]
    assert [figure["said"] for figure in drawn_figures(path.stem)] == shown
