"""The finished site becomes lighter without losing a word, and twice is as good as once."""

from PIL import Image

from tools.book.lighter import lighten

CODE = '<i class="fa-bars"></i><pre><span class="k">def</span><span class="w"> </span><span class="n">f</span></pre>'
BATH, LIST = 'bath:[512,512,["tub"],"f2cd","M2"],', '"format-list":[512,512,["a"],"f00d",["M5","M1"]]'
BOOK = '{\n "cells": [\n  {\n   "cell_type": "code",\n   "outputs": [%s],\n   "execution_count": %s\n  }\n ]\n}\n'
#: What is there before and after; None where nothing is left.
FILES = {
    "index.html": (f'<a href="_images/c.png">{CODE}<img src="a.png" /><img src="b.svg" /><img width="1" src="x">',
                   '<a href="_images/c.png"><i class="fa-bars"></i><pre><span class="k">def</span> f</pre>'
                   '<img loading="lazy" width="7" '
                   'height="5" src="a.png" /><img loading="lazy" width="324" height="643" src="b.svg" />'
                   '<img width="1" src="x">'),
    "_images/c.png": ("c",) * 2, "_images/old.png": ("o", None),
    "b.svg": ('<svg id="b" width="324pt" height="642.6pt">',) * 2, "_sources/x.md": ("# X", None),
    "_static/scripts/fontawesome.js": (f"i={{{BATH}{LIST}}}", f"i={{{LIST}}}"), "_static/x.js.map": ("{}", None),
    "_static/scripts/theme.js": ('"fa-format-list"',) * 2,
    "_static/styles/a.css": ('.fa-bars{--fa:"f"}.fa-x,.fa-y{--fa:"g"}p{color:red}', "p{color:red}"),
    "_sources/notebooks/01.ipynb": (BOOK % ("1", "3"), BOOK % ("", "null"))}


def test_code_pictures_icons_and_notebooks_keep_what_is_shown(tmp_path):
    for name, (text, _) in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    Image.new("RGB", (7, 5)).save(tmp_path / "a.png")
    for _ in range(2):
        lighten(tmp_path)
        left = {name: path.read_text() for name in FILES if (path := tmp_path / name).exists()}
        assert left == {name: after for name, (_, after) in FILES.items() if after}
