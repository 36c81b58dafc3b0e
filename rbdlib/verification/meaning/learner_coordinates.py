"""The coordinates of the learner, where what is given defines others than the model's."""

import re

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.mechanics.basics import once_for_each
from rbdlib.verification.mechanics.states import DIGITS, draw
from rbdlib.verification.trees.expression import Function, Symbol, postorder, symbols


def learner_coordinates(vocabulary):
    """A list of Symbols; None if the learner's coordinates are the model's. vocabulary: a `Vocabulary`."""
    if any(not x.rate for x in vocabulary.names.coordinates):
        return None
    stated, names = _stated(vocabulary), vocabulary.names
    if len(stated) == len(names.q):
        return _all_new(vocabulary, stated)
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


def _all_new(vocabulary, stated):
    """The learner's coordinates where given defines all anew: in the order that is stated, or that of the model if
    they only have other names, or that of their numbers, or as they are defined."""
    names = list(stated)
    if sorted(vocabulary.order_names) == sorted(map(compact, names)):
        names.sort(key=lambda name: vocabulary.order_names.index(compact(name)))
    elif all(isinstance(vocabulary.definitions[compact(name)].tree, Symbol) for name in names):
        names.sort(key=lambda name: vocabulary.names.q.index(*stated[name]))
    else:
        numbers = {name: re.sub(r"\D", "", name) for name in names}
        if len({*numbers.values()} - {""}) == len(names):
            names.sort(key=lambda name: int(numbers[name]))
    if vocabulary.order and sorted(vocabulary.order_names) != sorted(map(compact, names)):
        names = [names[place] for place in vocabulary.order]
    return [Symbol(name) for name in names]


def _stated(vocabulary):
    """{name: own coordinates of which it is made} of the definitions that can be coordinates.

    Sines and cosines are abbreviations; so is what has them as factors, such as r*cos(theta), unless there are as many
    as coordinates and all are independent.
    """
    stated = {d.name: own for d in vocabulary.definitions.values()
              if d.by == "given" and (own := _positions_in(vocabulary, d))}
    plain = {name: own for name, own in stated.items() if not _functions_in(vocabulary, name)}
    mixed = {name: own for name, own in stated.items() if name in plain or not own <= set().union(*(
        vocabulary.own_symbols(symbols(node)) for node in _functions_in(vocabulary, name)))}
    full = len(mixed) == len(vocabulary.names.q)
    return mixed if full and are_independent(vocabulary, *map(Symbol, mixed)) else plain


def _functions_in(vocabulary, name):
    return [node for node in postorder(vocabulary.definitions[compact(name)].tree)
            if isinstance(node, Function) and node.name in ("sin", "cos", "tan")]


@once_for_each
def are_independent(vocabulary, *new):
    """True if coordinates, Symbols that given defines, can be chosen freely."""
    import mpmath

    with mpmath.workdps(DIGITS):
        A, _ = vocabulary.jacobian(new, draw(vocabulary.names.system, 0, 1, vocabulary.assumed)[0])
        return eliminate(A, 1e-20).rank == len(new)


def _positions_in(vocabulary, definition):
    """The position variables of which a definition is made, if all else in it is constant; otherwise empty."""
    names, found = vocabulary.names, vocabulary.own_symbols([Symbol(definition.name)])
    moving = any(s.dots for s in symbols(definition.tree)) or not found <= {*names.q, *names.parameters}
    return set() if moving else found & set(names.q)
