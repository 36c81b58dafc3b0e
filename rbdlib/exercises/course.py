"""The course in a folder of the reader's: ``python -m rbdlib course FOLDER`` copies it, updates it, and opens it."""

import hashlib
import importlib
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

from rbdlib.io.data import PACKAGE

#: What the course is made of, below the folder of the installed course or of a checkout.
FILES = ("notebooks/*.ipynb", "docs/conventions.md", "docs/lookup.md", "docs/terms.md", "data/errata*.csv")
#: The list of what was copied, with a fingerprint of each file, in the reader's folder.
LIST = ".rbdlib-course.json"


def course_files():
    """{name in the course, such as "notebooks/01_particle.ipynb": Path of the file that comes with rbdlib}.

    Raises FileNotFoundError if this installation has no course.
    """
    origin = PACKAGE / "course" if (PACKAGE / "course").is_dir() else PACKAGE.parent
    found = {path.relative_to(origin).as_posix(): path for pattern in FILES for path in sorted(origin.glob(pattern))}
    if not found:
        raise FileNotFoundError("This installation of rbdlib has no course. Get it with: pip install 'rbdlib[book]'.")
    return found


def copy_course(folder):
    """Copy the course into a folder, or bring a copy up to date; what the reader has changed is never overwritten.

    folder: a path; it is made if it is not there. Of a notebook with the reader's answers the new version, if there is
    one, is put beside it, as ``01_particle_new.ipynb``. Returns (names copied, names kept), two lists.
    Raises OSError if the folder cannot be written.
    """
    folder, copied, kept = Path(folder).expanduser(), [], []
    folder.mkdir(parents=True, exist_ok=True)
    try:
        known = dict(json.loads((folder / LIST).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        known = {}
    for name, origin in course_files().items():
        target, new = folder / name, _fingerprint(origin)
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or _fingerprint(target) in (known.get(name), new):
            if not target.exists() or _fingerprint(target) != new:
                shutil.copyfile(origin, target)
                copied.append(name)
        else:
            kept.append(name)
            if known.get(name) != new:
                shutil.copyfile(origin, target.with_stem(f"{target.stem}_new"))
        known[name] = new
    (folder / LIST).write_text(json.dumps(known, indent=0), encoding="utf-8")
    return copied, kept


def _fingerprint(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def open_course(folder, browse=True):
    """Copy the course into a folder, say what was done, and open JupyterLab there. Returns the exit status.

    browse: False to copy only. The status is 1 if JupyterLab is wanted and not installed, else that of JupyterLab.
    """
    folder = Path(folder).expanduser().resolve()
    copied, kept = copy_course(folder)
    if importlib.util.find_spec("matplotlib"):
        importlib.import_module("matplotlib.font_manager")      # lists the fonts once and says so: not in a notebook
    print(f"The course is in {folder}: {len(copied)} files copied, {len(kept)} that you have changed kept.")
    if not browse:
        return 0
    if importlib.util.find_spec("jupyterlab") is None:
        print("JupyterLab is not installed. Install it with: pip install 'rbdlib[book]'.", file=sys.stderr)
        return 1
    start = folder / "notebooks/00_start_here.ipynb"
    return subprocess.run([sys.executable, "-m", "jupyterlab", "--log-level=WARN", str(start)], cwd=folder).returncode
