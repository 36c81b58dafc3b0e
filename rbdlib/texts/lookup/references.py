"""Which rows of the ledger a text speaks of: "RBDA Eqs 7.36-7.44, Table 7.1", "(FDSV 9, 11)", "MRN-A1"; and which code.

Modules are read from their text without importing them: functions, classes, their sources.
"""

import ast
import itertools
import re
from collections import namedtuple
from dataclasses import dataclass, field

TEXTS = ("RBDA", "FDSV", "MBT", "SOA", "MRN")
#: The letter that the ledger puts before a number, by the beginning of the word there; the others are sections.
LETTERS = {"eq": "", "ta": "T", "fi": "F", "ex": "X", "qu": "Q", "al": "A", "le": "L"}
NUMBER = r"(?:A|\d+)(?:\.\d+)*[a-z]?"
KIND = (r"(?:(?P<kind>(?i:eq(?:n|uation)?|table|figure|fig|example|question|algorithm|lemma|section|chapter|"
        r"appendix)s?)\b\.?\s*)?")
ITEM = re.compile(KIND + rf"(?P<first>{NUMBER})(?![\w])(?:\s*(?:-|–|to)\s*(?P<last>{NUMBER})(?![\w]))?")
BEFORE_ITEM = rf"\s+(?={KIND.replace('?P<kind>', '?:')}{NUMBER})"
HEAD = re.compile(rf"\b(?P<text>{'|'.join(TEXTS)})(?:(?P<id>-[A-Z]*[\w.]*\w(?:-\w+)*)|{BEFORE_ITEM})")
IN_BRACKETS = re.compile(r"\(([^()]*)\)")
NUMBERS = re.compile(rf"{NUMBER}(?:\s*(?:,|-|–|to|and)\s*{NUMBER})*")
BETWEEN = re.compile(r"\s*(?:,|;|and|with|or)*\s*(?:and\s+)?")


class Mention(namedtuple("Mention", "start end ids section")):
    """A place of a text that names rows: text[start:end] names these ids, or a section ("RBDA", "7.3") of the book."""


class References:
    """Finds mentions of the rows of a ledger.

    ids: all ids.  sections: all pairs (text, section). Where "RBDA 7.3" may be a section or an equation, the argument
    `bare` of the methods decides: "section" or "equation".
    """

    def __init__(self, ids, sections):
        self.ids, self.sections = dict.fromkeys(ids), set(sections)

    def mentions(self, string, bare="section"):
        """Every `Mention` in a string, in order."""
        found, position = [], 0
        while head := HEAD.search(string, position):
            if head["id"]:
                items = [Mention(head.start(), head.end(), (head[0],), None)] if head[0] in self.ids else []
            else:
                items = list(self._items(string, head, bare))
            found += items
            position = items[-1].end if items else head.end()
        return found

    def prose(self, string, chapters=()):
        """Every `Mention` in running text: "(RBDA 7.3)" is an equation, "RBDA 7.3" without brackets a section.

        In a text about some chapters of RBDA, "(7.3)" is an equation, too.
        """
        found = [mention for mention in self.mentions(string) if mention.section or mention.ids]
        for bracket in IN_BRACKETS.finditer(string):
            inner, start = bracket[1], bracket.start(1)
            home = re.match(r"(\d+|A)\.", inner)
            if HEAD.match(inner):
                inside = self.mentions(inner, "equation")
            elif home and home[1] in chapters and NUMBERS.fullmatch(inner):
                inside = [m._replace(start=max(m.start - 5, 0), end=m.end - 5)
                          for m in self.mentions(f"RBDA {inner}", "equation")]
            else:
                continue
            found = [mention for mention in found if not start <= mention.start < bracket.end()]
            found += [m._replace(start=m.start + start, end=m.end + start) for m in inside]
        return sorted(found)

    def rows(self, string, bare="section"):
        """The ids that a string names, without repetition."""
        return list(dict.fromkeys(row_id for mention in self.mentions(string, bare) for row_id in mention.ids))

    def _items(self, string, head, bare):
        """The mentions that follow the name of a text; the first one includes that name."""
        start, position, kind, text = head.start(), head.end(), None, head["text"]
        while item := ITEM.match(string, position):
            if item["kind"]:
                kind = LETTERS.get(item["kind"][:2].lower(), "section")
            first, last, section = item["first"], item["last"], None
            if kind == "section" or (kind is None and bare == "section" and (text, first) in self.sections):
                ids, section = (), (text, first) if (text, first) in self.sections else None
            else:
                ids = self._range(text, kind or "", first, last) if last else self._one(text, kind or "", first)
            yield Mention(start, item.end(), tuple(ids), section)
            between = BETWEEN.match(string, item.end())
            if not between or not between[0].strip():
                return
            start = position = between.end()

    def _one(self, text, letter, number):
        """The row of this number, or its parts: Table 6.1 is there as T6.1, or as T6.1a and T6.1b."""
        row_id = f"{text}-{letter}{number}"
        if row_id in self.ids:
            return [row_id]
        parts = re.compile(re.escape(row_id) + r"(?:[a-z]|-\d+)")
        return [other for other in self.ids if parts.fullmatch(other)]

    def _range(self, text, letter, first, last):
        head, dot, start = first.rpartition(".")
        end = last.rpartition(".")[2]
        numbers = [first, last]
        if start.isdigit() and end.isdigit() and int(end) - int(start) <= 100:
            numbers = [f"{head}{dot}{number}" for number in range(int(start), int(end) + 1)]
        return [row_id for number in numbers for row_id in self._one(text, letter, number)]


