"""What `pip install .` gives somebody who has no checkout."""

import json
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

from rbdlib.exercises.course import course_files, open_course
from rbdlib.exercises.doctor import PARTS, doctor

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


@pytest.mark.slow
def test_the_wheel_holds_the_package_its_models_and_nothing_else(wheel):
    names = set(ZipFile(wheel).namelist())
    foreign = {name for name in names if not name.startswith("rbdlib/") and ".dist-info/" not in name}
    assert foreign == set()
    assert {f"rbdlib/data/models/{model}.toml" for model in MODELS} <= names
    assert {f"rbdlib/data/ledger/{path.name}" for path in (ROOT / "data/ledger").glob("*.csv")} <= names
    for folder in ("problems", "exercises"):
        files = (ROOT / "data" / folder).rglob("*.toml")
        assert {f"rbdlib/{path.relative_to(ROOT).as_posix()}" for path in files} <= names
    parts = {path.relative_to(ROOT).as_posix() for path in (ROOT / "rbdlib").rglob("*")
               if path.is_file() and path.suffix != ".pyc"}
    assert {f"rbdlib/course/{name}" for name in course_files()} == {
        name for name in names if name.startswith("rbdlib/course/")}, "the course, which the checkout has elsewhere"
    assert wheel.stat().st_size < 22e6
    assert {"rbdlib/py.typed", "rbdlib/__init__.pyi", "rbdlib/draw/assets/three.js.gz"} <= parts <= names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


ASKED = f"""
import json, rbdlib
early = [name for name in {NOT_NEEDED_AT_IMPORT!r} if name in sys.modules]
bodies = [rbdlib.load(name).N_B for name in {MODELS!r}]
from rbdlib.draw import scene
from rbdlib.verification.coursework.problems import problem_folder
print(json.dumps([early, rbdlib.__file__, bodies, str(problem_folder()), len(scene(rbdlib.load('arm_2r')).html())]))
"""


@pytest.mark.slow
def test_the_installed_package_needs_numpy_alone_loads_every_model_has_its_problems_and_draws(wheel, tmp_path):
    """In an empty folder, where neither the checkout nor its .pth file is seen. `-I` ignores the working directory and
    PYTHONPATH; `-S` reads no .pth file, so the packages' folder is named here."""
    target = tmp_path / "installed"
    run(*PIP, "install", "--no-compile", "--no-deps", "--no-index", "--target", target, wheel)
    folders = [str(target), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    code = f"import sys; sys.path[:0] = {folders!r}\n{ASKED}"
    early, file, bodies, problems, drawn = json.loads(run(sys.executable, "-I", "-S", "-c", code, cwd=tmp_path))
    assert early == []
    assert Path(file).is_relative_to(target) and Path(problems).is_relative_to(target)
    assert bodies[MODELS.index("particle")] == 2 and min(bodies) > 0
    assert [*Path(problems).glob("*.toml")] and drawn > 100_000


def test_the_course_is_copied_and_updated_and_what_a_reader_has_changed_is_kept(tmp_path, monkeypatch, capsys):
    origin, folder = tmp_path / "rbdlib", tmp_path / "my course ü"
    for name in ("course/notebooks/01_one.ipynb", "course/notebooks/02_two.ipynb", "course/docs/terms.md"):
        (origin / name).parent.mkdir(parents=True, exist_ok=True)
        (origin / name).write_text("old")
    monkeypatch.setattr("rbdlib.exercises.course.PACKAGE", origin)
    notebooks = folder / "notebooks"
    assert open_course(folder, browse=False) == 0 and (folder / "docs/terms.md").read_text() == "old"
    (notebooks / "01_one.ipynb").write_text("answers")
    assert open_course(folder, browse=False) == 0 and not (notebooks / "01_one_new.ipynb").exists()
    for path in origin.glob("course/notebooks/*"):
        path.write_text("new")
    assert open_course(folder, browse=False) == 0
    kept = [(notebooks / f"{name}.ipynb").read_text() for name in ("01_one", "01_one_new", "02_two")]
    assert kept == ["answers", "new", "new"]
    assert [line.partition(": ")[2] for line in capsys.readouterr().out.splitlines()] == [
        f"{copied} files copied, {mine} that you have changed kept." for copied, mine in ((3, 0), (0, 1), (1, 1))]


def test_the_doctor_names_what_is_missing_and_how_to_get_it(monkeypatch, capsys):
    assert doctor() == 0 and "missing" not in capsys.readouterr().out
    monkeypatch.setattr("rbdlib.exercises.doctor.PARTS", (*PARTS, ("no_such_package", "rbdlib[x]", "nothing")))
    assert doctor() == 0 and "missing no_such_package: nothing. Install it with: pip install 'rbdlib[x]'" in (
        capsys.readouterr().out)
    monkeypatch.setattr("rbdlib.exercises.doctor.PARTS", (("no_such_package", "rbdlib", "everything"),))
    assert doctor() == 1


def test_the_version_is_said_once():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text()
