"""What is remembered, where, and what happens when the file is not as it should be."""

import json
import os
import re
import subprocess
import sys
from unittest.mock import Mock

import pytest

from rbdlib.exercises import check, hint, progress
from rbdlib.exercises.catalogue import all_exercises, exercises_of
from rbdlib.exercises.memory import Progress, progress_file
from rbdlib.exercises.show import bar

RIGHT = [0, 0, 1, 0, -2, 0]
WRONG = [0, 0, 1, 0, 2, 0]
COUNT = len(exercises_of(0))


def solved_in(path):
    return json.loads(path.read_text())["solved"]


def test_a_right_answer_alone_is_remembered_and_seen_by_another_session(progress_file):
    check("0.1", WRONG)
    check("0.1")
    progress()
    assert not progress_file.exists()
    check("0.1", RIGHT)
    check("0.2", 2)
    assert solved_in(progress_file) == ["0.1"] and Progress().solved() == {"0.1"}


def test_progress_counts_per_notebook(capsys):
    with pytest.raises(ValueError, match=r"no path 'east' through the course\. There are .*weekend"):
        progress("east")
    progress()
    assert capsys.readouterr().out.splitlines()[0].split() == ["00", "start", "here", "░" * 20, "0", "of", str(COUNT)]
    check("0.1", RIGHT)
    capsys.readouterr()
    progress()
    lines = capsys.readouterr().out.splitlines()
    assert len({re.search("[█░]", line).start() for line in lines}) == 1
    assert lines[0].endswith(f"{bar(1, COUNT)}  1 of {COUNT}") and {len(bar(k, 7)) for k in range(8)} == {20}
    parts = ((0, 9), (1, 999), (5, 10), (998, 999), (9, 9), (0, 0))
    assert [bar(*part).lstrip("█").count("░") for part in parts] == [20, 19, 10, 1, 0, 20]
    assert lines[-1].endswith(f"1 of {len(all_exercises())}")


def test_two_notebooks_open_at_once_do_not_forget_each_other(progress_file):
    here, there = Progress(), Progress()
    here.add("1.1")
    there.add("2.1")
    here.add("1.2")
    assert solved_in(progress_file) == ["1.1", "1.2", "2.1"]


@pytest.mark.parametrize("content", ["", "[]", '{"solved": 5, "version": 1}', "[" * 100_000, "\0\1\2",
                                     '{"version": 7, "solved": []}', '{"version": 1, "solved": [5]}',
                                     '{"version": 1, "solved": "0.1"}'])
def test_a_damaged_file_is_renamed_and_said_once(content, progress_file, capsys):
    progress_file.write_text(content)
    check("0.1", RIGHT)
    output = capsys.readouterr().out
    assert output.startswith("Exercise 0.1: right.") and "damaged" in output
    assert progress_file.with_name("progress.json.damaged").read_text() == content
    assert solved_in(progress_file) == ["0.1"]
    check("0.2", 5)
    assert "damaged" not in capsys.readouterr().out and solved_in(progress_file) == ["0.1", "0.2"]
    progress_file.write_text("newer")
    check("0.1", RIGHT)
    assert progress_file.with_name("progress.json.damaged").read_text() == content, "it is not overwritten"
    assert progress_file.with_name("progress.json.damaged2").read_text() == "newer"


def test_a_file_that_cannot_be_written_is_said_once_and_memory_is_used(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("RBDLIB_PROGRESS", str(tmp_path / "file" / "progress.json"))
    check("0.1", RIGHT)
    assert "in memory only" in capsys.readouterr().out.replace("\n", " ")
    check("0.2", 5)
    assert "memory" not in capsys.readouterr().out
    progress()
    assert f"2 of {COUNT}" in capsys.readouterr().out and (tmp_path / "file").read_text() == "not a folder"


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_not_an_ordinary_file_is_left_alone(kind, tmp_path, monkeypatch, capsys):
    path = tmp_path / kind
    if kind == "folder":
        path.mkdir()
    elif hasattr(os, "mkfifo"):
        os.mkfifo(path)
    else:
        pytest.skip("this platform has no named pipes")
    monkeypatch.setenv("RBDLIB_PROGRESS", str(path))
    check("0.1", RIGHT)
    assert "not an ordinary file" in capsys.readouterr().out.replace("\n", " ")
    assert path.exists() and not path.is_file()
    progress()
    assert f"1 of {COUNT}" in capsys.readouterr().out


def test_no_half_written_file_and_no_leftovers(progress_file, monkeypatch):
    check("0.1", RIGHT)
    before = progress_file.read_text()
    monkeypatch.setattr(os, "replace", Mock(side_effect=OSError(28, "No space left on device")))
    check("0.2", 5)
    assert progress_file.read_text() == before
    assert [path.name for path in progress_file.parent.iterdir()] == ["progress.json"]


def test_the_file_named_by_the_environment_comes_first(monkeypatch, tmp_path):
    assert progress_file() == tmp_path / "progress.json"
    monkeypatch.setenv("RBDLIB_PROGRESS", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert progress_file() == tmp_path / ".rbdlib" / "progress.json"
    Progress().add("0.1")                                                   # into a folder that is made for it
    assert solved_in(progress_file()) == ["0.1"]


def test_the_second_wrong_answer_brings_a_hint_and_the_next_one_the_next(capsys):
    outputs = []
    for _ in range(5):
        check("0.1", WRONG)
        outputs.append(capsys.readouterr().out)
    assert "Hint" not in outputs[0]
    assert [f"Hint {n} of 3" in output for n, output in enumerate(outputs[1:4], 1)] == [True] * 3
    assert 'solution("0.1")' in outputs[4] and all("opposite sign" in output for output in outputs)


def test_hint_and_check_share_one_series_of_hints_and_an_answer_that_cannot_be_read_is_no_try(capsys):
    check("0.1", "text")
    check("0.1", WRONG)
    assert "Hint" not in capsys.readouterr().out
    hint("0.1")
    check("0.1", WRONG)
    output = capsys.readouterr().out
    assert output.index("Hint 1 of 3") < output.index("Hint 2 of 3") and output.count("Hint 1 of 3") == 1
    assert output.count("Read again") == 1                                  # with the first hint alone


def test_declaring_all_exercises_and_grading_numbers_loads_nothing_that_is_slow_to_load():
    code = ("import sys; from rbdlib.exercises import check; from rbdlib.exercises.more import all_more; all_more(); "
            "check('0.1', [0, 0, 1, 0, 2, 0]); check('0.1', [0, 0, 1, 0, -2, 0]); print(*sorted({'sympy', 'mpmath', "
            "'matplotlib', 'scipy', 'IPython', 'rbdlib.verification.decision.decide'} & set(sys.modules)))")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = run.stdout.splitlines()
    assert lines[-1] == "" and "Exercise 0.1: right." in lines
