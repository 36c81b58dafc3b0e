"""Which line ends end a formula, and which are only where the paper ended."""

from dataclasses import replace

_OPERATORS = frozenset("+-*/^=")
_OPEN = {"(": ")", "[": "]", "{": "}"}


def arranged(tokens, text):
    """The tokens with line ends only where a formula ends, "\\\\" only between rows of a matrix, "&" likewise.

    A line goes on if it ends with an operator or the next one begins with one. A minus sign at the beginning is part
    of an equation above it, and so is one that is set further right than the line above; otherwise it begins a new
    formula, the next entry of a vector.
    """
    return _without_markers(_joined(_by_bracket(tokens), text))


def _by_bracket(tokens):
    """Line ends in brackets go, or become commas or semicolons between entries in square brackets."""
    made, opened = [], []
    for i, token in enumerate(tokens):
        if token.kind == "begin" or (token.kind == "sign" and token.text in _OPEN):
            opened.append(token.text if token.kind == "sign" else "begin")
        elif token.kind == "end" or (token.kind == "sign" and token.text in _OPEN.values()):
            opened.pop()
        ends_line = token.kind == "newline" or (token.kind == "sign" and token.text == "\\\\")
        if not ends_line:
            made.append(token)
        elif not opened:
            made.append(replace(token, kind="newline", text="\n"))
        elif opened[-1] == "begin" and token.kind == "sign":
            made.append(token)
        elif opened[-1] == "[" and i + 1 < len(tokens):
            made += _between_entries(token, made[-1], tokens[i + 1])
        if ends_line and i + 1 < len(tokens):
            tokens[i + 1] = replace(tokens[i + 1], spaced=True)
    return made


def _between_entries(token, before, after):
    ends = before.kind == "sign" and before.text in (*_OPERATORS, ",", ";", "[")
    goes_on = after.kind == "newline" or (after.kind == "sign" and after.text in (*_OPERATORS, ",", ";", "]"))
    if ends or goes_on:
        return []
    rows = before.text == "]" and after.text == "["
    return [replace(token, kind="sign", text="," if rows else ";")]


def _joined(tokens, text):
    made, start = [], 0                                       # start: index in made where the formula began
    equations = _lines_with_equation(tokens)
    line = 0
    for i, token in enumerate(tokens):
        if token.kind != "newline":
            made.append(token)
            continue
        line += 1
        if not made or made[-1].kind == "newline":
            continue
        has_equation = any(_is_sign(t, "=") for t in made[start:])
        if not _goes_on(made, start, tokens[i + 1 :  i + 3], text, has_equation and not equations[line]):
            made.append(token)
            start = len(made)
    return made


def _lines_with_equation(tokens):
    found = [False]
    for token in tokens:
        if token.kind == "newline":
            found.append(False)
        elif _is_sign(token, "="):
            found[-1] = True
    return found


def _goes_on(made, start, following, text, in_equation):
    """Whether the formula that begins at made[start] goes on in the line with the tokens ``following``."""
    if _is_sign(made[-1], *_OPERATORS):
        return True
    after = following[0]
    if _is_sign(after, "&") and len(following) > 1:
        after = following[1]
        if _is_sign(after, "+", "-"):
            return True
    if _is_sign(after, "+", "*", "/", "^", "="):
        return True
    if _is_sign(after, "-"):
        return in_equation or _column(text, after.start) > _column(text, made[start].start)
    return False


def _column(text, position):
    return position - text.rfind("\n", 0, position)


def _is_sign(token, *signs):
    return token.kind == "sign" and token.text in signs


def _without_markers(tokens):
    """The marks "&" that align equations go; those between entries outside of a matrix become commas."""
    made, depth = [], 0
    for i, token in enumerate(tokens):
        depth += (token.kind == "begin") - (token.kind == "end")
        if depth or not _is_sign(token, "&"):
            made.append(token)
            continue
        before, after = made[-1] if made else None, tokens[i + 1]
        first = before is None or before.kind == "newline" or _is_sign(before, "⇒", ",", *_OPERATORS)
        if not first and not _is_sign(after, "=", "+", "-", "⇒", "&") and after.kind not in ("newline", "stop"):
            made.append(replace(token, text=","))
    return made
