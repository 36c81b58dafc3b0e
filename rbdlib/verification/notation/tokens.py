"""A text cut into numbers, names, signs and LaTeX commands, with their places.

One grammar reads both plain text and LaTeX, because learners mix them. They differ in two things only: in plain text a
run of letters is one name (``mgl`` is a name unless the names that exist show that it is three), in LaTeX it is a
product of letters.

Why not pylatexenc: its tree leaves sub- and superscripts, products and numbers as text to be cut up once more, repairs
missing brackets without a word where a learner must be told, and recurses without a bound.
"""

import re
import unicodedata
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import pairwise

from rbdlib.verification.notation import lines
from rbdlib.verification.notation.characters import MARKS, Unreadable, dotted
from rbdlib.verification.notation.matrices import SYMMETRIC
from rbdlib.verification.trees.names import FUNCTION_NAMES, GREEK, GREEK_NAMES, canonical, function, spelled

#: The note for entries of which only a sign says that they are given by symmetry.
BY_SYMMETRY = "Entries that are only a sign were taken to be those across the diagonal."
MOST_TOKENS = 60_000
MOST_BRACKETS = 40
LONGEST_NUMBER = 40
_SIGNS = {"·": "*", "⋅": "*", "∙": "*", "•": "*", "×": "*", "∗": "*", "⨯": "*", "÷": "/", "∕": "/", "⁄": "/", "−": "-",
          "–": "-", "—": "-", "‐": "-", "‑": "-", "√": "√", "∂": "∂", "′": "'", "’": "'", "ʹ": "'", "″": "''",
          "‴": "'''", "≡": "=", "≔": "=", "⇒": "⇒", "→": "⇒", "⟹": "⇒", "⊤": "⊤", "ᵀ": "ᵀ", "⊺": "⊤", "°": "°",
          "∣": "|", "´": "'"}
_LOW = dict(zip("₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789aehijklmnoprstuvx", strict=True))
_HIGH = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789-+n", strict=True))
_FRACTIONS = "½⅓⅔¼¾⅕⅙⅛⅜⅚⅖⅗⅘⅝⅞"
_LINE_ENVIRONMENTS = ("align aligned alignat equation gather gathered split eqnarray multline displaymath math cases "
                      "flalign dcases").split()
MATRIX_ENVIRONMENTS = "matrix pmatrix bmatrix Bmatrix smallmatrix psmallmatrix bsmallmatrix array".split()
_IGNORED = ("left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr displaystyle textstyle limits "
            "nolimits nonumber notag mathstrut strut middle scriptstyle thinspace negthinspace allowbreak noindent "
            "enspace hspace vphantom").split()
_GAPS = ("quad", "qquad", "hfill")
_COMMAND_SIGNS = {"cdot": "*", "times": "*", "ast": "*", "cdotp": "*", "div": "/", "lvert": "|", "rvert": "|",
                  "vert": "|", "mid": "|", "partial": "∂", "prime": "'", "equiv": "=", "coloneqq": "=",
                  "triangleq": "=", "Rightarrow": "⇒",
                  "implies": "⇒", "to": "⇒", "rightarrow": "⇒", "Longrightarrow": "⇒", "top": "⊤", "intercal": "⊤",
                  "circ": "°", "dd": "∂", "diff": "∂", "lbrace": "(", "rbrace": ")", "lbrack": "[", "rbrack": "]",
                  "colon": ":", "newline": "\\\\"}
_WORD = r"[A-Za-z][A-Za-z0-9]*(?:_(?:[0-9]+(?:d{0,2}dot(?![A-Za-z]))?|[A-Za-z]+[0-9]*))*"
_LATEX_WORD = r"[A-Za-z]+[0-9]*(?:_?d{0,2}dot(?![A-Za-z])[0-9]*)?"
_PATTERN = r"""
    (?P<newline>\n) | (?P<gap>(?:\\[;:>]\s*){{2,}})
  | (?P<space>[ ]+|~|\\[,;:!>\s/]|(?:\#|%(?!pi\b))[^\n]*
        |\\(?:label|tag\*?|vspace|phantom|hspace)\s*\{{[^{{}}\n]*\}}|\.(?=[*/^])
        |%(?=pi\b)|\\left\s*(?:\.|\\\{{(?=\s*\\begin))|\\right\s*\.|\\text\s*\{{[\s~]*\}})
  | (?P<joining>{joining})
  | (?P<row>\\\\(?:\s*\[[^\]\n]{{0,20}}\])?)
  | (?P<begin>\\begin\s*\{{(?P<opened>[A-Za-z]*)\*?\}}(?:\s*\{{[lcr|\s]*\}})?)
  | (?P<end>\\end\s*\{{(?P<closed>[A-Za-z]*)\*?\}})
  | (?P<differential>\\(?:mathrm|text|textrm|operatorname|rm)(?:\s*\{{\s*d\s*\}}|\s+d))
  | (?P<command>\\[A-Za-z]+) | (?P<brace>\\[{{}}|])
  | (?P<number>(?:[0-9]+(?:\.[0-9]+|\.(?=\s*[-+*/^),\]]))?|\.[0-9]+)(?:[eE][-+]?[0-9]+(?![A-Za-z0-9]))?)
  | (?:np|numpy|math|sp|sympy|sym|mp|mpmath|Math)\.(?=[A-Za-z])
  | (?P<word>{word})
  | (?P<sign>\*\*|==|:=|=>|->|[-+*/^=()\[\]{{}},;|&_'!<>.:"])
"""
_TEXT, _LATEX = (re.compile(_PATTERN.format(word=word, joining=lines.JOINING), re.VERBOSE)
                 for word in (_WORD, _LATEX_WORD))
