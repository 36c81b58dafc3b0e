"""The lines of a derivation as they are written on paper, in Markdown or in LaTeX, and the equations in each."""

import re

from rbdlib.verification.notation.prose import RELATION, is_prose, without_words

MOST_LINES = 200
_COMMENT = re.compile(r"(?:^|(?<=\s))(?:#{1,6}|%|//)(?=\s|[A-Za-z]).*")
_NOTHING = re.compile(r"[\s\\\[\]$|`:*_>~-]*|\W*q\.?e\.?d\W*|\\qed\b.*|\|[^=]*\||={3,}", re.IGNORECASE)
#: Text before and behind equations: numbers, and signs that lead on.
_BEFORE = re.compile(r"\s*(?:[-*+•>]\s+(?=\S*[A-Za-z]))?(?:\(?(?:\d+[a-z]?|[a-h]|i{1,3}|iv|v)\)\s+"
                     r"|\d+[.)]\s+(?=[A-Za-z\\$])|Step\s+\d+[.:)]\s*)?(?:"
                     r"(?:therefore|thus|hence|so|then|now|also|and|with|let|where)\b[,:]?\s+|(?:<?=>|⇔|⟺|⇒|⟹|→|∴"
                     r"|\\(?:Rightarrow|implies|iff|Leftrightarrow|therefore|Longrightarrow)(?![a-z]))\s*)*",
                     re.IGNORECASE)
_BEHIND = re.compile(r"(?<![.,;\s])(?:\s*\\tag\{[^}]*\}|(?:\s{2,}|\s*\\q?quad\s*)\(\d+[a-z]?\)|\s*[.,;:]){0,50}\s*$")
#: What may stand at the beginning of a row of align before its formula.
_MARGIN = re.compile(r"^(?:[&~\s]|\{\}|\\q?quad(?![a-z])|\\[,;:!>])+")
#: What sets a text and says nothing.
_SETTING = re.compile(
    r"\\(?:sub)*section\*?\s*\{[^{}]*\}|\\(?:paragraph|title|author|label|usepackage|documentclass)\*?\s*\{[^{}]*\}"
    r"|\\(?:noindent|item|maketitle|bigskip|medskip|smallskip)\b"
    r"|\\(begin|end)\{(?![bpvBV]?matrix|smallmatrix|array)[A-Za-z]+\*?\}(\{[a-z|]*\})?"
    r"|^\s*\\(begin|end)\{array\}(\{[a-z|]*\})?\s*$")
_STRESSED = re.compile(r"(?<![\w)\]*])\*\*(?=\S)([^*=]{1,80})(?<=\S)\*\*(?![\w*])|\\(?:textbf|emph|textit|underline)\s*"
                       r"\{([^{}$=]*)\}")
#: A variation: delta x is what x' is, since both are any displacement that the joints allow.
_VARIATION = re.compile(r"(?:\\delta(?![A-Za-z])|δ|\bdelta\s)\s*(\\(?!d*ot|frac|left|sin|cos)[A-Za-z]+|[^\W\d_]\w*)")
#: Energies that a sentence names, with the formula behind it: "The kinetic energy is $...$".
_CALLED = {"kinetic energy": "T", "potential energy": "V", "Lagrangian": "L", "total energy": "E"}
_SAID = re.compile(rf"(?:^|\band\b|[.;,])\s*(?:(?:The|Its|Their)\s+)?({'|'.join(_CALLED)})\s+(?:therefore\s+|then\s+)?"
                   r"(?:is|reads|becomes)\b(?:\s+(?:therefore|then|thus)\b)?:?(?!\s*[A-Za-z]{3})\s*(?P<marked>\$?)(?=([^$=\n]+)(?:\$|$))",
                   re.IGNORECASE)
