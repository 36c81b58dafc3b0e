"""Where the things of the texts stand: the rows of the ledger, the code, the tests and the notebooks, joined by ids."""
