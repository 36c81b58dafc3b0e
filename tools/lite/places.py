"""Where the browser's site is made, and from what."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
#: What JupyterLite reads: copies of the notebooks, wheels, settings.
SOURCE = ROOT / "build" / "lite-source"
#: The site.
SITE = ROOT / "build" / "lite"
