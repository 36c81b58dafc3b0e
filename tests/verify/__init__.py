"""Tests of verification; their larger tables stand in tables.toml."""

import tomllib
from pathlib import Path

TABLES = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))
