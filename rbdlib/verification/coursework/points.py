"""Points for the tries of a learner at a problem: the share of an answer that is right, and what wrong tries cost."""

from dataclasses import dataclass
from typing import Any

#: Verdicts on tries that cost nothing, and that are not among the tries of which so many are allowed.
FREE = ("not understood", "not graded")
#: Right values that are smaller than this fraction of the largest are zero.
_ZERO = 1e-12


@dataclass(frozen=True)
class Mark:
    """What a learner gets for a problem.

    student; problem: the `Problem`; tries: pairs (`Try`, result); points: those of each try, None where it does not
    count; counted: the place of the best try, or None.  verdict, message: on that one, for the learner; remarks: what
    the message says about the points.
    """

    student: str
    problem: Any
    tries: tuple
    points: tuple
    counted: int | None
    verdict: str
    message: str = ""
    remarks: str = ""

    @property
    def total(self):
        """The points for the problem."""
        return 0 if self.counted is None else self.points[self.counted]

    @property
    def hints(self):
        """The hints that the learner has earned, a list of text; none once the answer is right."""
        wrong = sum(result["verdict"] != "right" for _, result in self.tries)
        return [] if self.verdict in ("right", "missing") else self.problem.hints_after(wrong)


def mark(student, problem, tries, most=None, penalty=0.0):
    """The `Mark` for the tries of a learner, pairs (`Try`, result) in their order.

    The best try counts. most: tries that count, None for all; penalty: the share of the points that each wrong try
    before the best one costs. What the problem says about the two goes before. Tries that were not understood, or could
    not be graded, cost nothing.
    """
    most = problem.tries or most
    penalty = penalty if problem.penalty is None else problem.penalty
    points, looked_at, wrong = [], 0, []
    for _, result in tries:
        left = max(0, 1 - penalty * sum(wrong))
        counts = most is None or looked_at < most
        points.append(_rounded(problem.points * share(problem, result) * left) if counts else None)
        looked_at += result["verdict"] not in FREE
        wrong.append(result["verdict"] not in ("right", *FREE))
    places = [place for place, worth in enumerate(points) if worth is not None]
    if not places:
        return Mark(student, problem, tuple(tries), tuple(points), None, "missing")
    best = max(places, key=lambda place: (points[place], tries[place][1]["verdict"] == "right"))
    if not points[best] and tries[best][1]["verdict"] != "right":
        best = places[-1]                                  # none is worth anything: the learner reads about the last
    result = tries[best][1]
    cost = min(penalty * sum(wrong[:best]), 1)
    remarks = " ".join(filter(None, [_parts_in_words(problem, result),
                                     f"Wrong tries before it cost {cost:.0%}." if cost else "",
                                     f"Only the first {most} tries count." if len(places) < len(points) else ""]))
    return Mark(student, problem, tuple(tries), tuple(points), best, result["verdict"],
                f"{result['message']} {remarks}".strip(), remarks)


def _rounded(points):
    """Points to two digits after the point, a whole number where they are one."""
    points = round(points, 2)
    return int(points) if points == int(points) else points


# The share of an answer that is right


def share(problem, result):
    """The share of the points of a `Problem` that an answer is worth by itself, from 0 to 1.

    result: that of `worker`. Of a right answer all; of one that is wrong or incomplete the weight of the entries that
    are right, or the equations that hold, each said once, of those that are needed or, if these are more, were given.
    """
    report = result.get("report") or {}
    if result["verdict"] == "right":
        return 1.0
    if not problem.partial or result["verdict"] not in ("wrong", "incomplete"):
        return 0.0
    if report["independent"]:
        hold, needed = report["independent"]
        return hold / needed
    ok, weights = [entry["ok"] for entry in report["entries"]], weights_of(problem, report["entries"])
    if all(ok):                                            # what is wrong is wrong with the answer as a whole
        return 0.0
    return sum(weight for weight, right in zip(weights, ok, strict=True) if right) / (sum(weights) or 1)


def weights_of(problem, entries):
    """The weights of the entries of a report, a list: those that the problem states for entries, or for rows.

    By default they are 1, and 0 for an entry that has to be zero, so that an answer of zeros is worth nothing; if all
    have to be zero, 1.
    """
    right = [abs(entry["ours"] or 0) for entry in entries]
    plain = [float(value > _ZERO * max(right)) for value in right]
    plain = plain if any(plain) else [1.0] * len(entries)
    if not problem.weights:
        return plain
    if isinstance(problem.weights[0], (list, tuple)):
        return [float(problem.weights[entry["index"][0]][entry["index"][1]]) for entry in entries]
    in_row: dict = {}
    for weight, entry in zip(plain, entries, strict=True):
        in_row[entry["index"][0]] = in_row.get(entry["index"][0], 0) + weight
    return [problem.weights[entry["index"][0]] * weight / (in_row[entry["index"][0]] or 1)
            for weight, entry in zip(plain, entries, strict=True)]


def _parts_in_words(problem, result):
    """A sentence on how much of an answer is right, where that is worth something; otherwise ""."""
    worth, report = share(problem, result), result.get("report")
    if not report or not 0 < worth < 1:
        return ""
    if report["independent"]:
        right, needed = report["independent"]
        return f"{right} of the {needed} equations {'is' if right == 1 else 'are'} right."
    right, zero = sum(entry["ok"] for entry in report["entries"]), 0 in weights_of(problem, report["entries"])
    return (f"{right} of the {len(report['entries'])} entries {'is' if right == 1 else 'are'} right."
            + " Zeros count for nothing." * zero)
