"""The right values: random states of a mechanism, and quantities that can be asked for, from rbdlib's algorithms."""
