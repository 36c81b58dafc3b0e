"""An index of modules, read from their text without importing them: functions, classes, their sources."""

import ast
import itertools
import re
from dataclasses import dataclass, field

from rbdlib.verification.lookup.references import IN_BRACKETS, NUMBERS, TEXTS

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

    @property
    def short(self):
        return self.name.rpartition(".")[2]


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
