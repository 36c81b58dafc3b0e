"""What is right: random states of a mechanism, and the quantities that can be asked for, from rbdlib's algorithms."""
