"""Where the book is made, and from what."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
NOTEBOOKS = ROOT / "notebooks"
BUILD = ROOT / "build" / "book"
#: What Sphinx reads: a copy of docs/ and of the notebooks, with the generated pages.
SOURCE = BUILD / "source"
#: Files that go to the site as they are.
EXTRA = BUILD / "extra"
#: What is known of the pictures for the controls of notebooks, and the pictures.
TOLD = BUILD / "positions"
PICTURES = EXTRA / "positions"
HTML = BUILD / "html"
#: The folder of the site that holds the one of JupyterLite: whoever publishes both puts it there.
LITE = "lite/"
#: Its time is that of the sources from which a site without problems was made last.
MADE = BUILD / "made"
NPM = BUILD / "npm"


def write_if_changed(path, content):
    """Writes text or bytes; a file that has this content already keeps its time, so that Sphinx does not read it."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != data:
        path.write_bytes(data)
    return path


def remove_others(folder, keep):
    """Removes the files below folder that are not in keep: leftovers of an earlier run."""
    keep = set(keep)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and path not in keep:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
