"""Accuracy and cost: rounding, sensitivity, complexity, counts of operations."""
