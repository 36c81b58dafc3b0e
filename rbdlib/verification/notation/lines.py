"""Which line ends end a formula, and which are only where the paper ended."""

from dataclasses import replace

_OPERATORS = frozenset("+-*/^=")
_OPEN = {"(": ")", "[": "]", "{": "}", "begin": "end"}
_APART = {",", ";", "&", "\\\\", "⇒", *_OPERATORS}


def arranged(tokens, text, latex=False):
    """The tokens with line ends only where a formula ends, "\\\\" only between rows of a matrix, "&" likewise.

    A line goes on if it ends with an operator or the next one begins with one. A minus sign at the beginning is part
    of an equation above it, and so is one that is set further right than the line above; otherwise it begins a new
    formula, the next entry of a vector. A wide gap, as \\quad makes it, separates entries in square brackets and
    equations elsewhere; the number of an equation behind it goes. The brackets have been matched before.
    """
    tokens = _without_numbers(_without_empty_groups(tokens) if latex else tokens)
    return _without_markers(_joined(_by_bracket(tokens, latex), text))


def _without_empty_groups(tokens):
    """The tokens without {} and without indices before a name, as in {}^0J."""
    made, i = [], 0
    while i < len(tokens):
        before, mark = made[-1].mark if made else "newline", tokens[i].mark
        begins = before in ("newline", "gap", "&", ",") or before in _OPERATORS or before in _OPEN
        if begins and mark in ("^", "_") and before != "^":
            i += 1
            if tokens[i].mark == "{":
                while tokens[i].mark != "}":
                    i += 1
            i = min(i + 1, len(tokens) - 1)
        elif begins and mark == "{" and tokens[i + 1].mark == "}":
            i += 2
        else:
            made.append(tokens[i])
            i += 1
    return made


def _without_numbers(tokens):
    """The tokens without the numbers of equations, "\\quad (3)" at the end of a line."""
    made, i = [], 0
    while i < len(tokens):
        texts = [token.text for token in tokens[i + 1 : i + 4]]
        if (tokens[i].kind == "gap" and texts[:1] == ["("] and texts[2:] == [")"] and texts[1].isdigit()
                and tokens[i + 4].mark in ("newline", "stop", "\\\\")):
            i += 4
        else:
            made.append(tokens[i])
            i += 1
    return made


def _by_bracket(tokens, latex):
    """Line ends in brackets go, or become commas or semicolons between entries in square brackets."""
    made, opened = [], []
    for i, token in enumerate(tokens):
        if token.mark in _OPEN:
            opened.append(token.mark)
        elif token.mark in _OPEN.values():
            opened.pop()
        if token.mark not in ("gap", "newline", "\\\\"):
            made.append(token)
            continue
        after = tokens[i + 1]
        if token.kind == "gap":
            made += _in_gap(token, made, after, opened)
        elif not opened:
            made.append(replace(token, kind="newline", text="\n"))
        elif opened[-1] == "begin" and token.kind == "sign":
            made.append(token)
        elif opened[-1] == "[" and (token.kind == "sign" or not latex):
            before = made[-1].mark
            if before not in (",", ";", "[", *_OPERATORS) and after.mark not in ("newline", ",", ";", "]", *_OPERATORS):
                rows = before == "]" and after.mark == "["
                made.append(replace(token, kind="sign", text="," if rows else ";"))
        tokens[i + 1] = replace(after, spaced=True)
    return made


def _in_gap(token, made, after, opened):
    """The meaning of a wide gap: a comma between entries in square brackets, perhaps a line end, or nothing."""
    before = made[-1].mark if made else "newline"
    if before in ("newline", "gap") or before in _OPEN or before in _APART:
        return []
    if after.mark in ("newline", "stop", "gap", *_OPEN.values()) or after.mark in _APART:
        return []
    if not opened:
        return [token]
    return [replace(token, kind="sign", text=",")] if opened[-1] == "[" else []


def _joined(tokens, text):
    """The tokens without the line ends after which a formula goes on; gaps between equations become line ends."""
    made, start, equation = [], 0, False          # start: index in made where the formula began; whether it has a "="
    for i, token in enumerate(tokens):
        if token.kind == "gap":
            ends = equation and _has_equation(tokens, i + 1, ("newline", "gap", ",", ";"))
        elif token.kind == "newline":
            ends = made and made[-1].kind != "newline" and tokens[i + 1].kind != "newline" and not _goes_on(
                made, start, tokens, i + 1, text, equation)
        else:
            made.append(token)
            equation = equation or token.mark == "="
            continue
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
        return after.mark in ("+", "-", "*", "/", "^", "=")
    if equation:
        return not _has_equation(tokens, i, ("newline",))
    return _column(text, after.start) > _column(text, made[start].start)


def _column(text, position):
    return position - text.rfind("\n", 0, position)


def _without_markers(tokens):
    """The marks "&" that align equations go; those between entries outside of a matrix become commas."""
    made, depth = [], 0
    for i, token in enumerate(tokens):
        depth += (token.kind == "begin") - (token.kind == "end")
        if depth or token.mark != "&":
            made.append(token)
            continue
        before, after = made[-1].mark if made else "newline", tokens[i + 1].mark
        if (before not in ("newline", "⇒", ",") and before not in _OPERATORS
                and after not in ("=", "+", "-", "⇒", "&", "newline", "stop")):
            made.append(replace(token, text=","))
    return made
