"""Coursework: the problems that come with rbdlib, and a run over submissions of which some are bad or hostile."""

import csv
import doctest
import io
import json
import os
import subprocess
import sys
import types
import zipfile
from pathlib import Path
from unittest.mock import Mock

import pytest

from rbdlib import load
from rbdlib.exercises.catalogue import all_exercises
from rbdlib.exercises.otter import write_otter_tests
from rbdlib.verification.coursework import grade as grading, workers
from rbdlib.verification.coursework.command import main
from rbdlib.verification.coursework.files import BadArgument, decoded
from rbdlib.verification.coursework.grade import again, grade, mark, task_of, weights_of, write_autograder
from rbdlib.verification.coursework.problems import Problem, load_problem, load_problems, problem_folder
from rbdlib.verification.coursework.sheets import NO_PDF, read_gradebook, write_report
from rbdlib.verification.coursework.submissions import Try, answer_in, read_submissions
from rbdlib.verification.coursework.workers import looked_at, own_angles
from tests.verify import TABLES, in_this_process, verify

PENDULUM = """
title = "Kinetic energy"
model = "simple_pendulum"
quantity = "T"
points = 2
text = "Derive T."
hints = [{ after = 1, text = "Half of what?" }, { after = 2, text = "Look at m." }]
"""
#: A cell of a notebook that is handed in.
CELL = {"cell_type": "raw", "metadata": {"tags": ["p1"]}, "source": ["m*l", "^2"]}
#: Answers worked out by hand to the problems that come with rbdlib.
ANSWERS = dict(TABLES["answers"])


def test_twelve_problems_over_the_chapters_in_the_package():
    problems = load_problems()
    assert set(problems) == set(ANSWERS) and len(problems) == 12
    assert {problem.chapter for problem in problems.values()} == set(range(2, 10))
    assert all(problem.hints and problem.points > 0 and len(problem.text) > 80 for problem in problems.values())
    assert problem_folder().name == "problems" and len(list(problem_folder().glob("*.toml"))) == 12


@pytest.mark.slow
@pytest.mark.parametrize("name", ANSWERS)
def test_a_right_answer_is_accepted_and_a_wrong_one_is_not(name):
    problem, answer = load_problems()[name], ANSWERS[name]
    old, new = ("cos(q", "sin(q") if "cos(q" in answer else ("sin(q", "cos(q")
    found = [verify(problem, text) for text in (answer, answer.replace(old, new))]
    assert [report.verdict for report in found] == ["right", "wrong"], found


@pytest.mark.parametrize("change, words", [
    (("quantity", "quantty"), "quantty"), (('"T"', '"nonsense"'), "verified"), (("simple_", "simpel_"), "simpel_"),
    (("points = 2", "points = -2"), "points"), (("after = 1", "after = 'x'"), "hints"), (("title", "["), "TOML"),
    (("points = 2", "given = ['a b = = c']"), "pendulum.toml"), (("points = 2", "chapter = 1.5"), "chapter"),
    (("points", "penalty"), "penalty"), (("points", "partial"), "partial"), (("points = 2", "tries = 0"), "tries"),
    (("points = 2", "weights = [1, 'x']"), "list of numbers"), (("points = 2", "weights = [1]"), "shape"),
    (("points = 2", "weights = [[1], [2, 3]]"), "list of numbers")])
def test_problem_files_say_what_is_wrong_with_them(tmp_path, change, words):
    path = tmp_path / "pendulum.toml"
    path.write_text(PENDULUM.replace(*change, 1))
    with pytest.raises(BadArgument, match=words) as caught:
        load_problem(path)
    assert "pendulum.toml" in str(caught.value)
    with pytest.raises(BadArgument):
        load_problems(Path(__file__).parent)


# A run

