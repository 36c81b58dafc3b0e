"""What the README and the model files' README say works, word for word."""

import io
import re
import tomllib
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from rbdlib import Model, aba

ROOT = Path(__file__).parents[1]


def code_blocks(path, language):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def test_the_twenty_lines_run_and_print_what_their_comments_say():
    code, *_ = code_blocks(ROOT / "README.md", "python")
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    lines = printed.getvalue().splitlines()
    assert lines[0] == "base"
    assert "[[4.755 1.878]" in lines
    assert "l2*m2*(l1*cos(q2) + l2)" in lines
    assert "-2*l1*l2*m2*cos(q2)" in lines
    assert len([line for line in code.splitlines() if line.strip()]) <= 20


def test_the_example_of_a_derivation_prints_the_report_that_is_shown():
    _, code, _ = code_blocks(ROOT / "README.md", "python")
    (report,) = code_blocks(ROOT / "README.md", "text")
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert printed.getvalue().startswith(report)


def test_the_example_of_fast_code_runs():
    *_, code = code_blocks(ROOT / "README.md", "python")
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    state = [names[name][-1] for name in ("q", "qd", "tau")]
    np.testing.assert_allclose(names["qdd"][-1], aba(names["arm"], *state), rtol=1e-9)


@pytest.mark.parametrize("page", ["README.md", "data/models/README.md"])
def test_links_lead_to_files(page):
    path = ROOT / page
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", path.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (path.parent / target).exists()]
    assert not missing


def test_commands_are_targets_of_the_makefile():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = re.findall(r"(?:^    |`)make ([a-z-]+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) <= set(targets)
    assert {"lab", "test", "test-fast"} <= set(named)


def test_the_example_of_a_model_file_is_a_model(tmp_path):
    (text,) = code_blocks(ROOT / "data/models/README.md", "toml")
    path = tmp_path / "example.toml"
    path.write_text(text, encoding="utf-8")
    model = Model.load(path)
    assert tomllib.loads(text)["body"][0]["name"] == model.names[1]
    assert model.inertia[1][5, 5] == 1.2


def test_every_model_file_is_in_the_table():
    table = (ROOT / "data/models/README.md").read_text(encoding="utf-8")
    assert all(f"`{path.name}`" in table for path in (ROOT / "data/models").glob("*.toml"))
