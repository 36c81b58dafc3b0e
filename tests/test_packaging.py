"""What `pip install .` gives somebody who has no checkout."""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[1]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
MODELS = sorted(path.stem for path in (ROOT / "data/models").glob("*.toml"))
NOT_NEEDED_AT_IMPORT = ("scipy", "sympy", "mpmath", "matplotlib", "ipywidgets", "IPython", "tomli_w", "tqdm")


def run(*command, cwd=ROOT):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built without a network: hatchling is already in the environment."""
    folder = tmp_path_factory.mktemp("wheel")
    run(*PIP, "wheel", ".", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder)
    (built,) = folder.glob("rbdlib-*.whl")
    return built


@pytest.fixture(scope="module")
def run_installed(wheel, tmp_path_factory):
    """Runs code on the installed wheel, from an empty folder, where neither the checkout nor its .pth file is seen.

    `-I` ignores the working directory and PYTHONPATH; `-S` reads no .pth file, so the packages' folder is named here.
    """
    target = tmp_path_factory.mktemp("installed")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    run(*PIP, "install", "--no-deps", "--no-index", "--target", target, wheel)
    folders = [str(target), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    prelude = f"import sys; sys.path[:0] = {folders!r}\n"

    def run_code(code):
        return json.loads(run(sys.executable, "-I", "-S", "-c", prelude + code, cwd=elsewhere))

    run_code.target = target
    return run_code


def test_the_wheel_holds_the_package_its_models_and_nothing_else(wheel):
    names = set(ZipFile(wheel).namelist())
    foreign = {name for name in names if not name.startswith("rbdlib/") and ".dist-info/" not in name}
    assert foreign == set()
    assert {f"rbdlib/data/models/{model}.toml" for model in MODELS} <= names
    assert {f"rbdlib/data/problems/{path.name}" for path in (ROOT / "data/problems").glob("*.toml")} <= names
    parts = {path.relative_to(ROOT).as_posix() for path in (ROOT / "rbdlib").rglob("*")
               if path.is_file() and path.suffix != ".pyc"}
    assert {"rbdlib/py.typed", "rbdlib/__init__.pyi", "rbdlib/draw/assets/three.js.gz"} <= parts <= names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_installed_package_loads_the_particle(run_installed):
    answer = run_installed(
        "import json, rbdlib\n"
        "model = rbdlib.load('particle')\n"
        "print(json.dumps([rbdlib.__file__, model.N_B]))\n"
    )
    assert Path(answer[0]).is_relative_to(run_installed.target)
    assert answer[1] == 2


def test_the_installed_package_loads_every_model(run_installed):
    assert MODELS
    loaded = run_installed(f"import json, rbdlib\nprint(json.dumps([rbdlib.load(n).N_B for n in {MODELS!r}]))\n")
    assert all(bodies > 0 for bodies in loaded)


def test_the_installed_package_has_its_problems_and_draws_a_scene(run_installed):
    folder, scene = run_installed(
        "import json, rbdlib\n"
        "from rbdlib.draw import scene\n"
        "from rbdlib.verification.coursework.problems import problem_folder\n"
        "arm = rbdlib.load('arm_2r')\n"
        "print(json.dumps([str(problem_folder()), len(scene(arm).html())]))\n"
    )
    assert Path(folder).is_relative_to(run_installed.target) and [*Path(folder).glob("*.toml")]
    assert scene > 100_000


def test_importing_rbdlib_needs_numpy_alone(run_installed):
    loaded = run_installed(
        "import json, rbdlib\n"
        f"print(json.dumps([name for name in {NOT_NEEDED_AT_IMPORT!r} if name in sys.modules]))\n"
    )
    assert loaded == []


def test_the_version_is_said_once():
    tomllib = pytest.importorskip("tomllib")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text()
