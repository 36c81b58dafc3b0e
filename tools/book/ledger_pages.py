"""The pages of the ledger: how much of each chapter is proved; where every row is shown, coded and tested."""

from collections import Counter

from tests.sources import ledger
from tools.book.ledger_data import OUTCOMES
from tools.book.markup import container, link, page, plain, slug, target
from tools.book.source_pages import line_of

WORDS = {"checked": "checked by a test that runs the library",
         "text": "checked of the text alone, without the library",
         "reasoned": "cannot be checked by code, for a stated reason",
         "failed": "its test failed or did not run", "open": "not yet checked"}
MARKS = {"checked": "✓ checked", "text": "✓ text", "reasoned": "– reasoned", "failed": "✗ failed", "open": "○ open"}
INTRO = """Every numbered equation, table, example and algorithm of the five texts, and every other statement in them
that a computation can confirm or refute, has a row here. Of these {rows} rows {checked} are checked: a test computes
both sides and would fail if the statement were false. {text} of them are about nothing that the library has: their
tests do without it. No code can check {reasoned} others, and each of them gives the reason. {when}

[All source ids on one page](sources.md) is the quickest way from "where is RBDA 7.43?" to its row."""


def ledger_pages(book):
    """{path: Markdown} of the pages of the ledger."""
    pages = {f"{chapter.page}.md": chapter_page(book, chapter) for chapter in book.chapters}
    return pages | {"ledger/index.md": overview(book), "ledger/sources.md": source_index(book)}


def overview(book):
    """The page with a bar per chapter."""
    total = Counter(book.outcomes.values())
    when = "These outcomes are those of the last full run of the tests." if book.run else \
        "No full run of the tests belongs to this state of the files, so that the outcomes are those that the tests " \
        "claim; `make test` runs them."
    intro = INTRO.format(rows=len(book.rows), checked=total["checked"] + total["text"], text=total["text"],
                          reasoned=total["reasoned"], when=when)
    shown = [name for name in OUTCOMES if total[name] or name in ("checked", "text", "reasoned")]
    legend = "\n".join(f"- {{swatch}}`{name}`{MARKS[name]}: {WORDS[name]}" for name in shown)
    rows = [_chapter_line(book, chapter, shown) for chapter in book.chapters]
    table = "\n".join(["{.ledger-overview}", f"| part | outcomes | {' | '.join(shown)} | rows |",
                       "|---|---|" + "---:|" * (len(shown) + 1), *rows])
    texts = "\n".join(f"- **{text}** {plain(title)}" for text, title in ledger.TEXTS.items())
    pages = "\n".join(["```{toctree}", ":hidden:", "", "sources",
                       *(chapter.page.removeprefix("ledger/") for chapter in book.chapters), "```"])
    return page("The ledger", intro, container("ledger-legend", legend), table, texts, pages)


def _bar(counts):
    return "{bar}`" + " ".join(str(counts.get(name, 0)) for name in OUTCOMES) + "`"


def _chapter_line(book, chapter, shown):
    """A row of the overview: the bar, and beside it the same in numbers."""
    counts = Counter(book.outcomes[row.id] for row in chapter.rows)
    cells = [f"[{chapter.title}]({chapter.page.removeprefix('ledger/')}.md)", _bar(counts),
             *(str(counts[name]) for name in shown), str(len(chapter.rows))]
    return f"| {' | '.join(cells)} |"


def chapter_page(book, chapter):
    """The rows of a chapter, in their sections."""
    text = plain(ledger.TEXTS[chapter.text])
    counts = Counter(book.outcomes[row.id] for row in chapter.rows)
    summary = ", ".join(f"{counts[name]} {name}" for name in OUTCOMES if counts[name])
    blocks = [f"{text}. {len(chapter.rows)} rows: {summary}. {_bar(counts)}"]
    sections = {}
    for row in chapter.rows:
        sections.setdefault(row.section, []).append(row)
    for section, rows in sections.items():
        name = f"Section {section}" if section[0].isdigit() or section.startswith("A.") else section
        blocks += [target(section_target(chapter.text, section)), f"## {plain(name)}"]
        blocks += [row_block(book, row) for row in rows]
    return page(f"Ledger: {chapter.title}", *blocks)


def section_target(text, section):
    return f"section-{slug(text)}-{slug(section)}"


def row_block(book, row):
    """A row: what it states, whether that is proved, and the ways to notebooks, code and tests."""
    outcome = book.outcomes[row.id]
    head = f"**{row.id}** {plain(row.title)} {{ledger-kind}}`{row.kind}` {{ledger-{outcome}}}`{MARKS[outcome]}`"
    ways = [("Derived in", [link(book.title_of(name), f"notebooks/{name}.html#source-{slug(row.id)}")
                            for name in book.shown[row.id]]),
            ("Code", [link(item.name.removeprefix("rbdlib."), line_of(item.file, line))
                      for item, line in sorted(book.code[row.id], key=lambda found: "/book/" not in found[0].file)]),
            ("Tested by", [link(proof.name, line_of(proof.file, proof.line)) for proof in book.proofs[row.id]])]
    if row.id in book.reasons:
        ways.append(("Reason", [plain(book.reasons[row.id])]))
    lines = "\n".join(f"- {name}: {', '.join(links)}" for name, links in ways if links)
    block = container(f"ledger-row ledger-row-{outcome}", head, plain(row.statement), lines)
    return f"{target(slug(row.id))}\n{block}"


def source_index(book):
    """Every id as a link to its row, chapter by chapter."""
    intro = """Each id leads to its row in the ledger, which says in which notebook it is derived, which lines of code
compute it and which test proves it. An id in **bold** is derived in a notebook; one that is underlined twice stands in
the code. RBDA-7.43 is Eq. 7.43; T is a table, F a figure, X an example, A an algorithm, Q a question, S a statement
without a number in that section."""
    blocks = []
    for chapter in book.chapters:
        ids = " ".join(_id_link(book, row.id) for row in chapter.rows)
        blocks += [f"## {chapter.title}", container("source-ids", ids)]
    return page("Source ids", intro, *blocks)


def _id_link(book, row_id):
    entry = link(row_id.partition("-")[2], f"{book.page_of[row_id]}.html#{slug(row_id)}")
    kinds = [kind for kind, found in (("shown", book.shown), ("coded", book.code)) if found[row_id]]
    role = "site-" + "-".join(kinds) if kinds else "site"
    return entry.replace("{site}", f"{{{role}}}", 1)
