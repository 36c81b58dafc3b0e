"""The coordinates of the learner, where what is given defines others than the model's."""

import re
from typing import Any

import mpmath
import numpy as np

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.meanings import Meanings
from rbdlib.verification.mechanics.basics import inverse, once_for_each
from rbdlib.verification.mechanics.quantities import in_coordinates
from rbdlib.verification.mechanics.states import DIGITS, Altered, draw
from rbdlib.verification.trees.nodes import Function, Symbol, postorder, symbols

#: Positions for which it is kept how coordinates change.
_MOST_KEPT = 200


class OwnCoordinates(Meanings):
    """The part of a `Vocabulary` that is about the learner's coordinates.

    order: None or a list of places; order_names: the names in that order, as they are written.
    """

    order: Any = None
    order_names: Any = ()

    def coordinates(self):
        """The learner's coordinates, a list of Symbols; None if they are the model's.

        One that given defines by others takes the place of the one that has its number (theta2 that of q2); without a
        number that of the last from which it is made.
        """
        if "coordinates" not in self._found:
            self._found["coordinates"] = _coordinates(self)
        return self._found["coordinates"]

    def takes_coordinate(self, name, tree):
        """True if a name could be defined as one of the learner's coordinates, so that all can be chosen freely."""
        self.define(name, tree, "given")
        new = self.coordinates()
        if new and not are_independent.__wrapped__(self, *new):
            self.forget(compact(name))
            return False
        return True

    def in_own(self, quantity, value, state):
        """A value of a `Quantity` in the model's coordinates, in the learner's."""
        new = self.coordinates() if quantity.rule else None
        return in_coordinates(quantity, value, state, *self.jacobian(new, state)) if new else value

    def jacobian(self, coordinates, state):
        """A (n x n) and b (n) of the learner's coordinates y: yd = A qd, ydd = A qdd + b, in a `State`."""
        second = [Symbol(y.name, 2) for y in coordinates]
        b = self.values(Altered(state, qdd=0 * state.qd), second)           # so that qdd need not be known
        return self.slopes(coordinates, state), np.array([b[y] for y in second], dtype=object)

    def slopes(self, coordinates, state):
        """A (n x n) of the learner's coordinates y with yd = A qd in a `State`."""
        return self._slopes(coordinates, state)[0].copy()

    def own_forces(self, coordinates, state, forces):
        """Forces (n) of the model's coordinates in the learner's, y with yd = A qd: A^-T forces; the same for None."""
        if not coordinates:
            return forces
        made = self._slopes(coordinates, state)
        if made[1] is None:
            made[1] = inverse(made[0]).T
        return made[1] @ forces

    def model_forces(self, coordinates, state, forces):
        """The same the other way round: A^T forces."""
        return self.slopes(coordinates, state).T @ forces if coordinates else forces

    def _slopes(self, coordinates, state):
        """[A, A^-T or None, ...], made once for each position."""
        kept = self._found.setdefault(("slopes", *coordinates), {})
        key = id(state.q), id(state.parameters), id(state.model), mpmath.mp.dps
        if key not in kept:
            first = [Symbol(y.name, 1) for y in coordinates]
            units = np.eye(len(coordinates), dtype=object) + 0 * state.qd
            rates = [self.values(Altered(state, qd=unit), first) for unit in units]
            A = np.array([[by_unit[y] for by_unit in rates] for y in first], dtype=object)
            if len(kept) > _MOST_KEPT:
                kept.clear()
            kept[key] = [A, None, state.q, state.parameters, state.model]   # which live as long: no other has their ids
        return kept[key]


def _coordinates(vocabulary):
    names, taken = vocabulary.names, {}
    if any(not x.rate for x in names.coordinates):
        return None
    stated, order, in_order = _stated(vocabulary), vocabulary.order or range(len(names.q)), vocabulary.order_names
    if len(stated) != len(names.q):
        for name, own in stated.items():
            named, _ = names.find(name)
            free = [q for q in sorted(own, key=lambda q: (q == named, q), reverse=True) if q not in taken]
            taken |= {free[0]: name} if free else {}
        new = [taken.get(names.q[place], names.q[place]) for place in order]
        if not taken and new == names.q:
            return None
    elif sorted(in_order) == sorted(map(compact, stated)):                  # all anew, and in the order that is stated
        new = sorted(stated, key=lambda name: in_order.index(compact(name)))
    else:                                               # as in the model, by their numbers, or as they are defined
        new, numbers = list(stated), {name: re.sub(r"\D", "", name) for name in stated}
        if all(len(own) == 1 for own in stated.values()):
            new.sort(key=lambda name: names.q.index(*stated[name]))
        elif len({*numbers.values()} - {""}) == len(new):
            new.sort(key=lambda name: int(numbers[name]))
        new = [new[place] for place in order]
    new = [Symbol(name if name in stated else names.called.get(name, name)) for name in new]
    return None if vocabulary.tied and not are_independent(vocabulary, *new) else new


def _stated(vocabulary):
    """{name: own coordinates of which it is made} of the definitions that can be coordinates: all else is constant.

    Sines and cosines are abbreviations; so is what has them as factors, such as r*cos(theta), unless there are as many
    as coordinates and all are independent.
    """
    names, stated = vocabulary.names, {}
    for definition in vocabulary.definitions.values():
        found = vocabulary.own_symbols([Symbol(definition.name)]) if definition.by == "given" else set()
        moving = any(s.dots for s in symbols(definition.tree)) or not found <= {*names.q, *names.parameters}
        if found & {*names.q} and not moving:
            stated[definition.name] = found & {*names.q}
    plain, mixed = {}, {}
    for name, own in stated.items():
        functions = [node for node in postorder(vocabulary.told_in(vocabulary.definitions[compact(name)].tree))
                     if isinstance(node, Function) and node.name in ("sin", "cos", "tan")]
        plain |= {} if functions else {name: own}
        if not functions or not own <= vocabulary.own_symbols(set().union(*map(symbols, functions))):
            mixed[name] = own
    independent = len(mixed) == len(names.q) and are_independent(vocabulary, *map(Symbol, mixed))
    return mixed if independent else plain


@once_for_each
def are_independent(vocabulary, *new):
    """True if coordinates, Symbols that given defines, can be chosen freely."""
    with mpmath.workdps(DIGITS):
        A = vocabulary.slopes(new, draw(vocabulary.names.system, 0, 1, vocabulary.fixed)[0])
        return eliminate(A, 1e-20).rank == len(new)
