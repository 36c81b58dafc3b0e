"""The types of the public names: rbdlib/__init__.pyi says of every one what the code says, and mypy knows them."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import rbdlib

ROOT = Path(__file__).resolve().parents[1]
STUB = ast.parse((ROOT / "rbdlib/__init__.pyi").read_text(encoding="utf-8"))
FUNCTIONS = {node.name: node.args for node in STUB.body if isinstance(node, ast.FunctionDef)}
REPEATED = {alias.asname for node in STUB.body if isinstance(node, ast.ImportFrom) for alias in node.names} - {None}


def test_every_public_name_has_a_type_and_no_other():
    assert {*FUNCTIONS, *REPEATED} == set(rbdlib.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_and_default_values_are_those_of_the_code(name):
    parameters = inspect.signature(getattr(rbdlib, name)).parameters.values()
    arguments = FUNCTIONS[name]
    assert not arguments.posonlyargs and not arguments.kwonlyargs and not arguments.vararg
    named = [argument.arg for argument in arguments.args] + ([arguments.kwarg.arg] if arguments.kwarg else [])
    assert named == [parameter.name for parameter in parameters]
    defaults = [parameter.default for parameter in parameters if parameter.default is not parameter.empty]
    assert [ast.literal_eval(value) for value in arguments.defaults] == defaults
    assert all(argument.annotation for argument in arguments.args)


def complaints(code, folder):
    path = folder / "program.py"
    path.write_text(f"import numpy as np\nimport rbdlib\nfrom rbdlib import *\narm = load('puma560')\n{code}\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", ROOT / ".mypy_cache", "--config-file",
                           ROOT / "pyproject.toml", path], cwd=ROOT, capture_output=True, text=True)
    return [line.partition("error: ")[2] for line in done.stdout.splitlines() if "error: " in line]


def test_mypy_accepts_what_is_right_and_names_what_is_wrong(tmp_path):
    """In one run, because a run costs seconds."""
    right = ("H: np.ndarray = crba(arm, [0.0] * 6)\n"
             "qdd: np.ndarray = aba(arm, np.zeros(6), np.zeros(6), (0,) * 6, {6: [0, 0, 0, 1, 0, 0]})\n"
             "n: int = arm.N_B + arm.nv\n")
    wrong = ("rnea(arm, [0.0] * 6, [0.0] * 6)\n"
             "forward_dynamics(arm, [0], [0], [0], methods='crba')\n"
             "arm.n_bodies\n"
             "crba('puma560', [0])\n")
    found = complaints(right + wrong, tmp_path)
    assert len(found) == 4, found
    for part, line in zip(('Missing positional argument "qdd"', '"methods"', "n_bodies", '"str"; expected "Model"'),
                          found, strict=True):
        assert part in line
