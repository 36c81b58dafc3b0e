"""The formulas of an answer, with the learner's own names put in."""

import functools
from dataclasses import replace
from typing import Any

import numpy as np

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.answer_lines import difference, settled
from rbdlib.verification.meaning.vocabulary import Definition
from rbdlib.verification.mechanics.basics import once_for_each
from rbdlib.verification.trees.calculus import carried_out, plus, times
from rbdlib.verification.trees.nodes import Function, Symbol, children, fold, symbols, with_children, written_size

#: Formulas with more parts are not taken apart.
MOST_PARTS = 6000
#: Definitions of names by other names, one after the other, that are put in.
_DEEPEST = 80


class OwnFormulas:
    """The formulas of a `Decision`: base of `case.Case`, which sets what is declared here."""

    decision: Any
    quantity: Any
    vocabulary: Any
    states: tuple
    equations: bool
    written: dict

    def _formulas(self):
        array = self.decision.array
        if self.equations:
            return [((i,), difference(left, right)) for i, (left, right, _) in enumerate(self.decision.equations)]
        if array is None:
            return []
        shape = np.shape(self.decision.right(self.states[0]))
        if self.quantity.symbol == "C" and array.ndim == 2 and len(shape) == 1 and array.shape == 2 * shape:
            rates = [Symbol(s.name, 1) for s in self.vocabulary.coordinates() or ()] or [
                Symbol(x.rate) for x in self.vocabulary.names.coordinates]
            array = np.array([plus(*map(times, row, rates)) for row in array], dtype=object)
        array = settled(array, shape)
        return [] if array is None else [(place, array[place]) for place in np.ndindex(array.shape)]

    @once_for_each
    def as_written(self, index):
        """The formula of an entry as the learner wrote it, derivatives not carried out."""
        before = self.vocabulary.before
        if not self.equations:
            return before(self.written[index])
        left, right, _ = self.decision.equations[index[0]]
        return difference(before(left), right if right is None else before(right))

    def inlined(self, tree):
        """The formula with the learner's own definitions and abbreviations such as s12 put in.

        Each part is an object of its own, but for definitions: a mistake in one of these shows wherever it is used.
        """
        tree = carried_out(tree, self.vocabulary._moves)
        if written_size(tree) <= MOST_PARTS:
            tree = anew(tree)
        new = self._put_in(tree)
        return new if written_size(new) <= MOST_PARTS else tree

    def _put_in(self, tree):
        def rule(node, parts):
            meaning = self.definition(node) if isinstance(node, Symbol) else None
            return meaning or with_children(node, parts)

        return fold(tree, rule)

    def definition(self, symbol):
        """The meaning of a symbol of the answer, or None."""
        if symbol.dots:
            return None
        meaning, _ = self.vocabulary.meaning(symbol)
        if not isinstance(meaning, Definition):
            return None
        short = meaning.by == "given" and isinstance(meaning.tree, Function) and not any(       # c2 = cos(q2)
            compact(s.name) in self.vocabulary.definitions for s in symbols(meaning.tree))
        if meaning.by != "answer" and not short:
            return None
        if short or compact(symbol.name) not in self.vocabulary.definitions:
            return self._put_in(anew(meaning.tree, symbol.span))
        return self._own_definition(compact(symbol.name))

    @once_for_each
    def _own_definition(self, name):
        """The meaning of a name, with other definitions put in, so that it is the same object wherever it is used."""
        if name in self._active or len(self._active) > _DEEPEST:
            return None
        self._active.add(name)
        tree = self._put_in(anew(self.vocabulary.definitions[name].tree))
        self._active.discard(name)
        return tree

    @functools.cached_property
    def _active(self):
        return set()


def anew(tree, span=None):
    """A copy of a tree in which each part is an object of its own, so that it can be changed alone.

    With a span, all parts have that place in the text.
    """
    new = with_children(tree, [anew(child, span) for child in children(tree)])
    return replace(new, span=span or new.span)
