"""What `pip install .` gives somebody who has no checkout."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

import rbdlib
from rbdlib.__main__ import add_commands, main
from rbdlib.exercises.course import course_files, open_course
from rbdlib.exercises.doctor import PARTS, doctor

ROOT = Path(__file__).resolve().parents[1]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
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
    assert wheel.stat().st_size < 18e6
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
    assert main(["course", str(folder), "--no-browser"], more=add_commands) == 0
    kept = [(notebooks / f"{name}.ipynb").read_text() for name in ("01_one", "01_one_new", "02_two")]
    assert kept == ["answers", "new", "new"]
    assert [line.partition(": ")[2] for line in capsys.readouterr().out.splitlines()] == [
        f"{copied} files copied, {mine} that you have changed kept." for copied, mine in ((3, 0), (0, 1), (1, 1))]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("subprocess.run", None)
    with pytest.raises(FileNotFoundError, match="has no course"), monkeypatch.context() as elsewhere:
        elsewhere.setattr("rbdlib.exercises.course.PACKAGE", tmp_path / "nowhere/rbdlib")
        course_files()
    assert open_course(folder) == 1 and "pip install 'rbdlib[book]'" in capsys.readouterr().err


def test_the_doctor_names_what_is_missing_and_how_to_get_it(monkeypatch, capsys):
    assert main(["doctor"], more=add_commands) == 0 and "missing" not in (said := capsys.readouterr().out)
    assert sys.executable in said
    monkeypatch.setattr("rbdlib.exercises.doctor.PARTS", (*PARTS, ("no_such_package", "rbdlib[x]", "nothing")))
    assert doctor() == 0 and "missing no_such_package: nothing. Install it with: pip install 'rbdlib[x]'" in (
        capsys.readouterr().out)
    monkeypatch.setattr("rbdlib.exercises.doctor.PARTS", (("no_such_package", "rbdlib", "everything"),))
    assert doctor() == 1


def test_the_package_names_what_it_fetches_later_and_no_more():
    assert {*rbdlib.__all__} <= {*dir(rbdlib)} and dir(rbdlib) == sorted(dir(rbdlib))
    with pytest.raises(AttributeError, match="module 'rbdlib' has no attribute 'simulated'"):
        assert rbdlib.simulated


@pytest.mark.long
def test_two_notebooks_run_from_the_wheel_in_an_empty_environment_in_a_folder_with_a_space(wheel, tmp_path):
    """As a reader gets it: there is no checkout, and nothing that the wheel does not ask for."""
    home = tmp_path / "Ana Müller"
    run(sys.executable, "-m", "venv", home / "env", cwd=tmp_path)
    python = home / "env" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    there = subprocess.run([python, *PIP[1:], "install", "numpy"], capture_output=True, text=True)
    if there.returncode:
        pytest.skip(f"pip finds no packages here: {there.stderr.strip().splitlines()[-1]}")
    run(python, *PIP[1:], "install", f"{wheel}[book]", cwd=home)
    assert "missing lxml" in run(python, "-m", "rbdlib", "doctor", cwd=home)
    run(python, "-m", "rbdlib", "course", "my course", "--no-browser", cwd=home)
    chosen = ["notebooks/01_particle.ipynb", "notebooks/09_inverse_dynamics.ipynb"]
    run(python, "-m", "pytest", "-q", "--nbval", "--nbval-current-env", *chosen, cwd=home / "my course")


#: As on Windows: no fork, no compiler, lines that end in CRLF, and no encoding left to the system.
AS_ON_WINDOWS = """
import multiprocessing, os, sys, warnings
from pathlib import Path
warnings.filterwarnings("error", category=EncodingWarning, module="rbdlib")
for name in ("fork", "getuid", "killpg"):
    vars(os).pop(name, None)
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    import rbdlib
    from rbdlib.__main__ import add_commands, main
    from rbdlib.compile.c_compiler import find_compiler
    from rbdlib.motion.ensemble import ensemble
    assert find_compiler() is None
    lines = (Path(sys.argv[1]) / "data/models/arm_2r.toml").read_bytes().splitlines()
    Path("Modell ü.toml").write_bytes(b"\\r\\n".join(lines))
    model = rbdlib.load("Modell ü.toml")
    rbdlib.save(model, "noch einmal.toml")
    assert (rbdlib.crba(rbdlib.load("noch einmal.toml"), [1, 2]) == rbdlib.crba(rbdlib.load("arm_2r"), [1, 2])).all()
    runs = ensemble(model, [([angle, 0], [0, 0]) for angle in (0.1, 0.2)], (0, 0.1), method="rk4", dt=0.02, folder="ü")
    Path("Antwort ü.txt").write_bytes(b"[m1 + m2,\\r\\n m2*l1]\\r\\n")
    verify = ["verify", "--model", "Modell ü.toml", "--quantity", "g", "Antwort ü.txt"]
    commands = ["doctor"], ["course", "mein Kurs", "--no-browser"], ["where", "Table 7.1"], verify
    assert len(runs) == 2 and [main(command, more=add_commands) for command in commands] == [0, 0, 0, 1]
