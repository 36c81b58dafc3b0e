"""Small faults put into rbdlib one at a time, to see whether the tests notice: `make mutants`."""
