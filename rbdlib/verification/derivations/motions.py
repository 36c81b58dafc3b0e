"""States in which forces and accelerations fit together: by the right equations, or by the learner's own L."""

from dataclasses import dataclass

import numpy as np

from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.meaning.answer_lines import symbols_in_order
from rbdlib.verification.mechanics.states import Altered, State
from rbdlib.verification.trees.calculus import minus, plus
from rbdlib.verification.trees.expression import Symbol, differentiate, evaluate


@dataclass(frozen=True, eq=False)
class Moved(State):
    """A state whose accelerations do not follow from its forces. accelerations: (nv)."""

    accelerations: np.ndarray
    qdd = property(lambda self: self.accelerations)


def moved(state, qdd, tau):
    """The state with these accelerations and forces (nv)."""
    return Moved(state.model, state.parameters, state.q, state.qd, tau, qdd)


class Motions:
    """The motions of a system at some states. y: the learner's coordinates, `Symbol`s."""

    def __init__(self, vocabulary, states, y):
        self.vocabulary, self.states, self.y, self._known = vocabulary, states, y, {}

    def true(self):
        """Lists of states with the right motion; the forces belong to either coordinates."""
        if self.vocabulary.coordinates():
            yield [moved(state, state.qdd, self._in_y(state)) for state in self.states]
        yield self.states

    def of(self, L):
        """Lists of states with the motion that follows from a Lagrangian; the forces belong to either coordinates."""
        if id(L) not in self._known:
            rates = [plus(self.vocabulary.rate(differentiate(L, Symbol(y.name, 1))), minus(differentiate(L, y)))
                     for y in self.y]
            found = [self._moved(rates, state) for state in self.states]
            others = [moved(state, new.qdd, state.tau) for state, new in zip(self.states, found, strict=True)]
            self._known[id(L)] = L, [found, *([others] if self.vocabulary.coordinates() else [])]
        return self._known[id(L)][1]

    def _in_y(self, state):
        """The forces of a state in the learner's coordinates."""
        own = self.vocabulary.coordinates()
        return solve_linear(self.vocabulary.slopes(self.y, state).T, state.tau) if own else state.tau

    def _moved(self, rates, state):
        """The state with the accelerations that L gives; if there are none, with its forces."""
        tau = self._in_y(state)

        def forces(qdd):
            return np.array([self.value(rate, Altered(state, qdd=qdd)) for rate in rates], dtype=object)

        at_rest = forces(0 * state.qdd)
        H = np.array([forces(unit + 0 * state.qdd) - at_rest for unit in np.eye(len(state.qdd), dtype=object)]).T
        try:
            qdd = solve_linear(H, tau - at_rest)
        except (ValueError, ArithmeticError):
            qdd, tau = state.qdd, forces(state.qdd)
        return moved(state, qdd, tau)

    def value(self, tree, state):
        """The value of a formula in a state."""
        return evaluate(tree, self.vocabulary.values(state, symbols_in_order([tree])))
