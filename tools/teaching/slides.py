"""Slides and board plans from the notebooks: ``make slides``, or ``python -m tools.teaching.slides [--only NN ...]``.

A deck (reveal.js) holds what a lecture shows of a notebook: headings, numbered formulas, tables, pictures, films, the
programs that grow on the page, and the questions of the stops with their answers a click later. A board plan is one
printed page for the lecturer: formulas, tables and stops of the core sections, and the card. Nothing is fetched when
they are shown: scripts lie beside them.
"""

import argparse
import html
import re
import shutil
import sys
from pathlib import Path

import nbformat
from nbconvert.filters import markdown2html

from tools.book.vendor import MATHJAX, package

ROOT = Path(__file__).resolve().parents[2]
REVEAL = "reveal.js@5.2.1"
MATHJAX_PARTS = ("tex-svg-full.js", "a11y", "sre", "input/mml", "ui")
REVEAL_PARTS = ("dist/reset.css", "dist/reveal.css", "dist/reveal.js", "dist/theme/white.css", "LICENSE")
STOP = re.compile(r"> \*\*Stop\.\*\*(.*?)<details><summary>Answer</summary>(.*?)</details>", re.DOTALL)
#: Formulas with their numbers, and tables: what of a text is shown.
SHOWN = re.compile(r"\$\$.*?\$\$|(?:^\|[^\n]*\|$\n?)+", re.DOTALL | re.MULTILINE)
#: Letters of a board plan that fill a page in the largest type, and of formulas and tables on one slide.
FULL, SLIDE = 3200, 500
TYPESET = """<script>MathJax = {{ tex: {{ inlineMath: [["$", "$"]] }} }};</script>
<script src="mathjax/tex-svg-full.js" defer></script>"""

DECK = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<link rel="stylesheet" href="reveal/dist/reset.css"><link rel="stylesheet" href="reveal/dist/reveal.css">
<link rel="stylesheet" href="reveal/dist/theme/white.css">
<style>.reveal {{ font-size: 26px }} .reveal h1, .reveal h2 {{ text-transform: none; font-size: 1.4em }}
.reveal img {{ max-height: 560px }} .reveal pre {{ width: 100%; font-size: 0.62em; box-shadow: none }}
.reveal table {{ font-size: 0.7em }} .reveal figcaption {{ font-size: 0.7em }}
mjx-container[display] svg {{ max-width: 100%; height: auto }}</style>
""" + TYPESET + """</head>
<body><div class="reveal"><div class="slides">
{sections}
</div></div><script src="reveal/dist/reveal.js"></script>
<script>Reveal.initialize({{ hash: true }});</script></body></html>
"""
BOARD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}: board plan</title>
<style>@page {{ size: A4 landscape; margin: 8mm }} body {{ font: {size}pt/1.25 sans-serif; columns: 3; margin: 0 }}
h1 {{ font-size: 1.5em; column-span: all; margin: 0 }} h2 {{ font-size: 1.15em; margin: 0.5em 0 0.2em }}
p, table {{ margin: 0.2em 0 }} td, th {{ border-bottom: 1px solid #bbb; text-align: left; padding: 0 0.3em }}
mjx-container[display] svg {{ max-width: 100%; height: auto }}</style>
""" + TYPESET + """</head><body>
{sections}
</body></html>
"""


