"""The types of the public names: rbdlib/__init__.pyi says of every one what the code says, and mypy knows them."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import rbdlib
from rbdlib import Model

ROOT = Path(__file__).resolve().parents[1]
STUB = ast.parse((ROOT / "rbdlib/__init__.pyi").read_text(encoding="utf-8"))
FUNCTIONS = {node.name: node.args for node in STUB.body if isinstance(node, ast.FunctionDef)}
REPEATED = {alias.asname for node in STUB.body if isinstance(node, ast.ImportFrom) for alias in node.names} - {None}


def test_every_public_name_and_method_of_a_model_has_a_type_and_the_default_values_of_the_code():
    assert {*FUNCTIONS, *REPEATED} == set(rbdlib.__all__)
    for name, arguments in FUNCTIONS.items():
        parameters = inspect.signature(getattr(rbdlib, name)).parameters.values()
        assert not arguments.posonlyargs and not arguments.kwonlyargs and not arguments.vararg, name
        named = [argument.arg for argument in arguments.args] + ([arguments.kwarg.arg] if arguments.kwarg else [])
        assert named == [parameter.name for parameter in parameters], name
        defaults = [parameter.default for parameter in parameters if parameter.default is not parameter.empty]
        assert [ast.literal_eval(value) for value in arguments.defaults] == defaults, name
        assert all(argument.annotation for argument in arguments.args), name

    # mypy takes a class that it cannot find for one that allows everything, and says nothing.
    for node in STUB.body:
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(node.module)
            assert all(hasattr(module, alias.name) for alias in node.names), ast.unparse(node)
    for name, method in vars(Model).items():
        if name[0] != "_" or name == "__init__":
            function = getattr(method, "fget", None) or getattr(method, "__func__", method)
            hints = inspect.get_annotations(function)
            assert {*inspect.signature(function).parameters, "return"} - {"self", "cls"} == {*hints}, name


RIGHT = """
H: np.ndarray = crba(arm, [0.0] * 6)
qdd: np.ndarray = aba(arm, np.zeros(6), np.zeros(6), (0,) * 6, {6: [0, 0, 0, 1, 0, 0]})
n: int = arm.N_B + arm.nv + arm.parent[3] + arm.v_slice(2).stop
own = Model([0], [Revolute("z")], [np.eye(6)], [np.eye(6)], gravity=(0, 0, -1.62)).replace(names=["rod"])
q, qd = own.random_state(np.random.default_rng(1))
own.integrate(q, qd, 0.1).round(3)
save(own, Path("rod.toml"))
Revolute([0, 0, 1]), Helical(0.1, [1, 0, 0]), Revolute(np.array([0, 0, 1]))
Sphere(0.1, (0, 0, 1)), Plane(normal=[0, 0, 1])
equations_of_motion(own).H[0, 0]
report = verify(own, "H", "1")
sure: str = report.certainty
first = verify_steps(own, ["T = 1"]).first_wrong
def at(q: npt.ArrayLike, qd: Sequence[float], f_ext: dict[int, list[float]] | None = None) -> np.ndarray:
    return bias_force(arm, q, qd, f_ext)
"""
WRONG = {
    "rnea(arm, [0.0] * 6, [0.0] * 6)": 'Missing positional argument "qdd"',
    "forward_dynamics(arm, [0], [0], [0], methods='crba')": '"methods"', "arm.n_bodies": "n_bodies",
    "crba('puma560', [0])": '"str"; expected "Model"',
    "crba(arm, None)": 'Argument 2 to "crba" has incompatible type "None"',
    "Model([0], ['revolute'], [np.eye(6)], [np.eye(6)])": '"str"; expected "Joint"',
    "arm.random_state(1)": 'expected "Generator"', "arm.kappa('hand')": '"str"; expected "int"',
    "report.right": 'no attribute "right"', "verify(arm, 'H', '1', seed='a')": '"seed"'}


def readme():
    """The examples of the README, each in a function of its own."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return "".join(f"def example_{k}() -> None:\n{textwrap.indent(block, '    ')}\n" for k, block in enumerate(blocks))


def complaints(code, folder):
    path = folder / "program.py"
    path.write_text(code)
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", ROOT / ".mypy_cache/strict", path],
                          cwd=ROOT, capture_output=True, text=True)
    return [line.partition("error: ")[2] for line in done.stdout.splitlines() if "error: " in line]


@pytest.mark.slow
def test_mypy_accepts_what_is_right_and_names_what_is_wrong(tmp_path):
    """As strictly as mypy can, with a cache beside that of `make lint`; in one run, because the first takes seconds."""
    head = ("import numpy as np\nimport numpy.typing as npt\nfrom collections.abc import Sequence\n"
            "from pathlib import Path\nfrom rbdlib import *\nfrom rbdlib.contact.shapes import Plane, Sphere\n"
            "from rbdlib.book.ch04_joints import Helical, Revolute\narm = load('puma560')\n")
    found = complaints("\n".join([head, RIGHT, readme(), *WRONG]) + "\n", tmp_path)
    assert len(found) == len(WRONG), found
    for part, line in zip(WRONG.values(), found, strict=True):
        assert part in line
