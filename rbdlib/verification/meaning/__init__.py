"""The meaning of the symbols of an answer: aliases, what is given, definitions on the way, units."""
