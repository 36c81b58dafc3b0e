"""The values of symbols in a state, through definitions and aliases."""

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.definitions import Definition
from rbdlib.verification.trees.expression import evaluate, symbols


def context():
    """The mpmath context in which everything is computed."""
    import mpmath

    return mpmath.mp


class Lookup:
    """The values of symbols in one state, each found once."""

    def __init__(self, vocabulary, state, used, extra):
        self.vocabulary, self.state, self.used, self.extra, self.known = vocabulary, state, used, extra, {}

    def value(self, symbol, by="answer", active=(), literal=True):
        """by, active, literal: where the symbol stands; see `Vocabulary._meaning`."""
        place = symbol, by, active, literal
        if place not in self.known:
            self.known[place] = self._find(symbol, by, active, literal)
        return self.known[place]

    def _find(self, symbol, by, active, literal):
        if symbol.name in self.extra and not symbol.dots and symbol.name not in self.vocabulary.names.own:
            return self.extra[symbol.name]
        meaning, dots = self.vocabulary._meaning(symbol, self.used, by, active, literal)
        if not isinstance(meaning, Definition):
            return self.vocabulary.own_value(meaning, dots, self.state)
        tree, inner = meaning.tree, (*active, compact(meaning.name))
        if dots and meaning.by == "given" and self.vocabulary.names.shifted:
            tree = self.vocabulary.names.with_velocities(tree)
        for _ in range(dots):
            tree = self.vocabulary.rate(tree)
        known = {s: self.value(s, meaning.by, inner, not dots) for s in symbols(tree)}
        return evaluate(tree, known, context())
