"""Scripts of others that the pages need, fetched when the book is made, so that nothing is fetched when it is read."""

import re
import shutil
import subprocess

from tools.book.places import EXTRA, NPM

MATHJAX = "mathjax@3.2.2"
#: What a page with formulas asks for (docs/conf.py), and what rarer commands in them ask for besides. MathJax's menu is
#: a quarter of it and makes a stop for the keyboard of each formula: it is left out. Screen readers have the MathML.
MATHJAX_PARTS = ("startup.js", "core.js", "input/tex.js", "input/tex/extensions", "output/svg.js",
                 "output/svg/fonts/tex.js", "a11y/assistive-mml.js")
#: Alphabets that the book's formulas do not use, by their places in Unicode: script, double-struck and bold Fraktur,
#: bold and slanted sans serif with Greek. MathJax would show such a letter in a font of the reader's.
UNUSED = (0x1D49C, 0x1D503), (0x1D538, 0x1D59F), (0x1D5D4, 0x1D66F), (0x1D756, 0x1D7C9), (0x1D7EC, 0x1D7F5)
GLYPH = re.compile(r',(\d{6}):"[^"]*"')


def package(name):
    """The folder of an npm package, installed into build/ if it is not there; name: as in "mathjax@3.2.2"."""
    folder = NPM / "node_modules" / name.rpartition("@")[0]
    stamp = NPM / f"{name.replace('/', '_')}.installed"
    if not (folder.exists() and stamp.exists()):
        NPM.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--prefix", str(NPM)]
        installed = [file.name.removesuffix(".installed") for file in NPM.glob("*.installed")]
        try:
            subprocess.run([*command, *installed, name], check=True, stdout=subprocess.DEVNULL)
        except FileNotFoundError:
            raise SystemExit("make book needs npm, which fetches MathJax: install Node.js 18 or newer "
                             "(on Debian or Ubuntu: sudo apt install npm).") from None
        except subprocess.CalledProcessError as error:
            raise SystemExit(f"npm could not install {name} (exit status {error.returncode}); the lines above say why. "
                             "The usual cause is no network.") from None
        stamp.touch()
    return folder


def write_mathjax():
    """Copies MathJax to the site."""
    target = EXTRA / "_static/mathjax"
    stamp, parts = target / "version.txt", f"{MATHJAX} {MATHJAX_PARTS} {UNUSED}"
    if stamp.exists() and stamp.read_text() == parts:
        return
    origin = package(MATHJAX)
    shutil.rmtree(target, ignore_errors=True)
    for part in MATHJAX_PARTS:
        path = target / part
        path.parent.mkdir(parents=True, exist_ok=True)
        if (origin / "es5" / part).is_dir():
            shutil.copytree(origin / "es5" / part, path, dirs_exist_ok=True)
        else:
            shutil.copy(origin / "es5" / part, path)
    font = target / "output/svg/fonts/tex.js"
    used = GLYPH.sub(lambda glyph: "" if is_unused(int(glyph[1])) else glyph[0], font.read_text(encoding="utf-8"))
    font.write_text(used, encoding="utf-8")
    shutil.copy(origin / "LICENSE", target / "LICENSE")
    stamp.write_text(parts)


def is_unused(letter):
    return any(first <= letter <= last for first, last in UNUSED)
