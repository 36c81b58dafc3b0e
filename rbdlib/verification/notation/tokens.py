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

from rbdlib.verification.notation import texts
from rbdlib.verification.notation.prose import without_words
from rbdlib.verification.notation.texts import MARKS, Unreadable
from rbdlib.verification.trees.names import (
    FUNCTION_NAMES,
    GREEK,
    GREEK_NAMES,
    canonical,
    cut_into_names,
    function,
    spelled,
)

MOST_TOKENS = 60_000
MOST_BRACKETS = 40
LONGEST_NUMBER = 40
#: Small characters below and above the line, and what they are small forms of.
_LOW, _HIGH = "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ"
_SMALL = str.maketrans(_LOW + _HIGH, "0123456789aehijklmnoprstuvx0123456789-+n")
_LINE_ENVIRONMENTS = ("align aligned alignat equation gather gathered split eqnarray multline displaymath math cases "
                      "flalign dcases").split()
_MATRIX_ENVIRONMENTS = "matrix pmatrix bmatrix Bmatrix smallmatrix psmallmatrix bsmallmatrix array".split()
#: Commands for upright type, in which a word is one name, and others that only change how what follows looks.
UPRIGHT = "mathrm|text|textrm|textit|mathit|mathsf|mathtt|operatorname|textbf|textsf|rm"
_FONTS = ("mathbf|boldsymbol|bm|vec|mathcal|mathscr|mathbb|mathfrak|pmb|underline|mathnormal|ensuremath|"
          "overrightarrow|smash|mbox|cancel")
#: (kind, text) of the tokens for signs and commands; those for other commands bear their names.
_SPELLINGS = {spelling: (kind, text) for kind, text, spellings in (
    ("space", "", r"\left \right \big \Big \bigg \Bigg \bigl \bigr \Bigl \Bigr \biggl \biggr \Biggl \Biggr \middle "
                  r"\displaystyle \textstyle \scriptstyle \limits \nolimits \nonumber \notag \mathstrut \strut "
                  r"\blacksquare \square \Box \qed \checkmark "
                  r"\thinspace \negthinspace \enspace \hspace \vphantom \allowbreak \noindent"),
    ("gap", " ", r"\quad \qquad \hfill"), ("sign", "\\\\", r"\newline"), ("sign", "^", "**"),
    ("sign", "*", r"· ⋅ ∙ • × ∗ ⨯ \cdot \times \ast \cdotp"), ("sign", "/", r"÷ ∕ ⁄ \div"), ("sign", "-", "− – — ‐ ‑"),
    ("sign", "=", r"== := =: ≡ ≔ \equiv \coloneqq \triangleq"), ("sign", "|", r"∣ \lvert \rvert \vert \mid"),
    ("sign", "|", r"‖ \| \Vert \lVert \rVert"),
    ("sign", "⇒", r"=> -> → ⟹ ∴ \therefore \Rightarrow \implies \to \rightarrow \Longrightarrow"),
    ("sign", "∂", r"\partial \dd \diff"), ("sign", "⊤", r"⊺ \top \intercal"), ("sign", "°", r"\circ"),
    ("sign", ":", r"\colon"),
    ("sign", "(", r"\{ \lbrace"), ("sign", ")", r"\} \rbrace"), ("sign", "[", r"\lbrack"), ("sign", "]", r"\rbrack"),
    *(("word", name, "\\" + name) for name in (
        "sin cos tan sec csc cot arcsin arccos arctan sinh cosh tanh exp ln log sgn hbar").split()),
    *(("word", letter, "\\" + name) for name, letter in GREEK_NAMES.items()),
    ("word", "l", r"\ell"), ("word", "i", r"\imath"), ("word", "j", r"\jmath")) for spelling in spellings.split()}
