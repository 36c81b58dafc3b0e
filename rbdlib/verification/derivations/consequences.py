"""What follows from the learner's own equations, wrong ones included: the motion and forces that they determine."""

import contextlib
from dataclasses import replace

import numpy as np

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.mechanics.states import Altered

#: A factor by which all that moves is made small, and how much larger than their sum small terms may be.
_SMALL, _LITTLE = 1e-8, 1e-5
_RANK = 1e-20


def roots_of(derivation, tree, small=False):
    """The wrong lines from which an `Equation` follows, together with right ones before it; none if it does not.

    small: for small motions only.
    """
    right = [row for roots, row in derivation.rows if not roots]
    wrong = [(roots, row) for roots, row in derivation.rows if roots - {derivation.number}]
    states = [_small(derivation, state) for state in derivation.states[:2]] if small else derivation.states
    for roots, rows in [*((roots, [row]) for roots, row in wrong[::-1]), (
            frozenset().union(*(roots for roots, _ in wrong)), [row for _, row in wrong])] if wrong else ():
        with contextlib.suppress(ValueError, ArithmeticError):              # what is no equation of motion
            if all(_holds(derivation, tree, [*rows, *right], state, small) for state in states):
                return roots
    return frozenset()


def _small(derivation, state):
    return derivation.vocabulary.driven(replace(
        state, q=_SMALL * state.q, qd=_SMALL * state.qd, tau=_SMALL * state.tau))


def _holds(derivation, tree, rows, state, small):
    """True if one more equation holds in a state with the accelerations and forces that others allow."""
    unknowns, ways = derivation.unknowns, derivation.vocabulary.ways(state)
    unknown = unknowns.of(tree, *rows)
    at = [Altered(state, qdd=state.qdd + way, tau=derivation.vocabulary.own_forces(
        derivation.vocabulary.coordinates(), state, state.tau)) for way in (0 * state.qdd, *ways.T)]
    last = np.zeros(len(unknown) + len(at), dtype=object)
    chosen = np.zeros((0, len(last)), dtype=object)
    for row in [*rows, tree]:
        (first, size), *others = (unknowns.row(row, unknown, moved) for moved in at)
        last = np.array([*(values[-1] - first[-1] for values, _ in others), *first], dtype=object) / size
        last[abs(last) < _RANK] = 0 * size               # what remains of differences
        new = np.vstack([chosen, last])
        if row is not tree and eliminate(new[:, :-1], _RANK).rank == len(new):
            chosen = new
    if len(chosen) < chosen.shape[1] - 1:                # a sum of some that do not determine everything
        return not small and eliminate(np.vstack([chosen, last]), _RANK).rank == len(chosen)
    parts = [*last[:-1] * solve_linear(chosen[:, :-1], -chosen[:, -1]), last[-1]]
    return abs(sum(parts)) <= max(map(abs, parts)) * (_LITTLE if small else derivation.tolerance)
