"""Random comparisons by the million, and the smallest model that fails: `make fuzz`."""
