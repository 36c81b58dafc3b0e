"""Changes of what is differentiated, within d/dt(...), and of the definitions that an answer uses.

x2 = l1*sin(th1) + ..., T = 1/2*m2*x2'^2: a wrong sign in x2 shows in its rate, in which it stands in other places.
"""

from dataclasses import replace

import numpy as np

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.reasons.edits import NEAR, Edit, changes_of
from rbdlib.verification.reasons.screening import quietly
from rbdlib.verification.trees.expression import Derivative, Symbol, postorder, symbols
from rbdlib.verification.trees.network import Network, replaced

#: Changes that are tried at most: each is differentiated anew.
_MOST = 500
#: So much likelier is one change before differentiation than one of the terms that differentiation gives.
_BEFORE = 0.5


def source_edits(case, index, wanted):
    """Pairs (`Edit`, changed formula of the entry) that change what is compared by ``wanted``, the likeliest first."""
    found, tried = [], 0
    whole, scale = case.search(index).network.whole, case.search(index).scale
    for source, rebuilt, bonus in (*_derivatives(case, index), *_definitions(case, index)):
        network = Network(source, case.floats_of({*symbols(source), *case.pool.symbols()}), lambda x: x)
        for node, kind, new, cost in changes_of(network, case.pool):
            tried += 1
            if tried > _MOST:
                break
            tree = quietly(rebuilt, replaced(source, {id(node): new}))
            now = None if tree is None else quietly(case.floats_compared, tree)
            if now is not None and (np.abs(now - whole - wanted) <= NEAR * scale).all():
                found.append((Edit(kind, new, cost - bonus, wanted, None, node), tree))
    return sorted(found, key=lambda pair: pair[0].cost)


def differentiated(case, index):
    """Terms that are differentiated in an entry as it was written: parts of ``case.as_written(index)``, each once."""
    found = {id(node.of): node.of for node in postorder(case.as_written(index)) if isinstance(node, Derivative)}
    return list(found.values())


def _derivatives(case, index):
    """(what is differentiated, function from a changed one to the formula, bonus) for each d/dt(...) of an entry."""
    raw = case.as_written(index)
    for part in differentiated(case, index):
        yield case.vocabulary.carried_out(part), lambda new, part=part: case.inlined(
            replaced(raw, {id(part): new})), _BEFORE


def _definitions(case, index):
    """Triples like those of `_derivatives`, for each definition of the answer that it uses, or whose rates it uses."""
    tree, seen = case.trees[index], {}
    waiting = [*symbols(case.written[index]), *symbols(tree)]
    while waiting:
        symbol = waiting.pop()
        if symbol.name in seen:
            continue
        seen[symbol.name] = source = case.definition(replace(symbol, dots=0))
        own = case.vocabulary.definitions.get(compact(symbol.name))
        if source is not None and own is not None:
            waiting += symbols(own.tree)
            yield source, lambda new, name=symbol.name, source=source: _with_definition(
                case, tree, name, source, new), 0


def _with_definition(case, tree, name, source, new):
    """The formula with another definition of a name."""
    changed = {id(source): new}
    for node in postorder(tree):
        if isinstance(node, Symbol) and node.name == name and node.dots:
            rate = new
            for _ in range(node.dots):
                rate = case.vocabulary.rate(rate)
            changed[id(node)] = rate
    return replaced(tree, changed)
