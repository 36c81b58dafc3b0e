"""The five projects: reference solutions get all points, starters none, and typical mistakes are caught."""

import ast
import functools
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rbdlib.methods import derivatives

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "teaching/projects"
sys.path.insert(0, str(FOLDER))

import check  # noqa: E402


@pytest.mark.slow
@pytest.mark.parametrize("project", ["calibrate_an_arm", *(
    pytest.param(project, marks=pytest.mark.long) for project in check.PROJECTS if project != "calibrate_an_arm")])
def test_the_reference_solution_gets_all_points(project):
    for points, of, statement, message, _ in check.run(project, FOLDER / project / "solution.py"):
        assert points == of, f"{statement}: {message}"


@pytest.mark.parametrize("project", check.PROJECTS)
def test_the_starter_gets_none_and_is_told_why(project):
    results = check.run(project, FOLDER / project / "starter.py")
    assert [result[0] for result in results if result[3] == "not written yet"] == [0] * len(results)


@pytest.mark.parametrize("project", check.PROJECTS)
def test_a_project_is_complete(project, monkeypatch):
    monkeypatch.syspath_prepend(FOLDER / project)
    assert len(check.PROJECTS) == 5
    assert all((FOLDER / project / name).is_file() for name in ("starter.py", "solution.py"))
    brief = (FOLDER / project / "brief.md").read_text(encoding="utf-8")
    assert f"check.py {project} my_" in brief
    assert all(part in brief for part in ("## What to do", "## What to hand in", "**You need**", "**Time**"))
    total = sum(points for points, _, _ in check.load(FOLDER / project / "checks.py", "a_checks").CHECKS)
    rubric = (FOLDER / project / "rubric.md").read_text(encoding="utf-8")
    rows = [int(line.split("|")[1]) for line in rubric.splitlines() if line.startswith("| ") and line[2].isdigit()]
    assert rows[0] == total, "the rubric's first row is what the checks give"
    assert sum(rows) == 40 and "| **40** |" in rubric
    nodes = ast.walk(ast.parse((FOLDER / project / "checks.py").read_text(encoding="utf-8")))
    assert all(node.msg for node in nodes if isinstance(node, ast.Assert)), "no check can fail without a word"
    assert f"]({project}/brief.md)" in (FOLDER / "README.md").read_text(encoding="utf-8"), "it is in the overview"


@functools.cache
def modules(project):
    """The reference solution and the checks, with what takes long done once, and for the first seconds only."""
    sys.path.insert(0, str(FOLDER / project))
    work = check.load(FOLDER / project / "solution.py", f"{project}_changed")
    module = check.load(FOLDER / project / "checks.py", f"{project}_checks")
    if project == "four_bar_press":
        solved = functools.cache(lambda angles, positions=work.positions: positions(np.array(angles)))
        work.positions = lambda angles: solved(tuple(angles))
    if project == "swing_up":
        module.END = 1.0
    return work, module


class Work(SimpleNamespace):
    """A module that was handed in; results of checks are kept for each, so it has to be hashable."""
    __hash__ = object.__hash__


def changed(project, **changes):
    """The reference solution with other functions in place of some, and the project's checks by their names."""
    work, module = modules(project)
    return Work(**(vars(work) | {name: change(work) for name, change in changes.items()})), module


def straight_lines(t):
    """A plan of straight lines: down, there, and back, at rates that are right everywhere but at the corners."""
    corners, heights = [0.2, 0.7, 0.8, 1.05], [0, -2, -2, 0]
    q = np.interp(t, corners, heights)
    qd = next((np.diff(heights)[k] / np.diff(corners)[k] for k in range(3) if corners[k] < t < corners[k + 1]), 0.0)
    return {3: (q, qd, 0.0), 4: (-q, -qd, 0.0)}