def sections_of(rows):
    """All pairs (text, section) of the rows of a ledger: for section 2.3 these are 2.3 and chapter 2."""
    return {(row.text, part) for row in rows for part in (row.section, row.section.split(" ")[0], row.chapter)}


# An index of modules


#: A comment that has a number in brackets.
_NUMBERED = re.compile(r"#.*\(.*\d.*\)")


@dataclass
class Item:
    """A function, class, method or attribute.

    name: as in Python, from rbdlib on.  file: its path from the root.  line, end: where it begins and ends there.
    """

    name: str
    kind: str
    file: str
    line: int
    end: int
    signature: str = ""
    doc: str = ""
    members: list = field(default_factory=list)
    ids: dict = field(default_factory=dict)

    short = property(lambda self: self.name.rpartition(".")[2])


def items_of(text, name, file, references):
    """The public items of a module, given its text, its name and its path from the root, in the order of the file."""
    tree, lines = ast.parse(text), text.splitlines()
    items = [item for node in tree.body for item in _items(node, name, file)]
    for item in (item for item in items if item.kind == "data"):
        above = reversed(lines[: item.line - 1])           # the comments "#: ..." above a constant say what it is
        said = [line[3:] for line in itertools.takewhile(lambda line: line.startswith("#: "), above)]
        item.doc = " ".join(said[::-1])
    doc = (ast.get_docstring(tree) or "").partition("\n")[0]
    home = next((name for name in TEXTS if re.search(rf"\b{name}\b", doc)), "RBDA")
    inside = [inner for item in items for inner in (*item.members, item)]
    for item in inside:                                    # rows that docstrings name, and those at the ends of lines
        item.ids.update(dict.fromkeys(references.rows(item.doc), item.line))
    for number, line in enumerate(lines, start=1):
        if comment := _NUMBERED.search(line):
            for item in [item for item in inside if item.line <= number <= item.end][:1]:      # a member, not its class
                item.ids |= {row_id: number for row_id in rows_of_comment(comment[0], home, references)
                             if item.ids.get(row_id, item.line) == item.line}
    return items


def assigned(node):
    """The name to which a statement assigns, or ""."""
    target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
    return getattr(target, "id", "")


def _items(node, owner, file, member=False):
    """The items that a statement defines, member: in a class. Names that begin with an underscore are left out."""
    is_assignment = isinstance(node, ast.Assign | ast.AnnAssign)
    name = assigned(node) if is_assignment else getattr(node, "name", "_")
    if not name or name.startswith("_"):
        return []
    item = Item(f"{owner}.{name}", "data", file, node.lineno, node.end_lineno)
    if is_assignment:
        value = ast.unparse(node.value) if node.value else ""
        if re.match(r"(\w+\.)*\w*property\(", value):
            item.kind = "property"
            item.doc = next((ast.literal_eval(word.value) for word in node.value.keywords if word.arg == "doc"), "")
        elif len(value) < 60:
            item.signature = value
        return [item]
    item.doc = ast.get_docstring(node) or ""
    if isinstance(node, ast.ClassDef):
        fields, is_tuple = _fields(node)
        said = f"({', '.join(name + (f'={ast.unparse(value)}' if value else '') for name, value in fields)})"
        init = [_signature(inner, member=True) for inner in node.body if getattr(inner, "name", "") == "__init__"]
        item.kind, item.signature = "class", init[0] if init else said * bool(fields)
        item.members = [Item(f"{item.name}.{name}", "data", file, node.lineno, node.lineno)
                        for name, _ in fields if is_tuple]
        item.members += [found for inner in node.body for found in _items(inner, item.name, file, member=True)]
    elif any(ast.unparse(decorator).endswith("property") for decorator in node.decorator_list):
        item.kind = "property"
    else:
        item.kind = "method" if member else "function"
        item.signature = _signature(node, member)
    return [item]


def _signature(node, member):
    arguments = ast.unparse(node.args)
    if member and not any(getattr(d, "id", "") == "staticmethod" for d in node.decorator_list):     # without self
        arguments = re.sub(r"^(?!\*)[^,]*(?:, (?:/, )?)?", "", arguments)
    return f"({arguments})"


def _fields(node):
    """(the fields of a dataclass or named tuple: pairs, name and default or None; whether it is a named tuple)."""
    for base in node.bases:
        if isinstance(base, ast.Call) and ast.unparse(base.func) == "namedtuple":
            names = ast.literal_eval(base.args[1]).split()
            defaults = next((getattr(word.value, "elts", []) for word in base.keywords if word.arg == "defaults"), [])
            return [*zip(names, [None] * (len(names) - len(defaults)) + defaults, strict=True)], True
    makers = map(ast.unparse, node.bases + node.decorator_list)
    if any("dataclass" in maker or maker == "NamedTuple" for maker in makers):
        return [(assigned(inner), inner.value) for inner in node.body if isinstance(inner, ast.AnnAssign)], False
    return [], False


def rows_of_comment(comment, home, references):
    """The rows that a comment names with numbers in brackets, as "(7.43)", "(FDSV 9)", "(13), in body axes" do.

    home: the text that bare numbers without a point belong to.
    """
    inside = [f"{'RBDA' if '.' in inner else home} {inner.strip()}" if NUMBERS.fullmatch(inner.strip()) else inner
              for inner in IN_BRACKETS.findall(comment)]
    return [row_id for inner in inside for row_id in references.rows(inner, bare="equation")]
