"""The list of symbols row by row: docs/glossary.md has them all, and each name that it gives exists where it says.
Names are looked up in the package; what the book's symbols are called when they are typed comes from the letters' own
names in the Unicode standard."""

import ast
import inspect
import pkgutil
import re
import textwrap
import unicodedata
from dataclasses import fields, is_dataclass

import pytest

from rbdlib import load
from tests.sources import ledger

ROWS = {row.id: row for row in ledger.read_ledger().values() if row.section == "Symbols"}
#: Symbols that have another name than their own, and why: the name is taken, or the word says more.
CALLED = {
    "×*": "crf", "X*": "force_transform",                   # functions, named as in the book's table A.2 or by a word
    "α̇": "qdd", "λ(i)": "parent", "λ": "lam",               # one name for q̈ and α̇; lambda is a word of Python
    "ζ̇": "zeta_dot", "p(i)": "predecessor", "s(i)": "successor",
    "d": "D", "e": "dual_basis",                            # the vectors are columns of a matrix
    "Ī": "I", "J_L": "loop_constraints",                    # J_L stands in no algorithm, K = Tᵀ J_L does
    "Mⁿ": "mv", "Fⁿ": "fv", "N": "N_B", "n": "nv", "O": "P", "t": "joint_space_normals"}
#: The same letter in another type names another thing.
BOLD = {"RBDA-SYM-31": "n", "RBDA-SYM-32": "N"}


def glossary():
    """{row: (symbols, meaning, names)} from the table of docs/glossary.md."""
    entries = {}
    for line in (ledger.ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| RBDA-SYM"):
            row, symbols, meaning, names = (cell.strip() for cell in line.strip("|").split(" | "))
            entries[row] = symbols.replace("\\", ""), meaning, re.findall(r"`([^`]+)`", names)
    return entries


GLOSSARY = glossary()
A_MODEL = load("double_pendulum")


def typed(symbol, row):
    """What a symbol is called in Python: letters by their names, dots as d, superscripts after an underscore."""
    if row in BOLD or symbol in CALLED:
        return BOLD.get(row) or CALLED[symbol]
    name = ""
    for letter in unicodedata.normalize("NFD", symbol.removesuffix("(i)")):
        called = unicodedata.name(letter)
        if "GREEK" in called:
            word = called.split()[-1].lower()
            name += word.capitalize() if "CAPITAL" in called else word
        elif called == "COMBINING DOT ABOVE":
            name += "d"
        elif called == "COMBINING DIAERESIS":
            name += "dd"
        else:
            name += "_" if letter == "^" else letter
    return "qd" if name == "alpha" else name


def look_up(path):
    """The object that a dotted path names, the longest part of it that is a module being imported."""
    try:
        return pkgutil.resolve_name(path)
    except AttributeError:
        owner, _, name = path.rpartition(".")
        return attribute(pkgutil.resolve_name(owner), name)


def attribute(owner, name):
    """An attribute of a module or class, or what stands for a field that only its objects have."""
    if hasattr(owner, name):
        return getattr(owner, name)
    of_objects = inspect.isclass(owner) and (
        (is_dataclass(owner) and name in {field.name for field in fields(owner)})
        or (isinstance(A_MODEL, owner) and hasattr(A_MODEL, name)))
    if of_objects:
        return None
    raise AttributeError(f"{owner} has no {name}")


def named(text):
    """The identifiers that an entry of the glossary names; AttributeError where one does not exist."""
    if ":" in text:
        path, _, variable = text.partition(":")
        tree = ast.parse(textwrap.dedent(inspect.getsource(look_up(path))))
        if variable not in {x.id for x in ast.walk(tree) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}:
            raise AttributeError(f"{path} has no variable {variable}")
        return [variable]
    path, _, arguments = text.rstrip(")").partition("(")
    found = look_up(path)
    if not arguments:
        return [path.split(".")[-1]]
    arguments = arguments.split(", ")
    missing = set(arguments) - set(inspect.signature(found).parameters)
    if missing:
        raise AttributeError(f"{path} has no argument {missing}")
    return arguments


def test_the_glossary_has_the_rows_of_the_ledger_in_their_order():
    assert list(GLOSSARY) == list(ROWS)


@pytest.mark.parametrize("row", [pytest.param(row, marks=pytest.mark.source(row)) for row in ROWS])
def test_each_symbol_has_a_name_that_exists(row):
    symbols, meaning, texts = GLOSSARY[row]
    assert symbols == ROWS[row].title.removeprefix("Symbol ")
    assert len(meaning.split()) >= 2
    names = [name for text in texts for name in named(text)]
    symbols = symbols.removesuffix(" (bold)").removesuffix(" (italic)")
    for symbol in ["v_J", "a_g"] if row == "RBDA-SYM-00" else symbols.split(", "):    # two of the conventions
        assert typed(symbol, row) in names


def test_every_argument_and_field_is_explained_where_it_stands():
    """In the documentation of its function or class, or in its own; a function's only argument needs no word."""
    for text in (text for _, _, texts in GLOSSARY.values() for text in texts if ":" not in text):
        path, _, arguments = text.partition("(")
        owner = look_up(path if arguments else path.rpartition(".")[0])
        if inspect.ismodule(owner) or (arguments and len(inspect.signature(owner).parameters) == 1):
            continue
        for name in named(text):
            own = None if arguments else inspect.getdoc(attribute(owner, name))
            assert own or re.search(rf"\b{name}\b", inspect.getdoc(owner) or ""), text
