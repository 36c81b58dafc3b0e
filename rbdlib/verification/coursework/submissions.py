"""Submissions: text files and notebooks, which are read and never run.

    submissions/ada.txt             sections, each after a line "problem: cart_pole_H"
    submissions/ada.ipynb           cells tagged cart_pole_H (or problem:cart_pole_H), of any kind
    submissions/ada/cart_pole_H.txt a folder for each learner; further tries are cart_pole_H.2.txt, ...

Several sections or cells for one problem are tries, in their order. Names that Moodle and Canvas give to what they hand
out are understood: whoever made "Ada Lovelace_4711_assignsubmission_file" is called "Ada Lovelace_4711" here, and
whoever made "lovelaceada_LATE_4711_8012_answer.txt" is called "lovelaceada_4711".

Of code, the answer is the text, list or formula that is assigned or written last. Of SymPy that is understood which
says what a formula is: symbols, sums, products, powers, functions, Matrix, Eq, and names that were given to such
formulas before. What computes a formula (loops, functions, subs, jacobian, ...) is not carried out; `BadArgument` says
what to write instead.
"""

import ast
import contextlib
import json
import re
from collections import Counter, namedtuple

from rbdlib.verification.coursework.files import BadArgument, decoded
from rbdlib.verification.trees.names import FUNCTIONS, beginning

#: Larger files are not read, and longer answers are cut where this many characters end.
MOST_BYTES, MOST_TEXT = 10_000_000, 200_000
TEXTS = (".txt", ".md", ".tex", ".text")
#: Tries of one learner at one problem, and files of one learner, that are looked at.
MOST_TRIES, MOST_FILES = 100, 1000
_HEADER = re.compile(r"[^\S\n]*[#%/\[]*[^\S\n]*problem[^\S\n]*[:=][^\S\n]*([\w-]+)[^\S\n]*\]?[^\S\n]*", re.IGNORECASE)
_MOODLE = re.compile(r"(.+_\d+)_assignsubmission_[a-z]+_?(.*)", re.DOTALL)
_CANVAS = re.compile(r"([^_]+)(?:_LATE)?_(\d+)_\d+_(.+)", re.DOTALL)
_FENCE = re.compile(r"^[^\S\n]*```[^\n]*\n(.*?)^[^\S\n]*```[^\S\n]*$", re.MULTILINE | re.DOTALL)
#: One answer. student; problem: its id; file: the name of the file; text; kind: "text", "markdown" or "code".
Try = namedtuple("Try", "student problem file text kind", defaults=["text"])
#: A file that could not be used.
Unread = namedtuple("Unread", "student file message")


def read_submissions(folder, problems):
    """The tries in a folder, and what could not be read: (list of `Try`, list of `Unread`, list of students).

    folder: a Path. problems: the ids of the problems. Nothing in the folder makes it fail. Raises ValueError if there
    is no such folder.
    """
    if not folder.is_dir():
        raise ValueError(f"There is no folder {folder} with submissions.")
    tries, unread, students, made = [], [], [], Counter()
    for path in sorted(folder.iterdir(), key=_order):
        if path.name.startswith((".", "__")):
            continue
        student, name = _whose(path)
        if student not in students:
            students.append(student)
        for file in _files(path):
            try:
                found = _of_file(file, problems, file.stem if path.is_dir() else name)
            except OSError as error:
                unread.append(Unread(student, file.name, f"The file cannot be read: {error.strerror or error}."))
                continue
            except (ValueError, RecursionError, MemoryError, KeyError, TypeError, AttributeError) as error:
                said = str(error) or f"The file cannot be read ({type(error).__name__})."
                unread.append(Unread(student, file.name, said))
                continue
            for problem, text, kind in found:
                made[student, problem] += 1
                if made[student, problem] <= MOST_TRIES and problem in problems:
                    tries.append(Try(student, problem, file.name, text[:MOST_TEXT], kind))
                elif made[student, problem] <= MOST_TRIES:
                    unread.append(Unread(student, file.name, f"There is no problem {problem!r}."))
                elif made[student, problem] == MOST_TRIES + 1:
                    unread.append(Unread(student, file.name, f"There are more than {MOST_TRIES} tries at {problem}; "
                                                             "the first were looked at."))
    return tries, unread, students


def _whose(path):
    """(whose a file or a folder is, the file's own name without its ending); platforms put more into its name."""
    name = path.name if path.is_dir() else path.stem
    if match := _MOODLE.fullmatch(name):
        return match[1], match[2]
    match = None if path.is_dir() else _CANVAS.fullmatch(name)
    return (f"{match[1]}_{match[2]}", match[3]) if match else (name, name)


def _order(file):
    """A key by which "x.txt" comes before "x.2.txt", and that before "x.10.txt"."""
    parts = re.split(r"([0-9]+)", file.stem[:255])
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], file.name


def _files(path):
    """A file, or the files of a folder, in the order of their names."""
    if not path.is_dir() or path.is_symlink():
        return [path]
    files = [file for file in path.iterdir() if not file.name.startswith(".") and not file.is_dir()]
    return sorted(files, key=_order)[:MOST_FILES]


