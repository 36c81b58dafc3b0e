"""Where the package's own data lie: models, exercises, problems, the ledger."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def data_folder(name):
    """The folder of the package's data of this name, such as "models", as a Path: inside rbdlib where it is installed,
    beside it in a checkout."""
    installed = PACKAGE / "data" / name
    return installed if installed.is_dir() else PACKAGE.parent / "data" / name
