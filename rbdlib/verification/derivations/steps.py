"""What is found out about each line of a derivation, and about all; see `derivation`."""

import json
import re
from dataclasses import dataclass

from rbdlib.verification.notation.texts import visible
from rbdlib.verification.reports.report_text import framed, headline, indented, paragraphs, plain, signed, table
from rbdlib.verification.trees.names import beginning

#: How unknown forces are called, once underscores are gone.
FORCE = re.compile(r"(S|N|R|F|f|X|Y|A|B|P|Q|T|Z|lam|lambda|mu)[A-Za-z]?\d{0,2}[a-z]{0,2}")


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
