"""Pages, docstrings and notebooks: their examples run, their links lead somewhere, and their words are spelt right."""

import ast
import doctest
import importlib
import io
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from contextlib import redirect_stdout
from pathlib import Path

import nbformat
import pytest
from PIL import Image

from rbdlib import conventions, load
from tools.index_page import index_page

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "teaching").rglob("*.md")),
         *ROOT.glob("data/*/*.md"), *ROOT.glob("benchmarks/*.md")]
README = ROOT / "README.md"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MODULES = sorted((ROOT / "rbdlib").rglob("*.py"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(<?([^()\s>]+)>?(?:\s+\"[^\"]*\")?\)")
#: Pages that tests further below run, in their own way.
RUN_ELSEWHERE = {"README.md", "docs/conventions.md"}
#: Docstrings that show the form of something, with dots where the reader puts in his own.
FORMS = {"rbdlib/verification/__init__.py"}
#: Files that the examples of docstrings read.
FILES = {"arm.urdf": "tests/io/data/arm_2r.urdf"}
#: Pages of the site that `make book` makes.
MADE = re.compile(r"(ledger|errata|api|teaching|live)/.*|symbols\.md")
CODE = re.compile(r"^(```|~~~).*?^\1[ ]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def name(path):
    return path.relative_to(ROOT).as_posix()


def run(blocks, title, names=None):
    """Runs blocks one after the other, those with >>> as examples whose printed results are compared."""
    names = {} if names is None else names
    for block in blocks:
        if ">>>" in block:
            report = []
            test = doctest.DocTestParser().get_doctest(block, names, title, title, 0)
            failed = doctest.DocTestRunner().run(test, out=report.append, clear_globs=False).failed
            assert not failed, "".join(report)
            names.update(test.globs)
        else:
            exec(compile(block, title, "exec"), names)


def with_examples(path):
    text = path.read_text(encoding="utf-8")
    return name(path) not in RUN_ELSEWHERE and not path.name.startswith("add_") and BLOCK.search(text)


def at_their_lines(markdown):
    """The blocks, each below so many empty lines that an error names the line of the page."""
    return ["\n" * markdown.count("\n", 0, found.start(1)) + found[1] for found in BLOCK.finditer(markdown)]


@pytest.mark.parametrize("path", [*filter(with_examples, PAGES)], ids=name)
def test_the_examples_of_a_page_run(path):
    run(at_their_lines(path.read_text(encoding="utf-8")), name(path))


def test_an_error_in_an_example_names_the_line_of_the_page():
    with pytest.raises(ZeroDivisionError) as error:
        run(at_their_lines("# A page\n\n```python\nx = 0\n1 / x\n```\n"), "page.md")
    assert (str(error.traceback[-1].path), error.traceback[-1].lineno + 1) == ("page.md", 5)


# Docstrings

def docstrings(path):
    """(name, docstring) of a module and of all that is defined in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            yield getattr(node, "name", path.stem), ast.get_docstring(node)


def examples(docstring):
    """The examples: what begins with >>>, or an indented block that begins with an import."""
    found = re.findall(r"^( *>>> .*(?:\n *\S.*)*)", docstring, re.MULTILINE)
    found += re.findall(r"(?:^|\n)\n( +(?:from|import) .*(?:\n(?: +\S.*)?)*)", docstring)
    return [textwrap.dedent(block) + "\n" for block in found]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:arm.urdf")
def test_the_examples_of_docstrings_run(tmp_path, monkeypatch, capsys):
    for file, source in FILES.items():
        shutil.copy(ROOT / source, tmp_path / file)
    monkeypatch.chdir(tmp_path)
    found = [(path, title, [block for block in examples(docstring) if ">>>" in block or name(path) not in FORMS])
             for path in MODULES for title, docstring in docstrings(path)]
    assert any(blocks for _, _, blocks in found)
    for path, title, blocks in found:
        if blocks:
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            run(blocks, f"{name(path)}, {title}", dict(vars(importlib.import_module(module))))


def test_an_example_that_prints_something_else_is_found():
    docstring = "Twice.\n\n>>> 2 * 3\n5\n\nIn words:\n\n    import math\n    assert math.pi < 3\n"
    blocks = examples(docstring)
    assert len(blocks) == 2
    for block in blocks:
        with pytest.raises(AssertionError):
            run([block], "example")


# Links

def links(markdown):
    return [link for link in LINK.findall(CODE.sub("", markdown)) if not re.match(r"[a-z]+:|attachment", link)]


def anchors(markdown):
    """The anchors of a page's headings, as GitHub and the site make them, and those that are set by hand."""
    headings = re.findall(r"^#+ (.*)$", CODE.sub(lambda code: code[0].replace("\n#", "\n"), markdown), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings)
    return {*plain, *re.findall(r"^\((.+)\)=$", markdown, re.MULTILINE)}


def broken(path, markdown):
    """The links of a page that lead nowhere."""
    for link in links(markdown):
        target, _, anchor = link.partition("#")
        file = (path.parent / target).resolve() if target else path
        site = file.relative_to(ROOT / "docs").as_posix() if file.is_relative_to(ROOT / "docs") else ""
        if site.startswith("notebooks/"):
            file = ROOT / site
        if not file.exists() and not MADE.fullmatch(site):
            yield link
        if anchor and file.suffix == ".md" and file.exists() and anchor not in anchors(file.read_text("utf-8")):
            yield link


def markdown_of(notebook):
    cells = nbformat.read(notebook, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def test_links_of_pages_and_notebooks_lead_somewhere():
    texts = [*((path, path.read_text(encoding="utf-8")) for path in PAGES),
             *((path, markdown_of(path)) for path in NOTEBOOKS)]
    assert [f"{name(path)}: {link}" for path, text in texts for link in broken(path, text)] == []


def test_a_link_to_nowhere_is_found():
    page = ROOT / "docs/start.md"
    good = "[a](glossary.md) [b](#on-this-site) [c](ledger/index.md) [d](notebooks/01_particle.ipynb) `[e](no)`"
    assert list(broken(page, good)) == []
    assert list(broken(page, "[a](no.md) [b](#no) [c](notebooks/no.ipynb)")) == ["no.md", "#no", "notebooks/no.ipynb"]


def test_every_notebook_stands_in_the_tables_of_the_course():
    readme = README.read_text(encoding="utf-8")
    for page, text, own in (("README.md", readme, ""), ("00_start_here", markdown_of(NOTEBOOKS[0]), NOTEBOOKS[0].name)):
        missing = {path.name for path in NOTEBOOKS} - {link.rpartition("/")[2] for link in links(text)} - {own}
        assert not missing, f"{page} has a table of the notebooks; add a line for {', '.join(sorted(missing))}"


# Commands

def test_make_help_explains_every_target_and_pages_name_no_other():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {target for line in re.findall(r"^([a-z][\w -]*):", makefile, re.MULTILINE) for target in line.split()}
    assert {*re.findall(r"@echo 'make ([\w-]+) ", makefile)} == targets - {"help", "environment"}
    named = [(name(path), found) for path in PAGES for found in
             re.findall(r"(?:^ *|`)make ([a-z-]+)\b(?=[`\s]*(?:ARGS|#|$|`))", path.read_text("utf-8"), re.MULTILINE)]
    assert len(named) > 20 and [pair for pair in named if pair[1] not in targets] == []


# Spelling

def misspelt(*files):
    done = subprocess.run([sys.executable, "-m", "codespell_lib", *files], cwd=ROOT, capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_the_words_of_the_notebooks_are_spelt_right_and_a_misspelt_word_is_found(tmp_path):
    """Those of pages and docstrings are looked at by `make lint`."""
    files = [tmp_path / f"{path.stem}.md" for path in NOTEBOOKS]
    for path, file in zip(NOTEBOOKS, files, strict=True):
        file.write_text(markdown_of(path), encoding="utf-8")
    (tmp_path / "wrong.md").write_text("The inertia is recieved in body coordinates.\n")
    (found,) = misspelt(*files, tmp_path / "wrong.md")
    assert "recieved" in found


def code_blocks(path, language):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def left_and_printed(code):
    """The names that a block of the README leaves behind, and what it prints."""
    names = {}
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "README.md", "exec"), names)
    return names, printed.getvalue()


def where_things_stand(text):
    """Without the numbers of lines and cells, which every change of a file moves."""
    return re.sub(r"(\.py:|cell )\d+", r"\1", text)


@pytest.mark.slow
def test_the_examples_of_the_readme_run_and_print_what_it_shows():
    text = README.read_text(encoding="utf-8")
    assert text.count("\n") <= 225
    *examples, derivation = code_blocks(README, "python")
    for code, shown in zip(examples, code_blocks(README, "text"), strict=True):
        assert where_things_stand(left_and_printed(code)[1]).rstrip() == where_things_stand(shown).rstrip()
        assert len([line for line in code.splitlines() if line and not re.match("import|from", line)]) <= 6
    report = left_and_printed(derivation)[1]
    for words in ("Equation 1 holds", "In equation 2: the trouble is in the centrifugal terms", "has the wrong sign"):
        assert words in report


def test_the_film_of_the_front_page_is_light_moves_and_says_what_it_shows():
    (alt,) = re.findall(r"!\[([^]]*)\]\(docs/aba\.png\)", README.read_text(encoding="utf-8"))
    with Image.open(ROOT / "docs/aba.png") as film:
        assert film.n_frames > 50 and film.mode == "P"
    assert (ROOT / "docs/aba.png").stat().st_size <= 600_000
    assert "; an animation of" in " ".join(alt.split()), "by these words docs/_static/book.js finds films to stop"


@pytest.mark.parametrize("address", ["", "https://github.com/OWNER/NAME"])
def test_the_page_of_the_index_leads_to_the_repository_and_without_an_address_nowhere_wrong(address):
    readme = README.read_text(encoding="utf-8")
    page = index_page(readme, address)
    assert not links(page.replace("](#", "](x:"))
    assert re.findall(r"\]\(#.*?\)", page) == re.findall(r"\]\(#.*?\)", readme)
    if address:
        assert links(readme) and page.count(f"]({address}/") == len([x for x in links(readme) if x[0] != "#"])
        assert f"]({address}/raw/HEAD/docs/aba.png)" in page and f"[CHANGELOG.md]({address}/blob/HEAD/CHANGELOG" in page
    else:
        assert "![" not in page and "CHANGELOG.md what is new" in page and "source archive" in page.split("\n\n")[1]


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


PAGE = (Path(__file__).parents[1] / "docs/conventions.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)
#: The sections without an example: defaults, and advice.
WITHOUT = ("Units and defaults", "When two programs disagree")


def title(section):
    return section.partition("\n")[0]


@pytest.mark.parametrize("section", SECTIONS[1:], ids=title)
def test_the_examples_of_a_section_print_what_the_page_shows(section):
    """After the definitions at the head of the page, but for no other section."""
    names, parser = {}, doctest.DocTestParser()
    blocks = BLOCK.findall(SECTIONS[0]) + BLOCK.findall(section)
    assert len(blocks) == (1 if title(section) in WITHOUT else 2)
    for block in blocks:
        report = []
        test = parser.get_doctest(block, names, title(section), "docs/conventions.md", 0)
        results = doctest.DocTestRunner().run(test, out=report.append, clear_globs=False)
        names.update(test.globs)
        assert results.attempted > 0
        assert results.failed == 0, "".join(report)


def test_every_section_says_why_and_has_a_table():
    for section in SECTIONS[1:]:
        assert title(section) in WITHOUT or "Why it matters: " in section, title(section)
        assert title(section) == WITHOUT[1] or "|---|" in section, title(section)


def test_every_name_of_the_page_exists_and_every_translation_is_on_it():
    """A pair x_to_name and x_from_name is on the page when one of them is."""
    mentioned = set(re.findall(r"`(?:conventions\.)?(\w+)`|conventions\.(\w+)", PAGE))
    mentioned = {name for pair in mentioned for name in pair if name}
    translations = {name for name in conventions.__all__ if re.search(r"_(to|from)_|_to$|_from$", name)}
    looks_like_one = {name for name in mentioned if re.search(r"^[a-z_]+_(to|from)_[a-zA-Z_]+$", name)}
    assert looks_like_one <= set(conventions.__all__)
    missing = {name for name in translations
               if not {name, name.replace("_from", "_to"), name.replace("_to", "_from")} & mentioned}
    assert not missing


def test_every_text_and_program_is_in_several_tables():
    for name in (*"RBDA FDSV MRN MBT SOA Pinocchio MuJoCo Drake RBDL ROS URDF".split(), "Modern Robotics"):
        tables = sum(any(name in line for line in section.splitlines() if line.startswith("|")) for section in SECTIONS)
        assert tables >= 3, name
