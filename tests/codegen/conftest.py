"""What the tests of generated code share."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def cache_of_its_own(tmp_path_factory):
    """Compiled functions are kept in a folder of this run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RBDLIB_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
