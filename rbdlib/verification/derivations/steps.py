"""A derivation line by line: which line does not follow from those above it?

    verify_steps(model, ["T = 1/2 m l^2 q1'^2", "V = -m g l cos(q1)", "L = T - V", "d/dt dL/dq1' = m l^2 q1''"])
"""

import json
from dataclasses import dataclass

import mpmath

from rbdlib.verification.derivations.derivation import Derivation
from rbdlib.verification.derivations.derivation_lines import lines_of
from rbdlib.verification.mechanics.states import DIGITS, require_seed
from rbdlib.verification.notation.texts import visible
from rbdlib.verification.reports.html import framed, headline, paragraphs, plain, signed, table
from rbdlib.verification.reports.report_text import indented


@dataclass(frozen=True)
class Steps:
    """The result of `verify_steps`. lines: a `Line` for each line."""

    lines: tuple

    @property
    def ok(self):
        """True if every line follows."""
        return all(line.ok for line in self.lines)

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
        return f"✗ Line {first.number} does not follow: it is the first that is wrong."

    def __str__(self):
        lines = [self._summary]
        for line in self.lines:
            text, said = visible(" ".join(line.text.split())), "" if line.ok else f"{line.verdict.capitalize()}."
            lines.append(f"  {line.number}. {line.sign} {text if len(text) <= 80 else text[:77] + '...'}")
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
        table_of_lines = table(("Line", "Verdict", "Your equation"), rows)
        return framed([headline(self._summary), table_of_lines], self._summary)

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


def verify_steps(model, lines, given=None, seed=0, explain=True):
    """Which lines of a derivation follow, and which is the first that does not.

    Parameters
        model: a `Model`, best with symbols: load("double_pendulum", symbolic=True).
        lines: a list of equations, as text, LaTeX or SymPy; or one text with a line for each. T, V, L, E, H, C, g and
            their entries (H11, C1) are compared with the right ones; a new name on one side of an equation is defined
            by it; whatever else must hold with the names defined above. Write L, or T and V, before you use them.
        given: what the learner calls otherwise, as for `verify`.
        seed: whole number, for the random states.
        explain: whether to search for the reason why an energy, vector or matrix is wrong.
    Returns: `Steps`; its ``first_wrong`` is the first line that does not follow.
    Raises: ValueError or TypeError for a bad model, lines or given. A bad line is "not understood".
    """
    require_seed(seed)
    lines = lines_of(lines)
    with mpmath.workdps(DIGITS):
        derivation = Derivation(model, lines, given, seed, explain)
        return Steps(tuple(derivation.judge(number, line) for number, line in enumerate(lines, start=1)))
