"""The finished site becomes lighter without losing a word, and twice is as good as once."""

import json

from PIL import Image

from tools.book.lighter import lighten

CODE = '<pre><span class="k">def</span><span class="w"> </span><span class="n">f</span><span class="p">():</span></pre>'
PAGE = f'<i class="fas fa-bars"></i>{CODE}<img src="i/a.png" /><img src="i/b.svg" /><img width="1" src="x">'
BATH = 'bath:[512,512,["tub"],"f2cd","M2"],'
SCRIPT = f'i={{{BATH}"xmark":[384,512,[215,"close"],"f00d","M5 4"],bars:[448,512,["navicon"],"f0c9",["M0","M1"]]}}'
BOOK = {"cells": [{"cell_type": "code", "source": "1", "outputs": [{"x": 1}], "execution_count": 3},
                  {"cell_type": "markdown", "source": "Text"}]}
FILES = {"index.html": PAGE, "i/b.svg": '<svg id="b" width="324pt" height="642.6pt">', "_sources/x.md": "# X",
         "_static/scripts/fontawesome.js": SCRIPT, "_static/scripts/theme.js": '"fa-xmark"', "_static/x.js.map": "{}",
         "_static/styles/a.css": '.fa-bars{--fa:"f"}.fa-x,.fa-y{--fa:"g"}p{color:red}',
         "_sources/notebooks/01.ipynb": json.dumps(BOOK)}


def test_code_pictures_icons_and_notebooks_keep_what_is_shown(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    Image.new("RGB", (7, 5)).save(tmp_path / "i/a.png")
    for _ in range(2):
        lighten(tmp_path)
        left = {name: path.read_text() for name in FILES if (path := tmp_path / name).exists()}
        assert left.keys() == FILES.keys() - {"_sources/x.md", "_static/x.js.map"}
        assert left["index.html"] == (
            '<i class="fas fa-bars"></i><pre><span class="k">def</span> f():</pre><img loading="lazy" width="7" '
            'height="5" src="i/a.png" /><img loading="lazy" width="324" height="643" src="i/b.svg" />'
            '<img width="1" src="x">')
        assert left["_static/scripts/fontawesome.js"] == SCRIPT.replace(BATH, "")
        assert left["_static/styles/a.css"] == "p{color:red}"
        code, text = json.loads(left["_sources/notebooks/01.ipynb"])["cells"]
        assert (code["outputs"], code["execution_count"], code["source"], text["source"]) == ([], None, "1", "Text")