PROSE_REFUSED = "Text between formulas is not understood. Leave it out, or give each formula a line of its own."
#: Signs for time derivatives, and for how many each stands.
_PRIMES = {r"\prime": 1, "'": 1, "′": 1, "’": 1, "ʹ": 1, "´": 1, '"': 2, "″": 2, "‴": 3}
_PRIME = r"""(?:\\prime(?![A-Za-z])|['′’ʹ´"″‴])"""
_WORD = r"[A-Za-z][A-Za-z0-9]*(?:_(?:[0-9]+(?:d{0,2}dot(?![A-Za-z]))?|[A-Za-z]+[0-9]*))*"
_LATEX_WORD = r"[A-Za-z]+[0-9]*(?:_?d{0,2}dot(?![A-Za-z])[0-9]*)?"
_PATTERN = rf"""
    (?P<newline>\n) | (?P<gap>(?:\\[;:>]\s*){{2,}})
  | (?P<space>[ ]+|~|\\[,;:!>\s/]|(?:\#|%(?!pi\b))[^\n]*
        |\\(?:label|tag\*?|vspace|phantom|hspace)\s*\{{[^{{}}\n]*\}}|\.(?=[*/^])
        |%(?=pi\b)|\\left\s*(?:\.|\\\{{(?=\s*\\begin))|\\right\s*\.|\\text\s*\{{[\s~]*\}}
        |\\(?:(?:{_FONTS})(?![A-Za-z])|(?:{UPRIGHT})(?![A-Za-z]|\s*\{{|\s+d))
        |(?:np|numpy|math|sp|sympy|sym|mp|mpmath|Math)\.(?=[A-Za-z]))
  | (?P<row>\\\\(?:\s*\[[^\]\n]{{0,20}}\])?)
  | (?P<begin>\\begin\s*\{{[A-Za-z]*\*?\}}(?:\s*\{{[lcr|\s]*\}})?) | (?P<end>\\end\s*\{{[A-Za-z]*\*?\}})
  | (?P<upright>\\(?:{UPRIGHT})(?:\s*\{{\s*(?:\\?[A-Za-z][A-Za-z0-9_]*\.?|[0-9]+)\s*\}}|\s+d))
  | (?P<primes>\^\s*(?:{_PRIME}|\{{(?:\s*{_PRIME})+\s*\}})|{_PRIME})
  | (?P<command>\\[A-Za-z]+)
  | (?P<number>(?:[0-9]+(?:\.[0-9]+|\.(?=\s*[-+*/^),\]]))?|\.[0-9]+)(?:[eE][-+]?[0-9]+(?![A-Za-z0-9]))?
        |[½⅓⅔¼¾⅕⅙⅛⅜⅚⅖⅗⅘⅝⅞])
  | (?P<word>WORD) | (?P<greek>[{"".join(GREEK)}][0-9]*(?:_?[0-9]*_?d{{0,2}}dot(?![A-Za-z]))?)
  | (?P<low>[{_LOW}]+) | (?P<high>[{_HIGH}]+) | (?P<mark>[{"".join(MARKS)}](?:(?<=[^\W\d_].)[0-9]{{1,3}})?)
  | (?P<sign>\\[{{}}|]|\*\*|==|:=|=:|=>|->|[-+*/^=()\[\]{{}},;|&_!<>.:√∂⊤ᵀ°⇒]
        |[{"".join(spelling for spelling in _SPELLINGS if len(spelling) == 1)}])
  | (?P<other>.)
"""
_TEXT, _LATEX = (re.compile(_PATTERN.replace("WORD", word), re.VERBOSE) for word in (_WORD, _LATEX_WORD))
_LONG_NAMES = sorted((name for name in (*FUNCTION_NAMES, *GREEK_NAMES) if len(name) > 2), key=len, reverse=True)
#: A single letter with the digits after it, or the name of a function or of a Greek letter without backslash.
_LATEX_PIECE = re.compile(rf"(?:{'|'.join(_LONG_NAMES)}|.)[0-9]*")
_BRACES = re.compile(r"_\{([A-Za-z0-9]{1,20})\}")
_LOW_INDEX = re.compile(r"_\{?([A-Za-z0-9]{1,20})")


@dataclass(slots=True)
class Token:
    """kind: "number", "word", "command", "begin", "end" (of a matrix), "sign", "newline" or "stop"; text: without "\\".

    start, end: its place.  spaced: whether there is space before it.  mark: the text of a sign, else the kind.
    """

    kind: str
    text: str
    start: int
    end: int
    spaced: bool = False

    mark = property(lambda self: self.text if self.kind == "sign" else self.kind)


