"""The reports on the answers of answers.toml and of the corpus' sample: no sentence of any changes unseen, on no
machine.

    python -m tests.verify.reports

writes reports.txt anew, for the reader of ``git diff`` to say whether each sentence that has changed is true.
"""

import re
import tomllib
import zlib
from functools import cache
from pathlib import Path

from rbdlib import load, verify_steps
from rbdlib.io.sketch import sketch
from rbdlib.verification.reports.report import verify

FILE = Path(__file__).with_name("reports.txt")
ANSWERS = tomllib.loads(Path(__file__).with_name("answers.toml").read_text(encoding="utf-8"))["answer"]
_HEAD = re.compile(r"^#### (.*)\n", re.MULTILINE)


@cache
def model(text):
    """The model of a row, with symbols unless "numbers" stands behind its name."""
    name, _, numbers = text.partition(": numbers")
    return (sketch if "," in text else load)(name, symbolic=text == name)


def head(name, quantity, answer, given=None):
    """The line above a report: what was asked, and a number that belongs to the answer and to what is given."""
    told = repr((getattr(answer, "__name__", answer), given))           # a function by its name
    return f"{name}: {quantity} {zlib.crc32(told.encode()):08x}".replace("\n", "; ")


def row_head(row):
    return head(row["model"], row["quantity"], row["answer"], row.get("given"))


def outcome(row):
    """(verdict, text of the report, its HTML) for a row of answers.toml."""
    try:
        if row["quantity"] == "steps":
            found = verify_steps(model(row["model"]), row["answer"], row.get("given"))
            return "right" if found.ok else "wrong", str(found), found._repr_html_()
        found = verify(model(row["model"]), row["quantity"], row["answer"], row.get("given"))
        return found.verdict, str(found), found._repr_html_()
    except ValueError as error:
        return "refused", str(error), ""


@cache
def known():
    """{head: report} of the file."""
    heads, texts = (_HEAD.split(FILE.read_text(encoding="utf-8"))[k::2] for k in (1, 2))
    return dict(zip(heads, map(str.strip, texts), strict=True))


def written():
    from tests.verify import test_corpus as corpus

    for row in ANSWERS:
        yield row_head(row), outcome(row)[1]
    for case in corpus.SAMPLE:
        yield corpus.head_of(case), str(corpus.report_on(case))


if __name__ == "__main__":
    FILE.write_text("".join(f"#### {title}\n{text.strip()}\n\n" for title, text in dict(written()).items()), "utf-8")
