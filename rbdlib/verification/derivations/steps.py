"""The lines of a derivation as they come, and what is found out about each and about all; see `derivation`."""

import json
import re
from dataclasses import dataclass

from rbdlib.verification.notation.texts import visible
from rbdlib.verification.reports.report_text import framed, headline, indented, paragraphs, plain, signed, table
from rbdlib.verification.trees.names import GREEK_NAMES, beginning, function

MOST_LINES = 200
#: How unknown forces are called, once underscores are gone.
FORCE = re.compile(r"(S|N|R|F|f|X|Y|A|B|P|Q|T|Z|lam|lambda|mu)[A-Za-z]?\d{0,2}[a-z]{0,2}")
_COMMENT = re.compile(r"\s*(#|%|//).*")
#: Text before and behind equations: numbers, and words that lead on.
_WORDS = (r"(?:therefore|thus|hence|so that|so|then|now|and|also|with|let|we have|we get|it follows that|giving|gives)"
          r"\b[,:]?\s+")
_BEFORE = re.compile(r"\s*(?:\(\d+[a-z]?\)\s+|\d+[.)]\s+(?=[A-Za-z\\$]))?(?:" + _WORDS
                     + r"|(?:=>|⇒|∴|\\Rightarrow|\\therefore)\s*)*", re.IGNORECASE)
_BEHIND = re.compile(r"(?<![.,;\s])(?:\s*\\tag\{[^}]*\}|(?:\s{2,}|\s*\\q?quad\s*)\(\d+[a-z]?\)|\s*[.,;]){0,50}\s*$")
#: What may stand at the beginning of a row of align before its formula.
_MARGIN = re.compile(r"^(?:[&~\s]|\{\}|\\q?quad(?![a-z])|\\[,;:!>])+")
_TEXT = r"\\(?:text\w*|mathrm|mbox|intertext)\s*\{"
#: Words before a formula, "Kinetic energy:", "a)", and behind it, "(about the pivot)".
_HEAD = re.compile(rf"^\s*(?:[-*+>]\s+|[a-z]\)\s+)?(?:[*_]*[A-Za-z][A-Za-z0-9 ,.'’()/*_-]{{0,80}}:[*_]*(?!=)"
                   rf"|{_TEXT}[^{{}}=]{{0,80}}(?::\s*\}}|\}}\s*(?::|\\q?quad)))(?:[~\s]|\\q?quad(?![a-z]))*(?=\S)|^[a-z]\)\s+"
                   r"|^\s*[Ff]or small [a-z ]{1,40},\s*(?=\S)")
_TAIL = re.compile(rf"(?<![=+*/\s-])(?:[~\s]|\\q?quad(?![a-z])|\\[,;: ]){{1,9}}(?:{_TEXT}(?P<text>[^{{}}=]*)\}}"
                   r"|\((?P<words>[A-Za-z][A-Za-z ,.'’-]*)\))[\s.$]*$")
_PROSE = re.compile(r"[#>*_|\s-]*[A-Za-z][A-Za-z0-9 ,.;:'’()*_–-]*")
#: A variation: delta x is what x' is, since both are any displacement that the joints allow.
_VARIATION = re.compile(r"(?:\\delta(?![A-Za-z])|δ|\bdelta\s)\s*(\\[A-Za-z]+|[^\W\d_]\w*)")
_SUM = re.compile(r"^([\s$&]*)(?:\\sum|∑)\s*([A-Z])(?=[^=:]*=[^=:]*$)")
_STARRED = re.compile(r"_\{?(\w{1,40})\}?\^\{?\*\}?|(?<=\w)\*(?=\s*=|\s+[-+]\s)")
_NEARLY = re.compile(r"≈|≃|\\approx(?![a-z])|\\simeq(?![a-z])|~=")
_SMALL = re.compile(r"\bsmall|lineari[sz]|approx", re.IGNORECASE)
_ENVIRONMENT = re.compile(r"\\(begin|end)\{(?![bpvBV]?matrix|smallmatrix|array)[A-Za-z]+\*?\}(\{[a-z|]*\})?"
                          r"|^\s*\\(begin|end)\{array\}(\{[a-z|]*\})?\s*$")


@dataclass(frozen=True)
class Line:
    """The verdict on one line.

    number: from 1.  text.  status: "follows", "does not follow" or "not understood".  reason: in words.  because: the
    numbers of the wrong lines from which it follows.  counterexample: pairs (name, text) of a state at which the two
    sides differ, with ``left`` and ``right``, text; all empty if it follows.  compared: whether the line was compared
    with a right value, which then is ``right``, while the learner's is ``left``.
    """

    number: int
    text: str
    status: str
    reason: str = ""
    because: tuple = ()
    counterexample: tuple = ()
    left: str = ""
    right: str = ""
    compared: bool = False

    ok = property(lambda self: self.status == "follows" and not self.because, doc="True if it follows from right ones.")

    @property
    def verdict(self):
        """In words: "follows", "follows from line 2, which is wrong", ..."""
        if not self.because:
            return self.status
        return f"follows from {numbered(self.because)}, which {'are' if len(self.because) > 1 else 'is'} wrong"

    @property
    def sign(self):
        """A tick, a cross, a question mark, or a tick in brackets for what follows from a wrong line."""
        return "(✓)" if self.because else {"follows": "✓", "not understood": "?"}.get(self.status, "✗")

    @property
    def values(self):
        """The values at the counterexample in a sentence; "" if there is none."""
        at = ", ".join(f"{name} = {value}" for name, value in self.counterexample)
        if self.compared:
            return f"For {at} yours is {self.left}, and {self.right} is right."
        return f"For {at} the left side is {self.left}, the right side {self.right}." if self.left else ""


