"""The page "Which convention?": its examples print what they say, and it knows every translation there is."""

import doctest
import re
from pathlib import Path

import pytest

from rbdlib import conventions

PAGE = (Path(__file__).parents[1] / "docs/conventions.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
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
