"""Makes the finished site lighter; what a reader sees stays the same.

Code loses the marks of words that have the colour of the text, the script of icons those that no page shows, notebooks
to download what their cells have shown, the folder pictures of an earlier site. Pictures say how large they are, so
that nothing moves when they come, and wait until a reader moves, or is near them (docs/_static/book.js).
"""

import json
import re
from functools import cache
from pathlib import Path

from PIL import Image

#: Names, punctuation and spaces in code: the styles of docs/conf.py give them the colour of the text.
MARKS = re.compile(r'<span class="(?:n|nn|nx|p|w)">([^<]*)</span>')
PICTURE = re.compile(r'<img (?![^>]*\bwidth=)([^>]*\bsrc="(?!data:)([^"?]+)")')
SVG_SIZE = re.compile(r'<svg[^>]*\bwidth="([\d.]+)\w*" height="([\d.]+)')
#: An icon in the script of the theme, with its name, and in its style: Font Awesome.
ICON = re.compile(r'(?:"([\w-]+)"|\b(\w+)):\[\d+,\d+,\[[^\]]*\],"\w+",(?:"[^"]*"|\[[^\]]*\])\],?')
ICON_STYLE = re.compile(r"\.fa-[\w-]+(?:,\.fa-[\w-]+)*\{--fa:[^}]*\}")
#: The way to a page as its program or author wrote it, in a language that only this site's own tools read.
MARKDOWN = re.compile(r'<li><a href="[^"]*_sources/[^"]*\.md".*?</li>', re.DOTALL)
SHOWN_ICON = re.compile(r"\bfa-([\w-]+)")
SHOWN_PICTURE = re.compile(r"_images/([^\"?#]+)")


def lighten(folder):
    """Makes the site in a folder lighter; one that is light already stays as it is."""
    folder, icons, pictures = Path(folder), set(), set()
    for path in sorted(folder.rglob("*.html")):
        if "_static" not in path.relative_to(folder).parts:
            text = path.read_text(encoding="utf-8")
            _write(path, text, lighter_page(text, path.parent))
            icons |= {*SHOWN_ICON.findall(text)}
            pictures |= {*SHOWN_PICTURE.findall(text)}
    for path in folder.glob("_images/*"):
        if path.name not in pictures:
            path.unlink()
    # What the lines of scripts come from, which only their authors ask for, and the pages before Sphinx made them.
    for path in (*folder.glob("_static/**/*.map"), *folder.glob("_sources/**/*.md")):
        path.unlink()
    scripts = folder / "_static/scripts"
    for path in scripts.glob("*theme.js"):
        icons |= {*SHOWN_ICON.findall(path.read_text(encoding="utf-8"))}
    for path in scripts.glob("fontawesome.js"):
        text = path.read_text(encoding="utf-8")
        _write(path, text, ICON.sub(lambda icon: icon[0] if (icon[1] or icon[2]) in icons else "", text))
    for path in (folder / "_static/styles").glob("*.css"):
        text = path.read_text(encoding="utf-8")
        _write(path, text, ICON_STYLE.sub("", text))
    for path in folder.glob("_sources/notebooks/*.ipynb"):
        text = path.read_text(encoding="utf-8")
        _write(path, text, without_outputs(text))


def lighter_page(text, folder):
    """A page that lies in a folder, without needless marks; its pictures have sizes, and wait for the reader."""
    def picture(match):
        width, height = size(folder / match[2])
        return f'<img loading="lazy" width="{width}" height="{height}" {match[1]}'

    return PICTURE.sub(picture, MARKS.sub(r"\1", MARKDOWN.sub("", text)))


@cache
def size(path):
    """Width and height of a picture in pixels."""
    if path.suffix == ".svg":
        found = SVG_SIZE.search(path.read_text(encoding="utf-8"))
        return tuple(round(float(length)) for length in found.groups())
    with Image.open(path) as image:
        return image.size


def without_outputs(text):
    """A notebook as it is before it is run: whoever downloads it runs it."""
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _write(path, before, after):
    if after != before:
        path.write_text(after, encoding="utf-8")
