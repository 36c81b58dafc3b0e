"""An index of modules, read from their text without importing them: functions, classes, their sources."""

import ast
import io
import itertools
import re
import tokenize
from dataclasses import dataclass, field, replace

from rbdlib.verification.lookup.references import IN_BRACKETS, NUMBERS, TEXTS

#: A line with a comment that has a number in brackets.
_NUMBERED = re.compile(r"#[^\n]*\([^\n]*\d[^\n]*\)")


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

    @property
    def short(self):
        return self.name.rpartition(".")[2]


def items_of(text, name, file, references, tree=None):
    """The public items of a module, given its text, its name and its path from the root, in the order of the file.

    tree: the syntax tree of the text, where it is at hand.
    """
    tree, lines = tree or ast.parse(text), text.splitlines()
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
    for comment, line in _comments(text):
        owner = next((item for item in inside if item.line <= line <= item.end), None)
        if owner is None:
            continue
        for row_id in rows_of_comment(comment, home, references):
            if owner.ids.get(row_id, owner.line) == owner.line:
                owner.ids[row_id] = line
    return items


def _comments(text):
    """Pairs (comment, number of its line) of a module, if any of them can name a row."""
    if not _NUMBERED.search(text):                         # most modules have none, and need not be taken apart
        return []
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [(token.string, token.start[0]) for token in tokens if token.type == tokenize.COMMENT]


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
    if is_assignment and isinstance(node.value, ast.Call) and ast.unparse(node.value.func).endswith("property"):
        doc = next((ast.literal_eval(word.value) for word in node.value.keywords if word.arg == "doc"), "")
        return [replace(item, kind="property", doc=doc)]
    if is_assignment:
        value = ast.unparse(node.value) if node.value else ""
        item.signature = value if len(value) < 60 else ""
        return [item]
    item.doc = ast.get_docstring(node) or ""
    if isinstance(node, ast.ClassDef):
        item.kind, item.signature = "class", _class_signature(node)
        item.members = [Item(f"{item.name}.{name}", "data", file, node.lineno, node.lineno)
                        for name, _ in _fields_of_namedtuple(node)]
        item.members += [found for inner in node.body for found in _items(inner, item.name, file, member=True)]
        return [item]
    item.kind = "method" if member else "function"
    if any(ast.unparse(decorator).endswith("property") for decorator in node.decorator_list):
        item.kind = "property"
    item.signature = _signature(node, item.kind)
    return [item]


def _signature(node, kind):
    is_static = any(getattr(d, "id", "") == "staticmethod" for d in node.decorator_list)
    arguments = ast.unparse(node.args)
    if kind == "method" and not is_static:                 # without self
        arguments = re.sub(r"^(?!\*)[^,]*(?:, (?:/, )?)?", "", arguments)
    return "" if kind == "property" else f"({arguments})"


def _class_signature(node):
    """The arguments with which a class is called: those of __init__, or the fields of a dataclass or named tuple."""
    for inner in node.body:
        if isinstance(inner, ast.FunctionDef) and inner.name == "__init__":
            return _signature(inner, "method")
    bases = {ast.unparse(base) for base in node.bases}
    is_record = "NamedTuple" in bases or any("dataclass" in ast.unparse(d) for d in node.decorator_list)
    fields = [(assigned(inner), inner.value) for inner in node.body if is_record and isinstance(inner, ast.AnnAssign)]
    said = [name + (f"={ast.unparse(value)}" if value else "") for name, value in fields or _fields_of_namedtuple(node)]
    return f"({', '.join(said)})" if said else ""


def _fields_of_namedtuple(node):
    """The fields of a class whose base is namedtuple("Name", "a b c", defaults=(...)): pairs, name and default or None.
    """
    calls = [base for base in node.bases if isinstance(base, ast.Call) and ast.unparse(base.func) == "namedtuple"]
    if not calls:
        return []
    names = ast.literal_eval(calls[0].args[1]).split()
    defaults = next((getattr(word.value, "elts", []) for word in calls[0].keywords if word.arg == "defaults"), [])
    return list(zip(names, [None] * (len(names) - len(defaults)) + defaults, strict=True))


def rows_of_comment(comment, home, references):
    """The rows that a comment such as "# (7.43)", "# (FDSV 9)" or "# (13), in body axes" names.

    home: the text that bare numbers without a point belong to.
    """
    found = []
    for inner in IN_BRACKETS.findall(comment):
        if NUMBERS.fullmatch(inner.strip()):
            inner = f"{'RBDA' if '.' in inner else home} {inner.strip()}"
        found += references.rows(inner, bare="equation")
    return found
