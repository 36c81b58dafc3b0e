"""Reports to the learner: the verdict first, then what agrees and what does not, with numbers, and why.

    report = verify(model, "H", "[[...], [...]]")
    report.ok                   True or False
    print(report)               sentences;  in a notebook a table
    report.to_json()            the same for programs
"""

import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.mechanics.states import require_seed
from rbdlib.verification.reasons import diagnosis
from rbdlib.verification.reports.report_text import as_written, lines, report_html, side_by_side, state_values
from rbdlib.verification.trees.expression import to_text

#: Words of a decision about an answer to another question, such as a Jacobian in other axes.
RIGHT_ELSEWHERE = "is right as"
#: Contents of ``Report.to_dict``. Keys may be added; those that exist keep their names and meaning.
SCHEMA = {
    "ok": "whether the answer is right",
    "verdict": '"right", "wrong", "incomplete", "right in another convention" or "not understood"',
    "quantity": "what was verified, as it was asked for",
    "problem": 'why the answer could not be compared, or what it leaves open; ""',
    "notes": "list of sentences on how the answer was understood",
    "certainty": "how sure the verdict is, a sentence",
    "seed": "what the random states were drawn from",
    "entries": "list of {index: list of whole numbers from 0, ok, yours, ours: numbers at the counterexample or null} "
               "for each entry; for equations yours is the left minus the right side; for a row of K, K qd",
    "independent": "for equations, and rows of K, that are not right [how many of those that hold say something "
                   "new, how many are needed, or were given if these are more]; otherwise []",
    "counterexample": "{name: number}, the state at which a wrong answer differs, or null",
    "findings": "list of {sentence, kind, span: [start, end] in the answer's text or null, entry: list or null, found, "
                'correction: formulas as text, or ""}: those of the likeliest explanation, or where to look',
    "explanations": "list of lists of such findings; each list would make the answer exactly right",
    "residuals": "list of {entry, formula}: what would have to be added to an entry, where that is short",
    "kinds": "list of {entry, kind, ok, yours, ours}: which kinds of terms agree",
}


@dataclass(frozen=True, eq=False)
class Report:
    """The result of a verification.

    decision: a `comparisons.Decision`.  findings: why the answer is wrong, a tuple; each finding has a ``sentence``, a
    ``span`` in the answer's text (or None), a ``kind`` and an ``entry``.
    seed: what the random states were drawn from.  explanations: tuples of findings, the likeliest first; each of them
    would make the answer exactly right; empty if none was found, and then the findings say only where the trouble is.
    kinds: which kinds of terms agree, a tuple of `components.KindReport`.
    residuals: pairs (place of an entry, formula), what would have to be added to the entry, where that is short.
    reveal: whether what is right may be shown in formulas, and not only asked for; not so in coursework.
    """

    decision: Any
    findings: tuple = ()
    seed: int = 0
    explanations: tuple = ()
    kinds: tuple = ()
    residuals: tuple = ()
    reveal: bool = True

    @property
    def understood(self):
        """True if the answer could be read and compared; so could one that is right as something else."""
        return self.ok or bool(self.decision.entries) or RIGHT_ELSEWHERE in self.decision.problem

    @property
    def verdict(self):
        """"right", "wrong", "incomplete", "right in another convention" or "not understood"."""
        if not self.ok and RIGHT_ELSEWHERE in self.problem:
            return "right in another convention"
        if not (self.ok or self.decision.quantity.part) and self.entries and all(entry.ok for entry in self.entries):
            return "incomplete"
        return "right" if self.ok else "wrong" if self.understood else "not understood"

    ok = property(lambda self: self.decision.ok, doc="True if the answer is right.")
    entries = property(lambda self: self.decision.entries, doc="A `comparisons.Entry` for each entry, or equation.")
    source = property(lambda self: self.decision.source, doc="The answer's text, in which the spans are, or \"\".")
    problem = property(lambda self: self.decision.problem, doc="Why it could not be compared, or what it leaves open.")
    counterexample = property(lambda self: self.decision.counterexample, doc="A `State` where it differs, or None.")
    notes = property(lambda self: tuple(as_written(note, self) for note in self.decision.notes),
                     doc="Sentences on how the answer was understood.")

    @property
    def certainty(self):
        """How sure the decision is, in words."""
        differs = self.verdict == "wrong" and self.decision.counterexample is not None
        return "This is certain: your answer and the right result differ there." if differs else self.decision.certainty

    def __str__(self):
        return "\n".join(lines(self))

    __repr__ = __str__

    def _repr_html_(self):
        return report_html(self)

    def to_dict(self):
        """The report as plain dicts, lists, text and numbers; `SCHEMA` says what is in it."""
        decision, state = self.decision, self.decision.counterexample
        return {
            "ok": bool(self.ok), "verdict": self.verdict, "quantity": decision.quantity.name,
            "problem": decision.problem, "notes": list(self.notes), "certainty": self.certainty, "seed": self.seed,
            "entries": [{"index": [int(i) for i in entry.index], "ok": bool(entry.ok), "yours": _float(entry.yours),
                         "ours": _float(entry.ours)} for entry in self.entries],
            "independent": [int(count) for count in decision.independent],
            "counterexample": {name: _float(x) for name, x in state_values(state)} if state else None,
            "findings": [finding_dict(finding, self) for finding in self.findings],
            "explanations": [[finding_dict(finding, self) for finding in found] for found in self.explanations],
            "residuals": [{"entry": _whole(entry), "formula": to_text(tree)}
                          for entry, tree in (self.residuals if self.reveal else ())],
            "kinds": [{"entry": _whole(part.entry), "kind": part.kind, "ok": bool(part.ok), "yours": _float(part.yours),
                       "ours": _float(part.ours)} for part in self.kinds],
        }

    def to_json(self, **options):
        """The report as JSON text. options: those of json.dumps, such as indent=2."""
        return json.dumps(self.to_dict(), ensure_ascii=False, **options)


