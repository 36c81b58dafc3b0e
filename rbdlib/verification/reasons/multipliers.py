"""Lagrange multipliers in wrong equations of motion: the values with which most of the equations hold.

A multiplier is an unknown, whose sign and unit are the learner's. If one of four equations with two multipliers is
wrong, the others still say what these are; or they are those of the right equations, but for their signs.
"""

import itertools

import numpy as np

from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.answer_lines import is_multiplier
from rbdlib.verification.mechanics.quantities import multipliers
from rbdlib.verification.trees.expression import evaluate

#: Ways of choosing the values that are compared.
_MOST = 400


class Multipliers:
    """The unknowns in the equations of a `Case`. free: their symbols."""

    def __init__(self, case):
        vocabulary, self.case, self.kept, self.chosen = case.vocabulary, case, {}, None
        unknown = set(getattr(vocabulary, "unknowns", ()))
        self.free = tuple(s for s in case.used if case.equations and case.quantity.compare == "equations" and (
            compact(s.name) in unknown or not vocabulary.knows(s)
            or is_multiplier(s) and s.name not in vocabulary.names.parameters))

    def at(self, state):
        """{symbol: value} in a state."""
        if not self.free:
            return {}
        if state not in self.kept:
            rest, slopes = self._linear(state)
            if self.chosen is None:
                self.chosen = self._choose(state, rest, slopes)
            self.kept[state] = dict(zip(self.free, self._values(self.chosen, state, rest, slopes), strict=True))
        return self.kept[state]

    def _linear(self, state):
        """The residuals without multipliers (n), and how they change with each (n x number of multipliers)."""
        others = tuple(s for s in self.case.used if s not in self.free)
        known = self.case.without_multipliers(state, others)
        zero = 0 * state.q[0]

        def residuals(values):
            at = known | {s: zero + values.get(s, 0) for s in self.free}
            return np.array([evaluate(tree, at) for tree in self.case.trees.values()], dtype=object)

        rest = residuals({})
        return rest, np.array([residuals({s: 1}) - rest for s in self.free], dtype=object).T

    def _choose(self, state, rest, slopes):
        """("own", places, signs) or ("rows", places): that with which most equations hold."""
        count, n = len(self.free), len(rest)
        ways = [("rows", rows) for rows in itertools.combinations(range(n), count)]
        if self.case.system.model.loops:
            places = itertools.permutations(range(len(multipliers(state))), count)
            ways = [*(("own", chosen, signs) for chosen in places
                      for signs in itertools.product((1, -1), repeat=count)), *ways]
        best, most = ("none",), -1
        for way in ways[:_MOST]:
            try:
                values = self._values(way, state, rest, slopes)
            except (ValueError, ArithmeticError):
                continue
            size = 1 + abs(rest)
            holding = int((abs(rest + slopes @ values) <= 1e-20 * size).sum())
            if holding > most:
                best, most = way, holding
        return best

    def _values(self, way, state, rest, slopes):
        if way[0] == "own":
            own = multipliers(state)
            return np.array([sign * own[k] for k, sign in zip(way[1], way[2], strict=True)], dtype=object)
        if way[0] == "rows":
            rows = list(way[1])
            return solve_linear(slopes[rows], -rest[rows])
        return 0 * slopes[0] if len(slopes) else np.zeros(len(self.free), dtype=object)