_LONG_NAMES = sorted((name for name in (*FUNCTION_NAMES, *GREEK_NAMES) if len(name) > 2), key=len, reverse=True)
_LATEX_PIECE = re.compile(rf"(?:{'|'.join(_LONG_NAMES)}|.)[0-9]*")
_AFTER_GREEK = re.compile(r"[0-9]*(?:_?[0-9]*_?d{0,2}dot(?![A-Za-z]))?")
_EQUALS = re.compile(r"[ \t]*:?=(?!=)")
_ALIKE = {"**": "^", "==": "=", ":=": "=", "=>": "⇒", "->": "⇒", '"': "''", "\\{": "(", "\\}": ")", "\\|": "‖"}
_FIXED = {"gap": ("gap", " "), "newline": ("newline", "\n"), "joining": ("newline", "\n"), "row": ("sign", "\\\\"),
          "differential": ("sign", "∂")}


@dataclass(slots=True)
class Token:
    """kind: "number", "word", "command", "begin", "end" (of a matrix), "sign", "newline" or "stop"; text: without "\\".

    start, end: its place.  spaced: whether there is space before it.
    """

    kind: str
    text: str
    start: int
    end: int
    spaced: bool = False

    @property
    def mark(self):
        """The text of a sign, the kind of any other token."""
        return self.text if self.kind == "sign" else self.kind


