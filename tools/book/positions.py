"""Pictures of the notebooks' figures for other positions of their controls, so that these work in a page of the site.

    python -m tools.book.positions                    every notebook that changed since its pictures were made
    python -m tools.book.positions 09_inverse_dynamics

A page has no Python. Therefore each notebook is run once when the site is made, and where it calls `draw.explore` the
figure is drawn for some positions of the controls: for all combinations of them where these are few, otherwise for
each slider by itself, with the others where they start, for every choice of the other controls. The notebooks run in
the environment of `make lab`.
"""

import hashlib
import io
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from math import prod
from pathlib import Path
from unittest.mock import patch

from tools.book.places import NOTEBOOKS, PICTURES, ROOT, TOLD

#: Pictures of one figure, and positions of a slider: of one that is alone, and at least.
MOST, FINEST, COARSEST = 30, 15, 5
#: Positions of a slider that is moved while the others stand still.
BY_ITSELF = 8
#: Pictures of few colours are small without loss, and letters stay sharp.
COLOURS = 48
WEBP = {"format": "webp", "lossless": True, "quality": 80, "method": 4}


# Which positions


def positions(control, most):
    """Up to `most` values of a control, in order and with its first value among them: all, or spread evenly."""
    if not control.limits:
        return list(control.options)
    low, high, step = control.limits
    steps = int((high - low) / step + 1e-9)
    chosen = sorted({round(k * steps / (most - 1)) for k in range(most)})
    start = round((control.value - low) / step)
    if start not in chosen:
        chosen[min(range(1, most - 1), key=lambda k: abs(chosen[k] - start))] = start
    kind = int if isinstance(control.value, int) else float
    return [control.value if k == start else kind(round(low + k * step, 9)) for k in chosen]


def plan(controls):
    """The values of each control, and the combinations that are drawn, as tuples of positions from 0.

    controls: [`rbdlib.draw.interactive.Control`]
    """
    sliders = sum(bool(control.limits) for control in controls)
    choices = [len(control.options) for control in controls if not control.limits]
    each = FINEST
    while each >= COARSEST and each**sliders * prod(choices) > MOST:
        each -= 1
    together = each >= COARSEST or not sliders
    values = [positions(control, each if together else BY_ITSELF) for control in controls]
    if together:
        return values, list(itertools.product(*(range(len(one)) for one in values)))
    start = tuple(one.index(control.value) for one, control in zip(values, controls, strict=True))
    still = [start[k:k + 1] if control.limits else range(len(values[k])) for k, control in enumerate(controls)]
    alone = {places for k, one in enumerate(values)
             for places in itertools.product(*still[:k], range(len(one)), *still[k + 1:])}
    return values, sorted(alone)


# The pictures


def film(exploration, folder):
    """Draws a figure in all positions into a folder; returns what a page needs to know of them.

    exploration: `rbdlib.draw.interactive.Exploration`
    """
    from PIL import Image

    from rbdlib.draw import interactive

    values, combinations = plan(list(exploration.controls.values()))
    shown = {}
    for combination in combinations:
        here = {name: control._replace(value=one[i]) for (name, control), one, i
                in zip(exploration.controls.items(), values, combination, strict=True)}
        name = "-".join(map(str, combination))
        try:
            picture = interactive.Exploration(exploration.function, here, exploration.alt).picture()
        except Exception as error:
            shown[name] = {"error": f"{type(error).__name__}: {error}"}
            continue
        folder.mkdir(parents=True, exist_ok=True)
        image = Image.open(io.BytesIO(picture.png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        image.convert("RGB").save(folder / f"{name}.webp", **WEBP)
        shown[name] = {"alt": picture.alt}
    controls = [_told(control, one) for control, one in zip(exploration.controls.values(), values, strict=True)]
    return {"said": exploration.said(), "controls": controls, "pictures": shown}


def _told(control, values):
    from rbdlib.draw import interactive

    kind = "slider" if control.limits else "tick" if control.options == (False, True) else "choice"
    said = [interactive.said(value) for value in values]
    return {"kind": kind, "values": said, "start": values.index(control.value)}


def record(path, folder):
    """Runs a notebook and draws its figures into folder/0, folder/1, ...; returns what is known of each.

    Raises RuntimeError if a cell fails.
    """
    from rbdlib.draw import interactive
    from tools.lite.rehearsal import run

    found = []

    def show(exploration):
        found.append(film(exploration, folder / str(len(found))))

    with (open(os.devnull, "w") as nowhere, redirect_stdout(nowhere),
          patch.object(interactive, "in_notebook", lambda: True), patch.object(interactive.Exploration, "show", show)):
        failures = run(path)
    if failures:
        raise RuntimeError(f"{path.name}: cell {failures[0][0]} fails with {failures[0][1]}. Mend the notebook; "
                           f"`make notebooks ARGS=notebooks/{path.name}` shows the same.")
    return found


# All notebooks


def key(path):
    """What the pictures of a notebook depend on, as a checksum: its code, rbdlib, the data, and this module."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    digest = hashlib.sha256("\n".join("".join(cell["source"]) for cell in cells
                                      if cell["cell_type"] == "code").encode())
    files = [Path(__file__), *(file for folder in ("rbdlib", "data") for file in sorted((ROOT / folder).rglob("*"))
                               if file.is_file() and "__pycache__" not in file.parts)]
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def are_there(path):
    """Whether the pictures of a notebook are there, and not older than what they depend on."""
    told = TOLD / f"{path.stem}.json"
    return told.exists() and json.loads(told.read_text(encoding="utf-8"))["key"] == key(path)


def make(path):
    """Makes the pictures of a notebook, unless they are there; returns whether they were made."""
    if are_there(path):
        return False
    told, now = TOLD / f"{path.stem}.json", key(path)
    told.unlink(missing_ok=True)
    folder = PICTURES / path.stem
    shutil.rmtree(folder, ignore_errors=True)
    os.chdir(path.parent)
    figures = record(path, folder)
    TOLD.mkdir(parents=True, exist_ok=True)
    told.write_text(json.dumps({"key": now, "figures": figures}, ensure_ascii=False), encoding="utf-8")
    return True


def make_all(paths):
    """Makes the pictures of several notebooks, each in a process of its own; returns the sentences of failures."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TQDM_DISABLE"), "1")

        def one(path):
            begun = time.perf_counter()
            progress = str(Path(folder) / f"{path.stem}.json")
            done = subprocess.run([sys.executable, "-m", "tools.book.positions", "--one", str(path)], cwd=ROOT,
                                  env=os.environ | limits | {"RBDLIB_PROGRESS": progress}, text=True,
                                  capture_output=True, check=False)
            if "made" in done.stdout:
                print(f"{path.stem}: pictures for its controls made in {time.perf_counter() - begun:.0f} s", flush=True)
            return "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]

        return [said for said in pool.map(one, paths) if said]


def main(arguments):
    if arguments[:1] == ["--one"]:
        print("made" if make(Path(arguments[1])) else "kept")
        return 0
    paths = sorted(NOTEBOOKS.glob("*.ipynb"))
    unknown = {*arguments} - {path.stem for path in paths}
    if unknown:
        sys.exit(f"There is no notebook {', '.join(sorted(unknown))}; there are "
                 f"{', '.join(path.stem for path in paths)}.")
    failures = make_all([path for path in paths if path.stem in arguments or not arguments])
    for said in failures:
        print(said)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