MISTAKES = {
    "energy with the cart's speed": ("swing_up", "energy_is_the_poles", "as if the cart stood",
        {"surplus": lambda w: lambda q, qd: w.surplus(q, qd) + qd[0] ** 2 / 2}),
    "a force for the cart alone": ("swing_up", "force_gives_the_acceleration", "instead of 1.7",
        {"force_for": lambda w: lambda q, qd, a: 1.2 * a}),
    "feedback of the wrong sign": (
        "swing_up", "feedback_is_stable", "must lie to the left", {"gains": lambda w: lambda: -w.gains()}),
    "a force without a limit": (
        "swing_up", "force_is_limited", "At most 20", {"force": lambda w: lambda t, q, qd: 25 * np.cos(9 * t)}),
    "no pumping": ("swing_up", "it_stands", "leans by", {"force": lambda w: lambda t, q, qd: 0.0}),
    "too many singular values": ("calibrate_an_arm", "rank", "rounding errors", {"identifiable": lambda w: lambda: 60}),
    "too fast for the arm": ("calibrate_an_arm", "motion_is_moderate", "limits",
        {"excitation": lambda w: lambda t: tuple(9 * x for x in w.excitation(t))}),
    "the data sheet": ("calibrate_an_arm", "beats_the_data_sheet", "a tenth is asked for",
        {"identify": lambda w: lambda *given: derivatives.parameters(w.ARM)}),
    "the other branch": ("four_bar_press", "loops_are_closed", "loop is open",
        {"positions": lambda w: lambda angles: [[x, -x, x] for x in angles]}),
    "the ratio upside down": (
        "four_bar_press", "ratio_is_the_slope", "as fast as the crank", {"ratio": lambda w: lambda q: 1 / w.ratio(q)}),
    "power created": ("four_bar_press", "power_is_kept", "must cancel",
        {"crank_torque": lambda w: lambda q, load: w.ratio(q) * load}),
    "weights left out": ("four_bar_press", "pin_force_balances", "the pin carries",
        {"pin_force": lambda w: lambda q, load: 0.95 * w.pin_force(q, load)}),
    "without the velocities": ("race_your_aba", "right_on_chains", "double_pendulum",
        {"my_aba": lambda w: lambda model, q, qd, tau: w.my_aba(model, q, 0 * qd, tau)}),
    "the first branch only": ("race_your_aba", "right_on_trees", r"qdd is wrong at \[",
        {"my_aba": lambda w: lambda model, *state: w.my_aba(model, *state) * (np.array(model.parent[1:]) != 2)}),
    "a batch of one": ("race_your_aba", "right_in_batches", r"the result has shape \(7,\)",
        {"fast": lambda w: lambda model: lambda q, qd, tau: w.my_aba(model, q[0], qd[0], tau[0])}),
    "a batch without velocities": ("race_your_aba", "right_in_batches", "for a batch of 50",
        {"fast": lambda w: lambda model: lambda q, qd, tau: w.fast(model)(q, 0 * qd, tau)}),
    "a loop in place of a batch": ("race_your_aba", "ten_times_faster", "times faster than a loop",
        {"fast": lambda w: lambda model: lambda *states: [w.my_aba(model, *s) for s in zip(*states, strict=True)]}),
    "inertia about the hip": ("somersault", "inertia_is_right", "kg m²",
        {"moment_of_inertia": lambda w: lambda arms, legs: w.moment_of_inertia(arms, legs) + 68 * 0.1**2}),
    "a rate that jumps": ("somersault", "plan_is_a_motion", "joint 3 changes its rate by 8.0 rad/s in an instant",
        {"plan": lambda w: straight_lines}),
    "stretched all the way": (
        "somersault", "turns_once", "turned by 252.1°", {"plan": lambda w: lambda t: w.plan_with(0.0)(t)})}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.long if "loop in place" in name else ())
                                  for name in MISTAKES])
def test_a_typical_mistake_is_caught_and_named(name):
    project, function, message, changes = MISTAKES[name]
    work, module = changed(project, **changes)
    (checked,) = (f for _, _, f in module.CHECKS if f.__name__ == function)
    with pytest.raises(AssertionError, match=message):
        checked(work)


