"""Motions that given states: those of joints that are prescribed, phi = Omega*t, and constraints, y = a*x^2."""

from dataclasses import replace
from typing import Any

import numpy as np

from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.definitions import Definition
from rbdlib.verification.meaning.phrases import CONSTANT, some_value
from rbdlib.verification.mechanics.basics import inertia
from rbdlib.verification.mechanics.quantities import bias
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.trees.calculus import differentiate
from rbdlib.verification.trees.expression import substitute, to_text
from rbdlib.verification.trees.nodes import Number, Symbol, symbols


class Motions:
    """The part of a `Vocabulary` that is about motions. It has further methods that are used here.

    prescribed: {place: (dots, tree or None)}. tied: {place: tree of other coordinates}.
    """

    prescribed: dict[int, tuple[int, Any]]
    tied: dict[int, Any]
    names: Any
    definitions: Any
    guessed: Any
    define: Any
    meaning: Any
    dotted: Any
    rate: Any
    _evaluated: Any
    _told: Any
    _told_in: Any
    _lefts: Any
    _called: Any

    def _prescribe(self, left, right=None):
        """True if ``left = right`` prescribes the motion of a joint: phi = Omega*t, phi' = 2*pi*n, y = a*cos(w*t).

        Without ``right`` it is not said which motion.
        """
        own, dots = self._coordinate(left) if isinstance(left, Symbol) else ("", 0)
        if own not in self.names.q or self.names.shifted or self.names.model.loops or dots > 1:
            return False
        if dots and not left.dots and left.name not in self.names.own:          # omega may be anything
            return False
        if right is not None:
            used = {s.name for s in symbols(right)}
            new = {name for name in used - self.names.own - {*self.names.called.values()}
                   if compact(name) not in self.definitions}
            named = isinstance(right, Symbol) and right.name in new - {*CONSTANT}       # x' = v gives the rate a name
            called = {own, compact(self.names.called.get(own, left.name))}
            constant = {name for name in used if isinstance(
                getattr(self.definitions.get(compact(name)), "tree", None), Number)}
            if named or used - new - constant - {"t", "g", *self.names.parameters} or not (dots or "t" in used):
                return False
            for name in new:                            # constants of the motion
                self.define(name, some_value(name), "given")
            if compact(left.name) not in called and any(compact(left.name) in told for told in self._told):
                self.define(left.name, right, "given")      # z in tau_x = k z, where the coordinate is x
                return True
        self.prescribed[self.names.q.index(own)] = dots, right
        self.guessed[own] = (f"The motion of {left.name} is prescribed: the force at that joint is whatever this "
                             "demands.")
        return True

    def _coordinate(self, symbol):
        """(own name, dots) of a symbol that stands for a coordinate of the model or for its rate."""
        meaning, dots = self.meaning(symbol, by="given")
        if isinstance(meaning, Definition):             # another name of it
            symbol = meaning.tree
            meaning, dots = (symbol.name, symbol.dots + dots) if isinstance(symbol, Symbol) else ("", 0)
        return self.dotted(meaning or "", dots)

    def _tie(self, left, right):
        """True if ``left = right`` is a constraint, y = a*x^2: it says what a coordinate is by others of the model.

        New names that multiply these are constants; one that is added is a coordinate of the learner's.
        """
        left, tree = self._called.get(left, left), self._told_in(substitute(right, self._called))
        tree = substitute(tree, self._called)
        others = {s for s in symbols(tree) if s.name in self.names.q}
        if (self.names.shifted or self.names.model.loops or not isinstance(left, Symbol) or left.dots or not others
                or left.name not in self.names.q or left in others or any(s.dots for s in symbols(tree))
                or self._lefts & others):
            return False
        new = [s for s in symbols(tree) if s.name not in self.names.own]
        if any(not symbols(differentiate(tree, s)) & others for s in new):
            return False
        for s in new:
            self.define(s.name, some_value(s.name), "given")
        self.tied[self.names.q.index(left.name)] = self._told_in(tree)
        name = self.names.called.get(left.name, left.name)
        self.guessed[left.name] = f"{name} = {to_text(right)} was taken for a constraint, whose forces do no work."
        return True

    def ways(self, state):
        """A (n x free ones) of qd = A v, v being the rates that can be chosen, where motions are prescribed or tied."""
        bound = {*self.prescribed, *self.tied}
        free = [i for i in range(len(state.qd)) if i not in bound]
        A = np.eye(len(state.qd), dtype=object)[:, free]
        for i, tree in self.tied.items():
            A[i] = [self._evaluated(differentiate(tree, Symbol(self.names.q[k])), state) for k in free]
        return A

    def bound(self, state, changed, qdd):
        """The accelerations qdd of a changed system, held to motions that are prescribed or tied: those nearest."""
        if not self.prescribed and not self.tied:
            return qdd
        A, H, held = self.ways(changed), inertia(changed), [*self.prescribed, *self.tied]
        held = state.qdd - self.ways(state) @ np.delete(state.qdd, held)
        return held + A @ solve_linear(A.T @ H @ A, A.T @ H @ (qdd - held)) if A.size else held

    def driven(self, state):
        """A `State` in the motions that are prescribed, with the forces (tau) that these demand, and in those tied."""
        if not self.prescribed and not self.tied:
            return state
        q, qd, qdd, tau = state.q.copy(), state.qd.copy(), 0 * state.tau, state.tau.copy()
        moving = Altered(state, q=q, qd=qd, qdd=qdd)    # whose parts are filled in here
        for i, (first, tree) in [*self.prescribed.items(), *((i, (0, tree)) for i, tree in self.tied.items())]:
            for order in range(first, 3) if tree is not None else ():
                (q, qd, qdd)[order][i] = self._evaluated(tree, moving)
                tree = self.rate(tree)
            if tree is None:                            # whatever it is
                qdd[i] = tau[i]
        moving, driven = replace(state, q=q, qd=qd), [*self.prescribed]
        H, C, A = inertia(moving), bias(moving), self.ways(moving)
        if A.size:
            qdd = qdd + A @ solve_linear(A.T @ H @ A, A.T @ (tau - C - H @ qdd))
        tau[driven] = (H @ qdd + C)[driven]
        moving = replace(moving, tau=tau)
        moving.__dict__["_motion"] = qdd, np.zeros(0, dtype=object)     # what is driven needs no inertia
        return moving
