"""The table of the benchmark: a row for each figure, with its ratio and whether it reaches what was asked for."""

from dataclasses import dataclass

MICRO = 1e6


@dataclass(frozen=True)
class Row:
    """One figure: another program's number and ours, the smaller the better, and their ratio, the larger the better.

    theirs, ours: in `unit`.  ratio: theirs / ours.  of_best: the same from the shortest times instead of the medians
    (None where nothing was timed).  must, aim: the ratios to reach (None where none is asked for).  failed: why there
    are no numbers, if there are none.
    """

    what: str
    model: str = ""
    against: str = ""
    theirs: float | None = None
    ours: float | None = None
    unit: str = ""
    must: float | None = None
    aim: float | None = None
    of_best: float | None = None
    failed: str = ""

    @property
    def ratio(self):
        return None if self.failed else self.theirs / self.ours

    @property
    def verdict(self):
        if self.failed:
            return f"not measured: {self.failed}"
        if self.must is None:
            return ""
        if self.aim is not None and self.ratio >= self.aim:
            return "aim"
        return "must" if self.ratio >= self.must else "MISSED"


def timed(what, model, against, timings, names, must=None, aim=None, per=1):
    """A row of times in µs: names are theirs and ours among the `Timings`; per: how many states a call handles."""
    theirs, ours = names
    micro = MICRO / per
    return Row(what, model, against, timings.typical(theirs) * micro, timings.typical(ours) * micro, "µs", must, aim,
               timings.best(theirs) / timings.best(ours))


HEADER = ("what", "model", "against", "theirs", "ours", "unit", "ratio", "of best", "must", "aim", "reached")
LEFT = {"what", "model", "against", "unit", "reached"}


def as_text(rows):
    """The rows as a Markdown table."""
    lines = [HEADER, *map(_texts, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, tuple("-" * width if name in LEFT else "-" * (width - 1) + ":"
                          for name, width in zip(HEADER, widths, strict=True)))
    return "\n".join("| " + " | ".join(_placed(*cell) for cell in zip(line, HEADER, widths, strict=True)) + " |"
                     for line in lines)


def _placed(text, name, width):
    return text.ljust(width) if name in LEFT else text.rjust(width)


def _texts(row):
    numbers = (row.ratio, row.of_best, row.must, row.aim)
    ratio, best, must, aim = ("" if x is None else f"{x:.2f}" for x in numbers)
    theirs, ours = ("" if x is None else _number(x) for x in (row.theirs, row.ours))
    return (row.what, row.model, row.against, theirs, ours, row.unit, ratio, best, must, aim,
            row.verdict)


def _number(x):
    """Three digits at least, and whole numbers in full."""
    return f"{x:.0f}" if x >= 1000 or x == int(x) else f"{x:.3g}" if x < 100 else f"{x:.1f}"