def test_who_lets_the_library_do_the_work_gets_no_points(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("from rbdlib import load, aba as my_aba\n\n\ndef fast(model):\n    return lambda *states: "
                    "[my_aba(model, *s) for s in zip(*states)]\n", encoding="utf-8")
    results = check.run("race_your_aba", file)
    assert all(points == 0 and message.startswith("aba: not allowed") for points, _, _, message, _ in results)


def test_results_of_the_wrong_kind_are_told_in_words():
    work, module = changed("swing_up", gains=lambda w: lambda: [1, 2, 3], force=lambda w: lambda t, q, qd: None)
    with pytest.raises(AssertionError, match="four numbers"):
        module.feedback_is_stable(work)
    with pytest.raises(Exception, match=r"force\(0.00, q, qd\) returned None; it must return a number"):
        module.it_stands(work)


def test_the_command_prints_points_and_refuses_what_there_is_not(capsys):
    assert check.main(["somersault", str(FOLDER / "somersault/starter.py")]) == 1
    shown = capsys.readouterr().out
    assert "✗ 0/6  one somersault, to two degrees" in shown and "0 of 16 points" in shown
    for project, said in (("somersault", "There is no file nowhere.py. Copy the project's starter.py"),
                          ("somersaults", "no project 'somersaults'; there are calibrate_an_arm, ")):
        assert check.main([project, "nowhere.py"]) == 2 and said in capsys.readouterr().out
    assert check.main([]) == 2


@pytest.mark.parametrize(("line", "message"), [
    ("assert False", "AssertionError (mine.py, line 6)"),
    ("return 1 / 0", "ZeroDivisionError: division by zero (mine.py, line 6)"),
    ("return np.linalg.inv(np.zeros((2, 2)))", "LinAlgError: Singular matrix (mine.py, line 6)"),
    ("raise SystemExit", "SystemExit (mine.py, line 6)")])
def test_what_stops_with_few_words_gets_no_points_and_a_line(line, message, tmp_path):
    """An error without text, such as that of a bare assert, once counted as a check that holds."""
    file = tmp_path / "mine.py"
    file.write_text(f"import numpy as np\n\n\n\ndef surplus(q, qd):\n    {line}\n", encoding="utf-8")
    points, _, _, said, _ = check.run("swing_up", file)[0]
    assert (points, said) == (0, message)


@pytest.mark.parametrize(("text", "message"), [
    ("def surplus(q, qd)\n", "SyntaxError: expected ':'"), ("import nowhere\n", "No module named 'nowhere'"),
    ("1 / 0\n", "division by zero (mine.py, line 1)"), ("exit(3)\n", "SystemExit: 3 (mine.py, line 1)")])
def test_a_file_that_cannot_be_imported_is_refused_in_words(text, message, tmp_path, capsys):
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    assert check.main(["swing_up", str(tmp_path / "mine.py")]) == 2
    said = capsys.readouterr().out
    assert "mine.py cannot be imported" in said and message in said and "__main__" in said


@pytest.mark.parametrize(("line", "use", "name"), [
    ("from rbdlib import load, aba", "None", "aba"), ("import rbdlib", "rbdlib.aba", "aba"),
    ("import rbdlib as r", "r.forward_dynamics", "forward_dynamics"), ("from scipy.linalg import inv", "None", "inv"),
    ("from rbdlib.book.ch07_articulated_body import aba as other", "None", "ch07_articulated_body"),
    ("import numpy as np", "np.linalg.solve", "solve")])
def test_a_borrowed_algorithm_is_named(line, use, name, tmp_path):
    assert f"{name}: not allowed here" in own_work_of(f"{line}\nused = {use}\n", tmp_path)


@pytest.mark.parametrize("text", [
    '"""As in forward_dynamics of rbdlib.book.ch07_articulated_body; import aba is not needed."""\n',
    'def solve(x):\n    return x\n\n\nclass Body:\n    inv = 1\n\n\nsolve(Body().inv)\n',
    'if __name__ == "__main__":\n    from rbdlib import aba\n'])
def test_words_names_of_ones_own_and_comparisons_are_allowed(text, tmp_path):
    assert own_work_of(text, tmp_path) == ""


def own_work_of(text, folder):
    """What is said about the reference solution with this text in front of it."""
    file = folder / "mine.py"
    file.write_text(text + (FOLDER / "race_your_aba/solution.py").read_text(encoding="utf-8"), encoding="utf-8")
    work = check.load(file, "race_your_aba_borrowed")
    module = check.load(FOLDER / "race_your_aba/checks.py", "race_your_aba_checks")
    try:
        module.own_work(work)
    except AssertionError as error:
        return str(error)
    return ""


@pytest.mark.slow
def test_it_runs_as_a_program_from_anywhere(tmp_path):
    command = [sys.executable, FOLDER / "check.py", "swing_up", FOLDER / "swing_up/starter.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8",
                          env={"PYTHONIOENCODING": "utf-8", "PATH": ""})
    assert done.returncode == 1, done.stderr
    assert "0 of 18 points" in done.stdout
