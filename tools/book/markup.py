"""Small pieces of the Markdown (MyST) that the generated pages consist of."""

import re

from rbdlib.texts.lookup.ledger import slug as slug

#: A source id in brackets at the end of a displayed formula.
AT_THE_END = re.compile(r"(?:\\;|\\,|\\quad|\\qquad|&|\s)*"
                        r"\\text\{\(((?:RBDA|FDSV|MBT|SOA|MRN)[^{}]*)\)\}\s*([.,;]?)\s*$")
#: CommonMark takes a backslash before any of these for the character itself.
PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def plain(text):
    """Text that shows as it is: nothing in it is taken for markup, and it stays one paragraph."""
    return escaped(" ".join(text.split()))


def escaped(text):
    return PUNCTUATION.sub(r"\\\1", text)


def prose(text):
    """Text of a docstring or a table: what stands between back quotes is code, all else shows as it is."""
    pieces = re.split(r"(``[^`]+``|`[^`]+`)", " ".join(text.split()))
    return "".join(code(piece.strip("`")) if index % 2 else escaped(piece) for index, piece in enumerate(pieces))


def code(text):
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def link(text, path):
    """A link to a page of the site, given by its path from the site's root: the role `site` of our Sphinx extension."""
    return f"{{site}}`{text.replace('`', '')} <{path}>`"


def fence(text, language="text", mark="```"):
    return f"{mark}{language}\n{text}\n{mark}"


def container(classes, *blocks, colons=3):
    """A block with classes of its own; one that holds others needs more colons than they have."""
    mark = ":" * colons
    return f"{mark}{{container}} {classes}\n" + "\n\n".join(block for block in blocks if block) + f"\n{mark}"


def target(name):
    return f"({name})="


def page(title, *blocks):
    return f"# {title}\n\n" + "\n\n".join(block for block in blocks if block) + "\n"


def without_source(formula):
    """A displayed formula (LaTeX) without the source id that ends it; as it is where the id stands within an array."""
    match = AT_THE_END.search(formula)
    rest = formula[:match.start()] + match[2] if match else formula
    return rest if rest.count("\\begin{") == rest.count("\\end{") else formula
