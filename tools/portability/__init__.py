"""The tests on other processors and with other versions of what rbdlib stands on: `make test-portable`."""
