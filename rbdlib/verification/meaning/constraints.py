"""Constraints between coordinates that given states: x = r*phi; y1 + y2 = L; x' = r*phi'; y = a*x^2."""

import re
from dataclasses import replace

import mpmath

from rbdlib.verification.meaning.aliases import ANGLES, LENGTHS, compact
from rbdlib.verification.meaning.answer_lines import symbols_in_order
from rbdlib.verification.meaning.definitions import solved
from rbdlib.verification.meaning.given import BadGiven
from rbdlib.verification.meaning.phrases import some_value
from rbdlib.verification.mechanics.states import DIGITS, draw
from rbdlib.verification.trees.calculus import difference, differentiate
from rbdlib.verification.trees.expression import substitute, to_text
from rbdlib.verification.trees.nodes import Symbol, symbols

_NOTHING = 1e-20


class Constraints:
    """The part of `Statements` that is about constraints; each makes one coordinate depend on those that are free."""

    def __init__(self, vocabulary):
        self.vocabulary, self.names, self.written = vocabulary, vocabulary.names, []
        self.called = {Symbol(name): Symbol(own) for own, name in self.names.called.items()}

    def tie(self, left, right):
        """True if an equation is a constraint: between coordinates of the model, or between their rates.

        New names that multiply these are constants; one that is added is a coordinate of the learner's.
        """
        if self.names.shifted or self.names.model.loops or (
                isinstance(left, Symbol) and self._own(left).name not in self.names.q):
            return False
        residual, written = self.vocabulary.told_in(difference(left, right)), f"{to_text(left)} = {to_text(right)}"
        residual = substitute(residual, {s: self._own(s) for s in symbols(residual)})
        moving = [s for s in symbols_in_order([residual]) if s.name in self.names.q]
        new = [s for s in symbols(residual)
               if s.name not in self.names.own and compact(s.name) not in self.vocabulary.definitions]
        added = [s for s in new if not {*moving} & symbols(differentiate(residual, s))]
        if added or len(moving) < 2:
            self._ask_for(added, written, {self._own(s) for side in (left, right) for s in symbols(side)})
            return False
        if any(s.dots for s in moving):
            residual = self._between_positions(residual, moving)
        for s in new:
            self.vocabulary.define(s.name, some_value(s.name), "given")
        self.hold(self.vocabulary.told_in(residual), self._own(left), written)
        return True

    def _own(self, symbol):
        """The model's own symbol, q1 with dots, for a coordinate or a rate; any other tree as it is."""
        if not isinstance(symbol, Symbol):
            return symbol
        own = self.called.get(replace(symbol, dots=0), symbol)
        return Symbol(*self.vocabulary.dotted(own.name, symbol.dots))

    def _between_positions(self, residual, moving):
        """x = r*phi for x' = r*phi', or x'' = r*phi''."""
        if len({s.dots for s in moving}) > 1 or any({*moving} & symbols(differentiate(residual, s)) for s in moving):
            raise BadGiven("given ties rates by factors that change. Of constraints, those between coordinates are "
                           "understood, such as 'x = r*phi'.")
        return substitute(residual, {s: replace(s, dots=0) for s in moving})

    def _ask_for(self, added, written, used):
        """Refuse y1 + y2 = L, where L may be the length of a rope, or a coordinate of the learner's."""
        name = added[0].name if len(added) == 1 and len(used & {*map(Symbol, self.names.q)}) > 1 else ""
        if name and re.sub(r"[^A-Za-z].*", "", name) not in (*ANGLES, *LENGTHS):
            raise BadGiven(f"given says '{written}', where {name} could be a constant, such as the length of a rope, "
                           f"or a coordinate of yours. Say '{name} is constant'; or '{name} = ...', if it is one.")

    def hold(self, residual, preferred, written):
        """Learn that a residual is zero: what one of its free coordinates is, if possible a certain one.

        One that follows from others is needless. Raises `BadGiven` for one that contradicts them.
        """
        vocabulary, q = self.vocabulary, self.names.q
        several = sum(s.name in q for s in symbols(residual)) > 1
        residual = substitute(residual, {Symbol(q[i]): tree for i, tree in vocabulary.tied.items()})
        moving = [s for s in symbols_in_order([residual])[::-1] if s.name in q]
        free = [s for s in moving if q.index(s.name) not in vocabulary.prescribed]
        slopes = {s: differentiate(residual, s) for s in sorted(free, key=lambda s: s != preferred)}
        with mpmath.workdps(DIGITS):
            (state,) = draw(self.names.system, 0, 1, vocabulary.fixed)
            if abs(vocabulary.evaluated(residual, state)) < _NOTHING:
                return
            slopes = {s: slope for s, slope in slopes.items() if abs(vocabulary.evaluated(slope, state)) > _NOTHING}
        linear = next((s for s, slope in slopes.items() if s not in symbols(slope)), None)
        if linear is None:
            why = "is linear in no coordinate: solve it for one" if slopes else "contradicts what it says besides"
            raise BadGiven(f"given says '{written}', which {why}.")
        if several and len(moving) == 1:
            name = self.names.called.get(linear.name, linear.name)
            raise BadGiven(f"given says '{written}'; with what it says besides, {name} could not move at all.")
        tree = solved(residual, linear)
        vocabulary.tied = {i: substitute(other, {linear: tree}) for i, other in vocabulary.tied.items()}
        vocabulary.tied[q.index(linear.name)] = tree
        self.written += [] if preferred is None else [written]          # of a constraint that is known
        were = "were taken for constraints" if len(self.written) > 1 else "was taken for a constraint"
        vocabulary.guessed["constraints"] = f"{' and '.join(self.written)} {were}, whose forces do no work."
