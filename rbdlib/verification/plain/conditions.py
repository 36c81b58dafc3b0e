"""Conditions of a question on the numbers that its symbols stand for: "n whole; 0 < m, l; b < a"."""

import itertools

#: Symbols that stand for whole numbers get these: large enough for 2 n and n² to differ, small enough for 2 to the n.
WHOLE = range(3, 11)


class Conditions:
    """Conditions on the values of symbols, read from a text.

    They are separated by semicolons. "n, d whole": both count something. "0 < r < R, l < 2": chains with < alone, where
    each number or symbol must be smaller than those after the next <.

    whole, positive: sets of names.  names: all names.  Raises ValueError for a text that cannot be read.
    """

    def __init__(self, text=""):
        parts = [part.strip() for part in text.split(";") if part.strip()]
        self.whole = {name for part in parts if part.endswith(" whole") for name in _terms(part, part[:-6])}
        chains = [[_terms(part, side) for side in part.split("<")] for part in parts if not part.endswith(" whole")]
        self.pairs = [pair for chain in chains for left, right in itertools.pairwise(chain)
                      for pair in itertools.product(left, right)]
        self.positive = self.whole | {name for chain in chains if chain[0] == [0.0] for name in sum(chain[1:], [])}
        self.names = {term for term in {*self.whole, *itertools.chain(*self.pairs)} if isinstance(term, str)}
        self.positive &= self.names

    def hold(self, values):
        """True if values, {name: number}, agree with all inequalities."""
        return all(values.get(x, x) < values.get(y, y) for x, y in self.pairs)


def _terms(part, text):
    """The names and numbers between commas, a list of text and floats."""
    try:
        terms = [term if term.isidentifier() else float(term) for term in map(str.strip, text.split(","))]
    except ValueError:
        terms = []
    if not terms or part == text:
        raise ValueError(f'The condition "{part}" cannot be read. Write it like "n whole" or "0 < b < a".')
    return terms
