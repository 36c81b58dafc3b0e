"""Words between formulas: "where p = m*l and I = ..." is cut there; other sentences are blank, or refused."""

import re

#: Words that stand between formulas; those after the stroke only in upright type, because they may be products.
_BETWEEN = "where with and hence thus then therefore let here because".split()
_BETWEEN_UPRIGHT = [*_BETWEEN, *"so since as for using given by or while such that in which i.e.".split()]
_PROSE = "the are from which that this these denotes denote about measured".split()
_SHORT_PROSE = "is of to be we on it in by".split()
#: A pattern for LaTeX with such words in upright type.
JOINING = (r"\\(?:text|textrm|textit|textnormal|mathrm|mbox|rm)\s*\{[\s~,.;:]*"
           rf"(?:(?:{'|'.join(map(re.escape, _BETWEEN_UPRIGHT))})\b[\s~,.;:]*)+\}}")
_MARKED = re.compile("\\\\[A-Za-z]|\\$|[\U0001d400-\U0001d7ff]")
_CLOSING_DOLLAR = re.compile(r"(?<=[^\s$])[ \t]*(\$)[ \t]*(?=\n|$)")


def is_latex(text):
    """True if a text is LaTeX, or set like it, so that every letter is a symbol of its own."""
    return _MARKED.search(text if _has_dollars(text) else text.replace("$", " ")) is not None


def formulas_only(text):
    """The text, blank outside of dollar signs and other marks of LaTeX formulas if it has any; as long as before.

    A part outside that has an equation or a matrix in it stays: its author forgot the marks.
    """
    text = re.sub(r"(?<!\\)\\[\[\]()]", "$$", text)
    if "$" not in text:
        return text
    if not _has_dollars(text):
        return text.replace("$", ";")
    made, inside = [], False
    for part in re.split(r"(\$+)", text):
        if part.startswith("$"):
            made.append("\n" + " " * (len(part) - 1))
            inside = not inside
        elif inside or "=" in part or "\\begin" in part:
            made.append(part)
        else:
            made.append(re.sub(r"[^\n]", " ", part))
    return "".join(made)


def _has_dollars(text):
    """True if dollar signs mark formulas, and do not end statements as in Maxima."""
    return len(_CLOSING_DOLLAR.findall(text)) < text.count("$") or "\\" in text


def is_between(word):
    """True if a word stands between formulas."""
    return word.casefold() in _BETWEEN


def is_prose(word, latex):
    """True if a word belongs to a sentence, which cannot be read."""
    return word.casefold() in _PROSE or (not latex and word in _SHORT_PROSE)
