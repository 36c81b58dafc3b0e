"""Points for the tries of a learner at a problem: the share of an answer that is right, and what wrong tries cost."""

from collections import namedtuple

#: Verdicts on tries that cost nothing, and that are not among the tries of which so many are allowed.
FREE = ("not understood", "not graded")
#: Right values that are smaller than this fraction of the largest are zero.
_ZERO = 1e-12


class Mark(namedtuple("Mark", "student problem tries points counted verdict message remarks", defaults=("", ""))):
    """What a learner gets for a problem.

    student; problem: the `Problem`; tries: pairs (`Try`, result); points: those of each try, None where it does not
    count; counted: the place of the best try, or None.  verdict, message: on that one, for the learner; remarks: what
    the message says about the points.
    """

    @property
    def total(self):
        """The points for the problem."""
        return 0 if self.counted is None else self.points[self.counted]

    @property
    def hints(self):
        """The hints that the learner has earned, a list of text; none once the answer is right."""
        wrong = sum(result["verdict"] != "right" for _, result in self.tries)
        return [] if self.verdict in ("right", "missing") else [
            text for after, text in self.problem.hints if after <= wrong]


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
        worth = round(problem.points * share(problem, result)[0] * max(0, 1 - penalty * sum(wrong)), 2)
        worth = int(worth) if worth == int(worth) else worth
        points.append(worth if most is None or looked_at < most else None)
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
    remarks = " ".join(filter(None, [share(problem, result)[1],
                                     f"Wrong tries before it cost {cost:.0%}." if cost else "",
                                     f"Only the first {most} tries count." if len(places) < len(points) else ""]))
    return Mark(student, problem, tuple(tries), tuple(points), best, result["verdict"],
                f"{result['message']} {remarks}".strip(), remarks)


def share(problem, result):
    """(the share of the points of a `Problem` that an answer is worth by itself, from 0 to 1; a sentence on how much of
    it is right, where that is a part).

    result: that of `workers`. Of a right answer all; of one that is wrong or incomplete the weight of the entries that
    are right, or the equations that hold, each said once, of those that are needed or, if these are more, were given.
    """
    if result["verdict"] == "right":
        return 1.0, ""
    if not problem.partial or result["verdict"] not in ("wrong", "incomplete"):
        return 0.0, ""
    entries, zeros = result["report"]["entries"], ""
    if result["report"]["independent"]:
        sort, (right, of) = "equations", result["report"]["independent"]
        worth = right / of
    else:
        sort, right, of, weights = "entries", sum(e["ok"] for e in entries), len(entries), weights_of(problem, entries)
        worth = sum(weight for weight, e in zip(weights, entries, strict=True) if e["ok"]) / (sum(weights) or 1)
        if right == of:                                    # something is wrong with the answer as a whole
            worth = 0.0
        zeros = " Zeros count for nothing." * (0 in weights)
    words = f"{right} of the {of} {sort} {'is' if right == 1 else 'are'} right.{zeros}"
    return worth, words if 0 < worth < 1 else ""


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
    rows = [entry["index"][0] for entry in entries]
    in_row = {row: sum(weight for weight, own in zip(plain, rows, strict=True) if own == row) for row in rows}
    return [problem.weights[row] * weight / (in_row[row] or 1) for weight, row in zip(plain, rows, strict=True)]
