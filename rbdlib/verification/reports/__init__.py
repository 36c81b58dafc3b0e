"""Reports: sentences, tables, JSON, and a box whose report follows what is typed."""