class Tokens:
    """The tokens of a text, ending with one of kind "stop".

    source: the text; names: names that exist, or None; latex: whether every letter is a symbol of its own.  Raises
    `Unreadable`.
    """

    def __init__(self, source, names=None):
        text, self.names = texts.cleaned(source), frozenset(map(canonical, names or ()))
        text = without_words(texts.with_index_first(texts.with_plain_heads(text)), self.names)
        self.names |= {*re.findall(r"\bdet[A-Z]\b", text)}
        if "L" in self.names:                           # a length; the other L is the Lagrangian
            text, found = re.subn(r"\\math(?:cal|scr)\{L\}", " Lagrangian ", text)
            self.names |= {"Lagrangian"} if found else set()
        self.source, self.latex = source, texts.is_latex(source)
        self.found, self._spaced, self._cut, self._equations = [], False, {}, False
        self.notes = [(level.span(), "What you say about where it is zero was left out.")
                      for level in texts.ZERO_LEVEL.finditer(source)]
        for match in (_LATEX if self.latex else _TEXT).finditer(texts.formulas_only(text)):
            self._add(match)
        self._put("stop", "", len(text), len(text))
        self._brackets()
        self.found = texts.arranged(self.found, text, self.latex)
        self.partner = self._brackets()

    def refuse(self, reason, position):
        raise Unreadable(reason, self.source, position)

    def _put(self, kind, text, start, end, times=1):
        if len(self.found) > MOST_TOKENS:
            self.refuse(f"Your answer has more than {MOST_TOKENS} numbers, names and signs. Give one quantity at a "
                        "time, or simplify it first.", start)
        if kind in ("newline", "stop") or text == "\\\\":
            if ([token.mark for token in self.found[-4:]] == ["gap", "(", "number", ")"]
                    and self.found[-2].text.isdigit()):
                del self.found[-4:]                     # the number of an equation
        elif text == "}" and self.found and self.found[-1].mark == "{":
            if len(self.found) == 1 or self.found[-2].mark in texts.BEFORE_FORMULAS:
                self.found.pop()                        # {} before a sign or an index, as in {}^0J
                return
        for _ in range(times):
            self.found.append(Token(kind, text, start, end, self._spaced))
            self._spaced = False

    def _add(self, match):
        """Puts the tokens for a match of the pattern."""
        text, (start, end) = match[0], match.span()
        kind, text = _SPELLINGS.get(text, (match.lastgroup, text))
        match kind:
            case "word" if match.lastgroup == "word":
                self._word(text, start, match.string)
            case "sign" | "word" | "gap":
                known = match[0] == r"\ell" and any(name.startswith("ell") for name in self.names)
                self._put(kind, "ell" if known else text, start, end)
            case "space":
                self._spaced = True
            case "newline":
                self._put("newline", "\n", start, end)
            case "row":
                self._put("sign", "\\\\", start, end)
            case "begin" | "end":
                self._environment(kind, match)
            case "command":
                self._put(kind, text[1:], start, end)
            case "upright":
                font, text = re.findall(r"\w+", text)
                if text == "d" and font in ("mathrm", "text", "textrm", "operatorname", "rm"):
                    self._put("sign", "∂", start, end)
                else:
                    self._put("number" if text.isdigit() else "word", text, start, end)
            case "number":
                text = unicodedata.normalize("NFKC", text).replace("\u2044", "/")
                exponent = text.lower().partition("e")[2]
                if len(text) > LONGEST_NUMBER or abs(int(exponent or 0)) > 300:
                    self.refuse("The number here is too long or too large to be meant.", start)
                self._put(kind, text, start, end)
            case "primes":
                self._put("sign", "'", start, end, sum(_PRIMES[prime] for prime in re.findall(_PRIME, text)))
            case _:
                self._outside_ascii(kind, text, start, end)

    def _outside_ascii(self, kind, text, start, end):
        """Puts the tokens for letters and other characters outside of ASCII, or refuses one that has no meaning."""
        match kind:
            case "greek":
                self._put("word", GREEK[text[0]] + text[1:], start, end)
            case "low" | "high":
                self._put("sign", "_" if kind == "low" else "^", start, start)
                for part in re.finditer(r"[0-9]+|[a-z][a-z0-9]*|[-+]", text.translate(_SMALL)):
                    kind = "number" if part[0].isdigit() else "word" if part[0].isalnum() else "sign"
                    self._put(kind, part[0], start + part.start(), start + part.end())
            case "mark" if self.found and not self._spaced and self.found[-1].kind == "word":
                last, number = self.found[-1], text[1:]                     # that of q1 stands behind its dots
                self.found[-1] = replace(last, text=last.text + number, end=end if number else last.end)
                self._put("sign", "'", start, start + 1, MARKS[text[0]])
            case _:
                plain = unicodedata.normalize("NFD", text[0])               # a letter and the dots above it
                if len(plain) != 2 or plain[1] not in MARKS or not plain[0].isascii():
                    self.refuse(f"The character {text[0]!r} (U+{ord(text[0]):04X}) has no meaning here. Use letters, "
                                "numbers, + - * / ^ = and brackets, or LaTeX.", start)
                self._put("word", plain[0], start, end)
                self._put("sign", "'", start, end, MARKS[plain[1]])

    def _environment(self, kind, match):
        name, (start, end) = re.findall(r"\{([A-Za-z]*)", match[0])[0], match.span()
        of_lines = name in _LINE_ENVIRONMENTS
        if name == "array":                                   # of equations, if there are some in it
            inside = match.string[end:].partition("\\end")[0] if kind == "begin" else "\\begin"
            of_lines = self._equations or ("=" in inside and "\\begin" not in inside)
            self._equations = of_lines and kind == "begin"
        if of_lines:
            self._put("newline", "\n", start, end)
        elif name in _MATRIX_ENVIRONMENTS:
            self._put(kind, name, start, end)
        else:
            self.refuse(f"The environment {name[:30]!r} is not known here. Use align or equation for lines, and "
                        "matrix, pmatrix, bmatrix or array for a matrix.", start)

    def _word(self, word, start, text):
        end = start + len(word)
        if len(word) > 60 and not self.latex:
            self.refuse("The name here is too long to be meant. Are signs such as * missing?", start)
        if self.latex and (low := _LOW_INDEX.match(text, end)) and canonical(f"{word}_{low[1]}") in self.names:
            self._put("word", word, start, end)
            return
        index = "" if self.latex or (braces := _BRACES.match(text, end)) is None else f"_{braces[1]}"
        key = word + index
        if key not in self._cut:
            self._cut[key] = pieces = self._pieces(word, index)
            if not self.latex and pieces in (cut_into_names(word, self.names), cut_into_names(key, self.names)):
                self.notes.append(((start, end), f"{key} was read as {'*'.join(pieces)}."))
            if pieces[-1].endswith(index):              # which is read by itself
                pieces[-1] = pieces[-1][: -len(index) or None]
        for piece in self._cut[key]:
            self._put("number" if piece.isdigit() else "word", piece, start, start + len(piece))
            start += len(piece)

    def _pieces(self, word, index=""):
        """A run of letters and digits as the names that it consists of; the last may have an index in braces."""
        whole = cut_into_names(word + index, self.names) if index and canonical(word + index) not in self.names else ()
        if whole and whole[-1].endswith(index) and whole[-1] != index:
            return whole
        if canonical(word) in self.names or function(word) or word in GREEK_NAMES or (
                not self.latex and spelled(word) != (canonical(word), 0)):
            return [word]
        if found := cut_into_names(word, self.names):
            return found
        if not self.latex:
            return _text_pieces(word)
        one = re.search(r"dot[0-9]*$", word) or re.fullmatch(r"qd{1,2}[0-9]+|th[0-9]*|const|constant", word)
        return [word] if one else _LATEX_PIECE.findall(word)

    def _brackets(self):
        """The index of the bracket that belongs to each bracket. Raises `Unreadable` if one has none."""
        partner, opened = {}, []
        for i, token in enumerate(self.found):
            if token.mark in texts.CLOSING:
                opened.append(i)
                if len(opened) > MOST_BRACKETS:
                    self.refuse(f"Brackets are nested more than {MOST_BRACKETS} deep here.", token.start)
            elif token.mark in texts.CLOSING.values():
                if not opened:
                    self.refuse(f"Nothing opens the {_shown(token)} here. Remove it, or open a bracket before it.",
                                token.start)
                first = self.found[opened[-1]]
                if texts.CLOSING[first.mark] != token.mark:
                    self.refuse(f"The {_shown(first)} at column {first.start + 1} is closed by {_shown(token)} here. "
                                "Use brackets of the same kind.", token.start)
                partner[opened.pop()] = i
        if opened:
            token = self.found[opened[-1]]
            self.refuse(f"The {_shown(token)} here is never closed. Close it, or remove it.", token.start)
        return partner


def _shown(token):
    return f'"{token.text}"' if token.kind == "sign" else f"\\{token.kind}{{{token.text}}}"


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
