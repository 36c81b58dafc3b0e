"""The live figures: JavaScript printed from rbdlib's algorithms, and one plain script for each figure (RBDA 10.4).

The sources of a figure are ES modules in docs/_static/live, which Node can test as they are. Browsers refuse modules on
pages that are opened from a folder, so that each figure also becomes one ordinary script that needs nothing else:

    <div class="live" data-live="four_bar"><script defer src="../_static/live/four_bar.bundle.js"></script></div>

is all that a page needs to show it. `live_stills` makes what stands there without JavaScript. Run as a program,
this module writes all these files into a folder.
"""

import inspect
import json
import re
import sys
from functools import cache
from pathlib import Path

from rbdlib.compile.cheapest import cheapest
from rbdlib.compile.javascript_source import to_javascript
from tools.book import live_stills
from tools.book.live_figures import FIGURES
from tools.book.places import DOCS, write_if_changed

#: The sources of the figures, and where they and what is made of them are found in the site.
SOURCES = DOCS / "_static" / "live"
PLACE = Path("_static/live")
#: Assignments in one function: programs of figures are not cut into pieces.
LENGTH = 10_000
IMPORT = re.compile(r'^import (\{[^}]*\}|\* as \w+)\s+from "\./([^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:function|class|const) (\w+))", re.MULTILINE)


def write(folder):
    """Writes what the pages of the live figures need into the folder with the site's sources; returns the paths."""
    folder = Path(folder)
    written = [write_if_changed(folder / PLACE / f"{name}_model.js", model_module(name)) for name in FIGURES]
    written += [write_if_changed(folder / PLACE / f"{name}.bundle.js", bundle(name)) for name in FIGURES]
    written.append(write_if_changed(folder / PLACE / "positions.bundle.js", script("positions", "positions.js")))
    written += [path for name in FIGURES for path in live_stills.write(folder, name, bundle(name))]
    for figure in FIGURES.values():
        written += [write_if_changed(folder / "live" / "code" / f"{function.__name__}.py", inspect.getsource(function))
                    for function in figure().shown]
    return [*dict.fromkeys(written)]


@cache
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
    """A figure, its model and all that they import as one script, which starts the figure wherever a page has it."""
    figure_of(name)
    return script(name, f"{name}.js", f"{name}_model.js")


def script(name, *files):
    """One script of modules and all that they import; it calls the function start of one of them (see page.js).

    Every module becomes a function that is called once and returns what the module exports.
    """
    texts = {}
    for file in (*files, "page.js"):
        collect(file, texts)
    modules = "\n".join(as_function(file, text) for file, text in texts.items())
    parts = ", ".join(f"...{variable(file)}" for file in files)
    return f'(() => {{\n"use strict";\n\n{modules}\npage.publish({json.dumps(name)}, {{ {parts} }});\n}})();\n'


def collect(file, texts):
    """Puts the module and before it the modules that it imports into texts, {file: text}."""
    if file not in texts:
        text = source_of(file)
        for _, imported in IMPORT.findall(text):
            collect(imported, texts)
        texts[file] = text


def source_of(file):
    """The text of a module of the live figures, written or generated."""
    if file.endswith("_model.js"):
        return model_module(file.removesuffix("_model.js"))
    path = SOURCES / file
    if not path.is_file():
        raise ValueError(f"{file} is imported by a live figure, and there is no {path}.")
    return path.read_text(encoding="utf-8")


def as_function(file, text):
    """A module as a function that is called at once: const name = (() => { ...; return { exports }; })();"""
    exported = ", ".join(EXPORT.findall(text))
    body = EXPORT.sub("", IMPORT.sub(as_constants, text))
    if re.search(r"^(import|export)\b", body, re.MULTILINE):
        raise ValueError(f'{file} imports or exports in a form that is not known here. Write import {{ a, b }} from '
                         '"./module.js"; and export before function, class and const.')
    return f"const {variable(file)} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();\n"


def as_constants(match):
    """An import as a declaration of what another module's function has returned."""
    names = match[1].removeprefix("* as ").replace(" as ", ": ")
    return f"const {names} = {variable(match[2])};\n"


def variable(file):
    return file.removesuffix(".js")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tools.book.live FOLDER")
    print(*write(Path(sys.argv[1])), sep="\n")
