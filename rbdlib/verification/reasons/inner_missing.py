"""A term that is missing within a formula: in a definition, below a division, in a bracket that is squared.

What such a part would have to be is solved for in each state, since the whole is nearly always a quotient of linear
functions of it. What it lacks is then held against products of a few symbols.
"""

import collections
import itertools

import numpy as np

from rbdlib.verification.meaning.own_formulas import once_for_each
from rbdlib.verification.reasons.edits import Places
from rbdlib.verification.reasons.hypotheses import kind_of
from rbdlib.verification.reasons.missing import as_power, multiples, product, rows_of, times
from rbdlib.verification.reasons.pool import parameters_of, rates_of
from rbdlib.verification.trees.expression import Function, Operation, Symbol, postorder, symbols

#: Parts that are looked at, and terms that are tried.
_MOST_PARTS, _MOST_TERMS = 12, 300_000


def inner_missing(case, index, wanted):
    """Pairs (part, term that is missing in it) with which an entry changes by ``wanted``; not yet confirmed."""
    if case.constant:
        return []
    network, found = case.search(index).network, []
    for node in _parts(case, index, network):
        lacking = _solved(network, node, network.whole + wanted)
        term = None if lacking is None else _term(case, lacking)
        if term is not None:
            found.append((node, term))
    names = {id(node) for node in _definitions(case, index)}
    found.sort(key=lambda pair: (len(postorder(pair[1])), id(pair[0]) not in names))   # d lacks I rather than p I*qdd
    return found[:2]


def _parts(case, index, network):
    """The definitions of the answer and the inner sums and denominators of a formula, each once."""
    names = {id(node) for node in _definitions(case, index)}
    inner = Places(network).inner
    below = {id(node.operands[1]) for node in network.nodes if isinstance(node, Operation) and node.kind == "/"}
    factors = {id(part) for node in network.nodes if isinstance(node, Operation) and node.kind in ("*", "/")
               for part in node.operands}
    sums = {id(node) for node in network.nodes if isinstance(node, Operation) and node.kind == "+"
            and (id(node) in factors or any(id(part) in inner for part in node.operands))}
    inertias = {id(node) for node in network.nodes if isinstance(node, Symbol) and not node.dots
                and kind_of(node.name) == "inertia"}
    chosen = names | below | sums | inertias
    return [node for node in reversed(network.nodes) if id(node) in chosen and symbols(node)][:_MOST_PARTS]


def _definitions(case, index):
    """Meanings of the names in an entry, where the answer says it."""
    own = [case.definition(s) for s in symbols(case.written[index]) if not s.dots]
    return [node for node in own if node is not None]


def _solved(network, node, target):
    """The amount that a part lacks in each state, so that the whole has the wanted values; None if that cannot be."""
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
    groups, rows = _likely_terms(case)
    for k, number in multiples(lacking, rows):
        places = np.unravel_index(k, [len(group) for group in groups])
        powers = collections.Counter(tree for group, at in zip(groups, places, strict=True) for tree in group[at])
        return times(number, product([as_power(tree, power) for tree, power in powers.items()]))
    return None


@once_for_each
def _likely_terms(case):
    """(groups, rows): lists of factors, one of each of which makes a term, and the values of all these terms.

    A term has a mass or an inertia, gravity or not, two lengths at most, two sines and cosines at most, and two rates
    or an acceleration.
    """
    alike, pool, (rates, *accelerations) = parameters_of(case), case.pool, rates_of(case)
    heavy = [(), *((s,) for kind in ("mass", "inertia") for s in alike.get(kind, ()))]
    gravity = [(), *((s,) for s in alike.get("gravity", ()))]
    lengths = _products(pool.lengths[:8])
    moving = _products(rates) + [(s,) for kind in accelerations for s in kind]
    turning = list(dict.fromkeys(f for f in pool.factors if isinstance(f, Function)))
    functions = _products(turning if len(turning) <= 8 else turning[:12])
    groups = [heavy, gravity, lengths, functions, moving]
    while np.prod([len(group) for group in groups]) > _MOST_TERMS:
        groups[3] = groups[3][: len(groups[3]) // 2]
    rows = np.ones((1, len(case.states)))
    for group in groups:
        rows = (rows[:, None, :] * rows_of(case, group)[None, :, :]).reshape(-1, len(case.states))
    return groups, rows


def _products(factors):
    """Products of two factors at most, as tuples, the shorter first."""
    return [(), *((f,) for f in factors), *itertools.combinations_with_replacement(factors, 2)]
