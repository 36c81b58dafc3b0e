"""Where something of the texts stands: its code, the test that proves it, the notebook that derives it, its page.

    python -m rbdlib where "Table 7.1"
    rbdlib.where("7.43"), rbdlib.where("MBT 42"), rbdlib.where("articulated-body inertia"), rbdlib.where("crf")
"""

import difflib
import html
import re
from dataclasses import dataclass

from rbdlib.verification.lookup import ledger
from rbdlib.verification.lookup.places import (
    MOST,
    ROOMS,
    Place,
    code_of,
    files,
    items,
    notebooks_of,
    references,
    room,
    rows,
    tests_of,
)
from rbdlib.verification.lookup.references import KIND, NUMBER, TEXTS

#: Answers that are shown.
MOST_HITS = 10
#: Words that stand in too many statements to find one by.
SMALL = {"a", "an", "and", "as", "at", "by", "for", "from", "in", "is", "of", "on", "or", "the", "to", "with"}
KINDS = {"claim": 1, "figure": 2, "question": 2, "example": 2}
KIND_WORD = re.compile(r"\b(eq|table|fig|figure|example|question|algorithm|lemma|section|chapter)(?:n|uation)?(s?)\b"
                       r"\.?", re.IGNORECASE)


@dataclass(frozen=True)
class Hit:
    """An answer: a row of the ledger, or a function. places: pairs (sort, `Place`), the best of a sort first.

    text: the statement of the row, or what the docstring begins with.  page: on the site.
    """

    name: str
    about: str
    text: str
    places: tuple
    page: str


@dataclass(frozen=True)
class Whereabouts:
    """Answers to a question: the best one in full, of the others one place each; in a notebook with links.

    more: how many there are besides.  near: names that resemble the question, if there is no answer.  lacking: what of
    the repository is not installed.
    """

    query: str
    hits: tuple
    more: int = 0
    near: tuple = ()
    lacking: tuple = ()

    def __bool__(self):
        return bool(self.hits)

    def __repr__(self):
        lines = []
        for hit in self.hits:
            lines.append(f"{hit.name}  {hit.about}")
            if hit is self.hits[0]:
                lines.append("    " + hit.text.replace("\n", "\n    "))
            lines += [f"    {sort:10}{place}" for sort, place in hit.places]
            lines += [f"    {'site':10}{hit.page}"] * (hit is self.hits[0])
        return "\n".join(lines + self._remarks())

    def _repr_html_(self):
        blocks = []
        for hit in self.hits:
            links = "".join(f"<li>{sort}: {place.link()}</li>" for sort, place in hit.places)
            text = ""
            if hit is self.hits[0]:
                text, links = f"<br>{html.escape(hit.text)}", f"{links}<li>site: {html.escape(hit.page)}</li>"
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
    functions, ids = [], _numbered(query)
    if ids is None:
        functions = _functions_called(query)
        ids = list(functions[0].ids) if functions else []
        if not functions:
            functions, ids = _by_words(query)
    answers = [*functions, *(rows()[row_id] for row_id in ids)]
    hits = tuple((_row_hit if isinstance(answer, ledger.Row) else _function_hit)(answer, place == 0)
                 for place, answer in enumerate(answers[:MOST_HITS]))
    lacking = tuple(name for name in ("tests", "notebooks") if not (ledger.ROOT / name / "conftest.py").is_file())
    return Whereabouts(query, hits, len(answers) - len(hits), () if hits else _near(query), lacking)


# From a question to rows and functions


def _numbered(query):
    """The ids of the rows that a question names by number: of the text it names, else of RBDA, then of the others.

    None if it names no number.
    """
    known = {row_id.casefold(): row_id for row_id in rows()}
    if query.casefold() in known:
        return [known[query.casefold()]]
    query = re.sub(rf"^({'|'.join(TEXTS)})\b", lambda name: name[0].upper(), query, flags=re.IGNORECASE)
    query = KIND_WORD.sub(lambda word: f"{word[1].capitalize()}{word[2]}", query.replace("(", "").replace(")", ""))
    if re.match(rf"({'|'.join(TEXTS)})\b", query):
        named = [query]
    elif re.fullmatch(rf"{KIND}{NUMBER}(?:\s*(?:,|-|–|to|and)\s*{NUMBER})*", query):
        named = [f"{text} {query}" for text in TEXTS]
    else:
        return None
    ids = [row_id for name in named for row_id in references().rows(name, bare="equation")]
    sections = [mention.section for name in named for mention in references().mentions(name) if mention.section]
    within = [row.id for section in sections for row in rows().values() if section in ((row.text, row.section),
                                                                                     (row.text, row.chapter))]
    return list(dict.fromkeys(ids + within))


