"""The checks of the finished site find what is wrong with it, and nothing else."""

import pytest

from tools.book.checks import problems

GOOD = """<html><head><link rel="stylesheet" href="style.css"><link rel="canonical" href="https://example.org/x"></head>
<body><a href="sub/other.html#there">other</a> <a href="https://example.org">elsewhere</a> <a href="#here">here</a>
<a href="lite/lab/index.html?path=01.ipynb">put beside the site later</a>
<p id="here"><img src="a.png" alt="A pendulum"></p></body></html>"""


@pytest.fixture
def site(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/other.html").write_text('<p id="there"><a href="../index.html">back</a></p>')
    for name in ("style.css", "a.png"):
        (tmp_path / name).write_text("")

    def found(page):
        (tmp_path / "index.html").write_text(page)
        return problems(tmp_path)

    return found


@pytest.mark.parametrize(("old", "new", "words"), [
    ("sub/other.html#there", "sub/another.html", "not there"), ("#there", "#nowhere", "without that place"),
    ('"#here"', '"#nowhere"', "without that place"), ('alt="A pendulum"', 'alt=" "', "without an alternative text"),
    ('href="style.css"', 'href="//example.org/style.css"', "from elsewhere"),
    ('src="a.png"', 'src="https://example.org/a.png"', "from elsewhere"), ('src="a.png"', 'src="b.png"', "not there")])
def test_each_kind_of_problem_is_found(site, old, new, words):
    assert old in GOOD
    assert site(GOOD) == []
    (problem,) = site(GOOD.replace(old, new))
    assert problem.startswith("index.html") and words in problem
