"""The command line: what it prints, and the exit status, which says the verdict to programs."""

import inspect
import io
import json
import subprocess
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from rbdlib import load, save
from rbdlib.verification.coursework import command, grade
from rbdlib.verification.coursework.command import main

G = "[(m1 + m2)*g*l1*sin(q1) + m2*g*l2*sin(q1 + q2), m2*g*l2*sin(q1 + q2)]"


@pytest.fixture
def verify(tmp_path, capsys):
    def run(answer, *options, model="double_pendulum"):
        file = tmp_path / "answer.txt"
        file.write_bytes(answer if isinstance(answer, bytes) else answer.encode())
        status = main(["verify", "--model", model, *options, str(file)])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.mark.slow
def test_right_and_wrong_names_of_the_learners_own_json_steps_and_a_solution_that_is_kept(verify):
    assert verify(G, "--quantity", "g")[0] == 0
    status, out, err = verify(G.replace("sin", "cos"), "--quantity", "g")
    assert status == 1 and out.startswith("✗") and "entry 2" in out and not err
    status, out, _ = verify("[1, (", "--quantity", "g")
    assert status == 2 and "Not understood" in out

    own = "[(m1 + m2)*g*a*sin(theta1), m2*g*l2*sin(theta2)]"
    assert verify(own, "--quantity", "g", "--given", "theta2 = q1 + q2", "--given", "a = l1")[0] == 0
    status, out, _ = verify("[0, m2*g*l2*sin(q1 + q2)]", "--quantity", "g", "--json")
    assert status == 1 and [entry["ok"] for entry in json.loads(out)["entries"]] == [False, True]

    wrong = G.replace("q2), m2*g*l2*sin", "q2), m2*g*l2*cos")
    assert "right there" in verify(wrong, "--quantity", "g")[1]
    assert "right there" not in verify(wrong, "--quantity", "g", "--questions")[1]


def test_the_status_of_a_derivation_says_whether_all_lines_follow(verify):
    right = "V = -(m1 + m2)*g*l1*cos(q1) - m2*g*l2*cos(q1 + q2)\ndV/dq2 = m2*g*l2*sin(q1 + q2)\n"
    assert verify(right, "--steps")[0] == 0 and verify("V = foo(\n" + right, "--steps")[0] == 2
    status, out, _ = verify(right.replace("dq2 = ", "dq2 = -"), "--steps", "--json")
    assert status == 1 and json.loads(out)["first_wrong"] == 2


@pytest.mark.parametrize("options, words", [
    (["--quantity", "nonsense"], "cannot be verified"), ([], "--quantity"), (["--quantity", "g", "--steps"], "one of"),
    (["--quantity", "g", "--given", "q9q9"], "given"), (["--quantity", "g", "--seed", "-1"], "--seed")])
def test_bad_arguments_are_named(verify, options, words):
    status, out, err = verify(G, *options)
    assert status == 2 and words in err and not out and "Traceback" not in err


def test_bad_models_and_files_are_named(verify, tmp_path, capsys):
    assert "double_pendulum" in verify(G, "--quantity", "g", model="double_pendlum")[2]
    assert verify(G, "--quantity", "g", model=str(tmp_path / "none.toml"))[0] == 2
    assert main(["verify", "--model", "pendulum", "--quantity", "T", str(tmp_path / "nowhere.txt")]) == 2
    assert "nowhere.txt" in capsys.readouterr().err and "UTF-8" in verify(b"\xff\xfe\x00", "--quantity", "g")[2]
    for data in (G.replace(",", ",\r\n").encode("utf-16"), G.encode() + b"\r\n", "\N{BYTE ORDER MARK}" + G):
        assert verify(data, "--quantity", "g")[0] == 0
    assert ["bytes" in verify("1" * size, "--quantity", "g")[2] for size in (1_000_000, 1_000_001)] == [False, True]
    with pytest.raises(SystemExit) as stopped:
        main(["verify"])
    assert stopped.value.code == 2


def test_standard_input_and_a_model_file_of_ones_own(verify, tmp_path, monkeypatch, capsys):
    path = tmp_path / "mine.toml"
    save(load("arm_2r").replace(gravity=(0, 0, 0)), path)
    assert verify("[0, 0]", "--quantity", "g", model=str(path))[0] == 0
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(G.encode())))
    assert main(["verify", "--model", "double_pendulum", "--quantity", "g", "-"]) == 0


@pytest.mark.slow
def test_as_a_program(tmp_path):
    (tmp_path / "answer.txt").write_text(G.replace("+ m2*g", "- m2*g"))
    done = subprocess.run([sys.executable, "-m", "rbdlib", "verify", "--model", "double_pendulum", "--quantity", "g",
                           "answer.txt"], cwd=tmp_path, capture_output=True, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 1 and done.stdout.decode().startswith("✗") and done.stderr == b""


@pytest.mark.parametrize("module, name, words, options", [
    (grade, "grade", ["grade", "p", "s"], {"problems": "p", "submissions": "s"}),
    (grade, "grade", ["grade", "p", "s", "--quiet"], {"problems": "p", "submissions": "s", "bar": False}),
    (grade, "write_autograder", ["autograder", "p"], {"problems": "p"}),
    (command, "_problems", ["problems", "--students", "f", "--seed", "s"], {
        "templates": "rbdlib", "only": None, "difficulty": [1, 2, 3], "students": "f", "seed": "s", "out": "problems"}),
    (command, "_verify", ["verify", "--model", "m", "a"], {
        "model": "m", "answer": "a", "quantity": None, "given": [], "steps": False, "questions": False, "seed": 0,
        "json": False})])
def test_every_argument_of_a_function_is_an_option_with_its_default(module, name, words, options, monkeypatch):
    parameters = inspect.signature(getattr(module, name)).parameters.values()
    monkeypatch.setattr(module, name, called := Mock(return_value=7))
    assert main(words) == 7
    assert called.call_args.kwargs == {p.name: p.default for p in parameters} | options


@pytest.mark.parametrize("words", [[], ["verify"], ["grade"], ["again"]])
def test_help_fits_a_terminal_of_usual_width(words, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([*words, "--help"])
    text = capsys.readouterr().out
    assert stopped.value.code == 0 and len(text) > 200 and max(map(len, text.splitlines())) <= 120
