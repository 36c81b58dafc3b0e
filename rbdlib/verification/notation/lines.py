"""Prose and line ends: the words between formulas, and which line ends end a formula.

"where p = m*l and I = ..." is cut at its words; sentences outside of dollar signs are blank, other ones are refused.
"""

import re
from dataclasses import replace

#: Words that stand between formulas; those after the stroke only in upright type, because they may be products.
BETWEEN = "where with and hence thus then therefore let here because".split()
_UPRIGHT_TOO = [*BETWEEN, *"so since as for using given by or while such that in which i.e.".split()]
PROSE = "the are from which that this these denotes denote about measured".split()
SHORT_PROSE = "is of to be we on it in by".split()
#: A pattern for LaTeX with such words in upright type.
JOINING = (r"\\(?:text|textrm|textit|textnormal|mathrm|mbox|rm)\s*\{[\s~,.;:]*"
           rf"(?:(?:{'|'.join(map(re.escape, _UPRIGHT_TOO))})\b[\s~,.;:]*)+\}}")
_MARKED = re.compile("\\\\[A-Za-z]|\\$|[\U0001d400-\U0001d7ff]")
_CLOSING_DOLLAR = re.compile(r"(?<=[^\s$])[ \t]*(\$)[ \t]*(?=\n|$)")
_OPERATORS = frozenset("+-*/^=")
#: The bracket, or end of a matrix, that closes each.
CLOSING = {"(": ")", "[": "]", "{": "}", "begin": "end"}
_APART = {",", ";", "&", "\\\\", "⇒", *_OPERATORS}
#: The marks after which a formula or an operand begins.
BEFORE_FORMULAS = {"newline", "gap", "&", ",", *_OPERATORS, *CLOSING}


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
    parts = re.split(r"(\$+)", text)                     # what is outside, dollars, what is inside, dollars, ...
    for i, part in enumerate(parts):
        if i % 2:
            parts[i] = "\n" + " " * (len(part) - 1)
        elif i % 4 == 0 and "=" not in part and "\\begin" not in part:
            parts[i] = re.sub(r"[^\n]", " ", part)
    return "".join(parts)


def _has_dollars(text):
    """True if dollar signs mark formulas, and do not end statements as in Maxima."""
    return len(_CLOSING_DOLLAR.findall(text)) < text.count("$") or "\\" in text


def arranged(tokens, text, latex=False):
    """The tokens with line ends only where a formula ends, "\\\\" only between rows of a matrix, "&" likewise.

    A line goes on if it ends with an operator or the next one begins with one. A minus sign at the beginning is part
    of an equation above it, and so is one that is set further right than the line above; otherwise it begins a new
    formula, the next entry of a vector. A wide gap, as \\quad makes it, separates entries in square brackets and
    equations elsewhere. The brackets have been matched before.
    """
    return _joined(_by_bracket(tokens, latex), text)


def _by_bracket(tokens, latex):
    """The tokens without line ends in brackets; between entries in square brackets they become commas or semicolons."""
    made, opened = [], []
    for i, token in enumerate(tokens):
        if token.mark in CLOSING:
            opened.append(token.mark)
        elif token.mark in CLOSING.values():
            opened.pop()
        if token.mark not in ("gap", "newline", "\\\\"):
            made.append(token)
            continue
        after, before = tokens[i + 1], made[-1].mark if made else "newline"
        if token.kind == "gap":                         # a comma between entries in square brackets
            ends = ("newline", "gap", "stop")
            alone = before in (*ends, *CLOSING, *_APART) or after.mark in (*ends, *CLOSING.values(), *_APART)
            if not alone and (not opened or opened[-1] == "["):
                made.append(replace(token, kind="sign", text=",") if opened else token)
        elif not opened:
            made.append(replace(token, kind="newline", text="\n"))
        elif opened[-1] == "begin" and token.kind == "sign":
            made.append(token)
        elif opened[-1] == "[" and (token.kind == "sign" or not latex):
            if before not in (",", ";", "[", *_OPERATORS) and after.mark not in ("newline", ",", ";", "]", *_OPERATORS):
                rows = before == "]" and after.mark == "["
                made.append(replace(token, kind="sign", text="," if rows else ";"))
        tokens[i + 1] = replace(after, spaced=True)
    return made


def _joined(tokens, text):
    """The tokens without the line ends after which a formula goes on; gaps between equations become line ends.

    The marks "&" that align equations go; those between entries outside of a matrix become commas.
    """
    made, start, equation, depth = [], 0, False, 0          # start: where in made the formula began; whether it has "="
    for i, token in enumerate(tokens):
        depth += (token.kind == "begin") - (token.kind == "end")
        before, after = made[-1].mark if made else "newline", tokens[min(i + 1, len(tokens) - 1)].mark
        ends = False
        if token.kind == "gap":
            ends = equation and _has_equation(tokens, i + 1, ("newline", "gap", ",", ";"))
        elif token.kind == "newline":
            ends = "newline" not in (before, after) and not _goes_on(made, start, tokens, i + 1, text, equation)
        elif token.mark != "&" or depth:
            made.append(token)
            equation = equation or token.mark == "="
        elif (before not in ("newline", "⇒", ",", *_OPERATORS)
                and after not in ("=", "+", "-", "⇒", "&", "newline", "stop")):
            made.append(replace(token, text=","))
        if ends:
            made.append(replace(token, kind="newline", text="\n"))
            start, equation = len(made), False
    return made


def _has_equation(tokens, i, ends):
    """True if an equals sign stands between tokens[i] and the first of the marks that end a formula."""
    while tokens[i].mark not in ("=", "stop") and tokens[i].mark not in ends:
        i += 1
    return tokens[i].mark == "="


def _goes_on(made, start, tokens, i, text, equation):
    """True if the formula that begins at made[start], an equation or not, goes on in the line that begins at tokens[i].
    """
    if made[-1].mark in _OPERATORS or (made[-1].kind == "end" and tokens[i].kind == "begin"):
        return True
    aligned = tokens[i].mark == "&"
    after = tokens[i + 1] if aligned else tokens[i]
    if after.mark != "-" or aligned:
        return after.mark in ("+", "-", "*", "/", "=")
    if equation:
        return not _has_equation(tokens, i, ("newline",))
    here, above = (place - text.rfind("\n", 0, place) for place in (after.start, made[start].start))
    return here > above                                 # the columns
