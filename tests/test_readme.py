"""What the README and the model files' README say works, word for word."""

import io
import re
import tomllib
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from rbdlib import aba, load

ROOT = Path(__file__).parents[1]


def code_blocks(path, language):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def run(code):
    """The names that a block of the README leaves behind, and what it prints."""
    names = {}
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "README.md", "exec"), names)
    return names, printed.getvalue()


@pytest.mark.slow
def test_the_examples_of_the_readme_run_and_print_what_it_shows():
    first, derivation, fast = code_blocks(ROOT / "README.md", "python")
    lines = run(first)[1].splitlines()
    assert lines[0] == "base" and {"[[4.755 1.878]", "l2*m2*(l1*cos(q2) + l2)", "-2*l1*l2*m2*cos(q2)"} <= {*lines}
    assert len([line for line in first.splitlines() if line.strip()]) <= 20
    (report,) = code_blocks(ROOT / "README.md", "text")
    assert run(derivation)[1].startswith(report)
    names, _ = run(fast)
    state = [names[name][-1] for name in ("q", "qd", "tau")]
    np.testing.assert_allclose(names["qdd"][-1], aba(names["arm"], *state), rtol=1e-9)


def test_the_example_of_a_model_file_is_a_model(tmp_path):
    (text,) = code_blocks(ROOT / "data/models/README.md", "toml")
    path = tmp_path / "example.toml"
    path.write_text(text, encoding="utf-8")
    model = load(path)
    assert tomllib.loads(text)["body"][0]["name"] == model.names[1]
    assert model.inertia[1][5, 5] == 1.2


def test_every_model_file_is_in_the_table():
    table = (ROOT / "data/models/README.md").read_text(encoding="utf-8")
    assert all(f"`{path.name}`" in table for path in (ROOT / "data/models").glob("*.toml"))
