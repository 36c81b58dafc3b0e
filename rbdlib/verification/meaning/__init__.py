"""What the symbols of an answer stand for: aliases, what is given, definitions on the way, units."""
