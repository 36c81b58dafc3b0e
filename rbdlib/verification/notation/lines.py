"""Which line ends end a formula, and which are only where the paper ended."""

from dataclasses import replace

_OPERATORS = frozenset("+-*/^=")
_OPEN = {"(": ")", "[": "]", "{": "}"}


def arranged(tokens, text, latex=False):
    """The tokens with line ends only where a formula ends, "\\\\" only between rows of a matrix, "&" likewise.

    A line goes on if it ends with an operator or the next one begins with one. A minus sign at the beginning is part
    of an equation above it, and so is one that is set further right than the line above; otherwise it begins a new
    formula, the next entry of a vector. A wide gap, as \\quad makes it, separates entries in square brackets and
    equations elsewhere; the number of an equation behind it goes.
    """
    tokens = _without_numbers(_without_empty_groups(tokens) if latex else tokens)
    return _without_markers(_joined(_by_bracket(tokens, latex), text))


def _without_empty_groups(tokens):
    """The tokens without {} and without indices before a name, as in {}^0J."""
    made, i = [], 0
    while i < len(tokens):
        before = made[-1] if made else None
        begins = before is None or before.kind in ("newline", "begin", "gap") or _is_sign(
            before, "&", ",", *_OPERATORS, *_OPEN)
        if begins and _is_sign(tokens[i], "^", "_") and not (before and _is_sign(before, "^")):
            i = _after_index(tokens, i + 1)
        elif _is_sign(tokens[i], "{") and _is_sign(tokens[i + 1], "}") and begins:
            i += 2
        else:
            made.append(tokens[i])
            i += 1
    return made


def _after_index(tokens, i):
    """The index of the token after an index, one token or a group in braces, that begins at tokens[i]."""
    if not _is_sign(tokens[i], "{"):
        return min(i + 1, len(tokens) - 1)
    while i < len(tokens) - 1 and not _is_sign(tokens[i], "}"):
        i += 1
    return min(i + 1, len(tokens) - 1)


def _without_numbers(tokens):
    """The tokens without the numbers of equations, "\\quad (3)" at the end of a line."""
    made, i = [], 0
    while i < len(tokens):
        texts = [token.text for token in tokens[i + 1 : i + 4]]
        ends = tokens[min(i + 4, len(tokens) - 1)]
        if (tokens[i].kind == "gap" and texts[:1] == ["("] and texts[2:] == [")"] and texts[1].isdigit()
                and (ends.kind in ("newline", "stop") or ends.text == "\\\\")):
            i += 4
        else:
            made.append(tokens[i])
            i += 1
    return made


def _by_bracket(tokens, latex):
    """Line ends in brackets go, or become commas or semicolons between entries in square brackets."""
    made, opened = [], []
    for i, token in enumerate(tokens):
        if token.kind == "begin" or (token.kind == "sign" and token.text in _OPEN):
            opened.append(token.text if token.kind == "sign" else "begin")
        elif token.kind == "end" or (token.kind == "sign" and token.text in _OPEN.values()):
            opened.pop()
        if token.kind == "gap":
            made += _in_gap(token, made, tokens[i + 1], opened)
            tokens[i + 1] = replace(tokens[i + 1], spaced=True)
            continue
        ends_line = token.kind == "newline" or (token.kind == "sign" and token.text == "\\\\")
        if not ends_line:
            made.append(token)
        elif not opened:
            made.append(replace(token, kind="newline", text="\n"))
        elif opened[-1] == "begin" and token.kind == "sign":
            made.append(token)
        elif opened[-1] == "[" and i + 1 < len(tokens) and (token.kind == "sign" or not latex):
            made += _between_entries(token, made[-1], tokens[i + 1])
        if ends_line and i + 1 < len(tokens):
            tokens[i + 1] = replace(tokens[i + 1], spaced=True)
    return made


def _in_gap(token, made, after, opened):
    """The meaning of a wide gap: a comma between entries in square brackets, perhaps a line end, or nothing."""
    apart = (",", ";", "&", "\\\\", "⇒", *_OPERATORS)
    if not made or made[-1].kind in ("newline", "gap", "begin") or _is_sign(made[-1], *apart, *_OPEN):
        return []
    if after.kind in ("newline", "stop", "gap", "end") or _is_sign(after, *apart, *_OPEN.values()):
        return []
    if not opened:
        return [token]
    return [replace(token, kind="sign", text=",")] if opened[-1] == "[" else []


def _between_entries(token, before, after):
    ends = before.kind == "sign" and before.text in (*_OPERATORS, ",", ";", "[")
    goes_on = after.kind == "newline" or (after.kind == "sign" and after.text in (*_OPERATORS, ",", ";", "]"))
    if ends or goes_on:
        return []
    rows = before.text == "]" and after.text == "["
    return [replace(token, kind="sign", text="," if rows else ";")]


def _joined(tokens, text):
    made, start, equation = [], 0, False          # start: index in made where the formula began; whether it has a "="
    equations = _lines_with_equation(tokens)
    line = 0
    for i, token in enumerate(tokens):
        if token.kind == "gap":
            if equation and _has_equation(tokens, i + 1):
                made.append(replace(token, kind="newline", text="\n"))
                start, equation = len(made), False
            continue
        if token.kind != "newline":
            made.append(token)
            equation = equation or _is_sign(token, "=")
            continue
        line += 1
        if not made or made[-1].kind == "newline" or tokens[i + 1].kind == "newline":
            continue
        in_equation = not equations[line] if equation else None
        if not _goes_on(made, start, tokens[i + 1 :  i + 3], text, in_equation):
            made.append(token)
            start, equation = len(made), False
    return made


def _has_equation(tokens, i):
    """True if an equation begins at tokens[i]."""
    while i < len(tokens) and tokens[i].kind not in ("newline", "gap", "stop") and not _is_sign(tokens[i], ",", ";"):
        if _is_sign(tokens[i], "="):
            return True
        i += 1
    return False


def _lines_with_equation(tokens):
    found = [False]
    for token in tokens:
        if token.kind == "newline":
            found.append(False)
        elif _is_sign(token, "="):
            found[-1] = True
    return found


def _is_product(before, after):
    """True if a matrix in LaTeX is multiplied by one on the next line."""
    return before.kind == "end" and after.kind == "begin"


def _goes_on(made, start, following, text, in_equation):
    """True if the formula that begins at made[start] goes on in the line with the tokens ``following``.

    in_equation: whether the formula is an equation and the line has none of its own; None if it is no equation.
    """
    after = following[0]
    if _is_sign(made[-1], *_OPERATORS) or _is_product(made[-1], after):
        return True
    if _is_sign(after, "&") and len(following) > 1:
        after = following[1]
        if _is_sign(after, "+", "-"):
            return True
    if _is_sign(after, "+", "*", "/", "^", "="):
        return True
    if _is_sign(after, "-"):
        return _column(text, after.start) > _column(text, made[start].start) if in_equation is None else in_equation
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