class Tokens:
    """The tokens of a text, ending with one of kind "stop".

    source: the text as shown in messages; text: the same, cleaned, of the same length; names: names that exist, or
    None; latex: whether every letter is a symbol of its own.  Raises `Unreadable`.
    """

    def __init__(self, source, text, names=None):
        self.source, self.latex = source, lines.is_latex(source)
        self.names = frozenset(map(canonical, names or ()))
        self.found, self._spaced, self._cut, self._arrays, self.notes = [], False, {}, [], []
        pattern, at, formulas = _LATEX if self.latex else _TEXT, 0, lines.formulas_only(text)
        while at < len(formulas):
            match = pattern.match(formulas, at)
            at = self._add(match) if match else self._other(formulas, at)
        self._put("stop", "", len(text), len(text))
        self._brackets()
        self.found = _with_symmetric_entries(lines.arranged(self.found, text, self.latex))
        self.notes += [((token.start, token.end), BY_SYMMETRY) for token in self.found if token.text == SYMMETRIC][:1]
        self.partner = self._brackets()

    def refuse(self, reason, position):
        raise Unreadable(reason, self.source, position)

    def _put(self, kind, text, start, end):
        if len(self.found) > MOST_TOKENS:
            self.refuse(f"Your answer has more than {MOST_TOKENS} numbers, names and signs. Give one quantity at a "
                        "time, or simplify it first.", start)
        self.found.append(Token(kind, text, start, end, self._spaced))
        self._spaced = False

    def _add(self, match):
        """Puts the tokens for a match of the pattern; returns its end."""
        kind, text, (start, end) = match.lastgroup, match[0], match.span()
        if kind in (None, "space") or (kind == "command" and text[1:] in _IGNORED):
            self._spaced = self._spaced or kind is not None
        elif kind in ("opened", "closed", "begin", "end"):
            self._environment(match, start, end)
        elif kind in _FIXED:
            self._put(*_FIXED[kind], start, end)
        elif kind == "command":
            kind = "gap" if text[1:] in _GAPS else "sign" if text[1:] in _COMMAND_SIGNS else "command"
            self._put(kind, _COMMAND_SIGNS.get(text[1:], text[1:]), start, end)
        elif kind == "number":
            exponent = text.lower().partition("e")[2]
            if len(text) > LONGEST_NUMBER or abs(int(exponent or 0)) > 300:
                self.refuse("The number here is too long or too large to be meant.", start)
            self._put("number", text, start, end)
        elif kind == "word":
            self._word(text, start, match.string)
        else:
            self._put("sign", _ALIKE.get(text, text), start, end)
        return end

    def _environment(self, match, start, end):
        opening = match["opened"] is not None
        name = match["opened"] if opening else match["closed"]
        of_lines = name in _LINE_ENVIRONMENTS
        if name == "array" and opening:                       # of equations, if there are some in it
            inside = match.string[end:].partition("\\end")[0]
            self._arrays.append("=" in inside and "\\begin" not in inside)
        if name == "array" and self._arrays:
            of_lines = self._arrays[-1] if opening else self._arrays.pop()
        if of_lines:
            self._put("newline", "\n", start, end)
        elif name in MATRIX_ENVIRONMENTS:
            self._put("begin" if opening else "end", name, start, end)
        else:
            self.refuse(f"The environment {name[:30]!r} is not known here. Use align or equation for lines, and "
                        "matrix, pmatrix, bmatrix or array for a matrix.", start)

    def _other(self, text, at):
        """Puts the token for a character outside ASCII, or refuses one that has no meaning; returns where it ends."""
        letter = text[at]
        if letter in GREEK:
            end = match.end() if (match := _AFTER_GREEK.match(text, at + 1)) else at + 1
            self._put("word", GREEK[letter] + text[at + 1 : end], at, end)
            return end
        if letter in _SIGNS:
            self._put("sign", _SIGNS[letter], at, at + 1)
        elif letter in _FRACTIONS:
            self._put("number", unicodedata.normalize("NFKC", letter).replace("\u2044", "/"), at, at + 1)
        elif letter in _LOW or letter in _HIGH:
            return self._small(text, at)
        elif letter in MARKS and self.found and not self._spaced and self.found[-1].kind == "word":
            last, behind = self.found[-1], re.match(r"[0-9]+", text[at + 1 : at + 4])
            digits = behind[0] if behind and last.text.isalpha() else ""        # the number of q1 behind its dots
            self.found[-1] = replace(last, text=last.text + digits, end=at + 1 + len(digits) if digits else last.end)
            self._put("sign", "'" * MARKS[letter], at, at + 1)
            return at + 1 + len(digits)
        elif dotted(letter):
            plain, dots = dotted(letter)
            self._put("word", plain, at, at + 1)
            self._put("sign", "'" * dots, at, at + 1)
        else:
            self.refuse(f"The character {letter!r} (U+{ord(letter):04X}) has no meaning here. Use letters, numbers, "
                        "+ - * / ^ = and brackets, or LaTeX.", at)
        return at + 1

    def _small(self, text, at):
        """A run of small characters below or above the line."""
        table, sign = (_LOW, "_") if text[at] in _LOW else (_HIGH, "^")
        end = at
        while end < len(text) and text[end] in table:
            end += 1
        inside = "".join(table[letter] for letter in text[at:end])
        self._put("sign", sign, at, at)
        for part in re.finditer(r"[0-9]+|[a-z][a-z0-9]*|[-+]", inside):
            kind = "number" if part[0][0].isdigit() else "word" if part[0].isalnum() else "sign"
            self._put(kind, part[0], at + part.start(), at + part.end())
        return end

    def _word(self, word, start, text):
        end = start + len(word)
        before, after = text[max(start - 1, 0) : start], text[end : end + 1]
        between = word.casefold() in lines.BETWEEN
        prose = word.casefold() in lines.PROSE or (not self.latex and word in lines.SHORT_PROSE)
        if (between or prose) and _EQUALS.match(text, end):                 # be = ...: it is a name here
            self.names |= {canonical(word)}
        apart = not before.strip(" \n,;.:)") and not after.strip(" \n:,;") and canonical(word) not in self.names
        if apart and between:
            self._put("newline", "\n", start, end)
            return
        if apart and prose:
            self.refuse("Text between formulas is not understood. Leave it out, or give each formula a line of its "
                        "own.", start)
        if len(word) > 60 and not self.latex:
            self.refuse("The name here is too long to be meant. Are signs such as * missing?", start)
        if word not in self._cut:
            self._cut[word] = pieces = self._pieces(word)
            if not self.latex and pieces == cut_into_names(word, self.names):
                self.notes.append(((start, end), f"{word} was read as {'*'.join(pieces)}."))
        for piece in self._cut[word]:
            self._put("number" if piece.isdigit() else "word", piece, start, start + len(piece))
            start += len(piece)

    def _pieces(self, word):
        """A run of letters and digits as the names that it consists of."""
        if canonical(word) in self.names or function(word) or word in GREEK_NAMES or (
                not self.latex and spelled(word) != (canonical(word), 0)):
            return [word]
        return cut_into_names(word, self.names) or (_latex_pieces(word) if self.latex else _text_pieces(word))

    def _brackets(self):
        """The index of the bracket that belongs to each bracket. Raises `Unreadable` if one has none."""
        partner, opened = {}, []
        for i, token in enumerate(self.found):
            if token.mark in lines.CLOSING:
                opened.append(i)
                if len(opened) > MOST_BRACKETS:
                    self.refuse(f"Brackets are nested more than {MOST_BRACKETS} deep here.", token.start)
            elif token.mark in lines.CLOSING.values():
                if not opened:
                    self.refuse(f"Nothing opens the {_shown(token)} here. Remove it, or open a bracket before it.",
                                token.start)
                first = self.found[opened[-1]]
                if lines.CLOSING[first.mark] != token.mark:
                    self.refuse(f"The {_shown(first)} at column {first.start + 1} is closed by {_shown(token)} here. "
                                "Use brackets of the same kind.", token.start)
                partner[opened.pop()] = i
        if opened:
            token = self.found[opened[-1]]
            self.refuse(f"The {_shown(token)} here is never closed. Close it, or remove it.", token.start)
        return partner