def _functions_called(query):
    """The functions, classes, methods and constants of this name, those of the book that name a row first."""
    name = query.removeprefix("rbdlib.").removesuffix("()")
    last = name.rpartition(".")[2]
    if not last.isidentifier():
        return []
    line = re.compile(rf"^ {{0,4}}(?:(?:def|class) {last}\b|{last}(?:: [^=\n]*)? = )", re.MULTILINE)
    found = [item for file, text in files().items() if line.search(text) for item in items(file)
             if f".{item.name}".endswith(f".{name}")]
    return sorted(found, key=lambda item: (item.kind not in ("function", "class"), room(item.file), not item.ids))


def _words(text):
    """The words of a text in small letters without the plural: matrices and inertias are matrix and inertia."""
    words = [word for word in re.findall(r"[^\W_]+", text.casefold()) if word not in SMALL]
    return [re.sub(r"ices$", "ix", word) if word.endswith("ices") else re.sub(r"(?<=\w{3})(?<!s)s$", "", word)
            for word in words]


def _by_words(query):
    """(functions, ids): functions that are called so, and rows in whose titles or statements all the words stand."""
    words = _words(query)
    if not words:
        return [], []
    phrase, scored = f" {' '.join(words)} ", []
    for place, row in enumerate(rows().values()):
        title, whole = _words(row.title), _words(f"{row.title} {row.statement}")
        if set(words) <= set(whole):
            scored.append((phrase not in f" {' '.join(whole)} ", KINDS.get(row.kind, 0), TEXTS.index(row.text),
                           phrase not in f" {' '.join(title)} ", not set(words) <= set(title), place, row.id))
    letters = r"\w*".join(map(re.escape, words))
    named = re.compile(rf"^ {{0,4}}(?:def|class) {letters}\w*", re.MULTILINE | re.IGNORECASE)
    functions = [item for file, text in files().items() if room(file) < len(ROOMS) and named.search(text)
                 for item in items(file) if item.kind in ("function", "class") and _words(item.short) == words
                 and item.short.count("_") == len(words) - 1]
    return functions, [row_id for *_, row_id in sorted(scored)]


def _near(query):
    """Ids, titles and names of functions that resemble a question."""
    names = {row_id.casefold(): row_id for row_id in rows()}
    names |= {row.title.casefold(): row.title for row in rows().values() if len(row.title) < 60}
    names |= {name.casefold(): name for file, text in files().items() if room(file) < len(ROOMS)
              for name in re.findall(r"^ {0,4}(?:def|class) ([a-zA-Z]\w+)", text, re.MULTILINE)}
    number = re.search(NUMBER, query)
    letter = "t" if "table" in query.casefold() else ""
    asked = [query.casefold()] + ([f"rbda-{letter}{number[0]}"] if number else [])
    close = [names[name] for text in asked for name in difflib.get_close_matches(text, names, n=5, cutoff=0.7)]
    words = set(_words(query))
    shared = sorted(rows().values(), key=lambda row: -len(words & set(_words(row.title))))[:3]
    return tuple(dict.fromkeys(close or [row.title for row in shared if words & set(_words(row.title))]))


# From rows and functions to answers


def _row_hit(row, is_best):
    """Of a row that no code names, the table of which it is the pseudocode stands for it."""
    code = code_of(row)
    table = re.search(r"Table [A-Z\d.]+\w", row.title)
    for twin in references().rows(f"{row.text} {table[0]}") if table and not code else ():
        code = code or code_of(rows()[twin])
    near = [item for _, item in code if item.file == code[0][1].file]
    return Hit(row.id, f"{row.title} ({row.kind}, section {row.section})", row.statement,
               _places(is_best, [place for place, _ in code], row.id, near), f"{row.page}.html#{ledger.slug(row.id)}")


def _function_hit(item, is_best):
    row_id = next(iter(item.ids), "")
    near = [other for _, other in code_of(rows()[row_id]) if other.file == item.file] if row_id and is_best else []
    module = item.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    ids = f" [{', '.join(list(item.ids)[:8])}]" if item.ids else ""
    return Hit(f"{item.name}{item.signature}"[:120], f"({item.kind})", item.doc.partition("\n")[0] + ids,
               _places(is_best, [Place(item.file, item.line, "")], row_id, near), f"api/{module}.html#{item.name}")


def _places(is_best, code, row_id, near):
    """Pairs (sort, `Place`): of the best answer a few of each sort, of any other one alone."""
    if code and not is_best:
        return (("code", code[0]),)
    tests = tests_of(row_id) if row_id else []
    cells = notebooks_of(row_id, near) if row_id and is_best else []
    found = [(sort, place) for sort, places in (("code", code), ("test", tests), ("notebook", cells))
             for place in places[:MOST]]
    return tuple(found if is_best else found[:1])
