"""The printed algorithms, file by file in the book's order (RBDA)."""
