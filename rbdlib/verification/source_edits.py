"""Changes of what is differentiated: within d/dt(...), and in definitions of which an answer uses the rate.

x2 = l1*sin(th1) + ..., T = 1/2*m2*x2'^2: a wrong sign in x2 shows in its rate, in which it stands in other places.
"""

from dataclasses import replace

import numpy as np

from rbdlib.verification.edits import NEAR, Edit, changes_of
from rbdlib.verification.expression import Derivative, Symbol, postorder, symbols
from rbdlib.verification.network import Network, replaced, values

#: Changes that are tried at most: each is differentiated anew.
_MOST = 500


def source_edits(case, index, wanted):
    """Pairs (`Edit`, changed formula of the entry) that change what is compared by ``wanted``, the likeliest first."""
    found, tried = [], 0
    whole, scale = case.search(index).network.whole, case.search(index).scale
    for source, rebuilt in (*_derivatives(case, index), *_definitions(case, index)):
        network = Network(source, case.floats_of({*symbols(source), *case.pool.symbols()}), lambda x: x)
        for node, kind, new, cost in changes_of(network, case.pool):
            tried += 1
            if tried > _MOST:
                break
            tree = rebuilt(replaced(source, {id(node): new}))
            with np.errstate(all="ignore"):
                now = case.combine_last(values(tree, case.floats_of(symbols(tree))))
            if (np.abs(now - whole - wanted) <= NEAR * scale).all():
                found.append((Edit(kind, new, cost, wanted, None, node), tree))
    return sorted(found, key=lambda pair: pair[0].cost)


def _derivatives(case, index):
    """(what is differentiated, function from a changed one to the formula) for each d/dt(...) of an entry."""
    raw = case.written[index]
    for node in (node for node in postorder(raw) if isinstance(node, Derivative)):
        yield node.of, lambda new, node=node: case.inlined(replaced(raw, {id(node): replace(node, of=new)}))


def _definitions(case, index):
    """The same for the definitions of the answer whose rates it uses."""
    tree = case.trees[index]
    used = [node for node in postorder(tree) if isinstance(node, Symbol) and node.dots]
    for name in dict.fromkeys(node.name for node in used):
        source = case.definition(replace(next(node for node in used if node.name == name), dots=0))
        if source is not None:
            yield source, lambda new, name=name, source=source: _with_definition(case, tree, name, source, new)


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
