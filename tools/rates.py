"""How often the checker of derivations is right: python -m tools.rates [--answers 100] [--systems NAME ...].

Slips of the pen are put mechanically into right answers of the corpus (tests/verify/corpus): each sign, each sine, each
number, each square and each symbol in turn. The verdict on each is looked at, and whether its first explanation names
the slip. The answers that people wrote are counted too. docs/rates.md holds the table (--write).
"""

import argparse
import itertools
import re
import sys
import time
from collections import Counter, namedtuple
from pathlib import Path

import numpy as np

from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.reasons.diagnosis import diagnose
from tests.verify.corpus import systems
from tests.verify.planted import is_named

PAGE = Path(__file__).resolve().parents[1] / "docs" / "rates.md"

#: What is done to a text: (name, pattern, function from its match to the new text or None, names of findings that fit).
_OTHER = {"1": "2", "2": "1", "sin": "cos", "cos": "sin", "+": "-", "-": "+"}
_VARIABLE = r"(?<![A-Za-z_\\])([A-Za-z]+_?\{?)([12])(?![0-9A-Za-z_(])"


def _swapped(match):
    """The variable with the other number, if the answer has that one, too."""
    other = match[1] + _OTHER[match[2]]
    return other if re.search(rf"(?<![A-Za-z_\\]){re.escape(other)}(?![0-9A-Za-z_(])", match.string) else None


SLIPS = {
    "sign": (r"(?<=[\w)\]}'] )[+-](?= )", lambda match: _OTHER[match[0]],
             {"sign", "argument", "gravity reversed", "gravity sign", "velocity terms sign", "coriolis sign",
              "centrifugal sign", "dT/dq sign", "coupling sign", "opposite sign"}),
    "sine for cosine": (r"(?<![A-Za-z])(sin|cos)(?=[ (\\])", lambda match: _OTHER[match[0]],
                        {"function", "other axis"}),
    "number": (r"(?<![\w^{./*])([2-9])\*(?=[A-Za-z(])|(?<![\w^.])1/([2-9])\*", lambda match: "",
               {"factor", "half forgotten", "coriolis counted once", "moment of inertia"}),
    "power": (r"(?<=[A-Za-z0-9)'}])(\^2|\*\*2|\^\{2\})(?![0-9])", lambda match: "",
              {"power", "lost factor"}),
    "index": (_VARIABLE, _swapped, {"symbol", "argument"}),
    "factor left out": (r"(?<=[\w)])\*[A-Za-z]\w*(?![\w^('*])", lambda match: "", {"lost factor", "missing factor"}),
}

#: What people hand in, by the number of mistakes.
WRITTEN = "right answer", "one mistake", "two mistakes"

Case = namedtuple("Case", "kind system quantity answer given names")
Outcome = namedtuple("Outcome", "case verdict seconds kinds")


def slips(text):
    """Pairs (kind, changed text): every slip of `SLIPS` at every place of a text."""
    for kind, (pattern, change, _) in SLIPS.items():
        for match in re.finditer(pattern, text):
            if (new := change(match)) is not None:
                yield kind, text[:match.start()] + new + text[match.end():]


def mechanical(corpus, answers):
    """`Case`s with a slip in each place of right answers, of as many as wanted, evenly from the whole corpus."""
    right = [(system, answer) for system in corpus for answer in system.answers
             if not answer.mistakes and isinstance(answer.answer, str)]
    for k in np.unique(np.linspace(0, len(right) - 1, min(answers, len(right))).astype(int)):
        system, answer = right[k]
        for kind, text in dict.fromkeys(slips(answer.answer)):
            yield Case(kind, system, answer.quantity, text, answer.given, (frozenset(SLIPS[kind][2]),))


def written(corpus):
    """`Case`s of the answers that people wrote: right, with one mistake, with two."""
    for system in corpus:
        for answer in system.answers:
            yield Case(WRITTEN[len(answer.mistakes)], system, answer.quantity, answer.answer, answer.given,
                       answer.mistakes)


def outcome(case, models):
    """The `Outcome`: "right", "not understood", "named", "explained otherwise", "unexplained"; CPU seconds; kinds."""
    model = models.setdefault(case.system.name, None) or case.system.model()
    models[case.system.name] = model
    start = time.process_time()
    decision = verify_numbers(model, case.quantity, case.answer, case.given)
    diagnosis = diagnose(decision, case.answer)
    seconds = time.process_time() - start
    if decision.ok or not decision.entries:
        return Outcome(case, "right" if decision.ok else "not understood", seconds, ())
    verdict = ("named" if is_named(diagnosis, case.names) else "explained otherwise" if diagnosis.explanations
               else "unexplained")
    return Outcome(case, verdict, seconds, tuple(finding.kind for finding in diagnosis.findings))


def table(outcomes):
    """The rows of the page's table, a list of strings in Markdown."""
    rows = ["| What was handed in | Answers | Called right | Named first | Explained otherwise | Not explained | "
            "Asked for in other words |", "|---|---|---|---|---|---|---|"]
    for kind, some in itertools.groupby(outcomes, key=lambda outcome: outcome.case.kind):
        some = list(some)
        count = Counter(outcome.verdict for outcome in some)
        rates = (f"{100 * count[verdict] / len(some):.1f} %" for verdict in
                 ("right", "named", "explained otherwise", "unexplained", "not understood"))
        rows.append(f"| {kind} | {len(some)} | " + " | ".join(rates) + " |")
    return rows


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tools.rates", description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=100, help="right answers that slips are put into")
    parser.add_argument("--systems", nargs="*", help="only these systems of the corpus")
    parser.add_argument("--only", choices=["mechanical", "written"], help="only one half of the table")
    parser.add_argument("--write", action="store_true", help="write the table into docs/rates.md")
    parser.add_argument("--list", action="store_true", help="print each answer that was not named")
    options = parser.parse_args(arguments)
    corpus = [system for system in systems() if not options.systems or system.name in options.systems]
    cases = [*(written(corpus) if options.only != "mechanical" else ()),
             *(mechanical(corpus, options.answers) if options.only != "written" else ())]
    models, outcomes = {}, []
    for case in cases:
        outcomes.append(outcome(case, models))
        if options.list and outcomes[-1].verdict not in ("named", "right")[case.kind == "right answer":]:
            print(f"{outcomes[-1].verdict}: {case.kind} · {case.system.name} · {case.quantity} · "
                  f"{case.answer!r} · {case.given!r} · {outcomes[-1].kinds}", flush=True)
    order = [*WRITTEN, *SLIPS]
    rows = table(sorted(outcomes, key=lambda outcome: order.index(outcome.case.kind)))
    for words, kinds in (("answers that people wrote", WRITTEN), ("answers with slips", SLIPS)):
        if seconds := [outcome.seconds for outcome in outcomes if outcome.case.kind in kinds]:
            median, most, worst = np.percentile(seconds, [50, 90, 100])
            rows += ["", f"CPU seconds for {words}: median {median:.2f}, nine of ten below {most:.2f}, the slowest "
                     f"{worst:.1f}."]
    print("\n".join(rows))
    if options.write:
        head = PAGE.read_text(encoding="utf-8").split("<!-- table -->")
        PAGE.write_text("<!-- table -->".join([head[0], "\n\n" + "\n".join(rows) + "\n\n", head[2]]), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