# Of a file, triples (problem, text, kind)


def _of_file(path, problems, name):
    if path.is_symlink() or not path.is_file():
        raise ValueError("This is no plain file, or it is a link; hand in the file itself.")
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"The file has more than {MOST_BYTES // 10**6} million bytes. Hand in what you wrote, without "
                         "pictures.")
    if path.suffix not in (*TEXTS, ".ipynb"):
        raise ValueError(f"Files of the kind {path.suffix or path.name} are not read; hand in "
                         f"{', '.join(TEXTS)} or .ipynb.")
    text = decoded(path.read_bytes(), "The file")
    found = _of_notebook(text, problems) if path.suffix == ".ipynb" else _of_text(path.suffix, name, text, problems)
    if not found:
        raise ValueError("The file has no answer to any problem. Tag the cell, or write 'problem: ...' above the "
                         f"answer, with one of {', '.join(problems)}.")
    return found


def _of_text(suffix, name, text, problems):
    kind = "markdown" if suffix == ".md" else "text"
    lines = text.split("\n")
    headers = [(match[1], number) for number, line in enumerate(lines)
               if len(line) < 200 and (match := _HEADER.fullmatch(line))]
    if headers:
        ends = [number for _, number in headers[1:]] + [None]
        return [(name, "\n".join(lines[number + 1 : end]), kind)
                for (name, number), end in zip(headers, ends, strict=True)]
    name = re.sub(r"[._-](try)?\d+$", "", name) if name not in problems else name
    if name not in problems and len(problems) > 1:
        return []
    return [(name if name in problems else next(iter(problems)), text, kind)]


