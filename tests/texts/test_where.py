"""`where`: a reader of the texts finds the place in the code, the tests, the notebooks and the site."""

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rbdlib
from rbdlib.texts.lookup.where import where
from rbdlib.verification.coursework.command import main

ROOT = Path(__file__).resolve().parents[2]

#: Question, id or name of the answer, file and function of its code, notebook: "" where there is none.
with Path(__file__).with_name("where.csv").open(encoding="utf-8", newline="") as file:
    LOOKED_UP = [tuple(row) for row in csv.reader(file)][1:]
#: No row of the ledger stands behind it.
UNPROVED = {"Model.integrate", "bias parts", "Christoffel symbols", "Delassus matrix"}


@pytest.mark.parametrize(("query", "name", "file", "function", "notebook"), LOOKED_UP, ids=lambda value: str(value))
def test_a_reader_finds(query, name, file, function, notebook):
    hit = where(query).hits[0]
    places = {sort: [place for other, place in hit.places if other == sort] for sort in ("code", "test", "notebook")}
    assert hit.name.partition("(")[0] == name and hit.text and hit.page.partition(".html#")[2]
    if file:
        best = places["code"][0]
        assert best.file.startswith(f"rbdlib/{file}") and (not function or best.about == function)
        line = (ROOT / best.file).read_text(encoding="utf-8").splitlines()[best.line - 1]
        assert line.lstrip().startswith(("def ", "class ", "@")) or name.partition("-")[2] in line
    if notebook:
        assert places["notebook"][0].file.startswith(f"notebooks/{notebook}_")
        assert re.match(r"cell \d+: \w", places["notebook"][0].about)
    for place in places["test"]:
        assert re.search(rf"\b{place.about.rpartition('::')[2]}\b", (ROOT / place.file).read_text(encoding="utf-8"))
    assert places["test"] or query in UNPROVED


def test_the_best_answer_is_told_in_full_numbers_are_of_the_book_and_functions_bring_their_rows():
    found = where("7.3")
    text = repr(found).splitlines()
    assert found.hits[0].name == "RBDA-7.3" and len(found.hits) == 10 and found.more > 0
    assert [line.split()[0] for line in text if not line.startswith(" ")] == [*(hit.name for hit in found.hits), "..."]
    assert f"and {found.more} more" in text[-1]
    assert {len(hit.places) for hit in found.hits[1:]} == {1} and len(found.hits[0].places) > 2

    names = [hit.name for hit in where("42").hits]
    assert names == ["MBT-42", "SOA-42"]
    assert [hit.name for hit in where("RBDA 7.43, 7.44").hits] == ["RBDA-7.43", "RBDA-7.44"]
    assert {hit.name for hit in where("Table 6.3").hits} == {"RBDA-T6.3"}
    assert [hit.name for hit in where("crf").hits] == [
        "rbdlib.book.ch02_spatial.crf(v)", "rbdlib.book.ch02_planar.crf(v)", "RBDA-2.32"]


@pytest.mark.parametrize(("query", "near"), [("Table 17.1", "RBDA-T7.1"), ("RBDA-7.999", "RBDA-7.9"), ("rnae", "rnea"),
                                             ("composit rigid body algorithm", "body")])
def test_an_unknown_question_is_answered_with_near_matches(query, near, capsys):
    found = where(query)
    assert not found and any(near in name for name in found.near)
    assert "Nothing is found" in repr(found) and near in found._repr_html_()
    assert main(["where", query]) == 1 and near in capsys.readouterr().out
    assert "verify_numbers" not in where("verify_number").near              # a part of `verify` that no reader calls


@pytest.mark.parametrize(("query", "error", "message"), [(7.43, TypeError, "query is 7.43; give text"),
                                                         ("  ", ValueError, "query is empty; give")])
def test_what_is_no_question_is_refused(query, error, message):
    with pytest.raises(error, match=message):
        where(query)


def test_the_command_line_prints_what_the_function_returns_and_notebooks_link_from_where_they_are(capsys, monkeypatch):
    assert main(["where", "Table", "7.1"]) == 0
    assert capsys.readouterr().out == f"{rbdlib.where('Table 7.1')}\n"
    monkeypatch.chdir(ROOT / "notebooks")
    links = re.findall('<a href="([^"#]*)(#L[0-9]+)?">', where("Table 7.1")._repr_html_())
    assert len(links) > 3 and all((ROOT / "notebooks" / path).resolve().is_file() for path, _ in links)
    assert ("11_articulated_body.ipynb", "") in [(path.rpartition("/")[2], line) for path, line in links]
    assert "<script" not in where("<script>")._repr_html_()


@pytest.mark.slow
def test_an_installed_package_has_statements_and_code_and_says_that_the_rest_is_in_the_repository(tmp_path):
    shutil.copytree(ROOT / "rbdlib", tmp_path / "rbdlib", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "data/ledger", tmp_path / "rbdlib/data/ledger")
    run = subprocess.run([sys.executable, "-m", "rbdlib", "where", "Table 7.1"], cwd=tmp_path, text=True,
                         capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert run.returncode == 0, run.stderr
    assert "ch07_articulated_body.py" in run.stdout and "Pass 1" in run.stdout
    assert "The tests and notebooks are in the repository" in run.stdout and "test_" not in run.stdout
