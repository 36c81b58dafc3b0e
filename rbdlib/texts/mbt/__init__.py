"""Lagrange's equations (MBT)."""
