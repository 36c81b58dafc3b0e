"""The public modules of the package for the reference: what is in them, what they export and pass on."""

import ast
from dataclasses import dataclass

from rbdlib.texts.lookup.references import assigned, items_of
from tools.book.places import ROOT


@dataclass
class Module:
    """A module: its public items in the order of the file. ids of each: {id of the ledger: line that carries it}."""

    name: str
    file: str
    doc: str
    items: list
    exports: tuple
    imports: dict

    @property
    def title(self):
        return self.doc.partition("\n")[0].rstrip(".")


def read_package(references, root=ROOT, package="rbdlib"):
    """Every public module of the package, by name, in the order of the names."""
    modules = {}
    for path in sorted((root / package).rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        if not any(part.startswith("_") for part in name.split(".")):
            modules[name] = read_module(path, name, references, root)
    return dict(sorted(modules.items()))


def read_module(path, name, references, root=ROOT):
    """The `Module` in a file."""
    text, file = path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()
    tree = ast.parse(text)
    return Module(name, file, ast.get_docstring(tree) or "", items_of(text, name, file, references),
                  _exports(tree), _imports(tree, root))


def walk(modules):
    """Every item of the modules, members included."""
    for module in modules.values():
        for item in module.items:
            yield item
            yield from item.members


def _exports(tree):
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            try:
                return tuple(ast.literal_eval(node.value))
            except ValueError:
                return ()
    return ()


def _imports(tree, root):
    """{name: where it comes from} of the names that a module takes from others of the package."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rbdlib"):
            names = {alias.asname or alias.name: alias.name for alias in node.names}
            if "*" in names:
                text = (root / f"{node.module.replace('.', '/')}.py").read_text(encoding="utf-8")
                names = {name: name for name in _exports(ast.parse(text))}
            found |= {name: f"{node.module}.{own}" for name, own in names.items()}
        if isinstance(node, ast.Assign) and assigned(node) == "FETCHED_LATER":
            found |= {name: f"{module}.{name}" for name, module in ast.literal_eval(node.value).items()}
    return found
