"""Makes the site of the book: `python -m tools.book`, which is what `make book` runs."""
