"""The index of the code finds what is public, how it is called, and which equations it carries."""

import inspect
import textwrap

import rbdlib.book.ch04_model
import rbdlib.book.ch07_articulated_body
from rbdlib.texts.lookup.ledger import by_row, read_proofs
from rbdlib.texts.lookup.references import References, rows_of_comment
from tests.sources import ledger
from tools.book.package_index import read_module
from tools.book.places import ROOT

ROWS = ledger.read_ledger()
REFERENCES = References(list(ROWS), {(row.text, row.section) for row in ROWS.values()})


def items_of(module):
    found = read_module(ROOT / f"{module.__name__.replace('.', '/')}.py", module.__name__, REFERENCES).items
    return {item.short: item for item in found}


def test_functions_classes_and_lines_are_those_that_python_finds_and_numbers_lead_to_their_lines():
    for module in (rbdlib.book.ch07_articulated_body, rbdlib.book.ch04_model):
        items = {name for name, item in items_of(module).items() if item.kind in ("function", "class")}
        assert items == {name for name, value in vars(module).items() if not name.startswith("_") and (
            inspect.isfunction(value) or inspect.isclass(value)) and value.__module__ == module.__name__}
    item, aba = items_of(rbdlib.book.ch07_articulated_body)["aba"], rbdlib.book.ch07_articulated_body.aba
    lines, first = inspect.getsourcelines(aba)
    assert (item.line, item.end) == (first, first + len(lines) - 1)
    assert (item.signature, item.doc) == (str(inspect.signature(aba)), inspect.getdoc(aba))

    item = items_of(rbdlib.book.ch07_articulated_body)["articulated_bodies"]
    lines = (ROOT / item.file).read_text(encoding="utf-8").splitlines()
    for number in ("7.43", "7.47", "7.50"):
        assert f"({number})" in lines[item.ids[f"RBDA-{number}"] - 1]
    assert item.ids["RBDA-T7.1"] == item.line


def test_signatures_of_members_are_those_with_which_they_are_called(tmp_path):
    (path := tmp_path / "some.py").write_text(textwrap.dedent("""
        class Some:
            @staticmethod
            def of(x, y=2): return x

            def told(self, x): return x

            @property
            def half(self): return 0

            third = property(lambda self: 0, doc="A third.")

            def every(*numbers): return numbers
        """))
    (item,) = read_module(path, "some", REFERENCES, tmp_path).items
    assert [member.signature for member in item.members] == ["(x, y=2)", "(x)", "", "", "(*numbers)"]
    assert (item.members[3].kind, item.members[3].doc) == ("property", "A third.")
    path.write_text('class Pair(namedtuple("Pair", "one other more", defaults=(2, None))):\n    """Two."""\n')
    (item,) = read_module(path, "some", REFERENCES, tmp_path).items
    assert item.signature == "(one, other=2, more=None)"
    assert [member.short for member in item.members] == ["one", "other", "more"]


def test_the_rows_that_a_comment_names():
    for comment, ids in (("# (7.43)", ["RBDA-7.43"]), ("# (8.56), (8.57)", ["RBDA-8.56", "RBDA-8.57"]),
                         ("# (FDSV 9)", ["FDSV-9"]), ("# (69), in body axes", ["MBT-69"]), ("# (at rest)", []),
                         ("# once for all (2 of them)", [])):
        assert rows_of_comment(comment, "MBT", REFERENCES) == ids


def test_markers_are_found_wherever_they_stand(tmp_path):
    (tmp_path / "test_some.py").write_text(textwrap.dedent('''
        import pytest

        CASES = [pytest.param(x, marks=pytest.mark.source(f"X-A{x}")) for x in (1, 2)]


        @pytest.mark.source("X-1", "X-2")
        def test_one():
            pass


        @pytest.mark.source("X-3")
        class TestMore:
            @pytest.mark.source("X-4")
            def test_two(self):
                pass
    '''))
    found = by_row(read_proofs(tmp_path, tmp_path), ["X-1", "X-2", "X-3", "X-4", "X-A1", "X-A2", "X-B"])
    assert {row_id: [proof.name for proof in found[row_id]] for row_id in found} == {
        "X-1": ["test_one"], "X-2": ["test_one"], "X-3": ["TestMore::test_two"], "X-4": ["TestMore::test_two"],
        "X-A1": ["CASES"], "X-A2": ["CASES"], "X-B": []}
