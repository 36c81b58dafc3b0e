"""Pages that show a file of Python, each line with an address: source/rbdlib/book/ch04_model.html#L12."""

import re
from html import escape
from pathlib import Path, PurePosixPath

from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from tools.book.places import EXTRA, ROOT, remove_others, write_if_changed

TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{file}: the book that runs</title>
<meta name="description" content="The source code of {file}; each line has an address.">
<link rel="stylesheet" href="{up}_static/source.css">
<link rel="icon" href="{up}_static/favicon.svg">
</head>
<body>
<a class="skip" href="#code">Skip to the code</a>
<header><nav aria-label="Site"><a href="{up}index.html">The book that runs</a> {reference}</nav>
<h1>{file}</h1></header>
<main id="code" tabindex="0" aria-label="Source code">{code}</main>
</body>
</html>
"""
#: How Pygments writes the number of a line.
LINE = re.compile(r'<a id="L-(\d+)" name="L-\d+"></a><a href="#L-\d+"><span class="linenos">( *\d+)</span></a>')


def source_page(file):
    """The page of a file that is given by its path from the root."""
    return f"source/{PurePosixPath(file).with_suffix('.html')}"


def line_of(file, line):
    """The address of a line, from the site's root."""
    return f"{source_page(file)}#L{line}"


def highlighted(text):
    """The page's part that holds the code; a line's number is a link to itself."""
    formatter = HtmlFormatter(linenos="inline", lineanchors="L", anchorlinenos=True, cssclass="code", wrapcode=False)
    from pygments import highlight

    return LINE.sub(r'<a id="L\1" href="#L\1">\2</a>', highlight(text, PythonLexer(stripnl=False), formatter))


def render(file, text, module=None):
    """The page of a file; module: the name of its page in the reference, if it has one."""
    up = "../" * source_page(file).count("/")
    reference = f'<a href="{up}api/{module}.html">{escape(module)} in the reference</a>' if module else ""
    return TEMPLATE.format(file=escape(file), up=up, reference=reference, code=highlighted(text))


def sources_shown(book, root=ROOT):
    """The files that have a page, by their paths from the root."""
    return sorted({*(path.relative_to(root).as_posix() for path in (root / "rbdlib").rglob("*.py")),
                   *(proof.file for proofs in book.proofs.values() for proof in proofs),
                   *(test.partition("::")[0] for test in book.tests if "errata" in test)})


def write_sources(book, folder=EXTRA, root=ROOT):
    """Writes the pages of every module of the package and of the tests that prove something of the texts."""
    names = {module.file: name for name, module in book.modules.items()}
    files = sources_shown(book, root)
    written = []
    for file in files:
        target = folder / source_page(file)
        newest = max(path.stat().st_mtime for path in (root / file, Path(__file__)))
        if not target.exists() or target.stat().st_mtime < newest:
            write_if_changed(target, render(file, (root / file).read_text(encoding="utf-8"), names.get(file)))
            target.touch()
        written.append(target)
    remove_others(folder / "source", written)
