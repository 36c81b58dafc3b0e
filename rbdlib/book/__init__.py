"""What the book prints, file by file in its order (RBDA)."""
