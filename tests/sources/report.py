"""How much of the five texts is proved: a line per chapter, from the coverage report of the last full run.

`python tests/sources/report.py` prints the table; `--open "RBDA 2"` lists the rows of a chapter (or of a whole text,
`--open RBDA`) that are not proved.
"""

import argparse
import sys
from collections import Counter
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.sources import ledger

WIDTH = 30
MARKS = {"checked": "█", "text": "▓", "reasoned": "▒", "failed": "x", "open": "·"}
NO_REPORT = "There is no coverage report yet: run `make test`, which writes one, and then ask again."


def bar(counts, width=WIDTH):
    """A bar of width characters, shared out by counts; a part that is not empty never loses its last character."""
    total = sum(counts.values())
    cells = {name: max(round(width * counts[name] / total), counts[name] > 0) for name in MARKS}
    longest = max(cells, key=cells.get)
    cells[longest] += width - sum(cells.values())
    return "".join(MARKS[name] * cells[name] for name in MARKS)


def column(outcome):
    """Where the table counts an outcome: a skipped test proves as little as a failed one."""
    return "failed" if outcome == "skipped" else outcome


def table(rows, outcomes):
    """The lines of the report: the chapters of each text in their order, and a total."""
    chapters = {}
    for row in rows.values():
        outcome = column(outcomes.get(row.id, "open"))
        chapters.setdefault(row.text, {}).setdefault(row.chapter, Counter())[outcome] += 1
    for text, title in ledger.TEXTS.items():
        yield ""
        yield f"{text}  {title}"
        for chapter in sorted(chapters.get(text, {}), key=order):
            yield line(chapter, chapters[text][chapter])
    total = sum((counts for parts in chapters.values() for counts in parts.values()), Counter())
    yield ""
    yield line("all", total)


def order(chapter):
    return (not chapter.isdigit(), int(chapter) if chapter.isdigit() else 0, chapter)


def line(name, counts):
    shown = "  ".join(f"{counts[outcome]:5}" for outcome in MARKS)
    return f"  {name:10} {bar(counts)} {shown}  {sum(counts.values()):5}"


def unproved(rows, outcomes, part):
    """The lines that list what is not proved in a text, or in one of its chapters, given as "RBDA" or "RBDA 2"."""
    text, _, chapter = part.partition(" ")
    chosen = [row for row in rows.values() if row.text == text and chapter in ("", row.chapter)]
    if not chosen:
        raise SystemExit(f"The ledger has no part {part!r}; write a text and, if you like, a chapter: RBDA, 'RBDA 2'.")
    for row in chosen:
        outcome = outcomes.get(row.id, "open")
        if outcome not in ledger.PROVED:
            yield f"{row.id:14} {outcome:8} {row.section:6} {row.title}"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--open", metavar="PART", help="list the rows of a text or chapter that are not proved")
    asked = parser.parse_args(arguments).open
    if not ledger.COVERAGE.exists():
        raise SystemExit(NO_REPORT)
    rows, outcomes = ledger.read_ledger(), ledger.read_coverage()
    lines = unproved(rows, outcomes, asked) if asked else [*head(), *table(rows, outcomes)]
    if (sys.stdout.encoding or "").lower().replace("-", "") != "utf8":
        sys.stdout.reconfigure(errors="replace")
    print("\n".join(lines))


def head():
    written = datetime.fromtimestamp(ledger.COVERAGE.stat().st_mtime)
    yield f"Rows of the ledger proved in the run of {written:%Y-%m-%d %H:%M}"
    newer = [path for path in [*ledger.TESTS.rglob("*.py"), *ledger.LEDGER.glob("*.csv")]
             if path.stat().st_mtime > written.timestamp()]
    if newer:
        yield f"(since then {len(newer)} file(s) of the tests or the ledger have changed: run the tests again)"
    yield ""
    yield " " * (WIDTH + 14) + "  ".join(f"{word:>5}" for word in ("check", "text", "reas.", "fail", "open", "all"))


if __name__ == "__main__":
    main()
