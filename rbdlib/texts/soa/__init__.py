"""Spatial operators (SOA)."""
