"""Runs notebooks from top to bottom and saves their outputs in place: what nbval compares afterwards.

    make notebooks                                      every notebook
    make notebooks ARGS=notebooks/01_particle.ipynb     one of them

Each notebook runs in its own folder, without the reader's exercise progress. The times of cells and the random ids of
widgets are left out of the file, so that running twice without a change leaves nothing to commit. Still pictures are
saved with 256 colours, which makes them a third as large.
"""

import base64
import io
import os
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from PIL import Image

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def run(path):
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata["kernelspec"] = KERNEL
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RBDLIB_PROGRESS"] = str(Path(folder) / "progress.json")
        os.environ["TQDM_DISABLE"] = "1"
        client = NotebookClient(
            notebook,
            timeout=300,
            record_timing=False,
            coalesce_streams=True,
            store_widget_state=False,
            resources={"metadata": {"path": str(path.parent)}},
        )
        client.execute()
    return tidy(notebook)


def tidy(notebook):
    """Takes out what differs from run to run: live widgets (a saved page has no kernel) and the Python version."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            data.pop(WIDGET_VIEW, None)
            if "image/png" in data:
                data["image/png"] = smaller(data["image/png"])
    return notebook


def smaller(png):
    """A picture with the 256 colours that suit it best, as text in base 64; a film as it is."""
    image = Image.open(io.BytesIO(base64.b64decode(png)))
    if getattr(image, "n_frames", 1) > 1 or image.mode == "P":
        return png
    buffer = io.BytesIO()
    image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def main(names):
    for path in map(Path, names) if names else sorted(NOTEBOOKS.glob("*.ipynb")):
        start = time.perf_counter()
        notebook = run(path.resolve())
        nbformat.write(notebook, path)
        print(f"{path.name}: run and saved in {time.perf_counter() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
