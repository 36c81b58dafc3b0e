"""A term that is missing within a formula: in a definition, below a division, in a bracket that is squared.

What such a part would have to be is solved for in each state, since the whole is nearly always a quotient of linear
functions of it. What it lacks is then held against products of a few symbols.
"""

import collections
import itertools

import numpy as np

from rbdlib.verification.edits import Places
from rbdlib.verification.expression import Function, Operation, Symbol, symbols
from rbdlib.verification.hypotheses import kind_of
from rbdlib.verification.missing import as_power, product, rational, times
from rbdlib.verification.network import replaced, values

#: Parts that are looked at, factors of a term, and different factors that are tried.
_MOST_PARTS, _MOST_FACTORS, _MOST_SYMBOLS = 12, 4, 24


def inner_missing(case, index, wanted):
    """Triples (part, term, changed formula) with which an entry changes by ``wanted``; not yet confirmed."""
    if case.constant:
        return []
    network, found = case.search(index).network, []
    for node in _parts(case, index, network):
        with np.errstate(all="ignore"):
            lacking = _solved(network, node, network.whole + wanted)
        term = None if lacking is None else _term(case, lacking)
        if term is not None:
            tree = replaced(network.tree, {id(node): Operation("+", (node, term))})
            found.append((node, term, tree))
            if len(found) == 2:
                break
    return found


def _parts(case, index, network):
    """The definitions of the answer and the inner sums and denominators of a formula, each once."""
    own = [case.definition(s) for s in symbols(case.written[index]) if not s.dots]
    names = {id(node) for node in own if node is not None}
    inner = {id(node) for node in Places(network).inner}
    below = {id(node.operands[1]) for node in network.nodes if isinstance(node, Operation) and node.kind == "/"}
    sums = {id(node) for node in network.nodes if isinstance(node, Operation) and node.kind == "+"
            and any(id(part) in inner for part in node.operands)}
    inertias = {id(node) for node in network.nodes if isinstance(node, Symbol) and not node.dots
                and kind_of(node.name) == "inertia"}
    chosen = names | below | sums | inertias
    return [node for node in reversed(network.nodes) if id(node) in chosen and symbols(node)][:_MOST_PARTS]


def _solved(network, node, target):
    """What a part lacks in each state, so that the whole has the wanted values; None if that cannot be."""
    now = network.values[id(node)]
    step = 0.1 * (1 + np.abs(now))
    at = [now, now + step, now - step]
    whole = [network.change(node, x) + network.whole for x in at]
    lacking = np.empty(len(now))
    for k in range(len(now)):
        rows = [[x[k], 1, -x[k] * f[k], -f[k]] for x, f in zip(at, whole, strict=True)]
        if not np.isfinite(rows).all():
            return None
        a, b, c, d = np.linalg.svd(rows)[2][-1]                     # f = (a x + b)/(c x + d)
        lacking[k] = (d * target[k] - b) / (a - c * target[k]) - now[k]
    reached = network.change(node, now + lacking) + network.whole
    good = np.isfinite(lacking).all() and np.abs(lacking).min() > 1e-9
    return lacking if good and np.allclose(reached, target, rtol=1e-8, atol=1e-8) else None


def _term(case, lacking):
    """A product of a number and a few symbols with these values; None if there is none."""
    plain = (f for f in case.pool.factors if not isinstance(f, Function) or not isinstance(f.arguments[0], Operation))
    factors = list(dict.fromkeys(plain))[:_MOST_SYMBOLS]
    known = case.floats_of({s for tree in factors for s in symbols(tree)})
    rows = np.array([values(tree, known) for tree in factors])
    for count in range(1, _MOST_FACTORS + 1):
        groups = np.array(list(itertools.combinations_with_replacement(range(len(factors)), count)))
        ratios = lacking / np.prod(rows[groups], axis=1)
        for k in np.flatnonzero(np.ptp(ratios, axis=1) <= 1e-7 * np.abs(ratios[:, 0])):
            number = rational(ratios[k])
            if number:
                powers = collections.Counter(groups[k].tolist())
                return times(number, product([x for i, power in powers.items() for x in as_power(factors[i], power)]))
    return None
