import pytest


@pytest.fixture(autouse=True)
def progress_file(tmp_path, monkeypatch):
    """A progress file of its own for every test, so that no test sees or touches the reader's."""
    path = tmp_path / "progress.json"
    monkeypatch.setenv("RBDLIB_PROGRESS", str(path))
    return path