def _with_symmetric_entries(tokens):
    """The tokens with a name for an entry of a matrix that is only "*" or "sym.": it is its mirror image's."""
    made, between = [], (",", ";", "&", "\\\\", "newline")
    begins, ends = (*between, "[", "{", "(", "begin"), (*between, "]", "}", ")", "end", ".")
    for token, after in pairwise([*tokens, tokens[-1]]):
        alone = bool(made) and made[-1].mark in begins and after.mark in ends
        if alone and (token.mark == "*" or token.text in ("sym", "ast", "star")):
            made.append(replace(token, kind="word", text=SYMMETRIC))
        elif not (token.mark == "." and made and made[-1].text == SYMMETRIC):
            made.append(token)
    return made


def _shown(token):
    return f'"{token.text}"' if token.kind == "sign" else f"\\{token.kind}{{{token.text}}}"


def cut_into_names(word, names):
    """The names of which a word consists (mgl is m, g, l where these exist), with a function at most last; or None."""
    if not names or len(word) > 40:
        return None
    reached = {0: []}
    for start in range(len(word)):
        if start not in reached:
            continue
        for end in range(start + 1, len(word) + 1):
            piece = word[start:end]
            if canonical(piece) in names or piece in GREEK_NAMES or function(piece):
                if end not in reached or len(reached[end]) > len(reached[start]) + 1:
                    reached[end] = [*reached[start], piece]
    found = reached.get(len(word))
    return found if found and len(found) > 1 else None


def _latex_pieces(word):
    """Single letters, each with the digits after it, except names of functions and Greek letters without backslash."""
    one = re.search(r"dot[0-9]*$", word) or re.fullmatch(r"qd{1,2}[0-9]+|th[0-9]*", word)
    return [word] if one else _LATEX_PIECE.findall(word)


def _text_pieces(word):
    """m1l1 is m1, l1; l1cos is l1, cos; sinq1 is sin, q1; but mgl stays one name."""
    base, low, index = word.partition("_")
    pieces = re.findall(r"[A-Za-z]+[0-9]*(?:d{0,2}dot(?![A-Za-z0-9]))?", base)
    pieces[-1] += low + index
    made = []
    for i, piece in enumerate(pieces):
        times = re.fullmatch(r"([A-Za-z]+)([0-9]+)", piece)
        if times and function(times[1]) and i + 1 < len(pieces):        # sin2x: the number belongs to x
            made += times.groups()
        else:
            made += _without_functions(piece)
    return made


def _without_functions(piece):
    """A piece whose beginning or end is the name of a function, cut there."""
    if len(piece) > 4 and piece.isalpha() and get_close_matches(piece, FUNCTION_NAMES, 1, 0.85):
        return [piece]                                        # cosin: a slip, about which `parser` says so
    for name in FUNCTION_NAMES:
        if len(name) < 3 or piece == name or function(piece):
            continue
        if piece.endswith(name) and not piece[: -len(name)].endswith("_"):
            return [piece[: -len(name)], name]
        rest = piece[len(name) :]
        greek = re.match(r"[A-Za-z]+", rest)
        if piece.startswith(name) and (re.fullmatch(r"[A-Za-z](?:_?[0-9]+)?", rest)
                                       or (greek and (greek[0] in GREEK_NAMES or greek[0] == "th"))):
            return [name, rest]
    return [piece]