def notebook(*cells):
    made = [{"cell_type": kind, "metadata": {"tags": tags}, "source": source, **(
        {"outputs": [], "execution_count": None} if kind == "code" else {})} for kind, tags, source in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A folder of problems, a folder of submissions, and the table and the log of a run over them."""
    folder = tmp_path_factory.mktemp("course")
    (folder / "problems").mkdir()
    (folder / "problems" / "pendulum.toml").write_text(PENDULUM)
    (folder / "problems" / "energy.toml").write_text(PENDULUM.replace('"T"', '"V"').replace("Kinetic", "Potential"))
    handed_in = folder / "submissions"
    (handed_in / "carl").mkdir(parents=True)
    trap = f"open({str(folder / 'trapped')!r}, 'w')"
    files = {
        "ada.txt": "problem: pendulum\r\n1/2*m*l^2*q1'^2\r\n# Problem: energy\r\n-m*g*l*cos(q1)\r\n",
        "ben.ipynb": notebook(("markdown", [], "# My work"), ("code", ["pendulum"], f"import os\nanswer = {trap}"),
                              ("markdown", ["pendulum"], "So:\n```\nm*l^2*q1'^2\n```\n"),
                              ("code", ["problem:energy"], f"{trap}\nverify(model, 'V', '-m*g*l*cos(q1)')")),
        "carl/pendulum.txt": "m*l^2*q1'^2", "carl/pendulum.2.txt": "m*l*q1'^2", "carl/energy.tex": "$-mgl\\cos\\theta$",
        "dora.ipynb": "{this is no notebook", "=evil().txt": "problem: energy\n=cmd()\n",
        "fred.txt": "problem: nothing_here\n1\nproblem: energy\n" + "(" * 5000 + "\n"}
    for name, text in files.items():
        (handed_in / name).write_text(text)
    (handed_in / "eve.txt").write_bytes(b"\x89PNG\x00\x00problem")
    (handed_in / "hans.txt").write_bytes("problem: energy\n-m*g*l*cos(q1)".encode("utf-16"))
    (handed_in / "two\nlines \u202etxt.exe.txt").write_text("problem: energy\n-m*g*l*cos(q1)\n")
    (handed_in / os.fsdecode(b"\xff\xfename.txt")).write_text("problem: energy\n1\n")
    for sign in "=+-@":
        (handed_in / f"{sign}1.txt").write_text("")
    (handed_in / "a folder.txt").mkdir()
    (handed_in / "gina.txt").symlink_to("/etc/hostname")
    (handed_in / "ida.png").write_bytes(b"")
    for hidden in (".hidden.txt", "__MACOSX.txt"):
        (handed_in / hidden).write_text("problem: energy\n1\n")
    (folder / "canvas.csv").write_text('Student,ID,SIS Login ID,Quiz (7)\n Points Possible,,,\n"Love, A",71,ada,\n'
                                       '"Smith, Hans",73,hs,\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grading, "results_of", in_this_process)
        patch.setitem(sys.modules, "fpdf", None)                            # sheets on paper take long
        patch.setattr(sys, "stdout", said := io.StringIO())
        status = grade(folder / "problems", handed_in, folder / "grades.csv", time=20, memory=512, bar=False,
                       report=folder / "report", gradebook=folder / "canvas.csv", column="Quiz")
    with (folder / "grades.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return (folder, status, rows, [json.loads(line) for line in (folder / "grades.jsonl").open(encoding="utf-8")],
            said.getvalue().replace(str(folder), "F").split("\n"))


def row(course, student, problem):
    return next(row for row in course[2] if (row["student"], row["problem"]) == (student, problem))


def test_points_for_right_answers_in_every_kind_of_file_and_encoding(course):
    first, second, third, *_ = course[4]
    assert course[1] == 0 and first == ("13 answers of 17 learners: points in F/grades.csv, log in F/grades.jsonl. 9 "
                                        "files or answers could not be used; see there.")
    assert second == f"Sheets, totals and a summary are in F/report. {NO_PDF}" and third.startswith(
        "The points are in the column Quiz of F/report/gradebook.csv. Of these learners there is no row, or more than")
    for student, problem in (("ada", "pendulum"), ("ada", "energy"), ("ben", "energy"), ("carl", "energy"),
                             ("hans", "energy"), ("two\nlines \\u202etxt.exe", "energy")):
        assert (row(course, student, problem)["points"], row(course, student, problem)["verdict"]) == ("2", "right")
    assert any(row["student"] == "\\udcff\\udcfename" for row in course[2])
    assert not (course[0] / "trapped").exists(), "nothing that is handed in is run"


def test_tries_are_counted_and_bring_hints(course):
    ben, carl = row(course, "ben", "pendulum"), row(course, "carl", "pendulum")
    first = next(x["result"] for x in course[3] if (x.get("student"), x.get("problem")) == ("ben", "pendulum"))
    assert first["verdict"] == "not understood" and "hand in what is printed" in first["message"]
    assert ben["tries"] == carl["tries"] == "2" and ben["verdict"] == "wrong" and ben["points"] == "0"
    assert carl["hints"] == "Half of what? | Look at m." and row(course, "ada", "pendulum")["hints"] == ""


def test_bad_submissions_stop_nothing_and_are_named(course):
    fred = row(course, "fred", "energy")
    assert fred["verdict"] == "not understood" and "((((" not in fred["message"] and len(fred["message"]) > 60
    assert row(course, "eve", "pendulum")["verdict"] == "missing"
    unread = {row["student"]: row["message"] for row in course[2] if row["verdict"] == "not read"}
    assert set(unread) == {"dora", "eve", "fred", "gina", "ida", "'=1", "'+1", "'-1", "'@1"}
    assert "notebook" in unread["dora"] and "UTF-8" in unread["eve"] and "link" in unread["gina"]
    assert "kind .png" in unread["ida"] and "no problem 'nothing_here'" in unread["fred"]


def test_the_table_has_no_formulas_in_it(course):
    assert not any(row[name].startswith(("=", "+", "-", "@")) for row in course[2]
                   for name in ("student", "message", "hints", "problem"))


def test_every_result_can_be_repeated_from_the_log_and_changed_ones_are_told(course, capsys, monkeypatch):
    folder, _, _, log, _ = course
    monkeypatch.setattr(grading, "results_of", in_this_process)
    assert log[0]["event"] == "run" and (log[0]["seed"], log[0]["time"], log[0]["memory"]) == (0, 20, 512)
    assert {"rbdlib", "python", "mpmath", "sympy"} <= set(log[0]["versions"])
    tries = [record for record in log if record["event"] == "try"]
    assert len(tries) == 13 and all("text" in record for record in tries)
    first = next(record for record in tries if (record["student"], record["problem"]) == ("ada", "energy"))
    changed = {**first, "result": {**first["result"], "verdict": "wrong"}}
    short = folder / "short.jsonl"
    short.write_text("".join(json.dumps(record) + "\n" for record in (tries[0], tries[2], first, changed)))
    found = list(again(short))
    assert [{**record["result"], "seconds": 0} == {**result, "seconds": 0} for record, result in found] == [
        True, True, True, False]
    with monkeypatch.context() as patch:
        patch.setattr(grading, "again", lambda log: found)
        assert main(["again", str(short)]) == 1
    out = capsys.readouterr().out
    assert "was wrong, is now right" in out and "3 results are the same, 1 differ" in out
    short.write_text("no log")
    assert [main(["again", str(folder / name)]) for name in ("none.jsonl", "short.jsonl")] == [2, 2]


def test_the_report_has_totals_a_summary_a_gradebook_and_sheets_without_the_solution(course, monkeypatch):
    report = course[0] / "report"
    totals, summary = ({row[key]: row for row in csv.DictReader((report / f"{name}.csv").open(encoding="utf-8"))}
                       for name, key in (("totals", "student"), ("summary", "problem")))
    assert (totals["ada"]["total"], totals["ada"]["percent"], totals["carl"]["pendulum"]) == ("4", "100.0", "0")
    assert [summary["pendulum"][key] for key in ("learners", "tries", "right", "mean")] == ["3", "5", "1", "0.67"]
    assert summary["pendulum"]["finding 1"][:4] == "2 × " and "2 × " in (report / "summary.html").read_text("utf-8")
    sheets = {path.name: path.read_text("utf-8") for path in (report / "sheets").glob("*.html")}
    assert len(sheets) == len(totals) == 17 and "1/2*m" not in sheets["carl.html"]
    assert ", counted" in sheets["carl.html"] and ", counted" not in sheets["ada.html"]
    for words in ("2 of 4 points", "Try 2, pendulum.2.txt: 0 points", "m*l^2*q1&#x27;^2", "Hint: Half of what?"):
        assert words in sheets["carl.html"]
    assert (report / "gradebook.csv").read_text().splitlines() == [
        "Student,ID,SIS Login ID,Quiz (7)", " Points Possible,,,4", '"Love, A",71,ada,4', '"Smith, Hans",73,hs,']
    monkeypatch.setitem(sys.modules, "fpdf", None)
    assert write_report(report, {}, []) == NO_PDF


def test_sheets_on_paper(problem, tmp_path):
    pytest.importorskip("fpdf")
    tries = [(Try("é <b>", "pendulum", "x.txt", "m\u202e α ✗"), result_of(problem, "m*l^2*q1'^2"))]
    assert write_report(tmp_path, {"é <b>": [mark("é <b>", problem, tries)]}, []) == ""
    assert (tmp_path / "sheets" / "é__b_.pdf").read_bytes().startswith(b"%PDF")
    assert "é &lt;b&gt;" in (tmp_path / "sheets" / "é__b_.html").read_text("utf-8")


def result_of(problem, answer):
    found = verify(problem, answer)
    return {"verdict": found.verdict, "message": "", "report": found.to_dict()}


@pytest.mark.parametrize("model, quantity, answer, points, options", TABLES["worth"])
def test_entries_and_equations_that_are_right_are_worth_their_share(model, quantity, answer, points, options):
    problem = Problem("x", "", model, quantity, "", points=12, **options)
    found = mark("ada", problem, [(None, result_of(problem, answer))])
    assert found.total == points and (" right" in found.remarks) == (0 < points < 12), found


def test_entries_of_zero_weigh_nothing_and_those_of_a_row_share_its_weight(problem):
    def weights(values, *said):
        entries = [{"ours": x, "index": [k // 2, k % 2]} for k, x in enumerate(values)]
        return weights_of(problem._replace(weights=said), entries)

    assert weights([5, 6, 7, None]) == [1, 1, 1, 0] and weights([3, 1e-13, -2, 3e-12]) == [1, 0, 1, 0]
    assert weights([0, 0]) == [1, 1] and weights([5, 6, 7, 0], 3, 1) == [1.5, 1.5, 1, 0]
    assert weights([0, 0, 7, 0], 3, 1) == [0, 0, 1, 0] and weights([5, 0, 7, 8], (1, 2), (3, 4)) == [1, 2, 3, 4]


@pytest.mark.parametrize("verdicts, most, penalty, points, counted, words", [
    ("wrong right wrong", None, 0, [0, 10, 0], 1, ""), ("wrong wrong right", 2, 0, [0, 0, None], 1, "first 2 tries"),
    ("wrong wrong right", None, 0.1, [0, 0, 8], 2, "20%"), ("not-understood right", 1, 0.5, [0, 10], 1, ""),
    ("wrong right wrong", None, 1, [0, 0, 0], 1, "100%"), ("", None, 0, [], None, ""),
    ("half wrong", None, 0, [5, 0], 0, "1 of the 2 entries"), ("wrong wrong", None, 0, [0, 0], 1, "")])
def test_the_best_try_counts_less_what_wrong_ones_cost(problem, verdicts, most, penalty, points, counted, words):
    results = [(None, {"verdict": verdict.replace("-", " ").replace("half", "wrong"), "message": "", "report": {
        "independent": (), "entries": [{"ok": verdict == "half", "ours": 1}, {"ok": False, "ours": 1}]}})
               for verdict in verdicts.split()]
    said = {"tries": most, "penalty": penalty}
    for found in (mark("ada", problem._replace(points=10), results, most, penalty),
                  mark("ada", problem._replace(points=10, **said), results, most and 9, 0.9)):
        assert (list(found.points), found.counted) == (points, counted) and words in found.remarks


@pytest.mark.parametrize("name, row", [("ada", 0), ("ada@x.org", 0), ("King Ada_77", 0), ("b7", 1), ("Bo Ek", 1),
                                       ("Ek, Bo", 1), ("lee", 3), ("dan", None), ("al lee_2", None)])
def test_a_learner_is_found_in_a_gradebook_of_moodle(tmp_path, name, row):
    path = tmp_path / "moodle.csv"
    path.write_text("\ufeffFirst name;Last name;ID number;Email address\nAda;King;a7;ada@x.org\nBo;Ék;b7;bo@x.org\n"
                    "Al;Lee;2;al@x.org\nAl;Lee;3;lee@y.org\n", encoding="utf-8")
    assert read_gradebook(path).row_of(name) == row
    path.write_text("name,points\n")
    with pytest.raises(ValueError, match="no gradebook"):
        read_gradebook(path)


@pytest.mark.parametrize("path, student", [
    ("Ada King_77_assignsubmission_file/pendulum.txt", "Ada King_77"), ("kingada_12_345_pendulum-1.txt", "kingada_12"),
    ("Ada King_7_assignsubmission_file_pendulum.txt", "Ada King_7"), ("kingada_LATE_1_2_pendulum.txt", "kingada_1")])
def test_names_that_platforms_give_are_understood(tmp_path, path, student):
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text("1")
    tries, unread, students = read_submissions(tmp_path, ["pendulum", "other"])
    assert [(x.student, x.problem) for x in tries] == [(student, "pendulum")] and students == [student] and not unread


@pytest.mark.slow
def test_an_autograder_carries_all_it_needs_and_writes_what_gradescope_reads(problem, tmp_path):
    write_autograder(tmp_path, tmp_path / "x.zip", penalty=0.5)
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        archive.extractall(tmp_path / "source")
        assert archive.getinfo("run_autograder").external_attr >> 16 == 0o755
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / "my.txt").write_text("problem: pendulum\n1\nproblem: pendulum\n1/2*m*l^2*q1'^2\n")
    call = (tmp_path / "source" / "run_autograder").read_text().partition("-c '")[2].rstrip("'\n")
    subprocess.run([sys.executable, "-c", call.replace("run(", f"run({str(tmp_path)!r}, ")], cwd=tmp_path / "source",
                   check=True, env={key: x for key, x in os.environ.items() if key != "PYTHONPATH"})
    (test,) = json.loads((tmp_path / "results" / "results.json").read_text())["tests"]
    assert (test["name"], test["score"], test["max_score"]) == ("Kinetic energy", 1, 2) and "50%" in test["output"]


def test_what_gradescope_reads_names_points_reasons_and_what_could_not_be_used(problem, tmp_path, monkeypatch):
    monkeypatch.setattr(grading, "results_of", in_this_process)
    for folder in ("submission", "source/problems"):
        (tmp_path / folder).mkdir(parents=True)
    for name, quantity in (("energy", '"V"'), ("pendulum", '"T"')):
        (tmp_path / f"source/problems/{name}.toml").write_text(PENDULUM.replace('"T"', quantity))
    (tmp_path / "submission" / "my.txt").write_text("problem: pendulum\nm*l\nproblem: pendulum\n1/2*m*l^2*q1'^2")
    (tmp_path / "submission" / "my.png").write_bytes(b"")
    grading.run_autograder(tmp_path, penalty=0.25)
    found = json.loads((tmp_path / "results" / "results.json").read_text())
    missing, test = found["tests"]
    assert (test["name"], test["score"], test["max_score"], missing["score"]) == ("Kinetic energy", 1.5, 2, 0)
    assert test["output"].startswith("✓ Right") and test["output"].endswith("\n\nWrong tries before it cost 25%.")
    assert missing["output"] == "Nothing was handed in for this problem." and "my.png could not be" in found["output"]
    (tmp_path / "submission" / "my.txt").write_text("problem: pendulum\nm*l^2*q1'^2")
    grading.run_autograder(tmp_path)
    found = json.loads((tmp_path / "results" / "results.json").read_text())
    assert found["tests"][1]["score"] == 0 and found["tests"][1]["output"].endswith("Hint: Half of what?")


def test_an_autograder_is_a_zip_file_of_scripts_problems_and_the_library(problem, tmp_path, monkeypatch, capsys):
    for name in ("rbdlib/a/b.py", "rbdlib/__pycache__/c.pyc"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("x = 1")
    monkeypatch.setattr(grading, "PACKAGE", tmp_path / "rbdlib")
    assert write_autograder(tmp_path, tmp_path / "x.zip", tries=3, penalty=0.5) == 0
    assert "1 problems are in" in capsys.readouterr().out
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
        setup, run = (archive.read(name).decode() for name in ("setup.sh", "run_autograder"))
        assert archive.read("rbdlib/a/b.py") == b"x = 1"
    assert {name for name, mode in modes.items() if mode == 0o755} == {"setup.sh", "run_autograder"}
    assert {"problems/pendulum.toml", "rbdlib/data/models/lamp.toml", "rbdlib/data/problems/arm_2r_J.toml"} < set(modes)
    assert set(modes.values()) == {0o755, 0o644} and not any("pycache" in name for name in modes)
    assert "run(tries=3, penalty=0.5, time=20, memory=1024, seed=0)" in run and "numpy==" in setup
    for arguments, words in (((tmp_path / "no" / "x.zip",), "out is"), ((tmp_path / "x.zip", 0), "tries")):
        with pytest.raises(ValueError, match=words):
            write_autograder(tmp_path, *arguments)


@pytest.mark.parametrize("answers, message", [({"answer_0_6": [29.43, 9.81]}, ""), ({}, "no answer yet"),
                                              ({"answer_0_6": [-29.43, -9.81]}, "gravity pulls")])
def test_otter_tests_say_what_is_wrong(tmp_path, answers, message):
    folder, names, said = tmp_path / "new" / "tests", {}, []
    assert write_otter_tests(folder, ["00"]) == len(list(folder.glob("exercise_0_*.py"))) > 5
    exec((folder / "exercise_0_6.py").read_text(), names)
    ((code, hidden, locked),) = (case.values() for case in names["test"]["suites"][0]["cases"])
    assert not hidden and not locked
    test = doctest.DocTestParser().get_doctest(code, answers, "x", None, 0)
    assert doctest.DocTestRunner().run(test, out=said.append).failed == bool(message)
    assert message in "".join(said)
    assert write_otter_tests(tmp_path) == len(all_exercises())
    with pytest.raises(ValueError, match=r"only has 77; the notebooks are 00, 01.*, A"):
        write_otter_tests(tmp_path, ["00", "77"])


@pytest.fixture
def problem(tmp_path):
    (tmp_path / "pendulum.toml").write_text(PENDULUM)
    return load_problem(tmp_path / "pendulum.toml")


@pytest.fixture
def worker():
    made = workers.Worker()
    yield made
    made.close()


@pytest.mark.slow
def test_time_is_limited_and_the_process_goes_on(problem, worker, monkeypatch):
    slow, right = task_of(problem, "0", time=0.001), task_of(problem, "1/2*m*l^2*q1'^2")
    late = worker.run(slow)
    assert late["verdict"] == "not graded" and "longer" in late["message"]
    assert worker.run(right)["verdict"] == "right"
    monkeypatch.setattr(workers, "START", 0)
    assert "longer" in worker.run(slow | {"model": "arm_6r"})["message"]
    monkeypatch.setattr(workers, "START", 60)
    assert worker.run(right)["verdict"] == "right"


@pytest.mark.slow
def test_without_fork_a_process_that_had_to_end_is_replaced(problem):
    tasks = [task_of(problem, "1/2*m*l^2*q1'^2"), task_of(problem, "m*l^2*q1'^2"), task_of(problem, "0", time=0.001)]
    code = "import os, sys\ndel os.fork\nfrom rbdlib.verification.coursework.workers import serve\nserve(sys.stdin)"
    done = subprocess.run([sys.executable, "-c", code], input="\n".join(map(json.dumps, tasks)), text=True,
                          capture_output=True, env=os.environ | {"PYTHONIOENCODING": "utf-8"})
    found = [json.loads(line) for line in done.stdout.splitlines() if line]
    assert [x.get("verdict", x.get("status")) for x in found[:5]] == ["right", 0, "wrong", "wrong", 0]
    assert done.returncode == 124 or found[-1] == {"status": 0}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no copy of a process that could be cut off")
def test_a_result_that_is_cut_off_does_not_hide_that_the_process_has_ended(problem, monkeypatch, capfd):
    monkeypatch.setattr(workers, "work", lambda model, task: [print("{", end="", flush=True), os._exit(124)])
    workers.serve([json.dumps(task_of(problem, "0"))])
    assert [json.loads(line) for line in capfd.readouterr().out.splitlines()[1:]] == [{"status": 124}]


def test_a_verdict_is_kept_when_the_reason_takes_too_long():
    verdict, lost = {"verdict": "wrong", "message": ""}, {"verdict": "not graded", "message": "memory"}

    def result(status, found, **options):
        return workers.result_of({"time": 1, "memory": 100}, status, found, "", **options)

    assert [result(*found)["verdict"] for found in ((124, [verdict]), (0, [verdict, lost]), (124, []))] == [
        "wrong", "wrong", "not graded"]
    assert "memory" in result(-9, [])["message"] and "memory" in result(0, [], stopped="memory")["message"]


def test_what_an_error_quotes_is_no_result(worker):
    worker._process = types.SimpleNamespace(stdin=io.StringIO(), stdout=['{"verdict": "right"}\n', '{"status": 0}\n'],
                                            wait=lambda: 1, poll=lambda: 1)
    status, results, said = worker._ask({})
    worker._process = None
    assert (status, results) == (1, []) and "right" in said


def test_systems_that_cannot_limit_memory_say_so(monkeypatch):
    monkeypatch.setattr(workers, "LIMITS_MEMORY", False)
    monkeypatch.setattr(workers, "_psutil", lambda: None)
    assert "only the time" in workers.memory_note()
    monkeypatch.setattr(workers, "LIMITS_MEMORY", True)
    assert workers.memory_note() == ""


def test_each_of_several_processes_is_asked_in_turn_and_ended(monkeypatch):
    made = []

    class Stub:
        run = staticmethod(lambda task: 10 * task)

        def __init__(self):
            made.append("started")

        def close(self):
            made.append("closed")

    monkeypatch.setattr(workers, "Worker", Stub)
    assert list(workers.results_of(range(20), 2)) == [10 * k for k in range(20)]
    assert made.count("started") == made.count("closed") in (1, 2)


def test_limits_of_a_process_are_what_it_uses_and_so_much_more(monkeypatch):
    resource, said = pytest.importorskip("resource"), []
    monkeypatch.setattr(resource, "setrlimit", lambda which, most: said.append({which: most}))
    monkeypatch.setattr(workers.time, "process_time", lambda: 10.5)
    for memory in (1024, 3072):
        workers.limit(5, memory)
    assert said[0] == said[4] == {resource.RLIMIT_CPU: (17, 17)}
    assert said[2:4] == [{resource.RLIMIT_FSIZE: (0, 0)}, {resource.RLIMIT_CORE: (0, 0)}]
    (small, _), (large, _) = (said[k][resource.RLIMIT_AS] for k in (1, 5))
    assert small > 2**30 and abs(large - small - 2**31) < 2**28


def test_an_answer_that_needs_too_much_memory_is_told_so(problem, monkeypatch):
    monkeypatch.setattr(workers, "looked_at", lambda *arguments: bytearray(2**62))
    (result,) = in_this_process([task_of(problem, "1", memory=77)])
    assert result["verdict"] == "not graded" and "needs more than 77 MiB" in result["message"]


def test_memory_is_watched_where_it_cannot_be_limited(problem, worker, monkeypatch):
    pytest.importorskip("psutil")
    monkeypatch.setattr(workers, "LIMITS_MEMORY", False)
    monkeypatch.setattr(workers, "_LOOK", 0.001)
    result = worker.run(task_of(problem, "0") | {"memory": -512})           # less than nothing: whatever it uses
    assert result["verdict"] == "not graded" and "memory" in result["message"]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork, and so no copy to be limited")
def test_a_limited_process_has_so_much_memory_and_no_more_and_cannot_write_files(tmp_path):
    code = f"""
import signal
from rbdlib.verification.coursework.workers import limit
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
limit(5, 1024)
bytearray(2**29)
limit(5, 64)
try:
    bytearray(2**29)
except MemoryError:
    print("limited")
try:
    with open({str(tmp_path / 'x')!r}, "w") as file:
        file.write("x")
except OSError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "limited\nrefused\n" and done.returncode == 0, done.stderr


def test_code_is_read_as_data():
    for code, answer in (("import os\nanswer = 'm*l'", "m*l"), ("verify(model, 'H', answer='m*l')", "m*l"),
                         ("answer = [['a', 'b'], ['c', 'd']]", [["a", "b"], ["c", "d"]]),
                         ("# mine\nm l^2 q1'", "m l^2 q1'"), ("k = m*l^2\nk*qd1", "k = m*l^2\nk*qd1")):
        assert answer_in(code, "code") == answer
    assert answer_in("text\n```\na\n```\nmore\n```latex\nb\n```", "markdown").strip() == "b"


@pytest.mark.parametrize("code, answer", TABLES["sympy"])
def test_sympy_is_read_and_not_run(code, answer):
    assert answer_in(code, "code") == answer


@pytest.mark.parametrize("code", TABLES["to_be_run"])
def test_code_that_would_have_to_be_run_is_refused_with_what_to_write(code):
    with pytest.raises(BadArgument, match="hand in what is printed"):
        answer_in(code, "code")


@pytest.mark.parametrize("lines, right", [("theta2 = q1 + q2", True), ("theta2 = 0", False), ("q2 = 0", False)])
def test_angles_of_the_learner_are_defined_above_the_answer(lines, right):
    model, c = load("double_pendulum", symbolic=True), "cos(theta2 - q1)" if right else "1"
    answer = f"{lines}\n[(m1 + m2)*l1^2, m2*l1*l2*{c}; m2*l1*l2*{c}, m2*l2^2]"
    assert looked_at(model, "H", answer, []).ok == right == bool(own_angles(model, answer, [])[0])


def test_folders_are_read_in_order(tmp_path):
    (tmp_path / "zoe").mkdir()
    for number in (".10", ".2", ""):
        (tmp_path / "zoe" / f"pendulum{number}.txt").write_text(number)
    tries, unread, students = read_submissions(tmp_path, ["pendulum", "other"])
    assert [attempt.text for attempt in tries] == ["", ".2", ".10"] and students == ["zoe"] and not unread
    with pytest.raises(ValueError, match="no folder"):
        read_submissions(tmp_path / "nowhere", ["pendulum"])


@pytest.mark.parametrize("odd", [
    {"cells": ["str", None, 5, CELL]}, {"cells": [{"metadata": [1], "source": 3}, CELL]},
    {"cells": [{"metadata": {"tags": 5}}, CELL]}, {"cells": [{"cell_type": [], "metadata": None}, CELL]}])
def test_odd_cells_of_a_notebook_are_passed_over(tmp_path, odd):
    (tmp_path / "ada.ipynb").write_text(json.dumps(odd), encoding="utf-8")
    tries, unread, _ = read_submissions(tmp_path, ["p1"])
    assert [(attempt.problem, attempt.text) for attempt in tries] == [("p1", "m*l^2")] and not unread


@pytest.mark.parametrize("name", ["out", "log"])
def test_a_folder_that_is_not_there_is_named_before_anything_is_graded(tmp_path, name):
    files = {"out": tmp_path / "grades.csv", name: tmp_path / "no" / "where.csv"}
    with pytest.raises(ValueError, match=f"{name} is .*no such folder"):
        grade("rbdlib", tmp_path, **files, bar=False)


@pytest.mark.parametrize("limits", [
    {"time": 0.09}, {"memory": 63}, {"jobs": 0}, {"seed": -1}, {"time": 86401}, {"jobs": 257}, {"memory": 2**20 + 1},
    {"tries": 0}, {"tries": 101}, {"penalty": 1.01}, {"gradebook": "without a report"}])
def test_limits_must_make_sense(tmp_path, limits):
    with pytest.raises(ValueError, match=next(iter(limits))):
        grade("rbdlib", tmp_path, tmp_path / "grades.csv", **limits)


def test_from_the_command_line(tmp_path, capsys):
    nobody, out = tmp_path / "nobody", tmp_path / "grades.csv"
    nobody.mkdir()
    ends = [str(nobody), "--out", str(out)]
    assert main(["grade", "rbdlib", *ends, "--quiet"]) == 0
    assert out.exists() and out.with_suffix(".jsonl").exists() and "0 answers" in capsys.readouterr().out
    assert main(["grade", str(nobody), *ends]) == 2 == main(["grade", "rbdlib", *ends, "--jobs", "0"])
    assert "jobs" in capsys.readouterr().err


def test_answers_without_end_are_cut(tmp_path):
    (tmp_path / "tries.txt").write_text("problem: pendulum\n1\n" * 500)
    (tmp_path / "many").mkdir()
    for number in range(101):
        (tmp_path / "many" / f"pendulum.{number}.txt").write_text("1")
    (tmp_path / "many" / "pendulum.\u00b2.txt").write_text("1")
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(10**8)
    (tmp_path / "deep.ipynb").write_text("[" * 100_000)
    (tmp_path / "odd.ipynb").write_text('{"cells": 5}')
    os.mkfifo(tmp_path / "pipe.txt") if hasattr(os, "mkfifo") else None
    tries, unread, _ = read_submissions(tmp_path, ["pendulum", "other"])
    made = [attempt.student for attempt in tries]
    assert made.count("tries") == made.count("many") == 100
    named = {lost.student: lost.message for lost in unread}
    assert {"tries", "many", "huge", "deep", "odd"} <= set(named) and "million bytes" in named["huge"]
    assert "more than 100 tries" in named["tries"] and [lost.student for lost in unread].count("tries") == 1
    assert any(lost.student == "many" and "more than 100 tries" in lost.message for lost in unread)
    assert "pipe" in named or not hasattr(os, "mkfifo")


def test_a_file_that_the_system_does_not_hand_over_is_named(tmp_path, monkeypatch):
    (tmp_path / "ada.txt").write_text("problem: pendulum\n1\n")
    monkeypatch.setattr(Path, "read_bytes", Mock(side_effect=PermissionError(13, "Permission denied")))
    _, ((student, file, message),), _ = read_submissions(tmp_path, ["pendulum"])
    assert (student, file, message) == ("ada", "ada.txt", "The file cannot be read: Permission denied.")


def test_encodings():
    assert decoded("é\r\nb".encode("utf-16"), "x") == "é\nb" == decoded("é\nb".encode("utf-8-sig"), "x")
    for data in ("é".encode("latin-1"), b"a\0b", b"\xff\xfea", b"\xff\xfe\x00\xd8"):
        with pytest.raises(ValueError, match="my file is not text"):
            decoded(data, "my file")