def _of_notebook(text, problems):
    try:
        cells = json.loads(text)["cells"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError("The file is not a notebook of version 4.") from None
    found = []
    for cell in cells if isinstance(cells, list) else ():
        match cell:
            case {"metadata": {"tags": list(tags)}}:
                source, kind = cell.get("source", ""), cell.get("cell_type")
                text = "".join(map(str, source)) if isinstance(source, list) else str(source)
                found += [(tag.removeprefix("problem:").strip(), text, kind if kind in ("markdown", "code") else "text")
                          for tag in map(str, tags) if tag in problems or tag.startswith("problem:")]
    return found


def answer_in(text, kind):
    """The answer in a text: of Markdown, the last block between ``` if there is one; of code, what `cells` reads, which
    may raise `BadArgument`, a ValueError; the text itself if there is none."""
    if kind == "markdown":
        blocks = _FENCE.findall(text + "\n")
        return blocks[-1] if blocks else text
    return answer_of_code(text) if kind == "code" else text


# The answer in a cell of code


#: Functions whose last argument is the answer, and those that show it.
_CALLS = ("verify", "check", "verify_steps", "print", "display")
#: Functions that make symbols; that make matrices; that change the form of their first argument alone.
_SYMBOLS, _MATRICES = ("symbols", "Symbol", "dynamicsymbols"), ("Matrix", "ImmutableMatrix", "array")
_FORMS = ("simplify", "expand", "factor", "trigsimp", "collect", "together", "cancel", "ratsimp", "nsimplify",
          "sympify", "S", "Integer", "Float", "doit", "evalf")
_MODULES = ("sp", "sympy", "sy", "sm", "np", "math", "me")
_SYMBOL = re.compile(r"\\?[A-Za-z]\w*(_?\{\w+\})?'*")


def answer_of_code(source):
    """The answer in a cell of code: text, a list of text, or the lines of the cell that is no Python.

    Raises `BadArgument`, a ValueError, for code that would have to be run.
    """
    plain = "\n".join(line for line in source.split("\n") if not line.lstrip().startswith(("#", "%")))
    try:
        statements = ast.parse(plain).body
        value = _written(statements[-1]) if statements else ast.Constant("")
        if isinstance(value, (ast.List, ast.Tuple)) or isinstance(getattr(value, "value", None), str):
            with contextlib.suppress(ValueError, TypeError):
                return ast.literal_eval(value)
        if not any(isinstance(node, (ast.Import, ast.ImportFrom, ast.Attribute)) or _name(node) in
                   (*_SYMBOLS, *_MATRICES, *_FORMS, "Eq", "Rational")
                   for statement in statements for node in ast.walk(statement)):
            return plain                                   # formulas, as in a text
        return _Cell(statements).answer()
    except SyntaxError:
        return plain
    except (RecursionError, MemoryError):
        raise BadArgument("The cell is nested too deeply. Write the formula that results as text.") from None


def _written(statement):
    """The right side of an assignment, or what is written, or handed to verify(model, "H", ...), in a statement."""
    value = getattr(statement, "value", None)
    if isinstance(value, ast.Call) and _name(value) in _CALLS and (value.args or value.keywords):
        named = {keyword.arg: keyword.value for keyword in value.keywords}
        value = named.get("answer") or (value.args[-1] if value.args else value)
    return value


def _name(node):
    """The name of the function or method that is called; "" for anything else."""
    return getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""


class _Cell(ast.NodeTransformer):
    """The statements of a cell. symbols: {name in Python: symbol}; formulas: {name: tree}, in their order."""

    def __init__(self, statements):
        self.symbols, self.formulas = {}, {}
        *before, last = statements
        for statement in before:
            if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Expr)):
                continue                                   # imports, and what is only shown, say nothing about names
            if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
                self._refuse(statement)
            target, made = statement.targets[0], self._symbols_made(statement.value)
            names = [getattr(part, "id", "") for part in getattr(target, "elts", [target])]
            if made and len(made) == len(names) and all(names):
                self.symbols.update(zip(names, made, strict=True))
            elif not isinstance(target, ast.Name) or target.id in self.formulas:
                self._refuse(statement)                    # several names at once, or a name that changes its meaning
            else:
                self.formulas[target.id] = statement.value
        if not isinstance(last, (ast.Assign, ast.Expr)):
            self._refuse(last)
        self.last = _written(last)

    def _symbols_made(self, value):
        """The symbols that symbols("m, l") and the like make, a list of text; [] for anything else."""
        made = value.func if isinstance(value, ast.Call) else None
        if isinstance(made, ast.Call) and _name(made) == "Function":                       # Function("q1")(t)
            value = ast.Call(ast.Name("Symbol"), made.args, [])
        if _name(value) not in _SYMBOLS or not value.args or not isinstance(value.args[0], ast.Constant):
            return []
        dots = "" if len(value.args) < 2 else {"1": "'", "2": "''"}.get(ast.unparse(value.args[1]), "?")
        found = [part + dots for part in re.split(r"[\s,]+", str(value.args[0].value).strip())]
        if not all(map(_SYMBOL.fullmatch, found)):
            self._refuse(value)
        return found

    def answer(self):
        """The answer as text: lines that say what names mean, and then the formula, the matrix or the equations."""
        value = self._resolved(self.last)
        parts = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
        equations = [part for part in map(self._resolved, parts) if _name(part) == "Eq" and len(part.args) == 2]
        said = [part.args for part in equations] if len(equations) == len(parts) > 0 else [[value]]
        trees = [[self.visit(side) for side in sides] for sides in said]
        used, lines = [tree for sides in trees for tree in sides], []
        for name in reversed(self.formulas):
            if any(isinstance(node, ast.Name) and node.id == name for tree in used for node in ast.walk(tree)):
                tree = self.visit(self.formulas[name])
                used.append(tree)
                lines.insert(0, f"{name} = {ast.unparse(tree)}")
        return "\n".join([*lines, *(" = ".join(map(ast.unparse, sides)) for sides in trees)])

    def _resolved(self, node):
        """What a name stands for, as far as it is a name, and not another form of it, such as simplify(T)."""
        waiting = dict(self.formulas)
        while True:
            if isinstance(node, ast.Name) and node.id in waiting:
                node = waiting.pop(node.id)
            elif _name(node) in _FORMS and isinstance(node.func, ast.Name) and node.args:
                node = node.args[0]
            else:
                return node

    # Parts of a formula, with what the grammar of answers knows in place of what SymPy calls it

    def generic_visit(self, node):
        if not isinstance(node, (ast.BinOp, ast.UnaryOp, ast.List, ast.Tuple, ast.operator, ast.unaryop,
                                 ast.expr_context)) or isinstance(node, (ast.MatMult, ast.Mod, ast.Not)):
            self._refuse(node)
        return super().generic_visit(node)

    def visit_Constant(self, node):
        if type(node.value) not in (int, float):
            self._refuse(node)
        return node

    def visit_Name(self, node):
        return ast.Name(self.symbols.get(node.id, node.id))

    def visit_Call(self, node):
        name = _name(node)
        inside = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") not in _MODULES
        args = ([node.func.value] if inside else []) + node.args
        if name in _MATRICES and len(args) == 1 and not inside or name in _FORMS and args:
            return self.visit(args[0])
        if name == "Rational" and len(args) == 2:
            return ast.BinOp(self.visit(args[0]), ast.Div(), self.visit(args[1]))
        if name.lower() in FUNCTIONS and not inside and not node.keywords:
            return ast.Call(ast.Name(name.lower()), [self.visit(part) for part in args], [])
        if name in ("diff", "Derivative") and len(args) > 1 and getattr(args[1], "id", "") == "t":
            symbol, more = self.visit(args[0]), [ast.unparse(part) for part in args[2:]]        # q1.diff(t, 2) is q1''
            if isinstance(symbol, ast.Name) and symbol.id not in self.formulas and more in ([], ["2"], ["t"]):
                return ast.Name(symbol.id + ("''" if more else "'"))
        if made := self._symbols_made(node):
            return ast.Name(made[0]) if len(made) == 1 else ast.List([ast.Name(symbol) for symbol in made])
        return self._refuse(node)

    @staticmethod
    def _refuse(node):
        part = beginning(ast.unparse(node).partition("\n")[0])
        raise BadArgument(f"Your code is read and not run, and {part!r} would have to be run. Print the formula, and "
                          "hand in what is printed, as text.")