_SUM = re.compile(r"^([\s$&]*)(?:\\sum|∑)\s*([A-Z])(?=[^=:]*=[^=:]*$)")
_STARRED = re.compile(r"_\{?(\w{1,40})\}?\^\{?\*\}?|(?<=\w)\*(?=\s*=|\s+[-+]\s)")
_NEARLY = re.compile(r"≈|≃|\\approx(?![a-z])|\\simeq(?![a-z])|~=")
_SMALL = re.compile(r"\bsmall|lineari[sz]|approx", re.IGNORECASE)


def lines_of(lines):
    """The lines of a derivation as a list: of a text without comments, and with lines that go on put together.

    Raises ValueError or TypeError.
    """
    lines = _of_text(lines) if isinstance(lines, str) else lines
    if not isinstance(lines, (list, tuple)):
        raise TypeError(f"lines is of type {type(lines).__name__}; give a list of equations, or text with one on each "
                        "line.")
    if any(callable(line) for line in lines):
        raise TypeError("lines contains a function; a derivation is made of equations, as text, LaTeX or SymPy.")
    lines = [_BEHIND.sub("", _BEFORE.sub("", _SETTING.sub("", line), count=1)).strip() if isinstance(line, str)
             else line for line in lines]
    lines = _announced(line for line in lines if line != "")
    if not lines or len(lines) > MOST_LINES:
        raise ValueError(f"lines has {len(lines)} equations; give between 1 and {MOST_LINES}.")
    return lines


def _opens_matrix(text):
    """True if a matrix in LaTeX begins in a text and does not end there."""
    return text.count("\\begin") > text.count("\\end")


def _of_text(text):
    """The lines of a text, each of which may go on below: where it ends, or the next begins, with a sign."""
    found = []
    for line in text.splitlines():
        line = _STRESSED.sub(lambda match: match[1] or match[2] or "", _SETTING.sub("", _COMMENT.sub("", line))).strip()
        within = bool(found) and _opens_matrix(found[-1])
        if not _opens_matrix(f"{found[-1]} {line}" if within else line):
            line = line.removesuffix("\\\\").strip()        # elsewhere it ends a row
        if within:
            found[-1] += " " + line
            continue
        if _NOTHING.fullmatch(line) or is_prose(_SAID.sub(_claim, line)) and not _SMALL.search(line):
            continue
        below = _MARGIN.sub("", line)
        if found and (found[-1].rstrip("& $").endswith(("+", "-", "*", "/", "=", "(")) or (
                not RELATION.search(line) and below.startswith(("+", "-", "*", "/", r"\cdot", r"\times")))):
            found[-1] += " " + below
        else:
            found.append(line)
    return found


def _announced(lines):
    """The lines, those that say "for small angles" and nothing else before the line for which they say it."""
    found, head = [], ""
    for line in lines:
        if isinstance(line, str) and is_prose(_SAID.sub(_claim, line)):
            head = line.rstrip(" :,.") + ": " if _SMALL.search(line) else head
        else:
            found.append(head + line if head and isinstance(line, str) else line)
            head = ""
    return found


def _claim(match):
    """The letter of an energy and an equals sign instead of its name, where a formula stands behind it."""
    said = match[1].lower()
    letter = next(letter for name, letter in _CALLED.items() if name.lower() == said)
    return f" {match['marked']}{letter} = " if re.search(r"[\d\\^*(+-]|\b\w \w\b", match[3]) else match[0]


def formula_of(text, names):
    """(the equations in a line of text, one below the other; whether they are said to be near ones).

    names: those that exist. Words are left out; a near equality is an equation; F_1^* and the sum of moments are names.
    """
    near = bool(_NEARLY.search(text) or _SMALL.search(text))
    text = _SAID.sub(_claim, text)
    text = _NEARLY.sub("=", without_words(text, names))
    if "delta" not in names:
        text = _VARIATION.sub(r"\\dot{\1}" if "\\" in text else r"\1'", text)
    text = _SUM.sub(r"\1\\mathrm{sum\2}" if "\\" in text else r"\1sum\2", text)
    return _STARRED.sub(lambda match: f"_{{{match[1]},star}}" if match[1] else "_star", text), near
