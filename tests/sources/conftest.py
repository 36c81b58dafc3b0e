"""The ledger, and the systems on which its rows of SOA are tested; a file with fixtures of these names has its own."""

import pytest

from tests.sources import ledger
from tests.sources.soa_systems import SERIAL, SYSTEMS, named_system


@pytest.fixture(scope="session")
def rows():
    return ledger.read_ledger()


@pytest.fixture(params=SERIAL)
def system(request):
    return named_system(request.param)


@pytest.fixture(params=SYSTEMS)
def any_system(request):
    return named_system(request.param)
