"""Formulas as trees: what they are made of, and what can be done with them without rearranging them."""
