"""A text before the grammar reads it: its characters, prose, line ends, and the message when it cannot be read.

"where p = m*l and I = ..." is cut at its words; sentences outside of dollar signs are blank, other ones are refused.
"""

import re
import unicodedata
from dataclasses import replace

from rbdlib.verification.trees.names import GREEK

#: Characters a text may have. An inertia matrix of an arm with six joints, multiplied out, has about 50 000.
LONGEST_TEXT = 200_000
_SHOWN = 70
#: Spaces of all widths, and signs that MathML puts between factors without showing them.
_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\u2061\u2062\u2063"
_PLAIN = str.maketrans(
    dict.fromkeys(_SPACES, " ") | dict(zip("ℎℓℒℋℛℰıȷ", "hlLHREij", strict=True))
    | {chr(n): unicodedata.normalize("NFKC", chr(n)) for n in range(0x1D400, 0x1D800)})     # mathematical italics
#: The number of dots that a combining character puts above the letter before it.
MARKS = {"\u0307": 1, "\u0308": 2, "\u20db": 3, "\u20dc": 4}
#: Escapes such as "\theta" without r before the quotes, which is a tab and "heta".
_LOST = re.compile("\t(?:heta|au|ext|frac|imes|an|op)|\f(?:rac)|\x08(?:eta|ar|egin|oldsym)|\r(?:ho|ight)|\x07(?:lpha)"
                   "|\v(?:arphi|ec|ar)")
#: A matrix with the numbers of two frames, one above and one below, in either order.
_FRAMES = re.compile(r"(?<![\\A-Za-z])(?P<letter>[A-Z]\}?)(?:\^\{?(?P<up>\d)\}?_\{?(?P<down>\d)\}?"
                     r"|_\{?(?P<below>\d)\}?\^\{?(?P<above>\d)\}?)(?!\d)")
#: A square or a transpose before the index, as LaTeX allows.
_INDEX_LAST = re.compile(r"(?<=[A-Za-z}])(\^(?:\{?[2-9T]\}?|\{?\\top\}?))(_(?:\{[^{}]*\}|\\?[A-Za-z]+|\d+))")
#: What a balance of forces is headed with: "\\sum F_x = m a_x:", or "\\sum F_x =" before an equation.
_MARGIN = r"(?m)(?P<margin>(?:^|\\\\(?:\\ )?)[ \t$&]*)"
_BALANCE = re.compile(_MARGIN + r"(?:\\sum|[Σ∑])(?:[^=:\n]*(?:=[^=:\n]*)?:|[^=:\n]*=(?=[^=\n]*=))")
#: What an equation is called, "x:" or "\\text{Arm}:", and the numbers of equations, (1), 2) or 3.
_CALLED = re.compile(_MARGIN + r"(?:\\text\{[^{}\n]{1,40}:\s*\}|(?:\\text\{[^{}\n]{1,40}\}[\\\w ]{0,12}"
                     r"|[^=:\n+*/^()\[\]{}|,;$&]{1,40}):(?!=))")
_NUMBERED = re.compile(r"(?m)^(?P<margin>[ \t]*)(?:\((?P<n>\d)\)|(?P<m>\d)[.)])(?=[ \t])")
_LEVEL = (r"(?:(?:with|where|mit|wobei)[ \t]+)?[VUP](?:_\{?[A-Za-z]+\}?)?[ \t]*=[ \t]*0[ \t]+"
          r"(?:at|for|if|when|in|on|bei|für|falls|wenn|im)[ \t]")
#: A remark on where a potential energy is zero, which does not matter.
ZERO_LEVEL = re.compile(rf"(?m)\([ \t]*{_LEVEL}[^()\n]{{0,60}}\)|(?:^|[,;])[ \t]*{_LEVEL}[^,;()\n]{{0,60}}")
#: A definition in brackets behind a formula.
_ASIDE = re.compile(r"(?m)(?<=\S)(?P<gap>(?:[ \t,;]|\\q?quad\b|\\[,;:]){1,8})\("
                    r"(?P<said>\s*\\?[A-Za-z][^()=\n]{0,40}=(?!=)[^\n]{1,300})\)(?=[ \t.]{0,9}$)")
