"""The command line, and grading of a class's submissions."""
