"""The live figures: JavaScript printed from rbdlib's algorithms, and one plain script for each figure (RBDA 10.4).

The sources of a figure are ES modules in docs/_static/live, which Node can test as they are. Browsers refuse modules on
pages that are opened from a folder, so that each figure also becomes one ordinary script that needs nothing else:

    <div class="live" data-live="four_bar"><script defer src="../_static/live/four_bar.bundle.js"></script></div>

is all that a page needs to show it. Run as a program, this module writes these files into a folder.
"""

import inspect
import json
import re
import sys
from pathlib import Path

from rbdlib.codegen.cheapest import cheapest
from rbdlib.codegen.javascript_source import to_javascript
from tools.book.live_figures import FIGURES
from tools.book.places import DOCS, write_if_changed

#: The sources of the figures, and where they and what is made of them are found in the site.
SOURCES = DOCS / "_static" / "live"
PLACE = Path("_static/live")
#: Assignments in one function: programs of figures are not cut into pieces.
LENGTH = 10_000
IMPORT = re.compile(r'^import (?:(?:\{[^}]*\}|\* as \w+) from )?"(\./[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)


def write(folder):
    """Writes what the pages of the live figures need into the folder with the site's sources; returns the paths."""
    folder = Path(folder)
    written = [write_if_changed(folder / PLACE / f"{name}_model.js", model_module(name)) for name in FIGURES]
    written += [write_if_changed(folder / PLACE / f"{name}.bundle.js", bundle(name)) for name in FIGURES]
    for name, figure in FIGURES.items():
        written += [write_if_changed(folder / "live" / "code" / f"{function.__name__}.py", inspect.getsource(function))
                    for function in figure().shown]
    return [*dict.fromkeys(written)]


def model_module(name):
    """The text of the ES module with everything that a figure computes."""
    figure = figure_of(name)
    parts = [f"// Generated from Python by tools/book/live.py. Do not edit: change {name} in live_figures.py.\n"]
    parts += [f"export const {constant} = {json.dumps(value)};\n" for constant, value in figure.constants.items()]
    return "\n".join([*parts, *(function_text(function) for function in figure.functions)])


def figure_of(name):
    """The `Figure` of that name; ValueError if there is none."""
    if name not in FIGURES:
        raise ValueError(f"name is {name!r}; there are the live figures {', '.join(FIGURES)}.")
    return FIGURES[name]()


def function_text(function):
    """One `Generated` function as JavaScript."""
    recording = cheapest(function.function, function.model, parameters=function.parameters, shapes=function.shapes,
                         sample=function.sample)
    return to_javascript(recording.program, function.name, recording.structure, LENGTH)


# One script from several modules


def bundle(name):
    """A figure, its model and all that they import as one script, which starts the figure wherever a page has it.

    The modules share one scope; two of them must not use one name at their top level.
    """
    texts = {}
    collect(f"./{name}.js", texts)
    once = sorted({first_line for text in texts.values() for first_line in top_level(text)})
    for word in once:
        users = [file for file, text in texts.items() if word in top_level(text)]
        if len(users) > 1:
            raise ValueError(f"{' and '.join(users)} both define {word}; rename it in one of them.")
    body = "\n".join(f"// {file.removeprefix('./')}\n{EXPORT.sub('', IMPORT.sub('', text))}"
                     for file, text in texts.items())
    return f'(() => {{\n"use strict";\n{body}\npublish({json.dumps(name)}, {{ {public(texts, name)} }});\n}})();\n'


def public(texts, name):
    """What a test finds at window.rbdlib.live[name]: the exports of the figure and of its model."""
    exported = [word for file in (f"./{name}.js", f"./{name}_model.js") for word in exports(texts[file])]
    return ", ".join(exported)


def exports(text):
    return re.findall(r"^export (?:async )?(?:function|class|const|let) (\w+)", text, re.MULTILINE)


def top_level(text):
    return re.findall(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", text, re.MULTILINE)


def collect(file, texts):
    """Puts the module and before it the modules that it imports into texts, {file: text}."""
    if file in texts:
        return
    text = source_of(file)
    for imported in IMPORT.findall(text):
        collect(imported, texts)
    texts[file] = text


def source_of(file):
    """The text of a module of the live figures, written or generated."""
    name = file.removeprefix("./")
    if name.endswith("_model.js"):
        return model_module(name.removesuffix("_model.js"))
    path = SOURCES / name
    if not path.is_file():
        raise ValueError(f"{file} is imported by a live figure, and there is no {path}.")
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tools.book.live FOLDER")
    print(*write(Path(sys.argv[1])), sep="\n")
