"""From text, LaTeX, SymPy and lists to trees: a grammar, never an evaluation."""
