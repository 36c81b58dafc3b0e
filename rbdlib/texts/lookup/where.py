"""Where something of the texts stands: its code, the test that proves it, the notebook that derives it, its page.

    python -m rbdlib where "Table 7.1"
    rbdlib.where("7.43"), rbdlib.where("MBT 42"), rbdlib.where("articulated-body inertia"), rbdlib.where("crf")
"""

import difflib
import html
import json
import os
import re
from collections import Counter, defaultdict, namedtuple
from functools import cache

from rbdlib.texts.lookup import ledger
from rbdlib.texts.lookup.references import KIND, NUMBER, NUMBERS, TEXTS, References, items_of, sections_of

#: Answers that are shown.
MOST_HITS = 10
#: Words that stand in too many statements to find one by.
SMALL = {"a", "an", "and", "as", "at", "by", "for", "from", "in", "is", "of", "on", "or", "the", "to", "with"}
KINDS = {"claim": 1, "figure": 2, "question": 2, "example": 2}
#: Places of a kind that are shown.
MOST = 3
#: Rooms in the order in which a reader looks for a function; the others come last.
ROOMS = ("book", "methods", "loops", "dynamics.py", "motion", "contact", "texts", "arithmetic", "io", "conventions",
         "analysis", "compile", "draw")
#: A table or figure that is named without its text, or as "RBDA's", but in a heading.
BARE = re.compile(rf"(?<!{' )(?<!'.join(TEXTS)} )(?<!# )(?:RBDA's )?\b((?:Table|Figure|Example) \d+\.\d)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


class Place(namedtuple("Place", "file line about")):
    """A place in a file. about: the name of a function, "::test_name" of a test, the cell and heading of a notebook."""

    def __str__(self):
        line = f":{self.line}  " if self.line else "  "
        return f"{self.file}{'' if self.about.startswith('::') else line}{self.about}".rstrip()

    def link(self):
        """The place as a link (HTML), relative to the current folder."""
        path = os.path.relpath(ledger.ROOT / self.file).replace(os.sep, "/")
        return f'<a href="{html.escape(path)}{f"#L{self.line}" * bool(self.line)}">{html.escape(str(self))}</a>'


class Hit(namedtuple("Hit", "name about text places page")):
    """An answer: a row of the ledger, or a function. places: pairs (sort, `Place`), the best of a sort first.

    text: the statement of the row, or what the docstring begins with.  page: on the site.
    """


class Whereabouts(namedtuple("Whereabouts", "query hits more near lacking")):
    """Answers to a question: the best one in full, of the others one place each; in a notebook with links.

    more: how many there are besides.  near: names that resemble the question, if there is no answer.  lacking: what of
    the repository is not installed.
    """

    def __bool__(self):
        return bool(self.hits)

    def __repr__(self):
        lines = []
        for hit in self.hits:
            best = hit is self.hits[0]
            lines += [f"{hit.name}  {hit.about}", *["    " + hit.text.replace("\n", "\n    ")] * best,
                      *(f"    {sort:10}{place}" for sort, place in hit.places), *[f"    {'site':10}{hit.page}"] * best]
        return "\n".join(lines + self._remarks())

    def _repr_html_(self):
        blocks = []
        for hit in self.hits:
            best = hit is self.hits[0]
            links = "".join(f"<li>{sort}: {place.link()}</li>" for sort, place in hit.places)
            links += f"<li>site: {html.escape(hit.page)}</li>" * best
            text = f"<br>{html.escape(hit.text)}" * best
            blocks.append(f"<li><b>{html.escape(hit.name)}</b> {html.escape(hit.about)}{text}<ul>{links}</ul></li>")
        return f"<ul>{''.join(blocks)}</ul>" + "".join(f"<p>{html.escape(remark)}</p>" for remark in self._remarks())

    def _remarks(self):
        remarks = []
        if not self.hits:
            near = f" Near: {', '.join(self.near)}." if self.near else ""
            remarks.append(f"Nothing is found for {self.query!r}.{near}\nAsk for a number (7.43, MBT 42, RBDA-7.43, "
                           "Table 7.1), for the name of a function (crf), or for words that a text states.")
        if self.more:
            remarks.append(f"... and {self.more} more; the name of the text or further words say which.")
        if self.lacking:
            remarks.append(f"The {' and '.join(self.lacking)} are in the repository, and not in this installation.")
        return remarks


def where(query: str) -> Whereabouts:
    """Where an equation, a table, a function or a term stands: file and line, test, notebook, page of the site.

    Parameters
        query: text: "Table 7.1", "7.43", "MBT 42", "RBDA-7.43", the name of a function such as "crf", or words such as
            "articulated-body inertia". A number without a text is one of RBDA if RBDA has it, then of the others; 7.3
            is the equation, then the section.
    Returns: a `Whereabouts`, false where nothing is found; at most ten answers, the best first.
    Raises: TypeError if query is no text, ValueError if it is empty.

    >>> "ch07_articulated_body.py" in str(where("Table 7.1"))
    True
    """
    if not isinstance(query, str):
        raise TypeError(f"query is {query!r}; give text, such as 'Table 7.1' or 'crf'.")
    query = " ".join(query.split())
    if not query:
        raise ValueError("query is empty; give a number such as 'Table 7.1', the name of a function, or words.")
    if (ids := _numbered(query)) is not None:
        functions = []
    elif functions := _functions_called(query):
        ids = list(functions[0].ids)
    else:
        functions, ids = _by_words(query)
    answers = [*functions, *(rows()[row_id] for row_id in ids)]
    hits = tuple(_hit(answer, place == 0) for place, answer in enumerate(answers[:MOST_HITS]))
    lacking = tuple(name for name in ("tests", "notebooks") if not (ledger.ROOT / name / "conftest.py").is_file())
    return Whereabouts(query, hits, len(answers) - len(hits), () if hits else _near(query), lacking)


# From a question to rows and functions


def _numbered(query):
    """The ids of the rows that a question names by number: of the text it names, else of RBDA, then of the others.

    None if it names no number.
    """
    known = {row_id.casefold(): row_id for row_id in rows()}
    if (row_id := known.get(query.casefold().replace(" ", "-"))) is not None:         # MRN A2
        return [row_id]
    query = re.sub("[()]", "", query)
    if text := re.match(rf"({'|'.join(TEXTS)})\b", query, re.IGNORECASE):
        named = [text[0].upper() + query[text.end() :]]
    elif re.fullmatch(KIND + NUMBERS.pattern, query):
        named = [f"{text} {query}" for text in TEXTS]
    else:
        return None
    ids = [row_id for name in named for row_id in references().rows(name, bare="equation")]
    sections = [mention.section for name in named for mention in references().mentions(name) if mention.section]
    within = [row.id for text, section in sections for row in rows().values()
              if text == row.text and section in (row.section, row.chapter)]
    return list(dict.fromkeys(ids + within))


def _functions_called(query):
    """The functions, classes, methods and constants of this name, those of the book that name a row first."""
    name = query.removeprefix("rbdlib.").removesuffix("()")
    found = [item for item in code() if f".{item.name}".endswith(f".{name}") and (
                 item.kind != "data" or item.signature or item.doc)]
    return sorted(found, key=lambda item: (item.kind not in ("function", "class"), room(item.file), not item.ids))


def _words(text):
    """The words of a text in small letters without the plural: matrices and inertias are matrix and inertia."""
    words = [re.sub(r"ices$", "ix", word) for word in re.findall(r"[^\W_]+", text.casefold()) if word not in SMALL]
    return [re.sub(r"(?<=\w{3})(?<!s)s$", "", word) for word in words]


def _by_words(query):
    """(functions, ids): functions that are called so, and rows in whose titles or statements all the words stand.

    Where there are none, the functions whose docstrings begin with a paragraph in which all the words stand.
    """
    words = _words(query)
    if not words:
        return [], []
    phrase, scored = f" {' '.join(words)} ", []
    for place, row in enumerate(rows().values()):
        title, whole = _words(row.title), _words(f"{row.title} {row.statement}")
        if set(words) <= set(whole):
            scored.append((phrase not in f" {' '.join(whole)} ", KINDS.get(row.kind, 0), TEXTS.index(row.text),
                           phrase not in f" {' '.join(title)} ", not set(words) <= set(title), place, row.id))
    public = [item for item in code() if room(item.file) < len(ROOMS) and item.kind in ("function", "class")]
    functions = [item for item in public if phrase in f" {' '.join(_words(item.short))} "]
    called = [item for item in functions if len(_words(item.short)) == len(words)]
    if not scored and not functions:
        functions = [item for item in public if set(words) <= set(_words(item.doc.partition("\n\n")[0]))]
    return called or ([] if scored else functions), [row_id for *_, row_id in sorted(scored)]


def _near(query):
    """Ids, titles and names of functions that resemble a question."""
    names = {row_id.casefold(): row_id for row_id in rows()}
    names |= {row.title.casefold(): row.title for row in rows().values() if len(row.title) < 60}
    names |= {item.short.casefold(): item.short for item in code() if room(item.file) < len(ROOMS)
              and item.kind in ("function", "class", "method")}
    number = re.search(NUMBER, query)
    letter = "t" if "table" in query.casefold() else ""
    asked = [query.casefold()] + ([f"rbda-{letter}{number[0]}"] if number else [])
    close = [names[name] for text in asked for name in difflib.get_close_matches(text, names, n=5, cutoff=0.7)]
    words = set(_words(query))
    shared = sorted(rows().values(), key=lambda row: -len(words & set(_words(row.title))))[:3]
    return tuple(dict.fromkeys(close or [row.title for row in shared if words & set(_words(row.title))]))


# From rows and functions to answers


def _hit(answer, is_best):
    """The `Hit` for a row or an `Item`: if it is the best, with a few places of each sort, and else with one alone.

    Of a row that no code names, the table of which it is the pseudocode stands for it.
    """
    if isinstance(answer, ledger.Row):
        row_id, lines, table = answer.id, code_of(answer), re.search(r"Table [A-Z\d.]+\w", answer.title)
        for twin in references().rows(f"{answer.text} {table[0]}") if table and not lines else ():
            lines = lines or code_of(rows()[twin])
        said = row_id, f"{answer.title} ({answer.kind}, section {answer.section})", answer.statement
        file, page = lines[0][1].file if lines else "", f"{answer.page}.html#{ledger.slug(row_id)}"
        places = {"code": [place for place, _ in lines]}
    else:
        row_id, file, ids = next(iter(answer.ids), ""), answer.file, f" [{', '.join(list(answer.ids)[:8])}]"
        lines = code_of(rows()[row_id]) if row_id and is_best else []
        said = (f"{answer.name}{answer.signature}"[:120], f"({answer.kind})",
                answer.doc.partition("\n")[0] + ids * bool(answer.ids))
        page = f"api/{file.removesuffix('.py').removesuffix('/__init__').replace('/', '.')}.html#{answer.name}"
        places = {"code": [Place(file, answer.line, "")]}
    if row_id and (is_best or not places["code"]):
        places["test"] = tests_of(row_id)
    if row_id and is_best:
        places["notebook"] = notebooks_of(row_id, [item for _, item in lines if item.file == file])
    found = tuple((sort, place) for sort, several in places.items() for place in several[:MOST])
    return Hit(*said, found if is_best else found[:1], page)


# Where a row stands: code, tests, notebooks


@cache
def rows():
    """The rows of the ledger by id; none where the ledger is not installed."""
    return ledger.read_ledger() if ledger.LEDGER.is_dir() else {}


@cache
def references():
    return References(list(rows()), sections_of(rows().values()))


def room(file):
    """The place of a file's room in `ROOMS`."""
    name = file.split("/")[1]
    return ROOMS.index(name) if name in ROOMS else len(ROOMS)


@cache
def code():
    """What is public, the members of classes too, the book first; not of this package, which only speaks of others."""
    found = []
    for path in ledger.PACKAGE.rglob("*.py"):
        file = path.relative_to(ledger.ROOT).as_posix()
        if not re.search(r"/_(?!_init__)", file) and not file.startswith("rbdlib/texts/lookup/"):
            name = file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
            found += items_of(path.read_text(encoding="utf-8"), name, file, references())
    found.sort(key=lambda item: (room(item.file), item.file))
    return [inner for item in found for inner in (item, *item.members)]


def code_of(row):
    """Pairs (place, item): lines that carry the number of a row, functions whose docstrings name it; the best first."""
    own = f"/ch{row.chapter.zfill(2)}_" if row.text == "RBDA" else f"/{row.text.lower()}"
    number = row.id.partition("-")[2]
    number = "Table " + number[1:] if number[0] == "T" else number

    def rank(item):                                        # the chapter's own file, the room, a line of code
        in_doc = item.ids[row.id] == item.line and number not in item.doc.partition("\n")[0]
        return own not in item.file, room(item.file), in_doc, item.file, item.line

    found = sorted((item for item in code() if row.id in item.ids), key=rank)
    return [(Place(item.file, item.ids[row.id], item.short), item) for item in found]


@cache
def _proofs():
    return ledger.by_row(ledger.read_proofs(), rows())


def tests_of(row_id):
    """The tests whose source markers name a row: those of tests/sources first, and those of few rows."""
    found = sorted(_proofs()[row_id], key=lambda proof: ("tests/sources" not in proof.file, len(proof.patterns)))
    return [Place(proof.file, proof.line, f"{'::' * ('test' in proof.name)}{proof.name}") for proof in found]


@cache
def _cells():
    """{id, or (text, section): {(notebook, number of the cell, heading): whether a displayed formula ends with it}}."""
    found = defaultdict(dict)
    for path in sorted((ledger.ROOT / "notebooks").glob("*.ipynb")):
        cells = [(number, "".join(cell["source"])) for number, cell in enumerate(
            json.loads(path.read_text(encoding="utf-8"))["cells"], start=1) if cell["cell_type"] == "markdown"]
        whole = "\n\n".join(text for _, text in cells)
        ids = {row_id for mention in references().prose(whole) for row_id in mention.ids}
        chapters = sorted({rows()[row_id].chapter for row_id in ids if rows()[row_id].text == "RBDA"})
        heading = ""
        for number, text in cells:
            text = BARE.sub(r"RBDA \1", text)
            for mention in references().prose(text, chapters):
                above = [heading, *HEADING.findall(text[:mention.start])][-1]
                shown = text[:mention.start].endswith("\\text{(")
                for name in mention.ids or (mention.section,):
                    cell = (f"notebooks/{path.name}", number, above)
                    found[name][cell] = found[name].get(cell, False) or shown
            heading = [heading, *HEADING.findall(text)][-1]
    return found


def notebooks_of(row_id, functions=()):
    """The cells that derive a row, one of each notebook, the best first.

    Of an equation these are the cells that name it, best at the end of a displayed formula. For a table, and where no
    cell names the row, those count too that name the section or most rows of the functions that name the row (`Item`s).
    """
    cells, row = _cells(), rows()[row_id]
    score = Counter({cell: 3 + 10 * shown for cell, shown in cells.get(row_id, {}).items()})
    if not score or row.kind in ("table", "algorithm"):
        others = {other for item in functions for other in item.ids}
        score.update(cell for other in others for cell in cells.get(other, ()))
        score.update(cells.get((row.text, row.section), ()))
    kin = Counter(cell[0] for other in rows().values() if (other.text, other.section) == (row.text, row.section)
                  for cell in cells.get(other.id, ()))
    best = {}
    for cell in sorted(score, key=lambda cell: (-score[cell], -kin[cell[0]], cell)):
        best.setdefault(cell[0], Place(cell[0], 0, f"cell {cell[1]}: {cell[2]}"))
    return list(best.values())
