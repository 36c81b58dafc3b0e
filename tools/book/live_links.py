"""What the page of a live figure says of its code, and where it leads to, as Markdown (MyST)."""

import inspect
import re
from pathlib import Path

from tools.book.live_figures import FIGURES
from tools.book.markup import slug
from tools.book.places import DOCS, ROOT
from tools.book.source_pages import line_of

#: Lines of generated JavaScript that a page shows from the beginning and from the end of a function.
FIRST, LAST = 40, 8
CODE = """\
Nobody wrote the JavaScript. When this page was made, `rbdlib.compile` ran Python's functions on numbers that write down
what is done with them (RBDA 10.4), left out products with zero and what nobody asks for, and printed the list as it
stands. So loops over bodies and calls of functions are gone: `{python}`, on this model, became the JavaScript function
*{script}* of {lines} lines. Nothing in them was changed by hand, and a test compares what both give.

::::{{dropdown}} The algorithm in Python, and the JavaScript printed from it
:::{{container}} live-sides
```{{literalinclude}} code/{python}.py
:language: python
```

```javascript
{text}
```
:::
::::

To take away: {{site}}`{name}_model.js <_static/live/{name}_model.js>`, a module with all that the figure computes, and
{{site}}`{name}.bundle.js <_static/live/{name}.bundle.js>`, the figure in one script for
[a page of your own](all_figures.md#in-a-page-of-your-own).
"""


def known(name):
    if name not in FIGURES:
        raise ValueError(f"A page asks for the live figure {name!r}; there are {', '.join(FIGURES)}.")
    return name


def function_in(module, name):
    """The text of a function of a generated module, without what checks its arguments."""
    text = re.search(rf"^export function {name}\(.*?^\}}", module, re.MULTILINE | re.DOTALL)[0]
    return re.sub(r"^  if \(.*throw new .*\n", "", text, flags=re.MULTILINE)


def code_of(name, module):
    """From Python to JavaScript: both texts, what has happened between them, and files to take away."""
    python, script = FIGURES[name]().beside
    text = function_in(module, script)
    return CODE.format(name=name, python=python, script=script, text=excerpt(text), lines=text.count("\n") + 1)


def excerpt(text):
    """The beginning and the end of a long function."""
    lines = text.splitlines()
    left = len(lines) - FIRST - LAST
    return text if left < 2 else "\n".join([*lines[:FIRST], f"  // ... {left} lines of this kind ...", *lines[-LAST:]])


def derived(name):
    """Links, as Markdown: to the places in the notebooks, to the functions of rbdlib and to their lines."""
    figure = FIGURES[name]()
    items = [f"- Notebook {notebook[:2]}, {{site}}`{heading} <notebooks/{notebook}.html#{slug(heading)}>`"
             for notebook, heading in figure.places]
    for function in figure.shown:
        if function.__module__.startswith("rbdlib."):
            path, line = inspect.getsourcefile(function), inspect.getsourcelines(function)[1]
            file = Path(path).relative_to(ROOT).as_posix()
            items.append(f"- `{function.__module__}.{function.__name__}`, {{site}}`{file}, line {line} "
                         f"<{line_of(file, line)}>`: {inspect.getdoc(function).partition(chr(10))[0]}")
    return "\n".join(items)


def title_of(name, docs=DOCS):
    """The heading of a live figure's page."""
    return (docs / "live" / f"{name}.md").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