@dataclass(frozen=True)
class Steps:
    """The result of `derivation.verify_steps`. lines: a `Line` for each line."""

    lines: tuple

    ok = property(lambda self: all(line.ok for line in self.lines), doc="True if every line follows.")

    @property
    def first_wrong(self):
        """The first `Line` that does not follow, or else the first that was not understood; None if all follow."""
        return min((line for line in self.lines if not line.ok), key=lambda line: line.status != "does not follow",
                   default=None)

    @property
    def _summary(self):
        first = self.first_wrong
        if first is None:
            return "✓ Every line follows."
        if first.status == "not understood":
            return f"? Line {first.number} is not understood; no line that is understood is wrong."
        known = all(line.status != "not understood" for line in self.lines[: first.number])
        return (f"✗ Line {first.number} does not follow: it is the first that is wrong"
                f"{'' if known else ', of those that are understood'}.")

    def __str__(self):
        lines = [self._summary]
        for line in self.lines:
            text, said = visible(" ".join(line.text.split())), "" if line.ok else f"{line.verdict.capitalize()}."
            lines.append(f"  {line.number}. {line.sign} {beginning(text, 80)}")
            lines += indented("\n".join([said, line.reason, line.values]), "       ")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self):
        rows = []
        for line in self.lines:
            seen = signed(line.sign) if len(line.sign) == 1 else f"<b aria-hidden='true'>{line.sign}</b>"
            more = "".join(paragraphs(text) for text in (line.reason, line.values))
            rows.append([str(line.number), f"{seen} {plain(line.verdict)}",
                         f"<code>{plain(visible(line.text))}</code>{more}"])
        return framed([headline(self._summary), table(("Line", "Verdict", "Your equation"), rows)], self._summary)

    def to_dict(self):
        """The result as plain dicts, lists and text.

        ok; first_wrong: number of a line, or null; lines: for each what a `Line` has, and ok; its counterexample is
        {name: text}.
        """
        first = self.first_wrong
        return {"ok": self.ok, "first_wrong": first and first.number,
                "lines": [{**vars(line), "ok": line.ok, "because": list(line.because),
                           "counterexample": dict(line.counterexample)} for line in self.lines]}

    def to_json(self, **options):
        """The result as JSON text. options: those of json.dumps."""
        return json.dumps(self.to_dict(), ensure_ascii=False, **options)


def follows(reason="", because=()):
    """The verdict on a line that follows; its number and text are still to be filled in."""
    return Line(0, "", "follows", reason, tuple(sorted(because)))


def differs(reason, *values):
    """The verdict on a line that does not follow, likewise. values: from the counterexample on, see `Line`."""
    return Line(0, "", "does not follow", reason, (), *values)


def numbered(lines):
    """Lines by their numbers: "line 2", "lines 1, 3"."""
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, sorted(lines)))}"


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
    lines = [_BEHIND.sub("", _BEFORE.sub("", _ENVIRONMENT.sub("", line), count=1)).strip() if isinstance(line, str)
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
        line = _ENVIRONMENT.sub("", line).strip()
        within = bool(found) and _opens_matrix(found[-1])
        if not _opens_matrix(f"{found[-1]} {line}" if within else line):
            line = line.removesuffix("\\\\").strip()        # elsewhere it ends a row
        if within:
            found[-1] += " " + line
            continue
        bare = line.strip("$ ")
        if bare in ("", "\\[", "\\]") or _COMMENT.fullmatch(line) or _is_prose(line) and not _SMALL.search(line):
            continue
        below = _MARGIN.sub("", line)
        if found and (found[-1].rstrip("& $").endswith(("+", "-", "*", "/", "=", "(")) or (
                "=" not in bare and below.startswith(("+", "-", "*", "/", r"\cdot", r"\times")))):
            found[-1] += " " + below
        else:
            found.append(line)
    return found


def _announced(lines):
    """The lines, those that say "for small angles" and nothing else before the line for which they say it."""
    found, head = [], ""
    for line in lines:
        if isinstance(line, str) and _SMALL.search(line) and _is_prose(line):
            head = line.rstrip(" :,.") + ": "
        else:
            found.append(head + line if head and isinstance(line, str) else line)
            head = ""
    return found


def _is_prose(line):
    """True if a line has words and no equation in it."""
    said = re.sub(r"\$[^$=]*\$", " x ", re.sub(_TEXT + r"([^{}=]*)\}", r" \1 ", line))
    if "=" in line or _NEARLY.search(line):
        return False
    is_long = line.startswith(("**", "#")) or len(re.findall("[A-Za-z]{2,}", said)) > 2
    return line.endswith(":") or is_long and _PROSE.fullmatch(said.strip()) is not None


def formula_of(text, names):
    """(the formula of a line of text, whether it is said to be a near one). names: those that exist.

    Words around it are left out; a near equality is an equation; F_1^* and the sum of some moments are names.
    """
    near = bool(_NEARLY.search(text) or _SMALL.search(text))
    text = _NEARLY.sub("=", _HEAD.sub("", text, count=1))
    tail = _TAIL.search(text)
    if tail and _are_words(tail["text"] or tail["words"], names):
        text = text[: tail.start()]
    if "delta" not in names:
        text = _VARIATION.sub(r"\\dot{\1}" if "\\" in text else r"\1'", text)
    text = _SUM.sub(r"\1\\mathrm{sum\2}" if "\\" in text else r"\1sum\2", text)
    return _STARRED.sub(lambda match: f"_{{{match[1]},star}}" if match[1] else "_star", text), near


def _are_words(text, names):
    """True for a remark of several words, none of which belongs to formulas."""
    words = re.findall(r"[A-Za-z]+", text)
    return 1 < len(words) and max(map(len, words)) > 3 and not any(
        function(word) or word in GREEK_NAMES or word in names and len(word) > 1 for word in words)
