"""docs/browser.md says what is true: its versions, its workflow, its commands, and its links where there are any."""

import re
from pathlib import Path

import nbformat
import pytest
import yaml

from tools.book import browser
from tools.lite.cells import LIMITS
from tools.lite.links import VARIABLE, repository
from tools.lite.wheels import pyodide

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/browser.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
ADDRESS = "https://github.com/OWNER/NAME"


def test_its_version_of_pyodide_is_the_one_that_is_fetched():
    named = re.findall(r"(?:Pyodide |pyodide-)(\d+\.\d+\.\d+)", PAGE)
    assert len(named) >= 3 and {*named} == {pyodide()["version"]}
    assert f"Python {pyodide()['python']}" in PAGE


def test_its_workflow_can_be_read_and_makes_what_exists():
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    workflow = yaml.safe_load(text)
    (job,) = workflow["jobs"].values()
    assert VARIABLE in job["env"]
    (made,) = [step["run"] for step in job["steps"] if step.get("run", "").startswith("make ")]
    assert all(f"\n{target}: environment\n" in MAKEFILE for target in made.split()[1:])
    (published,) = [step["with"]["publish_dir"] for step in job["steps"] if "publish_dir" in step.get("with", {})]
    assert any(step.get("run", "").endswith(f" {published}/lite") for step in job["steps"])
    (python,) = [step["with"]["python-version"] for step in job["steps"] if "python-version" in step.get("with", {})]
    assert tuple(map(int, python.split("."))) >= (3, 11)


def test_every_notebook_with_limits_is_in_the_table_and_none_needs_what_the_page_says_none_does():
    table = PAGE.partition("### What does not work there")[2].partition("###")[0]
    assert all(re.search(rf"^\| .*\b{name[:2]}\b", table, re.MULTILINE) for name in LIMITS)
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        code = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
        assert "rbdlib.io" not in code and "rbdlib import io" not in code, path.name


def test_with_an_address_the_page_has_links_and_without_it_says_why_not(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert browser.write(tmp_path) == [] and VARIABLE in browser.BLOCK.search(PAGE)[0]
    monkeypatch.setenv(VARIABLE, ADDRESS)
    (page,) = browser.write(tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "there are no links" not in text
    assert text.count(repository(ADDRESS).colab("")) == len([*(ROOT / "notebooks").glob("*.ipynb")])
    assert text.replace("\n", "").endswith(PAGE.partition("<!-- end of links -->")[2].replace("\n", ""))
    monkeypatch.setenv(VARIABLE, "https://example.org/x")
    with pytest.raises(SystemExit, match=f"in {VARIABLE} or by --repository"):
        browser.write(tmp_path)
    with pytest.raises(ValueError, match="has no place for links"):
        browser.with_links("# A page\n", repository(ADDRESS))