_COUNTS = [[*"123456789"[:n]] for n in range(2, 10)]
_MATRIX = (r"(?:\\(?:mathbf|boldsymbol|bm|mathrm)\s*)?\{{?\s*(?P<{}>[A-Z])(?:_\{{?\w{{1,9}}\}}?)?\s*\}}?"
           r"(?:\s*\([^()=]*\))?")
_DETERMINANT = re.compile(rf"(?<![A-Za-z\\])\\?det(?:\s*(?:\\left\s*)?\(\s*{_MATRIX.format('in')}\s*(?:\\right\s*)?\)"
                          rf"|(?:\s+|(?=[\\{{])){_MATRIX.format('bare')})(?=\s*&?=)")
_MARKED = re.compile("\\\\[A-Za-z]|\\$|[\U0001d400-\U0001d7ff]")
_CLOSING_DOLLAR = re.compile(r"(?<=[^\s$])[ \t]*(\$)[ \t]*(?=\n|$)")
_OPERATORS = frozenset("+-*/^=")
#: The bracket, or end of a matrix, that closes each.
CLOSING = {"(": ")", "[": "]", "{": "}", "begin": "end"}
_APART = {",", ";", "&", "\\\\", "⇒", *_OPERATORS}
#: The marks after which a formula or an operand begins, but for an exponent.
BEFORE_FORMULAS = {"newline", "gap", "&", ",", *_OPERATORS, *CLOSING} - {"^"}


class Unreadable(ValueError):
    """An answer cannot be read. ``text``: the answer; ``position``: where in it; ``reason``: what to do, a sentence.

    The message shows the line with a mark under the place.
    """

    def __init__(self, reason, text="", position=None):
        self.reason, self.text, self.position = reason, text, position
        super().__init__(reason if position is None else f"{_place(text, position)}\n{reason}")


