"""The pages for developers that say how to add something: each is done, word for word, in a copy of the project.

A block whose first line is `# path (new file)` or `# path (at the end)` is written there; a `diff` block, headed
`--- path`, replaces lines that must be found exactly once; a `sh` block is run, and must succeed.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs/developers").glob("add_*.md"))
BLOCK = re.compile(r"^```(python|diff|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEAD = re.compile(r"# (\S+) \((new file|at the end)\)\n+")
COPIED = ("rbdlib", "tests", "data", "tools")
LEFT_OUT = shutil.ignore_patterns("__pycache__")


@pytest.fixture
def project(tmp_path):
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=LEFT_OUT)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "notebooks").mkdir()
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):       # all are there, as in a clone
        (tmp_path / "notebooks" / notebook.name).symlink_to(notebook)
    return tmp_path


def write(block, folder):
    head = HEAD.match(block)
    assert head, f"the first line must say where this belongs: {block.partition(chr(10))[0]}"
    path, added = folder / head[1], block[head.end():]
    assert path.exists() == (head[2] == "at the end"), f"{head[1]}: {head[2]}"
    before = path.read_text(encoding="utf-8") + "\n\n" if path.exists() else ""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(before + added, encoding="utf-8")


def replace(block, folder):
    head, *lines = block.splitlines()
    path = folder / head.removeprefix("--- ")
    old = "".join(line[1:] + "\n" for line in lines if line[0] in " -")
    new = "".join(line[1:] + "\n" for line in lines if line[0] in " +")
    text = path.read_text(encoding="utf-8")
    assert old != new and text.count(old) == 1, f"{head}: these lines stand there {text.count(old)} times\n{old}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def run(block, folder):
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1",
                                "RBDLIB_PROGRESS": str(folder / "progress.json"),
                                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}     # a run starts in half the time
    environment.pop("PYTEST_ADDOPTS", None)
    for command in block.splitlines():
        program, *arguments = shlex.split(command)
        assert program == ".venv/bin/python", command
        cache = ["-p", "no:cacheprovider"] if arguments[:2] == ["-m", "pytest"] else []
        done = subprocess.run([sys.executable, *arguments[:2], *cache, *arguments[2:]],
                              cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=600)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert not cache or re.search(r"\d+ passed", done.stdout), f"{command} ran no test\n{done.stdout}"


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_the_page_says_can_be_done(page, project):
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    assert blocks[-1][0] == "sh", "a page ends with the commands that check what was done"
    for kind, block in blocks:
        {"sh": run, "diff": replace, "python": write}[kind](block, project)
    files = [re.match(r"(?:# |--- )(\S+)", block)[1] for kind, block in blocks if kind != "sh"]
    written = [file for file in files if file.endswith(".py")]
    made = [path.relative_to(project).as_posix() for path in (project / "notebooks").iterdir() if not path.is_symlink()]
    run(f".venv/bin/python -m ruff check --no-cache {' '.join([*written, *made])}", project)


@pytest.mark.slow
def test_a_change_that_does_not_fit_and_a_command_that_fails_or_tests_nothing_are_refused(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\nx = 1\n")
    (tmp_path / "test_a.py").write_text("def test_a():\n    assert False\n")
    for act, block, said in ((replace, "--- a.py\n-x = 2\n+x = 3\n", "times"),
                             (replace, "--- a.py\n-x = 1\n+x = 3\n", "times"),
                             (write, "# a.py (new file)\ny = 2\n", "new file"),
                             (run, ".venv/bin/python -m pytest -q test_a.py", "assert False"),
                             (run, ".venv/bin/python -m pytest -q test_a.py --collect-only", "ran no test")):
        with pytest.raises(AssertionError, match=said):
            act(block, tmp_path)
