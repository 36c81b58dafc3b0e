"""Scalars of every kind, and the checks of arguments."""
