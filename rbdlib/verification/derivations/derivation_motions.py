"""The motions in which the lines of a derivation are tested, and what of them follows from wrong lines."""

import itertools

import numpy as np

from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.mechanics.quantities import damping
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.trees.calculus import differentiate, minus, plus
from rbdlib.verification.trees.nodes import Symbol, symbols


def from_wrong_lines(derivation, mine, states):
    """The wrong lines of which one is a consequence, given by the values of left minus right side in some states.

    Its residual is the sum or difference of two of theirs.
    """
    basis = [(frozenset(), [0 * x for x in mine])]
    for roots, tree in derivation.wrong:
        highest = max((symbol.dots for symbol in symbols(tree)), default=0)
        parts = (tree, derivation.vocabulary.rate(tree)) if highest < 2 else (tree,)
        basis += [(roots, [derivation.value(part, state) for state in states]) for part in parts]

    def near(a, b):
        return abs(a - b) <= derivation.tolerance * max(abs(a), abs(b), 1)

    signed = [(roots, [sign * x for x in values]) for roots, values in basis for sign in (1, -1)]
    for (roots, values), (others, more) in itertools.combinations(signed, 2):
        if all(near(x, y + z) for x, y, z in zip(mine, values, more, strict=True)):
            return frozenset(roots | others)
    return frozenset()


def moved(state):
    """A state with other accelerations than those that its forces produce."""
    return Altered(state, qdd=state.qdd + np.arange(2, len(state.qdd) + 2) * (1 + abs(state.qd)))


def right_motions(derivation):
    """Lists of states with the right motion; the forces belong to either coordinates."""
    new = derivation.vocabulary.coordinates()
    own = [Altered(s, tau=derivation.vocabulary.own_forces(new, s, s.tau)) for s in derivation.states if new]
    return [own, derivation.states] if new else [derivation.states]


def own_motions(derivation):
    """Lists of states whose motion follows from the learner's own L, if there is one; tau in either coordinates."""
    L, new = derivation.own.energy("L") or derivation.own.from_energies("L"), derivation.vocabulary.coordinates()
    if L is None or derivation.system.model.loops or derivation.vocabulary.tied:
        return right_motions(derivation)
    if L not in derivation._motions:
        rates = [plus(derivation.vocabulary.rate(differentiate(L, Symbol(y.name, 1))), minus(differentiate(L, y)))
                 for y in new or [Symbol(name) for name in derivation.vocabulary.names.q]]
        found = [_moved(derivation, rates, state) for state in derivation.states]
        others = [Altered(state, qdd=new.qdd) for state, new in zip(derivation.states, found, strict=True)]
        derivation._motions[L] = [found, others] if new else [found]
    return derivation._motions[L]


def _moved(derivation, rates, state):
    """The state with the accelerations that L and the dampers give; if L gives none, with its forces."""
    def forces(qdd):
        return np.array([derivation.value(rate, Altered(state, qdd=qdd)) for rate in rates], dtype=object)

    at_rest, new = forces(0 * state.qdd), derivation.vocabulary.coordinates()
    tau = derivation.vocabulary.own_forces(new, state, state.tau)
    applied = derivation.vocabulary.own_forces(new, state, state.tau - damping(state))
    H = np.array([forces(unit + 0 * state.qdd) - at_rest for unit in np.eye(len(state.qdd), dtype=object)]).T
    try:
        return Altered(state, qdd=solve_linear(H, applied - at_rest), tau=tau)
    except (ValueError, ArithmeticError):
        return Altered(state, tau=forces(state.qdd))
