"""Closed loops beyond the tables of RBDA chapter 8: closing, projection, coordinates, mobility."""
