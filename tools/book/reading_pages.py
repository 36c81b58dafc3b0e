"""The page that lists what `verify` reads: the formulas and answers of its own tests."""

import tomllib

from tools.book.markup import code, page
from tools.book.places import ROOT

TESTS = ROOT / "tests" / "verify"
INTRO = """Every line of these tables is a test of rbdlib, so what stands here is read as it says. On the right, `dth`
and `ddth` are the rates of the angle `th`, and so on.
[Notebook 26](notebooks/26_verify_your_derivation.ipynb) shows how answers are handed in."""
ANSWERS = """Whole answers, with what is stated beforehand in `given`. "Refused" means that the quantity or the
statement is not accepted; the message says why."""


def reading_page():
    """The page as Markdown."""
    texts = tomllib.loads((TESTS / "texts.toml").read_text(encoding="utf-8"))
    answers = tomllib.loads((TESTS / "answers.toml").read_text(encoding="utf-8"))["answer"]
    rows = [[row["verdict"], f"{row['quantity']} of {row['model']}", row.get("given", ""), row["answer"]]
            for row in answers]
    return page("What verify reads", INTRO, "## Plain text", _table(("You write", "It means"), texts["plain"].items()),
                "## LaTeX", _table(("You write", "It means"), texts["latex"].items()), "## Whole answers", ANSWERS,
                _table(("Verdict", "Asked", "Given", "Answer"), rows))


def _table(head, rows):
    cells = [[code(cell.strip().replace("\n", "; ")).replace("|", r"\|") if cell else "" for cell in row]
             for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *cells))
