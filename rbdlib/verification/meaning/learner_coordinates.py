"""The coordinates of the learner, where what is given defines others than the model's."""

import re

import mpmath

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.mechanics.basics import once_for_each
from rbdlib.verification.mechanics.states import DIGITS, draw
from rbdlib.verification.trees.expression import Function, Symbol, postorder, symbols


def learner_coordinates(vocabulary):
    """The learner's coordinates, a list of Symbols; None if they are the model's. vocabulary: a `Vocabulary`.

    One that given defines by others takes the place of the one that has its number (theta2 that of q2); without a
    number that of the last from which it is made.
    """
    if any(not x.rate for x in vocabulary.names.coordinates):
        return None
    stated, names = _stated(vocabulary), vocabulary.names
    if len(stated) == len(names.q):
        return [Symbol(name) for name in _in_order(vocabulary, stated)]
    new, taken = [Symbol(name) for name in names.q], {}
    for name, own in stated.items():
        named = (names.find(name) or ("",))[0]
        place = next((q for q in (named, *sorted(own, reverse=True)) if q in names.q and q not in taken), None)
        if place is not None:
            taken[place] = name
            new[names.q.index(place)] = Symbol(name)
    if vocabulary.order:
        new = [new[place] for place in vocabulary.order]
    return None if [s.name for s in new] == names.q and not taken else new


def _in_order(vocabulary, stated):
    """The names of coordinates that given defines all anew: in the order that is stated, or that of the model if they
    only have other names, or that of their numbers, or as they are defined."""
    names = list(stated)
    if sorted(vocabulary.order_names) == sorted(map(compact, names)):
        return sorted(names, key=lambda name: vocabulary.order_names.index(compact(name)))
    if all(isinstance(vocabulary.definitions[compact(name)].tree, Symbol) for name in names):
        names.sort(key=lambda name: vocabulary.names.q.index(*stated[name]))
    else:
        numbers = {name: re.sub(r"\D", "", name) for name in names}
        if len({*numbers.values()} - {""}) == len(names):
            names.sort(key=lambda name: int(numbers[name]))
    return [names[place] for place in vocabulary.order] if vocabulary.order else names


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
    plain = {name: own for name, own in stated.items() if not _functions_in(vocabulary, name)}
    mixed = {name: own for name, own in stated.items() if name in plain or not own <= set().union(*(
        vocabulary.own_symbols(symbols(node)) for node in _functions_in(vocabulary, name)))}
    independent = len(mixed) == len(names.q) and are_independent(vocabulary, *map(Symbol, mixed))
    return mixed if independent else plain


def _functions_in(vocabulary, name):
    return [node for node in postorder(vocabulary.definitions[compact(name)].tree)
            if isinstance(node, Function) and node.name in ("sin", "cos", "tan")]


@once_for_each
def are_independent(vocabulary, *new):
    """True if coordinates, Symbols that given defines, can be chosen freely."""
    with mpmath.workdps(DIGITS):
        A = vocabulary.slopes(new, draw(vocabulary.names.system, 0, 1, vocabulary.fixed)[0])
        return eliminate(A, 1e-20).rank == len(new)
