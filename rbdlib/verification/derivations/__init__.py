"""Derivations line by line."""