def visible(text):
    """A line of text with a mark in place of each character that cannot be seen, or that turns the direction."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _place(text, position):
    """The line of a text around a position, with a mark under it."""
    position = min(max(position, 0), len(text))
    start = text.rfind("\n", 0, position) + 1
    line, column = text[start:position] + text[position:].partition("\n")[0], position - start
    first = max(0, column - _SHOWN // 2)
    shown = "".join("\ufffd" if unicodedata.combining(c) else c for c in visible(line[first : first + _SHOWN]))
    before, after = "..." * (first > 0), "..." * (first + _SHOWN < len(line))
    number = text.count("\n", 0, position) + 1
    where = f"line {number}, column {column + 1}" if "\n" in text.strip() else f"column {column + 1}"
    return (f"Your answer cannot be read at {where}:\n    {before}{shown}{after}\n"
            f"    {' ' * (len(before) + column - first)}^")


def cleaned(text):
    """The text with unusual forms of plain letters and spaces made plain, as long as before.

    Raises `Unreadable` for a text that is too long or that contains characters which do not show what they are.
    """
    if len(text) > LONGEST_TEXT:
        raise Unreadable(f"Your answer has {len(text)} characters; {LONGEST_TEXT} are allowed. Give one quantity at a "
                         "time, or simplify it first.")
    if text.isascii() and text.isprintable():
        return text
    lost = _LOST.search(text)
    if lost:
        raise Unreadable("A backslash was lost here, because Python reads \\t, \\f, \\b, \\r in quotes as one "
                         "character. Put r before the quotes: r\"\\theta\".", text, lost.start())
    made = text.translate(_PLAIN)
    for position, letter in enumerate(made):
        if not letter.isascii() or not (letter.isprintable() or letter in "\n\t\r"):
            _check(letter, text, position)
    return made.replace("\r\n", " \n").replace("\r", "\n").replace("\t", " ")


def with_index_first(text):
    """The text, as long as before, with l^2_1 as l_1^2, and R^0_2 and R_2^0, a matrix between two frames, as R_02.

    A letter is such a matrix if it is defined so, as in R^0_2 = ...; elsewhere ^2 is a square.
    """
    matrices = {match["letter"] for match in _FRAMES.finditer(text) if text[match.end() :].lstrip(" &").startswith("=")}

    def below(match):
        name = f"{match['letter']}_{match['up'] or match['above']}{match['down'] or match['below']}"
        return name.ljust(len(match[0])) if match["letter"] in matrices else match[0]

    return _INDEX_LAST.sub(r"\2\1", _FRAMES.sub(below, text))


def with_plain_heads(text):
    """The text, as long as before: det(M) = ... is detM = ..., (s = ...) at an end a line; equations have no head."""
    text = ZERO_LEVEL.sub(lambda match: " " * len(match[0]), text)
    if [match["n"] or match["m"] for match in _NUMBERED.finditer(text)] in _COUNTS:
        text = _NUMBERED.sub(lambda match: " " * len(match[0]), text)
    text = _ASIDE.sub(lambda match: f"{' ' * len(match['gap'])}\n{match['said']} ", text)
    for heads in (_BALANCE, _CALLED):
        text = heads.sub(lambda match: match["margin"].ljust(len(match[0])), text)
    return _DETERMINANT.sub(lambda match: f"det{match['in'] or match['bare']}".ljust(len(match[0])), text)


def _check(letter, text, position):
    """Refuses what is not seen, or looks like something else."""
    name = unicodedata.name(letter, "a character without a name").lower()
    kind = unicodedata.category(letter)
    if kind in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        raise Unreadable(f"There is an invisible character here (U+{ord(letter):04X}, {name}). Delete it, or type the "
                         "line again.", text, position)
    known = name.startswith(("latin", "modifier letter")) or letter in GREEK or letter == "π"
    if kind.startswith("L") and not known:
        raise Unreadable(f"The letter here is U+{ord(letter):04X}, {name}. It may look like a letter of the Latin "
                         "alphabet, but it is another one. Type it again, in Latin or Greek.", text, position)
    if kind == "Nd" and not letter.isascii():
        raise Unreadable(f"The digit here is U+{ord(letter):04X}, {name}. Write numbers with 0 to 9.", text, position)


# Prose and line ends


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


def arranged(tokens, text, latex):
    """The tokens with line ends only where a formula ends, "\\\\" only between rows of a matrix, "&" likewise.

    A line goes on if it ends with an operator or the next one begins with one. A minus sign at the beginning is part
    of an equation above it, and so is one that is set further right than the line above; otherwise it begins a new
    formula, the next entry of a vector. A wide gap, as \\quad makes it, separates entries in square brackets and
    equations elsewhere. The marks "&" that align equations go; those between entries outside of a matrix become commas.
    The brackets have been matched before.
    """
    tokens = _by_bracket(tokens, latex)
    made, start, equation, depth = [], 0, False, 0          # start: where in made the formula began; whether it has "="
    for i, token in enumerate(tokens):
        depth += (token.kind == "begin") - (token.kind == "end")
        before, after = made[-1].mark if made else "newline", tokens[min(i + 1, len(tokens) - 1)].mark
        ends = False
        if token.kind == "gap":
            ends = equation and _has_equation(tokens, i + 1, ("newline", "gap", ",", ";"))
        elif token.kind == "newline":
            ends = "newline" not in (before, after) and not _goes_on(made, start, tokens, i + 1, text, latex, equation)
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


def _has_equation(tokens, i, ends):
    """True if an equals sign stands between tokens[i] and the first of the marks that end a formula."""
    while tokens[i].mark not in ("=", "stop") and tokens[i].mark not in ends:
        i += 1
    return tokens[i].mark == "="


def _goes_on(made, start, tokens, i, text, latex, equation):
    """True if the formula that begins at made[start], an equation or not, goes on in the line that begins at tokens[i].

    A sign ^ at the beginning raises what stands above, but in LaTeX it may be an index of what follows, as in ^0J.
    """
    if made[-1].mark in _OPERATORS or (made[-1].kind == "end" and tokens[i].kind == "begin"):
        return True
    aligned = tokens[i].mark == "&"
    after = tokens[i + 1] if aligned else tokens[i]
    if after.mark != "-" or aligned:
        return after.mark in ("+", "-", "*", "/", "=") or (after.mark == "^" and not latex)
    if equation:
        return not _has_equation(tokens, i, ("newline",))
    here, above = (place - text.rfind("\n", 0, place) for place in (after.start, made[start].start))
    return here > above and "\n" in text[made[start].start : after.start]       # the columns of two lines
