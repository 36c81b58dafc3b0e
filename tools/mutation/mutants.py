"""What can be wrong in a line of Python, and which of all such faults are tried: chosen by rule, never by hand."""

import ast
import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Faults are drawn from each package, and from all modules at the root together, as the square root of its lines says.
PACKAGE = ROOT / "rbdlib"
#: Not here: wrong answers of learners, which a fault makes no less wrong, and what is tested only where JAX is.
LEFT_OUT = {"rbdlib/exercises/computed", "rbdlib/compile/jax_source.py"}

ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
NEGATED = {ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
           ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is}
#: For whole numbers, where one more or less matters.
SHIFTED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
CALLED = {"sin": "cos", "cos": "sin", "min": "max", "max": "min", "any": "all", "all": "any", "argmax": "argmin",
          "crm": "crf", "crf": "crm", "inverse_transform": "force_transform", "force_transform": "inverse_transform"}
#: Symmetric matrices, by their names: a vector may stand on either side of them.
SYMMETRIC = {"I", "I_A", "I_a", "I_C", "I_c", "inertia", "H", "Lambda"}
#: Arguments that are easily forgotten.
FORGOTTEN = {"t", "f_ext", "tolerance"}


@dataclass(frozen=True)
class Mutant:
    """A fault: the text between two places (line, column) of a file is replaced.

    path: relative to the repository.  name: the function or class that it is in, with dots.  rule: what was done.
    line: where the statement begins.  source: the statement's first line as it is, mutated: as it becomes.
    """

    path: str
    name: str
    rule: str
    line: int
    start: tuple
    end: tuple
    replacement: str
    source: str
    mutated: str

    @property
    def key(self):
        """What names the mutant as long as its statement stays as it is, wherever in the file that stands."""
        return f"{self.path}::{self.name}: {self.source}  ->  {self.mutated}"

    def applied(self, text):
        lines = text.splitlines(keepends=True)
        (first, a), (last, b) = self.start, self.end
        before, after = lines[first - 1].encode()[:a], lines[last - 1].encode()[b:]
        return "".join([*lines[: first - 1], before.decode() + self.replacement + after.decode(), *lines[last:]])


def package_of(path):
    """The part of rbdlib that a file belongs to: its folder, or "root"."""
    parts = Path(path).relative_to("rbdlib").parts
    return parts[0] if len(parts) > 1 else "root"


def faults_of(node):
    """(rule, what stands instead of the node) for the faults that an expression or statement can have."""
    match node:
        case ast.BinOp(op=op) if type(op) in ARITHMETIC and not (_is_text(node.left) or _is_text(node.right)):
            yield "arithmetic", ast.BinOp(node.left, ARITHMETIC[type(op)](), node.right)
        case ast.BinOp(op=ast.MatMult()) if ast.dump(node.left) != ast.dump(node.right) and not _symmetric(node.left):
            yield "order of a product", ast.BinOp(node.right, ast.MatMult(), node.left)
        case ast.UnaryOp(op=ast.USub() | ast.Not()) if not isinstance(node.operand, ast.Constant):
            yield "sign", node.operand
        case ast.Compare(ops=[op]) if type(op) in NEGATED:
            yield "comparison", ast.Compare(node.left, [NEGATED[type(op)]()], node.comparators)
            if type(op) in SHIFTED and any(map(_counts, (node.left, *node.comparators))):
                yield "one more", ast.Compare(node.left, [SHIFTED[type(op)]()], node.comparators)
        case ast.BoolOp():
            yield "and, or", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
            yield "half of a condition", node.values[0]
        case ast.Constant(value=bool()):
            yield "constant", ast.Constant(not node.value)
        case ast.Constant(value=int()):
            yield "constant", ast.Constant(node.value + 1)
        case ast.Constant(value=float()) if node.value:
            yield "constant", ast.Constant(1000 * node.value if abs(node.value) < 1e-2 else 1.5 * node.value)
        case ast.Attribute(attr="T"):
            yield "transpose", node.value
        case ast.Call(func=ast.Name(id=name)) if name in CALLED:
            yield "function", ast.Call(ast.Name(CALLED[name]), node.args, node.keywords)
        case ast.Call(args=[*_, ast.Name(id=name)], keywords=[]) if name in FORGOTTEN and len(node.args) > 1:
            yield "argument", ast.Call(node.func, node.args[:-1], [])
        case ast.Call(keywords=[*rest, ast.keyword(value=ast.Name(id=name))]) if name in FORGOTTEN:
            yield "argument", ast.Call(node.func, node.args, rest)
        case ast.Raise():
            yield "refusal", ast.Pass()
        case ast.AugAssign() | ast.Expr(value=ast.Call()) | ast.Continue() | ast.Break():
            yield "statement", ast.Pass()


def _is_text(node):
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _symmetric(node):
    node = node.value if isinstance(node, ast.Subscript) else node
    return getattr(node, "attr", getattr(node, "id", None)) in SYMMETRIC


def _counts(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"


def mutants_of(path):
    """Every `Mutant` of a file (relative to the repository)."""
    text = (ROOT / path).read_text(encoding="utf-8")
    lines, found = text.splitlines(), []

    def visit(node, names, statement):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = (*names, node.name)
        if isinstance(node, ast.stmt):
            statement = node
        if isinstance(node, ast.JoinedStr | ast.Starred):   # words of messages; numbers given for their kind alone
            return
        if isinstance(node, ast.keyword) and node.arg == "strict":      # of zip: what holds whenever it is asked
            return
        if names:
            for rule, other in faults_of(node):
                replacement = ast.unparse(ast.fix_missing_locations(other))
                if isinstance(node, ast.expr):
                    replacement = f"({replacement})"
                made = Mutant(str(path), ".".join(names), rule, statement.lineno, (node.lineno, node.col_offset),
                              (node.end_lineno, node.end_col_offset), replacement, "", "")
                after = made.applied(text).splitlines()
                found.append(Mutant(**vars(made) | {"source": lines[node.lineno - 1].strip(),
                                                    "mutated": after[node.lineno - 1].strip()}))
        for child in ast.iter_child_nodes(node):
            if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):     # docstrings
                visit(child, names, statement)

    visit(ast.parse(text), (), None)
    return found


def chosen(count, seed, only=""):
    """So many mutants, from every package and by every rule in turn: those whose keys, with the seed, are hashed least.

    only: the beginning of a path relative to the repository, to look at a part of rbdlib.
    """
    packages = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        path = path.relative_to(ROOT)
        if path.as_posix().startswith(only) and LEFT_OUT.isdisjoint({path.as_posix(), path.parent.as_posix()}):
            packages.setdefault(package_of(path), []).append(path)
    lines = {name: sum(len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in paths)
             for name, paths in packages.items()}
    total = sum(n**0.5 for n in lines.values())
    found = []
    for name, paths in packages.items():
        share = max(1, round(count * lines[name] ** 0.5 / total))
        every = {mutant.key: mutant for path in paths for mutant in mutants_of(path)}
        order, turns = sorted(every, key=lambda key: hashlib.sha256(f"{seed} {key}".encode()).hexdigest()), Counter()
        turn = {}
        for key in order:
            turns[every[key].rule] += 1
            turn[key] = turns[every[key].rule]
        found += [every[key] for key in sorted(order, key=turn.get)[:share]]
    return found
