"""The coordinates of the learner, where what is given defines others than the model's."""

import re

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.verification.meaning.aliases import compact
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

    Sines and cosines are abbreviations, unless there are as many as coordinates and all are independent.
    """
    stated = {d.name: own for d in vocabulary.definitions.values()
              if d.by == "given" and (own := _positions_in(vocabulary, d))}
    plain = {name: own for name, own in stated.items()
             if not any(isinstance(node, Function) for node in postorder(vocabulary.definitions[compact(name)].tree))}
    if len(plain) == len(stated):
        return stated
    new = [Symbol(name) for name in stated]
    return stated if len(stated) == len(vocabulary.names.q) and _are_independent(vocabulary, new) else plain


def _are_independent(vocabulary, new):
    import mpmath

    with mpmath.workdps(DIGITS):
        A, _ = vocabulary.jacobian(new, draw(vocabulary.names.system, 0, 1, vocabulary.assumed)[0])
        return eliminate(A, 1e-20).rank == len(new)


def _positions_in(vocabulary, definition):
    """The position variables of which a definition is made, if it is made of nothing else; otherwise empty."""
    found = vocabulary.own_symbols([Symbol(definition.name)])
    return found if found <= set(vocabulary.names.q) and not any(s.dots for s in symbols(definition.tree)) else set()
