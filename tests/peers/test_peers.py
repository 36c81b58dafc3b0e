"""Says whether this run compares rbdlib with other programs."""

import pytest

from tests.peers.conftest import INSTALLED


def test_other_programs_are_here_to_compare_with():
    if not INSTALLED:
        pytest.skip("Pinocchio and MuJoCo are not installed; `make test-peers` compares with them")
