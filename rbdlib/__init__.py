"""rbdlib: rigid-body dynamics as a book that runs."""