"""


@pytest.mark.slow
def test_a_days_work_as_on_windows(tmp_path):
    """In a folder with a space and a letter that is not English in its name, on a terminal of few letters."""
    home = tmp_path / "Übung 1 (neu)"
    home.mkdir()
    (home / "day.py").write_text(AS_ON_WINDOWS, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if name in ("SYSTEMROOT", "OPENBLAS_NUM_THREADS")}
    own = dict.fromkeys(("HOME", "USERPROFILE", "RBDLIB_CACHE"), str(home)) | {"PATH": "", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-X", "warn_default_encoding", "day.py", ROOT], cwd=home,
                          capture_output=True, env=kept | own | {"PYTHONIOENCODING": "cp1252", "LC_ALL": "C.UTF-8"})
    assert done.returncode == 0, done.stderr.decode("cp1252", "replace")


def test_the_version_is_said_once_and_the_changelog_goes_by_releases():
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == f"Unreleased ({PROJECT['version']})" or headings[0].startswith(f"{PROJECT['version']} (")
    assert [name for name in headings[1:] if not re.fullmatch(r"\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)", name)] == []


def test_the_records_for_archives_say_what_their_schemas_ask_for_and_the_same():
    """The Citation File Format 1.2.0, which the release workflow checks in full, and the fields that Zenodo lists."""
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    zenodo = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert cff["cff-version"] == "1.2.0" and str(cff["version"]) == PROJECT["version"] and cff["message"]
    assert zenodo.keys() <= {"title", "upload_type", "description", "creators", "license", "access_right", "keywords",
                             "version", "related_identifiers", "references", "language", "notes", "communities"}
    assert zenodo["upload_type"] == cff["type"] == "software" and zenodo["access_right"] == "open"
    assert (zenodo["title"], zenodo["description"]) == (cff["title"], " ".join(cff["abstract"].split()))
    assert zenodo["license"] == cff["license"] == PROJECT["license"]
    assert zenodo["creators"] == cff["authors"] == PROJECT["authors"]


def test_the_paper_is_short_has_the_sections_that_the_journal_asks_for_and_cites_what_it_lists():
    _, head, text = (ROOT / "docs/paper/paper.md").read_text(encoding="utf-8").split("---\n", 2)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} == yaml.safe_load(head).keys()
    sections = re.findall(r"^# (.*)$", text, re.MULTILINE)
    assert {"Summary", "Statement of need", "Learning objectives and content", "Instructional design",
            "Experience of use", "Acknowledgements", "References"} <= {*sections} and 700 < len(text.split()) <= 1000
    listed = re.findall(r"^@\w+\{([^,]+),", (ROOT / "docs/paper/paper.bib").read_text(encoding="utf-8"), re.MULTILINE)
    assert {*re.findall(r"@([A-Za-z]\w+)", text)} == {*listed}
    assert all((ROOT / "docs/paper" / picture).is_file() for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text))