def parts(notebook):
    """What is shown of a notebook, in order: tuples (kind, text).

    kind: "title", "heading", "formula" (or table), "stop" (question and answer), "code", or "picture" (caption, then
    PNG in base 64, then alternative text). Exercises and prose are left out.
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield from _of_text(cell.source)
        elif cell.cell_type == "code":
            folded = cell.source.startswith("# @title ")
            if not folded and re.search(r"^def ", cell.source, re.MULTILINE) and "check(" not in cell.source:
                yield "code", (cell.source,)
            for output in cell.outputs:
                if picture := output.get("data", {}).get("image/png"):
                    caption = cell.source.partition("\n")[0].removeprefix("# @title ") if folded else ""
                    yield "picture", (caption, picture, output.metadata.get("image/png", {}).get("alt", ""))


def _of_text(text):
    if text.startswith("# "):
        title, _, rest = text.partition("\n")
        able = re.search(r"\*After this notebook you can\*(.*)", rest)
        yield "title", (title[2:], "After this lecture you can" + able[1] if able else "")
    stops = [tuple(re.sub(r"^> ?", "", part, flags=re.MULTILINE).strip() for part in found.groups())
             for found in STOP.finditer(text)]
    for block in re.split(r"^(?=##+ )", STOP.sub("", text), flags=re.MULTILINE):
        if block.startswith("##"):
            yield "heading", (block.partition("\n")[0].lstrip("# "), "*Further" not in block[:300])
        if "**Exercise" not in block:
            for shown in SHOWN.findall(block):
                yield "formula", (shown.strip(),)
    for stop in stops:
        yield "stop", stop


def deck(notebook):
    """The slides of a notebook as one HTML page."""
    sections, title, heading = [""], "", "<h2>"
    for kind, content in parts(notebook):
        if kind == "title":
            title = content[0]
            body = f"<h1>{_inline(title)}</h1>{_html(content[1])}"
        elif kind == "heading":
            heading = f"<h2>{_inline(content[0])}</h2>"
            body = heading
        elif kind == "picture":
            caption, png, alt = content
            body = (f'<figure><img src="data:image/png;base64,{png}" alt="{html.escape(alt)}">'
                    f"<figcaption>{_inline(caption)}</figcaption></figure>")
        elif kind == "code":
            body = f"<pre><code>{html.escape(content[0])}</code></pre>"
        elif kind == "stop":
            body = f'<h2>Stop</h2>{_html(content[0])}<div class="fragment">{_html(content[1])}</div>'
        elif sections[-1].startswith(heading) and len(sections[-1] + content[0]) < SLIDE:
            sections[-1] += _html(content[0])
            continue
        else:
            body = heading + _html(content[0])
        sections.append(body)
    slides = "\n".join(f"<section>{body}</section>" for body in sections[1:])
    return DECK.format(title=html.escape(title), sections=slides)


def board(notebook):
    """The board plan of a notebook as one HTML page: what is core, in type that fits a sheet."""
    lines, title, core = [], "", True
    for kind, content in parts(notebook):
        if kind == "title":
            title = content[0]
        elif kind == "heading":
            heading, core = content
            lines += [f"<h2>{_inline(heading)}</h2>"] * core
        elif core and kind == "formula":
            lines.append(_html(content[0]))
        elif core and kind == "stop":
            lines.append(_html(f"**?** {content[0]} **!** {content[1]}"))
    letters = sum(len(re.sub(r"<.*?>", "", line)) + 40 for line in lines)
    size = max(4.0, min(10.0, 10 * (FULL / letters) ** 0.5)) if letters else 10
    return BOARD.format(title=html.escape(title), size=round(size, 1),
                        sections="\n".join([f"<h1>{_inline(title)}</h1>", *lines]))


def _html(text):
    """Markdown as HTML; links to other files of the project are left out."""
    return markdown2html(re.sub(r"\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", text))


def _inline(text):
    return re.sub(r"^<p>|</p>$", "", markdown2html(text).strip())


def write_scripts(folder):
    """Copy reveal.js and MathJax to a folder of slides."""
    for name, parts_of, below in ((REVEAL, REVEAL_PARTS, ""), (MATHJAX, (*MATHJAX_PARTS, "../LICENSE"), "es5")):
        target = folder / ("reveal" if name == REVEAL else "mathjax")
        for part in parts_of:
            origin, copy = package(name) / below / part, target / part.removeprefix("../")
            copy.parent.mkdir(parents=True, exist_ok=True)
            if origin.is_dir():
                shutil.copytree(origin, copy, dirs_exist_ok=True)
            else:
                shutil.copy(origin, copy)


def main(arguments=None):
    """Write decks and board plans. arguments: a list of text. Returns the exit status, 2 for bad arguments."""
    parser = argparse.ArgumentParser(prog="python -m tools.teaching.slides", description="Decks and board plans.")
    parser.add_argument("--only", nargs="+", metavar="NN", default=(), help="numbers of notebooks, such as 01 09 A")
    parser.add_argument("--out", type=Path, default=ROOT / "build/teaching/slides", help="the folder")
    options = parser.parse_args(arguments)
    paths = {path.name.partition("_")[0]: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
    if unknown := set(options.only) - set(paths):
        print(f"--only {' '.join(sorted(unknown))}: there is no such notebook; there are {', '.join(paths)}.",
              file=sys.stderr)
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    write_scripts(options.out)
    for number in options.only or paths:
        notebook = nbformat.read(paths[number], as_version=4)
        (options.out / f"{paths[number].stem}.html").write_text(deck(notebook), encoding="utf-8")
        (options.out / f"{paths[number].stem}_board.html").write_text(board(notebook), encoding="utf-8")
    print(f"{len(options.only or paths)} decks and board plans in {options.out}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