def verify(model, quantity, answer=None, given=None, seed=0, reveal=True, units=None, explain=True):
    """Verify a formula derived by hand.

    Parameters
        model: a `Model`, best with symbols: load("double_pendulum", symbolic=True).
        quantity: "H", "C", "g", "bias", "tau", "qdd", "equations of motion", "T", "V", "L", "E", "J[body]", "v[body]",
            "a[body]", "X[i,j]", "S[joint]", "momentum", "p", "com", with loops "K", "k", "phi", "lambda", or an
            identity such as "2*T == H11*qd1^2", which needs no answer.
        answer: text, LaTeX, a SymPy expression or matrix, numbers, a list of any of these, or a Python function of
            numbers whose arguments are called q, qd, qdd, tau, t or like symbols of the model.
        given: what the learner calls otherwise: "theta2 = q1 + q2; M = m_cart"; springs and dampers, "spring k at q1";
            prescribed motions, "q1 = Omega*t"; constraints, "q2 = q1/r"; see `vocabulary.Vocabulary`. Conventions by
            name, "C without gravity", "tau_g acts", "frames = DH classic", or by a text, "Spong", "Craig", "Tedrake".
            Small angles are for `verify_steps`, which compares "theta'' ≈ -g/l theta" so.
        seed: whole number, for the random states at which answer and right result are compared.
        units: dict from names to units, {"m1": "kg", "l1": "m"}, as text or as units of SymPy or pint; they must be
            those that the model's symbols have. Dimensions are checked without them, too.
        reveal: whether the report of a wrong answer may show what would be right in its place.
        explain: whether to search for the reason why it is wrong.
    Returns: a `Report`: ``ok`` says whether the answer is right; printed, it says what agrees, what does not, at
        which numbers, and why, if a reason was found.
    Raises: ValueError or TypeError for a bad model, quantity or given. A bad answer is a Report with a ``problem``.

    >>> from rbdlib import load
    >>> pendulum = load("simple_pendulum", symbolic=True)
    >>> verify(pendulum, "tau", r"m l^2 \\ddot q_1 + m g l \\sin q_1").ok
    True
    >>> verify(pendulum, "tau", "m*l^2*qdd1 - m*g*l*sin(q1)").ok
    False
    """
    require_seed(seed)
    if units:
        given = [*(given if isinstance(given, (list, tuple)) else [given]), {"units": units}]
    decision = verify_numbers(model, quantity, answer, given, seed)
    found = Report(decision, seed=seed, reveal=reveal)
    return explained(found, answer) if explain else found


def explained(report, answer=None):
    """A report with the reason why the answer is wrong, as far as it is found. answer: needed if it is a function."""
    try:
        return replace(report, **diagnosis.diagnose(report.decision, answer)._asdict())
    except Exception as error:                         # the verdict stands, whatever becomes of the explanation
        note = (f"The search for the reason failed ({type(error).__name__}). The verdict does not depend on it; please "
                "tell the authors.")
        return replace(report, decision=report.decision.noted(note))


def finding_dict(finding, report):
    """A finding of a report as a dict for JSON."""
    found, correction = side_by_side(finding, report) or ("", "")
    return {"sentence": finding.sentence, "kind": finding.kind, "span": _whole(finding.span),
            "entry": _whole(finding.entry), "found": found, "correction": correction}


def _whole(place):
    return None if place is None else [int(i) for i in np.ravel(place)]


def _float(x):
    return None if x is None else float(x)
